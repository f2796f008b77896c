"""Ids of entities, such as those of MeSH or Wikidata, that stand beside mentions. A mention may have several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from . import checks
from .arrays import bounds_of, ranges
from .exceptions import CleancutError, counted, quoted
from .inputs import Interner, RawSpans
from .tags import Where

if TYPE_CHECKING:
    from .corpus import Corpus, Mentions

_NONE = frozenset({"", "-", "_", "*", "O", "-1", "NIL", "NULL"})
"""What tables write for a mention without an id."""

NEEDED = (
    "same='id' needs ids of entities, which the data do not have. Name the column or field that holds them: ids= of "
    "read() or from_dataset() (--ids COL), or entity_ids= of Corpus.of()."
)
"""The message where names are to be compared by ids that are not there."""


class EntityIds(NamedTuple):
    """Ids of the entities that mentions are of: pairs of a mention and an id, sorted and unique."""

    mention: NDArray[np.int64]
    """The mention of each pair, by its number in the corpus."""
    id: NDArray[np.int64]
    """The id of each pair, as an index into ``names``."""
    names: tuple[str, ...]
    """The ids, each of which is there once."""

    @classmethod
    def of(cls, data: Any, raw: Any, mentions: Mentions, where: Where) -> EntityIds:
        """Return the ids of mentions.

        Args:
            data: a list for each sample, with the ids of each of its spans as they were given; or, beside tags, of each
                of its tokens: then a mention has the ids of all its tokens. None is a sample without ids.
            raw: the spans or tags as they were given.
            mentions: the mentions made of them.
            where: names the place of a sample, for messages.

        Raises:
            CleancutError: there are more or fewer lists than samples, or more or fewer ids in one than spans or tokens.
        """
        given = checks.ordered(data, "entity_ids", "a list of ids for each sample")
        if len(given) != mentions.n_samples:
            raise CleancutError(
                f"{counted(mentions.n_samples, 'sample')} but {len(given)} lists of entity ids. Give one for each."
            )
        if isinstance(raw, RawSpans):
            mentions_of_item = _mentions_of_spans(raw, mentions)
            what, sizes = "entities", np.bincount(raw.sample, minlength=raw.n_samples)
        else:
            assert mentions.lengths is not None
            mentions_of_item = _mentions_of_tokens(mentions)
            what, sizes = "tokens", mentions.lengths
        first = bounds_of(sizes).tolist()
        table = Interner()
        rows: list[tuple[int, int]] = []
        for sample, own in enumerate(given):
            items = [] if own is None else checks.ordered(own, f"{where(sample)}: entity ids", "a list of them")
            size = int(sizes[sample])
            if own is not None and len(items) != size:
                raise CleancutError(
                    f"{where(sample)}: {size} {what} but {len(items)} values with ids. Give one for each, and None "
                    "for none."
                )
            for item, value in enumerate(items, first[sample]):
                mentions_of_value = mentions_of_item[item]
                if value is not None and mentions_of_value:
                    numbers = [table[name] for name in ids_in(value, where(sample))]
                    rows += [(mention, number) for mention in mentions_of_value for number in numbers]
        pairs = np.array(rows, np.int64).reshape(-1, 2)
        return cls(pairs[:, 0], pairs[:, 1], tuple(table))._sorted()

    @classmethod
    def concatenate(cls, parts: Sequence[EntityIds], sizes: Sequence[int]) -> EntityIds:
        """Return the ids of several corpora, one corpus after the other.

        Args:
            parts: the ids of each corpus.
            sizes: the number of mentions of each corpus.
        """
        table = Interner()
        mentions = []
        ids = []
        for part, first in zip(parts, bounds_of(np.array(sizes, np.int64)).tolist(), strict=False):
            numbers = np.array([table[name] for name in part.names] or [0], np.int64)
            mentions.append(part.mention + first)
            ids.append(numbers[part.id])
        return cls(np.concatenate(mentions), np.concatenate(ids), tuple(table))._sorted()

    def moved(self, place: NDArray[np.int64]) -> EntityIds:
        """Return the ids after their mentions have got other numbers.

        Args:
            place: the new number of each mention, which several may share; -1 removes the mention with its ids.
        """
        mention = place[self.mention]
        stay = mention >= 0
        return EntityIds(mention[stay], self.id[stay], self.names)._sorted()

    def select(self, mentions: NDArray[np.int64]) -> EntityIds:
        """Return the ids of some mentions, which are numbered anew in this order.

        Args:
            mentions: the numbers of the mentions; one that is there several times has its ids each time.
        """
        n = int(max(self.mention.max(initial=-1), mentions.max(initial=-1))) + 1
        bounds = bounds_of(np.bincount(self.mention, minlength=n))
        sizes = np.diff(bounds)[mentions]
        chosen = self.id[ranges(bounds[:-1][mentions], sizes)]
        return EntityIds(np.repeat(np.arange(len(mentions)), sizes), chosen, self.names)._sorted()

    def lists(self, n_mentions: int) -> list[list[str]]:
        """Return the ids of each mention.

        Args:
            n_mentions: the number of mentions.
        """
        lists: list[list[str]] = [[] for _ in range(n_mentions)]
        for mention, number in zip(self.mention.tolist(), self.id.tolist(), strict=True):
            lists[mention].append(self.names[number])
        return lists

    def _sorted(self) -> EntityIds:
        """Return the pairs sorted and without duplicates, and the ids that occur in alphabetical order."""
        used = np.unique(self.id)
        names = sorted(self.names[number] for number in used.tolist())
        rank = {name: number for number, name in enumerate(names)}
        table = np.zeros(len(self.names) or 1, np.int64)
        table[used] = [rank[self.names[number]] for number in used.tolist()]
        pairs = np.unique(np.stack([self.mention, table[self.id]]), axis=1)
        return EntityIds(pairs[0], pairs[1], tuple(names))


class _WithIds(Protocol):
    """A corpus, or what is left of one in a view of it."""

    mentions: Mentions
    entity_ids: EntityIds | None


def ids_of(corpus: Corpus | _WithIds) -> EntityIds:
    """Return the ids of the entities of a corpus, which has to have them.

    Args:
        corpus: the corpus. One without mentions needs no ids.

    Raises:
        CleancutError: the ids were not read.
    """
    if corpus.entity_ids is not None:
        return corpus.entity_ids
    if len(corpus.mentions):
        raise CleancutError(NEEDED)
    return EntityIds(np.zeros(0, np.int64), np.zeros(0, np.int64), ())


def ids_in(value: Any, place: str) -> list[str]:
    """Return the ids that a value holds: a text or a number, with ``|`` between several ids, or a list of such values.

    What tables write for no id (``-``, ``_``, ``*``, ``O``, ``-1``, ``NIL``, ``NULL``) is none. A record has its id as
    ``db_id``, and maybe the name of the database as ``db_name``.

    Args:
        value: the value.
        place: names the place of the value, for messages.

    Raises:
        CleancutError: the value is none of these.

    >>> ids_in("D003920|D009369", ""), ids_in(["Q42", 7, None], ""), ids_in("-1", "")
    (['D003920', 'D009369'], ['Q42', '7'], [])
    """
    if value is None or (isinstance(value, float) and value != value):  # tables have NaN for nothing
        return []
    if isinstance(value, str):
        return [name for name in (part.strip() for part in value.split("|")) if name not in _NONE]
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return ids_in(str(value), place)
    if isinstance(value, Mapping) and isinstance(value.get("db_id"), str | int):
        database = value.get("db_name")
        return [f"{database}:{name}" if database else name for name in ids_in(value["db_id"], place)]
    if isinstance(value, list | tuple | np.ndarray):
        return [name for part in value for name in ids_in(part, place)]
    raise CleancutError(
        f"{place}: {quoted(value)} is not an id of an entity. Give texts, whole numbers, or lists of them."
    )


def _mentions_of_spans(raw: RawSpans, mentions: Mentions) -> list[tuple[int, ...]]:
    """Return the mention that each given span has become; equal spans are one."""
    number = {span: i for i, span in enumerate(_spans(mentions, mentions.labels))}
    return [(number[span],) for span in _spans(raw, raw.labels)]


def _spans(columns: Any, labels: Sequence[str]) -> Iterator[tuple[int, int, int, str]]:
    """Yield the sample, the start, the end and the name of the type of each span."""
    numbers = (column.tolist() for column in (columns.sample, columns.start, columns.end, columns.label))
    for sample, start, end, label in zip(*numbers, strict=True):
        yield sample, start, end, labels[label]


def _mentions_of_tokens(mentions: Mentions) -> list[tuple[int, ...]]:
    """Return the mentions that each token is in."""
    assert mentions.lengths is not None
    bounds = bounds_of(mentions.lengths)
    lists: list[tuple[int, ...]] = [()] * int(bounds[-1])
    begin = (bounds[mentions.sample] + mentions.start).tolist()
    end = (bounds[mentions.sample] + mentions.end).tolist()
    for mention, (first, last) in enumerate(zip(begin, end, strict=True)):
        for token in range(first, last):
            lists[token] = (*lists[token], mention)
    return lists
