"""Results as small tables for notebooks. Everything is escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..scoring.buckets import Buckets
from ..scoring.compare import Comparison
from ..scoring.score import Score
from ..splitting.audit import Audit
from ..splitting.folds import Folds
from ..splitting.frontier import Frontier
from ..splitting.ladder import Ladder
from ..splitting.plan import SplitPlan
from ..splitting.study import Study
from .escaping import html_text
from .exhibit import Exhibit, row_texts
from .study_tables import study_notes, study_tables
from .tables import (
    audit_notes,
    audit_tables,
    bucket_tables,
    comparison_tables,
    fold_tables,
    frontier_tables,
    ladder_tables,
    plan_tables,
    score_tables,
)

Shown = tuple[list[Exhibit], list[str]]
"""The tables of a result, and the lines below them."""


def html_of(result: Any) -> str:
    """Return the tables of a result, one below the other, and what is to be known of it."""
    tables, notes = next(shown for kind, shown in _SHOWN.items() if isinstance(result, kind))(result)
    said = [f"<p><small>{html_text(note)}</small></p>" for note in notes]
    return "<div>\n" + "\n".join([*map(_table, tables), *said]) + "\n</div>"


def _table(exhibit: Exhibit) -> str:
    """Return a table with a caption, without style beyond alignment, so that light and dark themes fit."""
    words = [exhibit.holds_words(column) for column in range(1, len(exhibit.header))]
    sides = ["", *(f' style="text-align: {"left" if is_words else "right"}"' for is_words in words)]
    heads = zip(sides, exhibit.header, strict=True)
    names = [f'<th{side} scope="col">{html_text(name)}</th>' for side, name in heads]
    lines = [f"<caption>{html_text(exhibit.title)}</caption>", f"<thead><tr>{''.join(names)}</tr></thead>", "<tbody>"]
    for first, *rest in row_texts(exhibit):
        cells = "".join(f"<td{side}>{html_text(text)}</td>" for side, text in zip(sides[1:], rest, strict=True))
        lines.append(f'<tr><th scope="row">{html_text(first)}</th>{cells}</tr>')
    return "<table>" + "\n".join([*lines, "</tbody>"]) + "</table>" + _notes(exhibit.note.splitlines())


def _notes(lines: Iterable[str]) -> str:
    return "".join(f"<p><small>{html_text(line)}</small></p>" for line in lines)


def _of_score(score: Score) -> Shown:
    return score_tables({"all": score}, by_type=True), [*score.notices, score.signature]


def _of_plan(plan: SplitPlan) -> Shown:
    said = f"{plan.guarantee[0].upper()}{plan.guarantee[1:]}."
    return plan_tables({"after": plan}), [said, *plan.notes, plan.signature]


def _of_folds(folds: Folds) -> Shown:
    said = f"{folds.guarantee[0].upper()}{folds.guarantee[1:]}."
    return fold_tables(folds), [said, *folds.notes, folds.signature]


_SHOWN: dict[type, Callable[[Any], Shown]] = {
    Score: _of_score,
    Comparison: lambda found: (comparison_tables(found.to_dict()), [found.signature]),
    Buckets: lambda found: (bucket_tables({"": found}), [found.signature]),
    Audit: lambda found: (audit_tables(found), audit_notes(found)),
    SplitPlan: _of_plan,
    Frontier: lambda found: (frontier_tables(found), [found.recommendation, found.best.plan.signature]),
    Folds: _of_folds,
    Ladder: lambda found: (ladder_tables(found), [found.signature]),
    Study: lambda found: (study_tables(found), study_notes(found)),
}
