"""Rows of a file as corpora, in batches, and the places that errors name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError
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


class FileRow(NamedTuple):
    """A sample as it stands in a file."""

    line: int
    id: str | None
    doc: str | None
    tokens: list[str]
    annotation: list[Any]
    form: str
    """``tags`` or ``entities``."""
    relations: list[Any] | None = None


def row_corpora(
    source: Source, rows: Iterator[FileRow], options: Options, size: int | None, *, line_per_token: bool
) -> Iterator[Corpus]:
    first = 0
    form = None
    while batch := list(rows if size is None else (row for _, row in zip(range(size), rows, strict=False))):
        where = _in_file(source, [row.line for row in batch], first, line_per_token)
        form = form or batch[0].form
        yield rows_corpus(batch, form, options, where)
        first += len(batch)


def rows_corpus(batch: Sequence[FileRow], form: str, options: Options, where: Where) -> Corpus:
    for i, row in enumerate(batch):
        if row.form != form:
            raise CleancutError(f"{where(i)}: {row.form} here but {form} before. Give all samples in one form.")
    return Corpus.of(
        [row.tokens for row in batch],
        **{form: [row.annotation for row in batch]},
        relations=[row.relations for row in batch],
        ids=[row.id for row in batch],
        docs=[row.doc for row in batch],
        labels=options.labels, scheme=options.scheme, repair=options.repair, where=where,
    )  # fmt: skip


def tagging_of(corpora: Iterable[Corpus]) -> Tagging | None:
    """What all batches together show of the scheme; None for spans."""
    shown = [corpus.mentions.tagging for corpus in corpora]
    return sum((t for t in shown if t is not None), Tagging()) if any(shown) else None


def _in_file(source: Source, lines: Sequence[int], first: int, line_per_token: bool) -> Where:
    """Names a sample of a file and the line it starts at (or, in CoNLL, the line of the token)."""
    return partial(_line, source.base, lines, first, line_per_token)


def _line(
    name: str, lines: Sequence[int], first: int, line_per_token: bool, sample: int, token: int | None = None
) -> str:
    line = lines[sample] + (token or 0) * line_per_token
    shown = "" if token is None or line_per_token else f", token {token}"
    return f"sample {first + sample} ({name}, line {line}){shown}"


def in_rows(name: str, rows: Sequence[int]) -> Where:
    """Names the row of what is called ``name`` that a sample came from."""
    return partial(_row, name, rows)


def _row(name: str, rows: Sequence[int], sample: int, token: int | None = None) -> str:
    return f"row {rows[sample]} ({name})" + ("" if token is None else f", token {token}")


def quoted(name: str, text_of: Callable[[int], str], sample: int, token: int | None = None) -> str:
    return f"{name}, {text_of(sample):.80}" + ("" if token is None else f", token {token}")
