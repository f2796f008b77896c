"""First cuts, which a search begins with: whole components, and hub peeling.

``engines`` has those of other programs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .annealing import Annealing
from .problem import Ints, Problem, Solution, split_of_units
from .quotas import Rule, deal
from .tuning import TUNING

PACKING = Annealing(hot=0.5, cold=0.05)
"""The search that moves whole components until quotas, density and types are met."""
PACKED = Annealing(least_slack=1.0)
"""What packed components are measured by: a sample off is no reason to cut."""
MEASURE = Annealing()
"""What cuts are measured by, without any move."""


def scored(problem: Problem, labels: NDArray[np.integer], how: str) -> Solution:
    """Return labels as a solution with its cost."""
    return Solution(*MEASURE(problem, labels.astype(np.int8), 0, 0), how)


def packed(problem: Problem, component: Ints, seed: int, moves: int) -> Solution:
    """Return a solution that gives whole components to splits: nothing is mixed, but quotas may be missed.

    Args:
        problem: the problem.
        component: the component of each vertex.
        seed: the seed of the random choices.
        moves: the largest number of moves to try.
    """
    contracted = problem.contracted(component)
    size = contracted.size
    n = len(size)
    order = np.random.default_rng(seed).permutation(n)
    room = np.where(problem.shares > 0, problem.shares * float(size.sum()), -np.inf)
    # Large components, which single moves could not balance later, are placed first, each where most room is left.
    n_large = int((size > TUNING.large_component * size.sum()).sum())
    large = order[np.argsort(-size[order], kind="stable")][:n_large]
    of_large = deal(size, large, room, Rule.MOST_ROOM)[large]
    room = room - np.bincount(of_large, size[large], len(room))
    labels = deal(size, order[~np.isin(order, large)], room, Rule.WHAT_FITS)
    labels[large] = of_large
    best, _ = PACKING(contracted, labels.astype(np.int8), min(moves, max(400 * n, TUNING.packing_moves[0])), seed)
    _, cost = PACKED(contracted, best, 0, seed)
    return Solution(best[component], cost, "components")


def peeled(problem: Problem, seed: int) -> list[Solution]:
    """Return cuts by hub peeling: without its hubs, the most frequent entities, a corpus falls into components.

    The fewer hubs are left out, the fewer units bridge two components. But then more units are connected in one large
    component, and the others do not fill the held-out splits. So the search is for the largest degree of an entity
    that is not a hub at which they just do. None is found where all entities have the same degree.

    Args:
        problem: the problem.
        seed: the seed of the random choices.
    """
    degree = np.diff(problem.vertex_units.bounds)
    cuts: list[Solution] = []
    wanted = 0.98 * problem.shares[1:].sum() * problem.size.sum()

    def is_too_connected(most: int) -> bool:
        """Add the cut without entities of a larger degree; return whether its held-out splits are too small."""
        small = degree <= most
        cuts.append(_without_hubs(problem, small, seed))
        held_out = split_of_units(problem, cuts[-1].labels)[0] > 0
        with_small = np.logical_or.reduceat(small[problem.unit_vertices.columns], problem.unit_vertices.bounds[:-1])
        return bool(problem.size[held_out].sum() < wanted <= problem.size[with_small].sum())

    degrees = np.unique(degree).tolist()
    low = -1
    high = len(degrees) - 1  # with all entities too much is connected, or components could have been packed
    step = 1
    while high - low > 1:
        middle = min(low + step, (low + high) // 2)
        if is_too_connected(degrees[middle]):
            high = middle
        else:
            low = middle
            step *= 2
    if problem.n_vertices < TUNING.small:  # there is time to try degrees over the whole range
        for most in np.unique(np.geomspace(2, max(degrees[-1], 3), 14).astype(int))[:-1].tolist():
            is_too_connected(most)
    return cuts


def _without_hubs(problem: Problem, small: NDArray[np.bool_], seed: int) -> Solution:
    """Return the cut whose held-out splits are components of the small vertices, those with few bridges first.

    A bridge is a unit that has a small vertex and a hub, which is labelled as train.
    """
    part, starts = problem.vertex_components(small), problem.unit_vertices.bounds[:-1]
    # All small vertices of a unit are in one component, since the unit connects them; -1 is for units with hubs only.
    of_vertex = part[problem.unit_vertices.columns]
    of_unit = np.maximum.reduceat(of_vertex, starts)
    unit = np.flatnonzero(of_unit >= 0)
    has_hub = np.minimum.reduceat(of_vertex, starts)[unit] < 0
    of_part, n = of_unit[unit], int(part.max()) + 1
    size = np.bincount(of_part, weights=problem.size[unit], minlength=n)
    bridging = np.bincount(of_part, weights=problem.size[unit] * has_hub, minlength=n)
    dense = np.bincount(of_part, weights=problem.mentions[unit], minlength=n)
    fair = problem.mentions.sum() / max(problem.size.sum(), 1)
    # Components with few bridges come first, and among equal ones those that are not too sparse.
    with np.errstate(invalid="ignore", divide="ignore"):
        rank = bridging / size + 0.25 * np.maximum(1 - dense / (size * fair), 0)
    order = np.lexsort((np.random.default_rng(seed).random(n), np.nan_to_num(rank, nan=9.0)))
    labels = np.zeros(problem.n_vertices, np.int64)
    kept_size = size - bridging if problem.discards else size
    of_label = deal(kept_size, order, problem.shares * problem.size.sum(), Rule.WHAT_FITS)
    labels[small] = of_label[part[small]]
    return scored(problem, labels, "peel")
