"""Rows of what tools export as text with offsets or marks: PubTator, names in marks, and XML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.exceptions import CleancutError, reason
from .exported import CHARACTERS, Exported, characters_of
from .json_exports import bioc
from .opening import Row, Source
from .xml_exports import apart_from_text

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def is_pubtator(source: Source) -> bool:
    """Return whether a source is a file of PubTator, which begins with a title and an abstract.

    Args:
        source: the source.
    """
    if len(source.head_lines) < 2:
        return False
    title = re.match(r"([^|\s]+)\|t\|", source.head_lines[0])
    return title is not None and source.head_lines[1].startswith(f"{title[1]}|a|")


def pubtator(source: Source) -> Exported:
    """Return the rows of PubTator: a title and an abstract, then a line for each mention at its characters of both.

    Args:
        source: the file.

    Raises:
        CleancutError: a mention stands before its text.
    """
    rows: dict[str, Row] = {}
    for number, line in enumerate(source.text().lstrip("\ufeff").replace("\r", "").split("\n"), 1):
        part = re.match(r"([^|\t]+)\|([ta])\|(.*)", line)
        fields = line.split("\t")
        if part is not None:
            row = rows.setdefault(part[1], {"id": part[1], "text": "", "entities": []})
            row["text"] = part[3] if part[2] == "t" else f"{row['text']} {part[3]}"
        elif len(fields) >= 5 and fields[1].isdigit() and fields[2].isdigit():
            if fields[0] not in rows:
                raise CleancutError(
                    f"{source}, line {number}: a mention of {fields[0]}, whose text does not come before it."
                )
            span = {"start": int(fields[1]), "end": int(fields[2]), "label": fields[4], "text": fields[3]}
            if len(fields) > 5:
                span["id"] = fields[5]
            rows[fields[0]]["entities"].append(span)
    return Exported(list(rows.values()), characters_of(list(rows.values())))


_MARKED = re.compile(
    r"<START:(?P<opennlp>[^>\s]+)>\s?(?P<inside>.*?)\s?<END>"
    r"|<(?P<enamex>ENAMEX|NUMEX|TIMEX)\s+TYPE=\"(?P<type>[^\"]+)\"[^>]*>(?P<in_enamex>.*?)</(?P=enamex)>"
    r"|<(?P<tag>[A-Za-z][\w.-]*)>(?P<in_tag>[^<]*)</(?P=tag)>"
)
"""Matches a name in marks, as OpenNLP, MUC (ENAMEX) or other tools write it."""


def is_inline(source: Source) -> bool:
    """Return whether there are names in marks, in lines that are otherwise plain text.

    Args:
        source: the source.
    """
    if source.suffix not in (".xml", ".sgml", ".txt", ".train", ""):
        return False
    if not any(_MARKED.search(line) for line in source.head_lines):
        return False
    if source.suffix in (".xml", ".sgml"):
        return True
    widths = {len(line.split()) for line in source.head_lines}
    # as many in every line: tokens, and what is said of them
    has_columns = len(widths) == 1 and widths.pop() > 1 and len(source.head_lines) > 1
    return not has_columns and not any(re.search(r"\t|\s(O|[BIOESLU]-\S+)$", line) for line in source.head_lines)


def inline(source: Source) -> Exported:
    """Return a row for each line, whose names stand in marks.

    Marks are written ``<PER>Ada</PER>``, as ENAMEX, or ``<START:person> Ada <END>``.

    Args:
        source: the file.

    Raises:
        CleancutError: a name stands within a name, or a mark does not begin or end.
    """
    rows: list[Row] = []
    for number, line in enumerate(source.text().lstrip("\ufeff").replace("\r", "").split("\n"), 1):
        if not line.strip():
            continue
        parts: list[str] = []
        entities: list[Row] = []
        last = 0
        length = 0
        for mark in _MARKED.finditer(line):
            label = mark["opennlp"] or mark["type"] or mark["tag"]
            inside = mark["inside"] or mark["in_enamex"] or mark["in_tag"] or ""
            if "<" in inside:
                raise CleancutError(
                    f"{source}, line {number}: a name within a name, which cannot be read from lines with marks. "
                    "Give JSONL."
                )
            before = line[last : mark.start()]
            length += len(before)
            entities.append({"start": length, "end": length + len(inside), "label": label})
            length += len(inside)
            parts += [before, inside]
            last = mark.end()
        parts.append(line[last:])
        plain = "".join(parts)
        if re.search(r"</?[A-Za-z][\w.:-]*( [^>]*)?>", plain):
            raise CleancutError(f"{source}, line {number}: a mark that does not begin or end ({plain:.60}).")
        rows.append({"text": plain, "entities": [span for span in entities if span["start"] < span["end"]]})
    return Exported(rows, CHARACTERS)


def is_xml(source: Source) -> bool:
    """Return whether a source is a document of XML, rather than lines with marks.

    Then a declaration, or a mark alone, stands on its first line.

    Args:
        source: the source.
    """
    if source.suffix not in (".xml", ".sgml", ".txt", ".naf", ".tei", "") or not source.head_lines:
        return False
    first = source.head_lines[0].strip()
    return first.startswith("<?xml") or re.fullmatch(r"<[A-Za-z][\w.:-]*(\s[^<>]*)?>", first) is not None


def xml_document(source: Source) -> Exported:
    """Return the rows of an XML document.

    Elements that have both text and elements are samples, and so are all elements of the same name. The elements inside
    them are mentions, whose type is an attribute such as ``type``, or the name of the element. A collection of BioC is
    read as its JSON is. Mentions may also stand apart from the text, as in MAE, CoreNLP and NAF.

    Args:
        source: the file.

    Raises:
        CleancutError: the file is no whole XML document, defines entities of its own, or has no names in marks.
    """
    text = source.text().lstrip("\ufeff").lstrip()
    if "<!ENTITY" in text:
        raise CleancutError(f"{source}: XML that defines entities of its own is not read. Write them out.")
    from xml.etree import ElementTree  # takes long to import, and few files are XML

    try:
        root = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        raise CleancutError(f"{source}: not a whole XML document ({reason(error)}). Close every element.") from None
    if root.tag == "collection" and root.find("document/passage") is not None:
        return replace(bioc([_collection_of_bioc(root)], source.name), name="BioC XML")
    apart = apart_from_text(root)
    if apart is not None:
        return apart
    names = _names_of_samples(root)
    rows: list[Row] = []
    for element in _outermost(root, names):
        parts: list[str] = []
        entities = _mentions_in(element, parts)
        rows.append({"text": "".join(parts), "entities": entities})
    if not any(row["entities"] for row in rows):
        raise CleancutError(f"{source}: no names in marks in the XML. Give a line for each sample, or JSONL.")
    if all(_is_all_marked(row) for row in rows):
        mark = rows[0]["entities"][0]["label"]
        raise CleancutError(f"{source}: all of the text stands in marks such as {mark}. Leave only those of names.")
    return Exported(rows, CHARACTERS)


def _collection_of_bioc(root: Element) -> Row:
    """Return a collection of BioC as its JSON has it, as far as mentions are concerned."""

    def part(element: Element) -> Row:
        return {
            "offset": element.findtext("offset") or 0,
            "text": element.findtext("text"),
            "annotations": [annotation(child) for child in element.findall("annotation")],
            "sentences": [part(child) for child in element.findall("sentence")],
        }

    def annotation(element: Element) -> Row:
        infons = {child.get("key"): child.text for child in element.findall("infon")}
        places = [dict(child.attrib) for child in element.findall("location")]
        return {"infons": infons, "locations": places, "text": element.findtext("text")}

    documents = []
    for document in root.findall("document"):
        passages = [part(passage) for passage in document.findall("passage")]
        documents.append({"id": document.findtext("id"), "passages": passages})
    return {"documents": documents}


def _names_of_samples(root: Element) -> set[str]:
    """Return the names of the outermost elements that have elements and text of their own beside them."""
    if len(root) and _has_text(root):
        return {root.tag}
    return set().union(*(_names_of_samples(child) for child in root))


def _has_text(element: Element) -> bool:
    """Return whether an element has text of its own."""
    texts = [element.text, *(child.tail for child in element)]
    return any(text and text.strip() for text in texts)


def _outermost(element: Element, names: Set[str]) -> Iterator[Element]:
    """Yield the outermost elements that have one of some names."""
    if element.tag in names:
        yield element
        return
    for child in element:
        yield from _outermost(child, names)


_TYPES = ("type", "TYPE", "label", "sem", "CATEG", "category", "ner")
"""Attributes that may have the type of a mention, such as those of MUC, GENIA and HAREM."""


def _mentions_in(element: Element, parts: list[str]) -> list[Row]:
    """Add the text of an element to ``parts``, and return the mentions that the elements in it are."""
    entities: list[Row] = []
    parts.append(element.text or "")
    for child in element:
        start = sum(map(len, parts))
        inner = _mentions_in(child, parts)
        end = sum(map(len, parts))
        label = next((child.attrib[name] for name in _TYPES if name in child.attrib), child.tag)
        if start < end:
            entities += [{"start": start, "end": end, "label": label.rpartition("}")[2]}, *inner]
        parts.append(child.tail or "")
    return entities


def _is_all_marked(row: Row) -> bool:
    """Return whether every word of a text stands in a mark, as where marks are those of words."""
    unmarked = list(row["text"])
    for span in row["entities"]:
        unmarked[span["start"] : span["end"]] = " " * (span["end"] - span["start"])
    return not "".join(unmarked).strip()
