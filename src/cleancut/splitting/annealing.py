"""Simulated annealing: single vertices get other labels while the temperature falls.

``_anneal`` is a kernel (``kernels`` says what that is). It is made of parts, each of which fits a screen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy import random
from numpy.typing import NDArray

from . import kernels
from .board import (
    MIXED_AMONG_HELD_OUT,
    MIXED_WITH_TRAIN,
    NOWHERE,
    PURE,
    Array,
    Asked,
    add_to_sums,
    add_types,
    asked_of,
    cost_of_sizes,
    cost_of_types,
    graph_of,
    no_sums,
)
from .patience import granted
from .problem import Problem
from .tuning import TUNING


class Schedule(NamedTuple):
    """How many moves are tried, where, and at which temperatures."""

    moves: int
    """The number of moves to try."""
    hot: float
    """The first temperature."""
    cold: float
    """The last temperature."""
    at_front: float
    """The share of the moves that are made where mixed units are."""
    beyond_front: float
    """The share of these that move a neighbour of a mixed unit's vertex."""
    most_hub: float
    """The number of units of a vertex up to which the front always moves it."""
    to_neighbour: float
    """The share of the other moves that give a vertex the label of a neighbour."""
    firm_from: int
    """The move from which on the requirements cost what they cost in the end; before it, they become firmer."""
    first_weight: float
    """The cost of a sample off a quota at the first move."""
    first_slack: float
    """The number of samples that a split may be off its quota at no cost at the first move."""
    seed: int
    """The seed of the random choices."""


class Standing(NamedTuple):
    """How each unit stands, which changes with every move."""

    counts: Array
    """The number of the unit's vertices in each split."""
    last: Array
    """The last split that the unit touches; ``NOWHERE`` for units that are discarded."""
    kind: Array
    """Whether the unit is ``PURE``, ``MIXED_AMONG_HELD_OUT`` or ``MIXED_WITH_TRAIN``."""
    front: Array
    """The mixed units, in no order."""
    place: Array
    """Where the unit is in ``front``; -1 for units that are not mixed."""


class Journal(NamedTuple):
    """The moves since the best labels were seen, which are taken back at the end."""

    vertex: Array
    """The vertices that were moved."""
    old: Array
    """The labels that they had."""


# --- parts of the kernel --------------------------------------------------------------------------------------


def _stand(u, standing):  # type: ignore[no-untyped-def]
    """Return the last split and the kind of a unit."""
    counts = standing.counts
    n_touched = 0
    last = 0
    for s in range(counts.shape[1]):
        if counts[u, s] > 0:
            n_touched += 1
            last = s
    if n_touched < 2:
        return last, PURE
    return last, (MIXED_WITH_TRAIN if counts[u, 0] > 0 else MIXED_AMONG_HELD_OUT)


def _stand_after(u, old, new, graph, asked, standing):  # type: ignore[no-untyped-def]
    """Return the last split and the kind that a unit has if one of its vertices moves from one split to another."""
    counts = standing.counts
    if counts[u, new] == graph.vertex_bounds[u + 1] - graph.vertex_bounds[u] - 1:
        return new, PURE  # all others are there
    if asked.discards:
        return NOWHERE, MIXED_AMONG_HELD_OUT  # all mixed units are alike
    last = counts.shape[1] - 1
    while counts[u, last] - (last == old) + (last == new) <= 0:
        last -= 1
    with_train = counts[u, 0] - (old == 0) + (new == 0) > 0
    return last, (MIXED_WITH_TRAIN if with_train else MIXED_AMONG_HELD_OUT)


def _set_up(labels, graph, asked, sums, standing):  # type: ignore[no-untyped-def]
    """Count all units by their labels; return the price of the mixed ones and the number of units at the front."""
    price = 0.0
    n_front = 0
    for u in range(len(graph.size)):
        for k in range(graph.vertex_bounds[u], graph.vertex_bounds[u + 1]):
            standing.counts[u, labels[graph.vertices[k]]] += 1
        last, kind = _stand(u, standing)
        if kind != PURE and asked.discards:
            last, kind = NOWHERE, MIXED_AMONG_HELD_OUT
        if last != NOWHERE:
            add_to_sums(u, last, 1, graph, sums)
        standing.last[u], standing.kind[u] = last, kind
        price += asked.price[kind] * graph.size[u]
        standing.place[u] = -1
        n_front = _follow(u, standing, n_front)
    return price, n_front


def _follow(u, standing, n_front):  # type: ignore[no-untyped-def]
    """Put a unit to the front, or take it from there, by its kind; return the number of units at the front."""
    front, place = standing.front, standing.place
    if standing.kind[u] != PURE and place[u] < 0:
        front[n_front], place[u] = u, n_front
        n_front += 1
    elif standing.kind[u] == PURE and place[u] >= 0:
        n_front -= 1
        moved = front[n_front]
        front[place[u]], place[moved] = moved, place[u]
        place[u] = -1
    return n_front


def _any_of(bounds, columns, row):  # type: ignore[no-untyped-def]
    """Return one of the columns of a row at random."""
    return columns[bounds[row] + random.randint(bounds[row + 1] - bounds[row])]


def _proposed(labels, graph, schedule, n_splits, n_front, standing):  # type: ignore[no-untyped-def]
    """Return a vertex and a new label for it, at random; a vertex of -1 for no move."""
    if random.random() < schedule.at_front and n_front > 0:
        # to a label of a mixed unit: one of its vertices, or one that shares a unit with it
        u = standing.front[random.randint(n_front)]
        v = _any_of(graph.vertex_bounds, graph.vertices, u)
        new = labels[_any_of(graph.vertex_bounds, graph.vertices, u)]
        if random.random() < schedule.beyond_front:
            u = _any_of(graph.unit_bounds, graph.units, v)
            v = _any_of(graph.vertex_bounds, graph.vertices, u)
        if random.random() * (graph.unit_bounds[v + 1] - graph.unit_bounds[v]) > schedule.most_hub:
            return -1, 0
        return v, new
    v = random.randint(len(labels))
    if random.random() < schedule.to_neighbour and graph.unit_bounds[v + 1] > graph.unit_bounds[v]:
        u = _any_of(graph.unit_bounds, graph.units, v)
        return v, labels[_any_of(graph.vertex_bounds, graph.vertices, u)]
    return v, random.randint(n_splits)


def _try(v, old, new, price, graph, asked, sums, trial, standing):  # type: ignore[no-untyped-def]
    """Put into ``trial`` what the splits hold after a move, without types; return the price of the mixed units."""
    for s in range(len(asked.shares)):
        trial.samples[s], trial.mentions[s] = sums.samples[s], sums.mentions[s]
    for k in range(graph.unit_bounds[v], graph.unit_bounds[v + 1]):
        u = graph.units[k]
        last, kind = standing.last[u], standing.kind[u]
        new_last, new_kind = _stand_after(u, old, new, graph, asked, standing)
        price += (asked.price[new_kind] - asked.price[kind]) * graph.size[u]
        if last != new_last:
            if last != NOWHERE:
                trial.samples[last] -= graph.size[u]
                trial.mentions[last] -= graph.mentions[u]
            if new_last != NOWHERE:
                trial.samples[new_last] += graph.size[u]
                trial.mentions[new_last] += graph.mentions[u]
    return price


def _shift_types(v, old, new, by, graph, asked, sums, standing):  # type: ignore[no-untyped-def]
    """Count the types of the units of a vertex as after a move (``by`` is 1), or back as before it (-1)."""
    for k in range(graph.unit_bounds[v], graph.unit_bounds[v + 1]):
        u = graph.units[k]
        last = standing.last[u]
        new_last, _ = _stand_after(u, old, new, graph, asked, standing)
        if last != new_last:
            if last != NOWHERE:
                add_types(u, last, -by, graph, sums)
            if new_last != NOWHERE:
                add_types(u, new_last, by, graph, sums)


def _settle(v, old, new, graph, asked, sums, trial, standing, n_front):  # type: ignore[no-untyped-def]
    """Let the units of a vertex stand as they do after its move; return the number of units at the front."""
    for s in range(len(asked.shares)):
        sums.samples[s], sums.mentions[s] = trial.samples[s], trial.mentions[s]
    for k in range(graph.unit_bounds[v], graph.unit_bounds[v + 1]):
        u = graph.units[k]
        standing.last[u], standing.kind[u] = _stand_after(u, old, new, graph, asked, standing)
        standing.counts[u, old] -= 1
        standing.counts[u, new] += 1
        n_front = _follow(u, standing, n_front)
    return n_front


def _eased(step, asked, schedule):  # type: ignore[no-untyped-def]
    """Return what is asked at a move before the requirements are firm."""
    done = step / schedule.firm_from
    return Asked(
        asked.shares,
        asked.low,
        asked.high,
        asked.type_minimum,
        asked.type_weight,
        schedule.first_weight * (asked.weight / schedule.first_weight) ** done,
        schedule.first_slack * (asked.slack / schedule.first_slack) ** done,
        asked.discards,
        asked.price,
    )


@kernels.kernel(
    add_types,
    add_to_sums,
    cost_of_sizes,
    cost_of_types,
    _stand,
    _stand_after,
    _follow,
    _set_up,
    _any_of,
    _proposed,
    _try,
    _shift_types,
    _settle,
    _eased,
)
def _anneal(labels, graph, asked, schedule, sums, trial, standing, journal):  # type: ignore[no-untyped-def]
    """Move single vertices while the temperature falls; leave the best labels that were seen, and return their cost."""
    random.seed(schedule.seed)
    price, n_front = _set_up(labels, graph, asked, sums, standing)
    counts_types = asked.type_minimum.shape[1] > 0
    cost = cost_of_sizes(price, sums, asked) + cost_of_types(sums, asked)
    best = cost
    if best == 0.0:
        return best
    n_since = 0
    temperature = schedule.hot
    firm = asked
    is_firm = schedule.firm_from == 0
    for step in range(schedule.moves):
        if step % 1024 == 0:
            temperature = schedule.hot * (schedule.cold / schedule.hot) ** (step / schedule.moves)
            if not is_firm:
                is_firm = step >= schedule.firm_from
                asked = firm if is_firm else _eased(step, firm, schedule)
                cost = cost_of_sizes(price, sums, asked) + cost_of_types(sums, asked)
                best = cost  # labels are compared once the requirements are firm; those before are forgotten
                n_since = 0
        v, new = _proposed(labels, graph, schedule, len(asked.shares), n_front, standing)
        if v < 0 or new == labels[v] or asked.shares[new] == 0.0:
            continue
        old = labels[v]
        most = cost - temperature * math.log(1.0 - random.random())  # the largest cost that is accepted
        new_price = _try(v, old, new, price, graph, asked, sums, trial, standing)
        changed = cost_of_sizes(new_price, trial, asked)
        if changed > most:
            continue  # types, which only add to the cost, need not be counted
        if counts_types:
            _shift_types(v, old, new, 1, graph, asked, sums, standing)
            changed += cost_of_types(sums, asked)
            if changed > most:
                _shift_types(v, old, new, -1, graph, asked, sums, standing)
                continue
        n_front = _settle(v, old, new, graph, asked, sums, trial, standing, n_front)
        price = new_price
        cost = changed
        labels[v] = new
        if not is_firm:
            continue
        if cost < best:
            best = cost
            n_since = 0
            if best == 0.0:  # nothing is left to gain
                break
        else:
            journal.vertex[n_since], journal.old[n_since] = v, old
            n_since += 1
    for k in range(n_since - 1, -1, -1):
        labels[journal.vertex[k]] = journal.old[k]
    return best


# --- searches -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Annealing:
    """A search by simulated annealing."""

    hot: float = 1.0
    """The first temperature; the higher, the farther the search goes from where it begins."""
    cold: float = 0.1
    """The last temperature."""
    weight: float = TUNING.soft
    """The cost of a sample off a quota."""
    slack: float = TUNING.tight
    """The distance from a quota that costs nothing, as a share of the samples."""
    least_slack: float = 0.5
    """The least such distance, in samples."""
    firm_from: float = 0.0
    """The share of the moves after which weight and slack are as above; before, they come there from the next two."""
    first_weight: float = TUNING.first_weight
    """The weight to begin with, where requirements become firm only in the course of the search."""
    first_slack: float = TUNING.first_slack
    """The slack to begin with."""
    at_front: float | None = None
    """The share of the moves at the front; None for the one that suits the problem."""
    most_hub: float = TUNING.most_hub
    """The number of units of a vertex up to which the front always moves it."""

    def __call__(
        self, problem: Problem, labels: NDArray[np.int8], moves: int, seed: int
    ) -> tuple[NDArray[np.int8], float]:
        """Return the best labels that are found by moving single vertices, and their cost.

        Args:
            problem: the problem.
            labels: the labels to begin with.
            moves: the number of moves to try; 0 to compute the cost only.
            seed: the seed of the random choices.
        """
        hot = self.hot
        cold = self.cold
        slack = self.slack
        firm_from = self.firm_from
        moves = granted(moves)
        if not kernels.HAS_NUMBA:
            moves = min(moves, TUNING.moves_without_numba)
        if moves < TUNING.downhill * problem.n_vertices:
            hot = min(hot, TUNING.downhill_hot)
            cold = min(cold, TUNING.downhill_cold)
            slack = TUNING.tight
            firm_from = 0.0
        free = max(slack * float(problem.size.sum()), self.least_slack)
        asked = asked_of(problem, self.weight, free)
        graph = graph_of(problem)
        at_front = self.at_front
        if at_front is None:
            at_front = TUNING.at_front_discarding if problem.discards else TUNING.at_front
        schedule = Schedule(
            moves=moves,
            hot=hot,
            cold=cold,
            at_front=at_front,
            beyond_front=TUNING.beyond_front,
            most_hub=self.most_hub,
            to_neighbour=TUNING.to_neighbour,
            firm_from=int(firm_from * moves),
            first_weight=self.first_weight,
            first_slack=max(self.first_slack * float(problem.size.sum()), free),
            seed=seed,
        )
        (best, *_), cost = _anneal(
            len(graph.vertices),
            lambda: (
                labels.astype(np.int8),
                graph,
                asked,
                schedule,
                no_sums(asked),
                no_sums(asked),
                _standing(problem, asked),
                Journal(np.empty(max(moves, 1), np.int32), np.empty(max(moves, 1), np.int8)),
            ),
        )
        return best, float(cost)


def _standing(problem: Problem, asked: Asked) -> Standing:
    """Return arrays for how units stand."""
    n_units, n_splits = len(problem.size), len(asked.shares)
    return Standing(
        counts=np.zeros((n_units, n_splits), np.int32),
        last=np.zeros(n_units, np.int8),
        kind=np.zeros(n_units, np.int8),
        front=np.empty(n_units, np.int32),
        place=np.empty(n_units, np.int32),
    )
