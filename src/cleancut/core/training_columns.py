"""Find the columns of training data that hold words and their annotation, by their usual names.

The evaluate modules take training data as plain columns or as objects of the library datasets, and find the columns
by name alone. The reading room reads data with other names (``cleancut.from_dataset``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .exceptions import CleancutError

IDS = "entity_ids"
"""The name of a column with the ids of entities, for each span or token."""
ANNOTATIONS = {"tags": "tags", "ner_tags": "tags", "entities": "entities"}
"""The usual names of annotation columns, and whether each holds the tags of all tokens or spans."""
_REMEDY = (
    'Give train={"tokens": ..., "tags": ...}, or read the dataset with cleancut.from_dataset, whose corpus has '
    "tokens() and mentions.spans()."
)


def class_label_names(feature: Any) -> tuple[str, ...]:
    """Return the names of label ids that a feature of the library datasets declares; empty if it declares none.

    Args:
        feature: a ``ClassLabel``, or lists of one (``List``, ``Sequence``, or a list with one feature).
    """
    while not hasattr(feature, "names"):
        if isinstance(feature, list) and feature:
            feature = feature[0]
        elif hasattr(feature, "feature"):
            feature = feature.feature
        else:
            return ()
    return tuple(feature.names or ())


def training_columns(data: Any) -> dict[str, Any]:
    """Return the columns of training data as arguments of ``Corpus.of``.

    Args:
        data: columns by name, a ``Dataset``, or a ``DatasetDict``, of which the split ``train`` is taken.

    Returns:
        ``tokens``, and ``tags`` or ``entities``; with ``labels`` where the features of a dataset name the label ids,
        and with ``entity_ids`` where there is such a column.

    Raises:
        CleancutError: the columns have other names, or more than one of them holds annotation.
    """
    if isinstance(data, Mapping) and any(hasattr(part, "column_names") for part in data.values()):
        if "train" not in data:
            raise CleancutError(f"train: the dataset has no split train, only {_listed(data)}. Give one of them.")
        data = data["train"]
    if isinstance(data, Mapping):
        tokens, annotation = _usual_columns(data)
        ids = {IDS: data[IDS]} if IDS in data else {}
        return {"tokens": data[tokens], ANNOTATIONS[annotation]: data[annotation], **ids}
    if not hasattr(data, "column_names") or not hasattr(data, "with_format"):
        raise CleancutError(f"train must have the columns tokens and tags (or entities), got {type(data).__name__}.")
    tokens, annotation = _usual_columns(data.column_names or ())
    if not hasattr(data, "__len__"):
        raise CleancutError(f"train: a {type(data).__name__} can be read only once. Give a Dataset.")
    table = data.select_columns([tokens, annotation]).with_format("arrow")[:]
    columns = {"tokens": table.column(tokens), ANNOTATIONS[annotation]: table.column(annotation)}
    if IDS in data.column_names:
        columns[IDS] = data.select_columns([IDS]).with_format("arrow")[:].column(IDS).to_pylist()
    names = class_label_names(data.features[annotation])
    return {**columns, "labels": list(names)} if names else columns


def _usual_columns(names: Collection[str]) -> tuple[str, str]:
    """Return the names of the column of words and of the column of annotation."""
    annotations = [name for name in ANNOTATIONS if name in names]
    if "tokens" not in names or not annotations:
        raise CleancutError(
            f"train must have the columns tokens and tags (or ner_tags, or entities), got {_listed(names)}. {_REMEDY}"
        )
    if len(annotations) > 1:
        raise CleancutError(
            f"train has several columns of annotation, {' and '.join(annotations)}. Give tokens and one of them."
        )
    if annotations == ["entities"] and "text" in names:
        raise CleancutError(f"train: do entities count the tokens or the characters of text? {_REMEDY}")
    return "tokens", annotations[0]


def _listed(names: Collection[str]) -> str:
    """Return names for a message, in alphabetical order."""
    return ", ".join(sorted(map(str, names))) or "none"
