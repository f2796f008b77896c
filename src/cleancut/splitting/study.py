"""A study: systems on several datasets, scored once, and what all of these say together."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ..core import checks
from ..core.corpus import Corpus, overlaps
from ..core.exceptions import CleancutError, quoted
from ..core.notices import said_once
from ..core.pairing import pair
from ..core.shown import Drawn
from ..core.type_names import parse_types
from ..reading.progress import work_shown
from ..reading.study_folder import DatasetFiles, Failed, StudyData, changed_reading, reason_of, study_files
from ..scoring.buckets import PAPER, Buckets, buckets
from ..scoring.diagnosis import MIN_COUNT
from ..scoring.exposure import Exposure
from ..scoring.over_datasets import (
    attribute_wise_over,
    comparative_diagnosis_over,
    model_wise_over,
    ranks_over,
    self_diagnosis_over,
    systems_of,
)
from ..scoring.registry import available_metrics, score_metrics
from ..scoring.resampling import parse_resampling
from ..scoring.score import Score
from .audit import audit

_LOG = logging.getLogger("cleancut")


@dataclass(frozen=True)
class Studied:
    """The results of one dataset."""

    contamination: Mapping[str, Any]
    """What of the test split is in training, as ``audit`` counts it, and the F1 of a look-up (``memorisation_f1``)."""
    scores: Mapping[str, Mapping[str, Score]]
    """``scores[system][metric]``; a system whose mentions overlap has no hardeval."""
    buckets: Mapping[str, Buckets]
    """``buckets[system]``: F1 by the eight attributes of the paper."""
    notes: list[str]
    """What is to be known of the scores."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts, lists and numbers; the buckets of a system stand beside its scores."""
        systems: dict[str, dict[str, Any]] = {}
        for name, own in self.scores.items():
            systems[name] = {metric: score.to_dict() for metric, score in own.items()}
            systems[name]["bucket_f1"] = dict(self.buckets[name])
        return {"contamination": dict(self.contamination), "systems": systems, "notes": self.notes}


@dataclass(frozen=True, repr=False)
class Study(Drawn):
    """Systems on several datasets: scores and buckets of each, and what they say together."""

    datasets: Mapping[str, Studied]
    """The results of each dataset that could be read, by its name."""
    not_read: Sequence[Failed] = ()
    """The datasets and systems that could not be used, each with its ``reason``."""
    min_count: int = MIN_COUNT
    """Gold mentions that a bucket needs to be called best or worst."""

    @property
    def systems(self) -> list[str]:
        """The names of all systems, those of the first dataset first."""
        return systems_of(self.scores)

    @cached_property
    def scores(self) -> dict[str, Mapping[str, Mapping[str, Score]]]:
        """The scores: ``scores[dataset][system][metric]``."""
        return {name: own.scores for name, own in self.datasets.items()}

    @cached_property
    def buckets(self) -> dict[str, Mapping[str, Buckets]]:
        """The buckets of attributes: ``buckets[dataset][system]``."""
        return {name: own.buckets for name, own in self.datasets.items()}

    @cached_property
    def model_wise(self) -> dict[str, dict[str, dict[str, Any]]]:
        """``model_wise[system][attribute]``: Spearman and standard deviation over datasets, and Friedman's test."""
        return model_wise_over(self.buckets)

    @cached_property
    def attribute_wise(self) -> dict[str, dict[str, dict[str, float]]]:
        """``attribute_wise[dataset][attribute]``: zeta and rho, and Friedman's test over the systems."""
        return attribute_wise_over(self.buckets)

    @cached_property
    def self_diagnosis(self) -> dict[str, dict[str, dict[str, Any]]]:
        """``self_diagnosis[system][attribute]``: where a system is best and worst; Wilcoxon's test over datasets."""
        return self_diagnosis_over(self.buckets, self.min_count)

    @cached_property
    def comparative_diagnosis(self) -> list[dict[str, Any]]:
        """For each pair and attribute Wilcoxon's test, and where one is ahead of the other on each dataset."""
        return comparative_diagnosis_over(self.buckets, self.min_count)

    @cached_property
    def ranks(self) -> dict[str, Any]:
        """The orders of the systems, and whether they are the same on every dataset and after memory is taken out."""
        return ranks_over(self.scores)

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts, lists and numbers."""
        with said_once():
            return {
                "datasets": {name: own.to_dict() for name, own in self.datasets.items()},
                "model_wise": self.model_wise,
                "attribute_wise": self.attribute_wise,
                "self_diagnosis": self.self_diagnosis,
                "comparative_diagnosis": self.comparative_diagnosis,
                "ranks": self.ranks,
                "not_read": [failed._asdict() for failed in self.not_read],
            }

    def __repr__(self) -> str:
        return f"Study of {', '.join(self.systems)} on {', '.join(self.datasets)}"


def study(
    datasets: str | os.PathLike[str] | Mapping[str, Any],
    *,
    case: bool = True,
    typed: bool = True,
    unicode: str | None = None,
    types: Mapping[str, str] | None = None,
    min_count: int = MIN_COUNT,
    ci: int | None = 1000,
    seed: int = 13,
    **reading: Any,
) -> Study:
    """Score systems on several datasets, and tell what holds on all of them.

    Every score is that of the single call (``exact_f1``, ``partial_f1``, ``clean_f1``, ``hardeval``, ``buckets``) with
    the same ``ci`` and ``seed``. A dataset, or a system, that cannot be read is named in ``not_read``, and the others
    go on.

    Args:
        datasets: a folder with a folder for each dataset, which holds ``train``, ``test`` and a folder ``pred`` with a
            file for each system, in any format that is read; a system has the same file name on every dataset. Or
            ``{dataset: {"train": corpus, "test": corpus, "pred": {system: predictions}}}``.
        case: whether words that differ only in case are different entities.
        typed: whether mentions of different types are different entities.
        unicode: the Unicode form in which words are compared, such as ``NFKC``; None as they are.
        types: other names for types, by those that the data have (``{"person": "PER"}``).
        min_count: gold mentions that a bucket needs to be called best or worst.
        ci: resamples for 95% intervals; None for no intervals.
        seed: the seed of the resamples.
        **reading: how files are read: ``gold_column``, ``pred_column``, ``word_column``, ``labels``, ``scheme``,
            ``repair``, ``tokens``, ``tags``, ``entities``, ``text``, ``document``, ``end``, ``answers``,
            ``ignore_types``, ``join_at``.

    Returns:
        The scores, and ``model_wise``, ``attribute_wise``, ``self_diagnosis``, ``comparative_diagnosis`` and ``ranks``
        over all datasets.

    Raises:
        CleancutError: there is no dataset, or none can be read.

    >>> train = Corpus.of([["Ada"]], tags=[["B-PER"]])
    >>> test = Corpus.of([["Ada", "met", "Bo"]], tags=[["B-PER", "O", "B-PER"]])
    >>> data = {"train": train, "test": test, "pred": {"look-up": [["B-PER", "O", "O"]]}}
    >>> results = study({"news": data}, ci=None)
    >>> results.datasets["news"].scores["look-up"]["clean_f1"].clean_recall
    0.0
    >>> results.datasets["news"].contamination["rate_partial"]
    1.0
    """
    resamples, seed = parse_resampling(ci, seed)
    names = parse_types(types)
    min_count = checks.whole(min_count, "min_count", 1)
    sources, failed = _sources(datasets, {**reading, "types": names})
    keys = {"case": case, "typed": typed, "unicode": unicode}
    resampling = {"ci": resamples, "seed": seed} if resamples else {}
    scoring = _Scoring(keys, names, resampling)
    results: dict[str, Studied] = {}
    with said_once(), work_shown("study") as told:
        for name, load in sources.items():
            done = 0.0
            for share, studied, errors in _steps(name, load, scoring):
                if told is not None:
                    told((share - done) / len(sources))
                done = share
                failed += errors
                results |= {name: studied} if studied is not None else {}
    if not results:
        first = f" {failed[0].dataset}: {failed[0].reason}" if failed else ""
        raise CleancutError(f"no dataset of the study could be read.{first}")
    return Study(results, failed, min_count)


_Load = Callable[[], StudyData]


def _sources(
    datasets: str | os.PathLike[str] | Mapping[str, Any], reading: Mapping[str, Any]
) -> tuple[dict[str, _Load], list[Failed]]:
    """Return for each dataset what reads it, and the datasets that lack files."""
    if isinstance(datasets, str | os.PathLike):
        files, failed = study_files(datasets, reading)
        _check_answers(files, reading)
        return {name: own.load for name, own in files.items()}, failed
    if not isinstance(datasets, Mapping) or not datasets:
        wanted = 'a folder, or {dataset: {"train": corpus, "test": corpus, "pred": {system: predictions}}}'
        raise CleancutError(f"datasets={quoted(datasets)} is not valid. Give {wanted}.")
    given = changed_reading(reading)
    idle = [name for name in given if name != "types"]
    if idle:
        raise CleancutError(f"{idle[0]}= has no effect: nothing is read from files. Leave it out.")
    return {name: _Given(name, data).load for name, data in datasets.items()}, []


def _check_answers(files: Mapping[str, DatasetFiles], reading: Mapping[str, Any]) -> None:
    """Refuse options of answers where no system has any."""
    asked = [name for name in changed_reading(reading) if name in ("answers", "ignore_types")]
    if asked and not any(own.has_answers() for own in files.values()):
        option = asked[0].replace("_", "-")
        raise CleancutError(f"--{option} has no effect: no file holds answers of a language model. Leave it out.")


class _Given(NamedTuple):
    """A dataset whose data are in memory."""

    name: str
    data: Any

    def load(self) -> StudyData:
        """Return the data, checked."""
        wanted = '{"train": corpus, "test": corpus, "pred": {system: predictions}}'
        if not isinstance(self.data, Mapping) or set(self.data) != {"train", "test", "pred"}:
            raise CleancutError(f"{self.name} is {quoted(self.data)}. Give {wanted}.")
        train, test = (checks.instance(self.data[side], Corpus, side, "a corpus") for side in ("train", "test"))
        pred = self.data["pred"]
        if not isinstance(pred, Mapping) or not pred:
            raise CleancutError(f"pred is {quoted(pred)}. Give the predictions by the names of the systems.")
        for system in pred:
            checks.text(system, "pred: a name", "the predictions by the names of the systems")
        return StudyData(train, test, pred)


class _Scoring(NamedTuple):
    """How the systems of a study are scored."""

    key: Mapping[str, Any]
    types: Mapping[str, str]
    resampling: Mapping[str, int]

    def system(self, gold: Corpus, pred: Any, exposure: Exposure) -> tuple[dict[str, Score], Buckets]:
        """Return all scores of a system that are defined, and its buckets."""
        options: dict[str, Any] = {"types": self.types, **self.resampling}
        both = pair(gold, pred)
        flat = not (overlaps(both.gold) or overlaps(both.pred))
        metrics = [score_metrics()[name] for name in available_metrics(train=True, flat=flat)]
        scores = {metric.name: metric(gold, pred, exposure, **options) for metric in metrics}
        for score in scores.values():
            len(score)  # its values are computed when they are asked for: now, while progress is shown
        return scores, buckets(gold, pred, exposure, attributes=PAPER, **options)

    def contamination(self, data: StudyData) -> dict[str, Any]:
        """Return what of the test split is in training, and what a look-up scores on it."""
        shared = audit({"train": data.train, "test": data.test}, top=0, types=self.types, **self.key)
        return {**shared.pairs["test", "train"], "memorisation_f1": shared.memorisation["test"]["f1"]}


def _steps(name: str, load: _Load, scoring: _Scoring) -> Iterator[tuple[float, Studied | None, list[Failed]]]:
    """Read and score one dataset, a system at a time.

    Yields:
        What share of the work is done, at the end the result, and what could not be read.
    """
    try:
        data = load()
        exposure = Exposure.of(data.train, **scoring.key)
        contamination = scoring.contamination(data)
    except (CleancutError, UnicodeError, OSError) as error:
        yield 1.0, None, [Failed(name, None, reason_of(error))]
        return
    _LOG.info("%s: %d systems", name, len(data.pred))
    scores: dict[str, dict[str, Score]] = {}
    of_buckets: dict[str, Buckets] = {}
    failed = list(data.failed)
    for i, (system, pred) in enumerate(data.pred.items()):
        yield (i + 1) / (len(data.pred) + 1), None, []
        try:
            scores[system], of_buckets[system] = scoring.system(data.test, pred, exposure)
        except CleancutError as error:
            failed.append(Failed(name, system, str(error)))
    if not scores:
        yield 1.0, None, [*failed, Failed(name, None, "None of its systems could be read.")]
        return
    yield 1.0, Studied(contamination, scores, of_buckets, _notes(scores)), failed


def _notes(scores: Mapping[str, Mapping[str, Score]]) -> list[str]:
    """Return what is to be known of the scores of one dataset: of all systems, then of each."""
    metrics = available_metrics(train=True)
    of_all: dict[str, None] = {}
    for metric in metrics:
        told = [own[metric].notices for own in scores.values() if metric in own]
        if len(told) > 1:
            of_all |= dict.fromkeys(notice for notice in told[0] if all(notice in others for others in told))
    notes = list(of_all)
    for system, own in scores.items():
        lacking = [metric for metric in metrics if metric not in own]
        notes += [f"{system}: {metric} is undefined, since mentions overlap." for metric in lacking]
        of_one = dict.fromkeys(notice for score in own.values() for notice in score.notices)
        notes += [f"{system}: {notice}" for notice in of_one if notice not in of_all]
    return notes
