"""The memory that a parquet file takes, counted before any of it is taken.

The footer of a file may claim anything. Arrow goes by the header of each page: so many bytes once unpacked, so many
values. A few bytes can stand for far more than that where values repeat one another: an entry of a dictionary, or a
text that begins as the one before it. How often they do is counted here, on numbers, without making the texts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_DICTIONARY_PAGE = 2
"""The kind of a page that holds a dictionary."""
_BY_DICTIONARY = (2, 8)
"""Encodings whose values are places in a dictionary."""
_BY_PREFIX = 7
"""The encoding whose texts begin as the one before."""
_BYTES_OF_VALUE = 4
"""The number of bytes that a value takes in memory at least; a repeated one takes nothing in the file."""
_SHORT_HEADER = 1 << 8
"""The number of bytes of the header of a page, most often."""
_LONGEST_HEADER = 1 << 24
"""The number of bytes of the header of a page, at most; it may quote the smallest and the largest value."""
_PADDING = 100
"""The number of bytes that Arrow looks behind the end of a column, which old programs got wrong."""
_DEEPEST = 16
"""The number of levels at which the parts of a header lie in one another, at most."""
_WIDEST = 31
"""The number of bits of the size of a text."""


class _Page(NamedTuple):
    """What the header of a page says, and where the page lies."""

    begin: int
    """The place of its first byte behind the header."""
    n_packed: int
    """The number of bytes in the file."""
    n_bytes: int
    """The number of bytes once unpacked."""
    n_values: int
    """The number of values."""
    encoding: int
    """The number of the encoding of its values."""
    is_dictionary: bool
    """Whether the page holds a dictionary rather than values."""
    n_level_bytes: int | None
    """The number of bytes before the values that are not packed; None where all is packed, as in version 1."""
    is_packed: bool
    """Whether the values are packed."""


class _Column(NamedTuple):
    """A column of a group of rows, and its pages."""

    is_text: bool
    """Whether the values are texts."""
    size: int
    """The number of bytes of each value, where all have the same; else 0."""
    codec: str | None
    """How the pages are packed; None where they are not."""
    levels: int
    """The number of kinds of levels before the values of a page: for nulls, and for lists."""
    pages: list[_Page]
    """The pages."""

    @property
    def n_values(self) -> int:
        """The number of values."""
        return sum(page.n_values for page in self.pages if not page.is_dictionary)

    @property
    def n_bytes(self) -> int:
        """The number of unpacked bytes, or of bytes of the values where they have one size."""
        return max(sum(page.n_bytes for page in self.pages), self.size * self.n_values)

    @property
    def most_by_dictionary(self) -> int:
        """The number of bytes of the texts if each were the whole dictionary, which is more than they can be."""
        n_bytes = sum(page.n_bytes for page in self.pages if page.is_dictionary)
        n_values = sum(page.n_values for page in self.pages if page.encoding in _BY_DICTIONARY)
        return n_bytes * n_values if self.is_text else 0

    @property
    def most_by_prefix(self) -> int:
        """The number of bytes of the texts that begin as the one before, if each were its whole page."""
        return sum(page.n_values * page.n_bytes for page in self.pages if page.encoding == _BY_PREFIX)


def bytes_taken(metadata: Any, stream: IO[bytes], limit: int) -> int:
    """Return how many bytes the columns of a file take in memory; from a limit on, at least so many.

    Args:
        metadata: the metadata of the ``pyarrow.parquet.ParquetFile``.
        stream: the bytes of the file.
        limit: the number of bytes beyond which nothing needs to be counted.

    Raises:
        ValueError: the footer, the header of a page, or a page of texts is broken.
    """
    columns = list(_columns(metadata, stream))
    n_values = max(metadata.num_rows, sum(column.n_values for column in columns))
    n_bytes = max(sum(column.n_bytes for column in columns), _BYTES_OF_VALUE * n_values)
    most_by_repetition = sum(column.most_by_dictionary + column.most_by_prefix for column in columns)
    if n_bytes >= limit or n_bytes + most_by_repetition < limit:
        return n_bytes
    n_bytes += sum(_bytes_by_prefix(columns, stream))
    if n_bytes + sum(_bytes_by_dictionary(columns, stream, exactly=False)) < limit:
        return n_bytes
    for n_more in _bytes_by_dictionary(columns, stream, exactly=True):
        n_bytes += n_more
        if n_bytes >= limit:
            break
    return n_bytes


def _columns(metadata: Any, stream: IO[bytes]) -> Iterator[_Column]:
    """Yield each column of each group of rows, as the footer has it.

    Fields go by the numbers that the format has given them. Arrow is not asked, because it ends the program where
    what it says of a column is broken.
    """
    n_left = stream.seek(0, os.SEEK_END)
    try:
        groups = [[chunk[3] for chunk in group[1]] for group in _footer(stream, n_left).get(4, [])]
        for chunk in chain.from_iterable(groups):
            n_left -= chunk[7]
            if chunk[7] < 0 or n_left < 0:  # else a page might be read again and again
                raise ValueError("its columns claim more bytes than there are")
        for chunks in groups:
            for k, chunk in enumerate(chunks):
                kind = metadata.schema.column(k)
                levels = (kind.max_repetition_level > 0) + (kind.max_definition_level > 0)
                is_text = kind.physical_type == "BYTE_ARRAY"
                size = kind.length if kind.physical_type == "FIXED_LEN_BYTE_ARRAY" else 0
                pages = list(_pages(chunk, stream))
                yield _Column(is_text, size, _CODECS.get(chunk[4]), levels, pages)
    except (KeyError, TypeError, AttributeError, IndexError):
        raise ValueError("its footer is broken") from None


_CODECS = {1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
"""How pages are packed, by the number in the footer. Others are not packed, or Arrow refuses them."""


def _footer(stream: IO[bytes], n_bytes: int) -> dict[int, Any]:
    """Return the fields of the footer, whose size stands before the last four bytes."""
    stream.seek(max(n_bytes - 8, 0))
    size = int.from_bytes(stream.read(4), "little")
    stream.seek(max(n_bytes - 8 - size, 0))
    return _Header(stream.read(size)).fields(_DEEPEST)


def _pages(chunk: Mapping[int, Any], stream: IO[bytes]) -> Iterator[_Page]:
    """Yield the pages of a column, as far as Arrow reads them."""
    begin = chunk[9]
    if 0 < chunk.get(11, 0) < begin:
        begin = chunk[11]
    end = begin + chunk[7] + _PADDING
    n_values = 0
    while begin < end and n_values < chunk[5]:
        page = _page_at(stream, begin)
        yield page
        if not page.is_dictionary:
            n_values += page.n_values
        begin = page.begin + page.n_packed


def _page_at(stream: IO[bytes], begin: int) -> _Page:
    """Return the page whose header begins at a byte."""
    size = _SHORT_HEADER
    while True:
        stream.seek(begin)
        data = stream.read(size)
        header = _Header(data)
        try:
            fields = header.fields(_DEEPEST)
        except IndexError:
            if len(data) < size or size >= _LONGEST_HEADER:
                raise _broken() from None
            size *= 16
            continue
        return _page_of(fields, begin + header.at)


def _page_of(fields: Mapping[int, Any], begin: int) -> _Page:
    """Return a page by the numbers of the fields of its header, which the format has given them."""
    first_version = fields.get(5, {})
    dictionary = fields.get(7, {})
    second_version = fields.get(8, {})
    try:
        n_level_bytes = None
        if second_version:
            n_level_bytes = second_version.get(5, 0) + second_version.get(6, 0)
        page = _Page(
            begin=begin,
            n_packed=fields[3],
            n_bytes=fields[2],
            n_values=max(header.get(1, 0) for header in (first_version, dictionary, second_version)),
            encoding=second_version.get(4, first_version.get(2, 0)),
            is_dictionary=fields[1] == _DICTIONARY_PAGE,
            n_level_bytes=n_level_bytes,
            is_packed=second_version.get(7, True),
        )
        if min(page.n_packed, page.n_bytes, page.n_values, page.n_level_bytes or 0) < 0:
            raise _broken()
        return page
    except (KeyError, TypeError, AttributeError):
        raise _broken() from None


def _broken() -> ValueError:
    """Return the error for the header of a page that is broken."""
    return ValueError("the header of a page is broken")


class _Header:
    """Reads the fields of a header, in the compact form of Thrift."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def fields(self, depth: int) -> dict[int, Any]:
        """Return the fields of a record by their numbers.

        Args:
            depth: the number of records that may still lie in one another.

        Raises:
            IndexError: the record goes on behind the end of the data.
            ValueError: the header is broken.
        """
        if not depth:
            raise _broken()
        values: dict[int, Any] = {}
        number = 0
        while mark := self.byte():
            step = mark >> 4
            number = number + step if step else self.number()
            values[number] = self._value(mark & 15, depth)
        return values

    def _value(self, kind: int, depth: int) -> Any:
        """Return the value of a field of some kind."""
        match kind:
            case 1 | 2:
                return kind == 1
            case 3:
                return self.byte()
            case 4 | 5 | 6:
                return self.number()
            case 7:
                return self.skip(8)
            case 8:
                return self.skip(self.size())
            case 9 | 10:
                return self._values(depth - 1)
            case 12:
                return self.fields(depth - 1)
        raise _broken()  # it has no maps

    def _values(self, depth: int) -> list[Any]:
        """Return the values of a list, each of which takes a byte at least."""
        mark = self.byte()
        n_values = mark >> 4
        kind = mark & 15
        if n_values == 15:
            n_values = self.size()
        if n_values > len(self.data) - self.at:
            raise IndexError
        if kind in (1, 2):  # in a list, a truth value takes a byte
            kind = 3
        return [self._value(kind, depth) for _ in range(n_values)]

    def byte(self) -> int:
        """Return the next byte."""
        byte = self.data[self.at]
        self.at += 1
        return byte

    def size(self) -> int:
        """Return a number that is not negative, seven bits a byte."""
        number = 0
        shift = 0
        while (byte := self.byte()) & 128:
            number |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise _broken()
        return number | byte << shift

    def number(self) -> int:
        """Return the next number, which may be negative."""
        size = self.size()
        return size >> 1 ^ -(size & 1)

    def skip(self, n_bytes: int) -> None:
        """Pass over some bytes.

        Args:
            n_bytes: how many.

        Raises:
            IndexError: there are fewer.
        """
        self.at += n_bytes
        if self.at > len(self.data):
            raise IndexError


# --- texts that repeat one another ------------------------------------------------------------------------------------


def _bytes_by_prefix(columns: Sequence[_Column], stream: IO[bytes]) -> Iterator[int]:
    """Yield, page by page, the number of bytes that texts share with the ones before them."""
    for column in columns:
        for page in column.pages:
            if page.encoding == _BY_PREFIX and not page.is_dictionary:
                yield _sum_of_deltas(_values_of(page, column, stream))


def _values_of(page: _Page, column: _Column, stream: IO[bytes]) -> bytes:
    """Return the bytes of a page behind the levels of its values, unpacked."""
    import pyarrow as pa

    stream.seek(page.begin)
    data = stream.read(page.n_packed)
    n_level_bytes = page.n_level_bytes or 0
    values = data[n_level_bytes:]
    if page.is_packed and column.codec is not None:
        values = pa.decompress(values, page.n_bytes - n_level_bytes, column.codec, asbytes=True)
    if page.n_level_bytes is None and not page.is_dictionary:
        for _ in range(column.levels):
            values = values[4 + int.from_bytes(values[:4], "little") :]
    return values


def _sum_of_deltas(data: bytes) -> int:
    """Return the sum of sizes that are kept as differences, block by block: DELTA_BINARY_PACKED of the format."""
    header = _Header(data)
    try:
        block = header.size()
        n_parts = header.size()
        n_left = header.size() - 1
        value = header.number()
        total = value
        while n_left > 0:
            least = header.number()
            for width in [header.byte() for _ in range(n_parts)]:
                n = min(block // n_parts, n_left)
                if n <= 0:
                    break
                packed = data[header.at : header.at + block // n_parts * width // 8]
                header.at += len(packed)
                more, value = _sum_of_part(packed, width, n, value, least)
                total += more
                n_left -= n
    except (IndexError, ZeroDivisionError, OverflowError):
        raise ValueError("a page of texts is broken") from None
    return total


def _numbers(packed: bytes, width: int, n: int) -> NDArray[np.int64]:
    """Return packed numbers of so many bits each."""
    if width > _WIDEST + 1:
        raise ValueError("a page of texts is broken")
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")[: n * width].reshape(n, width)
    numbers: NDArray[np.int64] = bits @ (1 << np.arange(width, dtype=np.int64))
    return numbers


def _sum_of_part(packed: bytes, width: int, n: int, value: int, least: int) -> tuple[int, int]:
    """Return the sum of the next sizes, and the last of them; each is the one before, ``least`` and a number more."""
    if not width:  # so that any number of them takes no memory
        sizes = [value + least, value + n * least]
        total = n * (sizes[0] + sizes[1]) // 2
    else:
        running = value + np.cumsum(_numbers(packed, width, n) + least)
        sizes = [int(running.min()), int(running.max()), int(running[-1])]
        total = int(running.sum())
    if not 0 <= min(sizes) <= max(sizes) < 1 << _WIDEST:
        raise ValueError("a page of texts is broken")
    return total, sizes[-1]


def _bytes_by_dictionary(columns: Sequence[_Column], stream: IO[bytes], exactly: bool) -> Iterator[int]:
    """Yield, page by page, the number of bytes of texts that are places in a dictionary.

    Where it need not be exact, each text counts as the longest one of the dictionary.
    """
    for column in columns:
        if not column.most_by_dictionary:
            continue
        dictionary = next(page for page in column.pages if page.is_dictionary)
        sizes = np.array(_sizes_of_texts(_values_of(dictionary, column, stream)), np.int64)
        for page in column.pages:
            if page.encoding not in _BY_DICTIONARY or page.is_dictionary:
                continue
            if exactly:
                yield _sum_of_places(_values_of(page, column, stream), page.n_values, sizes)
            else:
                yield int(sizes.max(initial=0)) * page.n_values


def _sizes_of_texts(data: bytes) -> list[int]:
    """Return the sizes of the texts of a dictionary, each of which stands in four bytes before it."""
    sizes = []
    at = 0
    while at + 4 <= len(data):
        sizes.append(int.from_bytes(data[at : at + 4], "little"))
        at += 4 + sizes[-1]
    return sizes


def _sum_of_places(data: bytes, n_values: int, sizes: NDArray[np.int64]) -> int:
    """Return the sum of the sizes of texts by their places: runs of one place, or of places of so many bits."""
    header = _Header(data)
    total = 0
    try:
        width = header.byte()
        while n_values > 0 and header.at < len(data):
            run = header.size()
            if run & 1 and width:
                packed = data[header.at : header.at + (run >> 1) * width]
                places = _numbers(packed, width, min(len(packed) * 8 // width, n_values))
                header.at += len(packed)
                total += int(sizes[places].sum())
                n_values -= len(places)
            else:
                n = run >> 1 << 3 if run & 1 else run >> 1
                place = int.from_bytes(data[header.at : header.at + (width + 7) // 8], "little")
                header.at += (width + 7) // 8
                total += min(n, n_values) * int(sizes[place])
                n_values -= n
    except IndexError:
        raise ValueError("a page of texts is broken") from None
    return total
