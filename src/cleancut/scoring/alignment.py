"""One alignment of gold and predicted mentions. Every span score is a masked sum over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, assert_never

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import ranges
from ..core.corpus import Mentions

Index = NDArray[np.int64]
"""An array of positions."""

WHOLE = 5354228880
"""The number that stands for 1 where intersections over unions are summed, so that sums of shards are exact.

It is the least common multiple of 1 to 24. So the share is exact for unions of up to 24 tokens, else to 1e-10.
"""


class Match(StrEnum):
    """The condition under which a predicted mention of the right type earns credit for a gold one."""

    shared: str
    """What the two mentions share, in words."""

    def __new__(cls, name: str, shared: str) -> Match:
        """Return a mode that also knows what the two mentions share."""
        mode = str.__new__(cls, name)
        mode._value_, mode.shared = name, shared
        return mode

    EXACT = "exact", "both ends"
    LEFT = "left", "the start"
    RIGHT = "right", "the end"
    OVERLAP = "overlap", "a token"


class Alignment(NamedTuple):
    """One-to-one pairs of a gold and a predicted mention, as positions."""

    gold: Index
    """The gold mention of each pair."""
    pred: Index
    """The predicted mention of each pair."""
    exact: NDArray[np.bool_]
    """Whether the two agree in span and type."""


class Aligner:
    """Gold and predicted mentions of the same samples, whose exact pairs are known; it aligns them in any mode.

    Exact pairs come first in every mode, since an overlap could otherwise take a gold mention from its exact match. The
    rest is matched one-to-one by rules that see sorted mentions only, so the order of the predictions never matters.
    Where mentions nest, or several overlap, the matching is a maximum one.

    Args:
        gold: the gold mentions.
        pred: the predicted mentions.
    """

    def __init__(self, gold: Mentions, pred: Mentions) -> None:
        invented = pred.answers.invented if pred.answers is not None else ()
        self.labels = tuple(sorted({*gold.labels, *pred.labels, *(claim.label for claim in invented)}))
        rank = {name: position for position, name in enumerate(self.labels)}
        self.gold = gold
        self.pred = pred
        self.gold_label = np.array([rank[name] for name in gold.labels] or [0], np.int64)[gold.label]
        self.pred_label = np.array([rank[name] for name in pred.labels] or [0], np.int64)[pred.label]
        # Mentions that a model invented count as predictions, but are nowhere in the text and match nothing.
        self.all_pred_label = np.append(self.pred_label, np.array([rank[claim.label] for claim in invented], np.int64))
        self.all_pred_sample = np.append(pred.sample, np.array([claim.sample for claim in invented], np.int32))
        self._width = 1 + max(int(side.end.max(initial=0)) for side in (gold, pred))
        self.exact_gold, self.exact_pred = self._exact_pairs()

    def left_over(self) -> tuple[Index, Index]:
        """Return the gold and the predicted mentions that have no exact match."""
        left = []
        for side, taken in ((self.gold, self.exact_gold), (self.pred, self.exact_pred)):
            free = np.ones(len(side), bool)
            free[taken] = False
            left.append(np.flatnonzero(free))
        return left[0], left[1]

    def align(self, mode: Match) -> Alignment:
        """Return the pairs that earn credit in a mode.

        Args:
            mode: what the two mentions must share.
        """
        if mode is Match.EXACT:
            return Alignment(self.exact_gold, self.exact_pred, np.ones(len(self.exact_gold), bool))
        left_gold, left_pred = self.left_over()
        gold_start, gold_end = _ends(self.gold, left_gold, self._width, self.gold_label)
        pred_start, pred_end = _ends(self.pred, left_pred, self._width, self.pred_label)
        if mode is Match.LEFT:
            g, p = _pairs_by_key(gold_start, pred_start)
        elif mode is Match.RIGHT:
            g, p = _pairs_by_key(gold_end, pred_end)
        elif mode is Match.OVERLAP:
            g, p = _maximum_matching(*_overlapping(gold_start, gold_end, pred_start, pred_end))
        else:
            assert_never(mode)
        exact = np.repeat([True, False], [len(self.exact_gold), len(g)])
        gold = np.append(self.exact_gold, left_gold[g])
        pred = np.append(self.exact_pred, left_pred[p])
        order = np.argsort(gold, kind="stable")
        return Alignment(gold[order], pred[order], exact[order])

    def same_span(self) -> tuple[Index, Index]:
        """Return the pairs without an exact match that have the same span and different types."""
        left_gold, left_pred = self.left_over()
        spans = [
            (side.sample[left].astype(np.int64) * self._width + side.start[left]) * self._width + side.end[left]
            for side, left in ((self.gold, left_gold), (self.pred, left_pred))
        ]
        g, p = _pairs_by_key(*spans)
        return left_gold[g], left_pred[p]

    def meetings(self) -> tuple[Index, Index]:
        """Return pairs that share a token, of any types, each mention in one pair at most, as many as possible.

        Mentions in pairs of the same span are left out.
        """
        left_gold, left_pred = self.left_over()
        same_gold, same_pred = self.same_span()
        gold = np.setdiff1d(left_gold, same_gold)
        pred = np.setdiff1d(left_pred, same_pred)
        g, p, *_ = self._shared(gold, pred)
        g, p = _maximum_matching(g, p)
        return gold[g], pred[p]

    def meetings_by_type(self) -> tuple[Index, Index]:
        """Return pairs that share a token, beside the exact ones.

        They are as many pairs of one type as possible and, among such choices, as many pairs as possible.
        """
        gold, pred = self.left_over()
        g, p, low, high, _ = self._shared(gold, pred)
        alike = self.gold_label[gold[g]] == self.pred_label[pred[p]]
        # One pair of the right type is worth more than all pairs together that may be lost for it.
        chosen = _heaviest_matching(g, p, 1 + alike * (len(gold) + 1), low, high)
        return gold[g[chosen]], pred[p[chosen]]

    def ious(self) -> tuple[Index, Index]:
        """Return the gold mentions with a partner of their type, and the intersection over union of each such pair.

        The pairs are chosen for the greatest total. Exact pairs are among them: by the triangle inequality of the
        Jaccard distance, no two other pairs are worth more than an exact pair and what is left beside it.

        Returns:
            The gold mentions, and their shares in parts of ``WHOLE``.
        """
        gold, pred = self.left_over()
        g, p, low, high, shared = self._shared(gold, pred, typed=True)
        worth = np.rint(shared / (high - low) * WHOLE).astype(np.int64)
        chosen = _heaviest_matching(g, p, worth, low, high)
        whole = np.full(len(self.exact_gold), WHOLE)
        return np.append(self.exact_gold, gold[g[chosen]]), np.append(whole, worth[chosen])

    def _shared(self, gold: Index, pred: Index, typed: bool = False) -> tuple[Index, Index, Index, Index, Index]:
        """Return all pairs that share a token, both ends of their union, and how many tokens they share.

        Args:
            gold: gold mentions to consider.
            pred: predicted mentions to consider.
            typed: whether only pairs of one type count.
        """
        labels = (self.gold_label, self.pred_label) if typed else (None, None)
        gold_start, gold_end = _ends(self.gold, gold, self._width, labels[0])
        pred_start, pred_end = _ends(self.pred, pred, self._width, labels[1])
        g, p = _overlapping(gold_start, gold_end, pred_start, pred_end)
        first, second = np.sort([gold_start[g], pred_start[p]], axis=0)
        third, fourth = np.sort([gold_end[g], pred_end[p]], axis=0)
        return g, p, first, fourth, third - second

    def _exact_pairs(self) -> tuple[Index, Index]:
        # Each side is sorted and has no key twice. A stable sort merges them, and equal neighbours are a pair.
        """Return the gold and the predicted mentions of the exact pairs."""
        keys = np.concatenate(self._exact_keys())
        order = np.argsort(keys, kind="stable")
        merged = keys[order]
        first = np.flatnonzero(merged[1:] == merged[:-1])
        return order[first], order[first + 1] - len(self.gold)

    def _exact_keys(self) -> tuple[Index, Index]:
        """Return a sorted number for each mention, which is equal where sample, span and type are equal."""
        widest = 1 + max(int((side.end - side.start).max(initial=0)) for side in (self.gold, self.pred))
        sides = (self.gold, self.gold_label), (self.pred, self.pred_label)
        if self.gold.n_samples * self._width * widest * max(len(self.labels), 1) < 2**62:
            keys = []
            for side, label in sides:
                start = side.sample.astype(np.int64) * self._width + side.start
                span = start * widest + (side.end - side.start)
                keys.append(span * len(self.labels) + label)
            return keys[0], keys[1]
        rows = np.concatenate([np.stack([side.sample, side.start, side.end, label], axis=1) for side, label in sides])
        _, key = np.unique(rows, axis=0, return_inverse=True)
        return key[: len(self.gold)], key[len(self.gold) :]


def _ends(side: Mentions, chosen: Index, width: int, label: Index | None = None) -> tuple[Index, Index]:
    """Return the start and the end of mentions on one long line.

    On this line, mentions of different samples never touch, nor do mentions of different labels if these are given.
    """
    line = side.sample[chosen].astype(np.int64)
    if label is not None:
        line += label[chosen] * side.n_samples
    return line * width + side.start[chosen], line * width + side.end[chosen]


def _pairs_by_key(gold: Index, pred: Index) -> tuple[Index, Index]:
    """Pair mentions with equal keys: the first with the first, the second with the second, and so on."""
    order_gold, nth_gold = _nth_of_its_key(gold)
    order_pred, nth_pred = _nth_of_its_key(pred)
    most = 1 + max(int(nth_gold.max(initial=0)), int(nth_pred.max(initial=0)))
    _, g, p = np.intersect1d(
        gold[order_gold] * most + nth_gold, pred[order_pred] * most + nth_pred, assume_unique=True, return_indices=True
    )
    return order_gold[g], order_pred[p]


def _nth_of_its_key(key: Index) -> tuple[Index, Index]:
    """Return an order that sorts keys, and for each sorted one how many equal keys come before it."""
    order = np.argsort(key, kind="stable")
    return order, np.arange(len(key)) - np.searchsorted(key[order], key[order])


def _overlapping(gold_start: Index, gold_end: Index, pred_start: Index, pred_end: Index) -> tuple[Index, Index]:
    """Return all pairs that share a token, in order of their gold mention."""
    order = np.argsort(pred_start, kind="stable")
    furthest = np.maximum.accumulate(pred_end[order])
    low = np.searchsorted(furthest, gold_start, side="right")
    high = np.searchsorted(pred_start[order], gold_end, side="left")
    sizes = np.maximum(high - low, 0)
    gold = np.repeat(np.arange(len(gold_start)), sizes)
    pred = order[ranges(low, sizes)]
    shared = pred_end[pred] > gold_start[gold]  # a nested prediction in the range may end before the gold mention
    return gold[shared], pred[shared]


def _maximum_matching(gold: Index, pred: Index) -> tuple[Index, Index]:
    """Return a one-to-one choice of as many of the pairs as possible."""
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
    """Return a maximum bipartite matching, found by breadth-first augmenting paths.

    Args:
        edges: the possible partners of each left vertex.

    Returns:
        The partner of each matched left vertex.
    """
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


def _heaviest_matching(gold: Index, pred: Index, worth: Index, low: Index, high: Index) -> Index:
    """Return a one-to-one choice of pairs whose worths (above 0) have the greatest sum.

    Pairs whose unions do not touch cannot compete, so each group of touching unions is solved by itself. If all pairs
    of a group have one mention in common, the best pair wins; nearly all groups are of this kind.

    Args:
        gold: the gold mention of each pair.
        pred: the predicted mention of each pair.
        worth: the worth of each pair.
        low: where the union of each pair begins.
        high: where it ends.

    Returns:
        The positions of the chosen pairs.
    """
    if not len(gold):
        return gold
    order = np.argsort(low, kind="stable")
    reach = np.maximum.accumulate(high[order])
    begin = np.append(0, 1 + np.flatnonzero(low[order][1:] >= reach[:-1]))
    sizes = np.diff(begin, append=len(order))
    group = np.repeat(begin, sizes)
    best = order[np.lexsort((worth[order], group))[begin + sizes - 1]]
    ranks = []  # the ranks of the gold and of the predicted mention of each pair within its group
    for side in (gold[order], pred[order]):
        rank = np.unique(group * (1 + side.max()) + side, return_inverse=True)[1]
        ranks.append(rank - np.repeat(np.minimum.reduceat(rank, begin), sizes))
    shapes = 1 + np.stack([np.maximum.reduceat(rank, begin) for rank in ranks], axis=1)
    star = shapes.min(axis=1) == 1
    chosen = [best[star]]
    for at, size, shape in zip(begin[~star].tolist(), sizes[~star].tolist(), shapes[~star].tolist(), strict=True):
        here = slice(at, at + size)
        short, long = np.argsort(shape, kind="stable")
        table = np.zeros(sorted(shape), np.int64)
        table[ranks[short][here], ranks[long][here]] = worth[order[here]]
        chosen.append(order[here][_assignment(table)[ranks[short][here]] == ranks[long][here]])
    return np.concatenate(chosen)


def _assignment(worth: Index) -> Index:
    """Return a column for each row, no column twice, with the greatest total worth.

    This is the Hungarian method: a row whose best column is taken enters along the path that costs least, and prices on
    rows and columns keep every reduced cost at 0 or above.

    Args:
        worth: a matrix with at least as many columns as rows.
    """
    n_rows, n_columns = worth.shape
    far = np.iinfo(np.int64).max // 4
    row_price, column_price = -worth.max(axis=1), np.zeros(n_columns, np.int64)
    wanted, owner = worth.argmax(axis=1), np.full(n_columns, -1)
    owner[wanted] = np.arange(n_rows)
    for root in np.flatnonzero(owner[wanted] != np.arange(n_rows)).tolist():
        least = np.full(n_columns, far)
        via = np.full(n_columns, -1)
        closed = np.zeros(n_columns, bool)
        row, column = root, -1
        while row >= 0:  # until a column without an owner is reached
            cost = -worth[row] - row_price[row] - column_price
            nearer = ~closed & (cost < least)
            least[nearer], via[nearer] = cost[nearer], column
            column = int(np.argmin(np.where(closed, far, 2 * least + (owner >= 0))))  # a free one wins a tie
            step = least[column]
            row_price[root] += step
            row_price[owner[closed]] += step
            column_price[closed] -= step
            least[~closed] -= step
            closed[column] = True
            row = int(owner[column])
        while column >= 0:  # each column on the path is given to the row before it
            before = int(via[column])
            owner[column] = owner[before] if before >= 0 else root
            column = before
    column_of_row = np.full(n_rows, -1)
    column_of_row[owner[owner >= 0]] = np.flatnonzero(owner >= 0)
    return column_of_row


def tally(
    columns: Mapping[str, NDArray[np.integer]], n: int, weights: Mapping[str, Index] | None = None
) -> dict[str, Index]:
    """Count how often each number occurs in each column, or sum up its weights.

    Args:
        columns: columns of numbers from 0 on.
        n: the numbers are below it.
        weights: weights of the entries of some columns; without them each entry counts 1.
    """
    tables = {}
    for name, column in columns.items():
        if weights and name in weights:
            tables[name] = np.zeros(n, np.int64)
            np.add.at(tables[name], column, weights[name])
        else:
            tables[name] = np.bincount(column, minlength=n)
    return tables


@dataclass(frozen=True)
class Counts:
    """Sums over mentions by type. They add up over shards, and every score is derived from them."""

    by_type: Mapping[str, Mapping[str, int]]
    """The sums of each type: ``{"PER": {"n_gold": 3, "n_pred": 2, "n_exact": 1}}``."""
    columns: tuple[str, ...]
    """The names of the sums."""

    @classmethod
    def of(
        cls,
        labels: tuple[str, ...],
        columns: Mapping[str, NDArray[np.integer]],
        weights: Mapping[str, Index] | None = None,
    ) -> Counts:
        """Count the types in each column, or sum up their weights.

        Args:
            labels: the names of types.
            columns: columns of types, as indices into ``labels``.
            weights: weights of the entries of some columns.
        """
        return cls.of_table(labels, tally(columns, len(labels), weights))

    @classmethod
    def of_table(cls, labels: tuple[str, ...], columns: Mapping[str, NDArray[np.integer]]) -> Counts:
        """Return counts that are summed by type already.

        Args:
            labels: the names of types.
            columns: columns with one number for each type.
        """
        rows = {name: column.tolist() for name, column in columns.items()}
        by_type = {name: {column: rows[column][i] for column in columns} for i, name in enumerate(labels)}
        return cls(by_type, tuple(columns))

    def __add__(self, other: Counts) -> Counts:
        if self.columns != other.columns:
            raise TypeError("counts of different scores cannot be added")
        types = sorted(set(self.by_type) | set(other.by_type))
        none = dict.fromkeys(self.columns, 0)
        by_type = {}
        for name in types:
            own = self.by_type.get(name, none)
            others = other.by_type.get(name, none)
            by_type[name] = {column: own[column] + others[column] for column in self.columns}
        return Counts(by_type, self.columns)

    def __or__(self, other: Counts) -> Counts:
        """Return these counts with further columns beside them."""
        none = dict.fromkeys(self.columns, 0)
        others_none = dict.fromkeys(other.columns, 0)
        by_type = {}
        for name in sorted(set(self.by_type) | set(other.by_type)):
            by_type[name] = {**self.by_type.get(name, none), **other.by_type.get(name, others_none)}
        return Counts(by_type, self.columns + other.columns)

    def total(self) -> dict[str, int]:
        """Return the sums over all types."""
        return {column: sum(row[column] for row in self.by_type.values()) for column in self.columns}
