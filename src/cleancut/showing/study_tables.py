"""The tables of a study, described once, and the sections of its page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..scoring.buckets import attribute_title
from ..scoring.compare import ALPHA
from ..scoring.over_datasets import mean_of
from ..scoring.score import Score, share
from ..splitting.study import Study
from .exhibit import Cell, Exhibit, Kind, Measured, Row, Section
from .short_names import short_names
from .tables import answer_table, known, measured_in, p_text, ranked_title

_SHOWN = {
    ("exact_f1", "f1"): "F1", ("partial_f1", "f1_overlap"): "F1 overlap", ("clean_f1", "clean_f1"): "clean F1",
    ("clean_f1", "delta_f1"): "delta F1", ("clean_f1", "delta_recall"): "delta R", ("hardeval", "hardeval"): "hardeval",
}  # fmt: skip
"""The values of each system on each dataset, by metric and name, with their titles."""
_MOST_PAIRS = 10
"""Pairs of systems that are shown all; of more, those with one system."""
_MOST_SWAPS = 3
"""Pairs of systems that are named as changing places; of more, the number is told."""
_OPEN = 3
"""Datasets whose figures are open; those of further ones are folded."""


def study_tables(found: Study) -> list[Exhibit]:
    """Return the tables of a study that a terminal and a notebook show; the page has more, for each dataset."""
    shown = _Shown(found)
    tables = [*_not_read(found), shown.scores(), *shown.answers(), shown.contamination()]
    tables += [*shown.model_wise(), *shown.attribute_wise()]
    return [*tables, *shown.self_diagnosis(), *shown.comparative_diagnosis(), *shown.ranks()]


def study_notes(found: Study) -> list[str]:
    """Return what is to be known of the scores of a study, and how they were computed."""
    notes = [f"{name}: {note}" for name, own in found.datasets.items() for note in own.notes]
    every = [score for own in found.scores.values() for scores in own.values() for score in scores.values()]
    signatures = dict.fromkeys(score.signature for score in every)
    of_buckets = dict.fromkeys(one.signature for own in found.buckets.values() for one in own.values())
    return [*notes, *signatures, *of_buckets]


def study_sections(found: Study) -> list[Section]:
    """Return the sections of the page of a study."""
    shown = _Shown(found)
    contamination = shown.contamination()
    sections = [
        Section("not-read", "Not read", "These were left out of everything below.", _not_read(found)),
        Section("scores", "Scores", shown.lead(), [*shown.gaps(), shown.scores(), *shown.answers()]),
        Section("contamination", "Contamination", _CONTAMINATION, [shown.contaminated_samples(), contamination]),
        Section("model-wise", "What matters to a system", _MODEL_WISE, shown.model_wise()),
        Section("attribute-wise", "What matters on a dataset", _ATTRIBUTE_WISE, shown.attribute_wise()),
        Section("self-diagnosis", "Best and worst", _SELF, [*shown.self_diagnosis(), *shown.gaps_of_datasets()]),
        Section("ranks", "Ranks", _RANKS, shown.ranks()),
    ]
    compared = [*shown.comparative_diagnosis(), *shown.leads_of_datasets()]
    if compared:
        sections.insert(-1, Section("comparative-diagnosis", "Ahead and behind", _COMPARATIVE, compared))
    return sections if found.not_read else sections[1:]


_CONTAMINATION = (
    "What of each test split is in training: its samples of which any entity is (partly) or all are (fully), its "
    "mentions and its entities. A look-up of the training mentions, without any model, has the F1 in the last column."
)
_MODEL_WISE = (
    "How much F1 depends on an attribute of the mentions, as a mean over the datasets: Spearman's correlation of F1 "
    "with the order of the buckets (rising, +100; falling, -100), and the standard deviation of F1 over the buckets. "
    "Friedman's test asks whether the buckets differ at all, with the datasets as blocks."
)
_ATTRIBUTE_WISE = (
    "Zeta is the mean of an attribute over the gold mentions of a dataset, and rho the mean of Spearman's correlation "
    "over the systems, without its sign: how much the attribute matters there. Friedman's test has the systems as "
    "blocks."
)
_SELF = (
    "In which buckets of an attribute a system is best and worst. Buckets of different datasets are the same by their "
    "place, from the lowest values (XS) over S and L to the highest (XL)."
)
_COMPARATIVE = (
    "How much one system is ahead of another over the buckets of an attribute, those of all datasets that have both: "
    "the median difference in F1, and Wilcoxon's signed-rank test."
)
_RANKS = (
    "Is the order of the systems the same on every dataset, and after memory is taken out? Kendall's tau is 1 where "
    "two orders are the same, and -1 where one is the other backwards."
)


def _not_read(found: Study) -> list[Exhibit]:
    """Return what could not be used, if anything."""
    rows: list[Row] = [(one.dataset, [one.system or "all", one.reason]) for one in found.not_read]
    return [Exhibit("not-read", "Not read", ["dataset", "system", "reason"], rows)] if rows else []


class _Shown:
    """A study with the names that tables have: without what all names of systems have in common."""

    def __init__(self, found: Study) -> None:
        self._found = found
        self._short = short_names(found.systems)
        self._dataset = short_names(list(found.datasets))
        ranks = found.ranks["mean_rank"].get("f1", {})
        self._systems = sorted(found.systems, key=lambda name: (ranks.get(name, math.inf), name))
        first = next(iter(next(iter(found.buckets.values())).values()))
        self._attributes = list(first)

    # --- scores ---------------------------------------------------------------------------------------------------

    def _order(self, dataset: str) -> list[str]:
        """Return the systems of a dataset, the highest F1 first."""
        scores = self._found.datasets[dataset].scores
        return sorted(scores, key=lambda name: -_or_nothing(scores[name]["exact_f1"]["f1"]))

    def lead(self) -> str:
        """Return the sentences above the scores."""
        parts = []
        for dataset in list(self._found.datasets)[:_OPEN]:
            best = self._order(dataset)[0]
            own = self._found.datasets[dataset].scores[best]
            f1, clean = own["exact_f1"]["f1"], own["clean_f1"]["clean_f1"]
            best_f1 = f"{self._short[best]} has the highest F1, {_percent(f1)}"
            parts.append(f"{dataset}: {best_f1}, and a clean F1 of {_percent(clean)}")
        more = len(self._found.datasets) - _OPEN
        said = "; ".join(parts) + (f"; and {more} more below" if more > 0 else "")
        return (
            "Clean F1 counts the recall of mentions that training has not shown; delta F1 and delta R are what memory "
            f"adds. {said}."
        )

    def gaps(self) -> list[Exhibit]:
        """Return F1 and clean F1 of each dataset, to be drawn."""
        figures = []
        for i, (dataset, own) in enumerate(self._found.datasets.items()):
            rows: list[Row] = []
            for system in self._order(dataset):
                scores = own.scores[system]
                cells = [measured_in(scores, "exact_f1", "f1"), measured_in(scores, "clean_f1", "clean_f1")]
                rows.append((self._short[system], cells))
            looked_up = own.contamination["memorisation_f1"]
            title = f"{dataset}: F1 and clean F1 (%)"
            reference = None if math.isnan(looked_up) else ("look-up", looked_up)
            header = ["system", "F1", "clean F1"]
            figures.append(
                Exhibit(f"gap-{i + 1}", title, header, rows, Kind.GAP, reference=reference, folded=i >= _OPEN)
            )
        return figures

    def scores(self) -> Exhibit:
        """Return every value of every system on every dataset."""
        rows: list[Row] = []
        lacking = False
        for dataset, own in self._found.datasets.items():
            rate = _percent(own.contamination["rate_partial"])
            rows.append((f"{dataset}: {rate}% contaminated", ()))
            for system in self._order(dataset):
                scores = own.scores[system]
                cells = [_value(scores, metric, name) for metric, name in _SHOWN]
                lacking = lacking or None in cells
                rows.append((self._short[system], cells))
        note = "Contaminated: test samples that share an entity with training. hardeval: lower is better."
        if lacking:
            note += " A system without it has mentions that overlap, for which it is undefined."
        header = ["system", *_SHOWN.values()]
        return Exhibit("scores", "Scores of every system on every dataset (%)", header, rows, note=note, strong=1)

    def answers(self) -> list[Exhibit]:
        """Return what became of answers of language models on each dataset, if there are any."""
        header: Sequence[str] = ()
        rows: list[Row] = []
        for dataset, own in self._found.datasets.items():
            table = answer_table(own.scores)
            if table.rows:
                header = table.header
                rows += [(dataset, ()), *((self._short[system], cells) for system, cells in table.rows)]
        return [Exhibit("answers", "Answers of language models", header, rows)] if rows else []

    # --- contamination --------------------------------------------------------------------------------------------

    def contamination(self) -> Exhibit:
        """Return what of each test split is in training."""
        rows: list[Row] = []
        for dataset, own in self._found.datasets.items():
            row = own.contamination
            parts = [float(share(row[f"n_{what}_contaminated"], row[f"n_{what}"])) for what in ("mentions", "entities")]
            rates = [row["rate_partial"], row["rate_full"], *parts, row["memorisation_f1"]]
            rows.append((dataset, [row["n_samples"], row["n_mentions"], *rates]))
        header = ["dataset", "samples", "mentions", "partly %", "fully %", "mentions %", "entities %", "look-up F1"]
        return Exhibit("contamination", "What of the test split is in training", header, rows)

    def contaminated_samples(self) -> Exhibit:
        """Return the test samples by how much of them is in training, to be drawn."""
        rows: list[Row] = []
        for dataset, own in self._found.datasets.items():
            n, empty, some, full = (own.contamination[f"n_{key}"] for key in ("samples", "empty", "partial", "full"))
            rows.append((dataset, [n - empty - some, some - full, full, empty]))
        parts = ("clean", "partly, not fully", "fully", "without mentions")
        return Exhibit("contaminated-samples", "Test samples", ["dataset", *parts], rows, Kind.STACK)

    # --- attributes -----------------------------------------------------------------------------------------------

    def model_wise(self) -> list[Exhibit]:
        """Return Spearman, standard deviation and Friedman's test for each system and attribute."""
        ranked = self._found.model_wise
        spearman, std, tests = list[Row](), list[Row](), list[Row]()
        for system in self._systems:
            own, name = ranked[system], self._short[system]
            having = [scores[system] for scores in self._found.scores.values() if system in scores]
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
        found, datasets = self._found.attribute_wise, list(self._found.datasets)
        header = ["attribute", *(self._dataset[name] for name in datasets)]
        shares, rho, zetas, tests = list[Row](), list[Row](), list[Row](), list[Row]()
        for at in self._attributes:
            rows = [found[dataset][at] for dataset in datasets]
            largest = max((known(row["zeta"]) for row in rows), default=math.nan)
            title = f"{attribute_title(at)} ({at})"
            shares.append((at, [Measured(row["zeta"] / largest if largest else math.nan) for row in rows]))
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
        """Return in which bucket each system is best and worst over all datasets, and by how much."""
        found = self._found.self_diagnosis
        gaps, places = list[Row](), list[Row]()
        for system in self._systems:
            own = [found[system][at] for at in self._attributes]
            gaps.append((self._short[system], [row["gap"] for row in own]))
            places.append((self._short[system], [_places(row) for row in own]))
        header, least = ["system", *self._attributes], self._found.min_count
        note = (
            f"Of places that have {least} gold mentions or more on every dataset of the system. * differs by "
            f"Wilcoxon's test over the datasets (p below {ALPHA}, corrected for the attributes). The places are chosen "
            "by the same data, so that p is rather too small; of fewer than six datasets it cannot be below 0.05."
        )
        title = "F1 of the best place minus that of the worst, the mean over datasets (%)"
        return [
            Exhibit("gaps", title, header, gaps, Kind.HEAT),
            Exhibit("places", "Best and worst place", header, places, note=note),
        ]

    def gaps_of_datasets(self) -> list[Exhibit]:
        """Return in which bucket each system is best and worst on each dataset, a table each."""
        tables = []
        for i, dataset in enumerate(self._found.datasets):
            rows: list[Row] = []
            for system in self._order(dataset):
                own = self._found.self_diagnosis[system]
                gaps = {at: own[at]["datasets"][dataset] for at in self._attributes if dataset in own[at]["datasets"]}
                if gaps:
                    rows.append((self._short[system], ()))
                for at, gap in gaps.items():
                    clear = {True: "yes", False: "no", None: ""}[gap.get("clear")]
                    rows.append((at, [gap["best"], gap["worst"], gap["gap"], clear]))
            header = ["attribute", "best bucket", "worst bucket", "gap %", "clear"]
            note = (
                f"Of buckets with {self._found.min_count} gold mentions or more; clear: their intervals do not overlap."
            )
            if rows:
                tables.append(Exhibit(f"gaps-{i + 1}", dataset, header, rows, note=note, folded=True))
        return tables

    def _compared(self) -> list[tuple[str, str]]:
        """Return the pairs of systems that are shown: all, or of many those with one system, the best of most.

        It is the system that shares a dataset with the most others, and of these the one with the highest rank.
        """
        rows = [row for row in self._found.comparative_diagnosis if row["attribute"] == "all" and row["n"]]
        pairs = [(row["a"], row["b"]) for row in rows]
        if len(pairs) > _MOST_PAIRS:
            met = {name: sum(name in pair for pair in pairs) for name in self._systems}
            best = max(self._systems, key=lambda name: met[name])
            pairs = [pair for pair in pairs if best in pair]
            return [(best, b if a == best else a) for a, b in pairs]
        place = {name: i for i, name in enumerate(self._systems)}
        return [(a, b) if place[a] < place[b] else (b, a) for a, b in pairs]

    def _pair(self, a: str, b: str) -> tuple[int, dict[str, Mapping[str, Any]]]:
        """Return the rows of a pair by attribute, and -1 where these have the pair the other way round."""
        forth: dict[str, Mapping[str, Any]] = {}
        back: dict[str, Mapping[str, Any]] = {}
        for row in self._found.comparative_diagnosis:
            if (row["a"], row["b"]) == (a, b):
                forth[row["attribute"]] = row
            elif (row["a"], row["b"]) == (b, a):
                back[row["attribute"]] = row
        return (1, forth) if forth else (-1, back)

    def comparative_diagnosis(self) -> list[Exhibit]:
        """Return by how much one system is ahead of another over the buckets, and the tests."""
        columns = ["all", *self._attributes]
        ahead, tests = list[Row](), list[Row]()
        pairs = self._compared()
        if not pairs:
            return []
        n_pairs = len({(row["a"], row["b"]) for row in self._found.comparative_diagnosis if row["n"]})
        alone = self._short[pairs[0][0]] if n_pairs > len(pairs) else None
        for a, b in pairs:
            sign, rows = self._pair(a, b)
            name = self._short[b] if alone is not None else f"{self._short[a]} minus {self._short[b]}"
            cells = [Measured(sign * rows[at]["difference"] + 0.0, is_difference=True) for at in columns]
            ahead.append((name, [rows["all"]["n"], *cells]))
            tests.append((name, [p_text(rows[at]["p_holm"]) for at in columns]))
        note = f"Corrected for {n_pairs} pair{'s' * (n_pairs != 1)} of systems by Holm's method."
        of_pairs, first = "", "pair"
        if alone is not None:
            note += f" {len(pairs)} of these are shown, those with {alone}; --json has all."
            of_pairs, first = f", {alone} minus each other system", "system"
        title = f"Median difference in F1 over the buckets (%){of_pairs}"
        return [
            Exhibit("ahead", title, [first, "buckets", *columns], ahead),
            Exhibit("wilcoxon", f"Wilcoxon's signed-rank test, Holm p{of_pairs}", [first, *columns], tests, note=note),
        ]

    def leads_of_datasets(self) -> list[Exhibit]:
        """Return where one system is most ahead of another and most behind it, a table for each dataset."""
        tables = []
        for i, dataset in enumerate(self._found.datasets):
            rows: list[Row] = []
            for a, b in self._compared():
                sign, of_pair = self._pair(a, b)
                own = {at: of_pair[at]["datasets"].get(dataset) for at in self._attributes}
                if any(own.values()):
                    rows.append((f"{self._short[a]} minus {self._short[b]}", ()))
                rows += [(at, _lead(row, sign)) for at, row in own.items() if row]
            header = ["attribute", "most ahead", "by", "most behind", "by"]
            note = f"Of buckets with {self._found.min_count} gold mentions or more."
            if rows:
                tables.append(Exhibit(f"leads-{i + 1}", dataset, header, rows, note=note, folded=True))
        return tables

    # --- ranks ----------------------------------------------------------------------------------------------------

    def ranks(self) -> list[Exhibit]:
        """Return the place of each system on each dataset by each value, and what changes."""
        ranks, tables = self._found.ranks, []
        datasets = list(self._found.datasets)
        header = ["system", *(self._dataset[name] for name in datasets), "mean"]
        for value, means in ranks["mean_rank"].items():
            places = {dataset: self._places(dataset, value) for dataset in datasets}
            rows: list[Row] = []
            for system in sorted(means, key=lambda name: (means[name], name)):
                own = [places[dataset].get(system, "-") for dataset in datasets]
                rows.append((self._short[system], [*own, f"{means[system]:.2f}"]))
            title = f"Ranks by {ranked_title(value)}, 1 is best"
            note = _SAME[ranks["same_on_every_dataset"][value]].format(ranked_title(value))
            tables.append(Exhibit(f"ranks-{value}", title, header, rows, note=note))
        between = [(row, row["first"], row["second"], row["value"]) for row in ranks["between"]]
        memory = []
        for dataset, own in ranks["datasets"].items():
            memory += [(row, dataset, "", row["second"]) for row in own["changes"] if row["first"] == "f1"]
        titles = "From one dataset to another", "From the order by F1 to others, which are without memory"
        return [*tables, *self._changes("between", titles[0], between), *self._changes("memory", titles[1], memory)]

    def _places(self, dataset: str, value: str) -> dict[str, str]:
        """Return the rank of each system on a dataset; equal values share a rank."""
        values = {}
        for system, scores in self._found.datasets[dataset].scores.items():
            for score in scores.values():
                if score.record.ranked == value and not math.isnan(score[value]):
                    values[system] = (-1 if score.record.lower_is_better else 1) * score[value]
        return {name: str(1 + sum(other > own for other in values.values())) for name, own in values.items()}

    def _changes(
        self, slug: str, title: str, changes: Sequence[tuple[Mapping[str, Any], str, str, str]]
    ) -> list[Exhibit]:
        """Return a row for each change of order, and which systems change places, where these are few.

        Args:
            slug: what the table is called.
            title: its title.
            changes: each with the dataset, or the two, that it is of, and the value of the order that it leads to.
        """
        rows: list[Row] = []
        for change, first, second, value in changes:
            if change["n_systems"] > 1:
                name = f"{self._dataset[first]} and {self._dataset[second]}" if second else first
                tau = "-" if math.isnan(known(change["tau"])) else f"{change['tau']:.2f}"
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


def _or_nothing(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _percent(fraction: float) -> str:
    return "-" if math.isnan(fraction) else f"{100 * fraction:.1f}"


def _mean_text(value: float) -> str:
    """Return the mean of an attribute, which may be a length or a share of training, with about four digits."""
    if math.isnan(value):
        return "-"
    return f"{value:.4g}" if value >= 0.1 or not value else f"{value:.6f}"


def _value(scores: Mapping[str, Score], metric: str, name: str) -> Cell:
    """Return a value with its interval; nothing where the metric is undefined for the system."""
    if metric not in scores:
        return None
    return measured_in(scores, metric, name)


def _places(row: Mapping[str, Any]) -> str:
    """Return the best place and the worst, with a star where they differ."""
    if row["best"] is None:
        return "-"
    return f"{row['best']}, {row['worst']}{'*' if row['p_holm'] < ALPHA else ''}"


def _lead(row: Mapping[str, Any], sign: int) -> Sequence[Cell]:
    """Return where the first system of a pair is most ahead and most behind; -1 where the row is of the other way."""
    ends = [(row["ahead"], row["lead"]), (row["behind"], row["lag"])][::sign]
    return [cell for name, gap in ends for cell in (name, Measured(sign * gap, is_difference=True))]
