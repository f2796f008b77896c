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
        self.n_going_on = 0
        """Mentions that would end before a word with a capital, as all of theirs have, if ends were exclusive."""
        self.n_both: Counter[tuple[Convention, Convention]] = Counter()
        """Mentions that the text has under both of two conventions."""
        self._said = _Votes()
        """By the words that mentions name."""
        self._seen = _Votes()
        """By where their edges fall."""
        self._n_said = 0
        self._impossible: Counter[Convention] = Counter()
        self._cut: Counter[Convention] = Counter()

    def add(self, place: Place, span: Span) -> None:
        """Count a mention; one without offsets, or in several pieces, says nothing."""
        self.has_positions |= span.is_positions
        if span.start is None or span.end is None or span.n_fragments > 1:
            return
        self.n_mentions += 1
        self.n_going_on += _goes_on(place.tokens, span.start, span.end)
        offsets = Offsets(place.text)
        found = {c: _words(place, offsets, span.start, span.end, c) for c in self.conventions}
        said = {c for c, words in found.items() if words is not None and _says(words.surface, span.surface)}
        self._n_said += bool(said)
        for one, words in found.items():
            self._impossible[one] += words is None
            self._cut[one] += words is not None and words.edges.end is End.CUT
            for other, others in found.items():
                self.n_both[one, other] += words is not None and others is not None
                if one in said and other not in said:
                    self._said.add(one, other, CLEAR)
                if one.is_usual or others is None or others.edges.end is End.CUT:
                    self._seen.add(one, other, _vote(words, others))

    def fits(self, convention: Convention) -> bool:
        """Are there mentions, and do all of them begin and end at words under a convention?"""
        return self.n_mentions > 0 and not self._cut[convention] and not self._impossible[convention]

    def is_doubtful(self, convention: Convention) -> bool:
        """Do most mentions begin or end inside a word, and not say that they do?"""
        return 2 * self._cut[convention] > self.n_mentions >= 2 * self._n_said

    def is_impossible(self, unit: Unit) -> bool:
        """Is there no convention of a unit under which the text has all mentions?"""
        return all(self._impossible[c] > 0 for c in self.conventions if c.unit is unit)

    @property
    def has_words(self) -> bool:
        """Do mentions name words that are in the text?"""
        return self._n_said > 0

    @property
    def _votes(self) -> _Votes:
        return self._said if self.has_words else self._seen

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

    def add(self, one: Convention, other: Convention, weight: int) -> None:
        self.number[one, other] += weight > 0
        self.weight[one, other] += weight


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


class _Edges(NamedTuple):
    end: End
    begins_word: bool = True


class _Found(NamedTuple):
    surface: str
    edges: _Edges


def _vote(one: _Found | None, other: _Found | None) -> int:
    """Return the weight with which a mention speaks for one convention against another: nothing, little or much."""
    if one is None or one.edges.end is End.CUT or (other is not None and one.edges <= other.edges):
        return 0
    uncertain = other is not None and other.edges.end in _UNCERTAIN
    return 1 if uncertain and one.edges.end is not End.BEFORE_LONG_PARTICLE else CLEAR


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
        return _Found(" ".join(words), _Edges(End.WORD if ends_well else End.PUNCTUATION))
    at = offsets.characters(start, end, convention)
    if at is None:
        return None
    return _Found(place.text[slice(*at)], _edges(place.text, *at))


def _edges(text: str, start: int, end: int) -> _Edges:
    """Return how well a mention begins and ends in a text."""
    if text[start].isspace() or text[end - 1].isspace() or is_inside_word(text, start) or is_inside_word(text, end):
        return _Edges(End.CUT, False)
    begins_word = text[start].isalnum() and (start == 0 or not text[start - 1].isalnum())
    return _Edges(_end(text, start, end), begins_word)


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
