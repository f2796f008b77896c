"""Counts of ids and of pairs of ids, and a hash table that is queried for whole arrays at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray


class Tally:
    """A count for each id."""

    def __init__(self) -> None:
        self.counts = np.zeros(0, np.int64)

    def add(self, ids: NDArray[np.integer], n: int, weights: NDArray[np.int64] | None = None) -> None:
        """Count ids.

        Args:
            ids: the ids.
            n: all ids are below it.
            weights: how often each id counts; once by default.
        """
        counts = np.zeros(n, np.int64)
        counts[: len(self.counts)] = self.counts
        if weights is None:
            counts += np.bincount(ids, minlength=n)
        else:
            np.add.at(counts, ids, weights)
        self.counts = counts


class PairTally:
    """A count for each pair of an id and a type.

    Args:
        table: codes of pairs and their counts, as ``table()`` returns them.
    """

    BITS = 24
    """How many bits of a code hold the type."""

    def __init__(self, table: NDArray[np.int64] | None = None) -> None:
        stored = np.zeros((2, 0), np.int64) if table is None else table.astype(np.int64)
        self.codes, self.counts = stored[0], stored[1]

    @classmethod
    def code(cls, ids: NDArray[np.int64], types: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return one number for each pair.

        Args:
            ids: the ids.
            types: the types.
        """
        return ids << cls.BITS | types

    @cached_property
    def _places(self) -> Places:
        """The places of the codes."""
        return Places(self.codes)

    def table(self) -> NDArray[np.int64]:
        """Return the codes and the counts, as they are stored."""
        return np.stack([self.codes, self.counts])

    def add(
        self, ids: NDArray[np.integer], types: NDArray[np.integer], counts: NDArray[np.int64] | None = None
    ) -> None:
        """Count pairs.

        Args:
            ids: the ids.
            types: the types.
            counts: how often each pair counts; once by default.
        """
        codes, inverse = np.unique(self.code(ids.astype(np.int64), types), return_inverse=True)
        fresh = np.bincount(inverse, weights=counts, minlength=len(codes)).astype(np.int64)
        merged, at = np.unique(np.append(self.codes, codes), return_inverse=True)
        total = np.zeros(len(merged), np.int64)
        total[at[: len(self.codes)]] += self.counts
        total[at[len(self.codes) :]] += fresh
        self.codes, self.counts = merged, total
        self.__dict__.pop("_places", None)

    def add_table(self, other: PairTally, ids: NDArray[np.int64], types: NDArray[np.int64]) -> None:
        """Add another tally whose ids and types have other numbers.

        Args:
            other: the other tally.
            ids: our id for each of its ids.
            types: our type for each of its types.
        """
        if len(other.codes):
            self.add(ids[other.codes >> self.BITS], types[other.codes & (1 << self.BITS) - 1], other.counts)

    def get(self, ids: NDArray[np.int64], types: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the count of each pair; 0 if its id or its type is negative.

        Args:
            ids: the ids.
            types: the types.
        """
        wanted = np.where(types < 0, -1, self.code(ids, types))
        return or_zero(self.counts, self._places.find(wanted))

    def total(self, n: int) -> NDArray[np.int64]:
        """Return the count of each id over all types.

        Args:
            n: all ids are below it.
        """
        total = np.zeros(n, np.int64)
        np.add.at(total, self.codes >> self.BITS, self.counts)
        return total

    def n_types(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of types that each id was counted with; 0 for a negative id.

        Args:
            ids: the ids.
        """
        return np.searchsorted(self.codes, (ids + 1) << self.BITS) - np.searchsorted(self.codes, ids << self.BITS)

    def largest(self, n: int) -> NDArray[np.int64]:
        """Return the largest count of one type, for each id.

        Args:
            n: all ids are below it.
        """
        most = np.zeros(n, np.int64)
        np.maximum.at(most, self.codes >> self.BITS, self.counts)
        return most

    def several(self, n: int) -> NDArray[np.bool_]:
        """Return whether an id was counted with several types, for each id.

        Args:
            n: all ids are below it.
        """
        return np.bincount(self.codes >> self.BITS, minlength=n) > 1

    def tied(self, n: int) -> NDArray[np.bool_]:
        """Return whether several types share the largest count of an id, for each id.

        Args:
            n: all ids are below it.
        """
        ids = self.codes >> self.BITS
        return np.bincount(ids[self.counts == self.largest(n)[ids]], minlength=n) > 1

    def most_frequent(self, n: int, rank: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the type with the largest count, for each id; -1 if it has none.

        Args:
            n: all ids are below it.
            rank: the rank of each type, by which ties are broken.
        """
        ids, types = self.codes >> self.BITS, self.codes & (1 << self.BITS) - 1
        best = np.flatnonzero(self.counts == self.largest(n)[ids])
        best = best[np.argsort(-rank[types[best]], kind="stable")]  # the winner of each id comes last
        usual = np.full(n, -1, np.int32)
        usual[ids[best]] = types[best]
        return usual


class Places:
    """The places of distinct codes in their list: a hash table with open addressing for whole arrays.

    A binary search of as many random codes takes about ten times as long, since each step misses the processor's cache.

    Args:
        codes: the codes, none of which is negative.
    """

    def __init__(self, codes: NDArray[np.int64]) -> None:
        bits = len(codes).bit_length() + 2  # at most a quarter of the slots is taken, so that paths are short
        self._shift = np.uint64(64 - bits)
        self._codes = np.append(codes, -1)  # the last entry answers for free slots, which hold -1
        self._slots = np.full(1 << bits, -1, np.int32)
        slot = self._slot(codes)
        pending = np.arange(len(codes))
        while len(pending):
            free = pending[self._slots[slot[pending]] < 0]
            self._slots[slot[free]] = free  # where several codes want one slot, the last one gets it
            pending = pending[self._slots[slot[pending]] != pending]
            slot[pending] = self._next(slot[pending])

    def find(self, codes: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the place of each code; -1 for a code that is not in the list, or negative.

        Args:
            codes: the codes to look up.
        """
        slot = self._slot(codes)
        places = self._slots[slot]
        pending = np.flatnonzero((self._codes[places] != codes) & (places >= 0))
        while len(pending):
            slot[pending] = self._next(slot[pending])
            candidates = places[pending] = self._slots[slot[pending]]
            pending = pending[(self._codes[candidates] != codes[pending]) & (candidates >= 0)]
        return places

    def _slot(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first slot of each code.

        These are the top bits of its product with the golden ratio, which spreads dense codes.
        """
        return (codes.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> self._shift).view(np.int64)

    def _next(self, slot: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the slot that follows each slot."""
        return slot + 1 & len(self._slots) - 1


def or_zero(values: NDArray[np.int64], at: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the values at some places; 0 where the place is negative.

    Args:
        values: the values.
        at: the places.
    """
    return np.where(at < 0, 0, values[at]) if len(values) else np.zeros(len(at), np.int64)
