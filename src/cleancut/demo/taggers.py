"""Two small taggers that train in seconds: one that only remembers, and one that learns. For the demo, not for use."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import bounds_of
from ..core.corpus import Corpus
from ..scoring.exposure import Exposure

Ints = NDArray[np.int64]


class Tagger(Protocol):
    """What has been trained and finds mentions."""

    def tag(self, text: Corpus) -> Corpus:
        """The same text with the mentions that are found in it."""


class LookUp:
    """Finds names that training has as mentions more often than not, with their most frequent type, and nothing else.

    >>> train = Corpus.of([["Ada", "spoke"]], tags=[["B-PER", "O"]])
    >>> LookUp(train).tag(Corpus.of([["Bo", "met", "Ada"]], tags=[["B-PER", "O", "B-PER"]])).texts()
    ['Ada']
    """

    def __init__(self, train: Corpus) -> None:
        self._shown = Exposure.of(train)

    def tag(self, text: Corpus) -> Corpus:
        """The training mentions that stand in the text."""
        return text.with_predictions(self._shown.view(text).memorised)


class Perceptron:
    """A structured perceptron with averaged weights (Collins 2002) over words, shapes, affixes and neighbours.

    It seeks the best sequence of IOB2 tags under its weights. Where that is wrong in training, the weights that speak
    for the right sequence rise and those for the wrong one fall. Weights are whole numbers: every machine learns the
    same.

    >>> train = Corpus.of([["Ada", "spoke"], ["so", "Bo", "spoke"]], tags=[["B-PER", "O"], ["O", "B-PER", "O"]])
    >>> Perceptron(train).tag(Corpus.of([["Di", "spoke"]], tags=[["O", "O"]])).texts()
    ['Di']
    """

    def __init__(
        self, train: Corpus, *, epochs: int = 5, seed: int = 13, progress: Callable[[float], None] | None = None
    ) -> None:
        self.tags = ["O", *(f"{prefix}-{name}" for name in train.mentions.labels for prefix in "BI")]
        illegal = [[tag[0] == "I" and tag[2:] != before[2:] for tag in self.tags] for before in self.tags]
        self._penalty = _NEVER * np.array(illegal, np.int64)
        shown = {form for word in [_BORDER, *_words(train)] for form in _forms(word)}
        self._number = {form: i for i, form in enumerate(["", *sorted(shown)])}
        n_features = len(_WINDOW) * len(self._number)
        # the last rows are of the tag before, which is a feature like the others
        self._weights = np.zeros((n_features + len(self.tags), len(self.tags)), np.int64)
        number = {tag: i for i, tag in enumerate(self.tags)}
        samples = [
            (features, np.array([number[tag] for tag in tags], np.int64))
            for features, tags in zip(self._features(train), train.tags(), strict=True)
        ]
        late = np.zeros_like(self._weights)  # every change times the step it was made at: the average follows from it
        rng, step = random.Random(seed), 0
        for _ in range(epochs):
            rng.shuffle(samples)
            for features, gold in samples:
                step += 1
                found = self._best(features)
                if not np.array_equal(found, gold):
                    for tags, sign in ((gold, 1), (found, -1)):
                        before = np.append(0, tags[:-1])
                        at = np.column_stack([features, n_features + before]), tags[:, None]
                        np.add.at(self._weights, at, sign)
                        np.add.at(late, at, sign * step)
            if progress:
                progress(1 / epochs)
        self._weights = (step + 1) * self._weights - late

    def tag(self, text: Corpus) -> Corpus:
        """The best sequence of tags of each sample."""
        best = map(self._best, self._features(text))
        return text.with_predictions([[self.tags[t] for t in tags] for tags in best])

    def _features(self, text: Corpus) -> list[Ints]:
        """Of each sample, the rows of weights that speak for each token; row 0 of each block speaks for nothing."""
        words = [_BORDER, *_words(text)]
        forms = np.array([[self._number.get(form, 0) for form in _forms(word)] for word in words])
        table = np.zeros(len(text.vocabulary), np.int64)
        table[text.used_words()] = np.arange(1, len(words))
        # the samples one after the other, with borders around them that are as wide as the window
        at = np.arange(text.n_tokens) + _REACH * np.repeat(np.arange(1, len(text) + 1), text.lengths)
        padded = np.zeros(text.n_tokens + _REACH * (len(text) + 1), np.int64)
        padded[at] = table[text.words]
        blocks = [
            block * len(self._number) + forms[padded[at + offset]][:, chosen]
            for block, (offset, chosen) in enumerate(_WINDOW.items())
        ]
        return np.split(np.concatenate(blocks, axis=1), bounds_of(text.lengths)[1:-1])

    def _best(self, features: Ints) -> Ints:
        """The sequence of tags with the highest sum of weights (Viterbi)."""
        own, follows = self._weights[features].sum(axis=1), self._weights[-len(self.tags) :] + self._penalty
        every = np.arange(len(self.tags), dtype=np.int64)
        score = _NEVER * (every > 0)  # a sample begins as if an O stood before it
        origins = []
        for row in own:
            reached = score[:, None] + follows
            origins.append(reached.argmax(axis=0))
            score = reached[origins[-1], every] + row
        tags = [int(score.argmax())]
        for origin in origins[:0:-1]:
            tags.append(int(origin[tags[-1]]))
        return np.array(tags[::-1], np.int64)[: len(own)]


def _words(text: Corpus) -> list[str]:
    return [text.vocabulary[w] for w in text.used_words().tolist()]


_BORDER = ""
"""The word beyond either end of a sample."""
_WINDOW = {-2: [0], -1: [0, 1, 5], 0: [0, 1, 2, 3, 4, 5, 6], 1: [0, 1, 5], 2: [0]}
"""The words around a token, by their distance, and which of their forms count."""
_REACH = max(_WINDOW)
_NEVER = -(2**60)


def _forms(word: str) -> list[str]:
    """What is seen of a word: itself, its shape (``Xx``, ``X.``, ``0-0``), its beginnings and its endings."""
    shape = "".join("X" if c.isupper() else "x" if c.islower() else "0" if c.isdigit() else c for c in word)
    shape = re.sub(r"(.)\1+", r"\1", shape)
    seen = [word.lower(), shape, word[:2], word[:3], word[-2:], word[-3:], word[-4:]]
    return [f"{i}{form}" for i, form in enumerate(seen)]
