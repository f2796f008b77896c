"""The solver behind the splitter: label entities so that as few samples as possible touch two splits.

It knows arrays only. *Units* are what is assigned (samples, or documents, with duplicates together); *vertices* are
what is labelled: an entity that several units share, or a unit that shares nothing. A unit is *mixed* if its vertices
carry different labels: it is contaminated, or it is set aside. This is the cut of the dual hypergraph (vertices =
entities, nets = samples), which does not blow up at hubs as a graph of samples does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .tags import CleancutError

try:
    from numba import njit
except ImportError:  # no wheel for this platform: the same code runs as plain Python, with a smaller budget

    def njit(**_options):  # type: ignore[no-untyped-def]
        return lambda function: function

    HAS_NUMBA = False
else:
    HAS_NUMBA = True

Ints = NDArray[np.int64]


class Incidence(NamedTuple):
    """Rows of a sparse 0/1 matrix: the columns of row i are ``columns[bounds[i]:bounds[i + 1]]``, sorted."""

    bounds: Ints
    columns: Ints

    @classmethod
    def of(cls, rows: Ints, columns: Ints, n_rows: int) -> Incidence:
        order = np.lexsort((columns, rows))
        return cls(np.searchsorted(rows[order], np.arange(n_rows + 1)), columns[order])

    def rows(self) -> Ints:
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))


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
    """Types of the mentions of each unit, with ``type_counts`` beside the columns."""
    type_counts: Ints
    shares: NDArray[np.float64]
    """Share of each split; the first is train, the others are held out."""
    density: tuple[float, float]
    """Least and greatest mentions per sample of a held-out split."""
    type_minimum: Ints
    """Least mentions of each type in each held-out split; 0 where none is asked."""
    type_weight: float
    """What a mention short of a minimum weighs, in mixed samples."""
    set_aside: bool
    """Are mixed units set aside, or do they go to the highest split they touch?"""

    @property
    def n_vertices(self) -> int:
        return len(self.vertex_units.bounds) - 1

    @property
    def n_types(self) -> int:
        return len(self.type_minimum)


# In the cost, a sample off the quota and a sample's worth of mentions off the density band weigh more than a mixed
# sample, so that they are met where they can be.
@njit(cache=True)
def _cost(n_mixed, sizes, mentions, types, shares, low, high, type_minimum, type_weight, weight, slack):  # type: ignore[no-untyped-def]
    total = sizes.sum()
    cost = float(n_mixed)
    for s in range(len(shares)):
        off = abs(sizes[s] - shares[s] * total) - slack
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
        for t in range(len(type_minimum)):
            missing = type_minimum[t] - types[s, t]
            if missing > 0:
                cost += type_weight * missing
    return cost


@njit(cache=True)
def _state(counts, n_splits, set_aside):  # type: ignore[no-untyped-def]
    """The split of a unit whose vertices are labelled so often with each label, and whether it is mixed (-1: aside)."""
    touched = 0
    highest = 0
    for s in range(n_splits):
        if counts[s] > 0:
            touched += 1
            highest = s
    if touched > 1:
        return (-1 if set_aside else highest), 1
    return highest, 0


@njit(cache=True)
def _anneal(  # type: ignore[no-untyped-def]
    labels, uv_bounds, uv, vu_bounds, vu, size, mentions, ut_bounds, ut, type_counts, shares, low, high, type_minimum,
    type_weight, weight, slack, set_aside, proposals, hot, cold, seed, check_types,
):  # fmt: skip
    """Move single vertices while the temperature falls; returns the best labels seen and their cost."""
    np.random.seed(seed)
    n_splits, n_units, n_vertices = len(shares), len(size), len(labels)
    counts = np.zeros((n_units, n_splits), np.int32)
    for u in range(n_units):
        for k in range(uv_bounds[u], uv_bounds[u + 1]):
            counts[u, labels[uv[k]]] += 1
    n_mixed = 0
    sizes = np.zeros(n_splits, np.int64)
    inside = np.zeros(n_splits, np.int64)
    types = np.zeros((n_splits, len(type_minimum)), np.int64)
    for u in range(n_units):
        split, mixed = _state(counts[u], n_splits, set_aside)
        n_mixed += mixed * size[u]
        if split >= 0:
            sizes[split] += size[u]
            inside[split] += mentions[u]
            for k in range(ut_bounds[u], ut_bounds[u + 1]):
                types[split, ut[k]] += type_counts[k]
    cost = _cost(n_mixed, sizes, inside, types, shares, low, high, type_minimum, type_weight, weight, slack)
    best = cost
    since_v = np.zeros(max(proposals, 1), np.int32)  # the moves since the best was seen, to be taken back at the end
    since_old = np.zeros(max(proposals, 1), np.int8)
    n_since = 0
    for step in range(proposals):
        temperature = hot * (cold / hot) ** (step / proposals)
        v = np.random.randint(n_vertices)
        old = labels[v]
        if np.random.random() < 0.7 and vu_bounds[v + 1] > vu_bounds[v]:
            # towards the label of a neighbour
            u = vu[vu_bounds[v] + np.random.randint(vu_bounds[v + 1] - vu_bounds[v])]
            new = labels[uv[uv_bounds[u] + np.random.randint(uv_bounds[u + 1] - uv_bounds[u])]]
        else:
            new = np.random.randint(n_splits)
        if new == old or shares[new] == 0.0:
            continue
        was_mixed = n_mixed
        for k in range(vu_bounds[v], vu_bounds[v + 1]):
            u = vu[k]
            before, mixed_before = _state(counts[u], n_splits, set_aside)
            counts[u, old] -= 1
            counts[u, new] += 1
            after, mixed_after = _state(counts[u], n_splits, set_aside)
            n_mixed += (mixed_after - mixed_before) * size[u]
            if before != after:
                if before >= 0:
                    sizes[before] -= size[u]
                    inside[before] -= mentions[u]
                if after >= 0:
                    sizes[after] += size[u]
                    inside[after] += mentions[u]
                if check_types:
                    for j in range(ut_bounds[u], ut_bounds[u + 1]):
                        if before >= 0:
                            types[before, ut[j]] -= type_counts[j]
                        if after >= 0:
                            types[after, ut[j]] += type_counts[j]
        changed = _cost(n_mixed, sizes, inside, types, shares, low, high, type_minimum, type_weight, weight, slack)
        if changed <= cost or np.random.random() < np.exp((cost - changed) / temperature):
            cost = changed
            labels[v] = new
            if cost < best:
                best = cost
                n_since = 0
            else:
                since_v[n_since], since_old[n_since] = v, old
                n_since += 1
            continue
        n_mixed = was_mixed
        for k in range(vu_bounds[v], vu_bounds[v + 1]):
            u = vu[k]
            after, _ = _state(counts[u], n_splits, set_aside)
            counts[u, old] += 1
            counts[u, new] -= 1
            before, _ = _state(counts[u], n_splits, set_aside)
            if before != after:
                if after >= 0:
                    sizes[after] -= size[u]
                    inside[after] -= mentions[u]
                if before >= 0:
                    sizes[before] += size[u]
                    inside[before] += mentions[u]
                if check_types:
                    for j in range(ut_bounds[u], ut_bounds[u + 1]):
                        if after >= 0:
                            types[after, ut[j]] -= type_counts[j]
                        if before >= 0:
                            types[before, ut[j]] += type_counts[j]
    for k in range(n_since - 1, -1, -1):
        labels[since_v[k]] = since_old[k]
    return labels, best


# --- solving ----------------------------------------------------------------------------------------------


class Solution(NamedTuple):
    """A label for each vertex; what it costs; how it was found."""

    labels: NDArray[np.int8]
    cost: float
    how: str


def solve(problem: Problem, *, seed: int, engine: str, proposals: int) -> Solution:
    """Whole components if they can be packed, else the best of several cuts, polished by moving single vertices."""
    if problem.n_vertices == 0:
        return Solution(np.zeros(0, np.int8), 0.0, "components")
    component = _components(problem)
    packed = _pack(problem, component, seed, min(max(proposals, 1_000_000), 4_000_000))
    if packed.cost < 0.5 or engine == "none":  # less than any sample that is mixed or off
        return packed
    groups = [[packed], _peeled(problem, seed) if engine in ("auto", "peel") else []]
    groups.append(_metis(problem, seed) if engine in ("auto", "metis") else [])
    best = packed
    for group in groups:  # which start is best shows only once it is polished
        for start in sorted(group, key=lambda found: found.cost)[:1]:
            labels, cost = _run(problem, start.labels, proposals // 10, seed)
            if cost < best.cost:
                best = Solution(labels, cost, start.how)
    labels, cost = _run(problem, best.labels, proposals // 10 * 6, seed + 1)
    labels, cost = _run(problem, labels, proposals // 10, seed + 2, hot=0.3, weight=_FIRM)
    best = Solution(labels, cost, best.how)
    return best._replace(how="cut" if best.how == "components" else f"cut:{best.how}")


def split_of_units(problem: Problem, labels: NDArray[np.int8]) -> tuple[Ints, NDArray[np.bool_]]:
    """The highest split that each unit touches, and whether it is mixed."""
    of_pair = labels[problem.unit_vertices.columns].astype(np.int64)
    starts = problem.unit_vertices.bounds[:-1]
    if not len(starts):
        return np.zeros(0, np.int64), np.zeros(0, bool)
    highest = np.maximum.reduceat(of_pair, starts)
    return highest, highest != np.minimum.reduceat(of_pair, starts)


_SOFT, _FIRM = 1.5, 5.0
"""What a sample off a quota weighs while a cut is searched for, and when it is settled."""


def _run(
    problem: Problem,
    labels: NDArray[np.int8],
    proposals: int,
    seed: int,
    *,
    hot: float = 1.0,
    cold: float = 0.1,
    weight: float = _SOFT,
) -> tuple[NDArray[np.int8], float]:
    if not HAS_NUMBA:
        proposals = min(proposals, 100_000)
    slack = max(0.0005 * float(problem.size.sum()), 1.0)
    rows, columns, types = problem.unit_vertices, problem.vertex_units, problem.unit_types
    found, cost = _anneal(
        labels.astype(np.int8), *rows, *columns, problem.size, problem.mentions, *types, problem.type_counts,
        problem.shares, *problem.density, problem.type_minimum, problem.type_weight, weight, slack, problem.set_aside,
        proposals, hot, cold, seed, bool(problem.type_minimum.any()),
    )  # fmt: skip
    return found, float(cost)


def _components(problem: Problem, keep: NDArray[np.bool_] | None = None) -> Ints:
    """The connected component of each vertex, by units that contain both; -1 for vertices that are not kept."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    units, vertices = problem.unit_vertices.rows(), problem.unit_vertices.columns
    n_units, n_vertices = len(problem.size), problem.n_vertices
    if keep is not None:
        kept = keep[vertices]
        units, vertices = units[kept], vertices[kept]
    ones = np.ones(len(units), np.int8)
    total = n_units + n_vertices
    graph = coo_matrix((ones, (units, n_units + vertices)), shape=(total, total))
    _, found = connected_components(graph, directed=False)
    of_vertex = found[n_units:].astype(np.int64)
    _, of_vertex = np.unique(of_vertex, return_inverse=True)
    return of_vertex if keep is None else np.where(keep, of_vertex, -1)


def _pack(problem: Problem, component: Ints, seed: int, proposals: int) -> Solution:
    """Give whole components to splits: nothing is mixed, and only quotas, density and types are searched for."""
    n = int(component.max()) + 1
    first = problem.unit_vertices.columns[problem.unit_vertices.bounds[:-1]]
    of_unit = component[first]
    units = np.arange(len(problem.size))
    rows = Incidence(np.arange(len(units) + 1), of_unit)
    contracted = replace(problem, unit_vertices=rows, vertex_units=Incidence.of(of_unit, units, n))
    size = np.bincount(of_unit, weights=problem.size, minlength=n)
    order = np.random.default_rng(seed).permutation(n)
    labels = _filled(size.astype(np.float64), order, problem.shares * float(problem.size.sum()))
    labels, cost = _run(contracted, labels, min(proposals, max(400 * n, 1_000_000)), seed, hot=0.5, cold=0.05)
    return Solution(labels[component], cost, "components")


def _filled(size: NDArray, order: Ints, quota: NDArray[np.float64]) -> NDArray[np.int8]:
    """Fill the held-out splits in the given order with what fits; the rest is train."""
    labels = np.zeros(len(size), np.int8)
    free = order[size[order] > 0]
    for split in range(len(quota) - 1, 0, -1):
        room = quota[split]
        taken = np.zeros(len(free), bool)
        for _ in range(3):  # what was too large for the room left may be followed by smaller ones
            fits = ~taken & (size[free] <= room)
            within = np.cumsum(np.where(fits, size[free], 0)) <= room
            chosen = fits & within
            if not chosen.any():
                break
            taken |= chosen
            room -= float(size[free][chosen].sum())
        labels[free[taken]] = split
        free = free[~taken]
    return labels


def _peeled(problem: Problem, seed: int) -> list[Solution]:
    """Hub peeling: without the most frequent entities, the rest falls into components with few bridging units."""
    degree = np.diff(problem.vertex_units.bounds)
    units, vertices = problem.unit_vertices.rows(), problem.unit_vertices.columns
    quota = problem.shares * problem.size.sum()
    rng = np.random.default_rng(seed)
    found = []
    thresholds = np.unique(np.geomspace(2, max(int(degree.max()), 3), 14).astype(int))
    for threshold in thresholds[:-1].tolist():
        small = degree <= threshold
        part = _components(problem, small)
        has_hub = np.zeros(len(problem.size), bool)
        has_hub[units[~small[vertices]]] = True
        inner = small[vertices]
        pairs = np.unique(part[vertices[inner]] * len(problem.size) + units[inner])
        of_part, unit = pairs // len(problem.size), pairs % len(problem.size)
        n = int(part.max()) + 1
        size = np.bincount(of_part, weights=problem.size[unit], minlength=n)
        bridging = np.bincount(of_part, weights=problem.size[unit] * has_hub[unit], minlength=n)
        dense = np.bincount(of_part, weights=problem.mentions[unit], minlength=n)
        fair = problem.mentions.sum() / max(problem.size.sum(), 1)
        # few bridges first; among equals those that are not too sparse
        with np.errstate(invalid="ignore", divide="ignore"):
            rank = bridging / size + 0.25 * np.maximum(1 - dense / (size * fair), 0)
        order = np.lexsort((rng.random(n), np.nan_to_num(rank, nan=9.0)))
        labels = np.zeros(problem.n_vertices, np.int8)
        of_label = _filled(size - bridging if problem.set_aside else size, order, quota)
        labels[small] = of_label[part[small]]
        labels, cost = _run(problem, labels, 0, seed)
        found.append(Solution(labels, cost, "peel"))
    return found


def _metis(problem: Problem, seed: int) -> list[Solution]:
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
    for attempt in range(3):
        options = pymetis.Options(seed=seed + attempt)
        _, membership = pymetis.part_graph(
            len(parts), adjacency=_adjacency(graph),
            eweights=np.maximum(np.rint(graph.data * 12), 1).astype(np.int32),
            vweights=np.maximum(np.rint(vertex_weight * 100), 1).astype(np.int32), tpwgts=shares, recursive=True,
            options=options,
        )  # fmt: skip
        labels, cost = _run(problem, parts[np.array(membership)].astype(np.int8), 0, seed)
        found.append(Solution(labels, cost, "metis"))
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
        return parts[_spread(problem.size, shares[parts], seed)]
    _, membership = pymetis.part_graph(
        len(parts), adjacency=_adjacency(graph),
        eweights=graph.data.astype(np.int32) if weighted else None, vweights=problem.size.astype(np.int32),
        tpwgts=(shares[parts] / shares[parts].sum()).tolist(), options=pymetis.Options(seed=seed),
    )  # fmt: skip
    return parts[np.array(membership)]


def _spread(size: Ints, shares: NDArray[np.float64], seed: int) -> Ints:
    """Units that share nothing, dealt by the shares."""
    order = np.random.default_rng(seed).permutation(len(size))
    part = np.searchsorted(np.cumsum(shares), (np.cumsum(size[order]) - size[order] / 2) / size.sum())
    of_unit = np.empty(len(size), np.int64)
    of_unit[order] = np.minimum(part, len(shares) - 1)
    return of_unit
