"""Write and upload a config of a dataset: its rows as Parquet shards, its part of the card, and the commit of both.

Shards are written to a folder one after the other and uploaded from there, so that only one of them is in memory.
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
"""The greatest size of a shard before compression, by default. It is the default of datasets itself."""


def check_config(name: str) -> None:
    """Refuse a name that a config cannot have.

    Args:
        name: the name that a user gave.

    Raises:
        CleancutError: datasets would not load a config of this name.
    """
    if not isinstance(name, str) or not is_config(name):
        raise CleancutError(f"{quoted(name)} cannot be the name of a config. Use letters, digits, . _ - only.")


@dataclass(frozen=True)
class Config:
    """A config that is ready to be uploaded."""

    name: str
    files: Mapping[str, Path]
    """The file on disk, for each path in the repository."""
    info: Any
    """The ``DatasetInfo``: features, and the rows and bytes of each split."""
    section: str
    """The section of the card that describes the config, as Markdown."""

    @property
    def is_of_indices(self) -> bool:
        """Whether the config holds the places of rows in their source rather than the rows."""
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
        section: the section of the card that describes the config.
        folder: a folder for the files; it must exist until they are uploaded.
        max_shard_size: the greatest size of a Parquet file before compression, such as ``"500MB"``.
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
    """Write the rows of a split as ``n_shards`` Parquet files (or one for each row, if it has fewer rows)."""
    folder.mkdir(exist_ok=True)
    n_shards = max(min(n_shards, len(rows)), 1)
    paths = [folder / f"{split}-{i:05d}-of-{n_shards:05d}.parquet" for i in range(n_shards)]
    for i, path in enumerate(paths):
        shard = rows.shard(n_shards, i, contiguous=True) if n_shards > 1 else rows
        shard.to_parquet(str(path))
    return paths


def _bytes_of(rows: Any) -> int:
    """Return the size of a dataset in memory. A dataset that selects rows of a table has its share of the table."""
    table = rows.data
    return int(table.nbytes * len(rows) / max(len(table), 1))


def _bytes_in(size: int | str) -> int:
    """Return a size in bytes, given as a number or a text: ``"500MB"`` is 500 million, ``"1MiB"`` is 1,048,576.

    Raises:
        CleancutError: it is not a size.
    """
    from datasets.utils.py_utils import convert_file_size_to_int

    try:
        n_bytes = int(convert_file_size_to_int(size))
    except Exception:  # whatever the methods of an object raise
        n_bytes = 0
    if n_bytes < 1:
        raise CleancutError(
            f"max_shard_size={quoted(size)} is not a size. Give a number of bytes, or a size such as '500MB'."
        )
    return n_bytes


# --- uploading ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Destination:
    """A dataset of the Hub that configs are added to, and the way in which they are added."""

    api: HfApi
    repo: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The metadata of a new card. To a card that exists, only the licence is added, if it states none."""
    private: bool = False
    """Whether a new dataset is made private."""
    pr: bool = False
    """Whether each config is uploaded as a pull request."""
    push: bool = False
    """Whether anything is uploaded at all."""

    def add(self, config: Config, left: Sequence[str]) -> str:
        """Add a config in one commit; without ``push``, only say what would be uploaded.

        Args:
            config: the config.
            left: the names of the configs that are not uploaded yet, with this one. An error names them.

        Returns:
            A text that says what was uploaded, or would be.

        Raises:
            CleancutError: the Hub refused or was not reached.
        """
        if not self.push:
            return self._announced(config)
        again = "Run the same command again: what is there already is left as it is."
        return attempt(lambda: self._upload(config), self.repo, f"Not uploaded: {', '.join(left)}. {again}")

    def _announced(self, config: Config) -> str:
        """Return a text that says what would be uploaded, and why the dataset would refuse it, if it would."""
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
        """Upload a config in one commit, and return a text that says so."""
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        title = f"Config {config.name} (cleancut {__version__})"
        self.api.create_repo(self.repo, repo_type="dataset", private=self.private or None, exist_ok=True)
        request = self._open_request(title) if self.pr else None
        revision = request.git_reference if request else None
        head, on_hub, old_card = self._state(revision)
        card = card_text(old_card, config.name, config.section, config.files, config.info, self.metadata, on_hub)
        operations: list[Any] = [CommitOperationAdd(path, str(file)) for path, file in config.files.items()]
        operations.append(CommitOperationAdd("README.md", card.encode()))
        ours = {path for path in on_hub if re.fullmatch(re.escape(config.name) + OWN_FILES, path)}
        operations += [CommitOperationDelete(path) for path in sorted(ours - set(config.files))]
        # Large files are uploaded first, where nobody sees them. One commit then shows the config with its card, so
        # that an interruption leaves nothing half-published.
        commit = self.api.create_commit(
            self.repo,
            operations,
            commit_message=title,
            repo_type="dataset",
            parent_commit=head,
            revision=revision,
            create_pr=self.pr and request is None,
        )
        if self.pr:
            url = request.url if request else commit.pr_url
            return f"{self.repo}: the config {config.name} is in the pull request {url}."
        load = "cleancut.materialise" if config.is_of_indices else "load_dataset"
        return f"{self.repo}: the config {config.name} is up. Load it with {load}({self.repo!r}, {config.name!r})."

    def _state(self, revision: str | None = None) -> tuple[str, set[str], str]:
        """Return the last commit of the dataset, the paths of its files, and its card (empty if it has none)."""
        head = str(self.api.dataset_info(self.repo, revision=revision, timeout=WAIT).sha)
        on_hub = set(self.api.list_repo_files(self.repo, repo_type="dataset", revision=head))
        if "README.md" not in on_hub:
            return head, on_hub, ""
        card = self.api.hf_hub_download(self.repo, "README.md", repo_type="dataset", revision=head)
        return head, on_hub, Path(card).read_text("utf-8")

    def _open_request(self, title: str) -> Any:
        """Return the pull request with this title that an earlier run opened, if it is still open."""
        filters: Any = {
            "discussion_type": "pull_request",
            "discussion_status": "open",
            "author": self.api.whoami()["name"],
        }
        requests = self.api.get_repo_discussions(self.repo, repo_type="dataset", **filters)
        return next((request for request in requests if request.title == title), None)

    def _refused(self, config: Config) -> str:
        """Return why the dataset would not take a config, as far as the Hub tells; empty if it would."""
        from huggingface_hub.errors import RepositoryNotFoundError

        def ask() -> tuple[set[str], str]:
            """Return the files and the card of the repository; none if there is no repository."""
            with suppress(RepositoryNotFoundError):
                return self._state()[1:]
            return set(), ""

        try:
            on_hub, old_card = attempt(ask, self.repo, "So it is not known whether it takes the config.")
        except CleancutError as error:
            return str(error)
        try:
            card_text(old_card, config.name, config.section, config.files, config.info, self.metadata, on_hub)
        except CleancutError as error:
            return f"This would fail: {error}"
        return ""


def metadata_of(api: HfApi, source: HubId | None, licence: str | None, ask: bool) -> dict[str, Any]:
    """Return the metadata of a new card.

    Args:
        api: the client.
        source: the dataset on the Hub that the rows come from, or None.
        licence: the licence; by default the one that the source states.
        ask: whether to ask the Hub for the card of the source, whose language and licence are then taken over.
    """
    metadata: dict[str, Any] = {
        "task_categories": ["token-classification"],
        "tags": ["named-entity-recognition", "cleancut"],
    }
    if source is not None:
        metadata["source_datasets"] = [source.repo]
        stated = _card_of(api, source) if ask else {}
        metadata |= {name: stated[name] for name in ("language", "license") if stated.get(name)}
    if licence:
        metadata["license"] = licence
    return metadata


def _card_of(api: HfApi, source: HubId) -> dict[str, Any]:
    """Return the metadata of the card of a dataset."""
    info = attempt(
        lambda: api.dataset_info(source.repo, revision=source.revision, timeout=WAIT),
        source.repo,
        "Nothing was uploaded.",
    )
    return info.card_data.to_dict() if info.card_data else {}
