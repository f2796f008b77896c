"""The commands ``cleancut stage``, ``publish-metrics``, ``publish-app``, ``publish`` and ``materialise``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from ..core.exceptions import CleancutError
from ..reading.hub_ids import write_rows
from ..showing.escaping import one_line
from ..splitting.folders import written_together
from .options import add_ladder_options, command
from .paths import Input, OutputFolder, add_overwrite_option
from .terminal import quiet_clients

_METRICS = "the names of the metrics; by default all of them"
"""The help of commands that take names of metrics."""


def add(commands: Any) -> None:
    """Add the commands that publish metrics, the app and splits to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
    """
    _add_stage(commands)
    _add_publish_metrics(commands)
    _add_publish_app(commands)
    _add_publish(commands)
    _add_materialise(commands)


def _add_stage(commands: Any) -> None:
    """Add ``cleancut stage``."""
    parser = command(
        commands,
        "stage",
        _stage,
        "build the Spaces of the metric modules, or the Space of the app, in a folder",
        "cleancut stage clean_f1 -o spaces\n  cleancut stage --app -o space",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=_METRICS)
    parser.add_argument("--app", action="store_true", help="build the Space of the app instead of those of metrics")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=OutputFolder,
        metavar="DIR",
        help="the folder for one folder for each metric, or for the app",
    )


def _add_publish_metrics(commands: Any) -> None:
    """Add ``cleancut publish-metrics``."""
    parser = command(
        commands,
        "publish-metrics",
        _publish_metrics,
        "upload the metric modules as Spaces",
        "cleancut publish-metrics --to my-org",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=_METRICS)
    parser.add_argument("--to", required=True, metavar="ORG", help="the user or organisation to upload to")
    add_push_options(parser)


def _add_publish_app(commands: Any) -> None:
    """Add ``cleancut publish-app``."""
    parser = command(
        commands,
        "publish-app",
        _publish_app,
        "upload the app as a Space",
        "cleancut publish-app --to my-org/cleancut",
    )
    parser.add_argument("--to", required=True, metavar="ORG/NAME", help="the Space, which is made if it does not exist")
    parser.add_argument("--private", action="store_true", help="make the Space private, if it is new")
    add_push_options(parser)


def _add_publish(commands: Any) -> None:
    """Add ``cleancut publish``."""
    parser = command(
        commands,
        "publish",
        _publish,
        "upload a split as a config of a dataset",
        "cleancut publish clean/plan.json --to my-org/corpus --config mincut-80-10-10",
    )
    parser.add_argument("plan", type=Input, metavar="PLAN", help="the file plan.json, with the splits beside it")
    parser.add_argument(
        "--to", required=True, metavar="ORG/NAME", help="the dataset, which is made if it does not exist"
    )
    parser.add_argument(
        "--config", required=True, metavar="NAME", help="the name of the config, such as mincut-80-10-10"
    )
    parser.add_argument(
        "--indices-only", action="store_true", help="upload where each row stands in its source, and no text"
    )
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="A,B",
        help="also upload these configs, derived from the split: clean-test, contaminated-test, ladder (one config for "
        "each of its training sets)",
    )
    add_ladder_options(parser)
    add_config_options(parser)


def _add_materialise(commands: Any) -> None:
    """Add ``cleancut materialise``."""
    parser = command(
        commands,
        "materialise",
        _materialise,
        "rebuild a dataset from an indices-only config and its source",
        "cleancut materialise my-org/corpus --config mincut-80-10-10 -o rows",
    )
    parser.add_argument("repo", metavar="ORG/NAME", help="the dataset that holds the indices")
    parser.add_argument("--config", required=True, metavar="NAME", help="the config of the dataset")
    parser.add_argument("--revision", metavar="R", help="a branch, tag or commit of the dataset")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=OutputFolder,
        metavar="DIR",
        help="the folder for one Parquet file for each split",
    )
    add_overwrite_option(parser)


def add_push_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--push``: nothing is uploaded without it.

    Args:
        parser: the parser of a command.
    """
    parser.add_argument("--push", action="store_true", help="upload; without it, only show what would be uploaded")


def add_config_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that add configs to a dataset.

    Args:
        parser: the parser of a command.
    """
    parser.add_argument("--private", action="store_true", help="make the dataset private, if it is new")
    parser.add_argument(
        "--licence",
        metavar="L",
        help="the licence to state on the card of a new dataset; by default that of the source",
    )
    parser.add_argument("--pr", action="store_true", help="upload as a pull request instead of a commit")
    parser.add_argument(
        "--max-shard-size",
        metavar="SIZE",
        default="500MB",
        help="the greatest size of a Parquet file before compression; default 500MB",
    )
    add_push_options(parser)


def announced(uploads: Sequence[str], push: bool) -> str:
    """Return what a command prints: what was or would be uploaded, and how to upload it.

    Args:
        uploads: for each repository or config, what was or would be uploaded.
        push: whether it was uploaded.
    """
    paragraphs = [*uploads]
    if not push:
        paragraphs.append("Nothing was uploaded. Add --push to do it.")
    return "\n\n".join(paragraphs)


def _stage(arguments: argparse.Namespace) -> str:
    """Build the Spaces in a folder, and return their folders, one a line."""
    from ..hub.staging import stage, stage_app

    if arguments.app:
        if arguments.names:
            raise CleancutError(f"{arguments.names[0]} has no effect with --app. Stage one after the other.")
        return one_line(str(stage_app(arguments.output)))
    return "\n".join(one_line(str(folder)) for folder in stage(arguments.names, arguments.output))


def _publish_metrics(arguments: argparse.Namespace) -> str:
    """Upload the metric modules, or show what would be uploaded."""
    from ..hub.spaces import publish_metrics

    quiet_clients()
    return announced(publish_metrics(arguments.to, arguments.names, push=arguments.push), arguments.push)


def _publish_app(arguments: argparse.Namespace) -> str:
    """Upload the app, or show what would be uploaded."""
    from ..hub.spaces import publish_app

    quiet_clients()
    return announced(publish_app(arguments.to, private=arguments.private, push=arguments.push), arguments.push)


def _publish(arguments: argparse.Namespace) -> str:
    """Upload a split and the configs derived from it, or show what would be uploaded."""
    from ..hub.publishing import publish

    quiet_clients()
    derived = [name for names in arguments.also for name in names.split(",") if name]
    uploads = publish(
        arguments.plan,
        arguments.to,
        arguments.config,
        private=arguments.private,
        indices_only=arguments.indices_only,
        also=derived,
        levels=arguments.levels,
        seeds=arguments.seeds,
        licence=arguments.licence,
        pr=arguments.pr,
        push=arguments.push,
        max_shard_size=arguments.max_shard_size,
    )
    return announced(uploads, arguments.push)


def _materialise(arguments: argparse.Namespace) -> str:
    """Rebuild the rows of a split, and write each split as a Parquet file."""
    from ..hub.indices import materialise

    quiet_clients()
    splits = materialise(arguments.repo, arguments.config, revision=arguments.revision)
    about = {"format": "cleancut-rows-1", "repo": arguments.repo, "config": arguments.config}
    with written_together(arguments.output, about, overwrite=arguments.overwrite) as folder:
        write_rows(splits, folder)
    sizes = ", ".join(f"{name} {len(rows)}" for name, rows in splits.items())
    return f"Rebuilt and verified: {sizes}. Written to {one_line(arguments.output)}."
