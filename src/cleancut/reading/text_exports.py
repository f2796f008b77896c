"""What tools export as text with offsets or marks: PubTator, names in marks, and folders of BRAT."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..core.exceptions import CleancutError
from .exported import CHARACTERS, Exported
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
    return Exported(list(rows.values()), CHARACTERS)


_MARKED = re.compile(
    r"<START:(?P<opennlp>[^>\s]+)>\s?(?P<inside>.*?)\s?<END>"
    r"|<(?P<enamex>ENAMEX|NUMEX|TIMEX)\s+TYPE=\"(?P<type>[^\"]+)\"[^>]*>(?P<in_enamex>.*?)</(?P=enamex)>"
    r"|<(?P<tag>[A-Za-z][\w.-]*)>(?P<in_tag>[^<]*)</(?P=tag)>"
)


def is_inline(source: Source) -> bool:
    """Are there names in marks, in lines that are otherwise plain text?"""
    if source.suffix not in (".xml", ".sgml", ".txt", ".train", "") or source.head.lstrip().startswith("<?xml"):
        return False
    if not any(_MARKED.search(line) for line in source.head_lines):
        return False
    widths = {len(line.split()) for line in source.head_lines}
    of_columns = len(widths) == 1 and widths.pop() > 1  # as many in every line: tokens, and what is said of them
    return not of_columns and not any(re.search(r"\t|\s[BIOESLU]-\S+$", line) for line in source.head_lines)


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


def is_brat(source: Source) -> bool:
    """Is it a folder of BRAT, with a file of annotation beside each text?"""
    return source.is_folder and any(name.endswith(".ann") for name in os.listdir(source.name))


def brat(source: Source) -> Exported:
    """Read a folder of BRAT: a row for each text, in the order of their names."""
    rows: list[Row] = []
    n_split = 0
    for path in sorted(Path(source.name).glob("*.ann")):
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
