"""Write results as text for a terminal, as Markdown and as JSON. Results are fractions; text shows percentages."""

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
    method_in_words,
    plan_related_notes,
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
"""The scores of each system by metric: ``results[system][metric]``."""

COLUMNS = 80
"""The number of columns that a table should fit into."""


def to_json(value: Any, indent: int | None = 2) -> str:
    """Return JSON with NaN as null, since JSON has no NaN.

    Args:
        value: a result, of dicts, lists, numbers and texts.
        indent: the number of spaces for each level; None for one line.
    """
    return json_text(json.dumps(_plain(value), indent=indent, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    """Return a value whose mappings are dicts and whose infinite numbers and NaN are None."""
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
    """Return a table of aligned columns for a terminal. A row of one cell is a heading of those below it.

    Args:
        header: the names of the columns.
        rows: the cells of each row.
        colour: mark the header and a column with colours for a terminal.
        strong: the number of the column that stands out in colour.
        words: the numbers of the columns that are aligned to the left; the others are aligned to the right.
    """
    lines = [[one_line(cell) for cell in line] for line in (header, *rows)]
    widths = [max(_width(line[i]) for line in lines if len(line) > 1) for i in range(len(header))]

    def cells(line: Sequence[str]) -> list[str]:
        """Return the cells of a line, each as wide as its column."""
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
    """Return the number of columns that a text takes on a terminal."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


# --- exhibits ---------------------------------------------------------------------------------------------------


def exhibit_text(exhibit: Exhibit, *, colour: bool = False) -> str:
    """Return a table for a terminal, with intervals behind their values, or below if the table is too wide.

    Args:
        exhibit: the table.
        colour: mark words with colours for a terminal.
    """
    notes = map(_filled, exhibit.note.splitlines())
    title = exhibit.title
    drawn = _drawn(exhibit, _with_interval, colour)
    if any(_has_interval(cell) for _, cells in exhibit.rows for cell in cells):
        plain = _drawn(exhibit, _with_interval, colour=False)
        if max(map(_width, plain.splitlines())) > COLUMNS:
            drawn = f"{_drawn(exhibit, _bare, colour)}\n\n{_interval_text(exhibit, colour)}"
        else:
            title = f"{title.removesuffix(' (%)')}, with 95% intervals (%)"
    return "\n".join([one_line(title), drawn, *notes])


def _drawn(exhibit: Exhibit, text: Callable[[Cell], str], colour: bool) -> str:
    """Return a table whose cells are written by a function."""
    rows = [[_shortened(name), *map(text, cells)] if cells else [name] for name, cells in exhibit.rows]
    words = [column for column in range(len(exhibit.header)) if exhibit.holds_words(column)]
    return table([*map(_shortened, exhibit.header)], rows, colour=colour, strong=exhibit.strong, words=words)


def _has_interval(cell: Cell) -> bool:
    """Return whether a cell has an interval to show: there is no space for one beside the number of things."""
    return isinstance(cell, Measured) and cell.interval is not None and cell.n is None


def _with_interval(cell: Cell) -> str:
    """Return ``74.10 (71.2, 76.8)``: the value and its rounded interval, or the number of things behind it."""
    if not isinstance(cell, Measured):
        return cell_text(cell)
    if _has_interval(cell) and cell.interval is not None:
        return f"{cell.text(cell.value)} ({', '.join(cell.text(end, 1) for end in cell.interval)})"
    return _bare(cell)


def _bare(cell: Cell) -> str:
    """Return the value of a cell without its interval."""
    if not isinstance(cell, Measured):
        return cell_text(cell)
    text = cell.text(cell.value)
    return text if cell.n is None else f"{text} ({cell.n})"


def _interval_text(exhibit: Exhibit, colour: bool) -> str:
    """Return the intervals as a table of their own, for the first values, which fit beside each other."""
    filled = [cells for _, cells in exhibit.rows if cells]
    columns = [i for i in range(len(exhibit.header) - 1) if any(_has_interval(cells[i]) for cells in filled)]
    fitting = columns[:4]
    rows: list[Row] = []
    for name, cells in exhibit.rows:
        ends = [_ends(cells[i]) for i in fitting] if cells else []
        rows.append((name, ends))
    header = [exhibit.header[0], *(exhibit.header[i + 1] for i in fitting)]
    return f"95% intervals (%)\n{_drawn(Exhibit('intervals', '', header, rows), cell_text, colour)}"


def _ends(cell: Cell) -> str:
    """Return the ends of an interval; a dash if there is none."""
    if not isinstance(cell, Measured) or cell.interval is None:
        return "-"
    return " - ".join(map(cell.text, cell.interval))


def _filled(text: str) -> str:
    """Return a text in lines that are no wider than a table."""
    return textwrap.fill(one_line(text), COLUMNS, break_on_hyphens=False, break_long_words=False)


def _shortened(text: str, width: int = 32) -> str:
    """Return a text that is cut if it is long."""
    text = one_line(text)
    return text if len(text) <= width else text[: width - 1] + "…"


def _joined(exhibits: Sequence[Exhibit], notes: Sequence[str], colour: bool) -> str:
    """Return tables and the lines below them as one text."""
    parts = [exhibit_text(exhibit, colour=colour) for exhibit in exhibits]
    lines = "\n".join(map(visible, notes))
    if lines:
        parts.append(lines)
    return "\n\n".join(parts)


# --- results ----------------------------------------------------------------------------------------------------


def scores_text(results: Results, *, by_type: bool = False, colour: bool = False) -> str:
    """Return the scores of one or more systems as text.

    Args:
        results: the scores of each system by metric.
        by_type: also show the scores of each type.
        colour: mark words with colours for a terminal.
    """
    exhibits = []
    short = renamed(results)
    for metric in dict.fromkeys(name for scores in results.values() for name in scores):
        of_metric = {system: scores[metric] for system, scores in short.items() if metric in scores}
        exhibits += score_tables(of_metric, by_type=by_type)
    answers = answer_table(short)
    if answers.rows:
        exhibits.append(answers)
    return _joined(exhibits, score_notes(results), colour)


def runs_text(
    results: Results, over: Mapping[str, Mapping[str, Any]], *, by_type: bool = False, colour: bool = False
) -> str:
    """Return the scores of several runs of one system, with their mean and standard deviation, as text.

    Args:
        results: the scores of each run by metric.
        over: the mean and the standard deviation of each value, by metric.
        by_type: also show the scores of each type.
        colour: mark words with colours for a terminal.
    """
    exhibits = []
    for metric, moments in over.items():
        runs = {run: scores[metric] for run, scores in renamed(results).items()}
        exhibits += run_tables(runs, moments, by_type=by_type)
    return _joined(exhibits, score_notes(results), colour)


def score_notes(results: Results) -> list[str]:
    """Return the notes on how scores were computed, and their signatures.

    Args:
        results: the scores of each system by metric.
    """
    notes = []
    for system, scores in results.items():
        score = next(iter(scores.values()))
        for side, name in (("n_repaired_gold", "gold"), ("n_repaired_pred", "predicted")):
            count = score.get(side)
            if count:
                samples = f"1 {name} sample" if count == 1 else f"{count} {name} samples"
                notes.append(f"{system}: {samples} had ill-formed tags (repair: {score.sums.repair()['repair']}).")
    signatures = dict.fromkeys(score.signature for scores in results.values() for score in scores.values())
    return [*dict.fromkeys(notes), *signatures]


def score_table(score: Score) -> str:
    """Return a score by type, then its averages, in the columns of a classification report; the signature is below.

    Args:
        score: the score.
    """
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


def buckets_text(buckets: Mapping[str, Buckets], *, min_count: int = MIN_COUNT, colour: bool = False) -> str:
    """Return the buckets of each attribute: all scores of one system, or the F1 of several side by side.

    Args:
        buckets: the buckets of each system.
        min_count: the number of gold mentions that a bucket needs to be called best or worst.
        colour: mark words with colours for a terminal.
    """
    signatures = list(dict.fromkeys(of_system.signature for of_system in buckets.values()))
    return _joined(bucket_tables(renamed(buckets), min_count=min_count), signatures, colour)


def comparison_text(
    comparison: Comparison, *, baseline: str | None = None, all_pairs: bool = False, colour: bool = False
) -> str:
    """Return the scores of systems, how they differ, and how their order changes, as text.

    Args:
        comparison: the comparison.
        baseline: with three or more systems, the one that the others are compared with; by default the best.
        all_pairs: with three or more systems, also show the scores of each metric and the tests of all pairs.
        colour: mark words with colours for a terminal.
    """
    bare = {}
    for name, scores in comparison.scores.items():
        bare[name] = {metric: score.without_intervals() for metric, score in scores.items()}
    notes = [*score_notes(bare), comparison.signature]
    short = short_names(list(comparison.scores))
    short_baseline = short[baseline] if baseline is not None else None
    is_matrix = len(comparison.scores) > 2 and not all_pairs  # which has no place for intervals
    values = with_short_names(comparison.to_dict(intervals=not is_matrix))
    tables = comparison_tables(values, baseline=short_baseline, all_pairs=all_pairs)
    return _joined(tables, notes, colour)


def study_text(study: Study, *, colour: bool = False) -> str:
    """Return a study of several datasets as text.

    Args:
        study: the study.
        colour: mark words with colours for a terminal.
    """
    from .study_tables import study_notes, study_tables  # only here: few commands need it

    return _joined(study_tables(study), list(map(_filled, study_notes(study))), colour)


def audit_text(audit: Audit, *, colour: bool = False) -> str:
    """Return an audit as text.

    Args:
        audit: the audit.
        colour: mark words with colours for a terminal.
    """
    return _joined(audit_tables(audit), list(map(_filled, audit_notes(audit))), colour)


def split_text(plans: Mapping[str, SplitPlan], *, colour: bool = False, markdown: bool = False) -> str:
    """Return a plan, beside others on the same corpus if there are any: sizes, representativeness, leakage.

    Args:
        plans: the plans by their names; the first is the one that is described.
        colour: mark words with colours for a terminal.
        markdown: write Markdown instead of text for a terminal.
    """
    plan = next(iter(plans.values()))
    write_line = markdown_text if markdown else _filled
    told = [*plan_related_notes(plan), *plan.notes]
    guarantee, *notes = map(write_line, [f"{plan.guarantee[0].upper()}{plan.guarantee[1:]}.", *told])
    heading = "# Split\n\n" if markdown else ""
    parts = [f"{heading}{guarantee}"]
    parts += [_markdown(table) if markdown else exhibit_text(table, colour=colour) for table in plan_tables(plans)]
    if notes:
        parts.append(("\n\n" if markdown else "\n").join(notes))
    method = method_in_words(plan.how)
    signature = one_line(plan.signature)
    if markdown:
        signature = signature.replace("<", "&lt;")
    return "\n\n".join([*parts, f"{write_line(method)}\n{signature}"])


def frontier_text(frontier: Frontier, *, colour: bool = False, markdown: bool = False) -> str:
    """Return the splits of a frontier, with the best marked, and the recommendation.

    Args:
        frontier: the frontier.
        colour: mark words with colours for a terminal.
        markdown: write Markdown instead of text for a terminal.
    """
    heading = ["# Frontier"] if markdown else []
    tables = frontier_tables(frontier)
    drawn = [_markdown(table) if markdown else exhibit_text(table, colour=colour) for table in tables]
    sentence = frontier.recommendation if markdown else _filled(frontier.recommendation)
    return "\n\n".join([*heading, *drawn, sentence, frontier.best.plan.signature])


def ladder_text(ladder: Ladder, *, colour: bool = False) -> str:
    """Return a contamination ladder by level, as text.

    Args:
        ladder: the ladder.
        colour: mark words with colours for a terminal.
    """
    source = f"Drawn from {ladder.n_clean} clean and {ladder.n_contaminated} contaminated training samples."
    return _joined(ladder_tables(ladder), [source, ladder.signature], colour)


def folds_text(folds: Folds, *, colour: bool = False) -> str:
    """Return folds as text: their sizes, how they compare with the corpus, and what they share with the others.

    Args:
        folds: the folds.
        colour: mark words with colours for a terminal.
    """
    guarantee = f"{folds.guarantee[0].upper()}{folds.guarantee[1:]}."
    notes = [*map(_filled, [guarantee, *folds.notes]), folds.signature]
    return _joined(fold_tables(folds), notes, colour)


# --- Markdown ---------------------------------------------------------------------------------------------------


def _markdown(exhibit: Exhibit) -> str:
    """Return a table in Markdown, with its title and its note."""
    note = f"\n\n{markdown_text(exhibit.note)}" if exhibit.note else ""
    return f"{markdown_text(exhibit.title)}\n{markdown_table(exhibit.header, row_texts(exhibit))}{note}"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, whose texts cannot break out of their cells.

    Args:
        header: the names of the columns.
        rows: the cells of each row.
    """
    lines = [[markdown_text(cell) for cell in line] for line in (header, ["---"] * len(header), *rows)]
    return "\n".join(["", *("| " + " | ".join(line) + " |" for line in lines)])
