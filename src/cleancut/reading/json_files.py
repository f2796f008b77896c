"""Rows of JSON files, whatever wrote them: one value, or a record a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from ..core.exceptions import CleancutError, quoted, reason
from .batches import FEW
from .column_names import PLAIN_ENTITIES, PLAIN_TAGS, PLAIN_TOKENS
from .conll import CONLL_SUFFIXES
from .exported import Exported
from .file_format import FileFormat
from .json_exports import is_bioc, is_spacy_pairs
from .jsonl import json_records
from .opening import Row, Source


def is_json(source: Source) -> bool:
    """Return whether a source is one JSON value, rather than an object a line.

    Args:
        source: the source.
    """
    text = source.head.lstrip("\ufeff \t\r\n")
    if source.suffix in _OF_COLUMNS:
        return False
    if text.startswith("["):
        return text[1:].lstrip()[:1] in ("{", "[", '"', "]") and _begins_as_json(text)
    if not text.startswith("{") or text[1:].lstrip()[:1] not in ('"', "}", ""):
        return False
    if source.suffix in (".jsonl", ".ndjson"):
        return False
    first_line = text.split("\n", 1)[0]
    try:
        value = json.loads(first_line)
    except (ValueError, RecursionError):
        return len(source.head_lines) > 1  # an object over several lines
    is_alone = len(source.head_lines) == 1 and "\n" in source.head + "\n"
    return is_alone and isinstance(value, dict) and _is_whole(value)


def _is_whole(value: Row) -> bool:
    """Return whether an object holds all rows of a file, rather than one of them."""
    is_table = _is_of_columns(value) or is_of_pandas(value) or set(value) == _OF_PANDAS_TABLE
    return is_table or is_bioc(value) or any(map(is_spacy_pairs, _lists_in(value)))


_OF_PANDAS_TABLE = {"schema", "data"}
"""The fields of a table that ``DataFrame.to_json`` writes with ``orient="table"``: rows, and what is said of them."""


def _lists_in(value: Row) -> list[list[Any]]:
    """Return the values of an object that are lists with items."""
    lists = [item for item in value.values() if isinstance(item, list)]
    return [items for items in lists if items]


_OF_COLUMNS = {*CONLL_SUFFIXES, ".conllu"} - {".txt"}
"""Endings of files of columns, whatever their first word is; a .txt may hold anything."""


def _begins_as_json(text: str) -> bool:
    """Return whether a text is JSON as far as it goes."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip()) - 1 or error.msg.startswith(("Unterminated", "Extra data"))
    except RecursionError:
        return True
    return True


def json_rows(source: Source, forms: Sequence[FileFormat]) -> Exported:
    """Return the rows of one JSON value: an array of rows, an object of columns, or what a tool exports as either.

    Args:
        source: the file.
        forms: the formats of tools that write JSON.

    Raises:
        CleancutError: the file is no JSON, or holds no rows.
    """
    text = source.text().lstrip("\ufeff")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        try:
            value = _values_in_a_row(text)
        except (ValueError, RecursionError):
            line = getattr(error, "lineno", 1)
            raise CleancutError(f"{source}, line {line}: invalid JSON ({reason(error)}).") from None
    return _rows_of_value(value, source.name, forms)


def _values_in_a_row(text: str) -> list[Any]:
    """Return the values of a text that holds several, such as an array a line, or objects over several lines each."""
    decoder = json.JSONDecoder()
    values = []
    at = 0
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        values.append(value)
        while at < len(text) and text[at].isspace():
            at += 1
    return values


def _rows_of_value(value: Any, name: str, forms: Sequence[FileFormat]) -> Exported:
    """Return the rows of one JSON value."""
    if isinstance(value, dict):
        value = _of_pandas(value)
        if _is_of_columns(value):
            values = [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]
            return _rows_of_values(values, name, forms, "JSON columns")
        inner = [item for item in value.values() if _are_rows(item)]
        is_whole = any(form.in_json is not None and form.in_json.recognises([value]) for form in forms)
        if len(inner) == 1 and not is_whole and not {*PLAIN_TOKENS, "text"} & set(value):
            return _rows_of_value(inner[0], name, forms)  # rows beside what is said of them
        value = [value]
    if not isinstance(value, list):
        raise CleancutError(f"{name}: expected rows, got {type(value).__name__}. Give an array of objects.")
    return _rows_of_values(value, name, forms, "JSON")


def _are_rows(value: Any) -> bool:
    """Return whether a value is an array of objects, or of the pairs that spaCy was trained on."""
    return isinstance(value, list) and bool(value) and (isinstance(value[0], dict) or is_spacy_pairs(value))


def _of_pandas(value: Row) -> Row:
    """Return an object with a list for each column; pandas writes each column as an object by row."""
    if not is_of_pandas(value):
        return value
    if set(value) == {"columns", "index", "data"}:
        return {str(name): [row[at] for row in value["data"]] for at, name in enumerate(value["columns"])}
    if _is_by_row(value):
        names = next(iter(value.values()))
        return {str(name): [row[name] for row in value.values()] for name in names}
    return {name: list(column.values()) for name, column in value.items()}


def _is_by_row(value: Row) -> bool:
    """Return whether an object has a row for each number, rather than a column for each name."""
    return all(name.isdigit() for name in value)


def is_of_pandas(value: Row) -> bool:
    """Return whether an object is a table as ``DataFrame.to_json`` writes it, by column and row, or "split".

    Args:
        value: the object.

    >>> is_of_pandas({"text": {"0": "Ada ran", "1": "Bo sat"}}), is_of_pandas({"text": "Ada ran"})
    (True, False)
    """
    if set(value) == {"columns", "index", "data"}:
        return all(isinstance(part, list) for part in value.values())
    columns = list(value.values())
    if not columns or not all(isinstance(column, dict) and column for column in columns):
        return False
    rows = list(columns[0])
    has_numbers = all(row.isdigit() for row in rows) or _is_by_row(value)
    return has_numbers and all(list(column) == rows for column in columns)


def _rows_of_values(values: list[Any], name: str, forms: Sequence[FileFormat], container: str) -> Exported:
    """Return the rows of the first form that the values have, or the values, whose columns have to be detected."""
    if not values:
        return Exported([], name=container)
    for form in forms:
        if form.in_json is None or not form.in_json.recognises(values):
            continue
        if form.in_json.is_of_records:
            _check_objects(values, name)
            _check_one_form(values, form, forms, name)
        read = partial(form.in_json.rows, values, name)
        exported = form.taken_for(name, read, f"{container} ({form.name})")
        _check_texts(exported, form, name)
        return replace(exported, name=f"{form.name} {container}")
    _check_objects(values, name)
    return Exported(values, name=container)


def _check_objects(values: list[Any], name: str) -> None:
    """Raise an error where a value is not an object."""
    for i, row in enumerate(values):
        if not isinstance(row, dict):
            raise CleancutError(f"row {i} ({name}): expected an object, got {type(row).__name__}.")


def _of_records(forms: Sequence[FileFormat]) -> list[FileFormat]:
    """Return the formats whose files hold a record for each sample."""
    chosen = []
    for form in forms:
        if form.in_json is not None and form.in_json.is_of_records:
            chosen.append(form)
    return chosen


def _recognises(form: FileFormat, records: list[Any]) -> bool:
    """Return whether records are of a format."""
    return form.in_json is not None and form.in_json.recognises(records)


def _check_one_form(values: list[Any], chosen: FileFormat, forms: Sequence[FileFormat], name: str) -> None:
    """Raise an error where a record is of another form than those by which the file was recognised."""
    of_records = _of_records(forms)
    in_order = [chosen, *(form for form in of_records if form is not chosen)]
    for i, value in enumerate(values):
        recognising = (form for form in in_order if _recognises(form, [value]))
        form = next(recognising, chosen)
        if form is not chosen:
            raise CleancutError(
                f"row {i} ({name}): a record of {form.name} in a file of {chosen.name}. Give each its own file."
            )


def _check_texts(exported: Exported, form: FileFormat, name: str) -> None:
    """Raise an error where a row has no text, as one of another format may."""
    if "text" not in exported.reading:
        return
    for i, row in enumerate(exported.rows):
        if not isinstance(row.get("text"), str):
            columns = ", ".join(map(quoted, row)) or "nothing"
            raise CleancutError(f"row {i} ({name}): no text, but {columns}. Expected {form.expected}.")


def _is_of_columns(value: Mapping[str, Any]) -> bool:
    """Return whether an object has a list for each column, all of one length, and lists in one of them."""
    columns = list(value.values())
    if not columns or not all(isinstance(column, list) for column in columns):
        return False
    words = next((value[name] for name in PLAIN_TOKENS if name in value), None)
    if words and not isinstance(words[0], list):
        return False  # the words of one sample
    n_rows = len(columns[0])
    is_even = all(len(column) == n_rows for column in columns) and not any(map(is_spacy_pairs, columns))
    return is_even and any(column and isinstance(column[0], list) for column in columns)


def is_tool_jsonl(source: Source, forms: Sequence[FileFormat]) -> bool:
    """Return whether the first lines of a JSONL file are records of a tool, for which detected columns are not enough.

    Args:
        source: the file.
        forms: the formats of tools that write JSON.
    """
    records = _first_records(source)
    if all(map(_is_sample, records)):
        return False
    return bool(records) and any(_recognises(form, records) for form in _of_records(forms))


_OF_SAMPLES = {"id", "doc", "relations", *PLAIN_TOKENS, *PLAIN_TAGS, *PLAIN_ENTITIES}
"""Columns of samples as they are, beside which a tool would have others."""


def _is_sample(record: Any) -> bool:
    """Return whether a record has tokens and other columns of samples, and no others."""
    if not isinstance(record, dict):
        return False
    return _OF_SAMPLES.issuperset(record) and not set(PLAIN_TOKENS).isdisjoint(record)


def _first_records(source: Source) -> list[Any]:
    """Return the objects of the first lines of a JSONL file, as far as they are objects."""
    records: list[Any] = [source.first_record] if source.first_record else []
    with suppress(ValueError, RecursionError):
        records += [json.loads(line) for line in source.head_lines[1:FEW]]
    return records


def tool_jsonl(source: Source, forms: Sequence[FileFormat]) -> Exported:
    """Return the rows of a JSONL file that a tool has written, a record a line.

    Args:
        source: the file.
        forms: the formats of tools that write JSON.

    Raises:
        CleancutError: a line is not an object, or a record is not of the format of the others.
    """
    records = [record for _, record in json_records(source)]
    return _rows_of_values(records, source.name, _of_records(forms), "JSONL")


def by_first(is_record: Callable[[Row], bool]) -> Callable[[list[Any]], bool]:
    """Return a function that recognises values by the first few of them, since one without mentions may show nothing.

    Args:
        is_record: says whether a record is of the format.
    """
    return lambda values: any(isinstance(value, dict) and is_record(value) for value in values[:FEW])
