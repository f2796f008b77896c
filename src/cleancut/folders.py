"""A split as a folder: the rows of each part, the plan with their fingerprints, all written together or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from .files import replacing
from .incidence import Incidences
from .leakage import SPLITS
from .reading import copy_rows, write
from .shapes import Samples
from .sources import is_table, write_rows
from .spans import Corpus
from .splitting import SplitPlan
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
    written = {file.partition(".")[0]: _stamped(folder, file) for file in sorted(os.listdir(folder))}
    replace(plan, files=written, reading=kept).save(os.path.join(folder, "plan.json"))


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
    written = {"assignment": _stamped(folder, "assignment.parquet")}
    replace(plan, files=written).save(os.path.join(folder, "plan.json"))


def _stamped(folder: str, file: str) -> dict[str, str]:
    with open(os.path.join(folder, file), "rb") as stream:
        return {"name": file, "sha256": hashlib.file_digest(stream, "sha256").hexdigest()}


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
        written, before = set(os.listdir(fresh)), _split_before(folder)
        for name in sorted(written):
            os.replace(os.path.join(fresh, name), os.path.join(folder, name))
        for name in before - written:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))


def _split_before(folder: str) -> set[str]:
    """The files that an earlier split wrote into a folder."""
    try:
        return {file["name"] for file in SplitPlan.load(os.path.join(folder, "plan.json")).files.values()}
    except CleancutError:
        return set()
