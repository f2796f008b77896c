"""Shorten the names of systems in tables: what all of them begin or end with is left out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

Item = TypeVar("Item")
"""What belongs to a system."""

_LONG = 12
"""The number of letters above which a name is long; names are shortened if one of them is long."""
_WORDS = re.compile(r"[^-_./ ]+[-_./ ]*|[-_./ ]+")
"""A word of a name, with the marks behind it."""


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return each name without the words that all names begin with, and those that all end with.

    Args:
        names: the names of the systems.

    >>> short_names(["conll03-flair-test", "conll03-bert_large-test"])
    {'conll03-flair-test': 'flair', 'conll03-bert_large-test': 'bert_large'}
    >>> short_names(["a-test", "b-test"])  # short enough
    {'a-test': 'a-test', 'b-test': 'b-test'}
    """
    if len(names) < 2 or max(map(len, names)) <= _LONG:
        return {name: name for name in names}
    words = [_WORDS.findall(name) for name in names]
    n_first = _n_shared(words)
    n_last = _n_shared([parts[n_first:][::-1] for parts in words])
    short = ["".join(parts[n_first : len(parts) - n_last]).strip("-_./ ") for parts in words]
    if not all(short) or len(set(short)) < len(names):
        return {name: name for name in names}
    return dict(zip(names, short, strict=True))


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
