"""hardeval: how often the labels of unseen words, and unusual labels of known words, are wrong."""

from __future__ import annotations

import numpy as np

from ..core.corpus import Corpus
from .exposure import Exposure


def mention_statistics(train: Corpus, test: Corpus) -> dict[str, dict[str, int]]:
    """Tables 1 and 2 of the hardeval paper.

    A name is a surface, whatever its type. In train it is *ambiguous* if it is labelled with two or more types; in test
    *unseen* if it is never labelled in train (it may occur there unlabelled).
    """
    shown = Exposure.of(train, typed=False)
    ours, theirs = shown.view(train), shown.view(test)
    types = np.unique(np.stack([ours.entity, train.mentions.label]), axis=1)[0]
    ambiguous = np.bincount(types, minlength=shown.n_entities) > 1
    new = ~theirs.seen
    return {
        "train": {
            "mentions": len(train.mentions),
            "ambiguous_mentions": int(ambiguous[ours.entity].sum()),
            "unique_names": shown.n_entities,
            "ambiguous_names": int(ambiguous.sum()),
        },
        "test": {
            "mentions": len(test.mentions),
            "unseen_mentions": int(new.sum()),
            "unique_names": Exposure.of(test, typed=False).n_entities,
            "unseen_names": Exposure.of(test.keep(new), typed=False).n_entities,
        },
    }
