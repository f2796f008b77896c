"""Panels that only the app draws: errors in context, entities that leak, commands, a trade-off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from ..scoring.exposure_view import NOVELTY_CLASSES
from ..showing.escaping import visible
from ..showing.exhibit import Cell, Exhibit, Measured, Section
from ..showing.html import fragment
from ..showing.report_data import KINDS, Context, Findings, Listed
from ..splitting.audit import Audit
from ..splitting.plan import SplitPlan

_MOST_ERRORS = 150
"""Errors of each kind that are listed; the report lists more."""

# --- errors ---------------------------------------------------------------------------------------------------


def errors_panel(found: Findings) -> str:
    """Return the errors of the first system in context, by kind.

    The style sheet hides the kinds that are not chosen, so that no script is needed. The first errors of each kind are
    listed; those that are among the first of all kinds together are marked.
    """
    system = next(iter(found.errors))
    made = Counter(row["kind"] for row in found.errors[system].matches if row["kind"] != "exact")
    listed: Counter[str] = Counter()
    rows = []
    for place, row in enumerate(found.listed):
        if listed[row.kind] < _MOST_ERRORS:
            listed[row.kind] += 1
            rows.append(_error(row, found.contexts[row.context], is_first=place < _MOST_ERRORS))
    lead = "Every mention that was missed, spurious, or wrong in its boundary or type."
    if made.total() > min(len(rows), _MOST_ERRORS):
        lead += (
            f" All {made.total():,} are counted; of each choice the first {_MOST_ERRORS} are listed here, and up to "
            "10,000 in the report, with further filters and a search."
        )
    counts = {"all": made.total(), **{kind: made[kind] for kind in KINDS}}
    chosen = "".join(
        f'<label><input type="radio" name="kind" value="{kind}"{" checked" * (kind == "all")}>{kind} '
        f"<span>{count:,}</span></label>"
        for kind, count in counts.items()
    )
    key = (
        '<span class="gold">gold mention</span><span class="pred">prediction</span><span class="gold pred">both</span>'
    )
    return (
        f'<section><h2>Errors</h2><p class="lead">{lead}</p>'
        f'<form class="filters"><fieldset><legend>Kind</legend>{chosen}</fieldset></form>'
        f'<p class="key">{key}</p><ol class="errors" tabindex="0" aria-label="Errors">{"".join(rows)}</ol></section>'
    )


_NOVELTY = {novelty.name: novelty.long_title for novelty in NOVELTY_CLASSES}


def _error(row: Listed, context: Context, is_first: bool) -> str:
    spans = ""
    for name, span in (("gold", row.gold), ("predicted", row.pred)):
        words = span and " ".join(context.words[span[0] : span[1]])
        what = f"<b>{_text(words)}</b> <code>{_text(span[2])}</code>" if span and words else "nothing"
        spans += f"<span>{name} {what}</span>"
    head = f'<span class="kind">{row.kind}</span><bdi>{_text(context.where)}</bdi>'
    head += f"<span>{_NOVELTY[row.novelty]}</span>" if row.novelty else ""
    line = _marked(context.words, {"gold": row.gold, "pred": row.pred})
    line = ("" if context.begins else "… ") + line + ("" if context.ends else " …")
    return (
        f'<li data-kind="{row.kind}"{" data-first" * is_first}><div class="head">{head}</div>'
        f'<p class="context" dir="auto">{line}</p><div class="spans">{spans}</div></li>'
    )


def _marked(words: Sequence[str], marks: Mapping[str, tuple[Any, ...] | None]) -> str:
    """Return words with spans in them, which may overlap: cut where one begins or ends."""
    spans = {name: span for name, span in marks.items() if span is not None}
    cuts = sorted({0, len(words), *(end for span in spans.values() for end in span[:2])})
    line = ""
    for start, end in pairwise(cuts):
        within = [name for name, span in spans.items() if span[0] <= start and end <= span[1]]
        goes_on = any(end < spans[name][1] for name in within)  # then the space behind is marked as well
        text = _text(" ".join(words[start:end])) + " " * goes_on
        line += f'<bdi class="{" ".join(within)}">{text}</bdi>' if within else text
        line += "" if goes_on else " "
    return line.rstrip()


def _text(text: str) -> str:
    return escape(visible(text))


# --- entities that leak -------------------------------------------------------------------------------------------


def leaks_panel(found: Audit) -> str:
    """Return the entities that leak most, each with a sentence of either split."""
    rows = []
    for leak in found.top_leaks:
        entity = leak["entity"].split()
        examples = ""
        for split, samples in leak["examples"].items():
            line = _marked_entity(samples[0]["text"].split(), entity)
            examples += f'<p class="context" dir="auto"><small>{_text(split)}</small> {line}</p>'
        here, there = leak["pair"]
        head = f'<span class="kind">{_text(leak["entity"])}</span><code>{_text(leak["label"] or "")}</code>'
        head += f"<span>{leak[f'n_{here}']} times in {_text(here)}, {leak[f'n_{there}']} in {_text(there)}</span>"
        rows.append(f'<li><div class="head">{head}</div>{examples}</li>')
    if not rows:
        return ""
    return (
        '<section><h2>Examples</h2><p class="lead">The same entity on both sides.</p>'
        f'<ol class="errors" tabindex="0" aria-label="Examples">{"".join(rows)}</ol></section>'
    )


def _marked_entity(words: list[str], entity: list[str]) -> str:
    size = len(entity)
    at = next((i for i in range(len(words)) if words[i : i + size] == entity), None)
    return _marked(words, {"gold": None if at is None else (at, at + size)})


# --- how to make a split again ------------------------------------------------------------------------------------


def commands_panel(command: str, python: str) -> str:
    """Return the command and the lines of Python that make the same split; a click selects all of either."""
    figures = ""
    for name, lines in (("Command line", command), ("Python", python)):
        code = f'<pre class="code" tabindex="0" aria-label="{name}">{_text(lines)}</pre>'
        figures += f"<figure><figcaption>{name}</figcaption>{code}</figure>"
    lead = "The same split on your machine, where the files are in the current folder. A click selects all of it."
    return f'<section><p class="lead">{lead}</p>{figures}</section>'


# --- a trade-off --------------------------------------------------------------------------------------------------


class Point(NamedTuple):
    """A split of a trade-off: what it discards, and what its held-out samples still share with train."""

    discard: str
    n_samples: int
    n_discarded: int
    n_held_out: int
    n_shared: int

    @classmethod
    def from_plan(cls, discard: str, plan: SplitPlan) -> Point:
        """Return the point of a plan that was allowed to discard this much."""
        train, *held_out = plan.names
        n_shared = sum(plan.leakage["after"][name, train]["n_partial"] for name in held_out)
        n_held_out = sum(plan.sizes[name] for name in held_out)
        return cls(discard, len(plan.assignment), plan.n_discarded, n_held_out, n_shared)

    @property
    def discarded(self) -> float:
        """The share of all samples that is discarded."""
        return self.n_discarded / max(self.n_samples, 1)

    @property
    def shared(self) -> float:
        """The share of held-out samples that share an entity with train."""
        return self.n_shared / max(self.n_held_out, 1)


_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 620, 250, 46, 24, 44


def trade_off_panel(points: Sequence[Point], chosen: str, note: str = "") -> str:
    """Return a curve of what is shared over what is discarded, and the same as a table.

    Args:
        points: The splits that were computed, in the order of what they may discard.
        chosen: The ``discard`` of the split that is shown beside it.
        note: What is to be said below the table.
    """
    rows: list[tuple[str, Sequence[Cell]]] = []
    for point in points:
        shared = Measured(point.shared, n=point.n_shared)
        rows.append((allowed(point.discard), [point.n_discarded, point.discarded, shared]))
    header = ["may be discarded", "samples", "%", "shared"]
    table = Exhibit("trade-off", "In numbers (%)", header, rows, note=note)
    lead = "Each point is a split that was computed; the large one is yours. What is discarded is in a file of its own."
    drawn = _curve([(point.discarded, point.shared, point.discard == chosen) for point in points])
    inner = fragment([Section("trade-off", "Trade-off", lead, [table])])
    return inner.replace("<figure>", f"<figure>{drawn}</figure><figure>", 1)


def allowed(discard: str) -> str:
    """Return what a split may discard, in words."""
    if discard == "auto":
        return "what it takes to share nothing"
    return f"at most {100 * float(discard):g}%" if float(discard) else "nothing"


def _curve(points: Sequence[tuple[float, float, bool]]) -> str:
    """Return shares from left to right, joined by a line; the one that is marked is large."""
    right, top = (1.08 * max(0.01, *(point[i] for point in points)) for i in (0, 1))

    def x(value: float) -> float:
        return _LEFT + value / right * (_WIDTH - _LEFT - 20)

    def y(value: float) -> float:
        return _TOP + (1 - value / top) * (_HEIGHT - _TOP - _BOTTOM)

    def written(text: str, at: float, height: float, anchor: str = "middle") -> str:
        return f'<text x="{at:.1f}" y="{height:.1f}" text-anchor="{anchor}">{text}</text>'

    marks = [written("held-out samples that share an entity with train, %", _LEFT, 12, "start")]
    marks.append(written("discarded samples, %", _WIDTH - 4, _HEIGHT - 6, "end"))
    marks += [written(f"{100 * tick:.3g}", x(tick), _HEIGHT - 26) for tick in _ticks(right)]
    for tick in _ticks(top):
        marks.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>')
        marks.append(written(f"{100 * tick:.3g}", _LEFT - 6, y(tick) + 4, "end"))
    line = " ".join(f"{x(a):.1f},{y(s):.1f}" for a, s, _ in sorted(points))
    marks.append(f'<polyline class="s0" points="{line}"/>')
    for a, s, large in sorted(points, key=lambda point: point[2]):
        title = f"<title>{100 * a:.2f}% discarded, {100 * s:.2f}% shared</title>"
        dot = f'class="s{int(large)}" cx="{x(a):.1f}" cy="{y(s):.1f}" r="{7 if large else 4}"'
        marks.append(f"<circle {dot}>{title}</circle>")
    label = "What is discarded against what is shared; the numbers are below."
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(marks)}</svg>'


def _ticks(top: float) -> list[float]:
    """Return four or five round numbers from 0 on."""
    step = next(s for s in (m * 10.0**e for e in range(-5, 1) for m in (1, 2, 5)) if top / s <= 5)
    return [i * step for i in range(int(top / step) + 1)]
