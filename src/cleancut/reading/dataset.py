"""Any NER dataset as a corpus, and its rows by the samples they hold: loaded, streamed, on disk or on the Hub."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, assert_never

import numpy as np
from numpy.typing import NDArray

from ..core.at_signs import join_at
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, quoted
from ..core.inputs import label_names
from ..core.language_codes import without_language
from ..core.notices import say
from ..core.tags import Repair, is_outside
from .batches import BATCH, in_rows
from .brat import is_brat
from .characters import Words, is_inside_word, joined_pieces, located, placed
from .columns import in_row, kind_of_feature, listed, records_in, rows_in, unpacked, words_in
from .conll import conll_layout
from .conventions import BY_TOKENS, Offsets, Unit
from .detecting import Form, Shape, detect, detect_splits, names_in
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
from .opening import Readable, Source
from .parquet import relations_in
from .recognised import Recognised, tell
from .spans import Fields, Span, number_in, spans_in, text_in
from .splits import split_files

COLUMNS = ("tokens", "tags", "entities", "text", "labels", "scheme", "document", "end")
"""What may be said of the columns of a dataset, where these are not found or not the right ones."""


def columns_in(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of the options of a function those that say which columns of a dataset hold what."""
    return {name: options.pop(name) for name in COLUMNS if name in options}


@dataclass(frozen=True)
class Samples:
    """A dataset as a corpus, with what was detected and what is to be known of it."""

    corpus: Corpus
    shape: Shape | None
    """None for a file that is a corpus as it stands."""
    rows: Any
    """The dataset, whose rows come out of a split untouched; None for a file that is a corpus as it stands."""
    n_rows: int
    row_of_sample: NDArray[np.int64] | None = None
    """The (first) row of each sample; None where each row is a sample."""
    notes: tuple[str, ...] = ()
    source: HubId | None = None
    """Where it was loaded from, to the commit; None for what is local."""
    read_from: Source | None = None
    """The file or the text that it was read from."""
    recognised: str = ""
    """What it was recognised as, such as ``CoNLL columns (IOB2, words in column 0, tags in column 3)``."""

    @property
    def path(self) -> str | None:
        """The file that it was read from; None for what was in memory."""
        return None if self.read_from is None else self.read_from.path

    def column(self, name: str) -> list[Any]:
        """The value of a column for each sample; of what has no such column, ``doc`` is the document."""
        table = self.rows
        if table is None and self.read_from is not None and format_of(self.read_from) in (Format.JSONL, Format.PARQUET):
            table = rows_of_file(self.read_from)
        known = table[0] if isinstance(table, list) and table else getattr(table, "column_names", None) or ()
        if name not in known:
            if name == "doc" and self.corpus.docs is not None:
                return list(self.corpus.docs)
            where, there = self.read_from or "the data", ", ".join(map(repr, known)) or "none"
            raise CleancutError(f"{where}: there is no column {name!r}. The columns are {there}.")
        values = [row.get(name) for row in rows_in(table, [name])]
        return values if self.row_of_sample is None else [values[row] for row in self.row_of_sample.tolist()]

    @property
    def holds_documents(self) -> bool:
        """Is a row a document of sentences, each a sample?"""
        return self.shape is not None and self.shape.sentences is not None

    def of_rows(self, assignment: NDArray[np.integer]) -> NDArray[np.integer]:
        """The split of each row, from that of each sample; an error where a split would tear a row apart."""
        if self.row_of_sample is None or not len(self.row_of_sample):
            return assignment
        # a row without samples goes with the row before it
        last = np.searchsorted(self.row_of_sample, np.arange(self.n_rows), side="right") - 1
        of_row = assignment[np.maximum(last, 0)]
        torn = np.flatnonzero(of_row[self.row_of_sample] != assignment)
        if len(torn):
            raise CleancutError(
                f"row {self.row_of_sample[torn[0]]} holds several samples, which the plan gives to different splits. "
                "Split with unit='doc' (--unit doc)."
            )
        return of_row


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
    repair: str = "conlleval",
) -> Corpus:
    """A dataset as a corpus: a ``Dataset``, an ``IterableDataset``, a list of dicts, or the id or path of one split.

    Where tokens, annotation and documents are is detected (``detect`` says what was found), unless given. ClassLabel
    columns are taken from Arrow without a copy. Text gets tokens by one rule: a run of word characters, or any other
    single character, is a token, each character in scripts without spaces, and mentions begin and end tokens.

    >>> from_dataset([{"text": "Ada ran.", "entities": [{"start": 0, "end": 3, "label": "PER"}]}]).texts()
    ['Ada']
    """
    options: dict[str, Any] = {
        "tokens": tokens, "tags": tags, "entities": entities, "text": text, "labels": labels, "scheme": scheme,
        "document": document, "end": end, "repair": repair,
    }  # fmt: skip
    if isinstance(dataset, str | os.PathLike):
        splits = load_splits(dataset, **options)
        if len(splits) > 1:
            raise CleancutError(
                f"{dataset} holds several splits. Choose one of {', '.join(map(repr, splits))} of load_splits()."
            )
        return next(iter(splits.values())).corpus
    samples = read_dataset(dataset, **options)
    log_notes(samples.notes)
    return samples.corpus


def log_notes(notes: Iterable[str]) -> None:
    """Say what is to be known of mentions that were read."""
    for note in notes:
        say(note)


def read_dataset(dataset: Any, *, repair: str = "conlleval", **options: Any) -> Samples:
    """The same, with the shape, the rows of the samples and notes; ``options`` are those of ``detect``."""
    return read_shape(dataset, detect(dataset, **options), repair)


def read_parts(parts: Mapping[str, Any], *, repair: str = "conlleval", **options: Any) -> dict[str, Samples]:
    """The same of splits, which are read in one way where they have the same columns."""
    shapes = detect_splits(parts, **options)
    return {name: read_shape(part, shapes[name], repair) for name, part in parts.items()}


def read_shape(dataset: Any, shape: Shape, repair: str = "conlleval") -> Samples:
    """The same of a dataset whose shape is known."""
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
    corpora = []
    # what is discarded must not depend on what a batch shows
    size = BATCH if shape.scheme is not None or repair == Repair.CONLLEVAL else None
    samples = converter.samples(rows_in(dataset, columns))
    while batch := list(samples if size is None else islice(samples, size)):
        row_of_sample += (rows := [sample.row for sample in batch])
        corpora.append(
            Corpus.of(
                [sample.tokens for sample in batch],
                **{shape.form.argument: [sample.annotation for sample in batch]},
                ids=[sample.id for sample in batch],
                docs=[sample.doc for sample in batch],
                labels=shape.labels if shape.form is Form.TAGS else None,
                scheme=shape.scheme,
                repair=repair,
                where=in_rows("dataset", rows),
            )
        )
    if not corpora:
        empty: Any = {shape.form.argument: []}
        corpora.append(Corpus.of([], **empty))
    own = shape.sentences is None and shape.sentence is None
    rows_of = None if own else np.array(row_of_sample, np.int64)
    made = shape.text is not None and shape.tokens is None
    corpus = replace(Corpus.concatenate(corpora), from_text=made)
    return Samples(corpus, shape, dataset, converter.n_rows, rows_of, tuple(converter.notes(len(corpus.mentions))))


def _is_plain(shape: Shape, dataset: Any) -> bool:
    """Can Arrow's own columns be read as they are?"""
    if (
        shape.sentences
        or shape.sentence
        or shape.tokens is None
        or shape.prefixed
        or {shape.tokens, shape.annotation} & shape.packed
    ):
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
    wanted = [shape.tokens, shape.annotation, shape.document, "id", "relations"]
    table = dataset.select_columns([c for c in dataset.column_names if c in wanted]).with_format("arrow")[:]

    def column(name: str | None) -> Any:
        return table.column(name).to_pylist() if name is not None and name in table.column_names else None

    form = shape.form.argument
    return Corpus.of(
        table.column(shape.tokens), **{form: table.column(shape.annotation)}, ids=column("id"),
        docs=column(shape.document), labels=shape.labels, scheme=shape.scheme, repair=repair,
        where=in_rows("dataset", range(len(dataset))), relations=relations_in(table) if form == "entities" else None,
    )  # fmt: skip


TokenSpan = tuple[int, int, str]
"""The first token of a mention, the one behind its last, and its label."""


class _Sample(NamedTuple):
    row: int
    tokens: list[str]
    annotation: list[Any]
    id: Any
    doc: Any


def _null(column: str) -> CleancutError:
    return CleancutError(f"{column} is null. Give an empty list for a sample without any.")


class Converter:
    """Rows to samples, with counts of what had to be adjusted."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._label = label_names(shape.labels) if shape.form is not Form.TAGS and shape.labels is not None else None
        self._counts: Counter[str] = Counter()
        self._n_outside = self._n_prefixed = 0
        self.n_rows = 0

    def notes(self, n_mentions: int) -> list[str]:
        """What to know of the mentions, in sentences."""
        total = n_mentions + self._counts["missing"] + self._counts["blank"]
        says = {
            "missing": "could not be located in the text and are left out",
            "blank": "hold nothing but space and are left out",
            "cut": "begin or end inside a word, which is cut there",
            "fragments": "are discontinuous and are taken from their first to their last character",
            "differ": "say another text than stands at their offsets",
        }
        notes = [f"{self._counts[k]} of {total} mentions {what}." for k, what in says.items() if self._counts[k]]
        if self._n_outside:
            notes.append(f"{self._n_outside} spans are labelled O and are left out.")
        if self._n_prefixed:
            notes.append(f"{self._n_prefixed} words have the code of a language before them, which is taken away.")
        return notes

    def samples(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[_Sample]:
        shape = self._shape
        if shape.sentence is not None:
            yield from self._grouped(rows, shape.sentence)
            return
        for i, row in enumerate(rows):
            self.n_rows = i + 1
            doc = row.get(shape.document) if shape.document else None
            with in_row(i):
                if shape.sentences is None:
                    yield _Sample(i, *self._one(row), row.get("id"), doc)
                    continue
                # a row is a document, also where it has no name
                name = i if doc is None else doc
                for sentence in records_in(self._value(row, shape.sentences) or ()):
                    yield _Sample(i, *self._one(sentence), None, name)

    def _grouped(self, rows: Iterable[Mapping[str, Any]], sentence: str) -> Iterator[_Sample]:
        """Samples of rows that are tokens; a missing number is that of the row before."""
        shape = self._shape
        assert shape.tokens is not None
        first, number, doc = 0, object(), None
        words: list[Any] = []
        tags: list[Any] = []
        for i, row in enumerate(rows):
            self.n_rows = i + 1
            new = row.get(sentence)
            if new in (None, "") or new != new:
                new = number if i else None
            at = row.get(shape.document) if shape.document else None
            if i == 0 or new != number or at != doc:
                if words:
                    yield _Sample(first, words, tags, None, doc)
                first, number, doc, words, tags = i, new, at, [], []
            word, tag = row.get(shape.tokens), row.get(shape.annotation)
            if word in (None, "") and tag in (None, ""):
                continue  # a blank row
            words.append(word)
            tags.append(number_in(tag) if shape.labels is not None and isinstance(tag, str) else tag)
        if words:
            yield _Sample(first, words, tags, None, doc)

    def _value(self, row: Mapping[str, Any], column: str) -> Any:
        value = row.get(column)
        if column in self._shape.packed and isinstance(value, str):
            return unpacked(value) if value.strip() else None
        return value

    def _one(self, row: Mapping[str, Any]) -> tuple[list[str], list[Any]]:
        """Return the tokens, and the tags or token spans, of one sample."""
        if self._shape.form is Form.TAGS:
            return self.tagged(row)
        tokens, items = self.items(row)
        return tokens, [span for item in items for span in item]

    def tagged(self, row: Mapping[str, Any]) -> tuple[list[str], list[Any]]:
        """Return the tokens and the tags of one sample."""
        tokens, tags = self._tokens(row), self._value(row, self._shape.annotation)
        if tags is None:
            raise _null(self._shape.annotation)
        return tokens, list(listed(tags))

    def items(self, row: Mapping[str, Any]) -> tuple[list[str], list[list[TokenSpan]]]:
        """Return the tokens of one sample, and the token spans of each of its own spans.

        A span that cannot be found has none; one with several labels has one for each.
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
                raise AssertionError("tags are no spans")
            case _:
                assert_never(shape.form)

    def _tokens(self, row: Mapping[str, Any]) -> list[str]:
        assert self._shape.tokens is not None
        tokens = self._value(row, self._shape.tokens)
        if tokens is None:
            raise _null(self._shape.tokens)
        words = words_in(tokens)
        if not self._shape.prefixed:
            return words
        plain = without_language(words)
        self._n_prefixed += sum(a != b for a, b in zip(words, plain, strict=True))
        return plain

    def _text(self, row: Mapping[str, Any]) -> str:
        assert self._shape.text is not None
        return text_in(self._value(row, self._shape.text))

    def _names(self, span: Span) -> list[str]:
        """Return the labels of a span without ``O``, which some lists of spans have for the text between mentions."""
        names = [self._name(label) for label in span.labels]
        kept = [name for name in names if not is_outside(name)]
        self._n_outside += len(names) - len(kept)
        return kept

    def _name(self, label: Any) -> str:
        if self._label is not None and number_in(label) is not None:
            number = int(label)
            if number not in self._label:
                raise CleancutError(
                    f"label id {number}, but the names are for ids {min(self._label)} to {max(self._label)}."
                )
            label = self._label[number]
        if not isinstance(label, str) or not label:
            raise CleancutError(f"a mention has the label {quoted(label)}, not a name. Leave such mentions out.")
        return label

    def _token_span(self, span: Span) -> Iterator[TokenSpan]:
        if span.start is None or span.end is None:
            raise CleancutError(
                f"a span has start {quoted(span.start)} and end {quoted(span.end)}. Give whole numbers."
            )
        for label in self._names(span):
            yield span.start, span.end + self._shape.inclusive, label

    def _located(self, spans: Sequence[Span], tokens: Sequence[str]) -> list[list[TokenSpan]]:
        """Return the token spans of mentions that are only quoted."""
        names = [self._names(span) for span in spans]
        quotes = [(span.surface or "", name) for span, own in zip(spans, names, strict=True) for name in own]
        places = iter(located(quotes, tokens))
        items = [[next(places) for _ in own] for own in names]
        self._counts["missing"] += sum(place is None for item in items for place in item)
        return [[place for place in item if place is not None] for item in items]

    def _in_text(self, spans: Sequence[Span], text: str) -> tuple[list[str], list[list[TokenSpan]]]:
        """Return the tokens of a text and the token spans of its mentions, whose edges are edges of tokens."""
        places = self._places(spans, text)
        words = Words.of(text, [edge for _, start, end, _ in places for edge in (start, end)])
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
        at = [(i, *self._characters(span, offsets), label) for i, span, label in named if span.has_offsets]
        if self._shape.pieces:
            # a mention of several pieces belongs to the first of them
            first_of = {start: i for i, start, _, _ in reversed(at)}
            at = [(first_of[piece[0]], *piece) for piece in joined_pieces([place[1:] for place in at], text)]
        quoted = [(i, span, label) for i, span, label in named if not span.has_offsets]
        found = placed([(span.surface or "", label) for _, span, label in quoted], text)
        self._counts["missing"] += found.count(None)
        return at + [(i, *place) for (i, _, _), place in zip(quoted, found, strict=True) if place is not None]

    def _characters(self, span: Span, offsets: Offsets) -> tuple[int, int]:
        """Return the characters of a mention, half-open; an error where the text does not have them."""
        assert span.start is not None and span.end is not None
        text, convention = offsets.text, self._shape.convention
        found = offsets.characters(span.start, span.end, convention)
        if found is None:
            what = "characters" if convention.unit is Unit.CHARACTERS else convention.unit.value
            raise CleancutError(
                f"{what} {span.start} to {span.end + convention.inclusive} of a text of {len(text)}. Offsets count "
                f"{what} of it from {convention.first}; say with end= whether the last one belongs to the mention."
            )
        self._counts["fragments"] += span.n_fragments > 1
        if span.surface is not None and span.n_fragments == 1 and not self._shape.pieces:
            self._counts["differ"] += "".join(text[slice(*found)].split()) != "".join(span.surface.split())
        return found


# --- splits -------------------------------------------------------------------------------------------


def load_splits(source: str | os.PathLike[str], **options: Any) -> dict[str, Samples]:
    """The splits of a Hub dataset (``org/name:config@revision``), a folder or a file, by name; "" for a single file.

    ``options`` are those of ``from_dataset``. Files are read as ``read`` does where their columns are the usual ones.
    """
    if is_local(source):
        is_of_splits = os.path.isdir(source) and not is_brat(Source.of(source))
        files = split_files(source) if is_of_splits else {"": os.fspath(source)}
        found = read_files(files, **options)
    else:
        if options.pop("word_column", None) is not None:
            raise CleancutError(f"{source}: a column number is for CoNLL files. Name the column of a dataset.")
        pinned, parts = load_hub(HubId.parse(str(source)))
        read = read_parts(parts, **options)
        found = {name: _of_hub(str(source), pinned, name, samples) for name, samples in read.items()}
    return {name: own_documents(name, samples) for name, samples in found.items()}


def _of_hub(given: str, pinned: HubId, split: str, samples: Samples) -> Samples:
    """Return the samples of a split with where it was loaded from, and what it was recognised as, which is told."""
    assert samples.shape is not None
    known = Recognised("dataset").with_shape(samples.shape).with_tags(samples.corpus.mentions.tagging)
    tell(given, known, part=split)
    return replace(samples, source=pinned, recognised=str(known))


def dataset_options(read_as: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of ``from_dataset`` in what a plan keeps of how its samples were read."""
    return {
        name: value for name, value in read_as.items() if name not in ("columns", "join_at", "column", "word_column")
    }


def given_samples(data: Any, read_as: Mapping[str, Any] | None = None) -> dict[str, Samples]:
    """Return the splits of what is given as samples; one without a name where there are none.

    Each is a corpus, a dataset, which is read as ``read_as`` says, or samples that were read from one.
    """
    parts = data if isinstance(data, Mapping) else {"": data}
    if not parts:
        raise CleancutError("there are no samples to split.")
    options = dataset_options(read_as or {})
    if options and all(isinstance(part, Corpus) for part in parts.values()) and set(read_as or ()) <= set(COLUMNS):
        raise CleancutError(f"{next(iter(options))}= has no effect: a corpus has no columns. Leave it out.")
    unread = {name: part for name, part in parts.items() if not isinstance(part, Corpus | Samples)}
    read = read_parts(unread, **options)
    found: dict[str, Samples] = {}
    for name, part in parts.items():
        if isinstance(part, Corpus):
            part = Samples(part, None, None, len(part))
        elif not isinstance(part, Samples):
            part = own_documents(name, read[name])
            log_notes(notes_of({name: part}))
        if read_as and read_as.get("join_at"):
            part = replace(part, corpus=join_at(part.corpus))
        found[name] = part
    return found


def notes_of(splits: Mapping[str, Samples]) -> list[str]:
    """Return what is to be known of the mentions of each split, in sentences that name it."""
    return [f"{split}: {note}" if split else note for split, samples in splits.items() for note in samples.notes]


def own_documents(split: str, samples: Samples) -> Samples:
    """Return the samples with documents named after their split, where these are rows without names."""
    shape = samples.shape
    if not split or shape is None or shape.sentences is None or shape.document is not None:
        return samples
    return replace(samples, corpus=_named_after(split, samples.corpus))


def own_numbers(split: str, corpus: Corpus) -> Corpus:
    """Return the corpus with documents named after their split, where all are only numbered.

    Numbers, as ``-DOCSTART-`` lines without names give them, begin anew in each split: they are other documents there.
    """
    if corpus.docs is None or not all(doc is None or doc.isdigit() for doc in corpus.docs):
        return corpus
    return _named_after(split, corpus)


def _named_after(split: str, corpus: Corpus) -> Corpus:
    """Return the corpus with documents ``split:name``, so that none is one of another split."""
    docs = corpus.docs and tuple(doc and f"{split}:{doc}" for doc in corpus.docs)
    return replace(corpus, docs=docs)


def needs_shape(readable: Readable, **options: Any) -> bool:
    """Is it a file whose columns have to be found, rather than one that ``read`` takes as it stands?"""
    source = Source.of(readable)
    if not source.is_there and not is_brat(source):
        return False  # read says so
    kind = format_of(source)
    if kind is Format.ROWS:
        return True
    given = {name: value for name, value in options.items() if value is not None}
    if kind is Format.CONLL:
        for name in sorted(given.keys() & {*_ONLY_SHAPES, "tokens", "tags", "entities"}):
            raise CleancutError(f"{name}={given[name]!r} has no effect: {source} is a CoNLL file. Leave it out.")
        return False
    named = {name: given.get(name) for name in ("tokens", "tags", "entities")}
    return bool(given.keys() & _ONLY_SHAPES) or not standard_columns(source, **named)


_ONLY_SHAPES = {"text", "document", "end"}
"""Options that files which are read as they stand do not have."""


def read_files(files: Mapping[str, Readable], *, column: int | None = None, **options: Any) -> dict[str, Samples]:
    """Files as samples; those whose columns have to be found, and are the same, are read in one way."""
    given = {name: value for name, value in options.items() if value is not None}
    read: dict[str, Samples] = {}
    tables: dict[str, Any] = {}
    containers: dict[str, str] = {}
    sources = {name: Source.of(file) for name, file in files.items()}
    for name, file in sources.items():
        if not needs_shape(file, **given):
            read[name] = read_samples(file, column=column, **given)
            continue
        if column is not None or given.get("word_column") is not None:
            raise CleancutError(f"{file}: a column number is for CoNLL files. Leave it out.")
        exported = exported_rows(file) if format_of(file) is Format.ROWS else None
        containers[name] = recognise(file).name if exported is None else exported.name
        tell(file.name, Recognised(containers[name]))
        named = [name for name in given if name in COLUMNS and name not in ("labels", "scheme")]
        if exported is not None and exported.reading and named:
            tables[name] = named_rows(file, named[0])
        elif exported is not None and exported.reading:  # its columns are known
            if not exported.rows:
                raise CleancutError(f"{file}: no row is left. {' '.join(exported.notes)}")
            samples = _known_samples(exported, given)
            read[name] = replace(
                _told(samples, file, Recognised(exported.name)), notes=(*exported.notes, *samples.notes)
            )
        else:
            tables[name] = rows_of_file(file) if exported is None else dataset_of(exported.rows)
    for name, samples in read_parts(tables, **given).items():
        assert samples.shape is not None
        read[name] = _told(samples, sources[name], Recognised(containers[name]).with_shape(samples.shape))
    return {name: read[name] for name in files}


def _known_samples(exported: Exported, given: Mapping[str, Any]) -> Samples:
    """Return the samples of rows whose columns are known; of token spans, nothing else has to be found out."""
    if exported.reading is not TOKEN_SPANS or given.keys() - {"repair"}:
        return read_dataset(exported.rows, **{**given, **exported.reading})
    has_documents = any(row.get("doc") is not None for row in exported.rows)
    shape = Shape(
        Form.TOKEN_SPANS, "entities", tokens="tokens", document="doc" if has_documents else None,
        convention=BY_TOKENS[0], fields=Fields("start", "end", None, "label"),
    )  # fmt: skip
    return read_shape(exported.rows, shape)


def _told(samples: Samples, source: Source, known: Recognised) -> Samples:
    """Return samples with what they were read from, and what that was recognised as, which is told."""
    known = known.with_tags(samples.corpus.mentions.tagging)
    tell(source.name, known)
    return replace(samples, read_from=source, recognised=str(known))


def read_samples(readable: Readable, *, column: int | None = None, **options: Any) -> Samples:
    """A file as samples: as ``read`` has it where its columns are the usual ones, else by its shape."""
    given = {name: value for name, value in options.items() if value is not None}
    source = Source.of(readable)
    if needs_shape(source, **given):
        return read_files({"": source}, column=column, **given)[""]
    options = {**given, "labels": names_in(given.get("labels"))}
    corpus = read_plain(source, column=column, **options)
    is_conll = format_of(source) is Format.CONLL
    notes = conll_layout(source, given.get("word_column")).notes if is_conll and column is None else ()
    known = str(plain_recognised(source, corpus, column=column, **options))
    return Samples(corpus, None, None, len(corpus), notes=notes, read_from=source, recognised=known)
