"""Hashes of samples, by their words alone or with their mentions, and fingerprints of many samples."""

from __future__ import annotations

import base64
import hashlib

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of
from .corpus import Corpus
from .vocabulary import Vocabulary, mixed, sums


def sample_hashes(corpus: Corpus, texts: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]:
    """Return a hash of the words and mentions of each sample. Equal samples have equal hashes in every corpus.

    Args:
        corpus: the samples.
        texts: their ``text_hashes``, if they are known already.
    """
    texts = text_hashes(corpus) if texts is None else texts
    mentions = corpus.mentions
    type_hashes = np.zeros(0, np.uint64)
    if len(mentions):
        type_hashes = Vocabulary(mentions.labels).hashes[mentions.label]
    spans = mentions.start.astype(np.uint64) << np.uint64(32) | mentions.end.astype(np.uint64)
    bounds = bounds_of(np.bincount(mentions.sample, minlength=len(corpus)))
    return mixed(texts + sums(mixed(type_hashes ^ mixed(spans)), bounds))


def text_hashes(corpus: Corpus) -> NDArray[np.uint64]:
    """Return a hash of the words of each sample. Equal words give equal hashes in every corpus.

    Args:
        corpus: the samples.
    """
    word_hashes = corpus.vocabulary.hashes
    sample_sums = np.zeros(len(corpus), np.uint64)
    bounds = bounds_of(corpus.lengths)
    for first in range(0, len(corpus), _SLICE):
        ends = bounds[first : first + _SLICE + 1]
        sample_sums[first : first + _SLICE] = _list_sums(word_hashes[corpus.words[ends[0] : ends[-1]]], ends - ends[0])
    return mixed(sample_sums + corpus.lengths.astype(np.uint64))


def token_list_hashes(tokens: NDArray[np.uint64], lengths: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a hash of each list of tokens, as ``text_hashes`` does for the words of samples.

    Args:
        tokens: the hash of each token, one list after the other.
        lengths: the number of tokens of each list.
    """
    return mixed(_list_sums(tokens, bounds_of(lengths)) + lengths.astype(np.uint64))


def _list_sums(tokens: NDArray[np.uint64], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a sum for each list of tokens that depends on their order, from their hashes and the bounds of lists."""
    place = np.arange(len(tokens)) - np.repeat(bounds[:-1], np.diff(bounds))
    return sums(tokens * (2 * place + 1).view(np.uint64), bounds)


_SLICE = 1 << 13
"""How many samples are hashed at a time, so that no array over all tokens is made."""


def fingerprint_of(hashes: NDArray[np.uint64]) -> str:
    """Return a fingerprint of a set of samples that does not depend on their order.

    Args:
        hashes: the hash of each sample.
    """
    return f"{int(hashes.sum(dtype=np.uint64)):016x}"


def marks_of(hashes: NDArray[np.uint64]) -> str:
    """Return a text with four letters for each sample. Two different samples have the same letters once in 2**24 times.

    Args:
        hashes: the hash of each sample.
    """
    low = hashes.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :3]
    return base64.b64encode(np.ascontiguousarray(low).tobytes()).decode("ascii")


def order_of(hashes: NDArray[np.uint64]) -> str:
    """Return a fingerprint of samples that depends on their order.

    Args:
        hashes: the hash of each sample.
    """
    return hashlib.blake2b(hashes.tobytes(), digest_size=8).hexdigest()
