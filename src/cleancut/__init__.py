"""cleancut: what a named-entity recogniser's F1 is worth once memory is taken out of it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .alignment import Counts
    from .confusion import Errors, errors
    from .locating import metric
    from .reading import from_dataset, read, read_batches, read_pair, write
    from .scores import Score, exact_f1, partial_f1
    from .spans import Corpus, Mentions
    from .tags import CleancutError

# Where each public name lives; it is imported when it is first used, so that `import cleancut` costs nothing.
_HOME = {
    "Mentions": "spans", "Corpus": "spans", "CleancutError": "tags", "Counts": "alignment",
    "Score": "scores", "exact_f1": "scores", "partial_f1": "scores", "errors": "confusion", "Errors": "confusion",
    "read": "reading", "read_batches": "reading", "read_pair": "reading", "from_dataset": "reading",
    "write": "reading", "metric": "locating",
}  # fmt: skip

__all__ = [
    "Corpus", "CleancutError", "Counts", "Errors", "Mentions", "Score", "__version__", "errors", "exact_f1",
    "from_dataset", "metric", "partial_f1", "read", "read_batches", "read_pair", "write",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'cleancut' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
