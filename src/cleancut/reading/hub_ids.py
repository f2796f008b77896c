"""Where a dataset comes from: Hub ids, checked before any request, and rows of files that are not corpora yet."""

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
from ..core.exceptions import CleancutError, reason
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


@dataclass(frozen=True)
class HubId:
    """A dataset on the Hub, such as ``org/name:config@revision``."""

    repo: str
    config: str | None = None
    revision: str | None = None

    @classmethod
    def parse(cls, text: str) -> HubId:
        """The parts of an id; an error, before anything is asked of the Hub, where it cannot be one."""
        found = _HUB_ID.fullmatch(text)
        if found is None or not is_repo(found["repo"]) or ".." in (found["revision"] or ""):
            raise CleancutError(
                f"{text!r} is neither a file, a folder nor the id of a dataset. "
                "Write ids as org/name, org/name:config, org/name@revision or org/name:config@revision."
            )
        return cls(found["repo"], found["config"], found["revision"])

    def __str__(self) -> str:
        config = f":{self.config}" if self.config else ""
        return f"{self.repo}{config}" + (f"@{self.revision}" if self.revision else "")


def is_repo(text: str) -> bool:
    """Can it be the id of a repository, ``org/name``?"""
    found = re.fullmatch(r"([A-Za-z0-9][\w.-]{0,95})/([A-Za-z0-9_][\w.-]{0,95})", text, re.ASCII)
    return found is not None and not any(
        part.endswith((".", "-", ".git")) or ".." in part or "--" in part for part in found.groups()
    )


def is_config(name: str) -> bool:
    """Can it be the name of a config, and so of a folder of the repository that is no file of it?"""
    fits = re.fullmatch(r"[A-Za-z0-9][\w.-]{0,95}", name, re.ASCII) is not None
    return fits and ".." not in name and name != "README.md"


def is_local(source: str | os.PathLike[str]) -> bool:
    """Is it a path? Also one that does not exist, where its form cannot be that of a Hub id."""
    text = checked_path(source)
    if os.path.exists(text) or not isinstance(source, str):
        return True
    named = Path(text.removesuffix(".gz")).suffix.lower() in KNOWN_SUFFIXES or text.endswith(".gz")
    of_windows = "\\" in text or re.match(r"[A-Za-z]:/", text) is not None
    return named or of_windows or "/" not in text or text.startswith((".", "/", "~")) or text.endswith("/")


def load_hub(source: HubId) -> tuple[HubId, dict[str, Any]]:
    """The splits of a dataset on the Hub, each a ``datasets.Dataset``, and the very commit they are of.

    Code in the repository is never run: a repository that is only a loading script is read from the Hub's own parquet
    copy, where there is one.
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
"""What versions 0, 1 and 2 of huggingface_hub send their requests with, and the kind of all its errors."""


def network_errors() -> tuple[type[BaseException], ...]:
    """The kinds of errors that a request to the Hub ends in, whichever client is installed.

    What the client itself raises are errors of the operating system in every version. What its transport raises need
    not be: that is looked up where the client has imported it, and never imported here.
    """
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    loaded = [(sys.modules[name], kind) for name, kind in TRANSPORTS.items() if name in sys.modules]
    return HfHubHTTPError, OfflineModeIsEnabled, OSError, *(getattr(module, kind) for module, kind in loaded)


def _loaded(source: HubId) -> tuple[HubId, dict[str, Any]]:
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
    """One line for what went wrong, and the remedy."""
    text = str(error)
    if "pick one among the available configs" in text or "not found. Available" in text:
        names = re.findall(r"'([^']+)'", text.partition("[")[2].partition("]")[0])
        listed = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
        wrong = f"no config {source.config!r}" if source.config else "several configs"
        example = f"{source.repo}:{names[0] if names else 'CONFIG'}"
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
            f"{source} is neither a path here nor on the Hub for you ({reason(error)}). Check the id and the "
            "revision; log in with 'hf auth login' if it is private."
        )
    if "429" in text:
        return CleancutError(f"{source}: the Hub takes no more requests now ({reason(error)}). Try again later.")
    return CleancutError(f"{source} cannot be loaded: {type(error).__name__}: {reason(error)}.")


# --- files ------------------------------------------------------------------------------------------------------


def rows_of_file(given: Readable) -> Any:
    """The rows of a CSV, JSONL or parquet file: a ``Dataset``, or a list of dicts where Arrow could not hold them."""
    import datasets

    source = Source.of(given)
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
    """Return a schema that the library datasets takes: without its own note, where that is broken."""
    import datasets

    for one in (schema, schema.remove_metadata()):
        try:
            datasets.Dataset(one.empty_table())
        except Exception as error:  # there is nothing that a broken note does not raise
            wrong = reason(error)
        else:
            return one
    raise CleancutError(f"{source}: a column is of a kind that the library datasets does not have ({wrong}).")


def dataset_of(rows: list[dict[str, Any]]) -> Any:
    """Return rows as a ``Dataset``, or as they are where Arrow cannot hold them."""
    import datasets
    import pyarrow as pa

    try:
        return datasets.Dataset.from_list(rows)
    except (pa.ArrowException, TypeError, ValueError, KeyError, OverflowError):
        return rows


def mapped_rows(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> Any:
    """Return the rows of a Parquet or JSONL file as a dataset that is mapped from a folder.

    The rows go there in batches, so that they need not fit into memory. A JSONL file is read twice, the first time for
    the kind of each field, since no part of it need show all of them.
    """
    import datasets
    import pyarrow as pa

    if format_of(path) is Format.PARQUET:
        file = parquet_file(Source.of(path))
        schema = _sound_schema(file.schema_arrow, Source.of(path))
        batches = (batch.replace_schema_metadata(schema.metadata) for batch in file.iter_batches(batch_size=_BATCH))
    else:
        schema = _json_schema(path)
        batches = (pa.record_batch(_columns(batch, schema.names), schema) for batch in _record_batches(path))
    copy = os.path.join(folder, f"{os.path.basename(path)}.arrow")
    with readable_parquet(path), pa.OSFile(copy, "wb") as stream, pa.ipc.new_stream(stream, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return datasets.Dataset.from_file(copy)


_BATCH = 10_000
"""Rows of a file that are in memory at a time."""


def _json_schema(path: str | os.PathLike[str]) -> Any:
    """Return the kind of each field of a JSONL file, from all of its rows."""
    import pyarrow as pa

    schema = pa.schema([])
    for batch in _record_batches(path):
        names = list(dict.fromkeys(name for record in batch for name in record))
        try:
            shown = pa.table(_columns(batch, names)).schema
            schema = pa.unify_schemas([schema, shown], promote_options="permissive")
        except pa.ArrowException as error:
            raise CleancutError(f"{path}: the values of a field are of several kinds ({reason(error)}).") from None
    return schema


def _columns(records: list[dict[str, Any]], names: list[str]) -> dict[str, list[Any]]:
    return {name: [record.get(name) for record in records] for name in names}


def _record_batches(path: str | os.PathLike[str]) -> Iterator[list[dict[str, Any]]]:
    records = (record for _, record in json_records(path))
    while batch := list(islice(records, _BATCH)):
        yield batch


def write_rows(splits: Mapping[str, Any], folder: str | os.PathLike[str]) -> list[str]:
    """Write each split (a ``DatasetDict``) as parquet, its rows and features untouched. Returns the files written."""
    import datasets

    paths = {name: name_inside(folder, f"{name}.parquet") for name in splits}
    shown = not datasets.utils.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        for name, split in splits.items():
            with replacing(paths[name]) as stream:
                split.to_parquet(stream)
    finally:
        if shown:
            datasets.enable_progress_bars()
    return list(paths.values())
