"""What tools export as text with offsets or marks: PubTator, names in marks, and XML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import replace
from xml.etree import ElementTree

from ..core.exceptions import CleancutError, reason
from .exported import CHARACTERS, Exported, characters_of
from .json_exports import bioc
from .opening import Row, Source


def is_pubtator(source: Source) -> bool:
    found = re.match(r"([^|\s]+)\|t\|", source.head_lines[0]) if len(source.head_lines) > 1 else None
    return found is not None and source.head_lines[1].startswith(f"{found[1]}|a|")


def pubtator(source: Source) -> Exported:
    """PubTator: a title and an abstract, then a line for each mention at its characters of both."""
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
                    f"{source}, line {number}: a mention of {fields[0]}, whose text does not stand before."
                )
            span = {"start": int(fields[1]), "end": int(fields[2]), "label": fields[4], "text": fields[3]}
            rows[fields[0]]["entities"].append(span)
    return Exported(list(rows.values()), characters_of(list(rows.values())))


_MARKED = re.compile(
    r"<START:(?P<opennlp>[^>\s]+)>\s?(?P<inside>.*?)\s?<END>"
    r"|<(?P<enamex>ENAMEX|NUMEX|TIMEX)\s+TYPE=\"(?P<type>[^\"]+)\"[^>]*>(?P<in_enamex>.*?)</(?P=enamex)>"
    r"|<(?P<tag>[A-Za-z][\w.-]*)>(?P<in_tag>[^<]*)</(?P=tag)>"
)


def is_inline(source: Source) -> bool:
    """Are there names in marks, in lines that are otherwise plain text?"""
    if source.suffix not in (".xml", ".sgml", ".txt", ".train", ""):
        return False
    if not any(_MARKED.search(line) for line in source.head_lines):
        return False
    if source.suffix in (".xml", ".sgml"):
        return True
    widths = {len(line.split()) for line in source.head_lines}
    # as many in every line: tokens, and what is said of them
    of_columns = len(widths) == 1 and widths.pop() > 1 and len(source.head_lines) > 1
    return not of_columns and not any(re.search(r"\t|\s(O|[BIOESLU]-\S+)$", line) for line in source.head_lines)


def inline(source: Source) -> Exported:
    """One sample a line, whose names stand in marks: ``<PER>Ada</PER>``, ENAMEX, or ``<START:person> Ada <END>``."""
    rows: list[Row] = []
    for number, line in enumerate(source.text().lstrip("\ufeff").replace("\r", "").split("\n"), 1):
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
                    f"{source}, line {number}: a name within a name, which lines with marks cannot be read for."
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
            raise CleancutError(f"{source}, line {number}: a mark that does not begin or end ({plain:.60}).")
        rows.append({"text": plain, "entities": [span for span in entities if span["start"] < span["end"]]})
    return Exported(rows, CHARACTERS)


def is_xml(source: Source) -> bool:
    """Is it a document of XML, rather than lines with marks: does a declaration or a mark alone stand first?"""
    if source.suffix not in (".xml", ".sgml", ".txt", "") or not source.head_lines:
        return False
    first = source.head_lines[0].strip()
    return first.startswith("<?xml") or re.fullmatch(r"<[A-Za-z][\w.:-]*(\s[^<>]*)?>", first) is not None


def xml_document(source: Source) -> Exported:
    """An XML document: elements that have both text and elements are samples, and the elements in them are mentions.

    All elements called as these are samples too. The type of a mention is its attribute ``type``, or its name. A
    collection of BioC is read as its JSON is.
    """
    text = source.text().lstrip("\ufeff").lstrip()
    if "<!ENTITY" in text:
        raise CleancutError(f"{source}: XML that defines entities of its own is not read. Write them out.")
    try:
        root = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        raise CleancutError(f"{source}: not a whole XML document ({reason(error)}). Close every element.") from None
    if root.tag == "collection" and root.find("document/passage") is not None:
        return replace(bioc([_collection_of_bioc(root)], source.name), name="BioC XML")
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


def _collection_of_bioc(root: ElementTree.Element) -> Row:
    """Return a collection of BioC as its JSON has it, as far as mentions are concerned."""

    def part(element: ElementTree.Element) -> Row:
        return {
            "offset": element.findtext("offset") or 0,
            "text": element.findtext("text"),
            "annotations": [annotation(own) for own in element.findall("annotation")],
            "sentences": [part(own) for own in element.findall("sentence")],
        }

    def annotation(element: ElementTree.Element) -> Row:
        infons = {own.get("key"): own.text for own in element.findall("infon")}
        places = [dict(own.attrib) for own in element.findall("location")]
        return {"infons": infons, "locations": places, "text": element.findtext("text")}

    documents = [
        {"id": own.findtext("id"), "passages": [part(passage) for passage in own.findall("passage")]}
        for own in root.findall("document")
    ]
    return {"documents": documents}


def _names_of_samples(root: ElementTree.Element) -> set[str]:
    """Return the names of the outermost elements that have elements and text of their own beside them."""
    if len(root) and _has_text(root):
        return {root.tag}
    return set().union(*(_names_of_samples(child) for child in root))


def _has_text(element: ElementTree.Element) -> bool:
    return any(part and part.strip() for part in (element.text, *(child.tail for child in element)))


def _outermost(element: ElementTree.Element, names: Set[str]) -> Iterator[ElementTree.Element]:
    if element.tag in names:
        yield element
        return
    for child in element:
        yield from _outermost(child, names)


def _mentions_in(element: ElementTree.Element, parts: list[str]) -> list[Row]:
    """Add the text of an element to ``parts``, and return the mentions that the elements in it are."""
    entities: list[Row] = []
    parts.append(element.text or "")
    for child in element:
        start = sum(map(len, parts))
        inner = _mentions_in(child, parts)
        end = sum(map(len, parts))
        label = next((child.attrib[name] for name in ("type", "TYPE", "label") if name in child.attrib), child.tag)
        if start < end:
            entities += [{"start": start, "end": end, "label": label.rpartition("}")[2]}, *inner]
        parts.append(child.tail or "")
    return entities


def _is_all_marked(row: Row) -> bool:
    """Stands every word of a text in a mark, as where these are of words?"""
    rest = list(row["text"])
    for span in row["entities"]:
        rest[span["start"] : span["end"]] = " " * (span["end"] - span["start"])
    return not "".join(rest).strip()
