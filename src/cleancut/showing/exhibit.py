"""An exhibit: a table, and as what it may be drawn. Everything that shows a result draws exhibits.

A cell knows what it is (a fraction, a count, a difference), not how it looks: that is up to the terminal, the notebook,
the page, the picture or the file that draws it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from ..core.shown import percent


class Kind(StrEnum):
    """How an exhibit may be drawn."""

    TABLE = "table"
    BARS = "bars"
    """A bar for each cell."""
    POINTS = "points"
    """Columns are systems: a point with its interval for each cell, rows from left to right."""
    STACK = "stack"
    """A row is one bar, made of its cells."""
    HEAT = "heat"
    """Cells are shaded: fractions by their value, counts by their share of the row."""
    GAP = "gap"
    """From the second column's value to the first's, one row below the other."""
    CURVES = "curves"
    """Rows under a heading are points of a curve, the first cell to the right and the second up; hollow if the last is
    empty."""


class Measured(NamedTuple):
    """A fraction with its interval, and the number of things it was measured on."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    is_difference: bool = False
    """Is it the difference of two fractions, which has a sign?"""

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of the interval; None where there is none."""
        if self.low is None or self.high is None or math.isnan(self.low + self.high):
            return None
        return self.low, self.high

    def text(self, value: float, digits: int = 2) -> str:
        """Return the value, or an end of its interval, in percent."""
        if math.isnan(value):
            return percent(value)
        return f"{100 * value:{'+' if self.is_difference else ''}.{digits}f}"


_NUMBER = re.compile(r"[-+]?[0-9.]*( - [-+]?[0-9.]+)?|nan")
"""What is aligned as a number: one, the two ends of an interval, a dash for none."""

Cell = Measured | float | int | str | None
"""A float is a fraction, which is shown in percent; None is nothing."""

Row = tuple[str, Sequence[Cell]]
"""The name of a row, and its cells."""


@dataclass(frozen=True)
class Exhibit:
    """A table. A row without cells is a heading of those below it."""

    slug: str
    title: str
    header: Sequence[str]
    rows: Sequence[Row]
    kind: Kind = Kind.TABLE
    note: str = ""
    reference: tuple[str, float] | None = None
    """A named value that the others are to be seen against."""
    folded: bool = False
    """One of many of its like, that is unfolded when it is wanted."""
    strong: int = -1
    """The column that stands out."""
    axes: tuple[str, str] = ("", "")
    """Of points, what is from left to right and what from below, where the title does not say it."""

    def holds_words(self, column: int) -> bool:
        """Does a column, counted from 0, hold words? These begin at the left; numbers end at the right."""
        cells = [row[column - 1] for _, row in self.rows if row]
        return column == 0 or any(isinstance(cell, str) and not _NUMBER.fullmatch(cell) for cell in cells)

    def as_points(self, slug: str, title: str) -> Exhibit:
        """Return the same with a column for each row, to be drawn as points from left to right."""
        names = [name for name, _ in self.rows]
        columns = zip(*(cells for _, cells in self.rows), strict=True)
        rows = list(zip(self.header[1:], map(list, columns), strict=True))
        return Exhibit(slug, title, [title, *names], rows, Kind.POINTS)


@dataclass(frozen=True)
class Section:
    """Exhibits that answer one question, and a sentence that says how to read them."""

    slug: str
    title: str
    lead: str
    exhibits: Sequence[Exhibit] = ()


class Spot(NamedTuple):
    """A point of a curve."""

    name: str
    x: float
    y: float
    full: bool = True


def curves(exhibit: Exhibit) -> dict[str, list[Spot]]:
    """The points under each heading."""
    found: dict[str, list[Spot]] = {}
    for group, name, (x, y, *_, mark) in grouped_rows(exhibit):
        assert isinstance(x, Measured) and isinstance(y, Measured)
        found.setdefault(group, []).append(Spot(name, x.value, y.value, mark is not None))
    return found


def grouped_rows(exhibit: Exhibit) -> list[tuple[str, str, Sequence[Cell]]]:
    """The rows that have cells, each with the heading it stands under."""
    found, group = [], ""
    for name, cells in exhibit.rows:
        if cells:
            found.append((group, name, cells))
        else:
            group = name
    return found


def shades(cells: Sequence[Cell]) -> list[float]:
    """How dark each cell of a row is: fractions by their value, counts by their share where there is nothing else."""
    known = [cell for cell in cells if cell is not None]
    total = sum(cell for cell in known if isinstance(cell, int))
    if total and all(isinstance(cell, int) for cell in known):
        return [cell / total if isinstance(cell, int) else math.nan for cell in cells]
    return [cell if isinstance(cell, float) else math.nan for cell in cells]


def cell_text(cell: Cell) -> str:
    """Return ``41.06 [38.20, 43.91]``, with the number of things behind it where that is known."""
    if isinstance(cell, Measured):
        parts = [cell.text(cell.value)]
        if cell.interval:
            parts.append(f"[{', '.join(map(cell.text, cell.interval))}]")
        return " ".join([*parts, *([f"({cell.n})"] if cell.n is not None else [])])
    if cell is None:
        return ""
    return percent(cell) if isinstance(cell, float) else str(cell)


def row_texts(exhibit: Exhibit) -> list[list[str]]:
    """Return the rows as texts, as wide as the header."""
    width = len(exhibit.header) - 1
    return [[name, *map(cell_text, cells), *[""] * (width - len(cells))] for name, cells in exhibit.rows]
