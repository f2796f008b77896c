"""The contamination ladder: training sets of one size that differ in how many samples share entities with test."""

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
from ..core.same import PART_LIMIT, Same, notion_setting
from ..core.shown import Drawn
from ..core.signature import Signature
from ..reading.dataset import check_columns, given_samples
from ..scoring.exposure import Exposure
from ..scoring.score import share
from .folders import write_parts


@dataclass(frozen=True, eq=False)
class Rung:
    """A training set of the ladder: some rows of train, of which a given share is contaminated."""

    level: float
    """The contamination that was asked for, in percent of the samples."""
    seed: int
    """The seed that the rows were drawn with."""
    rows: NDArray[np.int64]
    """The samples of train, in their order: ``train.select(rung.rows)``, of a corpus and of a dataset alike."""
    n_samples_contaminated: int
    """The number of samples that share an entity with test."""
    n_mentions: int
    """The number of mentions."""
    n_mentions_contaminated: int
    """The number of mentions whose entity is in test."""
    fingerprint: str
    """A fingerprint of the samples, whatever their order."""

    @property
    def name(self) -> str:
        """The name of the file or config that holds the training set, such as ``ladder-50-s0``."""
        return f"ladder-{self.level:g}-s{self.seed}"

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics of the training set, as ``manifest.json`` has them."""
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
    """The result of ``ladder``: training sets of several levels of contamination."""

    rungs: tuple[Rung, ...]
    """The training sets, by level and then by seed."""
    n_clean: int
    """The number of samples of train that share no entity with test; those without entities are among them."""
    n_contaminated: int
    """The number of samples of train that share an entity with test."""
    signature: str
    """The settings that the ladder was made with, in a line."""
    fingerprint: str
    """A fingerprint of the samples of train, whatever their order."""

    def __repr__(self) -> str:
        kinds = f"n_clean={self.n_clean}, n_contaminated={self.n_contaminated}"
        return f"Ladder({len(self)} training sets, {kinds}). {self.signature}"

    def __iter__(self) -> Iterator[Rung]:
        return iter(self.rungs)

    def __len__(self) -> int:
        return len(self.rungs)

    def to_dict(self) -> dict[str, Any]:
        """Return the ladder as ``cleancut ladder --json`` prints it."""
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
        """Write a file for each training set, and ``manifest.json``; an interruption leaves all of them or none.

        Args:
            train: the corpus that the ladder was made from.
            folder: the folder to write to. It is made if it does not exist; other files in it stay untouched.
            format: the format of the files, ``jsonl`` or ``conll``.
            overwrite: replace files of the same names even if cleancut did not write them.

        Raises:
            CleancutError: ``train`` has other samples than the ladder, or a file of the folder would be lost.
        """
        checks.instance(train, Corpus, "train", "the corpus that the ladder was made from")
        checks.text(format, "format", "jsonl or conll")
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
    same: str | Same = "exact",
    aliases: Any = None,
    part_limit: int = PART_LIMIT,
    **columns: Any,
) -> Ladder:
    """Draw training sets of one size with contamination from 0 to 100% (Babl et al., Algorithm 1).

    A sample of train is *contaminated* if any of its entities is in test, else *clean*. Each set has as many samples as
    the smaller of the two groups (Equation 13), and ``round(N * (1 - level / 100))`` of them are clean. Samples are
    drawn by Python's ``random.Random(seed)``, the clean ones first: drawn like this, the published sets of CoNLL04 and
    SciERC have the published statistics. Each set is a draw of its own, so that the sets of a seed are not nested.

    Args:
        train: the corpus or dataset to draw from.
        test: the corpus or dataset whose entities make samples of train contaminated.
        levels: the levels of contamination in percent, such as ``(0, 50, 100)``; or ``"first:last:step"``, both ends
            included.
        seeds: the seeds, such as ``(0, 1, 2)``; or their number, for those from 0 on.
        case: whether words that differ in case make different entities.
        typed: whether the type belongs to the entity.
        same: which names count as the same, such as ``fold+part``; a word is generic by the names of test.
        aliases: lists of names that mean the same, for ``alias``.
        part_limit: a word that occurs in more names of two or more words than this is generic, for ``part``.
        **columns: the columns of datasets to read, such as ``tags=``, where they are not recognised.

    Returns:
        The training sets, by level and then by seed.

    Raises:
        CleancutError: all samples of train are clean, or all are contaminated; or an option is not valid.

    >>> train = Corpus.of([["Ada"], ["Bo"], ["Cy"], ["so"]], tags=[["B-PER"], ["B-PER"], ["B-PER"], ["O"]])
    >>> test = Corpus.of([["Ada", "met", "Bo"]], tags=[["B-PER", "O", "B-PER"]])
    >>> [(rung.level, rung.rows.tolist()) for rung in ladder(train, test, levels="0:100:50", seeds=1)]
    [(0, [2, 3]), (50, [1, 3]), (100, [0, 1])]
    """
    check_columns("ladder", columns, "levels", "seeds", "case", "typed", "same", "aliases", "part_limit")
    chosen_levels = _levels(levels)
    chosen_seeds = _seeds(seeds)
    _refuse_too_many(len(chosen_levels) * len(chosen_seeds), "levels", levels)
    train = _corpus(train, "train", columns)
    test = _corpus(test, "test", columns)
    exposure = Exposure.of(test, case=case, typed=typed, same=same, aliases=aliases, part_limit=part_limit)
    sample_of_mention = train.mentions.sample
    seen = exposure.view(train).seen
    n_mentions = np.bincount(sample_of_mention, minlength=len(train))
    n_contaminated = np.bincount(sample_of_mention[seen], minlength=len(train))
    clean = np.flatnonzero(n_contaminated == 0).tolist()
    contaminated = np.flatnonzero(n_contaminated).tolist()
    size = min(len(clean), len(contaminated))
    if not size:
        raise CleancutError(
            f"a ladder needs clean and contaminated samples to draw from, but {len(contaminated)} of {len(train)} "
            "training samples share an entity with test. Give train and test of another split, such as a random one."
        )
    hashes = sample_hashes(train)
    rungs = []
    for level in chosen_levels:
        for seed in chosen_seeds:
            rng = random.Random(seed)
            n_clean = round(size * (1 - level / 100))
            rows = np.sort(rng.sample(clean, n_clean) + rng.sample(contaminated, size - n_clean))
            rung = Rung(
                level=level,
                seed=seed,
                rows=rows,
                n_samples_contaminated=size - n_clean,
                n_mentions=int(n_mentions[rows].sum()),
                n_mentions_contaminated=int(n_contaminated[rows].sum()),
                fingerprint=fingerprint_of(hashes[rows]),
            )
            rungs.append(rung)
    signature = Signature.of(
        "ladder", {"key": exposure.key, **notion_setting(exposure.same), "test": exposure.fingerprint}
    )
    return Ladder(tuple(rungs), len(clean), len(contaminated), str(signature), fingerprint_of(hashes))


def _corpus(data: Any, name: str, columns: Mapping[str, Any]) -> Corpus:
    """Return a corpus, or a dataset as one, whose rows must be its samples: a rung has numbers of rows."""
    (samples,) = given_samples({name: data}, columns).values()
    if samples.row_of_sample is not None:
        raise CleancutError(f"the rows of {name} hold several samples, or parts of one. Give a row for each sample.")
    return samples.corpus


MOST_RUNGS = 10_000
"""The largest number of training sets of a ladder: each becomes a file, or a config of the Hub."""


def _levels(levels: Any) -> list[float]:
    """Return the levels, which may be given as a list or as ``first:last:step``: checked, and each once.

    Whole numbers become integers, so that a file is called ``ladder-50`` and not ``ladder-50.0``.
    """
    wanted = "percentages from 0 to 100, such as '0:100:10' or (0, 50, 100)"
    refused = CleancutError(f"levels={quoted(levels)} is not valid. Give {wanted}.")
    try:
        if isinstance(levels, str) and ":" in levels:
            first, last, step = map(float, levels.split(":"))
            n_levels = int((last - first) / step + 1.000001)
            _refuse_too_many(n_levels, "levels", levels)
            percentages = [first + step * i for i in range(n_levels)]
        else:
            given = levels.split(",") if isinstance(levels, str) else checks.ordered(levels, "levels", wanted)
            if any(isinstance(level, complex | np.complexfloating) for level in given):
                raise refused
            percentages = [float(level) for level in given]
    except CleancutError:
        raise
    except Exception:  # whatever the methods of an object raise
        raise refused from None
    if not percentages or not all(0 <= level <= 100 for level in percentages):
        raise refused
    _refuse_too_many(len(percentages), "levels", levels)
    plain = [int(level) if level == int(level) else level for level in percentages]
    return list(dict.fromkeys(plain))


def _seeds(seeds: Any) -> list[int]:
    """Return the seeds, which may be given as a list or as their number: checked, and each once."""
    wanted = "their number, from 1 on, or the seeds, such as (0, 1, 2)"
    if checks.is_whole(seeds):
        n_seeds = checks.whole(seeds, "seeds", 1, wanted=wanted)
        _refuse_too_many(n_seeds, "seeds", seeds)
        return list(range(n_seeds))
    checked = [checks.seed(seed, "seeds") for seed in checks.ordered(seeds, "seeds", wanted)]
    if not checked:
        raise CleancutError(f"seeds={quoted(seeds)} is not valid. Give {wanted}.")
    return list(dict.fromkeys(checked))


def _refuse_too_many(n: int, name: str, given: Any) -> None:
    """Raise an error where an option, which is named with its value, asks for too many training sets."""
    if n > MOST_RUNGS:
        raise CleancutError(f"{name}={quoted(given)} asks for {n} training sets or more. Give at most {MOST_RUNGS}.")
