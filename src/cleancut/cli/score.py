"""The command ``cleancut score``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from ..core import checks
from ..core.at_signs import join_at
from ..core.corpus import Corpus, overlaps
from ..core.exceptions import CleancutError, did_you_mean, quoted
from ..reading.files import columns_for, read_batches
from ..reading.opening import Source
from ..reading.systems import system_batches
from ..scoring.compare import over_runs
from ..scoring.errors import Errors, errors
from ..scoring.exposure import Exposure
from ..scoring.registry import available_metrics, score_metrics
from ..scoring.score import Score
from ..showing.report_data import left_out
from ..showing.text import errors_text, runs_text, scores_text
from .options import (
    add_beta_option,
    add_interval_option,
    add_same_options,
    add_seed_option,
    add_system_options,
    add_systems_json_option,
    answer_options,
    column_options,
    command,
    exposure_of,
    json_answer,
    key,
    read_systems,
    system_files,
    systems_json,
    tag_options,
    tell_shapes,
    type_options,
)
from .terminal import screen, tell

_ERRORS_SHOWN = 20
"""The number of errors of a system that ``--errors`` shows by default."""
_PARAMETERS = ("credit", "muc", "iou", "beta", "staircase")
"""The options that only some metrics have a parameter for."""


def add(commands: Any) -> None:
    """Add ``cleancut score`` to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
    """
    parser = command(
        commands,
        "score",
        _score,
        "score predictions: precision, recall, F1, and F1 on names unseen in training",
        "cleancut score --gold test.conll --pred system.conll --by-type",
    )
    add_system_options(parser)
    add_same_options(parser)
    add_metrics(parser)
    parser.add_argument("--by-type", action="store_true", help="also show the scores of each entity type")
    parser.add_argument(
        "--runs",
        action="store_true",
        help="treat the predictions as runs of one system, and show their mean and standard deviation; --pred may be a "
        "quoted pattern",
    )
    add_interval_option(parser)
    add_seed_option(parser)
    parser.add_argument(
        "--credit", type=float, default=0.5, metavar="C", help="the credit for a partial match; default 0.5"
    )
    add_beta_option(parser)
    parser.add_argument(
        "--muc", action="store_true", help="partial score: also show the four scores of SemEval-2013, with counts"
    )
    parser.add_argument("--iou", action="store_true", help="partial score: also give credit by intersection over union")
    parser.add_argument(
        "--confusable",
        action="store_true",
        help="clean score: also show recall on names that have several types in the gold file, which is then read "
        "twice",
    )
    parser.add_argument(
        "--staircase",
        action="store_true",
        help="clean score: also show recall by how far names are from what training has shown, in six steps",
    )
    parser.add_argument(
        "--errors",
        type=int,
        nargs="?",
        const=_ERRORS_SHOWN,
        metavar="N",
        help="also show which types were confused, and the first N errors of each system, with what was predicted for "
        f"what; default {_ERRORS_SHOWN}. JSON has all",
    )
    add_systems_json_option(parser)


def add_metrics(parser: Any) -> None:
    """Add ``--metrics``, whose value ``chosen_metrics`` reads.

    Args:
        parser: the parser of a command.
    """
    default = ",".join(score_metrics()[name].short for name in available_metrics(train=False))
    parser.add_argument(
        "--metrics",
        metavar="M",
        help=f"the scores to compute, of {', '.join(_by_short_name())}; default {default}, and with --train all of "
        "them",
    )


def _by_short_name() -> dict[str, str]:
    """Return the names of metrics by their names on the command line."""
    return {metric.short: name for name, metric in score_metrics().items()}


def _score(arguments: argparse.Namespace) -> str:
    """Score each system, and return the scores as text or JSON."""
    chosen = chosen_metrics(arguments)
    metrics = chosen or available_metrics(train=bool(arguments.train))
    _check_options(arguments, metrics)
    files, columns = system_files(arguments)
    reading = {**columns, **tag_options(arguments), **column_options(arguments), **answer_options(arguments)}
    exposure = exposure_of(arguments, metrics)
    options = {metric: _options_of(metric, arguments) for metric in metrics}
    if arguments.confusable:
        gold_exposure = _exposure_of_gold(arguments, columns["gold_column"])
        for metric in metrics:
            if "confusable" in score_metrics()[metric].keywords:
                options[metric]["confusable"] = gold_exposure
    scorer = _Scorer(options, exposure, arguments.join_at, strict=chosen is not None)
    results = {name: scorer.score(arguments.gold, file, reading) for name, file in files.items()}
    for note in left_out(results, metrics):
        tell(note)
    if arguments.runs:
        return _runs(results, arguments)
    errors_of = _errors(arguments)
    plain: dict[str, dict[str, Any]] = {}
    for name, scores in results.items():
        plain[name] = {metric: score.to_dict() for metric, score in scores.items()}
        if name in errors_of:
            plain[name]["errors"] = errors_of[name].to_dict()
    text = systems_json(plain, arguments)
    if text is None:
        text = scores_text(results, by_type=arguments.by_type, screen=screen())
        if errors_of:
            text += f"\n\n{errors_text(errors_of, most=arguments.errors, screen=screen())}"
    return text


def _check_options(arguments: argparse.Namespace, metrics: Sequence[str]) -> None:
    """Raise an error if an option has no effect on the metrics, or if two options contradict each other."""
    for name in ("muc", "iou", "confusable", "staircase"):
        owners = [metric for metric in score_metrics().values() if name in metric.keywords]
        if getattr(arguments, name) and not any(metric.name in metrics for metric in owners):
            lacks_train = owners[0].needs_train and not arguments.train
            remedy = "Give --train FILE." if lacks_train else "Add it to --metrics."
            raise CleancutError(f"--{name} belongs to the {owners[0].short} score. {remedy}")
    if arguments.runs:
        if arguments.errors is not None or arguments.json_systems:
            option = "--json-systems" if arguments.errors is None else "--errors"
            raise CleancutError(f"{option} has no effect with --runs, which shows all runs together. Leave it out.")
        if arguments.ci is not None:
            raise CleancutError("--runs tells the spread over runs and --ci that over samples. Give one of them.")
        if not arguments.pred:
            raise CleancutError("--runs needs the predictions of each run. Give --pred 'runs/*.conll'.")


def _errors(arguments: argparse.Namespace) -> dict[str, Errors]:
    """Return which gold mention met which prediction, for each system, if that is asked for."""
    if arguments.errors is None:
        return {}
    checks.whole(arguments.errors, "--errors", 1)
    gold, systems = read_systems(arguments)
    renamed_types = type_options(arguments)
    return {name: errors(gold, pred, credit=arguments.credit, **renamed_types) for name, pred in systems.items()}


def _options_of(metric: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options of one metric."""
    options = type_options(arguments)
    if arguments.ci is not None:
        options |= {"ci": arguments.ci, "seed": arguments.seed}
    for name in _PARAMETERS:
        if name in score_metrics()[metric].keywords:
            options[name] = getattr(arguments, name)
    return options


def _exposure_of_gold(arguments: argparse.Namespace, column: int | None) -> Exposure:
    """Return which types each name has in the whole gold file, since the batches that are scored show only a part."""
    columns = columns_for(arguments.gold, column_options(arguments))
    batches = read_batches(arguments.gold, column=column, **tag_options(arguments), **columns)
    if arguments.join_at:
        batches = map(join_at, batches)
    return Exposure.of(batches, **key(arguments))


def _runs(results: Mapping[str, Mapping[str, Score]], arguments: argparse.Namespace) -> str:
    """Return mean and standard deviation of the scores that all runs have."""
    first, *others = results.values()
    shared = [metric for metric in first if all(metric in scores for scores in others)]
    spread = {metric: over_runs([scores[metric] for scores in results.values()]) for metric in shared}
    if arguments.json:
        return json_answer({"runs": len(results), **spread})
    return runs_text(results, spread, by_type=arguments.by_type, screen=screen())


class _Scorer:
    """A scorer that reads systems batch by batch, so that files of any size take the same memory.

    Args:
        options: the options of each metric.
        exposure: what training has shown, if that is known.
        joined: whether a mention "@" is joined to the user name that follows it.
        strict: whether the user chose the metrics, so that none may be left out.
    """

    def __init__(
        self, options: Mapping[str, Mapping[str, Any]], exposure: Exposure | None, joined: bool, *, strict: bool
    ) -> None:
        self._options = options
        self._exposure = exposure
        self._joined = joined
        self._strict = strict

    def score(self, gold: str, pred: str, reading: dict[str, Any]) -> dict[str, Score]:
        """Return all scores of one system; default metrics that overlapping mentions rule out are left out."""
        sums: dict[str, Score] = {}
        undefined = set()
        predictions = Source.of(pred)
        batches = system_batches(gold, predictions, reading, tell_shapes)
        for gold_batch, pred_batch in predictions.while_shown(batches):
            if self._joined:
                gold_batch, pred_batch = join_at(gold_batch), join_at(pred_batch)
            for metric in self._options:
                if metric in undefined:
                    continue
                may_leave_out = score_metrics()[metric].flat_only and not self._strict
                if may_leave_out and (overlaps(gold_batch.mentions) or overlaps(pred_batch.mentions)):
                    undefined.add(metric)
                    sums.pop(metric, None)
                    continue
                score = self._score_batch(metric, gold_batch, pred_batch)
                sums[metric] = sums[metric] + score if metric in sums else score
        return sums

    def _score_batch(self, metric: str, gold: Corpus, pred: Corpus) -> Score:
        """Return one score of one batch."""
        return score_metrics()[metric](gold, pred, self._exposure, **self._options[metric])


def chosen_metrics(arguments: argparse.Namespace) -> list[str] | None:
    """Return the metrics that ``--metrics`` names.

    Args:
        arguments: the arguments of the command.

    Returns:
        The names of the metrics; None without ``--metrics``, for all that there are data for.

    Raises:
        CleancutError: there is no such metric, or it needs training data.
    """
    if arguments.metrics is None:
        return None
    names = [name.strip() for name in arguments.metrics.split(",") if name.strip()]
    known = _by_short_name()
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise CleancutError(f"--metrics: {quoted(name)} is unknown.{hint} The metrics are {', '.join(known)}.")
    if not names:
        raise CleancutError(f"--metrics: none given. The metrics are {', '.join(known)}.")
    chosen = [known[name] for name in dict.fromkeys(names)]
    need_train = [metric for metric in score_metrics().values() if metric.needs_train]
    if arguments.train is None and any(metric.name in chosen for metric in need_train):
        names_of_them = " and ".join(metric.short for metric in need_train)
        raise CleancutError(f"--metrics: {names_of_them} need to know what training has shown. Give --train FILE.")
    return chosen
