"""Draw results as web pages: one file each, which loads nothing else and runs no script but its own."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any

from ..core import checks
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, reason
from ..core.notices import said_once
from ..core.shown import percent
from ..core.signature import Signature
from ..scoring.compare import Comparison
from ..scoring.exposure import Exposure
from ..scoring.exposure_view import NOVELTY_CLASSES
from ..splitting.audit import Audit
from ..splitting.frontier import Frontier
from ..splitting.plan import SplitPlan
from ..splitting.study import Study
from ..version import __version__
from .escaping import html_text as _text
from .escaping import visible
from .exhibit import Cell, Exhibit, Kind, Measured, Section, Spot, cell_text, curves, shades
from .report_data import KINDS, Findings, findings, left_out
from .sections import (
    audit_sections,
    comparison_sections,
    frontier_sections,
    report_sections,
    split_sections,
)
from .study_tables import study_notes, study_sections
from .text import score_notes


def html_report(
    gold: Corpus,
    preds: Mapping[str, Any],
    train: Corpus | Exposure | None = None,
    *,
    title: str = "NER report",
    ci: int | None = 1000,
    seed: int = 13,
    max_errors: int = 10_000,
    types: Mapping[str, str] | None = None,
    beta: float = 1.0,
) -> str:
    """Return a page on one or more systems, with a list of their errors to search through.

    Args:
        gold: the gold samples.
        preds: the predictions of each system, by its name.
        train: the training data, or an ``Exposure`` of it. Without it, what needs it is left out.
        title: the title of the page.
        ci: the number of resamples of intervals and of tests between systems; None for neither.
        seed: the seed of the resamples.
        max_errors: the most errors that are listed.
        types: new names of types by old ones (``{"person": "PER"}``), for all sides.
        beta: a number other than 1 shows F-beta rather than F1: with ``beta=2``, recall weighs twice as much.

    Returns:
        The page. The same input gives the same page.

    Raises:
        CleancutError: an option is not valid, or a system does not fit gold.

    >>> gold = Corpus.of([["Ada", "slept"]], tags=[["B-PER", "O"]])
    >>> page = html_report(gold, {"none": [["O", "O"]]})
    >>> page.startswith("<!doctype html>")
    True
    """
    with said_once():
        found = findings(gold, preds, train, ci=ci, seed=seed, max_errors=max_errors, types=types, beta=beta)
        return report_page(found, title=title)


def report_page(found: Findings, *, title: str = "NER report") -> str:
    """Return the page of findings that are computed already, with short names of systems.

    Args:
        found: the findings.
        title: the title of the page.
    """
    found = found.with_short_names()
    names = {"samples": "n_samples", "tokens": "n_tokens", "mentions": "n_mentions", "types": "n_types"}
    facts = [f"{found.sizes[key]:,} {name}" for name, key in names.items()]
    if found.has_train:
        facts.append(f"training: {found.sizes['n_train_mentions']:,} mentions")
    parts = [*map(_section, report_sections(found)), _errors_section(found)]
    return _page(title, facts, parts, report_notes(found), _listing(found))


def report_notes(found: Findings) -> list[str]:
    """Return the notices about the scores of a report, and how each was computed.

    Args:
        found: the findings.
    """
    every = (score for scores in found.scores.values() for score in scores.values())
    notices = dict.fromkeys(notice for score in every for notice in score.notices)
    notes = [*found.notes, *notices, *score_notes(found.scores)]
    notes += dict.fromkeys(own.signature for own in found.buckets.values())
    notes += [found.comparison["signature"]] if found.comparison else []
    return notes


def html_audit(found: Audit, *, title: str = "Audit") -> str:
    """Return a page on what the splits of a dataset share.

    Args:
        found: the result of ``audit``.
        title: the title of the page.

    Returns:
        The page. The same audit gives the same page.

    Raises:
        CleancutError: it is not the result of an audit.
    """
    checks.instance(found, Audit, "the audit", "what audit(...) returns")
    facts = [f"{sum(counts.values()):,} mentions in {name}" for name, counts in found.types.items()]
    return _page(title, facts, map(_section, audit_sections(found)), found.notes)


def html_split(
    plans: SplitPlan | Mapping[str, SplitPlan], *, components: Mapping[int, int] | None = None, title: str = "Split"
) -> str:
    """Return a page on a plan: leakage before and after, sizes, types, and groups of connected samples.

    Args:
        plans: a plan, or several plans of the same corpus by their names.
        components: the result of ``component_sizes``.
        title: the title of the page.

    Returns:
        The page. The same plans give the same page.

    Raises:
        CleancutError: there is no plan, or the components are of another kind.
    """
    wanted = "a plan, or plans by their names"
    given = {"after": plans} if isinstance(plans, SplitPlan) else checks.instances(plans, SplitPlan, "plans", wanted)
    if not given:
        raise CleancutError(f"plans: there are none. Give {wanted}.")
    checks.mapping({} if components is None else components, "components", "what component_sizes returns")
    plan = next(iter(given.values()))
    facts = [f"{n:,} samples in {name}" for name, n in plan.sizes.items()]
    return _page(title, facts, map(_section, split_sections(given, components)), plan_notes(plan))


def plan_notes(plan: SplitPlan) -> list[str]:
    """Return the notes of a plan, and how it was computed.

    Args:
        plan: the plan.
    """
    return [*plan.notes, f"How: {plan.how}.", plan.signature]


def html_frontier(found: Frontier, *, title: str = "Frontier") -> str:
    """Return a page on what less sharing costs in discarded samples, with a picture.

    Args:
        found: the result of ``frontier``.
        title: the title of the page.

    Returns:
        The page. The same frontier gives the same page.

    Raises:
        CleancutError: it is not the result of a frontier.
    """
    checks.instance(found, Frontier, "the frontier", "what frontier(...) returns")
    facts = [f"{len(found.best.plan.assignment):,} samples", f"{len(found.points)} splits"]
    return _page(title, facts, map(_section, frontier_sections(found)), [found.best.plan.signature])


def html_study(found: Study, *, title: str = "Study") -> str:
    """Return a page on systems on several datasets, which needs no script to be read.

    Args:
        found: What ``study`` returns.
        title: The title of the page.

    Returns:
        The page, which asks for nothing beyond itself. The same study gives the same page.

    >>> from cleancut.splitting.study import study
    >>> gold = Corpus.of([["Ada", "slept"]], tags=[["B-PER", "O"]])
    >>> found = study({"news": {"train": gold, "test": gold, "pred": {"copy": gold}}}, ci=None)
    >>> html_study(found).startswith("<!doctype html>")
    True
    """
    facts = [f"{len(found.datasets)} dataset{'s' * (len(found.datasets) != 1)}"]
    facts.append(f"{len(found.systems)} system{'s' * (len(found.systems) != 1)}")
    return _page(title, facts, map(_section, study_sections(found)), study_notes(found))


def html_comparison(
    comparison: Comparison | Mapping[str, Any], *, title: str = "Comparison", further: Sequence[Section] = ()
) -> str:
    """Return a page on several systems.

    Args:
        comparison: What ``compare(...)`` returns, its ``to_dict()``, or what ``cleancut compare --json`` prints.
        title: The title of the page.
        further: Sections that come after the comparison.
    """
    wanted = "what compare(...) returns"
    given = comparison.to_dict() if isinstance(comparison, Comparison) else comparison
    stored = checks.mapping(given, "the comparison", wanted)
    try:
        facts = [f"{len(stored['systems'])} systems"]
        sections = [
            *comparison_sections(stored),
            *(checks.instance(one, Section, "further", "sections") for one in further),
        ]
        notes = comparison_notes(stored)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise CleancutError(
            f"the comparison is broken ({type(error).__name__}: {reason(error)}). Give {wanted}."
        ) from None
    return _page(title, facts, map(_section, sections), notes)


def comparison_notes(comparison: Mapping[str, Any]) -> list[str]:
    """Return how the scores of a comparison, and the comparison itself, were computed.

    Args:
        comparison: the comparison as plain values.
    """
    scores = [score for own in comparison["systems"].values() for score in own.values()]
    signatures = dict.fromkeys(score["signature"] for score in scores if "signature" in score)
    metrics = dict.fromkeys(metric for own in comparison["systems"].values() for metric in own)
    return [*left_out(comparison["systems"], metrics), *signatures, comparison["signature"]]


def fragment(sections: Iterable[Section]) -> str:
    """Return sections for a page that exists already and has the ``stylesheet``.

    Args:
        sections: the sections.
    """
    return "".join(f"<section>{_inner(section)}</section>\n" for section in sections)


def html_notes(notes: Sequence[str]) -> str:
    """Return a section of notes and signatures; empty if there are none.

    Args:
        notes: the notes.
    """
    tags = ["code" if Signature.is_in(note) else "span" for note in notes]
    said = "".join(f"<li><{tag}>{_text(note)}</{tag}></li>" for tag, note in zip(tags, notes, strict=True))
    return f'<section><h2>How this was computed</h2><ul class="notes">{said}</ul></section>' if said else ""


def stylesheet(within: str) -> str:
    """Return the style of fragments, which affects nothing outside of some elements.

    Args:
        within: a selector of these elements.
    """
    return f"{_asset('colours.css')}\n{within} {{\n{_asset('report.css')}\n}}"


# --- the page -------------------------------------------------------------------------------------------


def _page(
    title: str,
    facts: Sequence[str],
    sections: Iterable[_Part],
    notes: Sequence[str],
    data: Mapping[str, Any] | None = None,
) -> str:
    """Return a page of sections, with its style and its script inside."""
    checks.instance(title, str, "title", "a text")
    parts, script = list(sections), _asset("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # whatever a corpus may smuggle in: no script but ours runs, and nothing is fetched
    rules = ("default-src 'none'", "img-src data:", "style-src 'unsafe-inline'", f"script-src 'sha256-{digest}'")
    return Template(_asset("page.html")).substitute(
        policy="; ".join((*rules, "base-uri 'none'", "form-action 'none'")),
        title=_text(title),
        style=_asset("colours.css") + _asset("report.css"),
        facts=" · ".join(map(_text, facts)),
        links="".join(f'<a href="#{slug}">{_text(name)}</a>' for slug, name, _ in parts),
        sections="".join(body for _, _, body in parts),
        notes=html_notes(notes).replace("<section>", '<section id="how">', 1),
        version=__version__,
        data=f'<script type="application/json" id="data">{_json(data)}</script>\n' if data else "",
        script=script,
    )


_Part = tuple[str, str, str]
"""Slug, title and HTML of a section."""


def _asset(name: str) -> str:
    """Return a file of the folder ``assets``."""
    return files(__package__).joinpath("assets", name).read_text("utf-8")


def _json(value: Any) -> str:
    """Return JSON that may stand in a script element: no tag and no comment begins in it."""
    found = json.dumps(_all_visible(value), ensure_ascii=False, separators=(",", ":"))
    return found.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _all_visible(value: Any) -> Any:
    """Return a value whose texts have no invisible control characters."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {key: _all_visible(item) for key, item in value.items()}
    return [_all_visible(item) for item in value] if isinstance(value, list | tuple) else value


def _section(section: Section) -> _Part:
    """Return a section of a page."""
    body = f'<section id="{section.slug}">{_inner(section)}</section>\n'
    return section.slug, section.title, body


def _inner(section: Section) -> str:
    """Return the content of a section."""
    drawn = [(exhibit, _exhibit(exhibit)) for exhibit in section.exhibits]
    charts = "".join(html for exhibit, html in drawn if exhibit.kind is Kind.POINTS)
    key = next((_key(exhibit.header[1:]) for exhibit, _ in drawn if exhibit.kind is Kind.POINTS), "")
    charts = f'{key}<div class="charts">{charts}</div>' if charts else ""
    rest = "".join(html for exhibit, html in drawn if exhibit.kind is not Kind.POINTS)
    lead = f'<p class="lead">{_text(section.lead)}</p>'
    return f"<h2>{_text(section.title)}</h2>{lead}{charts}{rest}"


def _exhibit(exhibit: Exhibit) -> str:
    """Return a table or a picture with its title and its notes."""
    drawn = _DRAW[exhibit.kind](exhibit)
    note = "".join(f'<p class="note">{_text(line)}</p>' for line in exhibit.note.splitlines())
    if exhibit.folded:
        return f"<details><summary>{_text(exhibit.title)}</summary>{drawn}{note}</details>"
    return f"<figure><figcaption>{_text(exhibit.title)}</figcaption>{drawn}{note}</figure>"


# --- tables ---------------------------------------------------------------------------------------------


def _table(exhibit: Exhibit, shade: bool = False) -> str:
    """Return a table that scrolls in its box if it is too wide, also by arrow keys; a single row in large print."""
    if len(exhibit.rows) == 1 and all(isinstance(cell, Measured) for cell in exhibit.rows[0][1]):
        cells = zip(exhibit.header[1:], exhibit.rows[0][1], strict=True)
        tiles = "".join(f"<div><dt>{_text(name)}</dt><dd>{_cell(cell)}</dd></div>" for name, cell in cells)
        return f'<dl class="tiles">{tiles}</dl>'
    words = [column > 0 and exhibit.holds_words(column) for column in range(len(exhibit.header))]
    sides = [' class="left"' if is_words else "" for is_words in words]
    heads = zip(sides, exhibit.header, strict=True)
    head = "".join(f'<th scope="col"{side}>{_text(name)}</th>' for side, name in heads)
    body = "".join(_row(name, cells, exhibit, sides[1:], shade) for name, cells in exhibit.rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{_text(exhibit.title)}">{table}</div>'


_SHORT = 14
"""The most letters of a name that stays in one line, also on a phone."""


def _row(name: str, cells: Sequence[Cell], exhibit: Exhibit, sides: Sequence[str], shade: bool) -> str:
    """Return a row of a table."""
    if not cells:
        return f'<tr class="group"><th scope="rowgroup" colspan="{len(exhibit.header)}">{_text(name)}</th></tr>'
    found = []
    for column, cell, side, dark in zip(exhibit.header[1:], cells, sides, shades(cells), strict=True):
        hit = " hit" if column == name else ""
        style = f' class="heat{hit}" style="--v:{dark:.3f}"' if shade and dark > 0 else ""
        words = ' class="words"' if isinstance(cell, str) and len(cell) > 30 else side
        found.append(f"<td{style or words}>{_cell(cell)}</td>")
    kept = ' class="short"' if len(name) <= _SHORT else ""
    return f'<tr><th scope="row"{kept}>{_text(name)}</th>{"".join(found)}</tr>'


def _cell(cell: Cell) -> str:
    """Return a number, with its interval in small print."""
    if not isinstance(cell, Measured):
        return _text(cell_text(cell))
    small = [" to ".join(map(cell.text, cell.interval))] if cell.interval else []
    small += [f"n = {cell.n}"] if cell.n is not None else []
    return cell.text(cell.value) + (f"<small>{', '.join(small)}</small>" if small else "")


def _heat(exhibit: Exhibit) -> str:
    """Return a table whose cells are shaded by their values."""
    return _table(exhibit, shade=True)


# --- bars: rows of text with a bar beside the number ----------------------------------------------------


def _bars(exhibit: Exhibit) -> str:
    """Return a bar for each number; under a heading for each row if there are several columns."""
    series = exhibit.header[1:]
    if len(series) == 1:
        return _bar_list([(name, cells[0], 0) for name, cells in exhibit.rows])
    panels = []
    for name, cells in exhibit.rows:
        behind = {cell.n if isinstance(cell, Measured) else None for cell in cells}
        n = behind.pop() if len(behind) == 1 else None
        if n is not None:  # the same for all: once is enough
            cells = [cell._replace(n=None) if isinstance(cell, Measured) else cell for cell in cells]
        heading = _text(name) + (f" <small>n = {n}</small>" if n is not None else "")
        bars = [(own, cell, i) for i, (own, cell) in enumerate(zip(series, cells, strict=True))]
        panels.append(f"<div><h3>{heading}</h3>{_bar_list(bars)}</div>")
    return f'<div class="panels">{"".join(panels)}</div>'


def _bar_list(bars: Sequence[tuple[str, Cell, int]]) -> str:
    """Return a list of names with a bar and a number each."""
    rows = []
    for name, cell, i in bars:
        measured = cell if isinstance(cell, Measured) else Measured(cell if isinstance(cell, float) else math.nan)
        bar = "" if math.isnan(measured.value) else f'<i class="s{i % 8}" style="width:{_at(measured.value)}"></i>'
        if measured.interval:
            low, high = measured.interval
            bar += f'<b style="left:{_at(low)};width:{_at(high - low)}"></b>'
        rows.append(
            f'<li><span>{_text(name)}</span><span class="value">{_cell(measured)}</span>'
            f'<div class="track" aria-hidden="true">{bar}</div></li>'
        )
    return f'<ul class="bars">{"".join(rows)}</ul>'


def _at(fraction: float) -> str:
    """Return a share as a length in percent."""
    return f"{100 * min(max(fraction, 0.0), 1.0):.2f}%"


def _stack(exhibit: Exhibit) -> str:
    """Return one bar for each row, as wide as the page, with its parts in words above it."""
    parts = exhibit.header[1:]
    key = "".join(f'<li><i class="s{i % 8}"></i>{_text(part)}</li>' for i, part in enumerate(parts))
    rows = []
    for name, cells in exhibit.rows:
        counts = [cell if isinstance(cell, int) else 0 for cell in cells]
        total, words, bar = max(sum(counts), 1), [], ""
        for i, (part, n) in enumerate(zip(parts, counts, strict=True)):
            share = n / total
            words.append(f"{_text(part)} <b>{n}</b> ({100 * share:.1f}%)")
            written = _text(part) if share > 0.012 * len(part) + 0.01 else ""  # where there is room
            bar += f'<i class="s{i % 8}" style="width:{_at(share)}">{written}</i>' if n else ""
        label = f"<strong>{_text(name)}</strong> " if len(exhibit.rows) > 1 else ""
        text = f'{label}<span class="parts">{" · ".join(words)}</span>'
        rows.append(f'<li>{text}<div class="stack" aria-hidden="true">{bar}</div></li>')
    return f'<ul class="key" aria-hidden="true">{key}</ul><ul class="stacks">{"".join(rows)}</ul>'


def _gap(exhibit: Exhibit) -> str:
    """Return two marks on one line for each row: a disc for the first column, a diamond for the second."""
    measured = [[cell for cell in cells if isinstance(cell, Measured)] for _, cells in exhibit.rows]
    known = [end for row in measured for cell in row for end in (cell.value, *(cell.interval or ()))]
    known += [exhibit.reference[1]] if exhibit.reference else []
    known = [value for value in known if not math.isnan(value)] or [0.0]
    low, high = math.floor(10 * min(known)), math.floor(10 * max(known)) + 1  # tenths

    def at(value: float) -> str:
        return _at((10 * value - low) / (high - low))

    def between(one: float, other: float) -> str:
        return f"left:{at(one)};right:calc(100% - {at(other)})"

    line = f'<em style="left:{at(exhibit.reference[1])}"></em>' if exhibit.reference else ""
    rows = []
    for (name, _), cells in zip(exhibit.rows, measured, strict=True):
        ends = sorted(cell.value for cell in cells)
        marks = line if math.isnan(sum(ends)) else f'{line}<u style="{between(ends[0], ends[-1])}"></u>'
        for i, cell in enumerate(cells):
            marks += f'<b class="s{i}" style="{between(*cell.interval)}"></b>' if cell.interval else ""
            marks += "" if math.isnan(cell.value) else f'<i class="s{i} m{i}" style="left:{at(cell.value)}"></i>'
        drawn = f'<td class="gap" aria-hidden="true"><div>{marks}</div></td>'
        numbers = "".join(f"<td>{_cell(cell)}</td>" for cell in cells)
        rows.append(f'<tr><th scope="row">{_text(name)}</th>{drawn}{numbers}</tr>')
    ticks = range(low, high + 1, 1 if high - low <= 5 else 2)
    axis = "".join(f'<span style="left:{at(tick / 10)}">{10 * tick}</span>' for tick in ticks)
    heads = "".join(f'<th scope="col">{_text(name)}</th>' for name in exhibit.header[1:])
    key = "".join(f'<li><i class="s{i} m{i}"></i>{_text(name)}</li>' for i, name in enumerate(exhibit.header[1:]))
    if exhibit.reference:
        key += f"<li><em></em>{_text(exhibit.reference[0])} {percent(exhibit.reference[1])}</li>"
    head = f'<tr><th></th><th class="axis" aria-hidden="true"><div>{axis}</div></th>{heads}</tr>'
    table = f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody>"
    return f'<ul class="key">{key}</ul><table class="gaps" aria-label="{_text(exhibit.title)}">{table}</table>'


# --- points ---------------------------------------------------------------------------------------------

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 360, 216, 28, 10, 40


def _points(exhibit: Exhibit) -> str:
    """Return rows from left to right with a point and its interval for each column; bars if there is one column."""
    series = exhibit.header[1:]
    if len(series) == 1:
        return _bars(exhibit)
    width = (_WIDTH - _LEFT) / max(len(exhibit.rows), 1)
    marks = [
        f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH}" y1="{_y(tick):g}" y2="{_y(tick):g}"/>'
        f'<text class="tick" x="{_LEFT - 6}" y="{_y(tick) + 4:g}" text-anchor="end">{100 * tick:.0f}</text>'
        for tick in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    places: dict[int, list[tuple[float, float]]] = {}
    for g, (name, cells) in enumerate(exhibit.rows):
        middle = _LEFT + width * (g + 0.5)
        n = next((cell.n for cell in cells if isinstance(cell, Measured)), None)
        small = " small" if len(name) > 12 else ""
        marks.append(
            f'<text class="name{small}" x="{middle:.1f}" y="{_HEIGHT - 22}" text-anchor="middle">{_text(name)}</text>'
        )
        if n is not None:
            marks.append(f'<text class="tick" x="{middle:.1f}" y="{_HEIGHT - 7}" text-anchor="middle">n = {n}</text>')
        for i, cell in enumerate(cells):
            if not isinstance(cell, Measured) or math.isnan(cell.value):
                continue
            x = middle + width * 0.7 * ((i + 0.5) / len(series) - 0.5)
            places.setdefault(i, []).append((x, _y(cell.value)))
            title = f"<title>{_text(f'{series[i]}, {name}: {cell_text(cell)}')}</title>"
            whisker = ""
            if cell.interval:
                low, high = cell.interval
                whisker = f'<line class="whisker" x1="{x:.1f}" x2="{x:.1f}" y1="{_y(low):.1f}" y2="{_y(high):.1f}"/>'
            marks.append(f'<g class="{_look(i)}">{title}{whisker}{_mark(i, x, _y(cell.value))}</g>')
    label = _text(f"{exhibit.title}: {len(series)} systems over {len(exhibit.rows)} groups; the numbers are below.")
    across, up = exhibit.axes
    if up:
        label = _text(f"{exhibit.title}: {up} by {across}, of {', '.join(series)}; the numbers are below.")
        marks.append(f'<text class="axis" x="0" y="-4">{_text(up)}</text>')
        middle = (_LEFT + _WIDTH) / 2
        marks.append(f'<text class="axis" x="{middle:g}" y="{_HEIGHT - 7}" text-anchor="middle">{_text(across)}</text>')
    above = 16 if up else 0  # room for the name of the axis
    box = f"0 {-above} {_WIDTH} {_HEIGHT + above}"
    svg = f'<svg viewBox="{box}" role="img" aria-label="{label}">{"".join(marks)}</svg>'
    return f"{svg}<details><summary>Numbers</summary>{_table(exhibit)}</details>"


def _y(fraction: float) -> float:
    """Return the height of a share in a picture."""
    return _TOP + (1 - fraction) * (_HEIGHT - _TOP - _BOTTOM)


def _curves(exhibit: Exhibit) -> str:
    """Return points at their two values, joined to a line under each heading; axes reach as far as the points."""
    found = curves(exhibit)
    spots = [spot for series in found.values() for spot in series]
    right, top = _reach(max(spot.x for spot in spots)), _reach(max(spot.y for spot in spots))

    def at(spot: Spot) -> tuple[float, float]:
        return _LEFT + 8 + spot.x / right * (_WIDTH - _LEFT - 16), _y(spot.y / top)

    marks = []
    for part in (0.0, 0.5, 1.0):
        x, y = at(Spot("", part * right, part * top))
        anchor = "end" if part == 1 else "middle"  # the last number must not reach beyond the picture
        marks.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH}" y1="{y:g}" y2="{y:g}"/>'
            f'<text class="tick" x="{_LEFT - 4}" y="{y + 4:g}" text-anchor="end">{100 * part * top:.3g}</text>'
            f'<text class="tick" x="{x:g}" y="{_HEIGHT - 22}" text-anchor="{anchor}">{100 * part * right:.3g}</text>'
        )
    for i, (group, series) in enumerate(found.items()):
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(at, series))
        marks.append(f'<g class="s{i % 8}"><polyline class="curve" points="{line}"/>')
        for spot in series:
            title = f"<title>{_text(f'{group}, {spot.name}')}</title>"
            marks.append(f'<g class="{"full" if spot.full else "hollow"}">{title}{_mark(i, *at(spot))}</g>')
        marks.append("</g>")
    across, up = map(_text, exhibit.header[1:3])
    marks.append(f'<text class="name" x="{_WIDTH / 2:g}" y="{_HEIGHT - 7}" text-anchor="middle">{across}</text>')
    marks.append(f'<text class="name" x="{_LEFT + 8}" y="{_TOP - 1}">{up}</text>')
    label = _text(f"{exhibit.title}: {len(spots)} points; the numbers are below.")
    svg = f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(marks)}</svg>'
    return f'{_key(list(found))}<div class="charts">{svg}</div>{_table(exhibit)}'


def _reach(largest: float) -> float:
    """Return the end of an axis: at least half a point, so that almost nothing looks like almost nothing."""
    return max(largest * 1.05, 0.005)


_SHAPES = (
    "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z", "M-3.6 -3.6H3.6V3.6H-3.6Z", "M0 -5L5 0L0 5L-5 0Z", "M0 -4.6L4.6 3.6H-4.6Z",
    "M0 4.6L4.6 -3.6H-4.6Z", "M-4 -1.3H-1.3V-4H1.3V-1.3H4V1.3H1.3V4H-1.3V1.3H-4Z",
    "M-4.6 0L3.6 -4.6V4.6Z", "M4.6 0L-3.6 -4.6V4.6Z",
)  # fmt: skip
"""A shape for each colour, since colour alone does not tell systems apart for everyone."""


def _mark(i: int, x: float, y: float) -> str:
    """Return the mark of a series at a place."""
    return f'<path d="{_SHAPES[i % 8]}" transform="translate({x:.1f} {y:.1f})"/>'


def _look(i: int) -> str:
    """Return the classes of a series. After eight, the shapes and colours come again, hollow."""
    return f"s{i % 8} hollow" if i // 8 % 2 else f"s{i % 8}"


def _key(names: Sequence[str]) -> str:
    """Return a list of which shape and colour stands for which system."""
    if len(names) == 1:
        return ""
    box = 'viewBox="0 0 14 14" width="14" height="14" aria-hidden="true"'
    marks = (
        f'<li><svg class="{_look(i)}" {box}>{_mark(i, 7, 7)}</svg>{_text(name)}</li>' for i, name in enumerate(names)
    )
    return f'<ul class="key">{"".join(marks)}</ul>'


_DRAW = {
    Kind.TABLE: _table, Kind.BARS: _bars, Kind.POINTS: _points, Kind.STACK: _stack, Kind.HEAT: _heat, Kind.GAP: _gap,
    Kind.CURVES: _curves,
}  # fmt: skip


# --- errors ---------------------------------------------------------------------------------------------


def _listing(found: Findings) -> dict[str, Any]:
    """Return the data of the list of errors, for the script."""
    titles = {novelty.name: novelty.long_title for novelty in NOVELTY_CLASSES}
    return {"systems": list(found.scores), "contexts": found.contexts, "errors": found.listed, "novelty": titles}


def _errors_section(found: Findings) -> _Part:
    """Return the controls of the list of errors. The script makes the list itself, a page at a time."""
    systems = list(found.scores)
    n_made, n_listed = sum(map(found.n_errors, systems)), len(found.listed)
    lead = "Every mention that was missed, spurious, or wrong in its boundary or type, with the words around it."
    if n_listed < n_made:
        left_out = n_made - n_listed
        lead = f"Of {n_made:,} errors, {n_listed:,} are listed, from all over the text; {left_out:,} are left out."
    body = Template(_asset("errors.html")).substitute(
        lead=lead,
        systems="".join(f'<option value="{i}">{_text(name)}</option>' for i, name in enumerate(systems)),
        without_train="" if found.has_train else " hidden",
        kinds="".join(
            f'<label><input type="checkbox" name="kind" value="{kind}" checked>{kind} '
            f'<span data-count="{kind}"></span></label>'
            for kind in KINDS
        ),
    )
    return "errors", "Errors", body
