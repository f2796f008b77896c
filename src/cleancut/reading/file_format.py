"""Formats of files: how each is recognised, read and written. The table of them is in ``formats``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, reason
from .batches import Options
from .exported import Exported
from .opening import Row, Source
from .writing import Writing


class Format(StrEnum):
    """How the samples of a file are read."""

    CONLL = "conll"
    """As columns without names."""
    JSONL = "jsonl"
    """As an object a line."""
    PARQUET = "parquet"
    """As a table of Arrow."""
    ROWS = "rows"
    """By a reader of what another tool exports, which gives rows whose columns are known or have to be detected."""


@dataclass(frozen=True)
class Plain:
    """How a file of samples is read in batches, in constant memory."""

    corpora: Callable[[Source, Options, int | None], Iterator[Corpus]]
    """Yields the samples of a source in corpora of so many, or in one corpus where the number is None."""
    copy: Callable[[Sequence[str], Mapping[int, str], Sequence[str], str | os.PathLike[str]], list[str]]
    """Writes samples of files as they stand there, each to the output that its number is assigned to."""
    details: Callable[[Source, Options], tuple[str, ...]] | None = None
    """Returns what is known about the columns of a file, where these have no names."""
    first_records: Callable[[Source], list[Row]] | None = None
    """Returns records that show which columns there are; None where columns have no names."""


@dataclass(frozen=True)
class Writer:
    """How samples are written in a format."""

    name: str
    """The name by which the format is chosen: ``conll``, ``brat``."""
    write: Callable[[Iterable[Corpus], str, Writing], None]
    """Writes samples, given in parts, to a file or a folder, which appears when it is complete."""
    packs: bool = False
    """Whether it packs what it writes where the name of the file ends in .gz."""


@dataclass(frozen=True)
class InJson:
    """How the JSON that a tool writes is recognised by its values, and read."""

    recognises: Callable[[list[Any]], bool]
    """Returns whether the values of an array, or a value that stands alone, are of the format."""
    rows: Callable[[list[Any], str], Exported]
    """Returns the rows of the same values; the second argument names the file in errors."""
    is_of_records: bool = False
    """Whether each value is an object that shows its format, so that a line of JSONL may hold it."""


@dataclass(frozen=True)
class FileFormat:
    """A format of files, which is an entry of the table."""

    name: str
    """The name of the format in reports of what was recognised."""
    expected: str
    """What a file of the format holds, for messages."""
    recognises: Callable[[Source], bool] | None = None
    """Returns whether a source is of the format; None for a form of JSON, which is recognised as it is read."""
    suffixes: tuple[str, ...] = ()
    """The usual endings of names."""
    kind: Format = Format.ROWS
    """How the samples are read."""
    rows: Callable[[Source], Exported] | None = None
    """Returns the rows of a source, where a tool has exported it."""
    in_json: InJson | None = None
    """How the format is read where it is a form of JSON."""
    plain: Plain | None = None
    """How the format is read where it holds samples as they are."""
    writer: Writer | None = None
    """How the format is written; None where it is only read."""

    def taken_for(self, source: Source | str, read: Callable[[], Exported], name: str | None = None) -> Exported:
        """Return the rows that a function reads from a source of this format.

        Args:
            source: the source, or its name.
            read: the function.
            name: the name of the format in the message; that of this one by default.

        Raises:
            CleancutError: the source is not of the format after all.
        """
        try:
            return read()
        except CleancutError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
            assumed = f"{source}: taken for {name or self.name}"
            why = f"{type(error).__name__}: {reason(error)}"
            raise CleancutError(f"{assumed}, which it is not to the end ({why}). Expected {self.expected}.") from None
