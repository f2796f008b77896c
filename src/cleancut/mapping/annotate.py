"""Columns of a dataset that say which mentions of each row training has shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.exceptions import CleancutError, quoted
from ..reading.dataset import named_columns
from ..reading.shape import Shape
from ..scoring.exposure import Exposure
from ..scoring.exposure_view import NOVELTY
from ..version import __version__
from .mentions import RowReader, exposure_of, features_of, shape_of

CONTAMINATION = ("none", "partly", "fully")
"""How many mentions of a row are contaminated; a row without mentions has ``none``."""


def annotate(
    dataset: Any,
    train: Any,
    *,
    columns: Mapping[str, Any] | Shape | None = None,
    prefix: str = "",
    batch_size: int = 1000,
    num_proc: int | None = None,
    load_from_cache_file: bool = True,
    desc: str | None = None,
    **more_columns: Any,
) -> Any:
    """Add columns to a dataset that say which mentions of each row training has shown.

    ``seen`` (a list of bool) and ``novelty`` (a list of ClassLabel) have an item for each mention, in the order of the
    row's own spans, or in the order of the text where the row has tags. A span that cannot be found in the text is
    None. ``n_seen`` and ``n_new`` count the mentions that training has shown and the others. ``contamination``
    (ClassLabel) is ``none``, ``partly`` or ``fully``.

    Args:
        dataset: a ``Dataset``, ``DatasetDict`` or ``IterableDataset``.
        train: an ``Exposure``, or what ``Exposure.of`` takes.
        columns: the columns to read by option (``{"tags": "ner_tags"}``), where they are not recognised.
        prefix: a prefix for the names of the new columns.
        batch_size: the number of rows that are read at a time.
        num_proc: the number of processes that share the work; only for a ``Dataset``.
        load_from_cache_file: take the result from the cache of ``datasets``, if it is there.
        desc: the text of the progress bar.
        **more_columns: the columns to read one by one (``tags="ner_tags"``), instead of ``columns``.

    Returns:
        The same kind of object, with the features of the new columns declared and nothing else changed.

    Raises:
        CleancutError: the dataset has a column of such a name already, or its mentions are not recognised.

    >>> import datasets
    >>> train = datasets.Dataset.from_dict({"tokens": [["Ada"]], "tags": [["B-PER"]]})
    >>> test = datasets.Dataset.from_dict({"tokens": [["Ada", "Bo"]], "tags": [["B-PER", "B-PER"]]})
    >>> annotate(test, train, load_from_cache_file=False)[0]["seen"]
    [True, False]
    """
    exposure = exposure_of(train)

    asked_columns = columns if columns is not None else more_columns

    def with_columns(part: Any) -> Any:
        """Return one dataset with the columns."""
        mapper = Mapper(exposure, shape_of(part, asked_columns), prefix)
        return mapped(
            part,
            mapper,
            mapper.features(features_of(part)),
            batch_size=batch_size,
            num_proc=num_proc,
            load_from_cache_file=load_from_cache_file,
            desc=desc,
        )

    return of_each(dataset, with_columns)


def _rows_of(batch: Any) -> list[dict[str, Any]]:
    """Return the rows of a batch of columns.

    Raises:
        CleancutError: it is no mapping of columns, or they have other lengths.
    """
    wanted = "a batch of columns by name, or a pyarrow table"
    given = checks.mapping(batch, "the batch", wanted)
    columns = {name: checks.ordered(given[name], f"the batch: {quoted(name)}", "a list of values") for name in given}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise CleancutError(f"the batch has columns of other lengths: {quoted(lengths)}. Give {wanted}.")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


class Mapper(RowReader):
    """A function that adds the columns of ``annotate`` to batches of rows. It can be pickled.

    Args:
        exposure: the index of training data.
        columns: the columns to read, or the shape of the rows; None to recognise them.
        prefix: a prefix for the names of the new columns.
    """

    def __init__(self, exposure: Exposure, columns: Mapping[str, Any] | Shape | None = None, prefix: str = "") -> None:
        self._exposure = exposure
        self._columns = columns if isinstance(columns, Shape) else named_columns(columns)
        self._prefix = prefix if isinstance(prefix, str) and not prefix else checks.column_name(prefix, "prefix")

    def __call__(self, batch: Any) -> Any:
        """Return an Arrow table with the columns; for a dict of lists, return the new columns only."""
        import pyarrow as pa

        if isinstance(batch, pa.Table):
            for name, array in self._arrays(batch, shape_of(batch, self._columns)).items():
                batch = batch.append_column(name, array)
            return batch
        shape = self._columns
        if not isinstance(shape, Shape):
            rows = _rows_of(batch)
            shape = shape_of(rows, shape)
        table = pa.table({name: list(batch[name]) for name in shape.columns})
        return {name: array.to_pylist() for name, array in self._arrays(table, shape).items()}

    def features(self, features: Any) -> Any:
        """Return the features of a dataset with those of the new columns.

        Args:
            features: the features of the dataset, which are changed.

        Raises:
            CleancutError: the dataset has a column of such a name already.
        """
        import datasets

        count = datasets.Value("int32")
        new_features = {
            "seen": datasets.List(datasets.Value("bool")),
            "novelty": datasets.List(datasets.ClassLabel(names=list(NOVELTY))),
            "n_seen": count,
            "n_new": count,
            "contamination": datasets.ClassLabel(names=[*CONTAMINATION]),
        }
        for name, feature in new_features.items():
            column = f"{self._prefix}{name}"
            if column in features:
                raise CleancutError(
                    f"the dataset has a column {quoted(column)} already. Give prefix=, such as prefix='x_'."
                )
            features[column] = feature
        return features

    @property
    def identity(self) -> tuple[str, ...]:
        """The values on which the result depends, from which ``datasets`` makes the name of the cached result."""
        return "annotate", self._exposure.identity, str(self._columns), self._prefix, __version__

    def _arrays(self, table: Any, shape: Shape) -> dict[str, Any]:
        """Return the new columns of an Arrow table, by name."""
        import pyarrow as pa

        rows = self.read(table, shape)
        view = self._exposure.view(rows.corpus)
        is_mention = np.zeros(rows.n_items, bool)
        is_mention[rows.item] = True
        seen = rows.any_of_item(view.seen)
        novelty = np.full(rows.n_items, len(NOVELTY), np.int64)
        # An item with several mentions is as novel as the best known of them.
        np.minimum.at(novelty, rows.item, view.novelty[rows.mention].astype(np.int64))
        n_items = np.diff(rows.bounds)
        n_seen = _per_row(seen & is_mention, rows.bounds)
        n_mentions = _per_row(is_mention, rows.bounds)
        contamination = np.where(n_seen == 0, 0, np.where(n_seen < n_mentions, 1, 2))
        offsets = pa.array(np.append(0, np.cumsum(n_items)).astype(np.int32))
        columns = {
            "seen": pa.ListArray.from_arrays(offsets, pa.array(seen, pa.bool_(), mask=~is_mention)),
            "novelty": pa.ListArray.from_arrays(offsets, pa.array(novelty, pa.int64(), mask=~is_mention)),
            "n_seen": pa.array(n_seen.astype(np.int32)),
            "n_new": pa.array((n_mentions - n_seen).astype(np.int32)),
            "contamination": pa.array(contamination.astype(np.int64)),
        }
        return {f"{self._prefix}{name}": array for name, array in columns.items()}


def _per_row(of_item: NDArray[np.bool_], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each row the number of its items of which something is true."""
    sums = np.append(0, np.cumsum(of_item))
    return sums[bounds[1:]] - sums[bounds[:-1]]


# --- datasets of any kind -----------------------------------------------------------------------------------------


def of_each(dataset: Any, function: Callable[[Any], Any]) -> Any:
    """Apply a function to a dataset, or to each split of a ``DatasetDict``.

    Args:
        dataset: the dataset, or the splits.
        function: a function that takes a dataset and returns one.

    Returns:
        The value of the function, or an object of the same kind as the given splits.

    Raises:
        CleancutError: the object is no dataset.
    """
    if isinstance(dataset, Mapping):
        kind: Any = type(dataset) if hasattr(dataset, "column_names") else dict
        return kind({name: function(part) for name, part in dataset.items()})
    if not hasattr(dataset, "column_names"):
        raise CleancutError(
            f"expected a Dataset, DatasetDict or IterableDataset, got {type(dataset).__name__}. Make one with "
            "datasets.Dataset.from_list or load_dataset."
        )
    return function(dataset)


def mapped(dataset: Any, mapper: Any, features: Any, **options: Any) -> Any:
    """Apply a mapper to the batches of a dataset; take the result from the cache of ``datasets`` if it is there.

    Args:
        dataset: the dataset.
        mapper: a function of a batch, with an ``identity`` that names the result in the cache.
        features: the features of the result.
        **options: ``batch_size``, ``num_proc``, ``load_from_cache_file`` and ``desc`` of ``Dataset.map``, all of which
            must be given; for a streamed dataset all are checked, but only ``batch_size`` has an effect.

    Raises:
        CleancutError: an option is not valid.
    """
    checks.whole(options["batch_size"], "batch_size", 1, 2**31 - 1)
    if options["num_proc"] is not None:
        checks.whole(options["num_proc"], "num_proc", 1, 2**16)
    checks.switch(options["load_from_cache_file"], "load_from_cache_file")
    if options["desc"] is not None:
        checks.text(options["desc"], "desc")
    if not hasattr(dataset, "__len__"):  # it is streamed
        return dataset.map(mapper, batched=True, batch_size=options["batch_size"], features=features)
    from datasets.fingerprint import Hasher

    format_before = dataset.format
    fingerprint = Hasher.hash([dataset._fingerprint, *mapper.identity])
    arrow = dataset.with_format("arrow")
    result = arrow.map(mapper, batched=True, features=features, new_fingerprint=fingerprint, **options)
    columns = format_before["columns"]
    if columns == dataset.column_names:  # all columns were shown, and so the new ones are shown, too
        columns = None
    return result.with_format(format_before["type"], columns=columns, **format_before["format_kwargs"])
