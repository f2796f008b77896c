"""Records of answers: the mentions that an answer names, and what is known beside it when it is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from html import unescape
from typing import Any, NamedTuple

from .tags import prefix_letter


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


class RunName(NamedTuple):
    """A name that some words of a run may be: its first part, the part behind its last one, and the name."""

    first: int
    end: int
    text: str


class Run(NamedTuple):
    """Words that may be one name or several, such as ``Ada and Bo`` in a text that has these words.

    A way to read them is a row of names, each of which begins where the one before it ends, from the first part of the
    run to its last one.
    """

    text: str
    n_parts: int
    names: tuple[RunName, ...]
    """All names that a way to read the run may have."""


class Named(NamedTuple):
    """A mention as an answer names it; with offsets where the answer gives some, which may be wrong."""

    text: str
    label: str
    start: int | None = None
    end: int | None = None
    run: Run | None = None
    """The words that it was read from, where they can be read otherwise; the same object for all names of a run."""


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
    """Whether the answer ends too early. What was not complete is then left out."""

    @property
    def is_empty(self) -> bool:
        """Whether the answer was understood, and names no mention."""
        return self.unparsed is None and not self.mentions


def squeezed(text: str) -> str:
    """Return a text without its white space, so that texts that differ only in tokens compare equal.

    >>> squeezed("New York 's") == squeezed("New York's")
    True
    """
    return "".join(text.split())


WORD = re.compile(r"\w+|[^\w\s]")
_APART = re.compile(r"[\s_\-]+")


_MOST_AROUND = 40
"""Signs that may stand around the name of a type and between its words."""
_MOST_ASKED = 1 << 14
"""Labels whose types are remembered."""


class Edges(NamedTuple):
    """Letters that no type and no word for "none" begins with, and letters that none of them ends with."""

    first: frozenset[str]
    last: frozenset[str]


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
        self._longest = max(map(len, self.names), default=0) + _MOST_AROUND
        self._asked: dict[str, str | None] = {}

    @classmethod
    @lru_cache(64)
    def of(cls, names: tuple[str, ...]) -> KnownTypes:
        """Return the types of these names, with what is remembered of them."""
        return cls(names)

    def __bool__(self) -> bool:
        return bool(self.names)

    @cached_property
    def edges(self) -> Edges:
        """The letters by which most names are told from types at a glance."""
        words = [*self._folded, *_NONE]
        letters = {letter for letter in map(chr, range(128)) if letter.isalnum()}
        first = {letter for letter in letters if not any(word.startswith(letter.lower()) for word in words)}
        last = {letter for letter in letters if not any(word.endswith(letter.lower()) for word in words)}
        return Edges(frozenset(first - {"O"}), frozenset(last - {"O"}))

    def find(self, label: Any) -> str | None:
        """Return the type that a label names, or None."""
        if not isinstance(label, str) or len(label) > self._longest:
            return None
        if label not in self._asked:
            if len(self._asked) == _MOST_ASKED:
                self._asked.clear()
            self._asked[label] = self._find(label)
        return self._asked[label]

    def _find(self, label: str) -> str | None:
        """Return what ``find`` returns, without looking among the labels that were asked for before."""
        if label in self._exact:
            return label
        name = self._folded.get(folded_type(label))
        if name is None and prefix_letter(label):  # B-PER, as taggers write it
            return self.find(label[2:])
        if name is None and _MEMBER.fullmatch(label):  # EntityType.PER, as code writes it
            return self.find(label.rpartition(".")[2])
        return name

    def find_several(self, label: str) -> str | None:
        """Return the type that a label names, which may stand in the plural above its mentions.

        >>> KnownTypes(["person", "country"]).find_several("Countries")
        'country'
        """
        name = self.find(label)
        if name is None:
            words = label.rstrip(_AROUND_TYPE)
            for ending, singular in (("ies", "y"), ("es", ""), ("s", "")):
                if name is None and words.lower().endswith(ending):
                    name = self.find(words[: -len(ending)] + singular)
        return name


_MEMBER = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z]\w*)+")
_AROUND_TYPE = " \t\n:*`\"'#"


def folded_type(label: str) -> str:
    """Return the name of a type without its case, what stands around it, and what stands between its words.

    >>> folded_type(" **Work_of-Art:** "), folded_type("[PER]"), folded_type('{"PER')
    ('workofart', 'per', '{"per')
    """
    name = label.casefold().strip(_AROUND_TYPE)
    while f"{name[:1]}{name[-1:]}" in ("[]", "()", "{}", "<>"):
        name = name[1:-1].strip(_AROUND_TYPE)
    return _APART.sub("", name)


@dataclass(frozen=True)
class Context:
    """What is known beside an answer: the types that there are, the type asked for, the words of the sample."""

    types: KnownTypes
    label: str | None = None
    """The type that was asked for, where the answer is to one type only."""
    tokens: Sequence[str] | str | None = None
    """The tokens or the text of the sample, as far as they are known."""
    is_strict: bool = False
    """Whether words that come without a type and without quotes are no mentions."""

    @classmethod
    def of(cls, types: Iterable[str], tokens: Sequence[str] | str | None = None) -> Context:
        """Return a context in which types are known, and perhaps the words of the sample."""
        return cls(KnownTypes(types), None, tokens)

    @property
    def n_tokens(self) -> int | None:
        """The number of tokens of the sample; None where only its text is known, or nothing."""
        return None if self.tokens is None or isinstance(self.tokens, str) else len(self.tokens)

    @cached_property
    def sample(self) -> str | None:
        """The text of the sample, squeezed."""
        if self.tokens is None:
            return None
        text = self.tokens if isinstance(self.tokens, str) else "".join(self.tokens)
        return squeezed(text)

    @cached_property
    def _folded_sample(self) -> str:
        """The text of the sample, squeezed and without its case."""
        return (self.sample or "").casefold()

    @cached_property
    def _words(self) -> frozenset[str]:
        """The words of the sample."""
        if isinstance(self.tokens, str):
            return frozenset(WORD.findall(self.tokens))
        return frozenset(self.tokens or ())

    @property
    def only_label(self) -> str | None:
        """The type of mentions that come without one: the type that was asked for, or the only one that there is."""
        if self.label is not None:
            return self.label
        return self.types.names[0] if len(self.types.names) == 1 and not self.is_strict else None

    def is_sample(self, text: str) -> bool:
        """Return whether a text is that of the sample, without any mark."""
        if not self.sample or text.lstrip()[:1] not in (self.sample[0], "&"):
            return False
        return self.sample in (squeezed(text), squeezed(unescape(text)))

    def has_sample(self, text: str) -> bool:
        """Return whether a text, squeezed, holds that of the sample."""
        return self.sample is not None and self.sample in text

    def is_none(self, text: str) -> bool:
        """Return whether a text stands for no mention; most words of the sample do not, such as ``NO``."""
        if not is_none(text):
            return False
        word = text.strip(_AROUND_NONE)
        return word.lower() in _ALWAYS_NONE or self._words.isdisjoint((word, text.strip()))

    def in_text(self, words: str) -> bool:
        """Return whether words stand in the sample, in any case; False where the sample is not known."""
        key = squeezed(words)
        if not key or self.sample is None:
            return False
        return key in self.sample or key.casefold() in self._folded_sample

    def ends_with(self, word: str) -> bool:
        """Return whether a word is the last one of the sample, before the full stop."""
        return (self.sample or "").rstrip(".").endswith(word)

    def n_sure(self, mentions: Iterable[Named]) -> int:
        """Count the mentions that have a type that there is and a name that stands in the text.

        What is not known, the types or the text, tells nothing against a mention. A name without any letter or digit
        may stand in the text by chance.
        """
        n = 0
        for named in mentions:
            has_type = not self.types or self.types.find(named.label) is not None
            if has_type and (self.sample is None or not named.text or self._is_word_here(named.text)):
                n += 1
        return n

    def _is_word_here(self, name: str) -> bool:
        """Return whether a name has a letter or a digit, and stands in the sample."""
        return any(map(str.isalnum, name)) and self.in_text(name)


_ALWAYS_NONE = {"none", "null", "nil", "n/a", "no entities", "no entity", "not found", "-", "\u2013", "\u2014"}
"""What stands for no mention even where it is a word of the sample, as in "None of them came"."""
_NONE = {*_ALWAYS_NONE, "na", "nan", "empty", "nothing", "no", "\u2205", "\u00f8", ""}
_AROUND_NONE = " .*`\"'[]{}()<>"
_NONE_PHRASE = re.compile(
    r"not an? (?:named )?(?:entity|mention|name)"
    r"|(?:none|nothing|no(?: (?:such|other))?(?: (?:named )?(?:entit(?:y|ies)|mentions?|names?|results?|matches))?|not)"
    r"(?: (?:was|were|is|are))? (?:found|mentioned|identified|detected|present|listed|applicable|available|specified"
    r"|given|provided|stated|explicitly mentioned|recogni[sz]ed)(?: in (?:the|this) (?:text|sentence|passage))?"
)
"""Words for no mention that are more than one: ``None found``, ``Not mentioned``."""


def is_none(text: str) -> bool:
    """Return whether it is one of the words that stand for no mention."""
    words = text.strip(_AROUND_NONE).lower()
    return words in _NONE or (words[:2] == "no" and _NONE_PHRASE.fullmatch(words) is not None)


def is_plausible(mentions: Iterable[Named], context: Context) -> bool:
    """Return whether one of the mentions has a known type, or a name that stands in the text."""
    if not context.types and context.sample is None:
        return True
    return any(context.types.find(named.label) or context.in_text(named.text) for named in mentions)


def because(reason: str, text: str) -> str:
    """Return a reason with the beginning of the text that it is about."""
    shown = " ".join(text[:300].split())
    return f"{reason}: {shown[:77]}..." if len(shown) > 80 else f"{reason}: {shown}"
