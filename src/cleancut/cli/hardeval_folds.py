"""cleancut hardeval-folds."""

from __future__ import annotations

import argparse
from typing import Any

from ..core.at_signs import join_at
from ..core.corpus import overlaps
from ..core.exceptions import CleancutError
from ..reading.files import read
from ..reading.formats import Format, format_of, written_as
from ..reading.progress import with_progress
from ..showing.escaping import one_line
from ..showing.text import folds_text, scores_text, to_json
from ..splitting.audit import Unit
from ..splitting.folds import hardeval_folds, kfold
from .options import (
    add_tag_options,
    command,
    tag_options,
)
from .paths import Input, OutputFolder, add_overwrite_option
from .systems import AddSystems, names_of
from .terminal import wants_colour


def add(commands: Any) -> None:
    parser = command(
        commands,
        "hardeval-folds",
        _hardeval_folds,
        "cross-validate hardeval: write the folds, then score predictions for all of them",
        "cleancut hardeval-folds --gold corpus.conll -k 10 -o folds\n"
        "  cleancut hardeval-folds --gold corpus.conll -k 10 --pred system.conll",
    )
    parser.add_argument(
        "--gold", required=True, type=Input, metavar="FILE", help="the whole corpus: CoNLL, JSONL, parquet"
    )
    parser.add_argument("-k", type=int, default=10, metavar="N", help="folds; default 10")
    parser.add_argument("--seed", type=int, default=13, metavar="N", help="of the folds and resamples; default 13")
    parser.add_argument("--unit", default="sample", choices=list(Unit), help="what stays whole; default sample")
    parser.add_argument(
        "-o",
        "--output",
        type=OutputFolder,
        metavar="DIR",
        help="folder for train and test of each fold and manifest.json",
    )
    add_overwrite_option(parser)
    parser.add_argument(
        "--pred", action=AddSystems, nargs="+", type=Input, default=[], metavar="FILE",
        help="predictions for the whole corpus, in its order, each sample by a model that had not seen its fold; "
        "repeat it to compare systems",
    )  # fmt: skip
    parser.add_argument("--strict", action="store_true", help="diff: a label the word never had, not a rarer one")
    parser.add_argument("--ci", type=int, metavar="N", help="95%% intervals from N resamples, such as 10000")
    parser.add_argument("--gold-column", type=int, metavar="N", help="CoNLL column of the gold tags; default the last")
    parser.add_argument("--pred-column", type=int, metavar="N", help="CoNLL column of predictions; default the last")
    parser.add_argument("--format", choices=["jsonl", "conll"], help="of the folds; default conll if gold is, or jsonl")
    parser.add_argument("--join-at", action="store_true", help='join a mention "@" to the user name behind it (BTC)')
    add_tag_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _hardeval_folds(arguments: argparse.Namespace) -> str:
    for name in ("ci", "pred_column"):
        if getattr(arguments, name) is not None and not arguments.pred:
            raise CleancutError(f"--{name.replace('_', '-')} has no effect without predictions. Give --pred.")
    if arguments.format and not arguments.output:
        raise CleancutError("--format has no effect without a folder to write to. Give -o.")

    def corpus(file: str, column: int | None) -> Any:
        found = read(file, column=column if format_of(file) is Format.CONLL else None, **tag_options(arguments))
        return join_at(found) if arguments.join_at else found

    gold = corpus(arguments.gold, arguments.gold_column)
    folds = kfold(gold, arguments.k, seed=arguments.seed, unit=arguments.unit)
    systems = zip(names_of(arguments.pred), arguments.pred, strict=True) if arguments.pred else ()
    scores = {
        name: {
            "hardeval": hardeval_folds(
                gold, corpus(file, arguments.pred_column), folds, arguments.strict, ci=arguments.ci, seed=arguments.seed
            )
        }
        for name, file in with_progress(systems, one_line(arguments.gold))
    }
    if arguments.output:  # when nothing that is read can be wrong any more
        format = arguments.format or written_as(arguments.gold)
        folds.write(gold, arguments.output, format=format, overwrite=arguments.overwrite)
    if arguments.json:
        plain = {name: score["hardeval"].to_dict() for name, score in scores.items()}
        return to_json({**folds.to_dict(), "hardeval": plain})
    parts = [scores_text(scores, colour=wants_colour())] if scores else [folds_text(folds, colour=wants_colour())]
    if not scores and not overlaps(gold.mentions):
        of_gold = hardeval_folds(gold, gold, folds, arguments.strict)
        hard = f"{of_gold.n_unseen} are unseen and {of_gold.n_diff} diff"
        parts.append(f"Of {of_gold.n_all} tokens, {hard} by what the other folds show.")
    return "\n\n".join([*parts, *([f"Written to {one_line(arguments.output)}."] if arguments.output else [])])
