"""Draw exhibits as pictures of SVG for pages: points, ranks and curves. Each stands beside a table of its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .escaping import html_text as _text
from .exhibit import Exhibit, Measured, Spot, cell_text, curves
from .short_names import ELLIPSIS

_WIDTH = 360
"""The width of a picture, in the units of its own."""
_HEIGHT = 216
"""The height of a picture."""
_LEFT = 28
"""The room for the numbers of the vertical axis."""
_TOP = 10
"""The room above the highest value."""
_BOTTOM = 40
"""The room for the names below the lowest value."""


def points_svg(exhibit: Exhibit) -> str:
    """Return rows from left to right with a point and its interval for each column.

    Args:
        exhibit: the exhibit.
    """
    series = exhibit.header[1:]
    width = (_WIDTH - _LEFT) / max(len(exhibit.rows), 1)
    ticks = _ticks(exhibit)

    def y(value: float) -> float:
        """Return the height of a value in the picture."""
        return _y((value - ticks[0]) / (ticks[-1] - ticks[0]))

    marks = [
        f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH}" y1="{y(tick):g}" y2="{y(tick):g}"/>'
        f'<text class="tick" x="{_LEFT - 6}" y="{y(tick) + 4:g}" text-anchor="end">{100 * tick:.0f}</text>'
        for tick in ticks
    ]
    for g, (full_name, cells) in enumerate(exhibit.rows):
        name = exhibit.shown(full_name)
        middle = _LEFT + width * (g + 0.5)
        n = next((cell.n for cell in cells if isinstance(cell, Measured)), None)
        small = " small" if len(name) > 12 else ""
        marks.append(
            f'<text class="name{small}" x="{middle:.1f}" y="{_HEIGHT - 22}" text-anchor="middle">{_text(name)}</text>'
        )
        if n is not None:
            marks.append(f'<text class="tick" x="{middle:.1f}" y="{_HEIGHT - 7}" text-anchor="middle">n = {n}</text>')
        for i, cell in enumerate(cells):
            if not isinstance(cell, Measured) or math.isnan(cell.value):
                continue
            x = middle + width * 0.7 * ((i + 0.5) / len(series) - 0.5)
            title = f"<title>{_text(f'{series[i]}, {name}: {cell_text(cell)}')}</title>"
            whisker = ""
            if cell.interval:
                low, high = (min(max(end, ticks[0]), ticks[-1]) for end in cell.interval)
                whisker = f'<line class="whisker" x1="{x:.1f}" x2="{x:.1f}" y1="{y(low):.1f}" y2="{y(high):.1f}"/>'
            marks.append(f'<g class="{_look(i)}">{title}{whisker}{_mark(i, x, y(cell.value))}</g>')
    label = _text(f"{exhibit.title}: {len(series)} systems over {len(exhibit.rows)} groups; the numbers are below.")
    across, up = exhibit.axes
    if up:
        label = _text(f"{exhibit.title}: {up} by {across}, of {', '.join(series)}; the numbers are below.")
        marks.append(f'<text class="axis" x="0" y="-4">{_text(up)}</text>')
        middle = (_LEFT + _WIDTH) / 2
        marks.append(f'<text class="axis" x="{middle:g}" y="{_HEIGHT - 7}" text-anchor="middle">{_text(across)}</text>')
    above = 16 if up else 0  # room for the name of the axis
    box = f"0 {-above} {_WIDTH} {_HEIGHT + above}"
    svg = f'<svg viewBox="{box}" role="img" aria-label="{label}">{"".join(marks)}</svg>'
    axis = f"The vertical axis is from {100 * ticks[0]:.0f} to {100 * ticks[-1]:.0f}."
    said = "" if ticks[0] == 0 and ticks[-1] == 1 else f'<p class="note">{axis}</p>'
    return f"{svg}{said}"


_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
"""The distances that the numbers of a vertical axis may have."""
_MOST_TICKS = 6
"""The most numbers of a vertical axis."""


def _ticks(exhibit: Exhibit) -> list[float]:
    """Return the numbers of the vertical axis: it spans all values, and intervals that are not wider than a few steps.

    An interval of a bucket with hardly any mentions spans almost everything; it is cut off at the ends of the axis.
    """
    values = []
    for _, cells in exhibit.rows:
        for cell in cells:
            if isinstance(cell, Measured) and not math.isnan(cell.value):
                values.append(cell.value)
                low, high = cell.interval or (cell.value, cell.value)
                values += [low, high] if high - low < 0.3 else []
    if not values:
        return [0.0, 0.5, 1.0]
    for step in _STEPS:
        first, last = math.floor(min(values) / step), math.ceil(max(values) / step)
        if last - first < _MOST_TICKS:
            break
    last = max(last, first + 1)
    return [n * step for n in range(first, last + 1)]


def _y(fraction: float) -> float:
    """Return the height of a share in a picture."""
    return _TOP + (1 - fraction) * (_HEIGHT - _TOP - _BOTTOM)


def ranks_svg(exhibit: Exhibit) -> str:
    """Return a line for each system through its ranks by each value, with the first rank on top.

    Args:
        exhibit: the exhibit.
    """
    values = exhibit.header[1:]
    n_rows = len(exhibit.rows)
    names = {name: _cut(name) for name, _ in exhibit.rows}
    left = max(_RANK_NAMES, 20 + _LETTER * max(map(len, names.values())))
    whole = _WIDTH_OF_RANKS + 2 * (left - _RANK_NAMES)
    right = whole - left

    def x(column: int) -> float:
        """Return how far to the right a column is."""
        return left + column * (right - left) / max(len(values) - 1, 1)

    def y(rank: int) -> float:
        """Return how far down a rank is."""
        return 34 + _RANK_STEP * (rank - 1)

    marks = []
    for column, value in enumerate(values):
        marks.append(f'<text class="name" x="{x(column):.1f}" y="12" text-anchor="middle">{_text(value)}</text>')
    taken: dict[tuple[int, int], int] = {}
    for i, (name, cells) in enumerate(exhibit.rows):
        spots = []
        for column, cell in enumerate(cells):
            if cell != "-":
                rank = int(str(cell))
                shared = taken.get((column, rank), 0)  # systems of one rank are drawn below one another
                taken[column, rank] = shared + 1
                spots.append((x(column), y(rank + shared)))
        line = " ".join(f"{across:.1f},{down:.1f}" for across, down in spots)
        ranks = ", ".join(f"{value} {cell}" for value, cell in zip(values, cells, strict=True))
        title = f"<title>{_text(f'{name}: {ranks}')}</title>"
        drawn = "".join(_mark(i, across, down) for across, down in spots)
        marks.append(f'<g class="{_look(i)}">{title}<polyline class="rank" points="{line}"/>{drawn}</g>')
        if spots and cells[0] != "-":
            down = spots[0][1] + 4
            shown = _text(names[name])
            marks.append(f'<text class="name" x="{left - 10:g}" y="{down:.1f}" text-anchor="end">{shown}</text>')
        if spots and cells[-1] != "-":
            down = spots[-1][1] + 4
            marks.append(f'<text class="name" x="{right + 10:g}" y="{down:.1f}">{_text(names[name])}</text>')
    height = y(n_rows) + 16
    label = _text(f"{exhibit.title}: {n_rows} systems by {', '.join(values)}; the numbers are below.")
    box = f'viewBox="0 0 {whole:g} {height:g}" role="img" aria-label="{label}"'
    svg = f'<svg class="ranks" style="--wide:{whole:g}" {box}>{"".join(marks)}</svg>'
    return f'<div class="across" tabindex="0" role="region" aria-label="{_text(exhibit.title)}">{svg}</div>'


def _cut(name: str) -> str:
    """Return a name with three dots for the middle of it if there is no room for the whole."""
    half = _MOST_LETTERS // 2
    return name if len(name) <= _MOST_LETTERS else f"{name[:half]}{ELLIPSIS}{name[-half:]}"


_WIDTH_OF_RANKS = 640
"""The width of a picture of ranks with short names, in the units of its own."""
_RANK_NAMES = 150
"""The least room for the names on either side of a picture of ranks."""
_LETTER = 6.2
"""The room for a letter of a name."""
_MOST_LETTERS = 44
"""The most letters of a name beside a picture of ranks."""
_RANK_STEP = 24
"""The distance of one rank from the next."""


def curves_svg(exhibit: Exhibit) -> str:
    """Return points at their two values, joined to a line under each heading; axes reach as far as the points.

    Args:
        exhibit: the exhibit.
    """
    by_heading = curves(exhibit)
    spots = [spot for series in by_heading.values() for spot in series]
    right, top = _reach(max(spot.x for spot in spots)), _reach(max(spot.y for spot in spots))

    def at(spot: Spot) -> tuple[float, float]:
        """Return where a point is in the picture: how far to the right, and how far down."""
        return _LEFT + 8 + spot.x / right * (_WIDTH - _LEFT - 16), _y(spot.y / top)

    marks = []
    for part in (0.0, 0.5, 1.0):
        x, y = at(Spot("", part * right, part * top))
        anchor = "end" if part == 1 else "middle"  # the last number must not reach beyond the picture
        marks.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH}" y1="{y:g}" y2="{y:g}"/>'
            f'<text class="tick" x="{_LEFT - 4}" y="{y + 4:g}" text-anchor="end">{100 * part * top:.3g}</text>'
            f'<text class="tick" x="{x:g}" y="{_HEIGHT - 22}" text-anchor="{anchor}">{100 * part * right:.3g}</text>'
        )
    for i, (group, series) in enumerate(by_heading.items()):
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(at, series))
        marks.append(f'<g class="s{i % 8}"><polyline class="curve" points="{line}"/>')
        for spot in series:
            title = f"<title>{_text(f'{group}, {spot.name}')}</title>"
            fill = "full" if spot.full else "hollow"
            marks.append(f'<g class="{fill}">{title}{_mark(i, *at(spot))}</g>')
        marks.append("</g>")
    across, up = map(_text, exhibit.header[1:3])
    marks.append(f'<text class="name" x="{_WIDTH / 2:g}" y="{_HEIGHT - 7}" text-anchor="middle">{across}</text>')
    marks.append(f'<text class="name" x="{_LEFT + 8}" y="{_TOP - 1}">{up}</text>')
    label = _text(f"{exhibit.title}: {len(spots)} points; the numbers are below.")
    svg = f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(marks)}</svg>'
    return f'{series_key(list(by_heading))}<div class="charts">{svg}</div>'


def _reach(largest: float) -> float:
    """Return the end of an axis: at least half a point, so that almost nothing looks like almost nothing."""
    return max(largest * 1.05, 0.005)


_SHAPES = (
    "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z", "M-3.6 -3.6H3.6V3.6H-3.6Z", "M0 -5L5 0L0 5L-5 0Z", "M0 -4.6L4.6 3.6H-4.6Z",
    "M0 4.6L4.6 -3.6H-4.6Z", "M-4 -1.3H-1.3V-4H1.3V-1.3H4V1.3H1.3V4H-1.3V1.3H-4Z",
    "M-4.6 0L3.6 -4.6V4.6Z", "M4.6 0L-3.6 -4.6V4.6Z",
)  # fmt: skip
"""A shape for each colour, since colour alone does not tell systems apart for everyone."""


def _mark(i: int, x: float, y: float) -> str:
    """Return the mark of a series at a place."""
    return f'<path d="{_SHAPES[i % 8]}" transform="translate({x:.1f} {y:.1f})"/>'


def _look(i: int) -> str:
    """Return the classes of a series. After eight, the shapes and colours come again, hollow."""
    return f"s{i % 8} hollow" if i // 8 % 2 else f"s{i % 8}"


_NAMES_IN_LINE = 6
"""The most names of a key that stand one behind the other; more stand in columns."""


def series_key(names: Sequence[str]) -> str:
    """Return a list of which shape and colour stands for which system.

    Args:
        names: the names of the systems.
    """
    if len(names) == 1:
        return ""
    box = 'viewBox="0 0 14 14" width="14" height="14" aria-hidden="true"'
    marks = (
        f'<li><svg class="{_look(i)}" {box}>{_mark(i, 7, 7)}</svg>{_text(name)}</li>' for i, name in enumerate(names)
    )
    many = " many" if len(names) > _NAMES_IN_LINE else ""
    return f'<ul class="key{many}">{"".join(marks)}</ul>'
