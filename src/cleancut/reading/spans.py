"""Spans as datasets write them: dicts, tuples or dicts by label, with offsets, lengths, positions or quotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..core.exceptions import CleancutError, quoted
from .column_names import SPANS
from .columns import Kind, Table, inner_table, listed, plain_name, records_in, words_in

_START = ("start", "begin", "start_offset", "char_start", "start_char", "start_index", "start_idx", "start_pos",
          "offset_start", "begin_offset", "token_start", "start_token")  # fmt: skip
"""Fields with the first token or character of a mention, in order of preference."""
_END = ("end", "stop", "end_offset", "char_end", "end_char", "end_index", "end_idx", "end_pos", "offset_end",
        "token_end", "end_token")  # fmt: skip
"""Fields with the end of a mention."""
_LENGTH = ("length", "len")
"""Fields with the length of a mention."""
_OFFSETS = (
    "offsets",
    "offset",
    "span",
    "position",
    "positions",
    "pos",
    "char_span",
    "indices",
    "index",
    "loc",
    "location",
)
"""Fields with both offsets, the offsets of all pieces, or all positions."""
_LABEL = ("label", "entity_group", "entity_type", "type", "tag", "class", "category", "ner_tag", "label_name",
          "labels", "types", "semantic_type_id", "entity")  # fmt: skip
"""Fields with the label of a mention."""
_SURFACE = ("text", "word", "value", "mention", "surface", "name", "entity", "entity_text", "span", "string")
"""Fields with the words of a mention."""


class Keyed(NamedTuple):
    """What the keys of a dict stand for, where they are no names of fields."""

    key: str
    """What the keys are: ``label`` or ``surface``."""
    by_surface: bool = False
    """Whether the value of a label is a dict of its own, with the offsets of each surface."""


class Fields(NamedTuple):
    """Where a span has its offsets, label and words: names of its fields, or places in a tuple."""

    start: str | int | None = None
    """The first token or character."""
    end: str | int | None = None
    """The end."""
    offsets: str | None = None
    """Both offsets, the offsets of all pieces, or all positions."""
    label: str | int | None = None
    """The label, or a list of labels."""
    surface: str | int | None = None
    """The words."""
    length: str | None = None
    """The length, where there is no end."""
    keyed: Keyed | None = None
    """What keys stand for, where spans are a dict without names of fields."""

    @property
    def is_tuple(self) -> bool:
        """Whether spans are tuples."""
        return isinstance(self.label, int)

    @property
    def is_quotes(self) -> bool:
        """Whether mentions are only quoted, without offsets."""
        return self.start is None and self.offsets is None

    @property
    def counts_tokens(self) -> bool:
        """Whether the name of a field says that offsets count tokens."""
        return isinstance(self.start, str) and "token" in self.start


TRIPLE = Fields(0, 1, None, 2)
"""The fields of ``(start, end, label)``."""


class Span(NamedTuple):
    """A mention as a dataset writes it. Offsets are None where it is only quoted."""

    start: int | None
    """The first token or character, as the dataset counts them."""
    end: int | None
    """The end, as the dataset counts it."""
    labels: list[Any]
    """The labels: names or ids."""
    surface: str | None
    """The words that the mention quotes; None where it quotes none."""
    n_fragments: int = 1
    """The number of pieces, of which start and end are the outermost edges."""
    is_positions: bool = False
    """Whether all positions were listed, so that the end is the last of them."""

    @property
    def has_offsets(self) -> bool:
        """Whether both offsets are known."""
        return self.start is not None and self.end is not None


def names_of_span(names: Iterable[str]) -> tuple[str, str, str] | None:
    """Return which of some names are those of the start, the end and the label of a span; None where one is missing.

    Args:
        names: the names.

    >>> names_of_span(["id", "Start", "End", "Label"])
    ('Start', 'End', 'Label')
    """
    by_plain_name = {plain_name(name): name for name in names}

    def named(usual: Sequence[str]) -> str | None:
        return next((by_plain_name[name] for name in usual if name in by_plain_name), None)

    start = named(_START)
    end = named(_END)
    label = named(_LABEL)
    if start is None or end is None or label is None:
        return None
    return start, end, label


# --- which fields -------------------------------------------------------------------------------------


def fields_of(table: Table, column: str) -> Fields | None:
    """Return the fields of a column of spans; None where the column holds something else.

    Args:
        table: the table with the column.
        column: the name of the column.
    """
    kind = table.kinds[column]
    if kind.name == "list" and kind.of is not None and kind.of.name in ("list", "other"):
        return _tuple_fields(table, column)
    inner = inner_table(table, column)
    fields = _record_fields(inner) if inner is not None else None
    if fields is None and kind.name == "record" and plain_name(column) in SPANS:
        return _keyed(table, column)
    return fields


def _record_fields(inner: Table) -> Fields | None:
    """Return the fields of spans that are dicts; None where they are no spans."""

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
        length = None
        if surface is None:  # with its words, the start alone says where a mention is
            start = None
    if end is not None:
        length = None
    if start is not None:
        return Fields(start, end, None, label, surface, length)
    if offsets is None and surface is None:
        return None
    return Fields(None, None, offsets, label, surface)


def _mixed_field(inner: Table, names: Sequence[str]) -> str | None:
    """Return the field of offsets that are whole numbers in some spans only; None where there is none.

    Such a field is still the one of the offsets, so that the values that are no numbers are refused.
    """
    for name, kind in inner.kinds.items():
        if kind.name == "other" and plain_name(name) in names:
            values = [record.get(name) for record in inner.head if isinstance(record, Mapping)]
            if any(number_in(value) is not None for value in values):
                return name
    return None


def _tuple_fields(table: Table, column: str) -> Fields | None:
    """Return the places of start, end, label and words in tuples of one length; None where they are no spans."""
    rows_and_spans = [(row, span) for row in table.head for span in _list_in(table, row, column)]
    if not rows_and_spans:
        return TRIPLE if plain_name(column) in SPANS else None  # an empty list shows nothing but its name
    spans = [span for _, span in rows_and_spans]
    sizes = {len(span) if isinstance(span, list | tuple) else 0 for span in spans}
    if len(sizes) != 1 or not sizes <= {2, 3, 4}:
        return None
    places = range(sizes.pop())
    numbers = [k for k in places if all(number_in(span[k]) is not None for span in spans)]
    others = [k for k in places if k not in numbers]
    texts = [k for k in others if all(isinstance(span[k], str) for span in spans)]
    if len(numbers) + len(texts) < len(places) or len(numbers) not in (0, 2) or not 1 <= len(texts) <= 2:
        return None
    start, end = numbers or (None, None)
    if len(texts) == 1:
        return Fields(start, end, None, texts[0]) if numbers else None
    surfaces = [k for k in texts if all(_is_quoted(row, column, span[k]) for row, span in rows_and_spans)]
    if len(surfaces) != 1:
        return None
    surface = surfaces[0]
    label = next(k for k in texts if k != surface)
    return Fields(start, end, None, label, surface)


def _list_in(table: Table, row: Mapping[str, Any], column: str) -> list[Any]:
    """Return the list that a row has in a column; an empty one for anything else."""
    value = table.value(row, column)
    return list(value) if isinstance(value, list | tuple) else []


def _is_quoted(row: Mapping[str, Any], column: str, words: str) -> bool:
    """Return whether words stand in another column of a row."""
    for name, value in row.items():
        if name == column:
            continue
        if isinstance(value, str) and words in value:
            return True
        is_words = isinstance(value, list) and all(isinstance(word, str) for word in value)
        if is_words and words in " ".join(value):
            return True
    return False


def _keyed(table: Table, column: str) -> Fields | None:
    """Return the fields of a dict whose keys are labels, or surfaces; None where that is not clear."""
    kind = table.kinds[column]
    known = [k for k in kind.fields.values() if k.name != "other"]
    if not known:
        return None
    if all(k.name == "record" and all(map(_is_offsets, k.fields.values())) for k in known):
        return Fields(offsets="offsets", label="label", surface="surface", keyed=Keyed("label", by_surface=True))
    if all(k.is_list_of("text", "other") for k in known):
        return Fields(label="label", surface="surface", keyed=Keyed("label"))
    if not all(k.name == "text" for k in known) or plain_name(column) == "privacy_mask":
        return None
    items = []
    for row in table.head:
        mentions = table.value(row, column) or {}
        items += [(row, key, value) for key, value in mentions.items() if value]
    are_keys_quoted = all(_is_quoted(row, column, key) for row, key, _ in items)
    are_values_quoted = all(_is_quoted(row, column, value) for row, _, value in items)
    if are_keys_quoted == are_values_quoted:
        return None  # it is not clear which of the two are the words
    key = "surface" if are_keys_quoted else "label"
    return Fields(label="label", surface="surface", keyed=Keyed(key))


def _is_offsets(kind: Kind) -> bool:
    """Return whether a kind is that of lists of offsets."""
    return kind.name == "other" or (kind.is_list_of("list") and kind.of is not None and kind.of.is_list_of("int"))


# --- reading ------------------------------------------------------------------------------------------


def number_in(value: Any) -> int | None:
    """Return a whole number, also one that stands in a string; None for anything else.

    Args:
        value: the value.

    >>> number_in("7"), number_in(7), number_in(7.5), number_in(True)
    (7, 7, None, None)
    """
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    return int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,9}", value) else None


def spans_in(value: Any, fields: Fields) -> Iterator[Span]:
    """Yield the mentions that a value holds.

    Args:
        value: what a row has in a column of spans; None holds no mention.
        fields: where the spans of the column have what.

    Raises:
        CleancutError: a record is no span, or has an offset or a label that cannot be read.

    >>> list(spans_in([(0, 3, "PER")], TRIPLE))
    [Span(start=0, end=3, labels=['PER'], surface=None, n_fragments=1, is_positions=False)]
    """
    if value is None:
        return
    records = _unkeyed(value, fields.keyed) if fields.keyed is not None else records_in(value)
    for record in records:
        yield _span_of(record, fields)


def _span_of(record: Any, fields: Fields) -> Span:
    """Return the mention that a record holds."""
    get = _getter(record, fields)
    label = get(fields.label)
    label_list = label if isinstance(label, list | tuple) else [label]
    labels = [_label(item) for item in label_list]
    surface = _surface(get(fields.surface))
    start = _offset(get(fields.start))
    end = _offset(get(fields.end))
    if fields.is_tuple and fields.start is not None:
        is_triple = start is not None and end is not None and isinstance(label, str)
        if not is_triple:
            raise CleancutError(f"{quoted(record)} is not a (start, end, label) triple.")
    if start is not None and fields.end is None:
        length = len(surface) if surface else None
        if fields.length is not None:
            length = number_in(get(fields.length))
        end = None if length is None else start + length
    if fields.offsets is not None and get(fields.offsets):
        return _of_offsets(get(fields.offsets), labels, surface)
    return Span(start, end, labels, surface)


def _surface(value: Any) -> str | None:
    """Return the words that a mention quotes, which are a string or a list; None where it quotes none."""
    if value is None:
        return None
    words = [value] if isinstance(value, str) else value
    return " ".join(words_in(words))


def _offset(value: Any) -> int | None:
    """Return a whole number, or None where there is no value; raise an error for anything else."""
    number = number_in(value)
    if number is None and value is not None and value != "" and value == value:  # tables have NaN for nothing
        raise CleancutError(f"the offset {quoted(value)} is not a whole number. Leave it out, or correct it.")
    return number


def _label(label: Any) -> Any:
    """Return a label that is a name, an id or None; raise an error for anything else, such as a list or 0.5."""
    if label is None or isinstance(label, str | int | np.integer):
        return label
    raise CleancutError(f"a mention has the label {quoted(label)}, not a name. Leave such mentions out.")


def _getter(record: Any, fields: Fields) -> Callable[[Any], Any]:
    """Return a function that gives what a record has in a field; raise an error where the record is no span."""
    if not fields.is_tuple:
        if not isinstance(record, Mapping):
            raise CleancutError(f"{quoted(record)} is not a span. Give dicts, or (start, end, label) triples.")
        return record.get
    size = max(k for k in fields if isinstance(k, int)) + 1
    if not isinstance(record, list | tuple) or len(record) != size:
        raise CleancutError(f"{quoted(record)} is not a (start, end, label) triple.")
    return lambda k: None if k is None else record[k]


def _of_offsets(offsets: Any, labels: list[Any], surface: str | None) -> Span:
    """Return a mention at a pair of offsets, at several (from the first to the last), or at listed positions."""
    listed_offsets = offsets if isinstance(offsets, list | tuple) else [offsets]
    if all(isinstance(part, list | tuple) and part for part in listed_offsets):
        fragments = [_numbers(part) for part in listed_offsets]
        first = min(fragment[0] for fragment in fragments)
        last = max(fragment[-1] for fragment in fragments)
        return Span(first, last, labels, surface, len(fragments))
    positions = _numbers(listed_offsets)
    if len(positions) == 2:  # start and end
        return Span(min(positions), max(positions), labels, surface)
    n_gaps = sum(following - position != 1 for position, following in pairwise(positions))
    return Span(min(positions), max(positions), labels, surface, 1 + n_gaps, is_positions=True)


def _numbers(offsets: Sequence[Any]) -> list[int]:
    """Return offsets as whole numbers, also where these stand in strings; raise an error for anything else."""
    numbers = [number_in(offset) for offset in offsets]
    if None in numbers:
        raise CleancutError(f"the offsets {quoted(offsets)} are not whole numbers.")
    return [number for number in numbers if number is not None]


def _unkeyed(value: Any, keyed: Keyed) -> Iterator[dict[str, Any]]:
    """Yield the records of a dict by label, or by surface."""
    if not isinstance(value, Mapping):
        raise CleancutError(f"{quoted(value)} is not a dict of mentions by {keyed.key}, as the others are.")
    for key, item in value.items():
        if item is None:
            continue
        if keyed.key == "surface":
            yield {"label": item, "surface": key}
        elif keyed.by_surface:
            if not isinstance(item, Mapping):
                raise CleancutError(f"{quoted(item)} is not a dict of offsets by words, as those of other labels are.")
            for surface, places in item.items():
                for offsets in listed(places or ()):
                    yield {"label": key, "surface": surface, "offsets": offsets}
        else:
            surfaces = [item] if isinstance(item, str) else listed(item)
            for surface in surfaces:
                yield {"label": key, "surface": surface}


def is_passages(kind: Kind) -> bool:
    """Return whether a column holds text in passages, each with its offset.

    Args:
        kind: the kind of the column.
    """
    fields = kind.of.fields if kind.name == "list" and kind.of else kind.fields
    return "text" in fields and "offsets" in fields


def text_in(value: Any) -> str:
    """Return a text, which may stand in passages, each at its own offset in the document.

    Args:
        value: the text, or its passages; None is the empty text.

    Raises:
        CleancutError: a passage has no text or no offsets, or begins far behind the end of the one before it.

    >>> text_in([{"text": ["Ada ran."], "offsets": [[0, 8]]}, {"text": ["Bo sat."], "offsets": [[9, 16]]}])
    'Ada ran. Bo sat.'
    """
    if value is None or isinstance(value, str):
        return value or ""
    characters: list[str] = []
    for passage in records_in(value):
        for text, start in _passages(passage):
            if not 0 <= start <= len(characters) + _WIDEST_GAP:
                raise CleancutError(
                    f"a passage begins at character {start}, but the text before it has {len(characters)}."
                )
            characters += " " * (start + len(text) - len(characters))
            characters[start : start + len(text)] = text
    return "".join(characters)


_WIDEST_GAP = 1_000_000
"""The number of characters that may be missing between two passages of a text."""


def _passages(record: Any) -> Iterator[tuple[str, int]]:
    """Yield the texts of a passage, each with the character that it begins at."""
    if not isinstance(record, Mapping) or record.get("text") is None or not record.get("offsets"):
        raise CleancutError(f"{quoted(record)} is not a passage with text and offsets.")
    text = record["text"]
    pieces = [text] if isinstance(text, str) else text
    texts = words_in(pieces)
    offsets = list(listed(record["offsets"]))
    pairs = offsets if isinstance(offsets[0], list | tuple) else [offsets]
    if len(texts) != len(pairs):
        raise CleancutError(f"a passage has {len(texts)} texts but {len(pairs)} offsets. Give each text its offsets.")
    for passage_text, pair in zip(texts, pairs, strict=True):
        yield passage_text, _numbers(listed(pair) or [None])[0]
