"""The counts of a score over answers of language models: not understood, invented, and of uncertain place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from ..core.answer_report import AnswerReport, Open, OpenRun
from ..core.corpus import Mentions
from .alignment import Aligner
from .answer_readings import Ways, highest_f1, lowest_f1, ways_of_runs


class Range(NamedTuple):
    """Mentions of uncertain place, and how many mentions are right at the worst and at the best of their places."""

    n_ambiguous: int
    """The number of mentions of uncertain place, with those that may be one name or several."""
    lowest: int
    """How many mentions are right at least, but for those that may be one name or several."""
    highest: int
    """How many mentions are right at most, but for those that may be one name or several."""

    def plus(self, other: Range) -> Range:
        """Return the range of two shards together.

        Args:
            other: the range of the other shard.
        """
        return Range(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True)
class AnswerSums:
    """Counts over answers. Those of shards add up."""

    how: str
    """How the answers were read and placed, as the signature states it."""
    n_samples: int
    """The number of samples."""
    n_unparsed: int
    """Answers that were not understood."""
    n_empty: int
    """Answers that name no mention."""
    n_invented: int
    """Mentions that are not in the text."""
    n_out_of_order: int
    """Answers whose mentions do not keep the order of the text."""
    n_gold: int
    """Gold mentions."""
    n_pred: int
    """Predicted mentions, with the invented ones."""
    by_order: Range
    """The range if the mentions of an answer keep the order of the text."""
    by_name: Range
    """The range if their order tells nothing."""
    n_of_type: Mapping[str, int]
    """The number of predictions of each type."""
    n_ignored: Mapping[str, int]
    """Mentions of types that gold lacks, which were left out on request, by type."""
    n_unread: int = 0
    """Items that were not understood, in answers that were understood otherwise."""
    n_exact: int = 0
    """Predictions that are right as the answers were read and placed."""
    runs: Mapping[Ways, int] = field(default_factory=dict)
    """Words that may be one name or several: what the ways to read them are worth, and how often that comes."""

    @classmethod
    def of(cls, gold: Mentions, pred: Mentions) -> AnswerSums | None:
        """Return the counts of predictions that are answers; None for other predictions.

        Args:
            gold: the gold mentions.
            pred: the predicted mentions.
        """
        report = pred.answers
        if report is None:
            return None
        n_exact = len(Aligner(gold, pred).exact_gold)
        right = _placed(gold, report)
        placed = _placed(pred, report)
        with_runs = {run.sample for run in report.runs}
        n_elsewhere = n_exact - sum(place[0] in with_runs for place in right & placed)
        n_of_type = Counter(pred.labels[label] for label in pred.label.tolist()) + report.invented_types()
        return cls(
            how=report.how,
            n_samples=gold.n_samples,
            n_unparsed=len(report.unparsed),
            n_empty=len(report.empty),
            n_invented=len(report.invented),
            n_out_of_order=len(report.out_of_order),
            n_gold=len(gold),
            n_pred=len(pred) + len(report.invented),
            by_order=_range(report.by_order, report.runs, right, placed, n_elsewhere),
            by_name=_range(report.by_name, report.runs, right, placed, n_elsewhere),
            n_of_type=dict(n_of_type),
            n_ignored=dict(Counter(claim.label for claim in report.ignored)),
            n_unread=len(report.unread),
            n_exact=n_exact,
            runs=ways_of_runs(report, right),
        )

    def __add__(self, other: AnswerSums) -> AnswerSums:
        joined: dict[str, Any] = {}
        for one in fields(self):
            ours, theirs = getattr(self, one.name), getattr(other, one.name)
            if isinstance(ours, Mapping):
                joined[one.name] = dict(Counter(ours) + Counter(theirs))
            elif isinstance(ours, Range):
                joined[one.name] = ours.plus(theirs)
            elif isinstance(ours, str):
                joined[one.name] = "+".join(dict.fromkeys([*ours.split("+"), *theirs.split("+")]))
            else:
                joined[one.name] = ours + theirs
        return AnswerSums(**joined)

    def values(self) -> dict[str, Any]:
        """Return the counts, and the lowest and the highest exact F1 over what answers leave open.

        These are the places of mentions, and whether some words are one name or several. If an answer does not keep the
        order of the text, order is taken to tell nothing in any answer.
        """
        bounds = self.by_name if self.n_out_of_order else self.by_order
        total = self.n_gold + self.n_pred
        f1 = 2 * self.n_exact / total if total else 0.0
        return {
            "n_unparsed": self.n_unparsed,
            "n_empty": self.n_empty,
            "n_invented": self.n_invented,
            "n_ambiguous": bounds.n_ambiguous,
            "f1_lowest": min(f1, lowest_f1(bounds.lowest, total, self.runs)),
            "f1_highest": max(f1, highest_f1(bounds.highest, total, self.runs)),
        }

    def notices(self, gold_types: Collection[str]) -> list[str]:
        """Return a notice for each thing that a reader of the score must know.

        Args:
            gold_types: the types that gold has.
        """
        notices = []
        if self.n_unparsed:
            notices.append(
                f"{self.n_unparsed} of {self.n_samples} answers were not understood (n_unparsed): of these samples "
                "nothing is predicted."
            )
        if self.n_unread:
            notices.append(f"{self.n_unread} items of other answers were not understood and are left out.")
        unknown = {name: n for name, n in self.n_of_type.items() if name not in gold_types}
        if unknown:
            notices.append(
                f"answers have types that gold does not have: {_counted(unknown)}. They count as wrong; give --map for "
                "other names of gold's types, or --ignore-types to leave them out."
            )
        if self.n_ignored:
            notices.append(f"mentions of types that gold does not have are left out: {_counted(self.n_ignored)}.")
        return notices


def _counted(names: Mapping[str, int], most: int = 12) -> str:
    """Return names with their counts for a notice, such as ``Person 12, Date 3``, the most frequent first."""
    ordered = sorted(names.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{name!s:.40} {n}" for name, n in ordered[:most])
    return shown + (f" and {len(ordered) - most} more" if len(ordered) > most else "")


_Places = set[tuple[int, int, int, str]]
"""The sample, the start, the end and the type of mentions."""


def _placed(mentions: Mentions, report: AnswerReport) -> _Places:
    """Return the mentions in those samples in which some place is uncertain."""
    samples = {group.sample for group in (*report.by_order, *report.by_name)} | {run.sample for run in report.runs}
    if not samples:
        return set()
    columns = (column.tolist() for column in (mentions.sample, mentions.start, mentions.end, mentions.label))
    rows = zip(*columns, strict=True)
    return {(sample, start, end, mentions.labels[code]) for sample, start, end, code in rows if sample in samples}


def _range(groups: Iterable[Open], runs: Sequence[OpenRun], right: _Places, placed: _Places, n_elsewhere: int) -> Range:
    """Return how many mentions are right if uncertain places are chosen for the worst, and for the best.

    Of n mentions among p places, g of which are right, at least n + g - p are right and at most min(n, g).

    Args:
        groups: mentions of uncertain place; of samples with runs, all mentions that are in none.
        runs: words that may be one name or several.
        right: the gold mentions of these samples.
        placed: the predictions for these samples.
        n_elsewhere: how many predictions are right in samples without runs.
    """
    with_runs = {run.sample for run in runs}
    n_ambiguous = sum(run.n for run in runs)
    lowest = highest = n_elsewhere
    for group in groups:
        n_ambiguous += group.n if group.n < len(group.places) else 0
        there = {(group.sample, start, end, group.label) for start, end in group.places} & right
        n_right = 0 if group.sample in with_runs else min(len(there & placed), group.n)
        at_least = max(0, min(group.n, len(group.places)) + len(there) - len(group.places))
        at_most = min(group.n, len(there))
        if group.sample not in with_runs:
            at_least, at_most = min(at_least, n_right), max(at_most, n_right)
        lowest += at_least - n_right
        highest += at_most - n_right
    return Range(n_ambiguous, lowest, highest)
