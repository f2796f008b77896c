"""What a user gives, as arrays: recognises tags, label ids and spans in lists, numpy, Arrow and tensors.

The form is decided by the whole input, never by its first sample, and nothing is guessed: a value that does
not fit is refused with its place.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of, locate
from .checks import in_order
from .exceptions import CleancutError, quoted, reason
from .tags import Where
from .vocabulary import Vocabulary

MASK = -100
"""The label id that ``transformers`` puts where a position must not be scored."""
_STEP = 1 << 16
"""Label ids that are read at a time: so many stay in the processor's cache, and memory is read once."""


def in_sample(name: str = "") -> Where:
    """Names a place in a list: ``in_sample("gold")(3, 7)`` -> ``"gold sample 3, token 7"``."""
    return partial(_place, f"{name} sample".strip())


def _place(what: str, sample: int, token: int | None = None) -> str:
    return f"{what} {sample}" + ("" if token is None else f", token {token}")


# --- words ----------------------------------------------------------------------------------------


class Words(NamedTuple):
    """Words of samples that lie one after the other: word i is ``vocabulary[codes[i]]``."""

    codes: NDArray[np.int32]
    lengths: NDArray[np.int64]
    """Words of each sample."""
    vocabulary: Vocabulary


def _refuse_strange_words(samples: Sequence[Sequence[Any]], where: Where) -> NoReturn:
    for i, sample in enumerate(samples):
        for t, word in enumerate(sample):
            if not isinstance(word, str):
                raise CleancutError(f"{where(i, t)}: {_short(word)} is not a word. Give tokens as strings.")
    raise AssertionError("a word is no string")


def intern_words(tokens: Any, where: Where) -> Words:
    """Return the words of samples as numbers; words that are numbered already are returned as they are."""
    if isinstance(tokens, Words):
        return tokens
    if is_arrow(tokens):
        return _arrow_words(tokens, where)
    samples = as_samples(tokens, where)
    lengths = _lengths(samples)
    table = Interner()
    try:
        codes = np.fromiter(map(table.__getitem__, chain.from_iterable(samples)), np.int32, count=int(lengths.sum()))
        strange = not all(isinstance(word, str) for word in table)
    except TypeError:  # a list or dict cannot be hashed
        strange = True
    if strange:
        _refuse_strange_words(samples, where)
    return Words(codes, lengths, Vocabulary(table))


# --- recognising the form of the input --------------------------------------------------------------


class RawTags(NamedTuple):
    codes: NDArray[np.integer]
    lengths: NDArray[np.int64]
    tags: tuple[str, ...]
    kept: NDArray[np.bool_] | None = None
    """Which positions are scored; None where none is masked."""


class RawSpans(NamedTuple):
    sample: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    label: NDArray[np.int64]
    labels: tuple[str, ...]
    n_samples: int


Raw = RawTags | RawSpans


class Interner(dict[Any, int]):
    """Numbers each new key, so that one C-level pass both builds and applies the table."""

    def __missing__(self, key: Any) -> int:
        self[key] = code = len(self)
        return code


@cache
def reuse_memory() -> None:
    """Have glibc keep freed columns for the next ones; taking their pages anew would be a third of the time.

    It gives blocks above a limit back to the system when they are freed. The limit follows the largest block freed so
    far, and a block that was never written costs nothing. Up to twice its size is kept; elsewhere this has no effect.
    """
    np.empty(1 << 24, np.uint8)


def recognise(data: Any, labels: Any, where: Where) -> Raw:
    """Tags, label ids or spans? Decided by the whole input, never by its first sample. What is raw is returned."""
    if isinstance(data, RawTags | RawSpans):
        return data
    reuse_memory()
    if is_arrow(data):
        return _from_arrow(data, labels, where)
    array = as_array(data)
    if array is not None:
        return _from_matrix(array, labels, where)
    samples = as_samples(data, where)
    lengths = _lengths(samples)  # now, while the lists are in the processor's cache
    if samples and isinstance(samples[0], np.ndarray):  # then all are
        flat = np.concatenate(samples)
        if flat.dtype.kind in "iu" and {sample.dtype.kind for sample in samples} <= {"i", "u"}:
            return _from_ids(flat, lengths, labels, where)
        samples = [sample.tolist() for sample in samples]
    table = Interner({"O": 0})
    try:
        codes = _codes(samples, table)
    except TypeError:  # dicts and lists cannot be hashed: spans
        return spans_of(samples, where)
    kinds = {_kind_of(key) for key in list(table)[1:]}
    if kinds and not codes.all():  # the "O" that the table began with
        kinds.add("tag")
    if kinds == {"span"}:
        return spans_of(samples, where)
    if kinds <= {"tag"}:
        return RawTags(codes, lengths, tuple(table))
    if kinds != {"id"}:
        _refuse_mixture(codes, lengths, table, where)
    return _from_ids(_id_array(codes, lengths, table, where), lengths, labels, where)


def ids_of(samples: Sequence[Any], where: Where) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Label ids and the length of each sample, whatever the ids mean."""
    if isinstance(samples[0], np.ndarray):
        flat = np.concatenate(samples)
        if flat.dtype.kind in "iu" and {sample.dtype.kind for sample in samples} <= {"i", "u"}:
            return flat.astype(np.int64), _lengths(samples)
        samples = [sample.tolist() for sample in samples]
    table, lengths = Interner({"O": 0}), _lengths(samples)
    try:
        codes = _codes(samples, table)
    except TypeError:  # a list or dict cannot be hashed
        raise CleancutError(
            f"{where(0)}: label ids among values of other kinds. Give all samples in one form."
        ) from None
    if {_kind_of(key) for key in list(table)[1:]} != {"id"} or not codes.all():
        _refuse_mixture(codes, lengths, table, where)
    return _id_array(codes, lengths, table, where), lengths


def _id_array(codes: NDArray, lengths: NDArray, table: Mapping[Any, int], where: Where) -> NDArray[np.int64]:
    keys = [MASK, *list(table)[1:]]  # code 0 is the unused "O"
    for key in keys:
        if not -(2**31) <= key < 2**31:
            at = int(np.argmax(codes == table[key]))
            raise CleancutError(f"{where(*place_of(at, lengths))}: label id {key} is out of range.")
    return np.array(keys, np.int64)[codes]


def _kind_of(key: Any) -> str:
    if isinstance(key, str):
        return "tag"
    if isinstance(key, int | np.integer) and not isinstance(key, bool | np.bool_):
        return "id"
    return "span" if isinstance(key, tuple) else "other"


def _refuse_mixture(codes: NDArray, lengths: NDArray, table: Mapping[Any, int], where: Where) -> NoReturn:
    """Name a value that is of no form, else the first that is of another form than the first one."""
    keys = list(table)
    expected = _kind_of(keys[int(codes[0])])
    for key, code in sorted(table.items(), key=lambda item: _kind_of(item[0]) != "other"):
        kind = _kind_of(key)
        if kind == "other" or kind != expected:
            at = np.flatnonzero(codes == code)
            if not len(at):
                continue
            place = where(*place_of(int(at[0]), lengths))
            if kind == "other":
                raise CleancutError(
                    f"{place}: {quoted(key)} is not a tag, a label id or a span. "
                    "Drop or mask such positions on both sides (label ids: -100 in the gold labels)."
                )
            names = {"tag": "a tag", "id": "a label id", "span": "a span"}
            raise CleancutError(
                f"{place}: {quoted(key)} is {names[kind]} among values such as {quoted(keys[int(codes[0])])}. "
                "Give all samples in one form; positions to leave out are -100 in int labels only."
            )
    raise AssertionError("a mixture has a value that differs")


def _codes(samples: Sequence[Any], table: Interner) -> NDArray[np.integer]:
    """A code for each value, in one pass; as bytes while there are at most 256 distinct ones."""
    try:
        return np.frombuffer(bytes(map(table.__getitem__, chain.from_iterable(samples))), np.uint8)
    except ValueError:
        flat = chain.from_iterable(samples)
        return np.fromiter(map(table.__getitem__, flat), np.int32, count=int(_lengths(samples).sum()))


def as_samples(data: Any, where: Where) -> list[Any]:
    """The list of samples, each a list of values, or each an array of them."""
    if isinstance(data, str | bytes | Mapping | set | frozenset) or not isinstance(data, Iterable):
        raise CleancutError(f"expected a list with one list for each sample, got {_short(data)}.")
    if type(data).__module__.startswith("datasets."):
        data = data[:]  # type: ignore[index]  # a lazy column: fetch it in one go
    samples = data if isinstance(data, list) else in_order(data)
    kinds = set(map(type, samples))
    if kinds <= {list, tuple} or (kinds == {np.ndarray} and {sample.ndim for sample in samples} == {1}):
        return samples
    for i, sample in enumerate(samples):
        flat = getattr(sample, "ndim", 1) == 1 and not _has_lost_order(sample)
        if isinstance(sample, str | bytes | Mapping) or not isinstance(sample, Iterable) or not flat:
            raise CleancutError(
                f"{where(i)}: expected a list of tags, label ids or spans, got {_short(sample)}. "
                "A single sample goes into a list of its own: [[...]]."
            )
    arrays = [as_array(sample) for sample in samples]
    if all(array is not None for array in arrays):
        return arrays
    return [list(sample) if array is None else array.tolist() for sample, array in zip(samples, arrays, strict=True)]


def _has_lost_order(sample: Any) -> bool:
    """Is it a set of tags, ids or words, whose order changes from run to run? That of spans does not matter."""
    return isinstance(sample, set | frozenset) and not all(isinstance(value, tuple) for value in sample)


def as_array(data: Any) -> NDArray | None:
    """numpy arrays, and tensors of other libraries, as a numpy array; None for lists and ragged data."""
    if not isinstance(data, np.ndarray) and not hasattr(data, "__array__"):
        return None
    try:
        array = np.asarray(data.detach().cpu() if hasattr(data, "detach") else data)
    except (TypeError, ValueError, RuntimeError, NotImplementedError):  # as torch says of kinds that numpy lacks
        kind = f"{type(data).__name__} of {getattr(data, 'dtype', 'an unknown kind')}"
        layout = getattr(data, "layout", None)
        raise CleancutError(
            f"a {kind}{f' ({layout}, on {data.device})' if layout is not None else ''} cannot be read. "
            "Give whole numbers in a dense array or a list, such as tensor.long().cpu()."
        ) from None
    return None if array.dtype == object else array


def _lengths(samples: Sequence[Any]) -> NDArray[np.int64]:
    return np.fromiter(map(len, samples), np.int64, count=len(samples))


def _short(value: Any) -> str:
    return f"{type(value).__name__} {quoted(value)}"


def place_of(position: int, lengths: NDArray[np.integer]) -> tuple[int, int]:
    """Sample and token of a position in the concatenated values."""
    return locate(position, bounds_of(lengths))


# --- label ids --------------------------------------------------------------------------------------


def label_names(labels: Any) -> dict[int, str]:
    """Names by id from a ``ClassLabel``, a list, or an id2label dict (whose keys may be strings, as in JSON)."""
    if labels is None:
        raise CleancutError(_NO_NAMES)
    names = getattr(labels, "names", labels)
    if isinstance(names, str) or not isinstance(names, Mapping | Sequence):
        raise CleancutError(f"labels must be a list, an id2label dict or a ClassLabel, got {_short(labels)}.")
    pairs: dict[int, str] = {}
    for given, name in names.items() if isinstance(names, Mapping) else enumerate(names):
        key = _label_id(given)
        if key is None:
            raise CleancutError(f"the keys of labels must be ids, got {_short(labels)}. Give id2label.")
        if not 0 <= key < MOST_LABELS:
            raise CleancutError(
                f"label id {key} ({_short(name)}) is out of range. Number the labels from 0 to {MOST_LABELS - 1}."
            )
        if not isinstance(name, str):
            raise CleancutError(f"the name of label id {key} is {_short(name)}, not a string. Give id2label.")
        if pairs.setdefault(key, name) != name:
            raise CleancutError(f"label id {key} has two names, {quoted(pairs[key])} and {quoted(name)}. Give it one.")
    return pairs


_NO_NAMES = "label ids need their names. Give labels=: a list, an id2label dict or a ClassLabel."
MOST_LABELS = 1_000_000
"""Label ids count labels: a table of all that they may be is kept."""


def _label_id(given: Any) -> int | None:
    """Return a label id, which may be a text, as JSON has it; None where it is no whole number."""
    if isinstance(given, str):
        return int(given) if re.fullmatch(r"\s*-?\d{1,18}\s*", given) else None
    return int(given) if _kind_of(given) == "id" else None


def _from_ids(ids: NDArray[np.integer], lengths: NDArray[np.int64], labels: Any, where: Where) -> RawTags:
    if labels is None and len(lengths):
        raise CleancutError(f"{where(0)}: {_NO_NAMES}")
    names = label_names(labels)
    top = max(names, default=-1)
    tags = tuple(names.get(i, "") for i in range(top + 1))
    # where the names fit, one byte a token, so that all that follows moves an eighth of the memory; -100 becomes 156
    small = top < MASK % 256
    codes, mask = (np.empty(len(ids), np.uint8), MASK % 256) if small else (np.empty(len(ids), np.int32), MASK)
    low = high = 0
    for at in range(0, len(ids), _STEP):
        part = ids[at : at + _STEP]
        low, high = min(low, int(part.min())), max(high, int(part.max()))
        codes[at : at + _STEP] = part
    negative = low < MASK or codes.max(initial=0) > mask if small else low < 0
    if negative or high > top or len(names) <= top:
        wrong = ~np.isin(ids, [*names, MASK])
        if wrong.any():
            at = int(np.argmax(wrong))
            raise CleancutError(
                f"{where(*place_of(at, lengths))}: label id {int(ids[at])}, but the names are for ids "
                f"{min(names, default=0)} to {top} ({len(names)} labels). Give the names that the ids were made with."
            )
    return RawTags(codes, lengths, tags, codes != mask if low < 0 else None)


def _from_matrix(array: NDArray, labels: Any, where: Where) -> Raw:
    """One padded array: (samples, tokens)."""
    if array.ndim == 2 and array.dtype.kind in "iu":
        return _from_ids(array.ravel(), np.full(len(array), array.shape[1], np.int64), labels, where)
    if array.ndim == 2 and array.dtype.kind in "US":
        return recognise(array.tolist(), labels, where)
    hint = " Take the argmax of logits over their last axis first." if array.ndim == 3 else ""
    raise CleancutError(
        f"expected a 2-D array of label ids, got {array.ndim}-D of {array.dtype} with shape {array.shape}.{hint}"
    )


# --- spans --------------------------------------------------------------------------------------------


def spans_of(samples: Sequence[Any], where: Where) -> RawSpans:
    """Return the spans of all samples as columns; an error names the sample of a value that is no span."""
    usual = _usual_spans(samples)
    if usual is not None:
        return usual
    sample, starts, ends, codes = [], [], [], []
    table = Interner()
    for i, spans in enumerate(samples):
        for span in spans:
            first, until, name = _fields(span, i, where)
            sample.append(i)
            starts.append(first)
            ends.append(until)
            codes.append(table[name])
    of, start, end, label = (np.array(column, np.int64) for column in (sample, starts, ends, codes))
    return RawSpans(of, start, end, label, tuple(table), len(samples))


def _usual_spans(samples: Sequence[Any]) -> RawSpans | None:
    """Return spans that are all dicts with whole numbers and a name, column by column; None where one is not."""
    spans = list(chain.from_iterable(samples))
    if not spans or set(map(type, spans)) != {dict}:
        return None
    try:
        starts, ends, names = (list(map(itemgetter(field), spans)) for field in ("start", "end", "label"))
    except KeyError:
        return None
    if set(map(type, chain(starts, ends))) != {int} or set(map(type, names)) != {str} or "" in names:
        return None
    try:
        start, end = np.array(starts, np.int64), np.array(ends, np.int64)
    except OverflowError:
        return None
    if max(abs(int(edge)) for column in (start, end) for edge in (column.min(), column.max())) >= _TOO_FAR:
        return None
    table = Interner()
    label = np.fromiter(map(table.__getitem__, names), np.int64, count=len(names))
    sample = np.repeat(np.arange(len(samples)), _lengths(samples))
    return RawSpans(sample, start, end, label, tuple(table), len(samples))


_TOO_FAR = 2**31 - 1
"""No offset of a token is as large."""


def _fields(span: Any, sample: int, where: Where) -> tuple[int, int, str]:
    """Start, end and label of a dict or a triple."""
    try:
        if isinstance(span, Mapping):
            start, end, label = span["start"], span["end"], span["label"]
        else:
            if isinstance(span, str | int):
                raise TypeError
            start, end, label = span
    except (KeyError, TypeError, ValueError):
        raise CleancutError(
            f'{where(sample)}: {_short(span)} is not a span. Give {{"start", "end", "label"}} or (start, end, label).'
        ) from None
    if _kind_of(start) != "id" or _kind_of(end) != "id" or not isinstance(label, str) or not label:
        raise CleancutError(
            f"{where(sample)}: a span needs whole numbers as start and end and a name as label, got {_short(span)}."
        )
    if max(abs(int(start)), abs(int(end))) >= _TOO_FAR:
        _refuse_too_far(where(sample), int(start), int(end), label)
    return int(start), int(end), label


def _refuse_too_far(place: str, start: int, end: int, label: str) -> NoReturn:
    raise CleancutError(f"{place}: span [{start}, {end}) {label} is out of range. Offsets count tokens.")


# --- Arrow ----------------------------------------------------------------------------------------------


def is_arrow(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "pyarrow"


def arrow_numbers(array: Any) -> NDArray[Any]:
    """Return an Arrow array of whole numbers, none of which is missing, as it lies in memory.

    Arrow's own ``to_numpy`` imports pandas, which takes longer than to read most files.
    """
    if not len(array):
        return np.zeros(0, str(array.type))
    kind = np.dtype(str(array.type))
    return np.frombuffer(array.buffers()[1], kind, count=len(array), offset=array.offset * kind.itemsize)


def _arrow_lists(data: Any, where: Where) -> tuple[Any, NDArray[np.int64]]:
    """The values of all lists, one after the other, and the length of each list."""
    array = data
    if hasattr(data, "chunks"):
        array = data.chunk(0) if data.num_chunks == 1 else data.combine_chunks()
    kind = str(getattr(array, "type", ""))
    if not kind.startswith(("list", "large_list", "fixed_size_list")) or not hasattr(array, "null_count"):
        raise CleancutError(f"expected an Arrow array of lists, got {kind or type(data).__name__}.")
    if array.null_count:
        missing = array.is_null().to_pylist().index(True)
        raise CleancutError(f"{where(missing)}: the value is null. Give an empty list for a sample without any.")
    if hasattr(array, "chunks"):  # an empty chunked array stays chunked
        array = array.chunk(0)
    values = array.flatten()
    if hasattr(values, "dictionary") and (values.dictionary.null_count or not _is_text(values.type)):
        values = values.dictionary_decode()
    return values, arrow_numbers(array.value_lengths()).astype(np.int64)


def arrow_values(array: Any) -> list[Any]:
    """Return an Arrow array as a list of Python's values; what cannot be one is refused."""
    try:
        values: list[Any] = array.to_pylist()
    except (AttributeError, ValueError, OverflowError) as error:  # a scalar, bytes that are no text, a date far away
        kind = getattr(array, "type", type(array).__name__)
        raise CleancutError(
            f"the {kind} of Arrow cannot be read ({reason(error)}). Give lists of strings or whole numbers."
        ) from None
    return values


def _is_text(kind: Any) -> bool:
    """Strings, or a dictionary of strings."""
    inner = kind.value_type if str(kind).startswith("dictionary") else kind
    return str(inner) in ("string", "large_string", "string_view")


def _refuse_null(values: Any, lengths: NDArray[np.int64], where: Where, what: str) -> None:
    if values.null_count:
        sample, token = place_of(values.is_null().to_pylist().index(True), lengths)
        raise CleancutError(
            f"{where(sample, token)}: None is not {what}. "
            "Drop or mask such positions on both sides (label ids: -100 in the gold labels)."
        )


def _from_arrow(data: Any, labels: Any, where: Where) -> Raw:
    """Lists in an Arrow array: ids without a copy, strings by Arrow's own dictionary encoding."""
    if getattr(data, "num_chunks", 1) > 1 and str(data.type.value_type).startswith(("int", "uint")):
        return _from_arrow_ids(data, labels, where)
    values, lengths = _arrow_lists(data, where)
    if hasattr(values, "field"):
        return _from_arrow_structs(values, lengths, where)
    _refuse_null(values, lengths, where, "a tag, a label id or a span")
    if _is_text(values.type):
        encoded = values if hasattr(values, "dictionary") else values.dictionary_encode()
        tags = tuple(arrow_values(encoded.dictionary))
        return RawTags(arrow_numbers(encoded.indices), lengths, tags)
    if str(values.type).startswith(("int", "uint")):
        return _from_ids(arrow_numbers(values), lengths, labels, where)
    return recognise(arrow_values(data), labels, where)


def _chunks(data: Any, where: Where) -> Iterator[tuple[Any, Where]]:
    """The chunks of an Arrow array, as a memory-mapped dataset has them, each with the names of its places."""
    first = 0
    for chunk in getattr(data, "chunks", [data]):
        yield chunk, lambda sample, token=None, first=first: where(first + sample, token)
        first += len(chunk)


def _arrow_words(tokens: Any, where: Where) -> Words:
    """Words chunk by chunk, so that only their codes are ever in memory."""
    pa = sys.modules["pyarrow"]  # loaded, since the words are Arrow's
    chunks, sizes = [], []
    for chunk, place in _chunks(tokens, where):
        values, lengths = _arrow_lists(chunk, place)
        if len(values) and not _is_text(values.type):
            raise CleancutError(f"tokens must be strings, got an Arrow array of {values.type}.")
        _refuse_null(values, lengths, place, "a word")
        chunks.append(values.cast(pa.string()) if hasattr(values, "dictionary") else values)
        sizes.append(lengths)
    if not any(map(len, chunks)):  # Arrow would make no dictionary of nothing
        return Words(np.zeros(0, np.int32), np.concatenate([np.zeros(0, np.int64), *sizes]), Vocabulary())
    encoded = pa.chunked_array(chunks).dictionary_encode()  # all chunks with one dictionary
    vocabulary = Vocabulary(arrow_values(encoded.chunk(0).dictionary))
    words = np.concatenate([arrow_numbers(part.indices).astype(np.int32) for part in encoded.chunks])
    if len(chunks) > 1:  # many, of a dataset; a block of a file leaves its memory to the next one
        del encoded, chunks
        pa.default_memory_pool().release_unused()
    return Words(words, np.concatenate(sizes), vocabulary)


def _from_arrow_ids(data: Any, labels: Any, where: Where) -> RawTags:
    """Label ids chunk by chunk, so that only their codes are ever in memory."""
    parts = []
    for chunk, place in _chunks(data, where):
        part = _from_arrow(chunk, labels, place)
        assert isinstance(part, RawTags)
        parts.append(part)
    codes, lengths = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    kept = None
    if any(part.kept is not None for part in parts):
        kept = np.concatenate([np.ones(len(p.codes), bool) if p.kept is None else p.kept for p in parts])
    return RawTags(codes, lengths, parts[0].tags, kept)


def _from_arrow_structs(values: Any, lengths: NDArray[np.int64], where: Where) -> RawSpans:
    present = Counter(values.type.field(i).name for i in range(values.type.num_fields))
    for name in ("start", "end", "label"):
        if present[name] != 1:
            raise CleancutError(f"spans need one start, end and label each, but have {present[name]} called {name}.")
    _refuse_null(values, lengths, where, "a span")
    sample = np.repeat(np.arange(len(lengths)), lengths)
    fields = {name: values.field(name) for name in ("start", "end", "label")}
    for name, column in fields.items():
        if column.null_count:
            at = column.is_null().to_pylist().index(True)
            raise CleancutError(f"{where(int(sample[at]))}: the {name} of a span is null.")
        fits = _is_text(column.type) if name == "label" else str(column.type).startswith(("int", "uint"))
        if len(column) and not fits:
            wanted = "strings" if name == "label" else "whole numbers"
            raise CleancutError(f"the {name} of spans must be {wanted}, got an Arrow column of {column.type}.")
    encoded = fields["label"].dictionary_encode()
    start, end = (arrow_numbers(fields[name]).astype(np.int64) for name in ("start", "end"))
    label = arrow_numbers(encoded.indices).astype(np.int64)
    names = tuple(arrow_values(encoded.dictionary))
    is_far = (np.maximum(start, end) >= _TOO_FAR) | (np.minimum(start, end) <= -_TOO_FAR)
    if is_far.any():
        at = int(np.argmax(is_far))
        _refuse_too_far(where(int(sample[at])), int(start[at]), int(end[at]), names[label[at]])
    if "" in names:
        raise CleancutError(f"{where(int(sample[label == names.index('')][0]))}: a span has an empty label.")
    return RawSpans(sample, start, end, label, names, len(lengths))
