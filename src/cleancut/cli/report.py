"""The command ``cleancut report``, for one dataset or for a study of several."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from ..core.exceptions import CleancutError
from ..core.files import check_output_file, write_text
from ..scoring.registry import metrics
from ..showing.escaping import one_line
from ..showing.exhibit import Section
from ..showing.export import Format, tables
from ..showing.html import html_study, report_page
from ..showing.report_data import findings
from ..showing.sections import report_sections
from ..showing.study_tables import study_sections
from ..showing.text import study_text
from ..splitting.study import study
from .options import (
    add_beta_option,
    add_seed_option,
    add_system_options,
    answer_options,
    column_options,
    command,
    exposure_of,
    json_answer,
    key,
    read_systems,
    tag_options,
    type_options,
)
from .paths import InputTree, Output, OutputFolder, add_overwrite_option, provenance, title_of_data
from .terminal import Incomplete, screen, tell

_SUFFIX = {Format.MARKDOWN: ".md", Format.LATEX: ".tex", Format.CSV: ".csv"}
"""How the name of a file with tables ends in each format."""


def add(commands: Any) -> None:
    """Add ``cleancut report`` to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
    """
    parser = command(
        commands,
        "report",
        _report,
        "show systems on a page: scores, attributes, and their errors in context",
        "cleancut report --gold test.conll --pred a.conll --pred b.conll --train train.conll -o report.html\n"
        "  cleancut report study/ -o study.html",
    )
    parser.add_argument(
        "study",
        nargs="?",
        type=InputTree,
        metavar="STUDY",
        help="report on several datasets instead of --gold and --pred: a folder with one folder for each dataset, "
        "which holds train, test and a folder pred",
    )
    add_system_options(parser, needs_gold=False)
    parser.add_argument("-o", "--output", type=Output, metavar="FILE", help="the web page to write, as a single file")
    parser.add_argument(
        "--plots", type=OutputFolder, metavar="DIR", help="also write the figures as PNG and SVG (extra: plot)"
    )
    add_overwrite_option(parser)
    parser.add_argument(
        "--format",
        choices=list(Format),
        help="also write the tables in this format: to a file beside the page, or without -o to standard output",
    )
    parser.add_argument(
        "--title",
        metavar="T",
        help="the title of the page; by default the name of the gold file",
    )
    add_beta_option(parser)
    parser.add_argument(
        "--ci", type=int, default=1000, metavar="N", help="the number of resamples for intervals; default 1000"
    )
    add_seed_option(parser)
    parser.add_argument("--errors", type=int, metavar="N", help="the greatest number of errors to list; default 10000")
    parser.add_argument("--json", action="store_true", help="with a study: print one JSON object and nothing else")


def _report(arguments: argparse.Namespace) -> str:
    """Write the report on one dataset or on a study, and return what was written where."""
    if arguments.study is not None:
        return _study(arguments)
    if arguments.gold is None:
        raise CleancutError("report: give --gold FILE and --pred FILE, or the folder of a study.")
    if arguments.json:
        raise CleancutError("--json is for a study. Give --format csv, or use cleancut score --json.")
    if not (arguments.output or arguments.plots or arguments.format):
        raise CleancutError("report: there is nothing to write. Give -o report.html, --plots DIR or --format md.")
    tables_file = _tables_file(arguments)
    exposure = exposure_of(arguments, metrics())
    gold, systems = read_systems(arguments)
    options = {"ci": arguments.ci, "seed": arguments.seed, "beta": arguments.beta}
    options["max_errors"] = 10_000 if arguments.errors is None else arguments.errors
    data = findings(gold, systems, exposure, **options, **type_options(arguments))
    sections = report_sections(data)
    title = arguments.title or title_of_data(arguments.gold)
    page = report_page(data, title=title, provenance=provenance(arguments)) if arguments.output else ""
    return "\n".join(_written(arguments, sections, page, tables_file))


def _written(
    arguments: argparse.Namespace, sections: Sequence[Section], page: str, tables_file: str | None
) -> list[str]:
    """Write the page, the pictures and the tables that are asked for, and return a line for each."""
    text = tables(sections, Format(arguments.format)) if arguments.format else ""
    lines = []
    if arguments.plots:
        from ..showing.pictures import save_plots

        drawn = save_plots(sections, arguments.plots, overwrite=arguments.overwrite)
        lines.append(f"{len(drawn)} pictures written to {one_line(arguments.plots)}.")
    if arguments.output:
        write_text(arguments.output, page)
        lines.append(f"Written to {one_line(arguments.output)}.")
    if tables_file:
        write_text(tables_file, text + "\n")
        lines.append(f"Tables written to {one_line(tables_file)}.")
    elif text:
        lines.append(text)
    return lines


def _study(arguments: argparse.Namespace) -> str:
    """Report on several datasets; where some cannot be read, tell which, and let the exit code be 2."""
    for name in ("gold", "pred", "train", "errors"):
        if getattr(arguments, name) is not None:
            raise CleancutError(f"--{name} has no effect on a study, whose folder holds the data. Leave it out.")
    if arguments.beta != 1:
        raise CleancutError("--beta has no effect on a study, which shows F1. Leave it out.")
    tables_file = _tables_file(arguments)
    reading = {"gold_column": arguments.gold_column, "pred_column": arguments.pred_column}
    reading |= {**tag_options(arguments), **column_options(arguments), **answer_options(arguments)}
    resampling = {"ci": arguments.ci, "seed": arguments.seed}
    results = study(arguments.study, join_at=arguments.join_at, **key(arguments), **resampling, **reading)
    n_datasets, n_systems = len(results.datasets), len(results.systems)
    tell(f"{arguments.study}: a study of {n_datasets} datasets and {n_systems} systems")
    for failure in results.not_read:
        place = failure.dataset if failure.system is None else f"{failure.dataset}, {failure.system}"
        tell(f"{place} is left out: {failure.reason}")
    title = arguments.title or os.path.basename(os.path.realpath(arguments.study))
    page = html_study(results, title=title, provenance=provenance(arguments)) if arguments.output else ""
    lines = _written(arguments, study_sections(results), page, tables_file)
    if arguments.json:
        text = json_answer(results.to_dict())
    else:
        text = "\n".join(lines) or study_text(results, screen=screen())
    return Incomplete(text) if results.not_read else text


def _tables_file(arguments: argparse.Namespace) -> str | None:
    """Return the file for the tables beside the page; raise an error if that is the page itself, or an input."""
    if not arguments.format or not arguments.output:
        return None
    path = os.path.splitext(arguments.output)[0] + _SUFFIX[Format(arguments.format)]
    folders = [] if arguments.plots is None else [arguments.plots]
    check_output_file(path, folders)
    if path == arguments.output:
        raise CleancutError(f"{path} is the name of both the page and the tables. Choose another name for the page.")
    return path
