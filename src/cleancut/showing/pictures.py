"""Draw the exhibits of a report as pictures for a paper with matplotlib: each as PNG and as SVG."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

from ..core.exceptions import CleancutError
from ..splitting.folders import written_together
from .escaping import one_line
from .exhibit import Cell, Exhibit, Kind, Measured, Section, compared, curves, grouped_rows, reach, shades

_COLOURS = ("#2f67ab", "#c0581a", "#257d5b", "#8556a6", "#b23a60", "#83700f", "#22768a", "#68717c")
"""The colours of series."""
_MARKERS = "osD^vP<>"
"""The markers of series."""
_STYLE = {
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid.axis": "x", "axes.axisbelow": True,
    "grid.color": "#dfe2e4", "legend.frameon": False, "figure.dpi": 200, "text.parse_math": False,
    "svg.hashsalt": "cleancut", "svg.fonttype": "none",
}  # fmt: skip
"""The settings of matplotlib."""


def save_plots(sections: Sequence[Section], folder: str | os.PathLike[str], *, overwrite: bool = False) -> list[str]:
    """Draw all exhibits that can be drawn; ``manifest.json`` holds the digests of the files.

    Args:
        sections: the sections whose exhibits are drawn.
        folder: the folder for the pictures.
        overwrite: also replace files of the same names that cleancut did not write.

    Returns:
        The names of the files.

    Raises:
        CleancutError: matplotlib is not installed, or a file would be lost.
    """
    written = []
    together = written_together(folder, {"format": "cleancut-plots-1"}, overwrite=overwrite)
    with _matplotlib() as new_figure, together as fresh:
        for exhibit in chain.from_iterable(section.exhibits for section in sections):
            if exhibit.kind is Kind.TABLE:
                continue
            figure = new_figure(layout="constrained")
            axes = figure.subplots()
            figure.suptitle(one_line(exhibit.title), x=0.02, ha="left", fontsize=10)
            _DRAW[exhibit.kind](exhibit, figure, axes)
            for suffix, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
                written.append(f"{exhibit.slug}.{suffix}")
                with open(os.path.join(fresh, written[-1]), "wb") as stream:
                    figure.savefig(stream, format=suffix, metadata=metadata)
    return written


@contextmanager
def _matplotlib() -> Iterator[Callable[..., Any]]:
    """Yield figures in one style, whatever the settings of the user are, with the same bytes for the same numbers."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise CleancutError('plots need matplotlib, which is not installed: pip install "cleancut[plot]".') from None
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield Figure


def _values(cells: Sequence[Cell]) -> list[Measured]:
    """Return cells as fractions with intervals."""
    return [cell if isinstance(cell, Measured) else Measured(_number(cell)) for cell in cells]


def _number(cell: Cell) -> float:
    """Return a cell as a number; NaN if it is none."""
    return float(cell) if isinstance(cell, int | float) else math.nan


def _names(exhibit: Exhibit) -> list[str]:
    """Return the names of the rows, with their headings."""
    names = []
    for group, name, _ in grouped_rows(exhibit):
        shown = exhibit.shown(name)
        full_name = f"{group}: {shown}" if group else shown
        names.append(one_line(full_name))
    return names


def _whiskers(cells: Sequence[Measured]) -> list[list[float]]:
    """Return how far the interval reaches below and above each value, in percent."""
    ends = [cell.interval or (cell.value, cell.value) for cell in cells]
    below = [100 * (cell.value - low) for cell, (low, _) in zip(cells, ends, strict=True)]
    above = [100 * (high - cell.value) for cell, (_, high) in zip(cells, ends, strict=True)]
    return [below, above]


def _bars(exhibit: Exhibit, figure: Any, axes: Any) -> None:
    """Draw horizontal bars, with the first row and series on top."""
    rows = [_values(cells) for _, cells in exhibit.rows]
    series = exhibit.header[1:]
    height = 0.8 / len(series)
    for i, name in enumerate(series):
        column = [row[i] for row in rows]
        places = [r + height * (i + 0.5) - 0.4 for r in range(len(rows))]
        error = _whiskers(column) if any(cell.interval for cell in column) else None
        hatch = "////" if i // 8 % 2 else None  # the ninth series and the next seven repeat the colours
        axes.barh(
            places,
            [100 * cell.value for cell in column],
            height,
            xerr=error,
            color=_COLOURS[i % 8],
            hatch=hatch,
            edgecolor="white",
            linewidth=0,
            label=one_line(name),
            error_kw={"elinewidth": 0.8, "capsize": 2},
        )
    _finish_rows(exhibit, figure, axes, len(rows) * max(len(series) * 0.16, 0.3))


def _points(exhibit: Exhibit, figure: Any, axes: Any) -> None:
    """Draw a point with its interval for each cell, with the rows from left to right."""
    rows = [_values(cells) for _, cells in exhibit.rows]
    series = exhibit.header[1:]
    for i, name in enumerate(series):
        column = [row[i] for row in rows]
        places = [r + 0.7 * ((i + 0.5) / len(series) - 0.5) for r in range(len(rows))]
        colour = _COLOURS[i % 8]
        is_hollow = i // 8 % 2  # the ninth series and the next have the same colours, hollow
        filling = "white" if is_hollow else colour
        axes.errorbar(
            places,
            [100 * cell.value for cell in column],
            yerr=_whiskers(column),
            fmt=_MARKERS[i % 8],
            markersize=4,
            color=colour,
            markerfacecolor=filling,
            elinewidth=0.8,
            label=one_line(name),
        )
    counts = [next((cell.n for cell in row), None) for row in rows]
    ticks = [name if n is None else f"{name}\nn = {n}" for name, n in zip(_names(exhibit), counts, strict=True)]
    axes.set_xticks(range(len(rows)), ticks, fontsize=8)
    axes.set_xlim(-0.5, len(rows) - 0.5)
    axes.set_xlabel(exhibit.axes[0])
    axes.set_ylabel(exhibit.axes[1])
    axes.grid(axis="y")
    _finish(figure, max(4.6, 0.11 * len(series) * len(rows)), 3.0, series)


def _stack(exhibit: Exhibit, figure: Any, axes: Any) -> None:
    """Draw the shares of each row; the counts are written into the parts that have room for them."""
    rows = [[_number(cell) for cell in cells] for _, cells in exhibit.rows]
    colours = exhibit.colours or [i % 8 for i in range(len(exhibit.header) - 1)]
    for r, row in enumerate(rows):
        left = 0.0
        total = sum(row) or 1.0
        for i, n in enumerate(row):
            width = 100 * n / total
            label = one_line(exhibit.header[i + 1]) if r == 0 else None  # once is enough for the key
            axes.barh(r, width, 0.6, left, color=_COLOURS[colours[i]], label=label)
            if width > 6:
                axes.text(left + width / 2, r, f"{n:.0f}", ha="center", va="center", color="white", fontsize=7)
            left += width
    _finish_rows(exhibit, figure, axes, 0.34 * len(rows))


def _gap(exhibit: Exhibit, figure: Any, axes: Any) -> None:
    """Draw two marks on one line for each row."""
    rows = [_values(cells) for _, cells in exhibit.rows]
    for r, row in enumerate(rows):
        axes.plot([100 * cell.value for cell in row], [r] * len(row), color="#a9bcd2", linewidth=3, zorder=1)
    for i, (name, face) in enumerate(zip(exhibit.header[1:], (_COLOURS[0], "white"), strict=False)):
        column = [row[i] for row in rows]
        places = [r + 0.24 * i - 0.12 for r in range(len(rows))]
        axes.errorbar(
            [100 * cell.value for cell in column],
            places,
            xerr=_whiskers(column),
            fmt="oD"[i],
            color=_COLOURS[i],
            markerfacecolor=face,
            elinewidth=0.8,
            capsize=2,
            markersize=5,
            label=one_line(name),
        )
    if exhibit.reference:
        axes.axvline(100 * exhibit.reference[1], color="#68717c", linestyle="--", label=exhibit.reference[0])
    _finish_rows(exhibit, figure, axes, 0.4 * len(rows))


def _finish_rows(exhibit: Exhibit, figure: Any, axes: Any, height: float) -> None:
    """Write the names of the rows from top to bottom, and a key below."""
    axes.set_yticks(range(len(exhibit.rows)), _names(exhibit))
    axes.set_ylim(len(exhibit.rows) - 0.4, -0.6)
    axes.grid(axis="x")
    axes.set_xlabel("%")
    _finish(figure, 6.4, 1.4 + height, exhibit.header[1:])


def _finish(figure: Any, width: float, height: float, series: Sequence[str]) -> None:
    """Draw a key below the plot if there are several series, and set the size of the figure in inches.

    The key adds to the height.
    """
    longest = max(map(len, series), default=0)
    n_columns = max(1, int(width / (0.5 + 0.075 * longest)))
    n_lines = math.ceil(len(series) / n_columns) if len(series) > 1 else 0
    figure.set_size_inches(width, height + 0.18 * n_lines)
    if len(series) > 1:
        figure.legend(loc="outside lower center", ncols=n_columns, fontsize=8)


_SHORT_NAME = 14
"""The most letters of a name for which a picture needs no room beyond its usual size."""


def _heat(exhibit: Exhibit, figure: Any, axes: Any) -> None:
    """Draw shaded cells, as on the page; counts beside fractions are left to the tables."""
    rows = [row for _, _, row in grouped_rows(exhibit)]
    has_fractions = any(isinstance(cell, float) for row in rows for cell in row)
    columns = list(range(len(exhibit.header) - 1))
    if has_fractions:
        columns = [i for i in columns if not isinstance(rows[0][i], int)]
    cells = [[row[i] for i in columns] for row in rows]
    if exhibit.baselines:
        most = reach(exhibit)
        differences = [compared(exhibit, row) for row in rows]
        shown = [[row[i] for i in columns] for row in differences]
        axes.imshow(shown, cmap="PuOr", vmin=-1.6 * most, vmax=1.6 * most, aspect="auto")
    else:
        axes.imshow([shades(row) for row in cells], cmap="Blues", vmin=0, vmax=1.2, aspect="auto")
    for r, row in enumerate(cells):
        for c, cell in enumerate(row):
            axes.text(c, r, _short_text(cell), ha="center", va="center", fontsize=7)
    axes.set_yticks(range(len(cells)), _names(exhibit), fontsize=7)
    names = [one_line(exhibit.header[1:][i]) for i in columns]
    longest = max(map(len, names), default=0)
    steep = 30 if longest <= _SHORT_NAME else 60
    axes.set_xticks(range(len(columns)), names, rotation=steep, ha="right", rotation_mode="anchor", fontsize=8)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    below = 0.06 * max(0, longest - _SHORT_NAME)
    figure.set_size_inches(2.8 + 0.6 * len(columns) + 0.4 * below, 1.2 + 0.24 * len(cells) + below)


def _ranks(exhibit: Exhibit, figure: Any, axes: Any) -> None:
    """Draw a line for each system through its ranks, with the first rank on top."""
    values = [one_line(value) for value in exhibit.header[1:]]
    longest = max(len(name) for name, _ in exhibit.rows)
    for i, (name, cells) in enumerate(exhibit.rows):
        ranks = [math.nan if cell == "-" else float(str(cell)) for cell in cells]
        colour = _COLOURS[i % 8]
        filling = "white" if i // 8 % 2 else colour
        places = range(len(values))
        axes.plot(places, ranks, color=colour, marker=_MARKERS[i % 8], markerfacecolor=filling, alpha=0.85)
        for place, side, x in ((0, "right", -0.08), (-1, "left", len(values) - 0.92)):
            if not math.isnan(ranks[place]):
                axes.text(x, ranks[place], one_line(name), ha=side, va="center", fontsize=8)
    axes.set_xticks(range(len(values)), values)
    axes.xaxis.tick_top()
    axes.set_yticks([])
    room = 1.2 + 0.055 * max(0, longest - _SHORT_NAME)
    axes.set_xlim(-room, len(values) - 1 + room)
    axes.set_ylim(len(exhibit.rows) + 0.6, 0.4)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    figure.set_size_inches(6.4 * (len(values) - 1 + 2 * room) / (len(values) + 1.4), 1.0 + 0.26 * len(exhibit.rows))


def _short_text(cell: Cell) -> str:
    """Return a fraction in whole percent, another value as it is, and nothing for NaN or an empty cell."""
    if cell is None or cell != cell:
        return ""
    return f"{100 * cell:.0f}" if isinstance(cell, float) else str(cell)


def _curves(exhibit: Exhibit, figure: Any, axes: Any) -> None:
    """Draw a curve for each heading."""
    for i, (group, spots) in enumerate(curves(exhibit).items()):
        colour = _COLOURS[i % 8]
        x = [100 * spot.x for spot in spots]
        y = [100 * spot.y for spot in spots]
        faces = [colour if spot.full else "white" for spot in spots]
        axes.plot(x, y, color=colour, linewidth=1, alpha=0.5, zorder=1)
        axes.scatter(x, y, 24, faces, marker=_MARKERS[i % 8], edgecolors=colour, label=one_line(group), zorder=2)
    axes.set_xlabel(exhibit.header[1])
    axes.set_ylabel(exhibit.header[2])
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y")
    figure.set_size_inches(5.4, 3.6)
    figure.legend(loc="outside lower center", ncols=2, fontsize=8)


_DRAW = {
    Kind.BARS: _bars,
    Kind.POINTS: _points,
    Kind.STACK: _stack,
    Kind.GAP: _gap,
    Kind.HEAT: _heat,
    Kind.RANKS: _ranks,
    Kind.CURVES: _curves,
}
"""The function that draws each kind of exhibit."""
