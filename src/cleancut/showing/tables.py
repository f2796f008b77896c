"""The tables of each result, described once: the terminal, notebooks, pages, cards, files and the app draw them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.exceptions import quoted
from ..core.shown import RELATED, related_sentence
from ..core.signature import Signature
from ..scoring.buckets import Buckets, describe
from ..scoring.compare import ALPHA, least_resamples
from ..scoring.diagnosis import MIN_COUNT, self_diagnosis
from ..scoring.errors import Errors
from ..scoring.exposure_view import NOVELTY_CLASSES, STAIRCASE_STEPS
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
"""Values by their names; the ends of intervals are among them (``f1_low``, ``f1_high``)."""


def measured(values: Values, name: str, n: str | None = None) -> Measured:
    """Return a value with its interval, if it has one.

    Args:
        values: the values of a system.
        name: the name of the value.
        n: the name of the number of things behind it; None to show none.
    """
    count = values[n] if n else None
    return Measured(known(values[name]), values.get(f"{name}_low"), values.get(f"{name}_high"), count)


def measured_in(scores: Mapping[str, Values], metric: str, name: str) -> Measured:
    """Return a value of a system with its interval, which is the same in every table.

    F1 is a value of several metrics, each with resamples of its own: the interval is that of exact F1. If training has
    shown none of the mentions, clean F1 is F1 in every resample, and has its interval too.

    Args:
        scores: the values of a system, by metric.
        metric: the name of the metric.
        name: the name of the value.
    """
    values = scores[metric]
    exact = scores.get("exact_f1")
    beta = record_of(metric, values).beta
    whole = f_beta("f1", beta)
    is_f1 = name in (whole, f_beta("f1_exact", beta))
    if name == f_beta("clean_f1", beta) and values["n_clean"] == values["n_gold"]:
        is_f1 = True
    if is_f1 and exact is not None:
        return measured(exact, whole)
    return measured(values, name)


def known(value: float | None) -> float:
    """Return a value, with NaN for the null that stands for it in JSON.

    Args:
        value: the value.
    """
    return math.nan if value is None else value


def _cell(values: Values, name: str) -> Cell:
    """Return a count or a text as it is, and a fraction with its interval."""
    value = values.get(name)
    return measured(values, name) if isinstance(value, float) and f"{name}_low" in values else value


# --- scores -----------------------------------------------------------------------------------------------------


def score_tables(scores: Mapping[str, Score], *, by_type: bool = False) -> list[Exhibit]:
    """Return the tables of one metric, with a row for each system.

    Args:
        scores: the score of each system.
        by_type: also return tables with a row for each type.
    """
    record = next(iter(scores.values())).record
    systems = {name: _totals(score) for name, score in scores.items()}
    tables = [value_table(record, record.name, record.title, "system", systems)]
    tables += _muc_tables("system", systems, record.beta)
    for subset_table in _OF_SUBSETS:
        value = f_beta(subset_table.value, record.beta)
        names = [f"{value}_{subset}" for subset in subset_table.subsets]
        if all(name in values for name in names for values in systems.values()):
            rows = [(name, subset_table.cells(values, value)) for name, values in systems.items()]
            title = f"{f_beta(subset_table.title, record.beta)} (%)"
            tables.append(Exhibit(subset_table.slug, title, ["system", *subset_table.subsets.values()], rows))
    if by_type and record.by_type:
        for i, (name, score) in enumerate(scores.items()):
            of_system = f", {name}" if len(scores) > 1 else ""
            tables += type_tables(record, score, f"{record.name}-types-{i + 1}", of_system)
    return tables


_ANSWERS = {
    "n_unparsed": "not understood", "n_empty": "empty", "n_invented": "invented", "n_ambiguous": "ambiguous",
    "f1_lowest": "lowest F1", "f1_highest": "highest F1",
}  # fmt: skip
"""The counts of answers of language models, and their titles."""


def answer_table(results: Mapping[str, Mapping[str, Score]]) -> Exhibit:
    """Return a table of how the answers of language models were read, with a row for each system that gave answers.

    Args:
        results: the scores of each system by metric.
    """
    rows: list[Row] = []
    for system, scores in results.items():
        score = next(iter(scores.values()))
        if score.sums.answers is not None:
            rows.append((system, [score.sums.answers.n_samples, *(score[name] for name in _ANSWERS)]))
    return Exhibit("answers", "Answers", ["system", "answers", *_ANSWERS.values()], rows)


def type_tables(record: Metric, score: Score, slug: str, of: str) -> list[Exhibit]:
    """Return the tables of one metric and one system, with a row for each type.

    Args:
        record: the metric.
        score: the score of the system.
        slug: the name of the first table.
        of: what the titles say of the system, such as ", flair".
    """
    types = {label: score.row(sums) for label, sums in score.sums.counts.by_type.items()}
    title = f"{record.title}{of}, by type"
    return [value_table(record, slug, title, "type", types), *_muc_tables("type", types, record.beta, f"{of}, by type")]


def run_tables(scores: Mapping[str, Score], moments: Mapping[str, Any], *, by_type: bool = False) -> list[Exhibit]:
    """Return the tables of one metric over several runs, with the mean and the standard deviation of each value.

    Args:
        scores: the score of each run.
        moments: the mean and the standard deviation of each value.
        by_type: also return tables with a row for each type.
    """
    first = next(iter(scores.values()))
    record = first.record
    runs = {name: _totals(score) for name, score in scores.items()}
    spread = {f"mean of {len(runs)}": _moment(moments, "mean", first), "std. dev.": _moment(moments, "std", first)}
    tables = [value_table(record, record.name, record.title, "run", {**runs, **spread})]
    if by_type and record.by_type:
        for i, (name, values) in enumerate(spread.items()):
            types = {label: _of_type(values, label) for label in first.sums.counts.by_type}
            title = f"{record.title}, by type, {name}"
            tables.append(value_table(record, f"{record.name}-types-{i + 1}", title, "type", types))
    return tables


def value_table(record: Metric, slug: str, title: str, first: str, rows: Mapping[str, Values]) -> Exhibit:
    """Return a table of those values of a metric that were computed.

    Args:
        record: the metric.
        slug: the name of the table.
        title: its title.
        first: the name of its first column.
        rows: the values of each row by its name.
    """
    computed = [name for name in record.shown if any(values.get(name) is not None for values in rows.values())]
    cells = [(name, [_cell(values, value) for value in computed]) for name, values in rows.items()]
    f1 = f_beta("f1", record.beta)
    strong = 1 + computed.index(f1) if f1 in computed else len(computed)
    return Exhibit(slug, title, [first, *(record.titles[name] for name in computed)], cells, strong=strong)


def _totals(score: Score) -> dict[str, Any]:
    """Return the values of all types together, also of a score whose keys are seqeval's."""
    return {**score.row(score.sums.counts.total()), **score}


def _of_type(values: Values, label: str) -> dict[str, Any]:
    """Return the values of one type by their plain names."""
    return {name.removesuffix(f"/{label}"): value for name, value in values.items() if name.endswith(f"/{label}")}


def _moment(moments: Mapping[str, Any], which: str, like: Score) -> dict[str, Any]:
    """Return rates as numbers, which are shown in percent, and counts as text, since the mean of counts is no count."""
    values = {name: moment[which] for name, moment in moments.items() if name != "signature"}
    return {
        name: value if isinstance(like[name], float) or math.isnan(value) else f"{value:.1f}"
        for name, value in values.items()
    }


def _muc_tables(first: str, rows: Mapping[str, Values], beta: float, of: str = "") -> list[Exhibit]:
    """Return the scores of SemEval-2013 and the counts behind them, one scheme a line, if they were computed."""
    schemes = ("strict", "exact", "partial", "type")
    counts = ("cor", "inc", "par", "mis", "spu")
    lines: list[Row] = []
    for name, values in rows.items():
        for scheme in schemes:
            if values.get(f"f1_muc_{scheme}") is not None:
                rates = [values[f"{value}_muc_{scheme}"] for value in ("precision", "recall", f_beta("f1", beta))]
                lines.append((name, [scheme, *rates, *(values[f"n_muc_{scheme}_{count}"] for count in counts)]))
    header = [first, "scheme", "precision", "recall", f_beta("F1", beta), *map(str.upper, counts)]
    title = f"MUC scores, as SemEval-2013 has them (%){of}"
    if not lines:
        return []
    return [Exhibit("muc", title, header, lines, strong=4)]


class _OfSubsets(NamedTuple):
    """A table of one value on subsets of the gold mentions."""

    slug: str
    """The name of the table."""
    title: str
    """The title of the table."""
    value: str
    """The name of the value, such as recall."""
    subsets: Mapping[str, str]
    """The titles of the subsets by their names, which are parts of the names of values."""

    def cells(self, values: Values, value: str) -> list[Cell]:
        """Return the value of each subset, with its number of mentions.

        Args:
            values: the values of a system.
            value: the name of the value.
        """
        return [measured(values, f"{value}_{subset}", f"n_{subset}") for subset in self.subsets]


NOVELTY = "novelty"
"""The name of the table of recall by novelty."""
STAIRCASE = "staircase"
"""The name of the table of recall along the staircase."""
TYPES_SHOWN = "type-exposure"
"""The name of the table of F1 by what training has shown of the type."""
_OF_SUBSETS = (
    _OfSubsets(
        NOVELTY, "Recall by novelty of the gold mention", "recall",
        {novelty.name: novelty.title for novelty in NOVELTY_CLASSES},
    ),
    _OfSubsets(
        "confusable", "Recall on type-confusable mentions", "recall",
        {"confusable": "all", "confusable_seen": "seen", "confusable_unseen": "unseen"},
    ),
    _OfSubsets(
        STAIRCASE, "Recall along the staircase, from what training has shown to what is new", "recall",
        {step.name: step.title for step in STAIRCASE_STEPS},
    ),
    _OfSubsets(TYPES_SHOWN, "F1 by types and words that training has as mentions", "f1", TYPE_EXPOSURE),
)  # fmt: skip
"""The subsets of the gold mentions whose scores are in a table of their own, if they were computed."""


# --- buckets ----------------------------------------------------------------------------------------------------


def bucket_tables(buckets: Mapping[str, Buckets], *, min_count: int = MIN_COUNT) -> list[Exhibit]:
    """Return a table for each attribute: all scores of one system, or the F1 of several side by side.

    Args:
        buckets: the buckets of each system.
        min_count: the number of gold mentions that a bucket needs to be called best or worst.
    """
    alone = next(iter(buckets.values())) if len(buckets) == 1 else None
    tables = []
    for name in next(iter(buckets.values())):
        title = f"{name}: {describe(name)}"
        slug = f"bucket-{name}"
        if alone is not None:
            header = ["bucket", "support", "predicted", "precision", "recall", f_beta("F1", alone.beta)]
            rows = _bucket_rows(alone[name], alone.value)
        else:
            header = ["bucket", "support", *buckets]
            rows = _f1_rows(buckets, name)
        strong = 5 if alone is not None else -1
        tables.append(Exhibit(slug, title, header, rows, strong=strong))
    for i, (system, of_one) in enumerate(buckets.items()):
        of_system = "" if alone is not None else f", {system}"
        tables += _gap_tables(of_one, of_system, i, min_count)
    return tables


def _bucket_rows(rows: Sequence[Values], value: str) -> list[Row]:
    """Return a row for each bucket of one system."""
    return [
        (row["bucket"], [row["n_gold"], row["n_pred"], row["precision"], row["recall"], _cell(row, value)])
        for row in filter(has_a_name, rows)
    ]


def _f1_rows(buckets: Mapping[str, Buckets], name: str) -> list[Row]:
    """Return a row for each bucket, with the F1 of each system."""
    named_rows = chain.from_iterable(filter(has_a_name, of_one[name]) for of_one in buckets.values())
    names = dict.fromkeys(row["bucket"] for row in named_rows)
    value = next(iter(buckets.values())).value
    by_system = [{row["bucket"]: row for row in of_one[name]} for of_one in buckets.values()]
    rows: list[Row] = []
    for bucket in names:
        of_bucket = [rows_of_one.get(bucket) for rows_of_one in by_system]
        n_gold = next(row["n_gold"] for row in of_bucket if row is not None)
        rows.append((bucket, [n_gold, *("-" if row is None else row[value] for row in of_bucket)]))
    return rows


def has_a_name(row: Values) -> bool:
    """Return whether a bucket says something: not if no gold value fell into it, and its range is not fixed.

    Args:
        row: the values of the bucket.
    """
    return not row["bucket"].startswith("-") or row["n_pred"] > 0


def _gap_tables(buckets: Buckets, of_system: str, i: int, min_count: int) -> list[Exhibit]:
    """Return a table of the three attributes by which F1 differs most; none if no two buckets differ clearly.

    Args:
        buckets: the buckets of a system.
        of_system: the end of the title, which names the system where there are several.
        i: the place of the system among all, for the name of the table.
        min_count: the gold mentions that a bucket needs to be called best or worst.
    """
    gaps = self_diagnosis(buckets, min_count=min_count)
    clear = {name: at for name, at in gaps.items() if at.get("clear", True)}
    largest = sorted(clear.items(), key=lambda item: -item[1]["gap"])[:3]
    rows: list[Row] = [(name, [at["best"], at["worst"], at["gap"]]) for name, at in largest]
    if not rows:
        return []
    note = f"Of buckets with {min_count} gold mentions or more"
    if any("clear" in at for at in gaps.values()):
        note += ", whose intervals do not overlap"
    title = f"Where {f_beta('F1', buckets.beta)} differs most{of_system}"
    header = ["attribute", "best", "worst", "gap"]
    return [Exhibit(f"gaps-{i + 1}", title, header, rows, note=f"{note}.")]


# --- errors -----------------------------------------------------------------------------------------------------


def confusion_table(errors: Errors, slug: str, title: str) -> Exhibit:
    """Return what was predicted for each type: the same span with a type, another boundary, or nothing.

    Args:
        errors: the errors of a system.
        slug: the name of the table.
        title: its title.
    """
    types = list(errors.confusion)
    met = Counter((row["kind"], row["gold_label"], row["pred_label"]) for row in errors.matches)
    rows: list[Row] = []
    for gold in types:
        same_span = [met["exact", gold, pred] + met["type", gold, pred] for pred in types]
        rows.append((gold, [*same_span, met["boundary", gold, gold], met["missed", gold, None]]))
    rows.append(("(spurious)", [*(met["spurious", None, pred] for pred in types), None, None]))
    header = ["gold \\ predicted", *types, "(boundary)", "(missed)"]
    return Exhibit(slug, title, header, rows, Kind.HEAT)


def error_tables(errors_of: Mapping[str, Errors], *, most: int) -> list[Exhibit]:
    """Return the confused types and the first errors of each system.

    Args:
        errors_of: the errors of each system.
        most: the greatest number of errors to list of a system.
    """
    tables = []
    for i, (system, own) in enumerate(errors_of.items()):
        of_system = f", {system}" if len(errors_of) > 1 else ""
        tables.append(confusion_table(own, f"confusion-{i + 1}", f"Predicted for gold{of_system}"))
        wrong = [row for row in own.matches if row["kind"] != "exact"]
        rows: list[Row] = []
        for row in wrong[:most]:
            rows.append((str(row["sample"]), [row["kind"], _mention(row, "gold"), _mention(row, "pred")]))
        title = f"Errors{of_system}: {len(wrong)}"
        if len(wrong) > most:
            title += f", of which the first {most} are shown"
        note = "Samples count from 0."
        tables.append(Exhibit(f"errors-{i + 1}", title, ["sample", "kind", "gold", "predicted"], rows, note=note))
    return tables


def _mention(row: Values, side: str) -> str:
    """Return the words of a mention and its type, or a word where there is none."""
    if row[f"{side}_label"] is None:
        return "nothing"
    text = row[f"{side}_text"]
    words = f"tokens {row[f'{side}_start']} to {row[f'{side}_end']}" if text is None else quoted(text)
    return f"{words} {row[f'{side}_label']}"


# --- a comparison -----------------------------------------------------------------------------------------------


def comparison_tables(
    comparison: Mapping[str, Any], *, baseline: str | None = None, all_pairs: bool = True, with_scores: bool = True
) -> list[Exhibit]:
    """Return the scores of each system, the differences of each pair of systems, and their ranks.

    Args:
        comparison: what ``Comparison.to_dict`` returns and ``cleancut compare --json`` prints.
        baseline: with three or more systems, the one that the others are compared with; by default the best.
        all_pairs: with three or more systems, also return the scores of each metric and the tests of all pairs.
        with_scores: whether the scores of each metric are among the tables.
    """
    of_pairs = _difference_tables(comparison)
    if with_scores:
        of_pairs = [*_compared_tables(comparison), *of_pairs]
    ranks = _rank_tables(comparison)
    if len(comparison["systems"]) < 3:
        return [*of_pairs, *ranks]
    matrix = _baseline_tables(comparison, baseline)
    return [*matrix, *ranks, *of_pairs] if all_pairs else [*matrix, *ranks]


def _baseline_tables(comparison: Mapping[str, Any], baseline: str | None) -> list[Exhibit]:
    """Return the systems from the best on, with how each differs from the baseline in the value of each metric."""
    systems = comparison["systems"]
    ranked = [(metric.name, metric.ranked) for metric in _metrics_of(systems) if metric.ranked]
    if not ranked:
        return []
    order = _from_the_best(systems, *ranked[0])
    base = baseline or order[0]
    tests = {(row["a"], row["b"], row["metric"], row["value"]): row for row in comparison.get("pairs", ())}
    rows: list[Row] = []
    for name in order:
        cells: list[Cell] = []
        for metric, value in ranked:
            forth = tests.get((name, base, metric, value))
            back = tests.get((base, name, metric, value))
            cells += [known(systems[name].get(metric, {}).get(value)), _difference(forth, back)]
        rows.append((name, cells))
    header = ["system"]
    for metric, value in ranked:
        header += [title_of(metric, value), ""]
    n_pairs = len(systems) * (len(systems) - 1) // 2
    note = f"Beside each value: the difference from {base}; * significant at {ALPHA}, corrected for {n_pairs} pairs."
    note = "\n".join(filter(None, (note, _too_few_resamples(comparison))))
    return [Exhibit("baseline", f"Systems, and their differences from {base} (%)", header, rows, note=note)]


def _difference(forth: Values | None, back: Values | None) -> str:
    """Return the difference of a system from another in points, with a star if it is significant."""
    row = forth or back
    if row is None or math.isnan(known(row["difference"])):
        return ""
    sign = 1 if forth else -1
    star = "*" if known(row.get("p_holm")) < ALPHA else " "
    return f"{100 * sign * row['difference']:+.2f}{star}"


def _from_the_best(systems: Mapping[str, Mapping[str, Values]], metric: str, value: str) -> list[str]:
    """Return the names of systems in the order of a value; those without the value are last."""
    sign = 1 if score_metrics()[metric].lower_is_better else -1
    worth = {name: sign * known(scores.get(metric, {}).get(value)) for name, scores in systems.items()}
    return sorted(systems, key=lambda name: (math.isnan(worth[name]), worth[name]))


def _compared_tables(comparison: Mapping[str, Any]) -> list[Exhibit]:
    """Return a table of the scores of all systems for each metric."""
    systems = comparison["systems"]
    tables = []
    for metric in _metrics_of(systems):
        having = {name: scores for name, scores in systems.items() if metric.name in scores}
        values = [value for value in metric.compared if all(value in scores[metric.name] for scores in having.values())]
        rows: list[Row] = []
        order = _from_the_best(having, metric.name, metric.ranked) if metric.ranked else list(having)
        for name in order:
            rows.append((name, [measured_in(having[name], metric.name, value) for value in values]))
        header = ["system", *(metric.titles[value] for value in values)]
        tables.append(Exhibit(f"compared-{metric.name}", metric.title, header, rows))
    return tables


def _metrics_of(systems: Mapping[str, Mapping[str, Values]]) -> list[Metric]:
    """Return the metrics that any system was scored by, with the beta of its scores."""
    records = []
    for name in score_metrics():
        having = [scores[name] for scores in systems.values() if name in scores]
        if having:
            records.append(record_of(name, having[0]))
    return records


def _difference_tables(comparison: Mapping[str, Any]) -> list[Exhibit]:
    """Return a table of differences and tests for each pair of systems."""
    systems = comparison["systems"]
    pairs = dict[tuple[str, str], list[Values]]()
    for row in comparison.get("pairs", ()):
        pairs.setdefault((row["a"], row["b"]), []).append(row)
    corrected = f", corrected for {len(pairs)} pairs of systems" if len(pairs) > 1 else ""
    tables = []
    for i, ((a, b), tests) in enumerate(pairs.items()):
        rows: list[Row] = []
        for row in tests:
            metric, value = row["metric"], row["value"]
            both = [known(systems.get(name, {}).get(metric, {}).get(value)) for name in (a, b)]
            difference = Measured(known(row["difference"]), row.get("low"), row.get("high"), is_difference=True)
            tested = [p_text(row.get("p")), p_text(row.get("p_holm"))]
            rows.append((title_of(metric, value), [*both, difference, *tested]))
        header = ["", "first", "second", "difference", "p", "Holm p"]
        note = ""
        marks = ["*" if known(row.get("p_holm")) < ALPHA else "" for row in tests]
        if any(marks):
            header.append("")
            note = f"* significant at {ALPHA}{corrected}"
            rows = [(name, [*cells, mark]) for (name, cells), mark in zip(rows, marks, strict=True)]
        title = f"{a} minus {b} (%)"
        if len(pairs) == 1:
            note = "\n".join(filter(None, (note, _too_few_resamples(comparison))))
        folded = len(pairs) > 1
        group = "Every pair of systems" if folded else ""
        slug = f"pairs-{i + 1}"
        tables.append(Exhibit(slug, title, header, rows, note=note, folded=folded, group=group, strong=3))
    return tables


def _too_few_resamples(comparison: Mapping[str, Any]) -> str:
    """Return a warning where no difference can be significant, since there are too few resamples for so many pairs."""
    signature = comparison.get("signature", "")
    stated = Signature.parse(signature).get("ci", "") if Signature.is_in(signature) else ""
    if not stated or not stated.isdecimal():
        return ""
    n_resamples = int(stated)
    n_systems = len(comparison["systems"])
    n_pairs = n_systems * (n_systems - 1) // 2
    least = least_resamples(n_pairs)
    if n_resamples >= least:
        return ""
    return (
        f"With {n_resamples} resamples, no difference can be significant at {ALPHA} once it is corrected for {n_pairs} "
        f"{'pair' if n_pairs == 1 else 'pairs'}: at least {least} are needed."
    )


def p_text(value: float | None) -> str:
    """Return a p-value with four digits; a dash if there is none.

    Args:
        value: the p-value.
    """
    return "-" if math.isnan(known(value)) else f"{value:.4f}"


def _rank_tables(comparison: Mapping[str, Any]) -> list[Exhibit]:
    """Return the rank of each system by each metric, and what changes from one order to another."""
    systems = comparison["systems"]
    ranks = {}
    for metric in _metrics_of(systems):
        if metric.ranked:
            values = {name: known(scores.get(metric.name, {}).get(metric.ranked)) for name, scores in systems.items()}
            sign = -1 if metric.lower_is_better else 1
            ranks[metric.titles[metric.ranked]] = _ranks(values, sign)
    if len(ranks) < 2:
        return []
    first = next(iter(ranks.values()))
    order = sorted(systems, key=lambda name: math.inf if first[name] == "-" else int(first[name]))
    rows = [(name, [rank[name] for rank in ranks.values()]) for name in order]
    changes = "\n".join(_change(change) for change in comparison.get("ranks", {}).get("changes", ()))
    return [Exhibit("ranks", "Ranks, 1 is best", ["system", *ranks], rows, Kind.RANKS, note=changes)]


def _ranks(values: Mapping[str, float], sign: int) -> dict[str, str]:
    """Return the rank of each system: the highest value first, or with -1 the lowest; equal values share a rank."""
    ordered = sorted((sign * value for value in values.values() if not math.isnan(value)), reverse=True)
    return {name: "-" if math.isnan(v) else str(1 + ordered.index(sign * v)) for name, v in values.items()}


_SWAPS = 8
"""The greatest number of pairs that are named as changing places; if there are more, the rest is counted."""


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
    """Return the title of a value that systems are ranked by, or its name if no metric ranks by it.

    Args:
        value: the name of the value.
    """
    records = [metric.with_beta(beta_of(value)) for metric in score_metrics().values()]
    return next((record.titles[value] for record in records if record.ranked == value), value)


CONTAMINATION = (0, 5, 1, 7)
"""The colours of samples that are clean, partly contaminated, fully contaminated, and empty."""


# --- an audit ---------------------------------------------------------------------------------------------------


def audit_tables(audit: Audit) -> list[Exhibit]:
    """Return what each split shares with each other one, what a look-up scores, and which entities leak most.

    Args:
        audit: the audit.
    """
    many = {"sample": "samples", "doc": "documents"}[audit.unit]
    rows: list[Row] = []
    for pair, row in audit.pairs.items():
        counts = [row["n_samples"], row["n_empty"], row["n_partial"], row["rate_partial"], row["n_full"]]
        of = [float(share(row[f"n_{what}_contaminated"], row[f"n_{what}"])) for what in ("mentions", "entities")]
        rows.append((in_words(pair), [*counts, row["rate_full"], *of]))
    header = ["pair", many, "empty", "partly", "%", "fully", "%", "mention%", "entity%"]
    same = "" if audit.same == "exact" else f", same: {audit.same}"
    title = f"Shared entities (key: {audit.key}{same})"
    tables = [Exhibit("shared", title, header, rows, note=key_in_words(audit.key, audit.same))]
    keys = ("precision", "recall", "f1")
    first = next(iter(audit.types))
    looked_up = [(name, [row[key] for key in keys]) for name, row in audit.memorisation.items()]
    title = f"What a look-up of the {first} mentions scores (%)"
    tables.append(Exhibit("look-up", title, ["split", "precision", "recall", "F1"], looked_up))
    leaks: list[Row] = []
    for leak in audit.top_leaks:
        counts = [leak[f"n_{split}"] for split in leak["pair"]]
        leaks.append((leak["entity"], [leak["label"] or "", in_words(leak["pair"]), *counts]))
    if leaks:
        tables.append(Exhibit("leaks", "Entities that leak most", ["entity", "type", "pair", "here", "there"], leaks))
    return tables


_SAME_BY = {
    "surface+type": "Two mentions are the same entity if they have the same words and the same type",
    "surface": "Two mentions are the same entity if they have the same words, whatever their types",
    "pair": "Two relations are the same if their heads have the same words, and their tails too",
    "triple": "Two relations are the same if their heads, their tails and their labels are the same",
}
"""When two things that splits may share are the same, by the first word of a key."""


def key_in_words(key: str, same: str = "exact") -> str:
    """Return a sentence that explains the key of an audit, and the notion of the same name.

    Args:
        key: the key, as ``Audit.key`` has it.
        same: the notion, as ``Audit.same`` has it.

    >>> key_in_words("surface,uncased")
    'Two mentions are the same entity if they have the same words, whatever their types; case does not matter.'
    """
    kind, *forms = key.split(",")
    parts = [_SAME_BY[kind]]
    for form in forms:
        if form == "uncased":
            parts.append("case does not matter")
        else:
            parts.append(f"words are compared in the Unicode form {form.upper()}")
    if same != "exact":
        parts.append(f"names that are related under {same} count as the same, too")
    return f"{'; '.join(parts)}."


def related_table(related: Mapping[Pair, Mapping[str, Any]]) -> Exhibit:
    """Return what pairs of splits have in common under looser notions of the same name.

    Args:
        related: the counts of each pair, as ``left_related`` returns them.
    """
    rows: list[Row] = [(in_words(pair), [row[f"rate_{name}"] for name in RELATED]) for pair, row in related.items()]
    note = "Of all mentions of the first split; templates: of its samples with mentions. A mention may count twice."
    return Exhibit(
        "related", "Left under looser notions of the same name (%)", ["pair", *RELATED.values()], rows, note=note
    )


def related_notes(related: Mapping[Pair, Mapping[str, Any]]) -> list[str]:
    """Return a sentence for each pair of splits that says what is left under looser notions of the same name.

    Args:
        related: the counts of each pair, as ``left_related`` returns them.
    """
    return [f"{in_words(pair)}: {related_sentence(row)}." for pair, row in related.items()]


def plan_related_notes(plan: SplitPlan) -> list[str]:
    """Return what the held-out splits of a plan have left with train under looser notions, before and after.

    Args:
        plan: the plan.
    """
    notes = []
    for when, related in plan.related.items():
        first = next((earlier for _, earlier in related), "")  # which all others are compared with
        with_train = {pair: row for pair, row in related.items() if pair[1] == first}
        notes += [f"{when.capitalize()}, {note}" for note in related_notes(with_train)]
    return notes


def in_words(pair: Pair) -> str:
    """Return a pair of splits as ``test in train``.

    Args:
        pair: the names of the two splits.
    """
    return " in ".join(pair)


def audit_notes(audit: Audit) -> list[str]:
    """Return notes on what the shared entities do not show, and then the notes of the audit itself.

    The first are on related names, on samples that another split has verbatim, and on names that differ only in case or
    Unicode form.

    Args:
        audit: the audit.
    """
    notes = related_notes(audit.related)
    for (a, b), n in audit.duplicates.items():
        if n and (a, b) in audit.near_leaks:
            samples = "sample also appears" if n == 1 else "samples also appear"
            notes.append(f"{n} {a} {samples} verbatim in {b}.")
    for (a, b), row in audit.near_leaks.items():
        if row["n_mentions"]:
            examples = ", ".join(quoted(example["entity"]) for example in row["examples"][:3])
            differing = f"{row['n_mentions']} further mentions of {a} differ from {b}'s only in case or Unicode form"
            notes.append(f"{differing}: {examples}.")
    return notes + audit.notes


# --- a split ----------------------------------------------------------------------------------------------------


_METHODS = {
    "components": "whole groups of connected samples were packed into the splits",
    "cut": "groups of connected samples were cut, starting from packed groups",
    "cut:peel": "groups of connected samples were cut, starting from a cut by peeling",
    "cut:metis": "groups of connected samples were cut, starting from a cut by METIS",
    "cut:kahypar": "groups of connected samples were cut, starting from a cut by Mt-KaHyPar",
    "random": "samples were dealt at random",
    "paper": "METIS cut the graph of samples, weighted by the entities that they share",
    "paper-unweighted": "METIS cut the graph of samples, without weights",
}
"""How a split was made, by what ``SplitPlan.how`` says."""


def method_in_words(how: str) -> str:
    """Return how a split was made, in a sentence.

    Args:
        how: the word that ``SplitPlan.how`` has.

    >>> method_in_words("random")
    'How: samples were dealt at random (random).'
    """
    return f"How: {_METHODS[how]} ({how})." if how in _METHODS else f"How: {how}."


_COMPARED = {
    "entities_per_sample_ratio": "entities/sample",
    "entity_bearing_ratio": "with entities",
    "tokens_per_sample_ratio": "tokens/sample",
    "type_distance": "type drift",
}
"""What is compared with the corpus, by its key in ``representation``."""


def plan_tables(plans: Mapping[str, SplitPlan]) -> list[Exhibit]:
    """Return the sizes and the representativeness of the first plan, and what each plan shares.

    Args:
        plans: plans for the same corpus, by their names.
    """
    plan = next(iter(plans.values()))
    kept = max(len(plan.assignment) - plan.n_discarded, 1)
    rows: list[Row] = []
    for name, row in plan.representation.items():
        # Plans of older versions, and those of incidences, do not have all of these.
        ratios = [ratio_text(row[key]) if key in row else "-" for key in _COMPARED]
        rows.append((name, [plan.sizes[name], plan.sizes[name] / kept, *ratios, row["min_type_count"]]))
    if plan.n_discarded:
        rows.append(("discarded", [plan.n_discarded, None, *[None] * len(_COMPARED), None]))
    header = ["split", "samples", "%", *_COMPARED.values(), "rarest type"]
    title = "Sizes, and how the splits compare with the corpus (1.000 and a drift of 0.000 mean the same)"
    tables = [Exhibit("representation", title, header, rows), _leakage_table(plans)]
    if len(plans) > 1:
        least = [ratio_text(_least_density(other)) for other in plans.values()]
        title = "The sparsest held-out split (entities/sample, against the corpus)"
        tables.append(Exhibit("least-density", title, ["", *plans], [("least entities/sample", least)]))
    return tables


def _leakage_table(plans: Mapping[str, SplitPlan]) -> Exhibit:
    """Return the samples that share an entity, before the split and after it, by each plan."""
    plan = next(iter(plans.values()))
    columns = {"before": plan.leakage["before"]} if plan.leakage["before"] else {}
    columns |= {name: other.leakage["after"] for name, other in plans.items()}
    rows = [(" with ".join(pair), [_shared(of.get(pair)) for of in columns.values()]) for pair in plan.leakage["after"]]
    return Exhibit("leakage", "Samples that share an entity (%)", ["splits", *columns], rows, Kind.BARS)


def _shared(row: Values | None) -> Cell:
    """Return the share of samples that share an entity, with their number."""
    return "-" if row is None else Measured(known(row["rate_partial"]), n=row["n_partial"])


def _least_density(plan: SplitPlan) -> float:
    """Return the entities per sample of the sparsest held-out split, against the corpus."""
    held_out = [row for name, row in plan.representation.items() if name != "train"]
    return min(float(row["entities_per_sample_ratio"]) for row in held_out)


def ratio_text(ratio: float) -> str:
    """Return a ratio to the corpus with three digits; 1.000 means the same.

    Args:
        ratio: the ratio.
    """
    return f"{ratio:.3f}"


def type_table(types: Mapping[str, Mapping[str, int]]) -> Exhibit:
    """Return the mentions of each type in each split.

    Args:
        types: the number of mentions of each type, for each split.
    """
    labels = dict.fromkeys(chain.from_iterable(types.values()))
    rows = [(split, [counts.get(label, 0) for label in labels]) for split, counts in types.items()]
    kind = Kind.STACK if len(labels) <= 8 else Kind.HEAT  # as many as colours
    return Exhibit("types", "Mentions of each type in each split", ["split", *labels], rows, kind)


def frontier_tables(frontier: Frontier) -> list[Exhibit]:
    """Return the splits of a frontier by density floor, with the best marked.

    Args:
        frontier: the frontier.
    """
    best = frontier.best.plan
    n_samples = len(best.assignment)
    n_held_out = sum(list(best.n_samples_after().values())[1:])
    rows: list[Row] = []
    group: object = None
    has_several = len({point.same for point in frontier.points}) > 1
    for point in frontier.points:
        if (point.same, point.representative) != group:
            group = point.same, point.representative
            floor = "off" if point.representative is None else f"{point.representative:g}"
            title = f"density floor {floor}"
            if has_several:
                title = f"same {point.same}, {title}"
            rows.append((title, []))
        verdict = "optimal" if point.optimal else None
        if point is frontier.best:
            verdict = "use this"
        cells: list[Cell] = [
            Measured(point.n_discarded / n_samples, n=point.n_discarded),
            Measured(point.n_contaminated / max(n_held_out, 1), n=point.n_contaminated),
            ratio_text(point.density),
            point.ratio_error,
            verdict,
        ]
        rows.append((f"--discard {point.discard}", cells))
    header = ["split", "discarded %", "contaminated %", "density", "ratio error %", "verdict"]
    note = (
        "Contaminated: held-out samples that share an entity with an earlier split. Density: entities per sample of "
        "the sparsest held-out split, against the corpus. Optimal: no other split is at least as good in everything "
        "and better in something; in a picture, the others are hollow."
    )
    title = "Contaminated held-out samples over discarded samples"
    return [Exhibit("frontier", title, header, rows, Kind.CURVES, note)]


def fold_tables(folds: Folds) -> list[Exhibit]:
    """Return a row for each fold: its size, how it compares with the corpus, and what it shares with the others.

    Args:
        folds: the folds.
    """
    rows: list[Row] = []
    for fold, row in enumerate(folds.statistics):
        ratios = [ratio_text(row[key]) for key in ("entities_per_sample_ratio", "entity_bearing_ratio")]
        rows.append((str(fold), [row["n_samples"], *ratios, row["n_partial"], row["rate_partial"]]))
    header = ["fold", "samples", "entities/sample", "with entities", "share an entity", "%"]
    return [Exhibit("folds", "Folds, and how they compare with the corpus (1.000 means the same)", header, rows)]


def ladder_tables(ladder: Ladder) -> list[Exhibit]:
    """Return a row for each level of a ladder, with means over its training sets.

    Args:
        ladder: the ladder.
    """
    rows: list[Row] = []
    for level in dict.fromkeys(rung.level for rung in ladder):
        sets = [rung.to_dict() for rung in ladder if rung.level == level]
        mentions = f"{_mean(sets, 'n_mentions'):.1f}"
        cells = [len(sets), sets[0]["n_samples"], _mean(sets, "rate_samples"), mentions, _mean(sets, "rate_mentions")]
        rows.append((f"{level:g}", cells))
    header = ["level", "sets", "samples", "contaminated %", "mentions", "contaminated %"]
    return [Exhibit("ladder", "Training sets (means over the seeds)", header, rows)]


def _mean(rows: Sequence[Values], key: str) -> float:
    """Return the mean of a value over several rows."""
    return math.fsum(row[key] for row in rows) / len(rows)
