"""The placement of samples in folds, where no split is train and every shared entity counts on both sides.

The solver labels entities, and a sample with several labels then goes to the last split it touches. That is right where
the first split is train, whose own contamination does not matter. Folds are each held out once, and a shared entity
contaminates *every* sample that has it. So it is better to share rare entities than frequent ones, and samples that
share nothing can make room for others: here the samples themselves are moved.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy import random

from . import kernels
from .board import Array, add_to_sums, add_types, asked_of, cost_of_sizes, cost_of_types, graph_of, no_sums
from .patience import granted
from .problem import Ints, Problem
from .tuning import TUNING


class Spread(NamedTuple):
    """How each vertex is spread over the splits, which changes with every move."""

    counts: Array
    """The number of the vertex's units in each split."""
    n_splits: Array
    """The number of splits that have a unit of the vertex."""
    samples: Array
    """The number of samples of the vertex, which is the cost of sharing it."""


class Journal(NamedTuple):
    """The moves since the best splits were seen, which are taken back at the end."""

    unit: Array
    """The units that were moved."""
    old: Array
    """The splits that they were moved from."""


def placed(problem: Problem, of_unit: Ints, proposals: int, seed: int) -> Ints:
    """Search for a split of each unit with as few samples that have a shared entity as possible.

    Args:
        problem: the problem.
        of_unit: the split of each unit to begin with.
        proposals: the number of moves to try.
        seed: the seed of the random choices.

    Returns:
        The best split of each unit that was seen.
    """
    if not len(of_unit):
        return of_unit
    # One sample off the quota is no reason to share an entity.
    slack = max(TUNING.tight * float(problem.size.sum()), 1.0)
    moves = granted(max(proposals, TUNING.least_moves)) if kernels.HAS_NUMBA else TUNING.moves_without_numba
    evened = _evened(problem, of_unit)
    graph, asked = graph_of(problem), asked_of(problem, TUNING.firm, slack)
    n_vertices = problem.n_vertices
    (best, *_), _ = _moved(
        len(graph.vertices),
        lambda: (
            evened.copy(),
            graph,
            asked,
            moves,
            seed,
            no_sums(asked),
            Spread(
                np.zeros((n_vertices, len(problem.shares)), np.int32),
                np.zeros(n_vertices, np.int32),
                np.zeros(n_vertices, np.int64),
            ),
            Journal(np.empty(moves, np.int32), np.empty(moves, np.int8)),
        ),
    )
    return best


def _evened(problem: Problem, of_unit: Ints) -> Ints:
    """Return the split of each unit, with units moved from splits that are too large to those with most room.

    Units whose entities touch the fewest other units are moved first. It is needed where an entity is in more samples
    than a split may hold, so that it has to be shared: single moves, each of which costs more, would not begin with it.
    """
    degree = np.diff(problem.vertex_units.bounds)
    n_touched = np.add.reduceat(degree[problem.unit_vertices.columns], problem.unit_vertices.bounds[:-1])
    of_unit = of_unit.copy()
    sizes = problem.size.tolist()
    room = problem.shares * problem.size.sum() - np.bincount(of_unit, problem.size, len(problem.shares))
    for u in np.argsort(n_touched, kind="stable").tolist():
        if room[of_unit[u]] <= -sizes[u]:
            to = int(np.argmax(room))
            room[of_unit[u]] += sizes[u]
            room[to] -= sizes[u]
            of_unit[u] = to
    return of_unit


# --- the kernel -----------------------------------------------------------------------------------------------


def _set_up(split, graph, sums, spread):  # type: ignore[no-untyped-def]
    """Count all units by their splits; return the number of samples of shared vertices."""
    for u in range(len(graph.size)):
        add_to_sums(u, split[u], 1, graph, sums)
        for k in range(graph.vertex_bounds[u], graph.vertex_bounds[u + 1]):
            v = graph.vertices[k]
            spread.samples[v] += graph.size[u]
            if spread.counts[v, split[u]] == 0:
                spread.n_splits[v] += 1
            spread.counts[v, split[u]] += 1
    shared = 0
    for v in range(len(spread.samples)):
        if spread.n_splits[v] > 1:
            shared += spread.samples[v]
    return shared


def _proposed(u, split, graph, n_splits):  # type: ignore[no-untyped-def]
    """Return a split for a unit at random: that of another unit with one of its entities, or any."""
    if random.random() < 0.5:
        first = graph.vertex_bounds[u]
        v = graph.vertices[first + random.randint(graph.vertex_bounds[u + 1] - first)]
        first = graph.unit_bounds[v]
        return split[graph.units[first + random.randint(graph.unit_bounds[v + 1] - first)]]
    return random.randint(n_splits)


def _more_shared(u, old, new, graph, spread):  # type: ignore[no-untyped-def]
    """Return how many more samples of shared vertices there are if a unit moves from one split to another."""
    more = 0
    for k in range(graph.vertex_bounds[u], graph.vertex_bounds[u + 1]):
        v = graph.vertices[k]
        leaves = 1 if spread.counts[v, old] == 1 else 0
        enters = 1 if spread.counts[v, new] == 0 else 0
        is_shared = 1 if spread.n_splits[v] > 1 else 0
        stays_shared = 1 if spread.n_splits[v] - leaves + enters > 1 else 0
        more += spread.samples[v] * (stays_shared - is_shared)
    return more


def _spread(u, old, new, graph, spread):  # type: ignore[no-untyped-def]
    """Count the vertices of a unit that has moved from one split to another."""
    for k in range(graph.vertex_bounds[u], graph.vertex_bounds[u + 1]):
        v = graph.vertices[k]
        spread.counts[v, old] -= 1
        if spread.counts[v, old] == 0:
            spread.n_splits[v] -= 1
        if spread.counts[v, new] == 0:
            spread.n_splits[v] += 1
        spread.counts[v, new] += 1


@kernels.kernel(add_types, add_to_sums, cost_of_sizes, cost_of_types, _set_up, _proposed, _more_shared, _spread)
def _moved(split, graph, asked, moves, seed, sums, spread, journal):  # type: ignore[no-untyped-def]
    """Move single units while the temperature falls, from 1 to 0.1, and leave the best splits that were seen."""
    random.seed(seed)
    shared = _set_up(split, graph, sums, spread)
    cost = cost_of_sizes(shared, sums, asked) + cost_of_types(sums, asked)
    best = cost
    n_since = 0
    temperature = 1.0
    for step in range(moves):
        if step % 1024 == 0:
            temperature = 0.1 ** (step / moves)
        if best == 0.0:  # nothing is left to gain
            break
        u = random.randint(len(split))
        old = split[u]
        new = _proposed(u, split, graph, len(asked.shares))
        if new == old or asked.shares[new] == 0.0:
            continue
        more = _more_shared(u, old, new, graph, spread)
        add_to_sums(u, old, -1, graph, sums)
        add_to_sums(u, new, 1, graph, sums)
        changed = cost_of_sizes(shared + more, sums, asked) + cost_of_types(sums, asked)
        if changed > cost and random.random() >= math.exp((cost - changed) / temperature):  # it is moved back
            add_to_sums(u, new, -1, graph, sums)
            add_to_sums(u, old, 1, graph, sums)
            continue
        _spread(u, old, new, graph, spread)
        shared += more
        cost = changed
        split[u] = new
        if cost < best:
            best = cost
            n_since = 0
        else:
            journal.unit[n_since], journal.old[n_since] = u, old
            n_since += 1
    for k in range(n_since - 1, -1, -1):
        split[journal.unit[k]] = journal.old[k]
