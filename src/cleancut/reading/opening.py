"""Sources, which are files or texts with a name: their bytes, their lines and their beginning."""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

import numpy as np

from ..core import checks
from ..core.exceptions import CleancutError, quoted, reason
from ..core.limits import PIECE, longest_line, max_unpacked, refuse_endless, refuse_longer
from .progress import Told, work_shown

Row = dict[str, Any]
"""The fields of a record by name."""
Value = TypeVar("Value")


class Block(NamedTuple):
    """Some whole lines of a file."""

    line: int
    """The number of the first line."""
    data: bytes
    """The bytes of the lines."""

    @property
    def n_line_feeds(self) -> int:
        """The number of its line feeds, counted faster than by ``bytes.count``, which is slow where lines are short."""
        return int(np.count_nonzero(np.frombuffer(self.data, np.uint8) == ord("\n")))

    def without_mark(self) -> Block:
        """Return the block without the mark of the byte order that may begin a file."""
        if self.line != 1:
            return self
        return self._replace(data=self.data.removeprefix(BYTE_ORDER_MARK))


@dataclass
class _Reader:
    """The progress of whoever reads a source as a whole."""

    told: Told | None = None
    """The function that is told how much was read; None if nobody listens."""
    n_bytes: int = 0
    """The number of bytes that it was told of."""


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
    """The bytes of a text in memory; None for a path."""
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)
    """What ``once`` has found out."""
    _reader: _Reader = field(default_factory=_Reader, repr=False)
    """Who listens while the source is read."""

    @classmethod
    def of(cls, readable: Readable) -> Source:
        """Return the source of a path. A source is returned as it is.

        Args:
            readable: the path, or the source.
        """
        if isinstance(readable, Source):
            return readable
        return cls(checks.checked_path(readable))

    @classmethod
    def of_text(cls, text: str | bytes, name: str) -> Source:
        """Return the source of a text in memory.

        Args:
            text: the text, or the bytes of a file.
            name: what to call it in messages; an ending such as ``.csv`` may show the format.

        Raises:
            CleancutError: ``text`` is neither text nor bytes.
        """
        if not isinstance(text, str | bytes | bytearray | memoryview):
            raise CleancutError(f"{quoted(text)} is not a text. Give the text, or the bytes, of a file.")
        checks.text(name, "name", "a name for messages, such as pasted.conll")
        if isinstance(text, str):
            # half a character, which UTF-8 does not have, becomes bytes that are not UTF-8: errors name its line
            return cls(name, text.encode("utf-8", "surrogatepass"))
        return cls(name, bytes(text))

    def __str__(self) -> str:
        return self.name

    def once(self, what: Any, find: Callable[[], Value]) -> Value:
        """Return what a function finds out about the source. It is called the first time only.

        Args:
            what: a name for what it finds out.
            find: the function.
        """
        if what not in self._known:
            self._known[what] = find()
        value: Value = self._known[what]
        return value

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
        """Whether the name says that the source is gzipped."""
        return self.name.lower().endswith(".gz")

    @property
    def is_there(self) -> bool:
        """Whether the source is a text in memory, or a file that exists."""
        return self.data is not None or os.path.isfile(self.name)

    @property
    def is_folder(self) -> bool:
        """Whether the source is a folder."""
        return self.data is None and os.path.isdir(self.name)

    def check(self) -> None:
        """Check that there is something that can be read more than once.

        Raises:
            CleancutError: the source is a folder, a pipe or a device, or does not exist.
        """
        if self.is_there:
            return
        if self.is_folder:
            refuse_saved_dataset(self.name)
            raise CleancutError(f"{self} is a directory. Name a file in it.")
        if not os.path.exists(self.name):
            raise CleancutError(f"{self}: no such file.")
        raise CleancutError(f"{self} is a pipe or a device. Write it to a file first.")

    # --- all of it ----------------------------------------------------------------------------------------------------

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Open the bytes for reading, unpacked where the name ends in .gz.

        Raises:
            CleancutError: the bytes cannot be read or unpacked.
        """
        try:
            with self._stream() as stream:
                yield stream
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise CleancutError(f"{self}: the gzip data is broken ({reason(error)}). Pack the file again.") from None
        except OSError as error:
            raise CleancutError(f"{self}: {error.strerror or error}.") from None

    def _stream(self) -> Any:
        """Return the open stream; errors are those of Python."""
        if self.data is not None:
            stream = io.BytesIO(self.data)
            return gzip.GzipFile(fileobj=stream) if self.is_packed else stream
        return gzip.open(self.name, "rb") if self.is_packed else open(self.name, "rb")

    def read(self) -> bytes:
        """Return all bytes, unpacked. Packed data that may be large is first unpacked without keeping it."""
        with self.opened() as stream:
            if self.is_packed and _MOST_PACKED * self.size >= max_unpacked():
                refuse_endless(iter(partial(stream.read, PIECE), b""), self.name)
                stream.seek(0)
            return stream.read()

    @property
    def size(self) -> int:
        """The number of bytes as they are stored, packed or not."""
        return os.path.getsize(self.name) if self.data is None else len(self.data)

    def blocks(self, *ends: bytes, size: int | None = None) -> Iterator[Block]:
        """Yield the bytes in blocks of whole lines, so that many lines can be read at once.

        Args:
            *ends: what a block may end with, each of at least a line feed; a line feed by default.
            size: the number of bytes of a block, at least; it is longer where what it ends with comes later.

        Raises:
            CleancutError: the source cannot be read, or a line is longer than the limit.
        """
        ends = ends or (b"\n",)
        size = size or BLOCK
        number = 1
        pending = b""
        with self.opened() as stream:
            while data := stream.read(size):
                self._tell(stream)
                pending += data
                cut = max(_end_of_last(end, pending) for end in ends)
                if not cut:
                    refuse_longer(len(pending), f"{self}, line {number}")
                    # larger pieces, so that what is pending is not searched again and again
                    size = min(2 * size, longest_line())
                    continue
                block = Block(number, pending[:cut]).without_mark()
                yield block
                number += block.n_line_feeds
                pending = pending[cut:]
        if pending:
            yield Block(number, pending).without_mark()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show a bar of how much of the file has been read, where reading it takes more than a moment."""
        name = self.base if self.base.isprintable() else quoted(self.base)
        with work_shown(f"reading {name}") as told:
            self._reader.told = told
            self._reader.n_bytes = 0
            try:
                yield
            finally:
                self._reader.told = None

    def while_shown(self, items: Iterable[Value]) -> Iterator[Value]:
        """Yield what is read from the source as it is, and show the bar in the meantime.

        Args:
            items: what reads the source while it is gone through, such as batches of its samples.
        """
        with self.shown():
            yield from items

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
        """Yield the lines with their numbers.

        Only line feeds end a line, since tokens may hold Unicode's other separators.

        Raises:
            CleancutError: a line is not UTF-8, or has a carriage return inside.
        """
        for block in self.blocks(size=_LINES):
            yield from self.lines_of(block)

    def lines_of(self, block: Block) -> Iterator[tuple[int, str]]:
        """Yield the lines of a block with their numbers.

        Args:
            block: the block.

        Raises:
            CleancutError: a line is not UTF-8, or has a carriage return inside; the message names it.
        """
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
        """Return all of the source as text, with its line ends as they are.

        Raises:
            CleancutError: the source is not UTF-8; the message names the line.
        """
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
                data += stream.readline(min(_LONGEST_RECORD, longest_line()))  # the first record tells most
        text = data.decode("utf-8", "replace").removeprefix("\ufeff")
        if len(data) < _HEAD and not text.endswith("\n"):
            text += "\n"  # the last line is whole
        return text.lstrip()

    @cached_property
    def head_lines(self) -> list[str]:
        """The lines of the head that are whole and not blank."""
        whole = self.head.split("\n")[:-1] or [self.head]
        lines = [line for line in whole if line.strip()]
        return [line.rstrip("\r") for line in lines] if "\r" in self.head else lines

    @cached_property
    def first_record(self) -> Row:
        """The object that the first line holds, or the first object of an array; empty where there is none."""
        text = self.head.lstrip("\ufeff \t\r\n").removeprefix("[").lstrip()
        try:
            record, _ = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return {}
        return record if isinstance(record, dict) else {}


Readable = str | os.PathLike[str] | Source
"""A path, or a source."""

BLOCK = 1 << 21
"""The number of bytes that are read at a time where many lines are read at once: few enough that arrays are reused."""
_LINES = 1 << 16
"""The number of bytes that are read at a time where a reader may need only the first lines."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""The mark that may begin a file of UTF-8."""
_MOST_PACKED = 1040
"""The number of bytes that one byte of gzip can unpack to, at most."""
_HEAD = 1 << 16
"""The number of bytes at the beginning of a file by which its format is recognised."""
_LONGEST_RECORD = 1 << 26
"""The number of bytes of a first record that are looked at for the same purpose, at most."""


_SAVED = ("dataset_dict.json", "state.json")
"""Files in the folders that ``save_to_disk`` of datasets writes: of several splits, and of one."""


def refuse_saved_dataset(folder: str) -> None:
    """Refuse a folder that ``save_to_disk`` has written.

    Args:
        folder: the folder.

    Raises:
        CleancutError: it is one.
    """
    if any(os.path.isfile(os.path.join(folder, name)) for name in _SAVED):
        raise CleancutError(
            f"{folder} was written by save_to_disk. Write each split with to_parquet, or give what load_from_disk "
            "returns to from_dataset in Python."
        )


def _end_of_last(end: bytes, data: bytes) -> int:
    """Return where the last occurrence of some bytes ends; 0 where there is none."""
    if end[-2:-1] == b"\r" and b"\r" not in data:  # one byte is looked for faster than two
        return 0
    return data.rfind(end) + len(end) if end in data else 0
