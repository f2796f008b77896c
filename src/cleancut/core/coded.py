"""Samples whose words and annotation are numbers already: they are cut apart and put together as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of
from .inputs import Interner, Raw, RawSpans, RawTags, Words
from .vocabulary import Vocabulary


class Coded(NamedTuple):
    """The words of samples, and their tags or spans.

    >>> words = Words(np.array([0, 1, 0], np.int32), np.array([2, 1]), Vocabulary(["Ada", "ran"]))
    >>> coded = Coded(words, RawTags(np.array([1, 0, 1], np.uint8), np.array([2, 1]), ("O", "B-PER")))
    >>> joined = Coded.joined([coded.part(1, 2), coded.part(0, 1)])
    >>> joined.words.codes.tolist(), joined.raw.codes.tolist()
    ([0, 0, 1], [1, 1, 0])
    """

    words: Words
    raw: Raw

    def part(self, first: int, last: int) -> Coded:
        """Return the samples from ``first`` to before ``last``."""
        lengths = self.words.lengths[first:last]
        begin = int(self.words.lengths[:first].sum())
        words = Words(self.words.codes[begin : begin + int(lengths.sum())], lengths, self.words.vocabulary)
        return Coded(words, _part_of(self.raw, first, last))

    @staticmethod
    def joined(parts: Sequence[Coded]) -> Coded:
        """Return the samples of several parts, all with tags or all with spans, one after the other."""
        if len(parts) == 1:
            return parts[0]
        vocabulary = Interner()
        codes = [_renumbered(part.words.codes, part.words.vocabulary, vocabulary) for part in parts]
        lengths = np.concatenate([part.words.lengths for part in parts])
        words = Words(np.concatenate(codes).astype(np.int32, copy=False), lengths, Vocabulary(vocabulary))
        return Coded(words, _joined([part.raw for part in parts]))


def _part_of(raw: Raw, first: int, last: int) -> Raw:
    if isinstance(raw, RawTags):
        lengths = raw.lengths[first:last]
        begin = int(raw.lengths[:first].sum())
        chosen = slice(begin, begin + int(lengths.sum()))
        return RawTags(raw.codes[chosen], lengths, raw.tags, None if raw.kept is None else raw.kept[chosen])
    chosen = slice(*np.searchsorted(raw.sample, [first, last]).tolist())
    columns = raw.sample[chosen] - first, raw.start[chosen], raw.end[chosen], raw.label[chosen]
    return RawSpans(*columns, raw.labels, last - first)


def _joined(parts: Sequence[Raw]) -> Raw:
    """Return tags or spans of several parts; a part of empty lists, which shows no form, takes that of the others."""
    spans = [part for part in parts if isinstance(part, RawSpans)]
    if not spans:
        return _joined_tags([part for part in parts if isinstance(part, RawTags)])
    table = Interner()
    n_samples = [part.n_samples if isinstance(part, RawSpans) else len(part.lengths) for part in parts]
    firsts = [
        first
        for part, first in zip(parts, bounds_of(np.array(n_samples)).tolist(), strict=False)
        if isinstance(part, RawSpans)
    ]
    sample = np.concatenate([part.sample + first for part, first in zip(spans, firsts, strict=True)])
    start = np.concatenate([part.start for part in spans])
    end = np.concatenate([part.end for part in spans])
    label = np.concatenate([_renumbered(part.label, part.labels, table) for part in spans])
    return RawSpans(sample, start, end, label.astype(np.int64, copy=False), tuple(table), sum(n_samples))


def _joined_tags(parts: Sequence[RawTags]) -> RawTags:
    table = Interner()
    codes = np.concatenate([_renumbered(_shown(part), part.tags, table) for part in parts])
    kept = None
    if any(part.kept is not None for part in parts):
        kept = np.concatenate([_all_kept(part) if part.kept is None else part.kept for part in parts])
    # a byte a tag where they fit, as they come from one part
    codes = codes.astype(np.uint8 if len(table) <= 256 else np.int32, copy=False)
    return RawTags(codes, np.concatenate([part.lengths for part in parts]), tuple(table), kept)


def _shown(part: RawTags) -> NDArray[np.integer]:
    """Return the codes of tags; of positions that are masked, which may have any, the first."""
    return part.codes if part.kept is None else np.where(part.kept, part.codes, 0)


def _all_kept(part: RawTags) -> NDArray[np.bool_]:
    return np.ones(len(part.codes), bool)


def _renumbered(codes: NDArray[np.integer], names: Sequence[str], table: Interner) -> NDArray[np.integer]:
    """Return the numbers that a table gives to the names of some codes, which it learns."""
    numbers = np.fromiter(map(table.__getitem__, names), np.int32, count=len(names))
    return numbers[codes] if len(names) else np.zeros(len(codes), np.int32)
