"""Distinct words with their bytes, and with hashes that are the same in every program and on every machine."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of

_SLICE = 1 << 13
"""How many words are hashed at a time, so that no wide array over all bytes is made."""


class Vocabulary(tuple[str, ...]):
    """Distinct words. Their bytes and hashes are computed when first needed, and shared by all corpora of these words.

    >>> words = Vocabulary(["Ada", "naïve"])
    >>> words.bounds.tolist(), bytes(words.letters[3:9]).decode()
    ([0, 3, 9], 'naïve')
    """

    def __reduce__(self) -> tuple[type[Vocabulary], tuple[tuple[str, ...]]]:
        return Vocabulary, (tuple(self),)

    @property
    def letters(self) -> NDArray[np.uint8]:
        """The bytes of all words in UTF-8, and eight zeros behind them, so that eight bytes can be read anywhere."""
        return self._spelt[0]

    @property
    def bounds(self) -> NDArray[np.int64]:
        """Where the bytes of each word begin, and where those of the last one end."""
        return self._spelt[1]

    @cached_property
    def _spelt(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the UTF-8 bytes of all words, with eight zeros behind them, and the bounds of the words."""
        # All words are encoded at once, with a zero behind each: one by one would be several times slower.
        data = np.frombuffer("\0".join((*self, "")).encode("utf-8", "surrogatepass"), np.uint8)
        ends = np.flatnonzero(data == 0)
        if len(ends) == len(self):
            letters, sizes = data[data != 0], np.diff(ends, prepend=-1) - 1
        else:  # a word holds a zero itself
            encoded = [word.encode("utf-8", "surrogatepass") for word in self]
            letters = np.frombuffer(b"".join(encoded), np.uint8)
            sizes = np.array(list(map(len, encoded)), np.int64)
        return np.append(letters, np.zeros(8, np.uint8)), bounds_of(sizes)

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """The hash of each word, which depends on its bytes and on their order."""
        hashes = np.zeros(len(self), np.uint64)
        for first in range(0, len(self), _SLICE):
            ends = self.bounds[first : first + _SLICE + 1]
            hashes[first : first + _SLICE] = byte_hashes(self.letters[ends[0] : ends[-1]], ends - ends[0])
        return hashes

    def same(self, ours: NDArray[np.integer], other: Vocabulary, theirs: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Compare words of this vocabulary with words of another one, pair by pair.

        Args:
            ours: numbers of words of this vocabulary.
            other: the other vocabulary.
            theirs: numbers of words of the other vocabulary, as many.

        Returns:
            For each pair, whether the two words are the same.
        """
        begin, start = self.bounds[ours], other.bounds[theirs]
        size = self.bounds[ours + 1] - begin
        same = size == other.bounds[theirs + 1] - start
        pending = np.flatnonzero(same)
        depth = 0
        while len(pending := pending[size[pending] > depth]):  # eight bytes of each pair at a time
            differ = _eight(self.letters)[begin[pending] + depth] ^ _eight(other.letters)[start[pending] + depth]
            same[pending] &= (differ & _FIRST[np.minimum(size[pending] - depth, 8)]) == 0
            depth += 8
        return same


def _eight(letters: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return, for each byte, the number that it forms with the next seven."""
    return np.ndarray(len(letters) - 7, np.dtype("<u8"), letters, strides=(1,))


_FIRST = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
"""Masks of the first n bytes of eight, for n from 0 to 8."""


def byte_hashes(letters: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the hash of each of some words.

    Args:
        letters: the bytes of the words, one word after the other.
        bounds: where each word begins, and where the last one ends.
    """
    place = np.arange(len(letters)) - np.repeat(bounds[:-1], np.diff(bounds))
    return mixed(sums(mixed((place << 8 | letters).view(np.uint64) + np.uint64(1)), bounds))


def sums(values: NDArray[np.uint64], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the sums of consecutive groups of values, modulo 2**64.

    Args:
        values: the values of all groups.
        bounds: where each group begins, and where the last one ends.
    """
    total = np.append(np.uint64(0), np.cumsum(values))
    return total[bounds[1:]] - total[bounds[:-1]]


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return values whose bits are mixed by the finaliser of splitmix64: each input bit affects all output bits.

    Args:
        values: any numbers.
    """
    values = (values ^ values >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ values >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return values ^ values >> np.uint64(31)
