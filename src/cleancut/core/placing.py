"""The places of all mentions of an answer, chosen among those that each of them may have.

Where all can stand in the order of the answer without touching one another, the leftmost places are best. Else a
dynamic programme finds how as many as possible keep the order, with as few overlaps as possible.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from .sample_text import Place

BEAM = 32
"""Unfinished placements that are followed at a time. Real answers need two or three; so many bound the work."""
NARROW_BEAM = 4
"""The same in answers of more than ``MOST_FOLLOWED`` mentions."""
MOST_FOLLOWED = 200
"""Mentions of an answer up to which so many placements are followed."""
NEAREST = 8
"""Places behind the last mention that are looked at where other types have taken the nearest."""
MOST_SETTLED = 1000
"""Mentions of an answer up to which no effort is spared; more of them are no answer that one reads."""


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

    def places(self) -> dict[int, Place]:
        """Return the places that have been chosen, by the number of the mention."""
        places: dict[int, Place] = {}
        choices = self.choices
        while choices is not None:
            i, place, choices = choices
            places[i] = place
        return places


def only_places(choices: Iterable[Sequence[Place]], n_tokens: int) -> list[Place] | None:
    """Return the places of mentions that can be placed in one way only, in order and without overlap; else None.

    Args:
        choices: the places at which each mention may be, from left to right.
        n_tokens: the number of tokens of the sample.

    >>> only_places([[Place(0, 1), Place(4, 5)], [Place(2, 3)]], 5)
    [Place(start=0, end=1), Place(start=2, end=3)]
    >>> only_places([[Place(0, 1), Place(4, 5)]], 5) is None
    True
    """
    leftmost: list[Place] = []
    open_to: list[Sequence[Place]] = []
    low = 0
    for there in choices:
        place = there[0]
        if place[0] < low:
            at = bisect_left(there, (low,))
            if at == len(there):
                return None
            place = there[at]
        leftmost.append(place)
        open_to.append(there)
        low = place[1]
    high = n_tokens
    for there, place in zip(reversed(open_to), reversed(leftmost), strict=True):
        if there[-1] is not place:
            at = bisect_left(there, (high,)) - 1
            while there[at][1] > high:
                at -= 1
            if there[at] != place:
                return None
        high = place[0]
    return leftmost


class Placing:
    """Places the mentions of one sample, chain by chain: those of a chain come in the order of the text."""

    def __init__(
        self, tokens: Sequence[str], labels: Sequence[str], choices: Sequence[list[Place]], *, several: bool
    ) -> None:
        self._tokens = tokens
        self._labels = labels
        self._choices = choices
        self._several = several
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
        occupied = sorted(self._used)
        best = self._leftmost(some, occupied)
        if best is None:
            best = self._best_places(some, occupied)
        for i, place in best.items():
            if self._labels[i] not in self._used.get(place, ()):
                self._take(i, place)
        if len(best) < len(some) or occupied:
            self._left_over += [i for i in some if self.taken[i] is None]
        if any(len(self._choices[i]) > 1 for i in best):
            self._find_ends(some, best, may_overlap=self._several or _nest(best.values()))
            if self._ends and len(best) <= MOST_SETTLED:
                in_best = [i for i in some if i in best]
                self._settle([i for i in in_best if self.taken[i] is not None])

    def _leftmost(
        self, chain: Sequence[int], occupied: list[Place], *, may_overlap: bool = False
    ) -> dict[int, Place] | None:
        """Place all mentions of a chain one behind the other, each as far to the left as it can; None if one cannot.

        As none could stand further to the left, no placement is better: the dynamic programme would find the same.
        """
        places: dict[int, Place] = {}
        low, last = 0, None
        for i in chain:
            choices = self._choices[i]
            at = bisect_left(choices, (low,))
            while at < len(choices) and (choices[at] == last or (occupied and _meets(choices[at], occupied))):
                at += 1
            if at == len(choices):
                return None
            last = places[i] = choices[at]
            low = last.start if may_overlap else last.end
        return places

    def _rightmost(self, chain: Sequence[int], *, may_overlap: bool) -> dict[int, Place] | None:
        """Place all mentions of a chain, each as far to the right as it can; None if one cannot."""
        places: dict[int, Place] = {}
        high, last = len(self._tokens), None
        for i in reversed(chain):
            choices = self._choices[i]
            at = bisect_left(choices, (high + may_overlap,)) - 1
            while at >= 0 and (choices[at] == last or (choices[at].end > high and not may_overlap)):
                at -= 1
            if at < 0:
                return None
            last = places[i] = choices[at]
            high = last.start
        return places

    def _best_places(self, chain: Sequence[int], occupied: list[Place]) -> dict[int, Place]:
        """Return the best places of a chain whose mentions overlap, or not all of which keep the order."""
        state = self._best(chain, occupied)
        if state.n_overlaps:  # the answer nests, and may name what lies inside before what lies around it
            inner_first = self._best(chain, occupied, inner_first=True)
            if _worth(inner_first)[:2] > _worth(state)[:2]:
                state = inner_first
        return state.places()

    def _find_ends(self, some: Sequence[int], best: Mapping[int, Place], *, may_overlap: bool) -> None:
        """Find the leftmost and the rightmost place of each mention among placements that are as good.

        Where the order says nothing of other types, or the answer nests, overlaps tell nothing of a place.
        """
        ends = [self._rightmost(some, may_overlap=may_overlap)]
        if ends[0] is None:
            ends = [self._best([*reversed(some)], [], mirrored=True, may_overlap=may_overlap).places()]
        if may_overlap:
            leftmost = self._leftmost(some, [], may_overlap=True)
            if leftmost is None:
                leftmost = self._best(some, [], may_overlap=True).places()
            ends.append(leftmost)
        for i, place in best.items():
            if len(self._choices[i]) > 1:
                reached = [place]
                for end in ends:
                    if end is not None and i in end:
                        reached.append(end[i])
                if min(reached) < max(reached):
                    self._ends[i] = min(reached), max(reached)

    def _settle(self, placed: Sequence[int]) -> None:
        """Move mentions whose place is open to a likelier one between their neighbours, as far as nothing overlaps.

        Likelier is a place that touches a neighbour, as ``@`` does a user name, and one that has no number beside it,
        as the month in ``May 9`` has.
        """
        occupied = sorted(self._used)
        for at in reversed(range(len(placed))):
            i = placed[at]
            own = self.taken[i]
            if i not in self._ends or own is None:
                continue
            before = self.taken[placed[at - 1]] if at else None
            after = self.taken[placed[at + 1]] if at + 1 < len(placed) else None
            low = before.end if before is not None else 0
            high = after.start if after is not None else len(self._tokens)
            between = [place for place in self._open_choices(i) if low <= place.start < place.end <= high]
            options = [place for place in between if not _meets(place, occupied, own)]
            if own not in options:
                continue  # it lies in another one, or around it
            touched = (low if before is not None else -1), (high if after is not None else -1)
            place = min(options, key=lambda place: self._oddness(place, *touched))
            if place != own:
                self._used[own].discard(self._labels[i])
                if not self._used[own]:
                    del self._used[own]
                    occupied.remove(own)
                self._take(i, place)
                insort(occupied, place)

    def _open_choices(self, i: int) -> list[Place]:
        """Return the places of a mention between its leftmost and its rightmost one; of many, the first."""
        low, high = self._ends[i]
        choices = self._choices[i]
        first = bisect_left(choices, low)
        return choices[first : min(bisect_right(choices, high), first + BEAM)]

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
        """Put a mention at a place."""
        self.taken[i] = place
        self._used.setdefault(place, set()).add(self._labels[i])

    def open_places(self) -> dict[int, tuple[int, int]]:
        """Return the places of mentions between their leftmost and their rightmost ones, if these differ; half-open."""
        return {
            i: (bisect_left(self._choices[i], low), bisect_right(self._choices[i], high))
            for i, (low, high) in self._ends.items()
        }

    def _best(
        self,
        chain: Sequence[int],
        occupied: list[Place],
        *,
        mirrored: bool = False,
        may_overlap: bool = False,
        inner_first: bool = False,
    ) -> _State:
        """Return the best placement of a chain: a dynamic programme over the places of its mentions.

        Args:
            chain: the mentions, in the order of the text.
            occupied: places that other chains have taken.
            mirrored: go from right to left, so that of equal placements the rightmost is found.
            may_overlap: overlaps cost nothing.
            inner_first: of mentions with one start, the shorter is named first.
        """
        beam = BEAM if len(chain) <= MOST_FOLLOWED else NARROW_BEAM
        edge = 1 << 62 if mirrored else -1
        states = [_State(edge, edge, 0, 0, 0, None)]
        for i in chain:
            following = dict[tuple[int, int], _State]()
            for state in states:
                _keep(following, state)
                for place in self._within_reach(i, state, occupied, mirrored):
                    after = self._after(i, place, state, occupied, mirrored, inner_first)
                    if may_overlap:
                        reach = place.start - 1 if mirrored else place.start + 1
                        after = after._replace(n_overlaps=0, reach=reach)
                    _keep(following, after)
            states = _pruned(following.values(), mirrored, beam)
        return max(states, key=_worth)

    def _within_reach(self, i: int, state: _State, occupied: list[Place], mirrored: bool) -> list[Place]:
        """Return the places that can be best for a mention: those that overlap, and the nearest that does not.

        Where others have taken the nearest, the next ones that are free are looked at, too.
        """
        places = self._choices[i]
        chosen: list[Place] = []
        if mirrored:
            for at in reversed(range(bisect_left(places, (state.start + 1,)))):
                chosen.append(places[at])
                nearest = (
                    places[at].start <= state.reach if state.reach < state.start else places[at].end <= state.start
                )
                if nearest:
                    break
            return chosen
        n_apart = 0
        for at in range(bisect_left(places, (state.start,)), len(places)):
            chosen.append(places[at])
            if places[at].start >= state.reach:
                n_apart += 1
                if n_apart == NEAREST or not _meets(places[at], occupied):
                    break
        return chosen

    def _after(
        self, i: int, place: Place, state: _State, occupied: list[Place], mirrored: bool, inner_first: bool
    ) -> _State:
        """Return the state after a mention has been placed."""
        if mirrored:
            overlaps = place.end > state.start
            reach, distance = place.start, -place.start
        else:
            overlaps = place.start < state.reach
            reach, distance = max(state.reach, place.end), place.start
        n_overlaps = int(overlaps)
        if overlaps and self._has(state, i, place):
            return state  # the same mention twice
        if overlaps and state.choices is not None and state.choices[1] == place:
            n_overlaps = 2
        elif overlaps and not mirrored and place.end > state.reach and place.start > state.start:
            n_overlaps = 2  # neither lies inside the other
        elif overlaps and not mirrored and place.start == state.start and state.choices is not None:
            is_around = place.end > state.choices[1].end
            n_overlaps += is_around != inner_first  # not as the answer nests elsewhere
        if _meets(place, occupied):
            n_overlaps += 1
        return _State(
            place.start,
            reach,
            state.n_placed + 1,
            state.n_overlaps + n_overlaps,
            state.distance + distance,
            (i, place, state.choices),
        )

    def _has(self, state: _State, i: int, place: Place) -> bool:
        """Return whether a mention of the same type is at a place by the last choices, those with its start."""
        choices = state.choices
        while choices is not None and choices[1].start == place.start:
            if choices[1] == place and self._labels[choices[0]] == self._labels[i]:
                return True
            choices = choices[2]
        return False


def _nest(places: Iterable[Place]) -> bool:
    """Return whether some of the places overlap."""
    return any(after.start < before.end for before, after in pairwise(sorted(places)))


def _meets(place: Place, occupied: list[Place], except_for: Place | None = None) -> bool:
    """Return whether a place shares a token with one that is taken, except for its own."""
    if not occupied:
        return False
    at = bisect_left(occupied, (place.end,))
    # places of names are short: those that could reach here lie shortly before
    return any(other.end > place.start and other != except_for for other in occupied[max(at - 8, 0) : at])


def _worth(state: _State) -> tuple[int, int, int]:
    """Return what a placement is worth, the most important first; more is better."""
    return state.n_placed, -state.n_overlaps, -state.distance


def _keep(states: dict[tuple[int, int], _State], state: _State) -> None:
    """Keep the better of two states that have come as far."""
    key = state.start, state.reach
    known = states.get(key)
    if known is None or _worth(state) > _worth(known):
        states[key] = state


def _pruned(states: Iterable[_State], mirrored: bool, beam: int) -> list[_State]:
    """Return the states that no other one beats in worth and in how much of the text it leaves."""
    kept: list[_State] = []
    for state in sorted(states, key=_worth, reverse=True):
        if len(kept) == beam:
            break
        start, reach = state.start, state.reach
        if mirrored:
            beaten = any(other.start >= start and other.reach >= reach for other in kept)
        else:
            beaten = any(other.start <= start and other.reach <= reach for other in kept)
        if not beaten:
            kept.append(state)
    return kept
