"""Limits of memory: a small file can claim, or unpack to, any size."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from .exceptions import CleancutError, quoted

VARIABLE = "CLEANCUT_MAX_UNPACKED"
"""The environment variable that raises the limit."""
DEFAULT = 2 * 10**9
"""The limit in bytes, unless the variable is set."""
_LINES = 16
"""How many of the longest lines fit into the limit. A line is in memory several times while it is read."""
PIECE = 1 << 20
"""How many bytes are unpacked at a time."""
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def max_unpacked() -> int:
    """Return how many bytes one file may unpack to: 2 GB, or the value of ``CLEANCUT_MAX_UNPACKED``, such as 16GB.

    Raises:
        CleancutError: the variable does not hold a size.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return DEFAULT
    parts = re.fullmatch(r"(\d{1,15})\s*([KMGT]?)I?B?", given.upper())
    if parts is None:
        raise CleancutError(f"{VARIABLE}={quoted(given)} is not a size. Give a size such as 16GB.")
    return int(parts[1]) * _UNITS[parts[2]]


def refuse_larger(n_bytes: int, what: str) -> None:
    """Refuse data that takes more memory than one file may take.

    Args:
        n_bytes: the bytes that the data takes, or claims to take.
        what: the beginning of the message: the file, and what it needs the bytes for.

    Raises:
        CleancutError: the limit is exceeded; the message names it and how to raise it.
    """
    limit = max_unpacked()
    if n_bytes >= limit:
        raise CleancutError(
            f"{what} takes {in_words(n_bytes)}, over the limit of {in_words(limit)}. {_raised(n_bytes)}"
        )


def refuse_longer(n_bytes: int, what: str) -> None:
    """Refuse a line, or a sample of lines, that is longer than a 16th of what one file may take.

    Args:
        n_bytes: the number of bytes that were read so far.
        what: the beginning of the message: the file and the line.

    Raises:
        CleancutError: the limit is exceeded; the message names it and how to raise it.
    """
    limit = longest_line()
    if n_bytes > limit:
        raise CleancutError(f"{what}: a line or sample of more than {in_words(limit)}. {_raised(_LINES * n_bytes)}")


def longest_line() -> int:
    """Return how many bytes a line, or a sample that spans lines, may have."""
    return max_unpacked() // _LINES


def refuse_endless(pieces: Iterable[bytes], what: str) -> None:
    """Refuse packed data that unpacks to more than one file may take. The unpacked data is not kept.

    Args:
        pieces: the unpacked data, piece by piece.
        what: the beginning of the message: the file.

    Raises:
        CleancutError: the limit is exceeded; the message names it and how to raise it.
    """
    limit = max_unpacked()
    n_bytes = 0
    for piece in pieces:
        n_bytes += len(piece)
        if n_bytes >= limit:
            raise CleancutError(f"{what} unpacks to more than {in_words(limit)}. {_raised(limit)}")


def _raised(n_bytes: int) -> str:
    """Return the sentence of a message that says how to raise the limit."""
    return f"If you trust the file, set {VARIABLE}, such as {VARIABLE}={in_words(2 * n_bytes).replace(' ', '')}."


def in_words(n_bytes: int) -> str:
    """Return a number of bytes as people write it, rounded up.

    Args:
        n_bytes: the number of bytes.

    >>> in_words(4 * 2**30), in_words(1500), in_words(2**60)
    ('4 GB', '2 KB', '1048576 TB')
    """
    for unit, size in (("TB", 2**40), ("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if n_bytes >= size:
            return f"{-(-n_bytes // size)} {unit}"
    return f"{n_bytes} B"
