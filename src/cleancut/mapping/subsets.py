"""The clean and the contaminated part of a dataset: all rows with some of their mentions, or some of the rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.arrays import bounds_of, ranges
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, parse_choice
from ..core.same import PART_LIMIT, Same
from ..reading.columns import records_in, unpacked
from ..reading.dataset import named_columns
from ..reading.shape import Form, Shape
from ..scoring.exposure import Exposure
from ..version import __version__
from .annotate import mapped, of_each
from .mentions import RowMentions, RowReader, exposure_of, features_of, outside, shape_of


class Which(StrEnum):
    """The mentions that are kept."""

    CLEAN = "clean"
    """The mentions of entities unseen in training."""
    CONTAMINATED = "contaminated"
    """The mentions of entities that training has shown."""


class Level(StrEnum):
    """The rows that count as contaminated."""

    PARTLY = "partly"
    """The rows with at least one mention of a shared entity."""
    FULLY = "fully"
    """The rows whose mentions are all of shared entities."""


def subsets(test: Any, train: Any, **columns: Any) -> tuple[Any, Any]:
    """Return the clean and the contaminated test set: both keep all samples, and each keeps some of the mentions.

    Args:
        test: a corpus; or a ``Dataset``, ``DatasetDict``, ``IterableDataset`` or a list of dicts, whose other columns
            stay as they are.
        train: an ``Exposure``, or what ``Exposure.of`` takes.
        **columns: the columns of a dataset to read, such as ``tags=``, where they are not recognised.

    Returns:
        Two objects of the given kind: the first with the mentions unseen in training, the second with the others.

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
        clean, contaminated = (_MentionFilter(exposure, shape, which, None).of_rows(test) for which in Which)
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
    """Keep every row of a dataset, but only the clean or only the contaminated mentions.

    This makes the paper's clean and contaminated test sets, in the schema of the dataset: tags of the other mentions
    become O (or its label id), other spans are left out.

    Args:
        dataset: a ``Dataset``, ``DatasetDict`` or ``IterableDataset``.
        train: an ``Exposure``, or what ``Exposure.of`` takes.
        which: the mentions to keep, ``clean`` or ``contaminated``.
        columns: the columns to read by option (``{"tags": "ner_tags"}``), where they are not recognised.
        batch_size: the number of rows that are read at a time.
        num_proc: the number of processes that share the work; only for a ``Dataset``.
        load_from_cache_file: take the result from the cache of ``datasets``, if it is there.
        desc: the text of the progress bar.
        **more_columns: the columns to read one by one (``tags="ner_tags"``), instead of ``columns``.

    Returns:
        The same kind of object, with the same features.

    Raises:
        CleancutError: rows are documents of several sentences, or mentions cannot be taken out of the annotation.

    >>> import datasets
    >>> train = datasets.Dataset.from_dict({"tokens": [["Ada"]], "tags": [["B-PER"]]})
    >>> test = datasets.Dataset.from_dict({"tokens": [["Ada", "Bo"]], "tags": [["B-PER", "B-PER"]]})
    >>> keep_mentions(test, train, "clean", load_from_cache_file=False)[0]["tags"]
    ['O', 'B-PER']
    """
    exposure = exposure_of(train)
    kept = parse_choice(Which, which, "which")
    asked_columns = columns if columns is not None else more_columns

    def filtered(part: Any) -> Any:
        """Return one dataset with some of its mentions."""
        shape = shape_of(part, asked_columns)
        features = features_of(part)
        return mapped(
            part,
            _MentionFilter(exposure, shape, kept, features.get(shape.annotation)),
            features,
            batch_size=batch_size,
            num_proc=num_proc,
            load_from_cache_file=load_from_cache_file,
            desc=desc,
        )

    return of_each(dataset, filtered)


class _MentionFilter(RowReader):
    """A function that takes the clean or the contaminated mentions out of batches of rows. It can be pickled.

    Args:
        exposure: the index of training data.
        shape: the shape of the rows.
        which: the mentions to keep.
        feature: the feature of the annotation, which has the label ids; None for rows that are dicts.
    """

    def __init__(self, exposure: Exposure, shape: Shape, which: Which, feature: Any) -> None:
        if shape.sentences is not None:
            raise CleancutError(
                f"the rows are documents of several sentences ({shape.sentences}). Give a row for each sentence."
            )
        if shape.fields.keyed is not None:
            raise CleancutError(
                f"{shape.annotation} has mentions by their {shape.fields.keyed.key}. Give a list of spans."
            )
        self._exposure = exposure
        self._shape = shape
        self._which = which
        self._outside = outside(shape, feature) if shape.form is Form.TAGS else None

    @property
    def identity(self) -> tuple[str, ...]:
        """The values on which the result depends, from which ``datasets`` makes the name of the cached result."""
        return "keep_mentions", self._exposure.identity, str(self._shape), self._which.value, __version__

    def __call__(self, batch: Any) -> Any:
        """Return an Arrow table with the kept mentions; for a dict of lists, return its annotation only."""
        import pyarrow as pa

        is_table = isinstance(batch, pa.Table)
        table = batch if is_table else pa.table({name: list(batch[name]) for name in self._shape.columns})
        rows = self.read(table, self._shape)
        is_kept = self._is_kept(rows.corpus)
        if self._shape.form is Form.TAGS:
            annotation = self._tags(table, rows, is_kept)
        else:
            annotation = self._spans(table, rows, is_kept)
        if not is_table:
            return {self._shape.annotation: annotation.to_pylist()}
        at = batch.column_names.index(self._shape.annotation)
        return batch.set_column(at, batch.schema.field(at), annotation)

    def _is_kept(self, corpus: Corpus) -> NDArray[np.bool_]:
        """Return for each mention whether it is kept."""
        seen = self._exposure.view(corpus).seen
        return seen if self._which is Which.CONTAMINATED else ~seen

    def of_rows(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return rows that are dicts with the kept mentions; everything else in them stays as it is."""
        annotation = self._shape.annotation
        if not rows:
            return []
        if self._shape.form is Form.TAGS:
            columns = {name: [row.get(name) for row in rows] for name in self._shape.columns}
            annotations = self(columns)[annotation]
        else:
            mentions = RowMentions.of_rows(rows, self._shape)
            item_is_kept = mentions.any_of_item(self._is_kept(mentions.corpus))
            kept_of_rows = np.split(item_is_kept, mentions.bounds[1:-1])
            annotations = []
            for row, is_kept in zip(rows, kept_of_rows, strict=True):
                annotations.append(self._spans_of_row(row.get(annotation), is_kept.tolist()))
        return [{**row, annotation: kept} for row, kept in zip(rows, annotations, strict=True)]

    def _tags(self, table: Any, rows: RowMentions, kept: NDArray[np.bool_]) -> Any:
        """Return the column of tags, in which tokens of mentions that are not kept have the tag O."""
        import pyarrow as pa
        import pyarrow.compute as pc

        corpus = rows.corpus
        mentions = corpus.mentions
        column = table.column(self._shape.annotation).combine_chunks()
        begin = bounds_of(corpus.lengths)[mentions.sample] + mentions.start
        tokens = ranges(begin[~kept], (mentions.end - mentions.start)[~kept].astype(np.int64))
        removed = np.zeros(int(corpus.lengths.sum()), bool)
        removed[tokens] = True
        if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
            return self._tags_in_texts(column, removed, corpus.lengths)
        values = column.flatten()
        changed = pc.if_else(pa.array(removed), pa.scalar(self._outside, values.type), values)
        offsets = pa.array(np.append(0, np.cumsum(corpus.lengths)), column.offsets.type)
        return type(column).from_arrays(offsets, changed)

    def _tags_in_texts(self, column: Any, removed: NDArray[np.bool_], lengths: NDArray[np.int64]) -> Any:
        """Return a column whose texts are the tags of a row, in JSON or with spaces, with ``O`` for removed mentions.

        Args:
            column: the column of texts.
            removed: whether each token of all rows belongs to a mention that is not kept.
            lengths: the number of tokens of each row.
        """
        import pyarrow as pa

        is_json = self._shape.annotation in self._shape.packed
        bounds = bounds_of(lengths).tolist()
        texts = []
        for text, begin, end in zip(column.to_pylist(), bounds[:-1], bounds[1:], strict=True):
            tags = list(unpacked(text)) if is_json else text.split()
            pairs = zip(tags, removed[begin:end].tolist(), strict=True)
            tags = [self._outside if is_removed else tag for tag, is_removed in pairs]
            if is_json:
                texts.append(json.dumps(tags, ensure_ascii=False))
            else:
                texts.append(" ".join(map(str, tags)))
        return pa.array(texts, column.type)

    def _spans(self, table: Any, rows: RowMentions, kept: NDArray[np.bool_]) -> Any:
        """Return the column of spans, with only the spans that have a mention which is kept.

        A span that cannot be found in the text has no mention, and is left out.
        """
        import pyarrow as pa

        column = table.column(self._shape.annotation).combine_chunks()
        item_is_kept = rows.any_of_item(kept)
        is_list = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
        if is_list and not column.null_count:
            n_kept_before = np.append(0, np.cumsum(item_is_kept))
            offsets = pa.array(n_kept_before[rows.bounds], column.offsets.type)
            return type(column).from_arrays(offsets, column.flatten().filter(pa.array(item_is_kept)))
        kept_of_rows = np.split(item_is_kept, rows.bounds[1:-1])[: len(column)]
        values = []
        for value, is_kept in zip(column.to_pylist(), kept_of_rows, strict=True):
            values.append(self._spans_of_row(value, is_kept.tolist()))
        return pa.array(values, column.type)

    def _spans_of_row(self, value: Any, kept: list[bool]) -> Any:
        """Return the kept spans of one row, in the form in which the row has its spans."""
        if value is None:
            return None
        if self._shape.annotation in self._shape.packed and isinstance(value, str):
            if not value.strip():
                return value
            return json.dumps(_records_kept(unpacked(value), kept), ensure_ascii=False)
        return _records_kept(value, kept)


def _records_kept(value: Any, kept: list[bool]) -> Any:
    """Return the kept records of a list of records, or of a dict with a list for each field."""
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
    same: str | Same = "exact",
    aliases: Any = None,
    part_limit: int = PART_LIMIT,
    columns: Mapping[str, Any] | Shape | None = None,
    batch_size: int = 1000,
    **more_columns: Any,
) -> Any:
    """Remove the rows that share entities with other data, such as training rows with entities of the test set.

    Args:
        train: the rows: a ``Dataset``, ``DatasetDict`` or ``IterableDataset``.
        against: the data that nothing should be shared with: an ``Exposure``, or what ``Exposure.of`` takes. The
            split ``test`` of a ``DatasetDict`` is taken.
        level: ``partly`` removes rows with any shared entity, ``fully`` those whose entities are all shared.
        case: whether words that differ in case make different entities.
        typed: whether the type belongs to the entity.
        unicode: a Unicode normal form, such as ``NFKC``, that words are brought into before they are compared.
        same: which names count as the same, such as ``fold+part``; a word is generic by the names of ``against``.
        aliases: lists of names that mean the same, for ``alias``.
        part_limit: a word that occurs in more names of two or more words than this is generic, for ``part``.
        columns: the columns to read by option (``{"tags": "ner_tags"}``), where they are not recognised.
        batch_size: the number of rows that are read at a time from a stream.
        **more_columns: the columns to read one by one (``tags="ner_tags"``), instead of ``columns``.

    Returns:
        The same kind of object, with the remaining rows in their order.

    >>> import datasets
    >>> train = datasets.Dataset.from_dict({"tokens": [["Ada"], ["Bo"]], "tags": [["B-PER"], ["B-PER"]]})
    >>> test = datasets.Dataset.from_dict({"tokens": [["Ada"]], "tags": [["B-PER"]]})
    >>> decontaminate(train, test)["tokens"][:]
    [['Bo']]
    """
    chosen = parse_choice(Level, level, "level")
    checks.whole(batch_size, "batch_size", 1)
    if isinstance(against, Mapping) and "test" in against:
        against = against["test"]
    notion = Same.of(same, aliases=aliases, part_limit=part_limit)
    asked_columns = columns if columns is not None else more_columns
    shown = against
    if not isinstance(against, Exposure):
        ids = asked_columns.ids if isinstance(asked_columns, Shape) else named_columns(asked_columns).get("ids")
        of_against = {"ids": ids} if ids is not None and hasattr(against, "column_names") else None
        key: dict[str, Any] = {"case": case, "typed": typed, "unicode": unicode}
        shown = Exposure.of(against, **key, same=notion, columns=of_against)
    elif not notion.is_exact:
        shown = against.under(notion)

    def cleaned(part: Any) -> Any:
        """Return the remaining rows of one dataset."""
        is_clean = _RowFilter(shown, shape_of(part, asked_columns), chosen)
        if not hasattr(part, "__len__"):  # it is streamed
            return part.filter(is_clean.of_batch, batched=True, batch_size=batch_size)
        kept = [is_clean(batch) for batch in part.with_format("arrow").iter(batch_size=10_000)]
        if not kept:  # there are no rows
            return part.select([])
        return part.select(np.flatnonzero(np.concatenate(kept)))

    return of_each(train, cleaned)


class _RowFilter(RowReader):
    """A function that says which rows of a batch are not contaminated. It can be pickled.

    Args:
        exposure: the index of the data that nothing should be shared with.
        shape: the shape of the rows.
        level: the rows that count as contaminated.
    """

    def __init__(self, exposure: Exposure, shape: Shape, level: Level) -> None:
        self._exposure = exposure
        self._shape = shape
        self._level = level

    def __call__(self, table: Any) -> NDArray[np.bool_]:
        """Return for each row of an Arrow table whether it is kept."""
        rows = self.read(table, self._shape)
        item_is_shared = rows.any_of_item(self._exposure.view(rows.corpus).seen)
        n_shared_before = np.append(0, np.cumsum(item_is_shared))
        n_shared = n_shared_before[rows.bounds[1:]] - n_shared_before[rows.bounds[:-1]]
        n_items = np.diff(rows.bounds)
        if self._level is Level.PARTLY:
            return n_shared == 0
        return (n_items == 0) | (n_shared != n_items)

    def of_batch(self, batch: Mapping[str, Any]) -> list[bool]:
        """Return for each row of a dict of lists whether it is kept."""
        import pyarrow as pa

        return self(pa.table({name: list(batch[name]) for name in self._shape.columns})).tolist()
