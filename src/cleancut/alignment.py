"""One alignment of gold and predicted mentions, of which every span score is a masked sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .spans import Mentions, ranges

Index = NDArray[np.int64]


class Match(StrEnum):
    """When a predicted mention of the right type earns partial credit for a gold one."""

    EXACT = "exact"
    LEFT = "left"
    RIGHT = "right"
    OVERLAP = "overlap"


class Alignment(NamedTuple):
    """One-to-one pairs of mentions, as indices; ``exact`` says which agree in span and type."""

    gold: Index
    pred: Index
    exact: NDArray[np.bool_]


class Aligner:
    """Gold and predicted mentions on common coordinates, exact pairs found; aligns in any mode.

    Exact pairs come first in every mode, else an overlap could take a gold mention from its exact match.
    The rest is matched one-to-one by a rule that sees only sorted mentions, so that the order in which
    predictions were listed never matters. Where mentions nest or several overlap, the matching is a maximum one.
    """

    def __init__(self, gold: Mentions, pred: Mentions) -> None:
        self.labels = tuple(sorted(set(gold.labels) | set(pred.labels)))
        rank = {name: r for r, name in enumerate(self.labels)}
        self.gold, self.pred = gold, pred
        self.gold_label, self.pred_label = (
            np.array([rank[name] for name in side.labels] or [0], np.int64)[side.label] for side in (gold, pred)
        )
        self._width = 1 + max(int(side.end.max(initial=0)) for side in (gold, pred))
        self.exact_gold, self.exact_pred = self._exact_pairs()

    def left_over(self) -> tuple[Index, Index]:
        """The gold and the predicted mentions that have no exact match."""
        left = []
        for side, taken in ((self.gold, self.exact_gold), (self.pred, self.exact_pred)):
            free = np.ones(len(side), bool)
            free[taken] = False
            left.append(np.flatnonzero(free))
        return left[0], left[1]

    def align(self, mode: Match) -> Alignment:
        """The pairs that earn credit under ``mode``."""
        if mode is Match.EXACT:
            return Alignment(self.exact_gold, self.exact_pred, np.ones(len(self.exact_gold), bool))
        left_gold, left_pred = self.left_over()
        gold_start, gold_end = self._ends(self.gold, self.gold_label, left_gold)
        pred_start, pred_end = self._ends(self.pred, self.pred_label, left_pred)
        if mode is Match.LEFT:
            g, p = _pairs_by_key(gold_start, pred_start)
        elif mode is Match.RIGHT:
            g, p = _pairs_by_key(gold_end, pred_end)
        else:
            g, p = _maximum_matching(*_overlapping(gold_start, gold_end, pred_start, pred_end))
        exact = np.repeat([True, False], [len(self.exact_gold), len(g)])
        gold, pred = np.append(self.exact_gold, left_gold[g]), np.append(self.exact_pred, left_pred[p])
        order = np.argsort(gold, kind="stable")
        return Alignment(gold[order], pred[order], exact[order])

    def same_span(self) -> tuple[Index, Index]:
        """Pairs of mentions that are left over, have the same span and differ in type."""
        left_gold, left_pred = self.left_over()
        spans = [
            (side.sample[left].astype(np.int64) * self._width + side.start[left]) * self._width + side.end[left]
            for side, left in ((self.gold, left_gold), (self.pred, left_pred))
        ]
        g, p = _pairs_by_key(*spans)
        return left_gold[g], left_pred[p]

    def _ends(self, side: Mentions, label: NDArray, chosen: Index) -> tuple[Index, Index]:
        """Start and end on one long line, on which mentions of other samples or types never touch."""
        line = (label[chosen] * side.n_samples + side.sample[chosen]) * self._width
        return line + side.start[chosen], line + side.end[chosen]

    def _exact_pairs(self) -> tuple[Index, Index]:
        # each side is sorted and has no key twice: a stable sort merges them, and equal neighbours are a pair
        keys = np.concatenate(self._exact_keys())
        order = np.argsort(keys, kind="stable")
        merged = keys[order]
        first = np.flatnonzero(merged[1:] == merged[:-1])
        return order[first], order[first + 1] - len(self.gold)

    def _exact_keys(self) -> tuple[Index, Index]:
        """One sorted number for each mention, equal where sample, span and type are."""
        widest = 1 + max(int((side.end - side.start).max(initial=0)) for side in (self.gold, self.pred))
        sides = (self.gold, self.gold_label), (self.pred, self.pred_label)
        if self.gold.n_samples * self._width * widest * max(len(self.labels), 1) < 2**62:
            gold, pred = (
                ((side.sample.astype(np.int64) * self._width + side.start) * widest + (side.end - side.start))
                * len(self.labels) + label
                for side, label in sides
            )  # fmt: skip
            return gold, pred
        rows = np.concatenate([np.stack([s.sample, s.start, s.end, label], axis=1) for s, label in sides])
        _, key = np.unique(rows, axis=0, return_inverse=True)
        return key[: len(self.gold)], key[len(self.gold) :]


def _pairs_by_key(gold: Index, pred: Index) -> tuple[Index, Index]:
    """Pair the first with the first of each key, the second with the second, and so on."""
    order_gold, nth_gold = _nth_of_its_key(gold)
    order_pred, nth_pred = _nth_of_its_key(pred)
    most = 1 + max(int(nth_gold.max(initial=0)), int(nth_pred.max(initial=0)))
    _, g, p = np.intersect1d(
        gold[order_gold] * most + nth_gold, pred[order_pred] * most + nth_pred, assume_unique=True, return_indices=True
    )
    return order_gold[g], order_pred[p]


def _nth_of_its_key(key: Index) -> tuple[Index, Index]:
    order = np.argsort(key, kind="stable")
    return order, np.arange(len(key)) - np.searchsorted(key[order], key[order])


def _overlapping(gold_start: Index, gold_end: Index, pred_start: Index, pred_end: Index) -> tuple[Index, Index]:
    """All pairs that share a token, in order of gold mention."""
    order = np.argsort(pred_start, kind="stable")
    furthest = np.maximum.accumulate(pred_end[order])
    low = np.searchsorted(furthest, gold_start, side="right")
    high = np.searchsorted(pred_start[order], gold_end, side="left")
    sizes = np.maximum(high - low, 0)
    gold, pred = np.repeat(np.arange(len(gold_start)), sizes), order[ranges(low, sizes)]
    shared = pred_end[pred] > gold_start[gold]  # a nested prediction in the range may end before
    return gold[shared], pred[shared]


def _maximum_matching(gold: Index, pred: Index) -> tuple[Index, Index]:
    """A one-to-one choice of as many of the pairs as possible."""
    lonely = (np.bincount(gold)[gold] == 1) & (np.bincount(pred)[pred] == 1)
    edges: dict[int, list[int]] = {}
    for g, p in zip(gold[~lonely].tolist(), pred[~lonely].tolist(), strict=True):
        edges.setdefault(g, []).append(p)
    chosen = _augment(edges)
    return (
        np.append(gold[lonely], np.array(list(chosen), np.int64)),
        np.append(pred[lonely], np.array(list(chosen.values()), np.int64)),
    )


def _augment(edges: Mapping[int, list[int]]) -> dict[int, int]:
    """Maximum bipartite matching by breadth-first augmenting paths; partner of each matched key."""
    partner: dict[int, int] = {}
    owner: dict[int, int] = {}
    for root in edges:
        reached_from: dict[int, int] = {}
        frontier, free = [root], None
        while frontier and free is None:
            following = []
            for u in frontier:
                for v in edges[u]:
                    if v in reached_from:
                        continue
                    reached_from[v] = u
                    if v not in owner:
                        free = v
                        break
                    following.append(owner[v])
                if free is not None:
                    break
            frontier = following
        while free is not None:
            u = reached_from[free]
            owner[free], previous = u, partner.get(u)
            partner[u] = free
            free = previous
    return partner


@dataclass(frozen=True)
class Counts:
    """Sums over mentions, by type: they add up over shards, and every score is derived from them."""

    by_type: Mapping[str, Mapping[str, int]]
    """``{"PER": {"n_gold": 3, "n_pred": 2, "n_exact": 1}}``"""
    columns: tuple[str, ...]

    @classmethod
    def of(cls, labels: tuple[str, ...], columns: Mapping[str, NDArray[np.integer]]) -> Counts:
        """Count the labels of each column."""
        return cls.of_table(labels, {k: np.bincount(label, minlength=len(labels)) for k, label in columns.items()})

    @classmethod
    def of_table(cls, labels: tuple[str, ...], columns: Mapping[str, NDArray[np.integer]]) -> Counts:
        """Counts that are summed by type already: one number for each label in each column."""
        rows = {name: column.tolist() for name, column in columns.items()}
        by_type = {name: {column: rows[column][i] for column in columns} for i, name in enumerate(labels)}
        return cls(by_type, tuple(columns))

    def __add__(self, other: Counts) -> Counts:
        if self.columns != other.columns:
            raise TypeError("counts of different scores do not add up")
        types = sorted(set(self.by_type) | set(other.by_type))
        none = dict.fromkeys(self.columns, 0)
        rows = ((self.by_type.get(t, none), other.by_type.get(t, none)) for t in types)
        by_type = {t: {c: a[c] + b[c] for c in self.columns} for t, (a, b) in zip(types, rows, strict=True)}
        return Counts(by_type, self.columns)

    def __or__(self, other: Counts) -> Counts:
        """Further columns beside these."""
        here, there = dict.fromkeys(self.columns, 0), dict.fromkeys(other.columns, 0)
        types = sorted(set(self.by_type) | set(other.by_type))
        by_type = {t: {**self.by_type.get(t, here), **other.by_type.get(t, there)} for t in types}
        return Counts(by_type, self.columns + other.columns)

    def total(self) -> dict[str, int]:
        """The sums over all types."""
        return {column: sum(row[column] for row in self.by_type.values()) for column in self.columns}
