"""The commands ``cleancut convert`` and ``cleancut demo``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import Any

from ..core.corpus import Corpus
from ..core.exceptions import counted
from ..core.tags import Repair, Scheme
from ..reading.files import read_batches
from ..reading.formats import WRITERS, write
from ..reading.progress import with_progress, work_shown
from ..showing.escaping import one_line
from .options import (
    LABELS,
    add_column_options,
    add_conll_column_option,
    column_options,
    command,
    label_names,
)
from .paths import Input, Output, OutputFolder, add_overwrite_option
from .terminal import tell, wants_colour


def add(commands: Any) -> None:
    """Add ``cleancut convert`` and ``cleancut demo`` to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
    """
    _add_convert(commands)
    _add_demo(commands)


def _add_convert(commands: Any) -> None:
    """Add ``cleancut convert``."""
    parser = command(
        commands,
        "convert",
        _convert,
        "rewrite a corpus in another format or tag scheme",
        "cleancut convert train.conll train.jsonl",
    )
    parser.add_argument("input", type=Input, metavar="IN", help="the file to read, or a folder of BRAT files")
    parser.add_argument(
        "output",
        type=Output,
        metavar="OUT",
        help="the file to write: .conll or .jsonl (also .gz), .parquet or .spacy; a name that ends in / is a folder of "
        "BRAT files",
    )
    parser.add_argument(
        "--format", choices=list(WRITERS), help="the format of OUT, if the name of OUT does not show it"
    )
    parser.add_argument(
        "--ids",
        action="store_true",
        help="write ids and names of documents to CoNLL files, too, which some other tools cannot read",
    )
    parser.add_argument(
        "--scheme", metavar="S", help=f"the scheme of the tags to write ({', '.join(Scheme)}); default iob2"
    )
    parser.add_argument(
        "--from-scheme", metavar="S", help="the scheme of the tags of IN; only io, which has no prefixes, must be given"
    )
    parser.add_argument(
        "--repair",
        default="conlleval",
        metavar="R",
        help=f"how to treat ill-formed tags ({', '.join(Repair)}); default conlleval",
    )
    parser.add_argument("--labels", type=Input, metavar="NAMES", help=LABELS)
    add_conll_column_option(parser)
    add_column_options(parser.add_argument_group("columns of IN"))


def _convert(arguments: argparse.Namespace) -> None:
    """Read a file in batches and write them in another format."""
    batches = read_batches(
        arguments.input,
        column=arguments.column,
        labels=label_names(arguments.labels),
        scheme=arguments.from_scheme,
        repair=arguments.repair,
        **column_options(arguments),
    )
    write(
        _counted(batches, arguments),
        arguments.output,
        format=arguments.format,
        scheme=arguments.scheme,
        ids=arguments.ids,
    )


def _counted(batches: Iterable[Corpus], arguments: argparse.Namespace) -> Iterator[Corpus]:
    """Yield the batches; when all are read, tell how many samples and mentions there were."""
    n_samples = n_mentions = 0
    for corpus in with_progress(batches, one_line(arguments.input)):
        n_samples += len(corpus)
        n_mentions += len(corpus.mentions)
        yield corpus
    tell(f"{arguments.output}: {counted(n_samples, 'sample')}, {counted(n_mentions, 'mention')}")


def _add_demo(commands: Any) -> None:
    """Add ``cleancut demo``."""
    parser = command(
        commands,
        "demo",
        _demo,
        "show on generated sentences what a score is worth: two taggers, on a random split and on a clean one",
        "cleancut demo",
    )
    parser.add_argument(
        "-o",
        "--output",
        default="cleancut-demo",
        type=OutputFolder,
        metavar="DIR",
        help="the folder for the generated files; default cleancut-demo",
    )
    add_overwrite_option(parser)


def _demo(arguments: argparse.Namespace) -> str:
    """Run the demonstration, and return its story."""
    from ..demo.story import run

    with work_shown("demo") as progress:
        return run(arguments.output, overwrite=arguments.overwrite, colour=wants_colour(), progress=progress)
