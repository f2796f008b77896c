"""Parquet, and tables of Arrow, with columns of tokens and of their tags or entities."""

from __future__ import annotations

import io
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Any

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, quoted, reason
from ..core.files import name_inside, replacing
from ..core.limits import max_unpacked, refuse_larger
from ..core.tags import Where
from .batches import FEW, Options, in_rows, with_row
from .column_names import plain_columns
from .conll import CONLL_SUFFIXES
from .jsonl import JSONL_SUFFIXES
from .opening import Source
from .parquet_pages import bytes_taken
from .writing import Writing, refuse_relations


def is_parquet(source: Source) -> bool:
    """Does the name say so, or the content where the name says nothing else?"""
    if source.suffix in (".parquet", *CONLL_SUFFIXES, *JSONL_SUFFIXES):
        return source.suffix == ".parquet"
    return source.head.startswith("PAR1")


def parquet_corpora(source: Source, options: Options, size: int | None) -> Iterator[Corpus]:
    import pyarrow as pa

    with readable_parquet(source):
        file = parquet_file(source)
        names = _label_names_in(file.schema_arrow)
        first = 0
        for batch in file.iter_batches(batch_size=size or max(file.metadata.num_rows, 1)):
            rows = range(first, first + batch.num_rows)
            yield _arrow_corpus(pa.Table.from_batches([batch]), names, options, in_rows(source.base, rows))
            first += batch.num_rows


@contextmanager
def readable_parquet(name: object) -> Iterator[None]:
    """Have what Arrow says of a broken file name it."""
    import pyarrow as pa

    try:
        yield
    except CleancutError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:  # the last two where values are decoded
        raise CleancutError(f"{name}: not a readable parquet file ({reason(error)}).") from None


def parquet_file(source: Source) -> Any:
    """Return a file whose columns have names of their own, and that takes no more memory than it may."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with readable_parquet(source):
        data = source.read() if source.is_packed or source.path is None else None
        file = pq.ParquetFile(pa.BufferReader(data) if data is not None else source.path)
        names = file.schema_arrow.names
        twice = next((name for name, count in Counter(names).items() if count > 1), None)
        if twice is not None:
            raise CleancutError(f"{source}: two columns are called {quoted(twice)}. Rename one of them.")
        n_bytes = source.once("bytes of parquet", partial(_bytes_taken, file.metadata, source, data))
    if n_bytes > _MOST_PACKED * source.size:  # what a large file takes is plain from its size
        refuse_larger(n_bytes, f"{source}, once unpacked,")
    return file


def _bytes_taken(metadata: Any, source: Source, data: bytes | None) -> int:
    """Return how much memory the columns of a file take."""
    with io.BytesIO(data) if data is not None else open(source.name, "rb") as stream:
        return bytes_taken(metadata, stream, max(max_unpacked(), _MOST_PACKED * source.size + 1))


_MOST_PACKED = 64
"""Bytes of a column that come of one byte of a file, where no value is repeated without end."""


def parquet_table(source: Source) -> Any:
    """Return all of a file as a table."""
    with readable_parquet(source):
        return parquet_file(source).read()


def first_parquet_records(source: Source) -> list[dict[str, Any]]:
    with readable_parquet(source):
        table = next(parquet_file(source).iter_batches(batch_size=FEW), None)
        return table.to_pylist() if table is not None else []


def _label_names_in(schema: Any) -> dict[str, list[str]]:
    """The ClassLabel names that ``datasets`` keeps in a schema, by column; none where its note is broken."""
    try:
        stored = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"].items()
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
    inner = {name: f.get("feature", f) if isinstance(f, dict) else f for name, f in stored}
    labels = {name: f for name, f in inner.items() if isinstance(f, dict) and f.get("_type") == "ClassLabel"}
    return {name: f["names"] for name, f in labels.items() if _are_names(f.get("names"))}


def _are_names(stored: Any) -> bool:
    return isinstance(stored, list) and all(isinstance(name, str) for name in stored)


def _arrow_corpus(table: Any, names: Mapping[str, Any], options: Options, where: Where) -> Corpus:
    columns = plain_columns(table.column_names, options, where(0) if table.num_rows else "the dataset")
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


def corpus_of_table(table: Any, name: str, **options: Any) -> Corpus:
    """Rows of an Arrow table as a corpus; errors quote the row."""
    return _arrow_corpus(table, {}, Options(**options), partial(with_row, name, partial(_table_row, table)))


def columns_to_read(names: Iterable[str], where: str, **options: Any) -> list[str]:
    """Which columns of a table a corpus is made of."""
    present = list(names)
    columns = plain_columns(present, Options(**options), where)
    return [columns.tokens, columns.annotation, *(name for name in ("id", "doc") if name in present)]


def stored_labels(path: str, column: str) -> list[str] | None:
    """The names of label ids that ``datasets`` has left in a Parquet file here, which others do not hand on."""
    return _label_names_in(parquet_file(Source(path)).schema_arrow).get(column) if os.path.isfile(path) else None


def _table_row(table: Any, row: int) -> str:
    return str(table.slice(row, 1).to_pylist()[0])


def copy_parquet(
    files: Sequence[str], owner: Mapping[int, str], names: Sequence[str], folder: str | os.PathLike[str]
) -> list[str]:
    import pyarrow as pa
    import pyarrow.parquet

    tables = [parquet_table(Source(file)) for file in files]
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


def write_parquet(corpora: Iterable[Corpus], path: str, how: Writing) -> None:
    """Write rows of tokens and entities, or tags of a scheme, with ids, documents and relations where there are any."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = iter(corpora)
    first = next(parts, None)
    if first is None:
        raise CleancutError(f"{path}: there are no samples to write.")
    schema = _schema_for(first, how)
    with replacing(path) as stream, pq.ParquetWriter(stream, schema) as writer:
        for corpus in chain([first], parts):
            lacking = [name for name in _schema_for(corpus, how).names if name not in schema.names]
            if lacking:
                place = corpus.mentions.where(0)
                raise CleancutError(f"{place}: samples from here on have {lacking[0]}, those before not. Write JSONL.")
            try:
                writer.write_table(pa.Table.from_pydict(_columns_of(corpus, how), schema))
            except UnicodeEncodeError:
                raise CleancutError(f"{path}: a word holds half a character, which UTF-8 cannot write.") from None


def _schema_for(corpus: Corpus, how: Writing) -> Any:
    """Return the columns of a corpus, which ``datasets`` takes as they are."""
    import pyarrow as pa

    words, number = pa.list_(pa.string()), pa.int64()
    spans = pa.list_(pa.struct({"start": number, "end": number, "label": pa.string()}))
    relations = pa.list_(pa.struct({"head": number, "tail": number, "label": pa.string()}))
    kinds = {"id": pa.string(), "doc": pa.string(), "tokens": words, "tags": words, "entities": spans}
    return pa.schema([(name, kinds.get(name, relations)) for name in _columns_of(corpus.select([]), how)])


def _columns_of(corpus: Corpus, how: Writing) -> dict[str, Any]:
    beside = {"id": corpus.ids, "doc": corpus.docs}
    columns: dict[str, Any] = {name: values for name, values in beside.items() if values is not None}
    columns["tokens"] = corpus.tokens()
    if how.scheme:
        refuse_relations(corpus, "a table of tags")
        return {**columns, "tags": corpus.tags(how.scheme)}
    between = {} if corpus.relations is None else {"relations": corpus.relation_lists()}
    return {**columns, "entities": corpus.entities(), **between}
