"""Check splits for related names by the definition of each notion, name by name.

This shares no code with what links names for a split: no tree of words, no codes, only sets of texts. It is what the
guarantee of a split under a notion rests on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..core.arrays import bounds_of
from ..core.corpus import Corpus
from ..core.entities import Key
from ..core.entity_ids import ids_of
from ..core.same import Notion, Same, folded_word
from ..core.templates import template_hashes


class _Name(NamedTuple):
    """A name of a split."""

    words: tuple[str, ...]
    """Its words, as the key compares them."""
    label: str
    """Its type; empty where types do not matter."""

    def folded(self) -> tuple[str, ...]:
        """Return its folded words, without empty ones."""
        return tuple(filter(None, map(folded_word, self.words)))


def related_names(splits: Mapping[str, Corpus], key: Key, same: Same) -> dict[tuple[str, str], int]:
    """Count for every two splits the names of the first that are related to a name of the second, and what they share.

    Args:
        splits: the splits by name.
        key: the entity key.
        same: the notion of the same name.

    Returns:
        The number of related names, of shared ids and of shared templates, for each pair of splits in their order.
    """
    names = {split: set(_names(corpus, key)) for split, corpus in splits.items()}
    generic = _generic_words(names, same.part_limit)
    templates = {split: _templates(corpus) for split, corpus in splits.items()}
    ids = {split: _ids(corpus, key) for split, corpus in splits.items()} if same.has(Notion.ID) else {}
    counts = {}
    for one, other in combinations(splits, 2):
        related = names[one] & names[other]
        forms = _forms(names[other], key, same)
        related |= {name for name in names[one] if not forms.isdisjoint(_forms({name}, key, same))}
        if same.has(Notion.PART):
            related |= _parts(names[one], names[other], generic)
        counts[one, other] = len(related)
        if ids:
            counts[one, other] += len(ids[one] & ids[other])
        if same.has(Notion.TEMPLATES):
            counts[one, other] += len(templates[one] & templates[other])
    return counts


def _names(corpus: Corpus, key: Key) -> Iterator[_Name]:
    """Yield the name of each mention."""
    words = [key.fold(word) for word in corpus.vocabulary]
    mentions = corpus.mentions
    begin = bounds_of(corpus.lengths)[mentions.sample] + mentions.start
    size = mentions.end - mentions.start
    for first, n, label in zip(begin.tolist(), size.tolist(), mentions.label.tolist(), strict=True):
        spelt = tuple(words[word] for word in corpus.words[first : first + n].tolist())
        of_type = mentions.labels[label] if key.typed else ""
        yield _Name(spelt, of_type)


def _forms(names: set[_Name], key: Key, same: Same) -> set[tuple[str, str]]:
    """Return the forms in which equivalences compare names, with their types."""
    listed = list(names)
    forms = same.forms([name.words for name in listed], key)
    return {(form, name.label) for form, name in zip(forms, listed, strict=True)}


def _ids(corpus: Corpus, key: Key) -> set[tuple[str, str]]:
    """Return the ids of all mentions, with the types of these where types matter."""
    labels = [corpus.mentions.labels[code] if key.typed else "" for code in corpus.mentions.label.tolist()]
    lists = ids_of(corpus).lists(len(labels))
    return {(name, label) for own, label in zip(lists, labels, strict=True) for name in own}


def _generic_words(names: Mapping[str, set[_Name]], limit: int) -> set[str]:
    """Return the words that occur in more than so many lists of two or more folded words of all splits."""
    lists = {name.folded() for own in names.values() for name in own}
    counts = Counter(word for words in lists if len(words) > 1 for word in set(words))
    return {word for word, n in counts.items() if n > limit}


def _runs(words: tuple[str, ...], sizes: Sequence[int], generic: set[str]) -> Iterator[tuple[str, ...]]:
    """Yield the runs of words that count as parts and have one of some sizes, which ascend."""
    for size in sizes:
        if size > len(words):
            return
        for first in range(len(words) - size + 1):
            if size > 1 or words[first] not in generic:
                yield words[first : first + size]


def _sizes(names: set[_Name]) -> list[int]:
    """Return how many folded words names have, in ascending order. Runs of other sizes are no names."""
    return sorted({len(name.folded()) for name in names} - {0})


def _parts(ours: set[_Name], theirs: set[_Name], generic: set[str]) -> set[_Name]:
    """Return our names that are part of one of theirs, or have one of theirs as a part."""
    our_sizes = _sizes(ours)
    their_sizes = _sizes(theirs)
    whole = {(name.folded(), name.label) for name in theirs}
    runs = {(run, name.label) for name in theirs for run in _runs(name.folded(), our_sizes, generic)}
    related = set()
    for name in ours:
        words = name.folded()
        is_part = (words, name.label) in runs
        has_part = any((run, name.label) in whole for run in _runs(words, their_sizes, generic))
        if is_part or has_part:
            related.add(name)
    return related


def _templates(corpus: Corpus) -> set[int]:
    """Return the templates of the samples with mentions."""
    return set(template_hashes(corpus)[np.unique(corpus.mentions.sample)].tolist())
