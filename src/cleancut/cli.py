"""The command line: parse, call one public function, print."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from . import scores
from .reading import paired_batches, read_batches, write
from .report import scores_text, to_json
from .scores import Score
from .spans import Corpus
from .tags import CleancutError, Repair, Scheme
from .version import __version__

METRICS = {"exact": "exact_f1", "partial": "partial_f1"}
"""Names on the command line, and of the results."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0, or 2 with one line on standard error where the input is bad."""
    arguments = _parser().parse_args(argv)
    try:
        text = arguments.run(arguments)
        if text:
            print(text)
            sys.stdout.flush()
    except CleancutError as error:
        print(f"cleancut: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of a pipe has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("cleancut: interrupted", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="cleancut", description="What an NER score is worth once memory is taken out of it.")
    parser.add_argument("--version", action="version", version=f"cleancut {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    _add_score(commands)
    _add_convert(commands)
    _add_demo(commands)
    return parser


def _command(commands: Any, name: str, run: Callable[..., str | None], summary: str, example: str) -> Any:
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def _add_tag_options(parser: Any) -> None:
    parser.add_argument("--scheme", metavar="S", help=f"tag scheme ({', '.join(Scheme)}); inferred by default")
    parser.add_argument(
        "--repair",
        default="conlleval",
        metavar="R",
        help=f"what to do with ill-formed tags ({', '.join(Repair)}); default conlleval",
    )
    parser.add_argument("--labels", metavar="NAMES", help="names of int labels: a,b,c or a file with one name a line")


# --- score --------------------------------------------------------------------------------------------


def _add_score(commands: Any) -> None:
    parser = _command(
        commands,
        "score",
        _score,
        "score predictions against gold annotation",
        "cleancut score --gold test.conll --pred system.conll --by-type",
    )
    parser.add_argument(
        "--gold", required=True, metavar="FILE", help="gold annotation: CoNLL, JSONL, parquet; also .gz"
    )
    parser.add_argument(
        "--pred",
        action="append",
        metavar="FILE",
        help="predictions for the same text; repeat it to compare systems. Without it, the last two "
        "columns of the gold file are gold and prediction, as conlleval has them",
    )
    parser.add_argument("--metrics", default="exact,partial", metavar="M", help="exact, partial; default: both")
    parser.add_argument("--by-type", action="store_true", help="show each entity type too")
    parser.add_argument("--credit", type=float, default=0.5, metavar="C", help="worth of a partial match; default 0.5")
    parser.add_argument("--gold-column", type=int, metavar="N", help="CoNLL column of the gold tags; default the last")
    parser.add_argument(
        "--pred-column", type=int, metavar="N", help="CoNLL column of the predictions; default the last"
    )
    _add_tag_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _score(arguments: argparse.Namespace) -> str:
    chosen = _chosen_metrics(arguments.metrics)
    columns = {"gold_column": arguments.gold_column, "pred_column": arguments.pred_column}
    files = arguments.pred
    if files is None:
        files, columns = [arguments.gold], {"gold_column": -2, "pred_column": -1}
    reading = {
        **columns,
        "labels": _label_names(arguments.labels),
        "scheme": arguments.scheme,
        "repair": arguments.repair,
    }
    results = {
        name: _score_file(arguments.gold, file, chosen, reading, arguments.credit)
        for name, file in zip(_distinct_names(files), files, strict=True)
    }
    if arguments.json:
        plain = {name: {metric: score.to_dict() for metric, score in found.items()} for name, found in results.items()}
        return to_json(plain if len(files) > 1 else next(iter(plain.values())))
    return scores_text(results, by_type=arguments.by_type, colour=_wants_colour())


def _score_file(gold: str, pred: str, metrics: list[str], reading: dict[str, Any], credit: float) -> dict[str, Score]:
    """Scores of one system, batch by batch, so that files of any size take the same memory."""
    sums: dict[str, Score] = {}
    for ours, theirs in _with_progress(paired_batches(gold, pred, **reading), pred):
        for metric in metrics:
            options = {"credit": credit} if metric == "partial_f1" else {}
            score: Score = getattr(scores, metric)(ours, theirs, **options)
            sums[metric] = sums[metric] + score if metric in sums else score
    return sums


def _chosen_metrics(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in METRICS:
            close = difflib.get_close_matches(name, METRICS, 1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise CleancutError(f"--metrics: {name!r} is unknown.{hint} The metrics are {', '.join(METRICS)}.")
    if not names:
        raise CleancutError(f"--metrics: none given. The metrics are {', '.join(METRICS)}.")
    return [METRICS[name] for name in dict.fromkeys(names)]


def _distinct_names(files: Sequence[str]) -> list[str]:
    """A name for each file: its stem, with as many parent folders as it takes to tell them apart."""
    if len({os.path.realpath(file) for file in files}) < len(files):
        raise CleancutError("--pred: the same file is given twice.")
    paths = [Path(file.removesuffix(".gz")).resolve().with_suffix("") for file in files]
    names = [path.name for path in paths]
    for depth in range(2, 1 + max(len(path.parts) for path in paths)):
        twice = {name for name in names if names.count(name) > 1}
        if not twice:
            break
        names = ["/".join(p.parts[-depth:]) if name in twice else name for p, name in zip(paths, names, strict=True)]
    if len(set(names)) < len(names):  # the same folder and stem: only the endings differ
        names = [Path(file).name if names.count(name) > 1 else name for file, name in zip(files, names, strict=True)]
    return names


def _label_names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    if os.path.isfile(text):
        return [line.strip() for line in Path(text).read_text("utf-8").splitlines() if line.strip()]
    return [name.strip() for name in text.split(",")]


# --- convert ------------------------------------------------------------------------------------------


def _add_convert(commands: Any) -> None:
    parser = _command(
        commands,
        "convert",
        _convert,
        "rewrite a corpus in another format or tag scheme",
        "cleancut convert train.conll train.jsonl",
    )
    parser.add_argument("input", metavar="IN", help="CoNLL, JSONL or parquet, also .gz")
    parser.add_argument("output", metavar="OUT", help=".conll or .jsonl, also .gz")
    parser.add_argument("--scheme", metavar="S", help=f"tag scheme to write ({', '.join(Scheme)}); default iob2")
    parser.add_argument("--from-scheme", metavar="S", help="tag scheme of IN, where it has to be given (io)")
    parser.add_argument("--repair", default="conlleval", metavar="R", help=f"of ill-formed tags ({', '.join(Repair)})")
    parser.add_argument("--labels", metavar="NAMES", help="names of int labels: a,b,c or a file with one name a line")
    parser.add_argument("--column", type=int, metavar="N", help="CoNLL column of the tags; default the last")


def _convert(arguments: argparse.Namespace) -> None:
    batches = read_batches(
        arguments.input,
        column=arguments.column,
        labels=_label_names(arguments.labels),
        scheme=arguments.from_scheme,
        repair=arguments.repair,
    )
    write(_counted(batches, arguments), arguments.output, scheme=arguments.scheme)


def _counted(batches: Iterable[Corpus], arguments: argparse.Namespace) -> Iterator[Corpus]:
    """The batches; then, when all is read, a line that says what was done."""
    samples = mentions = 0
    for corpus in _with_progress(batches, arguments.input):
        samples += len(corpus)
        mentions += len(corpus.mentions)
        yield corpus
    print(f"{arguments.output}: {samples} samples, {mentions} mentions", file=sys.stderr)


# --- demo ---------------------------------------------------------------------------------------------


def _add_demo(commands: Any) -> None:
    parser = _command(
        commands,
        "demo",
        _demo,
        "show what memory alone scores, on generated sentences",
        "cleancut demo",
    )
    parser.add_argument("-o", "--output", default="cleancut-demo", metavar="DIR", help="folder for the generated files")


def _demo(arguments: argparse.Namespace) -> str:
    from .demo import run

    return run(arguments.output, colour=_wants_colour())


# --- terminal -----------------------------------------------------------------------------------------

Item = TypeVar("Item")


def _with_progress(items: Iterable[Item], what: str) -> Iterable[Item]:
    """A progress bar on a terminal, where the work takes more than a moment."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return tqdm(items, desc=os.path.basename(what), unit=" batches", delay=1, leave=False)


def _wants_colour() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
