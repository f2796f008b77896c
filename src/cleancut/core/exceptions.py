"""Errors that say what is wrong and name the nearest right choice."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar


class CleancutError(ValueError):
    """Bad input: the message says what, where, both values and the remedy."""


Choice = TypeVar("Choice", bound=StrEnum)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """`` Did you mean iob2?`` where a known name is near to the one given, else nothing.

    >>> did_you_mean("Exakt", ["exact", "partial"]), did_you_mean("x", ["exact"])
    (' Did you mean exact?', '')
    """
    folded: dict[str, str] = {}
    for one in known:
        folded.setdefault(one.lower(), one)
    close = difflib.get_close_matches(str(name).lower(), folded, 1, 0.5)
    return f" Did you mean {folded[close[0]]}?" if close else ""


def parse_choice(kind: type[Choice], value: str, name: str) -> Choice:
    """The member of an enumeration that a user named, or an error that lists them all."""
    try:
        return kind(str(value).lower())
    except ValueError:
        choices = ", ".join(kind)
        hint = did_you_mean(value, kind)
        raise CleancutError(f"{name}={value!r} is unknown.{hint} Choose one of: {choices}.") from None
