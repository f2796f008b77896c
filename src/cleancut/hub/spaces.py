"""Publish metric modules and the app as Spaces of the Hub.

Nothing is uploaded without ``push``: the functions then return what they would upload. huggingface_hub alone handles
the token; it is never read, shown or stored here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core import checks
from ..core.exceptions import CleancutError, quoted
from ..core.files import temporary_folder
from ..reading.hub_ids import is_repo
from ..version import __version__
from .requests import WAIT, attempt, check_repo
from .staging import files_of_space, stage, stage_app

TAG = f"cleancut-{__version__}"
"""The tag of a release. A tag such as ``v0.4.6`` would hide newer code: evaluate loads the tag of its own version."""


def publish_metrics(org: str, names: Iterable[str] = (), *, push: bool = False) -> list[str]:
    """Upload the metric modules as Spaces ``org/<name>``, and tag the release.

    Args:
        org: the user or the organisation on the Hub.
        names: the metrics; all of them by default.
        push: upload. Without it nothing is uploaded.

    Returns:
        For each Space, what was uploaded; without ``push``, what would be uploaded.

    Raises:
        CleancutError: the Hub refused or was not reached. The message names the Spaces that are not uploaded.
    """
    checks.switches(push=push)
    if not isinstance(org, str) or not is_repo(f"{org}/name"):
        raise CleancutError(f"{quoted(org)} is not a user or an organisation. Use letters, digits, . _ - only.")
    with temporary_folder() as folder:
        spaces = {check_repo(f"{org}/{space.name}"): files_of_space(space) for space in stage(names, folder)}
    repos = list(spaces)
    return [_publish_space(repo, spaces[repo], repos[i:], push=push) for i, repo in enumerate(repos)]


def publish_app(to: str, *, private: bool = False, push: bool = False) -> list[str]:
    """Upload the app as a Space, and tag the release.

    Args:
        to: the Space, ``org/name``.
        private: make the Space private, if it is new.
        push: upload. Without it nothing is uploaded.

    Returns:
        One text: what was uploaded; without ``push``, what would be uploaded.

    Raises:
        CleancutError: the Hub refused or was not reached.
    """
    checks.switches(private=private, push=push)
    check_repo(to)
    with temporary_folder() as folder:
        files = files_of_space(stage_app(Path(folder, "space")))
    return [_publish_space(to, files, [to], private=private, push=push)]


def _publish_space(
    repo: str, files: Mapping[str, bytes], left: Sequence[str], *, private: bool = False, push: bool
) -> str:
    """Upload one Space in one commit, and say what was done.

    Args:
        repo: the Space.
        files: the content of each of its files.
        left: the Spaces that are not uploaded yet, with this one. An error names them.
        private: make the Space private, if it is new.
        push: upload. Without it, only say what would be uploaded.
    """
    if not push:
        listed = "\n".join(f"  {path}  {len(data):,} bytes" for path, data in files.items())
        kind = "gradio, private if it is new" if private else "gradio"
        return f"would create the Space {repo} ({kind}), upload to it and tag it {TAG}:\n{listed}"
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    api = HfApi()
    resume = f"Not uploaded: {', '.join(left)}. Run the same command again: what is there already is left as it is."

    def upload() -> str:
        """Make the Space if need be, upload the files in one commit, tag the release, and return a text that says so.

        Files of an earlier release that are no longer there are deleted. A tag that exists is not moved.
        """
        api.create_repo(repo, repo_type="space", space_sdk="gradio", private=private or None, exist_ok=True)
        head = str(api.space_info(repo, timeout=WAIT).sha)
        on_hub = set(api.list_repo_files(repo, repo_type="space", revision=head))
        operations: list[Any] = [CommitOperationAdd(path, data) for path, data in files.items()]
        own_folders = {path.partition("/")[0] for path in files if "/" in path}
        for path in sorted(on_hub - set(files)):  # an earlier release had these files
            if path.endswith(".py") or path.partition("/")[0] in own_folders:
                operations.append(CommitOperationDelete(path))
        message = f"cleancut {__version__}"
        commit = api.create_commit(repo, operations, commit_message=message, repo_type="space", parent_commit=head)
        tags = {tag.name: tag.target_commit for tag in api.list_repo_refs(repo, repo_type="space").tags}
        if TAG not in tags:
            api.create_tag(repo, tag=TAG, repo_type="space", revision=commit.oid)
        elif tags[TAG] != commit.oid:
            return f"{repo}: uploaded. The tag {TAG} stays where it was: a release is not moved. Raise the version."
        return f"{repo}: uploaded and tagged {TAG}."

    return attempt(upload, repo, resume)
