"""The command ``cleancut subsets``: the clean and the contaminated test set, as files or as configs of a dataset."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from ..core.at_signs import join_at
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, counted, quoted
from ..core.files import replacing
from ..core.tags import Repair
from ..mapping.subsets import Which, subsets
from ..reading.dataset import Samples, load_splits, read_samples
from ..reading.formats import Format, format_of, write, written_as
from ..reading.hub_ids import is_local, rows_of_file
from ..scoring.exposure import Exposure
from ..showing.escaping import one_line
from ..splitting.folders import written_together
from .options import (
    TrainData,
    add_column_options,
    add_conll_column_option,
    add_key_options,
    add_same_options,
    add_tag_options,
    column_options,
    command,
    key,
    tag_options,
    tell_shapes,
)
from .paths import Input, OutputFolder, add_overwrite_option
from .publish import add_config_options, announced
from .terminal import quiet_clients


def add(commands: Any) -> None:
    """Add ``cleancut subsets`` to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
    """
    parser = command(
        commands,
        "subsets",
        _subsets,
        "write or publish the clean and the contaminated test set: all samples, each with a part of the mentions",
        "cleancut subsets --train train.conll --test test.conll -o subsets\n"
        "  cleancut subsets org/name --to my-org/name",
    )
    parser.add_argument(
        "source",
        nargs="?",
        type=Input,
        metavar="SOURCE",
        help="a folder with train and test files, or a dataset on the Hub (org/name:config@revision)",
    )
    parser.add_argument("--train", action="append", type=Input, metavar="FILE", help="the training data")
    parser.add_argument("--test", type=Input, metavar="FILE", help="the test set")
    parser.add_argument("--split", metavar="NAME", help="the split of SOURCE whose mentions are filtered; default test")
    parser.add_argument("-o", "--output", type=OutputFolder, metavar="DIR", help="the folder for the two files")
    add_overwrite_option(parser)
    parser.add_argument("--to", metavar="ORG/NAME", help="the dataset on the Hub that the two configs are added to")
    parser.add_argument(
        "--config", metavar="NAME", help="the config that the splits belong to; the names of the two begin with it"
    )
    add_conll_column_option(parser)
    add_column_options(parser)
    add_key_options(parser)
    add_same_options(parser)
    add_tag_options(parser)
    add_config_options(parser)


def _subsets(arguments: argparse.Namespace) -> str:
    """Write or publish the two test sets, and return what was written where."""
    given_files = [name for name in ("train", "test") if getattr(arguments, name)]
    if bool(arguments.source) == bool(given_files) or len(given_files) == 1:
        raise CleancutError("subsets: give either a folder or dataset, or --train and --test.")
    if bool(arguments.output) == bool(arguments.to):
        raise CleancutError("subsets: give either -o DIR, to write files, or --to ORG/NAME, to publish.")
    if arguments.to:
        return _published(arguments)
    for name in ("push", "pr", "private", "licence", "config"):
        if getattr(arguments, name):
            raise CleancutError(f"--{name} has no effect without --to ORG/NAME. Leave it out.")
    exposure, test = _from_source(arguments) if arguments.source else _from_files(arguments)
    return _written(test, exposure, arguments)


def _published(arguments: argparse.Namespace) -> str:
    """Publish the two test sets as configs, or show what would be uploaded."""
    from ..hub.publishing import push_subsets

    if not arguments.source:
        raise CleancutError("subsets: --to publishes the splits of a dataset. Give SOURCE, a folder or a Hub id.")
    if arguments.repair != Repair.CONLLEVAL or arguments.join_at:
        raise CleancutError("--repair and --join-at change mentions, which the rows to publish do not. Leave them out.")
    quiet_clients()
    options = _given_columns(arguments)
    splits = load_splits(arguments.source, **options)
    tell_shapes(arguments.source, splits)
    uploads = push_subsets(
        splits,
        arguments.to,
        config=arguments.config,
        split=arguments.split or "test",
        **key(arguments),
        licence=arguments.licence,
        create_pr=arguments.pr,
        private=arguments.private,
        dry_run=not arguments.push,
        max_shard_size=arguments.max_shard_size,
        **options,
    )
    return announced(uploads, arguments.push)


def _from_source(arguments: argparse.Namespace) -> tuple[Exposure, Samples]:
    """Return what the train split of a folder or dataset shows, and the samples of its test split."""
    quiet_clients()
    if not is_local(arguments.source) and arguments.column is not None:
        raise CleancutError("--column is for CoNLL files. Give --tags COL for a dataset.")
    options = {**tag_options(arguments), **column_options(arguments)}
    if arguments.column is not None:
        options["column"] = arguments.column
    splits = load_splits(arguments.source, **options)
    tell_shapes(arguments.source, splits)
    split = arguments.split or "test"
    for name in ("train", split):
        if name not in splits:
            present = ", ".join(map(quoted, filter(None, splits))) or "no splits at all"
            remedy = "Choose with --split." if name == split else "Give the files by --train and --test."
            raise CleancutError(f"{arguments.source} has no split {quoted(name)}: it has {present}. {remedy}")
    train = splits["train"].corpus
    if arguments.join_at:
        train = join_at(train)
    return Exposure.of(train, **key(arguments)), splits[split]


def _from_files(arguments: argparse.Namespace) -> tuple[Exposure, Samples]:
    """Return what training files show, and the samples of the test file."""
    if arguments.split:
        raise CleancutError("--split names a split of SOURCE. Leave it out with --train and --test.")
    columns = column_options(arguments)
    exposure = Exposure.of(iter(TrainData(arguments, arguments.column, columns)), **key(arguments))
    test = read_samples(arguments.test, column=arguments.column, **tag_options(arguments), **columns)
    tell_shapes(arguments.test, {"": test})
    return exposure, test


def _written(test: Samples, exposure: Exposure, arguments: argparse.Namespace) -> str:
    """Write the two test sets, as rows with all their columns if the rows hold the mentions that were read."""
    corpus = join_at(test.corpus) if arguments.join_at else test.corpus
    changes_mentions = arguments.join_at or arguments.repair != Repair.CONLLEVAL
    rows = corpus if changes_mentions else _rows_of(test)
    options = {} if isinstance(rows, Corpus) else _given_columns(arguments)
    parts = dict(zip(Which, subsets(rows, exposure, **options), strict=True))
    n_seen = int(exposure.view(corpus).seen.sum())
    n_kept = {Which.CLEAN: len(corpus.mentions) - n_seen, Which.CONTAMINATED: n_seen}
    n_mentions = counted(len(corpus.mentions), "mention")
    lines = []
    about = {"format": "cleancut-subsets-1"}
    with written_together(arguments.output, about, overwrite=arguments.overwrite) as folder:
        for which, part in parts.items():
            name = f"{which}{_suffix(part, test)}"
            _write(part, os.path.join(folder, name))
            path = os.path.join(arguments.output, name)
            lines.append(f"{one_line(path)}: {counted(len(corpus), 'sample')}, {n_kept[which]} of {n_mentions}")
    return "\n".join(lines)


def _given_columns(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return those of the options about columns, labels and the scheme that are given."""
    labels = tag_options(arguments)["labels"]
    options = {**column_options(arguments), "labels": labels, "scheme": arguments.scheme}
    return {name: value for name, value in options.items() if value is not None}


def _rows_of(test: Samples) -> Any:
    """Return the rows of a dataset or of a file that has columns; for any other file, its corpus."""
    if test.corpus.relations is not None:
        return test.corpus  # relations refer to entities by their numbers, which filtering changes
    if test.rows is not None:
        return test.rows
    if test.path is None or format_of(test.path) not in (Format.JSONL, Format.PARQUET):
        return test.corpus
    return rows_of_file(test.path)


def _suffix(part: Any, test: Samples) -> str:
    """Return how the name of a file ends that holds a test set of this kind."""
    if isinstance(part, Corpus):
        return ".jsonl" if test.path is None else f".{written_as(test.path)}"
    return ".jsonl" if isinstance(part, list) else ".parquet"


def _write(part: Any, path: str) -> None:
    """Write a test set: a corpus, rows that are dicts as JSONL, or a dataset as Parquet."""
    if isinstance(part, Corpus):
        write(part, path)
        return
    with replacing(path) as stream:
        if isinstance(part, list):
            stream.writelines(f"{json.dumps(row, ensure_ascii=False)}\n".encode() for row in part)
        else:
            part.to_parquet(stream)
