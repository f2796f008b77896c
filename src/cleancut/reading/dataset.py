"""Reading any NER dataset as a corpus, with the rows of its samples: loaded, streamed, on disk or on the Hub."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, assert_never

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.at_signs import join_at
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, did_you_mean, parse_choice, quoted
from ..core.inputs import label_names
from ..core.language_codes import without_language
from ..core.notices import say
from ..core.tags import Repair, is_outside
from .batches import BATCH, check_reading, in_rows
from .brat import is_brat
from .characters import Words, is_inside_word, joined_pieces, located, placed
from .columns import in_row, kind_of_feature, listed, records_in, rows_in, unpacked, words_in
from .conll import conll_layout
from .conventions import BY_TOKENS, Offsets
from .detecting import detect, detect_splits
from .exported import TOKEN_SPANS, Exported
from .formats import (
    Format,
    exported_rows,
    format_of,
    named_rows,
    plain_recognised,
    read_plain,
    recognise,
    standard_columns,
)
from .hub_ids import HubId, dataset_of, is_local, load_hub, rows_of_file
from .id_fields import absent_ids, ids_of_row
from .label_names import names_in
from .opening import Readable, Source
from .parquet import relations_in
from .recognised import Recognised, tell
from .shape import Form, Shape
from .spans import Fields, Span, number_in, spans_in, text_in
from .splits import split_files

COLUMNS = ("tokens", "tags", "entities", "text", "labels", "scheme", "document", "end", "ids")
"""The options that say which columns of a dataset hold what, where these are not detected rightly."""


def columns_in(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options that say which columns of a dataset hold what out of all options, and return them.

    Args:
        options: the options of a function, which loses those that are returned.

    >>> options = {"tags": "ner", "seed": 1}
    >>> columns_in(options), options
    ({'tags': 'ner'}, {'seed': 1})
    """
    return {name: options.pop(name) for name in COLUMNS if name in options}


def check_columns(function: str, columns: Mapping[str, Any], *others: str) -> None:
    """Refuse options that no dataset is read by, such as a misspelt name of another option.

    Args:
        function: the name of the function that was given them.
        columns: the options by name.
        *others: the names of the other options of the function, one of which may have been meant.

    Raises:
        TypeError: there is no such option, which is what Python raises as well.
    """
    for name in columns:
        if name not in (*COLUMNS, "repair"):
            hint = did_you_mean(name, (*others, *COLUMNS))
            raise TypeError(f"{function}() has no option {quoted(name)}.{hint}")


def named_columns(columns: Any, known: Sequence[str] = COLUMNS) -> dict[str, Any]:
    """Return the options that say which columns of a dataset hold what, as they were given in a dict.

    Args:
        columns: the options by name, or None for none.
        known: the options that there are.

    Raises:
        CleancutError: it is not a dict, or there is no such option.

    >>> named_columns({"tags": "ner"}), named_columns(None)
    ({'tags': 'ner'}, {})
    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise CleancutError(
            f"columns={quoted(columns)} is not valid. Give names of columns, such as {{'tags': 'ner'}}."
        )
    for name in columns:
        if not isinstance(name, str) or name not in known:
            hint = did_you_mean(name, known) if isinstance(name, str) else ""
            raise CleancutError(f"columns: {quoted(name)} is unknown.{hint} Choose among {', '.join(known)}.")
    return dict(columns)


@dataclass(frozen=True)
class Samples:
    """A dataset as a corpus, with its rows, its shape and notes about its mentions."""

    corpus: Corpus
    """The samples as a corpus."""
    shape: Shape | None
    """The columns that were read; None for a file that is a corpus as it stands."""
    rows: Any
    """The dataset, whose rows come out of a split untouched; None for a file that is a corpus as it stands."""
    n_rows: int
    """The number of rows."""
    row_of_sample: NDArray[np.int64] | None = None
    """The (first) row of each sample; None where each row is a sample."""
    notes: tuple[str, ...] = ()
    """What the user should know about the mentions, in sentences."""
    source: HubId | None = None
    """The id of the dataset on the Hub with its commit; None for a local source."""
    read_from: Source | None = None
    """The file or the text that the samples were read from; None for a dataset."""
    recognised: str = ""
    """The format, such as ``CoNLL columns (IOB2, words in column 0, tags in column 3)``."""
    is_export: bool = False
    """Whether the file is the export of a tool. Its format says it all: the names of the columns are the reader's."""

    @property
    def path(self) -> str | None:
        """The file that the samples were read from; None for what was in memory."""
        return None if self.read_from is None else self.read_from.path

    def column(self, name: str) -> list[Any]:
        """Return the value of a column for each sample.

        Args:
            name: the column; where there is no column ``doc``, that is the document of each sample.

        Raises:
            CleancutError: there is no such column.
        """
        table = self.rows
        if table is None and self.read_from is not None and format_of(self.read_from) in (Format.JSONL, Format.PARQUET):
            table = rows_of_file(self.read_from)
        columns = getattr(table, "column_names", None) or ()
        if isinstance(table, list) and table:
            columns = table[0]
        if name not in columns:
            if name == "doc" and self.corpus.docs is not None:
                return list(self.corpus.docs)
            where = self.read_from or "the data"
            listed_columns = ", ".join(map(quoted, columns)) or "none"
            raise CleancutError(f"{where}: there is no column {quoted(name)}. The columns are {listed_columns}.")
        values = [row.get(name) for row in rows_in(table, [name])]
        if self.row_of_sample is None:
            return values
        return [values[row] for row in self.row_of_sample.tolist()]

    @property
    def holds_documents(self) -> bool:
        """Whether a row is a document of sentences, each a sample."""
        return self.shape is not None and self.shape.sentences is not None

    def of_rows(self, assignment: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the split of each row.

        Args:
            assignment: the split of each sample.

        Raises:
            CleancutError: a row holds samples of different splits.
        """
        if self.row_of_sample is None or not len(self.row_of_sample):
            return assignment
        # a row without samples goes with the row before it
        last_sample = np.searchsorted(self.row_of_sample, np.arange(self.n_rows), side="right") - 1
        split_of_row = assignment[np.maximum(last_sample, 0)]
        torn_samples = np.flatnonzero(split_of_row[self.row_of_sample] != assignment)
        if len(torn_samples):
            torn_row = self.row_of_sample[torn_samples[0]]
            raise CleancutError(
                f"row {torn_row} holds several samples, which the plan gives to different splits. "
                "Split with unit='doc' (--unit doc)."
            )
        return split_of_row


def from_dataset(
    dataset: Any,
    *,
    tokens: str | None = None,
    tags: str | None = None,
    entities: str | None = None,
    text: str | None = None,
    labels: Any = None,
    scheme: str | None = None,
    document: str | None = None,
    end: str | None = None,
    ids: str | None = None,
    repair: str = "conlleval",
) -> Corpus:
    """Return a dataset as a corpus: a ``Dataset``, a list of dicts, or the id or path of a dataset with one split.

    Columns that are not named are detected (``detect`` says which). ClassLabel columns are taken from Arrow without a
    copy. Text gets tokens by one rule: a run of word characters, or any other single character, is a token, each
    character in scripts without spaces, and mentions begin and end tokens.

    Args:
        dataset: a ``Dataset``, an ``IterableDataset``, a list of dicts, or the id or path of a dataset with one split.
        tokens: the column of tokens.
        tags: the column of tags or label ids.
        entities: the column of spans.
        text: the column of the text that spans count characters of.
        labels: the names of label ids: a list, id2label, label2id, or a file with one of them.
        scheme: the scheme of the tags.
        document: the column that names the document of a row.
        end: whether the end of a span belongs to it: ``exclusive`` or ``inclusive``.
        ids: the column, or the field of spans, with the ids of entities (MeSH, Wikidata), for ``same="id"``.
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.

    Raises:
        CleancutError: the columns are not clear, a row cannot be read, or there are several splits.

    >>> from_dataset([{"text": "Ada ran.", "entities": [{"start": 0, "end": 3, "label": "PER"}]}]).texts()
    ['Ada']
    """
    options: dict[str, Any] = {
        "tokens": tokens,
        "tags": tags,
        "entities": entities,
        "text": text,
        "labels": labels,
        "scheme": scheme,
        "document": document,
        "end": end,
        "ids": ids,
        "repair": repair,
    }
    if isinstance(dataset, str | os.PathLike):
        splits = load_splits(dataset, **options)
        if len(splits) > 1:
            names = ", ".join(map(quoted, splits))
            raise CleancutError(
                f"{dataset} holds several splits. Choose one of {names} from what load_splits() returns."
            )
        return next(iter(splits.values())).corpus
    samples = read_dataset(dataset, **options)
    log_notes(samples.notes)
    return samples.corpus


def log_notes(notes: Iterable[str]) -> None:
    """Show notes about mentions that were read.

    Args:
        notes: the notes, in sentences.
    """
    for note in notes:
        say(note)


def read_dataset(dataset: Any, *, repair: str = "conlleval", **options: Any) -> Samples:
    """Return the samples of a dataset.

    Args:
        dataset: a ``Dataset``, an ``IterableDataset`` or a list of dicts.
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.
        **options: the options of ``detect``.

    Raises:
        CleancutError: the columns are not clear, or a row cannot be read.
    """
    return read_shape(dataset, detect(dataset, **options), repair)


def read_parts(parts: Mapping[str, Any], *, repair: str = "conlleval", **options: Any) -> dict[str, Samples]:
    """Return the samples of each split. Splits with the same columns are read in one way.

    Args:
        parts: the splits by name, each as ``read_dataset`` takes it.
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.
        **options: the options of ``detect``.

    Raises:
        CleancutError: the columns are not clear, or a row cannot be read.
    """
    shapes = detect_splits(parts, **options)
    return {name: read_shape(part, shapes[name], repair) for name, part in parts.items()}


def read_shape(dataset: Any, shape: Shape, repair: str = "conlleval") -> Samples:
    """Return the samples of a dataset whose shape is known.

    Args:
        dataset: a ``Dataset``, an ``IterableDataset`` or a list of dicts.
        shape: its columns.
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.

    Raises:
        CleancutError: a row cannot be read.
    """
    repair = parse_choice(Repair, repair, "repair")
    is_dataset = hasattr(dataset, "with_format") and hasattr(dataset, "__len__")
    if is_dataset and _is_plain(shape, dataset):
        corpus = _from_arrow(dataset, shape, repair)
        if "O" not in corpus.mentions.labels:  # else the spans that say so are left out, and counted
            return Samples(corpus, shape, dataset, len(dataset))
    columns = shape.columns
    if not isinstance(dataset, list) and "id" in (dataset.features or ()):
        columns = list(dict.fromkeys([*columns, "id"]))
    converter = Converter(shape)
    row_of_sample: list[int] = []
    entity_ids: list[Any] = []
    corpora = []
    # what is discarded must not depend on what a batch shows
    size = BATCH if shape.scheme is not None or repair == Repair.CONLLEVAL else None
    samples = converter.samples(rows_in(dataset, columns))
    while batch := list(islice(samples, size)):
        row_of_sample += [sample.row for sample in batch]
        entity_ids += [sample.entity_ids for sample in batch]
        corpora.append(_batch_corpus(batch, shape, repair))
    if not corpora:
        empty: Any = {shape.form.argument: []}
        corpora.append(Corpus.of([], **empty))
    has_tokens_from_text = shape.text is not None and shape.tokens is None
    corpus = replace(Corpus.concatenate(corpora), from_text=has_tokens_from_text)
    if shape.ids is not None and len(corpus.mentions) and all(own is None for own in entity_ids):
        raise absent_ids("the data", shape.ids)
    is_sample_a_row = shape.sentences is None and shape.sentence is None
    rows = None if is_sample_a_row else np.array(row_of_sample, np.int64)
    return Samples(
        corpus,
        shape,
        dataset,
        converter.n_rows,
        row_of_sample=rows,
        notes=tuple(converter.notes(len(corpus.mentions))),
    )


def _batch_corpus(batch: Sequence[_Sample], shape: Shape, repair: str) -> Corpus:
    """Return some samples as a corpus."""
    annotation: Any = {shape.form.argument: [sample.annotation for sample in batch]}
    labels = shape.labels if shape.form is Form.TAGS else None
    entity_ids: list[Any] | None = None
    if shape.ids is not None:
        entity_ids = [sample.entity_ids for sample in batch]
    return Corpus.of(
        [sample.tokens for sample in batch],
        **annotation,
        ids=[sample.id for sample in batch],
        docs=[sample.doc for sample in batch],
        labels=labels,
        scheme=shape.scheme,
        repair=repair,
        where=in_rows("dataset", [sample.row for sample in batch]),
        entity_ids=entity_ids,
    )


def _is_plain(shape: Shape, dataset: Any) -> bool:
    """Return whether the columns of a dataset can be taken from Arrow as they are."""
    if shape.sentences or shape.sentence or shape.tokens is None or shape.ids is not None:
        return False
    if shape.prefixed or {shape.tokens, shape.annotation} & shape.packed:
        return False
    kinds = {name: kind_of_feature(dataset.features[name]) for name in (shape.tokens, shape.annotation)}
    if not kinds[shape.tokens].is_list_of("text"):
        return False
    if shape.form is Form.TAGS:
        return kinds[shape.annotation].is_list_of("text", "int", "label")
    span = kinds[shape.annotation].of
    if shape.form is not Form.TOKEN_SPANS or shape.inclusive or span is None or span.name != "record":
        return False
    return shape.fields[:4] == ("start", "end", None, "label") and span.fields["label"].name == "text"


def _from_arrow(dataset: Any, shape: Shape, repair: str) -> Corpus:
    """Return the corpus of a dataset, taken from Arrow without a look at each row."""
    wanted = [shape.tokens, shape.annotation, shape.document, "id", "relations"]
    columns = [name for name in dataset.column_names if name in wanted]
    table = dataset.select_columns(columns).with_format("arrow")[:]

    def column(name: str | None) -> Any:
        """Return the values of a column; None if there is no such column."""
        return table.column(name).to_pylist() if name is not None and name in table.column_names else None

    form = shape.form.argument
    relations = relations_in(table) if form == "entities" else None
    return Corpus.of(
        table.column(shape.tokens),
        **{form: table.column(shape.annotation)},
        ids=column("id"),
        docs=column(shape.document),
        labels=shape.labels,
        scheme=shape.scheme,
        repair=repair,
        where=in_rows("dataset", range(len(dataset))),
        relations=relations,
    )


TokenSpan = tuple[int, int, str]
"""The first token of a mention, the one behind its last, and its label."""


class _Sample(NamedTuple):
    """A sample as it was read from a row, or from several."""

    row: int
    tokens: list[Any]
    annotation: list[Any]
    id: Any
    doc: Any
    entity_ids: list[Any] | None = None
    """The ids of the entities of each item of the annotation; None where there are none."""


_ADJUSTMENTS = {
    "missing": "could not be located in the text and are left out",
    "blank": "hold nothing but space and are left out",
    "cut": "begin or end inside a word, which is cut there",
    "fragments": "are discontinuous and are taken from their first to their last character",
    "differ": "say another text than stands at their offsets",
}
"""What notes say of mentions that had to be adjusted."""


def _null(column: str) -> CleancutError:
    """Return the error for a sample without a value in a column."""
    return CleancutError(f"{column} is null. Give an empty list for a sample without any.")


class Converter:
    """Turns rows into samples, and counts what had to be adjusted.

    Args:
        shape: the columns of the rows.
    """

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._name_of_id: Mapping[int, str] | None = None
        """The names of label ids in spans; those in tags are known to the corpus."""
        if shape.form is not Form.TAGS and shape.labels is not None:
            self._name_of_id = label_names(shape.labels)
        self._counts: Counter[str] = Counter()
        """The number of mentions that were adjusted, by the keys of ``_ADJUSTMENTS``."""
        self._n_outside = 0
        self._n_prefixed = 0
        self.n_rows = 0
        """The number of rows that were read so far."""

    def notes(self, n_mentions: int) -> list[str]:
        """Return what the user should know about the mentions that were read, in sentences.

        Args:
            n_mentions: the number of mentions that were kept.
        """
        total = n_mentions + self._counts["missing"] + self._counts["blank"]
        notes = []
        for adjustment, description in _ADJUSTMENTS.items():
            n_adjusted = self._counts[adjustment]
            if n_adjusted:
                notes.append(f"{n_adjusted} of {total} mentions {description}.")
        if self._n_outside:
            notes.append(f"{self._n_outside} spans are labelled O and are left out.")
        if self._n_prefixed:
            notes.append(f"{self._n_prefixed} words have the code of a language before them, which is taken away.")
        return notes

    def samples(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[_Sample]:
        """Yield the samples of rows.

        Args:
            rows: the rows.

        Raises:
            CleancutError: a row cannot be read; the message names it.
        """
        shape = self._shape
        if shape.sentence is not None:
            yield from self._grouped(rows, shape.sentence)
            return
        for i, row in enumerate(rows):
            self.n_rows = i + 1
            doc = row.get(shape.document) if shape.document else None
            with in_row(i):
                if shape.sentences is None:
                    yield self._sample(i, row, row.get("id"), doc)
                    continue
                # a row is a document, also where it has no name
                name = i if doc is None else doc
                for sentence in records_in(self._value(row, shape.sentences) or ()):
                    yield self._sample(i, sentence, None, name)

    def _grouped(self, rows: Iterable[Mapping[str, Any]], sentence: str) -> Iterator[_Sample]:
        """Yield the samples of rows that are tokens. A row without a number belongs to the sentence before it."""
        shape = self._shape
        assert shape.tokens is not None
        ids = shape.ids if shape.has_column_of_ids else None
        sample = _Sample(0, [], [], None, None)
        number: Any = None
        for i, row in enumerate(rows):
            self.n_rows = i + 1
            row_number = row.get(sentence)
            if row_number in (None, "") or row_number != row_number:  # NaN
                row_number = number
            doc = row.get(shape.document) if shape.document else None
            if i == 0 or row_number != number or doc != sample.doc:
                if sample.tokens:
                    yield sample
                own_ids: list[Any] | None = None if ids is None else []
                sample = _Sample(i, [], [], None, doc, own_ids)
                number = row_number
            word = row.get(shape.tokens)
            tag = row.get(shape.annotation)
            if word in (None, "") and tag in (None, ""):
                continue  # a blank row
            if shape.labels is not None and isinstance(tag, str):
                tag = number_in(tag)
            sample.tokens.append(word)
            sample.annotation.append(tag)
            if sample.entity_ids is not None and ids is not None:
                sample.entity_ids.append(row.get(ids))
        if sample.tokens:
            yield sample

    def _value(self, row: Mapping[str, Any], column: str) -> Any:
        """Return what a row has in a column, unpacked where it stands inside a string."""
        value = row.get(column)
        if column in self._shape.packed and isinstance(value, str):
            return unpacked(value) if value.strip() else None
        return value

    def _sample(self, i: int, row: Mapping[str, Any], name: Any, doc: Any) -> _Sample:
        """Return one sample, which is row ``i`` or a sentence of it."""
        if self._shape.form is Form.TAGS:
            tokens, tags = self.tagged(row)
            return _Sample(i, tokens, tags, name, doc, self.ids(row, len(tags)))
        tokens, items = self.items(row)
        spans = [span for item in items for span in item]
        return _Sample(i, tokens, spans, name, doc, self.ids_of_spans(row, items))

    def ids(self, row: Mapping[str, Any], n_items: int) -> list[Any] | None:
        """Return the ids of entities that a row has for each span or token; None where it has none.

        Args:
            row: the row, or the sentence of a row.
            n_items: the number of its spans or tokens.

        Raises:
            CleancutError: it has more or fewer ids.
        """
        if self._shape.ids is None:
            return None
        ids = ids_of_row(row, self._value(row, self._shape.annotation), self._shape.ids)
        if ids is not None and len(ids) != n_items:
            what = "tokens" if self._shape.form is Form.TAGS else "entities"
            raise CleancutError(
                f"{n_items} {what} but {len(ids)} values with ids in {self._shape.ids}. Give one for each."
            )
        return ids

    def ids_of_spans(self, row: Mapping[str, Any], items: Sequence[Sequence[TokenSpan]]) -> list[Any] | None:
        """Return the ids of entities for each token span that the spans of a row became; None where it has none.

        Args:
            row: the row, or the sentence of a row.
            items: the token spans of each of its spans, as ``items`` returns them.
        """
        ids = self.ids(row, len(items))
        return None if ids is None else [own for own, item in zip(ids, items, strict=True) for _ in item]

    def tagged(self, row: Mapping[str, Any]) -> tuple[list[str], list[Any]]:
        """Return the tokens and the tags of one sample.

        Args:
            row: the row, or the sentence of a row.

        Raises:
            CleancutError: there are no tokens or no tags.
        """
        tokens = self._tokens(row)
        tags = self._value(row, self._shape.annotation)
        if tags is None:
            raise _null(self._shape.annotation)
        return tokens, list(listed(tags))

    def items(self, row: Mapping[str, Any]) -> tuple[list[str], list[list[TokenSpan]]]:
        """Return the tokens of one sample, and for each of its spans a list of token spans.

        A span that cannot be located has none; one with several labels has one for each.

        Args:
            row: the row, or the sentence of a row.

        Raises:
            CleancutError: a span cannot be read, or lies outside the text.
        """
        shape = self._shape
        spans = list(spans_in(self._value(row, shape.annotation), shape.fields))
        match shape.form:
            case Form.TOKEN_SPANS:
                return self._tokens(row), [list(self._token_span(span)) for span in spans]
            case Form.QUOTES if shape.tokens is not None:
                tokens = self._tokens(row)
                return tokens, self._located(spans, tokens)
            case Form.QUOTES | Form.CHARACTER_SPANS:
                return self._in_text(spans, self._text(row))
            case Form.TAGS:
                raise AssertionError("tags are not spans")
            case _:
                assert_never(shape.form)

    def _tokens(self, row: Mapping[str, Any]) -> list[str]:
        """Return the tokens of a sample, without the code of a language before them."""
        assert self._shape.tokens is not None
        tokens = self._value(row, self._shape.tokens)
        if tokens is None:
            raise _null(self._shape.tokens)
        words = words_in(tokens)
        if not self._shape.prefixed:
            return words
        plain_words = without_language(words)
        self._n_prefixed += sum(word != plain for word, plain in zip(words, plain_words, strict=True))
        return plain_words

    def _text(self, row: Mapping[str, Any]) -> str:
        """Return the text of a sample."""
        assert self._shape.text is not None
        return text_in(self._value(row, self._shape.text))

    def _names(self, span: Span) -> list[str]:
        """Return the labels of a span without ``O``, which some lists of spans have for the text between mentions."""
        names = [self._name(label) for label in span.labels]
        kept = [name for name in names if not is_outside(name)]
        self._n_outside += len(names) - len(kept)
        return kept

    def _name(self, label: Any) -> str:
        """Return the name of a label, which may be given as an id."""
        names = self._name_of_id
        if names is not None and number_in(label) is not None:
            number = int(label)
            if number not in names:
                raise CleancutError(f"label id {number}, but the names are for ids {min(names)} to {max(names)}.")
            label = names[number]
        if not isinstance(label, str) or not label:
            raise CleancutError(f"a mention has the label {quoted(label)}, not a name. Leave such mentions out.")
        return label

    def _token_span(self, span: Span) -> Iterator[TokenSpan]:
        """Yield a span that counts tokens once for each of its labels, half-open."""
        if span.start is None or span.end is None:
            raise CleancutError(
                f"a span has start {quoted(span.start)} and end {quoted(span.end)}. Give whole numbers."
            )
        for label in self._names(span):
            yield span.start, span.end + self._shape.inclusive, label

    def _located(self, spans: Sequence[Span], tokens: Sequence[str]) -> list[list[TokenSpan]]:
        """Return the token spans of mentions that are only quoted."""
        span_of_quote: list[int] = []
        quotes: list[tuple[str, str]] = []
        for i, span in enumerate(spans):
            for name in self._names(span):
                span_of_quote.append(i)
                quotes.append((span.surface or "", name))
        places = located(quotes, tokens)
        self._counts["missing"] += places.count(None)
        items: list[list[TokenSpan]] = [[] for _ in spans]
        for i, place in zip(span_of_quote, places, strict=True):
            if place is not None:
                items[i].append(place)
        return items

    def _in_text(self, spans: Sequence[Span], text: str) -> tuple[list[str], list[list[TokenSpan]]]:
        """Return the tokens of a text and the token spans of its mentions, whose edges are edges of tokens."""
        places = self._places(spans, text)
        edges = [edge for _, start, end, _ in places for edge in (start, end)]
        words = Words.of(text, edges)
        items: list[list[TokenSpan]] = [[] for _ in spans]
        for i, start, end, label in places:
            first, until = words.covering(start, end)
            if first >= until:
                self._counts["blank"] += 1
                continue
            self._counts["cut"] += is_inside_word(text, start) or is_inside_word(text, end)
            items[i].append((first, until, label))
        return words.tokens, items

    def _places(self, spans: Sequence[Span], text: str) -> list[tuple[int, int, int, str]]:
        """Return the number, the characters and the label of each mention; those without offsets are looked for."""
        named = [(i, span, label) for i, span in enumerate(spans) for label in self._names(span)]
        offsets = Offsets(text)
        places = [(i, *self._characters(span, offsets), label) for i, span, label in named if span.has_offsets]
        if self._shape.pieces:
            # a mention of several pieces belongs to the first of them
            span_at = {start: i for i, start, _, _ in reversed(places)}
            mentions = joined_pieces([place[1:] for place in places], text)
            places = [(span_at[mention[0]], *mention) for mention in mentions]
        without_offsets = [(i, span, label) for i, span, label in named if not span.has_offsets]
        located_quotes = placed([(span.surface or "", label) for _, span, label in without_offsets], text)
        self._counts["missing"] += located_quotes.count(None)
        for (i, _, _), place in zip(without_offsets, located_quotes, strict=True):
            if place is not None:
                places.append((i, *place))
        return places

    def _characters(self, span: Span, offsets: Offsets) -> tuple[int, int]:
        """Return the characters of a mention, half-open; raise an error where the text does not have them."""
        assert span.start is not None and span.end is not None
        text = offsets.text
        convention = self._shape.convention
        characters = offsets.characters(span.start, span.end, convention)
        if characters is None:
            unit = convention.unit.value
            raise CleancutError(
                f"a mention has {unit} {span.start} to {span.end + convention.inclusive} of a text of {len(text)}. "
                f"Offsets count {unit} of it from {convention.first}; say with end= whether the last one belongs to "
                "the mention."
            )
        self._counts["fragments"] += span.n_fragments > 1
        if span.surface is not None and span.n_fragments == 1 and not self._shape.pieces:
            start, end = characters
            self._counts["differ"] += "".join(text[start:end].split()) != "".join(span.surface.split())
        return characters


# --- splits -------------------------------------------------------------------------------------------


def load_splits(source: str | os.PathLike[str], **options: Any) -> dict[str, Samples]:
    """Return the splits of a Hub dataset, a folder or a file, by name.

    Args:
        source: the id of a dataset on the Hub (``org/name:config@revision``), a folder with a file for each split, or a
            file or a brat folder, whose only split has the name "".
        **options: the options of ``from_dataset``. Files whose columns have the usual names are read as by ``read``;
            the columns of others are detected.

    Raises:
        CleancutError: the dataset cannot be loaded, or its columns are not clear.
    """
    is_of_files = is_local(source)
    source = checks.checked_path(source, "source")
    if is_of_files:
        is_of_splits = os.path.isdir(source) and not is_brat(Source.of(source))
        files = split_files(source) if is_of_splits else {"": os.fspath(source)}
        splits = read_files(files, **options)
    else:
        if options.pop("word_column", None) is not None:
            raise CleancutError(f"{source}: a column number is for CoNLL files. Name the column of a dataset.")
        pinned, parts = load_hub(HubId.parse(str(source)))
        read = read_parts(parts, **options)
        splits = {name: _of_hub(str(source), pinned, name, samples) for name, samples in read.items()}
    return {name: own_documents(name, samples) for name, samples in splits.items()}


def _of_hub(given: str, pinned: HubId, split: str, samples: Samples) -> Samples:
    """Return the samples of a split with the dataset and the format that they were read from, which is told."""
    assert samples.shape is not None
    known = Recognised("dataset").with_shape(samples.shape).with_tags(samples.corpus.mentions.tagging)
    tell(given, known, part=split)
    return replace(samples, source=pinned, recognised=str(known))


def dataset_options(read_as: Mapping[str, Any]) -> dict[str, Any]:
    """Return those options of ``from_dataset`` that a plan keeps of how its samples were read.

    Args:
        read_as: all that the plan keeps of how its samples were read.

    >>> dataset_options({"tags": "ner", "join_at": True})
    {'tags': 'ner'}
    """
    others = ("columns", "join_at", "column", "word_column")
    return {name: value for name, value in read_as.items() if name not in others}


def given_samples(data: Any, read_as: Mapping[str, Any] | None = None) -> dict[str, Samples]:
    """Return the samples of each split of some data.

    Args:
        data: splits by name, or one without a name. Each is a corpus, a dataset, or samples that were read already.
        read_as: how datasets are read: options of ``from_dataset``, and ``join_at``.

    Returns:
        The samples by split; data without splits has the name "".

    Raises:
        CleancutError: there are no samples, or a dataset cannot be read as ``read_as`` says.
    """
    parts = data if isinstance(data, Mapping) else {"": data}
    if not parts:
        raise CleancutError("there are no samples to split.")
    for name in parts:
        if not isinstance(name, str) and not type(name).__module__.startswith("datasets."):
            raise CleancutError(f"{quoted(name)} cannot be the name of a split. Give splits by their names.")
    options = dataset_options(read_as or {})
    are_corpora = all(isinstance(part, Corpus) for part in parts.values())
    if options and are_corpora and set(read_as or ()) <= set(COLUMNS):
        raise CleancutError(f"{next(iter(options))}= has no effect: a corpus has no columns. Leave it out.")
    unread = {name: part for name, part in parts.items() if not isinstance(part, Corpus | Samples)}
    read = read_parts(unread, **options)
    splits: dict[str, Samples] = {}
    for name, part in parts.items():
        if isinstance(part, Corpus):
            samples = Samples(part, None, None, len(part))
        elif isinstance(part, Samples):
            samples = part
        else:
            samples = own_documents(name, read[name])
            log_notes(notes_of({name: samples}))
        if read_as and read_as.get("join_at"):
            samples = replace(samples, corpus=join_at(samples.corpus))
        splits[name] = samples
    return splits


def notes_of(splits: Mapping[str, Samples]) -> list[str]:
    """Return the notes about the mentions of all splits, in sentences that name the split.

    Args:
        splits: the samples of each split.
    """
    notes: list[str] = []
    for split, samples in splits.items():
        prefix = f"{split}: " if split else ""
        notes += [f"{prefix}{note}" for note in samples.notes]
    return notes


def own_documents(split: str, samples: Samples) -> Samples:
    """Return samples with documents named after their split, where the documents are rows without names.

    Args:
        split: the name of the split; "" leaves the samples as they are.
        samples: the samples.
    """
    shape = samples.shape
    if not split or shape is None or shape.sentences is None or shape.document is not None:
        return samples
    return replace(samples, corpus=_named_after(split, samples.corpus))


def own_numbers(split: str, corpus: Corpus) -> Corpus:
    """Return a corpus with documents named after their split, where all documents are only numbered.

    Numbers, as ``-DOCSTART-`` lines without names give them, begin anew in each split: they are other documents there.

    Args:
        split: the name of the split.
        corpus: the corpus.
    """
    if corpus.docs is None or not all(doc is None or doc.isdigit() for doc in corpus.docs):
        return corpus
    return _named_after(split, corpus)


def _named_after(split: str, corpus: Corpus) -> Corpus:
    """Return a corpus with documents ``split:name``, so that no document occurs in two splits."""
    docs = corpus.docs and tuple(doc and f"{split}:{doc}" for doc in corpus.docs)
    return replace(corpus, docs=docs)


def needs_shape(readable: Readable, **options: Any) -> bool:
    """Return whether the columns of a file have to be detected, rather than read as ``read`` does.

    Args:
        readable: the file.
        **options: the options of ``from_dataset``; those that are None do not count.

    Raises:
        CleancutError: an option has no effect on a file of this format.
    """
    source = Source.of(readable)
    if not source.is_there and not is_brat(source):
        return False  # read says so
    kind = format_of(source)
    if kind is Format.ROWS:
        return True
    given = {name: value for name, value in options.items() if value is not None}
    if kind is Format.CONLL:
        for name in sorted(given.keys() & {*_ONLY_SHAPES, "tokens", "tags", "entities"}):
            raise CleancutError(f"{name}={quoted(given[name])} has no effect: {source} is a CoNLL file. Leave it out.")
        return False
    named = {name: given.get(name) for name in ("tokens", "tags", "entities")}
    return bool(given.keys() & _ONLY_SHAPES) or not standard_columns(source, **named)


_ONLY_SHAPES = {"text", "document", "end"}
"""Options that need the columns of a file to be detected."""


def read_files(files: Mapping[str, Readable], *, column: int | None = None, **options: Any) -> dict[str, Samples]:
    """Return the samples of files by name. Files whose columns are detected, and are the same, are read in one way.

    Args:
        files: the files by name.
        column: the column of the tags in CoNLL files; None for the usual one.
        **options: the options of ``from_dataset``; those that are None do not count.

    Raises:
        CleancutError: a file cannot be read, or an option has no effect on it.
    """
    check_reading({**options, "column": column})
    given = {name: value for name, value in options.items() if value is not None}
    read: dict[str, Samples] = {}
    tables: dict[str, Any] = {}
    containers: dict[str, str] = {}
    sources = {name: Source.of(file) for name, file in files.items()}
    column_names = set(COLUMNS) - {"labels", "scheme", "ids"}
    named_columns = [option for option in given if option in column_names]
    for name, source in sources.items():
        if not needs_shape(source, **given):
            read[name] = read_samples(source, column=column, **given)
            continue
        if column is not None or given.get("word_column") is not None:
            raise CleancutError(f"{source}: a column number is for CoNLL files. Leave it out.")
        exported = exported_rows(source) if format_of(source) is Format.ROWS else None
        containers[name] = recognise(source).name if exported is None else exported.name
        tell(source.name, Recognised(containers[name]))
        if exported is None:
            tables[name] = rows_of_file(source)
        elif not exported.reading:
            tables[name] = dataset_of(exported.rows)
        elif named_columns:
            tables[name] = named_rows(source, named_columns[0])
        else:
            read[name] = _exported_samples(exported, source, given)
    for name, samples in read_parts(tables, **given).items():
        assert samples.shape is not None
        read[name] = _told(samples, sources[name], Recognised(containers[name]).with_shape(samples.shape))
    return {name: read[name] for name in files}


def _exported_samples(exported: Exported, source: Source, given: Mapping[str, Any]) -> Samples:
    """Return the samples of a file of which the columns are known, with the notes of both."""
    if not exported.rows:
        raise CleancutError(f"{source}: no row is left. {' '.join(exported.notes)}")
    samples = _known_samples(exported, given)
    told = _told(samples, source, Recognised(exported.name))
    return replace(told, notes=(*exported.notes, *samples.notes), is_export=True)


def _known_samples(exported: Exported, given: Mapping[str, Any]) -> Samples:
    """Return the samples of rows whose columns are known. Of token spans, nothing else has to be detected."""
    if exported.reading is not TOKEN_SPANS or given.keys() - {"repair"}:
        return read_dataset(exported.rows, **{**given, **exported.reading})
    has_documents = any(row.get("doc") is not None for row in exported.rows)
    document = "doc" if has_documents else None
    shape = Shape(
        Form.TOKEN_SPANS,
        "entities",
        tokens="tokens",
        document=document,
        convention=BY_TOKENS[0],
        fields=Fields("start", "end", None, "label"),
    )
    return read_shape(exported.rows, shape)


def _told(samples: Samples, source: Source, known: Recognised) -> Samples:
    """Return samples with the file and the format that they were read from, which is told."""
    known = known.with_tags(samples.corpus.mentions.tagging)
    tell(source.name, known)
    return replace(samples, read_from=source, recognised=str(known))


def read_samples(readable: Readable, *, column: int | None = None, **options: Any) -> Samples:
    """Return the samples of a file, read as ``read`` does where its columns are the usual ones, else by its shape.

    Args:
        readable: the file.
        column: the column of the tags in a CoNLL file; None for the usual one.
        **options: the options of ``from_dataset``; those that are None do not count.

    Raises:
        CleancutError: the file cannot be read, or an option has no effect on it.
    """
    check_reading({**options, "column": column})
    given = {name: value for name, value in options.items() if value is not None}
    source = Source.of(readable)
    if needs_shape(source, **given):
        return read_files({"": source}, column=column, **given)[""]
    plain = {name: value for name, value in given.items() if name not in _ONLY_SHAPES}  # of a file that is not there
    options = {**plain, "labels": names_in(given.get("labels"))}
    corpus = read_plain(source, column=column, **options)
    notes: tuple[str, ...] = ()
    if format_of(source) is Format.CONLL and column is None:
        notes = conll_layout(source, given.get("word_column")).notes
    known = str(plain_recognised(source, corpus, column=column, **options))
    return Samples(corpus, None, None, len(corpus), notes=notes, read_from=source, recognised=known)
