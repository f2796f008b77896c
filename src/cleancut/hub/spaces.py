"""Metric modules and the app, published as Spaces of the Hub.

Nothing is uploaded unless it is asked for with ``push``: everything else says what would be. The token is
huggingface_hub's own affair; it is never read, shown or stored here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.exceptions import CleancutError, quoted
from ..core.files import temporary_folder
from ..reading.hub_ids import is_repo
from ..version import __version__
from .requests import WAIT, attempt, check_repo
from .staging import files_of_space, stage, stage_app

TAG = f"cleancut-{__version__}"
"""The tag of a release. Never evaluate's own ``v0.4.6``, which would silently win over newer code."""


def publish_metrics(org: str, names: Iterable[str] = (), *, push: bool = False) -> list[str]:
    """Upload the metric modules as Spaces ``org/<name>`` and tag the release; without ``push``, say what would be."""
    if not isinstance(org, str) or not is_repo(f"{org}/name"):
        raise CleancutError(f"{quoted(org)} is not a user or an organisation. Letters, digits, . _ - only.")
    with temporary_folder() as folder:
        spaces = {check_repo(f"{org}/{space.name}"): files_of_space(space) for space in stage(names, folder)}
    left = list(spaces)
    return [_publish_space(repo, files, left[i:], push=push) for i, (repo, files) in enumerate(spaces.items())]


def publish_app(to: str, *, private: bool = False, push: bool = False) -> list[str]:
    """Upload the app as the Space ``org/name`` and tag the release; without ``push``, say what would be."""
    check_repo(to)
    with temporary_folder() as folder:
        files = files_of_space(stage_app(Path(folder, "space")))
    return [_publish_space(to, files, [to], private=private, push=push)]


def _publish_space(
    repo: str, files: Mapping[str, bytes], left: Sequence[str], *, private: bool = False, push: bool
) -> str:
    if not push:
        listed = "\n".join(f"  {path}  {len(data):,} bytes" for path, data in files.items())
        kind = "gradio, private if it is new" if private else "gradio"
        return f"would create the Space {repo} ({kind}), upload to it and tag it {TAG}:\n{listed}"
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    api = HfApi()
    resume = f"Not uploaded: {', '.join(left)}. Run the same command again: what is there already is left as it is."

    def upload() -> str:
        api.create_repo(repo, repo_type="space", space_sdk="gradio", private=private or None, exist_ok=True)
        head = str(api.space_info(repo, timeout=WAIT).sha)
        there = set(api.list_repo_files(repo, repo_type="space", revision=head))
        operations: list[Any] = [CommitOperationAdd(path, data) for path, data in files.items()]
        ours = {path.partition("/")[0] for path in files if "/" in path}
        for path in sorted(there - set(files)):  # what a release before this one had
            if path.endswith(".py") or path.partition("/")[0] in ours:
                operations.append(CommitOperationDelete(path))
        message = f"cleancut {__version__}"
        done = api.create_commit(repo, operations, commit_message=message, repo_type="space", parent_commit=head)
        tags = {tag.name: tag.target_commit for tag in api.list_repo_refs(repo, repo_type="space").tags}
        if TAG not in tags:
            api.create_tag(repo, tag=TAG, repo_type="space", revision=done.oid)
        elif tags[TAG] != done.oid:
            return f"{repo}: uploaded. The tag {TAG} stays where it was: a release is not moved. Raise the version."
        return f"{repo}: uploaded and tagged {TAG}."

    return attempt(upload, repo, resume)
