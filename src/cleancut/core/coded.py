"""Cut and join samples whose words and annotation are numbers already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of
from .inputs import Interner, Raw, RawSpans, RawTags, Words, is_arrow, kept_positions, unified
from .vocabulary import Vocabulary


class Coded(NamedTuple):
    """Samples: their words, and their tags or spans.

    >>> words = Words(np.array([0, 1, 0], np.int32), np.array([2, 1]), Vocabulary(["Ada", "ran"]))
    >>> coded = Coded(words, RawTags(np.array([1, 0, 1], np.uint8), np.array([2, 1]), ("O", "B-PER")))
    >>> joined = Coded.joined([coded.part(1, 2), coded.part(0, 1)])
    >>> joined.words.codes.tolist(), joined.raw.codes.tolist()
    ([0, 0, 1], [1, 1, 0])
    """

    words: Words
    raw: Raw

    def part(self, first: int, last: int) -> Coded:
        """Return some of the samples.

        Args:
            first: the number of the first sample.
            last: the number behind the last sample.
        """
        lengths = self.words.lengths[first:last]
        begin = int(self.words.lengths[:first].sum())
        words = Words(self.words.codes[begin : begin + int(lengths.sum())], lengths, self.words.vocabulary)
        return Coded(words, _part_of(self.raw, first, last))

    @staticmethod
    def joined(parts: Sequence[Coded]) -> Coded:
        """Return the samples of several parts, one part after the other.

        Args:
            parts: the parts; all have tags, or all have spans.
        """
        if len(parts) == 1:
            return parts[0]
        return Coded(_joined_words([part.words for part in parts]), _joined([part.raw for part in parts]))


def _joined_words(parts: Sequence[Words]) -> Words:
    """Return the words of several parts with one vocabulary, in the order in which the parts have them."""
    vocabulary: Any
    codes: list[NDArray[np.integer]]
    if all(is_arrow(part.vocabulary) for part in parts):
        numbers, vocabulary = unified([part.vocabulary for part in parts])
        codes = [number[part.codes] for number, part in zip(numbers, parts, strict=True)]
    else:
        table = Interner()
        codes = [_renumbered(part.codes, part.spelt().vocabulary, table) for part in parts]
        vocabulary = Vocabulary(table)
    lengths = np.concatenate([part.lengths for part in parts])
    return Words(np.concatenate(codes).astype(np.int32, copy=False), lengths, vocabulary)


def _part_of(raw: Raw, first: int, last: int) -> Raw:
    """Return the tags or spans of the samples from ``first`` to before ``last``."""
    if isinstance(raw, RawTags):
        lengths = raw.lengths[first:last]
        begin = int(raw.lengths[:first].sum())
        chosen = slice(begin, begin + int(lengths.sum()))
        kept = None if raw.kept is None else raw.kept[chosen]
        return RawTags(raw.codes[chosen], lengths, raw.tags, kept)
    chosen = slice(*np.searchsorted(raw.sample, [first, last]).tolist())
    columns = raw.sample[chosen] - first, raw.start[chosen], raw.end[chosen], raw.label[chosen]
    return RawSpans(*columns, raw.labels, last - first)


def _joined(parts: Sequence[Raw]) -> Raw:
    """Return the tags or spans of several parts. A part of empty lists, which shows no form, fits to both."""
    spans = [part for part in parts if isinstance(part, RawSpans)]
    if not spans:
        return _joined_tags([part for part in parts if isinstance(part, RawTags)])
    table = Interner()
    n_samples = [part.n_samples if isinstance(part, RawSpans) else len(part.lengths) for part in parts]
    first_samples = bounds_of(np.array(n_samples)).tolist()
    moved = []
    for part, first_sample in zip(parts, first_samples, strict=False):
        if isinstance(part, RawSpans):
            moved.append(part.sample + first_sample)
    sample = np.concatenate(moved)
    start = np.concatenate([part.start for part in spans])
    end = np.concatenate([part.end for part in spans])
    label = np.concatenate([_renumbered(part.label, part.labels, table) for part in spans])
    return RawSpans(sample, start, end, label.astype(np.int64, copy=False), tuple(table), sum(n_samples))


def _joined_tags(parts: Sequence[RawTags]) -> RawTags:
    """Return the tags of several parts over one inventory of tags."""
    table = Interner()
    codes = np.concatenate([_renumbered(_shown(part), part.tags, table) for part in parts])
    kept = None
    if any(part.kept is not None for part in parts):
        kept = np.concatenate([kept_positions(part) for part in parts])
    # One byte for each tag where the inventory is small, as it is within a part.
    kind = np.uint8 if len(table) <= 256 else np.int32
    codes = codes.astype(kind, copy=False)
    return RawTags(codes, np.concatenate([part.lengths for part in parts]), tuple(table), kept)


def _shown(part: RawTags) -> NDArray[np.integer]:
    """Return the codes of tags, with 0 at masked positions, whose code may be anything."""
    return part.codes if part.kept is None else np.where(part.kept, part.codes, 0)


def _renumbered(codes: NDArray[np.integer], names: Sequence[str], table: Interner) -> NDArray[np.integer]:
    """Return codes as numbers of a table that several parts share; names that it lacks are added to it."""
    numbers = np.fromiter(map(table.__getitem__, names), np.int32, count=len(names))
    return numbers[codes] if len(names) else np.zeros(len(codes), np.int32)
