"""cleancut audit."""

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
    add_key_options,
    add_map_option,
    add_tag_options,
    column_options,
    command,
    json_answer,
    read_said,
    say_found,
    shared_key,
    tag_options,
    type_options,
)
from .paths import Input, Output
from .terminal import wants_colour


def add(commands: Any) -> None:
    parser = command(
        commands,
        "audit",
        _audit,
        "show what the splits of a dataset share",
        "cleancut audit --train train.conll --test test.conll",
    )
    parser.add_argument(
        "source", nargs="?", type=Input, metavar="SOURCE",
        help="a folder with train, dev and test files, or a dataset on the Hub (org/name:config@revision)",
    )  # fmt: skip
    for split in SPLITS:
        parser.add_argument(f"--{split}", action="append", type=Input, metavar="FILE", help=f"the {split} split")
    parser.add_argument("--unit", default="sample", choices=list(Unit), help="what is contaminated; default sample")
    parser.add_argument("--column", type=int, metavar="N", help="CoNLL column of the tags; default the last")
    parser.add_argument("--top", type=int, default=5, metavar="N", help="leaking entities of each pair; default 5")
    add_column_options(parser)
    add_key_options(parser, relations=True)
    add_tag_options(parser)
    add_map_option(parser)
    parser.add_argument(
        "--html", type=Output, metavar="FILE", help="the audit as a page too: one file that needs no other"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _audit(arguments: argparse.Namespace) -> str:
    files = {split: getattr(arguments, split) for split in SPLITS if getattr(arguments, split)}
    if arguments.source and files:
        raise CleancutError("audit: give either a folder or dataset, or the files of the splits.")
    if arguments.source and not is_local(arguments.source):
        if arguments.column is not None:
            raise CleancutError("--column is for CoNLL files. Give --tags COL for a dataset.")
        found_in = load_splits(arguments.source, **tag_options(arguments), **column_options(arguments))
        say_found(arguments.source, found_in)
        splits = {name: samples.corpus for name, samples in found_in.items()}
    else:
        if arguments.source:
            files = {split: [file] for split, file in split_files(arguments.source).items()}
        corpora = read_said([file for parts in files.values() for file in parts], arguments)
        splits = {name: _together([corpora[file] for file in parts]) for name, parts in files.items()}
    if arguments.join_at:
        splits = {name: join_at(corpus) for name, corpus in splits.items()}
    options = {**shared_key(arguments), **type_options(arguments)}
    found = audit(splits, unit=arguments.unit, top=arguments.top, **options)
    if arguments.html:
        from ..showing.html import html_audit  # only here: it takes as long to import as a small audit

        title = f"Audit of {arguments.source}" if arguments.source else "Audit"
        write_text(arguments.html, html_audit(found, title=title))
    if arguments.json:
        return json_answer(found.to_dict())
    return audit_text(found, colour=wants_colour())


def _together(corpora: list[Corpus]) -> Corpus:
    """Several files of one split; documents of different files are different documents."""
    if len(corpora) > 1:
        corpora = [
            replace(corpus, docs=tuple(doc and f"{i}:{doc}" for doc in corpus.docs)) if corpus.docs else corpus
            for i, corpus in enumerate(corpora)
        ]
    return Corpus.concatenate(corpora)
