"""Write exhibits as tables for a paper: Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from enum import StrEnum
from itertools import chain
from typing import assert_never

from .escaping import csv_text, latex_text, markdown_text
from .exhibit import Cell, Exhibit, Measured, Section, grouped_rows, row_texts
from .text import markdown_table


class Format(StrEnum):
    """The format of tables."""

    MARKDOWN = "md"
    LATEX = "latex"
    CSV = "csv"


def tables(sections: Sequence[Section], format: Format) -> str:
    """Return every exhibit as a table. CSV has a line for each cell, with unrounded fractions.

    Args:
        sections: the sections whose exhibits are written.
        format: the format.
    """
    exhibits = [exhibit for section in sections for exhibit in section.exhibits]
    match format:
        case Format.CSV:
            text = _csv(sections)
        case Format.MARKDOWN:
            text = "\n\n".join(map(_markdown, exhibits))
        case Format.LATEX:
            text = "\n\n".join(map(_latex, exhibits))
        case _:
            assert_never(format)
    return text


def exhibit_text(exhibit: Exhibit, format: Format) -> str:
    """Return one exhibit as a table.

    Args:
        exhibit: the exhibit.
        format: the format.
    """
    return tables([Section(exhibit.slug, exhibit.title, "", [exhibit])], format)


def _markdown(exhibit: Exhibit) -> str:
    """Return a table in Markdown, below its title."""
    return f"### {markdown_text(exhibit.title)}\n{markdown_table(exhibit.header, row_texts(exhibit))}"


def _latex(exhibit: Exhibit) -> str:
    r"""Return a table of booktabs; the preamble needs \usepackage{booktabs}."""
    sides = "".join("l" if exhibit.holds_words(column) else "r" for column in range(len(exhibit.header)))
    lines = [" & ".join(map(latex_text, row)) + r" \\" for row in (exhibit.header, *row_texts(exhibit))]
    body = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(exhibit.title)}}}",
        rf"\label{{tab:{exhibit.slug}}}",
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        lines[0],
        r"\midrule",
        *lines[1:],
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(body)


def _csv(sections: Sequence[Section]) -> str:
    """Return all cells as CSV, one a line."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["table", "group", "row", "column", "value", "low", "high", "n"])
    for exhibit in chain.from_iterable(section.exhibits for section in sections):
        for group, name, cells in grouped_rows(exhibit):
            for column, cell in zip(exhibit.header[1:], cells, strict=True):
                if cell is None:
                    continue
                values = cell[:4] if isinstance(cell, Measured) else (cell, None, None, None)
                writer.writerow(map(_csv_value, [exhibit.slug, group, name, column, *values]))
    return stream.getvalue().rstrip("\n")


def _csv_value(value: Cell) -> Cell:
    """Return a number as it is, nothing for NaN, and a text that no spreadsheet takes for a formula."""
    if isinstance(value, str):
        return csv_text(value)
    return "" if value != value else value
