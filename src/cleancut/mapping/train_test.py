"""Splits of a dataset in the manner of ``datasets``, and the entities of its rows in the manner of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.exceptions import CleancutError
from ..reading.detecting import Shape
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
    """Split a dataset into train and test that share no entity: ``Dataset.train_test_split`` without the leakage.

    Args:
        dataset: a ``Dataset``.
        test_size: the share of the rows that test gets, or their number; None for what train leaves.
        train_size: the same of train; None for what test leaves. What neither asks for is left out.
        seed: of the random choices; 13 if it is not given, so that the same call gives the same split.
        stratify_by_column: a column whose values keep the ratios.
        discard: the largest share of rows to discard, or ``auto``: until nothing is shared.
        **options: further options of ``mincut``, such as ``effort="fast"``, and which columns hold what (``tokens``,
            ``tags``, ...), where they are not found or not the right ones.

    Returns:
        A ``DatasetDict`` of train and test. Where rows are discarded, the sizes hold for those that are kept.

    >>> import datasets
    >>> rows = {"tokens": [[name] for name in "abcdefghij"], "tags": [["B-X"]] * 10}
    >>> split = train_test_split(datasets.Dataset.from_dict(rows), test_size=0.2)
    >>> {name: len(part) for name, part in split.items()}
    {'train': 8, 'test': 2}
    """
    import datasets

    if not hasattr(dataset, "select"):
        raise CleancutError(f"expected a Dataset, got {type(dataset).__name__}. Give one split, such as data['train'].")
    n = len(dataset)
    n_test, n_train = _number("test_size", test_size, n), _number("train_size", train_size, n)
    if n_test is None and n_train is None:
        raise CleancutError("test_size=None and train_size=None leave both sizes open. Give one of them.")
    n_test = n - n_train if n_test is None and n_train is not None else n_test
    n_train = n - n_test if n_train is None and n_test is not None else n_train
    assert n_train is not None and n_test is not None
    if n_train + n_test > n:
        raise CleancutError(f"train_size and test_size ask for {n_train} + {n_test} rows of {n}. Ask for fewer.")
    seed = DEFAULTS.seed if seed is None else seed
    plan = mincut(
        dataset, {"train": n_train, "test": n_test}, seed=seed, stratify=stratify_by_column, discard=discard, **options
    )  # fmt: skip
    rng = np.random.default_rng(seed)
    parts = {}
    for name, most in (("train", n_train), ("test", n_test)):
        rows = plan.rows(name)
        if n_train + n_test < n and len(rows) > most:  # only so many are asked for
            rows = np.sort(rng.choice(rows, most, replace=False))
        parts[name] = dataset.select(rows)
    return datasets.DatasetDict(parts)


def _number(name: str, size: float | int | None, n: int) -> int | None:
    """Return a number of rows, from a share or a number."""
    if size is None:
        return None
    if isinstance(size, bool) or not isinstance(size, int | float):
        raise CleancutError(f"{name}={size!r} is no size. Give a share below 1, or a number of rows.")
    rows = size if isinstance(size, int) else round(size * n)
    if not 0 < rows < n or (isinstance(size, float) and not 0 < size < 1):
        raise CleancutError(f"{name}={size!r} is out of range for {n} rows. Give a share below 1, or fewer rows.")
    return rows


def entities_of(
    dataset: Any, *, columns: Mapping[str, Any] | Shape | None = None, **more_columns: Any
) -> list[set[Any]]:
    """Return the entities of each row, as ``groups=`` of scikit-learn takes them for ``CleanCutSplit``.

    An entity is a pair of its words and its type.

    >>> import datasets
    >>> rows = {"tokens": [["Ada", "ran"], ["so"]], "tags": [["B-PER", "O"], ["O"]]}
    >>> entities_of(datasets.Dataset.from_dict(rows))
    [{('Ada', 'PER')}, set()]
    """
    shape = shape_of(dataset, columns if columns is not None else more_columns)
    found: list[set[Any]] = []
    reader = RowReader()
    for table in dataset.with_format("arrow").iter(batch_size=10_000):
        rows = reader.read(table, shape)
        mentions = rows.corpus.mentions
        texts, labels = rows.corpus.texts(), [mentions.labels[label] for label in mentions.label.tolist()]
        row_of_item = np.repeat(np.arange(len(table)), np.diff(rows.bounds))
        own: list[set[Any]] = [set() for _ in range(len(table))]
        for row, mention in zip(row_of_item[rows.item].tolist(), rows.mention.tolist(), strict=True):
            own[row].add((texts[mention], labels[mention]))
        found += own
    return found
