"""Which names count as the same: the notion that scores, audits and splits share.

A notion has equivalences (``exact``, ``fold``, ``alias``), which change the entity key, and relations
(``id``, ``part``, ``templates``), which do not: if *Bill Clinton* is related to *Clinton*, and *Clinton* to *Clinton
Foundation*, the first and the last are still two names. Every notion includes ``exact``.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from . import checks
from .entities import Key
from .exceptions import CleancutError, did_you_mean, quoted

PART_LIMIT = 20
"""A word that occurs in more names of two or more words than this is generic, and no part of a name by itself."""


class Notion(StrEnum):
    """The ways in which two names can be the same. They are combined with ``+``."""

    EXACT = "exact"
    """The words are the same, as the entity key compares them."""
    FOLD = "fold"
    """The letters, marks and digits are the same, whatever their case and width."""
    ID = "id"
    """The mentions have an id in common, such as one of MeSH."""
    ALIAS = "alias"
    """A table of aliases has both names."""
    PART = "part"
    """The folded words of one name are a run of whole words of the other."""
    TEMPLATES = "templates"
    """The sentences of the names are equal once mentions and digits are masked."""


@dataclass(frozen=True)
class Same:
    """A notion of the same name: the ways that it combines, the table of aliases, and the limit of generic words.

    >>> str(Same.of("part+fold")), str(Same.of("fold+part", part_limit=5)), str(Same())
    ('fold+part', 'fold+part(5)', 'exact')
    """

    notions: tuple[Notion, ...] = (Notion.EXACT,)
    """The ways, without ``exact`` where there are others, in the order of ``Notion``."""
    aliases: Aliases | None = None
    """The table of aliases; None without ``alias``."""
    part_limit: int = PART_LIMIT
    """The most names of two or more words that a word may occur in, and still count by itself."""

    @classmethod
    def of(cls, same: Any = "exact", *, aliases: Any = None, part_limit: Any = PART_LIMIT) -> Same:
        """Return the notion that a user has chosen.

        Args:
            same: ways of being the same with ``+`` between them, such as ``fold+part``; a ``Same`` is returned as it
                is.
            aliases: lists of names that mean the same, or ``Aliases``; they are needed by ``alias`` alone.
            part_limit: the most names of two or more words that a word may occur in, and still count by itself.

        Raises:
            CleancutError: a way is unknown, aliases are missing, or an option has no effect.
        """
        limit = checks.whole(part_limit, "part_limit")
        if isinstance(same, Same):
            if aliases is not None or limit not in (PART_LIMIT, same.part_limit):
                raise CleancutError("aliases= and part_limit= belong to the notion. Give them to Same.of().")
            return same
        notions = _parse(same)
        if limit != PART_LIMIT and Notion.PART not in notions:
            raise CleancutError(f"part_limit={limit} has no effect on same={quoted(same)}. Add +part, or leave it out.")
        if Notion.ALIAS in notions and aliases is None:
            raise CleancutError(f"same={quoted(same)} needs a table of aliases. Give aliases= (--aliases FILE).")
        if Notion.ALIAS not in notions and aliases is not None:
            raise CleancutError(f"aliases= has no effect on same={quoted(same)}. Add +alias, or leave it out.")
        table = None if aliases is None else Aliases.of(aliases)
        return cls(notions, table, limit)

    @classmethod
    def several(cls, same: Any, *, aliases: Any = None, part_limit: Any = PART_LIMIT) -> list[Same]:
        """Return several notions, each with the aliases and the limit if they matter to it.

        Args:
            same: the notions, with commas between them or as a list.
            aliases: lists of names that mean the same, or None.
            part_limit: the limit of generic words.

        Raises:
            CleancutError: a notion is unknown or given twice, or an option has an effect on none.

        >>> [str(same) for same in Same.several("exact,part", part_limit=5)]
        ['exact', 'part(5)']
        """
        listed = same.split(",") if isinstance(same, str) else same
        given = [same] if isinstance(same, Same) else checks.ordered(listed, "same", "a list of notions")
        if len(given) == 1:
            return [cls.of(given[0], aliases=aliases, part_limit=part_limit)]
        notions = []
        limit = checks.whole(part_limit, "part_limit")
        parsed_notions = [one.notions if isinstance(one, Same) else _parse(one) for one in given]
        if aliases is not None and not any(Notion.ALIAS in parsed for parsed in parsed_notions):
            raise CleancutError(f"aliases= has no effect on same={quoted(same)}. Add +alias, or leave it out.")
        if limit != PART_LIMIT and not any(Notion.PART in parsed for parsed in parsed_notions):
            raise CleancutError(f"part_limit={limit} has no effect on same={quoted(same)}. Add +part, or leave it out.")
        for one, parsed in zip(given, parsed_notions, strict=True):
            own_aliases = aliases if Notion.ALIAS in parsed else None
            own_limit = part_limit if Notion.PART in parsed else PART_LIMIT
            notion = cls.of(one, aliases=own_aliases, part_limit=own_limit)
            if notion in notions:
                raise CleancutError(f"same={quoted(same)}: {notion} is there twice. Give each notion once.")
            notions.append(notion)
        if not notions:
            raise CleancutError("same=[]: there is no notion to try. Give at least one, such as 'exact'.")
        return notions

    def __str__(self) -> str:
        return "+".join(self._shown(notion) for notion in self.notions)

    def _shown(self, notion: Notion) -> str:
        """Return a way as signatures name it: with the limit where it is another one, and with the aliases."""
        if notion is Notion.ALIAS and self.aliases is not None:
            return f"alias({self.aliases.fingerprint})"
        if notion is Notion.PART and self.part_limit != PART_LIMIT:
            return f"part({self.part_limit})"
        return notion.value

    def has(self, notion: Notion) -> bool:
        """Return whether the notion includes a way.

        Args:
            notion: the way.
        """
        return notion is Notion.EXACT or notion in self.notions

    @property
    def is_exact(self) -> bool:
        """Whether the names must be the same as the entity key compares them, and nothing else counts."""
        return self.notions == (Notion.EXACT,)

    def forms(self, names: Iterable[Sequence[str]], key: Key) -> list[str]:
        """Return the form of each name in which it is compared. Names of equal forms are the same.

        Args:
            names: the words of each name, in the form in which the key compares them.
            key: the entity key.

        >>> Same.of("fold").forms([["U.S.", "A"], ["usa"], ["@"]], Key())
        ['usa', 'usa', '@']
        """
        folds = Notion.FOLD in self.notions
        known = self.aliases.classes(key, folds) if self.aliases is not None else {}
        form = folded_name if folds else "\0".join
        if not known:
            return list(map(form, names))
        forms = []
        for name in names:
            own = form(name)
            in_table = own if folds else " ".join(name)
            forms.append(known.get(in_table, own))
        return forms


EXACT = Same()
"""The default: names are the same if their words are, as the entity key compares them."""


def notion_setting(same: Same) -> dict[str, str]:
    """Return what a signature says of a notion; nothing of ``exact``, which signatures did not name before.

    Args:
        same: the notion.
    """
    return {} if same.is_exact else {"same": str(same)}


def notions_text(same: Same) -> str:
    """Return the ways that a notion combines, with the fingerprint of its aliases but without its limit.

    Args:
        same: the notion.
    """
    return str(Same(same.notions, same.aliases))


def parse_notions(text: Any) -> list[str]:
    """Return the ways that a text combines, in their order; one with aliases may have their fingerprint.

    Args:
        text: the text, such as ``notions_text`` writes it.

    Raises:
        CleancutError: a way is unknown.

    >>> parse_notions("part+alias(0a1b2c)")
    ['alias(0a1b2c)', 'part']
    """
    stated = _WITH_FINGERPRINT.search(text) if isinstance(text, str) else None
    plain = _WITH_FINGERPRINT.sub("alias", text) if stated else text
    return [stated[0] if stated and notion is Notion.ALIAS else notion.value for notion in _parse(plain)]


_WITH_FINGERPRINT = re.compile(r"\balias\([0-9a-f]{6}\)")


def _parse(same: Any) -> tuple[Notion, ...]:
    """Return the ways that a text combines, in their order."""
    wanted = f"Combine {', '.join(Notion)} with +, such as fold+part"
    if not isinstance(same, str):
        raise CleancutError(f"same={quoted(same)} is unknown. {wanted}.")
    chosen = []
    for name in str.lower(same).split("+"):
        name = name.strip()
        if name not in list(Notion):
            raise CleancutError(
                f"same={quoted(same)}: {quoted(name)} is unknown.{did_you_mean(name, Notion)} {wanted}."
            )
        chosen.append(Notion(name))
    looser = set(chosen) - {Notion.EXACT}
    return tuple(notion for notion in Notion if notion in looser) or (Notion.EXACT,)


# --- folding ----------------------------------------------------------------------------------------------


def folded_word(word: str) -> str:
    """Return the letters, marks and digits of a word, in NFKC and without case; empty if it has none of them.

    Marks alone are nothing to compare: a word without letters and digits folds to an empty text. Variation selectors,
    which are marks but choose how a character is drawn, are removed.

    Args:
        word: the word.

    >>> [folded_word(word) for word in ("U.S.", "Straße", "ﬁＮ-2", "--", "É")]
    ['us', 'strasse', 'fin2', '', 'é']
    """
    if word.isascii():
        lower = word.lower()
        return lower if lower.isalnum() else _NOT_ASCII_LETTERS.sub("", lower)
    word = unicodedata.normalize("NFD", word).casefold()
    word = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).casefold())
    kept = [letter for letter in word if _is_compared(letter)]
    return unicodedata.normalize("NFKC", "".join(kept)) if any(map(str.isalnum, kept)) else ""


_NOT_ASCII_LETTERS = re.compile("[^a-z0-9]+")


def _is_compared(letter: str) -> bool:
    """Return whether a character is a letter, a digit, or a mark of a letter."""
    return letter.isalnum() or _is_mark(letter)


def _is_mark(letter: str) -> bool:
    """Return whether a character is a mark that belongs to a letter."""
    return unicodedata.category(letter).startswith("M") and not _SELECTS_A_GLYPH.match(letter)


_SELECTS_A_GLYPH = re.compile("[\u034f\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Variation selectors, and the joiner that keeps marks apart: marks that are not seen by themselves."""


def folded_name(words: Sequence[str]) -> str:
    """Return the folded words of a name without spaces; a name of which nothing remains is kept as it is.

    Args:
        words: the words of the name.

    >>> folded_name(["New", "York"]), folded_name(["New-York"]), folded_name(["@", "!"])
    ('newyork', 'newyork', '@ !')
    """
    return "".join(map(folded_word, words)) or " ".join(words)


# --- aliases ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Aliases:
    """Names that mean the same. Lines that have a name in common are one class.

    >>> table = Aliases.of([["USA", "United States"], ["United States", "America"]])
    >>> len(set(table.classes(Key(), folds=False).values()))
    1
    """

    lines: tuple[tuple[str, ...], ...]
    """The names of each line, sorted, as are the lines: their order does not matter."""

    @classmethod
    def of(cls, lines: Any) -> Aliases:
        """Return the table of some lines.

        Args:
            lines: two or more names for each line.

        Raises:
            CleancutError: a line is not a list of names, or has fewer than two.
        """
        if isinstance(lines, Aliases):
            return lines
        if isinstance(lines, str | bytes | Mapping) or not isinstance(lines, Iterable):
            raise CleancutError(f"aliases={quoted(lines)}: give a list of lines, each with two or more names.")
        return cls(tuple(sorted({_line(number, line) for number, line in enumerate(checks.in_order(lines), 1)})))

    @cached_property
    def fingerprint(self) -> str:
        """Six hexadecimal digits that depend on the names and lines, but not on their order."""
        return hashlib.blake2b(json.dumps(self.lines).encode(), digest_size=3).hexdigest()

    def classes(self, key: Key, folds: bool) -> dict[str, str]:
        """Return the form of each class by the forms of its names.

        Args:
            key: the entity key, which says how words are compared.
            folds: whether names are folded.
        """
        tables: dict[tuple[Key, bool], dict[str, str]] = self.__dict__.setdefault("_tables", {})
        if (key, folds) not in tables:
            tables[key, folds] = _closed(_forms_of_lines(self.lines, key, folds))
        return tables[key, folds]


def _line(number: int, line: Any) -> tuple[str, ...]:
    """Return the distinct names of a line, sorted."""
    if isinstance(line, str | bytes | Mapping) or not isinstance(line, Iterable):
        raise CleancutError(f"aliases: line {number} is {quoted(line)}. Give two or more names.")
    names = checks.in_order(line)
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise CleancutError(f"aliases: line {number} has {quoted(name)} as a name. Give texts that are not empty.")
    if len(names) < 2:
        raise CleancutError(f"aliases: line {number} has {len(names)} name, {quoted(line)}. Give two or more.")
    return tuple(sorted(set(names)))


def _forms_of_lines(lines: Iterable[Sequence[str]], key: Key, folds: bool) -> Iterator[list[str]]:
    """Yield the forms of the names of each line."""
    form = folded_name if folds else " ".join
    for line in lines:
        yield [form([key.fold(word) for word in name.split()]) for name in line]


def _closed(lines: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return a form for each class of names, by its names. Lines with a common name are of one class."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while (above := parent.setdefault(name, name)) != name:
            parent[name] = parent[above]
            name = parent[name]
        return name

    for first, *others in lines:
        for other in others:
            one, two = sorted((root(first), root(other)))
            parent[two] = one  # the first in alphabetical order stands for the class, in any order of lines
    return {name: f"\0{root(name)}" for name in list(parent)}
