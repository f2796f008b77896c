"""What is known of a format of files: how it is recognised, read and written. The table of them is in ``formats``."""

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
    """How the samples of a file are got at."""

    CONLL = "conll"
    JSONL = "jsonl"
    PARQUET = "parquet"
    ROWS = "rows"
    """By a reader of what another tool exports, which gives rows whose columns are known or have to be found."""


@dataclass(frozen=True)
class Plain:
    """How a file of samples is read in batches, in constant memory."""

    corpora: Callable[[Source, Options, int | None], Iterator[Corpus]]
    """The samples, so many at a time, or all of them at once."""
    copy: Callable[[Sequence[str], Mapping[int, str], Sequence[str], str | os.PathLike[str]], list[str]]
    """Writes samples of files as they stand there: by their numbers, the output that each goes to."""
    details: Callable[[Source, Options], tuple[str, ...]] | None = None
    """What is to be known of where a file has what, where columns have no names."""
    first_records: Callable[[Source], list[Row]] | None = None
    """Records that show which columns there are; None where columns have no names."""


@dataclass(frozen=True)
class Writer:
    """How samples are written in a format."""

    name: str
    """What the format is called where one is chosen: ``conll``, ``brat``."""
    write: Callable[[Iterable[Corpus], str, Writing], None]
    """Writes samples, given in parts, to a file or a folder, which appears when it is complete."""


@dataclass(frozen=True)
class InJson:
    """How what a tool writes as JSON is recognised by the values that it holds, and read."""

    recognises: Callable[[list[Any]], bool]
    """Given the values of an array, or a value that stands alone."""
    rows: Callable[[list[Any], str], Exported]
    """Given the same, and what to call the file in errors."""
    is_of_records: bool = False
    """Is each value an object that says what it is, so that a line of JSONL may hold it?"""


@dataclass(frozen=True)
class FileFormat:
    """A format of files: an entry of the table."""

    name: str
    """What it is called where it is said what was recognised."""
    expected: str
    """What a file holds, as an error says it."""
    recognises: Callable[[Source], bool] | None = None
    """Given what is read; None for a form of JSON, which is recognised when the JSON is read."""
    suffixes: tuple[str, ...] = ()
    """Usual endings of names."""
    kind: Format = Format.ROWS
    rows: Callable[[Source], Exported] | None = None
    """How the rows of a tool are read."""
    in_json: InJson | None = None
    """How it is read where it is a form of JSON."""
    plain: Plain | None = None
    """How it is read where it holds samples as they are."""
    writer: Writer | None = None
    """How it is written; None where it is only read."""

    def taken_for(self, source: Source | str, read: Callable[[], Exported], name: str | None = None) -> Exported:
        """Return the rows that ``read`` reads; where they are not of the format after all, an error that says so."""
        try:
            return read()
        except CleancutError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
            taken = f"{source}: taken for {name or self.name}"
            why = f"{type(error).__name__}: {reason(error)}"
            raise CleancutError(f"{taken}, which it is not to the end ({why}). Expected {self.expected}.") from None
