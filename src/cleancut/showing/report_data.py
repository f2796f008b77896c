"""All that a report shows of systems on one test set, computed once: scores, buckets, errors with the words around."""

from __future__ import annotations

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
from ..scoring.compare import compare
from ..scoring.errors import Errors, errors
from ..scoring.exposure import Exposure
from ..scoring.exposure_view import NOVELTY
from ..scoring.registry import available_metrics, score_metrics, taken
from ..scoring.resampling import parse_resampling
from ..scoring.score import Score
from .short_names import renamed, short_names, with_short_names

KINDS = ("missed", "spurious", "boundary", "type")
"""The kinds of errors."""

Span = tuple[int, int, str]

_AROUND = 40
"""Tokens that are kept on either side of an error."""


class Context(NamedTuple):
    """The words around an error; ``begins`` and ``ends`` say whether they are the first and last of the sample."""

    words: list[str]
    where: str
    begins: bool
    ends: bool


class Listed(NamedTuple):
    """One error: spans are ``(start, end, type)`` within the words of its context."""

    system: int
    kind: str
    context: int
    gold: Span | None
    pred: Span | None
    seen: bool | None
    """Is the gold mention, or the spurious prediction, in training? None without training data."""
    novelty: str | None


@dataclass(frozen=True)
class Findings:
    """The results of one or more systems on one test set."""

    scores: Mapping[str, Mapping[str, Score]]
    """``scores[system][metric]``."""
    buckets: Mapping[str, Buckets]
    errors: Mapping[str, Errors]
    contexts: list[Context]
    listed: list[Listed]
    """Errors of all systems, in order of system and place; of too many, some from all over the text."""
    sizes: Mapping[str, int]
    """Samples, tokens, mentions and types of the test set; mentions and entities of training where known."""
    comparison: Mapping[str, Any] | None = None
    """Of two systems or more, as plain values, where there are resamples to test by."""
    notes: list[str] = field(default_factory=list)
    answers: Mapping[str, AnswerReport] = field(default_factory=dict)
    """How answers of language models were read and placed, of the systems whose predictions are such."""
    samples: Sequence[str] = ()
    """The name of each sample, where there are answers to be listed."""

    @property
    def has_train(self) -> bool:
        return "n_train_mentions" in self.sizes

    def with_short_names(self) -> Findings:
        """Return the same, with what all names of systems have in common left out of them."""
        short = short_names(list(self.scores))
        return replace(
            self,
            scores=renamed(self.scores),
            buckets=renamed(self.buckets),
            errors=renamed(self.errors),
            comparison=None if self.comparison is None else with_short_names(self.comparison),
            answers={short[name]: own for name, own in self.answers.items()},
        )

    def n_errors(self, system: str) -> int:
        """How many errors a system made, listed or not."""
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
) -> Findings:
    """Scores with intervals, buckets and errors of each system. Without ``train``, what needs none."""
    names = parse_types(types)
    if not isinstance(gold, Corpus):
        raise CleancutError(f"a report needs the words of the samples: give gold as a Corpus, not {_kind(gold)}.")
    if not isinstance(preds, Mapping) or not preds:
        raise CleancutError(f'give the predictions by the name of their system: {{"A": pred}}, not {_kind(preds)}.')
    if train is not None and not isinstance(train, Corpus | Exposure):
        raise CleancutError(f"give the training data as a Corpus or an Exposure, not {_kind(train)}.")
    max_errors = checks.whole(max_errors, "max_errors")
    ci, seed = parse_resampling(ci, seed)
    exposure = Exposure.of(train) if isinstance(train, Corpus) else train
    given: dict[str, Any] = {"types": names, "beta": checks.beta(beta)} | ({"ci": ci, "seed": seed} if ci else {})
    scored = {name: pair(gold, pred) for name, pred in preds.items()}
    systems = {name: replace(gold, mentions=both.pred, relations=None) for name, both in scored.items()}
    metrics = available_metrics(train=exposure is not None)
    nested = [name for name, pred in systems.items() if overlaps(gold.mentions) or overlaps(pred.mentions)]
    flat_only = [metric for metric in metrics if score_metrics()[metric].flat_only]
    attributes = [name for name in attribute_names(train=exposure is not None) if name in PAPER]
    found = {name: errors(gold, pred, types=names) for name, pred in systems.items()}
    wrong = {name: [row for row in own.matches if row["kind"] in KINDS] for name, own in found.items()}
    room = _shares({name: len(rows) for name, rows in wrong.items()}, max_errors)
    listing = _Listing(gold.renamed(names), exposure and exposure.renamed(names))
    for i, (name, pred) in enumerate(systems.items()):
        listing.add(i, pred.renamed(names), wrong[name], room[name])
    sizes = {"n_samples": len(gold), "n_tokens": gold.n_tokens, "n_mentions": len(gold.mentions)}
    sizes["n_types"] = len(gold.mentions.renamed(names).labels)
    if exposure is not None:
        sizes |= {"n_train_mentions": exposure.n_mentions, "n_train_entities": exposure.n_entities}
    comparison = compare(gold, systems, exposure, **given) if ci and len(systems) > 1 else None
    scores = comparison.scores if comparison else {
        name: {
            metric: score_metrics()[metric](gold, pred, exposure, **taken(metric, given))
            for metric in metrics
            if not (metric in flat_only and name in nested)
        }
        for name, pred in systems.items()
    }  # fmt: skip
    answers = {name: own.mentions.answers for name, own in systems.items() if own.mentions.answers is not None}
    return Findings(
        scores=scores,
        buckets={
            name: buckets(gold, pred, exposure, attributes=attributes, **given) for name, pred in systems.items()
        },
        errors=found,
        contexts=listing.contexts,
        listed=listing.rows,
        sizes=sizes,
        comparison=comparison.to_dict() if comparison else None,
        notes=[*_projection_notes(scored), *left_out(scores, flat_only)],
        answers=answers,
        samples=sample_names(gold) if answers else (),
    )  # fmt: skip


def _projection_notes(scored: Mapping[str, Pair]) -> list[str]:
    """Say what became of predictions on other tokens than gold, which are logged as notices too."""
    notes = []
    for name, both in scored.items():
        if both.projection is not None:
            notes += [f"{name}: {notice}" for notice in both.projection.notices(len(both.pred))]
    for note in notes:
        say(note)
    return notes


def sample_names(corpus: Corpus) -> list[str]:
    """Return the id of each sample, or its number where it has none."""
    ids = corpus.ids or (None,) * len(corpus)
    return [f"sample {i}" if name is None else name for i, name in enumerate(ids)]


def left_out(scores: Mapping[str, Collection[str]], metrics: Iterable[str]) -> list[str]:
    """Say of each metric that was not asked for by name which systems lack it, and why.

    Args:
        scores: the metrics that each system was scored by.
        metrics: those that it could have been scored by.
    """
    said = []
    for metric in metrics:
        lacking = [name for name, own in scores.items() if metric not in own]
        if len(lacking) == len(scores):
            said.append(f"{metric} is left out, since mentions overlap.")
        elif lacking:
            said.append(f"{metric} is left out of {', '.join(lacking)}, since mentions overlap there.")
    return said


def _kind(value: Any) -> str:
    return "None" if value is None else f"{type(value).__name__} {quoted(value)}"


def _shares(counts: Mapping[str, int], most: int) -> dict[str, int]:
    """How many errors of each system are listed: equally many, and what one does not need is for the others."""
    found = {}
    for waiting, name in zip(range(len(counts), 0, -1), sorted(counts, key=lambda name: counts[name]), strict=True):
        found[name] = min(counts[name], most // waiting)
        most -= found[name]
    return found


class _Listing:
    """Errors and their contexts, each context once."""

    def __init__(self, gold: Corpus, exposure: Exposure | None) -> None:
        self._gold, self._exposure = gold, exposure
        self._of_gold, self._tokens = self._shown(gold), gold.tokens()
        self._number: dict[tuple[int, int, int], int] = {}
        self.contexts: list[Context] = []
        self.rows: list[Listed] = []

    def add(self, system: int, pred: Corpus, wrong: Sequence[Mapping[str, Any]], most: int) -> None:
        """List errors, or so many of them from the first to the last."""
        of_pred = self._shown(pred)
        for at in np.linspace(0, len(wrong) - 1, min(most, len(wrong))).astype(int).tolist():
            row = wrong[at]
            gold, predicted = (_span(row, side) for side in ("gold", "pred"))
            spans = [span for span in (gold, predicted) if span]
            begin, number = self._context(row["sample"], min(s[0] for s in spans), max(s[1] for s in spans))
            seen, novelty = (self._of_gold if gold else of_pred).get((row["sample"], *spans[0]), (None, None))
            places = _moved(gold, begin), _moved(predicted, begin)
            self.rows.append(Listed(system, row["kind"], number, *places, seen, novelty))

    def _context(self, sample: int, start: int, end: int) -> tuple[int, int]:
        """Where the words that are kept begin, and the number of the context."""
        words = self._tokens[sample]
        begin, stop = max(start - _AROUND, 0), min(end + _AROUND, len(words))
        if len(words) <= 2 * _AROUND:
            begin, stop = 0, len(words)
        key = sample, begin, stop
        if key not in self._number:
            name = self._gold.ids[sample] if self._gold.ids else None
            where = name if name is not None else f"sample {sample}"
            self._number[key] = len(self.contexts)
            self.contexts.append(Context(words[begin:stop], where, begin == 0, stop == len(words)))
        return begin, self._number[key]

    def _shown(self, corpus: Corpus) -> dict[tuple[int, int, int, str], tuple[bool, str]]:
        """Whether each mention is in training, and its class of novelty."""
        if self._exposure is None:
            return {}
        view, mentions = self._exposure.view(corpus), corpus.mentions
        labels = [mentions.labels[i] for i in mentions.label.tolist()]
        places = zip(mentions.sample.tolist(), mentions.start.tolist(), mentions.end.tolist(), labels, strict=True)
        novelty = [NOVELTY[i] for i in view.novelty.tolist()]
        return dict(zip(places, zip(view.seen.tolist(), novelty, strict=True), strict=True))


def _span(row: Mapping[str, Any], side: str) -> Span | None:
    return None if row[f"{side}_start"] is None else (row[f"{side}_start"], row[f"{side}_end"], row[f"{side}_label"])


def _moved(span: Span | None, begin: int) -> Span | None:
    return span and (span[0] - begin, span[1] - begin, span[2])
