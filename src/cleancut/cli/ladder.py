"""cleancut ladder."""

from __future__ import annotations

import argparse
from typing import Any

from ..core.at_signs import join_at
from ..reading.formats import written_as
from ..showing.escaping import one_line
from ..showing.text import ladder_text, to_json
from ..splitting.ladder import ladder
from .options import (
    add_column_options,
    add_key_options,
    add_ladder_options,
    add_tag_options,
    command,
    key,
    read_said,
)
from .paths import Input, OutputFolder, add_overwrite_option
from .terminal import wants_colour


def add(commands: Any) -> None:
    parser = command(
        commands,
        "ladder",
        _ladder,
        "write training sets of one size with more and more samples that share an entity with test",
        "cleancut ladder --train train.conll --test test.conll --levels 0:100:10 --seeds 5 -o ladder",
    )
    parser.add_argument(
        "--train", required=True, type=Input, metavar="FILE", help="what to draw from: CoNLL, JSONL, parquet, CSV"
    )
    parser.add_argument("--test", required=True, type=Input, metavar="FILE", help="the test set")
    parser.add_argument(
        "-o", "--output", required=True, type=OutputFolder, metavar="DIR", help="folder for the sets and manifest.json"
    )
    add_overwrite_option(parser)
    add_ladder_options(parser)
    parser.add_argument("--format", choices=["jsonl", "conll"], help="of the sets; default conll if train is, or jsonl")
    parser.add_argument("--column", type=int, metavar="N", help="CoNLL column of the tags; default the last")
    add_column_options(parser)
    add_key_options(parser)
    add_tag_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _ladder(arguments: argparse.Namespace) -> str:
    corpora = read_said([arguments.train, arguments.test], arguments)
    train, test = corpora[arguments.train], corpora[arguments.test]
    if arguments.join_at:
        train, test = join_at(train), join_at(test)
    given = {name: value for name in ("levels", "seeds") if (value := getattr(arguments, name)) is not None}
    found = ladder(train, test, **given, **key(arguments))
    format = arguments.format or written_as(arguments.train)
    found.write(train, arguments.output, format=format, overwrite=arguments.overwrite)
    if arguments.json:
        return to_json(found.to_dict())
    return f"{ladder_text(found, colour=wants_colour())}\n\nWritten to {one_line(arguments.output)}."
