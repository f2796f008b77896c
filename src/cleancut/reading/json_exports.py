"""What tools export as JSON: one value, or a record a line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from ..core.exceptions import CleancutError
from .column_names import PLAIN_ENTITIES, PLAIN_TAGS, PLAIN_TOKENS
from .conll import CONLL_SUFFIXES
from .exported import CHARACTERS, TAGS, Exported
from .file_format import FileFormat
from .jsonl import json_records
from .opening import Row, Source


def is_json(source: Source) -> bool:
    """Is it one JSON value, rather than an object a line?"""
    text = source.head.lstrip("\ufeff \t\r\n")
    if source.suffix in _OF_COLUMNS:
        return False
    if text.startswith("["):
        return text[1:].lstrip()[:1] in ("{", "[", '"') and _begins_as_json(text)
    if (
        not text.startswith("{")
        or text[1:].lstrip()[:1] not in ('"', "}", "")
        or source.suffix in (".jsonl", ".ndjson")
    ):
        return False
    first_line = text.split("\n", 1)[0]
    try:
        value = json.loads(first_line)
    except (ValueError, RecursionError):
        return len(source.head_lines) > 1  # an object over several lines
    is_alone = len(source.head_lines) == 1 and "\n" in source.head + "\n"
    return is_alone and isinstance(value, dict) and (_is_of_columns(value) or is_bioc(value))


_OF_COLUMNS = {*CONLL_SUFFIXES, ".conllu"} - {".txt"}
"""Endings of files of columns, whatever their first word is; a .txt may hold anything."""


def _begins_as_json(text: str) -> bool:
    """Is a text JSON as far as it goes?"""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip()) - 1 or error.msg.startswith(("Unterminated", "Extra data"))
    except RecursionError:
        return True
    return True


def json_rows(source: Source, forms: Sequence[FileFormat]) -> Exported:
    """Read one JSON value: an array of rows, an object of columns, or what a tool exports as either."""
    text = source.text().lstrip("\ufeff")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        lines = [line for line in text.split("\n") if line.strip()]
        try:  # an array a line
            value = [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            line = getattr(error, "lineno", 1)
            raise CleancutError(f"{source}, line {line}: invalid JSON ({error}).") from None
    return _rows_of_value(value, source.name, forms)


def _rows_of_value(value: Any, name: str, forms: Sequence[FileFormat]) -> Exported:
    if isinstance(value, dict):
        if _is_of_columns(value):
            values = [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]
            return _rows_of_values(values, name, forms, "JSON columns")
        inner = [item for item in value.values() if isinstance(item, list) and item and isinstance(item[0], dict)]
        is_whole = any(form.in_json is not None and form.in_json.recognises([value]) for form in forms)
        if len(inner) == 1 and not is_whole and not {*PLAIN_TOKENS, "text"} & set(value):
            return _rows_of_value(inner[0], name, forms)  # rows beside what is said of them
        value = [value]
    if not isinstance(value, list):
        raise CleancutError(f"{name}: expected rows, got {type(value).__name__}. Give an array of objects.")
    return _rows_of_values(value, name, forms, "JSON")


def _rows_of_values(values: list[Any], name: str, forms: Sequence[FileFormat], container: str) -> Exported:
    """Return the rows of the first form that the values have, or as they are, with columns that have to be found."""
    if not values:
        return Exported([], name=container)
    for form in forms:
        if form.in_json is None or not form.in_json.recognises(values):
            continue
        if form.in_json.is_of_records:
            _check_objects(values, name)
        read = partial(form.in_json.rows, values, name)
        exported = form.taken_for(name, read, f"{container} ({form.name})")
        return replace(exported, name=f"{form.name} {container}")
    _check_objects(values, name)
    return Exported(values, name=container)


def _check_objects(values: list[Any], name: str) -> None:
    for i, row in enumerate(values):
        if not isinstance(row, dict):
            raise CleancutError(f"row {i} ({name}): expected an object, got {type(row).__name__}.")


def _named(record: Mapping[str, Any], column: str) -> Row:
    """Return the id of a record under the name of a column, if it has one."""
    return {} if record.get("id") is None else {column: str(record["id"])}


def _is_of_columns(value: Mapping[str, Any]) -> bool:
    """Is it a list for each column, all of one length, of which one holds lists?"""
    columns = list(value.values())
    if not columns or not all(isinstance(column, list) for column in columns):
        return False
    words = next((value[name] for name in PLAIN_TOKENS if name in value), None)
    if words and not isinstance(words[0], list):
        return False  # the words of one sample
    n_rows = len(columns[0])
    is_even = all(len(column) == n_rows for column in columns)
    return is_even and any(column and isinstance(column[0], list) for column in columns)


def is_bioc(value: Row) -> bool:
    """Is it a collection of documents with passages, or one such document?"""
    documents = value.get("documents") or value.get("PubTator3")
    if documents is None and "passages" in value:
        documents = [value]
    return (
        isinstance(documents, list)
        and bool(documents)
        and isinstance(documents[0], dict)
        and "passages" in documents[0]
    )


def bioc(values: list[Any], name: str) -> Exported:
    """BioC: a row for each passage, with offsets that count from the beginning of the document."""
    rows: list[Row] = []
    collections = [value.get("documents") or value.get("PubTator3") or [value] for value in values]
    for document in chain.from_iterable(collections):
        for passage in document["passages"]:
            first = int(passage.get("offset", 0))
            entities = []
            for annotation in passage.get("annotations", ()):
                places = [(int(place["offset"]) - first, int(place["length"])) for place in annotation["locations"]]
                start, end = min(start for start, _ in places), max(start + length for start, length in places)
                infons = annotation.get("infons", {})
                entities.append(
                    {"start": start, "end": end, "label": infons.get("type"), "text": annotation.get("text")}
                )
            rows.append({**_named(document, "doc"), "text": passage.get("text") or "", "entities": entities})
    return Exported(rows, CHARACTERS)


def is_spacy_pairs(value: list[Any]) -> bool:
    """Are they the pairs that spaCy was trained on: a text, and its entities?"""
    return all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], dict)
        for pair in value
    )


def spacy_pairs(value: list[Any], name: str) -> Exported:
    rows = []
    for text, about in value:
        spans = about.get("entities", [])
        rows.append({"text": text, "entities": [{"start": s[0], "end": s[1], "label": s[2]} for s in spans]})
    return Exported(rows, CHARACTERS)


def is_spacy_json(value: list[Any]) -> bool:
    return isinstance(value[0], dict) and "paragraphs" in value[0]


def spacy_json(value: list[Any], name: str) -> Exported:
    """spaCy's JSON of version 2: a row for each sentence, whose tokens have tags of BILOU."""
    rows = []
    for document in value:
        for paragraph in document["paragraphs"]:
            for sentence in paragraph["sentences"]:
                tokens = sentence["tokens"]
                tags = [token.get("ner", "O") for token in tokens]
                row = {"tokens": [token["orth"] for token in tokens], "tags": ["O" if t == "-" else t for t in tags]}
                rows.append({**row, **_named(document, "doc")})
    return Exported(rows, TAGS)


def is_label_studio(value: list[Any]) -> bool:
    first = value[0]
    if not isinstance(first, dict):
        return False
    is_full = isinstance(first.get("annotations"), list) and "data" in first
    return is_full or _label_of_min(value) is not None


def _label_of_min(value: list[Any]) -> str | None:
    """Return the field that holds the spans in Label Studio's short form, with ``labels`` in each."""
    for row in value:
        for name, spans in row.items() if isinstance(row, dict) else ():
            if (
                isinstance(spans, list)
                and spans
                and isinstance(spans[0], dict)
                and {"labels", "start"} <= set(spans[0])
            ):
                return str(name)
    return None


def label_studio(value: list[Any], name: str) -> Exported:
    """Label Studio, full or short: the first annotation of each task that was not cancelled."""
    short = _label_of_min(value)
    rows, n_cancelled = [], 0
    for at, task in enumerate(value):
        if "annotations" in task or "data" in task:
            done = [own for own in task.get("annotations") or () if not own.get("was_cancelled")]
            if not done:
                n_cancelled += 1
                continue
            spans = [item["value"] for item in done[0]["result"] if "labels" in item.get("value", {})]
            texts = {key: text for key, text in task["data"].items() if isinstance(text, str)}
            key = done[0]["result"][0].get("to_name", "text") if done[0]["result"] else "text"
        else:
            spans, texts, key = task.get(short) or [], task, "text"
        text = texts.get(key) or texts.get("text")
        if not isinstance(text, str):
            raise CleancutError(f"task {at} ({name}): which field holds the text? There are {', '.join(texts)}.")
        entities = [
            {"start": span["start"], "end": span["end"], "label": label, "text": span.get("text")}
            for span in spans
            for label in span["labels"]
        ]
        rows.append({**_named(task, "id"), "text": text, "entities": entities})
    notes = [f"{n_cancelled} of {len(value)} tasks were not annotated and are left out."] if n_cancelled else []
    return Exported(rows, CHARACTERS, notes)


def is_pipeline_output(value: list[Any]) -> bool:
    """Is it what a token-classification pipeline returned, without the texts?"""
    spans = value[0] if isinstance(value[0], list) else value
    return bool(spans) and all(isinstance(span, dict) and {"word", "score"} <= set(span) for span in spans)


def refuse_pipeline_output(value: list[Any], name: str) -> Exported:
    raise CleancutError(
        f"{name}: the output of a pipeline without the texts that its offsets are for. Write a row for each text: "
        '{"text": ..., "entities": [...]}.'
    )


def is_tool_jsonl(source: Source, forms: Sequence[FileFormat]) -> bool:
    """Is the first line of a JSONL file a record of a tool that needs more than its columns to be found?"""
    record = source.first_record
    of_records = [form.in_json for form in forms if form.in_json is not None and form.in_json.is_of_records]
    return bool(record) and any(form.recognises([record]) for form in of_records)


def tool_jsonl(source: Source, forms: Sequence[FileFormat]) -> Exported:
    """Read a record a line."""
    records = [record for _, record in json_records(source)]
    of_records = [form for form in forms if form.in_json is not None and form.in_json.is_of_records]
    return _rows_of_values(records, source.name, of_records, "JSONL")


def by_first(is_record: Callable[[Row], bool]) -> Callable[[list[Any]], bool]:
    """Return a function that recognises values by the first of them, an object."""
    return lambda values: isinstance(values[0], dict) and is_record(values[0])


_ANSWERS = ("accept", "reject", "ignore")


def is_prodigy(record: Row) -> bool:
    is_answered = record.get("answer") in _ANSWERS and isinstance(record.get("spans"), list)
    return is_answered and isinstance(record.get("text"), str) and not _ANNOTATED & set(record)


_ANNOTATED = {*PLAIN_TAGS, *PLAIN_ENTITIES}
"""Columns of annotation, beside which what a tool adds is not the annotation."""


def _has_words(record: Row) -> bool:
    """Has a record words, so that its spans may count them?"""
    return any(isinstance(record.get(name), list) for name in PLAIN_TOKENS)


def prodigy(records: list[Any], name: str) -> Exported:
    """Prodigy: what was rejected or ignored is left out."""
    answers = Counter(str(record.get("answer")) for record in records)
    rows = []
    for record in records:
        if record.get("answer") in ("reject", "ignore"):
            continue
        spans = [{"start": s["start"], "end": s["end"], "label": s["label"]} for s in record.get("spans") or []]
        rows.append({**_others(record, "spans", "tokens"), "entities": spans})
    left_out = {answer: answers[answer] for answer in ("reject", "ignore") if answers[answer]}
    notes = [f"{n} of {len(records)} rows have the answer {answer} and are left out." for answer, n in left_out.items()]
    return Exported(rows, CHARACTERS, notes)


def is_doccano(record: Row) -> bool:
    """Doccano's ``entities`` with their relations, or ``label`` with triples."""
    spans = record.get("entities") or record.get("label") or record.get("labels")
    if not isinstance(record.get("text"), str) or _has_words(record) or not isinstance(spans, list) or not spans:
        return False
    first = spans[0]
    if isinstance(first, dict):
        return {"start_offset", "end_offset", "label"} <= set(first)
    return isinstance(first, list) and len(first) == 3 and isinstance(first[2], str) and isinstance(first[0], int)


def doccano(records: list[Any], name: str) -> Exported:
    rows = []
    for record in records:
        spans = record.get("entities") or record.get("label") or record.get("labels") or []
        if spans and isinstance(spans[0], dict):
            entities = [{"start": s["start_offset"], "end": s["end_offset"], "label": s["label"]} for s in spans]
        else:
            entities = [{"start": s[0], "end": s[1], "label": s[2]} for s in spans]
        rows.append({**_others(record, "label", "labels"), "entities": entities})
    has_triples = any(isinstance(record.get("label") or record.get("labels"), list) for record in records)
    reading = {name: CHARACTERS[name] for name in ("text", "entities")} if has_triples else CHARACTERS
    return Exported(rows, reading)


def _others(record: Row, *names: str) -> Row:
    """Return the fields of a record other than some."""
    return {name: value for name, value in record.items() if name not in names}


def is_ubiai(record: Row) -> bool:
    tokens = record.get("tokens")
    has_labels = (
        isinstance(tokens, list) and bool(tokens) and isinstance(tokens[0], dict) and "entityLabel" in tokens[0]
    )
    return isinstance(record.get("document"), str) and has_labels


def ubiai(records: list[Any], name: str) -> Exported:
    """UBIAI: a document, and its labelled spans under ``tokens``."""
    rows = []
    for record in records:
        spans = record["tokens"]
        entities = [
            {"start": s["start"], "end": s["end"], "label": s["entityLabel"], "text": s.get("text")} for s in spans
        ]
        rows.append({**_others(record, "document", "tokens"), "text": record["document"], "entities": entities})
    return Exported(rows, CHARACTERS)


def is_argilla(record: Row) -> bool:
    spans = record.get("annotation") or record.get("prediction")
    if _ANNOTATED & set(record) or "spans" in record or ("annotation" not in record and "status" not in record):
        return False
    if not isinstance(record.get("text"), str) or not isinstance(spans, list) or not spans:
        return False
    first = spans[0]
    if isinstance(first, dict):
        return {"start", "end", "label"} <= set(first)
    return isinstance(first, list) and isinstance(first[0], str) and len(first) >= 3


def argilla(records: list[Any], name: str) -> Exported:
    """Argilla: the annotation of each record, or else what was predicted."""
    field_name = "annotation" if any(record.get("annotation") for record in records) else "prediction"
    rows = []
    for record in records:
        entities = []
        for span in record.get(field_name) or []:
            label, start, end = (span["label"], span["start"], span["end"]) if isinstance(span, dict) else span[:3]
            entities.append({"start": start, "end": end, "label": label})
        rows.append({**_others(record, "annotation", "prediction", "tokens"), "entities": entities})
    return Exported(rows, CHARACTERS)
