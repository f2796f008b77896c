"""Rows of what tools export as JSON: one value, or a record a line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from ..core.exceptions import CleancutError, quoted, reason
from .batches import FEW
from .column_names import PLAIN_ENTITIES, PLAIN_TAGS, PLAIN_TOKENS
from .conll import CONLL_SUFFIXES
from .exported import CHARACTERS, TAGS, TOKEN_SPANS, Exported, characters_of
from .file_format import FileFormat
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
    return _is_of_columns(value) or is_of_pandas(value) or is_bioc(value) or any(map(is_spacy_pairs, _lists_in(value)))


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
        lines = [line for line in text.split("\n") if line.strip()]
        try:  # an array a line
            value = [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            line = getattr(error, "lineno", 1)
            raise CleancutError(f"{source}, line {line}: invalid JSON ({reason(error)}).") from None
    return _rows_of_value(value, source.name, forms)


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
    return {name: list(column.values()) for name, column in value.items()}


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
    return all(row.isdigit() for row in rows) and all(list(column) == rows for column in columns)


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


def _named(record: Mapping[str, Any], column: str) -> Row:
    """Return the id of a record under the name of a column, if it has one."""
    return {} if record.get("id") is None else {column: str(record["id"])}


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


def is_bioc(value: Row) -> bool:
    """Return whether an object is a collection of documents of BioC, or one such document.

    Args:
        value: the object.
    """
    documents = value.get("documents") or value.get("PubTator3")
    if documents is None and "passages" in value:
        documents = [value]
    if not isinstance(documents, list) or not documents:
        return False
    return isinstance(documents[0], dict) and "passages" in documents[0]


def bioc(values: list[Any], name: str) -> Exported:
    """Return a row for each passage, or sentence, of BioC.

    Offsets count from the beginning of the document. Some tools count from the beginning of each passage; they are read
    so where all that mentions quote shows it.

    Args:
        values: the collections or documents.
        name: the name of the file, for messages.

    Raises:
        CleancutError: a passage has annotations but no text.
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
        by_passage = [_bioc_row(*part, first=0) for part in parts]
        if _are_as_quoted(by_passage):
            rows = by_passage
    return Exported(rows, CHARACTERS)


def _are_as_quoted(rows: Iterable[Row]) -> bool:
    """Return whether each text has at the characters of its spans what these quote."""
    return all(
        span["text"] is None or row["text"][max(span["start"], 0) : span["end"]] == span["text"]
        for row in rows
        for span in row["entities"]
    )


def _bioc_row(document: Row, part: Row, annotations: Iterable[Row], first: int) -> Row:
    """Return the row of a passage or a sentence; ``first`` is the offset of its first character.

    An annotation at several places goes from the first to the last.
    """
    entities = []
    for annotation in annotations:
        places = [(int(place["offset"]) - first, int(place["length"])) for place in annotation["locations"]]
        start = min(offset for offset, _ in places)
        end = max(offset + length for offset, length in places)
        label = annotation.get("infons", {}).get("type")
        quote = annotation.get("text") if len(places) == 1 else None
        entities.append({"start": start, "end": end, "label": label, "text": quote})
    return {**_named(document, "doc"), "text": part.get("text") or "", "entities": entities}


def is_dygie(record: Row) -> bool:
    """Return whether a record is a document of DyGIE++ or SciERC.

    It has sentences of words, and for each its spans, which count the words of the document.

    Args:
        record: the record.
    """
    sentences = record.get("sentences")
    spans = record.get("ner")
    if not isinstance(sentences, list) or not isinstance(spans, list) or not len(sentences) == len(spans) > 0:
        return False
    if not all(isinstance(words, list) for words in sentences) or not all(isinstance(item, list) for item in spans):
        return False
    are_words = all(isinstance(word, str) for word in chain.from_iterable(sentences))
    return are_words and all(isinstance(span, list) and len(span) >= 3 for span in chain.from_iterable(spans))


def dygie(records: list[Any], name: str) -> Exported:
    """Return a row for each sentence of DyGIE++.

    Spans count the words of the document, and their ends are inclusive.

    Args:
        records: the records.
        name: the name of the file, for messages.
    """
    rows = []
    for record in records:
        first = 0
        for words, spans in zip(record["sentences"], record["ner"], strict=True):
            row: Row = {}
            if record.get("doc_key") is not None:
                row["doc"] = str(record["doc_key"])
            row["tokens"] = words
            row["entities"] = [{"start": s[0] - first, "end": s[1] - first + 1, "label": s[2]} for s in spans]
            rows.append(row)
            first += len(words)
    return Exported(rows, TOKEN_SPANS)


def is_spacy_pairs(value: list[Any]) -> bool:
    """Return whether values are the pairs that spaCy 2 was trained on: a text, and its entities.

    Args:
        value: the values of the array.
    """
    pairs = [pair for pair in value if pair is not None]  # some annotators write null for a line not yet annotated
    return bool(pairs) and all(map(_is_spacy_pair, pairs))


def _is_spacy_pair(pair: Any) -> bool:
    """Return whether a value is a list of a text and a dict."""
    if not isinstance(pair, list) or len(pair) != 2:
        return False
    return isinstance(pair[0], str) and isinstance(pair[1], dict)


def spacy_pairs(value: list[Any], name: str) -> Exported:
    """Return a row for each text that is annotated, of the pairs that spaCy 2 was trained on.

    Args:
        value: the values of the array.
        name: the name of the file, for messages.
    """
    rows = []
    annotated = [pair for pair in value if pair is not None]
    for text, annotation in annotated:
        spans = annotation.get("entities", [])
        rows.append({"text": text, "entities": [{"start": s[0], "end": s[1], "label": s[2]} for s in spans]})
    n_null = len(value) - len(rows)
    notes = []
    if n_null:
        notes.append(f"{n_null} of {len(value)} texts were not annotated and are left out.")
    return Exported(rows, CHARACTERS, notes)


def is_spacy_doc(record: Row) -> bool:
    """Return whether a record is what ``Doc.to_json`` of spaCy returns.

    Args:
        record: the record.
    """
    tokens = record.get("tokens")
    has_offsets = isinstance(tokens, list) and all(isinstance(t, dict) and {"start", "end"} <= set(t) for t in tokens)
    return isinstance(record.get("text"), str) and isinstance(record.get("ents"), list) and has_offsets


def spacy_docs(records: list[Any], name: str) -> Exported:
    """Return the text and the entities of each document of spaCy.

    Args:
        records: the records.
        name: the name of the file, for messages.
    """
    rows = []
    for record in records:
        spans = [{"start": s["start"], "end": s["end"], "label": s["label"]} for s in record["ents"]]
        rows.append({"text": record["text"], "entities": spans})
    return Exported(rows, CHARACTERS)


def is_spacy_json(value: list[Any]) -> bool:
    """Return whether values are documents in the JSON of spaCy 2.

    Args:
        value: the values of the array.
    """
    return isinstance(value[0], dict) and "paragraphs" in value[0]


def spacy_json(value: list[Any], name: str) -> Exported:
    """Return a row for each sentence in the JSON of spaCy 2, whose tokens have tags of BILOU.

    Args:
        value: the values of the array.
        name: the name of the file, for messages.
    """
    rows = []
    for document in value:
        for paragraph in document["paragraphs"]:
            for sentence in paragraph["sentences"]:
                tokens = sentence["tokens"]
                tags = [token.get("ner", "O") for token in tokens]
                words = [token["orth"] for token in tokens]
                plain_tags = ["O" if tag == "-" else tag for tag in tags]
                rows.append({"tokens": words, "tags": plain_tags, **_named(document, "doc")})
    return Exported(rows, TAGS)


def is_label_studio(value: list[Any]) -> bool:
    """Return whether values are tasks of Label Studio, in full or in short form.

    Args:
        value: the values of the array.
    """
    first = value[0]
    if not isinstance(first, dict):
        return False
    is_full = "data" in first and any(isinstance(first.get(name), list) for name in _OF_TASKS)
    return is_full or _label_of_min(value) is not None


_OF_TASKS = ("annotations", "completions", "predictions")
"""The lists that tasks of Label Studio may have: annotations, formerly completions, and predictions of a model."""


def _label_of_min(value: list[Any]) -> str | None:
    """Return the field that holds the spans, with ``labels`` in each, in the short form of Label Studio; else None."""
    rows = [row for row in value if isinstance(row, dict)]
    for row in rows:
        for name, spans in row.items():
            has_records = isinstance(spans, list) and bool(spans) and isinstance(spans[0], dict)
            if has_records and {"labels", "start"} <= set(spans[0]):
                return str(name)
    return None


def label_studio(value: list[Any], name: str) -> Exported:
    """Return the rows of Label Studio: the first annotation of each task that was not cancelled.

    Where no task has been annotated at all, the predictions are read.

    Args:
        value: the values of the array.
        name: the name of the file, for messages.

    Raises:
        CleancutError: a result has no spans of a text, or it is not clear which field holds the text.
    """
    short = _label_of_min(value)
    is_full = [any(kind in task for kind in (*_OF_TASKS, "data")) for task in value]
    results = [_results_of(task, _OF_TASKS[:2]) for task in value]
    is_predicted = any(is_full) and not any(results)
    if is_predicted:
        results = [_results_of(task, _OF_TASKS[2:]) for task in value]
    rows = []
    for i, (task, full, task_results) in enumerate(zip(value, is_full, results, strict=True)):
        if full and not task_results:
            continue
        where = f"task {i} ({name})"
        to_name = "text"
        if full:
            fields = task["data"]
            spans = _spans_of_result(task_results[0], where)
            if task_results[0]:
                to_name = task_results[0][0].get("to_name", "text")
        else:
            fields = {key: item for key, item in task.items() if key not in _BESIDE_TEXT}
            spans = task.get(short) or []
        entities = _entities_of_spans(spans)
        text = _text_of_task(fields, to_name, entities, where)
        row = {**_named(task, "id"), "text": text, "entities": entities}
        if any("globalOffsets" in span for span in spans) and not _are_as_quoted([row]):
            raise CleancutError(f"{where}: the offsets are those of HTML, not of its text. Export the plain text.")
        rows.append(row)
    n_left = len(value) - len(rows)
    notes = {
        "no task has annotations; the predictions are read.": is_predicted and bool(rows),
        f"{n_left} of {len(value)} tasks were not annotated and are left out.": n_left,
    }
    return Exported(rows, characters_of(rows), [note for note, is_true in notes.items() if is_true])


def _entities_of_spans(spans: Sequence[Row]) -> list[Row]:
    """Return the spans of Label Studio, once for each of their labels."""
    entities = []
    for span in spans:
        labels = span["labels"]
        for label in [labels] if isinstance(labels, str) else labels:
            entities.append({"start": span["start"], "end": span["end"], "label": label, "text": span.get("text")})
    return entities


_BESIDE_TEXT = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"}
"""The fields that stand beside the text in the short form of Label Studio."""


def _results_of(task: Row, kinds: Sequence[str]) -> list[list[Row]]:
    """Return the results of a task that were not cancelled."""
    annotations = chain.from_iterable(task.get(kind) or () for kind in kinds)
    return [annotation["result"] for annotation in annotations if not annotation.get("was_cancelled")]


def _spans_of_result(result: Sequence[Row], where: str) -> list[Row]:
    """Return the spans of a result: those of texts, and those of HTML by the characters of its text."""
    spans = []
    for item in result:
        value = item.get("value", {})
        kind = next((key for key in value if key.endswith("labels")), None)
        if kind == "labels":
            spans.append(value)
        elif kind == "hypertextlabels" and "globalOffsets" in value:
            spans.append({**value, **value["globalOffsets"], "labels": value[kind]})
        elif kind is not None:
            raise CleancutError(f"{where}: {kind} are not spans of a text. Leave such results out, or give JSONL.")
    return spans


def _text_of_task(fields: Row, to_name: str, entities: Sequence[Row], where: str) -> str:
    """Return the text of a task: the field with the name of what was annotated, or the one that the spans quote."""
    texts = {key: item for key, item in fields.items() if isinstance(item, str)}
    usual = texts.get(to_name) or texts.get("text")
    if usual is not None:
        return usual
    quoting = [text for text in texts.values() if _are_as_quoted([{"text": text, "entities": entities}])]
    if len(texts) > 1 and not entities:
        quoting = []
    if len(quoting) != 1:
        names = ", ".join(texts) or "none"
        raise CleancutError(f"{where}: which field holds the text? There are {names}. Call it text.")
    return quoting[0]


def is_pipeline_output(value: list[Any]) -> bool:
    """Return whether values are what a token-classification pipeline returned, without the texts.

    Args:
        value: the values of the array.
    """
    spans = value[0] if isinstance(value[0], list) else value
    return bool(spans) and all(isinstance(span, dict) and {"word", "score"} <= set(span) for span in spans)


def refuse_pipeline_output(value: list[Any], name: str) -> Exported:
    """Refuse the output of a pipeline, whose offsets are of no use without the texts.

    Args:
        value: the values of the array.
        name: the name of the file, for messages.

    Raises:
        CleancutError: always.
    """
    raise CleancutError(
        f"{name}: the output of a pipeline without the texts that its offsets are for. Write a row for each text: "
        '{"text": ..., "entities": [...]}.'
    )


def is_tool_jsonl(source: Source, forms: Sequence[FileFormat]) -> bool:
    """Return whether the first lines of a JSONL file are records of a tool, for which detected columns are not enough.

    Args:
        source: the file.
        forms: the formats of tools that write JSON.
    """
    records = _first_records(source)
    if all(isinstance(record, dict) and _OF_SAMPLES.issuperset(record) for record in records):
        return False
    return bool(records) and any(_recognises(form, records) for form in _of_records(forms))


_OF_SAMPLES = {"id", "doc", "relations", *PLAIN_TOKENS, *PLAIN_TAGS, *PLAIN_ENTITIES}
"""Columns of samples as they are, beside which a tool would have others."""


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


_ANSWERS = ("accept", "reject", "ignore")
"""The answers of users of Prodigy."""


def is_prodigy(record: Row) -> bool:
    """Return whether a record is one of Prodigy: a text with an answer of the user, and no columns of annotation.

    Args:
        record: the record.
    """
    is_annotated = isinstance(record.get("spans"), list) or "_task_hash" in record
    is_answered = record.get("answer") in _ANSWERS and is_annotated
    return is_answered and isinstance(record.get("text"), str) and not _ANNOTATED & set(record)


_ANNOTATED = {*PLAIN_TAGS, *PLAIN_ENTITIES}
"""Columns of annotation, beside which what a tool adds is not the annotation."""


def _has_words(record: Row) -> bool:
    """Return whether a record has words, so that its spans may count them."""
    return any(isinstance(record.get(name), list) for name in PLAIN_TOKENS)


def prodigy(records: list[Any], name: str) -> Exported:
    """Return the rows of Prodigy without those that were rejected or ignored.

    Args:
        records: the records.
        name: the name of the file, for messages.
    """
    answers = Counter(str(record.get("answer")) for record in records)
    rows = []
    for record in records:
        if record.get("answer") in ("reject", "ignore"):
            continue
        spans = [{"start": s["start"], "end": s["end"], "label": s["label"]} for s in record.get("spans") or []]
        rows.append({**_others(record, "spans", "tokens"), "entities": spans})
    notes = []
    for answer in ("reject", "ignore"):
        if answers[answer]:
            notes.append(f"{answers[answer]} of {len(records)} rows have the answer {answer} and are left out.")
    return Exported(rows, CHARACTERS, notes)


def is_doccano(record: Row) -> bool:
    """Return whether a record is one of doccano.

    Then a text has ``entities`` with their relations, or ``label`` with triples.

    Args:
        record: the record.
    """
    spans = record.get("entities") or record.get("label") or record.get("labels")
    text = record.get("text", record.get("data"))
    if not isinstance(text, str) or _has_words(record) or not isinstance(spans, list) or not spans:
        return False
    first = spans[0]
    if isinstance(first, dict):
        return {"start_offset", "end_offset", "label"} <= set(first)
    return isinstance(first, list) and len(first) == 3 and isinstance(first[2], str) and isinstance(first[0], int)


def doccano(records: list[Any], name: str) -> Exported:
    """Return the rows of doccano. Whether the ends of triples are inclusive is to be detected.

    Args:
        records: the records.
        name: the name of the file, for messages.
    """
    rows = []
    for record in records:
        spans = record.get("entities") or record.get("label") or record.get("labels") or []
        if spans and isinstance(spans[0], dict):
            entities = [{"start": s["start_offset"], "end": s["end_offset"], "label": s["label"]} for s in spans]
        else:
            entities = [{"start": s[0], "end": s[1], "label": s[2]} for s in spans]
        row = _others(record, "label", "labels")
        if "text" not in row and "data" in row:  # as versions from 1.5 on call it
            row["text"] = row.pop("data")
        row["entities"] = entities
        rows.append(row)
    has_triples = any(isinstance(record.get("label") or record.get("labels"), list) for record in records)
    reading = dict(CHARACTERS)
    if has_triples:  # whether their ends are inclusive is detected
        del reading["end"]
    return Exported(rows, reading)


def _others(record: Row, *names: str) -> Row:
    """Return the fields of a record other than some."""
    return {name: value for name, value in record.items() if name not in names}


def is_ubiai(record: Row) -> bool:
    """Return whether a record is one of UBIAI: a document, and its labelled spans under ``tokens``.

    Args:
        record: the record.
    """
    tokens = record.get("tokens")
    if not isinstance(record.get("document"), str) or not isinstance(tokens, list) or not tokens:
        return False
    return isinstance(tokens[0], dict) and "entityLabel" in tokens[0]


def ubiai(records: list[Any], name: str) -> Exported:
    """Return the rows of UBIAI: the document, and its labelled spans.

    Args:
        records: the records.
        name: the name of the file, for messages.
    """
    rows = []
    for record in records:
        spans = record["tokens"]
        entities = [
            {"start": s["start"], "end": s["end"], "label": s["entityLabel"], "text": s.get("text")} for s in spans
        ]
        rows.append({**_others(record, "document", "tokens"), "text": record["document"], "entities": entities})
    return Exported(rows, characters_of(rows))


def is_argilla(record: Row) -> bool:
    """Return whether a record is one of Argilla 1: a text with an annotation or a prediction.

    Args:
        record: the record.
    """
    spans = record.get("annotation") or record.get("prediction")
    if _ANNOTATED & set(record) or "spans" in record or ("annotation" not in record and "status" not in record):
        return False
    if not isinstance(record.get("text"), str) or not isinstance(spans, list) or not spans:
        return False
    first = spans[0]
    if isinstance(first, dict):
        return {"start", "end", "label"} <= set(first)
    return isinstance(first, list) and len(first) >= 3 and isinstance(first[0], str)


def argilla(records: list[Any], name: str) -> Exported:
    """Return the rows of Argilla 1 without those that were discarded.

    The annotation of each record is read; where no record has one, what was predicted.

    Args:
        records: the records.
        name: the name of the file, for messages.
    """
    kept = [record for record in records if record.get("status") != "Discarded"]
    n_discarded = len(records) - len(kept)
    notes = []
    if n_discarded:
        notes.append(f"{n_discarded} of {len(records)} records have the status Discarded and are left out.")
    field_name = "annotation" if any(record.get("annotation") for record in kept) else "prediction"
    rows = []
    for record in kept:
        entities = []
        for span in record.get(field_name) or []:
            values = [span[key] for key in ("label", "start", "end")] if isinstance(span, dict) else span[:3]
            label, start, end = values
            entities.append({"start": start, "end": end, "label": label})
        rows.append({**_others(record, "annotation", "prediction", "tokens"), "entities": entities})
    return Exported(rows, CHARACTERS, notes)


# --- Argilla 2 --------------------------------------------------------------------------------------------------------


def is_argilla_record(record: Row) -> bool:
    """Return whether a record is one of Argilla 2, nested or flat, or of a feedback dataset of Argilla 1.

    Args:
        record: the record.
    """
    if isinstance(record.get("fields"), dict):
        return isinstance(record.get("responses"), dict | list) or isinstance(record.get("suggestions"), dict | list)
    return any(name.endswith((".responses", ".suggestion")) or _are_answers(record[name]) for name in record)


def _are_answers(value: Any) -> bool:
    """Return whether a value holds answers to a question, as feedback datasets of Argilla 1 have them on the Hub."""
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(answer, dict) and {"user_id", "value", "status"} <= set(answer) for answer in value)


def argilla_records(records: list[Any], name: str) -> Exported:
    """Return the rows of Argilla 2: the first response to each record that was not discarded.

    Where no record has a response, the suggestions are read.

    Args:
        records: the records.
        name: the name of the file, for messages.

    Raises:
        CleancutError: it is not clear which question holds the spans, or which field holds the text.
    """
    answered = [_argilla_spans(record, "responses") for record in records]
    is_suggested = not any(answered)
    chosen = answered
    if is_suggested:
        chosen = [_argilla_spans(record, "suggestions") for record in records]
    questions = sorted(set(chain.from_iterable(chosen)))
    if len(questions) != 1:
        listed = ", ".join(map(quoted, questions)) or "none"
        raise CleancutError(f"{name}: which question holds the spans? There are {listed}. Export one question alone.")
    question = questions[0]
    rows: list[Row] = []
    n_several = 0
    for i, (record, answers) in enumerate(zip(records, chosen, strict=True)):
        if question not in answers:
            continue
        n_several += len(answers[question]) > 1
        spans = [{"start": s["start"], "end": s["end"], "label": s["label"]} for s in answers[question][0]]
        rows.append({**_named(record, "id"), "text": _argilla_text(record, i, name), "entities": spans})
    n_left = len(records) - len(rows)
    notes = {
        "no record has responses; the suggestions are read.": int(is_suggested),
        f"{n_left} of {len(records)} records have no answer and are left out.": n_left,
        f"{n_several} records have several responses; the first is read.": n_several,
    }
    return Exported(rows, CHARACTERS, [note for note, n in notes.items() if n])


def _argilla_spans(record: Row, kind: str) -> dict[str, list[list[Any]]]:
    """Return the lists of spans that questions were answered with, by the question.

    Responses that were discarded are left out.
    """
    values: dict[str, list[Any]] = {}
    if isinstance(record.get("fields"), dict):
        for question, answers in _by_question(record.get(kind) or {}).items():
            values[question] = _argilla_values(answers)
    elif kind == "suggestions":
        endings = (".suggestion", "-suggestion")
        values = {key[: -len(endings[0])]: [value] for key, value in record.items() if key.endswith(endings)}
    else:
        for key, answers in record.items():
            if key.endswith(".responses"):
                statuses = record.get(f"{key}.status") or []
                values[key.removesuffix(".responses")] = _submitted(answers or [], statuses)
        values |= {key: _argilla_values(answers) for key, answers in record.items() if _are_answers(answers)}
    spans = {question: list(filter(_are_spans, answers)) for question, answers in values.items()}
    return {question: answers for question, answers in spans.items() if answers}


def _by_question(answers: Any) -> dict[str, list[Row]]:
    """Return answers, or suggestions, by the question; feedback datasets of Argilla 1 have a list of them by user."""
    questions: dict[str, list[Row]] = {}
    if isinstance(answers, dict):
        for question, value in answers.items():
            questions[question] = value if isinstance(value, list) else [value]
        return questions
    for answer in answers:
        values = answer.get("values") or {answer["question_name"]: answer}
        for question, value in values.items():
            questions.setdefault(question, []).append({**value, "status": answer.get("status", "submitted")})
    return questions


def _argilla_values(answers: Sequence[Any]) -> list[Any]:
    """Return the values of responses, those that were submitted before drafts, or of a suggestion."""
    known = [answer for answer in answers if answer]
    values = [answer["value"] for answer in known]
    statuses = [answer.get("status", "submitted") for answer in known]
    return _submitted(values, statuses)


def _submitted(answers: Sequence[Any], statuses: Sequence[str]) -> list[Any]:
    """Return the answers that were not discarded, those that were submitted before drafts."""
    all_statuses = [*statuses, *["submitted"] * (len(answers) - len(statuses))]
    kept = [(status, answer) for answer, status in zip(answers, all_statuses, strict=True) if status != "discarded"]
    return [answer for _, answer in sorted(kept, key=lambda pair: pair[0] != "submitted")]


def _are_spans(value: Any) -> bool:
    """Return whether a value is a list of spans."""
    return isinstance(value, list) and all(isinstance(s, dict) and {"start", "end", "label"} <= set(s) for s in value)


def _argilla_text(record: Row, number: int, name: str) -> str:
    """Return the text of a record: its only field, or the one with the name ``text``."""
    fields = record["fields"] if isinstance(record.get("fields"), dict) else record
    beside = () if "fields" in record else ("id", "status")
    texts = {}
    for key, value in fields.items():
        is_text = isinstance(value, str) and not key.startswith("_")
        if is_text and key not in beside and "." not in key:
            texts[key] = value
    if "text" in texts:
        return str(texts["text"])
    if len(texts) != 1:
        names = ", ".join(texts) or "none"
        raise CleancutError(f"record {number} ({name}): which field holds the text? There are {names}. Call it text.")
    return str(next(iter(texts.values())))
