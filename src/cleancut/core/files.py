"""Files that take their name only when they are complete, and never that of a file which is being read."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import IO, Any

from .checks import checked_path
from .exceptions import CleancutError, quoted
from .interrupts import unfinished

_READ = ContextVar[Mapping[tuple[int, int], str]]("files that are read", default=MappingProxyType({}))
"""The name of each file that must stay, by its device and its number there: links have those of what they point to."""


@contextmanager
def kept(paths: Iterable[str]) -> Iterator[None]:
    """While it lasts, none of the files is written to, replaced or removed, under whatever name."""
    found = {number: path for path in paths if (number := _number(path)) is not None}
    token = _READ.set({**_READ.get(), **found})
    try:
        yield
    finally:
        _READ.reset(token)


def is_kept(path: str | os.PathLike[str]) -> bool:
    """Is it one of the files that must stay?"""
    return _kept_name(path) is not None


def refuse_kept(path: str | os.PathLike[str]) -> None:
    """An error where an output is one of the files that must stay."""
    if (read := _kept_name(path)) is not None:
        of = "" if read == os.fspath(path) else f", which is {read},"
        raise CleancutError(f"{path}{of} would be written over, but it is read. Choose another name for the output.")


def _kept_name(path: str | os.PathLike[str]) -> str | None:
    number = _number(path)
    return None if number is None else _READ.get().get(number)


def _number(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def is_plain(name: Any) -> bool:
    """Is it the name of a file, and no path that leads elsewhere?"""
    return isinstance(name, str) and name not in ("", ".", "..") and not {"/", "\\", "\0", ":"} & set(name)


def name_inside(folder: str | os.PathLike[str], name: str) -> str:
    """The path of a file to write in a folder; an error where it is a link, which may lead anywhere."""
    path = os.path.join(folder, name)
    if os.path.islink(path):
        raise CleancutError(f"{path} is a link to {os.readlink(path)}. Remove it, or choose another folder.")
    return path


# --- before the work: can it be written? ----------------------------------------------------------------------------

_LONGEST_NAME = 255
"""Bytes in the name of a file, as the usual file systems have it."""


def check_output_file(path: str | os.PathLike[str], made: Collection[str] = ()) -> None:
    """Refuse a file that cannot be written: an input, a folder, one in a folder that is not there or not writable.

    ``made`` are folders that will be there by then.
    """
    target = os.path.realpath(checked_path(path))
    refuse_kept(path)
    folder, name = os.path.split(target)
    if os.path.isdir(target):
        raise CleancutError(f"{path} is a folder. Name a file.")
    if os.path.exists(target) and not os.path.isfile(target):
        raise CleancutError(f"{path} is not a regular file. Name a file.")
    if len(os.fsencode(name)) > _LONGEST_NAME:
        raise CleancutError(f"{quoted(path)}: the name is longer than {_LONGEST_NAME} bytes. Choose a shorter one.")
    if folder in map(os.path.realpath, made):
        return
    if not os.path.isdir(folder):
        raise CleancutError(f"{path}: the folder {folder} does not exist. Make it, or choose another.")
    _refuse_read_only(folder, path)


def check_output_folder(path: str | os.PathLike[str]) -> None:
    """Refuse a folder that cannot be made, or written to: a file, or a folder below one or below a read-only one."""
    target = os.path.realpath(checked_path(path))
    refuse_kept(path)
    if os.path.lexists(target) and not os.path.isdir(target):
        raise CleancutError(f"{path} is a file. Name a folder.")
    while not os.path.lexists(target):
        target, name = os.path.split(target)
        if len(os.fsencode(name)) > _LONGEST_NAME:
            raise CleancutError(f"{quoted(path)}: a name is longer than {_LONGEST_NAME} bytes. Choose a shorter one.")
    if not os.path.isdir(target):
        raise CleancutError(f"{path}: {target} is a file, in which no folder can be made. Choose another folder.")
    _refuse_read_only(target, path)


def _refuse_read_only(folder: str, path: str | os.PathLike[str]) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CleancutError(f"{path}: the folder {folder} cannot be written to. Choose another.")


# --- writing --------------------------------------------------------------------------------------------------------


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write to a file beside ``path`` and rename it at the end: an error or an interruption leaves what was there."""
    check_output_file(path)
    target = os.path.realpath(path)  # a link stays a link
    temporary = _name_beside(os.path.dirname(target), f".{os.path.basename(target)}")
    with unfinished(temporary):
        with _created(temporary, path) as stream:
            yield stream
        os.replace(temporary, target)


def _created(temporary: str, path: str | os.PathLike[str]) -> IO[bytes]:
    try:
        return open(temporary, "xb")
    except OSError as error:
        raise CleancutError(f"{path}: cannot be written ({error.strerror}).") from None


def _name_beside(folder: str | os.PathLike[str], prefix: str) -> str:
    """Return a name that no file of a folder has: known before the file is made, it can be removed at any moment."""
    short = os.fsencode(prefix)[: _LONGEST_NAME - 9].decode("utf-8", "ignore")
    return os.path.join(folder, f"{short}.{secrets.token_hex(4)}")


@contextmanager
def temporary_folder(inside: str | os.PathLike[str] | None = None, prefix: str = "cleancut-") -> Iterator[str]:
    """Return a folder that is removed at the end, and where the program is interrupted.

    Args:
        inside: the folder to make it in; by default that of the system for temporary files.
        prefix: what its name begins with.
    """
    folder = _name_beside(tempfile.gettempdir() if inside is None else inside, prefix)
    with unfinished(folder):
        os.mkdir(folder, 0o700)
        yield folder
        shutil.rmtree(folder, ignore_errors=True)  # files that are still mapped cannot be removed on Windows


@contextmanager
def made_folder(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Make a folder if it is not there; it is removed again if it is left empty, as after an error."""
    missing, path = [], os.path.abspath(checked_path(folder))
    while not os.path.lexists(path):
        missing.append(path)
        path = os.path.dirname(path)
    with ExitStack() as stack:
        for new in reversed(missing):
            stack.enter_context(unfinished(new, unless_filled=True))
            os.mkdir(new)
        yield


@contextmanager
def replacing_folder(path: str | os.PathLike[str]) -> Iterator[str]:
    """Give a folder beside ``path`` to write to, and rename it at the end; there may be an empty folder."""
    target = os.path.realpath(path)
    parent = os.path.dirname(target)
    if not os.path.isdir(parent):
        raise CleancutError(f"{path}: the folder {parent} does not exist.")
    if os.path.exists(target) and (not os.path.isdir(target) or os.listdir(target)):
        raise CleancutError(f"{path} is there already. Remove it, or choose another name for the folder.")
    temporary = _name_beside(parent, f".{os.path.basename(target)}")
    with unfinished(temporary):
        try:
            os.mkdir(temporary)
        except OSError as error:
            raise CleancutError(f"{path}: cannot be written ({error.strerror}).") from None
        yield temporary
        if os.path.isdir(target):
            os.rmdir(target)  # it is empty, and Windows replaces no folder
        os.replace(temporary, target)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """The same for a text that is there already, in UTF-8."""
    with replacing(path) as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))  # half a character is no reason to lose the rest
