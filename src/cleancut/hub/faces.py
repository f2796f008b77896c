"""What the evaluate modules under ``metrics/`` share: storing batches, choosing the form, checking keywords.

evaluate picks the form of the input by its first row and turns spans into strings where that row is empty. Here
each batch is recognised as a whole and stored in columns that hold any form, the same for every batch and every
process, so that gathering never depends on which came first.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import datasets
import evaluate
import numpy as np
import pyarrow as pa

from ..core.arrays import bounds_of
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, did_you_mean, quoted
from ..core.inputs import (
    Interner,
    RawTags,
    arrow_values,
    as_array,
    as_samples,
    ids_of,
    in_sample,
    is_arrow,
    recognise,
    spans_of,
)
from ..core.pairing import are_answers
from ..core.tags import Where
from ..core.training_columns import training_columns
from ..scoring.exposure import Exposure
from ..scoring.metric import Metric
from .known_keywords import KNOWN_KEYWORDS

_SPANS = pa.list_(pa.struct({"start": pa.int64(), "end": pa.int64(), "label": pa.string()}))
_TEXTS = pa.list_(pa.string())
_FORMS = {"tags": pa.list_(pa.int32()), "ids": pa.list_(pa.int64()), "spans": _SPANS, "answers": _TEXTS}
_SIDES = ("predictions", "references")
# tags are numbers into the names that the first sample of their batch carries: a third of what the strings take
_COLUMNS = {**_FORMS, "names": _TEXTS}
_STORED = pa.schema(
    [(f"{side}_{column}", kind) for side in _SIDES for column, kind in _COLUMNS.items()] + [("tokens", _TEXTS)]
)


def module_info(description: str, inputs: str, citation: str) -> evaluate.MetricInfo:
    """What evaluate shows of a module: its texts, and that it takes tags, label ids or spans."""
    value = datasets.Value
    span = {"start": value("int64"), "end": value("int64"), "label": value("string")}
    forms = datasets.List(value("string")), datasets.List(value("int64")), datasets.List(span)
    return evaluate.MetricInfo(
        description=description,
        citation=citation,
        inputs_description=inputs,
        features=[datasets.Features(dict.fromkeys(_SIDES, form)) for form in forms],
    )


class NerModule:
    """The part of an ``evaluate.Metric`` that is the same for every cleancut metric; mix it in before that class."""

    record: Metric
    """The metric, which the module names."""
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
        self._usual_tokens: Any = options.pop("tokens", None)  # for callers that pass no columns of their own
        _check_keywords(options)
        self._defaults = options
        self._tokens: Any = None
        self._late_tokens: Any = None
        self._kept_exposure: tuple[bytes, Exposure] | None = None
        super().__init__(config_name=config_name, **kwargs)  # type: ignore[call-arg]

    def options(self, given: dict[str, Any]) -> dict[str, Any]:
        """This module's own options: those of this call, over those given when it was loaded.

        Those of other modules are ignored, since ``evaluate.combine`` sends all to all.
        """
        own = self.record.keywords
        chosen = {name: value for name, value in {**self._defaults, **given}.items() if name in own}
        if "train" in own:
            chosen["exposure"] = self._exposure_of(chosen)
        return {**chosen, "tokens": self._tokens}

    def _exposure_of(self, chosen: dict[str, Any]) -> Exposure | None:
        """The index of the training columns, which is kept while columns of the same content are given."""
        train = chosen.pop("train", None)
        key = {name: chosen.pop(name) for name in ("case", "typed", "unicode") if name in chosen}
        if train is None and not self.record.needs_train:
            return None
        if train is None:
            raise CleancutError(
                f'{self.name} needs training data: give train={{"tokens": ..., "tags": ...}} to compute() or load().'
            )
        given = list(train) if isinstance(train, list | tuple) else [train]
        parts = [training_columns(part) for part in given]
        labels, scheme = chosen.get("labels"), chosen.get("scheme")
        made_of = _digest(parts, (key, labels, scheme))
        if made_of is not None and self._kept_exposure is not None and self._kept_exposure[0] == made_of:
            return self._kept_exposure[1]
        exposure = Exposure.of([_train_corpus(part, labels, scheme) for part in parts], **key)
        self._kept_exposure = None if made_of is None else (made_of, exposure)
        return exposure

    def add_batch(self, *, predictions: Any = None, references: Any = None, tokens: Any = None, **kwargs: Any) -> None:
        """Add a batch of predictions and references: lists of tags, of label ids or of spans, one for each sample.

        Args:
            predictions: one list for each sample, or the text of a language model's answer to it.
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
        self.writer.write_table(table, writer_batch_size=max(len(table), 1))  # one piece, written and read at once

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
            tokens: the words of each sample (optional; after add_batch, those of all samples added).
            **kwargs: the options of the module.
        """
        _check_keywords(kwargs)
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions, references=references, tokens=tokens)
        else:
            self._late_tokens = tokens  # of all samples: evaluate.combine does not pass them on with each batch
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
        self.data = _Gathered(_columns(stored))  # and the file is no longer in memory
        self._tokens = _gathered_tokens(stored.column("tokens"))
        if self._late_tokens is not None:
            if self._tokens is not None:
                raise CleancutError("tokens came with the batches already. Leave them out here.")
            self._tokens, self._late_tokens = self._late_tokens, None
        if self._tokens is None:
            self._tokens = self._usual_tokens

    def _release(self) -> None:
        """Leave no lock, no file and no rows behind a failed computation."""
        self.data = self.writer = self.buf_writer = self._tokens = self._late_tokens = None
        for lock in self.filelocks or []:
            lock.release()
        self.filelocks = None


def _check_keywords(given: dict[str, Any]) -> None:
    for name in given:
        if name not in KNOWN_KEYWORDS:
            hint = did_you_mean(name, KNOWN_KEYWORDS) or f" The keywords are {', '.join(KNOWN_KEYWORDS)}."
            raise CleancutError(f"keyword {name!r} is not known to any cleancut metric.{hint}")


def _train_corpus(columns: Mapping[str, Any], labels: Any, scheme: str | None) -> Corpus:
    """Return the corpus of training columns.

    The scheme and the repair of a call are those of what is scored; training tags decode without either, bare names of
    the IO scheme aside. The names of label ids are those of the training data where it has its own.
    """
    bare = {"scheme": "io"} if str(scheme).lower() == "io" else {}
    return Corpus.of(**{"labels": labels, **columns}, **bare, where=in_sample("training"))


_AT_A_TIME = 100
"""Samples that are pickled at a time: pickle keeps a table of all strings that it has met, which should stay small."""


def _digest(parts: Iterable[Mapping[str, Any]], settings: Any) -> bytes | None:
    """A digest of every value that an index is made of, since columns may have been corrected in place.

    None where a value cannot be pickled: then the index is made anew each time, or the value is refused.
    """
    digest = hashlib.blake2b()
    try:
        for value in _pieces(parts, settings):
            digest.update(pickle.dumps(value))
    except (pickle.PicklingError, TypeError, AttributeError):
        return None
    return digest.digest()


def _pieces(parts: Iterable[Mapping[str, Any]], settings: Any) -> Iterator[Any]:
    """The settings and the columns, in pieces of some samples."""
    yield settings
    for part in parts:
        yield "part"
        for name, column in part.items():
            if isinstance(column, Iterator):
                raise CleancutError(f"train: {name} can be read only once ({type(column).__name__}). Give a list.")
            yield name
            if isinstance(column, list | tuple):
                yield from (column[at : at + _AT_A_TIME] for at in range(0, len(column), _AT_A_TIME))
            else:
                yield column  # a slice of an Arrow column would bring all of it along


# --- storing ------------------------------------------------------------------------------------------


def _stored_table(sides: dict[str, Any], tokens: Any) -> pa.Table:
    columns: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    for side, data in sides.items():
        if data is None:
            raise CleancutError(f"{side} are missing. Give predictions and references together.")
        sizes[side], stored = _as_arrow(data, side.removesuffix("s"))
        columns |= {f"{side}_{column}": array for column, array in stored.items()}
    if tokens is not None:
        tokens = as_samples(arrow_values(tokens) if is_arrow(tokens) else tokens, in_sample("token"))
        columns["tokens"] = _list_array(tokens, in_sample("token"))
        sizes["tokens"] = len(tokens)
    size = sizes["predictions"]
    for side, n in sizes.items():
        if n != size:
            raise CleancutError(f"{size} predictions but {n} {side}. Give one of each for every sample.")
    return pa.table({f.name: columns.get(f.name, pa.nulls(size, f.type)) for f in _STORED}, schema=_STORED)


def _as_arrow(data: Any, name: str) -> tuple[int, dict[str, Any]]:
    """The size of a whole batch, and its values in the columns of its form; in none for a batch of empty lists."""
    where = in_sample(name)
    if name == "prediction" and are_answers(texts := arrow_values(data) if is_arrow(data) else data):
        said = [[text if isinstance(text, str) else json.dumps(text)] for text in texts]
        return len(said), {"answers": _list_array(said, where)}
    array = None if is_arrow(data) else as_array(data)
    if array is not None and array.ndim == 2 and array.dtype.kind in "iu":
        lengths = np.full(len(array), array.shape[1])
        return len(array), {"ids": _lists(array.astype(np.int64, copy=False).ravel(), lengths)}
    if array is not None:
        recognise(array, range(0), where)  # says what is wrong with it
    samples = as_samples(arrow_values(data) if is_arrow(data) else data, where)
    first = next((value for sample in samples for value in sample), None)
    if first is None and not any(map(len, samples)):
        return len(samples), {}
    if isinstance(first, str):
        raw = recognise(samples, range(0), where)
        if not isinstance(raw, RawTags):
            raise CleancutError(f"the {name}s are not lists of tags.")
        _list_array([raw.tags], lambda sample, at=None: f"the tags of the {name}s")
        names = pa.array([list(raw.tags), *[None] * (len(samples) - 1)], _TEXTS)
        return len(samples), {"tags": _lists(raw.codes.astype(np.int32), raw.lengths), "names": names}
    if first is None or isinstance(first, int | float | np.number):
        return len(samples), {"ids": _lists(*ids_of(samples, where))}
    found = spans_of(samples, where)
    _list_array([found.labels], lambda sample, at=None: f"the labels of the {name}s")
    label = pa.DictionaryArray.from_arrays(found.label, pa.array(found.labels, pa.string())).dictionary_decode()
    fields = [pa.array(found.start), pa.array(found.end), label]
    values = pa.StructArray.from_arrays(fields, fields=list(_SPANS.value_type))
    return len(samples), {"spans": _lists(values, np.bincount(found.sample, minlength=found.n_samples))}


def _lists(values: Any, lengths: np.ndarray) -> pa.ListArray:
    """Lists of the given lengths over values that lie one after the other."""
    return pa.ListArray.from_arrays(np.append(0, np.cumsum(lengths)).astype(np.int32), values)


def _list_array(samples: Sequence[Any], where: Where) -> pa.Array:
    """Lists of texts as Arrow has them; an error that names the first value that is no text, or none of UTF-8."""
    try:
        array = pa.array(samples, _TEXTS)
    except (pa.ArrowException, TypeError, UnicodeEncodeError):
        array = None
    if array is not None and not array.null_count and not array.flatten().null_count:
        return array
    for i, sample in enumerate(samples):
        for at, text in enumerate(sample):
            if not isinstance(text, str):
                raise CleancutError(f"{where(i, at)}: {quoted(text)} is not a text. Give strings.")
            if any("\ud800" <= letter <= "\udfff" for letter in text):
                raise CleancutError(
                    f"{where(i, at)}: {quoted(text)} has half a character (a lone surrogate), which no UTF-8 has. "
                    "Decode the text anew, or replace it: text.encode('utf-8', 'replace').decode()."
                )
    raise CleancutError(f"{where(0)}: tokens must be one list of strings for each sample.")


# --- gathering ------------------------------------------------------------------------------------------


class _Gathered(dict[str, Any]):
    """The columns in the place of the dataset from which evaluate takes them."""

    def set_format(self, type: str | None = None) -> None:
        """evaluate asks for a format: these are Arrow arrays in any case."""


def _columns(stored: pa.Table) -> dict[str, Any]:
    """Each side in the one form in which it was given, over all batches and processes."""
    forms = {side: _form(stored, side) for side in _SIDES}
    found = [form for form in forms.values() if form and form != "answers"] or ["spans"]
    columns: dict[str, Any] = {}
    for side, form in forms.items():
        if form == "answers":
            columns[side] = [text for [text] in stored.column(f"{side}_{form}").to_pylist()]
            continue
        form = form or found[0]  # a side of empty lists only says nothing of its form: it takes that of the other
        column = _without_nulls(stored.column(f"{side}_{form}"))
        columns[side] = _tags(column, stored.column(f"{side}_names")) if form == "tags" else column
    return columns


def _tags(column: pa.ChunkedArray, names: pa.ChunkedArray) -> pa.ListArray:
    """The tags of all batches over one table of names, a byte each while there are at most 256 names."""
    table = Interner()
    codes_of = [np.array([table[name] for name in batch], np.int32) for batch in names.drop_null().to_pylist()]
    lengths = np.concatenate([chunk.value_lengths().to_numpy() for chunk in column.chunks])
    begins = np.flatnonzero(names.is_valid().to_numpy())  # the first sample of each batch
    bounds = [*bounds_of(lengths)[begins].tolist(), int(lengths.sum())]
    codes = np.empty(bounds[-1], np.uint8 if len(table) <= 256 else np.int32)
    stored = [chunk.flatten().to_numpy() for chunk in column.chunks]
    flat = stored[0] if len(stored) == 1 else np.concatenate(stored)
    for code_of, begin, end in zip(codes_of, bounds[:-1], bounds[1:], strict=True):
        codes[begin:end] = code_of[flat[begin:end]]
    return _lists(pa.DictionaryArray.from_arrays(codes, pa.array(list(table), pa.string())), lengths)


def _form(stored: pa.Table, side: str) -> str | None:
    given = [form for form in _FORMS if (column := stored.column(f"{side}_{form}")).null_count < len(column)]
    if len(given) > 1:
        raise CleancutError(f"{side} came as {' and '.join(given)} in different batches. Give all in one form.")
    return given[0] if given else None


def _without_nulls(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Batches of empty lists are stored without a form: here they are empty lists of the form found."""
    if not column.null_count:
        return column
    chunks = [_lists(c.flatten(), c.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)) for c in column.chunks]
    return pa.chunked_array(chunks, column.type)


def _gathered_tokens(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    if column.null_count == len(column):
        return None
    if column.null_count:
        raise CleancutError("some batches came with tokens and some without. Give tokens with all or none.")
    return column
