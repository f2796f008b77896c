"""What counts as the same: words and entities under a key, pairs and triples of relations, samples by their hashes."""

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
    """What counts as the same entity."""

    case: bool = True
    """Does case matter?"""
    typed: bool = True
    """Does the type belong to the key?"""
    unicode: str | None = None
    """A Unicode normal form (NFC, NFKC, ...) into which words are brought first."""

    @classmethod
    def of(cls, case: Any, typed: Any, unicode: Any = None) -> Key:
        """Return the key of what a user has chosen, checked."""
        if unicode is not None and unicode not in _FORMS:
            raise CleancutError(f"unicode={quoted(unicode)} is unknown. Choose one of {', '.join(_FORMS)}, or None.")
        return cls(checks.switch(case, "case"), checks.switch(typed, "typed"), unicode)

    def __str__(self) -> str:
        parts = ["surface+type" if self.typed else "surface", "" if self.case else "uncased", self.unicode or ""]
        return ",".join(part.lower() for part in parts if part)

    @property
    def folds(self) -> bool:
        """Are words compared in another form than they are written in?"""
        return not self.case or self.unicode is not None

    def fold(self, word: str) -> str:
        """The form in which words are compared."""
        word = word if self.case else word.casefold()
        return unicodedata.normalize(self.unicode, word) if self.unicode else word  # type: ignore[arg-type]


class Shared(StrEnum):
    """What splits must not share."""

    ENTITY = "entity"
    PAIR = "pair"
    """The surfaces of the head and the tail of a relation."""
    TRIPLE = "triple"
    """The same with the label of the relation."""


def entity_codes(corpus: Corpus, key: Key) -> NDArray[np.int32]:
    """A number from 0 on for each mention of a corpus, equal where the entity under the key is."""
    mentions = corpus.mentions
    starts, sizes = bounds_of(corpus.lengths)[mentions.sample] + mentions.start, mentions.end - mentions.start
    folds, n_types = np.arange(len(corpus.vocabulary)), len(mentions.labels) + 1
    if key.folds:
        table = Interner()
        folds = np.fromiter((table[key.fold(word)] for word in corpus.vocabulary), np.int64, len(corpus.vocabulary))
    codes, n_codes = np.empty(len(mentions), np.int32), 0
    for size in np.unique(sizes).tolist():  # surfaces of different lengths are never equal
        of_size = np.flatnonzero(sizes == size)
        begin = starts[of_size]
        if size <= 8:  # word by word, each time numbered anew
            found = folds[corpus.words[begin]]
            for k in range(1, size):
                found = _numbered(found * len(folds) + folds[corpus.words[begin + k]])
        else:
            words = folds.astype(np.int32)[corpus.words[ranges(begin, sizes[of_size])]]
            surfaces = Interner()
            found = np.array([surfaces[row.tobytes()] for row in words.reshape(-1, size)], np.int64)
        if key.typed:
            found = found * n_types + mentions.label[of_size]
        found = _numbered(found)
        codes[of_size] = n_codes + found
        n_codes += int(found.max()) + 1
    return codes


def shared_codes(corpus: Corpus, key: Key, what: Shared) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The sample of each mention (or relation), and a number that is equal where its entity (pair, triple) is."""
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
    """As a signature has it."""
    return str(key) if what is Shared.ENTITY else str(key).replace("surface+type", what.value)


def _numbered(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Equal values as equal numbers from 0 on."""
    return np.unique(values, return_inverse=True)[1]
