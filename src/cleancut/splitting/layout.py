"""The way from a corpus to a problem: the units of a corpus, and the limits of the splits.

``solver`` knows arrays only. Here samples are arranged for it; ``cutting`` turns its answer into a split of
every sample.
"""

from __future__ import annotations

from dataclasses import dataclass
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
from .quotas import Rule, deal
from .strata import Strata

if TYPE_CHECKING:
    from .problem import Incidence, Problem

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
        self.carrier, self.entity = corpus.touched()
        self.unit_stratum = np.zeros(len(self.unit_size), np.int64)  # a unit with several strata counts as the last
        np.maximum.at(self.unit_stratum, self.unit_of_sample, strata.of_sample)

    def problem(self, limits: Limits) -> Problem:
        """Return the problem of cutting the entity-bearing units.

        An entity that only one unit has can never be shared, and is left out. A unit that shares no entity at all
        becomes a vertex of its own, so that it can still be assigned.
        """
        from .problem import Incidence, Problem

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
        from .problem import Incidence

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
        """Return the least counts where some entity-bearing units are discarded: by split, of types and strata."""
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
        corpus = self.corpus
        if corpus.link is None or corpus.mention_of_link is None:
            return contamination(names, split_of_sample, samples, corpus.carrier, corpus.entity)
        links = corpus.mention_of_link, corpus.link
        return contamination(names, split_of_sample, samples, corpus.sample, corpus.entity, *links)

    def missing_density(self, split_of_sample: NDArray[np.integer], limits: Limits) -> float:
        """Return how far the sparsest held-out split is below the density floor, over all samples; 0 if it is not.

        Args:
            split_of_sample: the split of each sample; -1 for discarded samples.
            limits: the requirements.
        """
        if limits.representative is None:
            return 0.0
        n_mentions = np.bincount(self.corpus.sample, minlength=len(self.corpus))
        kept = split_of_sample >= 0
        n_splits = len(limits.shares)
        sizes = np.bincount(split_of_sample[kept], minlength=n_splits)
        mentions = np.bincount(split_of_sample[kept], n_mentions[kept], n_splits)
        ratios = mentions / np.maximum(sizes, 1) / max(float(n_mentions.mean()), 1e-9)
        asked = (np.arange(n_splits) > 0) & (limits.shares > 0) & (sizes > 0)
        return max(limits.representative - float(ratios[asked].min(initial=np.inf)), 0.0)

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
        return deal(self.unit_size[units], order, room, Rule.IN_TURN)

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
