"""What tools export as columns: CoNLL-U, CoNLL-2012, WebAnno TSV and CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ..core.exceptions import CleancutError, reason
from .column_names import SENTENCE, SPANS, TAG_A_ROW, TEXT, TOKEN_A_ROW, TOKENS
from .column_names import TAGS as TAG_COLUMNS
from .columns import plain_name
from .exported import TAGS, TOKEN_SPANS, Exported
from .opening import Row, Source


def is_conllu(source: Source) -> bool:
    rows = [line.split("\t") for line in source.head_lines if not line.startswith("#")]
    is_wide = bool(rows) and all(len(fields) == 10 for fields in rows)
    if not is_wide or re.match(r"\d+", rows[0][0]) is None:
        return False
    last = {fields[9] for fields in rows}
    has_tags = last != {"_"} and all(map(_IS_TAG.fullmatch, last))  # columns of CoNLL, with the tag in the last
    return _key_of_names([fields[9] for fields in rows]) is not None or (source.suffix == ".conllu" and not has_tags)


_NER_KEYS = ("NER", "NE", "Ner", "ner")
"""What tags of entities are usually called in the last column of CoNLL-U."""
_BRACKETS_KEY = "Entity"
"""What entities in brackets are called there, ``Entity=(1-person``."""
_IS_TAG = re.compile(r"O|_|[BIESLUM]-.+")


def _values_of(misc: str) -> dict[str, str]:
    """Return the values of a field of CoNLL-U such as ``NER=B-PER|SpaceAfter=No``."""
    pairs = (part.partition("=") for part in misc.split("|"))
    return {key: value for key, is_there, value in pairs if is_there}


def _key_of_names(miscs: Sequence[str]) -> str | None:
    """Return what the tags of entities, or their brackets, are called in the last column; None where there are none."""
    values: dict[str, list[str]] = {}
    for misc in miscs:
        for key, value in _values_of(misc).items():
            values.setdefault(key, []).append(value)
    usual = [key for key in _NER_KEYS if key in values]
    if usual:
        return usual[0]
    tagged = [key for key, own in values.items() if all(map(_IS_TAG.fullmatch, own)) and any("-" in v for v in own)]
    if len(tagged) == 1:
        return tagged[0]
    return _BRACKETS_KEY if any(set(value) & set("()") for value in values.get(_BRACKETS_KEY, ())) else None


def conllu(source: Source) -> Exported:
    """CoNLL-U with the entities in the last column: the tag of each word, ``NER=B-PER``, or ``Entity=(1-person``."""
    rows: list[Row] = []
    row: Row = {"tokens": [], "misc": []}
    document = None
    order = None
    for number, line in enumerate([*source.text().split("\n"), ""], 1):
        line = line.rstrip("\r")
        if not line.strip():
            if row["tokens"]:
                rows.append(row)
            row = {"tokens": [], "misc": []}
        elif line.startswith("#"):
            key, _, value = (part.strip() for part in line.removeprefix("#").partition("="))
            if key == "sent_id":
                row["id"] = value
            elif key == "newdoc id":
                document = value
            elif key == "global.Entity":
                order = value.split("-")
        else:
            fields = line.split("\t")
            if len(fields) != 10:
                raise CleancutError(f"{source}, line {number}: {len(fields)} columns, but CoNLL-U has 10.")
            if "-" in fields[0] or "." in fields[0]:  # words joined in writing, and words that are not written
                continue
            row["tokens"].append(fields[1])
            row["misc"].append(fields[9])
            if document is not None:
                row["doc"] = document
    return _entities_of_misc(rows, order, source)


def _entities_of_misc(rows: list[Row], order: list[str] | None, source: Source) -> Exported:
    """Return the rows with what their column ``misc`` says of entities in its place."""
    key = _key_of_names([misc for row in rows for misc in row["misc"]])
    if key is None:
        raise CleancutError(
            f"{source}: no entities in the last column of CoNLL-U. Write them there as NER=B-PER, or give a word and "
            "its tag on each line of a .conll file."
        )
    values = [[_values_of(misc).get(key, "") for misc in row.pop("misc")] for row in rows]
    if key == _BRACKETS_KEY and any("(" in value for own in values for value in own):
        for row, own in zip(rows, values, strict=True):
            row["entities"] = _spans_in_brackets(own, order, source)
        return Exported(rows, TOKEN_SPANS)
    for row, own in zip(rows, values, strict=True):
        row["tags"] = ["O" if value in ("", "_") else value for value in own]
    return Exported(rows, TAGS)


def _spans_in_brackets(values: Sequence[str], order: list[str] | None, source: Source) -> list[Row]:
    """Return the spans of a sentence whose words have ``(1-person``, ``1)``, or both, as GUM and CorefUD write them.

    Args:
        values: what each word has.
        order: what the parts of a bracket are, as the file says; a type and a number where it does not.
        source: the file, for messages.
    """
    names = order or ["etype", "eid"]
    if "etype" not in names:
        raise CleancutError(f"{source}: the entities in brackets have no type, but {'-'.join(names)}.")
    identity = next((names.index(name) for name in ("eid", "GRP") if name in names), None)
    spans: list[Row] = []
    opened: list[tuple[str, Row]] = []
    for place, value in enumerate(values):
        for begun, is_closed, closed in re.findall(r"\(([^()]+)(\))?|([^()]+)\)", value):
            if begun:
                parts = begun.split("-")
                if len(parts) <= names.index("etype"):
                    raise CleancutError(f"{source}: the entity ({begun} has no type.")
                spans.append({"start": place, "end": place + 1, "label": parts[names.index("etype")]})
                if not is_closed:
                    opened.append((begun if identity is None else parts[identity], spans[-1]))
                continue
            at = [i for i, (name, _) in enumerate(opened) if closed == name or name in closed.split("-")]
            if not at:
                raise CleancutError(f"{source}: the entity {closed}) ends in a sentence in which it does not begin.")
            opened.pop(at[-1])[1]["end"] = place + 1
    if opened:
        raise CleancutError(f"{source}: the entity ({opened[0][0]} does not end in its sentence.")
    return spans


def is_conll_2012(source: Source) -> bool:
    begins = any(line.startswith("#begin document") for line in source.head_lines[:20])
    return begins and any(len(line.split()) > _NAMES_2012 for line in source.head_lines if not line.startswith("#"))


_WORD_2012, _NAMES_2012 = 3, 10


def conll_2012(source: Source) -> Exported:
    """CoNLL-2012: names as brackets in a column, ``(PERSON*``, ``*``, ``*)``."""
    rows: list[Row] = []
    row: Row = {"tokens": [], "entities": []}
    opened: list[tuple[int, str]] = []
    document = ""
    for number, line in enumerate([*source.text().split("\n"), ""], 1):
        line = line.strip()
        if line.startswith("#begin document"):
            document = line.removeprefix("#begin document").strip()
        elif line.startswith("#"):
            continue
        elif not line:
            if opened:
                raise CleancutError(
                    f"{source}, line {number}: the name that begins with ({opened[-1][1]} does not end."
                )
            if row["tokens"]:
                rows.append({**row, "doc": document})
            row = {"tokens": [], "entities": []}
        else:
            fields = line.split()
            if len(fields) <= _NAMES_2012:
                raise CleancutError(f"{source}, line {number}: {len(fields)} columns, but CoNLL-2012 has at least 11.")
            place = len(row["tokens"])
            row["tokens"].append(fields[_WORD_2012].removeprefix("/") or "/")
            for label in re.findall(r"\(([^()*]+)", fields[_NAMES_2012]):
                opened.append((place, label))
            for _ in range(fields[_NAMES_2012].count(")")):
                if not opened:
                    raise CleancutError(f"{source}, line {number}: a name ends here that did not begin.")
                start, label = opened.pop()
                row["entities"].append({"start": start, "end": place + 1, "label": label})
    return Exported(rows, TOKEN_SPANS)


def is_webanno(source: Source) -> bool:
    return source.head.lstrip("\ufeff").startswith("#FORMAT=WebAnno TSV")


def webanno(source: Source) -> Exported:
    """WebAnno TSV 3 (INCEpTION): the layer of named entities, or the only one. Mentions may cut tokens apart."""
    text = source.text()
    column = _webanno_column(text, source)
    rows: list[Row] = []
    for block in re.split(r"\n\s*\n", text.replace("\r", "")):
        lines = [line.split("\t") for line in block.split("\n") if re.match(r"\d+-\d+(\.\d+)?\t", line)]
        if not lines:
            continue
        for fields in lines:
            if len(fields) <= column:
                raise CleancutError(
                    f"{source}: the line {fields[0]} has {len(fields)} columns, but {column + 1} are named."
                )
        pieces, places = _webanno_pieces(lines, source)
        spans: dict[tuple[str, str], dict[str, Any]] = {}
        for fields, (start, end) in zip(lines, places, strict=True):
            for value in re.split(r"(?<!\\)\|", fields[column]):
                found = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", value)
                if found is None or value in ("_", "*") or found[1] in ("", "*", "_"):
                    continue
                label = _unescaped(found[1])
                span = spans.setdefault((label, found[2] or f"at {fields[0]}"), {"start": start, "label": label})
                span["end"] = end
        rows.append({"tokens": pieces, "entities": list(spans.values())})
    return Exported(rows, TOKEN_SPANS)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _webanno_pieces(lines: list[list[str]], source: Source) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the tokens of a sentence, cut where parts (``1-1.1``) begin and end, and the place of each line."""
    offsets = [tuple(map(int, fields[1].split("-"))) for fields in lines]
    is_part = ["." in fields[0] for fields in lines]
    edges = {edge for part, own in zip(is_part, offsets, strict=True) if part for edge in own}
    pieces: list[str] = []
    begins: dict[int, int] = {}
    ends: dict[int, int] = {}
    for fields, (first, last), part in zip(lines, offsets, is_part, strict=True):
        if part:
            continue
        word = _unescaped(fields[2])
        cuts = [first, *sorted(edge for edge in edges if first < edge < last), last]
        for start, end in pairwise(cuts):
            begins[start], ends[end] = len(pieces), len(pieces) + 1
            pieces.append(word[start - first : end - first] if len(cuts) > 2 else word)
    if not all(first in begins and last in ends for first, last in offsets):
        raise CleancutError(
            f"{source}: a part of a token near {lines[0][0]} stands outside of it. Export the file anew."
        )
    return pieces, [(begins[first], ends[last]) for first, last in offsets]


def _webanno_column(text: str, source: Source) -> int:
    """Return the column of the value of named entities: by the name of the layer, or of the only layer."""
    layers = re.findall(r"^#T_(SP|CH|RL)=([^|\r\n]+)\|?([^\r\n]*)", text, re.M)
    columns: dict[str, int] = {}
    next_column = 3
    for kind, layer, features in layers:
        names = [feature for feature in features.split("|") if feature]
        of_links = {at + beside for at, name in enumerate(names) if name.startswith("ROLE_") for beside in (0, 1)}
        own = [at for at in range(len(names)) if at not in of_links]
        if kind == "SP" and own:
            columns[layer] = next_column + (names.index("value") if "value" in names else own[-1])
        next_column += max(len(names), 1)
    named = [layer for layer in columns if "NamedEntity" in layer or layer.lower().endswith("ner")]
    chosen = named or list(columns)
    if len(chosen) != 1:
        there = ", ".join(columns) or "none"
        raise CleancutError(f"{source}: which layer holds the names? There are {there}. Export one layer alone.")
    return columns[chosen[0]]


def is_csv(source: Source) -> bool:
    return source.suffix == ".csv" or _is_table_of_tabs(source)


def _is_table_of_tabs(source: Source) -> bool:
    """Is it a table whose columns are named and separated by tabs, of sentences that are numbered, or of lists?

    Words with tags below a line of names are CoNLL columns, with a blank line after each sentence.
    """
    if source.suffix not in (".tsv", ".tab", ".txt", "") or len(source.head_lines) < 2:
        return False
    first, second = (line.split("\t") for line in source.head_lines[:2])
    names = {plain_name(name) for name in first}
    if len(first) < 2 or len(first) != len(second):
        return False
    numbers_sentences = bool(names & {*SENTENCE}) and bool(names & {*TOKEN_A_ROW}) and bool(names & {*TAG_A_ROW})
    is_named = bool(names & {*TOKENS, *TEXT}) and bool(names & {*TAG_COLUMNS, *SPANS})
    has_lists = any(re.match(r'"?[\[{]', value) for value in second)
    return numbers_sentences or (is_named and has_lists)


def csv_rows(source: Source) -> Exported:
    """A table whose columns have to be found; all its values are text."""
    first = (source.head_lines or [""])[0]
    separator = max(",;\t", key=first.count)
    csv.field_size_limit(2**31 - 1)  # a document may be longer than the 128 KB that csv allows
    try:
        rows = list(csv.DictReader(io.StringIO(source.text(), newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise CleancutError(f"{source}: not a readable CSV file ({reason(error)}). Write it as UTF-8.") from None
    for at, row in enumerate(rows):
        if None in row or None in row.values():
            raise CleancutError(f"row {at} ({source.base}): not as many values as the first line has names.")
    return Exported(rows)
