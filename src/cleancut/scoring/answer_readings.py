"""The lowest and the highest F1 over the ways to read words of answers that may be one name or several.

Another way to read them changes how many mentions are predicted as well as how many are right. F1 is then a fraction
whose best value is found by asking again and again which way is best at the value reached so far (Dinkelbach's
method); each way of a run is chosen for itself, and the result is exact in whole numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..core.answer_report import AnswerReport, Open, OpenName, OpenRun

Place = tuple[int, int, int, str]
"""The sample, the start, the end and the type of a mention."""


class Way(NamedTuple):
    """What a number of names that a run is read as is worth."""

    n_more: int
    """How many more names these are than the run was read as."""
    at_least: int
    """How many of them are right at the worst of their places."""
    at_most: int
    """How many of them are right at the best of their places."""


Ways = tuple[Way, ...]
"""The ways to read a run, one for each number of names."""


class _Claim(NamedTuple):
    """Names of one type and sample that are open to the same places."""

    sample: int
    label: str
    places: tuple[tuple[int, int], ...]


class _Worth(NamedTuple):
    """How many mentions a name adds to those that are right, at least and at most."""

    at_least: int
    at_most: int


def ways_of_runs(report: AnswerReport, right: Iterable[Place]) -> dict[Ways, int]:
    """Return what the ways to read each run are worth, and how many runs there are of each worth.

    Args:
        report: how answers were read and placed.
        right: the gold mentions of the samples that have runs.
    """
    if not report.runs:
        return {}
    gold = frozenset(right)
    n_others: Counter[_Claim] = Counter()
    for group in report.by_name:
        n_others[_claim(group, group.places)] += group.n
    n_names: Counter[_Claim] = Counter(_claim(run, name.places) for run in report.runs for name in run.names)
    claimed: Counter[Place] = Counter(place for claim in {*n_others, *n_names} for place in _places(claim))
    worth = {claim: _worth(claim, n_others[claim], n_names[claim], gold, claimed) for claim in n_names}
    return dict(Counter(_ways(run, worth) for run in report.runs))


def _claim(of: Open | OpenRun, places: tuple[tuple[int, int], ...]) -> _Claim:
    """Return open mentions, or the words of a run, as a claim on some places."""
    return _Claim(of.sample, of.label, places)


def _places(claim: _Claim) -> list[Place]:
    """Return the places of a claim, with its sample and its type."""
    return [(claim.sample, start, end, claim.label) for start, end in claim.places]


def _worth(claim: _Claim, n_others: int, n_names: int, gold: frozenset[Place], claimed: Mapping[Place, int]) -> _Worth:
    """Return what a name of runs is worth beside the other mentions that are open to the same places.

    Of n mentions among p places, g of which are right, n + g - p are right at least, as long as n is not more than p.
    So one more mention is one more that is right if without it n + g is p or more, and if it finds a place in any case.
    At most g are right, however many there are.
    """
    places = _places(claim)
    n_right = sum(place in gold for place in places)
    finds_place = n_others + n_names <= len(places) and all(claimed[place] == 1 for place in places)
    is_surely_right = finds_place and n_others + n_right >= len(places)
    return _Worth(int(is_surely_right), int(n_others < n_right))


def _ways(run: OpenRun, worth: Mapping[_Claim, _Worth]) -> Ways:
    """Return what the ways to read a run are worth, by their numbers of names."""
    best: list[dict[int, _Worth]] = [{} for _ in range(run.n_parts + 1)]
    best[0][0] = _Worth(0, 0)
    name: OpenName
    for name in sorted(run.names, key=lambda name: name.end):
        of_name = worth[_claim(run, name.places)]
        for n, before in best[name.first].items():
            whole = _Worth(before.at_least + of_name.at_least, before.at_most + of_name.at_most)
            known = best[name.end].get(n + 1, whole)
            best[name.end][n + 1] = _Worth(min(known.at_least, whole.at_least), max(known.at_most, whole.at_most))
    return tuple(Way(n - run.n, *best[-1][n]) for n in sorted(best[-1]))


def lowest_f1(n_right: int, total: int, runs: Mapping[Ways, int]) -> float:
    """Return the lowest F1 over all ways to read runs.

    Args:
        n_right: how many predictions are right at least, but for those of runs.
        total: the number of gold mentions and of predictions, with those of runs as they were read.
        runs: what the ways to read runs are worth, and how many runs there are of each worth.

    >>> lowest_f1(0, 3, {(Way(0, 1, 1), Way(1, 0, 2)): 1})
    0.0
    """
    return _extreme(n_right, total, runs, lowest=True)


def highest_f1(n_right: int, total: int, runs: Mapping[Ways, int]) -> float:
    """Return the highest F1 over all ways to read runs.

    Args:
        n_right: how many predictions are right at most, but for those of runs.
        total: the number of gold mentions and of predictions, with those of runs as they were read.
        runs: what the ways to read runs are worth, and how many runs there are of each worth.

    >>> highest_f1(0, 3, {(Way(0, 0, 0), Way(1, 0, 2)): 1})
    1.0
    """
    return min(1.0, _extreme(n_right, total, runs, lowest=False))


def _extreme(n_right: int, total: int, runs: Mapping[Ways, int], *, lowest: bool) -> float:
    """Return the lowest or the highest F1, 2 r / t, over all choices of a way for each run.

    Args:
        n_right: how many predictions are right, without those of runs.
        total: the number of gold mentions and of predictions, with those of runs as they were read.
        runs: what the ways to read runs are worth, and how many runs there are of each worth.
        lowest: whether to return the lowest F1 rather than the highest.
    """
    sign = -1 if lowest else 1
    reached: tuple[int, int] | None = None
    while True:
        above, below = reached or (0 if not lowest else 2, 1)
        r, t = n_right, total
        for ways, n in runs.items():
            values = ((way.at_least if lowest else way.at_most, way.n_more) for way in ways)
            best = max(values, key=lambda value: sign * (2 * value[0] * below - above * value[1]))
            r, t = r + n * best[0], t + n * best[1]
        if t <= 0:
            return 0.0
        if reached is not None and sign * (2 * r * below - above * t) <= 0:
            return above / below
        reached = 2 * r, t
