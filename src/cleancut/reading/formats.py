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
from ..core.pairing import by_id
from ..core.tags import Repair, Scheme, Tagging, Where, parse_scheme

BATCH = 20_000
"""Samples that are held at a time while a file is streamed."""


class Format(StrEnum):
    """How a file holds its samples."""

    CONLL = "conll"
    JSONL = "jsonl"
    PARQUET = "parquet"


SUFFIXES = {
    ".jsonl": Format.JSONL, ".ndjson": Format.JSONL, ".json": Format.JSONL, ".parquet": Format.PARQUET,
    ".conll": Format.CONLL, ".txt": Format.CONLL, ".tsv": Format.CONLL, ".bio": Format.CONLL, ".iob": Format.CONLL,
    ".iob2": Format.CONLL, ".bioes": Format.CONLL,
}  # fmt: skip
TABLES = (".csv",)
"""Endings of files that hold a table, whose columns have to be found first."""


def format_of(path: str | os.PathLike[str], format: str | None = None) -> Format:
    """The format that was given, else the one the name shows, else the one the content shows."""
    if format is not None:
        return parse_choice(Format, format, "format")
    plain = Path(path).with_suffix("") if Path(path).suffix == ".gz" else Path(path)
    if plain.suffix.lower() in SUFFIXES:
        return SUFFIXES[plain.suffix.lower()]
    with _opened(path) as stream:
        head = stream.read(1 << 16).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"PAR1"):
        return Format.PARQUET
    return Format.JSONL if head.startswith((b'{"', b"{ ")) and b'":' in head else Format.CONLL


def written_as(path: str | os.PathLike[str]) -> Format:
    """Return the format to write samples of a file in: its own, or JSONL where that is only read."""
    kind = format_of(path)
    return Format.JSONL if _RECORDS[kind].text is None else kind


def read(
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
) -> Corpus:
    """A whole file as a corpus.

    ``column`` is the CoNLL column of the tags (default: the last); ``tokens``, ``tags`` and ``entities`` name the
    fields of JSONL and parquet where they are not called so.
    """
    options = _Options(column, labels, scheme, repair, tokens, tags, entities)
    return next(_corpora(path, format, options, None))


def read_batches(
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
) -> Iterator[Corpus]:
    """The same in corpora of ``size`` samples, in constant memory. Scores of the batches add up:

    ``sum(exact_f1(g, p) for g, p in zip(read_batches("gold.conll"), read_batches("pred.conll"), strict=True))``
    """
    if size < 1:
        raise CleancutError(f"size={size} is out of range. Give at least one sample a batch.")
    options = _Options(column, labels, scheme, repair, tokens, tags, entities)
    if scheme is None and repair != Repair.CONLLEVAL:
        # what is discarded must not depend on what a batch shows
        shown = _tagging(_corpora(path, format, options._replace(repair=Repair.CONLLEVAL), size))
        options = options._replace(scheme=shown.scheme() if shown else None)
    return _corpora(path, format, options, size)


def _tagging(corpora: Iterable[Corpus]) -> Tagging | None:
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
    if name.startswith(".") or not (Path(plain).suffix in {*SUFFIXES, *TABLES} or plain.rpartition(".")[2] in every):
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


def read_pair(path: str | os.PathLike[str], **options: Any) -> tuple[Corpus, Corpus]:
    """Gold and predictions from conlleval's single file, whose last two columns they are."""
    return read(path, column=-2, **options), read(path, column=-1, **options)


def paired_batches(
    gold: str | os.PathLike[str],
    pred: str | os.PathLike[str],
    size: int = BATCH,
    *,
    gold_column: int | None = None,
    pred_column: int | None = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    answers: str | None = None,
    ignore_types: bool | Iterable[str] = False,
    types: Mapping[str, str] | None = None,
) -> Iterator[tuple[Corpus, Corpus]]:
    """Gold and predictions of two files, batch by batch; an error where one has more samples.

    Predictions may be answers of a language model (``answers``: the form that they are in; found by default), whose
    mentions are placed in the gold text by the types of the whole gold file (``types``: names that stand for them).

    Samples in another order are joined by their ids: then what is left of the files is read as a whole.
    Which mentions ``repair="discard"`` or ``"error"`` meets must not depend on the batch, so that a scheme
    that was not given is first inferred from the whole files.
    """
    from .answer_files import is_answer_file  # which reads JSONL by this module

    _check_file(pred)
    given: dict[str, Any] = {"labels": labels, "scheme": scheme, "repair": repair}
    if answers is not None or is_answer_file(pred):
        reading = {**given, "column": gold_column}
        yield from _answered_batches(gold, pred, size, reading, answers, types, ignore_types)
        return
    if ignore_types:
        raise CleancutError(f"ignore_types has no effect: {pred} holds no answers of a language model. Leave it out.")
    ours, theirs = {**given, "column": gold_column}, {**given, "column": pred_column}
    if scheme is None and repair != Repair.CONLLEVAL:
        lenient = {"repair": Repair.CONLLEVAL}
        of_gold = _tagging(read_batches(gold, size, **ours | lenient))
        of_pred = _tagging(read_batches(pred, size, **theirs | lenient))
        ours["scheme"] = of_gold.scheme() if of_gold else None
        theirs["scheme"] = of_pred.scheme_beside(of_gold) if of_pred else None
    left, right = read_batches(gold, size, **ours), read_batches(pred, size, **theirs)
    n_before, can_join = 0, True
    while True:
        a, b = next(left, None), next(right, None)
        if a is None and b is None:
            return
        if can_join and a is not None and b is not None and a.ids and b.ids and a.ids != b.ids:
            whole = read(gold, **ours)
            joined = by_id(whole, read(pred, **theirs))
            can_join = joined.ids == whole.ids  # else ids do not tell samples apart
            if can_join:
                yield whole.select(slice(n_before, None)), joined.select(slice(n_before, None))
                return
        if a is None or b is None or len(a) != len(b):
            n_gold, n_pred = (
                sum(map(len, read_batches(f, size, **options))) for f, options in ((gold, ours), (pred, theirs))
            )
            raise CleancutError(
                f"{gold} has {n_gold} samples but {pred} has {n_pred}. Give one prediction for each gold sample."
            )
        n_before += len(a)
        yield a, b


def _answered_batches(
    gold: str | os.PathLike[str],
    pred: str | os.PathLike[str],
    size: int,
    reading: Mapping[str, Any],
    answers: str | None,
    types: Mapping[str, str] | None,
    ignore_types: bool | Iterable[str],
) -> Iterator[tuple[Corpus, Corpus]]:
    """Gold samples and the answers to them, read by the types that the whole gold file has."""
    from .answer_files import AnswerBook, answer_reading, answer_rows

    known: set[str] = set()
    n_samples = 0
    for batch in read_batches(gold, size, **reading):
        known.update(batch.mentions.labels)
        n_samples += len(batch)
    book = AnswerBook(answer_rows(pred), answer_reading(sorted(known), answers, types, ignore_types))
    for batch in read_batches(gold, size, **reading):
        n_samples -= len(batch)
        yield batch, book.answers_to(batch, last=n_samples == 0)


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
    if options.column is not None and kind is not Format.CONLL:
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
    column = -1 if options.column is None else options.column
    tokens: list[str] = []
    tags: list[str] = []
    begun, id_, doc, n_docs = 0, None, None, 0
    separator, width = _layout(path)
    plain = without_language if has_language_codes(path) else list
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
        if width < 2 or not -width <= column < width or (column % width == 0):
            raise CleancutError(
                f"{path}, line {number}: {width} column{'s' * (width != 1)} ({line!r}), but the tag is looked "
                f"for in column {column} beside the token in column 0. Separate columns by a tab or spaces."
            )
        if len(fields) != width:
            raise CleancutError(
                f"{path}, line {number}: {len(fields)} columns ({line!r}) but {width} on the first line. "
                "Give every token the same columns."
            )
        if not tokens:
            begun = number
        tokens.append(fields[0])
        tags.append(fields[column])
    if tokens:
        yield _Row(begun, id_, doc, plain(tokens), tags, "tags")


def has_language_codes(path: str | os.PathLike[str]) -> bool:
    """Has a CoNLL file the code of a language before every word (``en:Ada``), as those of WikiANN do?"""
    separator, width = _layout(path)
    rows = (_fields(line, separator) for line in _first_lines(path))
    words = [row[0] for row in rows if len(row) == width > 1]
    return len(words) > 2 and all(language_before([word]) is not None for word in words)


def _first_lines(path: str | os.PathLike[str]) -> list[str]:
    """The first lines of a CoNLL file that are not blank and begin no document."""
    lines = [line for _, line in zip(range(1000), (line for _, line in _lines(path)), strict=False)]
    return [line for line in lines if line.strip() and not line.startswith(_DOCSTART)]


def _layout(path: str | os.PathLike[str]) -> tuple[str, int]:
    """What separates the columns, a tab or a space, and their number, by the first line that is no comment."""
    lines = _first_lines(path)
    first = next((line for line in lines if not line.startswith("#")), lines[0] if lines else "")
    separator = "\t" if "\t" in first else " "
    return separator, len(_fields(first, separator))


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
    return bool(text) and not any(c in text for c in "\t\n\r")


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
    separator, width = _layout(path)
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
        first_records = _RECORDS[format_of(path)].first_records
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
    if not all(isinstance(words, list) and isinstance(found, list) for words, found in samples):
        return False
    spans = [span for _, found in samples for span in found if isinstance(span, dict)]
    # spans may count the characters of a text that stands beside them
    beside = any(isinstance(row.get(name), str) for row in rows for name in ("text", "sentence", "content"))
    if spans and beside and not any(row.get("relations") for row in rows):
        return False
    return all({"start", "end", "label"} <= set(span) for span in spans)


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
    kind = format_of(path, format)
    text_of = _RECORDS[kind].text
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
