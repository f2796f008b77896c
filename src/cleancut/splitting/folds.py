"""Cross-validation: folds at random or with as few shared entities as possible, and hardeval over all of them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.arrays import bounds_of
from ..core.corpus import Corpus, Mentions
from ..core.entities import Key, entity_codes
from ..core.exceptions import CleancutError, parse_choice, quoted
from ..core.hashing import fingerprint_of, sample_hashes
from ..core.shown import Drawn
from ..core.signature import Signature
from ..core.vocabulary import Vocabulary, mixed
from ..reading.dataset import Samples, columns_in, given_samples
from ..scoring.exposure import Exposure
from ..scoring.hard_tokens import hardeval
from ..scoring.score import Score, share
from .audit import Unit, units_of
from .folders import write_parts
from .layout import DISCARDED
from .mincut import mincut
from .quotas import to_most_room
from .settings import AUTO, DEFAULTS, takes_split_options

_OF_SPLITS = ("ratios", "method", "key", "stratify", "type_share")
"""Options of a split that folds do not have."""


class Fold(NamedTuple):
    """The samples to train on, and those to test on, in their order."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Folds(Drawn):
    """Which fold each sample is tested in: ``for train, test in folds``."""

    assignment: NDArray[np.int64]
    """The fold of each sample (of each row, where a dataset was given); -1 for samples that are discarded."""
    statistics: list[dict[str, Any]]
    """Of each fold: samples and mentions, how many of them share an entity with the other folds, types, and how the
    fold compares with the corpus."""
    notes: list[str]
    signature: str
    fingerprint: str
    """Of the samples, whatever their order."""

    @property
    def k(self) -> int:
        """The number of folds."""
        return len(self.statistics)

    @property
    def n_discarded(self) -> int:
        """Samples that are discarded: in no fold, and in no training set."""
        return int((self.assignment == DISCARDED).sum())

    @property
    def guarantee(self) -> str:
        """What holds between the folds, as it was counted."""
        n = sum(row["n_partial"] for row in self.statistics)
        if not n:
            return "no entity is shared between any two folds"
        return f"{n} of {len(self.assignment) - self.n_discarded} samples share an entity with another fold"

    def __repr__(self) -> str:
        sizes = [row["n_samples"] for row in self.statistics]
        return f"Folds({sizes}, n_discarded={self.n_discarded}): {self.guarantee}. {self.signature}"

    def __len__(self) -> int:
        return self.k

    def __getitem__(self, fold: int) -> Fold:
        if not -self.k <= fold < self.k:
            raise IndexError(f"fold {fold} of {self.k}")
        test = self.assignment == fold % self.k
        return Fold(np.flatnonzero(~test & (self.assignment != DISCARDED)), np.flatnonzero(test))

    def __iter__(self) -> Iterator[Fold]:
        return map(self.__getitem__, range(self.k))

    def to_dict(self) -> dict[str, Any]:
        """What ``cleancut hardeval-folds --json`` prints of the folds."""
        return {
            "format": "cleancut-folds-1",
            "k": self.k,
            "n_samples": len(self.assignment),
            "n_discarded": self.n_discarded,
            "guarantee": self.guarantee,
            "notes": self.notes,
            "signature": self.signature,
            "fingerprint": self.fingerprint,
            "folds": self.statistics,
        }

    def write(
        self, corpus: Corpus, folder: str | os.PathLike[str], *, format: str = "jsonl", overwrite: bool = False
    ) -> None:
        """Write train and test of each fold as files, and ``manifest.json``: all of them, or none.

        Args:
            corpus: what the folds were made of.
            folder: where to; it is made if it is not there, and no file of others in it is touched.
            format: ``jsonl`` or ``conll``.
            overwrite: replace files of the same names that are not ours, too.
        """
        self._refuse_other(corpus)
        parts: dict[str, NDArray[np.int64]] = {}
        about = self.to_dict()
        about["folds"] = []
        for i, fold in enumerate(self):
            parts |= {f"fold-{i}.{part}": rows for part, rows in fold._asdict().items()}
            files = {part: f"fold-{i}.{part}.{format}" for part in fold._fields}
            about["folds"].append({"fold": i, **files, **self.statistics[i]})
        write_parts(corpus, parts, about, folder, format, overwrite)

    def _refuse_other(self, corpus: Corpus) -> None:
        if len(corpus) != len(self.assignment) or fingerprint_of(sample_hashes(corpus)) != self.fingerprint:
            raise CleancutError(
                f"the folds are of {len(self.assignment)} samples, and not of the {len(corpus)} given. Give those that "
                "the folds were made of."
            )


def kfold(corpus: Any, k: int = 10, *, seed: int = DEFAULTS.seed, unit: str = "sample", **columns: Any) -> Folds:
    """Random folds of a corpus or dataset, whose sizes differ by one sample at most.

    With ``unit="doc"`` documents stay whole, and sizes are as even as that allows. The folds depend on the samples and
    the seed, not on the order of the samples.

    >>> corpus = Corpus.of([[f"w{i}"] for i in range(7)], tags=[["O"]] * 7)
    >>> sorted(len(test) for train, test in kfold(corpus, k=3))
    [2, 2, 3]
    """
    samples = _samples(corpus, columns)
    text = samples.corpus
    of_sample = units_of("the corpus", text, parse_choice(Unit, unit, "unit"))
    size = np.bincount(of_sample)
    _check_k(k, len(size), "documents" if unit == Unit.DOC else "samples")
    seed = checks.seed(seed)
    hashes, hash_of_unit = sample_hashes(text), np.zeros(len(size), np.uint64)
    np.add.at(hash_of_unit, of_sample, mixed(hashes))
    key = mixed(hash_of_unit ^ mixed(np.array([seed], np.uint64)))
    # large documents first, each to the smallest fold: what comes last evens the sizes out
    order = np.lexsort((key, -size))
    of_unit = np.zeros(len(size), np.int64)
    of_unit[order], _ = to_most_room(size, order, np.zeros(k))
    signature = Signature.of("kfold", {"k": k, "unit": unit, "seed": seed})
    return _described(samples, of_unit[of_sample], k, Key(), [], signature)


@takes_split_options(*_OF_SPLITS)
def mincut_folds(corpus: Any, k: int = 5, *, progress: Callable[[float], None] | None = None, **options: Any) -> Folds:
    """Folds of equal size that share as few entities as possible, or none (``discard="auto"``), by the splitter.

    All is as in ``mincut``, but no fold is train: each is held out once, so each has to be representative, and a shared
    entity counts on both sides. So where every sample is kept, the samples of shared entities are made few, not only
    the mixed ones.

    >>> samples = [[name, "spoke"] for name in ("Ada", "Bo", "Cy", "Di") for _ in range(5)]
    >>> folds = mincut_folds(Corpus.of(samples, tags=[["B-PER", "O"]] * 20), k=2)
    >>> [len(test) for train, test in folds], folds.guarantee
    ([10, 10], 'no entity is shared between any two folds')
    """
    samples = _samples(corpus, columns_in(options))
    _check_k(k, len(samples.corpus), "samples")
    if k > _MOST:
        raise CleancutError(f"k={k}: give at most {_MOST} folds without shared entities.")
    for name in _OF_SPLITS:
        if name in options:
            raise TypeError(f"mincut_folds() has no option {name!r}: folds are of equal size, cut by their entities.")
    discard = options.get("discard", DEFAULTS.discard)
    if discard not in (0, AUTO):
        raise CleancutError(f"discard={discard!r} is unknown for folds. Give 0 or 'auto'.")
    parts = {"train": 0, **{f"fold-{i}": 1 for i in range(k)}}  # no fold is train, which is empty
    plan = mincut(samples.corpus, parts, progress=progress, **options)
    assignment = plan.assignment.astype(np.int64)
    assignment[assignment != DISCARDED] -= 1  # the split before the first fold is train, which is empty
    empty = np.flatnonzero(np.bincount(assignment[assignment != DISCARDED], minlength=k) == 0)
    if len(empty):
        remedy = "fewer folds, or discard=0" if discard else "fewer folds"
        raise CleancutError(
            f"fold {empty[0]} of {k} would be empty: too many of the {len(samples.corpus)} samples hang together by "
            f"shared entities, or are copies of each other. Give {remedy}."
        )
    settings = dict(Signature.parse(plan.signature).settings) | {"ratios": "/".join(["0", *[f"{1 / k:.4g}"] * k])}
    signature = Signature.of("folds", {"k": k, **settings})
    return _described(samples, assignment, k, plan.settings.entity_key, plan.notes, signature)


_MOST = 99
"""The splitter's assignment is a byte."""


def _samples(data: Any, columns: Mapping[str, Any]) -> Samples:
    (samples,) = given_samples({"": data}, columns).values()
    return samples


def _check_k(k: Any, n: int, what: str) -> None:
    checks.whole(k, "k", 2, wanted="a whole number of folds from 2 on")
    if k > n:
        raise CleancutError(f"{k} folds of {n} {what}: some would be empty. Give at most {n} folds.")


def _described(
    samples: Samples, assignment: NDArray[np.int64], k: int, key: Key, notes: list[str], signature: Signature
) -> Folds:
    """The folds, with what was counted of each: an entity in two folds is contaminated in both."""
    corpus, kept = samples.corpus, assignment != DISCARDED
    mentions, entity = corpus.mentions, entity_codes(corpus, key)
    fold, inside = assignment[mentions.sample], kept[mentions.sample]
    of_entity, of_fold = np.divmod(np.unique(entity[inside].astype(np.int64) * k + fold[inside]), k)
    shared = np.bincount(of_entity, minlength=int(entity.max(initial=-1)) + 1) > 1
    seen = inside & shared[entity]
    in_sample = np.bincount(mentions.sample, minlength=len(corpus))

    def of_each(folds: NDArray[np.integer]) -> NDArray[np.int64]:
        return np.bincount(folds, minlength=k)

    counts = {
        "n_samples": of_each(assignment[kept]),
        "n_empty": of_each(assignment[kept & (in_sample == 0)]),
        "n_partial": of_each(assignment[np.unique(mentions.sample[seen])]),
        "n_mentions": of_each(fold[inside]),
        "n_mentions_contaminated": of_each(fold[seen]),
        "n_entities": of_each(of_fold),
        "n_entities_contaminated": of_each(of_fold[shared[of_entity]]),
    }
    found = []
    for i in range(k):
        row: dict[str, Any] = {name: int(count[i]) for name, count in counts.items()}
        n, bearing = row["n_samples"], row["n_samples"] - row["n_empty"]
        row["rate_partial"] = share(row["n_partial"], n)
        row["entities_per_sample_ratio"] = share(share(row["n_mentions"], n), share(len(mentions), len(corpus)))
        row["entity_bearing_ratio"] = share(share(bearing, n), float((in_sample > 0).mean()))
        types = np.bincount(mentions.label[fold == i], minlength=len(mentions.labels))
        found.append({**row, "type_counts": dict(zip(mentions.labels, types.tolist(), strict=True))})
    rows = samples.of_rows(assignment).astype(np.int64)
    return Folds(rows, found, notes, str(signature), fingerprint_of(sample_hashes(corpus)))


# --- hardeval ---------------------------------------------------------------------------------------------------


def hardeval_folds(
    gold: Corpus, pred: Any, folds: Folds, strict: bool = False, *, encoding: str = "bilou", ci: int | None = None,
    seed: int = 13,
) -> Score:  # fmt: skip
    """hardeval over all folds, as its authors recommend (Section 3.2): unseen and diff are what the *other* folds say.

    ``pred`` holds predictions for the whole corpus, each sample by a model that was not trained on its fold. Counts are
    summed over the folds before they are divided.

    >>> corpus = Corpus.of([["Ada"], ["Ada"], ["Bo"], ["so"]], tags=[["B-PER"], ["B-PER"], ["B-PER"], ["O"]])
    >>> score = hardeval_folds(corpus, corpus, kfold(corpus, k=4))
    >>> score.n_unseen_i, score.n_unseen_o, score.ter_unseen
    (1, 1, 0.0)
    """
    checks.instance(gold, Corpus, "gold", "a Corpus, such as read() returns")
    checks.instance(folds, Folds, "folds", "what kfold() or mincut_folds() returns")._refuse_other(gold)
    pred = pred if isinstance(pred, Corpus) else gold.with_predictions(pred)
    if len(pred) != len(gold):
        raise CleancutError(f"{len(gold)} gold samples but {len(pred)} predicted. Give one prediction for each.")
    scores = []
    for train, test in folds:
        # each complement is indexed anew: merging the indices of single folds takes as long
        shown = Exposure.of(gold.select(train))
        scores.append(hardeval(
            gold.select(test), pred.select(test), shown, strict, encoding=encoding, ci=ci, seed=seed
        ))  # fmt: skip
    # one name for all training sets, whatever the order of the folds
    of_all = hashlib.blake2b("".join(sorted(str(s.settings["train"]) for s in scores)).encode(), digest_size=3)
    settings = {**scores[0].settings, "train": f"{folds.k}-fold,{of_all.hexdigest()}"}
    return reduce(Score.__add__, (replace(score, settings=settings) for score in scores))


# --- scikit-learn -----------------------------------------------------------------------------------------------


@dataclass
class CleanCutSplit:
    """``mincut_folds`` as a splitter for scikit-learn: ``cross_validate(..., cv=CleanCutSplit(), groups=entities)``.

    ``groups`` has the entities of each sample: a list or set of whatever can be a key, empty for samples without any.
    With ``discard="auto"`` samples in the way are in no fold at all.

    >>> entities = [{"Ada"}, {"Ada", "Bo"}, {"Cy"}, {"Cy"}]
    >>> folds = CleanCutSplit(n_splits=2).split(entities, groups=entities)
    >>> sorted(test.tolist() for train, test in folds)  # which fold comes first is up to the cut
    [[0, 1], [2, 3]]
    """

    n_splits: int = 5
    random_state: int = DEFAULTS.seed
    discard: float | str = DEFAULTS.discard
    representative: float | None = DEFAULTS.representative
    effort: str = DEFAULTS.effort.value

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The indices to train on and to test on, of each fold."""
        if groups is None:
            raise CleancutError("groups= is missing. Give the entities of each sample, such as [{'Ada'}, set()].")
        corpus = _corpus_of_sets(groups)
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        if n != len(corpus):
            raise CleancutError(f"{n} samples but {len(corpus)} groups. Give the entities of each sample.")
        folds = mincut_folds(
            corpus, self.n_splits, seed=self.random_state, discard=self.discard, representative=self.representative,
            effort=self.effort, min_per_type=0, duplicates_together=False,
        )  # fmt: skip
        return iter(folds)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings, by which scikit-learn makes copies."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def set_params(self, **params: Any) -> CleanCutSplit:
        """Change settings."""
        for name, value in params.items():
            if name not in self.get_params():
                raise CleancutError(f"CleanCutSplit has no {name!r}. It has {', '.join(self.get_params())}.")
            setattr(self, name, value)
        return self

    def get_metadata_routing(self) -> Any:
        """For scikit-learn's metadata routing: groups are wanted."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.split.add_request(param="groups", alias=True)
        return request


def _corpus_of_sets(groups: Iterable[Any]) -> Corpus:
    """A corpus whose samples have the given entities, a word each."""
    samples_of: dict[Any, list[int]] = {}
    n = 0
    given: list[Any] = checks.ordered(groups, "groups", "the entities of each sample")
    for i, entities in enumerate(given):
        if isinstance(entities, str | bytes | Mapping) or not isinstance(entities, Iterable):
            raise CleancutError(f"groups[{i}] is {quoted(entities)}, not a list or set of entities. Give [] for none.")
        try:
            for entity in set(entities):
                samples_of.setdefault(entity, []).append(i)
        except TypeError as error:
            raise CleancutError(f"groups[{i}]: {error}. Give strings or tuples as entities.") from None
        n = i + 1
    # numbered by where they occur, since the order of a set changes from run to run; those that tie are interchangeable
    pairs = [(i, number) for number, samples in enumerate(sorted(samples_of.values())) for i in samples]
    table = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    sample, words = table[:, 0], table[:, 1].astype(np.int32)
    lengths = np.bincount(sample, minlength=n)
    start = np.arange(len(sample)) - bounds_of(lengths)[sample]
    mentions = Mentions.of_columns(sample, start, start + 1, np.zeros(len(sample), int), ("entity",), n, lengths)
    return Corpus(words, Vocabulary(map(str, range(len(samples_of)))), mentions)
