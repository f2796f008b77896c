"""Which convention the offsets of a dataset follow, by evidence from its text.

Each convention says which words a mention has. Where the mention names its words, those must come out; otherwise it
must not begin or end inside a word. What speaks for one convention against another is counted over all rows, so that
their order does not matter; where nothing speaks, or too much for both, an error asks.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import IntEnum, StrEnum
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ..core.exceptions import CleancutError
from .characters import WITHOUT_SPACES, is_inside_word
from .spans import Span

CLEAR = 3
"""So many times more must speak for a convention than against it; and so many mentions for an unusual one."""


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

    @property
    def is_usual(self) -> bool:
        """Does it count tokens or characters from 0? Only what such offsets cannot be speaks for another."""
        return self.unit in (Unit.TOKENS, Unit.CHARACTERS) and not self.first

    @property
    def in_characters(self) -> Convention:
        """Return the same in characters, which bytes and UTF-16 units are in plain ASCII."""
        return self if self.unit in (Unit.TOKENS, Unit.CHARACTERS) else self._replace(unit=Unit.CHARACTERS)

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
        self.n_mentions = self.total_length = 0
        self.has_positions = False
        """Does a mention list all its positions?"""
        self.n_going_on = 0
        """Mentions that would end before a word with a capital, as all of theirs have, if ends were exclusive."""
        self._found: Counter[tuple[_Found | None, ...]] = Counter()
        """How many mentions come out so under each convention: there are few ways."""

    def add(self, place: Place, span: Span) -> None:
        """Count a mention; one without offsets, or in several pieces, says nothing."""
        self.has_positions |= span.is_positions
        if span.start is None or span.end is None or span.n_fragments > 1:
            return
        self.n_mentions += 1
        self.total_length += span.end - span.start
        self.n_going_on += _goes_on(place.tokens, span.start, span.end)
        offsets = Offsets(place.text)
        found: dict[Convention, _Found | None] = {}
        for convention in self.conventions:
            same = convention.in_characters if place.text.isascii() else convention
            if same not in found:
                found[same] = _found(place, offsets, span, same)
            found[convention] = found[same]
        self._found[tuple(found[convention] for convention in self.conventions)] += 1
        self.__dict__.pop("_votes", None)

    def _column(self, convention: Convention) -> Iterator[tuple[_Found | None, int]]:
        """Return how mentions come out under a convention, and how many."""
        k = self.conventions.index(convention)
        return ((found[k], n) for found, n in self._found.items())

    @property
    def _n_said(self) -> int:
        return sum(n for found, n in self._found.items() if any(one is not None and one.is_said for one in found))

    def _n_impossible(self, convention: Convention) -> int:
        return sum(n for found, n in self._column(convention) if found is None)

    def _n_cut(self, convention: Convention) -> int:
        return sum(n for found, n in self._column(convention) if found is not None and found.end is End.CUT)

    def n_both(self, one: Convention, other: Convention) -> int:
        """Return how many mentions the text has under both of two conventions."""
        pairs = zip(self._column(one), self._column(other), strict=True)
        return sum(n for (a, n), (b, _) in pairs if a is not None and b is not None)

    def fits(self, convention: Convention) -> bool:
        """Are there mentions, and do all of them begin and end at words under a convention?"""
        return self.n_mentions > 0 and not self._n_cut(convention) and not self._n_impossible(convention)

    def is_doubtful(self, convention: Convention) -> bool:
        """Do most mentions begin or end inside a word, and not say that they do?"""
        return 2 * self._n_cut(convention) > self.n_mentions >= 2 * self._n_said

    def is_possible(self, convention: Convention) -> bool:
        """Has the text all mentions under a convention?"""
        return not self._n_impossible(convention)

    def is_impossible(self, unit: Unit) -> bool:
        """Is there no convention of a unit under which the text has all mentions?"""
        return all(self._n_impossible(c) > 0 for c in self.conventions if c.unit is unit)

    @property
    def has_words(self) -> bool:
        """Do mentions name words that are in the text?"""
        return self._n_said > 0

    @cached_property
    def _votes(self) -> _Votes:
        """What speaks for each convention against each other: the words, or else where the edges fall."""
        votes, judge = _Votes(), _by_words if self.has_words else _by_edges
        for found, n in self._found.items():
            for one, ours in zip(self.conventions, found, strict=True):
                for other, theirs in zip(self.conventions, found, strict=True):
                    weight = judge(one, ours, theirs)
                    votes.number[one, other] += n * (weight > 0)
                    votes.weight[one, other] += n * weight
        return votes

    def best(self, conventions: Sequence[Convention]) -> Convention:
        """Return the convention for which most speaks; the first of those for which as much does."""
        best = conventions[0]
        for other in conventions[1:]:
            enough = CLEAR if self.has_words or other.is_usual else CLEAR * CLEAR
            if self._votes.weight[other, best] >= max(enough, CLEAR * self._votes.weight[best, other]):
                best = other
        return best

    def speaks_for(self, one: Convention, other: Convention) -> bool:
        """Does clearly more speak for one convention than for another?"""
        weight = self._votes.weight
        return weight[one, other] >= max(CLEAR, CLEAR * weight[other, one])

    def counts(self, one: Convention, other: Convention) -> tuple[int, int]:
        """Return how many mentions speak for one convention against another, and how many against it."""
        return self._votes.number[one, other], self._votes.number[other, one]


class _Votes:
    """How many mentions speak for one convention against another, and with what weight."""

    def __init__(self) -> None:
        self.number: Counter[tuple[Convention, Convention]] = Counter()
        self.weight: Counter[tuple[Convention, Convention]] = Counter()


def unsettled(column: str, evidence: Evidence, one: Convention, other: Convention) -> CleancutError:
    """The error that asks which of two conventions holds."""
    ours, theirs = evidence.counts(one, other)
    why = f"{ours} mentions say the one and {theirs} the other"
    if not ours or not theirs:
        why = f"only {ours + theirs} mentions show it" if ours + theirs else "nothing in the text shows it"
    return CleancutError(
        f"do the ends of {column} belong to the mentions? They may be {one} or {other}, and {why}. Give "
        "end='exclusive' or end='inclusive' (command line: --end)."
    )


def _goes_on(tokens: Sequence[str], start: int, end: int) -> bool:
    """Have the first token behind a mention and all before it a capital, so that the mention may be longer?"""
    words = tokens[start : end + 1]
    return start < end < len(tokens) and all(word[:1].isupper() for word in words)


class End(IntEnum):
    """How well a mention ends; a higher one is better."""

    CUT = 0
    """Inside a word, or at a space; or it begins so."""
    INSIDE = 1
    """Inside a run of a script without spaces, or of Korean: there words end anywhere."""
    CHANGE = 2
    """Where one script ends and another begins."""
    LIKE_PARTICLE = 3
    """At the end of a Korean word whose last syllable may be a particle."""
    PUNCTUATION = 4
    BEFORE_PARTICLE = 5
    WORD = 6
    BEFORE_LONG_PARTICLE = 7


_UNCERTAIN = (End.INSIDE, End.CHANGE, End.LIKE_PARTICLE)


class _Found(NamedTuple):
    """How a mention comes out under a convention."""

    end: End
    begins_word: bool = True
    is_said: bool = False
    """Are these the words that it names?"""


def _by_words(convention: Convention, ours: _Found | None, theirs: _Found | None) -> int:
    """Return the weight with which the words of a mention speak for a convention against another."""
    is_theirs = theirs is not None and theirs.is_said
    return CLEAR if ours is not None and ours.is_said and not is_theirs else 0


def _by_edges(convention: Convention, ours: _Found | None, theirs: _Found | None) -> int:
    """Return the weight with which the edges of a mention speak for a convention against another."""
    if ours is None or ours.end is End.CUT:
        return 0
    if theirs is None or theirs.end is End.CUT:
        return CLEAR
    if not convention.is_usual or ours[:2] <= theirs[:2]:
        return 0
    uncertain = theirs.end in _UNCERTAIN and ours.end is not End.BEFORE_LONG_PARTICLE
    return 1 if uncertain else CLEAR


def _says(found: str, surface: str | None) -> bool:
    """Are these the words that a mention names? Case, spaces between words and the signs of sub-words do not count."""
    if not surface or not surface.strip():
        return False
    plain = re.sub("^(##|\u2581|\u0120)", "", surface.strip())
    trimmed = found == found.strip() or found == surface
    return trimmed and "".join(found.split()).casefold() == "".join(plain.split()).casefold()


def _found(place: Place, offsets: Offsets, span: Span, convention: Convention) -> _Found | None:
    """Return how a mention comes out under a convention; None where the text has no such."""
    assert span.start is not None and span.end is not None
    if convention.unit is Unit.TOKENS:
        until = span.end + convention.inclusive
        if not 0 <= span.start < until <= len(place.tokens):
            return None
        words = place.tokens[span.start : until]
        ends_well = len(words) == 1 or any(c.isalnum() for c in words[-1])
        return _Found(End.WORD if ends_well else End.PUNCTUATION, is_said=_says(" ".join(words), span.surface))
    at = offsets.characters(span.start, span.end, convention)
    if at is None:
        return None
    text, (start, end) = place.text, at
    is_said = _says(text[start:end], span.surface)
    if text[start].isspace() or text[end - 1].isspace() or is_inside_word(text, start) or is_inside_word(text, end):
        return _Found(End.CUT, False, is_said)
    begins_word = text[start].isalnum() and (start == 0 or not text[start - 1].isalnum())
    return _Found(_end(text, start, end), begins_word, is_said)


def _end(text: str, start: int, end: int) -> End:
    last, following = text[end - 1], text[end : end + 1]
    if not following or not _is_word(following):
        if not _is_word(last):
            return End.PUNCTUATION
        return End.LIKE_PARTICLE if end - start > 1 and _PARTICLE.match(last) else End.WORD
    if particle := _PARTICLE.match(text, end):
        return End.BEFORE_LONG_PARTICLE if particle.end() - end > 1 else End.BEFORE_PARTICLE
    changes = _script(last) != _script(following) and _script(last) != "kana"
    return End.CHANGE if changes else End.INSIDE


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
