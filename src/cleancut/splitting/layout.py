"""From a corpus to a cut: what is split as a problem for the solver, what the splits must look like, and what goes.

``solver`` knows arrays only; here samples are arranged for it, and its answer is made a split of every sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import bounds_of
from ..core.entities import Shared
from ..core.hashing import fingerprint_of, marks_of, order_of
from ..core.vocabulary import mixed
from .audit import Pair, contamination
from .components import group_sizes
from .incidence import Incidences
from .quotas import dealt, filled
from .strata import Strata

if TYPE_CHECKING:
    from .solver import Problem, Solution

_SHARED_IN_WORDS = {
    Shared.ENTITY: ("entities", "entities"),
    Shared.PAIR: ("relations", "pairs"),
    Shared.TRIPLE: ("relations", "triples"),
}
"""What a sample has, and what it shares by that."""
DISCARDED = -1
"""The assignment of a sample that is discarded."""


class Limits:
    """What the splits must look like."""

    def __init__(
        self, shares: NDArray[np.float64], representative: float | None, min_per_type: int, type_share: float | None
    ) -> None:
        self.shares, self.representative, self.min_per_type = shares, representative, min_per_type
        self.type_share = type_share

    def type_minimum(self, totals: NDArray[np.int64]) -> NDArray[np.int64]:
        """The minimum of each type, wherever the corpus has 2.5 times as many for each held-out split."""
        held_out = int((self.shares[1:] > 0).sum())
        return np.where(totals >= 2.5 * self.min_per_type * held_out, self.min_per_type, 0).astype(np.int64)

    def minimum(self, types: NDArray[np.int64], kept: float, strata: NDArray[np.int64]) -> NDArray[np.int64]:
        """The least count of each type (of which a share is kept), and then of each stratum, in each split.

        The size of a split is fixed: where no stratum has too few samples, none can have too many; so that what the
        others are allowed does not add up in a small one, they are allowed none where samples go.
        """
        fair = (self.type_share or 0.0) * self.shares[:, None] * kept * types
        within = np.floor((self.shares[:, None] - (0.0005 if kept == 1 else 0.0)) * strata)
        return np.hstack([np.maximum(self.type_minimum(types), np.floor(fair)), np.maximum(within, 0)]).astype(np.int64)

    def weight(self, n_types: int, n_strata: int) -> NDArray[np.float64]:
        """What one short of a minimum weighs; without a floor, types only decide between cuts that are equal else.

        Strata are ratios, which come before all but sharing.
        """
        asked = self.representative is not None or self.type_share is not None
        return np.repeat([2.0 if asked else 0.0002, 5.0], [n_types, n_strata])

    def density(self, average: float) -> tuple[float, float]:
        if self.representative is None:
            return 0.0, float(np.inf)
        # a little inside the band, since entity-less samples are dealt to whole numbers only
        low = self.representative + min(0.005, 1 - self.representative)
        return low * average, (2 - low) * average


# --- the corpus as a problem --------------------------------------------------------------------------------


class Layout:
    """Units, their weights and the entities they share, numbered so that the order of rows does not matter."""

    def __init__(self, corpus: Incidences, strata: Strata) -> None:
        self.corpus, self.strata = corpus, strata
        self.fingerprint, self.order = fingerprint_of(corpus.hash), order_of(corpus.hash)
        self.marks = marks_of(corpus.hash)
        hashes = np.zeros(int(corpus.unit.max()) + 1, np.uint64)
        np.add.at(hashes, corpus.unit, mixed(corpus.hash + strata.of_sample.astype(np.uint64)))
        order = np.argsort(hashes, kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        self.unit_of_sample, self.unit_hash = rank[corpus.unit], hashes[order]
        self.unit_size = np.bincount(self.unit_of_sample)
        self.unit_of_mention = self.unit_of_sample[corpus.sample].astype(np.int32)
        self.unit_mentions = np.bincount(self.unit_of_mention, minlength=len(self.unit_size))
        self.bearing, self.empty = np.flatnonzero(self.unit_mentions), np.flatnonzero(self.unit_mentions == 0)
        self.carrier, self.entity = corpus.carrier, corpus.entity
        self.unit_stratum = np.zeros(len(self.unit_size), np.int64)  # of a unit with several, the last
        np.maximum.at(self.unit_stratum, self.unit_of_sample, strata.of_sample)

    def problem(self, limits: Limits) -> Problem:
        """The entity-bearing units; entities of one unit never matter, a unit that shares none is its own vertex."""
        from .solver import Incidence, Problem

        n_units, n_types, n_strata = len(self.bearing), len(self.corpus.labels), self._n_strata
        number = np.cumsum(self.unit_mentions > 0) - 1
        unit, n_counted = number[self.unit_of_mention], max(n_types + n_strata, 1)
        types = unit * n_counted + self.corpus.label
        if n_strata:  # a stratum is one more type, of which each sample is a mention
            sample = np.flatnonzero(self.unit_mentions[self.unit_of_sample] > 0)
            strata = n_types + self.strata.of_sample[sample]
            types = np.append(types, number[self.unit_of_sample[sample]] * n_counted + strata)
        types, counts = np.unique(types, return_counts=True)
        del unit
        n_entities = int(self.entity.max(initial=0)) + 1
        pairs = number[self.unit_of_sample[self.carrier]]  # in place from here on: these are the largest arrays of all
        pairs *= n_entities
        pairs += self.entity
        pairs.sort()
        pairs = pairs[np.append(True, pairs[1:] > pairs[:-1])[: len(pairs)]]
        of_unit, of_entity = np.divmod(pairs, n_entities)
        del pairs
        shared = np.bincount(of_entity) > 1
        keep = shared[of_entity]
        number = np.cumsum(shared) - 1
        lonely = np.flatnonzero(np.bincount(of_unit[keep], minlength=n_units) == 0)
        rows = np.append(of_unit[keep], lonely)
        columns = np.append(number[of_entity[keep]], int(shared.sum()) + np.arange(len(lonely)))
        n_vertices = int(shared.sum()) + len(lonely)
        del of_entity, keep
        # vertices are numbered by the units they touch: equal ones are interchangeable
        hashes = np.zeros(n_vertices, np.uint64)
        np.add.at(hashes, columns, mixed(self.unit_hash[self.bearing[rows]] + np.uint64(1)))
        rank = np.empty(n_vertices, np.int64)
        rank[np.argsort(hashes, kind="stable")] = np.arange(n_vertices)
        columns = rank[columns]
        of_unit, of_type = np.divmod(types, n_counted)
        size, mentions = self.unit_size[self.bearing], self.unit_mentions[self.bearing]
        return Problem(
            Incidence.of(rows, columns, n_units),
            Incidence.of(columns, rows, n_vertices),
            size,
            mentions,
            Incidence(bounds_of(np.bincount(of_unit, minlength=n_units)), of_type.astype(np.int32)),
            counts.astype(np.int64),
            limits.shares,
            limits.density(float(mentions.sum() / max(size.sum(), 1))),
            self._minimum(limits),
            limits.weight(n_types, n_strata),
            connected=self.corpus.connected and partial(self.corpus.connected, self.unit_hash[self.bearing]),
        )

    @property
    def _n_strata(self) -> int:
        """0 where nothing is stratified."""
        return len(self.strata.values) if len(self.strata.values) > 1 else 0

    def _minimum(self, limits: Limits, discarded: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        bearing = self.unit_mentions[self.unit_of_sample] > 0
        n_strata = self._n_strata
        types = np.bincount(self.corpus.label, minlength=len(self.corpus.labels))
        share = 1.0
        if discarded is not None:
            share -= self.unit_size[self.bearing[discarded]].sum() / max(int(bearing.sum()), 1)
            bearing &= ~np.isin(self.unit_of_sample, self.bearing[discarded])
        strata = np.bincount(self.strata.of_sample[bearing], minlength=n_strata)[:n_strata]
        return limits.minimum(types, share, strata)

    def quotas(self, limits: Limits, seed: int, discarded: NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """What the solver is to meet where some of the entity-bearing units are discarded."""
        n_discarded = 0 if discarded is None else int(self.unit_size[self.bearing[discarded]].sum())
        shares = self.bearing_shares(limits.shares, seed, n_discarded)
        return {"shares": shares, "type_minimum": self._minimum(limits, discarded)}

    def leakage(self, names: tuple[str, ...], split_of_sample: NDArray[np.integer]) -> dict[Pair, dict[str, Any]]:
        """Every ordered pair of splits, by sample, as the audit computes it."""
        samples = np.arange(len(self.corpus))
        return contamination(names, split_of_sample, samples, self.carrier, self.entity)

    def largest_group(self) -> str:
        """The certificate: nothing shared without discarding needs a train share of at least this."""
        sizes = group_sizes(self.carrier, self.entity)
        share = 100 * sizes.max(initial=0) / max(sizes.sum(), 1)
        carriers, shared = _SHARED_IN_WORDS[self.corpus.what]
        return (
            f"{share:.1f}% of the samples with {carriers} hang together by shared {shared}. To share nothing without "
            "setting samples aside, one split would have to hold them all."
        )

    def bearing_shares(self, shares: NDArray[np.float64], seed: int, n_discarded: int = 0) -> NDArray[np.float64]:
        """The shares of entity-bearing samples that give the shares asked for with the entity-less ones beside them.

        Where entity-bearing samples are discarded, the held-out splits keep the share of them that the corpus has.
        """
        sizes = self.unit_size[self.empty]
        total, n_empty = int(self.unit_size.sum()), int(sizes.sum())
        of_empty = self._deal_empty(self._empty_quota(shares, n_discarded), seed)
        wanted = shares * (total - n_discarded) - np.bincount(of_empty, weights=sizes, minlength=len(shares))
        wanted[0] = max(total - n_discarded - n_empty - np.maximum(wanted[1:], 0).sum(), 0)
        wanted = np.where(shares > 0, np.maximum(wanted, 0), 0)  # a share of 0 is 0, whatever rounding leaves
        return wanted / wanted.sum() if wanted.any() else shares

    def _empty_quota(
        self, shares: NDArray[np.float64], n_discarded: int, stratum: int | None = None
    ) -> NDArray[np.float64]:
        """Entity-less samples of each split (in a stratum), the held-out ones in proportion to their size."""
        size = self.unit_size if stratum is None else self.unit_size * (self.unit_stratum == stratum)
        total, n_empty = int(size.sum()), int(size[self.empty].sum())
        kept = total - n_discarded if shares[0] > 0 else total  # without train, nobody takes what is left
        quota = shares * kept * n_empty / max(total, 1)
        return np.append(n_empty - quota[1:].sum(), quota[1:])

    def _deal_empty(
        self, room: NDArray[np.float64], seed: int, units: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        units = self.empty if units is None else units
        order = np.argsort(mixed(self.unit_hash[units] ^ np.uint64(seed)), kind="stable")
        return dealt(self.unit_size[units], order, room)

    def with_entity_less(self, of_bearing: NDArray[np.integer], limits: Limits, seed: int) -> NDArray[np.int64]:
        """The split of each sample: entity-less units fill each split up to its share of what is kept, by stratum."""
        of_unit = np.full(len(self.unit_size), DISCARDED, np.int64)
        of_unit[self.bearing] = of_bearing
        owed = np.zeros(len(limits.shares))  # what rounding takes in one stratum comes back in others
        for stratum in range(len(self.strata.values)):
            inside = self.unit_stratum == stratum
            empty, bearing = self.empty[inside[self.empty]], self.bearing[inside[self.bearing]]
            bearing = bearing[of_unit[bearing] != DISCARDED]
            sizes = np.bincount(of_unit[bearing], weights=self.unit_size[bearing], minlength=len(limits.shares))
            n_empty = self.unit_size[empty].sum()
            total = sizes.sum() + n_empty
            exact = limits.shares * total - sizes
            room = np.maximum(exact + owed.clip(-1, 1), 0)
            owed += exact
            if not len(empty):
                continue
            fair = self._empty_quota(limits.shares, int(self.unit_size[inside].sum() - total), stratum)
            if not room.any() or (np.abs(room - fair) <= min(1.5, 0.0015 * total)).all():
                room = fair  # the rest is not worth another proportion
            room *= n_empty / max(room.sum(), 1e-9)
            of_unit[empty] = given = self._deal_empty(room, seed, empty)
            owed -= np.bincount(given, weights=self.unit_size[empty], minlength=len(room))
        return of_unit[self.unit_of_sample]


def cut(
    layout: Layout, limits: Limits, seed: int, engine: str, proposals: int, discard_share: float,
    progress: Callable[[float], None] | None,
) -> tuple[NDArray[np.int64], str]:  # fmt: skip
    """The split of each sample, and how it was found."""
    from . import solver
    from .placement import placed

    problem = replace(layout.problem(limits), **layout.quotas(limits, seed))
    options: dict[str, Any] = {"seed": seed, "engine": engine, "proposals": proposals}
    most_discarded = int(discard_share * len(layout.corpus))

    left = 1.0

    def told(share: float) -> None:
        nonlocal left
        if progress:
            progress(share)
            left -= share

    def part(share: float) -> Callable[[float], None]:
        """Tells so much of a part that is a share of all."""
        return lambda of_part: told(share * of_part)

    most = 1.0 if not most_discarded else 0.8 if discard_share >= 1 else 0.4
    found = solver.solve(replace(problem, discards=most_discarded > 0), **options, progress=part(most))
    order, discarded, rest = layout.unit_hash[layout.bearing], np.zeros(len(problem.size), bool), problem
    if most_discarded and solver.n_mixed(problem, found):

        def kept(found: Solution) -> Problem:
            """Return the quotas that remain once discarded units are removed."""
            without = _first_discarded(problem, found, discarded, order, most_discarded)
            return replace(problem, **layout.quotas(limits, seed, without), discards=True)

        for nth in range(2):  # what goes decides how much of all is left, and so what is to hold for the rest
            found = solver.settled(kept(found), found, proposals // 8, seed + 4 + nth)
        if solver.n_mixed(problem, found) <= most_discarded:
            discarded = _first_discarded(problem, found, discarded, order, most_discarded)
            rest = replace(problem.without(discarded), **layout.quotas(limits, seed, discarded))
        else:  # another way is to cut while all counts
            start = solver.solve(problem, **options, progress=part(0.3))
            rounds = [*_rounds(layout, limits, problem, found, most_discarded, proposals, seed)]
            rounds += _rounds(layout, limits, problem, start, most_discarded, proposals, seed)
            found, discarded, rest = min(rounds, key=lambda each: each[0].cost)
    split = solver.split_of_units(problem, found.labels)[0]
    if engine != "none" and discard_share < 1:  # else nothing may be shared, whatever that does to the ratios
        split = _levelled(rest, split, order)
    if limits.shares[0] == 0:  # parts of equal standing
        if not most_discarded:
            split = placed(problem, split, proposals // 2, seed + 7)
        elif discard_share >= 1:
            discarded |= split == 0
    told(left)
    return layout.with_entity_less(np.where(discarded, DISCARDED, split), limits, seed), found.how


def _rounds(
    layout: Layout, limits: Limits, problem: Problem, found: Solution, most_discarded: int, proposals: int, seed: int
) -> Iterator[tuple[Solution, NDArray[np.bool_], Problem]]:
    """Cuts without what goes, and the rest: another cut may leave others to go."""
    from . import solver

    order, discarded = layout.unit_hash[layout.bearing], np.zeros(len(problem.size), bool)
    for nth in range(3):
        discarded = _first_discarded(problem, found, discarded, order, most_discarded)
        rest = replace(problem.without(discarded), **layout.quotas(limits, seed, discarded))
        found = solver.polished(rest, found, proposals // 8, seed + 5 + nth)
        found = solver.settled(rest, found, proposals // 10, seed + 8 + nth)
        yield found, discarded, rest


def _first_discarded(
    problem: Problem, found: Solution, discarded: NDArray[np.bool_], order: NDArray[np.uint64], most_discarded: int
) -> NDArray[np.bool_]:
    """As many mixed units as may be discarded: those that went before, then those that share an entity with train.

    Of these the ones with few mentions, since others with as many would have to take their place.
    """
    from . import solver

    with_train = np.zeros(len(discarded), bool)
    with_train[problem.unit_vertices.rows()[found.labels[problem.unit_vertices.columns] == 0]] = True
    several = np.flatnonzero(solver.split_of_units(problem, found.labels)[1])
    keys = (order, problem.mentions, ~with_train, ~discarded)
    first = several[np.lexsort([key[several] for key in keys])]
    return filled(problem.size, first, np.array([0.0, most_discarded])) > 0


def _levelled(problem: Problem, split: NDArray[np.int64], order: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Single units moved to meet the quotas where the labels of entities cannot: one entity may be everywhere."""
    size, quota = problem.size, problem.shares * problem.size.sum()
    surplus = np.bincount(split, weights=size, minlength=len(quota)) - quota
    if (np.abs(surplus) <= max(0.003 * size.sum(), 1)).all():
        return split
    rows, degree = problem.unit_vertices, np.diff(problem.vertex_units.bounds)
    others = np.add.reduceat(degree[rows.columns], rows.bounds[:-1])
    rank = np.lexsort((order, others))  # first what shares with the fewest
    moved = np.zeros(len(size), bool)
    for s in np.flatnonzero(surplus > 0):
        moved |= filled(size, rank[split[rank] == s], np.array([0.0, surplus[s]])) > 0
    free = rank[moved[rank]]
    split[free] = dealt(size[free], np.arange(len(free)), np.maximum(-surplus, 0))
    return split
