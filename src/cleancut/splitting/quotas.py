"""How units are dealt to splits so that quotas are met, and how far off a ratio may be.

(``placement`` is another matter: it moves units that have a split already.)
"""

from __future__ import annotations

import heapq
from enum import Enum

import numpy as np
from numpy.typing import NDArray

RATIO_TOLERANCE = 0.0035
"""How far the share of a split may be from the share that was asked for before a note says so."""

_LARGE = 0.2
"""The share of the smallest held-out quota from which a unit is dealt last, and so to train. A large unit, such as a
sentence that occurs a hundred times, would upset a small split."""


class Rule(Enum):
    """How units that come in an order are dealt to splits."""

    IN_TURN = "in turn"
    """The order is cut into consecutive parts; train comes last, so that it takes what rounding leaves."""
    WHAT_FITS = "what fits"
    """Held-out splits, the last one first, take in order what fits, and train takes the rest."""
    MOST_ROOM = "most room"
    """Each unit goes to the split with most room left; of equal ones, to the first."""


def deal(
    size: NDArray[np.integer], order: NDArray[np.integer], quota: NDArray[np.float64], rule: Rule
) -> NDArray[np.int64]:
    """Return the split of each unit; units that are not in the order stay in train.

    Args:
        size: the number of samples of each unit.
        order: the units that are dealt, in their order.
        quota: the number of samples that each split should get, or has room for, train first.
        rule: how units are dealt.

    >>> size, quota = np.ones(6, np.int64), np.array([3.0, 2.0, 1.0])
    >>> for rule in Rule:
    ...     print(rule.value, deal(size, np.arange(6), quota, rule))
    in turn [1 1 2 0 0 0]
    what fits [2 1 1 0 0 0]
    most room [0 0 1 0 1 2]
    """
    split_of_unit = np.zeros(len(size), np.int64)
    dealt = {Rule.IN_TURN: _in_turn, Rule.WHAT_FITS: _what_fits, Rule.MOST_ROOM: _most_room}[rule]
    dealt(size, order, quota, split_of_unit)
    return split_of_unit


def _in_turn(
    size: NDArray[np.integer],
    order: NDArray[np.integer],
    quota: NDArray[np.float64],
    split_of_unit: NDArray[np.int64],
) -> None:
    """Write the split of each unit by laying units end to end along the held-out splits and then train.

    A unit goes to the split where its middle lies. Units are laid in the given order, but those that are large beside
    the smallest held-out split come last, so that they go to train.
    """
    held_out = quota[1:][quota[1:] > 0]
    is_large = size[order] > _LARGE * held_out.min(initial=np.inf)
    order = np.append(order[~is_large], order[is_large])
    ends = np.cumsum(np.append(quota[1:], quota[0]))
    middle = np.cumsum(size[order]) - size[order] / 2
    part = np.minimum(np.searchsorted(ends, middle, side="right"), len(ends) - 1)
    split_of_unit[order] = (part + 1) % len(quota)


def _what_fits(
    size: NDArray[np.integer],
    order: NDArray[np.integer],
    quota: NDArray[np.float64],
    split_of_unit: NDArray[np.int64],
) -> None:
    """Fill one held-out split after the other; units without samples stay in train."""
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
        split_of_unit[free[taken]] = split
        free = free[~taken]


def _most_room(
    size: NDArray[np.integer],
    order: NDArray[np.integer],
    quota: NDArray[np.float64],
    split_of_unit: NDArray[np.int64],
) -> None:
    """Keep the splits in a heap; room is stored as its negative, since a heap of Python has the smallest item first."""
    emptiest_first = [(-left, split) for split, left in enumerate(quota.tolist())]
    heapq.heapify(emptiest_first)
    for unit, n_samples in zip(order.tolist(), size[order].tolist(), strict=True):
        negative_room, split = emptiest_first[0]
        heapq.heapreplace(emptiest_first, (negative_room + n_samples, split))
        split_of_unit[unit] = split
