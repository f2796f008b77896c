"""Where a name stands in the text of a sample: exactly, else more loosely."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from html import unescape
from typing import NamedTuple

from .answer_records import Named, squeezed

MOST_PLACES = 4096
"""Places of one name that are looked at, if it is not named more often. So many has a full stop in a long text."""
MOST_PLACES_OF_ALL = 500_000
"""Places of all names of an answer together, which bound the memory."""
ALIKE = 0.85
"""Share of letters in common from which on words are taken for a misspelt mention, where that is asked for."""
MOST_WINDOWS = 20_000
"""Stretches of a text that are compared with a misspelt mention."""


class Place(NamedTuple):
    """A stretch of tokens, half-open."""

    start: int
    end: int


class Line(NamedTuple):
    """Tokens without white space one after the other, and which of them begins and ends where."""

    text: str
    starts: dict[int, int]
    ends: dict[int, int]
    begins: dict[str, list[int]]
    """Where each word begins."""
    longest: int
    """Letters of the longest word."""


def _line(tokens: Sequence[str]) -> Line:
    """Return the line of tokens that have no white space; empty ones are in no name."""
    kept = range(len(tokens)) if all(tokens) else [i for i, token in enumerate(tokens) if token]
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    begins: dict[str, list[int]] = {}
    at = 0
    for i in kept:
        token = tokens[i]
        starts[at] = i
        begins.setdefault(token, []).append(at)
        at += len(token)
        ends[at] = i + 1
    return Line("".join(tokens), starts, ends, begins, max(map(len, begins), default=0))


def _squeezed_tokens(tokens: Sequence[str]) -> Sequence[str]:
    """Return tokens without white space; almost always these are the tokens themselves."""
    return tokens if len("".join(tokens).split()) <= 1 else [squeezed(token) for token in tokens]


class SampleText:
    """The text of a sample, in which names are looked for."""

    def __init__(self, tokens: Sequence[str], text: str | None = None) -> None:
        self.tokens = tokens
        self._text = text
        self._n_left = MOST_PLACES_OF_ALL

    @cached_property
    def exact(self) -> Line:
        """The text as it is, but for white space."""
        return _line(_squeezed_tokens(self.tokens))

    @cached_property
    def normal(self) -> Line:
        """The text without regard to case, quotes, dashes and width."""
        return _line([normalised(token) for token in self.tokens])

    @cached_property
    def spaced(self) -> str:
        """The text that character offsets count in."""
        return self._text if self._text is not None else " ".join(self.tokens)

    @cached_property
    def first_letters(self) -> list[int]:
        """Where each token begins in ``spaced``."""
        starts, at = [], 0
        for token in self.tokens:
            at = self.spaced.find(token, at) if self._text is not None else at
            starts.append(at)
            at += len(token) + (self._text is None)
        return starts

    def places(self, name: str, n_wanted: int, fuzzy: bool) -> list[Place]:
        """Return where a name stands, from left to right: more loosely where the strict places are too few."""
        if n_wanted > self._n_left:  # so many that the rest of them is left alone
            return []
        most = min(max(MOST_PLACES, 2 * n_wanted), self._n_left)
        found = self._strict_or_loose(name, n_wanted, most)
        if not found and fuzzy:
            found = self._alike(name)
        self._n_left -= len(found)
        return found

    def _strict_or_loose(self, name: str, n_wanted: int, most: int) -> list[Place]:
        found = _occurrences(self.exact, squeezed(name), most)
        for loosely in (self._normal_places, self._part_places):
            if len(found) >= n_wanted:
                break
            found = sorted({*found, *loosely(name, most)})
        return found

    def _normal_places(self, name: str, most: int) -> list[Place]:
        for key in _spellings(name):
            found = _occurrences(self.normal, key, most)
            if found:
                return found
        return []

    def _part_places(self, name: str, most: int) -> list[Place]:
        """Places inside of tokens, where the name is a word of its own: ``U.S.`` in ``U.S.-based``."""
        for line, key in ((self.exact, squeezed(name)), (self.normal, normalised(name))):
            found = _parts(line, key, most) if key else []
            if found:
                return found
        return []

    def _alike(self, name: str) -> list[Place]:
        """Places whose words differ from the name in some letters; only the most similar ones."""
        key, n_words = normalised(name), max(len(name.split()), 1)
        letters = [normalised(token) for token in self.tokens[:MOST_WINDOWS]]
        best, found = ALIKE, list[Place]()
        matcher = SequenceMatcher(autojunk=False)
        matcher.set_seq2(key)
        for size in range(max(n_words - 1, 1), n_words + 3):
            for start in range(len(letters) - size + 1):
                matcher.set_seq1("".join(letters[start : start + size]))
                if matcher.real_quick_ratio() < best or matcher.quick_ratio() < best:
                    continue
                ratio = matcher.ratio()
                if ratio > best:
                    best, found = ratio, []
                if ratio >= best:
                    found.append(Place(start, start + size))
        return sorted(found)

    def place_of(self, named: Named) -> Place | None:
        """Return the place that the offsets of a mention give, tokens or characters, if its name stands there."""
        start, end = named.start, named.end
        if start is None or end is None or not start < end:
            return None
        key = squeezed(named.text)
        if end <= len(self.tokens) and (not key or squeezed("".join(self.tokens[start:end])) == key):
            return Place(start, end)
        if end > len(self.spaced):
            return None
        words = self.spaced[start:end]
        if squeezed(words) != key and (key or end <= len(self.tokens)):
            return None
        # offsets may begin or end at white space
        start += len(words) - len(words.lstrip())
        end -= len(words) - len(words.rstrip())
        first = bisect_left(self.first_letters, start + 1) - 1
        until = bisect_left(self.first_letters, end)
        return Place(first, until) if 0 <= first < until else None


def _occurrences(line: Line, key: str, most: int) -> list[Place]:
    """Where whole tokens are a name: it begins with one of them."""
    found: list[Place] = []
    for size in range(1, min(len(key), line.longest) + 1):
        for at in line.begins.get(key[:size], ()):
            until = line.ends.get(at + len(key))
            if until is not None and line.text.startswith(key, at):
                found.append(Place(line.starts[at], until))
                if len(found) == most:
                    return sorted(found)
    return sorted(found)


def _parts(line: Line, key: str, most: int) -> list[Place]:
    """Where a name is a word of its own inside of tokens, which are then taken whole."""
    found: dict[Place, None] = {}
    at = line.text.find(key)
    while at >= 0 and len(found) < most:
        end = at + len(key)
        begins = at in line.starts or _is_apart(line.text[at - 1], line.text[at])
        stops = end in line.ends or _is_apart(line.text[end - 1], line.text[end])
        if begins and stops:
            first = at
            while first not in line.starts:
                first -= 1
            until = end
            while until not in line.ends:
                until += 1
            found[Place(line.starts[first], line.ends[until])] = None
        at = line.text.find(key, at + 1)
    return list(found)


def _is_apart(left: str, right: str) -> bool:
    """Can a word end between two letters? In scripts without spaces it can anywhere."""
    return not (left.isalnum() and right.isalnum()) or _has_no_spaces(left) or _has_no_spaces(right)


def _has_no_spaces(letter: str) -> bool:
    return "\u0e00" <= letter <= "\u0eff" or "\u1000" <= letter <= "\u109f" or "\u2e80" <= letter <= "\u9fff"


_LETTERS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032`\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0e\ufe0f\u200e\u200f\u061c", None),
    }
)
_ESCAPED = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}
_ANY_ESCAPED = re.compile("|".join(_ESCAPED))


@lru_cache(1 << 16)
def normalised(text: str) -> str:
    """Return a text without regard to case, quotes, dashes, white space and the width of letters.

    >>> normalised("\\uff21da\\u2019s") == normalised("ADA 'S")
    True
    """
    if text.isascii():
        text = text.lower()
    else:
        text = unicodedata.normalize("NFKC", text.translate(_LETTERS)).translate(_LETTERS).casefold()
    text = squeezed(text).replace("`", "'").replace("''", '"')
    return _ANY_ESCAPED.sub(lambda found: _ESCAPED[found[0]], text) if "-" in text else text


_AROUND = " \"'*_.,;:!?()[]{}<>"


def _spellings(name: str) -> list[str]:
    """The ways in which a name may stand in the text: with a full stop or not, without what stands around it."""
    key = normalised(name)
    stripped = normalised(name.strip(_AROUND))
    ways = [key, key.removesuffix("."), f"{key}.", stripped, f"{stripped}."]
    if "&" in key:
        ways.append(normalised(unescape(name)))
    if "\\" in key:
        ways.append(key.replace("\\", ""))
    return [way for way in dict.fromkeys(ways) if way.strip(".")] or [way for way in dict.fromkeys(ways) if way]
