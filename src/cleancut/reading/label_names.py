"""The names of label ids, as a list, a dict or a file holds them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from ..core.exceptions import CleancutError, quoted, reason
from .opening import Source


def names_in(labels: Any) -> Any:
    """Return the names of label ids from a list, a dict either way round, or a file with them.

    Args:
        labels: the names, or the path of a file; anything else is returned as it is.

    >>> names_in({"O": 0, "PER": 1})
    {0: 'O', 1: 'PER'}
    """
    if isinstance(labels, str | os.PathLike):
        return label_file(labels)
    if isinstance(labels, Mapping) and labels and all(isinstance(key, str) for key in labels):
        is_label2id = all(isinstance(value, int) for value in labels.values())
        if is_label2id:
            return {label_id: name for name, label_id in labels.items()}
    return labels


def label_file(path: str | os.PathLike[str]) -> Any:
    """Return the names of label ids from a file.

    Args:
        path: a JSON file with a list, label2id, id2label or the config of a model; or a file with one name a line.

    Raises:
        CleancutError: the file cannot be read, or holds something else.
    """
    source = Source.of(path)
    source.check()
    text = source.text()
    if not text.lstrip().startswith(("{", "[")):
        return [line.strip() for line in text.splitlines() if line.strip()]
    try:
        stored = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CleancutError(
            f"{path}: invalid JSON ({reason(error)}). Give a list of names, label2id or id2label."
        ) from None
    for key in ("id2label", "label2id"):
        if isinstance(stored, Mapping) and key in stored:
            stored = stored[key]
    if not isinstance(stored, Mapping | list):
        raise CleancutError(f"{path}: {quoted(stored)} is not a list of names, label2id or id2label. Give one of them.")
    return names_in(stored)
