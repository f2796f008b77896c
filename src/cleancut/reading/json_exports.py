"""What tools export as JSON: one value, or a record a line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from ..core.exceptions import CleancutError, reason
from .batches import FEW
from .column_names import PLAIN_ENTITIES, PLAIN_TAGS, PLAIN_TOKENS
from .conll import CONLL_SUFFIXES
from .exported import CHARACTERS, TAGS, TOKEN_SPANS, Exported, characters_of
from .file_format import FileFormat
from .jsonl import json_records
from .opening import Row, Source


def is_json(source: Source) -> bool:
    """Is it one JSON value, rather than an object a line?"""
    text = source.head.lstrip("\ufeff \t\r\n")
    if source.suffix in _OF_COLUMNS:
        return False
    if text.startswith("["):
        return text[1:].lstrip()[:1] in ("{", "[", '"', "]") and _begins_as_json(text)
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
    return is_alone and isinstance(value, dict) and _is_whole(value)


def _is_whole(value: Row) -> bool:
    """Holds an object all rows of a file, rather than one of them?"""
    return _is_of_columns(value) or is_of_pandas(value) or is_bioc(value) or any(map(is_spacy_pairs, _lists_in(value)))


def _lists_in(value: Row) -> list[list[Any]]:
    return [item for item in value.values() if isinstance(item, list) and item]


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
            raise CleancutError(f"{source}, line {line}: invalid JSON ({reason(error)}).") from None
    return _rows_of_value(value, source.name, forms)


def _rows_of_value(value: Any, name: str, forms: Sequence[FileFormat]) -> Exported:
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
    """Is it an array of objects, or of the pairs that spaCy was trained on?"""
    return isinstance(value, list) and bool(value) and (isinstance(value[0], dict) or is_spacy_pairs(value))


def _of_pandas(value: Row) -> Row:
    """Return an object as pandas writes a table, each column an object by row, with a list for each column."""
    if not is_of_pandas(value):
        return value
    if set(value) == {"columns", "index", "data"}:
        return {str(name): [row[at] for row in value["data"]] for at, name in enumerate(value["columns"])}
    return {name: list(column.values()) for name, column in value.items()}


def is_of_pandas(value: Row) -> bool:
    """Is it a table as ``DataFrame.to_json`` writes it, by column and row, or "split"?"""
    if set(value) == {"columns", "index", "data"}:
        return all(isinstance(part, list) for part in value.values())
    columns = list(value.values())
    if not columns or not all(isinstance(column, dict) and column for column in columns):
        return False
    rows = list(columns[0])
    return all(row.isdigit() for row in rows) and all(list(column) == rows for column in columns)


def _rows_of_values(values: list[Any], name: str, forms: Sequence[FileFormat], container: str) -> Exported:
    """Return the rows of the first form that the values have, or as they are, with columns that have to be found."""
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
    for i, row in enumerate(values):
        if not isinstance(row, dict):
            raise CleancutError(f"row {i} ({name}): expected an object, got {type(row).__name__}.")


def _check_one_form(values: list[Any], chosen: FileFormat, forms: Sequence[FileFormat], name: str) -> None:
    """Raise an error where a record is of another form than those by which the file was recognised."""
    of_records = [form for form in forms if form.in_json is not None and form.in_json.is_of_records]
    in_order = [chosen, *(form for form in of_records if form is not chosen)]
    for i, value in enumerate(values):
        form = next((form for form in in_order if form.in_json and form.in_json.recognises([value])), chosen)
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
            has = ", ".join(map(repr, row)) or "nothing"
            raise CleancutError(f"row {i} ({name}): no text, but {has}. Expected {form.expected}.")


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
    is_even = all(len(column) == n_rows for column in columns) and not any(map(is_spacy_pairs, columns))
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
    """BioC: a row for each passage, or sentence, with offsets that count from the beginning of the document.

    Some tools count from the beginning of each passage; that is done where all that mentions quote shows it.
    """
    parts: list[tuple[Row, Row, Sequence[Row]]] = []
    collections = [value.get("documents") or value.get("PubTator3") or [value] for value in values]
    for document in chain.from_iterable(collections):
        for passage in document["passages"]:
            sentences = passage.get("sentences") or []
            inner = [annotation for sentence in sentences for annotation in sentence.get("annotations", ())]
            annotations = passage.get("annotations") or []
            if passage.get("text") or not sentences:
                parts.append((document, passage, [*annotations, *inner]))
            elif annotations:
                raise CleancutError(f"{name}: a passage of {document.get('id')} has annotations but no text. Add it.")
            else:
                parts += [(document, sentence, sentence.get("annotations", ())) for sentence in sentences]
    rows = [_bioc_row(*part, first=int(part[1].get("offset", 0))) for part in parts]
    if not _are_as_quoted(rows):
        of_passages = [_bioc_row(*part, first=0) for part in parts]
        rows = of_passages if _are_as_quoted(of_passages) else rows
    return Exported(rows, CHARACTERS)


def _are_as_quoted(rows: Iterable[Row]) -> bool:
    """Has each text at the characters of its spans what they quote?"""
    return all(
        span["text"] is None or row["text"][max(span["start"], 0) : span["end"]] == span["text"]
        for row in rows
        for span in row["entities"]
    )


def _bioc_row(document: Row, part: Row, annotations: Iterable[Row], first: int) -> Row:
    """Return the row of a passage or a sentence; of an annotation at several places, all from the first to the last."""
    entities = []
    for annotation in annotations:
        places = [(int(place["offset"]) - first, int(place["length"])) for place in annotation["locations"]]
        start, end = min(start for start, _ in places), max(start + length for start, length in places)
        label = annotation.get("infons", {}).get("type")
        quote = annotation.get("text") if len(places) == 1 else None
        entities.append({"start": start, "end": end, "label": label, "text": quote})
    return {**_named(document, "doc"), "text": part.get("text") or "", "entities": entities}


def is_dygie(record: Row) -> bool:
    """Is it a document of DyGIE++ or SciERC: sentences of words, and for each its spans over the whole document?"""
    sentences, spans = record.get("sentences"), record.get("ner")
    return (
        isinstance(sentences, list)
        and isinstance(spans, list)
        and len(sentences) == len(spans) > 0
        and all(isinstance(words, list) and all(isinstance(word, str) for word in words) for words in sentences)
        and all(isinstance(own, list) and all(isinstance(s, list) and len(s) >= 3 for s in own) for own in spans)
    )


def dygie(records: list[Any], name: str) -> Exported:
    """DyGIE++: a row for each sentence; spans count the words of the document, and their ends are inclusive."""
    rows = []
    for record in records:
        first = 0
        for words, spans in zip(record["sentences"], record["ner"], strict=True):
            entities = [{"start": s[0] - first, "end": s[1] - first + 1, "label": s[2]} for s in spans]
            document = {"doc": str(record["doc_key"])} if record.get("doc_key") is not None else {}
            rows.append({**document, "tokens": words, "entities": entities})
            first += len(words)
    return Exported(rows, TOKEN_SPANS)


def is_spacy_pairs(value: list[Any]) -> bool:
    """Are they the pairs that spaCy was trained on: a text, and its entities?"""
    pairs = [pair for pair in value if pair is not None]  # some annotators write null for a line not yet annotated
    return bool(pairs) and all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], dict)
        for pair in pairs
    )


def spacy_pairs(value: list[Any], name: str) -> Exported:
    """spaCy's pairs: a row for each text that is annotated."""
    rows = []
    for text, about in (pair for pair in value if pair is not None):
        spans = about.get("entities", [])
        rows.append({"text": text, "entities": [{"start": s[0], "end": s[1], "label": s[2]} for s in spans]})
    n_null = len(value) - len(rows)
    notes = [f"{n_null} of {len(value)} texts were not annotated and are left out."] if n_null else []
    return Exported(rows, CHARACTERS, notes)


def is_spacy_doc(record: Row) -> bool:
    """Is it what ``Doc.to_json`` returns?"""
    tokens = record.get("tokens")
    has_offsets = isinstance(tokens, list) and all(isinstance(t, dict) and {"start", "end"} <= set(t) for t in tokens)
    return isinstance(record.get("text"), str) and isinstance(record.get("ents"), list) and has_offsets


def spacy_docs(records: list[Any], name: str) -> Exported:
    """spaCy's documents: the text, and the spans of ``ents``."""
    rows = []
    for record in records:
        spans = [{"start": s["start"], "end": s["end"], "label": s["label"]} for s in record["ents"]]
        rows.append({"text": record["text"], "entities": spans})
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
    is_full = "data" in first and any(isinstance(first.get(name), list) for name in _OF_TASKS)
    return is_full or _label_of_min(value) is not None


_OF_TASKS = ("annotations", "completions", "predictions")
"""What tasks of Label Studio may have: annotations, which were called completions, and what a model has predicted."""


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
    """Label Studio, full or short: the first annotation of each task that was not cancelled.

    Where no task has been annotated at all, the predictions are read.
    """
    short = _label_of_min(value)
    is_full = [any(kind in task for kind in (*_OF_TASKS, "data")) for task in value]
    results = [_results_of(task, _OF_TASKS[:2]) for task in value]
    is_predicted = any(is_full) and not any(results)
    if is_predicted:
        results = [_results_of(task, _OF_TASKS[2:]) for task in value]
    rows = []
    for at, (task, full, own) in enumerate(zip(value, is_full, results, strict=True)):
        if full and not own:
            continue
        where = f"task {at} ({name})"
        fields = task["data"] if full else {key: item for key, item in task.items() if key not in _BESIDE_TEXT}
        spans = _spans_of_result(own[0], where) if full else task.get(short) or []
        entities = [
            {"start": span["start"], "end": span["end"], "label": label, "text": span.get("text")}
            for span in spans
            for label in ([span["labels"]] if isinstance(span["labels"], str) else span["labels"])
        ]
        to_name = own[0][0].get("to_name", "text") if full and own[0] else "text"
        text = _text_of_task(fields, to_name, entities, where)
        row = {**_named(task, "id"), "text": text, "entities": entities}
        if any("globalOffsets" in span for span in spans) and not _are_as_quoted([row]):
            raise CleancutError(f"{where}: spans of HTML are not where they are in its text. Export the plain text.")
        rows.append(row)
    n_left = len(value) - len(rows)
    notes = {
        "no task has annotations; the predictions are read.": is_predicted and bool(rows),
        f"{n_left} of {len(value)} tasks were not annotated and are left out.": n_left,
    }
    return Exported(rows, characters_of(rows), [note for note, is_said in notes.items() if is_said])


_BESIDE_TEXT = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"}
"""What stands beside the text in the short form of Label Studio."""


def _results_of(task: Row, kinds: Sequence[str]) -> list[list[Row]]:
    """Return the results of a task that were not cancelled."""
    done = chain.from_iterable(task.get(kind) or () for kind in kinds)
    return [own["result"] for own in done if not own.get("was_cancelled")]


def _spans_of_result(result: Sequence[Row], where: str) -> list[Row]:
    """Return the spans of a result: those of texts, and those of HTML by the characters of its text."""
    spans = []
    for item in result:
        own = item.get("value", {})
        kind = next((key for key in own if key.endswith("labels")), None)
        if kind == "labels":
            spans.append(own)
        elif kind == "hypertextlabels" and "globalOffsets" in own:
            spans.append({**own, **own["globalOffsets"], "labels": own[kind]})
        elif kind is not None:
            raise CleancutError(f"{where}: {kind} are no spans of a text. Leave such results out, or give JSONL.")
    return spans


def _text_of_task(fields: Row, to_name: str, entities: Sequence[Row], where: str) -> str:
    """Return the text of a task: the field that is called as what was annotated, or the one that the spans quote."""
    texts = {key: item for key, item in fields.items() if isinstance(item, str)}
    usual = texts.get(to_name) or texts.get("text")
    if usual is not None:
        return usual
    quoting = [text for text in texts.values() if _are_as_quoted([{"text": text, "entities": entities}])]
    if len(texts) > 1 and not entities:
        quoting = []
    if len(quoting) != 1:
        there = ", ".join(texts) or "none"
        raise CleancutError(f"{where}: which field holds the text? There are {there}. Call it text.")
    return quoting[0]


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
    """Are the first lines of a JSONL file records of a tool that needs more than its columns to be found?"""
    records = _first_records(source)
    if all(isinstance(record, dict) and _OF_SAMPLES.issuperset(record) for record in records):
        return False
    of_records = [form.in_json for form in forms if form.in_json is not None and form.in_json.is_of_records]
    return bool(records) and any(form.recognises(records) for form in of_records)


_OF_SAMPLES = {"id", "doc", "relations", *PLAIN_TOKENS, *PLAIN_TAGS, *PLAIN_ENTITIES}
"""Columns of samples as they are, beside which a tool would have others."""


def _first_records(source: Source) -> list[Any]:
    """Return the objects of the first lines of a JSONL file, as far as they are objects."""
    records: list[Any] = [source.first_record] if source.first_record else []
    with suppress(ValueError, RecursionError):
        records += [json.loads(line) for line in source.head_lines[1:FEW]]
    return records


def tool_jsonl(source: Source, forms: Sequence[FileFormat]) -> Exported:
    """Read a record a line."""
    records = [record for _, record in json_records(source)]
    of_records = [form for form in forms if form.in_json is not None and form.in_json.is_of_records]
    return _rows_of_values(records, source.name, of_records, "JSONL")


def by_first(is_record: Callable[[Row], bool]) -> Callable[[list[Any]], bool]:
    """Return a function that recognises values by the first few of them: one that has no mention may show nothing."""
    return lambda values: any(isinstance(value, dict) and is_record(value) for value in values[:FEW])


_ANSWERS = ("accept", "reject", "ignore")


def is_prodigy(record: Row) -> bool:
    is_annotated = isinstance(record.get("spans"), list) or "_task_hash" in record
    is_answered = record.get("answer") in _ANSWERS and is_annotated
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
    """Is it a record of doccano: ``entities`` with their relations, or ``label`` with triples, of a text?"""
    spans = record.get("entities") or record.get("label") or record.get("labels")
    text = record.get("text", record.get("data"))
    if not isinstance(text, str) or _has_words(record) or not isinstance(spans, list) or not spans:
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
        own = _others(record, "label", "labels")
        if "text" not in own and "data" in own:  # as versions from 1.5 on call it
            own["text"] = own.pop("data")
        rows.append({**own, "entities": entities})
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
    return Exported(rows, characters_of(rows))


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
    """Argilla: the annotation of each record, or else what was predicted; what was discarded is left out."""
    n_records = len(records)
    records = [record for record in records if record.get("status") != "Discarded"]
    n_discarded = n_records - len(records)
    notes = [f"{n_discarded} of {n_records} records have the status Discarded and are left out."] if n_discarded else []
    field_name = "annotation" if any(record.get("annotation") for record in records) else "prediction"
    rows = []
    for record in records:
        entities = []
        for span in record.get(field_name) or []:
            label, start, end = (span["label"], span["start"], span["end"]) if isinstance(span, dict) else span[:3]
            entities.append({"start": start, "end": end, "label": label})
        rows.append({**_others(record, "annotation", "prediction", "tokens"), "entities": entities})
    return Exported(rows, CHARACTERS, notes)


# --- Argilla 2 --------------------------------------------------------------------------------------------------------


def is_argilla_record(record: Row) -> bool:
    """Is it a record of Argilla 2, nested or flat, or of a feedback dataset of Argilla 1?"""
    if isinstance(record.get("fields"), dict):
        return isinstance(record.get("responses"), dict | list) or isinstance(record.get("suggestions"), dict | list)
    return any(name.endswith((".responses", ".suggestion")) or _are_answers(record[name]) for name in record)


def _are_answers(value: Any) -> bool:
    """Are they answers of users to a question, as feedback datasets of Argilla 1 have them on the Hub?"""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(answer, dict) and {"user_id", "value", "status"} <= set(answer) for answer in value)
    )


def argilla_records(records: list[Any], name: str) -> Exported:
    """Argilla 2: what was answered first and not discarded; where nothing was answered at all, what was suggested."""
    answered = [_argilla_spans(record, "responses") for record in records]
    is_suggested = not any(answered)
    chosen = [_argilla_spans(record, "suggestions") for record in records] if is_suggested else answered
    questions = sorted({question for own in chosen for question in own})
    if len(questions) != 1:
        there = ", ".join(map(repr, questions)) or "none"
        raise CleancutError(f"{name}: which question holds the spans? There are {there}. Export one question alone.")
    rows: list[Row] = []
    n_several = 0
    for at, (record, own) in enumerate(zip(records, chosen, strict=True)):
        if questions[0] not in own:
            continue
        values = own[questions[0]]
        n_several += len(values) > 1
        spans = [{"start": s["start"], "end": s["end"], "label": s["label"]} for s in values[0]]
        rows.append({**_named(record, "id"), "text": _argilla_text(record, at, name), "entities": spans})
    notes = {
        "no record has responses; the suggestions are read.": int(is_suggested),
        f"{len(records) - len(rows)} of {len(records)} records have no answer and are left out.": len(records)
        - len(rows),
        f"{n_several} records have several responses; the first is read.": n_several,
    }
    return Exported(rows, CHARACTERS, [note for note, n in notes.items() if n])


def _argilla_spans(record: Row, kind: str) -> dict[str, list[list[Any]]]:
    """Return the lists of spans that questions were answered with, by the question; what was discarded is left out."""
    if isinstance(record.get("fields"), dict):
        values = {question: _argilla_values(own) for question, own in _by_question(record.get(kind) or {}).items()}
    elif kind == "suggestions":
        endings = (".suggestion", "-suggestion")
        values = {key[: -len(endings[0])]: [v] for key, v in record.items() if key.endswith(endings)}
    else:
        values = {
            key.removesuffix(".responses"): _submitted(answers or [], record.get(f"{key}.status") or [])
            for key, answers in record.items()
            if key.endswith(".responses")
        }
        values |= {key: _argilla_values(answers) for key, answers in record.items() if _are_answers(answers)}
    spans = {question: [own for own in found if _are_spans(own)] for question, found in values.items()}
    return {question: found for question, found in spans.items() if found}


def _by_question(given: Any) -> dict[str, list[Row]]:
    """Return answers, or suggestions, by the question; feedback datasets of Argilla 1 have a list of them by user."""
    if isinstance(given, dict):
        return {question: own if isinstance(own, list) else [own] for question, own in given.items()}
    questions: dict[str, list[Row]] = {}
    for answer in given:
        values = answer.get("values") or {answer["question_name"]: answer}
        for question, own in values.items():
            questions.setdefault(question, []).append({**own, "status": answer.get("status", "submitted")})
    return questions


def _argilla_values(answers: Sequence[Any]) -> list[Any]:
    """Return the values of responses, those that were submitted before drafts, or of a suggestion."""
    known = [answer for answer in answers if answer]
    return _submitted([answer["value"] for answer in known], [answer.get("status", "submitted") for answer in known])


def _submitted(answers: Sequence[Any], statuses: Sequence[str]) -> list[Any]:
    """Return the answers that were not discarded, those that were submitted before drafts."""
    known = [*statuses, *["submitted"] * (len(answers) - len(statuses))]
    kept = [(status, answer) for answer, status in zip(answers, known, strict=True) if status != "discarded"]
    return [answer for _, answer in sorted(kept, key=lambda pair: pair[0] != "submitted")]


def _are_spans(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(s, dict) and {"start", "end", "label"} <= set(s) for s in value)


def _argilla_text(record: Row, at: int, name: str) -> str:
    """Return the text of a record: its only field, or the one that is called so."""
    fields = record["fields"] if isinstance(record.get("fields"), dict) else record
    texts = {key: value for key, value in fields.items() if isinstance(value, str) and not key.startswith("_")}
    beside = {} if "fields" in record else {"id", "status"}
    texts = {key: value for key, value in texts.items() if key not in beside and "." not in key}
    if "text" not in texts and len(texts) != 1:
        there = ", ".join(texts) or "none"
        raise CleancutError(f"record {at} ({name}): which field holds the text? There are {there}. Call it text.")
    return str(texts["text"] if "text" in texts else next(iter(texts.values())))
