"""The command ``cleancut buckets``."""

from __future__ import annotations

import argparse
from typing import Any

from ..core import checks
from ..scoring.buckets import attribute_names, buckets
from ..scoring.diagnosis import MIN_COUNT
from ..showing.text import buckets_text
from .options import (
    add_beta_option,
    add_interval_option,
    add_seed_option,
    add_system_options,
    add_systems_json_option,
    command,
    exposure_of,
    read_systems,
    systems_json,
    type_options,
)
from .terminal import screen


def add(commands: Any) -> None:
    """Add ``cleancut buckets`` to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
    """
    parser = command(
        commands,
        "buckets",
        _buckets,
        "score groups of mentions that are alike, for example in length or in frequency in the training data",
        "cleancut buckets --gold test.conll --pred system.conll --train train.conll --attributes eLen,eCon",
    )
    add_system_options(parser)
    parser.add_argument(
        "--attributes",
        metavar="A,B",
        help="the attributes to group mentions by; by default all that can be computed of "
        f"{', '.join(attribute_names())}",
    )
    parser.add_argument(
        "--bins", type=int, default=4, metavar="N", help="the number of buckets of each attribute; default 4"
    )
    parser.add_argument(
        "--level",
        default="entity",
        choices=["entity", "token"],
        help="what to count: mentions (entity, the default), or tokens in mentions (token)",
    )
    parser.add_argument(
        "--min-count",
        type=int,
        default=MIN_COUNT,
        metavar="N",
        help=f"call a bucket best or worst only if it has at least N gold mentions; default {MIN_COUNT}",
    )
    add_beta_option(parser)
    add_interval_option(parser)
    add_seed_option(parser)
    add_systems_json_option(parser)


def _buckets(arguments: argparse.Namespace) -> str:
    """Score each bucket of each attribute, and return the result as text or JSON."""
    checks.whole(arguments.min_count, "--min-count ", 1)
    exposure = exposure_of(arguments, ["bucket_f1"])
    names = None
    if arguments.attributes is not None:
        names = [name.strip() for name in arguments.attributes.split(",")]
    options: dict[str, Any] = {"attributes": names, "bins": arguments.bins, "level": arguments.level}
    options |= {"beta": arguments.beta, "ci": arguments.ci, "seed": arguments.seed, **type_options(arguments)}
    gold, systems = read_systems(arguments)
    rows_of = {system: buckets(gold, pred, exposure, **options) for system, pred in systems.items()}
    text = systems_json({system: dict(rows) for system, rows in rows_of.items()}, arguments)
    return text or buckets_text(rows_of, min_count=arguments.min_count, screen=screen())
