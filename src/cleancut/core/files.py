"""Files that take their name only when they are complete, and never that of a file which is being read."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import IO, Any

from .exceptions import CleancutError

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


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write to a file beside ``path`` and rename it at the end: an error or an interruption leaves what was there."""
    refuse_kept(path)
    target = os.path.realpath(path)  # a link stays a link
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise CleancutError(f"{path}: the folder {folder} does not exist.")
    if os.path.exists(target) and not os.path.isfile(target):
        raise CleancutError(f"{path} is not a regular file. Name a file.")
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{os.path.basename(target)}.")
    except OSError as error:
        raise CleancutError(f"{path}: cannot be written ({error.strerror}).") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


@contextmanager
def replacing_folder(path: str | os.PathLike[str]) -> Iterator[str]:
    """Give a folder beside ``path`` to write to, and rename it at the end; there may be an empty folder."""
    target = os.path.realpath(path)
    parent = os.path.dirname(target)
    if not os.path.isdir(parent):
        raise CleancutError(f"{path}: the folder {parent} does not exist.")
    if os.path.exists(target) and (not os.path.isdir(target) or os.listdir(target)):
        raise CleancutError(f"{path} is there already. Remove it, or choose another name for the folder.")
    try:
        temporary = tempfile.mkdtemp(dir=parent, prefix=f".{os.path.basename(target)}.")
    except OSError as error:
        raise CleancutError(f"{path}: cannot be written ({error.strerror}).") from None
    try:
        yield temporary
        os.chmod(temporary, 0o777 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        shutil.rmtree(temporary)
        raise


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """The same for a text that is there already, in UTF-8."""
    with replacing(path) as stream:
        stream.write(text.encode())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
