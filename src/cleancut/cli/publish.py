"""cleancut stage, publish-metrics, publish-app, publish and materialise."""

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


def add(commands: Any) -> None:
    parser = command(
        commands, "stage", _stage, "build the Spaces of the metric modules, or that of the app",
        "cleancut stage clean_f1 -o spaces\n  cleancut stage --app -o space",
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help="metrics; default all")
    parser.add_argument("--app", action="store_true", help="the app instead of metrics")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=OutputFolder,
        metavar="DIR",
        help="folder for one folder of each metric, or for the app",
    )

    parser = command(
        commands, "publish-metrics", _publish_metrics, "upload the metric modules as Spaces",
        "cleancut publish-metrics --to my-org",
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help="metrics; default all")
    parser.add_argument("--to", required=True, metavar="ORG", help="user or organisation")
    add_push_options(parser)

    parser = command(
        commands, "publish-app", _publish_app, "upload the app as a Space", "cleancut publish-app --to my-org/cleancut"
    )  # fmt: skip
    parser.add_argument("--to", required=True, metavar="ORG/NAME", help="the Space; made if it is not there")
    parser.add_argument("--private", action="store_true", help="make the Space private, if it is new")
    add_push_options(parser)

    parser = command(
        commands, "publish", _publish, "upload a split as a config of a dataset",
        "cleancut publish clean/plan.json --to my-org/corpus --config mincut-80-10-10",
    )  # fmt: skip
    parser.add_argument("plan", type=Input, metavar="PLAN", help="plan.json, with the splits beside it")
    parser.add_argument("--to", required=True, metavar="ORG/NAME", help="the dataset; made if it is not there")
    parser.add_argument("--config", required=True, metavar="NAME", help="name of the config, such as mincut-80-10-10")
    parser.add_argument("--indices-only", action="store_true", help="upload the places of the rows, and no text")
    parser.add_argument(
        "--also", action="append", default=[], metavar="A,B",
        help="derived configs: clean-test, contaminated-test, ladder (one config for each of its training sets)",
    )  # fmt: skip
    add_ladder_options(parser)
    add_config_options(parser)

    parser = command(
        commands, "materialise", _materialise, "rebuild a dataset from an indices-only config and its source",
        "cleancut materialise my-org/corpus --config mincut-80-10-10 -o rows",
    )  # fmt: skip
    parser.add_argument("repo", metavar="ORG/NAME", help="the dataset that holds the indices")
    parser.add_argument("--config", required=True, metavar="NAME", help="its config")
    parser.add_argument("--revision", metavar="R", help="a branch, tag or commit of it")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=OutputFolder,
        metavar="DIR",
        help="folder for a parquet file of each split",
    )
    add_overwrite_option(parser)


def add_push_options(parser: argparse.ArgumentParser) -> None:
    """Nothing is uploaded without a word to say so."""
    parser.add_argument("--push", action="store_true", help="upload; without it, only say what would be uploaded")


def add_config_options(parser: argparse.ArgumentParser) -> None:
    """What commands that add configs to a dataset have in common."""
    parser.add_argument("--private", action="store_true", help="make the dataset private, if it is new")
    parser.add_argument("--licence", metavar="L", help="licence for the card; default that of the source")
    parser.add_argument("--pr", action="store_true", help="upload as a pull request")
    parser.add_argument(
        "--max-shard-size", metavar="SIZE", default="500MB", help="largest Parquet file, uncompressed; default 500MB"
    )
    add_push_options(parser)


def announced(said: Sequence[str], push: bool) -> str:
    """Return what a command prints: what was or would be done, and how to do it."""
    return "\n\n".join([*said, *([] if push else ["Nothing was uploaded. Add --push to do it."])])


def _stage(arguments: argparse.Namespace) -> str:
    from ..hub.staging import stage, stage_app

    if arguments.app:
        if arguments.names:
            raise CleancutError(f"{arguments.names[0]} has no effect with --app. Stage one after the other.")
        return one_line(str(stage_app(arguments.output)))
    return "\n".join(one_line(str(folder)) for folder in stage(arguments.names, arguments.output))


def _publish_metrics(arguments: argparse.Namespace) -> str:
    from ..hub.spaces import publish_metrics

    quiet_clients()
    return announced(publish_metrics(arguments.to, arguments.names, push=arguments.push), arguments.push)


def _publish_app(arguments: argparse.Namespace) -> str:
    from ..hub.spaces import publish_app

    quiet_clients()
    return announced(publish_app(arguments.to, private=arguments.private, push=arguments.push), arguments.push)


def _publish(arguments: argparse.Namespace) -> str:
    from ..hub.publishing import publish

    quiet_clients()
    said = publish(
        arguments.plan, arguments.to, arguments.config, private=arguments.private, indices_only=arguments.indices_only,
        also=[name for names in arguments.also for name in names.split(",") if name], levels=arguments.levels,
        seeds=arguments.seeds, licence=arguments.licence, pr=arguments.pr, push=arguments.push,
        max_shard_size=arguments.max_shard_size,
    )  # fmt: skip
    return announced(said, arguments.push)


def _materialise(arguments: argparse.Namespace) -> str:
    from ..hub.indices import materialise

    quiet_clients()
    found = materialise(arguments.repo, arguments.config, revision=arguments.revision)
    about = {"format": "cleancut-rows-1", "repo": arguments.repo, "config": arguments.config}
    with written_together(arguments.output, about, overwrite=arguments.overwrite) as folder:
        write_rows(found, folder)
    sizes = ", ".join(f"{name} {len(rows)}" for name, rows in found.items())
    return f"Rebuilt and verified: {sizes}. Written to {one_line(arguments.output)}."
