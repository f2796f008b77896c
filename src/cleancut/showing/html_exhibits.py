"""Draw exhibits for pages: tables, bars, stacks, gaps and heat maps as HTML, others as pictures of SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from ..core.shown import percent
from .escaping import html_text as _text
from .exhibit import Cell, Exhibit, Kind, Measured, Section, cell_text, compared, reach, shades
from .html_charts import curves_svg, points_svg, ranks_svg, series_key
from .short_names import ELLIPSIS


def section_content(section: Section) -> str:
    """Return the content of a section.

    Args:
        section: the section.
    """
    drawn = [(exhibit, _exhibit(exhibit)) for exhibit in section.exhibits]
    charts = "".join(html for exhibit, html in drawn if exhibit.kind is Kind.POINTS)
    key = next((series_key(exhibit.header[1:]) for exhibit, _ in drawn if exhibit.kind is Kind.POINTS), "")
    charts = f'{key}<div class="charts">{charts}</div>' if charts else ""
    rest = _grouped([(exhibit, html) for exhibit, html in drawn if exhibit.kind is not Kind.POINTS])
    lead = f'<p class="lead">{_text(section.lead)}</p>'
    return f"<h2>{_text(section.title)}</h2>{lead}{charts}{rest}"


_MANY = 6
"""The most folded exhibits that a page lists one below another."""


def _grouped(drawn: Sequence[tuple[Exhibit, str]]) -> str:
    """Return exhibits below one another; a long row of folded ones with the name of a group is folded once more."""
    written = []
    for group, members in groupby(drawn, key=lambda one: one[0].group):
        exhibits = [html for _, html in members]
        together = "".join(exhibits)
        if group and len(exhibits) > _MANY:
            title = f"{group} ({len(exhibits)} tables)"
            together = f'<details class="many"><summary>{_text(title)}</summary>{together}</details>'
        written.append(together)
    return "".join(written)


def _exhibit(exhibit: Exhibit) -> str:
    """Return a table or a picture with its title and its notes."""
    drawn = _DRAW[exhibit.kind](exhibit)
    note = "".join(f'<p class="note">{_text(line)}</p>' for line in exhibit.note.splitlines())
    slug = _text(exhibit.slug)
    if exhibit.folded:
        return f'<details data-slug="{slug}"><summary>{_text(exhibit.title)}</summary>{drawn}{note}</details>'
    looks = ["card"] if exhibit.kind is Kind.GAP else []
    looks += ["long"] if len(exhibit.rows) > _ROWS_TOGETHER else []
    look = f' class="{" ".join(looks)}"' if looks else ""
    return f'<figure{look} data-slug="{slug}"><figcaption>{_text(exhibit.title)}</figcaption>{drawn}{note}</figure>'


_ROWS_TOGETHER = 10
"""The most rows that are kept on one sheet of paper."""
_DENSE = 8
"""The number of columns from which on a table leaves less room between them."""


def table(exhibit: Exhibit, shade: bool = False) -> str:
    """Return a table that scrolls in its box if it is too wide, also by arrow keys; a single row in large print.

    Args:
        exhibit: the exhibit.
        shade: whether the cells are shaded by their values.
    """
    if len(exhibit.rows) == 1 and all(isinstance(cell, Measured) for cell in exhibit.rows[0][1]):
        cells = zip(exhibit.header[1:], exhibit.rows[0][1], strict=True)
        tiles = "".join(f"<div><dt>{_text(name)}</dt><dd>{_cell(cell)}</dd></div>" for name, cell in cells)
        return f'<dl class="tiles">{tiles}</dl>'
    words = [column > 0 and exhibit.holds_words(column) for column in range(len(exhibit.header))]
    sides = [' class="left"' if is_words else "" for is_words in words]
    heads = zip(sides, exhibit.header, strict=True)
    head = "".join(f'<th scope="col"{side}>{_name(name)}</th>' for side, name in heads)
    body = "".join(_row(name, cells, exhibit, sides[1:], shade) for name, cells in exhibit.rows)
    style = f' style="--columns:{len(exhibit.header)}"'  # on paper, many columns are set in small print
    written = f"<table{style}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    looks = "scroll"
    looks += " dense" if len(exhibit.header) >= _DENSE else ""
    looks += " heats" if shade else ""
    return f'<div class="{looks}" tabindex="0" role="region" aria-label="{_text(exhibit.title)}">{written}</div>'


_SHORT = 14
"""The most letters of a name that stays in one line, also on a phone."""


def _name(name: str) -> str:
    """Return a name that may be broken where words of it are left out."""
    return _text(name).replace(ELLIPSIS, f"{ELLIPSIS}<wbr>")


def _row(name: str, cells: Sequence[Cell], exhibit: Exhibit, sides: Sequence[str], shade: bool) -> str:
    """Return a row of a table."""
    if not cells:
        return f'<tr class="group"><th scope="rowgroup" colspan="{len(exhibit.header)}">{_text(name)}</th></tr>'
    written = []
    styles = _heat_styles(exhibit, name, cells) if shade else [""] * len(cells)
    from_baseline = compared(exhibit, cells) if shade and exhibit.baselines else [math.nan] * len(cells)
    for cell, side, style, difference in zip(cells, sides, styles, from_baseline, strict=True):
        words = ' class="words"' if isinstance(cell, str) and len(cell) > 30 else side
        small = "" if math.isnan(difference) else f"<small>{100 * difference:+.1f}</small>"
        written.append(f"<td{style or words}>{_cell(cell)}{small}</td>")
    shown = exhibit.shown(name)
    kept = ' class="short"' if len(shown) <= _SHORT else ""
    return f'<tr><th scope="row"{kept}>{_name(shown)}</th>{"".join(written)}</tr>'


def _heat_styles(exhibit: Exhibit, name: str, cells: Sequence[Cell]) -> list[str]:
    """Return the attributes that shade each cell of a row: by its value, or by a baseline."""
    styles = []
    if exhibit.baselines:
        most = reach(exhibit)
        for difference in compared(exhibit, cells):
            side = "above" if difference > 0 else "below"
            style = ""
            if abs(difference) > 0:  # NaN is not shaded
                style = f' class="heat {side}" style="--v:{abs(difference) / most:.3f}"'
            styles.append(style)
        return styles
    for column, dark in zip(exhibit.header[1:], shades(cells), strict=True):
        hit = " hit" if column == name else ""
        style = f' class="heat{hit}" style="--v:{dark:.3f}"' if dark > 0 else ""
        styles.append(style)
    return styles


def _cell(cell: Cell) -> str:
    """Return a number, with its interval in small print."""
    if not isinstance(cell, Measured):
        return _text(cell_text(cell))
    small = [" to ".join(map(cell.text, cell.interval))] if cell.interval else []
    small += [f"n = {cell.n}"] if cell.n is not None else []
    return cell.text(cell.value) + (f"<small>{', '.join(small)}</small>" if small else "")


def _heat(exhibit: Exhibit) -> str:
    """Return a table whose cells are shaded by their values."""
    return table(exhibit, shade=True)


# --- bars: rows of text with a bar beside the number ----------------------------------------------------


def _bars(exhibit: Exhibit) -> str:
    """Return a bar for each number; under a heading for each row if there are several columns."""
    series = exhibit.header[1:]
    if len(series) == 1:
        return _bar_list([(exhibit.shown(name), cells[0], 0) for name, cells in exhibit.rows])
    panels = []
    for name, cells in exhibit.rows:
        behind = {cell.n if isinstance(cell, Measured) else None for cell in cells}
        n = behind.pop() if len(behind) == 1 else None
        if n is not None:  # the same for all: once is enough
            cells = [cell._replace(n=None) if isinstance(cell, Measured) else cell for cell in cells]
        heading = _text(name) + (f" <small>n = {n}</small>" if n is not None else "")
        bars = [(own, cell, i) for i, (own, cell) in enumerate(zip(series, cells, strict=True))]
        panels.append(f"<div><h3>{heading}</h3>{_bar_list(bars)}</div>")
    return f'<div class="panels">{"".join(panels)}</div>'


def _bar_list(bars: Sequence[tuple[str, Cell, int]]) -> str:
    """Return a list of names with a bar and a number each."""
    rows = []
    for name, cell, i in bars:
        value = cell if isinstance(cell, float) else math.nan
        measured = cell if isinstance(cell, Measured) else Measured(value)
        bar = "" if math.isnan(measured.value) else f'<i class="s{i % 8}" style="width:{_at(measured.value)}"></i>'
        if measured.interval:
            low, high = measured.interval
            bar += f'<b style="left:{_at(low)};width:{_at(high - low)}"></b>'
        rows.append(
            f'<li><span>{_text(name)}</span><span class="value">{_cell(measured)}</span>'
            f'<div class="track" aria-hidden="true">{bar}</div></li>'
        )
    return f'<ul class="bars">{"".join(rows)}</ul>'


def _at(fraction: float) -> str:
    """Return a share as a length in percent."""
    return f"{100 * min(max(fraction, 0.0), 1.0):.2f}%"


def _stack(exhibit: Exhibit) -> str:
    """Return one bar for each row, as wide as the page, with its parts in words above it."""
    parts = exhibit.header[1:]
    colours = exhibit.colours or [i % 8 for i in range(len(parts))]
    named = zip(colours, parts, strict=True)
    key = "".join(f'<li><i class="s{colour}"></i>{_text(part)}</li>' for colour, part in named)
    rows = []
    for name, cells in exhibit.rows:
        counts = [cell if isinstance(cell, int) else 0 for cell in cells]
        total = max(sum(counts), 1)
        words = []
        bar = ""
        for colour, part, n in zip(colours, parts, counts, strict=True):
            share = n / total
            words.append(f"{_text(part)} <b>{n}</b> ({100 * share:.1f}%)")
            written = _text(part) if share > 0.012 * len(part) + 0.01 else ""  # where there is room
            bar += f'<i class="s{colour}" style="width:{_at(share)}">{written}</i>' if n else ""
        label = f"<strong>{_text(name)}</strong> " if len(exhibit.rows) > 1 else ""
        text = f'{label}<span class="parts">{" · ".join(words)}</span>'
        rows.append(f'<li>{text}<div class="stack" aria-hidden="true">{bar}</div></li>')
    return f'<ul class="key" aria-hidden="true">{key}</ul><ul class="stacks">{"".join(rows)}</ul>'


def _gap(exhibit: Exhibit) -> str:
    """Return two marks on one line for each row: a disc for the first column, a diamond for the second."""
    measured = [[cell for cell in cells if isinstance(cell, Measured)] for _, cells in exhibit.rows]
    known = [end for row in measured for cell in row for end in (cell.value, *(cell.interval or ()))]
    known += [exhibit.reference[1]] if exhibit.reference else []
    known = [value for value in known if not math.isnan(value)] or [0.0]
    low, high = math.floor(10 * min(known)), math.floor(10 * max(known)) + 1  # tenths

    def at(value: float) -> str:
        """Return where a value is on the line, from its left end."""
        return _at((10 * value - low) / (high - low))

    def between(one: float, other: float) -> str:
        """Return the style of a bar from one value to another."""
        return f"left:{at(one)};right:calc(100% - {at(other)})"

    line = f'<em style="left:{at(exhibit.reference[1])}"></em>' if exhibit.reference else ""
    rows = []
    for (name, _), cells in zip(exhibit.rows, measured, strict=True):
        ends = sorted(cell.value for cell in cells)
        marks = line if math.isnan(sum(ends)) else f'{line}<u style="{between(ends[0], ends[-1])}"></u>'
        for i, cell in enumerate(cells):
            marks += f'<b class="s{i}" style="{between(*cell.interval)}"></b>' if cell.interval else ""
            marks += "" if math.isnan(cell.value) else f'<i class="s{i} m{i}" style="left:{at(cell.value)}"></i>'
        drawn = f'<td class="gap" aria-hidden="true"><div>{marks}</div></td>'
        numbers = "".join(f"<td>{_cell(cell)}</td>" for cell in cells)
        rows.append(f'<tr><th scope="row">{_name(name)}</th>{drawn}{numbers}</tr>')
    step = 1 if high - low <= 5 else 2
    ticks = range(low, high + 1, step)
    axis = "".join(f'<span style="left:{at(tick / 10)}">{10 * tick}</span>' for tick in ticks)
    heads = "".join(f'<th scope="col">{_text(name)}</th>' for name in exhibit.header[1:])
    key = "".join(f'<li><i class="s{i} m{i}"></i>{_text(name)}</li>' for i, name in enumerate(exhibit.header[1:]))
    if exhibit.reference:
        key += f"<li><em></em>{_text(exhibit.reference[0])} {percent(exhibit.reference[1])}</li>"
    head = f'<tr><th></th><th class="axis" aria-hidden="true"><div>{axis}</div></th>{heads}</tr>'
    body = f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody>"
    return f'<ul class="key">{key}</ul><table class="gaps" aria-label="{_text(exhibit.title)}">{body}</table>'


# --- pictures with a table beside them ------------------------------------------------------------------


def _points(exhibit: Exhibit) -> str:
    """Return a picture of points, with its numbers folded; bars if there is one column."""
    return _with_numbers(points_svg(exhibit), exhibit) if len(exhibit.header) > 2 else _bars(exhibit)


def _ranks(exhibit: Exhibit) -> str:
    """Return a picture of ranks, with its numbers folded."""
    return _with_numbers(ranks_svg(exhibit), exhibit)


def _with_numbers(picture: str, exhibit: Exhibit) -> str:
    """Return a picture and its table, which is folded."""
    return f"{picture}<details><summary>Numbers</summary>{table(exhibit)}</details>"


def _curves(exhibit: Exhibit) -> str:
    """Return a picture of curves, and its table."""
    return curves_svg(exhibit) + table(exhibit)


_DRAW = {
    Kind.TABLE: table,
    Kind.BARS: _bars,
    Kind.POINTS: _points,
    Kind.STACK: _stack,
    Kind.HEAT: _heat,
    Kind.GAP: _gap,
    Kind.RANKS: _ranks,
    Kind.CURVES: _curves,
}
"""The function that draws each kind of exhibit."""
