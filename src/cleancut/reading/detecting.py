"""The columns of a dataset that hold its tokens, annotation and documents, in the shapes that the Hub has.

The result is a ``Shape``, whose text says what was detected; the caller can name every column instead. Nothing is
guessed where two readings are possible: the error lists the columns and names the option to give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from ..core.exceptions import CleancutError, parse_choice, quoted
from ..core.tags import parse_scheme
from .batches import check_reading
from .column_names import DOCUMENT, TAGS, TEXT, TOKENS
from .columns import Table, table_of
from .label_names import names_in
from .shape import End, Form, Given, Shape
from .span_columns import text_spans, token_quotes, token_spans
from .tag_columns import nested_tags, refuse_strange_names, tag_inventory, token_rows, token_tags


def detect(
    dataset: Any,
    *,
    tokens: str | None = None,
    tags: str | None = None,
    entities: str | None = None,
    text: str | None = None,
    labels: Any = None,
    scheme: str | None = None,
    document: str | None = None,
    end: str | None = None,
    ids: str | None = None,
) -> Shape:
    """Return the shape of a dataset, by its features and rows.

    Args:
        dataset: a ``Dataset``, an ``IterableDataset`` or a list of dicts.
        tokens: the column of tokens.
        tags: the column of tags or label ids.
        entities: the column of spans.
        text: the column of the text that spans count characters of.
        labels: the names of label ids: a list, id2label, label2id, or a file with one of them.
        scheme: the scheme of the tags.
        document: the column that names the document of a row.
        end: whether the end of a span belongs to it: ``exclusive`` or ``inclusive``.
        ids: the column, or the field of spans, with the ids of entities; they are never detected.

    Returns:
        The columns and how they are read. What the caller has named is taken as it is; the rest is detected.

    Raises:
        CleancutError: nothing fits, two columns fit equally well, or an option has no effect.

    >>> print(detect([{"text": "Ada ran.", "entities": [{"start": 0, "end": 3, "label": "PER"}]}]))
    text: text; entities: entities (character offsets)
    """
    return _detect(
        table_of(dataset),
        tokens=tokens,
        tags=tags,
        entities=entities,
        text=text,
        labels=labels,
        scheme=scheme,
        document=document,
        end=end,
        ids=ids,
    )


def detect_splits(parts: Mapping[str, Any], **options: Any) -> dict[str, Shape]:
    """Return the shape of each split. Splits with the same columns are judged together, and have one shape.

    Args:
        parts: the splits by name, each as ``detect`` takes it.
        **options: the options of ``detect``.

    Raises:
        CleancutError: the shape of a split is not clear.
    """
    groups: dict[Any, list[str]] = {}
    for name, part in parts.items():
        groups.setdefault(_columns_of(part), []).append(name)
    shapes: dict[str, Shape] = {}
    for names in groups.values():
        shape = _detect(table_of(*(parts[name] for name in names)), **options)
        shapes |= dict.fromkeys(names, shape)
    return {name: shapes[name] for name in parts}


def _columns_of(dataset: Any) -> Any:
    """Return a value that differs between datasets with different columns."""
    if isinstance(dataset, list):
        return frozenset(chain.from_iterable(row for row in dataset if isinstance(row, Mapping)))
    features = getattr(dataset, "features", None)
    return str(features) if features is not None else id(dataset)


def _detect(
    table: Table,
    *,
    tokens: str | None = None,
    tags: str | None = None,
    entities: str | None = None,
    text: str | None = None,
    labels: Any = None,
    scheme: str | None = None,
    document: str | None = None,
    end: str | None = None,
    ids: str | None = None,
) -> Shape:
    """Return the shape of a table; the options are those of ``detect``."""
    if tags is not None and entities is not None:
        raise CleancutError("give either tags or entities, not both.")
    ends = None if end is None else parse_choice(End, end, "end")
    given = Given(tokens, tags, entities, text, names_in(labels), parse_scheme(scheme), document, ends, ids)
    check_reading(given._asdict())
    _check_given(table, given)
    for find in (token_spans, token_tags, text_spans, token_quotes, nested_tags, token_rows):
        shape = find(table, given)
        if shape is not None:
            _check_used(shape, given)
            packed = frozenset(name for name, kind in table.kinds.items() if kind.packed)
            with_document = replace(shape, document=given.document or _document(table), packed=packed)
            return replace(with_document, ids=given.ids, has_column_of_ids=given.ids in table.kinds)
    raise _unclear(table, given)


def _check_used(shape: Shape, given: Given) -> None:
    """Raise an error where the caller has named something that has no effect on the shape."""
    if given.end is not None and shape.form is not Form.TOKEN_SPANS and shape.form is not Form.CHARACTER_SPANS:
        end = given.end.value
        raise CleancutError(f"end={quoted(end)} has no effect: {shape.annotation} holds {shape.form}. Leave it out.")
    if given.text is not None and given.text not in (shape.text, shape.tokens):
        raise CleancutError(f"text={quoted(given.text)} has no effect: {shape}. Leave it out, or name the entities.")
    if given.tokens is not None and shape.tokens is None:
        raise CleancutError(f"tokens={quoted(given.tokens)} has no effect: {shape}. Leave it out, or name the tags.")


def _check_given(table: Table, given: Given) -> None:
    """Raise an error where the caller has named a column that the table does not have."""
    inner_fields = {name for kind in table.kinds.values() for name in (kind.of or kind).fields}
    for option in ("tokens", "tags", "entities", "text", "document"):
        name = getattr(given, option)
        if name is None or name in table.kinds:
            continue
        column, _, field = name.partition(".")
        is_field = name in inner_fields or (column in table.kinds and field in inner_fields)
        if not is_field or option not in ("tokens", "tags"):
            raise CleancutError(f"{option}={quoted(name)} is not among the columns {table}.")


def _document(table: Table) -> str | None:
    """Return the column that names documents; None where there is none."""
    return table.named(DOCUMENT, lambda kind: kind.name in ("text", "int") and not kind.packed)


def _unclear(table: Table, given: Given) -> CleancutError:
    """Return the error for a table without tokens or annotation."""
    tokens = given.tokens or table.named(TOKENS, lambda kind: kind.is_list_of("text"))
    text = given.text or table.named(TEXT, lambda kind: kind.name == "text")
    wanted = "annotation" if tokens or text else "tokens"
    tags = table.named(TAGS, lambda kind: kind.is_list_of("text"))
    if tags is not None and tokens is not None and given.entities is None:
        refuse_strange_names(tags, tag_inventory(table, tags))
    return CleancutError(
        f"no {wanted} among {', '.join(map(quoted, table.kinds)) or 'no columns'}. The columns are {table}. Name those "
        "that hold the annotation: tokens= and tags=, or text= (or tokens=) and entities=."
    )
