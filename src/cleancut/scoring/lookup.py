"""Words and phrases of training, found at all places of a text at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ..core.vocabulary import Vocabulary
from .tallies import Places


class Words:
    """Numbered words, found many at a time: by hash, and then compared letter by letter.

    In a ``dict`` each word would be found on its own, with several misses of the processor's cache.
    """

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers, self._words = numbers, Vocabulary(numbers)
        self._places = Places(_codes(self._words))

    def find(self, words: Vocabulary) -> NDArray[np.int32]:
        """The number of each word; -1 for one that is not there."""
        found = self._places.find(_codes(words))
        maybe = np.flatnonzero(found >= 0)
        same = words.same(maybe, self._words, found[maybe])
        for i in maybe[~same].tolist():  # another word has the same hash
            found[i] = self._numbers.get(words[i], -1)
        return found


def _codes(words: Vocabulary) -> NDArray[np.int64]:
    """The hashes as numbers that are not negative."""
    return (words.hashes >> np.uint64(1)).view(np.int64)


class Phrases:
    """Surfaces as a tree of words, descended from many places of a text at once."""

    def __init__(self, surfaces: Collection[bytes], n_words: int) -> None:
        size = np.fromiter(map(len, surfaces), np.int64, count=len(surfaces)) // 4
        words = np.frombuffer(b"".join(surfaces), np.int32).astype(np.int64)
        begin = np.cumsum(size) - size
        # a first word is its own node; the steps to further words lead to nodes that are numbered on from there
        node, left, depth = words[begin], np.arange(len(size)), 1
        levels, n_nodes = [np.zeros(0, np.int64)], n_words
        while len(left := left[size[left] > depth]):
            level, step = np.unique(node[left] << 32 | words[begin[left] + depth], return_inverse=True)
            node[left] = n_nodes + step
            levels.append(level)
            n_nodes, depth = n_nodes + len(level), depth + 1
        steps = np.concatenate(levels)
        self._n_words, self._steps = n_words, Places(steps)
        self._surface = np.full(n_nodes + 1, -1, np.int32)  # of each node; as in all tables here, -1 asks for the last
        self._surface[node] = np.arange(len(size))
        self._branches = np.zeros(n_nodes + 1, bool)  # of each node: do steps lead on?
        self._branches[steps >> 32] = True
        self._inner = np.zeros(n_words + 1, bool)  # of each word: do steps lead to it?
        self._inner[steps & 0xFFFFFFFF] = True
        self._roles = np.zeros(n_words + 1, np.uint8)
        self._roles[:n_words] |= _WHOLE * (self._surface[:n_words] >= 0)
        self._roles[:n_words] |= _LEADS_ON * self._branches[:n_words]
        self._roles |= _INNER * self._inner

    def of(self, words: NDArray[np.int32], begin: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int32]:
        """The surface that the words at each place make up; -1 for none."""
        node, left, depth = words[begin].astype(np.int64), np.flatnonzero(size > 1), 1
        while len(left):
            node[left] = step = self._step(node[left], words[begin[left] + depth])
            depth += 1
            left = left[(step >= 0) & (size[left] > depth)]
        return self._surface[node]

    def everywhere(
        self, words: NDArray[np.int32], last: NDArray[np.bool_]
    ) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int32]]]:
        """For surfaces of one word, of two, and so on: at which places of a text there is one, and which it is.

        ``last`` says of each word whether it is the last one of its sample.
        """
        roles = self._roles.take(words)
        begin = np.flatnonzero(roles & _WHOLE > 0)
        yield 1, begin, self._surface[words[begin]]
        begin = np.flatnonzero((roles[:-1] & _LEADS_ON > 0) & (roles[1:] & _INNER > 0) & ~last[:-1])
        node, depth = words[begin].astype(np.int64), 1
        while len(begin):
            node = self._step(node, words[begin + depth])
            begin, node, depth = begin[node >= 0], node[node >= 0], depth + 1
            surface = self._surface[node]
            yield depth, begin[surface >= 0], surface[surface >= 0]
            on = ~last[begin + depth - 1]
            begin, node = begin[on], node[on]

    def _step(self, node: NDArray[np.int64], word: NDArray[np.int32]) -> NDArray[np.int64]:
        """The node to which a further word leads from each node; -1 for none."""
        found = np.full(len(node), -1, np.int64)
        maybe = np.flatnonzero(self._branches[node] & self._inner[word])  # spares most look-ups
        step = self._steps.find(node[maybe] << 32 | word[maybe])
        found[maybe] = np.where(step < 0, -1, step + np.int64(self._n_words))
        return found


_WHOLE, _LEADS_ON, _INNER = np.uint8(1), np.uint8(2), np.uint8(4)
"""What a word may be in surfaces: a whole one, one from which steps lead on, one to which steps lead."""


def taken_in_turn(begin: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which of sorted spans a reader takes who goes from left to right, and on from the end of each."""
    # a span that none before reaches is taken, whatever the others; from it one goes on to the first after its end
    taken = np.append(0, np.maximum.accumulate(end))[:-1] <= begin
    now = np.flatnonzero(taken & ~np.append(taken, True)[1:])
    while len(now):
        now = np.searchsorted(begin, end[now])
        now = now[now < len(begin)]
        now = now[~taken[now]]
        taken[now] = True
    return np.flatnonzero(taken)
