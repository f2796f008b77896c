"""Mentions on lines: rows of a table, fields, items of a list, several on one line."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from html import unescape
from itertools import pairwise
from typing import NamedTuple

from .answer_lists import MOST_PARTS, Listed, habits_of, names_in_list, several_names
from .answer_pairs import key_meaning, pair_in_line, pair_of, unquoted
from .answer_records import Answer, Context, Named, Order, Style, is_none, is_plausible
from .answer_tags import is_tag, tag_lines, tagged, tags_in_row
from .loose_json import Bare, values_in


def read_lines(region: str, context: Context) -> Answer | None:
    """Read ``token TAG`` lines, Markdown tables, fields as YAML has them, bullets, ``TYPE: name, name``."""
    if "</tr>" in region:
        region = _html_rows(region)
    lines = _lines(region)
    for read in _IN_TURN:
        answer = read(lines, context)
        if answer is not None:
            return answer
    return None


def _lines(region: str) -> list[str]:
    """Return the lines that are not blank, with their indentation, without fences."""
    lines = [line.rstrip() for line in region.split("\n") if line.strip()]
    return [line for line in lines if not line.lstrip().startswith("```")]


_HTML_ROW = re.compile(r"<tr[^<>]*>(.*?)</tr>", re.S | re.I)
_HTML_CELL = re.compile(r"<t(?P<kind>[dh])[^<>]*>(?P<text>.*?)</t[dh]>", re.S | re.I)


def _html_rows(region: str) -> str:
    """Return the rows of a table in HTML as those of one in Markdown."""
    lines: list[str] = []
    for row in _HTML_ROW.finditer(region):
        cells = [*_HTML_CELL.finditer(row[1])]
        lines.append("| " + " | ".join(unescape(cell["text"]).replace("|", "\\|") for cell in cells) + " |")
        if len(lines) == 1 and all(cell["kind"] in "hH" for cell in cells):
            lines.append("|---" * len(cells) + "|")
    return "\n".join(lines)


_STANDOFF = re.compile(
    r"\s*T\d+\s+(?P<label>\S+)\s+(?P<start>\d{1,9})\s+(?:\d+;\d+\s+)*(?P<end>\d{1,9})\s+(?P<name>\S.*)"
)


def _standoff(lines: list[str], context: Context) -> Answer | None:
    """Read brat's standoff: the number of a mention, its type and offsets, and its words."""
    matches = [match for match in map(_STANDOFF.fullmatch, lines) if match is not None]
    if not matches or 2 * len(matches) < len(lines):
        return None
    mentions = [
        Named(match["name"].strip(), match["label"], int(match["start"]), int(match["end"])) for match in matches
    ]
    return Answer(tuple(mentions), Style.LINES) if is_plausible(mentions, context) else None


# --- tables -------------------------------------------------------------------------------------------


class _Columns(NamedTuple):
    """Which columns of a table have the names and the types; None where that is not known."""

    name: int | None
    label: int | None


def _table(lines: list[str], context: Context) -> Answer | None:
    """Read a Markdown table with a column of names and one of types."""
    lines_of_rows = [line for line in lines if "|" in line]
    is_cut = len(lines_of_rows) > 1 and lines[-1].startswith("|") and not lines[-1].endswith("|")
    is_cut = is_cut and all(line.endswith("|") for line in lines_of_rows[:-1])
    if is_cut:
        lines_of_rows.pop()  # the end of the last row is missing
    rows = [_cells(line) for line in _without_numbers(lines_of_rows)]
    rows = [row for row in rows if len(row) >= 2]
    rules = [at for at, row in enumerate(rows) if _is_rule(row)]
    if not rows or (not rules and (2 * len(rows) < len(lines) - 2 or _are_types_with_lists(rows, context))):
        return None
    header = rows[rules[0] - 1] if rules and rules[0] else rows[0]
    columns = _named_columns(header)
    if not rules and any(context.types.find(cell) is not None for cell in header):
        columns = _Columns(None, None)  # a type is no title
    headers = {at - 1 for at in rules} if rules else ({0} if None not in columns else set())
    above_body = headers.union(rules)
    body = [row for at, row in enumerate(rows) if at not in above_body]
    judged = [row for row in body if not any(cell.casefold() == "false" for cell in row[1:])]
    if body and not judged:
        return Answer() if len(lines_of_rows) == len(lines) else None
    body = judged
    pairs = [
        ("|".join(row[:-1]), row[-1]) if len(header) == 2 else (row[0], row[1]) for row in body
    ]  # | may be a token
    if pairs and all(is_tag(tag, context) for _, tag in pairs):
        tags = tagged(pairs, context)
        if tags is not None:
            return tags
    if None in columns:
        if not rules:
            columns = _Columns(None, None)  # without a rule, the first row need not be a title
        columns = _columns_by_content(body, columns, context)
    if columns.label is None and any(cell.casefold() == "true" for row in body for cell in row):
        return None  # Ada | True | as she is a person (PER)
    are_lists = _are_lists(body, columns)
    of_rows = [_row_mentions(row, columns, context, is_list=are_lists) for row in body]
    mentions = _of_rows(of_rows)
    if not mentions and _name_none(body, columns, context):
        return Answer()
    if not mentions:
        is_title = bool(rules) or all(key_meaning(cell) != (None, None) for cell in header)
        return Answer() if headers and not body and is_title and not is_cut else None
    if not is_plausible(mentions, context):
        return None
    order = Order.TYPE if any(len(own) > 1 for own in of_rows) else Order.TEXT
    return Answer(tuple(mentions), Style.LINES, order, is_cut=is_cut)


_NUMBER_BEFORE_ROW = re.compile(r"\s*\(?\d{1,5}[.)]\s+(?=[^\s|])")


def _without_numbers(lines: list[str]) -> list[str]:
    """Return the rows of a table without what numbers them, if all have such a number: ``1. Ada | PER``."""
    matches = [_NUMBER_BEFORE_ROW.match(line) for line in lines]
    return [match.string[match.end() :] for match in matches if match is not None] if all(matches) else lines


def _are_types_with_lists(rows: Sequence[Sequence[str]], context: Context) -> bool:
    """Return whether the bars of some lines stand between the names of a type: ``PER: Ada | Bo``."""
    before_colon = [row[0].partition(":") for row in rows]
    return any(colon and context.types.find_several(label) is not None for label, colon, _ in before_colon)


def _name_none(rows: Sequence[Sequence[str]], columns: _Columns, context: Context) -> bool:
    """Return whether all rows of a table say that there is no name: ``| PER | None |``."""
    if columns.label is None:
        return False
    others = [[cell for at, cell in enumerate(row) if at != columns.label] for row in rows]
    return bool(others) and all(cells and all(map(context.is_none, cells)) for cells in others)


def _of_rows(of_rows: Sequence[Sequence[Named]]) -> list[Named]:
    """Return the mentions of all rows. If a type has several rows, each has one name, which is read in one way."""
    n_rows = Counter(label for own in of_rows for label in {mention.label for mention in own})
    mentions = [mention for own in of_rows for mention in own]
    return [mention._replace(run=None) if n_rows[mention.label] > 1 else mention for mention in mentions]


def _records(lines: list[str], context: Context) -> Answer | None:
    """Read records with a delimiter between their fields: ``("entity"<|>Ada<|>PER<|>a mathematician)``."""
    records = [record for line in lines if "<|>" in line for record in line.split("##")]
    rows = [[unquoted(cell) for cell in record.strip().strip("()").split("<|>")] for record in records]
    rows = [row for row in rows if len(row) >= 2]
    entities = [row[1:] for row in rows if row[0].casefold() == "entity"]
    rows = [row for row in entities if len(row) >= 2] or rows
    columns = _columns_by_content(rows, _Columns(None, None), context)
    if None in columns:
        return None
    mentions = _of_rows([_row_mentions(row, columns, context) for row in rows])
    return Answer(tuple(mentions), Style.LINES) if mentions else None


def _cells(line: str) -> list[str]:
    """Return the cells of a row of a Markdown table, without emphasis."""
    inner = line.strip().removeprefix("|").removesuffix("|").replace("\\|", "\0")
    cells = [cell.strip() for cell in inner.split("|")]
    return [(cell.strip("*`").strip() or cell).replace("\0", "|") for cell in cells]


def _is_rule(row: list[str]) -> bool:
    """Return whether a row is the line between the head of a table and its body."""
    return any("-" in cell for cell in row) and all(re.fullmatch(r":?-*:?", cell) for cell in row)


def _named_columns(header: list[str]) -> _Columns:
    """Return which columns have the names and the types, by the titles of a table."""
    meanings = [key_meaning(cell) for cell in header]
    labels = [(meaning.label_rank, at) for at, meaning in enumerate(meanings) if meaning.label_rank is not None]
    label = min(labels)[1] if labels else None
    names = [(meaning.surface_rank, at) for at, meaning in enumerate(meanings) if meaning.surface_rank is not None]
    names = [(rank, at) for rank, at in names if at != label]
    name = min(names)[1] if names else None
    return _Columns(name, label)


def _columns_by_content(rows: list[list[str]], columns: _Columns, context: Context) -> _Columns:
    """Return the columns by their cells: one that has mostly types, and one that has mostly names of the text."""
    width = max(map(len, rows), default=0)
    label, name = columns.label, columns.name
    if label is None:
        counts = [sum(context.types.find(row[at]) is not None for row in rows if at < len(row)) for at in range(width)]
        label = counts.index(max(counts)) if any(counts) else None
    if name is None or name == label:
        counts = [sum(context.in_text(row[at]) for row in rows if at < len(row)) for at in range(width)]
        counts = [0 if at == label else count for at, count in enumerate(counts)]
        name = counts.index(max(counts)) if any(counts) else None
    return _Columns(name, label)


def _are_lists(rows: Sequence[Sequence[str]], columns: _Columns) -> bool:
    """Return whether each row of a table has a type first, and all names of that type behind it."""
    if columns.name is None or columns.label is None or columns.name < columns.label:
        return False
    labels = [row[columns.label] for row in rows if columns.label < len(row)]
    return len(set(labels)) == len(labels)


def _row_mentions(row: list[str], columns: _Columns, context: Context, *, is_list: bool = False) -> list[Named]:
    """Return the mentions of a row of a table: one, or those of a type, which ``is_list`` says."""
    if columns.name is None or columns.label is None:
        filled = filter(None, row)
        words = [cell for cell in filled if not cell.isdigit()]
        pair = pair_of(words[:2], context, in_list=True) if len(words) >= 2 else None
        return [] if pair is None else [pair]
    if max(columns.name, columns.label) >= len(row):
        return []
    name, label = unquoted(row[columns.name]), row[columns.label]
    if not name or not label or context.is_none(name) or is_none(label):
        return []
    names = names_in_list(name, context) if is_list and context.in_text(name) else several_names(name, context)
    return [one.named(label) for one in names]


def _separated(lines: list[str], context: Context) -> Answer | None:
    """Read values between commas, semicolons or tabs, below a line that names the columns."""
    for sign in (",", "\t", ";"):
        header = [cell.strip(" \"'") for cell in lines[0].split(sign)] if lines else []
        columns = _named_columns(header)
        if None in columns or not 2 <= len(header) <= 8:
            continue
        rows = [*csv.reader((line.strip() for line in lines[1:]), delimiter=sign, skipinitialspace=True)]
        mentions = _of_rows([_row_mentions(row, columns, context) for row in rows])
        if not rows:
            return Answer()
        return Answer(tuple(mentions), Style.LINES) if is_plausible(mentions, context) else None
    return None


# --- fields -------------------------------------------------------------------------------------------

_FIELD = re.compile(
    r"(?:^\s*(?:[-*+]\s+|\d+[.)]\s+)?|[,;|]\s+)[*\"']*([A-Za-z][\w ]{0,30}?)[*\"']*\s*(?::[*\"]*\s+|=\s*)"
)


def _fields(lines: list[str], context: Context) -> Answer | None:
    """Read ``text: Ada`` and ``label: PER`` on lines of their own, as YAML has them, or on one line."""
    mentions: list[Named] = []
    name: str | None = None
    label: str | None = None
    for key, value in (field for line in lines for field in _fields_of(line, context) or _name_alone(line, context)):
        meaning = key_meaning(key)
        is_label = meaning.label_rank is not None
        if is_label and meaning.surface_rank is not None:
            is_label = name is not None and context.types.find(value) is not None
        if is_label and label is None:
            label = value
        elif meaning.surface_rank is not None and (name is None or label is None):
            name = value
        if name is not None and label is not None:
            mentions.append(Named(name, label))
            name = label = None
    return Answer(tuple(mentions), Style.LINES) if mentions and is_plausible(mentions, context) else None


_TWO_FIELDS = re.compile(
    r"\s*(?:[-*+\u2022]\s+|\d+[.)]\s+)?"
    r"[*_]*(?P<key>[^\W\d_][\w ]{0,30}?)[*_]*\s?[:=\uff1a][*_]*(?P<first>.{1,200}?)\s*[,;|\uff0c\uff1b]\s*"
    r"[*_]*(?P<other>[^\W\d_][\w ]{0,30}?)[*_]*\s?[:=\uff1a][*_]*(?P<second>[^,;|\uff0c\uff1b]{1,200})"
)


def _fields_alike(lines: list[str], context: Context) -> Answer | None:
    """Read a name and its type under any two keys, the same on all lines: ``Entität: Ada; Typ: PER``."""
    matches = [match for match in map(_TWO_FIELDS.match, lines) if match is not None]
    if not matches or 2 * len(matches) < len(lines) or len({(match["key"], match["other"]) for match in matches}) > 1:
        return None
    if any(context.types.find_several(key) is not None for key in matches[0].group("key", "other")):
        return None
    mentions: list[Named] = []
    for match in matches:
        first, second = unquoted(match["first"]), unquoted(match["second"])
        label, name = (second, first) if context.types.find(second) is not None else (first, second)
        if context.types.find(label) is None or not context.in_text(name):
            return None
        mentions.append(Named(name, label))
    return Answer(tuple(mentions), Style.LINES, n_unread=len(lines) - len(matches))


def _name_alone(line: str, context: Context) -> list[tuple[str, str]]:
    """Return an item that is a name of the text, whose type may stand on the next line."""
    item = _item(line)
    name = unquoted(item.body.rstrip(":"))
    return [("name", name)] if item.is_item and context.in_text(name) else []


def _fields_of(line: str, context: Context) -> list[tuple[str, str]]:
    """Return the fields of a line whose keys are those of a name or a type."""
    keys = [match for match in _FIELD.finditer(line) if context.types.find(match[1]) is None]
    keys = [match for match in keys if key_meaning(match[1]) != (None, None)]
    ends = [match.start() for match in keys] + [len(line)]
    fields = [(match[1], unquoted(line[match.end() : end])) for match, end in zip(keys, ends[1:], strict=True)]
    return [(key, value) for key, value in fields if not _is_name_of_text(key, value, context)]


def _is_name_of_text(key: str, value: str, context: Context) -> bool:
    """Return whether what looks like a key is a name with its type: ``binary classification: task``."""
    if context.types.find(value) is None or not context.in_text(key):
        return False
    return " " in key or key_meaning(key).label_rank is None


_QUOTED_NAME = re.compile(
    r"([\"'`\u201c\u2018\u00ab\u300c])([^\n]{1,200}?)([\"'`\u201d\u2019\u00bb\u300d])"
    r"\s*(?:[(\[]([^()\[\]]{1,80})[)\]]|is (?:an? )?([^.,;\"]{1,80})[.,;])"
)


def _quoted_names(lines: list[str], context: Context) -> Answer | None:
    """Read names in quotes with their types behind them, inside prose: ``"Ada" (PER)`` and ``"Bo" is a PER``."""
    matches = (match for line in lines for match in _QUOTED_NAME.finditer(line))
    pairs = [Named(match[2], match[4] or match[5]) for match in matches]
    mentions = [pair for pair in pairs if context.types.find(pair.label) is not None]
    return Answer(tuple(mentions), Style.LINES) if mentions else None


# --- items of lists -----------------------------------------------------------------------------------

_SIGN = re.compile(
    r"(?:[-*+\u2022\u2023\u25cf\u25e6\u2013\u2014]|\(?\d{1,5}[.)]|(?P<heading>#{1,6}))\s+"
    r"|[\u2190-\u21ff\u2500-\u274b\u274d-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]\ufe0f?\s+(?=[^\s:=>|\u2013\u2014-])"
)
"""The sign of an item: a dash, a number; an arrow or an emoji, unless it is a name itself, ``😀 - MISC``."""
_EMPHASIS = re.compile(r"(?<!\w)__([^_\n]+)__(?!\w)")


class _Item(NamedTuple):
    """A line: what it says, and whether it looks like an item of a list or like a heading."""

    body: str
    is_item: bool
    is_heading: bool
    is_above: bool = False
    """Whether the next line is indented further."""


def _item(line: str) -> _Item:
    """Return what a line says, and whether it looks like an item of a list or like a heading."""
    line = line.strip()
    sign = _SIGN.match(line)
    said = line[sign.end() :].strip() if sign is not None else line
    body = _EMPHASIS.sub(r"\1", said).replace("**", "").strip()
    is_bold = said.startswith(("**", "__")) and said.rstrip(":").endswith(("**", "__")) and said.count("**") <= 2
    has_heading_sign = sign is not None and sign["heading"] is not None
    is_heading = has_heading_sign or body.endswith(":") or (is_bold and sign is None)
    return _Item(body, sign is not None and not has_heading_sign, is_heading)


def _items(lines: list[str], context: Context) -> Answer | None:
    """Read a mention on each line, or a type with its mentions; headings give the type of the lines below."""
    indents = [len(line) - len(line.lstrip()) for line in lines]
    are_above = [after > before for before, after in pairwise([*indents, 0])]
    items = _Items(
        [_item(line)._replace(is_above=is_above) for line, is_above in zip(lines, are_above, strict=True)], context
    )
    items.read()
    if not items.mentions:
        return Answer() if items.say_none() else None
    order = Order.TYPE if items.is_by_type else Order.TEXT
    return Answer(tuple(items.mentions), Style.LINES, order, n_unread=items.n_unread)


_BEFORE_NAMES = (":", "\uff1a", " - ", "->", "\u2192", "=>", "=", "\t", "|")
"""Signs between a type and its names."""


_TYPE_BEHIND = re.compile(r"\s*[(\[]([^()\[\]]{1,80})[)\]]")
_MOST_WORDS_OF_NAME = 4
"""Words of a sample that may be one name, with its type behind it."""
_JUDGED_FALSE = re.compile(r"\|\s*false\s*(?:\||\Z)", re.I)
"""A candidate that an answer names and refuses: ``Tuesday | False | as it is a date``."""


class _Items:
    """Reads the lines of a list one after the other."""

    def __init__(self, items: Sequence[_Item], context: Context) -> None:
        self._items, self._context = items, context
        types = [label for item in items if (label := self._first_type(item.body)) is not None]
        self._one_each = len(set(types)) < len(types)
        """A type that comes again has one mention a line."""
        self._habits = habits_of((rest for item in items for rest in self._rests(item.body)), context)
        self._repeats_sample = sum(context.is_sample(self._rest(item.body)) for item in items) > 1
        """Does the text of the sample stand behind several types?"""
        self._heading: str | None = None
        self.mentions: list[Named] = []
        self.is_by_type = False
        self.n_none = 0
        """Types that are said to have no mention."""
        self.n_unread = 0
        self._headings: set[str] = set()
        self._n_items: Counter[str] = Counter()
        """The number of lines of each type that are one name as a rule."""

    def _first_type(self, body: str) -> str | None:
        """Return the type that a line begins with."""
        labels = (self._context.types.find_several(body.partition(sign)[0]) for sign in _BEFORE_NAMES if sign in body)
        return next((label for label in labels if label is not None), None)

    def _rests(self, body: str) -> list[str]:
        """Return what follows the types of a line: one, or several with semicolons between them."""
        rests = [self._rest(part) for part in body.split(";")]
        if len(rests) == 1 or "" in rests:
            rests = [self._rest(body)]
        return [*filter(None, rests)]

    def _rest(self, body: str) -> str:
        """Return what follows the type that a line begins with."""
        find = self._context.types.find_several
        typed = (sign for sign in _BEFORE_NAMES if find(body.partition(sign)[0]) is not None)
        return next((body.partition(sign)[2].strip() for sign in typed), "")

    def read(self) -> None:
        """Read all lines."""
        for item in self._items:
            heading = self._heading_of(item)
            if heading is not None:
                self._heading = heading
                self._headings.add(heading)
            else:
                self._read_line(item)
        # a type that comes again has one name a line, which is read in one way
        self.mentions = [
            mention._replace(run=None) if self._n_items[mention.label] > 1 else mention for mention in self.mentions
        ]

    def say_none(self) -> bool:
        """Return whether the lines name no mention: of some types in words, or of all by nothing below them."""
        if self.n_unread:
            return False
        known = {self._context.types.find(heading) for heading in self._headings}
        return bool(self.n_none) or (len(known) > 1 and known.issuperset(self._context.types.names))

    def _heading_of(self, item: _Item) -> str | None:
        """Return the type that a line is a heading of; an unknown one counts if a known one stands before it."""
        words = item.body.rstrip(":").strip()
        if self._context.types.find(words) is not None:
            is_name = item.is_item and not item.is_heading and not item.is_above
            return None if is_name and self._heading and self._context.in_text(words) else words
        if not item.is_heading:
            return None
        label = _type_in_heading(words, self._context)
        if label is not None:
            return label
        return words if self._heading and not item.is_item and len(words.split()) <= 3 else None

    def _read_line(self, item: _Item) -> None:
        """Read a line: a heading, a type with its names, names, or one of the forms that are not understood."""
        context = self._context
        if _JUDGED_FALSE.search(item.body) is not None:
            self.n_none += 1
            return
        if self._is_text_with_types(item.body):
            self.n_unread += 1
            return
        several = self._several_in(item.body)
        if several is not None:
            self.mentions += several
            return
        of_type = self._typed_line(item.body)
        if of_type is not None:
            self.is_by_type = self.is_by_type or not self._one_each
            self.n_none += not of_type
            self.mentions += of_type
            self._heading = None
            return
        label = self._heading or context.label
        pair = pair_in_line(item.body, context, in_list=item.is_item)
        if pair is not None and not (label is not None and context.in_text(unquoted(item.body))):
            names = several_names(pair.text, context)
            self.is_by_type = self.is_by_type or len(names) > 1
            self._n_items[pair.label] += 1
            self.mentions += [pair._replace(text=name.text, run=name.run) for name in names]
        elif context.is_none(item.body) and label is not None:
            self.n_none += 1
        elif item.is_item and label is not None:
            self.is_by_type = True
            self._n_items[label] += 1
            self.mentions += [name.named(label) for name in self._names_of_item(item.body)]
        elif item.is_item:
            self.n_unread += 1

    def _is_text_with_types(self, body: str) -> bool:
        """Return whether a line repeats the sample with types behind words, so that no name shows where it begins."""
        context = self._context
        if "(" not in body and "[" not in body:
            return False
        plain = _TYPE_BEHIND.sub(lambda sign: "" if context.types.find(sign[1]) is not None else sign[0], body)
        if plain == body or not context.is_sample(plain):
            return False
        return not body.startswith(plain.strip()) or len(plain.split()) > _MOST_WORDS_OF_NAME

    def _several_in(self, body: str) -> list[Named] | None:
        """Return mentions with their types on one line: ``PER: Ada; LOC: Oslo``, ``Ada (PER), Oslo (LOC)``."""
        for sign in (";", " | ", ","):
            parts = body.split(sign)
            if len(parts) < 2:
                continue
            labels = [self._context.types.find_several(part.partition(":")[0]) for part in parts]
            n_parts = Counter(filter(None, labels))
            again = {label for label, n in n_parts.items() if n > 1}
            mentions: list[Named] = []
            begun: list[str] = []
            for part in parts:
                begun.append(part)
                of_part = self._mentions_of_part(sign.join(begun).strip(), again)
                if of_part:
                    mentions += of_part
                    begun = []
                elif len(begun) > MOST_PARTS:
                    break
            if len(mentions) > 1 and not "".join(begun).strip(" ."):
                return mentions
        return None

    def _mentions_of_part(self, part: str, again: set[str]) -> list[Named]:
        """Return the mention that a part of a line names with its type, or those of a type; all stand in the text.

        Args:
            part: the part of the line.
            again: types of several parts, each of which has one name.
        """
        types = self._context.types
        label, _, rest = part.partition(":")
        of_type = types.find_several(label)
        if of_type in again and self._context.in_text(unquoted(rest)):
            return [Named(unquoted(rest), of_type)]
        if of_type is not None and types.find(rest) is None:
            names = self._listed(rest)
            if names and all(self._context.in_text(name.text) for name in names):
                return [name.named(of_type) for name in names]
        pair = pair_in_line(part, self._context, in_list=False)
        return [pair] if pair is not None and self._context.in_text(pair.text) else []

    def _names_of_item(self, body: str) -> list[Listed]:
        """Return the name of an item, or its names, without what goes on behind it: ``Ada - a mathematician``."""
        names = several_names(body, self._context)
        if len(names) > 1 or self._context.in_text(names[0].text):
            return names
        for sign in (" - ", " \u2013 ", " \u2014 ", ": ", " (", ", "):
            name = unquoted(body.partition(sign)[0])
            if sign in body and self._context.in_text(name):
                return [Listed(name)]
        return names

    def _typed_line(self, body: str) -> list[Named] | None:
        """Return the mentions of a type that there is, ``PER: Ada, Bo``; None for any other line."""
        context = self._context
        for sign in _BEFORE_NAMES:
            label, _, rest = body.partition(sign)
            of_type = context.types.find_several(label) if sign in body else None
            if of_type is None:
                continue
            if context.types.find(rest) is not None and context.in_text(label):
                return None  # a name that is also the name of a type
            rest = rest.strip()
            longest_name = 1 if self._repeats_sample else _MOST_WORDS_OF_NAME
            is_whole = len(rest.split()) > longest_name and context.is_sample(rest)
            if is_whole or context.is_none(rest):
                return []  # the text without any mark names none either
            names = _names_of_list(rest) if rest[:1] in ("[", '"', "'") else []
            if not names and self._one_each and context.in_text(unquoted(rest)):
                names = [unquoted(rest)]
            return [Named(name, of_type) for name in names] or [name.named(of_type) for name in self._listed(rest)]
        return None

    def _listed(self, text: str) -> list[Listed]:
        """Return the names of a list on one line."""
        if text.startswith("[") and text.find("]") in (-1, len(text) - 1):
            text = text.removeprefix("[").removesuffix("]")
        return names_in_list(text, self._context, self._habits)


def _names_of_list(text: str) -> list[str]:
    """Return the quoted names of a list; none where some have no quotes, as in a name with brackets: ``[35S] TBPS``."""
    listed = text if text[0] == "[" else f"[{text}]"
    values = values_in(listed)
    names = [value for value in (values[0].value if values else []) if isinstance(value, str)]
    return [] if any(isinstance(name, Bare) for name in names) else names


_IN_BRACKETS = re.compile(r"(.*?)\s*[(\[]([^()\[\]]{1,80})[)\]]\s*\Z")
_BEHIND_TYPE = re.compile(r"\s+(?:entit(?:y|ies)|names?|mentions?|types?)\Z", re.I)


def _type_in_heading(words: str, context: Context) -> str | None:
    """Return the type that a heading names among other words: ``Persons (PER)``, ``PER entities``."""
    candidates = [_BEHIND_TYPE.sub("", words)]
    match = _IN_BRACKETS.match(words)
    if match is not None:
        candidates += [match[2], match[1]]
    candidates += [candidate.removesuffix("s") for candidate in candidates]
    return next((candidate for candidate in candidates if context.types.find(candidate) is not None), None)


_IN_TURN: tuple[Callable[[list[str], Context], Answer | None], ...] = (
    tag_lines, tags_in_row, _standoff, _records, _table, _separated, _fields, _fields_alike, _items, _quoted_names,
)  # fmt: skip
"""How lines are read: the forms that are least easily met by chance come first."""
