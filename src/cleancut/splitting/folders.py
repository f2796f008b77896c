"""Folders of results: the rows of each part and a plan or manifest with digests, all written together or not at all.

A file that exists is replaced or removed only if cleancut wrote it: it has to be a regular file in the folder itself
whose SHA-256 is the one that the plan or the manifest beside it states.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, parse_choice, quoted
from ..core.files import (
    check_output_folder,
    is_kept,
    is_plain,
    made_folder,
    refuse_kept,
    replacing,
    temporary_folder,
    write_text,
)
from ..core.hashing import sample_hashes
from ..core.interrupts import uninterrupted
from ..reading.dataset import Samples, given_samples
from ..reading.formats import Format, copy_rows, format_of, write
from ..reading.hub_ids import write_rows
from ..reading.splits import SPLITS
from .incidence import Incidences
from .plan import SplitPlan, joined, without_nan


class SplitFormat(StrEnum):
    """The format that the rows of a split are written in."""

    JSONL = "jsonl"
    CONLL = "conll"
    INPUT = "input"
    """The format of the data that was split: unchanged rows, with all columns."""


def write_split(
    plan: SplitPlan,
    data: Any,
    folder: str | os.PathLike[str],
    *,
    format: str | None = None,
    beside: Mapping[str, str | Corpus] | None = None,
    overwrite: bool = False,
) -> SplitPlan:
    """Write the splits of a plan as files, and ``plan.json`` with the digest of each, as ``SplitPlan.write`` says."""
    wanted = "texts or corpora by the names of their files"
    given = {} if beside is None else beside
    for name, content in checks.mapping(given, "beside", wanted).items():
        checks.text(name, "beside: a name", wanted)
        if not isinstance(content, str | Corpus):
            raise CleancutError(f"beside: {name} is {quoted(content)}. Give {wanted}.")
    samples = given_samples(data, plan.read_as)
    chosen = default_format(samples) if format is None else parse_choice(SplitFormat, format, "format")
    plan.refuse_other_samples([np.concatenate([sample_hashes(part.corpus) for part in samples.values()])])
    if chosen is SplitFormat.INPUT:
        plan = plan.of_rows(list(samples.values()))
    elif plan.is_of_rows or len(plan.assignment) != sum(len(part.corpus) for part in samples.values()):
        raise CleancutError("the plan is of rows that hold several samples, or parts of one. Choose format='input'.")
    with written_together(folder, overwrite=overwrite) as fresh:
        for name, content in (beside or {}).items():
            path = os.path.join(fresh, name)
            if isinstance(content, Corpus):
                write(content, path)
            else:
                write_text(path, content)
        names_beside = set(os.listdir(fresh))
        if chosen is SplitFormat.INPUT:
            _write_rows(plan, samples, fresh)
        else:
            whole = Corpus.concatenate([part.corpus for part in samples.values()])
            for name in _outputs(plan):
                write(whole.select(plan.rows(name)), os.path.join(fresh, f"{name}.{chosen}"))
        reading = plan.row_options() if chosen is SplitFormat.INPUT else {}
        plan = replace(plan, files=_files(fresh, names_beside), reading=reading)
        plan.save(os.path.join(fresh, PLAN))
    return plan


def default_format(samples: Mapping[str, Samples]) -> SplitFormat:
    """Return the format to write where none is asked for: unchanged rows if these have columns, else JSONL.

    Rows have columns in datasets, and in JSONL or parquet files if all files are of one format.
    """
    if any(hasattr(part.rows, "with_format") for part in samples.values()):
        return SplitFormat.INPUT
    formats = {None if part.path is None else format_of(part.path) for part in samples.values()}
    if len(formats) == 1 and formats <= {Format.JSONL, Format.PARQUET}:
        return SplitFormat.INPUT
    return SplitFormat.JSONL


def _write_rows(plan: SplitPlan, samples: Mapping[str, Samples], folder: str) -> None:
    """Write the rows of each split unchanged, from their files if all samples have one, else from their datasets."""
    rows = {name: plan.rows(name) for name in _outputs(plan)}
    paths = [part.path for part in samples.values() if part.path is not None]
    files = [path for path in paths if format_of(path) is not Format.ROWS]
    if len(files) == len(samples):
        copy_rows(files, {name: of_split.tolist() for name, of_split in rows.items()}, folder)
        return
    if any(part.rows is None for part in samples.values()):
        raise CleancutError(
            "format='input' copies the rows of a dataset, which a corpus does not have. Choose format='jsonl' or "
            "'conll'."
        )
    whole = joined({name: part.rows for name, part in samples.items()})
    write_rows({name: whole.select(of_split) for name, of_split in rows.items()}, folder)


def write_parts(
    corpus: Corpus,
    parts: Mapping[str, NDArray[np.integer]],
    about: Mapping[str, Any],
    folder: str | os.PathLike[str],
    format: str,
    overwrite: bool,
) -> None:
    """Write a file for each part of a corpus, and ``manifest.json`` with the digest of each file.

    Args:
        corpus: the samples.
        parts: the numbers of the samples of each part, by the name of its file; parts may overlap.
        about: what else the manifest says.
        folder: the folder to write to.
        format: the format of the files, ``jsonl`` or ``conll``.
        overwrite: replace files of the same names even if cleancut did not write them.
    """
    if not isinstance(format, str) or format not in ("jsonl", "conll"):
        raise CleancutError(f"format={quoted(format)} is unknown. Choose jsonl or conll.")
    with written_together(folder, about, overwrite=overwrite) as fresh:
        for name, rows in parts.items():
            write(corpus.select(rows), os.path.join(fresh, f"{name}.{format}"))


def write_manifest(about: Mapping[str, Any], folder: str | os.PathLike[str], digests: Mapping[str, str]) -> None:
    """Write ``manifest.json``: what is said about the files of a folder, and the digest of each file."""
    text = json.dumps(without_nan({**about, "files": digests}), indent=1, ensure_ascii=False)
    write_text(os.path.join(folder, MANIFEST), text + "\n")


def write_assignment(plan: SplitPlan, incidences: Incidences, folder: str) -> None:
    """Write ``assignment.parquet`` with the name and the split of each sample, and ``plan.json`` beside it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = pa.array([*plan.names, "discarded"])
    first = 0
    writer = None
    with replacing(os.path.join(folder, ASSIGNMENT)) as stream:
        for samples in incidences.names():
            splits = plan.assignment[first : first + len(samples)] % len(names)  # -1 becomes the last name
            table = pa.table({"sample": samples, "split": names.take(pa.array(splits))})
            writer = writer or pq.ParquetWriter(stream, table.schema, compression="zstd")
            writer.write_table(table)
            first += len(samples)
        assert writer is not None
        writer.close()
    replace(plan, files=_files(folder, ())).save(os.path.join(folder, PLAN))


def _files(folder: str, beside: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the name and the digest of each file of a plan, by the name of its split.

    Other files are listed as well, by their names without suffix, or with it where a split has that name.

    Args:
        folder: the folder that the files were written to.
        beside: the names of the files that hold no split.
    """
    files: dict[str, dict[str, str]] = {}
    splits_first = sorted(_digests(folder).items(), key=lambda item: item[0] in beside)
    for file, digest in splits_first:
        stem = file.partition(".")[0]
        name = file if stem in files else stem
        files[name] = {"name": file, "sha256": digest}
    return dict(sorted(files.items()))


def _digests(folder: str) -> dict[str, str]:
    """Return the SHA-256 of each file of a folder."""
    return {file: file_digest(os.path.join(folder, file)) for file in sorted(os.listdir(folder))}


def file_digest(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file.

    Args:
        path: the file.
    """
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def refuse_own_input(inputs: Iterable[str], folder: str) -> None:
    """Raise an error where a split would be written over one of the files that it is read from."""
    for file in inputs:
        stem = os.path.basename(file).partition(".")[0]
        there = os.path.realpath(os.path.dirname(file) or ".") == os.path.realpath(folder)
        if there and stem in (*SPLITS, "discarded"):
            raise CleancutError(f"{file} lies in {folder}, where the splits are written. Choose another folder for -o.")


def _outputs(plan: SplitPlan) -> list[str]:
    """Return the names of the parts of a plan that are written, each to a file."""
    if plan.n_discarded:
        return [*plan.names, "discarded"]
    return list(plan.names)


@contextmanager
def written_together(
    folder: str | os.PathLike[str], about: Mapping[str, Any] | None = None, *, overwrite: bool = False
) -> Iterator[str]:
    """Yield a temporary folder whose files are moved to a folder at the end, so that an interruption leaves no half.

    Files that the plan or manifest of an earlier result lists, and that are not written again, are removed if they are
    unchanged. Where an error ends the context, a folder that did not exist is not left behind.

    Args:
        folder: the folder for the files; it is made if it does not exist.
        about: what ``manifest.json`` says about the files; None for a split, which has its plan instead.
        overwrite: replace files even if cleancut did not write them.

    Raises:
        CleancutError: a file of the folder would be lost.
    """
    checks.switch(overwrite, "overwrite")
    check_output_folder(folder)
    with made_folder(folder), temporary_folder(folder, ".split-") as fresh:
        yield fresh
        digests = _digests(fresh)
        refuse_foreign(folder, digests, about, overwrite=overwrite)
        if about is not None:
            write_manifest(about, fresh, digests)
        written = {*digests, MANIFEST} if about is not None else {*digests}
        earlier_files: list[tuple[str, str]] = []
        for record in RECORDS:
            if record in written:
                earlier_files += recorded(folder, record).items()
        records_last = sorted(written, key=lambda name: (name in RECORDS, name))
        outdated = list(_outdated(folder, earlier_files, written))
        with uninterrupted():
            for name in records_last:
                os.replace(os.path.join(fresh, name), os.path.join(folder, name))
            for path in outdated:
                os.unlink(path)


def _outdated(
    folder: str | os.PathLike[str], earlier_files: Iterable[tuple[str, str]], written: Collection[str]
) -> Iterator[str]:
    """Yield the files of an earlier result that are not written again, if they are unchanged and not being read."""
    for name, digest in earlier_files:
        path = os.path.join(folder, name)
        if name not in written and is_as_written(path, digest) and not is_kept(path):
            yield path


ASSIGNMENT = "assignment.parquet"
"""The file with the split of each sample, where the text of the samples is not at hand."""
PLAN, MANIFEST = RECORDS = "plan.json", "manifest.json"
"""The files that list what else was written to a folder."""


def refuse_foreign(
    folder: str | os.PathLike[str],
    names: Mapping[str, str] | Iterable[str],
    about: Mapping[str, Any] | None = None,
    *,
    overwrite: bool = False,
) -> None:
    """Raise an error where writing would lose a file that cleancut did not write, or that the user has changed.

    Args:
        folder: the folder that is written to.
        names: the names of the files; or their digests by name, so that a file may be replaced by an equal one.
        about: what the manifest will say, if one is written; it must not replace the manifest of another result.
        overwrite: refuse only links and folders, which no file replaces, and files that are being read.

    Raises:
        CleancutError: a file would be lost.
    """
    record = PLAN if about is None else MANIFEST
    recorded_digests = recorded(folder, record)
    for name in names:
        path = os.path.join(folder, name)
        refuse_kept(path)
        if not _is_in_the_way(path, overwrite):
            continue
        if name in RECORDS and _stored(folder, name) is not None:
            continue
        new_digest = names.get(name) if isinstance(names, Mapping) else None
        known_digests = [digest for digest in (new_digest, recorded_digests.get(name)) if digest]
        if not any(is_as_written(path, digest) for digest in known_digests):
            raise CleancutError(f"{path} is not a file as cleancut wrote it, and would be lost. {_remedy(path)}.")
    path = os.path.join(folder, MANIFEST)
    if about is not None and _is_in_the_way(path, overwrite):
        stored_format = (_stored(folder, MANIFEST) or {}).get("format")
        if stored_format != about["format"]:
            kind = f"the manifest of a {stored_format}" if stored_format else "not a manifest of cleancut"
            raise CleancutError(f"{path} is {kind}, and would be lost. {_remedy(path)}.")


def _is_in_the_way(path: str, overwrite: bool) -> bool:
    """Return whether something exists at a path that may not simply be replaced."""
    return os.path.lexists(path) and not (overwrite and _is_file(path))


def _remedy(path: str) -> str:
    """Return what a user can do about a file that is in the way; links and folders are never replaced."""
    return "Choose another folder, or give --overwrite" if _is_file(path) else "Move it, or choose another folder"


def recorded(folder: str | os.PathLike[str], record: str) -> dict[str, str]:
    """Return the SHA-256 of each file that a plan or a manifest lists, by the name of the file.

    The record may have been changed by anyone, so that a digest counts only where the file agrees with it.

    Args:
        folder: the folder.
        record: the name of the record, ``plan.json`` or ``manifest.json``.
    """
    files = (_stored(folder, record) or {}).get("files")
    if not isinstance(files, Mapping):
        return {}
    pairs: Iterable[Any] = files.items()
    if record == PLAN:
        pairs = [(file.get("name"), file.get("sha256")) for file in files.values() if isinstance(file, Mapping)]
    digests = {}
    for name, digest in pairs:
        if is_plain(name) and isinstance(digest, str):
            digests[name] = digest
    return digests


def recorded_tree(folder: str | os.PathLike[str]) -> dict[str, str]:
    """Return the SHA-256 of each file that a manifest lists, by its path, which may lead into folders below."""
    files = (_stored(folder, MANIFEST) or {}).get("files")
    if not isinstance(files, Mapping):
        return {}
    return {path: digest for path, digest in files.items() if isinstance(digest, str)}


def _stored(folder: str | os.PathLike[str], record: str) -> dict[str, Any] | None:
    """Return the content of a plan or a manifest, if cleancut wrote it; else None."""
    path = os.path.join(folder, record)
    if not _is_file(path):
        return None
    try:
        stored = json.loads(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    ours = isinstance(stored, dict) and str(stored.get("format")).startswith("cleancut-")
    return stored if ours else None


def is_as_written(path: str | os.PathLike[str], digest: str) -> bool:
    """Return whether there is a regular file (no link) with this SHA-256."""
    return _is_file(path) and file_digest(path) == digest


def _is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether there is a regular file (no link) at a path."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
