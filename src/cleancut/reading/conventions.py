"""The convention that the offsets of a dataset follow, by evidence from its text.

Each convention says which words a mention has. Where the mention quotes its words, those must come out; otherwise it
must not begin or end inside a word. What speaks for one convention against another is counted over all rows, so that
their order does not matter. Where nothing speaks for either, or too much for both, an error asks the user.
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
"""How many times more must speak for a convention than against it.

It is also the least number of mentions that must speak for an unusual one.
"""


class Unit(StrEnum):
    """What offsets count."""

    TOKENS = "tokens"
    CHARACTERS = "characters"
    BYTES = "bytes"
    UTF16 = "UTF-16 units"


class Convention(NamedTuple):
    """How the offsets of a mention are counted."""

    unit: Unit = Unit.CHARACTERS
    """What offsets count."""
    inclusive: bool = False
    """Whether the end of a mention belongs to it."""
    first: int = 0
    """The number of the first token or character."""

    @property
    def is_usual(self) -> bool:
        """Whether tokens or characters are counted from 0.

        Another convention needs offsets that this one makes impossible.
        """
        return self.unit in (Unit.TOKENS, Unit.CHARACTERS) and not self.first

    @property
    def in_characters(self) -> Convention:
        """The same convention in characters, which bytes and UTF-16 units are in plain ASCII."""
        return self if self.unit in (Unit.TOKENS, Unit.CHARACTERS) else self._replace(unit=Unit.CHARACTERS)

    def __str__(self) -> str:
        ends = "ends inclusive" if self.inclusive else "ends exclusive"
        return f"{self.unit.value} from {self.first}, {ends}"


BY_TOKENS = (Convention(Unit.TOKENS), Convention(Unit.TOKENS, True))
"""The conventions of offsets that count tokens."""
BY_CHARACTERS = (
    Convention(),
    Convention(inclusive=True),
    Convention(inclusive=True, first=1),
    Convention(Unit.BYTES),
    Convention(Unit.BYTES, True),
    Convention(Unit.UTF16),
)
"""The conventions of offsets that count parts of a text; the first is preferred where several give the same."""


class Place(NamedTuple):
    """The text of a sample, and its tokens."""

    text: str
    """The text."""
    tokens: Sequence[str] = ()
    """The tokens; empty where there are none."""


class Offsets:
    """Translates the offsets of a text to characters, whatever they count.

    Args:
        text: the text.

    >>> Offsets("Zoë met Ada").characters(9, 12, Convention(Unit.BYTES))
    (8, 11)
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def characters(self, start: int, end: int, convention: Convention) -> tuple[int, int] | None:
        """Return the characters of a mention, half-open; None where the text does not have them.

        Args:
            start: the start of the mention, as the convention counts.
            end: the end of the mention, as the convention counts.
            convention: how the offsets are counted.
        """
        first: int | None = start - convention.first
        until: int | None = end - convention.first + convention.inclusive
        bounds = self._bounds(convention.unit)
        if bounds is not None:
            first = _index_of(start - convention.first, bounds)
            until = _index_of(end - convention.first + convention.inclusive, bounds)
        if first is None or until is None:
            return None
        return (first, until) if 0 <= first < until <= len(self.text) else None

    def _bounds(self, unit: Unit) -> list[int] | None:
        """Return the offset of each character and of the end; None where characters themselves are counted."""
        if unit is Unit.CHARACTERS or self.text.isascii():
            return None
        return self._bytes if unit is Unit.BYTES else self._units

    @cached_property
    def _bytes(self) -> list[int]:
        """The number of bytes before each character, and in all."""
        return [0, *accumulate(len(c.encode("utf-8", "surrogatepass")) for c in self.text)]

    @cached_property
    def _units(self) -> list[int]:
        """The number of UTF-16 units before each character, and in all."""
        return [0, *accumulate(1 + (ord(c) > 0xFFFF) for c in self.text)]


def _index_of(offset: int, bounds: Sequence[int]) -> int | None:
    """Return the place of an offset among sorted bounds; None where it is not one of them."""
    place = bisect_left(bounds, offset)
    return place if place < len(bounds) and bounds[place] == offset else None


class Evidence:
    """What the mentions of a dataset tell about their convention, as sums over all rows.

    Args:
        conventions: the conventions that are possible.
    """

    def __init__(self, conventions: Sequence[Convention]) -> None:
        self.conventions = list(conventions)
        self.n_mentions = 0
        """The number of mentions that were counted."""
        self.total_length = 0
        """The sum of their ends minus their starts."""
        self.has_positions = False
        """Whether a mention lists all its positions."""
        self.n_going_on = 0
        """The number of mentions in capitals that, with exclusive ends, another word with a capital would follow."""
        self._n_by_outcomes: Counter[tuple[_Outcome | None, ...]] = Counter()
        """The number of mentions by how they come out under each convention; few combinations occur."""

    def add(self, place: Place, span: Span) -> None:
        """Count a mention. One without offsets, or in several pieces, tells nothing.

        Args:
            place: the sample of the mention.
            span: the mention.
        """
        self.has_positions |= span.is_positions
        if span.start is None or span.end is None or span.n_fragments > 1:
            return
        self.n_mentions += 1
        self.total_length += span.end - span.start
        self.n_going_on += _goes_on(place.tokens, span.start, span.end)
        offsets = Offsets(place.text)
        outcomes: dict[Convention, _Outcome | None] = {}
        for convention in self.conventions:
            equivalent = convention.in_characters if place.text.isascii() else convention
            if equivalent not in outcomes:
                outcomes[equivalent] = _outcome(place, offsets, span, equivalent)
            outcomes[convention] = outcomes[equivalent]
        self._n_by_outcomes[tuple(outcomes[convention] for convention in self.conventions)] += 1
        self.__dict__.pop("_votes", None)  # they are counted anew when they are asked for

    def _outcomes(self, convention: Convention) -> Iterator[tuple[_Outcome | None, int]]:
        """Yield the ways in which mentions come out under a convention, and how many do."""
        k = self.conventions.index(convention)
        return ((outcomes[k], n) for outcomes, n in self._n_by_outcomes.items())

    @property
    def _n_quoted(self) -> int:
        """The number of mentions that come out as the words that they quote under some convention."""
        total = 0
        for outcomes, n in self._n_by_outcomes.items():
            if any(outcome is not None and outcome.is_quoted for outcome in outcomes):
                total += n
        return total

    def _n_impossible(self, convention: Convention) -> int:
        """Return the number of mentions that the text does not have under a convention."""
        return sum(n for outcome, n in self._outcomes(convention) if outcome is None)

    def _n_cut(self, convention: Convention) -> int:
        """Return the number of mentions that begin or end inside a word under a convention."""
        n_cut = 0
        for outcome, n in self._outcomes(convention):
            if outcome is not None and outcome.end is End.CUT:
                n_cut += n
        return n_cut

    def n_both(self, one: Convention, other: Convention) -> int:
        """Return how many mentions the text has under both of two conventions.

        Args:
            one: a convention.
            other: another convention.
        """
        total = 0
        for (ours, n), (theirs, _) in zip(self._outcomes(one), self._outcomes(other), strict=True):
            if ours is not None and theirs is not None:
                total += n
        return total

    def fits(self, convention: Convention) -> bool:
        """Return whether there are mentions, and all of them begin and end at words under a convention.

        Args:
            convention: the convention.
        """
        return self.n_mentions > 0 and not self._n_cut(convention) and not self._n_impossible(convention)

    def is_doubtful(self, convention: Convention) -> bool:
        """Return whether most mentions begin or end inside a word, without quoting words that do.

        Args:
            convention: the convention.
        """
        return 2 * self._n_cut(convention) > self.n_mentions >= 2 * self._n_quoted

    def is_possible(self, convention: Convention) -> bool:
        """Return whether the text has all mentions under a convention.

        Args:
            convention: the convention.
        """
        return not self._n_impossible(convention)

    def is_impossible(self, unit: Unit) -> bool:
        """Return whether the text lacks mentions under every convention of a unit.

        Args:
            unit: what offsets count.
        """
        return all(self._n_impossible(c) > 0 for c in self.conventions if c.unit is unit)

    @property
    def has_words(self) -> bool:
        """Whether mentions quote words that are in the text."""
        return self._n_quoted > 0

    @cached_property
    def _votes(self) -> _Votes:
        """What speaks for each convention against each other: the words, or else where the edges fall."""
        votes = _Votes()
        judge = _by_words if self.has_words else _by_edges
        for outcomes, n in self._n_by_outcomes.items():
            for one, ours in zip(self.conventions, outcomes, strict=True):
                for other, theirs in zip(self.conventions, outcomes, strict=True):
                    weight = judge(one, ours, theirs)
                    votes.number[one, other] += n * (weight > 0)
                    votes.weight[one, other] += n * weight
        return votes

    def best(self, conventions: Sequence[Convention]) -> Convention:
        """Return the convention for which most speaks; where as much speaks for several, the first of them.

        Args:
            conventions: the conventions to choose from, in order of preference.
        """
        best = conventions[0]
        for other in conventions[1:]:
            enough = CLEAR if self.has_words or other.is_usual else CLEAR * CLEAR
            if self._votes.weight[other, best] >= max(enough, CLEAR * self._votes.weight[best, other]):
                best = other
        return best

    def speaks_for(self, one: Convention, other: Convention) -> bool:
        """Return whether clearly more speaks for one convention than for another.

        Args:
            one: a convention.
            other: another convention.
        """
        weight = self._votes.weight
        return weight[one, other] >= max(CLEAR, CLEAR * weight[other, one])

    def counts(self, one: Convention, other: Convention) -> tuple[int, int]:
        """Return how many mentions speak for one convention against another, and how many against it.

        Args:
            one: a convention.
            other: another convention.
        """
        return self._votes.number[one, other], self._votes.number[other, one]


class _Votes:
    """How many mentions speak for one convention against another, and with what weight."""

    def __init__(self) -> None:
        self.number: Counter[tuple[Convention, Convention]] = Counter()
        self.weight: Counter[tuple[Convention, Convention]] = Counter()


def unsettled(column: str, evidence: Evidence, one: Convention, other: Convention) -> CleancutError:
    """Return the error that asks the user which of two conventions holds.

    Args:
        column: the column with the spans.
        evidence: what its mentions tell.
        one: a convention.
        other: another convention.
    """
    n_for_one, n_for_other = evidence.counts(one, other)
    why = f"{n_for_one} mentions say the one and {n_for_other} the other"
    if not n_for_one and not n_for_other:
        why = "nothing in the text shows it"
    elif not n_for_one or not n_for_other:
        why = f"only {n_for_one + n_for_other} mentions show it"
    return CleancutError(
        f"do the ends of {column} belong to the mentions? They may be {one} or {other}, and {why}. Give "
        "end='exclusive' or end='inclusive' (command line: --end)."
    )


def _goes_on(tokens: Sequence[str], start: int, end: int) -> bool:
    """Return whether all words of a mention and the first one behind it have a capital.

    Then the end may be inclusive, and the mention longer.
    """
    words = tokens[start : end + 1]
    return start < end < len(tokens) and all(word[:1].isupper() for word in words)


class End(IntEnum):
    """How well a mention ends; a higher value is better."""

    CUT = 0
    """Inside a word, or at a space; or it begins so."""
    INSIDE = 1
    """Inside a run of a script without spaces, or of Korean: there words end anywhere."""
    CHANGE = 2
    """Where one script ends and another begins."""
    LIKE_PARTICLE = 3
    """At the end of a Korean word whose last syllable may be a particle."""
    PUNCTUATION = 4
    """At a punctuation mark that is not followed by a word."""
    BEFORE_PARTICLE = 5
    """Before a Korean particle of one syllable."""
    WORD = 6
    """At the end of a word."""
    BEFORE_LONG_PARTICLE = 7
    """Before a Korean particle of several syllables."""


_UNCERTAIN = (End.INSIDE, End.CHANGE, End.LIKE_PARTICLE)
"""Ends that may be right or wrong."""


class _Outcome(NamedTuple):
    """How a mention comes out under a convention."""

    end: End
    """How well the mention ends."""
    begins_word: bool = True
    """Whether the mention begins at the beginning of a word."""
    is_quoted: bool = False
    """Whether these are the words that the mention quotes."""


def _by_words(convention: Convention, ours: _Outcome | None, theirs: _Outcome | None) -> int:
    """Return the weight with which the words of a mention speak for a convention against another."""
    is_ours = ours is not None and ours.is_quoted
    is_theirs = theirs is not None and theirs.is_quoted
    return CLEAR if is_ours and not is_theirs else 0


def _by_edges(convention: Convention, ours: _Outcome | None, theirs: _Outcome | None) -> int:
    """Return the weight with which the edges of a mention speak for a convention against another."""
    if ours is None or ours.end is End.CUT:
        return 0
    if theirs is None or theirs.end is End.CUT:
        return CLEAR
    if not convention.is_usual or ours[:2] <= theirs[:2]:
        return 0
    is_uncertain = theirs.end in _UNCERTAIN and ours.end is not End.BEFORE_LONG_PARTICLE
    return 1 if is_uncertain else CLEAR


def _is_quote(words: str, surface: str | None) -> bool:
    """Return whether words are those that a mention quotes.

    Case, spaces between words and the signs of sub-words do not count.
    """
    if not surface or not surface.strip():
        return False
    plain = re.sub("^(##|\u2581|\u0120)", "", surface.strip())
    is_trimmed = words == words.strip() or words == surface
    return is_trimmed and "".join(words.split()).casefold() == "".join(plain.split()).casefold()


def _outcome(place: Place, offsets: Offsets, span: Span, convention: Convention) -> _Outcome | None:
    """Return how a mention comes out under a convention; None where the text does not have it."""
    assert span.start is not None and span.end is not None
    if convention.unit is Unit.TOKENS:
        until = span.end + convention.inclusive
        if not 0 <= span.start < until <= len(place.tokens):
            return None
        words = place.tokens[span.start : until]
        ends_well = len(words) == 1 or any(c.isalnum() for c in words[-1])
        how = End.WORD if ends_well else End.PUNCTUATION
        return _Outcome(how, is_quoted=_is_quote(" ".join(words), span.surface))
    characters = offsets.characters(span.start, span.end, convention)
    if characters is None:
        return None
    text = place.text
    start, end = characters
    is_quoted = _is_quote(text[start:end], span.surface)
    if text[start].isspace() or text[end - 1].isspace() or is_inside_word(text, start) or is_inside_word(text, end):
        return _Outcome(End.CUT, False, is_quoted)
    begins_word = text[start].isalnum() and (start == 0 or not text[start - 1].isalnum())
    return _Outcome(_end(text, start, end), begins_word, is_quoted)


def _end(text: str, start: int, end: int) -> End:
    """Return how well a mention ends that does not cut a word."""
    last = text[end - 1]
    following = text[end : end + 1]
    if not following or not _is_word(following):
        if not _is_word(last):
            return End.PUNCTUATION
        return End.LIKE_PARTICLE if end - start > 1 and _PARTICLE.match(last) else End.WORD
    particle = _PARTICLE.match(text, end)
    if particle is not None:
        return End.BEFORE_LONG_PARTICLE if particle.end() - end > 1 else End.BEFORE_PARTICLE
    changes = _script(last) != _script(following) and _script(last) != "kana"
    return End.CHANGE if changes else End.INSIDE


_PARTICLE = re.compile(
    "(은|는|이|가|을|를|의|에|에서|에게|께서|한테|로|으로|와|과|도|만|까지|부터|보다|이나|나|이다|입니다|이라|라는|이라는)"
    r"(?![^\W\d_])"
)
"""Matches what may follow a Korean mention in the same word, up to the end of the word."""

_KANA = re.compile("[\u3040-\u309f]")
"""Matches a character of Hiragana."""
_ALONE = re.compile(f"[{WITHOUT_SPACES}]")
"""Matches a character of a script without spaces."""


def _is_word(character: str) -> bool:
    """Return whether a character can be part of a word."""
    return character.isalnum() or _ALONE.match(character) is not None


def _script(character: str) -> str:
    """Return the group of a character; a change of it may end a word: Hiragana, other such scripts, digits, ..."""
    if _KANA.match(character):
        return "kana"
    if _ALONE.match(character):
        return "katakana" if "\u30a0" <= character <= "\u30ff" else "alone"
    return "digit" if character.isdigit() else "spaced"
