"""A name and its type, told apart: by the keys of an object, by the words of a list, by the signs of a line."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from .answer_records import Context, Named, is_none

# --- keys ---------------------------------------------------------------------------------------------

_LABEL_WORDS = (
    "label", "type", "category", "class", "tag", "kind", "group", "classification", "role", "ner", "entity",
)  # fmt: skip
"""Words that a key of a type ends with, the surest first. ``entity`` may be the key of a name as well."""
_SURFACE_WORDS = (
    "text", "word", "mention", "surface", "span", "phrase", "string", "substring", "quote", "value", "name", "token",
    "content", "form", "entity", "term", "expression", "title", "instance", "item", "keyword", "subject",
)  # fmt: skip
"""Words that a key of a name ends with, the surest first."""
_TEXT_WORDS = frozenset(("sentence", "input", "source", "full", "context", "document", "doc", "paragraph", "passage"))
"""Words that a key of the whole text begins with: ``sentence_text``."""
_SAYS_NAME = ("name", "text", "string", "value")
"""Words that add nothing behind a word for a type: ``label_name``."""
_BETWEEN = re.compile(r"[\W_]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")


class KeyMeaning(NamedTuple):
    """What a key of an object may stand for; ranks are smaller for surer words, None if it cannot."""

    label_rank: int | None
    surface_rank: int | None


@lru_cache(1 << 12)
def key_meaning(key: str) -> KeyMeaning:
    """Return whether a key is that of a type or that of a name, by the word that it ends with.

    >>> key_meaning("entityType")
    KeyMeaning(label_rank=1, surface_rank=None)
    >>> key_meaning("Extracted Text")
    KeyMeaning(label_rank=None, surface_rank=0)
    """
    words = [part.casefold() for part in _PART.findall(key[:80])]
    if not words:
        return KeyMeaning(None, None)
    last = _singular(words[-1])
    if last in _SAYS_NAME and len(words) > 1 and _singular(words[-2]) in _LABEL_WORDS[:-1]:
        last = _singular(words[-2])  # label_name is a label, entity_name is a name
    label_rank = _LABEL_WORDS.index(last) if last in _LABEL_WORDS else None
    if label_rank is None and last.endswith(("type", "label", "class")):  # written as one word
        label_rank = len(_LABEL_WORDS)
    surface_rank = _SURFACE_WORDS.index(last) if last in _SURFACE_WORDS else None
    if words[0] in _TEXT_WORDS:
        surface_rank = None
    return KeyMeaning(label_rank, surface_rank)


def _singular(word: str) -> str:
    """Return a word in the singular, by its ending alone."""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith("s") and not word.endswith("ss"):
        return "class" if word == "classes" else word[:-1]
    return word


@lru_cache(1 << 12)
def plain_key(key: str) -> str:
    """Return a key without its case and the signs between its words.

    >>> plain_key("Named Entities"), plain_key("named_entities")
    ('namedentities', 'namedentities')
    """
    return _BETWEEN.sub("", key.casefold())


# --- lists --------------------------------------------------------------------------------------------


def name_and_label(first: str, second: str, context: Context) -> tuple[str, str]:
    """Return which of two texts is the name and which the type.

    The type is known, or the name stands in the text of the sample; where neither tells, the name comes first.

    >>> name_and_label("PER", "Ada", Context.of(["PER"]))
    ('Ada', 'PER')
    """
    is_type = context.types.find(first) is not None, context.types.find(second) is not None
    if is_type[0] != is_type[1]:
        return (second, first) if is_type[0] else (first, second)
    is_here = context.in_text(first), context.in_text(second)
    return (second, first) if is_here == (False, True) else (first, second)


def _is_number(value: Any) -> bool:
    """Return whether a value is a number; True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def pair_of(items: Sequence[Any], context: Context, *, in_list: bool) -> Named | None:
    """Return the mention that a list is, a name and its type, perhaps with offsets or a score: ``["Ada", "PER"]``.

    Args:
        items: the values of the list.
        context: what is known beside the answer.
        in_list: the list is one of several, so that two words are not taken for two names.

    >>> pair_of(["Ada", "PER", 0, 3], Context.of(["PER"]), in_list=True)
    Named(text='Ada', label='PER', start=0, end=3, run=None)
    """
    words = [item for item in items if isinstance(item, str)]
    numbers = [item for item in items if _is_number(item)]
    if len(words) + len(numbers) != len(items) or not words or len(words) > 2 or len(numbers) > 3:
        return None
    whole = [number for number in numbers if isinstance(number, int)]
    start, end = (whole[0], whole[1]) if len(whole) >= 2 else (None, None)
    if len(words) == 1:
        has_type = context.types.find(words[0]) is not None or not context.types
        return Named("", words[0], start, end) if in_list and start is not None and has_type else None
    if not in_list and not any(context.types.find(word) for word in words):
        return None  # two names
    name, label = name_and_label(words[0], words[1], context)
    return Named(name, label, start, end)


# --- lines --------------------------------------------------------------------------------------------

_INSIDE = re.compile(r"(.*\S)\s*[(\[<{\uff08]([^()\[\]<>{}\uff08\uff09]{1,80})[)\]>}\uff09]\s*[.,;\u3002]?\Z")
_TYPE_FIRST = re.compile(r"[(\[<{]([^()\[\]<>{}]{1,80})[)\]>}]\s*:?\s*(\S.*)\Z")
_SURE_SEPARATORS = (
    "\t",
    "->",
    "\u2192",
    "=>",
    " ## ",
    "$$",
    "||",
    "|",
    "::",
    ":",
    "\uff1a",
    " - ",
    " \u2013 ",
    " \u2014 ",
)
_SEPARATORS = (*_SURE_SEPARATORS, "\u2013", "\u2014", "=", "/", ",", ";", " is of type ", " is a ", " is an ", " as ")
_LONGEST_LINE = 2000


def pair_in_line(text: str, context: Context, *, in_list: bool = True) -> Named | None:
    """Return the mention that a line names with its type: ``Ada (PER)``, ``Ada: PER``, ``Ada -> PER``, ``PER: Ada``.

    Args:
        text: the line, without the sign of a list.
        context: what is known beside the answer.
        in_list: the line is an item of a list, so that a type which is not known may be one nevertheless.

    >>> pair_in_line("**Ada** - PER", Context.of(["PER"]))
    Named(text='Ada', label='PER', start=None, end=None, run=None)
    """
    text = text.strip()
    if len(text) > _LONGEST_LINE:
        return None
    pair = _known_pair(text, context)
    if pair is not None:
        return _named_here(pair, context)
    remark = _with_remark(text, context)
    if remark is not None or not in_list:
        return remark
    inside = _INSIDE.match(text)
    if inside is not None and _may_be_pair(inside[1], inside[2], context):
        return Named(unquoted(inside[1]), inside[2].strip())
    for sign in _SURE_SEPARATORS:
        name, separator, label = text.rpartition(sign)
        if separator and _may_be_pair(name, label, context):
            return Named(unquoted(name), label.strip(" ."))
    return None


def _known_pair(text: str, context: Context) -> Named | None:
    """Return the name and the type of a line that has a known type before, behind or beside it; None if it has none."""
    inside = _INSIDE.match(text)
    if inside is not None and context.types.find(inside[2]) is not None:
        return Named(unquoted(inside[1]), inside[2].strip())
    if text[:1] == "<" and text[-1:] == ">":
        text = text[1:-1]  # <Ada, PER>
    before = _TYPE_FIRST.match(text)
    if before is not None and context.types.find(before[1]) is not None:
        return Named(unquoted(before[2]), before[1].strip())
    for sign in _SEPARATORS:
        if sign not in text:
            continue
        name, _, label = text.rpartition(sign)
        if name.strip() and context.types.find(label.strip(" .")) is not None:
            return Named(unquoted(name), label.strip(" ."))
        label, _, name = text.partition(sign)
        if name.strip() and context.types.find(label) is not None:
            return Named(unquoted(name), label.strip())
    return None


_MOST_WORDS = 16
"""Words of a name that is not in the text; more of them are prose."""


def _named_here(pair: Named, context: Context) -> Named | None:
    """Return a pair with its name alone, ``Entity 1: Ada``; None where the name is prose or the title of a field."""
    if context.in_text(pair.text):
        return pair
    _, colon, name = pair.text.partition(":")
    if colon and context.in_text(unquoted(name)):
        return pair._replace(text=unquoted(name))
    name, bar, _ = pair.text.partition("|")
    if bar and context.in_text(unquoted(name)):
        return pair._replace(text=unquoted(name))  # Ada | True | as she is a person
    meaning = key_meaning(pair.text)
    if meaning.label_rank is not None and meaning.surface_rank is None:
        return None  # Type: PER
    labels = [match[1] for match in _IN_BRACKETS.finditer(pair.text)]
    labels += [match[1] for match in _SENTENCE.finditer(pair.text)]
    if any(context.types.find(label) is not None for label in labels):
        return None
    for sign in (" is ", " are ", " was "):  # "Ada" is classified
        name, before, _ = f"{pair.text} ".partition(sign)
        if before and context.in_text(unquoted(name)):
            return pair._replace(text=unquoted(name))
    return pair if len(pair.text.split()) <= _MOST_WORDS else None


_SENTENCE = re.compile(r"\bis (?:an? )?([^.,;\"]{1,80})[.,;]")
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]{1,80})[)\]]")
_TYPE_THEN_REMARK = re.compile(
    r"(.*?\S)\s*(?:[(\[]([^()\[\]]{1,80})[)\]]|(?:->|\u2192|=>|\||:|\s[-\u2013\u2014])\s*([^\s:,;.()\u2013\u2014-][^:,;.()\u2013\u2014]{0,79}?))"
    r"\s*(?:[:,;.(\u2013\u2014]|\s-\s).*\Z"
)


def _with_remark(text: str, context: Context) -> Named | None:
    """Return the mention of a line in which text may follow the type: ``Ada (PER): a mathematician``.

    The type may also come after an arrow, a bar, a colon or a dash. The result is None if the line has another form,
    if no such type is known, or if the name does not stand in the text of the sample.
    """
    for inside in _IN_BRACKETS.finditer(text):
        name = unquoted(text[: inside.start()])
        if context.types.find(inside[1]) is not None and context.in_text(name):
            return Named(name, inside[1].strip())
    match = _TYPE_THEN_REMARK.match(text)
    if match is None:
        return None
    label = match[2] or match[3]
    name = unquoted(match[1])
    return Named(name, label.strip()) if context.types.find(label) is not None and context.in_text(name) else None


def _may_be_pair(name: str, label: str, context: Context) -> bool:
    """Return whether a name is in the text, and a label is short enough to be one."""
    name, label = unquoted(name), label.strip(" .")
    if not label or label.startswith("//"):  # what follows the colon of an address
        return False
    return len(label.split()) <= 3 and context.in_text(name) and not is_none(label)


def unquoted(text: str) -> str:
    r"""Return a name without what a line puts around it.

    >>> unquoted(' **"Ada"**,'), unquoted('"Le\\u00f3n"')
    ('Ada', 'León')
    """
    text = text.strip().rstrip(" ,;").strip("*`").strip()
    for opening, closing in ('""', "''", "\u201c\u201d", "\u2018\u2019", "\u00ab\u00bb"):
        if len(text) > 1 and text[0] == opening and text[-1] == closing:
            return _unescaped(text) if opening == '"' and "\\" in text else text[1:-1].strip()
    return text


def _unescaped(quoted: str) -> str:
    """Return the text of a string of JSON, with its escapes read where they are valid."""
    try:
        return str(json.loads(quoted)).strip()
    except ValueError:
        return quoted[1:-1].strip()
