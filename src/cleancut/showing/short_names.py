"""Names of systems in tables: what all of them begin or end with is left out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

Item = TypeVar("Item")

_LONG = 12
"""Names are shortened where one has more letters than this."""
_WORDS = re.compile(r"[^-_./ ]+[-_./ ]*|[-_./ ]+")


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return each name without the words that all names begin with, and those that all end with.

    >>> short_names(["conll03-flair-test", "conll03-bert_large-test"])
    {'conll03-flair-test': 'flair', 'conll03-bert_large-test': 'bert_large'}
    >>> short_names(["a-test", "b-test"])  # short enough
    {'a-test': 'a-test', 'b-test': 'b-test'}
    """
    if len(names) < 2 or max(map(len, names)) <= _LONG:
        return {name: name for name in names}
    words = [_WORDS.findall(name) for name in names]
    n_first = _n_shared(words)
    n_last = _n_shared([own[n_first:][::-1] for own in words])
    short = ["".join(own[n_first : len(own) - n_last]).strip("-_./ ") for own in words]
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

    >>> renamed({"conll03-flair-test": 1, "conll03-bert-test": 2})
    {'flair': 1, 'bert': 2}
    """
    short = short_names(list(by_system))
    return {short[name]: own for name, own in by_system.items()}


def with_short_names(comparison: Mapping[str, Any]) -> dict[str, Any]:
    """Return what ``Comparison.to_dict`` returns, with short names of the systems."""
    short = short_names(list(comparison["systems"]))
    ranks = comparison.get("ranks", {})
    changes = [
        {**change, "swaps": [[short[name] for name in pair] for pair in change["swaps"]]}
        for change in ranks.get("changes", ())
    ]
    return {
        **comparison,
        "systems": {short[name]: own for name, own in comparison["systems"].items()},
        "pairs": [{**row, "a": short[row["a"]], "b": short[row["b"]]} for row in comparison.get("pairs", ())],
        "ranks": {**ranks, "changes": changes},
    }
