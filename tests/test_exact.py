"""Exact splits: what is called proven is the best of all labellings, and what is better is found."""

from itertools import product

import numpy as np
import pytest
from test_solver import problem_of

from cleancut import CleancutError, Corpus, SplitPlan, mincut
from cleancut.splitting.exact import _dominating, _held, _is_allowed, allowed_by, proof


def random_problem(rng):
    """A problem of 8 to 14 units with 4 to 6 vertices and some density to hold, whose mixed units are discarded."""
    n_units, n_vertices = int(rng.integers(8, 15)), int(rng.integers(4, 7))
    vertices = [np.flatnonzero(rng.random(n_vertices) < 0.35) for _ in range(n_units)]
    vertices = [each if len(each) else np.array([rng.integers(n_vertices)]) for each in vertices]
    _, number = np.unique(np.concatenate(vertices), return_inverse=True)
    vertices = np.split(number, np.cumsum([len(each) for each in vertices])[:-1])
    shares = [[0.6, 0.4], [0.5, 0.25, 0.25]][int(rng.integers(2))]
    return problem_of(vertices, shares, mentions=rng.integers(1, 5, n_units), density=(1.5, 4.0), discards=True)


@pytest.mark.parametrize("seed", range(25))
def test_a_proof_is_the_best_of_all_labellings(seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    start = rng.integers(0, len(problem.shares), problem.n_vertices).astype(np.int8)
    allowed = allowed_by(problem, start)
    every = (np.array(labels, np.int8) for labels in product(range(len(problem.shares)), repeat=problem.n_vertices))
    held = [_held(problem, labels) for labels in every]
    best = min(each.n_discarded for each in held if _is_allowed(problem, each, allowed))
    outcome = proof(problem, start, seconds=20)
    assert outcome.n_discarded >= best
    if outcome.proven:
        assert outcome.n_discarded == best
    assert _is_allowed(problem, _held(problem, outcome.labels), allowed)
    assert outcome.n_discarded == _held(problem, outcome.labels).n_discarded


def test_proofs_are_found():
    """Most of the problems above end with a proof: the test above would also hold if none did."""
    outcomes = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng)
        start = rng.integers(0, len(problem.shares), problem.n_vertices).astype(np.int8)
        outcomes.append(proof(problem, start, seconds=20).proven)
    assert sum(outcomes) >= 15


def test_a_vertex_that_is_only_beside_another_has_its_label():
    problem = problem_of([[0, 1], [0], [0, 1, 2], [2]], [0.5, 0.5])
    assert _dominating(problem).tolist() == [0, 0, 2]


NAMES = ["Ada Bo", "Ada", "Bo Cy", "Cy", "Cy Di", "Di Ed", "Ed", "Di", "Flo", "Flo"]
CORPUS = Corpus.of([names.split() for names in NAMES], tags=[["B-PER"] * len(names.split()) for names in NAMES])
OPTIONS = {"representative": None, "min_per_type": 0, "effort": "fast"}


def test_a_plan_says_what_is_proven(tmp_path):
    plan = mincut(CORPUS, (4, 3, 2), discard="auto", prove=20, **OPTIONS)
    assert plan.n_discarded in (0, 1)
    assert plan.proven == ("It is proven" in plan.notes[0]) and plan.to_dict()["proven"] == plan.proven
    plan.save(tmp_path / "plan.json")
    assert SplitPlan.load(tmp_path / "plan.json") == plan
    assert not mincut(CORPUS, (4, 3, 2), discard="auto", **OPTIONS).proven
    whole = mincut(CORPUS, (80, 20), **OPTIONS)
    assert whole.n_discarded == 0 and whole.proven


def test_a_proof_is_refused_where_it_has_no_effect():
    with pytest.raises(CleancutError, match="Give discard='auto'"):
        mincut(CORPUS, prove=5)
    with pytest.raises(CleancutError, match="not a number of seconds"):
        mincut(CORPUS, prove=-1, discard="auto")
