"""The way from a corpus to a cut: the problem that the solver gets, the limits of the splits, and the discarded units.

``solver`` knows arrays only. Here samples are arranged for it, and its answer is turned into a split of every sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core import checks
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
    from .solver import Incidence, Problem, Solution

_SHARED_IN_WORDS = {
    Shared.ENTITY: ("entities", "entities"),
    Shared.PAIR: ("relations", "pairs"),
    Shared.TRIPLE: ("relations", "triples"),
}
"""The plural of what a sample has, and of what it shares, for sentences."""
DISCARDED = -1
"""The number of the split of a discarded sample."""


@dataclass(frozen=True, eq=False)
class Limits:
    """The requirements that the splits should meet."""

    shares: NDArray[np.float64]
    """The share of the samples that each split should get, train first."""
    representative: float | None
    """The density floor: the least entities per sample of a held-out split, against the corpus; None for no floor."""
    min_per_type: int
    """The least number of mentions of each type in a held-out split."""
    type_share: float | None
    """The share of its fair number of mentions of each type that a held-out split keeps; None for any."""

    def type_minimum(self, totals: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return ``min_per_type`` for each type, or 0 for types that are too rare to be asked for.

        A type is common enough if the corpus has 2.5 times the minimum for each held-out split.
        """
        n_held_out = int((self.shares[1:] > 0).sum())
        is_common = totals >= 2.5 * self.min_per_type * n_held_out
        return np.where(is_common, self.min_per_type, 0).astype(np.int64)

    def minimum(self, types: NDArray[np.int64], kept: float, strata: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the least count of each type, and then of each stratum, as a table with a row for each split.

        No largest count is needed for strata: the size of a split is fixed, so that where no stratum has too few
        samples, none can have too many.

        Args:
            types: the number of mentions of each type.
            kept: the share of the entity-bearing samples that is not discarded.
            strata: the number of kept samples of each stratum; empty where nothing is stratified.
        """
        fair_types = (self.type_share or 0.0) * self.shares[:, None] * kept * types
        least_types = np.maximum(self.type_minimum(types), np.floor(fair_types))
        # Where samples are discarded there is no tolerance: those of all strata would add up in a small one.
        tolerance = 0.0005 if kept == 1 else 0.0
        least_strata = np.maximum(np.floor((self.shares[:, None] - tolerance) * strata), 0)
        return np.hstack([least_types, least_strata]).astype(np.int64)

    def weight(self, n_types: int, n_strata: int) -> NDArray[np.float64]:
        """Return the cost of one mention (or sample of a stratum) below its minimum, in mixed samples.

        Without a density floor, types only decide between cuts that are otherwise equal. Strata are ratios, which come
        before everything but sharing.
        """
        asks_for_types = self.representative is not None or self.type_share is not None
        type_weight = 2.0 if asks_for_types else 0.0002
        return np.repeat([type_weight, 5.0], [n_types, n_strata])

    def density(self, average: float) -> tuple[float, float]:
        """Return the least and the greatest mentions per sample of a held-out split, from those of the corpus."""
        if self.representative is None:
            return 0.0, float(np.inf)
        # The band is a little narrower than asked for, since entity-less samples can only be dealt as whole samples.
        low = self.representative + min(0.005, 1 - self.representative)
        return low * average, (2 - low) * average


# --- the corpus as a problem --------------------------------------------------------------------------------


class Layout:
    """The units of a corpus, with their sizes and entities, numbered so that the order of rows does not matter.

    An *entity-bearing* unit has a mention; the others are *empty*. The solver sees entity-bearing units only, and
    empty ones fill the splits up afterwards.
    """

    def __init__(self, corpus: Incidences, strata: Strata) -> None:
        self.corpus = corpus
        self.strata = strata
        self.fingerprint = fingerprint_of(corpus.hash)
        self.order = order_of(corpus.hash)
        self.marks = marks_of(corpus.hash)
        hashes = np.zeros(int(corpus.unit.max()) + 1, np.uint64)
        np.add.at(hashes, corpus.unit, mixed(corpus.hash + strata.of_sample.astype(np.uint64)))
        order = np.argsort(hashes, kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        self.unit_of_sample = rank[corpus.unit]
        self.unit_hash = hashes[order]
        self.unit_size = np.bincount(self.unit_of_sample)
        self.unit_of_mention = self.unit_of_sample[corpus.sample].astype(np.int32)
        self.unit_mentions = np.bincount(self.unit_of_mention, minlength=len(self.unit_size))
        self.bearing = np.flatnonzero(self.unit_mentions)
        self.empty = np.flatnonzero(self.unit_mentions == 0)
        self.carrier = corpus.carrier
        self.entity = corpus.entity
        self.unit_stratum = np.zeros(len(self.unit_size), np.int64)  # a unit with several strata counts as the last
        np.maximum.at(self.unit_stratum, self.unit_of_sample, strata.of_sample)

    def problem(self, limits: Limits) -> Problem:
        """Return the problem of cutting the entity-bearing units.

        An entity that only one unit has can never be shared, and is left out. A unit that shares no entity at all
        becomes a vertex of its own, so that it can still be assigned.
        """
        from .solver import Incidence, Problem

        n_units = len(self.bearing)
        types_of_units, type_counts = self._types_of_units()
        n_vertices, units, vertices = self._shared_vertices()
        size = self.unit_size[self.bearing]
        mentions = self.unit_mentions[self.bearing]
        connected = self.corpus.connected
        return Problem(
            unit_vertices=Incidence.of(units, vertices, n_units),
            vertex_units=Incidence.of(vertices, units, n_vertices),
            size=size,
            mentions=mentions,
            unit_types=types_of_units,
            type_counts=type_counts,
            shares=limits.shares,
            density=limits.density(float(mentions.sum() / max(size.sum(), 1))),
            type_minimum=self._minimum(limits),
            type_weight=limits.weight(len(self.corpus.labels), self._n_strata),
            connected=connected and partial(connected, self.unit_hash[self.bearing]),
        )

    def _bearing_number(self) -> NDArray[np.int64]:
        """Return for each unit its number among the entity-bearing units."""
        return np.cumsum(self.unit_mentions > 0) - 1

    def _types_of_units(self) -> tuple[Incidence, NDArray[np.int64]]:
        """Return the types of each entity-bearing unit, and the number of its mentions of each of them.

        A stratum is one more type, of which each of its samples counts as a mention.
        """
        from .solver import Incidence

        number = self._bearing_number()
        n_types = len(self.corpus.labels)
        n_counted = max(n_types + self._n_strata, 1)
        pairs = number[self.unit_of_mention] * n_counted + self.corpus.label
        if self._n_strata:
            sample = np.flatnonzero(self.unit_mentions[self.unit_of_sample] > 0)
            strata = n_types + self.strata.of_sample[sample]
            pairs = np.append(pairs, number[self.unit_of_sample[sample]] * n_counted + strata)
        pairs, counts = np.unique(pairs, return_counts=True)
        unit_of_pair, type_of_pair = np.divmod(pairs, n_counted)
        bounds = bounds_of(np.bincount(unit_of_pair, minlength=len(self.bearing)))
        return Incidence(bounds, type_of_pair.astype(np.int32)), counts.astype(np.int64)

    def _shared_vertices(self) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
        """Return the number of vertices, and the unit and the vertex of each pair of a unit with one of its vertices.

        Arrays are changed in place and deleted early, since they are the largest ones of a split.
        """
        n_entities = int(self.entity.max(initial=0)) + 1
        pairs = self._bearing_number()[self.unit_of_sample[self.carrier]]
        pairs *= n_entities
        pairs += self.entity
        pairs.sort()
        is_first = np.append(True, pairs[1:] > pairs[:-1])[: len(pairs)]
        pairs = pairs[is_first]
        del is_first
        unit_of_pair, entity_of_pair = np.divmod(pairs, n_entities)
        del pairs
        is_shared = np.bincount(entity_of_pair) > 1
        keep = is_shared[entity_of_pair]
        n_shared = int(is_shared.sum())
        vertex_of_entity = np.cumsum(is_shared) - 1
        lonely = np.flatnonzero(np.bincount(unit_of_pair[keep], minlength=len(self.bearing)) == 0)
        units = np.append(unit_of_pair[keep], lonely)
        vertices = np.append(vertex_of_entity[entity_of_pair[keep]], n_shared + np.arange(len(lonely)))
        n_vertices = n_shared + len(lonely)
        del unit_of_pair, entity_of_pair, keep
        # Vertices are numbered by the units they touch, so that the order of rows does not matter; two vertices that
        # touch the same units are interchangeable.
        hashes = np.zeros(n_vertices, np.uint64)
        np.add.at(hashes, vertices, mixed(self.unit_hash[self.bearing[units]] + np.uint64(1)))
        rank = np.empty(n_vertices, np.int64)
        rank[np.argsort(hashes, kind="stable")] = np.arange(n_vertices)
        return n_vertices, units, rank[vertices]

    @property
    def _n_strata(self) -> int:
        """The number of strata; 0 where nothing is stratified."""
        return len(self.strata.values) if len(self.strata.values) > 1 else 0

    def _minimum(self, limits: Limits, discarded: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Return the least counts of types and strata where some of the entity-bearing units are discarded."""
        is_bearing = self.unit_mentions[self.unit_of_sample] > 0
        n_strata = self._n_strata
        types = np.bincount(self.corpus.label, minlength=len(self.corpus.labels))
        kept = 1.0
        if discarded is not None:
            kept -= self.unit_size[self.bearing[discarded]].sum() / max(int(is_bearing.sum()), 1)
            is_bearing &= ~np.isin(self.unit_of_sample, self.bearing[discarded])
        strata = np.bincount(self.strata.of_sample[is_bearing], minlength=n_strata)[:n_strata]
        return limits.minimum(types, kept, strata)

    def quotas(self, limits: Limits, seed: int, discarded: NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """Return the fields of a ``Problem`` that depend on which entity-bearing units are discarded."""
        n_discarded = 0 if discarded is None else int(self.unit_size[self.bearing[discarded]].sum())
        shares = self.bearing_shares(limits.shares, seed, n_discarded)
        return {"shares": shares, "type_minimum": self._minimum(limits, discarded)}

    def leakage(self, names: tuple[str, ...], split_of_sample: NDArray[np.integer]) -> dict[Pair, dict[str, Any]]:
        """Return the contamination of every ordered pair of splits by sample, as the audit computes it."""
        samples = np.arange(len(self.corpus))
        return contamination(names, split_of_sample, samples, self.carrier, self.entity)

    def largest_group(self) -> str:
        """Return a sentence that says why splits share entities: how large the largest connected group is."""
        sizes = group_sizes(self.carrier, self.entity)
        share = 100 * sizes.max(initial=0) / max(sizes.sum(), 1)
        carriers, shared = _SHARED_IN_WORDS[self.corpus.what]
        return (
            f"{share:.1f}% of the samples with {carriers} are connected by shared {shared}. To share nothing without "
            "discarding samples, one split would have to hold them all."
        )

    def bearing_shares(self, shares: NDArray[np.float64], seed: int, n_discarded: int = 0) -> NDArray[np.float64]:
        """Return the shares of entity-bearing samples for which all samples, empty ones included, meet their shares.

        Where entity-bearing samples are discarded, held-out splits keep the corpus's share of entity-bearing samples.

        Args:
            shares: the shares of all samples that were asked for.
            seed: the seed by which empty units are dealt.
            n_discarded: the number of entity-bearing samples that are discarded.
        """
        sizes = self.unit_size[self.empty]
        total, n_empty = int(self.unit_size.sum()), int(sizes.sum())
        split_of_empty = self._deal_empty(self._empty_quota(shares, n_discarded), seed)
        dealt_sizes = np.bincount(split_of_empty, weights=sizes, minlength=len(shares))
        wanted = shares * (total - n_discarded) - dealt_sizes
        wanted[0] = max(total - n_discarded - n_empty - np.maximum(wanted[1:], 0).sum(), 0)
        wanted = np.where(shares > 0, np.maximum(wanted, 0), 0)  # a share of 0 is 0, whatever rounding leaves
        return wanted / wanted.sum() if wanted.any() else shares

    def _empty_quota(
        self, shares: NDArray[np.float64], n_discarded: int, stratum: int | None = None
    ) -> NDArray[np.float64]:
        """Return the number of empty samples (of a stratum) that each split should get, in proportion to its share."""
        size = self.unit_size if stratum is None else self.unit_size * (self.unit_stratum == stratum)
        total, n_empty = int(size.sum()), int(size[self.empty].sum())
        n_kept = total - n_discarded if shares[0] > 0 else total  # without train, no split takes what is left
        quota = shares * n_kept * n_empty / max(total, 1)
        return np.append(n_empty - quota[1:].sum(), quota[1:])

    def _deal_empty(
        self, room: NDArray[np.float64], seed: int, units: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Return the split of each empty unit (or of some of them), dealt in random order into the given room."""
        units = self.empty if units is None else units
        order = np.argsort(mixed(self.unit_hash[units] ^ np.uint64(seed)), kind="stable")
        return dealt(self.unit_size[units], order, room)

    def with_entity_less(self, of_bearing: NDArray[np.integer], limits: Limits, seed: int) -> NDArray[np.int64]:
        """Return the split of each sample, from the split of each entity-bearing unit.

        Within each stratum, empty units fill every split up to its share of the samples that are kept.
        """
        split_of_unit = np.full(len(self.unit_size), DISCARDED, np.int64)
        split_of_unit[self.bearing] = of_bearing
        owed = np.zeros(len(limits.shares))  # what rounding takes from a split in one stratum, it gets in others
        for stratum in range(len(self.strata.values)):
            inside = self.unit_stratum == stratum
            empty = self.empty[inside[self.empty]]
            bearing = self.bearing[inside[self.bearing]]
            bearing = bearing[split_of_unit[bearing] != DISCARDED]
            sizes = np.bincount(split_of_unit[bearing], weights=self.unit_size[bearing], minlength=len(limits.shares))
            n_empty = self.unit_size[empty].sum()
            total = sizes.sum() + n_empty
            exact = limits.shares * total - sizes
            room = np.maximum(exact + owed.clip(-1, 1), 0)
            owed += exact
            if not len(empty):
                continue
            fair = self._empty_quota(limits.shares, int(self.unit_size[inside].sum() - total), stratum)
            # Small differences are not worth another proportion of empty samples than that of the corpus.
            if not room.any() or (np.abs(room - fair) <= min(1.5, 0.0015 * total)).all():
                room = fair
            room *= n_empty / max(room.sum(), 1e-9)
            split_of_empty = self._deal_empty(room, seed, empty)
            split_of_unit[empty] = split_of_empty
            owed -= np.bincount(split_of_empty, weights=self.unit_size[empty], minlength=len(room))
        return split_of_unit[self.unit_of_sample]


def cut(
    layout: Layout,
    limits: Limits,
    seed: int,
    engine: str,
    proposals: int,
    discard_share: float,
    progress: Callable[[float], None] | None,
) -> tuple[NDArray[np.int64], str]:
    """Search for a cut with few shared entities.

    Args:
        layout: the units of the corpus.
        limits: the requirements that the splits should meet.
        seed: the seed of the random choices.
        engine: the engine that cuts where whole components cannot be packed; ``none`` for no cut.
        proposals: the number of moves that the search tries.
        discard_share: the largest share of the samples to discard; 1.0 for as many as it takes to share nothing.
        progress: called with the share of the work done since it was called last.

    Returns:
        The split of each sample, and a word that says how the cut was found.
    """
    from . import solver
    from .placement import placed

    problem = replace(layout.problem(limits), **layout.quotas(limits, seed))
    options: dict[str, Any] = {"seed": seed, "engine": engine, "proposals": proposals}
    most_discarded = int(discard_share * len(layout.corpus))
    if progress is not None:
        checks.function(progress, "progress", "a function that takes a share of the work")
    work = _Work(progress)
    # Where samples may be discarded, a part of the work is left for the search that follows.
    first_part = 1.0
    if most_discarded:
        first_part = 0.8 if discard_share >= 1 else 0.4
    discards = most_discarded > 0
    solution = solver.solve(replace(problem, discards=discards), **options, progress=work.part(first_part))
    order = layout.unit_hash[layout.bearing]
    discarded = np.zeros(len(problem.size), bool)
    rest = problem
    if most_discarded and solver.n_mixed(problem, solution):
        search = _Discarding(layout, limits, problem, most_discarded, proposals, seed)
        solution = search.settled(solution)
        if solver.n_mixed(problem, solution) <= most_discarded:
            discarded = search.first_discarded(solution, discarded)
            rest = search.without(discarded)
        else:  # another way is to cut as if all units were kept, and to discard afterwards
            start = solver.solve(problem, **options, progress=work.part(0.3))
            rounds = [*search.rounds(solution), *search.rounds(start)]
            solution, discarded, rest = min(rounds, key=lambda candidate: candidate[0].cost)
    split = solver.split_of_units(problem, solution.labels)[0]
    if engine != "none" and discard_share < 1:  # else nothing may be shared, whatever that does to the ratios
        split = _levelled(rest, split, order)
    if limits.shares[0] == 0:  # there is no train: the splits are folds of equal standing
        if not most_discarded:
            split = placed(problem, split, proposals // 2, seed + 7)
        elif discard_share >= 1:
            discarded |= split == 0
    work.finish()
    return layout.with_entity_less(np.where(discarded, DISCARDED, split), limits, seed), solution.how


class _Work:
    """The work of a search, of which parts are reported to ``progress`` as they are done."""

    def __init__(self, progress: Callable[[float], None] | None) -> None:
        self._progress = progress
        self._left = 1.0

    def part(self, share: float) -> Callable[[float], None]:
        """Return a function that reports shares of one part, which is itself the given share of all work."""
        return lambda share_of_part: self._report(share * share_of_part)

    def finish(self) -> None:
        """Report all that is left."""
        self._report(self._left)

    def _report(self, share: float) -> None:
        if self._progress:
            self._progress(share)
            self._left -= share


class _Discarding:
    """The search for a cut after which at most a given number of samples is discarded."""

    def __init__(
        self, layout: Layout, limits: Limits, problem: Problem, most_discarded: int, proposals: int, seed: int
    ) -> None:
        self._layout = layout
        self._limits = limits
        self._problem = problem
        self._most_discarded = most_discarded
        self._proposals = proposals
        self._seed = seed

    def settled(self, solution: Solution) -> Solution:
        """Return a solution near by that meets the quotas of the units it keeps.

        The discarded units decide how many samples are kept, and so the quotas; these change the discarded units. So
        it is done twice.
        """
        from . import solver

        none = np.zeros(len(self._problem.size), bool)
        for nth in range(2):
            discarded = self.first_discarded(solution, none)
            quotas = self._layout.quotas(self._limits, self._seed, discarded)
            kept = replace(self._problem, **quotas, discards=True)
            solution = solver.settled(kept, solution, self._proposals // 8, self._seed + 4 + nth)
        return solution

    def rounds(self, solution: Solution) -> Iterator[tuple[Solution, NDArray[np.bool_], Problem]]:
        """Yield solutions that are polished without discarded units, with these units and the rest of the problem.

        Each solution may have other mixed units than the one before, so that other units are discarded.
        """
        from . import solver

        discarded = np.zeros(len(self._problem.size), bool)
        for nth in range(3):
            discarded = self.first_discarded(solution, discarded)
            rest = self.without(discarded)
            solution = solver.polished(rest, solution, self._proposals // 8, self._seed + 5 + nth)
            solution = solver.settled(rest, solution, self._proposals // 10, self._seed + 8 + nth)
            yield solution, discarded, rest

    def without(self, discarded: NDArray[np.bool_]) -> Problem:
        """Return the problem that remains once discarded units are removed."""
        quotas = self._layout.quotas(self._limits, self._seed, discarded)
        return replace(self._problem.without(discarded), **quotas)

    def first_discarded(self, solution: Solution, discarded: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each unit whether it is discarded: as many mixed units as may be.

        Units that were discarded before come first, then those that share an entity with train. Of these, units with
        few mentions come first, since others with as many mentions would have to take their place.
        """
        from . import solver

        problem = self._problem
        with_train = np.zeros(len(discarded), bool)
        with_train[problem.unit_vertices.rows()[solution.labels[problem.unit_vertices.columns] == 0]] = True
        mixed_units = np.flatnonzero(solver.split_of_units(problem, solution.labels)[1])
        hashes = self._layout.unit_hash[self._layout.bearing]
        criteria = (hashes, problem.mentions, ~with_train, ~discarded)  # the last one counts most
        order = mixed_units[np.lexsort([criterion[mixed_units] for criterion in criteria])]
        return filled(problem.size, order, np.array([0.0, self._most_discarded])) > 0


def _levelled(problem: Problem, split: NDArray[np.int64], order: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the split of each unit, with single units moved until the quotas are met.

    Labels of entities cannot always meet them: one entity may be everywhere. The units that touch the fewest others
    are moved first; ``order`` decides between equal ones.
    """
    size = problem.size
    quota = problem.shares * size.sum()
    surplus = np.bincount(split, weights=size, minlength=len(quota)) - quota
    if (np.abs(surplus) <= max(0.003 * size.sum(), 1)).all():
        return split
    rows = problem.unit_vertices
    degree = np.diff(problem.vertex_units.bounds)
    n_others = np.add.reduceat(degree[rows.columns], rows.bounds[:-1])
    rank = np.lexsort((order, n_others))
    is_moved = np.zeros(len(size), bool)
    for s in np.flatnonzero(surplus > 0):
        is_moved |= filled(size, rank[split[rank] == s], np.array([0.0, surplus[s]])) > 0
    moved = rank[is_moved[rank]]
    split[moved] = dealt(size[moved], np.arange(len(moved)), np.maximum(-surplus, 0))
    return split
