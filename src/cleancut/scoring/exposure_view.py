"""The view that an index of training data has of one corpus, and the tables from which it is computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.arrays import bounds_of, ranges
from ..core.corpus import Corpus, Mentions, sorted_names
from ..core.entities import Key
from ..core.entity_ids import NEEDED, ids_of
from ..core.exceptions import CleancutError
from ..core.name_parts import WordLists
from ..core.names import NameIndex, Names
from ..core.same import EXACT, Notion, Same
from ..core.templates import template_hashes
from ..core.vocabulary import Vocabulary
from .alignment import Counts
from .lookup import Phrases, Words, taken_in_turn
from .tallies import PairTally, or_zero

SECOND_PASS = "Give Exposure.of() a corpus or a list of corpora, or the batches once more to count_occurrences()."
"""The remedy in messages about counts that only a second pass over the training data can give."""


@dataclass(eq=False, repr=False)
class Tables:
    """The counts of an index, and everything that is derived from them. They are made anew when the index grows."""

    key: Key
    """The entity key."""
    words: Mapping[str, int]
    """The number of each training word."""
    folds: Mapping[str, int]
    """The number of each training word in the form in which words are compared."""
    types: Mapping[str, int]
    """The number of each type."""
    surfaces: Mapping[bytes, int]
    """The number of each surface, by the bytes of its word numbers."""
    of_word: NDArray[np.int64]
    """How many training tokens each word has."""
    of_word_inside: NDArray[np.int64]
    """How many training tokens inside mentions each word has."""
    of_word_type: PairTally
    """How many training tokens inside mentions of each type each word has."""
    of_surface_type: PairTally
    """How many training mentions of each type each surface has."""
    occurrences: NDArray[np.int64] | None = None
    """How often each surface occurs in the training text, as a mention or not; None if it was not counted."""
    occurrences_checked: bool = False
    """Whether the occurrences are known to be those of the index's own text, unlike in files of version 0.1."""
    same: Same = EXACT
    """The notion of the same name."""
    templates: NDArray[np.uint64] | None = None
    """The hashes of the templates of all training samples, sorted; None if they were not counted."""
    ids: Mapping[str, int] = field(default_factory=dict)
    """The number of each id of an entity."""
    of_id_type: PairTally | None = None
    """How many training mentions of each type have each id; None if ids were not read."""

    @property
    def can_look_up(self) -> bool:
        """Whether the look-up is defined, which needs the occurrences of each surface."""
        return not self.surfaces or (self.occurrences is not None and self.occurrences_checked)

    @cached_property
    def in_look_up(self) -> NDArray[np.bool_]:
        """For each surface, whether it is in the look-up: at least half of its occurrences are mentions."""
        if not self.can_look_up:
            raise CleancutError(f"the look-up needs a second pass over the training data. {SECOND_PASS}")
        if self.occurrences is None:  # there are no surfaces
            return np.zeros(0, bool)
        return 2 * self.of_surface >= self.occurrences

    @cached_property
    def spelt(self) -> Words:
        """The words, which are found by their spelling."""
        return Words(self.words)

    @cached_property
    def spelt_folds(self) -> Words:
        """The words in the form in which they are compared, which are found by their spelling."""
        return Words(self.folds)

    @cached_property
    def phrases(self) -> Phrases:
        """The surfaces, which are found in texts."""
        return Phrases(self.surfaces, len(self.folds))

    def names(self, typed: bool) -> Names:
        """Return the training names.

        Args:
            typed: whether the type is part of a name.
        """
        sizes = np.fromiter(map(len, self.surfaces), np.int64, count=len(self.surfaces)) // 4
        lists = WordLists(np.frombuffer(b"".join(self.surfaces), np.int32).astype(np.int64), sizes)
        if not typed:
            return Names(list(self.folds), lists, np.zeros(len(sizes), np.int64), ("",))
        surface, types = np.divmod(self.of_surface_type.codes, 1 << PairTally.BITS)
        return Names(list(self.folds), lists.select(surface), types, tuple(self.types) or ("",))

    @cached_property
    def related(self) -> NameIndex:
        """The training names, in which other names are looked up under the notion."""
        return NameIndex(self.names(self.key.typed), self.key, self.same)

    @cached_property
    def related_untyped(self) -> NameIndex:
        """The training names without their types, in which other names are looked up when folded, and as parts."""
        notion = Same((Notion.FOLD, Notion.PART), part_limit=self.same.part_limit)
        return NameIndex(self.names(typed=False), self.key, notion)

    @cached_property
    def of_surface(self) -> NDArray[np.int64]:
        """The number of training mentions of each surface."""
        return self.of_surface_type.total(len(self.surfaces))

    @cached_property
    def most_of_word(self) -> NDArray[np.int64]:
        """The count of the most frequent type of each word."""
        return self.of_word_type.largest(len(self.words))

    @cached_property
    def tied_of_word(self) -> NDArray[np.bool_]:
        """For each word, whether several types share its largest count."""
        return self.of_word_type.tied(len(self.words))

    @cached_property
    def mixed_of_surface(self) -> NDArray[np.bool_]:
        """For each surface, whether it has several types."""
        return self.of_surface_type.several(len(self.surfaces))

    @cached_property
    def usual_of_surface(self) -> NDArray[np.int32]:
        """The most frequent type of each surface; ties are broken by name."""
        return self.of_surface_type.most_frequent(len(self.surfaces), self._rank_of_type)

    @cached_property
    def usual_of_word(self) -> NDArray[np.int32]:
        """The most frequent type of each word, or -1 if it is never in a mention; ties are broken by name."""
        return self.of_word_type.most_frequent(len(self.words), self._rank_of_type)

    @cached_property
    def hard_words(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The classes in ``HARD`` of tokens of each word: for gold O, and for gold I.

        The last entry is for new words. A word with gold I may still turn out not to be hard, by its type.
        """
        inside, outside = self.of_word_inside, self.of_word - self.of_word_inside
        of_o = np.where(outside < inside, _DIFF_O, _OTHER)
        of_i = np.where(inside < outside, _DIFF_I, _DIFF_E)
        return np.append(of_o, _UNSEEN_O), np.append(of_i, _UNSEEN_I)

    @cached_property
    def hard_words_strict(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The same as ``hard_words``, but a label is *diff* only if the word never had it at that level."""
        inside, outside = self.of_word_inside, self.of_word - self.of_word_inside
        of_o = np.where(outside == 0, _DIFF_O, _OTHER)
        of_i = np.where(inside == 0, _DIFF_I, np.where(inside < outside, _OTHER, _DIFF_E))
        return np.append(of_o, _UNSEEN_O), np.append(of_i, _UNSEEN_I)

    @property
    def _rank_of_type(self) -> NDArray[np.int64]:
        """The rank of each type in alphabetical order."""
        return np.argsort(np.argsort(np.array(list(self.types) or [""])))


class Exposed:
    """The view of an index of training data on one corpus: arrays over its mentions and over its tokens.

    Args:
        index: the counts of the index.
        corpus: the corpus.
    """

    def __init__(self, index: Tables, corpus: Corpus) -> None:
        self.key = index.key
        self._index = index
        self._corpus = _Text(corpus)
        words = corpus.vocabulary
        used = np.arange(len(words))
        if corpus.n_tokens < len(words):  # a part of a corpus, in which most words of the vocabulary do not occur
            used = corpus.used_words()
            words = Vocabulary(words[word] for word in used.tolist())
        self._word_of = np.full(len(corpus.vocabulary), -1, np.int32)  # word of the corpus -> word of the index
        self._word_of[used] = index.spelt.find(words)
        self._fold_of = self._word_of
        if index.key.folds:
            self._fold_of = np.full(len(corpus.vocabulary), -1, np.int32)
            self._fold_of[used] = index.spelt_folds.find(Vocabulary(index.key.fold_all(words)))

    def look_up(self) -> None:
        """Compute, and keep, the arrays that scores need."""
        _ = self.mention_class, self.hard_tokens
        if self.can_look_up:
            _ = self.memorised_of_type, self.memorised_exactly

    # --- mentions -----------------------------------------------------------------------------------------

    @cached_property
    def _type(self) -> NDArray[np.int64]:
        """The type of each mention by its number in the index; -1 for a type that training does not have."""
        mentions = self._corpus.mentions
        known = [self._index.types.get(name, -1) for name in mentions.labels] or [-1]
        return np.array(known, np.int64)[mentions.label]

    @cached_property
    def _surface(self) -> NDArray[np.int64]:
        """The surface of each mention by its number in the index; -1 for a new surface."""
        return self._index.phrases.of(self._fold, self._corpus.begin, self._corpus.size).astype(np.int64)

    @cached_property
    def type_frequency(self) -> NDArray[np.int64]:
        """How often the surface of each mention is a training mention of the same type."""
        return self._index.of_surface_type.get(self._surface, self._type)

    @cached_property
    def surface_frequency(self) -> NDArray[np.int64]:
        """How often the surface of each mention is a training mention of any type."""
        return or_zero(self._index.of_surface, self._surface)

    @property
    def frequency(self) -> NDArray[np.int64]:
        """How often the entity of each mention, as the key defines it, occurs in training."""
        return self.type_frequency if self.key.typed else self.surface_frequency

    @cached_property
    def entity(self) -> NDArray[np.int64]:
        """A number for the entity of each mention, equal for equal entities; -1 for one that training does not have."""
        code = PairTally.code(self._surface, self._type) if self.key.typed else self._surface
        return np.where(self._key_seen, code, -1)

    @property
    def seen(self) -> NDArray[np.bool_]:
        """For each mention, whether its entity, by the key and the notion of the same name, is in training."""
        return self._key_seen if self._index.same.is_exact else self._related

    @property
    def _key_seen(self) -> NDArray[np.bool_]:
        """For each mention, whether its entity, as the key alone defines it, is in training."""
        return self._type_seen if self.key.typed else self._surface >= 0

    @cached_property
    def _related(self) -> NDArray[np.bool_]:
        """For each mention, whether it is related to a training mention under the notion."""
        same = self._index.same
        names, of_mention = self._corpus.names(self.key)
        related = self._key_seen | self._index.related.related(names)[of_mention]
        if same.has(Notion.ID):
            related = related | self._id_seen
        if same.has(Notion.TEMPLATES):
            related = related | self.template_seen[self._corpus.mentions.sample]
        return related

    @property
    def _id_seen(self) -> NDArray[np.bool_]:
        """For each mention, whether a training mention, of its type if types matter, has an id of it."""
        counts = self._index.of_id_type
        if counts is None:
            raise CleancutError(NEEDED)
        ids = ids_of(self._corpus)
        number = np.array([self._index.ids.get(name, -1) for name in ids.names] or [-1], np.int64)[ids.id]
        is_known = number >= 0
        if self.key.typed:
            own_type = np.where(is_known, self._type[ids.mention], -1)
            is_known = counts.get(number, own_type) > 0
        seen = np.zeros(len(self._corpus.mentions), bool)
        seen[ids.mention[is_known]] = True
        return seen

    @cached_property
    def template_seen(self) -> NDArray[np.bool_]:
        """For each sample, whether training has its template: the sample with mentions and digits masked."""
        if self._index.templates is None:
            raise CleancutError(
                "the index does not know the templates of its samples, as it was saved by an earlier version. Make it "
                "anew with Exposure.of(train)."
            )
        return np.isin(template_hashes(self._corpus.corpus()), self._index.templates)

    @cached_property
    def staircase(self) -> NDArray[np.int64]:
        """The step of each mention, by its number in ``STAIRCASE``: the first one that applies."""
        names, of_mention = self._corpus.names(self.key._replace(typed=False))
        index = self._index.related_untyped
        steps = (
            self._type_seen,
            self._surface >= 0,
            index.same_form(names)[of_mention],
            index.part(names)[of_mention],
            self.template_seen[self._corpus.mentions.sample],
        )
        return np.select(steps, np.arange(len(steps)), len(steps))

    @cached_property
    def _type_seen(self) -> NDArray[np.bool_]:
        """For each mention, whether its surface is a training mention of the same type."""
        seen = np.zeros(len(self._surface), bool)
        known = np.flatnonzero(self._surface >= 0)
        surface, types = self._surface[known], self._type[known]
        usual = self._index.usual_of_surface[surface] == types
        seen[known[usual]] = True
        # Only a surface with several types may have been seen with another type than its most frequent one.
        rest = np.flatnonzero(~usual & self._index.mixed_of_surface[surface])
        seen[known[rest]] = self._index.of_surface_type.get(surface[rest], types[rest]) > 0
        return seen

    @cached_property
    def consistency(self) -> NDArray[np.float64]:
        """The share of the training mentions of the surface that have the same type; NaN for a new surface."""
        with np.errstate(invalid="ignore"):
            return self.type_frequency / self.surface_frequency

    @cached_property
    def n_types(self) -> NDArray[np.int64]:
        """The number of types that the training mentions of the surface have."""
        return self._index.of_surface_type.n_types(self._surface)

    @cached_property
    def usual_label(self) -> list[str | None]:
        """The most frequent type of the surface in training; None for a new surface."""
        names = [*self._index.types, None]
        usual = np.append(self._index.usual_of_surface, -1)
        return [names[number] for number in usual[self._surface].tolist()]

    @cached_property
    def known_words(self) -> NDArray[np.bool_]:
        """For each mention, whether all its words are training words."""
        text = self._corpus
        unknown = self._fold[text.inside] < 0
        if not len(unknown):
            return np.zeros(0, bool)
        return ~np.logical_or.reduceat(unknown, np.cumsum(text.size) - text.size)

    @cached_property
    def span_consistency(self) -> NDArray[np.float64]:
        """The share of the occurrences of the surface in training that are mentions of the same type (eCon)."""
        places = self._index.occurrences
        if places is None:
            raise CleancutError(f"eCon needs a second pass over the training data. {SECOND_PASS}")
        return self.type_frequency / np.maximum(or_zero(places, self._surface), 1)

    @cached_property
    def token_frequency(self) -> NDArray[np.float64]:
        """How often training has the words of each mention: the mean over its tokens."""
        text = self._corpus
        return self._means(self.word_frequency[text.inside].astype(float))

    @cached_property
    def token_consistency(self) -> NDArray[np.float64]:
        """The share of the training tokens of a word that are in mentions of the same type.

        It is the mean over the tokens of each mention.
        """
        text, index = self._corpus, self._index
        word = self._word[text.inside].astype(np.int64)
        same_type = index.of_word_type.get(word, np.repeat(self._type, text.size))
        return self._means(same_type / np.maximum(np.append(index.of_word, 0)[word], 1))

    def _means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean over the tokens of each mention, of values that lie one mention after the other."""
        size = self._corpus.size
        if not len(size):
            return np.zeros(0)
        return np.add.reduceat(values, np.cumsum(size) - size) / size

    @cached_property
    def novelty(self) -> NDArray[np.int64]:
        """The class of each mention, by its number in ``NOVELTY_CLASSES``."""
        new = np.where(self.known_words, 2, 3)
        return np.where(self._type_seen, 0, np.where(self._surface >= 0, 1, new))

    @cached_property
    def mention_class(self) -> NDArray[np.int64]:
        """The novelty and the contamination of each mention as one number below ``2 * len(NOVELTY)``."""
        return self.novelty + len(NOVELTY) * self.seen

    # --- tokens -------------------------------------------------------------------------------------------

    @cached_property
    def _word(self) -> NDArray[np.int32]:
        """The word of each token by its number in the index; -1 for a new word. Case always matters here."""
        return self._word_of.take(self._corpus.words)

    @cached_property
    def _fold(self) -> NDArray[np.int32]:
        """The word of each token as it is compared, by its number in the index; -1 for a new word."""
        return self._fold_of.take(self._corpus.words) if self.key.folds else self._word

    def _of_vocabulary(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a count of the index for each word of the corpus's vocabulary; 0 for new words."""
        return or_zero(counts, self._word_of)

    @property
    def word_seen(self) -> NDArray[np.bool_]:
        """For each token, whether its word is a training word."""
        return self._word >= 0

    @property
    def word_frequency(self) -> NDArray[np.int64]:
        """How often training has the word of each token."""
        return self._of_vocabulary(self._index.of_word)[self._corpus.words]

    def word_label_frequency(self, labels: list[str | None]) -> NDArray[np.int64]:
        """Return how often training has the word of each token with a given label.

        Args:
            labels: a label for each token: the name of a type, or ``"O"`` or None for a token outside of mentions.

        Raises:
            CleancutError: there is not one label for each token.
        """
        labels = checks.ordered(labels, "labels", "a label for each token")
        if len(labels) != len(self._corpus.words):
            raise CleancutError(f"{len(self._corpus.words)} tokens but {len(labels)} labels. Give one for each token.")
        types = {name: self._index.types.get(name, -1) for name in set(labels) if name is not None}
        wanted = np.array([-2 if name in (None, "O") else types[name] for name in labels], np.int64)
        inside = self._index.of_word_type.get(self._word.astype(np.int64), wanted)
        outside = self.word_frequency - self._of_vocabulary(self._index.of_word_inside)[self._corpus.words]
        return np.where(wanted == -2, outside, inside)

    def word_consistency(self, labels: list[str | None]) -> NDArray[np.float64]:
        """Return the share of the training tokens of each word that have a given label; NaN for a new word.

        Args:
            labels: a label for each token: the name of a type, or ``"O"`` or None for a token outside of mentions.
        """
        with np.errstate(invalid="ignore"):
            return self.word_label_frequency(labels) / self.word_frequency

    @cached_property
    def word_usual_label(self) -> list[str | None]:
        """The label that training gives the word of each token most often: a type, ``"O"``, or None for a new word."""
        total, inside = self._index.of_word, self._index.of_word_inside
        usual = self._index.usual_of_word
        names = [*self._index.types, None, "O"]
        most = self._index.of_word_type.get(np.arange(len(usual)), usual)
        label = np.where(total - inside >= most, len(names) - 1, usual)
        label = np.append(label, len(names) - 2)
        return [names[number] for number in label[self._word].tolist()]

    @cached_property
    def hard_tokens(self) -> HardTokens:
        """The class of each token in ``HARD``, by the two-level rule of hardeval's published counts."""
        return HardTokens.of(self._hard_tokens(strict=False))

    @cached_property
    def hard_tokens_strict(self) -> HardTokens:
        """The same as ``hard_tokens``, but a label is *diff* only if the word never had it at that level."""
        return HardTokens.of(self._hard_tokens(strict=True))

    def _hard_tokens(self, strict: bool) -> NDArray[np.uint8]:
        """Return the class of each token, as its place in ``HARD``: a new word, an unusual gold label, or neither.

        Args:
            strict: whether a label is unusual (*diff*) only if training never has it on the word, rather than if
                training has another label on it more often.
        """
        text, index = self._corpus, self._index
        # The class of a token follows from its word, unless its gold type may not be the usual one (diff_e).
        outside, inside = index.hard_words_strict if strict else index.hard_words
        classes = outside[self._word_of].take(text.words)
        words = text.words[text.inside]
        inside_classes = inside[self._word_of][words]
        candidates = np.flatnonzero(inside_classes == _DIFF_E)
        word = self._word_of[words[candidates]]
        types = np.repeat(self._type, text.size)[candidates]
        is_usual = index.usual_of_word[word] == types
        is_open = ~is_usual if strict else ~is_usual & index.tied_of_word[word]
        rest = np.flatnonzero(is_open)
        count = index.of_word_type.get(word[rest].astype(np.int64), types[rest])
        is_usual[rest] = (count > 0) if strict else (count == index.most_of_word[word[rest]])
        inside_classes[candidates[is_usual]] = _OTHER
        classes[text.inside] = inside_classes
        return classes

    # --- memory alone -------------------------------------------------------------------------------------

    @cached_property
    def can_look_up(self) -> bool:
        """Whether the look-up is defined, which needs the occurrences of each surface in the training text."""
        return self._index.can_look_up

    @cached_property
    def memorised(self) -> Mentions:
        """The mentions that the look-up finds: from left to right the longest surface, with its most frequent type.

        Only surfaces that are mentions in at least half of their occurrences in the training text are looked up.
        """
        bounds = self._corpus.bounds
        begin, size, types = self._memorised
        lengths = np.diff(bounds)
        sample = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)[begin]
        start = (begin - bounds[sample]).astype(np.int32)
        names, label = sorted_names(tuple(self._index.types), types)
        return Mentions(sample, start, start + size, label, names, len(lengths), lengths)

    @cached_property
    def _memorised(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """The first token, the number of tokens and the type (as in the index) of each mention of the look-up."""
        size = np.zeros(len(self._fold), np.int32)
        surface = np.empty(len(self._fold), np.int32)
        in_look_up = self._index.in_look_up
        for n_words, at, surface_there in self._places():  # longer surfaces come later and replace shorter ones
            listed = in_look_up[surface_there]
            at = at[listed]
            size[at] = n_words
            surface[at] = surface_there[listed]
        begin = np.flatnonzero(size > 0)
        begin = begin[taken_in_turn(begin, begin + size[begin])]
        return begin, size[begin], self._index.usual_of_surface[surface[begin]]

    @cached_property
    def memorised_of_type(self) -> dict[str, int]:
        """The number of mentions that the look-up finds, for each type that it finds."""
        counts = np.bincount(self._memorised[2], minlength=len(self._index.types)).tolist()
        return {name: n for name, n in zip(self._index.types, counts, strict=True) if n}

    @cached_property
    def memorised_exactly(self) -> NDArray[np.bool_]:
        """For each mention, whether the look-up finds it with its type."""
        text = self._corpus
        begin, size, types = self._memorised
        begins_at = np.full(len(text.words), -1, np.int32)  # token -> mention of the look-up that begins there
        begins_at[begin] = np.arange(len(begin))
        candidates = np.flatnonzero(begins_at[text.begin] >= 0)
        looked_up = begins_at[text.begin][candidates]
        same_size = size[looked_up] == text.size[candidates]
        same_type = types[looked_up] == self._type[candidates]
        recalled = np.zeros(len(text.begin), bool)
        recalled[candidates[same_size & same_type]] = True
        return recalled

    @cached_property
    def memorised_counts(self) -> Counts:
        """How many mentions the look-up finds, and how many of them are right, by type."""
        mentions = self._corpus.mentions
        n_found = self.memorised_of_type
        exact = np.bincount(mentions.label[self.memorised_exactly], minlength=len(mentions.labels)).tolist()
        n_right = dict(zip(mentions.labels, exact, strict=True))
        names = tuple(sorted(set(mentions.labels) | set(n_found)))
        columns = {
            "n_memorised": np.array([n_found.get(name, 0) for name in names], np.int64),
            "n_memorised_exact": np.array([n_right.get(name, 0) for name in names], np.int64),
        }
        return Counts.of_table(names, columns)

    def surface_places(self) -> NDArray[np.int64]:
        """Return how often each surface of the index occurs in the text, also where it is not a mention."""
        counts = np.zeros(len(self._index.surfaces), np.int64)
        for _, _, surfaces in self._places():
            counts += np.bincount(surfaces, minlength=len(counts))
        return counts

    def _places(self) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int32]]]:
        """Return the places of the surfaces of the index in the text, as ``Phrases.everywhere`` yields them."""
        bounds = self._corpus.bounds
        last = np.zeros(len(self._fold), bool)
        last[bounds[1:][np.diff(bounds) > 0] - 1] = True
        return self._index.phrases.everywhere(self._fold, last)


@dataclass(frozen=True)
class Novelty:
    """A class of mentions by what training has shown of them, with the words that tables and pages use for it."""

    name: str
    """The name in the keys of values: ``recall_seen``, ``n_seen``."""
    title: str
    """The title of a column or a row."""
    long_title: str
    """The title for a mention that stands by itself."""
    description: str
    """The rest of a sentence that says what training has of such a mention."""
    is_training_mention: bool
    """Whether the words of such a mention are a training mention of any type."""


NOVELTY_CLASSES = (
    Novelty("seen", "seen", "seen in training", "the same words with the same type", True),
    Novelty("other_type", "other type", "seen with another type", "only with another type", True),
    Novelty(
        "known_words", "new, known words", "new, of known words", "never as a mention, but every word is known", False
    ),
    Novelty("unknown_words", "new words", "new words", "with words that training does not have", False),
)
"""The classes, in the order of the numbers that ``Exposed.novelty`` gives."""

NOVELTY = tuple(novelty.name for novelty in NOVELTY_CLASSES)
"""The names of the classes."""

STAIRCASE_STEPS = (
    Novelty("step_seen", "seen", "seen in training", "the same words with the same type", True),
    Novelty("step_other_type", "other type", "seen with another type", "only with another type", True),
    Novelty(
        "step_folded", "other writing", "seen in another writing", "a name that differs in case or punctuation", False
    ),
    Novelty("step_part", "part", "part of a seen name", "a name that it is part of, or that is part of it", False),
    Novelty("step_template", "seen template", "new, in a seen template", "the same sentence with other names", False),
    Novelty("step_new", "new", "new", "nothing like it", False),
)
"""The steps from memory to what is new, in the order of the numbers that ``Exposed.staircase`` gives.

A mention stands on the first step that applies. From the third step on, types do not matter.
"""

STAIRCASE = tuple(step.name for step in STAIRCASE_STEPS)
"""The names of the steps."""

HARD = ("other", "unseen_i", "unseen_o", "diff_i", "diff_o", "diff_e")
"""The classes of tokens: their word is new (unseen), their label is not the usual one of the word (diff), or neither.
"""

_OTHER, _UNSEEN_I, _UNSEEN_O, _DIFF_I, _DIFF_O, _DIFF_E = np.arange(len(HARD), dtype=np.uint8)


class HardTokens(NamedTuple):
    """The class of each token in ``HARD``, and the number of tokens of each class."""

    of_token: NDArray[np.uint8]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, of_token: NDArray[np.uint8]) -> HardTokens:
        """Return classes with their counts.

        Args:
            of_token: the class of each token.
        """
        return cls(of_token, np.bincount(of_token, minlength=len(HARD)))


class _Text:
    """The arrays of a corpus that a view needs. It does not hold the corpus, which would keep it alive."""

    def __init__(self, corpus: Corpus) -> None:
        self.words = corpus.words
        self.vocabulary = corpus.vocabulary
        self.bounds = bounds_of(corpus.lengths)
        self.mentions = corpus.mentions
        self.entity_ids = corpus.entity_ids
        self.begin = self.bounds[self.mentions.sample] + self.mentions.start
        self.size = (self.mentions.end - self.mentions.start).astype(np.int64)

    def corpus(self) -> Corpus:
        """Return the words and the mentions as a corpus of their own."""
        return Corpus(self.words, self.vocabulary, self.mentions)

    def names(self, key: Key) -> tuple[Names, NDArray[np.int32]]:
        """Return the distinct names of the mentions under a key, and the name of each mention."""
        names, [of_mention] = Names.of([self.corpus()], key)
        return names, of_mention

    @cached_property
    def inside(self) -> NDArray[np.int64]:
        """The positions of the tokens of all mentions, one mention after the other."""
        return ranges(self.begin, self.size)
