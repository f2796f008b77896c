"""Check values that users give: one function for each kind, shared by functions, modules and the command line.

Each check takes a value and the name of the option that it was given for. It returns the value as the program keeps
it, or raises a ``CleancutError`` that names both. ``parse_choice`` checks the value of a choice, and the readers check
text in data.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .exceptions import CleancutError, quoted, reason

LARGEST_WHOLE = 2**63 - 1
"""The largest number that an array holds, and that is written out without a thought for its length."""
LARGEST_SEED = 2**32 - 101
"""The largest seed that every random generator takes, with room for the attempts that count up from it."""
MOST_RESAMPLES = 1_000_000
"""The most resamples of one interval. More would not change its printed digits."""


_MOST_COLUMNS = 10_000
"""The largest number of a column that is accepted."""
MOST_VALUES = 100_000_000
"""The most values of a list that is given as a range."""


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number of Python or numpy. True and False are not.

    Args:
        value: any value.

    >>> is_whole(3), is_whole(np.int64(3)), is_whole(3.0), is_whole(True)
    (True, True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def is_number(value: Any) -> bool:
    """Return whether a value is a number of Python or numpy, whole or not. True, False and spans of time are not.

    Args:
        value: any value.

    >>> is_number(0.5), is_number(np.float32(0.5)), is_number("0.5")
    (True, True, False)
    """
    return is_whole(value) or isinstance(value, float | np.floating)


def whole(value: Any, name: str, least: int = 0, most: int = LARGEST_WHOLE, wanted: str = "") -> int:
    """Return a whole number within a range.

    Args:
        value: the value that was given.
        name: the name of the option, for messages.
        least: the smallest number that is allowed.
        most: the largest number that is allowed.
        wanted: the remedy that a message names; by default the range.

    Raises:
        CleancutError: it is not a whole number, or out of range.

    >>> whole(np.int64(5), "k", 2)
    5
    >>> whole(1.5, "k", 2)
    Traceback (most recent call last):
    ...
    cleancut.core.exceptions.CleancutError: k=1.5 is out of range. Give a whole number from 2 on.
    """
    if not is_whole(value) or not least <= value <= most:
        ends = f"from {least} on" if most == LARGEST_WHOLE else f"from {least} to {most}"
        raise CleancutError(f"{name}={quoted(value)} is out of range. Give {wanted or f'a whole number {ends}'}.")
    return int(value)


def seed(value: Any, name: str = "seed") -> int:
    """Return a seed for random choices: a whole number from 0 to about 4 billion.

    Args:
        value: the value that was given.
        name: the name of the option, for messages.
    """
    return whole(value, name, 0, LARGEST_SEED, f"a whole number from 0 to {LARGEST_SEED}")


def resamples(value: Any, name: str = "ci") -> int:
    """Return the number of resamples of an interval; 0 for None, which asks for no interval.

    Args:
        value: the value that was given.
        name: the name of the option, for messages.
    """
    if value is None:
        return 0
    return whole(value, name, 0, MOST_RESAMPLES, f"a number of resamples up to {MOST_RESAMPLES}, such as 10000")


def share(value: Any, name: str, wanted: str = "a number from 0 to 1") -> float:
    """Return a number from 0 to 1.

    Args:
        value: the value that was given.
        name: the name of the option, for messages.
        wanted: the remedy that a message names.
    """
    if not is_number(value) or not 0 <= value <= 1:
        raise CleancutError(f"{name}={quoted(value)} is out of range. Give {wanted}.")
    return value if isinstance(value, int) else float(value)


def beta(value: Any, name: str = "beta") -> float:
    """Return the beta of F-beta, which says how many times as much recall weighs as precision.

    Args:
        value: what the user gave.
        name: the name of the option, for the message.

    Raises:
        CleancutError: it is not a number above 0 and at most 1000.
    """
    if not is_number(value) or not 0 < value <= 1000:
        raise CleancutError(
            f"{name}={quoted(value)} is out of range. Give a number above 0 and at most 1000, such as 2."
        )
    return float(value)


def switch(value: Any, name: str) -> bool:
    """Return True or False, of Python or numpy. A text such as "no" is refused.

    Args:
        value: the value that was given.
        name: the name of the option, for messages.
    """
    if not isinstance(value, bool | np.bool_):
        raise CleancutError(f"{name}={quoted(value)} is not valid. Give true or false.")
    return bool(value)


def switches(**given: Any) -> None:
    """Refuse a text such as "no" where True or False is meant: it would be taken for a yes."""
    for name, value in given.items():
        switch(value, name)


def text(value: Any, name: str, wanted: str = "a text") -> str:
    """Return a text that is not empty.

    Args:
        value: the value that was given.
        name: the name of the option, for messages.
        wanted: the remedy that a message names.
    """
    if not isinstance(value, str) or not value:
        raise CleancutError(f"{name}={quoted(value)} is not valid. Give {wanted}.")
    return value


def line(value: Any, name: str, wanted: str = "a text in one line") -> str:
    r"""Return a text that is not empty and has no line breaks.

    Args:
        value: the value that was given.
        name: the name of the option, for messages.
        wanted: the remedy that a message names.

    >>> line("mit", "licence")
    'mit'
    >>> line("mit\nlanguage: en", "licence")
    Traceback (most recent call last):
    ...
    cleancut.core.exceptions.CleancutError: licence='mit\nlanguage: en' is not valid. Give a text in one line.
    """
    if text(value, name, wanted).splitlines() != [value]:
        raise CleancutError(f"{name}={quoted(value)} is not valid. Give {wanted}.")
    return str.__str__(value)


def column_number(value: Any, name: str) -> int:
    """Return the number of a column of a file: 0 is the first, -1 the last.

    Args:
        value: the value that was given.
        name: the name of the option, for messages.
    """
    return whole(value, name, -_MOST_COLUMNS, _MOST_COLUMNS, "the number of a column: 0 is the first, -1 the last")


def column_name(value: Any, name: str) -> str:
    """Return the name of a new column, or the beginning of it. Arrow ends names at a null character.

    Args:
        value: the value that was given.
        name: the name of the option, for messages.
    """
    if "\0" in text(value, name, "the name of a column") or not _is_name(value):
        raise CleancutError(f"{name}={quoted(value)} is not valid. Give the name of a column.")
    return value


def as_text(value: Any, place: str, wanted: str = "texts or numbers") -> str:
    """Return a text, a number, a date or the like as a text.

    Args:
        value: the value that was given.
        place: where it was given, for messages.
        wanted: the remedy that a message names.

    Raises:
        CleancutError: the value has no text of its own, but for the place of an object in memory.

    >>> as_text(5, "ids: the value of sample 0")
    '5'
    """
    has_text = type(value).__str__ is not object.__str__ or type(value).__repr__ is not object.__repr__
    try:
        if has_text:
            return str(value)
    except Exception:  # whatever the method of an object raises
        pass
    raise CleancutError(f"{place} is {quoted(value)}. Give {wanted}.")


Kind = TypeVar("Kind")


def instance(value: Any, kind: type[Kind], name: str, wanted: str) -> Kind:
    """Return an object of one of our classes, such as a corpus.

    Args:
        value: the object that was given.
        kind: the class that it must have.
        name: the name of the parameter, for messages.
        wanted: the remedy that a message names.
    """
    if not isinstance(value, kind):
        raise CleancutError(f"{name} is {quoted(value)}, of type {type(value).__name__}. Give {wanted}.")
    return value


def instances(value: Any, kind: type[Kind], name: str, wanted: str) -> dict[str, Kind]:
    """Return objects of one of our classes by their names.

    Args:
        value: a mapping of names to objects.
        kind: the class that each object must have.
        name: the name of the parameter, for messages.
        wanted: the remedy that a message names.
    """
    named = mapping(value, name, wanted)
    for key in named:
        instance(key, str, f"{name}: a name", "names that are texts")  # the only split of a file may have none
    return {key: instance(one, kind, f"{name}: {quoted(key)}", wanted) for key, one in named.items()}


def mapping(value: Any, name: str, wanted: str) -> Mapping[Any, Any]:
    """Return a value that must be a mapping.

    Args:
        value: what the user gave.
        name: the name of the option, for the message.
        wanted: what to give instead, for the message.

    Raises:
        CleancutError: it is not a mapping.
    """
    if not isinstance(value, Mapping):
        raise CleancutError(f"{name} is {quoted(value)}, of type {type(value).__name__}. Give {wanted}.")
    return value


def function(value: Any, name: str, wanted: str) -> None:
    """Refuse a value that cannot be called.

    Args:
        value: what the user gave.
        name: the name of the option, for the message.
        wanted: what to give instead, for the message.

    Raises:
        CleancutError: it cannot be called.
    """
    if not callable(value):
        raise CleancutError(f"{name}={quoted(value)} is not valid. Give {wanted}.")


def names(value: Any, name: str, wanted: str = "a list of names") -> list[str]:
    """Return a list of texts in their order. A single text is not a list, and a set has no order: both are refused.

    Args:
        value: the value that was given.
        name: the name of the option, for messages.
        wanted: the remedy that a message names.
    """
    return [text(one, name, wanted) for one in ordered(value, name, wanted)]


Item = TypeVar("Item")


def ordered(value: Iterable[Item] | Any, name: str, wanted: str = "a list") -> list[Item]:
    """Return a list of values whose order matters. A set is refused: its order changes from run to run.

    Args:
        value: the value that was given.
        name: the name of the option, for messages.
        wanted: the remedy that a message names.
    """
    if isinstance(value, set | frozenset):
        raise CleancutError(f"{name}: a {type(value).__name__} has no order. Give {wanted}.")
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise CleancutError(f"{name}={quoted(value)} is not valid. Give {wanted}.")
    return in_order(value)


def in_order(values: Iterable[Item]) -> list[Item]:
    """Return values as a list. A tensor that cannot be listed, such as one without a dimension, is refused.

    Args:
        values: anything that can be iterated over.

    Raises:
        CleancutError: a tensor cannot be listed, or a range is longer than any list of samples.
    """
    if isinstance(values, range) and values[MOST_VALUES:]:
        raise CleancutError(f"{quoted(values)} has more than {MOST_VALUES} values. Give fewer.")
    if not hasattr(values, "__array__"):
        return [value for value in values]  # noqa: C416 - list() asks for a length, which an object may fail to give
    try:
        return list(values)
    except (TypeError, RuntimeError) as error:
        raise CleancutError(f"a {type(values).__name__} cannot be read ({reason(error)}). Give a list.") from None


def array(values: Any) -> NDArray[Any]:
    """Return values as an array; one without a number of dimensions that fits anything where they make none.

    Args:
        values: an array, or a list of values of any kind.
    """
    try:
        return np.asarray(values)
    except Exception:  # lists of different lengths, and objects whose methods fail
        return np.zeros((0, 0))


def numbers(values: Any, name: str, n: int | None = None) -> NDArray[Any]:
    """Return a column of whole numbers as an array.

    Args:
        values: the array or list that was given.
        name: the name of the parameter, for messages.
        n: how many there must be; any number by default.
    """
    column = array(values)
    is_column = column.ndim == 1 and (column.dtype.kind in "iu" or not column.size) and n in (None, len(column))
    if not is_column:
        several = "whole numbers" if n is None else f"{n} whole numbers"
        raise CleancutError(f"{name}={quoted(values)} is not valid. Give an array of {several}.")
    return column if column.size else column.astype(np.int64)


def mask(values: Any, name: str, n: int) -> NDArray[np.bool_]:
    """Return True or False for each of several things, as an array.

    Args:
        values: the array or list that was given.
        name: the name of the parameter, for messages.
        n: how many there must be.
    """
    chosen = array(values)
    if chosen.shape != (n,) or (n and chosen.dtype.kind != "b"):
        raise CleancutError(f"{name}={quoted(values)} is not valid. Give an array of {n} times True or False.")
    return chosen.astype(bool)


def _is_name(path: str) -> bool:
    """Return whether the file system can hold a path of this name; half a character, for example, it cannot."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


def checked_path(value: Any, name: str = "the path") -> str:
    """Return the path of a file or folder as a text.

    Args:
        value: a text or an ``os.PathLike``, not empty and without a null character.
        name: the name of the option, for messages.
    """
    try:
        path = os.fspath(value) if isinstance(value, os.PathLike) else value
    except Exception:  # whatever the method of an object raises
        path = None
    if not isinstance(path, str) or not path or "\0" in path or not _is_name(path):
        raise CleancutError(f"{name}={quoted(value)} is not valid. Give the name of a file or folder.")
    return str.__str__(path)  # numpy has texts that the functions of files take for bytes
