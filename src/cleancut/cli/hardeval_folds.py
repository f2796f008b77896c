"""The command ``cleancut hardeval-folds``."""

from __future__ import annotations

import argparse
from typing import Any

from ..core.at_signs import join_at
from ..core.corpus import Corpus, overlaps
from ..core.exceptions import CleancutError
from ..reading.files import read
from ..reading.formats import Format, format_of, written_as
from ..reading.progress import with_progress
from ..showing.escaping import one_line
from ..showing.text import folds_text, scores_text, to_json
from ..splitting.audit import Unit
from ..splitting.folds import hardeval_folds, kfold
from .options import (
    add_interval_option,
    add_join_option,
    add_json_option,
    add_seed_option,
    add_side_column_options,
    add_tag_options,
    command,
    tag_options,
)
from .paths import Input, OutputFolder, add_overwrite_option
from .systems import AddSystems, names_of
from .terminal import screen


def add(commands: Any) -> None:
    """Add ``cleancut hardeval-folds`` to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
    """
    parser = command(
        commands,
        "hardeval-folds",
        _hardeval_folds,
        "cross-validate hardeval: write the folds, then score predictions for all of them",
        "cleancut hardeval-folds --gold corpus.conll -k 10 -o folds\n"
        "  cleancut hardeval-folds --gold corpus.conll -k 10 --pred system.conll",
    )
    parser.add_argument(
        "--gold", required=True, type=Input, metavar="FILE", help="the whole corpus: a CoNLL, JSONL or Parquet file"
    )
    parser.add_argument("-k", type=int, default=10, metavar="N", help="the number of folds; default 10")
    add_seed_option(parser, "folds and resamples")
    parser.add_argument(
        "--unit",
        default="sample",
        choices=list(Unit),
        help="what stays in one fold as a whole: a sample or a document; default sample",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=OutputFolder,
        metavar="DIR",
        help="the folder for the train and test file of each fold, and manifest.json",
    )
    add_overwrite_option(parser)
    parser.add_argument(
        "--pred",
        action=AddSystems,
        nargs="+",
        type=Input,
        default=[],
        metavar="FILE",
        help="predictions for the whole corpus, in its order, each sample by a model that was not trained on its fold; "
        "one file for each system",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="call a token diff only if its word never has its label in training; by default, if another label is more "
        "frequent",
    )
    add_interval_option(parser)
    add_side_column_options(parser)
    parser.add_argument(
        "--format",
        choices=["jsonl", "conll"],
        help="the format of the folds; by default conll if gold is a CoNLL file, and jsonl if not",
    )
    add_join_option(parser)
    add_tag_options(parser)
    add_json_option(parser)


def _hardeval_folds(arguments: argparse.Namespace) -> str:
    """Write the folds, score predictions for them, or both, and return the result as text or JSON."""
    for name in ("ci", "pred_column"):
        if getattr(arguments, name) is not None and not arguments.pred:
            raise CleancutError(f"--{name.replace('_', '-')} has no effect without predictions. Give --pred.")
    if arguments.format and not arguments.output:
        raise CleancutError("--format has no effect without a folder to write to. Give -o.")

    gold = _read(arguments.gold, arguments.gold_column, arguments)
    folds = kfold(gold, arguments.k, seed=arguments.seed, unit=arguments.unit)
    systems = zip(names_of(arguments.pred), arguments.pred, strict=True) if arguments.pred else ()
    scores = {}
    for name, file in with_progress(systems, one_line(arguments.gold)):
        pred = _read(file, arguments.pred_column, arguments)
        score = hardeval_folds(gold, pred, folds, arguments.strict, ci=arguments.ci, seed=arguments.seed)
        scores[name] = {"hardeval": score}
    if arguments.output:  # only now, since all that is read has proved right
        format = arguments.format or written_as(arguments.gold)
        folds.write(gold, arguments.output, format=format, overwrite=arguments.overwrite)
    if arguments.json:
        plain = {name: score["hardeval"].to_dict() for name, score in scores.items()}
        return to_json({**folds.to_dict(), "hardeval": plain})
    if scores:
        parts = [scores_text(scores, screen=screen())]
    else:
        parts = [folds_text(folds, screen=screen())]
        if not overlaps(gold.mentions):
            of_gold = hardeval_folds(gold, gold, folds, arguments.strict)
            hard = f"{of_gold.n_unseen} are unseen and {of_gold.n_diff} diff"
            parts.append(f"Of {of_gold.n_all} tokens, {hard} by what the other folds show.")
    if arguments.output:
        parts.append(f"Written to {one_line(arguments.output)}.")
    return "\n\n".join(parts)


def _read(file: str, column: int | None, arguments: argparse.Namespace) -> Corpus:
    """Return the corpus of a file; the column counts for CoNLL files only."""
    if format_of(file) is not Format.CONLL:
        column = None
    corpus = read(file, column=column, **tag_options(arguments))
    return join_at(corpus) if arguments.join_at else corpus
