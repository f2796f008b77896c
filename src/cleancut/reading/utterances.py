"""Rows of what is written for assistants that are spoken to: Rasa's Markdown and YAML, Snips, MASSIVE."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from ..core.exceptions import CleancutError, quoted
from .exported import CHARACTERS, Exported
from .opening import Row, Source

_MARKED = re.compile(r"\[(?P<words>[^\[\]]+)\](?:\((?P<label>[^()\s:]+)(?::[^()]*)?\)|(?P<object>\{[^{}]*\}))")
"""Matches ``[Ada](person)``, ``[Ada](person:Ada Lovelace)`` and ``[Ada]{"entity": "person"}``."""


def is_rasa(source: Source) -> bool:
    """Return whether a source is training data of Rasa in Markdown or YAML.

    Args:
        source: the source.
    """
    if source.suffix not in (".md", ".yml", ".yaml"):
        return False
    begins = re.search(r"^(## intent:|nlu:|\s*- intent:)", source.head, re.M) is not None
    return begins and _MARKED.search(source.head) is not None


def rasa(source: Source) -> Exported:
    """Return a row for each example of an intent.

    Args:
        source: the file.

    Raises:
        CleancutError: a mark has no name of an entity.
    """
    rows = []
    is_of_intent = False
    for number, line in source.lines():
        begins = re.match(r"\s*(?:##\s*|-\s+)(intent|synonym|regex|lookup)\s*:", line)
        example = re.match(r"\s*-\s+(.*\S)", line)
        if begins is not None:
            is_of_intent = begins[1] == "intent"
        elif example is not None and is_of_intent:
            rows.append(_marked_row(example[1], f"{source}, line {number}"))
    return Exported(rows, CHARACTERS)


def _marked_row(line: str, where: str) -> Row:
    """Return the text of an example and the mentions that stand in marks in it."""
    text = ""
    last = 0
    entities = []
    for mark in _MARKED.finditer(line):
        text += line[last : mark.start()]
        label = mark["label"]
        if label is None:
            label = _label_of_object(mark["object"], where)
        entities.append({"start": len(text), "end": len(text) + len(mark["words"]), "label": label})
        text += mark["words"]
        last = mark.end()
    return {"text": text + line[last:], "entities": entities}


def _label_of_object(text: str, where: str) -> str:
    """Return the name of the entity in the object behind its words; raise an error where there is none."""
    try:
        label = json.loads(text)["entity"]
    except (ValueError, LookupError):
        raise CleancutError(f'{where}: {quoted(text)} names no entity. Write {{"entity": "person"}}.') from None
    return str(label)


def is_snips(record: Row) -> bool:
    """Return whether a record is a dataset of Snips, whose utterances are in pieces.

    Args:
        record: the record.
    """
    return any("data" in utterance for utterance in _utterances(record))


def _utterances(record: Row) -> Iterator[Row]:
    """Yield the utterances of a dataset of Snips."""
    intents = record.get("intents")
    for intent in intents.values() if isinstance(intents, dict) else ():
        if isinstance(intent, dict) and isinstance(intent.get("utterances"), list):
            yield from (utterance for utterance in intent["utterances"] if isinstance(utterance, dict))


def snips(records: list[Any], name: str) -> Exported:
    """Return a row for each utterance of Snips.

    Args:
        records: the datasets.
        name: the name of the file, for messages.
    """
    rows = []
    for utterance in chain.from_iterable(map(_utterances, records)):
        text = ""
        entities = []
        for piece in utterance["data"]:
            if "entity" in piece:
                entities.append({"start": len(text), "end": len(text) + len(piece["text"]), "label": piece["entity"]})
            text += piece["text"]
        rows.append({"text": text, "entities": entities})
    return Exported(rows, CHARACTERS)


_SLOT = re.compile(r"\[\s*(?P<label>[\w-]+)\s+:\s+(?P<words>[^\[\]]+?)\s*\]")
"""Matches ``[date : this week]``."""


def is_massive(record: Row) -> bool:
    """Return whether a record is an utterance of MASSIVE, with slots in brackets.

    Args:
        record: the record.
    """
    return isinstance(record.get("utt"), str) and isinstance(record.get("annot_utt"), str)


def massive(records: list[Any], name: str) -> Exported:
    """Return a row for each utterance of MASSIVE.

    Args:
        records: the utterances.
        name: the name of the file, for messages.
    """
    rows = []
    for record in records:
        text = ""
        last = 0
        entities = []
        annotated = record["annot_utt"]
        for slot in _SLOT.finditer(annotated):
            text += annotated[last : slot.start()]
            entities.append({"start": len(text), "end": len(text) + len(slot["words"]), "label": slot["label"]})
            text += slot["words"]
            last = slot.end()
        text += annotated[last:]
        sample_id = {} if record.get("id") is None else {"id": str(record["id"])}
        rows.append({**sample_id, "text": text, "entities": entities})
    return Exported(rows, CHARACTERS)
