"""Compute once what a report shows of systems on one test set: scores, buckets, and errors with the words around."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..core import checks
from ..core.answer_report import AnswerReport
from ..core.corpus import Corpus, overlaps
from ..core.exceptions import CleancutError, quoted
from ..core.notices import say
from ..core.pairing import Pair, pair
from ..core.type_names import parse_types
from ..scoring.buckets import PAPER, Buckets, attribute_names, buckets
from ..scoring.compare import compare, least_resamples
from ..scoring.errors import Errors, errors
from ..scoring.exposure import Exposure
from ..scoring.exposure_view import NOVELTY
from ..scoring.metric import f_beta
from ..scoring.registry import available_metrics, score_metrics, taken
from ..scoring.resampling import parse_resampling
from ..scoring.score import Score
from ..splitting.related import related_to_training
from .short_names import renamed, short_names, with_short_names

KINDS = ("missed", "spurious", "boundary", "type")
"""The kinds of errors."""

Span = tuple[int, int, str]
"""The first token of a mention, the token after its last, and its type."""

_AROUND = 40
"""Tokens that are kept on either side of an error."""


class Context(NamedTuple):
    """The words around an error."""

    words: list[str]
    """The words."""
    where: str
    """The id of the sample, or its number if it has no id."""
    begins: bool
    """Whether the sample begins with the first of the words."""
    ends: bool
    """Whether the sample ends with the last of the words."""


class Listed(NamedTuple):
    """One error. Its spans count from the first word of its context."""

    system: int
    """The number of the system, from 0."""
    kind: str
    """The kind of the error, one of ``KINDS``."""
    context: int
    """The number of its context among ``Findings.contexts``."""
    gold: Span | None
    """The gold mention; None if the prediction is spurious."""
    pred: Span | None
    """The predicted mention; None if the gold mention was missed."""
    seen: bool | None
    """Whether the gold mention, or the spurious prediction, is in training; None without training data."""
    novelty: str | None
    """The class of novelty of the same mention; None without training data."""


@dataclass(frozen=True)
class Findings:
    """The results of one or more systems on one test set."""

    scores: Mapping[str, Mapping[str, Score]]
    """The scores of each system: ``scores[system][metric]``. The highest F1 is first, here and below."""
    buckets: Mapping[str, Buckets]
    """The scores of each system by attributes of the mentions."""
    errors: Mapping[str, Errors]
    """What became of each gold and predicted mention of each system."""
    contexts: list[Context]
    """The words around the errors that are listed."""
    listed: list[Listed]
    """The errors of all systems, by system and place; of more than ``max_errors``, a sample from all over the text."""
    sizes: Mapping[str, int]
    """The numbers of samples, tokens, mentions and types of the test set, and of mentions and entities of training."""
    comparison: Mapping[str, Any] | None = None
    """The comparison of the systems as plain values; None for one system, or without resamples to test by."""
    notes: list[str] = field(default_factory=list)
    """What became of predictions on other tokens than gold, and which metrics are left out."""
    answers: Mapping[str, AnswerReport] = field(default_factory=dict)
    """How answers of language models were read and placed, for the systems whose predictions are answers."""
    samples: Sequence[str] = ()
    """The name of each sample, if any system has answers."""
    related: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    """What the test set has in common with training under looser notions of the same name, as ``Audit.related`` has it;
    empty without training data."""

    @property
    def has_train(self) -> bool:
        """Whether training data were given."""
        return "n_train_mentions" in self.sizes

    def with_short_names(self) -> Findings:
        """Return the same findings with short names of systems, without the words that all names share."""
        short = short_names(list(self.scores))
        comparison = None if self.comparison is None else with_short_names(self.comparison)
        return replace(
            self,
            scores=renamed(self.scores),
            buckets=renamed(self.buckets),
            errors=renamed(self.errors),
            comparison=comparison,
            answers={short[name]: report for name, report in self.answers.items()},
        )

    def n_errors(self, system: str) -> int:
        """Return how many errors a system made, listed or not.

        Args:
            system: the name of the system.
        """
        return sum(row["kind"] in KINDS for row in self.errors[system].matches)


def findings(
    gold: Corpus,
    preds: Mapping[str, Any],
    train: Corpus | Exposure | None = None,
    *,
    ci: int | None = 1000,
    seed: int = 13,
    max_errors: int = 10_000,
    types: Mapping[str, str] | None = None,
    beta: float = 1.0,
    staircase: bool = False,
) -> Findings:
    """Compute scores with intervals, buckets and errors of each system.

    Args:
        gold: the test samples with their gold mentions and their words.
        preds: the predictions of each system, by its name.
        train: the training data, or an ``Exposure`` of it. Without it, what needs it is left out.
        ci: the number of resamples of intervals and of tests between systems; None for neither.
        seed: the seed of the resamples.
        max_errors: the most errors that are listed.
        types: new names of types by old ones, for all sides.
        beta: the weight of recall in F-beta.
        staircase: also give recall by how far a mention is from what training has shown.

    Raises:
        CleancutError: an argument is not valid, or a system does not fit gold.
    """
    _check_kinds(gold, preds, train)
    names = parse_types(types)
    max_errors = checks.whole(max_errors, "max_errors")
    ci, seed = parse_resampling(ci, seed)
    settings: dict[str, Any] = {"types": names, "beta": checks.beta(beta)}
    if ci:
        settings |= {"ci": ci, "seed": seed}
    steps = {"staircase": True} if staircase else {}
    exposure = Exposure.of(train) if isinstance(train, Corpus) else train
    pairs = {name: pair(gold, pred) for name, pred in preds.items()}
    systems = {name: replace(gold, mentions=one.pred, relations=None, entity_ids=None) for name, one in pairs.items()}
    comparison = None
    if ci and len(systems) > 1:
        n_pairs = len(systems) * (len(systems) - 1) // 2
        n_resamples = max(ci, 2 * least_resamples(n_pairs))  # so that tests of many pairs can tell anything
        tested = compare(gold, systems, exposure, **{**settings, "ci": n_resamples})
        comparison = tested.to_dict(intervals=False)
        is_whole = n_resamples == ci and not staircase
        scores = tested.scores if is_whole else _scores(gold, systems, exposure, {**settings, **steps})
    else:
        scores = _scores(gold, systems, exposure, {**settings, **steps})
    systems = {name: systems[name] for name in _from_the_best(scores)}
    errors_of = {name: errors(gold, pred, types=names) for name, pred in systems.items()}
    listing = _listed_errors(gold, systems, errors_of, exposure, names, max_errors)
    attributes = [name for name in attribute_names(train=exposure is not None) if name in PAPER]
    answers = {name: own.mentions.answers for name, own in systems.items() if own.mentions.answers is not None}
    samples = sample_names(gold) if answers else ()
    related = {} if exposure is None else related_to_training(gold.renamed(names), exposure.renamed(names))
    return Findings(
        scores={name: scores[name] for name in systems},
        buckets={
            name: buckets(gold, pred, exposure, attributes=attributes, **settings) for name, pred in systems.items()
        },
        errors=errors_of,
        contexts=listing.contexts,
        listed=listing.rows,
        sizes=_sizes(gold, exposure, names),
        comparison=comparison,
        notes=[*_projection_notes(pairs), *left_out(scores, _flat_metrics(train=exposure is not None))],
        answers=answers,
        samples=samples,
        related=related,
    )


def _from_the_best(scores: Mapping[str, Mapping[str, Score]]) -> list[str]:
    """Return the names of the systems by their F1, the highest first; those of equal F1 stay in their order."""

    def worth(name: str) -> float:
        """Return the F1 of a system, or -1 if it has none."""
        score = scores[name]["exact_f1"]
        f1 = score[f_beta("f1", score.record.beta)]
        return -1.0 if math.isnan(f1) else f1

    return sorted(scores, key=worth, reverse=True)


def _check_kinds(gold: Any, preds: Any, train: Any) -> None:
    """Check that gold, the predictions and the training data are of the kinds that a report needs."""
    if not isinstance(gold, Corpus):
        raise CleancutError(f"a report needs the words of the samples: give gold as a Corpus, not {_kind(gold)}.")
    if not isinstance(preds, Mapping) or not preds:
        raise CleancutError(f'give the predictions by the name of their system: {{"A": pred}}, not {_kind(preds)}.')
    for name in preds:
        checks.text(name, "preds: a name", "the predictions by the names of the systems")
    if train is not None and not isinstance(train, Corpus | Exposure):
        raise CleancutError(f"give the training data as a Corpus or an Exposure, not {_kind(train)}.")


def _flat_metrics(*, train: bool) -> list[str]:
    """Return the metrics that are undefined if mentions overlap, of those that can be computed."""
    return [metric for metric in available_metrics(train=train) if score_metrics()[metric].flat_only]


def _scores(
    gold: Corpus, systems: Mapping[str, Corpus], exposure: Exposure | None, settings: Mapping[str, Any]
) -> dict[str, dict[str, Score]]:
    """Return the scores of each system by every metric that is defined for it."""
    metrics = available_metrics(train=exposure is not None)
    flat_only = _flat_metrics(train=exposure is not None)
    scores = {}
    for name, pred in systems.items():
        nested = overlaps(gold.mentions) or overlaps(pred.mentions)
        undefined = flat_only if nested else []
        defined = [metric for metric in metrics if metric not in undefined]
        scores[name] = {
            metric: score_metrics()[metric](gold, pred, exposure, **taken(metric, settings)) for metric in defined
        }
    return scores


def _sizes(gold: Corpus, exposure: Exposure | None, names: Mapping[str, str]) -> dict[str, int]:
    """Return how large the test set and the training data are; ``names`` are new names of types."""
    sizes = {
        "n_samples": len(gold),
        "n_tokens": gold.n_tokens,
        "n_mentions": len(gold.mentions),
        "n_types": len(gold.mentions.renamed(names).labels),
    }
    if exposure is not None:
        sizes |= {"n_train_mentions": exposure.n_mentions, "n_train_entities": exposure.n_entities}
    return sizes


def _listed_errors(
    gold: Corpus,
    systems: Mapping[str, Corpus],
    errors_of: Mapping[str, Errors],
    exposure: Exposure | None,
    names: Mapping[str, str],
    max_errors: int,
) -> _Listing:
    """Return the errors of all systems that are listed, ``max_errors`` at most; ``names`` are new names of types."""
    wrong = {name: [row for row in own.matches if row["kind"] in KINDS] for name, own in errors_of.items()}
    n_listed = _shares({name: len(rows) for name, rows in wrong.items()}, max_errors)
    listing = _Listing(gold.renamed(names), exposure and exposure.renamed(names))
    for i, (name, pred) in enumerate(systems.items()):
        listing.add(i, pred.renamed(names), wrong[name], n_listed[name])
    return listing


def _projection_notes(pairs: Mapping[str, Pair]) -> list[str]:
    """Return and log what became of predictions on other tokens than gold."""
    notes = []
    for name, one in pairs.items():
        if one.projection is not None:
            notes += [f"{name}: {notice}" for notice in one.projection.notices(len(one.pred))]
    for note in notes:
        say(note)
    return notes


def sample_names(corpus: Corpus) -> list[str]:
    """Return the id of each sample, or its number if it has none.

    Args:
        corpus: the samples.
    """
    ids = corpus.ids or (None,) * len(corpus)
    return [f"sample {i}" if name is None else name for i, name in enumerate(ids)]


def left_out(scores: Mapping[str, Collection[str]], metrics: Iterable[str]) -> list[str]:
    """Return a sentence for each metric that some systems were not scored by, since their mentions overlap.

    Args:
        scores: the metrics that each system was scored by.
        metrics: the metrics that are undefined if mentions overlap.
    """
    sentences = []
    for metric in metrics:
        lacking = [name for name, own in scores.items() if metric not in own]
        if len(lacking) == len(scores):
            sentences.append(f"{metric} is left out, since mentions overlap.")
        elif lacking:
            sentences.append(f"{metric} is left out of {', '.join(lacking)}, since mentions overlap there.")
    return sentences


def _kind(value: Any) -> str:
    """Return the class of a value and the value itself, for a message."""
    return "None" if value is None else f"{type(value).__name__} {quoted(value)}"


def _shares(n_errors: Mapping[str, int], most: int) -> dict[str, int]:
    """Return how many errors of each system are listed: equally many, and what one does not need is for the others."""
    shares = {}
    left = most
    fewest_first = sorted(n_errors, key=lambda name: n_errors[name])
    for n_done, name in enumerate(fewest_first):
        n_waiting = len(fewest_first) - n_done
        shares[name] = min(n_errors[name], left // n_waiting)
        left -= shares[name]
    return shares


class _Listing:
    """Errors and their contexts, each context once."""

    def __init__(self, gold: Corpus, exposure: Exposure | None) -> None:
        self._gold = gold
        self._exposure = exposure
        self._gold_novelty = self._novelty(gold)
        self._tokens = gold.tokens()
        self._number: dict[tuple[int, int, int], int] = {}
        self.contexts: list[Context] = []
        self.rows: list[Listed] = []

    def add(self, system: int, pred: Corpus, wrong: Sequence[Mapping[str, Any]], most: int) -> None:
        """List the errors of a system.

        Args:
            system: the number of the system.
            pred: its predictions.
            wrong: its errors, as ``Errors.matches`` has them.
            most: how many errors are listed; of more, some at equal steps from the first to the last.
        """
        pred_novelty = self._novelty(pred)
        chosen = np.linspace(0, len(wrong) - 1, min(most, len(wrong))).astype(int)
        for i in chosen.tolist():
            row = wrong[i]
            gold = _span(row, "gold")
            predicted = _span(row, "pred")
            spans = [span for span in (gold, predicted) if span]
            start = min(span[0] for span in spans)
            end = max(span[1] for span in spans)
            begin, number = self._context(row["sample"], start, end)
            novelty_of = self._gold_novelty if gold else pred_novelty
            seen, novelty = novelty_of.get((row["sample"], *spans[0]), (None, None))
            places = _moved(gold, begin), _moved(predicted, begin)
            self.rows.append(Listed(system, row["kind"], number, *places, seen, novelty))

    def _context(self, sample: int, start: int, end: int) -> tuple[int, int]:
        """Return where the words around a span begin in the sample, and the number of this context."""
        words = self._tokens[sample]
        begin, stop = max(start - _AROUND, 0), min(end + _AROUND, len(words))
        if len(words) <= 2 * _AROUND:
            begin, stop = 0, len(words)
        place = sample, begin, stop
        if place not in self._number:
            name = self._gold.ids[sample] if self._gold.ids else None
            where = name if name is not None else f"sample {sample}"
            self._number[place] = len(self.contexts)
            self.contexts.append(Context(words[begin:stop], where, begin == 0, stop == len(words)))
        return begin, self._number[place]

    def _novelty(self, corpus: Corpus) -> dict[tuple[int, int, int, str], tuple[bool, str]]:
        """Return whether each mention is in training, and its class of novelty; nothing without training data."""
        if self._exposure is None:
            return {}
        view = self._exposure.view(corpus)
        mentions = corpus.mentions
        labels = [mentions.labels[i] for i in mentions.label.tolist()]
        places = zip(mentions.sample.tolist(), mentions.start.tolist(), mentions.end.tolist(), labels, strict=True)
        novelty = [NOVELTY[i] for i in view.novelty.tolist()]
        return dict(zip(places, zip(view.seen.tolist(), novelty, strict=True), strict=True))


def _span(row: Mapping[str, Any], side: str) -> Span | None:
    """Return the gold or the predicted mention of an error; None if it has none."""
    if row[f"{side}_start"] is None:
        return None
    return row[f"{side}_start"], row[f"{side}_end"], row[f"{side}_label"]


def _moved(span: Span | None, begin: int) -> Span | None:
    """Return a span of a sample as a span of the words from ``begin`` on."""
    return span and (span[0] - begin, span[1] - begin, span[2])
