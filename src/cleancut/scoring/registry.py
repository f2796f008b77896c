"""The registry of metrics: it finds those of every file of this room that ends with a ``METRIC``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from ..core.signature import Signature
from .metric import Metric, beta_of


@cache
def metrics() -> Mapping[str, Metric]:
    """Return all metrics by name, in their order.

    >>> metrics()["exact_f1"].title
    'Exact match (%)'
    """
    room = importlib.import_module(__name__.rpartition(".")[0])
    names = [module.name for module in pkgutil.iter_modules(room.__path__)]
    modules = [importlib.import_module(f"{room.__name__}.{name}") for name in names]
    records = [module.METRIC for module in modules if isinstance(getattr(module, "METRIC", None), Metric)]
    records.sort(key=lambda record: record.order)
    return MappingProxyType({record.name: record for record in records})


@cache
def score_metrics() -> Mapping[str, Metric]:
    """Return the metrics that give a ``Score``, and so are chosen by ``--metrics``, compared and reported.

    >>> score_metrics()["clean_f1"].short, "bucket_f1" in score_metrics()
    ('clean', False)
    """
    return MappingProxyType({name: metric for name, metric in metrics().items() if metric.short})


def available_metrics(*, train: bool, flat: bool = True) -> list[str]:
    """Return the names of the scores that can be computed, in their order.

    Args:
        train: whether there is an index of the training data.
        flat: whether no mentions overlap.

    >>> "clean_f1" in available_metrics(train=False), "hardeval" in available_metrics(train=True, flat=False)
    (False, False)
    """
    available = []
    for metric in score_metrics().values():
        lacks_train = metric.needs_train and not train
        is_undefined = metric.flat_only and not flat
        if not lacks_train and not is_undefined:
            available.append(metric.name)
    return available


def title_of(metric: str, value: str) -> str:
    """Return the title of a value, or its name if the metric is unknown here.

    Args:
        metric: the name of the metric.
        value: the name of the value.

    >>> title_of("clean_f1", "delta_f1"), title_of("clean_f1", "delta_f2")
    ('delta F1', 'delta F2')
    """
    known = metrics().get(metric)
    return known.with_beta(beta_of(value)).titles.get(value, value) if known else value


def taken(metric: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options without a beta if a metric has no F1, and without a staircase if it has no such steps.

    Args:
        metric: the name of the metric.
        options: the options.

    >>> taken("hardeval", {"beta": 2.0, "seed": 13}), taken("exact_f1", {"beta": 2.0})
    ({'seed': 13}, {'beta': 2.0})
    """
    chosen = dict(options)
    for name in ("beta", "staircase"):
        if name not in metrics()[metric].keywords:
            chosen.pop(name, None)
    return chosen


def record_of(metric: str, values: Mapping[str, Any]) -> Metric:
    """Return the record of a metric as its values were computed: in F-beta if their signature names a beta.

    Args:
        metric: the name of the metric.
        values: the values with their signature.

    >>> record_of("exact_f1", {"f1": 0.5, "f2": 0.6, "signature": "exact_f1|match:exact|beta:2.0|v:1"}).ranked
    'f2'
    """
    record = metrics()[metric]
    signature = values.get("signature")
    beta = Signature.parse(signature).get("beta") if isinstance(signature, str) else None
    return record if beta is None else record.with_beta(float(beta))
