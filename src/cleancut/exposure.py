"""Exposure: what the training data has shown. The one definition of "seen" in the program.

The index holds counts of surface and type, of surface, and of word and label. It grows batch by batch with memory in
proportion to its distinct keys, and answers for the arrays of a whole corpus at a time (``Exposed``).
"""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import islice, repeat
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from .files import replacing
from .inputs import Interner
from .spans import Corpus, Mentions, overlaps, ranges, sorted_names
from .tags import CleancutError, bounds_of

_FORMS = ("NFC", "NFD", "NFKC", "NFKD")
_WANTED = "expected a Corpus, got {}. Make one with read(), from_dataset() or Corpus.of(tokens, tags=...)."


class Key(NamedTuple):
    """What counts as the same entity."""

    case: bool = True
    """Does case matter?"""
    typed: bool = True
    """Does the type belong to the key?"""
    unicode: str | None = None
    """A Unicode normal form (NFC, NFKC, ...) into which words are brought first."""

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


class Exposure:
    """An index of training data.

    >>> train = Corpus.of([["Ada", "King", "met", "King"]], entities=[[(0, 2, "PER")]])
    >>> test = Corpus.of([["Ada", "King"], ["King"]], entities=[[(0, 2, "PER")], [(0, 1, "PER")]])
    >>> Exposure.of(train).view(test).seen.tolist()
    [True, False]
    """

    def __init__(self, *, case: bool = True, typed: bool = True, unicode: str | None = None) -> None:
        if unicode is not None and unicode not in _FORMS:
            raise CleancutError(f"unicode={unicode!r} is unknown. Choose one of {', '.join(_FORMS)}, or None.")
        self.key = Key(case, typed, unicode)
        self.n_samples = self.n_mentions = 0
        self._fingerprint = 0
        self._words = Interner()  # word -> its id
        self._folds = Interner() if self.key.folds else self._words  # word as compared -> its id
        self._fold_of = np.zeros(0, np.int32)  # word id -> id of the word as compared
        self._types = Interner()
        self._surfaces = Interner()  # bytes of the ids of the words as compared -> surface id
        self._of_word = _Tally()  # word id -> tokens
        self._of_word_inside = _Tally()  # word id -> tokens in mentions
        self._of_word_type = _PairTally()  # (word id, type id) -> tokens in mentions of the type
        self._of_surface_type = _PairTally()  # (surface id, type id) -> mentions
        self._occurrences: NDArray[np.int64] | None = None  # surface id -> places in the text
        self._views: WeakKeyDictionary[Corpus, Exposed] = WeakKeyDictionary()

    @classmethod
    def of(
        cls,
        train: Corpus | Iterable[Corpus],
        *,
        case: bool = True,
        typed: bool = True,
        unicode: str | None = None,
    ) -> Exposure:
        """An index of one corpus, of several splits, or of the batches of a file."""
        exposure = cls(case=case, typed=typed, unicode=unicode)
        if not isinstance(train, Corpus) and (isinstance(train, str | Mapping) or not isinstance(train, Iterable)):
            raise CleancutError(_WANTED.format(type(train).__name__))
        for corpus in [train] if isinstance(train, Corpus) else train:
            exposure.update(corpus)
        if isinstance(train, Corpus | Sequence):
            exposure.count_occurrences([train] if isinstance(train, Corpus) else train)
        return exposure

    def update(self, corpus: Corpus) -> None:
        """Count a further batch."""
        if not isinstance(corpus, Corpus):
            raise CleancutError(_WANTED.format(type(corpus).__name__))
        words = self._count_words(corpus)
        mentions = corpus.mentions
        begin = bounds_of(corpus.lengths)[mentions.sample] + mentions.start
        size = (mentions.end - mentions.start).astype(np.int64)
        names = np.array([self._types[name] for name in mentions.labels] or [0])
        label = names[mentions.label]
        token, types = ranges(begin, size), np.repeat(label, size)
        if overlaps(mentions):  # a token in two mentions is one token, and once of each type
            token, types = np.unique(np.stack([token, types]), axis=1)
            self._of_word_inside.add(words[np.unique(token)], len(self._words))
        else:
            self._of_word_inside.add(words[token], len(self._words))
        self._of_word_type.add(words[token], types)
        surfaces = _surfaces(self._fold_of[words], begin, size)
        ids = np.fromiter(map(self._surfaces.__getitem__, surfaces), np.int64, count=len(surfaces))
        self._of_surface_type.add(ids, label)
        self.n_samples += len(corpus)
        self.n_mentions += len(mentions)
        self._fingerprint = (self._fingerprint + _fingerprint(corpus)) % 2**64
        self._forget()

    def count_occurrences(self, train: Iterable[Corpus]) -> None:
        """Count where the words of each mention stand in the training text, as mention or not: what ``eCon`` needs.

        This takes a second pass, since a surface may stand in the text before it is first a mention. ``of`` makes it
        where it is given corpora; after batches, give them once more here.
        """
        counts = np.zeros(len(self._surfaces), np.int64)
        for corpus in train:
            counts += Exposed(self, corpus).surface_places()
        self._occurrences = counts

    def __add__(self, other: Exposure) -> Exposure:
        """The index of both training sets."""
        if not isinstance(other, Exposure):
            return NotImplemented
        if self.key != other.key:
            raise CleancutError(f"indices with different keys do not merge: {self.key} and {other.key}.")
        merged = Exposure(case=self.key.case, typed=self.key.typed, unicode=self.key.unicode)
        for part in (self, other):
            merged._absorb(part)
        return merged

    def __radd__(self, other: Any) -> Exposure:
        return self if other == 0 else NotImplemented  # the start value of sum()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_views": None}  # views are looked up again

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _views=WeakKeyDictionary())

    def view(self, corpus: Corpus) -> Exposed:
        """What the training data has shown of a corpus; kept while the corpus lives and the index does not grow."""
        if not isinstance(corpus, Corpus):
            raise CleancutError(_WANTED.format(type(corpus).__name__))
        found = self._views.get(corpus)
        if found is None:
            found = self._views[corpus] = Exposed(self, corpus)
        return found

    @property
    def n_tokens(self) -> int:
        """Training tokens."""
        return int(self._of_word.counts.sum())

    @property
    def n_words(self) -> int:
        """Distinct training words."""
        return len(self._words)

    @property
    def n_entities(self) -> int:
        """Distinct entities under the key."""
        return len(self._of_surface_type.codes) if self.key.typed else len(self._surfaces)

    @property
    def fingerprint(self) -> str:
        """Six digits that change with the training data, whatever the order of its samples."""
        return hashlib.blake2b(self._fingerprint.to_bytes(8, "little"), digest_size=3).hexdigest()

    def __repr__(self) -> str:
        return (
            f"Exposure({self.n_samples} samples, {self.n_tokens} tokens, {self.n_words} words, {self.n_mentions} "
            f"mentions, {self.n_entities} entities, key={self.key}, train={self.fingerprint})"
        )

    # --- saving -------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to one ``.npz`` file (arrays only, no pickle)."""
        if not os.fspath(path).endswith(".npz"):
            raise CleancutError(f"{path}: an index is saved as .npz. Name the file so.")
        meta: dict[str, Any] = {"format": "cleancut-exposure-1", "key": self.key._asdict(), "types": [*self._types]}
        meta |= {"n_samples": self.n_samples, "n_mentions": self.n_mentions, "fingerprint": self._fingerprint}
        words = [word.encode("utf-8", "surrogatepass") for word in self._words]
        text, surfaces = b"".join(words), b"".join(self._surfaces)
        with replacing(path) as stream:
            np.savez_compressed(
                stream,
                meta=np.frombuffer(json.dumps(meta).encode(), np.uint8),
                words=np.frombuffer(text, np.uint8),
                word_sizes=np.array([len(word) for word in words], np.int32),
                surfaces=np.frombuffer(surfaces, np.int32),
                surface_sizes=np.array([len(surface) // 4 for surface in self._surfaces], np.int32),
                of_word=self._of_word.counts,
                of_word_inside=self._of_word_inside.counts,
                of_word_type=self._of_word_type.table(),
                of_surface_type=self._of_surface_type.table(),
                occurrences=np.zeros(0, np.int64) if self._occurrences is None else self._occurrences,
            )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Exposure:
        """Read an index that ``save`` wrote."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                data = {name: stored[name] for name in stored.files}
            meta = json.loads(data["meta"].tobytes())
            if meta["format"] != "cleancut-exposure-1":
                raise KeyError(meta["format"])
            exposure = cls(**meta["key"])
            words = _split_bytes(data["words"].tobytes(), data["word_sizes"])
            exposure._intern([word.decode("utf-8", "surrogatepass") for word in words])
            exposure._types.update((name, i) for i, name in enumerate(meta["types"]))
            surfaces = _split_bytes(data["surfaces"].astype(np.int32).tobytes(), 4 * data["surface_sizes"])
            exposure._surfaces.update((surface, i) for i, surface in enumerate(surfaces))
            exposure._of_word.counts = data["of_word"]
            exposure._of_word_inside.counts = data["of_word_inside"]
            exposure._of_word_type = _PairTally(data["of_word_type"])
            exposure._of_surface_type = _PairTally(data["of_surface_type"])
            if len(data.get("occurrences", ())) == len(surfaces):  # else they are not known
                exposure._occurrences = data["occurrences"]
            exposure.n_samples, exposure.n_mentions = meta["n_samples"], meta["n_mentions"]
            exposure._fingerprint = meta["fingerprint"]
        except FileNotFoundError:
            raise CleancutError(f"{path}: no such file.") from None
        except (OSError, ValueError, KeyError, TypeError, EOFError, RuntimeError, BadZipFile, zlib.error) as error:
            raise CleancutError(f"{path}: not an index that Exposure.save wrote ({error}).") from None
        return exposure

    # --- growing ------------------------------------------------------------------------------------------

    def _count_words(self, corpus: Corpus) -> NDArray[np.int64]:
        """Count the words of a corpus and return the id of each of its tokens."""
        used = corpus.used_words()
        table = np.zeros(len(corpus.vocabulary), np.int64)
        table[used] = self._intern([corpus.vocabulary[w] for w in used.tolist()])
        words = table[corpus.words]
        self._of_word.add(words, len(self._words))
        return words

    def _intern(self, words: list[str]) -> NDArray[np.int64]:
        known = len(self._words)
        ids = np.fromiter(map(self._words.__getitem__, words), np.int64, count=len(words))
        if self.key.folds:
            fresh = [self._folds[self.key.fold(word)] for word in islice(self._words, known, None)]
            self._fold_of = np.append(self._fold_of, np.array(fresh, np.int32)).astype(np.int32)
        else:
            self._fold_of = np.arange(len(self._words), dtype=np.int32)
        return ids

    def _absorb(self, other: Exposure) -> None:
        """Add the counts of another index, whose ids are translated."""
        words = self._intern(list(other._words))
        folds = np.zeros(len(other._folds), np.int32)
        folds[other._fold_of] = self._fold_of[words]
        types = np.array([self._types[name] for name in other._types], np.int64)
        sizes = np.array([len(surface) // 4 for surface in other._surfaces], np.int64)
        moved = folds[np.frombuffer(b"".join(other._surfaces), np.int32)].astype(np.int32).tobytes()
        surfaces = [self._surfaces[surface] for surface in _split_bytes(moved, 4 * sizes)]
        self._of_word.add(words, len(self._words), other._of_word.counts)
        self._of_word_inside.add(words, len(self._words), other._of_word_inside.counts)
        self._of_word_type.add_table(other._of_word_type, words, types)
        self._of_surface_type.add_table(other._of_surface_type, np.array(surfaces, np.int64), types)
        self.n_samples += other.n_samples
        self.n_mentions += other.n_mentions
        self._fingerprint = (self._fingerprint + other._fingerprint) % 2**64
        self._forget()

    def _forget(self) -> None:
        """Drop what was derived from smaller counts."""
        self._views.clear()
        self._occurrences = None
        for derived in ("_phrases", "_of_surface", "_most_of_word", "_usual_of_surface", "_usual_of_word"):
            self.__dict__.pop(derived, None)

    # --- derived tables -----------------------------------------------------------------------------------

    @property
    def type_names(self) -> tuple[str, ...]:
        """The types of the training mentions."""
        return tuple(self._types)

    @cached_property
    def _phrases(self) -> _Phrases:
        """The surfaces, to be found in texts."""
        return _Phrases(self._surfaces, len(self._folds))

    @cached_property
    def _of_surface(self) -> NDArray[np.int64]:
        """The mentions of each surface."""
        return self._of_surface_type.total(len(self._surfaces))

    @cached_property
    def _most_of_word(self) -> NDArray[np.int64]:
        """The count of the most frequent type of each word."""
        return self._of_word_type.largest(len(self._words))

    @cached_property
    def _usual_of_surface(self) -> NDArray[np.int64]:
        """The most frequent type of each surface; ties by name."""
        return self._of_surface_type.most_frequent(len(self._surfaces), self._rank_of_type)

    @cached_property
    def _usual_of_word(self) -> NDArray[np.int64]:
        """The most frequent type of each word (-1: never in a mention); ties by name."""
        return self._of_word_type.most_frequent(len(self._words), self._rank_of_type)

    @property
    def _rank_of_type(self) -> NDArray[np.int64]:
        return np.argsort(np.argsort(np.array(list(self._types) or [""])))


class Exposed:
    """What an index has shown of one corpus: arrays over its mentions and over its tokens."""

    def __init__(self, exposure: Exposure, corpus: Corpus) -> None:
        self.key, self._exposure, self._corpus = exposure.key, exposure, _Text.of(corpus)
        used = corpus.used_words()
        words = [corpus.vocabulary[w] for w in used.tolist()]
        self._word_of = np.full(len(corpus.vocabulary), -1, np.int32)  # vocabulary of the corpus -> of the index
        self._word_of[used] = _ids(exposure._words, words)
        self._fold_of = self._word_of
        if exposure.key.folds:
            self._fold_of = np.full(len(corpus.vocabulary), -1, np.int32)
            self._fold_of[used] = _ids(exposure._folds, list(map(exposure.key.fold, words)))

    # --- mentions -----------------------------------------------------------------------------------------

    @cached_property
    def _type(self) -> NDArray[np.int64]:
        """The type of each mention, as the index numbers them; -1 for a type that training does not have."""
        mentions = self._corpus.mentions
        known = [self._exposure._types.get(name, -1) for name in mentions.labels] or [-1]
        return np.array(known, np.int64)[mentions.label]

    @cached_property
    def _surface(self) -> NDArray[np.int64]:
        """The surface of each mention, as the index numbers them; -1 for a new one."""
        text = self._corpus
        size, surface = self._exposure._phrases.longest(self._fold, text.begin, text.size)
        return np.where(size == text.size, surface, -1).astype(np.int64)

    @cached_property
    def type_frequency(self) -> NDArray[np.int64]:
        """How often training has the surface as a mention of this type."""
        return self._exposure._of_surface_type.get(self._surface, self._type)

    @cached_property
    def surface_frequency(self) -> NDArray[np.int64]:
        """How often training has the surface as a mention of any type."""
        return _or_zero(self._exposure._of_surface, self._surface)

    @property
    def frequency(self) -> NDArray[np.int64]:
        """How often training has the entity, as the key defines it."""
        return self.type_frequency if self.key.typed else self.surface_frequency

    @cached_property
    def entity(self) -> NDArray[np.int64]:
        """A number for the entity of each mention, equal where the key is; -1 for one that training does not have."""
        code = _PairTally.code(self._surface, self._type) if self.key.typed else self._surface
        return np.where(self.seen, code, -1)

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Is the entity, as the key defines it, in training?"""
        return self.frequency > 0

    @cached_property
    def consistency(self) -> NDArray[np.float64]:
        """Of the training mentions of the surface, the share with this type; NaN for a new surface."""
        with np.errstate(invalid="ignore"):
            return self.type_frequency / self.surface_frequency

    @cached_property
    def n_types(self) -> NDArray[np.int64]:
        """Of how many types the training mentions of the surface are."""
        return self._exposure._of_surface_type.n_types(self._surface)

    @cached_property
    def usual_label(self) -> list[str | None]:
        """The type that training gives the surface most often; None for a new surface."""
        names = [*self._exposure.type_names, None]
        usual = np.append(self._exposure._usual_of_surface, -1)
        return [names[t] for t in usual[self._surface].tolist()]

    @cached_property
    def known_words(self) -> NDArray[np.bool_]:
        """Are all words of the mention training words?"""
        text = self._corpus
        unknown = self._fold[ranges(text.begin, text.size)] < 0
        if not len(unknown):
            return np.zeros(0, bool)
        return ~np.logical_or.reduceat(unknown, np.cumsum(text.size) - text.size)

    @cached_property
    def span_consistency(self) -> NDArray[np.float64]:
        """Of the places where training has the words of the mention, the share that are mentions of this type."""
        places = self._exposure._occurrences
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
        return self._means(self.word_frequency[ranges(text.begin, text.size)].astype(float))

    @cached_property
    def token_consistency(self) -> NDArray[np.float64]:
        """Of the training tokens of a word, the share in mentions of this type; the mean over the mention's tokens."""
        text, index = self._corpus, self._exposure
        word = self._word[ranges(text.begin, text.size)].astype(np.int64)
        this = index._of_word_type.get(word, np.repeat(self._type, text.size))
        return self._means(this / np.maximum(np.append(index._of_word.counts, 0)[word], 1))

    def _means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean over the tokens of each mention, whose values lie one after the other."""
        size = self._corpus.size
        return np.add.reduceat(values, np.cumsum(size) - size) / size if len(size) else np.zeros(0)

    @cached_property
    def novelty(self) -> NDArray[np.int64]:
        """The class of each mention in ``NOVELTY``."""
        new = np.where(self.known_words, 2, 3)
        return np.where(self.type_frequency > 0, 0, np.where(self.surface_frequency > 0, 1, new))

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
        return self._of_vocabulary(self._exposure._of_word.counts)[self._corpus.words]

    def word_label_frequency(self, labels: list[str | None]) -> NDArray[np.int64]:
        """How often training has the word of each token under a label, one for each token ("O" or None: outside)."""
        if len(labels) != len(self._corpus.words):
            raise CleancutError(f"{len(self._corpus.words)} tokens but {len(labels)} labels. Give one for each token.")
        types = {name: self._exposure._types.get(name, -1) for name in set(labels) if name is not None}
        wanted = np.array([-2 if name in (None, "O") else types[name] for name in labels], np.int64)
        inside = self._exposure._of_word_type.get(self._word.astype(np.int64), wanted)
        outside = self.word_frequency - self._of_vocabulary(self._exposure._of_word_inside.counts)[self._corpus.words]
        return np.where(wanted == -2, outside, inside)

    def word_consistency(self, labels: list[str | None]) -> NDArray[np.float64]:
        """Of the training tokens of each word, the share under a label; NaN for a new word."""
        with np.errstate(invalid="ignore"):
            return self.word_label_frequency(labels) / self.word_frequency

    @cached_property
    def word_usual_label(self) -> list[str | None]:
        """The label that training gives the word of each token most often ("O": outside; None: a new word)."""
        total, inside = self._exposure._of_word.counts, self._exposure._of_word_inside.counts
        usual = self._exposure._usual_of_word
        names = [*self._exposure.type_names, None, "O"]
        most = self._exposure._of_word_type.get(np.arange(len(usual)), usual)
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
        text, index = self._corpus, self._exposure
        inside = self._of_vocabulary(index._of_word_inside.counts)
        outside = self._of_vocabulary(index._of_word.counts) - inside
        other, unseen_i, unseen_o, diff_i, diff_o, diff_e = np.arange(len(HARD), dtype=np.uint8)
        # tables over the vocabulary suffice, but for a gold type that may not be the usual one
        new = self._word_of < 0
        of_o = np.where((outside == 0) if strict else (outside < inside), diff_o, other)
        of_i = np.where(inside < outside, other, diff_e)
        of_i = np.where((inside == 0) if strict else (inside < outside), diff_i, of_i)
        hard = np.where(new, unseen_o, of_o).take(text.words)
        token, types = ranges(text.begin, text.size), np.repeat(self._type, text.size)
        word = text.words[token]
        of_token = np.where(new, unseen_i, of_i)[word]
        maybe = np.flatnonzero(of_token == diff_e)
        of_index = self._word_of[word[maybe]].astype(np.int64)
        this = index._of_word_type.get(of_index, types[maybe])
        usual = (this > 0) if strict else (this == index._most_of_word[of_index])
        of_token[maybe[usual]] = other
        hard[token] = of_token
        return hard

    # --- memory alone -------------------------------------------------------------------------------------

    @cached_property
    def memorised(self) -> Mentions:
        """What a look-up of the training mentions finds: from left to right the longest surface, its usual type."""
        text, index = self._corpus, self._exposure
        lengths = np.diff(text.bounds)
        begin, sample, room = self._first_words()
        size, surface = index._phrases.longest(self._fold, begin, room)
        found = np.flatnonzero(size)
        found = found[_in_turn(begin[found], begin[found] + size[found])]
        sample, size = sample[found], size[found]
        start = (begin[found] - text.bounds[sample]).astype(np.int32)
        names, label = sorted_names(index.type_names, index._usual_of_surface[surface[found]])
        return Mentions(sample, start, start + size, label, names, len(lengths), lengths)

    def surface_places(self) -> NDArray[np.int64]:
        """How often each surface of the index stands in the text, as a mention or not, within other surfaces or not."""
        places = np.zeros(len(self._exposure._surfaces), np.int64)
        begin, _, room = self._first_words()
        for _, _, found in self._exposure._phrases.descend(self._fold, begin, room):
            places += np.bincount(found, minlength=len(places))
        return places

    def _first_words(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """The tokens with whose word a surface begins: place, sample, and how many tokens are left of the sample."""
        bounds = self._corpus.bounds
        begin = np.flatnonzero(self._exposure._phrases.first.take(self._fold))
        sample = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds))[begin]
        return begin, sample, bounds[sample + 1] - begin


NOVELTY = ("seen", "other_type", "known_words", "unknown_words")
"""Seen with this type; seen only with another; a new mention made of known words; one with unknown words."""

HARD = ("other", "unseen_i", "unseen_o", "diff_i", "diff_o", "diff_e")
"""Tokens whose word is new, or whose label is not the usual one of the word, by gold label."""


class HardTokens(NamedTuple):
    """The class of each token in ``HARD``, and how many there are of each."""

    of_token: NDArray[np.uint8]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, of_token: NDArray[np.uint8]) -> HardTokens:
        return cls(of_token, np.bincount(of_token, minlength=len(HARD)))


class _Text(NamedTuple):
    """The arrays of a corpus that a view needs; not the corpus itself, whose life the view must not prolong."""

    words: NDArray[np.int32]
    bounds: NDArray[np.int64]
    mentions: Mentions
    begin: NDArray[np.int64]
    size: NDArray[np.int64]

    @classmethod
    def of(cls, corpus: Corpus) -> _Text:
        bounds, mentions = bounds_of(corpus.lengths), corpus.mentions
        size = (mentions.end - mentions.start).astype(np.int64)
        return cls(corpus.words, bounds, mentions, bounds[mentions.sample] + mentions.start, size)


class _Tally:
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


class _PairTally:
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
    def _places(self) -> _Places:
        return _Places(self.codes)

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

    def add_table(self, other: _PairTally, ids: NDArray[np.int64], types: NDArray[np.int64]) -> None:
        """Add another tally, whose ids and types are translated."""
        if len(other.codes):
            self.add(ids[other.codes >> self._BITS], types[other.codes & (1 << self._BITS) - 1], other.counts)

    def get(self, ids: NDArray[np.int64], types: NDArray[np.int64]) -> NDArray[np.int64]:
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

    def most_frequent(self, n: int, rank: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each id below ``n`` the type with the largest count; of equal ones the first by rank; -1 for none."""
        ids, types = self.codes >> self._BITS, self.codes & (1 << self._BITS) - 1
        best = np.flatnonzero(self.counts == self.largest(n)[ids])
        best = best[np.argsort(-rank[types[best]], kind="stable")]  # of each id, the winner comes last
        usual = np.full(n, -1, np.int64)
        usual[ids[best]] = types[best]
        return usual


class _Places:
    """Where distinct codes stand in their list: a hash table with open addresses, asked for whole arrays at once.

    A binary search of as many random codes takes about ten times as long: it misses the processor's cache at each step.
    """

    def __init__(self, codes: NDArray[np.int64]) -> None:
        bits = len(codes).bit_length() + 1  # at most half full: few steps to a free slot
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


class _Phrases:
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
        self._n_words, self._steps = n_words, _Places(steps)
        self._surface = np.full(n_nodes + 1, -1, np.int32)  # of each node; as in all tables here, -1 asks for the last
        self._surface[node] = np.arange(len(size))
        self._branches = np.zeros(n_nodes + 1, bool)  # of each node: do steps lead on?
        self._branches[steps >> 32] = True
        self._inner = np.zeros(n_words + 1, bool)  # of each word: do steps lead to it?
        self._inner[steps & 0xFFFFFFFF] = True
        self.first = np.append(self._branches[:n_words] | (self._surface[:n_words] >= 0), False)
        """Of each word: does a surface begin with it?"""

    def longest(
        self, words: NDArray[np.int32], begin: NDArray[np.int64], room: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The longest surface at each place, of at most ``room`` words: its words and its number; 0 and -1 for none."""
        size, surface = np.zeros(len(begin), np.int32), np.full(len(begin), -1, np.int32)
        for depth, at, found in self.descend(words, begin, room):
            size[at], surface[at] = depth, found
        return size, surface

    def descend(
        self, words: NDArray[np.int32], begin: NDArray[np.int64], room: NDArray[np.int64]
    ) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int32]]]:
        """For surfaces of one word, of two, and so on: at which of the places there is one, and which it is."""
        node, left, depth = words[begin].astype(np.int64), np.arange(len(begin)), 1
        while len(left):
            found = self._surface[node[left]]
            whole = np.flatnonzero(found >= 0)
            yield depth, left[whole], found[whole]
            left = left[self._branches[node[left]] & (room[left] > depth)]
            word = words[begin[left] + depth]
            known = np.flatnonzero(self._inner[word])  # most words are in no surface: spares their look-up
            left, word = left[known], word[known]
            step = self._steps.find(node[left] << 32 | word)
            left, step = left[step >= 0], step[step >= 0]
            node[left] = step.astype(np.int64) + self._n_words
            depth += 1


def _in_turn(begin: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which of sorted spans a reader takes who goes from left to right, and on from the end of each."""
    apart = np.append(0, np.maximum.accumulate(end))[:-1] <= begin  # no span that begins before reaches this one
    taken = apart & np.append(apart, True)[1:]  # nor does it reach the next: such are taken, whatever the others
    rest, chosen, free = np.flatnonzero(~taken), [], 0
    for i, at, until in zip(rest.tolist(), begin[rest].tolist(), end[rest].tolist(), strict=True):
        if at >= free:
            chosen.append(i)
            free = until
    taken[chosen] = True
    return np.flatnonzero(taken)


def _or_zero(values: NDArray[np.int64], at: NDArray[np.integer]) -> NDArray[np.int64]:
    """The values at some places; 0 where the place is negative."""
    return np.where(at < 0, 0, values[at]) if len(values) else np.zeros(len(at), np.int64)


def _ids(table: Mapping[str, int], keys: list[str]) -> NDArray[np.int32]:
    """The number of each key; -1 for one that the table does not have."""
    return np.fromiter(map(table.get, keys, repeat(-1)), np.int32, count=len(keys))


def entity_codes(corpus: Corpus, key: Key) -> NDArray[np.int32]:
    """A number from 0 on for each mention of a corpus, equal where the entity under the key is."""
    text, mentions = _Text.of(corpus), corpus.mentions
    folds, n_types = np.arange(len(corpus.vocabulary)), len(mentions.labels) + 1
    if key.folds:
        table = Interner()
        folds = np.fromiter((table[key.fold(word)] for word in corpus.vocabulary), np.int64, len(corpus.vocabulary))
    codes, n_codes = np.empty(len(mentions), np.int32), 0
    for size in np.unique(text.size).tolist():  # surfaces of different lengths are never equal
        of_size = np.flatnonzero(text.size == size)
        begin = text.begin[of_size]
        if size <= 8:  # word by word, each time numbered anew
            found = folds[text.words[begin]]
            for k in range(1, size):
                found = _numbered(found * len(folds) + folds[text.words[begin + k]])
        else:
            words = folds.astype(np.int32)[text.words[ranges(begin, text.size[of_size])]]
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
    found = _numbered(surface[head] * (int(surface.max(initial=0)) + 1) + surface[tail])
    if what is Shared.TRIPLE:
        found = _numbered(found * max(len(labels), 1) + label)
    return corpus.mentions.sample[head], found.astype(np.int32)


def key_name(key: Key, what: Shared) -> str:
    """As a signature has it."""
    return str(key) if what is Shared.ENTITY else str(key).replace("surface+type", what.value)


def _numbered(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Equal values as equal numbers from 0 on."""
    return np.unique(values, return_inverse=True)[1]


def _surfaces(folds: NDArray[np.int32], begin: NDArray[np.int64], size: NDArray[np.int64]) -> list[bytes]:
    """The words of each mention as bytes: the keys of the surface table."""
    data = folds.astype(np.int32, copy=False).tobytes()
    return [data[b:e] for b, e in zip((4 * begin).tolist(), (4 * (begin + size)).tolist(), strict=True)]


def _split_bytes(data: bytes, sizes: NDArray[np.integer]) -> list[bytes]:
    ends = np.cumsum(sizes).tolist()
    return [data[e - s : e] for s, e in zip(sizes.tolist(), ends, strict=True)]


def _fingerprint(corpus: Corpus) -> int:
    """A sum over the samples: the same in any order and any batches."""
    return int(sample_hashes(corpus).sum(dtype=np.uint64))


def sample_hashes(corpus: Corpus, texts: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]:
    """A number for the words and mentions of each sample, equal for equal samples in any corpus."""
    texts = text_hashes(corpus) if texts is None else texts
    mentions = corpus.mentions
    of_type = _name_hashes(mentions.labels)[mentions.label] if len(mentions) else np.zeros(0, np.uint64)
    span = mentions.start.astype(np.uint64) << np.uint64(32) | mentions.end.astype(np.uint64)
    bounds = np.searchsorted(mentions.sample, np.arange(len(corpus) + 1))
    return mixed(texts + _sums(mixed(of_type ^ mixed(span)), bounds))


def text_hashes(corpus: Corpus) -> NDArray[np.uint64]:
    """A number for the words of each sample, equal where all words are, in any corpus."""
    used = corpus.used_words()
    of_word = np.zeros(len(corpus.vocabulary), np.uint64)
    of_word[used] = _name_hashes([corpus.vocabulary[w] for w in used.tolist()])
    of_sample, bounds = np.zeros(len(corpus), np.uint64), bounds_of(corpus.lengths)
    for first in range(0, len(corpus), _SLICE):
        ends = bounds[first : first + _SLICE + 1]
        place = np.arange(ends[0], ends[-1]) - np.repeat(ends[:-1], np.diff(ends))
        of_token = of_word[corpus.words[ends[0] : ends[-1]]] * (2 * place + 1).view(np.uint64)
        of_sample[first : first + _SLICE] = _sums(of_token, ends - ends[0])
    return mixed(of_sample + corpus.lengths.astype(np.uint64))


_SLICE = 1 << 13
"""Samples whose tokens are hashed at a time, so that no array over all tokens is made."""


def _name_hashes(names: Sequence[str]) -> NDArray[np.uint64]:
    """A number for each name: the sum of one for each of its bytes at its place."""
    found = np.zeros(len(names), np.uint64)
    for first in range(0, len(names), _SLICE):
        encoded = [name.encode("utf-8", "surrogatepass") for name in names[first : first + _SLICE]]
        bounds = bounds_of(np.fromiter(map(len, encoded), np.int64, count=len(encoded)))
        found[first : first + _SLICE] = byte_hashes(np.frombuffer(b"".join(encoded), np.uint8), bounds)
    return found


def byte_hashes(letters: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The same of names whose bytes lie one after the other."""
    place = np.arange(len(letters)) - np.repeat(bounds[:-1], np.diff(bounds))
    return mixed(_sums(mixed((place << 8 | letters).view(np.uint64) + np.uint64(1)), bounds))


def _sums(values: NDArray[np.uint64], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The sums of consecutive groups of values, modulo 2**64."""
    total = np.append(np.uint64(0), np.cumsum(values))
    return total[bounds[1:]] - total[bounds[:-1]]


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """splitmix64's finaliser: every bit of the input reaches every bit of the output."""
    values = (values ^ values >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ values >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return values ^ values >> np.uint64(31)
