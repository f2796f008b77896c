"""Results as folders: the rows of each part, a plan or manifest with digests, all written together or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .files import replacing
from .incidence import Incidences
from .leakage import SPLITS
from .reading import copy_rows, write
from .shapes import Samples
from .sources import is_table, write_rows
from .spans import Corpus
from .splitting import SplitPlan, _without_nan
from .tags import CleancutError


def write_split(
    plan: SplitPlan,
    parts: Mapping[str, Corpus],
    folder: str,
    *,
    format: str = "jsonl",
    samples: Mapping[str, Samples] | None = None,
    files: Sequence[str] = (),
    reading: Mapping[str, Any] | None = None,
) -> None:
    """The splits as files, and ``plan.json`` with the fingerprint of each.

    ``format="input"`` keeps the rows as they stand in ``files``, or else in the tables of ``samples``; ``reading`` says
    how these are to be read again.
    """
    if format == "input":
        assert samples is not None
        plan = plan.of_rows(list(samples.values()))
        if files and not any(map(is_table, files)):
            copy_rows(list(files), {name: plan.rows(name).tolist() for name in _outputs(plan)}, folder)
        else:
            write_rows(plan.apply({name: part.rows for name, part in samples.items()}, discarded=True), folder)
    else:
        whole = Corpus.concatenate(list(parts.values()))
        for name in _outputs(plan):
            write(whole.select(plan.rows(name)), os.path.join(folder, f"{name}.{format}"))
    kept = dict(reading or {}) if format == "input" else {}
    replace(plan, files=_files(folder), reading=kept).save(os.path.join(folder, "plan.json"))


def write_parts(
    corpus: Corpus, parts: Mapping[str, NDArray[np.integer]], about: Mapping[str, Any], folder: str, format: str
) -> None:
    """Parts of a corpus, which may overlap, as a file each; ``manifest.json``: what is said of them, and digests."""
    if format not in ("jsonl", "conll"):
        raise CleancutError(f"format={format!r} is unknown. Choose jsonl or conll.")
    with written_together(folder) as fresh:
        for name, rows in parts.items():
            write(corpus.select(rows), os.path.join(fresh, f"{name}.{format}"))
        manifest = {**about, "files": _digests(fresh)}
        text = json.dumps(_without_nan(manifest), indent=1, ensure_ascii=False)
        Path(fresh, "manifest.json").write_text(text + "\n", "utf-8")


def write_assignment(plan: SplitPlan, incidences: Incidences, folder: str) -> None:
    """The split of each sample by its name, as ``assignment.parquet``, and ``plan.json`` in its order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = pa.array([*plan.names, "discarded"])
    first, writer = 0, None
    with replacing(os.path.join(folder, "assignment.parquet")) as stream:
        for samples in incidences.names():
            splits = plan.assignment[first : first + len(samples)] % len(names)  # -1 is the last
            table = pa.table({"sample": samples, "split": names.take(pa.array(splits))})
            writer = writer or pq.ParquetWriter(stream, table.schema, compression="zstd")
            writer.write_table(table)
            first += len(samples)
        assert writer is not None
        writer.close()
    replace(plan, files=_files(folder)).save(os.path.join(folder, "plan.json"))


def _files(folder: str) -> dict[str, dict[str, str]]:
    """The files of a plan, by the names of their splits."""
    return {file.partition(".")[0]: {"name": file, "sha256": sha} for file, sha in _digests(folder).items()}


def _digests(folder: str) -> dict[str, str]:
    """The SHA-256 of each file."""
    found = {}
    for file in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file), "rb") as stream:
            found[file] = hashlib.file_digest(stream, "sha256").hexdigest()
    return found


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
def written_together(folder: str) -> Iterator[str]:
    """A folder beside, whose files then replace those there were: an interruption leaves no half of a split."""
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".split-") as fresh:
        yield fresh
        written, before = set(os.listdir(fresh)), _written_before(folder)
        for name in sorted(written):
            os.replace(os.path.join(fresh, name), os.path.join(folder, name))
        for name in before - written:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))


def _written_before(folder: str) -> set[str]:
    """The files that a plan or a manifest in a folder says it came with."""
    found = set[str]()
    with suppress(CleancutError):
        found |= {file["name"] for file in SplitPlan.load(os.path.join(folder, "plan.json")).files.values()}
    with suppress(OSError, ValueError, LookupError, TypeError):
        manifest = json.loads(Path(folder, "manifest.json").read_bytes())
        if manifest["format"].startswith("cleancut-"):
            found |= {os.path.basename(name) for name in manifest["files"]}
    return found
