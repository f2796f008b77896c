"""Recognise tags, label ids and spans in lists, numpy and Arrow arrays and tensors, and turn them into arrays.

The form is decided by the whole input, never by its first sample. Nothing is guessed: a value that does not fit is
refused, and the message names its place.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from itertools import chain, count
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of, locate
from .checks import in_order
from .exceptions import CleancutError, quoted, reason
from .tags import Where
from .vocabulary import Vocabulary

MASK = -100
"""The label id by which ``transformers`` marks positions that must not be scored."""
_STEP = 1 << 16
"""How many label ids are read at a time. They fit into the processor's cache, so that memory is read once."""


def in_sample(name: str = "") -> Where:
    """Return a function that names a place in a list of samples.

    Args:
        name: what the samples are called, such as ``gold``.

    >>> in_sample("gold")(3, 7)
    'gold sample 3, token 7'
    """
    return partial(_place, f"{name} sample".strip())


def _place(what: str, sample: int, token: int | None = None) -> str:
    """Name a sample, or a token of it."""
    return f"{what} {sample}" + ("" if token is None else f", token {token}")


# --- words ----------------------------------------------------------------------------------------


class Words(NamedTuple):
    """The words of samples, one sample after the other: word i is ``vocabulary[codes[i]]``."""

    codes: NDArray[np.int32]
    lengths: NDArray[np.int64]
    """The number of words of each sample."""
    vocabulary: Vocabulary | Any
    """The distinct words. Those of a block of a file are an Arrow array, until the blocks are joined."""

    def spelt(self) -> Words:
        """Return the same words with a vocabulary of strings."""
        if not is_arrow(self.vocabulary):
            return self
        return self._replace(vocabulary=Vocabulary(arrow_values(self.vocabulary)))


def _refuse_strange_words(samples: Sequence[Sequence[Any]], where: Where) -> NoReturn:
    """Refuse samples of which some words are not texts; the first one is named."""
    for i, sample in enumerate(samples):
        for t, word in enumerate(sample):
            if not isinstance(word, str):
                raise CleancutError(f"{where(i, t)}: {_short(word)} is not a word. Give tokens as strings.")
    raise AssertionError("a word is not a string")


def intern_words(tokens: Any, where: Where) -> Words:
    """Return the words of samples as numbers.

    Args:
        tokens: a list of words for each sample, or an Arrow array of lists. ``Words`` keep their numbers.
        where: names the place of a word, for messages.

    Raises:
        CleancutError: a word is not a text.
    """
    if isinstance(tokens, Words):
        return tokens.spelt()
    if is_arrow(tokens):
        return arrow_words(tokens, where).spelt()
    samples = as_samples(tokens, where)
    lengths = _lengths(samples)
    table = Interner()
    try:
        codes = np.fromiter(map(table.__getitem__, chain.from_iterable(samples)), np.int32, count=int(lengths.sum()))
        are_texts = all(isinstance(word, str) for word in table)
    except Exception:  # a list or dict cannot be hashed, and any object may refuse to be
        are_texts = False
    if not are_texts:
        _refuse_strange_words(samples, where)
    return Words(codes, lengths, Vocabulary(table))


# --- recognising the form of the input --------------------------------------------------------------


class RawTags(NamedTuple):
    """Tags of samples, one sample after the other, that are not decoded yet: tag i is ``tags[codes[i]]``."""

    codes: NDArray[np.integer]
    lengths: NDArray[np.int64]
    tags: tuple[str, ...]
    kept: NDArray[np.bool_] | None = None
    """For each position, whether it is scored; None if no position is masked."""


class RawSpans(NamedTuple):
    """Spans of samples as they were given: not sorted, checked or made unique yet."""

    sample: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    label: NDArray[np.int64]
    labels: tuple[str, ...]
    n_samples: int


Raw = RawTags | RawSpans


class Interner(defaultdict[Any, int]):
    """A table that numbers each new value when it is looked up, so that one pass both builds and applies it.

    >>> table = Interner({"O": 0})
    >>> table["B-PER"], table["O"], table["B-LOC"], table["B-PER"]
    (1, 0, 2, 1)
    """

    def __init__(self, numbered: Mapping[Any, int] = MappingProxyType({})) -> None:
        """Make a table.

        Args:
            numbered: the values that have the numbers from 0 on already.
        """
        super().__init__(count(len(numbered)).__next__, numbered)

    def __reduce__(self) -> tuple[type[Interner], tuple[dict[Any, int]]]:
        return Interner, (dict(self),)


@cache
def reuse_memory() -> None:
    """Make glibc keep freed arrays for the next ones. Getting their pages anew would take a third of the time.

    glibc returns freed blocks above a limit to the system. The limit rises to the largest block freed so far, and a
    block that was never written to costs nothing. With another C library this has no effect.
    """
    np.empty(1 << 24, np.uint8)


def recognise(data: Any, labels: Any, where: Where) -> Raw:
    """Recognise whether input is tags, label ids or spans. The whole input decides, never its first sample.

    Args:
        data: one list (or row) for each sample. ``RawTags`` and ``RawSpans`` are returned as they are.
        labels: the names of label ids: a list, an id2label dict or a ``ClassLabel``.
        where: names the place of a value, for messages.

    Raises:
        CleancutError: a value is none of these, forms are mixed, or a label id has no name.
    """
    if isinstance(data, RawTags | RawSpans):
        return data
    if labels is not None:
        label_names(labels)  # what is no list of names is refused, even if the tags have names already
    reuse_memory()
    if is_arrow(data):
        return _from_arrow(data, labels, where)
    array = as_array(data)
    if array is not None:
        return _from_matrix(array, labels, where)
    samples = as_samples(data, where)
    lengths = _lengths(samples)  # here, while the lists are still in the processor's cache
    if samples and isinstance(samples[0], np.ndarray):  # then all of them are arrays
        flat = np.concatenate(samples)
        if flat.dtype.kind in "iu" and {sample.dtype.kind for sample in samples} <= {"i", "u"}:
            return _from_ids(flat, lengths, labels, where)
        samples = [sample.tolist() for sample in samples]
    table = Interner({"O": 0})
    try:
        codes = _codes(samples, table)
    except Exception:  # dicts and lists cannot be hashed: spans; other objects may refuse to be
        return spans_of(samples, where)
    kinds = {_kind_of(key) for key in list(table)[1:]}
    if kinds and not codes.all():  # code 0 is "O", which the table began with
        kinds.add("tag")
    if kinds == {"span"}:
        return spans_of(samples, where)
    if kinds <= {"tag"}:
        return RawTags(codes, lengths, tuple(table))
    if kinds != {"id"}:
        _refuse_mixture(codes, lengths, table, where)
    return _from_ids(_id_array(codes, lengths, table, where), lengths, labels, where)


def ids_of(samples: Sequence[Any], where: Where) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return label ids, whatever their names, and the length of each sample.

    Args:
        samples: a list or an array of label ids for each sample.
        where: names the place of a value, for messages.

    Raises:
        CleancutError: a value is not a label id.
    """
    if isinstance(samples[0], np.ndarray):
        flat = np.concatenate(samples)
        if flat.dtype.kind in "iu" and {sample.dtype.kind for sample in samples} <= {"i", "u"}:
            return flat.astype(np.int64), _lengths(samples)
        samples = [sample.tolist() for sample in samples]
    table = Interner({"O": 0})
    lengths = _lengths(samples)
    try:
        codes = _codes(samples, table)
    except Exception:  # a list or dict cannot be hashed, and any object may refuse to be
        raise CleancutError(
            f"{where(0)}: label ids among values of other kinds. Give all samples in one form."
        ) from None
    if {_kind_of(key) for key in list(table)[1:]} != {"id"} or not codes.all():
        _refuse_mixture(codes, lengths, table, where)
    return _id_array(codes, lengths, table, where), lengths


def _id_array(codes: NDArray, lengths: NDArray, table: Mapping[Any, int], where: Where) -> NDArray[np.int64]:
    """Return the label id of each position, given as a code: ``table`` has the code of each distinct label id.

    Raises:
        CleancutError: a label id does not fit in 32 bits.
    """
    ids = [MASK, *list(table)[1:]]  # code 0 is "O", which does not occur here
    for label_id in ids:
        if not -(2**31) <= label_id < 2**31:
            at = int(np.argmax(codes == table[label_id]))
            raise CleancutError(f"{where(*place_of(at, lengths))}: label id {quoted(label_id)} is out of range.")
    return np.array(ids, np.int64)[codes]


def _kind_of(value: Any) -> str:
    """Return the form that a value belongs to: ``tag``, ``id``, ``span`` or ``other``."""
    if isinstance(value, str):
        return "tag"
    if isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_):
        return "id"
    return "span" if isinstance(value, tuple) else "other"


def _refuse_mixture(codes: NDArray, lengths: NDArray, table: Mapping[Any, int], where: Where) -> NoReturn:
    """Refuse input of several forms: name a value of no form, else the first one of another form than value 0."""
    first_value = list(table)[int(codes[0])]
    expected = _kind_of(first_value)
    for value, code in sorted(table.items(), key=lambda item: _kind_of(item[0]) != "other"):
        kind = _kind_of(value)
        if kind == "other" or kind != expected:
            positions = np.flatnonzero(codes == code)
            if not len(positions):
                continue
            place = where(*place_of(int(positions[0]), lengths))
            if kind == "other":
                raise CleancutError(
                    f"{place}: {quoted(value)} is not a tag, a label id or a span. "
                    "Drop or mask such positions on both sides (label ids: -100 in the gold labels)."
                )
            names = {"tag": "a tag", "id": "a label id", "span": "a span"}
            raise CleancutError(
                f"{place}: {quoted(value)} is {names[kind]} among values such as {quoted(first_value)}. "
                "Give all samples in one form; positions to leave out are -100 in int labels only."
            )
    raise AssertionError("a mixture has a value that differs")


def _codes(samples: Sequence[Any], table: Interner) -> NDArray[np.integer]:
    """Return a code for each value, in one pass; as bytes if there are at most 256 distinct values."""
    try:
        return np.frombuffer(bytes(map(table.__getitem__, chain.from_iterable(samples))), np.uint8)
    except ValueError:
        flat = chain.from_iterable(samples)
        return np.fromiter(map(table.__getitem__, flat), np.int32, count=int(_lengths(samples).sum()))


def as_samples(data: Any, where: Where) -> list[Any]:
    """Return a list of samples: each a list of values, or each an array of values.

    Args:
        data: anything that holds one list for each sample.
        where: names the place of a sample, for messages.

    Raises:
        CleancutError: it does not hold lists, or a sample is a set, which has no order.
    """
    if isinstance(data, str | bytes | Mapping | set | frozenset | range) or not isinstance(data, Iterable):
        raise CleancutError(f"expected a list with one list for each sample, got {_short(data)}.")
    if hasattr(data, "column_names"):
        raise CleancutError(f"expected samples, got a {type(data).__name__}. Read it first: from_dataset(...).")
    if type(data).__module__.startswith("datasets."):
        data = data[:]  # type: ignore[index]  # a lazy column, which is fetched at once
    samples = data if isinstance(data, list) else in_order(data)
    kinds = set(map(type, samples))
    if kinds <= {list, tuple} or (kinds == {np.ndarray} and {sample.ndim for sample in samples} == {1}):
        return samples
    for i, sample in enumerate(samples):
        is_flat = getattr(sample, "ndim", 1) == 1 and not _has_lost_order(sample)
        if isinstance(sample, str | bytes | Mapping) or not isinstance(sample, Iterable) or not is_flat:
            raise CleancutError(
                f"{where(i)}: expected a list of tags, label ids or spans, got {_short(sample)}. "
                "A single sample goes into a list of its own: [[...]]."
            )
    arrays = [as_array(sample) for sample in samples]
    if all(array is not None for array in arrays):
        return arrays
    lists = []
    for sample, array in zip(samples, arrays, strict=True):
        values = list(sample) if array is None else array.tolist()
        lists.append(values)
    return lists


def _has_lost_order(sample: Any) -> bool:
    """Return whether a sample is a set of tags, ids or words, whose order is lost. The order of spans is irrelevant."""
    return isinstance(sample, set | frozenset) and not all(isinstance(value, tuple) for value in sample)


def as_array(data: Any) -> NDArray | None:
    """Return numpy arrays, and tensors of other libraries, as a numpy array; None for lists and ragged data.

    Args:
        data: any input.

    Raises:
        CleancutError: a tensor is of a kind that numpy does not have.
    """
    if not isinstance(data, np.ndarray) and not hasattr(data, "__array__"):
        return None
    try:
        in_memory = data.detach().cpu() if hasattr(data, "detach") else data
        array = np.asarray(in_memory)
    except Exception:  # torch raises several, and objects of others may raise any
        kind = f"{type(data).__name__} of {getattr(data, 'dtype', 'an unknown kind')}"
        layout = getattr(data, "layout", None)
        if layout is not None:
            kind += f" ({layout}, on {data.device})"
        raise CleancutError(
            f"a {kind} cannot be read. Give whole numbers in a dense array or a list, such as tensor.long().cpu()."
        ) from None
    return None if array.dtype == object else array


def _lengths(samples: Sequence[Any]) -> NDArray[np.int64]:
    """Return the number of values of each sample."""
    return np.fromiter(map(len, samples), np.int64, count=len(samples))


def _short(value: Any) -> str:
    """Return a value with its type, as messages quote it."""
    return f"{type(value).__name__} {quoted(value)}"


def place_of(position: int, lengths: NDArray[np.integer]) -> tuple[int, int]:
    """Return the sample, and the token within it, of a position in the concatenated values.

    Args:
        position: a position in the concatenated values.
        lengths: the number of values of each sample.
    """
    return locate(position, bounds_of(lengths))


# --- label ids --------------------------------------------------------------------------------------


def label_names(labels: Any) -> dict[int, str]:
    """Return the names of label ids.

    Args:
        labels: a ``ClassLabel``, a list, or an id2label dict, whose keys may be texts as in JSON.

    Raises:
        CleancutError: there are no names, an id is not valid, or it has two names.
    """
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


_NO_NAMES = (
    "label ids need their names. Give labels= as a list, an id2label dict or a ClassLabel (--labels A,B,C or a file)."
)
MOST_LABELS = 1_000_000
"""Ids must be smaller, since a table of all possible ids is kept."""


def _label_id(given: Any) -> int | None:
    """Return a label id that may be given as a text, as in JSON; None if it is not a whole number."""
    if isinstance(given, str):
        return int(given) if re.fullmatch(r"\s*-?\d{1,18}\s*", given) else None
    return int(given) if _kind_of(given) == "id" else None


def _from_ids(ids: NDArray[np.integer], lengths: NDArray[np.int64], labels: Any, where: Where) -> RawTags:
    """Return label ids as tags; every id must have a name or be the mask."""
    if labels is None and len(lengths):
        raise CleancutError(f"{where(0)}: {_NO_NAMES}")
    names = label_names(labels)
    top = max(names, default=-1)
    tags = tuple(names.get(i, "") for i in range(top + 1))
    # One byte for each token where all ids fit, so that what follows moves an eighth of the memory; -100 becomes 156.
    is_small = top < MASK % 256
    mask = MASK % 256 if is_small else MASK
    kind = np.uint8 if is_small else np.int32
    codes: NDArray[np.integer] = np.empty(len(ids), kind)
    lowest = highest = 0
    for at in range(0, len(ids), _STEP):
        part = ids[at : at + _STEP]
        lowest = min(lowest, int(part.min()))
        highest = max(highest, int(part.max()))
        codes[at : at + _STEP] = part
    # In a byte, a negative id other than the mask is larger than the mask.
    has_negative = lowest < MASK or codes.max(initial=0) > mask if is_small else lowest < 0
    if has_negative or highest > top or len(names) <= top:
        wrong = ~np.isin(ids, [*names, MASK])
        if wrong.any():
            at = int(np.argmax(wrong))
            raise CleancutError(
                f"{where(*place_of(at, lengths))}: label id {int(ids[at])}, but the names are for ids "
                f"{min(names, default=0)} to {top} ({len(names)} labels). Give the names that the ids were made with."
            )
    kept = codes != mask if lowest < 0 else None
    return RawTags(codes, lengths, tags, kept)


def _from_matrix(array: NDArray, labels: Any, where: Where) -> Raw:
    """Return the label ids or tags of one padded array, with a row for each sample."""
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
    """Return the spans of all samples as columns.

    Args:
        samples: a list of spans for each sample, as ``{"start", "end", "label"}`` or ``(start, end, label)``.
        where: names the place of a sample, for messages.

    Raises:
        CleancutError: a value is not a span; the message names its sample.
    """
    usual = _usual_spans(samples)
    if usual is not None:
        return usual
    table = Interner()
    rows = []
    for number, spans in enumerate(samples):
        for span in spans:
            start, end, name = _fields(span, number, where)
            rows.append((number, start, end, table[name]))
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    return RawSpans(columns[0], columns[1], columns[2], columns[3], tuple(table), len(samples))


def _usual_spans(samples: Sequence[Any]) -> RawSpans | None:
    """Return spans that are all dicts with whole numbers and a name, column by column; None if one of them is not.

    Most input is of this form, for which this is much faster than one span after the other.
    """
    spans = list(chain.from_iterable(samples))
    if not spans or set(map(type, spans)) != {dict}:
        return None
    try:
        starts = list(map(itemgetter("start"), spans))
        ends = list(map(itemgetter("end"), spans))
        names = list(map(itemgetter("label"), spans))
    except KeyError:
        return None
    if set(map(type, chain(starts, ends))) != {int} or set(map(type, names)) != {str} or "" in names:
        return None
    try:
        start = np.array(starts, np.int64)
        end = np.array(ends, np.int64)
    except OverflowError:
        return None
    lowest = min(int(start.min()), int(end.min()))
    highest = max(int(start.max()), int(end.max()))
    if lowest <= -_TOO_FAR or highest >= _TOO_FAR:
        return None
    table = Interner()
    label = np.fromiter(map(table.__getitem__, names), np.int64, count=len(names))
    sample = np.repeat(np.arange(len(samples)), _lengths(samples))
    return RawSpans(sample, start, end, label, tuple(table), len(samples))


_TOO_FAR = 2**31 - 1
"""Offsets of tokens must be smaller."""


def _fields(span: Any, sample: int, where: Where) -> tuple[int, int, str]:
    """Return the start, the end and the label of a span that is a dict or a triple."""
    try:
        if isinstance(span, Mapping):
            start = span["start"]
            end = span["end"]
            label = span["label"]
        else:
            if isinstance(span, str | int):
                raise TypeError
            start, end, label = span
    except Exception:  # whatever the methods of an object raise
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
    """Refuse a span with an offset that no token has."""
    raise CleancutError(f"{place}: span [{start}, {end}) {label} is out of range. Offsets count tokens.")


# --- Arrow ----------------------------------------------------------------------------------------------


def is_arrow(data: Any) -> bool:
    """Return whether data is an object of pyarrow, without importing pyarrow.

    Args:
        data: any object.
    """
    return type(data).__module__.partition(".")[0] == "pyarrow"


def arrow_numbers(array: Any) -> NDArray[Any]:
    """Return an Arrow array of whole numbers as a numpy array, without a copy.

    Arrow's own ``to_numpy`` imports pandas, which takes longer than reading most files.

    Args:
        array: an Arrow array without nulls.
    """
    if not len(array):
        return np.zeros(0, str(array.type))
    kind = np.dtype(str(array.type))
    return np.frombuffer(array.buffers()[1], kind, count=len(array), offset=array.offset * kind.itemsize)


def _arrow_lists(data: Any, where: Where) -> tuple[Any, NDArray[np.int64]]:
    """Return the values of all lists of an Arrow array, one list after the other, and the length of each list."""
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
    bounds = arrow_numbers(array.offsets) if hasattr(array, "offsets") else None
    # what lies in the lists, as `flatten` returns it, which imports all of Arrow's functions
    values = array.flatten() if bounds is None else array.values.slice(int(bounds[0]), int(bounds[-1] - bounds[0]))
    if hasattr(values, "dictionary") and (values.dictionary.null_count or not _is_text(values.type)):
        values = values.dictionary_decode()
    lengths = arrow_numbers(array.value_lengths()) if bounds is None else np.diff(bounds)
    return values, lengths.astype(np.int64)


def _numbered(values: Any) -> Any:
    """Return an Arrow array with a dictionary of its values, the first one first.

    Arrow's function is asked for by its name: the method of an array imports ``pyarrow.compute``, which makes a Python
    function of each that Arrow has, and that takes longer than to read most files.
    """
    try:
        functions = import_module("pyarrow._compute")
    except ImportError:
        functions = import_module("pyarrow.compute")
    return functions.call_function("dictionary_encode", [values])


def unified(vocabularies: Sequence[Any]) -> tuple[list[NDArray[np.int32]], Any]:
    """Return one vocabulary of several.

    Args:
        vocabularies: Arrow arrays of distinct words.

    Returns:
        The new number of each word of each array, and an Arrow array of all distinct words.
    """
    pa = sys.modules["pyarrow"]  # imported already, since the words are Arrow's
    encoded = _numbered(pa.chunked_array(vocabularies))
    return [arrow_numbers(part.indices) for part in encoded.chunks], encoded.chunk(0).dictionary


def arrow_values(array: Any) -> list[Any]:
    """Return an Arrow array as a list of Python values.

    Args:
        array: the Arrow array.

    Raises:
        CleancutError: a value cannot be one of Python's.
    """
    try:
        values: list[Any] = array.to_pylist()
    except (AttributeError, ValueError, OverflowError) as error:  # a scalar, bytes that are not UTF-8, a far date
        kind = getattr(array, "type", type(array).__name__)
        raise CleancutError(
            f"the {kind} of Arrow cannot be read ({reason(error)}). Give lists of strings or whole numbers."
        ) from None
    return values


def _is_text(kind: Any) -> bool:
    """Return whether an Arrow type is that of strings, or of a dictionary of strings."""
    inner = kind.value_type if str(kind).startswith("dictionary") else kind
    return str(inner) in ("string", "large_string", "string_view")


def _refuse_null(values: Any, lengths: NDArray[np.int64], where: Where, what: str) -> None:
    """Refuse values of which one is null; ``what`` says what it should be."""
    if values.null_count:
        sample, token = place_of(values.is_null().to_pylist().index(True), lengths)
        raise CleancutError(
            f"{where(sample, token)}: None is not {what}. "
            "Drop or mask such positions on both sides (label ids: -100 in the gold labels)."
        )


def _from_arrow(data: Any, labels: Any, where: Where) -> Raw:
    """Return the input in an Arrow array of lists: ids without a copy, strings by Arrow's dictionary encoding."""
    if getattr(data, "num_chunks", 1) > 1 and str(getattr(data.type, "value_type", "")).startswith(("int", "uint")):
        return _from_arrow_ids(data, labels, where)
    values, lengths = _arrow_lists(data, where)
    if hasattr(values, "field"):
        return _from_arrow_structs(values, lengths, where)
    _refuse_null(values, lengths, where, "a tag, a label id or a span")
    if _is_text(values.type):
        encoded = values if hasattr(values, "dictionary") else _numbered(values)
        tags = tuple(arrow_values(encoded.dictionary))
        return RawTags(arrow_numbers(encoded.indices), lengths, tags)
    if str(values.type).startswith(("int", "uint")):
        return _from_ids(arrow_numbers(values), lengths, labels, where)
    return recognise(arrow_values(data), labels, where)


def _chunks(data: Any, where: Where) -> Iterator[tuple[Any, Where]]:
    """Yield the chunks of an Arrow array, each with a function that names the places in it."""
    first_sample = 0
    for chunk in getattr(data, "chunks", [data]):
        yield chunk, lambda sample, token=None, first=first_sample: where(first + sample, token)
        first_sample += len(chunk)


def arrow_words(tokens: Any, where: Where) -> Words:
    """Return words of Arrow chunk by chunk, so that only their codes are in memory; the vocabulary stays Arrow's.

    Args:
        tokens: an Arrow array of lists of words.
        where: names the place of a word, for messages.

    Raises:
        CleancutError: a value is not a word.
    """
    pa = sys.modules["pyarrow"]  # imported already, since the words are Arrow's
    chunks, sizes = [], []
    for chunk, place in _chunks(tokens, where):
        values, lengths = _arrow_lists(chunk, place)
        if len(values) and not _is_text(values.type):
            raise CleancutError(f"tokens must be strings, got an Arrow array of {values.type}.")
        _refuse_null(values, lengths, place, "a word")
        if hasattr(values, "dictionary"):
            values = values.cast(pa.string())
        chunks.append(values)
        sizes.append(lengths)
    if not any(map(len, chunks)):  # Arrow makes no dictionary if there is no value
        return Words(np.zeros(0, np.int32), np.concatenate([np.zeros(0, np.int64), *sizes]), Vocabulary())
    encoded = _numbered(pa.chunked_array(chunks))  # with one dictionary for all chunks
    vocabulary = encoded.chunk(0).dictionary
    words = np.concatenate([arrow_numbers(part.indices).astype(np.int32) for part in encoded.chunks])
    if len(chunks) > 1:  # a whole dataset; the memory of a single block of a file is used for the next block
        del encoded, chunks
        pa.default_memory_pool().release_unused()
    return Words(words, np.concatenate(sizes), vocabulary)


def _from_arrow_ids(data: Any, labels: Any, where: Where) -> RawTags:
    """Return label ids chunk by chunk, so that only their codes are in memory."""
    parts = []
    for chunk, place in _chunks(data, where):
        part = _from_arrow(chunk, labels, place)
        assert isinstance(part, RawTags)
        parts.append(part)
    codes = np.concatenate([part.codes for part in parts])
    lengths = np.concatenate([part.lengths for part in parts])
    kept = None
    if any(part.kept is not None for part in parts):
        kept = np.concatenate([kept_positions(part) for part in parts])
    return RawTags(codes, lengths, parts[0].tags, kept)


def kept_positions(part: RawTags) -> NDArray[np.bool_]:
    """Return, for each position of tags, whether it is not masked.

    Args:
        part: the tags.
    """
    return np.ones(len(part.codes), bool) if part.kept is None else part.kept


def _from_arrow_structs(values: Any, lengths: NDArray[np.int64], where: Where) -> RawSpans:
    """Return the spans of an Arrow array of structs."""
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
    encoded = _numbered(fields["label"])
    start = arrow_numbers(fields["start"]).astype(np.int64)
    end = arrow_numbers(fields["end"]).astype(np.int64)
    label = arrow_numbers(encoded.indices).astype(np.int64)
    names = tuple(arrow_values(encoded.dictionary))
    is_far = (np.maximum(start, end) >= _TOO_FAR) | (np.minimum(start, end) <= -_TOO_FAR)
    if is_far.any():
        at = int(np.argmax(is_far))
        _refuse_too_far(where(int(sample[at])), int(start[at]), int(end[at]), names[label[at]])
    if "" in names:
        raise CleancutError(f"{where(int(sample[label == names.index('')][0]))}: a span has an empty label.")
    return RawSpans(sample, start, end, label, names, len(lengths))
