"""cleancut compare."""

from __future__ import annotations

import argparse
from typing import Any

from ..core.at_signs import join_at
from ..core.exceptions import CleancutError
from ..core.files import write_text
from ..reading.progress import with_progress
from ..reading.systems import system_batches
from ..scoring.compare import compare
from ..scoring.registry import available_metrics
from ..showing.escaping import one_line
from ..showing.html import html_comparison
from ..showing.report_data import left_out
from ..showing.text import comparison_text
from .options import (
    add_beta_option,
    add_system_options,
    answer_options,
    column_options,
    command,
    exposure_of,
    json_answer,
    say_found,
    system_files,
    tag_options,
    type_options,
)
from .paths import Output
from .score import add_metrics, chosen_metrics
from .terminal import tell, wants_colour


def add(commands: Any) -> None:
    parser = command(
        commands,
        "compare",
        _compare,
        "tell which differences between systems are more than chance, and whether their order is stable",
        "cleancut compare --gold test.conll --pred a.conll --pred b.conll --train train.conll",
    )
    add_system_options(
        parser, "predictions of the systems for the same text, two or more; NAME=FILE for another name than the file's"
    )
    add_metrics(parser)
    add_beta_option(parser)
    parser.add_argument(
        "--ci", type=int, default=10_000, metavar="N", help="resamples for intervals and tests; default 10000"
    )
    parser.add_argument("--seed", type=int, default=13, metavar="N", help="of the resamples; default 13")
    parser.add_argument(
        "--baseline",
        metavar="NAME",
        help="of three or more systems, the one to compare with; default the one with the highest F1",
    )
    parser.add_argument("--pairs", action="store_true", help="of three or more systems, the tests of all pairs too")
    parser.add_argument(
        "--html", type=Output, metavar="FILE", help="the comparison as a page too: one file that needs no other"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _compare(arguments: argparse.Namespace) -> str:
    n = len(arguments.pred or [])
    if n < 2:
        raise CleancutError(
            f"--pred has {n} system{'s' * (n != 1)}, but it takes two to compare. Give --pred a.conll b.conll."
        )
    metrics = chosen_metrics(arguments)
    systems, columns = system_files(arguments)
    if arguments.baseline is not None and arguments.baseline not in systems:
        raise CleancutError(f"--baseline {arguments.baseline} is no system. Give one of {', '.join(systems)}.")
    exposure = exposure_of(arguments, metrics or available_metrics(train=bool(arguments.train)))
    reading: dict[str, Any] = {**columns, **tag_options(arguments), **column_options(arguments)}
    reading |= answer_options(arguments)
    options = {"beta": arguments.beta, "ci": arguments.ci, "seed": arguments.seed, **type_options(arguments)}
    found = None
    batches = zip(*(system_batches(arguments.gold, file, reading, say_found) for file in systems.values()), strict=True)
    for pairs in with_progress(batches, one_line(arguments.gold)):
        gold, predicted = pairs[0][0], dict(zip(systems, (pred for _, pred in pairs), strict=True))
        if arguments.join_at:
            gold, predicted = join_at(gold), {name: join_at(pred) for name, pred in predicted.items()}
        part = compare(gold, predicted, exposure, metrics=metrics, **options)
        found = part if found is None else found + part
    if found is None:
        raise CleancutError(f"{arguments.gold}: there are no samples to compare systems on.")
    for note in left_out(found.scores, metrics or available_metrics(train=exposure is not None)):
        tell(note)
    if arguments.html:
        write_text(arguments.html, html_comparison(found.to_dict()))
    if arguments.json:
        return json_answer(found.to_dict())
    return comparison_text(found, baseline=arguments.baseline, all_pairs=arguments.pairs, colour=wants_colour())
