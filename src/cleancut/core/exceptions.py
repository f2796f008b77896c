"""The error of this package, and the texts that its messages are made of."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, TypeVar

_LONGEST = 900
"""The most characters of a message."""
_QUOTED = 80
"""The most characters of a value that a message quotes."""


class CleancutError(ValueError):
    """The error that bad input raises, whose message says in one short line what is wrong, where, and what to do.

    Args:
        message: the text. Line breaks become spaces, and a long text is shortened in its middle.
    """

    def __init__(self, message: str = "") -> None:
        line = " ".join(message.split("\n")) if "\n" in message else message
        if len(line) > _LONGEST:  # the place is at its beginning and the remedy at its end: both are kept
            line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 3 :]}"
        if not line.isprintable():  # such as a control character in the name of a file
            line = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in line)
        super().__init__(line)


Item = TypeVar("Item")


def quoted(value: object) -> str:
    r"""Return a value as a message quotes it: in one line, and at most 80 characters of it.

    Args:
        value: any object.

    >>> quoted("a\nb"), len(quoted("x" * 10_000_000))
    ("'a\\nb'", 80)
    """
    try:
        text = repr(_beginning(value, [_QUOTED]))
    except Exception:  # a repr that fails must not hide the error that is being reported
        text = f"<{type(value).__name__}>"
    if not isinstance(value, str | bytes):
        text = _ADDRESS.sub("", text)
    return text if len(text) <= _QUOTED else f"{text[: _QUOTED - 3]}..."


_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+(?=>)")
"""Where an object lies in memory, which is another place in every run."""


def _beginning(value: Any, left: list[int]) -> Any:
    """Return as much of a value as a message can quote, so that no long repr is made, however deep its lists are.

    Args:
        value: any object.
        left: how many more values may be looked at. Each is shown by one character at least.
    """
    left[0] -= 1
    if isinstance(value, str | bytes):
        return value[: _QUOTED + 1] if type(value) in (str, bytes) else value
    if type(value) is dict:
        return {_beginning(key, left): _beginning(own, left) for key, own in _first(value.items(), left)}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(_beginning(item, left) for item in _first(value, left))
    return value


def _first(values: Iterable[Item], left: list[int]) -> Iterator[Item]:
    """Yield values as long as more of them may be looked at."""
    for value in values:
        if left[0] <= 0:
            return
        yield value


def reason(error: BaseException) -> str:
    r"""Return what a library says is wrong: the first line of its message, and at most 200 characters of it.

    Args:
        error: the error that the library raised.

    >>> reason(ValueError("no such field\nin a schema of 900 lines"))
    'no such field'
    """
    lines = str(error).strip().splitlines()
    return lines[0][:200].rstrip(" .:") if lines else type(error).__name__


def counted(n: int, noun: str) -> str:
    """Return how many things there are in words.

    Args:
        n: how many there are.
        noun: one of them, whose plural ends in s.

    >>> counted(1, "sample"), counted(0, "sample"), counted(2, "predicted sample")
    ('1 sample', '0 samples', '2 predicted samples')
    """
    return f"1 {noun}" if n == 1 else f"{n} {noun}s"


Choice = TypeVar("Choice", bound=StrEnum)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a question such as `` Did you mean iob2?`` if a known name is close to the given one, else nothing.

    Args:
        name: the name that was given.
        known: the names that exist.

    >>> did_you_mean("Exakt", ["exact", "partial"]), did_you_mean("x", ["exact"])
    (' Did you mean exact?', '')
    """
    folded: dict[str, str] = {}
    for known_name in known:
        folded.setdefault(str.lower(known_name), known_name)
    text = name if isinstance(name, str) else quoted(name)
    close = difflib.get_close_matches(text[:80].lower(), folded, 1, 0.5)
    return f" Did you mean {folded[close[0]]}?" if close else ""


def parse_choice(kind: type[Choice], value: object, name: str) -> Choice:
    """Return the member of an enumeration that a user named.

    Args:
        kind: the enumeration.
        value: the name of the member, in any case.
        name: the name of the option, for messages.

    Raises:
        CleancutError: there is no such member; the message lists them all.
    """
    text = value if isinstance(value, str) else quoted(value)  # which cannot fail, whatever the object
    try:
        return kind(str.lower(text))  # also of a text whose own methods fail
    except ValueError:
        choices = ", ".join(kind)
        hint = did_you_mean(text, kind)
        raise CleancutError(f"{name}={quoted(value)} is unknown.{hint} Choose one of: {choices}.") from None
