"""The command ``cleancut ladder``."""

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
    add_conll_column_option,
    add_json_option,
    add_key_options,
    add_ladder_options,
    add_same_options,
    add_tag_options,
    command,
    key,
    read_and_tell,
)
from .paths import Input, OutputFolder, add_overwrite_option
from .terminal import screen


def add(commands: Any) -> None:
    """Add ``cleancut ladder`` to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
    """
    parser = command(
        commands,
        "ladder",
        _ladder,
        "write training sets of one size, in which more and more samples share an entity with the test set",
        "cleancut ladder --train train.conll --test test.conll --levels 0:100:10 --seeds 5 -o ladder",
    )
    parser.add_argument(
        "--train",
        required=True,
        type=Input,
        metavar="FILE",
        help="the training data to draw from: a CoNLL, JSONL, Parquet or CSV file",
    )
    parser.add_argument("--test", required=True, type=Input, metavar="FILE", help="the test set")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=OutputFolder,
        metavar="DIR",
        help="the folder for the training sets and manifest.json",
    )
    add_overwrite_option(parser)
    add_ladder_options(parser)
    parser.add_argument(
        "--format",
        choices=["jsonl", "conll"],
        help="the format of the training sets; by default conll if the training data is a CoNLL file, and jsonl if not",
    )
    add_conll_column_option(parser)
    add_column_options(parser)
    add_key_options(parser)
    add_same_options(parser)
    add_tag_options(parser)
    add_json_option(parser)


def _ladder(arguments: argparse.Namespace) -> str:
    """Write training sets of one size in which more and more samples share an entity with test.

    Returns:
        What was written, as text or JSON.
    """
    corpora = read_and_tell([arguments.train, arguments.test], arguments)
    train, test = corpora[arguments.train], corpora[arguments.test]
    if arguments.join_at:
        train, test = join_at(train), join_at(test)
    given = {"levels": arguments.levels, "seeds": arguments.seeds}
    options = {name: value for name, value in given.items() if value is not None}
    sets = ladder(train, test, **options, **key(arguments))
    format = arguments.format or written_as(arguments.train)
    sets.write(train, arguments.output, format=format, overwrite=arguments.overwrite)
    if arguments.json:
        return to_json(sets.to_dict())
    return f"{ladder_text(sets, screen=screen())}\n\nWritten to {one_line(arguments.output)}."
