"""The solver behind the splitter, which labels entities so that as few samples as possible touch two splits.

``problem`` says what is searched for. ``first_cuts`` and ``engines`` make cuts to begin with, and ``annealing`` makes
them better. Here it is decided which cuts are made, and how the moves are divided among them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from . import engines
from .annealing import Annealing
from .first_cuts import packed, peeled
from .problem import HELD_OUT_MATTERS, Ints, Problem, Solution, cost_of, n_mixed
from .tuning import TUNING


class Search(Protocol):
    """A way to make labels better. ``Annealing`` is one."""

    def __call__(
        self, problem: Problem, labels: NDArray[np.int8], moves: int, seed: int
    ) -> tuple[NDArray[np.int8], float]:
        """Return the best labels that are found from some on, and their cost.

        Args:
            problem: the problem.
            labels: the labels to begin with.
            moves: the number of moves to try.
            seed: the seed of the random choices.
        """


EVENING: Search = Annealing(hot=0.5)
"""The search that begins to meet the quotas."""
FIRM: Search = Annealing(hot=0.3, weight=TUNING.firm)
"""The search that meets them, even if more samples become mixed."""


def solve(
    problem: Problem,
    *,
    seed: int,
    engine: str,
    proposals: int,
    requoted: Callable[[Problem, Solution], Problem] | None = None,
    most_discarded: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> Solution:
    """Search for labels with little cost.

    Whole components are packed into splits if that meets the quotas. Else several first cuts are polished by moving
    single vertices. Which cut is best shows only once it is polished a little: all are, and the best two get the rest
    of the moves. Where mixed units are discarded, these two are chosen among several searches that wander far.

    Args:
        problem: the problem.
        seed: the seed of the random choices.
        engine: the engine that makes the first cuts: ``auto``, ``peel``, ``metis``, ``kahypar``, or ``none`` for no
            cut at all.
        proposals: the number of moves to try.
        requoted: a function that returns the problem with the quotas that are left once the samples that a solution
            mixes are discarded; None where the quotas stay as they are.
        most_discarded: the largest number of mixed samples that are discarded; None for all of them.
        progress: called with the share of the work done since it was called last.

    Returns:
        The best solution that was found.
    """
    whole_work = 1.75 if problem.discards else 1.0

    def done(solution: Solution, share: float) -> Solution:
        """Report a share of the work and return the solution that it led to."""
        if progress:
            progress(share / whole_work)
        return solution

    if problem.n_vertices == 0:
        return Solution(np.zeros(0, np.int8), 0.0, "components")
    fewest, most = TUNING.packing_moves
    component, moves = problem.vertex_components(), min(max(proposals, fewest), most)
    whole = packed(problem, component, seed, moves)
    if whole.cost < TUNING.packed_below or engine == "none":
        return whole
    train_matters = problem.prices.among_held_out < problem.prices.with_train and not problem.discards
    if train_matters and (nested := _nested(problem, component, seed, engine, moves)):
        problem, starts = replace(problem, prices=HELD_OUT_MATTERS), nested
    else:
        starts = [whole, *_cuts(problem, seed, engine)]
    each = 1 / (4 * len(starts))
    few = [done(polished(problem, start, int(each * proposals), seed), each) for start in starts]
    few = sorted(few, key=cost_of)
    hardens = problem.discards and proposals > 0 and _is_worth_hardening(problem, few[0], most_discarded)
    if problem.discards:
        if hardens and requoted is not None:
            problem = requoted(problem, few[0])
        searches = _hardening_searches(problem) if hardens else [_loosely(hot) for hot in TUNING.heats]
        moves = max(proposals // 8, TUNING.least_moves)
        far = enumerate(zip(cycle(few), searches, strict=False))
        few = [done(_searched(search, problem, start, moves, seed + 3 + nth), 1 / 8) for nth, (start, search) in far]
    few = sorted(few, key=cost_of)[: 2 if proposals else 1]
    few = [done(polished(problem, start, proposals // 5, seed + 1), 0.45 / len(few)) for start in few]
    if hardens:
        few = [settled(problem, start, proposals // 8, seed + 30) for start in few]
    few = [done(settled(problem, start, proposals // 8, seed + 2), 0.3 / len(few)) for start in few]
    best = min(few, key=cost_of)
    how = "cut" if best.how == "components" else f"cut:{best.how}"
    return best._replace(how=how)


def _nested(problem: Problem, component: Ints, seed: int, engine: str, moves: int) -> list[Solution]:
    """Return cuts between the held-out splits alone; none unless components can be packed into train and the rest."""
    train, rest = problem.shares[0], problem.shares[1:].sum()
    if (problem.shares[1:] > 0).sum() < 2:
        return []
    minimum = np.stack([problem.type_minimum[0], problem.type_minimum[1:].sum(axis=0)])
    both = replace(problem, shares=np.array([train, rest]), type_minimum=minimum)
    whole = packed(both, component, seed, moves)
    if whole.cost >= TUNING.packed_below:
        return []
    size = problem.size * whole.labels[problem.first_vertex]
    inner = replace(problem, size=size, shares=np.append(0.0, problem.shares[1:] / rest))
    cuts = _cuts(inner, seed, engine)
    return [whole._replace(labels=whole.labels * start.labels, how=start.how) for start in cuts]


def _cuts(problem: Problem, seed: int, engine: str) -> list[Solution]:
    """Return the first cuts that an engine makes."""
    is_small = problem.n_vertices < TUNING.small
    cuts: list[Solution] = []
    if engine in ("auto", "peel"):
        cuts += sorted(peeled(problem, seed), key=cost_of)[:2]
    if engine in ("auto", "metis"):
        attempts = 12 if is_small else 2
        cuts += engines.metis(problem, seed, attempts=attempts)
    if engine == "kahypar":
        attempts = 4 if is_small else 1
        cuts += engines.kahypar(problem, seed, attempts=attempts)
    return cuts


def polished(problem: Problem, start: Solution, proposals: int, seed: int, hot: float = TUNING.warm) -> Solution:
    """Return the best solution that is found near a first one, where quotas need not be met exactly.

    The slack in the quotas makes room for moves; ``settled`` meets them afterwards.

    Args:
        problem: the problem.
        start: the solution to begin with.
        proposals: the number of moves to try.
        seed: the seed of the random choices.
        hot: the first temperature; the higher, the farther the search goes from the start.
    """
    weight = TUNING.soft_discarding if problem.discards else TUNING.soft
    search: Search = Annealing(hot=hot, cold=TUNING.cool, weight=weight, slack=TUNING.loose)
    return Solution(*search(problem, start.labels, proposals, seed), start.how)


def _searched(search: Search, problem: Problem, start: Solution, proposals: int, seed: int) -> Solution:
    """Return the solution that a search comes to from a first one."""
    return Solution(*search(problem, start.labels, proposals, seed), start.how)


def _is_worth_hardening(problem: Problem, start: Solution, most_discarded: int | None) -> bool:
    """Return whether requirements should become firm only in the course of the search.

    It is worth it where much is discarded, so that quotas are far from those of the first cuts; and in small problems.

    Args:
        problem: the problem.
        start: the best solution that is known.
        most_discarded: the largest number of mixed samples that are discarded; None for all of them.
    """
    is_small = problem.n_vertices <= TUNING.few_vertices
    n_discarded = n_mixed(problem, start)
    if most_discarded is not None:
        n_discarded = min(n_discarded, most_discarded)
    return is_small or n_discarded > TUNING.much_discarded * problem.size.sum()


def _hardening_searches(problem: Problem) -> list[Search]:
    """Return searches that wander far, of which each begins at another first cut, the best ones first."""
    if problem.n_vertices <= TUNING.few_vertices:
        return [_hardening(4.0), _loosely(4.0), _hardening(2.0), _loosely(8.0), _hardening(1.0), _hardening(4.0)]
    return [_hardening(4.0), _loosely(16.0), _hardening(4.0), _loosely(8.0)]


def _loosely(hot: float) -> Annealing:
    """Return the search for discarded samples from a temperature on, where quotas need not be met exactly."""
    return Annealing(hot=hot, cold=TUNING.cool, weight=TUNING.soft_discarding, slack=TUNING.loose)


def _hardening(hot: float) -> Annealing:
    """Return the search for discarded samples that asks little at first, and in the end all that is asked for."""
    return Annealing(
        hot=hot,
        weight=TUNING.soft_discarding,
        firm_from=TUNING.firm_from,
        at_front=TUNING.at_front_hardening,
        most_hub=TUNING.most_hub_hardening,
    )


def settled(problem: Problem, start: Solution, proposals: int, seed: int) -> Solution:
    """Return a solution near a first one that meets quotas and density, even if more samples become mixed.

    Args:
        problem: the problem.
        start: the solution to begin with.
        proposals: the number of moves to try.
        seed: the seed of the random choices.
    """
    labels, _ = EVENING(problem, start.labels, proposals, seed)
    labels, cost = FIRM(problem, labels, max(proposals // 4, TUNING.least_moves), seed + 1)
    return Solution(labels, cost, start.how)
