"""Options that several commands share, and what they stand for."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..core.answer_records import Style
from ..core.at_signs import join_at
from ..core.corpus import Corpus
from ..core.entities import Shared
from ..core.exceptions import CleancutError
from ..core.tags import Repair, Scheme
from ..core.type_names import parse_type_map
from ..reading.dataset import Samples, load_splits, needs_shape, read_files
from ..reading.detecting import End, label_file
from ..reading.files import columns_for, read_batches
from ..reading.formats import Format, format_of
from ..reading.hub_ids import is_local
from ..reading.opening import Source
from ..reading.progress import with_progress
from ..reading.recognised import formats_read
from ..reading.systems import system_batches
from ..scoring.exposure import Exposure
from ..scoring.registry import metrics as all_metrics
from ..showing.escaping import one_line
from ..showing.text import to_json
from .paths import Input
from .systems import AddSystems, names_of
from .terminal import tell


def command(commands: Any, name: str, run: Callable[..., str | None], summary: str, example: str) -> Any:
    parser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:].rstrip('.')}.",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


_PRED = (
    "predictions for the same text; give several for systems side by side, NAME=FILE for another name than the "
    "file's. Without it, the last two columns of the gold file are gold and prediction, as conlleval has them"
)


def add_system_options(parser: Any, pred: str = _PRED, *, needs_gold: bool = True) -> None:
    """Gold annotation, the predictions of one or more systems, what they were trained on, and how all that is read."""
    parser.add_argument(
        "--gold",
        required=needs_gold,
        type=Input,
        metavar="FILE",
        help="gold annotation: CoNLL, JSONL, parquet; also .gz",
    )
    parser.add_argument("--pred", action=AddSystems, nargs="+", type=Input, metavar="FILE", help=pred)
    parser.add_argument(
        "--train", action="append", type=Input, metavar="SOURCE",
        help="training data: a file, or a dataset on the Hub (org/name:config@revision)",
    )  # fmt: skip
    parser.add_argument(
        "--gold-column", type=int, metavar="N", help="CoNLL column of gold and training tags; default the last"
    )
    parser.add_argument(
        "--pred-column", type=int, metavar="N", help="CoNLL column of the predictions; default the last"
    )
    add_column_options(parser.add_argument_group("columns of data that are not CoNLL"))
    add_key_options(parser)
    add_tag_options(parser)
    add_map_option(parser)
    add_answer_options(parser)


def add_answer_options(parser: Any) -> None:
    group = parser.add_argument_group("answers of language models, as predictions")
    what = f"the form that they are in ({', '.join(Style)}); found by default, answer by answer"
    group.add_argument("--answers", metavar="FORM", help=what)
    ignored = "leave out mentions of types that gold does not have: of these, or of all such types; they count as wrong"
    group.add_argument("--ignore-types", nargs="?", const=True, default=False, metavar="T", help=f"{ignored} else")


def answer_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """How answers of language models are read, where predictions are such."""
    ignored = arguments.ignore_types
    if isinstance(ignored, str):
        ignored = [name.strip() for name in ignored.split(",") if name.strip()]
    return {"answers": arguments.answers, "ignore_types": ignored, **type_options(arguments)}


def system_files(arguments: argparse.Namespace) -> tuple[dict[str, str], dict[str, int | None]]:
    """The file of each system by its name, and the CoNLL columns to read."""
    columns = {"gold_column": arguments.gold_column, "pred_column": arguments.pred_column}
    files = arguments.pred
    if files is None:  # conlleval's single file
        files, last = [arguments.gold], {"gold_column": -2, "pred_column": -1}
        columns = {name: last[name] if given is None else given for name, given in columns.items()}
        if os.path.isfile(arguments.gold) and format_of(arguments.gold) is not Format.CONLL:
            raise CleancutError(f"{arguments.gold}: only a CoNLL file holds gold and predictions. Give --pred FILE.")
    return dict(zip(names_of(files), files, strict=True)), columns


def read_systems(arguments: argparse.Namespace) -> tuple[Corpus, dict[str, Corpus]]:
    """The whole gold corpus, and the predictions of each system for it."""
    files, columns = system_files(arguments)
    read: dict[str, tuple[Corpus, Corpus]] = {}
    for name, file in files.items():
        reading: dict[str, Any] = {**columns, **tag_options(arguments), **column_options(arguments)}
        reading |= answer_options(arguments)
        batches = list(with_progress(system_batches(arguments.gold, file, reading, say_found), one_line(file)))
        ours, theirs = (Corpus.concatenate(list(side)) for side in zip(*batches, strict=True))
        read[name] = (join_at(ours), join_at(theirs)) if arguments.join_at else (ours, theirs)
    return next(iter(read.values()))[0], {name: theirs for name, (_, theirs) in read.items()}


def add_tag_options(parser: Any) -> None:
    parser.add_argument("--scheme", metavar="S", help=f"tag scheme ({', '.join(Scheme)}); inferred by default")
    parser.add_argument(
        "--repair",
        default="conlleval",
        metavar="R",
        help=f"what to do with ill-formed tags ({', '.join(Repair)}); default conlleval",
    )
    parser.add_argument("--labels", type=Input, metavar="NAMES", help=LABELS)


def add_map_option(parser: Any) -> None:
    what = "other names for types, where data do not agree: person=PER,location=LOC or a file of such lines"
    parser.add_argument("--map", type=Input, metavar="OLD=NEW", help=what)


def add_beta_option(parser: Any) -> None:
    what = "F-beta in the place of F1: with 2, recall weighs twice as much as precision; default 1"
    parser.add_argument("--beta", type=float, default=1.0, metavar="B", help=what)


def type_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The names of types that stand for others, if any are given."""
    if arguments.map is None:
        return {}
    text, place = arguments.map, "--map"
    if os.path.isfile(text):
        text, place = Source(text).text(), f"--map {text}"
    return {"types": parse_type_map(text, place)}


LABELS = "names of int labels: a,b,c or a file with one name a line, or with label2id or id2label as JSON"


def add_column_options(parser: Any) -> None:
    """Where a dataset has what, for those whose columns are not found, or not the right ones."""
    for name, what in COLUMNS.items():
        parser.add_argument(f"--{name}", metavar="COL", help=f"column of the {what}; found by default")
    parser.add_argument("--end", choices=list(End), help="does the end of a span belong to it; found by default")
    parser.add_argument("--word-column", type=int, metavar="N", help="CoNLL column of the words; found by default")


COLUMNS = {
    "tokens": "tokens", "tags": "tags", "entities": "entities (spans)", "text": "text that character offsets are for",
    "document": "documents",
}  # fmt: skip


def column_options(arguments: argparse.Namespace) -> dict[str, Any]:
    named: dict[str, Any] = {name: getattr(arguments, name) for name in (*COLUMNS, "end")}
    return named if arguments.word_column is None else {**named, "word_column": arguments.word_column}


def add_key_options(parser: Any, *, relations: bool = False) -> None:
    """``relations``: what is shared may also be a pair of entities in a relation, or the whole triple."""
    known, more = ["surface+type", "surface"], list(Shared)
    what = "what makes two mentions the same entity; default surface+type"
    said = " (or entity). pair: the surfaces of head and tail of a relation are what is shared; triple: with its label"
    parser.add_argument("--key", default="surface+type", choices=known + more * relations, help=what + said * relations)
    parser.add_argument("--ignore-case", action="store_true", help="words that differ only in case are the same")
    parser.add_argument("--join-at", action="store_true", help='join a mention "@" to the user name behind it (BTC)')


def add_ladder_options(parser: Any) -> None:
    parser.add_argument(
        "--levels", metavar="L", help="contamination of the ladder, in %%: first:last:step (default 0:100:10), or a,b,c"
    )
    parser.add_argument("--seeds", type=int, metavar="N", help="training sets of each level of the ladder; default 5")


def key(arguments: argparse.Namespace) -> dict[str, Any]:
    return {"typed": arguments.key != "surface", "case": not arguments.ignore_case}


def shared_key(arguments: argparse.Namespace) -> dict[str, Any]:
    """The same where relations may be what is shared."""
    return {**key(arguments), "key": arguments.key if arguments.key in list(Shared) else Shared.ENTITY.value}


def tag_options(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "labels": label_names(arguments.labels), "scheme": arguments.scheme, "repair": arguments.repair
    }  # fmt: skip


def label_names(text: str | None) -> Any:
    if text is None:
        return None
    if os.path.isfile(text):
        return label_file(text)
    return [name.strip() for name in text.split(",")]


_KEPT_TOKENS = 5_000_000
"""Training data of so many tokens is kept as numbers, about 20 MB, rather than read again."""


class TrainData:
    """The training data of a command, in batches, to be read as often as it takes.

    Tags decode without the scheme and repair of what is scored, bare IO names aside. What was read whole is kept, and
    so are batches while they are small.
    """

    def __init__(self, arguments: argparse.Namespace, column: int | None, columns: Mapping[str, Any]) -> None:
        scheme = "io" if str(arguments.scheme).lower() == "io" else None
        self._options = {"labels": label_names(arguments.labels), "scheme": scheme, **columns}
        self._sources, self._column, self._joined = arguments.train, column, arguments.join_at
        self._whole: dict[str, Corpus] = {}
        self._kept: list[Corpus] | None = None

    def __iter__(self) -> Iterator[Corpus]:
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[Corpus] = []
        n_tokens = 0
        for source in self._sources:
            for batch in self._batches(source):
                batch = join_at(batch) if self._joined else batch
                n_tokens += batch.n_tokens
                kept = [*kept, batch] if n_tokens <= _KEPT_TOKENS else []
                yield batch
        if n_tokens <= _KEPT_TOKENS:
            self._kept = kept

    def _batches(self, source: str) -> Iterable[Corpus]:
        file = Source.of(source)
        if source not in self._whole and (not is_local(source) or needs_shape(file, **self._options)):
            self._whole[source] = _train_split(source, self._options)
        if source in self._whole:
            return [self._whole[source]]
        of_conll = self._column if format_of(file) is Format.CONLL else None
        usual = {name: value for name, value in self._options.items() if name not in ("text", "document", "end")}
        return with_progress(read_batches(file, column=of_conll, **usual), one_line(source))


def exposure_of(arguments: argparse.Namespace, metrics: Iterable[str]) -> Exposure | None:
    """What training has shown, if there is --train; without it, options that are for it are refused.

    The data are read in batches, and twice where one of the metrics needs it.
    """
    columns = column_options(arguments)
    if arguments.train:
        data = TrainData(arguments, arguments.gold_column, columns)
        twice = any(all_metrics()[metric].reads_train_twice for metric in metrics)
        return Exposure.of(data if twice else iter(data), **key(arguments))
    given = [name for name, value in columns.items() if value is not None]
    if given and not any(columns_for(file, columns) for file in (arguments.gold, *(arguments.pred or ()))):
        raise CleancutError(f"--{given[0]} has no effect: all files are CoNLL files, whose columns have no names.")
    if arguments.key != "surface+type" or arguments.ignore_case:
        raise CleancutError("--key and --ignore-case say what training has shown. Give --train FILE.")
    return None


def _train_split(source: str, options: Mapping[str, Any]) -> Corpus:
    """What a dataset has to train on: its split of that name, or the only one."""
    splits = load_splits(source, **options)
    name = "train" if "train" in splits else next(iter(splits))
    if name != "train" and len(splits) > 1:
        raise CleancutError(f"--train: {source} has no train split, but {', '.join(splits)}. Give a file.")
    say_found(source, {name: splits[name]})
    return splits[name].corpus


def read_said(files: Sequence[str], arguments: argparse.Namespace) -> dict[str, Corpus]:
    """Files by the options of the command, all read in one way; what was found in them is said."""
    found = read_files(
        {file: file for file in files}, column=arguments.column, **tag_options(arguments), **column_options(arguments)
    )
    for file, samples in found.items():
        say_found(file, {"": samples})
    return {file: samples.corpus for file, samples in found.items()}


def json_answer(found: Mapping[str, Any]) -> str:
    """Return what ``--json`` prints: a result, with what each file was recognised as under ``read_as``.

    A system may be called that, too: then the key is its own.
    """
    return to_json({**found, "read_as": found.get("read_as", formats_read())})


def say_found(source: str, splits: Mapping[str, Samples]) -> None:
    """What was found where, and what is to be known of it, on standard error."""
    for shape in dict.fromkeys(str(samples.shape) for samples in splits.values() if samples.shape is not None):
        tell(f"{source}: {shape}")
    for name, samples in splits.items():
        for note in samples.notes:
            tell(f"{source}{f' ({name})' if name else ''}: {note}")
