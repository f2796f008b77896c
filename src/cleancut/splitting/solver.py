"""The solver behind the splitter: label entities so that as few samples as possible touch two splits.

It knows arrays only. *Units* are what is assigned (samples, or documents, with duplicates together); *vertices* are
what is labelled: an entity that several units share, or a unit that shares nothing. A unit is *mixed* if its vertices
carry different labels: it is contaminated, or it is discarded. This is the cut of the dual hypergraph (vertices =
entities, nets = samples), which does not blow up at hubs as a graph of samples does.
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
    """Rows of a sparse 0/1 matrix: the columns of row i are ``columns[bounds[i]:bounds[i + 1]]``, sorted."""

    bounds: Ints
    columns: NDArray[np.int32]

    @classmethod
    def of(cls, rows: Ints, columns: Ints, n_rows: int) -> Incidence:
        width = int(columns.max(initial=0)) + 1
        of_row, of_column = np.divmod(np.sort(rows * width + columns), width)  # far faster than a sort by two keys
        return cls(bounds_of(np.bincount(of_row, minlength=n_rows)), of_column.astype(np.int32))

    def rows(self) -> Ints:
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))


_PRICES, _APART = (0.125, 1.0), (1.0, 1000.0)
"""``Problem.prices`` in general, and where nothing need be mixed with train."""


@dataclass(frozen=True)
class Problem:
    """Units with their weights, the vertices they touch, and what the splits must look like."""

    unit_vertices: Incidence
    vertex_units: Incidence
    size: Ints
    """Samples of each unit."""
    mentions: Ints
    """Mentions of each unit."""
    unit_types: Incidence
    """Types of the mentions (and strata of the samples) of each unit, with ``type_counts`` beside the columns."""
    type_counts: Ints
    shares: NDArray[np.float64]
    """Share of each split; the first is train, the others are held out."""
    density: tuple[float, float]
    """Least and greatest mentions per sample of a held-out split."""
    type_minimum: Ints
    """Least count of each type in each split, which the first need not have; 0 where none is asked."""
    type_weight: NDArray[np.float64]
    """What one short of the minimum of each type weighs, in mixed samples."""
    discards: bool = False
    """Are mixed units discarded, so that all holds without them? Else they go to the highest split they touch."""
    prices: tuple[float, float] = _PRICES
    """What a kept sample costs that is mixed among held-out splits only, and one that is mixed with train."""
    connected: Callable[[Problem, NDArray[np.bool_] | None], Ints] | None = None
    """What stands in for ``connected_units``, where others than this machine find the components."""

    @property
    def n_vertices(self) -> int:
        return len(self.vertex_units.bounds) - 1

    @property
    def n_types(self) -> int:
        return self.type_minimum.shape[1]

    def without(self, discarded: NDArray[np.bool_]) -> Problem:
        """The same with units that weigh nothing."""
        size, mentions = (np.where(discarded, 0, each) for each in (self.size, self.mentions))
        type_counts = np.where(discarded[self.unit_types.rows()], 0, self.type_counts)
        return replace(self, size=size, mentions=mentions, type_counts=type_counts)


# In the cost, a sample off the quota and a sample's worth of mentions off the density band weigh more than a mixed
# sample, so that they are met where they can be.
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
    """Four times the highest split that a unit touches; 1 more if it is mixed, 2 more if it is mixed with train.

    As it would be with one of its vertices moved from a split to another one; -1 for none.
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
    """Take a unit from the sums of one state to those of another (-1: of none); returns the change in mixed samples."""
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
    """Move single vertices while the temperature falls; returns the best labels seen and their cost.

    So many of the moves are of vertices at the front, where mixed units are. The last arguments are from ``_room``.
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
            if random.random() * (vu_bounds[v + 1] - vu_bounds[v]) > 5:  # hubs are at every turn, and much work
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
        most = cost - temperature * math.log(1.0 - random.random())  # what the move may cost
        changed = n_mixed
        for nth, k in enumerate(range(vu_bounds[v], vu_bounds[v + 1])):
            u = vu[k]
            before[nth], after[nth] = states[u], _state(u, counts, old, new)
            changed += (price[after[nth] & 3] - price[before[nth] & 3]) * size[u]
        if changed > most:  # whatever it does for the quotas
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
        if changed > most:  # back again
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
    """The arrays that ``_anneal`` works in. They are made here, since code that makes them takes long to compile."""
    n_units, n_splits = len(problem.size), len(problem.shares)
    widest = int(np.diff(problem.vertex_units.bounds).max(initial=0))
    return (
        np.zeros((n_units, n_splits), np.int32),  # vertices of each unit in each split
        np.zeros(n_units, np.int16),
        np.zeros(n_splits, np.int64),
        np.zeros(n_splits, np.int64),
        np.zeros((n_splits, n_types), np.int64),
        np.empty(max(proposals, 1), np.int32),  # the moves since the best was seen, to be taken back at the end
        np.empty(max(proposals, 1), np.int8),
        np.empty(widest, np.int16),  # states of the units that a move touches
        np.empty(widest, np.int16),
        np.empty(n_units, np.int32),  # the mixed units, in no order
        np.empty(n_units, np.int32),
    )


# --- solving ----------------------------------------------------------------------------------------------


class Solution(NamedTuple):
    """A label for each vertex; what it costs; how it was found."""

    labels: NDArray[np.int8]
    cost: float
    how: str


def solve(
    problem: Problem, *, seed: int, engine: str, proposals: int, progress: Callable[[float], None] | None = None
) -> Solution:
    """Whole components if they can be packed, else the best of several cuts, polished by moving single vertices.

    Which start is best shows only once it is polished a little: all are, and the best two get the rest of the moves;
    where mixed units go, the best two of several that wander far. ``progress`` is told what share of the work was done
    since it was told last.
    """

    def done(found: Solution, share: float) -> Solution:
        if progress:
            progress(share / (1.75 if problem.discards else 1.0))
        return found

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
    """Cuts between the held-out splits alone, where whole components can be packed into train and into all the rest."""
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
    """Starts that an engine finds."""
    found, small = list[Solution](), problem.n_vertices < _SMALL
    if engine in ("auto", "peel"):
        found += sorted(_peeled(problem, seed), key=_cost_of)[:2]
    if engine in ("auto", "metis"):
        found += _metis(problem, seed, 12 if small else 2)
    if engine == "kahypar":
        found += _kahypar(problem, seed, 4 if small else 1)
    return found


def _first_vertex(problem: Problem) -> NDArray[np.int32]:
    return problem.unit_vertices.columns[problem.unit_vertices.bounds[:-1]]


def _cost_of(solution: Solution) -> float:
    return solution.cost


def polished(problem: Problem, start: Solution, proposals: int, seed: int, hot: float = 1.5) -> Solution:
    """A better solution in the neighbourhood of one, with some slack in the quotas: it is what makes room for moves.

    The hotter, the wider the neighbourhood.
    """
    weight = _SOFT_DISCARDING if problem.discards else _SOFT
    labels, cost = _run(problem, start.labels, proposals, seed, hot=hot, cold=0.3, weight=weight, slack=_LOOSE)
    return Solution(labels, cost, start.how)


def settled(problem: Problem, start: Solution, proposals: int, seed: int) -> Solution:
    """A solution near by that meets quotas and density, in the end whatever that costs in mixed samples."""
    labels, _ = _run(problem, start.labels, proposals, seed, hot=0.5)
    labels, cost = _run(problem, labels, max(proposals // 4, _LEAST), seed + 1, hot=0.3, weight=_FIRM)
    return Solution(labels, cost, start.how)


def n_mixed(problem: Problem, solution: Solution) -> int:
    """Samples that touch two splits."""
    return int(problem.size[split_of_units(problem, solution.labels)[1]].sum())


def split_of_units(problem: Problem, labels: NDArray[np.int8]) -> tuple[Ints, NDArray[np.bool_]]:
    """The highest split that each unit touches, and whether it is mixed."""
    of_pair = labels[problem.unit_vertices.columns].astype(np.int64)
    starts = problem.unit_vertices.bounds[:-1]
    if not len(starts):
        return np.zeros(0, np.int64), np.zeros(0, bool)
    highest = np.maximum.reduceat(of_pair, starts)
    return highest, highest != np.minimum.reduceat(of_pair, starts)


_AT_FRONT, _AT_FRONT_DISCARDING = 0.6, 0.2
"""How many moves are made where mixed units are; fewer where these are discarded, and others make up for them."""

_SMALL = 100_000
"""Vertices of a problem that takes no time to cut, so that many ways are tried."""

_LEAST = 300_000
"""Moves that even the least effort spends on quotas and density."""

_SOFT, _SOFT_DISCARDING, _FIRM = 2.0, 4.0, 5.0
"""What a sample off a quota weighs while a cut is searched for, also where mixed units go, and when it is settled."""

_HEATS = (4.0, 8.0, 16.0, 4.0, 8.0, 16.0)
"""Where mixed units go, the dense ones go first, and the density that is lost comes back only with whole clusters of
entities: what they need to move is as hot as this, where less would do for single ones. (In large problems, for which
there are few moves, none is hot.)"""

_LOOSE, _TIGHT = 0.003, 0.0003
"""How far off a quota is free, as a share of the samples, while a cut is searched for, and when it is settled."""


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
    if not kernels.HAS_NUMBA:
        proposals = min(proposals, 100_000)
    if proposals < 20 * problem.n_vertices:  # few moves are best spent downhill
        hot, cold, slack = min(hot, 0.3), min(cold, 0.1), _TIGHT
    free = max(slack * float(problem.size.sum()), least)
    minimum = problem.type_minimum if problem.type_minimum.any() else problem.type_minimum[:, :0]
    rows, columns, types = problem.unit_vertices, problem.vertex_units, problem.unit_types
    found, cost = _anneal(len(rows.columns), lambda: (
        labels.astype(np.int8), *rows, *columns, problem.size, problem.mentions, *types, problem.type_counts,
        problem.shares, *problem.density, minimum, problem.type_weight, weight, free, problem.discards,
        np.array([0.0, *((1.0, 1.0) if problem.discards else problem.prices)]), proposals, hot, cold,
        _AT_FRONT_DISCARDING if problem.discards else _AT_FRONT, seed, *_room(problem, minimum.shape[1], proposals),
    ))  # fmt: skip
    return found, float(cost)


def _components(problem: Problem, keep: NDArray[np.bool_] | None = None) -> Ints:
    """The connected component of each vertex, by units that contain both; -1 for vertices that are not kept."""
    of_unit = (problem.connected or connected_units)(problem, keep)
    of_vertex = of_unit[problem.vertex_units.columns[problem.vertex_units.bounds[:-1]]]
    used = np.zeros(len(of_unit), bool)
    used[of_vertex if keep is None else of_vertex[keep]] = True
    of_vertex = (np.cumsum(used) - 1)[of_vertex]
    return of_vertex if keep is None else np.where(keep, of_vertex, -1)


def connected_units(problem: Problem, keep: NDArray[np.bool_] | None) -> Ints:
    """A number below that of all units for each unit, equal where kept vertices join them, ascending by first units."""
    units, vertices = problem.unit_vertices.rows(), problem.unit_vertices.columns
    n_units = len(problem.size)
    if keep is not None:
        kept = keep[vertices]
        units, vertices = units[kept], vertices[kept]
    return components(units, n_units + vertices, n_units + problem.n_vertices)[:n_units]


def _pack(problem: Problem, component: Ints, seed: int, proposals: int) -> Solution:
    """Give whole components to splits: nothing is mixed, and only quotas, density and types are searched for."""
    n = int(component.max()) + 1
    of_unit = component[_first_vertex(problem)]
    size, mentions = (np.bincount(of_unit, w, n).astype(np.int64) for w in (problem.size, problem.mentions))
    pairs = of_unit[problem.unit_types.rows()] * max(problem.n_types, 1) + problem.unit_types.columns
    types, number = np.unique(pairs, return_inverse=True)
    of_component, of_type = np.divmod(types, max(problem.n_types, 1))
    each = Incidence(np.arange(n + 1), np.arange(n, dtype=np.int32))
    contracted = replace(
        problem, unit_vertices=each, vertex_units=each, size=size, mentions=mentions,
        unit_types=Incidence(bounds_of(np.bincount(of_component, minlength=n)), of_type.astype(np.int32)),
        type_counts=np.bincount(number, problem.type_counts).astype(np.int64),
    )  # fmt: skip
    order = np.random.default_rng(seed).permutation(n)
    room = np.where(problem.shares > 0, problem.shares * float(problem.size.sum()), -np.inf)
    # what single moves could not balance any more goes first, each to where most room is left
    large = order[np.argsort(-size[order], kind="stable")][: int((size > 0.01 * size.sum()).sum())]
    placed, room = to_most_room(size, large, room)
    labels = filled(size.astype(np.float64), order[~np.isin(order, large)], room)
    labels[large] = placed
    labels, _ = _run(contracted, labels, min(proposals, max(400 * n, 200_000)), seed, hot=0.5, cold=0.05)
    _, cost = _run(contracted, labels, 0, seed, least=1.0)  # a sample off is no reason to cut
    return Solution(labels[component], cost, "components")


def _peeled(problem: Problem, seed: int) -> list[Solution]:
    """Hub peeling: without the most frequent entities, the rest falls into components with few bridging units.

    The fewer are left out, the fewer units bridge, but the more of all hangs together and is of no use to the held-out
    splits. The search is for the degree at which it just suffices for them; none is found where all degrees are equal.
    """
    degree, found = np.diff(problem.vertex_units.bounds), list[Solution]()
    wanted = 0.98 * problem.shares[1:].sum() * problem.size.sum()

    def hangs_together(most: int) -> bool:
        small = degree <= most
        found.append(_without_hubs(problem, small, seed))
        held_out = split_of_units(problem, found[-1].labels)[0] > 0
        with_small = np.logical_or.reduceat(small[problem.unit_vertices.columns], problem.unit_vertices.bounds[:-1])
        return bool(problem.size[held_out].sum() < wanted <= problem.size[with_small].sum())

    degrees = np.unique(degree).tolist()
    low, high, step = -1, len(degrees) - 1, 1  # of all, too much hangs together, or there would be no cut
    while high - low > 1:
        middle = min(low + step, (low + high) // 2)
        if hangs_together(degrees[middle]):
            high = middle
        else:
            low, step = middle, 2 * step
    if problem.n_vertices < _SMALL:  # it takes no time to try all over
        for most in np.unique(np.geomspace(2, max(degrees[-1], 3), 14).astype(int))[:-1].tolist():
            hangs_together(most)
    return found


def _without_hubs(problem: Problem, small: NDArray[np.bool_], seed: int) -> Solution:
    """The components that some vertices make without the others, those with few bridging units held out."""
    part, starts = _components(problem, small), problem.unit_vertices.bounds[:-1]
    # all small vertices of a unit are in one component, since the unit joins them; -1: it has hubs only
    of_vertex = part[problem.unit_vertices.columns]
    of_unit = np.maximum.reduceat(of_vertex, starts)
    unit = np.flatnonzero(of_unit >= 0)
    has_hub = np.minimum.reduceat(of_vertex, starts)[unit] < 0
    of_part, n = of_unit[unit], int(part.max()) + 1
    size = np.bincount(of_part, weights=problem.size[unit], minlength=n)
    bridging = np.bincount(of_part, weights=problem.size[unit] * has_hub, minlength=n)
    dense = np.bincount(of_part, weights=problem.mentions[unit], minlength=n)
    fair = problem.mentions.sum() / max(problem.size.sum(), 1)
    # few bridges first; among equals those that are not too sparse
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
    """METIS complains of small graphs on standard output, where a result in JSON may stand: nothing gets there."""
    flush = ctypes.CDLL(None).fflush if os.name == "posix" else lambda _: 0  # what C holds back comes out as well
    flush(None)
    try:
        kept = os.dup(1)
    except OSError:  # it is closed: nobody listens
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
    """Is pymetis here? There is no wheel for some platforms."""
    return importlib.util.find_spec("pymetis") is not None


def _metis(problem: Problem, seed: int, attempts: int) -> list[Solution]:
    """METIS on the graph of entities that occur together; none where pymetis is not to be had."""
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
        else:  # a path holds a unit with very many entities together as well
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
    found = []
    for attempt in range(attempts):
        options = pymetis.Options(seed=seed + attempt)
        with _quiet():
            _, membership = pymetis.part_graph(
                len(parts), adjacency=_adjacency(graph),
                eweights=np.maximum(np.rint(graph.data * 12), 1).astype(np.int32),
                vweights=np.maximum(np.rint(vertex_weight * 100), 1).astype(np.int32), tpwgts=shares, recursive=True,
                options=options,
            )  # fmt: skip
        labels, cost = _run(problem, parts[np.array(membership)].astype(np.int8), 0, seed)
        found.append(Solution(labels, cost, "metis"))
    return found


def _kahypar(problem: Problem, seed: int, attempts: int) -> list[Solution]:
    """Mt-KaHyPar on the hypergraph itself: entities are its vertices, units its nets."""
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
    found = []
    for attempt in range(attempts):
        # the preset ignores seeds: another numbering is another attempt
        number = np.random.default_rng(seed + attempt).permutation(n)
        of_vertex = np.empty(n, np.int64)
        of_vertex[number] = weight
        pins = [number[columns[bounds[u] : bounds[u + 1]]].tolist() for u in nets.tolist()]
        sizes = problem.size[nets].tolist()
        graph = kahypar.create_hypergraph(context, n, len(nets), pins, of_vertex.tolist(), sizes)
        context.set_individual_target_block_weights(most.tolist())
        split = np.array(graph.partition(context).get_partition())[number]
        labels, cost = _run(problem, parts[split].astype(np.int8), 0, seed)
        found.append(Solution(labels, cost, "kahypar"))
    return found


def _adjacency(graph: Any) -> Any:
    import pymetis

    return pymetis.CSRAdjacency(graph.indptr.astype(np.int32), graph.indices.astype(np.int32))


def metis_graph_split(problem: Problem, shares: NDArray[np.float64], seed: int, weighted: bool) -> Ints:
    """The paper's method, for comparison: METIS on the graph of units, an edge for each pair that shares an entity.

    The weight of an edge is the number of shared entities (Eq. 12); the released code leaves it out.
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
    with _quiet():
        _, membership = pymetis.part_graph(
            len(parts), adjacency=_adjacency(graph),
            eweights=graph.data.astype(np.int32) if weighted else None, vweights=problem.size.astype(np.int32),
            tpwgts=(shares[parts] / shares[parts].sum()).tolist(), options=pymetis.Options(seed=seed),
        )  # fmt: skip
    return parts[np.array(membership)]
