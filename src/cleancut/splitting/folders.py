"""Results as folders: the rows of each part, a plan or manifest with digests, all written together or not at all.

What is there already is replaced or removed only if it is ours: a file in the folder itself, no link, whose SHA-256 is
the one that the plan or the manifest beside it states.
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
    """How the rows of a split are written."""

    JSONL = "jsonl"
    CONLL = "conll"
    INPUT = "input"
    """As they stand in what was split, with all columns."""


def write_split(
    plan: SplitPlan,
    data: Any,
    folder: str | os.PathLike[str],
    *,
    format: str | None = None,
    beside: Mapping[str, str | Corpus] | None = None,
    overwrite: bool = False,
) -> SplitPlan:
    """Write the splits as files, and ``plan.json`` with the digest of each: what ``SplitPlan.write`` does."""
    samples = given_samples(data, plan.read_as)
    chosen = default_format(samples) if format is None else parse_choice(SplitFormat, format, "format")
    plan.refuse_other_samples([np.concatenate([sample_hashes(part.corpus) for part in samples.values()])])
    if chosen is SplitFormat.INPUT:
        plan = plan.of_rows(list(samples.values()))
    elif plan.is_of_rows or len(plan.assignment) != sum(len(part.corpus) for part in samples.values()):
        raise CleancutError("the plan is of rows that hold several samples, or parts of one. Choose format='input'.")
    with written_together(folder, overwrite=overwrite) as fresh:
        for name, thing in (beside or {}).items():
            path = os.path.join(fresh, name)
            if isinstance(thing, Corpus):
                write(thing, path)
            else:
                write_text(path, thing)
        told = set(os.listdir(fresh))
        if chosen is SplitFormat.INPUT:
            _write_rows(plan, samples, fresh)
        else:
            whole = Corpus.concatenate([part.corpus for part in samples.values()])
            for name in _outputs(plan):
                write(whole.select(plan.rows(name)), os.path.join(fresh, f"{name}.{chosen}"))
        reading = plan.row_options() if chosen is SplitFormat.INPUT else {}
        plan = replace(plan, files=_files(fresh, told), reading=reading)
        plan.save(os.path.join(fresh, PLAN))
    return plan


def default_format(samples: Mapping[str, Samples]) -> SplitFormat:
    """Return the format that is written where none is asked for: rows as they stand if they have columns, else JSONL.

    Rows have columns in datasets, and in JSONL and parquet files, if all are of one kind.
    """
    if any(hasattr(part.rows, "with_format") for part in samples.values()):
        return SplitFormat.INPUT
    kinds = {None if part.path is None else format_of(part.path) for part in samples.values()}
    return SplitFormat.INPUT if len(kinds) == 1 and kinds <= {Format.JSONL, Format.PARQUET} else SplitFormat.JSONL


def _write_rows(plan: SplitPlan, samples: Mapping[str, Samples], folder: str) -> None:
    """Write the rows of each split as they stand in their files, or else in their datasets."""
    rows = {name: plan.rows(name) for name in _outputs(plan)}
    paths = [part.path for part in samples.values() if part.path is not None]
    files = [path for path in paths if format_of(path) is not Format.ROWS]
    if len(files) == len(samples):
        copy_rows(files, {name: of_split.tolist() for name, of_split in rows.items()}, folder)
        return
    if any(part.rows is None for part in samples.values()):
        raise CleancutError("a corpus has no rows other than its samples. Choose format='jsonl' or 'conll'.")
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
    """Parts of a corpus, which may overlap, as a file each; ``manifest.json``: what is said of them, and digests."""
    if format not in ("jsonl", "conll"):
        raise CleancutError(f"format={quoted(format)} is unknown. Choose jsonl or conll.")
    with written_together(folder, about, overwrite=overwrite) as fresh:
        for name, rows in parts.items():
            write(corpus.select(rows), os.path.join(fresh, f"{name}.{format}"))


def write_manifest(about: Mapping[str, Any], folder: str | os.PathLike[str], digests: Mapping[str, str]) -> None:
    """What is said of the files of a folder, and their digests."""
    text = json.dumps(without_nan({**about, "files": digests}), indent=1, ensure_ascii=False)
    write_text(os.path.join(folder, MANIFEST), text + "\n")


def write_assignment(plan: SplitPlan, incidences: Incidences, folder: str) -> None:
    """The split of each sample by its name, as ``assignment.parquet``, and ``plan.json`` in its order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = pa.array([*plan.names, "discarded"])
    first, writer = 0, None
    with replacing(os.path.join(folder, ASSIGNMENT)) as stream:
        for samples in incidences.names():
            splits = plan.assignment[first : first + len(samples)] % len(names)  # -1 is the last
            table = pa.table({"sample": samples, "split": names.take(pa.array(splits))})
            writer = writer or pq.ParquetWriter(stream, table.schema, compression="zstd")
            writer.write_table(table)
            first += len(samples)
        assert writer is not None
        writer.close()
    replace(plan, files=_files(folder, ())).save(os.path.join(folder, PLAN))


def _files(folder: str, beside: Collection[str]) -> dict[str, dict[str, str]]:
    """The files of a plan by the names of their splits; those beside them, too, where no split has the name."""
    found: dict[str, dict[str, str]] = {}
    for file, digest in sorted(_digests(folder).items(), key=lambda item: item[0] in beside):
        stem = file.partition(".")[0]
        found[file if stem in found else stem] = {"name": file, "sha256": digest}
    return dict(sorted(found.items()))


def _digests(folder: str) -> dict[str, str]:
    """The SHA-256 of each file."""
    return {file: _digest(os.path.join(folder, file)) for file in sorted(os.listdir(folder))}


def _digest(path: str | os.PathLike[str]) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def refuse_own_input(inputs: Iterable[str], folder: str) -> None:
    """A split must not write over what it reads."""
    for file in inputs:
        stem = os.path.basename(file).partition(".")[0]
        there = os.path.realpath(os.path.dirname(file) or ".") == os.path.realpath(folder)
        if there and stem in (*SPLITS, "discarded"):
            raise CleancutError(f"{file} lies in {folder}, where the splits are written. Choose another folder for -o.")


def _outputs(plan: SplitPlan) -> list[str]:
    return [*plan.names, *(["discarded"] if plan.n_discarded else [])]


@contextmanager
def written_together(
    folder: str | os.PathLike[str], about: Mapping[str, Any] | None = None, *, overwrite: bool = False
) -> Iterator[str]:
    """Return a folder beside, whose files then replace those there were: an interruption leaves no half of a split.

    Files that the plan or manifest before listed and that are no longer written are removed, if they are as they were
    written. Where nothing comes to be written, a folder that was not there is not there afterwards.

    Args:
        folder: the folder for the files; it is made if it is not there.
        about: what ``manifest.json`` says of the files; a split has its plan instead.
        overwrite: replace files that are not ours, too.
    """
    check_output_folder(folder)
    with made_folder(folder), temporary_folder(folder, ".split-") as fresh:
        yield fresh
        digests = _digests(fresh)
        refuse_foreign(folder, digests, about, overwrite=overwrite)
        if about is not None:
            write_manifest(about, fresh, digests)
        written = {*digests, MANIFEST} if about is not None else {*digests}
        before = [pair for record in RECORDS if record in written for pair in recorded(folder, record).items()]
        with uninterrupted():
            for name in sorted(written, key=lambda name: (name in RECORDS, name)):  # a record once its files are there
                os.replace(os.path.join(fresh, name), os.path.join(folder, name))
        for name, digest in before:
            path = os.path.join(folder, name)
            if name not in written and is_as_written(path, digest) and not is_kept(path):
                os.unlink(path)


ASSIGNMENT = "assignment.parquet"
PLAN, MANIFEST = RECORDS = "plan.json", "manifest.json"
"""The files that say what else was written to a folder."""


def refuse_foreign(
    folder: str | os.PathLike[str],
    names: Mapping[str, str] | Iterable[str],
    about: Mapping[str, Any] | None = None,
    *,
    overwrite: bool = False,
) -> None:
    """Refuse to write where a file would be lost that is not ours, or that the user has changed.

    Args:
        folder: the folder that is written to.
        names: the names of the files; with the digests of the new ones, a file may be replaced by its equal.
        about: a manifest is to be written too, which must not take the place of that of another result.
        overwrite: refuse only links and folders, which no file replaces, and what is being read.
    """
    known = recorded(folder, PLAN if about is None else MANIFEST)
    for name in names:
        path = os.path.join(folder, name)
        refuse_kept(path)
        if not os.path.lexists(path) or (overwrite and _is_file(path)):
            continue
        equal = names.get(name) if isinstance(names, Mapping) else None
        ours = name in RECORDS and _stored(folder, name) is not None
        if not ours and not any(digest and is_as_written(path, digest) for digest in (equal, known.get(name))):
            raise CleancutError(f"{path} is not a file as cleancut wrote it, and would be lost. {_remedy(path)}.")
    path = os.path.join(folder, MANIFEST)
    if about is not None and os.path.lexists(path) and not (overwrite and _is_file(path)):
        there = (_stored(folder, MANIFEST) or {}).get("format")
        if there != about["format"]:
            said = f"the manifest of a {there}" if there else "not a manifest of cleancut"
            raise CleancutError(f"{path} is {said}, and would be lost. {_remedy(path)}.")


def _remedy(path: str) -> str:
    """Return what a user may do about a file that is in the way; links and folders are never replaced."""
    return "Choose another folder, or give --overwrite" if _is_file(path) else "Move it, or choose another folder"


def recorded(folder: str | os.PathLike[str], record: str) -> dict[str, str]:
    """The files that a plan or a manifest in a folder says it came with, and the SHA-256 of each.

    The record may have been changed by anyone: what it says counts only where the file is as it says.
    """
    files = (_stored(folder, record) or {}).get("files")
    if not isinstance(files, Mapping):
        return {}
    pairs: Iterable[Any] = files.items()
    if record == PLAN:
        pairs = [(file.get("name"), file.get("sha256")) for file in files.values() if isinstance(file, Mapping)]
    return {name: digest for name, digest in pairs if is_plain(name) and isinstance(digest, str)}


def recorded_tree(folder: str | os.PathLike[str]) -> dict[str, str]:
    """The same of a manifest whose files may be in folders below: each by its path, as the manifest has it."""
    files = (_stored(folder, MANIFEST) or {}).get("files")
    found = files.items() if isinstance(files, Mapping) else ()
    return {path: digest for path, digest in found if isinstance(digest, str)}


def _stored(folder: str | os.PathLike[str], record: str) -> dict[str, Any] | None:
    """What a plan or a manifest says, if it is one of ours."""
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
    """Is there a file, which is no link, with this SHA-256?"""
    return _is_file(path) and _digest(path) == digest


def _is_file(path: str | os.PathLike[str]) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
