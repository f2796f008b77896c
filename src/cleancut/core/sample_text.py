"""Where a name stands in the text of a sample: exactly, else more loosely."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property, lru_cache, partial
from html import unescape
from itertools import accumulate
from typing import NamedTuple

from .answer_records import Named, squeezed

MOST_PLACES = 4096
"""Places of one name that are looked at, if it is not named more often. So many has a full stop in a long text."""
MOST_PLACES_OF_ALL = 500_000
"""Places of all names of an answer together, which bound the memory."""
ALIKE = 0.85
"""Share of letters in common from which on words are taken for a misspelt mention, where that is asked for."""
MOST_WINDOWS = 20_000
"""Stretches of a text that are compared with a misspelt mention."""


class Place(NamedTuple):
    """A stretch of tokens, half-open."""

    start: int
    end: int


_place = partial(tuple.__new__, Place)
"""Makes a ``Place`` of its two values, at half the cost of its constructor."""


class Line:
    """Tokens without white space one after the other, and which of them begins and ends where."""

    def __init__(self, tokens: Sequence[str], text: str) -> None:
        self._tokens, self.text = tokens, text
        self.starts: dict[int, int]
        self.ends: dict[int, int]
        bounds = [0, *accumulate(map(len, tokens))]
        if "" not in tokens:  # where a token ends, the next one begins
            self.starts = self.ends = dict(zip(bounds, range(len(bounds)), strict=True))
            return
        kept = [i for i, token in enumerate(tokens) if token]  # empty ones are in no name
        self.starts = {bounds[i]: i for i in kept}
        self.ends = {bounds[i + 1]: i + 1 for i in kept}


class Words:
    """The places of the tokens of a text, by which names that begin with a token are looked up.

    Args:
        tokens: the tokens of the text.
        letters: the first letters of the names that will be looked up; None for any.
    """

    def __init__(self, tokens: Sequence[str], letters: Collection[str] | None = None) -> None:
        self._tokens = tokens
        self._starts: dict[str, list[int]] = {}
        self._sizes: dict[str, list[int]] = {}
        """The lengths of the tokens that begin with a letter, by the letter."""
        for i, token in enumerate(tokens):
            if letters is None or token[:1] in letters:
                if token in self._starts:
                    self._starts[token].append(i)
                else:
                    self._starts[token] = [i]
        self._starts.pop("", None)  # empty ones begin no name
        sizes: dict[str, set[int]] = {}
        for word in self._starts:
            sizes.setdefault(word[0], set()).add(len(word))
        self._sizes = {letter: sorted(lengths) for letter, lengths in sizes.items()}

    def places(self, key: str, most: int) -> list[Place]:
        """Return where whole tokens are a name, from left to right.

        Args:
            key: the name without white space.
            most: the most places that are returned.
        """
        places: list[Place] = []
        n_ways = 0
        for size in self._sizes.get(key[:1], ()):
            starts = self._starts.get(key[:size])
            if starts is None or size > len(key):
                continue
            n_ways += 1
            if size == len(key):
                places += [_place((start, start + 1)) for start in starts[:most]]
                continue
            for start in starts:
                end = self._end(key, size, start + 1)
                if end is not None:
                    places.append(_place((start, end)))
                    if len(places) >= most:
                        break
        return sorted(places)[:most] if n_ways > 1 else places

    def _end(self, key: str, at: int, following: int) -> int | None:
        """Return the token after the last one of a name; None if the tokens are not those of the name.

        Args:
            key: the name without white space.
            at: the number of its letters that tokens before have matched.
            following: the token that must go on with the next letters.
        """
        tokens = self._tokens
        while at < len(key):
            if following == len(tokens) or not key.startswith(tokens[following], at):
                return None
            at += len(tokens[following])
            following += 1
        return following


class SampleText:
    """The text of a sample, in which names are looked for."""

    def __init__(self, tokens: Sequence[str], text: str | None = None) -> None:
        self.tokens = tokens
        self._text = text
        self._n_left = MOST_PLACES_OF_ALL

    @cached_property
    def _squeezed(self) -> tuple[Sequence[str], str]:
        """The tokens without white space, and their text."""
        joined = "".join(self.tokens)
        if joined.split() == [joined]:  # almost always
            return self.tokens, joined
        tokens = [squeezed(token) for token in self.tokens]
        return tokens, "".join(tokens)

    @cached_property
    def exact(self) -> Line:
        """The text as it is, but for white space."""
        return Line(*self._squeezed)

    @cached_property
    def normal(self) -> Line:
        """The text without regard to case, quotes, dashes and width."""
        return Line(self._normal_tokens, "".join(self._normal_tokens))

    @cached_property
    def _normal_tokens(self) -> list[str]:
        """The tokens without regard to case, quotes, dashes and width."""
        return [normalised(token) for token in self.tokens]

    @cached_property
    def _normal_words(self) -> Words:
        """The places of the normal tokens."""
        return Words(self._normal_tokens)

    @cached_property
    def _lowered(self) -> str | None:
        """The normal text, where it differs in nothing but its case from the exact one; else None."""
        lowered = self._squeezed[1].lower()
        if not lowered.isascii() or "`" in lowered or "''" in lowered:
            return None
        return lowered if "-" not in lowered or _ANY_ESCAPED.search(lowered) is None else None

    @cached_property
    def spaced(self) -> str:
        """The text that character offsets count in."""
        return self._text if self._text is not None else " ".join(self.tokens)

    @cached_property
    def first_letters(self) -> list[int]:
        """Where each token begins in ``spaced``."""
        starts, at = [], 0
        for token in self.tokens:
            at = self.spaced.find(token, at) if self._text is not None else at
            starts.append(at)
            at += len(token) + (self._text is None)
        return starts

    def places(self, n_wanted: Mapping[str, int], fuzzy: bool) -> dict[str, list[Place]]:
        """Return where names stand, from left to right: more loosely where the strict places are too few.

        Args:
            n_wanted: how often each name is looked for.
            fuzzy: may a name differ in some letters?
        """
        keys = {name: squeezed(name) for name in n_wanted}
        words = Words(self._squeezed[0], {key[:1] for key in keys.values()})
        places: dict[str, list[Place]] = {}
        for name, n in n_wanted.items():
            if n > self._n_left:  # so many that the rest of them is left alone
                places[name] = []
                continue
            most = MOST_PLACES if 2 * n <= MOST_PLACES <= self._n_left else min(max(MOST_PLACES, 2 * n), self._n_left)
            of_name = words.places(keys[name], most)
            if len(of_name) < n:
                of_name = self._loose_places(name, of_name, n, most, fuzzy)
            self._n_left -= len(of_name)
            places[name] = of_name
        return places

    def _loose_places(self, name: str, places: list[Place], n_wanted: int, most: int, fuzzy: bool) -> list[Place]:
        """Return the places of a name that stands more rarely in the text than it is looked for."""
        if not self._is_nowhere(name):
            for loosely in (self._normal_places, self._part_places):
                if len(places) < n_wanted:
                    places = sorted({*places, *loosely(name, most)})
        return self._alike(name) if not places and fuzzy else places

    def _is_nowhere(self, name: str) -> bool:
        """Return whether a glance shows that a name does not stand in the text, not even loosely."""
        if self._lowered is None or not name.isascii() or _ODD.search(name) is not None:
            return False
        core = squeezed(name.strip(_AROUND).lower())
        return bool(core) and core not in self._lowered

    def _normal_places(self, name: str, most: int) -> list[Place]:
        """Return where whole tokens are a name, but for case, quotes, dashes, width and a full stop at its end."""
        for key in _spellings(name):
            places = self._normal_words.places(key, most)
            if places:
                return places
        return []

    def _part_places(self, name: str, most: int) -> list[Place]:
        """Return places inside of tokens, where the name is a word of its own: ``U.S.`` in ``U.S.-based``."""
        for line, key in ((self.exact, squeezed(name)), (self.normal, normalised(name))):
            places = _parts(line, key, most) if key else []
            if places:
                return places
        return []

    def _alike(self, name: str) -> list[Place]:
        """Return places whose words differ from the name in some letters; only the most similar ones."""
        key, n_words = normalised(name), max(len(name.split()), 1)
        letters = [normalised(token) for token in self.tokens[:MOST_WINDOWS]]
        best, most_alike = ALIKE, list[Place]()
        matcher = SequenceMatcher(autojunk=False)
        matcher.set_seq2(key)
        for size in range(max(n_words - 1, 1), n_words + 3):
            for start in range(len(letters) - size + 1):
                matcher.set_seq1("".join(letters[start : start + size]))
                if matcher.real_quick_ratio() < best or matcher.quick_ratio() < best:
                    continue
                ratio = matcher.ratio()
                if ratio > best:
                    best, most_alike = ratio, []
                if ratio >= best:
                    most_alike.append(Place(start, start + size))
        return sorted(most_alike)

    def is_at_words(self, named: Named) -> bool:
        """Return whether the offsets of a mention, taken for characters, begin and end where tokens do."""
        start, end = named.start, named.end
        if start is None or end is None or not start < end <= len(self.spaced):
            return False
        first = bisect_left(self.first_letters, start)
        last = bisect_left(self.first_letters, end) - 1
        begins = first < len(self.tokens) and self.first_letters[first] == start
        return begins and self.first_letters[last] + len(self.tokens[last]) == end

    def place_of(self, named: Named, *, in_letters: bool = False) -> Place | None:
        """Return the place that the offsets of a mention give, tokens or characters, if its name stands there.

        ``in_letters``: offsets of mentions without a name count characters, since all of them begin and end at words.
        """
        start, end = named.start, named.end
        if start is None or end is None or not start < end:
            return None
        key = squeezed(named.text)
        are_tokens = squeezed("".join(self.tokens[start:end])) == key if key else not in_letters
        if end <= len(self.tokens) and are_tokens:
            return Place(start, end)
        if end > len(self.spaced):
            return None
        words = self.spaced[start:end]
        if key and squeezed(words) != key:
            return None
        # offsets may begin or end at white space
        start += len(words) - len(words.lstrip())
        end -= len(words) - len(words.rstrip())
        first = bisect_left(self.first_letters, start + 1) - 1
        until = bisect_left(self.first_letters, end)
        return Place(first, until) if 0 <= first < until else None


def _parts(line: Line, key: str, most: int) -> list[Place]:
    """Return where a name is a word of its own inside of tokens, which are then taken whole."""
    parts: dict[Place, None] = {}
    at = line.text.find(key)
    while at >= 0 and len(parts) < most:
        end = at + len(key)
        begins = at in line.starts or _is_apart(line.text[at - 1], line.text[at])
        stops = end in line.ends or _is_apart(line.text[end - 1], line.text[end])
        if begins and stops:
            first = at
            while first not in line.starts:
                first -= 1
            until = end
            while until not in line.ends:
                until += 1
            parts[Place(line.starts[first], line.ends[until])] = None
        at = line.text.find(key, at + 1)
    return list(parts)


def _is_apart(left: str, right: str) -> bool:
    """Return whether a word can end between two letters. In scripts without spaces it can anywhere."""
    return not (left.isalnum() and right.isalnum()) or _has_no_spaces(left) or _has_no_spaces(right)


def _has_no_spaces(letter: str) -> bool:
    """Return whether a letter is of a script without spaces: Thai, Lao, Burmese, Chinese, Japanese."""
    return "\u0e00" <= letter <= "\u0eff" or "\u1000" <= letter <= "\u109f" or "\u2e80" <= letter <= "\u9fff"


_LETTERS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032`\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0e\ufe0f\u200e\u200f\u061c", None),
    }
)
_ESCAPED = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}
_ANY_ESCAPED = re.compile("|".join(_ESCAPED))


@lru_cache(1 << 16)
def normalised(text: str) -> str:
    r"""Return a text without regard to case, quotes, dashes, white space and the width of letters.

    >>> normalised("\uff21da\u2019s") == normalised("ADA 'S")
    True
    """
    if text.isascii():
        text = text.lower()
    else:
        text = unicodedata.normalize("NFKC", text.translate(_LETTERS)).translate(_LETTERS).casefold()
    text = squeezed(text).replace("`", "'").replace("''", '"')
    return _ANY_ESCAPED.sub(lambda sign: _ESCAPED[sign[0]], text) if "-" in text else text


_ODD = re.compile(r"[&\\`'-]")
"""Signs that a name may be spelt without, or otherwise."""
_AROUND = " \"'*_.,;:!?()[]{}<>"


def _spellings(name: str) -> list[str]:
    """Return the spellings that a name may have in the text: with a full stop or not, without what is around it."""
    key = normalised(name)
    stripped = normalised(name.strip(_AROUND))
    ways = [key, key.removesuffix("."), f"{key}.", stripped, f"{stripped}."]
    if "&" in key:
        ways.append(normalised(unescape(name)))
    if "\\" in key:
        ways.append(key.replace("\\", ""))
    return [way for way in dict.fromkeys(ways) if way.strip(".")] or [way for way in dict.fromkeys(ways) if way]
