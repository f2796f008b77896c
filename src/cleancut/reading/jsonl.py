"""JSONL: an object a line, with tokens and their tags or entities."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from ..core.corpus import Corpus, samples_of
from ..core.exceptions import CleancutError
from ..core.tags import Scheme
from .batches import FEW, FileRow, Options, quoted, row_corpora, rows_corpus
from .column_names import plain_columns
from .conll import CONLL_SUFFIXES
from .opening import Readable, Source
from .writing import Texts, refuse_relations

JSONL_SUFFIXES = (".jsonl", ".ndjson", ".json")


def is_jsonl(source: Source) -> bool:
    """Does the name say that each line is an object, or the first line where the name says nothing?"""
    if source.suffix in JSONL_SUFFIXES or source.suffix in CONLL_SUFFIXES:
        return source.suffix in JSONL_SUFFIXES
    return source.head.startswith(('{"', "{ ")) and '":' in source.head


def json_records(given: Readable) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file, each with the number of its line."""
    source = Source.of(given)
    for number, line in source.lines():
        if line and not line.isspace():
            yield number, _record(line, f"{source}, line {number}")


def first_json_records(source: Source) -> list[dict[str, Any]]:
    return [record for _, (_, record) in zip(range(FEW), json_records(source), strict=False)]


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CleancutError(f"{where}: invalid JSON ({error}). Each line holds one whole object.") from None
    if not isinstance(record, dict):
        raise CleancutError(f"{where}: expected an object, got {type(record).__name__}.")
    return record


def jsonl_corpora(source: Source, options: Options, size: int | None) -> Iterator[Corpus]:
    return row_corpora(source, _jsonl_rows(source, options), options, size, line_per_token=False)


def _jsonl_rows(source: Source, options: Options) -> Iterator[FileRow]:
    for number, record in json_records(source):
        yield _json_row(record, options, number, f"{source}, line {number}")


def _json_row(record: Mapping[str, Any], options: Options, number: int, where: str) -> FileRow:
    columns = plain_columns(record, options, where)
    tokens, annotation = record[columns.tokens], record[columns.annotation]
    for name, value in ((columns.tokens, tokens), (columns.annotation, annotation)):
        if not isinstance(value, list):
            raise CleancutError(f"{where}: {name} must be a list, got {value!r:.60}.")
    id_, doc, relations = record.get("id"), record.get("doc"), record.get("relations")
    if relations is not None and not isinstance(relations, list):
        raise CleancutError(f"{where}: relations must be a list, got {relations!r:.60}.")
    return FileRow(
        number, None if id_ is None else str(id_), None if doc is None else str(doc), tokens, annotation,
        columns.form, relations,
    )  # fmt: skip


def corpus_of_lines(lines: Iterable[str], name: str, **options: Any) -> Corpus | None:
    """Lines of JSONL as a corpus; None where all are blank. Errors quote the line, since its number is not known."""
    kept = [line.removeprefix("\ufeff") for line in lines if line and not line.isspace()]
    given, where = Options(**options), partial(quoted, name, kept.__getitem__)
    rows = [_json_row(_record(line, where(i)), given, 0, where(i)) for i, line in enumerate(kept)]
    return rows_corpus(rows, rows[0].form, given, where) if rows else None


def jsonl_text(corpus: Corpus, scheme: Scheme | None) -> Iterator[str]:
    if scheme:
        refuse_relations(corpus, "a file of tags")
    tags = corpus.tags(scheme) if scheme else None
    for i, sample in enumerate(samples_of(corpus)):
        if tags is not None:
            sample = {name: value for name, value in sample.items() if name not in ("entities", "relations")}
            sample["tags"] = tags[i]
        yield json.dumps(sample, ensure_ascii=False) + "\n"


def jsonl_texts(source: Source) -> Texts:
    for _, line in source.lines():
        if line and not line.isspace():
            yield None, line + "\n"
