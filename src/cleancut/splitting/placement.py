"""The placement of samples in folds, where no split is train and every shared entity counts on both sides.

The solver labels entities, and a sample with several labels then goes to the last split it touches. That is right where
the first split is train, whose own contamination does not matter. Folds are each held out once, and a shared entity
contaminates *every* sample that has it. So it is better to share rare entities than frequent ones, and samples that
share nothing can make room for others: here the samples themselves are moved.
"""

from __future__ import annotations

import math

import numpy as np
from numpy import random
from numpy.typing import NDArray

from . import kernels
from .solver import _FIRM, _LEAST, Ints, Problem, _cost


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
    minimum = problem.type_minimum if problem.type_minimum.any() else problem.type_minimum[:, :0]
    slack = max(0.0003 * float(problem.size.sum()), 1.0)  # one sample off the quota is no reason to share an entity
    proposals = max(proposals, _LEAST) if kernels.HAS_NUMBA else 100_000
    evened, n_pairs = _evened(problem, of_unit), len(problem.unit_vertices.columns)
    return _moved(
        n_pairs,
        lambda: (
            evened.copy(),
            *problem.unit_vertices,
            *problem.vertex_units,
            problem.size,
            problem.mentions,
            *problem.unit_types,
            problem.type_counts,
            problem.shares,
            *problem.density,
            minimum,
            problem.type_weight,
            _FIRM,
            slack,
            proposals,
            seed,
            *_room(problem, minimum.shape[1], proposals),
        ),
    )


def _room(problem: Problem, n_types: int, proposals: int) -> tuple[NDArray, ...]:
    """Return the arrays that ``_moved`` works in, made here since code that makes arrays takes long to compile."""
    n_vertices, n_splits = problem.n_vertices, len(problem.shares)
    return (
        np.zeros((n_vertices, n_splits), np.int32),  # counts: units of each vertex in each split
        np.zeros(n_vertices, np.int32),  # spread: the number of splits of each vertex
        np.zeros(n_vertices, np.int64),  # degree: samples of each vertex, which is the cost of sharing it
        np.zeros(n_splits, np.int64),  # sizes: samples of each split
        np.zeros(n_splits, np.int64),  # inside: mentions of each split
        np.zeros((n_splits, n_types), np.int64),  # types: mentions of each type in each split
        np.empty(proposals, np.int32),  # since_u: units moved since the best was seen, to be moved back at the end
        np.empty(proposals, np.int8),  # since_old: the splits that they were moved from
    )


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


def _count(u, s, by, size, mentions, ut_bounds, ut, type_counts, sizes, inside, types):  # type: ignore[no-untyped-def]
    """Add a unit to the sums of a split (``by`` is 1), or take it out of them (-1)."""
    sizes[s] += by * size[u]
    inside[s] += by * mentions[u]
    if types.shape[1] > 0:
        for k in range(ut_bounds[u], ut_bounds[u + 1]):
            types[s, ut[k]] += by * type_counts[k]


@kernels.kernel(_cost, _count)
def _moved(  # type: ignore[no-untyped-def]  # noqa: C901
    split, uv_bounds, uv, vu_bounds, vu, size, mentions, ut_bounds, ut, type_counts, shares, low, high, type_minimum,
    type_weight, weight, slack, proposals, seed, counts, spread, degree, sizes, inside, types, since_u, since_old,
):  # fmt: skip
    """Move single units while the temperature falls, and return the best splits that were seen.

    The last arguments, from ``counts`` on, are the arrays of ``_room``. ``uv`` are the vertices of units, ``vu`` the
    units of vertices, ``ut`` the types of units.
    """
    random.seed(seed)
    n_splits, n_units, n_vertices = len(shares), len(size), len(vu_bounds) - 1
    for u in range(n_units):
        _count(u, split[u], 1, size, mentions, ut_bounds, ut, type_counts, sizes, inside, types)
        for k in range(uv_bounds[u], uv_bounds[u + 1]):
            v = uv[k]
            degree[v] += size[u]
            if counts[v, split[u]] == 0:
                spread[v] += 1
            counts[v, split[u]] += 1
    shared = 0
    for v in range(n_vertices):
        if spread[v] > 1:
            shared += degree[v]
    cost = _cost(shared, sizes, inside, types, shares, low, high, type_minimum, type_weight, weight, slack)
    best = cost
    n_since = 0
    temperature = 1.0
    for step in range(proposals):
        if step % 1024 == 0:
            temperature = 0.1 ** (step / proposals)
        if best == 0.0:  # nothing is left to gain
            break
        u = random.randint(n_units)
        old = split[u]
        if random.random() < 0.5:  # to the split of another unit with one of its entities
            v = uv[uv_bounds[u] + random.randint(uv_bounds[u + 1] - uv_bounds[u])]
            new = split[vu[vu_bounds[v] + random.randint(vu_bounds[v + 1] - vu_bounds[v])]]
        else:
            new = random.randint(n_splits)
        if new == old or shares[new] == 0.0:
            continue
        more = 0
        for k in range(uv_bounds[u], uv_bounds[u + 1]):
            v = uv[k]
            after = spread[v] - (1 if counts[v, old] == 1 else 0) + (1 if counts[v, new] == 0 else 0)
            more += degree[v] * ((1 if after > 1 else 0) - (1 if spread[v] > 1 else 0))
        _count(u, old, -1, size, mentions, ut_bounds, ut, type_counts, sizes, inside, types)
        _count(u, new, 1, size, mentions, ut_bounds, ut, type_counts, sizes, inside, types)
        changed = _cost(
            shared + more, sizes, inside, types, shares, low, high, type_minimum, type_weight, weight, slack
        )  # fmt: skip
        if changed > cost and random.random() >= math.exp((cost - changed) / temperature):  # it is moved back
            _count(u, new, -1, size, mentions, ut_bounds, ut, type_counts, sizes, inside, types)
            _count(u, old, 1, size, mentions, ut_bounds, ut, type_counts, sizes, inside, types)
            continue
        for k in range(uv_bounds[u], uv_bounds[u + 1]):
            v = uv[k]
            counts[v, old] -= 1
            if counts[v, old] == 0:
                spread[v] -= 1
            if counts[v, new] == 0:
                spread[v] += 1
            counts[v, new] += 1
        shared += more
        cost = changed
        split[u] = new
        if cost < best:
            best = cost
            n_since = 0
        else:
            since_u[n_since], since_old[n_since] = u, old
            n_since += 1
    for k in range(n_since - 1, -1, -1):
        split[since_u[k]] = since_old[k]
    return split
