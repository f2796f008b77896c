"""Files opened: their bytes, lines and text, and the head that shows what they are."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..core.exceptions import CleancutError
from .exported import Row


@dataclass(frozen=True)
class Head:
    """The beginning of a file, by which its format is recognised."""

    name: str
    text: str

    @property
    def suffix(self) -> str:
        """The ending of the name, in small letters, without ``.gz``."""
        return Path(self.name.lower().removesuffix(".gz")).suffix

    @property
    def lines(self) -> list[str]:
        """The lines that are whole and not blank."""
        whole = self.text.split("\n")[:-1] or [self.text]
        return [line.rstrip("\r") for line in whole if line.strip()]

    @property
    def first_record(self) -> Row:
        """The object that the first line holds, or the first of an array; empty where there is none."""
        text = self.text.lstrip("\ufeff \t\r\n").removeprefix("[").lstrip()
        try:
            record, _ = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return {}
        return record if isinstance(record, dict) else {}


def head_of(path: str | os.PathLike[str]) -> Head:
    """Return the first 64 KB of a file, as text as far as it is text."""
    with opened(path) as stream:
        data = stream.read(_HEAD)
        if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")) and b"\n" not in data:
            data += stream.readline(_LONGEST)  # the first record tells most
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if len(data) < _HEAD and not text.endswith("\n"):
        text += "\n"  # the last line is whole
    return Head(os.fspath(path), text.lstrip())


_HEAD, _LONGEST = 1 << 16, 1 << 26
"""Bytes that show the format of a file, and of the longest line that is looked at for it."""


def check_file(path: str | os.PathLike[str]) -> None:
    if os.path.isdir(path):
        raise CleancutError(f"{path} is a directory. Name a file in it.")
    if not os.path.exists(path):
        raise CleancutError(f"{path}: no such file.")
    if not os.path.isfile(path):  # it would be read more than once
        raise CleancutError(f"{path} is a pipe or a device. Write it to a file first.")


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked where its name ends in .gz."""
    try:
        opener: Any = gzip.open if os.fspath(path).endswith(".gz") else open
        with opener(path, "rb") as stream:
            yield stream
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise CleancutError(f"{path}: the gzip data is broken ({error}). Pack the file again.") from None
    except OSError as error:
        raise CleancutError(f"{path}: {error.strerror or error}.") from None


def lines_of(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Numbered lines; only line feeds end a line, since tokens may hold Unicode's other separators."""
    with opened(path) as stream:
        for number, raw in enumerate(stream, 1):
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise CleancutError(
                    f"{path}, line {number}: byte 0x{raw[error.start]:02x} at position {error.start} is not UTF-8. "
                    "Convert the file to UTF-8."
                ) from None
            if number == 1:
                line = line.removeprefix("\ufeff")
            line = line.rstrip("\r\n")
            if "\r" in line:
                raise CleancutError(
                    f"{path}, line {number}: a carriage return inside the line. End lines with a line feed."
                )
            yield number, line


def text_of(path: str | os.PathLike[str]) -> str:
    """Return a whole file as text, its line ends as they are."""
    with opened(path) as stream:
        data = stream.read()
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CleancutError(
            f"{path}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8. Convert the file to UTF-8."
        ) from None
