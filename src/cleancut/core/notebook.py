"""Small tables for notebooks: what ``_repr_html_`` of the results is made of. Everything is escaped."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any


def percent(fraction: float) -> str:
    """``0.7456`` -> ``74.56``; a dash where there is nothing to measure."""
    return "-" if math.isnan(fraction) else f"{100 * fraction:.2f}"


def cell(value: Any) -> str:
    """Fractions as percentages, counts as they are, nothing for None."""
    return "" if value is None else percent(value) if isinstance(value, float) else str(value)


def html_table(title: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table with a caption, without style of its own beyond alignment, so that light and dark themes fit."""
    right = ' style="text-align: right"'
    lines = [f"<caption>{html.escape(title)}</caption>"] if title else []
    names = [f'<th{right if i else ""} scope="col">{html.escape(name)}</th>' for i, name in enumerate(header)]
    lines.append(f"<thead><tr>{''.join(names)}</tr></thead>")
    lines.append("<tbody>")
    for first, *rest in rows:
        cells = "".join(f"<td{right}>{html.escape(cell(value))}</td>" for value in rest)
        lines.append(f'<tr><th scope="row">{html.escape(cell(first))}</th>{cells}</tr>')
    lines.append("</tbody>")
    return "<table>" + "\n".join(lines) + "</table>"


def html_page(*tables: str, notes: Iterable[str] = ()) -> str:
    """Tables, one below the other, and lines of text behind them."""
    said = [f"<p><small>{html.escape(note)}</small></p>" for note in notes]
    return "<div>\n" + "\n".join([*tables, *said]) + "\n</div>"
