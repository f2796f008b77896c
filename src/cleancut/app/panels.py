"""Panels that only the app draws: errors in context, entities that leak, commands, and the trade-off of a split."""

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
"""The greatest number of errors of each kind that are listed; the report lists more."""

# --- errors ---------------------------------------------------------------------------------------------------


def errors_panel(data: Findings) -> str:
    """Return the errors of the first system in context, by kind.

    The style sheet hides the kinds that are not chosen, so that no script is needed. The first errors of each kind are
    listed; those that are among the first of all kinds together are marked.

    Args:
        data: what a report shows.
    """
    system = next(iter(data.errors))
    n_errors = Counter(row["kind"] for row in data.errors[system].matches if row["kind"] != "exact")
    listed: Counter[str] = Counter()
    rows = []
    for place, row in enumerate(data.listed):
        if listed[row.kind] < _MOST_ERRORS:
            listed[row.kind] += 1
            rows.append(_error(row, data.contexts[row.context], is_first=place < _MOST_ERRORS))
    lead = "Every mention that was missed, spurious, or wrong in its boundary or type."
    if n_errors.total() > min(len(rows), _MOST_ERRORS):
        lead += (
            f" All {n_errors.total():,} are counted; of each choice the first {_MOST_ERRORS} are listed here, and up "
            "to "
            "10,000 in the report, with further filters and a search."
        )
    counts = {"all": n_errors.total(), **{kind: n_errors[kind] for kind in KINDS}}
    choices = ""
    for kind, count in counts.items():
        checked = " checked" if kind == "all" else ""
        button = f'<input type="radio" name="kind" value="{kind}"{checked}>'
        choices += f"<label>{button}{kind} <span>{count:,}</span></label>"
    key = (
        '<span class="gold">gold mention</span><span class="pred">prediction</span><span class="gold pred">both</span>'
    )
    return (
        f'<section><h2>Errors</h2><p class="lead">{lead}</p>'
        f'<form class="filters"><fieldset><legend>Kind</legend>{choices}</fieldset></form>'
        f'<p class="key">{key}</p><ol class="errors" tabindex="0" aria-label="Errors">{"".join(rows)}</ol></section>'
    )


_NOVELTY = {novelty.name: novelty.long_title for novelty in NOVELTY_CLASSES}
"""The titles of the classes of novelty."""


def _error(row: Listed, context: Context, is_first: bool) -> str:
    """Return one error in its context."""
    spans = ""
    for name, span in (("gold", row.gold), ("predicted", row.pred)):
        mention = "nothing"
        if span:
            words = " ".join(context.words[span[0] : span[1]])
            if words:
                mention = f"<b>{_text(words)}</b> <code>{_text(span[2])}</code>"
        spans += f"<span>{name} {mention}</span>"
    head = f'<span class="kind">{row.kind}</span><bdi>{_text(context.where)}</bdi>'
    head += f"<span>{_NOVELTY[row.novelty]}</span>" if row.novelty else ""
    line = _marked(context.words, {"gold": row.gold, "pred": row.pred})
    if not context.begins:
        line = f"… {line}"
    if not context.ends:
        line = f"{line} …"
    return (
        f'<li data-kind="{row.kind}"{" data-first" * is_first}><div class="head">{head}</div>'
        f'<p class="context" dir="auto">{line}</p><div class="spans">{spans}</div></li>'
    )


def _marked(words: Sequence[str], marks: Mapping[str, tuple[Any, ...] | None]) -> str:
    """Return words with marked spans, which may overlap: the text is cut where a span begins or ends."""
    spans = {name: span for name, span in marks.items() if span is not None}
    cuts = sorted({0, len(words), *(end for span in spans.values() for end in span[:2])})
    line = ""
    for start, end in pairwise(cuts):
        within = [name for name, span in spans.items() if span[0] <= start < end <= span[1]]
        goes_on = any(end < spans[name][1] for name in within)  # then the space behind is marked as well
        text = _text(" ".join(words[start:end])) + " " * goes_on
        line += f'<bdi class="{" ".join(within)}">{text}</bdi>' if within else text
        line += "" if goes_on else " "
    return line.rstrip()


def _text(text: str) -> str:
    """Return a text for HTML, with its control characters made visible."""
    return escape(visible(text))


# --- entities that leak -------------------------------------------------------------------------------------------


def leaks_panel(audit: Audit) -> str:
    """Return the entities that leak most, each with a sentence of either split.

    Args:
        audit: the audit.
    """
    rows = []
    for leak in audit.top_leaks:
        entity = leak["entity"].split()
        examples = ""
        for split, samples in leak["examples"].items():
            line = _marked_entity(samples[0]["text"].split(), entity)
            examples += f'<p class="context" dir="auto"><small>{_text(split)}</small> {line}</p>'
        first, second = leak["pair"]
        head = f'<span class="kind">{_text(leak["entity"])}</span><code>{_text(leak["label"] or "")}</code>'
        head += f"<span>{leak[f'n_{first}']} times in {_text(first)}, {leak[f'n_{second}']} in {_text(second)}</span>"
        rows.append(f'<li><div class="head">{head}</div>{examples}</li>')
    if not rows:
        return ""
    return (
        '<section><h2>Examples</h2><p class="lead">The same entity on both sides.</p>'
        f'<ol class="errors" tabindex="0" aria-label="Examples">{"".join(rows)}</ol></section>'
    )


def _marked_entity(words: list[str], entity: list[str]) -> str:
    """Return words in which the first mention of an entity is marked, if its words are among them."""
    size = len(entity)
    for start in range(len(words)):
        if words[start : start + size] == entity:
            return _marked(words, {"gold": (start, start + size)})
    return _marked(words, {})


# --- how to make a split again ------------------------------------------------------------------------------------


def commands_panel(command: str, python: str) -> str:
    """Return the command and the lines of Python that make the same split; a click selects all of either.

    Args:
        command: the command.
        python: the lines of Python.
    """
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
    """The share that it was allowed to discard, as it was given."""
    n_samples: int
    """The number of all samples."""
    n_discarded: int
    """The number of discarded samples."""
    n_held_out: int
    """The number of held-out samples."""
    n_shared: int
    """The number of held-out samples that share an entity with train."""

    @classmethod
    def from_plan(cls, discard: str, plan: SplitPlan) -> Point:
        """Return the point of a plan.

        Args:
            discard: the share that it was allowed to discard, as it was given.
            plan: the plan.
        """
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


_WIDTH, _HEIGHT = 620, 250
"""The size of the curve in pixels."""
_LEFT = 46
"""The margin to the left of the curve in pixels."""
_TOP = 24
"""The margin above it."""
_BOTTOM = 44
"""The margin below it."""


def trade_off_panel(points: Sequence[Point], chosen: str, note: str = "") -> str:
    """Return a curve of what is shared over what is discarded, and the same as a table.

    Args:
        points: the splits that were computed, in the order of what they may discard.
        chosen: the ``discard`` of the split that is shown beside it.
        note: a text below the table.
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
    return inner.replace("<figure", f"<figure>{drawn}</figure><figure", 1)


def allowed(discard: str) -> str:
    """Return in words what a split may discard.

    Args:
        discard: the largest share, as it was given, or auto.
    """
    if discard == "auto":
        return "what it takes to share nothing"
    return f"at most {100 * float(discard):g}%" if float(discard) else "nothing"


def _curve(points: Sequence[tuple[float, float, bool]]) -> str:
    """Return points for shares of discarded and shared samples, joined by a line; the marked one is large."""
    right = 1.08 * max(0.01, *(discarded for discarded, _, _ in points))
    top = 1.08 * max(0.01, *(shared for _, shared, _ in points))

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
    line = " ".join(f"{x(discarded):.1f},{y(shared):.1f}" for discarded, shared, _ in sorted(points))
    marks.append(f'<polyline class="s0" points="{line}"/>')
    for discarded, shared, large in sorted(points, key=lambda point: point[2]):
        title = f"<title>{100 * discarded:.2f}% discarded, {100 * shared:.2f}% shared</title>"
        radius = 7 if large else 4
        dot = f'class="s{int(large)}" cx="{x(discarded):.1f}" cy="{y(shared):.1f}" r="{radius}"'
        marks.append(f"<circle {dot}>{title}</circle>")
    label = "What is discarded against what is shared; the numbers are below."
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(marks)}</svg>'


def _ticks(top: float) -> list[float]:
    """Return four or five round numbers from 0 on."""
    steps = [digit * 10.0**exponent for exponent in range(-5, 1) for digit in (1, 2, 5)]
    step = next(step for step in steps if top / step <= 5)
    return [i * step for i in range(int(top / step) + 1)]
