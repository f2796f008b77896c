"""What relates the names of a corpus that is split: counted, checked, and removed where samples may be discarded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import bounds_of
from ..core.corpus import Corpus
from ..core.entities import Key
from ..core.exceptions import CleancutError
from ..core.names import Links
from ..core.same import Notion, Same
from ..reading.splits import split_rank
from .audit import Pair, contamination
from .checking import related_names
from .layout import DISCARDED
from .related import left_related


class Relatedness:
    """The names of a corpus, and the notion under which they are related.

    A word is generic by the names of the samples that are kept, as in an audit of the splits.

    Args:
        corpora: the splits that were given, in their order.
        key: the entity key.
        same: the notion of the same name.
    """

    def __init__(self, corpora: Mapping[str, Corpus], key: Key, same: Same) -> None:
        self._corpus = Corpus.concatenate(list(corpora.values()))
        self._key = key
        self.same = same

    def _splits(self, names: Sequence[str], split_of_sample: NDArray[np.integer]) -> dict[str, Corpus]:
        """Return the samples of each split."""
        return {name: self._corpus.select(np.flatnonzero(split_of_sample == i)) for i, name in enumerate(names)}

    def left(self, names: Sequence[str], split_of_sample: NDArray[np.integer]) -> dict[Pair, dict[str, Any]]:
        """Return what is left under looser notions, for each split against those before it.

        Args:
            names: the names of the splits; without any, nothing is counted.
            split_of_sample: the split of each sample.
        """
        splits = self._splits(names, split_of_sample)
        held_out = [(later, earlier) for earlier, later in combinations(sorted(names, key=split_rank), 2)]
        return left_related(splits, self._key, held_out, self.same.part_limit) if splits else {}

    def leakage(self, names: Sequence[str], split_of_sample: NDArray[np.integer]) -> dict[Pair, dict[str, Any]]:
        """Return the contamination of every ordered pair of splits under the notion, as the audit counts it.

        Args:
            names: the names of the splits.
            split_of_sample: the split of each sample.
        """
        corpora = list(self._splits(names, split_of_sample).values())
        links = Links.of(corpora, self._key, self.same)
        sizes = np.array([len(corpus) for corpus in corpora])
        first_mention = bounds_of(np.array([len(corpus.mentions) for corpus in corpora]))[:-1]
        first_sample = bounds_of(sizes)[:-1]
        samples = [corpus.mentions.sample + first for corpus, first in zip(corpora, first_sample, strict=True)]
        mentions = [own + first for own, first in zip(links.mention, first_mention, strict=True)]
        return contamination(
            list(names),
            np.repeat(np.arange(len(corpora)), sizes),
            np.arange(int(sizes.sum())),
            np.concatenate(samples),
            np.concatenate(links.entity),
            np.concatenate(mentions),
            np.concatenate(links.code),
        )

    def without_late_relatives(
        self, assignment: NDArray[np.int64], n_splits: int, unit_of_sample: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return an assignment in which no names are related, though words are generic by fewer names than before.

        A word may stop being generic when samples are discarded, and then relate names of two splits. Units of the
        later split that have such names are discarded as well, until there are none.

        Args:
            assignment: the split of each sample.
            n_splits: the number of splits.
            unit_of_sample: the unit of each sample, which stays whole.
        """
        if not self.same.has(Notion.PART):
            return assignment
        assignment = assignment.copy()
        while len(late := self._late_relatives(assignment, n_splits)):
            assignment[np.isin(unit_of_sample, unit_of_sample[late])] = DISCARDED
        return assignment

    def _late_relatives(self, assignment: NDArray[np.int64], n_splits: int) -> NDArray[np.int64]:
        """Return the samples of the later of two splits with related names that have such a name, for the first two."""
        samples = [np.flatnonzero(assignment == i) for i in range(n_splits)]
        corpora = [self._corpus.select(own) for own in samples]
        links = Links.of(corpora, self._key, self.same)
        for earlier, later in combinations(range(n_splits), 2):
            late = corpora[later].mentions.sample[links.seen(later, earlier)]
            if len(late):
                return samples[later][np.unique(late)]
        return np.zeros(0, np.int64)

    def refuse_related(self, names: Sequence[str], split_of_sample: NDArray[np.integer]) -> None:
        """Raise an error where splits that should share nothing have related names.

        Args:
            names: the names of the splits.
            split_of_sample: the split of each sample.

        Raises:
            CleancutError: two splits have related names.
        """
        if self.same.is_exact:
            return
        for pair, n in related_names(self._splits(names, split_of_sample), self._key, self.same).items():
            if n:
                raise CleancutError(
                    f"{n} names of {pair[0]} are related to names of {pair[1]} under {self.same}, though none should "
                    "be. This is an error of cleancut: report it with the data, and use another --same."
                )
