"""Errors that say what is wrong and name the nearest right choice."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar


class CleancutError(ValueError):
    """Bad input: the message says what, where, both values and the remedy."""


def quoted(value: object) -> str:
    """Return a value as a message quotes it: in one line, and no more than 60 characters of it.

    >>> quoted("a\\nb"), len(quoted("x" * 10_000_000))
    ("'a\\\\nb'", 60)
    """
    try:
        if isinstance(value, str | bytes) and len(value) > 60:
            value = value[:60]  # before its repr is made
            return f"{value!r:.57}..."
        text = repr(value)
    except Exception:  # whatever an object of somebody else raises, it is not what is wrong here
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else f"{text[:57]}..."


Choice = TypeVar("Choice", bound=StrEnum)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """`` Did you mean iob2?`` where a known name is near to the one given, else nothing.

    >>> did_you_mean("Exakt", ["exact", "partial"]), did_you_mean("x", ["exact"])
    (' Did you mean exact?', '')
    """
    folded: dict[str, str] = {}
    for one in known:
        folded.setdefault(one.lower(), one)
    close = difflib.get_close_matches(str(name)[:80].lower(), folded, 1, 0.5)
    return f" Did you mean {folded[close[0]]}?" if close else ""


def parse_choice(kind: type[Choice], value: object, name: str) -> Choice:
    """The member of an enumeration that a user named, or an error that lists them all."""
    try:
        return kind(str(value).lower())
    except ValueError:
        choices = ", ".join(kind)
        hint = did_you_mean(value, kind)
        raise CleancutError(f"{name}={quoted(value)} is unknown.{hint} Choose one of: {choices}.") from None
