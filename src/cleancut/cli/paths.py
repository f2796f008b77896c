"""The files that a command reads and writes: no output may overwrite an input.

An argument that names a file or a folder has one of the types of this module, by which ``guarded`` recognises it.
"""

from __future__ import annotations

import argparse
import glob
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..core.exceptions import CleancutError
from ..core.files import check_output_file, check_output_folder, kept
from ..reading.splits import split_name

if TYPE_CHECKING:  # only the commands that write pages need it
    from ..showing.provenance import Provenance


class Input(str):
    """The value of an argument that is read: a file, a folder or a pattern, or something else, such as a Hub id."""


class InputTree(Input):
    """The value of an argument that is a folder, which is read with the folders in it."""


class Output(str):
    """The value of an argument that is a file to write."""


class OutputFolder(Output):
    """The value of an argument that is a folder to write files to, which is made if it does not exist."""


def title_of_data(source: str) -> str:
    """Return what the title of a page calls a dataset: its folder, its file, or for ``wnut17/test.jsonl`` both.

    Args:
        source: a folder, a file, or something else, such as a Hub id, which is its own name.

    >>> title_of_data("org/name")
    'org/name'
    """
    if not os.path.exists(source):
        return source
    path = Path(os.path.realpath(source))
    name = path.name.removesuffix(".gz")
    if path.is_dir() or not name:
        return path.name or source
    stem = Path(name).stem
    is_split = stem.isalpha() and split_name(name) is not None
    return f"{path.parent.name}, {stem}" if is_split and path.parent.name else stem


def add_overwrite_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--overwrite``, which lets a command that fills a folder replace files of others.

    Args:
        parser: the parser of the command.
    """
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="replace files in DIR even if cleancut did not write them, or if they were changed since",
    )


@contextmanager
def guarded(arguments: argparse.Namespace) -> Iterator[None]:
    """Run a command so that none of its inputs is overwritten.

    Args:
        arguments: the arguments of the command.

    Raises:
        CleancutError: an output cannot be written, or would overwrite an input. The first is checked before the
            command begins.
    """
    inputs = [file for path in _of_type(arguments, Input) for file in _files(path)]
    with kept(inputs):
        _check_outputs(list(_of_type(arguments, Output)))
        yield


def provenance(arguments: argparse.Namespace) -> Provenance:
    """Return what the page of a command is made from: the files that its arguments name, and its command line.

    Args:
        arguments: the arguments of the command.
    """
    from ..showing.provenance import Provenance

    sources: list[str] = []
    for path in _of_type(arguments, Input):
        sources += sorted(_files(path)) or [path]
    command_line = shlex.join(["cleancut", *arguments.command_line])
    return Provenance.of(command_line, dict.fromkeys(sources))


def _check_outputs(outputs: list[Output]) -> None:
    """Raise an error if an output cannot be written, or if two of them are the same."""
    folders = [path for path in outputs if isinstance(path, OutputFolder)]
    files = [path for path in outputs if not isinstance(path, OutputFolder)]
    places: list[str] = [os.path.realpath(path) for path in outputs]
    folder_places: list[str] = [os.path.realpath(path) for path in folders]
    for path, place in zip(outputs, places, strict=True):
        if places.count(place) > 1:
            raise CleancutError(
                f"{path} is the name of two outputs of one command. Choose another name for one of them."
            )
    for path in folders:
        check_output_folder(path)
    for path in files:
        if "://" in path:  # Spark writes it
            continue
        check_output_file(path, folders)
        is_inside = os.path.dirname(os.path.realpath(path)) in folder_places
        if is_inside and not path.endswith(".html"):  # it might overwrite a file that belongs to the folder
            raise CleancutError(f"{path} is in a folder that the command fills. Let its name end in .html.")


Kind = TypeVar("Kind", Input, Output)
"""The type of the arguments that are looked for."""


def _of_type(arguments: argparse.Namespace, kind: type[Kind]) -> Iterator[Kind]:
    """Yield the values of all arguments that are of a type, also those in lists."""
    for value in vars(arguments).values():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, kind):
                yield item


def _files(path: str) -> list[str]:
    """Return the files that an argument stands for; for a folder, those that a command may read from it."""
    if isinstance(path, InputTree):
        files = []
        for folder, _, names in os.walk(path):
            for name in names:
                may_be_read = _is_data(name) or folder != path
                if may_be_read and not name.endswith(".html"):
                    files.append(os.path.join(folder, name))
        return files
    if os.path.isdir(path):
        return [os.path.join(path, name) for name in os.listdir(path) if _is_data(name)]
    return [path] if os.path.exists(path) else glob.glob(path, recursive=True)


def _is_data(name: str) -> bool:
    """Return whether a file of this name may hold data."""
    try:
        return name.endswith(".parquet") or split_name(name) is not None
    except CleancutError:  # it may be one of several splits
        return True
