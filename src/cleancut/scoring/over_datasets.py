"""Systems on several datasets: what the views of one dataset say together, and whether orders are the same everywhere.

Scores are ``scores[dataset][system][metric]``, buckets ``buckets[dataset][system]``. A dataset may lack systems.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from .buckets import Buckets
from .compare import order_changes
from .diagnosis import (
    MIN_COUNT,
    Datasets,
    attribute_wise,
    comparative_diagnosis,
    friedman,
    model_wise,
    self_diagnosis,
    steady_gaps,
    wilcoxon,
)
from .score import Score

Scores = Mapping[str, Mapping[str, Mapping[str, Score]]]
"""``scores[dataset][system][metric]``."""


def systems_of(datasets: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the names of all systems, in the order in which the datasets have them.

    >>> systems_of({"news": {"a": 1, "b": 2}, "web": {"b": 3, "c": 4}})
    ['a', 'b', 'c']
    """
    return list(dict.fromkeys(name for own in datasets.values() for name in own))


def mean_of(values: Sequence[float]) -> float:
    """Return the mean of the values that are known; NaN where none is."""
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def _blocks(datasets: Datasets, system: str) -> dict[str, Buckets]:
    """Return the buckets of one system on each dataset that has it."""
    return {dataset: own[system] for dataset, own in datasets.items() if system in own}


def model_wise_over(datasets: Datasets) -> dict[str, dict[str, dict[str, Any]]]:
    """Return how much the F1 of each system depends on each attribute over all its datasets (Fu et al., Table 2).

    Args:
        datasets: the buckets of the systems on each dataset.

    Returns:
        For each system and attribute, the means of ``spearman`` and ``std`` over the datasets, the values of each
        dataset under ``datasets``, and Friedman's test with the datasets as blocks: ``statistic``, ``p``, ``effect``
        and ``p_holm``, which are NaN for fewer than two datasets.
    """
    of_datasets = {dataset: model_wise(systems) for dataset, systems in datasets.items()}
    by_system: dict[str, dict[str, dict[str, Any]]] = {}
    for system in systems_of(datasets):
        own = {dataset: ranked[system] for dataset, ranked in of_datasets.items() if system in ranked}
        by_system[system] = {}
        for name, test in friedman(_blocks(datasets, system)).items():
            values = {dataset: of_attribute[name] for dataset, of_attribute in own.items()}
            means = {value: mean_of([row[value] for row in values.values()]) for value in ("spearman", "std")}
            by_system[system][name] = {**means, **test, "datasets": values}
    return by_system


def attribute_wise_over(datasets: Datasets) -> dict[str, dict[str, dict[str, float]]]:
    """Return how much each attribute matters on each dataset: zeta, rho, and Friedman's test over the systems.

    Args:
        datasets: the buckets of the systems on each dataset.

    Returns:
        For each dataset and attribute, ``zeta`` and ``rho`` as in ``attribute_wise``, and what ``friedman`` returns.
    """
    by_dataset: dict[str, dict[str, dict[str, float]]] = {}
    for dataset, of_attribute in attribute_wise(datasets).items():
        tests = friedman(datasets[dataset])
        by_dataset[dataset] = {name: {**row, **tests[name]} for name, row in of_attribute.items()}
    return by_dataset


def self_diagnosis_over(datasets: Datasets, min_count: int = MIN_COUNT) -> dict[str, dict[str, dict[str, Any]]]:
    """Return where each system is best and worst, over all datasets and on each of them (Fu et al., Table 3).

    Args:
        datasets: the buckets of the systems on each dataset.
        min_count: gold mentions that a bucket needs to be called best or worst.

    Returns:
        For each system and attribute, what ``steady_gaps`` returns, and under ``datasets`` what ``self_diagnosis``
        returns for each dataset on which at least two buckets are large enough.
    """
    by_system: dict[str, dict[str, dict[str, Any]]] = {}
    for system in systems_of(datasets):
        blocks = _blocks(datasets, system)
        own = {dataset: self_diagnosis(buckets, min_count=min_count) for dataset, buckets in blocks.items()}
        by_system[system] = {}
        for name, row in steady_gaps(blocks, min_count=min_count).items():
            of_datasets = {dataset: gaps[name] for dataset, gaps in own.items() if name in gaps}
            by_system[system][name] = {**row, "datasets": of_datasets}
    return by_system


def comparative_diagnosis_over(datasets: Datasets, min_count: int = MIN_COUNT) -> list[dict[str, Any]]:
    """Return where one system is ahead of another and behind it, for each pair of systems (Fu et al., Table 3).

    Args:
        datasets: the buckets of the systems on each dataset.
        min_count: gold mentions that a bucket needs to be named.

    Returns:
        The rows of ``wilcoxon`` over all datasets; under ``datasets`` what ``comparative_diagnosis`` says of the
        attribute on each dataset that has both systems (none for ``all`` attributes together).
    """
    pairs: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for dataset, systems in datasets.items():
        for a, b in combinations(systems_of(datasets), 2):
            if a in systems and b in systems:
                own = comparative_diagnosis(systems[a], systems[b], min_count=min_count)
                pairs.setdefault((a, b), {})[dataset] = own
    rows = []
    for row in wilcoxon(datasets):
        own = pairs.get((row["a"], row["b"]), {})
        of_datasets = {dataset: of[row["attribute"]] for dataset, of in own.items() if row["attribute"] in of}
        rows.append({**row, "datasets": of_datasets})
    return rows


def ranks_over(scores: Scores) -> dict[str, Any]:
    """Return whether the order of the systems is the same on every dataset, and after memory is taken out.

    Args:
        scores: the scores of each dataset, system and metric.

    Returns:
        ``datasets`` has the ``orders`` of the systems on each dataset, the best first, by F1, clean F1 and hardeval,
        and the ``changes`` from one to another (Kendall's tau-b and the pairs that swap), as ``compare`` has them.
        ``between`` has the changes from one dataset to another, of the systems that both have. ``mean_rank`` is the
        mean place of each system. ``same_on_every_dataset`` says for each value, and ``same_without_memory`` for each
        dataset (F1 against clean F1), whether no two systems change places; None where nothing can be compared.
    """
    worth = {dataset: _worth(systems) for dataset, systems in scores.items()}
    values = list(dict.fromkeys(value for own in worth.values() for value in own))
    of_datasets: dict[str, dict[str, Any]] = {}
    for dataset, own in worth.items():
        of_datasets[dataset] = {"orders": _orders(own), "changes": _changes(own)}
    between = []
    for value in values:
        having = [dataset for dataset in worth if value in worth[dataset]]
        for first, second in combinations(having, 2):
            between.append({"value": value, **_change(worth[first][value], worth[second][value], first, second)})
    everywhere = {value: _is_same([row for row in between if row["value"] == value]) for value in values}
    from_memory = {}
    for dataset, own_orders in of_datasets.items():
        changes = [row for row in own_orders["changes"] if (row["first"], row["second"]) == ("f1", "clean_f1")]
        from_memory[dataset] = _is_same(changes)
    return {
        "datasets": of_datasets,
        "between": between,
        "mean_rank": {value: _mean_ranks([own[value] for own in worth.values() if value in own]) for value in values},
        "same_on_every_dataset": everywhere,
        "same_without_memory": from_memory,
    }


def _worth(systems: Mapping[str, Mapping[str, Score]]) -> dict[str, dict[str, float]]:
    """Return, for each value that puts systems in order, that of each system that has it: more is better."""
    by_value: dict[str, dict[str, float]] = {}
    for name, scores in systems.items():
        for score in scores.values():
            record = score.record
            if record.ranked and record.order_is_compared and not math.isnan(score[record.ranked]):
                sign = -1 if record.lower_is_better else 1
                by_value.setdefault(record.ranked, {})[name] = sign * score[record.ranked]
    return by_value


def _orders(worth: Mapping[str, Mapping[str, float]]) -> dict[str, list[str]]:
    """Return the systems from best to worst, by each value."""
    return {value: sorted(own, key=lambda name: -own[name]) for value, own in worth.items()}


def _changes(worth: Mapping[str, Mapping[str, float]]) -> list[dict[str, Any]]:
    """Return what changes from each order of one dataset to each other one."""
    return [_change(worth[first], worth[second], first, second) for first, second in combinations(worth, 2)]


def _change(x: Mapping[str, float], y: Mapping[str, float], first: str, second: str) -> dict[str, Any]:
    """Return what changes from one order to another, which have names, and how many systems are in both."""
    return {"first": first, "second": second, "n_systems": len(set(x) & set(y)), **order_changes(x, y)}


def _is_same(changes: Sequence[Mapping[str, Any]]) -> bool | None:
    """Return whether no two systems change places; None where no two orders have two systems in common."""
    compared = [row for row in changes if row["n_systems"] > 1]
    return not any(row["swaps"] for row in compared) if compared else None


def _mean_ranks(orders: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean place of each system over the datasets that have it; equal values share the better place."""
    places: dict[str, list[int]] = {}
    for own in orders:
        for name, value in own.items():
            places.setdefault(name, []).append(1 + sum(other > value for other in own.values()))
    return {name: math.fsum(of) / len(of) for name, of in places.items()}
