"""Files of an index: arrays in a ``.npz``, which are read within bounds and checked against one another.

Anyone may have written or changed the file, so nothing in it is trusted: neither the sizes that it claims, nor that
its arrays belong together.
"""

from __future__ import annotations

import json
import math
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.entities import Key
from ..core.exceptions import CleancutError, quoted
from ..core.limits import refuse_larger
from ..core.same import EXACT, Same
from .tallies import PairTally

FORMAT = "cleancut-exposure-2"
"""The name of the format in a file. Before 0.2, the text that occurrences were counted in was not checked."""
FORMAT_OF_NOTIONS = "cleancut-exposure-3"
"""The format of an index under a notion other than ``exact``. Versions that know no notions refuse it."""
_FORMAT_OF_0_1 = "cleancut-exposure-1"
_FORMATS = (FORMAT, FORMAT_OF_NOTIONS, _FORMAT_OF_0_1)
_MOST = 2**53
"""Counts below it are exact in every kind of number, and do not overflow when they are added."""
_ARRAYS = (
    "meta", "words", "word_sizes", "surfaces", "surface_sizes", "of_word", "of_word_inside", "of_word_type",
    "of_surface_type", "occurrences", "templates", "ids", "id_sizes", "of_id_type",
)  # fmt: skip
_LATER = ("occurrences", "templates", "ids", "id_sizes", "of_id_type")
"""Arrays that files of earlier versions may lack."""

_BROKEN = (OSError, ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error, KeyError, MemoryError)
"""The errors that reading a broken archive may raise."""


class StoredIndex(NamedTuple):
    """The checked content of an index."""

    key: Key
    """The entity key."""
    types: list[str]
    """The names of types."""
    n_samples: int
    """The number of training samples."""
    n_mentions: int
    """The number of training mentions."""
    fingerprint: int
    """The sum of the hashes of all samples."""
    words: list[str]
    """The distinct training words."""
    surfaces: list[bytes]
    """The word numbers of each surface, as bytes of 32-bit numbers."""
    of_word: NDArray[np.int64]
    """How many training tokens each word has."""
    of_word_inside: NDArray[np.int64]
    """How many training tokens inside mentions each word has."""
    of_word_type: NDArray[np.int64]
    """Codes of word and type, and their counts."""
    of_surface_type: NDArray[np.int64]
    """Codes of surface and type, and their counts."""
    occurrences: NDArray[np.int64] | None
    """How often each surface occurs in the training text; None if it was not counted."""
    occurrences_checked: bool
    """Whether the occurrences are known to be those of the index's own text."""
    same: Same = EXACT
    """The notion of the same name."""
    templates: NDArray[np.uint64] | None = None
    """The hashes of the templates of all samples, sorted; None if they were not counted."""
    ids: Sequence[str] = ()
    """The ids of entities."""
    of_id_type: NDArray[np.int64] | None = None
    """Codes of id and type, and their counts; None if ids were not read."""


def read_index(path: str | os.PathLike[str]) -> StoredIndex:
    """Return the index in a file.

    Args:
        path: the file.

    Raises:
        CleancutError: there is no such file, it unpacks to more than ``CLEANCUT_MAX_UNPACKED``, or it is not an index
            that ``Exposure.save`` wrote; the message says what is wrong.
    """
    shown = checks.checked_path(path)
    if os.path.lexists(shown) and not os.path.isfile(shown):
        _refuse(shown, "it is not a regular file")
    try:
        with zipfile.ZipFile(shown) as archive:
            members = {name.removesuffix(".npy"): archive.getinfo(name) for name in archive.namelist()}
            known = {name: members[name] for name in _ARRAYS if name in members}
            refuse_larger(sum(member.file_size for member in known.values()), f"{shown}, once unpacked,")
            arrays = {name: _read_array(archive, member) for name, member in known.items()}
    except FileNotFoundError:
        raise CleancutError(f"{shown}: no such file.") from None
    except CleancutError:
        raise
    except _BROKEN as error:
        _refuse(shown, f"{error!s:.200}" or type(error).__name__)
    try:
        return parse_index(arrays)
    except (CleancutError, ValueError, OverflowError, RecursionError) as error:
        _refuse(shown, str(error))


def _refuse(path: str, why: str) -> NoReturn:
    """Refuse a file that is not an index."""
    raise CleancutError(f"{path}: not an index that Exposure.save wrote ({why.rstrip('.')}).")


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    """Return an array of a file. No memory is allocated for what its header claims before it is found to be there."""
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        if version not in headers:
            raise ValueError(f"{member.filename} is of version {version} of its format")
        shape, by_column, kind = headers[version](stream)
        if kind.hasobject or by_column or kind.kind not in "iu":
            raise ValueError(f"{member.filename} holds {kind}, not whole numbers by row")
        n_bytes = math.prod(shape) * kind.itemsize
        if n_bytes != member.file_size - stream.tell():
            raise ValueError(f"{member.filename} claims {n_bytes} bytes, but has {member.file_size - stream.tell()}")
        return np.frombuffer(stream.read(), kind).reshape(shape)


# --- checks ---------------------------------------------------------------------------------------------------------


def parse_index(arrays: Mapping[str, NDArray[Any]]) -> StoredIndex:
    """Return the content of arrays, each checked by itself and against the others.

    Args:
        arrays: the arrays by name.

    Raises:
        ValueError: an array is wrong; the message says which one and why.
    """
    for name in _ARRAYS:
        if name not in arrays and name not in _LATER:
            raise ValueError(f"{name} is missing")
    meta = _meta(arrays["meta"])
    words = _words(arrays)
    surfaces = _surfaces(arrays, meta["key"], words)
    of_word = _counts(arrays, "of_word", len(words))
    of_word_inside = _counts(arrays, "of_word_inside", len(words))
    if (of_word_inside > of_word).any():
        raise ValueError("of_word_inside counts more tokens in mentions than there are")
    n_types = len(meta["types"])
    of_word_type = _pairs(arrays, "of_word_type", len(words), n_types)
    ids, counts = of_word_type[0] >> PairTally.BITS, of_word_type[1]
    if (counts > of_word_inside[ids]).any():
        raise ValueError("of_word_type counts more tokens of a type than there are in mentions")
    of_surface_type = _pairs(arrays, "of_surface_type", len(surfaces), n_types)
    if len(np.unique(of_surface_type[0] >> PairTally.BITS)) != len(surfaces):
        raise ValueError("of_surface_type has no count for some surfaces")
    if int(of_surface_type[1].sum()) != meta["n_mentions"]:
        raise ValueError(f"the surfaces are of {int(of_surface_type[1].sum())} mentions, not {meta['n_mentions']}")
    occurrences = None
    if "occurrences" in arrays and arrays["occurrences"].size:
        occurrences = _counts(arrays, "occurrences", len(surfaces))
        if meta["occurrences_checked"] and not occurrences.all():
            raise ValueError("occurrences has 0 for the words of a mention")
    if not len(surfaces):
        occurrences = np.zeros(0, np.int64)
    return StoredIndex(
        **meta,
        words=words,
        surfaces=surfaces,
        of_word=of_word,
        of_word_inside=of_word_inside,
        of_word_type=of_word_type,
        of_surface_type=of_surface_type,
        occurrences=occurrences,
        templates=_templates(arrays, meta["n_samples"]),
        **_ids(arrays, n_types),
    )


def stored_notion(same: Same) -> dict[str, Any]:
    """Return a notion as an index states it about itself.

    Args:
        same: the notion.
    """
    stored: dict[str, Any] = {"notions": list(same.notions), "part_limit": same.part_limit}
    return stored if same.aliases is None else {**stored, "aliases": same.aliases.lines}


def _parse_notion(stored: Any) -> Same:
    """Return the notion that an index states; without any, names are the same if they are the same words."""
    if stored is None:
        return EXACT
    if not isinstance(stored, dict) or not isinstance(stored.get("notions"), list):
        raise ValueError(f"same is {quoted(stored)}")
    notions = "+".join(map(str, stored["notions"]))
    return Same.of(notions, aliases=stored.get("aliases"), part_limit=stored.get("part_limit"))


def _ids(arrays: Mapping[str, NDArray[Any]], n_types: int) -> dict[str, Any]:
    """Return the ids of entities and their counts by type; nothing where there are none."""
    stored = [name for name in ("ids", "id_sizes", "of_id_type") if name in arrays]
    if not stored:
        return {}
    if len(stored) < 3:
        raise ValueError(f"{' and '.join(stored)} without the other arrays of ids")
    data = _flat(arrays, "ids", 256).astype(np.uint8).tobytes()
    pieces = _pieces(data, _flat(arrays, "id_sizes", 2**31), "ids")
    ids = [name.decode("utf-8", "surrogatepass") for name in pieces]
    return {"ids": ids, "of_id_type": _pairs(arrays, "of_id_type", len(ids), n_types)}


def _templates(arrays: Mapping[str, NDArray[Any]], n_samples: int) -> NDArray[np.uint64] | None:
    """Return the hashes of templates; None in files that lack them."""
    if "templates" not in arrays:
        return None
    hashes = arrays["templates"]
    if hashes.ndim != 1 or hashes.dtype != np.uint64:
        raise ValueError("templates is not a list of hashes")
    if (hashes[1:] <= hashes[:-1]).any():
        raise ValueError("templates are not in order")
    if len(hashes) > n_samples or (n_samples and not len(hashes)):
        raise ValueError(f"templates has {len(hashes)} for {n_samples} samples")
    return hashes


def _meta(array: NDArray[Any]) -> dict[str, Any]:
    """Return what the index states about itself, beside its counts."""
    if array.ndim != 1 or array.dtype != np.uint8:
        raise ValueError("meta is not a text")
    stored = json.loads(array.tobytes())
    if not isinstance(stored, dict) or stored.get("format") not in _FORMATS:
        raise ValueError(f"it does not say format: {FORMAT}")
    if (stored["format"] == FORMAT_OF_NOTIONS) is not (stored.get("same") is not None):
        raise ValueError(f"a file of format {stored['format']} cannot have same={quoted(stored.get('same'))}")
    key, types = stored.get("key"), stored.get("types")
    if not isinstance(key, dict) or set(key) != set(Key._fields):
        raise ValueError(f"key is {quoted(key)}")
    if not isinstance(types, list) or not all(isinstance(name, str) and name for name in types):
        raise ValueError(f"types are {quoted(types)}, not a list of names")
    if len(set(types)) < len(types) or len(types) >= 2**PairTally.BITS:
        raise ValueError("types are too many, or not distinct")
    return {
        "key": Key.of(**key),
        "same": _parse_notion(stored.get("same")),
        "types": types,
        "n_samples": checks.whole(stored.get("n_samples"), "n_samples", 0, _MOST),
        "n_mentions": checks.whole(stored.get("n_mentions"), "n_mentions", 0, _MOST),
        "fingerprint": checks.whole(stored.get("fingerprint"), "fingerprint", 0, 2**64 - 1),
        "occurrences_checked": checks.switch(stored.get("occurrences_checked", False), "occurrences_checked"),
    }


def _flat(arrays: Mapping[str, NDArray[Any]], name: str, most: int) -> NDArray[np.int64]:
    """Return an array of whole numbers that are not negative and below a limit."""
    array = arrays[name]
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(f"{name} is not a list of whole numbers")
    if len(array) and not (int(array.min()) >= 0 and int(array.max()) < most):
        raise ValueError(f"{name} has {int(array.min())} to {int(array.max())}, out of range")
    return array.astype(np.int64)


def _counts(arrays: Mapping[str, NDArray[Any]], name: str, n: int) -> NDArray[np.int64]:
    """Return an array of a given number of counts."""
    counts = _flat(arrays, name, _MOST)
    if len(counts) != n:
        raise ValueError(f"{name} has {len(counts)} counts, not {n}")
    if float(counts.sum(dtype=np.float64)) >= _MOST:
        raise ValueError(f"{name} counts more than there can be")
    return counts


def _pieces(data: bytes, sizes: NDArray[np.int64], name: str) -> list[bytes]:
    """Return pieces of given sizes, which lie one after the other and must be distinct."""
    if int(sizes.sum()) != len(data):
        raise ValueError(f"{name} has {len(data)} bytes, not the {int(sizes.sum())} of its sizes")
    pieces = split_bytes(data, sizes)
    if len(set(pieces)) < len(pieces):
        raise ValueError(f"{name} are not distinct")
    return pieces


def split_bytes(data: bytes, sizes: NDArray[np.int64]) -> list[bytes]:
    """Return pieces of given sizes, which lie one after the other.

    Args:
        data: the bytes of all pieces.
        sizes: the size of each piece.
    """
    ends = np.cumsum(sizes).tolist()
    return [data[end - size : end] for size, end in zip(sizes.tolist(), ends, strict=True)]


def _words(arrays: Mapping[str, NDArray[Any]]) -> list[str]:
    """Return the words."""
    data = _flat(arrays, "words", 256).astype(np.uint8).tobytes()
    pieces = _pieces(data, _flat(arrays, "word_sizes", 2**31), "words")
    return [word.decode("utf-8", "surrogatepass") for word in pieces]


def _surfaces(arrays: Mapping[str, NDArray[Any]], key: Key, words: list[str]) -> list[bytes]:
    """Return the surfaces, as numbers of words in the form in which they are compared."""
    n_forms = len({key.fold(word) for word in words}) if key.folds else len(words)
    ids = _flat(arrays, "surfaces", max(n_forms, 1)).astype(np.int32)
    sizes = _flat(arrays, "surface_sizes", 2**29)
    if not sizes.all():
        raise ValueError("surface_sizes has 0, but a surface has words")
    return _pieces(ids.tobytes(), 4 * sizes, "surfaces")


def _pairs(arrays: Mapping[str, NDArray[Any]], name: str, n_ids: int, n_types: int) -> NDArray[np.int64]:
    """Return the codes of pairs of an id and a type, and their counts."""
    table = arrays[name]
    if table.ndim != 2 or len(table) != 2 or table.dtype.kind not in "iu":
        raise ValueError(f"{name} is not a table of pairs and counts")
    codes = _flat({name: table[0]}, name, max(n_ids, 1) << PairTally.BITS)
    counts = _counts({name: table[1]}, name, len(codes))
    if (np.diff(codes) <= 0).any():
        raise ValueError(f"{name} is not in order")
    if len(codes) and (n_ids == 0 or int((codes & (1 << PairTally.BITS) - 1).max()) >= n_types):
        raise ValueError(f"{name} has a type that is not there")
    if not counts.all():
        raise ValueError(f"{name} counts a pair 0 times")
    return np.stack([codes, counts])
