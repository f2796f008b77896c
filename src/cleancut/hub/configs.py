"""A config of a dataset on the Hub: its rows as Parquet shards, its part of the card, and the commit that adds both.

Shards are written to a folder one after the other and uploaded from there, so that memory is bounded by one of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.exceptions import CleancutError, quoted
from ..reading.hub_ids import HubId, is_config
from ..version import __version__
from .cards import OWN_FILES, card_text
from .requests import WAIT, attempt

if TYPE_CHECKING:
    from huggingface_hub import HfApi

MAX_SHARD_SIZE = "500MB"
"""How large a shard may be before compression, where nothing is said: what datasets itself does."""


def check_config(name: str) -> None:
    """Refuse a name that a config cannot have."""
    if not isinstance(name, str) or not is_config(name):
        raise CleancutError(f"{quoted(name)} cannot be the name of a config. Letters, digits, . _ - only.")


@dataclass(frozen=True)
class Config:
    """A config as it is to be uploaded."""

    name: str
    files: Mapping[str, Path]
    """Where each file of the repository lies on disk."""
    info: Any
    """The ``DatasetInfo``: features, and the rows and bytes of each split."""
    section: str
    """What the card says of the config, as Markdown."""

    @property
    def is_of_indices(self) -> bool:
        """Does it say where rows are in their source, rather than hold them?"""
        return f"{self.name}/source.json" in self.files


def write_config(
    name: str,
    splits: Mapping[str, Any],
    section: str,
    folder: str | os.PathLike[str],
    *,
    max_shard_size: int | str = MAX_SHARD_SIZE,
    beside: Mapping[str, bytes] | None = None,
) -> Config:
    """Write the files of a config to a folder.

    Args:
        name: the name of the config.
        splits: the rows of each split, as datasets of the same features.
        section: what the card is to say of the config.
        folder: a folder for the files, which must last until they are uploaded.
        max_shard_size: how large a Parquet file may be before compression, such as ``"500MB"``.
        beside: further files of the config, by their names.

    Returns:
        The config, ready to be uploaded.
    """
    import datasets
    from datasets.splits import SplitDict, SplitInfo

    limit = _bytes_in(max_shard_size)
    files: dict[str, Path] = {}
    infos = SplitDict()
    for split, rows in splits.items():
        n_bytes = _bytes_of(rows)
        for path in _write_shards(split, rows, n_bytes // limit + 1, Path(folder, name)):
            files[f"{name}/{path.name}"] = path
        infos[split] = SplitInfo(split, num_bytes=n_bytes, num_examples=len(rows))
    info = datasets.DatasetInfo(
        features=next(iter(splits.values())).features,
        splits=infos,
        download_size=sum(path.stat().st_size for path in files.values()),
        dataset_size=sum(split.num_bytes for split in infos.values()),
    )
    for file, data in (beside or {}).items():
        path = Path(folder, name, file)
        path.write_bytes(data)
        files[f"{name}/{file}"] = path
    return Config(name, files, info, section)


def _write_shards(split: str, rows: Any, n_shards: int, folder: Path) -> list[Path]:
    """Write the rows of a split as so many Parquet files, but no more than it has rows, and return their paths."""
    folder.mkdir(exist_ok=True)
    n_shards = max(min(n_shards, len(rows)), 1)
    paths = [folder / f"{split}-{i:05d}-of-{n_shards:05d}.parquet" for i in range(n_shards)]
    for i, path in enumerate(paths):
        shard = rows.shard(n_shards, i, contiguous=True) if n_shards > 1 else rows
        shard.to_parquet(str(path))
    return paths


def _bytes_of(rows: Any) -> int:
    """Return the size of a dataset in memory; of one that is some rows of a table, its share of the table."""
    table = rows.data
    return int(table.nbytes * len(rows) / max(len(table), 1))


def _bytes_in(size: int | str) -> int:
    """Return a number of bytes, from a number or a text such as ``"500MB"``."""
    from datasets.utils.py_utils import convert_file_size_to_int

    try:
        n_bytes = int(convert_file_size_to_int(size))
    except (ValueError, TypeError, AttributeError):
        n_bytes = 0
    if n_bytes < 1:
        raise CleancutError(f"max_shard_size={quoted(size)} is not a size. Give a number of bytes, or such as '500MB'.")
    return n_bytes


# --- uploading ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Destination:
    """A dataset of the Hub that configs are added to, and how."""

    api: HfApi
    repo: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What the metadata of the card say, where the card is new; the licence also where the card names none."""
    private: bool = False
    """Is the dataset to be private, if it is new?"""
    pr: bool = False
    """Is each config to be a pull request?"""
    push: bool = False
    """Is anything to be uploaded? Without it, what would be uploaded is said."""

    def add(self, config: Config, left: Sequence[str]) -> str:
        """Add a config in one commit, or say what would be uploaded.

        Args:
            config: the config.
            left: the names of the configs that are not uploaded yet, this one included, for an error to name.

        Returns:
            What was done, or would be.
        """
        if not self.push:
            return self._announced(config)
        again = "Run the same command again: what is there already is left as it is."
        return attempt(lambda: self._upload(config), self.repo, f"Not uploaded: {', '.join(left)}. {again}")

    def _announced(self, config: Config) -> str:
        where = "a pull request to " if self.pr else ""
        seen = "private, if it is new" if self.private else "public, if it is new"
        licence = self.metadata.get("license")
        licences = ", ".join(licence) if isinstance(licence, list) else licence
        of_licence = f", the licence {licences} if it names none" if licences else ""
        listed = "\n".join(f"  {path}  {file.stat().st_size:,} bytes" for path, file in config.files.items())
        shown = "\n".join(f"  | {line}" for line in config.section.splitlines())
        refused = self._refused(config)
        return (
            f"would upload to {where}the dataset {self.repo} ({seen}) the config {config.name}, in one commit:\n"
            f"{listed}\n  README.md  the config in its metadata{of_licence}, and this section:\n{shown}"
            + (f"\n{refused}" if refused else "")
        )

    def _upload(self, config: Config) -> str:
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        title = f"Config {config.name} (cleancut {__version__})"
        self.api.create_repo(self.repo, repo_type="dataset", private=self.private or None, exist_ok=True)
        request = self._open_request(title) if self.pr else None
        head, there, old = self._found(request.git_reference if request else None)
        card = card_text(old, config.name, config.section, config.files, config.info, self.metadata, there)
        operations: list[Any] = [CommitOperationAdd(path, str(file)) for path, file in config.files.items()]
        operations.append(CommitOperationAdd("README.md", card.encode()))
        ours = {path for path in there if re.fullmatch(re.escape(config.name) + OWN_FILES, path)}
        operations += [CommitOperationDelete(path) for path in sorted(ours - set(config.files))]
        # all or nothing: large files go up first, unseen; one commit then shows the config with its card
        done = self.api.create_commit(
            self.repo,
            operations,
            commit_message=title,
            repo_type="dataset",
            parent_commit=head,
            revision=request.git_reference if request else None,
            create_pr=self.pr and request is None,
        )
        if self.pr:
            url = request.url if request else done.pr_url
            return f"{self.repo}: the config {config.name} is in the pull request {url}."
        load = "cleancut.materialise" if config.is_of_indices else "load_dataset"
        return f"{self.repo}: the config {config.name} is up. Load it with {load}({self.repo!r}, {config.name!r})."

    def _found(self, revision: str | None = None) -> tuple[str, set[str], str]:
        """Return what the dataset holds: its last commit, the names of its files, and its card."""
        head = str(self.api.dataset_info(self.repo, revision=revision, timeout=WAIT).sha)
        there = set(self.api.list_repo_files(self.repo, repo_type="dataset", revision=head))
        if "README.md" not in there:
            return head, there, ""
        card = self.api.hf_hub_download(self.repo, "README.md", repo_type="dataset", revision=head)
        return head, there, Path(card).read_text("utf-8")

    def _open_request(self, title: str) -> Any:
        """Return the pull request of this title that we have opened before, if it is still open."""
        asked: Any = {
            "discussion_type": "pull_request",
            "discussion_status": "open",
            "author": self.api.whoami()["name"],
        }
        requests = self.api.get_repo_discussions(self.repo, repo_type="dataset", **asked)
        return next((request for request in requests if request.title == title), None)

    def _refused(self, config: Config) -> str:
        """Return what stands in the way of a config, as far as the Hub tells; a new dataset has room for any."""
        from huggingface_hub.errors import RepositoryNotFoundError

        def ask() -> tuple[set[str], str]:
            with suppress(RepositoryNotFoundError):
                return self._found()[1:]
            return set(), ""

        try:
            there, old = attempt(ask, self.repo, "So it is not known whether it takes the config.")
        except CleancutError as error:
            return str(error)
        try:
            card_text(old, config.name, config.section, config.files, config.info, self.metadata, there)
        except CleancutError as error:
            return f"This would fail: {error}"
        return ""


def metadata_of(api: HfApi, source: HubId | None, licence: str | None, ask: bool) -> dict[str, Any]:
    """Return the metadata of a new card.

    Args:
        api: the client.
        source: the dataset on the Hub that the rows are from, if they are.
        licence: the licence, where it is not the one that the source states.
        ask: ask the Hub for the card of the source, whose language and licence are taken over.
    """
    found: dict[str, Any] = {
        "task_categories": ["token-classification"],
        "tags": ["named-entity-recognition", "cleancut"],
    }
    if source is not None:
        found["source_datasets"] = [source.repo]
        stated = _card_of(api, source) if ask else {}
        found |= {name: stated[name] for name in ("language", "license") if stated.get(name)}
    if licence:
        found["license"] = licence
    return found


def _card_of(api: HfApi, source: HubId) -> dict[str, Any]:
    """Return the metadata of the card of a dataset."""
    info = attempt(
        lambda: api.dataset_info(source.repo, revision=source.revision, timeout=WAIT),
        source.repo,
        "Nothing was uploaded.",
    )
    return info.card_data.to_dict() if info.card_data else {}
