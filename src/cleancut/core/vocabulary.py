"""Distinct words, how they are spelt, and hashes of them that are the same everywhere."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of

_SLICE = 1 << 13
"""Words that are hashed at a time, so that no wide array over all letters is made."""


class Vocabulary(tuple[str, ...]):
    """Distinct words; their bytes and hashes are made when first asked for, and kept for all corpora with these words.

    >>> words = Vocabulary(["Ada", "naïve"])
    >>> words.bounds.tolist(), bytes(words.letters[3:9]).decode()
    ([0, 3, 9], 'naïve')
    """

    def __reduce__(self) -> tuple[type[Vocabulary], tuple[tuple[str, ...]]]:
        return Vocabulary, (tuple(self),)

    @property
    def letters(self) -> NDArray[np.uint8]:
        """The words in UTF-8, one after the other; then eight more bytes, so that eight can be read at each letter."""
        return self._spelt[0]

    @property
    def bounds(self) -> NDArray[np.int64]:
        """Where each word begins, and where the last one ends."""
        return self._spelt[1]

    @cached_property
    def _spelt(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        # all words at once, each with a zero behind it: one by one, each would miss the processor's cache several times
        data = np.frombuffer("\0".join((*self, "")).encode("utf-8", "surrogatepass"), np.uint8)
        ends = np.flatnonzero(data == 0)
        if len(ends) == len(self):
            letters, sizes = data[data != 0], np.diff(ends, prepend=-1) - 1
        else:  # a word has a zero of its own
            encoded = [word.encode("utf-8", "surrogatepass") for word in self]
            letters, sizes = np.frombuffer(b"".join(encoded), np.uint8), np.array(list(map(len, encoded)), np.int64)
        return np.append(letters, np.zeros(8, np.uint8)), bounds_of(sizes)

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """A number for each word: the sum of one for each of its bytes at its place."""
        found, bounds = np.zeros(len(self), np.uint64), self.bounds
        for first in range(0, len(self), _SLICE):
            ends = bounds[first : first + _SLICE + 1]
            found[first : first + _SLICE] = byte_hashes(self.letters[ends[0] : ends[-1]], ends - ends[0])
        return found

    def same(self, ours: NDArray[np.integer], other: Vocabulary, theirs: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Is each of some words the same as one of another vocabulary?"""
        begin, start = self.bounds[ours], other.bounds[theirs]
        size = self.bounds[ours + 1] - begin
        same = size == other.bounds[theirs + 1] - start
        left, depth = np.flatnonzero(same), 0
        while len(left := left[size[left] > depth]):
            differ = _eight(self.letters)[begin[left] + depth] ^ _eight(other.letters)[start[left] + depth]
            same[left] &= (differ & _FIRST[np.minimum(size[left] - depth, 8)]) == 0
            depth += 8
        return same


def _eight(letters: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """At each letter, it and the next seven as one number."""
    return np.ndarray(len(letters) - 7, np.dtype("<u8"), letters, strides=(1,))


_FIRST = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
"""The bits of the first letters of eight."""


def byte_hashes(letters: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The hash of each of some words, whose bytes lie one after the other."""
    place = np.arange(len(letters)) - np.repeat(bounds[:-1], np.diff(bounds))
    return mixed(sums(mixed((place << 8 | letters).view(np.uint64) + np.uint64(1)), bounds))


def sums(values: NDArray[np.uint64], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The sums of consecutive groups of values, modulo 2**64."""
    total = np.append(np.uint64(0), np.cumsum(values))
    return total[bounds[1:]] - total[bounds[:-1]]


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """splitmix64's finaliser: every bit of the input reaches every bit of the output."""
    values = (values ^ values >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ values >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return values ^ values >> np.uint64(31)
