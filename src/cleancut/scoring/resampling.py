"""Intervals by the bootstrap over samples or documents, and paired tests, from the sums of each unit.

Units with equal sums are exchangeable. So the rows of sums are collapsed to the distinct ones, and a resample is one
multinomial draw over these: its cost does not grow with the corpus. The fewer sums a value needs, the fewer distinct
rows there are. So a score states which values follow from which sums (``Part``), and each part is drawn by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from .studentised import (
    Resamples,
    Spread,
    interval,
    interval_of_all_or_nothing,
    interval_of_difference,
    interval_of_mean,
    jackknife,
    products,
)

_AT_A_TIME = 5_000_000
"""How many drawn numbers are in memory at a time."""

Table = NDArray[np.int64]
"""Sums: a row for each unit, or for each distinct unit."""


@dataclass(frozen=True)
class Part:
    """Values that follow from a few sums."""

    sums: Mapping[str, tuple[str, ...]]
    """For each sum, the columns of counts that it adds up."""
    values: Callable[[Mapping[str, Any]], dict[str, Any]]
    """Returns the values of sums, which are numbers, or arrays over resamples."""
    differences: tuple[str, ...] = ()
    """The values that may be below 0, such as delta F1; all others are from 0 to 1."""
    means: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The values that are the mean of two others, such as hardeval."""
    behind: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For some values, the sums that count what they are a share of; those that begin with ``-`` are subtracted."""

    def of(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of counts.

        Args:
            columns: the counts by name.
        """
        return self.values({name: sum(columns[column] for column in of) for name, of in self.sums.items()})

    def gives(self) -> set[str]:
        """Return the names of the values."""
        return set(self.values(dict.fromkeys(self.sums, 0)))

    def of_totals(self, totals: Table) -> dict[str, NDArray[np.float64]]:
        """Return the values of each resample, without those that are counts.

        Args:
            totals: the sums of each resample.
        """
        values = self._of_columns(totals)
        return {name: value for name, value in values.items() if value.dtype.kind == "f"}

    def rates(self) -> Callable[[NDArray[Any]], dict[str, NDArray[np.float64]]]:
        """Return a function of sums, which need not be whole numbers, that gives the values without the counts."""
        names = list(self.of_totals(np.zeros((1, len(self.sums)), np.int64)))

        def rates_of(totals: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
            values = self._of_columns(totals)
            return {name: values[name] for name in names}

        return rates_of

    def units_behind(self, name: str, table: Table) -> Table:
        """Return how much of each unit is behind a value: what it is a share of, or else all that is counted.

        Args:
            name: the name of the value.
            table: the sums of each unit.
        """
        signs = np.zeros(len(self.sums), np.int64)
        for wanted in self.behind.get(name, tuple(self.sums)):
            signs[list(self.sums).index(wanted.removeprefix("-"))] = -1 if wanted.startswith("-") else 1
        return np.abs(table @ signs)

    def _of_columns(self, totals: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Return the values of each row of sums."""
        return self.values({name: totals[:, i] for i, name in enumerate(self.sums)})


def columns(*names: str) -> dict[str, tuple[str, ...]]:
    """Return sums that are single columns.

    Args:
        *names: the names of the columns.
    """
    return {name: (name,) for name in names}


@dataclass(frozen=True, eq=False)
class Rows:
    """The sums of each unit, a table for each part. Rows of shards add up to those of the whole, in any order."""

    tables: tuple[NDArray[np.integer], ...]
    """For each part, its sums (columns) in each row."""
    times: tuple[Table, ...] | None = None
    """How many units each row of a table stands for; None if a row is a unit, the same one in all tables."""
    names: tuple[str, ...] | None = None
    """The ids of documents, by which parts of a document in different shards are joined; None for samples."""

    @classmethod
    def of(
        cls, parts: Sequence[Part], counted: Mapping[str, NDArray[np.integer]], docs: Sequence[str | None] | None = None
    ) -> Rows:
        """Return the sums of each sample, or of each document where these are known.

        Args:
            parts: the parts of a score.
            counted: the counts of each sample.
            docs: the document of each sample, if known.
        """
        tables = tuple(_narrow([sum(counted[column] for column in of) for of in part.sums.values()]) for part in parts)
        return cls(tables) if docs is None or None in docs else _by_name(tables, tuple(map(str, docs)))

    def __add__(self, other: Rows) -> Rows:
        if [table.shape[1] for table in self.tables] != [table.shape[1] for table in other.tables]:
            raise TypeError("rows of different scores cannot be added")
        if self.names is not None and other.names is not None:
            both = tuple(np.concatenate(pair) for pair in zip(self.tables, other.tables, strict=True))
            return _by_name(both, self.names + other.names)
        # Which rows of different tables belong to one unit is not needed any more: only distinct rows are kept.
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
        """The number of units."""
        return len(self.tables[0]) if self.times is None else int(self.times[0].sum())

    @staticmethod
    def together(systems: Sequence[Rows], which: Sequence[int]) -> Rows:
        """Return the sums of several systems on the same units, side by side.

        Args:
            systems: the rows of each system, before those of shards are added.
            which: the parts to take.

        Raises:
            TypeError: the rows are not of the same units.
        """
        first = systems[0]
        if any(rows.times is not None or rows.names != first.names for rows in systems):
            raise TypeError("rows that are not of the same units, in the same order, cannot stand beside each other")
        joined = Rows(tuple(np.hstack([rows.tables[i] for rows in systems]) for i in which), names=first.names)
        if first.names is not None:
            return joined
        tables, times = zip(*joined.collapsed(), strict=True)  # the order of units is not needed any more
        return Rows(tables, times)

    def of_systems(self, places: Sequence[int], n_systems: int) -> Rows:
        """Return the sums of some of the systems that stand side by side.

        Args:
            places: the places of the wanted systems.
            n_systems: how many systems there are.
        """
        if list(places) == list(range(n_systems)):
            return self
        tables = []
        for table in self.tables:
            by_system = table.reshape(len(table), n_systems, -1)
            tables.append(by_system[:, list(places)].reshape(len(table), -1))
        return Rows(tuple(tables), self.times, self.names)

    def collapsed(self) -> list[tuple[Table, Table]]:
        """Return the distinct rows of each table in their order, and how many units have them."""
        times = self.times or [np.ones(len(table), np.int64) for table in self.tables]
        return [_collapsed(table, n) for table, n in zip(self.tables, times, strict=True)]


def _narrow(sums: list[Any]) -> NDArray[np.integer]:
    """Return sums as a table of the narrowest type: until it is collapsed, it has as many rows as there are samples."""
    table = np.stack(sums, axis=1)
    return table.astype(np.min_scalar_type(int(table.max(initial=0))))


def _collapsed(table: NDArray[np.integer], times: Table) -> tuple[Table, Table]:
    """Return the distinct rows of a table in their order, and how many units have them."""
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
    """Return the sums of units with equal names, added up."""
    known, number = np.unique(np.array(names, dtype=object), return_inverse=True)
    summed = tuple(np.zeros((len(known), table.shape[1]), np.int64) for table in tables)
    for whole, table in zip(summed, tables, strict=True):
        np.add.at(whole, number, table)
    return Rows(summed, names=tuple(known.tolist()))


def _resamples(table: Table, times: Table, n: int, rng: np.random.Generator) -> Iterator[Table]:
    """Yield the sums of ``n`` resamples of as many units with replacement, some resamples at a time."""
    for drawn in _counts(times, n, rng):
        yield _total(drawn, table)


def _counts(times: Table, n: int, rng: np.random.Generator) -> Iterator[Table]:
    """Yield how often each row is drawn in each of ``n`` resamples, some resamples at a time."""
    n_units = int(times.sum())
    for size in _portions(n, len(times)):
        yield rng.multinomial(n_units, times / n_units, size) if n_units else np.zeros((size, 0), np.int64)


def _halves(table: Table, times: Table, n: int, rng: np.random.Generator) -> Iterator[Table]:
    """Yield the sums of ``n`` random choices of units, each with probability 1/2, some choices at a time."""
    for size in _portions(n, len(times)):
        yield _total(rng.binomial(times, 0.5, (size, len(times))), table)


_KEPT_DRAWS = 50_000_000
"""How many drawn numbers, of a byte each, are kept for the next metric of a comparison."""


def _counts_of_units(n_units: int, n: int, rng: np.random.Generator) -> Iterator[NDArray[np.integer]]:
    """Yield how often each unit is in each of ``n`` resamples, some resamples at a time."""
    for size in _portions(n, n_units):
        chosen = rng.integers(0, max(n_units, 1), (size, n_units), dtype=np.int32)
        chosen += n_units * np.arange(size, dtype=np.int32)[:, None]
        counts = np.bincount(chosen.ravel(), minlength=size * n_units).reshape(size, n_units)
        yield counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


def _halves_of_units(n_units: int, n: int, rng: np.random.Generator) -> Iterator[NDArray[np.integer]]:
    """Yield whether systems are exchanged in each unit, in each of ``n`` draws, some draws at a time."""
    for size in _portions(n, n_units):
        yield rng.integers(0, 2, (size, n_units), dtype=np.uint8)


@lru_cache(maxsize=1)
def _kept_draws(n_units: int, n: int, seed: int) -> tuple[list[NDArray[np.integer]], list[NDArray[np.integer]]]:
    """Return resamples and exchanges of units, which are kept for the next metric of a comparison."""
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
    """Return ``drawn @ table``, computed in floats, which hold these numbers exactly and are much faster."""
    most = int(drawn.max(initial=0)) * int(np.abs(table).sum(axis=0).max(initial=0))
    kind = np.float32 if most < 2**24 else np.float64
    return (drawn.astype(kind) @ table.astype(kind)).astype(np.int64)


def _portions(n: int, width: int) -> list[int]:
    """Return how many of ``n`` draws of a given width are made at a time."""
    most = max(_AT_A_TIME // max(width, 1), 1)
    return [min(most, n - at) for at in range(0, n, most)]


def parse_resampling(ci: Any, seed: Any) -> tuple[int, int]:
    """Return the number of resamples (0 for none) and the seed of the draws, both checked.

    Args:
        ci: what a user gave as the number of resamples.
        seed: what a user gave as the seed.
    """
    return checks.resamples(ci), checks.seed(seed)


def intervals(parts: Sequence[Part], rows: Rows, point: Mapping[str, Any], n: int, seed: int) -> dict[str, float]:
    """Return the ends of the interval of each value that is not a count, such as ``f1_low`` and ``f1_high``.

    Args:
        parts: the parts of a score.
        rows: the sums of each unit.
        point: the values of the score.
        n: the number of resamples.
        seed: the seed of the draws.
    """
    ends: dict[str, float] = {}
    for part, (table, times) in zip(parts, rows.collapsed(), strict=True):
        for name, (low, high) in _ends_of_part(part, table, times, point, n, seed).items():
            ends[f"{name}_low"] = low
            ends[f"{name}_high"] = high
    return ends


def _ends_of_part(
    part: Part, table: Table, times: Table, point: Mapping[str, Any], n: int, seed: int
) -> dict[str, tuple[float, float]]:
    """Return the two ends of each value of a part."""
    rates = part.rates()
    totals, of_products = _resampled(table.tobytes(), table.shape[1], times.tobytes(), n, seed)
    errors = Resamples(rates, totals, of_products, int(times.sum())).errors()
    return ends_of_values(part, table, times, point, rates(totals), errors, jackknife(rates, table, times))


def ends_of_values(
    part: Part,
    table: Table,
    times: Table,
    point: Mapping[str, Any],
    values: Mapping[str, NDArray[np.float64]],
    errors: Mapping[str, NDArray[np.float64]],
    spreads: Mapping[str, Spread],
) -> dict[str, tuple[float, float]]:
    """Return the two ends of each value of a part.

    Args:
        part: the values that follow from the sums.
        table: the sums of each distinct unit.
        times: how many units are like each distinct one.
        point: the values of all units together.
        values: those of each resample.
        errors: their standard errors in each resample.
        spreads: the spread of each value.
    """
    ends: dict[str, tuple[float, float]] = {}
    for name, of_resamples in values.items():
        if name in part.differences:
            ends[name] = interval_of_difference(of_resamples, point[name], spreads[name])
        elif point[name] in (0, 1) and times.sum() > 1:
            ends[name] = interval_of_all_or_nothing(point[name], part.units_behind(name, table), times)
        else:
            ends[name] = interval(of_resamples, errors[name], point[name], spreads[name])
    for name, (one, other) in part.means.items():
        together = spreads[one].correlation(spreads[other])
        ends[name] = interval_of_mean((point[one], point[other]), (ends[one], ends[other]), together)
    return ends


@lru_cache(maxsize=8)
def _resampled(rows: bytes, n_sums: int, times: bytes, n: int, seed: int) -> tuple[Table, NDArray[np.float64]]:
    """Return the sums of all resamples, and those of the products of sums.

    They are kept, since parts of other scores may have the same rows, for example where training has shown nothing.
    """
    table = np.frombuffer(rows, np.int64).reshape(-1, n_sums)
    squares = products(table)
    totals, of_products = [], []
    for drawn in _counts(np.frombuffer(times, np.int64), n, np.random.default_rng(seed)):
        totals.append(_total(drawn, table))
        of_products.append(drawn.astype(float) @ squares)
    resampled = np.concatenate(totals), np.concatenate(of_products)
    for array in resampled:
        array.flags.writeable = False
    return resampled


# --- systems beside each other ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Paired:
    """The difference of two systems on the same units."""

    difference: float
    """The value of the first system minus that of the second."""
    low: float
    """The lower end of the 95% interval."""
    high: float
    """The upper end of the 95% interval."""
    p: float
    """The two-sided p-value of approximate randomisation: how often interchangeable systems would differ as much."""

    def __neg__(self) -> Paired:
        return Paired(0.0 - self.difference, 0.0 - self.high, 0.0 - self.low, self.p)


Tests = dict[tuple[int, int], dict[str, Paired]]
"""The difference of each pair of systems, by their places, in each value."""


def paired(
    parts: Sequence[Part],
    rows: Rows,
    names: Sequence[str],
    wanted: Collection[str],
    n: int,
    seed: int,
    told: Callable[[float], None] | None = None,
) -> Tests:
    """Return the differences of each two systems that stand side by side, in each wanted value.

    The interval is that of the bootstrap. For p, the systems are exchanged in each unit with probability 1/2 (Noreen
    1989). The draws are made once for all pairs. They do not depend on the order in which the systems are given:
    exchanging two systems exchanges the signs and nothing else.

    Args:
        parts: the parts that hold the values.
        rows: the sums of each unit, as ``Rows.together`` puts them side by side.
        names: the names of the systems, which break ties between systems with equal sums.
        wanted: the names of the values.
        n: the number of draws.
        seed: the seed of the draws.
        told: a function that is told what share of the work was done since it was told last.
    """
    tests: Tests = {}
    n_steps = len(parts) * math.comb(len(names), 2)
    for part, (table, times) in zip(parts, rows.collapsed(), strict=True):
        width = len(part.sums)
        order = _own_order(table, times, width, names)
        moved = np.concatenate([np.arange(width) + width * place for place in order])
        drawn = _Drawn.of(part, *_collapsed(table[:, moved], times), n, seed)
        for a, b in combinations(range(len(order)), 2):
            first, second = order.index(a), order.index(b)
            if first < second:
                differences = drawn.difference(first, second)
            else:
                differences = _negative(drawn.difference(second, first))
            tests.setdefault((a, b), {}).update({name: differences[name] for name in differences if name in wanted})
            if told is not None:
                told(1 / n_steps)
    return tests


def _negative(differences: Mapping[str, Paired]) -> dict[str, Paired]:
    """Return differences with the two systems exchanged."""
    return {name: -difference for name, difference in differences.items()}


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
    """The draws for systems that stand side by side, for values that follow from the same sums."""

    part: Part
    table: Table
    times: Table
    resampled: Table
    """The sums of each system over the units of a resample, for each resample."""
    exchanged: Table
    """The sums of each system over the units in which systems are exchanged, for each draw."""

    @classmethod
    def of(cls, part: Part, table: Table, times: Table, n: int, seed: int) -> _Drawn:
        # To draw a unit takes a tenth of the time that it takes to draw how often a distinct row comes.
        """Return the draws for the sums of a part."""
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
        """The values of each system without one unit, for each distinct row."""
        n_systems = self.table.shape[1] // len(self.part.sums)
        left = self.times @ self.table - self.table
        return [self.part.of_totals(self._sums(left, place)) for place in range(n_systems)]

    def difference(self, first: int, second: int) -> dict[str, Paired]:
        """Return the first minus the second of two systems, by their places, in each value."""
        whole = _total(self.times[None], self.table)
        ours, theirs = self._sums(whole, first), self._sums(whole, second)
        point = self._minus(ours, theirs)
        resampled = _differences(self._of_systems[first], self._of_systems[second])
        left = _differences(self._without_a_unit[first], self._without_a_unit[second])
        spreads = {name: Spread.of(left[name], self.times, float(value[0])) for name, value in point.items()}
        # Where the two are exchanged, the sums of each go to the other.
        moved = self._sums(self.exchanged, second) - self._sums(self.exchanged, first)
        null = self._minus(ours + moved, theirs - moved)
        alike = self._are_alike(first, second)
        differences = {}
        for name, value in point.items():
            ends = interval_of_difference(resampled[name], float(value[0]), spreads[name])
            differences[name] = _paired(float(value[0]), ends, null[name], alike)
        return differences

    def _sums(self, table: Table, place: int) -> Table:
        """Return the sums of one system."""
        width = len(self.part.sums)
        return table[:, width * place : width * (place + 1)]

    def _minus(self, first: Table, second: Table) -> dict[str, NDArray[np.float64]]:
        """Return the differences of two tables of sums in each value."""
        return _differences(self.part.of_totals(first), self.part.of_totals(second))

    def _are_alike(self, first: int, second: int) -> bool:
        """Return whether nothing in the sums of units tells two systems apart."""
        ours, theirs = self._sums(self.table, first), self._sums(self.table, second)
        there, back = np.hstack([ours, theirs]), np.hstack([theirs, ours])
        if not np.array_equal(_total(self.times[None], there), _total(self.times[None], back)):
            return False
        (rows, n_units), (others, n_others) = _collapsed(there, self.times), _collapsed(back, self.times)
        return np.array_equal(rows, others) and np.array_equal(n_units, n_others)


def _differences(
    ours: Mapping[str, NDArray[np.float64]], theirs: Mapping[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]]:
    """Return the differences of two systems in each value."""
    return {name: ours[name] - theirs[name] for name in ours}


def _paired(difference: float, ends: tuple[float, float], null: NDArray[np.float64], alike: bool) -> Paired:
    """Return a difference with its interval and its p-value."""
    if np.isnan(difference):  # such as that of clean recall where nothing is clean
        return Paired(np.nan, np.nan, np.nan, np.nan)
    low, high = ends
    if alike:  # nothing tells the two systems apart, so nothing may tell the two ends apart
        high = max(high, -low)
        low = 0.0 - high
    known = null[~np.isnan(null)]
    as_much = int((np.abs(known) >= abs(difference) - 1e-12).sum())
    return Paired(difference, low, high, (1 + as_much) / (1 + len(known)))
