"""The mentions of rows, in the order in which the rows have them: what is told of a mention goes back to its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import bounds_of
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError
from ..core.tags import is_outside
from ..reading.batches import in_rows
from ..reading.columns import kind_of_feature, records_in
from ..reading.dataset import Converter, TokenSpan, log_notes
from ..reading.detecting import Form, Shape, detect
from ..scoring.exposure import Exposure


def shape_of(dataset: Any, columns: Mapping[str, Any] | Shape | None) -> Shape:
    """Return where a dataset has its mentions; an error where its rows are single tokens."""
    shape = columns if isinstance(columns, Shape) else detect(dataset, **(columns or {}))
    if shape.sentence is not None:
        raise CleancutError(
            f"a row is a single token ({shape}), and a mention may take several rows. Give a row for each sentence."
        )
    return shape


class RowMentions(NamedTuple):
    """The mentions of some rows, as a corpus and as the rows have them."""

    corpus: Corpus
    bounds: NDArray[np.int64]
    """Where the items of each row begin, and the last ends. Items are spans, or mentions in the order of the text."""
    item: NDArray[np.int64]
    """The item of each pair of an item and a mention."""
    mention: NDArray[np.int64]
    """The mention of each such pair; an item may be no mention, or several."""
    notes: tuple[str, ...] = ()
    """What is to be known of the mentions, such as that some could not be found in the text."""

    @classmethod
    def of(cls, table: Any, shape: Shape) -> RowMentions:
        """Return those of an Arrow table."""
        if _is_plain(table, shape):
            return _of_columns(table, shape)
        names = [name for name in table.column_names if name in shape.columns]
        return cls.of_rows(table.select(names).to_pylist(), shape)

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]], shape: Shape) -> RowMentions:
        """Return those of rows that are dicts."""
        return _of_tagged_rows(rows, shape) if shape.form is Form.TAGS else _of_span_rows(rows, shape)

    @property
    def n_items(self) -> int:
        """The number of items of all rows."""
        return int(self.bounds[-1])

    def any_of_item(self, of_mention: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each item whether a value is true of one of its mentions."""
        found = np.zeros(self.n_items, bool)
        found[self.item[of_mention[self.mention]]] = True
        return found


def _is_plain(table: Any, shape: Shape) -> bool:
    """Can Arrow's own columns be read as they are?"""
    import pyarrow as pa

    if (
        shape.sentences is not None
        or shape.tokens is None
        or shape.prefixed
        or {shape.tokens, shape.annotation} & shape.packed
    ):
        return False
    tokens, annotation = (table.schema.field(name).type for name in (shape.tokens, shape.annotation))
    if not _is_list(tokens) or not (
        pa.types.is_string(tokens.value_type) or pa.types.is_large_string(tokens.value_type)
    ):
        return False
    if any(table.column(name).null_count for name in (shape.tokens, shape.annotation)):
        return False
    if shape.form is Form.TAGS:
        return _is_list(annotation)
    if shape.form is not Form.TOKEN_SPANS or shape.inclusive or not _is_list(annotation):
        return False
    record = annotation.value_type
    plain = shape.fields[:4] == ("start", "end", None, "label") and pa.types.is_struct(record)
    if not plain or not pa.types.is_string(record.field("label").type):
        return False
    labels = table.column(shape.annotation).combine_chunks().flatten().field("label")
    return "O" not in labels.unique().to_pylist()  # spans of the text between mentions are left out


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _of_columns(table: Any, shape: Shape) -> RowMentions:
    tokens, annotation = table.column(shape.tokens), table.column(shape.annotation)
    given: dict[str, Any] = {shape.form.argument: annotation}
    where = in_rows("dataset", range(len(table)))
    labels = shape.labels if shape.form is Form.TAGS else None
    corpus = Corpus.of(tokens, **given, labels=labels, scheme=shape.scheme, where=where)
    if shape.form is Form.TAGS:
        return _in_order(corpus, np.arange(len(table)), len(table))
    lists = annotation.combine_chunks()
    bounds = bounds_of(np.asarray(lists.value_lengths(), np.int64))
    values = lists.flatten()
    names = values.field("label").dictionary_encode()
    rank = {name: i for i, name in enumerate(corpus.mentions.labels)}
    of_name = np.array([rank[name] for name in names.dictionary.to_pylist()] or [0], np.int64)
    sample = np.repeat(np.arange(len(table)), np.diff(bounds))
    start, end = (np.asarray(values.field(name), np.int64) for name in ("start", "end"))
    own = sample, start, end, of_name[np.asarray(names.indices)]
    found = corpus.mentions
    theirs = found.sample, found.start, found.end, found.label
    longest, n_types = int(corpus.lengths.max(initial=0)) + 1, max(len(rank), 1)
    codes = [((s.astype(np.int64) * longest + b) * longest + e) * n_types + t for s, b, e, t in (own, theirs)]
    return RowMentions(corpus, bounds, np.arange(len(sample)), np.searchsorted(codes[1], codes[0]))


def _in_order(corpus: Corpus, row_of_sample: NDArray[np.int64], n_rows: int) -> RowMentions:
    """Return mentions that are themselves the items."""
    of_row = np.bincount(row_of_sample[corpus.mentions.sample], minlength=n_rows)
    every = np.arange(len(corpus.mentions))
    return RowMentions(corpus, bounds_of(of_row), every, every)


def _samples(rows: Sequence[Mapping[str, Any]], shape: Shape) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the samples of rows, each with the number of its row."""
    if shape.sentences is None:
        return list(enumerate(rows))
    return [(i, sentence) for i, row in enumerate(rows) for sentence in records_in(row[shape.sentences] or ())]


def _of_tagged_rows(rows: Sequence[Mapping[str, Any]], shape: Shape) -> RowMentions:
    converter, samples = Converter(shape), _samples(rows, shape)
    read = [converter.tagged(row) for _, row in samples]
    numbers = [i for i, _ in samples]
    corpus = Corpus.of(
        [tokens for tokens, _ in read], tags=[tags for _, tags in read], labels=shape.labels, scheme=shape.scheme,
        where=in_rows("dataset", numbers),
    )  # fmt: skip
    return _in_order(corpus, np.array(numbers, np.int64), len(rows))


def _of_span_rows(rows: Sequence[Mapping[str, Any]], shape: Shape) -> RowMentions:
    converter, samples = Converter(shape), _samples(rows, shape)
    read = [converter.items(row) for _, row in samples]
    spans: list[list[TokenSpan]] = [[span for item in items for span in item] for _, items in read]
    corpus = Corpus.of(
        [tokens for tokens, _ in read], entities=spans, where=in_rows("dataset", [i for i, _ in samples])
    )  # fmt: skip
    found = corpus.mentions
    columns = (column.tolist() for column in (found.sample, found.start, found.end, found.label))
    number = {(s, b, e, found.labels[t]): i for i, (s, b, e, t) in enumerate(zip(*columns, strict=True))}
    pairs: list[tuple[int, int]] = []
    n_items, of_row = 0, np.zeros(len(rows), np.int64)
    for sample, ((row, _), (_, items)) in enumerate(zip(samples, read, strict=True)):
        of_row[row] += len(items)
        for item in items:
            pairs += [(n_items, number[sample, *span]) for span in item]
            n_items += 1
    both = np.array(pairs, np.int64).reshape(-1, 2)
    notes = tuple(converter.notes(len(corpus.mentions)))
    return RowMentions(corpus, bounds_of(of_row), both[:, 0], both[:, 1], notes)


class RowReader:
    """Reads the mentions of batches of rows, and logs once what is to be known of them."""

    _has_told = False

    def read(self, table: Any, shape: Shape) -> RowMentions:
        """Return the mentions of an Arrow table."""
        rows = RowMentions.of(table, shape)
        if rows.notes and not self._has_told:
            log_notes(f"in a first batch of rows: {note}" for note in rows.notes)
            self._has_told = True
        return rows

    def __getstate__(self) -> dict[str, Any]:
        """Return what makes one reader differ from another; what it has told does not."""
        return {name: value for name, value in self.__dict__.items() if name != "_has_told"}


def features_of(dataset: Any) -> Any:
    """Return the features of a dataset, also of one that is streamed and does not know them yet."""
    features = dataset.features
    if features is None:
        features = dataset._resolve_features().features
    return features.copy()


def exposure_of(train: Any, columns: Mapping[str, Any] | None = None) -> Exposure:
    """Return the index of training data, or what is one already."""
    return train if isinstance(train, Exposure) else Exposure.of(train, columns=columns)


def outside(shape: Shape, feature: Any) -> Any:
    """Return the tag of a token outside of mentions, as a column of tags has it: a name, or an id."""
    names = shape.labels
    if names is None:
        kind = kind_of_feature(feature)
        names = list(kind.of.names) if kind.of is not None and kind.of.name == "label" else None
    if names is None:
        return "O"
    pairs = names.items() if isinstance(names, Mapping) else enumerate(getattr(names, "names", None) or names)
    found = [number for number, name in pairs if is_outside(name)]
    if not found:
        raise CleancutError(f"the tags in {shape.annotation} have no name O, so that no mention can be taken out.")
    return int(found[0])
