"""Files that take their name only when they are complete."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from .tags import CleancutError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write to a file beside ``path`` and rename it at the end: an error or an interruption leaves what was there."""
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


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """The same for a text that is there already, in UTF-8."""
    with replacing(path) as stream:
        stream.write(text.encode())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
