"""Mentions in parsed values: JSON, Python's lists and tuples, calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .answer_marks import has_typed_brackets
from .answer_pairs import LABELS, SURFACES, pair_in_line, plain_key
from .answer_records import Answer, Context, Named, Order, Style, is_plausible
from .corpus import Mentions
from .loose_json import Bare, Call, Found, Pairs, calls_in, strict_value, values_in
from .tags import prefix_letter

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


def with_pairs(value: Any) -> Any:
    """Return parsed JSON with objects as pairs."""
    if isinstance(value, Mapping):
        return Pairs((str(key), with_pairs(inner)) for key, inner in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [with_pairs(inner) for inner in value]
    return value


class ValueReader:
    """Finds the mentions in parsed values; None where a value is not understood, a list of mentions where it is."""

    def __init__(self, context: Context) -> None:
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
        found = pair_in_line(text, self._context, sure=not isinstance(text, Bare))
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
        if plain_key(call.name) in _ANY_CALL and self._types.find(call.name) is None:
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
            fields.setdefault(plain_key(key), value)
        label_key = next((key for key in LABELS if _is_word(fields.get(key))), None)
        surface_key = next((key for key in SURFACES if key != label_key and _is_text(fields.get(key))), None)
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
            aside = plain_key(key) in _ASIDES or key.endswith("_attributes")
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
    return any(plain_key(key) in SURFACES and isinstance(value, str | list) for key, value in pairs)


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


def answer_of_values(found: Sequence[Found], context: Context) -> Answer | None:
    """Return the answer that some values are; None where none of them is understood."""
    reading = ValueReader(context)
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


def read_json_alone(region: str, context: Context) -> Answer | None:
    """An answer that is JSON, or nearly so, from its first letter on."""
    if not _JSON_BEGIN.match(region):
        return None
    if not region.lstrip().startswith("{") and has_typed_brackets(region, context):
        return _strict_json(region, context)  # [[Ada](PER) Prize](MISC) begins as a list does
    return read_json(region, context)


def _strict_json(region: str, context: Context) -> Answer | None:
    """An answer that is JSON and nothing else."""
    stripped = region.strip()
    if stripped[:1] not in ("[", "{"):
        return None
    try:
        value = strict_value(stripped)
    except ValueError:
        return None
    return answer_of_values([Found(value, 0, len(stripped), False)], context)


def read_json(region: str, context: Context) -> Answer | None:
    """JSON, or Python's lists and tuples, alone or inside prose."""
    found = _strict_json(region, context)
    if found is not None or not any(bracket in region for bracket in "[{"):
        return found
    return answer_of_values(values_in(region), context)


def read_pairs(region: str, context: Context) -> Answer | None:
    """``("Ada", "PER"), ("Oslo", "LOC")``, in a list or not, with quotes or without."""
    found = read_json(region, context)
    if found is not None and found.mentions:
        return found
    pairs = [one for one in values_in(region, "(") if isinstance(one.value, list) and len(one.value) >= 2]
    if not pairs:
        return found
    quoted = [one for one in pairs if not any(isinstance(item, Bare) for item in one.value)]
    of_list = [Found([one.value for one in (quoted or pairs)], 0, 0, False)]
    parsed = answer_of_values(of_list, context)
    if parsed is None or not parsed.mentions:
        return found
    known = [mention for mention in parsed.mentions if context.types.find(mention.label)]
    if not quoted:  # words in brackets are prose, unless the type is one that there is
        parsed = parsed._replace(mentions=tuple(known))
    return parsed._replace(style=Style.PAIRS) if parsed.mentions else found


def read_code(region: str, context: Context) -> Answer | None:
    """``Person(span="Ada")``, in a list or not."""
    if "(" not in region:
        return None
    calls = calls_in(region)
    if not calls:
        return None
    found = answer_of_values(calls, context)
    if found is None or (found.mentions and not is_plausible(found.mentions, context)):
        return None
    return found
