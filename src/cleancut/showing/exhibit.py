"""An exhibit is a table, with how it may be drawn. Everything that shows a result draws exhibits.

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
    """Rows and columns of text."""
    BARS = "bars"
    """A bar for each cell."""
    POINTS = "points"
    """A point with its interval for each cell: columns are systems, rows go from left to right."""
    STACK = "stack"
    """One bar for each row, made of its cells."""
    HEAT = "heat"
    """Shaded cells: counts by their share of the row; fractions by how far they are above or below their column's
    entry in ``Exhibit.baselines``, or by their value if there are none.
    """
    GAP = "gap"
    """A line for each row, from the value of the second column to that of the first."""
    RANKS = "ranks"
    """A line for each row, from its rank in the first column to its rank in the last."""
    CURVES = "curves"
    """A curve for the rows under each heading, with the first cell to the right and the second up; a point is hollow if
    the last cell is empty.
    """


class Measured(NamedTuple):
    """A fraction with its interval, and the number of things it was measured on."""

    value: float
    """The fraction; NaN if it is not defined."""
    low: float | None = None
    """The lower end of the interval; None if there is none."""
    high: float | None = None
    """The upper end of the interval; None if there is none."""
    n: int | None = None
    """The number of things that the fraction was measured on; None if it is not shown."""
    is_difference: bool = False
    """Whether it is the difference of two fractions, which is shown with its sign."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of the interval; None if there is none."""
        if self.low is None or self.high is None or math.isnan(self.low + self.high):
            return None
        return self.low, self.high

    def text(self, value: float, digits: int = 2) -> str:
        """Return the value, or an end of its interval, in percent.

        Args:
            value: the value or the end.
            digits: the number of digits behind the point.
        """
        if math.isnan(value):
            return percent(value)
        sign = "+" if self.is_difference else ""
        return f"{100 * value:{sign}.{digits}f}"


_NUMBER = re.compile(r"[-+]?[0-9.]*( - [-+]?[0-9.]+)?|nan")
"""A text that is aligned as a number: one number, the two ends of an interval, or a dash for none."""

Cell = Measured | float | int | str | None
"""A cell: a float is a fraction, which is shown in percent; None is an empty cell."""

Row = tuple[str, Sequence[Cell]]
"""The name of a row, and its cells."""


@dataclass(frozen=True)
class Exhibit:
    """A table. A row without cells is a heading of those below it."""

    slug: str
    """The name of the exhibit in files and links."""
    title: str
    """The title above it."""
    header: Sequence[str]
    """The names of the columns; the first is that of the names of rows."""
    rows: Sequence[Row]
    """The rows from top to bottom."""
    kind: Kind = Kind.TABLE
    """How it may be drawn."""
    note: str = ""
    """The lines below it."""
    reference: tuple[str, float] | None = None
    """A name and a value to compare the others with."""
    folded: bool = False
    """Whether a page shows its title only, until a reader unfolds it."""
    group: str = ""
    """What a long row of folded exhibits is called together; a page shows that name only, until a reader unfolds it."""
    strong: int = -1
    """The number of the column that stands out; -1 for none."""
    axes: tuple[str, str] = ("", "")
    """The names of the horizontal and the vertical axis of points, if the title does not tell them."""
    baselines: Sequence[float] = ()
    """The fraction that the cells of each column but the first are compared with when they are shaded; NaN for none."""
    rounds_names: bool = False
    """Whether the names of rows are ranges of numbers, which are rounded where they are drawn for people."""
    colours: Sequence[int] = ()
    """The number of the colour of each part of a stack, if it is not the number of the part."""

    def holds_words(self, column: int) -> bool:
        """Return whether a column holds words, which are aligned to the left; numbers are aligned to the right.

        Args:
            column: the number of the column, from 0.
        """
        cells = [row[column - 1] for _, row in self.rows if row]
        return column == 0 or any(isinstance(cell, str) and not _NUMBER.fullmatch(cell) for cell in cells)

    def shown(self, name: str) -> str:
        """Return the name of a row as people read it.

        Args:
            name: the name.
        """
        return rounded(name) if self.rounds_names else name

    def as_points(self, slug: str, title: str) -> Exhibit:
        """Return the same values with a column for each row, to be drawn as points from left to right.

        Args:
            slug: the name of the new exhibit.
            title: its title.
        """
        names = [name for name, _ in self.rows]
        columns = zip(*(cells for _, cells in self.rows), strict=True)
        rows = list(zip(self.header[1:], map(list, columns), strict=True))
        return Exhibit(slug, title, [title, *names], rows, Kind.POINTS)


_DIGITS = re.compile(r"\d+\.\d+")
"""A number with digits behind its point, in the name of a bucket."""


def rounded(bucket: str) -> str:
    """Return the name of a bucket with numbers of two digits that count, as people read them.

    Args:
        bucket: the name, such as ``0.01111-0.06452``.

    >>> rounded("0.01111-0.06452"), rounded("9.667-970.8"), rounded("0.9951-1"), rounded(">=4")
    ('0.011-0.065', '9.7-971', '0.995-1', '>=4')
    """
    return _DIGITS.sub(lambda number: _shortest(float(number[0])), bucket)


def _shortest(value: float) -> str:
    """Return a number with two digits that count, or as many more as keep it below the next whole number."""
    if value >= 100:
        return f"{value:.0f}"
    for digits in range(2, 5):
        text = f"{value:.{digits}g}"
        if float(text) < math.ceil(value):
            break
    return text


@dataclass(frozen=True)
class Section:
    """Exhibits that answer one question, and a sentence that says how to read them."""

    slug: str
    """The name of the section in links."""
    title: str
    """The title of the section."""
    lead: str
    """The sentence that says how to read it."""
    exhibits: Sequence[Exhibit] = ()
    """The exhibits from top to bottom."""


class Spot(NamedTuple):
    """A point of a curve."""

    name: str
    """The name of its row."""
    x: float
    """Its horizontal value, as a fraction."""
    y: float
    """Its vertical value, as a fraction."""
    full: bool = True
    """Whether it is drawn filled rather than hollow."""


def curves(exhibit: Exhibit) -> dict[str, list[Spot]]:
    """Return the points under each heading.

    Args:
        exhibit: the exhibit.
    """
    spots: dict[str, list[Spot]] = {}
    for group, name, (x, y, *_, mark) in grouped_rows(exhibit):
        assert isinstance(x, Measured) and isinstance(y, Measured)
        spots.setdefault(group, []).append(Spot(name, x.value, y.value, mark is not None))
    return spots


def grouped_rows(exhibit: Exhibit) -> list[tuple[str, str, Sequence[Cell]]]:
    """Return the rows that have cells, each with its heading and its name.

    Args:
        exhibit: the exhibit.
    """
    rows = []
    group = ""
    for name, cells in exhibit.rows:
        if cells:
            rows.append((group, name, cells))
        else:
            group = name
    return rows


LEAST_REACH = 0.1
"""The least difference that has the full colour: smaller ones are never made to look large."""


def reach(exhibit: Exhibit) -> float:
    """Return the difference from the baseline that has the full colour: the largest of all cells.

    Args:
        exhibit: an exhibit with baselines.
    """
    differences = [LEAST_REACH]
    for _, cells in exhibit.rows:
        differences += [abs(cell) for cell in compared(exhibit, cells) if not math.isnan(cell)]
    return max(differences)


def compared(exhibit: Exhibit, cells: Sequence[Cell]) -> list[float]:
    """Return how far each cell of a row is above the baseline of its column; NaN where there is nothing to compare.

    Args:
        exhibit: an exhibit with baselines.
        cells: the cells of the row.
    """
    pairs = zip(cells, exhibit.baselines, strict=False)
    return [cell - base if isinstance(cell, float) else math.nan for cell, base in pairs]


def shades(cells: Sequence[Cell]) -> list[float]:
    """Return how dark each cell of a row is: fractions by their value; counts by their share, if all cells are counts.

    Args:
        cells: the cells of the row.
    """
    known = [cell for cell in cells if cell is not None]
    total = sum(cell for cell in known if isinstance(cell, int))
    if total and all(isinstance(cell, int) for cell in known):
        return [cell / total if isinstance(cell, int) else math.nan for cell in cells]
    return [cell if isinstance(cell, float) else math.nan for cell in cells]


def cell_text(cell: Cell) -> str:
    """Return a cell as text, such as ``41.06 [38.20, 43.91]``, with the number of things behind it if it is known.

    Args:
        cell: the cell.
    """
    if isinstance(cell, Measured):
        parts = [cell.text(cell.value)]
        if cell.interval:
            parts.append(f"[{', '.join(map(cell.text, cell.interval))}]")
        if cell.n is not None:
            parts.append(f"({cell.n})")
        return " ".join(parts)
    if cell is None:
        return ""
    return percent(cell) if isinstance(cell, float) else str(cell)


def row_texts(exhibit: Exhibit) -> list[list[str]]:
    """Return the rows as texts, as wide as the header.

    Args:
        exhibit: the exhibit.
    """
    width = len(exhibit.header) - 1
    return [[name, *map(cell_text, cells), *[""] * (width - len(cells))] for name, cells in exhibit.rows]
