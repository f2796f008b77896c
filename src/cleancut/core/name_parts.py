"""Which names are part of which others: the words of one are a run of whole words of the other.

Names are descended in a tree of words, all at once, so that no two names are ever compared for their own sake.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of, ranges


class WordLists(NamedTuple):
    """Lists of words, one after the other, as numbers."""

    words: NDArray[np.int64]
    """The number of each word, list by list."""
    sizes: NDArray[np.int64]
    """The number of words of each list, which may be 0."""

    @classmethod
    def of(cls, lists: Sequence[Sequence[int]]) -> WordLists:
        """Return lists of numbers.

        Args:
            lists: the numbers of each list.
        """
        flat = [word for words in lists for word in words]
        return cls(np.array(flat, np.int64), np.array([len(words) for words in lists], np.int64))

    def without(self, dropped: int) -> WordLists:
        """Return the lists without a word, wherever it stands.

        Args:
            dropped: the number of the word.
        """
        stays = self.words != dropped
        of_word = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return WordLists(self.words[stays], np.bincount(of_word[stays], minlength=len(self.sizes)))

    def distinct(self) -> tuple[WordLists, NDArray[np.int64]]:
        """Return the distinct lists, and the number of each list among them."""
        nodes, _ = _numbered_prefixes(self)
        _, first, number = np.unique(nodes, return_index=True, return_inverse=True)
        return self.select(first), number

    def select(self, chosen: NDArray[np.int64]) -> WordLists:
        """Return some of the lists.

        Args:
            chosen: their numbers.
        """
        sizes = self.sizes[chosen]
        return WordLists(self.words[ranges(bounds_of(self.sizes)[:-1][chosen], sizes)], sizes)


def _numbered_prefixes(lists: WordLists) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Return the node of each list in the tree of words, and the steps to the nodes of each level.

    A node stands for the first words of a list, and node 0 for no words at all. A step is a node and the word that
    follows it as one number; the steps of a level are sorted, and lead to nodes with numbers in this order.
    """
    begin = bounds_of(lists.sizes)[:-1]
    node = np.zeros(len(lists.sizes), np.int64)
    pending = np.flatnonzero(lists.sizes)
    levels = []
    n_nodes, depth = 1, 0
    while len(pending):
        steps, place = np.unique(node[pending] << 32 | lists.words[begin[pending] + depth], return_inverse=True)
        node[pending] = n_nodes + place
        levels.append(steps)
        n_nodes += len(steps)
        depth += 1
        pending = pending[lists.sizes[pending] > depth]
    return node, levels


class NameTree:
    """Distinct names as a tree of words, which is descended from all places of other names at once.

    Args:
        names: the words of each name. Those without words are part of nothing.
    """

    def __init__(self, names: WordLists) -> None:
        node, self._levels = _numbered_prefixes(names)
        self._first_node = 1 + bounds_of(np.array([len(steps) for steps in self._levels], np.int64))
        self._name = np.full(int(self._first_node[-1]), -1, np.int64)  # node -> the name that ends there
        has_words = names.sizes > 0
        self._name[node[has_words]] = np.flatnonzero(has_words)

    def runs_in(self, texts: WordLists) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the names whose words are a run of the words of others.

        Args:
            texts: the words of the others.

        Yields:
            Numbers of texts, and of a name that each of them has as a run: of one word first, then of two, and so on.
            A name that a text has at several places is yielded for each of them.
        """
        text = np.repeat(np.arange(len(texts.sizes)), texts.sizes)
        end = np.repeat(bounds_of(texts.sizes)[1:], texts.sizes)
        place = np.arange(len(text))
        node = np.zeros(len(text), np.int64)
        for depth, steps in enumerate(self._levels):
            step = node << 32 | texts.words[place + depth]
            at = np.minimum(np.searchsorted(steps, step), len(steps) - 1)
            exists = steps[at] == step
            place = place[exists]
            text = text[exists]
            end = end[exists]
            node = self._first_node[depth] + at[exists]
            name = self._name[node]
            is_name = name >= 0
            yield text[is_name], name[is_name]
            goes_on = place + depth + 1 < end
            place = place[goes_on]
            text = text[goes_on]
            end = end[goes_on]
            node = node[goes_on]


def generic_words(names: WordLists, limit: int) -> NDArray[np.bool_]:
    """Return whether each word is generic: whether more than ``limit`` distinct names of several words have it.

    Args:
        names: the words of distinct names.
        limit: the most names that a word which is not generic occurs in.
    """
    n_words = int(names.words.max(initial=-1)) + 1
    several = names.select(np.flatnonzero(names.sizes > 1))
    name = np.repeat(np.arange(len(several.sizes)), several.sizes)
    pairs = np.unique(name * max(n_words, 1) + several.words)  # a word that a name has twice counts once
    return np.bincount(pairs % max(n_words, 1), minlength=n_words) > limit


def part_pairs(names: WordLists, limit: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs of distinct names of which the second is part of the first.

    Args:
        names: the words of distinct names.
        limit: a word that occurs in more names of two or more words is generic, and no part by itself.

    Returns:
        The longer name and the shorter name of each pair. The pairs are sorted, and none is there twice.

    >>> names = WordLists.of([[0, 1], [1], [2, 0, 1], [3]])
    >>> [pair.tolist() for pair in part_pairs(names, 20)]
    [[0, 2, 2], [1, 0, 1]]
    """
    counts = ~is_generic(names, generic_words(names, limit))
    n = len(names.sizes)
    codes = [np.zeros(0, np.int64)]
    for whole, part in NameTree(names).runs_in(names):
        chosen = (whole != part) & counts[part]
        codes.append(np.unique(whole[chosen] * n + part[chosen]))
    whole, part = np.divmod(np.unique(np.concatenate(codes)), max(n, 1))
    return whole, part


def is_generic(names: WordLists, generic: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each name whether it is one generic word, or has no words: such a name is part of no other.

    Args:
        names: the words of each name.
        generic: for each word, whether it is generic; words with larger numbers are not.
    """
    alone = np.flatnonzero(names.sizes == 1)
    word = names.words[bounds_of(names.sizes)[:-1][alone]]
    known = word < len(generic)
    result = names.sizes == 0
    result[alone[known]] = generic[word[known]]
    return result
