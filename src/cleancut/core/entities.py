"""Decide what counts as the same entity, or as the same pair or triple of a relation."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
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
        if unicode is not None and not (isinstance(unicode, str) and unicode in _FORMS):
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

    def fold_all(self, words: Sequence[str]) -> Sequence[str]:
        """Return the forms in which many words are compared.

        Args:
            words: the words.

        >>> Key(case=False).fold_all(["Ada", "KING"])
        ['ada', 'king']
        """
        if not self.folds or not words:
            return words
        # All words are folded at once, with a zero between them: it joins with no letter, and no letter becomes one.
        forms = self.fold("\0".join(words)).split("\0")
        return forms if len(forms) == len(words) else [self.fold(word) for word in words]


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
    return entity_codes_of([corpus], key)[0]


def entity_codes_of(corpora: Sequence[Corpus], key: Key) -> list[NDArray[np.int32]]:
    """Return the entities of several corpora as numbers; equal entities of different corpora have equal numbers, too.

    Args:
        corpora: the corpora.
        key: the entity key.

    Returns:
        A number for each mention, for each of the corpora.
    """
    surfaces = _Surfaces.of(corpora, key)
    codes = np.empty(len(surfaces.sizes), np.int32)
    n_codes = 0
    for size in np.flatnonzero(np.bincount(surfaces.sizes)).tolist():  # surfaces of different lengths are never equal
        of_size = np.flatnonzero(surfaces.sizes == size)
        numbers = surfaces.numbers(of_size, size)
        if key.typed:
            numbers = numbers * surfaces.n_types + surfaces.types[of_size]
        entities = _numbered(numbers)
        codes[of_size] = n_codes + entities
        n_codes += int(entities.max()) + 1
    return np.split(codes, np.cumsum([len(corpus.mentions) for corpus in corpora])[:-1])


_LONG = 8
"""The most words of a surface that are numbered word by word. Longer surfaces are rare, and looked up as a whole."""


class _Surfaces(NamedTuple):
    """The words of the mentions of several corpora, one mention after the other. No other words are looked at."""

    words: NDArray[np.int64]
    """The number of each word; words that are equal under the key have equal numbers."""
    n_words: int
    sizes: NDArray[np.int64]
    """The number of words of each mention."""
    types: NDArray[np.int64]
    """The number of the type of each mention."""
    n_types: int

    @classmethod
    def of(cls, corpora: Sequence[Corpus], key: Key) -> _Surfaces:
        """Return the surfaces of the mentions of several corpora."""
        table = Interner()
        words = []
        sizes = []
        types = []
        names = sorted({name for corpus in corpora for name in corpus.mentions.labels})
        rank = {name: i for i, name in enumerate(names)}
        for corpus in corpora:
            mentions, vocabulary = corpus.mentions, corpus.vocabulary
            begin = bounds_of(corpus.lengths)[mentions.sample] + mentions.start
            size = (mentions.end - mentions.start).astype(np.int64)
            inside = corpus.words[ranges(begin, size)]
            is_used = np.zeros(len(vocabulary), bool)
            is_used[inside] = True
            used = np.flatnonzero(is_used)
            forms = key.fold_all([vocabulary[word] for word in used.tolist()])
            number = np.zeros(len(vocabulary), np.int64)
            number[used] = np.fromiter(map(table.__getitem__, forms), np.int64, len(used))
            words.append(number[inside])
            sizes.append(size)
            types.append(np.array([rank[name] for name in mentions.labels] or [0], np.int64)[mentions.label])
        return cls(np.concatenate(words), len(table), np.concatenate(sizes), np.concatenate(types), len(names) + 1)

    def numbers(self, chosen: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        """Return a number for each of some surfaces of one size; equal surfaces have equal numbers."""
        starts = bounds_of(self.sizes)[chosen]
        if size > _LONG:
            rows = self.words[ranges(starts, self.sizes[chosen])].reshape(-1, size)
            table = Interner()
            return np.array([table[row.tobytes()] for row in rows], np.int64)
        numbers = self.words[starts]
        for k in range(1, size):
            # The prefixes are numbered anew after each word, so that the products stay small.
            numbers = _numbered(numbers * self.n_words + self.words[starts + k])
        return numbers


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
        raise CleancutError(f"typed=False has no effect: key='{what.value}' is of surfaces anyway. Leave it out.")
    if corpus.relations is None:
        raise CleancutError(
            f"there are no relations, so that key='{what.value}' is undefined. Give relations, or use key='entity'."
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
    """Return a number from 0 on for each value, none of which is negative; equal values have equal numbers."""
    n_possible = int(values.max(initial=-1)) + 1
    if n_possible > _SPARSE * len(values):
        return np.unique(values, return_inverse=True)[1]
    is_there = np.zeros(n_possible, bool)  # A table of all possible values needs no sorting.
    is_there[values] = True
    return (np.cumsum(is_there) - 1)[values]


_SPARSE = 16
"""The most places that a table has for each value in it. A sparser table takes more time and memory than sorting."""
