"""Mentions that are marked in the text itself: elements, brackets, markers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import unescape
from typing import NamedTuple

from .answer_lists import several_names
from .answer_pairs import key_meaning
from .answer_records import Answer, Context, Named, Order, Style, folded_type, squeezed


class Mark(NamedTuple):
    """A mention between two marks: where the opening one begins and ends, and where the closing one does."""

    opens: int
    begins: int
    ends: int
    closes: int
    label: str | None
    """None where the marks are of no mention: they are only taken out."""


def unmarked(region: str, marks: Sequence[Mark], style: Style, *, escaped: bool = False) -> Answer | None:
    """Return the mentions between marks, with their offsets in the text without the marks."""
    gaps = sorted([(mark.opens, mark.begins) for mark in marks] + [(mark.ends, mark.closes) for mark in marks])
    as_text = unescape if escaped else str
    parts: list[str] = []
    at = length = 0
    moved: dict[int, int] = {}
    for begin, end in gaps:
        if begin < at:
            return None  # marks that lie in one another
        parts.append(as_text(region[at:begin]))
        length += len(parts[-1])
        moved[begin] = moved[end] = length
        at = end
    parts.append(as_text(region[at:]))
    plain = "".join(parts)
    ordered = sorted(marks, key=lambda mark: (mark.begins, -mark.ends))
    named = []
    for mark in ordered:
        if mark.label is None:
            continue
        start, end = moved[mark.begins], moved[mark.ends]
        if plain[start:end].strip():
            named.append(Named(plain[start:end], mark.label, start, end))
    form = style if named else None
    return Answer(tuple(named), form, Order.TEXT, plain)


_TAG = re.compile(r"<(/?)([^\W\d][^<>]{0,200})>")
_ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_WRAPPING_TAGS = {
    "answer", "output", "text", "sentence", "result", "results", "response", "p", "br", "html", "body", "div", "doc",
    "document", "entities", "b", "i", "em", "strong", "u", "ul", "li", "ol", "final", "annotated", "tagged", "xml",
    "root", "s", "sub", "sup", "pre", "code", "table", "tr", "td", "think", "input", "paragraph", "annotatedtext",
}  # fmt: skip


def read_xml(region: str, context: Context) -> Answer | None:
    """Read ``<PER>Ada</PER> spoke``, ``<entity type="PER">Ada</entity>``, also nested; or a list of such elements."""
    if "<" not in region:
        return None
    if _START.search(region) is not None:
        region = _with_usual_tags(region)
    marks: list[Mark] = []
    alone: list[Named] = []
    open_tags: dict[str, list[tuple[re.Match[str], str | None]]] = {}
    for tag in _TAG.finditer(region):
        inner = tag[2].strip()
        is_alone = inner.endswith("/")
        name, attributes = _tag_parts(inner.rstrip("/ "))
        surface = _surface_in(attributes, context) if attributes else None
        if is_alone or (not tag[1] and surface):
            label = _label_in(attributes, context) or _tag_label(inner.rstrip("/ "), name, attributes, context)
            if label and surface:
                alone.append(Named(unescape(surface), label))
            continue
        if not tag[1]:
            open_tags.setdefault(name, []).append((tag, _tag_label(inner, name, attributes, context)))
            continue
        waiting = open_tags.get(name) or open_tags.get("")
        if waiting:
            begun, label = waiting.pop()
            marks.append(Mark(begun.start(), begun.end(), tag.start(), tag.end(), label))
    if alone:
        return Answer(tuple(alone), Style.XML)
    described = _described_elements(region, marks, context)
    if described:
        return Answer(tuple(described), Style.XML)
    if not any(mark.label for mark in marks):
        return None
    of_types = _names_in_types(region, marks, context)
    if of_types:
        return Answer(tuple(of_types), Style.XML, Order.TYPE)
    answer = _sure_marks(region, marks, Style.XML, context)
    return None if answer is None else _with_lists_cut(answer, context)


def _without_places_of_list(answer: Answer, context: Context) -> Answer:
    """Return an answer that is a list of marked names, rather than the text with marks, without places of its marks."""
    if context.sample is None or answer.marked is None or context.has_sample(squeezed(answer.marked)):
        return answer
    at = 0
    for mention in answer.mentions:
        if any(map(str.isalnum, answer.marked[at : mention.start])):
            return answer
        at = max(at, mention.end or 0)
    if any(map(str.isalnum, answer.marked[at:])):
        return answer
    mentions = tuple(mention._replace(start=None, end=None) for mention in answer.mentions)
    return answer._replace(mentions=mentions, marked=None)


def _with_lists_cut(answer: Answer, context: Context) -> Answer:
    """Return the names of elements that have several, ``<PER>Ada, Bo</PER>``, outside of the text of the sample."""
    if context.sample is None or answer.marked is None or context.has_sample(squeezed(answer.marked)):
        return answer
    answer = _without_places_of_list(answer, context)
    listed = [several_names(mention.text, context) for mention in answer.mentions]
    if all(len(names) == 1 and names[0].run is None for names in listed):
        return answer
    n_elements = Counter(mention.label for mention in answer.mentions)
    cut = [
        name.named(mention.label) if n_elements[mention.label] == 1 else Named(name.text, mention.label)
        for mention, names in zip(answer.mentions, listed, strict=True)
        for name in names
    ]
    order = Order.TYPE if len(cut) > len(listed) else answer.order
    return Answer(tuple(cut), answer.style, order)


_START = re.compile(r"<start:([^<>]{1,80})>", re.I)
_START_OR_END = re.compile(r"<start:(?P<label>[^<>]{1,80})>|</?end(?::[^<>]{1,80})?>", re.I)


def _with_usual_tags(region: str) -> str:
    """Return OpenNLP's marks, ``<START:PER> Ada <END>``, as elements."""
    waiting: list[str] = []

    def usual(tag: re.Match[str]) -> str:
        if tag["label"] is not None:
            waiting.append(tag["label"].strip())
            return f"<{waiting[-1]}>"
        return f"</{waiting.pop()}>" if waiting else tag[0]

    return _START_OR_END.sub(usual, region)


_MOST_ELEMENTS = 500
"""Elements among which those inside of others are looked for."""


def _names_in_types(region: str, marks: Sequence[Mark], context: Context) -> list[Named]:
    """Return the names of elements that lie in an element of their type: ``<PER><name>Ada</name></PER>``.

    There are none if an element of a type has any other text.
    """
    are_types = [mark.label is not None and context.types.find(mark.label) is not None for mark in marks]
    if not any(are_types):
        are_types = [mark.label is not None for mark in marks]
    names = sorted(mark for mark, is_type in zip(marks, are_types, strict=True) if not is_type)
    if not names or len(marks) > _MOST_ELEMENTS:
        return []
    mentions: list[Named] = []
    for outer in sorted(mark for mark, is_type in zip(marks, are_types, strict=True) if is_type):
        inside = [mark for mark in names if outer.begins <= mark.opens <= mark.closes <= outer.ends]
        length = len(squeezed(region[outer.begins : outer.ends]))
        if not inside or length != sum(len(squeezed(region[mark.opens : mark.closes])) for mark in inside):
            return []
        texts = (region[mark.begins : mark.ends].strip() for mark in inside)
        mentions += [Named(unescape(text), outer.label or "") for text in texts if text]
    return mentions


def _tag_parts(inner: str) -> tuple[str, dict[str, str]]:
    """Return the name of a tag, folded, and its attributes."""
    attributes = {match[1]: match[2] or match[3] or match[4] or "" for match in _ATTRIBUTE.finditer(inner)}
    name = re.split(r"\s", inner, maxsplit=1)[0] if attributes else inner
    return folded_type(name), attributes


def _label_in(attributes: Mapping[str, str], context: Context) -> str | None:
    """Return the type among attributes: one that there is, else the value of an attribute that has one."""
    for value in attributes.values():
        if context.types.find(value) is not None:
            return value
        known = [word for word in value.split() if context.types.find(word) is not None]
        if known:  # class="entity person"
            return known[0]
    ranked = [(rank, value) for key, value in attributes.items() if (rank := key_meaning(key).label_rank) is not None]
    return min(ranked)[1] if ranked and min(ranked)[1] else None


def _surface_in(attributes: Mapping[str, str], context: Context) -> str | None:
    """Return the name among attributes."""
    for key, value in attributes.items():
        if value and key_meaning(key).surface_rank is not None and context.types.find(value) is None:
            return value
    return None


def _tag_label(inner: str, name: str, attributes: Mapping[str, str], context: Context) -> str | None:
    """Return the type that a tag gives to what it encloses; None for a tag that only wraps."""
    if attributes:
        label = _label_in(attributes, context)
        inner = re.split(r"\s", inner, maxsplit=1)[0]
        is_known = label is not None and context.types.find(label) is not None
        if label is not None and (is_known or context.types.find(inner) is None):
            return label
    if context.types.find(inner) is not None:
        return inner
    if name in _WRAPPING_TAGS:
        return None
    if name in ("entity", "ent", "ner", "name", "mark", "span", "ne", "mention"):
        return context.only_label
    return inner


def _described_elements(region: str, marks: Sequence[Mark], context: Context) -> list[Named]:
    """Return the mentions of elements in pairs: ``<entity><text>Ada</text><type>PER</type></entity>``."""
    surfaces, labels = [], []
    for mark in sorted(marks):
        key = region[mark.opens : mark.begins]
        text = region[mark.begins : mark.ends].strip()
        if context.types.find(key) is not None or "<" in text:
            continue
        meaning = key_meaning(key)
        if meaning.label_rank is not None and meaning.surface_rank is None:
            labels.append(text)
        elif meaning.surface_rank is not None:
            surfaces.append(text)
    if not labels or len(labels) != len(surfaces):
        return []
    return [Named(unescape(name), label) for name, label in zip(surfaces, labels, strict=True)]


def _sure_marks(region: str, marks: Sequence[Mark], style: Style, context: Context) -> Answer | None:
    """Return what marks enclose, if one of their types is known, or the text without them is the sample's.

    Marks of types that there are not may belong to the text, as a link does: they do if it is the sample's so.
    """
    with_types = [mark for mark in marks if mark.label is not None]
    known_marks = [mark for mark in with_types if context.types.find(mark.label) is not None]
    if context.sample is not None and 0 < len(known_marks) < len(marks):
        answer = unmarked(region, known_marks, style)
        if answer is not None and answer.marked is not None and context.has_sample(squeezed(answer.marked)):
            return answer
    answer = unmarked(region, marks, style)
    if answer is None or not answer.mentions:
        return None
    assert answer.marked is not None
    if "&" in region and context.sample is not None and not context.has_sample(squeezed(answer.marked)):
        unescaped = unmarked(region, marks, style, escaped=True)
        if unescaped is not None and unescaped.marked and context.has_sample(squeezed(unescaped.marked)):
            return unescaped
    known = any(context.types.find(named.label) is not None for named in answer.mentions)
    if known or not context.types or context.in_text(answer.marked):
        return answer
    inside = context.sample is not None and context.has_sample(squeezed(answer.marked))
    return answer if inside or all(context.in_text(named.text) for named in answer.mentions) else None


_BRACKET = re.compile(
    r"(?P<open>\[)"
    r"|(?P<link>\]\s?[({<](?P<of_link>[^()\[\]{}<>\n]{1,80})[)}>])"
    r"|(?P<second>\]\[(?P<of_second>[^()\[\]{}<>\n]{1,80})\])"
    r"|(?P<bar>(?:(?<!\s)\s+)?\|\s*(?P<of_bar>[^\[\]|\n]{1,80})\])"
    r"|(?P<close>\])"
)


_SQUARE_TAG = re.compile(r"\[(/?)([^\[\]/]{1,80})\]")


def _as_element(tag: re.Match[str], context: Context) -> str:
    """Return ``[PER]`` or ``[/PER]`` as a tag of XML, if it names a type; else as it is."""
    return f"<{tag[1]}{tag[2].strip()}>" if context.types.find(tag[2]) is not None else tag[0]


def read_brackets(region: str, context: Context) -> Answer | None:
    """Read ``[Ada](PER) spoke`` and ``[Ada | PER] spoke``, also nested; ``**Ada** (PER) spoke``."""
    if "**" in region:
        bold = _read_bold(region, context)
        if bold is not None:
            return bold
    if "[" not in region:
        return None
    if "[/" in region:
        elements = read_xml(_SQUARE_TAG.sub(lambda tag: _as_element(tag, context), region), context)
        if elements is not None:
            return elements._replace(style=Style.BRACKETS)
    fallback: Answer | None = None
    for balanced in (True, False):
        marks = _bracket_marks(region, context, balanced=balanced)
        answer = _sure_marks(region, marks, Style.BRACKETS, context) if marks else None
        if answer is None or answer.marked is None:
            continue
        if context.sample is None or context.has_sample(squeezed(answer.marked)):
            return answer
        fallback = fallback or answer
    return None if fallback is None else _without_places_of_list(fallback, context)


_BOLD = re.compile(r"\*\*(?P<name>(?:(?!\*\*)[^\n])+)\*\*\s?[(\[](?P<label>[^()\[\]\n]{1,80})[)\]]")


def _read_bold(region: str, context: Context) -> Answer | None:
    """Read bold names with their types in the text of the sample, ``**Ada** (PER) spoke``; None for any other text."""
    marks = [
        Mark(sign.start(), sign.start("name"), sign.end("name"), sign.end(), sign["label"])
        for sign in _BOLD.finditer(region)
        if context.types.find(sign["label"]) is not None
    ]
    answer = unmarked(region, marks, Style.BRACKETS) if marks else None
    if answer is None or answer.marked is None or not context.has_sample(squeezed(answer.marked)):
        return None
    return answer


def has_typed_brackets(region: str, context: Context) -> bool:
    """Return whether one of the brackets of a text has a known type."""
    if not any(sign in region for sign in ("](", "|", "] (", "]{", "][")):
        return False
    labels = (sign["of_link"] or sign["of_bar"] or sign["of_second"] for sign in _BRACKET.finditer(region))
    return any(context.types.find(label) is not None for label in labels)


def _bracket_marks(region: str, context: Context, *, balanced: bool) -> list[Mark]:
    """Return the brackets that have a type. ``balanced``: a pair without one that lies inside belongs to the text."""
    marks: list[Mark] = []
    waiting: list[re.Match[str]] = []
    for sign in _BRACKET.finditer(region):
        if sign["open"]:
            waiting.append(sign)
            continue
        if not waiting:
            continue
        label = sign["of_link"] or sign["of_bar"] or sign["of_second"]
        with_colon = None
        if not sign["bar"] and context.types.find(label) is None:
            with_colon = _with_colon(region, waiting[-1], sign.start(), context)
        if with_colon is not None:
            marks.append(with_colon)
            waiting.pop()
            continue
        if sign["close"] or (sign["second"] and context.types.find(label) is None):
            if balanced:
                waiting.pop()
            continue
        begun = waiting.pop()
        if "://" in label:
            continue  # a link of the text
        begins, ends = begun.end(), sign.start()
        if sign["bar"] and context.types.find(label) is None:
            first = region[begins:ends]
            if context.types.find(first) is not None:  # [PER | Ada]
                at = sign.start("of_bar")
                marks.append(Mark(begun.start(), at, sign.end("of_bar"), sign.end(), first.strip()))
                continue
        marks.append(Mark(begun.start(), begins, ends, sign.end(), label.strip()))
    return marks


def _with_colon(region: str, begun: re.Match[str], ends: int, context: Context) -> Mark | None:
    """Return brackets whose type stands inside them without a bar: ``[Ada: PER]``, ``[PER: Ada]``, ``[Ada/PER]``."""
    inside = region[begun.end() : ends]
    first = inside.lstrip()[:1]
    if first == "{" or (first in ('"', "'") and inside.count(first) % 2 == 0):
        return None  # JSON; a quote without its closing one belongs to a name: ['Donnell/PER]
    colon = "::" if "::" in inside else ":"
    label, _, name = inside.partition(colon)
    if (
        colon in inside
        and context.types.find(label) is not None
        and name.strip()
        and not _is_swapped(label, name, context)
    ):
        return Mark(begun.start(), ends - len(name.lstrip()), ends, ends + 1, label.strip())
    for sign in (colon, "/"):
        name, _, label = inside.rpartition(sign)
        if context.types.find(label) is not None and name.strip():
            return Mark(begun.start(), begun.end(), begun.end() + len(name.rstrip()), ends + 1, label.strip())
    return None


def _is_swapped(label: str, name: str, context: Context) -> bool:
    """Return whether type and name are swapped; of two types, ``[disease: Disease]``, the exact one is the type."""
    if context.types.find(name) is None or not context.in_text(label):
        return False
    return label.strip() not in context.types.names or name.strip() in context.types.names


_MARKER = re.compile(r"(?P<open>@@)|(?P<close>##(?!#(?!#)))")
"""Of three signs the outer two are the marker: ``@@@ada##`` is a user name, ``@@C###`` a language."""


def read_markers(region: str, context: Context) -> Answer | None:
    """Read ``@@Ada## spoke``, in an answer to one type; ``@@Ada##(PER)`` and ``@@Ada|PER##`` in one to several."""
    if "@@" not in region or "##" not in region:
        return None
    return _markers_of_types(region, context) or _markers(region, context)


def _markers_of_types(region: str, context: Context) -> Answer | None:
    """Read the text of the sample once for each type, ``PER: @@Ada## spoke``; None for any other text."""
    parts = [line.partition(":") for line in region.split("\n") if line.strip()]
    lines = [part for part in parts if context.types.find_several(part[0]) is not None]
    labels = [context.types.find_several(label) for label, _, _ in lines]
    is_marked_elsewhere = sum("@@" in text for _, _, text in lines) < sum("@@" in "".join(part) for part in parts)
    if not lines or is_marked_elsewhere or len(set(labels)) < len(labels):
        return None
    mentions: list[Named] = []
    texts: set[str] = set()
    for label, (_, _, text) in zip(labels, lines, strict=True):
        answer = _markers(text.strip(), replace(context, label=label))
        if answer is not None and answer.marked is not None:
            mentions += answer.mentions
            texts.add(answer.marked)
        elif not context.is_sample(text) and not context.is_none(text):
            return None
    if len(texts) != 1:
        return None
    mentions.sort(key=lambda mention: (mention.start or 0, -(mention.end or 0)))
    return Answer(tuple(mentions), Style.MARKERS, Order.TEXT, texts.pop())


def _markers(region: str, context: Context) -> Answer | None:
    """Return what the markers of a text enclose."""
    marks: list[Mark] = []
    waiting: list[re.Match[str]] = []
    for sign in _MARKER.finditer(region):
        if sign["open"]:
            waiting.append(sign)
        elif waiting:
            mark = _marker(region, waiting.pop(), sign, context)
            if mark is not None:
                marks.append(mark)
    return unmarked(region, marks, Style.MARKERS) if marks else None


_TYPE_BEHIND = re.compile(r"\s?[(\[{<]([^()\[\]{}<>\n]{1,80})[)\]}>]|([\w-]{1,80})")


def _marker(region: str, begun: re.Match[str], ended: re.Match[str], context: Context) -> Mark | None:
    """Return a pair of markers with its type: the one behind it, the one inside it, or the only one."""
    behind = _TYPE_BEHIND.match(region, ended.end())
    if behind is not None:
        label = behind[1] or behind[2]
        if context.types.find(label) is not None:
            return Mark(begun.start(), begun.end(), ended.start(), behind.end(), label)
    inside = region[begun.end() : ended.start()]
    for sign in ("|", ":"):
        name, separator, label = inside.rpartition(sign)
        if separator and context.types.find(label) is not None:
            return Mark(begun.start(), begun.end(), begun.end() + len(name.rstrip()), ended.end(), label.strip())
        label, separator, name = inside.partition(sign)
        if separator and context.types.find(label) is not None:
            return Mark(begun.start(), ended.start() - len(name.lstrip()), ended.start(), ended.end(), label.strip())
    if context.only_label is None:
        return None
    return Mark(begun.start(), begun.end(), ended.start(), ended.end(), context.only_label)


# --- the text of the sample, with marks ---------------------------------------------------------------

_MARKS = ("</", "[/", "](", "|", "] (", "]{", "][", "##", "**", "<start:", "<START:", "<Start:")
_TYPE_LAST = re.compile(r"[:/][^\[\]{}\"\n,]{1,80}\]")
_TYPE_FIRST = re.compile(r"\[\s?([^\[\]{}\":\n]{1,80}):")


def _may_have_marks(region: str, context: Context) -> bool:
    """Return whether a text has one of the signs without which there are no marks."""
    if any(sign in region for sign in _MARKS) or _TYPE_LAST.search(region) is not None:
        return True
    return any(context.types.find(sign[1]) is not None for sign in _TYPE_FIRST.finditer(region))


def read_marked_sample(region: str, context: Context) -> Answer | None:
    """Read the text of the sample with marks in it, whatever else its brackets and signs look like.

    That the text without its marks is the sample's cannot be chance, so that no other reading is looked for.
    """
    if context.sample is None:
        return None
    if _may_have_marks(region, context):
        for reader in (read_markers, read_xml, read_brackets):
            answer = of_sample(reader(region, context), context)
            if answer is not None:
                return answer
    for rewritten in _with_usual_brackets(region, context):
        answer = of_sample(read_brackets(rewritten, context), context)
        if answer is not None:
            return answer
    return None


def of_sample(answer: Answer | None, context: Context) -> Answer | None:
    """Return an answer if its text without the marks is the sample's and all of its types are known; else None."""
    if answer is None or answer.marked is None or not context.has_sample(squeezed(answer.marked)):
        return None
    are_known = all(context.types.find(mention.label) is not None for mention in answer.mentions)
    return answer if answer.mentions and are_known else None


_TYPE_IN_ANGLE = re.compile(r"<([^<>:/\s]{1,80}):([^<>\n]{1,400})>")
_TYPE_AND_SPACE = re.compile(r"\[([^\[\]{}\s]{1,80})\s+")


def _with_usual_brackets(region: str, context: Context) -> Iterator[str]:
    """Yield a text with brackets as they usually are: ``[[Ada|PER]]``, ``{Ada}(PER)``, ``<PER: Ada>`` are others."""
    if '":' in region:
        return  # JSON
    if "[[" in region:
        yield region.replace("[[", "[").replace("]]", "]")
    if "{" in region:
        yield region.replace("{", "[").replace("}", "]")
        yield region.replace("{{", "[").replace("}}", "]")
    if any(context.types.find(tag[1]) is not None for tag in _TYPE_IN_ANGLE.finditer(region)):
        yield _TYPE_IN_ANGLE.sub(lambda tag: f"[{tag[1]}:{tag[2]}]" if context.types.find(tag[1]) else tag[0], region)
    if any(context.types.find(tag[1]) is not None for tag in _TYPE_AND_SPACE.finditer(region)):
        yield _TYPE_AND_SPACE.sub(lambda tag: f"[{tag[1]}: " if context.types.find(tag[1]) else tag[0], region)
