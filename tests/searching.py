"""Splits that are searched for with fewer moves, for tests of what holds of every split, good or bad."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from cleancut.splitting.tuning import TUNING


@contextmanager
def few_moves() -> Iterator[None]:
    """Every search makes a tenth of the moves that it would make otherwise, whatever the effort."""
    from cleancut.splitting import annealing, kernels, placement  # numba, which they import, takes a while

    searched = annealing.Annealing.__call__

    def searched_a_little(search, problem, labels, moves, seed):
        return searched(search, problem, labels, moves // 10, seed)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(annealing.Annealing, "__call__", searched_a_little)
        patch.setattr(placement, "TUNING", replace(TUNING, least_moves=TUNING.least_moves // 10))
        patch.setattr(kernels, "_LITTLE", -1)  # so few moves would be made by plain Python, which is slower
        yield
