"""Splits that are searched for with fewer moves, for tests of what holds of every split, good or bad."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def few_moves() -> Iterator[None]:
    """Every search makes a tenth of the moves that it would make otherwise, whatever the effort."""
    from cleancut.splitting import kernels, placement, solver  # numba, which they import, takes a while

    searched = solver._run

    def searched_a_little(problem, labels, proposals, *arguments, **options):
        return searched(problem, labels, proposals // 10, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "_run", searched_a_little)
        patch.setattr(placement, "_LEAST", placement._LEAST // 10)
        patch.setattr(kernels, "_LITTLE", -1)  # so few moves would be made by plain Python, which is slower
        yield
