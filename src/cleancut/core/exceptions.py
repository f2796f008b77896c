"""Errors that say what is wrong and name the nearest right choice."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

_LONGEST = 900
"""Characters of a message: what is longer quotes something whole."""
_QUOTED = 80
"""Characters of a value that a message quotes."""


class CleancutError(ValueError):
    """Bad input: the message says what, where, both values and the remedy, in one line of bounded length."""

    def __init__(self, message: str = "") -> None:
        line = " ".join(message.split("\n")) if "\n" in message else message
        if len(line) > _LONGEST:  # the place stands first and the remedy last
            line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 3 :]}"
        super().__init__(line)


def quoted(value: object) -> str:
    """Return a value as a message quotes it: in one line, and no more than 80 characters of it.

    >>> quoted("a\\nb"), len(quoted("x" * 10_000_000))
    ("'a\\\\nb'", 80)
    """
    try:
        if isinstance(value, str | bytes) and len(value) > _QUOTED:
            value = value[:_QUOTED]  # before its repr is made
            return f"{repr(value)[: _QUOTED - 3]}..."
        text = repr(value)
    except Exception:  # whatever an object of somebody else raises, it is not what is wrong here
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _QUOTED else f"{text[: _QUOTED - 3]}..."


def reason(error: BaseException) -> str:
    """Return what a library says is wrong: the first line, and no more than 200 characters of it.

    >>> reason(ValueError("no such field\\nin a schema of 900 lines"))
    'no such field'
    """
    lines = str(error).strip().splitlines()
    return lines[0][:200].rstrip(" .:") if lines else type(error).__name__


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
