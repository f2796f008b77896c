"""The file ``plan.json``: everything in it is checked when it is read, so that no other code has to.

Anyone may have written or changed the file. Each check returns the value as a plan keeps it, or raises an error that
says which part of the file is wrong.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.exceptions import CleancutError, parse_choice, quoted
from ..core.files import is_plain
from ..core.inputs import label_names
from ..core.limits import refuse_larger
from ..core.signature import Signature
from ..core.tags import Repair, parse_scheme
from ..reading.hub_ids import HubId, is_config
from ..reading.shape import End
from ..reading.splits import is_split_name
from .audit import Pair, by_pair, pair_name
from .layout import DISCARDED
from .settings import OFF, OPTIONS, SplitSettings

FORMAT = "cleancut-plan-1"
"""The format that a plan says it has; another one is needed where the meaning of a field changes."""
OF_TAGS = {"labels", "scheme", "repair", "column", "word_column"}
"""The options that say how the tags of a CoNLL file are read."""
_MOST_SPLITS = 100
"""The largest number of splits of a plan."""
_LONGEST_TEXT = 100_000
"""The largest number of characters of a text in a plan."""


def read_plan(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the fields of the plan in a file, by the names that ``SplitPlan`` has for them.

    Args:
        path: the file.

    Raises:
        CleancutError: there is no such file, or it is not a plan that ``SplitPlan.save`` wrote.
    """
    shown = checks.checked_path(path)
    try:
        stored = _read_json(shown)
    except FileNotFoundError:
        raise CleancutError(f"{shown}: no such file.") from None
    except (OSError, ValueError, RecursionError) as error:
        _refuse(shown, _short_reason(error))
    try:
        return _fields(_Stored(stored))
    except (CleancutError, ValueError, OverflowError) as error:
        _refuse(shown, str(error))


def _refuse(path: str, why: str) -> NoReturn:
    """Raise the error that a file is not a plan, with the reason."""
    raise CleancutError(f"{path}: not a plan that SplitPlan.save wrote ({why.rstrip('.')}).")


def _short_reason(error: BaseException) -> str:
    """Return why a file could not be read, in a few words."""
    if isinstance(error, RecursionError):
        return "its JSON is nested too deep"
    return getattr(error, "strerror", None) or f"{error!s:.200}"


def _read_json(path: str) -> Any:
    """Return the value in a JSON file, if the file is a regular one that is not too large."""
    if os.path.lexists(path) and not os.path.isfile(path):
        raise ValueError("it is not a regular file")
    refuse_larger(os.path.getsize(path), path)
    with open(path, "rb") as stream:
        return json.load(stream, parse_constant=_refuse_constant)


def _refuse_constant(text: str) -> NoReturn:
    """Refuse ``NaN`` and ``Infinity``, which Python's reader takes and JSON does not have."""
    raise ValueError(f"{text} is not a number in JSON")


# --- kinds of values ------------------------------------------------------------------------------------------------


class _Stored:
    """The fields of a stored plan, each of which is checked when it is taken."""

    def __init__(self, stored: Any) -> None:
        if not isinstance(stored, dict) or stored.get("format") != FORMAT:
            raise ValueError(f"it does not say format: {FORMAT}")
        self._stored = stored

    def has(self, name: str) -> bool:
        """Return whether there is a field of this name."""
        return name in self._stored

    def take(self, name: str, check: Callable[[Any], Any], default: Any = None) -> Any:
        """Return the value of a field as a check returns it; the default where there is no such field."""
        if name not in self._stored:
            if default is None:
                raise ValueError(f"{name} is missing")
            return default
        with _within(name):
            return check(self._stored[name])


@contextmanager
def _within(name: str) -> Iterator[None]:
    """Put the name of a part before the message of an error that is raised inside."""
    try:
        yield
    except ValueError as error:  # a CleancutError is one
        raise ValueError(f"{name}: {error}") from None


def _wrong(value: Any, wanted: str) -> NoReturn:
    """Raise an error that says what a value is and what it should be."""
    raise ValueError(f"{quoted(value)} is not {wanted}")


def _dict(value: Any) -> dict[str, Any]:
    """Return a mapping; refuse anything else."""
    return value if isinstance(value, dict) else _wrong(value, "a mapping")


def _list(value: Any) -> list[Any]:
    """Return a list; refuse anything else."""
    return value if isinstance(value, list) else _wrong(value, "a list")


def _text(value: Any) -> str:
    """Return a text of bounded length; refuse anything else."""
    return value if isinstance(value, str) and len(value) <= _LONGEST_TEXT else _wrong(value, "a text")


def _some_text(value: Any) -> str:
    """Return a text that is not empty; refuse anything else."""
    return _text(value) or _wrong(value, "a text")


def _texts(value: Any) -> list[str]:
    """Return a list of texts; refuse anything else."""
    return [_text(item) for item in _list(value)]


def _count(value: Any) -> int:
    """Return a whole number from 0 on; refuse anything else."""
    return value if checks.is_whole(value) and 0 <= value < 2**53 else _wrong(value, "a count")


def _counts(value: Any) -> dict[str, int]:
    """Return counts by name; refuse anything else."""
    return {name: _count(item) for name, item in _dict(value).items()}


def _number(value: Any) -> float:
    """Return a number that is not negative; NaN for null, which stands for it in JSON."""
    if value is None:
        return math.nan
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and 0 <= value < 2**53 else _wrong(value, "a number")


def _rate(value: Any) -> float:
    """Return a number from 0 to 1, or NaN for null; refuse anything else."""
    rate = _number(value)
    return rate if not rate > 1 else _wrong(value, "a rate from 0 to 1")


def _hex(n: int) -> Callable[[Any], str]:
    """Return a check that a value is a text of n hexadecimal digits."""

    def check(value: Any) -> str:
        """Return the text, if it has so many digits."""
        matches = isinstance(value, str) and re.fullmatch(rf"[0-9a-f]{{{n}}}", value) is not None
        return value if matches else _wrong(value, f"{n} hexadecimal digits")

    return check


def _record(value: Any, checks_of: Mapping[str, Callable[[Any], Any]], optional: Iterable[str] = ()) -> dict[str, Any]:
    """Return the known fields of a mapping, each as its check returns it; unknown fields are left out.

    Args:
        value: the mapping.
        checks_of: the check of each known field, by name.
        optional: the names of the fields that may be missing.
    """
    record: dict[str, Any] = {}
    for name, check in checks_of.items():
        if name not in _dict(value):
            if name not in optional:
                raise ValueError(f"{name} is missing")
            continue
        with _within(name):
            record[name] = check(value[name])
    return record


# --- the parts of a plan --------------------------------------------------------------------------------------------


def _fields(stored: _Stored) -> dict[str, Any]:
    """Return all fields of a plan, each checked alone and against the others."""
    names = stored.take("names", _split_names)
    assignment = stored.take("assignment", lambda value: _assignment(value, len(names)))
    sizes = stored.take("original_sizes", _counts, {})
    if sizes and sum(sizes.values()) != len(assignment):
        raise ValueError(f"the original splits have {sum(sizes.values())} samples, not {len(assignment)}")
    _check_sums(stored, names, assignment)
    leakage = {
        "before": stored.take("leakage_before", lambda value: _leakage(value, list(sizes)) if value else {}),
        "after": stored.take("leakage_after", lambda value: _leakage(value, names)),
    }
    signature = stored.take("signature", _signature)
    related = {
        "before": stored.take("related_before", lambda value: _related(value, list(sizes)), {}),
        "after": stored.take("related_after", lambda value: _related(value, names), {}),
    }
    return {
        "names": tuple(names),
        "assignment": assignment,
        "leakage": leakage,
        "representation": stored.take("representation", lambda value: _representation(value, names)),
        "guarantee": stored.take("guarantee", _some_text),
        "how": stored.take("how", _some_text),
        "proven": stored.take("proven", lambda value: checks.switch(value, "it"), False),
        "notes": stored.take("notes", _texts),
        "settings": _settings(stored, signature),
        "signature": str(signature),
        "fingerprint": stored.take("fingerprint", _hex(16)),
        "original_sizes": sizes,
        "source": stored.take("source", _source, {}),
        "order": stored.take("order", _order, ""),
        "marks": stored.take("marks", lambda value: _marks(value, len(assignment)), ""),
        "files": stored.take("files", _files, {}),
        "reading": stored.take("reading", _reading, {}),
        "read_as": stored.take("read_as", _reading, {}),
        "related": related if related["after"] else {},
        "is_of_rows": stored.take("is_of_rows", lambda value: checks.switch(value, "it"), False),
    }


def _split_names(value: Any) -> list[str]:
    """Return the names of two or more splits, all different; refuse anything else."""
    names = _list(value)
    for name in names:
        if not isinstance(name, str) or not is_split_name(name):
            raise ValueError(f"{quoted(name)} cannot be the name of a split")
    if not 2 <= len(names) <= _MOST_SPLITS or len(set(names)) < len(names):
        _wrong(names, f"2 to {_MOST_SPLITS} names that differ")
    return names


def _assignment(value: Any, n_splits: int) -> NDArray[np.int8]:
    """Return the number of the split of each sample; refuse numbers of no split."""
    numbers = _list(value)
    if not numbers:
        raise ValueError("there are no samples")
    for at, number in enumerate(numbers):
        if type(number) is not int or not DISCARDED <= number < n_splits:
            raise ValueError(f"sample {at} is in split {quoted(number)}, which is not there: give -1 to {n_splits - 1}")
    return np.array(numbers, np.int8)


def _check_sums(stored: _Stored, names: list[str], assignment: NDArray[np.int8]) -> None:
    """Raise an error where a stored sum is not what the assignment adds up to."""
    sizes = {name: int((assignment == i).sum()) for i, name in enumerate(names)}
    n_discarded = int((assignment == DISCARDED).sum())
    n_kept = max(len(assignment) - n_discarded, 1)
    sums: dict[str, Any] = {"n_samples": len(assignment), "n_discarded": n_discarded, "sizes": sizes}
    sums["ratios"] = {name: n / n_kept for name, n in sizes.items()}
    for name, counted in sums.items():
        if stored.has(name) and stored.take(name, lambda value: value) != counted:
            stored_value = stored.take(name, quoted)
            raise ValueError(f"{name}: {stored_value}, but the assignment adds up to {quoted(counted)}")


_OF_PAIR: Mapping[str, Callable[[Any], Any]] = {
    "n_samples": _count, "n_empty": _count, "n_partial": _count, "n_full": _count, "n_full_eq4": _count,
    "rate_partial": _rate, "rate_full": _rate, "n_mentions": _count, "n_mentions_contaminated": _count,
    "n_entities": _count, "n_entities_contaminated": _count,
}  # fmt: skip
"""The check of each field of ``leakage``."""
_PARTS = {
    "n_empty": "n_samples", "n_partial": "n_samples", "n_full": "n_samples", "n_full_eq4": "n_samples",
    "n_mentions_contaminated": "n_mentions", "n_entities_contaminated": "n_entities",
}  # fmt: skip
"""Counts that are part of another count, which they must not exceed."""


def _leakage(value: Any, names: list[str]) -> dict[Pair, dict[str, Any]]:
    """Return the contamination of every ordered pair of the named splits."""
    by_name: dict[str, dict[str, Any]] = {}
    for name, stored_counts in _dict(value).items():
        with _within(quoted(name)):
            counts = _record(stored_counts, _OF_PAIR, ["n_full_eq4"])
            for part, whole in _PARTS.items():
                if counts.get(part, 0) > counts[whole]:
                    raise ValueError(f"{part} {counts[part]} is more than {whole} {counts[whole]}")
            by_name[name] = counts
    pairs = by_pair(by_name, names)
    for a in names:
        for b in names:
            if a != b and (a, b) not in pairs:
                raise ValueError(f"{pair_name((a, b))} is missing")
    return pairs


_OF_RELATED: Mapping[str, Callable[[Any], Any]] = {
    "n_mentions": _count, "n_shared": _count, "n_folded": _count, "n_part": _count, "n_related": _count,
    "rate_shared": _rate, "rate_folded": _rate, "rate_part": _rate, "rate_related": _rate, "n_bearing": _count,
    "n_template": _count, "rate_template": _rate,
}  # fmt: skip
"""The check of each field of ``related``."""


def _related(value: Any, names: list[str]) -> dict[Pair, dict[str, Any]]:
    """Return what is left under looser notions of the same name, by pair of the named splits."""
    by_name: dict[str, dict[str, Any]] = {}
    for name, stored_counts in _dict(value).items():
        with _within(quoted(name)):
            counts = _record(stored_counts, _OF_RELATED, [])
            for part in ("n_shared", "n_folded", "n_part", "n_related"):
                if counts[part] > counts["n_mentions"]:
                    raise ValueError(f"{part} {counts[part]} is more than n_mentions {counts['n_mentions']}")
            if counts["n_template"] > counts["n_bearing"]:
                raise ValueError(f"n_template {counts['n_template']} is more than n_bearing {counts['n_bearing']}")
            by_name[name] = counts
    return by_pair(by_name, names)


_OF_SPLIT: Mapping[str, Callable[[Any], Any]] = {
    "entities_per_sample_ratio": _number, "entity_bearing_ratio": _number, "min_type_count": _count,
    "types_below_min": _texts, "type_counts": _counts, "type_distance": _rate, "strata": _counts,
    "tokens_per_sample_ratio": _number,
}  # fmt: skip
"""The check of each field of ``representation``."""


def _representation(value: Any, names: list[str]) -> dict[str, dict[str, Any]]:
    """Return how each split compares with the corpus; refuse anything else."""
    rows = _dict(value)
    if set(rows) != set(names):
        raise ValueError(f"it is of {quoted(sorted(rows))}, not of {quoted(names)}")
    representation = {}
    for name in names:
        with _within(name):
            representation[name] = _record(
                rows[name], _OF_SPLIT, ["strata", "type_distance", "tokens_per_sample_ratio"]
            )
    return representation


def _signature(value: Any) -> Signature:
    """Return the signature of a split with its version; refuse anything else."""
    signature = Signature.parse(_text(value))
    if signature.what != "split" or signature.get("v") is None:
        _wrong(value, "the signature of a split")
    return signature


def _settings(stored: _Stored, signature: Signature) -> SplitSettings:
    """Return the settings, which have to agree with the signature; plans of 0.1.0 have them in the signature alone."""
    try:
        of_signature = SplitSettings.from_signature(signature)
    except (KeyError, TypeError) as error:
        raise ValueError(f"signature: {error} is not a setting of a split") from None
    if not stored.has("settings"):
        return of_signature
    given = stored.take("settings", _dict)
    if unknown := set(given) - set(OPTIONS):
        raise ValueError(f"settings: {quoted(min(unknown))} is not an option of a split")
    with _within("settings"):
        settings = SplitSettings(**given)
    for name in OPTIONS:
        if name in ("key", "case", "typed", "ratios"):  # a signature writes these in another way
            continue
        value = getattr(settings, name)
        if signature.get(name) is not None and value != getattr(of_signature, name):
            text = OFF if value is None else value
            raise ValueError(f"settings: {name} is {quoted(text)}, but the signature says {signature[name]}")
    return settings


def _source(value: Any) -> dict[str, str | None]:
    """Return the repository, config and revision of the samples; an empty mapping for local ones."""
    if not _dict(value):
        return {}
    is_name = lambda item: item is None or isinstance(item, str)
    parts = _record(value, dict.fromkeys(("repo", "config", "revision"), lambda item: item))
    if not isinstance(parts["repo"], str) or not is_name(parts["config"]) or not is_name(parts["revision"]):
        _wrong(value, "a dataset of the Hub")
    source = HubId(**parts)
    if HubId.parse(str(source)) != source or not (source.config is None or is_config(source.config)):
        _wrong(value, "a dataset of the Hub")
    return parts


def _order(value: Any) -> str:
    """Return the fingerprint of an order, which may be empty; refuse anything else."""
    return value if value == "" else _hex(16)(value)


def _marks(value: Any, n: int) -> str:
    """Return the text with four letters for each sample, which may be empty; refuse anything else."""
    matches = isinstance(value, str) and len(value) in (0, 4 * n) and re.fullmatch(r"[A-Za-z0-9+/]*", value)
    return value if matches else _wrong(value, "four letters for each sample")


def _files(value: Any) -> dict[str, dict[str, str]]:
    """Return the name and the digest of each file; refuse anything else."""
    files = {}
    for name, file in _dict(value).items():
        with _within(quoted(name)):
            files[name] = _record(file, {"name": _plain_name, "sha256": _hex(64)})
    return files


def _plain_name(value: Any) -> str:
    """Return the name of a file in the folder of the plan; refuse paths that lead elsewhere."""
    return value if is_plain(value) else _wrong(value, "the name of a file beside the plan")


def _reading(value: Any) -> dict[str, Any]:
    """Return the options that rows are read with, of ``from_dataset`` or of CoNLL files."""
    reading = {}
    for name, option in _dict(value).items():
        if name not in _READ_AS:
            raise ValueError(f"it has {quoted(name)}, which is not an option")
        with _within(name):
            _READ_AS[name](option)
            reading[name] = option
    return reading


def _column_name(value: Any) -> str:
    """Return the name of a column; refuse anything else."""
    return checks.text(value, "it", "the name of a column")


def _column_number(value: Any) -> int:
    """Return the number of a column, which is negative where it counts from the last; refuse anything else."""
    return checks.whole(value, "it", -1000, 1000)


def _label_names(value: Any) -> None:
    """Refuse values that cannot name label ids, among them the name of a file."""
    if isinstance(value, str):  # it would be taken for a file
        raise ValueError(f"it has the labels {quoted(value)}, which are not names")
    label_names(value)


_READ_AS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("tokens", "tags", "entities", "text", "document"), _column_name),
    "labels": _label_names,
    "scheme": parse_scheme,
    "repair": lambda value: parse_choice(Repair, value, "it"),
    "end": lambda value: parse_choice(End, value, "it"),
    "column": _column_number,
    "word_column": _column_number,
    "columns": _texts,
    "join_at": lambda value: checks.switch(value, "it"),
}
"""The check of each option that rows may be read with."""
