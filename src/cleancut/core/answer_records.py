"""Records of answers: the mentions that an answer names, and what is known beside it when it is read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from html import unescape
from typing import Any, NamedTuple

from .tags import prefix_letter, split_tag


class Style(StrEnum):
    """How an answer names its mentions."""

    AUTO = "auto"
    JSON = "json"
    BY_TYPE = "by-type"
    PAIRS = "pairs"
    XML = "xml"
    BRACKETS = "brackets"
    CODE = "code"
    LINES = "lines"
    MARKERS = "markers"


class Order(StrEnum):
    """What the order of an answer's mentions tells of their order in the text."""

    TEXT = "text"
    """They come as in the text."""
    TYPE = "type"
    """Those of one type do."""


class Named(NamedTuple):
    """A mention as an answer names it; with offsets where the answer gives some, which may be wrong."""

    text: str
    label: str
    start: int | None = None
    end: int | None = None


class Answer(NamedTuple):
    """What was understood of an answer."""

    mentions: tuple[Named, ...] = ()
    style: Style | None = None
    """The form that the mentions were found in; None where the answer has none."""
    order: Order = Order.TEXT
    marked: str | None = None
    """The text that the marks stood in, without them; the offsets of the mentions then count its characters."""
    unparsed: str | None = None
    """Why the answer was not understood; None where it was."""
    n_unread: int = 0
    """Items of an answer that were not understood, beside others that were."""
    is_cut: bool = False
    """Does the answer end too early, so that what was not complete is left out?"""

    @property
    def is_empty(self) -> bool:
        """Was the answer understood to name no mention?"""
        return self.unparsed is None and not self.mentions


def squeezed(text: str) -> str:
    """Return a text without its white space, so that texts that differ only in tokens compare equal.

    >>> squeezed("New York 's") == squeezed("New York's")
    True
    """
    return "".join(text.split())


WORD = re.compile(r"\w+|[^\w\s]")
_APART = re.compile(r"[\s_\-]+")


class KnownTypes:
    """The types that there are, found whatever their case and whatever stands between their words.

    >>> names = KnownTypes(["PER", "work_of_art"])
    >>> names.find("per"), names.find("Work of Art"), names.find("LOC")
    ('PER', 'work_of_art', None)
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = tuple(dict.fromkeys(names))
        self._exact = set(self.names)
        self._folded: dict[str, str] = {}
        for name in self.names:
            self._folded.setdefault(folded_type(name), name)

    def __bool__(self) -> bool:
        return bool(self.names)

    def find(self, label: Any) -> str | None:
        """Return the type that a label names, or None."""
        if not isinstance(label, str):
            return None
        if label in self._exact:
            return label
        found = self._folded.get(folded_type(label))
        if found is None and prefix_letter(label):  # B-PER, as taggers write it
            return self.find(split_tag(label)[1])
        return found


def folded_type(label: str) -> str:
    return _APART.sub("", label.casefold().strip(" \t\n:*`\"'<>[](){}#"))


class Context(NamedTuple):
    """What is known beside the answer."""

    types: KnownTypes
    label: str | None
    sample: str | None
    """The text of the sample, squeezed."""
    words: frozenset[str]
    n_tokens: int | None

    @property
    def only_label(self) -> str | None:
        """The type of mentions that come without one."""
        if self.label is not None:
            return self.label
        return self.types.names[0] if len(self.types.names) == 1 else None

    def is_sample(self, text: str) -> bool:
        """Is a text that of the sample, without any mark?"""
        return bool(self.sample) and self.sample in (squeezed(text), squeezed(unescape(text)))

    def is_none(self, text: str) -> bool:
        """Does a text stand for no mention? A word of the sample does not, such as ``NO``."""
        return is_none(text) and text.strip() not in self.words

    def in_text(self, words: str) -> bool:
        """Do these words stand in the sample, as far as it is known?"""
        return self.sample is not None and bool(words) and squeezed(words) in self.sample


_NONE = {"none", "null", "nil", "n/a", "na", "empty", "nothing", "no", "no entities", "no entity", "not found", "-", ""}


def is_none(text: str) -> bool:
    """Is it one of the words that stand for no mention?"""
    return text.strip(" .*`\"'[]{}()<>").lower() in _NONE


def is_plausible(mentions: Iterable[Named], context: Context) -> bool:
    """Has one of the mentions a type that there is, or a name that stands in the text?"""
    if not context.types and context.sample is None:
        return True
    return any(context.types.find(named.label) or context.in_text(named.text) for named in mentions)


def because(reason: str, text: str) -> str:
    shown = " ".join(text[:300].split())
    return f"{reason}: {shown[:77]}..." if len(shown) > 80 else f"{reason}: {shown}"
