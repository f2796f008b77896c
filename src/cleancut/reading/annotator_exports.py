"""Rows of what people have annotated with a tool that exports JSON: Label Studio, Prodigy, doccano, UBIAI, Argilla."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

from ..core.exceptions import CleancutError, quoted
from .column_names import PLAIN_ENTITIES, PLAIN_TAGS, PLAIN_TOKENS
from .exported import CHARACTERS, Exported, are_as_quoted, characters_of, id_as
from .opening import Row


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
        row = {**id_as(task, "id"), "text": text, "entities": entities}
        if any("globalOffsets" in span for span in spans) and not are_as_quoted([row]):
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
    quoting = [text for text in texts.values() if are_as_quoted([{"text": text, "entities": entities}])]
    if len(texts) > 1 and not entities:
        quoting = []
    if len(quoting) != 1:
        names = ", ".join(texts) or "none"
        raise CleancutError(f"{where}: which field holds the text? There are {names}. Rename it to text.")
    return quoting[0]


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
        rows.append({**id_as(record, "id"), "text": _argilla_text(record, i, name), "entities": spans})
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
        raise CleancutError(
            f"record {number} ({name}): which field holds the text? There are {names}. Rename it to text."
        )
    return str(next(iter(texts.values())))
