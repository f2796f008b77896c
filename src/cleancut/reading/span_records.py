"""Rows of tools that write a text and its spans, and differ only in where these stand: a table of the places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from ..core.exceptions import CleancutError, quoted
from .batches import FEW
from .exported import CHARACTERS, Exported, characters_of
from .file_format import FileFormat, InJson
from .opening import Row

Left = Mapping[str, Any]
"""Values of fields by their places: a span that has one of them is left out."""


@dataclass(frozen=True)
class SpanRecords:
    """Where the records of a tool have their texts, and these their spans.

    A place is a path of keys with dots between them. ``*`` stands for each item of a list or an object, a number for an
    item of a list, and ``a|b`` for whichever of two keys there is.
    """

    name: str
    """The tool."""
    text: str
    """The place of the text in a record."""
    spans: str
    """The place of the list of spans in a record."""
    start: str
    """The place of the offset of the first character in a span; ``*`` where a span has several pieces."""
    end: str
    """The place of the offset at its end."""
    label: str
    """The place of its type, or of each of its types."""
    expected: str
    """What a file holds, for messages."""
    records: str = ""
    """The place of the records in a file; nothing where each value is a record."""
    quote: str = ""
    """The place of the words of a span; nothing where it does not quote them, or may quote others."""
    is_inclusive: bool = False
    """Whether the last character of a span is at its end, where quotes do not show it."""
    omits_zero: bool = False
    """Whether an offset of 0 is left out, as by Protocol Buffers."""
    omits_place: bool = False
    """Whether a span may have no place in the text, where the tool has not found it there."""
    left_out: Left | None = None
    """Which spans were rejected or deleted by who reviewed them."""

    def records_in(self, values: Iterable[Any]) -> list[Row]:
        """Return the records of a file.

        Args:
            values: the values of the file.
        """
        if not self.records:
            return [value for value in values if isinstance(value, dict)]
        inner = chain.from_iterable(values_at(value, self.records) for value in values)
        return [record for record in inner if isinstance(record, dict)]

    def text_of(self, record: Row) -> str | None:
        """Return the text of a record; None where it has none.

        Args:
            record: the record.
        """
        texts = values_at(record, self.text)
        return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else None

    def spans_of(self, record: Row) -> list[Any]:
        """Return the spans of a record as it has them.

        Args:
            record: the record.
        """
        lists = values_at(record, self.spans)
        return list(chain.from_iterable(spans for spans in lists if isinstance(spans, list)))


def values_at(value: Any, place: str) -> list[Any]:
    """Return what stands at a place.

    Args:
        value: an object, or a list.
        place: the path, as in ``SpanRecords``.

    >>> values_at({"a": [{"b": 1}, {"b": 2}]}, "a.*.b"), values_at({"a": [{"b": 1}, {"b": 2}]}, "a.0.b")
    ([1, 2], [1])
    """
    values = [value]
    for step in place.split("."):
        values = [inner for outer in values for inner in _step(outer, step)]
    return values


def _step(value: Any, step: str) -> list[Any]:
    """Return what a step of a path leads to."""
    if step == "*":
        return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if isinstance(value, list):
        return [value[int(step)]] if step.isdigit() and int(step) < len(value) else []
    if not isinstance(value, dict):
        return []
    return [value[key] for key in step.split("|") if key in value][:1]


def form_of_records(places: SpanRecords) -> FileFormat:
    """Return the entry of the table of formats for such records.

    Args:
        places: where they have what.
    """
    in_json = InJson(partial(_are_records, places), partial(_rows, places), is_of_records=True)
    return FileFormat(places.name, expected=places.expected, in_json=in_json)


def _are_records(places: SpanRecords, values: list[Any]) -> bool:
    """Return whether one of the first values has a text and a span where the tool has them."""
    for record in places.records_in(values[:FEW])[:FEW]:
        if places.text_of(record) is None:
            continue
        if any(values_at(span, places.label) and values_at(span, places.end) for span in places.spans_of(record)):
            return True
    return False


def _rows(places: SpanRecords, values: list[Any], name: str) -> Exported:
    """Return the text and the spans of each record."""
    rows: list[Row] = []
    n_left_out = 0
    n_without_place = 0
    for i, record in enumerate(places.records_in(values)):
        entities: list[Row] = []
        for span in places.spans_of(record):
            if _is_left_out(places, span):
                n_left_out += 1
            elif places.omits_place and not values_at(span, places.end):
                n_without_place += 1
            else:
                entities += _entities(places, span, f"record {i} ({name})")
        row: Row = {"text": places.text_of(record), "entities": entities}
        sample_id = record.get("id")
        if isinstance(sample_id, str | int):
            row = {"id": str(sample_id), **row}
        rows.append(row)
    notes = {
        f"{n_left_out} spans were rejected or deleted and are left out.": n_left_out,
        f"{n_without_place} spans have no place in their text and are left out.": n_without_place,
    }
    reading = dict(CHARACTERS)
    if places.is_inclusive:
        reading["end"] = "inclusive"
    if places.quote:
        reading = _reading_by_quotes(rows, reading)
    return Exported(rows, reading, [note for note, n in notes.items() if n])


def _reading_by_quotes(rows: Sequence[Row], usual: dict[str, str]) -> dict[str, str]:
    """Return how the spans are read, by the words that they quote; as usual for the tool where nothing is quoted."""
    with_text = [row for row in rows if isinstance(row["text"], str)]
    are_quoted = any(span["text"] for row in with_text for span in row["entities"])
    return dict(characters_of(with_text)) if are_quoted else usual


def _is_left_out(places: SpanRecords, span: Any) -> bool:
    """Return whether a span was rejected or deleted."""
    return any(values_at(span, place) == [value] for place, value in (places.left_out or {}).items())


def _entities(places: SpanRecords, span: Any, where: str) -> list[Row]:
    """Return the mentions of a span: one for each of its pieces and types."""
    starts = values_at(span, places.start)
    ends = values_at(span, places.end)
    if not starts and ends and places.omits_zero:
        starts = [0]
    labels = [label for label in values_at(span, places.label) if label is not None]
    names = list(chain.from_iterable(label if isinstance(label, list) else [label] for label in labels))
    if not starts or len(starts) != len(ends) or not names:
        raise CleancutError(f"{where}: {quoted(span)} has no offsets or no type. Expected {places.expected}.")
    quotes: list[Any] = [None] * len(starts)
    if places.quote:
        texts = values_at(span, places.quote)
        if len(texts) == len(starts):
            quotes = [text if isinstance(text, str) else None for text in texts]
    entities = []
    for start, end, quote in zip(starts, ends, quotes, strict=True):
        entities += [{"start": start, "end": end, "label": name, "text": quote} for name in names]
    return entities


SPAN_RECORDS: Sequence[SpanRecords] = (
    SpanRecords(
        "SageMaker Ground Truth",
        text="source",
        spans="*.annotations.entities",
        start="startOffset",
        end="endOffset",
        label="label",
        expected='lines with "source" and, under the name of the job, "annotations" with "entities"',
    ),
    SpanRecords(
        "AutoML",
        text="text_snippet|textSnippet.content",
        spans="annotations",
        start="text_extraction|textExtraction.text_segment|textSegment.start_offset|startOffset",
        end="text_extraction|textExtraction.text_segment|textSegment.end_offset|endOffset",
        label="display_name|displayName",
        expected='lines with "text_snippet" and "annotations" of "text_extraction" and "display_name"',
        omits_zero=True,
    ),
    SpanRecords(
        "Vertex AI",
        text="textContent",
        spans="textSegmentAnnotations",
        start="startOffset",
        end="endOffset",
        label="displayName",
        expected='lines with "textContent" and "textSegmentAnnotations" with "displayName"',
        omits_zero=True,
    ),
    SpanRecords(
        "LightTag",
        records="examples.*",
        text="content",
        spans="annotations",
        start="start",
        end="end",
        label="tag",
        quote="value",
        left_out={"correct": False},
        expected='"examples" with "content" and "annotations" of "start", "end" and "tag"',
    ),
    SpanRecords(
        "Dataturks",
        text="content",
        spans="annotation",
        start="points.*.start",
        end="points.*.end",
        label="label",
        quote="points.*.text",
        is_inclusive=True,
        expected='lines with "content" and "annotation" of "label" and "points"',
    ),
    SpanRecords(
        "Rasa",
        records="rasa_nlu_data.common_examples.*",
        text="text",
        spans="entities",
        start="start",
        end="end",
        label="entity",
        expected='"rasa_nlu_data" with "common_examples" of "text" and "entities"',
    ),
    SpanRecords(
        "LUIS",
        records="utterances.*",
        text="text",
        spans="entities",
        start="startPos",
        end="endPos",
        label="entity",
        is_inclusive=True,
        expected='"utterances" with "text" and "entities" of "entity", "startPos" and "endPos"',
    ),
    SpanRecords(
        "Wit.ai",
        records="utterances.*",
        text="text",
        spans="entities",
        start="start",
        end="end",
        label="entity",
        quote="body",
        expected='"utterances" with "text" and "entities" of "entity", "start", "end" and "body"',
    ),
    SpanRecords(
        "Presidio",
        text="full_text",
        spans="spans",
        start="start_position",
        end="end_position",
        label="entity_type",
        quote="entity_value",
        expected='records with "full_text" and "spans" of "entity_type", "start_position" and "end_position"',
    ),
    SpanRecords(
        "PubAnnotation",
        text="text",
        spans="denotations",
        start="span.begin",
        end="span.end",
        label="obj",
        expected='records with "text" and "denotations" of "span" and "obj"',
    ),
    SpanRecords(
        "BERN2",
        text="text",
        spans="annotations",
        start="span.begin",
        end="span.end",
        label="obj",
        quote="mention",
        expected='records with "text" and "annotations" of "span", "obj" and "mention"',
    ),
    SpanRecords(
        "LangExtract",
        text="text",
        spans="extractions",
        start="char_interval.start_pos",
        end="char_interval.end_pos",
        label="extraction_class",
        omits_place=True,
        expected='records with "text" and "extractions" of "extraction_class" and "char_interval"',
    ),
    SpanRecords(
        "Spark NLP",
        text="text",
        spans="ner_chunk|ner_chunks|ner|entities|chunk",
        start="begin",
        end="end",
        label="metadata.entity",
        quote="result",
        is_inclusive=True,
        expected='rows with "text" and chunks of "begin", "end", "result" and "metadata"',
    ),
    SpanRecords(
        "MedCATtrainer",
        records="projects.*.documents.*",
        text="text",
        spans="annotations",
        start="start",
        end="end",
        label="cui",
        quote="value",
        left_out={"deleted": True, "killed": True},
        expected='"projects" of "documents" with "text" and "annotations" of "start", "end" and "cui"',
    ),
    SpanRecords(
        "Labelbox",
        text="data_row.row_data",
        spans="projects.*.labels.0.annotations.objects",
        start="location.start",
        end="location.end",
        label="name",
        is_inclusive=True,
        expected='rows with "data_row" and "projects" of "labels" with "objects" at "location"',
    ),
    SpanRecords(
        "Kili",
        text="content",
        spans="labels.0.jsonResponse.*.annotations",
        start="beginOffset",
        end="endOffset",
        label="categories.*.name",
        quote="content",
        expected='records with "content" and "labels" with a "jsonResponse" of "annotations"',
    ),
    SpanRecords(
        "Flair",
        text="text",
        spans="entities",
        start="start_pos",
        end="end_pos",
        label="labels.*.value",
        quote="text",
        expected='records with "text" and "entities" of "start_pos", "end_pos" and "labels"',
    ),
)
"""The tools whose JSON is read by such places."""
