"""Rows of text whose lines are samples with tags: ``word|TAG``, ``word/TAG``, words and tags apart, and trees."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from ..core.exceptions import CleancutError, quoted
from .exported import TAGS, TOKEN_SPANS, Exported
from .opening import Row, Source
from .token_lists import runs_of

_IS_TAG = re.compile(r"O|[BIESLUM]-\S+")
"""Matches a tag with a prefix, or of no mention."""
_SUFFIXES = (".txt", ".iob", ".iob2", ".bio", ".conll", ".tagged", ".tsv", "")
"""Endings of names of files of such lines."""


# --- words with their tags --------------------------------------------------------------------------------------------


def is_word_and_tag(source: Source) -> bool:
    """Return whether each line is a sample of words with their tags: ``Ada|NNP|B-PER ran|VBD|O``, or with slashes.

    Args:
        source: the source.
    """
    if source.suffix not in _SUFFIXES or "\t" in source.head:
        return False
    return _mark_of(source.head_lines) is not None


def _mark_of(lines: Sequence[str]) -> str | None:
    """Return what stands between words and tags; None where nothing does.

    A slash may stand in words, and before tags of parts of speech: then there must be tags of no mention.
    """
    first = lines[0].split()[0] if lines else ""
    for mark in "|/":
        if mark not in first:  # as in most files, whose other lines need not be looked at
            continue
        items = list(chain.from_iterable(line.split() for line in lines))
        parts = [item.rpartition(mark) for item in items]
        if len(items) == len(lines) or not all(word and tag for word, _, tag in parts):
            continue
        tags = {tag for _, _, tag in parts}
        if tags == {"O"} or "O" not in tags:
            continue
        if all(map(_IS_TAG.fullmatch, tags)) or (mark == "/" and all(map(_IS_TYPE.fullmatch, tags))):
            return mark
    return None


_IS_TYPE = re.compile(r"[A-Z][A-Z_]*|MISC|O")
"""Matches the name of a type as taggers without prefixes write it."""


def word_and_tag(source: Source) -> Exported:
    """Return the words and the mentions of each line. What stands between a word and its tag is left out.

    Tags without prefixes, as of Stanford's tagger, are runs of words of one type.

    Args:
        source: the file.

    Raises:
        CleancutError: a word has no tag.
    """
    mark = _mark_of(source.head_lines) or "|"
    n_marks = min(item.count(mark) for line in source.head_lines for item in line.split())
    rows: list[Row] = []
    for number, line in _lines_in(source):
        items = [item.rsplit(mark, n_marks) for item in line.split()]
        odd = next((item for item in items if len(item) != n_marks + 1), None)
        if odd is not None:
            raise CleancutError(f"{source}, line {number}: {quoted(odd[0])} has no tag. Write it as word{mark}O.")
        rows.append({"tokens": [item[0] for item in items], "tags": [item[-1] for item in items]})
    has_prefixes = all(_IS_TAG.fullmatch(tag) for row in rows for tag in row["tags"])
    if has_prefixes:
        return Exported(rows, TAGS)
    runs = [{"tokens": row["tokens"], "entities": runs_of(row["tags"])} for row in rows]
    return Exported(runs, TOKEN_SPANS, ["the tags have no prefixes; words of one type in a row are one mention."])


def _lines_in(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers."""
    return ((number, line) for number, line in source.lines() if line.strip())


# --- words, a tab, and their tags -------------------------------------------------------------------------------------


def is_words_then_tags(source: Source) -> bool:
    """Return whether each line has the words of a sample, a tab, and as many tags, as ATIS has.

    Args:
        source: the source.
    """
    lines = source.head_lines
    has_words = "\t" in source.head and " " in source.head  # a word a line has no spaces
    if not has_words or not all(line.count("\t") == 1 for line in lines):
        return False
    rows = [_words_and_tags(line) for line in lines]
    if any(row is None for row in rows) or max(len(line.split("\t")[0].split()) for line in lines) < 2:
        return False
    return any(tag != "O" for row in rows if row is not None for tag in row["tags"])


def _words_and_tags(line: str) -> Row | None:
    """Return the words and the tags of a line; None where they are none.

    ``BOS`` and ``EOS`` of ATIS are no words; what stands in the place of the tag of the latter is said of the sample.
    """
    before, _, after = line.partition("\t")
    words = before.split()
    tags = after.split()
    if len(words) != len(tags):
        return None
    if words[:1] == ["BOS"] and words[-1:] == ["EOS"]:
        words = words[1:-1]
        tags = tags[1:-1]
    if not words or not all(map(_IS_TAG.fullmatch, tags)):
        return None
    return {"tokens": words, "tags": tags}


def words_then_tags(source: Source) -> Exported:
    """Return the words and the tags of each line.

    Args:
        source: the file.

    Raises:
        CleancutError: a line has another number of tags than of words.
    """
    rows = []
    for number, line in _lines_in(source):
        row = _words_and_tags(line)
        if row is None:
            raise CleancutError(
                f"{source}, line {number}: not as many tags as words ({quoted(line)}). Give each word a tag, after "
                "one tab."
            )
        rows.append(row)
    return Exported(rows, TAGS)


# --- trees ------------------------------------------------------------------------------------------------------------

_PARTS = re.compile(r"\((?=\S)[^\s()]+|\)|[^\s()]\S*?(?=\)*(?:\s|$))|[()]/\S+?(?=\)*(?:\s|$))")
"""Matches the beginning of a part of a tree with its label, the end of a part, or a word."""


def is_tree(source: Source) -> bool:
    """Return whether a source has trees of NLTK, in which names are parts: ``(S (PERSON Ada/NNP) ran/VBD)``.

    Args:
        source: the source.
    """
    text = source.head
    is_one = re.match(r"\(S\s", text) is not None and source.suffix in _SUFFIXES
    return is_one and re.search(r"\([A-Z][\w-]*\s+\S+/\S+", text) is not None


def trees(source: Source) -> Exported:
    """Return the words and the mentions of each tree; the tag of the part of speech of a word is left out.

    Args:
        source: the file.

    Raises:
        CleancutError: a part of a tree does not end, or ends twice.
    """
    rows: list[Row] = []
    opened: list[tuple[str, int]] = []
    tokens: list[str] = []
    entities: list[Row] = []
    for part in _PARTS.findall(source.text()):
        if part.startswith("(") and not part.startswith("(/"):
            opened.append((part[1:], len(tokens)))
        elif part != ")":
            tokens.append(part.rpartition("/")[0] or part)
        elif not opened:
            raise CleancutError(
                f"{source}: a part of tree {len(rows)} ends twice. Write a bracket that is a word as -RRB-."
            )
        else:
            label, start = opened.pop()
            if opened:
                entities.append({"start": start, "end": len(tokens), "label": label})
            else:
                rows.append({"tokens": tokens, "entities": entities})
                tokens = []
                entities = []
    if opened:
        raise CleancutError(
            f"{source}: a part of tree {len(rows)} does not end. Write a bracket that is a word as -LRB-."
        )
    return Exported(rows, TOKEN_SPANS)
