"""What annotation tools export, as rows: one table says how each format is recognised and read.

A format that is neither CoNLL columns, JSONL nor Parquet of our own kind is one entry of ``EXPORTS``. Reading it gives
rows in one of three forms: tokens with tags, tokens with token spans, or a text with spans of its characters. From
there on they go the way of every dataset.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.exceptions import CleancutError

Row = dict[str, Any]
TAGS = {"tokens": "tokens", "tags": "tags"}
TOKEN_SPANS = {"tokens": "tokens", "entities": "entities", "end": "exclusive"}
CHARACTERS = {"text": "text", "entities": "entities", "end": "exclusive"}
"""How the rows of an export are to be read, as options of ``from_dataset``."""


@dataclass(frozen=True)
class Exported:
    """The rows of an exported file."""

    rows: list[Row]
    reading: Mapping[str, str] = field(default_factory=dict)
    """Options of ``from_dataset``; where there are none, the columns have to be found."""
    notes: Sequence[str] = ()
    """What is to be known of the rows, such as how many were left out."""


@dataclass(frozen=True)
class Head:
    """The beginning of a file, by which its format is recognised."""

    name: str
    text: str

    @property
    def suffix(self) -> str:
        """The ending of the name, in small letters, without ``.gz``."""
        return Path(self.name.lower().removesuffix(".gz")).suffix

    @property
    def lines(self) -> list[str]:
        """The lines that are whole and not blank."""
        whole = self.text.split("\n")[:-1] or [self.text]
        return [line.rstrip("\r") for line in whole if line.strip()]

    @property
    def first_record(self) -> Row:
        """The object that the first line holds, or the first of an array; empty where there is none."""
        text = self.text.lstrip("\ufeff \t\r\n").removeprefix("[").lstrip()
        try:
            record, _ = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return {}
        return record if isinstance(record, dict) else {}


@dataclass(frozen=True)
class Export:
    """A format: its name, how it is recognised, and how its text is read."""

    name: str
    recognises: Callable[[Head], bool]
    rows: Callable[[str, str], Exported]
    """Given the text of a file and what to call it in errors."""


def recognised(head: Head) -> Export | None:
    """Return the export that a file is, if it is one."""
    return next((export for export in EXPORTS if export.recognises(head)), None)


# --- columns ----------------------------------------------------------------------------------------------------------


def _is_conllu(head: Head) -> bool:
    rows = [line.split("\t") for line in head.lines if not line.startswith("#")]
    is_wide = bool(rows) and all(len(fields) == 10 for fields in rows)
    counts = is_wide and re.match(r"\d+", rows[0][0]) is not None
    return counts and any(_NER_IN_MISC.search(fields[9]) for fields in rows)


_NER_IN_MISC = re.compile(r"(?:^|\|)(?:NER|NE|Ner|ner)=([^|]*)")


def _conllu(text: str, name: str) -> Exported:
    """CoNLL-U with the tag of each word in the last column, ``NER=B-PER``."""
    rows: list[Row] = []
    row: Row = {"tokens": [], "tags": []}
    document = None
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if not line.strip():
            if row["tokens"]:
                rows.append(row)
            row = {"tokens": [], "tags": []}
        elif line.startswith("#"):
            key, _, value = (part.strip() for part in line.removeprefix("#").partition("="))
            if key == "sent_id":
                row["id"] = value
            elif key == "newdoc id":
                document = value
        else:
            fields = line.split("\t")
            if len(fields) != 10:
                raise CleancutError(f"{name}, line {number}: {len(fields)} columns, but CoNLL-U has 10.")
            if "-" in fields[0] or "." in fields[0]:  # words joined in writing, and words that are not written
                continue
            found = _NER_IN_MISC.search(fields[9])
            row["tokens"].append(fields[1])
            row["tags"].append(found[1] if found and found[1] not in ("", "_") else "O")
            if document is not None:
                row["doc"] = document
    if row["tokens"]:
        rows.append(row)
    return Exported(rows, TAGS)


def _is_conll_2012(head: Head) -> bool:
    begins = any(line.startswith("#begin document") for line in head.lines[:20])
    return begins and any(len(line.split()) > _NAMES_2012 for line in head.lines if not line.startswith("#"))


_WORD_2012, _NAMES_2012 = 3, 10


def _conll_2012(text: str, name: str) -> Exported:
    """CoNLL-2012: names as brackets in a column, ``(PERSON*``, ``*``, ``*)``."""
    rows: list[Row] = []
    row: Row = {"tokens": [], "entities": []}
    opened: list[tuple[int, str]] = []
    document = ""
    for number, line in enumerate([*text.split("\n"), ""], 1):
        line = line.strip()
        if line.startswith("#begin document"):
            document = line.removeprefix("#begin document").strip()
        elif line.startswith("#"):
            continue
        elif not line:
            if opened:
                raise CleancutError(f"{name}, line {number}: the name that begins with ({opened[-1][1]} does not end.")
            if row["tokens"]:
                rows.append({**row, "doc": document})
            row = {"tokens": [], "entities": []}
        else:
            fields = line.split()
            if len(fields) <= _NAMES_2012:
                raise CleancutError(f"{name}, line {number}: {len(fields)} columns, but CoNLL-2012 has at least 11.")
            place = len(row["tokens"])
            row["tokens"].append(fields[_WORD_2012].removeprefix("/") or "/")
            for label in re.findall(r"\(([^()*]+)", fields[_NAMES_2012]):
                opened.append((place, label))
            for _ in range(fields[_NAMES_2012].count(")")):
                if not opened:
                    raise CleancutError(f"{name}, line {number}: a name ends here that did not begin.")
                start, label = opened.pop()
                row["entities"].append({"start": start, "end": place + 1, "label": label})
    return Exported(rows, TOKEN_SPANS)


def _is_webanno(head: Head) -> bool:
    return head.text.lstrip("\ufeff").startswith("#FORMAT=WebAnno TSV")


def _webanno(text: str, name: str) -> Exported:
    """WebAnno TSV 3 (INCEpTION): the first layer of spans that has a value."""
    column = _webanno_column(text, name)
    rows: list[Row] = []
    for block in re.split(r"\n\s*\n", text.replace("\r", "")):
        lines = [line.split("\t") for line in block.split("\n") if re.match(r"\d+-\d+\t", line)]
        if not lines:
            continue
        spans: dict[tuple[str, str], dict[str, Any]] = {}
        for place, fields in enumerate(lines):
            if len(fields) <= column:
                raise CleancutError(
                    f"{name}: the line {fields[0]} has {len(fields)} columns, but {column + 1} are named."
                )
            for value in re.split(r"(?<!\\)\|", fields[column]):
                found = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", value)
                if found is None or value in ("_", "*") or found[1] in ("", "*", "_"):
                    continue
                label = re.sub(r"\\(.)", r"\1", found[1])
                span = spans.setdefault((label, found[2] or f"at {place}"), {"start": place, "label": label})
                span["end"] = place + 1
        tokens = [re.sub(r"\\(.)", r"\1", fields[2]) for fields in lines]
        rows.append({"tokens": tokens, "entities": list(spans.values())})
    return Exported(rows, TOKEN_SPANS)


def _webanno_column(text: str, name: str) -> int:
    """Return the column of the value of named entities: by the name of the layer, or of the only layer."""
    layers = re.findall(r"^#T_SP=([^|\r\n]+)\|?([^\r\n]*)", text, re.M)
    columns: dict[str, int] = {}
    next_column = 3
    for layer, features in layers:
        names = [feature for feature in features.split("|") if feature]
        if names:
            value = names.index("value") if "value" in names else len(names) - 1
            columns[layer] = next_column + value
        next_column += max(len(names), 1)
    named = [layer for layer in columns if "NamedEntity" in layer or layer.lower().endswith("ner")]
    chosen = named or list(columns)
    if len(chosen) != 1:
        there = ", ".join(columns) or "none"
        raise CleancutError(f"{name}: which layer holds the names? There are {there}. Export one layer alone.")
    return columns[chosen[0]]


def _is_csv(head: Head) -> bool:
    return head.suffix == ".csv"


def _csv(text: str, name: str) -> Exported:
    """A table whose columns have to be found; all its values are text."""
    csv.field_size_limit(2**31 - 1)  # a document may be longer than the 128 KB that csv allows
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise CleancutError(f"{name}: not a readable CSV file ({error}). Write it as UTF-8.") from None
    for at, row in enumerate(rows):
        if None in row or None in row.values():
            base = os.path.basename(name)
            raise CleancutError(f"row {at} ({base}): not as many values as the first line has names.")
    return Exported(rows)


# --- texts ------------------------------------------------------------------------------------------------------------


def _is_pubtator(head: Head) -> bool:
    found = re.match(r"([^|\s]+)\|t\|", head.lines[0]) if len(head.lines) > 1 else None
    return found is not None and head.lines[1].startswith(f"{found[1]}|a|")


def _pubtator(text: str, name: str) -> Exported:
    """PubTator: a title and an abstract, then a line for each mention at its characters of both."""
    rows: dict[str, Row] = {}
    for number, line in enumerate(text.lstrip("\ufeff").replace("\r", "").split("\n"), 1):
        part = re.match(r"([^|\t]+)\|([ta])\|(.*)", line)
        fields = line.split("\t")
        if part is not None:
            row = rows.setdefault(part[1], {"id": part[1], "text": "", "entities": []})
            row["text"] = part[3] if part[2] == "t" else f"{row['text']} {part[3]}"
        elif len(fields) >= 5 and fields[1].isdigit() and fields[2].isdigit():
            if fields[0] not in rows:
                raise CleancutError(
                    f"{name}, line {number}: a mention of {fields[0]}, whose text does not stand before."
                )
            span = {"start": int(fields[1]), "end": int(fields[2]), "label": fields[4], "text": fields[3]}
            rows[fields[0]]["entities"].append(span)
    return Exported(list(rows.values()), CHARACTERS)


_MARKED = re.compile(
    r"<START:(?P<opennlp>[^>\s]+)>\s?(?P<inside>.*?)\s?<END>"
    r"|<(?P<enamex>ENAMEX|NUMEX|TIMEX)\s+TYPE=\"(?P<type>[^\"]+)\"[^>]*>(?P<in_enamex>.*?)</(?P=enamex)>"
    r"|<(?P<tag>[A-Za-z][\w.-]*)>(?P<in_tag>[^<]*)</(?P=tag)>"
)


def _is_inline(head: Head) -> bool:
    """Are there names in marks, in lines that are otherwise plain text?"""
    if head.suffix not in (".xml", ".sgml", ".txt", ".train", "") or head.text.lstrip().startswith("<?xml"):
        return False
    if not any(_MARKED.search(line) for line in head.lines):
        return False
    widths = {len(line.split()) for line in head.lines}
    of_columns = len(widths) == 1 and widths.pop() > 1  # as many in every line: tokens, and what is said of them
    return not of_columns and not any(re.search(r"\t|\s[BIOESLU]-\S+$", line) for line in head.lines)


def _inline(text: str, name: str) -> Exported:
    """One sample a line, whose names stand in marks: ``<PER>Ada</PER>``, ENAMEX, or ``<START:person> Ada <END>``."""
    rows: list[Row] = []
    for number, line in enumerate(text.lstrip("\ufeff").replace("\r", "").split("\n"), 1):
        if not line.strip():
            continue
        parts: list[str] = []
        entities: list[Row] = []
        last = length = 0
        for found in _MARKED.finditer(line):
            label = found["opennlp"] or found["type"] or found["tag"]
            inside = found["inside"] or found["in_enamex"] or found["in_tag"] or ""
            if "<" in inside:
                raise CleancutError(
                    f"{name}, line {number}: a name within a name, which lines with marks cannot be read for."
                )
            before = line[last : found.start()]
            length += len(before)
            entities.append({"start": length, "end": length + len(inside), "label": label})
            length += len(inside)
            parts += [before, inside]
            last = found.end()
        parts.append(line[last:])
        plain = "".join(parts)
        if re.search(r"</?[A-Za-z][\w.:-]*( [^>]*)?>", plain):
            raise CleancutError(f"{name}, line {number}: a mark that does not begin or end ({plain:.60}).")
        rows.append({"text": plain, "entities": [span for span in entities if span["start"] < span["end"]]})
    return Exported(rows, CHARACTERS)


# --- JSON -------------------------------------------------------------------------------------------------------------


def _is_json(head: Head) -> bool:
    """Is it one JSON value, rather than an object a line?"""
    text = head.text.lstrip("\ufeff \t\r\n")
    if head.suffix in _OF_COLUMNS:
        return False
    if text.startswith("["):
        return text[1:].lstrip()[:1] in ("{", "[", '"') and _begins_as_json(text)
    if not text.startswith("{") or text[1:].lstrip()[:1] not in ('"', "}", "") or head.suffix in (".jsonl", ".ndjson"):
        return False
    first_line = text.split("\n", 1)[0]
    try:
        value = json.loads(first_line)
    except (ValueError, RecursionError):
        return len(head.lines) > 1  # an object over several lines
    is_alone = len(head.lines) == 1 and "\n" in head.text + "\n"
    return is_alone and isinstance(value, dict) and (_is_of_columns(value) or _is_bioc(value))


_OF_COLUMNS = (".conll", ".bio", ".iob", ".iob2", ".bioes", ".tsv", ".conllu")
"""Endings of files of columns, whatever their first word is."""


def _begins_as_json(text: str) -> bool:
    """Is a text JSON as far as it goes?"""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip()) - 1 or error.msg.startswith(("Unterminated", "Extra data"))
    except RecursionError:
        return True
    return True


def _json(text: str, name: str) -> Exported:
    """One JSON value: an array of rows, an object of columns, or what a tool exports as either."""
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError) as error:
        lines = [line for line in text.split("\n") if line.strip()]
        try:  # an array a line
            value = [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            line = getattr(error, "lineno", 1)
            raise CleancutError(f"{name}, line {line}: invalid JSON ({error}).") from None
    return _of_value(value, name)


def _of_value(value: Any, name: str) -> Exported:
    if isinstance(value, dict):
        if _is_bioc(value):
            return _bioc(value)
        if _is_of_columns(value):
            return _of_columns(value, name)
        inner = [item for item in value.values() if isinstance(item, list) and item and isinstance(item[0], dict)]
        if len(inner) == 1 and not {"tokens", "words", "text"} & set(value):  # rows beside what is said of them
            return _of_value(inner[0], name)
        value = [value]
    if not isinstance(value, list):
        raise CleancutError(f"{name}: expected rows, got {type(value).__name__}. Give an array of objects.")
    if not value:
        return Exported([])
    for recognise, read in _OF_ARRAYS:
        if recognise(value):
            return read(value, name)
    wrong = next((i for i, row in enumerate(value) if not isinstance(row, dict)), None)
    if wrong is not None:
        raise CleancutError(f"row {wrong} ({name}): expected an object, got {type(value[wrong]).__name__}.")
    return of_records(value)


def _named(record: Mapping[str, Any], column: str) -> Row:
    """Return the id of a record under the name of a column, if it has one."""
    return {} if record.get("id") is None else {column: str(record["id"])}


def _is_of_columns(value: Mapping[str, Any]) -> bool:
    """Is it a list for each column, all of one length, of which one holds lists?"""
    columns = list(value.values())
    if not columns or not all(isinstance(column, list) for column in columns):
        return False
    words = next((value[name] for name in ("tokens", "words") if name in value), None)
    if words and not isinstance(words[0], list):
        return False  # the words of one sample
    n_rows = len(columns[0])
    is_even = all(len(column) == n_rows for column in columns)
    return is_even and any(column and isinstance(column[0], list) for column in columns)


def _of_columns(value: Mapping[str, list[Any]], name: str) -> Exported:
    return of_records([dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)])


def _is_bioc(value: Mapping[str, Any]) -> bool:
    documents = value.get("documents") or value.get("PubTator3")
    if documents is None and "passages" in value:
        documents = [value]
    return (
        isinstance(documents, list)
        and bool(documents)
        and isinstance(documents[0], dict)
        and "passages" in documents[0]
    )


def _bioc(value: Mapping[str, Any]) -> Exported:
    """BioC: a row for each passage, with offsets that count from the beginning of the document."""
    rows: list[Row] = []
    for document in value.get("documents") or value.get("PubTator3") or [value]:
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


def _is_spacy_pairs(value: list[Any]) -> bool:
    """Are they the pairs that spaCy was trained on: a text, and its entities?"""
    return all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], dict)
        for pair in value
    )


def _spacy_pairs(value: list[Any], name: str) -> Exported:
    rows = []
    for text, about in value:
        spans = about.get("entities", [])
        rows.append({"text": text, "entities": [{"start": s[0], "end": s[1], "label": s[2]} for s in spans]})
    return Exported(rows, CHARACTERS)


def _is_spacy_json(value: list[Any]) -> bool:
    return isinstance(value[0], dict) and "paragraphs" in value[0]


def _spacy_json(value: list[Any], name: str) -> Exported:
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


def _is_label_studio(value: list[Any]) -> bool:
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


def _label_studio(value: list[Any], name: str) -> Exported:
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


def _is_pipeline_output(value: list[Any]) -> bool:
    """Is it what a token-classification pipeline returned, without the texts?"""
    spans = value[0] if isinstance(value[0], list) else value
    return bool(spans) and all(isinstance(span, dict) and {"word", "score"} <= set(span) for span in spans)


def _refuse_pipeline_output(value: list[Any], name: str) -> Exported:
    raise CleancutError(
        f"{name}: the output of a pipeline without the texts that its offsets are for. Write a row for each text: "
        '{"text": ..., "entities": [...]}.'
    )


_OF_ARRAYS: Sequence[tuple[Callable[[list[Any]], bool], Callable[[list[Any], str], Exported]]] = (
    (_is_pipeline_output, _refuse_pipeline_output),
    (_is_spacy_pairs, _spacy_pairs),
    (_is_spacy_json, _spacy_json),
    (_is_label_studio, _label_studio),
    (lambda value: isinstance(value[0], dict) and _is_bioc(value[0]), lambda value, _: _bioc({"documents": value})),
)


# --- records ----------------------------------------------------------------------------------------------------------


def of_records(records: list[Row]) -> Exported:
    """Return rows of a tool whose records are known, or rows whose columns have to be found."""
    for recognise, read in _OF_RECORDS:
        if recognise(records[0]):
            return read(records)
    return Exported(records)


def _is_known_record(head: Head) -> bool:
    """Is the first line of a JSONL file a record of a tool that needs more than its columns to be found?"""
    record = head.first_record
    return bool(record) and any(recognise(record) for recognise, _ in _OF_RECORDS)


def _jsonl(text: str, name: str) -> Exported:
    records = []
    for number, line in enumerate(text.lstrip("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise CleancutError(
                f"{name}, line {number}: invalid JSON ({error}). Each line holds one whole object."
            ) from None
        if not isinstance(record, dict):
            raise CleancutError(f"{name}, line {number}: expected an object, got {type(record).__name__}.")
        records.append(record)
    return of_records(records)


_ANSWERS = ("accept", "reject", "ignore")


def _is_prodigy(record: Row) -> bool:
    is_answered = record.get("answer") in _ANSWERS and isinstance(record.get("spans"), list)
    return is_answered and isinstance(record.get("text"), str) and not _ANNOTATED & set(record)


_ANNOTATED = {"tags", "ner_tags", "labels", "entities"}
"""Columns of annotation, beside which what a tool adds is not the annotation."""


def _has_words(record: Row) -> bool:
    """Has a record words, so that its spans may count them?"""
    return any(isinstance(record.get(name), list) for name in ("tokens", "words"))


def _prodigy(records: list[Row]) -> Exported:
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


def _is_doccano(record: Row) -> bool:
    """Doccano's ``entities`` with their relations, or ``label`` with triples."""
    spans = record.get("entities") or record.get("label") or record.get("labels")
    if not isinstance(record.get("text"), str) or _has_words(record) or not isinstance(spans, list) or not spans:
        return False
    first = spans[0]
    if isinstance(first, dict):
        return {"start_offset", "end_offset", "label"} <= set(first)
    return isinstance(first, list) and len(first) == 3 and isinstance(first[2], str) and isinstance(first[0], int)


def _doccano(records: list[Row]) -> Exported:
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


def _is_ubiai(record: Row) -> bool:
    tokens = record.get("tokens")
    has_labels = (
        isinstance(tokens, list) and bool(tokens) and isinstance(tokens[0], dict) and "entityLabel" in tokens[0]
    )
    return isinstance(record.get("document"), str) and has_labels


def _ubiai(records: list[Row]) -> Exported:
    """UBIAI: a document, and its labelled spans under ``tokens``."""
    rows = []
    for record in records:
        spans = record["tokens"]
        entities = [
            {"start": s["start"], "end": s["end"], "label": s["entityLabel"], "text": s.get("text")} for s in spans
        ]
        rows.append({**_others(record, "document", "tokens"), "text": record["document"], "entities": entities})
    return Exported(rows, CHARACTERS)


def _is_argilla(record: Row) -> bool:
    spans = record.get("annotation") or record.get("prediction")
    if _ANNOTATED & set(record) or "spans" in record or ("annotation" not in record and "status" not in record):
        return False
    if not isinstance(record.get("text"), str) or not isinstance(spans, list) or not spans:
        return False
    first = spans[0]
    if isinstance(first, dict):
        return {"start", "end", "label"} <= set(first)
    return isinstance(first, list) and isinstance(first[0], str) and len(first) >= 3


def _argilla(records: list[Row]) -> Exported:
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


_OF_RECORDS: Sequence[tuple[Callable[[Row], bool], Callable[[list[Row]], Exported]]] = (
    (_is_prodigy, _prodigy),
    (_is_doccano, _doccano),
    (_is_ubiai, _ubiai),
    (_is_argilla, _argilla),
    (lambda record: _is_bioc(record), lambda records: _bioc({"documents": records})),
)


CSV = Export("CSV", _is_csv, _csv)
EXPORTS: Sequence[Export] = (
    CSV,
    Export("WebAnno TSV 3", _is_webanno, _webanno),
    Export("CoNLL-U with NER in MISC", _is_conllu, _conllu),
    Export("CoNLL-2012", _is_conll_2012, _conll_2012),
    Export("PubTator", _is_pubtator, _pubtator),
    Export("JSON", _is_json, _json),
    Export("JSONL of an annotation tool", _is_known_record, _jsonl),
    Export("text with names in marks", _is_inline, _inline),
)
"""How each format is recognised and read, the first that fits."""


# --- folders ----------------------------------------------------------------------------------------------------------


def is_brat(folder: str | os.PathLike[str]) -> bool:
    """Is it a folder of BRAT, with a file of annotation beside each text?"""
    return os.path.isdir(folder) and any(name.endswith(".ann") for name in os.listdir(folder))


def brat(folder: str | os.PathLike[str]) -> Exported:
    """Read a folder of BRAT: a row for each text, in the order of their names."""
    rows: list[Row] = []
    n_split = 0
    for path in sorted(Path(folder).glob("*.ann")):
        text_path = path.with_suffix(".txt")
        if not text_path.is_file():
            raise CleancutError(f"{path} has no text beside it. Put {text_path.name} there.")
        entities = []
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
            if not line.startswith("T"):
                continue
            found = re.fullmatch(r"T\S*\t(\S+) ([\d ;]+)\t?(.*)", line.rstrip("\r"))
            if found is None:
                raise CleancutError(f"{path}, line {number}: not a line of BRAT ({line!r:.60}).")
            places = [tuple(map(int, place.split())) for place in found[2].split(";")]
            n_split += len(places) > 1
            start, end = min(place[0] for place in places), max(place[1] for place in places)
            entities.append({"start": start, "end": end, "label": found[1]})
        with open(text_path, encoding="utf-8", newline="") as stream:  # offsets count line ends as they stand
            rows.append({"id": path.stem, "text": stream.read(), "entities": entities})
    notes = [f"{n_split} mentions are discontinuous and are taken from their first to their last character."]
    return Exported(rows, CHARACTERS, notes if n_split else ())


def doc_bin(path: str | os.PathLike[str]) -> Exported:
    """Read a ``.spacy`` file, with spaCy: tokens as spaCy has them, and the entities of each document."""
    try:
        import spacy
        from spacy.tokens import DocBin
    except ImportError:
        raise CleancutError(f"{path}: a .spacy file is read with spaCy. pip install spacy") from None
    try:
        documents: Iterable[Any] = DocBin().from_disk(path).get_docs(spacy.blank("xx").vocab)
        return Exported(list(_spacy_rows(documents)), TOKEN_SPANS)
    except (ValueError, KeyError, TypeError) as error:
        raise CleancutError(f"{path}: not a readable .spacy file ({error}).") from None


def _spacy_rows(documents: Iterable[Any]) -> Iterator[Row]:
    for document in documents:
        entities = [{"start": span.start, "end": span.end, "label": span.label_} for span in document.ents]
        yield {"tokens": [token.text for token in document], "entities": entities}


def _is_doc_bin(head: Head) -> bool:
    return head.suffix == ".spacy"


def _refuse_text(text: str, name: str) -> Exported:
    raise CleancutError(f"{name}: a .spacy file is no text. Give its path.")


DOC_BIN = Export("spaCy DocBin", _is_doc_bin, _refuse_text)
"""A file that is no text, and is read by ``doc_bin``."""
