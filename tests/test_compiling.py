"""Plain Python and machine code do the same; small problems compile nothing; what is waited for is said."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from searching import few_moves
from strategies import examples

from cleancut import mincut, write
from cleancut.demo.sampletext import generate
from cleancut.splitting import annealing, kernels, placement
from cleancut.splitting.problem import Incidence, Problem
from cleancut.splitting.tuning import TUNING

needs_numba = pytest.mark.skipif(not kernels.HAS_NUMBA, reason="numba has no wheel for this platform")
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def drawn():
    """Numbers as compiled code draws them: below a bound, or for a bound of 0 between 0 and 1."""
    from numba import njit

    @njit
    def drawn(seed, bounds):
        np.random.seed(seed)
        found = np.zeros(len(bounds))
        for i in range(len(bounds)):
            found[i] = np.random.randint(bounds[i]) if bounds[i] else np.random.random()
        return found

    return drawn


@needs_numba
@given(seed=SEEDS, bounds=st.lists(st.one_of(st.integers(0, 9), st.integers(0, 2**31)), min_size=1, max_size=2000))
def test_numbers_are_those_of_compiled_code(drawn, seed, bounds):
    numbers = kernels._Numbers(None)
    numbers.seed(seed)
    plain = [numbers.randint(bound) if bound else numbers.random() for bound in bounds]
    assert plain == drawn(seed, np.array(bounds)).tolist()


@st.composite
def problems(draw):
    """Units and vertices at random, each of which has at least one of the other."""
    most_units, most_vertices = draw(st.integers(1, 60)), draw(st.integers(1, 30))
    n_splits, n_types = draw(st.integers(2, 4)), draw(st.integers(0, 3))
    rng = np.random.default_rng(draw(SEEDS))
    pairs = np.unique(rng.integers(0, [most_units, most_vertices], (150, 2)), axis=0)
    units, vertices = (np.unique(column, return_inverse=True)[1] for column in pairs.T)
    n_units, n_vertices = units.max() + 1, vertices.max() + 1
    size, counts = rng.integers(1, 4, n_units), rng.integers(1, 5, (n_units, n_types))
    shares = rng.dirichlet(np.ones(n_splits))
    shares[0] *= draw(st.booleans())  # folds have no train
    return Problem(
        Incidence.of(units, vertices, n_units),
        Incidence.of(vertices, units, n_vertices),
        size,
        counts.sum(axis=1) + size,
        Incidence(np.arange(n_units + 1) * n_types, np.tile(np.arange(n_types, dtype=np.int32), n_units)),
        counts.ravel(),
        shares / shares.sum(),
        (1.0, 2.5),
        rng.integers(0, 30, (n_splits, n_types)),
        np.full(n_types, 0.7),
        discards=draw(st.booleans()),
    )


@needs_numba
@examples(25)
@given(problem=problems(), seed=SEEDS, proposals=st.sampled_from([0, 1, 3000]), firm_from=st.sampled_from([0.0, 0.7]))
@pytest.mark.slow
def test_kernels_do_the_same_interpreted_and_compiled(problem, seed, proposals, firm_from):
    labels, splits = np.zeros(problem.n_vertices, np.int8), np.zeros(len(problem.size), np.int64)
    searches, found = (annealing._anneal, placement._moved), []
    for little in (10**9, -1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernels, "_LITTLE", little)
            patch.setattr(placement, "TUNING", replace(TUNING, least_moves=3000))
            if little > 0:  # as long as nothing is compiled
                for kernel in searches:
                    patch.delitem(vars(kernel), "_compiled", raising=False)
            annealed, cost = annealing.Annealing(firm_from=firm_from)(problem, labels, proposals, seed)
            moved = placement.placed(problem, splits, proposals, seed)
            assert ["_compiled" in vars(kernel) for kernel in searches] == [little < 0] * 2
        found.append((annealed.tolist(), cost, moved.tolist()))
    assert found[0] == found[1]
    assert not labels.any() and not splits.any()  # what was given is left as it was


def test_what_draws_numbers_leaves_those_of_numpy_alone():
    np.random.seed(5)
    expected = np.random.random(3).tolist()
    np.random.seed(5)
    mincut(generate(100))
    assert np.random.random(3).tolist() == expected


@pytest.mark.slow
@few_moves()
def test_threads_do_not_share_numbers(monkeypatch):
    monkeypatch.setattr(kernels, "HAS_NUMBA", False)
    corpus, found = generate(100), []
    threads = [threading.Thread(target=lambda: found.append(mincut(corpus).assignment.tolist())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [mincut(corpus).assignment.tolist()] * 3


class Run(NamedTuple):
    """A program that searched for a split: what it said on a terminal, and which kernels are compiled since."""

    said: str | None
    compiled: set[str]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Splits of 60 samples, of 300 and of these again, as on a machine on which nothing has been compiled."""
    folder = tmp_path_factory.mktemp("compiling")
    environment = {**os.environ, "TERM": "xterm", "NUMBA_CACHE_DIR": str(folder / "cache")}

    def run(n, effort):
        write(generate(n), folder / f"{n}.conll")
        command = [sys.executable, "-m", "cleancut", "split", f"{n}.conll", "-o", f"out-{n}", "--effort", effort]
        said = run_on_a_terminal(command, cwd=folder, env=environment)
        return Run(said, {path.name.partition("-")[0] for path in (folder / "cache").rglob("*.nbi")})

    return [run(60, "auto"), run(300, "auto"), run(300, "fast")]


def run_on_a_terminal(command, **options):
    """What it says there, or None where there are no terminals."""
    try:
        import pty
    except ImportError:
        subprocess.run(command, capture_output=True, check=True, **options)
        return None
    reader, writer = pty.openpty()
    subprocess.run(command, stdout=subprocess.PIPE, stderr=writer, check=True, **options)
    os.write(writer, b"end")  # else there may be nothing to read
    os.close(writer)
    return os.read(reader, 100_000).decode()


@pytest.mark.slow
@needs_numba
def test_small_problems_compile_nothing(runs):
    assert [run.compiled for run in runs] == [set(), {"annealing._anneal"}, {"annealing._anneal"}]


@pytest.mark.slow
@needs_numba
def test_on_a_terminal_compiling_is_said_and_only_the_first_time(runs):
    if runs[0].said is None:
        pytest.skip("there are no pseudo-terminals here")
    line = "cleancut: compiling the search, once on this machine; this takes some seconds"
    assert [run.said.count(line) for run in runs] == [0, 1, 0]
