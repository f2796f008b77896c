"""JSON as language models write it: single quotes, trailing commas, tuples, calls, a missing end.

The standard library reads what is JSON. What is nearly JSON is read here, value by value, and no further than it is
sure: where the text ends too early, values that are not complete are left out.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

DEEPEST = 40
"""Lists inside lists that are followed; an answer has three or four."""
MOST_ATTEMPTS = 200
"""Brackets at which a value is looked for in vain before the rest of a text is left alone."""

_OPENING = {"[": "]", "{": "}", "(": ")"}
_CLOSING = frozenset("]})")
_QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d\u201c", "\u2018": "\u2019\u2018", "\u201d": "\u201d"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_SPACE = re.compile(r"(?:\s+|//[^\n]*)*")
_BARE = re.compile(r"[^,\[\](){}:=\n\"]+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\Z")
_WORDS = {"null": None, "none": None, "nan": None, "true": True, "false": False}


class Pairs(list[tuple[str, Any]]):
    """An object as its pairs of key and value: a key that comes twice keeps both values."""


class Call(NamedTuple):
    """A call such as ``Person(span="Ada")``: its name, and its arguments as a list or as pairs."""

    name: str
    arguments: list[Any]


class Bare(str):
    """A word without quotes."""

    __slots__ = ()


class _BrokenError(Exception):
    """The text at this place is no value."""


class Found(NamedTuple):
    """A value in a text, where it begins and ends, and whether its end was missing."""

    value: Any
    start: int
    end: int
    cut: bool


def strict_value(text: str) -> Any:
    """Return the value of a text that is JSON and nothing else, objects as ``Pairs``; ``ValueError`` for any other."""
    try:
        return json.loads(text, object_pairs_hook=Pairs, parse_constant=lambda _: None)
    except RecursionError:
        raise ValueError("too deep") from None


def values_in(text: str, brackets: str = "[{") -> list[Found]:
    """Return the values of a text that begin with one of the brackets and do not lie inside one another.

    Args:
        text: the text.
        brackets: the brackets that a value may begin with.

    >>> [one.value for one in values_in("Sure: ['Ada', 'Bo',] and [1, [2")]
    [['Ada', 'Bo'], [1, []]]
    """
    return _scan(text, re.compile(f"()(?=[{re.escape(brackets)}])"))


def calls_in(text: str) -> list[Found]:
    """Return the calls of a text that do not lie inside one another.

    >>> [found.value for found in calls_in('x = [Person(span="Ada"), Person("Bo")]')]
    [Call(name='Person', arguments=[('span', 'Ada')]), Call(name='Person', arguments=['Bo'])]
    """
    return _scan(text, _CALL)


def _scan(text: str, opening: re.Pattern[str]) -> list[Found]:
    """Read a value wherever the pattern ends at a bracket; its first group is the name of a call, or empty."""
    values: list[Found] = []
    at = n_failed = n_read = 0
    # what is read in vain is bounded, so that no text takes more than a few times its length
    while n_failed < MOST_ATTEMPTS and n_read <= 4 * len(text):
        match = opening.search(text, at)
        if match is None:
            break
        reader = _Reader(text, match.end())
        try:
            value = reader.value(0)
        except _BrokenError:
            n_failed += 1
            n_read += reader.at - match.start()
            at = match.end() + 1
            continue
        if match[1]:
            value = Call(match[1], value)
        values.append(Found(value, match.start(), reader.at, reader.cut))
        at = reader.at
    return values


_CALL = re.compile(r"(?<![\w.\"'])([^\W\d][\w-]*)(?=\(\s*(?:[\"'\u201c\u2018\[{)]|\w+\s*[=(]))")


class _Reader:
    """Reads one value from a place of a text on."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.cut = False

    def value(self, depth: int) -> Any:
        """Read the value that begins here, and go to its end; ``depth`` is the number of brackets around it."""
        if depth > DEEPEST:
            raise _BrokenError
        self._skip()
        first = self._here()
        if first in _OPENING:
            return self._container(depth)
        if first in _QUOTES:
            return self._string()
        return self._bare(depth)

    def _here(self) -> str:
        """Return the character at this place; an empty text at the end."""
        return self.text[self.at : self.at + 1]

    def _skip(self) -> None:
        """Go on behind the white space at this place."""
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def _container(self, depth: int) -> Any:
        """Read a list, a tuple, or an object: pairs if its items have keys."""
        closing = _OPENING[self._here()]
        self.at += 1
        items: list[Any] = []
        pairs = Pairs()
        while True:
            self._skip()
            here = self._here()
            if not here:
                self.cut = True
                break
            if here in ",;":
                self.at += 1
                continue
            if here in _CLOSING:
                # one that belongs to a list further out ends this one too, whose own is missing
                if here == closing:
                    self.at += 1
                elif depth == 0:
                    raise _BrokenError
                break
            value = self.value(depth + 1)
            if self.cut and not isinstance(value, list) and not value:
                break  # a word that the end of the text cuts off
            self._skip()
            sign = self._here()
            if sign and sign in ":=" and isinstance(value, str):
                self.at += 2 if self.text.startswith("=>", self.at) else 1
                self._keyed(value, pairs, depth)
            else:
                items.append(value)
            if self.cut:
                break
        return pairs if pairs and not items else [*items, pairs] if pairs else items

    def _keyed(self, key: str, pairs: Pairs, depth: int) -> None:
        """Read the value of a key; one that is cut off is left out with its key."""
        self._skip()
        if not self._here():
            self.cut = True
            return
        if self._here() in _CLOSING:
            pairs.append((str(key), None))
            return
        value = self.value(depth + 1)
        if not self.cut or isinstance(value, list) or value:
            pairs.append((str(key), value))

    def _string(self) -> str:
        """Read a string in quotes, which ends at a quote that something of the list around it follows."""
        closing = _QUOTES[self._here()]
        triple = self._here() * 3
        if self._here() in "\"'" and self.text.startswith(triple, self.at):
            end = self.text.find(triple, self.at + 3)
            if end > 0:
                quoted, self.at = self.text[self.at + 3 : end], end + 3
                return quoted
        parts: list[str] = []
        at = begun = self.at + 1
        stop = re.compile(f"[\\\\{re.escape(closing)}]")
        while True:
            match = stop.search(self.text, at)
            if match is None:
                self.cut = True
                self.at = len(self.text)
                # JSON inside a string can be read as far as it goes; of a name the end is missing
                rest = "".join([*parts, self.text[begun:]])
                return rest if rest.lstrip()[:1] in ("[", "{") and parts else ""
            at = match.start()
            if match[0] != "\\":
                if self._ends_string(at + 1):
                    parts.append(self.text[begun:at])
                    self.at = at + 1
                    return "".join(parts)
                at += 1
                continue
            parts.append(self.text[begun:at])
            letter, at = self._escaped(at + 1)
            parts.append(letter)
            begun = at

    def _escaped(self, at: int) -> tuple[str, int]:
        """Return what an escape stands for, and where it ends."""
        letter = self.text[at : at + 1]
        if letter != "u":
            return _ESCAPES.get(letter, letter), at + 1
        code = _HEX.match(self.text, at + 1)
        if code is None:
            return letter, at + 1
        pair = _LOW_HALF.match(self.text, code.end())
        if 0xD800 <= int(code[0], 16) < 0xDC00 and pair is not None:
            both = (int(code[0], 16) - 0xD800 << 10) + int(pair[1], 16) - 0xDC00 + 0x10000
            return chr(both), pair.end()
        return chr(int(code[0], 16)), code.end()

    def _ends_string(self, at: int) -> bool:
        """Return whether a quote before this place ends its string, rather than being inside it."""
        match = _AFTER.match(self.text, at)
        assert match is not None
        following = self.text[match.end() : match.end() + 1]
        if not following or following in "]}):;=":
            return True
        if following == ",":
            return _NEXT_ITEM.match(self.text, match.end() + 1) is not None
        # a missing comma: the next item begins on a line of its own, or with a quote after a space
        if "\n" in match[0]:
            return True
        return bool(match[0]) and following in _QUOTES

    def _bare(self, depth: int) -> Any:
        """Read a number, a constant, a word without quotes, or a call."""
        match = _BARE.match(self.text, self.at)
        if match is None:
            raise _BrokenError
        word = match[0].strip()
        if self.text.startswith("(", match.end()) and word.isidentifier():
            self.at = match.end()
            return Call(word, self._container(depth))
        self.at = match.end()
        if self.at == len(self.text):
            self.cut = True
            return ""
        if _NUMBER.match(word):
            return float(word) if any(sign in word for sign in ".eE") else int(word[:18])
        if word.lower() in _WORDS:
            return _WORDS[word.lower()]
        if not word:
            raise _BrokenError
        return Bare(word)


_HEX = re.compile(r"[0-9a-fA-F]{4}")
_LOW_HALF = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_AFTER = re.compile(r"\s*")
_NEXT_ITEM = re.compile(
    r"\s*(?://[^\n]*\s*)*(?:[\"'\u201c\u2018`\[\]{}()\d-]|\w+\s*[=:(]|null|None|true|false|\w+\s*[)\]},]|\Z)"
)
