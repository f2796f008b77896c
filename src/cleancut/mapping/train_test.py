"""Clean splits in the style of ``datasets``, and the entities of rows as groups for scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.exceptions import CleancutError, quoted
from ..reading.shape import Shape
from ..splitting.mincut import mincut
from ..splitting.settings import DEFAULTS
from .mentions import RowReader, shape_of


def train_test_split(
    dataset: Any,
    test_size: float | int | None = 0.1,
    *,
    train_size: float | int | None = None,
    seed: int | None = None,
    stratify_by_column: str | None = None,
    discard: float | str = "auto",
    **options: Any,
) -> Any:
    """Split a dataset into train and test that share no entity, with the arguments of ``Dataset.train_test_split``.

    Args:
        dataset: a ``Dataset``.
        test_size: the share or the number of the rows of test; None for all rows that are not in train.
        train_size: the share or the number of the rows of train; None for all rows that are not in test. Rows that
            neither size asks for are left out.
        seed: the seed of the random choices; 13 if it is not given, so that the same call gives the same split.
        stratify_by_column: a column within whose values the sizes hold, too.
        discard: the largest share of the rows to discard, or ``auto`` to discard rows until nothing is shared.
        **options: further options of ``mincut``, such as ``effort="fast"``; and the columns to read (``tokens``,
            ``tags``, ...), where they are not recognised.

    Returns:
        A ``DatasetDict`` of train and test. Where rows are discarded, the sizes hold for those that are kept.

    Raises:
        CleancutError: the sizes are not valid for the number of rows, or an option is not valid.

    >>> import datasets
    >>> rows = {"tokens": [[name] for name in "abcdefghij"], "tags": [["B-X"]] * 10}
    >>> split = train_test_split(datasets.Dataset.from_dict(rows), test_size=0.2)
    >>> {name: len(part) for name, part in split.items()}
    {'train': 8, 'test': 2}
    """
    import datasets

    if not hasattr(dataset, "select") or not hasattr(dataset, "column_names"):
        raise CleancutError(f"expected a Dataset, got {type(dataset).__name__}. Give one split, such as data['train'].")
    sizes = _sizes(len(dataset), train_size, test_size)
    leaves_rows_out = sum(sizes.values()) < len(dataset)
    seed = DEFAULTS.seed if seed is None else seed
    plan = mincut(dataset, sizes, seed=seed, stratify=stratify_by_column, discard=discard, **options)
    rng = np.random.default_rng(seed)
    parts = {}
    for name, size in sizes.items():
        rows = plan.rows(name)
        if leaves_rows_out and len(rows) > size:
            rows = np.sort(rng.choice(rows, size, replace=False))
        parts[name] = dataset.select(rows)
    return datasets.DatasetDict(parts)


def _sizes(n: int, train_size: float | int | None, test_size: float | int | None) -> dict[str, int]:
    """Return the number of rows of train and of test, out of n rows, where one of the two sizes may be open."""
    n_test = _number("test_size", test_size, n)
    n_train = _number("train_size", train_size, n)
    if n_test is None:
        if n_train is None:
            raise CleancutError("test_size=None and train_size=None leave both sizes open. Give one of them.")
        n_test = n - n_train
    if n_train is None:
        n_train = n - n_test
    if n_train + n_test > n:
        raise CleancutError(f"train_size and test_size ask for {n_train} + {n_test} rows of {n}. Ask for fewer.")
    return {"train": n_train, "test": n_test}


def _number(name: str, size: float | int | None, n: int) -> int | None:
    """Return a number of rows, from a share of n rows or a number; None for an open size."""
    if size is None:
        return None
    if isinstance(size, bool) or not isinstance(size, int | float):
        raise CleancutError(f"{name}={quoted(size)} is not a size. Give a share below 1, or a number of rows.")
    is_share = isinstance(size, float)
    rows = size if not is_share else round(size * n) if 0 < size < 1 else 0
    if not 0 < rows < n:
        raise CleancutError(f"{name}={quoted(size)} is out of range for {n} rows. Give a share below 1, or fewer rows.")
    return int(rows)


def entities_of(
    dataset: Any, *, columns: Mapping[str, Any] | Shape | None = None, **more_columns: Any
) -> list[set[Any]]:
    """Return the entities of each row, for ``groups=`` of scikit-learn with ``CleanCutSplit``.

    Args:
        dataset: a ``Dataset``.
        columns: the columns to read by option (``{"tags": "ner_tags"}``), where they are not recognised.
        **more_columns: the columns to read one by one (``tags="ner_tags"``), instead of ``columns``.

    Returns:
        A set of entities for each row. An entity is a pair of its words and its type.

    >>> import datasets
    >>> rows = {"tokens": [["Ada", "ran"], ["so"]], "tags": [["B-PER", "O"], ["O"]]}
    >>> entities_of(datasets.Dataset.from_dict(rows))
    [{('Ada', 'PER')}, set()]
    """
    asked_columns = columns if columns is not None else more_columns
    shape = shape_of(dataset, asked_columns)
    entities: list[set[Any]] = []
    reader = RowReader()
    for table in dataset.with_format("arrow").iter(batch_size=10_000):
        rows = reader.read(table, shape)
        mentions = rows.corpus.mentions
        texts = rows.corpus.texts()
        labels = [mentions.labels[label] for label in mentions.label.tolist()]
        row_of_item = np.repeat(np.arange(len(table)), np.diff(rows.bounds))
        batch_entities: list[set[Any]] = [set() for _ in range(len(table))]
        for row, mention in zip(row_of_item[rows.item].tolist(), rows.mention.tolist(), strict=True):
            batch_entities[row].add((texts[mention], labels[mention]))
        entities += batch_entities
    return entities
