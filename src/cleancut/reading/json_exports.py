"""Rows of corpora and documents that libraries write as JSON: BioC, DyGIE++, spaCy and pipelines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from ..core.exceptions import CleancutError
from .exported import CHARACTERS, TAGS, TOKEN_SPANS, Exported, are_as_quoted, id_as
from .opening import Row


def is_bioc(value: Row) -> bool:
    """Return whether an object is a collection of documents of BioC, or one such document.

    Args:
        value: the object.
    """
    documents = value.get("documents") or value.get("PubTator3")
    if documents is None and "passages" in value and "entities" not in value:  # BigBio has passages and entities
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
    if not are_as_quoted(rows):
        by_passage = [_bioc_row(*part, first=0) for part in parts]
        if are_as_quoted(by_passage):
            rows = by_passage
    return Exported(rows, CHARACTERS)


def _bioc_row(document: Row, part: Row, annotations: Iterable[Row], first: int) -> Row:
    """Return the row of a passage or a sentence; ``first`` is the offset of its first character.

    An annotation at several places goes from the first to the last.
    """
    entities = []
    for annotation in annotations:
        places = [(int(place["offset"]) - first, int(place["length"])) for place in annotation["locations"]]
        start = min(offset for offset, _ in places)
        end = max(offset + length for offset, length in places)
        infons = annotation.get("infons", {})
        label = infons.get("type")
        quote = annotation.get("text") if len(places) == 1 else None
        ids = {name: value for name, value in infons.items() if name in _IDS_OF_BIOC}
        entities.append({**ids, "start": start, "end": end, "label": label, "text": quote})
    return {**id_as(document, "doc"), "text": part.get("text") or "", "entities": entities}


_IDS_OF_BIOC = ("identifier", "MESH", "CUI", "Identifier", "mesh", "cui")
"""Infons of BioC with the ids of entities."""


def is_dygie(record: Row) -> bool:
    """Return whether a record is a document of DyGIE++ or SciERC.

    It has sentences of words, and for each its spans, which count the words of the document.

    Args:
        record: the record.
    """
    sentences = record.get("sentences")
    spans = _dygie_spans(record)
    if not isinstance(sentences, list) or not isinstance(spans, list) or not len(sentences) == len(spans) > 0:
        return False
    if not all(isinstance(words, list) for words in sentences) or not all(isinstance(item, list) for item in spans):
        return False
    are_words = all(isinstance(word, str) for word in chain.from_iterable(sentences))
    return are_words and all(isinstance(span, list) and len(span) >= 3 for span in chain.from_iterable(spans))


def _dygie_spans(record: Row) -> Any:
    """Return the spans of each sentence of a document: those of the annotation, or else those that were predicted."""
    return record.get("ner", record.get("predicted_ner"))


def dygie(records: list[Any], name: str) -> Exported:
    """Return a row for each sentence of DyGIE++.

    Spans count the words of the document, and their ends are inclusive. What was predicted is read where there is no
    annotation.

    Args:
        records: the records.
        name: the name of the file, for messages.
    """
    rows = []
    n_both = sum({"ner", "predicted_ner"} <= set(record) for record in records)
    for record in records:
        first = 0
        for words, spans in zip(record["sentences"], _dygie_spans(record), strict=True):
            row: Row = {}
            if record.get("doc_key") is not None:
                row["doc"] = str(record["doc_key"])
            row["tokens"] = words
            row["entities"] = [{"start": s[0] - first, "end": s[1] - first + 1, "label": s[2]} for s in spans]
            rows.append(row)
            first += len(words)
    notes = []
    if n_both:
        notes.append(
            f"{n_both} documents have both ner and predicted_ner; ner is read. Take it out to read the predictions."
        )
    return Exported(rows, TOKEN_SPANS, notes)


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

    Where no document has entities, the spans of its only group are read, as a span categoriser sets them.

    Args:
        records: the records.
        name: the name of the file, for messages.

    Raises:
        CleancutError: there are several groups of spans, and no entities.
    """
    groups: set[str] = set()
    if not any(record["ents"] for record in records):
        groups.update(*(record.get("spans") or {} for record in records))
    if len(groups) > 1:
        raise CleancutError(f"{name}: which spans are read? There are {', '.join(sorted(groups))}. Leave one.")
    rows = []
    for record in records:
        own = record["ents"]
        for group in groups:
            own = record.get("spans", {}).get(group, [])
        spans = [{"start": s["start"], "end": s["end"], "label": s["label"]} for s in own]
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
                rows.append({"tokens": words, "tags": plain_tags, **id_as(document, "doc")})
    return Exported(rows, TAGS)


def is_pipeline_output(value: list[Any]) -> bool:
    """Return whether values are what a token-classification pipeline returned, without the texts.

    Args:
        value: the values of the array.
    """
    spans = value[0] if isinstance(value[0], list) else value
    if not spans or not all(isinstance(span, dict) and {"score", "start"} <= set(span) for span in spans):
        return False
    return all("word" in span or {"text", "label"} <= set(span) for span in spans)


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
