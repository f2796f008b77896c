"""Split plans, and the clean and contaminated test sets of a dataset, published as dataset configs.

Nothing is uploaded unless it is asked for: everything else says what would be. The token is huggingface_hub's own
affair; it is never shown or stored here.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, assert_never

from ..core import checks
from ..core.at_signs import join_at
from ..core.corpus import Corpus, samples_of
from ..core.exceptions import CleancutError
from ..core.files import temporary_folder
from ..core.signature import Signature
from ..mapping.subsets import Which, keep_mentions, subsets
from ..reading.dataset import COLUMNS, Samples, detect, from_dataset, given_samples
from ..reading.formats import Format, format_of, read_plain
from ..reading.hub_ids import HubId, load_hub, mapped_rows
from ..scoring.exposure import Exposure
from ..showing.escaping import markdown_block, markdown_code
from ..splitting.folders import is_as_written
from ..splitting.ladder import ladder
from ..splitting.mincut import source_of
from ..splitting.plan import SplitPlan
from ..splitting.plan_file import OF_TAGS
from .cards import config_section, leakage_chart
from .configs import MAX_SHARD_SIZE, Config, Destination, check_config, metadata_of, write_config
from .indices import indices_of
from .requests import check_repo

_SAID = {Which.CLEAN: "has not", Which.CONTAMINATED: "has"}
_FILTERED = {f"{which}-test": which for which in Which}
DERIVED = (*_FILTERED, "ladder")
"""Configs that hold the test split with filtered targets: mentions that train has not, or has, shown; and, under the
name of the config, its splits with the training sets of the contamination ladder, one config each."""


def publish(
    plan: SplitPlan | str | os.PathLike[str],
    to: str,
    config: str,
    *,
    data: Any = None,
    private: bool = False,
    indices_only: bool = False,
    also: Sequence[str] = (),
    levels: Any = None,
    seeds: Any = None,
    licence: str | None = None,
    pr: bool = False,
    push: bool = False,
    token: str | None = None,
    max_shard_size: int | str = MAX_SHARD_SIZE,
) -> list[str]:
    """Publish the splits of a plan as a config of a dataset, each config in one commit; other configs are not touched.

    Args:
        plan: a plan in hand, or ``plan.json`` (or its folder) with the splits beside it.
        to: the dataset on the Hub, ``org/name``; it is made if it is not there.
        config: the name of the config.
        data: what was split. A plan that was read from disk has its files, and one of a Hub dataset its source: these
            do without.
        private: make the dataset private, if it is new.
        indices_only: publish where each row is in the source (repository, revision, split, row), and no text.
        also: further configs to derive, of ``DERIVED``.
        levels: those of the ladder, as ``ladder`` has them.
        seeds: the same.
        licence: that of the card; by default the source's.
        pr: upload as a pull request.
        push: upload. Without it nothing is uploaded.
        token: for the Hub, where it is not the one that huggingface_hub knows; it is passed on, never shown or stored.
        max_shard_size: how large a Parquet file may be before compression; memory is bounded by it.

    Returns:
        For each config, what was uploaded; without ``push``, exactly what would be.
    """
    check_repo(to)
    also = checks.names(also, "also", f"a list of some of {', '.join(DERIVED)}")
    unknown = set(also) - set(DERIVED)
    if unknown:
        raise CleancutError(f"{', '.join(sorted(unknown))}: no such config to derive. Choose of {', '.join(DERIVED)}.")
    check_config(config)
    of_ladder = {name: value for name, value in (("levels", levels), ("seeds", seeds)) if value is not None}
    if of_ladder and "ladder" not in also:
        raise CleancutError(f"{next(iter(of_ladder))} has no effect without the ladder among the configs to derive.")
    if indices_only and also:
        raise CleancutError("derived configs hold text, which --indices-only leaves out. Choose one of the two.")
    from huggingface_hub import HfApi

    with temporary_folder() as folder:
        plan, splits, reading = _plan_and_rows(plan, data, folder)
        derived = _derived(splits, reading, plan, config, also, of_ladder)
        for name in derived:
            check_config(name)
        api = HfApi(token=token)
        destination = Destination(api, to, metadata_of(api, plan.hub_id, licence, push), private, pr, push)

        def written(name: str, own: str) -> Config:
            if name == config:
                section, beside = config_section(plan, config, to, indices_only), {}
                rows: Mapping[str, Any] = splits
                if indices_only:
                    rows, beside["source.json"] = indices_of(plan, splits)
                beside["leakage.svg"] = leakage_chart(plan).encode()
            else:
                rows, about = derived[name]
                section, beside = f"## Config `{name}`\n\n{about}\n\n{markdown_code(plan.signature)}\n", {}
            return write_config(name, rows, section, own, max_shard_size=max_shard_size, beside=beside)

        return _add_all(destination, [config, *derived], written)


def push_subsets(
    data: Any,
    repo: str,
    *,
    config: str | None = None,
    split: str = "test",
    case: bool = True,
    typed: bool = True,
    unicode: str | None = None,
    licence: str | None = None,
    token: str | None = None,
    create_pr: bool = False,
    private: bool | None = None,
    dry_run: bool = False,
    max_shard_size: int | str = MAX_SHARD_SIZE,
    **columns: Any,
) -> list[str]:
    """Publish the clean and the contaminated test set of a dataset as it is split, each as a config.

    The configs are ``clean-test`` and ``contaminated-test``, behind the name of ``config`` if one is given. They hold
    every row of the split, with all its columns; of the mentions, only those that train has not, or has, shown are
    left as targets.

    Args:
        data: a ``DatasetDict`` with the splits train and test, what ``load_splits`` returned, or the id of a dataset
            on the Hub.
        repo: the dataset to publish to, ``org/name``; it is made if it is not there.
        config: the name of the config that the splits are of. By default that of a dataset on the Hub, if it has one.
        split: the split whose mentions are filtered.
        case: does case matter for what counts as the same entity?
        typed: does the type belong to the entity?
        unicode: a Unicode normal form into which words are brought first.
        licence: that of a new card; by default the source's.
        token: for the Hub, where it is not the one that huggingface_hub knows; it is passed on, never shown or stored.
        create_pr: upload as a pull request.
        private: make the dataset private, if it is new.
        dry_run: upload nothing, and say what would be.
        max_shard_size: how large a Parquet file may be before compression.
        **columns: which columns hold what (``tokens``, ``tags``, ``entities``, ...), where they are not found or not
            the right ones.

    Returns:
        For each config, what was uploaded, or would be.
    """
    check_repo(repo)
    unknown = set(columns) - set(COLUMNS)
    if unknown:
        raise CleancutError(f"{min(unknown)}= is no option of push_subsets. Columns are named by {', '.join(COLUMNS)}.")
    source = HubId.parse(data) if isinstance(data, str) else None
    if source is not None:
        source, data = load_hub(source)
    train, test = _train_and(split, given_samples(data, columns))
    source = source or _source_of(train, test)
    exposure = Exposure.of(train.corpus, case=case, typed=typed, unicode=unicode)
    named = f"{config or (source.config if source else None) or ''}-".removeprefix("-")
    from huggingface_hub import HfApi

    api = HfApi(token=token)
    metadata = metadata_of(api, source, licence, not dry_run)
    destination = Destination(api, repo, metadata, bool(private), create_pr, not dry_run)
    made = {f"{named}{which}-{split}": which for which in Which}
    for name in made:
        check_config(name)

    def written(name: str, folder: str) -> Config:
        which = made[name]
        rows = keep_mentions(test.rows, exposure, which, columns=test.shape)
        section = _section_of_subset(name, which, split, source, exposure, test.corpus, columns)
        return write_config(name, {split: rows}, section, folder, max_shard_size=max_shard_size)

    return _add_all(destination, list(made), written)


def _add_all(destination: Destination, names: Sequence[str], written: Callable[[str, str], Config]) -> list[str]:
    """Add configs to a dataset one after the other, the files of one at a time on disk."""
    said = []
    for i, name in enumerate(names):
        with temporary_folder() as folder:
            said.append(destination.add(written(name, folder), names[i:]))
    return said


# --- the clean and the contaminated test set --------------------------------------------------------------------------


def _train_and(split: str, splits: Mapping[str, Samples]) -> tuple[Samples, Samples]:
    """Return the training samples, and those of another split, whose rows must be those of a dataset."""
    for name in ("train", split):
        if name not in splits:
            there = ", ".join(map(repr, splits)) or "none"
            raise CleancutError(f"there is no split {name!r}: the splits are {there}. Choose the second with split=.")
    if split == "train":
        raise CleancutError("split='train' is compared with itself. Choose a held-out split.")
    test = splits[split]
    if not hasattr(test.rows, "with_format") or test.shape is None:
        raise CleancutError(f"the split {split!r} is no dataset, whose rows could be published. Give a DatasetDict.")
    return splits["train"], test


def _source_of(*parts: Samples) -> HubId | None:
    """Return the dataset of the Hub that samples were loaded from, if they were."""
    found = source_of({str(i): part for i, part in enumerate(parts)})
    return HubId(str(found["repo"]), found["config"], found["revision"]) if found else None


def _section_of_subset(
    name: str,
    which: Which,
    split: str,
    source: HubId | None,
    exposure: Exposure,
    test: Corpus,
    columns: Mapping[str, Any],
) -> str:
    """Return what the card says of a clean or contaminated test set."""
    seen = exposure.view(test).seen
    n_kept = int(seen.sum() if which is Which.CONTAMINATED else (~seen).sum())
    of_source = f" of `{source}`" if source else ""
    key = exposure.key
    settings = {"which": which, "split": split, "key": key, "train": exposure.fingerprint}
    words = [str(source or "DATA"), "--split", split]
    words += [] if key.typed else ["--key", "surface"]
    words += [] if key.case else ["--ignore-case"]
    for option, value in columns.items():
        words += [f"--{option}", ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)]
    command = " ".join(["cleancut subsets", *map(shlex.quote, words), "-o subsets"])
    return (
        f"## Config `{name}`\n\nThe split {split}{of_source} with the mentions that train {_SAID[which]} shown: all "
        f"{len(test)} samples, and {n_kept} of {len(test.mentions)} mentions as targets. Made with\n\n"
        f"{markdown_block(command, 'bash')}\n\n{markdown_code(str(Signature.of('subsets', settings)))}\n"
    )


# --- the rows of a plan -----------------------------------------------------------------------------------------------


_Rows = tuple[SplitPlan, dict[str, Any], Mapping[str, Any]]
"""A plan, the rows of its splits as datasets, and how these are read."""


def _plan_and_rows(given: SplitPlan | str | os.PathLike[str], data: Any, folder: str) -> _Rows:
    """Return the plan, and the rows of its splits: from the data, the files beside it, or its source on the Hub.

    Rows of files are kept in a folder, from which they are mapped, not in memory.
    """
    if isinstance(given, SplitPlan):
        plan = given
        if data is None and plan.hub_id is not None:
            data = load_hub(plan.hub_id)[1]
        if data is None:
            raise CleancutError(
                "a plan in hand holds no rows, and names no source on the Hub. Give data=, what was split."
            )
    else:
        place = checks.checked_path(given, "plan")
        path = Path(place, "plan.json") if os.path.isdir(place) else Path(place)
        plan = SplitPlan.load(path)
        if data is None:
            return plan, _split_rows(path.parent, plan, folder), plan.reading
    parts = plan.apply(data)
    if all(isinstance(part, Corpus) for part in parts.values()):
        return plan, {name: _dataset_of(part) for name, part in parts.items()}, {}
    return plan, parts, plan.row_options()


def _dataset_of(corpus: Corpus) -> Any:
    """Return the samples of a corpus as a dataset of tokens and entities."""
    import datasets

    return datasets.Dataset.from_list(list(samples_of(corpus)))


def _split_rows(folder: Path, plan: SplitPlan, scratch: str) -> dict[str, Any]:
    """Return the splits as datasets, from the very files that ``cleancut split`` wrote beside the plan."""
    splits = {}
    for name in plan.names:
        written = plan.files.get(name)
        if written is None:
            raise CleancutError("the plan names no files. Write it with cleancut split, which puts them beside it.")
        path = folder / written["name"]  # a plain name: a plan with any other is not loaded
        if path.is_symlink() or not path.is_file():
            what = "a link, and may lead anywhere" if path.is_symlink() else "not there"
            raise CleancutError(f"{path}, a file of the plan, is {what}. Run cleancut split again.")
        if not is_as_written(path, written["sha256"]):
            raise CleancutError(f"{path} is not as cleancut split wrote it. Run cleancut split again.")
        splits[name] = _rows_of(path, plan, scratch)
    return _of_one_schema(splits)


def _of_one_schema(splits: dict[str, Any]) -> dict[str, Any]:
    """Return the splits with the features of the first that has rows: a file without rows has none of its own."""
    import datasets

    features = next((rows.features for rows in splits.values() if len(rows)), None)
    if features is None:
        raise CleancutError("the files of the plan hold no rows. Run cleancut split again.")
    empty = datasets.Dataset.from_dict({name: [] for name in features}, features=features)
    return {name: rows if len(rows) else empty for name, rows in splits.items()}


def _rows_of(path: Path, plan: SplitPlan, scratch: str) -> Any:
    """Return the rows of a file with all their columns; of CoNLL, tokens and entities."""
    import datasets

    kind = format_of(path)
    match kind:
        case Format.PARQUET | Format.JSONL:
            return mapped_rows(path, scratch)
        case Format.ROWS:
            raise CleancutError(f"{path}: not a file that cleancut split wrote. Run it again.")
        case Format.CONLL:
            if not path.stat().st_size:
                return datasets.Dataset.from_list([])
            of_tags = {name: value for name, value in plan.reading.items() if name in OF_TAGS}
            return _dataset_of(read_plain(path, **of_tags))
        case _:
            assert_never(kind)


def _derived(
    splits: Mapping[str, Any], reading: Mapping[str, Any], plan: SplitPlan, config: str, also: Sequence[str],
    of_ladder: Mapping[str, Any],
) -> dict[str, tuple[dict[str, Any], str]]:  # fmt: skip
    """The splits of each derived config, and a sentence that says what they are."""
    if not also:
        return {}
    missing = {"train", "test"} - set(splits)
    if missing:
        raise CleancutError(f"{also[0]} compares test with train, but the plan has no {missing.pop()}.")
    own = {option: value for option, value in reading.items() if option != "column"}
    train, test = (from_dataset(_as_split(splits[part], plan), **own) for part in ("train", "test"))
    if plan.read_as.get("join_at"):
        train, test = join_at(train), join_at(test)
    options: dict[str, Any] = {"case": plan.settings.case, "typed": plan.settings.typed}
    found: dict[str, tuple[dict[str, Any], str]] = {}
    shown = Exposure.of(train, **options)
    for name in also:
        if name in _FILTERED:
            which = _FILTERED[name]
            if {"join_at", "repair"} & set(plan.read_as):  # mentions that the rows do not have as they stand
                clean, contaminated = subsets(test, shown)
                rows = _dataset_of({Which.CLEAN: clean, Which.CONTAMINATED: contaminated}[which])
            else:
                shape = detect(_as_split(splits["test"], plan), **own)
                rows = keep_mentions(splits["test"], shown, which, columns=shape)
            which_mentions = f"the mentions that train {_SAID[which]} shown"
            about = f"The test split of `{config}` with {which_mentions}: all rows, filtered targets."
            found[f"{config}-{name}"] = {"test": rows}, about
            continue
        if len(train) != len(splits["train"]):
            raise CleancutError("the rows of train hold several samples, which a ladder would tear. Leave it out.")
        for rung in ladder(train, test, **of_ladder, **options):
            row = rung.to_dict()
            about = (
                f"`{config}` with {row['n_samples']} of its training samples, {rung.level:g}% of which "
                f"({row['n_samples_contaminated']}) share an entity with test, drawn with seed {rung.seed}. "
                f"Of their {row['n_mentions']} mentions, {row['n_mentions_contaminated']} are in test."
            )
            found[f"{config}-{rung.name}"] = {**splits, "train": splits["train"].select(rung.rows)}, about
    return found


def _as_split(rows: Any, plan: SplitPlan) -> Any:
    """Return rows with the columns alone that were read for the plan, so that the same are found again."""
    columns = plan.read_as.get("columns", ())
    return rows.select_columns(list(columns)) if columns and set(columns) <= set(rows.column_names) else rows
