"""Find words and phrases of the training data at all places of a text at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ..core.vocabulary import Vocabulary
from .tallies import Places


class Words:
    """Numbered words that are looked up many at a time, by hash and then letter by letter.

    In a ``dict`` each word would be looked up by itself, with several misses of the processor's cache.

    Args:
        numbers: the number of each word.
    """

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = numbers
        self._words = Vocabulary(numbers)
        self._places = Places(_codes(self._words))

    def find(self, words: Vocabulary) -> NDArray[np.int32]:
        """Return the number of each word; -1 for a word that is unknown.

        Args:
            words: the words to look up.
        """
        numbers = self._places.find(_codes(words))
        candidates = np.flatnonzero(numbers >= 0)
        same = words.same(candidates, self._words, numbers[candidates])
        for i in candidates[~same].tolist():  # another word has the same hash
            numbers[i] = self._numbers.get(words[i], -1)
        return numbers


def _codes(words: Vocabulary) -> NDArray[np.int64]:
    """Return the hashes of words as numbers that are not negative."""
    return (words.hashes >> np.uint64(1)).view(np.int64)


class Phrases:
    """Surfaces as a tree of words, which is descended from many places of a text at once.

    A node stands for the first words of a surface. The node of a single word has the number of the word; the nodes of
    longer beginnings are numbered on from there, level by level.

    Args:
        surfaces: the words of each surface, as the bytes of their 32-bit numbers.
        n_words: all numbers of words are below it.
    """

    def __init__(self, surfaces: Collection[bytes], n_words: int) -> None:
        size = np.fromiter(map(len, surfaces), np.int64, count=len(surfaces)) // 4
        words = np.frombuffer(b"".join(surfaces), np.int32).astype(np.int64)
        begin = np.cumsum(size) - size
        node = words[begin]
        pending = np.arange(len(size))
        depth = 1
        levels = [np.zeros(0, np.int64)]
        n_nodes = n_words
        while len(pending := pending[size[pending] > depth]):
            level, step = np.unique(node[pending] << 32 | words[begin[pending] + depth], return_inverse=True)
            node[pending] = n_nodes + step
            levels.append(level)
            n_nodes += len(level)
            depth += 1
        steps = np.concatenate(levels)  # a step is a node and a word that follows it
        self._n_words = n_words
        self._steps = Places(steps)
        # All tables have one entry more than there are nodes or words: the index -1 (unknown) reads the last one.
        self._surface = np.full(n_nodes + 1, -1, np.int32)  # node -> the surface that ends there
        self._surface[node] = np.arange(len(size))
        self._branches = np.zeros(n_nodes + 1, bool)  # node -> does a word follow it?
        self._branches[steps >> 32] = True
        self._inner = np.zeros(n_words + 1, bool)  # word -> does it follow a node?
        self._inner[steps & 0xFFFFFFFF] = True
        self._roles = np.zeros(n_words + 1, np.uint8)
        self._roles[:n_words] |= _WHOLE * (self._surface[:n_words] >= 0)
        self._roles[:n_words] |= _LEADS_ON * self._branches[:n_words]
        self._roles |= _INNER * self._inner

    def of(self, words: NDArray[np.int32], begin: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the surface that the words at each place make up; -1 for none.

        Args:
            words: the words of the text.
            begin: the first word of each place.
            size: the number of words of each place.
        """
        node = words[begin].astype(np.int64)
        pending = np.flatnonzero(size > 1)
        depth = 1
        while len(pending):
            node[pending] = step = self._step(node[pending], words[begin[pending] + depth])
            depth += 1
            pending = pending[(step >= 0) & (size[pending] > depth)]
        return self._surface[node]

    def everywhere(
        self, words: NDArray[np.int32], last: NDArray[np.bool_]
    ) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int32]]]:
        """Yield the places of surfaces in a text: those of one word first, then those of two, and so on.

        Args:
            words: the words of the text.
            last: for each word, whether it is the last one of its sample.

        Yields:
            The number of words, the places at which such a surface begins, and the surface at each place.
        """
        roles = self._roles.take(words)
        begin = np.flatnonzero(roles & _WHOLE > 0)
        yield 1, begin, self._surface[words[begin]]
        begin = np.flatnonzero((roles[:-1] & _LEADS_ON > 0) & (roles[1:] & _INNER > 0) & ~last[:-1])
        node = words[begin].astype(np.int64)
        depth = 1
        while len(begin):
            node = self._step(node, words[begin + depth])
            depth += 1
            exists = node >= 0
            begin, node = begin[exists], node[exists]
            surface = self._surface[node]
            is_surface = surface >= 0
            yield depth, begin[is_surface], surface[is_surface]
            goes_on = ~last[begin + depth - 1]
            begin, node = begin[goes_on], node[goes_on]

    def _step(self, node: NDArray[np.int64], word: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the node that a further word leads to from each node; -1 for none."""
        next_node = np.full(len(node), -1, np.int64)
        candidates = np.flatnonzero(self._branches[node] & self._inner[word])  # which avoids most look-ups
        step = self._steps.find(node[candidates] << 32 | word[candidates])
        next_node[candidates] = np.where(step < 0, -1, step + np.int64(self._n_words))
        return next_node


_WHOLE = np.uint8(1)
"""The role of a word that is a surface by itself."""
_LEADS_ON = np.uint8(2)
"""The role of a word that begins a longer surface."""
_INNER = np.uint8(4)
"""The role of a word that continues a surface."""


def taken_in_turn(begin: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the spans that a reader takes who goes from left to right and continues behind each taken span.

    Args:
        begin: where each span begins, sorted.
        end: where each span ends.
    """
    # A span that no earlier one reaches into is always taken. From each taken span the reader goes on to the first span
    # that begins behind it; all of them do so at once.
    taken = np.append(0, np.maximum.accumulate(end))[:-1] <= begin
    current = np.flatnonzero(taken & ~np.append(taken, True)[1:])
    while len(current):
        current = np.searchsorted(begin, end[current])
        current = current[current < len(begin)]
        current = current[~taken[current]]
        taken[current] = True
    return np.flatnonzero(taken)
