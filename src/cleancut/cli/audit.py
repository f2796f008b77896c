"""The command ``cleancut audit``."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from ..core.at_signs import join_at
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError
from ..core.files import write_text
from ..reading.dataset import load_splits
from ..reading.hub_ids import is_local
from ..reading.splits import SPLITS, split_files
from ..showing.text import audit_text
from ..splitting.audit import Unit, audit
from .options import (
    add_column_options,
    add_conll_column_option,
    add_json_option,
    add_key_options,
    add_map_option,
    add_page_option,
    add_same_options,
    add_tag_options,
    column_options,
    command,
    json_answer,
    read_and_tell,
    shared_key,
    tag_options,
    tell_shapes,
    type_options,
)
from .paths import Input, provenance, title_of_data
from .terminal import screen


def add(commands: Any) -> None:
    """Add ``cleancut audit`` to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
    """
    parser = command(
        commands,
        "audit",
        _audit,
        "show what the splits of a dataset share",
        "cleancut audit --train train.conll --test test.conll",
    )
    parser.add_argument(
        "source",
        nargs="?",
        type=Input,
        metavar="SOURCE",
        help="a folder with train, dev and test files, or a dataset on the Hub (org/name:config@revision)",
    )
    for split in SPLITS:
        parser.add_argument(
            f"--{split}", action="append", type=Input, metavar="FILE", help=f"a file of the {split} split"
        )
    parser.add_argument(
        "--unit",
        default="sample",
        choices=list(Unit),
        help="what counts as contaminated if it mentions a shared entity: a sample, or a whole document; default "
        "sample",
    )
    add_conll_column_option(parser)
    parser.add_argument(
        "--top",
        type=int,
        default=5,
        metavar="N",
        help="the number of leaking entities to show for each pair of splits; default 5",
    )
    add_column_options(parser)
    add_key_options(parser, relations=True)
    add_same_options(parser)
    add_tag_options(parser)
    add_map_option(parser)
    add_page_option(parser, "audit")
    add_json_option(parser)


def _audit(arguments: argparse.Namespace) -> str:
    """Audit the splits of a dataset, and return the result as text or JSON."""
    files = {split: getattr(arguments, split) for split in SPLITS if getattr(arguments, split)}
    if arguments.source and files:
        raise CleancutError("audit: give either a folder or dataset, or the files of the splits.")
    if arguments.source and not is_local(arguments.source):
        splits = _load_dataset(arguments)
    else:
        if arguments.source:
            files = {split: [file] for split, file in split_files(arguments.source).items()}
        corpora = read_and_tell([file for parts in files.values() for file in parts], arguments)
        splits = {name: _together([corpora[file] for file in parts]) for name, parts in files.items()}
    if arguments.join_at:
        splits = {name: join_at(corpus) for name, corpus in splits.items()}
    options = {**shared_key(arguments), **type_options(arguments)}
    result = audit(splits, unit=arguments.unit, top=arguments.top, **options)
    if arguments.html:
        from ..showing.html import html_audit  # only here: it takes as long to import as a small audit

        title = f"Audit of {title_of_data(arguments.source)}" if arguments.source else "Audit"
        write_text(arguments.html, html_audit(result, title=title, provenance=provenance(arguments)))
    if arguments.json:
        return json_answer(result.to_dict())
    return audit_text(result, screen=screen())


def _load_dataset(arguments: argparse.Namespace) -> dict[str, Corpus]:
    """Return the splits of a dataset on the Hub."""
    if arguments.column is not None:
        raise CleancutError("--column is for CoNLL files. Give --tags COL for a dataset.")
    splits = load_splits(arguments.source, **tag_options(arguments), **column_options(arguments))
    tell_shapes(arguments.source, splits)
    return {name: samples.corpus for name, samples in splits.items()}


def _together(corpora: list[Corpus]) -> Corpus:
    """Return the corpus of several files of one split; documents of different files stay different documents."""
    if len(corpora) == 1:
        return corpora[0]
    parts = []
    for i, corpus in enumerate(corpora):
        if corpus.docs:
            corpus = replace(corpus, docs=tuple(doc and f"{i}:{doc}" for doc in corpus.docs))
        parts.append(corpus)
    return Corpus.concatenate(parts)
