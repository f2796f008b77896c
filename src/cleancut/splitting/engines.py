"""First cuts by other programs: METIS and Mt-KaHyPar, and the paper's own method for comparison."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.exceptions import CleancutError
from .first_cuts import scored
from .problem import Ints, Problem, Solution
from .quotas import Rule, deal

_WIDE = 12
"""The number of entities of a unit from which a path connects them for METIS, since it has fewer edges."""


def has_metis() -> bool:
    """Return whether pymetis is installed; it has no wheel for some platforms."""
    return importlib.util.find_spec("pymetis") is not None


def metis(problem: Problem, seed: int, attempts: int) -> list[Solution]:
    """Return cuts by METIS of the graph of entities that occur together; none where pymetis is not installed.

    Args:
        problem: the problem.
        seed: the seed of the first attempt.
        attempts: the number of cuts.
    """
    try:
        import pymetis
    except ImportError:
        return []
    parts = np.flatnonzero(problem.shares > 0)
    graph = _entity_graph(problem)
    if graph is None or len(parts) < 2:
        return []
    weight = _vertex_weight(problem)
    cuts = []
    for attempt in range(attempts):
        with _quiet():
            _, membership = pymetis.part_graph(
                len(parts),
                adjacency=_adjacency(graph),
                eweights=np.maximum(np.rint(graph.data * 12), 1).astype(np.int32),
                vweights=weight.astype(np.int32),
                tpwgts=(problem.shares[parts] / problem.shares[parts].sum()).tolist(),
                recursive=True,
                options=pymetis.Options(seed=seed + attempt),
            )
        cuts.append(scored(problem, parts[np.array(membership)], "metis"))
    return cuts


def _entity_graph(problem: Problem) -> Any:
    """Return the graph of entities that occur together, in which the edges of a unit weigh its size; None if empty."""
    from scipy.sparse import coo_matrix

    bounds, columns = problem.unit_vertices
    n_vertices_of_unit = np.diff(bounds)
    heads: list[NDArray[np.int32]] = []
    tails: list[NDArray[np.int32]] = []
    weights: list[NDArray[np.float64]] = []
    for width in np.unique(n_vertices_of_unit[n_vertices_of_unit > 1]).tolist():
        rows = np.flatnonzero(n_vertices_of_unit == width)
        table = columns[bounds[rows][:, None] + np.arange(width)]
        if width <= _WIDE:
            a, b = np.triu_indices(width, 1)
        else:
            a, b = np.arange(width - 1), np.arange(1, width)
        heads.append(table[:, a].ravel())
        tails.append(table[:, b].ravel())
        n_edges_of_vertex = width - 1 if width <= _WIDE else 1
        of_edge = problem.size[rows] / n_edges_of_vertex
        weights.append(np.repeat(of_edge, len(a)))
    if not heads:
        return None
    n = problem.n_vertices
    head, tail, weight = (np.concatenate(parts) for parts in (heads, tails, weights))
    ends = (np.append(head, tail), np.append(tail, head))
    return coo_matrix((np.append(weight, weight), ends), shape=(n, n)).tocsr()


def _vertex_weight(problem: Problem) -> Ints:
    """Return the weight of each vertex: its part of the sizes of its units, in hundredths of a sample."""
    n_vertices_of_unit = np.diff(problem.unit_vertices.bounds)
    part = np.repeat(problem.size / np.maximum(n_vertices_of_unit, 1), n_vertices_of_unit)
    weight = np.bincount(problem.unit_vertices.columns, weights=part, minlength=problem.n_vertices)
    return np.maximum(np.rint(weight * 100), 1).astype(np.int64)


def kahypar(problem: Problem, seed: int, attempts: int) -> list[Solution]:
    """Return cuts by Mt-KaHyPar of the hypergraph itself, whose vertices are entities and whose nets are units.

    Args:
        problem: the problem.
        seed: the seed of the first attempt. Each attempt numbers the vertices in another order, since the program
            itself ignores seeds.
        attempts: the number of cuts.

    Returns:
        A solution for each attempt; none if no unit has two entities, or fewer than two splits have a share.

    Raises:
        CleancutError: mtkahypar is not installed.
    """
    try:
        import mtkahypar
    except ImportError:
        raise CleancutError("engine 'kahypar' needs mtkahypar. Install cleancut[kahypar], or use 'auto'.") from None
    bounds, columns = problem.unit_vertices
    nets = np.flatnonzero((np.diff(bounds) > 1) & (problem.size > 0))
    parts = np.flatnonzero(problem.shares > 0)
    if not len(nets) or len(parts) < 2:
        return []
    n = problem.n_vertices
    weight = _vertex_weight(problem)
    most = np.ceil(problem.shares[parts] * weight.sum() * 1.01).astype(np.int64) + int(weight.max())
    program = mtkahypar.initialize(1, False)  # one thread: the same result on every run
    context = program.context_from_preset(mtkahypar.PresetType.DETERMINISTIC)
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
        graph = program.create_hypergraph(context, n, len(nets), pins, of_vertex.tolist(), sizes)
        context.set_individual_target_block_weights(most.tolist())
        split = np.array(graph.partition(context).get_partition())[number]
        cuts.append(scored(problem, parts[split], "kahypar"))
    return cuts


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
        order = np.random.default_rng(seed).permutation(n_units)
        return deal(problem.size, order, shares * problem.size.sum(), Rule.IN_TURN)
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


def _adjacency(graph: Any) -> Any:
    """Return the edges of a graph in the form that METIS takes."""
    import pymetis

    return pymetis.CSRAdjacency(graph.indptr.astype(np.int32), graph.indices.astype(np.int32))


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
