"""cleancut report."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from ..core.exceptions import CleancutError
from ..core.files import check_output_file, write_text
from ..scoring.registry import metrics
from ..showing.escaping import one_line
from ..showing.export import Format, tables
from ..showing.html import report_page
from ..showing.report_data import findings
from ..showing.sections import report_sections
from .options import add_beta_option, add_system_options, command, exposure_of, read_systems, type_options
from .paths import Output, OutputFolder, add_overwrite_option

_SUFFIX = {Format.MARKDOWN: ".md", Format.LATEX: ".tex", Format.CSV: ".csv"}


def add(commands: Any) -> None:
    parser = command(
        commands, "report", _report, "show systems on a page: scores, attributes, and their errors in context",
        "cleancut report --gold test.conll --pred a.conll --pred b.conll --train train.conll -o report.html",
    )  # fmt: skip
    add_system_options(parser)
    parser.add_argument("-o", "--output", type=Output, metavar="FILE", help="the page: one file that needs no other")
    parser.add_argument(
        "--plots", type=OutputFolder, metavar="DIR", help="the same figures as PNG and SVG (extra: plot)"
    )
    add_overwrite_option(parser)
    parser.add_argument(
        "--format", choices=list(Format), help="the tables too: beside the page, or without -o on standard output"
    )
    parser.add_argument("--title", metavar="T", help="of the page; default the name of the gold file")
    add_beta_option(parser)
    parser.add_argument("--ci", type=int, default=1000, metavar="N", help="resamples for intervals; default 1000")
    parser.add_argument("--seed", type=int, default=13, metavar="N", help="of the resamples; default 13")
    parser.add_argument("--errors", type=int, default=10_000, metavar="N", help="most errors to list; default 10000")


def _report(arguments: argparse.Namespace) -> str:
    if not (arguments.output or arguments.plots or arguments.format):
        raise CleancutError("report: there is nothing to write. Give -o report.html, --plots DIR or --format md.")
    tables_file = _tables_file(arguments)
    exposure = exposure_of(arguments, metrics())
    gold, systems = read_systems(arguments)
    options = {"ci": arguments.ci, "seed": arguments.seed, "max_errors": arguments.errors, "beta": arguments.beta}
    options |= type_options(arguments)
    found = findings(gold, systems, exposure, **options)
    sections = report_sections(found)
    title = arguments.title or Path(arguments.gold.removesuffix(".gz")).stem
    page = report_page(found, title=title) if arguments.output else ""
    text = tables(sections, Format(arguments.format)) if arguments.format else ""
    said = []
    if arguments.plots:
        from ..showing.pictures import save_plots

        drawn = save_plots(sections, arguments.plots, overwrite=arguments.overwrite)
        said.append(f"{len(drawn)} pictures written to {one_line(arguments.plots)}.")
    if arguments.output:
        write_text(arguments.output, page)
        said.append(f"Written to {one_line(arguments.output)}.")
    if tables_file:
        write_text(tables_file, text + "\n")
        said.append(f"Tables written to {one_line(tables_file)}.")
    elif text:
        said.append(text)
    return "\n".join(said)


def _tables_file(arguments: argparse.Namespace) -> str | None:
    """Where the tables go beside the page; an error where that is the page itself, or an input."""
    if not arguments.format or not arguments.output:
        return None
    path = os.path.splitext(arguments.output)[0] + _SUFFIX[Format(arguments.format)]
    check_output_file(path, [] if arguments.plots is None else [arguments.plots])
    if path == arguments.output:
        raise CleancutError(f"{path} is to be the page and the tables both. Choose another name for the page.")
    return path
