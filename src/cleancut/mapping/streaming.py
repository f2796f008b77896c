"""Plans applied to streams: each row is checked to be the one that the plan assigns, and goes to its split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ..core.at_signs import join_at
from ..core.exceptions import CleancutError, counted, quoted
from ..core.hashing import marks_of, sample_hashes
from ..reading.dataset import dataset_options
from ..reading.shape import Shape
from ..splitting.plan import SplitPlan
from .mentions import RowMentions, features_of, shape_of

_BATCH = 1000
"""The number of rows that are checked at a time."""


def streamed_splits(plan: SplitPlan, data: Any, names: Sequence[str]) -> Any:
    """Return the splits of streamed data, streamed as well.

    Args:
        plan: the plan.
        data: the ``IterableDataset`` that was split, or the original splits by name.
        names: the names of the splits to return, which may include ``discarded``.

    Returns:
        An ``IterableDatasetDict``. To iterate over one split reads all of the data. It raises an error at the first
        row that does not belong to the plan, and at the end if rows are missing.

    Raises:
        CleancutError: the plan cannot recognise rows of a stream, or is for other splits.
    """
    import datasets

    parts = data if isinstance(data, Mapping) else {"": data}
    if not plan.marks or "repair" in plan.read_as:
        raise CleancutError(
            "the plan cannot tell the rows of a stream: it is of rows with several samples, or was made by an older "
            "version, or with repair=. Give the loaded dataset."
        )
    if plan.original_sizes and set(plan.original_sizes) != set(parts) and len(parts) > 1:
        there, known = ", ".join(map(quoted, parts)), ", ".join(map(quoted, plan.original_sizes))
        raise CleancutError(f"the plan is for the splits {known}, but {there} are given.")
    ordered = tuple(parts[name] for name in plan.in_order(parts))  # datasets would take a list for shards
    stream = {"plan": plan, "parts": ordered, "shapes": tuple(_shape_of(plan, part) for part in ordered)}
    features = features_of(ordered[0])
    splits = datasets.IterableDatasetDict()
    for name in names:
        own = {**stream, "name": name}
        splits[name] = datasets.IterableDataset.from_generator(_rows_of_split, features=features, gen_kwargs=own)
    return splits


def _shape_of(plan: SplitPlan, part: Any) -> Shape:
    """Return the shape of a stream, from the columns that were read for the plan."""
    columns = [name for name in plan.read_as.get("columns", ()) if name in features_of(part)]
    if columns:
        part = part.select_columns(columns)
    return shape_of(part, dataset_options(plan.read_as))


def _rows_of_split(
    plan: SplitPlan, parts: tuple[Any, ...], shapes: tuple[Shape, ...], name: str
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one split, and check all rows on the way.

    Args:
        plan: the plan.
        parts: the streams of the original splits, in the order of the plan.
        shapes: the shape of each stream.
        name: the name of the split.
    """
    chosen = np.zeros(len(plan.assignment), bool)
    chosen[plan.rows(name)] = True
    first = 0
    for part, shape in zip(parts, shapes, strict=True):
        rows = iter(part)
        while batch := list(islice(rows, _BATCH)):
            _refuse_other_rows(plan, batch, shape, first)
            for row, is_chosen in zip(batch, chosen[first : first + len(batch)].tolist(), strict=True):
                if is_chosen:
                    yield row
            first += len(batch)
    if first < len(plan.assignment):
        raise CleancutError(
            f"the plan is for {counted(len(plan.assignment), 'sample')}, but the stream ended after {first}."
        )


def _refuse_other_rows(plan: SplitPlan, batch: list[dict[str, Any]], shape: Shape, first: int) -> None:
    """Raise an error that names the first row of a batch that does not belong to the plan.

    Args:
        plan: the plan.
        batch: the rows.
        shape: the shape of the rows.
        first: the number of the first row of the batch in the stream.
    """
    import pyarrow as pa

    table = pa.table({name: [row[name] for row in batch] for name in shape.columns})
    corpus = RowMentions.of(table, shape).corpus
    if plan.read_as.get("join_at"):
        corpus = join_at(corpus)
    marks = marks_of(sample_hashes(corpus))
    wanted = plan.marks[4 * first : 4 * (first + len(batch))]
    if marks == wanted:
        return
    for i in range(len(batch)):
        if marks[4 * i : 4 * i + 4] != wanted[4 * i : 4 * i + 4]:
            why = "another sample there" if 4 * i < len(wanted) else f"only {len(plan.assignment)} samples"
            raise CleancutError(
                f"row {first + i} of the stream is not in the plan, which has {why}. Give the data that was split."
            )
