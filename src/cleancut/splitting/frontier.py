"""The frontier of a split: what fewer shared entities cost in discarded samples, in density and in ratios."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import Any

from ..core import checks
from ..core.exceptions import CleancutError
from ..core.notices import said_once
from ..core.shown import Drawn
from ..reading.progress import work_shown
from .mincut import mincut
from .plan import SplitPlan
from .quotas import RATIO_TOLERANCE
from .settings import DEFAULTS, OPTIONS, RATIOS, flag_of, largest_discard, takes_split_options

DISCARDS: tuple[float | str, ...] = (0, 0.005, 0.01, 0.02, 0.05, "auto")
_MOST_TRIED = 1000
"""Splits that are tried at most."""
FLOORS: tuple[float | None, ...] = (0.95, 0.9, 0.8, None)


@dataclass(frozen=True)
class Point:
    """One split of the frontier: what was asked, and what came of it."""

    discard: float | str
    representative: float | None
    n_contaminated: int
    """Held-out samples that share an entity with an earlier split, counted once for each such split."""
    n_discarded: int
    density: float
    """Entities per sample of the sparsest held-out split, against the corpus."""
    ratio_error: float
    """The largest difference of a split's share of the kept samples from what was asked."""
    optimal: bool
    """Is no other point at least as good in everything and better in something?"""
    plan: SplitPlan

    @property
    def options(self) -> str:
        """As ``cleancut split`` takes them."""
        names = ("discard", "representative")
        return " ".join(f"{flag_of(name)} {OPTIONS[name].write(getattr(self, name))}" for name in names)

    def to_dict(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "plan"}

    def losses(self) -> tuple[float, ...]:
        """What is to be small. Ratios within their tolerance and the third digit of a density are no difference."""
        thin = 0.0 if self.density != self.density else max(round(1 - self.density, 2), 0.0)
        return self.n_contaminated, self.n_discarded, thin, max(round(self.ratio_error - RATIO_TOLERANCE, 4), 0.0)


_DENSE, _MOST = float(DEFAULTS.representative or 0), 0.1
"""What a recommended split has of the corpus's density, and discards at most."""


@dataclass(frozen=True, repr=False)
class Frontier(Drawn):
    """Splits of one corpus by discard and density floor, the best of each kind marked."""

    points: tuple[Point, ...]
    best: Point
    """Of those that are dense enough and set little aside, the one that shares least."""

    def __repr__(self) -> str:
        return f"Frontier of {len(self.points)} splits. {self.recommendation}"

    @property
    def recommendation(self) -> str:
        """The options to use and why, in one sentence."""
        n_samples, best = len(self.best.plan.assignment), self.best
        kept = (
            "nothing is shared between any two splits"
            if not best.n_contaminated
            else f"{_counted(best.n_contaminated)} with an entity of an earlier split"
        )
        discarded = f"{_counted(best.n_discarded)} ({100 * best.n_discarded / n_samples:.1f}%) discarded"
        limits = f"at most {100 * _MOST:.0f}% discarded and at least {_DENSE} times the corpus's density"
        if not _is_fair(best):
            limits = "the density nearest to that of the corpus, since none comes closer to it"
        return (
            f"Use {best.options}: {kept}, with {discarded} and {best.density:.2f} times the corpus's entities per "
            f"sample in the sparsest held-out split, the least sharing that was found with {limits}."
        )

    def to_dict(self) -> dict[str, Any]:
        """What ``cleancut split --frontier --json`` prints."""
        return {
            "n_samples": len(self.best.plan.assignment),
            "points": [point.to_dict() for point in self.points],
            "recommendation": {
                "discard": self.best.discard, "representative": self.best.representative, "options": self.best.options,
                "why": self.recommendation,
            },
            "signature": self.best.plan.signature,
        }  # fmt: skip


@takes_split_options("discard", "representative")
def frontier(
    data: Any,
    ratios: Any = RATIOS,
    *,
    discards: Sequence[float | str] = DISCARDS,
    floors: Sequence[float | None] = FLOORS,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Frontier:
    """Split by each density floor and discard, to see what less sharing costs; ``options`` are those of ``mincut``.

    Discards that cannot matter are left out: all beyond 0 where whole components can be packed, and those that are
    larger than what ``auto`` needs.

    >>> from ..core.corpus import Corpus
    >>> samples = [[name, "spoke"] for name in ("Ada", "Bo", "Cy", "Di") for _ in range(5)]
    >>> found = frontier(Corpus.of(samples, tags=[["B-PER", "O"]] * 20), ratios=(50, 25, 25))
    >>> found.best.options, found.best.n_contaminated
    ('--discard 0 --representative 0.95', 0)
    """
    for name in ("discard", "representative"):
        if name in options:
            raise CleancutError(f"{name}={options[name]!r} has no effect: a frontier tries several. Leave it out.")
    discards, floors = checks.ordered(discards, "discards"), checks.ordered(floors, "floors")
    if not floors or not discards:
        raise CleancutError(f"discards={discards!r}, floors={floors!r}: give at least one of each to try.")
    if len(floors) * len(discards) > _MOST_TRIED:
        raise CleancutError(
            f"{len(floors)} floors times {len(discards)} discards to try. Give at most {_MOST_TRIED} pairs."
        )

    def split(discard: float | str, floor: float | None) -> SplitPlan:
        return mincut(data, ratios, discard=discard, representative=floor, **options)

    found = []
    with work_shown("cutting", progress) as told, said_once():
        for floor in floors:
            for discard, plan in _plans(lambda discard, floor=floor: split(discard, floor), discards):  # type: ignore[misc]
                found.append(_point(discard, floor, plan))
            if told:
                told(1 / len(floors))
    points = [replace(point, optimal=not _is_dominated(i, found)) for i, point in enumerate(found)]
    return Frontier(tuple(points), _best(points))


def _plans(
    split: Callable[[float | str], SplitPlan], discards: Sequence[float | str]
) -> Iterator[tuple[float | str, SplitPlan]]:
    """The discards that matter, from the smallest on; ``auto`` is tried second, since it says which do."""
    order = sorted(set(discards), key=largest_discard)
    first = split(order[0])
    yield order[0], first
    if not _shared(first) or len(order) == 1:
        return
    last = split(order[-1])
    for discard in order[1:-1]:
        if largest_discard(discard) * len(last.assignment) < last.n_discarded:
            yield discard, split(discard)
    yield order[-1], last


def _point(discard: float | str, floor: float | None, plan: SplitPlan) -> Point:
    held_out = [name for name in plan.names[1:] if plan.sizes[name]]
    density = min((plan.representation[name]["entities_per_sample_ratio"] for name in held_out), default=float("nan"))
    before = plan.n_samples_before() or plan.original_sizes
    _, shares = plan.settings.shares({name: range(n) for name, n in before.items()})
    sizes = plan.n_samples_after()
    kept = max(sum(sizes.values()), 1)
    off = max(abs(sizes[name] / kept - float(asked)) for name, asked in zip(plan.names, shares, strict=True))
    return Point(discard, floor, _shared(plan), plan.n_discarded, density, off, True, plan)


def _shared(plan: SplitPlan) -> int:
    pairs = combinations(plan.names, 2)
    return sum(plan.leakage["after"][later, earlier]["n_partial"] for earlier, later in pairs)


def _is_dominated(i: int, points: Sequence[Point]) -> bool:
    """Of equal points, the first stands for all."""
    own = points[i].losses()
    for j, other in enumerate(points):
        theirs = other.losses()
        if j != i and all(a <= b for a, b in zip(theirs, own, strict=True)) and (theirs != own or j < i):
            return True
    return False


def _best(points: Sequence[Point]) -> Point:
    optimal = [point for point in points if point.optimal]
    densest = min(point.losses()[2] for point in optimal)
    fair = [p for p in optimal if _is_fair(p)] or [p for p in optimal if p.losses()[2] == densest]
    return min(fair, key=Point.losses)


def _is_fair(point: Point) -> bool:
    _, _, thin, off = point.losses()
    little = point.n_discarded <= _MOST * len(point.plan.assignment)
    return thin <= round(1 - _DENSE, 2) and little and not off


def _counted(n: int) -> str:
    return f"{n} sample{'s' * (n != 1)}"
