"""Mentions and corpora as arrays, from whatever a user has: tags, label ids, spans, Arrow or numpy arrays.

Spans are the canonical form, because nested mentions (GENIA, ACE05) cannot be written as tags. Everything
is built by three steps: recognise the form of the *whole* input, check it, decode it.
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
from .exceptions import CleancutError, parse_choice, quoted
from .inputs import Interner, Raw, RawSpans, RawTags, in_sample, intern_words, recognise
from .tags import Repair, Scheme, Tagging, Where, decode, encode, parse_scheme, prefix_letter, split_tag
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
    """Typed token spans of a list of samples: sorted, unique, half-open; nested and overlapping ones are legal.

    >>> m = Mentions.of([["B-PER", "I-PER", "O"], ["O"]])
    >>> m.spans()
    [[{'start': 0, 'end': 2, 'label': 'PER'}], []]
    """

    sample: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    label: NDArray[np.int32]
    labels: tuple[str, ...]
    n_samples: int
    lengths: NDArray[np.int64] | None = None
    """Tokens of each sample, where known (tags and corpora); spans alone do not tell."""
    tagging: Tagging | None = None
    """What the tags showed of their scheme; None where the mentions came as spans."""
    tagged: Tagged | None = field(default=None, repr=False)
    where: Where = field(default=in_sample(), repr=False)
    answers: AnswerReport | None = field(default=None, repr=False)
    """How answers of a language model were read and placed, where the mentions are those of answers."""

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
        """Mentions of samples given as tags, label ids (with their names) or spans, in lists or arrays."""
        if isinstance(data, Mentions):
            return data
        where = where or in_sample()
        return mentions_of(recognise(data, labels, where), scheme, repair, where)

    @classmethod
    def of_tagged(cls, tagged: Tagged, where: Where) -> Mentions:
        """Mentions of tags that are codes already."""
        codes, lengths, tags, scheme, repair = tagged
        found = decode(codes, lengths, tags, scheme=scheme, repair=repair, where=where)
        return cls(*found[:5], len(lengths), lengths, found.tagging, tagged, where)

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
        """Mentions from columns in any order, with duplicates dropped and every span checked."""
        where = where or in_sample()
        _check_spans(sample, start, end, label, labels, lengths, where)
        names, label = sorted_names(labels, label)
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
        """The mentions of some samples, in the order asked for."""
        chosen = chosen_rows(samples, self.n_samples)
        moved = partial(_moved, self.where, chosen)
        if self.tagged is not None:
            bounds = bounds_of(self.tagged.lengths)
            codes = self.tagged.codes[ranges(bounds[chosen], self.tagged.lengths[chosen])]
            return Mentions.of_tagged(
                self.tagged._replace(codes=codes, lengths=self.tagged.lengths[chosen]), where=moved
            )
        bounds = np.searchsorted(self.sample, np.arange(self.n_samples + 1))
        sizes = np.diff(bounds)[chosen]
        picked = ranges(bounds[chosen], sizes)
        sample = np.repeat(np.arange(len(chosen), dtype=np.int32), sizes)
        lengths = None if self.lengths is None else self.lengths[chosen]
        names, label = sorted_names(self.labels, self.label[picked])  # a type may be gone
        answers = self.answers and self.answers.select(chosen.tolist())
        return Mentions(
            sample, self.start[picked], self.end[picked], label, names, len(chosen), lengths, where=moved,
            answers=answers,
        )  # fmt: skip

    def keep(self, chosen: NDArray[np.bool_]) -> Mentions:
        """Some of the mentions, in all samples; what is left is no longer what the tags said."""
        columns = self.sample[chosen], self.start[chosen], self.end[chosen], self.label[chosen]
        kept = Mentions.of_columns(*columns, self.labels, self.n_samples, self.lengths, self.where)
        return replace(kept, answers=self.answers)

    def renamed(self, types: Mapping[str, str]) -> Mentions:
        """The mentions with other names of their types; of equal ones that come of it, one is left.

        >>> Mentions.of([["B-person", "B-LOC"]]).renamed({"person": "PER"}).labels
        ('LOC', 'PER')
        """
        answers = self.answers and self.answers.renamed(types)
        if not any(name in types for name in self.labels):
            return self if answers is None else replace(self, answers=answers)
        names = [types.get(name, name) for name in self.labels]
        columns = self.sample, self.start, self.end, self.label, names, self.n_samples, self.lengths, self.where
        tagged = _renamed_tags(self.tagged, types)
        return replace(Mentions.of_columns(*columns), tagging=self.tagging, tagged=tagged, answers=answers)

    def spans(self) -> list[list[dict[str, Any]]]:
        """A list of ``{"start", "end", "label"}`` for each sample."""
        out: list[list[dict[str, Any]]] = [[] for _ in range(self.n_samples)]
        columns = self.sample.tolist(), self.start.tolist(), self.end.tolist(), self.label.tolist()
        for sample, start, end, label in zip(*columns, strict=True):
            out[sample].append({"start": start, "end": end, "label": self.labels[label]})
        return out

    def tags(self, scheme: str = "iob2") -> list[list[str]]:
        """The mentions written as tags; an error where they overlap."""
        chosen = parse_scheme(scheme)
        assert chosen is not None
        if self.lengths is None:
            raise CleancutError("mentions given as spans alone cannot be written as tags. Give the tokens as well.")
        codes, tags = encode(
            self.sample, self.start, self.end, self.label, self.labels, self.lengths, chosen, self.where
        )
        flat = iter([tags[c] for c in codes.tolist()])
        return [[next(flat) for _ in range(n)] for n in self.lengths.tolist()]


def _renamed_tags(tagged: Tagged | None, types: Mapping[str, str]) -> Tagged | None:
    """The tags with other names; None where two types become one, whose mentions would be decoded otherwise."""
    if tagged is None:
        return None
    parts = [split_tag(tag, tagged.scheme) if tag else ("", "") for tag in tagged.tags]
    old = {name for _, name in parts if name}
    if len({types.get(name, name) for name in old}) < len(old):
        return None
    bare = {tag for tag in tagged.tags if prefix_letter(tag) is None}
    tags = tuple(
        tag if name not in types else types[name] if tag in bare else f"{letter}-{types[name]}"
        for tag, (letter, name) in zip(tagged.tags, parts, strict=True)
    )
    return tagged._replace(tags=tags)


def _of_types(mentions: Mentions) -> str:
    """`` of LOC, PER``; of many types, the first."""
    shown = [*mentions.labels[:8], *(["..."] if len(mentions.labels) > 8 else [])]
    return f" of {', '.join(shown)}" if shown else ""


def _moved(where: Where, chosen: NDArray[np.integer], sample: int, token: int | None = None) -> str:
    """The place that a selected sample came from."""
    return where(int(chosen[sample]), token)


class Relations(NamedTuple):
    """Typed relations between mentions of one sample: sorted, unique; the ends are indices into the mentions."""

    head: NDArray[np.int64]
    tail: NDArray[np.int64]
    label: NDArray[np.int64]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, data: Sequence[Any], raw: RawSpans, mentions: Mentions, where: Where) -> Relations:
        """From lists of ``{"head", "tail", "label"}``, whose ends count the entities of a sample as they were given."""
        if len(data) != raw.n_samples:
            raise CleancutError(
                f"{raw.n_samples} samples but {len(data)} lists of relations. Give one for each sample."
            )
        columns = (c.tolist() for c in (mentions.sample, mentions.start, mentions.end, mentions.label))
        number = {(s, b, e, mentions.labels[t]): i for i, (s, b, e, t) in enumerate(zip(*columns, strict=True))}
        given = zip(*(c.tolist() for c in (raw.sample, raw.start, raw.end, raw.label)), strict=True)
        of_given = [number[s, b, e, raw.labels[t]] for s, b, e, t in given]
        bounds = np.searchsorted(raw.sample, np.arange(raw.n_samples + 1)).tolist()
        labels, found = Interner(), []
        for i, own in enumerate(data):
            entities = of_given[bounds[i] : bounds[i + 1]]
            for k, relation in enumerate([] if own is None else _relations(own)):
                head, tail, label = _checked(relation, len(entities), f"{where(i)}: relation {k}")
                found.append((entities[head], entities[tail], labels[label]))
        table = np.array(found, np.int64).reshape(-1, 3)
        return cls(table[:, 0], table[:, 1], table[:, 2], tuple(labels))._sorted()

    def moved(self, place: NDArray[np.int64]) -> Relations:
        """With another place for each mention; where it is -1 the mention is gone, and its relations with it."""
        head, tail = place[self.head], place[self.tail]
        stay = (head >= 0) & (tail >= 0)
        return Relations(head[stay], tail[stay], self.label[stay], self.labels)._sorted()

    def _sorted(self) -> Relations:
        names, label = sorted_names(self.labels, self.label)
        table = np.unique(np.stack([self.head, self.tail, label.astype(np.int64)]), axis=1)
        return Relations(table[0], table[1], table[2], names)


def _relations(own: Any) -> list[Any]:
    """Return the relations of a sample."""
    return checks.ordered(own, "the relations of a sample", "a list of them")


def _checked(relation: Any, n_entities: int, place: str) -> tuple[int, int, str]:
    """The ends and the label of a relation."""
    wanted = 'Write relations as {"head": 0, "tail": 1, "label": "works_for"}'
    if not isinstance(relation, Mapping):
        raise CleancutError(f"{place} is {quoted(relation)}. {wanted}.")
    for name in ("head", "tail", "label"):
        if relation.get(name) is None:
            raise CleancutError(f"{place} has no {name}. {wanted}.")
    head, tail, label = relation["head"], relation["tail"], relation["label"]
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
    """Return the ids or documents of samples as texts; None where no sample has one."""
    if values is None:
        return None
    given = checks.ordered(values, name, "a list with one for each sample")
    kinds = set(map(type, given))
    if kinds <= {NoneType}:
        return None
    if len(given) != n_samples:
        raise CleancutError(f"{n_samples} samples but {len(given)} {name}. Give one for each sample.")
    if any(issubclass(kind, _NO_NAMES) for kind in kinds):
        at, value = next((at, value) for at, value in enumerate(given) if isinstance(value, _NO_NAMES))
        raise CleancutError(f"{name}: that of sample {at} is {quoted(value)}. Give texts or numbers.")
    if kinds <= {str, NoneType}:
        return tuple(given)
    return tuple(None if value is None else str(value) for value in given)


_NO_NAMES = (list, tuple, set, frozenset, Mapping, bytes, np.ndarray)
"""Kinds of values that name no sample."""


def chosen_rows(samples: Any, n: int) -> NDArray[np.int64]:
    """Return the numbers of chosen samples, of a slice, a list of numbers or a mask."""
    wanted = f"a slice, or a list of whole numbers from {-n} to {n - 1}"
    if isinstance(samples, slice):
        try:
            return np.arange(n)[samples]
        except (TypeError, ValueError):
            raise CleancutError(f"samples={quoted(samples)} cannot be chosen. Give {wanted}.") from None
    is_list = isinstance(samples, np.ndarray | Sequence) and not isinstance(samples, str | bytes)
    chosen = np.asarray(samples) if is_list else np.zeros((0, 0))
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
    vocabulary: Vocabulary = field(repr=False)
    mentions: Mentions
    ids: tuple[str | None, ...] | None = field(default=None, repr=False)
    docs: tuple[str | None, ...] | None = field(default=None, repr=False)
    relations: Relations | None = field(default=None, repr=False)
    from_text: bool = field(default=False, repr=False)
    """Were its tokens made from text, cut at the edges of its mentions, so that these are at characters?"""

    @classmethod
    def of(
        cls,
        tokens: Any,
        *,
        tags: Any = None,
        entities: Any = None,
        relations: Sequence[Any] | None = None,
        ids: Sequence[Any] | None = None,
        docs: Sequence[Any] | None = None,
        labels: Any = None,
        scheme: str | None = None,
        repair: str = "conlleval",
        where: Where | None = None,
    ) -> Corpus:
        """A corpus from lists: tokens, and tags (strings or ids) or entities (spans), these with relations if any."""
        where = where or in_sample()
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
        return cls(words, vocabulary, mentions, names, documents, between)

    @classmethod
    def concatenate(cls, corpora: Sequence[Corpus]) -> Corpus:
        """Several corpora as one, in their order."""
        if len(corpora) == 1:
            return corpora[0]
        table = Interner()
        words = [np.array([table[w] for w in c.vocabulary] or [0], np.int32)[c.words] for c in corpora]
        names = tuple(sorted({name for c in corpora for name in c.mentions.labels}))
        rank = {name: r for r, name in enumerate(names)}
        first = bounds_of(np.array([len(c) for c in corpora]))
        columns = [
            (
                c.mentions.sample + shift,
                c.mentions.start,
                c.mentions.end,
                np.array([rank[name] for name in c.mentions.labels] or [0])[c.mentions.label],
            )
            for c, shift in zip(corpora, first[:-1], strict=True)
        ]
        lengths = np.concatenate([c.lengths for c in corpora])
        sample, start, end, label = (np.concatenate(parts) for parts in zip(*columns, strict=True))
        mentions = Mentions.of_columns(sample, start, end, label, names, len(lengths), lengths)
        taggings = [c.mentions.tagging for c in corpora if c.mentions.tagging is not None]
        if len(taggings) == len(corpora):  # how tags were read is known of the whole, too
            mentions = replace(mentions, tagging=reduce(add, taggings))
        reports = [c.mentions.answers for c in corpora if c.mentions.answers is not None]
        if len(reports) == len(corpora):
            mentions = replace(mentions, answers=AnswerReport.concatenate(reports))
        ids = tuple(chain.from_iterable(c.ids or (None,) * len(c) for c in corpora))
        docs = tuple(chain.from_iterable(c.docs or (None,) * len(c) for c in corpora))
        return cls(
            np.concatenate(words), Vocabulary(table), mentions, ids if any(ids) else None, docs if any(docs) else None,
            _joined_relations(corpora), all(c.from_text for c in corpora),
        )  # fmt: skip

    def __len__(self) -> int:
        return self.mentions.n_samples

    def __repr__(self) -> str:
        mentions = f"{len(self.mentions)} mentions{_of_types(self.mentions)}"
        return f"Corpus({len(self)} samples, {self.n_tokens} tokens, {mentions})"

    @property
    def n_tokens(self) -> int:
        return len(self.words)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each sample."""
        assert self.mentions.lengths is not None
        return self.mentions.lengths

    def with_predictions(
        self, predictions: Any, *, labels: Any = None, scheme: str | None = None, repair: str = "conlleval"
    ) -> Corpus:
        """The same text with a system's mentions, from tags, label ids or spans."""
        where = in_sample("predicted")
        raw = predictions if isinstance(predictions, Mentions) else recognise(predictions, labels, where)
        # lists that are all empty can only be spans here: tags would have the length of the text
        raw = spans_if_empty(raw) if isinstance(raw, RawTags) else raw
        mentions = mentions_of(raw, scheme, repair, where)
        return replace(self, mentions=on_lengths(mentions, self.lengths, "tokens"), relations=None)

    def select(self, samples: NDArray[np.integer] | Sequence[int] | slice) -> Corpus:
        """Some samples, in the order asked for."""
        chosen = chosen_rows(samples, len(self))
        words = self.words[ranges(bounds_of(self.lengths)[chosen], self.lengths[chosen])]
        ids = None if self.ids is None else tuple(self.ids[i] for i in chosen)
        docs = None if self.docs is None else tuple(self.docs[i] for i in chosen)
        mentions, relations = self.mentions.select(chosen), self.relations
        if relations is not None:  # a sample may be chosen several times
            bounds = np.searchsorted(self.mentions.sample, np.arange(len(self) + 1))
            of_sample = np.searchsorted(self.mentions.sample[relations.head], np.arange(len(self) + 1))
            sizes = np.diff(of_sample)[chosen]
            picked = ranges(of_sample[chosen], sizes)
            first = bounds_of(np.diff(bounds)[chosen])[:-1]
            shift = np.repeat(first - bounds[chosen], sizes)
            ends = relations.head[picked] + shift, relations.tail[picked] + shift
            relations = Relations(*ends, relations.label[picked], relations.labels)._sorted()
        return Corpus(words, self.vocabulary, mentions, ids, docs, relations, self.from_text)

    def keep(self, chosen: NDArray[np.bool_]) -> Corpus:
        """All samples with some of their mentions, and the relations between these."""
        relations = self.relations and self.relations.moved(np.where(chosen, np.cumsum(chosen) - 1, -1))
        return replace(self, mentions=self.mentions.keep(chosen), relations=relations)

    def renamed(self, types: Mapping[str, str]) -> Corpus:
        """The same text, with other names of the types of its mentions."""
        mentions = self.mentions.renamed(types)
        if mentions is self.mentions:
            return self
        relations = self.relations
        if relations is not None:  # of mentions that become equal, one is left
            relations = relations.moved(_places_in(mentions, self.mentions, types))
        return replace(self, mentions=mentions, relations=relations)

    def used_words(self) -> NDArray[np.int64]:
        """Which words of the vocabulary occur: a part of a corpus has the vocabulary of the whole."""
        used = np.zeros(len(self.vocabulary), bool)
        used[self.words] = True
        return np.flatnonzero(used)

    def tokens(self) -> list[list[str]]:
        """The words of each sample."""
        flat = iter([self.vocabulary[w] for w in self.words.tolist()])
        return [[next(flat) for _ in range(n)] for n in self.lengths.tolist()]

    def tags(self, scheme: str = "iob2") -> list[list[str]]:
        """The mentions written as tags; an error where they overlap."""
        return self.mentions.tags(scheme)

    def entities(self) -> list[list[dict[str, Any]]]:
        """A list of ``{"start", "end", "label"}`` for each sample."""
        return self.mentions.spans()

    def relation_lists(self) -> list[list[dict[str, Any]]]:
        """A list of ``{"head", "tail", "label"}`` for each sample; the ends count its ``entities()``."""
        out: list[list[dict[str, Any]]] = [[] for _ in range(len(self))]
        if self.relations is not None:
            head, tail, label, labels = self.relations
            sample = self.mentions.sample[head]
            first = np.searchsorted(self.mentions.sample, sample)
            columns = (column.tolist() for column in (sample, head - first, tail - first, label))
            for i, a, b, k in zip(*columns, strict=True):
                out[i].append({"head": a, "tail": b, "label": labels[k]})
        return out

    def texts(self) -> list[str]:
        """The words of each mention, joined by a space."""
        begin = bounds_of(self.lengths)[self.mentions.sample] + self.mentions.start
        sizes = self.mentions.end - self.mentions.start
        vocabulary, words = self.vocabulary, self.words
        return [
            " ".join([vocabulary[w] for w in words[b : b + n].tolist()])
            for b, n in zip(begin.tolist(), sizes.tolist(), strict=True)
        ]


def _places_in(renamed: Mentions, before: Mentions, types: Mapping[str, str]) -> NDArray[np.int64]:
    """Which of the renamed mentions each mention has become."""
    number = {name: i for i, name in enumerate(renamed.labels)}
    label = np.array([number[types.get(name, name)] for name in before.labels], np.int64)[before.label]
    rows = zip(before.sample.tolist(), before.start.tolist(), before.end.tolist(), label.tolist(), strict=True)
    after = zip(*(c.tolist() for c in (renamed.sample, renamed.start, renamed.end, renamed.label)), strict=True)
    place = {row: i for i, row in enumerate(after)}
    return np.array([place[row] for row in rows], np.int64)


def _joined_relations(corpora: Sequence[Corpus]) -> Relations | None:
    if all(corpus.relations is None for corpus in corpora):
        return None
    first = bounds_of(np.array([len(corpus.mentions) for corpus in corpora]))[:-1].tolist()
    table, parts = Interner(), []
    for corpus, shift in zip(corpora, first, strict=True):
        if corpus.relations is not None:
            head, tail, label, labels = corpus.relations
            names = np.array([table[name] for name in labels] or [0])
            parts.append((head + shift, tail + shift, names[label]))
    head, tail, label = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Relations(head, tail, label, tuple(table))._sorted()


# --- masks ---------------------------------------------------------------------------------------------


def kept_tokens(keep: NDArray[np.bool_], *sides: tuple[RawTags, Where]) -> list[tuple[RawTags, Where]]:
    """The tags of each side at the positions to keep, and where these stood before; all sides have the same lengths."""
    before = sides[0][0].lengths
    bounds = bounds_of(before)
    lengths, some = np.zeros_like(before), before > 0
    # a type that just holds the longest sample: a wider one would convert the whole mask first
    width = np.min_scalar_type(int(before.max(initial=0)))
    lengths[some] = np.add.reduceat(keep.view(np.uint8), bounds[:-1][some], dtype=width)
    return [
        (RawTags(raw.codes[keep], lengths, raw.tags), partial(_unmasked, where, keep, bounds)) for raw, where in sides
    ]


def _unmasked(
    where: Where, keep: NDArray[np.bool_], bounds: NDArray[np.int64], sample: int, token: int | None = None
) -> str:
    """The place of a token among all positions, the masked ones included."""
    if token is not None:
        token = int(np.flatnonzero(keep[bounds[sample] : bounds[sample + 1]])[token])
    return where(sample, token)


# --- checking and decoding ------------------------------------------------------------------------------


def mentions_of(raw: Raw | Mentions, scheme: str | None, repair: str, where: Where) -> Mentions:
    policy, chosen = parse_choice(Repair, repair, "repair"), parse_scheme(scheme)
    if isinstance(raw, Mentions):
        return raw
    if isinstance(raw, RawSpans):
        return Mentions.of_columns(*raw, where=where)
    if raw.kept is not None:
        [(raw, where)] = kept_tokens(raw.kept, (raw, where))
    return Mentions.of_tagged(Tagged(raw.codes, raw.lengths, raw.tags, chosen, policy), where)


def _as_spans(raw: Raw, where: Where) -> Raw:
    raw = spans_if_empty(raw) if isinstance(raw, RawTags) else raw
    if isinstance(raw, RawTags):
        raise CleancutError(f"{where(0)}: entities must be spans, not tags. Give tags as tags=.")
    return raw


def is_tagged(raw: Raw | Mentions) -> bool:
    return raw.tagged is not None if isinstance(raw, Mentions) else isinstance(raw, RawTags) and len(raw.codes) > 0


def spans_if_empty(raw: RawTags) -> Raw:
    """Samples that are all empty lists: no spans, rather than tags of samples without words."""
    if len(raw.codes):
        return raw
    none = np.zeros(0, np.int64)
    return RawSpans(none, none, none, none, (), len(raw.lengths))


def _check_spans(
    sample: NDArray, start: NDArray, end: NDArray, label: NDArray, labels: Sequence[str],
    lengths: NDArray | None, where: Where,
) -> None:  # fmt: skip
    if not len(sample):
        return

    def refuse(k: int, why: str) -> None:
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
    """The names that occur, sorted, and the labels that index them."""
    used = np.flatnonzero(np.bincount(label, minlength=len(labels)))
    names = tuple(sorted({labels[int(c)] for c in used}))
    rank = {name: r for r, name in enumerate(names)}
    table = np.zeros(len(labels), np.int32)
    table[used] = [rank[labels[int(c)]] for c in used]
    return names, table[label]


def check_lengths(found: NDArray, expected: NDArray, what: str, where: Where) -> None:
    if len(found) != len(expected):
        raise CleancutError(f"{len(expected)} samples of {what} but {len(found)} of tags. Give one for each sample.")
    differ = np.flatnonzero(found != expected)
    if len(differ):
        i = int(differ[0])
        if np.array_equal(np.sort(found), np.sort(expected)):
            raise CleancutError(
                f"{where(i)}: the samples seem to be in another order: this one has {int(expected[i])} {what} but "
                f"{int(found[i])} tags, and both sides have samples of the same lengths. Give them in the same order."
            )
        raise CleancutError(
            f"{where(i)}: {int(expected[i])} {what} but {int(found[i])} tags (-100 not counted). "
            "Give one tag for each token; re-align sub-word predictions before scoring."
        )


def on_lengths(mentions: Mentions, lengths: NDArray[np.int64], what: str) -> Mentions:
    """The mentions, checked against the tokens that each sample has."""
    if mentions.n_samples != len(lengths):
        raise CleancutError(
            f"{len(lengths)} samples of {what} but {mentions.n_samples} of labels. Give one for each sample."
        )
    if mentions.lengths is not None:
        check_lengths(mentions.lengths, lengths, what, mentions.where)
        return mentions
    _check_spans(
        mentions.sample, mentions.start, mentions.end, mentions.label, mentions.labels, lengths, mentions.where
    )
    return replace(mentions, lengths=lengths)


def overlaps(mentions: Mentions) -> bool:
    """Do any two mentions share a token?"""
    if len(mentions) < 2:
        return False
    # sorted by start, so that some pair overlaps exactly if some neighbours do
    same = mentions.sample[1:] == mentions.sample[:-1]
    return bool((same & (mentions.start[1:] < mentions.end[:-1])).any())


def samples_of(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Each sample as the JSONL format has it: id, doc, tokens, entities, relations."""
    rows = zip(corpus.tokens(), corpus.entities(), strict=True)
    relations = iter(corpus.relation_lists())
    for i, (tokens, entities) in enumerate(rows):
        sample: dict[str, Any] = {}
        if corpus.ids is not None and corpus.ids[i] is not None:
            sample["id"] = corpus.ids[i]
        if corpus.docs is not None:
            sample["doc"] = corpus.docs[i]
        between = {} if corpus.relations is None else {"relations": next(relations)}
        yield {**sample, "tokens": tokens, "entities": entities, **between}
