"""Confidence: the bootstrap over samples or documents, and paired tests, from sums of each unit.

Units with equal sums are exchangeable. So the rows of sums are collapsed to the distinct ones, and a resample is one
multinomial draw over these: its cost does not grow with the corpus. The fewer sums a value needs, the fewer distinct
rows there are; so a score says which values follow from which sums (``Part``), and each part is drawn by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import checks

LEVEL = 0.95
"""The share of resamples within an interval."""

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

    def of(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        return self.values({name: sum(columns[column] for column in of) for name, of in self.sums.items()})

    def gives(self) -> set[str]:
        """The names of the values."""
        return set(self.values(dict.fromkeys(self.sums, 0)))

    def of_totals(self, totals: Table) -> dict[str, NDArray[np.float64]]:
        """The values of each resample, but for counts."""
        found = self.values({name: totals[:, i] for i, name in enumerate(self.sums)})
        return {name: value for name, value in found.items() if value.dtype.kind == "f"}


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

    def beside(self, other: Rows, which: Sequence[int]) -> Rows:
        """The sums of two systems on the same units, of some parts; of shards, before these are added."""
        if self.times is not None or other.times is not None or self.names != other.names:
            raise TypeError("rows that are not of the same units, in the same order, cannot stand beside each other")
        joined = Rows(tuple(np.hstack([self.tables[i], other.tables[i]]) for i in which), names=self.names)
        if self.names is not None:
            return joined
        tables, times = zip(*joined.collapsed(), strict=True)  # the order has done its work
        return Rows(tables, times)

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
    """The sums over ``n`` draws of as many units with replacement, some draws at a time."""
    n_units = int(times.sum())
    for size in _portions(n, len(times)):
        drawn = rng.multinomial(n_units, times / n_units, size) if n_units else np.zeros((size, 0), np.int64)
        yield _total(drawn, table)


def _total(drawn: Table, table: Table) -> Table:
    """``drawn @ table``: as floats, which hold such numbers exactly and are multiplied many times as fast."""
    return (drawn.astype(np.float64) @ table.astype(np.float64)).astype(np.int64)


def _portions(n: int, width: int) -> list[int]:
    most = max(_AT_A_TIME // max(width, 1), 1)
    return [min(most, n - at) for at in range(0, n, most)]


def parse_resampling(ci: Any, seed: Any) -> tuple[int, int]:
    """Return how many resamples an interval is drawn from, 0 for none, and the seed of the draws."""
    return checks.resamples(ci), checks.seed(seed)


def intervals(parts: Sequence[Part], rows: Rows, point: Mapping[str, Any], n: int, seed: int) -> dict[str, float]:
    """``f1_low`` and ``f1_high`` of each value that is not a count: percentiles over the resamples."""
    found: dict[str, float] = {}
    for part, (table, times) in zip(parts, rows.collapsed(), strict=True):
        totals = _resamples(table, times, n, np.random.default_rng(seed))
        for name, values in part.of_totals(np.concatenate(list(totals))).items():
            found[f"{name}_low"], found[f"{name}_high"] = _interval(values, point[name])
    return found


def _interval(values: NDArray[np.float64], point: float) -> tuple[float, float]:
    known = values[~np.isnan(values)]
    if not len(known):
        return np.nan, np.nan
    low, high = np.percentile(known, [50 * (1 - LEVEL), 50 * (1 + LEVEL)]).tolist()
    if point == point:  # of few units, percentiles may miss the value itself
        return min(low, point), max(high, point)
    return low, high


# --- two systems --------------------------------------------------------------------------------------------


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


def paired(parts: Sequence[Part], rows: Rows, wanted: Collection[str], n: int, seed: int) -> dict[str, Paired]:
    """The first minus the second of two systems that stand beside each other, in each value that is wanted.

    The interval is of the bootstrap; for p, the systems are exchanged in each unit with probability 1/2 (Noreen 1989).
    Whichever system is first, the same numbers are drawn: exchanging the two exchanges the signs and nothing else.
    """
    found: dict[str, Paired] = {}
    for part, (table, times) in zip(parts, rows.collapsed(), strict=True):
        width = len(part.sums)
        mirrored = _collapsed(np.hstack([table[:, width:], table[:, :width]]), times)
        ours, theirs = ((t.tobytes(), m.tobytes()) for t, m in ((table, times), mirrored))
        if theirs < ours:
            found |= {name: -other for name, other in _differences(part, *mirrored, wanted, n, seed, False).items()}
        else:
            found |= _differences(part, table, times, wanted, n, seed, theirs == ours)
    return found


def _differences(
    part: Part, table: Table, times: Table, wanted: Collection[str], n: int, seed: int, symmetric: bool
) -> dict[str, Paired]:
    width, rng = len(part.sums), np.random.default_rng(seed)

    def minus(first: Table, second: Table) -> dict[str, NDArray[np.float64]]:
        a, b = part.of_totals(first), part.of_totals(second)
        return {name: a[name] - b[name] for name in a if name in wanted}

    whole = _total(times[None], table)
    point = minus(whole[:, :width], whole[:, width:])
    drawn = np.concatenate(list(_resamples(table, times, n, rng)))
    spread = minus(drawn[:, :width], drawn[:, width:])
    # exchanging the systems in a unit moves what they differ by: units that differ by the same are alike
    step, n_of = _collapsed(table[:, width:] - table[:, :width], times)
    moved = np.concatenate(
        [_total(rng.binomial(n_of, 0.5, (size, len(n_of))), step) for size in _portions(n, len(n_of))]
    )
    null = minus(whole[:, :width] + moved, whole[:, width:] - moved)
    return {name: _paired(float(value[0]), spread[name], null[name], symmetric) for name, value in point.items()}


def _paired(difference: float, spread: NDArray[np.float64], null: NDArray[np.float64], symmetric: bool) -> Paired:
    if np.isnan(difference):  # clean recall, say, where nothing is clean
        return Paired(np.nan, np.nan, np.nan, np.nan)
    low, high = _interval(spread, difference)
    if symmetric:  # nothing tells the two systems apart, so nothing may tell the two ends apart
        high = max(high, -low)
        low = 0.0 - high
    known = null[~np.isnan(null)]
    as_much = int((np.abs(known) >= abs(difference) - 1e-12).sum())
    return Paired(difference, low, high, (1 + as_much) / (1 + len(known)))
