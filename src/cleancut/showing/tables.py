"""What a report shows, before anyone decides how: tables, each with a kind that says as what it may be drawn.

A web page and matplotlib draw the same exhibits; as Markdown, LaTeX and CSV they are the tables that they are.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, groupby
from typing import Any, NamedTuple, assert_never

from ..scoring.alignment import Match
from ..scoring.buckets import attribute_title
from ..scoring.exposure_view import NOVELTY_CLASSES
from ..scoring.registry import score_metrics, title_of
from ..scoring.score import Score
from ..splitting.audit import Audit, Pair
from ..splitting.frontier import Frontier
from ..splitting.plan import SplitPlan
from .report_data import Findings
from .text import has_a_name, markdown_table, markdown_text, percent, ranked_title


class Kind(StrEnum):
    """As what a table may be drawn."""

    TABLE = "table"
    BARS = "bars"
    """A bar for each cell."""
    POINTS = "points"
    """Columns are systems: a point with its interval for each cell, rows from left to right."""
    STACK = "stack"
    """A row is one bar, made of its cells."""
    HEAT = "heat"
    """Cells are shaded: fractions by their value, counts by their share of the row."""
    GAP = "gap"
    """From the second column's value to the first's, one row below the other."""
    CURVES = "curves"
    """Rows under a heading are points of a curve, the first cell to the right and the second up; hollow if the last is
    empty."""


class Measured(NamedTuple):
    """A fraction with its interval, and the number of things it was measured on."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        known = self.low is not None and self.high is not None and not math.isnan(self.low + self.high)
        return (self.low, self.high) if known else None  # type: ignore[return-value]


Cell = Measured | float | int | str | None
"""A float is a fraction, which is shown in percent; None is nothing."""


@dataclass(frozen=True)
class Exhibit:
    """A table. A row without cells is a heading of those below it."""

    slug: str
    title: str
    header: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    kind: Kind = Kind.TABLE
    note: str = ""
    reference: tuple[str, float] | None = None
    """A named value that the others are to be seen against."""
    folded: bool = False
    """One of many of its like, that is unfolded when it is wanted."""


@dataclass(frozen=True)
class Section:
    """Exhibits that answer one question, and a sentence that says how to read them."""

    slug: str
    title: str
    lead: str
    exhibits: Sequence[Exhibit] = ()


class Spot(NamedTuple):
    """A point of a curve."""

    name: str
    x: float
    y: float
    full: bool = True


def curves(exhibit: Exhibit) -> dict[str, list[Spot]]:
    """The points under each heading."""
    found: dict[str, list[Spot]] = {}
    for group, name, (x, y, *_, mark) in grouped_rows(exhibit):
        assert isinstance(x, Measured) and isinstance(y, Measured)
        found.setdefault(group, []).append(Spot(name, x.value, y.value, mark is not None))
    return found


def grouped_rows(exhibit: Exhibit) -> list[tuple[str, str, Sequence[Cell]]]:
    """The rows that have cells, each with the heading it stands under."""
    found, group = [], ""
    for name, cells in exhibit.rows:
        if cells:
            found.append((group, name, cells))
        else:
            group = name
    return found


def shades(cells: Sequence[Cell]) -> list[float]:
    """How dark each cell of a row is: fractions by their value, counts by their share where there is nothing else."""
    known = [cell for cell in cells if cell is not None]
    total = sum(cell for cell in known if isinstance(cell, int))
    if total and all(isinstance(cell, int) for cell in known):
        return [cell / total if isinstance(cell, int) else math.nan for cell in cells]
    return [cell if isinstance(cell, float) else math.nan for cell in cells]


_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def visible(text: str) -> str:
    """Control characters, those that turn the direction of what follows, and halves of characters, spelled out."""
    return _INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def cell_text(cell: Cell) -> str:
    """``41.06 [38.20, 43.91]``, with the number of things behind it where that is known."""
    if isinstance(cell, Measured):
        parts = [percent(cell.value)]
        if cell.interval:
            parts.append(f"[{percent(cell.interval[0])}, {percent(cell.interval[1])}]")
        return " ".join([*parts, *([f"({cell.n})"] if cell.n is not None else [])])
    if cell is None:
        return ""
    return percent(cell) if isinstance(cell, float) else str(cell)


def _measured(values: Mapping[str, Any], name: str, n: str | None = None) -> Measured:
    count = values[n] if n else None
    return Measured(_known(values[name]), values.get(f"{name}_low"), values.get(f"{name}_high"), count)


def _known(value: float | None) -> float:
    """NaN for the null that stands for it in JSON."""
    return math.nan if value is None else value


# --- a report on systems --------------------------------------------------------------------------------


def report_sections(found: Findings) -> list[Section]:
    """All of a report but the list of errors."""
    plain = {name: {metric: dict(score) for metric, score in own.items()} for name, own in found.scores.items()}
    comparison = found.comparison or {"systems": plain}
    sections = []
    for metric in next(iter(found.scores.values())):
        draw = _DRAWN.get(metric)
        sections += [one(found) for one in draw] if draw else [_plain(found, metric)]
    sections += [_buckets(found), *(comparison_sections(comparison) if len(found.scores) > 1 else [])]
    return [*sections, _confusion(found)]


def _of(found: Findings, metric: str) -> dict[str, Score]:
    return {name: own[metric] for name, own in found.scores.items()}


def _f1(found: Findings) -> dict[str, Measured]:
    """Exact F1, which stands in several tables: with one interval, not with that of each table's own draw."""
    return {name: _measured(score, "f1") for name, score in _of(found, "exact_f1").items()}


def _plain(found: Findings, metric: str) -> Section:
    """A metric for which no section was designed: its table, and its description."""
    record, scores = score_metrics()[metric], _of(found, metric)
    shown = [value for value in record.shown if all(value in score for score in scores.values())]
    rows = [(name, [_value(score, value) for value in shown]) for name, score in scores.items()]
    table = Exhibit(metric, record.title, ["system", *(record.titles[value] for value in shown)], rows)
    return Section(metric, metric, record.description, [table])


def _value(score: Score, name: str) -> Cell:
    """A count as it is, a fraction with its interval."""
    return _measured(score, name) if isinstance(score[name], float) else score[name]


def _headline(found: Findings) -> Section:
    titles = {**score_metrics()["exact_f1"].titles, **score_metrics()["clean_f1"].titles}
    if not found.has_train:
        keys = ["f1", "precision", "recall"]
        rows = [(name, [_measured(score, key) for key in keys]) for name, score in _of(found, "exact_f1").items()]
        lead = (
            "Exact match: a prediction counts where its span and its type are right. What of it is memory cannot be "
            "said without the training data (--train): clean F1, novelty, hardeval and five of the eight attributes "
            "are left out."
        )
        table = Exhibit("headline", "F1 (%)", ["system", *(titles[key] for key in keys)], rows)
        return Section("headline", "Headline", lead, [table])
    scores, f1 = _of(found, "clean_f1"), _f1(found)
    first = next(iter(scores.values()))
    best, clean = (max(scores, key=lambda name: _or_zero(scores[name][key])) for key in ("f1", "clean_f1"))
    lead = (
        f"{percent(first.contamination_rate)}% of the test mentions are in the training data; a look-up of the "
        f"training mentions, without any model, has an F1 of {percent(first.memorisation_f1)}. "
    )
    if len(scores) > 1:
        lead += f"The highest F1 is {percent(scores[best].f1)} ({best}); "
        lead += f"on what training has not shown, {percent(scores[clean].clean_f1)} ({clean})."
    else:
        lead += "Clean F1 counts the recall of mentions that training has not shown; delta F1 is what memory adds."
    gap = Exhibit(
        "headline", "F1 and clean F1 (%)", ["system", titles["f1"], titles["clean_f1"]],
        [(name, [f1[name], _measured(score, "clean_f1")]) for name, score in scores.items()],
        Kind.GAP, reference=("look-up", first.memorisation_f1),
    )  # fmt: skip
    keys = ["clean_f1", "delta_f1", "clean_recall", "contaminated_recall", "memorisation_f1"]
    rows = [(name, [f1[name], *(_measured(score, key) for key in keys)]) for name, score in scores.items()]
    header = ["system", *(titles[key] for key in ("f1", *keys))]
    numbers = Exhibit("headline-table", "In numbers (%)", header, rows)
    return Section("headline", "Headline", lead, [gap, numbers])


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _by_type(found: Findings) -> Section:
    scores = _of(found, "exact_f1")
    labels = sorted(dict.fromkeys(chain.from_iterable(score.sums.counts.by_type for score in scores.values())))
    n_gold = {label: max(score.get(f"n_gold/{label}", 0) for score in scores.values()) for label in labels}
    rows = [
        (label, [n_gold[label], *(score.get(f"f1/{label}", math.nan) for score in scores.values())]) for label in labels
    ]
    every = Exhibit("types", "F1 by type (%)", ["type", "gold", *scores], rows, Kind.HEAT)
    exhibits = [every] if len(scores) > 1 else []
    titles = {**score_metrics()["exact_f1"].titles, **score_metrics()["clean_f1"].titles}
    of_train = ["clean_f1", "delta_f1", "contamination_rate"] if found.has_train else []
    keys = ["precision", "recall", "f1", *of_train, "n_gold", "n_pred"]
    header = ["type", *(titles[key] for key in keys)]
    for i, (name, own) in enumerate(found.scores.items()):
        values = dict(own["exact_f1"]) | (dict(own["clean_f1"]) if found.has_train else {})
        rows = [
            (label, [values.get(f"{key}/{label}") for key in keys]) for label in labels if f"n_gold/{label}" in values
        ]
        rows.append(("all", [values[key] for key in keys]))
        exhibits.append(Exhibit(f"types-{i + 1}", f"{name}, by type (%)", header, rows, folded=len(scores) > 1))
    return Section("types", "By type", "Where the number of gold mentions is small, so is what its F1 says.", exhibits)


def _partial(found: Findings) -> Section:
    scores, f1, titles = _of(found, "partial_f1"), _f1(found), score_metrics()["partial_f1"].shown_titles()
    first = next(iter(scores.values()))
    near = [key for key in titles if key in first and key != "f1_exact"]
    rows = [(name, [f1[name], *(_value(score, key) for key in near)]) for name, score in scores.items()]
    *modes, last = [f"{mode.shared} ({mode})" for mode in Match if mode is not Match.EXACT]
    lead = (
        f"A prediction of the right type that shares {', '.join(modes)} or {last} of a gold mention earns "
        f"{first.settings['credit']} of the credit."
    )
    header = ["system", *(titles[key] for key in ("f1_exact", *near))]
    parts = ("exact", "boundary", "type", "missed")
    counts = {name: Counter(row["kind"] for row in own.matches) for name, own in found.errors.items()}
    became = [(name, [counts[name][part] for part in parts]) for name in counts]
    spurious = ", ".join(f"{name} {counts[name]['spurious']}" for name in counts)
    return Section("partial", "Partial credit", lead, [
        Exhibit("partial", "F1 with partial credit (%)", header, rows),
        Exhibit(
            "became", "What became of the gold mentions", ["system", *parts], became, Kind.STACK,
            note=f"Spurious predictions, which meet no gold mention: {spurious}.",
        ),
    ])  # fmt: skip


def _novelty(found: Findings) -> Section:
    scores = _of(found, "clean_f1")
    rows = [
        (
            novelty.title,
            [_measured(score, f"recall_{novelty.name}", f"n_{novelty.name}") for score in scores.values()],
        )
        for novelty in NOVELTY_CLASSES
    ]
    classes = "; ".join(novelty.description for novelty in NOVELTY_CLASSES)
    lead = f"Recall by what training has shown of the gold mention: {classes}."
    return Section("novelty", "Novelty", lead, [
        Exhibit("novelty", "Recall by novelty (%)", ["novelty", *scores], rows, Kind.POINTS),
    ])  # fmt: skip


def _hardeval(found: Findings) -> Section:
    scores, record = _of(found, "hardeval"), score_metrics()["hardeval"]
    table = [(name, [_measured(score, key) for key in record.headline]) for name, score in scores.items()]
    header = ["system", *(record.titles[key] for key in record.headline)]
    bars = [
        (record.titles[f"ter_{kind}"], [_measured(score, f"ter_{kind}", f"n_{kind}") for score in scores.values()])
        for kind in ("unseen_i", "unseen_o", "diff_i", "diff_o", "diff_e")
    ]
    shares = [
        (name, [score[f"errors_{part}"] for part in ("unseen", "diff", "other")]) for name, score in scores.items()
    ]
    lead = (
        "Token error rates, lower is better, where memory does not help: words that training does not have (unseen) "
        "and labels that are not the word's usual one (diff). hardeval is the mean of the two."
    )
    return Section("hardeval", "Hard tokens", lead, [
        Exhibit("hardeval-table", "Token error rates (%)", header, table),
        Exhibit("hardeval", "Error rate by kind of token (%)", ["token", *scores], bars, Kind.BARS),
        Exhibit("hardeval-errors", "Wrong tokens by kind", ["system", "unseen", "diff", "other"], shares, Kind.STACK),
    ])  # fmt: skip


_DRAWN: dict[str, Sequence[Callable[[Findings], Section]]] = {
    "exact_f1": (_headline, _by_type),
    "partial_f1": (_partial,),
    "clean_f1": (_novelty,),
    "hardeval": (_hardeval,),
}
"""Sections that were designed for a metric; others have their table as it is."""


def _buckets(found: Findings) -> Section:
    lead = (
        "F1 by attributes of the mention and its sentence, in buckets cut from the gold mentions; n is the number of "
        "gold mentions. Consistency and frequency are counted in the training data."
    )
    first = next(iter(found.buckets.values()))
    charts, heat = [], list[tuple[str, Sequence[Cell]]]()
    for attribute in first:
        title = f"{attribute_title(attribute)} ({attribute})"
        rows: list[tuple[str, Sequence[Cell]]] = [
            (row["bucket"], [_measured(own[attribute][i], "f1", "n_gold") for own in found.buckets.values()])
            for i, row in enumerate(first[attribute])
            if any(has_a_name(own[attribute][i]) for own in found.buckets.values())
        ]
        charts.append(Exhibit(f"bucket-{attribute}", title, ["bucket", *found.buckets], rows, Kind.POINTS))
        heat += [(title, ()), *((name, [_or_none(cell) for cell in cells]) for name, cells in rows)]
    every = Exhibit("buckets", "F1 of every system in every bucket (%)", ["bucket", *found.buckets], heat, Kind.HEAT)
    return Section("buckets", "Attributes", lead, [*charts, *([every] if len(found.buckets) > 1 else [])])


def _or_none(cell: Cell) -> Cell:
    """The bare value."""
    return cell.value if isinstance(cell, Measured) else cell


def _confusion(found: Findings) -> Section:
    exhibits = []
    for i, (name, own) in enumerate(found.errors.items()):
        types = list(own.confusion)
        rows: list[tuple[str, Sequence[Cell]]] = [
            (gold, [*own.confusion[gold].values(), own.missed[gold]]) for gold in types
        ]
        rows.append(("(not gold)", [*own.spurious.values(), None]))
        header = ["gold \\ predicted", *types, "(missed)"]
        exhibits.append(
            Exhibit(f"confusion-{i + 1}", f"{name}: predicted for gold", header, rows, Kind.HEAT, folded=i > 0)
        )
    lead = "Spans that were found, by gold type (rows) and predicted type (columns). Shading is the share of the row."
    return Section("confusion", "Type confusion", lead, exhibits)


# --- a comparison ---------------------------------------------------------------------------------------


def comparison_sections(comparison: Mapping[str, Any]) -> list[Section]:
    """Systems side by side, their ranks, the paired tests and the places that change, where there are any.

    Of what ``Comparison.to_dict`` returns and ``cleancut compare --json`` prints.
    """
    systems = comparison["systems"]
    shown, ranks = list[tuple[str, str]](), dict[str, dict[str, str]]()
    for metric in score_metrics().values():
        scores = {name: own.get(metric.name, {}) for name, own in systems.items()}
        shown += [(metric.name, key) for key in metric.side_by_side if all(key in own for own in scores.values())]
        if metric.ranked and all(metric.ranked in own for own in scores.values()):
            values = {name: _known(own[metric.ranked]) for name, own in scores.items()}
            ranks[metric.titles[metric.ranked]] = _ranks(values, -1 if metric.lower_is_better else 1)
    rows = [(name, [_measured(own[metric], key) for metric, key in shown]) for name, own in systems.items()]
    ranked = [(name, [of[name] for of in ranks.values()]) for name in systems]
    exhibits = [
        Exhibit("comparison", "Systems (%)", ["system", *(title_of(*key) for key in shown)], rows),
        Exhibit("ranks", "Ranks, 1 is best", ["system", *ranks], ranked),
    ]
    if changes := comparison.get("ranks", {}).get("changes"):
        exhibits.append(_changes(changes))
    pairs: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in comparison.get("pairs", ()):
        pairs.setdefault((row["metric"], row["value"]), []).append(row)
    for i, (key, tests) in enumerate(pairs.items()):
        cells = [(f"{row['a']} - {row['b']}", _test(row)) for row in tests]
        title = f"Differences in {title_of(*key)} (points)"
        header = ["systems", "difference", "p", "p (Holm)"]
        exhibits.append(Exhibit(f"pairs-{i + 1}", title, header, cells, folded=i > 0))
    lead = "Does the order of the systems hold once memory is taken out? "
    lead += (
        "p is by approximate randomisation, corrected for the number of pairs by Holm's method."
        if pairs
        else "Intervals that overlap do not settle it: cleancut compare has the paired tests."
    )
    return [Section("comparison", "Comparison", lead, exhibits)]


def _changes(changes: Sequence[Mapping[str, Any]]) -> Exhibit:
    """Kendall's tau between two orders, and the pairs of systems that change places from one to the other."""
    rows: list[tuple[str, Sequence[Cell]]] = []
    for row in changes:
        swaps = "; ".join(" and ".join(pair) for pair in row["swaps"]) or "none"
        tau = "-" if math.isnan(_known(row["tau"])) else f"{row['tau']:.2f}"
        orders = (ranked_title(row[which]) for which in ("first", "second"))
        rows.append((" to ".join(orders), [tau, len(row["swaps"]), swaps]))
    return Exhibit("changes", "Changes of places", ["from", "Kendall's tau", "swaps", "systems"], rows)


def _ranks(values: Mapping[str, float], sign: int) -> dict[str, str]:
    """The highest value first, or with -1 the lowest; equal values share a rank."""
    known = sorted((sign * value for value in values.values() if not math.isnan(value)), reverse=True)
    return {name: "-" if math.isnan(v) else str(1 + known.index(sign * v)) for name, v in values.items()}


def _test(row: Mapping[str, Any]) -> list[Cell]:
    return [
        Measured(_known(row["difference"]), row.get("low"), row.get("high")),
        _p(row.get("p")),
        _p(row.get("p_holm")),
    ]


def _p(value: float | None) -> str:
    p = _known(value)
    return "-" if math.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"


# --- an audit -------------------------------------------------------------------------------------------


def audit_sections(found: Audit) -> list[Section]:
    """What the splits share."""
    many = {"sample": "samples", "doc": "documents"}[found.unit]
    parts = ("clean", "partly", "fully", "empty")
    stacks, shares = list[tuple[str, Sequence[Cell]]](), list[tuple[str, Sequence[Cell]]]()
    for pair, row in found.pairs.items():
        n, empty, some, full = (row[f"n_{key}"] for key in ("samples", "empty", "partial", "full"))
        stacks.append((_in(pair), [n - empty - some, some - full, full, empty]))
        of = [
            row[f"n_{w}_contaminated"] / row[f"n_{w}"] if row[f"n_{w}"] else math.nan for w in ("mentions", "entities")
        ]
        shares.append((_in(pair), [n, row["rate_partial"], row["rate_full"], *of]))
    lead = (
        f"Of each pair, the {many} of the first split: none of their entities is in the second (clean), some are "
        f"(partly), all are (fully), or there are none (empty). Entities are the same by {found.key}."
    )
    shared = Section("shared", "Shared entities", lead, [
        Exhibit("shared", f"The {many} of each split against each other", ["pair", *parts], stacks, Kind.STACK),
        Exhibit(
            "shared-table", "In numbers (%)", ["pair", many, "any shared", "all shared", "mentions", "entities"], shares
        ),
    ])  # fmt: skip
    first = next(iter(found.types))
    look_up = [(name, [row[key] for key in ("f1", "precision", "recall")]) for name, row in found.memorisation.items()]
    memory = Section(
        "look-up", "Memory alone",
        f"What a tagger scores that looks up the mentions of {first} and knows nothing else: an F1 below this one "
        "needs no model.",
        [Exhibit("look-up", "Look-up (%)", ["split", "F1", "precision", "recall"], look_up, Kind.BARS)],
    )  # fmt: skip
    return [shared, memory, _leaks(found), _type_counts(found.types)]


def _in(pair: Pair) -> str:
    return " in ".join(pair)


def _leaks(found: Audit) -> Section:
    rows: list[tuple[str, Sequence[Cell]]] = []
    for leak in found.top_leaks:
        here, there = leak["pair"]
        counts = [leak[f"n_{here}"], leak[f"n_{there}"]]
        rows.append((leak["entity"], [leak["label"] or "", _in(leak["pair"]), *counts]))
    near = [
        (example["entity"], [example["label"], _in(pair), example[f"n_{pair[0]}"]])
        for pair, row in found.near_leaks.items()
        for example in row["examples"]
    ]
    copies = [(_in(pair), [n]) for pair, n in found.duplicates.items() if n]
    exhibits = [Exhibit("leaks", "Entities that leak most", ["entity", "type", "pair", "here", "there"], rows)]
    if near:
        title = "Not shared by the key, but for case or Unicode form"
        exhibits.append(Exhibit("near", title, ["entity", "type", "pair", "mentions"], near))
    if copies:
        exhibits.append(Exhibit("copies", "Samples that stand in both, word for word", ["pair", "samples"], copies))
    lead = "Which entities make up the contamination, and what an exact comparison does not see."
    return Section("leaks", "What leaks", lead, exhibits)


def _type_counts(types: Mapping[str, Mapping[str, int]]) -> Section:
    """Mentions of each type in each split."""
    labels = dict.fromkeys(chain.from_iterable(types.values()))
    rows = [(split, [counts.get(label, 0) for label in labels]) for split, counts in types.items()]
    kind = Kind.STACK if len(labels) <= 8 else Kind.HEAT  # as many as colours
    lead = "A type that is rare in a held-out split is measured poorly there."
    return Section("types", "Types", lead, [
        Exhibit("types", "Mentions of each type in each split", ["split", *labels], rows, kind),
    ])  # fmt: skip


# --- a split --------------------------------------------------------------------------------------------


def split_sections(plans: Mapping[str, SplitPlan], components: Mapping[int, int] | None = None) -> list[Section]:
    """The first plan, beside others on the same corpus; ``components`` says how many groups of each size there are."""
    plan = next(iter(plans.values()))
    guarantee = f"{plan.guarantee[0].upper()}{plan.guarantee[1:]}."
    before, after = plan.leakage["before"], plan.leakage["after"]
    columns = [
        *([("before", before)] if before else []),
        *((name, own.leakage["after"]) for name, own in plans.items()),
    ]
    rows = [(" with ".join(pair), [_rate(own.get(pair)) for _, own in columns]) for pair in after]
    leakage = Section("leakage", "Leakage", guarantee, [
        Exhibit(
            "leakage", "Samples that share an entity (%)", ["splits", *(name for name, _ in columns)], rows, Kind.BARS,
            note="n is the number of such samples." + ("" if before else " The original splits are not known."),
        ),
    ])  # fmt: skip
    sections = [leakage, _representation(plan)]
    sections.append(_type_counts({name: row["type_counts"] for name, row in plan.representation.items()}))
    return [*sections, *([_components(components)] if components else [])]


def _rate(row: Mapping[str, Any] | None) -> Cell:
    return None if row is None else Measured(row["rate_partial"], n=row["n_partial"])


def _representation(plan: SplitPlan) -> Section:
    kept = max(len(plan.assignment) - plan.n_discarded, 1)
    rows: list[tuple[str, Sequence[Cell]]] = [
        (
            name,
            [
                plan.sizes[name], plan.sizes[name] / kept, f"{row['entities_per_sample_ratio']:.3f}",
                f"{row['entity_bearing_ratio']:.3f}", row["min_type_count"],
            ],
        )
        for name, row in plan.representation.items()
    ]  # fmt: skip
    if plan.n_discarded:
        rows.append(("set aside", [plan.n_discarded, None, None, None, None]))
    header = ["split", "samples", "%", "entities per sample", "with entities", "rarest type"]
    sizes = [("corpus", [*plan.sizes.values(), *([plan.n_discarded] if plan.n_discarded else [])])]
    parts = [*plan.sizes, *(["set aside"] if plan.n_discarded else [])]
    lead = (
        "How the splits compare with the whole corpus: 1.000 is the same. Far from it, a test set is easier or harder."
    )
    return Section("representation", "Sizes and representativeness", lead, [
        Exhibit("sizes", "Samples", ["", *parts], sizes, Kind.STACK),
        Exhibit("representation", "Against the corpus", header, rows),
    ])  # fmt: skip


def _components(components: Mapping[int, int]) -> Section:
    """Groups by size, in classes that double."""
    classes: dict[int, tuple[int, int]] = {}
    for size, n in components.items():
        groups, samples = classes.get(size.bit_length(), (0, 0))
        classes[size.bit_length()] = groups + n, samples + n * size
    total = max(sum(samples for _, samples in classes.values()), 1)
    rows: list[tuple[str, Sequence[Cell]]] = []
    for bits, (groups, samples) in sorted(classes.items()):
        first, last = 2 ** (bits - 1), 2**bits - 1
        rows.append((str(first) if first == last else f"{first}-{last}", [Measured(samples / total, n=groups)]))
    lead = (
        "Samples that hang together by shared entities form a group: only whole groups can be told apart without "
        f"sharing anything. The largest holds {max(components)} of {total} samples with entities."
    )
    return Section("components", "Groups of samples", lead, [
        Exhibit(
            "components", "Samples in groups of each size (%)", ["samples in the group", "share"], rows, Kind.BARS,
            note="n is the number of groups.",
        ),
    ])  # fmt: skip


def frontier_sections(found: Frontier) -> list[Section]:
    """The splits of a frontier: what they share over what they set aside, a curve for each density floor."""
    n_samples, n_held_out = len(found.best.plan.assignment), sum(list(found.best.plan.sizes.values())[1:])
    rows: list[tuple[str, Sequence[Cell]]] = []
    for floor, points in groupby(found.points, key=lambda point: point.representative):
        rows.append((f"density floor {'off' if floor is None else f'{floor:g}'}", []))
        for point in points:
            marked = "recommended" if point is found.best else "optimal" if point.optimal else None
            rows.append((f"--discard {point.discard}", [
                Measured(point.n_discarded / n_samples, n=point.n_discarded),
                Measured(point.n_contaminated / max(n_held_out, 1), n=point.n_contaminated),
                f"{point.density:.3f}", point.ratio_error, marked,
            ]))  # fmt: skip
    header = ["split", "set aside (%)", "contaminated (%)", "least density", "ratio error (%)", ""]
    note = (
        "Contaminated: held-out samples that share an entity with an earlier split. A full mark is optimal: no other "
        "split is at least as good in everything and better in something."
    )
    title = "Contaminated held-out samples over samples set aside"
    exhibit = Exhibit("frontier", title, header, rows, Kind.CURVES, note)
    return [Section("frontier", "Frontier", found.recommendation, [exhibit])]


# --- tables for a paper ---------------------------------------------------------------------------------


class Format(StrEnum):
    """Of tables."""

    MARKDOWN = "md"
    LATEX = "latex"
    CSV = "csv"


def tables(sections: Sequence[Section], format: Format) -> str:
    """Every exhibit as a table. CSV has a line for each cell, with unrounded fractions."""
    exhibits = [exhibit for section in sections for exhibit in section.exhibits]
    match format:
        case Format.CSV:
            text = _csv(sections)
        case Format.MARKDOWN:
            text = "\n\n".join(map(_markdown, exhibits))
        case Format.LATEX:
            text = "\n\n".join(map(_latex, exhibits))
        case _:
            assert_never(format)
    return visible(text)


def _text_rows(exhibit: Exhibit) -> list[list[str]]:
    width = len(exhibit.header) - 1
    return [[name, *map(cell_text, cells), *[""] * (width - len(cells))] for name, cells in exhibit.rows]


def _markdown(exhibit: Exhibit) -> str:
    return f"### {markdown_text(exhibit.title)}\n{markdown_table(exhibit.header, _text_rows(exhibit))}"


def _latex(exhibit: Exhibit) -> str:
    r"""A booktabs table; the preamble needs \usepackage{booktabs}."""
    lines = [" & ".join(map(_tex, row)) + r" \\" for row in (exhibit.header, *_text_rows(exhibit))]
    body = [
        r"\begin{table}", r"\centering", rf"\caption{{{_tex(exhibit.title)}}}", rf"\label{{tab:{exhibit.slug}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(exhibit.header) - 1)}}}", r"\toprule", lines[0], r"\midrule", *lines[1:],
        r"\bottomrule", r"\end{tabular}", r"\end{table}",
    ]  # fmt: skip
    return "\n".join(body)


_TEX = str.maketrans({
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "[": "{[}", "]": "{]}",
    **{c: f"\\{c}" for c in "&%$#_{}"}, **{chr(c): " " for c in range(32)},
})  # fmt: skip


def _tex(text: str) -> str:
    return text.translate(_TEX)


def _csv(sections: Sequence[Section]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["table", "group", "row", "column", "value", "low", "high", "n"])
    for exhibit in chain.from_iterable(section.exhibits for section in sections):
        for group, name, cells in grouped_rows(exhibit):
            for column, cell in zip(exhibit.header[1:], cells, strict=True):
                if cell is not None:
                    values = cell if isinstance(cell, Measured) else Measured(cell)  # type: ignore[arg-type]
                    writer.writerow([exhibit.slug, group, name, column, *("" if v != v else v for v in values)])
    return stream.getvalue().rstrip("\n")
