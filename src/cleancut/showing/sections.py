"""The sections of pages: which tables answer which question, the pictures beside them, and how to read them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from ..core.answer_report import AnswerReport
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
    NOVELTY,
    TYPES_SHOWN,
    answer_table,
    audit_tables,
    comparison_tables,
    frontier_tables,
    has_a_name,
    in_words,
    measured,
    measured_in,
    plan_tables,
    score_tables,
    type_table,
    type_tables,
)

# --- a report on systems --------------------------------------------------------------------------------


def report_sections(found: Findings) -> list[Section]:
    """Return all of a report but the list of errors; what all names of systems have in common is left out of them."""
    found = found.with_short_names()
    plain = {name: {metric: dict(score) for metric, score in own.items()} for name, own in found.scores.items()}
    comparison = found.comparison or {"systems": plain}
    sections: list[Section] = []
    for metric in (metric for metric in score_metrics() if _of(found, metric)):
        sections += [draw(found) for draw in _DRAWN.get(metric, (_undesigned(metric),))]
    sections += [_buckets(found), *(comparison_sections(comparison) if len(found.scores) > 1 else [])]
    answers = [answer_section(found.scores, found.answers, found.samples)] if found.answers else []
    return [*sections, *answers, _confusion(found)]


def _of(found: Findings, metric: str) -> dict[str, Score]:
    """Return the score of each system for which a metric is defined."""
    return {name: own[metric] for name, own in found.scores.items() if metric in own}


def _tables(found: Findings, metric: str) -> dict[str, Exhibit]:
    """Return the tables of a metric by their slugs.

    A value that stands in several of them has one interval, not that of each table's own draw.
    """
    record = next(iter(_of(found, metric).values())).record
    tables = {table.slug: table for table in score_tables(_of(found, metric))}
    main = tables[record.name]
    values = [f_beta(name, record.beta) for name in ("f1", "f1_exact", "clean_f1")]
    shared = {record.titles[name]: name for name in values if name in record.shown}
    rows = []
    for name, cells in main.rows:
        own = list(cells)
        for column, title in enumerate(main.header[1:]):
            if title in shared:
                own[column] = measured_in(found.scores[name], metric, shared[title])
        rows.append((name, own))
    tables[record.name] = replace(main, rows=rows)
    return tables


def _undesigned(metric: str) -> Callable[[Findings], Section]:
    """Return what draws a metric for which no section was designed: its tables, and its description."""

    def drawn(found: Findings) -> Section:
        record = next(iter(_of(found, metric).values())).record
        return Section(metric, metric, record.description, list(_tables(found, metric).values()))

    return drawn


def _headline(found: Findings) -> Section:
    exact = _tables(found, "exact_f1")["exact_f1"]
    if not found.has_train:
        lead = (
            "Exact match: a prediction counts where its span and its type are right. What of it is memory cannot be "
            "said without the training data: clean F1, novelty, hardeval and five of the eight attributes "
            "are left out."
        )
        return Section("headline", "Headline", lead, [exact])
    scores, table = _of(found, "clean_f1"), _tables(found, "clean_f1")["clean_f1"]
    first = next(iter(scores.values()))
    beta = first.record.beta
    f1, clean_f1, f1_title = (f_beta(name, beta) for name in ("f1", "clean_f1", "F1"))
    best, clean = (max(scores, key=lambda name: _or_zero(scores[name][key])) for key in (f1, clean_f1))
    looked_up = first[f_beta("memorisation_f1", beta)]
    lead = (
        f"{percent(first.contamination_rate)}% of the test mentions are in the training data; a look-up of the "
        f"training mentions, without any model, has an {f1_title} of {percent(looked_up)}. "
    )
    if len(scores) > 1:
        lead += f"The highest {f1_title} is {percent(scores[best][f1])} ({best}); "
        lead += f"on what training has not shown, {percent(scores[clean][clean_f1])} ({clean})."
    else:
        lead += (
            f"Clean {f1_title} counts the recall of mentions that training has not shown; delta {f1_title} is what "
            "memory adds."
        )
    rows = [(name, cells[:2]) for name, cells in table.rows]
    title = f"{f1_title} and clean {f1_title} (%)"
    gap = Exhibit("headline", title, table.header[:3], rows, Kind.GAP, reference=("look-up", looked_up))
    return Section("headline", "Headline", lead, [gap, table, exact])


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _by_type(found: Findings) -> Section:
    scores = _of(found, "exact_f1")
    beta = next(iter(scores.values())).record.beta
    f1 = f_beta("f1", beta)
    labels = sorted(dict.fromkeys(chain.from_iterable(score.sums.counts.by_type for score in scores.values())))
    n_gold = {label: max(score.get(f"n_gold/{label}", 0) for score in scores.values()) for label in labels}
    rows = [
        (label, [n_gold[label], *(score.get(f"{f1}/{label}", math.nan) for score in scores.values())])
        for label in labels
    ]
    every = Exhibit("types", f"{f_beta('F1', beta)} by type (%)", ["type", "gold", *scores], rows, Kind.HEAT)
    exhibits = [every] if len(scores) > 1 else []
    metrics = ["exact_f1", *(["clean_f1"] if found.has_train else [])]
    for i, (name, own) in enumerate(found.scores.items()):
        for metric in metrics:
            tables = type_tables(own[metric].record, own[metric], f"{metric}-types-{i + 1}", f", {name}")
            exhibits += [replace(table, folded=len(scores) > 1) for table in tables]
    return Section("types", "By type", "Where the number of gold mentions is small, so is what its F1 says.", exhibits)


def _partial(found: Findings) -> Section:
    *modes, last = [f"{mode.shared} ({mode})" for mode in Match if mode is not Match.EXACT]
    credit = next(iter(_of(found, "partial_f1").values())).settings["credit"]
    lead = (
        f"A prediction of the right type that shares {', '.join(modes)} or {last} of a gold mention earns "
        f"{credit} of the credit."
    )
    parts = ("exact", "boundary", "type", "missed")
    counts = {name: Counter(row["kind"] for row in own.matches) for name, own in found.errors.items()}
    became = [(name, [counts[name][part] for part in parts]) for name in counts]
    spurious = ", ".join(f"{name} {counts[name]['spurious']}" for name in counts)
    picture = Exhibit(
        "became", "What became of the gold mentions", ["system", *parts], became, Kind.STACK,
        note=f"Spurious predictions, which meet no gold mention: {spurious}.",
    )  # fmt: skip
    return Section("partial", "Partial credit", lead, [*_tables(found, "partial_f1").values(), picture])


def _novelty(found: Findings) -> Section:
    tables = _tables(found, "clean_f1")
    table = tables[NOVELTY]
    classes = "; ".join(novelty.description for novelty in NOVELTY_CLASSES)
    lead = f"Recall by what training has shown of the gold mention: {classes}."
    exhibits = [table.as_points(table.slug, table.title)]
    if TYPES_SHOWN in tables:
        lead += " Training lacks types that gold has: F1 is also given by whether the type is one of them."
        exhibits.append(tables[TYPES_SHOWN])
    return Section("novelty", "Novelty", lead, exhibits)


def _hardeval(found: Findings) -> Section:
    scores, table = _of(found, "hardeval"), _tables(found, "hardeval")["hardeval"]
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
    return Section("hardeval", "Hard tokens", lead, [
        replace(table, slug="hardeval-table"),
        Exhibit("hardeval", "Error rate by kind of token (%)", ["token", *scores], bars, Kind.BARS),
        Exhibit("hardeval-errors", "Wrong tokens by kind", ["system", *parts], wrong, Kind.STACK),
    ])  # fmt: skip


_DRAWN: dict[str, Sequence[Callable[[Findings], Section]]] = {
    "exact_f1": (_headline, _by_type),
    "partial_f1": (_partial,),
    "clean_f1": (_novelty,),
    "hardeval": (_hardeval,),
}
"""Sections that were designed for a metric; others have their tables as they are."""


def _buckets(found: Findings) -> Section:
    beta = next(iter(found.buckets.values())).beta
    f1 = f_beta("f1", beta)
    lead = (
        f"{f_beta('F1', beta)} by attributes of the mention and its sentence, in buckets cut from the gold mentions; n "
        "is the number of gold mentions. Consistency and frequency are counted in the training data."
    )
    first = next(iter(found.buckets.values()))
    charts, heat = [], list[Row]()
    for attribute in first:
        title = f"{attribute_title(attribute)} ({attribute})"
        rows: list[Row] = [
            (row["bucket"], [measured(own[attribute][i], f1, "n_gold") for own in found.buckets.values()])
            for i, row in enumerate(first[attribute])
            if any(has_a_name(own[attribute][i]) for own in found.buckets.values())
        ]
        charts.append(Exhibit(f"bucket-{attribute}", title, ["bucket", *found.buckets], rows, Kind.POINTS))
        heat += [(title, ()), *((name, [_bare(cell) for cell in cells]) for name, cells in rows)]
    title = f"{f_beta('F1', beta)} of every system in every bucket (%)"
    every = Exhibit("buckets", title, ["bucket", *found.buckets], heat, Kind.HEAT)
    return Section("buckets", "Attributes", lead, [*charts, *([every] if len(found.buckets) > 1 else [])])


def _bare(cell: Cell) -> Cell:
    """Return the value without its interval."""
    return cell.value if isinstance(cell, Measured) else cell


def _confusion(found: Findings) -> Section:
    """Return what was predicted for each type, from the same kinds of errors that are listed and counted elsewhere."""
    exhibits = []
    for i, (name, own) in enumerate(found.errors.items()):
        types = list(own.confusion)
        met = Counter((row["kind"], row["gold_label"], row["pred_label"]) for row in own.matches)
        rows: list[Row] = []
        for gold in types:
            same_span = [met["exact", gold, pred] + met["type", gold, pred] for pred in types]
            rows.append((gold, [*same_span, met["boundary", gold, gold], met["missed", gold, None]]))
        rows.append(("(spurious)", [*(met["spurious", None, pred] for pred in types), None, None]))
        header = ["gold \\ predicted", *types, "(boundary)", "(missed)"]
        exhibits.append(
            Exhibit(f"confusion-{i + 1}", f"{name}: predicted for gold", header, rows, Kind.HEAT, folded=i > 0)
        )
    lead = (
        "Spans that were found, by gold type (rows) and predicted type (columns); then those that were found with "
        "another boundary, and those that were missed. Shading is the share of the row."
    )
    return Section("confusion", "Type confusion", lead, exhibits)


_MOST_EXAMPLES = 8
"""Answers of each kind that a report quotes of a system."""


def answer_section(
    scores: Mapping[str, Mapping[str, Score]], answers: Mapping[str, AnswerReport], samples: Sequence[str]
) -> Section:
    """Return what became of answers of language models, with examples of what went wrong.

    Args:
        scores: The scores of each system, by metric.
        answers: How the answers of a system were read and placed, for each system whose predictions are such.
        samples: The name of each sample.
    """
    counted = answer_table({name: scores[name] for name in answers})
    examples: list[Row] = []
    for system, report in answers.items():
        listed = [("not understood", one.sample, one.reason) for one in report.unparsed[:_MOST_EXAMPLES]]
        for what, claims in (("invented", report.invented), ("ambiguous", report.ambiguous)):
            listed += [(what, one.sample, f"{one.text} ({one.label})") for one in claims[:_MOST_EXAMPLES]]
        examples += [(system, [what, samples[sample], f"{text:.160}"]) for what, sample, text in listed]
    lead = (
        "Mentions of answers are placed in the text by their names and their order. What is not in the text is "
        "invented: a false positive, in no bucket and no token error rate. Where an answer leaves a place open, F1 "
        "lies between the lowest and the highest value. An answer that is not understood counts as nothing predicted."
    )
    quoted = Exhibit("answer-examples", "Examples", ["system", "what", "sample", "answer"], examples)
    return Section("answers", "Answers", lead, [counted, *([quoted] if examples else [])])


def comparison_sections(comparison: Mapping[str, Any]) -> list[Section]:
    """Return systems side by side, the paired tests, where there are any, and the ranks."""
    lead = "Does the order of the systems hold once memory is taken out? "
    lead += (
        "p is by approximate randomisation, corrected for the number of pairs by Holm's method. Kendall's tau is 1 "
        "where two orders are the same, and -1 where one is the other backwards."
        if comparison.get("pairs")
        else "Intervals that overlap do not settle it: cleancut compare has the paired tests."
    )
    return [Section("comparison", "Comparison", lead, comparison_tables(with_short_names(comparison)))]


# --- an audit -------------------------------------------------------------------------------------------


def audit_sections(found: Audit) -> list[Section]:
    """Return what the splits share."""
    many = {"sample": "samples", "doc": "documents"}[found.unit]
    shared, look_up, *leaks = audit_tables(found)
    stacks: list[Row] = []
    for pair, row in found.pairs.items():
        n, empty, some, full = (row[f"n_{key}"] for key in ("samples", "empty", "partial", "full"))
        stacks.append((in_words(pair), [n - empty - some, some - full, full, empty]))
    parts = ("clean", "partly, not fully", "fully", "empty")
    lead = (
        f"Of each pair, the {many} of the first split: none of their entities is in the second (clean), any is "
        f"(partly), all are (fully), or there are none (empty). Entities are the same by {found.key}."
    )
    title = f"The {many} of each split against each other"
    picture = Exhibit("shared", title, ["pair", *parts], stacks, Kind.STACK)
    memory = (
        f"What a tagger scores that looks up the mentions of {next(iter(found.types))} and knows nothing else: an F1 "
        "below this one needs no model."
    )
    return [
        Section("shared", "Shared entities", lead, [picture, replace(shared, slug="shared-table")]),
        Section("look-up", "Memory alone", memory, [replace(look_up, kind=Kind.BARS)]),
        _leaks(found, leaks),
        _types(found.types),
    ]


def _leaks(found: Audit, leaks: Sequence[Exhibit]) -> Section:
    near = [
        (example["entity"], [example["label"], in_words(pair), example[f"n_{pair[0]}"]])
        for pair, row in found.near_leaks.items()
        for example in row["examples"]
    ]
    copies = [(in_words(pair), [n]) for pair, n in found.duplicates.items() if n]
    exhibits = list(leaks)
    if near:
        title = "Not shared by the key, but for case or Unicode form"
        exhibits.append(Exhibit("near", title, ["entity", "type", "pair", "mentions"], near))
    if copies:
        exhibits.append(Exhibit("copies", "Samples that appear verbatim in both splits", ["pair", "samples"], copies))
    lead = "Which entities make up the contamination, and what an exact comparison does not see."
    return Section("leaks", "What leaks", lead, exhibits)


def _types(types: Mapping[str, Mapping[str, int]]) -> Section:
    lead = "A type that is rare in a held-out split is measured poorly there."
    return Section("types", "Types", lead, [type_table(types)])


# --- a split --------------------------------------------------------------------------------------------


def split_sections(plans: Mapping[str, SplitPlan], components: Mapping[int, int] | None = None) -> list[Section]:
    """Return the first plan, beside others on the same corpus; ``components`` are the groups of each size."""
    plan = next(iter(plans.values()))
    representation, leakage, *rest = plan_tables(plans)
    guarantee = f"{plan.guarantee[0].upper()}{plan.guarantee[1:]}."
    unknown = "" if plan.leakage["before"] else " The original splits are not known."
    leakage = replace(leakage, note=f"n is the number of such samples.{unknown}")
    parts = {**plan.sizes, **({"discarded": plan.n_discarded} if plan.n_discarded else {})}
    sizes = Exhibit("sizes", "Samples", ["", *parts], [("corpus", list(parts.values()))], Kind.STACK)
    lead = (
        "How the splits compare with the whole corpus: 1.000 is the same. Far from it, a test set is easier or harder."
    )
    sections = [
        Section("leakage", "Leakage", guarantee, [leakage]),
        Section("representation", "Sizes and representativeness", lead, [sizes, representation, *rest]),
        _types({name: row["type_counts"] for name, row in plan.representation.items()}),
    ]
    return [*sections, *([_components(components)] if components else [])]


def _components(components: Mapping[int, int]) -> Section:
    """Return groups by size, in classes that double."""
    classes: dict[int, tuple[int, int]] = {}
    for size, n in components.items():
        groups, samples = classes.get(size.bit_length(), (0, 0))
        classes[size.bit_length()] = groups + n, samples + n * size
    total = max(sum(samples for _, samples in classes.values()), 1)
    rows: list[Row] = []
    for bits, (groups, samples) in sorted(classes.items()):
        first, last = 2 ** (bits - 1), 2**bits - 1
        rows.append((str(first) if first == last else f"{first}-{last}", [Measured(samples / total, n=groups)]))
    lead = (
        "Samples that are connected by shared entities form a group: only whole groups can be told apart without "
        f"sharing anything. The largest holds {max(components)} of {total} samples with entities."
    )
    return Section("components", "Groups of samples", lead, [
        Exhibit(
            "components", "Samples in groups of each size (%)", ["samples in the group", "share"], rows, Kind.BARS,
            note="n is the number of groups.",
        ),
    ])  # fmt: skip


def frontier_sections(found: Frontier) -> list[Section]:
    """Return the splits of a frontier: what they share over what they discard, a curve for each density floor."""
    return [Section("frontier", "Frontier", found.recommendation, frontier_tables(found))]
