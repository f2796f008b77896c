"""The splits of a dataset: the names that they usually have, and their order."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..core.exceptions import CleancutError
from .brat import is_brat
from .formats import KNOWN_SUFFIXES
from .opening import Source, refuse_saved_dataset

SPLITS = ("train", "validation", "test")
"""The usual splits in order: a later one is held out from the earlier ones."""


def split_rank(name: str) -> int:
    """Return the place of a split in the usual order. Splits with other names come last.

    Args:
        name: the name of the split; ``dev``, ``valid``, ``val`` and ``development`` are validation.

    >>> split_rank("train"), split_rank("dev"), split_rank("extra")
    (0, 1, 3)
    """
    usual = "validation" if name in ("dev", "valid", "val", "development") else name
    return SPLITS.index(usual) if usual in SPLITS else len(SPLITS)


def is_split_name(name: Any) -> bool:
    """Return whether a split can have a name, which also names a file, a value of a column and a part of a config.

    Args:
        name: the name to check.

    >>> is_split_name("my-train"), is_split_name("../train"), is_split_name("discarded")
    (True, False, False)
    """
    is_plain = isinstance(name, str) and re.fullmatch(r"\w[\w-]{0,63}", name) is not None
    return is_plain and name != "discarded"


_SPLIT_NAMES = {
    "train": ("train", "training"),
    "validation": ("dev", "valid", "validation", "val", "development", "testa"),
    "test": ("test", "testb"),
}
"""The words in names of files that stand for each split."""


def split_name(path: str | os.PathLike[str]) -> str | None:
    """Return the split that the name of a file stands for; None where it stands for no split.

    Args:
        path: the path of the file; only its last part counts.

    Raises:
        CleancutError: the name stands for several splits.

    >>> split_name("data/dev.conll"), split_name("eng.testa"), split_name("notes.conll")
    ('validation', 'validation', None)
    """
    name = os.path.basename(os.fspath(path))
    plain = name.lower().removesuffix(".gz")
    split_names = [usual for names in _SPLIT_NAMES.values() for usual in names]
    is_data = Path(plain).suffix in KNOWN_SUFFIXES or plain.rpartition(".")[2] in split_names
    if name.startswith(".") or not is_data:
        return None
    words = set(re.split(r"[^a-z]+", plain))
    splits = [split for split, usual in _SPLIT_NAMES.items() if not words.isdisjoint(usual)]
    if len(splits) > 1:
        raise CleancutError(f"{name} may be {' or '.join(splits)}. Give it another name.")
    return splits[0] if splits else None


def split_files(folder: str | os.PathLike[str]) -> dict[str, str]:
    """Return the train, validation and test files of a folder by split, as their names show it.

    Args:
        folder: the folder; its subfolders are not looked into.

    Raises:
        CleancutError: there is no such folder, it has two files of one split, or fewer than two splits.
    """
    if os.path.isfile(folder):
        raise CleancutError(
            f"{folder} is a file. Give a folder with train and test files, or the files one by one (--train, --test)."
        )
    if not os.path.isdir(folder):
        raise CleancutError(f"{folder}: no such directory.")
    file_names = sorted(name for name in os.listdir(folder) if os.path.isfile(os.path.join(folder, name)))
    name_of_split: dict[str, str] = {}
    for name in file_names:
        split = split_name(name)
        if split is None:
            continue
        if split in name_of_split:
            both = f"{name_of_split[split]} and {name}"
            raise CleancutError(f"{folder} has two {split} files, {both}. Give the files of the splits one by one.")
        name_of_split[split] = name
    if len(name_of_split) < 2:
        refuse_saved_dataset(str(folder))
        names = ", ".join(file_names[:8]) or "nothing"
        raise CleancutError(
            f"{folder} holds {names}, but no train and test files. Give the files of the splits one by one."
        )
    return {split: os.path.join(folder, name) for split, name in name_of_split.items()}


def by_split(files: Sequence[str]) -> dict[str, str]:
    """Return files by the split that their names stand for, or as ``part 0``, ``part 1``, ... where some do not.

    Args:
        files: paths of files, or of one folder with a file for each split. The name of a single file is "".

    >>> by_split(["a/train.conll", "a/test.conll"])
    {'train': 'a/train.conll', 'test': 'a/test.conll'}
    """
    if len(files) == 1 and os.path.isdir(files[0]) and not is_brat(Source.of(files[0])):
        return split_files(files[0])
    splits = [split_name(file) for file in files]
    if len(files) == 1:
        return {"": files[0]}
    if None not in splits and len(set(splits)) == len(splits):
        return {str(split): file for split, file in zip(splits, files, strict=True)}
    return {f"part {i}": file for i, file in enumerate(files)}
