"""What splits still have in common under looser notions of the same name than the one that they were made for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..core.corpus import Corpus
from ..core.entities import Key
from ..core.names import Links, Names, are_in
from ..core.same import PART_LIMIT, Same
from ..core.templates import template_hashes
from ..scoring.exposure import Exposure
from ..scoring.score import share


def related_to_training(test: Corpus, train: Exposure) -> dict[tuple[str, str], dict[str, Any]]:
    """Count what a test set has in common with training data under each looser notion, as ``audit`` of both does.

    Args:
        test: the test samples.
        train: the index of the training data. Where it does not know its templates, their rate is not a number.

    Returns:
        The counts and rates of the pair ``("test", "train")``, as ``left_related`` returns them.

    >>> shown = Exposure.of(Corpus.of([["Ada", "King", "ran"]], tags=[["B-PER", "I-PER", "O"]]))
    >>> test = Corpus.of([["Ada", "slept"], ["Bo", "slept"]], tags=[["B-PER", "O"], ["B-PER", "O"]])
    >>> related_to_training(test, shown)["test", "train"]["rate_part"]
    0.5
    """
    pair = ("test", "train")
    counts = left_related({"train": train.distinct_names(), "test": test}, train.key, [pair], train.same.part_limit)
    own = counts[pair]
    if train.templates is None:
        own |= {"n_template": 0, "rate_template": math.nan}
    else:
        bearing = np.unique(test.mentions.sample)
        n_template = int(np.isin(template_hashes(test)[bearing], train.templates).sum())
        own |= {"n_template": n_template, "rate_template": share(n_template, own["n_bearing"])}
    return counts


def left_related(
    splits: Mapping[str, Corpus], key: Key, pairs: Iterable[tuple[str, str]], part_limit: int = PART_LIMIT
) -> dict[tuple[str, str], dict[str, Any]]:
    """Count for pairs of splits what the first has in common with the second under each looser notion.

    A mention that is not shared may differ in case or punctuation from a name of the second split, and be part of one:
    it then counts for both. ``n_related`` counts it once.

    Args:
        splits: the splits by name, all of which are the input by which words are generic.
        key: the entity key; types count here if they count for it.
        pairs: the pairs of splits that are counted.
        part_limit: a word that occurs in more names of two or more words than this is generic.

    Returns:
        The counts and rates of each pair: of mentions for names, of samples with mentions for templates.
    """
    corpora = list(splits.values())
    number = {name: i for i, name in enumerate(splits)}
    names, codes = Names.of(corpora, key)
    folded = Links.of_names(names, codes, corpora, key, Same.of("fold"))
    parts = Links.of_names(names, codes, corpora, key, Same.of("part", part_limit=part_limit))
    bearing = [np.unique(corpus.mentions.sample) for corpus in corpora]
    templates = [template_hashes(corpus)[own] for corpus, own in zip(corpora, bearing, strict=True)]
    counts = {}
    for one, other in pairs:
        a, b = number[one], number[other]
        shared = are_in(codes[a], codes[b])
        is_folded = folded.seen(a, b) & ~shared
        is_part = parts.seen(a, b) & ~shared
        n, n_bearing = len(shared), len(bearing[a])
        numbers = {
            "shared": int(shared.sum()),
            "folded": int(is_folded.sum()),
            "part": int(is_part.sum()),
            "related": int((is_folded | is_part).sum()),
        }
        n_template = int(np.isin(templates[a], templates[b]).sum())
        counts[one, other] = {
            "n_mentions": n,
            **{f"n_{name}": value for name, value in numbers.items()},
            **{f"rate_{name}": share(value, n) for name, value in numbers.items()},
            "n_bearing": n_bearing,
            "n_template": n_template,
            "rate_template": share(n_template, n_bearing),
        }
    return counts
