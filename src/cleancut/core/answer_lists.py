"""Lists of names on one line: which of the signs stand between names, and which belong to one.

``Paris, Rome and Oslo`` names three cities, ``Trinidad and Tobago`` one country. The text of the sample decides as far
as it can: of all ways to cut a list, the one with the fewest names that do not stand in the text is taken. Where the
text allows several ways, the answer's own habits decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .answer_pairs import unquoted
from .answer_records import Context

MOST_PARTS = 8
"""Parts that a name with commas, or other signs between names, may have."""
_MOST_SIGNS = 2000
"""Signs of a line whose names are compared with the text; in longer lines every comma stands between names."""

_SIGN = re.compile(
    r"(?P<semicolon>\s*;(?:\s+(?:and|&)\s+|\s*))"
    r"|(?P<comma>\s*(?:(?<!\d),(?:\s+|\Z)|,(?:\s+(?!\d)|\Z)|[\uff0c\u3001]\s*)(?P<oxford>(?:and|&)\s+)?)"
    r"|(?P<slash>\s*/\s*)"
    r"|(?P<joint>\s+and\s+)"
    r"|(?P<ampersand>\s+&\s+)"
)
"""A sign that may stand between names. A comma between digits belongs to a name: ``2, 3-dihydro``."""
_ENDINGS = frozenset((
    "jr", "sr", "ii", "iii", "inc", "ltd", "llc", "llp", "plc", "co", "corp", "gmbh", "dc", "phd", "md",
))  # fmt: skip
"""Words behind a comma that end a name, without full stops: ``Washington, D.C.``."""


_KINDS = ("semicolon", "comma", "slash", "joint", "ampersand")


class _Sign(NamedTuple):
    """A sign that may stand between names."""

    start: int
    end: int
    kind: str
    """``semicolon``, ``comma``, ``slash``, ``ampersand``, or ``joint`` for "and"."""
    is_apart: bool
    """Has a comma a space before it, as in a text of tokens?"""
    is_oxford: bool
    """Does "and" follow the comma?"""


class Habits(NamedTuple):
    """How the lists of one answer are written."""

    has_semicolons: bool = False
    """Semicolons stand between names, so that commas belong to them."""
    ends_with_comma: bool = False
    """A comma stands before the last name of a list, so that "and" belongs to a name."""
    all_apart: bool = False
    """Every comma has a space before it, so that such a space tells nothing."""
    between: frozenset[str] = frozenset()
    """Kinds of signs that stand between two names somewhere."""


def habits_of(lists: Iterable[str], context: Context) -> Habits:
    """Return how the lists of an answer are written.

    Args:
        lists: the lists of the answer, one for each line.
        context: what is known beside the answer.

    Returns:
        What these lists show of the signs that stand between names.

    >>> habits_of(["Ada and Bo", "Rome"], Context.of(["PER"], "Ada met Bo in Rome")).between
    frozenset({'joint'})
    """
    lists = [text for text in lists if len(text) <= _MOST_SIGNS * 100]
    signs_of = [_signs(text) for text in lists]
    signs = [sign for of_text in signs_of for sign in of_text]
    commas = [sign for sign in signs if sign.kind == "comma"]
    between = {
        kind
        for text, of_text in zip(lists, signs_of, strict=True)
        for kind in _kinds_between_names(text, of_text[:_MOST_SIGNS], context)
    }
    if any(sign.is_oxford for sign in signs):
        between.add("joint")
    return Habits(
        any(sign.kind == "semicolon" for sign in signs),
        any(of_text and of_text[-1].kind == "comma" and not of_text[-1].is_oxford for of_text in signs_of),
        len(commas) > 1 and all(sign.is_apart for sign in commas),
        frozenset(between),
    )


def _signs(text: str) -> list[_Sign]:
    """Return the signs of a list that may stand between names; those in brackets belong to one."""
    is_balanced = _depth(text) == 0
    signs: list[_Sign] = []
    depth = at = 0
    for match in _SIGN.finditer(text):
        depth += _depth(text[at : match.start()])
        at = match.start()
        if match.start() == 0 or match.end() == len(text) or (is_balanced and depth > 0):
            continue
        kind = next(name for name in _KINDS if match[name] is not None)
        is_apart = kind == "comma" and match[0][:1].isspace()
        signs.append(_Sign(match.start(), match.end(), kind, is_apart, match["oxford"] is not None))
    return signs


def _kinds_between_names(text: str, signs: Sequence[_Sign], context: Context) -> Iterable[str]:
    """Yield the kinds of signs whose neighbours stand in the text, but not together with the sign."""
    bounds = _bounds(text, signs)
    for at, sign in enumerate(signs):
        (start, before_sign), (behind_sign, end) = bounds[at], bounds[at + 1]
        if sign.kind in ("semicolon", "comma") or context.in_text(text[start:end]):
            continue
        if context.in_text(unquoted(text[start:before_sign])) and context.in_text(unquoted(text[behind_sign:end])):
            yield sign.kind


def _bounds(text: str, signs: Sequence[_Sign]) -> list[tuple[int, int]]:
    """Return where the parts between signs begin and end."""
    starts = [0, *(sign.end for sign in signs)]
    ends = [*(sign.start for sign in signs), len(text)]
    return list(zip(starts, ends, strict=True))


def _depth(text: str) -> int:
    """Return how many brackets of a text are open at its end."""
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))


def names_in_list(text: str, context: Context, habits: Habits | None = None) -> list[str]:
    """Return the names of a list on one line.

    Args:
        text: the list, without what stands before it.
        context: what is known beside the answer.
        habits: how the lists of the answer are written; those of this list alone if None.

    Returns:
        The names in their order, without quotes around them.

    >>> context = Context.of(["LOC"], "from Trinidad and Tobago to Washington , D.C. , then Paris and Rome")
    >>> names_in_list("Trinidad and Tobago, Washington, D.C., Paris, Rome", context)
    ['Trinidad and Tobago', 'Washington, D.C.', 'Paris', 'Rome']
    """
    signs = _signs(text)
    if habits is None:
        habits = habits_of([text], context)
    is_cut = _cuts(signs, habits)
    if len(signs) > _MOST_SIGNS:
        kept = [sign for sign, cuts in zip(signs, is_cut, strict=True) if cuts]
        bounds = _bounds(text, kept)
    else:
        bounds = _cheapest(text, signs, is_cut, context)
    names = (unquoted(text[start:end]) for start, end in bounds)
    return [name for name in names if name and not context.is_none(name)]


def _cuts(signs: Sequence[_Sign], habits: Habits) -> list[bool]:
    """Return for each sign whether it stands between names unless the text says otherwise."""
    has_commas = any(sign.kind in ("comma", "semicolon") for sign in signs)
    last = len(signs) - 1
    cuts = []
    for at, sign in enumerate(signs):
        if sign.kind == "semicolon":
            cuts.append(True)
        elif sign.kind == "comma":
            cuts.append(not habits.has_semicolons and (habits.all_apart or not sign.is_apart))
        else:
            may_cut = sign.kind == "slash" or not has_commas or (at == last and not habits.ends_with_comma)
            cuts.append(may_cut and sign.kind in habits.between)
    return cuts


class _Cost(NamedTuple):
    """What speaks against a way to cut a list; less is better."""

    n_missing: int
    """Names that do not stand in the text."""
    n_against: int
    """Signs that are taken against the habits of the answer, and names that are none."""


def _cheapest(text: str, signs: Sequence[_Sign], is_cut: Sequence[bool], context: Context) -> list[tuple[int, int]]:
    """Return where the names of the cheapest way to cut a list begin and end; of equal ways, one with longer names."""
    bounds = _bounds(text, signs)
    costs = [_Cost(0, 0)]
    begins: list[int] = []
    for last, (_, end) in enumerate(bounds):
        best: tuple[_Cost, int] | None = None
        for first in range(max(last - MOST_PARTS, 0), last + 1):
            cost = _cost(text[bounds[first][0] : end], is_cut[first:last], context)
            if cost is None:
                continue
            whole = _Cost(costs[first].n_missing + cost.n_missing, costs[first].n_against + cost.n_against)
            if best is None or whole < best[0]:
                best = whole, first
        assert best is not None  # a part alone has a cost
        costs.append(best[0])
        begins.append(best[1])
    names: list[tuple[int, int]] = []
    at = len(bounds)
    while at:
        first = begins[at - 1]
        names.append((bounds[first][0], bounds[at - 1][1]))
        at = first
    return names[::-1]


def _cost(part: str, inside: Sequence[bool], context: Context) -> _Cost | None:
    """Return the cost of a name; None for one that is not in the text and has a sign inside that stands between names.

    Args:
        part: the name.
        inside: for each sign inside of it, whether it stands between names unless the text says otherwise.
        context: what is known beside the answer.
    """
    name = unquoted(part)
    if not name:
        return _Cost(0, 0)
    if not context.in_text(name):
        return _Cost(1, 0) if not any(inside) else None
    n_against = sum(1 if cuts else -1 for cuts in inside)
    return _Cost(0, n_against + (2 if _is_no_name(name) else 0))


def _is_no_name(name: str) -> bool:
    """Is a part of a list hardly a name, since it has one letter or begins with a word that ends one: ``Jr.``?"""
    if sum(map(str.isalnum, name)) < 2:
        return True
    first = _SIGN.split(name, maxsplit=1)[0]
    return "".join(filter(str.isalnum, first)).casefold() in _ENDINGS


def several_names(text: str, context: Context) -> list[str]:
    """Return the names of a text that may be one name or a list of them.

    It is a list if it does not stand in the text of the sample, but all of its names do.

    >>> context = Context.of(["PER"], "Ada and Cy met Bo Smith, Jr.")
    >>> several_names("Ada, Bo Smith, Jr. and Cy", context), several_names("Ada and Dan", context)
    (['Ada', 'Bo Smith, Jr.', 'Cy'], ['Ada and Dan'])
    """
    name = unquoted(text)
    if _SIGN.search(name) is None or context.in_text(name):
        return [name]
    names = names_in_list(name, context)
    return names if len(names) > 1 and all(map(context.in_text, names)) else [name]


def may_be_several(text: str) -> bool:
    """Has a text a sign that may stand between names?"""
    return _SIGN.search(text) is not None
