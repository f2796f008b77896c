"""Strata: samples by their value of a column, such as language or domain, within each of which ratios are to hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.exceptions import CleancutError, quoted
from ..reading.dataset import Samples
from .quotas import RATIO_TOLERANCE

_MOST = 200
"""Values that a column may have; ratios within more of them would each be of a few samples."""


UNNAMED = "values"
"""What values are called that were given without the name of their column."""


class Strata(NamedTuple):
    """The value of each sample, as an index into the sorted values; a single one where nothing is stratified."""

    name: str
    values: tuple[str, ...]
    of_sample: NDArray[np.int64]

    @staticmethod
    def name_of(stratify: Any) -> str | None:
        """Return the name of the column, as a signature has it; None where nothing is stratified."""
        if stratify is None or isinstance(stratify, str):
            return stratify
        return str(next(iter(stratify))) if isinstance(stratify, Mapping) and len(stratify) == 1 else UNNAMED

    @classmethod
    def of(cls, stratify: Any, given: Mapping[str, Samples], n_samples: int) -> Strata:
        """From the name of a column, a value for each sample, or ``{name: values}``."""
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
        if len(values) != n_samples:
            raise CleancutError(f"stratify: {len(values)} values but {n_samples} samples. Give one for each sample.")
        for i, value in enumerate(values):
            if isinstance(value, list | tuple | dict):
                raise CleancutError(
                    f"stratify: {name} of sample {i} is {quoted(value)}. Choose a column of single values."
                )
        texts = ["none" if value is None else str(value) for value in values]
        names, of_sample = np.unique(np.array(texts, object), return_inverse=True)
        if len(names) > _MOST:
            raise CleancutError(
                f"stratify: {name} has {len(names)} values in {n_samples} samples, more than {_MOST}. "
                "Choose a column with few values."
            )
        return cls(str(name), tuple(names.tolist()), of_sample)

    def sizes(self, split: NDArray[np.integer], n_splits: int) -> NDArray[np.int64]:
        """The samples of each value in each split, a row for each split."""
        kept = split >= 0
        codes = split[kept].astype(np.int64) * len(self.values) + self.of_sample[kept]
        return np.bincount(codes, minlength=n_splits * len(self.values)).reshape(n_splits, -1)

    def missed(self, names: Sequence[str], split: NDArray[np.integer], shares: NDArray[np.float64]) -> list[str]:
        """Where a held-out split has another share of a value than was asked, by more than a sample."""
        if len(self.values) < 2:
            return []
        sizes = self.sizes(split, len(names))
        totals = sizes.sum(axis=0)
        off = np.abs(sizes - shares[:, None] * totals)
        off[0] = 0  # train has what the others leave
        wrong = np.argwhere(off > np.maximum(RATIO_TOLERANCE * totals, 1))
        notes = [
            f"{names[s]} has {100 * sizes[s, v] / totals[v]:.1f}% of the samples whose {self.name} is "
            f"{self.values[v]}, not {100 * shares[s]:.1f}%."
            for s, v in wrong[:8].tolist()
        ]
        return [*notes, *([f"{len(wrong) - 8} further shares of {self.name} are off."] if len(wrong) > 8 else [])]
