"""What a command reads and what it writes: no output takes the place of an input.

An argument that names a file or a folder has one of the two types of this module, by which ``guarded`` knows it.
"""

from __future__ import annotations

import argparse
import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from ..core.exceptions import CleancutError
from ..core.files import kept, refuse_kept
from ..reading.splits import split_name


class Input(str):
    """The value of an argument that is read: a file, a folder, a pattern; perhaps something else, such as a Hub id."""


class Output(str):
    """The value of an argument that is written: a file, or a folder for files."""


@contextmanager
def guarded(arguments: argparse.Namespace) -> Iterator[None]:
    """While a command runs, none of its inputs is written over; where an output is one of them, it does not begin."""
    with kept([file for path in _of_type(arguments, Input) for file in _files(path)]):
        for path in _of_type(arguments, Output):
            refuse_kept(path)
        yield


Kind = TypeVar("Kind", Input, Output)


def _of_type(arguments: argparse.Namespace, kind: type[Kind]) -> Iterator[Kind]:
    for given in vars(arguments).values():
        yield from (value for value in (given if isinstance(given, list) else [given]) if isinstance(value, kind))


def _files(path: str) -> list[str]:
    """The files that an argument stands for; of a folder, those that a command may read from it."""
    if os.path.isdir(path):
        return [os.path.join(path, name) for name in os.listdir(path) if _is_data(name)]
    return [path] if os.path.exists(path) else glob.glob(path, recursive=True)


def _is_data(name: str) -> bool:
    try:
        return name.endswith(".parquet") or split_name(name) is not None
    except CleancutError:  # it may be one of several splits
        return True
