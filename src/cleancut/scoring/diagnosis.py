"""Views over the buckets of many systems and datasets (Fu et al., Section 5): what matters, to whom, and where.

A performance table is ``{system: buckets(...)}`` on one test set, or ``{dataset: {system: ...}}`` over several. Buckets
without gold mentions are left out of every statistic. A statistic that has too few values left is NaN. F1 stands for
F-beta where the buckets were scored with another beta than 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.exceptions import CleancutError, quoted
from .buckets import Buckets
from .compare import holm

Systems = Mapping[str, Buckets]
Datasets = Mapping[str, Systems]
_WANTED = "what buckets() returns, by the name of its system"


def _systems(given: Any, name: str = "systems") -> dict[str, Buckets]:
    """Return the buckets of each system, which must have the same attributes."""
    checked = checks.instances(given, Buckets, name, _WANTED)
    first = set(next(iter(checked.values()), ()))
    beta = next((buckets.beta for buckets in checked.values()), 1.0)
    for system, buckets in checked.items():
        if buckets.beta != beta:
            raise CleancutError(
                f"{quoted(system)}: its buckets have beta={buckets.beta:g}, others {beta:g}. Give the same for all."
            )
        if set(buckets) != first:
            other = min(set(buckets) ^ first)
            raise CleancutError(f"{quoted(system)}: not all systems have the attribute {other}. Give the same for all.")
    return checked


def model_wise(systems: Systems) -> dict[str, dict[str, dict[str, float]]]:
    """Return how much the F1 of each system depends on each attribute.

    Args:
        systems: the buckets of each system, on one test set.

    Returns:
        For each system and attribute, ``spearman`` (Eq. 8), the rank correlation of F1 with the order of the buckets,
        and ``std`` (Eq. 9), the standard deviation of F1 over them (of the population). Attributes whose buckets have
        no order have NaN for ``spearman``.

    Raises:
        CleancutError: the systems do not have the same attributes.
    """
    of_system: dict[str, dict[str, dict[str, float]]] = {}
    for system, buckets in _systems(systems).items():
        of_system[system] = {}
        for name in buckets:
            f1 = _f1(buckets, name)
            spearman = _spearman(f1) if _ordered(buckets[name]) else math.nan
            of_system[system][name] = {"spearman": spearman, "std": _std(f1)}
    return of_system


def attribute_wise(datasets: Datasets) -> dict[str, dict[str, dict[str, float]]]:
    """Return how much each attribute matters on each dataset.

    Args:
        datasets: for each dataset, the buckets of each system.

    Returns:
        For each dataset and attribute, ``zeta`` (Eq. 10), its mean over the gold mentions, and ``rho`` (Eq. 11), the
        mean over systems of ``|spearman|``.

    Raises:
        CleancutError: a dataset has no system, or its systems do not have the same attributes.
    """
    by_dataset: dict[str, dict[str, dict[str, float]]] = {}
    if not isinstance(datasets, Mapping):
        raise CleancutError(f"datasets is {quoted(datasets)}. Give {{dataset: {{system: buckets}}}}.")
    for dataset, systems in datasets.items():
        checks.text(dataset, "datasets: a name", "datasets by their names")
        if isinstance(systems, Mapping) and not systems:
            raise CleancutError(f"{dataset}: there is no system. Give at least one.")
        ranked = model_wise(systems)
        first = next(iter(systems.values()))
        by_dataset[dataset] = {}
        for name in first:
            rho = _mean_size([of_system[name]["spearman"] for of_system in ranked.values()])
            by_dataset[dataset][name] = {"zeta": first.means.get(name, math.nan), "rho": rho}
    return by_dataset


MIN_COUNT = 30
"""Gold mentions that a bucket needs to be called best or worst: F1 over fewer says little."""


def self_diagnosis(buckets: Buckets, *, min_count: int = MIN_COUNT) -> dict[str, dict[str, Any]]:
    """Return the buckets of each attribute in which a system is best and worst.

    Args:
        buckets: what ``buckets`` returns.
        min_count: gold mentions that a bucket needs to be called best or worst.

    Returns:
        For each attribute with two such buckets ``best`` and ``worst`` (their names), ``gap`` (the difference of their
        F1) and, where the buckets have intervals, ``clear``: whether those of the two do not overlap.
    """
    least = checks.whole(min_count, "min_count", 1)
    value = checks.instance(buckets, Buckets, "buckets", "what buckets() returns").value
    diagnosis: dict[str, dict[str, Any]] = {}
    for name, rows in buckets.items():
        known = [row for row in rows if row["n_gold"] >= least]
        if len(known) < 2:
            continue
        best = max(known, key=lambda row: row[value])
        worst = min(known, key=lambda row: row[value])
        diagnosis[name] = {"best": best["bucket"], "worst": worst["bucket"], "gap": best[value] - worst[value]}
        if f"{value}_low" in best:
            diagnosis[name]["clear"] = best[f"{value}_low"] > worst[f"{value}_high"]
    return diagnosis


def comparative_diagnosis(a: Buckets, b: Buckets, *, min_count: int = MIN_COUNT) -> dict[str, dict[str, Any]]:
    """Return the buckets in which system A is most ahead of system B, and most behind it.

    Args:
        a: the buckets of one system.
        b: those of another, on the same samples.
        min_count: gold mentions that a bucket needs to be named.

    Returns:
        For each attribute ``ahead`` (the bucket in which A minus B is largest) with ``lead``, and ``behind`` (in which
        it is smallest) with ``lag``; both differences are A minus B.
    """
    least = checks.whole(min_count, "min_count", 1)
    diagnosis = {}
    _systems({"a": a, "b": b})
    for name in a:
        gaps = _gaps(a, b, name, least)
        if gaps:
            ahead = max(gaps, key=lambda bucket: gaps[bucket])
            behind = min(gaps, key=lambda bucket: gaps[bucket])
            diagnosis[name] = {"ahead": ahead, "lead": gaps[ahead], "behind": behind, "lag": gaps[behind]}
    return diagnosis


def friedman(blocks: Mapping[str, Buckets]) -> dict[str, dict[str, float]]:
    """Test whether the buckets of an attribute differ in F1 (appendix E).

    Args:
        blocks: the buckets of each system on one dataset, or those of one system on each dataset.

    Returns:
        For each attribute the ``statistic``, ``p``, ``effect`` (Kendall's W, from 0 to 1) and ``p_holm``, which is
        corrected for the number of attributes. They are NaN for fewer than three buckets or two blocks.

    Raises:
        CleancutError: the blocks do not have the same attributes.
    """
    from scipy.stats import friedmanchisquare

    tests: dict[str, dict[str, float]] = {}
    blocks = _systems(blocks, "blocks")
    for name in next(iter(blocks.values()), {}):
        table = _performance(blocks, name)
        n, k = table.shape
        tests[name] = dict.fromkeys(("statistic", "p", "effect"), math.nan)
        if n >= 2 and k >= 3 and np.ptp(table, axis=1).any():  # where no bucket differs there is nothing to rank
            statistic, p = (float(x) for x in friedmanchisquare(*table.T))
            tests[name] = {"statistic": statistic, "p": p, "effect": statistic / (n * (k - 1))}
    for row, p in zip(tests.values(), holm([row["p"] for row in tests.values()]), strict=True):
        row["p_holm"] = p
    return tests


def wilcoxon(systems: Systems | Datasets) -> list[dict[str, Any]]:
    """Test whether one system beats another over the buckets, with the signed-rank test for each pair and attribute.

    Args:
        systems: the buckets of each system; over several datasets, ``{dataset: {system: buckets}}``. Then the buckets
            of all datasets that both systems of a pair have are taken together.

    Returns:
        Rows with ``a``, ``b``, ``attribute`` (``all``: the buckets of all attributes), ``n`` buckets, the median
        ``difference`` in F1, ``p``, the rank-biserial ``effect`` from -1 to 1, and ``p_holm`` over all pairs.
    """
    datasets = _datasets(systems)
    names = list(dict.fromkeys(name for own in datasets for name in own))
    attributes = list(dict.fromkeys(name for own in datasets for buckets in own.values() for name in buckets))
    all_rows = []
    for at in ["all", *attributes]:
        chosen = attributes if at == "all" else [at]
        rows = []
        for a, b in combinations(names, 2):
            gaps = np.array(_all_gaps(datasets, a, b, chosen))
            row: dict[str, Any] = {"a": a, "b": b, "attribute": at, "n": len(gaps), "difference": _median(gaps)}
            rows.append({**row, **_signed_ranks(gaps)})
        corrected = holm([row["p"] for row in rows])
        all_rows += [{**row, "p_holm": p} for row, p in zip(rows, corrected, strict=True)]
    return all_rows


def _datasets(given: Systems | Datasets) -> list[dict[str, Buckets]]:
    """Return the systems of each dataset, checked; those of one dataset may stand alone."""
    if not isinstance(given, Mapping) or not any(
        isinstance(own, Mapping) and not isinstance(own, Buckets) for own in given.values()
    ):
        return [_systems(given)]
    return [_systems(own, f"systems of {quoted(name)}") for name, own in given.items()]


def _all_gaps(datasets: Sequence[Systems], a: str, b: str, attributes: Sequence[str]) -> list[float]:
    """Return F1 of A minus that of B in each bucket of each dataset that has both."""
    gaps: list[float] = []
    for systems in datasets:
        if a in systems and b in systems:
            for name in attributes:
                gaps += _gaps(systems[a], systems[b], name).values() if name in systems[a] else ()
    return gaps


def _signed_ranks(gaps: NDArray[np.float64]) -> dict[str, float]:
    """Return ``p`` and ``effect`` of the signed-rank test; p is 1 where nothing differs, NaN where there is nothing."""
    from scipy import stats

    changed = gaps[gaps != 0]
    p = float(stats.wilcoxon(changed).pvalue) if len(changed) else 1.0 if len(gaps) else math.nan
    return {"p": p, "effect": _rank_biserial(changed)}


PLACES = ("XS", "S", "L", "XL")
"""What the buckets of an attribute are called where those of several datasets are meant (Table 3), from low to high."""


def steady_gaps(blocks: Mapping[str, Buckets], *, min_count: int = MIN_COUNT) -> dict[str, dict[str, Any]]:
    """Return the buckets in which a system is best and worst over several datasets, and test whether they differ.

    The buckets of different datasets have different bounds, so that they are told apart by their place: the lowest
    values are ``XS``, then come ``S``, ``L`` and ``XL``; of another number than four, the first is ``1``.

    Args:
        blocks: the buckets of one system on each dataset.
        min_count: gold mentions that a bucket needs, on every dataset, to be called best or worst.

    Returns:
        For each attribute ``best`` and ``worst`` (the places of the highest and lowest mean F1; None where fewer than
        two are left), ``gap`` (the mean difference), ``n`` datasets, and Wilcoxon's signed-rank test over them: ``p``,
        ``effect`` and ``p_holm``, corrected for the number of attributes.
    """
    least = checks.whole(min_count, "min_count", 1)
    blocks = _systems(blocks, "blocks")
    diagnosis: dict[str, dict[str, Any]] = {}
    for name in next(iter(blocks.values()), {}):
        table = _by_place(blocks, name, least)
        known = np.flatnonzero(~np.isnan(table).any(axis=0))
        diagnosis[name] = {"best": None, "worst": None, "gap": math.nan, "n": len(blocks), "p": math.nan, "effect": 0.0}
        if len(known) > 1:
            sums = np.array([math.fsum(column) for column in table.T])  # the same in any order of the datasets
            best = int(known[np.argmax(sums[known])])
            worst = int(known[np.argmin(sums[known])])
            gaps = table[:, best] - table[:, worst]
            names = PLACES if table.shape[1] == len(PLACES) else [str(i + 1) for i in range(table.shape[1])]
            diagnosis[name] |= {"best": names[best], "worst": names[worst], "gap": float(gaps.mean())}
            diagnosis[name] |= _signed_ranks(gaps)
    for row, p in zip(diagnosis.values(), holm([row["p"] for row in diagnosis.values()]), strict=True):
        row["p_holm"] = p
    return diagnosis


def _f1(buckets: Buckets, name: str, least: int = 1) -> NDArray[np.float64]:
    """Return F1 of each bucket of an attribute; NaN for one of fewer gold mentions."""
    rows = buckets[name]
    return np.array([row[buckets.value] if row["n_gold"] >= least else math.nan for row in rows], float)


def _ordered(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether these are buckets of numbers, rather than of categories."""
    return any(row["low"] is not None or row["high"] is not None for row in rows)


def _spearman(f1: NDArray[np.float64]) -> float:
    """Return Spearman's correlation of F1 with the order of the buckets; NaN where there is nothing to correlate."""
    from scipy.stats import spearmanr

    known = np.flatnonzero(~np.isnan(f1))
    if len(known) < 2 or np.ptp(f1[known]) == 0:
        return math.nan
    return float(spearmanr(known, f1[known]).statistic)


def _std(f1: NDArray[np.float64]) -> float:
    """Return the standard deviation of the values that are known; NaN if none is."""
    known = f1[~np.isnan(f1)]
    return float(known.std()) if len(known) else math.nan


def _mean_size(values: Sequence[float]) -> float:
    """Return the mean of the absolute values of those that are known; NaN if none is."""
    known = [abs(value) for value in values if value == value]
    return math.fsum(known) / len(known) if known else math.nan


def _median(values: NDArray[np.float64]) -> float:
    """Return the median; NaN of no values."""
    return float(np.median(values)) if len(values) else math.nan


def _gaps(a: Buckets, b: Buckets, name: str, least: int = 1) -> dict[str, float]:
    """Return F1 of A minus that of B in each bucket with at least ``least`` gold mentions, which A and B share."""
    theirs = {row["bucket"]: row[b.value] for row in b[name]}
    return {row["bucket"]: row[a.value] - theirs[row["bucket"]] for row in a[name] if row["n_gold"] >= least}


def _performance(blocks: Mapping[str, Buckets], name: str) -> NDArray[np.float64]:
    """Return F1 of each block in each bucket, by the place of the bucket; buckets that any block lacks are left out."""
    table = _by_place(blocks, name)
    return table[:, ~np.isnan(table).any(axis=0)]


def _by_place(blocks: Mapping[str, Buckets], name: str, least: int = 1) -> NDArray[np.float64]:
    """Return F1 of each block in each bucket, by the place of the bucket; NaN for fewer gold mentions than asked."""
    rows = [_f1(buckets, name, least) for buckets in blocks.values()]
    width = min(map(len, rows))
    return np.stack([row[:width] for row in rows])


def _rank_biserial(changed: NDArray[np.float64]) -> float:
    """Return the rank-biserial correlation of paired differences, the effect size of Wilcoxon's test; 0 of none."""
    from scipy.stats import rankdata

    if not len(changed):
        return 0.0
    ranks = rankdata(np.abs(changed))
    return float(ranks[changed > 0].sum() - ranks[changed < 0].sum()) / float(ranks.sum())
