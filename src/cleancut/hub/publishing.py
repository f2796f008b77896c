"""The Hub: metrics published as Spaces, split plans as dataset configs. The only code that writes to the network.

Nothing is uploaded unless it is asked for with ``push``: everything else says what would be. The token is
huggingface_hub's own affair; it is never read, shown or stored here.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from ..core.arrays import bounds_of
from ..core.at_signs import join_at
from ..core.corpus import Corpus, samples_of
from ..core.exceptions import CleancutError
from ..mapping.subsets import keep_mentions
from ..reading.dataset import detect, from_dataset
from ..reading.formats import Format, format_of, json_records, read
from ..reading.hub_ids import HubId, is_config, is_repo, load_hub
from ..scoring.exposure import Exposure
from ..splitting.folders import is_as_written
from ..splitting.ladder import ladder
from ..splitting.plan import OF_TAGS, SplitPlan
from ..splitting.subsets import subsets
from ..version import __version__
from .cards import OWN_FILES, card_text, config_section, leakage_chart
from .requests import attempt, check_repo
from .staging import files_of_space, stage, stage_app

if TYPE_CHECKING:
    from huggingface_hub import HfApi

TAG = f"cleancut-{__version__}"
"""The tag of a release. Never evaluate's own ``v0.4.6``, which would silently win over newer code."""

# --- metric modules and the app as Spaces -------------------------------------------------------------------


def publish_metrics(org: str, names: Iterable[str] = (), *, push: bool = False) -> list[str]:
    """Upload the metric modules as Spaces ``org/<name>`` and tag the release; without ``push``, say what would be."""
    if not is_repo(f"{org}/name"):
        raise CleancutError(f"{org!r} is not a user or an organisation. Letters, digits, . _ - only.")
    with tempfile.TemporaryDirectory() as folder:
        spaces = {check_repo(f"{org}/{space.name}"): files_of_space(space) for space in stage(names, folder)}
    left = list(spaces)
    return [_publish_space(repo, files, left[i:], push=push) for i, (repo, files) in enumerate(spaces.items())]


def publish_app(to: str, *, private: bool = False, push: bool = False) -> list[str]:
    """Upload the app as the Space ``org/name`` and tag the release; without ``push``, say what would be."""
    check_repo(to)
    with tempfile.TemporaryDirectory() as folder:
        files = files_of_space(stage_app(Path(folder, "space")))
    return [_publish_space(to, files, [to], private=private, push=push)]


def _publish_space(
    repo: str, files: Mapping[str, bytes], left: Sequence[str], *, private: bool = False, push: bool
) -> str:
    if not push:
        kind = "gradio, private if it is new" if private else "gradio"
        return f"would create the Space {repo} ({kind}), upload to it and tag it {TAG}:\n{_listed(files)}"
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    api = HfApi()
    resume = f"Not uploaded: {', '.join(left)}. Run the same command again: what is there already is left as it is."

    def upload() -> str:
        api.create_repo(repo, repo_type="space", space_sdk="gradio", private=private or None, exist_ok=True)
        there = set(api.list_repo_files(repo, repo_type="space"))
        operations: list[Any] = [CommitOperationAdd(path, data) for path, data in files.items()]
        ours = {path.partition("/")[0] for path in files if "/" in path}
        for path in sorted(there - set(files)):  # what a release before this one had
            if path.endswith(".py") or path.partition("/")[0] in ours:
                operations.append(CommitOperationDelete(path))
        done = api.create_commit(repo, operations, commit_message=f"cleancut {__version__}", repo_type="space")
        tags = {tag.name: tag.target_commit for tag in api.list_repo_refs(repo, repo_type="space").tags}
        if TAG not in tags:
            api.create_tag(repo, tag=TAG, repo_type="space", revision=done.oid)
        elif tags[TAG] != done.oid:
            return f"{repo}: uploaded. The tag {TAG} stays where it was: a release is not moved. Raise the version."
        return f"{repo}: uploaded and tagged {TAG}."

    return attempt(upload, repo, resume)


# --- requests ---------------------------------------------------------------------------------------------------


def _listed(files: Mapping[str, bytes]) -> str:
    return "\n".join(f"  {path}  {len(data):,} bytes" for path, data in files.items())


def joined(said: Sequence[str], push: bool) -> str:
    """What a command prints: what was or would be done, and how to do it."""
    return "\n\n".join([*said, *([] if push else ["Nothing was uploaded. Add --push to do it."])])


# --- split plans as dataset configs -------------------------------------------------------------------------------


_FILTERED = {"clean-test": ("clean", "has not"), "contaminated-test": ("contaminated", "has")}
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

    Returns:
        For each config, what was uploaded; without ``push``, exactly what would be.
    """
    check_repo(to)
    unknown = set(also) - set(DERIVED)
    if unknown:
        raise CleancutError(f"{', '.join(sorted(unknown))}: no such config to derive. Choose of {', '.join(DERIVED)}.")
    _check_config(config)
    of_ladder = {name: value for name, value in (("levels", levels), ("seeds", seeds)) if value is not None}
    if of_ladder and "ladder" not in also:
        raise CleancutError(f"{next(iter(of_ladder))} has no effect without the ladder among the configs to derive.")
    if indices_only and also:
        raise CleancutError("derived configs hold text, which --indices-only leaves out. Choose one of the two.")
    plan, splits, reading = _plan_and_rows(plan, data)
    derived = _derived(splits, reading, plan, config, also, of_ladder)
    for name in derived:
        _check_config(name)
    from huggingface_hub import HfApi

    api = HfApi(token=token)
    licences = [licence] if licence else _source_licence(api, plan, push)
    names = [config, *derived]
    said = []
    for i, name in enumerate(names):  # the tables of one config at a time
        if name == config:
            files = _indices(plan, splits, config) if indices_only else _tables(splits, config)
            files[f"{config}/leakage.svg"] = leakage_chart(plan).encode()
            section = config_section(plan, config, to, indices_only)
        else:
            parts, about = derived[name]
            files, section = _tables(parts, name), f"## Config `{name}`\n\n{about}\n\n`{plan.signature}`\n"
        said.append(
            _push_config(api, to, name, files, section, licences, private, pr, names[i:])
            if push
            else _announced(api, to, name, files, section, licences, private, pr)
        )
    return said


_Rows = tuple[SplitPlan, dict[str, Any], Mapping[str, Any]]
"""A plan, the rows of its splits as datasets, and how these are read."""


def _plan_and_rows(given: SplitPlan | str | os.PathLike[str], data: Any) -> _Rows:
    """Return the plan, and the rows of its splits: from the data, the files beside it, or its source on the Hub."""
    if isinstance(given, SplitPlan):
        plan = given
        if data is None and plan.hub_id is not None:
            data = load_hub(plan.hub_id)[1]
        if data is None:
            raise CleancutError(
                "a plan in hand holds no rows, and names no source on the Hub. Give data=, what was split."
            )
    else:
        path = Path(given, "plan.json") if os.path.isdir(given) else Path(given)
        plan = SplitPlan.load(path)
        if data is None:
            return plan, _split_rows(path.parent, plan), plan.reading
    parts = plan.apply(data)
    if all(isinstance(part, Corpus) for part in parts.values()):
        return plan, {name: _dataset_of(part) for name, part in parts.items()}, {}
    return plan, parts, plan.row_options()


def _dataset_of(corpus: Corpus) -> Any:
    """Return the samples of a corpus as a dataset of tokens and entities."""
    import datasets

    return datasets.Dataset.from_list(list(samples_of(corpus)))


def _check_config(name: str) -> None:
    if not is_config(name):
        raise CleancutError(f"{name!r} cannot be the name of a config. Letters, digits, . _ - only.")


def _split_rows(folder: Path, plan: SplitPlan) -> dict[str, Any]:
    """The splits as datasets, from the very files that ``cleancut split`` wrote beside the plan."""
    found = {}
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
        found[name] = _rows_of(path, plan)
    return found


def _rows_of(path: Path, plan: SplitPlan) -> Any:
    """The rows of a file with all their columns; CoNLL as tokens and entities."""
    import datasets

    kind = format_of(path)
    match kind:
        case Format.PARQUET:
            return datasets.Dataset.from_parquet(str(path), keep_in_memory=True)
        case Format.JSONL:
            return datasets.Dataset.from_list([record for _, record in json_records(path)])
        case Format.CONLL:
            if not path.stat().st_size:
                return datasets.Dataset.from_list([])
            of_tags = {name: value for name, value in plan.reading.items() if name in OF_TAGS}
            return _dataset_of(read(path, **of_tags))
        case _:
            assert_never(kind)


def _tables(splits: Mapping[str, Any], config: str) -> dict[str, bytes]:
    found = {}
    for name, rows in splits.items():
        stream = io.BytesIO()
        rows.to_parquet(stream)
        found[f"{config}/{name}-00000-of-00001.parquet"] = stream.getvalue()
    return found


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
            which, kind = _FILTERED[name]
            if {"join_at", "repair"} & set(plan.read_as):  # mentions that the rows do not have as they stand
                clean, contaminated = subsets(test, shown)
                rows = _dataset_of(clean if which == "clean" else contaminated)
            else:
                shape = detect(_as_split(splits["test"], plan), **own)
                rows = keep_mentions(splits["test"], shown, which, columns=shape)
            about = (
                f"The test split of `{config}` with the mentions that train {kind} shown: all rows, filtered targets."
            )
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


def _indices(plan: SplitPlan, splits: Mapping[str, Any], config: str) -> dict[str, bytes]:
    """Where each row is in the source, and what its rows must add up to."""
    import datasets

    if not plan.source:
        raise CleancutError("the plan does not know a source on the Hub. Split a dataset by its Hub id for that.")
    origin = plan.origins()
    tables = {}
    for name in plan.names:
        rows = plan.rows(name)
        tables[name] = datasets.Dataset.from_dict(
            {"source_split": [origin[i][0] for i in rows], "source_row": [origin[i][1] for i in rows]}
        )
    about = {
        **plan.source,
        "format": "cleancut-indices-1",
        "fingerprints": {name: rows_fingerprint(rows) for name, rows in splits.items()},
        "signature": plan.signature,
    }
    return {**_tables(tables, config), f"{config}/source.json": json.dumps(about, indent=1).encode()}


def rows_fingerprint(rows: Iterable[Mapping[str, Any]]) -> str:
    """A digest of rows in their order, columns and all."""
    digest = hashlib.blake2b(digest_size=16)
    for row in rows:
        digest.update(json.dumps(row, sort_keys=True, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass"))
        digest.update(b"\n")
    return digest.hexdigest()


def materialise(repo: str, config: str, *, revision: str | None = None) -> Any:
    """The ``DatasetDict`` behind an indices-only config, rebuilt from its source and verified row by row."""
    import datasets
    from huggingface_hub import hf_hub_download

    check_repo(repo)
    _check_config(config)

    def fetch() -> tuple[Any, Any]:
        file = hf_hub_download(repo, f"{config}/source.json", repo_type="dataset", revision=revision)
        return Path(file).read_text("utf-8"), datasets.load_dataset(repo, config, revision=revision)

    text, where = attempt(fetch, repo, f"Is {config} an indices-only config of it?")
    try:
        about = json.loads(text)
        if about["format"] != "cleancut-indices-1":
            raise KeyError("format")
        source = HubId.parse(str(about["repo"]) + (f":{about['config']}" if about["config"] else ""))
        at, prints = about["revision"], {name: about["fingerprints"][name] for name in where}
        places = {
            name: list(zip(rows["source_split"], rows["source_row"], strict=True)) for name, rows in where.items()
        }
    except (KeyError, TypeError, ValueError) as error:
        raise CleancutError(f"{repo}: the config {config} holds no indices that cleancut wrote ({error}).") from None
    loaded = attempt(
        lambda: datasets.load_dataset(source.repo, source.config, revision=at), source.repo, "The indices need it."
    )
    starts = dict(zip(loaded, bounds_of(np.array([len(part) for part in loaded.values()])).tolist(), strict=False))
    whole = datasets.concatenate_datasets(list(loaded.values()))
    parts = {}
    for name, rows in places.items():
        inside = all(split in starts and isinstance(row, int) and 0 <= row < len(loaded[split]) for split, row in rows)
        parts[name] = whole.select([starts[split] + row for split, row in rows] if inside else [])
        if not inside or rows_fingerprint(parts[name]) != prints[name]:
            raise CleancutError(
                f"{source.repo}@{at}: the rows of {name} are not those that were split. "
                "The source has changed: ask who published the indices for a new revision."
            )
    return datasets.DatasetDict(parts)


def _source_licence(api: HfApi, plan: SplitPlan, ask: bool) -> list[str]:
    """The licences that the source's card names."""
    if not plan.source or not ask:
        return []

    source = {name: str(value) for name, value in plan.source.items()}
    info = attempt(
        lambda: api.dataset_info(source["repo"], revision=source["revision"]),
        source["repo"],
        "Nothing was uploaded.",
    )
    licence = info.card_data.get("license") if info.card_data else None
    return licence if isinstance(licence, list) else [licence] if licence else []


# --- uploading a config -----------------------------------------------------------------------------------------


def _announced(
    api: HfApi, repo: str, config: str, files: Mapping[str, bytes], section: str, licences: Sequence[str],
    private: bool, pr: bool,
) -> str:  # fmt: skip
    where = "a pull request to " if pr else ""
    seen = "private, if it is new" if private else "public, if it is new"
    licence = f", the licence {', '.join(licences)} if it names none" if licences else ""
    shown = "\n".join(f"  | {line}" for line in section.splitlines())
    refused = _refused(api, repo, config, section, files, licences)
    return (
        f"would upload to {where}the dataset {repo} ({seen}) the config {config}, in one commit:\n{_listed(files)}\n"
        f"  README.md  the config in its metadata{licence}, and this section:\n{shown}"
        + (f"\n{refused}" if refused else "")
    )


def _push_config(
    api: HfApi, repo: str, config: str, files: Mapping[str, bytes], section: str, licences: Sequence[str],
    private: bool, pr: bool, left: Sequence[str],
) -> str:  # fmt: skip
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    title = f"Config {config} (cleancut {__version__})"
    resume = f"Not uploaded: {', '.join(left)}. Run the same command again: what is there already is left as it is."

    def upload() -> str:
        api.create_repo(repo, repo_type="dataset", private=private or None, exist_ok=True)
        request = _open_request(api, repo, title) if pr else None
        head, there, old = _found(api, repo, request.git_reference if request else None)
        card = card_text(old, config, section, files, licences, there)
        operations: list[Any] = [CommitOperationAdd(path, data) for path, data in files.items()]
        operations.append(CommitOperationAdd("README.md", card.encode()))
        stale = {path for path in there if re.fullmatch(re.escape(config) + OWN_FILES, path)} - set(files)
        operations += [CommitOperationDelete(path) for path in sorted(stale)]
        # all or nothing: large files go up first, unseen; one commit then shows the config with its card
        done = api.create_commit(
            repo, operations, commit_message=title, repo_type="dataset", parent_commit=head,
            revision=request.git_reference if request else None, create_pr=pr and request is None,
        )  # fmt: skip
        if pr:
            return f"{repo}: the config {config} is in the pull request {request.url if request else done.pr_url}."
        load = "cleancut.materialise" if f"{config}/source.json" in files else "load_dataset"
        return f"{repo}: the config {config} is up. Load it with {load}({repo!r}, {config!r})."

    return attempt(upload, repo, resume)


def _found(api: HfApi, repo: str, revision: str | None = None) -> tuple[str, set[str], str]:
    """What a dataset holds: its last commit, the names of its files, and its card."""
    head = str(api.dataset_info(repo, revision=revision).sha)
    there = set(api.list_repo_files(repo, repo_type="dataset", revision=head))
    if "README.md" not in there:
        return head, there, ""
    card = api.hf_hub_download(repo, "README.md", repo_type="dataset", revision=head)
    return head, there, Path(card).read_text("utf-8")


def _open_request(api: HfApi, repo: str, title: str) -> Any:
    """The pull request of this title that we have opened before, if it is still open."""
    asked: Any = {"discussion_type": "pull_request", "discussion_status": "open", "author": api.whoami()["name"]}
    requests = api.get_repo_discussions(repo, repo_type="dataset", **asked)
    return next((request for request in requests if request.title == title), None)


def _refused(
    api: HfApi, repo: str, config: str, section: str, files: Mapping[str, bytes], licences: Sequence[str]
) -> str:
    """What stands in the way of a config, as far as the Hub tells; a dataset that is new has room for any."""
    from huggingface_hub.errors import RepositoryNotFoundError

    def ask() -> tuple[set[str], str]:
        with suppress(RepositoryNotFoundError):
            return _found(api, repo)[1:]
        return set(), ""

    try:
        there, old = attempt(ask, repo, "So it is not known whether it takes the config.")
    except CleancutError as error:
        return str(error)
    try:
        card_text(old, config, section, files, licences, there)
    except CleancutError as error:
        return f"This would fail: {error}"
    return ""
