"""The splits of a dataset: what they are usually called, and in which order they stand."""

from __future__ import annotations

import re
from typing import Any

SPLITS = ("train", "validation", "test")
"""The order of splits: what comes later is held out from what comes earlier."""


def split_rank(name: str) -> int:
    """Where a split stands in the usual order; others come last."""
    usual = "validation" if name in ("dev", "valid", "val", "development") else name
    return SPLITS.index(usual) if usual in SPLITS else len(SPLITS)


def is_split_name(name: Any) -> bool:
    """Can a split have this name? It becomes that of a file, of a column's value and of a part of a config."""
    return re.fullmatch(r"\w[\w-]{0,63}", str(name)) is not None and name != "discarded"
