"""Rows of what tools export as columns: CoNLL-U, CoNLL-2012, WebAnno TSV and CSV."""

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
from .exported import CHARACTERS, TAGS, TOKEN_SPANS, Exported, characters_of
from .opening import Row, Source
from .spans import names_of_span, number_in


def is_conllu(source: Source) -> bool:
    """Return whether a source is CoNLL-U: ten columns, the last of which is ``MISC``.

    Args:
        source: the source.
    """
    lines = [line for line in source.head_lines if not line.startswith("#")]
    if not lines or not all(line.count("\t") == 9 for line in lines) or re.match(r"\d+", lines[0]) is None:
        return False
    miscs = [line.rpartition("\t")[2] for line in lines]
    if _key_of_names(miscs) is not None:
        return True
    has_tags = set(miscs) != {"_"} and all(map(_IS_TAG.fullmatch, miscs))  # columns of CoNLL, with the tag in the last
    return source.suffix == ".conllu" and not has_tags


_NER_KEYS = ("NER", "NE", "Ner", "ner")
"""The usual names of tags of entities in the last column of CoNLL-U."""
_BRACKETS_KEY = "Entity"
"""The name of entities in brackets there, ``Entity=(1-person``."""
_IS_TAG = re.compile(r"O|_|[BIESLUM]-.+")
"""Matches a tag."""


def _values_of(misc: str) -> dict[str, str]:
    """Return the values of a field of CoNLL-U such as ``NER=B-PER|SpaceAfter=No``."""
    pairs = (part.partition("=") for part in misc.split("|"))
    return {key: value for key, separator, value in pairs if separator}


def _key_of_names(miscs: Sequence[str]) -> str | None:
    """Return the name of the tags of entities, or of their brackets, in the last column; None where there are none."""
    values: dict[str, list[str]] = {}
    for misc in miscs:
        for key, value in _values_of(misc).items():
            values.setdefault(key, []).append(value)
    usual = [key for key in _NER_KEYS if key in values]
    if usual:
        return usual[0]
    keys_of_tags = [key for key, key_values in values.items() if _are_tags(key_values)]
    if len(keys_of_tags) == 1:
        return keys_of_tags[0]
    has_brackets = any(set(value) & set("()") for value in values.get(_BRACKETS_KEY, ()))
    return _BRACKETS_KEY if has_brackets else None


def _are_tags(values: Sequence[str]) -> bool:
    """Return whether all values are tags, and some are tags of mentions."""
    return all(map(_IS_TAG.fullmatch, values)) and any("-" in value for value in values)


def conllu(source: Source) -> Exported:
    """Return the rows of CoNLL-U with the entities in the last column.

    It has the tag of each word, ``NER=B-PER``, or brackets, ``Entity=(1-person``.

    Args:
        source: the file.

    Raises:
        CleancutError: a line has not ten columns, or there are no entities.
    """
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
    """Return the rows with the entities that their column ``misc`` holds in its place."""
    key = _key_of_names([misc for row in rows for misc in row["misc"]])
    if key is None:
        raise CleancutError(
            f"{source}: no entities in the last column of CoNLL-U. Write them there as NER=B-PER, or give a word and "
            "its tag on each line of a .conll file."
        )
    values = [[_values_of(misc).get(key, "") for misc in row.pop("misc")] for row in rows]
    has_brackets = any("(" in value for row_values in values for value in row_values)
    if key == _BRACKETS_KEY and has_brackets:
        for row, row_values in zip(rows, values, strict=True):
            row["entities"] = _spans_in_brackets(row_values, order, source)
        return Exported(rows, TOKEN_SPANS)
    for row, row_values in zip(rows, values, strict=True):
        row["tags"] = ["O" if value in ("", "_") else value for value in row_values]
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
        raise CleancutError(
            f"{source}: the entities in brackets have no type among {'-'.join(names)}. Export them with their types."
        )
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
                    name = begun if identity is None else parts[identity]
                    opened.append((name, spans[-1]))
                continue
            closed_names = {closed, *closed.split("-")}
            matching = [i for i, (name, _) in enumerate(opened) if name in closed_names]
            if not matching:
                raise CleancutError(f"{source}: the entity {closed}) ends in a sentence in which it does not begin.")
            _, span = opened.pop(matching[-1])
            span["end"] = place + 1
    if opened:
        raise CleancutError(f"{source}: the entity ({opened[0][0]} does not end in its sentence.")
    return spans


def is_conll_2012(source: Source) -> bool:
    """Return whether a source is CoNLL-2012, with lines that begin documents and at least eleven columns.

    Args:
        source: the source.
    """
    has_documents = any(line.startswith("#begin document") for line in source.head_lines[:20])
    token_lines = [line for line in source.head_lines if not line.startswith("#")]
    return has_documents and any(len(line.split()) > _NAMES_2012 for line in token_lines)


_WORD_2012 = 3
"""The column of the words."""
_NAMES_2012 = 10
"""The column of the names."""


def conll_2012(source: Source) -> Exported:
    """Return the rows of CoNLL-2012, with names as brackets in a column: ``(PERSON*``, ``*``, ``*)``.

    Args:
        source: the file.

    Raises:
        CleancutError: a line has too few columns, or a name does not begin or end.
    """
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
    """Return whether a source is WebAnno TSV 3, by its first line.

    Args:
        source: the source.
    """
    return source.head.lstrip("\ufeff").startswith("#FORMAT=WebAnno TSV")


def webanno(source: Source) -> Exported:
    """Return the rows of WebAnno TSV 3 (INCEpTION). Mentions may cut tokens apart.

    The layer of named entities is read, or the only one.

    Args:
        source: the file.

    Raises:
        CleancutError: it is not clear which layer is to be read, or a line does not fit the layers.
    """
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
                parts = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", value)
                if parts is None or value in ("_", "*") or parts[1] in ("", "*", "_"):
                    continue
                label = _unescaped(parts[1])
                identity = (label, parts[2] or f"at {fields[0]}")
                span = spans.setdefault(identity, {"start": start, "label": label})
                span["end"] = end
        rows.append({"tokens": pieces, "entities": list(spans.values())})
    return Exported(rows, TOKEN_SPANS)


def _unescaped(text: str) -> str:
    """Return a text without the backslashes that escape characters."""
    return re.sub(r"\\(.)", r"\1", text)


def _webanno_pieces(lines: list[list[str]], source: Source) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the tokens of a sentence, cut where parts (``1-1.1``) begin and end, and the place of each line."""
    offsets = [tuple(map(int, fields[1].split("-"))) for fields in lines]
    is_part = ["." in fields[0] for fields in lines]
    edges: set[int] = set()
    for part, part_offsets in zip(is_part, offsets, strict=True):
        if part:
            edges.update(part_offsets)
    pieces: list[str] = []
    piece_from: dict[int, int] = {}
    piece_until: dict[int, int] = {}
    for fields, (first, last), part in zip(lines, offsets, is_part, strict=True):
        if part:
            continue
        word = _unescaped(fields[2])
        cuts = [first, *sorted(edge for edge in edges if first < edge < last), last]
        for start, end in pairwise(cuts):
            piece_from[start] = len(pieces)
            piece_until[end] = len(pieces) + 1
            piece = word[start - first : end - first] if len(cuts) > 2 else word
            pieces.append(piece)
    if not all(first in piece_from and last in piece_until for first, last in offsets):
        raise CleancutError(
            f"{source}: a part of a token near {lines[0][0]} lies outside of the token. Export the file anew."
        )
    return pieces, [(piece_from[first], piece_until[last]) for first, last in offsets]


def _webanno_column(text: str, source: Source) -> int:
    """Return the column of the value of named entities: by the name of the layer, or of the only layer."""
    layers = re.findall(r"^#T_(SP|CH|RL)=([^|\r\n]+)\|?([^\r\n]*)", text, re.M)
    columns: dict[str, int] = {}
    next_column = 3
    for kind, layer, features in layers:
        names = [feature for feature in features.split("|") if feature]
        link_columns: set[int] = set()  # a link takes a column for its role and the next for its target
        for i, name in enumerate(names):
            if name.startswith("ROLE_"):
                link_columns |= {i, i + 1}
        value_columns = [i for i in range(len(names)) if i not in link_columns]
        if kind == "SP" and value_columns:
            value_column = names.index("value") if "value" in names else value_columns[-1]
            columns[layer] = next_column + value_column
        next_column += max(len(names), 1)
    named = [layer for layer in columns if re.search("NamedEntity|(?i:ner)$", layer)]
    chosen = named or list(columns)
    if len(chosen) != 1:
        layer_names = ", ".join(columns) or "none"
        raise CleancutError(f"{source}: which layer holds the names? There are {layer_names}. Export one layer alone.")
    return columns[chosen[0]]


def is_csv(source: Source) -> bool:
    """Return whether a source is a table: it is called .csv, or has tabs between columns that the first line names.

    Args:
        source: the source. What separates the columns of a .csv file is found when it is read.
    """
    return source.suffix == ".csv" or _is_table_of_tabs(source)


def _is_table_of_tabs(source: Source) -> bool:
    """Return whether a source is a table with names of columns and tabs between them.

    Its sentences are numbered, or its values lists. Words with tags below a line of names are CoNLL columns instead,
    with a blank line after each sentence.
    """
    if source.suffix not in (".tsv", ".tab", ".txt", "") or len(source.head_lines) < 2:
        return False
    first = source.head_lines[0].split("\t")
    second = source.head_lines[1].split("\t")
    names = {plain_name(name) for name in first}
    if len(first) < 2 or len(first) != len(second):
        return False
    numbers_sentences = bool(names & {*SENTENCE}) and bool(names & {*TOKEN_A_ROW}) and bool(names & {*TAG_A_ROW})
    is_named = bool(names & {*TOKENS, *TEXT}) and bool(names & {*TAG_COLUMNS, *SPANS})
    has_lists = any(re.match(r'"?[\[{]', value) for value in second)
    return numbers_sentences or (is_named and has_lists)


def csv_rows(source: Source) -> Exported:
    """Return the rows of a table, whose columns have to be detected. All values are text.

    Args:
        source: the file.

    Raises:
        CleancutError: the file is no table, or a row has not as many values as there are names.
    """
    first = (source.head_lines or [""])[0]
    separator = max(",;\t", key=first.count)
    csv.field_size_limit(2**31 - 1)  # a document may be longer than the 128 KB that csv allows
    try:
        rows = list(csv.DictReader(io.StringIO(source.text(), newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise CleancutError(f"{source}: not a readable CSV file ({reason(error)}). Write it as UTF-8.") from None
    for number, row in enumerate(rows):
        if None in row or None in row.values():
            raise CleancutError(f"row {number} ({source.base}): not as many values as the first line has names.")
    return _mentions_by_row(rows) or Exported(rows)


def _mentions_by_row(rows: Sequence[Row]) -> Exported | None:
    """Return a row for each text of a table with a mention in each row, beside its text; None for any other table.

    A row without offsets is a text without mentions. Of several columns of texts, the longest is the text, and another
    has the words of the mention.
    """
    names = list(rows[0]) if rows else []
    span = names_of_span(names)
    texts = [name for name in names if plain_name(name) in TEXT]
    has_tokens = any(plain_name(name) in ("token", "tokens", "word", "words") for name in names)
    if span is None or not texts or has_tokens:
        return None
    start, end, label = span
    text = max(texts, key=lambda name: sum(len(row[name]) for row in rows))
    quote = next((name for name in texts if name != text), None)
    samples: list[Row] = []
    for row in rows:
        if not samples or samples[-1]["text"] != row[text]:
            samples.append({"text": row[text], "entities": []})
        if row[start].strip():
            entity = {"start": number_in(row[start]), "end": number_in(row[end]), "label": row[label]}
            if None in entity.values():
                return None
            words = row[quote] if quote else None
            samples[-1]["entities"].append({**entity, "text": words})
    if quote is not None:
        return Exported(samples, characters_of(samples))
    return Exported(samples, {name: value for name, value in CHARACTERS.items() if name != "end"})
