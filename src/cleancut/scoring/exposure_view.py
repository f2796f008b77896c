"""What an index has shown of a corpus: arrays over its mentions and tokens, and the tables that are asked for them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
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
        _ = self.mention_class, self.hard_tokens, self.memorised_of_type, self.memorised_exactly

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
        return _or_zero(self._index.of_surface, self._surface)

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
            raise CleancutError(
                "eCon needs a second pass over the training data. Give Exposure.of() a list of corpora, or the batches "
                "once more to count_occurrences()."
            )
        return self.type_frequency / np.maximum(_or_zero(places, self._surface), 1)

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
        """The class of each mention in ``NOVELTY``."""
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
        return _or_zero(counts, self._word_of)

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
    def memorised(self) -> Mentions:
        """What a look-up of the training mentions finds: from left to right the longest surface, its usual type."""
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
        for depth, at, found in self._places():
            size[at], surface[at] = depth, found
        begin = np.flatnonzero(size > 0)
        begin = begin[_in_turn(begin, begin + size[begin])]
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


NOVELTY = ("seen", "other_type", "known_words", "unknown_words")
"""Seen with this type; seen only with another; a new mention made of known words; one with unknown words."""

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


class Tally:
    """A count for each id."""

    def __init__(self) -> None:
        self.counts = np.zeros(0, np.int64)

    def add(self, ids: NDArray[np.integer], n: int, weights: NDArray[np.int64] | None = None) -> None:
        """Count ids below ``n``, each once or as often as its weight says."""
        counts = np.zeros(n, np.int64)
        counts[: len(self.counts)] = self.counts
        if weights is None:
            counts += np.bincount(ids, minlength=n)
        else:
            np.add.at(counts, ids, weights)
        self.counts = counts


class PairTally:
    """A count for each pair of an id and a type."""

    _BITS = 24

    def __init__(self, table: NDArray[np.int64] | None = None) -> None:
        stored = np.zeros((2, 0), np.int64) if table is None else table.astype(np.int64)
        self.codes, self.counts = stored[0], stored[1]

    @classmethod
    def code(cls, ids: NDArray[np.int64], types: NDArray[np.integer]) -> NDArray[np.int64]:
        """One number for a pair."""
        return ids << cls._BITS | types

    @cached_property
    def _places(self) -> Places:
        return Places(self.codes)

    def table(self) -> NDArray[np.int64]:
        """Codes and counts, as they are stored."""
        return np.stack([self.codes, self.counts])

    def add(
        self, ids: NDArray[np.integer], types: NDArray[np.integer], counts: NDArray[np.int64] | None = None
    ) -> None:
        """Count pairs, each once or as often as its count says."""
        codes, inverse = np.unique(self.code(ids.astype(np.int64), types), return_inverse=True)
        fresh = np.bincount(inverse, weights=counts, minlength=len(codes)).astype(np.int64)
        merged, at = np.unique(np.append(self.codes, codes), return_inverse=True)
        total = np.zeros(len(merged), np.int64)
        total[at[: len(self.codes)]] += self.counts
        total[at[len(self.codes) :]] += fresh
        self.codes, self.counts = merged, total
        self.__dict__.pop("_places", None)

    def add_table(self, other: PairTally, ids: NDArray[np.int64], types: NDArray[np.int64]) -> None:
        """Add another tally, whose ids and types are translated."""
        if len(other.codes):
            self.add(ids[other.codes >> self._BITS], types[other.codes & (1 << self._BITS) - 1], other.counts)

    def get(self, ids: NDArray[np.int64], types: NDArray[np.integer]) -> NDArray[np.int64]:
        """The count of each pair; 0 where either is negative."""
        wanted = np.where(types < 0, -1, self.code(ids, types))
        return _or_zero(self.counts, self._places.find(wanted))

    def total(self, n: int) -> NDArray[np.int64]:
        """For each id below ``n`` the count over all types."""
        total = np.zeros(n, np.int64)
        np.add.at(total, self.codes >> self._BITS, self.counts)
        return total

    def n_types(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """With how many types each id was counted; 0 for a negative one."""
        return np.searchsorted(self.codes, (ids + 1) << self._BITS) - np.searchsorted(self.codes, ids << self._BITS)

    def largest(self, n: int) -> NDArray[np.int64]:
        """For each id below ``n`` the largest count of one type."""
        most = np.zeros(n, np.int64)
        np.maximum.at(most, self.codes >> self._BITS, self.counts)
        return most

    def several(self, n: int) -> NDArray[np.bool_]:
        """Was each id below ``n`` counted with several types?"""
        return np.bincount(self.codes >> self._BITS, minlength=n) > 1

    def tied(self, n: int) -> NDArray[np.bool_]:
        """Has each id below ``n`` several types with its largest count?"""
        ids = self.codes >> self._BITS
        return np.bincount(ids[self.counts == self.largest(n)[ids]], minlength=n) > 1

    def most_frequent(self, n: int, rank: NDArray[np.int64]) -> NDArray[np.int32]:
        """For each id below ``n`` the type with the largest count; of equal ones the first by rank; -1 for none."""
        ids, types = self.codes >> self._BITS, self.codes & (1 << self._BITS) - 1
        best = np.flatnonzero(self.counts == self.largest(n)[ids])
        best = best[np.argsort(-rank[types[best]], kind="stable")]  # of each id, the winner comes last
        usual = np.full(n, -1, np.int32)
        usual[ids[best]] = types[best]
        return usual


class Places:
    """Where distinct codes stand in their list: a hash table with open addresses, asked for whole arrays at once.

    A binary search of as many random codes takes about ten times as long: it misses the processor's cache at each step.
    """

    def __init__(self, codes: NDArray[np.int64]) -> None:
        bits = len(codes).bit_length() + 2  # at most a quarter full: few steps to a free slot
        self._shift = np.uint64(64 - bits)
        self._codes = np.append(codes, -1)  # at -1, what a free slot holds
        self._slots = np.full(1 << bits, -1, np.int32)
        slot, left = self._slot(codes), np.arange(len(codes))
        while len(left):
            free = left[self._slots[slot[left]] < 0]
            self._slots[slot[free]] = free  # of several for one slot, the last gets it
            left = left[self._slots[slot[left]] != left]
            slot[left] = self._next(slot[left])

    def find(self, codes: NDArray[np.int64]) -> NDArray[np.int32]:
        """The place of each code; -1 for one that is not in the list, as no negative one is."""
        slot = self._slot(codes)
        places = self._slots[slot]
        left = np.flatnonzero((self._codes[places] != codes) & (places >= 0))
        while len(left):
            slot[left] = self._next(slot[left])
            found = places[left] = self._slots[slot[left]]
            left = left[(self._codes[found] != codes[left]) & (found >= 0)]
        return places

    def _slot(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The slot to look at first: the top bits of a product with the golden ratio, which spreads dense codes."""
        return (codes.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> self._shift).view(np.int64)

    def _next(self, slot: NDArray[np.int64]) -> NDArray[np.int64]:
        return slot + 1 & len(self._slots) - 1


class Words:
    """Numbered words, found many at a time: by hash, and then compared letter by letter.

    In a ``dict`` each word would be found on its own, with several misses of the processor's cache.
    """

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers, self._words = numbers, Vocabulary(numbers)
        self._places = Places(_codes(self._words))

    def find(self, words: Vocabulary) -> NDArray[np.int32]:
        """The number of each word; -1 for one that is not there."""
        found = self._places.find(_codes(words))
        maybe = np.flatnonzero(found >= 0)
        same = words.same(maybe, self._words, found[maybe])
        for i in maybe[~same].tolist():  # another word has the same hash
            found[i] = self._numbers.get(words[i], -1)
        return found


def _codes(words: Vocabulary) -> NDArray[np.int64]:
    """The hashes as numbers that are not negative."""
    return (words.hashes >> np.uint64(1)).view(np.int64)


class Phrases:
    """Surfaces as a tree of words, descended from many places of a text at once."""

    def __init__(self, surfaces: Collection[bytes], n_words: int) -> None:
        size = np.fromiter(map(len, surfaces), np.int64, count=len(surfaces)) // 4
        words = np.frombuffer(b"".join(surfaces), np.int32).astype(np.int64)
        begin = np.cumsum(size) - size
        # a first word is its own node; the steps to further words lead to nodes that are numbered on from there
        node, left, depth = words[begin], np.arange(len(size)), 1
        levels, n_nodes = [np.zeros(0, np.int64)], n_words
        while len(left := left[size[left] > depth]):
            level, step = np.unique(node[left] << 32 | words[begin[left] + depth], return_inverse=True)
            node[left] = n_nodes + step
            levels.append(level)
            n_nodes, depth = n_nodes + len(level), depth + 1
        steps = np.concatenate(levels)
        self._n_words, self._steps = n_words, Places(steps)
        self._surface = np.full(n_nodes + 1, -1, np.int32)  # of each node; as in all tables here, -1 asks for the last
        self._surface[node] = np.arange(len(size))
        self._branches = np.zeros(n_nodes + 1, bool)  # of each node: do steps lead on?
        self._branches[steps >> 32] = True
        self._inner = np.zeros(n_words + 1, bool)  # of each word: do steps lead to it?
        self._inner[steps & 0xFFFFFFFF] = True
        self._roles = np.zeros(n_words + 1, np.uint8)
        self._roles[:n_words] |= _WHOLE * (self._surface[:n_words] >= 0)
        self._roles[:n_words] |= _LEADS_ON * self._branches[:n_words]
        self._roles |= _INNER * self._inner

    def of(self, words: NDArray[np.int32], begin: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int32]:
        """The surface that the words at each place make up; -1 for none."""
        node, left, depth = words[begin].astype(np.int64), np.flatnonzero(size > 1), 1
        while len(left):
            node[left] = step = self._step(node[left], words[begin[left] + depth])
            depth += 1
            left = left[(step >= 0) & (size[left] > depth)]
        return self._surface[node]

    def everywhere(
        self, words: NDArray[np.int32], last: NDArray[np.bool_]
    ) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int32]]]:
        """For surfaces of one word, of two, and so on: at which places of a text there is one, and which it is.

        ``last`` says of each word whether it is the last one of its sample.
        """
        roles = self._roles.take(words)
        begin = np.flatnonzero(roles & _WHOLE > 0)
        yield 1, begin, self._surface[words[begin]]
        begin = np.flatnonzero((roles[:-1] & _LEADS_ON > 0) & (roles[1:] & _INNER > 0) & ~last[:-1])
        node, depth = words[begin].astype(np.int64), 1
        while len(begin):
            node = self._step(node, words[begin + depth])
            begin, node, depth = begin[node >= 0], node[node >= 0], depth + 1
            surface = self._surface[node]
            yield depth, begin[surface >= 0], surface[surface >= 0]
            on = ~last[begin + depth - 1]
            begin, node = begin[on], node[on]

    def _step(self, node: NDArray[np.int64], word: NDArray[np.int32]) -> NDArray[np.int64]:
        """The node to which a further word leads from each node; -1 for none."""
        found = np.full(len(node), -1, np.int64)
        maybe = np.flatnonzero(self._branches[node] & self._inner[word])  # spares most look-ups
        step = self._steps.find(node[maybe] << 32 | word[maybe])
        found[maybe] = np.where(step < 0, -1, step + np.int64(self._n_words))
        return found


_WHOLE, _LEADS_ON, _INNER = np.uint8(1), np.uint8(2), np.uint8(4)
"""What a word may be in surfaces: a whole one, one from which steps lead on, one to which steps lead."""


def _in_turn(begin: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which of sorted spans a reader takes who goes from left to right, and on from the end of each."""
    # a span that none before reaches is taken, whatever the others; from it one goes on to the first after its end
    taken = np.append(0, np.maximum.accumulate(end))[:-1] <= begin
    now = np.flatnonzero(taken & ~np.append(taken, True)[1:])
    while len(now):
        now = np.searchsorted(begin, end[now])
        now = now[now < len(begin)]
        now = now[~taken[now]]
        taken[now] = True
    return np.flatnonzero(taken)


def _or_zero(values: NDArray[np.int64], at: NDArray[np.integer]) -> NDArray[np.int64]:
    """The values at some places; 0 where the place is negative."""
    return np.where(at < 0, 0, values[at]) if len(values) else np.zeros(len(at), np.int64)
