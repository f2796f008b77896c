"""The tables of each result, described once: the terminal, notebooks, pages, cards, files and the app draw them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ..scoring.buckets import Buckets, describe
from ..scoring.compare import ALPHA
from ..scoring.diagnosis import MIN_COUNT, self_diagnosis
from ..scoring.exposure_view import NOVELTY_CLASSES
from ..scoring.metric import Metric, beta_of, f_beta
from ..scoring.registry import record_of, score_metrics, title_of
from ..scoring.score import Score, share
from ..scoring.type_exposure import TYPE_EXPOSURE
from .exhibit import Cell, Exhibit, Kind, Measured, Row

if TYPE_CHECKING:  # the commands that show scores need none of these
    from ..splitting.audit import Audit, Pair
    from ..splitting.folds import Folds
    from ..splitting.frontier import Frontier
    from ..splitting.ladder import Ladder
    from ..splitting.plan import SplitPlan

Values = Mapping[str, Any]
"""Values by their names, those of intervals among them (``f1_low``, ``f1_high``)."""


def measured(values: Values, name: str, n: str | None = None) -> Measured:
    """Return a value with its interval, where it has one."""
    count = values[n] if n else None
    return Measured(known(values[name]), values.get(f"{name}_low"), values.get(f"{name}_high"), count)


def measured_in(scores: Mapping[str, Values], metric: str, name: str) -> Measured:
    """Return a value of a system, from its scores by metric, with the one interval that it has in every table.

    F1 is a value of several metrics, each with a draw of its own: the interval is that of exact F1. Where training has
    shown none of the mentions, clean F1 is F1 in every draw, and has its interval too.
    """
    own, exact = scores[metric], scores.get("exact_f1")
    beta = record_of(metric, own).beta
    whole = f_beta("f1", beta)
    is_f1 = name in (whole, f_beta("f1_exact", beta))
    if name == f_beta("clean_f1", beta) and own["n_clean"] == own["n_gold"]:
        is_f1 = True
    return measured(exact, whole) if is_f1 and exact is not None else measured(own, name)


def known(value: float | None) -> float:
    """Return NaN for the null that stands for it in JSON."""
    return math.nan if value is None else value


def _cell(values: Values, name: str) -> Cell:
    """Return a count or a text as it is, and a fraction with its interval."""
    value = values.get(name)
    return measured(values, name) if isinstance(value, float) and f"{name}_low" in values else value


# --- scores -----------------------------------------------------------------------------------------------------


def score_tables(scores: Mapping[str, Score], *, by_type: bool = False) -> list[Exhibit]:
    """Return the tables of one metric, with a row for each system."""
    record = next(iter(scores.values())).record
    systems = {name: _totals(score) for name, score in scores.items()}
    found = [value_table(record, record.name, record.title, "system", systems)]
    found += _muc_tables("system", systems, record.beta)
    for table in _OF_SUBSETS:
        value = f_beta(table.value, record.beta)
        if all(f"{value}_{subset}" in values for subset in table.subsets for values in systems.values()):
            rows = [(name, table.cells(values, value)) for name, values in systems.items()]
            title = f"{f_beta(table.title, record.beta)} (%)"
            found.append(Exhibit(table.slug, title, ["system", *table.subsets.values()], rows))
    if by_type and record.by_type:
        found += chain.from_iterable(
            type_tables(record, score, f"{record.name}-types-{i + 1}", f", {name}" if len(scores) > 1 else "")
            for i, (name, score) in enumerate(scores.items())
        )
    return found


_ANSWERS = {
    "n_unparsed": "not understood", "n_empty": "empty", "n_invented": "invented", "n_ambiguous": "ambiguous",
    "f1_lowest": "lowest F1", "f1_highest": "highest F1",
}  # fmt: skip
"""What is counted of answers of language models, and its titles."""


def answer_table(results: Mapping[str, Mapping[str, Score]]) -> Exhibit:
    """Return what became of the answers of language models, with a row for each system that has some."""
    rows: list[Row] = []
    for system, scores in results.items():
        score = next(iter(scores.values()))
        if score.sums.answers is not None:
            rows.append((system, [score.sums.answers.n_samples, *(score[name] for name in _ANSWERS)]))
    return Exhibit("answers", "Answers", ["system", "answers", *_ANSWERS.values()], rows)


def type_tables(record: Metric, score: Score, slug: str, of: str) -> list[Exhibit]:
    """Return the tables of one metric and one system, with a row for each type."""
    types = {label: score.row(sums) for label, sums in score.sums.counts.by_type.items()}
    title = f"{record.title}{of}, by type"
    return [value_table(record, slug, title, "type", types), *_muc_tables("type", types, record.beta, f"{of}, by type")]


def run_tables(scores: Mapping[str, Score], moments: Mapping[str, Any], *, by_type: bool = False) -> list[Exhibit]:
    """Return the table of one metric over several runs, with the mean and the standard deviation of each value."""
    first = next(iter(scores.values()))
    record, runs = first.record, {name: _totals(score) for name, score in scores.items()}
    spread = {f"mean of {len(runs)}": _moment(moments, "mean", first), "std. dev.": _moment(moments, "std", first)}
    found = [value_table(record, record.name, record.title, "run", {**runs, **spread})]
    if by_type and record.by_type:
        for i, (name, values) in enumerate(spread.items()):
            types = {label: _of_type(values, label) for label in first.sums.counts.by_type}
            title = f"{record.title}, by type, {name}"
            found.append(value_table(record, f"{record.name}-types-{i + 1}", title, "type", types))
    return found


def value_table(record: Metric, slug: str, title: str, first: str, rows: Mapping[str, Values]) -> Exhibit:
    """Return the values of a metric that its table shows, as far as they were computed."""
    shown = [name for name in record.shown if any(values.get(name) is not None for values in rows.values())]
    cells = [(name, [_cell(values, value) for value in shown]) for name, values in rows.items()]
    f1 = f_beta("f1", record.beta)
    strong = 1 + shown.index(f1) if f1 in shown else len(shown)
    return Exhibit(slug, title, [first, *(record.titles[name] for name in shown)], cells, strong=strong)


def _totals(score: Score) -> dict[str, Any]:
    """Return the values of all types together, also of a score whose keys are seqeval's."""
    return {**score.row(score.sums.counts.total()), **score}


def _of_type(values: Values, label: str) -> dict[str, Any]:
    """Return the values of one type by their plain names."""
    return {name.removesuffix(f"/{label}"): value for name, value in values.items() if name.endswith(f"/{label}")}


def _moment(moments: Mapping[str, Any], which: str, like: Score) -> dict[str, Any]:
    """Return rates as numbers, which are shown in percent; counts as text, since a mean of counts is none."""
    values = {name: moment[which] for name, moment in moments.items() if name != "signature"}
    return {
        name: value if isinstance(like[name], float) or math.isnan(value) else f"{value:.1f}"
        for name, value in values.items()
    }


def _muc_tables(first: str, rows: Mapping[str, Values], beta: float, of: str = "") -> list[Exhibit]:
    """Return the scores of SemEval-2013 and the counts behind them, one scheme a line, where they were asked for."""
    schemes, counts = ("strict", "exact", "partial", "type"), ("cor", "inc", "par", "mis", "spu")
    lines: list[Row] = []
    for name, values in rows.items():
        for scheme in schemes:
            if values.get(f"f1_muc_{scheme}") is not None:
                rates = [values[f"{value}_muc_{scheme}"] for value in ("precision", "recall", f_beta("f1", beta))]
                lines.append((name, [scheme, *rates, *(values[f"n_muc_{scheme}_{count}"] for count in counts)]))
    header = [first, "scheme", "P", "R", f_beta("F1", beta), *map(str.upper, counts)]
    title = f"MUC scores, as SemEval-2013 has them (%){of}"
    return [Exhibit("muc", title, header, lines, strong=4)] if lines else []


class _OfSubsets(NamedTuple):
    """A table of one value on subsets of the gold mentions."""

    slug: str
    title: str
    value: str
    subsets: Mapping[str, str]
    """The subsets, as in the names of values, with their titles."""

    def cells(self, values: Values, value: str) -> list[Cell]:
        """Return the value of each subset, with its number of mentions."""
        return [measured(values, f"{value}_{subset}", f"n_{subset}") for subset in self.subsets]


NOVELTY, TYPES_SHOWN = "novelty", "type-exposure"
_OF_SUBSETS = (
    _OfSubsets(
        NOVELTY, "Recall by novelty of the gold mention", "recall",
        {novelty.name: novelty.title for novelty in NOVELTY_CLASSES},
    ),
    _OfSubsets(
        "confusable", "Recall on type-confusable mentions", "recall",
        {"confusable": "all", "confusable_seen": "seen", "confusable_unseen": "unseen"},
    ),
    _OfSubsets(TYPES_SHOWN, "F1 by types and words that training has as mentions", "f1", TYPE_EXPOSURE),
)  # fmt: skip
"""Subsets of the gold mentions whose scores stand in a table of their own, where they were computed."""


# --- buckets ----------------------------------------------------------------------------------------------------


def bucket_tables(found: Mapping[str, Buckets], *, min_count: int = MIN_COUNT) -> list[Exhibit]:
    """Return a table for each attribute: all scores of one system, or the F1 of several side by side.

    Args:
        found: the buckets of each system.
        min_count: gold mentions that a bucket needs to be called best or worst.
    """
    alone = next(iter(found.values())) if len(found) == 1 else None
    tables = []
    for name in next(iter(found.values())):
        title, slug = f"{name}: {describe(name)}", f"bucket-{name}"
        if alone is not None:
            header = ["bucket", "gold", "predicted", "P", "R", f_beta("F1", alone.beta)]
            rows = _bucket_rows(alone[name], f_beta("f1", alone.beta))
        else:
            header, rows = ["bucket", "gold", *found], _f1_rows(found, name)
        tables.append(Exhibit(slug, title, header, rows, strong=5 if alone is not None else -1))
    for i, (system, own) in enumerate(found.items()):
        of_system = "" if alone is not None else f", {system}"
        tables += _gap_tables(own, of_system, i, min_count)
    return tables


def _bucket_rows(rows: Sequence[Values], value: str) -> list[Row]:
    return [
        (row["bucket"], [row["n_gold"], row["n_pred"], row["precision"], row["recall"], _cell(row, value)])
        for row in filter(has_a_name, rows)
    ]


def _f1_rows(found: Mapping[str, Buckets], name: str) -> list[Row]:
    names = dict.fromkeys(row["bucket"] for of in found.values() for row in filter(has_a_name, of[name]))
    value = f_beta("f1", next(iter(found.values())).beta)
    by_system = [{row["bucket"]: row for row in buckets[name]} for buckets in found.values()]
    rows: list[Row] = []
    for bucket in names:
        own = [of.get(bucket) for of in by_system]
        n_gold = next(row["n_gold"] for row in own if row is not None)
        rows.append((bucket, [n_gold, *("-" if row is None else row[value] for row in own)]))
    return rows


def has_a_name(row: Values) -> bool:
    """Does a bucket say something? One that no gold value fell into, and whose range is not fixed, does not."""
    return not row["bucket"].startswith("-") or row["n_pred"] > 0


def _gap_tables(buckets: Buckets, of_system: str, i: int, min_count: int) -> list[Exhibit]:
    """Return the three attributes by which F1 differs most; nothing where no two buckets can be told apart."""
    gaps = self_diagnosis(buckets, min_count=min_count)
    clear = {name: at for name, at in gaps.items() if at.get("clear", True)}
    largest = sorted(clear.items(), key=lambda item: -item[1]["gap"])[:3]
    rows: list[Row] = [(name, [at["best"], at["worst"], at["gap"]]) for name, at in largest]
    if not rows:
        return []
    note = f"Of buckets with {min_count} gold mentions or more"
    if any("clear" in at for at in gaps.values()):
        note += ", whose intervals do not overlap"
    title, header = f"Where F1 differs most{of_system}", ["attribute", "best", "worst", "gap"]
    return [Exhibit(f"gaps-{i + 1}", title, header, rows, note=f"{note}.")]


# --- a comparison -----------------------------------------------------------------------------------------------


def comparison_tables(
    comparison: Mapping[str, Any], *, baseline: str | None = None, all_pairs: bool = True
) -> list[Exhibit]:
    """Return what is compared of each system, the differences of each pair of systems, and their ranks.

    Args:
        comparison: what ``Comparison.to_dict`` returns and ``cleancut compare --json`` prints.
        baseline: of three or more systems, the one that the others are compared with; by default the best.
        all_pairs: of three or more systems, return the scores of each metric and the tests of all pairs too.
    """
    of_pairs = [*_compared_tables(comparison), *_difference_tables(comparison)]
    ranks = _rank_tables(comparison)
    if len(comparison["systems"]) < 3:
        return [*of_pairs, *ranks]
    matrix = _baseline_tables(comparison, baseline)
    return [*matrix, *ranks, *of_pairs] if all_pairs else [*matrix, *ranks]


def _baseline_tables(comparison: Mapping[str, Any], baseline: str | None) -> list[Exhibit]:
    """Return the systems from the best on, with how much each differs from one of them in the value of each metric."""
    systems = comparison["systems"]
    shown = [(metric.name, metric.ranked) for metric in _metrics_of(systems) if metric.ranked]
    if not shown:
        return []
    order = _from_the_best(systems, *shown[0])
    base = baseline or order[0]
    tests = {(row["a"], row["b"], row["metric"], row["value"]): row for row in comparison.get("pairs", ())}
    rows: list[Row] = []
    for name in order:
        cells: list[Cell] = []
        for metric, value in shown:
            forth, back = tests.get((name, base, metric, value)), tests.get((base, name, metric, value))
            cells += [known(systems[name].get(metric, {}).get(value)), _difference(forth, back)]
        rows.append((name, cells))
    header = ["system"]
    for metric, value in shown:
        header += [title_of(metric, value), ""]
    n_pairs = len(systems) * (len(systems) - 1) // 2
    note = f"Beside each value: the difference from {base}; * significant at {ALPHA}, corrected for {n_pairs} pairs."
    return [Exhibit("baseline", f"Systems, and their differences from {base} (%)", header, rows, note=note)]


def _difference(forth: Values | None, back: Values | None) -> str:
    """Return the difference of a system from another in points, with a star where it is significant."""
    row = forth or back
    if row is None or math.isnan(known(row["difference"])):
        return ""
    sign = 1 if forth else -1
    star = "*" if known(row.get("p_holm")) < ALPHA else " "
    return f"{100 * sign * row['difference']:+.2f}{star}"


def _from_the_best(systems: Mapping[str, Mapping[str, Values]], metric: str, value: str) -> list[str]:
    """Return the names of systems in the order of a value, those that have none last."""
    sign = 1 if score_metrics()[metric].lower_is_better else -1
    worth = {name: sign * known(own.get(metric, {}).get(value)) for name, own in systems.items()}
    return sorted(systems, key=lambda name: (math.isnan(worth[name]), worth[name]))


def _compared_tables(comparison: Mapping[str, Any]) -> list[Exhibit]:
    systems, found = comparison["systems"], []
    for metric in _metrics_of(systems):
        having = {name: own for name, own in systems.items() if metric.name in own}
        values = [value for value in metric.compared if all(value in own[metric.name] for own in having.values())]
        rows: list[Row] = []
        for name, own in having.items():
            rows.append((name, [measured_in(own, metric.name, value) for value in values]))
        header = ["system", *(metric.titles[value] for value in values)]
        found.append(Exhibit(f"compared-{metric.name}", metric.title, header, rows))
    return found


def _metrics_of(systems: Mapping[str, Mapping[str, Values]]) -> list[Metric]:
    """Return the metrics that any system was scored by, as their scores were computed."""
    found = []
    for name in score_metrics():
        having = [own[name] for own in systems.values() if name in own]
        if having:
            found.append(record_of(name, having[0]))
    return found


def _difference_tables(comparison: Mapping[str, Any]) -> list[Exhibit]:
    systems, pairs = comparison["systems"], dict[tuple[str, str], list[Values]]()
    for row in comparison.get("pairs", ()):
        pairs.setdefault((row["a"], row["b"]), []).append(row)
    corrected = f", corrected for {len(pairs)} pairs of systems" if len(pairs) > 1 else ""
    found = []
    for i, ((a, b), tests) in enumerate(pairs.items()):
        rows: list[Row] = []
        for row in tests:
            metric, value = row["metric"], row["value"]
            both = [known(systems.get(name, {}).get(metric, {}).get(value)) for name in (a, b)]
            difference = Measured(known(row["difference"]), row.get("low"), row.get("high"), is_difference=True)
            tested = [p_text(row.get("p")), p_text(row.get("p_holm"))]
            rows.append((title_of(metric, value), [*both, difference, *tested]))
        header, note = ["", "first", "second", "difference", "p", "Holm p"], ""
        marks = ["*" if known(row.get("p_holm")) < ALPHA else "" for row in tests]
        if any(marks):
            header, note = [*header, ""], f"* significant at {ALPHA}{corrected}"
            rows = [(name, [*cells, mark]) for (name, cells), mark in zip(rows, marks, strict=True)]
        title = f"{a} minus {b} (%)"
        found.append(Exhibit(f"pairs-{i + 1}", title, header, rows, note=note, folded=i > 0, strong=3))
    return found


def p_text(value: float | None) -> str:
    """Return a p-value with four digits."""
    return "-" if math.isnan(known(value)) else f"{value:.4f}"


def _rank_tables(comparison: Mapping[str, Any]) -> list[Exhibit]:
    """Return the place of each system in each order, and what changes from one order to another."""
    systems = comparison["systems"]
    ranks = {}
    for metric in _metrics_of(systems):
        if metric.ranked:
            values = {name: known(own.get(metric.name, {}).get(metric.ranked)) for name, own in systems.items()}
            ranks[metric.titles[metric.ranked]] = _ranks(values, -1 if metric.lower_is_better else 1)
    if len(ranks) < 2:
        return []
    first = next(iter(ranks.values()))
    order = sorted(systems, key=lambda name: math.inf if first[name] == "-" else int(first[name]))
    rows = [(name, [rank[name] for rank in ranks.values()]) for name in order]
    said = "\n".join(_change(change) for change in comparison.get("ranks", {}).get("changes", ()))
    return [Exhibit("ranks", "Ranks, 1 is best", ["system", *ranks], rows, note=said)]


def _ranks(values: Mapping[str, float], sign: int) -> dict[str, str]:
    """Return the rank of each system, the highest value first, or with -1 the lowest; equal values share a rank."""
    ordered = sorted((sign * value for value in values.values() if not math.isnan(value)), reverse=True)
    return {name: "-" if math.isnan(v) else str(1 + ordered.index(sign * v)) for name, v in values.items()}


_SWAPS = 8
"""Pairs of systems that are named as changing places; of more, the number is told."""


def _change(change: Mapping[str, Any]) -> str:
    """Return Kendall's tau between two orders, and the pairs of systems that change places from one to the other."""
    pairs = [" and ".join(names) for names in change["swaps"]]
    if len(pairs) > _SWAPS + 1:
        pairs[_SWAPS:] = [f"{len(pairs) - _SWAPS} more"]
    swaps = "; ".join(pairs) or "none"
    tau = "-" if math.isnan(known(change["tau"])) else f"{change['tau']:.2f}"
    orders = " and ".join(ranked_title(change[which]) for which in ("first", "second"))
    return f"{orders}: Kendall's tau {tau}; pairs that swap: {swaps}"


def ranked_title(value: str) -> str:
    """Return the title of a value that puts systems in order, or its name where no metric here ranks by it."""
    records = [metric.with_beta(beta_of(value)) for metric in score_metrics().values()]
    return next((record.titles[value] for record in records if record.ranked == value), value)


# --- an audit ---------------------------------------------------------------------------------------------------


def audit_tables(found: Audit) -> list[Exhibit]:
    """Return what each split shares with each other one, what a look-up scores, and which entities leak most."""
    many = {"sample": "samples", "doc": "documents"}[found.unit]
    rows: list[Row] = []
    for pair, row in found.pairs.items():
        counts = [row["n_samples"], row["n_empty"], row["n_partial"], row["rate_partial"], row["n_full"]]
        of = [float(share(row[f"n_{what}_contaminated"], row[f"n_{what}"])) for what in ("mentions", "entities")]
        rows.append((in_words(pair), [*counts, row["rate_full"], *of]))
    header = ["pair", many, "empty", "partly", "%", "fully", "%", "ment. %", "ent. %"]
    tables = [Exhibit("shared", f"Shared entities (key: {found.key})", header, rows)]
    keys, first = ("precision", "recall", "f1"), next(iter(found.types))
    looked_up = [(name, [row[key] for key in keys]) for name, row in found.memorisation.items()]
    title = f"What a look-up of the {first} mentions scores (%)"
    tables.append(Exhibit("look-up", title, ["split", "P", "R", "F1"], looked_up))
    leaks: list[Row] = []
    for leak in found.top_leaks:
        counts = [leak[f"n_{split}"] for split in leak["pair"]]
        leaks.append((leak["entity"], [leak["label"] or "", in_words(leak["pair"]), *counts]))
    if leaks:
        tables.append(Exhibit("leaks", "Entities that leak most", ["entity", "type", "pair", "here", "there"], leaks))
    return tables


def in_words(pair: Pair) -> str:
    """Return a pair of splits as ``test in train``."""
    return " in ".join(pair)


def audit_notes(found: Audit) -> list[str]:
    """Return what an exact comparison of entities does not see, and what else is to be known."""
    notes = []
    for (a, b), n in found.duplicates.items():
        if n and (a, b) in found.near_leaks:
            samples = "sample also appears" if n == 1 else "samples also appear"
            notes.append(f"{n} {a} {samples} verbatim in {b}.")
    for (a, b), row in found.near_leaks.items():
        if row["n_mentions"]:
            shown = ", ".join(repr(example["entity"]) for example in row["examples"][:3])
            notes.append(
                f"{row['n_mentions']} further mentions of {a} differ from {b}'s only in case or Unicode form: {shown}."
            )
    return notes + found.notes


# --- a split ----------------------------------------------------------------------------------------------------


def plan_tables(plans: Mapping[str, SplitPlan]) -> list[Exhibit]:
    """Return sizes and representativeness of the first plan, and what it shares beside others on the same corpus."""
    plan = next(iter(plans.values()))
    kept = max(len(plan.assignment) - plan.n_discarded, 1)
    rows: list[Row] = []
    for name, row in plan.representation.items():
        ratios = [ratio_text(row[key]) for key in ("entities_per_sample_ratio", "entity_bearing_ratio")]
        rows.append((name, [plan.sizes[name], plan.sizes[name] / kept, *ratios, row["min_type_count"]]))
    if plan.n_discarded:
        rows.append(("discarded", [plan.n_discarded, None, None, None, None]))
    header = ["split", "samples", "%", "entities/sample", "with entities", "rarest type"]
    title = "Sizes, and how the splits compare with the corpus (1.000: the same)"
    tables = [Exhibit("representation", title, header, rows), _leakage_table(plans)]
    if len(plans) > 1:
        least = [ratio_text(_least_density(other)) for other in plans.values()]
        title = "The sparsest held-out split (entities/sample, against the corpus)"
        tables.append(Exhibit("least-density", title, ["", *plans], [("least entities/sample", least)]))
    return tables


def _leakage_table(plans: Mapping[str, SplitPlan]) -> Exhibit:
    plan = next(iter(plans.values()))
    columns = {"before": plan.leakage["before"]} if plan.leakage["before"] else {}
    columns |= {name: other.leakage["after"] for name, other in plans.items()}
    rows = [(" with ".join(pair), [_shared(of.get(pair)) for of in columns.values()]) for pair in plan.leakage["after"]]
    return Exhibit("leakage", "Samples that share an entity (%)", ["splits", *columns], rows, Kind.BARS)


def _shared(row: Values | None) -> Cell:
    return "-" if row is None else Measured(known(row["rate_partial"]), n=row["n_partial"])


def _least_density(plan: SplitPlan) -> float:
    held_out = [row for name, row in plan.representation.items() if name != "train"]
    return min(float(row["entities_per_sample_ratio"]) for row in held_out)


def ratio_text(ratio: float) -> str:
    """Return a ratio to the corpus with three digits, where 1.000 is the same."""
    return f"{ratio:.3f}"


def type_table(types: Mapping[str, Mapping[str, int]]) -> Exhibit:
    """Return the mentions of each type in each split."""
    labels = dict.fromkeys(chain.from_iterable(types.values()))
    rows = [(split, [counts.get(label, 0) for label in labels]) for split, counts in types.items()]
    kind = Kind.STACK if len(labels) <= 8 else Kind.HEAT  # as many as colours
    return Exhibit("types", "Mentions of each type in each split", ["split", *labels], rows, kind)


def frontier_tables(found: Frontier) -> list[Exhibit]:
    """Return the splits of a frontier by density floor, the best marked."""
    n_samples, n_held_out = len(found.best.plan.assignment), sum(list(found.best.plan.n_samples_after().values())[1:])
    rows: list[Row] = []
    floor: object = found  # which is none
    for point in found.points:
        if point.representative != floor:
            floor = point.representative
            rows.append((f"density floor {'off' if floor is None else f'{floor:g}'}", []))
        marked = "use this" if point is found.best else "optimal" if point.optimal else None
        rows.append((f"--discard {point.discard}", [
            Measured(point.n_discarded / n_samples, n=point.n_discarded),
            Measured(point.n_contaminated / max(n_held_out, 1), n=point.n_contaminated),
            ratio_text(point.density), point.ratio_error, marked,
        ]))  # fmt: skip
    header = ["split", "discarded %", "contaminated %", "density", "ratio error %", "verdict"]
    note = (
        "Contaminated: held-out samples that share an entity with an earlier split. Density: entities per sample of "
        "the sparsest held-out split, against the corpus. Optimal: no other split is at least as good in everything "
        "and better in something; in a picture, the others are hollow."
    )
    title = "Contaminated held-out samples over discarded samples"
    return [Exhibit("frontier", title, header, rows, Kind.CURVES, note)]


def fold_tables(found: Folds) -> list[Exhibit]:
    """Return a row for each fold: its size, how it compares with the corpus, what it shares with the others."""
    rows: list[Row] = []
    for fold, row in enumerate(found.statistics):
        ratios = [ratio_text(row[key]) for key in ("entities_per_sample_ratio", "entity_bearing_ratio")]
        rows.append((str(fold), [row["n_samples"], *ratios, row["n_partial"], row["rate_partial"]]))
    header = ["fold", "samples", "entities/sample", "with entities", "share an entity", "%"]
    return [Exhibit("folds", "Folds, and how they compare with the corpus (1.000: the same)", header, rows)]


def ladder_tables(found: Ladder) -> list[Exhibit]:
    """Return a row for each level: the sizes of its training sets, and what of them is in test, over the seeds."""
    rows: list[Row] = []
    for level in dict.fromkeys(rung.level for rung in found):
        sets = [rung.to_dict() for rung in found if rung.level == level]
        mentions = f"{_mean(sets, 'n_mentions'):.1f}"
        cells = [len(sets), sets[0]["n_samples"], _mean(sets, "rate_samples"), mentions, _mean(sets, "rate_mentions")]
        rows.append((f"{level:g}", cells))
    header = ["level", "sets", "samples", "contaminated %", "mentions", "contaminated %"]
    return [Exhibit("ladder", "Training sets (means over the seeds)", header, rows)]


def _mean(rows: Sequence[Values], key: str) -> float:
    return math.fsum(row[key] for row in rows) / len(rows)
