"""Decide what counts as the same entity, or as the same pair or triple of a relation."""

from __future__ import annotations

import unicodedata
from enum import StrEnum
from typing import Any, NamedTuple, assert_never

import numpy as np
from numpy.typing import NDArray

from . import checks
from .arrays import bounds_of, ranges
from .corpus import Corpus
from .exceptions import CleancutError, quoted
from .inputs import Interner

_FORMS = ("NFC", "NFD", "NFKC", "NFKD")


class Key(NamedTuple):
    """The entity key: which properties two mentions must share to be the same entity."""

    case: bool = True
    """Whether case matters."""
    typed: bool = True
    """Whether the type is part of the key."""
    unicode: str | None = None
    """A Unicode normal form (NFC, NFKC, ...) that words are converted to first."""

    @classmethod
    def of(cls, case: Any, typed: Any, unicode: Any = None) -> Key:
        """Return the key that a user has chosen.

        Args:
            case: whether case matters.
            typed: whether the type is part of the key.
            unicode: a Unicode normal form, or None.

        Raises:
            CleancutError: one of the values is not valid.
        """
        if unicode is not None and unicode not in _FORMS:
            raise CleancutError(f"unicode={quoted(unicode)} is unknown. Choose one of {', '.join(_FORMS)}, or None.")
        return cls(checks.switch(case, "case"), checks.switch(typed, "typed"), unicode)

    def __str__(self) -> str:
        parts = ["surface+type" if self.typed else "surface"]
        if not self.case:
            parts.append("uncased")
        if self.unicode:
            parts.append(self.unicode.lower())
        return ",".join(parts)

    @property
    def folds(self) -> bool:
        """Whether words are compared in another form than the one they are written in."""
        return not self.case or self.unicode is not None

    def fold(self, word: str) -> str:
        """Return the form in which a word is compared.

        Args:
            word: the word as it is written.
        """
        word = word if self.case else word.casefold()
        return unicodedata.normalize(self.unicode, word) if self.unicode else word  # type: ignore[arg-type]


class Shared(StrEnum):
    """The things that splits must not share."""

    ENTITY = "entity"
    PAIR = "pair"
    """The surfaces of the head and the tail of a relation."""
    TRIPLE = "triple"
    """The surfaces of the head and the tail of a relation, and its label."""


def entity_codes(corpus: Corpus, key: Key) -> NDArray[np.int32]:
    """Return the entity of each mention of a corpus as a number from 0 on; equal entities have equal numbers.

    Args:
        corpus: the corpus.
        key: the entity key.

    >>> corpus = Corpus.of([["Ada", "met", "ada"]], tags=[["B-PER", "O", "B-PER"]])
    >>> entity_codes(corpus, Key()).tolist(), entity_codes(corpus, Key(case=False)).tolist()
    ([0, 1], [0, 0])
    """
    mentions = corpus.mentions
    starts = bounds_of(corpus.lengths)[mentions.sample] + mentions.start
    sizes = mentions.end - mentions.start
    word_codes = _word_codes(corpus, key)
    codes = np.empty(len(mentions), np.int32)
    n_codes = 0
    for size in np.unique(sizes).tolist():  # surfaces of different lengths are never equal
        of_size = np.flatnonzero(sizes == size)
        surfaces = _surface_codes(corpus.words, word_codes, starts[of_size], size)
        if key.typed:
            surfaces = surfaces * (len(mentions.labels) + 1) + mentions.label[of_size]
        entities = _numbered(surfaces)
        codes[of_size] = n_codes + entities
        n_codes += int(entities.max()) + 1
    return codes


def _word_codes(corpus: Corpus, key: Key) -> NDArray[np.int64]:
    """Return a number for each word of the vocabulary; words that are equal under the key have equal numbers."""
    n_words = len(corpus.vocabulary)
    if not key.folds:
        return np.arange(n_words)
    table = Interner()
    return np.fromiter((table[key.fold(word)] for word in corpus.vocabulary), np.int64, n_words)


_LONG = 8
"""The most words of a surface that are numbered word by word. Longer surfaces are rare, and looked up as a whole."""


def _surface_codes(
    words: NDArray[np.int32], word_codes: NDArray[np.int64], starts: NDArray[np.integer], size: int
) -> NDArray[np.int64]:
    """Return a number for each of some surfaces of one size; equal surfaces have equal numbers."""
    if size > _LONG:
        sizes = np.full(len(starts), size)
        rows = word_codes.astype(np.int32)[words[ranges(starts, sizes)]].reshape(-1, size)
        table = Interner()
        return np.array([table[row.tobytes()] for row in rows], np.int64)
    surfaces = word_codes[words[starts]]
    for k in range(1, size):
        # The prefixes are numbered anew after each word, so that the products stay small.
        surfaces = _numbered(surfaces * len(word_codes) + word_codes[words[starts + k]])
    return surfaces


def shared_codes(corpus: Corpus, key: Key, what: Shared) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the sample of each mention (or relation), and the number of its entity (or pair, or triple).

    Args:
        corpus: the corpus.
        key: the entity key.
        what: the things that splits must not share.

    Raises:
        CleancutError: relations are asked for and the corpus has none, or the key asks for what has no effect.
    """
    if what is Shared.ENTITY:
        return corpus.mentions.sample, entity_codes(corpus, key)
    if not key.typed:
        raise CleancutError(f"typed=False has no effect: key={what.value!r} is of surfaces anyway. Leave it out.")
    if corpus.relations is None:
        raise CleancutError(
            f"there are no relations, so that key={what.value!r} is undefined. Give relations, or use key='entity'."
        )
    head, tail, label, labels = corpus.relations
    surface = entity_codes(corpus, key._replace(typed=False)).astype(np.int64)
    pair = _numbered(surface[head] * (int(surface.max(initial=0)) + 1) + surface[tail])
    match what:
        case Shared.PAIR:
            codes = pair
        case Shared.TRIPLE:
            codes = _numbered(pair * max(len(labels), 1) + label)
        case _:
            assert_never(what)
    return corpus.mentions.sample[head], codes.astype(np.int32)


def key_name(key: Key, what: Shared) -> str:
    """Return the name of a key in signatures.

    Args:
        key: the entity key.
        what: the things that splits must not share.
    """
    return str(key) if what is Shared.ENTITY else str(key).replace("surface+type", what.value)


def _numbered(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number from 0 on for each value; equal values have equal numbers."""
    return np.unique(values, return_inverse=True)[1]
