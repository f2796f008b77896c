"""What training has shown of the mentions of each row, as columns of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.exceptions import CleancutError
from ..reading.detecting import Shape
from ..scoring.exposure import Exposure
from ..scoring.exposure_view import NOVELTY
from ..version import __version__
from .mentions import RowReader, exposure_of, features_of, shape_of

CONTAMINATION = ("none", "partly", "fully")
"""Of the mentions of a row, how many training has shown; a row without any has none."""


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
    """Add what training has shown of the mentions of each row.

    The columns are ``seen`` (a list of bool) and ``novelty`` (a list of ClassLabel) in the order of the row's own
    spans, or in the order of the text where the row has tags; ``n_seen`` and ``n_new``, their numbers; and
    ``contamination`` (ClassLabel ``none``, ``partly``, ``fully``). A span that cannot be found in the text is None.

    Args:
        dataset: a ``Dataset``, ``DatasetDict`` or ``IterableDataset``.
        train: an ``Exposure``, or what ``Exposure.of`` takes.
        columns: which columns hold what, where they are not found or not the right ones; ``tokens=``, ``tags=`` and
            the others may also be given one by one.
        prefix: put before the names of the columns that are added.
        batch_size: rows at a time.
        num_proc: processes that share the work, of a ``Dataset``.
        load_from_cache_file: take the result from datasets' cache, where it is there.
        desc: what the progress bar says.

    Returns:
        The same kind of object, with its features declared and nothing else changed.

    >>> import datasets
    >>> train = datasets.Dataset.from_dict({"tokens": [["Ada"]], "tags": [["B-PER"]]})
    >>> test = datasets.Dataset.from_dict({"tokens": [["Ada", "Bo"]], "tags": [["B-PER", "B-PER"]]})
    >>> annotate(test, train, load_from_cache_file=False)[0]["seen"]
    [True, False]
    """
    exposure = exposure_of(train)

    def added(part: Any) -> Any:
        shape = shape_of(part, columns if columns is not None else more_columns)
        mapper = Mapper(exposure, shape, prefix)
        return mapped(
            part, mapper, mapper.features(features_of(part)), batch_size=batch_size, num_proc=num_proc,
            load_from_cache_file=load_from_cache_file, desc=desc,
        )  # fmt: skip

    return of_each(dataset, added)


class Mapper(RowReader):
    """The columns that ``annotate`` adds, for batches of rows. It can be pickled."""

    def __init__(self, exposure: Exposure, columns: Mapping[str, Any] | Shape | None = None, prefix: str = "") -> None:
        self._exposure, self._columns, self._prefix = exposure, columns, prefix

    def __call__(self, batch: Any) -> Any:
        """Return a batch with the columns: of an Arrow table a table, of a dict of lists those that are new."""
        import pyarrow as pa

        if isinstance(batch, pa.Table):
            for name, array in self._arrays(batch, shape_of(batch, self._columns)).items():
                batch = batch.append_column(name, array)
            return batch
        shape = self._columns
        if not isinstance(shape, Shape):
            columns = {name: list(batch[name]) for name in batch}
            shape = shape_of(
                [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)], shape
            )
        table = pa.table({name: list(batch[name]) for name in shape.columns})
        return {name: array.to_pylist() for name, array in self._arrays(table, shape).items()}

    def features(self, features: Any) -> Any:
        """Return the features of a dataset with those of the columns; an error where a name is taken."""
        import datasets

        bool_, int_ = datasets.Value("bool"), datasets.Value("int32")
        novelty, contamination = datasets.ClassLabel(names=list(NOVELTY)), datasets.ClassLabel(names=[*CONTAMINATION])
        fresh = {"seen": [bool_], "novelty": [novelty], "n_seen": int_, "n_new": int_, "contamination": contamination}
        for name, feature in fresh.items():
            named = f"{self._prefix}{name}"
            if named in features:
                raise CleancutError(f"the dataset has a column {named!r} already. Give prefix=, such as prefix='x_'.")
            features[named] = datasets.List(feature[0]) if isinstance(feature, list) else feature
        return features

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells this mapping from all others, for datasets' cache."""
        return "annotate", self._exposure.identity, str(self._columns), self._prefix, __version__

    def _arrays(self, table: Any, shape: Shape) -> dict[str, Any]:
        import pyarrow as pa

        rows = self.read(table, shape)
        view = self._exposure.view(rows.corpus)
        found = np.zeros(rows.n_items, bool)
        found[rows.item] = True
        seen = rows.any_of_item(view.seen)
        novelty = np.full(rows.n_items, len(NOVELTY), np.int64)
        np.minimum.at(novelty, rows.item, view.novelty[rows.mention].astype(np.int64))  # of several, the best known
        n_items = np.diff(rows.bounds)
        n_seen = _per_row(seen & found, rows.bounds)
        n_found = _per_row(found, rows.bounds)
        contamination = np.where(n_seen == 0, 0, np.where(n_seen < n_found, 1, 2))
        offsets = pa.array(np.append(0, np.cumsum(n_items)).astype(np.int32))
        columns = {
            "seen": pa.ListArray.from_arrays(offsets, pa.array(seen, pa.bool_(), mask=~found)),
            "novelty": pa.ListArray.from_arrays(offsets, pa.array(novelty, pa.int64(), mask=~found)),
            "n_seen": pa.array(n_seen.astype(np.int32)),
            "n_new": pa.array((n_found - n_seen).astype(np.int32)),
            "contamination": pa.array(contamination.astype(np.int64)),
        }
        return {f"{self._prefix}{name}": array for name, array in columns.items()}


def _per_row(of_item: NDArray[np.bool_], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    sums = np.append(0, np.cumsum(of_item))
    return sums[bounds[1:]] - sums[bounds[:-1]]


# --- datasets of any kind -----------------------------------------------------------------------------------------


def of_each(dataset: Any, function: Callable[[Any], Any]) -> Any:
    """Return what a function makes of a dataset, or of each split of several, in an object of the same kind."""
    if isinstance(dataset, Mapping):
        made: Any = type(dataset)
        return made({name: function(part) for name, part in dataset.items()})
    if not hasattr(dataset, "column_names"):
        raise CleancutError(
            f"expected a Dataset, DatasetDict or IterableDataset, got {type(dataset).__name__}. Make one with "
            "datasets.Dataset.from_list or load_dataset."
        )
    return function(dataset)


def mapped(dataset: Any, mapper: Any, features: Any, **options: Any) -> Any:
    """Return a dataset whose batches went through a function, from datasets' cache where that is possible."""
    if not hasattr(dataset, "__len__"):  # it is streamed
        return dataset.map(mapper, batched=True, batch_size=options["batch_size"], features=features)
    from datasets.fingerprint import Hasher

    shown = dataset.format
    fingerprint = Hasher.hash([dataset._fingerprint, *mapper.identity])
    made = dataset.with_format("arrow").map(
        mapper, batched=True, features=features, new_fingerprint=fingerprint, **options
    )  # fmt: skip
    if shown["columns"] == dataset.column_names:  # all of them, and so those that were added
        shown = {**shown, "columns": None}
    return made.with_format(shown["type"], columns=shown["columns"], **shown["format_kwargs"])
