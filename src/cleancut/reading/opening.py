"""What is read, a file or a text that has a name, as a ``Source``: its bytes, its lines, and its beginning."""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

from ..core import checks
from ..core.exceptions import CleancutError, quoted, reason
from ..core.limits import PIECE, longest_line, max_unpacked, refuse_endless, refuse_longer
from .progress import Told, work_shown

Row = dict[str, Any]
Found = TypeVar("Found")


class Block(NamedTuple):
    """Some lines of a file."""

    line: int
    """The number of the first."""
    data: bytes

    def without_mark(self) -> Block:
        """Return the block without the mark of the byte order that may begin a file."""
        return self._replace(data=self.data.removeprefix(BYTE_ORDER_MARK)) if self.line == 1 else self


@dataclass
class _Reader:
    """Who reads a source as a whole, and how far they have come."""

    told: Told | None = None
    n_bytes: int = 0


@dataclass(frozen=True, eq=False)
class Source:
    """A file or folder by its path, or a text in memory by a name of the caller's choice.

    >>> source = Source.of_text("Ada B-PER", name="pasted")
    >>> str(source), source.path, list(source.lines())
    ('pasted', None, [(1, 'Ada B-PER')])
    """

    name: str
    """The path, or what a text is called in messages; its ending may show the format."""
    data: bytes | None = None
    """What is in memory; None for a path."""
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)
    _reader: _Reader = field(default_factory=_Reader, repr=False)

    @classmethod
    def of(cls, given: Readable) -> Source:
        """Return the source of a path; a source is itself."""
        return given if isinstance(given, Source) else cls(checks.checked_path(given))

    @classmethod
    def of_text(cls, text: str | bytes, name: str) -> Source:
        """Return the source of a text, or of the bytes of a file, that is in memory."""
        if not isinstance(text, str | bytes | bytearray | memoryview):
            raise CleancutError(f"{quoted(text)} is no text. Give the text, or the bytes, of a file.")
        checks.text(name, "name", "a name for messages, such as pasted.conll")
        # half a character, which UTF-8 does not have, is met again as bytes that are not UTF-8: errors name its line
        return cls(name, text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text))

    def __str__(self) -> str:
        return self.name

    def once(self, what: Any, find: Callable[[], Found]) -> Found:
        """Return what ``find`` finds out about the source, and ask it the first time only."""
        if what not in self._known:
            self._known[what] = find()
        known: Found = self._known[what]
        return known

    # --- what it is ---------------------------------------------------------------------------------------------------

    @property
    def path(self) -> str | None:
        """The path; None for a text in memory."""
        return self.name if self.data is None else None

    @property
    def base(self) -> str:
        """The name without folders."""
        return os.path.basename(self.name)

    @property
    def suffix(self) -> str:
        """The ending of the name, in small letters, without ``.gz``."""
        return Path(self.name.lower().removesuffix(".gz")).suffix

    @property
    def is_packed(self) -> bool:
        """Does the name say that it is gzipped?"""
        return self.name.endswith(".gz")

    @property
    def is_there(self) -> bool:
        """Is it a text in memory, or a file that exists?"""
        return self.data is not None or os.path.isfile(self.name)

    @property
    def is_folder(self) -> bool:
        return self.data is None and os.path.isdir(self.name)

    def check(self) -> None:
        """Raise an error where there is nothing that can be read more than once."""
        if self.is_there:
            return
        if self.is_folder:
            raise CleancutError(f"{self} is a directory. Name a file in it.")
        if not os.path.exists(self.name):
            raise CleancutError(f"{self}: no such file.")
        raise CleancutError(f"{self} is a pipe or a device. Write it to a file first.")

    # --- all of it ----------------------------------------------------------------------------------------------------

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """The bytes, unpacked where the name ends in .gz."""
        try:
            with self._stream() as stream:
                yield stream
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise CleancutError(f"{self}: the gzip data is broken ({reason(error)}). Pack the file again.") from None
        except OSError as error:
            raise CleancutError(f"{self}: {error.strerror or error}.") from None

    def _stream(self) -> Any:
        if self.data is not None:
            stream = io.BytesIO(self.data)
            return gzip.GzipFile(fileobj=stream) if self.is_packed else stream
        return gzip.open(self.name, "rb") if self.is_packed else open(self.name, "rb")

    def read(self) -> bytes:
        """Return all bytes, unpacked; packed data that may be large is first unpacked without keeping it."""
        with self.opened() as stream:
            if self.is_packed and _MOST_PACKED * self.size >= max_unpacked():
                refuse_endless(iter(partial(stream.read, PIECE), b""), self.name)
                stream.seek(0)
            return stream.read()

    @property
    def size(self) -> int:
        """The number of bytes as they are, packed or not."""
        return os.path.getsize(self.name) if self.data is None else len(self.data)

    def blocks(self, *ends: bytes, size: int | None = None) -> Iterator[Block]:
        """Return the bytes in blocks of whole lines, so that many lines can be read at once.

        Args:
            *ends: what a block may end with, each of at least a line feed; a line feed by default.
            size: the bytes of a block, at least; it is longer where what it ends with comes later.
        """
        ends, size = ends or (b"\n",), size or BLOCK
        number, waiting = 1, b""
        with self.opened() as stream:
            while data := stream.read(size):
                self._tell(stream)
                waiting += data
                cut = max(waiting.rfind(end) + len(end) if end in waiting else 0 for end in ends)
                if not cut:
                    refuse_longer(len(waiting), f"{self}, line {number}")
                    # so that what is waiting is not looked through again and again
                    size = min(2 * size, longest_line())
                    continue
                block = Block(number, waiting[:cut]).without_mark()
                yield block
                number += block.data.count(b"\n")
                waiting = waiting[cut:]
        if waiting:
            yield Block(number, waiting).without_mark()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show a bar of how much of the file has been read, where reading it takes more than a moment."""
        with work_shown(f"reading {self.base}") as told:
            self._reader.told, self._reader.n_bytes = told, 0
            try:
                yield
            finally:
                self._reader.told = None

    def _tell(self, stream: Any) -> None:
        """Tell whoever listens what share of the file has been read since they were told last."""
        reader = self._reader
        if reader.told is None or self.path is None:
            return
        n_bytes = getattr(stream, "fileobj", stream).tell()  # of a packed file, its packed bytes
        if n_bytes > reader.n_bytes:
            reader.told((n_bytes - reader.n_bytes) / os.path.getsize(self.path))
            reader.n_bytes = n_bytes

    def lines(self) -> Iterator[tuple[int, str]]:
        """Numbered lines; only line feeds end a line, since tokens may hold Unicode's other separators."""
        for block in self.blocks(size=_LINES):
            yield from self.lines_of(block)

    def lines_of(self, block: Block) -> Iterator[tuple[int, str]]:
        """Return the numbered lines of a block; an error names the line that is not text."""
        for number, raw in enumerate(block.data.removesuffix(b"\n").split(b"\n"), block.line):
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise CleancutError(
                    f"{self}, line {number}: byte 0x{raw[error.start]:02x} at position {error.start} is not UTF-8. "
                    "Convert the file to UTF-8."
                ) from None
            line = line.rstrip("\r")
            if "\r" in line:
                raise CleancutError(
                    f"{self}, line {number}: a carriage return inside the line. End lines with a line feed."
                )
            yield number, line

    def text(self) -> str:
        """Return all of it as text, its line ends as they are."""
        data = self.read()
        try:
            return data.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise CleancutError(
                f"{self}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8. Convert the file to UTF-8."
            ) from None

    # --- its beginning, by which a format is recognised ---------------------------------------------------------------

    @cached_property
    def head(self) -> str:
        """The first 64 KB, as text as far as it is text, without space before it; empty where there is no file."""
        if not self.is_there:
            return ""
        with self.opened() as stream:
            data = stream.read(_HEAD)
            if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")) and b"\n" not in data:
                data += stream.readline(min(_LONGEST, longest_line()))  # the first record tells most
        text = data.decode("utf-8", "replace").removeprefix("\ufeff")
        if len(data) < _HEAD and not text.endswith("\n"):
            text += "\n"  # the last line is whole
        return text.lstrip()

    @cached_property
    def head_lines(self) -> list[str]:
        """The lines of the head that are whole and not blank."""
        whole = self.head.split("\n")[:-1] or [self.head]
        return [line.rstrip("\r") for line in whole if line.strip()]

    @cached_property
    def first_record(self) -> Row:
        """The object that the first line holds, or the first of an array; empty where there is none."""
        text = self.head.lstrip("\ufeff \t\r\n").removeprefix("[").lstrip()
        try:
            record, _ = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return {}
        return record if isinstance(record, dict) else {}


Readable = str | os.PathLike[str] | Source
"""A path, or a source of one."""

BLOCK = 1 << 21
"""Bytes that are read at a time where many lines are read at once: so few that arrays of them are reused."""
_LINES = 1 << 16
"""The same where a reader may need only the first lines."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MOST_PACKED = 1040
"""Bytes that one byte of gzip can unpack to, at most."""
_HEAD, _LONGEST = 1 << 16, 1 << 26
"""Bytes that show the format of a file, and of the longest line that is looked at for it."""
