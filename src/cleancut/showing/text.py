"""Results as text for a terminal and as Markdown, and as JSON. Percentages are for readers: results are fractions."""

from __future__ import annotations

import json
import math
import textwrap
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..scoring.buckets import Buckets
from ..scoring.compare import Comparison
from ..scoring.diagnosis import MIN_COUNT
from ..scoring.score import Score
from .escaping import json_text, markdown_text, one_line, visible
from .exhibit import Cell, Exhibit, Measured, Row, cell_text, row_texts
from .short_names import renamed, short_names, with_short_names
from .tables import (
    answer_table,
    audit_notes,
    audit_tables,
    bucket_tables,
    comparison_tables,
    fold_tables,
    frontier_tables,
    ladder_tables,
    plan_tables,
    run_tables,
    score_tables,
)

if TYPE_CHECKING:  # the commands that show scores need none of these
    from ..splitting.audit import Audit
    from ..splitting.folds import Folds
    from ..splitting.frontier import Frontier
    from ..splitting.ladder import Ladder
    from ..splitting.plan import SplitPlan
    from ..splitting.study import Study

Results = Mapping[str, Mapping[str, Score]]
"""``results[system][metric]``."""

COLUMNS = 80
"""What a table should fit into."""


def to_json(value: Any, indent: int | None = 2) -> str:
    """JSON with NaN as null, since JSON has no NaN."""
    return json_text(json.dumps(_plain(value), indent=indent, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    colour: bool = False,
    strong: int = -1,
    words: Collection[int] = (0,),
) -> str:
    """Aligned columns: those of ``words`` to the left, the others to the right; ``strong`` stands out in colour.

    A row of one cell is a heading of those below it, as wide as it likes.
    """
    lines = [[one_line(cell) for cell in line] for line in (header, *rows)]
    widths = [max(_width(line[i]) for line in lines if len(line) > 1) for i in range(len(header))]

    def cells(line: Sequence[str]) -> list[str]:
        if len(line) == 1:
            return [*line]
        gaps = [" " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)]
        pairs = enumerate(zip(line, gaps, strict=True))
        return [cell + gap if i in words else gap + cell for i, (cell, gap) in pairs]

    text = []
    for n, line in enumerate(lines):
        padded = cells(line)
        if colour:
            padded = [f"\x1b[1m{c}\x1b[0m" if n == 0 or i == strong else c for i, c in enumerate(padded)]
        text.append("  ".join(padded).rstrip())
        if n == 0:
            text.append("  ".join("-" * width for width in widths))
    return "\n".join(text)


def _width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


# --- exhibits ---------------------------------------------------------------------------------------------------


def exhibit_text(exhibit: Exhibit, *, colour: bool = False) -> str:
    """Return a table for a terminal: intervals stand behind their values, or below where the table is too wide."""
    notes = map(_filled, exhibit.note.splitlines())
    title, drawn = exhibit.title, _drawn(exhibit, _with_interval, colour)
    if any(_has_interval(cell) for _, cells in exhibit.rows for cell in cells):
        wide = max(map(_width, _drawn(exhibit, _with_interval, colour=False).splitlines())) > COLUMNS
        if wide:
            drawn = f"{_drawn(exhibit, _bare, colour)}\n\n{_interval_text(exhibit, colour)}"
        else:
            title = f"{title.removesuffix(' (%)')}, with 95% intervals (%)"
    return "\n".join([one_line(title), drawn, *notes])


def _drawn(exhibit: Exhibit, text: Callable[[Cell], str], colour: bool) -> str:
    rows = [[_shortened(name), *map(text, cells)] if cells else [name] for name, cells in exhibit.rows]
    words = [column for column in range(len(exhibit.header)) if exhibit.holds_words(column)]
    return table([*map(_shortened, exhibit.header)], rows, colour=colour, strong=exhibit.strong, words=words)


def _has_interval(cell: Cell) -> bool:
    """Is there an interval to show? Where the number of things is shown, there is no space for it."""
    return isinstance(cell, Measured) and cell.interval is not None and cell.n is None


def _with_interval(cell: Cell) -> str:
    """Return ``74.10 (71.2, 76.8)``: the value and, less exactly, its interval; or the number of things behind it."""
    if not isinstance(cell, Measured):
        return cell_text(cell)
    if _has_interval(cell) and cell.interval is not None:
        return f"{cell.text(cell.value)} ({', '.join(cell.text(end, 1) for end in cell.interval)})"
    return _bare(cell)


def _bare(cell: Cell) -> str:
    if not isinstance(cell, Measured):
        return cell_text(cell)
    return cell.text(cell.value) + (f" ({cell.n})" if cell.n is not None else "")


def _interval_text(exhibit: Exhibit, colour: bool) -> str:
    """Return the intervals as a table of their own, of as many values as fit beside each other."""
    filled = [cells for _, cells in exhibit.rows if cells]
    columns = [i for i in range(len(exhibit.header) - 1) if any(_has_interval(cells[i]) for cells in filled)]
    shown = columns[:4]
    rows = [(name, [_ends(cells[i]) for i in shown] if cells else ()) for name, cells in exhibit.rows]
    header = [exhibit.header[0], *(exhibit.header[i + 1] for i in shown)]
    return f"95% intervals (%)\n{_drawn(Exhibit('intervals', '', header, rows), cell_text, colour)}"


def _ends(cell: Cell) -> str:
    if not isinstance(cell, Measured) or cell.interval is None:
        return "-"
    return " - ".join(map(cell.text, cell.interval))


def _filled(text: str) -> str:
    """Return a text in lines that fit beside each other where tables do."""
    return textwrap.fill(one_line(text), COLUMNS, break_on_hyphens=False, break_long_words=False)


def _shortened(text: str, width: int = 32) -> str:
    text = one_line(text)
    return text if len(text) <= width else text[: width - 1] + "…"


def _joined(exhibits: Sequence[Exhibit], notes: Sequence[str], colour: bool) -> str:
    drawn = [exhibit_text(exhibit, colour=colour) for exhibit in exhibits]
    return "\n\n".join([*drawn, *filter(None, ["\n".join(map(visible, notes))])])


# --- results ----------------------------------------------------------------------------------------------------


def scores_text(results: Results, *, by_type: bool = False, colour: bool = False) -> str:
    """Return the scores of one or more systems, as a person reads them."""
    exhibits, short = [], renamed(results)
    for metric in dict.fromkeys(name for scores in results.values() for name in scores):
        scores = {system: found[metric] for system, found in short.items() if metric in found}
        exhibits += score_tables(scores, by_type=by_type)
    answers = answer_table(short)
    return _joined([*exhibits, *([answers] if answers.rows else [])], score_notes(results), colour)


def runs_text(
    results: Results, over: Mapping[str, Mapping[str, Any]], *, by_type: bool = False, colour: bool = False
) -> str:
    """Return the scores of several runs of one system, with their mean and standard deviation."""
    exhibits = []
    for metric, moments in over.items():
        runs = {run: found[metric] for run, found in renamed(results).items()}
        exhibits += run_tables(runs, moments, by_type=by_type)
    return _joined(exhibits, score_notes(results), colour)


def score_notes(results: Results) -> list[str]:
    """What a reader must know of how the scores came about."""
    notes = []
    for system, scores in results.items():
        score = next(iter(scores.values()))
        for side, name in (("n_repaired_gold", "gold"), ("n_repaired_pred", "predicted")):
            count = score.get(side)
            if count:
                samples = f"{count} {name} sample{'s' * (count != 1)}"
                notes.append(f"{system}: {samples} had ill-formed tags (repair: {score.sums.repair()['repair']}).")
    signatures = dict.fromkeys(score.signature for scores in results.values() for score in scores.values())
    return [*dict.fromkeys(notes), *signatures]


def score_table(score: Score) -> str:
    """Return a score by type, then its averages, in columns of words that people know; the signature below."""
    if score.metric != "exact_f1" or "f1" not in score:
        return scores_text({"": {score.metric: score}}, by_type=True)
    header = ["", "precision", "recall", score.record.titles[score.record.ranked], "support"]
    names = ("precision", "recall", score.record.ranked)
    labels = [key.removeprefix("f1/") for key in score if key.startswith("f1/")]
    rows: list[Row] = []
    for label in labels:
        rows.append((label, [*(score[f"{name}/{label}"] for name in names), score[f"n_gold/{label}"]]))
    rows.append(("micro average", [*(score[name] for name in names), score.n_gold]))
    for average in ("macro", "weighted"):
        rows.append((f"{average} average", [*(score[f"{average}_{name}"] for name in names), score.n_gold]))
    return _joined([Exhibit("table", score.record.title, header, rows)], [score.signature], False)


def buckets_text(found: Mapping[str, Buckets], *, min_count: int = MIN_COUNT, colour: bool = False) -> str:
    """Return the buckets of each attribute: all scores of one system, or the F1 of several side by side."""
    signatures = list(dict.fromkeys(own.signature for own in found.values()))
    return _joined(bucket_tables(renamed(found), min_count=min_count), signatures, colour)


def comparison_text(
    found: Comparison, *, baseline: str | None = None, all_pairs: bool = False, colour: bool = False
) -> str:
    """Return systems with their scores, how they differ, and how their order changes.

    Args:
        found: what was compared.
        baseline: of three or more systems, the one that the others are compared with; by default the best.
        all_pairs: of three or more systems, return the scores of each metric and the tests of all pairs too.
        colour: mark words for a terminal.
    """
    bare = {
        name: {metric: score.without_intervals() for metric, score in own.items()} for name, own in found.scores.items()
    }
    notes = [*score_notes(bare), found.signature]
    short = short_names(list(found.scores))
    beside = short[baseline] if baseline is not None else None
    is_matrix = len(found.scores) > 2 and not all_pairs  # which has no place for intervals
    values = with_short_names(found.to_dict(intervals=not is_matrix))
    tables = comparison_tables(values, baseline=beside, all_pairs=all_pairs)
    return _joined(tables, notes, colour)


def study_text(found: Study, *, colour: bool = False) -> str:
    """Return a study of several datasets, as a person reads it."""
    from .study_tables import study_notes, study_tables  # only here: few commands need it

    return _joined(study_tables(found), list(map(_filled, study_notes(found))), colour)


def audit_text(found: Audit, *, colour: bool = False) -> str:
    """Return an audit, as a person reads it."""
    return _joined(audit_tables(found), list(map(_filled, audit_notes(found))), colour)


def split_text(plans: Mapping[str, SplitPlan], *, colour: bool = False, markdown: bool = False) -> str:
    """Return a plan, beside others on the same corpus if there are any: sizes, representativeness, leakage."""
    plan = next(iter(plans.values()))
    told = markdown_text if markdown else _filled
    guarantee, *notes = map(told, [f"{plan.guarantee[0].upper()}{plan.guarantee[1:]}.", *plan.notes])
    heading = "# Split\n\n" if markdown else ""
    parts = [f"{heading}{guarantee}"]
    parts += [_markdown(one) if markdown else exhibit_text(one, colour=colour) for one in plan_tables(plans)]
    said = "\n".join(notes)
    how, signature = one_line(plan.how), one_line(plan.signature)
    if markdown:
        how, signature = markdown_text(plan.how), signature.replace("<", "&lt;")
    return "\n\n".join([*parts, *filter(None, [said]), f"How: {how}.\n{signature}"])


def frontier_text(found: Frontier, *, colour: bool = False, markdown: bool = False) -> str:
    """Return the splits of a frontier, the best marked, and which to use."""
    heading = ["# Frontier"] if markdown else []
    drawn = [_markdown(one) if markdown else exhibit_text(one, colour=colour) for one in frontier_tables(found)]
    sentence = found.recommendation if markdown else _filled(found.recommendation)
    return "\n\n".join([*heading, *drawn, sentence, found.best.plan.signature])


def ladder_text(found: Ladder, *, colour: bool = False) -> str:
    """Return a ladder by level."""
    drawn = f"Drawn from {found.n_clean} clean and {found.n_contaminated} contaminated training samples."
    return _joined(ladder_tables(found), [drawn, found.signature], colour)


def folds_text(found: Folds, *, colour: bool = False) -> str:
    """Return folds: their sizes, how they compare with the corpus, and what they share with the others."""
    said = [f"{found.guarantee[0].upper()}{found.guarantee[1:]}.", *found.notes]
    said = [*map(_filled, said), found.signature]
    return _joined(fold_tables(found), said, colour)


# --- Markdown ---------------------------------------------------------------------------------------------------


def _markdown(exhibit: Exhibit) -> str:
    note = f"\n\n{markdown_text(exhibit.note)}" if exhibit.note else ""
    return f"{markdown_text(exhibit.title)}\n{markdown_table(exhibit.header, row_texts(exhibit))}{note}"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; what is in a cell stays in it."""
    lines = [[markdown_text(cell) for cell in line] for line in (header, ["---"] * len(header), *rows)]
    return "\n".join(["", *("| " + " | ".join(line) + " |" for line in lines)])
