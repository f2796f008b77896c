"""Mentions and corpora as arrays, made from tags, label ids, spans, Arrow or numpy arrays.

Spans are the canonical form, because nested mentions (GENIA, ACE05) cannot be written as tags. Input is taken in three
steps: recognise the form of the *whole* input, check it, decode it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import chain
from operator import add
from types import NoneType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import checks
from .answer_report import AnswerReport
from .arrays import bounds_of, ranges
from .entity_ids import EntityIds
from .exceptions import CleancutError, counted, parse_choice, quoted
from .inputs import Interner, Raw, RawSpans, RawTags, in_sample, intern_words, recognise
from .tags import Repair, Scheme, Tagging, Where, decode, encode, parse_scheme, prefix_letter, split_tag
from .type_names import parse_types
from .vocabulary import Vocabulary


class Tagged(NamedTuple):
    """Tags of samples that lie one after the other: the tag of token i is ``tags[codes[i]]``."""

    codes: NDArray[np.integer]
    lengths: NDArray[np.int64]
    tags: tuple[str, ...]
    scheme: Scheme | None = None
    repair: Repair = Repair.CONLLEVAL


@dataclass(frozen=True, eq=False, repr=False)
class Mentions:
    """Typed token spans of a list of samples. They are sorted, unique and half-open, and may nest and overlap.

    >>> m = Mentions.of([["B-PER", "I-PER", "O"], ["O"]])
    >>> m.spans()
    [[{'start': 0, 'end': 2, 'label': 'PER'}], []]
    """

    sample: NDArray[np.int32]
    """The sample of each mention."""
    start: NDArray[np.int32]
    """The first token of each mention."""
    end: NDArray[np.int32]
    """The token behind the last one of each mention."""
    label: NDArray[np.int32]
    """The type of each mention, as an index into ``labels``."""
    labels: tuple[str, ...]
    """The names of the types that occur, sorted."""
    n_samples: int
    """The number of samples, including those without mentions."""
    lengths: NDArray[np.int64] | None = None
    """The number of tokens of each sample; None where it is unknown, as with spans alone."""
    tagging: Tagging | None = None
    """What the tags tell about their scheme; None where the mentions came as spans."""
    tagged: Tagged | None = field(default=None, repr=False)
    """The tags themselves; None where the mentions came as spans, or were changed since."""
    where: Where = field(default=in_sample(), repr=False)
    """Names the place that a sample came from, for messages."""
    answers: AnswerReport | None = field(default=None, repr=False)
    """How answers of a language model were read and placed; None for mentions of any other kind."""

    @classmethod
    def of(
        cls,
        data: Any,
        *,
        labels: Any = None,
        scheme: str | None = None,
        repair: str = "conlleval",
        where: Where | None = None,
    ) -> Mentions:
        """Return the mentions of samples that are given as tags, label ids or spans, in lists or arrays.

        Args:
            data: one list (or row) of tags, label ids or spans for each sample.
            labels: the names of label ids: a list, an id2label dict or a ``ClassLabel``.
            scheme: the scheme of the tags; by default it is inferred where it is needed.
            repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.
            where: names the place of a sample, for messages.

        Raises:
            CleancutError: a value is not a tag, a label id or a span, or the samples are not of one form.
        """
        if isinstance(data, Mentions):
            return data
        where = in_sample() if where is None else where
        checks.function(where, "where", "a function that names the place of a sample")
        return mentions_of(recognise(data, labels, where), scheme, repair, where)

    @classmethod
    def of_tagged(cls, tagged: Tagged, where: Where) -> Mentions:
        """Return the mentions of tags that are encoded as numbers already.

        Args:
            tagged: the tags.
            where: names the place of a sample, for messages.
        """
        codes, lengths, tags, scheme, repair = tagged
        decoded = decode(codes, lengths, tags, scheme=scheme, repair=repair, where=where)
        return cls(*decoded[:5], len(lengths), lengths, decoded.tagging, tagged, where)

    @classmethod
    def of_columns(
        cls,
        sample: NDArray[np.integer],
        start: NDArray[np.integer],
        end: NDArray[np.integer],
        label: NDArray[np.integer],
        labels: Sequence[str],
        n_samples: int,
        lengths: NDArray[np.int64] | None = None,
        where: Where | None = None,
    ) -> Mentions:
        """Return mentions from columns in any order. Every span is checked, and duplicates are dropped.

        Args:
            sample: the sample of each mention.
            start: its first token.
            end: the token behind its last one.
            label: its type, as an index into ``labels``.
            labels: the names of types; equal names are one type.
            n_samples: the number of samples.
            lengths: the number of tokens of each sample, if known.
            where: names the place of a sample, for messages.

        Raises:
            CleancutError: a span is empty, or lies outside its sample; or the columns do not fit together.
        """
        where = in_sample() if where is None else where
        checks.function(where, "where", "a function that names the place of a sample")
        sample, start, end, label = _fitting(sample, start, end, label, labels, n_samples)
        if lengths is not None:
            lengths = checks.numbers(lengths, "lengths", n_samples)
        _check_spans(sample, start, end, label, labels, lengths, where)
        names, label = sorted_names(checks.in_order(labels), label)
        order = np.lexsort((label, end, start, sample))
        columns = [np.asarray(column)[order].astype(np.int32) for column in (sample, start, end, label)]
        fresh = np.ones(len(order), bool)
        if len(order):
            fresh[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
        kept = [column[fresh] for column in columns]
        return cls(kept[0], kept[1], kept[2], kept[3], names, n_samples, lengths, where=where)

    def __len__(self) -> int:
        return len(self.sample)

    def __repr__(self) -> str:
        return f"Mentions({len(self)}{_of_types(self)} in {self.n_samples} samples)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mentions):
            return NotImplemented
        return self.n_samples == other.n_samples and self.spans() == other.spans()

    __hash__ = None  # type: ignore[assignment]

    def select(self, samples: NDArray[np.integer] | Sequence[int] | slice) -> Mentions:
        """Return the mentions of some samples, in the given order.

        Args:
            samples: a slice, numbers of samples or a mask.
        """
        chosen = chosen_rows(samples, self.n_samples)
        moved = partial(_moved, self.where, chosen)
        if self.tagged is not None:
            bounds = bounds_of(self.tagged.lengths)
            codes = self.tagged.codes[ranges(bounds[chosen], self.tagged.lengths[chosen])]
            return Mentions.of_tagged(
                self.tagged._replace(codes=codes, lengths=self.tagged.lengths[chosen]), where=moved
            )
        bounds = bounds_of(np.bincount(self.sample, minlength=self.n_samples))
        sizes = np.diff(bounds)[chosen]
        picked = ranges(bounds[chosen], sizes)
        sample = np.repeat(np.arange(len(chosen), dtype=np.int32), sizes)
        lengths = None if self.lengths is None else self.lengths[chosen]
        names, label = sorted_names(self.labels, self.label[picked])  # a type may occur no more
        start = self.start[picked]
        end = self.end[picked]
        answers = self.answers and self.answers.select(chosen.tolist())
        return Mentions(sample, start, end, label, names, len(chosen), lengths, where=moved, answers=answers)

    def keep(self, chosen: NDArray[np.bool_]) -> Mentions:
        """Return some of the mentions; all samples stay.

        Args:
            chosen: for each mention, whether it is kept.

        Raises:
            CleancutError: it does not hold True or False for each mention.
        """
        chosen = checks.mask(chosen, "chosen", len(self))
        columns = self.sample[chosen], self.start[chosen], self.end[chosen], self.label[chosen]
        kept = Mentions.of_columns(*columns, self.labels, self.n_samples, self.lengths, self.where)
        return replace(kept, answers=self.answers)

    def renamed(self, types: Mapping[str, str]) -> Mentions:
        """Return the mentions with other names of types. Mentions that become equal are merged.

        Args:
            types: new names by old ones; types that are not named stay as they are.

        >>> Mentions.of([["B-person", "B-LOC"]]).renamed({"person": "PER"}).labels
        ('LOC', 'PER')

        Raises:
            CleancutError: it is not a mapping of names to names.
        """
        types = parse_types(types)
        answers = self.answers and self.answers.renamed(types)
        if not any(name in types for name in self.labels):
            return self if answers is None else replace(self, answers=answers)
        names = [types.get(name, name) for name in self.labels]
        columns = self.sample, self.start, self.end, self.label, names, self.n_samples, self.lengths, self.where
        tagged = _renamed_tags(self.tagged, types)
        return replace(Mentions.of_columns(*columns), tagging=self.tagging, tagged=tagged, answers=answers)

    def spans(self) -> list[list[dict[str, Any]]]:
        """Return a list of ``{"start", "end", "label"}`` for each sample."""
        spans: list[list[dict[str, Any]]] = [[] for _ in range(self.n_samples)]
        columns = self.sample.tolist(), self.start.tolist(), self.end.tolist(), self.label.tolist()
        for sample, start, end, label in zip(*columns, strict=True):
            spans[sample].append({"start": start, "end": end, "label": self.labels[label]})
        return spans

    def tags(self, scheme: str = "iob2") -> list[list[str]]:
        """Return the mentions as tags.

        Args:
            scheme: the scheme to write.

        Raises:
            CleancutError: mentions overlap, or the numbers of tokens are unknown.
        """
        chosen = parse_scheme(checks.text(scheme, "scheme", "the name of a scheme, such as iob2"))
        assert chosen is not None
        if self.lengths is None:
            raise CleancutError("mentions given as spans alone cannot be written as tags. Give the tokens as well.")
        codes, tags = encode(
            self.sample, self.start, self.end, self.label, self.labels, self.lengths, chosen, self.where
        )
        flat = iter([tags[code] for code in codes.tolist()])
        return [[next(flat) for _ in range(n)] for n in self.lengths.tolist()]


def _renamed_tags(tagged: Tagged | None, types: Mapping[str, str]) -> Tagged | None:
    """Return tags with other names of types; None if two types become one, which would change the mentions."""
    if tagged is None:
        return None
    parts = [split_tag(tag, tagged.scheme) if tag else ("", "") for tag in tagged.tags]
    old_names = {name for _, name in parts if name}
    if len({types.get(name, name) for name in old_names}) < len(old_names):
        return None
    tags = []
    for tag, (letter, name) in zip(tagged.tags, parts, strict=True):
        if name not in types:
            tags.append(tag)
        elif prefix_letter(tag) is None:
            tags.append(types[name])
        else:
            tags.append(f"{letter}-{types[name]}")
    return tagged._replace(tags=tuple(tags))


def _of_types(mentions: Mentions) -> str:
    """Return the types of mentions for a ``repr``, such as `` of LOC, PER``; at most eight are named."""
    names = list(mentions.labels[:8])
    if len(mentions.labels) > 8:
        names.append("...")
    return f" of {', '.join(names)}" if names else ""


def _moved(where: Where, chosen: NDArray[np.integer], sample: int, token: int | None = None) -> str:
    """Name the place that a selected sample came from."""
    return where(int(chosen[sample]), token)


class Relations(NamedTuple):
    """Typed relations between two mentions of a sample, sorted and unique. Head and tail index the mentions."""

    head: NDArray[np.int64]
    tail: NDArray[np.int64]
    label: NDArray[np.int64]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, data: Sequence[Any], raw: RawSpans, mentions: Mentions, where: Where) -> Relations:
        """Return relations from lists of ``{"head", "tail", "label"}``.

        Args:
            data: a list of relations for each sample. Head and tail count the entities of the sample as given.
            raw: the entities as they were given.
            mentions: the mentions made of them, which are sorted and unique.
            where: names the place of a sample, for messages.

        Raises:
            CleancutError: a relation has another form, or an end that is no entity.
        """
        if len(data) != raw.n_samples:
            raise CleancutError(
                f"{counted(raw.n_samples, 'sample')} but {len(data)} lists of relations. Give one for each sample."
            )
        mention_number = {span: number for number, span in enumerate(_named_spans(mentions, mentions.labels))}
        mention_of_entity = [mention_number[span] for span in _named_spans(raw, raw.labels)]
        bounds = np.searchsorted(raw.sample, np.arange(raw.n_samples + 1)).tolist()
        labels = Interner()
        rows = []
        for i, given in enumerate(data):
            entities = mention_of_entity[bounds[i] : bounds[i + 1]]
            relations = [] if given is None else _relations(given)
            for k, relation in enumerate(relations):
                head, tail, label = _checked(relation, len(entities), f"{where(i)}: relation {k}")
                rows.append((entities[head], entities[tail], labels[label]))
        table = np.array(rows, np.int64).reshape(-1, 3)
        return cls(table[:, 0], table[:, 1], table[:, 2], tuple(labels))._sorted()

    def moved(self, place: NDArray[np.int64]) -> Relations:
        """Return the relations after their mentions have got other numbers.

        Args:
            place: the new number of each mention; -1 removes the mention, and its relations with it.
        """
        head, tail = place[self.head], place[self.tail]
        stay = (head >= 0) & (tail >= 0)
        return Relations(head[stay], tail[stay], self.label[stay], self.labels)._sorted()

    def _sorted(self) -> Relations:
        """Return the relations sorted and without duplicates."""
        names, label = sorted_names(self.labels, self.label)
        table = np.unique(np.stack([self.head, self.tail, label.astype(np.int64)]), axis=1)
        return Relations(table[0], table[1], table[2], names)


def _named_spans(columns: Mentions | RawSpans, labels: Sequence[str]) -> Iterator[tuple[int, int, int, str]]:
    """Yield the sample, the start, the end and the name of the type of each mention."""
    numbers = (column.tolist() for column in (columns.sample, columns.start, columns.end, columns.label))
    for sample, start, end, label in zip(*numbers, strict=True):
        yield sample, start, end, labels[label]


def _relations(given: Any) -> list[Any]:
    """Return the relations of a sample as a list."""
    return checks.ordered(given, "the relations of a sample", "a list of them")


def _checked(relation: Any, n_entities: int, place: str) -> tuple[int, int, str]:
    """Return the head, the tail and the label of a relation; ``place`` names it in messages."""
    wanted = 'Write relations as {"head": 0, "tail": 1, "label": "works_for"}'
    if not isinstance(relation, Mapping):
        raise CleancutError(f"{place} is {quoted(relation)}. {wanted}.")
    for name in ("head", "tail", "label"):
        if relation.get(name) is None:
            raise CleancutError(f"{place} has no {name}. {wanted}.")
    head = relation["head"]
    tail = relation["tail"]
    label = relation["label"]
    for name, end in (("head", head), ("tail", tail)):
        if isinstance(end, bool) or not isinstance(end, int | np.integer):
            raise CleancutError(f"{place}: the {name} is {quoted(end)}. {wanted}, with the numbers of entities.")
        if not 0 <= end < n_entities:
            raise CleancutError(
                f"{place}: the {name} is entity {end}, but the sample has {n_entities}. Numbers count from 0."
            )
    if not isinstance(label, str) or not label:
        raise CleancutError(f"{place}: the label is {quoted(label)}. {wanted}.")
    return int(head), int(tail), label


def _named(values: Any, name: str, n_samples: int) -> tuple[str | None, ...] | None:
    """Return the ids or documents of samples as texts; None if no sample has one."""
    if values is None:
        return None
    given = checks.ordered(values, name, "a list with one for each sample")
    if len(given) != n_samples:
        raise CleancutError(f"{counted(n_samples, 'sample')} but {len(given)} {name}. Give one for each sample.")
    kinds = set(map(type, given))
    if kinds <= {NoneType}:
        return None
    if any(issubclass(kind, _NO_NAMES) for kind in kinds):
        at, value = next((at, value) for at, value in enumerate(given) if isinstance(value, _NO_NAMES))
        raise CleancutError(f"{name}: the value of sample {at} is {quoted(value)}. Give texts or numbers.")
    if kinds <= {str, NoneType}:
        return tuple(given)
    return tuple(
        None if value is None else checks.as_text(value, f"{name}: the value of sample {i}")
        for i, value in enumerate(given)
    )


_NO_NAMES = (list, tuple, set, frozenset, Mapping, bytes, np.ndarray)
"""Kinds of values that cannot be the id or the document of a sample."""


def chosen_rows(samples: Any, n: int) -> NDArray[np.int64]:
    """Return the numbers of chosen samples.

    Args:
        samples: a slice, a list of numbers (negative ones count from the end), or a mask.
        n: how many samples there are.

    Raises:
        CleancutError: it is neither, or a number is out of range.
    """
    wanted = f"a slice, or a list of whole numbers from {-n} to {n - 1}"
    if isinstance(samples, slice):
        try:
            return np.arange(n)[samples]
        except (TypeError, ValueError):
            raise CleancutError(f"samples={quoted(samples)} cannot be chosen. Give {wanted}.") from None
    is_list = isinstance(samples, np.ndarray | Sequence) and not isinstance(samples, str | bytes)
    chosen = checks.array(samples) if is_list else np.zeros((0, 0))
    if chosen.shape == (0,):
        return np.zeros(0, np.int64)
    is_mask = chosen.shape == (n,) and chosen.dtype.kind == "b"
    are_numbers = chosen.ndim == 1 and chosen.dtype.kind in "iu"
    if not is_mask and not (are_numbers and -n <= int(chosen.min()) and int(chosen.max()) < n):
        raise CleancutError(f"samples={quoted(samples)} cannot be chosen. Give {wanted}.")
    return np.arange(n)[chosen]


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Samples of words with their mentions, and with relations between them where there are any.

    >>> corpus = Corpus.of([["Ada", "spoke", "."]], tags=[["B-PER", "O", "O"]])
    >>> corpus.texts()
    ['Ada']
    """

    words: NDArray[np.int32]
    """The words of all samples, one sample after the other, as indices into ``vocabulary``."""
    vocabulary: Vocabulary = field(repr=False)
    """The distinct words."""
    mentions: Mentions
    """The mentions, which also hold the number of tokens of each sample."""
    ids: tuple[str | None, ...] | None = field(default=None, repr=False)
    """The id of each sample; None if no sample has one."""
    docs: tuple[str | None, ...] | None = field(default=None, repr=False)
    """The document of each sample; None if no sample has one."""
    relations: Relations | None = field(default=None, repr=False)
    """The relations between mentions; None if there are none."""
    entity_ids: EntityIds | None = field(default=None, repr=False)
    """The ids of the entities that mentions are of, such as those of MeSH; None if they were not read."""
    from_text: bool = field(default=False, repr=False)
    """Whether the tokens were cut out of a text at the edges of the mentions, which are at character offsets."""

    @classmethod
    def of(
        cls,
        tokens: Any,
        *,
        tags: Any = None,
        entities: Any = None,
        relations: Sequence[Any] | None = None,
        entity_ids: Sequence[Any] | None = None,
        ids: Sequence[Any] | None = None,
        docs: Sequence[Any] | None = None,
        labels: Any = None,
        scheme: str | None = None,
        repair: str = "conlleval",
        where: Where | None = None,
    ) -> Corpus:
        """Return a corpus from lists or arrays.

        Args:
            tokens: the words of each sample.
            tags: the tags (or label ids) of each sample; give tags or entities.
            entities: the spans of each sample, as ``{"start", "end", "label"}`` or ``(start, end, label)``.
            relations: the relations of each sample, as ``{"head", "tail", "label"}``; they need entities.
            entity_ids: for each sample, a list with the ids of each of its entities, or beside tags of each of its
                tokens: a text, a list of texts, or None. They are for ``same="id"``.
            ids: the id of each sample.
            docs: the document of each sample.
            labels: the names of label ids: a list, an id2label dict or a ``ClassLabel``.
            scheme: the scheme of the tags; by default it is inferred where it is needed.
            repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.
            where: names the place of a sample, for messages.

        Raises:
            CleancutError: the columns do not fit together, or a value is not valid.
        """
        where = in_sample() if where is None else where
        checks.function(where, "where", "a function that names the place of a sample")
        if (tags is None) == (entities is None):
            raise CleancutError("give either tags or entities with the tokens, one of the two.")
        words, lengths, vocabulary = intern_words(tokens, where)
        given = tags if tags is not None else entities
        raw = recognise(given, labels, where)
        if entities is not None:
            raw = _as_spans(raw, where)
        mentions = on_lengths(mentions_of(raw, scheme, repair, where), lengths, "tokens")
        names, documents = _named(ids, "ids", len(lengths)), _named(docs, "docs", len(lengths))
        between = None
        if relations is not None:
            relations = checks.ordered(relations, "relations", "a list of relations for each sample")
        if relations is not None and any(len(_relations(own)) for own in relations if own is not None):
            if not isinstance(raw, RawSpans):
                raise CleancutError(f"{where(0)}: relations are between entities. Give entities rather than tags.")
            between = Relations.of(relations, raw, mentions, where)
        beside = None if entity_ids is None else EntityIds.of(entity_ids, raw, mentions, where)
        return cls(words, vocabulary, mentions, names, documents, between, beside)

    @classmethod
    def concatenate(cls, corpora: Sequence[Corpus]) -> Corpus:
        """Return several corpora as one, in their order.

        Args:
            corpora: the corpora, at least one.

        Raises:
            CleancutError: it is not a list of corpora, or there is none.
        """
        corpora = checks.ordered(corpora, "corpora", "a list of corpora")
        for corpus in corpora:
            checks.instance(corpus, Corpus, "corpora", "a list of corpora")
        if not corpora:
            raise CleancutError("corpora: there is none to join. Give at least one.")
        if len(corpora) == 1:
            return corpora[0]
        table = Interner()
        words = []
        for corpus in corpora:
            numbers = np.array([table[word] for word in corpus.vocabulary] or [0], np.int32)
            words.append(numbers[corpus.words])
        ids = tuple(chain.from_iterable(corpus.ids or (None,) * len(corpus) for corpus in corpora))
        docs = tuple(chain.from_iterable(corpus.docs or (None,) * len(corpus) for corpus in corpora))
        known_ids = ids if any(ids) else None
        known_docs = docs if any(docs) else None
        return cls(
            np.concatenate(words),
            Vocabulary(table),
            _joined_mentions(corpora),
            known_ids,
            known_docs,
            _joined_relations(corpora),
            _joined_ids(corpora),
            all(corpus.from_text for corpus in corpora),
        )

    def __len__(self) -> int:
        return self.mentions.n_samples

    def __repr__(self) -> str:
        mentions = f"{len(self.mentions)} mentions{_of_types(self.mentions)}"
        return f"Corpus({len(self)} samples, {self.n_tokens} tokens, {mentions})"

    @property
    def n_tokens(self) -> int:
        """The number of tokens of all samples."""
        return len(self.words)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of tokens of each sample."""
        assert self.mentions.lengths is not None
        return self.mentions.lengths

    def with_predictions(
        self, predictions: Any, *, labels: Any = None, scheme: str | None = None, repair: str = "conlleval"
    ) -> Corpus:
        """Return the same text with the mentions that a system predicted.

        Args:
            predictions: tags, label ids or spans of each sample.
            labels: the names of label ids: a list, an id2label dict or a ``ClassLabel``.
            scheme: the scheme of the tags; by default it is inferred where it is needed.
            repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.

        Raises:
            CleancutError: the predictions do not fit the text.
        """
        where = in_sample("predicted")
        raw = predictions if isinstance(predictions, Mentions) else recognise(predictions, labels, where)
        # Lists that are all empty can only be spans here: tags would be as many as the tokens.
        raw = spans_if_empty(raw) if isinstance(raw, RawTags) else raw
        mentions = mentions_of(raw, scheme, repair, where)
        return replace(self, mentions=on_lengths(mentions, self.lengths, "tokens"), relations=None, entity_ids=None)

    def select(self, samples: NDArray[np.integer] | Sequence[int] | slice) -> Corpus:
        """Return some of the samples, in the given order.

        Args:
            samples: a slice, numbers of samples or a mask.

        Raises:
            CleancutError: there is no such sample.
        """
        chosen = chosen_rows(samples, len(self))
        words = self.words[ranges(bounds_of(self.lengths)[chosen], self.lengths[chosen])]
        ids = None if self.ids is None else tuple(self.ids[i] for i in chosen)
        docs = None if self.docs is None else tuple(self.docs[i] for i in chosen)
        mentions = self.mentions.select(chosen)
        relations = self.relations
        if relations is not None:  # each copy of a sample that is chosen several times gets its relations
            bounds = bounds_of(np.bincount(self.mentions.sample, minlength=len(self)))
            of_sample = np.searchsorted(self.mentions.sample[relations.head], np.arange(len(self) + 1))
            sizes = np.diff(of_sample)[chosen]
            picked = ranges(of_sample[chosen], sizes)
            first = bounds_of(np.diff(bounds)[chosen])[:-1]
            shift = np.repeat(first - bounds[chosen], sizes)
            ends = relations.head[picked] + shift, relations.tail[picked] + shift
            relations = Relations(*ends, relations.label[picked], relations.labels)._sorted()
        entity_ids = self.entity_ids
        if entity_ids is not None:
            bounds = bounds_of(np.bincount(self.mentions.sample, minlength=len(self)))
            entity_ids = entity_ids.select(ranges(bounds[chosen], np.diff(bounds)[chosen]))
        return Corpus(words, self.vocabulary, mentions, ids, docs, relations, entity_ids, self.from_text)

    def keep(self, chosen: NDArray[np.bool_]) -> Corpus:
        """Return all samples with some of their mentions, and the relations between these.

        Args:
            chosen: for each mention, whether it is kept.
        """
        mentions = self.mentions.keep(chosen)
        return self.with_mentions(mentions, np.where(chosen, np.cumsum(chosen) - 1, -1))

    def with_mentions(self, mentions: Mentions, place: NDArray[np.int64]) -> Corpus:
        """Return the same text with mentions that were made of the present ones, with their relations and ids.

        Args:
            mentions: the new mentions.
            place: for each present mention, its number among the new ones; -1 for one that is no more there.
        """
        relations = None if self.relations is None else self.relations.moved(place)
        entity_ids = None if self.entity_ids is None else self.entity_ids.moved(place)
        return replace(self, mentions=mentions, relations=relations, entity_ids=entity_ids)

    def renamed(self, types: Mapping[str, str]) -> Corpus:
        """Return the same text with other names of types. Mentions that become equal are merged.

        Args:
            types: new names by old ones; types that are not named stay as they are.
        """
        mentions = self.mentions.renamed(types)
        if mentions is self.mentions:
            return self
        if self.relations is None and self.entity_ids is None:
            return replace(self, mentions=mentions)
        return self.with_mentions(mentions, _places_in(mentions, self.mentions, types))  # some may be merged

    def used_words(self) -> NDArray[np.int64]:
        """Return the numbers of the words that occur. A part of a corpus has the vocabulary of the whole."""
        used = np.zeros(len(self.vocabulary), bool)
        used[self.words] = True
        return np.flatnonzero(used)

    def tokens(self) -> list[list[str]]:
        """Return the words of each sample."""
        flat = iter([self.vocabulary[word] for word in self.words.tolist()])
        return [[next(flat) for _ in range(n)] for n in self.lengths.tolist()]

    def tags(self, scheme: str = "iob2") -> list[list[str]]:
        """Return the mentions as tags.

        Args:
            scheme: the scheme to write.

        Raises:
            CleancutError: mentions overlap, which tags cannot express.
        """
        return self.mentions.tags(scheme)

    def entities(self) -> list[list[dict[str, Any]]]:
        """Return a list of ``{"start", "end", "label"}`` for each sample."""
        return self.mentions.spans()

    def relation_lists(self) -> list[list[dict[str, Any]]]:
        """Return a list of ``{"head", "tail", "label"}`` for each sample; head and tail count its ``entities()``."""
        lists: list[list[dict[str, Any]]] = [[] for _ in range(len(self))]
        if self.relations is None:
            return lists
        head, tail, label, labels = self.relations
        sample = self.mentions.sample[head]
        first = np.searchsorted(self.mentions.sample, sample)
        columns = (column.tolist() for column in (sample, head - first, tail - first, label))
        for number, own_head, own_tail, code in zip(*columns, strict=True):
            lists[number].append({"head": own_head, "tail": own_tail, "label": labels[code]})
        return lists

    def texts(self) -> list[str]:
        """Return the words of each mention, joined by spaces."""
        begins = bounds_of(self.lengths)[self.mentions.sample] + self.mentions.start
        sizes = self.mentions.end - self.mentions.start
        vocabulary = self.vocabulary
        surfaces = []
        for begin, size in zip(begins.tolist(), sizes.tolist(), strict=True):
            words = self.words[begin : begin + size].tolist()
            surfaces.append(" ".join([vocabulary[word] for word in words]))
        return surfaces


def _places_in(renamed: Mentions, before: Mentions, types: Mapping[str, str]) -> NDArray[np.int64]:
    """Return the number that each mention has after its type was renamed."""
    new_names = [types.get(name, name) for name in before.labels]
    place = {span: number for number, span in enumerate(_named_spans(renamed, renamed.labels))}
    return np.array([place[span] for span in _named_spans(before, new_names)], np.int64)


def _joined_mentions(corpora: Sequence[Corpus]) -> Mentions:
    """Return the mentions of several corpora, one corpus after the other."""
    parts = [corpus.mentions for corpus in corpora]
    names = tuple(sorted({name for part in parts for name in part.labels}))
    rank = {name: position for position, name in enumerate(names)}
    first_samples = bounds_of(np.array([len(corpus) for corpus in corpora]))[:-1]
    lengths = np.concatenate([corpus.lengths for corpus in corpora])
    sample = np.concatenate([part.sample + first for part, first in zip(parts, first_samples, strict=True)])
    start = np.concatenate([part.start for part in parts])
    end = np.concatenate([part.end for part in parts])
    label = np.concatenate([np.array([rank[name] for name in part.labels] or [0])[part.label] for part in parts])
    joined = Mentions.of_columns(sample, start, end, label, names, len(lengths), lengths)
    taggings = [part.tagging for part in parts if part.tagging is not None]
    if len(taggings) == len(parts):  # then it is known for the whole, too
        joined = replace(joined, tagging=reduce(add, taggings))
    reports = [part.answers for part in parts if part.answers is not None]
    if len(reports) == len(parts):
        joined = replace(joined, answers=AnswerReport.concatenate(reports))
    return joined


def _joined_relations(corpora: Sequence[Corpus]) -> Relations | None:
    """Return the relations of several corpora; None if none of them has any."""
    if all(corpus.relations is None for corpus in corpora):
        return None
    first_mentions = bounds_of(np.array([len(corpus.mentions) for corpus in corpora]))[:-1].tolist()
    table = Interner()
    parts = []
    for corpus, shift in zip(corpora, first_mentions, strict=True):
        if corpus.relations is not None:
            head, tail, label, labels = corpus.relations
            names = np.array([table[name] for name in labels] or [0])
            parts.append((head + shift, tail + shift, names[label]))
    head, tail, label = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Relations(head, tail, label, tuple(table))._sorted()


def _joined_ids(corpora: Sequence[Corpus]) -> EntityIds | None:
    """Return the ids of the entities of several corpora; None where they were not read for one with mentions."""
    parts = []
    sizes = []
    for corpus in corpora:
        if corpus.entity_ids is not None:
            parts.append(corpus.entity_ids)
            sizes.append(len(corpus.mentions))
        elif len(corpus.mentions):
            return None
    return EntityIds.concatenate(parts, sizes) if parts else None


# --- masks ---------------------------------------------------------------------------------------------


def kept_tokens(keep: NDArray[np.bool_], *sides: tuple[RawTags, Where]) -> list[tuple[RawTags, Where]]:
    """Return the tags of each side at the positions to keep.

    Args:
        keep: for each position, whether it is kept.
        *sides: the tags of gold and predictions, which have the same lengths, with what names their places.

    Returns:
        For each side, the tags that are kept, and what names the places that these had before.
    """
    lengths_before = sides[0][0].lengths
    bounds = bounds_of(lengths_before)
    lengths = np.zeros_like(lengths_before)
    is_filled = lengths_before > 0
    # The narrowest type that holds the longest sample: numpy would convert the whole mask to a wider one first.
    width = np.min_scalar_type(int(lengths_before.max(initial=0)))
    lengths[is_filled] = np.add.reduceat(keep.view(np.uint8), bounds[:-1][is_filled], dtype=width)
    kept_sides: list[tuple[RawTags, Where]] = []
    for raw, where in sides:
        kept_tags = RawTags(raw.codes[keep], lengths, raw.tags)
        kept_sides.append((kept_tags, partial(_unmasked, where, keep, bounds)))
    return kept_sides


def _unmasked(
    where: Where, keep: NDArray[np.bool_], bounds: NDArray[np.int64], sample: int, token: int | None = None
) -> str:
    """Name the place of a token among all positions, including those that were masked."""
    if token is not None:
        token = int(np.flatnonzero(keep[bounds[sample] : bounds[sample + 1]])[token])
    return where(sample, token)


# --- checking and decoding ------------------------------------------------------------------------------


def mentions_of(raw: Raw | Mentions, scheme: str | None, repair: str, where: Where) -> Mentions:
    """Return the mentions of recognised input.

    Args:
        raw: tags or spans; mentions are returned as they are.
        scheme: the scheme of the tags, or None to infer it.
        repair: what to do with ill-formed mentions.
        where: names the place of a sample, for messages.

    Raises:
        CleancutError: the scheme or the repair is unknown, or a tag or span is not valid.
    """
    policy = parse_choice(Repair, repair, "repair")
    chosen = parse_scheme(scheme)
    if isinstance(raw, Mentions):
        return raw
    if isinstance(raw, RawSpans):
        return Mentions.of_columns(*raw, where=where)
    if raw.kept is not None:
        [(raw, where)] = kept_tokens(raw.kept, (raw, where))
    return Mentions.of_tagged(Tagged(raw.codes, raw.lengths, raw.tags, chosen, policy), where)


def _as_spans(raw: Raw, where: Where) -> Raw:
    """Return entities, which must be spans."""
    raw = spans_if_empty(raw) if isinstance(raw, RawTags) else raw
    if isinstance(raw, RawTags):
        raise CleancutError(f"{where(0)}: entities must be spans, not tags. Give tags as tags=.")
    return raw


def is_tagged(raw: Raw | Mentions) -> bool:
    """Return whether input came as tags (or label ids) of at least one token.

    Args:
        raw: recognised input, or mentions.
    """
    if isinstance(raw, Mentions):
        return raw.tagged is not None
    return isinstance(raw, RawTags) and len(raw.codes) > 0


def spans_if_empty(raw: RawTags) -> Raw:
    """Return samples that are all empty lists as samples without spans, rather than without tokens.

    Args:
        raw: tags; those with at least one token are returned as they are.
    """
    if len(raw.codes):
        return raw
    none = np.zeros(0, np.int64)
    return RawSpans(none, none, none, none, (), len(raw.lengths))


def _fitting(
    sample: Any, start: Any, end: Any, label: Any, labels: Any, n_samples: Any
) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return the columns of mentions as arrays; columns that contradict one another are refused."""
    n_samples = checks.whole(n_samples, "n_samples", 0, 2**31 - 1)
    names = checks.in_order(labels) if isinstance(labels, tuple | list) else [None]
    if not all(isinstance(name, str) for name in names):
        raise CleancutError(f"labels={quoted(labels)} are not names of types. Give a list of texts.")
    sample = checks.numbers(sample, "sample")
    n = len(sample)
    start, end, label = (
        checks.numbers(column, name, n) for column, name in ((start, "start"), (end, "end"), (label, "label"))
    )
    for column, most, name in ((sample, n_samples, "sample"), (label, len(names), "label")):
        if n and not 0 <= int(column.min()) <= int(column.max()) < most:
            raise CleancutError(
                f"{name}: the numbers go from {column.min()} to {column.max()}. Give numbers from 0 to {most - 1}."
            )
    return sample, start, end, label


def _check_spans(
    sample: NDArray,
    start: NDArray,
    end: NDArray,
    label: NDArray,
    labels: Sequence[str],
    lengths: NDArray | None,
    where: Where,
) -> None:
    """Refuse spans that are empty or outside their sample; the first one is named."""
    if not len(sample):
        return

    def refuse(k: int, why: str) -> None:
        """Raise an error that names the ``k``-th span."""
        name = labels[int(label[k])]
        raise CleancutError(f"{where(int(sample[k]))}: span [{start[k]}, {end[k]}) {name} {why}")

    if start.min() < 0:
        refuse(int(np.argmin(start)), "has a negative offset. Offsets count tokens from 0.")
    empty = end <= start
    if empty.any():
        refuse(int(np.argmax(empty)), "is empty. The end is exclusive: a span of one token ends at start + 1.")
    if lengths is not None:
        beyond = end > lengths[sample]
        if beyond.any():
            k = int(np.argmax(beyond))
            refuse(k, f"ends beyond the sample's {lengths[sample[k]]} tokens. Offsets count tokens, not characters.")
    if end.max() >= 2**31 - 1:
        refuse(int(np.argmax(end)), "is out of range. Offsets count tokens from 0.")


def sorted_names(labels: Sequence[str], label: NDArray) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Return the names of types that occur, sorted, and the types as indices into these.

    Args:
        labels: names of types, in any order; some may be equal, and some may not occur.
        label: the type of each mention, as an index into ``labels``.
    """
    used = np.flatnonzero(np.bincount(label, minlength=len(labels))).tolist()
    names = tuple(sorted({labels[code] for code in used}))
    rank = {name: position for position, name in enumerate(names)}
    table = np.zeros(len(labels), np.int32)
    table[used] = [rank[labels[code]] for code in used]
    return names, table[label]


def check_lengths(given: NDArray, expected: NDArray, what: str, where: Where) -> None:
    """Refuse tags whose number differs from that of the tokens in a sample.

    Args:
        given: the number of tags of each sample.
        expected: the number of tokens of each sample.
        what: what the tokens are called in messages.
        where: names the place of a sample, for messages.

    Raises:
        CleancutError: the numbers differ; the message names the first sample.
    """
    if len(given) != len(expected):
        raise CleancutError(
            f"{counted(len(expected), 'sample')} of {what} but {len(given)} of tags. Give one for each sample."
        )
    differ = np.flatnonzero(given != expected)
    if len(differ):
        i = int(differ[0])
        if np.array_equal(np.sort(given), np.sort(expected)):
            raise CleancutError(
                f"{where(i)}: the samples seem to be in another order: this one has {int(expected[i])} {what} but "
                f"{int(given[i])} tags, and both sides have samples of the same lengths. Give them in the same order."
            )
        raise CleancutError(
            f"{where(i)}: {int(expected[i])} {what} but {int(given[i])} tags (-100 not counted). "
            "Give one tag for each token; re-align sub-word predictions before scoring."
        )


def on_lengths(mentions: Mentions, lengths: NDArray[np.int64], what: str) -> Mentions:
    """Return mentions that are checked against the number of tokens of each sample.

    Args:
        mentions: the mentions.
        lengths: the number of tokens of each sample.
        what: what the tokens are called in messages.

    Raises:
        CleancutError: they do not fit.
    """
    if mentions.n_samples != len(lengths):
        raise CleancutError(
            f"{counted(len(lengths), 'sample')} of {what} but {mentions.n_samples} of labels. Give one for each sample."
        )
    if mentions.lengths is not None:
        check_lengths(mentions.lengths, lengths, what, mentions.where)
        return mentions
    _check_spans(
        mentions.sample, mentions.start, mentions.end, mentions.label, mentions.labels, lengths, mentions.where
    )
    return replace(mentions, lengths=lengths)


def overlaps(mentions: Mentions) -> bool:
    """Return whether any two mentions share a token.

    Args:
        mentions: the mentions.
    """
    if len(mentions) < 2:
        return False
    # They are sorted by start, so some pair overlaps exactly if two neighbours do.
    same_sample = mentions.sample[1:] == mentions.sample[:-1]
    return bool((same_sample & (mentions.start[1:] < mentions.end[:-1])).any())


def samples_of(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Yield each sample in the form of the JSONL format: id, doc, tokens, entities, relations.

    Args:
        corpus: the samples.
    """
    relations = corpus.relation_lists()
    spans = entities_with_ids(corpus)
    for i, (tokens, entities) in enumerate(zip(corpus.tokens(), spans, strict=True)):
        sample: dict[str, Any] = {}
        if corpus.ids is not None and corpus.ids[i] is not None:
            sample["id"] = corpus.ids[i]
        if corpus.docs is not None:
            sample["doc"] = corpus.docs[i]
        sample["tokens"] = tokens
        sample["entities"] = entities
        if corpus.relations is not None:
            sample["relations"] = relations[i]
        yield sample


def entities_with_ids(corpus: Corpus) -> list[list[dict[str, Any]]]:
    """Return the mentions of each sample as dicts, with the ids of their entities as ``ids`` if these are known.

    Args:
        corpus: the samples.
    """
    spans = corpus.entities()
    if corpus.entity_ids is not None:
        lists = corpus.entity_ids.lists(len(corpus.mentions))
        for span, ids in zip(chain.from_iterable(spans), lists, strict=True):
            span["ids"] = ids
    return spans
