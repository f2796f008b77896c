"""The ends of an interval: the studentised bootstrap on the logit scale, with the standard error of the jackknife.

A percentile interval of few or unequal units is too short, and lies too far to one side: a resample varies less than a
new test set would, and its error goes with its value. So each resample is measured in standard errors of its own, which
follow from its sums and their products (the delta method), and the quantiles of that are laid around the value in
standard errors of the jackknife. On the logit scale, an interval of a share never leaves 0 to 1.

Where a few units make most of the error, the error itself is uncertain. So it is widened as Student's distribution
asks for, with degrees of freedom that follow from how unequal the units are. Differences have percentiles, widened
likewise. Where all or nothing is right, there is no error to measure, and the interval is Wilson's. What was tried
beside these, and how often each interval covers, is in benchmarks/coverage.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
"""The share of intervals that should contain the value of the population."""

Floats = NDArray[np.float64]
Values = Callable[[NDArray[np.int64] | Floats], Mapping[str, Floats]]
"""The values of each row of sums."""

_STEP = 1e-4
"""The share of a sum by which it is moved to see how much a value changes."""
_FAR = 500.0
"""The distance, in standard errors, of a resample without an error of its own, since all in it is right or wrong."""
_NOTHING = 1e-9
"""The largest error that counts as none, since it may come from rounding."""
_TAILS = 50 * (1 - LEVEL), 50 * (1 + LEVEL)
"""The percentiles at which an interval ends."""
_NORMAL_QUANTILE = 1.959963984540054
"""The quantile of the normal distribution at which an interval ends."""
_LEAST_FREEDOM = 2.0
"""The least degrees of freedom. With fewer, as from a single unit, an interval would be everything from 0 to 1."""
_DIGITS = 12
"""The digits to which ends are rounded: logarithms differ in the last digits from machine to machine."""


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


@dataclass(frozen=True, eq=False)
class Spread:
    """How far a value of another test set would be away."""

    error: float
    """The standard error of the jackknife."""
    freedom: float
    """The degrees of freedom of that error."""
    left: Floats
    """How much the value without each distinct unit is above their mean."""
    times: NDArray[np.int64]
    """How many units are like each distinct one."""

    @classmethod
    def of(cls, left: Floats, times: NDArray[np.int64], point: float) -> Spread:
        """Return the spread of a value.

        Args:
            left: the value without each distinct unit; NaN stands for no change.
            times: how many units are like each distinct one.
            point: the value itself.
        """
        n_units = max(int(times.sum()), 1)
        left = np.where(np.isnan(left), point, left)
        left = left - times @ left / n_units
        error = float(np.sqrt(times @ left**2 * (n_units - 1) / n_units))
        return cls(error, _freedom(left, times), left, times)

    @property
    def widening(self) -> float:
        """Student's quantile, divided by that of the normal distribution: by how much few units widen an interval."""
        return student(self.freedom) / _NORMAL_QUANTILE

    def correlation(self, other: Spread) -> float:
        """Return how two values of the same units go together, from -1 to 1; 0 where one of them has no error."""
        both = (self.times @ self.left**2) * (other.times @ other.left**2)
        return float(self.times @ (self.left * other.left) / np.sqrt(both)) if both > 1e-24 else 0.0


def jackknife(values: Values, table: NDArray[np.int64], times: NDArray[np.int64]) -> dict[str, Spread]:
    """Return the spread of each value, from the values without each unit.

    Args:
        values: what follows from sums.
        table: the distinct rows of sums.
        times: how many units have each.
    """
    whole = times @ table
    point = values(whole[None])
    without = values(whole - table)
    return {name: Spread.of(left, times, float(point[name][0])) for name, left in without.items()}


def _freedom(weight: Floats, times: NDArray[np.int64]) -> float:
    """Return the degrees of freedom of a variance to which units contribute the squares of their weights.

    A variance varies as its kurtosis says (Satterthwaite). So n units that contribute alike, and any number that
    contribute nothing, give 2 (n - 1).
    """
    squares, fourth = float(times @ weight**2), float(times @ weight**4)
    return max(2 * (squares**2 / fourth - 1), _LEAST_FREEDOM) if fourth > 0 else _LEAST_FREEDOM


def interval(values: Floats, errors: Floats, point: float, spread: Spread) -> tuple[float, float]:
    """Return the two ends of the interval of a share, from 0 to 1.

    Where most resamples have no error, as where most are all right, these are percentiles of the resamples.

    Args:
        values: of the resamples.
        errors: their standard errors.
        point: the value itself.
        spread: its spread.
    """
    known = ~np.isnan(values)
    values, errors = values[known], errors[known]
    if not len(values):
        return np.nan, np.nan
    least, most = float(values.min()), float(values.max())
    usable = (errors > _NOTHING) & (values > 0) & (values < 1)
    if not (0 < point < 1 and spread.error > _NOTHING and 2 * usable.sum() > len(values)):
        return percentiles(values, point)
    drawn = values[usable]
    steps = (_logit(drawn) - _logit(point)) * drawn * (1 - drawn) / errors[usable]
    steps = np.append(steps, np.copysign(_FAR, values[~usable] - point))
    below, above = np.percentile(steps, _TAILS)
    error_there = spread.error * spread.widening / (point * (1 - point))
    ends = np.clip([_logit(point) - away * error_there for away in (above, below)], -_FAR, _FAR)
    low, high = 1 / (1 + np.exp(-ends))
    low, high = (round(float(np.clip(end, least, most)), _DIGITS) for end in (low, high))
    return min(low, point), max(high, point)


def interval_of_difference(values: Floats, point: float, spread: Spread) -> tuple[float, float]:
    """Return the two ends of the interval of a difference, of two systems or of two values of one.

    These are percentiles, farther from the difference by as much as the error of the jackknife, with Student's
    distribution, exceeds that of the resamples.

    Args:
        values: of the resamples.
        point: the difference itself.
        spread: its spread.
    """
    known = values[~np.isnan(values)]
    if not len(known) or np.isnan(point):
        return np.nan, np.nan
    of_resamples = float(known.std())
    if of_resamples <= _NOTHING or spread.error <= _NOTHING:
        return percentiles(known, point)
    stretch = max(spread.error / of_resamples * spread.widening, 1.0)
    low, high = (round(float(point + stretch * (end - point)), _DIGITS) for end in np.percentile(known, _TAILS))
    return max(min(low, point), -1.0), min(max(high, point), 1.0)


def interval_of_all_or_nothing(
    point: float, behind: NDArray[np.int64], times: NDArray[np.int64]
) -> tuple[float, float]:
    """Return the two ends of Wilson's interval (1927) of a share that is 0 or 1.

    The number of trials is that of equal units that would weigh as much as these do (Kish). With none of them, the
    share is 0 by convention.

    Args:
        point: the share.
        behind: how much of each distinct unit is behind the share, such as its mentions.
        times: how many units are like each distinct one.
    """
    weight = behind.astype(float)
    total = float(times @ weight)
    if total <= 0:
        return point, point
    n_trials = total**2 / float(times @ weight**2)
    square = student(max(2 * (n_trials - 1), _LEAST_FREEDOM)) ** 2
    away = square / (n_trials + square)
    return (0.0, round(away, _DIGITS)) if point == 0 else (round(1 - away, _DIGITS), 1.0)


def interval_of_mean(
    points: tuple[float, float], ends: tuple[tuple[float, float], tuple[float, float]], correlation: float
) -> tuple[float, float]:
    """Return the two ends of the interval of the mean of two values, from those of each (Zou and Donner 2008).

    Args:
        points: the two values.
        ends: the interval of each.
        correlation: how the two go together.
    """
    mean = (points[0] + points[1]) / 2
    below, above = ([abs(point - end[side]) for point, end in zip(points, ends, strict=True)] for side in (0, 1))
    away = [np.sqrt(max(a**2 + b**2 + 2 * correlation * a * b, 0)) / 2 for a, b in (below, above)]
    low, high = round(float(mean - away[0]), _DIGITS), round(float(mean + away[1]), _DIGITS)
    return max(min(low, mean), 0.0), min(max(high, mean), 1.0)


def student(freedom: float) -> float:
    """Return the quantile of Student's distribution at which intervals end (Hill 1970, algorithm 396).

    Args:
        freedom: the degrees of freedom, 2 or more.

    >>> round(student(3), 3), round(student(10), 3), round(student(1e9), 3)
    (3.182, 2.228, 1.96)
    """
    tail = 1 - LEVEL
    a = 1 / (freedom - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * np.sqrt(a * np.pi / 2) * freedom
    y = (d * tail) ** (2 / freedom)
    if y > 0.05 + a:
        x = -_NORMAL_QUANTILE
        y = x**2
        if freedom < 5:
            c += 0.3 * (freedom - 4.5) * (x + 0.6)
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = np.expm1(a * y**2)
    else:
        less = 1 / (((freedom + 6) / (freedom * y) - 0.089 * d - 0.822) * (freedom + 2) * 3)
        y = ((less + 0.5 / (freedom + 4)) * y - 1) * (freedom + 1) / (freedom + 2) + 1 / y
    return float(np.sqrt(freedom * y))


def percentiles(values: Floats, point: float) -> tuple[float, float]:
    """Return the 2.5th and 97.5th percentile of the resamples, or the value itself where it lies beyond one of them."""
    low, high = np.percentile(values, _TAILS).tolist()
    return (min(low, point), max(high, point)) if point == point else (low, high)


def _logit(share: Floats | float) -> Floats:
    """Return the logarithm of the odds of a share."""
    return np.log(share) - np.log1p(-np.asarray(share))
