"""Compare several systems, or several runs of one: which differences are more than chance, which orders stable."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from ..core import checks
from ..core.corpus import overlaps
from ..core.exceptions import CleancutError, quoted
from ..core.notices import said_once
from ..core.pairing import Pair, pair
from ..core.shown import Drawn
from ..core.signature import Signature
from .exposure import Exposure
from .registry import available_metrics, score_metrics, taken
from .resampling import Paired, Rows, paired, parse_resampling
from .score import Score

ALPHA = 0.05
"""Differences whose corrected p-value is below it are called significant."""


@dataclass(frozen=True)
class Difference:
    """The difference of two systems in one value: ``a`` minus ``b``, with its 95% interval."""

    a: str
    """The name of the first system."""
    b: str
    """The name of the second system."""
    metric: str
    """The metric."""
    value: str
    """The value of the metric, such as ``f1``."""
    difference: float
    """The value of ``a`` minus that of ``b``."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""
    p: float
    """The p-value of approximate randomisation: how often interchangeable systems would differ as much."""
    p_holm: float
    """The p-value, corrected for the number of pairs."""

    @property
    def significant(self) -> bool:
        """Whether the corrected p-value is below ``ALPHA``."""
        return self.p_holm < ALPHA


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Drawn):
    """Systems on the same samples. Comparisons of shards add up to that of the whole."""

    scores: Mapping[str, Mapping[str, Score]]
    """``scores[system][metric]``, with intervals. A system lacks a metric that is undefined for its mentions."""
    beside: Mapping[str, Rows] = field(repr=False)
    """For each metric, the sums of all systems that have it in each unit, for the parts that are compared."""

    def __add__(self, other: Comparison) -> Comparison:
        if not isinstance(other, Comparison):
            return NotImplemented
        if list(self.scores) != list(other.scores):
            raise CleancutError(
                f"comparisons of different systems cannot be added: {', '.join(self.scores)} and "
                f"{', '.join(other.scores)}."
            )
        scores: dict[str, dict[str, Score]] = {}
        for name, own_scores in self.scores.items():
            other_scores = other.scores[name]
            shared = [metric for metric in own_scores if metric in other_scores]
            scores[name] = {metric: own_scores[metric] + other_scores[metric] for metric in shared}
        whole = Comparison(scores, {})
        beside = {}
        for metric in whole._metrics:
            systems = whole.systems_with(metric)
            if len(systems) > 1:
                beside[metric] = self._beside(metric, systems) + other._beside(metric, systems)
        return Comparison(scores, beside)

    def systems_with(self, metric: str) -> list[str]:
        """Return the names of the systems that were scored by a metric, in their order.

        Args:
            metric: its name, such as ``hardeval``.
        """
        checks.text(metric, "metric", "the name of a metric")
        return [name for name, of_metric in self.scores.items() if metric in of_metric]

    def _beside(self, metric: str, systems: Sequence[str]) -> Rows:
        """Return the sums of some of the systems that have a metric."""
        known = self.systems_with(metric)
        return self.beside[metric].of_systems([known.index(name) for name in systems], len(known))

    def __radd__(self, other: Any) -> Comparison:
        return self if other == 0 else NotImplemented  # the start value of sum()

    @property
    def _metrics(self) -> list[str]:
        """The metrics that some system was scored by."""
        return [metric for metric in score_metrics() if self.systems_with(metric)]

    @cached_property
    def pairs(self) -> tuple[Difference, ...]:
        """The differences of all pairs of systems, in each value that is compared."""
        return self._differences()

    def computed(self, told: Callable[[float], None], *, intervals: bool = True) -> Comparison:
        """Return this comparison with all that takes time computed, and tell how far it is.

        Args:
            told: a function that is told what share of the work was done since it was told last.
            intervals: whether the scores of each system will be read with their intervals.
        """
        checks.function(told, "told", "a function that takes a share of the work")
        share = 0.25 if checks.switch(intervals, "intervals") else 1.0
        vars(self)["pairs"] = self._differences(lambda done: told(share * done))  # what cached_property would keep
        scores = [score for of_metric in self.scores.values() for score in of_metric.values()] if intervals else []
        with said_once():
            for score in scores:
                len(score)
                told((1 - share) / len(scores))
        return self

    def _differences(self, told: Callable[[float], None] | None = None) -> tuple[Difference, ...]:
        """Return the differences of all pairs, with their p-values corrected."""
        tests = self._tests(told)
        corrected = {}
        for value in dict.fromkeys(value for by_value in tests.values() for value in by_value):
            p_of_pair = {names: by_value[value].p for names, by_value in tests.items() if value in by_value}
            corrected[value] = dict(zip(p_of_pair, holm(list(p_of_pair.values())), strict=True))
        differences = []
        for names, by_value in tests.items():
            for value, test in by_value.items():
                p_holm = corrected[value][names]
                differences.append(Difference(*names, *value, **asdict(test), p_holm=p_holm))
        return tuple(differences)

    def _tests(
        self, told: Callable[[float], None] | None = None
    ) -> dict[tuple[str, str], dict[tuple[str, str], Paired]]:
        """Return the tests of each pair of systems, by metric and value."""
        of_metric = None if told is None else lambda done: told(done / len(self.beside))
        tests: dict[tuple[str, str], dict[tuple[str, str], Paired]] = {
            names: {} for names in combinations(self.scores, 2)
        }
        for metric, rows in self.beside.items():
            systems = self.systems_with(metric)
            score = self.scores[systems[0]][metric]
            given = int(score.settings["ci"]), int(score.settings["seed"])
            compared = score.record.compared
            of_places = paired([score.parts[i] for i in _parts(score)], rows, systems, compared, *given, of_metric)
            for (a, b), by_value in of_places.items():
                of_pair = {(metric, value): by_value[value] for value in compared}
                tests[systems[a], systems[b]].update(of_pair)
        return tests

    @cached_property
    def ranks(self) -> dict[str, Any]:
        """The orders of the systems by exact F1, clean F1 and hardeval, and how they differ.

        ``orders`` lists the systems of each order, the best first. ``changes`` has, for each two orders, Kendall's
        tau-b and the pairs that swap. A system for which a metric is undefined has no place in its order.
        """
        worth: dict[str, dict[str, float]] = {}
        for metric in self._metrics:
            systems = self.systems_with(metric)
            record = self.scores[systems[0]][metric].record
            if record.ranked and record.order_is_compared:
                sign = -1 if record.lower_is_better else 1
                scores = {name: self.scores[name][metric].without_intervals() for name in systems}
                worth_of = {name: sign * score[record.ranked] for name, score in scores.items()}
                if not any(map(math.isnan, worth_of.values())):
                    worth[record.ranked] = worth_of
        orders = {}
        for value, worth_of in worth.items():
            orders[value] = sorted(worth_of, key=worth_of.__getitem__, reverse=True)
        changes = []
        for first, second in combinations(worth, 2):
            changes.append({"first": first, "second": second, **order_changes(worth[first], worth[second])})
        return {"orders": orders, "changes": changes}

    @property
    def signature(self) -> str:
        """The text that states how the systems were compared; each score has its own."""
        score = next(iter(next(iter(self.scores.values())).values()))
        assert score.sums.rows is not None
        unit = "sample" if score.sums.rows.names is None else "doc"
        how = {"test": "randomisation", "correction": "holm", "unit": unit}
        return str(Signature.of("compare", {**how, "ci": score.settings["ci"], "seed": score.settings["seed"]}))

    def to_dict(self, *, intervals: bool = True) -> dict[str, Any]:
        """Return plain dicts, lists and numbers.

        Args:
            intervals: whether the scores of each system have their intervals, which take time.
        """
        checks.switches(intervals=intervals)
        with said_once():
            systems: dict[str, dict[str, Any]] = {}
            for name, of_metric in self.scores.items():
                systems[name] = {}
                for metric, score in of_metric.items():
                    shown = score if intervals else score.without_intervals()
                    systems[name][metric] = shown.to_dict()
            pairs = [asdict(difference) for difference in self.pairs]
            return {"systems": systems, "pairs": pairs, "ranks": self.ranks, "signature": self.signature}

    def __repr__(self) -> str:
        lines = [f"Comparison of {', '.join(self.scores)} (* significant) {self.signature}"]
        for a, b in combinations(self.scores, 2):
            shown = (f"{d.value} {d.difference:+.4f}{'*' * d.significant}" for d in self.pairs if (d.a, d.b) == (a, b))
            lines.append(f"  {a} - {b}: {', '.join(shown)}")
        return "\n".join(lines)


def compare(
    gold: Any,
    systems: Mapping[str, Any],
    exposure: Exposure | None = None,
    *,
    metrics: Sequence[str] | None = None,
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    types: Mapping[str, str] | None = None,
    beta: float = 1.0,
    ci: int = 10_000,
    seed: int = 13,
) -> Comparison:
    """Compare the scores of systems on the same samples, and tell which differences are more than chance.

    For each pair of systems and each value (F1, clean F1, delta F1, hardeval, ...) there is the difference, its 95%
    interval, and the p-value of approximate randomisation, in which the two outputs for a sample are exchanged at
    random (Noreen 1989; Yeh 2000). The p-value is also corrected by Holm's method for the number of pairs. Samples
    are the units, or documents where these are known.

    Args:
        gold: a corpus, mentions, or lists of tags, label ids or spans.
        systems: the predictions of each system, by its name, in any of these forms or as answers of a language model.
        exposure: the index of the training data, ``Exposure.of(train)``.
        metrics: the metrics; by default all that can be computed. Those that are undefined where mentions overlap, such
            as hardeval, are left out for the systems whose mentions overlap.
        tokens: the words of each sample, where gold and predictions are lists.
        labels: the names of label ids: a list, an id2label dict or a ``ClassLabel``.
        scheme: the scheme of the tags; by default it is inferred where it is needed.
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.
        types: new names of types by old ones (``{"person": "PER"}``), for all sides.
        beta: a number other than 1 compares systems in F-beta rather than F1: with ``beta=2``, recall weighs twice as
            much.
        ci: the number of resamples, and of random exchanges.
        seed: the seed of both.

    Returns:
        The scores of each system, and the differences of all pairs.

    Raises:
        CleancutError: there are fewer than two systems, an option is not valid, or a system does not fit gold.

    >>> gold = [["B-PER", "O"], ["O", "B-LOC"]] * 20
    >>> comparison = compare(gold, {"a": gold, "b": [["B-PER", "O"], ["O", "O"]] * 20}, ci=999)
    >>> first = comparison.pairs[0]
    >>> first.value, round(first.difference, 3), first.p, first.significant
    ('f1', 0.333, 0.001, True)
    """
    ci, seed = parse_resampling(ci, seed)
    if not ci:
        raise CleancutError(
            f"ci={quoted(ci)}: systems are compared by resampling. Give a number of resamples, such as 10000."
        )
    if not isinstance(systems, Mapping) or len(systems) < 2:
        given = ", ".join(map(quoted, systems)) if isinstance(systems, Mapping) else type(systems).__name__
        raise CleancutError(
            f"compare needs two systems or more, but has {given or 'none'}. Give {{name: predictions}}."
        )
    for name in systems:
        checks.text(name, "systems: a name", "the predictions by the names of the systems")
    options = {"types": types, "beta": checks.beta(beta), "ci": ci, "seed": seed}
    chosen = _chosen(metrics, exposure)
    scored: dict[str, Pair] = {}
    for name, pred in systems.items():
        try:
            scored[name] = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair)
        except CleancutError as error:
            raise CleancutError(f"{name}: {error}") from error
    scores: dict[str, dict[str, Score]] = {}
    for name, both in scored.items():
        defined = chosen
        if metrics is None and (overlaps(both.gold) or overlaps(both.pred)):
            defined = available_metrics(train=exposure is not None, flat=False)
        scores[name] = {metric: _score(metric, both, systems[name], exposure, **options) for metric in defined}
    beside = {}
    for metric in chosen:
        of_systems = [of_metric[metric] for of_metric in scores.values() if metric in of_metric]
        if len(of_systems) > 1:
            beside[metric] = _together(of_systems)
    return Comparison(scores, beside)


def _chosen(metrics: Sequence[str] | None, exposure: Exposure | None) -> list[str]:
    """Return the metrics to compute, which must exist and be computable."""
    if metrics is None:
        return available_metrics(train=exposure is not None)
    metrics = checks.names(metrics, "metrics", f"a list of some of {', '.join(score_metrics())}")
    if not metrics or set(metrics) - set(score_metrics()):
        raise CleancutError(f"metrics={quoted(metrics)}: give a list of some of {', '.join(score_metrics())}.")
    if exposure is None and (lacking := [metric for metric in metrics if score_metrics()[metric].needs_train]):
        raise CleancutError(f"{lacking[0]} needs to know what training has shown. Give exposure=Exposure.of(train).")
    return list(dict.fromkeys(metrics))


def _score(metric: str, both: Pair, given: Any, exposure: Exposure | None, **options: Any) -> Score:
    """Return the score of one system by one metric."""
    gold = both.corpus if both.corpus is not None else both.gold
    pred = both.pred if both.projection is None else given  # a score reports how predictions were projected
    return score_metrics()[metric](gold, pred, exposure, **taken(metric, options))


def _parts(score: Score) -> list[int]:
    """Return the positions of the parts of a score that hold the compared values."""
    return [i for i, part in enumerate(score.parts) if part.gives() & set(score.record.compared)]


def _together(scores: Sequence[Score]) -> Rows:
    """Return the sums of several systems in each unit."""
    rows = [score.sums.rows for score in scores if score.sums.rows is not None]
    return Rows.together(rows, _parts(scores[0]))


def least_resamples(n_pairs: int) -> int:
    """Return the least number of resamples with which a difference can be significant.

    The smallest p-value of ``n`` exchanges is 1 / (n + 1), which Holm's method multiplies by the number of pairs.

    Args:
        n_pairs: the number of pairs of systems.

    >>> least_resamples(1), least_resamples(105)
    (20, 2100)
    """
    return math.ceil(n_pairs / ALPHA)


def holm(p: Sequence[float]) -> list[float]:
    """Return the p-values of a family of tests, corrected by Holm's method (1979).

    Args:
        p: the p-values; NaN is not a test, and stays.

    >>> holm([0.01, 0.04, 0.03, float("nan")])
    [0.03, 0.06, 0.06, nan]
    """
    given = np.asarray(p, float)
    order = np.argsort(given)[: int((~np.isnan(given)).sum())]  # NaN comes last
    corrected = np.full(len(given), np.nan)
    corrected[order] = np.minimum(np.maximum.accumulate(given[order] * np.arange(len(order), 0, -1)), 1)
    return corrected.tolist()


# --- runs -----------------------------------------------------------------------------------------------


def kendall_tau(x: Sequence[float], y: Sequence[float]) -> float:
    """Return Kendall's tau-b; NaN if all values of a side are equal, or one is NaN.

    It is computed here because importing scipy's takes a second.

    Args:
        x: a value for each system.
        y: another value for each system.

    >>> round(kendall_tau([1, 2, 3], [1, 3, 2]), 4)
    0.3333
    """
    if any(map(math.isnan, [*x, *y])):
        return math.nan
    pairs = combinations(zip(x, y, strict=True), 2)
    signs = [((a > b) - (a < b), (c > d) - (c < d)) for (a, c), (b, d) in pairs]
    n_x, n_y = (sum(map(abs, one)) for one in zip(*signs, strict=True)) if signs else (0, 0)
    if not n_x or not n_y:
        return math.nan
    tau = sum(a * b for a, b in signs) / math.sqrt(n_x) / math.sqrt(n_y)
    return min(max(tau, -1.0), 1.0)


def order_changes(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, Any]:
    """Return Kendall's tau-b between two orders of systems, and the pairs that change places, of those that both have.

    Args:
        first: the value of each system in the first order.
        second: the value of each system in the second order.

    >>> order_changes({"a": 3, "b": 2, "c": 1}, {"a": 1, "b": 2})
    {'tau': -1.0, 'swaps': [['a', 'b']]}
    """
    shared = [name for name in first if name in second]
    swaps = [[a, b] for a, b in combinations(shared, 2) if (first[a] - first[b]) * (second[a] - second[b]) < 0]
    tau = kendall_tau([first[name] for name in shared], [second[name] for name in shared])
    return {"tau": tau, "swaps": swaps}


def over_runs(scores: Sequence[Score]) -> dict[str, Any]:
    """Return the mean and the standard deviation of each value over several runs of one system.

    Runs are, for example, several seeds of its training. The standard deviation is that of a sample (n - 1 in the
    denominator), and NaN for a single run. Values that a run lacks, such as those of a type that only some runs
    predict, are left out. So are the ends of intervals, which describe another spread: that over samples.

    Args:
        scores: the score of each run, all computed with the same settings.

    Raises:
        CleancutError: there is no score, or they were computed differently.

    >>> from cleancut.scoring.exact import exact_f1
    >>> runs = [exact_f1([["B-PER", "O"]], pred) for pred in ([["B-PER", "O"]], [["O", "O"]])]
    >>> over_runs(runs)["f1"]
    {'mean': 0.5, 'std': 0.7071067811865476}
    """
    scores = checks.ordered(scores, "scores", "a list of the scores of each run")
    if not scores:
        raise CleancutError("over_runs needs the scores of one run or more, but has none.")
    for i, score in enumerate(scores):
        checks.instance(score, Score, f"scores: run {i}", "what a metric returns")
    first = scores[0]
    for score in scores:
        if (score.metric, dict(score.settings)) != (first.metric, dict(first.settings)):
            raise CleancutError(f"runs were scored differently: {first.signature} and {score.signature}.")
    ends = {f"{name}_{end}" for name in first for end in ("low", "high")}
    spread: dict[str, Any] = {}
    for name, value in first.items():
        is_number = isinstance(value, int | float)
        if is_number and name not in ends and all(name in score for score in scores):
            values = [score[name] for score in scores]
            std = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
            spread[name] = {"mean": float(np.mean(values)), "std": std}
    return {**spread, "signature": " ".join(dict.fromkeys(score.signature for score in scores))}


CORRELATED = ("f1", "clean_f1", "contaminated_f1", "delta_f1")
"""The values that are correlated with contamination."""


def contamination_correlation(
    levels: Sequence[float], scores: Sequence[Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return Pearson's r between the contamination of training sets and the scores of the models trained on them.

    This is the analysis of Babl et al., Section 5.1 and Figure 6, over the runs of a contamination ladder. The paper
    found 0.57 for delta F1, 0.52 for contaminated F1 and 0.18 for clean F1.

    Args:
        levels: the contamination level of each run.
        scores: the ``clean_f1`` score of each run, or any mapping with some of ``f1``, ``clean_f1``,
            ``contaminated_f1`` and ``delta_f1``.

    Returns:
        For each value its ``r``, the two-sided ``p``, and ``n``, the runs in which it is defined (there is no
        contaminated F1 at level 0). They are NaN if the value does not vary, or is defined in fewer than three runs.

    Raises:
        CleancutError: there is not one level for each score, or the scores have none of these values.

    >>> ladder = [{"f1": 0.6, "delta_f1": 0.0}, {"f1": 0.7, "delta_f1": 0.1}, {"f1": 0.8, "delta_f1": 0.15}]
    >>> correlation = contamination_correlation([0, 0.5, 1], ladder)
    >>> round(correlation["f1"]["r"], 4), round(correlation["delta_f1"]["r"], 4), correlation["delta_f1"]["n"]
    (1.0, 0.982, 3)
    """
    from scipy.stats import pearsonr

    levels = checks.ordered(levels, "levels", "a number for each run")
    scores = checks.ordered(scores, "scores", "a mapping of values for each run")
    for i, score in enumerate(scores):
        if not isinstance(score, Mapping):
            raise CleancutError(f"scores: run {i} is {quoted(score)}. Give a mapping of values.")
    if len(levels) != len(scores):
        raise CleancutError(
            f"{len(levels)} contamination levels but {len(scores)} scores. Give one level for each run."
        )
    correlations = {}
    for name in CORRELATED:
        if not scores or not all(name in score for score in scores):
            continue
        try:
            both = np.array([[level, score[name]] for level, score in zip(levels, scores, strict=True)], float)
        except Exception:  # whatever the method of an object raises
            raise CleancutError(f"a level or {name} is not a number. Give numbers.") from None
        both = both.reshape(-1, 2)
        x, y = both[~np.isnan(both).any(axis=1)].T
        r, p = pearsonr(x, y) if len(x) > 2 and np.ptp(x) and np.ptp(y) else (math.nan, math.nan)
        correlations[name] = {"r": float(r), "p": float(p), "n": len(x)}
    if not correlations:
        raise CleancutError(f"the scores have none of {', '.join(CORRELATED)}. Give scores of clean_f1.")
    return correlations
