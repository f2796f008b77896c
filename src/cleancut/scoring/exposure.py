"""Exposure: the index of what the training data has shown. It is the one definition of "seen" in the program.

The index holds counts of surfaces by type, and of words by label. It grows batch by batch, and its memory grows with
the number of distinct words and surfaces. Its view of one corpus is an ``Exposed``.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import bounds_of, ranges
from ..core.checks import checked_path
from ..core.corpus import Corpus, Mentions, overlaps, sorted_names
from ..core.entities import Key
from ..core.exceptions import CleancutError, counted, quoted
from ..core.files import replacing
from ..core.hashing import sample_hashes
from ..core.inputs import Interner
from ..core.rooms import module_of
from ..core.same import PART_LIMIT, Notion, Same
from ..core.templates import template_hashes
from ..core.type_names import parse_types
from ..core.vocabulary import Vocabulary
from .exposure_file import (
    FORMAT,
    FORMAT_OF_NOTIONS,
    StoredIndex,
    parse_index,
    read_index,
    split_bytes,
    stored_notion,
)
from .exposure_view import Exposed, Tables
from .tallies import PairTally, Tally

_WANTED = "expected a Corpus, got {}. Make one with read(), from_dataset() or Corpus.of(tokens, tags=...)."


class Exposure:
    """An index of training data.

    The first ``clean_f1`` or ``hardeval`` on a corpus looks the corpus up in the index. The result is kept
    (``view``), so that further scores of the same corpus, as in a training loop, take a fraction of the time.

    Args:
        case: whether case matters for what counts as the same entity.
        typed: whether the type is part of the entity.
        unicode: a Unicode normal form that words are converted to first.
        same: which names count as the same, such as ``fold+part``: ``exact``, ``fold``, ``id``, ``alias``, ``part`` and
            ``templates``, with ``+`` between them. It decides what is ``seen``; counts are by the key.
        aliases: lists of names that mean the same, for ``alias``.
        part_limit: a word that occurs in more names of two or more words than this is generic, for ``part``.

    >>> train = Corpus.of([["Ada", "King", "met", "King"]], entities=[[(0, 2, "PER")]])
    >>> test = Corpus.of([["Ada", "King"], ["King"]], entities=[[(0, 2, "PER")], [(0, 1, "PER")]])
    >>> Exposure.of(train).view(test).seen.tolist()
    [True, False]
    """

    def __init__(
        self,
        *,
        case: bool = True,
        typed: bool = True,
        unicode: str | None = None,
        same: str | Same = "exact",
        aliases: Any = None,
        part_limit: int = PART_LIMIT,
    ) -> None:
        self.key = Key.of(case, typed, unicode)
        self.same = Same.of(same, aliases=aliases, part_limit=part_limit)
        self.n_samples = self.n_mentions = 0
        self._fingerprint = 0
        self._words = Interner()  # word -> its id
        self._folds = Interner() if self.key.folds else self._words  # word as compared -> its id
        self._fold_of = np.zeros(0, np.int32)  # word id -> id of the word as compared
        self._types = Interner()
        self._surfaces = Interner()  # bytes of the ids of the words as compared -> surface id
        self._of_word = Tally()  # word id -> tokens
        self._of_word_inside = Tally()  # word id -> tokens in mentions
        self._of_word_type = PairTally()  # (word id, type id) -> tokens in mentions of the type
        self._of_surface_type = PairTally()  # (surface id, type id) -> mentions
        self._templates: NDArray[np.uint64] | None = np.zeros(0, np.uint64)  # sorted; None if they were not counted
        self._ids = Interner()  # id of an entity, such as one of MeSH -> its number
        self._of_id_type: PairTally | None = PairTally()  # (number of an id, type id) -> mentions; None if unknown
        self._views: WeakKeyDictionary[Corpus, Exposed] = WeakKeyDictionary()
        self._renamed: dict[tuple[tuple[str, str], ...], Exposure] = {}
        self._under: dict[Same, Exposure] = {}

    @classmethod
    def of(
        cls,
        train: Any,
        *,
        case: bool = True,
        typed: bool = True,
        unicode: str | None = None,
        same: str | Same = "exact",
        aliases: Any = None,
        part_limit: int = PART_LIMIT,
        columns: Mapping[str, Any] | None = None,
    ) -> Exposure:
        """Return the index of training data.

        Args:
            train: a corpus, several corpora, or the batches of a file; a ``Dataset``, an ``IterableDataset``, or a
                ``DatasetDict``, whose split train is taken.
            case: whether case matters for what counts as the same entity.
            typed: whether the type is part of the entity.
            unicode: a Unicode normal form that words are converted to first.
            same: which names count as the same, such as ``fold+part``.
            aliases: lists of names that mean the same, for ``alias``.
            part_limit: a word that occurs in more names of two or more words than this is generic, for ``part``.
            columns: the columns of a dataset that hold ``tokens``, ``tags``, ``entities`` and so on, where they are not
                found by themselves.

        Raises:
            CleancutError: it is none of these, or a column is missing.

        >>> Exposure.of(Corpus.of([["Ada", "ran"]], tags=[["B-PER", "O"]])).n_entities
        1
        """
        exposure = cls(case=case, typed=typed, unicode=unicode, same=same, aliases=aliases, part_limit=part_limit)
        if hasattr(train, "column_names"):
            train = _corpus_of_dataset(train, columns)
        elif columns is not None and not (isinstance(columns, Mapping) and not columns):
            raise CleancutError(f"columns={quoted(columns)} has no effect on data that is not a dataset. Leave it out.")
        is_other = isinstance(train, str | bytes | Mapping | set | frozenset) or hasattr(train, "__array__")
        is_other = is_other or not isinstance(train, Iterable)
        if not isinstance(train, Corpus) and is_other:
            raise CleancutError(_WANTED.format(type(train).__name__))
        corpora: Iterable[Corpus] = [train] if isinstance(train, Corpus) else train
        for corpus in corpora:
            exposure.update(corpus)
        if isinstance(corpora, Sequence):
            exposure._set_occurrences(corpora)
        elif not isinstance(corpora, Iterator):  # it can be read again, but may hold something else then
            exposure.count_occurrences(corpora)
        return exposure

    def update(self, corpus: Corpus) -> None:
        """Count a further batch of training data.

        Args:
            corpus: the batch.

        Raises:
            CleancutError: it is not a corpus.
        """
        if not isinstance(corpus, Corpus):
            raise CleancutError(_WANTED.format(type(corpus).__name__))
        words = self._count_words(corpus)
        mentions = corpus.mentions
        begin = bounds_of(corpus.lengths)[mentions.sample] + mentions.start
        size = (mentions.end - mentions.start).astype(np.int64)
        names = np.array([self._types[name] for name in mentions.labels] or [0])
        label = names[mentions.label]
        token = ranges(begin, size)
        types = np.repeat(label, size)
        if overlaps(mentions):  # a token in two mentions counts once, and once for each type
            token, types = np.unique(np.stack([token, types]), axis=1)
            self._of_word_inside.add(words[np.unique(token)], len(self._words))
        else:
            self._of_word_inside.add(words[token], len(self._words))
        self._of_word_type.add(words[token], types)
        self._of_surface_type.add(self._intern_surfaces(self._fold_of[words], begin, size), label)
        self.n_samples += len(corpus)
        self.n_mentions += len(mentions)
        self._fingerprint = (self._fingerprint + _fingerprint(corpus)) % 2**64
        self._add_templates(template_hashes(corpus))
        self._add_ids(corpus, label)
        self._forget()

    def count_occurrences(self, train: Iterable[Corpus]) -> None:
        """Count how often the words of each mention occur in the training text, as a mention or not.

        The look-up and ``eCon`` need these counts. They take a second pass, since a surface may occur in the text
        before it is first a mention. ``of`` makes this pass if its data can be read twice. After ``update``, and
        after indices were merged, give all of the training data here once more.

        Args:
            train: the corpora that the index is made of, in any order and in batches of any size.

        Raises:
            CleancutError: the data is not that of the index.
        """
        is_one = isinstance(train, Corpus | str | Mapping) or hasattr(train, "__array__")
        if is_one or not isinstance(train, Iterable):
            raise CleancutError(f"train is {quoted(train)}. Give a list of corpora, or their batches.")
        given = _Counted(train)
        self._set_occurrences(given)
        if (given.n_samples, given.fingerprint) != (self.n_samples, self._fingerprint):
            self._tables.occurrences = None
            other = counted(given.n_samples, "sample") if given.n_samples != self.n_samples else "other samples"
            raise CleancutError(
                f"the index is of {counted(self.n_samples, 'sample')}, but {other} were given to count occurrences in. "
                "Give all of the training data once more, and nothing else."
            )

    def _set_occurrences(self, train: Iterable[Corpus]) -> None:
        """Count the occurrences in the data that the index is made of."""
        counts = np.zeros(len(self._surfaces), np.int64)
        for corpus in train:
            counts += Exposed(self._tables, corpus).surface_places()
        self._views.clear()  # the views were made without these counts
        self._renamed.clear()
        self._under.clear()
        self._tables.occurrences, self._tables.occurrences_checked = counts, True

    def __add__(self, other: Exposure) -> Exposure:
        """Return the index of both training sets."""
        if not isinstance(other, Exposure):
            return NotImplemented
        if self.key != other.key:
            raise CleancutError(f"indices with different keys cannot be merged: {self.key} and {other.key}.")
        if self.same != other.same:
            raise CleancutError(f"indices of different notions cannot be merged: {self.same} and {other.same}.")
        merged = Exposure(**self.key._asdict(), same=self.same)
        for part in (self, other):
            merged._absorb(part)
        return merged

    def renamed(self, types: Mapping[str, str]) -> Exposure:
        """Return the index with other names of types. The counts of types that become one are added up.

        Args:
            types: new names by old ones, such as ``{"person": "PER"}``.

        >>> shown = Exposure.of(Corpus.of([["Ada"]], tags=[["B-person"]]))
        >>> shown.renamed({"person": "PER"}).type_names, shown.renamed({"x": "y"}) is shown
        (('PER',), True)
        """
        names = tuple(sorted((old, new) for old, new in parse_types(types).items() if old in self._types))
        if not names:
            return self
        if names not in self._renamed:
            other = self._copy(self.same, dict(names))
            other._fingerprint = (other._fingerprint + _number_of(names)) % 2**64
            self._renamed[names] = other
        return self._renamed[names]

    def under(self, same: str | Same, *, aliases: Any = None, part_limit: int = PART_LIMIT) -> Exposure:
        """Return the index under another notion of the same name.

        Args:
            same: which names count as the same, such as ``fold+part``.
            aliases: lists of names that mean the same, for ``alias``.
            part_limit: a word that occurs in more names of two or more words than this is generic, for ``part``.

        >>> shown = Exposure.of(Corpus.of([["U.S."]], tags=[["B-LOC"]]))
        >>> str(shown.under("fold").same), shown.under("exact") is shown
        ('fold', True)
        """
        notion = Same.of(same, aliases=aliases, part_limit=part_limit)
        if notion == self.same:
            return self
        if notion not in self._under:
            self._under[notion] = self._copy(notion)
        return self._under[notion]

    def _copy(self, same: Same, renamed: Mapping[str, str] = MappingProxyType({})) -> Exposure:
        """Return an index with the same counts under a notion, with other names of types."""
        other = Exposure(**self.key._asdict(), same=same)
        other._absorb(self, renamed)
        other._tables.occurrences = self._tables.occurrences  # the surfaces are the same, in the same order
        other._tables.occurrences_checked = self._tables.occurrences_checked
        return other

    def __radd__(self, other: Any) -> Exposure:
        return self if other == 0 else NotImplemented  # the start value of sum()

    def __getstate__(self) -> dict[str, bytes]:
        """Return the counts alone, so that equal indices have equal states, whatever was looked up in them."""
        stream = io.BytesIO()
        np.savez(stream, **self._arrays())  # type: ignore[arg-type]
        return {"counts": stream.getvalue()}

    def __setstate__(self, state: dict[str, bytes]) -> None:
        with np.load(io.BytesIO(state["counts"]), allow_pickle=False) as stored:
            index = parse_index({name: stored[name] for name in stored.files})
        self.__dict__.update(Exposure._of_stored(index).__dict__)

    def mapper(self, columns: Any = None, prefix: str = "") -> Any:
        """Return the function behind ``cleancut.annotate``, for a ``dataset.map(..., batched=True)`` of one's own.

        Args:
            columns: the columns that hold tokens, tags and so on, or the shape that ``cleancut.detect(dataset)``
                returns. Tags that are ids need their names (``labels``), which a batch does not have.
            prefix: the beginning of the names of the added columns.
        """
        return module_of("mapping.annotate").Mapper(self, columns, prefix)

    def view(self, corpus: Corpus) -> Exposed:
        """Return what the training data has shown of a corpus.

        The view is kept as long as the corpus exists and the index does not grow.

        Args:
            corpus: the corpus to look up.

        Raises:
            CleancutError: it is not a corpus.
        """
        if not isinstance(corpus, Corpus):
            raise CleancutError(_WANTED.format(type(corpus).__name__))
        view = self._views.get(corpus)
        if view is None:
            view = self._views[corpus] = Exposed(self._tables, corpus)
        return view

    def distinct_names(self) -> Corpus:
        """Return the distinct names of the training mentions as a corpus: each is a sample of its own.

        >>> shown = Exposure.of(Corpus.of([["Ada", "met", "Ada"]], tags=[["B-PER", "O", "B-PER"]]))
        >>> shown.distinct_names().tokens()
        [['Ada']]
        """
        names = self._tables.names(self.key.typed)
        word_of_fold = np.zeros(len(self._folds), np.int32)
        word_of_fold[self._fold_of[::-1]] = np.arange(len(self._words), dtype=np.int32)[::-1]  # the first word stays
        sizes = names.lists.sizes
        labels, label = sorted_names(names.labels, names.types)
        sample = np.arange(len(sizes), dtype=np.int32)
        start = np.zeros_like(sample)
        mentions = Mentions(sample, start, sizes.astype(np.int32), label, labels, len(sizes), sizes)
        return Corpus(word_of_fold[names.lists.words], Vocabulary(self._words), mentions)

    @property
    def templates(self) -> NDArray[np.uint64] | None:
        """The hashes of the templates of all training samples, sorted; None if an earlier version saved the index."""
        return self._templates

    def prepare(self, *corpora: Corpus) -> None:
        """Look gold corpora up in advance, which the first ``clean_f1`` or ``hardeval`` would do otherwise.

        Args:
            *corpora: the gold corpora.
        """
        for corpus in corpora:
            self.view(corpus).look_up()

    @property
    def type_names(self) -> tuple[str, ...]:
        """The types of the training mentions."""
        return tuple(self._types)

    @property
    def n_tokens(self) -> int:
        """The number of training tokens."""
        return int(self._of_word.counts.sum())

    @property
    def n_words(self) -> int:
        """The number of distinct training words."""
        return len(self._words)

    @property
    def n_entities(self) -> int:
        """The number of distinct entities under the key."""
        return len(self._of_surface_type.codes) if self.key.typed else len(self._surfaces)

    @property
    def fingerprint(self) -> str:
        """Six hexadecimal digits that depend on the training data, but not on the order of its samples."""
        return hashlib.blake2b(self._fingerprint.to_bytes(8, "little"), digest_size=3).hexdigest()

    @property
    def identity(self) -> str:
        """Sixteen hexadecimal digits for caches, by the training data, the key and the notion of the same name."""
        content = f"{self._fingerprint:016x}|{self.key}"
        if not self.same.is_exact:
            content += f"|{self.same}"
        if self.same.has(Notion.ID) and self._of_id_type is not None:
            table = sorted((name, number) for name, number in self._ids.items())
            content += f"|{table}|{self._of_id_type.codes.tolist()}"
        return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()

    def __repr__(self) -> str:
        same = "" if self.same.is_exact else f", same={self.same}"
        return (
            f"Exposure({self.n_samples} samples, {self.n_tokens} tokens, {self.n_words} words, {self.n_mentions} "
            f"mentions, {self.n_entities} entities, key={self.key}{same}, train={self.fingerprint})"
        )

    # --- saving -------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a ``.npz`` file, which holds arrays only and no pickled objects.

        Args:
            path: the file, whose name ends in ``.npz``.

        Raises:
            CleancutError: the file has another ending, or cannot be written.
        """
        if not checked_path(path).endswith(".npz"):
            raise CleancutError(f"{path}: an index is saved as .npz. Name the file so.")
        with replacing(path) as stream:
            np.savez_compressed(stream, **self._arrays())  # type: ignore[arg-type]

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Return all counts as arrays."""
        meta: dict[str, Any] = {"format": FORMAT, "key": self.key._asdict(), "types": [*self._types]}
        if not self.same.is_exact:
            meta |= {"format": FORMAT_OF_NOTIONS, "same": stored_notion(self.same)}
        meta |= {"n_samples": self.n_samples, "n_mentions": self.n_mentions, "fingerprint": self._fingerprint}
        words = [word.encode("utf-8", "surrogatepass") for word in self._words]
        occurrences = self._tables.occurrences
        meta["occurrences_checked"] = self._tables.occurrences_checked
        templates = {} if self._templates is None else {"templates": self._templates}
        ids = [name.encode("utf-8", "surrogatepass") for name in self._ids]
        of_ids: dict[str, NDArray[Any]] = {}
        if self._of_id_type is not None and len(ids):
            of_ids["ids"] = np.frombuffer(b"".join(ids), np.uint8)
            of_ids["id_sizes"] = np.array([len(name) for name in ids], np.int32)
            of_ids["of_id_type"] = self._of_id_type.table()
        return {
            "meta": np.frombuffer(json.dumps(meta).encode(), np.uint8),
            "words": np.frombuffer(b"".join(words), np.uint8),
            "word_sizes": np.array([len(word) for word in words], np.int32),
            "surfaces": np.frombuffer(b"".join(self._surfaces), np.int32),
            "surface_sizes": np.array([len(surface) // 4 for surface in self._surfaces], np.int32),
            "of_word": self._of_word.counts,
            "of_word_inside": self._of_word_inside.counts,
            "of_word_type": self._of_word_type.table(),
            "of_surface_type": self._of_surface_type.table(),
            "occurrences": np.zeros(0, np.int64) if occurrences is None else occurrences,
            **templates,
            **of_ids,
        }

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Exposure:
        """Read an index that ``save`` wrote. Its arrays are checked against one another.

        A file that unpacks to more than 2 GB is refused, unless the environment variable ``CLEANCUT_MAX_UNPACKED``
        allows more.

        Args:
            path: the file.

        Raises:
            CleancutError: it is not an index, or is damaged.
        """
        return cls._of_stored(read_index(path))

    @classmethod
    def _of_stored(cls, stored: StoredIndex) -> Exposure:
        """Return the index of checked arrays."""
        exposure = cls(**stored.key._asdict(), same=stored.same)
        exposure._intern(stored.words)
        exposure._types = Interner({name: i for i, name in enumerate(stored.types)})
        exposure._surfaces = Interner({surface: i for i, surface in enumerate(stored.surfaces)})
        exposure._of_word.counts = stored.of_word
        exposure._of_word_inside.counts = stored.of_word_inside
        exposure._of_word_type = PairTally(stored.of_word_type)
        exposure._of_surface_type = PairTally(stored.of_surface_type)
        exposure._templates = stored.templates
        exposure._ids = Interner({name: i for i, name in enumerate(stored.ids)})
        has_ids = stored.of_id_type is not None or not stored.n_mentions
        exposure._of_id_type = PairTally(stored.of_id_type) if has_ids else None
        if stored.occurrences is not None:
            exposure._tables.occurrences = stored.occurrences
            exposure._tables.occurrences_checked = stored.occurrences_checked
        exposure.n_samples, exposure.n_mentions = stored.n_samples, stored.n_mentions
        exposure._fingerprint = stored.fingerprint
        return exposure

    # --- growing ------------------------------------------------------------------------------------------

    def _count_words(self, corpus: Corpus) -> NDArray[np.int64]:
        """Count the words of a corpus, and return the id of each of its tokens."""
        used = corpus.used_words()
        table = np.zeros(len(corpus.vocabulary), np.int64)
        table[used] = self._intern([corpus.vocabulary[word] for word in used.tolist()])
        words = table[corpus.words]
        self._of_word.add(words, len(self._words))
        return words

    def _intern(self, words: list[str]) -> NDArray[np.int64]:
        """Return the ids of words; new words get new ids."""
        known = len(self._words)
        ids = np.fromiter(map(self._words.__getitem__, words), np.int64, count=len(words))
        if self.key.folds:
            fresh = self.key.fold_all(list(islice(self._words, known, None)))
            folds = np.fromiter(map(self._folds.__getitem__, fresh), np.int32, count=len(fresh))
            self._fold_of = np.append(self._fold_of, folds)
        else:
            self._fold_of = np.arange(len(self._words), dtype=np.int32)
        return ids

    def _intern_surfaces(
        self, folds: NDArray[np.int32], begin: NDArray[np.int64], size: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the id of the surface of each mention; new surfaces get new ids, in the order of the mentions.

        A surface of one word is looked up once, however many mentions have it.

        Args:
            folds: the folded word of each token.
            begin: the first token of each mention.
            size: the number of tokens of each mention.
        """
        first_with = np.arange(len(begin))
        single = np.flatnonzero(size == 1)
        words = folds[begin[single]]
        first_of_word = np.zeros(int(words.max(initial=-1)) + 1, np.int64)
        first_of_word[words[::-1]] = single[::-1]  # of several mentions of a word, the first is written last
        first_with[single] = first_of_word[words]
        looked_up = np.flatnonzero(first_with == np.arange(len(begin)))
        surfaces = _surfaces(folds, begin[looked_up], size[looked_up])
        ids = np.zeros(len(begin), np.int64)
        ids[looked_up] = np.fromiter(map(self._surfaces.__getitem__, surfaces), np.int64, count=len(surfaces))
        return ids[first_with]

    def _absorb(self, other: Exposure, renamed: Mapping[str, str] = MappingProxyType({})) -> None:
        """Add the counts of another index, whose ids are translated.

        Args:
            other: the other index.
            renamed: other names for its types.
        """
        words = self._intern(list(other._words))
        folds = np.zeros(len(other._folds), np.int32)
        folds[other._fold_of] = self._fold_of[words]
        types = np.array([self._types[renamed.get(name, name)] for name in other._types], np.int64)
        sizes = np.array([len(surface) // 4 for surface in other._surfaces], np.int64)
        moved = folds[np.frombuffer(b"".join(other._surfaces), np.int32)].astype(np.int32).tobytes()
        surfaces = [self._surfaces[surface] for surface in split_bytes(moved, 4 * sizes)]
        self._of_word.add(words, len(self._words), other._of_word.counts)
        self._of_word_inside.add(words, len(self._words), other._of_word_inside.counts)
        self._of_word_type.add_table(other._of_word_type, words, types)
        self._of_surface_type.add_table(other._of_surface_type, np.array(surfaces, np.int64), types)
        self.n_samples += other.n_samples
        self.n_mentions += other.n_mentions
        self._fingerprint = (self._fingerprint + other._fingerprint) % 2**64
        self._add_templates(other._templates)
        if self._of_id_type is None or other._of_id_type is None:
            self._of_id_type = None
        else:
            ids = np.array([self._ids[name] for name in other._ids], np.int64)
            self._of_id_type.add_table(other._of_id_type, ids, types)
        self._forget()

    def _add_templates(self, hashes: NDArray[np.uint64] | None) -> None:
        """Add the templates of further samples; with None, those of the index are no longer known."""
        known = self._templates
        self._templates = None if hashes is None or known is None else np.union1d(known, hashes)

    def _add_ids(self, corpus: Corpus, label: NDArray[np.int64]) -> None:
        """Count the ids of the entities of a corpus; if it has none, those of the index are no longer known."""
        if not len(corpus.mentions):
            return
        ids = corpus.entity_ids
        if ids is None or self._of_id_type is None:
            self._of_id_type = None
            return
        numbers = np.array([self._ids[name] for name in ids.names] or [0], np.int64)
        self._of_id_type.add(numbers[ids.id], label[ids.mention])

    def _forget(self) -> None:
        """Drop everything that was derived from the counts before they changed."""
        self._views.clear()
        self._renamed.clear()
        self._under.clear()
        self.__dict__.pop("_tables", None)

    @cached_property
    def _tables(self) -> Tables:
        """The counts, with everything that is derived from them."""
        return Tables(
            key=self.key,
            words=self._words,
            folds=self._folds,
            types=self._types,
            surfaces=self._surfaces,
            of_word=self._of_word.counts,
            of_word_inside=self._of_word_inside.counts,
            of_word_type=self._of_word_type,
            of_surface_type=self._of_surface_type,
            same=self.same,
            templates=self._templates,
            ids=self._ids,
            of_id_type=self._of_id_type,
        )


class _Counted:
    """Corpora on their way to a second pass, with the number and the fingerprint of the samples that have passed."""

    def __init__(self, corpora: Iterable[Corpus]) -> None:
        self._corpora = corpora
        self.n_samples = self.fingerprint = 0

    def __iter__(self) -> Iterator[Corpus]:
        for corpus in self._corpora:
            if not isinstance(corpus, Corpus):
                raise CleancutError(_WANTED.format(type(corpus).__name__))
            self.n_samples += len(corpus)
            self.fingerprint = (self.fingerprint + _fingerprint(corpus)) % 2**64
            yield corpus


def _corpus_of_dataset(train: Any, columns: Mapping[str, Any] | None) -> Corpus:
    """Return a dataset as a corpus. Of several splits, the training split is taken."""
    if isinstance(train, Mapping):
        if "train" not in train and len(train) != 1:
            raise CleancutError(f"which split is the training data? Give one of {', '.join(map(quoted, train))}.")
        train = train["train"] if "train" in train else next(iter(train.values()))
    from ..reading.dataset import COLUMNS, from_dataset, named_columns

    return from_dataset(train, **named_columns(columns, (*COLUMNS, "repair")))


def _surfaces(folds: NDArray[np.int32], begin: NDArray[np.int64], size: NDArray[np.int64]) -> list[bytes]:
    """Return the words of each mention as bytes, which are the keys of the table of surfaces."""
    data = folds.astype(np.int32, copy=False).tobytes()
    first_bytes = (4 * begin).tolist()
    last_bytes = (4 * (begin + size)).tolist()
    return [data[first:last] for first, last in zip(first_bytes, last_bytes, strict=True)]


def _number_of(names: tuple[tuple[str, str], ...]) -> int:
    """Return a number for names of types, which is added to the fingerprint of an index with these names."""
    return int.from_bytes(hashlib.blake2b(repr(names).encode(), digest_size=8).digest(), "little")


def _fingerprint(corpus: Corpus) -> int:
    """Return the sum of the hashes of all samples, which is the same in any order and in any batches."""
    return int(sample_hashes(corpus).sum(dtype=np.uint64))
