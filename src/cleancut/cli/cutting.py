"""cleancut split."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..files import write_text
from ..folders import refuse_own_input, write_split, written_together
from ..frontiers import frontier
from ..leakage import Unit, join_at
from ..reading import split_files, split_name
from ..recipes import SPLIT, Recipe
from ..report import frontier_text, split_text, to_json
from ..shapes import Samples, load_splits, read_samples
from ..sources import is_local
from ..splitting import Effort, Engine, Method, component_sizes, mincut
from ..tags import CleancutError, Repair
from ..webpage import html_frontier, html_split
from .options import (
    add_column_options,
    add_key_options,
    add_tag_options,
    column_options,
    command,
    say_found,
    shared_key,
    tag_options,
)
from .terminal import wants_colour, work_shown


def add(commands: Any) -> None:
    parser = command(
        commands,
        "split",
        _split,
        "split so that train, validation and test share as few entities as possible",
        "cleancut split train.conll test.conll -o clean --ratios 80/10/10",
    )
    parser.add_argument(
        "input", nargs="*", metavar="SOURCE",
        help="files, a folder with train, dev and test files, or a dataset on the Hub (org/name:config@revision)",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="DIR", help="folder for the splits, plan and report")
    parser.add_argument(
        "--frontier", action="store_true",
        help="split nothing, but show what less sharing costs by several budgets and densities, and which to use",
    )  # fmt: skip
    parser.add_argument(
        "--recipe", metavar="FILE", help="a .toml file, or the name of a shipped recipe: INPUT and options not given"
    )
    # without a default: what is neither given nor in the recipe is left to mincut
    parser.add_argument("--ratios", metavar="R", help="80/10/10 (default), 80/20, or original")
    parser.add_argument("--seed", type=int, metavar="N", help="default 13")
    parser.add_argument("--unit", choices=list(Unit), help="what stays whole; default sample")
    parser.add_argument("--method", choices=list(Method), help="default mincut")
    parser.add_argument("--compare", action="store_true", help="show random and paper beside the method")
    parser.add_argument("--engine", choices=list(Engine), help="what cuts; default auto")
    parser.add_argument("--effort", choices=list(Effort), help="how long a cut is polished; default auto")
    parser.add_argument(
        "--discard", metavar="D", help="largest share to set aside (default 0), or auto: until nothing is shared"
    )
    parser.add_argument(
        "--representative", metavar="R", help="least entities per sample against the corpus (default 0.9), or off"
    )
    parser.add_argument("--min-per-type", type=int, metavar="N", help="mentions of each type; default 20")
    parser.add_argument(
        "--type-share", type=float, metavar="R", help="keep the mix of types as near to the corpus's, such as 0.8"
    )
    parser.add_argument(
        "--stratify", metavar="COL", help="a column, such as language (doc: the document), whose values keep the ratios"
    )
    parser.add_argument(
        "--tear-duplicates", dest="duplicates_together", action="store_false", default=None,
        help="let samples with the same words go to different splits",
    )  # fmt: skip
    add_column_options(parser)
    add_key_options(parser, relations=True)
    add_tag_options(parser)
    parser.set_defaults(key=None, repair=None)
    parser.add_argument("--column", type=int, metavar="N", help="CoNLL column of the tags; default the last")
    parser.add_argument(
        "--format", choices=["jsonl", "conll", "input"],
        help="of the files written; input keeps the rows as they stand in the input, with all columns. "
        "Default: jsonl, and for datasets of the Hub and CSV files parquet with the rows as they stand",
    )  # fmt: skip
    parser.add_argument("--html", metavar="FILE", help="the report as a page too: one file that needs no other")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _split(arguments: argparse.Namespace) -> str:
    if arguments.frontier:
        for name in ("discard", "representative", "format", "compare"):
            if getattr(arguments, name):
                raise CleancutError(f"--{name} has no effect with --frontier, which tries several. Leave it out.")
    elif not arguments.output:
        raise CleancutError("split: there is no folder to write to. Give -o DIR, or --frontier to see what to choose.")
    if arguments.recipe:
        Recipe.find(arguments.recipe).fill(vars(arguments))
    if not arguments.input:
        raise CleancutError("split: there is nothing to split. Give INPUT, or --recipe with the name of a recipe.")
    arguments.repair = arguments.repair or Repair.CONLLEVAL
    samples = _split_samples(arguments)
    parts = {name: part.corpus for name, part in samples.items()}
    if arguments.join_at:
        parts = {name: join_at(corpus) for name, corpus in parts.items()}
    given = {name: vars(arguments).get(name) for name in SPLIT}
    options = {name: value for name, value in given.items() if value is not None} | shared_key(arguments)
    if "representative" in options:
        floor = options["representative"]
        options["representative"] = None if floor == "off" else _number(floor, "--representative")
    if "stratify" in options:
        column = options["stratify"]
        options["stratify"] = {column: [value for part in samples.values() for value in part.column(column)]}
    title = f" of {arguments.input[0]}" if len(arguments.input) == 1 else ""
    if arguments.frontier:
        return _frontier(arguments, parts, options, f"Frontier{title}")
    method, discard = options.pop("method", "mincut"), options.pop("discard", 0)
    with work_shown("cutting") as shown:
        plan = mincut(parts, method=method, discard=discard, progress=shown, **options)
    compared = {method: plan}
    if arguments.compare:
        from ..partition import has_metis

        others = ["random", "paper"] if has_metis() else ["random"]
        compared |= {other: mincut(parts, method=other, **options) for other in others}
    source = next(iter(samples.values())).source
    if source is not None:
        plan = replace(plan, source=asdict(source))
    with written_together(arguments.output) as folder:
        files = [] if not is_local(arguments.input[0]) else list(_split_inputs(arguments.input).values())
        write_split(
            plan, parts, folder, format=_kept_format(arguments, samples), samples=samples, files=files,
            reading=_reading(arguments),
        )  # fmt: skip
        Path(folder, "report.md").write_text(split_text(compared, markdown=True) + "\n", "utf-8")
    if arguments.html:
        groups = component_sizes(parts, **shared_key(arguments))
        write_text(arguments.html, html_split(compared, components=groups, title=f"Split{title}"))
    if arguments.json:
        return to_json(plan.to_dict())
    return f"{split_text(compared, colour=wants_colour())}\n\nWritten to {arguments.output}."


def _frontier(arguments: argparse.Namespace, parts: Mapping[str, Any], options: dict[str, Any], title: str) -> str:
    chosen = {name: value for name, value in options.items() if name not in ("discard", "representative")}  # a recipe's
    with work_shown("cutting") as shown:
        found = frontier(parts, progress=shown, **chosen)
    page, plain = html_frontier(found, title=title), to_json(found.to_dict())
    if arguments.output:
        os.makedirs(arguments.output, exist_ok=True)
        texts = {"md": frontier_text(found, markdown=True), "json": plain, "html": page}
        for suffix, text in texts.items():
            write_text(os.path.join(arguments.output, f"frontier.{suffix}"), text + "\n")
    if arguments.html:
        write_text(arguments.html, page)
    if arguments.json:
        return plain
    said = [f"Written to {arguments.output}."] if arguments.output else []
    return "\n\n".join([frontier_text(found, colour=wants_colour()), *said])


def _split_inputs(inputs: list[str]) -> dict[str, str]:
    """The files, by the name of their original split where it shows, else by their place."""
    if len(inputs) == 1 and os.path.isdir(inputs[0]):
        return split_files(inputs[0])
    found = [split_name(file) for file in inputs]
    if len(inputs) > 1 and None not in found and len(set(found)) == len(found):
        return {str(name): file for name, file in zip(found, inputs, strict=True)}
    return {f"part {i}" if len(inputs) > 1 else "": file for i, file in enumerate(inputs)}


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise CleancutError(f"{option}: {text!r} is not a number.") from None


def _split_samples(arguments: argparse.Namespace) -> dict[str, Samples]:
    """The original splits, from a dataset on the Hub or from files."""
    options = {**tag_options(arguments), **column_options(arguments)}
    hub = [source for source in arguments.input if not is_local(source)]
    if hub and len(arguments.input) > 1:
        raise CleancutError(f"{hub[0]} is a dataset on the Hub. Give it alone.")
    if hub:
        if arguments.column is not None:
            raise CleancutError("--column is for CoNLL files. Give --tags COL for a dataset.")
        found = load_splits(hub[0], **options)
        say_found(hub[0], found)
    else:
        found = {}
        files = _split_inputs(arguments.input)
        if arguments.output:
            refuse_own_input(files.values(), arguments.output)
        for name, file in files.items():
            found[name] = read_samples(file, column=arguments.column, **options)
            say_found(file, {"": found[name]})
    torn = any(part.holds_documents for part in found.values())
    if torn and arguments.unit != Unit.DOC and _kept_format(arguments, found) == "input":
        raise CleancutError("the rows are documents of several sentences, which stay whole. Give --unit doc.")
    return found


def _reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """What it takes to read the rows again, as the plan keeps it."""
    given = {**tag_options(arguments), "column": arguments.column}
    return {name: value for name, value in given.items() if value not in (None, Repair.CONLLEVAL)}


def _kept_format(arguments: argparse.Namespace, samples: Mapping[str, Samples]) -> str:
    """The format to write: as asked, else rows as they stand for datasets and jsonl for files."""
    is_dataset = any(hasattr(part.rows, "with_format") for part in samples.values())
    return arguments.format or ("input" if is_dataset else "jsonl")
