"""Confidence: the bootstrap over samples or documents, and paired tests, from counts of each unit.

Units with equal counts are exchangeable. So the rows of counts are collapsed to the distinct ones, and a resample is
one multinomial draw over these: its cost does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .tags import CleancutError

LEVEL = 0.95
"""The share of resamples within an interval."""

_AT_A_TIME = 20_000_000
"""Drawn numbers that are in memory at a time."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Counts of each unit. Rows of shards add up to those of the whole, in any order."""

    columns: tuple[str, ...]
    values: NDArray[np.int64]
    """(units, columns); units of equal counts stand here once, unless they have names."""
    times: NDArray[np.int64]
    """How many units each row stands for."""
    names: tuple[str, ...] | None = None
    """Document ids, by which the parts of a document in different shards are joined; None for samples."""

    @classmethod
    def of(cls, columns: Mapping[str, NDArray[np.integer]], docs: Sequence[str | None] | None = None) -> Rows:
        """Counts of each sample, summed over documents where these are known."""
        values = np.stack([np.asarray(column, np.int64) for column in columns.values()], axis=1)
        if docs is None or None in docs:
            return cls(tuple(columns), *_collapsed(values, np.ones(len(values), np.int64)))
        return cls(tuple(columns), *_by_name(values, tuple(map(str, docs))))

    def __add__(self, other: Rows) -> Rows:
        if self.columns != other.columns:
            raise TypeError("rows of different scores do not add up")
        values = np.concatenate([self.values, other.values])
        if self.names is not None and other.names is not None:
            return Rows(self.columns, *_by_name(values, self.names + other.names))
        return Rows(self.columns, *_collapsed(values, np.append(self.times, other.times)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rows):
            return NotImplemented
        pairs = zip(_collapsed(self.values, self.times), _collapsed(other.values, other.times), strict=True)
        return self.columns == other.columns and all(np.array_equal(a, b) for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]

    @property
    def n_units(self) -> int:
        return int(self.times.sum())

    def resamples(self, n: int, seed: int) -> dict[str, NDArray[np.int64]]:
        """The total of each column in ``n`` draws of as many units with replacement."""
        values, times = _collapsed(self.values, self.times)
        rng, totals = np.random.default_rng(seed), []
        for size in _portions(n, len(times)):
            drawn = rng.multinomial(self.n_units, times / max(self.n_units, 1), size) if len(times) else None
            totals.append(np.zeros((size, len(self.columns)), np.int64) if drawn is None else drawn @ values)
        table = np.concatenate(totals)
        return {name: table[:, i] for i, name in enumerate(self.columns)}


def _collapsed(values: NDArray[np.int64], times: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if not len(values):
        return values, times
    found, number = np.unique(values, axis=0, return_inverse=True)
    return found, np.bincount(number.ravel(), times).astype(np.int64)


def _by_name(
    values: NDArray[np.int64], names: tuple[str, ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[str, ...]]:
    known, number = np.unique(np.array(names, dtype=object), return_inverse=True)
    summed = np.zeros((len(known), values.shape[1]), np.int64)
    np.add.at(summed, number, values)
    return summed, np.ones(len(known), np.int64), tuple(known.tolist())


def _portions(n: int, width: int) -> list[int]:
    most = max(_AT_A_TIME // max(width, 1), 1)
    return [min(most, n - at) for at in range(0, n, most)]


def parse_resamples(ci: int | None) -> int:
    """How many resamples; 0 for none."""
    if ci is None:
        return 0
    if isinstance(ci, bool) or not isinstance(ci, int) or ci < 0:
        raise CleancutError(f"ci={ci!r} is out of range. Give a number of resamples, such as 10000.")
    return ci


def intervals(
    derive: Callable[[Mapping[str, Any]], Mapping[str, Any]], rows: Rows, point: Mapping[str, Any], n: int, seed: int
) -> dict[str, float]:
    """``f1_low`` and ``f1_high`` of each value that is not a count: percentiles over the resamples."""
    found: dict[str, float] = {}
    for name, values in derive(rows.resamples(n, seed)).items():
        if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
            continue
        known = values[~np.isnan(values)]
        low, high = (
            np.percentile(known, [50 * (1 - LEVEL), 50 * (1 + LEVEL)]).tolist() if len(known) else [np.nan, np.nan]
        )
        if point[name] == point[name]:  # of few units, percentiles may miss the value itself
            low, high = min(low, point[name]), max(high, point[name])
        found |= {f"{name}_low": low, f"{name}_high": high}
    return found


@dataclass(frozen=True)
class Paired:
    """The difference of two systems on the same samples."""

    difference: float
    low: float
    high: float
    p_value: float
    """By approximate randomisation, two-sided: how often systems that are interchangeable would differ as much."""


def paired(
    derive: Callable[[Mapping[str, Any]], Mapping[str, Any]], a: Rows, b: Rows, n: int, seed: int
) -> dict[str, Paired]:
    """``a`` minus ``b`` in each value, from rows of the same units in the same order that are not collapsed."""
    width = len(a.columns)
    both, times = _collapsed(np.hstack([a.values, b.values]), np.ones(len(a.values), np.int64))
    ours, theirs = both[:, :width], both[:, width:]
    point = {name: _difference(derive, a.columns, times @ ours, times @ theirs, name) for name in _floats(derive, a)}
    rng = np.random.default_rng(seed)
    drawn: dict[str, list[NDArray]] = {name: [] for name in point}
    swapped: dict[str, list[NDArray]] = {name: [] for name in point}
    for size in _portions(n, 2 * len(times)):
        units = rng.multinomial(int(times.sum()), times / times.sum(), size)
        change = rng.binomial(times, 0.5, (size, len(times)))
        sides = [(units @ ours, units @ theirs), (
            (times - change) @ ours + change @ theirs, (times - change) @ theirs + change @ ours
        )]  # fmt: skip
        for (left, right), kept in zip(sides, (drawn, swapped), strict=True):
            first, second = (derive(dict(zip(a.columns, side.T, strict=True))) for side in (left, right))
            for name in point:
                kept[name].append(first[name] - second[name])
    found = {}
    for name, difference in point.items():
        spread, null = np.concatenate(drawn[name]), np.concatenate(swapped[name])
        spread, null = spread[~np.isnan(spread)], null[~np.isnan(null)]
        edges = np.percentile(spread, [50 * (1 - LEVEL), 50 * (1 + LEVEL)]).tolist() if len(spread) else [np.nan] * 2
        as_much = int((np.abs(null) >= abs(difference) - 1e-12).sum())
        p_value = (1 + as_much) / (1 + len(null)) if difference == difference else float("nan")
        found[name] = Paired(difference, min(edges[0], difference), max(edges[1], difference), p_value)
    return found


def _floats(derive: Callable[[Mapping[str, Any]], Mapping[str, Any]], rows: Rows) -> list[str]:
    values = derive({name: np.zeros(1, np.int64) for name in rows.columns})
    return [name for name, value in values.items() if isinstance(value, np.ndarray) and value.dtype.kind == "f"]


def _difference(
    derive: Callable[[Mapping[str, Any]], Mapping[str, Any]], columns: tuple[str, ...], a: Any, b: Any, name: str
) -> float:
    first, second = (derive(dict(zip(columns, side[:, None], strict=True)))[name] for side in (a, b))
    return float(first[0] - second[0])
