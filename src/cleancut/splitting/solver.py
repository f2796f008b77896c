"""The solver behind the splitter, which labels entities so that as few samples as possible touch two splits.

It knows arrays only. *Units* are assigned to splits: samples or documents, with duplicates together. *Vertices* get
labels, which are numbers of splits: a vertex is an entity that several units have, or a unit that shares nothing. A
unit is *mixed* if its vertices have different labels: it is contaminated, or it is discarded. This is the cut of the
dual hypergraph (its vertices are entities, its nets are samples), which stays small where an entity is frequent; a
graph of samples would have an edge for every pair of samples that share it.
"""

from __future__ import annotations

import ctypes
import importlib.util
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
from numpy import random
from numpy.typing import NDArray

from ..core.arrays import bounds_of
from ..core.exceptions import CleancutError
from . import kernels
from .components import components
from .quotas import filled, spread, to_most_room

Ints = NDArray[np.int64]


class Incidence(NamedTuple):
    """A sparse matrix of zeros and ones, by rows: the ones of row i are at ``columns[bounds[i]:bounds[i + 1]]``."""

    bounds: Ints
    """Where the columns of each row begin, and where those of the last row end."""
    columns: NDArray[np.int32]
    """The columns of all rows, sorted within each row."""

    @classmethod
    def of(cls, rows: Ints, columns: Ints, n_rows: int) -> Incidence:
        """Return the matrix with ones at the given rows and columns."""
        width = int(columns.max(initial=0)) + 1
        of_row, of_column = np.divmod(np.sort(rows * width + columns), width)  # far faster than a sort by two keys
        return cls(bounds_of(np.bincount(of_row, minlength=n_rows)), of_column.astype(np.int32))

    def rows(self) -> Ints:
        """Return the row of each of ``columns``."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))


_PRICES, _APART = (0.125, 1.0), (1.0, 1000.0)
"""``Problem.prices`` in general, and where a cut is known that mixes nothing with train."""


@dataclass(frozen=True)
class Problem:
    """The units with their sizes, the vertices they touch, and the requirements that the splits should meet."""

    unit_vertices: Incidence
    """The vertices of each unit."""
    vertex_units: Incidence
    """The units of each vertex."""
    size: Ints
    """The number of samples of each unit."""
    mentions: Ints
    """The number of mentions of each unit."""
    unit_types: Incidence
    """The types of the mentions (and the strata of the samples) of each unit."""
    type_counts: Ints
    """The number of mentions (or samples) for each of the columns of ``unit_types``."""
    shares: NDArray[np.float64]
    """The share of each split; the first is train, the others are held out."""
    density: tuple[float, float]
    """The least and the greatest mentions per sample of a held-out split."""
    type_minimum: Ints
    """The least count of each type in each split, which train need not meet; 0 where none is asked for."""
    type_weight: NDArray[np.float64]
    """The cost of one mention below the minimum of each type, in mixed samples."""
    discards: bool = False
    """Whether mixed units are discarded and quotas hold without them; else they go to the last split they touch."""
    prices: tuple[float, float] = _PRICES
    """The cost of a kept sample that is mixed among held-out splits only, and of one that is mixed with train."""
    connected: Callable[[Problem, NDArray[np.bool_] | None], Ints] | None = None
    """A replacement for ``connected_units``, where the components are not found on this machine."""

    @property
    def n_vertices(self) -> int:
        """The number of vertices."""
        return len(self.vertex_units.bounds) - 1

    @property
    def n_types(self) -> int:
        """The number of types and strata."""
        return self.type_minimum.shape[1]

    def without(self, discarded: NDArray[np.bool_]) -> Problem:
        """Return the problem with discarded units that have no samples and no mentions any more."""
        size, mentions = (np.where(discarded, 0, each) for each in (self.size, self.mentions))
        type_counts = np.where(discarded[self.unit_types.rows()], 0, self.type_counts)
        return replace(self, size=size, mentions=mentions, type_counts=type_counts)


# A sample off the quota, and a sample's worth of mentions off the density band, cost more than a mixed sample, so that
# quotas and density are met wherever they can be.
def _cost(n_mixed, sizes, mentions, types, shares, low, high, type_minimum, type_weight, weight, slack):  # type: ignore[no-untyped-def]
    total = 0
    for s in range(len(shares)):
        total += sizes[s]
    cost = n_mixed
    for s in range(len(shares)):
        off = abs(sizes[s] - shares[s] * total) - (slack if s else len(shares) * slack)  # train takes what others leave
        if off > 0:
            cost += weight * off
        if s == 0:
            continue
        if sizes[s] > 0:
            short = low * sizes[s] - mentions[s]
            over = mentions[s] - high * sizes[s]
            if short > 0:
                cost += weight * short / max(low, 1e-9)
            if over > 0:
                cost += weight * over / max(high, 1e-9)
        for t in range(type_minimum.shape[1]):
            missing = type_minimum[s, t] - types[s, t]
            if missing > 0:
                cost += type_weight[t] * missing
    return cost


def _state(u, counts, old, new):  # type: ignore[no-untyped-def]
    """Return the state of a unit if one of its vertices moved from one split to another (-1 for no move).

    The state is four times the last split that the unit touches, and 1 more if it is mixed among held-out splits, or 2
    more if it is mixed with train.
    """
    touched = 0
    split = 0
    for s in range(counts.shape[1]):
        if counts[u, s] - (s == old) + (s == new) > 0:
            touched += 1
            split = s
    if touched < 2:
        return 4 * split
    return 4 * split + (2 if counts[u, 0] - (old == 0) + (new == 0) > 0 else 1)


def _transfer(u, was, now, size, mentions, ut_bounds, ut, type_counts, discards, price, sizes, inside, types):  # type: ignore[no-untyped-def]
    """Move a unit from the sums of one state (-1 for none) to those of another; return the change of its price."""
    source = -1 if was < 0 or (was & 3 and discards) else was >> 2
    target = -1 if now & 3 and discards else now >> 2
    if source != target:
        if source >= 0:
            sizes[source] -= size[u]
            inside[source] -= mentions[u]
        if target >= 0:
            sizes[target] += size[u]
            inside[target] += mentions[u]
        if types.shape[1] > 0:
            for k in range(ut_bounds[u], ut_bounds[u + 1]):
                if source >= 0:
                    types[source, ut[k]] -= type_counts[k]
                if target >= 0:
                    types[target, ut[k]] += type_counts[k]
    return (price[now & 3] - (price[was & 3] if was >= 0 else 0.0)) * size[u]


@kernels.kernel(_cost, _state, _transfer)
def _anneal(  # type: ignore[no-untyped-def]  # noqa: C901
    labels, uv_bounds, uv, vu_bounds, vu, size, mentions, ut_bounds, ut, type_counts, shares, low, high, type_minimum,
    type_weight, weight, slack, discards, price, proposals, hot, cold, at_front, seed, counts, states, sizes, inside,
    types, since_v, since_old, before, after, front, place,
):  # fmt: skip
    """Move single vertices while the temperature falls; return the best labels that were seen, and their cost.

    ``at_front`` is the share of the moves that are made at the front, which is where mixed units are. The last
    arguments, from ``counts`` on, are the arrays of ``_room``. ``uv`` are the vertices of units, ``vu`` the units of
    vertices, ``ut`` the types of units.
    """
    random.seed(seed)
    n_splits, n_units, n_vertices = len(shares), len(size), len(labels)
    n_mixed = 0.0
    for u in range(n_units):
        for k in range(uv_bounds[u], uv_bounds[u + 1]):
            counts[u, labels[uv[k]]] += 1
        states[u] = _state(u, counts, -1, -1)
        n_mixed += _transfer(
            u, -1, states[u], size, mentions, ut_bounds, ut, type_counts, discards, price, sizes, inside, types
        )  # fmt: skip
    cost = _cost(n_mixed, sizes, inside, types, shares, low, high, type_minimum, type_weight, weight, slack)
    best = cost
    if best == 0.0:
        return labels, best
    n_since = 0
    temperature = hot
    n_front = 0
    for u in range(n_units):
        place[u] = -1
        if states[u] & 3:
            front[n_front], place[u] = u, n_front
            n_front += 1
    for step in range(proposals):
        if step % 1024 == 0:
            temperature = hot * (cold / hot) ** (step / proposals)
        if random.random() < at_front and n_front > 0:
            # to a label of a mixed unit: one of its vertices, or one that shares a unit with it
            u = front[random.randint(n_front)]
            v = uv[uv_bounds[u] + random.randint(uv_bounds[u + 1] - uv_bounds[u])]
            new = labels[uv[uv_bounds[u] + random.randint(uv_bounds[u + 1] - uv_bounds[u])]]
            if random.random() < 0.8:
                u = vu[vu_bounds[v] + random.randint(vu_bounds[v + 1] - vu_bounds[v])]
                v = uv[uv_bounds[u] + random.randint(uv_bounds[u + 1] - uv_bounds[u])]
            if random.random() * (vu_bounds[v + 1] - vu_bounds[v]) > 5:  # hubs come up often, and are much work
                continue
        else:
            v = random.randint(n_vertices)
            if random.random() < 0.7 and vu_bounds[v + 1] > vu_bounds[v]:
                # to the label of a neighbour
                u = vu[vu_bounds[v] + random.randint(vu_bounds[v + 1] - vu_bounds[v])]
                new = labels[uv[uv_bounds[u] + random.randint(uv_bounds[u + 1] - uv_bounds[u])]]
            else:
                new = random.randint(n_splits)
        old = labels[v]
        if new == old or shares[new] == 0.0:
            continue
        most = cost - temperature * math.log(1.0 - random.random())  # the largest cost that is accepted
        changed = n_mixed
        for nth, k in enumerate(range(vu_bounds[v], vu_bounds[v + 1])):
            u = vu[k]
            before[nth], after[nth] = states[u], _state(u, counts, old, new)
            changed += (price[after[nth] & 3] - price[before[nth] & 3]) * size[u]
        if changed > most:  # the quotas, which only add to the cost, need not be computed
            continue
        for nth, k in enumerate(range(vu_bounds[v], vu_bounds[v + 1])):
            if before[nth] != after[nth]:
                n_mixed += _transfer(
                    vu[k], before[nth], after[nth], size, mentions, ut_bounds, ut, type_counts, discards, price, sizes,
                    inside, types,
                )  # fmt: skip
        changed = _cost(
            n_mixed, sizes, inside, types, shares, low, high, type_minimum, type_weight, weight, slack
        )  # fmt: skip
        if changed > most:  # it is moved back
            for nth, k in enumerate(range(vu_bounds[v], vu_bounds[v + 1])):
                if before[nth] != after[nth]:
                    n_mixed += _transfer(
                        vu[k], after[nth], before[nth], size, mentions, ut_bounds, ut, type_counts, discards, price,
                        sizes, inside, types,
                    )  # fmt: skip
            continue
        for nth, k in enumerate(range(vu_bounds[v], vu_bounds[v + 1])):
            u = vu[k]
            counts[u, old] -= 1
            counts[u, new] += 1
            states[u] = after[nth]
            if after[nth] & 3 and place[u] < 0:
                front[n_front], place[u] = u, n_front
                n_front += 1
            elif not after[nth] & 3 and place[u] >= 0:
                n_front -= 1
                last = front[n_front]
                front[place[u]], place[last] = last, place[u]
                place[u] = -1
        cost = changed
        labels[v] = new
        if cost < best:
            best = cost
            n_since = 0
            if best == 0.0:  # nothing is left to gain
                break
        else:
            since_v[n_since], since_old[n_since] = v, old
            n_since += 1
    for k in range(n_since - 1, -1, -1):
        labels[since_v[k]] = since_old[k]
    return labels, best


def _room(problem: Problem, n_types: int, proposals: int) -> tuple[NDArray, ...]:
    """Return the arrays that ``_anneal`` works in, made here since code that makes arrays takes long to compile."""
    n_units, n_splits = len(problem.size), len(problem.shares)
    widest = int(np.diff(problem.vertex_units.bounds).max(initial=0))
    return (
        np.zeros((n_units, n_splits), np.int32),  # counts: vertices of each unit in each split
        np.zeros(n_units, np.int16),  # states: the state of each unit
        np.zeros(n_splits, np.int64),  # sizes: samples of each split
        np.zeros(n_splits, np.int64),  # inside: mentions of each split
        np.zeros((n_splits, n_types), np.int64),  # types: mentions of each type in each split
        np.empty(max(proposals, 1), np.int32),  # since_v: vertices moved since the best was seen, to be moved back
        np.empty(max(proposals, 1), np.int8),  # since_old: the labels that they had
        np.empty(widest, np.int16),  # before: states of the units that a move touches
        np.empty(widest, np.int16),  # after: their states after the move
        np.empty(n_units, np.int32),  # front: the mixed units, in no order
        np.empty(n_units, np.int32),  # place: where each unit is in front; -1 for units that are not mixed
    )


# --- solving ----------------------------------------------------------------------------------------------


class Solution(NamedTuple):
    """A solution of a problem."""

    labels: NDArray[np.int8]
    """The label of each vertex: the number of a split."""
    cost: float
    """The cost of the solution, in mixed samples."""
    how: str
    """A word that says how it was found."""


def solve(
    problem: Problem, *, seed: int, engine: str, proposals: int, progress: Callable[[float], None] | None = None
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
        progress: called with the share of the work done since it was called last.

    Returns:
        The best solution that was found.
    """

    def done(solution: Solution, share: float) -> Solution:
        """Report a share of the work and return the solution that it led to."""
        if progress:
            progress(share / (1.75 if problem.discards else 1.0))
        return solution

    if problem.n_vertices == 0:
        return Solution(np.zeros(0, np.int8), 0.0, "components")
    component, moves = _components(problem), min(max(proposals, 200_000), 4_000_000)
    packed = _pack(problem, component, seed, moves)
    if packed.cost < 0.5 or engine == "none":  # less than any sample that is mixed or off
        return packed
    apart = problem.prices[0] < problem.prices[1] and not problem.discards
    if apart and (nested := _nested(problem, component, seed, engine, moves)):
        problem, starts = replace(problem, prices=_APART), nested
    else:
        starts = [packed, *_cuts(problem, seed, engine)]
    each = 1 / (4 * len(starts))
    few = [done(polished(problem, start, int(each * proposals), seed), each) for start in starts]
    few = sorted(few, key=_cost_of)
    if problem.discards:
        far, moves = enumerate(zip(cycle(few), _HEATS, strict=False)), max(proposals // 8, _LEAST)
        few = [done(polished(problem, start, moves, seed + 3 + nth, hot), 1 / 8) for nth, (start, hot) in far]
    few = sorted(few, key=_cost_of)[: 2 if proposals else 1]
    few = [done(polished(problem, start, proposals // 5, seed + 1), 0.45 / len(few)) for start in few]
    few = [done(settled(problem, start, proposals // 8, seed + 2), 0.3 / len(few)) for start in few]
    best = min(few, key=_cost_of)
    return best._replace(how="cut" if best.how == "components" else f"cut:{best.how}")


def _nested(problem: Problem, component: Ints, seed: int, engine: str, moves: int) -> list[Solution]:
    """Return cuts between the held-out splits alone; none unless components can be packed into train and the rest."""
    train, rest = problem.shares[0], problem.shares[1:].sum()
    if (problem.shares[1:] > 0).sum() < 2:
        return []
    minimum = np.stack([problem.type_minimum[0], problem.type_minimum[1:].sum(axis=0)])
    both = replace(problem, shares=np.array([train, rest]), type_minimum=minimum)
    packed = _pack(both, component, seed, moves)
    if packed.cost >= 0.5:
        return []
    size = problem.size * packed.labels[_first_vertex(problem)]
    inner = replace(problem, size=size, shares=np.append(0.0, problem.shares[1:] / rest))
    cuts = _cuts(inner, seed, engine)
    return [packed._replace(labels=packed.labels * start.labels, how=start.how) for start in cuts]


def _cuts(problem: Problem, seed: int, engine: str) -> list[Solution]:
    """Return the first cuts that an engine makes."""
    is_small = problem.n_vertices < _SMALL
    cuts: list[Solution] = []
    if engine in ("auto", "peel"):
        cuts += sorted(_peeled(problem, seed), key=_cost_of)[:2]
    if engine in ("auto", "metis"):
        n_attempts = 12 if is_small else 2
        cuts += _metis(problem, seed, n_attempts)
    if engine == "kahypar":
        n_attempts = 4 if is_small else 1
        cuts += _kahypar(problem, seed, n_attempts)
    return cuts


def _first_vertex(problem: Problem) -> NDArray[np.int32]:
    """Return the first vertex of each unit."""
    return problem.unit_vertices.columns[problem.unit_vertices.bounds[:-1]]


def _cost_of(solution: Solution) -> float:
    return solution.cost


def polished(problem: Problem, start: Solution, proposals: int, seed: int, hot: float = 1.5) -> Solution:
    """Return the best solution that is found near a first one, where quotas need not be met exactly.

    The slack in the quotas makes room for moves; ``settled`` meets them afterwards.

    Args:
        problem: the problem.
        start: the solution to begin with.
        proposals: the number of moves to try.
        seed: the seed of the random choices.
        hot: the first temperature; the higher, the farther the search goes from the start.
    """
    weight = _SOFT_DISCARDING if problem.discards else _SOFT
    labels, cost = _run(problem, start.labels, proposals, seed, hot=hot, cold=0.3, weight=weight, slack=_LOOSE)
    return Solution(labels, cost, start.how)


def settled(problem: Problem, start: Solution, proposals: int, seed: int) -> Solution:
    """Return a solution near a first one that meets quotas and density, even if more samples become mixed.

    Args:
        problem: the problem.
        start: the solution to begin with.
        proposals: the number of moves to try.
        seed: the seed of the random choices.
    """
    labels, _ = _run(problem, start.labels, proposals, seed, hot=0.5)
    labels, cost = _run(problem, labels, max(proposals // 4, _LEAST), seed + 1, hot=0.3, weight=_FIRM)
    return Solution(labels, cost, start.how)


def n_mixed(problem: Problem, solution: Solution) -> int:
    """Return the number of mixed samples, which touch two splits or more."""
    return int(problem.size[split_of_units(problem, solution.labels)[1]].sum())


def split_of_units(problem: Problem, labels: NDArray[np.int8]) -> tuple[Ints, NDArray[np.bool_]]:
    """Return for each unit the last split that it touches, and whether it is mixed."""
    of_pair = labels[problem.unit_vertices.columns].astype(np.int64)
    starts = problem.unit_vertices.bounds[:-1]
    if not len(starts):
        return np.zeros(0, np.int64), np.zeros(0, bool)
    highest = np.maximum.reduceat(of_pair, starts)
    return highest, highest != np.minimum.reduceat(of_pair, starts)


_AT_FRONT, _AT_FRONT_DISCARDING = 0.6, 0.2
"""The share of the moves that are made where mixed units are; fewer where these are discarded, since other units have
to take their place."""

_SMALL = 100_000
"""The number of vertices up to which a problem is cut so fast that many ways are tried."""

_LEAST = 300_000
"""The number of moves that even the least effort spends on quotas and density."""

_SOFT, _SOFT_DISCARDING, _FIRM = 2.0, 4.0, 5.0
"""The cost of a sample off a quota during the search, during a search that discards mixed units, and at the end."""

_HEATS = (4.0, 8.0, 16.0, 4.0, 8.0, 16.0)
"""The first temperatures of the searches that wander far, where mixed units are discarded. Units with many entities are
mixed first, and the density that is lost with them comes back only if whole clusters of entities move, which takes a
higher temperature than single moves. (In large problems, for which there are few moves, ``_run`` lowers them.)"""

_LOOSE, _TIGHT = 0.003, 0.0003
"""The distance from a quota that costs nothing, as a share of the samples, during the search and at the end."""


def _run(
    problem: Problem,
    labels: NDArray[np.int8],
    proposals: int,
    seed: int,
    *,
    hot: float = 1.0,
    cold: float = 0.1,
    weight: float = _SOFT,
    slack: float = _TIGHT,
    least: float = 0.5,
) -> tuple[NDArray[np.int8], float]:
    """Return the best labels that are found by moving single vertices, and their cost.

    Args:
        problem: the problem.
        labels: the labels to begin with.
        proposals: the number of moves to try; 0 to compute the cost only.
        seed: the seed of the random choices.
        hot: the first temperature.
        cold: the last temperature.
        weight: the cost of a sample off a quota.
        slack: the distance from a quota that costs nothing, as a share of the samples.
        least: the least such distance, in samples.
    """
    if not kernels.HAS_NUMBA:
        proposals = min(proposals, 100_000)
    if proposals < 20 * problem.n_vertices:  # few moves are best spent downhill
        hot, cold, slack = min(hot, 0.3), min(cold, 0.1), _TIGHT
    free = max(slack * float(problem.size.sum()), least)
    minimum = problem.type_minimum if problem.type_minimum.any() else problem.type_minimum[:, :0]
    rows, columns, types = problem.unit_vertices, problem.vertex_units, problem.unit_types
    best, cost = _anneal(
        len(rows.columns),
        lambda: (
            labels.astype(np.int8),
            *rows,
            *columns,
            problem.size,
            problem.mentions,
            *types,
            problem.type_counts,
            problem.shares,
            *problem.density,
            minimum,
            problem.type_weight,
            weight,
            free,
            problem.discards,
            np.array([0.0, *((1.0, 1.0) if problem.discards else problem.prices)]),
            proposals,
            hot,
            cold,
            _AT_FRONT_DISCARDING if problem.discards else _AT_FRONT,
            seed,
            *_room(problem, minimum.shape[1], proposals),
        ),
    )
    return best, float(cost)


def _components(problem: Problem, keep: NDArray[np.bool_] | None = None) -> Ints:
    """Return the component of each vertex, where units connect their vertices; -1 for vertices that are not kept."""
    of_unit = (problem.connected or connected_units)(problem, keep)
    of_vertex = of_unit[problem.vertex_units.columns[problem.vertex_units.bounds[:-1]]]
    used = np.zeros(len(of_unit), bool)
    used[of_vertex if keep is None else of_vertex[keep]] = True
    of_vertex = (np.cumsum(used) - 1)[of_vertex]
    return of_vertex if keep is None else np.where(keep, of_vertex, -1)


def connected_units(problem: Problem, keep: NDArray[np.bool_] | None) -> Ints:
    """Return the component of each unit, where vertices connect their units.

    Components are numbered in the order of their first units, by numbers below that of all units.

    Args:
        problem: the problem.
        keep: whether each vertex connects its units; None for all.
    """
    units, vertices = problem.unit_vertices.rows(), problem.unit_vertices.columns
    n_units = len(problem.size)
    if keep is not None:
        kept = keep[vertices]
        units, vertices = units[kept], vertices[kept]
    return components(units, n_units + vertices, n_units + problem.n_vertices)[:n_units]


def _pack(problem: Problem, component: Ints, seed: int, proposals: int) -> Solution:
    """Return a solution that gives whole components to splits: nothing is mixed, but quotas may be missed."""
    n = int(component.max()) + 1
    of_unit = component[_first_vertex(problem)]
    size, mentions = (np.bincount(of_unit, w, n).astype(np.int64) for w in (problem.size, problem.mentions))
    pairs = of_unit[problem.unit_types.rows()] * max(problem.n_types, 1) + problem.unit_types.columns
    types, number = np.unique(pairs, return_inverse=True)
    of_component, of_type = np.divmod(types, max(problem.n_types, 1))
    each = Incidence(np.arange(n + 1), np.arange(n, dtype=np.int32))
    contracted = replace(
        problem,
        unit_vertices=each,
        vertex_units=each,
        size=size,
        mentions=mentions,
        unit_types=Incidence(bounds_of(np.bincount(of_component, minlength=n)), of_type.astype(np.int32)),
        type_counts=np.bincount(number, problem.type_counts).astype(np.int64),
    )
    order = np.random.default_rng(seed).permutation(n)
    room = np.where(problem.shares > 0, problem.shares * float(problem.size.sum()), -np.inf)
    # Large components, which single moves could not balance later, are placed first, each where most room is left.
    large = order[np.argsort(-size[order], kind="stable")][: int((size > 0.01 * size.sum()).sum())]
    placed, room = to_most_room(size, large, room)
    labels = filled(size.astype(np.float64), order[~np.isin(order, large)], room)
    labels[large] = placed
    labels, _ = _run(contracted, labels, min(proposals, max(400 * n, 200_000)), seed, hot=0.5, cold=0.05)
    _, cost = _run(contracted, labels, 0, seed, least=1.0)  # a sample off is no reason to cut
    return Solution(labels[component], cost, "components")


def _peeled(problem: Problem, seed: int) -> list[Solution]:
    """Return cuts by hub peeling: without its hubs, the most frequent entities, a corpus falls into components.

    The fewer hubs are left out, the fewer units bridge two components. But then more units are connected in one large
    component, and the others do not fill the held-out splits. So the search is for the largest degree of an entity
    that is not a hub at which they just do. None is found where all entities have the same degree.
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
    if problem.n_vertices < _SMALL:  # there is time to try degrees over the whole range
        for most in np.unique(np.geomspace(2, max(degrees[-1], 3), 14).astype(int))[:-1].tolist():
            is_too_connected(most)
    return cuts


def _without_hubs(problem: Problem, small: NDArray[np.bool_], seed: int) -> Solution:
    """Return the cut whose held-out splits are components of the small vertices, those with few bridges first.

    A bridge is a unit that has a small vertex and a hub, which is labelled as train.
    """
    part, starts = _components(problem, small), problem.unit_vertices.bounds[:-1]
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
    labels = np.zeros(problem.n_vertices, np.int8)
    quota = problem.shares * problem.size.sum()
    of_label = filled(size - bridging if problem.discards else size, order, quota)
    labels[small] = of_label[part[small]]
    return Solution(*_run(problem, labels, 0, seed), "peel")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep METIS from writing to standard output, which may carry JSON: it complains there about small graphs."""
    flush = ctypes.CDLL(None).fflush if os.name == "posix" else lambda _: 0  # for text that C has not written yet
    flush(None)
    try:
        kept = os.dup(1)
    except OSError:  # standard output is closed
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        flush(None)
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def has_metis() -> bool:
    """Return whether pymetis is installed; it has no wheel for some platforms."""
    return importlib.util.find_spec("pymetis") is not None


def _metis(problem: Problem, seed: int, attempts: int) -> list[Solution]:
    """Return cuts by METIS of the graph of entities that occur together; none where pymetis is not installed."""
    try:
        import pymetis
    except ImportError:
        return []
    from scipy.sparse import coo_matrix

    bounds, columns = problem.unit_vertices
    k = np.diff(bounds)
    heads, tails, weights = [], [], []
    for width in np.unique(k[k > 1]).tolist():
        rows = np.flatnonzero(k == width)
        table = columns[bounds[rows][:, None] + np.arange(width)]
        if width <= 12:
            a, b = np.triu_indices(width, 1)
        else:  # for units with very many entities, a path connects them with fewer edges
            a, b = np.arange(width - 1), np.arange(1, width)
        heads.append(table[:, a].ravel())
        tails.append(table[:, b].ravel())
        each = problem.size[rows] / (width - 1 if width <= 12 else 1)
        weights.append(np.repeat(each, len(a)))
    if not heads:
        return []
    n = problem.n_vertices
    h, t, w = (np.concatenate(parts) for parts in (heads, tails, weights))
    graph = coo_matrix((np.append(w, w), (np.append(h, t), np.append(t, h))), shape=(n, n)).tocsr()
    each = np.repeat(problem.size / np.maximum(k, 1), k)
    vertex_weight = np.bincount(columns, weights=each, minlength=n)
    parts = np.flatnonzero(problem.shares > 0)
    if len(parts) < 2:
        return []
    shares = (problem.shares[parts] / problem.shares[parts].sum()).tolist()
    cuts = []
    for attempt in range(attempts):
        options = pymetis.Options(seed=seed + attempt)
        with _quiet():
            _, membership = pymetis.part_graph(
                len(parts),
                adjacency=_adjacency(graph),
                eweights=np.maximum(np.rint(graph.data * 12), 1).astype(np.int32),
                vweights=np.maximum(np.rint(vertex_weight * 100), 1).astype(np.int32),
                tpwgts=shares,
                recursive=True,
                options=options,
            )
        labels, cost = _run(problem, parts[np.array(membership)].astype(np.int8), 0, seed)
        cuts.append(Solution(labels, cost, "metis"))
    return cuts


def _kahypar(problem: Problem, seed: int, attempts: int) -> list[Solution]:
    """Return cuts by Mt-KaHyPar of the hypergraph itself, whose vertices are entities and whose nets are units."""
    try:
        import mtkahypar
    except ImportError:
        raise CleancutError("engine 'kahypar' needs mtkahypar. Install cleancut[kahypar], or use 'auto'.") from None
    bounds, columns = problem.unit_vertices
    k = np.diff(bounds)
    nets = np.flatnonzero((k > 1) & (problem.size > 0))
    parts = np.flatnonzero(problem.shares > 0)
    if not len(nets) or len(parts) < 2:
        return []
    n = problem.n_vertices
    weight = np.bincount(columns, weights=np.repeat(problem.size / np.maximum(k, 1), k), minlength=n)
    weight = np.maximum(np.rint(weight * 100), 1).astype(np.int64)
    most = np.ceil(problem.shares[parts] * weight.sum() * 1.01).astype(np.int64) + int(weight.max())
    kahypar = mtkahypar.initialize(1, False)  # one thread: the same result on every run
    context = kahypar.context_from_preset(mtkahypar.PresetType.DETERMINISTIC)
    context.set_partitioning_parameters(len(parts), 0.01, mtkahypar.Objective.CUT)
    context.logging = False
    cuts = []
    for attempt in range(attempts):
        # The preset ignores seeds, so that each attempt numbers the vertices in another way.
        number = np.random.default_rng(seed + attempt).permutation(n)
        of_vertex = np.empty(n, np.int64)
        of_vertex[number] = weight
        pins = [number[columns[bounds[u] : bounds[u + 1]]].tolist() for u in nets.tolist()]
        sizes = problem.size[nets].tolist()
        graph = kahypar.create_hypergraph(context, n, len(nets), pins, of_vertex.tolist(), sizes)
        context.set_individual_target_block_weights(most.tolist())
        split = np.array(graph.partition(context).get_partition())[number]
        labels, cost = _run(problem, parts[split].astype(np.int8), 0, seed)
        cuts.append(Solution(labels, cost, "kahypar"))
    return cuts


def _adjacency(graph: Any) -> Any:
    """Return the edges of a graph in the form that METIS takes."""
    import pymetis

    return pymetis.CSRAdjacency(graph.indptr.astype(np.int32), graph.indices.astype(np.int32))


def metis_graph_split(problem: Problem, shares: NDArray[np.float64], seed: int, weighted: bool) -> Ints:
    """Return the split of each unit by the paper's method, for comparison.

    METIS cuts the graph of units, which has an edge for each pair of units that share an entity.

    Args:
        problem: the problem.
        shares: the share of each split.
        seed: the seed of METIS.
        weighted: whether the weight of an edge is the number of shared entities (Equation 12), which the released
            code leaves out.

    Raises:
        CleancutError: pymetis is not installed.
    """
    try:
        import pymetis
    except ImportError:
        raise CleancutError("method 'paper' needs pymetis, which has no wheel for this platform.") from None
    from scipy.sparse import csr_matrix

    n_units, parts = len(problem.size), np.flatnonzero(shares > 0)
    bounds, columns = problem.unit_vertices
    if len(parts) < 2 or n_units < len(parts):
        return np.full(n_units, parts[0])
    table = csr_matrix((np.ones(len(columns), np.int32), columns, bounds), shape=(n_units, problem.n_vertices))
    graph = (table @ table.T).tocsr()
    graph.setdiag(0)
    graph.eliminate_zeros()
    if not graph.nnz:
        return parts[spread(problem.size, shares[parts], seed)]
    weights = graph.data.astype(np.int32) if weighted else None
    with _quiet():
        _, membership = pymetis.part_graph(
            len(parts),
            adjacency=_adjacency(graph),
            eweights=weights,
            vweights=problem.size.astype(np.int32),
            tpwgts=(shares[parts] / shares[parts].sum()).tolist(),
            options=pymetis.Options(seed=seed),
        )
    return parts[np.array(membership)]
