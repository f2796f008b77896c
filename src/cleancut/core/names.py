"""Distinct names, and what relates them under a notion of the same name: forms, parts and templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of, ranges
from .corpus import Corpus
from .entities import Key, entity_codes_of
from .entity_ids import ids_of
from .inputs import Interner
from .name_parts import NameTree, WordLists, generic_words, is_generic, part_pairs
from .same import Notion, Same, folded_word
from .templates import template_hashes


@dataclass(frozen=True)
class Names:
    """Distinct names: words with a type, or words alone."""

    vocabulary: Sequence[str]
    """The words, in the form in which the entity key compares them."""
    lists: WordLists
    """The words of each name, as numbers in the vocabulary."""
    types: NDArray[np.int64]
    """The type of each name, as a number in ``labels``."""
    labels: tuple[str, ...]
    """The names of the types; one empty text where types do not matter."""

    @classmethod
    def of(cls, corpora: Sequence[Corpus], key: Key) -> tuple[Names, list[NDArray[np.int32]]]:
        """Return the distinct names of corpora, and the name of each mention of each corpus.

        Args:
            corpora: the corpora.
            key: the entity key.
        """
        codes = entity_codes_of(corpora, key)
        n_names = max((int(own.max(initial=-1)) for own in codes), default=-1) + 1
        table, labels = Interner(), Interner() if key.typed else Interner({"": 0})
        types = np.zeros(n_names, np.int64)
        is_known = np.zeros(n_names, bool)
        names: list[NDArray[np.int64]] = []
        parts: list[WordLists] = []
        for corpus, own in zip(corpora, codes, strict=True):
            mentions, first = corpus.mentions, np.full(n_names, -1)
            first[own[::-1]] = np.arange(len(own))[::-1]
            new = np.flatnonzero((first >= 0) & ~is_known)
            is_known[new] = True
            at = first[new]
            begin = bounds_of(corpus.lengths)[mentions.sample[at]] + mentions.start[at]
            sizes = (mentions.end[at] - mentions.start[at]).astype(np.int64)
            words = _numbered(corpus.words[ranges(begin, sizes)], corpus.vocabulary, table, key)
            names.append(new)
            parts.append(WordLists(words, sizes))
            if key.typed:
                types[new] = [labels[mentions.labels[label]] for label in mentions.label[at].tolist()]
        lists = WordLists(*map(np.concatenate, zip(*parts, strict=True))) if parts else WordLists.of([])
        order = np.argsort(np.concatenate(names)) if names else np.zeros(0, np.int64)
        return cls(list(table), lists.select(order), types, tuple(labels)), codes

    def __len__(self) -> int:
        return len(self.types)

    def spelt(self) -> Iterator[list[str]]:
        """Yield the words of each name."""
        words = [self.vocabulary[word] for word in self.lists.words.tolist()]
        bounds = bounds_of(self.lists.sizes).tolist()
        for begin, end in pairwise(bounds):
            yield words[begin:end]

    @cached_property
    def folded(self) -> list[str]:
        """The vocabulary, folded. Words without letters and digits are empty."""
        return list(map(folded_word, self.vocabulary))

    def folded_lists(self, numbers: Mapping[str, int]) -> WordLists:
        """Return the folded words of each name as numbers; empty words are dropped.

        Args:
            numbers: the number of each folded word.
        """
        table = np.array([numbers[word] if word else -1 for word in self.folded] or [-1], np.int64)
        return WordLists(table[self.lists.words], self.lists.sizes).without(-1)

    def form_codes(self, forms: Sequence[str]) -> NDArray[np.int64]:
        """Return a number for the form and the type of each name; equal ones have equal numbers.

        Args:
            forms: the form of each name, as ``Same.forms`` returns it.
        """
        table = Interner()
        numbers = np.fromiter(map(table.__getitem__, forms), np.int64, len(forms))
        return np.unique(numbers * len(self.labels) + self.types, return_inverse=True)[1]


def _numbered(words: NDArray[np.integer], vocabulary: Sequence[str], table: Interner, key: Key) -> NDArray[np.int64]:
    """Return the number of each word in a table, in the form in which the entity key compares it.

    New words are numbered in the order in which they come.

    Args:
        words: the words, as numbers in the vocabulary.
        vocabulary: the words as they are written.
        table: the table.
        key: the entity key.
    """
    distinct, first, inverse = np.unique(words, return_index=True, return_inverse=True)
    numbers = np.zeros(len(distinct), np.int64)
    for at in np.argsort(first).tolist():
        numbers[at] = table[key.fold(vocabulary[distinct[at]])]
    return numbers[inverse]


class NameIndex:
    """Names of the training data, in which other names are looked up.

    Args:
        names: the training names.
        key: the entity key.
        same: the notion of the same name.
    """

    def __init__(self, names: Names, key: Key, same: Same) -> None:
        self._names = names
        self._key = key
        self._same = same

    def related(self, others: Names) -> NDArray[np.bool_]:
        """Return for each of some names whether it is related to a training name.

        Args:
            others: the names to look up, whose types count if those of the training names do.
        """
        seen = self.same_form(others)
        return seen | self.part(others) if self._same.has(Notion.PART) else seen

    @cached_property
    def _forms(self) -> set[tuple[str, str]]:
        """The forms of the training names with their types."""
        labels = [self._names.labels[code] for code in self._names.types.tolist()]
        return set(zip(self._same.forms(self._names.spelt(), self._key), labels, strict=True))

    def same_form(self, others: Names) -> NDArray[np.bool_]:
        """Return for each of some names whether a training name of its type is the same by an equivalence.

        Args:
            others: the names to look up.
        """
        labels = [others.labels[code] for code in others.types.tolist()]
        forms = zip(self._same.forms(others.spelt(), self._key), labels, strict=True)
        return np.fromiter((form in self._forms for form in forms), bool, len(others))

    @cached_property
    def _parts(self) -> _Parts:
        """The folded words of the training names as a tree."""
        return _Parts.of(self._names, self._same.part_limit)

    def part(self, others: Names) -> NDArray[np.bool_]:
        """Return for each of some names whether a training name of its type is part of it, or has it as a part.

        A word is generic by its number of training names, whatever the other names are.

        Args:
            others: the names to look up.
        """
        shown = self._parts
        numbers = Interner(shown.numbers)
        lists, node = others.folded_lists(numbers).distinct()
        type_of_label = {label: code for code, label in enumerate(self._names.labels)}
        types = np.array([type_of_label.get(label, -1) for label in others.labels], np.int64)[others.types]
        counts = ~is_generic(lists, shown.generic)
        n_types = len(self._names.labels)
        related = [np.zeros(0, np.int64)]  # numbers for pairs of a node and a type
        for text, name in shown.tree.runs_in(lists):  # a training name is part of the other, or has the same words
            chosen = shown.counts[name]
            related.append(shown.with_types(text[chosen], name[chosen]))
        for text, name in NameTree(lists).runs_in(shown.lists):  # the other is part of a training name
            chosen = counts[name]
            related.append(shown.with_types(name[chosen], text[chosen]))
        wanted = np.where(types < 0, -1, node * n_types + types)
        return np.isin(wanted, np.concatenate(related))


class _Parts(NamedTuple):
    """The folded words of training names as a tree, with the types of each list of words."""

    numbers: dict[str, int]
    """The number of each folded word."""
    lists: WordLists
    """The distinct lists of folded words."""
    tree: NameTree
    generic: NDArray[np.bool_]
    """For each word, whether it is generic."""
    counts: NDArray[np.bool_]
    """For each list, whether it counts as a part by itself."""
    pairs: NDArray[np.int64]
    """Numbers for the pairs of a list and one of its types, sorted."""
    n_types: int

    @classmethod
    def of(cls, names: Names, limit: int) -> _Parts:
        """Return the parts of training names."""
        numbers = Interner()
        lists, node = names.folded_lists(numbers).distinct()
        generic = generic_words(lists, limit)
        n_types = len(names.labels)
        pairs = np.unique(node * n_types + names.types)
        return cls(dict(numbers), lists, NameTree(lists), generic, ~is_generic(lists, generic), pairs, n_types)

    def with_types(self, other: NDArray[np.int64], ours: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the pairs of a node and a type to which training names lists of its words are related.

        Args:
            other: the nodes of other names.
            ours: a list of the training names that each of them is related to.
        """
        first, last = np.searchsorted(self.pairs, [ours * self.n_types, (ours + 1) * self.n_types])
        types = self.pairs[ranges(first, last - first)] % max(self.n_types, 1)
        return np.unique(np.repeat(other, last - first) * self.n_types + types)


# --- links ------------------------------------------------------------------------------------------------


class Links(NamedTuple):
    """What relates the mentions of corpora: two mentions are related exactly if they have a code in common."""

    entity: list[NDArray[np.int32]]
    """For each corpus, the entity of each mention under the equivalences, as a number."""
    mention: list[NDArray[np.int64]]
    """For each corpus, the mention of each further link."""
    code: list[NDArray[np.int64]]
    """For each corpus, the code of each further link. No entity has the number of such a code."""

    @classmethod
    def of(cls, corpora: Sequence[Corpus], key: Key, same: Same) -> Links:
        """Return the links between the mentions of corpora, all of which are the input by which words are generic.

        Args:
            corpora: the corpora.
            key: the entity key.
            same: the notion of the same name.
        """
        if same.is_exact:
            none = [np.zeros(0, np.int64) for _ in corpora]
            return cls(entity_codes_of(corpora, key), none, none)
        return cls.of_names(*Names.of(corpora, key), corpora, key, same)

    @classmethod
    def of_names(
        cls, names: Names, codes: Sequence[NDArray[np.int32]], corpora: Sequence[Corpus], key: Key, same: Same
    ) -> Links:
        """Return the links between the mentions of corpora whose names are known.

        Args:
            names: the distinct names, as ``Names.of`` returns them.
            codes: the name of each mention of each corpus.
            corpora: the corpora.
            key: the entity key.
            same: the notion of the same name.
        """
        none = [np.zeros(0, np.int64) for _ in corpora]
        entity_of_name = names.form_codes(same.forms(names.spelt(), key)).astype(np.int32)
        n_codes = int(entity_of_name.max(initial=-1)) + 1
        mention, code = [[own] for own in none], [[own] for own in none]
        if same.has(Notion.PART):
            name, linked = _part_links(names, same.part_limit)
            for i, own in enumerate(codes):
                at, which = _expanded(own, name, linked, len(names))
                mention[i].append(at)
                code[i].append(n_codes + which)
            n_codes += int(linked.max(initial=-1)) + 1
        if same.has(Notion.ID):
            for i, (at, which) in enumerate(_id_links(corpora, names.labels, key.typed)):
                mention[i].append(at)
                code[i].append(n_codes + which)
            n_codes = 1 + max(int(own[-1].max(initial=n_codes - 1)) for own in code)
        if same.has(Notion.TEMPLATES):
            hashes = [template_hashes(corpus) for corpus in corpora]
            numbers = np.unique(np.concatenate(hashes), return_inverse=True)[1]
            first = 0
            for i, corpus in enumerate(corpora):
                mention[i].append(np.arange(len(corpus.mentions)))
                code[i].append(n_codes + numbers[first : first + len(corpus)][corpus.mentions.sample])
                first += len(corpus)
        entity = [entity_of_name[own] for own in codes]
        return cls(entity, [np.concatenate(own) for own in mention], [np.concatenate(own) for own in code])

    def seen(self, ours: int, theirs: int) -> NDArray[np.bool_]:
        """Return for each mention of a corpus whether it is related to a mention of another corpus.

        Args:
            ours: the number of the corpus whose mentions are asked for.
            theirs: the number of the other corpus.
        """
        seen = are_in(self.entity[ours], self.entity[theirs])
        seen[self.mention[ours][are_in(self.code[ours], self.code[theirs])]] = True
        return seen


def are_in(codes: NDArray[np.integer], others: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return for each of some codes, none of which is negative, whether it is among others.

    Args:
        codes: the codes that are asked for.
        others: the codes that they may be among.
    """
    is_there = np.zeros(max(codes.max(initial=-1), others.max(initial=-1)) + 1, bool)
    is_there[others] = True
    return is_there[codes]


def _id_links(
    corpora: Sequence[Corpus], labels: Sequence[str], typed: bool
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield mentions and codes for each corpus: two mentions have a code in common exactly if they have an id.

    Args:
        corpora: the corpora, whose ids must be known.
        labels: the names of types, which are part of the codes where types matter.
        typed: whether they do.
    """
    table = Interner()
    number_of_label = {label: number for number, label in enumerate(labels)}
    for corpus in corpora:
        ids = ids_of(corpus)
        code = np.array([table[name] for name in ids.names] or [0], np.int64)[ids.id]
        if typed:
            own = [number_of_label[label] for label in corpus.mentions.labels] or [0]
            code = code * len(labels) + np.array(own, np.int64)[corpus.mentions.label[ids.mention]]
        yield ids.mention, code


def _part_links(names: Names, limit: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return names and codes: two names have a code in common exactly if one is part of the other.

    A list of folded words has a code, and so has each pair of lists, one part of the other. The types of names are
    part of the codes.
    """
    lists, node = names.folded_lists(Interner()).distinct()
    n_nodes, n_types = len(lists.sizes), len(names.labels)
    whole, part = part_pairs(lists, limit)
    by_itself = np.flatnonzero(~is_generic(lists, generic_words(lists, limit)))
    n_pairs = len(whole)
    linked_node = np.concatenate([by_itself, whole, part])
    link = np.concatenate([n_pairs + np.arange(len(by_itself)), np.arange(n_pairs), np.arange(n_pairs)])
    at, which = _expanded(node, linked_node, link, n_nodes)
    return at, which * n_types + names.types[at]


def _expanded(
    of: NDArray[np.integer], key: NDArray[np.int64], value: NDArray[np.int64], n_keys: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each place, all values that have its key: the places, repeated, and beside them the values.

    Args:
        of: the key of each place.
        key: the key of each value.
        value: the values.
        n_keys: all keys are below it.
    """
    order = np.argsort(key, kind="stable")
    bounds = bounds_of(np.bincount(key, minlength=n_keys))
    sizes = np.diff(bounds)[of]
    return np.repeat(np.arange(len(of)), sizes), value[order[ranges(bounds[:-1][of], sizes)]]
