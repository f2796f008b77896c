"""Lists of names on one line: which of the signs stand between names, and which belong to one.

``Paris, Rome and Oslo`` names three cities, ``Trinidad and Tobago`` one country. The text of the sample decides as far
as it can: of all ways to cut a list, the one with the fewest names that do not stand in the text is taken. Where the
text allows several ways, the answer's own habits decide, else what is more frequent in texts: commas and "and" stand
between names, slashes and "&" belong to one. The other ways are kept with the names, as a ``Run``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from .answer_pairs import unquoted
from .answer_records import Context, Named, Run, RunName

MOST_PARTS = 8
"""Parts that a name with commas, or other signs between names, may have."""
_MOST_SIGNS = 2000
"""Signs of a line whose names are compared with the text; in longer lines every comma stands between names."""

_SIGN = re.compile(
    r"(?P<semicolon>(?:(?<!\s)\s+)?(?:[;\uff1b](?:\s+(?:and|&)\s+|\s*)|<br\s*/?>\s*)|(?<!\s)\s+\|\s+)"
    r"|(?P<figures>(?<=\d)\s*,\s+(?=\d))"
    r"|(?P<comma>(?:(?<!\s)\s+)?(?:,(?:\s+|\Z)|[\uff0c\u3001]\s*)(?P<oxford>(?:and|&)\s+)?)"
    r"|(?P<slash>(?:(?<!\s)\s+)?/\s*)"
    r"|(?P<joint>(?:(?<!\s)\s+|(?<=\s))and\s+)"
    r"|(?P<ampersand>(?:(?<!\s)\s+|(?<=\s))&\s+)"
)
"""A sign that may stand between names. A comma between digits belongs to one as a rule: ``2, 3-dihydro``."""
_PART_OF_SIGN = re.compile(r"[,;/&|<\uff1b\uff0c\u3001]|and\s")
"""What every such sign has, by which most names are told at a glance."""
_ENDINGS = frozenset((
    "jr", "sr", "ii", "iii", "inc", "ltd", "llc", "llp", "plc", "co", "corp", "gmbh", "dc", "phd", "md",
))  # fmt: skip
"""Words behind a comma that end a name, without full stops: ``Washington, D.C.``."""
_LINKING = re.compile(r"\s(?:of|for|on|in|at|the|to|by|with)\s", re.I)
"""A word inside of a name behind which "and" goes on with the name."""


_KINDS = ("semicolon", "figures", "comma", "slash", "joint", "ampersand")


class _Sign(NamedTuple):
    """A sign that may stand between names."""

    start: int
    end: int
    kind: str
    """``semicolon`` (also for a bar and ``<br>``), ``comma``, ``slash``, ``ampersand``, ``joint`` for "and", or
    ``figures`` for a comma in digits."""
    is_apart: bool
    """Whether a comma has a space before it, as in a text of tokens."""
    is_oxford: bool
    """Whether "and" follows the comma."""
    is_in_title: bool
    """Whether a word such as "of" stands before "and", as in ``Academy of Arts and Sciences``."""


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
        before = text[signs[-1].end if signs else 0 : match.start()]
        is_in_title = kind == "joint" and _LINKING.search(before) is not None
        signs.append(_Sign(match.start(), match.end(), kind, is_apart, match["oxford"] is not None, is_in_title))
    return signs


def _kinds_between_names(text: str, signs: Sequence[_Sign], context: Context) -> Iterable[str]:
    """Yield the kinds of signs whose neighbours stand in the text, but not together with the sign."""
    bounds = _bounds(text, signs)
    for at, sign in enumerate(signs):
        (start, before_sign), (behind_sign, end) = bounds[at], bounds[at + 1]
        if sign.kind in ("semicolon", "comma", "figures") or context.in_text(text[start:end]):
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


class Listed(NamedTuple):
    """A name of a list, and the words that it was read from, where they can be read otherwise."""

    text: str
    run: Run | None = None

    def named(self, label: str) -> Named:
        """Return the name as a mention of a type."""
        return Named(self.text, label, run=self.run)


def names_in_list(text: str, context: Context, habits: Habits | None = None) -> list[Listed]:
    """Return the names of a list on one line.

    Args:
        text: the list, without what stands before it.
        context: what is known beside the answer.
        habits: how the lists of the answer are written; those of this list alone if None.

    Returns:
        The names in their order, without quotes around them.

    >>> context = Context.of(["LOC"], "from Trinidad and Tobago to Washington , D.C. , then Paris or Rome")
    >>> names = names_in_list("Trinidad and Tobago, Washington, D.C., Paris, Rome", context)
    >>> [name.text for name in names]
    ['Trinidad and Tobago', 'Washington, D.C.', 'Paris', 'Rome']
    >>> [name.text for name in names[1].run.names]
    ['Washington', 'Washington, D.C.', 'D.C.']
    """
    text = _without_full_stop(text, context)
    signs = _signs(text)
    if habits is None:
        habits = habits_of([text], context)
    if len(signs) > _MOST_SIGNS:
        kept = [sign for sign, cuts in zip(signs, _cuts(signs, habits), strict=True) if cuts]
        listed = [Listed(unquoted(text[start:end])) for start, end in _bounds(text, kept)]
    else:
        ways = _Ways(text, signs, habits, context)
        listed = ways.listed(ways.cheapest())
    names = [name for name in listed if name.text]
    return [name for name in names if not context.is_none(name.text)]


def _without_full_stop(text: str, context: Context) -> str:
    """Return a list without a full stop at its end, where that of the sample follows the last name: ``PER: Ada, Bo.``.

    A full stop inside of a token, behind an initial (``William L.``) or a word such as ``Inc``, or one that ends no
    sentence, belongs to the name.
    """
    tokens = context.tokens
    if not text.endswith(".") or tokens is None or isinstance(tokens, str) or not tokens or tokens[-1] != ".":
        return text
    last_word = text[:-1].split()[-1:]
    if not last_word or "." in last_word[0] or not context.ends_with(last_word[0]):
        return text
    if len(last_word[0]) == 1 or last_word[0].casefold() in _ENDINGS:
        return text
    return text[:-1]


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
        elif sign.kind == "figures":
            cuts.append(False)
        else:
            may_cut = sign.kind == "slash" or not has_commas or (at == last and not habits.ends_with_comma)
            is_usual = sign.kind == "joint" and not sign.is_in_title
            is_usual = is_usual and not habits.ends_with_comma and not habits.has_semicolons
            cuts.append(may_cut and (is_usual or sign.kind in habits.between))
    return cuts


class _Cost(NamedTuple):
    """What speaks against a way to cut a list; less is better."""

    n_missing: int
    """Names that do not stand in the text."""
    n_against: int
    """Signs that are taken against the habits of the answer, and names that are none."""


_Stretch = tuple[int, int]
"""Parts of a list that are one name: the first one, and the one behind the last."""


class _Ways:
    """All ways to cut a list into names: which stretches of its parts may be a name, and what that costs."""

    def __init__(self, text: str, signs: Sequence[_Sign], habits: Habits, context: Context) -> None:
        self._text = text
        self._signs = signs
        self._habits = habits
        self._bounds = _bounds(text, signs)
        is_cut = _cuts(signs, habits)
        self._costs: dict[_Stretch, _Cost] = {}
        for end in range(1, len(self._bounds) + 1):
            for first in range(max(end - 1 - MOST_PARTS, 0), end):
                cost = _cost(self._name(first, end), is_cut[first : end - 1], context)
                if cost is not None:
                    self._costs[first, end] = cost

    def _name(self, first: int, end: int) -> str:
        """Return the words of a stretch as a name, without what a line puts around it."""
        return unquoted(self._text[self._bounds[first][0] : self._bounds[end - 1][1]])

    def cheapest(self) -> list[_Stretch]:
        """Return the names of the cheapest way; of equal ways, of one with longer names."""
        best: dict[int, tuple[_Cost, int]] = {0: (_Cost(0, 0), 0)}
        for (first, end), cost in self._costs.items():  # stretches with the same end follow each other
            before = best[first][0]
            whole = _Cost(before.n_missing + cost.n_missing, before.n_against + cost.n_against)
            if end not in best or whole < best[end][0]:
                best[end] = whole, first
        stretches: list[_Stretch] = []
        at = len(self._bounds)
        while at:
            stretches.append((best[at][1], at))
            at = best[at][1]
        return stretches[::-1]

    def listed(self, chosen: Sequence[_Stretch]) -> list[Listed]:
        """Return the names of a way, each with the run that it belongs to, if that can be read otherwise."""
        run_of: dict[int, Run] = {}
        names = self._open_names(chosen)
        inside = {at for first, end in names for at in range(first + 1, end)}
        ends = [at for at in range(len(self._bounds) + 1) if at not in inside]
        for begin, end in pairwise(ends):
            of_run = sorted((a, b) for a, b in names if begin <= a < b <= end)
            if len(of_run) > 1:
                spelt = tuple(RunName(a - begin, b - begin, self._name(a, b)) for a, b in of_run)
                run = Run(self._name(begin, end), end - begin, spelt)
                run_of.update(dict.fromkeys(range(begin, end), run))
        return [Listed(self._name(first, end), run_of.get(first)) for first, end in chosen]

    def _open_names(self, chosen: Sequence[_Stretch]) -> set[_Stretch]:
        """Return all names of the ways that have as few names outside the text as the chosen one."""
        n_parts = len(self._bounds)
        n_before, n_behind = [0] * (n_parts + 1), [0] * (n_parts + 1)
        for end in range(1, n_parts + 1):
            n_before[end] = min(n_before[a] + cost.n_missing for a, cost in self._ending(end))
        for first in reversed(range(n_parts)):
            n_behind[first] = min(n_behind[b] + cost.n_missing for b, cost in self._beginning(first))
        names = set(chosen)
        for (first, end), cost in self._costs.items():
            is_best = n_before[first] + cost.n_missing + n_behind[end] == n_before[n_parts]
            if is_best and cost.n_missing == 0 and self._may_be_name(first, end):
                names.add((first, end))
        return names

    def _ending(self, end: int) -> Iterable[tuple[int, _Cost]]:
        """Yield where names begin that end here, with their costs."""
        for first in range(max(end - 1 - MOST_PARTS, 0), end):
            cost = self._costs.get((first, end))
            if cost is not None:
                yield first, cost

    def _beginning(self, first: int) -> Iterable[tuple[int, _Cost]]:
        """Yield where names end that begin here, with their costs."""
        for end in range(first + 1, min(first + 1 + MOST_PARTS, len(self._bounds)) + 1):
            cost = self._costs.get((first, end))
            if cost is not None:
                yield end, cost

    def _may_be_name(self, first: int, end: int) -> bool:
        """Return whether a stretch has a letter, no semicolon inside, and may be cut off at both of its ends."""
        if any(sign.kind == "semicolon" for sign in self._signs[first : end - 1]):
            return False
        around = [*self._signs[first - 1 : first][: first > 0], *self._signs[end - 1 : end]]
        if self._habits.has_semicolons and any(sign.kind == "comma" for sign in around):
            return False
        return any(map(str.isalnum, self._name(first, end)))


def _cost(name: str, inside: Sequence[bool], context: Context) -> _Cost | None:
    """Return the cost of a name; None for one that is not in the text and has a sign inside that stands between names.

    Args:
        name: the name.
        inside: for each sign inside of it, whether it stands between names unless the text says otherwise.
        context: what is known beside the answer.
    """
    if not name:
        return _Cost(0, 3)
    if not context.in_text(name):
        return _Cost(1, 0) if not any(inside) else None
    n_against = sum(1 if cuts else -1 for cuts in inside)
    if _is_no_name(name):
        n_against += 2
    return _Cost(0, n_against)


def _is_no_name(name: str) -> bool:
    """Return whether a part of a list is no name: it has one letter, or begins with a word that ends one (``Jr.``)."""
    if sum(map(str.isalnum, name)) < 2:
        return True
    first = _SIGN.split(name, maxsplit=1)[0]
    return "".join(filter(str.isalnum, first)).casefold() in _ENDINGS


def several_names(text: str, context: Context, *, is_one: bool = False) -> list[Listed]:
    """Return the names of a text that is one name as a rule, but may be a list of them.

    It is a list if it does not stand in the text of the sample, but all of its names do.

    Args:
        text: the name, or the list.
        context: what is known beside the answer.
        is_one: the answer shows that words which stand in the text together are one name.

    >>> context = Context.of(["PER"], "Ada and Cy met Bo Smith, Jr.")
    >>> [name.text for name in several_names("Ada, Bo Smith, Jr. and Cy", context)]
    ['Ada', 'Bo Smith, Jr.', 'Cy']
    >>> several_names("Ada and Dan", context)
    [Listed(text='Ada and Dan', run=None)]
    """
    name = unquoted(text)
    if not may_be_several(name):
        return [Listed(name)]
    if context.in_text(name):
        return [Listed(name) if is_one else _as_one(name, context)]
    names = names_in_list(name, context)
    return names if len(names) > 1 and all(context.in_text(one.text) for one in names) else [Listed(name)]


def _as_one(name: str, context: Context) -> Listed:
    """Return words that stand in the text as one name, with the other ways to read them."""
    signs = _signs(name)
    if not 0 < len(signs) <= MOST_PARTS:
        return Listed(name)
    ways = _Ways(name, signs, Habits(), context)
    return ways.listed([(0, len(signs) + 1)])[0]


def may_be_several(text: str) -> bool:
    """Return whether a text has a sign that may stand between names."""
    return _PART_OF_SIGN.search(text) is not None and _SIGN.search(text) is not None
