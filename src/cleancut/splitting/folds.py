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
from ..core.entities import Key
from ..core.exceptions import CleancutError, counted, parse_choice, quoted, reason
from ..core.hashing import fingerprint_of, sample_hashes
from ..core.names import Links
from ..core.same import EXACT, Same
from ..core.shown import Drawn
from ..core.signature import Signature
from ..core.vocabulary import Vocabulary, mixed
from ..reading.dataset import Samples, check_columns, columns_in, given_samples
from ..scoring.exposure import Exposure
from ..scoring.hard_tokens import hardeval
from ..scoring.score import Score, share
from .audit import Unit, units_of
from .folders import refuse_foreign, write_parts
from .layout import DISCARDED
from .mincut import mincut
from .quotas import Rule, deal
from .settings import AUTO, DEFAULTS, takes_split_options

_OF_SPLITS = ("ratios", "method", "key", "stratify", "type_share", "prove")
"""The options of a split that ``mincut_folds`` does not take."""


class Fold(NamedTuple):
    """One fold of a cross-validation, as numbers of samples."""

    train: NDArray[np.int64]
    """The samples to train on, in their order."""
    test: NDArray[np.int64]
    """The samples to test on, in their order."""


@dataclass(frozen=True, eq=False, repr=False)
class Folds(Drawn):
    """The folds of a cross-validation: ``for train, test in folds``."""

    assignment: NDArray[np.int64]
    """The fold that each sample (each row, where a dataset was given) is tested in; -1 for discarded samples."""
    statistics: list[dict[str, Any]]
    """Counts for each fold: its samples, mentions and entities, those of them that are contaminated by other folds,
    the mentions of each type, and how the fold compares with the corpus."""
    notes: list[str]
    """Remarks on what could not be met."""
    signature: str
    """The settings that the folds were made with, in a line."""
    fingerprint: str
    """A fingerprint of the samples, whatever their order."""

    @property
    def k(self) -> int:
        """The number of folds."""
        return len(self.statistics)

    @property
    def n_discarded(self) -> int:
        """The number of discarded samples, which are in no fold and in no training set."""
        return int((self.assignment == DISCARDED).sum())

    @property
    def guarantee(self) -> str:
        """A sentence that says how many samples share an entity with another fold."""
        n_contaminated = sum(fold["n_partial"] for fold in self.statistics)
        same = Signature.parse(self.signature).get("same")
        under = f" (same: {same})" if same else ""
        if not n_contaminated:
            return f"no entity is shared between any two folds{under}"
        n_kept = len(self.assignment) - self.n_discarded
        return f"{n_contaminated} of {n_kept} samples share an entity with another fold{under}"

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
        """Return the folds as ``cleancut hardeval-folds --json`` prints them."""
        return {
            "format": _FORMAT,
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
        """Write train and test of each fold, and ``manifest.json``; an interruption leaves all files or none.

        Args:
            corpus: the corpus that the folds were made of.
            folder: the folder to write to. It is made if it does not exist; other files in it stay untouched.
            format: the format of the files, ``jsonl`` or ``conll``.
            overwrite: replace files of the same names even if cleancut did not write them.

        Raises:
            CleancutError: ``corpus`` has other samples than the folds, or a file of the folder would be lost.
        """
        self._refuse_other_samples(corpus)
        checks.text(format, "format", "jsonl or conll")
        parts: dict[str, NDArray[np.int64]] = {}
        about = self.to_dict()
        about["folds"] = []
        for i, fold in enumerate(self):
            parts |= {_file_of(i, part): rows for part, rows in fold._asdict().items()}
            files = {part: f"{_file_of(i, part)}.{format}" for part in fold._fields}
            about["folds"].append({"fold": i, **files, **self.statistics[i]})
        write_parts(corpus, parts, about, folder, format, overwrite)

    def _refuse_other_samples(self, corpus: Corpus) -> None:
        """Raise an error where the samples are not those that the folds were made of."""
        checks.instance(corpus, Corpus, "the corpus", "the samples that the folds were made of, as a Corpus")
        if len(corpus) != len(self.assignment) or fingerprint_of(sample_hashes(corpus)) != self.fingerprint:
            raise CleancutError(
                f"the folds are of {len(self.assignment)} samples, and not of the {len(corpus)} given. Give those that "
                "the folds were made of."
            )


def kfold(corpus: Any, k: int = 10, *, seed: int = DEFAULTS.seed, unit: str = "sample", **columns: Any) -> Folds:
    """Divide samples at random into folds whose sizes differ by one sample at most.

    The folds depend on the samples and the seed, not on the order of the samples.

    Args:
        corpus: a corpus or a dataset.
        k: the number of folds, at least 2.
        seed: the seed of the random choices.
        unit: the unit that stays whole: ``sample`` or ``doc``. With documents, sizes are as even as these allow.
        **columns: the columns of a dataset to read, such as ``tags=``, where they are not recognised.

    Returns:
        The folds, with statistics of each.

    Raises:
        CleancutError: there are fewer samples or documents than folds, or samples have no document ids.

    >>> corpus = Corpus.of([[f"w{i}"] for i in range(7)], tags=[["O"]] * 7)
    >>> sorted(len(test) for train, test in kfold(corpus, k=3))
    [2, 2, 3]
    """
    check_columns("kfold", columns, "k", "seed", "unit")
    samples = _samples(corpus, columns)
    unit_of_sample = units_of("the corpus", samples.corpus, parse_choice(Unit, unit, "unit"))
    unit_size = np.bincount(unit_of_sample)
    unit_in_words = "document" if unit == Unit.DOC else "sample"
    _check_k(k, len(unit_size), unit_in_words)
    seed = checks.seed(seed)
    unit_hash = np.zeros(len(unit_size), np.uint64)
    np.add.at(unit_hash, unit_of_sample, mixed(sample_hashes(samples.corpus)))
    random_rank = mixed(unit_hash ^ mixed(np.array([seed], np.uint64)))
    # Large documents come first, each to the smallest fold, so that small ones can even the sizes out.
    order = np.lexsort((random_rank, -unit_size))
    fold_of_unit = deal(unit_size, order, np.zeros(k), Rule.MOST_ROOM)
    signature = Signature.of("kfold", {"k": k, "unit": unit, "seed": seed})
    return _with_statistics(samples, fold_of_unit[unit_of_sample], k, Key(), [], signature)


@takes_split_options(*_OF_SPLITS)
def mincut_folds(
    corpus: Any,
    k: int = 5,
    *,
    aliases: Any = None,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Folds:
    """Divide samples into folds of equal size that share as few entities as possible.

    With ``discard="auto"`` they share none. The folds are cut as ``mincut`` cuts splits, except that no fold is train:
    each is held out once, so each has to be representative, and a shared entity contaminates samples on both sides.
    Where every sample is kept, the search therefore minimises all samples that have a shared entity.

    Args:
        corpus: a corpus or a dataset.
        k: the number of folds, from 2 to 99.
        aliases: lists of names that mean the same, for ``same="alias"``.
        progress: called with the share of the work done since it was called last; without it, a bar is shown on a
            terminal.
        **options: options of ``mincut`` that are listed below; and the columns of a dataset to read, such as
            ``tags=``, where they are not recognised. ``discard`` is 0 or ``auto``.

    Returns:
        The folds, with statistics of each.

    Raises:
        CleancutError: a fold would be empty, ``k`` or an option is not valid.
        TypeError: an option is unknown, or has no meaning for folds.

    >>> samples = [[name, "spoke"] for name in ("Ada", "Bo", "Cy", "Di") for _ in range(5)]
    >>> folds = mincut_folds(Corpus.of(samples, tags=[["B-PER", "O"]] * 20), k=2)
    >>> [len(test) for train, test in folds], folds.guarantee
    ([10, 10], 'no entity is shared between any two folds')
    """
    samples = _samples(corpus, columns_in(options))
    _check_k(k, len(samples.corpus), "sample")
    if k > _MOST_FOLDS:
        raise CleancutError(f"k={k}: give at most {_MOST_FOLDS} folds without shared entities.")
    for name in _OF_SPLITS:
        if name in options:
            raise TypeError(
                f"mincut_folds() has no option {quoted(name)}: folds are of equal size, cut by their entities."
            )
    discard = options.get("discard", DEFAULTS.discard)
    if not isinstance(discard, int | float | str) or discard not in (0, AUTO):
        raise CleancutError(f"discard={quoted(discard)} is unknown for folds. Give 0 or 'auto'.")
    # The splitter wants a train split first. It is empty here, and every fold is a held-out split.
    parts = {"train": 0, **{f"fold-{i}": 1 for i in range(k)}}
    plan = mincut(samples.corpus, parts, aliases=aliases, progress=progress, **options)
    assignment = plan.assignment.astype(np.int64)
    assignment[assignment != DISCARDED] -= 1  # split 1 is fold 0
    empty = np.flatnonzero(np.bincount(assignment[assignment != DISCARDED], minlength=k) == 0)
    if len(empty):
        remedy = "fewer folds, or discard=0" if discard else "fewer folds"
        raise CleancutError(
            f"fold {empty[0]} of {k} would be empty: too many of the {len(samples.corpus)} samples are connected by "
            f"shared entities, or are copies of each other. Give {remedy}."
        )
    settings = dict(Signature.parse(plan.signature).settings)
    settings["ratios"] = "/".join(["0", *[f"{1 / k:.4g}"] * k])
    signature = Signature.of("folds", {"k": k, **settings})
    same = plan.settings.notion(aliases)
    return _with_statistics(samples, assignment, k, plan.settings.entity_key, plan.notes, signature, same)


def refuse_foreign_folds(folder: str | os.PathLike[str], k: int, format: str, *, overwrite: bool = False) -> None:
    """Raise an error where writing folds would lose a file that cleancut did not write, before they are searched for.

    Args:
        folder: the folder that they will be written to.
        k: the number of folds.
        format: the format of the files.
        overwrite: refuse only links and folders, which no file replaces, and files that are being read.

    Raises:
        CleancutError: a file would be lost.
    """
    folds = range(min(k, _MOST_FOLDS))
    names = [f"{_file_of(i, part)}.{format}" for i in folds for part in Fold._fields]
    refuse_foreign(folder, names, {"format": _FORMAT}, overwrite=overwrite)


def _file_of(fold: int, part: str) -> str:
    """Return the name of the file with a part of a fold, without its ending."""
    return f"fold-{fold}.{part}"


_FORMAT = "cleancut-folds-1"
"""The format of the manifest of folds."""
_MOST_FOLDS = 99
"""The largest number of folds that the splitter can make: its assignment is a byte for each sample."""


def _samples(data: Any, columns: Mapping[str, Any]) -> Samples:
    """Return a corpus or a dataset as samples."""
    (samples,) = given_samples({"": data}, columns).values()
    return samples


def _check_k(k: Any, n: int, what: str) -> None:
    """Raise an error where the number of folds is not valid for n samples or documents; ``what`` is one of them."""
    checks.whole(k, "k", 2, wanted="a whole number of folds from 2 on")
    if k > n:
        remedy = f"at most {n} folds" if n > 1 else f"at least 2 {what}s"
        raise CleancutError(f"{quoted(k)} folds of {counted(n, what)}: some would be empty. Give {remedy}.")


def _with_statistics(
    samples: Samples,
    assignment: NDArray[np.int64],
    k: int,
    key: Key,
    notes: list[str],
    signature: Signature,
    same: Same = EXACT,
) -> Folds:
    """Return the folds of an assignment with statistics of each."""
    corpus = samples.corpus
    mentions = corpus.mentions
    is_kept = assignment != DISCARDED
    counts = _fold_counts(corpus.select(is_kept), assignment[is_kept], k, key, same)
    bearing_share = float((np.bincount(mentions.sample, minlength=len(corpus)) > 0).mean())
    fold_of_mention = assignment[mentions.sample]
    statistics = []
    for fold in range(k):
        row: dict[str, Any] = {name: int(count[fold]) for name, count in counts.items()}
        n_samples = row["n_samples"]
        density = share(row["n_mentions"], n_samples)
        row["rate_partial"] = share(row["n_partial"], n_samples)
        row["entities_per_sample_ratio"] = share(density, share(len(mentions), len(corpus)))
        row["entity_bearing_ratio"] = share(share(n_samples - row["n_empty"], n_samples), bearing_share)
        types = np.bincount(mentions.label[fold_of_mention == fold], minlength=len(mentions.labels))
        row["type_counts"] = dict(zip(mentions.labels, types.tolist(), strict=True))
        statistics.append(row)
    fold_of_row = samples.of_rows(assignment).astype(np.int64)
    return Folds(fold_of_row, statistics, notes, str(signature), fingerprint_of(sample_hashes(corpus)))


def _fold_counts(
    corpus: Corpus, assignment: NDArray[np.int64], k: int, key: Key, same: Same
) -> dict[str, NDArray[np.int64]]:
    """Return counts by name, each with a number for each fold; an entity in two folds is contaminated in both.

    Args:
        corpus: the samples that are kept.
        assignment: the fold of each of them.
        k: the number of folds.
        key: the entity key.
        same: the notion of the same name.
    """
    sample_of_mention = corpus.mentions.sample
    links = Links.of([corpus], key, same)
    entity = links.entity[0]
    mention_of_link = links.mention[0]
    link = links.code[0]
    fold_of_mention = assignment[sample_of_mention]
    pair_of_mention = entity.astype(np.int64) * k + fold_of_mention  # each entity is counted once in each fold
    is_contaminated = _is_in_several(entity, fold_of_mention, k)
    is_contaminated[mention_of_link[_is_in_several(link, fold_of_mention[mention_of_link], k)]] = True
    is_empty = np.bincount(sample_of_mention, minlength=len(corpus)) == 0
    folds_of_counted = {
        "n_samples": assignment,
        "n_empty": assignment[is_empty],
        "n_partial": assignment[np.unique(sample_of_mention[is_contaminated])],
        "n_mentions": fold_of_mention,
        "n_mentions_contaminated": fold_of_mention[is_contaminated],
        "n_entities": np.unique(pair_of_mention) % k,
        "n_entities_contaminated": np.unique(pair_of_mention[is_contaminated]) % k,
    }
    return {name: np.bincount(folds, minlength=k) for name, folds in folds_of_counted.items()}


def _is_in_several(code: NDArray[np.integer], fold: NDArray[np.int64], k: int) -> NDArray[np.bool_]:
    """Return for each code whether it occurs in several folds.

    Args:
        code: the codes.
        fold: the fold of each of them.
        k: the number of folds.
    """
    code_of_pair = np.unique(code.astype(np.int64) * k + fold) // k
    return (np.bincount(code_of_pair, minlength=int(code.max(initial=-1)) + 1) > 1)[code]


# --- hardeval ---------------------------------------------------------------------------------------------------


def hardeval_folds(
    gold: Corpus,
    pred: Any,
    folds: Folds,
    strict: bool = False,
    *,
    encoding: str = "bilou",
    ci: int | None = None,
    seed: int = 13,
) -> Score:
    """Score hardeval over all folds of a cross-validation, as its authors recommend (Section 3.2).

    Which tokens are *unseen* or *diff* in a fold is decided by the other folds, as the training data of the model.
    Counts are summed over the folds before they are divided.

    Args:
        gold: the corpus that the folds were made of.
        pred: predictions for the whole corpus, each sample by a model that was not trained on its fold: a corpus, or
            what ``Corpus.with_predictions`` takes.
        folds: the folds, from ``kfold`` or ``mincut_folds``.
        strict: count a type as *diff* only if training has never shown it for the word, as for ``hardeval``.
        encoding: the encoding of the labels of tokens, as for ``hardeval``.
        ci: the number of resamples for confidence intervals; None for no intervals.
        seed: the seed of the resamples.

    Returns:
        The score over all folds.

    Raises:
        CleancutError: the folds are of another corpus, or there is not one prediction for each sample.

    >>> corpus = Corpus.of([["Ada"], ["Ada"], ["Bo"], ["so"]], tags=[["B-PER"], ["B-PER"], ["B-PER"], ["O"]])
    >>> score = hardeval_folds(corpus, corpus, kfold(corpus, k=4))
    >>> score.n_unseen_i, score.n_unseen_o, score.ter_unseen
    (1, 1, 0.0)
    """
    checks.instance(gold, Corpus, "gold", "a Corpus, such as read() returns")
    checks.instance(folds, Folds, "folds", "what kfold() or mincut_folds() returns")
    folds._refuse_other_samples(gold)
    if not isinstance(pred, Corpus):
        pred = gold.with_predictions(pred)
    if len(pred) != len(gold):
        raise CleancutError(
            f"{counted(len(gold), 'gold sample')} but {len(pred)} predicted. Give one prediction for each."
        )
    scores = []
    for train, test in folds:
        # Each training set is indexed anew: to merge the indices of single folds takes as long.
        shown = Exposure.of(gold.select(train))
        fold_gold = gold.select(test)
        fold_pred = pred.select(test)
        scores.append(hardeval(fold_gold, fold_pred, shown, strict, encoding=encoding, ci=ci, seed=seed))
    # The training sets get one name together, which does not depend on the order of the folds.
    training_sets = sorted(str(score.settings["train"]) for score in scores)
    digest = hashlib.blake2b("".join(training_sets).encode(), digest_size=3).hexdigest()
    settings = {**scores[0].settings, "train": f"{folds.k}-fold,{digest}"}
    return reduce(Score.__add__, (replace(score, settings=settings) for score in scores))


# --- scikit-learn -----------------------------------------------------------------------------------------------


@dataclass
class CleanCutSplit:
    """A splitter for scikit-learn that makes the folds of ``mincut_folds``.

    Use it as ``cross_validate(..., cv=CleanCutSplit(), groups=entities)``, where ``groups`` has the entities of each
    sample: a list or set of texts, tuples or other hashable values, empty for samples without any entity.

    >>> entities = [{"Ada"}, {"Ada", "Bo"}, {"Cy"}, {"Cy"}]
    >>> folds = CleanCutSplit(n_splits=2).split(entities, groups=entities)
    >>> sorted(test.tolist() for train, test in folds)  # which fold comes first is up to the cut
    [[0, 1], [2, 3]]
    """

    n_splits: int = 5
    """The number of folds."""
    random_state: int = DEFAULTS.seed
    """The seed of the random choices."""
    discard: float | str = DEFAULTS.discard
    """``auto`` to discard samples until no two folds share an entity, 0 to keep all samples."""
    representative: float | None = DEFAULTS.representative
    """The density floor of the folds, as for ``mincut``; None for no floor."""
    effort: str = str(DEFAULTS.effort)
    """How long the search for a better cut takes: ``fast``, ``auto`` or ``best``, or a time such as ``30s``."""

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Args:
            X: ignored; scikit-learn passes it.
            y: ignored; scikit-learn passes it.
            groups: ignored; scikit-learn passes it.
        """
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return an iterator over the folds, each as the indices to train on and the indices to test on.

        Args:
            X: the samples, of which only the number is used.
            y: ignored; scikit-learn passes it.
            groups: the entities of each sample, such as ``[{"Ada"}, set()]``.

        Raises:
            CleancutError: ``groups`` is missing, or has not one entry for each sample.
        """
        if groups is None:
            raise CleancutError("groups= is missing. Give the entities of each sample, such as [{'Ada'}, set()].")
        corpus = _corpus_of_sets(groups)
        try:
            n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
        except Exception:  # tensors raise several errors
            raise CleancutError(f"X={quoted(X)} has no samples. Give those that are split.") from None
        if n_samples != len(corpus):
            raise CleancutError(
                f"{counted(n_samples, 'sample')} but {counted(len(corpus), 'group')}. Give the entities of each sample."
            )
        folds = mincut_folds(
            corpus,
            self.n_splits,
            seed=self.random_state,
            discard=self.discard,
            representative=self.representative,
            effort=self.effort,
            min_per_type=0,
            duplicates_together=False,
        )
        return iter(folds)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings by name, from which scikit-learn makes copies.

        Args:
            deep: ignored; scikit-learn passes it.
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def set_params(self, **params: Any) -> CleanCutSplit:
        """Change settings and return this splitter.

        Args:
            **params: the new values by name.

        Raises:
            CleancutError: there is no setting of such a name.
        """
        for name, value in params.items():
            if name not in self.get_params():
                raise CleancutError(f"CleanCutSplit has no {quoted(name)}. It has {', '.join(self.get_params())}.")
            setattr(self, name, value)
        return self

    def get_metadata_routing(self) -> Any:
        """Return a request for ``groups`` to scikit-learn's metadata routing."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.split.add_request(param="groups", alias=True)
        return request


def _corpus_of_sets(groups: Iterable[Any]) -> Corpus:
    """Return a corpus whose samples have the given entities, each as one word."""
    samples_of_entity: dict[Any, list[int]] = {}
    given: list[Any] = checks.ordered(groups, "groups", "the entities of each sample")
    for i, entities in enumerate(given):
        if isinstance(entities, str | bytes | Mapping) or not isinstance(entities, Iterable):
            raise CleancutError(f"groups[{i}] is {quoted(entities)}, not a list or set of entities. Give [] for none.")
        try:
            for entity in set(entities):
                samples_of_entity.setdefault(entity, []).append(i)
        except Exception as error:  # whatever the methods of an object raise
            raise CleancutError(f"groups[{i}]: {reason(error)}. Give strings or tuples as entities.") from None
    # Entities are numbered by the samples they occur in, since the order of a set changes from run to run; those that
    # occur in the same samples are interchangeable.
    pairs = [(i, number) for number, samples in enumerate(sorted(samples_of_entity.values())) for i in samples]
    table = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    sample = table[:, 0]
    words = table[:, 1].astype(np.int32)
    lengths = np.bincount(sample, minlength=len(given))
    start = np.arange(len(sample)) - bounds_of(lengths)[sample]
    label = np.zeros(len(sample), int)
    mentions = Mentions.of_columns(sample, start, start + 1, label, ("entity",), len(given), lengths)
    return Corpus(words, Vocabulary(map(str, range(len(samples_of_entity)))), mentions)
