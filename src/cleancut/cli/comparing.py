"""cleancut compare."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..comparing import compare
from ..leakage import join_at
from ..reading import paired_batches
from ..report import comparison_text, to_json
from ..tags import CleancutError
from .options import command, distinct_names, exposure_of, tag_options
from .scoring import add_inputs, chosen_metrics
from .terminal import wants_colour, with_progress


def add(commands: Any) -> None:
    parser = command(
        commands,
        "compare",
        _compare,
        "tell which differences between systems are more than chance, and whether their order is stable",
        "cleancut compare --gold test.conll --pred a.conll --pred b.conll --train train.conll",
    )
    add_inputs(parser)
    parser.add_argument(
        "--ci", type=int, default=10_000, metavar="N", help="resamples for intervals and tests; default 10000"
    )


def _compare(arguments: argparse.Namespace) -> str:
    files = arguments.pred or []
    if len(files) < 2:
        raise CleancutError(f"--pred is given {len(files)} times, but it takes two systems to compare. Repeat --pred.")
    metrics = chosen_metrics(arguments)
    exposure = exposure_of(arguments, arguments.gold_column)
    columns = {"gold_column": arguments.gold_column, "pred_column": arguments.pred_column}
    reading = {**columns, **tag_options(arguments)}
    names, found = distinct_names(files), None
    batches = zip(*(paired_batches(arguments.gold, file, **reading) for file in files), strict=True)
    for pairs in with_progress(batches, arguments.gold):
        gold, systems = pairs[0][0], dict(zip(names, (pred for _, pred in pairs), strict=True))
        if arguments.join_at:
            gold, systems = join_at(gold), {name: join_at(pred) for name, pred in systems.items()}
        part = compare(gold, systems, exposure, metrics=metrics, ci=arguments.ci, seed=arguments.seed)
        found = part if found is None else found + part
    if found is None:
        raise CleancutError(f"{arguments.gold}: there are no samples to compare systems on.")
    if exposure is not None and metrics is None and "hardeval" not in next(iter(found.scores.values())):
        print("cleancut: hardeval is left out, since mentions overlap.", file=sys.stderr)
    return to_json(found.to_dict()) if arguments.json else comparison_text(found, colour=wants_colour())
