"""cleancut score."""

from __future__ import annotations

import argparse
import glob
import os
import sys
from collections.abc import Mapping
from typing import Any

from ..core.at_signs import join_at
from ..core.corpus import Corpus, overlaps
from ..core.exceptions import CleancutError, did_you_mean
from ..reading.formats import paired_batches, read_batches
from ..scoring.compare import over_runs
from ..scoring.exposure import Exposure
from ..scoring.metric import METRICS
from ..scoring.score import NEED_TRAIN, Score
from ..showing.text import runs_text, scores_text, to_json
from .options import add_system_options, command, exposure_of, key, system_files, tag_options
from .terminal import wants_colour, with_progress

SHORT_NAMES = {"exact": "exact_f1", "partial": "partial_f1", "clean": "clean_f1", "hardeval": "hardeval"}
"""What metrics are called on the command line, and in results."""


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
    parser.add_argument("--muc", action="store_true", help="partial: the four scores of SemEval-2013 too, with counts")
    parser.add_argument("--iou", action="store_true", help="partial: credit by intersection over union too")
    parser.add_argument(
        "--confusable", action="store_true",
        help="clean: recall on names that have several types in the gold file too, which is read twice then",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def add_metrics(parser: Any) -> None:
    """Which scores; see ``chosen_metrics``."""
    parser.add_argument(
        "--metrics", metavar="M", help=f"{', '.join(SHORT_NAMES)}; default exact,partial and, with --train, all"
    )


def _score(arguments: argparse.Namespace) -> str:
    named = chosen_metrics(arguments)
    metrics = named or [m for m in SHORT_NAMES.values() if arguments.train or m not in NEED_TRAIN]
    for name, metric in (("muc", "partial"), ("iou", "partial"), ("confusable", "clean")):
        if getattr(arguments, name) and SHORT_NAMES[metric] not in metrics:
            remedy = "Give --train FILE." if metric == "clean" and not arguments.train else "Add it to --metrics."
            raise CleancutError(f"--{name} belongs to the {metric} score. {remedy}")
    if arguments.runs:
        if arguments.ci is not None:
            raise CleancutError("--runs tells the spread over runs and --ci that over samples. Give one of them.")
        arguments.pred = _expanded(arguments.pred or [])
    files, columns = system_files(arguments)
    tags, exposure = tag_options(arguments), exposure_of(arguments)
    confidence = {"ci": arguments.ci, "seed": arguments.seed} if arguments.ci is not None else {}
    options: dict[str, dict[str, Any]] = {metric: dict(confidence) for metric in metrics}
    if "partial_f1" in metrics:
        options["partial_f1"] |= {"credit": arguments.credit, "muc": arguments.muc, "iou": arguments.iou}
    if arguments.confusable:  # by the whole file, since batches are scored one by one
        whole = read_batches(arguments.gold, column=columns["gold_column"], **tags)
        batches = (join_at(batch) if arguments.join_at else batch for batch in whole)
        options["clean_f1"]["confusable"] = Exposure.of(batches, **key(arguments))
    scorer = _Scorer(options, exposure, arguments.join_at, strict=named is not None)
    results = {name: scorer.score(arguments.gold, file, {**columns, **tags}) for name, file in files.items()}
    for note in dict.fromkeys(scorer.notes):
        print(f"cleancut: {note}", file=sys.stderr)
    if arguments.runs:
        return _runs(results, arguments)
    if arguments.json:
        plain = {name: {metric: score.to_dict() for metric, score in found.items()} for name, found in results.items()}
        return to_json(plain if len(files) > 1 else next(iter(plain.values())))
    return scores_text(results, by_type=arguments.by_type, colour=wants_colour())


def _expanded(patterns: list[str]) -> list[str]:
    """The files of runs; a name that is a file is that file, whatever characters it has."""
    files = []
    for pattern in patterns:
        found = [pattern] if os.path.exists(pattern) else sorted(glob.glob(pattern, recursive=True))
        if not found:
            raise CleancutError(f"--pred {pattern}: no such file, and no file of this pattern.")
        files += found
    if not files:
        raise CleancutError("--runs needs the predictions of each run. Give --pred 'runs/*.conll'.")
    return list(dict.fromkeys(files))


def _runs(results: Mapping[str, Mapping[str, Score]], arguments: argparse.Namespace) -> str:
    first = next(iter(results.values()))
    shared = [metric for metric in first if all(metric in found for found in results.values())]
    over = {metric: over_runs([found[metric] for found in results.values()]) for metric in shared}
    if arguments.json:
        return to_json({"runs": len(results), **over})
    return runs_text(results, over, by_type=arguments.by_type, colour=wants_colour())


class _Scorer:
    """Scores systems batch by batch, so that files of any size take the same memory."""

    def __init__(
        self, options: Mapping[str, Mapping[str, Any]], exposure: Exposure | None, joined: bool, *, strict: bool
    ) -> None:  # fmt: skip
        self._options, self._exposure, self._joined, self._strict = options, exposure, joined, strict
        self.notes: list[str] = []

    def score(self, gold: str, pred: str, reading: dict[str, Any]) -> dict[str, Score]:
        """All metrics of one system."""
        sums: dict[str, Score] = {}
        left_out = set()
        for ours, theirs in with_progress(paired_batches(gold, pred, **reading), pred):
            if self._joined:
                ours, theirs = join_at(ours), join_at(theirs)
            for metric in self._options:
                if metric in left_out:
                    continue
                if metric == "hardeval" and not self._strict and (overlaps(ours.mentions) or overlaps(theirs.mentions)):
                    left_out.add(metric)  # it was only a default
                    sums.pop(metric, None)
                    self.notes.append(f"{pred}: hardeval is left out, since mentions overlap.")
                    continue
                score = self._one(metric, ours, theirs)
                sums[metric] = sums[metric] + score if metric in sums else score
        return sums

    def _one(self, metric: str, gold: Corpus, pred: Corpus) -> Score:
        train = [self._exposure] if metric in NEED_TRAIN else []
        return METRICS[metric](gold, pred, *train, **self._options[metric])


def chosen_metrics(arguments: argparse.Namespace) -> list[str] | None:
    """The metrics that are named; None for all that there are data for."""
    if arguments.metrics is None:
        return None
    names = [name.strip() for name in arguments.metrics.split(",") if name.strip()]
    for name in names:
        if name not in SHORT_NAMES:
            hint = did_you_mean(name, SHORT_NAMES)
            raise CleancutError(f"--metrics: {name!r} is unknown.{hint} The metrics are {', '.join(SHORT_NAMES)}.")
    if not names:
        raise CleancutError(f"--metrics: none given. The metrics are {', '.join(SHORT_NAMES)}.")
    found = [SHORT_NAMES[name] for name in dict.fromkeys(names)]
    if arguments.train is None and set(NEED_TRAIN) & set(found):
        raise CleancutError("--metrics: clean and hardeval need to know what training has shown. Give --train FILE.")
    return found
