"""The problem that the solver gets, and its solutions: arrays only, without names, texts or files.

*Units* are assigned to splits: samples or documents, with duplicates together. *Vertices* get labels, which are numbers
of splits: a vertex is an entity that several units have, or a unit that shares nothing. A unit is *mixed* if its
vertices have different labels: it is contaminated, or it is discarded. This is the cut of the dual hypergraph (its
vertices are entities, its nets are samples), which stays small where an entity is frequent; a graph of samples would
have an edge for every pair of samples that share it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import bounds_of
from .components import components

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


class Prices(NamedTuple):
    """The cost of a kept sample that is mixed."""

    among_held_out: float
    """The cost of a sample that touches several held-out splits and not train."""
    with_train: float
    """The cost of a sample that touches train and a held-out split."""


TRAIN_MATTERS = Prices(0.125, 1.0)
"""The prices in general: what a test shares with training counts, what it shares with validation hardly does."""
HELD_OUT_MATTERS = Prices(1.0, 1000.0)
"""The prices where a cut is known that mixes nothing with train, which must then stay so."""
ALL_ALIKE = Prices(1.0, 1.0)
"""The prices where mixed samples are discarded, and so lost in either case."""


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
    prices: Prices = TRAIN_MATTERS
    """The cost of a kept sample that is mixed."""
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

    @property
    def first_vertex(self) -> NDArray[np.int32]:
        """The first vertex of each unit."""
        return self.unit_vertices.columns[self.unit_vertices.bounds[:-1]]

    def without(self, discarded: NDArray[np.bool_]) -> Problem:
        """Return the problem with discarded units that have no samples and no mentions any more."""
        size, mentions = (np.where(discarded, 0, each) for each in (self.size, self.mentions))
        type_counts = np.where(discarded[self.unit_types.rows()], 0, self.type_counts)
        return replace(self, size=size, mentions=mentions, type_counts=type_counts)

    def contracted(self, of_vertex: Ints) -> Problem:
        """Return the problem of whole components, each of which is one unit with one vertex of its own.

        Args:
            of_vertex: the component of each vertex.
        """
        n = int(of_vertex.max()) + 1
        of_unit = of_vertex[self.first_vertex]
        size, mentions = (np.bincount(of_unit, each, n).astype(np.int64) for each in (self.size, self.mentions))
        n_types = max(self.n_types, 1)
        pairs, number = np.unique(
            of_unit[self.unit_types.rows()] * n_types + self.unit_types.columns, return_inverse=True
        )
        of_component, of_type = np.divmod(pairs, n_types)
        itself = Incidence(np.arange(n + 1), np.arange(n, dtype=np.int32))
        return replace(
            self,
            unit_vertices=itself,
            vertex_units=itself,
            size=size,
            mentions=mentions,
            unit_types=Incidence(bounds_of(np.bincount(of_component, minlength=n)), of_type.astype(np.int32)),
            type_counts=np.bincount(number, self.type_counts).astype(np.int64),
        )

    def vertex_components(self, keep: NDArray[np.bool_] | None = None) -> Ints:
        """Return the component of each vertex, where units connect their vertices.

        Args:
            keep: the vertices that count, the others being in component -1; None for all.
        """
        of_unit = (self.connected or connected_units)(self, keep)
        of_vertex = of_unit[self.vertex_units.columns[self.vertex_units.bounds[:-1]]]
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


# --- solutions ----------------------------------------------------------------------------------------------


class Solution(NamedTuple):
    """A solution of a problem."""

    labels: NDArray[np.int8]
    """The label of each vertex: the number of a split."""
    cost: float
    """The cost of the solution, in mixed samples."""
    how: str
    """A word that says how it was found."""


def cost_of(solution: Solution) -> float:
    """Return the cost of a solution, to sort by."""
    return solution.cost


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
