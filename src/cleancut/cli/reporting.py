"""cleancut report."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from ..exhibits import Format, Section, report_sections, tables
from ..files import write_text
from ..findings import findings
from ..tags import CleancutError
from ..webpage import report_page
from .options import add_system_options, command, exposure_of, read_systems

_SUFFIX = {Format.MARKDOWN: ".md", Format.LATEX: ".tex", Format.CSV: ".csv"}


def add(commands: Any) -> None:
    parser = command(
        commands, "report", _report, "show systems on a page: scores, attributes, and their errors in context",
        "cleancut report --gold test.conll --pred a.conll --pred b.conll --train train.conll -o report.html",
    )  # fmt: skip
    add_system_options(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="the page: one file that needs no other")
    parser.add_argument("--plots", metavar="DIR", help="the same figures as PNG and SVG (extra: plot)")
    parser.add_argument(
        "--format", choices=list(Format), help="the tables too: beside the page, or without -o on standard output"
    )
    parser.add_argument("--title", metavar="T", help="of the page; default the name of the gold file")
    parser.add_argument("--ci", type=int, default=1000, metavar="N", help="resamples for intervals; default 1000")
    parser.add_argument("--seed", type=int, default=13, metavar="N", help="of the resamples; default 13")
    parser.add_argument("--errors", type=int, default=10_000, metavar="N", help="most errors to list; default 10000")


def _report(arguments: argparse.Namespace) -> str:
    if not (arguments.output or arguments.plots or arguments.format):
        raise CleancutError("report: there is nothing to write. Give -o report.html, --plots DIR or --format md.")
    exposure = exposure_of(arguments, whole=True)
    gold, systems = read_systems(arguments)
    found = findings(gold, systems, exposure, ci=arguments.ci, seed=arguments.seed, max_errors=arguments.errors)
    sections = report_sections(found)
    said = []
    if arguments.output:
        title = arguments.title or Path(arguments.gold.removesuffix(".gz")).stem
        write_text(arguments.output, report_page(found, title=title))
        said.append(f"Written to {arguments.output}.")
    if arguments.plots:
        from ..plots import save_plots

        said.append(f"{len(save_plots(sections, arguments.plots))} pictures written to {arguments.plots}.")
    if arguments.format:
        said.append(_tables(arguments, sections))
    return "\n".join(said)


def _tables(arguments: argparse.Namespace, sections: list[Section]) -> str:
    format = Format(arguments.format)
    text = tables(sections, format)
    if not arguments.output:
        return text
    path = os.path.splitext(arguments.output)[0] + _SUFFIX[format]
    write_text(path, text + "\n")
    return f"Tables written to {path}."
