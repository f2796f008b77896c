"""The columns of datasets that have spans, and what the offsets of these count, told by all mentions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..core.exceptions import CleancutError, quoted
from ..core.tags import is_outside, prefix_letter
from .column_names import SPANS, TEXT
from .columns import Kind, Table, in_row, inner_table, plain_name, words_in
from .conventions import BY_CHARACTERS, BY_TOKENS, CLEAR, Convention, Evidence, Place, Unit, unsettled
from .shape import Form, Given, Shape
from .spans import Fields, fields_of, is_passages, spans_in, text_in
from .tag_columns import token_column

_CLEANCUT_FIELDS = ("start", "end", None, "label")
"""The first fields of spans as cleancut writes them, in the order of ``Fields``."""


def _span_column(table: Table, given: Given) -> tuple[str, Fields] | None:
    """Return the column of spans and the fields of these; None where there is none."""
    if given.tags is not None:
        return None
    fields_by_column = {}
    for name in table.kinds:
        fields = fields_of(table, name)
        if fields is not None:
            fields_by_column[name] = fields
    if given.entities is not None:
        if given.entities not in fields_by_column:
            kind = table.kinds.get(given.entities)
            raise CleancutError(
                f"entities={quoted(given.entities)} holds {kind}, not spans. Spans are dicts with label and start and "
                "end, offsets or text, or (start, end, label) triples."
            )
        return given.entities, fields_by_column[given.entities]
    by_plain_name = {plain_name(name): name for name in reversed(list(fields_by_column))}
    usual = [by_plain_name[name] for name in SPANS if name in by_plain_name]
    candidates = usual[:1] or list(fields_by_column)
    if usual and _hides_records(table, usual[0], fields_by_column):
        return None
    if len(candidates) > 1:
        raise CleancutError(
            f"the entities may be in {' or '.join(map(quoted, candidates))}. Choose one with entities=."
        )
    return (candidates[0], fields_by_column[candidates[0]]) if candidates else None


def _hides_records(table: Table, chosen: str, fields_by_column: Mapping[str, Fields]) -> bool:
    """Return whether a column shows no span, while another with a usual name has records that are not understood."""
    if any(table.value(row, chosen) for row in table.head):
        return False
    not_understood = table.kinds.keys() - fields_by_column.keys()
    unknown = [name for name in not_understood if plain_name(name) in SPANS]
    items = [table.kinds[name].of for name in unknown if table.kinds[name].is_list_of("record")]
    return any(item is not None and item.fields for item in items)


def token_spans(table: Table, given: Given) -> Shape | None:
    """Return the shape of tokens with spans that count them; None for anything else.

    Args:
        table: the columns and the first rows of the dataset.
        given: the columns and settings that the caller has named.

    Raises:
        CleancutError: it is not clear what the offsets count, or whether ends are inclusive.
    """
    tokens = token_column(table, given)
    if tokens is None or given.text is not None or not table.kinds[tokens].is_list_of("text"):
        return None
    span_column = _span_column(table, given)
    if span_column is None:
        return None
    column, fields = span_column
    if fields.is_quotes or (given.entities is None and plain_name(column) not in SPANS):
        return None
    text = None
    conventions = [*BY_TOKENS]
    if given.tokens is None and not fields.counts_tokens:  # the offsets may count characters
        text = _text_column(table, column)
        conventions += BY_CHARACTERS
    evidence = _evidence(table, conventions, column, fields, text=text, tokens=tokens)
    may_count_characters = given.tokens is None and not fields.counts_tokens
    if may_count_characters and _counts_characters(evidence, column, text):
        return None
    shape = Shape(Form.TOKEN_SPANS, column, tokens=tokens, fields=fields)
    return _span_shape(table, given, replace(shape, convention=_by_tokens(shape, given, evidence)))


def _by_tokens(shape: Shape, given: Given, evidence: Evidence) -> Convention:
    """Return the convention of token offsets; raise an error where it is not clear whether ends are inclusive."""
    exclusive, inclusive = BY_TOKENS
    if given.end is not None:
        return inclusive if given.end.is_inclusive else exclusive
    if not evidence.has_words:  # the names of columns tell more than edges do, unless they cannot be right
        assert shape.tokens is not None
        is_of_cleancut = plain_name(shape.annotation) == "entities" and shape.fields[:4] == _CLEANCUT_FIELDS
        goes_on = 2 * evidence.n_going_on > evidence.n_mentions and not evidence.speaks_for(exclusive, inclusive)
        if plain_name(shape.tokens) == "tokenized_text" and evidence.is_possible(inclusive):
            return inclusive  # as GLiNER writes them
        if not evidence.n_mentions or (is_of_cleancut and not goes_on and evidence.is_possible(exclusive)):
            return exclusive  # as cleancut writes them
    best = evidence.best(BY_TOKENS)
    other = exclusive if best.inclusive else inclusive
    if not evidence.speaks_for(best, other):
        raise unsettled(shape.annotation, evidence, *BY_TOKENS)
    return best


def _counts_characters(evidence: Evidence, column: str, text: str | None) -> bool:
    """Return whether the offsets of spans beside tokens count the characters of a text.

    An error is raised where that is not clear.
    """
    if not evidence.n_mentions:
        return False
    if evidence.is_impossible(Unit.TOKENS):
        return True
    by_tokens, by_characters = evidence.best(BY_TOKENS), evidence.best(BY_CHARACTERS[:2])
    if evidence.has_words:
        return evidence.speaks_for(by_characters, by_tokens)
    if not evidence.fits(by_characters):
        return False
    if text is None:
        # mentions that are words of the tokens with spaces between them, and as long as words are, not as mentions
        return evidence.n_mentions >= CLEAR and evidence.total_length >= 4 * evidence.n_mentions
    if evidence.n_mentions < CLEAR:
        if by_characters.inclusive:  # too few mentions for such a rare convention
            return False
        raise CleancutError(
            f"the offsets in {column} may count tokens or characters: {evidence.n_mentions} mentions fit both. Give "
            f"tokens= for the one (command line: --tokens), or text={quoted(text)} for the other (--text)."
        )
    return True


def _text_column(table: Table, annotation: str) -> str | None:
    """Return the column of texts beside a column of spans; None where there is none."""
    rest = Table({name: kind for name, kind in table.kinds.items() if name != annotation}, table.head)
    return rest.named(TEXT, lambda kind: (kind.name == "text" and not kind.packed) or is_passages(kind))


def _evidence(
    table: Table,
    conventions: Sequence[Convention],
    column: str,
    fields: Fields,
    *,
    text: str | None = None,
    tokens: str | None = None,
) -> Evidence:
    """Return what all mentions tell about their offsets; those in several pieces tell nothing."""
    evidence = Evidence(conventions)
    columns = {name for name in (column, text, tokens) if name is not None}
    for i, row in enumerate(table.rows(*columns)):
        with in_row(i):
            spans = spans_in(table.value(row, column), fields)
            distinct = {(span.start, span.end, span.surface): span for span in spans}
            words = words_in(table.value(row, tokens) or ()) if tokens is not None else []
            row_text = text_in(table.value(row, text)) if text is not None else " ".join(words)
            place = Place(row_text, words)
            for span in distinct.values():
                evidence.add(place, span)
    return evidence


def text_spans(table: Table, given: Given) -> Shape | None:
    """Return the shape of texts with spans that count characters, or that quote the text; None for anything else.

    Args:
        table: the columns and the first rows of the dataset.
        given: the columns and settings that the caller has named.

    Raises:
        CleancutError: it is not clear which column is the text, or how the offsets count.
    """
    span_column = _span_column(table, given)
    if span_column is None:
        return None
    column, fields = span_column
    if fields.is_quotes and given.tokens is not None and given.text is None:
        return None
    text = given.text or _text_column(table, column)
    if text is None:
        if fields.is_quotes and token_column(table, given) is not None:
            return None
        raise CleancutError(
            f"{quoted(column)} holds entities, but which column holds the text? The columns are {table}. Give text=, "
            "or tokens= where the offsets count tokens."
        )
    if not (is_passages(table.kinds[text]) or table.kinds[text].name == "text"):
        raise CleancutError(f"text={quoted(text)} holds {table.kinds[text]}, not text. Give another column.")
    if fields.is_quotes:
        return _span_shape(table, given, Shape(Form.QUOTES, column, text=text, fields=fields))
    if fields.counts_tokens:
        raise CleancutError(
            f"the offsets in {column} ({fields.start}) count tokens. Give the column of tokens (tokens=)."
        )
    shape = Shape(Form.CHARACTER_SPANS, column, text=text, fields=fields, pieces=_is_pieces(table, column, fields))
    evidence = _evidence(table, BY_CHARACTERS, column, fields, text=text)
    return _span_shape(table, given, replace(shape, convention=_by_characters(shape, given, evidence)))


def _is_pieces(table: Table, column: str, fields: Fields) -> bool:
    """Return whether the labels of spans are tags, so that the spans are pieces of mentions."""
    labels: set[Any] = set()
    for i, row in enumerate(table.rows(column)):
        with in_row(i):
            for span in spans_in(table.value(row, column), fields):
                labels.update(span.labels)
    return bool(labels) and all(_is_tag(label) for label in labels)


def _is_tag(label: Any) -> bool:
    """Return whether a label is O, or begins with a letter such as B-."""
    return isinstance(label, str) and bool(is_outside(label) or prefix_letter(label))


def _by_characters(shape: Shape, given: Given, evidence: Evidence) -> Convention:
    """Return the convention of character offsets; raise an error where it is not clear whether ends are inclusive."""
    allowed = list(BY_CHARACTERS)
    if given.end is not None:
        allowed = [c for c in allowed if c.inclusive is given.end.is_inclusive]
        if not evidence.has_words:  # only words that mentions name speak for another unit
            allowed = [c for c in allowed if c.is_usual]
    if evidence.has_positions:
        allowed = [c for c in allowed if c.inclusive]
        if not allowed:
            raise CleancutError(f"end='exclusive' has no effect: {shape.annotation} lists positions. Leave it out.")
    convention = evidence.best(allowed)
    if given.end is None and evidence.is_doubtful(convention):
        raise CleancutError(
            f"most of the {evidence.n_mentions} mentions in {shape.annotation} begin or end inside a word of "
            f"{shape.text}, however their offsets are read. Give the text that they are for (text=), or "
            "end='exclusive' or end='inclusive' if they are right (command line: --text, --end)."
        )
    other = convention._replace(inclusive=not convention.inclusive)
    if other not in allowed or convention.first or shape.pieces or evidence.speaks_for(convention, other):
        return convention
    if evidence.n_both(convention, other):
        raise unsettled(shape.annotation, evidence, convention, other)
    return convention


def token_quotes(table: Table, given: Given) -> Shape | None:
    """Return the shape of tokens with mentions that have no offsets; None for anything else.

    Args:
        table: the columns and the first rows of the dataset.
        given: the columns and settings that the caller has named.
    """
    tokens = token_column(table, given)
    span_column = _span_column(table, given)
    if tokens is None or span_column is None:
        return None
    column, fields = span_column
    if not fields.is_quotes:
        return None
    return _span_shape(table, given, Shape(Form.QUOTES, column, tokens=tokens, fields=fields))


def _span_shape(table: Table, given: Given, shape: Shape) -> Shape:
    """Return the shape of spans with the label names and a description."""
    kind = _label_kind(table, shape)
    names = given.labels if given.labels is not None else kind.names or None
    if kind.name == "int" and names is None:
        raise CleancutError(
            f"the labels in {shape.annotation} are ids without names. Give labels=, a list, id2label or a file."
        )
    if given.labels is not None and kind.name not in ("int", "label"):
        raise CleancutError(f"labels= has no effect: {shape.annotation} holds the names themselves. Leave it out.")
    if given.scheme is not None:
        raise CleancutError(f"scheme= has no effect: {shape.annotation} holds spans, not tags. Leave it out.")
    unit = shape.convention.unit
    first = shape.convention.first
    details = [shape.form.value]
    if unit in (Unit.BYTES, Unit.UTF16):
        details.append(f"in {unit.value}")
    if first:
        details.append(f"from {first}")
    if shape.inclusive:
        details.append("ends inclusive")
    if shape.pieces:
        details.append("B- and I- pieces joined")
    if table.kinds[shape.annotation].packed:
        details.append("in a string")
    return replace(shape, labels=names, detail=", ".join(details))


def _label_kind(table: Table, shape: Shape) -> Kind:
    """Return the kind of the labels of spans."""
    label = shape.fields.label
    inner = inner_table(table, shape.annotation) if shape.fields.keyed is None else None
    if inner is None or not isinstance(label, str):
        return Kind("text")
    return inner.kinds[label]
