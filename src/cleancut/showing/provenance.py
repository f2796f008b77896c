"""What a page was made from, so that someone else can make it again: files with digests, the date and the command."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ..splitting.folders import file_digest


class SourceFile(NamedTuple):
    """A file that a page was made from."""

    name: str
    """The name, as it was given."""
    sha256: str
    """The digest of its bytes; empty for what is not a file, such as a dataset on the Hub."""


@dataclass(frozen=True)
class Provenance:
    """What a page was made from."""

    command: str
    """The command that makes the page again."""
    files: tuple[SourceFile, ...]
    """The files that were read."""
    date: str
    """The day on which the page was made, such as ``2026-11-18``, in universal time."""

    @classmethod
    def of(cls, command: str, sources: Iterable[str]) -> Provenance:
        """Return the provenance of a page that is made now.

        Args:
            command: the command.
            sources: the files that were read; what is not a file, such as a dataset on the Hub, has no digest.
        """
        files = tuple(SourceFile(source, _digest(source)) for source in sources)
        return cls(command, files, today())


def today() -> str:
    """Return the present day in universal time, or that of ``SOURCE_DATE_EPOCH``, which makes pages reproducible."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(given) if given.isascii() and given.isdigit() and len(given) < 12 else time.time()
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


def _digest(path: str) -> str:
    """Return the SHA-256 of a file; nothing if it is none, or can no longer be read."""
    try:
        return file_digest(path)
    except OSError:
        return ""
