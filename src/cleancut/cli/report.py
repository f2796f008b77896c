"""cleancut report."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
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
from .paths import InputTree, Output, OutputFolder, add_overwrite_option
from .terminal import Incomplete, tell, wants_colour

_SUFFIX = {Format.MARKDOWN: ".md", Format.LATEX: ".tex", Format.CSV: ".csv"}


def add(commands: Any) -> None:
    parser = command(
        commands, "report", _report, "show systems on a page: scores, attributes, and their errors in context",
        "cleancut report --gold test.conll --pred a.conll --pred b.conll --train train.conll -o report.html\n"
        "  cleancut report STUDY -o study.html",
    )  # fmt: skip
    parser.add_argument(
        "study", nargs="?", type=InputTree, metavar="STUDY",
        help="several datasets instead: a folder with a folder for each, which holds train, test and a folder pred",
    )  # fmt: skip
    add_system_options(parser, needs_gold=False)
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
    parser.add_argument("--errors", type=int, metavar="N", help="most errors to list; default 10000")
    parser.add_argument("--json", action="store_true", help="of a study: print one JSON object and nothing else")


def _report(arguments: argparse.Namespace) -> str:
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
    options |= {"max_errors": 10_000 if arguments.errors is None else arguments.errors, **type_options(arguments)}
    found = findings(gold, systems, exposure, **options)
    sections = report_sections(found)
    title = arguments.title or Path(arguments.gold.removesuffix(".gz")).stem
    page = report_page(found, title=title) if arguments.output else ""
    return "\n".join(_written(arguments, sections, page, tables_file))


def _written(
    arguments: argparse.Namespace, sections: Sequence[Section], page: str, tables_file: str | None
) -> list[str]:
    """Write the page, the pictures and the tables that are asked for, and return what is to be said of them."""
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
    return said


def _study(arguments: argparse.Namespace) -> str:
    """Report on several datasets; what could not be read is told, and the exit code says so."""
    for name in ("gold", "pred", "train", "errors"):
        if getattr(arguments, name) is not None:
            raise CleancutError(f"--{name} has no effect on a study: {arguments.study} holds all. Leave it out.")
    if arguments.beta != 1:
        raise CleancutError("--beta has no effect on a study, which shows F1. Leave it out.")
    tables_file = _tables_file(arguments)
    reading = {"gold_column": arguments.gold_column, "pred_column": arguments.pred_column}
    reading |= {**tag_options(arguments), **column_options(arguments), **answer_options(arguments)}
    resampling = {"ci": arguments.ci, "seed": arguments.seed}
    found = study(arguments.study, join_at=arguments.join_at, **key(arguments), **resampling, **reading)
    n_datasets, n_systems = len(found.datasets), len(found.systems)
    tell(f"{arguments.study}: a study of {n_datasets} datasets and {n_systems} systems")
    for one in found.not_read:
        what = one.dataset if one.system is None else f"{one.dataset}, {one.system}"
        tell(f"{what} is left out: {one.reason}")
    title = arguments.title or Path(arguments.study).resolve().name
    page = html_study(found, title=title) if arguments.output else ""
    said = _written(arguments, study_sections(found), page, tables_file)
    if arguments.json:
        text = json_answer(found.to_dict())
    else:
        text = "\n".join(said) or study_text(found, colour=wants_colour())
    return Incomplete(text) if found.not_read else text


def _tables_file(arguments: argparse.Namespace) -> str | None:
    """Where the tables go beside the page; an error where that is the page itself, or an input."""
    if not arguments.format or not arguments.output:
        return None
    path = os.path.splitext(arguments.output)[0] + _SUFFIX[Format(arguments.format)]
    check_output_file(path, [] if arguments.plots is None else [arguments.plots])
    if path == arguments.output:
        raise CleancutError(f"{path} is to be the page and the tables both. Choose another name for the page.")
    return path
