"""Exports that cannot be read, each with what to do instead: texts in other files, workbooks, archives."""

from __future__ import annotations

import re
from typing import Any

from ..core.exceptions import CleancutError
from .columns import plain_name
from .exported import Exported
from .opening import Row, Source
from .span_records import values_at

_ROW = '{"text": ..., "entities": [{"start": 0, "end": 3, "label": "PER"}]}'
"""A row that can be read."""
_WITHOUT_TEXTS = {
    "Amazon Comprehend": "Entities.0.BeginOffset",
    "Google Natural Language": "entities.0.mentions.0.text.beginOffset",
    "Azure Language": "documents.*.entities.0.category",
    "Azure Language Studio": "assets.documents.*.entities.0.labels.0.category",
    "tagtog": "entities.0.offsets.0.start",
}
"""Where the JSON of a tool that does not repeat the texts has its first span."""


def _tool_without_texts(record: Row) -> str | None:
    """Return the tool that has written a record without its text; None for any other record."""
    if "text" in record or "sentences" in record:
        return None
    names = (name for name, place in _WITHOUT_TEXTS.items() if values_at(record, place))
    return next(names, None)


def is_without_texts(record: Row) -> bool:
    """Return whether a record has the spans of a text that stands elsewhere.

    Args:
        record: the record.
    """
    return _tool_without_texts(record) is not None


def refuse_without_texts(records: list[Any], name: str) -> Exported:
    """Refuse spans of texts that stand elsewhere.

    Args:
        records: the records.
        name: the name of the file, for messages.

    Raises:
        CleancutError: always.
    """
    tools = (_tool_without_texts(record) for record in records if isinstance(record, dict))
    tool = next((tool for tool in tools if tool is not None), "a tool")
    raise CleancutError(
        f"{name}: the output of {tool} without the texts that its offsets are for. Write a row for each text: {_ROW}."
    )


def is_uima_json(record: Row) -> bool:
    """Return whether a record is a document of UIMA in JSON, as INCEpTION exports it.

    Args:
        record: the record.
    """
    return "%FEATURE_STRUCTURES" in record or {"_context", "_views"} <= set(record)


def refuse_uima_json(records: list[Any], name: str) -> Exported:
    """Refuse documents of UIMA.

    Args:
        records: the documents.
        name: the name of the file, for messages.

    Raises:
        CleancutError: always.
    """
    raise CleancutError(f"{name}: {_UIMA}")


_UIMA = "a document of UIMA. Export it from INCEpTION as WebAnno TSV 3, which is read."
"""What to do with a document of UIMA."""


def is_uima_xmi(source: Source) -> bool:
    """Return whether a source is a document of UIMA in XML.

    Args:
        source: the source.
    """
    return "<xmi:XMI" in source.head[:2000]


def refuse_uima_xmi(source: Source) -> Exported:
    """Refuse a document of UIMA.

    Args:
        source: the file.

    Raises:
        CleancutError: always.
    """
    raise CleancutError(f"{source}: {_UIMA}")


_BINARY = {
    "PK\x03\x04": "a workbook or an archive. Save a workbook as CSV, or unpack the archive",
    "\ufffd\x08": "packed with gzip. End its name in .gz",
    "BZh": "packed with bzip2. Unpack it, or pack it with gzip",
    "\ufffd7zXZ": "packed with xz. Unpack it, or pack it with gzip",
    "SQLite format 3\0": "a database. Write its rows as JSONL",
    "ARROW1": "a file of Arrow. Write it as parquet, or give the Dataset to from_dataset in Python",
    "\ufffd\ufffd\ufffd\ufffd": "a binary file, perhaps of Arrow. Write it as parquet or JSONL",
    "%PDF-": "a PDF. Give its text as CoNLL columns or JSONL",
}
"""What files begin with that are no text, and what to do with them."""


def is_binary(source: Source) -> bool:
    """Return whether a source begins as a workbook, an archive or another binary file does.

    Args:
        source: the source.
    """
    return not source.is_packed and source.head.startswith(tuple(_BINARY))


def refuse_binary(source: Source) -> Exported:
    """Refuse a binary file.

    Args:
        source: the file.

    Raises:
        CleancutError: always.
    """
    what = next(what for beginning, what in _BINARY.items() if source.head.startswith(beginning))
    raise CleancutError(f"{source}: {what}.")


_EDGES = ({"start", "begin", "off0", "start_offset", "begin_offset"}, {"end", "off1", "end_offset"})
"""Names of columns of offsets in tables of mentions."""
_OF_TEXTS = {"file", "filename", "doc_id", "document_id", "text_id", "doc", "ann_id", "mark"}
"""Names of columns that say which text a mention is of."""


def is_table_of_mentions(source: Source) -> bool:
    """Return whether a source names columns of mentions whose texts are in other files, as PharmaCoNER's.

    Args:
        source: the source.
    """
    first = source.head_lines[0] if source.head_lines else ""
    names = {plain_name(name) for name in re.split(r"[\t,;]", first)}
    has_offsets = all(names & edges for edges in _EDGES)
    return has_offsets and bool(names & _OF_TEXTS) and not names & {"text", "token", "word", "sentence", "content"}


def refuse_table_of_mentions(source: Source) -> Exported:
    """Refuse a table of mentions.

    Args:
        source: the file.

    Raises:
        CleancutError: always.
    """
    raise CleancutError(f"{source}: mentions of texts in other files. Write a row for each text: {_ROW}.")


_IS_TAG = re.compile(r"O|[BIESLUM]-\S+")
"""Matches a tag."""


def is_tags_alone(source: Source) -> bool:
    """Return whether each line has the tags of a sample, without its words, as ``run_ner.py`` writes predictions.

    Args:
        source: the source.
    """
    if not source.head_lines or not all(map(_IS_TAG.fullmatch, source.head_lines[0].split())):
        return False
    lines = [line.split() for line in source.head_lines]
    if max(map(len, lines)) < 2 or len({len(line) for line in lines}) == 1:
        return False
    return all(_IS_TAG.fullmatch(tag) for line in lines for tag in line)


def refuse_tags_alone(source: Source) -> Exported:
    """Refuse tags without words.

    Args:
        source: the file.

    Raises:
        CleancutError: always.
    """
    sample = '{"tokens": ["Ada", "ran"], "tags": ["B-PER", "O"]}'
    raise CleancutError(f"{source}: tags without their words. Write a line for each sample, such as {sample}.")
