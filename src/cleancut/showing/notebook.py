"""Show results as small tables in notebooks. All text is escaped."""

from __future__ import annotations

from collections.abc import Callable
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
    plan_related_notes,
    plan_tables,
    score_tables,
)

Content = tuple[list[Exhibit], list[str]]
"""The tables of a result, and the lines below them."""


def html_of(result: Any) -> str:
    """Return the tables of a result as HTML, one below the other, and the lines below them.

    Args:
        result: a score, comparison, audit, plan or other result.
    """
    content_of = next(function for kind, function in _CONTENT.items() if isinstance(result, kind))
    tables, notes = content_of(result)
    lines = [*map(_table, tables), *map(_note, notes)]
    return "<div>\n" + "\n".join(lines) + "\n</div>"


def _table(exhibit: Exhibit) -> str:
    """Return a table with a caption, without style beyond alignment, so that light and dark themes fit."""
    words = [exhibit.holds_words(column) for column in range(1, len(exhibit.header))]
    alignments = ["left" if is_words else "right" for is_words in words]
    sides = ["", *(f' style="text-align: {alignment}"' for alignment in alignments)]
    heads = zip(sides, exhibit.header, strict=True)
    names = [f'<th{side} scope="col">{html_text(name)}</th>' for side, name in heads]
    lines = [f"<caption>{html_text(exhibit.title)}</caption>", f"<thead><tr>{''.join(names)}</tr></thead>", "<tbody>"]
    for first, *rest in row_texts(exhibit):
        cells = "".join(f"<td{side}>{html_text(text)}</td>" for side, text in zip(sides[1:], rest, strict=True))
        lines.append(f'<tr><th scope="row">{html_text(first)}</th>{cells}</tr>')
    return "<table>" + "\n".join([*lines, "</tbody>"]) + "</table>" + "".join(map(_note, exhibit.note.splitlines()))


def _note(line: str) -> str:
    """Return a line below a table."""
    return f"<p><small>{html_text(line)}</small></p>"


def _of_score(score: Score) -> Content:
    """Return the tables of a score, and its notices and signature."""
    return score_tables({"all": score}, by_type=True), [*score.notices, score.signature]


def _of_plan(plan: SplitPlan) -> Content:
    """Return the tables of a plan, and its guarantee, notes and signature."""
    guarantee = f"{plan.guarantee[0].upper()}{plan.guarantee[1:]}."
    return plan_tables({"after": plan}), [guarantee, *plan_related_notes(plan), *plan.notes, plan.signature]


def _of_folds(folds: Folds) -> Content:
    """Return the tables of folds, and their guarantee, notes and signature."""
    guarantee = f"{folds.guarantee[0].upper()}{folds.guarantee[1:]}."
    return fold_tables(folds), [guarantee, *folds.notes, folds.signature]


_CONTENT: dict[type, Callable[[Any], Content]] = {
    Score: _of_score,
    Comparison: lambda comparison: (comparison_tables(comparison.to_dict()), [comparison.signature]),
    Buckets: lambda buckets: (bucket_tables({"": buckets}), [buckets.signature]),
    Audit: lambda audit: (audit_tables(audit), audit_notes(audit)),
    SplitPlan: _of_plan,
    Frontier: lambda frontier: (frontier_tables(frontier), [frontier.recommendation, frontier.best.plan.signature]),
    Folds: _of_folds,
    Ladder: lambda ladder: (ladder_tables(ladder), [ladder.signature]),
    Study: lambda study: (study_tables(study), study_notes(study)),
}
"""The function that returns the tables and lines of each kind of result."""
