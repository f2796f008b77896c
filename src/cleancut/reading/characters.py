"""Tokens of texts that have none, and the places of mentions that are given by characters or only quoted.

A token is a run of word characters (letters, digits, the marks that belong to them, ``_``) or any other single
character that is not a space. In scripts that are written without spaces each character is a token by itself, with
its marks. Every edge of a mention is an edge of a token, so that a mention is what stands at its offsets.
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
    """Return a pattern that matches a token. It lists all marks (accents), which Python's word class leaves out."""
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
"""Matches two letters of one word."""


def is_inside_word(text: str, edge: int) -> bool:
    """Return whether an edge is between two letters of a word, in a script where words end at spaces.

    Korean does not count, because its particles follow a word without a space.

    Args:
        text: the text.
        edge: the number of characters before the edge.

    >>> is_inside_word("Oslo", 1), is_inside_word("Oslo.", 4), is_inside_word("서울에서", 2), is_inside_word("東京", 1)
    (True, False, False, False)
    """
    return edge > 0 and _IN_A_WORD.match(text, edge - 1) is not None


class Words(NamedTuple):
    """The tokens of a text with their characters."""

    tokens: list[str]
    """The tokens."""
    starts: list[int]
    """The first character of each token."""
    ends: list[int]
    """The character behind the last one of each token."""

    @classmethod
    def of(cls, text: str, edges: Iterable[int] = ()) -> Words:
        """Return the tokens of a text, also cut at the edges of its mentions.

        Args:
            text: the text.
            edges: the characters at which mentions begin or end.

        >>> Words.of("Dr. Ada-May").tokens
        ['Dr', '.', 'Ada', '-', 'May']
        >>> Words.of("Ada는 東京にいた", edges=[0, 3]).tokens
        ['Ada', '는', '東', '京', 'に', 'い', 'た']
        """
        spans = [match.span() for match in _token().finditer(text)]
        if edges:
            spans = _cut(spans, sorted(set(edges)))
        tokens = [text[start:end] for start, end in spans]
        starts = [start for start, _ in spans]
        ends = [end for _, end in spans]
        return cls(tokens, starts, ends)

    def covering(self, start: int, end: int) -> tuple[int, int]:
        """Return the tokens that some characters touch, half-open; an empty range where the characters are all space.

        Args:
            start: the first character.
            end: the character behind the last one.

        >>> Words.of("Ada spoke").covering(1, 5)
        (0, 2)
        """
        return bisect_right(self.ends, start), bisect_left(self.starts, end)

    def cuts(self, start: int, end: int) -> bool:
        """Return whether offsets cut a token, so that the rest of it is not in the mention.

        Args:
            start: the first character.
            end: the character behind the last one.

        >>> Words.of("Ada spoke").cuts(0, 3), Words.of("Ada spoke").cuts(0, 5)
        (False, True)
        """
        first, until = self.covering(start, end)
        return first < until and (self.starts[first] < start or end < self.ends[until - 1])


def _cut(spans: Sequence[tuple[int, int]], edges: Sequence[int]) -> list[tuple[int, int]]:
    """Return spans that are cut wherever one of the sorted edges falls inside."""
    pieces: list[tuple[int, int]] = []
    for start, end in spans:
        inside = edges[bisect_right(edges, start) : bisect_left(edges, end)]
        if inside:
            pieces += zip([start, *inside], [*inside, end], strict=True)
        else:
            pieces.append((start, end))
    return pieces


def placed(quotes: Iterable[tuple[str, str]], text: str) -> list[tuple[int, int, str] | None]:
    """Return the characters of mentions of which only the words and the label are known.

    Mentions are located as whole tokens, Korean ones also before a particle. One that is named again with the same
    label stands at the next place.

    Args:
        quotes: the words and the label of each mention.
        text: the text.

    Returns:
        The first character, the one behind the last, and the label of each mention; None for one that is not in the
        text.

    >>> placed([("Ada", "PER"), ("서울", "LOC"), ("Ad", "PER")], "Ada는 서울에서 Ada")
    [(10, 13, 'PER'), (5, 7, 'LOC'), None]
    """
    quotes = list(quotes)
    searched = text if quotes else ""
    words = Words.of(searched)
    places: dict[str, list[tuple[int, int]]] = {}
    n_uses: Counter[tuple[str, str]] = Counter()
    spans: list[tuple[int, int, str] | None] = []
    for quote, label in quotes:
        if quote not in places:
            token_spans = _occurrences(Words.of(quote).tokens, words.tokens)
            places[quote] = [(words.starts[first], words.ends[until - 1]) for first, until in token_spans]
            places[quote] += _before_particles(quote, text, words)
        turn = n_uses[quote, label]
        n_uses[quote, label] += 1
        if turn < len(places[quote]):
            spans.append((*places[quote][turn], label))
        else:
            spans.append(None)
    return spans


def _before_particles(quote: str, text: str, words: Words) -> list[tuple[int, int]]:
    """Return the places where a Korean mention begins a word and the word goes on behind it."""
    if not quote or not re.match(f"[{_HANGUL}]", quote[-1]):
        return []
    places = []
    for match in re.finditer(re.escape(quote), text):
        if match.start() in words.starts and match.end() not in words.ends:
            places.append(match.span())
    return places


def located(quotes: Iterable[tuple[str, str]], tokens: Sequence[str]) -> list[tuple[int, int, str] | None]:
    """Return the token spans of mentions of which only the words and the label are known.

    Mentions are located as whole tokens. One that is named again with the same label stands at the next place.

    Args:
        quotes: the words and the label of each mention.
        tokens: the tokens of the sample.

    Returns:
        The first token, the one behind the last, and the label of each mention; None for one that is not in the sample.

    >>> located([("Ada", "PER"), ("Ada", "PER"), ("Bo", "PER")], ["Ada", "met", "Ada", "."])
    [(0, 1, 'PER'), (2, 3, 'PER'), None]
    """
    places: dict[str, list[tuple[int, int]]] = {}
    n_uses: Counter[tuple[str, str]] = Counter()
    spans: list[tuple[int, int, str] | None] = []
    for quote, label in quotes:
        if quote not in places:
            places[quote] = _occurrences(quote.split(), tokens) or _occurrences(Words.of(quote).tokens, tokens)
        turn = n_uses[quote, label]
        if turn < len(places[quote]):
            spans.append((*places[quote][turn], label))
            n_uses[quote, label] += 1
        else:
            spans.append(None)
    return spans


def _occurrences(part: Sequence[str], tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of the tokens of a mention, without overlaps."""
    wanted = list(part)
    if not wanted:
        return []
    places = []
    start = 0
    while start + len(wanted) <= len(tokens):
        end = start + len(wanted)
        if tokens[start] == wanted[0] and list(tokens[start:end]) == wanted:
            places.append((start, end))
            start = end
        else:
            start += 1
    return places


def joined_pieces(pieces: Iterable[tuple[int, int, str]], text: str) -> list[tuple[int, int, str]]:
    """Return the mentions of pieces with B- and I- labels, which the token-classification pipeline returns one by one.

    Args:
        pieces: the first character, the one behind the last, and the label of each piece.
        text: the text.

    >>> joined_pieces([(0, 2, "B-PER"), (2, 3, "I-PER"), (4, 8, "I-PER"), (13, 17, "B-LOC")], "Ada King, in Oslo")
    [(0, 8, 'PER'), (13, 17, 'LOC')]
    """
    tags: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, tag in sorted(pieces):
        if ends and text[ends[-1] : start].strip():  # something stands between the two
            tags.append("O")
            starts.append(start)
            ends.append(start)
        is_inside = bool(ends) and ends[-1] == start and text[max(start - 1, 0) : start + 1].isalnum()
        if is_inside and split_tag(tag)[1] == split_tag(tags[-1])[1]:  # a later piece of the same word begins nothing
            tag = inside_tag(split_tag(tag)[1])
        tags.append(tag)
        starts.append(start)
        ends.append(end)
    spans = Mentions.of([tags]).spans()[0] if tags else []
    return [(starts[span["start"]], ends[span["end"] - 1], span["label"]) for span in spans]
