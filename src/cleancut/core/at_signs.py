"""Find and join an "@" that is annotated apart from the user name after it, as in the Broad Twitter Corpus."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of
from .checks import instance
from .corpus import Corpus


def at_signs(corpus: Corpus) -> NDArray[np.int64]:
    """Return the mentions "@" that touch a mention of the same type right after them.

    Args:
        corpus: any corpus.

    Returns:
        The numbers of these mentions among all mentions of the corpus.
    """
    mentions = corpus.mentions
    at_code = corpus.vocabulary.index("@") if "@" in corpus.vocabulary else -1
    first_token = bounds_of(corpus.lengths)[mentions.sample] + mentions.start
    is_at = (corpus.words[first_token] == at_code) & (mentions.end - mentions.start == 1)
    same_sample = mentions.sample[1:] == mentions.sample[:-1]
    same_type = mentions.label[1:] == mentions.label[:-1]
    touching = same_sample & same_type & (mentions.start[1:] == mentions.end[:-1])
    # In "@ @ name" the first "@" is joined to the second one, which then joins nothing.
    joining: list[int] = []
    for number in np.flatnonzero(is_at[:-1] & touching).tolist():
        if not joining or number - 1 != joining[-1]:
            joining.append(number)
    return np.array(joining, np.int64)


def join_at(corpus: Corpus) -> Corpus:
    """Join each mention "@" to the mention of the same type right after it.

    The Broad Twitter Corpus annotates "@" and the user name as two mentions. The paper on partial credit joins them.

    Args:
        corpus: any corpus.

    Returns:
        The same samples with joined mentions; relations and ids follow their mentions.

    Raises:
        CleancutError: the argument is not a corpus.

    >>> tweet = Corpus.of([["@", "ada", "hi"]], tags=[["B-PER", "B-PER", "O"]])
    >>> join_at(tweet).texts()
    ['@ ada']
    """
    instance(corpus, Corpus, "corpus", "a Corpus, such as read() returns")
    mentions = corpus.mentions
    signs = at_signs(corpus)
    end = mentions.end.copy()
    keep = np.ones(len(mentions), bool)
    end[signs] = mentions.end[signs + 1]
    keep[signs + 1] = False
    place = np.cumsum(keep) - 1  # the joined mention takes the place of the "@"
    joined = replace(mentions, end=end, tagged=None).keep(keep)
    joined = replace(joined, tagging=mentions.tagging)  # so that repairs stay counted
    return corpus.with_mentions(joined, place)
