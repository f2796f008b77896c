"""The formats of files: one table says how each is recognised, read and written.

Everything is read in batches, so that a file of any size can be scored in constant memory; ``read`` is the
one batch that holds it all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, parse_choice
from ..core.files import kept, replacing
from ..core.tags import Repair, Scheme, parse_scheme
from .batches import BATCH, Options, tagging_of
from .column_exports import conll_2012, conllu, csv_rows, is_conll_2012, is_conllu, is_csv, is_webanno, webanno
from .column_names import plain_columns
from .conll import conll_corpora, conll_text, conll_texts
from .doc_bin import doc_bin, is_doc_bin, refuse_text
from .exported import Exported
from .json_exports import is_json, is_known_record, json_rows, tool_jsonl
from .jsonl import first_json_records, jsonl_corpora, jsonl_text, jsonl_texts
from .opening import Head, check_file, head_of, text_of
from .parquet import copy_parquet, first_parquet_records, parquet_corpora
from .text_exports import brat, inline, is_brat, is_inline, is_pubtator, pubtator
from .writing import copy_texts, packed


class Format(StrEnum):
    """How a file holds its samples."""

    CONLL = "conll"
    JSONL = "jsonl"
    PARQUET = "parquet"
    ROWS = "rows"
    """What another tool exports (``exports``): read as rows, whose columns are known or have to be found."""


SUFFIXES = {
    ".jsonl": Format.JSONL, ".ndjson": Format.JSONL, ".json": Format.JSONL, ".parquet": Format.PARQUET,
    ".conll": Format.CONLL, ".txt": Format.CONLL, ".tsv": Format.CONLL, ".bio": Format.CONLL, ".iob": Format.CONLL,
    ".iob2": Format.CONLL, ".bioes": Format.CONLL,
}  # fmt: skip

ROW_SUFFIXES = (".csv", ".json", ".conllu", ".spacy", ".xml", ".sgml", ".pubtator")
"""Further endings of files that hold samples."""


def format_of(path: str | os.PathLike[str], format: str | None = None) -> Format:
    """Return the format that was given, else the one that the content shows, else the one that the name shows."""
    if format is not None:
        return parse_choice(Format, format, "format")
    if export_of(path) is not None or is_brat(path):
        return Format.ROWS
    plain = Path(path).with_suffix("") if Path(path).suffix == ".gz" else Path(path)
    if plain.suffix.lower() in SUFFIXES:
        return SUFFIXES[plain.suffix.lower()]
    head = head_of(path)
    if head.text.startswith("PAR1"):
        return Format.PARQUET
    return Format.JSONL if head.text.startswith(('{"', "{ ")) and '":' in head.text else Format.CONLL


def export_of(path: str | os.PathLike[str]) -> Export | None:
    """Return what another tool has exported as this file, if it is that; a name without a file shows it by its end."""
    name = os.fspath(path).lower().removesuffix(".gz")
    if name.endswith((".parquet", ".spacy")) or not os.path.isfile(path):
        return DOC_BIN if name.endswith(".spacy") else CSV if name.endswith(".csv") else None
    return recognised(head_of(path))


def exported_rows(path: str | os.PathLike[str]) -> Exported:
    """Read what another tool has exported."""
    if is_brat(path):
        return brat(path)
    export = export_of(path)
    if export is None:
        raise CleancutError(f"{path}: not a file of rows. Give JSONL, CSV or parquet.")
    if export is DOC_BIN:
        return doc_bin(path)
    try:
        return export.rows(text_of(path), os.fspath(path))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise CleancutError(f"{path}: taken for {export.name}, which it is not to the end ({why}).") from None


def named_rows(path: str | os.PathLike[str], option: str) -> list[dict[str, Any]]:
    """Return the rows of a tool's JSON or JSONL as they stand, for an option that names one of their columns."""
    text = text_of(path)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        try:
            value = [json.loads(line) for line in text.split("\n") if line.strip()]
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise CleancutError(f"{path}: {option}= has no effect: the format has no named columns. Leave it out.")
    return value


def written_as(path: str | os.PathLike[str]) -> Format:
    """Return the format to write samples of a file in: its own, or JSONL where that is only read."""
    kind = format_of(path)
    return Format.JSONL if kind is Format.ROWS or _RECORDS[kind].text is None else kind


def read_plain(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    column: int | None = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    tokens: str | None = None,
    tags: str | None = None,
    entities: str | None = None,
    word_column: int | None = None,
) -> Corpus:
    """Return a whole file of CoNLL columns, or of JSONL or parquet with the usual columns, as a corpus."""
    options = Options(column, labels, scheme, repair, tokens, tags, entities, word_column)
    return next(_corpora(path, format, options, None))


def plain_batches(
    path: str | os.PathLike[str],
    size: int = BATCH,
    *,
    format: str | None = None,
    column: int | None = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    tokens: str | None = None,
    tags: str | None = None,
    entities: str | None = None,
    word_column: int | None = None,
) -> Iterator[Corpus]:
    """Return the same in corpora of ``size`` samples, in constant memory."""
    if size < 1:
        raise CleancutError(f"size={size} is out of range. Give at least one sample a batch.")
    options = Options(column, labels, scheme, repair, tokens, tags, entities, word_column)
    if scheme is None and repair != Repair.CONLLEVAL:
        # what is discarded must not depend on what a batch shows
        shown = tagging_of(_corpora(path, format, options._replace(repair=Repair.CONLLEVAL), size))
        options = options._replace(scheme=shown.scheme() if shown else None)
    return _corpora(path, format, options, size)


def _corpora(path: str | os.PathLike[str], format: str | None, options: Options, size: int | None) -> Iterator[Corpus]:
    check_file(path)
    kind = format_of(path, format)
    if kind is Format.ROWS:
        raise CleancutError(f"{path}: rows of another tool, whose mentions have to be found. Read it with read().")
    if (options.column, options.word_column) != (None, None) and kind is not Format.CONLL:
        raise CleancutError(f"{path}: a column number is for CoNLL files, but this is {kind}. Leave it out.")
    batches = _RECORDS[kind].corpora(path, options, size)
    first = next(batches, None)
    if first is None:
        raise CleancutError(f"{path}: the file has no samples. Expected {_RECORDS[kind].expected}.")
    yield first
    yield from batches


def standard_columns(
    path: str | os.PathLike[str], *, tokens: str | None = None, tags: str | None = None, entities: str | None = None
) -> bool:
    """Has a file the columns that ``read`` takes, lists of tokens and of tags or token spans?

    A file that cannot be read is left to ``read``, which says why, and so is one whose columns have no names.
    """
    import pyarrow as pa

    try:
        kind = format_of(path)
        if kind is Format.ROWS:
            return False
        first_records = _RECORDS[kind].first_records
        rows: list[Any] = first_records(path) if first_records is not None else []
    except (CleancutError, pa.ArrowException, OSError):
        return True
    if not rows:
        return True
    try:
        columns = plain_columns(rows[0], Options(tokens=tokens, tags=tags, entities=entities), os.fspath(path))
    except CleancutError:
        return False
    samples = [(row.get(columns.tokens), row.get(columns.annotation)) for row in rows]
    if not all(isinstance(words, list) and isinstance(found, list | None) for words, found in samples):
        return False  # a list that is missing is an error, which names the line
    spans = [span for _, found in samples for span in found or () if isinstance(span, dict)]
    # spans may count the characters of a text that stands beside them
    beside = any(isinstance(row.get(name), str) for row in rows for name in ("text", "sentence", "content"))
    if spans and beside and not any(row.get("relations") for row in rows):
        return False
    return all({"start", "end", "label"} <= set(span) for span in spans)


def has_usual_names(path: str | os.PathLike[str]) -> bool:
    """Are the columns of a file called as usual, whatever they hold?"""
    kind = format_of(path)
    first_records = None if kind is Format.ROWS else _RECORDS[kind].first_records
    if first_records is None:
        return False
    try:
        plain_columns(first_records(path)[0], Options(), os.fspath(path))
    except (CleancutError, IndexError):
        return False
    return True


def copy_rows(files: Sequence[str], outputs: Mapping[str, Iterable[int]], folder: str | os.PathLike[str]) -> list[str]:
    """Write the samples of each output as they stand in the input files, all columns untouched.

    ``outputs`` gives the samples of each, counted over all files, all of one format. Returns the files written, none of
    which may be one of the input.
    """
    with kept(files):
        return _copy_rows(files, outputs, folder)


def _copy_rows(files: Sequence[str], outputs: Mapping[str, Iterable[int]], folder: str | os.PathLike[str]) -> list[str]:
    kinds = {format_of(file) for file in files}
    if len(kinds) > 1:
        raise CleancutError(
            f"the format cannot be kept: the files are {' and '.join(sorted(kinds))}. Choose one format."
        )
    if Format.ROWS in kinds:
        raise CleancutError("the format of another tool is read but not written. Choose jsonl or conll.")
    owner = {row: name for name, rows in outputs.items() for row in rows}
    return _RECORDS[kinds.pop()].copy(files, owner, list(outputs), folder)


def write(
    corpora: Corpus | Iterable[Corpus],
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    scheme: str | None = None,
) -> None:
    """Write a corpus, or its batches, as CoNLL (``scheme`` iob2 by default) or JSONL (entities, or tags of ``scheme``).

    The file appears when it is complete: an error or an interruption leaves what was there before.
    """
    suffix = Path(os.fspath(path).removesuffix(".gz")).suffix.lower()
    if format is None and suffix not in SUFFIXES:
        raise CleancutError(f"{path}: the name does not show the format. End it in .conll or .jsonl, or give format=.")
    kind = parse_choice(Format, format, "format") if format is not None else SUFFIXES[suffix]
    text_of = None if kind is Format.ROWS else _RECORDS[kind].text
    if text_of is None:
        raise CleancutError(f"{path}: {kind} is read but not written. Write .jsonl or .conll.")
    chosen = parse_scheme(scheme)
    batches = [corpora] if isinstance(corpora, Corpus) else corpora
    texts = chain.from_iterable(text_of(corpus, chosen) for corpus in batches)
    with replacing(path) as plain, packed(plain, path) as stream:
        for text in texts:
            try:
                stream.write(text.encode("utf-8"))
            except UnicodeEncodeError as error:
                shown = text[max(error.start - 10, 0) : error.end + 10]
                raise CleancutError(f"{path}: {shown!r} holds half a character, which UTF-8 cannot write.") from None


@dataclass(frozen=True)
class Export:
    """A format: its name, how it is recognised, and how its text is read."""

    name: str
    recognises: Callable[[Head], bool]
    rows: Callable[[str, str], Exported]
    """Given the text of a file and what to call it in errors."""


def recognised(head: Head) -> Export | None:
    """Return the export that a file is, if it is one."""
    return next((export for export in EXPORTS if export.recognises(head)), None)


DOC_BIN = Export("spaCy DocBin", is_doc_bin, refuse_text)
"""A file that is no text, and is read by ``doc_bin``."""

CSV = Export("CSV", is_csv, csv_rows)

EXPORTS: Sequence[Export] = (
    CSV,
    Export("WebAnno TSV 3", is_webanno, webanno),
    Export("CoNLL-U with NER in MISC", is_conllu, conllu),
    Export("CoNLL-2012", is_conll_2012, conll_2012),
    Export("PubTator", is_pubtator, pubtator),
    Export("JSON", is_json, json_rows),
    Export("JSONL of an annotation tool", is_known_record, tool_jsonl),
    Export("text with names in marks", is_inline, inline),
)
"""How each format is recognised and read, the first that fits."""


class _FormatRecord(NamedTuple):
    """Everything that differs between file formats."""

    expected: str
    """What a file of samples holds, as an error says it."""
    corpora: Callable[[str | os.PathLike[str], Options, int | None], Iterator[Corpus]]
    copy: Callable[[Sequence[str], Mapping[int, str], Sequence[str], str | os.PathLike[str]], list[str]]
    first_records: Callable[[str | os.PathLike[str]], list[dict[str, Any]]] | None
    """None where columns have no names."""
    text: Callable[[Corpus, Scheme | None], Iterator[str]] | None
    """None where the format is read but not written."""


_RECORDS = {
    Format.CONLL: _FormatRecord(
        expected="lines of a token and its tag, with a blank line after each sample",
        corpora=conll_corpora,
        copy=partial(copy_texts, conll_texts),
        first_records=None,
        text=conll_text,
    ),
    Format.JSONL: _FormatRecord(
        expected='a line such as {"tokens": ["Ada"], "entities": [{"start": 0, "end": 1, "label": "PER"}]}',
        corpora=jsonl_corpora,
        copy=partial(copy_texts, jsonl_texts),
        first_records=first_json_records,
        text=jsonl_text,
    ),
    Format.PARQUET: _FormatRecord(
        expected="rows with tokens and tags or entities",
        corpora=parquet_corpora,
        copy=copy_parquet,
        first_records=first_parquet_records,
        text=None,
    ),
}
