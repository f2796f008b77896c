"""Hashes of samples: by their text, by their mentions as well, and fingerprints of many of them."""

from __future__ import annotations

import base64
import hashlib

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of
from .corpus import Corpus
from .vocabulary import Vocabulary, mixed, sums


def sample_hashes(corpus: Corpus, texts: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]:
    """A number for the words and mentions of each sample, equal for equal samples in any corpus."""
    texts = text_hashes(corpus) if texts is None else texts
    mentions = corpus.mentions
    of_type = Vocabulary(mentions.labels).hashes[mentions.label] if len(mentions) else np.zeros(0, np.uint64)
    span = mentions.start.astype(np.uint64) << np.uint64(32) | mentions.end.astype(np.uint64)
    bounds = np.searchsorted(mentions.sample, np.arange(len(corpus) + 1))
    return mixed(texts + sums(mixed(of_type ^ mixed(span)), bounds))


def text_hashes(corpus: Corpus) -> NDArray[np.uint64]:
    """A number for the words of each sample, equal where all words are, in any corpus."""
    of_word = corpus.vocabulary.hashes
    of_sample, bounds = np.zeros(len(corpus), np.uint64), bounds_of(corpus.lengths)
    for first in range(0, len(corpus), _SLICE):
        ends = bounds[first : first + _SLICE + 1]
        place = np.arange(ends[0], ends[-1]) - np.repeat(ends[:-1], np.diff(ends))
        of_token = of_word[corpus.words[ends[0] : ends[-1]]] * (2 * place + 1).view(np.uint64)
        of_sample[first : first + _SLICE] = sums(of_token, ends - ends[0])
    return mixed(of_sample + corpus.lengths.astype(np.uint64))


_SLICE = 1 << 13
"""Samples whose tokens are hashed at a time, so that no array over all tokens is made."""


def fingerprint_of(hashes: NDArray[np.uint64]) -> str:
    """Of samples in any order."""
    return f"{int(hashes.sum(dtype=np.uint64)):016x}"


def marks_of(hashes: NDArray[np.uint64]) -> str:
    """Return a text of four letters for each sample, which tell one that is another from it, but for one in 2**24."""
    low = hashes.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :3]
    return base64.b64encode(np.ascontiguousarray(low).tobytes()).decode("ascii")


def order_of(hashes: NDArray[np.uint64]) -> str:
    """Of samples in this order."""
    return hashlib.blake2b(hashes.tobytes(), digest_size=8).hexdigest()
