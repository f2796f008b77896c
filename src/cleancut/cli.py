"""The command line: parse, call one public function, print."""

from __future__ import annotations

import argparse
import difflib
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from . import leakage, scores
from .detecting import End, label_file
from .exposure import Exposure
from .leakage import SPLITS, Unit, join_at
from .reading import Format, copy_rows, format_of, paired_batches, read, read_batches, split_files, split_name, write
from .recipes import SPLIT, Recipe
from .report import audit_text, scores_text, split_text, to_json
from .scores import NEED_TRAIN, Score
from .shapes import Samples, load_splits, needs_shape, read_samples
from .sources import is_local, is_table, write_rows
from .spans import Corpus, overlaps
from .splitting import Effort, Engine, Method, SplitPlan, mincut
from .tags import CleancutError, Repair, Scheme
from .version import __version__

METRICS = {"exact": "exact_f1", "partial": "partial_f1", "clean": "clean_f1", "hardeval": "hardeval"}
"""Names on the command line, and of the results."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0, or 2 with one line on standard error where the input is bad."""
    arguments = _parser().parse_args(argv)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # half a character in a token must not break the output
    try:
        text = arguments.run(arguments)
        if text:
            print(text)
            sys.stdout.flush()
    except CleancutError as error:
        print(f"cleancut: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except UnicodeError as error:
        print(f"cleancut: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of a pipe has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"cleancut: {error.filename or 'input'}: {error.strerror or error}.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("cleancut: interrupted", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="cleancut", description="What an NER score is worth once memory is taken out of it.")
    parser.add_argument("--version", action="version", version=f"cleancut {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    _add_score(commands)
    _add_audit(commands)
    _add_subsets(commands)
    _add_split(commands)
    _add_hub(commands)
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
    parser.add_argument("--labels", metavar="NAMES", help=_LABELS)


_LABELS = "names of int labels: a,b,c or a file with one name a line, or with label2id or id2label as JSON"


def _add_column_options(parser: Any) -> None:
    """Where a dataset has what, for those whose columns are not found, or not the right ones."""
    for name, what in _COLUMNS.items():
        parser.add_argument(f"--{name}", metavar="COL", help=f"column of the {what}; found by default")
    parser.add_argument("--end", choices=list(End), help="does the end of a span belong to it; found by default")


_COLUMNS = {
    "tokens": "tokens", "tags": "tags", "entities": "entities (spans)", "text": "text that character offsets are for",
    "document": "documents",
}  # fmt: skip


def _column_options(arguments: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(arguments, name) for name in (*_COLUMNS, "end")}


def _add_key_options(parser: Any) -> None:
    parser.add_argument(
        "--key",
        default="surface+type",
        choices=["surface+type", "surface"],
        help="what makes two mentions the same entity; default surface+type",
    )
    parser.add_argument("--ignore-case", action="store_true", help="words that differ only in case are the same")
    parser.add_argument("--join-at", action="store_true", help='join a mention "@" to the user name behind it (BTC)')


def _key(arguments: argparse.Namespace) -> dict[str, Any]:
    return {"typed": arguments.key != "surface", "case": not arguments.ignore_case}


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
    parser.add_argument(
        "--train", action="append", metavar="SOURCE",
        help="training data, for clean and hardeval: a file, or a dataset on the Hub (org/name:config@revision)",
    )  # fmt: skip
    parser.add_argument(
        "--metrics",
        metavar="M",
        help=f"{', '.join(METRICS)}; default exact,partial and, with --train, all",
    )
    parser.add_argument("--by-type", action="store_true", help="show each entity type too")
    parser.add_argument("--ci", type=int, metavar="N", help="95%% intervals from N resamples, such as 10000")
    parser.add_argument("--seed", type=int, default=13, metavar="N", help="of the resamples; default 13")
    parser.add_argument("--credit", type=float, default=0.5, metavar="C", help="worth of a partial match; default 0.5")
    parser.add_argument(
        "--gold-column", type=int, metavar="N", help="CoNLL column of gold and training tags; default the last"
    )
    parser.add_argument(
        "--pred-column", type=int, metavar="N", help="CoNLL column of the predictions; default the last"
    )
    _add_column_options(parser.add_argument_group("columns of the training data"))
    _add_key_options(parser)
    _add_tag_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _score(arguments: argparse.Namespace) -> str:
    named = _chosen_metrics(arguments.metrics) if arguments.metrics is not None else None
    if arguments.train is None and set(NEED_TRAIN) & set(named or ()):
        raise CleancutError("--metrics: clean and hardeval need to know what training has shown. Give --train FILE.")
    metrics = named or [m for m in METRICS.values() if arguments.train or m not in NEED_TRAIN]
    columns = {"gold_column": arguments.gold_column, "pred_column": arguments.pred_column}
    files = arguments.pred
    if files is None:  # conlleval's single file
        files, last = [arguments.gold], {"gold_column": -2, "pred_column": -1}
        columns = {name: last[name] if given is None else given for name, given in columns.items()}
        if os.path.isfile(arguments.gold) and format_of(arguments.gold) is not Format.CONLL:
            raise CleancutError(f"{arguments.gold}: only a CoNLL file holds gold and predictions. Give --pred FILE.")
    tags = _tag_options(arguments)
    exposure = None
    if arguments.train:
        columns_of = _column_options(arguments)
        exposure = Exposure.of(_train_batches(arguments, arguments.gold_column, columns_of), **_key(arguments))
    elif given := [name for name, value in _column_options(arguments).items() if value is not None]:
        raise CleancutError(f"--{given[0]} is for the training data. Give --train SOURCE.")
    elif arguments.key != "surface+type" or arguments.ignore_case:
        raise CleancutError("--key and --ignore-case say what training has shown. Give --train FILE.")
    confidence = {"ci": arguments.ci, "seed": arguments.seed} if arguments.ci is not None else {}
    scorer = _Scorer(
        metrics, exposure, arguments.credit, arguments.join_at, strict=named is not None, confidence=confidence
    )
    results = {
        name: scorer.score(arguments.gold, file, {**columns, **tags})
        for name, file in zip(_distinct_names(files), files, strict=True)
    }
    for note in dict.fromkeys(scorer.notes):
        print(f"cleancut: {note}", file=sys.stderr)
    if arguments.json:
        plain = {name: {metric: score.to_dict() for metric, score in found.items()} for name, found in results.items()}
        return to_json(plain if len(files) > 1 else next(iter(plain.values())))
    return scores_text(results, by_type=arguments.by_type, colour=_wants_colour())


def _train_batches(
    arguments: argparse.Namespace, column: int | None, columns: Mapping[str, Any]
) -> Iterator[Corpus]:  # fmt: skip
    """Training data; its tags decode without the scheme and repair of what is scored, bare IO names aside."""
    scheme = "io" if str(arguments.scheme).lower() == "io" else None
    options = {"labels": _label_names(arguments.labels), "scheme": scheme, **columns}
    for source in arguments.train:
        if not is_local(source) or needs_shape(source, **options):
            batches: Iterable[Corpus] = [_train_split(source, options)]
        else:
            of_conll = column if format_of(source) is Format.CONLL else None
            usual = {name: value for name, value in options.items() if name not in ("text", "document", "end")}
            batches = _with_progress(read_batches(source, column=of_conll, **usual), source)
        for batch in batches:
            yield join_at(batch) if arguments.join_at else batch


def _train_split(source: str, options: Mapping[str, Any]) -> Corpus:
    """What a dataset has to train on: its split of that name, or the only one."""
    splits = load_splits(source, **options)
    name = "train" if "train" in splits else next(iter(splits))
    if name != "train" and len(splits) > 1:
        raise CleancutError(f"--train: {source} has no train split, but {', '.join(splits)}. Give a file.")
    _say_found(source, {name: splits[name]})
    return splits[name].corpus


def _say_found(source: str, splits: Mapping[str, Samples]) -> None:
    """What was found where, and what is to be known of it, on standard error."""
    for shape in dict.fromkeys(str(samples.shape) for samples in splits.values() if samples.shape is not None):
        print(f"cleancut: {source}: {shape}", file=sys.stderr)
    for name, samples in splits.items():
        for note in samples.notes:
            print(f"cleancut: {source}{f' ({name})' if name else ''}: {note}", file=sys.stderr)


class _Scorer:
    """Scores systems batch by batch, so that files of any size take the same memory."""

    def __init__(
        self, metrics: list[str], exposure: Exposure | None, credit: float, joined: bool, *, strict: bool,
        confidence: Mapping[str, int],
    ) -> None:  # fmt: skip
        self._metrics, self._exposure, self._credit = metrics, exposure, credit
        self._joined, self._strict, self._confidence = joined, strict, confidence
        self.notes: list[str] = []

    def score(self, gold: str, pred: str, reading: dict[str, Any]) -> dict[str, Score]:
        """All metrics of one system."""
        sums: dict[str, Score] = {}
        left_out = set()
        for ours, theirs in _with_progress(paired_batches(gold, pred, **reading), pred):
            if self._joined:
                ours, theirs = join_at(ours), join_at(theirs)
            for metric in self._metrics:
                if metric in left_out:
                    continue
                if metric == "hardeval" and not self._strict and (overlaps(ours.mentions) or overlaps(theirs.mentions)):
                    left_out.add(metric)  # it was only a default
                    sums.pop(metric, None)
                    self.notes.append(f"{pred}: hardeval is left out, since mentions overlap.")
                    continue
                score = self._one(metric, ours, theirs)
                sums[metric] = sums[metric] + score if metric in sums else score
        return sums

    def _one(self, metric: str, gold: Corpus, pred: Corpus) -> Score:
        function = getattr(scores, metric)
        if metric in NEED_TRAIN:
            return function(gold, pred, self._exposure, **self._confidence)
        return function(gold, pred, **({"credit": self._credit} if metric == "partial_f1" else {}), **self._confidence)


def _tag_options(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "labels": _label_names(arguments.labels), "scheme": arguments.scheme, "repair": arguments.repair
    }  # fmt: skip


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


def _label_names(text: str | None) -> Any:
    if text is None:
        return None
    if os.path.isfile(text):
        return label_file(text)
    return [name.strip() for name in text.split(",")]


# --- audit and subsets --------------------------------------------------------------------------------


def _add_audit(commands: Any) -> None:
    parser = _command(
        commands,
        "audit",
        _audit,
        "show what the splits of a dataset share",
        "cleancut audit --train train.conll --test test.conll",
    )
    parser.add_argument(
        "source", nargs="?", metavar="SOURCE",
        help="a folder with train, dev and test files, or a dataset on the Hub (org/name:config@revision)",
    )  # fmt: skip
    for split in SPLITS:
        parser.add_argument(f"--{split}", action="append", metavar="FILE", help=f"the {split} split")
    parser.add_argument("--unit", default="sample", choices=list(Unit), help="what is contaminated; default sample")
    parser.add_argument("--column", type=int, metavar="N", help="CoNLL column of the tags; default the last")
    parser.add_argument("--top", type=int, default=5, metavar="N", help="leaking entities of each pair; default 5")
    _add_column_options(parser)
    _add_key_options(parser)
    _add_tag_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _audit(arguments: argparse.Namespace) -> str:
    files = {split: getattr(arguments, split) for split in SPLITS if getattr(arguments, split)}
    if arguments.source and files:
        raise CleancutError("audit: give either a folder or dataset, or the files of the splits.")
    options = {**_tag_options(arguments), **_column_options(arguments)}
    if arguments.source and not is_local(arguments.source):
        if arguments.column is not None:
            raise CleancutError("--column is for CoNLL files. Give --tags COL for a dataset.")
        found_in = load_splits(arguments.source, **options)
        _say_found(arguments.source, found_in)
        splits = {name: samples.corpus for name, samples in found_in.items()}
    else:
        if arguments.source:
            files = {split: [file] for split, file in split_files(arguments.source).items()}
        options["column"] = arguments.column
        splits = {name: _together([_read_said(file, options) for file in parts]) for name, parts in files.items()}
    if arguments.join_at:
        splits = {name: join_at(corpus) for name, corpus in splits.items()}
    found = leakage.audit(splits, unit=arguments.unit, top=arguments.top, **_key(arguments))
    return to_json(found.to_dict()) if arguments.json else audit_text(found, colour=_wants_colour())


def _read_said(file: str, options: Mapping[str, Any]) -> Corpus:
    samples = read_samples(file, **options)
    _say_found(file, {"": samples})
    return samples.corpus


def _together(corpora: list[Corpus]) -> Corpus:
    """Several files of one split; documents of different files are different documents."""
    if len(corpora) > 1:
        corpora = [
            replace(corpus, docs=tuple(doc and f"{i}:{doc}" for doc in corpus.docs)) if corpus.docs else corpus
            for i, corpus in enumerate(corpora)
        ]
    return Corpus.concatenate(corpora)


def _add_subsets(commands: Any) -> None:
    parser = _command(
        commands,
        "subsets",
        _subsets,
        "write the clean and the contaminated test set (all samples, filtered mentions)",
        "cleancut subsets --train train.conll --test test.conll -o subsets",
    )
    parser.add_argument("--train", action="append", required=True, metavar="FILE", help="training data")
    parser.add_argument("--test", required=True, metavar="FILE", help="the test set")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for the two files")
    parser.add_argument("--column", type=int, metavar="N", help="CoNLL column of the tags; default the last")
    _add_key_options(parser)
    _add_tag_options(parser)


def _subsets(arguments: argparse.Namespace) -> str:
    exposure = Exposure.of(_train_batches(arguments, arguments.column, {}), **_key(arguments))
    test = read(arguments.test, column=arguments.column, **_tag_options(arguments))
    test = join_at(test) if arguments.join_at else test
    suffix = ".conll" if format_of(arguments.test) is Format.CONLL else ".jsonl"
    parts = dict(zip(("clean", "contaminated"), leakage.subsets(test, exposure), strict=True))
    os.makedirs(arguments.output, exist_ok=True)
    lines = []
    for name, corpus in parts.items():
        path = os.path.join(arguments.output, name + suffix)
        write(corpus, path)
        lines.append(f"{path}: {len(corpus)} samples, {len(corpus.mentions)} of {len(test.mentions)} mentions")
    return "\n".join(lines)


# --- split ----------------------------------------------------------------------------------------------


def _add_split(commands: Any) -> None:
    parser = _command(
        commands,
        "split",
        _split,
        "split so that train, validation and test share as few entities as possible",
        "cleancut split train.conll test.conll -o clean --ratios 80/10/10",
    )
    parser.add_argument(
        "input", nargs="*", metavar="SOURCE",
        help="files, a folder with train, dev and test files, or a dataset on the Hub (org/name:config@revision)",
    )  # fmt: skip
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for the splits, plan and report")
    parser.add_argument(
        "--recipe", metavar="FILE", help="a .toml file, or the name of a shipped recipe: INPUT and options not given"
    )
    # without a default: what is neither given nor in the recipe is left to mincut
    parser.add_argument("--ratios", metavar="R", help="80/10/10 (default), 80/20, or original")
    parser.add_argument("--seed", type=int, metavar="N", help="default 13")
    parser.add_argument("--unit", choices=list(Unit), help="what stays whole; default sample")
    parser.add_argument("--method", choices=list(Method), help="default mincut")
    parser.add_argument("--compare", action="store_true", help="show random and paper beside the method")
    parser.add_argument("--engine", choices=list(Engine), help="what cuts; default auto")
    parser.add_argument("--effort", choices=list(Effort), help="how long a cut is polished; default auto")
    parser.add_argument(
        "--discard", metavar="D", help="largest share to set aside (default 0), or auto: until nothing is shared"
    )
    parser.add_argument(
        "--representative", metavar="R", help="least entities per sample against the corpus (default 0.9), or off"
    )
    parser.add_argument("--min-per-type", type=int, metavar="N", help="mentions of each type; default 20")
    parser.add_argument(
        "--tear-duplicates", dest="duplicates_together", action="store_false", default=None,
        help="let samples with the same words go to different splits",
    )  # fmt: skip
    _add_column_options(parser)
    _add_key_options(parser)
    _add_tag_options(parser)
    parser.set_defaults(key=None, repair=None)
    parser.add_argument("--column", type=int, metavar="N", help="CoNLL column of the tags; default the last")
    parser.add_argument(
        "--format", choices=["jsonl", "conll", "input"],
        help="of the files written; input keeps the rows as they stand in the input, with all columns. "
        "Default: jsonl, and for datasets of the Hub and CSV files parquet with the rows as they stand",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _split(arguments: argparse.Namespace) -> str:
    if arguments.recipe:
        Recipe.find(arguments.recipe).fill(vars(arguments))
    if not arguments.input:
        raise CleancutError("split: there is nothing to split. Give INPUT, or --recipe with the name of a recipe.")
    arguments.repair = arguments.repair or Repair.CONLLEVAL
    samples = _split_samples(arguments)
    parts = {name: part.corpus for name, part in samples.items()}
    if arguments.join_at:
        parts = {name: join_at(corpus) for name, corpus in parts.items()}
    given = {name: vars(arguments).get(name) for name in SPLIT}
    options = {name: value for name, value in given.items() if value is not None} | _key(arguments)
    if "representative" in options:
        floor = options["representative"]
        options["representative"] = None if floor == "off" else _number(floor, "--representative")
    method, discard = options.pop("method", "mincut"), options.pop("discard", 0)
    with _moves_shown() as shown:
        plan = mincut(parts, method=method, discard=discard, progress=shown, **options)
    compared = {method: plan}
    if arguments.compare:
        from .partition import has_metis

        others = ["random", "paper"] if has_metis() else ["random"]
        compared |= {other: mincut(parts, method=other, **options) for other in others}
    source = next(iter(samples.values())).source
    if source is not None:
        plan = replace(plan, source=asdict(source))
    with _written_together(arguments.output) as folder:
        _write_split(plan, parts, samples, arguments, folder)
        Path(folder, "report.md").write_text(split_text(compared, markdown=True) + "\n", "utf-8")
    if arguments.json:
        return to_json(plan.to_dict())
    return f"{split_text(compared, colour=_wants_colour())}\n\nWritten to {arguments.output}."


def _split_inputs(inputs: list[str]) -> dict[str, str]:
    """The files, by the name of their original split where it shows, else by their place."""
    if len(inputs) == 1 and os.path.isdir(inputs[0]):
        return split_files(inputs[0])
    found = [split_name(file) for file in inputs]
    if len(inputs) > 1 and None not in found and len(set(found)) == len(found):
        return {str(name): file for name, file in zip(found, inputs, strict=True)}
    return {f"part {i}" if len(inputs) > 1 else "": file for i, file in enumerate(inputs)}


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise CleancutError(f"{option}: {text!r} is not a number.") from None


def _split_samples(arguments: argparse.Namespace) -> dict[str, Samples]:
    """The original splits, from a dataset on the Hub or from files."""
    options = {**_tag_options(arguments), **_column_options(arguments)}
    hub = [source for source in arguments.input if not is_local(source)]
    if hub and len(arguments.input) > 1:
        raise CleancutError(f"{hub[0]} is a dataset on the Hub. Give it alone.")
    if hub:
        if arguments.column is not None:
            raise CleancutError("--column is for CoNLL files. Give --tags COL for a dataset.")
        found = load_splits(hub[0], **options)
        _say_found(hub[0], found)
    else:
        found = {}
        files = _split_inputs(arguments.input)
        _refuse_own_input(files.values(), arguments.output)
        for name, file in files.items():
            found[name] = read_samples(file, column=arguments.column, **options)
            _say_found(file, {"": found[name]})
    torn = any(part.holds_documents for part in found.values())
    if torn and arguments.unit != Unit.DOC and _kept_format(arguments, found) == "input":
        raise CleancutError("the rows are documents of several sentences, which stay whole. Give --unit doc.")
    return found


def _kept_format(arguments: argparse.Namespace, samples: Mapping[str, Samples]) -> str:
    """The format to write: as asked, else rows as they stand for datasets and jsonl for files."""
    is_dataset = any(hasattr(part.rows, "with_format") for part in samples.values())
    return arguments.format or ("input" if is_dataset else "jsonl")


def _write_split(
    plan: SplitPlan, parts: dict[str, Corpus], samples: dict[str, Samples], arguments: argparse.Namespace, folder: str
) -> None:
    format = _kept_format(arguments, samples)
    if format == "input":
        plan = plan.of_rows(list(samples.values()))
        files = [] if not is_local(arguments.input[0]) else list(_split_inputs(arguments.input).values())
        if files and not any(map(is_table, files)):
            copy_rows(files, {name: plan.rows(name).tolist() for name in _outputs(plan)}, folder)
        else:
            write_rows(plan.apply({name: part.rows for name, part in samples.items()}, discarded=True), folder)
    else:
        whole = Corpus.concatenate(list(parts.values()))
        for name in _outputs(plan):
            write(whole.select(plan.rows(name)), os.path.join(folder, f"{name}.{format}"))
    reading = {name: value for name, value in _tag_options(arguments).items() if value not in (None, Repair.CONLLEVAL)}
    if arguments.column is not None:
        reading["column"] = arguments.column
    kept = reading if format == "input" else {}
    files_written = {file.partition(".")[0]: _stamped(folder, file) for file in sorted(os.listdir(folder))}
    plan = replace(plan, files=files_written, reading=kept)
    plan.save(os.path.join(folder, "plan.json"))


def _stamped(folder: str, file: str) -> dict[str, str]:
    with open(os.path.join(folder, file), "rb") as stream:
        return {"name": file, "sha256": hashlib.file_digest(stream, "sha256").hexdigest()}


def _refuse_own_input(inputs: Iterable[str], folder: str) -> None:
    """A split must not write over what it reads."""
    for file in inputs:
        stem = os.path.basename(file).partition(".")[0]
        there = os.path.realpath(os.path.dirname(file) or ".") == os.path.realpath(folder)
        if there and stem in (*SPLITS, "discarded"):
            raise CleancutError(f"{file} lies in {folder}, where the splits are written. Choose another folder for -o.")


def _outputs(plan: SplitPlan) -> list[str]:
    return [*plan.names, *(["discarded"] if plan.n_discarded else [])]


@contextmanager
def _written_together(folder: str) -> Iterator[str]:
    """A folder beside, whose files then replace those there were: an interruption leaves no half of a split."""
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".split-") as fresh:
        yield fresh
        written, before = set(os.listdir(fresh)), _split_before(folder)
        for name in sorted(written):
            os.replace(os.path.join(fresh, name), os.path.join(folder, name))
        for name in before - written:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))


def _split_before(folder: str) -> set[str]:
    """The files that an earlier split wrote into a folder."""
    try:
        return {file["name"] for file in SplitPlan.load(os.path.join(folder, "plan.json")).files.values()}
    except CleancutError:
        return set()


# --- the Hub --------------------------------------------------------------------------------------------


def _add_hub(commands: Any) -> None:
    parser = _command(
        commands, "stage", _stage, "build the Spaces of the metric modules", "cleancut stage clean_f1 -o spaces"
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help="metrics; default all")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for one folder of each metric")

    parser = _command(
        commands, "publish-metrics", _publish_metrics, "upload the metric modules as Spaces",
        "cleancut publish-metrics --to my-org",
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help="metrics; default all")
    parser.add_argument("--to", required=True, metavar="ORG", help="user or organisation")
    _add_push(parser)

    parser = _command(
        commands, "publish", _publish, "upload a split as a config of a dataset",
        "cleancut publish clean/plan.json --to my-org/corpus --config mincut-80-10-10",
    )  # fmt: skip
    parser.add_argument("plan", metavar="PLAN", help="plan.json, with the splits beside it")
    parser.add_argument("--to", required=True, metavar="ORG/NAME", help="the dataset; made if it is not there")
    parser.add_argument("--config", required=True, metavar="NAME", help="such as mincut-80-10-10")
    parser.add_argument("--private", action="store_true", help="if the dataset is new")
    parser.add_argument("--indices-only", action="store_true", help="where each row is in the source, and no text")
    parser.add_argument("--also", default="", metavar="A,B", help="derived configs: clean-test,contaminated-test")
    parser.add_argument("--licence", metavar="L", help="for the card; default that of the source")
    parser.add_argument("--pr", action="store_true", help="as a pull request")
    _add_push(parser)

    parser = _command(
        commands, "materialise", _materialise, "rebuild a dataset from an indices-only config and its source",
        "cleancut materialise my-org/corpus --config mincut-80-10-10 -o rows",
    )  # fmt: skip
    parser.add_argument("repo", metavar="ORG/NAME", help="the dataset that holds the indices")
    parser.add_argument("--config", required=True, metavar="NAME", help="its config")
    parser.add_argument("--revision", metavar="R", help="a branch, tag or commit of it")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for a parquet file of each split")


def _add_push(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--push", action="store_true", help="upload; without it, only say what would be uploaded")


def _stage(arguments: argparse.Namespace) -> str:
    from .hub import stage

    return "\n".join(str(folder) for folder in stage(arguments.names, arguments.output))


def _publish_metrics(arguments: argparse.Namespace) -> str:
    from .hub import joined, publish_metrics

    _quiet_clients()
    return joined(publish_metrics(arguments.to, arguments.names, push=arguments.push), arguments.push)


def _publish(arguments: argparse.Namespace) -> str:
    from .hub import joined, publish

    _quiet_clients()
    said = publish(
        arguments.plan, arguments.to, arguments.config, private=arguments.private, indices_only=arguments.indices_only,
        also=[name for name in arguments.also.split(",") if name], licence=arguments.licence, pr=arguments.pr,
        push=arguments.push,
    )  # fmt: skip
    return joined(said, arguments.push)


def _materialise(arguments: argparse.Namespace) -> str:
    from .hub import materialise

    _quiet_clients()
    found = materialise(arguments.repo, arguments.config, revision=arguments.revision)
    with _written_together(arguments.output) as folder:
        for name, rows in found.items():
            rows.to_parquet(os.path.join(folder, f"{name}.parquet"))
    sizes = ", ".join(f"{name} {len(rows)}" for name, rows in found.items())
    return f"Rebuilt and verified: {sizes}. Written to {arguments.output}."


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
    parser.add_argument("--labels", metavar="NAMES", help=_LABELS)
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


@contextmanager
def _moves_shown() -> Iterator[Callable[[float], None] | None]:
    """A progress bar of the splitter's moves, on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    form = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
    with tqdm(total=1.0, desc="cutting", delay=1, leave=False, bar_format=form) as bar:
        yield lambda share: bar.update(min(share, 1.0 - bar.n))


def _quiet_clients() -> None:
    """The Hub's clients show their progress on a terminal only, and leave the words to us."""
    import datasets
    import huggingface_hub

    datasets.logging.set_verbosity_error()
    huggingface_hub.logging.set_verbosity_error()
    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
        huggingface_hub.utils.disable_progress_bars()


def _wants_colour() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
