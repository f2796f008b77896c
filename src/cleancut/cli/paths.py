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
from ..core.files import check_output_file, check_output_folder, kept
from ..reading.splits import split_name


class Input(str):
    """The value of an argument that is read: a file, a folder, a pattern; perhaps something else, such as a Hub id."""


class InputTree(Input):
    """The value of an argument that is a folder, whose folders are read too."""


class Output(str):
    """The value of an argument that is written: a file."""


class OutputFolder(Output):
    """The value of an argument that is a folder for files, which is made if it is not there."""


def add_overwrite_option(parser: argparse.ArgumentParser) -> None:
    """Let a command that fills a folder replace files which are not its own."""
    parser.add_argument(
        "--overwrite", action="store_true", help="replace files in DIR that are not cleancut's, or were changed since"
    )


@contextmanager
def guarded(arguments: argparse.Namespace) -> Iterator[None]:
    """Run a command so that none of its inputs is written over; it does not begin where an output cannot be written."""
    with kept([file for path in _of_type(arguments, Input) for file in _files(path)]):
        _check_outputs(list(_of_type(arguments, Output)))
        yield


def _check_outputs(outputs: list[Output]) -> None:
    folders = [path for path in outputs if isinstance(path, OutputFolder)]
    files = [path for path in outputs if not isinstance(path, OutputFolder) and "://" not in path]  # Spark's
    places: list[str] = [os.path.realpath(path) for path in outputs]
    filled: list[str] = [os.path.realpath(path) for path in folders]
    for path, place in zip(outputs, places, strict=True):
        if places.count(place) > 1:
            raise CleancutError(f"{path} is to be two outputs of one command. Choose another name for one of them.")
    for path in folders:
        check_output_folder(path)
    for path in files:
        check_output_file(path, folders)
        inside = os.path.dirname(os.path.realpath(path)) in filled
        if inside and not path.endswith(".html"):  # it might take the place of a file that belongs to the folder
            raise CleancutError(f"{path} is in a folder that the command fills. Let its name end in .html.")


Kind = TypeVar("Kind", Input, Output)


def _of_type(arguments: argparse.Namespace, kind: type[Kind]) -> Iterator[Kind]:
    for given in vars(arguments).values():
        yield from (value for value in (given if isinstance(given, list) else [given]) if isinstance(value, kind))


def _files(path: str) -> list[str]:
    """The files that an argument stands for; of a folder, those that a command may read from it."""
    if isinstance(path, InputTree):
        inside = [(folder, name) for folder, _, names in os.walk(path) for name in names]
        read = ((folder, name) for folder, name in inside if _is_data(name) or folder != path)
        return [os.path.join(folder, name) for folder, name in read if not name.endswith(".html")]
    if os.path.isdir(path):
        return [os.path.join(path, name) for name in os.listdir(path) if _is_data(name)]
    return [path] if os.path.exists(path) else glob.glob(path, recursive=True)


def _is_data(name: str) -> bool:
    try:
        return name.endswith(".parquet") or split_name(name) is not None
    except CleancutError:  # it may be one of several splits
        return True
