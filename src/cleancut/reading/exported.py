"""What annotation tools export, as rows.

They are in one of three forms: tokens with tags, tokens with token spans, or a text with spans of its characters.
From there on they go the way of every dataset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .opening import Row

TAGS = {"tokens": "tokens", "tags": "tags"}
TOKEN_SPANS = {"tokens": "tokens", "entities": "entities", "end": "exclusive"}
CHARACTERS = {"text": "text", "entities": "entities", "end": "exclusive"}
"""How the rows of an export are to be read, as options of ``from_dataset``."""


@dataclass(frozen=True)
class Exported:
    """The rows of an exported file."""

    rows: list[Row]
    reading: Mapping[str, str] = field(default_factory=dict)
    """Options of ``from_dataset``; where there are none, the columns have to be found."""
    notes: Sequence[str] = ()
    """What is to be known of the rows, such as how many were left out."""
    name: str = ""
    """The format, where the rows show more of it than the file did."""


def characters_of(rows: Sequence[Row]) -> Mapping[str, str]:
    """Return how spans of characters are to be read: ends are exclusive, unless what the spans quote shows the other.

    Args:
        rows: a text and its spans each; a span may quote its words as ``text``.
    """
    n_exclusive = n_inclusive = 0
    for row in rows:
        text = row["text"]
        for span in row["entities"] if isinstance(text, str) else ():
            quote, start, end = span.get("text"), span["start"], span["end"]
            if quote and isinstance(start, int) and isinstance(end, int):
                n_exclusive += text[start:end] == quote
                n_inclusive += text[start : end + 1] == quote
    return {**CHARACTERS, "end": "inclusive"} if n_inclusive > n_exclusive else CHARACTERS
