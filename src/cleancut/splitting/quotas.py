"""Ways to distribute units over splits so that quotas are met, and how far off a ratio may be.

``dealt`` and ``spread`` cut one order of units into consecutive parts, ``filled`` takes what fits into the held-out
splits and leaves the rest to train, and ``to_most_room`` gives each unit to the split that has most room left.
(``placement`` is another matter: it moves units that have a split already.)
"""

from __future__ import annotations

import heapq
from typing import Literal

import numpy as np
from numpy.typing import NDArray

RATIO_TOLERANCE = 0.0035
"""How far the share of a split may be from the share that was asked for before a note says so."""


def dealt(size: NDArray[np.integer], order: NDArray[np.integer], quota: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the split of each unit, where an order of units is cut into consecutive parts of the given quotas.

    Train comes last, so that it takes what rounding leaves.

    Args:
        size: the number of samples of each unit.
        order: the units in the order in which they are dealt.
        quota: the number of samples that each split should get, train first.
    """
    held_out = quota[1:][quota[1:] > 0]
    # A large unit, such as a sentence that occurs a hundred times, would upset a small split: train can bear it.
    is_large = size[order] > 0.2 * held_out.min(initial=np.inf)
    order = np.append(order[~is_large], order[is_large])
    ends = np.cumsum(np.append(quota[1:], quota[0]))
    return (_cut_in_order(size, order, ends, "right") + 1) % len(quota)


def spread(size: NDArray[np.int64], shares: NDArray[np.float64], seed: int) -> NDArray[np.int64]:
    """Return the split of each unit, where a random order of units is cut into parts with the given shares."""
    order = np.random.default_rng(seed).permutation(len(size))
    return _cut_in_order(size, order, np.cumsum(shares), "left", whole=float(size.sum()))


def _cut_in_order(
    size: NDArray[np.integer],
    order: NDArray[np.integer],
    ends: NDArray[np.float64],
    side: Literal["left", "right"],
    whole: float = 1.0,
) -> NDArray[np.int64]:
    """Return the part of each unit, where units are laid end to end and a unit belongs to where its middle lies.

    Args:
        size: the number of samples of each unit.
        order: the units in the order in which they are laid.
        ends: the end of each part; what lies beyond the last end belongs to the last part.
        side: the part of a middle that lies exactly on an end: ``left`` for the part before it.
        whole: the length that ``ends`` are measured in, in samples.
    """
    middle = (np.cumsum(size[order]) - size[order] / 2) / whole
    part_of_unit = np.empty(len(size), np.int64)
    part_of_unit[order] = np.minimum(np.searchsorted(ends, middle, side=side), len(ends) - 1)
    return part_of_unit


def filled(size: NDArray, order: NDArray[np.int64], quota: NDArray[np.float64]) -> NDArray[np.int8]:
    """Return the split of each unit, where held-out splits take in order what fits and train takes the rest.

    Args:
        size: the number of samples of each unit; units without any stay in train.
        order: the units in the order in which they are tried.
        quota: the number of samples that each split may hold; that of train does not matter.
    """
    labels = np.zeros(len(size), np.int8)
    free = order[size[order] > 0]
    for split in range(len(quota) - 1, 0, -1):
        room = quota[split]
        taken = np.zeros(len(free), bool)
        for _ in range(3):  # a unit that was too large for the room left may be followed by smaller ones
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

    Args:
        size: the number of samples of each unit.
        order: the units that are distributed, in their order.
        room: the number of samples that each split has room for.

    Returns:
        The split of each unit of the order, and the room that each split has left, which may be negative.

    >>> size, room = np.array([5, 2, 2]), np.array([4.0, 4.0])
    >>> to_most_room(size, np.arange(3), room)
    (array([0, 1, 1]), array([-1.,  0.]))
    """
    # Room is stored as its negative, since a heap of Python has the smallest item first.
    emptiest_first = [(-left, split) for split, left in enumerate(room.tolist())]
    heapq.heapify(emptiest_first)
    chosen = np.zeros(len(order), np.int64)
    for nth, n_samples in enumerate(size[order].tolist()):
        negative_room, split = emptiest_first[0]
        heapq.heapreplace(emptiest_first, (negative_room + n_samples, split))
        chosen[nth] = split
    by_split = sorted(emptiest_first, key=lambda item: item[1])
    left = np.array([0.0 - negative_room for negative_room, _ in by_split])
    return chosen, left
