"""The commands ``cleancut split`` and ``cleancut incidence``."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core import checks
from ..core.at_signs import join_at
from ..core.corpus import Corpus
from ..core.entities import Shared
from ..core.exceptions import CleancutError, quoted
from ..core.files import made_folder, name_inside, temporary_folder, write_text
from ..core.interrupts import uninterrupted
from ..core.tags import Repair
from ..reading.dataset import Samples, given_samples, load_splits, read_files
from ..reading.hub_ids import is_local
from ..reading.progress import work_shown
from ..reading.splits import by_split
from ..showing.escaping import one_line
from ..showing.html import html_frontier, html_split
from ..showing.text import folds_text, frontier_text, split_text, to_json
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
from ..splitting.folds import mincut_folds, refuse_foreign_folds
from ..splitting.frontier import frontier
from ..splitting.incidence import Incidences, write_incidence
from ..splitting.mincut import component_sizes, mincut, read_as, source_of
from ..splitting.patience import stopped_by_interrupt
from ..splitting.plan import SplitPlan
from ..splitting.recipes import Recipe
from ..splitting.settings import DEFAULTS, OPTIONS, Engine, flag_of
from .options import (
    add_aliases_option,
    add_column_options,
    add_conll_column_option,
    add_json_option,
    add_key_options,
    add_page_option,
    add_tag_options,
    column_options,
    command,
    json_answer,
    key,
    same_options,
    shared_key,
    tag_options,
    tell_shapes,
)
from .paths import Input, Output, OutputFolder, add_overwrite_option, provenance, title_of_data
from .terminal import screen

SPARK = "spark"
"""An engine of the command line alone: peeling, as by ``peel``, of components that Spark computes."""


def add(commands: Any) -> None:
    """Add ``cleancut split`` and ``cleancut incidence`` to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
    """
    _add_split(commands)
    _add_incidence(commands)


def _add_split(commands: Any) -> None:
    """Add ``cleancut split``."""
    parser = command(
        commands,
        "split",
        _split,
        "split so that train, validation and test share as few entities as possible",
        "cleancut split train.conll test.conll -o clean --ratios 80/10/10",
    )
    parser.add_argument(
        "input",
        nargs="*",
        type=Input,
        metavar="SOURCE",
        help="the data to split: files, a folder with train, dev and test files, or a dataset on the Hub "
        "(org/name:config@revision)",
    )
    parser.add_argument(
        "-o", "--output", type=OutputFolder, metavar="DIR", help="the folder for the splits, the plan and the report"
    )
    add_overwrite_option(parser)
    parser.add_argument(
        "--frontier",
        action="store_true",
        help="write no split, but show what less sharing costs for several discards and density floors, and "
        "recommend one",
    )
    parser.add_argument(
        "--incidence",
        type=Input,
        metavar="FILE",
        help="split the samples of a file that cleancut incidence wrote, instead of SOURCE; DIR then holds "
        "assignment.parquet instead of the splits",
    )
    parser.add_argument(
        "--recipe",
        type=Input,
        metavar="FILE",
        help="a .toml file, or the name of a recipe of cleancut, that gives SOURCE and the options that are not "
        "given here",
    )
    parser.add_argument(
        "--folds",
        type=int,
        metavar="K",
        help="write K folds for cross-validation that share as few entities as possible, instead of splits",
    )
    parser.add_argument("--compare", action="store_true", help="also show splits by the methods random and paper")
    _add_split_options(parser)
    _add_spark_options(parser)
    _add_reading_options(parser, relations=True)
    parser.add_argument(
        "--format",
        choices=list(SplitFormat),
        help="the format of the splits; input keeps the rows as they are in SOURCE, with all columns. By default "
        "input for JSONL, Parquet, CSV and datasets of the Hub (the last two become Parquet), and jsonl for all others",
    )
    add_page_option(parser, "report")
    add_json_option(parser)


def _add_split_options(parser: Any, only: Iterable[str] = OPTIONS) -> None:
    """Add options of a split, all of them by default; none has a default value, so that a recipe can fill it in."""
    for name in only:
        option, default = OPTIONS[name], getattr(DEFAULTS, name)
        if name in _KEY:
            continue
        if isinstance(default, bool):
            parser.add_argument(option.flag, dest=name, action="store_false", default=None, help=option.flag_help)
            continue
        explanation = option.help
        if default is not None:
            explanation += f"; default {option.write(default)}"
        values: dict[str, Any] = {"metavar": option.metavar}
        if option.choices is not None:
            values = {"choices": list(option.choices)}
        elif option.read in (int, float):
            values["type"] = option.read
        if name == "engine":
            values["choices"].append(SPARK)
            explanation += (
                ". spark does as peel does, but reads any path that Spark reads, and writes assignment.parquet"
            )
        parser.add_argument(flag_of(name), **values, help=explanation)


_KEY = ("key", "case", "typed")
"""The options of a split that are given by --key and --ignore-case, as in other commands."""


def _add_incidence(commands: Any) -> None:
    """Add ``cleancut incidence``."""
    parser = command(
        commands,
        "incidence",
        _incidence,
        "write which sample mentions which entity how often, as Parquet: all that a split has to know of a corpus",
        "cleancut incidence corpus.jsonl -o corpus.parquet && cleancut split --incidence corpus.parquet -o plan",
    )
    parser.add_argument("input", nargs="+", type=Input, metavar="SOURCE", help="the data, as for cleancut split")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=Output,
        metavar="FILE",
        help="the file to write; with Spark, a folder of files",
    )
    _add_split_options(parser, ("unit", "same", "duplicates_together"))
    parser.add_argument("--engine", choices=[SPARK], help="extract with Spark, from any path that it reads")
    _add_spark_options(parser)
    _add_reading_options(parser)
    parser.set_defaults(format="jsonl")


def _add_spark_options(parser: Any) -> None:
    """Add the options of Spark."""
    parser.add_argument(
        "--master", metavar="URL", help="the master of Spark, such as local[2] or yarn; default local[*]"
    )
    parser.add_argument(
        "--spark-conf",
        action="append",
        metavar="NAME=VALUE",
        help="a setting of Spark, such as spark.driver.memory=8g; can be repeated. Keep secrets in spark-defaults.conf",
    )


def _add_reading_options(parser: Any, *, relations: bool = False) -> None:
    """Add the options that say how the data are read; a recipe may fill in --key and --repair."""
    add_column_options(parser)
    add_key_options(parser, relations=relations)
    add_tag_options(parser)
    parser.set_defaults(key=None, repair=None)
    add_conll_column_option(parser)
    add_aliases_option(parser)


def _split(arguments: argparse.Namespace) -> str:
    """Split the data and write the splits, or show the frontier, and return the result as text or JSON."""
    _refuse_without_effect(arguments, ("recipe",), "with --incidence", bool(arguments.incidence))
    several = ("discard", "representative", "format", "compare")
    _refuse_without_effect(arguments, several, "with --frontier, which tries several", arguments.frontier)
    if not arguments.output and not arguments.frontier:
        raise CleancutError("split: there is no folder to write to. Give -o DIR, or --frontier to see what to choose.")
    if arguments.folds is not None:
        checks.whole(arguments.folds, "--folds", 2)
        _refuse_without_effect(arguments, _OF_SPLITS, "with --folds", True)
        _refuse_without_effect(arguments, ("engine",), "with --folds", arguments.engine == SPARK)
    if arguments.recipe:
        Recipe.find(arguments.recipe).fill(vars(arguments))
    if not arguments.input and not arguments.incidence:
        raise CleancutError("split: there is nothing to split. Give SOURCE, or --recipe with the name of a recipe.")
    _refuse_without_effect(arguments, ("master", "spark_conf"), "without --engine spark", arguments.engine != SPARK)
    arguments.repair = arguments.repair or Repair.CONLLEVAL
    if arguments.incidence or arguments.engine == SPARK:
        return _split_incidences(arguments)
    samples = _split_samples(arguments)
    read = read_as(samples, _reading(arguments), joined=arguments.join_at)
    parts = {name: part.corpus for name, part in given_samples(samples, read).items()}
    notions = same_options(arguments, several=arguments.frontier)
    arguments.same = arguments.part_limit = arguments.aliases = arguments.ids = None  # the notions have all of it
    options = {**_options(arguments, shared_key(arguments)), **notions}
    if "stratify" in options:
        column = options["stratify"]
        options["stratify"] = {column: [value for part in samples.values() for value in part.column(column)]}
    of_source = f" of {title_of_data(arguments.input[0])}" if len(arguments.input) == 1 else ""
    if arguments.frontier:
        return _frontier(arguments, parts, options, f"Frontier{of_source}")
    if arguments.folds is not None:
        return _folds(arguments, parts, options)
    # Refuse now rather than after the work.
    refuse_foreign(arguments.output, _to_write(arguments, samples), overwrite=arguments.overwrite)
    plans = _plans(parts, arguments, options)
    for method, plan in plans.items():
        plans[method] = replace(plan, read_as=read, source=source_of(samples))
    plan = next(iter(plans.values()))
    report = {REPORT: f"{split_text(plans, markdown=True)}\n"}
    page = ""
    if arguments.html:
        components = component_sizes(parts, **shared_key(arguments), **notions)
        title = f"Split{of_source}"
        page = html_split(plans, components=components, title=title, provenance=provenance(arguments))
    overwrite = arguments.overwrite
    plan.write(arguments.output, samples, format=arguments.format, beside=report, overwrite=overwrite)
    if page:
        write_text(arguments.html, page)
    return _summary(plans, arguments)


_OF_SPLITS = (
    "frontier", "incidence", "recipe", "compare", "html", "ratios", "method", "stratify", "type_share", "prove",
)  # fmt: skip
"""The options of a split that folds do not have."""


def _folds(arguments: argparse.Namespace, parts: Mapping[str, Corpus], options: dict[str, Any]) -> str:
    """Write folds that share as few entities as possible, and return what they are as text or JSON."""
    if options.pop("key") != Shared.ENTITY:
        raise CleancutError(f"--key {arguments.key}: folds are cut by entities. Leave it out.")
    format = arguments.format or SplitFormat.JSONL
    if format == SplitFormat.INPUT:
        raise CleancutError("--format input has no effect with --folds. Give --format jsonl or conll.")
    refuse_foreign_folds(arguments.output, arguments.folds, format, overwrite=arguments.overwrite)
    corpus = Corpus.concatenate(list(parts.values()))
    with stopped_by_interrupt(), work_shown("cutting") as progress:
        folds = mincut_folds(corpus, arguments.folds, progress=progress, **options)
    folds.write(corpus, arguments.output, format=format, overwrite=arguments.overwrite)
    if arguments.json:
        return json_answer(folds.to_dict())
    return f"{folds_text(folds, screen=screen())}\n\nWritten to {one_line(arguments.output)}."


def _options(arguments: argparse.Namespace, more: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of ``mincut`` that are given, and some more."""
    given = {name: vars(arguments).get(name) for name in OPTIONS if name not in _KEY}
    given["engine"] = _engine(arguments)
    return {name: _value(name, value) for name, value in given.items() if value is not None} | dict(more)


def _value(name: str, given: Any) -> Any:
    """Return the value of an option, which may be given as text."""
    try:
        return OPTIONS[name].read(given) if isinstance(given, str) else given
    except ValueError:
        raise CleancutError(f"{flag_of(name)}: {quoted(given)} is not a number.") from None


def _plans(data: Any, arguments: argparse.Namespace, options: dict[str, Any]) -> dict[str, SplitPlan]:
    """Return the plan, and those to compare it with, by their methods."""
    method = options.pop("method", "mincut")
    discard = options.pop("discard", 0)
    with stopped_by_interrupt(), work_shown("cutting") as progress:
        plans = {method: mincut(data, method=method, discard=discard, progress=progress, **options)}
    if arguments.compare:
        from ..splitting.engines import has_metis

        others = ["random", "paper"] if has_metis() else ["random"]
        common = {name: value for name, value in options.items() if name not in ("stratify", "type_share")}
        plans |= {other: mincut(data, method=other, **common) for other in others}
    return plans


def _engine(arguments: argparse.Namespace) -> str | None:
    """Return the engine that ``mincut`` knows: Spark is one of the command line alone."""
    return Engine.PEEL if arguments.engine == SPARK else arguments.engine


REPORT = "report.md"
"""The file of the report beside a split."""


def _summary(plans: Mapping[str, SplitPlan], arguments: argparse.Namespace) -> str:
    """Return what is printed of a split, as text or JSON."""
    if arguments.json:
        return json_answer(next(iter(plans.values())).to_dict())
    return f"{split_text(plans, screen=screen())}\n\nWritten to {one_line(arguments.output)}."


def _frontier(arguments: argparse.Namespace, data: Any, options: dict[str, Any], title: str) -> str:
    # A recipe may give these two, of which the frontier tries several.
    """Compute the frontier, write it where it is asked for, and return it as text or JSON."""
    fixed = {name: value for name, value in options.items() if name not in ("discard", "representative")}
    if arguments.output and not arguments.overwrite:
        _refuse_other_frontier(arguments.output)
    with work_shown("cutting") as progress:
        result = frontier(data, progress=progress, **fixed)
    page = html_frontier(result, title=title, provenance=provenance(arguments))
    if arguments.output:
        texts = {"md": frontier_text(result, markdown=True), "json": to_json(result.to_dict()), "html": page}
        with made_folder(arguments.output), uninterrupted():
            for suffix, text in texts.items():
                write_text(name_inside(arguments.output, f"frontier.{suffix}"), text + "\n")
    if arguments.html:
        write_text(arguments.html, page)
    if arguments.json:
        return json_answer(result.to_dict())
    text = frontier_text(result, screen=screen())
    if arguments.output:
        text += f"\n\nWritten to {one_line(arguments.output)}."
    return text


def _refuse_other_frontier(folder: str) -> None:
    """Raise an error if a file of the frontier would overwrite a file that is not of a frontier."""
    paths = {suffix: name_inside(folder, f"frontier.{suffix}") for suffix in ("md", "json", "html")}
    try:
        stored = json.loads(Path(paths["json"]).read_bytes())
        is_frontier = stored.keys() >= {"points", "recommendation", "signature"}
    except (OSError, ValueError, AttributeError):
        is_frontier = False
    for path in paths.values():
        if os.path.lexists(path) and not is_frontier:
            remedy = "Choose another folder, or give --overwrite"
            raise CleancutError(f"{path} is not a file of cleancut's, and would be lost. {remedy}.")


# --- samples by their entities alone --------------------------------------------------------------------------

_OF_TEXT = (
    "input", "unit", "same", "ids", "aliases", "part_limit", "templates", "duplicates_together", "join_at", "key",
    "ignore_case", "tokens", "tags", "entities", "labels", "scheme",
)  # fmt: skip
"""The options that say how text is read, of which a file of incidences holds none."""
_NOT_OF_SPARK = ("column", "text", "document", "end", "duplicates_together")
"""The options that extraction by Spark does not have."""


def _split_incidences(arguments: argparse.Namespace) -> str:
    """Split samples of which only the entities are known, and return the result as text or JSON."""
    of_rows = ("format", "column", "text", "document", "end", "stratify")
    _refuse_without_effect(arguments, of_rows, "without the text", True)
    if arguments.frontier and arguments.engine != SPARK:
        with _incidences(arguments) as data:
            return _frontier(arguments, data, _options(arguments, {}), f"Frontier of {arguments.incidence}")
    _refuse_without_effect(arguments, ("frontier",), "with --engine spark", True)
    if arguments.key in (Shared.PAIR, Shared.TRIPLE):
        raise CleancutError(
            f"--key {arguments.key}: incidences are of entities, without relations. Give SOURCE instead."
        )
    refuse_foreign(arguments.output, (PLAN, REPORT, ASSIGNMENT), overwrite=arguments.overwrite)
    together = written_together(arguments.output, overwrite=arguments.overwrite)
    with together as folder, _incidences(arguments) as data:
        for name in ("unit", "same", "duplicates_together"):  # what they say is in the incidences already
            setattr(arguments, name, None)
        plans = _plans(data, arguments, _options(arguments, {}))
        title = f"Split of {title_of_data(arguments.incidence or arguments.input[0])}"
        page = html_split(plans, title=title, provenance=provenance(arguments)) if arguments.html else ""
        write_text(os.path.join(folder, REPORT), f"{split_text(plans, markdown=True)}\n")
        write_assignment(next(iter(plans.values())), data, folder)
    if page:
        write_text(arguments.html, page)
    return _summary(plans, arguments)


@contextmanager
def _incidences(arguments: argparse.Namespace) -> Iterator[Incidences]:
    """Yield the incidences of a file, or those of Spark, which keeps its files in a hidden folder for the time."""
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
    """Write the incidences of the data."""
    if Path(arguments.output).suffix.lower() in (".csv", ".json", ".jsonl", ".tsv", ".txt", ".conll", ".gz"):
        raise CleancutError(f"-o {arguments.output}: incidences are written as Parquet. End the name in .parquet.")
    arguments.repair = arguments.repair or Repair.CONLLEVAL
    is_spark = arguments.engine == SPARK
    _refuse_without_effect(arguments, ("master", "spark_conf"), "without --engine spark", not is_spark)
    if is_spark:
        _extract(arguments, arguments.output)
    else:
        parts = {name: samples.corpus for name, samples in _split_samples(arguments).items()}
        if arguments.join_at:
            parts = {name: join_at(corpus) for name, corpus in parts.items()}
        given = {name: getattr(arguments, name) for name in ("unit", "duplicates_together")}
        options = {name: value for name, value in given.items() if value is not None} | key(arguments)
        write_incidence(parts, arguments.output, **options)
    return f"Written to {one_line(arguments.output)}."


def _extract(arguments: argparse.Namespace, path: str) -> None:
    """Write the incidences of the data with Spark."""
    from ..splitting.spark import spark_extract

    _refuse_without_effect(arguments, _NOT_OF_SPARK, "with --engine spark", True)
    columns = {name: getattr(arguments, name) for name in ("tokens", "tags", "entities", "ids")}
    spark_extract(
        arguments.input,
        path,
        master=arguments.master,
        conf=_spark_conf(arguments),
        unit=arguments.unit or Unit.SAMPLE,
        joined=arguments.join_at,
        **key(arguments),
        **tag_options(arguments),
        **columns,
    )


def _spark_conf(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the settings of Spark by their names."""
    pairs = [text.partition("=") for text in arguments.spark_conf or ()]
    for name, equals, _ in pairs:
        if not equals:  # the value is not shown: it may be a secret
            raise CleancutError(
                f"--spark-conf: {name.partition('=')[0]:.40} is not NAME=VALUE. Give the value as well."
            )
    return {name: value for name, _, value in pairs}


def _refuse_without_effect(
    arguments: argparse.Namespace, names: tuple[str, ...], condition: str, applies: bool
) -> None:
    """Raise an error if one of some options is given though a condition, under which it has no effect, applies."""
    if not applies:
        return
    for name in names:
        default = None if name == "duplicates_together" else False
        if vars(arguments).get(name) not in (None, default, []):
            special = {"input": "SOURCE", "duplicates_together": "--tear-duplicates"}
            option = special.get(name, f"--{name.replace('_', '-')}")
            raise CleancutError(f"{option} has no effect {condition}. Leave it out.")


def _split_samples(arguments: argparse.Namespace) -> dict[str, Samples]:
    """Return the samples of the original splits, from a dataset on the Hub or from files."""
    options = {**tag_options(arguments), **column_options(arguments)}
    hub = [source for source in arguments.input if not is_local(source)]
    if hub and len(arguments.input) > 1:
        raise CleancutError(f"{hub[0]} is a dataset on the Hub. Give it alone, without other sources.")
    if hub:
        if arguments.column is not None:
            raise CleancutError("--column is for CoNLL files. Give --tags COL for a dataset.")
        splits = load_splits(hub[0], **options)
        tell_shapes(hub[0], splits)
    else:
        files = by_split(arguments.input)
        if arguments.output:
            refuse_own_input(files.values(), arguments.output)
        splits = read_files(files, column=arguments.column, **options)
        for name, file in files.items():
            tell_shapes(file, {"": splits[name]})
    holds_documents = any(samples.holds_documents for samples in splits.values())
    keeps_rows = _format_to_write(arguments, splits) == "input"
    if holds_documents and keeps_rows and arguments.unit != Unit.DOC:
        raise CleancutError("the rows are documents of several sentences, which stay whole. Give --unit doc.")
    return splits


def _reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options by which the rows are read, without those that have their default."""
    given = {**tag_options(arguments), "column": arguments.column, **column_options(arguments)}
    return {name: value for name, value in given.items() if value not in (None, Repair.CONLLEVAL)}


def _to_write(arguments: argparse.Namespace, samples: Mapping[str, Samples]) -> list[str]:
    """Return the files of a split whose names are certain before it is made."""
    format = _format_to_write(arguments, samples)
    splits = [] if format == "input" else [f"{name}.{format}" for name in ("train", "test")]
    return [PLAN, REPORT, *splits]


def _format_to_write(arguments: argparse.Namespace, samples: Mapping[str, Samples]) -> str:
    """Return the format of the splits: the one that is given, or the default for the data."""
    return arguments.format or default_format(samples)
