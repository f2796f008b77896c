"""Predictions on other tokens than gold: put on the gold tokens through the letters of the text, which are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of
from .corpus import Corpus, Mentions


@dataclass(frozen=True)
class Projection:
    """What became of predictions that were on other tokens than gold. Counts of shards add up."""

    n_widened: int = 0
    """Those that began or ended inside a gold token, and have the whole token now."""
    n_merged: int = 0
    """Those that are equal to another one since."""
    n_apart: int = 0
    """Those that began or ended inside a word of a gold text, and so are no mention of that word."""
    n_lost: int = 0
    """Those that hold nothing that gold has a token for."""

    def __add__(self, other: Projection) -> Projection:
        return Projection(*(a + b for a, b in zip(self._counts, other._counts, strict=True)))

    @property
    def _counts(self) -> tuple[int, ...]:
        return self.n_widened, self.n_merged, self.n_apart, self.n_lost

    def values(self) -> dict[str, int]:
        """The counts, as a score has them."""
        return {
            "n_widened_pred": self.n_widened,
            "n_merged_pred": self.n_merged,
            "n_apart_pred": self.n_apart,
            "n_lost_pred": self.n_lost,
        }

    def notices(self, n_pred: int) -> list[str]:
        """Return what is to be said; nothing where all edges of predictions are edges of gold tokens.

        Args:
            n_pred: how many predictions there are now.
        """
        told, total = [], n_pred + self.n_merged + self.n_lost
        if self.n_widened:
            became = f"; {self.n_merged} of them became equal to another and count once" if self.n_merged else ""
            told.append(f"{self.n_widened} begin or end inside a gold token and are widened to whole tokens{became}")
        if self.n_apart:
            told.append(f"{self.n_apart} begin or end inside a word of the gold text and count as wrong")
        if self.n_lost:
            told.append(f"{self.n_lost} hold nothing that gold has a token for and are left out")
        return [f"of {total} predictions, on other tokens than gold, {text}." for text in told]


def on_gold_tokens(
    gold: Corpus, pred: Corpus, types: Mapping[str, str] | None = None
) -> tuple[Corpus, Projection] | None:
    """Return the predictions on the tokens of gold, where both have the same letters in each sample.

    None is returned where they have not, and where predictions inside the tokens of a gold text cannot be told apart.

    A prediction that begins or ends inside a gold token has the whole token then. Where the gold tokens were only cut
    out of a text, for mentions at character offsets, it is no mention of that token: it is kept, as a wrong one.

    >>> gold = Corpus.of([["The", "U.N.", "met"]], tags=[["O", "B-ORG", "O"]])
    >>> pred = Corpus.of([["The", "U", ".", "N", ".", "met"]], entities=[[(1, 5, "ORG")]])
    >>> on_gold_tokens(gold, pred)[0].entities()
    [[{'start': 1, 'end': 2, 'label': 'ORG'}]]
    """
    ours, theirs = _Letters(gold), _Letters(pred)
    if len(gold) != len(pred) or not np.array_equal(ours.of_sample, theirs.of_sample) or ours.text != theirs.text:
        return None
    mentions, first = pred.mentions, bounds_of(pred.lengths)[pred.mentions.sample]
    begin = theirs.bounds[first + mentions.start]
    end = theirs.bounds[first + mentions.end]
    start = np.searchsorted(ours.bounds[1:], begin, side="right")  # the first token that ends behind the beginning
    until = np.searchsorted(ours.bounds[:-1], end, side="left")  # the first that begins at the end or behind it
    kept = start < until
    start, until, sample, label = start[kept], until[kept], mentions.sample[kept], mentions.label[kept]
    early, late = ours.bounds[start] < begin[kept], ours.bounds[until] > end[kept]
    inside = early | late
    start, until = (tokens - bounds_of(gold.lengths)[sample] for tokens in (start, until))
    if gold.from_text:
        called = types or {}
        names = tuple(called.get(name, name) for name in mentions.labels)
        gold_names = [called.get(name, name) for name in gold.mentions.labels]
        start, until, is_apart = _apart(gold, gold_names, sample, start, until, label, names, early, late)
        if not is_apart:
            return None
    columns = sample, start, until, label, mentions.labels, len(gold), gold.lengths, mentions.where
    placed = replace(Mentions.of_columns(*columns), tagging=mentions.tagging)
    if gold.from_text and len(placed) < len(sample):
        return None
    n_inside = int(inside.sum())
    counts = Projection(
        n_widened=0 if gold.from_text else n_inside,
        n_merged=len(sample) - len(placed),
        n_apart=n_inside if gold.from_text else 0,
        n_lost=len(mentions) - len(sample),
    )
    return replace(gold, mentions=placed, relations=None), counts


class _Letters:
    """The letters of a corpus, without the spaces that tokens may hold, and where each token begins among them."""

    def __init__(self, corpus: Corpus) -> None:
        plain = ["".join(word.split()) for word in corpus.vocabulary]
        sizes = np.array([len(word) for word in plain] or [0], np.int64)[corpus.words]
        self.bounds = bounds_of(sizes)
        self.of_sample = np.diff(self.bounds[bounds_of(corpus.lengths)])
        self.text = "".join([plain[word] for word in corpus.words.tolist()])


def _apart(
    gold: Corpus,
    gold_names: Sequence[str],
    sample: NDArray[np.integer],
    start: NDArray[np.int64],
    until: NDArray[np.int64],
    label: NDArray[np.integer],
    names: tuple[str, ...],
    early: NDArray[np.bool_],
    late: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
    """Move an edge that falls inside a word by a token, where the prediction would else be a gold mention.

    The last value is False where there is no token to move one to.
    """
    mentions = gold.mentions
    columns = (column.tolist() for column in (mentions.sample, mentions.start, mentions.end, mentions.label))
    right = {(i, first, end, gold_names[t]) for i, first, end, t in zip(*columns, strict=True)}
    start, until = start.copy(), until.copy()
    for k in np.flatnonzero(early | late).tolist():
        length = int(gold.lengths[sample[k]])
        name = names[int(label[k])]
        moves = [(0, 1), (0, -1)] if late[k] else [(-1, 0), (1, 0)]
        for before, behind in [(0, 0), *moves, (-1, 0), (0, 1)]:
            span = int(start[k]) + before, int(until[k]) + behind
            if 0 <= span[0] < span[1] <= length and (int(sample[k]), *span, name) not in right:
                start[k], until[k] = span
                break
        else:
            return start, until, False
    return start, until, True
