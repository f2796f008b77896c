"""Characters to tokens: a simple tokeniser, mentions at character offsets, mentions that are only quoted.

A token is a run of word characters, or any other single character that is not a space. It serves to build entity
keys and nothing else: the text itself is never rewritten.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..core.corpus import Mentions
from ..core.tags import inside_tag, split_tag

_TOKEN = re.compile(r"\w+|[^\w\s]")


class Words(NamedTuple):
    """The tokens of a text and where each starts and ends, in characters."""

    tokens: list[str]
    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, text: str) -> Words:
        """
        >>> Words.of("Dr. Ada-May").tokens
        ['Dr', '.', 'Ada', '-', 'May']
        """
        found = list(_TOKEN.finditer(text))
        return cls([m.group() for m in found], [m.start() for m in found], [m.end() for m in found])

    def covering(self, start: int, end: int) -> tuple[int, int]:
        """The tokens that the characters from start to end touch, half-open; empty where these are all space.

        >>> Words.of("Ada spoke").covering(1, 5)
        (0, 2)
        """
        return bisect_right(self.ends, start), bisect_left(self.starts, end)

    def cuts(self, start: int, end: int) -> bool:
        """Do the offsets cut a token, so that its rest is not in the mention?"""
        first, until = self.covering(start, end)
        return first < until and (self.starts[first] < start or end < self.ends[until - 1])


def located(quotes: Iterable[tuple[str, str]], tokens: Sequence[str]) -> list[tuple[int, int, str] | None]:
    """Return the token spans of mentions of which only the words and the label are known; None for one not in the text.

    Mentions are found as whole tokens; one that is named again with the same label stands at the next place.

    >>> located([("Ada", "PER"), ("Ada", "PER"), ("Bo", "PER")], ["Ada", "met", "Ada", "."])
    [(0, 1, 'PER'), (2, 3, 'PER'), None]
    """
    places: dict[str, list[tuple[int, int]]] = {}
    used: Counter[tuple[str, str]] = Counter()
    spans: list[tuple[int, int, str] | None] = []
    for quote, label in quotes:
        if quote not in places:
            places[quote] = _occurrences(quote.split(), tokens) or _occurrences(Words.of(quote).tokens, tokens)
        turn = used[quote, label]
        if turn < len(places[quote]):
            spans.append((*places[quote][turn], label))
            used[quote, label] += 1
        else:
            spans.append(None)
    return spans


def _occurrences(part: Sequence[str], tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Where the tokens of a mention stand, without overlaps."""
    found, at, part = [], 0, list(part)
    if not part:
        return []
    while at + len(part) <= len(tokens):
        if tokens[at] == part[0] and list(tokens[at : at + len(part)]) == part:
            found.append((at, at + len(part)))
            at += len(part)
        else:
            at += 1
    return found


def joined_pieces(pieces: Iterable[tuple[int, int, str]], text: str) -> list[tuple[int, int, str]]:
    """Mentions of pieces with B- and I- labels, as the token-classification pipeline returns them one by one.

    >>> joined_pieces([(0, 2, "B-PER"), (2, 3, "I-PER"), (4, 8, "I-PER"), (13, 17, "B-LOC")], "Ada King, in Oslo")
    [(0, 8, 'PER'), (13, 17, 'LOC')]
    """
    tags: list[str] = []
    at: list[tuple[int, int]] = []
    for start, end, tag in sorted(pieces):
        if at and text[at[-1][1] : start].strip():  # something stands between the two
            tags.append("O")
            at.append((start, start))
        inside = bool(at) and at[-1][1] == start and text[max(start - 1, 0) : start + 1].isalnum()
        if inside and split_tag(tag)[1] == split_tag(tags[-1])[1]:  # a later piece of the same word begins nothing
            tag = inside_tag(split_tag(tag)[1])
        tags.append(tag)
        at.append((start, end))
    spans = Mentions.of([tags]).spans()[0] if tags else []
    return [(at[span["start"]][0], at[span["end"] - 1][1], span["label"]) for span in spans]
