"""Spans as datasets write them: dicts, tuples, dicts of lists, dicts by label; offsets, lengths, positions, quotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..core.exceptions import CleancutError, quoted
from .column_names import SPANS
from .columns import Kind, Table, inner_table, listed, plain_name, records_in, words_in

_START = ("start", "begin", "start_offset", "char_start", "start_char", "start_index", "start_idx", "start_pos",
          "offset_start", "begin_offset", "token_start", "start_token")  # fmt: skip
_END = ("end", "stop", "end_offset", "char_end", "end_char", "end_index", "end_idx", "end_pos", "offset_end",
        "token_end", "end_token")  # fmt: skip
_LENGTH = ("length", "len")
_OFFSETS = ("offsets", "offset", "span", "position", "positions", "pos", "char_span", "indices", "loc", "location")
_LABEL = ("label", "entity_group", "entity_type", "type", "tag", "class", "category", "ner_tag", "label_name",
          "labels", "types", "semantic_type_id", "entity")  # fmt: skip
_SURFACE = ("text", "word", "value", "mention", "surface", "name", "entity", "entity_text", "span", "string")


class Keyed(NamedTuple):
    """What a dict has by its keys, where these are no names of fields."""

    key: str
    """``label`` or ``surface``."""
    by_surface: bool = False
    """Is the value of a label a dict of its own, with the offsets of each surface?"""


class Fields(NamedTuple):
    """Where a span has what: names of its fields, or places in a tuple."""

    start: str | int | None = None
    end: str | int | None = None
    offsets: str | None = None
    label: str | int | None = None
    surface: str | int | None = None
    length: str | None = None
    keyed: Keyed | None = None

    @property
    def is_tuple(self) -> bool:
        return isinstance(self.label, int)

    @property
    def is_quotes(self) -> bool:
        """Are mentions only quoted, without offsets?"""
        return self.start is None and self.offsets is None

    @property
    def counts_tokens(self) -> bool:
        """Does the name of a field say that offsets count tokens?"""
        return isinstance(self.start, str) and "token" in self.start


TRIPLE = Fields(0, 1, None, 2)


class Span(NamedTuple):
    """A mention as a dataset has it; offsets are None where it is only quoted."""

    start: int | None
    end: int | None
    labels: list[Any]
    surface: str | None
    n_fragments: int = 1
    is_positions: bool = False
    """Were all its positions listed, so that the end is the last of them?"""

    @property
    def has_offsets(self) -> bool:
        return self.start is not None and self.end is not None


# --- which fields -------------------------------------------------------------------------------------


def fields_of(table: Table, column: str) -> Fields | None:
    """The fields of a column of spans; None where it is another."""
    kind = table.kinds[column]
    if kind.name == "list" and kind.of is not None and kind.of.name in ("list", "other"):
        return _tuple_fields(table, column)
    inner = inner_table(table, column)
    found = _record_fields(inner) if inner is not None else None
    if found is None and kind.name == "record" and plain_name(column) in SPANS:
        return _keyed(table, column)
    return found


def _record_fields(inner: Table) -> Fields | None:
    """The fields of spans that are dicts."""

    def field_of(names: Sequence[str], *kinds: str) -> str | None:
        return inner.named(names, lambda k: k.name in kinds or (k.name == "other" and not inner.head))

    label = inner.named(_LABEL, lambda k: k.name in ("text", "label", "int", "other") or k.is_list_of("text"))
    if label is None:
        return None
    rest = Table({name: kind for name, kind in inner.kinds.items() if name != label}, inner.head)
    start = field_of(_START, "int") or _mixed_field(inner, _START)
    end = field_of(_END, "int") or _mixed_field(inner, _END)
    length = field_of(_LENGTH, "int")
    offsets = rest.named(_OFFSETS, lambda k: k.is_list_of("int", "list"))
    surface = rest.named(_SURFACE, lambda k: k.name == "text" or k.is_list_of("text"))
    if end is None and length is not None:
        start = start or field_of(_OFFSETS, "int")
    if end is None and (length is None or start is None):
        # with its words, the start alone says where a mention is
        start, length = (start if surface is not None else None), None
    if start is not None:
        return Fields(start, end, None, label, surface, length if end is None else None)
    return Fields(None, None, offsets, label, surface) if offsets is not None or surface is not None else None


def _mixed_field(inner: Table, names: Sequence[str]) -> str | None:
    """The field of offsets that are whole numbers in some spans and something else in others, which is then refused."""
    for name, kind in inner.kinds.items():
        if kind.name == "other" and plain_name(name) in names:
            values = [record.get(name) for record in inner.head if isinstance(record, Mapping)]
            if any(number_in(value) is not None for value in values):
                return name
    return None


def _tuple_fields(table: Table, column: str) -> Fields | None:
    """The places of start, end, label and words in tuples of one length."""
    found = [(row, span) for row in table.head for span in _list_in(table, row, column)]
    if not found:
        return TRIPLE if plain_name(column) in SPANS else None  # an empty list shows nothing but its name
    spans = [span for _, span in found]
    sizes = {len(span) if isinstance(span, list | tuple) else 0 for span in spans}
    if len(sizes) != 1 or not sizes <= {2, 3, 4}:
        return None
    places = range(sizes.pop())
    numbers = [k for k in places if all(number_in(span[k]) is not None for span in spans)]
    texts = [k for k in places if k not in numbers and all(isinstance(span[k], str) for span in spans)]
    if len(numbers) + len(texts) < len(places) or len(numbers) not in (0, 2) or not 1 <= len(texts) <= 2:
        return None
    label, surface = texts[0], None
    if len(texts) == 2:
        quoted = [k for k in texts if all(_is_said(row, column, span[k]) for row, span in found)]
        if len(quoted) != 1:
            return None
        surface = quoted[0]
        label = next(k for k in texts if k != surface)
    elif not numbers:
        return None
    start, end = numbers or (None, None)
    return Fields(start, end, None, label, surface)


def _list_in(table: Table, row: Mapping[str, Any], column: str) -> list[Any]:
    value = table.value(row, column)
    return list(value) if isinstance(value, list | tuple) else []


def _is_said(row: Mapping[str, Any], column: str, words: str) -> bool:
    """Do words stand in another column of a row?"""
    others = [value for name, value in row.items() if name != column]
    texts = [value for value in others if isinstance(value, str)]
    texts += [" ".join(v) for v in others if isinstance(v, list) and all(isinstance(word, str) for word in v)]
    return any(words in text for text in texts)


def _keyed(table: Table, column: str) -> Fields | None:
    """The fields of a dict whose keys are labels, or surfaces."""
    kind = table.kinds[column]
    known = [k for k in kind.fields.values() if k.name != "other"]
    if (
        known
        and all(k.name == "record" for k in known)
        and all(_is_offsets(o) for k in known for o in k.fields.values())
    ):
        return Fields(offsets="offsets", label="label", surface="surface", keyed=Keyed("label", by_surface=True))
    if known and all(k.is_list_of("text", "other") for k in known):
        return Fields(label="label", surface="surface", keyed=Keyed("label"))
    if not known or not all(k.name == "text" for k in known) or plain_name(column) == "privacy_mask":
        return None
    items = [
        (row, key, value) for row in table.head for key, value in (table.value(row, column) or {}).items() if value
    ]
    keys, values = (all(_is_said(row, column, item[k]) for row, *item in items) for k in (0, 1))
    if keys == values:
        return None  # which of the two are the words?
    return Fields(label="label", surface="surface", keyed=Keyed("surface" if keys else "label"))


def _is_offsets(kind: Kind) -> bool:
    return kind.name == "other" or (kind.is_list_of("list") and kind.of is not None and kind.of.is_list_of("int"))


# --- reading ------------------------------------------------------------------------------------------


def number_in(value: Any) -> int | None:
    """A whole number, also one that stands in a string."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    return int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,9}", value) else None


def spans_in(value: Any, fields: Fields) -> Iterator[Span]:
    """The mentions that a value holds."""
    if value is None:
        return
    records = _unkeyed(value, fields.keyed) if fields.keyed is not None else records_in(value)
    for record in records:
        get = _getter(record, fields)
        label, surface = get(fields.label), get(fields.surface)
        labels = [_label(one) for one in (label if isinstance(label, list | tuple) else [label])]
        quote = None if surface is None else " ".join(words_in([surface] if isinstance(surface, str) else surface))
        start, end = _offset(get(fields.start)), _offset(get(fields.end))
        if (
            fields.is_tuple
            and fields.start is not None
            and (start is None or end is None or not isinstance(label, str))
        ):
            raise CleancutError(f"{quoted(record)} is not a (start, end, label) triple.")
        if start is not None and fields.end is None:
            length = number_in(get(fields.length)) if fields.length is not None else len(quote) if quote else None
            end = None if length is None else start + length
        if fields.offsets is not None and get(fields.offsets):
            yield _of_offsets(get(fields.offsets), labels, quote)
        else:
            yield Span(start, end, labels, quote)


def _offset(value: Any) -> int | None:
    """Return a whole number, or None where there is none; what is neither is refused."""
    number = number_in(value)
    if number is None and value is not None and value != "" and value == value:  # tables have NaN for nothing
        raise CleancutError(f"the offset {quoted(value)} is not a whole number. Leave it out, or correct it.")
    return number


def _label(label: Any) -> Any:
    """Return a name, an id, or None; a list or a number such as 0.5 names no type."""
    if label is None or isinstance(label, str | int | np.integer):
        return label
    raise CleancutError(f"a mention has the label {quoted(label)}, not a name. Leave such mentions out.")


def _getter(record: Any, fields: Fields) -> Callable[[Any], Any]:
    if not fields.is_tuple:
        if not isinstance(record, Mapping):
            raise CleancutError(f"{quoted(record)} is not a span. Give dicts, or (start, end, label) triples.")
        return record.get
    size = max(k for k in fields if isinstance(k, int)) + 1
    if not isinstance(record, list | tuple) or len(record) != size:
        raise CleancutError(f"{quoted(record)} is not a (start, end, label) triple.")
    return lambda k: None if k is None else record[k]


def _of_offsets(offsets: Any, labels: list[Any], quote: str | None) -> Span:
    """A mention at a pair of offsets, at several (taken from the first to the last), or at listed positions."""
    is_list = isinstance(offsets, list | tuple)
    if is_list and all(isinstance(part, list | tuple) and part for part in offsets):
        edges = [_numbers(part) for part in offsets]
        first, last = min(part[0] for part in edges), max(part[-1] for part in edges)
        return Span(first, last, labels, quote, len(edges))
    places = _numbers(offsets if is_list else [offsets])
    n_gaps = sum(b - a != 1 for a, b in pairwise(places)) if len(places) != 2 else 0
    return Span(min(places), max(places), labels, quote, 1 + n_gaps, is_positions=len(places) != 2)


def _numbers(offsets: Sequence[Any]) -> list[int]:
    """Return offsets, which are whole numbers, also where these stand in strings."""
    numbers = [number_in(offset) for offset in offsets]
    if None in numbers:
        raise CleancutError(f"the offsets {quoted(offsets)} are not whole numbers.")
    return [number for number in numbers if number is not None]


def _unkeyed(value: Any, keyed: Keyed) -> Iterator[dict[str, Any]]:
    """The records of a dict by label, or by surface."""
    if not isinstance(value, Mapping):
        raise CleancutError(f"{quoted(value)} is not a dict of mentions by {keyed.key}, as the others are.")
    for key, own in value.items():
        if own is None:
            continue
        if keyed.key == "surface":
            yield {"label": own, "surface": key}
        elif keyed.by_surface:
            if not isinstance(own, Mapping):
                raise CleancutError(f"{quoted(own)} is not a dict of offsets by words, as those of other labels are.")
            for surface, places in own.items():
                yield from ({"label": key, "surface": surface, "offsets": place} for place in listed(places or ()))
        else:
            surfaces = [own] if isinstance(own, str) else listed(own)
            yield from ({"label": key, "surface": surface} for surface in surfaces)


def is_passages(kind: Kind) -> bool:
    """Is it text in passages, each with its offset?"""
    fields = kind.of.fields if kind.name == "list" and kind.of else kind.fields
    return "text" in fields and "offsets" in fields


def text_in(value: Any) -> str:
    """Text, also where it stands in passages, each at its own offset in the document."""
    if value is None or isinstance(value, str):
        return value or ""
    whole: list[str] = []
    for passage in records_in(value):
        for text, start in _passages(passage):
            if not 0 <= start <= len(whole) + _WIDEST_GAP:
                raise CleancutError(f"a passage begins at character {start} of a text of {len(whole)} before it.")
            whole += " " * (start + len(text) - len(whole))
            whole[start : start + len(text)] = text
    return "".join(whole)


_WIDEST_GAP = 1_000_000
"""Characters that may be missing between two passages of a text."""


def _passages(record: Any) -> Iterator[tuple[str, int]]:
    """Return the texts of a passage, each with the character that it begins at."""
    if not isinstance(record, Mapping) or record.get("text") is None or not record.get("offsets"):
        raise CleancutError(f"{quoted(record)} is not a passage with text and offsets.")
    texts = words_in([record["text"]] if isinstance(record["text"], str) else record["text"])
    offsets = list(listed(record["offsets"]))
    pairs = offsets if isinstance(offsets[0], list | tuple) else [offsets]
    if len(texts) != len(pairs):
        raise CleancutError(f"a passage has {len(texts)} texts but {len(pairs)} offsets. Give each text its offsets.")
    for text, pair in zip(texts, pairs, strict=True):
        yield text, _numbers(listed(pair) or [None])[0]
