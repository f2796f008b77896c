"""Results to text and JSON. Percentages appear here only; results themselves are fractions."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from .scores import Score

Results = Mapping[str, Mapping[str, Score]]
"""``results[system][metric]``."""


def to_json(value: Any, indent: int | None = 2) -> str:
    """JSON with NaN as null, since JSON has no NaN."""
    return json.dumps(_plain(value), indent=indent, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def percent(fraction: float) -> str:
    """``0.7456`` -> ``74.56``; a dash where there is nothing to measure."""
    return "-" if math.isnan(fraction) else f"{100 * fraction:.2f}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, colour: bool = False, strong: int = -1) -> str:
    """Aligned columns: the first to the left, the others to the right; column ``strong`` stands out in colour."""
    lines = [header, *rows]
    widths = [max(_width(line[i]) for line in lines) for i in range(len(header))]

    def cells(line: Sequence[str]) -> list[str]:
        gaps = [" " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)]
        return [line[0] + gaps[0], *(gap + cell for gap, cell in zip(gaps[1:], line[1:], strict=True))]

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


def scores_text(results: Results, *, by_type: bool = False, colour: bool = False) -> str:
    """The scores of one or more systems, as a person reads them."""
    parts = []
    for metric in dict.fromkeys(name for scores in results.values() for name in scores):
        scores = {system: found[metric] for system, found in results.items()}
        title, columns = _TABLES[metric]
        parts.append(f"{title}\n" + _score_table("system", scores, columns, colour))
        if by_type:
            for system, score in scores.items():
                types = {label: _OfType(score, label) for label in score.sums.counts.by_type}
                name = f"{title}, {system}, by type" if len(scores) > 1 else f"{title}, by type"
                parts.append(f"{name}\n" + _score_table("type", types, columns, colour))
    parts.append("\n".join(_notes(results)))
    return "\n\n".join(part for part in parts if part)


class _OfType:
    """The values of one type of a score, by their plain names."""

    def __init__(self, score: Score, label: str) -> None:
        self._score, self._label = score, label

    def get(self, name: str) -> Any:
        return self._score.get(f"{name}/{self._label}")


_TABLES: dict[str, tuple[str, dict[str, str]]] = {
    "exact_f1": (
        "Exact match (%)",
        {
            "precision": "P", "recall": "R", "f1": "F1", "macro_f1": "macro F1", "n_gold": "gold",
            "n_pred": "predicted", "n_exact": "correct",
        },
    ),
    "partial_f1": (
        "Partial credit, F1 (%)",
        {
            "f1_exact": "exact", "f1_left": "left", "f1_right": "right", "f1_overlap": "overlap",
            "n_partial_left": "+left", "n_partial_right": "+right", "n_partial_overlap": "+overlap",
        },
    ),
}  # fmt: skip
"""Title and columns of each metric's table."""


def _score_table(first: str, rows: Mapping[str, Any], columns: Mapping[str, str], colour: bool) -> str:
    shown = {k: v for k, v in columns.items() if any(row.get(k) is not None for row in rows.values())}
    strong = 1 + list(shown).index("f1") if "f1" in shown else len(shown)
    cells = [[name, *(_cell(row.get(key)) for key in shown)] for name, row in rows.items()]
    return table([first, *shown.values()], cells, colour=colour, strong=strong)


def _cell(value: Any) -> str:
    return percent(value) if isinstance(value, float) else str(value)


def _notes(results: Results) -> list[str]:
    """What a reader must know of how the scores came about."""
    notes = []
    for system, scores in results.items():
        score = next(iter(scores.values()))
        for side, name in (("n_repaired_gold", "gold"), ("n_repaired_pred", "predicted")):
            count = score.get(side)
            if count:
                samples = f"{count} {name} sample{'s' * (count != 1)}"
                notes.append(f"{system}: {samples} had ill-formed tags (repair: {score.settings['repair']}).")
    signatures = dict.fromkeys(score.signature for scores in results.values() for score in scores.values())
    return [*dict.fromkeys(notes), *signatures]
