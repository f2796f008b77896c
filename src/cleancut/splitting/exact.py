"""Whether any split discards fewer samples: an integer programme, for small problems.

A split is *allowed* if every part of it has its share of the kept samples within a tolerance, and its held-out splits
meet density and types. The programme (HiGHS, through scipy) asks for an allowed split that discards fewer samples than
one that is known. Where there is none, the known one is proven. The programme is a little more generous than a split
can be: it may also discard samples that are not mixed, and even parts of samples. So what it does not find is not
there, and what it finds is checked before it is believed.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .problem import Ints, Problem, split_of_units

_ROUNDING = 1e-6
"""How far the numbers of the programme may be off."""


class Allowed(NamedTuple):
    """What a split has to meet to be allowed."""

    off: NDArray[np.float64]
    """The number of samples that each split may be off its share of the kept ones."""
    density: tuple[float, float]
    """The least and the greatest mentions per sample of a held-out split."""
    type_minimum: Ints
    """The least count of each type in each split."""


class Proof(NamedTuple):
    """What came of an exact search."""

    labels: NDArray[np.int8]
    """The best labels that are known: those that were given, or better ones."""
    n_discarded: int
    """The number of samples that they discard."""
    proven: bool
    """Whether no allowed split discards fewer."""


class _Held(NamedTuple):
    """What the splits of some labels hold, without the mixed units."""

    n_discarded: int
    sizes: NDArray[Any]
    mentions: NDArray[Any]
    types: Ints


def proof(problem: Problem, labels: NDArray[np.int8], seconds: float) -> Proof:
    """Search for labels that discard fewer samples, or for the proof that there are none.

    Args:
        problem: the problem, whose mixed units are discarded.
        labels: labels that are known. What they miss of the requirements, others may miss, too.
        seconds: the time that it may take.
    """
    best = Proof(labels, _held(problem, labels).n_discarded, False)
    allowed = allowed_by(problem, labels)
    until = time.monotonic() + seconds
    while best.n_discarded and (left := until - time.monotonic()) > 0:
        answer = _Programme(problem, allowed).fewer(best.n_discarded, left)
        if answer.is_impossible:
            return best._replace(proven=True)
        if answer.labels is None:
            return best
        held = _held(problem, answer.labels)
        if held.n_discarded >= best.n_discarded or not _is_allowed(problem, held, allowed):
            return best
        best = Proof(answer.labels, held.n_discarded, held.n_discarded <= answer.least)
        if best.proven:
            return best
    return best._replace(proven=not best.n_discarded)


def allowed_by(problem: Problem, labels: NDArray[np.int8]) -> Allowed:
    """Return what a problem asks for as far as some labels meet it: ratios as well as they do, or within a sample.

    Args:
        problem: the problem.
        labels: labels that are allowed in any case.
    """
    held = _held(problem, labels)
    off = np.abs(held.sizes - problem.shares * held.sizes.sum())
    off[1:] = off[1:].max()  # the same for all held-out splits, which can then be exchanged
    densities = held.mentions[1:][held.sizes[1:] > 0] / held.sizes[1:][held.sizes[1:] > 0]
    low, high = problem.density
    return Allowed(
        np.maximum(off, 1.0),
        (min(low, densities.min(initial=np.inf)), max(high, densities.max(initial=0.0))),
        np.minimum(problem.type_minimum, held.types),
    )


def _held(problem: Problem, labels: NDArray[np.int8]) -> _Held:
    """Return what the splits of some labels hold."""
    split, is_mixed = split_of_units(problem, labels)
    n_splits, kept = len(problem.shares), ~is_mixed
    rows = problem.unit_types.rows()
    counted = kept[rows]
    types = np.zeros((n_splits, problem.n_types), np.int64)
    np.add.at(types, (split[rows[counted]], problem.unit_types.columns[counted]), problem.type_counts[counted])
    sizes, mentions = (
        np.bincount(split[kept], each[kept].astype(np.float64), n_splits) for each in (problem.size, problem.mentions)
    )
    return _Held(int(problem.size[is_mixed].sum()), sizes, mentions, types)


def _is_allowed(problem: Problem, held: _Held, allowed: Allowed) -> bool:
    """Return whether splits meet what they have to."""
    off = np.abs(held.sizes - problem.shares * held.sizes.sum())
    low, high = (bound * held.sizes[1:] for bound in allowed.density)
    return bool(
        (off <= allowed.off + _ROUNDING).all()
        and (held.mentions[1:] >= low - _ROUNDING).all()
        and (held.mentions[1:] <= high + _ROUNDING).all()
        and (held.types[1:] >= allowed.type_minimum[1:]).all()
    )


# --- the programme ----------------------------------------------------------------------------------------------


class _Answer(NamedTuple):
    """The answer of the programme."""

    is_impossible: bool
    """Whether it is proven that no allowed split discards fewer."""
    labels: NDArray[np.int8] | None
    """Labels that discard fewer, if some were found."""
    least: int
    """The number of samples that any allowed split discards at least, where the programme has come to its end."""


class _Programme:
    """The integer programme of a problem.

    Its variables are, for each vertex and split, whether the vertex has the label; and for each unit and split, how
    much of the unit is kept there, which is nothing unless all of its vertices have the label.
    """

    def __init__(self, problem: Problem, allowed: Allowed) -> None:
        self._problem = problem
        self._allowed = allowed
        self._splits = np.flatnonzero(problem.shares > 0)
        self._same_label = _dominating(problem)
        self._vertices = np.unique(self._same_label)
        self._number = np.searchsorted(self._vertices, self._same_label)
        self._n_labels = len(self._vertices) * len(self._splits)
        self._n_variables = self._n_labels + len(problem.size) * len(self._splits)
        self._blocks: list[tuple[Any, Any, Any]] = []

    def fewer(self, n_discarded: int, seconds: float) -> _Answer:
        """Return labels that discard fewer samples than are known to be enough, or that there are none.

        Args:
            n_discarded: the number of samples that are known to be enough.
            seconds: the time that it may take.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import vstack

        self._blocks = []
        self._one_label()
        self._kept_where_labelled()
        self._requirements()
        size = self._problem.size.astype(np.float64)
        kept = np.concatenate([np.zeros(self._n_labels), np.repeat(size, len(self._splits))])
        self._add(np.zeros(len(kept), int), np.arange(len(kept)), kept, size.sum() - n_discarded + 1, np.inf)
        table, low, high = (list(each) for each in zip(*self._blocks, strict=True))
        is_label = np.arange(self._n_variables) < self._n_labels
        result = milp(
            -kept,
            constraints=LinearConstraint(vstack(table).tocsr(), np.concatenate(low), np.concatenate(high)),
            bounds=Bounds(0, self._most()),
            integrality=is_label.astype(int),
            options={"time_limit": max(seconds, 0.1)},
        )
        if result.status == 2:
            return _Answer(True, None, n_discarded)
        if result.x is None:
            return _Answer(False, None, 0)
        chosen = result.x[: self._n_labels].reshape(len(self._vertices), len(self._splits)).argmax(axis=1)
        least = int(np.ceil(size.sum() + result.fun - 1e-3)) if result.status == 0 else 0
        return _Answer(False, self._splits[chosen][self._number].astype(np.int8), least)

    def _add(self, rows: Any, columns: Any, values: Any, low: Any, high: Any) -> None:
        """Add constraints: the row, the variable and the factor of each term, and the bounds of each row."""
        from scipy.sparse import coo_matrix

        n_rows = int(rows.max(initial=-1)) + 1
        self._blocks.append(
            (
                coo_matrix((values, (rows, columns)), shape=(n_rows, self._n_variables)),
                np.broadcast_to(np.float64(low), n_rows),
                np.broadcast_to(np.float64(high), n_rows),
            )
        )

    def _one_label(self) -> None:
        """Add the constraint that each vertex has one label."""
        n_splits = len(self._splits)
        self._add(np.arange(self._n_labels) // n_splits, np.arange(self._n_labels), np.ones(self._n_labels), 1, 1)

    def _kept_where_labelled(self) -> None:
        """Add the constraint that a unit is kept in a split only if each of its vertices has the label."""
        units, n_splits = self._problem.unit_vertices.rows(), len(self._splits)
        pairs = np.unique(units * len(self._vertices) + self._number[self._problem.unit_vertices.columns])
        unit, vertex = np.divmod(pairs, len(self._vertices))
        rows = np.arange(len(pairs))
        signs = np.repeat([1.0, -1.0], len(pairs))
        for s in range(n_splits):
            columns = np.append(self._n_labels + unit * n_splits + s, vertex * n_splits + s)
            self._add(np.append(rows, rows), columns, signs, -np.inf, 0)

    def _requirements(self) -> None:
        """Add the constraints that what is kept meets ratios, density and types."""
        problem = self._problem
        allowed = self._allowed
        n_splits = len(self._splits)
        size = problem.size.astype(np.float64)
        unit = np.repeat(np.arange(len(size)), n_splits)
        split = np.tile(np.arange(n_splits), len(size))
        everywhere = self._n_labels + np.arange(len(unit))
        low, high = allowed.density
        for s, number in enumerate(self._splits):
            of_share = size[unit] * ((split == s) - problem.shares[number])
            off = allowed.off[number] + _ROUNDING
            self._add(np.zeros(len(unit), int), everywhere, of_share, -off, off)
            if number == 0:
                continue
            here = self._n_labels + np.arange(len(size)) * n_splits + s
            one = np.zeros(len(size), int)
            self._add(one, here, problem.mentions - low * size, -_ROUNDING, np.inf)
            if np.isfinite(high):
                self._add(one, here, problem.mentions - high * size, -np.inf, _ROUNDING)
            for t in np.flatnonzero(allowed.type_minimum[number]).tolist():
                of_type = np.flatnonzero(problem.unit_types.columns == t)
                columns = here[problem.unit_types.rows()[of_type]]
                least = allowed.type_minimum[number, t]
                self._add(np.zeros(len(of_type), int), columns, problem.type_counts[of_type], least, np.inf)

    def _most(self) -> NDArray[np.float64]:
        """Return the largest value of each variable: 1, but of two equal splits one never has the largest hub."""
        most = np.ones(self._n_variables)
        problem = self._problem
        held_out = np.flatnonzero(self._splits > 0)
        equal = [s for s in held_out if np.isclose(problem.shares[self._splits[s]], problem.shares[self._splits[-1]])]
        minima = self._allowed.type_minimum[self._splits[equal]]
        if len(equal) == len(held_out) == 2 and (minima[0] == minima[1]).all():
            degree = np.diff(problem.vertex_units.bounds)[self._vertices]
            most[int(degree.argmax()) * len(self._splits) + equal[1]] = 0
        return most


def _dominating(problem: Problem) -> Ints:
    """Return for each vertex one that is in all of its units, and perhaps in more; the vertex itself if there is none.

    The two can have the same label: wherever a unit of the first is kept, the second has its label.
    """
    units = np.split(problem.vertex_units.columns, problem.vertex_units.bounds[1:-1])
    of_vertex = [frozenset(each.tolist()) for each in units]
    dominating = np.arange(len(of_vertex))
    # The largest come last, so that what they dominate is not asked again.
    for v in sorted(range(len(of_vertex)), key=lambda v: (len(of_vertex[v]), v)):
        first = problem.vertex_units.columns[problem.vertex_units.bounds[v]]
        beside = problem.unit_vertices.columns[slice(*problem.unit_vertices.bounds[first : first + 2])].tolist()
        for w in beside:
            is_larger = (len(of_vertex[w]), w) > (len(of_vertex[v]), v)
            if is_larger and of_vertex[v] <= of_vertex[w]:
                dominating[v] = w
                break
    while (dominating[dominating] != dominating).any():
        dominating = dominating[dominating]
    return dominating
