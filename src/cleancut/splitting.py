"""The splitter: a plan that gives each sample to a split, such that the splits share as few entities as possible."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .exposure import Exposure, mixed, sample_hashes
from .files import replacing
from .leakage import SPLITS, Unit, contamination, distinct_samples, split_rank, units_of
from .reading import from_dataset
from .spans import Corpus
from .tags import CleancutError, parse_choice
from .version import __version__

if TYPE_CHECKING:
    from .partition import Problem

ASIDE = -1
"""The assignment of a sample that is set aside."""


class Method(StrEnum):
    """How to split."""

    MINCUT = "mincut"
    COMPONENTS = "components"
    RANDOM = "random"
    PAPER = "paper"
    PAPER_UNWEIGHTED = "paper-unweighted"


class Engine(StrEnum):
    """What cuts where whole components cannot be packed."""

    AUTO = "auto"
    PEEL = "peel"
    METIS = "metis"


class Effort(StrEnum):
    """How long a cut is polished."""

    FAST = "fast"
    AUTO = "auto"
    BEST = "best"


@dataclass(frozen=True)
class SplitPlan:
    """Which sample goes where, and what that gives: the product of a split, from which all else is derived."""

    names: tuple[str, ...]
    assignment: NDArray[np.int8]
    """The split of each sample, as an index into ``names``; -1 for samples that are set aside."""
    leakage: Mapping[str, Mapping[str, Any]]
    """``before`` (the original splits, where known) and ``after``: every ordered pair, as the audit computes it."""
    representation: Mapping[str, Mapping[str, Any]]
    """Entities per sample and entity-bearing share of each split against the corpus; type counts."""
    guarantee: str
    how: str
    notes: list[str]
    signature: str
    fingerprint: str
    """Of the samples that were split, in their order."""

    @property
    def sizes(self) -> dict[str, int]:
        """Samples of each split."""
        return {name: int((self.assignment == i).sum()) for i, name in enumerate(self.names)}

    @property
    def n_discarded(self) -> int:
        """Samples that are set aside."""
        return int((self.assignment == ASIDE).sum())

    def to_dict(self) -> dict[str, Any]:
        """What ``cleancut split --json`` prints."""
        kept = max(len(self.assignment) - self.n_discarded, 1)
        return {
            "n_samples": len(self.assignment),
            "n_discarded": self.n_discarded,
            "sizes": self.sizes,
            "ratios": {name: n / kept for name, n in self.sizes.items()},
            "leakage_before": self.leakage["before"],
            "leakage_after": self.leakage["after"],
            "representation": self.representation,
            "how": self.how,
            "guarantee": self.guarantee,
            "notes": self.notes,
            "signature": self.signature,
        }

    def rows(self, name: str) -> NDArray[np.int64]:
        """The samples of a split (or ``discarded``), in the order of the input."""
        if name == "discarded":
            return np.flatnonzero(self.assignment == ASIDE)
        return np.flatnonzero(self.assignment == self.names.index(name))

    def apply(self, data: Any, *, discarded: bool = False) -> Any:
        """The splits: a ``DatasetDict`` of a dataset (or of its splits), a dict of corpora of a corpus."""
        names = [*self.names, *(["discarded"] if discarded and self.n_discarded else [])]
        whole = _joined(data)
        if len(whole) != len(self.assignment):
            raise CleancutError(f"the plan is for {len(self.assignment)} samples, but {len(whole)} are given.")
        parts = {name: whole.select(self.rows(name)) for name in names}
        if isinstance(whole, Corpus):
            return parts
        import datasets

        return datasets.DatasetDict(parts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan as JSON."""
        stored = {"format": "cleancut-plan-1", "names": self.names, "fingerprint": self.fingerprint, **self.to_dict()}
        with replacing(path) as stream:
            stream.write(json.dumps({**stored, "assignment": self.assignment.tolist()}).encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SplitPlan:
        """Read a plan that ``save`` wrote."""
        try:
            with open(path, "rb") as stream:
                stored = json.load(stream)
            if stored["format"] != "cleancut-plan-1":
                raise KeyError(stored["format"])
            leakage = {"before": stored["leakage_before"], "after": stored["leakage_after"]}
            fields = {name: stored[name] for name in ("representation", "guarantee", "how", "notes", "signature")}
            assignment = np.array(stored["assignment"], np.int8)
            return cls(
                tuple(stored["names"]), assignment, leakage, fingerprint=stored["fingerprint"], **fields
            )  # fmt: skip
        except FileNotFoundError:
            raise CleancutError(f"{path}: no such file.") from None
        except (ValueError, KeyError, TypeError) as error:
            raise CleancutError(f"{path}: not a plan that SplitPlan.save wrote ({error}).") from None


def mincut(
    data: Any,
    ratios: Any = (80, 10, 10),
    *,
    seed: int = 13,
    unit: str = "sample",
    method: str = "mincut",
    engine: str = "auto",
    effort: str = "auto",
    discard: float | str = 0,
    representative: float | None = 0.9,
    min_per_type: int = 20,
    case: bool = True,
    typed: bool = True,
    duplicates_together: bool = True,
) -> SplitPlan:
    """Split so that train, validation and test share as few entities as possible (after Babil et al., Section 3.3).

    Entities are labelled, not documents: a sample whose entities carry one label belongs there; one with several is
    *mixed* and goes to the highest split it touches, or is set aside (``discard="auto"``), after which no two splits
    share any entity. ``representative`` keeps the entities per sample of the held-out splits within [R, 2 - R] of the
    corpus's, ``min_per_type`` the mentions of each type; samples without entities are dealt in proportion. The same
    set of samples and seed give the same plan in any order of rows.

    >>> samples = [[name, "spoke"] for name in ("Ada", "Bo", "Cy", "Di") for _ in range(5)]
    >>> corpus = Corpus.of(samples, tags=[["B-PER", "O"]] * 20)
    >>> plan = mincut(corpus, ratios=(50, 25, 25))
    >>> plan.sizes, plan.guarantee
    ({'train': 10, 'validation': 5, 'test': 5}, 'no entity is shared between any two splits')
    """
    from . import partition  # numba, which it imports, takes a while

    how_to = parse_choice(Method, method, "method")
    solver, polish = parse_choice(Engine, engine, "engine"), parse_choice(Effort, effort, "effort")
    originals = _originals(data)
    corpus = Corpus.concatenate(list(originals.values()))
    if not len(corpus):
        raise CleancutError("there are no samples to split.")
    names, shares = _parse_ratios(ratios, originals)
    budget = _parse_discard(discard)
    if representative is not None and not 0 <= representative <= 1:
        raise CleancutError(f"representative={representative!r} is out of range. Give a number from 0 to 1, or None.")
    exposure = Exposure.of(corpus, case=case, typed=typed)
    layout = _Layout(corpus, exposure, parse_choice(Unit, unit, "unit"), duplicates_together)
    limits = _Limits(shares, representative, min_per_type, budget == 1.0)
    if how_to is Method.MINCUT:
        assignment, how = _mincut(layout, limits, seed, solver, _proposals(polish, layout), budget)
    elif how_to is Method.COMPONENTS:
        assignment, how = _mincut(layout, limits, seed, None, _proposals(polish, layout), budget)
    elif how_to is Method.RANDOM:
        order = np.argsort(mixed(layout.unit_hash ^ np.uint64(mixed(np.array([seed], np.uint64))[0])))
        assignment, how = _dealt(layout.unit_size, order, shares * len(corpus))[layout.unit_of_sample], "random"
    else:
        weighted = how_to is Method.PAPER
        assignment, how = partition.metis_graph_split(layout.problem(limits), shares, seed, weighted), how_to.value
        assignment = layout.with_entity_less(assignment, limits, seed)
    notes = [] if partition.HAS_NUMBA else ["numba is not installed: the cut was polished less than it could be."]
    return _plan(corpus, originals, names, assignment, exposure, how, notes, limits, {
        "method": how_to.value, "unit": unit, "key": str(exposure.key), "ratios": "/".join(f"{s:.4g}" for s in shares),
        "discard": str(discard), "representative": str(representative), "min_per_type": str(min_per_type),
        "engine": solver.value, "effort": polish.value, "seed": str(seed), "platform": platform.machine(),
    })  # fmt: skip


# --- what was asked ---------------------------------------------------------------------------------------


def _originals(data: Any) -> dict[str, Corpus]:
    """The original splits; one without a name where there are none."""
    if isinstance(data, Corpus):
        return {"": data}
    if isinstance(data, Mapping):
        return {name: part if isinstance(part, Corpus) else from_dataset(part) for name, part in data.items()}
    return {"": from_dataset(data)}


def _joined(data: Any) -> Any:
    if isinstance(data, Mapping):
        parts = list(data.values())
        if all(isinstance(part, Corpus) for part in parts):
            return Corpus.concatenate(parts)
        import datasets

        return datasets.concatenate_datasets(parts)
    return data


def _parse_ratios(ratios: Any, originals: Mapping[str, Corpus]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    if isinstance(ratios, str) and ratios == "original":
        if len(originals) < 2:
            raise CleancutError("ratios='original' needs the original splits. Give them, or ratios such as 80/10/10.")
        sizes = [len(originals[name]) for name in sorted(originals, key=split_rank)]
        if len(sizes) > 3:
            raise CleancutError(f"ratios='original' with {len(sizes)} parts: give two or three splits.")
        ratios = sizes
    if isinstance(ratios, str):
        ratios = ratios.split("/")
    if not isinstance(ratios, Mapping):
        if not isinstance(ratios, Sequence) or len(ratios) not in (2, 3):
            raise CleancutError(f"ratios={ratios!r}: give two or three parts, such as (80, 10, 10) or '80/20'.")
        ratios = dict(zip(SPLITS if len(ratios) == 3 else ("train", "test"), ratios, strict=True))
    try:
        shares = np.array([float(share) for share in ratios.values()])
    except (TypeError, ValueError):
        raise CleancutError(f"ratios={ratios!r}: a part is not a number.") from None
    if len(shares) < 2 or (shares < 0).any() or not shares.sum() > 0 or not np.isfinite(shares).all():
        raise CleancutError(f"ratios={ratios!r}: give at least two parts that are not negative, not all 0.")
    return tuple(map(str, ratios)), shares / shares.sum()


def _parse_discard(discard: float | str) -> float:
    """The largest share that may be set aside; 1.0 for as much as zero sharing needs."""
    if discard == "auto":
        return 1.0
    try:
        budget = float(discard)
    except (TypeError, ValueError):
        budget = -1.0
    if not 0 <= budget < 1:
        raise CleancutError(f"discard={discard!r} is unknown. Give a share below 1, or 'auto'.")
    return budget


def _proposals(effort: Effort, layout: _Layout) -> int:
    """How many moves to try: fewer on large corpora, where each costs more."""
    if effort is Effort.FAST:
        return 0
    n_units = len(layout.unit_size)
    if effort is Effort.BEST:
        return 100_000_000
    return int(min(1_000_000 + 5_000 * n_units, 60_000_000) * min(1.0, 60_000 / n_units))


class _Limits:
    """What the splits must look like."""

    def __init__(
        self, shares: NDArray[np.float64], representative: float | None, min_per_type: int, set_aside: bool
    ) -> None:
        self.shares, self.representative, self.min_per_type = shares, representative, min_per_type
        self.set_aside = set_aside

    def type_minimum(self, totals: NDArray[np.int64]) -> NDArray[np.int64]:
        """The minimum of each type, wherever the corpus has 2.5 times as many for each held-out split."""
        held_out = int((self.shares[1:] > 0).sum())
        return np.where(totals >= 2.5 * self.min_per_type * held_out, self.min_per_type, 0).astype(np.int64)

    def density(self, average: float) -> tuple[float, float]:
        if self.representative is None:
            return 0.0, float(np.inf)
        # a little inside the band, since entity-less samples are dealt to whole numbers only
        low = self.representative + min(0.008, 1 - self.representative)
        return low * average, (2 - low) * average


# --- the corpus as a problem --------------------------------------------------------------------------------


class _Layout:
    """Units, their weights and the entities they share, numbered so that the order of rows does not matter."""

    def __init__(self, corpus: Corpus, exposure: Exposure, unit: Unit, duplicates_together: bool) -> None:
        self.corpus = corpus
        of_sample = units_of("the corpus", corpus, unit)
        if duplicates_together:
            of_sample = _merged(of_sample, distinct_samples({"": corpus})[""])
        hashes = np.zeros(int(of_sample.max()) + 1, np.uint64)
        np.add.at(hashes, of_sample, mixed(sample_hashes(corpus)))
        order = np.lexsort((np.arange(len(hashes)), hashes))
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        self.unit_of_sample, self.unit_hash = rank[of_sample], hashes[order]
        self.unit_size = np.bincount(self.unit_of_sample)
        mentions = corpus.mentions
        self.unit_of_mention = self.unit_of_sample[mentions.sample]
        self.unit_mentions = np.bincount(self.unit_of_mention, minlength=len(self.unit_size))
        self.bearing, self.empty = np.flatnonzero(self.unit_mentions), np.flatnonzero(self.unit_mentions == 0)
        self.entity = exposure.view(corpus).entity

    def problem(self, limits: _Limits) -> Problem:
        """The entity-bearing units; entities of one unit never matter, a unit that shares none is its own vertex."""
        from .partition import Incidence, Problem

        labels = self.corpus.mentions.label.astype(np.int64)
        n_units, n_types = len(self.bearing), len(self.corpus.mentions.labels)
        unit = np.searchsorted(self.bearing, self.unit_of_mention)
        _, entity = np.unique(self.entity, return_inverse=True)
        pairs = np.unique(unit * (int(entity.max(initial=0)) + 1) + entity)
        of_unit, of_entity = np.divmod(pairs, int(entity.max(initial=0)) + 1)
        shared = np.bincount(of_entity) > 1
        keep = shared[of_entity]
        number = np.cumsum(shared) - 1
        lonely = np.setdiff1d(np.arange(n_units), of_unit[keep])
        rows = np.append(of_unit[keep], lonely)
        columns = np.append(number[of_entity[keep]], int(shared.sum()) + np.arange(len(lonely)))
        n_vertices = int(shared.sum()) + len(lonely)
        # vertices are numbered by the units they touch: equal ones are interchangeable
        hashes = np.zeros(n_vertices, np.uint64)
        np.add.at(hashes, columns, mixed(self.unit_hash[self.bearing[rows]] + np.uint64(1)))
        rank = np.empty(n_vertices, np.int64)
        rank[np.argsort(hashes, kind="stable")] = np.arange(n_vertices)
        columns = rank[columns]
        types, counts = np.unique(unit * max(n_types, 1) + labels, return_counts=True)
        size, mentions = self.unit_size[self.bearing], self.unit_mentions[self.bearing]
        totals = np.bincount(labels, minlength=n_types)
        return Problem(
            Incidence.of(rows, columns, n_units),
            Incidence.of(columns, rows, n_vertices),
            size,
            mentions,
            Incidence(np.searchsorted(types // max(n_types, 1), np.arange(n_units + 1)), types % max(n_types, 1)),
            counts.astype(np.int64),
            limits.shares,
            limits.density(float(mentions.sum() / max(size.sum(), 1))),
            limits.type_minimum(totals),
            # without a floor, types only decide between cuts that are equal otherwise
            2.0 if limits.representative is not None else 0.0002,
            limits.set_aside,
        )

    def bearing_shares(self, shares: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
        """The shares of entity-bearing samples that give the shares asked for with the entity-less ones beside them."""
        empty = np.bincount(self._deal_empty(shares * self.unit_size[self.empty].sum(), seed),
                            weights=self.unit_size[self.empty], minlength=len(shares))  # fmt: skip
        wanted = np.maximum(shares * self.unit_size.sum() - empty, 0)
        return wanted / max(wanted.sum(), 1e-9)

    def _deal_empty(self, room: NDArray[np.float64], seed: int) -> NDArray[np.int64]:
        order = np.argsort(mixed(self.unit_hash[self.empty] ^ np.uint64(seed)), kind="stable")
        return _dealt(self.unit_size[self.empty], order, room)

    def with_entity_less(self, of_bearing: NDArray[np.integer], limits: _Limits, seed: int) -> NDArray[np.int64]:
        """The split of each sample: entity-less units fill each split up to its share of what is kept."""
        of_unit = np.full(len(self.unit_size), ASIDE, np.int64)
        of_unit[self.bearing] = of_bearing
        empty = self.empty
        if len(empty):
            kept = of_unit[self.bearing] != ASIDE
            sizes = np.bincount(
                of_unit[self.bearing][kept], weights=self.unit_size[self.bearing][kept], minlength=len(limits.shares)
            )
            total = sizes.sum() + self.unit_size[empty].sum()
            room = np.maximum(limits.shares * total - sizes, 0)
            room *= self.unit_size[empty].sum() / max(room.sum(), 1e-9)
            of_unit[empty] = self._deal_empty(room, seed)
        return of_unit[self.unit_of_sample]


def _merged(unit: NDArray[np.int64], duplicate: NDArray[np.int64]) -> NDArray[np.int64]:
    """Units such that neither units nor duplicates are torn apart."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    n = int(unit.max()) + 1
    total = n + int(duplicate.max()) + 1
    graph = coo_matrix((np.ones(len(unit), np.int8), (unit, n + duplicate)), shape=(total, total))
    _, found = connected_components(graph, directed=False)
    return np.unique(found[unit], return_inverse=True)[1].astype(np.int64)


def _dealt(size: NDArray[np.integer], order: NDArray[np.integer], quota: NDArray[np.float64]) -> NDArray[np.int64]:
    """Cut an order of units into consecutive parts with the quotas asked for; train last, so that it takes the rest."""
    held_out = quota[1:][quota[1:] > 0]
    large = size[order] > 0.2 * held_out.min(initial=np.inf)  # such as a sentence that stands there a hundred times
    order = np.append(order[~large], order[large])
    middle = np.cumsum(size[order]) - size[order] / 2
    bounds = np.cumsum(np.append(quota[1:], quota[0]))
    part = np.minimum(np.searchsorted(bounds, middle, side="right"), len(quota) - 1)
    of_unit = np.empty(len(size), np.int64)
    of_unit[order] = (part + 1) % len(quota)
    return of_unit


def _mincut(
    layout: _Layout, limits: _Limits, seed: int, engine: Engine | None, proposals: int, budget: float
) -> tuple[NDArray[np.int64], str]:
    from .partition import solve, split_of_units

    problem = replace(layout.problem(limits), shares=layout.bearing_shares(limits.shares, seed))
    found = solve(problem, seed=seed, engine=engine.value if engine else "none", proposals=proposals)
    split, is_mixed = split_of_units(problem, found.labels)
    if limits.set_aside:
        split = np.where(is_mixed, ASIDE, split)
    elif budget and is_mixed.any():
        # of what the budget allows, the units first that free most samples
        room = int(budget * len(layout.corpus))
        units = np.flatnonzero(is_mixed)
        order = units[np.argsort(problem.size[units], kind="stable")]
        split[order[np.cumsum(problem.size[order]) <= room]] = ASIDE
    return layout.with_entity_less(split, limits, seed), found.how


# --- what came of it ----------------------------------------------------------------------------------------


def _plan(
    corpus: Corpus, originals: Mapping[str, Corpus], names: tuple[str, ...], assignment: NDArray[np.int64],
    exposure: Exposure, how: str, notes: list[str], limits: _Limits, settings: Mapping[str, str],
) -> SplitPlan:  # fmt: skip
    parts = {name: corpus.select(assignment == i) for i, name in enumerate(names)}
    after = _leakage(parts, exposure)  # from scratch: the solver's own count is never trusted
    before = _leakage(originals, exposure) if len(originals) > 1 else {}
    representation, more = _representation(corpus, parts, limits)
    fingerprint = f"{int(sample_hashes(corpus).sum(dtype=np.uint64)):016x}"
    guarantee = _guarantee(after, names)
    largest = _largest_group(corpus, exposure)
    if guarantee != NOTHING_SHARED:
        notes = [*notes, largest]
    signature = "|".join(["split", *(f"{k}:{v}" for k, v in settings.items()), f"v:{__version__}"])
    return SplitPlan(
        names, assignment.astype(np.int8), {"before": before, "after": after}, representation, guarantee, how,
        notes + more, signature, fingerprint,
    )  # fmt: skip


def _leakage(splits: Mapping[str, Corpus], like: Exposure) -> dict[str, dict[str, Any]]:
    key = like.key
    shown = {name: Exposure.of(part, case=key.case, typed=key.typed) for name, part in splits.items()}
    return contamination(splits, shown)


NOTHING_SHARED = "no entity is shared between any two splits"


def _guarantee(after: Mapping[str, Mapping[str, Any]], names: tuple[str, ...]) -> str:
    if not any(row["n_partial"] for row in after.values()):
        return NOTHING_SHARED
    parts = [
        f"{row['n_partial']} of {row['n_samples']} {later} samples share an entity with {earlier}"
        for i, later in enumerate(names)
        for earlier in names[:i]
        if (row := after[f"{later}_vs_{earlier}"])["n_partial"]
    ]
    return "; ".join(parts)


def _largest_group(corpus: Corpus, exposure: Exposure) -> str:
    """The certificate: nothing shared without setting aside needs a train share of at least this."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    entity = np.unique(exposure.view(corpus).entity, return_inverse=True)[1]
    sample = corpus.mentions.sample
    n = len(corpus)
    total = n + int(entity.max(initial=-1)) + 1
    graph = coo_matrix((np.ones(len(sample), np.int8), (sample, n + entity)), shape=(total, total))
    _, found = connected_components(graph, directed=False)
    bearing = np.unique(sample)
    largest = np.bincount(found[bearing]).max(initial=0)
    share = 100 * largest / max(len(bearing), 1)
    return (
        f"{share:.1f}% of the samples with entities hang together by shared entities. To share nothing without setting "
        "samples aside, one split would have to hold them all."
    )


def _representation(
    corpus: Corpus, parts: Mapping[str, Corpus], limits: _Limits
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    mentions = corpus.mentions
    totals = np.bincount(mentions.label, minlength=len(mentions.labels))
    minimum = dict(zip(mentions.labels, limits.type_minimum(totals).tolist(), strict=True))
    density, bearing = _density(corpus)
    found: dict[str, dict[str, Any]] = {}
    notes = []
    for i, (name, part) in enumerate(parts.items()):
        of_part, bearing_part = _density(part)
        counts = dict.fromkeys(mentions.labels, 0)
        for label, n in zip(part.mentions.labels, np.bincount(part.mentions.label).tolist(), strict=False):
            counts[label] = n
        below = [label for label in counts if i and counts[label] < minimum[label]]
        found[name] = {
            "entities_per_sample_ratio": of_part / density if density else float("nan"),
            "entity_bearing_ratio": bearing_part / bearing if bearing else float("nan"),
            "min_type_count": min(counts.values(), default=0),
            "types_below_min": below,
            "type_counts": counts,
        }
        if below:
            notes.append(f"{name} has fewer than {limits.min_per_type} mentions of {', '.join(below[:8])}.")
    rare = [label for label, least in minimum.items() if not least and limits.min_per_type]
    if rare:
        notes.append(
            f"Too rare for a minimum of {limits.min_per_type} in each held-out split: {', '.join(rare[:8])}"
            f"{' and others' if len(rare) > 8 else ''}."
        )
    return found, notes


def _density(corpus: Corpus) -> tuple[float, float]:
    """Mentions per sample, and the share of samples that have any."""
    n = max(len(corpus), 1)
    return len(corpus.mentions) / n, len(np.unique(corpus.mentions.sample)) / n
