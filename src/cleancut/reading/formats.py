"""Files to corpora, and back: CoNLL columns, JSONL, parquet (also gzipped).

Everything is read in batches, so that a file of any size can be scored in constant memory; ``read`` is the
one batch that holds it all.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from enum import StrEnum
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..core.corpus import Corpus, samples_of
from ..core.exceptions import CleancutError, parse_choice
from ..core.files import kept, name_inside, replacing
from ..core.language_codes import language_before, without_language
from ..core.tags import Repair, Scheme, Tagging, Where, parse_scheme
from .exports import CSV, DOC_BIN, Export, Exported, Head, brat, doc_bin, is_brat, recognised

BATCH = 20_000
"""Samples that are held at a time while a file is streamed."""


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


def head_of(path: str | os.PathLike[str]) -> Head:
    """Return the first 64 KB of a file, as text as far as it is text."""
    with _opened(path) as stream:
        data = stream.read(_HEAD)
        if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")) and b"\n" not in data:
            data += stream.readline(_LONGEST)  # the first record tells most
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if len(data) < _HEAD and not text.endswith("\n"):
        text += "\n"  # the last line is whole
    return Head(os.fspath(path), text.lstrip())


_HEAD, _LONGEST = 1 << 16, 1 << 26
"""Bytes that show the format of a file, and of the longest line that is looked at for it."""


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
        return export.rows(_text_of(path), os.fspath(path))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise CleancutError(f"{path}: taken for {export.name}, which it is not to the end ({why}).") from None


def named_rows(path: str | os.PathLike[str], option: str) -> list[dict[str, Any]]:
    """Return the rows of a tool's JSON or JSONL as they stand, for an option that names one of their columns."""
    text = _text_of(path)
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


def _text_of(path: str | os.PathLike[str]) -> str:
    """Return a whole file as text, its line ends as they are."""
    with _opened(path) as stream:
        data = stream.read()
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CleancutError(
            f"{path}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8. Convert the file to UTF-8."
        ) from None


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
    options = _Options(column, labels, scheme, repair, tokens, tags, entities, word_column)
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
    options = _Options(column, labels, scheme, repair, tokens, tags, entities, word_column)
    if scheme is None and repair != Repair.CONLLEVAL:
        # what is discarded must not depend on what a batch shows
        shown = tagging_of(_corpora(path, format, options._replace(repair=Repair.CONLLEVAL), size))
        options = options._replace(scheme=shown.scheme() if shown else None)
    return _corpora(path, format, options, size)


def tagging_of(corpora: Iterable[Corpus]) -> Tagging | None:
    """What all batches together show of the scheme; None for spans."""
    shown = [corpus.mentions.tagging for corpus in corpora]
    return sum((t for t in shown if t is not None), Tagging()) if any(shown) else None


_SPLIT_NAMES = {
    "train": ("train", "training"),
    "validation": ("dev", "valid", "validation", "val", "development", "testa"),
    "test": ("test", "testb"),
}


def split_name(path: str | os.PathLike[str]) -> str | None:
    """The split that a file's name shows, if any: ``dev.conll`` and ``eng.testa`` are validation."""
    name = os.path.basename(os.fspath(path))
    plain = name.lower().removesuffix(".gz")
    every = [usual for names in _SPLIT_NAMES.values() for usual in names]
    if name.startswith(".") or not (
        Path(plain).suffix in {*SUFFIXES, *ROW_SUFFIXES} or plain.rpartition(".")[2] in every
    ):
        return None
    words = set(re.split(r"[^a-z]+", plain))
    splits = [split for split, usual in _SPLIT_NAMES.items() if not words.isdisjoint(usual)]
    if len(splits) > 1:
        raise CleancutError(f"{name} may be {' or '.join(splits)}. Give it another name.")
    return splits[0] if splits else None


def split_files(folder: str | os.PathLike[str]) -> dict[str, str]:
    """The train, validation and test files of a folder, by their names: ``dev.conll``, ``eng.testa``."""
    if not os.path.isdir(folder):
        raise CleancutError(f"{folder}: no such directory.")
    there = sorted(name for name in os.listdir(folder) if os.path.isfile(os.path.join(folder, name)))
    found: dict[str, str] = {}
    for name in there:
        split = split_name(name)
        if split is None:
            continue
        if split in found:
            both = f"{found[split]} and {name}"
            raise CleancutError(f"{folder} has two {split} files, {both}. Name the files.")
        found[split] = name
    if len(found) < 2:
        names = ", ".join(there[:8]) or "nothing"
        raise CleancutError(f"{folder} holds {names}: no train and test files. Name the files.")
    return {split: os.path.join(folder, name) for split, name in found.items()}


def by_split(files: Sequence[str]) -> dict[str, str]:
    """Files, or those of a folder, by the original split that their names show, else by their place."""
    if len(files) == 1 and os.path.isdir(files[0]):
        return split_files(files[0])
    found = [split_name(file) for file in files]
    if len(files) > 1 and None not in found and len(set(found)) == len(found):
        return {str(name): file for name, file in zip(found, files, strict=True)}
    return {f"part {i}" if len(files) > 1 else "": file for i, file in enumerate(files)}


# --- batches ------------------------------------------------------------------------------------------


class _Options(NamedTuple):
    """How to read: what is the same for every batch of a file."""

    column: int | None = None
    labels: Any = None
    scheme: str | None = None
    repair: str = "conlleval"
    tokens: str | None = None
    tags: str | None = None
    entities: str | None = None
    word_column: int | None = None


class _Row(NamedTuple):
    """A sample as it stands in a file."""

    line: int
    id: str | None
    doc: str | None
    tokens: list[str]
    annotation: list[Any]
    form: str
    """``tags`` or ``entities``."""
    relations: list[Any] | None = None


def _corpora(path: str | os.PathLike[str], format: str | None, options: _Options, size: int | None) -> Iterator[Corpus]:
    _check_file(path)
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


def _row_corpora(
    path: str | os.PathLike[str], rows: Iterator[_Row], options: _Options, size: int | None, *, line_per_token: bool
) -> Iterator[Corpus]:
    first = 0
    form = None
    while batch := list(rows if size is None else (row for _, row in zip(range(size), rows, strict=False))):
        where = _in_file(path, [row.line for row in batch], first, line_per_token)
        form = form or batch[0].form
        yield _rows_corpus(batch, form, options, where)
        first += len(batch)


def _rows_corpus(batch: Sequence[_Row], form: str, options: _Options, where: Where) -> Corpus:
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


def _in_file(path: str | os.PathLike[str], lines: Sequence[int], first: int, line_per_token: bool) -> Where:
    """Names a sample of a file and the line it starts at (or, in CoNLL, the line of the token)."""
    return partial(_line, os.path.basename(os.fspath(path)), lines, first, line_per_token)


def _line(
    name: str, lines: Sequence[int], first: int, line_per_token: bool, sample: int, token: int | None = None
) -> str:
    line = lines[sample] + (token or 0) * line_per_token
    shown = "" if token is None or line_per_token else f", token {token}"
    return f"sample {first + sample} ({name}, line {line}){shown}"


def _check_file(path: str | os.PathLike[str]) -> None:
    if os.path.isdir(path):
        raise CleancutError(f"{path} is a directory. Name a file in it.")
    if not os.path.exists(path):
        raise CleancutError(f"{path}: no such file.")
    if not os.path.isfile(path):  # it would be read more than once
        raise CleancutError(f"{path} is a pipe or a device. Write it to a file first.")


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked where its name ends in .gz."""
    try:
        opener: Any = gzip.open if os.fspath(path).endswith(".gz") else open
        with opener(path, "rb") as stream:
            yield stream
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise CleancutError(f"{path}: the gzip data is broken ({error}). Pack the file again.") from None
    except OSError as error:
        raise CleancutError(f"{path}: {error.strerror or error}.") from None


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Numbered lines; only line feeds end a line, since tokens may hold Unicode's other separators."""
    with _opened(path) as stream:
        for number, raw in enumerate(stream, 1):
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise CleancutError(
                    f"{path}, line {number}: byte 0x{raw[error.start]:02x} at position {error.start} is not UTF-8. "
                    "Convert the file to UTF-8."
                ) from None
            if number == 1:
                line = line.removeprefix("\ufeff")
            line = line.rstrip("\r\n")
            if "\r" in line:
                raise CleancutError(
                    f"{path}, line {number}: a carriage return inside the line. End lines with a line feed."
                )
            yield number, line


# --- CoNLL ----------------------------------------------------------------------------------------------

_DOCSTART = "-DOCSTART-"


def _conll_corpora(path: str | os.PathLike[str], options: _Options, size: int | None) -> Iterator[Corpus]:
    return _row_corpora(path, _conll_rows(path, options), options, size, line_per_token=True)


def _conll_rows(path: str | os.PathLike[str], options: _Options) -> Iterator[_Row]:
    """Columns apart by tabs or spaces; blank lines between samples; ``-DOCSTART-`` begins a document.

    A line at the start of a sample that begins with ``#`` and has other columns than the tokens is a comment;
    ``# id = X`` names the sample.
    """
    layout = conll_layout(path, options.word_column)
    separator, width, word = layout.separator, layout.width, layout.word
    column = layout.tag if options.column is None else options.column
    tokens: list[str] = []
    tags: list[str] = []
    begun, id_, doc, n_docs = 0, None, None, 0
    plain = without_language if layout.has_language_codes else list
    for number, line in _lines(path):
        if not line or line.isspace():
            if tokens:
                yield _Row(begun, id_, doc, plain(tokens), tags, "tags")
                tokens, tags, id_ = [], [], None
            continue
        if line.startswith(_DOCSTART):
            if tokens:
                yield _Row(begun, id_, doc, plain(tokens), tags, "tags")
                tokens, tags, id_ = [], [], None
            name, bracket, _ = line.partition("(")[2].rpartition(")")
            doc, n_docs = (name or None) if bracket else str(n_docs), n_docs + 1
            continue
        fields = _fields(line, separator)
        if line.startswith("#") and len(fields) != width and not tokens:
            id_ = line.removeprefix("# id = ") if line.startswith("# id = ") else id_
            continue
        if width < 2 or not -width <= column < width or not 0 <= word < width or column % width == word:
            raise CleancutError(
                f"{path}, line {number}: {width} column{'s' * (width != 1)} ({line!r}), but the tag is looked "
                f"for in column {column} beside the token in column {word}. Separate columns by a tab or spaces."
            )
        if len(fields) != width:
            raise CleancutError(
                f"{path}, line {number}: {len(fields)} columns ({line!r}) but {width} on the first line. "
                "Give every token the same columns."
            )
        if not tokens:
            begun = number
        tokens.append(fields[word])
        tags.append(fields[column])
    if tokens:
        yield _Row(begun, id_, doc, plain(tokens), tags, "tags")


class ConllLayout(NamedTuple):
    """Where a CoNLL file has what."""

    separator: str
    """A tab, or a space that stands for one or more."""
    width: int
    word: int
    """The column of the words: the first that is neither a count of words nor the name of a sentence."""
    tag: int
    """The column of the tags: the last that is no mere placeholder."""
    has_language_codes: bool = False
    """Stands the code of a language before every word (``en:Ada``), as in WikiANN's files?"""
    notes: tuple[str, ...] = ()
    """What is to be known of the choice of columns."""


def conll_layout(path: str | os.PathLike[str], word_column: int | None = None) -> ConllLayout:
    """Return where a CoNLL file has what, by its first lines; ``word_column`` is taken for the column of words."""
    lines = [line for _, line in zip(range(1000), (line for _, line in _lines(path)), strict=False)]
    told = [line for line in lines if line.strip() and not line.startswith((_DOCSTART, "#"))]
    others = [line for line in lines if line.strip() and not line.startswith(_DOCSTART)]
    first = (told or others or [""])[0]
    separator = "\t" if "\t" in first else " "
    width = len(_fields(first, separator))
    samples: list[list[list[str]]] = [[]]
    for line in lines:
        fields = _fields(line, separator)
        if not line.strip():
            samples.append([])
        elif len(fields) == width and not line.startswith(_DOCSTART):
            samples[-1].append(fields)
    samples = [sample for sample in samples if sample]
    word = _word_column(samples, width) if word_column is None else word_column
    rows = [fields for sample in samples for fields in sample]
    has_comments = any(line.startswith("#") for line in lines)
    tag, notes = _tag_column(rows, word, width, has_comments)
    if word and word_column is None:
        notes = (f"the words are read from column {word}. Choose another with word_column=.", *notes)
    words = [fields[word] for fields in rows if 0 <= word < width]
    codes = width > 1 and len(words) > 2 and all(language_before([own]) is not None for own in words)
    said = ("the code of a language before every word is taken away.",) if codes else ()
    return ConllLayout(separator, width, word, tag, codes, (*notes, *said))


def _word_column(samples: Sequence[Sequence[Sequence[str]]], width: int) -> int:
    """Return the first column that does not count the words of a sample, nor name it on each of its lines."""
    word = 0
    while word < width - 2 and (_counts(samples, word) or _names_samples(samples, word)):
        word += 1
    return word


def _counts(samples: Sequence[Sequence[Sequence[str]]], column: int) -> bool:
    """Does a column count the words of each sample, from 0 or from 1?"""
    if len(samples) < 2 or max(map(len, samples)) < 3:
        return False  # too little to tell a count from words that are numbers
    own = [[fields[column] for fields in sample] for sample in samples]
    return any(all(found == [str(i + first) for i in range(len(found))] for found in own) for first in (0, 1))


def _names_samples(samples: Sequence[Sequence[Sequence[str]]], column: int) -> bool:
    """Is a column the same on all lines of each sample, and another in each sample?"""
    names = [{fields[column] for fields in sample} for sample in samples]
    if len(samples) < 3 or max(map(len, samples)) < 3 or not all(len(own) == 1 for own in names):
        return False
    every = set().union(*names)
    return len(every) == len(samples) and all(any(letter.isdigit() for letter in name) for name in every)


_PLACEHOLDERS = {"-", "_", "*", ""}


def _tag_column(
    rows: Sequence[Sequence[str]], word: int, width: int, has_comments: bool
) -> tuple[int, tuple[str, ...]]:
    """Return the column of the tags: the last that holds more than placeholders, and what is to be known of it.

    In files such as GermEval's, which have comments and a count before the words, and where the last of two columns of
    tags has mentions inside those of the other alone, the other is read.
    """
    last = width - 1
    while last > word + 1 and all(fields[last] in _PLACEHOLDERS for fields in rows):
        last -= 1
    two_of_tags = word > 0 and last == word + 2 and all(_are_tags(rows, column) for column in (last - 1, last))
    is_inside = all(fields[last] == "O" or fields[last - 1] != "O" for fields in rows)
    if two_of_tags and is_inside and has_comments:
        said = f"columns {last - 1} and {last} both have tags; the first is read. Choose with column= (--column)."
        return last - 1 - width, (said,)
    return last - width, ()


def _are_tags(rows: Sequence[Sequence[str]], column: int) -> bool:
    return all(fields[column] == "O" or re.match(r"[BIESLUM]-.", fields[column]) for fields in rows)


def _fields(line: str, separator: str) -> list[str]:
    return line.split("\t") if separator == "\t" else [field for field in line.split(" ") if field]


def _conll_text(corpus: Corpus, scheme: Scheme | None) -> Iterator[str]:
    """Token, tab, tag; documents and ids as the reader takes them."""
    _refuse_relations(corpus, "a CoNLL file")
    rows = zip(corpus.tokens(), corpus.tags(scheme or Scheme.IOB2), strict=True)
    shown: str | None = None
    for i, (tokens, tags) in enumerate(rows):
        where = corpus.mentions.where
        if not tokens:
            raise CleancutError(f"{where(i)}: a sample without tokens cannot be written as CoNLL. Write JSONL.")
        for t, token in enumerate(tokens):
            broken = token.isspace() or token.startswith((_DOCSTART, "\ufeff"))
            if broken or not _fits_a_line(token) or not _fits_a_line(tags[t]):
                shown = f"{token!r} with tag {tags[t]!r}"
                raise CleancutError(f"{where(i, t)}: the token {shown} cannot stand in a CoNLL file. Write JSONL.")
        for names in (corpus.ids, corpus.docs):
            name = names[i] if names else None
            if name is not None and not _fits_a_line(name):
                raise CleancutError(f"{where(i)}: the name {name!r} cannot stand in a CoNLL file. Write JSONL.")
        if corpus.docs is not None and (i == 0 or corpus.docs[i] != shown):
            shown = corpus.docs[i]
            yield f"{_DOCSTART}\t({shown or ''})\tO\n\n"
        if corpus.ids is not None and corpus.ids[i] is not None:
            yield f"# id = {corpus.ids[i]}\n"
        yield "".join(f"{token}\t{tag}\n" for token, tag in zip(tokens, tags, strict=True)) + "\n"


def _refuse_relations(corpus: Corpus, where: str) -> None:
    if corpus.relations is not None and len(corpus.relations.head):
        raise CleancutError(f"relations between entities cannot stand in {where}. Write JSONL with entities.")


def _fits_a_line(text: str) -> bool:
    return bool(text) and "\t" not in text and "\n" not in text and "\r" not in text


# --- rows as they stand in the files ----------------------------------------------------------------------


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


_Texts = Iterator[tuple[tuple[str, int] | None, str]]


def _copy_texts(
    texts_of: Callable[[str], _Texts], files: Sequence[str], owner: Mapping[int, str], names: Sequence[str],
    folder: str | os.PathLike[str],
) -> list[str]:  # fmt: skip
    """Write each sample to the output that owns it; ``texts_of`` yields the head of its document, and its lines."""
    suffix = "".join(Path(files[0]).suffixes[-2 if files[0].endswith(".gz") else -1 :])
    paths = {name: name_inside(folder, f"{name}{suffix}") for name in names}
    with ExitStack() as stack:
        streams = {
            name: stack.enter_context(_packed(stack.enter_context(replacing(path)), path))
            for name, path in paths.items()
        }
        begun: dict[str, Any] = {}
        samples = ((file, *sample) for file, path in enumerate(files) for sample in texts_of(path))
        for row, (file, head, text) in enumerate(samples):
            name = owner.get(row)
            if name is None:
                continue
            if head is not None and (file, head) != begun.get(name):  # the document that the sample belongs to
                streams[name].write(f"{head[0]}\n\n".encode())
            begun[name] = (file, head)
            streams[name].write(text.encode())
    return list(paths.values())


def _jsonl_texts(path: str) -> _Texts:
    for _, line in _lines(path):
        if line and not line.isspace():
            yield None, line + "\n"


def _conll_texts(path: str) -> _Texts:
    """The line that begins the document of each sample, and the lines of the sample with its comments."""
    separator, width, *_ = conll_layout(path)
    head, lines, has_tokens, n_docs = None, list[str](), False, 0
    for _, line in chain(_lines(path), [(0, "")]):
        blank = not line or line.isspace()
        if blank or line.startswith(_DOCSTART):
            if has_tokens:
                yield head, "\n".join(lines) + "\n\n"
                lines, has_tokens = [], False
            if not blank:
                head, n_docs = (line, n_docs), n_docs + 1  # lines may be equal: their number tells documents apart
            continue
        has_tokens |= not (line.startswith("#") and len(_fields(line, separator)) != width)
        lines.append(line)


def _copy_parquet(
    files: Sequence[str], owner: Mapping[int, str], names: Sequence[str], folder: str | os.PathLike[str]
) -> list[str]:
    import pyarrow as pa
    import pyarrow.parquet

    tables = [pa.parquet.read_table(file) for file in files]
    if any(table.schema != tables[0].schema for table in tables):
        raise CleancutError("the format cannot be kept: the files have different columns. Choose one format.")
    whole = pa.concat_tables(tables)
    paths = []
    for name in names:
        rows = [row for row, of in owner.items() if of == name]
        paths.append(name_inside(folder, f"{name}.parquet"))
        with replacing(paths[-1]) as stream:
            pa.parquet.write_table(whole.take(pa.array(sorted(rows), pa.int64())), stream)
    return paths


# --- JSONL ----------------------------------------------------------------------------------------------


def json_records(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file, each with the number of its line."""
    for number, line in _lines(path):
        if line and not line.isspace():
            yield number, _record(line, f"{path}, line {number}")


def _first_json_records(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    return [record for _, (_, record) in zip(range(_FEW), json_records(path), strict=False)]


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CleancutError(f"{where}: invalid JSON ({error}). Each line holds one whole object.") from None
    if not isinstance(record, dict):
        raise CleancutError(f"{where}: expected an object, got {type(record).__name__}.")
    return record


def _jsonl_corpora(path: str | os.PathLike[str], options: _Options, size: int | None) -> Iterator[Corpus]:
    return _row_corpora(path, _jsonl_rows(path, options), options, size, line_per_token=False)


def _jsonl_rows(path: str | os.PathLike[str], options: _Options) -> Iterator[_Row]:
    for number, record in json_records(path):
        yield _json_row(record, options, number, f"{path}, line {number}")


def _json_row(record: Mapping[str, Any], options: _Options, number: int, where: str) -> _Row:
    columns = _columns(record, options, where)
    tokens, annotation = record[columns.tokens], record[columns.annotation]
    for name, value in ((columns.tokens, tokens), (columns.annotation, annotation)):
        if not isinstance(value, list):
            raise CleancutError(f"{where}: {name} must be a list, got {value!r:.60}.")
    id_, doc, relations = record.get("id"), record.get("doc"), record.get("relations")
    if relations is not None and not isinstance(relations, list):
        raise CleancutError(f"{where}: relations must be a list, got {relations!r:.60}.")
    return _Row(
        number, None if id_ is None else str(id_), None if doc is None else str(doc), tokens, annotation,
        columns.form, relations,
    )  # fmt: skip


class _Columns(NamedTuple):
    tokens: str
    annotation: str
    form: str


_TOKENS, _TAGS, _ENTITIES = ("tokens", "words"), ("tags", "ner_tags", "labels"), ("entities",)


def _columns(names: Iterable[str], options: _Options, where: str) -> _Columns:
    """Which columns hold the tokens and the annotation."""
    present = list(names)

    def find(given: str | None, usual: tuple[str, ...]) -> str | None:
        if given is not None:
            return given if given in present else None
        return next((name for name in usual if name in present), None)

    tokens = find(options.tokens, _TOKENS)
    entities = find(options.entities, _ENTITIES) if options.tags is None else None
    tags = find(options.tags, _TAGS) if entities is None and options.entities is None else None
    annotation = entities or tags
    if tokens is None or annotation is None:
        wanted = (options.tokens or "tokens") if tokens is None else options.tags or options.entities or "entities"
        raise CleancutError(
            f"{where}: no {wanted} among {', '.join(map(repr, present)) or 'no columns'}. "
            "Name the columns: tokens=, tags= or entities=."
        )
    return _Columns(tokens, annotation, "entities" if entities else "tags")


_FEW = 100
"""Records that show which columns a file has."""


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
        columns = _columns(rows[0], _Options(tokens=tokens, tags=tags, entities=entities), os.fspath(path))
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
        _columns(first_records(path)[0], _Options(), os.fspath(path))
    except (CleancutError, IndexError):
        return False
    return True


# --- parquet ----------------------------------------------------------------------------


def _parquet_corpora(path: str | os.PathLike[str], options: _Options, size: int | None) -> Iterator[Corpus]:
    import pyarrow as pa

    try:
        file = _parquet_file(path)
        names = _label_names_in(file.schema_arrow)
        first = 0
        for batch in file.iter_batches(batch_size=size or max(file.metadata.num_rows, 1)):
            rows = range(first, first + batch.num_rows)
            yield _arrow_corpus(pa.Table.from_batches([batch]), names, options, in_rows(path, rows))
            first += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        raise CleancutError(f"{path}: not a readable parquet file ({error}).") from None


def _parquet_file(path: str | os.PathLike[str]) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _opened(path) as stream:
        packed = os.fspath(path).endswith(".gz")
        return pq.ParquetFile(pa.BufferReader(stream.read()) if packed else path)


def _first_parquet_records(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    table = next(_parquet_file(path).iter_batches(batch_size=_FEW), None)
    return table.to_pylist() if table is not None else []


def in_rows(path: str | os.PathLike[str], rows: Sequence[int]) -> Where:
    """Names the row that a sample came from."""
    return partial(_row, os.path.basename(os.fspath(path)), rows)


def _row(name: str, rows: Sequence[int], sample: int, token: int | None = None) -> str:
    return f"row {rows[sample]} ({name})" + ("" if token is None else f", token {token}")


def _label_names_in(schema: Any) -> dict[str, list[str]]:
    """The ClassLabel names that ``datasets`` keeps in a schema, by column."""
    try:
        stored = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"]
    except (KeyError, ValueError):
        return {}
    inner = {name: f.get("feature", f) if isinstance(f, dict) else f for name, f in stored.items()}
    return {name: f["names"] for name, f in inner.items() if isinstance(f, dict) and f.get("_type") == "ClassLabel"}


def _arrow_corpus(table: Any, names: Mapping[str, Any], options: _Options, where: Where) -> Corpus:
    columns = _columns(table.column_names, options, where(0) if table.num_rows else "the dataset")
    annotation = table.column(columns.annotation)
    ids = table.column("id").to_pylist() if "id" in table.column_names else None
    docs = table.column("doc").to_pylist() if "doc" in table.column_names else None
    labels = options.labels if options.labels is not None else names.get(columns.annotation)
    return Corpus.of(
        table.column(columns.tokens), **{columns.form: annotation}, ids=ids, docs=docs, labels=labels,
        scheme=options.scheme, repair=options.repair, where=where,
        relations=relations_in(table) if columns.form == "entities" else None,
    )  # fmt: skip


def relations_in(table: Any) -> list[Any] | None:
    """The relations of an Arrow table, where its column of that name has the fields of ours; others are let be."""
    if "relations" not in table.column_names:
        return None
    inner = getattr(table.schema.field("relations").type, "value_type", None)
    names = {inner.field(i).name for i in range(inner.num_fields)} if inner is not None else set()
    return table.column("relations").to_pylist() if {"head", "tail", "label"} <= names else None


# --- batches that others have read ------------------------------------------------------------------------


def corpus_of_lines(lines: Iterable[str], name: str, **options: Any) -> Corpus | None:
    """Lines of JSONL as a corpus; None where all are blank. Errors quote the line, since its number is not known."""
    kept = [line.removeprefix("\ufeff") for line in lines if line and not line.isspace()]
    given, where = _Options(**options), partial(_quoted, name, kept.__getitem__)
    rows = [_json_row(_record(line, where(i)), given, 0, where(i)) for i, line in enumerate(kept)]
    return _rows_corpus(rows, rows[0].form, given, where) if rows else None


def corpus_of_table(table: Any, name: str, **options: Any) -> Corpus:
    """Rows of an Arrow table as a corpus; errors quote the row."""
    return _arrow_corpus(table, {}, _Options(**options), partial(_quoted, name, partial(_table_row, table)))


def columns_to_read(names: Iterable[str], where: str, **options: Any) -> list[str]:
    """Which columns of a table a corpus is made of."""
    present = list(names)
    columns = _columns(present, _Options(**options), where)
    return [columns.tokens, columns.annotation, *(name for name in ("id", "doc") if name in present)]


def stored_labels(path: str, column: str) -> list[str] | None:
    """The names of label ids that ``datasets`` has left in a Parquet file here, which others do not hand on."""
    import pyarrow.parquet as pq

    return _label_names_in(pq.read_schema(path)).get(column) if os.path.isfile(path) else None


def _table_row(table: Any, row: int) -> str:
    return str(table.slice(row, 1).to_pylist()[0])


def _quoted(name: str, text_of: Callable[[int], str], sample: int, token: int | None = None) -> str:
    return f"{name}, {text_of(sample):.80}" + ("" if token is None else f", token {token}")


# --- writing --------------------------------------------------------------------------------------------------


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
    with replacing(path) as plain, _packed(plain, path) as stream:
        for text in texts:
            try:
                stream.write(text.encode("utf-8"))
            except UnicodeEncodeError as error:
                shown = text[max(error.start - 10, 0) : error.end + 10]
                raise CleancutError(f"{path}: {shown!r} holds half a character, which UTF-8 cannot write.") from None


def _packed(stream: IO[bytes], path: str | os.PathLike[str]) -> AbstractContextManager[Any]:
    """The stream itself, or one that packs what it is given where the name ends in .gz."""
    if not os.fspath(path).endswith(".gz"):
        return nullcontext(stream)
    return gzip.GzipFile(fileobj=stream, mode="wb", filename="", mtime=0)  # the same bytes on every run


def _jsonl_text(corpus: Corpus, scheme: Scheme | None) -> Iterator[str]:
    if scheme:
        _refuse_relations(corpus, "a file of tags")
    tags = corpus.tags(scheme) if scheme else None
    for i, sample in enumerate(samples_of(corpus)):
        if tags is not None:
            sample = {name: value for name, value in sample.items() if name not in ("entities", "relations")}
            sample["tags"] = tags[i]
        yield json.dumps(sample, ensure_ascii=False) + "\n"


# --- what is known of each format -------------------------------------------------------------------------


class _FormatRecord(NamedTuple):
    """Everything that differs between file formats."""

    expected: str
    """What a file of samples holds, as an error says it."""
    corpora: Callable[[str | os.PathLike[str], _Options, int | None], Iterator[Corpus]]
    copy: Callable[[Sequence[str], Mapping[int, str], Sequence[str], str | os.PathLike[str]], list[str]]
    first_records: Callable[[str | os.PathLike[str]], list[dict[str, Any]]] | None
    """None where columns have no names."""
    text: Callable[[Corpus, Scheme | None], Iterator[str]] | None
    """None where the format is read but not written."""


_RECORDS = {
    Format.CONLL: _FormatRecord(
        expected="lines of a token and its tag, with a blank line after each sample",
        corpora=_conll_corpora,
        copy=partial(_copy_texts, _conll_texts),
        first_records=None,
        text=_conll_text,
    ),
    Format.JSONL: _FormatRecord(
        expected='a line such as {"tokens": ["Ada"], "entities": [{"start": 0, "end": 1, "label": "PER"}]}',
        corpora=_jsonl_corpora,
        copy=partial(_copy_texts, _jsonl_texts),
        first_records=_first_json_records,
        text=_jsonl_text,
    ),
    Format.PARQUET: _FormatRecord(
        expected="rows with tokens and tags or entities",
        corpora=_parquet_corpora,
        copy=_copy_parquet,
        first_records=_first_parquet_records,
        text=None,
    ),
}
