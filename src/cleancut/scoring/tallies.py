"""Counts of numbers and of pairs of numbers, and a hash table that is asked for whole arrays at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray


class Tally:
    """A count for each id."""

    def __init__(self) -> None:
        self.counts = np.zeros(0, np.int64)

    def add(self, ids: NDArray[np.integer], n: int, weights: NDArray[np.int64] | None = None) -> None:
        """Count ids below ``n``, each once or as often as its weight says."""
        counts = np.zeros(n, np.int64)
        counts[: len(self.counts)] = self.counts
        if weights is None:
            counts += np.bincount(ids, minlength=n)
        else:
            np.add.at(counts, ids, weights)
        self.counts = counts


class PairTally:
    """A count for each pair of an id and a type."""

    BITS = 24
    """Of a code, those of the type."""

    def __init__(self, table: NDArray[np.int64] | None = None) -> None:
        stored = np.zeros((2, 0), np.int64) if table is None else table.astype(np.int64)
        self.codes, self.counts = stored[0], stored[1]

    @classmethod
    def code(cls, ids: NDArray[np.int64], types: NDArray[np.integer]) -> NDArray[np.int64]:
        """One number for a pair."""
        return ids << cls.BITS | types

    @cached_property
    def _places(self) -> Places:
        return Places(self.codes)

    def table(self) -> NDArray[np.int64]:
        """Codes and counts, as they are stored."""
        return np.stack([self.codes, self.counts])

    def add(
        self, ids: NDArray[np.integer], types: NDArray[np.integer], counts: NDArray[np.int64] | None = None
    ) -> None:
        """Count pairs, each once or as often as its count says."""
        codes, inverse = np.unique(self.code(ids.astype(np.int64), types), return_inverse=True)
        fresh = np.bincount(inverse, weights=counts, minlength=len(codes)).astype(np.int64)
        merged, at = np.unique(np.append(self.codes, codes), return_inverse=True)
        total = np.zeros(len(merged), np.int64)
        total[at[: len(self.codes)]] += self.counts
        total[at[len(self.codes) :]] += fresh
        self.codes, self.counts = merged, total
        self.__dict__.pop("_places", None)

    def add_table(self, other: PairTally, ids: NDArray[np.int64], types: NDArray[np.int64]) -> None:
        """Add another tally, whose ids and types are translated."""
        if len(other.codes):
            self.add(ids[other.codes >> self.BITS], types[other.codes & (1 << self.BITS) - 1], other.counts)

    def get(self, ids: NDArray[np.int64], types: NDArray[np.integer]) -> NDArray[np.int64]:
        """The count of each pair; 0 where either is negative."""
        wanted = np.where(types < 0, -1, self.code(ids, types))
        return or_zero(self.counts, self._places.find(wanted))

    def total(self, n: int) -> NDArray[np.int64]:
        """For each id below ``n`` the count over all types."""
        total = np.zeros(n, np.int64)
        np.add.at(total, self.codes >> self.BITS, self.counts)
        return total

    def n_types(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """With how many types each id was counted; 0 for a negative one."""
        return np.searchsorted(self.codes, (ids + 1) << self.BITS) - np.searchsorted(self.codes, ids << self.BITS)

    def largest(self, n: int) -> NDArray[np.int64]:
        """For each id below ``n`` the largest count of one type."""
        most = np.zeros(n, np.int64)
        np.maximum.at(most, self.codes >> self.BITS, self.counts)
        return most

    def several(self, n: int) -> NDArray[np.bool_]:
        """Was each id below ``n`` counted with several types?"""
        return np.bincount(self.codes >> self.BITS, minlength=n) > 1

    def tied(self, n: int) -> NDArray[np.bool_]:
        """Has each id below ``n`` several types with its largest count?"""
        ids = self.codes >> self.BITS
        return np.bincount(ids[self.counts == self.largest(n)[ids]], minlength=n) > 1

    def most_frequent(self, n: int, rank: NDArray[np.int64]) -> NDArray[np.int32]:
        """For each id below ``n`` the type with the largest count; of equal ones the first by rank; -1 for none."""
        ids, types = self.codes >> self.BITS, self.codes & (1 << self.BITS) - 1
        best = np.flatnonzero(self.counts == self.largest(n)[ids])
        best = best[np.argsort(-rank[types[best]], kind="stable")]  # of each id, the winner comes last
        usual = np.full(n, -1, np.int32)
        usual[ids[best]] = types[best]
        return usual


class Places:
    """Where distinct codes stand in their list: a hash table with open addresses, asked for whole arrays at once.

    A binary search of as many random codes takes about ten times as long: it misses the processor's cache at each step.
    """

    def __init__(self, codes: NDArray[np.int64]) -> None:
        bits = len(codes).bit_length() + 2  # at most a quarter full: few steps to a free slot
        self._shift = np.uint64(64 - bits)
        self._codes = np.append(codes, -1)  # at -1, what a free slot holds
        self._slots = np.full(1 << bits, -1, np.int32)
        slot, left = self._slot(codes), np.arange(len(codes))
        while len(left):
            free = left[self._slots[slot[left]] < 0]
            self._slots[slot[free]] = free  # of several for one slot, the last gets it
            left = left[self._slots[slot[left]] != left]
            slot[left] = self._next(slot[left])

    def find(self, codes: NDArray[np.int64]) -> NDArray[np.int32]:
        """The place of each code; -1 for one that is not in the list, as no negative one is."""
        slot = self._slot(codes)
        places = self._slots[slot]
        left = np.flatnonzero((self._codes[places] != codes) & (places >= 0))
        while len(left):
            slot[left] = self._next(slot[left])
            found = places[left] = self._slots[slot[left]]
            left = left[(self._codes[found] != codes[left]) & (found >= 0)]
        return places

    def _slot(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The slot to look at first: the top bits of a product with the golden ratio, which spreads dense codes."""
        return (codes.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> self._shift).view(np.int64)

    def _next(self, slot: NDArray[np.int64]) -> NDArray[np.int64]:
        return slot + 1 & len(self._slots) - 1


def or_zero(values: NDArray[np.int64], at: NDArray[np.integer]) -> NDArray[np.int64]:
    """The values at some places; 0 where the place is negative."""
    return np.where(at < 0, 0, values[at]) if len(values) else np.zeros(len(at), np.int64)
