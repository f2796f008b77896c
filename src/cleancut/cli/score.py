"""cleancut score."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from ..core.at_signs import join_at
from ..core.corpus import Corpus, overlaps
from ..core.exceptions import CleancutError, did_you_mean
from ..reading.files import columns_for, read_batches
from ..reading.progress import with_progress
from ..reading.systems import system_batches
from ..scoring.compare import over_runs
from ..scoring.exposure import Exposure
from ..scoring.registry import available_metrics, score_metrics
from ..scoring.score import Score
from ..showing.escaping import one_line
from ..showing.report_data import left_out
from ..showing.text import runs_text, scores_text
from .options import (
    add_beta_option,
    add_system_options,
    answer_options,
    column_options,
    command,
    exposure_of,
    json_answer,
    key,
    say_found,
    system_files,
    tag_options,
    type_options,
)
from .terminal import tell, wants_colour

_OF_SOME = ("credit", "muc", "iou", "beta")
"""Options that go to the metrics whose function takes them."""


def add(commands: Any) -> None:
    parser = command(
        commands,
        "score",
        _score,
        "score predictions against gold annotation",
        "cleancut score --gold test.conll --pred system.conll --by-type",
    )
    add_system_options(parser)
    add_metrics(parser)
    parser.add_argument("--by-type", action="store_true", help="show each entity type too")
    parser.add_argument(
        "--runs", action="store_true",
        help="the predictions are runs of one system: mean and standard deviation; --pred may be a quoted pattern",
    )  # fmt: skip
    parser.add_argument("--ci", type=int, metavar="N", help="95%% intervals from N resamples, such as 10000")
    parser.add_argument("--seed", type=int, default=13, metavar="N", help="of the resamples; default 13")
    parser.add_argument("--credit", type=float, default=0.5, metavar="C", help="worth of a partial match; default 0.5")
    add_beta_option(parser)
    parser.add_argument("--muc", action="store_true", help="partial: the four scores of SemEval-2013 too, with counts")
    parser.add_argument("--iou", action="store_true", help="partial: credit by intersection over union too")
    parser.add_argument(
        "--confusable", action="store_true",
        help="clean: recall on names that have several types in the gold file too, which is read twice then",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def add_metrics(parser: Any) -> None:
    """Which scores; see ``chosen_metrics``."""
    default = ",".join(score_metrics()[name].short for name in available_metrics(train=False))
    parser.add_argument(
        "--metrics", metavar="M", help=f"{', '.join(_by_short_name())}; default {default} and, with --train, all"
    )


def _by_short_name() -> dict[str, str]:
    """The names of metrics by what they are called on the command line."""
    return {metric.short: name for name, metric in score_metrics().items()}


def _score(arguments: argparse.Namespace) -> str:
    named = chosen_metrics(arguments)
    metrics = named or available_metrics(train=bool(arguments.train))
    for name in ("muc", "iou", "confusable"):
        taking = [metric for metric in score_metrics().values() if name in metric.keywords]
        if getattr(arguments, name) and not any(metric.name in metrics for metric in taking):
            lacks_train = taking[0].needs_train and not arguments.train
            remedy = "Give --train FILE." if lacks_train else "Add it to --metrics."
            raise CleancutError(f"--{name} belongs to the {taking[0].short} score. {remedy}")
    if arguments.runs:
        if arguments.ci is not None:
            raise CleancutError("--runs tells the spread over runs and --ci that over samples. Give one of them.")
        if not arguments.pred:
            raise CleancutError("--runs needs the predictions of each run. Give --pred 'runs/*.conll'.")
    files, columns = system_files(arguments)
    tags, of_columns = tag_options(arguments), column_options(arguments)
    exposure = exposure_of(arguments, metrics)
    confidence = {"ci": arguments.ci, "seed": arguments.seed} if arguments.ci is not None else {}
    options: dict[str, dict[str, Any]] = {metric: {**confidence, **type_options(arguments)} for metric in metrics}
    for metric, own in options.items():
        own |= {name: getattr(arguments, name) for name in _OF_SOME if name in score_metrics()[metric].keywords}
    if arguments.confusable:  # by the whole file, since batches are scored one by one
        own = columns_for(arguments.gold, of_columns)
        whole = read_batches(arguments.gold, column=columns["gold_column"], **tags, **own)
        batches = (join_at(batch) if arguments.join_at else batch for batch in whole)
        judge = Exposure.of(batches, **key(arguments))
        for metric, own in options.items():
            own |= {"confusable": judge} if "confusable" in score_metrics()[metric].keywords else {}
    scorer = _Scorer(options, exposure, arguments.join_at, strict=named is not None)
    reading = {**columns, **tags, **of_columns, **answer_options(arguments)}
    results = {name: scorer.score(arguments.gold, file, reading) for name, file in files.items()}
    for note in left_out(results, metrics):
        tell(note)
    if arguments.runs:
        return _runs(results, arguments)
    if arguments.json:
        plain = {name: {metric: score.to_dict() for metric, score in found.items()} for name, found in results.items()}
        return json_answer(plain if len(files) > 1 else next(iter(plain.values())))
    return scores_text(results, by_type=arguments.by_type, colour=wants_colour())


def _runs(results: Mapping[str, Mapping[str, Score]], arguments: argparse.Namespace) -> str:
    first = next(iter(results.values()))
    shared = [metric for metric in first if all(metric in found for found in results.values())]
    over = {metric: over_runs([found[metric] for found in results.values()]) for metric in shared}
    if arguments.json:
        return json_answer({"runs": len(results), **over})
    return runs_text(results, over, by_type=arguments.by_type, colour=wants_colour())


class _Scorer:
    """Scores systems batch by batch, so that files of any size take the same memory."""

    def __init__(
        self, options: Mapping[str, Mapping[str, Any]], exposure: Exposure | None, joined: bool, *, strict: bool
    ) -> None:  # fmt: skip
        self._options, self._exposure, self._joined, self._strict = options, exposure, joined, strict

    def score(self, gold: str, pred: str, reading: dict[str, Any]) -> dict[str, Score]:
        """All metrics of one system."""
        sums: dict[str, Score] = {}
        undefined = set()
        for ours, theirs in with_progress(system_batches(gold, pred, reading, say_found), one_line(pred)):
            if self._joined:
                ours, theirs = join_at(ours), join_at(theirs)
            for metric in self._options:
                if metric in undefined:
                    continue
                may_leave_out = score_metrics()[metric].flat_only and not self._strict  # it is only a default
                if may_leave_out and (overlaps(ours.mentions) or overlaps(theirs.mentions)):
                    undefined.add(metric)
                    sums.pop(metric, None)
                    continue
                score = self._one(metric, ours, theirs)
                sums[metric] = sums[metric] + score if metric in sums else score
        return sums

    def _one(self, metric: str, gold: Corpus, pred: Corpus) -> Score:
        return score_metrics()[metric](gold, pred, self._exposure, **self._options[metric])


def chosen_metrics(arguments: argparse.Namespace) -> list[str] | None:
    """The metrics that are named; None for all that there are data for."""
    if arguments.metrics is None:
        return None
    names = [name.strip() for name in arguments.metrics.split(",") if name.strip()]
    known = _by_short_name()
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise CleancutError(f"--metrics: {name!r} is unknown.{hint} The metrics are {', '.join(known)}.")
    if not names:
        raise CleancutError(f"--metrics: none given. The metrics are {', '.join(known)}.")
    chosen = [known[name] for name in dict.fromkeys(names)]
    exposed = [metric for metric in score_metrics().values() if metric.needs_train]
    if arguments.train is None and any(metric.name in chosen for metric in exposed):
        who = " and ".join(metric.short for metric in exposed)
        raise CleancutError(f"--metrics: {who} need to know what training has shown. Give --train FILE.")
    return chosen
