"""The solver on problems whose best solution is known: planted partitions, and every labelling of small ones."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from cleancut import mincut
from cleancut.demo.sampletext import generate
from cleancut.splitting import kernels, solver
from cleancut.splitting.annealing import Annealing
from cleancut.splitting.board import asked_of
from cleancut.splitting.problem import ALL_ALIKE, Incidence, Problem, connected_units, n_mixed, split_of_units
from cleancut.splitting.quotas import Rule, deal
from cleancut.splitting.solver import solve
from cleancut.splitting.tuning import TUNING

ANY = (0.0, float("inf"))


def problem_of(vertices_of_units, shares, *, sizes=None, mentions=None, types=None, **options):
    """A problem, from the vertices of each unit; ``types`` has the number of mentions of each type in each unit."""
    units = np.repeat(np.arange(len(vertices_of_units)), [len(each) for each in vertices_of_units])
    vertices = np.concatenate([np.array(each, np.int64) for each in vertices_of_units])
    n_units, n_vertices = len(vertices_of_units), int(vertices.max()) + 1
    size = np.ones(n_units, np.int64) if sizes is None else np.array(sizes)
    types = np.zeros((n_units, 0), np.int64) if types is None else np.array(types)
    n_types = types.shape[1]
    settings = {
        "density": ANY,
        "type_minimum": np.zeros((len(shares), n_types), np.int64),
        "type_weight": np.full(n_types, 2.0),
        **options,
    }
    return Problem(
        unit_vertices=Incidence.of(units, vertices, n_units),
        vertex_units=Incidence.of(vertices, units, n_vertices),
        size=size,
        mentions=size.copy() if mentions is None else np.array(mentions),
        unit_types=Incidence(np.arange(n_units + 1) * n_types, np.tile(np.arange(n_types, dtype=np.int32), n_units)),
        type_counts=types.ravel(),
        shares=np.array(shares, float),
        **settings,
    )


# --- every labelling of small problems ------------------------------------------------------------------------


def cost_by_definition(problem, labels, weight, slack):
    """The cost of labels, from its definition and not from the code of the search."""
    n_splits = len(problem.shares)
    prices = ALL_ALIKE if problem.discards else problem.prices
    sizes, mentions = [0] * n_splits, [0] * n_splits
    types = np.zeros((n_splits, problem.n_types))
    cost = 0.0
    for u in range(len(problem.size)):
        touched = {
            int(labels[v]) for v in problem.unit_vertices.columns[slice(*problem.unit_vertices.bounds[u : u + 2])]
        }
        if len(touched) > 1:
            cost += int(problem.size[u]) * (prices.with_train if 0 in touched else prices.among_held_out)
            if problem.discards:
                continue
        split = max(touched)
        sizes[split] += int(problem.size[u])
        mentions[split] += int(problem.mentions[u])
        types[split] += problem.type_counts[slice(*problem.unit_types.bounds[u : u + 2])]
    for split, share in enumerate(problem.shares):
        free = slack * (n_splits if split == 0 else 1)
        cost += weight * max(abs(sizes[split] - share * sum(sizes)) - free, 0)
        if split == 0:
            continue
        low, high = problem.density
        if sizes[split]:
            cost += weight * max(low * sizes[split] - mentions[split], 0) / max(low, 1e-9)
            cost += weight * max(mentions[split] - high * sizes[split], 0) / max(high, 1e-9)
        cost += (np.maximum(problem.type_minimum[split] - types[split], 0) * problem.type_weight).sum()
    return cost


CONSTRAINTS = ("discards", "density", "types", "sizes", "folds")
"""What a problem may ask for beside few mixed samples; ``folds`` is for a train split with a share of 0."""
SUBSETS = [chosen for n in range(3) for chosen in combinations(CONSTRAINTS, n)]


def random_problem(rng, constraints):
    """A problem of 4 to 12 units with 2 to 5 vertices, at random."""
    n_units, n_vertices = int(rng.integers(4, 13)), int(rng.integers(2, 6))
    vertices = [np.flatnonzero(rng.random(n_vertices) < 0.4) for _ in range(n_units)]
    vertices = [each if len(each) else np.array([rng.integers(n_vertices)]) for each in vertices]
    _, number = np.unique(np.concatenate(vertices), return_inverse=True)
    vertices = np.split(number, np.cumsum([len(each) for each in vertices])[:-1])
    n_splits = int(rng.integers(2, 4))
    shares = rng.dirichlet(np.full(n_splits, 3.0))
    if "folds" in constraints:
        shares[0] = 0
    options = {}
    if "types" in constraints:
        options = {"types": rng.integers(0, 3, (n_units, 2)), "type_minimum": rng.integers(0, 3, (n_splits, 2))}
    return problem_of(
        vertices,
        shares / shares.sum(),
        sizes=rng.integers(1, 4, n_units) if "sizes" in constraints else None,
        mentions=rng.integers(1, 6, n_units),
        density=(2.5, 3.5) if "density" in constraints else ANY,
        discards="discards" in constraints,
        **options,
    )


@pytest.mark.parametrize("constraints", SUBSETS, ids=lambda chosen: "+".join(chosen) or "none")
def test_the_search_finds_the_best_of_all_labellings(constraints, monkeypatch):
    """16 sets of constraints and 20 problems of each: none, each alone, and all pairs."""
    monkeypatch.setattr(kernels, "_LITTLE", -1)  # plain Python, which other tests compare, would take longer
    rng = np.random.default_rng([len(constraints), *map(CONSTRAINTS.index, constraints)])
    for _ in range(20):
        problem = random_problem(rng, constraints)
        allowed = np.flatnonzero(problem.shares > 0)
        every = product(allowed.tolist(), repeat=problem.n_vertices)
        best = min(cost_by_definition(problem, labels, weight=2.0, slack=0.5) for labels in every)
        search = Annealing(hot=10.0)
        start = np.full(problem.n_vertices, allowed[0], np.int8)
        outcomes = [search(problem, start, 5000, seed) for seed in range(2)]
        for labels, cost in outcomes:  # a cost is that of its labels
            assert cost == pytest.approx(cost_by_definition(problem, labels, weight=2.0, slack=0.5), abs=1e-9)
        assert min(cost for _, cost in outcomes) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("constraints", SUBSETS, ids=lambda chosen: "+".join(chosen) or "none")
def test_requirements_that_become_firm_are_those_of_the_end(constraints, monkeypatch):
    """Nearly always this search alone comes to the best labelling; its cost is always that of firm requirements."""
    monkeypatch.setattr(kernels, "_LITTLE", -1)
    rng = np.random.default_rng([len(constraints), *map(CONSTRAINTS.index, constraints)])
    n_best = 0
    for _ in range(20):
        problem = random_problem(rng, constraints)
        allowed = np.flatnonzero(problem.shares > 0)
        every = product(allowed.tolist(), repeat=problem.n_vertices)
        best = min(cost_by_definition(problem, labels, weight=4.0, slack=0.5) for labels in every)
        search = Annealing(hot=10.0, weight=4.0, firm_from=0.7, first_weight=0.5, first_slack=0.2)
        start = np.full(problem.n_vertices, allowed[0], np.int8)
        outcomes = [search(problem, start, 5000, seed) for seed in range(8)]
        for labels, cost in outcomes:
            assert cost == pytest.approx(cost_by_definition(problem, labels, weight=4.0, slack=0.5), abs=1e-9)
        n_best += min(cost for _, cost in outcomes) == pytest.approx(best, abs=1e-9)
    assert n_best >= 16


def test_what_is_asked_reaches_the_kernel():
    problem = random_problem(np.random.default_rng(1), ("types", "density"))
    asked = asked_of(problem, weight=2.0, slack=0.5)
    assert (asked.low, asked.high, asked.weight, asked.slack, asked.discards) == (2.5, 3.5, 2.0, 0.5, False)
    assert asked.price.tolist() == [0.0, *problem.prices]
    assert asked_of(replace(problem, discards=True), 2.0, 0.5).price.tolist() == [0.0, 1.0, 1.0]


# --- planted partitions ----------------------------------------------------------------------------------------


def planted(rng, n_bridges, sizes=(80, 20, 20)):
    """Three groups of units that share entities among themselves, with bridges; and the group of each vertex."""
    units, first = [], 0
    for n in sizes:
        of_group = np.arange(first, first + n // 2)
        units += [rng.choice(of_group, 2, replace=False) for _ in range(n)]
        units += [of_group[i : i + 2] for i in range(len(of_group) - 1)]  # so that the group is connected
        first += n // 2
    ends = np.cumsum([0, *[n // 2 for n in sizes]])
    for _ in range(n_bridges):
        a, b = rng.choice(3, 2, replace=False)
        units.append(np.array([rng.integers(ends[a], ends[a + 1]), rng.integers(ends[b], ends[b + 1])]))
    return [units[i] for i in rng.permutation(len(units))], np.repeat([0, 1, 2], [n // 2 for n in sizes]).astype(
        np.int8
    )


@pytest.mark.skipif(not kernels.HAS_NUMBA, reason="so many moves take long in plain Python")
@pytest.mark.parametrize("discards", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_a_planted_partition_is_found(seed, discards):
    units, labels = planted(np.random.default_rng(seed), n_bridges=5)
    split, mixed = split_of_units(problem_of(units, [1, 0, 0]), labels)
    n = np.bincount(split[~mixed] if discards else split)
    problem = problem_of(units, n / n.sum(), discards=discards)
    solution = solve(problem, seed=seed, engine="auto", proposals=200_000)
    planted_cost = Annealing(weight=TUNING.firm)(problem, labels, 0, seed)[1]
    assert solution.cost <= planted_cost
    if discards:
        assert n_mixed(problem, solution) <= 5


@pytest.mark.parametrize("seed", range(3))
def test_without_bridges_components_are_packed(seed):
    units, labels = planted(np.random.default_rng(seed), n_bridges=0)
    n = np.bincount(split_of_units(problem_of(units, [1, 0, 0]), labels)[0])
    problem = problem_of(units, n / n.sum())
    assert len(np.unique(connected_units(problem, None))) == 3
    solution = solve(problem, seed=seed, engine="auto", proposals=0)
    assert solution.how == "components" and solution.cost == 0 and n_mixed(problem, solution) == 0


@pytest.mark.parametrize(("most_discarded", "is_requoted"), [(None, True), (1000, True), (2, False)])
def test_quotas_are_those_after_discarding_only_where_much_is_discarded(most_discarded, is_requoted, monkeypatch):
    """A budget below the threshold discards little, whatever is mixed; small problems apart."""
    monkeypatch.setattr(solver, "TUNING", replace(TUNING, few_vertices=0))
    units, _ = planted(np.random.default_rng(1), n_bridges=120)
    problem = problem_of(units, [0.6, 0.2, 0.2], discards=True)
    asked = []

    def requoted(problem, solution):
        asked.append(n_mixed(problem, solution))
        return problem

    options = {"seed": 1, "engine": "peel", "proposals": 400, "requoted": requoted}
    solution = solve(problem, most_discarded=most_discarded, **options)
    assert bool(asked) == is_requoted
    assert n_mixed(problem, solution) > 0.05 * len(units)


# --- density ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("discard", [0, "auto"])
def test_the_density_floor_is_held_over_all_samples(seed, discard):
    """Held over the samples with entities alone, the sparsest split of this corpus has 0.86 of the density."""
    corpus = generate(80)
    plan = mincut(corpus, discard=discard, seed=seed, effort="fast", min_per_type=0)
    n_mentions = np.bincount(corpus.mentions.sample, minlength=len(corpus))
    for name in ("validation", "test"):
        ratio = n_mentions[plan.rows(name)].mean() / n_mentions.mean()
        assert ratio >= 0.9 and ratio == pytest.approx(plan.representation[name]["entities_per_sample_ratio"])


# --- quotas ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", Rule)
def test_what_is_dealt_meets_quotas_as_the_sizes_allow(rule):
    rng = np.random.default_rng(3)
    for _ in range(50):
        size = rng.integers(1, 4, 200)
        quota = rng.dirichlet([8, 2, 2]) * size.sum()
        split = deal(size, rng.permutation(200), quota, rule)
        sizes = np.bincount(split, size, 3)
        assert sizes.sum() == size.sum()
        assert np.abs(sizes - quota).max() <= (6 if rule is Rule.WHAT_FITS else 3)
        if rule is Rule.WHAT_FITS:
            assert (sizes[1:] <= quota[1:]).all()


@pytest.mark.parametrize("rule", Rule)
def test_what_is_not_in_the_order_stays_in_train(rule):
    split = deal(np.ones(6, np.int64), np.array([4, 5]), np.array([0.0, 1.0, 1.0]), rule)
    assert split[:4].tolist() == [0] * 4 and sorted(split[4:].tolist()) == [1, 2]
