"""The clean and the contaminated test set."""

from __future__ import annotations

from ..core.corpus import Corpus
from ..scoring.exposure import Exposure


def subsets(test: Corpus, exposure: Exposure) -> tuple[Corpus, Corpus]:
    """The clean and the contaminated test set: all samples are kept, the targets are filtered."""
    seen = exposure.view(test).seen
    return test.keep(~seen), test.keep(seen)
