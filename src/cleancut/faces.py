"""What the evaluate modules under ``metrics/`` share: storing batches, choosing the form, checking keywords.

evaluate picks the form of the input by its first row and turns spans into strings where that row is empty. Here
each batch is recognised as a whole and stored in columns that hold any form, the same for every batch and every
process, so that gathering never depends on which came first.
"""

from __future__ import annotations

import difflib
import inspect
from typing import Any

import datasets
import evaluate
import numpy as np
import pyarrow as pa

from .inputs import as_array, as_samples, in_sample, is_arrow, recognise, spans_of
from .tags import CleancutError

KEYWORDS = {
    "exact_f1": ("labels", "scheme", "repair", "keys"),
    "partial_f1": ("labels", "scheme", "repair", "credit"),
}
"""The keywords of each module. A module ignores those of the others, since ``evaluate.combine`` sends all to all."""

_SPANS = pa.list_(pa.struct({"start": pa.int64(), "end": pa.int64(), "label": pa.string()}))
_FORMS = {"tags": pa.list_(pa.string()), "ids": pa.list_(pa.int64()), "spans": _SPANS}
_SIDES = ("predictions", "references")
_STORED = pa.schema(
    [(f"{side}_{form}", kind) for side in _SIDES for form, kind in _FORMS.items()] + [("tokens", _FORMS["tags"])]
)


def accepted_features() -> list[datasets.Features]:
    """Tags, label ids or spans, as evaluate shows them to users."""
    value = datasets.Value
    span = {"start": value("int64"), "end": value("int64"), "label": value("string")}
    forms = datasets.List(value("string")), datasets.List(value("int64")), datasets.List(span)
    return [datasets.Features(dict.fromkeys(_SIDES, form)) for form in forms]


class NerModule:
    """The part of an ``evaluate.Metric`` that is the same for every cleancut metric; mix it in before that class."""

    name: str  # these are evaluate's
    writer: Any
    data: Any
    filelocks: Any
    _module_info: Any
    _init_writer: Any

    def __init__(self, config_name: str | None = None, **kwargs: Any) -> None:
        if config_name not in (None, "default"):
            raise CleancutError(f"config_name={config_name!r} is unknown: this module has no configurations.")
        own = inspect.signature(evaluate.EvaluationModule.__init__).parameters
        options = {name: kwargs.pop(name) for name in list(kwargs) if name not in own}
        _check_keywords(options)
        self._defaults = options
        self._tokens: Any = None
        super().__init__(config_name=config_name, **kwargs)  # type: ignore[call-arg]
        self._module_info.format = "arrow"  # MetricInfo itself refuses a format beside several feature sets

    def options(self, given: dict[str, Any]) -> dict[str, Any]:
        """This module's own options: those of this call, over those given when it was loaded."""
        own = KEYWORDS[self.name]
        chosen = {name: value for name, value in {**self._defaults, **given}.items() if name in own}
        return {**chosen, "tokens": self._tokens}

    def add_batch(self, *, predictions: Any = None, references: Any = None, tokens: Any = None, **kwargs: Any) -> None:
        """Add a batch of predictions and references: lists of tags, of label ids or of spans, one for each sample.

        Args:
            predictions: one list for each sample.
            references: one list for each sample.
            tokens: the words of each sample (optional; kept with the batch).
        """
        if kwargs:
            _check_keywords(kwargs)
            raise CleancutError(f"{', '.join(kwargs)} goes to compute(), not to add_batch().")
        table = _stored_table({"predictions": predictions, "references": references}, tokens)
        if self.writer is None:
            self.selected_feature_format = datasets.Features.from_arrow_schema(_STORED)
            self._init_writer()
        self.writer.write_table(table)

    def add(self, *, prediction: Any = None, reference: Any = None, tokens: Any = None, **kwargs: Any) -> None:
        """Add one prediction and its reference.

        Args:
            prediction: the tags, label ids or spans of one sample.
            reference: the same of the gold annotation.
            tokens: the words of the sample (optional).
        """
        # evaluate.combine passes the plural names here
        prediction, reference = kwargs.pop("predictions", prediction), kwargs.pop("references", reference)
        if prediction is None or reference is None:
            raise CleancutError("a prediction and its reference belong together. Give both.")
        words = None if tokens is None else [tokens]
        self.add_batch(predictions=[prediction], references=[reference], tokens=words, **kwargs)

    def compute(self, *, predictions: Any = None, references: Any = None, tokens: Any = None, **kwargs: Any) -> Any:
        """Compute the score of all that was added, or of the predictions and references given here.

        Args:
            predictions: one list for each sample (optional after add_batch).
            references: one list for each sample (optional after add_batch).
            tokens: the words of each sample (optional).
            **kwargs: the options of the module.
        """
        _check_keywords(kwargs)
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions, references=references, tokens=tokens)
        elif tokens is not None:
            raise CleancutError("tokens without predictions and references. Give them to add_batch with their samples.")
        if self.writer is None:
            raise CleancutError("nothing to score. Give predictions and references, or call add_batch first.")
        try:
            return super().compute(**kwargs)  # type: ignore[misc]
        except BaseException:
            self._release()
            raise

    def _finalize(self) -> None:
        super()._finalize()  # type: ignore[misc]
        if self.data is None:  # another process computes
            return
        stored = self.data.data.table
        table = pa.table({side: _column(stored, side) for side in _SIDES})
        self._tokens = _gathered_tokens(stored.column("tokens"))
        # a fingerprint of its own: the default one would hash every row
        self.data = datasets.Dataset(datasets.table.InMemoryTable(table), fingerprint=self.name)

    def _release(self) -> None:
        """Leave no lock, no file and no rows behind a failed computation."""
        self.data = self.writer = self.buf_writer = self._tokens = None
        for lock in self.filelocks or []:
            lock.release()
        self.filelocks = None


def _check_keywords(given: dict[str, Any]) -> None:
    known = sorted({name for names in KEYWORDS.values() for name in names})
    for name in given:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            hint = f" Did you mean {close[0]}?" if close else f" The keywords are {', '.join(known)}."
            raise CleancutError(f"keyword {name!r} is not known to any cleancut metric.{hint}")


# --- storing ------------------------------------------------------------------------------------------


def _stored_table(sides: dict[str, Any], tokens: Any) -> pa.Table:
    columns: dict[str, Any] = {}
    for side, data in sides.items():
        if data is None:
            raise CleancutError(f"{side} are missing. Give predictions and references together.")
        form, array = _as_arrow(data, side.removesuffix("s"))
        if form is not None:
            columns[f"{side}_{form}"] = array
        sides[side] = len(data)
    if tokens is not None:
        columns["tokens"] = _list_array(tokens, _FORMS["tags"])
        if columns["tokens"] is None:
            raise CleancutError("tokens must be one list of strings for each sample.")
        sides["tokens"] = len(tokens)
    size = sides["predictions"]
    for side, n in sides.items():
        if n != size:
            raise CleancutError(f"{size} predictions but {n} {side}. Give one of each for every sample.")
    return pa.table({f.name: columns.get(f.name, pa.nulls(size, f.type)) for f in _STORED}, schema=_STORED)


def _as_arrow(data: Any, name: str) -> tuple[str | None, Any]:
    """The form of a whole batch and its values; no form for a batch of empty lists."""
    where = in_sample(name)
    array = None if is_arrow(data) else as_array(data)
    if array is not None and array.ndim == 2 and array.dtype.kind in "iu":
        offsets = np.arange(len(array) + 1, dtype=np.int32) * array.shape[1]
        return "ids", pa.ListArray.from_arrays(offsets, array.astype(np.int64, copy=False).ravel())
    if array is not None:
        recognise(array, range(0), where)  # says what is wrong with it
    samples = as_samples(data.to_pylist() if is_arrow(data) else data, where)
    first = next((value for sample in samples for value in sample), None)
    if first is None and not any(map(len, samples)):
        return None, None
    if isinstance(first, str):
        form = "tags"
    elif isinstance(first, int | np.integer):
        form = "ids"
    else:
        found = spans_of(samples, where)
        offsets = np.append(0, np.cumsum(np.bincount(found.sample, minlength=found.n_samples)))
        label = pa.DictionaryArray.from_arrays(found.label, pa.array(found.labels, pa.string())).dictionary_decode()
        fields = [pa.array(found.start), pa.array(found.end), label]
        values = pa.StructArray.from_arrays(fields, fields=list(_SPANS.value_type))
        return "spans", pa.ListArray.from_arrays(offsets.astype(np.int32), values)
    array = _list_array(samples, _FORMS[form])
    if array is None:
        recognise(samples, range(0), where)
        raise CleancutError(f"the {name}s are not lists of {form}.")
    return form, array


def _list_array(data: Any, kind: pa.DataType) -> Any:
    """Arrow's own conversion in one pass; None where a value does not fit or is missing."""
    try:
        array = pa.array(data, kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError):
        return None
    return None if array.null_count or array.flatten().null_count else array


# --- gathering ------------------------------------------------------------------------------------------


def _column(stored: pa.Table, side: str) -> pa.ChunkedArray:
    """The one form in which a side was given, over all batches and processes."""
    forms = {form: stored.column(f"{side}_{form}") for form in _FORMS}
    given = {form: column for form, column in forms.items() if column.null_count < len(column)}
    if len(given) > 1:
        raise CleancutError(f"{side} came as {' and '.join(given)} in different batches. Give all in one form.")
    column = next(iter(given.values()), forms["spans"])
    if not column.null_count:
        return column
    return pa.chunked_array([_empty_for_null(chunk) for chunk in column.chunks], column.type)


def _empty_for_null(chunk: pa.Array) -> pa.Array:
    """Batches of empty lists are stored without a form: they are empty lists of the form found."""
    lengths = chunk.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    return pa.ListArray.from_arrays(np.append(0, np.cumsum(lengths)).astype(np.int32), chunk.flatten())


def _gathered_tokens(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    if column.null_count == len(column):
        return None
    if column.null_count:
        raise CleancutError("some batches came with tokens and some without. Give tokens with all or none.")
    return column
