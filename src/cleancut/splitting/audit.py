"""Contamination of one split by another: what the audit counts, and what leaks most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, permutations
from typing import Any, TypeVar, assert_never

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.at_signs import at_signs
from ..core.corpus import Corpus, Mentions
from ..core.entities import Key, Shared, key_name, shared_codes
from ..core.exceptions import CleancutError, parse_choice, quoted
from ..core.hashing import text_hashes
from ..core.inputs import Interner
from ..core.notices import say
from ..core.shown import Drawn, percent
from ..core.type_names import disagreement, parse_types, types_setting
from ..reading.dataset import given_samples
from ..reading.splits import split_rank
from ..scoring.clean import memorisation
from ..scoring.exposure import Exposure
from ..scoring.score import share


class Unit(StrEnum):
    """What is counted as contaminated."""

    SAMPLE = "sample"
    DOC = "doc"


Pair = tuple[str, str]
"""A pair of splits: what of the first is in the second."""

_T = TypeVar("_T")


def pair_key(pair: Pair) -> str:
    """Return the key that JSON has for a pair of splits: ``test_vs_train``."""
    return "_vs_".join(pair)


def by_pair_key(of_pairs: Mapping[Pair, _T]) -> dict[str, _T]:
    """Return values by the keys that JSON has for pairs of splits.

    >>> by_pair_key({("test", "train"): 3})
    {'test_vs_train': 3}
    """
    found: dict[str, _T] = {}
    for pair, value in of_pairs.items():
        key = pair_key(pair)
        if key in found:
            raise CleancutError(f"two pairs of splits are both written as {key!r}. Give the splits other names.")
        found[key] = value
    return found


def by_pair(stored: Mapping[str, _T], names: Iterable[str]) -> dict[Pair, _T]:
    """Return values by pairs of splits again, of which ``by_pair_key`` made keys: the names tell where to cut these.

    >>> by_pair({"old_vs_new_vs_test": 3}, ["old_vs_new", "test"])
    {('old_vs_new', 'test'): 3}
    """
    pairs = {pair_key(pair): pair for pair in permutations(names, 2)}
    for key in stored:
        if key not in pairs:
            raise ValueError(f"{quoted(key)} is no pair of the splits {', '.join(names)}")
    return {pairs[key]: value for key, value in stored.items()}


@dataclass(frozen=True, repr=False)
class Audit(Drawn):
    """How far the splits of a dataset share their entities."""

    pairs: Mapping[Pair, Mapping[str, Any]]
    """``pairs["test", "train"]``: of the test samples, mentions and entities, how many are in train."""
    duplicates: Mapping[Pair, int]
    """Samples of the first split whose words are, to the letter, those of a sample of the second."""
    top_leaks: list[dict[str, Any]]
    """The entities that leak most, each with its ``pair`` of splits, counts and examples on both sides."""
    near_leaks: Mapping[Pair, Mapping[str, Any]]
    """Mentions that are clean by the key but differ from a training mention only in case or Unicode form."""
    memorisation: Mapping[str, Mapping[str, Any]]
    """What a look-up of the training mentions scores on each held-out split."""
    types: Mapping[str, Mapping[str, int]]
    """Mentions of each type in each split."""
    unit: str
    key: str
    notes: list[str]

    def __repr__(self) -> str:
        shown = (
            f"{pair_key(pair)}: {percent(row['rate_partial'])}% partly, {percent(row['rate_full'])}% fully"
            for pair, row in self.pairs.items()
        )
        return f"Audit of {', '.join(self.types)} by {self.unit} (key: {self.key}): {'; '.join(shown)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists with the keys that JSON has for pairs of splits; the pairs at the top."""
        rest = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "pairs"}
        rest |= {name: by_pair_key(rest[name]) for name in ("duplicates", "near_leaks")}
        rest["top_leaks"] = [{**leak, "pair": pair_key(leak["pair"])} for leak in self.top_leaks]
        return {**{key: dict(row) for key, row in by_pair_key(self.pairs).items()}, **rest}


def audit(
    splits: Mapping[str, Any],
    *,
    unit: str = "sample",
    key: str = "entity",
    case: bool = True,
    typed: bool = True,
    unicode: str | None = None,
    top: int = 20,
    types: Mapping[str, str] | None = None,
    **columns: Any,
) -> Audit:
    """Which samples, mentions and entities of each split are in each other split (Babil et al., Section 3.1).

    The splits are corpora, or datasets (a ``DatasetDict``). A sample (or a document) is *partially* contaminated if any
    of its entities is in the other split, *fully* if all are. Rates divide by all samples, those without entities
    included. "Full" does not count the latter; ``n_full_eq4`` is Equation 4 read literally, which does. With
    ``key="pair"`` relations stand for mentions, and what must not be shared are the surfaces of their two ends; with
    ``"triple"`` also their label. ``types`` are other names for types, by those that the splits have (``{"person":
    "PER"}``). ``columns`` (``tags=`` and others) say which columns of datasets hold what.

    >>> train = Corpus.of([["Ada"], ["Oslo"]], tags=[["B-PER"], ["B-LOC"]])
    >>> test = Corpus.of([["Ada", "met", "Bo"], ["so"]], tags=[["B-PER", "O", "B-PER"], ["O"]])
    >>> found = audit({"train": train, "test": test}).pairs["test", "train"]
    >>> found["n_partial"], found["n_full"], found["rate_partial"], found["n_empty"]
    (1, 0, 0.5, 1)
    """
    if not isinstance(splits, Mapping) or any(isinstance(part, Mapping) for part in splits.values()):
        raise CleancutError('give the splits as {"train": corpus, "test": corpus}, each read() or from_dataset().')
    splits = {name: samples.corpus for name, samples in given_samples(splits, columns).items()}
    top = checks.whole(top, "top")
    if len(splits) < 2:
        raise CleancutError(f"an audit compares splits; {len(splits)} given. Give at least train and test.")
    grain, what = parse_choice(Unit, unit, "unit"), parse_choice(Shared, key, "key")
    names = sorted(splits, key=split_rank)
    renaming = parse_types(types)
    splits = {name: splits[name].renamed(renaming) for name in names}
    held_out = [(later, earlier) for earlier, later in combinations(names, 2)]
    # of the last split, nothing is asked what it has shown
    shown = {name: Exposure.of(splits[name], case=case, typed=typed, unicode=unicode) for name in names[:-1]}
    texts = {name: text_hashes(corpus) for name, corpus in splits.items()}
    return Audit(
        pairs=split_contamination(splits, shown[names[0]].key, grain, what),
        duplicates={(a, b): int(np.isin(texts[a], texts[b]).sum()) for a, b in permutations(names, 2)},
        top_leaks=[leak for a, b in held_out for leak in _top_leaks(splits, shown[b], what, a, b, top)],
        near_leaks=_near_leaks(splits, shown, held_out, typed, top),
        memorisation={
            name: memorisation(corpus, shown[names[0]]) for name, corpus in splits.items() if name != names[0]
        },
        types={name: _type_counts(corpus.mentions) for name, corpus in splits.items()},
        unit=grain.value,
        key=key_name(shown[names[0]].key, what),
        notes=[*_type_notes(splits, renaming), *_at_note(splits)],
    )  # fmt: skip


def contamination(
    names: Sequence[str],
    split_of_sample: NDArray[np.integer],
    unit_of_sample: NDArray[np.int64],
    sample_of_mention: NDArray[np.integer],
    entity: NDArray[np.int32],
) -> dict[Pair, dict[str, Any]]:
    """Every ordered pair of splits: what of the first is in the second; of all mentions, ``entity_codes`` are given.

    A sample of split -1 belongs to none.
    """
    split_of_mention = split_of_sample[sample_of_mention]
    shown = np.zeros((len(names), int(entity.max(initial=-1)) + 1), bool)
    for i in range(len(names)):
        shown[i, entity[split_of_mention == i]] = True
    found: dict[Pair, dict[str, Any]] = {}
    for a, name in enumerate(names):
        units, unit_of = np.unique(unit_of_sample[split_of_sample == a], return_inverse=True)
        number = np.zeros(len(split_of_sample), np.int64)
        number[split_of_sample == a] = unit_of
        ours = split_of_mention == a
        of, ours_entity, n = number[sample_of_mention[ours]], entity[ours], len(units)
        mentions = np.bincount(of, minlength=n)
        n_empty = int((mentions == 0).sum())
        for b, other in enumerate(names):
            if a == b:
                continue
            seen = shown[b][ours_entity]
            hits = np.bincount(of[seen], minlength=n)
            n_full, n_partial = int(((mentions > 0) & (mentions == hits)).sum()), int((hits > 0).sum())
            found[name, other] = {
                "n_samples": n,
                "n_empty": n_empty,
                "n_partial": n_partial,
                "n_full": n_full,
                "n_full_eq4": n_full + n_empty,
                "rate_partial": share(n_partial, n),
                "rate_full": share(n_full, n),
                "n_mentions": len(seen),
                "n_mentions_contaminated": int(seen.sum()),
                "n_entities": int(shown[a].sum()),
                "n_entities_contaminated": int((shown[a] & shown[b]).sum()),
            }
    return found


def split_contamination(
    splits: Mapping[str, Corpus], key: Key, unit: Unit = Unit.SAMPLE, what: Shared = Shared.ENTITY
) -> dict[Pair, dict[str, Any]]:
    """The same of splits that are corpora of their own."""
    whole = Corpus.concatenate(list(splits.values()))
    split = np.repeat(np.arange(len(splits)), [len(corpus) for corpus in splits.values()])
    units = np.concatenate([units_of(name, corpus, unit) for name, corpus in splits.items()])
    return contamination(list(splits), split, units, *shared_codes(whole, key, what))


def units_of(name: str, corpus: Corpus, unit: Unit) -> NDArray[np.int64]:
    """The number of the sample or document that each sample belongs to."""
    match unit:
        case Unit.SAMPLE:
            return np.arange(len(corpus))
        case Unit.DOC:
            if corpus.docs is None:
                raise CleancutError(f"{name} has no document ids, so that unit='doc' is undefined. Use unit='sample'.")
            table = Interner()
            alone = ((None, i) for i in range(len(corpus)))  # a sample without a document is one of its own
            return np.array([table[next(alone) if doc is None else doc] for doc in corpus.docs], np.int64)
        case _:
            assert_never(unit)


def _type_notes(splits: Mapping[str, Corpus], renaming: Mapping[str, str]) -> list[str]:
    """What is to be known of the names of types: which were renamed, and where they hardly agree with those of train.

    Then nothing is shared by the key, whatever the splits have in common: that is logged as a notice as well.
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


def _top_leaks(
    splits: Mapping[str, Corpus], shown: Exposure, what: Shared, a: str, b: str, top: int
) -> list[dict[str, Any]]:
    """What split ``a`` shares with split ``b``, the most frequent first."""
    match what:
        case Shared.ENTITY:
            return _top_entities(splits, shown, a, b, top)
        case Shared.PAIR | Shared.TRIPLE:
            return _top_relations(splits, shown.key, what, a, b, top)
        case _:
            assert_never(what)


def _top_entities(splits: Mapping[str, Corpus], shown: Exposure, a: str, b: str, top: int) -> list[dict[str, Any]]:
    """The entities of split ``a`` that are in split ``b``, most mentions first."""
    ours, theirs = (shown.view(splits[name]).entity for name in (a, b))
    leaking, first, n = np.unique(ours[ours >= 0], return_index=True, return_counts=True)
    position = np.flatnonzero(ours >= 0)[first]
    order = np.lexsort((position, -n))[:top]
    texts, mentions = _texts(splits[a], position[order]), splits[a].mentions
    return [
        {
            "pair": (a, b),
            "entity": text,
            "label": mentions.labels[mentions.label[position[k]]] if shown.key.typed else None,
            f"n_{a}": int(n[k]),
            f"n_{b}": int((theirs == leaking[k]).sum()),
            "examples": {
                name: _examples(splits[name], np.flatnonzero(entity == leaking[k])[:2])
                for name, entity in ((a, ours), (b, theirs))
            },
        }
        for k, text in zip(order, texts, strict=True)
    ]


def _top_relations(
    splits: Mapping[str, Corpus], key: Key, what: Shared, a: str, b: str, top: int
) -> list[dict[str, Any]]:
    """The pairs or triples of split ``a`` that are in split ``b``, most relations first."""
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
    keep = np.zeros(len(corpus.mentions), bool)
    keep[mentions] = True
    texts = dict(zip(np.flatnonzero(keep).tolist(), corpus.keep(keep).texts(), strict=True))
    return [texts[i] for i in mentions.tolist()]


def _examples(corpus: Corpus, mentions: NDArray[np.int64]) -> list[dict[str, Any]]:
    samples = corpus.mentions.sample[mentions]
    tokens = corpus.select(samples).tokens()
    return [
        {"sample": int(i), "id": corpus.ids[i] if corpus.ids else None, "text": " ".join(words)}
        for i, words in zip(samples, tokens, strict=True)
    ]


def _near_leaks(
    splits: Mapping[str, Corpus], shown: Mapping[str, Exposure], pairs: list[Pair], typed: bool, top: int
) -> dict[Pair, dict[str, Any]]:
    loose = {b: Exposure(case=False, typed=typed, unicode="NFKC") for b in shown}
    for name, exposure in loose.items():
        exposure.update(splits[name])  # where its names stand in the text is not asked
    found = {}
    for a, b in pairs:
        view = loose[b].view(splits[a])
        near = np.flatnonzero(view.seen & ~shown[b].view(splits[a]).seen)
        entities, first, n = np.unique(view.entity[near], return_index=True, return_counts=True)
        order = np.lexsort((first, -n))[:top]
        mentions = splits[a].mentions
        texts = _texts(splits[a], near[first[order]])
        labels = [mentions.labels[i] for i in mentions.label[near[first[order]]]]
        found[a, b] = {
            "n_mentions": len(near),
            "n_entities": len(entities),
            "examples": [
                {"entity": text, "label": label, f"n_{a}": int(n[k])}
                for text, label, k in zip(texts, labels, order, strict=True)
            ],
        }
    return found


def _type_counts(mentions: Mentions) -> dict[str, int]:
    counts = np.bincount(mentions.label, minlength=len(mentions.labels)).tolist()
    return dict(zip(mentions.labels, counts, strict=True))


# --- "@" as a mention of its own ------------------------------------------------------------------------


def _at_note(splits: Mapping[str, Corpus]) -> list[str]:
    found = {name: len(at_signs(corpus)) for name, corpus in splits.items()}
    if not any(found.values()):
        return []
    where = ", ".join(f"{n} times in {name}" for name, n in found.items() if n)
    return [
        f'Warning: "@" is a mention of its own before a user name of the same type, {where}. It then is an entity that '
        "every split shares, and contamination is overstated. Join it to the name: --join-at, or join_at(corpus)."
    ]
