"""cleancut convert and demo."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import Any

from ..core.corpus import Corpus
from ..core.tags import Repair, Scheme
from ..reading.files import read_batches
from ..reading.formats import WRITERS, write
from ..reading.progress import with_progress, work_shown
from ..showing.escaping import one_line
from .options import LABELS, add_column_options, column_options, command, label_names
from .paths import Input, Output, OutputFolder, add_overwrite_option
from .terminal import tell, wants_colour


def add(commands: Any) -> None:
    _add_convert(commands)
    _add_demo(commands)


def _add_convert(commands: Any) -> None:
    parser = command(
        commands,
        "convert",
        _convert,
        "rewrite a corpus in another format or tag scheme",
        "cleancut convert train.conll train.jsonl",
    )
    parser.add_argument("input", type=Input, metavar="IN", help="a file that is read, or a folder of BRAT")
    written = ".conll, .jsonl (also .gz), .parquet, .spacy, or a folder/ for BRAT"
    parser.add_argument("output", type=Output, metavar="OUT", help=written)
    parser.add_argument("--format", choices=list(WRITERS), help="format of OUT, where its name does not show it")
    names = "write ids and names of documents to CoNLL too, which other tools may refuse"
    parser.add_argument("--ids", action="store_true", help=names)
    parser.add_argument("--scheme", metavar="S", help=f"tag scheme to write ({', '.join(Scheme)}); default iob2")
    parser.add_argument("--from-scheme", metavar="S", help="tag scheme of IN, where it has to be given (io)")
    parser.add_argument("--repair", default="conlleval", metavar="R", help=f"of ill-formed tags ({', '.join(Repair)})")
    parser.add_argument("--labels", type=Input, metavar="NAMES", help=LABELS)
    parser.add_argument("--column", type=int, metavar="N", help="CoNLL column of the tags; default the last")
    add_column_options(parser.add_argument_group("columns of IN"))


def _convert(arguments: argparse.Namespace) -> None:
    batches = read_batches(
        arguments.input,
        column=arguments.column,
        labels=label_names(arguments.labels),
        scheme=arguments.from_scheme,
        repair=arguments.repair,
        **column_options(arguments),
    )
    how = {"format": arguments.format, "scheme": arguments.scheme, "ids": arguments.ids}
    write(_counted(batches, arguments), arguments.output, **how)


def _counted(batches: Iterable[Corpus], arguments: argparse.Namespace) -> Iterator[Corpus]:
    """The batches; then, when all is read, a line that says what was done."""
    samples = mentions = 0
    for corpus in with_progress(batches, one_line(arguments.input)):
        samples += len(corpus)
        mentions += len(corpus.mentions)
        yield corpus
    tell(f"{arguments.output}: {samples} samples, {mentions} mentions")


def _add_demo(commands: Any) -> None:
    parser = command(
        commands,
        "demo",
        _demo,
        "show on generated sentences what a score is worth: two taggers on a random and on a clean split",
        "cleancut demo",
    )
    parser.add_argument(
        "-o",
        "--output",
        default="cleancut-demo",
        type=OutputFolder,
        metavar="DIR",
        help="folder for the generated files",
    )
    add_overwrite_option(parser)


def _demo(arguments: argparse.Namespace) -> str:
    from ..demo.story import run

    with work_shown("demo") as shown:
        return run(arguments.output, overwrite=arguments.overwrite, colour=wants_colour(), progress=shown)
