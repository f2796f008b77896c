"""Characters to tokens: the rule for text that has none, mentions at character offsets, mentions that are only quoted.

A token is a run of word characters (letters, digits, the marks that belong to them, ``_``) or any other single
character that is not a space. In scripts that are written without spaces each character is a token by itself, with its
marks. Every edge of a mention is an edge of a token, so that a mention is what stands at its offsets.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from ..core.corpus import Mentions
from ..core.tags import inside_tag, split_tag

WITHOUT_SPACES = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff\u19e0-\u19ff"  # Khmer
    "\u1950-\u19df\u1a20-\u1aaf"  # Tai Le, New Tai Lue, Tai Tham
    "\u1b00-\u1b7f\ua980-\ua9df"  # Balinese, Javanese
    "\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001b16f"  # Hiragana, Katakana
    "\u3100-\u312f\u31a0-\u31bf"  # Bopomofo
)
"""Scripts that are written without spaces between words, as a class of a regular expression."""

_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
"""Korean, whose particles follow a word without a space."""


@cache
def _token() -> re.Pattern[str]:
    """The rule as a regular expression; Python's own classes do not know the marks of letters."""
    planes = [*range(0x20000), *range(0xE0100, 0xE01F0)]
    marks = [code for code in planes if unicodedata.category(chr(code)).startswith("M")]
    ranges: list[list[int]] = []
    for code in marks:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    mark = "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
    spaced = f"(?![{WITHOUT_SPACES}])[\\w{mark}]"
    joiner = "[\u200c\u200d](?=\\w)"  # inside words of Persian and of the scripts of India
    alone = f"(?=[^\\W_])[{WITHOUT_SPACES}][{mark}]*"
    ascii_run = "[A-Za-z0-9_]+"  # what most text is made of, without a look at each letter
    run = f"(?:{ascii_run}|{spaced})(?:{ascii_run}|{spaced}|[{mark}]|{joiner})*"
    return re.compile(f"{run}|{alone}|[^\\w\\s]")


_IN_A_WORD = re.compile(f"(?![{WITHOUT_SPACES}{_HANGUL}])[^\\W_]{{2}}")


def is_inside_word(text: str, edge: int) -> bool:
    """Is an edge between two letters of a word, in a script where words end at spaces and nothing is joined to them?

    >>> is_inside_word("Oslo", 1), is_inside_word("Oslo.", 4), is_inside_word("서울에서", 2), is_inside_word("東京", 1)
    (True, False, False, False)
    """
    return edge > 0 and _IN_A_WORD.match(text, edge - 1) is not None


class Words(NamedTuple):
    """The tokens of a text and where each starts and ends, in characters."""

    tokens: list[str]
    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, text: str, edges: Iterable[int] = ()) -> Words:
        """Return the tokens of a text, also cut at the edges of its mentions.

        >>> Words.of("Dr. Ada-May").tokens
        ['Dr', '.', 'Ada', '-', 'May']
        >>> Words.of("Ada는 東京にいた", edges=[0, 3]).tokens
        ['Ada', '는', '東', '京', 'に', 'い', 'た']
        """
        found = [match.span() for match in _token().finditer(text)]
        if edges:
            found = _cut(found, sorted(set(edges)))
        return cls([text[a:b] for a, b in found], [a for a, _ in found], [b for _, b in found])

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


def _cut(spans: Sequence[tuple[int, int]], edges: Sequence[int]) -> list[tuple[int, int]]:
    """Return spans cut wherever an edge, of which there is a sorted list, falls inside one."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        inside = edges[bisect_right(edges, start) : bisect_left(edges, end)]
        found += zip([start, *inside], [*inside, end], strict=True)
    return found


def placed(quotes: Iterable[tuple[str, str]], text: str) -> list[tuple[int, int, str] | None]:
    """Return the characters of mentions of which only the words and the label are known; None for one not in the text.

    Mentions are found as whole tokens, Korean ones also before a particle; one that is named again with the same label
    stands at the next place.

    >>> placed([("Ada", "PER"), ("서울", "LOC"), ("Ad", "PER")], "Ada는 서울에서 Ada")
    [(10, 13, 'PER'), (5, 7, 'LOC'), None]
    """
    words = Words.of(text)
    places: dict[str, list[tuple[int, int]]] = {}
    used: Counter[tuple[str, str]] = Counter()
    found: list[tuple[int, int, str] | None] = []
    for quote, label in quotes:
        if quote not in places:
            whole = _occurrences(Words.of(quote).tokens, words.tokens)
            places[quote] = [(words.starts[a], words.ends[b - 1]) for a, b in whole]
            places[quote] += _before_particles(quote, text, words)
        turn = used[quote, label]
        used[quote, label] += 1
        found.append((*places[quote][turn], label) if turn < len(places[quote]) else None)
    return found


def _before_particles(quote: str, text: str, words: Words) -> list[tuple[int, int]]:
    """Return where a Korean mention begins a word and the word goes on behind it."""
    if not quote or not re.match(f"[{_HANGUL}]", quote[-1]):
        return []
    at = [match.span() for match in re.finditer(re.escape(quote), text)]
    return [(start, end) for start, end in at if start in words.starts and end not in words.ends]


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
