"""Two small taggers for the demo, which train in seconds: one that only remembers, and one that learns."""

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
    """A tagger that has been trained."""

    def tag(self, text: Corpus) -> Corpus:
        """Return the text with predicted mentions in place of its own."""


class LookUp:
    """A tagger that finds only names of training which are mentions there more often than not.

    A name gets its most frequent type.

    Args:
        train: the training data.

    >>> train = Corpus.of([["Ada", "spoke"]], tags=[["B-PER", "O"]])
    >>> LookUp(train).tag(Corpus.of([["Bo", "met", "Ada"]], tags=[["B-PER", "O", "B-PER"]])).texts()
    ['Ada']
    """

    def __init__(self, train: Corpus) -> None:
        self._shown = Exposure.of(train)

    def tag(self, text: Corpus) -> Corpus:
        """Return the text with the names of training that appear in it as mentions."""
        return text.with_predictions(self._shown.view(text).memorised)


class Perceptron:
    """A structured perceptron with averaged weights (Collins 2002) over words, shapes, affixes and neighbours.

    It predicts the sequence of IOB2 tags with the largest sum of weights. Where that is wrong in training, the weights
    for the right sequence are increased and those for the wrong one are decreased. Weights are whole numbers, so that
    the result is the same on every machine.

    Args:
        train: the training data.
        epochs: the number of passes over the training data.
        seed: the seed of the order of the samples.
        progress: called with the share of the work done since it was called last.

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
        train_forms = {form for word in [_BORDER, *_words(train)] for form in _forms(word)}
        self._number = {form: i for i, form in enumerate(["", *sorted(train_forms)])}
        n_features = len(_WINDOW) * len(self._number)
        # The last rows are for the previous tag, which is a feature like the others.
        self._weights = np.zeros((n_features + len(self.tags), len(self.tags)), np.int64)
        tag_number = {tag: i for i, tag in enumerate(self.tags)}
        samples = [
            (features, np.array([tag_number[tag] for tag in tags], np.int64))
            for features, tags in zip(self._features(train), train.tags(), strict=True)
        ]
        self._learn(samples, epochs, seed, progress)

    def _learn(
        self, samples: list[tuple[Ints, Ints]], epochs: int, seed: int, progress: Callable[[float], None] | None
    ) -> None:
        """Set the weights to their average over all steps of training (times the number of steps).

        Args:
            samples: the features and the tags of each sample.
            epochs: the number of passes over the samples.
            seed: the seed of the order of the samples.
            progress: called with the share of the work done since it was called last.
        """
        first_tag_row = len(self._weights) - len(self.tags)
        # Every change is also added up times the step it is made at, from which the average follows at the end.
        changes_by_step = np.zeros_like(self._weights)
        rng = random.Random(seed)
        step = 0
        for _ in range(epochs):
            rng.shuffle(samples)
            for features, gold in samples:
                step += 1
                predicted = self._best(features)
                if np.array_equal(predicted, gold):
                    continue
                for tags, sign in ((gold, 1), (predicted, -1)):
                    previous = np.append(0, tags[:-1])
                    cells = np.column_stack([features, first_tag_row + previous]), tags[:, None]
                    np.add.at(self._weights, cells, sign)
                    np.add.at(changes_by_step, cells, sign * step)
            if progress:
                progress(1 / epochs)
        self._weights = (step + 1) * self._weights - changes_by_step

    def tag(self, text: Corpus) -> Corpus:
        """Return the text with the mentions of the best sequence of tags of each sample."""
        best = map(self._best, self._features(text))
        return text.with_predictions([[self.tags[tag] for tag in tags] for tags in best])

    def _features(self, text: Corpus) -> list[Ints]:
        """Return for each sample the rows of weights that count for each token.

        There is a block of rows for each position of the window. The first row of a block is for forms that training
        does not have; its weights stay 0.
        """
        words = [_BORDER, *_words(text)]
        forms = np.array([[self._number.get(form, 0) for form in _forms(word)] for word in words])
        table = np.zeros(len(text.vocabulary), np.int64)
        table[text.used_words()] = np.arange(1, len(words))
        # The samples follow each other, with borders between them that are as wide as the window reaches.
        at = np.arange(text.n_tokens) + _REACH * np.repeat(np.arange(1, len(text) + 1), text.lengths)
        padded = np.zeros(text.n_tokens + _REACH * (len(text) + 1), np.int64)
        padded[at] = table[text.words]
        blocks = [
            block * len(self._number) + forms[padded[at + offset]][:, chosen]
            for block, (offset, chosen) in enumerate(_WINDOW.items())
        ]
        return np.split(np.concatenate(blocks, axis=1), bounds_of(text.lengths)[1:-1])

    def _best(self, features: Ints) -> Ints:
        """Return the sequence of tags with the largest sum of weights, by the Viterbi algorithm."""
        token_scores = self._weights[features].sum(axis=1)
        transitions = self._weights[-len(self.tags) :] + self._penalty
        all_tags = np.arange(len(self.tags), dtype=np.int64)
        score = _NEVER * (all_tags > 0)  # a sample begins as if the tag before it were O
        best_previous = []
        for token_score in token_scores:
            reached = score[:, None] + transitions
            best_previous.append(reached.argmax(axis=0))
            score = reached[best_previous[-1], all_tags] + token_score
        tags = [int(score.argmax())]
        for previous in best_previous[:0:-1]:
            tags.append(int(previous[tags[-1]]))
        return np.array(tags[::-1], np.int64)[: len(token_scores)]


def _words(text: Corpus) -> list[str]:
    """Return the different words of a text."""
    return [text.vocabulary[w] for w in text.used_words().tolist()]


_BORDER = ""
"""The word beyond either end of a sample."""
_WINDOW = {-2: [0], -1: [0, 1, 5], 0: [0, 1, 2, 3, 4, 5, 6], 1: [0, 1, 5], 2: [0]}
"""The words around a token by their distance, and the numbers of their forms that are features."""
_REACH = max(_WINDOW)
"""The largest distance of a word in the window."""
_NEVER = -(2**60)
"""The score of a sequence of tags that is not allowed."""


def _forms(word: str) -> list[str]:
    """Return the forms of a word: itself, its shape (``Xx``, ``X.``, ``0-0``), its beginnings and its endings."""
    shape = re.sub(r"(.)\1+", r"\1", "".join(map(_shape_of_character, word)))
    forms = [word.lower(), shape, word[:2], word[:3], word[-2:], word[-3:], word[-4:]]
    return [f"{i}{form}" for i, form in enumerate(forms)]


def _shape_of_character(character: str) -> str:
    """Return ``X`` for an upper-case letter, ``x`` for a lower-case one, ``0`` for a digit, else the character."""
    if character.isupper():
        return "X"
    if character.islower():
        return "x"
    return "0" if character.isdigit() else character
