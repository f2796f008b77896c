"""Confidence: the bootstrap over samples or documents, and paired tests, from sums of each unit.

Units with equal sums are exchangeable. So the rows of sums are collapsed to the distinct ones, and a resample is one
multinomial draw over these: its cost does not grow with the corpus. The fewer sums a value needs, the fewer distinct
rows there are; so a score says which values follow from which sums (``Part``), and each part is drawn by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from .studentised import Resamples, interval, jackknife_errors, jackknife_spread, products, reflected

_AT_A_TIME = 5_000_000
"""Drawn numbers that are in memory at a time."""

Table = NDArray[np.int64]


@dataclass(frozen=True)
class Part:
    """Values that follow from a few sums."""

    sums: Mapping[str, tuple[str, ...]]
    """Each the sum of some of the columns that are counted."""
    values: Callable[[Mapping[str, Any]], dict[str, Any]]
    """Of numbers, or of arrays of resamples."""
    signed: tuple[str, ...] = ()
    """The values that may be below 0, such as delta F1; all others are from 0 to 1."""

    def of(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        return self.values({name: sum(columns[column] for column in of) for name, of in self.sums.items()})

    def gives(self) -> set[str]:
        """The names of the values."""
        return set(self.values(dict.fromkeys(self.sums, 0)))

    def of_totals(self, totals: Table) -> dict[str, NDArray[np.float64]]:
        """The values of each resample, but for counts."""
        found = self._of_columns(totals)
        return {name: value for name, value in found.items() if value.dtype.kind == "f"}

    def rates(self) -> Callable[[NDArray[Any]], dict[str, NDArray[np.float64]]]:
        """Return a function of sums, which need not be whole numbers, that gives the values but for counts."""
        names = list(self.of_totals(np.zeros((1, len(self.sums)), np.int64)))

        def rates_of(totals: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
            found = self._of_columns(totals)
            return {name: found[name] for name in names}

        return rates_of

    def _of_columns(self, totals: NDArray[Any]) -> dict[str, NDArray[Any]]:
        return self.values({name: totals[:, i] for i, name in enumerate(self.sums)})


def columns(*names: str) -> dict[str, tuple[str, ...]]:
    """Columns that are taken as they are."""
    return {name: (name,) for name in names}


@dataclass(frozen=True, eq=False)
class Rows:
    """Sums of each unit, a table for each part. Rows of shards add up to those of the whole, in any order."""

    tables: tuple[NDArray[np.integer], ...]
    """(rows, sums)"""
    times: tuple[Table, ...] | None = None
    """How many units each row of a table stands for; None where a row is a unit, the same one in all tables."""
    names: tuple[str, ...] | None = None
    """Document ids, by which the parts of a document in different shards are joined; None for samples."""

    @classmethod
    def of(
        cls, parts: Sequence[Part], counted: Mapping[str, NDArray[np.integer]], docs: Sequence[str | None] | None = None
    ) -> Rows:
        """From the counts of each sample, summed over documents where these are known."""
        tables = tuple(_narrow([sum(counted[column] for column in of) for of in part.sums.values()]) for part in parts)
        return cls(tables) if docs is None or None in docs else _by_name(tables, tuple(map(str, docs)))

    def __add__(self, other: Rows) -> Rows:
        if [table.shape[1] for table in self.tables] != [table.shape[1] for table in other.tables]:
            raise TypeError("rows of different scores do not add up")
        if self.names is not None and other.names is not None:
            both = tuple(np.concatenate(pair) for pair in zip(self.tables, other.tables, strict=True))
            return _by_name(both, self.names + other.names)
        # what stands together in a shard is of no use any more: only the distinct rows are kept
        sides = zip(self.collapsed(), other.collapsed(), strict=True)
        merged = [_collapsed(np.concatenate([a, b]), np.append(m, n)) for (a, m), (b, n) in sides]
        return Rows(tuple(table for table, _ in merged), tuple(times for _, times in merged))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rows):
            return NotImplemented
        ours, theirs = self.collapsed(), other.collapsed()
        return len(ours) == len(theirs) and all(
            np.array_equal(a, b) and np.array_equal(m, n) for (a, m), (b, n) in zip(ours, theirs, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def n_units(self) -> int:
        return len(self.tables[0]) if self.times is None else int(self.times[0].sum())

    @staticmethod
    def together(systems: Sequence[Rows], which: Sequence[int]) -> Rows:
        """Return the sums of several systems on the same units, of some parts; of shards, before these are added."""
        first = systems[0]
        if any(rows.times is not None or rows.names != first.names for rows in systems):
            raise TypeError("rows that are not of the same units, in the same order, cannot stand beside each other")
        joined = Rows(tuple(np.hstack([rows.tables[i] for rows in systems]) for i in which), names=first.names)
        if first.names is not None:
            return joined
        tables, times = zip(*joined.collapsed(), strict=True)  # the order has done its work
        return Rows(tables, times)

    def of_systems(self, places: Sequence[int], n_systems: int) -> Rows:
        """Return the sums of some of the systems that stand beside each other, by their places."""
        if list(places) == list(range(n_systems)):
            return self
        tables = []
        for table in self.tables:
            by_system = table.reshape(len(table), n_systems, -1)
            tables.append(by_system[:, list(places)].reshape(len(table), -1))
        return Rows(tuple(tables), self.times, self.names)

    def collapsed(self) -> list[tuple[Table, Table]]:
        """The distinct rows of each table in their order, and how many units have them."""
        times = self.times or [np.ones(len(table), np.int64) for table in self.tables]
        return [_collapsed(table, n) for table, n in zip(self.tables, times, strict=True)]


def _narrow(sums: list[Any]) -> NDArray[np.integer]:
    """As a table of the narrowest type: until they are collapsed, there are as many rows as samples."""
    table = np.stack(sums, axis=1)
    return table.astype(np.min_scalar_type(int(table.max(initial=0))))


def _collapsed(table: NDArray[np.integer], times: Table) -> tuple[Table, Table]:
    if not len(table):
        return table.astype(np.int64), times
    key, width = np.zeros(len(table), np.int64), 1
    for column in table.T:  # one number for a row, in the order of rows
        low = int(column.min())
        span = int(column.max()) - low + 1
        if width * span >= 2**62:
            known, key = np.unique(key, return_inverse=True)
            width = len(known)
        key, width = key * span + (column.astype(np.int64) - low), width * span
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return table[first].astype(np.int64), np.bincount(number, times).astype(np.int64)


def _by_name(tables: tuple[NDArray[np.integer], ...], names: tuple[str, ...]) -> Rows:
    known, number = np.unique(np.array(names, dtype=object), return_inverse=True)
    summed = tuple(np.zeros((len(known), table.shape[1]), np.int64) for table in tables)
    for whole, table in zip(summed, tables, strict=True):
        np.add.at(whole, number, table)
    return Rows(summed, names=tuple(known.tolist()))


def _resamples(table: Table, times: Table, n: int, rng: np.random.Generator) -> Iterator[Table]:
    """Return the sums over ``n`` draws of as many units with replacement, some draws at a time."""
    for drawn in _counts(times, n, rng):
        yield _total(drawn, table)


def _counts(times: Table, n: int, rng: np.random.Generator) -> Iterator[Table]:
    """Return how often each row is drawn in each of ``n`` draws of as many units, some draws at a time."""
    n_units = int(times.sum())
    for size in _portions(n, len(times)):
        yield rng.multinomial(n_units, times / n_units, size) if n_units else np.zeros((size, 0), np.int64)


def _halves(table: Table, times: Table, n: int, rng: np.random.Generator) -> Iterator[Table]:
    """Return the sums over ``n`` draws of units, each with probability 1/2, some draws at a time."""
    for size in _portions(n, len(times)):
        yield _total(rng.binomial(times, 0.5, (size, len(times))), table)


_KEPT_DRAWS = 50_000_000
"""So many numbers, a byte each, are kept of what was drawn, for the next metric of a comparison."""


def _counts_of_units(n_units: int, n: int, rng: np.random.Generator) -> Iterator[NDArray[np.integer]]:
    """Return how often each unit is in each of ``n`` resamples, some resamples at a time."""
    for size in _portions(n, n_units):
        chosen = rng.integers(0, max(n_units, 1), (size, n_units), dtype=np.int32)
        chosen += n_units * np.arange(size, dtype=np.int32)[:, None]
        counts = np.bincount(chosen.ravel(), minlength=size * n_units).reshape(size, n_units)
        yield counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


def _halves_of_units(n_units: int, n: int, rng: np.random.Generator) -> Iterator[NDArray[np.integer]]:
    """Return whether systems are exchanged in each unit, in each of ``n`` draws, some draws at a time."""
    for size in _portions(n, n_units):
        yield rng.integers(0, 2, (size, n_units), dtype=np.uint8)


@lru_cache(maxsize=1)
def _kept_draws(n_units: int, n: int, seed: int) -> tuple[list[NDArray[np.integer]], list[NDArray[np.integer]]]:
    rng = np.random.default_rng(seed)
    return list(_counts_of_units(n_units, n, rng)), list(_halves_of_units(n_units, n, rng))


def _sums_of_units(units: Table, n: int, seed: int) -> tuple[Table, Table]:
    """Return the sums of each resample, and those over the units in which systems are exchanged in each draw."""
    n_units = len(units)
    draws: Iterable[Iterable[NDArray[np.integer]]]
    if n * n_units <= _KEPT_DRAWS:
        draws = _kept_draws(n_units, n, seed)
    else:
        rng = np.random.default_rng(seed)
        draws = _counts_of_units(n_units, n, rng), _halves_of_units(n_units, n, rng)
    resampled, exchanged = (np.concatenate([_total(portion, units) for portion in portions]) for portions in draws)
    return resampled, exchanged


def _total(drawn: NDArray[np.integer], table: Table) -> Table:
    """Return ``drawn @ table``: as floats, which hold such numbers exactly and are multiplied many times as fast."""
    most = int(drawn.max(initial=0)) * int(np.abs(table).sum(axis=0).max(initial=0))
    kind = np.float32 if most < 2**24 else np.float64
    return (drawn.astype(kind) @ table.astype(kind)).astype(np.int64)


def _portions(n: int, width: int) -> list[int]:
    most = max(_AT_A_TIME // max(width, 1), 1)
    return [min(most, n - at) for at in range(0, n, most)]


def parse_resampling(ci: Any, seed: Any) -> tuple[int, int]:
    """Return how many resamples an interval is drawn from, 0 for none, and the seed of the draws."""
    return checks.resamples(ci), checks.seed(seed)


def intervals(parts: Sequence[Part], rows: Rows, point: Mapping[str, Any], n: int, seed: int) -> dict[str, float]:
    """``f1_low`` and ``f1_high`` of each value that is not a count, by the studentised bootstrap."""
    found: dict[str, float] = {}
    for part, (table, times) in zip(parts, rows.collapsed(), strict=True):
        for name, ends in _ends_of_part(part, table, times, point, n, seed).items():
            found[f"{name}_low"], found[f"{name}_high"] = ends
    return found


def _ends_of_part(
    part: Part, table: Table, times: Table, point: Mapping[str, Any], n: int, seed: int
) -> dict[str, tuple[float, float]]:
    """Return the two ends of each value that follows from some sums."""
    rates, width = part.rates(), table.shape[1]
    totals, of_products = _resampled(table.tobytes(), width, times.tobytes(), n, seed)
    values = rates(totals)
    of_resamples = Resamples(rates, totals, of_products, int(times.sum())).errors()
    own = jackknife_errors(rates, table, times)
    return {
        name: interval(of, of_resamples[name], point[name], own[name], signed=name in part.signed)
        for name, of in values.items()
    }


@lru_cache(maxsize=8)
def _resampled(rows: bytes, n_sums: int, times: bytes, n: int, seed: int) -> tuple[Table, NDArray[np.float64]]:
    """Return the sums of all resamples, and those of the products of sums.

    They are kept, since parts of other scores may have the same rows: where training has shown nothing, for one.
    """
    table = np.frombuffer(rows, np.int64).reshape(-1, n_sums)
    squares = products(table)
    totals, of_products = [], []
    for drawn in _counts(np.frombuffer(times, np.int64), n, np.random.default_rng(seed)):
        totals.append(_total(drawn, table))
        of_products.append(drawn.astype(float) @ squares)
    found = np.concatenate(totals), np.concatenate(of_products)
    for array in found:
        array.flags.writeable = False
    return found


# --- systems beside each other ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Paired:
    """The difference of two systems on the same units."""

    difference: float
    low: float
    high: float
    p: float
    """By approximate randomisation, two-sided: how often systems that are interchangeable would differ as much."""

    def __neg__(self) -> Paired:
        return Paired(0.0 - self.difference, 0.0 - self.high, 0.0 - self.low, self.p)


Tests = dict[tuple[int, int], dict[str, Paired]]
"""The difference of each pair of systems, by their places, in each value."""


def paired(
    parts: Sequence[Part], rows: Rows, names: Sequence[str], wanted: Collection[str], n: int, seed: int
) -> Tests:
    """Return the first minus the second of each two systems that stand beside each other, in each value that is wanted.

    The interval is of the bootstrap; for p, the systems are exchanged in each unit with probability 1/2 (Noreen 1989).
    What is drawn is drawn once for all pairs. In whatever order the systems are given, the same numbers are drawn:
    exchanging two of them exchanges the signs and nothing else.

    Args:
        parts: what values follow from which sums.
        rows: the sums of each unit, as ``Rows.together`` puts them beside each other.
        names: of the systems, which tell those apart whose sums do not.
        wanted: the names of the values.
        n: draws.
        seed: of the draws.
    """
    tests: Tests = {}
    for part, (table, times) in zip(parts, rows.collapsed(), strict=True):
        width = len(part.sums)
        order = _own_order(table, times, width, names)
        moved = np.concatenate([np.arange(width) + width * place for place in order])
        drawn = _Drawn.of(part, *_collapsed(table[:, moved], times), n, seed)
        for a, b in combinations(range(len(order)), 2):
            first, second = order.index(a), order.index(b)
            found = drawn.difference(first, second) if first < second else _negative(drawn.difference(second, first))
            tests.setdefault((a, b), {}).update({name: found[name] for name in found if name in wanted})
    return tests


def _negative(found: Mapping[str, Paired]) -> dict[str, Paired]:
    return {name: -of for name, of in found.items()}


def _own_order(table: Table, times: Table, width: int, names: Sequence[str]) -> list[int]:
    """Return the places of systems in an order that follows from their sums, not from the order they are given in."""
    n_systems = len(names)
    sums = [table[:, width * place : width * (place + 1)] for place in range(n_systems)]

    def beside(places: Sequence[int]) -> bytes:
        rows, n_units = _collapsed(np.hstack([sums[place] for place in places]), times)
        return rows.tobytes() + n_units.tobytes()

    alone = [beside([place]) for place in range(n_systems)]
    order = sorted(range(n_systems), key=lambda place: (alone[place], names[place]))
    for at in range(n_systems - 1):  # systems that are alike alone are told apart by their units
        one, other = order[at : at + 2]
        if alone[one] == alone[other] and beside([other, one]) < beside([one, other]):
            order[at : at + 2] = other, one
    return order


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What was drawn of systems that stand beside each other, for values that follow from the same sums."""

    part: Part
    table: Table
    times: Table
    resampled: Table
    """Sums of each system over the units of a resample, for each resample."""
    exchanged: Table
    """Sums of each system over the units in which systems are exchanged, for each draw."""

    @classmethod
    def of(cls, part: Part, table: Table, times: Table, n: int, seed: int) -> _Drawn:
        # a unit is drawn in a tenth of the time that it takes to draw how often a row comes
        if times.sum() <= 10 * len(times):
            units = np.repeat(table, times, axis=0)
            return cls(part, table, times, *_sums_of_units(units, n, seed))
        rng = np.random.default_rng(seed)
        resampled, exchanged = _resamples(table, times, n, rng), _halves(table, times, n, rng)
        return cls(part, table, times, np.concatenate(list(resampled)), np.concatenate(list(exchanged)))

    @cached_property
    def _of_systems(self) -> list[dict[str, NDArray[np.float64]]]:
        """The values of each system in each resample."""
        n_systems = self.table.shape[1] // len(self.part.sums)
        return [self.part.of_totals(self._sums(self.resampled, place)) for place in range(n_systems)]

    @cached_property
    def _without_a_unit(self) -> list[dict[str, NDArray[np.float64]]]:
        """The values of each system without each unit, a number for each distinct row."""
        n_systems = self.table.shape[1] // len(self.part.sums)
        left = self.times @ self.table - self.table
        return [self.part.of_totals(self._sums(left, place)) for place in range(n_systems)]

    def difference(self, first: int, second: int) -> dict[str, Paired]:
        """Return the first minus the second of two systems, by their places, in each value."""
        whole = _total(self.times[None], self.table)
        ours, theirs = self._sums(whole, first), self._sums(whole, second)
        point = self._minus(ours, theirs)
        spread = _differences(self._of_systems[first], self._of_systems[second])
        left = _differences(self._without_a_unit[first], self._without_a_unit[second])
        errors = {name: jackknife_spread(left[name], self.times, float(value[0])) for name, value in point.items()}
        # where the two are exchanged, what the one has there goes to the other
        moved = self._sums(self.exchanged, second) - self._sums(self.exchanged, first)
        null = self._minus(ours + moved, theirs - moved)
        alike = self._are_alike(first, second)
        n_units = int(self.times.sum())
        found = {}
        for name, value in point.items():
            ends = reflected(spread[name], float(value[0]), errors[name], n_units)
            found[name] = _paired(float(value[0]), ends, null[name], alike)
        return found

    def _sums(self, table: Table, place: int) -> Table:
        width = len(self.part.sums)
        return table[:, width * place : width * (place + 1)]

    def _minus(self, first: Table, second: Table) -> dict[str, NDArray[np.float64]]:
        return _differences(self.part.of_totals(first), self.part.of_totals(second))

    def _are_alike(self, first: int, second: int) -> bool:
        """Tell whether nothing in the sums of units tells two systems apart."""
        ours, theirs = self._sums(self.table, first), self._sums(self.table, second)
        there, back = np.hstack([ours, theirs]), np.hstack([theirs, ours])
        if not np.array_equal(_total(self.times[None], there), _total(self.times[None], back)):
            return False
        (rows, n_units), (others, n_others) = _collapsed(there, self.times), _collapsed(back, self.times)
        return np.array_equal(rows, others) and np.array_equal(n_units, n_others)


def _differences(
    ours: Mapping[str, NDArray[np.float64]], theirs: Mapping[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]]:
    return {name: ours[name] - theirs[name] for name in ours}


def _paired(difference: float, ends: tuple[float, float], null: NDArray[np.float64], alike: bool) -> Paired:
    if np.isnan(difference):  # clean recall, say, where nothing is clean
        return Paired(np.nan, np.nan, np.nan, np.nan)
    low, high = ends
    if alike:  # nothing tells the two systems apart, so nothing may tell the two ends apart
        high = max(high, -low)
        low = 0.0 - high
    known = null[~np.isnan(null)]
    as_much = int((np.abs(known) >= abs(difference) - 1e-12).sum())
    return Paired(difference, low, high, (1 + as_much) / (1 + len(known)))
