"""Results to text and JSON. Percentages appear here only; results themselves are fractions."""

from __future__ import annotations

import json
import math
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..core.notebook import percent
from ..scoring.buckets import Buckets, describe
from ..scoring.compare import ALPHA, Comparison
from ..scoring.diagnosis import self_diagnosis
from ..scoring.exposure_view import NOVELTY_CLASSES
from ..scoring.registry import score_metrics, title_of
from ..scoring.score import Score
from ..splitting.audit import Audit
from ..splitting.folds import Folds
from ..splitting.frontier import Frontier
from ..splitting.ladder import Ladder
from ..splitting.plan import SplitPlan

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
        scores = {system: found[metric] for system, found in results.items() if metric in found}
        record = score_metrics()[metric]
        title, columns = record.title, record.shown_titles()
        parts.append(f"{title}\n" + _score_table("system", scores, columns, colour))
        if all(score.sums.rows is not None for score in scores.values()):
            parts.append("95% intervals (%)\n" + _interval_table(scores, columns, colour))
        parts += _muc_tables("system", scores, colour)
        for name, subsets in _RECALLS.items():
            if all(f"recall_{subset}" in score for subset in subsets for score in scores.values()):
                parts.append(f"{name} (%)\n" + _recall_table(scores, subsets, colour))
        if by_type and record.by_type:
            for system, score in scores.items():
                types = {label: _OfType(score, label) for label in score.sums.counts.by_type}
                which = f", {system}, by type" if len(scores) > 1 else ", by type"
                parts.append(f"{title}{which}\n" + _score_table("type", types, columns, colour))
                parts += _muc_tables("type", types, colour, which)
    return "\n\n".join([*parts, "\n".join(score_notes(results))])


def _interval_table(scores: Mapping[str, Score], columns: Mapping[str, str], colour: bool) -> str:
    """From the lower to the upper end of each value that has an interval, by resampling."""
    shown = {key: title for key, title in columns.items() if all(f"{key}_low" in score for score in scores.values())}
    cells = [
        [system, *(f"{percent(score[f'{key}_low'])} - {percent(score[f'{key}_high'])}" for key in list(shown)[:4])]
        for system, score in scores.items()
    ]
    return table(["system", *list(shown.values())[:4]], cells, colour=colour)


def _muc_tables(first: str, rows: Mapping[str, Any], colour: bool, which: str = "") -> list[str]:
    """The scores of SemEval-2013 and the counts behind them, one scheme a line, where they were asked for."""
    schemes, counts = ("strict", "exact", "partial", "type"), ("cor", "inc", "par", "mis", "spu")
    cells = [
        [
            name, scheme, *(percent(row.get(f"{value}_muc_{scheme}")) for value in ("precision", "recall", "f1")),
            *(str(row.get(f"n_muc_{scheme}_{count}")) for count in counts),
        ]
        for name, row in rows.items() if row.get("f1_muc_strict") is not None for scheme in schemes
    ]  # fmt: skip
    header = [first, "scheme", "P", "R", "F1", *map(str.upper, counts)]
    title = f"MUC scores, as SemEval-2013 has them (%){which}\n"
    return [title + table(header, cells, colour=colour, strong=4)] if cells else []


def _recall_table(scores: Mapping[str, Score], subsets: Mapping[str, str], colour: bool) -> str:
    """Recall on subsets of the gold mentions, and how many mentions there are."""
    cells = [
        [system, *(f"{percent(score[f'recall_{name}'])} ({score[f'n_{name}']})" for name in subsets)]
        for system, score in scores.items()
    ]
    return table(["system", *subsets.values()], cells, colour=colour)


_RECALLS = {
    "Recall by novelty of the gold mention": {novelty.name: novelty.title for novelty in NOVELTY_CLASSES},
    "Recall on type-confusable mentions": {
        "confusable": "all", "confusable_seen": "seen", "confusable_unseen": "unseen"
    },
}  # fmt: skip
"""Subsets of the gold mentions whose recall stands in a table of its own, where it was computed."""


class _OfType:
    """The values of one type of a score, by their plain names."""

    def __init__(self, score: Mapping[str, Any], label: str) -> None:
        self._score, self._label = score, label

    def get(self, name: str) -> Any:
        return self._score.get(f"{name}/{self._label}")


def _score_table(first: str, rows: Mapping[str, Any], columns: Mapping[str, str], colour: bool) -> str:
    shown = {k: v for k, v in columns.items() if any(row.get(k) is not None for row in rows.values())}
    strong = 1 + list(shown).index("f1") if "f1" in shown else len(shown)
    cells = [[name, *(_cell(row.get(key)) for key in shown)] for name, row in rows.items()]
    return table([first, *shown.values()], cells, colour=colour, strong=strong)


def _cell(value: Any) -> str:
    return percent(value) if isinstance(value, float) else str(value)


def score_notes(results: Results) -> list[str]:
    """What a reader must know of how the scores came about."""
    notes = []
    for system, scores in results.items():
        score = next(iter(scores.values()))
        for side, name in (("n_repaired_gold", "gold"), ("n_repaired_pred", "predicted")):
            count = score.get(side)
            if count:
                samples = f"{count} {name} sample{'s' * (count != 1)}"
                notes.append(f"{system}: {samples} had ill-formed tags (repair: {score.sums.repair()['repair']}).")
    signatures = dict.fromkeys(score.signature for scores in results.values() for score in scores.values())
    return [*dict.fromkeys(notes), *signatures]


# --- buckets --------------------------------------------------------------------------------------------


def buckets_text(found: Mapping[str, Buckets], *, colour: bool = False) -> str:
    """The buckets of each attribute: all scores of one system, or the F1 of several side by side."""
    first = next(iter(found.values()))
    parts = []
    for name in first:
        title = f"{name}: {describe(name)}"
        parts.append(
            f"{title}\n" + (_bucket_table(first[name], colour) if len(found) == 1 else _f1_table(found, name, colour))
        )
    for system, buckets in found.items():
        gaps = sorted(self_diagnosis(buckets).items(), key=lambda item: -item[1]["gap"])[:3]
        said = [[name, at["best"], at["worst"], percent(at["gap"])] for name, at in gaps]
        title = "Where F1 differs most" + (f", {system}" if len(found) > 1 else "")
        parts.append(f"{title}\n" + table(["attribute", "best", "worst", "gap"], said, colour=colour))
    return "\n\n".join([*parts, "\n".join(dict.fromkeys(buckets.signature for buckets in found.values()))])


def _bucket_table(rows: Sequence[Mapping[str, Any]], colour: bool) -> str:
    intervals = all("f1_low" in row for row in rows)
    header = ["bucket", "gold", "predicted", "P", "R", "F1", *(["95%"] if intervals else [])]
    cells = []
    for row in filter(has_a_name, rows):
        cells.append([row["bucket"], str(row["n_gold"]), str(row["n_pred"])])
        cells[-1] += [percent(row[value]) for value in ("precision", "recall", "f1")]
        if intervals:
            known = row["f1_low"] == row["f1_low"]
            cells[-1].append(f"{percent(row['f1_low'])} - {percent(row['f1_high'])}" if known else "-")
    return table(header, cells, colour=colour, strong=5)


def has_a_name(row: Mapping[str, Any]) -> bool:
    """A bucket that no gold value fell into, and whose range is not known beforehand, says nothing to a reader."""
    return not row["bucket"].startswith("-") or row["n_pred"] > 0


def _f1_table(found: Mapping[str, Buckets], name: str, colour: bool) -> str:
    names = dict.fromkeys(row["bucket"] for of in found.values() for row in filter(has_a_name, of[name]))
    by_system = {system: {row["bucket"]: row for row in buckets[name]} for system, buckets in found.items()}
    cells = []
    for bucket in names:
        rows = [of.get(bucket) for of in by_system.values()]
        gold = next(row["n_gold"] for row in rows if row is not None)
        cells.append([bucket, str(gold), *("-" if row is None else percent(row["f1"]) for row in rows)])
    return table(["bucket", "gold", *found], cells, colour=colour)


# --- runs and systems ---------------------------------------------------------------------------------


def runs_text(
    results: Results, over: Mapping[str, Mapping[str, Any]], *, by_type: bool = False, colour: bool = False
) -> str:
    """The scores of several runs of one system, with their mean and standard deviation."""
    parts = []
    for metric, moments in over.items():
        record = score_metrics()[metric]
        title, columns = record.title, record.shown_titles()
        scores = {run: found[metric] for run, found in results.items()}
        like = next(iter(scores.values()))
        of_runs = {f"mean of {len(scores)}": _moment(moments, "mean", like), "std. dev.": _moment(moments, "std", like)}
        parts.append(f"{title}\n" + _score_table("run", {**scores, **of_runs}, columns, colour))
        if by_type and record.by_type:
            for name, values in of_runs.items():
                types = {label: _OfType(values, label) for label in like.sums.counts.by_type}
                parts.append(f"{title}, by type, {name}\n" + _score_table("type", types, columns, colour))
    return "\n\n".join([*parts, "\n".join(score_notes(results))])


def _moment(moments: Mapping[str, Any], which: str, like: Score) -> dict[str, Any]:
    """Rates as numbers, which are shown in percent; counts as text, since a mean of counts is none."""
    values = {name: moment[which] for name, moment in moments.items() if name != "signature"}
    return {
        name: value if isinstance(like[name], float) or math.isnan(value) else f"{value:.1f}"
        for name, value in values.items()
    }


def comparison_text(found: Comparison, *, colour: bool = False) -> str:
    """Systems with their scores, the differences of each pair, and how their order changes."""
    parts = [_compared_table(found, metric, colour) for metric in next(iter(found.scores.values()))]
    for a, b in found.beside:
        rows = []
        for d in found.pairs:
            if (d.a, d.b) == (a, b):
                both = [percent(found.scores[name][d.metric][d.value]) for name in (a, b)]
                interval = f"{_points(d.low)} to {_points(d.high)}" if d.low == d.low else "-"
                marked = _p_value(d.p_holm) + (" *" if d.significant else "  ")
                rows.append(
                    [title_of(d.metric, d.value), *both, _points(d.difference), interval, _p_value(d.p), marked]
                )
        header = ["", "first", "second", "difference", "95% interval", "p", "Holm p  "]
        parts.append(f"{a} minus {b} (%)\n" + table(header, rows, colour=colour, strong=3))
    if any(d.significant for d in found.pairs):
        corrected = f", corrected for {len(found.beside)} pairs of systems" if len(found.beside) > 1 else ""
        parts.append(f"* significant at {ALPHA}{corrected}")
    parts.append(_ranks_text(found, colour))
    return "\n\n".join([*filter(None, parts), "\n".join([*score_notes(found.scores), found.signature])])


def _compared_table(found: Comparison, metric: str, colour: bool) -> str:
    """What is compared of each system: the value and, less exactly, its interval."""
    record = score_metrics()[metric]
    cells = [
        [system, *(_with_interval(scores[metric], value) for value in record.compared)]
        for system, scores in found.scores.items()
    ]
    title = f"{record.title.removesuffix(' (%)')}, with 95% intervals (%)"
    return f"{title}\n" + table(["system", *(record.titles[value] for value in record.compared)], cells, colour=colour)


def _with_interval(score: Score, value: str) -> str:
    if math.isnan(score[value]):
        return "-"
    return f"{percent(score[value])} ({100 * score[f'{value}_low']:.1f}, {100 * score[f'{value}_high']:.1f})"


def _points(fraction: float) -> str:
    return "-" if math.isnan(fraction) else f"{100 * fraction:+.2f}"


def _p_value(p: float) -> str:
    return "-" if math.isnan(p) else f"{p:.4f}"


def _ranks_text(found: Comparison, colour: bool) -> str:
    """The place of each system in each order, and what changes from one order to another."""
    orders, lines = found.ranks["orders"], []
    if len(orders) < 2:
        return ""
    first = next(iter(orders.values()))
    rows = [[name, *(str(1 + order.index(name)) for order in orders.values())] for name in first]
    for change in found.ranks["changes"]:
        swaps = "; ".join(" and ".join(names) for names in change["swaps"]) or "none"
        tau = "-" if math.isnan(change["tau"]) else f"{change['tau']:.2f}"
        between = f"{ranked_title(change['first'])} and {ranked_title(change['second'])}"
        lines.append(textwrap.fill(f"{between}: Kendall's tau {tau}; pairs that swap: {swaps}", 80))
    ranked = table(["system", *map(ranked_title, orders)], rows, colour=colour)
    return "\n".join(["Ranks", ranked, *lines])


def ranked_title(value: str) -> str:
    """Return the title of a value that puts systems in order, or its name where no metric here ranks by it."""
    return next((m.titles[value] for m in score_metrics().values() if m.ranked == value), value)


# --- audit ----------------------------------------------------------------------------------------------


def audit_text(found: Audit, *, colour: bool = False) -> str:
    """An audit, as a person reads it."""
    many = {"sample": "samples", "doc": "documents"}[found.unit]
    header = ["pair", many, "empty", "partly", "%", "fully", "%", "ment. %", "ent. %"]
    rows = []
    for pair, row in found.pairs.items():
        shares = [
            percent(row[f"n_{what}_contaminated"] / row[f"n_{what}"] if row[f"n_{what}"] else math.nan)
            for what in ("mentions", "entities")
        ]
        partly = [str(row["n_partial"]), percent(row["rate_partial"])]
        fully = [str(row["n_full"]), percent(row["rate_full"])]
        counts = [str(row["n_samples"]), str(row["n_empty"])]
        rows.append([" in ".join(pair), *counts, *partly, *fully, *shares])
    parts = [f"Shared entities (key: {found.key})\n" + table(header, rows, colour=colour)]
    values = ("precision", "recall", "f1")
    memory = [[name, *(percent(row[key]) for key in values)] for name, row in found.memorisation.items()]
    first = next(iter(found.types))
    parts.append(f"What a look-up of the {first} mentions scores (%)\n" + table(["split", "P", "R", "F1"], memory))
    if found.top_leaks:
        leaks = [
            [
                _shortened(leak["entity"], 32), leak["label"] or "", " in ".join(leak["pair"]),
                *(str(leak[f"n_{split}"]) for split in leak["pair"]),
            ]
            for leak in found.top_leaks
        ]  # fmt: skip
        parts.append("Entities that leak most\n" + table(["entity", "type", "pair", "here", "there"], leaks))
    parts.append("\n".join(_audit_notes(found)))
    return "\n\n".join(part for part in parts if part)


def _audit_notes(found: Audit) -> list[str]:
    notes = []
    for (a, b), n in found.duplicates.items():
        if n and (a, b) in found.near_leaks:
            notes.append(f"{n} samples of {a} stand word for word in {b}.")
    for (a, b), row in found.near_leaks.items():
        if row["n_mentions"]:
            shown = ", ".join(repr(example["entity"]) for example in row["examples"][:3])
            notes.append(
                f"{row['n_mentions']} further mentions of {a} differ from {b}'s only in case or Unicode form: {shown}."
            )
    return notes + found.notes


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


# --- split ----------------------------------------------------------------------------------------------


def split_text(plans: Mapping[str, SplitPlan], *, colour: bool = False, markdown: bool = False) -> str:
    """A plan, beside others on the same corpus if there are any: sizes, leakage, representativeness."""
    plan = next(iter(plans.values()))
    draw = markdown_table if markdown else partial(table, colour=colour)
    heading = "# Split\n\n" if markdown else ""
    lines = [f"{heading}{plan.guarantee[0].upper()}{plan.guarantee[1:]}.", ""]
    header = ["split", "samples", "%", "entities/sample", "with entities", "rarest type"]
    rows = []
    for name, row in plan.representation.items():
        shares = [f"{row[key]:.3f}" for key in ("entities_per_sample_ratio", "entity_bearing_ratio")]
        kept = max(len(plan.assignment) - plan.n_discarded, 1)
        rows.append(
            [name, str(plan.sizes[name]), percent(plan.sizes[name] / kept), *shares, str(row["min_type_count"])]
        )
    if plan.n_discarded:
        rows.append(["set aside", str(plan.n_discarded), "", "", "", ""])
    lines += ["Sizes, and how the splits compare with the corpus (1.000: the same)", draw(header, rows), ""]
    before = plan.leakage["before"]
    header, rows = ["samples that share an entity", *(["before"] if before else []), *plans], []
    for pair in plan.leakage["after"]:
        found = [before.get(pair)] if before else []
        found += [other.leakage["after"][pair] for other in plans.values()]
        rows.append([" with ".join(pair), *map(_shared, found)])
    lines += [draw(header, rows), ""]
    if len(plans) > 1:
        least = ["least entities/sample of a held-out split"]
        for other in plans.values():
            held_out = [row for name, row in other.representation.items() if name != "train"]
            least.append(f"{min(float(row['entities_per_sample_ratio']) for row in held_out):.3f}")
        lines += [draw(["", *plans], [least]), ""]
    lines += [*plan.notes, *([""] if plan.notes else []), f"How: {plan.how}.", plan.signature]
    return "\n".join(lines)


def frontier_text(found: Frontier, *, colour: bool = False, markdown: bool = False) -> str:
    """The splits of a frontier, the best marked, and which to use."""
    draw = markdown_table if markdown else partial(table, colour=colour)
    header = ["discard", "floor", "contaminated", "set aside", "least density", "ratio error %", ""]
    rows = []
    for point in found.points:
        floor = "off" if point.representative is None else f"{point.representative:g}"
        counts = [str(point.n_contaminated), str(point.n_discarded)]
        marked = "recommended" if point is found.best else "optimal" if point.optimal else ""
        rows.append([str(point.discard), floor, *counts, f"{point.density:.3f}", percent(point.ratio_error), marked])
    title = "Held-out samples that share an entity with an earlier split, and what fewer of them cost"
    heading = "# Frontier\n\n" if markdown else ""
    sentence = found.recommendation if markdown else textwrap.fill(found.recommendation, 80, break_on_hyphens=False)
    return f"{heading}{title}\n{draw(header, rows)}\n\n{sentence}\n\n{found.best.plan.signature}"


def ladder_text(found: Ladder, *, colour: bool = False) -> str:
    """A ladder by level: the sizes of its training sets, and what of them is in test, on average over the seeds."""
    header = ["level", "sets", "samples", "contaminated %", "mentions", "contaminated %"]
    rows = []
    for level in dict.fromkeys(rung.level for rung in found):
        sets = [rung.to_dict() for rung in found if rung.level == level]
        cells = [f"{level:g}", str(len(sets)), str(sets[0]["n_samples"])]
        cells += [percent(_mean(sets, "rate_samples")), f"{_mean(sets, 'n_mentions'):.1f}"]
        rows.append([*cells, percent(_mean(sets, "rate_mentions"))])
    title = "Training sets (means over the seeds)\n"
    drawn = f"Drawn from {found.n_clean} clean and {found.n_contaminated} contaminated training samples."
    return f"{title}{table(header, rows, colour=colour)}\n\n{drawn}\n{found.signature}"


def _mean(rows: Sequence[Mapping[str, Any]], key: str) -> float:
    return math.fsum(row[key] for row in rows) / len(rows)


def folds_text(found: Folds, *, colour: bool = False) -> str:
    """Folds: their sizes, how they compare with the corpus, and what they share with the others."""
    header = ["fold", "samples", "entities/sample", "with entities", "share an entity", "%"]
    rows = []
    for fold, row in enumerate(found.statistics):
        ratios = [f"{row[key]:.3f}" for key in ("entities_per_sample_ratio", "entity_bearing_ratio")]
        shared = [str(row["n_partial"]), percent(row["rate_partial"])]
        rows.append([str(fold), str(row["n_samples"]), *ratios, *shared])
    title = "Folds, and how they compare with the corpus (1.000: the same)\n"
    said = [f"{found.guarantee[0].upper()}{found.guarantee[1:]}.", *found.notes, found.signature]
    return "\n\n".join([title + table(header, rows, colour=colour), "\n".join(said)])


def _shared(row: Mapping[str, Any] | None) -> str:
    return "-" if row is None else f"{row['n_partial']} ({percent(row['rate_partial'])}%)"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; what is in a cell stays in it."""
    lines = [[markdown_text(cell) for cell in line] for line in (header, ["---"] * len(header), *rows)]
    return "\n".join(["", *("| " + " | ".join(line) + " |" for line in lines)])


def markdown_text(text: str) -> str:
    """Text that neither ends a cell or line nor begins a tag."""
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").split())
