"""Put predictions that use other tokens than gold on the gold tokens, by means of the letters of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of
from .corpus import Corpus, Mentions


@dataclass(frozen=True)
class Projection:
    """Counts of predictions that had to change to be put on the gold tokens. Counts of shards add up."""

    n_widened: int = 0
    """Predictions that began or ended inside a gold token, and now cover the whole token."""
    n_merged: int = 0
    """Predictions that became equal to another one."""
    n_apart: int = 0
    """Predictions that began or ended inside a word of a gold text, and so do not match that word."""
    n_lost: int = 0
    """Predictions that cover no gold token at all."""

    def __add__(self, other: Projection) -> Projection:
        return Projection(*(a + b for a, b in zip(self._counts, other._counts, strict=True)))

    @property
    def _counts(self) -> tuple[int, ...]:
        """Return the four counts in their order."""
        return self.n_widened, self.n_merged, self.n_apart, self.n_lost

    def values(self) -> dict[str, int]:
        """Return the counts under the keys that a score has for them."""
        return {
            "n_widened_pred": self.n_widened,
            "n_merged_pred": self.n_merged,
            "n_apart_pred": self.n_apart,
            "n_lost_pred": self.n_lost,
        }

    def notices(self, n_pred: int) -> list[str]:
        """Return a notice for each count that is not zero.

        Args:
            n_pred: the number of predictions that remain.
        """
        changes = []
        if self.n_widened:
            merged = f"; {self.n_merged} of them became equal to another and count once" if self.n_merged else ""
            changes.append(f"{self.n_widened} begin or end inside a gold token and are widened to whole tokens{merged}")
        if self.n_apart:
            changes.append(f"{self.n_apart} begin or end inside a word of the gold text and count as wrong")
        if self.n_lost:
            changes.append(f"{self.n_lost} hold nothing that gold has a token for and are left out")
        n_before = n_pred + self.n_merged + self.n_lost
        return [f"of {n_before} predictions, on other tokens than gold, {change}." for change in changes]


def on_gold_tokens(
    gold: Corpus, pred: Corpus, types: Mapping[str, str] | None = None
) -> tuple[Corpus, Projection] | None:
    """Return the predictions on the tokens of gold, if both have the same letters in each sample.

    A prediction that begins or ends inside a gold token then covers the whole token. Gold tokens that were only cut
    out of a text, for mentions at character offsets, are different: such a prediction is kept as a wrong one.

    Args:
        gold: the gold samples.
        pred: the predicted samples.
        types: other names for types, by the names that the data has.

    Returns:
        The predictions and the counts of what had to change. None if the letters differ, or if a prediction inside a
        gold token of a text would be taken for another one.

    >>> gold = Corpus.of([["The", "U.N.", "met"]], tags=[["O", "B-ORG", "O"]])
    >>> pred = Corpus.of([["The", "U", ".", "N", ".", "met"]], entities=[[(1, 5, "ORG")]])
    >>> on_gold_tokens(gold, pred)[0].entities()
    [[{'start': 1, 'end': 2, 'label': 'ORG'}]]
    """
    gold_letters = _Letters(gold)
    pred_letters = _Letters(pred)
    if len(gold) != len(pred) or not np.array_equal(gold_letters.of_sample, pred_letters.of_sample):
        return None
    if gold_letters.text != pred_letters.text:
        return None
    mentions = pred.mentions
    first_token = bounds_of(pred.lengths)[mentions.sample]
    begin = pred_letters.bounds[first_token + mentions.start]
    end = pred_letters.bounds[first_token + mentions.end]
    # A mention begins with the first gold token that ends after its first letter. It ends before the first gold token
    # that begins after its last letter.
    start = np.searchsorted(gold_letters.bounds[1:], begin, side="right")
    until = np.searchsorted(gold_letters.bounds[:-1], end, side="left")
    kept = start < until
    start, until = start[kept], until[kept]
    sample, label = mentions.sample[kept], mentions.label[kept]
    early = gold_letters.bounds[start] < begin[kept]
    late = gold_letters.bounds[until] > end[kept]
    inside = early | late
    first_gold_token = bounds_of(gold.lengths)[sample]
    start = start - first_gold_token
    until = until - first_gold_token
    if gold.from_text:
        new_names = types or {}
        names = tuple(new_names.get(name, name) for name in mentions.labels)
        gold_names = [new_names.get(name, name) for name in gold.mentions.labels]
        start, until, is_apart = _apart(gold, gold_names, sample, start, until, label, names, early, late)
        if not is_apart:
            return None
    columns = sample, start, until, label, mentions.labels, len(gold), gold.lengths, mentions.where
    placed = replace(Mentions.of_columns(*columns), tagging=mentions.tagging)
    if gold.from_text and len(placed) < len(sample):
        return None
    n_inside = int(inside.sum())
    n_widened = 0 if gold.from_text else n_inside
    counts = Projection(
        n_widened=n_widened,
        n_merged=len(sample) - len(placed),
        n_apart=n_inside - n_widened,
        n_lost=len(mentions) - len(sample),
    )
    return replace(gold, mentions=placed, relations=None, entity_ids=None), counts


class _Letters:
    """The letters of a corpus without the spaces inside tokens, and the place of each token among them."""

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
    """Move an edge that falls inside a word by one token, where the prediction would otherwise equal a gold mention.

    Args:
        gold: the gold samples.
        gold_names: the names of their types.
        sample: the sample of each prediction.
        start: its first gold token.
        until: the gold token behind its last one.
        label: its type.
        names: the names of the types of predictions.
        early: whether the first gold token begins before the prediction.
        late: whether the last gold token ends after the prediction.

    Returns:
        After the moves, the first token and the token behind the last one of each prediction; and whether every
        prediction could be moved.
    """
    mentions = gold.mentions
    columns = (column.tolist() for column in (mentions.sample, mentions.start, mentions.end, mentions.label))
    right = {(i, first, end, gold_names[code]) for i, first, end, code in zip(*columns, strict=True)}
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
