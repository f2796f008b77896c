"""Units dealt to splits: three ways to meet quotas, and how far off a ratio may be.

``dealt`` and ``spread`` cut one order of units into consecutive parts, ``filled`` takes what fits into the held-out
splits and leaves the rest to train, and ``to_most_room`` gives each unit to the split that has most room left.
``placement`` moves units that are placed already, which is none of these.
"""

from __future__ import annotations

import heapq
from typing import Literal

import numpy as np
from numpy.typing import NDArray

RATIO_TOLERANCE = 0.0035
"""How far the share of a split may be from the one asked for without a word about it."""


def dealt(size: NDArray[np.integer], order: NDArray[np.integer], quota: NDArray[np.float64]) -> NDArray[np.int64]:
    """Cut an order of units into consecutive parts with the quotas asked for; train last, so that it takes the rest."""
    held_out = quota[1:][quota[1:] > 0]
    large = size[order] > 0.2 * held_out.min(initial=np.inf)  # such as a sentence that stands there a hundred times
    order = np.append(order[~large], order[large])
    ends = np.cumsum(np.append(quota[1:], quota[0]))
    return (_cut_in_order(size, order, ends, "right") + 1) % len(quota)


def spread(size: NDArray[np.int64], shares: NDArray[np.float64], seed: int) -> NDArray[np.int64]:
    """Cut a random order of units into consecutive parts with the shares asked for."""
    order = np.random.default_rng(seed).permutation(len(size))
    return _cut_in_order(size, order, np.cumsum(shares), "left", whole=float(size.sum()))


def _cut_in_order(
    size: NDArray[np.integer],
    order: NDArray[np.integer],
    ends: NDArray[np.float64],
    side: Literal["left", "right"],
    whole: float = 1.0,
) -> NDArray[np.int64]:
    """Return the part of each unit: the one its middle lies in, in units of ``whole``. The last part takes the rest."""
    middle = (np.cumsum(size[order]) - size[order] / 2) / whole
    of_unit = np.empty(len(size), np.int64)
    of_unit[order] = np.minimum(np.searchsorted(ends, middle, side=side), len(ends) - 1)
    return of_unit


def filled(size: NDArray, order: NDArray[np.int64], quota: NDArray[np.float64]) -> NDArray[np.int8]:
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


def to_most_room(
    size: NDArray[np.int64], order: NDArray[np.int64], room: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Give each unit, in the given order, to the split with most room left (of equal ones, the first).

    Returns the split of each unit of the order, and the room that is left.

    >>> size, room = np.array([5, 2, 2]), np.array([4.0, 4.0])
    >>> to_most_room(size, np.arange(3), room)
    (array([0, 1, 1]), array([-1.,  0.]))
    """
    fullest_last = [(-left, split) for split, left in enumerate(room.tolist())]
    heapq.heapify(fullest_last)
    chosen = np.zeros(len(order), np.int64)
    for nth, n in enumerate(size[order].tolist()):
        taken, split = fullest_last[0]
        heapq.heapreplace(fullest_last, (taken + n, split))
        chosen[nth] = split
    left = np.array([0.0 - taken for taken, _ in sorted(fullest_last, key=lambda each: each[1])])
    return chosen, left
