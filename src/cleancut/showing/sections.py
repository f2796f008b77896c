"""The sections of pages: which tables answer which question, the pictures beside them, and how to read them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from ..core.answer_report import AnswerReport, Claim
from ..core.shown import percent
from ..scoring.alignment import Match
from ..scoring.buckets import attribute_title
from ..scoring.exposure_view import NOVELTY_CLASSES
from ..scoring.metric import f_beta
from ..scoring.registry import score_metrics
from ..scoring.score import Score
from ..splitting.audit import Audit
from ..splitting.frontier import Frontier
from ..splitting.plan import SplitPlan
from .exhibit import Cell, Exhibit, Kind, Measured, Row, Section
from .report_data import Findings
from .short_names import with_short_names
from .tables import (
    CONTAMINATION,
    NOVELTY,
    STAIRCASE,
    TYPES_SHOWN,
    answer_table,
    audit_tables,
    comparison_tables,
    confusion_table,
    frontier_tables,
    has_a_name,
    in_words,
    measured,
    measured_in,
    plan_tables,
    related_notes,
    related_table,
    score_tables,
    type_table,
    type_tables,
)

# --- a report on systems --------------------------------------------------------------------------------


def report_sections(findings: Findings) -> list[Section]:
    """Return the sections of a report, but for the list of errors, with short names of systems.

    Args:
        findings: the results of the systems.
    """
    results = findings.with_short_names()
    sections: list[Section] = []
    for metric in score_metrics():
        if _of(results, metric):
            designed = _DRAWN.get(metric, (_undesigned(metric),))
            sections += [draw(results) for draw in designed]
    sections.append(_buckets(results))
    if len(results.scores) > 1:
        plain = {name: {metric: dict(score) for metric, score in own.items()} for name, own in results.scores.items()}
        sections += comparison_sections(results.comparison or {"systems": plain}, with_scores=False)
    if results.answers:
        sections.append(answer_section(results.scores, results.answers, results.samples))
    sections.append(_confusion(results))
    return sections


def _of(results: Findings, metric: str) -> dict[str, Score]:
    """Return the score of each system for which a metric is defined."""
    return {name: own[metric] for name, own in results.scores.items() if metric in own}


def _tables(results: Findings, metric: str) -> dict[str, Exhibit]:
    """Return the tables of a metric by their slugs.

    A value that is in the tables of several metrics has the same interval in all of them, though each metric has drawn
    resamples of its own.
    """
    record = next(iter(_of(results, metric).values())).record
    tables = {table.slug: table for table in score_tables(_of(results, metric))}
    main = tables[record.name]
    values = [f_beta(name, record.beta) for name in ("f1", "f1_exact", "clean_f1")]
    shared = {record.titles[name]: name for name in values if name in record.shown}
    rows = []
    for name, cells in main.rows:
        own = list(cells)
        for column, title in enumerate(main.header[1:]):
            if title in shared:
                own[column] = measured_in(results.scores[name], metric, shared[title])
        rows.append((name, own))
    tables[record.name] = replace(main, rows=rows)
    return tables


def _undesigned(metric: str) -> Callable[[Findings], Section]:
    """Return a function that returns the section of a metric for which none was designed: description and tables."""

    def drawn(results: Findings) -> Section:
        """Return the description of the metric, and its tables as they are."""
        record = next(iter(_of(results, metric).values())).record
        return Section(metric, metric, record.description, list(_tables(results, metric).values()))

    return drawn


def _headline(results: Findings) -> Section:
    """Return exact F1 and, with training data, what of it is memory."""
    exact = _tables(results, "exact_f1")["exact_f1"]
    if not results.has_train:
        lead = (
            "Exact match: a prediction counts if its span and its type are right. Without the training data it is not "
            "known how much of it is memory: clean F1, novelty, hardeval and five of the eight attributes are left out."
        )
        return Section("headline", "Headline", lead, [exact])
    scores = _of(results, "clean_f1")
    table = _tables(results, "clean_f1")["clean_f1"]
    first = next(iter(scores.values()))
    beta = first.record.beta
    f1 = f_beta("f1", beta)
    clean_f1 = f_beta("clean_f1", beta)
    f1_title = f_beta("F1", beta)
    looked_up = first[f_beta("memorisation_f1", beta)]
    lead = (
        f"{percent(first.contamination_rate)}% of the test mentions are in the training data; a look-up of the "
        f"training mentions, without any model, has an {f1_title} of {percent(looked_up)}. "
    )
    if len(scores) > 1:
        best = max(scores, key=lambda name: _or_zero(scores[name][f1]))
        cleanest = max(scores, key=lambda name: _or_zero(scores[name][clean_f1]))
        lead += (
            f"The highest {f1_title} is {percent(scores[best][f1])} ({best}); the highest clean {f1_title}, which "
            f"counts the recall of mentions unseen in training, is {percent(scores[cleanest][clean_f1])} ({cleanest})."
        )
    else:
        lead += (
            f"Clean {f1_title} counts the recall of mentions unseen in training; delta {f1_title} is what memory adds."
        )
    lead += " ".join(["", *(f"{note[0].upper()}{note[1:]}" for note in related_notes(results.related))])
    rows = [(name, cells[:2]) for name, cells in table.rows]
    title = f"{f1_title} and clean {f1_title} (%)"
    gap = Exhibit("headline", title, table.header[:3], rows, Kind.GAP, reference=("look-up", looked_up))
    return Section("headline", "Headline", lead, [gap, table, exact])


def _or_zero(value: float) -> float:
    """Return a value, or 0 if it is undefined."""
    return 0.0 if math.isnan(value) else value


def _by_type(results: Findings) -> Section:
    """Return F1 by type of all systems side by side, and the types of each system with precision and recall."""
    scores = _of(results, "exact_f1")
    beta = next(iter(scores.values())).record.beta
    f1 = f_beta("f1", beta)
    labels = sorted(set(chain.from_iterable(score.sums.counts.by_type for score in scores.values())))
    n_gold = {label: max(score.get(f"n_gold/{label}", 0) for score in scores.values()) for label in labels}
    rows = [
        (label, [n_gold[label], *(score.get(f"{f1}/{label}", math.nan) for score in scores.values())])
        for label in labels
    ]
    exhibits = []
    if len(scores) > 1:
        title = f"{f_beta('F1', beta)} by type (%)"
        overall = [math.nan, *(score[f1] for score in scores.values())]
        header = ["type", "support", *scores]
        exhibits.append(Exhibit("types", title, header, rows, Kind.HEAT, note=_SHADING, baselines=overall))
    metrics = ["exact_f1", "clean_f1"] if results.has_train else ["exact_f1"]
    for i, (name, own) in enumerate(results.scores.items()):
        for metric in metrics:
            tables = type_tables(own[metric].record, own[metric], f"{metric}-types-{i + 1}", f", {name}")
            group = "Types of each system" if len(scores) > 1 else ""
            exhibits += [replace(table, folded=len(scores) > 1, group=group) for table in tables]
    return Section("types", "By type", "The F1 of a type with few gold mentions says little.", exhibits)


def _partial(results: Findings) -> Section:
    """Return F1 with partial credit, and how many gold mentions were met exactly, nearly and not at all."""
    *modes, last = [f"{mode.shared} ({mode})" for mode in Match if mode is not Match.EXACT]
    credit = next(iter(_of(results, "partial_f1").values())).settings["credit"]
    lead = (
        f"A prediction of the right type that shares {', '.join(modes)} or {last} of a gold mention earns "
        f"{credit} of the credit."
    )
    parts = ("exact", "boundary", "type", "missed")
    counts = {name: Counter(row["kind"] for row in own.matches) for name, own in results.errors.items()}
    became = [(name, [counts[name][part] for part in parts]) for name in counts]
    spurious = ", ".join(f"{name} {counts[name]['spurious']}" for name in counts)
    title = "What became of the gold mentions"
    note = f"Spurious predictions, which meet no gold mention: {spurious}."
    picture = Exhibit("became", title, ["system", *parts], became, Kind.STACK, note=note)
    return Section("partial", "Partial credit", lead, [*_tables(results, "partial_f1").values(), picture])


def _novelty(results: Findings) -> Section:
    """Return recall by what training has shown of the gold mention."""
    tables = _tables(results, "clean_f1")
    table = tables[NOVELTY]
    classes = "; ".join(novelty.description for novelty in NOVELTY_CLASSES)
    lead = f"Recall by what training has shown of the gold mention: {classes}."
    exhibits = [table.as_points(table.slug, table.title)]
    if STAIRCASE in tables:
        lead += " The staircase has a step for each way in which a name may be related to those of training."
        exhibits.append(tables[STAIRCASE].as_points(STAIRCASE, tables[STAIRCASE].title))
    if TYPES_SHOWN in tables:
        lead += " Training lacks types that gold has: F1 is also given by whether the type is one of them."
        exhibits.append(tables[TYPES_SHOWN])
    if results.related:
        exhibits.append(related_table(results.related))
    return Section("novelty", "Novelty", lead, exhibits)


def _hardeval(results: Findings) -> Section:
    """Return the error rates of tokens on which memory does not help."""
    scores = _of(results, "hardeval")
    table = _tables(results, "hardeval")["hardeval"]
    record = next(iter(scores.values())).record
    bars = [
        (record.titles[f"ter_{kind}"], [measured(score, f"ter_{kind}", f"n_{kind}") for score in scores.values()])
        for kind in ("unseen_i", "unseen_o", "diff_i", "diff_o", "diff_e")
    ]
    parts = ("unseen", "diff", "other")
    wrong = [(name, [score[f"errors_{part}"] for part in parts]) for name, score in scores.items()]
    lead = (
        "Token error rates, lower is better, where memory does not help: words that training does not have (unseen) "
        "and labels that are not the word's usual one (diff). hardeval is the mean of the two."
    )
    exhibits = [
        replace(table, slug="hardeval-table"),
        Exhibit("hardeval", "Error rate by kind of token (%)", ["token", *scores], bars, Kind.BARS),
        Exhibit("hardeval-errors", "Wrong tokens by kind", ["system", *parts], wrong, Kind.STACK),
    ]
    return Section("hardeval", "Hard tokens", lead, exhibits)


_DRAWN: dict[str, Sequence[Callable[[Findings], Section]]] = {
    "exact_f1": (_headline, _by_type),
    "partial_f1": (_partial,),
    "clean_f1": (_novelty,),
    "hardeval": (_hardeval,),
}
"""The sections that were designed for a metric; for other metrics, a section shows their tables as they are."""


_SHADING = (
    "Blue cells are above the F1 of the system on the whole test set, orange cells are below it; the small numbers say "
    "by how many points."
)
"""How to read shaded cells of F1."""


def _buckets(results: Findings) -> Section:
    """Return F1 by attributes of the mentions: a picture for each attribute, and all buckets in one table."""
    beta = next(iter(results.buckets.values())).beta
    f1 = f_beta("f1", beta)
    lead = (
        f"{f_beta('F1', beta)} by attributes of the mention and its sentence, in buckets cut from the gold mentions; n "
        "is the number of gold mentions. Consistency and frequency are counted in the training data."
    )
    first = next(iter(results.buckets.values()))
    exhibits = []
    all_rows: list[Row] = []
    for attribute in first:
        title = f"{attribute_title(attribute)} ({attribute})"
        rows: list[Row] = []
        for i, bucket in enumerate(first[attribute]):
            of_systems = [own[attribute][i] for own in results.buckets.values()]
            if any(map(has_a_name, of_systems)):
                rows.append((bucket["bucket"], [measured(values, f1, "n_gold") for values in of_systems]))
        slug = f"bucket-{attribute}"
        header = ["bucket", *results.buckets]
        exhibits.append(Exhibit(slug, title, header, rows, Kind.POINTS, rounds_names=True))
        all_rows.append((title, ()))
        all_rows += [(name, [_bare(cell) for cell in cells]) for name, cells in rows]
    if len(results.buckets) > 1:
        title = f"{f_beta('F1', beta)} of every system in every bucket (%)"
        overall = [own["exact_f1"][f1] for own in results.scores.values()]
        heat = Exhibit("buckets", title, ["bucket", *results.buckets], all_rows, Kind.HEAT, note=_SHADING)
        exhibits.append(replace(heat, baselines=overall, rounds_names=True))
    return Section("buckets", "Attributes", lead, exhibits)


def _bare(cell: Cell) -> Cell:
    """Return a cell without its interval and its count."""
    return cell.value if isinstance(cell, Measured) else cell


def _confusion(results: Findings) -> Section:
    """Return what was predicted for each type, by the kinds of errors that the list of errors has."""
    exhibits = []
    for i, (name, own) in enumerate(results.errors.items()):
        title = f"{name}: predicted for gold"
        group = "Type confusion of the other systems" if i > 0 else ""
        table = confusion_table(own, f"confusion-{i + 1}", title)
        exhibits.append(replace(table, folded=i > 0, group=group))
    lead = (
        "Gold mentions whose span was predicted, by gold type (rows) and predicted type (columns); then those that "
        "were predicted with another boundary, and those that were missed. The shading is the share of the row."
    )
    return Section("confusion", "Type confusion", lead, exhibits)


_MOST_EXAMPLES = 8
"""The most answers of each kind that a report quotes for a system."""


def answer_section(
    scores: Mapping[str, Mapping[str, Score]], answers: Mapping[str, AnswerReport], samples: Sequence[str]
) -> Section:
    """Return what became of answers of language models, with examples of what went wrong.

    Args:
        scores: the scores of each system, by metric.
        answers: how the answers of a system were read and placed, for each system whose predictions are answers.
        samples: the name of each sample.
    """
    counted = answer_table({name: scores[name] for name in answers})
    examples: list[Row] = []
    for system, report in answers.items():
        quoted = [("not understood", one.sample, one.reason) for one in report.unparsed[:_MOST_EXAMPLES]]
        for what, claims in (("invented", report.invented), ("ambiguous", report.ambiguous)):
            quoted += [(what, one.sample, _said(one)) for one in claims[:_MOST_EXAMPLES]]
        examples += [(system, [what, samples[sample], f"{text:.160}"]) for what, sample, text in quoted]
    lead = (
        "The mentions of an answer are placed in the text by their names and their order. A mention that is not in the "
        "text is invented: it is a false positive, but is in no bucket and in no token error rate. If an answer leaves "
        "open where a name stands, or whether words are one name or several, F1 lies between the lowest and the "
        "highest value. An answer that is not understood counts as no predictions."
    )
    exhibits = [counted]
    if examples:
        header = ["system", "what", "sample", "answer"]
        exhibits.append(Exhibit("answer-examples", "Examples", header, examples))
    return Section("answers", "Answers", lead, exhibits)


def _said(claim: Claim) -> str:
    """Return a mention with its type, and with the words that it was read from, where they can be read otherwise."""
    read_from = f" of \u201c{claim.run}\u201d" if claim.run is not None else ""
    return f"{claim.text} ({claim.label}){read_from}"


def comparison_sections(comparison: Mapping[str, Any], *, with_scores: bool = True) -> list[Section]:
    """Return systems side by side, the ranks, and the paired tests, if there are any.

    Args:
        comparison: what ``Comparison.to_dict`` returns.
        with_scores: whether the scores of each metric are tables of their own; a report has them elsewhere.
    """
    lead = "Does the order of the systems hold once memory is taken out? "
    if comparison.get("pairs"):
        lead += (
            "p is by approximate randomisation, corrected for the number of pairs by Holm's method. Kendall's tau is 1 "
            "if two orders are the same, and -1 if one is the reverse of the other."
        )
    else:
        lead += "Intervals that overlap do not settle it: cleancut compare has the paired tests."
    exhibits = comparison_tables(with_short_names(comparison), with_scores=with_scores)
    return [Section("comparison", "Comparison", lead, exhibits)]


# --- an audit -------------------------------------------------------------------------------------------


def audit_sections(audit: Audit) -> list[Section]:
    """Return the sections of the page of an audit: what the splits share.

    Args:
        audit: the result of ``audit``.
    """
    many = {"sample": "samples", "doc": "documents"}[audit.unit]
    shared, look_up, *leaks = audit_tables(audit)
    left = related_table(audit.related)
    stacks: list[Row] = []
    for pair, row in audit.pairs.items():
        n_clean = row["n_samples"] - row["n_empty"] - row["n_partial"]
        n_partly = row["n_partial"] - row["n_full"]
        stacks.append((in_words(pair), [n_clean, n_partly, row["n_full"], row["n_empty"]]))
    parts = ("clean", "partly, not fully", "fully", "empty")
    lead = (
        f"The bars show the {many} of the first split of each pair, by how many of their entities are in the second: "
        f"none (clean), some (partly), all (fully); or they have no entities (empty)."
    )
    title = f"The {many} of each split against each other"
    picture = Exhibit("shared", title, ["pair", *parts], stacks, Kind.STACK, colours=CONTAMINATION)
    memory = (
        f"The score of a tagger that looks up the mentions of {next(iter(audit.types))} and knows nothing else: a "
        "model with a lower F1 has learnt less than the look-up."
    )
    return [
        Section("shared", "Shared entities", lead, [picture, replace(shared, slug="shared-table"), left]),
        Section("look-up", "Memory alone", memory, [replace(look_up, kind=Kind.BARS)]),
        _leaks(audit, leaks),
        _types(audit.types),
    ]


def _leaks(audit: Audit, leaks: Sequence[Exhibit]) -> Section:
    """Return which entities are shared most, near misses of the comparison, and samples that are in both splits.

    Args:
        audit: the result of ``audit``.
        leaks: the tables of the entities that are shared most.
    """
    near = [
        (example["entity"], [example["label"], in_words(pair), example[f"n_{pair[0]}"]])
        for pair, row in audit.near_leaks.items()
        for example in row["examples"]
    ]
    copies = [(in_words(pair), [n]) for pair, n in audit.duplicates.items() if n]
    exhibits = list(leaks)
    if near:
        title = "Entities that differ only in case or Unicode form"
        exhibits.append(Exhibit("near", title, ["entity", "type", "pair", "mentions"], near))
    if copies:
        exhibits.append(Exhibit("copies", "Samples that appear verbatim in both splits", ["pair", "samples"], copies))
    lead = "The entities that make up most of the contamination, and what an exact comparison does not see."
    return Section("leaks", "What leaks", lead, exhibits)


def _types(types: Mapping[str, Mapping[str, int]]) -> Section:
    """Return how many mentions of each type are in each split."""
    lead = "A type that is rare in a held-out split is measured poorly there."
    return Section("types", "Types", lead, [type_table(types)])


# --- a split --------------------------------------------------------------------------------------------


def split_sections(plans: Mapping[str, SplitPlan], components: Mapping[int, int] | None = None) -> list[Section]:
    """Return the sections of the page of a plan: leakage, sizes, types, and groups of connected samples.

    Args:
        plans: plans of the same corpus by their names; sentences and sizes are those of the first.
        components: the number of groups of each size, as ``component_sizes`` returns it.
    """
    plan = next(iter(plans.values()))
    representation, leakage, *rest = plan_tables(plans)
    guarantee = f"{plan.guarantee[0].upper()}{plan.guarantee[1:]}."
    unknown = "" if plan.leakage["before"] else " The original splits are not known."
    leakage = replace(leakage, note=f"n is the number of such samples.{unknown}")
    parts = dict(plan.sizes)
    if plan.n_discarded:
        parts["discarded"] = plan.n_discarded
    sizes = Exhibit("sizes", "Samples", ["", *parts], [("corpus", list(parts.values()))], Kind.STACK)
    lead = (
        "How the splits compare with the whole corpus: 1.000 means the same. A test set whose values are far from 1 is "
        "easier or harder than the corpus."
    )
    sections = [
        Section("leakage", "Leakage", guarantee, [leakage, *_left(plan)]),
        Section("representation", "Sizes and representativeness", lead, [sizes, representation, *rest]),
        _types({name: row["type_counts"] for name, row in plan.representation.items()}),
    ]
    if components:
        sections.append(_components(components))
    return sections


def _left(plan: SplitPlan) -> list[Exhibit]:
    """Return what is left under looser notions of the same name, before and after a split, where it is known."""
    tables = []
    for when, related in plan.related.items():
        if related:
            table = related_table(related)
            tables.append(replace(table, slug=f"related-{when}", title=f"{table.title}, {when}"))
    return tables


def _components(components: Mapping[int, int]) -> Section:
    """Return how many samples are in groups of each size, in classes of sizes that double: 1, 2-3, 4-7 and so on."""
    classes: dict[int, tuple[int, int]] = {}
    for size, n in components.items():
        groups, samples = classes.get(size.bit_length(), (0, 0))
        classes[size.bit_length()] = groups + n, samples + n * size
    total = max(sum(samples for _, samples in classes.values()), 1)
    rows: list[Row] = []
    for bits, (groups, samples) in sorted(classes.items()):
        first, last = 2 ** (bits - 1), 2**bits - 1
        name = str(first) if first == last else f"{first}-{last}"
        rows.append((name, [Measured(samples / total, n=groups)]))
    lead = (
        "Samples that are connected by shared entities form a group: only whole groups can be told apart without "
        f"sharing anything. The largest group holds {max(components)} of {total} samples with entities."
    )
    title = "Samples in groups of each size (%)"
    note = "n is the number of groups."
    bars = Exhibit("components", title, ["samples in the group", "share"], rows, Kind.BARS, note=note)
    return Section("components", "Groups of samples", lead, [bars])


def frontier_sections(frontier: Frontier) -> list[Section]:
    """Return the splits of a frontier: what they share over what they discard, a curve for each density floor.

    Args:
        frontier: the result of ``frontier``.
    """
    return [Section("frontier", "Frontier", frontier.recommendation, frontier_tables(frontier))]
