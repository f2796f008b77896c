"""The tables of a study, described once, and the sections of its page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..core.exceptions import counted
from ..scoring.buckets import attribute_title
from ..scoring.compare import ALPHA
from ..scoring.over_datasets import mean_of
from ..scoring.score import Score, share
from ..splitting.study import Study
from .exhibit import Cell, Exhibit, Kind, Measured, Row, Section
from .short_names import short_names
from .tables import CONTAMINATION, answer_table, known, measured_in, p_text, ranked_title

_SHOWN = {
    ("exact_f1", "f1"): "F1", ("partial_f1", "f1_overlap"): "F1 overlap", ("clean_f1", "clean_f1"): "clean F1",
    ("clean_f1", "delta_f1"): "delta F1", ("clean_f1", "delta_recall"): "delta R", ("hardeval", "hardeval"): "hardeval",
}  # fmt: skip
"""The values of each system on each dataset, by metric and name, with their titles."""
_MOST_PAIRS = 10
"""The most pairs of systems that are all shown; of more, those of one system with the others are shown."""
_MOST_SWAPS = 3
"""The most pairs of systems that are named as changing places; of more, the last is a number."""
_OPEN = 3
"""Datasets that are named above the scores and whose figures are open; those of further ones are folded."""
_MOST_SCORES = 24
"""Systems, counted on each dataset, whose scores are all open on a page; of more, an overview is open."""
_MOST_ROWS = 12
"""Rows of a table that is open on the page of a large study, unless it is the first of its section."""


def study_tables(study: Study) -> list[Exhibit]:
    """Return the tables of a study that a terminal and a notebook show; the page has more, for each dataset.

    Args:
        study: the result of ``study``.
    """
    shown = _Shown(study)
    tables = [*_not_read(study), shown.scores(), *shown.answers(), shown.contamination()]
    tables += [*shown.model_wise(), *shown.attribute_wise()]
    return [*tables, *shown.self_diagnosis(), *shown.comparative_diagnosis(), *shown.ranks()]


def study_notes(study: Study) -> list[str]:
    """Return the notes on the datasets of a study, and the signatures of its scores.

    Args:
        study: the result of ``study``.
    """
    notes = [f"{name}: {note}" for name, own in study.datasets.items() for note in own.notes]
    every = [score for own in study.scores.values() for scores in own.values() for score in scores.values()]
    signatures = dict.fromkeys(score.signature for score in every)
    of_buckets = dict.fromkeys(one.signature for own in study.buckets.values() for one in own.values())
    return [*notes, *signatures, *of_buckets]


def study_sections(study: Study) -> list[Section]:
    """Return the sections of the page of a study.

    Args:
        study: the result of ``study``.
    """
    shown = _Shown(study)
    contamination = shown.contamination()
    scores = [*shown.overview(), *shown.scores_of_datasets()] if shown.is_large else [*shown.gaps(), shown.scores()]
    places = [*shown.self_diagnosis(), *shown.gaps_of_datasets()]
    sections = []
    if study.not_read:
        lead = "The systems and datasets in this table are left out of everything below."
        sections.append(Section("not-read", "Not read", lead, _not_read(study)))
    sections += [
        Section("scores", "Scores", shown.lead(), [*scores, *shown.answers()]),
        Section("contamination", "Contamination", _CONTAMINATION, [shown.contaminated_samples(), contamination]),
        Section("model-wise", "What matters to a system", _MODEL_WISE, shown.folded(shown.model_wise())),
        Section("attribute-wise", "What matters on a dataset", _ATTRIBUTE_WISE, shown.attribute_wise()),
        Section("self-diagnosis", "Best and worst", _SELF, shown.folded(places)),
    ]
    compared = shown.folded([*shown.comparative_diagnosis(), *shown.leads_of_datasets()])
    if compared:
        sections.append(Section("comparative-diagnosis", "Ahead and behind", _COMPARATIVE, compared))
    sections.append(Section("ranks", "Ranks", _RANKS, shown.folded(shown.ranks())))
    return sections


_CONTAMINATION = (
    "How much of each test split is in training: the share of its samples with at least one entity that training has "
    "(partly) or with no other entities (fully), and the shares of its mentions and of its entities. A look-up of the "
    "training mentions, without any model, has the F1 in the last column."
)
_MODEL_WISE = (
    "How much F1 depends on an attribute of the mentions, as a mean over the datasets: Spearman's correlation of F1 "
    "with the order of the buckets (rising, +100; falling, -100), and the standard deviation of F1 over the buckets. "
    "Friedman's test asks whether the buckets differ at all, with the datasets as blocks."
)
_ATTRIBUTE_WISE = (
    "Zeta is the mean of an attribute over the gold mentions of a dataset. Rho is the mean of Spearman's correlation "
    "over the systems, without its sign: how much the attribute matters on that dataset. Friedman's test has the "
    "systems as blocks."
)
_SELF = (
    "The buckets of an attribute in which a system is best and worst. Buckets of different datasets are compared by "
    "their place, from the lowest values (XS) over S and L to the highest (XL)."
)
_COMPARATIVE = (
    "How much one system is ahead of another over the buckets of an attribute on all datasets that have both systems: "
    "the median difference in F1, and Wilcoxon's signed-rank test."
)
_RANKS = (
    "Is the order of the systems the same on every dataset, and after memory is taken out? Kendall's tau is 1 if two "
    "orders are the same, and -1 if one is the reverse of the other."
)


def _not_read(study: Study) -> list[Exhibit]:
    """Return a table of the datasets and systems that could not be read, if there are any."""
    rows: list[Row] = [(one.dataset, [one.system or "all", one.reason]) for one in study.not_read]
    return [Exhibit("not-read", "Not read", ["dataset", "system", "reason"], rows)] if rows else []


class _Shown:
    """The tables of a study, with short names of systems and datasets."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._short = short_names(study.systems)
        self._dataset = short_names(list(study.datasets))
        ranks = study.ranks["mean_rank"].get("f1", {})
        self._systems = sorted(study.systems, key=lambda name: (ranks.get(name, math.inf), name))
        first = next(iter(next(iter(study.buckets.values())).values()))
        self._attributes = list(first)

    @property
    def is_large(self) -> bool:
        """Whether a page that shows every score would be too long to be read."""
        return sum(len(own.scores) for own in self._study.datasets.values()) > _MOST_SCORES

    def folded(self, tables: Sequence[Exhibit]) -> list[Exhibit]:
        """Return the tables of a section; those of a large study are folded where they are long, but for the first.

        Args:
            tables: the tables.
        """
        if not self.is_large or not tables:
            return list(tables)
        first, *others = tables
        return [first, *(replace(one, folded=one.folded or len(one.rows) > _MOST_ROWS) for one in others)]

    # --- scores ---------------------------------------------------------------------------------------------------

    def _order(self, dataset: str) -> list[str]:
        """Return the systems of a dataset, the highest F1 first."""
        scores = self._study.datasets[dataset].scores
        return sorted(scores, key=lambda name: -_or_lowest(scores[name]["exact_f1"]["f1"]))

    def lead(self) -> str:
        """Return the sentences above the scores, which name the best system of the first datasets."""
        parts = []
        for dataset in list(self._study.datasets)[:_OPEN]:
            best = self._order(dataset)[0]
            own = self._study.datasets[dataset].scores[best]
            f1 = _percent(own["exact_f1"]["f1"])
            clean_f1 = _percent(own["clean_f1"]["clean_f1"])
            parts.append(f"{dataset}: {self._short[best]} has the highest F1, {f1}, and a clean F1 of {clean_f1}")
        n_more = len(self._study.datasets) - _OPEN
        if n_more > 0:
            parts.append(f"and {n_more} more below")
        return (
            "Clean F1 counts the recall of mentions unseen in training; delta F1 and delta R are what memory adds. "
            f"{'; '.join(parts)}."
        )

    def overview(self) -> list[Exhibit]:
        """Return F1 and clean F1 of every system, a column for each dataset."""
        tables = []
        for metric, name in (("exact_f1", "f1"), ("clean_f1", "clean_f1")):
            rows: list[Row] = []
            for system in self._systems:
                own = [self._study.datasets[dataset].scores.get(system) for dataset in self._study.datasets]
                rows.append((self._short[system], ["-" if scores is None else scores[metric][name] for scores in own]))
            header = ["system", *(self._dataset[dataset] for dataset in self._study.datasets)]
            tables.append(Exhibit(f"all-{name}", f"{_SHOWN[metric, name]} (%)", header, rows))
        return tables

    def scores_of_datasets(self) -> list[Exhibit]:
        """Return, of each dataset, F1 and clean F1 to be drawn and every value of every system, folded."""
        exhibits = []
        of_dataset = _by_heading(self.scores().rows)
        for i, (figure, (heading, rows)) in enumerate(zip(self.gaps(), of_dataset, strict=True)):
            table = replace(self.scores(), slug=f"scores-{i + 1}", title=f"{heading}: all scores (%)", rows=rows)
            exhibits += [replace(figure, folded=True), replace(table, folded=True)]
        return exhibits

    def gaps(self) -> list[Exhibit]:
        """Return a picture of F1 and clean F1 of the systems for each dataset."""
        figures = []
        for i, (dataset, own) in enumerate(self._study.datasets.items()):
            rows: list[Row] = []
            for system in self._order(dataset):
                scores = own.scores[system]
                cells = [measured_in(scores, "exact_f1", "f1"), measured_in(scores, "clean_f1", "clean_f1")]
                rows.append((self._short[system], cells))
            looked_up = own.contamination["memorisation_f1"]
            title = f"{dataset}: F1 and clean F1 (%)"
            reference = None if math.isnan(looked_up) else ("look-up", looked_up)
            header = ["system", "F1", "clean F1"]
            folded = i >= _OPEN
            figures.append(Exhibit(f"gap-{i + 1}", title, header, rows, Kind.GAP, reference=reference, folded=folded))
        return figures

    def scores(self) -> Exhibit:
        """Return every value of every system on every dataset."""
        rows: list[Row] = []
        lacking = False
        for dataset, own in self._study.datasets.items():
            rate = _percent(own.contamination["rate_partial"])
            rows.append((f"{dataset}: {rate}% contaminated", ()))
            for system in self._order(dataset):
                scores = own.scores[system]
                cells = [_value(scores, metric, name) for metric, name in _SHOWN]
                lacking = lacking or None in cells
                rows.append((self._short[system], cells))
        note = "Contaminated: test samples that share an entity with training. hardeval: lower is better."
        if lacking:
            note += " A cell is empty if the value is undefined, since mentions of the system overlap."
        header = ["system", *_SHOWN.values()]
        return Exhibit("scores", "Scores of every system on every dataset (%)", header, rows, note=note, strong=1)

    def answers(self) -> list[Exhibit]:
        """Return what became of answers of language models on each dataset, if there are any."""
        header: Sequence[str] = ()
        rows: list[Row] = []
        for dataset, own in self._study.datasets.items():
            table = answer_table(own.scores)
            if table.rows:
                header = table.header
                rows.append((dataset, ()))
                rows += [(self._short[system], cells) for system, cells in table.rows]
        return [Exhibit("answers", "Answers of language models", header, rows)] if rows else []

    # --- contamination --------------------------------------------------------------------------------------------

    def contamination(self) -> Exhibit:
        """Return how much of each test split is in training."""
        rows: list[Row] = []
        for dataset, own in self._study.datasets.items():
            row = own.contamination
            parts = [float(share(row[f"n_{what}_contaminated"], row[f"n_{what}"])) for what in ("mentions", "entities")]
            rates = [row["rate_partial"], row["rate_full"], *parts, row["memorisation_f1"]]
            rows.append((dataset, [row["n_samples"], row["n_mentions"], *rates]))
        header = ["dataset", "samples", "mentions", "partly %", "fully %", "mention%", "entity%", "look-up F1"]
        return Exhibit("contamination", "How much of the test split is in training", header, rows)

    def contaminated_samples(self) -> Exhibit:
        """Return a picture of the test samples by how much of each is in training."""
        rows: list[Row] = []
        for dataset, own in self._study.datasets.items():
            row = own.contamination
            n_clean = row["n_samples"] - row["n_empty"] - row["n_partial"]
            n_partly = row["n_partial"] - row["n_full"]
            rows.append((dataset, [n_clean, n_partly, row["n_full"], row["n_empty"]]))
        parts = ("clean", "partly, not fully", "fully", "without mentions")
        return Exhibit(
            "contaminated-samples", "Test samples", ["dataset", *parts], rows, Kind.STACK, colours=CONTAMINATION
        )

    # --- attributes -----------------------------------------------------------------------------------------------

    def model_wise(self) -> list[Exhibit]:
        """Return Spearman, standard deviation and Friedman's test for each system and attribute."""
        ranked = self._study.model_wise
        spearman: list[Row] = []
        std: list[Row] = []
        tests: list[Row] = []
        for system in self._systems:
            own = ranked[system]
            name = self._short[system]
            having = [scores[system] for scores in self._study.scores.values() if system in scores]
            f1 = mean_of([of["exact_f1"]["f1"] for of in having])
            about: list[Cell] = [len(having), f1]
            signed = [Measured(own[at]["spearman"], is_difference=True) for at in self._attributes]
            spearman.append((name, [*about, *signed]))
            std.append((name, [own[at]["std"] for at in self._attributes]))
            tests.append((name, [p_text(own[at]["p_holm"]) for at in self._attributes]))
        note = (
            f"p below {ALPHA}: the buckets of the attribute differ. At least two datasets are needed; p is corrected "
            "for the number of attributes by Holm's method."
        )
        header = ["system", *self._attributes]
        wide = ["system", "datasets", "mean F1", *self._attributes]
        return [
            Exhibit("spearman", "Spearman of F1 with the attribute (%)", wide, spearman),
            Exhibit("std", "Standard deviation of F1 over the buckets (%)", header, std, Kind.HEAT),
            Exhibit("friedman-systems", "Friedman's test over datasets, Holm p", header, tests, note=note),
        ]

    def attribute_wise(self) -> list[Exhibit]:
        """Return zeta and rho of each dataset, drawn and in numbers, and Friedman's test."""
        by_attribute = self._study.attribute_wise
        datasets = list(self._study.datasets)
        header = ["attribute", *(self._dataset[name] for name in datasets)]
        shares: list[Row] = []
        rho: list[Row] = []
        zetas: list[Row] = []
        tests: list[Row] = []
        for at in self._attributes:
            rows = [by_attribute[dataset][at] for dataset in datasets]
            largest = max((known(row["zeta"]) for row in rows), default=math.nan)
            title = f"{attribute_title(at)} ({at})"
            parts = [row["zeta"] / largest if largest else math.nan for row in rows]
            shares.append((at, [Measured(part) for part in parts]))
            rho.append((at, [Measured(row["rho"]) for row in rows]))
            zetas.append((title, [_mean_text(row["zeta"]) for row in rows]))
            tests.append((title, [p_text(row["p_holm"]) for row in rows]))
        axes = ("attribute", "% of the largest zeta"), ("attribute", "rho (%)")
        return [
            Exhibit("zeta", "Zeta, as a share of the largest", header, shares, Kind.POINTS, axes=axes[0]),
            Exhibit("rho", "Rho, how much the attribute matters", header, rho, Kind.POINTS, axes=axes[1]),
            Exhibit("zeta-table", "Zeta: the mean of the attribute over the gold mentions", header, zetas),
            Exhibit("friedman-datasets", "Friedman's test over systems, Holm p", header, tests),
        ]

    # --- diagnosis ------------------------------------------------------------------------------------------------

    def self_diagnosis(self) -> list[Exhibit]:
        """Return by how much the best bucket of each system differs from its worst over all datasets, and which."""
        diagnosis = self._study.self_diagnosis
        gaps: list[Row] = []
        places: list[Row] = []
        for system in self._systems:
            own = [diagnosis[system][at] for at in self._attributes]
            gaps.append((self._short[system], [row["gap"] for row in own]))
            places.append((self._short[system], [_best_and_worst(row) for row in own]))
        header = ["system", *self._attributes]
        note = (
            f"Only places that have {self._study.min_count} gold mentions or more on every dataset of the system are "
            f"compared. * means that the two places differ by Wilcoxon's test over the datasets (p below {ALPHA}, "
            "corrected for the attributes). The places are chosen by the same data, so that p is rather too small; "
            "with fewer than six datasets it cannot be below 0.05."
        )
        title = "F1 of the best place minus that of the worst, the mean over datasets (%)"
        return [
            Exhibit("gaps", title, header, gaps, Kind.HEAT),
            Exhibit("places", "Best and worst place", header, places, note=note),
        ]

    def gaps_of_datasets(self) -> list[Exhibit]:
        """Return a table for each dataset of the buckets in which each system is best and worst."""
        tables = []
        for i, dataset in enumerate(self._study.datasets):
            rows: list[Row] = []
            for system in self._order(dataset):
                own = self._study.self_diagnosis[system]
                gaps = {at: own[at]["datasets"][dataset] for at in self._attributes if dataset in own[at]["datasets"]}
                if gaps:
                    rows.append((self._short[system], ()))
                for at, gap in gaps.items():
                    clear = {True: "yes", False: "no", None: ""}[gap.get("clear")]
                    rows.append((at, [gap["best"], gap["worst"], gap["gap"], clear]))
            header = ["attribute", "best bucket", "worst bucket", "gap %", "clear"]
            note = (
                f"Only buckets with {self._study.min_count} gold mentions or more are compared. A gap is clear if the "
                "intervals of the two buckets do not overlap."
            )
            if rows:
                tables.append(Exhibit(f"gaps-{i + 1}", dataset, header, rows, note=note, folded=True))
        return tables

    def _compared(self) -> list[tuple[str, str]]:
        """Return the pairs of systems that are shown, the better system first: all pairs, unless they are many.

        Of many pairs, those of one system with the others are shown, with that system first: the system that shares a
        dataset with the most others, and of several such systems the one with the highest rank.
        """
        over_all = [row for row in self._study.comparative_diagnosis if row["attribute"] == "all"]
        pairs = [(row["a"], row["b"]) for row in over_all if row["n"]]
        if len(pairs) > _MOST_PAIRS:
            met = {name: sum(name in pair for pair in pairs) for name in self._systems}
            best = max(self._systems, key=lambda name: met[name])
            pairs = [pair for pair in pairs if best in pair]
            return [(best, b if a == best else a) for a, b in pairs]
        place = {name: i for i, name in enumerate(self._systems)}
        return [(a, b) if place[a] < place[b] else (b, a) for a, b in pairs]

    def _pair(self, a: str, b: str) -> tuple[int, dict[str, Mapping[str, Any]]]:
        """Return the rows of a pair by attribute, and a sign: -1 if the rows have the pair the other way round."""
        forth: dict[str, Mapping[str, Any]] = {}
        back: dict[str, Mapping[str, Any]] = {}
        for row in self._study.comparative_diagnosis:
            if (row["a"], row["b"]) == (a, b):
                forth[row["attribute"]] = row
            elif (row["a"], row["b"]) == (b, a):
                back[row["attribute"]] = row
        return (1, forth) if forth else (-1, back)

    def comparative_diagnosis(self) -> list[Exhibit]:
        """Return by how much one system is ahead of another over the buckets, and the tests."""
        columns = ["all", *self._attributes]
        ahead: list[Row] = []
        tests: list[Row] = []
        pairs = self._compared()
        if not pairs:
            return []
        n_pairs = len({(row["a"], row["b"]) for row in self._study.comparative_diagnosis if row["n"]})
        alone = self._short[pairs[0][0]] if n_pairs > len(pairs) else None
        for a, b in pairs:
            sign, rows = self._pair(a, b)
            name = self._short[b] if alone is not None else f"{self._short[a]} minus {self._short[b]}"
            cells = [Measured(sign * rows[at]["difference"] + 0.0, is_difference=True) for at in columns]
            ahead.append((name, [rows["all"]["n"], *cells]))
            tests.append((name, [p_text(rows[at]["p_holm"]) for at in columns]))
        note = f"p is corrected for {counted(n_pairs, 'pair')} of systems by Holm's method."
        of_pairs = ""
        first = "pair"
        if alone is not None:
            note += f" {len(pairs)} of these are shown, those with {alone}; --json has all."
            of_pairs = f", {alone} minus each other system"
            first = "system"
        title = f"Median difference in F1 over the buckets (%){of_pairs}"
        return [
            Exhibit("ahead", title, [first, "buckets", *columns], ahead),
            Exhibit("wilcoxon", f"Wilcoxon's signed-rank test, Holm p{of_pairs}", [first, *columns], tests, note=note),
        ]

    def leads_of_datasets(self) -> list[Exhibit]:
        """Return a table for each dataset of the buckets in which one system is most ahead of another and behind it."""
        tables = []
        for i, dataset in enumerate(self._study.datasets):
            rows: list[Row] = []
            for a, b in self._compared():
                sign, of_pair = self._pair(a, b)
                own = {at: of_pair[at]["datasets"].get(dataset) for at in self._attributes}
                if any(own.values()):
                    rows.append((f"{self._short[a]} minus {self._short[b]}", ()))
                rows += [(at, _lead(row, sign)) for at, row in own.items() if row]
            header = ["attribute", "most ahead", "by", "most behind", "by"]
            note = f"Only buckets with {self._study.min_count} gold mentions or more are compared."
            if rows:
                tables.append(Exhibit(f"leads-{i + 1}", dataset, header, rows, note=note, folded=True))
        return tables

    # --- ranks ----------------------------------------------------------------------------------------------------

    def ranks(self) -> list[Exhibit]:
        """Return the rank of each system on each dataset by each value, and which systems change places."""
        ranks = self._study.ranks
        tables = []
        datasets = list(self._study.datasets)
        header = ["system", *(self._dataset[name] for name in datasets), "mean"]
        for value, means in ranks["mean_rank"].items():
            ranks_of = {dataset: self._ranks_on(dataset, value) for dataset in datasets}
            rows: list[Row] = []
            for system in sorted(means, key=lambda name: (means[name], name)):
                own = [ranks_of[dataset].get(system, "-") for dataset in datasets]
                rows.append((self._short[system], [*own, f"{means[system]:.2f}"]))
            title = f"Ranks by {ranked_title(value)}, 1 is best"
            note = _SAME[ranks["same_on_every_dataset"][value]].format(ranked_title(value))
            tables.append(Exhibit(f"ranks-{value}", title, header, rows, note=note))
        between = [(row, row["first"], row["second"], row["value"]) for row in ranks["between"]]
        memory = []
        for dataset, own in ranks["datasets"].items():
            memory += [(row, dataset, "", row["second"]) for row in own["changes"] if row["first"] == "f1"]
        tables += self._changes("between", "Changes of order from one dataset to another", between)
        tables += self._changes("memory", "Changes of order from F1 to values without memory", memory)
        return tables

    def _ranks_on(self, dataset: str, value: str) -> dict[str, str]:
        """Return the rank of each system on a dataset by a value, 1 for the best; equal values share a rank."""
        values = {}
        for system, scores in self._study.datasets[dataset].scores.items():
            for score in scores.values():
                if score.record.ranked == value and not math.isnan(score[value]):
                    sign = -1 if score.record.lower_is_better else 1
                    values[system] = sign * score[value]
        return {name: str(1 + sum(other > own for other in values.values())) for name, own in values.items()}

    def _changes(
        self, slug: str, title: str, changes: Sequence[tuple[Mapping[str, Any], str, str, str]]
    ) -> list[Exhibit]:
        """Return a table with a row for each two orders of systems: how similar they are, and who changes places.

        Args:
            slug: the name of the table in files and links.
            title: its title.
            changes: for each row, the change as ``Study.ranks`` has it, a dataset, a second dataset or "", and the
                value that the second order is by.
        """
        rows: list[Row] = []
        for change, first, second, value in changes:
            if change["n_systems"] > 1:
                name = f"{self._dataset[first]} and {self._dataset[second]}" if second else first
                tau = "-"
                if not math.isnan(known(change["tau"])):
                    tau = f"{change['tau']:.2f}"
                swaps = ["/".join(self._short[system] for system in pair) for pair in change["swaps"]]
                if len(swaps) > _MOST_SWAPS:
                    swaps[_MOST_SWAPS - 1 :] = [f"{len(swaps) - _MOST_SWAPS + 1} more"]
                cells: list[Cell] = [ranked_title(value), tau, len(change["swaps"]), ", ".join(swaps)]
                rows.append((name, cells))
        header = ["datasets" if slug == "between" else "dataset", "order by", "Kendall's tau", "swaps", "which"]
        return [Exhibit(slug, title, header, rows)] if rows else []


_SAME = {
    True: "By {}, no two systems change places from one dataset to another.",
    False: "By {}, systems change places from one dataset to another.",
    None: "By {}, no two datasets have two systems in common.",
}
"""A sentence on whether the order of the systems is the same on every dataset; None if that cannot be said."""


def _by_heading(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Return the rows under each heading, which is a row without cells."""
    groups: list[tuple[str, list[Row]]] = []
    for name, cells in rows:
        if cells:
            groups[-1][1].append((name, cells))
        else:
            groups.append((name, []))
    return groups


def _or_lowest(value: float) -> float:
    """Return a value, or one that is lower than all if it is undefined."""
    return -math.inf if math.isnan(value) else value


def _percent(fraction: float) -> str:
    """Return a fraction in percent with one digit; a dash if it is undefined."""
    return "-" if math.isnan(fraction) else f"{100 * fraction:.1f}"


def _mean_text(value: float) -> str:
    """Return the mean of an attribute, which may be a length or a share of training, with about four digits."""
    if math.isnan(value):
        return "-"
    return f"{value:.4g}" if value >= 0.1 or not value else f"{value:.6f}"


def _value(scores: Mapping[str, Score], metric: str, name: str) -> Cell:
    """Return a value with its interval; None if the metric is undefined for the system."""
    if metric not in scores:
        return None
    return measured_in(scores, metric, name)


def _best_and_worst(row: Mapping[str, Any]) -> str:
    """Return the best place and the worst, with a star if the test says that they differ."""
    if row["best"] is None:
        return "-"
    return f"{row['best']}, {row['worst']}{'*' if row['p_holm'] < ALPHA else ''}"


def _lead(row: Mapping[str, Any], sign: int) -> Sequence[Cell]:
    """Return where the first system of a pair is most ahead, by how much, where it is most behind, and by how much.

    Args:
        row: the differences of a pair on one dataset.
        sign: -1 if the row has the pair the other way round.
    """
    ends = [(row["ahead"], row["lead"]), (row["behind"], row["lag"])][::sign]
    return [cell for name, gap in ends for cell in (name, Measured(sign * gap, is_difference=True))]
