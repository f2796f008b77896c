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
from .opening import Source

BATCH = 20_000
"""Samples that are held at a time while a file is streamed."""

FEW = 100
"""Records that show which columns a file has."""


class Options(NamedTuple):
    """How to read: what is the same for every batch of a file."""

    column: int | None = None
    labels: Any = None
    scheme: str | None = None
    repair: str = "conlleval"
    tokens: str | None = None
    tags: str | None = None
    entities: str | None = None
    word_column: int | None = None


_MOST_COLUMNS = 10_000


def check_reading(options: Mapping[str, Any]) -> None:
    """Refuse numbers and names of columns that are none."""
    for name in ("column", "word_column"):
        if options.get(name) is not None:
            wanted = "the number of a column: 0 is the first, -1 the last"
            checks.whole(options[name], name, -_MOST_COLUMNS, _MOST_COLUMNS, wanted)
    for name in ("tokens", "tags", "entities", "text", "document"):
        if options.get(name) is not None:
            checks.text(options[name], name, "the name of a column")


class Rows(NamedTuple):
    """Samples of a file, whose words and annotation are numbers already."""

    form: str
    """What the annotation is called: ``tags`` or ``entities``."""
    kind: str
    """What it holds: ``tags``, ``label ids`` or ``spans``; nothing where all lists are empty."""
    coded: Coded
    lines: Sequence[int]
    """The line that each sample begins at."""
    ids: Sequence[Any]
    docs: Sequence[Any]
    relations: Sequence[Any]

    def part(self, first: int, last: int) -> Rows:
        """Return the samples from ``first`` to before ``last``."""
        chosen = slice(first, last)
        beside = self.lines[chosen], self.ids[chosen], self.docs[chosen], self.relations[chosen]
        return Rows(self.form, self.kind, self.coded.part(first, last), *beside)


@dataclass
class ListedRows:
    """Samples as they stand in a file, a list for each column."""

    form: str
    """What the annotation is called: ``tags`` or ``entities``."""
    lines: list[int] = field(default_factory=list)
    tokens: list[list[Any]] = field(default_factory=list)
    annotation: list[list[Any]] = field(default_factory=list)
    ids: list[Any] = field(default_factory=list)
    docs: list[Any] = field(default_factory=list)
    relations: list[Any] = field(default_factory=list)

    def append(self, line: int, tokens: list[Any], annotation: list[Any], *beside: Any) -> None:
        """Add a sample: its line, tokens and annotation, and beside these its id, document and relations."""
        self.lines.append(line)
        self.tokens.append(tokens)
        self.annotation.append(annotation)
        for column, value in zip((self.ids, self.docs, self.relations), beside, strict=True):
            column.append(value)

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
        """Return the same as numbers; an error names the sample by ``where``, and what is wrong with it."""
        coded = Coded(intern_words(self.tokens, where), recognise(self.annotation, labels, where))
        return Rows(self.form, self.kind, coded, self.lines, self.ids, self.docs, self.relations)


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
        """Return what was added as a corpus."""
        lines, ids, docs, relations = (list(chain.from_iterable(column)) for column in self._beside())
        coded = Coded.joined([part.coded for part in self._parts])
        return Corpus.of(
            coded.words,
            **{self._parts[0].form: coded.raw},
            relations=relations,
            ids=ids,
            docs=docs,
            scheme=options.scheme,
            repair=options.repair,
            where=place(lines, self.n_before),
        )

    def _beside(self) -> Iterable[Iterable[Sequence[Any]]]:
        return zip(*((part.lines, part.ids, part.docs, part.relations) for part in self._parts), strict=True)


def rows_corpus(rows: ListedRows, options: Options, where: Where) -> Corpus:
    """Return samples as a corpus; ``where`` names them in errors."""
    batch = _Batch(0)
    batch.add(rows.coded(options.labels, where))
    return batch.corpus(options, lambda *_: where)


def row_corpora(
    source: Source, blocks: Iterable[Rows | ListedRows], options: Options, size: int | None, *, line_per_token: bool
) -> Iterator[Corpus]:
    """Return corpora of ``size`` samples, or one of all, from blocks of any sizes.

    Args:
        source: what the blocks were read from.
        blocks: the samples, in the order of the file.
        options: how they are read.
        size: samples of each corpus but the last; None for all of them.
        line_per_token: does each token stand on a line of its own, so that errors can name that line?
    """
    reuse_memory()
    return _collecting_later(_row_corpora(source, blocks, options, size, line_per_token))


def _row_corpora(
    source: Source, blocks: Iterable[Rows | ListedRows], options: Options, size: int | None, line_per_token: bool
) -> Iterator[Corpus]:
    def place(lines: Sequence[int], n_before: int) -> Where:
        return partial(_line, source.base, lines, n_before, line_per_token)

    form = kind = ""
    batch = _Batch(0)
    for block in blocks:
        if not len(block.lines):
            continue
        where = place(block.lines, batch.n_before + len(batch))
        form, kind = form or block.form, kind or block.kind
        if block.form != form:
            raise CleancutError(f"{where(0)}: {block.form} here but {form} before. Give all samples in one form.")
        if block.kind not in ("", kind):
            raise CleancutError(f"{where(0)}: {block.kind} here but {kind} before. Give all samples in one form.")
        rows = block.coded(options.labels, where) if isinstance(block, ListedRows) else block
        first, n_rows = 0, len(rows.lines)
        while first < n_rows:
            last = n_rows if size is None else min(n_rows, first + size - len(batch))
            batch.add(rows.part(first, last))
            first = last
            if len(batch) == size:
                yield batch.corpus(options, place)
                batch = _Batch(batch.n_before + size)
    if len(batch):
        yield batch.corpus(options, place)


def _collecting_later(corpora: Iterator[Corpus]) -> Iterator[Corpus]:
    """Return the same, and do not look for garbage while one is made.

    Python looks each time that some thousand objects were made, which takes longer than to make the lists of a block,
    and finds none in them.
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
    """What all batches together show of the scheme; None for spans."""
    shown = [corpus.mentions.tagging for corpus in corpora]
    return sum((t for t in shown if t is not None), Tagging()) if any(shown) else None


def _line(
    name: str, lines: Sequence[int], first: int, line_per_token: bool, sample: int, token: int | None = None
) -> str:
    """Name a sample of a file and the line it starts at (or, in CoNLL, the line of the token)."""
    line = lines[sample] + (token or 0) * line_per_token
    shown = "" if token is None or line_per_token else f", token {token}"
    return f"sample {first + sample} ({name}, line {line}){shown}"


def in_rows(name: str, rows: Sequence[int]) -> Where:
    """Names the row of what is called ``name`` that a sample came from."""
    return partial(_row, name, rows)


def _row(name: str, rows: Sequence[int], sample: int, token: int | None = None) -> str:
    return f"row {rows[sample]} ({name})" + ("" if token is None else f", token {token}")


def with_row(name: str, text_of: Callable[[int], str], sample: int, token: int | None = None) -> str:
    return f"{name}, {text_of(sample):.80}" + ("" if token is None else f", token {token}")
