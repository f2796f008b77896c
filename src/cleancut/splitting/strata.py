"""Strata: groups of samples with the same value of a column, such as language, within each of which ratios hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.exceptions import CleancutError, counted, quoted
from ..reading.dataset import Samples
from .quotas import RATIO_TOLERANCE

_MOST = 200
"""The number of values that a column may have; with more, each stratum would have a few samples only."""


UNNAMED = "values"
"""The name of a stratification whose values were given without the name of a column."""


class Strata(NamedTuple):
    """The strata of samples; where nothing is stratified, all samples are in a single stratum without a name."""

    name: str
    """The name of the column."""
    values: tuple[str, ...]
    """The values of the column, sorted; each is a stratum."""
    of_sample: NDArray[np.int64]
    """The stratum of each sample, as an index into ``values``."""

    @staticmethod
    def name_of(stratify: Any) -> str | None:
        """Return the name of the column for the signature of a split; None where nothing is stratified."""
        if stratify is None or isinstance(stratify, str):
            return stratify
        if isinstance(stratify, Mapping) and len(stratify) == 1:
            return str(next(iter(stratify)))
        return UNNAMED

    @classmethod
    def of(cls, stratify: Any, given: Mapping[str, Samples], n_samples: int) -> Strata:
        """Return the strata of samples.

        Args:
            stratify: the name of a column, a value for each sample, or ``{name: values}``; None for no strata.
            given: the samples by the splits they were given in, from which a column is taken.
            n_samples: the number of all samples.
        """
        if stratify is None:
            return cls("", ("",), np.zeros(n_samples, np.int64))
        name = cls.name_of(stratify)
        if isinstance(stratify, Mapping) and len(stratify) == 1:
            (values,) = stratify.values()
        elif isinstance(stratify, str):
            values = [value for samples in given.values() for value in samples.column(stratify)]
        else:
            values = stratify
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
            wanted = "a column, a value for each sample, or {name: values}"
            raise CleancutError(f"stratify={quoted(stratify)} is not valid. Give {wanted}.")
        values = checks.in_order(values)
        if len(values) != n_samples:
            sizes = f"{counted(len(values), 'value')} but {counted(n_samples, 'sample')}"
            raise CleancutError(f"stratify: {sizes}. Give one for each sample.")
        for i, value in enumerate(values):
            if isinstance(value, list | tuple | dict):
                raise CleancutError(
                    f"stratify: {name} of sample {i} is {quoted(value)}. Choose a column of single values."
                )
        texts = [
            "none" if value is None else checks.as_text(value, f"stratify: {name} of sample {i}")
            for i, value in enumerate(values)
        ]
        names, of_sample = np.unique(np.array(texts, object), return_inverse=True)
        if len(names) > _MOST:
            raise CleancutError(
                f"stratify: {name} has {len(names)} values in {n_samples} samples, more than {_MOST}. "
                "Choose a column with few values."
            )
        return cls(str(name), tuple(names.tolist()), of_sample)

    def sizes(self, split: NDArray[np.integer], n_splits: int) -> NDArray[np.int64]:
        """Return the number of samples of each stratum in each split, as a table with a row for each split.

        Args:
            split: the split of each sample; -1 for samples that are discarded.
            n_splits: the number of splits.
        """
        kept = split >= 0
        codes = split[kept].astype(np.int64) * len(self.values) + self.of_sample[kept]
        return np.bincount(codes, minlength=n_splits * len(self.values)).reshape(n_splits, -1)

    def missed(self, names: Sequence[str], split: NDArray[np.integer], shares: NDArray[np.float64]) -> list[str]:
        """Return a note for each stratum whose share of a held-out split is off by more than the tolerance.

        Args:
            names: the names of the splits, train first.
            split: the split of each sample.
            shares: the share of each split that was asked for.
        """
        if len(self.values) < 2:
            return []
        sizes = self.sizes(split, len(names))
        totals = sizes.sum(axis=0)
        n_off = np.abs(sizes - shares[:, None] * totals)
        n_off[0] = 0  # train has what the others leave
        wrong = np.argwhere(n_off > np.maximum(RATIO_TOLERANCE * totals, 1))
        notes = [
            f"{names[s]} has {100 * sizes[s, v] / totals[v]:.1f}% of the samples whose {self.name} is "
            f"{self.values[v]}, not {100 * shares[s]:.1f}%."
            for s, v in wrong[:8].tolist()
        ]
        if len(wrong) > 8:
            notes.append(f"{len(wrong) - 8} further shares of {self.name} are off.")
        return notes
