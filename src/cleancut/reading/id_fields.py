"""Ids of entities in rows: in a field of the spans, or in a column beside the mentions or the tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core import checks
from ..core.exceptions import CleancutError, quoted
from .columns import listed, records_in, unpacked


def checked_ids(ids: Any) -> str | int:
    """Return what names the ids of entities: a column or a field, or the number of a column of CoNLL.

    Args:
        ids: the option.

    Raises:
        CleancutError: it is no name and no number.
    """
    if checks.is_whole(ids):
        return checks.column_number(ids, "ids")
    return checks.text(ids, "ids", "the name of a column or of a field of the entities, or the number of a column")


def conll_column_of_ids(ids: str | int | None, width: int, taken: Mapping[str, int], source: object) -> int | None:
    """Return the column of ids in a file of CoNLL columns.

    Args:
        ids: the option, or None.
        width: the number of columns.
        taken: the columns of the words and tags by what they hold.
        source: the file, for messages.

    Raises:
        CleancutError: it is no number of a column, or that of the words or tags.
    """
    if ids is None:
        return None
    try:
        number = int(ids)
    except Exception:  # whatever the methods of an object raise
        raise CleancutError(
            f"{source}: ids={quoted(ids)} is not a number, but columns of CoNLL have no names. Give the number of the "
            "column: 0 is the first, -1 the last."
        ) from None
    if not -width <= number < width:
        raise CleancutError(f"{source}: ids={number} is not a column of the file, which has {width}.")
    for content, column in taken.items():
        if column % width == number % width:
            raise CleancutError(f"{source}: ids={number} is the column of the {content}. Give the one of the ids.")
    return number % width


def ids_of_row(row: Mapping[str, Any], annotation: Any, ids: str | int) -> list[Any] | None:
    """Return what a row has as ids, for each of its spans or tokens; None where it has neither field nor column.

    Args:
        row: the row.
        annotation: its spans or tags.
        ids: the name of the field or the column. A field of the spans comes before a column.

    Raises:
        CleancutError: the column holds no list.
    """
    if isinstance(annotation, list | tuple | Mapping):
        spans = records_in(annotation) if isinstance(annotation, Mapping) else annotation
        if any(isinstance(span, Mapping) and ids in span for span in spans):
            return [span.get(ids) if isinstance(span, Mapping) else None for span in spans]
    value = row.get(str(ids))
    if isinstance(value, str):  # a list inside a string
        value = unpacked(value)
    if value is None:
        return None
    return list(listed(value))


def absent_ids(place: str, ids: str | int) -> CleancutError:
    """Return the error for data with mentions of which none has the ids that were asked for.

    Args:
        place: names the data.
        ids: the name of the field or the column.
    """
    return CleancutError(
        f"{place}: ids={quoted(ids)} is neither a field of the entities nor a column. Name the one that holds the ids "
        "of entities."
    )
