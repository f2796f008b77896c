"""Several systems, several runs: which differences are more than chance, and which orders are stable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
"""Differences whose corrected p is below are called significant."""


@dataclass(frozen=True)
class Difference:
    """Of two systems in one value: ``a`` minus ``b``, with its 95% interval."""

    a: str
    b: str
    metric: str
    value: str
    difference: float
    low: float
    high: float
    p: float
    """Of approximate randomisation: how often systems that are interchangeable would differ as much."""
    p_holm: float
    """Corrected for the number of pairs."""

    @property
    def significant(self) -> bool:
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
                f"comparisons of different systems do not add up: {', '.join(self.scores)} and "
                f"{', '.join(other.scores)}."
            )
        scores: dict[str, dict[str, Score]] = {}
        for name, found in self.scores.items():
            theirs = other.scores[name]
            scores[name] = {metric: score + theirs[metric] for metric, score in found.items() if metric in theirs}
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
        return [name for name, found in self.scores.items() if metric in found]

    def _beside(self, metric: str, systems: Sequence[str]) -> Rows:
        """Return the sums of some of the systems that have a metric."""
        known = self.systems_with(metric)
        return self.beside[metric].of_systems([known.index(name) for name in systems], len(known))

    def __radd__(self, other: Any) -> Comparison:
        return self if other == 0 else NotImplemented  # the start value of sum()

    @property
    def _metrics(self) -> list[str]:
        return [metric for metric in score_metrics() if self.systems_with(metric)]

    @cached_property
    def pairs(self) -> tuple[Difference, ...]:
        """All pairs of systems, in each value that is compared."""
        tests = self._tests()
        corrected = {}
        for key in dict.fromkeys(key for found in tests.values() for key in found):
            of_key = {names: found[key].p for names, found in tests.items() if key in found}
            corrected[key] = dict(zip(of_key, holm(list(of_key.values())), strict=True))
        return tuple(
            Difference(*names, *key, **asdict(test), p_holm=corrected[key][names])
            for names, found in tests.items()
            for key, test in found.items()
        )

    def _tests(self) -> dict[tuple[str, str], dict[tuple[str, str], Paired]]:
        """Return the tests of each pair of systems, by metric and value."""
        tests: dict[tuple[str, str], dict[tuple[str, str], Paired]] = {
            names: {} for names in combinations(self.scores, 2)
        }
        for metric, rows in self.beside.items():
            systems = self.systems_with(metric)
            score = self.scores[systems[0]][metric]
            given = int(score.settings["ci"]), int(score.settings["seed"])
            compared = score.record.compared
            of_places = paired([score.parts[i] for i in _parts(score)], rows, systems, compared, *given)
            for (a, b), by_value in of_places.items():
                of_pair = {(metric, value): by_value[value] for value in compared}
                tests[systems[a], systems[b]].update(of_pair)
        return tests

    @cached_property
    def ranks(self) -> dict[str, Any]:
        """Do systems change places between the metrics: exact F1, clean F1, hardeval?

        ``orders``, the best first; ``changes``, for each two orders Kendall's tau-b and the pairs that swap. A system
        for which a metric is undefined has no place in its order.
        """
        worth: dict[str, dict[str, float]] = {}
        for metric in self._metrics:
            systems = self.systems_with(metric)
            record = self.scores[systems[0]][metric].record
            if record.ranked and record.order_is_compared:
                sign = -1 if record.lower_is_better else 1
                scores = {name: self.scores[name][metric].without_intervals() for name in systems}
                of = {name: sign * score[record.ranked] for name, score in scores.items()}
                if not any(map(math.isnan, of.values())):
                    worth[record.ranked] = of
        orders = {value: sorted(of, key=lambda name: -of[name]) for value, of in worth.items()}
        changes = []
        for first, second in combinations(worth, 2):
            changes.append({"first": first, "second": second, **order_changes(worth[first], worth[second])})
        return {"orders": orders, "changes": changes}

    @property
    def signature(self) -> str:
        """How the systems were compared; each score has its own."""
        score = next(iter(next(iter(self.scores.values())).values()))
        assert score.sums.rows is not None
        unit = "sample" if score.sums.rows.names is None else "doc"
        how = {"test": "randomisation", "correction": "holm", "unit": unit}
        return str(Signature.of("compare", {**how, "ci": score.settings["ci"], "seed": score.settings["seed"]}))

    def to_dict(self, *, intervals: bool = True) -> dict[str, Any]:
        """Return plain dicts, lists and numbers.

        Args:
            intervals: whether the scores of each system have theirs, which take time.
        """
        with said_once():
            systems = {
                name: {metric: (s if intervals else s.without_intervals()).to_dict() for metric, s in found.items()}
                for name, found in self.scores.items()
            }
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
    """The scores of systems on the same samples, and whether their differences are more than chance.

    For each pair of systems and each value (F1, clean F1, delta F1, hardeval, ...): the difference, its 95% interval
    from ``ci`` resamples of both systems together, and the p-value of approximate randomisation, in which the two
    outputs for a sample are exchanged at random (Noreen 1989; Yeh 2000), also corrected by Holm's method for the number
    of pairs. Samples are the units, or documents where these are known. ``metrics`` are all that ``exposure`` allows,
    but for those that are undefined where mentions overlap, such as hardeval: these are left out of the systems whose
    mentions overlap. ``types`` are other names for types, by those that gold, predictions and training have
    (``{"person": "PER"}``). With ``beta=2`` systems are compared in F2, in which recall weighs twice as much, rather
    than in F1; with any other number likewise.

    >>> gold = [["B-PER", "O"], ["O", "B-LOC"]] * 20
    >>> found = compare(gold, {"a": gold, "b": [["B-PER", "O"], ["O", "O"]] * 20}, ci=999)
    >>> found.pairs[0].value, round(found.pairs[0].difference, 3), found.pairs[0].p, found.pairs[0].significant
    ('f1', 0.333, 0.001, True)
    """
    ci, seed = parse_resampling(ci, seed)
    if not ci:
        raise CleancutError(
            f"ci={ci!r}: systems are compared by resampling. Give a number of resamples, such as 10000."
        )
    if not isinstance(systems, Mapping) or len(systems) < 2:
        given = ", ".join(systems) if isinstance(systems, Mapping) else type(systems).__name__
        raise CleancutError(
            f"compare needs two systems or more, but has {given or 'none'}. Give {{name: predictions}}."
        )
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
        having = [found[metric] for found in scores.values() if metric in found]
        if len(having) > 1:
            beside[metric] = _together(having)
    return Comparison(scores, beside)


def _chosen(metrics: Sequence[str] | None, exposure: Exposure | None) -> list[str]:
    if metrics is None:
        return available_metrics(train=exposure is not None)
    metrics = checks.names(metrics, "metrics", f"a list of some of {', '.join(score_metrics())}")
    if not metrics or set(metrics) - set(score_metrics()):
        raise CleancutError(f"metrics={quoted(metrics)}: give a list of some of {', '.join(score_metrics())}.")
    if exposure is None and (lacking := [metric for metric in metrics if score_metrics()[metric].needs_train]):
        raise CleancutError(f"{lacking[0]} needs to know what training has shown. Give exposure=Exposure.of(train).")
    return list(dict.fromkeys(metrics))


def _score(metric: str, both: Pair, given: Any, exposure: Exposure | None, **options: Any) -> Score:
    gold = both.corpus if both.corpus is not None else both.gold
    pred = both.pred if both.projection is None else given  # what became of other tokens is part of the score
    return score_metrics()[metric](gold, pred, exposure, **taken(metric, options))


def _parts(score: Score) -> list[int]:
    """Which parts of a score hold what is compared."""
    return [i for i, part in enumerate(score.parts) if part.gives() & set(score.record.compared)]


def _together(scores: Sequence[Score]) -> Rows:
    """Return the sums of several systems in each unit."""
    rows = [score.sums.rows for score in scores if score.sums.rows is not None]
    return Rows.together(rows, _parts(scores[0]))


def holm(p: Sequence[float]) -> list[float]:
    """P-values of a family of tests, corrected by Holm's method (1979); NaN is no test and stays.

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
    """Kendall's tau-b; NaN where all values of one are equal, or one is NaN. (To import that of scipy takes a second.)

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

    >>> order_changes({"a": 3, "b": 2, "c": 1}, {"a": 1, "b": 2})
    {'tau': -1.0, 'swaps': [['a', 'b']]}
    """
    shared = [name for name in first if name in second]
    swaps = [[a, b] for a, b in combinations(shared, 2) if (first[a] - first[b]) * (second[a] - second[b]) < 0]
    tau = kendall_tau([first[name] for name in shared], [second[name] for name in shared])
    return {"tau": tau, "swaps": swaps}


def over_runs(scores: Sequence[Score]) -> dict[str, Any]:
    """Mean and standard deviation of each value over several runs of one system, such as seeds of its training.

    The standard deviation is that of a sample (n - 1 in the denominator), NaN for a single run. Values that a run
    lacks, as those of a type that only some runs predict, are left out, and so are the ends of intervals, which tell
    another spread: that over samples.

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
    found: dict[str, Any] = {}
    for name, value in first.items():
        if name not in ends and isinstance(value, int | float) and all(name in score for score in scores):
            values = [score[name] for score in scores]
            std = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
            found[name] = {"mean": float(np.mean(values)), "std": std}
    return {**found, "signature": " ".join(dict.fromkeys(score.signature for score in scores))}


CORRELATED = ("f1", "clean_f1", "contaminated_f1", "delta_f1")


def contamination_correlation(
    levels: Sequence[float], scores: Sequence[Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Pearson's r of the contamination level of a training set against the scores of the models trained on it.

    Over a ladder of runs (Babil et al., Section 5.1, Figure 6): the level of each, and its ``clean_f1`` score or any
    mapping with some of ``f1``, ``clean_f1``, ``contaminated_f1`` and ``delta_f1``. Each gets ``r``, its two-sided
    ``p`` and ``n``, the runs in which it is defined (there is no contaminated F1 at level 0); NaN where it does not
    vary, or in fewer than three. The paper found 0.57 for delta F1, 0.52 for contaminated F1, 0.18 for clean F1.

    >>> ladder = [{"f1": 0.6, "delta_f1": 0.0}, {"f1": 0.7, "delta_f1": 0.1}, {"f1": 0.8, "delta_f1": 0.15}]
    >>> found = contamination_correlation([0, 0.5, 1], ladder)
    >>> round(found["f1"]["r"], 4), round(found["delta_f1"]["r"], 4), found["delta_f1"]["n"]
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
    found = {}
    for name in CORRELATED:
        if not scores or not all(name in score for score in scores):
            continue
        try:
            both = np.array([[level, score[name]] for level, score in zip(levels, scores, strict=True)], float)
        except (TypeError, ValueError):
            raise CleancutError(f"a level or {name} is no number. Give numbers.") from None
        both = both.reshape(-1, 2)
        x, y = both[~np.isnan(both).any(axis=1)].T
        r, p = pearsonr(x, y) if len(x) > 2 and np.ptp(x) and np.ptp(y) else (math.nan, math.nan)
        found[name] = {"r": float(r), "p": float(p), "n": len(x)}
    if not found:
        raise CleancutError(f"the scores have none of {', '.join(CORRELATED)}. Give scores of clean_f1.")
    return found
