"""cleancut: what a named-entity recogniser's F1 is worth once memory is taken out of it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from .core.answers import parse_answer
    from .core.at_signs import join_at
    from .core.corpus import Corpus, Mentions
    from .core.exceptions import CleancutError
    from .core.grounding import Grounding, ground
    from .core.locating import metric
    from .hub.indices import materialise
    from .hub.publishing import publish, push_subsets
    from .hub.spaces import publish_app, publish_metrics
    from .hub.staging import stage, stage_app
    from .mapping.annotate import annotate
    from .mapping.subsets import decontaminate, keep_mentions, subsets
    from .mapping.train_test import entities_of, train_test_split
    from .reading.alias_files import read_aliases
    from .reading.answer_files import read_answers
    from .reading.dataset import Shape, detect, from_dataset, load_splits
    from .reading.files import read, read_batches, read_pair, read_text
    from .reading.formats import write
    from .scoring.alignment import Counts
    from .scoring.buckets import Buckets, buckets, register_attribute
    from .scoring.clean import clean_f1
    from .scoring.compare import Comparison, compare, contamination_correlation, over_runs
    from .scoring.diagnosis import (
        attribute_wise,
        comparative_diagnosis,
        friedman,
        model_wise,
        self_diagnosis,
        wilcoxon,
    )
    from .scoring.errors import Errors, errors
    from .scoring.exact import exact_f1
    from .scoring.exposure import Exposure
    from .scoring.exposure_view import Exposed
    from .scoring.hard_tokens import hardeval, mention_statistics
    from .scoring.partial import partial_f1
    from .scoring.score import Score
    from .showing.html import html_audit, html_comparison, html_frontier, html_report, html_split, html_study
    from .splitting.audit import Audit, audit
    from .splitting.folds import CleanCutSplit, Fold, Folds, hardeval_folds, kfold, mincut_folds
    from .splitting.frontier import Frontier, Point, frontier
    from .splitting.incidence import Incidences, write_incidence
    from .splitting.ladder import Ladder, Rung, ladder
    from .splitting.mincut import component_sizes, mincut
    from .splitting.plan import SplitPlan
    from .splitting.settings import SplitSettings
    from .splitting.spark import spark_extract, spark_incidences
    from .splitting.study import Studied, Study, study

# Where each public name lives; it is imported when it is first used, so that `import cleancut` costs nothing.
# The functions of the metrics are found by the registry of `scoring`.
_HOME = {
    "core.answers": ["parse_answer"],
    "core.at_signs": ["join_at"],
    "core.corpus": ["Corpus", "Mentions"],
    "core.exceptions": ["CleancutError"],
    "core.grounding": ["Grounding", "ground"],
    "core.locating": ["metric"],
    "hub.indices": ["materialise"],
    "hub.publishing": ["publish", "push_subsets"],
    "hub.spaces": ["publish_app", "publish_metrics"],
    "hub.staging": ["stage", "stage_app"],
    "mapping.annotate": ["annotate"],
    "mapping.subsets": ["decontaminate", "keep_mentions", "subsets"],
    "mapping.train_test": ["entities_of", "train_test_split"],
    "reading.alias_files": ["read_aliases"],
    "reading.answer_files": ["read_answers"],
    "reading.dataset": ["Shape", "detect", "from_dataset", "load_splits"],
    "reading.files": ["read", "read_batches", "read_pair", "read_text"],
    "reading.formats": ["write"],
    "scoring.alignment": ["Counts"],
    "scoring.buckets": ["Buckets", "register_attribute"],
    "scoring.compare": ["Comparison", "compare", "contamination_correlation", "over_runs"],
    "scoring.diagnosis": [
        "attribute_wise",
        "comparative_diagnosis",
        "friedman",
        "model_wise",
        "self_diagnosis",
        "wilcoxon",
    ],
    "scoring.errors": ["Errors", "errors"],
    "scoring.exposure": ["Exposure"],
    "scoring.exposure_view": ["Exposed"],
    "scoring.hard_tokens": ["mention_statistics"],
    "scoring.score": ["Score"],
    "showing.html": ["html_audit", "html_comparison", "html_frontier", "html_report", "html_split", "html_study"],
    "splitting.audit": ["Audit", "audit"],
    "splitting.folds": ["CleanCutSplit", "Fold", "Folds", "hardeval_folds", "kfold", "mincut_folds"],
    "splitting.frontier": ["Frontier", "Point", "frontier"],
    "splitting.incidence": ["Incidences", "write_incidence"],
    "splitting.ladder": ["Ladder", "Rung", "ladder"],
    "splitting.mincut": ["component_sizes", "mincut"],
    "splitting.plan": ["SplitPlan"],
    "splitting.settings": ["SplitSettings"],
    "splitting.spark": ["spark_extract", "spark_incidences"],
    "splitting.study": ["Studied", "Study", "study"],
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Audit",
    "Buckets",
    "CleanCutSplit",
    "CleancutError",
    "Comparison",
    "Corpus",
    "Counts",
    "Errors",
    "Exposed",
    "Exposure",
    "Fold",
    "Folds",
    "Frontier",
    "Grounding",
    "Incidences",
    "Ladder",
    "Mentions",
    "Point",
    "Rung",
    "Score",
    "Shape",
    "SplitPlan",
    "SplitSettings",
    "Studied",
    "Study",
    "__version__",
    "annotate",
    "attribute_wise",
    "audit",
    "buckets",
    "clean_f1",
    "comparative_diagnosis",
    "compare",
    "component_sizes",
    "contamination_correlation",
    "decontaminate",
    "detect",
    "entities_of",
    "errors",
    "exact_f1",
    "friedman",
    "from_dataset",
    "frontier",
    "ground",
    "hardeval",
    "hardeval_folds",
    "html_audit",
    "html_comparison",
    "html_frontier",
    "html_report",
    "html_split",
    "html_study",
    "join_at",
    "keep_mentions",
    "kfold",
    "ladder",
    "load_splits",
    "materialise",
    "mention_statistics",
    "metric",
    "mincut",
    "mincut_folds",
    "model_wise",
    "over_runs",
    "parse_answer",
    "partial_f1",
    "publish",
    "publish_app",
    "publish_metrics",
    "push_subsets",
    "read",
    "read_aliases",
    "read_answers",
    "read_batches",
    "read_pair",
    "read_text",
    "register_attribute",
    "self_diagnosis",
    "spark_extract",
    "spark_incidences",
    "stage",
    "stage_app",
    "study",
    "subsets",
    "train_test_split",
    "wilcoxon",
    "write",
    "write_incidence",
]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    elif name.startswith("_") or name not in _metric_functions():
        raise AttributeError(f"module 'cleancut' has no attribute '{name}'")
    else:
        value = _metric_functions()[name]
    globals()[name] = value
    return value


def _metric_functions() -> dict[str, Callable[..., Any]]:
    """Return the functions of the metrics, by name."""
    from .scoring.registry import metrics

    return {metric.function.__name__: metric.function for metric in metrics().values()}


def __dir__() -> list[str]:
    return sorted({*__all__, *_metric_functions()})
