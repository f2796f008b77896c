"""Rows of a file as corpora, in batches, and the places that errors name."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from ..core import checks
from ..core.coded import Coded
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError
from ..core.inputs import intern_words, recognise, reuse_memory
from ..core.tags import Tagging, Where
from .id_fields import absent_ids, checked_ids
from .opening import Source

BATCH = 20_000
"""The number of samples that are held at a time while a file is streamed."""

FEW = 100
"""The number of records that show which columns a file has."""


class Options(NamedTuple):
    """How a file is read; the same for every batch of it."""

    column: int | None = None
    """The CoNLL column of the tags; the last by default."""
    labels: Any = None
    """The names of label ids."""
    scheme: str | None = None
    """The tag scheme; None where it is inferred."""
    repair: str = "conlleval"
    """What to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``."""
    tokens: str | None = None
    """The column of the tokens, where the caller names it."""
    tags: str | None = None
    """The column of the tags, where the caller names it."""
    entities: str | None = None
    """The column of the spans, where the caller names it."""
    word_column: int | None = None
    """The CoNLL column of the words, where the caller names it."""
    ids: str | int | None = None
    """The field or column of the ids of entities; None where they are not read."""


def check_reading(options: Mapping[str, Any]) -> None:
    """Check the options that name or number columns.

    Args:
        options: the options by name; those that are None do not count.

    Raises:
        CleancutError: a number or a name is none.
    """
    for name in ("column", "word_column"):
        if options.get(name) is not None:
            checks.column_number(options[name], name)
    for name in ("tokens", "tags", "entities", "text", "document"):
        if options.get(name) is not None:
            checks.text(options[name], name, "the name of a column")
    if options.get("ids") is not None:
        checked_ids(options["ids"])


class Rows(NamedTuple):
    """Samples of a file, whose words and annotation are encoded as numbers."""

    form: str
    """What the annotation is called: ``tags`` or ``entities``."""
    kind: str
    """What the annotation holds: ``tags``, ``label ids`` or ``spans``; empty where all lists are empty."""
    coded: Coded
    """The words and the annotation."""
    lines: Sequence[int]
    """The line that each sample begins at."""
    ids: Sequence[Any]
    """The id of each sample; None where it has none."""
    docs: Sequence[Any]
    """The document of each sample; None where it has none."""
    relations: Sequence[Any]
    """The relations of each sample; None where it has none."""
    entity_ids: Sequence[Any] | None = None
    """The ids of the entities of each sample; None where they are not read."""

    def part(self, first: int, last: int) -> Rows:
        """Return some of the samples.

        Args:
            first: the first of them.
            last: the one behind the last of them.
        """
        chosen = slice(first, last)
        entity_ids = None if self.entity_ids is None else self.entity_ids[chosen]
        return Rows(
            self.form,
            self.kind,
            self.coded.part(first, last),
            self.lines[chosen],
            self.ids[chosen],
            self.docs[chosen],
            self.relations[chosen],
            entity_ids,
        )


@dataclass
class ListedRows:
    """Samples as they stand in a file, with a list for each column."""

    form: str
    """What the annotation is called: ``tags`` or ``entities``."""
    lines: list[int] = field(default_factory=list)
    """The line that each sample begins at."""
    tokens: list[list[Any]] = field(default_factory=list)
    """The tokens of each sample."""
    annotation: list[list[Any]] = field(default_factory=list)
    """The tags, label ids or spans of each sample."""
    ids: list[Any] = field(default_factory=list)
    """The id of each sample; None where it has none."""
    docs: list[Any] = field(default_factory=list)
    """The document of each sample; None where it has none."""
    relations: list[Any] = field(default_factory=list)
    """The relations of each sample; None where it has none."""
    entity_ids: list[Any] = field(default_factory=list)
    """The ids of the entities of each sample; None where it has none."""

    def append(
        self,
        line: int,
        tokens: list[Any],
        annotation: list[Any],
        sample_id: Any,
        document: Any,
        relations: Any,
        entity_ids: Any = None,
    ) -> None:
        """Add a sample.

        Args:
            line: the line that it begins at.
            tokens: its tokens.
            annotation: its tags, label ids or spans.
            sample_id: its id, or None.
            document: its document, or None.
            relations: its relations, or None.
            entity_ids: the ids of its entities, or None.
        """
        self.lines.append(line)
        self.tokens.append(tokens)
        self.annotation.append(annotation)
        self.ids.append(sample_id)
        self.docs.append(document)
        self.relations.append(relations)
        self.entity_ids.append(entity_ids)

    @property
    def kind(self) -> str:
        """What the annotation holds, by its first value."""
        first = next(chain.from_iterable(self.annotation), None)
        if first is None:
            return ""
        if isinstance(first, str):
            return "tags"
        return "label ids" if isinstance(first, int) else "spans"

    def coded(self, labels: Any, where: Where) -> Rows:
        """Return the same samples encoded as numbers.

        Args:
            labels: the names of label ids.
            where: names the place of a sample, for messages.

        Raises:
            CleancutError: a sample cannot be encoded; the message names it.
        """
        coded = Coded(intern_words(self.tokens, where), recognise(self.annotation, labels, where))
        return Rows(self.form, self.kind, coded, self.lines, self.ids, self.docs, self.relations, self.entity_ids)


class _Batch:
    """A corpus in the making, of samples that come block by block."""

    def __init__(self, n_before: int) -> None:
        self.n_before = n_before
        """Samples of the file that stand before those of the batch."""
        self._parts: list[Rows] = []
        self._n_samples = 0

    def __len__(self) -> int:
        return self._n_samples

    def add(self, rows: Rows) -> None:
        """Add samples."""
        self._parts.append(rows)
        self._n_samples += len(rows.lines)

    def corpus(self, options: Options, place: Callable[[Sequence[int], int], Where]) -> Corpus:
        """Return the samples that were added as a corpus; ``place`` makes the function that names their places."""
        coded = Coded.joined([part.coded for part in self._parts])
        lines = list(chain.from_iterable(part.lines for part in self._parts))
        where = place(lines, self.n_before)
        entity_ids: list[Any] | None = None
        if options.ids is not None:
            entity_ids = list(chain.from_iterable(part.entity_ids or () for part in self._parts))
        return Corpus.of(
            coded.words,
            **{self._parts[0].form: coded.raw},
            relations=list(chain.from_iterable(part.relations for part in self._parts)),
            ids=list(chain.from_iterable(part.ids for part in self._parts)),
            docs=list(chain.from_iterable(part.docs for part in self._parts)),
            scheme=options.scheme,
            repair=options.repair,
            where=where,
            entity_ids=entity_ids,
        )

    def has_ids(self) -> bool:
        """Return whether a sample has ids of entities, or a place for them."""
        return any(ids is not None for part in self._parts for ids in part.entity_ids or ())


def rows_corpus(rows: ListedRows, options: Options, where: Where) -> Corpus:
    """Return samples as a corpus.

    Args:
        rows: the samples.
        options: how they are read.
        where: names the place of a sample, for messages.

    Raises:
        CleancutError: a sample cannot be read; the message names it.
    """
    batch = _Batch(0)
    batch.add(rows.coded(options.labels, where))
    return batch.corpus(options, lambda *_: where)


def row_corpora(
    source: Source, blocks: Iterable[Rows | ListedRows], options: Options, size: int | None, *, line_per_token: bool
) -> Iterator[Corpus]:
    """Yield corpora of some size from blocks of any sizes.

    Args:
        source: what the blocks were read from.
        blocks: the samples, in the order of the file.
        options: how they are read.
        size: the number of samples of each corpus but the last; None for one corpus of all samples.
        line_per_token: whether each token stands on a line of its own, so that errors can name that line.

    Raises:
        CleancutError: a sample cannot be read, or the samples are not of one form; the message names the place.
    """
    reuse_memory()
    return _collecting_later(_row_corpora(source, blocks, options, size, line_per_token))


def _row_corpora(
    source: Source, blocks: Iterable[Rows | ListedRows], options: Options, size: int | None, line_per_token: bool
) -> Iterator[Corpus]:
    """Yield the corpora of ``row_corpora``."""

    def place(lines: Sequence[int], n_before: int) -> Where:
        return partial(_line, source.base, lines, n_before, line_per_token)

    form = ""
    kind = ""
    batch = _Batch(0)
    n_mentions = 0
    has_ids = False

    def done() -> Corpus:
        """Return the samples of the batch, which is complete."""
        nonlocal n_mentions, has_ids
        corpus = batch.corpus(options, place)
        n_mentions += len(corpus.mentions)
        has_ids = has_ids or batch.has_ids()
        return corpus

    for block in blocks:
        if not len(block.lines):
            continue
        where = place(block.lines, batch.n_before + len(batch))
        form = form or block.form
        kind = kind or block.kind
        if block.form != form:
            raise CleancutError(f"{where(0)}: {block.form} here but {form} before. Give all samples in one form.")
        if block.kind not in ("", kind):
            raise CleancutError(f"{where(0)}: {block.kind} here but {kind} before. Give all samples in one form.")
        rows = block.coded(options.labels, where) if isinstance(block, ListedRows) else block
        first = 0
        n_rows = len(rows.lines)
        while first < n_rows:
            last = n_rows if size is None else min(n_rows, first + size - len(batch))
            batch.add(rows.part(first, last))
            first = last
            if len(batch) == size:
                yield done()
                batch = _Batch(batch.n_before + size)
    rest = done() if len(batch) else None
    if options.ids is not None and n_mentions and not has_ids:
        raise absent_ids(source.base, options.ids)
    if rest is not None:
        yield rest


def _collecting_later(corpora: Iterator[Corpus]) -> Iterator[Corpus]:
    """Yield the same corpora, and do not collect garbage while one is made.

    Python looks for garbage each time that some thousand objects were made, which takes longer than to make the lists
    of a block, and there is none in them.
    """
    while True:
        was_on = gc.isenabled()
        gc.disable()
        try:
            corpus = next(corpora, None)
        finally:
            if was_on:
                gc.enable()
        if corpus is None:
            return
        yield corpus


def tagging_of(corpora: Iterable[Corpus]) -> Tagging | None:
    """Return what the tags of all batches together tell about their scheme; None for spans.

    Args:
        corpora: the batches.
    """
    taggings = [corpus.mentions.tagging for corpus in corpora]
    if not any(taggings):
        return None
    return sum((tagging for tagging in taggings if tagging is not None), Tagging())


def _line(
    name: str, lines: Sequence[int], first: int, line_per_token: bool, sample: int, token: int | None = None
) -> str:
    """Return the name of a sample and of the line that it starts at (or, in CoNLL, of the line of the token)."""
    if line_per_token:
        return f"sample {first + sample} ({name}, line {lines[sample] + (token or 0)})"
    return f"sample {first + sample} ({name}, line {lines[sample]}){_token(token)}"


def _token(token: int | None) -> str:
    """Return the number of a token for a message; nothing where no token is meant."""
    return "" if token is None else f", token {token}"


def in_rows(name: str, rows: Sequence[int]) -> Where:
    """Return a function that names the row that a sample came from.

    Args:
        name: the name of the file or dataset.
        rows: the row of each sample.

    >>> in_rows("a.parquet", [7, 8])(1)
    'row 8 (a.parquet)'
    """
    return partial(_row, name, rows)


def _row(name: str, rows: Sequence[int], sample: int, token: int | None = None) -> str:
    """Return the name of the row that a sample came from."""
    return f"row {rows[sample]} ({name}){_token(token)}"


def with_row(name: str, text_of: Callable[[int], str], sample: int, token: int | None = None) -> str:
    """Return the name of a place that quotes the row of a sample.

    Args:
        name: the name of the table.
        text_of: returns a row as text.
        sample: the number of the row.
        token: the number of the token that is meant, if any.
    """
    return f"{name}, {text_of(sample):.80}{_token(token)}"
