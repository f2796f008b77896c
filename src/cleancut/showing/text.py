"""Write results as text for a terminal, as Markdown and as JSON. Results are fractions; text shows percentages."""

from __future__ import annotations

import json
import math
import re
import textwrap
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.exceptions import counted
from ..scoring.buckets import Buckets
from ..scoring.compare import Comparison
from ..scoring.diagnosis import MIN_COUNT
from ..scoring.errors import Errors
from ..scoring.score import Score
from .escaping import json_text, markdown_text, one_line, visible
from .exhibit import Cell, Exhibit, Measured, Row, cell_text, row_texts
from .screen import PLAIN, Screen
from .short_names import renamed, short_names, with_short_names
from .tables import (
    answer_table,
    audit_notes,
    audit_tables,
    bucket_tables,
    comparison_tables,
    error_tables,
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
        header: the names of the columns, of one line or several.
        rows: the cells of each row.
        colour: mark the header and a column with colours for a terminal.
        strong: the number of the column that stands out in colour.
        words: the numbers of the columns that are aligned to the left; the others are aligned to the right.
    """
    titles = [title.split("\n") for title in header]
    n_lines = max(map(len, titles))
    above = [[""] * (n_lines - len(lines)) + lines for lines in titles]
    heads = [[one_line(cell) for cell in line] for line in zip(*above, strict=True)]
    body = [[one_line(cell) for cell in line] for line in rows]
    widths = _column_widths([*heads, *body])

    def cells(line: Sequence[str]) -> list[str]:
        """Return the cells of a line, each as wide as its column."""
        if len(line) == 1:
            return [*line]
        gaps = [" " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)]
        pairs = enumerate(zip(line, gaps, strict=True))
        return [cell + gap if i in words else gap + cell for i, (cell, gap) in pairs]

    text = []
    for line in heads:
        padded = [f"\x1b[1m{cell}\x1b[0m" if colour else cell for cell in cells(line)]
        text.append("  ".join(padded).rstrip())
    text.append("  ".join("-" * width for width in widths))
    for line in body:
        padded = cells(line)
        if colour and 0 <= strong < len(padded):
            padded[strong] = f"\x1b[1m{padded[strong]}\x1b[0m"
        text.append("  ".join(padded).rstrip())
    return "\n".join(text)


def _column_widths(lines: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column of a table; the first line is the header, and lines of one cell are headings."""
    of_columns = [line for line in lines if len(line) == len(lines[0])]
    return [
        max(_width(part) for cell in column for part in cell.split("\n")) for column in zip(*of_columns, strict=True)
    ]


def _width(text: str) -> int:
    """Return the number of columns that a text takes on a terminal."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


# --- exhibits ---------------------------------------------------------------------------------------------------


def exhibit_text(exhibit: Exhibit, *, screen: Screen = PLAIN) -> str:
    """Return a table as text, with intervals behind their values, or below if the table is too wide.

    Args:
        exhibit: the table.
        screen: where the text is shown.
    """
    notes = [_filled(line, screen) for line in exhibit.note.splitlines()]
    title = exhibit.title
    drawn = _drawn(exhibit, _with_interval, screen)
    if any(_has_interval(cell) for _, cells in exhibit.rows for cell in cells):
        in_one_piece = _drawn(exhibit, _with_interval, PLAIN)
        if max(map(_width, in_one_piece.splitlines())) > (screen.width or COLUMNS):
            drawn = f"{_drawn(exhibit, _bare, screen)}\n\n{_interval_text(exhibit, screen)}"
        else:
            title = f"{title.removesuffix(' (%)')}, with 95% intervals (%)"
    title = one_line(title) if screen.width is None else _filled(title, screen)
    return "\n".join([title, drawn, *notes])


def _drawn(exhibit: Exhibit, text: Callable[[Cell], str], screen: Screen) -> str:
    """Return a table whose cells are written by a function; columns that do not fit beside the others follow below."""
    header = [*map(_shortened, exhibit.header)]
    rows = [[_shortened(name), *map(text, cells)] if cells else [name] for name, cells in exhibit.rows]
    words = [column for column in range(len(exhibit.header)) if exhibit.holds_words(column)]
    if screen.width is None:
        return table(header, rows, colour=screen.colour, strong=exhibit.strong, words=words)
    widths = _column_widths([header, *rows])
    if _table_width(widths) > screen.width:
        header = [header[0], *(_BREAKS.sub("\n", title) for title in header[1:])]
        widths = _column_widths([header, *rows])
    pieces = []
    for columns in _fitting(header, widths, screen.width):
        part = [[line[column] for column in columns] if len(line) > 1 else line for line in rows]
        strong = columns.index(exhibit.strong) if exhibit.strong in columns else -1
        of_words = [place for place, column in enumerate(columns) if column in words]
        title = [header[column] for column in columns]
        pieces.append(table(title, part, colour=screen.colour, strong=strong, words=of_words))
    return "\n\n".join(pieces)


_BREAKS = re.compile(r" |(?<=/)(?=.)|(?<=\w)(?=%)")
"""Matches where a title may be divided into lines."""


def _fitting(header: Sequence[str], widths: Sequence[int], width: int) -> list[list[int]]:
    """Return the columns of each of the tables that a table is divided into, so that each fits.

    The first column, which has the names of rows, is in all of them. A column without a title stays beside the one
    before it.

    Args:
        header: the titles of the columns.
        widths: the width of each column.
        width: the number of columns of the terminal.
    """
    kept_together: list[list[int]] = []
    for column in range(1, len(widths)):
        if kept_together and not header[column]:
            kept_together[-1].append(column)
        else:
            kept_together.append([column])
    parts = [[0]]
    for columns in kept_together:
        wider = [*parts[-1], *columns]
        if len(parts[-1]) > 1 and _table_width([widths[column] for column in wider]) > width:
            wider = [0, *columns]
            parts.append(wider)
        parts[-1] = wider
    return parts


def _table_width(widths: Sequence[int]) -> int:
    """Return the width of a table whose columns have these widths."""
    return sum(widths) + 2 * (len(widths) - 1)


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


def _interval_text(exhibit: Exhibit, screen: Screen) -> str:
    """Return the intervals as a table of their own, for the first values, which fit beside each other."""
    filled = [cells for _, cells in exhibit.rows if cells]
    columns = [i for i in range(len(exhibit.header) - 1) if any(_has_interval(cells[i]) for cells in filled)]
    fitting = columns[:4]
    rows: list[Row] = []
    for name, cells in exhibit.rows:
        ends = [_ends(cells[i]) for i in fitting] if cells else []
        rows.append((name, ends))
    header = [exhibit.header[0], *(exhibit.header[i + 1] for i in fitting)]
    return f"95% intervals (%)\n{_drawn(Exhibit('intervals', '', header, rows), cell_text, screen)}"


def _ends(cell: Cell) -> str:
    """Return the ends of an interval; a dash if there is none."""
    if not isinstance(cell, Measured) or cell.interval is None:
        return "-"
    return " - ".join(map(cell.text, cell.interval))


def _filled(text: str, screen: Screen = PLAIN) -> str:
    """Return a text in lines that are no wider than a table, or than the terminal."""
    width = COLUMNS if screen.width is None else min(screen.width, COLUMNS)
    return textwrap.fill(one_line(text), width, break_on_hyphens=False, break_long_words=False)


def _shortened(text: str, width: int = 32) -> str:
    """Return a text that is cut if it is long."""
    text = one_line(text)
    return text if len(text) <= width else text[: width - 1] + "…"


def _explained(exhibit: Exhibit) -> str:
    """Return what delta F1 is, if it is a column or a row of a table; else nothing."""
    for name in (*exhibit.header, *(name for name, _ in exhibit.rows)):
        if name.startswith("delta F"):
            value = name.removeprefix("delta ")
            return (
                f"{name} is {value} minus clean {value}: how much of {value} rests on names that training has shown. "
                f"Near 0, {value} owes nothing to memory."
            )
    return ""


def _joined(exhibits: Sequence[Exhibit], notes: Sequence[str], screen: Screen) -> str:
    """Return tables and the lines below them as one text. On a terminal, delta F1 is explained where it is first."""
    parts = []
    is_explained = screen.width is None
    for exhibit in exhibits:
        part = exhibit_text(exhibit, screen=screen)
        explanation = _explained(exhibit)
        if explanation and not is_explained:
            part += f"\n{_filled(explanation, screen)}"
            is_explained = True
        parts.append(part)
    lines = "\n".join(map(visible, notes))
    if lines:
        parts.append(lines)
    return "\n\n".join(parts)


# --- results ----------------------------------------------------------------------------------------------------


def scores_text(results: Results, *, by_type: bool = False, screen: Screen = PLAIN) -> str:
    """Return the scores of one or more systems as text.

    Args:
        results: the scores of each system by metric.
        by_type: also show the scores of each type.
        screen: where the text is shown.
    """
    exhibits = []
    short = renamed(results)
    for metric in dict.fromkeys(name for scores in results.values() for name in scores):
        of_metric = {system: scores[metric] for system, scores in short.items() if metric in scores}
        exhibits += score_tables(of_metric, by_type=by_type)
    answers = answer_table(short)
    if answers.rows:
        exhibits.append(answers)
    return _joined(exhibits, score_notes(results), screen)


def errors_text(errors_of: Mapping[str, Errors], *, most: int, screen: Screen = PLAIN) -> str:
    """Return the confused types and the first errors of each system as text.

    Args:
        errors_of: the errors of each system.
        most: the greatest number of errors to list of a system.
        screen: where the text is shown.
    """
    return _joined(error_tables(renamed(errors_of), most=most), [], screen)


def runs_text(
    results: Results, over: Mapping[str, Mapping[str, Any]], *, by_type: bool = False, screen: Screen = PLAIN
) -> str:
    """Return the scores of several runs of one system, with their mean and standard deviation, as text.

    Args:
        results: the scores of each run by metric.
        over: the mean and the standard deviation of each value, by metric.
        by_type: also show the scores of each type.
        screen: where the text is shown.
    """
    exhibits = []
    for metric, moments in over.items():
        runs = {run: scores[metric] for run, scores in renamed(results).items()}
        exhibits += run_tables(runs, moments, by_type=by_type)
    return _joined(exhibits, score_notes(results), screen)


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
                samples = counted(count, f"{name} sample")
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
    return _joined([Exhibit("table", score.record.title, header, rows)], [score.signature], PLAIN)


def buckets_text(buckets: Mapping[str, Buckets], *, min_count: int = MIN_COUNT, screen: Screen = PLAIN) -> str:
    """Return the buckets of each attribute: all scores of one system, or the F1 of several side by side.

    Args:
        buckets: the buckets of each system.
        min_count: the number of gold mentions that a bucket needs to be called best or worst.
        screen: where the text is shown.
    """
    signatures = list(dict.fromkeys(of_system.signature for of_system in buckets.values()))
    return _joined(bucket_tables(renamed(buckets), min_count=min_count), signatures, screen)


def comparison_text(
    comparison: Comparison, *, baseline: str | None = None, all_pairs: bool = False, screen: Screen = PLAIN
) -> str:
    """Return the scores of systems, how they differ, and how their order changes, as text.

    Args:
        comparison: the comparison.
        baseline: with three or more systems, the one that the others are compared with; by default the best.
        all_pairs: with three or more systems, also show the scores of each metric and the tests of all pairs.
        screen: where the text is shown.
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
    return _joined(tables, notes, screen)


def study_text(study: Study, *, screen: Screen = PLAIN) -> str:
    """Return a study of several datasets as text.

    Args:
        study: the study.
        screen: where the text is shown.
    """
    from .study_tables import study_notes, study_tables  # only here: few commands need it

    return _joined(study_tables(study), list(map(_filled, study_notes(study))), screen)


def audit_text(audit: Audit, *, screen: Screen = PLAIN) -> str:
    """Return an audit as text.

    Args:
        audit: the audit.
        screen: where the text is shown.
    """
    return _joined(audit_tables(audit), list(map(_filled, audit_notes(audit))), screen)


def split_text(plans: Mapping[str, SplitPlan], *, screen: Screen = PLAIN, markdown: bool = False) -> str:
    """Return a plan, beside others on the same corpus if there are any: sizes, representativeness, leakage.

    Args:
        plans: the plans by their names; the first is the one that is described.
        screen: where the text is shown.
        markdown: write Markdown instead of text for a terminal.
    """
    plan = next(iter(plans.values()))
    write_line = markdown_text if markdown else _filled
    told = [*plan_related_notes(plan), *plan.notes]
    guarantee, *notes = map(write_line, [f"{plan.guarantee[0].upper()}{plan.guarantee[1:]}.", *told])
    heading = "# Split\n\n" if markdown else ""
    parts = [f"{heading}{guarantee}"]
    parts += [_markdown(table) if markdown else exhibit_text(table, screen=screen) for table in plan_tables(plans)]
    if notes:
        between = "\n\n" if markdown else "\n"
        parts.append(between.join(notes))
    method = method_in_words(plan.how)
    signature = one_line(plan.signature)
    if markdown:
        signature = signature.replace("<", "&lt;")
    return "\n\n".join([*parts, f"{write_line(method)}\n{signature}"])


def frontier_text(frontier: Frontier, *, screen: Screen = PLAIN, markdown: bool = False) -> str:
    """Return the splits of a frontier, with the best marked, and the recommendation.

    Args:
        frontier: the frontier.
        screen: where the text is shown.
        markdown: write Markdown instead of text for a terminal.
    """
    heading = ["# Frontier"] if markdown else []
    tables = frontier_tables(frontier)
    drawn = [_markdown(table) if markdown else exhibit_text(table, screen=screen) for table in tables]
    sentence = frontier.recommendation if markdown else _filled(frontier.recommendation)
    return "\n\n".join([*heading, *drawn, sentence, frontier.best.plan.signature])


def ladder_text(ladder: Ladder, *, screen: Screen = PLAIN) -> str:
    """Return a contamination ladder by level, as text.

    Args:
        ladder: the ladder.
        screen: where the text is shown.
    """
    source = f"Drawn from {ladder.n_clean} clean and {ladder.n_contaminated} contaminated training samples."
    return _joined(ladder_tables(ladder), [source, ladder.signature], screen)


def folds_text(folds: Folds, *, screen: Screen = PLAIN) -> str:
    """Return folds as text: their sizes, how they compare with the corpus, and what they share with the others.

    Args:
        folds: the folds.
        screen: where the text is shown.
    """
    guarantee = f"{folds.guarantee[0].upper()}{folds.guarantee[1:]}."
    notes = [*map(_filled, [guarantee, *folds.notes]), folds.signature]
    return _joined(fold_tables(folds), notes, screen)


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
