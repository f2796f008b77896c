"""What the kernels share: a problem as arrays, what is asked of the splits, and the sums of each split.

Kernels are compiled, so that they take named tuples of arrays and numbers instead of objects, and change arrays that
are made here: code that makes arrays takes long to compile.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .problem import ALL_ALIKE, Problem

# Arrays are of any type here: the types that count are those that numba sees.
Array = Any


class Graph(NamedTuple):
    """The units and the vertices of a problem, each with its neighbours and its counts."""

    vertex_bounds: Array
    """Where the vertices of each unit begin in ``vertices``."""
    vertices: Array
    """The vertices of all units."""
    unit_bounds: Array
    """Where the units of each vertex begin in ``units``."""
    units: Array
    """The units of all vertices."""
    size: Array
    """The number of samples of each unit."""
    mentions: Array
    """The number of mentions of each unit."""
    type_bounds: Array
    """Where the types of each unit begin in ``types``."""
    types: Array
    """The types of all units."""
    type_counts: Array
    """The number of mentions for each of ``types``."""


class Asked(NamedTuple):
    """What is asked of the splits, and what it costs to miss it."""

    shares: Array
    """The share of the samples that each split should have, train first."""
    low: float
    """The least mentions per sample of a held-out split."""
    high: float
    """The greatest mentions per sample of a held-out split."""
    type_minimum: Array
    """The least count of each type in each split."""
    type_weight: Array
    """The cost of one mention below the minimum of each type."""
    weight: float
    """The cost of a sample off a quota, and of a sample's worth of mentions off the density band."""
    slack: float
    """The number of samples that a held-out split may be off its quota at no cost."""
    discards: bool
    """Whether mixed units are discarded."""
    price: Array
    """The cost of a sample of a unit that is ``PURE``, ``MIXED_AMONG_HELD_OUT`` and ``MIXED_WITH_TRAIN``."""


class Sums(NamedTuple):
    """What the splits hold, which changes with every move."""

    samples: Array
    """The number of samples of each split."""
    mentions: Array
    """The number of mentions of each split."""
    types: Array
    """The number of mentions of each type in each split."""


PURE = 0
"""The kind of a unit whose vertices all have one label."""
MIXED_AMONG_HELD_OUT = 1
"""The kind of a unit whose vertices have several labels, none of which is train."""
MIXED_WITH_TRAIN = 2
"""The kind of a unit whose vertices have several labels, one of which is train."""
NOWHERE = -1
"""The split of a unit that is discarded, or not yet counted."""


def graph_of(problem: Problem) -> Graph:
    """Return the arrays of a problem."""
    return Graph(
        *problem.unit_vertices,
        *problem.vertex_units,
        problem.size,
        problem.mentions,
        *problem.unit_types,
        problem.type_counts,
    )


def asked_of(problem: Problem, weight: float, slack: float) -> Asked:
    """Return what a problem asks of the splits.

    Args:
        problem: the problem.
        weight: the cost of a sample off a quota.
        slack: the number of samples that a split may be off its quota at no cost.
    """
    minimum = problem.type_minimum
    if not minimum.any():
        minimum = minimum[:, :0]  # types that nothing is asked of need not be counted
    prices = ALL_ALIKE if problem.discards else problem.prices
    return Asked(
        problem.shares,
        *problem.density,
        minimum,
        problem.type_weight,
        weight,
        slack,
        problem.discards,
        np.array([0.0, *prices]),
    )


def no_sums(asked: Asked) -> Sums:
    """Return the sums of splits that hold nothing yet."""
    n_splits, n_types = asked.type_minimum.shape
    return Sums(np.zeros(n_splits, np.int64), np.zeros(n_splits, np.int64), np.zeros((n_splits, n_types), np.int64))


# --- parts of kernels ----------------------------------------------------------------------------------------


def add_to_sums(u, split, by, graph, sums):  # type: ignore[no-untyped-def]
    """Add a unit to the sums of a split (``by`` is 1), or take it out of them (-1)."""
    sums.samples[split] += by * graph.size[u]
    sums.mentions[split] += by * graph.mentions[u]
    add_types(u, split, by, graph, sums)


def add_types(u, split, by, graph, sums):  # type: ignore[no-untyped-def]
    """Add the types of a unit to the sums of a split (``by`` is 1), or take them out of them (-1)."""
    if sums.types.shape[1] > 0:
        for k in range(graph.type_bounds[u], graph.type_bounds[u + 1]):
            sums.types[split, graph.types[k]] += by * graph.type_counts[k]


def cost_of_sizes(price_of_mixed, sums, asked):  # type: ignore[no-untyped-def]
    """Return the cost of splits without that of their types: mixed samples, and quotas and density that are missed.

    A sample off the quota, and a sample's worth of mentions off the density band, cost more than a mixed sample, so
    that quotas and density are met wherever they can be.
    """
    n_splits = len(asked.shares)
    total = 0
    for s in range(n_splits):
        total += sums.samples[s]
    cost = price_of_mixed
    for s in range(n_splits):
        free = asked.slack if s else n_splits * asked.slack  # train takes what others leave
        off = abs(sums.samples[s] - asked.shares[s] * total) - free
        if off > 0:
            cost += asked.weight * off
        if s > 0 and sums.samples[s] > 0:
            short = asked.low * sums.samples[s] - sums.mentions[s]
            over = sums.mentions[s] - asked.high * sums.samples[s]
            if short > 0:
                cost += asked.weight * short / max(asked.low, 1e-9)
            if over > 0:
                cost += asked.weight * over / max(asked.high, 1e-9)
    return cost


def cost_of_types(sums, asked):  # type: ignore[no-untyped-def]
    """Return the cost of the mentions that the held-out splits have too few of."""
    cost = 0.0
    for s in range(1, len(asked.shares)):
        for t in range(asked.type_minimum.shape[1]):
            missing = asked.type_minimum[s, t] - sums.types[s, t]
            if missing > 0:
                cost += asked.type_weight[t] * missing
    return cost
