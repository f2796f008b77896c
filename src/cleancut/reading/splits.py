"""The splits of a dataset: what they are usually called, and in which order they stand."""

from __future__ import annotations

SPLITS = ("train", "validation", "test")
"""The order of splits: what comes later is held out from what comes earlier."""


def split_rank(name: str) -> int:
    """Where a split stands in the usual order; others come last."""
    usual = "validation" if name in ("dev", "valid", "val", "development") else name
    return SPLITS.index(usual) if usual in SPLITS else len(SPLITS)
