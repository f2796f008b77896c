"""The contamination ladder: training sets of one size that differ in how much of them shares entities with test."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, quoted
from ..core.hashing import fingerprint_of, sample_hashes
from ..core.shown import Drawn
from ..core.signature import Signature
from ..reading.dataset import given_samples
from ..scoring.exposure import Exposure
from ..scoring.score import share
from .folders import write_parts


@dataclass(frozen=True, eq=False)
class Rung:
    """A training set: some rows of train, of which a given share is contaminated."""

    level: float
    """The contamination asked for, in percent of the samples."""
    seed: int
    rows: NDArray[np.int64]
    """The samples of train, in their order: ``train.select(rung.rows)``, of a corpus and of a dataset alike."""
    n_samples_contaminated: int
    n_mentions: int
    n_mentions_contaminated: int
    fingerprint: str

    @property
    def name(self) -> str:
        """Level and seed, as files and configs are called."""
        return f"ladder-{self.level:g}-s{self.seed}"

    def to_dict(self) -> dict[str, Any]:
        """The statistics, as the manifest has them."""
        return {
            "name": self.name,
            "level": self.level,
            "seed": self.seed,
            "n_samples": len(self.rows),
            "n_samples_contaminated": self.n_samples_contaminated,
            "rate_samples": share(self.n_samples_contaminated, len(self.rows)),
            "n_mentions": self.n_mentions,
            "n_mentions_contaminated": self.n_mentions_contaminated,
            "rate_mentions": share(self.n_mentions_contaminated, self.n_mentions),
            "fingerprint": self.fingerprint,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Ladder(Drawn):
    """The training sets of all levels and seeds, in this order."""

    rungs: tuple[Rung, ...]
    n_clean: int
    """Samples of train that share no entity with test; those without entities are among them."""
    n_contaminated: int
    signature: str
    fingerprint: str
    """Of train."""

    def __repr__(self) -> str:
        kinds = f"n_clean={self.n_clean}, n_contaminated={self.n_contaminated}"
        return f"Ladder({len(self)} training sets, {kinds}). {self.signature}"

    def __iter__(self) -> Iterator[Rung]:
        return iter(self.rungs)

    def __len__(self) -> int:
        return len(self.rungs)

    def to_dict(self) -> dict[str, Any]:
        """What ``cleancut ladder --json`` prints."""
        return {
            "format": "cleancut-ladder-1",
            "signature": self.signature,
            "fingerprint": self.fingerprint,
            "n_clean": self.n_clean,
            "n_contaminated": self.n_contaminated,
            "rungs": [rung.to_dict() for rung in self.rungs],
        }

    def write(
        self, train: Corpus, folder: str | os.PathLike[str], *, format: str = "jsonl", overwrite: bool = False
    ) -> None:
        """Write a file for each training set, and ``manifest.json``: all of them, or none.

        Args:
            train: what the ladder was made from.
            folder: where to; it is made if it is not there, and no file of others in it is touched.
            format: ``jsonl`` or ``conll``.
            overwrite: replace files of the same names that are not ours, too.
        """
        if fingerprint_of(sample_hashes(train)) != self.fingerprint:
            raise CleancutError(f"the ladder is not of these {len(train)} samples. Give the train it was made from.")
        about = self.to_dict()
        for rung in about["rungs"]:
            rung["file"] = f"{rung['name']}.{format}"
        write_parts(train, {rung.name: rung.rows for rung in self.rungs}, about, folder, format, overwrite)


def ladder(
    train: Any,
    test: Any,
    *,
    levels: Any = "0:100:10",
    seeds: Any = 5,
    case: bool = True,
    typed: bool = True,
    **columns: Any,
) -> Ladder:
    """Training sets with contamination from 0 to 100% (Babil et al., Algorithm 1), for corpora or datasets.

    A sample of train is *contaminated* if any of its entities is in test, else *clean*. Each set has as many samples as
    the smaller of the two groups (Eq. 13), ``round(N * (1 - level / 100))`` of them clean, drawn by Python's
    ``random.Random(seed)``, the clean ones first: so drawn, the published sets of CoNLL04 and SciERC have the published
    statistics. Each set is a draw of its own, so that the sets of a seed are not nested.

    ``levels`` is ``"first:last:step"``, both ends included, or the levels; ``seeds`` their number, or the seeds;
    ``columns`` (``tags=`` and others) say which columns of datasets hold what.

    >>> train = Corpus.of([["Ada"], ["Bo"], ["Cy"], ["so"]], tags=[["B-PER"], ["B-PER"], ["B-PER"], ["O"]])
    >>> test = Corpus.of([["Ada", "met", "Bo"]], tags=[["B-PER", "O", "B-PER"]])
    >>> [(rung.level, rung.rows.tolist()) for rung in ladder(train, test, levels="0:100:50", seeds=1)]
    [(0, [2, 3]), (50, [1, 3]), (100, [0, 1])]
    """
    chosen, drawn = _levels(levels), _seeds(seeds)
    _few_enough(len(chosen) * len(drawn), "levels", levels)
    train, test = _corpus(train, "train", columns), _corpus(test, "test", columns)
    exposure = Exposure.of(test, case=case, typed=typed)
    mentions, seen = train.mentions.sample, exposure.view(train).seen
    in_sample, hits = (np.bincount(of, minlength=len(train)) for of in (mentions, mentions[seen]))
    clean, contaminated = np.flatnonzero(hits == 0).tolist(), np.flatnonzero(hits).tolist()
    n = min(len(clean), len(contaminated))
    if not n:
        raise CleancutError(
            f"a ladder needs clean and contaminated samples to draw from, but of the {len(train)} of train "
            f"{len(contaminated)} share an entity with test. Give those of another split, such as a random one."
        )
    hashes = sample_hashes(train)
    rungs = []
    for level in chosen:
        for seed in drawn:
            rng = random.Random(seed)
            n_clean = round(n * (1 - level / 100))
            rows = np.sort(rng.sample(clean, n_clean) + rng.sample(contaminated, n - n_clean))
            counts = n - n_clean, int(in_sample[rows].sum()), int(hits[rows].sum())
            rungs.append(Rung(level, seed, rows, *counts, fingerprint_of(hashes[rows])))
    signature = Signature.of("ladder", {"key": exposure.key, "test": exposure.fingerprint})
    return Ladder(tuple(rungs), len(clean), len(contaminated), str(signature), fingerprint_of(hashes))


def _corpus(data: Any, name: str, columns: Mapping[str, Any]) -> Corpus:
    (samples,) = given_samples({name: data}, columns).values()
    if samples.row_of_sample is not None:
        raise CleancutError(f"the rows of {name} hold several samples, or parts of one. Give a row for each sample.")
    return samples.corpus


MOST_RUNGS = 10_000
"""Training sets of a ladder: each becomes a file, or a config of the Hub."""


def _levels(levels: Any) -> list[float]:
    """Return the levels, whole numbers as such."""
    wanted = "percentages from 0 to 100, such as '0:100:10' or (0, 50, 100)"
    refused = CleancutError(f"levels={quoted(levels)} is not valid. Give {wanted}.")
    try:
        if isinstance(levels, str) and ":" in levels:
            first, last, step = map(float, levels.split(":"))
            n = int((last - first) / step + 1.000001)
            found = [first + step * i for i in range(_few_enough(n, "levels", levels))]
        else:
            given = levels.split(",") if isinstance(levels, str) else checks.ordered(levels, "levels", wanted)
            found = [float(level) for level in given]
    except CleancutError:
        raise
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise refused from None
    if not found or not all(0 <= level <= 100 for level in found):
        raise refused
    _few_enough(len(found), "levels", levels)
    return list(dict.fromkeys(int(level) if level == int(level) else level for level in found))


def _seeds(seeds: Any) -> list[int]:
    """Return the seeds, of their number or as they are given."""
    wanted = "their number, from 1 on, or the seeds, such as (0, 1, 2)"
    if checks.is_whole(seeds):
        return list(range(_few_enough(checks.whole(seeds, "seeds", 1, wanted=wanted), "seeds", seeds)))
    found = [checks.seed(seed, "seeds") for seed in checks.ordered(seeds, "seeds", wanted)]
    if not found:
        raise CleancutError(f"seeds={quoted(seeds)} is not valid. Give {wanted}.")
    return list(dict.fromkeys(found))


def _few_enough(n: int, name: str, given: Any) -> int:
    """Refuse a number of training sets that nobody has the time for."""
    if n > MOST_RUNGS:
        raise CleancutError(f"{name}={quoted(given)} asks for {n} training sets or more. Give at most {MOST_RUNGS}.")
    return n
