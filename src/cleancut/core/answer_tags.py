"""Answers that tag tokens: ``Ada B-PER`` on lines, ``Ada/B-PER spoke/O``, lists of tokens and tags, tags alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .answer_records import Answer, Context, Named, Order, Style, squeezed
from .corpus import Mentions
from .exceptions import CleancutError
from .loose_json import Pairs
from .tags import prefix_letter

_TAG_LINE = re.compile(r"(.*?\S)(?:\s*\t\s*|\s+\|\s+|\s*->\s*|\s+[:=-]\s+|\s+|[:=|,;]\s*)(\S+)\Z")
_COUNTED = re.compile(r"(\d{1,6})[.):]?\s+(?=\S)")
_JOINTS = "/_|\\"
"""Signs between a token and its tag: ``Ada/B-PER``, ``Ada_PER``."""
_IN_BRACKETS = re.compile(r"(\S+?)\s?[(\[<{]([^\s()\[\]<>{}]+)[)\]>}](?:\s+|\Z)")
"""A token, and its tag in brackets: ``Ada (B-PER)``, ``Ada[PER]``."""


def is_tag(word: Any, context: Context) -> bool:
    """Return whether a word is a tag, or a type that stands for one."""
    if not isinstance(word, str):
        return False
    if word == "O" or context.types.find(word) is not None:
        return True
    return prefix_letter(word) is not None


def read_tags(region: str, context: Context) -> Answer | None:
    """Read lines of a token and its tag and nothing else, whatever characters the tokens are; or a tag a token."""
    words = region.split()
    if words and words[0].endswith(":"):  # Tags: B-PER O
        words = words[1:]
    alone = tags_alone(words, context) if words and is_tag(words[0], context) else None
    if alone is not None:
        return alone
    lines = [line for line in region.split("\n") if not line.startswith("```")]
    lines = [line for line in lines if line.strip() not in ("", "O")]
    answer = tag_lines(lines, context)
    if answer is not None and answer.marked and answer.marked.count(" ") + 1 >= 0.9 * len(lines):
        return answer
    return tags_in_row(lines, context)


def tags_alone(tags: Sequence[Any], context: Context) -> Answer | None:
    """Read a tag for each token of the sample."""
    if len(tags) != context.n_tokens or not all(is_tag(tag, context) for tag in tags):
        return None
    if not any(tag == "O" or prefix_letter(tag) for tag in tags):
        return None
    spans = _spans([str(tag) for tag in tags])
    if spans is None:
        return None
    assert context.tokens is not None  # since it has a number of tokens
    mentions = []
    for span in spans:
        name = " ".join(context.tokens[span["start"] : span["end"]])
        mentions.append(Named(name, span["label"], span["start"], span["end"]))
    style = Style.LINES if mentions else None
    return Answer(tuple(mentions), style)


def tag_lines(lines: Sequence[str], context: Context) -> Answer | None:
    """Read a token and its tag on each line."""
    if not any(line.endswith("O") or prefix_letter(line.split()[-1].lstrip("|:=")) for line in lines):
        return None
    lines = [line.strip() for line in lines if line.strip() != "O"]  # the tag of a token that is not seen
    lines = _without_counts(lines, context)
    pairs: list[tuple[str, str]] = []
    for line in lines:
        match = _TAG_LINE.match(line.removeprefix("| ").removesuffix(" |"))
        if match is not None and is_tag(match[2], context):
            pairs.append((match[1], match[2]))
    if not pairs or 2 * len(pairs) <= len(lines):
        return None
    return tagged(pairs, context)


def _without_counts(lines: list[str], context: Context) -> list[str]:
    """Return lines without their numbers, where these count the lines; tokens that are numbers stay."""
    counted = [match for match in map(_COUNTED.match, lines) if match is not None]
    numbers = [int(match[1]) for match in counted]
    if 2 * len(numbers) <= len(lines) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return lines
    uncounted = [match.string[match.end() :] for match in counted]
    return lines if all(is_tag(line, context) for line in uncounted) else uncounted


def tags_in_row(lines: Sequence[str], context: Context) -> Answer | None:
    """Read ``Ada/B-PER spoke/O``, with any of several signs before the tag, or with the tag in brackets.

    Tokens without a tag are in no mention, if the text without the tags is the sample's.
    """
    stripped = [line.strip() for line in lines]
    marked = _some_tags_in_brackets(" ".join(stripped).split(), context)
    if marked is not None:
        return marked
    rows = [" ".join(_without_counts(stripped, context))]
    if 1 < len(lines) <= _MOST_ROWS:
        rows += lines
    for row in rows:
        words = row.split()
        for sign in _JOINTS:
            if sign in row:
                answer = _joined_tags(words, sign, context)
                if answer is not None:
                    return answer
        answer = _tags_in_brackets(row.strip(), context)
        if answer is not None:
            return answer
    return None


_MOST_ROWS = 20
"""Lines of which one may have a row of tokens with tags, beside prose."""


def _joined_tags(words: Sequence[str], sign: str, context: Context) -> Answer | None:
    """Read words that end with a sign and a tag: most of them, or some of the words of the sample."""
    pairs = [_token_and_tag(word, sign, context) for word in words]
    tags = [pair for pair in pairs if pair is not None]
    if not tags:
        return None
    if 2 * len(tags) > len(words):
        return tagged(tags, context)
    row = [pair or (word, "O") for pair, word in zip(pairs, words, strict=True)]
    return tagged(row, context) if context.is_sample(" ".join(token for token, _ in row)) else None


def _token_and_tag(word: str, sign: str, context: Context) -> tuple[str, str] | None:
    """Return the token and the tag that a word has behind a sign; None for a word without a tag."""
    token, _, tag = word.partition(sign)
    for _ in range(_MOST_JOINTS):
        if not tag:
            return None
        if is_tag(tag, context):
            return token, tag
        more, _, tag = tag.partition(sign)
        token = f"{token}{sign}{more}"
    return None


_MOST_JOINTS = 16
"""Signs of a word that are looked at; an address has some."""


def _tags_in_brackets(row: str, context: Context) -> Answer | None:
    """Read ``Ada (B-PER) spoke (O)``: a token and its tag, one behind the other, and nothing else."""
    pairs: list[tuple[str, str]] = []
    at = 0
    while at < len(row):
        match = _IN_BRACKETS.match(row, at)
        if match is None or not is_tag(match[2], context):
            return None
        pairs.append((match[1], match[2]))
        at = match.end()
    return tagged(pairs, context) if len(pairs) > 1 else None


_LAST_IN_BRACKETS = re.compile(r"(\S+)[(\[{<]([^\s()\[\]<>{}]+)[)\]>}]")


def _some_tags_in_brackets(words: Sequence[str], context: Context) -> Answer | None:
    """Read ``Ada[B-PER] spoke``: the words of the sample, some of which have a tag behind them."""
    matches = [_LAST_IN_BRACKETS.fullmatch(word) for word in words]
    if not any(match is not None and prefix_letter(match[2]) for match in matches):
        return None
    row = []
    for word, match in zip(words, matches, strict=True):
        if match is not None and is_tag(match[2], context):
            row.append((match[1], match[2]))
        else:
            row.append((word, "O"))
    return tagged(row, context) if context.is_sample(" ".join(token for token, _ in row)) else None


def tagged_values(value: Any, context: Context) -> Answer | None:
    """Read parsed values that tag tokens: pairs or objects of a token and a tag, or a list of each.

    >>> tagged_values([["Ada", "B-PER"], ["spoke", "O"]], Context.of(["PER"])).mentions
    (Named(text='Ada', label='PER', start=0, end=3, run=None),)
    """
    while isinstance(value, Pairs) and len(value) == 1 and isinstance(value[0][1], list):
        value = value[0][1]
    if not isinstance(value, list) or not value:
        return None
    if isinstance(value, Pairs):
        lists = [inner for _, inner in value if type(inner) is list]  # Pairs are lists too
        if len(lists) == 2 and len(lists[0]) == len(lists[1]):
            return _tagged_rows([*zip(*lists, strict=True)], context)
        return _tagged_rows(value, context)
    if all(isinstance(item, str) for item in value):
        return tags_alone(value, context)
    rows = []
    for item in value:
        words = item
        if isinstance(item, Pairs):  # {"Ada": "B-PER"}, or {"token": "Ada", "tag": "B-PER"}
            words = [*item[0]] if len(item) == 1 else [inner for _, inner in item]
        if not isinstance(words, list) or len(words) != 2:
            return None
        rows.append((words[0], words[1]))
    return _tagged_rows(rows, context)


def _tagged_rows(rows: Sequence[tuple[Any, Any]], context: Context) -> Answer | None:
    """Read rows of a token and its tag, or of a tag and its token."""
    for token_at, tag_at in ((0, 1), (1, 0)):
        pairs = [(row[token_at], row[tag_at]) for row in rows]
        if all(isinstance(token, str) and is_tag(tag, context) for token, tag in pairs):
            return tagged(pairs, context)
    return None


def tagged(pairs: Sequence[tuple[str, str]], context: Context) -> Answer | None:
    """Return the mentions of tagged tokens; types without a letter before them tell no beginning."""
    if not any(tag == "O" for _, tag in pairs):
        if any(not prefix_letter(tag) for _, tag in pairs):
            return None  # names with their types
        if context.types and not any(context.types.find(tag) is not None for _, tag in pairs):
            return None  # words such as L-DOPA
    words = [token for token, _ in pairs if token]
    if context.sample is not None and 2 * sum(map(context.in_text, words)) < len(words):
        return None  # prose that ends as a tag does
    if any(token.startswith("##") for token, _ in pairs) and not context.in_text("##"):
        pairs = [(token.removeprefix("##"), tag) for token, tag in pairs]  # parts of words
    if any(tag != "O" and not prefix_letter(tag) for _, tag in pairs) and not _is_most_of_sample(words, context):
        return None  # names with their types, and words that are none
    spans = _spans([tag for _, tag in pairs])
    if spans is None:
        return None
    starts, at = [], 0
    for token, _ in pairs:
        starts.append(at)
        at += len(token) + 1
    text = " ".join(token for token, _ in pairs)
    mentions = []
    for span in spans:
        first, last = span["start"], span["end"] - 1
        start, end = starts[first], starts[last] + len(pairs[last][0])
        mentions.append(Named(text[start:end], span["label"], start, end))
    style = Style.LINES if mentions else None
    return Answer(tuple(mentions), style, Order.TEXT, text)


def _is_most_of_sample(words: Sequence[str], context: Context) -> bool:
    """Return whether words are those of the sample, or nearly all of them."""
    if context.sample is None:
        return True
    text = squeezed("".join(words))
    return text in context.sample or len(text) >= _MOST_OF_SAMPLE * len(context.sample)


_MOST_OF_SAMPLE = 0.9
"""Share of the letters of a sample behind which types tag its words, rather than names."""


def _spans(tags: Sequence[str]) -> list[dict[str, Any]] | None:
    """Return the mentions that tags stand for; None where they cannot be read."""
    with_letters = [tag if tag == "O" or prefix_letter(tag) else f"I-{tag}" for tag in tags]
    try:
        return Mentions.of([with_letters]).spans()[0]
    except CleancutError:
        return None
