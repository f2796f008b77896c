"""Shorten the names of systems in tables: the words that all of them share are left out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

Item = TypeVar("Item")
"""What belongs to a system."""

_LONG = 12
"""The number of letters above which a name is long; names are shortened if one of them is long."""
_LEAST_LEFT_OUT = 6
"""The least number of letters in the middle of a name that are worth leaving out."""
ELLIPSIS = "\u2026"
"""What stands in the middle of a short name for the words that are left out there."""
_DOTS = re.compile(f"{ELLIPSIS}+")
"""Dots for several runs of words, one behind the other."""
_MOST_WORDS = 60
"""The most words of a name whose middle is searched for what all names share."""
_WORDS = re.compile(r"[^-_./ ]+[-_./ ]*|[-_./ ]+")
"""A word of a name, with the marks behind it."""


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return each name without the words that all names share, where the names stay different.

    Words at the beginning and the end are left out without a trace. Where words are left out in the middle, three dots
    stand for them.

    Args:
        names: the names of the systems.

    >>> short_names(["conll03-flair-test", "conll03-bert_large-test"])
    {'conll03-flair-test': 'flair', 'conll03-bert_large-test': 'bert_large'}
    >>> list(short_names(["bert-base-tuned-conll03-seed1", "roberta-tuned-conll03-seed2"]).values())
    ['bert-base…seed1', 'roberta…seed2']
    >>> short_names(["a-test", "b-test"])  # short enough
    {'a-test': 'a-test', 'b-test': 'b-test'}
    """
    full = {name: name for name in names}
    if len(names) < 2 or max(map(len, names)) <= _LONG:
        return full
    words = [_WORDS.findall(name) for name in names]
    n_first = _n_shared(words)
    n_last = _n_shared([parts[n_first:][::-1] for parts in words])
    middles = [parts[n_first : len(parts) - n_last] for parts in words]
    trimmed = ["".join(parts).strip(_MARKS) for parts in middles]
    if not _tells_apart(trimmed):
        return full
    is_long = max(map(len, trimmed)) > _LONG and max(map(len, middles)) <= _MOST_WORDS
    if is_long:
        short = [_DOTS.sub(ELLIPSIS, name) for name in _without_shared_middle(middles)]
        if _tells_apart(short):
            return dict(zip(names, short, strict=True))
    return dict(zip(names, trimmed, strict=True))


_MARKS = "-_./ "
"""The marks between the words of a name."""


def _tells_apart(names: Sequence[str]) -> bool:
    """Return whether all names are different, and none is empty."""
    return all(names) and len(set(names)) == len(names)


def _without_shared_middle(lists: Sequence[list[str]]) -> list[str]:
    """Return names of words with three dots for each run of words that is in the middle of all names."""
    run = _longest_shared_run(lists)
    if len("".join(run)) < _LEAST_LEFT_OUT:
        return ["".join(words).strip(_MARKS) for words in lists]
    places = [_place(run, words) for words in lists]
    before = _without_shared_middle([words[:place] for place, words in zip(places, lists, strict=True)])
    after = _without_shared_middle([words[place + len(run) :] for place, words in zip(places, lists, strict=True)])
    return [f"{first}{ELLIPSIS}{last}" for first, last in zip(before, after, strict=True)]


def _longest_shared_run(lists: Sequence[list[str]]) -> list[str]:
    """Return the run of words with the most letters that all lists have; the first of those with as many."""
    longest: list[str] = []
    words = min(lists, key=len)
    for first in range(len(words)):
        for end in range(first + 1, len(words) + 1):
            run = words[first:end]
            if any(_place(run, other) < 0 for other in lists):
                break
            if len("".join(run)) > len("".join(longest)):
                longest = run
    return longest


def _place(run: Sequence[str], words: Sequence[str]) -> int:
    """Return where a run of words begins; -1 if it is not there."""
    places = range(len(words) - len(run) + 1)
    return next((place for place in places if words[place : place + len(run)] == run), -1)


def _n_shared(lists: Sequence[Sequence[str]]) -> int:
    """Return how many words all lists begin with."""
    n_shared = 0
    for words in zip(*lists, strict=False):
        if len(set(words)) > 1:
            break
        n_shared += 1
    return n_shared


def renamed(by_system: Mapping[str, Item]) -> dict[str, Item]:
    """Return what belongs to each system, by the short names of the systems.

    Args:
        by_system: what belongs to each system, by its name.

    >>> renamed({"conll03-flair-test": 1, "conll03-bert-test": 2})
    {'flair': 1, 'bert': 2}
    """
    short = short_names(list(by_system))
    return {short[name]: value for name, value in by_system.items()}


def with_short_names(comparison: Mapping[str, Any]) -> dict[str, Any]:
    """Return a comparison with short names of the systems.

    Args:
        comparison: what ``Comparison.to_dict`` returns.
    """
    short = short_names(list(comparison["systems"]))
    ranks = comparison.get("ranks", {})
    changes = []
    for change in ranks.get("changes", ()):
        swaps = [[short[name] for name in pair] for pair in change["swaps"]]
        changes.append({**change, "swaps": swaps})
    return {
        **comparison,
        "systems": {short[name]: scores for name, scores in comparison["systems"].items()},
        "pairs": [{**row, "a": short[row["a"]], "b": short[row["b"]]} for row in comparison.get("pairs", ())],
        "ranks": {**ranks, "changes": changes},
    }
