"""JSONL: an object a line, with tokens and their tags or entities."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any

from ..core.coded import Coded
from ..core.corpus import Corpus, samples_of
from ..core.exceptions import CleancutError, quoted, reason
from ..core.inputs import Raw, RawSpans, arrow_words, in_sample, recognise
from .batches import FEW, ListedRows, Options, Rows, row_corpora, rows_corpus, with_row
from .column_names import PlainColumns, plain_columns, preferred_names
from .conll import CONLL_SUFFIXES
from .id_fields import ids_of_row
from .opening import Block, Readable, Source
from .writing import Texts, Writing, refuse_relations, telling_lost_ids

JSONL_SUFFIXES = (".jsonl", ".ndjson", ".json")
"""The usual endings of names."""


def is_jsonl(source: Source) -> bool:
    """Return whether each line of a source is an object, by its name or, where that shows nothing, by its first line.

    Args:
        source: the source.
    """
    if source.suffix in JSONL_SUFFIXES or source.suffix in CONLL_SUFFIXES:
        return source.suffix in JSONL_SUFFIXES
    return source.head.startswith(('{"', "{ ")) and '":' in source.head


def json_records(readable: Readable) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSONL file, each with the number of its line.

    Args:
        readable: the file.

    Raises:
        CleancutError: a line is not an object; the message names it.
    """
    source = Source.of(readable)
    for number, line in source.lines():
        if line and not line.isspace():
            yield number, _record(line, f"{source}, line {number}")


def first_json_records(source: Source) -> list[dict[str, Any]]:
    """Return the first objects of a JSONL file, which show its columns.

    Args:
        source: the file.

    Raises:
        CleancutError: a line is not an object; the message names it.
    """
    return [record for _, record in islice(json_records(source), FEW)]


def _record(line: str, where: str) -> dict[str, Any]:
    """Return the object that a line holds; raise an error where it holds something else."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CleancutError(
            f"{where}: invalid JSON ({reason(error)}). Each line must hold one whole object; name a file of "
            "columns .conll."
        ) from None
    if not isinstance(record, dict):
        raise CleancutError(f"{where}: expected an object, got {type(record).__name__}.")
    return record


def jsonl_corpora(source: Source, options: Options, size: int | None) -> Iterator[Corpus]:
    """Yield the samples of JSONL with the usual columns.

    Args:
        source: the file.
        options: how it is read.
        size: the number of samples of each corpus but the last; None for one corpus of all samples.

    Raises:
        CleancutError: a line is not a sample; the message names it.
    """
    return row_corpora(source, _jsonl_blocks(source, options), options, size, line_per_token=False)


def _jsonl_blocks(source: Source, options: Options) -> Iterator[Rows | ListedRows]:
    """Yield samples block by block: all lines at once where they are as usual, else line by line."""
    for block in source.blocks():
        rows = _rows_at_once(source, block, options)
        if rows is None:
            yield from _rows_by_line(source, block, options)
        else:
            yield rows


def _rows_at_once(source: Source, block: Block, options: Options) -> Rows | None:
    """Return the samples of a block whose records are like its first one; None where one is not."""
    if options.ids is not None:
        return None
    import pyarrow as pa
    from pyarrow import json as arrow_json

    data = block.data.replace(b"\r\n", b"\n") if b"\r" in block.data else block.data
    if b"\r" in data:
        return None
    try:
        data.decode("utf-8")  # which Arrow does not check
        first = _record(data.partition(b"\n")[0].decode("utf-8"), source.name)
        columns = plain_columns(first, options, source.name)
        if _has_keys(data, ["relations", *preferred_names(columns, options)]):
            return None  # Arrow would leave them out
        schema = _schema_of(first, columns)
        table = arrow_json.read_json(
            pa.BufferReader(data),
            read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(data)),
            parse_options=arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )
        raw = recognise(table.column(columns.annotation), options.labels, in_sample())
        words = arrow_words(table.column(columns.tokens), in_sample())
        if b"\\ud" in data or b"\\uD" in data:  # half a character, maybe, which only Python's strings can have
            words = words.spelt()
        coded = Coded(words, raw)
    except (UnicodeDecodeError, OverflowError, pa.ArrowException, CleancutError):
        return None
    n_lines = block.n_line_feeds + (not data.endswith(b"\n"))
    if table.num_rows != n_lines:
        return None
    ids = table.column("id").to_pylist()
    documents = table.column("doc").to_pylist()
    lines = range(block.line, block.line + n_lines)
    kind = _kind_of(raw, table.column(columns.annotation).type.value_type)
    return Rows(columns.form, kind, coded, lines, ids, documents, [None] * n_lines)


def _has_keys(data: bytes, names: Iterable[str]) -> bool:
    """Return whether a record has one of some keys."""
    keys = [f'"{name}"'.encode() for name in names]
    # a word of a sample may be the same, but no colon follows it
    return any(key in data and re.search(re.escape(key) + rb"\s*:", data) is not None for key in keys)


def _schema_of(record: Mapping[str, Any], columns: PlainColumns) -> Any:
    """Return the types that Arrow is to expect of records that are like a first one."""
    import pyarrow as pa

    def kind_of(value: Any) -> Any:
        return pa.int64() if type(value) is int else pa.string()

    annotation = record[columns.annotation]
    first = annotation[0] if isinstance(annotation, list) and annotation else None
    spans = pa.struct({"start": pa.int64(), "end": pa.int64(), "label": pa.string()})
    values = spans if columns.form == "entities" else kind_of(first)
    beside = {name: kind_of(record.get(name)) for name in ("id", "doc")}
    return pa.schema({**beside, columns.tokens: pa.list_(pa.string()), columns.annotation: pa.list_(values)})


def _kind_of(raw: Raw, values: Any) -> str:
    """Return what an annotation holds, as ``Rows`` says it; ``values`` is the Arrow type of its values."""
    if isinstance(raw, RawSpans):
        return "spans" if len(raw.sample) else ""
    if not len(raw.codes):
        return ""
    return "tags" if str(values) == "string" else "label ids"


def _rows_by_line(source: Source, block: Block, options: Options) -> list[ListedRows]:
    """Return the samples of a block, apart where their form changes; errors name the line and what is wrong."""
    blocks: list[ListedRows] = []
    for number, line in source.lines_of(block):
        if not line or line.isspace():
            continue
        where = f"{source}, line {number}"
        form, row = _row(_record(line, where), options, number, where)
        if not blocks or blocks[-1].form != form:
            blocks.append(ListedRows(form))
        blocks[-1].append(*row)
    return blocks


def _row(record: Mapping[str, Any], options: Options, number: int, where: str) -> tuple[str, tuple[Any, ...]]:
    """Return the form of the annotation of a record, and its columns in the order of ``ListedRows.append``."""
    columns = plain_columns(record, options, where)
    tokens = record[columns.tokens]
    annotation = record[columns.annotation]
    for name, value in ((columns.tokens, tokens), (columns.annotation, annotation)):
        if not isinstance(value, list):
            raise CleancutError(f"{where}: {name} must be a list, got {quoted(value)}.")
    relations = record.get("relations")
    if relations is not None and not isinstance(relations, list):
        raise CleancutError(f"{where}: relations must be a list, got {quoted(relations)}.")
    entity_ids = None if options.ids is None else ids_of_row(record, annotation, options.ids)
    return columns.form, (number, tokens, annotation, record.get("id"), record.get("doc"), relations, entity_ids)


def corpus_of_lines(lines: Iterable[str], name: str, **options: Any) -> Corpus | None:
    """Return lines of JSONL as a corpus; None where all are blank.

    Args:
        lines: the lines.
        name: the name of the source, for messages. They quote the line, whose number is not known.
        **options: the fields of ``Options``.

    Raises:
        CleancutError: a line is not a sample, or the samples are not of one form.
    """
    kept = [line.removeprefix("\ufeff") for line in lines if line.strip()]
    reading = Options(**options)
    where = partial(with_row, name, kept.__getitem__)
    rows: ListedRows | None = None
    for i, line in enumerate(kept):
        form, row = _row(_record(line, where(i)), reading, 0, where(i))
        rows = rows or ListedRows(form)
        if form != rows.form:
            raise CleancutError(f"{where(i)}: {form} here but {rows.form} before. Give all samples in one form.")
        rows.append(*row)
    return None if rows is None else rows_corpus(rows, reading, where)


def jsonl_text(corpora: Iterable[Corpus], how: Writing) -> Iterator[str]:
    """Yield a line for each sample, with its entities, or with its tags where a scheme is given.

    Args:
        corpora: the samples, in parts.
        how: how they are written.

    Raises:
        CleancutError: tags are to be written, and there are relations between entities.
    """
    told = telling_lost_ids(corpora, "a file of tags") if how.scheme else corpora
    for corpus in told:
        if how.scheme:
            refuse_relations(corpus, "a file of tags")
        tags = corpus.tags(how.scheme) if how.scheme else None
        for i, sample in enumerate(samples_of(corpus)):
            record = sample
            if tags is not None:
                record = {name: value for name, value in sample.items() if name not in ("entities", "relations")}
                record["tags"] = tags[i]
            yield json.dumps(record, ensure_ascii=False) + "\n"


def jsonl_texts(source: Source) -> Texts:
    """Yield the lines of a file, each the text of a sample; there are no documents before them.

    Args:
        source: the file.
    """
    for _, line in source.lines():
        if line and not line.isspace():
            yield None, line + "\n"
