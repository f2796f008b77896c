"""Mentions on lines: a token and its tag, rows of a table, items of a list."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .answer_pairs import LABELS, SURFACES, pair_in_line, plain_key, unquoted
from .answer_records import Answer, Context, Named, Order, Style, is_none, is_plausible
from .answer_values import ValueReader
from .corpus import Mentions
from .exceptions import CleancutError
from .loose_json import values_in
from .tags import prefix_letter, split_tag


def read_lines(region: str, context: Context) -> Answer | None:
    """``token TAG`` lines, Markdown tables, bullets, ``TYPE: name, name``."""
    lines = _lines(region)
    readers: tuple[Callable[[list[str], Context], Answer | None], ...]
    readers = (_tag_lines, _slashed_tags, _table, _described_lines, _bullets)
    for read in readers:
        found = read(lines, context)
        if found is not None:
            return found
    return None


def _lines(region: str) -> list[str]:
    return [line.strip() for line in region.split("\n") if line.strip() and not line.lstrip().startswith("```")]


def read_tags(region: str, context: Context) -> Answer | None:
    """Nothing but lines of a token and its tag, whatever characters the tokens are."""
    lines = [line for line in _lines(region) if line != "O"]
    found = _tag_lines(lines, context)
    if found is not None and found.marked and found.marked.count(" ") + 1 >= 0.9 * len(lines):
        return found
    return _slashed_tags(lines, context)


_TAG_LINE = re.compile(r"(?:\d+[.)]?\s+)?(\S+?)(?:\s+|\s*[|:=\t]\s*|\s*->\s*)(\S+)\Z")


def _tag_lines(lines: list[str], context: Context) -> Answer | None:
    """A token and its tag on each line."""
    pairs: list[tuple[str, str]] = []
    lines = [line for line in lines if line != "O"]  # the tag of a token that is not seen
    for line in lines:
        match = _TAG_LINE.match(line.strip("|").strip())
        if match and _is_tag(match[2], context):
            pairs.append((match[1], match[2]))
    return _tagged(pairs, context) if pairs and 2 * len(pairs) > len(lines) else None


def _is_tag(tag: str, context: Context) -> bool:
    if tag == "O":
        return True
    if prefix_letter(tag):
        return not context.types or context.types.find(split_tag(tag)[1]) is not None or bool(split_tag(tag)[1])
    return False


_SLASHED = re.compile(r"(\S+)/(O|[A-Z]-[\w.-]+)\Z")


def _slashed_tags(lines: list[str], context: Context) -> Answer | None:
    """``Ada/B-PER spoke/O``."""
    words = " ".join(lines).split()
    pairs = [(match[1], match[2]) for match in map(_SLASHED.match, words) if match and _is_tag(match[2], context)]
    return _tagged(pairs, context) if pairs and 2 * len(pairs) > len(words) else None


def _tagged(pairs: Sequence[tuple[str, str]], context: Context) -> Answer | None:
    try:
        spans = Mentions.of([[tag for _, tag in pairs]]).spans()[0]
    except CleancutError:
        return None
    starts, at = [], 0
    for token, _ in pairs:
        starts.append(at)
        at += len(token) + 1
    text = " ".join(token for token, _ in pairs)
    named = []
    for span in spans:
        first, last = span["start"], span["end"] - 1
        start, end = starts[first], starts[last] + len(pairs[last][0])
        named.append(Named(text[start:end], span["label"], start, end))
    return Answer(tuple(named), Style.LINES if named else None, Order.TEXT, text)


def _table(lines: list[str], context: Context) -> Answer | None:
    """A Markdown table with a column of names and one of types."""
    rows = [_cells(line) for line in lines if line.count("|") >= 1]
    rows = [row for row in rows if len(row) >= 2 and not all(re.fullmatch(r":?-*:?", cell) for cell in row)]
    if len(rows) < 1 or 2 * len(rows) < len(lines) - 2:
        return None
    keys = [plain_key(cell) for cell in rows[0]]
    name_at = next((keys.index(key) for key in SURFACES if key in keys), None)
    label_at = next((keys.index(key) for key in LABELS if key in keys and keys.index(key) != name_at), None)
    has_header = name_at is not None and label_at is not None
    tags = [(row[0], row[1]) for row in rows[has_header:] if _is_tag(row[1], context)]
    if tags and len(tags) == len(rows) - has_header:
        return _tagged(tags, context)
    reading = ValueReader(context)
    named = []
    for row in rows[has_header:]:
        if has_header and max(name_at or 0, label_at or 0) < len(row):
            name, label = row[name_at or 0], row[label_at or 0]
        else:
            words = [cell for cell in row if cell and not cell.isdigit()]
            pair = reading.pair(list(words[:2]), inner=True) if len(words) >= 2 else None
            name, label = (pair.text, pair.label) if pair is not None else ("", "")
        if name and label and not is_none(label):
            named.append(Named(name, label))
    if named and not is_plausible(named, context):
        return None
    if not named:
        return Answer() if has_header else None
    return Answer(tuple(named), Style.LINES)


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|").replace("\\|", "\0")
    return [cell.strip().strip("*`").strip().replace("\0", "|") for cell in inner.split("|")]


_FIELD = re.compile(r"(?:[-*+]\s+)?[\"']?([A-Za-z][\w ]{0,30}?)[\"']?\s*:\s+(.+)\Z")


def _described_lines(lines: list[str], context: Context) -> Answer | None:
    """``text: Ada`` and ``label: PER`` on lines of their own, as YAML has them."""
    named: list[Named] = []
    name = label = None
    for line in lines:
        field = _FIELD.match(line)
        if field is None or context.types.find(field[1]) is not None:
            continue
        key = plain_key(field[1])
        if key in LABELS and key != "entity" and label is None:
            label = unquoted(field[2])
        elif key in SURFACES and name is None:
            name = unquoted(field[2])
        if name is not None and label is not None:
            named.append(Named(name, label))
            name = label = None
    return Answer(tuple(named), Style.LINES) if named and is_plausible(named, context) else None


_BULLET = re.compile(r"(?:[-*+\u2022\u2023\u25cf\u25e6\u2013\u2014]|\(?\d{1,5}[.)]|#{1,6})\s+")
_EMPHASIS = re.compile(r"(?<!\w)__([^_\n]+)__(?!\w)")


def _bullets(lines: list[str], context: Context) -> Answer | None:
    """A mention on each line, or a type with its mentions; headings give the type of the lines below."""
    named: list[Named] = []
    heading: str | None = None
    is_by_type = False
    nothing = 0
    starts = [context.types.find(line.partition(":")[0].lstrip("-* ")) for line in lines if ":" in line]
    known = [label for label in starts if label is not None]
    one_each = len(set(known)) < len(known)  # a type that comes again has one mention a line
    for line in lines:
        is_item = bool(_BULLET.match(line))
        body = _BULLET.sub("", line, count=1).strip() if is_item else line
        body = _EMPHASIS.sub(r"\1", body).replace("**", "").strip()
        label = context.types.find(body.rstrip(":").strip())
        if label is not None and not (heading and context.in_text(body)):
            heading = body.rstrip(":").strip()
            continue
        grouped = _typed_line(body, context, one_each=one_each)
        if grouped is not None:
            is_by_type = is_by_type or not one_each
            nothing += not grouped
            named += grouped
            heading = None
            continue
        pair = pair_in_line(body, context, sure=is_item)
        if pair is not None:
            named.append(pair)
        elif is_item and (heading or context.label) is not None:
            if context.is_none(body):
                nothing += 1
                continue
            is_by_type = True
            named.append(Named(unquoted(body), heading or context.label or ""))
        elif heading is not None and context.is_none(body):
            nothing += 1
    if not named:
        return Answer() if nothing else None
    return Answer(tuple(named), Style.LINES, Order.TYPE if is_by_type else Order.TEXT)


def _typed_line(body: str, context: Context, *, one_each: bool) -> list[Named] | None:
    """``PER: Ada, Bo``: the mentions of a type that there is; None for any other line."""
    for sign in (":", " - ", "->", "=", "\t", "|"):
        label, found, rest = body.partition(sign)
        if not found or context.types.find(label) is None:
            continue
        if context.types.find(rest) is not None and context.in_text(label):
            return None  # a name that is also the name of a type
        rest = rest.strip()
        if context.is_none(rest):
            return []
        if rest[:1] in "[\"'" and any(quote in rest for quote in "\"'"):
            values = values_in(rest if rest[:1] == "[" else f"[{rest}]")
            names = [value for value in (values[0].value if values else []) if isinstance(value, str)]
            if names:
                return [Named(name, label.strip()) for name in names]
        if one_each and context.in_text(unquoted(rest)):
            return [Named(unquoted(rest), label.strip())]
        rest = rest.removeprefix("[").removesuffix("]")
        parts = [part.strip() for part in re.split(r"\s*;\s*" if ";" in rest else r",(?:\s+|\Z)", rest)]
        return [Named(unquoted(part), label.strip()) for part in parts if part and not context.is_none(part)]
    return None
