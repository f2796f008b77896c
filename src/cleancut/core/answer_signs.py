"""Mentions that are marked in the text of the sample by signs that are none of the usual ones: `` `Ada` (PER) ``.

Which signs may stand around a name and its type is no closed list. Those here are tried in turn, and what they mark
counts only if the text without them is the sample's, which cannot be chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .answer_marks import Mark, of_sample, unmarked
from .answer_records import Answer, Context, KnownTypes, Style, squeezed

_BRACKETS = (
    ("[[", "]]"), ("[", "]"), ("((", "))"), ("{{", "}}"), ("{", "}"), ("<<", ">>"), ("<", ">"), ("\u00ab", "\u00bb"),
    ("\u201c", "\u201d"), ("\u3010", "\u3011"), ("(", ")"),
)  # fmt: skip
"""Signs that stand around a name, or around a name and its type, and of which one opens and the other closes."""
_QUOTES = ("**", "__", "*", "`", '"', "'")
"""Signs that stand around a name, or around a name and its type, and are the same on both sides."""
_BEHIND = (
    r"\s?(?:[(\[{<\uff08\u3010]\s*LABEL\s*[)\]}>\uff09\u3011]|_\{LABEL\}|<su[bp]>\s*LABEL\s*</su[bp]>|[_/:]LABEL(?!\w))"
)
"""A type behind a name and the signs around it: ``(PER)``, ``_PER``, ``<sub>PER</sub>``."""
_BETWEEN = r"(?:(?<!\s)\s+)?(?:\||::?|/|,|;|=|->|-|\u2013|\u2014|\uff1a)\s*"
"""Signs between a name and its type, in the same brackets."""
_NAME = r"(?P<name>[^\n]{1,400}?)"
_AS_TAGS = (
    r"(?P<open><\||<<|<|\[\[|\[|\{\{|\{|\(|##|@@)\s*(?:B[-_:])?LABEL\s*(?P<close>\|>|>>|>|\]\]|\]|\}\}|\}|\)|##|@@)"
    rf"{_NAME}\s?(?P=open)\s*(?:/|E[-_:]|end[-_:\s]?)\s*(?:(?P=label0))?\s*(?P=close)"
)
"""A type in signs before a name and again behind it, or only its end: ``<PER>Ada</>``, ``[B-PER] Ada [E-PER]``."""
_MOST_LETTERS = 40
"""Letters of an answer for each letter of the sample; one that is longer is not the text of the sample with marks."""


class _Way(NamedTuple):
    """A way to mark a name."""

    pattern: re.Pattern[str]
    """What it looks like: ``tail`` is the end of a mark with its type, ``head`` the beginning of one, ``open`` and
    ``close`` are brackets; a pattern without them has the ``name`` itself."""
    sign: str
    """A sign without which a text has no such mark."""


def read_signs(region: str, context: Context) -> Answer | None:
    """Read the text of the sample with marks of any signs, such as ``**PER: Ada** spoke``; None for any other text."""
    if not context.types or not _may_be_sample(region, context):
        return None
    for way in _ways(context.types):
        if way.sign not in region:
            continue
        for is_balanced in (True, False):
            marks = [*_marks(region, way.pattern, is_balanced=is_balanced)]
            answer = of_sample(unmarked(region, marks, Style.BRACKETS), context) if marks else None
            if answer is not None and _are_inside_sample(answer, context):
                return answer
    return None


def _are_inside_sample(answer: Answer, context: Context) -> bool:
    """Return whether all mentions stand in the text of the sample, rather than in the prose around it."""
    text, sample = answer.marked or "", context.sample or ""
    begins = squeezed(text).find(sample)
    starts = [mention.start or 0 for mention in answer.mentions]
    ends = [mention.end or 0 for mention in answer.mentions]
    n_before, n_within = len(squeezed(text[: min(starts)])), len(squeezed(text[: max(ends)])) - begins
    return begins <= n_before and n_within <= len(sample)


def _may_be_sample(region: str, context: Context) -> bool:
    """Return whether a text is as long as that of the sample, and has its words."""
    if context.sample is None or not len(context.sample) < len(region) <= _MOST_LETTERS * len(context.sample) + 1000:
        return False
    words = context.tokens.split() if isinstance(context.tokens, str) else context.tokens or ()
    return all(word in region for word in words)


def _marks(region: str, pattern: re.Pattern[str], *, is_balanced: bool) -> Iterator[Mark]:
    """Yield what a pattern marks. ``is_balanced``: a pair of brackets without a type belongs to the text."""
    waiting: list[re.Match[str]] = []
    for sign in pattern.finditer(region):
        groups = sign.groupdict()
        if groups.get("name") is not None:
            yield _mark(region, (sign.start(), sign.end()), sign.span("name"), sign)
        elif groups.get("tail") is not None and waiting:
            begun = waiting.pop()
            yield _mark(region, (begun.start(), sign.end()), (begun.end(), sign.start()), sign)
        elif groups.get("head") is not None or groups.get("open") is not None:
            waiting.append(sign)
        elif waiting and (is_balanced or waiting[-1].groupdict().get("head") is not None):
            begun = waiting.pop()
            if begun.groupdict().get("head") is not None:
                yield _mark(region, (begun.start(), sign.end()), (begun.end(), sign.start()), begun)


def _mark(region: str, whole: tuple[int, int], name: tuple[int, int], typed: re.Match[str]) -> Mark:
    """Return a mark without the white space at the ends of its name, with the type that a match has."""
    begins, ends = name
    inside = region[begins:ends]
    begins, ends = ends - len(inside.lstrip()), begins + len(inside.rstrip())
    of_label = (text for key, text in typed.groupdict().items() if key.startswith("label"))
    label = next(filter(None, of_label))
    return Mark(whole[0], begins, max(begins, ends), whole[1], label)


@lru_cache(64)
def _ways(types: KnownTypes) -> tuple[_Way, ...]:
    """Return the ways to mark a name of these types."""
    label = "|".join(sorted((_spelt(name) for name in types.names), key=len, reverse=True))
    ways = []
    for opening, closing in _BRACKETS:
        begin, end = re.escape(opening), re.escape(closing)
        others = f"|(?P<open>{begin})|(?P<close>{end})"
        ways.append((f"(?P<tail>{end}{_BEHIND}){others}", opening))
        ways.append((f"(?P<tail>{_BETWEEN}LABEL\\s*{end}){others}", opening))
        ways.append((rf"(?P<head>{begin}\s*LABEL(?:{_BETWEEN}|\s+)){others}", opening))
    for quote in _QUOTES:
        sign = re.escape(quote)
        name = rf"(?P<name>(?:(?!{sign})[^\n])+?)"
        ways.append((f"{sign}{name}{sign}{_BEHIND}", quote))
        ways.append((f"{sign}{name}{_BETWEEN}LABEL\\s*{sign}", quote))
        ways.append((rf"{sign}\s*LABEL(?:{_BETWEEN}|\s+){name}{sign}", quote))
    ways.append((_AS_TAGS, ""))
    ways.append((r"(?P<head>\\LABEL\{)|(?P<open>\{)|(?P<close>\})", "\\"))  # LaTeX: \PER{Ada}
    return tuple(_Way(re.compile(_with_label(way, label), re.I), sign) for way, sign in ways)


def _with_label(way: str, label: str) -> str:
    """Return a pattern with the types in each place of ``LABEL``, as groups ``label0``, ``label1`` and so on."""
    parts = way.split("LABEL")
    named = [f"(?P<label{i}>{label}){part}" for i, part in enumerate(parts[1:])]
    return "".join([parts[0], *named])


def _spelt(name: str) -> str:
    """Return a pattern for the name of a type, whatever stands between its words."""
    return r"[\s_-]*".join(map(re.escape, re.split(r"[\s_-]+", name.strip())))
