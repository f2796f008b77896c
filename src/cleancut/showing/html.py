"""Draw results as web pages: one file each, which loads nothing else and runs no script but its own."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import chain
from string import Template
from typing import Any, NamedTuple

from ..core import checks
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, counted, reason
from ..core.notices import said_once
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
from .exhibit import Exhibit, Kind, Section
from .export import Format, exhibit_text
from .html_exhibits import section_content, table
from .provenance import Provenance
from .report_data import KINDS, Findings, findings, left_out
from .sections import (
    audit_sections,
    comparison_sections,
    frontier_sections,
    report_sections,
    split_sections,
)
from .study_tables import study_notes, study_sections
from .tables import method_in_words
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
        results = findings(gold, preds, train, ci=ci, seed=seed, max_errors=max_errors, types=types, beta=beta)
        return report_page(results, title=title)


def report_page(results: Findings, *, title: str = "NER report", provenance: Provenance | None = None) -> str:
    """Return the page of findings that are computed already, with short names of systems.

    Args:
        results: the findings.
        title: the title of the page.
        provenance: what the page was made from.
    """
    results = results.with_short_names()
    names = {"samples": "n_samples", "tokens": "n_tokens", "mentions": "n_mentions", "types": "n_types"}
    facts = [f"{results.sizes[key]:,} {name}" for name, key in names.items()]
    if results.has_train:
        facts.append(f"training: {results.sizes['n_train_mentions']:,} mentions")
    checks.instance(title, str, "title", "a text")
    sections = [_with_title(section, title) for section in report_sections(results)]
    listing = _Listing(_errors_section(results), _listing(results))
    return _page(title, facts, sections, report_notes(results), provenance, listing)


def report_notes(results: Findings) -> list[str]:
    """Return the notices about the scores of a report, and how each was computed.

    Args:
        results: the findings.
    """
    every = (score for scores in results.scores.values() for score in scores.values())
    notices = dict.fromkeys(notice for score in every for notice in score.notices)
    notes = [*results.notes, *notices, *score_notes(results.scores)]
    notes += dict.fromkeys(own.signature for own in results.buckets.values())
    notes += [results.comparison["signature"]] if results.comparison else []
    return notes


def html_audit(result: Audit, *, title: str = "Audit", provenance: Provenance | None = None) -> str:
    """Return a page on what the splits of a dataset share.

    Args:
        result: the result of ``audit``.
        title: the title of the page.
        provenance: what the page was made from: files, date and command, for its footer.

    Returns:
        The page. The same audit gives the same page.

    Raises:
        CleancutError: it is not the result of an audit.
    """
    checks.instance(result, Audit, "the audit", "what audit(...) returns")
    facts = [f"{sum(counts.values()):,} mentions in {name}" for name, counts in result.types.items()]
    return _page(title, facts, audit_sections(result), result.notes, provenance)


def html_split(
    plans: SplitPlan | Mapping[str, SplitPlan],
    *,
    components: Mapping[int, int] | None = None,
    title: str = "Split",
    provenance: Provenance | None = None,
) -> str:
    """Return a page on a plan: leakage before and after, sizes, types, and groups of connected samples.

    Args:
        plans: a plan, or several plans of the same corpus by their names.
        components: the result of ``component_sizes``.
        title: the title of the page.
        provenance: what the page was made from: files, date and command, for its footer.

    Returns:
        The page. The same plans give the same page.

    Raises:
        CleancutError: there is no plan, or the components are of another kind.
    """
    wanted = "a plan, or plans by their names"
    given = {"after": plans} if isinstance(plans, SplitPlan) else checks.instances(plans, SplitPlan, "plans", wanted)
    if not given:
        raise CleancutError(f"plans: there are none. Give {wanted}.")
    if components is not None:
        sizes = checks.mapping(components, "components", "what component_sizes returns")
        for size, n in sizes.items():
            checks.whole(size, "components: a size", 1, 2**31)
            checks.whole(n, f"components: the number of groups of {size}", 1, 2**31)
    plan = next(iter(given.values()))
    facts = [f"{n:,} samples in {name}" for name, n in plan.sizes.items()]
    return _page(title, facts, split_sections(given, components), plan_notes(plan), provenance)


def plan_notes(plan: SplitPlan) -> list[str]:
    """Return the notes of a plan, and how it was computed.

    Args:
        plan: the plan.
    """
    return [*plan.notes, method_in_words(plan.how), plan.signature]


def html_frontier(result: Frontier, *, title: str = "Frontier", provenance: Provenance | None = None) -> str:
    """Return a page on what less sharing costs in discarded samples, with a picture.

    Args:
        result: the result of ``frontier``.
        title: the title of the page.
        provenance: what the page was made from: files, date and command, for its footer.

    Returns:
        The page. The same frontier gives the same page.

    Raises:
        CleancutError: it is not the result of a frontier.
    """
    checks.instance(result, Frontier, "the frontier", "what frontier(...) returns")
    facts = [f"{len(result.best.plan.assignment):,} samples", f"{len(result.points)} splits"]
    return _page(title, facts, frontier_sections(result), [result.best.plan.signature], provenance)


def html_study(result: Study, *, title: str = "Study", provenance: Provenance | None = None) -> str:
    """Return a page on systems on several datasets, which needs no script to be read.

    Args:
        result: the result of ``study``.
        title: the title of the page.
        provenance: what the page was made from: files, date and command, for its footer.

    Returns:
        The page, which loads nothing from elsewhere. The same study gives the same page.

    Raises:
        CleancutError: it is not the result of a study.

    >>> from cleancut.splitting.study import study
    >>> gold = Corpus.of([["Ada", "slept"]], tags=[["B-PER", "O"]])
    >>> result = study({"news": {"train": gold, "test": gold, "pred": {"copy": gold}}}, ci=None)
    >>> html_study(result).startswith("<!doctype html>")
    True
    """
    checks.instance(result, Study, "the study", "what study(...) returns")
    facts = [counted(len(result.datasets), "dataset"), counted(len(result.systems), "system")]
    return _page(title, facts, study_sections(result), study_notes(result), provenance)


def html_comparison(
    comparison: Comparison | Mapping[str, Any],
    *,
    title: str = "Comparison",
    further: Sequence[Section] = (),
    provenance: Provenance | None = None,
) -> str:
    """Return a page on several systems.

    Args:
        comparison: the result of ``compare``, its ``to_dict()``, or what ``cleancut compare --json`` prints.
        title: the title of the page.
        further: sections that come after the comparison.
        provenance: what the page was made from: files, date and command, for its footer.

    Returns:
        The page. The same comparison gives the same page.

    Raises:
        CleancutError: it is not a comparison.
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
    return _page(title, facts, sections, notes, provenance)


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
    return "".join(f"<section>{section_content(section)}</section>\n" for section in sections)


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


class _Listing(NamedTuple):
    """A section whose list is filled by the script."""

    part: _Part
    """The section."""
    data: Mapping[str, Any]
    """What the script lists."""


def _page(
    title: str,
    facts: Sequence[str],
    sections: Sequence[Section],
    notes: Sequence[str],
    provenance: Provenance | None,
    listing: _Listing | None = None,
) -> str:
    """Return a page of sections, with its style and its script inside."""
    checks.instance(title, str, "title", "a text")
    parts = list(map(_section, sections))
    if listing is not None:
        parts.append(listing.part)
    script = _asset("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # whatever a corpus may smuggle in: no script but ours runs, and nothing is fetched
    rules = ("default-src 'none'", "img-src data:", "style-src 'unsafe-inline'", f"script-src 'sha256-{digest}'")
    data = _data_element("data", listing.data) if listing else ""
    copies: dict[str, dict[str, str]] = {}
    for exhibit in chain.from_iterable(section.exhibits for section in sections):
        copies[exhibit.slug] = {format: exhibit_text(exhibit, format) for format in (Format.LATEX, Format.CSV)}
    return Template(_asset("page.html")).substitute(
        policy="; ".join((*rules, "base-uri 'none'", "form-action 'none'")),
        title=_text(title),
        style=_asset("colours.css") + _asset("report.css"),
        facts=" · ".join(map(_text, facts)),
        links="".join(f'<a href="#{slug}">{_text(name)}</a>' for slug, name, _ in parts),
        sections="".join(body for _, _, body in parts),
        notes=html_notes(notes).replace("<section>", '<section id="how">', 1),
        provenance=_footer(provenance),
        data=data,
        copies=_data_element("copies", copies),
        script=script,
    )


def _data_element(name: str, data: Mapping[str, Any]) -> str:
    """Return an element with data for the script."""
    return f'<script type="application/json" id="{name}">{_json(data)}</script>\n'


def _footer(provenance: Provenance | None) -> str:
    """Return what a page was made from and by: files with their digests, the date, the version and the command."""
    version = f"<p>cleancut {__version__}</p>"
    if provenance is None:
        return version
    checks.instance(provenance, Provenance, "provenance", "what Provenance.of() returns")
    files_row = [(file.name, [file.sha256]) for file in provenance.files]
    listed = Exhibit("files", "Files that this page was made from", ["file", "SHA-256"], files_row)
    command = f"<p>Command: <code>{_text(provenance.command)}</code></p>"
    drawn = f"<details><summary>{_text(listed.title)}</summary>{table(listed)}</details>" if files_row else ""
    return f"<p>Made on {_text(provenance.date)} by cleancut {__version__}.</p>{command}{drawn}"


def _with_title(section: Section, title: str) -> Section:
    """Return a section whose headline card names the dataset, so that a copy of it can stand alone."""
    exhibits = []
    for exhibit in section.exhibits:
        if exhibit.kind is Kind.GAP:
            exhibit = replace(exhibit, title=f"{title}: {exhibit.title}")
        exhibits.append(exhibit)
    return replace(section, exhibits=exhibits)


_Part = tuple[str, str, str]
"""Slug, title and HTML of a section."""


def _asset(name: str) -> str:
    """Return a file of the folder ``assets``."""
    return files(__package__).joinpath("assets", name).read_text("utf-8")


def _json(value: Any) -> str:
    """Return JSON that may stand in a script element: no tag and no comment begins in it."""
    text = json.dumps(_all_visible(value), ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _all_visible(value: Any) -> Any:
    """Return a value whose texts have no invisible control characters."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {key: _all_visible(item) for key, item in value.items()}
    return [_all_visible(item) for item in value] if isinstance(value, list | tuple) else value


def _section(section: Section) -> _Part:
    """Return a section of a page."""
    body = f'<section id="{section.slug}">{section_content(section)}</section>\n'
    return section.slug, section.title, body


# --- errors ---------------------------------------------------------------------------------------------


def _listing(results: Findings) -> dict[str, Any]:
    """Return the data of the list of errors, for the script."""
    titles = {novelty.name: novelty.long_title for novelty in NOVELTY_CLASSES}
    return {"systems": list(results.scores), "contexts": results.contexts, "errors": results.listed, "novelty": titles}


def _errors_section(results: Findings) -> _Part:
    """Return the controls of the list of errors. The script makes the list itself, a page at a time."""
    systems = list(results.scores)
    n_made, n_listed = sum(map(results.n_errors, systems)), len(results.listed)
    lead = "Every mention that was missed, spurious, or wrong in its boundary or type, with the words around it."
    if n_listed < n_made:
        left_out = n_made - n_listed
        lead = f"Of {n_made:,} errors, {n_listed:,} are listed, from all over the text; {left_out:,} are left out."
    without_train = "" if results.has_train else " hidden"
    body = Template(_asset("errors.html")).substitute(
        lead=lead,
        systems="".join(f'<option value="{i}">{_text(name)}</option>' for i, name in enumerate(systems)),
        without_train=without_train,
        kinds="".join(
            f'<label><input type="checkbox" name="kind" value="{kind}" checked>{kind} '
            f'<span data-count="{kind}"></span></label>'
            for kind in KINDS
        ),
    )
    return "errors", "Errors", body
