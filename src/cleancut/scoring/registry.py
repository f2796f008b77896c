"""The metrics that there are: those of every file of this room that ends with a ``METRIC``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from .metric import Metric


@cache
def metrics() -> Mapping[str, Metric]:
    """Return all metrics by name, in their order.

    >>> metrics()["exact_f1"].title
    'Exact match (%)'
    """
    room = importlib.import_module(__name__.rpartition(".")[0])
    names = [module.name for module in pkgutil.iter_modules(room.__path__)]
    modules = [importlib.import_module(f"{room.__name__}.{name}") for name in names]
    found = [module.METRIC for module in modules if isinstance(getattr(module, "METRIC", None), Metric)]
    return MappingProxyType({metric.name: metric for metric in sorted(found, key=lambda metric: metric.order)})


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
        train: is it known what training has shown?
        flat: are there no mentions that overlap?

    >>> "clean_f1" in available_metrics(train=False), "hardeval" in available_metrics(train=True, flat=False)
    (False, False)
    """
    return [
        metric.name
        for metric in score_metrics().values()
        if (train or not metric.needs_train) and (flat or not metric.flat_only)
    ]


def title_of(metric: str, value: str) -> str:
    """Return the title of a value, or its name where the metric is not known here."""
    known = metrics().get(metric)
    return known.titles.get(value, value) if known else value
