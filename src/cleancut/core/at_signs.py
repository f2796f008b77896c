"""The "@" before a user name, where it is a mention of its own (as in the Broad Twitter Corpus)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of
from .checks import instance
from .corpus import Corpus


def at_signs(corpus: Corpus) -> NDArray[np.int64]:
    """Mentions "@" that touch a mention of the same type behind them, as in the Broad Twitter Corpus."""
    mentions = corpus.mentions
    at = corpus.vocabulary.index("@") if "@" in corpus.vocabulary else -1
    place = bounds_of(corpus.lengths)[mentions.sample] + mentions.start
    alone = (corpus.words[place] == at) & (mentions.end - mentions.start == 1)
    same = (mentions.sample[1:] == mentions.sample[:-1]) & (mentions.label[1:] == mentions.label[:-1])
    touching = same & (mentions.start[1:] == mentions.end[:-1])
    found = np.flatnonzero(alone[:-1] & touching)
    # of "@ @ name" the first "@" takes the second, which then begins nothing
    keep, last = [], -2
    for k in found.tolist():
        if k - 1 != last:
            keep.append(k)
            last = k
    return np.array(keep, np.int64)


def join_at(corpus: Corpus) -> Corpus:
    """Join each mention "@" to the mention of the same type that touches it (the partial-credit paper's fix of BTC)."""
    instance(corpus, Corpus, "corpus", "a Corpus, such as read() returns")
    mentions, signs = corpus.mentions, at_signs(corpus)
    end, keep = mentions.end.copy(), np.ones(len(mentions), bool)
    end[signs] = mentions.end[signs + 1]
    keep[signs + 1] = False
    place = np.cumsum(keep) - 1  # what is joined is where the "@" is
    joined = replace(mentions, end=end, tagged=None).keep(keep)
    relations = corpus.relations and corpus.relations.moved(place)
    joined = replace(joined, tagging=mentions.tagging)  # repairs stay counted
    return replace(corpus, mentions=joined, relations=relations)
