"""Publish split plans, and the clean and contaminated test sets of a dataset, as dataset configs.

Nothing is uploaded unless the caller asks for it: the functions then return what they would upload. A token is passed
on to huggingface_hub; it is never shown or stored here.
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
from ..core.exceptions import CleancutError, quoted
from ..core.files import temporary_folder
from ..core.same import PART_LIMIT, Notion, Same, notion_setting, notions_text
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
from ..splitting.settings import SplitSettings
from .cards import config_section, leakage_chart
from .configs import MAX_SHARD_SIZE, Config, Destination, check_config, metadata_of, write_config
from .indices import indices_of
from .requests import check_repo

_TRAIN_HAS = {Which.CLEAN: "has not", Which.CONTAMINATED: "has"}
_FILTERED = {f"{which}-test": which for which in Which}
DERIVED = (*_FILTERED, "ladder")
"""Configs that can be derived from the config of a plan.

``clean-test`` and ``contaminated-test`` hold the test split with the clean, or the contaminated, mentions as its only
targets. ``ladder`` stands for one config for each training set of the contamination ladder.
"""


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
        to: the dataset on the Hub, ``org/name``; it is made if it does not exist.
        config: the name of the config.
        data: the data that was split. It may be left out for a plan on disk, which has its files beside it, and for
            the plan of a Hub dataset, which is loaded anew.
        private: make the dataset private, if it is new.
        indices_only: publish where each row is in the source (repository, revision, split, row), and no text.
        also: further configs to derive from the split: ``clean-test``, ``contaminated-test`` and ``ladder``.
        levels: the levels of the ladder, as in ``cleancut.ladder``.
        seeds: the seeds of the ladder, as in ``cleancut.ladder``.
        licence: the licence that a new card states; by default that of the source.
        pr: upload as a pull request.
        push: upload. Without it nothing is uploaded.
        token: a token of the Hub; by default the one that huggingface_hub knows. It is never shown or stored.
        max_shard_size: the greatest size of a Parquet file before compression, which also bounds the memory.

    Returns:
        For each config, what was uploaded; without ``push``, exactly what would be uploaded.

    Raises:
        CleancutError: an option is wrong, the rows are not those of the plan, or the Hub refused.
    """
    check_repo(to)
    checks.switches(private=private, indices_only=indices_only, pr=pr, push=push)
    _check_lines(licence=licence)
    also = checks.names(also, "also", f"a list of some of {', '.join(DERIVED)}")
    unknown = set(also) - set(DERIVED)
    if unknown:
        raise CleancutError(
            f"{', '.join(sorted(unknown))}: no such config to derive. Choose from {', '.join(DERIVED)}."
        )
    check_config(config)
    ladder_options = {name: value for name, value in (("levels", levels), ("seeds", seeds)) if value is not None}
    if ladder_options and "ladder" not in also:
        raise CleancutError(
            f"{next(iter(ladder_options))} has no effect without the ladder among the configs to derive."
        )
    if indices_only and also:
        raise CleancutError("derived configs hold text, which --indices-only leaves out. Choose one of the two.")
    from huggingface_hub import HfApi

    with temporary_folder() as folder:
        plan, splits, reading = _plan_and_rows(plan, data, folder)
        derived = _derived(splits, reading, plan, config, also, ladder_options)
        for name in derived:
            check_config(name)
        api = HfApi(token=token)
        destination = Destination(api, to, metadata_of(api, plan.hub_id, licence, push), private, pr, push)

        def written(name: str, config_folder: str) -> Config:
            """Write the files of a config to a folder."""
            beside: dict[str, bytes] = {}
            rows: Mapping[str, Any] = splits
            if name == config:
                if indices_only:
                    rows, beside["source.json"] = indices_of(plan, splits)  # refuses a plan of files
                section = config_section(plan, config, to, indices_only)
                beside["leakage.svg"] = leakage_chart(plan).encode()
            else:
                rows, about = derived[name]
                section = f"## Config `{name}`\n\n{about}\n\n{markdown_code(plan.signature)}\n"
            return write_config(name, rows, section, config_folder, max_shard_size=max_shard_size, beside=beside)

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
    same: str | Same = "exact",
    aliases: Any = None,
    part_limit: int = PART_LIMIT,
    licence: str | None = None,
    token: str | None = None,
    create_pr: bool = False,
    private: bool | None = None,
    dry_run: bool = False,
    max_shard_size: int | str = MAX_SHARD_SIZE,
    **columns: Any,
) -> list[str]:
    """Publish the clean and the contaminated test set of a dataset with its present splits, each as a config.

    The configs are called ``clean-test`` and ``contaminated-test``, with the name of ``config`` before it if one is
    given. They hold every row of the split, with all its columns. Only the clean, or the contaminated, mentions
    remain as targets.

    Args:
        data: a ``DatasetDict`` with the splits train and test, what ``load_splits`` returned, or the id of a dataset
            on the Hub.
        repo: the dataset to publish to, ``org/name``; it is made if it does not exist.
        config: the config that the splits belong to; by default that of the dataset on the Hub, if it has one.
        split: the split whose mentions are filtered.
        case: whether case matters for what counts as the same entity.
        typed: whether the type is part of the entity.
        unicode: a Unicode normal form that words are converted to first.
        same: which names count as the same, such as ``fold+part``.
        aliases: lists of names that mean the same, for ``alias``.
        part_limit: a word that occurs in more names of two or more words than this is generic, for ``part``.
        licence: the licence that a new card states; by default that of the source.
        token: a token of the Hub; by default the one that huggingface_hub knows. It is never shown or stored.
        create_pr: upload as a pull request.
        private: make the dataset private, if it is new.
        dry_run: upload nothing, and only say what would be uploaded.
        max_shard_size: the greatest size of a Parquet file before compression.
        **columns: the columns that hold tokens, tags, entities and so on, where they are not found by themselves.

    Returns:
        For each config, what was uploaded, or would be.

    Raises:
        CleancutError: a split or a column is missing, an option is wrong, or the Hub refused.
    """
    check_repo(repo)
    checks.switches(create_pr=create_pr, dry_run=dry_run)
    if private is not None:
        checks.switches(private=private)
    _check_lines(split=split, config=config, licence=licence)
    unknown = set(columns) - set(COLUMNS)
    if unknown:
        raise CleancutError(
            f"{min(unknown)}= is not an option of push_subsets. Columns are named by {', '.join(COLUMNS)}."
        )
    source = HubId.parse(data) if isinstance(data, str) else None
    if source is not None:
        source, data = load_hub(source)
    train, test = _train_and(split, given_samples(data, columns))
    source = source or _source_of(train, test)
    notion = Same.of(same, aliases=aliases, part_limit=part_limit)
    exposure = Exposure.of(train.corpus, case=case, typed=typed, unicode=unicode, same=notion)
    if not config and source is not None:
        config = source.config
    prefix = f"{config}-" if config else ""
    from huggingface_hub import HfApi

    api = HfApi(token=token)
    metadata = metadata_of(api, source, licence, not dry_run)
    destination = Destination(api, repo, metadata, bool(private), create_pr, not dry_run)
    subset_of_config = {f"{prefix}{which}-{split}": which for which in Which}
    for name in subset_of_config:
        check_config(name)

    def written(name: str, folder: str) -> Config:
        """Write the files of a config to a folder."""
        which = subset_of_config[name]
        rows = keep_mentions(test.rows, exposure, which, columns=test.shape)
        section = _section_of_subset(name, which, split, source, exposure, test.corpus, columns)
        return write_config(name, {split: rows}, section, folder, max_shard_size=max_shard_size)

    return _add_all(destination, list(subset_of_config), written)


def _check_lines(**given: Any) -> None:
    """Refuse values that are no texts, empty, or of several lines; None is none."""
    for name, value in given.items():
        if value is not None:
            checks.line(value, name)


def _add_all(destination: Destination, names: Sequence[str], written: Callable[[str, str], Config]) -> list[str]:
    """Add configs to a dataset one after the other, and return what was done of each.

    Args:
        destination: the dataset.
        names: the names of the configs.
        written: writes the files of a config to a folder. The folder is removed before the next one is written.
    """
    reports = []
    for i, name in enumerate(names):
        with temporary_folder() as folder:
            reports.append(destination.add(written(name, folder), names[i:]))
    return reports


# --- the clean and the contaminated test set --------------------------------------------------------------------------


def _train_and(split: str, splits: Mapping[str, Samples]) -> tuple[Samples, Samples]:
    """Return the training samples and those of another split, which must be the rows of a dataset."""
    for name in ("train", split):
        if name not in splits:
            known = ", ".join(map(quoted, splits)) or "none"
            raise CleancutError(
                f"there is no split {quoted(name)}: the splits are {known}. Choose the second with split=."
            )
    if split == "train":
        raise CleancutError("split='train' is compared with itself. Choose a held-out split.")
    test = splits[split]
    if not hasattr(test.rows, "with_format") or test.shape is None:
        raise CleancutError(
            f"the split {quoted(split)} is not a dataset, whose rows could be published. Give a DatasetDict."
        )
    return splits["train"], test


def _source_of(*parts: Samples) -> HubId | None:
    """Return the dataset of the Hub that samples were loaded from, if they were."""
    source = source_of({str(i): part for i, part in enumerate(parts)})
    return HubId(str(source["repo"]), source["config"], source["revision"]) if source else None


def _section_of_subset(
    name: str,
    which: Which,
    split: str,
    source: HubId | None,
    exposure: Exposure,
    test: Corpus,
    columns: Mapping[str, Any],
) -> str:
    """Return the section of a card that describes a clean or a contaminated test set."""
    seen = exposure.view(test).seen
    kept = seen if which is Which.CONTAMINATED else ~seen
    of_source = f" of `{source}`" if source else ""
    key = exposure.key
    same = notion_setting(exposure.same)
    settings = {"which": which, "split": split, "key": key, **same, "train": exposure.fingerprint}
    words = [str(source or "DATA"), "--split", split]
    if not key.typed:
        words += ["--key", "surface"]
    if not key.case:
        words += ["--ignore-case"]
    if same:
        words += SplitSettings(same=notions_text(exposure.same), part_limit=exposure.same.part_limit).same_flags()
    for option, value in columns.items():
        words += [f"--{option}", ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)]
    command = " ".join(["cleancut subsets", *map(shlex.quote, words), "-o subsets"])
    return (
        f"## Config `{name}`\n\n"
        f"The split {split}{of_source} with the mentions that train {_TRAIN_HAS[which]} shown: all {len(test)} "
        f"samples, and {int(kept.sum())} of {len(test.mentions)} mentions as targets. Made with\n\n"
        f"{markdown_block(command, 'bash')}\n\n{markdown_code(str(Signature.of('subsets', settings)))}\n"
    )


# --- the rows of a plan -----------------------------------------------------------------------------------------------


_Rows = tuple[SplitPlan, dict[str, Any], Mapping[str, Any]]
"""A plan, the rows of its splits as datasets, and how these are read."""


def _plan_and_rows(given: SplitPlan | str | os.PathLike[str], data: Any, folder: str) -> _Rows:
    """Return the plan, and the rows of its splits: from the data, the files beside it, or its source on the Hub.

    Args:
        given: the plan, or where it is on disk.
        data: the data that was split, or None.
        folder: where the rows of files are stored, so that they need not be in memory.
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
    """Return the splits as datasets, from the files that ``cleancut split`` wrote beside the plan."""
    splits = {}
    for name in plan.names:
        written = plan.files.get(name)
        if written is None:
            raise CleancutError("the plan names no files. Write it with cleancut split, which puts them beside it.")
        path = folder / written["name"]  # a plain name: a plan with any other name is refused when it is loaded
        if path.is_symlink() or not path.is_file():
            what = "a link, and may lead anywhere" if path.is_symlink() else "not there"
            raise CleancutError(f"{path}, a file of the plan, is {what}. Run cleancut split again.")
        if not is_as_written(path, written["sha256"]):
            raise CleancutError(f"{path} is not as cleancut split wrote it. Run cleancut split again.")
        splits[name] = _rows_of(path, plan, scratch)
    return _of_one_schema(splits)


def _of_one_schema(splits: dict[str, Any]) -> dict[str, Any]:
    """Return the splits; those without rows have no features of their own, and get those of the first with rows.

    Raises:
        CleancutError: no split has rows.
    """
    import datasets

    features = next((rows.features for rows in splits.values() if len(rows)), None)
    if features is None:
        raise CleancutError("the files of the plan hold no rows. Run cleancut split again.")
    empty = datasets.Dataset.from_dict({name: [] for name in features}, features=features)
    return {name: rows if len(rows) else empty for name, rows in splits.items()}


def _rows_of(path: Path, plan: SplitPlan, scratch: str) -> Any:
    """Return the rows of a file with all their columns; a CoNLL file has tokens and entities."""
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


_Derived = tuple[dict[str, Any], str]
"""The splits of a derived config, and a sentence that describes them."""


def _derived(
    splits: Mapping[str, Any],
    reading: Mapping[str, Any],
    plan: SplitPlan,
    config: str,
    also: Sequence[str],
    ladder_options: Mapping[str, Any],
) -> dict[str, _Derived]:
    """Return the derived configs by their names.

    Args:
        splits: the rows of each split.
        reading: the options with which the rows are read.
        plan: the plan.
        config: the name of its config.
        also: the configs to derive, of ``DERIVED``.
        ladder_options: the levels and the seeds of the ladder.
    """
    if not also:
        return {}
    missing = {"train", "test"} - set(splits)
    if missing:
        raise CleancutError(f"{also[0]} compares test with train, but the plan has no {missing.pop()}.")
    column_options = {option: value for option, value in reading.items() if option != "column"}
    train = from_dataset(_as_split(splits["train"], plan), **column_options)
    test = from_dataset(_as_split(splits["test"], plan), **column_options)
    if plan.read_as.get("join_at"):
        train = join_at(train)
        test = join_at(test)
    key_options: dict[str, Any] = {"case": plan.settings.case, "typed": plan.settings.typed}
    if "alias" in plan.settings.same:
        raise CleancutError(
            f"{also[0]} needs the table of aliases that the plan was made with, which a plan does not hold. Publish "
            "the plan alone, and push_subsets(..., aliases=...) beside it."
        )
    if plan.settings.same != Notion.EXACT:
        key_options["same"] = plan.settings.notion()
    exposure = Exposure.of(train, **key_options)
    derived: dict[str, _Derived] = {}
    for name in also:
        if name not in _FILTERED:
            derived |= _ladder_configs(splits, train, test, config, {**ladder_options, **key_options})
            continue
        which = _FILTERED[name]
        if {"join_at", "repair"} & set(plan.read_as):  # the rows themselves hold other mentions than were read
            clean, contaminated = subsets(test, exposure)
            chosen = clean if which is Which.CLEAN else contaminated
            rows = _dataset_of(chosen)
        else:
            shape = detect(_as_split(splits["test"], plan), **column_options)
            rows = keep_mentions(splits["test"], exposure, which, columns=shape)
        mentions = f"the mentions that train {_TRAIN_HAS[which]} shown"
        about = f"The test split of `{config}` with {mentions}: all rows, filtered targets."
        derived[f"{config}-{name}"] = {"test": rows}, about
    return derived


def _ladder_configs(
    splits: Mapping[str, Any], train: Corpus, test: Corpus, config: str, options: Mapping[str, Any]
) -> dict[str, _Derived]:
    """Return a config for each training set of the contamination ladder: the same splits with another train."""
    if len(train) != len(splits["train"]):
        raise CleancutError(
            "the rows of train hold several samples, but a ladder chooses single samples. Leave out the ladder."
        )
    configs: dict[str, _Derived] = {}
    for rung in ladder(train, test, **options):
        row = rung.to_dict()
        about = (
            f"`{config}` with {row['n_samples']} of its training samples, {rung.level:g}% of which "
            f"({row['n_samples_contaminated']}) share an entity with test, drawn with seed {rung.seed}. "
            f"Of their {row['n_mentions']} mentions, {row['n_mentions_contaminated']} are in test."
        )
        configs[f"{config}-{rung.name}"] = {**splits, "train": splits["train"].select(rung.rows)}, about
    return configs


def _as_split(rows: Any, plan: SplitPlan) -> Any:
    """Return rows with only the columns that were read for the plan, so that the same ones are recognised again."""
    columns = plan.read_as.get("columns", ())
    if columns and set(columns) <= set(rows.column_names):
        return rows.select_columns(list(columns))
    return rows
