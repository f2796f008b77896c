"""Write files that get their name only when they are complete, and never replace a file that is being read."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from .checks import checked_path
from .exceptions import CleancutError, quoted
from .interrupts import unfinished

_KEPT = ContextVar[Mapping[tuple[int, int], str]]("files that are read", default=MappingProxyType({}))
"""The name of each file that must not be written to, by its device and inode. A link has those of its target."""


@contextmanager
def kept(paths: Iterable[str]) -> Iterator[None]:
    """Protect files within this context: to write to, replace or remove one of them is refused, under whatever name.

    Files that do not exist yet are not protected.

    Args:
        paths: the files.
    """
    files = dict(_KEPT.get())
    for path in paths:
        identity = _identity(path)
        if identity is not None:
            files[identity] = path
    token = _KEPT.set(files)
    try:
        yield
    finally:
        _KEPT.reset(token)


def is_kept(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is one of the protected files.

    Args:
        path: any path.
    """
    return _kept_name(path) is not None


def refuse_kept(path: str | os.PathLike[str]) -> None:
    """Refuse an output that is one of the protected files.

    Args:
        path: the output.

    Raises:
        CleancutError: the output is an input; the message names both.
    """
    kept_name = _kept_name(path)
    if kept_name is not None:
        also_called = "" if kept_name == os.fspath(path) else f", which is {kept_name},"
        raise CleancutError(
            f"{path}{also_called} would be written over, but it is read. Choose another name for the output."
        )


def _kept_name(path: str | os.PathLike[str]) -> str | None:
    """Return the name under which a protected file was given; None if the path is not protected."""
    identity = _identity(path)
    return None if identity is None else _KEPT.get().get(identity)


def _identity(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Return the device and the inode of a file; None if there is no such file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def is_plain(name: Any) -> bool:
    """Return whether a name is that of a file, rather than a path that leads elsewhere.

    Args:
        name: any value.

    >>> is_plain("train.jsonl"), is_plain("../train.jsonl")
    (True, False)
    """
    return isinstance(name, str) and name not in ("", ".", "..") and not {"/", "\\", "\0", ":"} & set(name)


def name_inside(folder: str | os.PathLike[str], name: str) -> str:
    """Return the path of a file to write in a folder.

    Args:
        folder: the folder.
        name: the plain name of the file.

    Raises:
        CleancutError: the file is a link, which may lead anywhere.
    """
    path = os.path.join(folder, name)
    if os.path.islink(path):
        raise CleancutError(f"{path} is a link to {os.readlink(path)}. Remove it, or choose another folder.")
    return path


# --- checks of outputs, before any work -----------------------------------------------------------------------------

_LONGEST_NAME = 255
"""The most bytes in the name of a file, on the usual file systems."""


def check_output_file(path: str | os.PathLike[str], made: Collection[str] = ()) -> None:
    """Refuse a file that cannot be written.

    Args:
        path: the file.
        made: folders that will exist by the time the file is written.

    Raises:
        CleancutError: it is an input or a folder, or its folder does not exist or cannot be written to.
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
    """Refuse a folder that cannot be made or written to.

    Args:
        path: the folder.

    Raises:
        CleancutError: it is a file, or lies below a file or below a read-only folder.
    """
    target = os.path.realpath(checked_path(path))
    refuse_kept(path)
    _refuse_way_through_nothing(path)
    if os.path.lexists(target) and not os.path.isdir(target):
        raise CleancutError(f"{path} is a file. Name a folder.")
    while not os.path.lexists(target):
        target, name = os.path.split(target)
        if len(os.fsencode(name)) > _LONGEST_NAME:
            raise CleancutError(f"{quoted(path)}: a name is longer than {_LONGEST_NAME} bytes. Choose a shorter one.")
    if not os.path.isdir(target):
        raise CleancutError(f"{path}: {target} is a file, in which no folder can be made. Choose another folder.")
    _refuse_read_only(target, path)


def _refuse_way_through_nothing(path: str | os.PathLike[str]) -> None:
    """Refuse a path such as ``nothing/../out``, which no system can follow though it seems to lead somewhere."""
    parts = Path(path).parts
    for i in range(1, len(parts)):
        if parts[i] == os.pardir and not os.path.isdir(before := os.path.join(*parts[:i])):
            raise CleancutError(f"{path}: the folder {before} does not exist. Make it, or choose another.")


def _refuse_read_only(folder: str, path: str | os.PathLike[str]) -> None:
    """Refuse the path of an output whose folder cannot be written to."""
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CleancutError(f"{path}: the folder {folder} cannot be written to. Choose another.")


# --- writing --------------------------------------------------------------------------------------------------------


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file beside another one, which it replaces when it is complete.

    An error or an interruption leaves the other file as it was.

    Args:
        path: the file to write.

    Raises:
        CleancutError: the file cannot be written.
    """
    check_output_file(path)
    target = os.path.realpath(path)  # so that a link stays a link
    temporary = _name_beside(os.path.dirname(target), f".{os.path.basename(target)}")
    with unfinished(temporary):
        with _created(temporary, path) as stream:
            yield stream
        os.replace(temporary, target)


def _created(temporary: str, path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a new file; an error names the path that it is written for."""
    try:
        return open(temporary, "xb")
    except OSError as error:
        raise CleancutError(f"{path}: cannot be written ({error.strerror}).") from None


def _name_beside(folder: str | os.PathLike[str], prefix: str) -> str:
    """Return a name that no file of a folder has. It is known before the file is made, so that it can be removed."""
    short = os.fsencode(prefix)[: _LONGEST_NAME - 9].decode("utf-8", "ignore")
    return os.path.join(folder, f"{short}.{os.urandom(4).hex()}")


@contextmanager
def temporary_folder(inside: str | os.PathLike[str] | None = None, prefix: str = "cleancut-") -> Iterator[str]:
    """Make a folder that is removed at the end of this context, and if the program is interrupted.

    Args:
        inside: the folder to make it in; by default the system's folder for temporary files.
        prefix: the beginning of its name.
    """
    parent = tempfile.gettempdir() if inside is None else inside
    folder = _name_beside(parent, prefix)
    with unfinished(folder):
        os.mkdir(folder, 0o700)
        yield folder
        shutil.rmtree(folder, ignore_errors=True)  # files that are still mapped cannot be removed on Windows


@contextmanager
def made_folder(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Make a folder if it does not exist. It is removed again if it is left empty, as after an error.

    Args:
        folder: the folder; the folders above it are made as well.
    """
    missing = []
    path = os.path.abspath(checked_path(folder))
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
    """Make a folder beside another one to write to, and rename it when it is complete.

    Args:
        path: the folder to write. It must not exist, or be empty.

    Raises:
        CleancutError: the folder is there already, or cannot be made.
    """
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
            os.rmdir(target)  # it is empty; Windows would not replace it
        os.replace(temporary, target)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text to a file in UTF-8; the file is complete or stays as it was.

    Args:
        path: the file.
        text: its content. A surrogate without its other half, which UTF-8 cannot hold, is written as an escape.
    """
    with replacing(path) as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))
