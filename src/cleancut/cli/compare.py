"""The command ``cleancut compare``."""

from __future__ import annotations

import argparse
from typing import Any

from ..core.at_signs import join_at
from ..core.exceptions import CleancutError, counted
from ..core.files import write_text
from ..reading.opening import Source
from ..reading.progress import work_shown
from ..reading.systems import system_batches
from ..scoring.compare import compare
from ..scoring.registry import available_metrics
from ..showing.html import html_comparison
from ..showing.report_data import left_out
from ..showing.text import comparison_text
from .options import (
    add_beta_option,
    add_json_option,
    add_page_option,
    add_seed_option,
    add_system_options,
    answer_options,
    column_options,
    command,
    exposure_of,
    json_answer,
    system_files,
    tag_options,
    tell_shapes,
    type_options,
)
from .paths import provenance, title_of_data
from .score import add_metrics, chosen_metrics
from .terminal import screen, tell


def add(commands: Any) -> None:
    """Add ``cleancut compare`` to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
    """
    parser = command(
        commands,
        "compare",
        _compare,
        "test which differences between systems are more than chance, and whether their order is stable",
        "cleancut compare --gold test.conll --pred a.conll --pred b.conll --train train.conll",
    )
    add_system_options(
        parser,
        "predictions for the same text, one file for each of two or more systems; NAME=FILE gives a system another "
        "name "
        "than its file's",
    )
    add_metrics(parser)
    add_beta_option(parser)
    parser.add_argument(
        "--ci",
        type=int,
        default=10_000,
        metavar="N",
        help="the number of resamples for intervals and tests; default 10000",
    )
    add_seed_option(parser)
    parser.add_argument(
        "--baseline",
        metavar="NAME",
        help="with three or more systems, the one that the others are compared with; by default the one with the "
        "highest F1",
    )
    parser.add_argument(
        "--pairs", action="store_true", help="with three or more systems, also show the tests of all pairs"
    )
    add_page_option(parser, "comparison")
    add_json_option(parser)


def _compare(arguments: argparse.Namespace) -> str:
    """Compare systems batch by batch, and return the result as text or JSON."""
    n = len(arguments.pred or [])
    if n < 2:
        given = counted(n, "system")
        raise CleancutError(f"--pred has {given}, but it takes two to compare. Give --pred a.conll b.conll.")
    metrics = chosen_metrics(arguments)
    systems, columns = system_files(arguments)
    if arguments.baseline is not None and arguments.baseline not in systems:
        raise CleancutError(f"--baseline {arguments.baseline} is not a system. Give one of {', '.join(systems)}.")
    exposure = exposure_of(arguments, metrics or available_metrics(train=bool(arguments.train)))
    reading: dict[str, Any] = {**columns, **tag_options(arguments), **column_options(arguments)}
    reading |= answer_options(arguments)
    options = {"beta": arguments.beta, "ci": arguments.ci, "seed": arguments.seed, **type_options(arguments)}
    comparison = None
    source = Source.of(arguments.gold)
    batches_of = [system_batches(source, file, reading, tell_shapes) for file in systems.values()]
    for pairs in source.while_shown(zip(*batches_of, strict=True)):
        gold = pairs[0][0]
        predicted = dict(zip(systems, (pred for _, pred in pairs), strict=True))
        if arguments.join_at:
            gold, predicted = join_at(gold), {name: join_at(pred) for name, pred in predicted.items()}
        part = compare(gold, predicted, exposure, metrics=metrics, **options)
        comparison = part if comparison is None else comparison + part
    if comparison is None:
        raise CleancutError(f"{arguments.gold}: there are no samples to compare systems on.")
    for note in left_out(comparison.scores, metrics or available_metrics(train=exposure is not None)):
        tell(note)
    has_intervals = len(systems) == 2 or bool(arguments.pairs or arguments.html or arguments.json)
    with work_shown(f"comparing {len(systems)} systems") as told:
        if told is not None:
            comparison = comparison.computed(told, intervals=has_intervals)
    if arguments.html:
        title = f"Comparison on {title_of_data(arguments.gold)}"
        write_text(arguments.html, html_comparison(comparison.to_dict(), title=title, provenance=provenance(arguments)))
    if arguments.json:
        return json_answer(comparison.to_dict())
    return comparison_text(comparison, baseline=arguments.baseline, all_pairs=arguments.pairs, screen=screen())
