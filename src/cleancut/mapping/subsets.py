"""The clean and the contaminated part of a dataset: all rows with some of their mentions, or some of the rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import bounds_of, ranges
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, parse_choice
from ..reading.columns import records_in, unpacked
from ..reading.detecting import Form, Shape
from ..scoring.exposure import Exposure
from ..version import __version__
from .annotate import mapped, of_each
from .mentions import RowMentions, RowReader, exposure_of, features_of, outside, shape_of


class Which(StrEnum):
    """Which mentions stay."""

    CLEAN = "clean"
    """Those that training has not shown."""
    CONTAMINATED = "contaminated"
    """Those that training has shown."""


class Level(StrEnum):
    """Which rows are contaminated."""

    PARTLY = "partly"
    """Those with a mention of an entity that is shared."""
    FULLY = "fully"
    """Those whose mentions are all of entities that are shared."""


def subsets(test: Any, train: Any, **columns: Any) -> tuple[Any, Any]:
    """Return the clean and the contaminated test set: all samples are kept, the targets are filtered.

    Args:
        test: a corpus; or a ``Dataset``, ``DatasetDict``, ``IterableDataset`` or a list of dicts, whose columns are
            kept.
        train: an ``Exposure``, or what ``Exposure.of`` takes.
        **columns: which columns of a dataset hold what, as for ``annotate``.

    Returns:
        Two objects of the kind that was given: the one with the mentions that training has not shown, the other with
        those that it has.

    >>> test = Corpus.of([["Ada", "Bo"]], tags=[["B-PER", "B-PER"]])
    >>> clean, contaminated = subsets(test, Corpus.of([["Ada"]], tags=[["B-PER"]]))
    >>> clean.texts(), contaminated.texts()
    (['Bo'], ['Ada'])
    """
    exposure = exposure_of(train)
    if isinstance(test, Corpus):
        seen = exposure.view(test).seen
        return test.keep(~seen), test.keep(seen)
    if isinstance(test, list):
        shape = shape_of(test, columns)
        clean, contaminated = (_Filter(exposure, shape, which, None).of_rows(test) for which in Which)
        return clean, contaminated
    clean, contaminated = (keep_mentions(test, exposure, which, **columns) for which in Which)
    return clean, contaminated


def keep_mentions(
    dataset: Any,
    train: Any,
    which: str,
    *,
    columns: Mapping[str, Any] | Shape | None = None,
    batch_size: int = 1000,
    num_proc: int | None = None,
    load_from_cache_file: bool = True,
    desc: str | None = None,
    **more_columns: Any,
) -> Any:
    """Keep every row, and of its mentions only the clean ones, or only the contaminated ones, as targets.

    These are the paper's clean and contaminated test sets, in the schema of the dataset: tags of the other mentions
    become O, in the row's own label ids; the other spans are left out.

    Args:
        dataset: a ``Dataset``, ``DatasetDict`` or ``IterableDataset``.
        train: an ``Exposure``, or what ``Exposure.of`` takes.
        which: ``clean`` or ``contaminated``.
        columns: which columns hold what, as for ``annotate``; likewise the other options.

    Returns:
        The same kind of object, with the same features.

    >>> import datasets
    >>> train = datasets.Dataset.from_dict({"tokens": [["Ada"]], "tags": [["B-PER"]]})
    >>> test = datasets.Dataset.from_dict({"tokens": [["Ada", "Bo"]], "tags": [["B-PER", "B-PER"]]})
    >>> keep_mentions(test, train, "clean", load_from_cache_file=False)[0]["tags"]
    ['O', 'B-PER']
    """
    exposure, wanted = exposure_of(train), parse_choice(Which, which, "which")

    def filtered(part: Any) -> Any:
        shape = shape_of(part, columns if columns is not None else more_columns)
        features = features_of(part)
        filter_ = _Filter(exposure, shape, wanted, features.get(shape.annotation))
        return mapped(
            part, filter_, features, batch_size=batch_size, num_proc=num_proc,
            load_from_cache_file=load_from_cache_file, desc=desc,
        )  # fmt: skip

    return of_each(dataset, filtered)


class _Filter(RowReader):
    """Takes mentions out of batches of rows. It can be pickled."""

    def __init__(self, exposure: Exposure, shape: Shape, which: Which, feature: Any) -> None:
        if shape.sentences is not None:
            raise CleancutError(
                f"the rows are documents of several sentences ({shape.sentences}). Give a row for each sentence."
            )
        if shape.fields.keyed is not None:
            raise CleancutError(
                f"{shape.annotation} has mentions by their {shape.fields.keyed.key}. Give a list of spans."
            )
        self._exposure, self._shape, self._which = exposure, shape, which
        self._outside = outside(shape, feature) if shape.form is Form.TAGS else None

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells this mapping from all others, for datasets' cache."""
        return "keep_mentions", self._exposure.identity, str(self._shape), self._which.value, __version__

    def __call__(self, batch: Any) -> Any:
        """Return a batch with some of its mentions: a table of an Arrow table, else the column of the annotation."""
        import pyarrow as pa

        is_table = isinstance(batch, pa.Table)
        table = batch if is_table else pa.table({name: list(batch[name]) for name in self._shape.columns})
        rows = self.read(table, self._shape)
        seen = self._exposure.view(rows.corpus).seen
        kept = {Which.CLEAN: ~seen, Which.CONTAMINATED: seen}[self._which]
        column = self._tags(table, rows, kept) if self._shape.form is Form.TAGS else self._spans(table, rows, kept)
        if not is_table:
            return {self._shape.annotation: column.to_pylist()}
        at = batch.column_names.index(self._shape.annotation)
        return batch.set_column(at, batch.schema.field(at), column)

    def of_rows(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return rows that are dicts with some of their mentions; all else in them is as it was."""
        annotation = self._shape.annotation
        if not rows:
            return []
        if self._shape.form is Form.TAGS:
            columns = {name: [row.get(name) for row in rows] for name in self._shape.columns}
            return [{**row, annotation: own} for row, own in zip(rows, self(columns)[annotation], strict=True)]
        read = RowMentions.of_rows(rows, self._shape)
        seen = self._exposure.view(read.corpus).seen
        stays = read.any_of_item({Which.CLEAN: ~seen, Which.CONTAMINATED: seen}[self._which])
        of_rows = np.split(stays, read.bounds[1:-1])
        kept = [self._of_row(row.get(annotation), own.tolist()) for row, own in zip(rows, of_rows, strict=True)]
        return [{**row, annotation: own} for row, own in zip(rows, kept, strict=True)]

    def _tags(self, table: Any, rows: RowMentions, kept: NDArray[np.bool_]) -> Any:
        """Return the tags with those of the other mentions put outside."""
        import pyarrow as pa
        import pyarrow.compute as pc

        corpus, column = rows.corpus, table.column(self._shape.annotation).combine_chunks()
        found = corpus.mentions
        begin = bounds_of(corpus.lengths)[found.sample] + found.start
        tokens = ranges(begin[~kept], (found.end - found.start)[~kept].astype(np.int64))
        removed = np.zeros(int(corpus.lengths.sum()), bool)
        removed[tokens] = True
        if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
            return self._tags_in_texts(column, removed, corpus.lengths)
        values = column.flatten()
        changed = pc.if_else(pa.array(removed), pa.scalar(self._outside, values.type), values)
        offsets = pa.array(np.append(0, np.cumsum(corpus.lengths)), column.offsets.type)
        return type(column).from_arrays(offsets, changed)

    def _tags_in_texts(self, column: Any, removed: NDArray[np.bool_], lengths: NDArray[np.int64]) -> Any:
        """Return tags that stand in one text, or as a list inside of it."""
        import pyarrow as pa

        bounds, texts = bounds_of(lengths).tolist(), []
        for text, begin, end in zip(column.to_pylist(), bounds[:-1], bounds[1:], strict=True):
            packed = self._shape.annotation in self._shape.packed
            tags = list(unpacked(text)) if packed else text.split()
            tags = [self._outside if out else tag for tag, out in zip(tags, removed[begin:end].tolist(), strict=True)]
            texts.append(json.dumps(tags, ensure_ascii=False) if packed else " ".join(map(str, tags)))
        return pa.array(texts, column.type)

    def _spans(self, table: Any, rows: RowMentions, kept: NDArray[np.bool_]) -> Any:
        """Return the spans without those whose mentions are others; one that is no mention is none of the kept."""
        import pyarrow as pa

        column = table.column(self._shape.annotation).combine_chunks()
        stays = rows.any_of_item(kept)
        if (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)) and not column.null_count:
            sums = np.append(0, np.cumsum(stays))
            offsets = pa.array(sums[rows.bounds], column.offsets.type)
            return type(column).from_arrays(offsets, column.flatten().filter(pa.array(stays)))
        of_rows = np.split(stays, rows.bounds[1:-1])[: len(column)]
        values = [self._of_row(value, own.tolist()) for value, own in zip(column.to_pylist(), of_rows, strict=True)]
        return pa.array(values, column.type)

    def _of_row(self, value: Any, kept: list[bool]) -> Any:
        if value is None:
            return None
        if self._shape.annotation in self._shape.packed and isinstance(value, str):
            return json.dumps(_records_kept(unpacked(value), kept), ensure_ascii=False) if value.strip() else value
        return _records_kept(value, kept)


def _records_kept(value: Any, kept: list[bool]) -> Any:
    """Return some of the spans of a row, in the form in which the row has them."""
    if isinstance(value, Mapping):  # a list for each field
        return {name: [item for item, keep in zip(items, kept, strict=True) if keep] for name, items in value.items()}
    return [item for item, keep in zip(records_in(value), kept, strict=True) if keep]


def decontaminate(
    train: Any,
    against: Any,
    level: str = "partly",
    *,
    case: bool = True,
    typed: bool = True,
    unicode: str | None = None,
    columns: Mapping[str, Any] | Shape | None = None,
    batch_size: int = 1000,
    **more_columns: Any,
) -> Any:
    """Leave out the rows that share an entity with other data, such as the training rows that name those of test.

    Args:
        train: a ``Dataset``, ``DatasetDict`` or ``IterableDataset``.
        against: the data that nothing is to be shared with: an ``Exposure``, or what ``Exposure.of`` takes; a
            ``DatasetDict`` is taken by its split test.
        level: ``partly`` leaves out rows with any shared entity, ``fully`` those whose entities are all shared.
        case: does case matter for what counts as the same entity?
        typed: does the type belong to the entity?
        unicode: a Unicode normal form into which words are brought first.
        columns: which columns hold what, as for ``annotate``.
        batch_size: rows at a time, of what is streamed.

    Returns:
        The same kind of object, with the rows that are left in their order.

    >>> import datasets
    >>> train = datasets.Dataset.from_dict({"tokens": [["Ada"], ["Bo"]], "tags": [["B-PER"], ["B-PER"]]})
    >>> test = datasets.Dataset.from_dict({"tokens": [["Ada"]], "tags": [["B-PER"]]})
    >>> decontaminate(train, test)["tokens"][:]
    [['Bo']]
    """
    chosen = parse_choice(Level, level, "level")
    if isinstance(against, Mapping) and "test" in against:
        against = against["test"]
    shown = against if isinstance(against, Exposure) else Exposure.of(against, case=case, typed=typed, unicode=unicode)

    def cleaned(part: Any) -> Any:
        shape = shape_of(part, columns if columns is not None else more_columns)
        keeps = _Rows(shown, shape, chosen)
        if not hasattr(part, "__len__"):
            return part.filter(keeps.of_batch, batched=True, batch_size=batch_size)
        kept = [keeps(batch) for batch in part.with_format("arrow").iter(batch_size=10_000)]
        return part.select(np.flatnonzero(np.concatenate(kept)) if kept else [])

    return of_each(train, cleaned)


class _Rows(RowReader):
    """Tells which rows of a batch stay. It can be pickled."""

    def __init__(self, exposure: Exposure, shape: Shape, level: Level) -> None:
        self._exposure, self._shape, self._level = exposure, shape, level

    def __call__(self, table: Any) -> NDArray[np.bool_]:
        rows = self.read(table, self._shape)
        shared = np.append(0, np.cumsum(rows.any_of_item(self._exposure.view(rows.corpus).seen)))
        n_shared = shared[rows.bounds[1:]] - shared[rows.bounds[:-1]]
        n_items = np.diff(rows.bounds)
        leaves_out = {Level.PARTLY: n_shared > 0, Level.FULLY: (n_items > 0) & (n_shared == n_items)}
        return ~leaves_out[self._level]

    def of_batch(self, batch: Mapping[str, Any]) -> list[bool]:
        """Return the same of a dict of lists."""
        import pyarrow as pa

        return self(pa.table({name: list(batch[name]) for name in self._shape.columns})).tolist()
