"""Samples that lie one after the other in flat arrays: where each of them begins, and which one holds a place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def locate(position: int, bounds: NDArray[np.int64]) -> tuple[int, int]:
    """Sample and token of a position in the concatenated tokens."""
    sample = int(np.searchsorted(bounds, position, side="right")) - 1
    return sample, position - int(bounds[sample])


def bounds_of(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Where each sample starts in the concatenated tokens, and where the last ends."""
    bounds = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


def ranges(starts: NDArray[np.integer], sizes: NDArray[np.integer]) -> NDArray[np.int64]:
    """The indices start .. start + size of each range, one after the other."""
    total = int(sizes.sum())
    return np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(total)
