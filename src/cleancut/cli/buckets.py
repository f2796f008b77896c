"""cleancut buckets."""

from __future__ import annotations

import argparse
from typing import Any

from ..core import checks
from ..scoring.buckets import attribute_names, buckets
from ..scoring.diagnosis import MIN_COUNT
from ..showing.text import buckets_text
from .options import add_beta_option, add_system_options, command, exposure_of, json_answer, read_systems, type_options
from .terminal import wants_colour


def add(commands: Any) -> None:
    parser = command(
        commands,
        "buckets",
        _buckets,
        "score by what mentions are like: their length, their frequency and consistency in training, ...",
        "cleancut buckets --gold test.conll --pred system.conll --train train.conll --attributes eLen,eCon",
    )
    add_system_options(parser)
    parser.add_argument(
        "--attributes", metavar="A,B", help=f"default all that can be computed: {', '.join(attribute_names())}"
    )
    parser.add_argument("--bins", type=int, default=4, metavar="N", help="buckets of an attribute; default 4")
    parser.add_argument(
        "--level", default="entity", choices=["entity", "token"], help="count mentions (default), or tokens in mentions"
    )
    parser.add_argument(
        "--min-count", type=int, default=MIN_COUNT, metavar="N",
        help=f"gold mentions that a bucket needs to be called best or worst; default {MIN_COUNT}",
    )  # fmt: skip
    add_beta_option(parser)
    parser.add_argument("--ci", type=int, metavar="N", help="95%% intervals from N resamples, such as 10000")
    parser.add_argument("--seed", type=int, default=13, metavar="N", help="of the resamples; default 13")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _buckets(arguments: argparse.Namespace) -> str:
    checks.whole(arguments.min_count, "--min-count ", 1)
    exposure = exposure_of(arguments, ["bucket_f1"])
    names = [name.strip() for name in arguments.attributes.split(",")] if arguments.attributes is not None else None
    options: dict[str, Any] = {"attributes": names, "bins": arguments.bins, "level": arguments.level}
    options |= {"beta": arguments.beta, "ci": arguments.ci, "seed": arguments.seed, **type_options(arguments)}
    gold, systems = read_systems(arguments)
    found = {system: buckets(gold, pred, exposure, **options) for system, pred in systems.items()}
    if arguments.json:
        plain = {system: dict(rows) for system, rows in found.items()}
        shown = plain if len(plain) > 1 else next(iter(plain.values()))
        return json_answer(shown)
    return buckets_text(found, min_count=arguments.min_count, colour=wants_colour())
