"""Which convention the offsets of a dataset follow, by evidence from its text.

Each convention says which words a mention has. Where the mention names its words, those must come out; otherwise it
must not begin or end inside a word. What speaks for one convention against another is counted over all rows, so that
their order does not matter; where nothing speaks, or too much for both, an error asks.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ..core.exceptions import CleancutError
from .characters import WITHOUT_SPACES, is_inside_word
from .spans import Span

CLEAR = 3
"""As many times must more mentions speak for a convention than against it; and so many for an unusual one."""


class Unit(StrEnum):
    """What offsets count."""

    TOKENS = "tokens"
    CHARACTERS = "characters"
    BYTES = "bytes"
    UTF16 = "UTF-16 units"


class Convention(NamedTuple):
    """How the offsets of a mention are meant."""

    unit: Unit = Unit.CHARACTERS
    inclusive: bool = False
    first: int = 0
    """The number of the first token or character."""

    def __str__(self) -> str:
        ends = "ends inclusive" if self.inclusive else "ends exclusive"
        return f"{self.unit.value} from {self.first}, {ends}"


BY_TOKENS = (Convention(Unit.TOKENS), Convention(Unit.TOKENS, True))
BY_CHARACTERS = (
    Convention(), Convention(inclusive=True), Convention(inclusive=True, first=1), Convention(Unit.BYTES),
    Convention(Unit.BYTES, True), Convention(Unit.UTF16),
)  # fmt: skip
"""In order of preference, where several give the same."""


class Place(NamedTuple):
    """A sample: its text, and its tokens where it has any."""

    text: str
    tokens: Sequence[str] = ()


class Offsets:
    """Offsets of a text to characters, whatever they count.

    >>> Offsets("Zoë met Ada").characters(9, 12, Convention(Unit.BYTES))
    (8, 11)
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def characters(self, start: int, end: int, convention: Convention) -> tuple[int, int] | None:
        """Return the characters of a mention, half-open; None where the text does not have them."""
        first, until = start - convention.first, end - convention.first + convention.inclusive
        bounds = self._bounds(convention.unit)
        if bounds is not None:
            at = [bisect_left(bounds, offset) for offset in (first, until)]
            if any(k >= len(bounds) or bounds[k] != offset for k, offset in zip(at, (first, until), strict=True)):
                return None
            first, until = at
        return (first, until) if 0 <= first < until <= len(self.text) else None

    def _bounds(self, unit: Unit) -> list[int] | None:
        """Return where each character begins, and the last ends; None where characters themselves are counted."""
        if unit is Unit.CHARACTERS or self.text.isascii():
            return None
        return self._bytes if unit is Unit.BYTES else self._units

    @cached_property
    def _bytes(self) -> list[int]:
        return [0, *accumulate(len(c.encode("utf-8", "surrogatepass")) for c in self.text)]

    @cached_property
    def _units(self) -> list[int]:
        return [0, *accumulate(1 + (ord(c) > 0xFFFF) for c in self.text)]


class Evidence:
    """What the mentions of a dataset say of their convention, as sums over all rows."""

    def __init__(self, conventions: Sequence[Convention]) -> None:
        self.conventions = list(conventions)
        self.n_mentions = 0
        self.has_positions = False
        """Does a mention list all its positions?"""
        self.n_both: Counter[tuple[Convention, Convention]] = Counter()
        """How many mentions the text has under both of two conventions."""
        self._said: Counter[tuple[Convention, Convention]] = Counter()  # by the words that mentions name
        self._seen: Counter[tuple[Convention, Convention]] = Counter()  # by where their edges fall
        self._n_said = 0
        self._impossible: Counter[Convention] = Counter()
        self._cut: Counter[Convention] = Counter()

    def add(self, place: Place, span: Span) -> None:
        """Count a mention; one without offsets, or in several pieces, says nothing."""
        self.has_positions |= span.is_positions
        if span.start is None or span.end is None or span.n_fragments > 1:
            return
        start, end, surface = span.start, span.end, span.surface
        self.n_mentions += 1
        offsets = Offsets(place.text)
        found = {c: _words(place, offsets, start, end, c) for c in self.conventions}
        matches = {c: words is not None and _says(words.surface, surface) for c, words in found.items()}
        if any(matches.values()):
            self._n_said += 1
            _compare(self._said, matches)
        _compare(self._seen, {c: -1 if words is None else words.quality for c, words in found.items()})
        self.n_both.update((a, b) for a, x in found.items() for b, y in found.items() if x and y)
        for convention, words in found.items():
            self._impossible[convention] += words is None
            self._cut[convention] += words is None or words.quality == 0

    def fits(self, convention: Convention) -> bool:
        """Are there mentions, and do all of them begin and end at words under a convention?"""
        return self.n_mentions > 0 and not self._cut[convention]

    def is_impossible(self, unit: Unit) -> bool:
        """Is there no convention of a unit under which the text has all mentions?"""
        return all(self._impossible[c] > 0 for c in self.conventions if c.unit is unit)

    @property
    def has_words(self) -> bool:
        """Do mentions name words that are in the text?"""
        return self._n_said > 0

    def best(self, conventions: Sequence[Convention]) -> Convention:
        """Return the convention for which most speaks; the first of those for which as much does."""
        votes = self._said if self.has_words else self._seen
        best = conventions[0]
        for other in conventions[1:]:
            usual = other.unit in (Unit.TOKENS, Unit.CHARACTERS) and not other.first
            enough = 1 if self.has_words or usual else CLEAR
            if votes[other, best] >= max(enough, CLEAR * votes[best, other]):
                best = other
        return best

    def speaks_for(self, one: Convention, other: Convention) -> bool:
        """Does clearly more speak for one convention than for another?"""
        votes = self._said if self.has_words else self._seen
        return votes[one, other] > 0 and votes[one, other] >= CLEAR * votes[other, one]

    def counts(self, one: Convention, other: Convention) -> tuple[int, int]:
        """Return how many mentions speak for one convention against another, and how many against it."""
        votes = self._said if self.has_words else self._seen
        return votes[one, other], votes[other, one]


def unsettled(column: str, evidence: Evidence, one: Convention, other: Convention) -> CleancutError:
    """The error that asks which of two conventions holds."""
    ours, theirs = evidence.counts(one, other)
    why = "nothing in the text shows it" if not ours + theirs else f"{ours} mentions say the one and {theirs} the other"
    return CleancutError(
        f"do the ends of {column} belong to the mentions? They may be {one} or {other}, and {why}. Give "
        "end='exclusive' or end='inclusive' (command line: --end)."
    )


class _Found(NamedTuple):
    surface: str
    quality: int


def _compare(
    votes: Counter[tuple[Convention, Convention]], values: dict[Convention, int] | dict[Convention, bool]
) -> None:
    """Count for each pair of conventions where the first does better."""
    for one, own in values.items():
        for other, theirs in values.items():
            if own > theirs:
                votes[one, other] += 1


def _says(found: str, surface: str | None) -> bool:
    """Are these the words that a mention names? Case, spaces between words and the signs of sub-words do not count."""
    if not surface or not surface.strip():
        return False
    plain = re.sub("^(##|\u2581|\u0120)", "", surface.strip())
    trimmed = found == found.strip() or found == surface
    return trimmed and "".join(found.split()).casefold() == "".join(plain.split()).casefold()


def _words(place: Place, offsets: Offsets, start: int, end: int, convention: Convention) -> _Found | None:
    """Return the words that a mention has under a convention, and how well it begins and ends; None for no such."""
    if convention.unit is Unit.TOKENS:
        until = end + convention.inclusive
        if not 0 <= start < until <= len(place.tokens):
            return None
        words = place.tokens[start:until]
        ends_well = any(c.isalnum() for c in words[-1]) or until - start == 1
        return _Found(" ".join(words), 2 if ends_well else 1)
    at = offsets.characters(start, end, convention)
    if at is None:
        return None
    return _Found(place.text[slice(*at)], _edges(place.text, *at))


def _edges(text: str, start: int, end: int) -> int:
    """Return how well a mention begins and ends in a text: 0 where it cuts a word, 5 where it is whole words."""
    if text[start].isspace() or text[end - 1].isspace() or is_inside_word(text, start) or is_inside_word(text, end):
        return 0
    begins = 1 + (text[start].isalnum() and (start == 0 or not text[start - 1].isalnum()))
    last, following = text[end - 1], text[end : end + 1]
    if not following or not _is_word(following):
        return begins + (3 if _is_word(last) else 2)
    changes = _script(last) != _script(following) and _script(last) != "kana"
    return begins + (2 if changes or _PARTICLE.match(text, end) else 1)


_PARTICLE = re.compile(
    "(은|는|이|가|을|를|의|에|에서|에게|께서|한테|로|으로|와|과|도|만|까지|부터|보다|이나|나|이다|입니다|이라|라는|이라는)"
    r"(?![^\W\d_])"
)
"""What may follow a Korean mention in the same word, up to the end of the word."""

_KANA = re.compile("[\u3040-\u309f]")
_ALONE = re.compile(f"[{WITHOUT_SPACES}]")


def _is_word(character: str) -> bool:
    return character.isalnum() or _ALONE.match(character) is not None


def _script(character: str) -> str:
    """Return what tells words apart where there are no spaces: Hiragana, other such scripts, digits, the rest."""
    if _KANA.match(character):
        return "kana"
    if _ALONE.match(character):
        return "katakana" if "\u30a0" <= character <= "\u30ff" else "alone"
    return "digit" if character.isdigit() else "spaced"
