"""What an index has shown of a corpus: arrays over its mentions and tokens, and the tables that are asked for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import bounds_of, ranges
from ..core.corpus import Corpus, Mentions, sorted_names
from ..core.entities import Key
from ..core.exceptions import CleancutError
from ..core.vocabulary import Vocabulary
from .alignment import Counts
from .lookup import Phrases, Words, taken_in_turn
from .tallies import PairTally, or_zero

SECOND_PASS = "Give Exposure.of() a corpus or a list of corpora, or the batches once more to count_occurrences()."
"""How to get what only a second pass over the training data can count."""


@dataclass(eq=False, repr=False)
class Tables:
    """What an index has counted, and what follows from it; made anew when the index has grown."""

    key: Key
    words: Mapping[str, int]
    folds: Mapping[str, int]
    types: Mapping[str, int]
    surfaces: Mapping[bytes, int]
    of_word: NDArray[np.int64]
    of_word_inside: NDArray[np.int64]
    of_word_type: PairTally
    of_surface_type: PairTally
    occurrences: NDArray[np.int64] | None = None
    """Of each surface, its places in the training text, where they were counted."""
    occurrences_checked: bool = False
    """Were they counted in the very text of the index? Of those in files of version 0.1 nobody can tell."""

    @property
    def can_look_up(self) -> bool:
        """Is it known how often each surface stands in the training text without being a mention?"""
        return not self.surfaces or (self.occurrences is not None and self.occurrences_checked)

    @cached_property
    def in_look_up(self) -> NDArray[np.bool_]:
        """Is each surface in the look-up: is it a mention in at least half of its places in the training text?"""
        if not self.can_look_up:
            raise CleancutError(f"the look-up needs a second pass over the training data. {SECOND_PASS}")
        if self.occurrences is None:  # there are no surfaces
            return np.zeros(0, bool)
        return 2 * self.of_surface >= self.occurrences

    @cached_property
    def spelt(self) -> Words:
        """The words, to be found by their spelling."""
        return Words(self.words)

    @cached_property
    def spelt_folds(self) -> Words:
        """The words as compared, likewise."""
        return Words(self.folds)

    @cached_property
    def phrases(self) -> Phrases:
        """The surfaces, to be found in texts."""
        return Phrases(self.surfaces, len(self.folds))

    @cached_property
    def of_surface(self) -> NDArray[np.int64]:
        """The mentions of each surface."""
        return self.of_surface_type.total(len(self.surfaces))

    @cached_property
    def most_of_word(self) -> NDArray[np.int64]:
        """The count of the most frequent type of each word."""
        return self.of_word_type.largest(len(self.words))

    @cached_property
    def tied_of_word(self) -> NDArray[np.bool_]:
        """Has each word several most frequent types?"""
        return self.of_word_type.tied(len(self.words))

    @cached_property
    def mixed_of_surface(self) -> NDArray[np.bool_]:
        """Has each surface several types?"""
        return self.of_surface_type.several(len(self.surfaces))

    @cached_property
    def usual_of_surface(self) -> NDArray[np.int32]:
        """The most frequent type of each surface; ties by name."""
        return self.of_surface_type.most_frequent(len(self.surfaces), self._rank_of_type)

    @cached_property
    def usual_of_word(self) -> NDArray[np.int32]:
        """The most frequent type of each word (-1: never in a mention); ties by name."""
        return self.of_word_type.most_frequent(len(self.words), self._rank_of_type)

    @cached_property
    def hard_words(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The class in ``HARD`` of a token of each word with gold O, and with gold I; last of all, of a new word."""
        inside, outside = self.of_word_inside, self.of_word - self.of_word_inside
        of_o = np.where(outside < inside, _DIFF_O, _OTHER)
        of_i = np.where(inside < outside, _DIFF_I, _DIFF_E)
        return np.append(of_o, _UNSEEN_O), np.append(of_i, _UNSEEN_I)

    @cached_property
    def hard_words_strict(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The same where a label is only *diff* if it was never seen at its level."""
        inside, outside = self.of_word_inside, self.of_word - self.of_word_inside
        of_o = np.where(outside == 0, _DIFF_O, _OTHER)
        of_i = np.where(inside == 0, _DIFF_I, np.where(inside < outside, _OTHER, _DIFF_E))
        return np.append(of_o, _UNSEEN_O), np.append(of_i, _UNSEEN_I)

    @property
    def _rank_of_type(self) -> NDArray[np.int64]:
        return np.argsort(np.argsort(np.array(list(self.types) or [""])))


class Exposed:
    """What an index has shown of one corpus: arrays over its mentions and over its tokens."""

    def __init__(self, index: Tables, corpus: Corpus) -> None:
        self.key, self._index, self._corpus = index.key, index, _Text(corpus)
        words, used = corpus.vocabulary, np.arange(len(corpus.vocabulary))
        if corpus.n_tokens < len(words):  # a part of a corpus, that has few of its words
            used = corpus.used_words()
            words = Vocabulary(words[w] for w in used.tolist())
        self._word_of = np.full(len(corpus.vocabulary), -1, np.int32)  # vocabulary of the corpus -> of the index
        self._word_of[used] = index.spelt.find(words)
        self._fold_of = self._word_of
        if index.key.folds:
            self._fold_of = np.full(len(corpus.vocabulary), -1, np.int32)
            self._fold_of[used] = index.spelt_folds.find(Vocabulary(map(index.key.fold, words)))

    def look_up(self) -> None:
        """Make, and keep, the arrays that scores ask for."""
        _ = self.mention_class, self.hard_tokens
        if self.can_look_up:
            _ = self.memorised_of_type, self.memorised_exactly

    # --- mentions -----------------------------------------------------------------------------------------

    @cached_property
    def _type(self) -> NDArray[np.int64]:
        """The type of each mention, as the index numbers them; -1 for a type that training does not have."""
        mentions = self._corpus.mentions
        known = [self._index.types.get(name, -1) for name in mentions.labels] or [-1]
        return np.array(known, np.int64)[mentions.label]

    @cached_property
    def _surface(self) -> NDArray[np.int64]:
        """The surface of each mention, as the index numbers them; -1 for a new one."""
        return self._index.phrases.of(self._fold, self._corpus.begin, self._corpus.size).astype(np.int64)

    @cached_property
    def type_frequency(self) -> NDArray[np.int64]:
        """How often training has the surface as a mention of this type."""
        return self._index.of_surface_type.get(self._surface, self._type)

    @cached_property
    def surface_frequency(self) -> NDArray[np.int64]:
        """How often training has the surface as a mention of any type."""
        return or_zero(self._index.of_surface, self._surface)

    @property
    def frequency(self) -> NDArray[np.int64]:
        """How often training has the entity, as the key defines it."""
        return self.type_frequency if self.key.typed else self.surface_frequency

    @cached_property
    def entity(self) -> NDArray[np.int64]:
        """A number for the entity of each mention, equal where the key is; -1 for one that training does not have."""
        code = PairTally.code(self._surface, self._type) if self.key.typed else self._surface
        return np.where(self.seen, code, -1)

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Is the entity, as the key defines it, in training?"""
        return self._type_seen if self.key.typed else self._surface >= 0

    @cached_property
    def _type_seen(self) -> NDArray[np.bool_]:
        """Has training the surface as a mention of this type?"""
        seen, known = np.zeros(len(self._surface), bool), np.flatnonzero(self._surface >= 0)
        surface, types = self._surface[known], self._type[known]
        usual = self._index.usual_of_surface[surface] == types
        seen[known[usual]] = True
        # only of a surface with several types it may be another one
        rest = np.flatnonzero(~usual & self._index.mixed_of_surface[surface])
        seen[known[rest]] = self._index.of_surface_type.get(surface[rest], types[rest]) > 0
        return seen

    @cached_property
    def consistency(self) -> NDArray[np.float64]:
        """Of the training mentions of the surface, the share with this type; NaN for a new surface."""
        with np.errstate(invalid="ignore"):
            return self.type_frequency / self.surface_frequency

    @cached_property
    def n_types(self) -> NDArray[np.int64]:
        """Of how many types the training mentions of the surface are."""
        return self._index.of_surface_type.n_types(self._surface)

    @cached_property
    def usual_label(self) -> list[str | None]:
        """The type that training gives the surface most often; None for a new surface."""
        names = [*self._index.types, None]
        usual = np.append(self._index.usual_of_surface, -1)
        return [names[t] for t in usual[self._surface].tolist()]

    @cached_property
    def known_words(self) -> NDArray[np.bool_]:
        """Are all words of the mention training words?"""
        text = self._corpus
        unknown = self._fold[text.inside] < 0
        if not len(unknown):
            return np.zeros(0, bool)
        return ~np.logical_or.reduceat(unknown, np.cumsum(text.size) - text.size)

    @cached_property
    def span_consistency(self) -> NDArray[np.float64]:
        """Of the places where training has the words of the mention, the share that are mentions of this type."""
        places = self._index.occurrences
        if places is None:
            raise CleancutError(f"eCon needs a second pass over the training data. {SECOND_PASS}")
        return self.type_frequency / np.maximum(or_zero(places, self._surface), 1)

    @cached_property
    def token_frequency(self) -> NDArray[np.float64]:
        """How often training has a word of the mention: the mean over its tokens."""
        text = self._corpus
        return self._means(self.word_frequency[text.inside].astype(float))

    @cached_property
    def token_consistency(self) -> NDArray[np.float64]:
        """Of the training tokens of a word, the share in mentions of this type; the mean over the mention's tokens."""
        text, index = self._corpus, self._index
        word = self._word[text.inside].astype(np.int64)
        this = index.of_word_type.get(word, np.repeat(self._type, text.size))
        return self._means(this / np.maximum(np.append(index.of_word, 0)[word], 1))

    def _means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean over the tokens of each mention, whose values lie one after the other."""
        size = self._corpus.size
        return np.add.reduceat(values, np.cumsum(size) - size) / size if len(size) else np.zeros(0)

    @cached_property
    def novelty(self) -> NDArray[np.int64]:
        """The number of the class of each mention in ``NOVELTY_CLASSES``."""
        new = np.where(self.known_words, 2, 3)
        return np.where(self._type_seen, 0, np.where(self._surface >= 0, 1, new))

    @cached_property
    def mention_class(self) -> NDArray[np.int64]:
        """Novelty and contamination of each mention as one number below ``2 * len(NOVELTY)``."""
        return self.novelty + len(NOVELTY) * self.seen

    # --- tokens -------------------------------------------------------------------------------------------

    @cached_property
    def _word(self) -> NDArray[np.int32]:
        """The word of each token, as the index numbers them; -1 for a new one. Case always matters here."""
        return self._word_of.take(self._corpus.words)

    @cached_property
    def _fold(self) -> NDArray[np.int32]:
        """The word of each token as it is compared, as the index numbers them; -1 for a new one."""
        return self._fold_of.take(self._corpus.words) if self.key.folds else self._word

    def _of_vocabulary(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """A count of the index for each word of the corpus's vocabulary; 0 for new words."""
        return or_zero(counts, self._word_of)

    @property
    def word_seen(self) -> NDArray[np.bool_]:
        """Is the word of each token a training word?"""
        return self._word >= 0

    @property
    def word_frequency(self) -> NDArray[np.int64]:
        """How often training has the word of each token."""
        return self._of_vocabulary(self._index.of_word)[self._corpus.words]

    def word_label_frequency(self, labels: list[str | None]) -> NDArray[np.int64]:
        """How often training has the word of each token under a label, one for each token ("O" or None: outside)."""
        if len(labels) != len(self._corpus.words):
            raise CleancutError(f"{len(self._corpus.words)} tokens but {len(labels)} labels. Give one for each token.")
        types = {name: self._index.types.get(name, -1) for name in set(labels) if name is not None}
        wanted = np.array([-2 if name in (None, "O") else types[name] for name in labels], np.int64)
        inside = self._index.of_word_type.get(self._word.astype(np.int64), wanted)
        outside = self.word_frequency - self._of_vocabulary(self._index.of_word_inside)[self._corpus.words]
        return np.where(wanted == -2, outside, inside)

    def word_consistency(self, labels: list[str | None]) -> NDArray[np.float64]:
        """Of the training tokens of each word, the share under a label; NaN for a new word."""
        with np.errstate(invalid="ignore"):
            return self.word_label_frequency(labels) / self.word_frequency

    @cached_property
    def word_usual_label(self) -> list[str | None]:
        """The label that training gives the word of each token most often ("O": outside; None: a new word)."""
        total, inside = self._index.of_word, self._index.of_word_inside
        usual = self._index.usual_of_word
        names = [*self._index.types, None, "O"]
        most = self._index.of_word_type.get(np.arange(len(usual)), usual)
        label = np.where(total - inside >= most, len(names) - 1, usual)
        label = np.append(label, len(names) - 2)
        return [names[t] for t in label[self._word].tolist()]

    @cached_property
    def hard_tokens(self) -> HardTokens:
        """The class of each token in ``HARD`` (hardeval, Section 4; two-level, as its published counts are)."""
        return HardTokens.of(self._hard_tokens(strict=False))

    @cached_property
    def hard_tokens_strict(self) -> HardTokens:
        """The same where a token is only *diff* if its label was never seen at that level."""
        return HardTokens.of(self._hard_tokens(strict=True))

    def _hard_tokens(self, strict: bool) -> NDArray[np.uint8]:
        text, index = self._corpus, self._index
        # tables over the words suffice, but for a gold type that may not be the usual one
        of_o, of_i = (of[self._word_of] for of in (index.hard_words_strict if strict else index.hard_words))
        hard = of_o.take(text.words)
        words, types = text.words[text.inside], np.repeat(self._type, text.size)
        of_token = of_i[words]
        maybe = np.flatnonzero(of_token == _DIFF_E)
        word, types = self._word_of[words[maybe]], types[maybe]
        usual = index.usual_of_word[word] == types
        rest = np.flatnonzero(~usual if strict else ~usual & index.tied_of_word[word])
        count = index.of_word_type.get(word[rest].astype(np.int64), types[rest])
        usual[rest] = (count > 0) if strict else (count == index.most_of_word[word[rest]])
        of_token[maybe[usual]] = _OTHER
        hard[text.inside] = of_token
        return hard

    # --- memory alone -------------------------------------------------------------------------------------

    @cached_property
    def can_look_up(self) -> bool:
        """Is the look-up defined: are the places of the surfaces in the training text counted?"""
        return self._index.can_look_up

    @cached_property
    def memorised(self) -> Mentions:
        """What a look-up of the training mentions finds: from left to right the longest surface, its usual type.

        Only surfaces that are mentions in at least half of their places in the training text are looked up.
        """
        bounds, (begin, size, types) = self._corpus.bounds, self._memorised
        lengths = np.diff(bounds)
        sample = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)[begin]
        start = (begin - bounds[sample]).astype(np.int32)
        names, label = sorted_names(tuple(self._index.types), types)
        return Mentions(sample, start, start + size, label, names, len(lengths), lengths)

    @cached_property
    def _memorised(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """The same in the whole text: first token, tokens and type of each, as the index numbers them."""
        size, surface = np.zeros(len(self._fold), np.int32), np.empty(len(self._fold), np.int32)
        in_look_up = self._index.in_look_up
        for depth, at, found in self._places():
            listed = in_look_up[found]
            at = at[listed]
            size[at], surface[at] = depth, found[listed]
        begin = np.flatnonzero(size > 0)
        begin = begin[taken_in_turn(begin, begin + size[begin])]
        return begin, size[begin], self._index.usual_of_surface[surface[begin]]

    @cached_property
    def memorised_of_type(self) -> dict[str, int]:
        """How many mentions of each type that look-up finds."""
        counts = np.bincount(self._memorised[2], minlength=len(self._index.types)).tolist()
        return {name: n for name, n in zip(self._index.types, counts, strict=True) if n}

    @cached_property
    def memorised_exactly(self) -> NDArray[np.bool_]:
        """Does that look-up find each mention, with its type?"""
        text, (begin, size, types) = self._corpus, self._memorised
        at = np.full(len(text.words), -1, np.int32)
        at[begin] = np.arange(len(begin))
        found = at[text.begin]
        exact = np.flatnonzero(found >= 0)
        found = found[exact]
        exact = exact[(size[found] == text.size[exact]) & (types[found] == self._type[exact])]
        recalled = np.zeros(len(text.begin), bool)
        recalled[exact] = True
        return recalled

    @cached_property
    def memorised_counts(self) -> Counts:
        """By type, how many mentions that look-up finds, and how many of them are right: no prediction touches this."""
        mentions, found = self._corpus.mentions, self.memorised_of_type
        exact = np.bincount(mentions.label[self.memorised_exactly], minlength=len(mentions.labels)).tolist()
        right = dict(zip(mentions.labels, exact, strict=True))
        names = tuple(sorted(set(mentions.labels) | set(found)))
        columns = {"n_memorised": found, "n_memorised_exact": right}
        table = {name: np.array([of.get(label, 0) for label in names], np.int64) for name, of in columns.items()}
        return Counts.of_table(names, table)

    def surface_places(self) -> NDArray[np.int64]:
        """How often each surface of the index stands in the text, as a mention or not, within other surfaces or not."""
        places = np.zeros(len(self._index.surfaces), np.int64)
        for _, _, found in self._places():
            places += np.bincount(found, minlength=len(places))
        return places

    def _places(self) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int32]]]:
        bounds = self._corpus.bounds
        last = np.zeros(len(self._fold), bool)
        last[bounds[1:][np.diff(bounds) > 0] - 1] = True
        return self._index.phrases.everywhere(self._fold, last)


@dataclass(frozen=True)
class Novelty:
    """A class of mentions by what training has shown of them, as every table and page calls it."""

    name: str
    """As in the names of values: ``recall_seen``, ``n_seen``."""
    title: str
    """The title of a column or row."""
    long_title: str
    """The same for a mention that stands by itself."""
    description: str
    is_training_mention: bool
    """Are the words of the mention a training mention, of any type?"""


NOVELTY_CLASSES = (
    Novelty("seen", "seen", "seen in training", "the same words with the same type", True),
    Novelty("other_type", "other type", "seen with another type", "only with another type", True),
    Novelty(
        "known_words", "new, known words", "new, of known words", "never as a mention, but every word is known", False
    ),
    Novelty("unknown_words", "new words", "new words", "with words that training does not have", False),
)
"""In the order of the numbers that ``Exposed.novelty`` gives."""

NOVELTY = tuple(novelty.name for novelty in NOVELTY_CLASSES)
"""The names of the classes."""

HARD = ("other", "unseen_i", "unseen_o", "diff_i", "diff_o", "diff_e")
"""Tokens whose word is new, or whose label is not the usual one of the word, by gold label."""

_OTHER, _UNSEEN_I, _UNSEEN_O, _DIFF_I, _DIFF_O, _DIFF_E = np.arange(len(HARD), dtype=np.uint8)


class HardTokens(NamedTuple):
    """The class of each token in ``HARD``, and how many there are of each."""

    of_token: NDArray[np.uint8]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, of_token: NDArray[np.uint8]) -> HardTokens:
        return cls(of_token, np.bincount(of_token, minlength=len(HARD)))


class _Text:
    """The arrays of a corpus that a view needs; not the corpus itself, whose life the view must not prolong."""

    def __init__(self, corpus: Corpus) -> None:
        self.words, self.bounds, self.mentions = corpus.words, bounds_of(corpus.lengths), corpus.mentions
        self.begin = self.bounds[self.mentions.sample] + self.mentions.start
        self.size = (self.mentions.end - self.mentions.start).astype(np.int64)

    @cached_property
    def inside(self) -> NDArray[np.int64]:
        """The tokens of each mention, one mention after the other."""
        return ranges(self.begin, self.size)
