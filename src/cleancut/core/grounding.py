"""Where mentions without offsets stand in a text: one optimisation for each sample.

Mentions come in the order of the text unless the answer shows otherwise. Of all placements that keep as many of them as
possible in order, one with the fewest overlaps is taken, and of these the leftmost; what the rightmost places elsewhere
is *ambiguous*. A mention that is not in the text, or more often than it stands there, is *invented*.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from .answers import Answer, Named, Order, squeezed
from .exceptions import CleancutError

BEAM = 32
"""Unfinished placements that are followed at a time. Real answers need two or three; so many bound the work."""
NARROW_BEAM = 3
"""The same in answers of more than ``MOST_SETTLED`` mentions."""
MOST_PLACES = 4096
"""Places of one name that are looked at, if it is not named more often. So many has a full stop in a long text."""
MOST_PLACES_OF_ALL = 500_000
"""Places of all names of an answer together, which bound the memory."""
NEAREST = 8
"""Places behind the last mention that are looked at where other types have taken the nearest."""
MOST_SETTLED = 1000
"""Mentions of an answer up to which no effort is spared; more of them are no answer that one reads."""
ALIKE = 0.85
"""Share of letters in common from which on words are taken for a misspelt mention, where that is asked for."""
MOST_WINDOWS = 20_000
"""Stretches of a text that are compared with a misspelt mention."""


class Place(NamedTuple):
    """A stretch of tokens, half-open."""

    start: int
    end: int


class Group(NamedTuple):
    """Mentions of one name and type that stand somewhere among more places than there are mentions."""

    label: str
    n: int
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Grounding:
    """Where the mentions of an answer stand.

    >>> found = ground(["Ada", "met", "Ada", "."], [("Ada", "PER"), ("Bo", "PER")])
    >>> found.spans, found.n_invented, found.n_ambiguous
    ([{'start': 0, 'end': 1, 'label': 'PER'}], 1, 1)
    """

    spans: list[dict[str, Any]]
    """``{"start", "end", "label"}`` of each mention that stands in the text: tokens, or characters of a text."""
    invented: tuple[Named, ...] = ()
    """Mentions that are not in the text, or not so often."""
    in_order: bool = True
    """Does the answer keep the order of the text, as far as it can be seen?"""
    by_order: tuple[Group, ...] = ()
    """Mentions whose place the answer and its order leave open."""
    by_name: tuple[Group, ...] = ()
    """Mentions whose place the answer leaves open if its order tells nothing."""
    ambiguous: tuple[Named, ...] = field(default=(), repr=False)
    """The mentions whose place is open, as the answer names them."""

    @property
    def n_invented(self) -> int:
        """How many mentions are not in the text."""
        return len(self.invented)

    @property
    def n_ambiguous(self) -> int:
        """How many mentions the answer gives no certain place."""
        return sum(group.n for group in self.by_order)


def ground(tokens: Sequence[str] | str, mentions: Answer | Iterable[Any], *, fuzzy: bool = False) -> Grounding:
    """Find where mentions without offsets stand in a text.

    Names are found exactly, whatever the white space; else without regard to case, quotes, dashes, width and a full
    stop at their end; else as a part of a token, which then counts as a whole; and with ``fuzzy`` also misspelt.

    Args:
        tokens: the tokens of a sample, or its text.
        mentions: an answer, or pairs ``(name, type)``, or dicts with ``text`` and ``label``, in the order of the text.
        fuzzy: may a name also differ in some letters?

    Returns:
        The spans of the mentions, those that are invented, and those whose place is ambiguous.

    >>> ground("The U.N. met in New York.", [("U.N.", "ORG"), ("new york", "LOC")]).spans
    [{'start': 4, 'end': 8, 'label': 'ORG'}, {'start': 16, 'end': 24, 'label': 'LOC'}]
    """
    if isinstance(tokens, str):
        words = [(match.group(), match.start(), match.end()) for match in _WORD.finditer(tokens)]
        found = _place(SampleText([word for word, _, _ in words], tokens), _answer_of(mentions), fuzzy)
        for span in found.spans:
            span["start"], span["end"] = words[span["start"]][1], words[span["end"] - 1][2]
        return found
    return _place(SampleText(tokens), _answer_of(mentions), fuzzy)


_WORD = re.compile(r"\w+|[^\w\s]")


def _answer_of(mentions: Any) -> Answer:
    if isinstance(mentions, Answer):
        return mentions
    named = []
    for i, mention in enumerate(mentions):
        if isinstance(mention, Mapping):
            text, label = mention.get("text"), mention.get("label")
        elif isinstance(mention, Sequence) and not isinstance(mention, str) and len(mention) >= 2:
            text, label = mention[0], mention[1]
        else:
            text = label = None
        if not isinstance(text, str) or not isinstance(label, str) or not label:
            raise CleancutError(f'mention {i} is {mention!r:.60}. Give ("Ada", "PER") or {{"text", "label"}}.')
        named.append(Named(text, label))
    return Answer(tuple(named))


# --- the text -----------------------------------------------------------------------------------------


class _Line(NamedTuple):
    """Tokens without white space one after the other, and which of them begins and ends where."""

    text: str
    starts: dict[int, int]
    ends: dict[int, int]
    begins: dict[str, list[int]]
    """Where each word begins."""
    longest: int
    """Letters of the longest word."""


def _line(tokens: Sequence[str]) -> _Line:
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    begins: dict[str, list[int]] = {}
    at = 0
    for i, token in enumerate(tokens):
        if not token:
            continue
        starts[at] = i
        begins.setdefault(token, []).append(at)
        at += len(token)
        ends[at] = i + 1
    return _Line("".join(tokens), starts, ends, begins, max(map(len, begins), default=0))


class SampleText:
    """The text of a sample, in which names are looked for."""

    def __init__(self, tokens: Sequence[str], text: str | None = None) -> None:
        self.tokens = tokens
        self._text = text
        self._n_left = MOST_PLACES_OF_ALL

    @cached_property
    def exact(self) -> _Line:
        """The text as it is, but for white space."""
        return _line([squeezed(token) for token in self.tokens])

    @cached_property
    def normal(self) -> _Line:
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
        if named.start is None or named.end is None or not named.start < named.end:
            return None
        key = squeezed(named.text)
        if named.end <= len(self.tokens):
            words = squeezed("".join(self.tokens[named.start : named.end]))
            if not key or words == key:
                return Place(named.start, named.end)
        if named.end <= len(self.spaced) and (not key or squeezed(self.spaced[named.start : named.end]) == key):
            starts = self.first_letters
            first = bisect_left(starts, named.start + 1) - 1
            until = bisect_left(starts, named.end)
            if 0 <= first < until and (key or named.end > len(self.tokens)):
                return Place(first, until)
        return None


def _occurrences(line: _Line, key: str, most: int) -> list[Place]:
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


def _parts(line: _Line, key: str, most: int) -> list[Place]:
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


# --- spelling -----------------------------------------------------------------------------------------

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
        from html import unescape

        ways.append(normalised(unescape(name)))
    if "\\" in key:
        ways.append(key.replace("\\", ""))
    return [way for way in dict.fromkeys(ways) if way.strip(".")] or [way for way in dict.fromkeys(ways) if way]


# --- placing ------------------------------------------------------------------------------------------


def _place(text: SampleText, answer: Answer, fuzzy: bool) -> Grounding:
    named = answer.mentions
    if not named:
        return Grounding([])
    given = _given_places(text, answer)
    wanted: dict[str, int] = {}
    for mention, place in zip(named, given, strict=True):
        if place is None:
            wanted[mention.text] = wanted.get(mention.text, 0) + 1
    places = {name: text.places(name, n, fuzzy) for name, n in wanted.items()}
    choices: list[list[Place]] = []
    n_named: dict[tuple[str, str], int] = {}
    for mention, place in zip(named, given, strict=True):
        key = mention.text, mention.label
        n_named[key] = n_named.get(key, 0) + 1
        there = [place] if place is not None else places[mention.text]
        # one that is named far more often than it stands there would only take time
        choices.append(there if place is not None or n_named[key] <= 2 * len(there) else [])
    chains: dict[str, list[int]] = {}
    for i, mention in enumerate(named):
        chains.setdefault(mention.label if answer.order is Order.TYPE else "", []).append(i)
    labels = [mention.label for mention in named]
    placing = _Placing(text.tokens, labels, choices, several=answer.order is Order.TYPE)
    # a chain with the least freedom goes first: what it takes is not taken by others
    for chain in sorted(chains.values(), key=lambda chain: sum(len(choices[i]) - 1 for i in chain)):
        placing.place(chain)
    placing.place_rest()
    taken = placing.taken
    spans = [
        {"start": place.start, "end": place.end, "label": label}
        for place, label in zip(taken, labels, strict=True)
        if place is not None
    ]  # fmt: skip
    invented = tuple(mention for mention, place in zip(named, taken, strict=True) if place is None)
    by_name = _groups(named, choices, taken, None)
    open_places = placing.open_places() if placing.in_order else None
    by_order = by_name if open_places is None else _groups(named, choices, taken, open_places)
    ambiguous = _ambiguous(named, choices, taken, open_places)
    return Grounding(spans, invented, placing.in_order, by_order, by_name, ambiguous)


def _given_places(text: SampleText, answer: Answer) -> list[Place | None]:
    """The places that the answer gives: offsets that agree with the text, or marks in the text itself."""
    if answer.marked is None:
        return [text.place_of(mention) for mention in answer.mentions]
    return _marked_places(text, answer)


def _marked_places(text: SampleText, answer: Answer) -> list[Place | None]:
    """The places of marks: the text around them is that of the sample, or at least as far as the mark."""
    assert answer.marked is not None
    found: list[Place | None] = [None] * len(answer.mentions)
    for line, letters in ((text.exact, squeezed), (text.normal, normalised)):
        said = letters(answer.marked)
        shift = said.find(line.text) if line.text else -1
        whole = shift >= 0
        ends = [end for mention in answer.mentions for end in (mention.start or 0, mention.end or 0)]
        at = _squeezed_offsets(answer.marked, ends, letters)
        for i, mention in enumerate(answer.mentions):
            assert mention.start is not None and mention.end is not None
            start, end = at[mention.start], at[mention.end]
            if not whole:
                # the text differs somewhere: sure is what stands before that place
                shift = 0 if line.text.startswith(said[:end]) else -1
            if shift < 0 or found[i] is not None:
                continue
            first, until = line.starts.get(start - shift), line.ends.get(end - shift)
            if first is not None and until is not None and first < until:
                found[i] = Place(first, until)
        if whole:
            break
    return found


def _squeezed_offsets(text: str, offsets: Iterable[int], letters: Any) -> dict[int, int]:
    """Where offsets of a text lie in the text without white space."""
    found: dict[int, int] = {}
    before = at = 0
    for offset in sorted(set(offsets)):
        before += len(letters(text[at:offset]))
        found[offset] = before
        at = offset
    return found


class _State(NamedTuple):
    """An unfinished placement: how far it has come, what it is worth, and by which choices."""

    start: int
    """Where the last mention begins."""
    reach: int
    """Where what has been placed ends."""
    n_placed: int
    n_overlaps: int
    distance: int
    """The sum of starts, from the side that one comes from."""
    choices: tuple[Any, ...] | None
    """The last choice, (mention, place), and the choices before it."""


class _Placing:
    """Places the mentions of one sample, chain by chain: those of a chain come in the order of the text."""

    def __init__(
        self, tokens: Sequence[str], labels: Sequence[str], choices: Sequence[list[Place]], *, several: bool
    ) -> None:
        self._tokens, self._labels, self._choices, self._several = tokens, labels, choices, several
        self.taken: list[Place | None] = [None] * len(labels)
        self._used: dict[Place, set[str]] = {}
        self._ends: dict[int, tuple[Place, Place]] = {}
        self._left_over: list[int] = []
        self.in_order = True

    def place(self, chain: Sequence[int]) -> None:
        """Place as many mentions of a chain as possible in order."""
        some = [i for i in chain if self._choices[i]]
        if not some:
            return
        if self._is_plain(some):
            for i in some:
                self._take(i, self._choices[i][0])
            return
        occupied = sorted(self._used)
        best = self._best(some, occupied)
        nests = _nest(best.values())
        for i, place in best.items():
            if self._labels[i] not in self._used.get(place, ()):
                self._take(i, place)
        self._left_over += [i for i in some if self.taken[i] is None]
        if any(len(self._choices[i]) > 1 for i in best):
            self._find_ends(some, best, may_overlap=nests or self._several)
            if len(best) <= MOST_SETTLED:
                self._settle([i for i in some if i in best and self.taken[i] is not None])

    def _find_ends(self, some: Sequence[int], best: Mapping[int, Place], *, may_overlap: bool) -> None:
        """Find the leftmost and the rightmost place of each mention among placements that are as good.

        Where the order says nothing of other types, or the answer nests, overlaps tell nothing of a place.
        """
        ends = [self._best([*reversed(some)], [], mirrored=True, may_overlap=may_overlap)]
        if may_overlap:
            ends.append(self._best(some, [], may_overlap=True))
        for i, place in best.items():
            reached = [place, *(end[i] for end in ends if i in end)]
            if min(reached) < max(reached):
                self._ends[i] = min(reached), max(reached)

    def _is_plain(self, some: Sequence[int]) -> bool:
        """Has every mention one place, behind the one before?"""
        reach = -1
        for i in some:
            if len(self._choices[i]) != 1 or self._choices[i][0].start < reach:
                return False
            if self._choices[i][0] in self._used:
                return False
            reach = self._choices[i][0].end
        return True

    def _settle(self, placed: Sequence[int]) -> None:
        """Move mentions whose place is open to a likelier one between their neighbours, as far as nothing overlaps.

        Likelier is a place that touches a neighbour, as ``@`` does a user name, and one that has no number beside it,
        as the month in ``May 9`` has.
        """
        for at in reversed(range(len(placed))):
            i = placed[at]
            own = self.taken[i]
            if i not in self._ends or own is None:
                continue
            before = self.taken[placed[at - 1]] if at else None
            after = self.taken[placed[at + 1]] if at + 1 < len(placed) else None
            low = before.end if before is not None else 0
            high = after.start if after is not None else len(self._tokens)
            others = sorted(place for place in self._used if place != own)
            first, last = self._ends[i]
            options = [
                place for place in self._choices[i][:BEAM]
                if first <= place <= last and low <= place.start and place.end <= high and not _meets(place, others)
            ]  # fmt: skip
            if own not in options:
                continue  # it lies in another one, or around it
            touched = (low if before is not None else -1), (high if after is not None else -1)
            place = min(options, key=lambda place: self._oddness(place, *touched))
            if place != own:
                self._used[own].discard(self._labels[i])
                if not self._used[own]:
                    del self._used[own]
                self._take(i, place)

    def _oddness(self, place: Place, before: int, after: int) -> tuple[bool, bool, bool, Place]:
        """Return what makes a place unlikely, the gravest first; of equal ones the leftmost is best."""
        around = [*self._tokens[max(place.start - 1, 0) : place.start], *self._tokens[place.end : place.end + 1]]
        beside_number = any(token.isdigit() for token in around)
        return place.end != after, place.start != before, beside_number, place

    def place_rest(self) -> None:
        """Place what does not fit into the order, where it fits best; what finds no place is invented."""
        if not self._left_over:
            return
        covered = {token for place in self._used for token in range(place.start, place.end)}
        for i in self._left_over:
            place = self._free_place(i, covered)
            if place is not None:
                self.in_order = False
            else:  # beside a mention of another type, as the last resort
                open_to = (place for place in self._choices[i] if self._labels[i] not in self._used[place])
                place = next(open_to, None)
            if place is not None:
                self._take(i, place)
                covered.update(range(place.start, place.end))

    def _free_place(self, i: int, covered: set[int]) -> Place | None:
        """Return the first place of a mention that nothing covers, else the first that no other mention has."""
        free = [place for place in self._choices[i] if place not in self._used]
        apart = (place for place in free if covered.isdisjoint(range(place.start, place.end)))
        return next(apart, None) or next(iter(free), None)

    def _take(self, i: int, place: Place) -> None:
        self.taken[i] = place
        self._used.setdefault(place, set()).add(self._labels[i])

    def open_places(self) -> dict[int, tuple[int, int]]:
        """Which places of a mention lie between its leftmost and its rightmost one, where these differ; half-open."""
        return {
            i: (bisect_left(self._choices[i], low), bisect_right(self._choices[i], high))
            for i, (low, high) in self._ends.items()
        }

    def _best(
        self, chain: Sequence[int], occupied: list[Place], *, mirrored: bool = False, may_overlap: bool = False
    ) -> dict[int, Place]:
        """The best placement of a chain: a dynamic programme over the places of its mentions.

        ``mirrored``: from right to left, so that of equal ones the rightmost is found.
        """
        edge = 1 << 62 if mirrored else -1
        states = [_State(edge, edge, 0, 0, 0, None)]
        for i in chain:
            following = dict[tuple[int, int], _State]()
            for state in states:
                _keep(following, state)
                for place in self._within_reach(i, state, occupied, mirrored):
                    after = self._after(i, place, state, occupied, mirrored)
                    if may_overlap:
                        reach = place.start - 1 if mirrored else place.start + 1
                        after = after._replace(n_overlaps=0, reach=reach)
                    _keep(following, after)
            states = _pruned(following.values(), mirrored, BEAM if len(chain) <= MOST_SETTLED else NARROW_BEAM)
        best = max(states, key=_worth)
        found: dict[int, Place] = {}
        choices = best.choices
        while choices is not None:
            i, place, choices = choices
            found[i] = place
        return found

    def _within_reach(self, i: int, state: _State, occupied: list[Place], mirrored: bool) -> list[Place]:
        """The places that can be best for a mention: those that overlap, and the nearest that does not.

        Where others have taken the nearest, the next ones that are free are looked at, too.
        """
        places = self._choices[i]
        found: list[Place] = []
        if mirrored:
            for at in reversed(range(bisect_left(places, Place(state.start + 1, -1)))):
                found.append(places[at])
                nearest = (
                    places[at].start <= state.reach if state.reach < state.start else places[at].end <= state.start
                )
                if nearest:
                    break
            return found
        n_apart = 0
        for at in range(bisect_left(places, Place(state.start, -1)), len(places)):
            found.append(places[at])
            if places[at].start >= state.reach:
                n_apart += 1
                if n_apart == NEAREST or not _meets(places[at], occupied):
                    break
        return found

    def _after(self, i: int, place: Place, state: _State, occupied: list[Place], mirrored: bool) -> _State:
        """The state after a mention has been placed."""
        if mirrored:
            overlaps = place.end > state.start
            reach, distance = place.start, -place.start
        else:
            overlaps = place.start < state.reach
            reach, distance = max(state.reach, place.end), place.start
        n_overlaps = int(overlaps)
        if overlaps and state.choices is not None and state.choices[1] == place:
            if self._labels[state.choices[0]] == self._labels[i]:
                return state  # the same mention twice
            n_overlaps = 2
        elif overlaps and not mirrored and place.end > state.reach and place.start > state.start:
            n_overlaps = 2  # neither lies inside the other
        if _meets(place, occupied):
            n_overlaps += 1
        return _State(
            place.start, reach, state.n_placed + 1, state.n_overlaps + n_overlaps, state.distance + distance,
            (i, place, state.choices),
        )  # fmt: skip


def _nest(places: Iterable[Place]) -> bool:
    """Do some of the places overlap?"""
    return any(after.start < before.end for before, after in pairwise(sorted(places)))


def _meets(place: Place, occupied: list[Place]) -> bool:
    """Does a place share a token with one that another chain has taken?"""
    if not occupied:
        return False
    at = bisect_left(occupied, Place(place.end, -1))
    # places of names are short: those that could reach here lie shortly before
    return any(other.end > place.start for other in occupied[max(at - 8, 0) : at])


def _worth(state: _State) -> tuple[int, int, int]:
    return state.n_placed, -state.n_overlaps, -state.distance


def _keep(states: dict[tuple[int, int], _State], state: _State) -> None:
    """Keep the better of two states that have come as far."""
    key = state.start, state.reach
    known = states.get(key)
    if known is None or _worth(state) > _worth(known):
        states[key] = state


def _pruned(states: Iterable[_State], mirrored: bool, beam: int) -> list[_State]:
    """The states that no other one beats in worth and in how much of the text it leaves."""
    kept: list[_State] = []
    for state in sorted(states, key=_worth, reverse=True):
        if len(kept) == beam:
            break
        beaten = any(
            (other.start >= state.start and other.reach >= state.reach)
            if mirrored
            else (other.start <= state.start and other.reach <= state.reach)
            for other in kept
        )
        if not beaten:
            kept.append(state)
    return kept


# --- ambiguity ----------------------------------------------------------------------------------------


def _groups(
    named: Sequence[Named],
    choices: Sequence[list[Place]],
    taken: Sequence[Place | None],
    open_places: Mapping[int, tuple[int, int]] | None,
) -> tuple[Group, ...]:
    """Mentions of one name and type with the places open to them, where these are more than the mentions.

    ``open_places``: those that the order leaves open; None if it tells nothing, so that every place of a name is.
    """
    members: dict[tuple[str, str], list[int]] = {}
    for i, mention in enumerate(named):
        if taken[i] is not None and len(choices[i]) > 1:
            members.setdefault((mention.text, mention.label), []).append(i)
    found = []
    for (_, label), own in members.items():
        if open_places is None:
            free = list(choices[own[0]])
            n = len(own)
        else:
            undecided = [i for i in own if i in open_places]
            settled = {taken[i] for i in own if i not in open_places}
            places = choices[own[0]]
            free = [place for at in _union(open_places[i] for i in undecided) if (place := places[at]) not in settled]
            n = len(undecided)
        if 0 < n < len(free):
            found.append(Group(label, n, tuple(free)))
    return tuple(found)


def _union(ranges: Iterable[tuple[int, int]]) -> list[int]:
    """The numbers of some ranges, each once."""
    found: list[int] = []
    reach = 0
    for low, high in sorted(ranges):
        found += range(max(low, reach), high)
        reach = max(reach, high)
    return found


def _ambiguous(
    named: Sequence[Named],
    choices: Sequence[list[Place]],
    taken: Sequence[Place | None],
    open_places: Mapping[int, tuple[int, int]] | None,
) -> tuple[Named, ...]:
    """The mentions whose place is open, to be listed."""
    if open_places is not None:
        return tuple(named[i] for i in sorted(open_places))
    counts: dict[tuple[str, str], int] = {}
    for i, mention in enumerate(named):
        if taken[i] is not None:
            counts[mention.text, mention.label] = counts.get((mention.text, mention.label), 0) + 1
    return tuple(
        mention
        for i, mention in enumerate(named)
        if taken[i] is not None and counts[mention.text, mention.label] < len(choices[i])
    )
