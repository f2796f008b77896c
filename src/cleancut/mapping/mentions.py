"""The mentions of rows in the order of the rows' own spans, so that values of mentions can be put back in place."""

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
from ..reading.dataset import Converter, TokenSpan, log_notes, named_columns
from ..reading.detecting import detect
from ..reading.shape import Form, Shape
from ..scoring.exposure import Exposure


def shape_of(dataset: Any, columns: Mapping[str, Any] | Shape | None) -> Shape:
    """Return the shape of a dataset: which of its columns have the tokens and the mentions.

    Args:
        dataset: the dataset.
        columns: the columns to read, or the shape itself; None to recognise it.

    Raises:
        CleancutError: the rows are single tokens, or the mentions are not recognised.
    """
    shape = columns if isinstance(columns, Shape) else detect(dataset, **named_columns(columns))
    if shape.sentence is not None:
        raise CleancutError(
            f"a row is a single token ({shape}), and a mention may take several rows. Give a row for each sentence."
        )
    return shape


class RowMentions(NamedTuple):
    """The mentions of some rows as a corpus, and the items of the rows that they belong to.

    The items of a row are its spans as they are annotated, or its mentions in the order of the text if it has tags. An
    item may be no mention (it cannot be found in the text) or several (its parts).
    """

    corpus: Corpus
    """The rows as samples with mentions."""
    bounds: NDArray[np.int64]
    """The number of the first item of each row, and the number of all items at the end."""
    item: NDArray[np.int64]
    """The item of each pair of an item and one of its mentions."""
    mention: NDArray[np.int64]
    """The mention of each such pair."""
    notes: tuple[str, ...] = ()
    """Remarks for the user, such as that some spans could not be found in the text."""

    @classmethod
    def of(cls, table: Any, shape: Shape) -> RowMentions:
        """Return the mentions of an Arrow table."""
        if _is_plain(table, shape):
            return _of_columns(table, shape)
        names = [name for name in table.column_names if name in shape.columns]
        return cls.of_rows(table.select(names).to_pylist(), shape)

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]], shape: Shape) -> RowMentions:
        """Return the mentions of rows that are dicts."""
        return _of_tagged_rows(rows, shape) if shape.form is Form.TAGS else _of_span_rows(rows, shape)

    @property
    def n_items(self) -> int:
        """The number of all items."""
        return int(self.bounds[-1])

    def any_of_item(self, of_mention: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each item whether something is true of at least one of its mentions.

        Args:
            of_mention: whether it is true, for each mention.
        """
        of_item = np.zeros(self.n_items, bool)
        of_item[self.item[of_mention[self.mention]]] = True
        return of_item


def _is_plain(table: Any, shape: Shape) -> bool:
    """Return whether the columns can be read as whole Arrow arrays, which is much faster than row by row."""
    import pyarrow as pa

    if shape.sentences is not None or shape.tokens is None or shape.prefixed or shape.ids is not None:
        return False
    names = (shape.tokens, shape.annotation)
    if shape.packed.intersection(names) or any(table.column(name).null_count for name in names):
        return False
    tokens = table.schema.field(shape.tokens).type
    if not _is_list(tokens):
        return False
    if not pa.types.is_string(tokens.value_type) and not pa.types.is_large_string(tokens.value_type):
        return False
    if shape.form is Form.TAGS:
        return _is_list(table.schema.field(shape.annotation).type)
    return _has_plain_spans(table, shape)


def _has_plain_spans(table: Any, shape: Shape) -> bool:
    """Return whether the annotation is a list of records with ``start``, ``end`` and ``label``, all mentions."""
    import pyarrow as pa

    annotation = table.schema.field(shape.annotation).type
    if shape.form is not Form.TOKEN_SPANS or shape.inclusive or not _is_list(annotation):
        return False
    record = annotation.value_type
    if shape.fields[:4] != ("start", "end", None, "label") or not pa.types.is_struct(record):
        return False
    if not pa.types.is_string(record.field("label").type):
        return False
    labels = table.column(shape.annotation).combine_chunks().flatten().field("label")
    return "O" not in labels.unique().to_pylist()  # such spans are of the text between mentions


def _is_list(kind: Any) -> bool:
    """Return whether a type of Arrow is a list."""
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _of_columns(table: Any, shape: Shape) -> RowMentions:
    """Return the mentions of an Arrow table whose columns are plain, read as whole arrays.

    A corpus sorts its mentions and has each once; so each span of the table is looked up among them by a number made of
    its sample, start, end and type.
    """
    tokens = table.column(shape.tokens)
    annotation = table.column(shape.annotation)
    given: dict[str, Any] = {shape.form.argument: annotation}
    where = in_rows("dataset", range(len(table)))
    labels = shape.labels if shape.form is Form.TAGS else None
    corpus = Corpus.of(tokens, **given, labels=labels, scheme=shape.scheme, where=where)
    if shape.form is Form.TAGS:
        return _in_order(corpus, np.arange(len(table)), len(table))
    lists = annotation.combine_chunks()
    bounds = bounds_of(np.asarray(lists.value_lengths(), np.int64))
    spans = lists.flatten()
    label_names = spans.field("label").dictionary_encode()
    mentions = corpus.mentions
    label_of_name = {name: label for label, name in enumerate(mentions.labels)}
    labels_in_table = [label_of_name[name] for name in label_names.dictionary.to_pylist()]
    label_of_span = np.array(labels_in_table or [0], np.int64)[np.asarray(label_names.indices)]
    sample_of_span = np.repeat(np.arange(len(table)), np.diff(bounds))
    start_of_span = np.asarray(spans.field("start"), np.int64)
    end_of_span = np.asarray(spans.field("end"), np.int64)
    longest = int(corpus.lengths.max(initial=0)) + 1
    n_types = max(len(label_of_name), 1)

    def codes(sample: NDArray, start: NDArray, end: NDArray, label: NDArray) -> NDArray[np.int64]:
        """Return a number for each span, which sorts as the mentions of a corpus do."""
        span_codes: NDArray[np.int64] = ((sample.astype(np.int64) * longest + start) * longest + end) * n_types + label
        return span_codes

    code_of_mention = codes(mentions.sample, mentions.start, mentions.end, mentions.label)
    code_of_span = codes(sample_of_span, start_of_span, end_of_span, label_of_span)
    mention_of_span = np.searchsorted(code_of_mention, code_of_span)
    return RowMentions(corpus, bounds, np.arange(len(sample_of_span)), mention_of_span)


def _in_order(corpus: Corpus, row_of_sample: NDArray[np.int64], n_rows: int) -> RowMentions:
    """Return the mentions of tagged rows, where the mentions themselves are the items."""
    of_row = np.bincount(row_of_sample[corpus.mentions.sample], minlength=n_rows)
    every = np.arange(len(corpus.mentions))
    return RowMentions(corpus, bounds_of(of_row), every, every)


def _samples(rows: Sequence[Mapping[str, Any]], shape: Shape) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the samples in some rows, which may hold several sentences each, with the numbers of their rows."""
    if shape.sentences is None:
        return list(enumerate(rows))
    return [(i, sentence) for i, row in enumerate(rows) for sentence in records_in(row[shape.sentences] or ())]


def _of_tagged_rows(rows: Sequence[Mapping[str, Any]], shape: Shape) -> RowMentions:
    """Return the mentions of rows with tags."""
    converter = Converter(shape)
    tokens = []
    tags = []
    ids = []
    row_numbers = []
    for row_number, sample in _samples(rows, shape):
        sample_tokens, sample_tags = converter.tagged(sample)
        tokens.append(sample_tokens)
        tags.append(sample_tags)
        ids.append(converter.ids(sample, len(sample_tags)))
        row_numbers.append(row_number)
    where = in_rows("dataset", row_numbers)
    entity_ids = None if shape.ids is None else ids
    corpus = Corpus.of(tokens, tags=tags, entity_ids=entity_ids, labels=shape.labels, scheme=shape.scheme, where=where)
    return _in_order(corpus, np.array(row_numbers, np.int64), len(rows))


def _of_span_rows(rows: Sequence[Mapping[str, Any]], shape: Shape) -> RowMentions:
    """Return the mentions of rows with spans, each of which is an item."""
    converter = Converter(shape)
    tokens = []
    items_of_samples: list[list[list[TokenSpan]]] = []
    ids = []
    row_numbers = []
    for row_number, sample in _samples(rows, shape):
        sample_tokens, items = converter.items(sample)
        tokens.append(sample_tokens)
        items_of_samples.append(items)
        ids.append(converter.ids_of_spans(sample, items))
        row_numbers.append(row_number)
    spans: list[list[TokenSpan]] = [[span for item in items for span in item] for items in items_of_samples]
    entity_ids = None if shape.ids is None else ids
    corpus = Corpus.of(tokens, entities=spans, entity_ids=entity_ids, where=in_rows("dataset", row_numbers))
    number_of_mention = _mention_numbers(corpus)
    pairs: list[tuple[int, int]] = []
    n_items = 0
    n_items_of_row = np.zeros(len(rows), np.int64)
    for sample_number, (row_number, items) in enumerate(zip(row_numbers, items_of_samples, strict=True)):
        n_items_of_row[row_number] += len(items)
        for item in items:
            pairs += [(n_items, number_of_mention[sample_number, *span]) for span in item]
            n_items += 1
    item_and_mention = np.array(pairs, np.int64).reshape(-1, 2)
    notes = tuple(converter.notes(len(corpus.mentions)))
    return RowMentions(corpus, bounds_of(n_items_of_row), item_and_mention[:, 0], item_and_mention[:, 1], notes)


def _mention_numbers(corpus: Corpus) -> dict[tuple[Any, ...], int]:
    """Return the number of each mention, by its sample, start, end and type."""
    mentions = corpus.mentions
    columns = [column.tolist() for column in (mentions.sample, mentions.start, mentions.end, mentions.label)]
    numbers = {}
    for number, (sample, start, end, label) in enumerate(zip(*columns, strict=True)):
        numbers[sample, start, end, mentions.labels[label]] = number
    return numbers


class RowReader:
    """A base class for functions of batches of rows: it reads their mentions, and logs notes of the first batch."""

    _has_told = False

    def read(self, table: Any, shape: Shape) -> RowMentions:
        """Return the mentions of an Arrow table."""
        rows = RowMentions.of(table, shape)
        if rows.notes and not self._has_told:
            log_notes(f"in a first batch of rows: {note}" for note in rows.notes)
            self._has_told = True
        return rows

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that is pickled, without whether notes have been logged, which differs between runs."""
        return {name: value for name, value in self.__dict__.items() if name != "_has_told"}


def features_of(dataset: Any) -> Any:
    """Return a copy of the features of a dataset; for a streamed one that has none yet, they are looked up."""
    features = dataset.features
    if features is None:
        features = dataset._resolve_features().features
    return features.copy()


def exposure_of(train: Any, columns: Mapping[str, Any] | None = None) -> Exposure:
    """Return the index of training data, which may be given as an index already.

    Args:
        train: an ``Exposure``, or what ``Exposure.of`` takes.
        columns: the columns of a dataset to read, where they are not recognised.
    """
    return train if isinstance(train, Exposure) else Exposure.of(train, columns=columns)


def outside(shape: Shape, feature: Any) -> Any:
    """Return the tag of a token outside of mentions, as a column of tags has it: ``O``, or the id of that name.

    Args:
        shape: the shape of the dataset.
        feature: the feature of the column of tags, or None.

    Raises:
        CleancutError: the tags are ids, and no id has the name O.
    """
    names = shape.labels
    if names is None:
        kind = kind_of_feature(feature)
        if kind.of is not None and kind.of.name == "label":
            names = list(kind.of.names)
    if names is None:
        return "O"
    pairs = names.items() if isinstance(names, Mapping) else enumerate(getattr(names, "names", None) or names)
    for number, name in pairs:
        if is_outside(name):
            return int(number)
    raise CleancutError(f"the tags in {shape.annotation} have no name O, so that no mention can be taken out.")
