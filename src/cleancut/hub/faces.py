"""The part that all evaluate modules under ``metrics/`` share: they store batches and check keywords.

evaluate alone would choose the form of the input (tags, label ids or spans) by its first row, and turn spans into
strings where that row is empty. Here each batch is recognised as a whole. It is stored in columns that can hold every
form and that are the same for all batches and processes, so the result does not depend on which batch came first.
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

from ..core import checks
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
# Tags are stored as numbers; the first sample of a batch carries their names. That takes a third of the space.
_COLUMNS = {**_FORMS, "names": _TEXTS}
_STORED = pa.schema(
    [(f"{side}_{column}", kind) for side in _SIDES for column, kind in _COLUMNS.items()] + [("tokens", _TEXTS)]
)


def module_info(description: str, inputs: str, citation: str) -> evaluate.MetricInfo:
    """Return the description of a module that evaluate shows, with the forms of input that it takes.

    Args:
        description: one sentence that says what the module computes.
        inputs: the text that explains its arguments.
        citation: BibTeX.
    """
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
    """The part of an ``evaluate.Metric`` that all cleancut metrics share. It is mixed in before that class."""

    record: Metric
    """The metric that the module computes."""
    name: str  # these are evaluate's
    writer: Any
    data: Any
    filelocks: Any
    _module_info: Any
    _init_writer: Any

    def __init__(self, config_name: str | None = None, **kwargs: Any) -> None:
        if config_name not in (None, "default"):
            raise CleancutError(f"config_name={quoted(config_name)} is unknown: this module has no configurations.")
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
        """Return the options of this call, with those given when the module was loaded as defaults.

        Options of other cleancut modules are ignored, since ``evaluate.combine`` sends every option to all modules.

        Args:
            given: the options of this call.
        """
        own = self.record.keywords
        chosen = {name: value for name, value in {**self._defaults, **given}.items() if name in own}
        if "train" in own:
            chosen["exposure"] = self._exposure_of(chosen)
        return {**chosen, "tokens": self._tokens}

    def _exposure_of(self, chosen: dict[str, Any]) -> Exposure | None:
        """Return the index of the training columns; it is kept for the next call with the same columns."""
        train = chosen.pop("train", None)
        key = {name: chosen.pop(name) for name in ("case", "typed", "unicode") if name in chosen}
        if train is None and not self.record.needs_train:
            return None
        if train is None:
            raise CleancutError(
                f'{self.name} needs training data: give train={{"tokens": ..., "tags": ...}} to compute() or load().'
            )
        given = checks.in_order(train) if isinstance(train, list | tuple) else [train]
        parts = [training_columns(part) for part in given]
        labels = chosen.get("labels")
        scheme = chosen.get("scheme")
        digest = _digest(parts, (key, labels, scheme))
        if digest is not None and self._kept_exposure is not None:
            kept_digest, kept_exposure = self._kept_exposure
            if kept_digest == digest:
                return kept_exposure
        exposure = Exposure.of([_train_corpus(part, labels, scheme) for part in parts], **key)
        self._kept_exposure = None if digest is None else (digest, exposure)
        return exposure

    def add_batch(self, *, predictions: Any = None, references: Any = None, tokens: Any = None, **kwargs: Any) -> None:
        """Add a batch of predictions and references: lists of tags, of label ids or of spans, one for each sample.

        Args:
            predictions: one list for each sample, or the text of a language model's answer to it.
            references: one list for each sample.
            tokens: the words of each sample (optional; kept with the batch).
            **kwargs: refused; options are given to ``compute``.

        Raises:
            CleancutError: the batch is not in one of these forms, or its parts differ in length.
        """
        if kwargs:
            _check_keywords(kwargs)
            raise CleancutError(f"{', '.join(kwargs)} goes to compute(), not to add_batch().")
        table = _stored_table({"predictions": predictions, "references": references}, tokens)
        if self.writer is None:
            self.selected_feature_format = datasets.Features.from_arrow_schema(_STORED)
            self._init_writer()
        self.writer.write_table(table, writer_batch_size=max(len(table), 1))  # in one piece, which is read faster

    def add(self, *, prediction: Any = None, reference: Any = None, tokens: Any = None, **kwargs: Any) -> None:
        """Add one prediction and its reference.

        Args:
            prediction: the predicted tags, label ids or spans of one sample, or the text of an answer.
            reference: the gold tags, label ids or spans.
            tokens: the words of the sample (optional).
            **kwargs: refused; options are given to ``compute``.
        """
        # evaluate.combine passes the plural names here.
        prediction = kwargs.pop("predictions", prediction)
        reference = kwargs.pop("references", reference)
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

        Returns:
            The values of the score and its signature; None in a process that does not compute.

        Raises:
            CleancutError: an option is unknown or wrong, or there is nothing to score.
        """
        _check_keywords(kwargs)
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions, references=references, tokens=tokens)
        else:
            self._late_tokens = tokens  # evaluate.combine passes the tokens of all samples here, not with each batch
        if self.writer is None:
            raise CleancutError("nothing to score. Give predictions and references, or call add_batch first.")
        try:
            return super().compute(**kwargs)  # type: ignore[misc]
        except BaseException:
            self._release()
            raise

    def _finalize(self) -> None:
        """Gather what all batches and processes have stored."""
        super()._finalize()  # type: ignore[misc]
        if self.data is None:  # another process computes
            return
        stored = self.data.data.table
        self.data = _Gathered(_columns(stored))  # which also releases the memory of the file
        self._tokens = _gathered_tokens(stored.column("tokens"))
        if self._late_tokens is not None:
            if self._tokens is not None:
                raise CleancutError("tokens came with the batches already. Leave them out here.")
            self._tokens, self._late_tokens = self._late_tokens, None
        if self._tokens is None:
            self._tokens = self._usual_tokens

    def _release(self) -> None:
        """Release every lock, file and row after a computation has failed."""
        self.data = self.writer = self.buf_writer = self._tokens = self._late_tokens = None
        for lock in self.filelocks or []:
            lock.release()
        self.filelocks = None


def _check_keywords(given: dict[str, Any]) -> None:
    """Refuse keywords that no cleancut metric has."""
    for name in given:
        if name not in KNOWN_KEYWORDS:
            hint = did_you_mean(name, KNOWN_KEYWORDS) or f" The keywords are {', '.join(KNOWN_KEYWORDS)}."
            raise CleancutError(f"keyword {quoted(name)} is not known to any cleancut metric.{hint}")


def _train_corpus(columns: Mapping[str, Any], labels: Any, scheme: str | None) -> Corpus:
    """Return the corpus of training columns.

    The scheme of a call belongs to what is scored. Training tags are decoded without it, except for the bare names of
    the IO scheme. Where the training data has names for its label ids, these are used.
    """
    bare = {"scheme": "io"} if isinstance(scheme, str) and scheme.lower() == "io" else {}
    return Corpus.of(**{"labels": labels, **columns}, **bare, where=in_sample("training"))


_AT_A_TIME = 100
"""How many samples are serialised at a time. pickle remembers all strings that it has met, and this bounds them."""


def _digest(parts: Iterable[Mapping[str, Any]], settings: Any) -> bytes | None:
    """Return a digest of every value that an index is made of; columns may have been changed in place since.

    Return None where a value cannot be serialised. The index is then made anew each time.
    """
    digest = hashlib.blake2b()
    try:
        for value in _pieces(parts, settings):
            digest.update(pickle.dumps(value))
    except CleancutError:
        raise
    except Exception:  # pickle raises several, and objects of others may raise any
        return None
    return digest.digest()


def _pieces(parts: Iterable[Mapping[str, Any]], settings: Any) -> Iterator[Any]:
    """Yield the settings and the columns, in pieces of some samples."""
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
                yield column  # whole, since each slice of an Arrow column would serialise all of it


# --- storing ------------------------------------------------------------------------------------------


def _stored_table(sides: dict[str, Any], tokens: Any) -> pa.Table:
    """Return a batch as a table with the columns in which every batch is stored."""
    columns: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    for side, data in sides.items():
        if data is None:
            raise CleancutError(f"{side} are missing. Give predictions and references together.")
        sizes[side], stored = _as_arrow(data, side.removesuffix("s"))
        columns |= {f"{side}_{column}": array for column, array in stored.items()}
    if tokens is not None:
        plain = arrow_values(tokens) if is_arrow(tokens) else tokens
        tokens = as_samples(plain, in_sample("token"))
        columns["tokens"] = _list_array(tokens, in_sample("token"))
        sizes["tokens"] = len(tokens)
    size = sizes["predictions"]
    for side, n in sizes.items():
        if n != size:
            raise CleancutError(f"{size} predictions but {n} {side}. Give one of each for every sample.")
    stored = {field.name: columns.get(field.name, pa.nulls(size, field.type)) for field in _STORED}
    return pa.table(stored, schema=_STORED)


def _as_arrow(data: Any, name: str) -> tuple[int, dict[str, Any]]:
    """Return the number of samples of a batch, and the stored columns of its form (none if all its lists are empty).

    Args:
        data: the predictions or the references of a batch.
        name: ``prediction`` or ``reference``, for errors.
    """
    where = in_sample(name)
    if name == "prediction":
        texts = arrow_values(data) if is_arrow(data) else data
        if are_answers(texts):
            answers = [[text if isinstance(text, str) else json.dumps(text)] for text in texts]
            return len(answers), {"answers": _list_array(answers, where)}
    array = None if is_arrow(data) else as_array(data)
    if array is not None and array.ndim == 2 and array.dtype.kind in "iu":
        lengths = np.full(len(array), array.shape[1])
        return len(array), {"ids": _lists(array.astype(np.int64, copy=False).ravel(), lengths)}
    if array is not None:
        recognise(array, range(0), where)  # raises the error that says what is wrong
    plain = arrow_values(data) if is_arrow(data) else data
    samples = as_samples(plain, where)
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
    spans = spans_of(samples, where)
    _list_array([spans.labels], lambda sample, at=None: f"the labels of the {name}s")
    label = pa.DictionaryArray.from_arrays(spans.label, pa.array(spans.labels, pa.string())).dictionary_decode()
    fields = [pa.array(spans.start), pa.array(spans.end), label]
    values = pa.StructArray.from_arrays(fields, fields=list(_SPANS.value_type))
    return len(samples), {"spans": _lists(values, np.bincount(spans.sample, minlength=spans.n_samples))}


def _lists(values: Any, lengths: np.ndarray) -> pa.ListArray:
    """Return lists of the given lengths over values that lie one after the other."""
    return pa.ListArray.from_arrays(np.append(0, np.cumsum(lengths)).astype(np.int32), values)


def _list_array(samples: Sequence[Any], where: Where) -> pa.Array:
    """Return lists of texts as an Arrow array.

    Raises:
        CleancutError: a value is not a text, or cannot be written in UTF-8; the message names the first one.
    """
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
    """The gathered columns. evaluate finds them where it expects a dataset."""

    def set_format(self, type: str | None = None) -> None:
        """Do nothing: evaluate asks for a format here, but these are Arrow arrays in any case."""


def _columns(stored: pa.Table) -> dict[str, Any]:
    """Return the predictions and the references of all batches and processes, each in the form it was given in."""
    forms = {side: _form(stored, side) for side in _SIDES}
    given_forms = [form for form in forms.values() if form not in (None, "", "answers")] or ["spans"]
    columns: dict[str, Any] = {}
    for side, form in forms.items():
        if form == "answers":
            columns[side] = [text for [text] in stored.column(f"{side}_{form}").to_pylist()]
            continue
        form = form or given_forms[0]  # a side of empty lists has no form of its own: it takes that of the other
        column = _without_nulls(stored.column(f"{side}_{form}"))
        columns[side] = _tags(column, stored.column(f"{side}_names")) if form == "tags" else column
    return columns


def _tags(column: pa.ChunkedArray, names: pa.ChunkedArray) -> pa.ListArray:
    """Return the tags of all batches over one table of names; a tag takes one byte if there are at most 256 names."""
    table = Interner()
    codes_of = [np.array([table[name] for name in batch], np.int32) for batch in names.drop_null().to_pylist()]
    lengths = np.concatenate([chunk.value_lengths().to_numpy() for chunk in column.chunks])
    begins = np.flatnonzero(names.is_valid().to_numpy())  # the first sample of each batch
    bounds = [*bounds_of(lengths)[begins].tolist(), int(lengths.sum())]
    kind = np.uint8 if len(table) <= 256 else np.int32
    codes = np.empty(bounds[-1], kind)
    stored = [chunk.flatten().to_numpy() for chunk in column.chunks]
    flat = stored[0] if len(stored) == 1 else np.concatenate(stored)
    for code_of, begin, end in zip(codes_of, bounds[:-1], bounds[1:], strict=True):
        codes[begin:end] = code_of[flat[begin:end]]
    return _lists(pa.DictionaryArray.from_arrays(codes, pa.array(list(table), pa.string())), lengths)


def _form(stored: pa.Table, side: str) -> str | None:
    """Return the form of the predictions or the references; None if all their lists are empty."""
    columns = {form: stored.column(f"{side}_{form}") for form in _FORMS}
    given = [form for form, column in columns.items() if column.null_count < len(column)]
    if len(given) > 1:
        raise CleancutError(f"{side} came as {' and '.join(given)} in different batches. Give all in one form.")
    return given[0] if given else None


def _without_nulls(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column with an empty list for each null: batches of empty lists are stored as nulls."""
    if not column.null_count:
        return column
    chunks = []
    for chunk in column.chunks:
        lengths = chunk.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        chunks.append(_lists(chunk.flatten(), lengths))
    return pa.chunked_array(chunks, column.type)


def _gathered_tokens(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return the tokens that came with the batches; None if none did."""
    if column.null_count == len(column):
        return None
    if column.null_count:
        raise CleancutError("some batches came with tokens and some without. Give tokens with all or none.")
    return column
