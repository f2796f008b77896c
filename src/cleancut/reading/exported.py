"""Rows of what annotation tools export.

They are in one of three forms: tokens with tags, tokens with token spans, or a text with spans of its characters.
From there on they are read as every dataset is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .opening import Row

TAGS = {"tokens": "tokens", "tags": "tags"}
"""How rows with tokens and tags are read, as options of ``from_dataset``."""
TOKEN_SPANS = {"tokens": "tokens", "entities": "entities", "end": "exclusive"}
"""How rows with tokens and token spans are read, as options of ``from_dataset``."""
CHARACTERS = {"text": "text", "entities": "entities", "end": "exclusive"}
"""How rows with a text and spans of its characters are read, as options of ``from_dataset``."""


@dataclass(frozen=True)
class Exported:
    """The rows of an exported file."""

    rows: list[Row]
    """The rows."""
    reading: Mapping[str, str] = field(default_factory=dict)
    """Options of ``from_dataset``; where there are none, the columns have to be detected."""
    notes: Sequence[str] = ()
    """What the user should know about the rows, such as how many were left out."""
    name: str = ""
    """The format, where the rows show more of it than the file did."""


def characters_of(rows: Sequence[Row]) -> Mapping[str, str]:
    """Return how spans of characters are read: ends are exclusive, unless what the spans quote shows otherwise.

    Args:
        rows: rows with a text and its spans; a span may quote its words as ``text``.

    >>> characters_of([{"text": "Ada ran", "entities": [{"start": 0, "end": 2, "text": "Ada"}]}])["end"]
    'inclusive'
    """
    n_exclusive = 0
    n_inclusive = 0
    for row in rows:
        text = row["text"]
        if not isinstance(text, str):
            continue
        for span in row["entities"]:
            quote = span.get("text")
            start = span["start"]
            end = span["end"]
            if quote and isinstance(start, int) and isinstance(end, int):
                n_exclusive += text[start:end] == quote
                n_inclusive += text[start : end + 1] == quote
    if n_inclusive > n_exclusive:
        return {**CHARACTERS, "end": "inclusive"}
    return CHARACTERS


def id_as(record: Mapping[str, Any], column: str) -> Row:
    """Return the id of a record under the name of a column, as part of a row; nothing if the record has no id.

    Args:
        record: the record.
        column: the name of the column.

    >>> id_as({"id": 7, "text": "Ada ran"}, "doc"), id_as({"text": "Ada ran"}, "doc")
    ({'doc': '7'}, {})
    """
    return {} if record.get("id") is None else {column: str(record["id"])}


def are_as_quoted(rows: Iterable[Row]) -> bool:
    """Return whether the text at the offsets of each span is the text that the span quotes.

    Args:
        rows: rows with a text and its spans; a span whose ``text`` is None quotes nothing.

    >>> span = {"start": 0, "end": 3, "text": "Ada"}
    >>> are_as_quoted([{"text": "Ada ran", "entities": [span]}]), are_as_quoted([{"text": "O Ada", "entities": [span]}])
    (True, False)
    """
    return all(
        span["text"] is None or row["text"][max(span["start"], 0) : span["end"]] == span["text"]
        for row in rows
        for span in row["entities"]
    )
