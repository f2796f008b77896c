"""Flat arrays that hold samples one after the other: where each sample begins, and which one holds a position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def locate(position: int, bounds: NDArray[np.int64]) -> tuple[int, int]:
    """Return the sample, and the token within it, of a position in the concatenated tokens.

    Args:
        position: a position in the concatenated tokens.
        bounds: where each sample begins, as ``bounds_of`` returns it.

    >>> locate(4, np.array([0, 3, 5]))
    (1, 1)
    """
    sample = int(np.searchsorted(bounds, position, side="right")) - 1
    return sample, position - int(bounds[sample])


def bounds_of(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return where each sample begins in the concatenated tokens, and where the last one ends.

    Args:
        lengths: the number of tokens of each sample.

    >>> bounds_of(np.array([3, 2])).tolist()
    [0, 3, 5]
    """
    bounds = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


def ranges(starts: NDArray[np.integer], sizes: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the indices of several ranges, one range after the other.

    Args:
        starts: the first index of each range.
        sizes: the number of indices of each range.

    >>> ranges(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    total = int(sizes.sum())
    return np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(total)
