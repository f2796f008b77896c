"""The splits of a dataset: what they are usually called, and in which order they stand."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..core.exceptions import CleancutError
from .brat import is_brat
from .formats import KNOWN_SUFFIXES
from .opening import Source

SPLITS = ("train", "validation", "test")
"""The order of splits: what comes later is held out from what comes earlier."""


def split_rank(name: str) -> int:
    """Where a split stands in the usual order; others come last."""
    usual = "validation" if name in ("dev", "valid", "val", "development") else name
    return SPLITS.index(usual) if usual in SPLITS else len(SPLITS)


def is_split_name(name: Any) -> bool:
    """Can a split have this name? It becomes that of a file, of a column's value and of a part of a config."""
    return re.fullmatch(r"\w[\w-]{0,63}", str(name)) is not None and name != "discarded"


_SPLIT_NAMES = {
    "train": ("train", "training"),
    "validation": ("dev", "valid", "validation", "val", "development", "testa"),
    "test": ("test", "testb"),
}


def split_name(path: str | os.PathLike[str]) -> str | None:
    """The split that a file's name shows, if any: ``dev.conll`` and ``eng.testa`` are validation."""
    name = os.path.basename(os.fspath(path))
    plain = name.lower().removesuffix(".gz")
    every = [usual for names in _SPLIT_NAMES.values() for usual in names]
    if name.startswith(".") or not (Path(plain).suffix in KNOWN_SUFFIXES or plain.rpartition(".")[2] in every):
        return None
    words = set(re.split(r"[^a-z]+", plain))
    splits = [split for split, usual in _SPLIT_NAMES.items() if not words.isdisjoint(usual)]
    if len(splits) > 1:
        raise CleancutError(f"{name} may be {' or '.join(splits)}. Give it another name.")
    return splits[0] if splits else None


def split_files(folder: str | os.PathLike[str]) -> dict[str, str]:
    """The train, validation and test files of a folder, by their names: ``dev.conll``, ``eng.testa``."""
    if not os.path.isdir(folder):
        raise CleancutError(f"{folder}: no such directory.")
    there = sorted(name for name in os.listdir(folder) if os.path.isfile(os.path.join(folder, name)))
    found: dict[str, str] = {}
    for name in there:
        split = split_name(name)
        if split is None:
            continue
        if split in found:
            both = f"{found[split]} and {name}"
            raise CleancutError(f"{folder} has two {split} files, {both}. Name the files.")
        found[split] = name
    if len(found) < 2:
        names = ", ".join(there[:8]) or "nothing"
        raise CleancutError(f"{folder} holds {names}: no train and test files. Name the files.")
    return {split: os.path.join(folder, name) for split, name in found.items()}


def by_split(files: Sequence[str]) -> dict[str, str]:
    """Files, or those of a folder, by the original split that their names show, else by their place."""
    if len(files) == 1 and os.path.isdir(files[0]) and not is_brat(Source.of(files[0])):
        return split_files(files[0])
    found = [split_name(file) for file in files]
    if len(files) > 1 and None not in found and len(set(found)) == len(found):
        return {str(name): file for name, file in zip(found, files, strict=True)}
    return {f"part {i}" if len(files) > 1 else "": file for i, file in enumerate(files)}
