"""The ends of an interval: the studentised bootstrap on the logit scale, with the standard error of the jackknife.

A percentile interval of few or unequal units is too short, and lies too far to one side: a resample varies less than a
new test set would, and its error goes with its value. So each resample is measured in standard errors of its own, which
follow from its sums and their products (the delta method), and the quantiles of that are laid around the value in
standard errors of the jackknife. On the logit scale, an interval of a share never leaves 0 to 1. What was tried beside
it, and how often each interval covers, is in benchmarks/coverage.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
"""How often an interval is to hold the value of the population."""

Floats = NDArray[np.float64]
Values = Callable[[NDArray[np.int64] | Floats], Mapping[str, Floats]]
"""The values of each row of sums."""

_STEP = 1e-4
"""By which share of a sum it is moved to see how a value follows."""
_FAR = 500.0
"""Errors that a resample which has none of its own, since all in it is right or wrong, is away from the value."""
_DIGITS = 12
"""To which ends are rounded: logarithms differ in the last ones from machine to machine."""


def products(table: NDArray[np.int64]) -> Floats:
    """Return the products of each two columns, which the standard errors of resamples follow from."""
    first, second = np.triu_indices(table.shape[1])
    return table[:, first].astype(float) * table[:, second]


@dataclass(frozen=True, eq=False)
class Resamples:
    """What was drawn of a table of sums."""

    values: Values
    totals: NDArray[np.int64]
    """The sums of each resample."""
    of_products: Floats
    """The sums of ``products`` in each resample."""
    n_units: int

    def errors(self) -> dict[str, Floats]:
        """Return the standard error of each value in each resample, by the delta method."""
        slopes = self._slopes()
        first, second = np.triu_indices(self.totals.shape[1])
        totals = self.totals.astype(float)
        spread = self.of_products - totals[:, first] * totals[:, second] / max(self.n_units, 1)
        spread *= np.where(first == second, 1, 2) * self.n_units / max(self.n_units - 1, 1)
        errors = {}
        for name, slope in slopes.items():
            variance = np.zeros(len(totals))
            for column, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
                if slope[i].any() and slope[j].any():
                    variance += slope[i] * slope[j] * spread[:, column]
            errors[name] = np.sqrt(np.maximum(variance, 0))
        return errors

    def _slopes(self) -> dict[str, Floats]:
        """Return how fast each value grows with each sum, (sums, resamples)."""
        totals = self.totals.astype(float)
        slopes: dict[str, Floats] = {}
        for column in range(totals.shape[1]):
            step = _STEP * np.maximum(totals[:, column], 1)
            more, less = totals.copy(), totals.copy()
            more[:, column] += step
            less[:, column] -= step
            above, below = self.values(more), self.values(less)
            for name, value in above.items():
                slope = slopes.setdefault(name, np.zeros(totals.shape[::-1]))
                slope[column] = np.nan_to_num((value - below[name]) / (2 * step))
        return slopes


def jackknife_errors(values: Values, table: NDArray[np.int64], times: NDArray[np.int64]) -> dict[str, float]:
    """Return the standard error of each value, from the values without each unit.

    Args:
        values: what follows from sums.
        table: the distinct rows of sums.
        times: how many units have each.
    """
    whole = times @ table
    point = values(whole[None])
    without = values(whole - table)
    return {name: jackknife_spread(left, times, float(point[name][0])) for name, left in without.items()}


def jackknife_spread(left: Floats, times: NDArray[np.int64], point: float) -> float:
    """Return the standard error of a value, from the value without each unit; NaN there stands for no change."""
    n_units = max(int(times.sum()), 1)
    left = np.where(np.isnan(left), point, left)
    mean = times @ left / n_units
    return float(np.sqrt(times @ (left - mean) ** 2 * (n_units - 1) / n_units))


def interval(
    values: Floats, errors: Floats, point: float, error: float, *, signed: bool = False
) -> tuple[float, float]:
    """Return the two ends of the interval of a value.

    Where the value or most resamples have no error, as where all is right, these are percentiles of the resamples.

    Args:
        values: of the resamples.
        errors: their standard errors.
        point: the value itself.
        error: its standard error.
        signed: is it a difference, which may be below 0?
    """
    known = ~np.isnan(values)
    values, errors = values[known], errors[known]
    if not len(values):
        return np.nan, np.nan
    least, most = float(values.min()), float(values.max())
    bottom = -1.0 if signed else 0.0
    usable = (errors > 1e-9) & (values > bottom) & (values < 1)
    if not (bottom < point < 1 and error > 1e-9 and 2 * usable.sum() > len(values)):
        return percentiles(values, point)
    width = 1 - bottom
    drawn = (values[usable] - bottom) / width
    here = (point - bottom) / width
    steps = (_logit(drawn) - _logit(here)) * drawn * (1 - drawn) / (errors[usable] / width)
    steps = np.append(steps, np.copysign(_FAR, values[~usable] - point))
    below, above = np.percentile(steps, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    error_there = error / width / (here * (1 - here))
    ends = np.clip([_logit(here) - away * error_there for away in (above, below)], -_FAR, _FAR)
    low, high = bottom + width / (1 + np.exp(-ends))
    low, high = (round(float(np.clip(end, least, most)), _DIGITS) for end in (low, high))
    return min(low, point), max(high, point)


def reflected(values: Floats, point: float, error: float, n_units: int) -> tuple[float, float]:
    """Return the two ends of the interval of a difference between systems on the same units.

    The distances of the percentiles from the value are laid on the other side of it (the basic bootstrap), and are
    stretched as much as the error of the jackknife, with Student's distribution, exceeds that of the resamples.
    """
    known = values[~np.isnan(values)]
    if not len(known) or np.isnan(point):
        return np.nan, np.nan
    spread = float(known.std())
    if spread <= 1e-9 or n_units < 2:
        return percentiles(known, point)
    stretch = max(error / spread * _student(n_units - 1), 1.0)
    below, above = np.percentile(known, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    low, high = (round(float(point - stretch * (end - point)), _DIGITS) for end in (above, below))
    return min(low, point), max(high, point)


def _student(freedom: int) -> float:
    """Return how much farther out Student's quantile is than that of the normal distribution (Cornish and Fisher)."""
    z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
    terms = (z**2 + 1) / 4, (5 * z**4 + 16 * z**2 + 3) / 96, (3 * z**6 + 19 * z**4 + 17 * z**2 - 15) / 384
    return 1 + sum(term / freedom**power for power, term in enumerate(terms, 1))


def percentiles(values: Floats, point: float) -> tuple[float, float]:
    """Return percentiles of the resamples; of few units, these may miss the value itself, which is put in."""
    low, high = np.percentile(values, [50 * (1 - LEVEL), 50 * (1 + LEVEL)]).tolist()
    return (min(low, point), max(high, point)) if point == point else (low, high)


def _logit(share: Floats | float) -> Floats:
    return np.log(share) - np.log1p(-np.asarray(share))
