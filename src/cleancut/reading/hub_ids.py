"""The places that a dataset comes from: ids of the Hub, checked before any request, and files of rows."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, assert_never

from ..core.checks import checked_path
from ..core.exceptions import CleancutError, quoted, reason
from ..core.files import name_inside, replacing
from .formats import KNOWN_SUFFIXES, Format, exported_rows, format_of
from .jsonl import json_records
from .opening import Readable, Source
from .parquet import parquet_file, parquet_table, readable_parquet

CONVERTED = "refs/convert/parquet"
"""The branch on which the Hub keeps its own parquet copy of a dataset."""

_HUB_ID = re.compile(
    r"(?P<repo>[^:@]*)(:(?P<config>[^<>:/\\|?*@\s]{1,100}))?"
    r"(@(?P<revision>[A-Za-z0-9][\w./-]{0,254}))?",
    re.ASCII,
)
"""Matches ``repo:config@revision``; ``is_repo`` checks the first part."""


@dataclass(frozen=True)
class HubId:
    """A dataset on the Hub, such as ``org/name:config@revision``.

    >>> HubId.parse("org/name:en@main")
    HubId(repo='org/name', config='en', revision='main')
    """

    repo: str
    """The repository, ``org/name``."""
    config: str | None = None
    """The config; None where none is named."""
    revision: str | None = None
    """The commit, branch or tag; None where none is named."""

    @classmethod
    def parse(cls, text: str) -> HubId:
        """Return the parts of an id. Nothing is asked of the Hub.

        Args:
            text: the id.

        Raises:
            CleancutError: the text cannot be an id.
        """
        parts = _HUB_ID.fullmatch(text)
        if parts is None or not is_repo(parts["repo"]) or ".." in (parts["revision"] or ""):
            raise CleancutError(
                f"{quoted(text)} is neither a file, a folder nor the id of a dataset. "
                "Write ids as org/name, org/name:config, org/name@revision or org/name:config@revision."
            )
        return cls(parts["repo"], parts["config"], parts["revision"])

    def __str__(self) -> str:
        config = f":{self.config}" if self.config else ""
        revision = f"@{self.revision}" if self.revision else ""
        return f"{self.repo}{config}{revision}"


def is_repo(text: str) -> bool:
    """Return whether a text can be the id of a repository, ``org/name``.

    Args:
        text: the text to check.

    >>> is_repo("org/name"), is_repo("name"), is_repo("org/na--me")
    (True, False, False)
    """
    parts = re.fullmatch(r"([A-Za-z0-9][\w.-]{0,95})/([A-Za-z0-9_][\w.-]{0,95})", text, re.ASCII)
    if parts is None:
        return False
    return not any(part.endswith((".", "-", ".git")) or ".." in part or "--" in part for part in parts.groups())


def is_config(name: str) -> bool:
    """Return whether a text can name a config, and so a folder of the repository that replaces no file of it.

    Args:
        name: the text to check.
    """
    fits = re.fullmatch(r"[A-Za-z0-9][\w.-]{0,95}", name, re.ASCII) is not None
    return fits and ".." not in name and name != "README.md"


def is_local(source: str | os.PathLike[str]) -> bool:
    """Return whether a source is a path. A path that does not exist counts where it cannot be the id of a dataset.

    Args:
        source: a path, or the id of a dataset.
    """
    text = checked_path(source)
    if os.path.exists(text) or not isinstance(source, str):
        return True
    has_suffix = Path(text.removesuffix(".gz")).suffix.lower() in KNOWN_SUFFIXES or text.endswith(".gz")
    is_of_windows = "\\" in text or re.match(r"[A-Za-z]:/", text) is not None
    is_marked = text.startswith((".", "/", "~")) or text.endswith("/")
    return has_suffix or is_of_windows or is_marked or "/" not in text


def load_hub(source: HubId) -> tuple[HubId, dict[str, Any]]:
    """Return the id of a dataset with the very commit that was loaded, and its splits, each a ``datasets.Dataset``.

    Code in the repository is never run: a repository that is only a loading script is read from the Hub's own parquet
    copy, where there is one.

    Args:
        source: the dataset.

    Raises:
        CleancutError: the dataset cannot be loaded; the message says why and what to do.
    """
    try:
        return _loaded(source)
    except Exception as error:  # the libraries raise their own, their transports', fsspec's and Arrow's errors alike
        if "Dataset scripts are no longer supported" not in str(error) or source.revision is not None:
            raise _explained(source, error) from None
    try:
        return _loaded(HubId(source.repo, source.config, CONVERTED))
    except Exception as error:
        if "pick one among" in str(error) or "not found. Available" in str(error):  # the copy is there
            raise _explained(source, error) from None
        raise CleancutError(
            f"{source} is a loading script, which is never run, and its parquet copy ({CONVERTED}) cannot be read: "
            f"{reason(error)}. Find a copy of the dataset in parquet, or download the data and name the files."
        ) from None


TRANSPORTS = {"requests": "RequestException", "httpx": "HTTPError", "httpx2": "HTTPError"}
"""The libraries that versions 0, 1 and 2 of huggingface_hub send requests with, and the base of their errors."""


def network_errors() -> tuple[type[BaseException], ...]:
    """Return the kinds of errors that a request to the Hub ends in, whichever client is installed.

    What the client itself raises are errors of the operating system in every version. What its transport raises need
    not be: that is looked up where the client has imported it, and never imported here.
    """
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    imported = [(sys.modules[name], kind) for name, kind in TRANSPORTS.items() if name in sys.modules]
    of_transports = [getattr(module, kind) for module, kind in imported]
    return HfHubHTTPError, OfflineModeIsEnabled, OSError, *of_transports


def _loaded(source: HubId) -> tuple[HubId, dict[str, Any]]:
    """Return the id with the commit that was loaded, and the splits; errors are those of the libraries."""
    import datasets
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RevisionNotFoundError

    try:
        commit = HfApi().dataset_info(source.repo, revision=source.revision).sha
    except RevisionNotFoundError:  # datasets 4.0 would take the copy of another one
        raise
    except network_errors():
        commit = source.revision  # what was loaded before may be there still; if not, the next line says why
    loaded = datasets.load_dataset(source.repo, source.config, revision=commit)
    return replace(source, revision=commit), {str(name): split for name, split in loaded.items()}


def _explained(source: HubId, error: Exception) -> CleancutError:
    """Return the error that says in one line what went wrong, and the remedy."""
    text = str(error)
    if "pick one among the available configs" in text or "not found. Available" in text:
        names = re.findall(r"'([^']+)'", text.partition("[")[2].partition("]")[0])
        listed = ", ".join(names[:20])
        if len(names) > 20:
            listed += f" and {len(names) - 20} more"
        wrong = f"no config {quoted(source.config)}" if source.config else "several configs"
        config = names[0] if names else "CONFIG"
        example = f"{source.repo}:{config}"
        return CleancutError(f"{source.repo} has {wrong}: {listed}. Choose one, such as {example}.")
    kind = " ".join(base.__name__ for base in type(error).__mro__)
    if "scripts are no longer supported" in text:
        return CleancutError(
            f"{source} is a loading script at this revision, which is never run. Give {source.repo}@{CONVERTED}."
        )
    if "gated" in text.lower():
        return CleancutError(
            f"{source} is gated. Ask for access on its page, then log in with 'hf auth login' and try again."
        )
    if re.search("Connect|Offline|LocalEntryNotFound|Timeout|NetworkError|ProxyError|RemoteProtocol", kind):
        return CleancutError(
            f"{source}: the Hub cannot be reached ({reason(error)}). Try again, or give files or a folder."
        )
    if "NotFound" in kind:
        return CleancutError(
            f"{source} is neither a path on this machine nor a dataset on the Hub that you may see "
            f"({reason(error)}). Check the id and the "
            "revision; log in with 'hf auth login' if it is private."
        )
    if "429" in text:
        return CleancutError(f"{source}: the Hub takes no more requests now ({reason(error)}). Try again later.")
    return CleancutError(f"{source} cannot be loaded: {type(error).__name__}: {reason(error)}.")


# --- files ------------------------------------------------------------------------------------------------------


def rows_of_file(readable: Readable) -> Any:
    """Return the rows of a file: a ``Dataset``, or a list of dicts where the file is JSONL or Arrow cannot hold them.

    Args:
        readable: a CSV, JSONL, parquet or exported file.

    Raises:
        CleancutError: the file is a CoNLL file, or cannot be read.
    """
    import datasets

    source = Source.of(readable)
    kind = format_of(source)
    match kind:
        case Format.PARQUET:
            table = parquet_table(source)
            return datasets.Dataset(table.replace_schema_metadata(_sound_schema(table.schema, source).metadata))
        case Format.JSONL:
            return [record for _, record in json_records(source)]
        case Format.ROWS:
            return dataset_of(exported_rows(source).rows)
        case Format.CONLL:
            raise CleancutError(f"{source}: the columns of a CoNLL file have no names. Give JSONL, CSV or parquet.")
        case _:
            assert_never(kind)


def _sound_schema(schema: Any, source: Source) -> Any:
    """Return a schema that the library datasets takes; the metadata of that library is left out if it is broken."""
    import datasets

    for candidate in (schema, schema.remove_metadata()):
        try:
            datasets.Dataset(candidate.empty_table())
        except Exception as error:  # a broken note may raise anything
            wrong = reason(error)
        else:
            return candidate
    raise CleancutError(f"{source}: a column is of a kind that the library datasets does not have ({wrong}).")


def dataset_of(rows: list[dict[str, Any]]) -> Any:
    """Return rows as a ``Dataset``, or as they are where Arrow cannot hold them.

    Args:
        rows: the rows.
    """
    import datasets
    import pyarrow as pa

    try:
        return datasets.Dataset.from_list(rows)
    except (pa.ArrowException, TypeError, ValueError, KeyError, OverflowError):
        return rows


def mapped_rows(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> Any:
    """Return the rows of a Parquet or JSONL file as a dataset that is mapped from a folder.

    The rows are copied there in batches, so that they need not fit into memory. A JSONL file is read twice, the first
    time for the kind of each field, since no part of it need show all of them.

    Args:
        path: the file.
        folder: the folder, which has to exist as long as the dataset is used.

    Raises:
        CleancutError: the file cannot be read, or the values of a field are of several kinds.
    """
    import datasets
    import pyarrow as pa

    if format_of(path) is Format.PARQUET:
        file = parquet_file(Source.of(path))
        schema = _sound_schema(file.schema_arrow, Source.of(path))
        batches = (batch.replace_schema_metadata(schema.metadata) for batch in file.iter_batches(batch_size=_BATCH))
    else:
        schema = _json_schema(path)
        batches = (pa.RecordBatch.from_pydict(_columns(batch, schema.names), schema) for batch in _record_batches(path))
    copy = os.path.join(folder, f"{os.path.basename(path)}.arrow")
    with readable_parquet(path), pa.OSFile(copy, "wb") as stream, pa.ipc.new_stream(stream, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return datasets.Dataset.from_file(copy)


_BATCH = 10_000
"""The number of rows of a file that are in memory at a time."""


def _json_schema(path: str | os.PathLike[str]) -> Any:
    """Return the kind of each field of a JSONL file, from all of its rows."""
    import pyarrow as pa

    schema = pa.schema([])
    for batch in _record_batches(path):
        names = list(dict.fromkeys(name for record in batch for name in record))
        try:
            batch_schema = pa.table(_columns(batch, names)).schema
            schema = pa.unify_schemas([schema, batch_schema], promote_options="permissive")
        except pa.ArrowException as error:
            raise CleancutError(f"{path}: the values of a field are of several kinds ({reason(error)}).") from None
    return schema


def _columns(records: list[dict[str, Any]], names: list[str]) -> dict[str, list[Any]]:
    """Return the values of records by field, with None for fields that a record does not have."""
    return {name: [record.get(name) for record in records] for name in names}


def _record_batches(path: str | os.PathLike[str]) -> Iterator[list[dict[str, Any]]]:
    """Yield the records of a JSONL file in lists of ``_BATCH``."""
    records = (record for _, record in json_records(path))
    while batch := list(islice(records, _BATCH)):
        yield batch


def write_rows(splits: Mapping[str, Any], folder: str | os.PathLike[str]) -> list[str]:
    """Write each split as a parquet file, its rows and features untouched, and return the paths of the files.

    Args:
        splits: each split by name, as in a ``DatasetDict``.
        folder: the folder to write to.
    """
    import datasets

    paths = {name: name_inside(folder, f"{name}.parquet") for name in splits}
    had_progress_bars = not datasets.utils.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        for name, split in splits.items():
            with replacing(paths[name]) as stream:
                split.to_parquet(stream)
    finally:
        if had_progress_bars:
            datasets.enable_progress_bars()
    return list(paths.values())
