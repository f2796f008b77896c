"""cleancut: what a named-entity recogniser's F1 is worth once memory is taken out of it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .alignment import Counts
    from .confusion import Errors, errors
    from .exposure import Exposed, Exposure
    from .folds import CleanCutSplit, Fold, Folds, hardeval_folds, kfold, mincut_folds
    from .hub import materialise, publish, publish_metrics, stage
    from .ladders import Ladder, Rung, ladder
    from .leakage import Audit, audit, join_at, mention_statistics, subsets
    from .locating import metric
    from .reading import read, read_batches, read_pair, write
    from .scores import Score, clean_f1, exact_f1, hardeval, partial_f1
    from .shapes import Shape, detect, from_dataset, load_splits
    from .spans import Corpus, Mentions
    from .splitting import SplitPlan, mincut
    from .tags import CleancutError

# Where each public name lives; it is imported when it is first used, so that `import cleancut` costs nothing.
_HOME = {
    "alignment": ["Counts"],
    "confusion": ["Errors", "errors"],
    "exposure": ["Exposed", "Exposure"],
    "folds": ["CleanCutSplit", "Fold", "Folds", "hardeval_folds", "kfold", "mincut_folds"],
    "hub": ["materialise", "publish", "publish_metrics", "stage"],
    "ladders": ["Ladder", "Rung", "ladder"],
    "leakage": ["Audit", "audit", "join_at", "mention_statistics", "subsets"],
    "locating": ["metric"],
    "reading": ["read", "read_batches", "read_pair", "write"],
    "scores": ["Score", "clean_f1", "exact_f1", "hardeval", "partial_f1"],
    "shapes": ["Shape", "detect", "from_dataset", "load_splits"],
    "spans": ["Corpus", "Mentions"],
    "splitting": ["SplitPlan", "mincut"],
    "tags": ["CleancutError"],
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Audit", "CleanCutSplit", "CleancutError", "Corpus", "Counts", "Errors", "Exposed", "Exposure", "Fold", "Folds",
    "Ladder", "Mentions", "Rung", "Score", "Shape", "SplitPlan", "__version__", "audit", "clean_f1", "detect", "errors",
    "exact_f1", "from_dataset", "hardeval", "hardeval_folds", "join_at", "kfold", "ladder", "load_splits",
    "materialise", "mention_statistics", "metric", "mincut", "mincut_folds", "partial_f1", "publish",
    "publish_metrics", "read", "read_batches", "read_pair", "stage", "subsets", "write",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'cleancut' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
