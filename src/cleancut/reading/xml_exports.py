"""Rows of XML in which mentions stand apart from the text: MAE (i2b2), CoreNLP and NAF."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .exported import CHARACTERS, TOKEN_SPANS, Exported
from .opening import Row
from .token_lists import runs_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def apart_from_text(root: Element) -> Exported | None:
    """Return the rows of an XML document of one of these formats; None for any other.

    Args:
        root: the document.
    """
    for name, rows_of in _FORMATS.items():
        exported = rows_of(root)
        if exported is not None:
            return Exported(exported.rows, exported.reading, exported.notes, name)
    return None


def _mae(root: Element) -> Exported | None:
    """Return the text of a document of MAE, as i2b2 writes it too, and its tags that have a place in it.

    A tag has its offsets as ``start`` and ``end``, or in several pieces as ``spans="0~3,5~7"``. Its type is the
    attribute ``TYPE``, or its name.
    """
    text = root.findtext("TEXT")
    tags = root.find("TAGS")
    if text is None or tags is None:
        return None
    entities: list[Row] = []
    for tag in tags:
        pieces = re.findall(r"(\d+)~(\d+)", tag.get("spans", ""))
        if "start" in tag.attrib and "end" in tag.attrib:
            pieces = [(tag.attrib["start"], tag.attrib["end"])]
        if not pieces or int(pieces[0][0]) >= int(pieces[-1][1]):
            continue  # a tag of the whole document, or of what is not there
        label = tag.get("TYPE", tag.tag)
        entities.append({"start": int(pieces[0][0]), "end": int(pieces[-1][1]), "label": label})
    return Exported([{"text": text, "entities": entities}], CHARACTERS)


def _core_nlp(root: Element) -> Exported | None:
    """Return the sentences of CoreNLP, whose words have types without prefixes."""
    sentences = root.findall("document/sentences/sentence")
    if not sentences or sentences[0].find("tokens/token/NER") is None:
        return None
    document = root.findtext("document/docId")
    rows = []
    for sentence in sentences:
        tokens = sentence.findall("tokens/token")
        row: Row = {} if document is None else {"doc": document}
        row["tokens"] = [token.findtext("word") or "" for token in tokens]
        row["entities"] = runs_of([token.findtext("NER") or "O" for token in tokens])
        rows.append(row)
    return Exported(rows, TOKEN_SPANS, ["the tags have no prefixes; words of one type in a row are one mention."])


def _naf(root: Element) -> Exported | None:
    """Return the sentences of NAF, and of each entity the words that its terms stand for."""
    words = root.findall("text/wf")
    if not words or root.find("entities") is None:
        return None
    sentences: dict[str, Row] = {}
    places: dict[str, tuple[Row, int]] = {}
    for word in words:
        row = sentences.setdefault(word.get("sent", "1"), {"tokens": [], "entities": []})
        places[word.attrib["id"]] = (row, len(row["tokens"]))
        row["tokens"].append(word.text or "")
    words_of: dict[str, list[str]] = {}
    for term in root.findall("terms/term"):
        words_of[term.attrib["id"]] = _targets(term)
    for entity in root.findall("entities/entity"):
        for reference in entity.findall("references/span"):
            own = [places[word] for term in _targets(reference) for word in words_of.get(term, [term])]
            numbers = [number for _, number in own]
            span = {"start": min(numbers), "end": max(numbers) + 1, "label": entity.attrib["type"]}
            own[0][0]["entities"].append(span)
    return Exported(list(sentences.values()), TOKEN_SPANS)


def _targets(element: Element) -> list[str]:
    """Return the ids that the targets inside an element name."""
    return [target.attrib["id"] for target in element.iter("target")]


_FORMATS: Mapping[str, Callable[[Element], Exported | None]] = {
    "MAE XML": _mae,
    "CoreNLP XML": _core_nlp,
    "NAF": _naf,
}
"""How each format is read, by its name."""
