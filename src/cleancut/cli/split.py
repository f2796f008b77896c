"""cleancut split and incidence."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core.at_signs import join_at
from ..core.entities import Shared
from ..core.exceptions import CleancutError
from ..core.files import made_folder, name_inside, temporary_folder, write_text
from ..core.interrupts import uninterrupted
from ..core.tags import Repair
from ..reading.dataset import Samples, given_samples, load_splits, read_files
from ..reading.hub_ids import is_local
from ..reading.progress import work_shown
from ..reading.splits import by_split
from ..showing.escaping import one_line
from ..showing.html import html_frontier, html_split
from ..showing.text import frontier_text, split_text, to_json
from ..splitting.audit import Unit
from ..splitting.folders import (
    ASSIGNMENT,
    PLAN,
    SplitFormat,
    default_format,
    refuse_foreign,
    refuse_own_input,
    write_assignment,
    written_together,
)
from ..splitting.frontier import frontier
from ..splitting.incidence import Incidences, write_incidence
from ..splitting.mincut import component_sizes, mincut, read_as, source_of
from ..splitting.plan import SplitPlan
from ..splitting.recipes import Recipe
from ..splitting.settings import DEFAULTS, OPTIONS, Engine, flag_of
from .options import (
    add_column_options,
    add_key_options,
    add_tag_options,
    column_options,
    command,
    json_answer,
    key,
    say_found,
    shared_key,
    tag_options,
)
from .paths import Input, Output, OutputFolder, add_overwrite_option
from .terminal import wants_colour

SPARK = "spark"
"""On the command line an engine like the others: peeling, with its components found by Spark."""


def add(commands: Any) -> None:
    _add_split(commands)
    _add_incidence(commands)


def _add_split(commands: Any) -> None:
    parser = command(
        commands,
        "split",
        _split,
        "split so that train, validation and test share as few entities as possible",
        "cleancut split train.conll test.conll -o clean --ratios 80/10/10",
    )
    parser.add_argument(
        "input", nargs="*", type=Input, metavar="SOURCE",
        help="files, a folder with train, dev and test files, or a dataset on the Hub (org/name:config@revision)",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", type=OutputFolder, metavar="DIR", help="folder for the splits, plan and report"
    )
    add_overwrite_option(parser)
    parser.add_argument(
        "--frontier", action="store_true",
        help="split nothing, but show what less sharing costs by several discards and density floors, and which to use",
    )  # fmt: skip
    parser.add_argument(
        "--incidence", type=Input, metavar="FILE",
        help="split the samples of such a file (see cleancut incidence) instead of INPUT; DIR gets assignment.parquet",
    )  # fmt: skip
    parser.add_argument(
        "--recipe",
        type=Input,
        metavar="FILE",
        help="a .toml file, or the name of a shipped recipe: INPUT and options not given",
    )
    parser.add_argument("--compare", action="store_true", help="show random and paper beside the method")
    _add_split_options(parser)
    _add_spark_options(parser)
    _add_reading_options(parser, relations=True)
    parser.add_argument(
        "--format", choices=list(SplitFormat),
        help="of the files written; input keeps the rows as they stand in the input, with all columns. "
        "Default: input for datasets of the Hub, parquet, JSONL and CSV (which become parquet), jsonl for CoNLL",
    )  # fmt: skip
    parser.add_argument(
        "--html", type=Output, metavar="FILE", help="the report as a page too: one file that needs no other"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _add_split_options(parser: Any, only: Iterable[str] = OPTIONS) -> None:
    """Add the options of a split; without a default, so that a recipe can fill in what is not given."""
    for name in only:
        option, default = OPTIONS[name], getattr(DEFAULTS, name)
        if name in _KEY:
            continue
        if isinstance(default, bool):
            parser.add_argument(option.flag, dest=name, action="store_false", default=None, help=option.flag_help)
            continue
        said = "" if default is None else f"; default {option.write(default)}"
        more: dict[str, Any] = {"metavar": option.metavar}
        if option.choices is not None:
            more = {"choices": [*option.choices, SPARK] if name == "engine" else list(option.choices)}
            said += ". spark: as peel, from any path that Spark reads, into assignment.parquet" * (name == "engine")
        elif option.read in (int, float):
            more["type"] = option.read
        parser.add_argument(flag_of(name), **more, help=option.help + said)


_KEY = ("key", "case", "typed")
"""Options of a split that other commands have too, where --key and --ignore-case say them."""


def _add_incidence(commands: Any) -> None:
    parser = command(
        commands,
        "incidence",
        _incidence,
        "write which sample mentions which entity how often, as Parquet: what a split has to know of a corpus",
        "cleancut incidence corpus.jsonl -o corpus.parquet && cleancut split --incidence corpus.parquet -o plan",
    )
    parser.add_argument("input", nargs="+", type=Input, metavar="SOURCE", help="as for cleancut split")
    parser.add_argument(
        "-o", "--output", required=True, type=Output, metavar="FILE", help="the file; of Spark, a folder of files"
    )
    _add_split_options(parser, ("unit", "duplicates_together"))
    parser.add_argument("--engine", choices=[SPARK], help="extract with Spark, from any path that it reads")
    _add_spark_options(parser)
    _add_reading_options(parser)
    parser.set_defaults(format="jsonl")


def _add_spark_options(parser: Any) -> None:
    parser.add_argument("--master", metavar="URL", help="of Spark, such as local[2] or yarn; default local[*]")
    parser.add_argument(
        "--spark-conf", action="append", metavar="NAME=VALUE",
        help="a setting of Spark, such as spark.driver.memory=8g; can be repeated. Keep secrets in spark-defaults.conf",
    )  # fmt: skip


def _add_reading_options(parser: Any, *, relations: bool = False) -> None:
    add_column_options(parser)
    add_key_options(parser, relations=relations)
    add_tag_options(parser)
    parser.set_defaults(key=None, repair=None)
    parser.add_argument("--column", type=int, metavar="N", help="CoNLL column of the tags; default the last")


def _split(arguments: argparse.Namespace) -> str:
    _refuse_without_effect(arguments, ("recipe",), "with --incidence", bool(arguments.incidence))
    several = ("discard", "representative", "format", "compare")
    _refuse_without_effect(arguments, several, "with --frontier, which tries several", arguments.frontier)
    if not arguments.output and not arguments.frontier:
        raise CleancutError("split: there is no folder to write to. Give -o DIR, or --frontier to see what to choose.")
    if arguments.recipe:
        Recipe.find(arguments.recipe).fill(vars(arguments))
    if not arguments.input and not arguments.incidence:
        raise CleancutError("split: there is nothing to split. Give INPUT, or --recipe with the name of a recipe.")
    _refuse_without_effect(arguments, ("master", "spark_conf"), "without --engine spark", arguments.engine != SPARK)
    arguments.repair = arguments.repair or Repair.CONLLEVAL
    if arguments.incidence or arguments.engine == SPARK:
        return _split_incidences(arguments)
    samples = _split_samples(arguments)
    read = read_as(samples, _reading(arguments), joined=arguments.join_at)
    parts = {name: part.corpus for name, part in given_samples(samples, read).items()}
    options = _options(arguments, shared_key(arguments))
    if "stratify" in options:
        column = options["stratify"]
        options["stratify"] = {column: [value for part in samples.values() for value in part.column(column)]}
    title = f" of {arguments.input[0]}" if len(arguments.input) == 1 else ""
    if arguments.frontier:
        return _frontier(arguments, parts, options, f"Frontier{title}")
    # now rather than after the work
    refuse_foreign(arguments.output, _to_write(arguments, samples), overwrite=arguments.overwrite)
    plans = _plans(parts, arguments, options)
    for method, plan in plans.items():
        plans[method] = replace(plan, read_as=read, source=source_of(samples))
    plan = next(iter(plans.values()))
    report = {REPORT: f"{split_text(plans, markdown=True)}\n"}
    page = ""
    if arguments.html:
        groups = component_sizes(parts, **shared_key(arguments))
        page = html_split(plans, components=groups, title=f"Split{title}")
    overwrite = arguments.overwrite
    plan.write(arguments.output, samples, format=arguments.format, beside=report, overwrite=overwrite)
    if page:
        write_text(arguments.html, page)
    return _said(plans, arguments)


def _options(arguments: argparse.Namespace, more: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was asked of ``mincut``."""
    given = {name: vars(arguments).get(name) for name in OPTIONS if name not in _KEY}
    given["engine"] = _engine(arguments)
    return {name: _value(name, value) for name, value in given.items() if value is not None} | dict(more)


def _value(name: str, given: Any) -> Any:
    """Return the value of an option, from the text that was given for it."""
    try:
        return OPTIONS[name].read(given) if isinstance(given, str) else given
    except ValueError:
        raise CleancutError(f"{flag_of(name)}: {given!r} is not a number.") from None


def _plans(data: Any, arguments: argparse.Namespace, options: dict[str, Any]) -> dict[str, SplitPlan]:
    """The plan, and those to compare it with, by their methods."""
    method, discard = options.pop("method", "mincut"), options.pop("discard", 0)
    with work_shown("cutting") as shown:
        plans = {method: mincut(data, method=method, discard=discard, progress=shown, **options)}
    if arguments.compare:
        from ..splitting.solver import has_metis

        others = ["random", "paper"] if has_metis() else ["random"]
        common = {name: value for name, value in options.items() if name not in ("stratify", "type_share")}
        plans |= {other: mincut(data, method=other, **common) for other in others}
    return plans


def _engine(arguments: argparse.Namespace) -> str | None:
    return Engine.PEEL if arguments.engine == SPARK else arguments.engine


REPORT = "report.md"


def _said(plans: Mapping[str, SplitPlan], arguments: argparse.Namespace) -> str:
    if arguments.json:
        return json_answer(next(iter(plans.values())).to_dict())
    return f"{split_text(plans, colour=wants_colour())}\n\nWritten to {one_line(arguments.output)}."


def _frontier(arguments: argparse.Namespace, data: Any, options: dict[str, Any], title: str) -> str:
    chosen = {name: value for name, value in options.items() if name not in ("discard", "representative")}  # a recipe's
    if arguments.output and not arguments.overwrite:
        _refuse_other_frontier(arguments.output)
    with work_shown("cutting") as shown:
        found = frontier(data, progress=shown, **chosen)
    page, plain = html_frontier(found, title=title), to_json(found.to_dict())
    if arguments.output:
        texts = {"md": frontier_text(found, markdown=True), "json": plain, "html": page}
        with made_folder(arguments.output), uninterrupted():
            for suffix, text in texts.items():
                write_text(name_inside(arguments.output, f"frontier.{suffix}"), text + "\n")
    if arguments.html:
        write_text(arguments.html, page)
    if arguments.json:
        return json_answer(found.to_dict())
    said = [f"Written to {one_line(arguments.output)}."] if arguments.output else []
    return "\n\n".join([frontier_text(found, colour=wants_colour()), *said])


def _refuse_other_frontier(folder: str) -> None:
    """An error where a file that is to be written is there, and is not of a frontier."""
    paths = {suffix: name_inside(folder, f"frontier.{suffix}") for suffix in ("md", "json", "html")}
    try:
        stored = json.loads(Path(paths["json"]).read_bytes())
        ours = stored.keys() >= {"points", "recommendation", "signature"}
    except (OSError, ValueError, AttributeError):
        ours = False
    for path in paths.values():
        if os.path.lexists(path) and not ours:
            remedy = "Choose another folder, or give --overwrite"
            raise CleancutError(f"{path} is not a file of cleancut's, and would be lost. {remedy}.")


# --- samples by their entities alone --------------------------------------------------------------------------

_OF_TEXT = (
    "input", "unit", "duplicates_together", "join_at", "key", "ignore_case", "tokens", "tags", "entities", "labels",
    "scheme",
)  # fmt: skip
_NOT_OF_SPARK = ("column", "text", "document", "end", "duplicates_together")


def _split_incidences(arguments: argparse.Namespace) -> str:
    of_rows = ("format", "column", "text", "document", "end", "stratify")
    _refuse_without_effect(arguments, of_rows, "without the text", True)
    if arguments.frontier and arguments.engine != SPARK:
        with _incidences(arguments) as data:
            return _frontier(arguments, data, _options(arguments, {}), f"Frontier of {arguments.incidence}")
    _refuse_without_effect(arguments, ("frontier",), "with --engine spark", True)
    if arguments.key in (Shared.PAIR, Shared.TRIPLE):
        raise CleancutError(f"--key {arguments.key}: incidences are of entities, without relations. Give INPUT alone.")
    refuse_foreign(arguments.output, (PLAN, REPORT, ASSIGNMENT), overwrite=arguments.overwrite)
    together = written_together(arguments.output, overwrite=arguments.overwrite)
    with together as folder, _incidences(arguments) as data:
        for name in ("unit", "duplicates_together"):  # what they say is in the incidences already
            setattr(arguments, name, None)
        plans = _plans(data, arguments, _options(arguments, {}))
        title = f"Split of {arguments.incidence or arguments.input[0]}"
        page = html_split(plans, title=title) if arguments.html else ""
        write_text(os.path.join(folder, REPORT), f"{split_text(plans, markdown=True)}\n")
        write_assignment(next(iter(plans.values())), data, folder)
    if page:
        write_text(arguments.html, page)
    return _said(plans, arguments)


@contextmanager
def _incidences(arguments: argparse.Namespace) -> Iterator[Incidences]:
    """From a file or from Spark, which keeps what it needs in a hidden folder beside the results."""
    file = arguments.incidence
    _refuse_without_effect(arguments, _OF_TEXT, "with --incidence, which has the entities", bool(file))
    if arguments.engine != SPARK:
        yield Incidences.load(file)
        return
    from ..splitting.spark import spark_incidences, spark_session

    with (
        temporary_folder(arguments.output, ".spark-") as scratch,
        spark_session(arguments.master, _spark_conf(arguments), scratch),
    ):
        if not file:
            file = os.path.join(scratch, "incidence")
            _extract(arguments, file)
        with spark_incidences(file) as data:
            yield data


def _incidence(arguments: argparse.Namespace) -> str:
    arguments.repair = arguments.repair or Repair.CONLLEVAL
    is_spark = arguments.engine == SPARK
    _refuse_without_effect(arguments, ("master", "spark_conf"), "without --engine spark", not is_spark)
    if is_spark:
        _extract(arguments, arguments.output)
    else:
        parts = {name: samples.corpus for name, samples in _split_samples(arguments).items()}
        parts = {name: join_at(corpus) if arguments.join_at else corpus for name, corpus in parts.items()}
        given = {name: getattr(arguments, name) for name in ("unit", "duplicates_together")}
        options = {name: value for name, value in given.items() if value is not None} | key(arguments)
        write_incidence(parts, arguments.output, **options)
    return f"Written to {one_line(arguments.output)}."


def _extract(arguments: argparse.Namespace, path: str) -> None:
    from ..splitting.spark import spark_extract

    _refuse_without_effect(arguments, _NOT_OF_SPARK, "with --engine spark", True)
    columns = {name: getattr(arguments, name) for name in ("tokens", "tags", "entities")}
    spark_extract(
        arguments.input, path, master=arguments.master, conf=_spark_conf(arguments), unit=arguments.unit or Unit.SAMPLE,
        joined=arguments.join_at, **key(arguments), **tag_options(arguments), **columns,
    )  # fmt: skip


def _spark_conf(arguments: argparse.Namespace) -> dict[str, str]:
    pairs = [text.partition("=") for text in arguments.spark_conf or ()]
    for name, equals, _ in pairs:
        if not equals:  # the value is not shown: it may be a secret
            raise CleancutError(f"--spark-conf: {name.partition('=')[0]:.40} is no NAME=VALUE. Give the value as well.")
    return {name: value for name, _, value in pairs}


def _refuse_without_effect(
    arguments: argparse.Namespace, names: tuple[str, ...], why: str, useless: bool
) -> None:  # fmt: skip
    for name in names:
        default = None if name == "duplicates_together" else False
        if useless and vars(arguments).get(name) not in (None, default, []):
            option = {"input": "INPUT", "duplicates_together": "--tear-duplicates"}.get(name, f"--{name}")
            raise CleancutError(f"{option.replace('_', '-')} has no effect {why}. Leave it out.")


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
        files = by_split(arguments.input)
        if arguments.output:
            refuse_own_input(files.values(), arguments.output)
        found = read_files(files, column=arguments.column, **options)
        for name, file in files.items():
            say_found(file, {"": found[name]})
    torn = any(part.holds_documents for part in found.values())
    if torn and arguments.unit != Unit.DOC and _kept_format(arguments, found) == "input":
        raise CleancutError("the rows are documents of several sentences, which stay whole. Give --unit doc.")
    return found


def _reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options by which the rows are read, where not by default."""
    given = {**tag_options(arguments), "column": arguments.column, **column_options(arguments)}
    return {name: value for name, value in given.items() if value not in (None, Repair.CONLLEVAL)}


def _to_write(arguments: argparse.Namespace, samples: Mapping[str, Samples]) -> list[str]:
    """The files of a split that are certain beforehand."""
    format = _kept_format(arguments, samples)
    splits = [] if format == "input" else [f"{name}.{format}" for name in ("train", "test")]
    return [PLAN, REPORT, *splits]


def _kept_format(arguments: argparse.Namespace, samples: Mapping[str, Samples]) -> str:
    return arguments.format or default_format(samples)
