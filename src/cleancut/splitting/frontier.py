"""The frontier of a split: the price of fewer shared entities in discarded samples, in density and in ratios."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import combinations
from typing import Any

from ..core import checks
from ..core.exceptions import CleancutError, counted, quoted
from ..core.notices import said_once
from ..core.same import Notion, Same
from ..core.shown import Drawn
from ..reading.progress import work_shown
from .mincut import mincut
from .plan import SplitPlan
from .quotas import RATIO_TOLERANCE
from .settings import DEFAULTS, OPTIONS, RATIOS, flag_of, largest_discard, takes_split_options

DISCARDS: tuple[float | str, ...] = (0, 0.005, 0.01, 0.02, 0.05, "auto")
"""The values of ``discard`` that are tried by default."""
FLOORS: tuple[float | None, ...] = (0.95, 0.9, 0.8, None)
"""The density floors that are tried by default."""
_MOST_TRIED = 1000
"""The largest number of splits that are tried."""


@dataclass(frozen=True)
class Point:
    """One split of the frontier: the two options it was made with, and its quality."""

    discard: float | str
    """The largest share of samples that the split was allowed to discard, or ``auto``."""
    representative: float | None
    """The density floor that was asked for; None for no floor."""
    n_contaminated: int
    """The number of held-out samples that share an entity with an earlier split, counted once for each such split."""
    n_discarded: int
    """The number of samples that the split discards."""
    density: float
    """The entities per sample of the sparsest held-out split, divided by those of the corpus."""
    ratio_error: float
    """The largest difference between a split's share of the kept samples and the share that was asked for."""
    optimal: bool
    """Whether no other point is at least as good in everything and better in something."""
    plan: SplitPlan
    """The split itself."""
    same: str = "exact"
    """The notion of the same name that the split was made under."""

    @property
    def options(self) -> str:
        """The options of ``cleancut split`` that make this split."""
        names = ("discard", "representative")
        same = "" if self.same == Notion.EXACT else f"{' '.join(self.plan.settings.same_flags())} "
        return same + " ".join(f"{flag_of(name)} {OPTIONS[name].write(getattr(self, name))}" for name in names)

    def to_dict(self) -> dict[str, Any]:
        """Return the point as ``cleancut split --frontier --json`` prints it, without the plan."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "plan"}

    def losses(self) -> tuple[float, ...]:
        """Return the quantities to minimise; differences within tolerance count as ties.

        They are the contaminated samples, the discarded samples, the density that is lost (in hundredths) and the
        error of the ratios beyond their tolerance.
        """
        has_density = self.density == self.density  # NaN, of a corpus without entities, is not equal to itself
        lost_density = max(round(1 - self.density, 2), 0.0) if has_density else 0.0
        ratio_loss = max(round(self.ratio_error - RATIO_TOLERANCE, 4), 0.0)
        return self.n_contaminated, self.n_discarded, lost_density, ratio_loss


_LEAST_DENSITY = float(DEFAULTS.representative or 0)
"""The density that a recommended split should have, as a share of that of the corpus."""
_MOST_DISCARDED = 0.1
"""The share of the samples that a recommended split may discard."""


@dataclass(frozen=True, repr=False)
class Frontier(Drawn):
    """The result of ``frontier``: splits of one corpus with several discards and density floors."""

    points: tuple[Point, ...]
    """The splits that were tried, by density floor and then by discard; the optimal ones are marked."""
    best: Point
    """The point that shares least among those that are dense enough and discard few samples."""

    def __repr__(self) -> str:
        return f"Frontier of {len(self.points)} splits. {self.recommendation}"

    @property
    def recommendation(self) -> str:
        """The options to use and the reason, in one sentence."""
        best = self.best
        shared = "nothing is shared between any two splits"
        if best.n_contaminated:
            shared = f"{counted(best.n_contaminated, 'sample')} with an entity of an earlier split"
        share_discarded = 100 * best.n_discarded / len(best.plan.assignment)
        discarded = f"{counted(best.n_discarded, 'sample')} ({share_discarded:.1f}%) discarded"
        limits = (
            f"at most {100 * _MOST_DISCARDED:.0f}% discarded and at least {_LEAST_DENSITY} times the corpus's density"
        )
        if not _is_recommendable(best):
            limits = "the density nearest to that of the corpus, since none comes closer to it"
        density = f"{best.density:.2f} times the corpus's entities per sample in the sparsest held-out split"
        if math.isnan(best.density):
            density = "no density to compare, since no held-out split has samples, or the corpus no entities"
        return (
            f"Use {best.options}: {shared}, with {discarded} and {density}, the least sharing that was found with "
            f"{limits}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the frontier as ``cleancut split --frontier --json`` prints it."""
        return {
            "n_samples": len(self.best.plan.assignment),
            "points": [point.to_dict() for point in self.points],
            "recommendation": {
                "discard": self.best.discard,
                "representative": self.best.representative,
                "options": self.best.options,
                "why": self.recommendation,
            },
            "signature": self.best.plan.signature,
        }


@takes_split_options("discard", "representative")
def frontier(
    data: Any,
    ratios: Any = RATIOS,
    *,
    discards: Sequence[float | str] = DISCARDS,
    floors: Sequence[float | None] = FLOORS,
    aliases: Any = None,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Frontier:
    """Split with every density floor and discard that is given, to see what it costs to share less.

    Discards that cannot matter are left out: all beyond 0 where whole components can be packed, and those that are
    larger than what ``auto`` needs.

    Args:
        data: a corpus, a dataset, or the splits of either by name, as for ``mincut``.
        ratios: the parts of the splits, as for ``mincut``.
        discards: the values of ``discard`` to try.
        floors: the density floors to try; None is no floor.
        aliases: lists of names that mean the same, for ``same="alias"``.
        progress: called with the share of the work done since it was called last; without it, a bar is shown on a
            terminal.
        **options: further options of ``mincut``. ``same`` may be several notions, from the narrowest to the loosest:
            ``"exact,fold,fold+part"``, or a list. Splits are compared with those of the same notion.

    Returns:
        A point for each split that was tried, and the one that is recommended: of several notions, under the last one
        that has a split which shares nothing, discards few samples and is dense enough.

    Raises:
        CleancutError: no or too many pairs are to be tried, or ``discard`` or ``representative`` is given.

    >>> from ..core.corpus import Corpus
    >>> samples = [[name, "spoke"] for name in ("Ada", "Bo", "Cy", "Di") for _ in range(5)]
    >>> tried = frontier(Corpus.of(samples, tags=[["B-PER", "O"]] * 20), ratios=(50, 25, 25))
    >>> tried.best.options, tried.best.n_contaminated
    ('--discard 0 --representative 0.95', 0)
    """
    for name in ("discard", "representative"):
        if name in options:
            raise CleancutError(
                f"{name}={quoted(options[name])} has no effect: a frontier tries several. Leave it out."
            )
    discards, floors = checks.ordered(discards, "discards"), checks.ordered(floors, "floors")
    for discard in discards:
        largest_discard(discard)  # raises an error where it is not valid
    limit = options.pop("part_limit", DEFAULTS.part_limit)
    notions = Same.several(options.pop("same", "exact"), aliases=aliases, part_limit=limit)
    if not floors or not discards:
        raise CleancutError(f"discards={quoted(discards)}, floors={quoted(floors)}: give at least one of each to try.")
    if len(floors) * len(discards) * len(notions) > _MOST_TRIED:
        raise CleancutError(
            f"{len(floors)} floors times {len(discards)} discards to try under {len(notions)} notions. Give at most "
            f"{_MOST_TRIED} together."
        )

    def split(same: Any, floor: float | None, discard: float | str) -> SplitPlan:
        """Return the plan of one notion, one density floor and one discard."""
        return mincut(data, ratios, discard=discard, representative=floor, same=same, **options)

    if progress is not None:
        checks.function(progress, "progress", "a function that takes a share of the work")
    points: list[Point] = []
    bests: list[Point] = []
    with work_shown("cutting", progress) as report, said_once():
        for same in notions:
            tried = []
            for floor in floors:
                for discard, plan in _plans(partial(split, same, floor), discards):
                    tried.append(_point(discard, floor, plan))
                if report:
                    report(1 / len(floors) / len(notions))
            compared = [replace(point, optimal=not _is_dominated(i, tried)) for i, point in enumerate(tried)]
            points += compared
            bests.append(_best(compared))
    recommendable = filter(_is_recommendable, bests)
    clean = [point for point in recommendable if not point.n_contaminated]
    recommended = clean[-1] if clean else bests[0]
    return Frontier(tuple(points), recommended)


def _plans(
    split: Callable[[float | str], SplitPlan], discards: Sequence[float | str]
) -> Iterator[tuple[float | str, SplitPlan]]:
    """Yield each discard that can matter with the plan it leads to, from the smallest discard on.

    The largest discard is tried right after the smallest, since it tells how many samples need to be discarded: one
    in between that allows more leads to the same plan, and is left out.
    """
    order = sorted(set(discards), key=largest_discard)
    first = split(order[0])
    yield order[0], first
    if not _n_contaminated(first) or len(order) == 1:
        return
    last = split(order[-1])
    for discard in order[1:-1]:
        if largest_discard(discard) * len(last.assignment) < last.n_discarded:
            yield discard, split(discard)
    yield order[-1], last


def _point(discard: float | str, floor: float | None, plan: SplitPlan) -> Point:
    """Return the point of a plan, marked as optimal until it is compared with others."""
    held_out = [name for name in plan.names[1:] if plan.sizes[name]]
    densities = [plan.representation[name]["entities_per_sample_ratio"] for name in held_out]
    density = min(densities, default=float("nan"))
    before = plan.n_samples_before() or plan.original_sizes
    _, shares = plan.settings.shares({name: range(n) for name, n in before.items()})
    sizes = plan.n_samples_after()
    n_kept = max(sum(sizes.values()), 1)
    errors = [abs(sizes[name] / n_kept - float(asked)) for name, asked in zip(plan.names, shares, strict=True)]
    return Point(
        discard=discard,
        representative=floor,
        n_contaminated=_n_contaminated(plan),
        n_discarded=plan.n_discarded,
        density=density,
        ratio_error=max(errors),
        optimal=True,
        plan=plan,
        same=plan.settings.same,
    )


def _n_contaminated(plan: SplitPlan) -> int:
    """Return the number of contaminated held-out samples of a plan, as ``Point.n_contaminated`` counts them."""
    pairs = combinations(plan.names, 2)
    return sum(plan.leakage["after"][later, earlier]["n_partial"] for earlier, later in pairs)


def _is_dominated(i: int, points: Sequence[Point]) -> bool:
    """Return whether another point is as good as point i in everything and better in something.

    Among equal points, all but the first are dominated.
    """
    own = points[i].losses()
    for j, other in enumerate(points):
        if j == i:
            continue
        theirs = other.losses()
        is_as_good = all(their_loss <= own_loss for their_loss, own_loss in zip(theirs, own, strict=True))
        if is_as_good and (theirs != own or j < i):
            return True
    return False


def _best(points: Sequence[Point]) -> Point:
    """Return the recommended point: the one that shares least, else (where none will do) the densest ones' best."""
    optimal = [point for point in points if point.optimal]
    candidates = [point for point in optimal if _is_recommendable(point)]
    if not candidates:
        least_lost_density = min(point.losses()[2] for point in optimal)
        candidates = [point for point in optimal if point.losses()[2] == least_lost_density]
    return min(candidates, key=Point.losses)


def _is_recommendable(point: Point) -> bool:
    """Return whether a point is dense enough, discards few samples and meets the ratios."""
    _, _, lost_density, ratio_loss = point.losses()
    discards_little = point.n_discarded <= _MOST_DISCARDED * len(point.plan.assignment)
    return lost_density <= round(1 - _LEAST_DENSITY, 2) and discards_little and not ratio_loss
