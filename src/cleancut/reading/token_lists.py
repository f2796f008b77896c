"""Rows of JSON that holds the words of sentences: Stanza, CoreNLP, pairs of words and tags, DocRED, questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from ..core.exceptions import CleancutError, quoted
from .batches import FEW
from .exported import TAGS, TOKEN_SPANS, Exported
from .opening import Row

_IS_TAG = re.compile(r"O|[BIESLUM]-\S+")
"""Matches a tag."""


def _sentences(values: list[Any]) -> list[list[Any]]:
    """Return the sentences of an array, where they are lists, also where the array is one sentence; else none."""
    if not values or not all(isinstance(value, list) for value in values):
        return []
    return values


def _all_items(values: list[Any], is_item: Callable[[Any], bool]) -> bool:
    """Return whether values are sentences, of which the first have items of one kind alone."""
    items = list(chain.from_iterable(_sentences(values)[:FEW]))
    return bool(items) and all(map(is_item, items))


# --- Stanza -----------------------------------------------------------------------------------------------------------


def is_stanza(values: list[Any]) -> bool:
    """Return whether values are sentences of tokens as ``Document.to_dict`` of Stanza returns them.

    Args:
        values: the values of the array.
    """
    is_token = _all_items(values, lambda item: isinstance(item, dict) and isinstance(item.get("text"), str))
    return is_token and any("ner" in item for item in values[0])


def stanza(values: list[Any], name: str) -> Exported:
    """Return the words and the tags of each sentence of Stanza.

    Where a token was split into several words, the token has the tag; its words have none and are left out.

    Args:
        values: the sentences.
        name: the name of the file, for messages.
    """
    rows = []
    for sentence in values:
        tokens = [token for token in sentence if "ner" in token]
        rows.append({"tokens": [token["text"] for token in tokens], "tags": [token["ner"] for token in tokens]})
    return Exported(rows, TAGS)


# --- lists of words with their tags -----------------------------------------------------------------------------------


def is_word_lists(values: list[Any]) -> bool:
    """Return whether values are sentences of ``[word, ..., tag]``, or of ``{word: tag}``.

    Args:
        values: the values of the array.
    """
    return _all_items(values, lambda item: _pair(item) is not None)


def _pair(item: Any) -> tuple[str, str] | None:
    """Return a word and its tag; None for anything else."""
    if isinstance(item, dict) and len(item) == 1:
        item = next(iter(item.items()))
    if not isinstance(item, list | tuple) or len(item) < 2 or not all(isinstance(part, str) for part in item):
        return None
    return (item[0], item[-1]) if _IS_TAG.fullmatch(item[-1]) else None


def word_lists(values: list[Any], name: str) -> Exported:
    """Return the words and the tags of sentences of ``[word, ..., tag]``, or of ``{word: tag}``.

    Args:
        values: the sentences.
        name: the name of the file, for messages.

    Raises:
        CleancutError: an item is not a word with its tag.
    """
    rows = []
    for i, sentence in enumerate(values):
        pairs = [_pair(item) for item in sentence]
        if None in pairs:
            odd = sentence[pairs.index(None)]
            raise CleancutError(
                f"row {i} ({name}): {quoted(odd)} is not a word with its tag. Give tags such as B-PER, O."
            )
        known = [pair for pair in pairs if pair is not None]
        rows.append({"tokens": [word for word, _ in known], "tags": [tag for _, tag in known]})
    return Exported(rows, TAGS)


def is_two_lists(values: list[Any]) -> bool:
    """Return whether values are two lists of sentences, one of words and one of their tags, as of DeepPavlov.

    Args:
        values: the values of the array.
    """
    if len(values) != 2 or not all(isinstance(value, list) and value for value in values):
        return False
    sentences, tags = values
    if len(sentences) != len(tags) or not all(isinstance(item, list) for item in chain(sentences, tags)):
        return False
    is_even = all(len(words) == len(own) for words, own in zip(sentences, tags, strict=True))
    all_tags = list(chain.from_iterable(tags))
    has_tags = bool(all_tags) and all(isinstance(tag, str) and _IS_TAG.fullmatch(tag) for tag in all_tags)
    return is_even and has_tags and all(isinstance(word, str) for word in chain.from_iterable(sentences))


def two_lists(values: list[Any], name: str) -> Exported:
    """Return the sentences of two lists.

    Args:
        values: the words of all sentences, and the tags of all sentences.
        name: the name of the file, for messages.
    """
    return Exported([{"tokens": words, "tags": tags} for words, tags in zip(*values, strict=True)], TAGS)


# --- CoreNLP ----------------------------------------------------------------------------------------------------------


def is_core_nlp(record: Row) -> bool:
    """Return whether a record is what CoreNLP returns for a text: sentences of tokens with ``ner``.

    Args:
        record: the record.
    """
    sentences = record.get("sentences")
    if not isinstance(sentences, list) or not sentences or not isinstance(sentences[0], dict):
        return False
    tokens = sentences[0].get("tokens")
    if not isinstance(tokens, list) or not tokens or not isinstance(tokens[0], dict):
        return False
    return {"word", "ner"} <= set(tokens[0])


def core_nlp(records: list[Any], name: str) -> Exported:
    """Return the words and the mentions of each sentence of CoreNLP.

    Pronouns, which are mentions there but have no tag, are left out and counted.

    Args:
        records: the documents.
        name: the name of the file, for messages.
    """
    rows = []
    n_pronouns = 0
    for record in records:
        for sentence in record["sentences"]:
            tokens = sentence["tokens"]
            words = [token.get("originalText") or token["word"] for token in tokens]
            tags = [token["ner"] for token in tokens]
            row: Row = {"tokens": words}
            if record.get("docId") is not None:
                row["doc"] = str(record["docId"])
            if "entitymentions" in sentence:
                spans = [_core_nlp_span(mention) for mention in sentence["entitymentions"]]
                tagged = [span for span in spans if any(tag != "O" for tag in tags[span["start"] : span["end"]])]
                n_pronouns += len(spans) - len(tagged)
                row["entities"] = tagged
            else:
                row["entities"] = runs_of(tags)
            rows.append(row)
    notes = []
    if n_pronouns:
        notes.append(f"{n_pronouns} mentions have no tag, as pronouns, and are left out.")
    return Exported(rows, TOKEN_SPANS, notes)


def _core_nlp_span(mention: Mapping[str, Any]) -> Row:
    """Return the span of a mention of CoreNLP, whose offsets count the tokens of its sentence."""
    return {"start": mention["tokenBegin"], "end": mention["tokenEnd"], "label": mention["ner"]}


def runs_of(tags: Sequence[str]) -> list[Row]:
    """Return the mentions of tags without prefixes: runs of words with the same type.

    Args:
        tags: the tags.

    >>> runs_of(["PERSON", "PERSON", "O", "CITY"])
    [{'start': 0, 'end': 2, 'label': 'PERSON'}, {'start': 3, 'end': 4, 'label': 'CITY'}]
    """
    spans: list[Row] = []
    for i, tag in enumerate(tags):
        if tag == "O":
            continue
        if spans and spans[-1]["end"] == i and spans[-1]["label"] == tag:
            spans[-1]["end"] = i + 1
        else:
            spans.append({"start": i, "end": i + 1, "label": tag})
    return spans


# --- documents of sentences -------------------------------------------------------------------------------------------


def is_doc_red(record: Row) -> bool:
    """Return whether a record is a document of DocRED: sentences of words, and for each entity its mentions.

    Args:
        record: the record.
    """
    return isinstance(record.get("sents"), list) and isinstance(record.get("vertexSet"), list)


def doc_red(records: list[Any], name: str) -> Exported:
    """Return the sentences of DocRED with their mentions.

    Args:
        records: the documents.
        name: the name of the file, for messages.
    """
    rows: list[Row] = []
    for number, record in enumerate(records):
        sentences: list[Row] = [{"doc": str(number), "tokens": words, "entities": []} for words in record["sents"]]
        for mention in chain.from_iterable(record["vertexSet"]):
            start, end = mention["pos"]
            sentences[mention["sent_id"]]["entities"].append({"start": start, "end": end, "label": mention["type"]})
        rows += sentences
    return Exported(rows, TOKEN_SPANS)


# --- questions --------------------------------------------------------------------------------------------------------


def is_mrc(record: Row) -> bool:
    """Return whether a record asks for the mentions of a type, as the reading comprehension of MRC-NER.

    Args:
        record: the record.
    """
    has_words = isinstance(record.get("context"), str) and isinstance(record.get("entity_label"), str)
    return has_words and isinstance(record.get("start_position"), list) and isinstance(record.get("end_position"), list)


def mrc(records: list[Any], name: str) -> Exported:
    """Return a row for each text of MRC-NER, with the answers to all that was asked about it.

    Positions count the words of the text, and the last is that of the last word.

    Args:
        records: the questions.
        name: the name of the file, for messages.
    """
    rows: dict[Any, Row] = {}
    for i, record in enumerate(records):
        sample = str(record.get("qas_id", i)).partition(".")[0]
        row = rows.setdefault((sample, record["context"]), {"tokens": record["context"].split(), "entities": []})
        places = record.get("span_position")
        if places is not None:
            pairs = [[int(edge) for edge in re.split("[;,]", place)] for place in places]
        else:
            pairs = [list(pair) for pair in zip(record["start_position"], record["end_position"], strict=True)]
        row["entities"] += [{"start": s, "end": e + 1, "label": record["entity_label"]} for s, e in pairs]
    return Exported(list(rows.values()), TOKEN_SPANS)


# --- the viewer of the Hub --------------------------------------------------------------------------------------------


def is_viewer_page(record: Row) -> bool:
    """Return whether a record is a page of rows as the viewer of datasets on the Hub returns it.

    Args:
        record: the record.
    """
    features = record.get("features")
    rows = record.get("rows")
    if not isinstance(features, list) or not isinstance(rows, list):
        return False
    return bool(rows) and all(isinstance(row, dict) and isinstance(row.get("row"), dict) for row in rows)


def viewer_page(records: list[Any], name: str) -> Exported:
    """Return the rows of pages of the viewer, with the names of labels in the place of their ids.

    Args:
        records: the pages.
        name: the name of the file, for messages.

    Raises:
        CleancutError: a cell was cut short.
    """
    rows: list[Row] = []
    for record in records:
        types = {feature["name"]: feature["type"] for feature in record["features"]}
        for item in record["rows"]:
            if item.get("truncated_cells"):
                cells = ", ".join(map(str, item["truncated_cells"]))
                raise CleancutError(f"row {len(rows)} ({name}): {cells} was cut short. Download the dataset's files.")
            rows.append({key: _named(value, types.get(key)) for key, value in item["row"].items()})
    return Exported(rows)


def _named(value: Any, feature: Any) -> Any:
    """Return a value with the names of labels in the place of their ids."""
    if isinstance(feature, list):
        feature = {"feature": feature[0]}
    if not isinstance(feature, dict):
        return value
    if "names" in feature and isinstance(value, int) and 0 <= value < len(feature["names"]):
        return feature["names"][value]
    if isinstance(value, list) and "feature" in feature:
        return [_named(item, feature["feature"]) for item in value]
    if isinstance(value, dict):
        return {key: _named(item, feature.get(key)) for key, item in value.items()}
    return value
