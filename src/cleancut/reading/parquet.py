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

from ..core.corpus import Corpus, entities_with_ids
from ..core.exceptions import CleancutError, quoted, reason
from ..core.files import name_inside, replacing
from ..core.limits import max_unpacked, refuse_larger
from ..core.tags import Where
from .batches import FEW, Options, in_rows, with_row
from .column_names import plain_columns
from .conll import CONLL_SUFFIXES
from .id_fields import absent_ids, ids_of_row
from .jsonl import JSONL_SUFFIXES
from .opening import Source
from .parquet_pages import bytes_taken
from .writing import Writing, refuse_relations, telling_lost_ids


def is_parquet(source: Source) -> bool:
    """Return whether a source is a parquet file, by its name or, where that shows nothing, by its content.

    Args:
        source: the source.
    """
    if source.suffix in (".parquet", *CONLL_SUFFIXES, *JSONL_SUFFIXES):
        return source.suffix == ".parquet"
    return source.head.startswith("PAR1")


def parquet_corpora(source: Source, options: Options, size: int | None) -> Iterator[Corpus]:
    """Yield the samples of a parquet file with the usual columns.

    Args:
        source: the file.
        options: how it is read.
        size: the number of samples of each corpus but the last; None for one corpus of all samples.

    Raises:
        CleancutError: the file cannot be read, or a row is not a sample.
    """
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
    """Turn the errors of Arrow inside into one that names the file.

    Args:
        name: the file.

    Raises:
        CleancutError: Arrow cannot read the file.
    """
    import pyarrow as pa

    try:
        yield
    except CleancutError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:  # the last two where values are decoded
        raise CleancutError(
            f"{name}: not a readable parquet file ({reason(error)}). Give a whole Parquet file."
        ) from None


def parquet_file(source: Source) -> Any:
    """Return an open parquet file.

    Args:
        source: the file.

    Raises:
        CleancutError: the file cannot be read, has two columns of one name, or would take more memory than it may.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with readable_parquet(source):
        data = None
        if source.is_packed or source.path is None:
            data = source.read()
        stored = source.path if data is None else pa.BufferReader(data)
        file = pq.ParquetFile(stored)
        names = file.schema_arrow.names
        repeated = next((name for name, count in Counter(names).items() if count > 1), None)
        if repeated is not None:
            raise CleancutError(f"{source}: two columns are called {quoted(repeated)}. Rename one of them.")
        n_bytes = source.once("bytes of parquet", partial(_bytes_taken, file.metadata, source, data))
    if n_bytes > _MOST_PACKED * source.size:  # what a large file takes is plain from its size
        refuse_larger(n_bytes, f"{source}, once unpacked,")
    return file


def _bytes_taken(metadata: Any, source: Source, data: bytes | None) -> int:
    """Return how much memory the columns of a file take."""
    with io.BytesIO(data) if data is not None else open(source.name, "rb") as stream:
        return bytes_taken(metadata, stream, max(max_unpacked(), _MOST_PACKED * source.size + 1))


def unpacked_bytes(source: Source, limit: int) -> int:
    """Return how many bytes of memory a parquet file takes; from a limit on, at least as many as the limit.

    Args:
        source: the file, on disk and not packed.
        limit: the count need not go on from here.

    Raises:
        CleancutError: the file cannot be read.
    """
    import pyarrow.parquet as pq

    with readable_parquet(source), open(source.name, "rb") as stream:
        return bytes_taken(pq.ParquetFile(source.name).metadata, stream, limit)


_MOST_PACKED = 64
"""The number of bytes of a column that come of one byte of a file, where no value is repeated without end."""


def parquet_table(source: Source) -> Any:
    """Return all of a parquet file as a table.

    Args:
        source: the file.

    Raises:
        CleancutError: the file cannot be read.
    """
    with readable_parquet(source):
        return parquet_file(source).read()


def first_parquet_records(source: Source) -> list[dict[str, Any]]:
    """Return the first rows of a parquet file, which show what its columns hold.

    Args:
        source: the file.

    Raises:
        CleancutError: the file cannot be read.
    """
    with readable_parquet(source):
        table = next(parquet_file(source).iter_batches(batch_size=FEW), None)
        return table.to_pylist() if table is not None else []


def _label_names_in(schema: Any) -> dict[str, list[str]]:
    """Return the ClassLabel names that ``datasets`` keeps in a schema, by column; none where its note is broken."""
    try:
        stored = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"].items()
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
    names_of_column = {}
    for column, feature in stored:
        item = feature.get("feature", feature) if isinstance(feature, dict) else feature
        is_label = isinstance(item, dict) and item.get("_type") == "ClassLabel"
        if is_label and _are_names(item.get("names")):
            names_of_column[column] = item["names"]
    return names_of_column


def _are_names(stored: Any) -> bool:
    """Return whether a stored value is a list of names."""
    return isinstance(stored, list) and all(isinstance(name, str) for name in stored)


def _arrow_corpus(table: Any, names: Mapping[str, Any], options: Options, where: Where) -> Corpus:
    """Return a table as a corpus; ``names`` are the label names that it keeps, by column."""
    place = where(0) if table.num_rows else "the dataset"
    columns = plain_columns(table.column_names, options, place)
    annotation = table.column(columns.annotation)
    ids = table.column("id").to_pylist() if "id" in table.column_names else None
    docs = table.column("doc").to_pylist() if "doc" in table.column_names else None
    labels = options.labels if options.labels is not None else names.get(columns.annotation)
    relations = relations_in(table) if columns.form == "entities" else None
    entity_ids = None if options.ids is None else _ids_in(table, columns.annotation, options.ids, place)
    return Corpus.of(
        table.column(columns.tokens),
        **{columns.form: annotation},
        ids=ids,
        docs=docs,
        labels=labels,
        scheme=options.scheme,
        repair=options.repair,
        where=where,
        relations=relations,
        entity_ids=entity_ids,
    )


def _ids_in(table: Any, annotation: str, ids: str | int, place: str) -> list[Any]:
    """Return what each row of an Arrow table has as ids of its entities; None where it has none."""
    kind = getattr(table.schema.field(annotation).type, "value_type", None)
    fields = {kind.field(i).name for i in range(kind.num_fields)} if kind is not None else set()
    if ids not in fields and ids not in table.column_names:
        raise absent_ids(place, ids)
    present = [name for name in (annotation, str(ids)) if name in table.column_names]
    return [ids_of_row(row, row[annotation], ids) for row in table.select(present).to_pylist()]


def relations_in(table: Any) -> list[Any] | None:
    """Return the relations of an Arrow table; None where it has none, or a column of another kind with that name.

    Args:
        table: the table.
    """
    if "relations" not in table.column_names:
        return None
    record = getattr(table.schema.field("relations").type, "value_type", None)
    if record is None:
        return None
    names = {record.field(i).name for i in range(record.num_fields)}
    return table.column("relations").to_pylist() if {"head", "tail", "label"} <= names else None


def corpus_of_table(table: Any, name: str, **options: Any) -> Corpus:
    """Return the rows of an Arrow table as a corpus.

    Args:
        table: the table.
        name: the name of the table, for messages, which quote the row.
        **options: the fields of ``Options``.

    Raises:
        CleancutError: a row is not a sample.
    """
    where = partial(with_row, name, partial(_table_row, table))
    return _arrow_corpus(table, {}, Options(**options), where)


def columns_to_read(names: Iterable[str], where: str, **options: Any) -> list[str]:
    """Return which columns of a table a corpus is made of.

    Args:
        names: the columns of the table.
        where: names the table, for messages.
        **options: the fields of ``Options``.

    Raises:
        CleancutError: there are no tokens or no annotation among the columns.

    >>> columns_to_read(["id", "tokens", "tags", "pos"], "a table")
    ['tokens', 'tags', 'id']
    """
    present = list(names)
    columns = plain_columns(present, Options(**options), where)
    return [
        columns.tokens,
        columns.annotation,
        *(name for name in ("id", "doc", options.get("ids")) if name in present),
    ]


def stored_labels(path: str, column: str) -> list[str] | None:
    """Return the names of label ids that ``datasets`` has left in a local parquet file; None where there are none.

    Args:
        path: the file, which other libraries read without these names.
        column: the column of the label ids.
    """
    if not os.path.isfile(path):
        return None
    return _label_names_in(parquet_file(Source(path)).schema_arrow).get(column)


def _table_row(table: Any, row: int) -> str:
    """Return a row of a table as text."""
    return str(table.slice(row, 1).to_pylist()[0])


def copy_parquet(
    files: Sequence[str], owner: Mapping[int, str], names: Sequence[str], folder: str | os.PathLike[str]
) -> list[str]:
    """Write rows of files as they are to the outputs that they are assigned to, and return the paths of these.

    Args:
        files: the files, whose rows are numbered through.
        owner: the name of the output of each row; rows that are not named are left out.
        names: the names of the outputs.
        folder: the folder to write to.

    Raises:
        CleancutError: the files have different columns.
    """
    import pyarrow as pa
    import pyarrow.parquet

    tables = [parquet_table(Source(file)) for file in files]
    if any(table.schema != tables[0].schema for table in tables):
        raise CleancutError("the format cannot be kept: the files have different columns. Choose one format.")
    whole = pa.concat_tables(tables)
    paths = []
    for name in names:
        rows = sorted(row for row, output in owner.items() if output == name)
        paths.append(name_inside(folder, f"{name}.parquet"))
        with replacing(paths[-1]) as stream:
            pa.parquet.write_table(whole.take(pa.array(rows, pa.int64())), stream)
    return paths


def write_parquet(corpora: Iterable[Corpus], path: str, how: Writing) -> None:
    """Write samples with their entities, or with tags of a scheme; ids, documents and relations if they have any.

    Ids of entities are a field of the entities, which ``ids="ids"`` reads.

    Args:
        corpora: the samples, in parts.
        path: the file.
        how: how they are written.

    Raises:
        CleancutError: there are no samples, or some have a column that the first ones do not have.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    told = telling_lost_ids(corpora, "a table of tags") if how.scheme else corpora
    parts = iter(told)
    first = next(parts, None)
    if first is None:
        raise CleancutError(f"{path}: there are no samples to write.")
    schema = _schema_for(first, how)
    with replacing(path) as stream, pq.ParquetWriter(stream, schema) as writer:
        for corpus in chain([first], parts):
            lacking = [name for name in _schema_for(corpus, how).names if name not in schema.names]
            if corpus.entity_ids is not None and first.entity_ids is None and not how.scheme:
                lacking.append("ids of entities")
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

    words = pa.list_(pa.string())
    number = pa.int64()
    span = {"start": number, "end": number, "label": pa.string()}
    if corpus.entity_ids is not None:
        span["ids"] = words
    spans = pa.list_(pa.struct(span))
    relations = pa.list_(pa.struct({"head": number, "tail": number, "label": pa.string()}))
    kinds = {"id": pa.string(), "doc": pa.string(), "tokens": words, "tags": words, "entities": spans}
    return pa.schema([(name, kinds.get(name, relations)) for name in _columns_of(corpus.select([]), how)])


def _columns_of(corpus: Corpus, how: Writing) -> dict[str, Any]:
    """Return the columns of a corpus that are written, by name."""
    columns: dict[str, Any] = {}
    if corpus.ids is not None:
        columns["id"] = corpus.ids
    if corpus.docs is not None:
        columns["doc"] = corpus.docs
    columns["tokens"] = corpus.tokens()
    if how.scheme:
        refuse_relations(corpus, "a table of tags")
        columns["tags"] = corpus.tags(how.scheme)
        return columns
    columns["entities"] = entities_with_ids(corpus)
    if corpus.relations is not None:
        columns["relations"] = corpus.relation_lists()
    return columns
