"""The options that several commands share, and the functions that turn them into arguments of the public functions."""

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
from ..core.same import EXACT, PART_LIMIT, Notion, Same
from ..core.tags import Repair, Scheme
from ..core.type_names import parse_type_map
from ..reading.alias_files import read_aliases
from ..reading.dataset import Samples, load_splits, needs_shape, read_files
from ..reading.files import columns_for, read_batches
from ..reading.formats import Format, format_of
from ..reading.hub_ids import is_local
from ..reading.label_names import label_file
from ..reading.opening import Source
from ..reading.recognised import formats_read
from ..reading.shape import End
from ..reading.systems import system_batches
from ..scoring.exposure import Exposure
from ..scoring.registry import metrics as all_metrics
from ..showing.text import to_json
from .paths import Input, Output
from .systems import AddSystems, names_of
from .terminal import tell


def command(commands: Any, name: str, run: Callable[..., str | None], summary: str, example: str) -> Any:
    """Add a command to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
        name: the name of the command.
        run: the function that runs the command on its arguments and returns what is printed.
        summary: one sentence that says what the command does, without a capital letter and a full stop.
        example: one command or several, one a line.

    Returns:
        The parser of the command, to which its options are added.
    """
    parser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:].rstrip('.')}.",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


READING = "how files are read"
SAME = "which names are the same"
COLUMNS_OF_DATA = "columns of data that are not CoNLL"
"""The titles of groups of options in the help."""


def options_titled(parser: Any, title: str) -> Any:
    """Return the group of options of a title, which several functions add options to.

    Args:
        parser: the parser of a command; or a group, to which the options then belong.
        title: the title of the group.
    """
    if not isinstance(parser, argparse.ArgumentParser):
        return parser
    groups = {group.title: group for group in parser._action_groups}
    return groups.get(title) or parser.add_argument_group(title)


_PRED = (
    "predictions for the same text, one file for each system; NAME=FILE gives a system another name than its file's. "
    "Without --pred, the last two columns of the gold file hold the gold tags and the predictions, as in conlleval"
)
"""The help of ``--pred`` for commands that take any number of systems."""


def add_system_options(parser: Any, pred: str = _PRED, *, needs_gold: bool = True) -> None:
    """Add the options for gold annotation, predictions and training data, and for how all of these are read.

    Args:
        parser: the parser of a command, or a group of its options.
        pred: the help of ``--pred``.
        needs_gold: whether the command cannot do without ``--gold``.
    """
    parser.add_argument(
        "--gold",
        required=needs_gold,
        type=Input,
        metavar="FILE",
        help="the gold annotation: a CoNLL, JSONL or Parquet file, which may be compressed (.gz)",
    )
    parser.add_argument("--pred", action=AddSystems, nargs="+", type=Input, metavar="FILE", help=pred)
    parser.add_argument(
        "--train",
        action="append",
        type=Input,
        metavar="SOURCE",
        help="the training data: a file, or a dataset on the Hub (org/name:config@revision)",
    )
    add_side_column_options(parser, "gold and the training")
    add_column_options(parser)
    add_key_options(parser)
    add_tag_options(parser)
    add_map_option(parser)
    add_answer_options(parser)


def add_side_column_options(parser: Any, gold: str = "gold") -> None:
    """Add ``--gold-column`` and ``--pred-column`` for commands that read gold tags and predictions from other columns.

    Args:
        parser: the parser of a command, or a group of its options.
        gold: which tags the first of the two columns holds, for the help.
    """
    parser = options_titled(parser, READING)
    for name, content in {"gold": f"{gold} tags", "pred": "predictions"}.items():
        parser.add_argument(
            f"--{name}-column",
            type=int,
            metavar="N",
            help=f"the CoNLL column that holds the {content}; by default the last one",
        )


def add_answer_options(parser: Any) -> None:
    """Add the options for predictions that are answers of language models.

    Args:
        parser: the parser of a command, or a group of its options.
    """
    group = parser.add_argument_group("answers of language models, as predictions")
    group.add_argument(
        "--answers",
        metavar="FORM",
        help=f"the form of the answers ({', '.join(Style)}); by default the form of each answer is detected",
    )
    group.add_argument(
        "--ignore-types",
        nargs="?",
        const=True,
        default=False,
        metavar="T",
        help="ignore mentions of types that gold does not have: of the types T (such as DATE,TIME), or of all such "
        "types if T is not given; by default they count as wrong",
    )


def answer_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the reading functions for answers of language models.

    Args:
        arguments: the arguments of the command.
    """
    ignored = arguments.ignore_types
    if isinstance(ignored, str):
        ignored = [name.strip() for name in ignored.split(",") if name.strip()]
    return {"answers": arguments.answers, "ignore_types": ignored, **type_options(arguments)}


def system_files(arguments: argparse.Namespace) -> tuple[dict[str, str], dict[str, int | None]]:
    """Return the file of each system by its name, and the CoNLL columns to read.

    Args:
        arguments: the arguments of the command.

    Raises:
        CleancutError: without ``--pred``, the gold file is not a CoNLL file, which alone holds both.
    """
    columns = {"gold_column": arguments.gold_column, "pred_column": arguments.pred_column}
    files = arguments.pred
    if files is None:  # one file holds both, as conlleval wants it
        files = [arguments.gold]
        for name, default in {"gold_column": -2, "pred_column": -1}.items():
            if columns[name] is None:
                columns[name] = default
        if os.path.isfile(arguments.gold) and format_of(arguments.gold) is not Format.CONLL:
            raise CleancutError(f"{arguments.gold}: only a CoNLL file holds gold and predictions. Give --pred FILE.")
    return dict(zip(names_of(files), files, strict=True)), columns


def read_systems(arguments: argparse.Namespace) -> tuple[Corpus, dict[str, Corpus]]:
    """Return the whole gold corpus, and the predictions of each system for it.

    Args:
        arguments: the arguments of the command.
    """
    files, columns = system_files(arguments)
    reading: dict[str, Any] = {**columns, **tag_options(arguments), **column_options(arguments)}
    reading |= answer_options(arguments)
    golds: list[Corpus] = []
    predictions: dict[str, Corpus] = {}
    for name, file in files.items():
        source = Source.of(file)
        batches = list(source.while_shown(system_batches(arguments.gold, source, reading, tell_shapes)))
        gold, predicted = (Corpus.concatenate(list(side)) for side in zip(*batches, strict=True))
        if arguments.join_at:
            gold, predicted = join_at(gold), join_at(predicted)
        golds.append(gold)
        predictions[name] = predicted
    return golds[0], predictions


def add_tag_options(parser: Any) -> None:
    """Add the options for tags: their scheme, their repair, and the names of integer labels.

    Args:
        parser: the parser of a command, or a group of its options.
    """
    parser = options_titled(parser, READING)
    parser.add_argument(
        "--scheme", metavar="S", help=f"the scheme of the tags ({', '.join(Scheme)}); inferred by default"
    )
    parser.add_argument(
        "--repair",
        default="conlleval",
        metavar="R",
        help=f"how to treat ill-formed tags ({', '.join(Repair)}); default conlleval",
    )
    parser.add_argument("--labels", type=Input, metavar="NAMES", help=LABELS)


def add_map_option(parser: Any) -> None:
    """Add ``--map``, which renames types.

    Args:
        parser: the parser of a command, or a group of its options.
    """
    parser = options_titled(parser, READING)
    parser.add_argument(
        "--map",
        type=Input,
        metavar="OLD=NEW",
        help="rename types where files use different names: person=PER,location=LOC, or a file with one such pair on "
        "each line",
    )


def add_beta_option(parser: Any) -> None:
    """Add ``--beta``, which weighs recall against precision.

    Args:
        parser: the parser of a command, or a group of its options.
    """
    parser.add_argument(
        "--beta",
        type=float,
        default=1.0,
        metavar="B",
        help="compute F-beta instead of F1: with 2, recall weighs twice as much as precision; default 1",
    )


def add_interval_option(parser: Any) -> None:
    """Add ``--ci`` for commands that compute no intervals unless they are asked for.

    Args:
        parser: the parser of a command, or a group of its options.
    """
    parser.add_argument("--ci", type=int, metavar="N", help="compute 95%% intervals from N resamples, such as 10000")


def add_seed_option(parser: Any, seeded: str = "resamples") -> None:
    """Add ``--seed``.

    Args:
        parser: the parser of a command, or a group of its options.
        seeded: what is drawn at random, for the help.
    """
    parser.add_argument("--seed", type=int, default=13, metavar="N", help=f"the seed of the {seeded}; default 13")


def add_json_option(parser: Any) -> None:
    """Add ``--json``.

    Args:
        parser: the parser of a command, or a group of its options.
    """
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def add_systems_json_option(parser: Any) -> None:
    """Add ``--json`` and ``--json-systems`` for commands that take one system or several.

    Args:
        parser: the parser of a command, or a group of its options.
    """
    choice = parser.add_mutually_exclusive_group()
    add_json_option(choice)
    choice.add_argument(
        "--json-systems",
        action="store_true",
        help="print one JSON object, whose shape is the same for one system and for several: the results of each are "
        "below its name, under systems",
    )


def systems_json(results: Mapping[str, Mapping[str, Any]], arguments: argparse.Namespace) -> str | None:
    """Return what ``--json`` or ``--json-systems`` prints of the results of systems; None if neither is given.

    Args:
        results: the results of each system, as a dict.
        arguments: the arguments of the command.
    """
    if arguments.json_systems:
        return json_answer({"systems": results})
    if not arguments.json:
        return None
    if len(results) == 1:
        [results] = results.values()
    return json_answer(results)


def add_conll_column_option(parser: Any) -> None:
    """Add ``--column`` for commands that read all their files in one way.

    Args:
        parser: the parser of a command, or a group of its options.
    """
    parser = options_titled(parser, READING)
    parser.add_argument(
        "--column", type=int, metavar="N", help="the CoNLL column that holds the tags; by default the last one"
    )


def add_page_option(parser: Any, result: str) -> None:
    """Add ``--html``, which writes the result as a page too.

    Args:
        parser: the parser of a command, or a group of its options.
        result: what the page shows, for the help.
    """
    parser.add_argument(
        "--html", type=Output, metavar="FILE", help=f"also write the {result} as a web page in a single file"
    )


def type_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the option ``types`` of the scoring functions, if types are to be renamed.

    Args:
        arguments: the arguments of the command.
    """
    if arguments.map is None:
        return {}
    text, place = arguments.map, "--map"
    if os.path.isfile(text):
        text, place = Source(text).text(), f"--map {text}"
    return {"types": parse_type_map(text, place)}


LABELS = "the names of integer labels: a,b,c, or a file with a name on each line, or with label2id or id2label as JSON"
"""The help of ``--labels``."""


def add_column_options(parser: Any) -> None:
    """Add the options that say which column of a dataset holds what, where that is not detected rightly.

    Args:
        parser: the parser of a command, or a group of its options.
    """
    parser = options_titled(parser, COLUMNS_OF_DATA)
    for name, content in COLUMNS.items():
        parser.add_argument(f"--{name}", metavar="COL", help=f"the column that holds {content}; detected by default")
    parser.add_argument(
        "--end",
        choices=list(End),
        help="whether the end of a span is the last position in it (inclusive) or the one behind it (exclusive); "
        "detected by default",
    )
    parser.add_argument(
        "--word-column", type=int, metavar="N", help="the CoNLL column that holds the words; detected by default"
    )


COLUMNS = {
    "tokens": "the tokens",
    "tags": "the tags",
    "entities": "the entities, as spans",
    "text": "the text that character offsets count in",
    "document": "the name of the document",
}
"""The options that name a column of a dataset, and what the column holds."""


def column_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the columns that were named, by the parameters of the reading functions.

    Args:
        arguments: the arguments of the command.
    """
    named: dict[str, Any] = {name: getattr(arguments, name) for name in (*COLUMNS, "end")}
    ids = vars(arguments).get("ids")
    if isinstance(ids, str):  # the --ids of convert is a switch for something else
        named["ids"] = ids
    return named if arguments.word_column is None else {**named, "word_column": arguments.word_column}


def add_key_options(parser: Any, *, relations: bool = False) -> None:
    """Add the options that say when two mentions are of the same entity.

    Args:
        parser: the parser of a command, or a group of its options.
        relations: offer relations as what splits may share, too.
    """
    parser = options_titled(parser, SAME)
    choices = ["surface+type", "surface"]
    explanation = (
        "what makes two mentions the same entity: the same words and the same type (surface+type, the default), or "
        "the same words alone (surface)"
    )
    if relations:
        choices += list(Shared)
        explanation += (
            ". entity is another word for surface+type. With pair and triple, splits are compared by relations "
            "instead: by the words of head and tail, or by these and the label of the relation"
        )
    parser.add_argument("--key", default="surface+type", choices=choices, help=explanation)
    parser.add_argument("--ignore-case", action="store_true", help="treat words that differ only in case as the same")
    add_join_option(parser)


def add_same_options(parser: Any) -> None:
    """Add the options that say which names count as the same, beyond the entity key.

    Args:
        parser: the parser of a command, or a group of its options.
    """
    parser = options_titled(parser, SAME)
    parser.add_argument(
        "--same",
        default="exact",
        metavar="S",
        help="which names count as the same: exact (the same words, the default), fold (regardless of case and "
        "punctuation), id (they have an id in common: --ids), alias (a line of --aliases has both), part (one "
        "contains the words of the other), templates (their sentences are equal once names and digits are masked); "
        "combine them with +, such as fold+part",
    )
    add_aliases_option(parser)
    parser.add_argument(
        "--part-limit",
        type=int,
        default=PART_LIMIT,
        metavar="N",
        help="for --same part: a word that occurs in more than N longer names is too generic to count as a name by "
        f"itself; default {PART_LIMIT}",
    )


def add_aliases_option(parser: Any) -> None:
    """Add ``--ids`` and ``--aliases``, which say what the ways ``id`` and ``alias`` of ``--same`` compare.

    Args:
        parser: the parser of a command, or a group of its options.
    """
    parser = options_titled(parser, SAME)
    parser.add_argument(
        "--ids",
        metavar="COL",
        help="the field of the entities, or the column beside them (in CoNLL its number), with the ids of entities, "
        "such as those of MeSH or Wikidata, for --same id",
    )
    parser.add_argument(
        "--aliases",
        type=Input,
        metavar="FILE",
        help="a table for --same alias: two or more names that mean the same on each line, as TSV or JSONL",
    )


def same_options(arguments: argparse.Namespace, *, several: bool = False) -> dict[str, Any]:
    """Return the notion of the same name that was asked for, as the option ``same``; nothing for ``exact``.

    Args:
        arguments: the arguments of the command.
        several: whether several notions may be given, with commas between them. They are a list then.
    """
    given = vars(arguments)
    aliases = None if given.get("aliases") is None else read_aliases(arguments.aliases)
    limit = PART_LIMIT if given.get("part_limit") is None else arguments.part_limit
    text = given.get("same") or EXACT.notions[0]
    if several and "," in text:
        notions = Same.several(text, aliases=aliases, part_limit=limit)
        _check_ids(notions, given.get("ids"))
        return {"same": notions}
    same = Same.of(text, aliases=aliases, part_limit=limit)
    _check_ids([same], given.get("ids"))
    return {} if same.is_exact else {"same": same}


def _check_ids(notions: Iterable[Same], ids: str | None) -> None:
    """Raise an error where names are to be compared by ids that are not named, or ids are named for nothing."""
    is_by_id = any(Notion.ID in notion.notions for notion in notions)
    if is_by_id and ids is None:
        raise CleancutError(
            "--same id needs the ids of entities. Give --ids COL, the field or the column that holds them."
        )
    if ids is not None and not is_by_id:
        raise CleancutError(f"--ids {ids} has no effect without --same id. Add it, or leave --ids out.")


def add_join_option(parser: Any) -> None:
    """Add ``--join-at``, for corpora that annotate "@" and the user name apart.

    Args:
        parser: the parser of a command, or a group of its options.
    """
    parser = options_titled(parser, SAME)
    parser.add_argument(
        "--join-at", action="store_true", help='join a mention "@" to the user name that follows it, as in BTC'
    )


def add_ladder_options(parser: Any) -> None:
    """Add the options of a contamination ladder.

    Args:
        parser: the parser of a command, or a group of its options.
    """
    parser.add_argument(
        "--levels",
        metavar="L",
        help="the levels of contamination of the ladder, in %%: first:last:step (default 0:100:10), or a,b,c",
    )
    parser.add_argument(
        "--seeds", type=int, metavar="N", help="the number of training sets at each level of the ladder; default 5"
    )


def key(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the scoring and splitting functions that say when two mentions are of the same entity.

    Args:
        arguments: the arguments of the command.
    """
    return {"typed": arguments.key != "surface", "case": not arguments.ignore_case, **same_options(arguments)}


def shared_key(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the same options for functions to which relations, too, can be what splits share.

    Args:
        arguments: the arguments of the command.
    """
    shared = arguments.key if arguments.key in list(Shared) else Shared.ENTITY.value
    return {**key(arguments), "key": shared}


def tag_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the reading functions for tags: ``labels``, ``scheme`` and ``repair``.

    Args:
        arguments: the arguments of the command.
    """
    return {"labels": label_names(arguments.labels), "scheme": arguments.scheme, "repair": arguments.repair}


def label_names(text: str | None) -> Any:
    """Return the names of integer labels, in the form that the reading functions take.

    Args:
        text: the value of ``--labels``: names with commas between them, or a file; None if it is not given.

    Raises:
        CleancutError: it is the name of a file that is not there.
    """
    if text is None:
        return None
    if os.path.isfile(text):
        return label_file(text)
    if "," not in text and (os.sep in text or text.endswith((".json", ".txt"))):
        raise CleancutError(
            f"--labels {text}: no such file. Give a file that is there, or names such as O,B-PER,I-PER."
        )
    return [name.strip() for name in text.split(",")]


_KEPT_TOKENS = 5_000_000
"""Training data of at most so many tokens is kept in memory, where it takes about 20 MB, rather than read again."""


class TrainData:
    """The training data of a command, in batches, which can be read several times.

    Tags are decoded without the scheme and the repair of the test data, except for names without prefixes (IO). What
    was read as a whole is kept, and so are batches while they are small.

    Args:
        arguments: the arguments of the command.
        column: the CoNLL column that holds the tags; None for the last one.
        columns: the columns of other data, as ``column_options`` returns them.
    """

    def __init__(self, arguments: argparse.Namespace, column: int | None, columns: Mapping[str, Any]) -> None:
        scheme = "io" if str(arguments.scheme).lower() == "io" else None
        self._options = {"labels": label_names(arguments.labels), "scheme": scheme, **columns}
        self._sources = arguments.train
        self._column = column
        self._joined = arguments.join_at
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
        """Return the batches of one file or dataset; some kinds can only be read as a whole, which is one batch."""
        file = Source.of(source)
        if source not in self._whole and (not is_local(source) or needs_shape(file, **self._options)):
            self._whole[source] = _train_split(source, self._options)
        if source in self._whole:
            return [self._whole[source]]
        column = self._column if format_of(file) is Format.CONLL else None
        usual = {name: value for name, value in self._options.items() if name not in ("text", "document", "end")}
        return file.while_shown(read_batches(file, column=column, **usual))


def exposure_of(arguments: argparse.Namespace, metrics: Iterable[str]) -> Exposure | None:
    """Return what training has shown, if ``--train`` is given.

    The data are read in batches, and twice where one of the metrics needs it.

    Args:
        arguments: the arguments of the command.
        metrics: the names of the metrics that will use it.

    Returns:
        The exposure; None without ``--train``.

    Raises:
        CleancutError: an option has no effect without ``--train``.
    """
    columns = column_options(arguments)
    if arguments.train:
        data = TrainData(arguments, arguments.gold_column, columns)
        if any(all_metrics()[metric].reads_train_twice for metric in metrics):
            return Exposure.of(data, **key(arguments))
        return Exposure.of(iter(data), **key(arguments))
    given = [name for name, value in columns.items() if value is not None]
    files = [arguments.gold, *(arguments.pred or ())]
    if given and not any(columns_for(file, columns) for file in files):
        raise CleancutError(f"--{given[0]} has no effect: all files are CoNLL files, whose columns have no names.")
    if arguments.key != "surface+type" or arguments.ignore_case:
        raise CleancutError("--key and --ignore-case have no effect without training data. Give --train FILE.")
    if same_options(arguments):
        raise CleancutError("--same has no effect without training data. Give --train FILE.")
    return None


def _train_split(source: str, options: Mapping[str, Any]) -> Corpus:
    """Return the split of a dataset to train on: the one called train, or the only one."""
    splits = load_splits(source, **options)
    name = "train" if "train" in splits else next(iter(splits))
    if name != "train" and len(splits) > 1:
        raise CleancutError(f"--train: {source} has no train split, but {', '.join(splits)}. Give a file.")
    tell_shapes(source, {name: splits[name]})
    return splits[name].corpus


def read_and_tell(files: Sequence[str], arguments: argparse.Namespace) -> dict[str, Corpus]:
    """Read files by the options of the command, all in one way, and tell what was recognised in them.

    Args:
        files: the files.
        arguments: the arguments of the command.

    Returns:
        The corpus of each file.
    """
    options = {**tag_options(arguments), **column_options(arguments)}
    samples_of = read_files({file: file for file in files}, column=arguments.column, **options)
    for file, samples in samples_of.items():
        tell_shapes(file, {"": samples})
    return {file: samples.corpus for file, samples in samples_of.items()}


def json_answer(result: Mapping[str, Any]) -> str:
    """Return what ``--json`` prints: a result, with what each file was recognised as under ``read_as``.

    A system may be called ``read_as``, too; then the key belongs to the system.

    Args:
        result: the result, as a dict.
    """
    return to_json({**result, "read_as": result.get("read_as", formats_read())})


def tell_shapes(source: str, splits: Mapping[str, Samples]) -> None:
    """Tell on standard error which columns of a file or dataset hold what, and what else a user should know of it.

    Args:
        source: the name of the file or dataset.
        splits: the samples of each split; the name is empty for a file that is one split.
    """
    shapes = [samples.shape for samples in splits.values() if not samples.is_export]
    for shape in dict.fromkeys(str(shape) for shape in shapes if shape is not None):
        tell(f"{source}: {shape}")
    for name, samples in splits.items():
        place = f"{source} ({name})" if name else source
        for note in samples.notes:
            tell(f"{place}: {note}")
