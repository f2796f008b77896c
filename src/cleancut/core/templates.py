"""Templates: sentences whose mentions and digits are masked."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of, ranges
from .corpus import Corpus
from .hashing import token_list_hashes
from .inputs import Interner
from .vocabulary import Vocabulary

_DIGIT = re.compile(r"\d")
_MASK = np.uint64(0x9E3779B97F4A7C15)
"""The hash of a masked mention, which is that of no word but by chance."""


def template_hashes(corpus: Corpus) -> NDArray[np.uint64]:
    """Return a hash of the template of each sample. Equal templates have equal hashes in every corpus.

    A mention is masked whatever its type and its number of words; mentions that overlap are masked as one. Each digit
    is masked by itself, so that a number of two digits is not like one of four.

    Args:
        corpus: the samples.

    >>> one = Corpus.of([["Ada", "King", "ran", "12", "km"]], tags=[["B-P", "I-P", "O", "O", "O"]])
    >>> two = Corpus.of([["Oslo", "ran", "10", "km"]], tags=[["B-L", "O", "O", "O"]])
    >>> bool(template_hashes(one)[0] == template_hashes(two)[0])
    True
    """
    bounds = bounds_of(corpus.lengths)
    mentions = corpus.mentions
    begin = bounds[mentions.sample] + mentions.start
    end = bounds[mentions.sample] + mentions.end
    inside = np.zeros(corpus.n_tokens, bool)
    inside[ranges(begin, end - begin)] = True
    # Mentions are sorted: one that begins before all earlier ones have ended is masked together with them.
    reached = np.append(0, np.maximum.accumulate(end))[:-1]
    masks = begin[reached <= begin]
    stays = ~inside
    stays[masks] = True
    table = Interner()
    number = np.array([table[word] for word in _masked(corpus.vocabulary)] or [0], np.int64)
    hashes = np.append(Vocabulary(table).hashes, np.zeros(1, np.uint64))[number[corpus.words]]
    hashes[masks] = _MASK
    kept = bounds_of(stays.astype(np.int64))[bounds]
    return token_list_hashes(hashes[stays], np.diff(kept))


def _masked(words: Sequence[str]) -> Sequence[str]:
    """Return words with each of their digits masked."""
    joined = "\0".join(words)  # all words are masked at once, with a zero between them
    masked = joined.translate(_ASCII_DIGITS) if joined.isascii() else _DIGIT.sub("0", joined)
    parts = masked.split("\0")
    if len(parts) == len(words):
        return parts
    return [_DIGIT.sub("0", word) for word in words]  # a word has a zero itself, or there is none


_ASCII_DIGITS = str.maketrans("123456789", "000000000")
"""What masks the digits of a text that has no others than those of ASCII."""
