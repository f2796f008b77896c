"""The audit of a dataset: how many samples of a split are contaminated by another split, and by which entities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations, permutations
from typing import Any, TypeVar, assert_never

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.arrays import bounds_of
from ..core.at_signs import at_signs
from ..core.corpus import Corpus, Mentions
from ..core.entities import Key, Shared, entity_codes_of, key_name, shared_codes
from ..core.exceptions import CleancutError, parse_choice, quoted
from ..core.hashing import text_hashes
from ..core.inputs import Interner
from ..core.names import Links, are_in
from ..core.notices import say
from ..core.same import PART_LIMIT, Same
from ..core.shown import Drawn, percent
from ..core.type_names import disagreement, parse_types, types_setting
from ..reading.dataset import check_columns, given_samples
from ..reading.splits import split_rank
from ..scoring.clean import memorisation
from ..scoring.exposure import Exposure
from ..scoring.score import share
from .related import left_related


class Unit(StrEnum):
    """The thing that is counted as contaminated or clean."""

    SAMPLE = "sample"
    DOC = "doc"


Pair = tuple[str, str]
"""A pair of splits: the first is checked for what it shares with the second."""

_T = TypeVar("_T")
_NONE = np.zeros(0, np.int64)


def pair_name(pair: Pair) -> str:
    """Return the name of a pair of splits in JSON: ``test_vs_train``."""
    return "_vs_".join(pair)


def by_pair_name(of_pairs: Mapping[Pair, _T]) -> dict[str, _T]:
    """Return the values of pairs of splits by the names that the pairs have in JSON.

    >>> by_pair_name({("test", "train"): 3})
    {'test_vs_train': 3}
    """
    by_name: dict[str, _T] = {}
    for pair, value in of_pairs.items():
        name = pair_name(pair)
        if name in by_name:
            raise CleancutError(f"two pairs of splits are both written as {quoted(name)}. Give the splits other names.")
        by_name[name] = value
    return by_name


def by_pair(stored: Mapping[str, _T], names: Iterable[str]) -> dict[Pair, _T]:
    """Return stored values by pairs of splits, which undoes ``by_pair_name``.

    The names of the splits are needed, since a name such as ``old_vs_new`` looks like a pair itself.

    >>> by_pair({"old_vs_new_vs_test": 3}, ["old_vs_new", "test"])
    {('old_vs_new', 'test'): 3}
    """
    pairs = {pair_name(pair): pair for pair in permutations(names, 2)}
    for name in stored:
        if name not in pairs:
            raise ValueError(f"{quoted(name)} is not a pair of the splits {', '.join(names)}")
    return {pairs[name]: value for name, value in stored.items()}


@dataclass(frozen=True, repr=False)
class Audit(Drawn):
    """The result of ``audit``: how much the splits of a dataset have in common."""

    pairs: Mapping[Pair, Mapping[str, Any]]
    """Counts and rates by pair: ``pairs["test", "train"]`` counts the test samples, mentions and entities, and those
    of them that are contaminated by train."""
    duplicates: Mapping[Pair, int]
    """The number of samples of the first split whose words also appear verbatim as a sample of the second."""
    top_leaks: list[dict[str, Any]]
    """The shared entities with most mentions, each with its ``pair`` of splits, counts and examples on both sides."""
    near_leaks: Mapping[Pair, Mapping[str, Any]]
    """Clean mentions that differ from a mention of the other split only in case or Unicode form, by pair."""
    related: Mapping[Pair, Mapping[str, Any]]
    """What is left under looser notions of the same name, by pair: how many mentions of the first split have the same
    name in the second, one that differs in case or punctuation, or one that is part of it or has it as a part; and how
    many samples with mentions have the template of one of the second."""
    memorisation: Mapping[str, Mapping[str, Any]]
    """The scores that a mere look-up of the training mentions reaches on each held-out split."""
    types: Mapping[str, Mapping[str, int]]
    """The number of mentions of each type, by split."""
    unit: str
    """The thing that is counted: ``sample`` or ``doc``."""
    key: str
    """The entity key: when two mentions are of the same entity."""
    same: str
    """Which names count as the same, beyond the key."""
    notes: list[str]
    """Warnings and remarks for the reader of the audit."""

    def __repr__(self) -> str:
        shown = (
            f"{pair_name(pair)}: {percent(row['rate_partial'])}% partly, {percent(row['rate_full'])}% fully"
            for pair, row in self.pairs.items()
        )
        return f"Audit of {', '.join(self.types)} by {self.unit} (key: {self.key}): {'; '.join(shown)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as ``cleancut audit --json`` prints it: the pairs by their names, then everything else."""
        pairs = {name: dict(counts) for name, counts in by_pair_name(self.pairs).items()}
        rest = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "pairs"}
        rest["duplicates"] = by_pair_name(self.duplicates)
        rest["near_leaks"] = by_pair_name(self.near_leaks)
        rest["related"] = by_pair_name(self.related)
        rest["top_leaks"] = [{**leak, "pair": pair_name(leak["pair"])} for leak in self.top_leaks]
        return {**pairs, **rest}


def audit(
    splits: Mapping[str, Any],
    *,
    unit: str = "sample",
    key: str = "entity",
    case: bool = True,
    typed: bool = True,
    unicode: str | None = None,
    same: str | Same = "exact",
    aliases: Any = None,
    part_limit: int = PART_LIMIT,
    top: int = 20,
    types: Mapping[str, str] | None = None,
    **columns: Any,
) -> Audit:
    """Count the samples, mentions and entities that the splits of a dataset share (Babl et al., Section 3.1).

    A sample (or a document) is *partially* contaminated if any of its entities is in the other split, and *fully*
    contaminated if all are. Rates divide by all samples, those without entities included. A sample without entities
    never counts as fully contaminated; ``n_full_eq4`` is Equation 4 read literally, which does count it.

    Args:
        splits: the splits by name, such as ``{"train": ..., "test": ...}`` or a ``DatasetDict``; each is a corpus
            or a dataset. At least two are needed.
        unit: the thing that is counted: ``sample`` or ``doc``.
        key: what counts as shared: ``entity``; or, for samples with relations, ``pair`` (the surfaces of the two
            ends of a relation) or ``triple`` (these and the label of the relation).
        case: whether words that differ in case make different entities.
        typed: whether the type belongs to the entity, so that *Ashton* the place is not *Ashton* the person.
        unicode: a Unicode normal form, such as ``NFKC``, that words are brought into before they are compared.
        same: which names count as the same, such as ``fold+part``: ``exact``, ``fold`` (whatever case and punctuation),
            ``alias``, ``part`` (one has the words of the other) and ``templates`` (the sentence, once masked), with
            ``+`` between them.
        aliases: lists of names that mean the same, for ``alias``.
        part_limit: a word that occurs in more names of two or more words than this is generic, for ``part``.
        top: the number of leaks to list for each pair of splits.
        types: new names for types, by the names that the splits have: ``{"person": "PER"}``.
        **columns: the columns of datasets to read, such as ``tags=``, where they are not recognised.

    Returns:
        The audit, with counts for every ordered pair of splits.

    Raises:
        CleancutError: fewer than two splits are given, an option is not valid, or ``unit="doc"`` is asked for
            where samples have no document ids.

    >>> train = Corpus.of([["Ada"], ["Oslo"]], tags=[["B-PER"], ["B-LOC"]])
    >>> test = Corpus.of([["Ada", "met", "Bo"], ["so"]], tags=[["B-PER", "O", "B-PER"], ["O"]])
    >>> counts = audit({"train": train, "test": test}).pairs["test", "train"]
    >>> counts["n_partial"], counts["n_full"], counts["rate_partial"], counts["n_empty"]
    (1, 0, 0.5, 1)
    """
    check_columns("audit", columns, "unit", "key", "case", "typed", "unicode", "same", "aliases", "part_limit", "top")
    if not isinstance(splits, Mapping) or any(isinstance(part, Mapping) for part in splits.values()):
        raise CleancutError(
            'give the splits as {"train": corpus, "test": corpus}, as read() or from_dataset() return them.'
        )
    splits = {name: samples.corpus for name, samples in given_samples(splits, columns).items()}
    top = checks.whole(top, "top")
    if len(splits) < 2:
        raise CleancutError(f"an audit compares splits; {len(splits)} given. Give at least train and test.")
    counted_unit = parse_choice(Unit, unit, "unit")
    shared = parse_choice(Shared, key, "key")
    names = sorted(splits, key=split_rank)
    renaming = parse_types(types)
    splits = {name: splits[name].renamed(renaming) for name in names}
    held_out = [(later, earlier) for earlier, later in combinations(names, 2)]
    train = Exposure.of(splits[names[0]], case=case, typed=typed, unicode=unicode)
    notion = Same.of(same, aliases=aliases, part_limit=part_limit)
    if shared is not Shared.ENTITY and not notion.is_exact:
        raise CleancutError(
            f"same={quoted(str(notion))} is of entities, but key={quoted(shared.value)}. Give one of them."
        )
    coded = _CodedSplits(splits, train.key, notion)
    return Audit(
        pairs=_split_contamination(coded, counted_unit, shared),
        duplicates=_duplicates(splits),
        top_leaks=[leak for a, b in held_out for leak in _top_leaks(coded, shared, a, b, top)],
        near_leaks={(a, b): _near_leaks(coded, a, b, top) for a, b in held_out},
        related=left_related(splits, train.key, held_out, notion.part_limit),
        memorisation={name: memorisation(splits[name], train) for name in names[1:]},
        types={name: _type_counts(corpus.mentions) for name, corpus in splits.items()},
        unit=counted_unit.value,
        key=key_name(train.key, shared),
        same=str(notion),
        notes=[*_type_notes(splits, renaming), *_at_note(splits)],
    )


def contamination(
    names: Sequence[str],
    split_of_sample: NDArray[np.integer],
    unit_of_sample: NDArray[np.int64],
    sample_of_mention: NDArray[np.integer],
    entity: NDArray[np.int32],
    mention_of_link: NDArray[np.int64] = _NONE,
    link: NDArray[np.int64] = _NONE,
) -> dict[Pair, dict[str, Any]]:
    """Count for every ordered pair of splits what of the first is in the second.

    Args:
        names: the names of the splits.
        split_of_sample: the split of each sample, as an index into ``names``; -1 for samples that are in none.
        unit_of_sample: the number of the sample or document that is counted for each sample.
        sample_of_mention: the sample of each mention.
        entity: the entity of each mention, as ``entity_codes`` numbers them.
        mention_of_link: the mention of each further link.
        link: the code of each further link; mentions that have one in common are related, as those of one entity are.

    Returns:
        The counts and rates of each pair.
    """
    split_of_mention = split_of_sample[sample_of_mention]
    split_of_link = split_of_mention[mention_of_link]
    in_split = np.zeros((len(names), int(entity.max(initial=-1)) + 1), bool)
    linked = np.zeros((len(names), int(link.max(initial=-1)) + 1), bool)
    for i in range(len(names)):
        in_split[i, entity[split_of_mention == i]] = True
        linked[i, link[split_of_link == i]] = True
    counts: dict[Pair, dict[str, Any]] = {}
    for a, name in enumerate(names):
        units, unit_in_split = np.unique(unit_of_sample[split_of_sample == a], return_inverse=True)
        unit_number = np.zeros(len(split_of_sample), np.int64)
        unit_number[split_of_sample == a] = unit_in_split
        is_own = split_of_mention == a
        own_entity = entity[is_own]
        unit_of_own = unit_number[sample_of_mention[is_own]]
        for b, other in enumerate(names):
            if a != b:
                related = in_split[b][entity]
                related[mention_of_link[linked[b][link]]] = True
                seen = related[is_own]
                counts[name, other] = {
                    **_unit_counts(unit_of_own, seen, len(units)),
                    "n_mentions": len(seen),
                    "n_mentions_contaminated": int(seen.sum()),
                    "n_entities": int(in_split[a].sum()),
                    "n_entities_contaminated": int(np.count_nonzero(np.bincount(own_entity[seen]))),
                }
    return counts


def _unit_counts(unit_of_mention: NDArray[np.int64], seen: NDArray[np.bool_], n_units: int) -> dict[str, Any]:
    """Count the contaminated units of a split, from the unit of each mention and whether its entity is shared."""
    n_mentions = np.bincount(unit_of_mention, minlength=n_units)
    n_seen = np.bincount(unit_of_mention[seen], minlength=n_units)
    n_empty = int((n_mentions == 0).sum())
    n_partial = int((n_seen > 0).sum())
    n_full = int(((n_mentions > 0) & (n_mentions == n_seen)).sum())
    return {
        "n_samples": n_units,
        "n_empty": n_empty,
        "n_partial": n_partial,
        "n_full": n_full,
        "n_full_eq4": n_full + n_empty,
        "rate_partial": share(n_partial, n_units),
        "rate_full": share(n_full, n_units),
    }


class _CodedSplits:
    """The splits of a dataset, with the entity of each mention as a number that is the same in all splits."""

    def __init__(self, corpora: Mapping[str, Corpus], key: Key, same: Same) -> None:
        self.corpora = corpora
        self.key = key
        self.same = same
        self._number = {name: i for i, name in enumerate(corpora)}

    @cached_property
    def links(self) -> Links:
        """What relates the mentions of the splits under the notion of the same name."""
        return Links.of(list(self.corpora.values()), self.key, self.same)

    @property
    def entity(self) -> dict[str, NDArray[np.int32]]:
        """The entities under the key and the equivalences of the notion."""
        return dict(zip(self.corpora, self.links.entity, strict=True))

    def seen(self, ours: str, theirs: str) -> NDArray[np.bool_]:
        """Return for each mention of a split whether another split has one that is related to it."""
        return self.links.seen(self._number[ours], self._number[theirs])

    def relatives(self, ours: str, code: int, theirs: str) -> NDArray[np.int64]:
        """Return the mentions of a split that are related to an entity of another one."""
        a, b = self._number[ours], self._number[theirs]
        is_related = self.links.entity[b] == code
        own = self.links.entity[a][self.links.mention[a]] == code
        is_related[self.links.mention[b][are_in(self.links.code[b], self.links.code[a][own])]] = True
        return np.flatnonzero(is_related)

    @cached_property
    def loose(self) -> dict[str, NDArray[np.int32]]:
        """The entities if case and Unicode forms did not matter."""
        return self._codes(self.key._replace(case=False, unicode="NFKC"))

    def _codes(self, key: Key) -> dict[str, NDArray[np.int32]]:
        """Return the entities under a key as numbers, by split."""
        return dict(zip(self.corpora, entity_codes_of(list(self.corpora.values()), key), strict=True))


def _split_contamination(coded: _CodedSplits, unit: Unit, what: Shared) -> dict[Pair, dict[str, Any]]:
    """Count what splits share, as ``contamination`` does, from a corpus for each split."""
    corpora = list(coded.corpora.values())
    sizes = np.array([len(corpus) for corpus in corpora])
    split = np.repeat(np.arange(len(corpora)), sizes)
    units = np.concatenate([units_of(name, corpus, unit) for name, corpus in coded.corpora.items()])
    if what is not Shared.ENTITY:
        return contamination(
            list(coded.corpora), split, units, *shared_codes(Corpus.concatenate(corpora), coded.key, what)
        )
    firsts = bounds_of(sizes)[:-1]
    sample = np.concatenate([corpus.mentions.sample + first for corpus, first in zip(corpora, firsts, strict=True)])
    first_mentions = bounds_of(np.array([len(corpus.mentions) for corpus in corpora]))[:-1]
    links = coded.links
    mention = np.concatenate([own + first for own, first in zip(links.mention, first_mentions, strict=True)])
    entity = np.concatenate(links.entity)
    return contamination(list(coded.corpora), split, units, sample, entity, mention, np.concatenate(links.code))


def _duplicates(splits: Mapping[str, Corpus]) -> dict[Pair, int]:
    """Return for each pair how many samples of the first split appear verbatim in the second."""
    texts = {name: np.sort(text_hashes(corpus)) for name, corpus in splits.items()}
    return {(a, b): _n_in(texts[a], texts[b]) for a, b in permutations(texts, 2)}


def _n_in(values: NDArray[np.uint64], others: NDArray[np.uint64]) -> int:
    """Count the values that are among others. Both are sorted."""
    if not len(others):
        return 0
    place = np.searchsorted(others, values)
    return int((others[np.minimum(place, len(others) - 1)] == values).sum())


def units_of(name: str, corpus: Corpus, unit: Unit) -> NDArray[np.int64]:
    """Return the number of the unit of each sample: the sample itself, or its document.

    Args:
        name: the name of the corpus, for the error message.
        corpus: the samples.
        unit: the kind of unit.
    """
    match unit:
        case Unit.SAMPLE:
            return np.arange(len(corpus))
        case Unit.DOC:
            if corpus.docs is None:
                raise CleancutError(f"{name} has no document ids, so that unit='doc' is undefined. Use unit='sample'.")
            table = Interner()
            numbers = []
            for i, doc in enumerate(corpus.docs):
                document = (None, i) if doc is None else doc  # a sample without a document is one of its own
                numbers.append(table[document])
            return np.array(numbers, np.int64)
        case _:
            assert_never(unit)


def _type_notes(splits: Mapping[str, Corpus], renaming: Mapping[str, str]) -> list[str]:
    """Return notes about the names of types: where they hardly agree with those of train, and which were renamed.

    Where they do not agree, no typed entity can be shared, whatever the splits have in common. So such a note is also
    logged as a notice.
    """
    first, *others = splits
    train = splits[first].mentions
    notes: list[str] = []
    for name in others:
        mentions = splits[name].mentions
        notes += disagreement(name, mentions.labels, len(mentions), first, train.labels, len(train))
    for notice in notes:
        say(notice)
    return notes + [f"Types were renamed: {text}." for text in types_setting(renaming).values()]


# --- what leaks -----------------------------------------------------------------------------------------


def _top_leaks(coded: _CodedSplits, what: Shared, a: str, b: str, top: int) -> list[dict[str, Any]]:
    """Return what split ``a`` shares with split ``b``, the most frequent first."""
    match what:
        case Shared.ENTITY:
            return _top_entities(coded, a, b, top)
        case Shared.PAIR | Shared.TRIPLE:
            return _top_relations(coded.corpora, coded.key, what, a, b, top)
        case _:
            assert_never(what)


def _top_entities(coded: _CodedSplits, a: str, b: str, top: int) -> list[dict[str, Any]]:
    """Return the entities of split ``a`` that are in split ``b``, most mentions first."""
    corpora, ours = coded.corpora, coded.entity[a]
    leaking, position, n = _most_frequent(ours, np.flatnonzero(coded.seen(a, b)), top)
    relatives = {code: coded.relatives(a, code, b) for code in leaking.tolist()}
    texts, mentions = _texts(corpora[a], position), corpora[a].mentions
    return [
        {
            "pair": (a, b),
            "entity": text,
            "label": mentions.labels[mentions.label[at]] if coded.key.typed else None,
            f"n_{a}": n_mentions,
            f"n_{b}": len(relatives[code]),
            "examples": {
                a: _examples(corpora[a], np.flatnonzero(ours == code)[:2]),
                b: _examples(corpora[b], relatives[code][:2]),
            },
        }
        for code, at, n_mentions, text in zip(leaking.tolist(), position.tolist(), n.tolist(), texts, strict=True)
    ]


def _most_frequent(
    codes: NDArray[np.int32], chosen: NDArray[np.int64], top: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the codes that some mentions have most often; of equally frequent ones, the one that occurs first.

    Args:
        codes: the codes of all mentions.
        chosen: the mentions that are counted.
        top: the most codes that are returned.

    Returns:
        The codes, the first mention of each, and how often each occurs.
    """
    of_chosen = codes[chosen]
    n = np.bincount(of_chosen)
    first = np.zeros(len(n), np.int64)
    first[of_chosen[::-1]] = chosen[::-1]  # of several mentions, the first is written last
    there = np.flatnonzero(n)
    there = there[np.lexsort((first[there], -n[there]))][:top]
    return there, first[there], n[there]


def _top_relations(
    splits: Mapping[str, Corpus], key: Key, what: Shared, a: str, b: str, top: int
) -> list[dict[str, Any]]:
    """Return the pairs or triples of split ``a`` that are in split ``b``, most relations first."""
    whole = Corpus.concatenate([splits[a], splits[b]])
    sample, codes = shared_codes(whole, key, what)
    assert whole.relations is not None
    head, tail, label, labels = whole.relations
    ours = sample < len(splits[a])
    of_pair, first, n = np.unique(codes[ours], return_index=True, return_counts=True)
    leaking = np.flatnonzero(np.isin(of_pair, codes[~ours]))
    order = leaking[np.lexsort((first[leaking], -n[leaking]))][:top]
    place = np.flatnonzero(ours)[first[order]]
    texts = zip(_texts(whole, head[place]), _texts(whole, tail[place]), strict=True)
    return [
        {
            "pair": (a, b),
            "entity": f"{one} -> {other}",
            "label": labels[label[at]] if what is Shared.TRIPLE else None,
            f"n_{a}": int(n[k]),
            f"n_{b}": int((codes[~ours] == of_pair[k]).sum()),
            "examples": {
                name: _examples(splits[name], head[(codes == of_pair[k]) & side][:2] - before)
                for name, side, before in ((a, ours, 0), (b, ~ours, len(splits[a].mentions)))
            },
        }
        for k, at, (one, other) in zip(order, place, texts, strict=True)
    ]


def _texts(corpus: Corpus, mentions: NDArray[np.int64]) -> list[str]:
    """Return the texts of some mentions, which are given by their numbers."""
    keep = np.zeros(len(corpus.mentions), bool)
    keep[mentions] = True
    texts = dict(zip(np.flatnonzero(keep).tolist(), corpus.keep(keep).texts(), strict=True))
    return [texts[i] for i in mentions.tolist()]


def _examples(corpus: Corpus, mentions: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Return the samples of some mentions as examples to show: number, id and text."""
    bounds = bounds_of(corpus.lengths)
    examples = []
    for i in corpus.mentions.sample[mentions].tolist():
        words = [corpus.vocabulary[word] for word in corpus.words[bounds[i] : bounds[i + 1]].tolist()]
        own_id = corpus.ids[i] if corpus.ids else None
        examples.append({"sample": i, "id": own_id, "text": " ".join(words)})
    return examples


def _near_leaks(coded: _CodedSplits, a: str, b: str, top: int) -> dict[str, Any]:
    """Return the clean mentions of ``a`` that ``b`` would contaminate if case and Unicode forms did not matter."""
    is_near = are_in(coded.loose[a], coded.loose[b]) & ~coded.seen(a, b)
    near, mentions = np.flatnonzero(is_near), coded.corpora[a].mentions
    _, position, n = _most_frequent(coded.loose[a], near, top)
    texts = _texts(coded.corpora[a], position)
    labels = [mentions.labels[i] for i in mentions.label[position].tolist()]
    return {
        "n_mentions": len(near),
        "n_entities": int(np.count_nonzero(np.bincount(coded.loose[a][near]))),
        "examples": [
            {"entity": text, "label": label, f"n_{a}": n_mentions}
            for text, label, n_mentions in zip(texts, labels, n.tolist(), strict=True)
        ],
    }


def _type_counts(mentions: Mentions) -> dict[str, int]:
    """Return the number of mentions of each type."""
    counts = np.bincount(mentions.label, minlength=len(mentions.labels)).tolist()
    return dict(zip(mentions.labels, counts, strict=True))


# --- "@" as a mention of its own ------------------------------------------------------------------------


def _at_note(splits: Mapping[str, Corpus]) -> list[str]:
    """Return a warning where "@" is annotated as a mention of its own, which makes it an entity of every split."""
    n_at_signs = {name: len(at_signs(corpus)) for name, corpus in splits.items()}
    if not any(n_at_signs.values()):
        return []
    where = ", ".join(f"{n} times in {name}" for name, n in n_at_signs.items() if n)
    return [
        f'Warning: "@" is a mention of its own before a user name of the same type, {where}. It then is an entity that '
        "every split shares, and contamination is overstated. Join it to the name: --join-at, or join_at(corpus)."
    ]
