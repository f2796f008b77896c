"""cleancut: what a named-entity recogniser's F1 is worth once memory is taken out of it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .alignment import Counts
    from .bucketing import Buckets, buckets, register_attribute
    from .comparing import Comparison, compare, contamination_correlation, over_runs
    from .confusion import Errors, errors
    from .diagnosis import (
        attribute_wise,
        comparative_diagnosis,
        friedman,
        model_wise,
        self_diagnosis,
        wilcoxon,
    )
    from .distributed import spark_extract, spark_incidences
    from .exposed import Exposed
    from .exposure import Exposure
    from .folds import CleanCutSplit, Fold, Folds, hardeval_folds, kfold, mincut_folds
    from .frontiers import Frontier, Point, frontier
    from .hub import materialise, publish, publish_app, publish_metrics, stage, stage_app
    from .incidence import Incidences, write_incidence
    from .ladders import Ladder, Rung, ladder
    from .leakage import Audit, audit, join_at, mention_statistics, subsets
    from .locating import metric
    from .reading import read, read_batches, read_pair, write
    from .scores import Score, clean_f1, exact_f1, hardeval, partial_f1
    from .shapes import Shape, detect, from_dataset, load_splits
    from .spans import Corpus, Mentions
    from .splitting import SplitPlan, component_sizes, mincut
    from .tags import CleancutError
    from .webpage import html_audit, html_comparison, html_frontier, html_report, html_split

# Where each public name lives; it is imported when it is first used, so that `import cleancut` costs nothing.
_HOME = {
    "alignment": ["Counts"],
    "bucketing": ["Buckets", "buckets", "register_attribute"],
    "comparing": ["Comparison", "compare", "contamination_correlation", "over_runs"],
    "confusion": ["Errors", "errors"],
    "diagnosis": ["attribute_wise", "comparative_diagnosis", "friedman", "model_wise", "self_diagnosis", "wilcoxon"],
    "distributed": ["spark_extract", "spark_incidences"],
    "exposed": ["Exposed"],
    "exposure": ["Exposure"],
    "folds": ["CleanCutSplit", "Fold", "Folds", "hardeval_folds", "kfold", "mincut_folds"],
    "frontiers": ["Frontier", "Point", "frontier"],
    "hub": ["materialise", "publish", "publish_app", "publish_metrics", "stage", "stage_app"],
    "incidence": ["Incidences", "write_incidence"],
    "ladders": ["Ladder", "Rung", "ladder"],
    "leakage": ["Audit", "audit", "join_at", "mention_statistics", "subsets"],
    "locating": ["metric"],
    "reading": ["read", "read_batches", "read_pair", "write"],
    "scores": ["Score", "clean_f1", "exact_f1", "hardeval", "partial_f1"],
    "shapes": ["Shape", "detect", "from_dataset", "load_splits"],
    "spans": ["Corpus", "Mentions"],
    "splitting": ["SplitPlan", "component_sizes", "mincut"],
    "tags": ["CleancutError"],
    "webpage": ["html_audit", "html_comparison", "html_frontier", "html_report", "html_split"],
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
    "Incidences",
    "Ladder",
    "Mentions",
    "Point",
    "Rung",
    "Score",
    "Shape",
    "SplitPlan",
    "__version__",
    "attribute_wise",
    "audit",
    "buckets",
    "clean_f1",
    "comparative_diagnosis",
    "compare",
    "component_sizes",
    "contamination_correlation",
    "detect",
    "errors",
    "exact_f1",
    "friedman",
    "from_dataset",
    "frontier",
    "hardeval",
    "hardeval_folds",
    "html_audit",
    "html_comparison",
    "html_frontier",
    "html_report",
    "html_split",
    "join_at",
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
    "partial_f1",
    "publish",
    "publish_app",
    "publish_metrics",
    "read",
    "read_batches",
    "read_pair",
    "register_attribute",
    "self_diagnosis",
    "spark_extract",
    "spark_incidences",
    "stage",
    "stage_app",
    "subsets",
    "wilcoxon",
    "write",
    "write_incidence",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'cleancut' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
