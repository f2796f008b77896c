"""Answers of language models: the mentions that an answer names, in any of the forms in which models write them.

An answer has no offsets: it names mentions, and ``grounding`` finds where they stand. What is not understood is said to
be so, with a reason; it is never taken for an answer without mentions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from html import unescape
from typing import Any, NamedTuple

from .corpus import Mentions
from .exceptions import CleancutError, parse_choice
from .loose_json import Bare, Call, Found, Pairs, calls_in, strict_value, values_in
from .tags import prefix_letter, split_tag


class Style(StrEnum):
    """How an answer names its mentions."""

    AUTO = "auto"
    JSON = "json"
    BY_TYPE = "by-type"
    PAIRS = "pairs"
    XML = "xml"
    BRACKETS = "brackets"
    CODE = "code"
    LINES = "lines"
    MARKERS = "markers"


class Order(StrEnum):
    """What the order of an answer's mentions tells of their order in the text."""

    TEXT = "text"
    """They come as in the text."""
    TYPE = "type"
    """Those of one type do."""


class Named(NamedTuple):
    """A mention as an answer names it; with offsets where the answer gives some, which may be wrong."""

    text: str
    label: str
    start: int | None = None
    end: int | None = None


class Answer(NamedTuple):
    """What was understood of an answer."""

    mentions: tuple[Named, ...] = ()
    style: Style | None = None
    """The form that the mentions were found in; None where the answer has none."""
    order: Order = Order.TEXT
    marked: str | None = None
    """The text that the marks stood in, without them; the offsets of the mentions then count its characters."""
    unparsed: str | None = None
    """Why the answer was not understood; None where it was."""
    n_unread: int = 0
    """Items of an answer that were not understood, beside others that were."""
    is_cut: bool = False
    """Does the answer end too early, so that what was not complete is left out?"""

    @property
    def is_empty(self) -> bool:
        """Was the answer understood to name no mention?"""
        return self.unparsed is None and not self.mentions


def squeezed(text: str) -> str:
    """Return a text without its white space, so that texts that differ only in tokens compare equal.

    >>> squeezed("New York 's") == squeezed("New York's")
    True
    """
    return "".join(text.split())


# --- types --------------------------------------------------------------------------------------------


_WORD = re.compile(r"\w+|[^\w\s]")
_APART = re.compile(r"[\s_\-]+")


class KnownTypes:
    """The types that there are, found whatever their case and whatever stands between their words.

    >>> names = KnownTypes(["PER", "work_of_art"])
    >>> names.find("per"), names.find("Work of Art"), names.find("LOC")
    ('PER', 'work_of_art', None)
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = tuple(dict.fromkeys(names))
        self._exact = set(self.names)
        self._folded: dict[str, str] = {}
        for name in self.names:
            self._folded.setdefault(_folded_type(name), name)

    def __bool__(self) -> bool:
        return bool(self.names)

    def find(self, label: Any) -> str | None:
        """Return the type that a label names, or None."""
        if not isinstance(label, str):
            return None
        if label in self._exact:
            return label
        found = self._folded.get(_folded_type(label))
        if found is None and prefix_letter(label):  # B-PER, as taggers write it
            return self.find(split_tag(label)[1])
        return found


def _folded_type(label: str) -> str:
    return _APART.sub("", label.casefold().strip(" \t\n:*`\"'<>[](){}#"))


# --- reading one answer -------------------------------------------------------------------------------


def parse_answer(
    answer: Any,
    style: str = "auto",
    *,
    types: Iterable[str] | KnownTypes = (),
    label: str | None = None,
    tokens: Sequence[str] | str | None = None,
) -> Answer:
    """Return the mentions that an answer of a language model names.

    Args:
        answer: the raw text, or lists and dicts that were parsed from it already.
        style: the form that the answer is in; ``auto`` finds it.
        types: the types that there are, which tell a label from a name.
        label: the type that was asked for, where the answer is to one type only and names none.
        tokens: the tokens or the text of the sample, which tell a name from other words.

    Returns:
        The mentions in the order of the answer; or the reason why it was not understood.

    >>> parse_answer('Sure! [{"text": "Ada", "label": "PER"}]').mentions
    (Named(text='Ada', label='PER', start=None, end=None),)
    >>> parse_answer("There are no entities.").is_empty, parse_answer("Lorem ipsum").unparsed
    (True, 'no mention in any known form: Lorem ipsum')
    """
    chosen = parse_choice(Style, style, "answers")
    names = types if isinstance(types, KnownTypes) else KnownTypes(types)
    sample = None if tokens is None else squeezed(tokens if isinstance(tokens, str) else " ".join(tokens))
    n_tokens = None if tokens is None or isinstance(tokens, str) else len(tokens)
    words = frozenset(_WORD.findall(tokens) if isinstance(tokens, str) else tokens or ())
    context = _Context(names, label, sample, words, n_tokens)
    if answer is None:
        return Answer(unparsed="there is no answer")
    if not isinstance(answer, str):
        if not isinstance(answer, Mapping | Sequence):
            return Answer(unparsed=f"the answer is a {type(answer).__name__}, not a text")
        found = _from_values([Found(_plain(answer), 0, 0, False)], context)
        return found if found is not None else Answer(unparsed=_because("no mention in the items", str(answer)[:200]))
    return _parse_text(answer, chosen, context)


class _Context(NamedTuple):
    """What is known beside the answer."""

    types: KnownTypes
    label: str | None
    sample: str | None
    """The text of the sample, squeezed."""
    words: frozenset[str]
    n_tokens: int | None

    @property
    def only_label(self) -> str | None:
        """The type of mentions that come without one."""
        if self.label is not None:
            return self.label
        return self.types.names[0] if len(self.types.names) == 1 else None

    def is_sample(self, text: str) -> bool:
        """Is a text that of the sample, without any mark?"""
        return bool(self.sample) and self.sample in (squeezed(text), squeezed(unescape(text)))

    def is_none(self, text: str) -> bool:
        """Does a text stand for no mention? A word of the sample does not, such as ``NO``."""
        return _is_none(text) and text.strip() not in self.words

    def in_text(self, words: str) -> bool:
        """Do these words stand in the sample, as far as it is known?"""
        return self.sample is not None and bool(words) and squeezed(words) in self.sample


def _parse_text(answer: str, style: Style, context: _Context) -> Answer:
    said, why = _said(answer)
    if why is not None:
        return Answer(unparsed=why)
    if not said.strip():
        return Answer()
    readers = _READERS.values() if style is Style.AUTO else [_READERS[style]]
    empty: Answer | None = None
    for region in _regions(said):
        if context.is_sample(region):
            return Answer()  # the text without any mark is an answer too
        for reader in readers:
            found = reader(region, context)
            if found is None:
                continue
            is_alone = reader in (_read_tags, _read_json_alone)
            if is_alone or (found.mentions and (style is not Style.AUTO or _plausible(found.mentions, context))):
                return found
            if not found.mentions:
                empty = empty or found
    if empty is not None:
        return empty
    if _says_nothing(said):
        return Answer()
    if style is Style.AUTO:
        return Answer(unparsed=_because("no mention in any known form", said))
    return Answer(unparsed=_because(f"no mention in the form {style}", said))


def _because(reason: str, text: str) -> str:
    shown = " ".join(text[:300].split())
    return f"{reason}: {shown[:77]}..." if len(shown) > 80 else f"{reason}: {shown}"


# --- thinking, fences, prose --------------------------------------------------------------------------

_THINKING = ("think", "thinking", "thought", "reasoning", "reflection", "scratchpad", "analysis")
_FINAL = re.compile(r"(?:<\|channel\|>final<\|message\|>|\b(?:final answer|answer|output|result)\s*(?:is)?\s*:)", re.I)
_SPECIAL = re.compile(r"<\|[\w.-]{1,40}\|>|</?s>")


def _said(answer: str) -> tuple[str, str | None]:
    """Return an answer without its thinking section; or the reason why nothing is left."""
    text = answer.removeprefix("\ufeff")
    lowered = text.lower() if len(text.lower()) == len(text) else text
    for name in _THINKING:
        end = lowered.rfind(f"</{name}>")
        if end >= 0:
            text, lowered = text[end + len(name) + 3 :], lowered[end + len(name) + 3 :]
    for name in _THINKING:
        begin = lowered.find(f"<{name}>")
        if begin >= 0:  # it never ends
            text, lowered = text[:begin], lowered[:begin]
            if not text.strip():
                return "", _because("the answer ends inside its thinking section", answer)
    if "<|channel|>" in text:
        text = text.rpartition("<|channel|>final<|message|>")[2]
    return _SPECIAL.sub(" ", text), None


def _regions(said: str) -> Iterator[str]:
    """Yield the parts of an answer where its mentions may stand, the likeliest first; the whole comes last."""
    lowered = said.lower()
    begin = lowered.rfind("<answer>")
    if begin >= 0 and len(lowered) == len(said):
        end = lowered.find("</answer>", begin)
        yield said[begin + 8 : end if end >= 0 else None]
    blocks = said.split("```")
    for block in reversed(blocks[1::2]):
        first, newline, rest = block.partition("\n")
        # the word behind the fence is the language
        yield rest if newline and re.fullmatch(r"\s*[\w+.-]*\s*", first) else block
    finals = list(_FINAL.finditer(said))
    if finals:
        yield said[finals[-1].end() :]
    yield said


_NOTHING = re.compile(
    r"\bno\s+(?:\w+\s+){0,4}?(?:entit|mention|name|result|match|span|such|relevant|instance)"
    r"|\bnot\s+(?:any|contain|mention|include|find|found|present|applicable|have)"
    r"|\b(?:does|do|did|could|can|is|are)n[o']t\s+(?:any|contain|mention|include|find|see|identify|appear|have)"
    r"|\b(?:nothing|none|unlabeled)\b|\bthere (?:are|is) no\b|\bwithout (?:any )?(?:named )?entit",
    re.I,
)
_REFUSAL = re.compile(
    r"\b(?:sorry|apologi[sz]e|i (?:cannot|can't|can not|am unable|am not able|won't|will not|must decline|refuse)"
    r"|i['\u2019]m (?:unable|not able|sorry)|as an ai|unable to|cannot (?:assist|help|comply|process|fulfill))\b",
    re.I,
)
_LONGEST_REFUSAL = 1500
_BLANK = re.compile(r"[\s.\"'`/*#:_-]*(?:\[\s*\]|\{\s*\}|\(\s*\))?[\s.\"'`/*#:_-]*")


def _says_nothing(said: str) -> bool:
    """Does a text without mentions say that there are none, or that it will not answer?"""
    text = " ".join(said[: _LONGEST_REFUSAL + 1].split()).replace("\u2019", "'")
    if len(text) > _LONGEST_REFUSAL:
        return False
    if _BLANK.fullmatch(text):
        return True
    is_word = any(map(str.isalpha, text))
    return (is_word and _is_none(text)) or bool(_NOTHING.search(text)) or bool(_REFUSAL.search(text[:300]))


_NONE = {"none", "null", "nil", "n/a", "na", "empty", "nothing", "no", "no entities", "no entity", "not found", "-", ""}


def _is_none(text: str) -> bool:
    """Is it one of the words that stand for no mention?"""
    return text.strip(" .*`\"'[]{}()<>").lower() in _NONE


# --- JSON, Python literals, calls ---------------------------------------------------------------------

_SURFACES = (
    "text", "word", "mention", "surface", "surfaceform", "span", "spantext", "entitytext", "mentiontext", "entityname",
    "entitymention", "extractiontext", "phrase", "string", "substring", "quote", "value", "name", "token", "words",
    "tokens", "content", "entityvalue", "texts", "mentions", "names", "spans", "values", "entity", "entities", "term",
    "expression", "title", "instance", "instances",
)  # fmt: skip
_LABELS = (
    "label", "type", "entitytype", "entitylabel", "category", "class", "tag", "entitygroup", "nertag", "nerlabel",
    "nertype", "labels", "types", "kind", "enttype", "entlabel", "extractionclass", "group", "semantictype",
    "entityclass", "entitycategory", "typename", "classification", "role", "ner", "categories", "tags", "labelname",
    "entity",
)  # fmt: skip
_STARTS = ("start", "begin", "startoffset", "startindex", "startchar", "startpos", "charstart", "from", "startidx")
_ENDS = ("end", "stop", "endoffset", "endindex", "endchar", "endpos", "charend", "to", "endidx")
_OFFSETS = ("offsets", "offset", "position", "positions", "indices", "charinterval", "charspan")
_WRAPPERS = (
    "entities", "namedentities", "entitylist", "results", "result", "ner", "output", "outputs", "answer", "answers",
    "annotations", "spans", "mentions", "extractions", "data", "items", "predictions", "prediction", "labels",
    "extractedentities", "response", "list", "tags", "nerresult", "nertags", "recognizedentities", "entity",
    "properties", "arguments", "parameters",
)  # fmt: skip
_ASIDES = {
    "text", "sentence", "input", "inputtext", "tokens", "reasoning", "explanation", "rationale", "thought", "thoughts",
    "notes", "note", "comment", "confidence", "score", "id", "language", "summary", "context", "analysis", "document",
}  # fmt: skip
_ANY_CALL = {
    "entity", "namedentity", "ent", "extraction", "mention", "span", "dict", "list", "tuple", "set", "print", "append",
    "annotation", "item", "add", "extend", "result", "entities", "json", "loads",
}  # fmt: skip


def _plain_key(key: str) -> str:
    return re.sub(r"[\W_]+", "", str(key).casefold())


def _plain(value: Any) -> Any:
    """Return parsed JSON with objects as pairs."""
    if isinstance(value, Mapping):
        return Pairs((str(key), _plain(inner)) for key, inner in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(inner) for inner in value]
    return value


class _Reading:
    """Finds the mentions in parsed values; None where a value is not understood, a list of mentions where it is."""

    def __init__(self, context: _Context) -> None:
        self._context, self._types = context, context.types
        self.is_by_type = False
        self.is_code = False
        self.is_pairs = False
        self.n_unread = 0

    def mentions(self, value: Any, label: str | None, *, inner: bool = False) -> list[Named] | None:
        """Return the mentions of a value, which are of type ``label`` where they name none themselves."""
        if value is None:
            return []
        if isinstance(value, str):
            return self._string(value, label)
        if isinstance(value, Call):
            return self._call(value, label)
        if isinstance(value, Pairs):
            return self._object(value, label)
        if isinstance(value, list):
            return self._list(value, label, inner=inner)
        return None

    def _string(self, text: str, label: str | None) -> list[Named] | None:
        if self._context.is_none(text):
            return []
        if label is not None:
            return [Named(text, label)]
        found = _pair_in(text, self._context, sure=not isinstance(text, Bare))
        return None if found is None else [found]

    def _list(self, items: list[Any], label: str | None, *, inner: bool) -> list[Named] | None:
        if not items:
            return []
        if tags := self._tags(items):
            return tags
        pair = None if label is not None else self.pair(items, inner=inner)
        if pair is not None:
            self.is_pairs = True
            return [pair]
        found: list[Named] = []
        understood = n_unread = 0
        is_nested = any(isinstance(item, list | Call) for item in items)
        for item in items:
            mentions = self.mentions(item, label, inner=is_nested)
            if mentions is None:
                n_unread += 1
                continue
            understood += 1
            found += mentions
        if not understood:
            return None
        self.n_unread += n_unread
        return found

    def _tags(self, items: list[Any]) -> list[Named] | None:
        """A tag for each token of the sample."""
        if len(items) != self._context.n_tokens or not all(isinstance(item, str) for item in items):
            return None
        if not all(item == "O" or (prefix_letter(item) and self._types.find(item)) for item in items):
            return None
        spans = Mentions.of([[str(item) for item in items]]).spans()[0]
        return [Named("", span["label"], span["start"], span["end"]) for span in spans]

    def pair(self, items: list[Any], *, inner: bool) -> Named | None:
        """A name and its type, perhaps with offsets or a score: ``["Ada", "PER"]``."""
        words = [item for item in items if isinstance(item, str)]
        numbers = [item for item in items if isinstance(item, int | float) and not isinstance(item, bool)]
        if len(words) + len(numbers) != len(items) or not words or len(words) > 2 or len(numbers) > 3:
            return None
        whole = [number for number in numbers if isinstance(number, int)]
        start, end = (whole[0], whole[1]) if len(whole) >= 2 else (None, None)
        if len(words) == 1:
            has_type = self._types.find(words[0]) is not None or not self._types
            return Named("", words[0], start, end) if inner and start is not None and has_type else None
        if not inner and self._types.find(words[0]) is None and self._types.find(words[1]) is None:
            return None  # two names
        name, label = self._name_and_label(*words)
        return Named(name, label, start, end)

    def _name_and_label(self, first: str, second: str) -> tuple[str, str]:
        """Tell a name from its type: the type is known, or the name stands in the text; else the name comes first."""
        known = self._types.find(first) is not None, self._types.find(second) is not None
        if known[0] != known[1]:
            return (second, first) if known[0] else (first, second)
        here = self._context.in_text(first), self._context.in_text(second)
        return (second, first) if here == (False, True) else (first, second)

    def _call(self, call: Call, label: str | None) -> list[Named] | None:
        """``Person(span="Ada")``, ``Person("Ada", "Bo")``, ``Entity(text="Ada", label="PER")``."""
        self.is_code = True
        arguments = call.arguments
        if _plain_key(call.name) in _ANY_CALL and self._types.find(call.name) is None:
            if not isinstance(arguments, Pairs):
                pair = self.pair(arguments, inner=True)
                if pair is not None:
                    return [pair]
            return self.mentions(arguments, label)
        if isinstance(arguments, Pairs):
            return self._object(arguments, call.name)
        positional = [item for item in arguments if not isinstance(item, Pairs)]
        if positional:  # what follows the name is a remark
            first = positional[0]
            return self._list(first, call.name, inner=False) if isinstance(first, list) else self._one(first, call.name)
        return self.mentions(arguments[0], call.name) if arguments else []

    def _one(self, value: Any, label: str) -> list[Named] | None:
        return self._string(value, label) if isinstance(value, str) else self.mentions(value, label)

    def _object(self, pairs: Pairs, label: str | None) -> list[Named] | None:
        fields: dict[str, Any] = {}
        for key, value in pairs:
            fields.setdefault(_plain_key(key), value)
        label_key = next((key for key in _LABELS if _is_word(fields.get(key))), None)
        surface_key = next((key for key in _SURFACES if key != label_key and _is_text(fields.get(key))), None)
        if label_key == "entity" and surface_key is None:  # a name under this key, and its type under none
            label_key, surface_key = None, "entity"
        start, end = _offsets(fields)
        if label_key is not None and (surface_key is not None or start is not None):
            return self._described(fields, surface_key, label_key, start, end)
        if label is not None and surface_key is not None and not self._has_types(pairs):
            return self._group(fields[surface_key], label, start, end)
        if label is not None and start is not None:
            return [Named("", label, start, end)]
        if not self._has_types(pairs):
            for key in _WRAPPERS:
                if isinstance(fields.get(key), list) or (key in fields and _is_json(fields[key])):
                    return self.mentions(_unpacked(fields[key]), label)
        return self._by_key(pairs, label)

    def _described(
        self, fields: Mapping[str, Any], surface_key: str | None, label_key: str, start: int | None, end: int | None
    ) -> list[Named] | None:
        """An object that says both what is a mention and which type it has."""
        labels = fields[label_key] if isinstance(fields[label_key], list) else [fields[label_key]]
        surface = fields[surface_key] if surface_key is not None else ""
        found: list[Named] = []
        for label in labels:
            if not isinstance(label, str):
                return None
            if isinstance(surface, str):
                if surface_key is not None and self._context.is_none(surface):
                    continue
                name, of_type = self._name_and_label(surface, label) if surface else ("", label)
                found.append(Named(name, of_type, start, end))
            else:
                found += self._group(surface, label, None, None) or []
        return found

    def _has_types(self, pairs: Pairs) -> bool:
        """Is a key of the object one of the types?"""
        return any(self._types.find(key) is not None for key, _ in pairs)

    def _group(self, value: Any, label: str, start: int | None, end: int | None) -> list[Named] | None:
        """The mentions of one type: a name, names, or objects that have them."""
        if isinstance(value, str):
            if self._context.is_none(value):
                return []
            parts = re.split(r"\s*[;,]\s*", value)
            if len(parts) > 1 and not self._context.in_text(value) and all(map(self._context.in_text, parts)):
                self.is_by_type = True
                return [Named(part, label) for part in parts]
            return [Named(value, label, start, end)]
        if isinstance(value, Pairs):
            found = self._object(value, label) if _is_described(value) else None
            if found is None:  # names as keys, with remarks
                found = [Named(key, label) for key, _ in value]
            self.is_by_type = True
            return found
        if isinstance(value, list):
            self.is_by_type = True
            return self._list(value, label, inner=False)
        return [] if value is None else None

    def _by_key(self, pairs: Pairs, label: str | None) -> list[Named] | None:
        """Types with their names, ``{"PER": ["Ada"]}``; or names with their types, ``{"Ada": "PER"}``."""
        if not pairs:
            return []
        by_name = self._are_names(pairs)
        found: list[Named] = []
        understood = 0
        several = len(pairs) > 1
        for key, value in pairs:
            known = self._types.find(key) is not None
            aside = _plain_key(key) in _ASIDES or key.endswith("_attributes")
            if aside and not known and not (by_name and self._context.in_text(key)):
                continue
            mentions: list[Named] | None
            if by_name:
                labels = value if isinstance(value, list) else [value]
                mentions = [Named(key, one) for one in labels if isinstance(one, str)]
            elif isinstance(value, str | list | Pairs) or value is None:
                was = self.is_by_type
                mentions = self._group(value, key, None, None)
                self.is_by_type = self.is_by_type or was or several
            else:
                mentions = None
            if mentions is None:
                self.n_unread += 1
                continue
            understood += 1
            found += mentions
        return found if understood else None

    def _are_names(self, pairs: Pairs) -> bool:
        """Are the keys names, and the values their types?"""
        votes = 0
        for key, value in pairs:
            if isinstance(value, list) and len(value) == 1:
                value = value[0]
            if not isinstance(value, str):
                votes -= isinstance(value, list | Pairs)
                continue
            known = self._types.find(value) is not None, self._types.find(key) is not None
            if known[0] != known[1]:
                votes += 4 if known[0] else -4
            elif not any(known):
                here = self._context.in_text(key), self._context.in_text(value)
                votes += here[0] - here[1]
        return votes > 0


def _is_word(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, str) for item in value)
    return isinstance(value, str) and bool(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list)
        and not isinstance(value, Pairs)
        and all(isinstance(item, str | Pairs) for item in value)
    )


def _is_described(pairs: Pairs) -> bool:
    return any(_plain_key(key) in _SURFACES and isinstance(value, str | list) for key, value in pairs)


def _is_json(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip()[:1] in ("[", "{")


def _unpacked(value: Any) -> Any:
    """Return a value; one that is JSON inside a string is read."""
    if not isinstance(value, str):
        return value
    found = values_in(value)
    return found[0].value if found else value


def _offsets(fields: Mapping[str, Any]) -> tuple[int | None, int | None]:
    start = next((fields[key] for key in _STARTS if _is_offset(fields.get(key))), None)
    end = next((fields[key] for key in _ENDS if _is_offset(fields.get(key))), None)
    if start is None or end is None:
        both: list[Any] = next((fields[key] for key in _OFFSETS if isinstance(fields.get(key), list)), [])
        if len(both) == 1 and isinstance(both[0], list):
            both = both[0]
        if len(both) == 2 and all(map(_is_offset, both)):
            return both[0], both[1]
        return None, None
    return int(start), int(end)


def _is_offset(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31


def _from_values(found: Sequence[Found], context: _Context) -> Answer | None:
    """Return the answer that some values are; None where none of them is understood."""
    reading = _Reading(context)
    answers: list[tuple[list[Named], Found]] = []
    for one in found:
        mentions = reading.mentions(one.value, context.label)
        if mentions is None and context.only_label is not None:
            mentions = reading.mentions(one.value, context.only_label)
        if mentions is not None:
            answers.append((mentions, one))
    if not answers:
        return None
    objects = [mentions for mentions, one in answers if isinstance(one.value, Pairs | Call)]
    if len(objects) == len(answers) or all(len(mentions) <= 1 for mentions, _ in answers):
        mentions = [mention for some, _ in answers for mention in some]  # an object, or a pair, for each mention
    else:
        mentions = next((some for some, _ in reversed(answers) if some), [])  # the last word counts
    if not mentions and any(one.cut for _, one in answers):
        return None  # it ends before a mention is complete
    style = Style.CODE if reading.is_code else Style.BY_TYPE if reading.is_by_type else Style.JSON
    if style is Style.JSON and reading.is_pairs:
        style = Style.PAIRS
    return Answer(
        tuple(mention for mention in mentions if mention.text.strip() or mention.start is not None),
        style if mentions else None,
        Order.TYPE if reading.is_by_type else Order.TEXT,
        n_unread=reading.n_unread,
        is_cut=any(one.cut for _, one in answers),
    )


_JSON_BEGIN = re.compile(r"\s*(?:\[\s*[\[({\"'\u201c\]]|\{\s*[\"'\u201c}]|\[\s*\w+\()")


def _read_json_alone(region: str, context: _Context) -> Answer | None:
    """An answer that is JSON, or nearly so, from its first letter on."""
    if not _JSON_BEGIN.match(region):
        return None
    if not region.lstrip().startswith("{") and _has_typed_brackets(region, context):
        return _strict_json(region, context)  # [[Ada](PER) Prize](MISC) begins as a list does
    return _read_json(region, context)


def _strict_json(region: str, context: _Context) -> Answer | None:
    """An answer that is JSON and nothing else."""
    stripped = region.strip()
    if stripped[:1] not in ("[", "{"):
        return None
    try:
        value = strict_value(stripped)
    except ValueError:
        return None
    return _from_values([Found(value, 0, len(stripped), False)], context)


def _read_json(region: str, context: _Context) -> Answer | None:
    """JSON, or Python's lists and tuples, alone or inside prose."""
    found = _strict_json(region, context)
    if found is not None or not any(bracket in region for bracket in "[{"):
        return found
    return _from_values(values_in(region), context)


def _read_pairs(region: str, context: _Context) -> Answer | None:
    """``("Ada", "PER"), ("Oslo", "LOC")``, in a list or not, with quotes or without."""
    found = _read_json(region, context)
    if found is not None and found.mentions:
        return found
    pairs = [one for one in values_in(region, "(") if isinstance(one.value, list) and len(one.value) >= 2]
    if not pairs:
        return found
    quoted = [one for one in pairs if not any(isinstance(item, Bare) for item in one.value)]
    of_list = [Found([one.value for one in (quoted or pairs)], 0, 0, False)]
    parsed = _from_values(of_list, context)
    if parsed is None or not parsed.mentions:
        return found
    known = [mention for mention in parsed.mentions if context.types.find(mention.label)]
    if not quoted:  # words in brackets are prose, unless the type is one that there is
        parsed = parsed._replace(mentions=tuple(known))
    return parsed._replace(style=Style.PAIRS) if parsed.mentions else found


def _read_code(region: str, context: _Context) -> Answer | None:
    """``Person(span="Ada")``, in a list or not."""
    if "(" not in region:
        return None
    calls = calls_in(region)
    if not calls:
        return None
    found = _from_values(calls, context)
    if found is None or (found.mentions and not _plausible(found.mentions, context)):
        return None
    return found


def _plausible(mentions: Iterable[Named], context: _Context) -> bool:
    """Has one of the mentions a type that there is, or a name that stands in the text?"""
    if not context.types and context.sample is None:
        return True
    return any(context.types.find(named.label) or context.in_text(named.text) for named in mentions)


# --- marks inside the text ----------------------------------------------------------------------------


class _Mark(NamedTuple):
    """A mention between two marks: where the opening one begins and ends, and where the closing one does."""

    opens: int
    begins: int
    ends: int
    closes: int
    label: str | None
    """None where the marks are of no mention: they are only taken out."""


def _unmarked(region: str, marks: Sequence[_Mark], style: Style, *, escaped: bool = False) -> Answer | None:
    """Return the mentions between marks, with their offsets in the text without the marks."""
    gaps = sorted([(mark.opens, mark.begins) for mark in marks] + [(mark.ends, mark.closes) for mark in marks])
    parts: list[str] = []
    at = length = 0
    moved: dict[int, int] = {}
    for begin, end in gaps:
        if begin < at:
            return None  # marks that lie in one another
        parts.append(unescape(region[at:begin]) if escaped else region[at:begin])
        length += len(parts[-1])
        moved[begin] = moved[end] = length
        at = end
    parts.append(unescape(region[at:]) if escaped else region[at:])
    plain = "".join(parts)
    ordered = sorted(marks, key=lambda mark: (mark.begins, -mark.ends))
    named = []
    for mark in ordered:
        if mark.label is None:
            continue
        start, end = moved[mark.begins], moved[mark.ends]
        if plain[start:end].strip():
            named.append(Named(plain[start:end], mark.label, start, end))
    return Answer(tuple(named), style if named else None, Order.TEXT, plain)


_TAG = re.compile(r"<(/?)([^\W\d][^<>]{0,200})>")
_ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_WRAPPING_TAGS = {
    "answer", "output", "text", "sentence", "result", "results", "response", "p", "br", "html", "body", "div", "doc",
    "document", "entities", "b", "i", "em", "strong", "u", "ul", "li", "ol", "final", "annotated", "tagged", "xml",
    "root", "s", "pre", "code", "table", "tr", "td", "think", "input", "paragraph", "annotatedtext",
}  # fmt: skip


def _read_xml(region: str, context: _Context) -> Answer | None:
    """``<PER>Ada</PER> spoke``, ``<entity type="PER">Ada</entity>``, also nested; or a list of such elements."""
    if "<" not in region:
        return None
    marks: list[_Mark] = []
    alone: list[Named] = []
    open_tags: dict[str, list[tuple[re.Match[str], str | None]]] = {}
    for tag in _TAG.finditer(region):
        inner = tag[2].strip()
        is_alone = inner.endswith("/")
        name, attributes = _tag_parts(inner.rstrip("/ "))
        if is_alone or (not tag[1] and _surface_in(attributes)):
            label, surface = _label_in(attributes, context), _surface_in(attributes)
            if label and surface:
                alone.append(Named(unescape(surface), label))
            continue
        if not tag[1]:
            open_tags.setdefault(name, []).append((tag, _tag_label(inner, name, attributes, context)))
            continue
        waiting = open_tags.get(name) or open_tags.get("")
        if waiting:
            begun, label = waiting.pop()
            marks.append(_Mark(begun.start(), begun.end(), tag.start(), tag.end(), label))
    if alone:
        return Answer(tuple(alone), Style.XML)
    described = _described_elements(region, marks, context)
    if described:
        return Answer(tuple(described), Style.XML)
    if not any(mark.label for mark in marks):
        return None
    return _sure_marks(region, marks, Style.XML, context)


def _tag_parts(inner: str) -> tuple[str, dict[str, str]]:
    """The name of a tag, folded, and its attributes."""
    attributes = {_plain_key(m[1]): m[2] or m[3] or m[4] or "" for m in _ATTRIBUTE.finditer(inner)}
    name = re.split(r"\s", inner, maxsplit=1)[0] if attributes else inner
    return _folded_type(name), attributes


def _label_in(attributes: Mapping[str, str], context: _Context) -> str | None:
    label = next((attributes[key] for key in _LABELS if attributes.get(key)), None)
    return label or next((value for value in attributes.values() if context.types.find(value)), None)


def _surface_in(attributes: Mapping[str, str]) -> str | None:
    return next((attributes[key] for key in _SURFACES if key != "entity" and attributes.get(key)), None)


def _tag_label(inner: str, name: str, attributes: Mapping[str, str], context: _Context) -> str | None:
    """The type that a tag gives to what it encloses; None for a tag that only wraps."""
    if attributes:
        label = _label_in(attributes, context)
        if label is not None:
            return label
        inner = re.split(r"\s", inner, maxsplit=1)[0]
    if context.types.find(inner) is not None:
        return inner
    if name in _WRAPPING_TAGS:
        return None
    if name in ("entity", "ent", "ner", "name", "mark", "span", "ne", "mention"):
        return context.only_label
    return inner


def _described_elements(region: str, marks: Sequence[_Mark], context: _Context) -> list[Named]:
    """``<entity><text>Ada</text><type>PER</type></entity>``: the elements in pairs."""
    surfaces, labels = [], []
    for mark in sorted(marks):
        key = _plain_key(region[mark.opens : mark.begins])
        text = region[mark.begins : mark.ends].strip()
        if context.types.find(key) is not None or "<" in text:
            continue
        if key in _LABELS and key != "entity":
            labels.append(text)
        elif key in _SURFACES:
            surfaces.append(text)
    if not labels or len(labels) != len(surfaces):
        return []
    return [Named(unescape(name), label) for name, label in zip(surfaces, labels, strict=True)]


def _sure_marks(region: str, marks: Sequence[_Mark], style: Style, context: _Context) -> Answer | None:
    """Return what marks enclose, if one of their types is known, or the text without them is the sample's.

    Marks of types that there are not may belong to the text, as a link does: they do if it is the sample's so.
    """
    known_marks = [mark for mark in marks if mark.label is not None and context.types.find(mark.label) is not None]
    if context.sample is not None and 0 < len(known_marks) < len(marks):
        found = _unmarked(region, known_marks, style)
        if found is not None and found.marked is not None and context.sample in squeezed(found.marked):
            return found
    found = _unmarked(region, marks, style)
    if found is None or not found.mentions:
        return None
    assert found.marked is not None
    if "&" in region and context.sample is not None and context.sample not in squeezed(found.marked):
        unescaped = _unmarked(region, marks, style, escaped=True)
        if unescaped is not None and unescaped.marked and context.sample in squeezed(unescaped.marked):
            return unescaped
    known = any(context.types.find(named.label) is not None for named in found.mentions)
    if known or not context.types or context.in_text(found.marked):
        return found
    inside = context.sample is not None and context.sample in squeezed(found.marked)
    return found if inside or all(context.in_text(named.text) for named in found.mentions) else None


_BRACKET = re.compile(
    r"(?P<open>\[)"
    r"|(?P<link>\]\s?[({<](?P<of_link>[^()\[\]{}<>\n]{1,80})[)}>])"
    r"|(?P<bar>\s*\|\s*(?P<of_bar>[^\[\]|\n]{1,80})\])"
    r"|(?P<close>\])"
)


def _read_brackets(region: str, context: _Context) -> Answer | None:
    """``[Ada](PER) spoke`` and ``[Ada | PER] spoke``, also nested."""
    if "](" not in region and "|" not in region and "] (" not in region and "]{" not in region:
        return None
    fallback: Answer | None = None
    for balanced in (True, False):
        marks = _bracket_marks(region, context, balanced=balanced)
        found = _sure_marks(region, marks, Style.BRACKETS, context) if marks else None
        if found is None or found.marked is None:
            continue
        if context.sample is None or context.sample in squeezed(found.marked):
            return found
        fallback = fallback or found
    return fallback


def _has_typed_brackets(region: str, context: _Context) -> bool:
    """Do brackets of the text have a type that there is?"""
    signs = _BRACKET.finditer(region)
    return any(context.types.find(sign["of_link"] or sign["of_bar"]) is not None for sign in signs)


def _bracket_marks(region: str, context: _Context, *, balanced: bool) -> list[_Mark]:
    """Brackets that have a type. ``balanced``: a pair without one that lies inside belongs to the text."""
    marks: list[_Mark] = []
    waiting: list[re.Match[str]] = []
    for sign in _BRACKET.finditer(region):
        if sign["open"]:
            waiting.append(sign)
            continue
        if not waiting:
            continue
        if sign["close"]:
            if balanced:
                waiting.pop()
            continue
        begun = waiting.pop()
        label = sign["of_link"] or sign["of_bar"]
        begins, ends = begun.end(), sign.start()
        if sign["bar"] and context.types.find(label) is None:
            first = region[begins:ends]
            if context.types.find(first) is not None:  # [PER | Ada]
                at = sign.start("of_bar")
                marks.append(_Mark(begun.start(), at, sign.end("of_bar"), sign.end(), first.strip()))
                continue
        marks.append(_Mark(begun.start(), begins, ends, sign.end(), label.strip()))
    return marks


_MARKER = re.compile(r"(?P<open>@@)|(?P<close>##)")


def _read_markers(region: str, context: _Context) -> Answer | None:
    """``@@Ada## spoke``, in an answer to one type; ``@@Ada##(PER)`` and ``@@Ada|PER##`` in one to several."""
    if "@@" not in region or "##" not in region:
        return None
    marks: list[_Mark] = []
    waiting: list[re.Match[str]] = []
    for sign in _MARKER.finditer(region):
        if sign["open"]:
            waiting.append(sign)
        elif waiting:
            mark = _marker(region, waiting.pop(), sign, context)
            if mark is not None:
                marks.append(mark)
    return _unmarked(region, marks, Style.MARKERS) if marks else None


_TYPE_BEHIND = re.compile(r"\s?[(\[{<]([^()\[\]{}<>\n]{1,80})[)\]}>]|([\w-]{1,80})")


def _marker(region: str, begun: re.Match[str], ended: re.Match[str], context: _Context) -> _Mark | None:
    """Return a pair of markers with its type: the one behind it, the one inside it, or the only one."""
    behind = _TYPE_BEHIND.match(region, ended.end())
    if behind is not None:
        label = behind[1] or behind[2]
        if context.types.find(label) is not None:
            return _Mark(begun.start(), begun.end(), ended.start(), behind.end(), label)
    inside = region[begun.end() : ended.start()]
    for sign in ("|", ":"):
        name, found, label = inside.rpartition(sign)
        if found and context.types.find(label) is not None:
            return _Mark(begun.start(), begun.end(), begun.end() + len(name.rstrip()), ended.end(), label.strip())
        label, found, name = inside.partition(sign)
        if found and context.types.find(label) is not None:
            return _Mark(begun.start(), ended.start() - len(name.lstrip()), ended.start(), ended.end(), label.strip())
    if context.only_label is None:
        return None
    return _Mark(begun.start(), begun.end(), ended.start(), ended.end(), context.only_label)


# --- lines, tables, bullets ---------------------------------------------------------------------------


def _read_lines(region: str, context: _Context) -> Answer | None:
    """``token TAG`` lines, Markdown tables, bullets, ``TYPE: name, name``."""
    lines = _lines(region)
    readers: tuple[Callable[[list[str], _Context], Answer | None], ...]
    readers = (_tag_lines, _slashed_tags, _table, _described_lines, _bullets)
    for read in readers:
        found = read(lines, context)
        if found is not None:
            return found
    return None


def _lines(region: str) -> list[str]:
    return [line.strip() for line in region.split("\n") if line.strip() and not line.lstrip().startswith("```")]


def _read_tags(region: str, context: _Context) -> Answer | None:
    """Nothing but lines of a token and its tag, whatever characters the tokens are."""
    lines = [line for line in _lines(region) if line != "O"]
    found = _tag_lines(lines, context)
    if found is not None and found.marked and found.marked.count(" ") + 1 >= 0.9 * len(lines):
        return found
    return _slashed_tags(lines, context)


_TAG_LINE = re.compile(r"(?:\d+[.)]?\s+)?(\S+?)(?:\s+|\s*[|:=\t]\s*|\s*->\s*)(\S+)\Z")


def _tag_lines(lines: list[str], context: _Context) -> Answer | None:
    """A token and its tag on each line."""
    pairs: list[tuple[str, str]] = []
    lines = [line for line in lines if line != "O"]  # the tag of a token that is not seen
    for line in lines:
        match = _TAG_LINE.match(line.strip("|").strip())
        if match and _is_tag(match[2], context):
            pairs.append((match[1], match[2]))
    return _tagged(pairs, context) if pairs and 2 * len(pairs) > len(lines) else None


def _is_tag(tag: str, context: _Context) -> bool:
    if tag == "O":
        return True
    if prefix_letter(tag):
        return not context.types or context.types.find(split_tag(tag)[1]) is not None or bool(split_tag(tag)[1])
    return False


_SLASHED = re.compile(r"(\S+)/(O|[A-Z]-[\w.-]+)\Z")


def _slashed_tags(lines: list[str], context: _Context) -> Answer | None:
    """``Ada/B-PER spoke/O``."""
    words = " ".join(lines).split()
    pairs = [(match[1], match[2]) for match in map(_SLASHED.match, words) if match and _is_tag(match[2], context)]
    return _tagged(pairs, context) if pairs and 2 * len(pairs) > len(words) else None


def _tagged(pairs: Sequence[tuple[str, str]], context: _Context) -> Answer | None:
    try:
        spans = Mentions.of([[tag for _, tag in pairs]]).spans()[0]
    except CleancutError:
        return None
    starts, at = [], 0
    for token, _ in pairs:
        starts.append(at)
        at += len(token) + 1
    text = " ".join(token for token, _ in pairs)
    named = []
    for span in spans:
        first, last = span["start"], span["end"] - 1
        start, end = starts[first], starts[last] + len(pairs[last][0])
        named.append(Named(text[start:end], span["label"], start, end))
    return Answer(tuple(named), Style.LINES if named else None, Order.TEXT, text)


def _table(lines: list[str], context: _Context) -> Answer | None:
    """A Markdown table with a column of names and one of types."""
    rows = [_cells(line) for line in lines if line.count("|") >= 1]
    rows = [row for row in rows if len(row) >= 2 and not all(re.fullmatch(r":?-*:?", cell) for cell in row)]
    if len(rows) < 1 or 2 * len(rows) < len(lines) - 2:
        return None
    keys = [_plain_key(cell) for cell in rows[0]]
    name_at = next((keys.index(key) for key in _SURFACES if key in keys), None)
    label_at = next((keys.index(key) for key in _LABELS if key in keys and keys.index(key) != name_at), None)
    has_header = name_at is not None and label_at is not None
    tags = [(row[0], row[1]) for row in rows[has_header:] if _is_tag(row[1], context)]
    if tags and len(tags) == len(rows) - has_header:
        return _tagged(tags, context)
    reading = _Reading(context)
    named = []
    for row in rows[has_header:]:
        if has_header and max(name_at or 0, label_at or 0) < len(row):
            name, label = row[name_at or 0], row[label_at or 0]
        else:
            words = [cell for cell in row if cell and not cell.isdigit()]
            pair = reading.pair(list(words[:2]), inner=True) if len(words) >= 2 else None
            name, label = (pair.text, pair.label) if pair is not None else ("", "")
        if name and label and not _is_none(label):
            named.append(Named(name, label))
    if named and not _plausible(named, context):
        return None
    if not named:
        return Answer() if has_header else None
    return Answer(tuple(named), Style.LINES)


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|").replace("\\|", "\0")
    return [cell.strip().strip("*`").strip().replace("\0", "|") for cell in inner.split("|")]


_FIELD = re.compile(r"(?:[-*+]\s+)?[\"']?([A-Za-z][\w ]{0,30}?)[\"']?\s*:\s+(.+)\Z")


def _described_lines(lines: list[str], context: _Context) -> Answer | None:
    """``text: Ada`` and ``label: PER`` on lines of their own, as YAML has them."""
    named: list[Named] = []
    name = label = None
    for line in lines:
        field = _FIELD.match(line)
        if field is None or context.types.find(field[1]) is not None:
            continue
        key = _plain_key(field[1])
        if key in _LABELS and key != "entity" and label is None:
            label = _unquoted(field[2])
        elif key in _SURFACES and name is None:
            name = _unquoted(field[2])
        if name is not None and label is not None:
            named.append(Named(name, label))
            name = label = None
    return Answer(tuple(named), Style.LINES) if named and _plausible(named, context) else None


_BULLET = re.compile(r"(?:[-*+\u2022\u2023\u25cf\u25e6\u2013\u2014]|\(?\d{1,5}[.)]|#{1,6})\s+")
_EMPHASIS = re.compile(r"(?<!\w)__([^_\n]+)__(?!\w)")
_INSIDE = re.compile(r"(.*\S)\s*[(\[<{]([^()\[\]<>{}]{1,80})[)\]>}]\s*[.,;]?\Z")
_SEPARATORS = ("\t", "->", "\u2192", "=>", "|", ":", " - ", " \u2013 ", " \u2014 ", "=", "/", ",")
_SURE_SEPARATORS = ("\t", "->", "\u2192", "=>", "|", ":", " - ", " \u2013 ", " \u2014 ")


def _bullets(lines: list[str], context: _Context) -> Answer | None:
    """A mention on each line, or a type with its mentions; headings give the type of the lines below."""
    named: list[Named] = []
    heading: str | None = None
    is_by_type = False
    nothing = 0
    starts = [context.types.find(line.partition(":")[0].lstrip("-* ")) for line in lines if ":" in line]
    known = [label for label in starts if label is not None]
    one_each = len(set(known)) < len(known)  # a type that comes again has one mention a line
    for line in lines:
        is_item = bool(_BULLET.match(line))
        body = _BULLET.sub("", line, count=1).strip() if is_item else line
        body = _EMPHASIS.sub(r"\1", body).replace("**", "").strip()
        label = context.types.find(body.rstrip(":").strip())
        if label is not None and not (heading and context.in_text(body)):
            heading = body.rstrip(":").strip()
            continue
        grouped = _typed_line(body, context, one_each=one_each)
        if grouped is not None:
            is_by_type = is_by_type or not one_each
            nothing += not grouped
            named += grouped
            heading = None
            continue
        pair = _pair_in(body, context, sure=is_item)
        if pair is not None:
            named.append(pair)
        elif is_item and (heading or context.label) is not None:
            if context.is_none(body):
                nothing += 1
                continue
            is_by_type = True
            named.append(Named(_unquoted(body), heading or context.label or ""))
        elif heading is not None and context.is_none(body):
            nothing += 1
    if not named:
        return Answer() if nothing else None
    return Answer(tuple(named), Style.LINES, Order.TYPE if is_by_type else Order.TEXT)


def _typed_line(body: str, context: _Context, *, one_each: bool) -> list[Named] | None:
    """``PER: Ada, Bo``: the mentions of a type that there is; None for any other line."""
    for sign in (":", " - ", "->", "=", "\t", "|"):
        label, found, rest = body.partition(sign)
        if not found or context.types.find(label) is None:
            continue
        if context.types.find(rest) is not None and context.in_text(label):
            return None  # a name that is also the name of a type
        rest = rest.strip()
        if context.is_none(rest):
            return []
        if rest[:1] in "[\"'" and any(quote in rest for quote in "\"'"):
            values = values_in(rest if rest[:1] == "[" else f"[{rest}]")
            names = [value for value in (values[0].value if values else []) if isinstance(value, str)]
            if names:
                return [Named(name, label.strip()) for name in names]
        if one_each and context.in_text(_unquoted(rest)):
            return [Named(_unquoted(rest), label.strip())]
        rest = rest.removeprefix("[").removesuffix("]")
        parts = [part.strip() for part in re.split(r"\s*;\s*" if ";" in rest else r",(?:\s+|\Z)", rest)]
        return [Named(_unquoted(part), label.strip()) for part in parts if part and not context.is_none(part)]
    return None


def _pair_in(text: str, context: _Context, *, sure: bool = True) -> Named | None:
    """A name and its type in a line: ``Ada (PER)``, ``Ada: PER``, ``Ada -> PER``, ``PER: Ada``.

    ``sure``: the line is an item of a list, so that a type which is not known may be one nevertheless.
    """
    text = text.strip()
    if len(text) > 2000:
        return None
    inside = _INSIDE.match(text)
    if inside is not None and context.types.find(inside[2]) is not None:
        return Named(_unquoted(inside[1]), inside[2].strip())
    for sign in _SEPARATORS:
        if sign not in text:
            continue
        name, _, label = text.rpartition(sign)
        if name.strip() and context.types.find(label.strip(" .")) is not None:
            return Named(_unquoted(name), label.strip(" ."))
        label, _, name = text.partition(sign)
        if name.strip() and context.types.find(label) is not None:
            return Named(_unquoted(name), label.strip())
    if not sure:
        return None
    if inside is not None and _may_be_pair(inside[1], inside[2], context):
        return Named(_unquoted(inside[1]), inside[2].strip())
    for sign in _SURE_SEPARATORS:
        name, found, label = text.rpartition(sign)
        if found and _may_be_pair(name, label, context):
            return Named(_unquoted(name), label.strip(" ."))
    return None


def _may_be_pair(name: str, label: str, context: _Context) -> bool:
    """Does a name stand in the text, and is a label short enough to be one?"""
    name, label = _unquoted(name), label.strip(" .")
    return bool(label) and len(label.split()) <= 3 and context.in_text(name) and not _is_none(label)


def _unquoted(text: str) -> str:
    """Return a name without what a line puts around it."""
    text = text.strip().strip("*`").strip()
    for opening, closing in ('""', "''", "\u201c\u201d", "\u2018\u2019"):
        if len(text) > 1 and text[0] == opening and text[-1] == closing:
            return text[1:-1].strip()
    return text.rstrip(" ,;")


_READERS: Mapping[Style | str, Callable[[str, _Context], Answer | None]] = {
    "tags": _read_tags,
    "alone": _read_json_alone,
    Style.MARKERS: _read_markers,
    Style.XML: _read_xml,
    Style.BRACKETS: _read_brackets,
    Style.JSON: _read_json,
    Style.BY_TYPE: _read_json,
    Style.CODE: _read_code,
    Style.PAIRS: _read_pairs,
    Style.LINES: _read_lines,
}
"""How each form is read, in the order in which they are tried: tags and what begins as JSON first, then marks."""
