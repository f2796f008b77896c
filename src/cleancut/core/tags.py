"""Decode and encode BIO-style tags. No other module knows the letters of tags.

One table of transitions, that of conlleval, decodes every scheme (IOB1, IOB2, IOE1, IOE2, BIOES, BILOU, BMES, BMEOW,
IO). So the decoded mentions never depend on which scheme was inferred, and shards of a corpus agree with the whole.
A scheme is needed only to say which mentions are *ill-formed* (to count repairs, to discard or reject them), to read
bare names of the IO scheme, and to encode.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple, assert_never

import numpy as np
from numpy.typing import NDArray

from .arrays import bounds_of, locate
from .exceptions import CleancutError, parse_choice, quoted

Where = Callable[..., str]
"""Names the place that a sample, or a token of it, came from: ``where(41)`` -> ``"sample 41 (x.conll, line 873)"``."""


class Scheme(StrEnum):
    """The ways to write mentions as tags."""

    IOB1 = "iob1"
    IOB2 = "iob2"
    IOE1 = "ioe1"
    IOE2 = "ioe2"
    BIOES = "bioes"
    BILOU = "bilou"
    BMES = "bmes"
    BMEOW = "bmeow"
    IO = "io"


class Repair(StrEnum):
    """What to do with ill-formed mentions: read them as conlleval does, leave them out, or refuse."""

    CONLLEVAL = "conlleval"
    DISCARD = "discard"
    ERROR = "error"


_ALIASES = {"iobes": Scheme.BIOES, "bmeso": Scheme.BMES, "bio": Scheme.IOB2, "iob": Scheme.IOB1}
_ALIASES |= {"bioul": Scheme.BILOU, "bmewo": Scheme.BMEOW}


def parse_scheme(value: str | None) -> Scheme | None:
    """Return the scheme that a user named; None, which asks to infer it, stays None.

    Args:
        value: the name of the scheme, in any case; other usual names such as ``IOBES`` are known too.

    Raises:
        CleancutError: there is no such scheme.

    >>> parse_scheme("IOBES")
    <Scheme.BIOES: 'bioes'>
    """
    if value is None:
        return None
    alias = _ALIASES.get(value.lower()) if isinstance(value, str) else None
    return alias or parse_choice(Scheme, value, "scheme")


# --- the table ------------------------------------------------------------------------------------


# In conlleval, B and S always begin a mention, and E and S always end one: a letter is two bits, _BEGINS and _ENDS.
# A gap, the start of a sample and a change of type begin a mention too. These need more than the letters: _segments.
_I, _B, _E, _S = range(4)

_BEGINS, _ENDS = 1, 2

_KIND = {"B": _B, "I": _I, "M": _I, "E": _E, "L": _E, "S": _S, "U": _S, "W": _S}

_LETTERS = "".join(_KIND)


class _Grammar(NamedTuple):
    """The pairs of first and last letters that a well-formed mention may have in a scheme."""

    always: tuple[tuple[int, int], ...]
    after_neighbour: tuple[tuple[int, int], ...] = ()
    """Pairs that are allowed only right after another mention of the same type."""
    before_neighbour: tuple[tuple[int, int], ...] = ()
    """Pairs that are allowed only right before another mention of the same type."""


# All letters between the first and the last one of a decoded mention are I, so these two decide.
_BRACKETS = _Grammar(((_S, _S), (_B, _E)))

_GRAMMARS = {
    Scheme.IOB1: _Grammar(((_I, _I),), after_neighbour=((_B, _B), (_B, _I))),
    Scheme.IOB2: _Grammar(((_B, _B), (_B, _I))),
    Scheme.IOE1: _Grammar(((_I, _I),), before_neighbour=((_E, _E), (_I, _E))),
    Scheme.IOE2: _Grammar(((_E, _E), (_I, _E))),
    Scheme.BIOES: _BRACKETS,
    Scheme.BILOU: _BRACKETS,
    Scheme.BMES: _BRACKETS,
    Scheme.BMEOW: _BRACKETS,
    Scheme.IO: _Grammar(((_I, _I),)),
}

_SCHEMES = tuple(Scheme)

_DISTINCT = (Scheme.IOB2, Scheme.IOE2, Scheme.BIOES, Scheme.BILOU, Scheme.BMES, Scheme.BMEOW)  # in order of inference

_SCHEME_LETTERS = {
    Scheme.IOB1: "BI", Scheme.IOB2: "BI", Scheme.IOE1: "IE", Scheme.IOE2: "IE",
    Scheme.BIOES: "BIES", Scheme.BILOU: "BILU", Scheme.BMES: "BMES",
    Scheme.BMEOW: "BMEW", Scheme.IO: "I",
}  # fmt: skip

# The letters of the first token, of a middle one and of the last one of a mention, and of a mention of one token.
_ENCODING = {
    Scheme.IOB1: "IIII", Scheme.IOB2: "BIIB", Scheme.IOE1: "IIII", Scheme.IOE2: "IIEE",
    Scheme.BIOES: "BIES", Scheme.BILOU: "BILU", Scheme.BMES: "BMES",
    Scheme.BMEOW: "BMEW", Scheme.IO: "IIII",
}  # fmt: skip


def _validity_table() -> NDArray[np.bool_]:
    """Return whether a mention is well-formed, by scheme, before neighbour, after neighbour, first and last letter."""
    table = np.zeros((len(_SCHEMES), 2, 2, 4, 4), bool)
    for of_scheme, scheme in zip(table, _SCHEMES, strict=True):
        for pairs, part in zip(_GRAMMARS[scheme], (of_scheme, of_scheme[:, 1], of_scheme[1]), strict=True):
            for first, last in pairs:
                part[..., first, last] = True
    return table


# Many situations are judged alike by all schemes. The distinct columns of the table are seven verdicts:
# _WELL_FORMED[scheme, verdict] says whether a mention is well-formed, and _VERDICT[situation] is the verdict on it.
# The set of verdicts that occur in a sample is a byte, one bit each: _ILL_FORMED[byte, scheme] says whether the sample
# has an ill-formed mention under a scheme.
_WELL_FORMED, _verdict = np.unique(_validity_table().reshape(len(_SCHEMES), -1), axis=1, return_inverse=True)

_VERDICT = _verdict.astype(np.uint8)

_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, count=_WELL_FORMED.shape[1])

_ILL_FORMED = (_BITS[:, None] > _WELL_FORMED).any(axis=2)

# --- what was seen of the scheme ------------------------------------------------------------------


@dataclass(frozen=True)
class Tagging:
    """What the tags of a corpus tell about their scheme.

    These are sums that add up over shards, and the scheme follows from them, so merged shards infer the same scheme as
    the whole corpus.
    """

    letters: frozenset[str] = frozenset()
    """The prefix letters that occur."""
    ill_formed: tuple[int, ...] = (0,) * len(_SCHEMES)
    """For each scheme, the number of samples with a mention that is ill-formed under it."""
    judged_by: Scheme | None = None
    """The scheme that was given, or by which mentions were discarded."""
    repair: Repair = Repair.CONLLEVAL

    def __add__(self, other: Tagging) -> Tagging:
        if self.repair is not other.repair:
            raise CleancutError(
                f"scores with repair='{self.repair.value}' and repair='{other.repair.value}' cannot be added."
            )
        if self.repair is not Repair.CONLLEVAL and self.letters and other.letters and self.judged_by != other.judged_by:
            raise CleancutError(
                f"mentions were discarded by scheme {self.judged_by} in one part and {other.judged_by} in another. "
                "Give the scheme."
            )
        sums = tuple(a + b for a, b in zip(self.ill_formed, other.ill_formed, strict=True))
        return Tagging(self.letters | other.letters, sums, self.judged_by or other.judged_by, self.repair)

    def scheme(self) -> Scheme | None:
        """Return the scheme that was given, else the one that the tags show; None if their letters fit no scheme."""
        if self.judged_by:
            return self.judged_by
        for scheme in _DISTINCT:
            if self.letters <= set(_SCHEME_LETTERS[scheme]):
                older = {Scheme.IOB2: Scheme.IOB1, Scheme.IOE2: Scheme.IOE1}.get(scheme, scheme)
                is_older = self.n_repaired(scheme) > 0 and self.n_repaired(older) == 0
                return older if is_older else scheme
        return None

    def scheme_beside(self, gold: Tagging | None) -> Scheme | None:
        """Return the scheme of predictions: that of the gold tags, unless they are well-formed in another one.

        Args:
            gold: the tagging of the gold tags; None if gold came as spans.
        """
        expected = gold.scheme() if gold else None
        if self.judged_by or expected is None:
            return self.scheme()
        fits = self.letters <= set(_SCHEME_LETTERS[expected])
        if fits and self.n_repaired(expected) == 0:
            return expected
        for scheme in _DISTINCT:
            if self.letters <= set(_SCHEME_LETTERS[scheme]) and self.n_repaired(scheme) == 0:
                return scheme
        return expected if fits else self.scheme()

    def n_repaired(self, scheme: Scheme | None) -> int:
        """Return the number of samples with a mention that a scheme does not allow.

        Args:
            scheme: the scheme; None, for letters that fit no scheme, is judged as BIOES.
        """
        return self.ill_formed[_SCHEMES.index(scheme or Scheme.BIOES)]


# --- decoding -------------------------------------------------------------------------------------


class Decoded(NamedTuple):
    """Decoded mentions, in order of sample and start. ``label`` indexes ``labels``, which are sorted."""

    sample: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    label: NDArray[np.int32]
    labels: tuple[str, ...]
    tagging: Tagging


def prefix_letter(tag: str) -> str | None:
    """Return the letter that a tag begins with, whatever its scheme; None for ``O`` and for a bare name.

    Args:
        tag: the tag.

    >>> prefix_letter("B-PER"), prefix_letter("O"), prefix_letter("PER"), prefix_letter("art-music")
    ('B', None, None, None)
    """
    return tag[0] if len(tag) > 2 and tag[1] == "-" and tag[0] in _KIND else None


def written(tag: str) -> tuple[str, str] | None:
    """Return the letter and the type of a tag, however the two are joined; None for ``O`` and for a bare name.

    Args:
        tag: the tag.

    >>> [written(tag) for tag in ("B-PER", "B_PER", "PER-B", "PER_B")]
    [('B', 'PER'), ('B', 'PER'), ('B', 'PER'), ('B', 'PER')]
    >>> [written(tag) for tag in ("O", "PER", "art-music")]
    [None, None, None]
    """
    if len(tag) < 3:
        return None
    if tag[1] in _JOINTS and tag[0] in _KIND:
        return tag[0], tag[2:]
    if tag[-2] in _JOINTS and tag[-1] in _KIND:
        return tag[-1], tag[:-2]
    return None


_JOINTS = "-_"

_PLACEHOLDERS = ("-", "_", "*", "0")
"""What stands for nothing in columns, or is mistaken for O, and is no tag."""
_SEVERAL_OUTSIDE = re.compile(r"O([|/;,+&#]([A-Z]-[^|/;,+&#]+|O))+")
"""Matches several tags in one, the first of which is O."""
_SEVERAL = re.compile(r"[|/;,+&#][A-Z]-\w")
"""Matches the second of several tags in one, as files with nested mentions have them: ``B-PER|I-ORG``."""


def is_outside(tag: str) -> bool:
    """Return whether a tag is ``O``, or ``O`` with a letter as some corpora write it: ``B-O``.

    Args:
        tag: the tag.
    """
    parts = written(tag)
    return tag == "O" or (parts is not None and parts[1] == "O")


def letters_in(tags: Iterable[str]) -> frozenset[str]:
    """Return the prefix letters of the tags of a corpus; empty if the tags are bare names.

    A letter and a hyphen at the beginning are certain to be a prefix. In any other form all tags must have a letter,
    and one of these must be B or I: ``E_MAIL`` beside ``PHONE`` is a name.

    Args:
        tags: the distinct tags of the corpus.

    >>> sorted(letters_in(["O", "PER-B", "PER-I"])), sorted(letters_in(["O", "E_MAIL", "PHONE"]))
    (['B', 'I'], [])
    """
    entities = [tag for tag in tags if not is_outside(tag)]
    certain = frozenset(letter for tag in entities if (letter := prefix_letter(tag)))
    if certain:
        return certain
    parsed = [written(tag) for tag in entities]
    letters = frozenset(parts[0] for parts in parsed if parts is not None)
    if None in parsed or not letters & {"B", "I"}:
        return frozenset()
    return letters


def inside_tag(label: str) -> str:
    """Return the tag of a token that continues a mention; in no scheme does it always begin one.

    Args:
        label: the type of the mention.
    """
    return f"I-{label}"


def split_tag(tag: str, scheme: Scheme | None = None) -> tuple[str, str]:
    """Return the prefix letter and the type of a tag.

    ``B_PER``, ``PER-B`` and ``PER_B`` mean the same as ``B-PER``, except in the IO scheme, where only ``I-PER`` has a
    letter: there, any other tag that does not begin with ``B-`` is a type with the letter I. A bare name (``PER``,
    ``art-music``) is an error in any other scheme, and where no scheme is given.

    Args:
        tag: the tag.
        scheme: the scheme, if it is known.

    Returns:
        The letter and the type. They are ``O`` and "" for a tag outside of all mentions (``O``, ``B-O``).

    Raises:
        CleancutError: the tag has no type or no letter, holds several tags, or does not belong to the scheme.

    >>> split_tag("B-geo-loc"), split_tag("O"), split_tag("PER_B")
    (('B', 'geo-loc'), ('O', ''), ('B', 'PER'))
    """
    if is_outside(tag):
        return "O", ""
    if tag in _PLACEHOLDERS:
        raise CleancutError(f"tag {quoted(tag)} says nothing. Write O for a token outside of all mentions.")
    if scheme is Scheme.IO and tag not in ("", "B", "I", "I-") and not tag.startswith(("B-", "I-")):
        return "I", tag  # a bare name; a tag with B- is not one, but belongs to another scheme
    if parts := written(tag):
        letter, name = parts
        if _SEVERAL.search(name):
            raise CleancutError(
                f"tag {quoted(tag)} holds several tags. Give nested mentions as spans (entities=), "
                "or one tag for each token."
            )
        if scheme and letter not in _SCHEME_LETTERS[scheme]:
            raise CleancutError(
                f"tag {quoted(tag)} is not in scheme {scheme.upper()}, whose letters are "
                f"{', '.join(_SCHEME_LETTERS[scheme])} and O. Give the right scheme, or none to have it inferred."
            )
        return letter, name
    if _SEVERAL_OUTSIDE.fullmatch(tag):
        raise CleancutError(f"tag {quoted(tag)} holds several tags. Give one tag for each token.")
    if tag == "o":
        raise CleancutError("tag 'o' is not O. Write O for a token outside of all mentions.")
    if tag.removesuffix("-") in _KIND:
        raise CleancutError(f"tag {quoted(tag)} has no type. Write it as {tag[0]}-TYPE.")
    raise CleancutError(
        f"tag {quoted(tag)} is not O and has no prefix letter (one of {', '.join(_LETTERS)}, then '-'). "
        "If the tags are bare type names, give scheme='io'."
    )


def decode(
    codes: NDArray[np.integer],
    lengths: NDArray[np.int64],
    tags: Sequence[str],
    *,
    scheme: Scheme | None,
    repair: Repair,
    where: Where,
) -> Decoded:
    """Return the mentions of tagged samples.

    Args:
        codes: the tag of each token, as an index into ``tags``; the samples lie one after the other.
        lengths: the number of tokens of each sample.
        tags: the inventory of tags.
        scheme: the scheme, or None to infer it where it is needed.
        repair: what to do with ill-formed mentions.
        where: names the place of a sample or token, for messages.

    Raises:
        CleancutError: a tag is not valid, or a mention is ill-formed and ``repair`` refuses it.
    """
    bounds = bounds_of(lengths)
    meaning, labels, letters, outside = _parse_inventory(codes, tags, scheme, lambda at: where(*locate(at, bounds)))
    sample, start, end, label, verdict = _segments(codes, bounds, meaning, outside)
    tagging = Tagging(letters, _ill_formed(sample, verdict, len(lengths)), scheme, repair)
    if repair is not Repair.CONLLEVAL and len(sample):
        judged = tagging.scheme()
        if judged is None:
            raise CleancutError(
                f"{where(0)}: the prefix letters {', '.join(sorted(letters))} belong to no one scheme, "
                f"so that repair='{repair.value}' is undefined. Give the scheme, or repair='conlleval'."
            )
        tagging = replace(tagging, judged_by=judged)
        well_formed = _WELL_FORMED[_SCHEMES.index(judged)].take(verdict)
        match repair:
            case Repair.DISCARD:
                sample, start, end, label = (column[well_formed] for column in (sample, start, end, label))
            case Repair.ERROR if well_formed.all():
                pass
            case Repair.ERROR:
                bad = int(np.argmin(well_formed))
                first_token = int(bounds[sample[bad]])
                mention = codes[first_token + int(start[bad]) : first_token + int(end[bad])]
                shown = " ".join(tags[code] for code in mention[:8])
                raise CleancutError(
                    f"{where(int(sample[bad]), int(start[bad]))}: {quoted(shown)} is not a well-formed "
                    f"{judged.upper()} mention. Correct the tags, or give repair='conlleval' or 'discard'."
                )
            case _:
                assert_never(repair)
    # A type whose name no token has, or whose mentions were all discarded, is not a type of this corpus.
    used = np.flatnonzero(np.bincount(label, minlength=len(labels)))
    if len(used) < len(labels):
        label = np.searchsorted(used, label).astype(np.int32)
        labels = tuple(labels[i] for i in used)
    return Decoded(sample, start, end, label, labels, tagging)


def _parse_inventory(
    codes: NDArray[np.integer], tags: Sequence[str], scheme: Scheme | None, at: Callable[[int], str]
) -> tuple[NDArray[np.unsignedinteger], tuple[str, ...], frozenset[str], list[int]]:
    """Return what each tag of an inventory means.

    A bad tag is refused if a token has it. The letters of tags that no token has count as well: the names of labels
    show the scheme even where few of them occur.

    Args:
        codes: the tag of each token.
        tags: the inventory of tags.
        scheme: the scheme, if it is known.
        at: names the place of a token, for messages.

    Returns:
        The meaning of each tag (four times its type, plus its letter), the names of the types, the letters that
        occur, and the codes of ``O``.
    """
    parsed: dict[int, tuple[str, str]] = {}
    refused: dict[int, str] = {}
    for code, tag in enumerate(tags):
        try:
            parsed[code] = split_tag(tag, scheme)
        except CleancutError as error:
            refused[code] = str(error)
    if refused:
        is_refused = np.isin(codes, list(refused))
        if is_refused.any():
            code = int(codes[is_refused].min())
            raise CleancutError(f"{at(int(np.argmax(codes == code)))}: {refused[code]}")
    entities = {code: parts for code, parts in parsed.items() if parts[0] != "O"}
    labels = tuple(sorted({name for _, name in entities.values()}))
    rank = {name: position for position, name in enumerate(labels)}
    meaning = np.zeros(len(tags), np.min_scalar_type(4 * len(labels)))
    for code, (letter, name) in entities.items():
        meaning[code] = 4 * rank[name] + _KIND[letter]
    outside = [code for code, (letter, _) in parsed.items() if letter == "O"]
    return meaning, labels, frozenset(letter for letter, _ in entities.values()), outside


def _segments(
    codes: NDArray[np.integer],
    bounds: NDArray[np.int64],
    meaning: NDArray[np.unsignedinteger],
    outside: Sequence[int],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]:
    """Return the sample, start, end, type and verdict of each mention.

    Args:
        codes: the tag of each token.
        bounds: where each sample begins.
        meaning: the meaning of each tag, as ``_parse_inventory`` returns it.
        outside: the codes of ``O``.
    """
    if len(outside) == 1:  # the usual case, and the fastest
        inside = np.flatnonzero(codes != outside[0])
    else:
        is_entity = np.ones(len(meaning), bool)
        is_entity[outside] = False
        inside = np.flatnonzero(is_entity[codes])
    # From here on there are only tokens that are not O; begin and final index these.
    tag = meaning.take(codes.take(inside))
    sample = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds)).take(inside)
    joined = (np.diff(inside) == 1) & (sample[1:] == sample[:-1])  # is a token right after another one?
    joined &= tag[1:] ^ tag[:-1] < 4  # and of the same type?
    starts = np.ones(len(inside), bool)
    starts[1:] = ~joined | (tag[1:] & _BEGINS | tag[:-1] & _ENDS).astype(bool)
    begin = np.flatnonzero(starts)
    final = np.append(begin[1:] - 1, len(inside) - 1)[: len(begin)]
    neighbour = np.zeros(len(begin) + 1, np.uint8)  # does mention k touch mention k - 1 of the same type?
    neighbour[1:-1] = joined.take(begin[1:] - 1)
    first = tag.take(begin)
    last = tag.take(final)
    sample = sample.take(begin)
    situation = ((neighbour[1:] * 2 + neighbour[:-1]) * 4 + (first & 3)) * 4 + (last & 3)
    offset = bounds.take(sample)
    return (
        sample,
        (inside.take(begin) - offset).astype(np.int32),
        (inside.take(final) - offset + 1).astype(np.int32),
        (first >> 2).astype(np.int32),
        _VERDICT.take(situation),
    )


def _ill_formed(sample: NDArray[np.int32], verdict: NDArray[np.uint8], n_samples: int) -> tuple[int, ...]:
    """Return, for each scheme, how many samples have a mention that is ill-formed under it."""
    seen = np.zeros((n_samples, 8), bool)
    seen.ravel()[sample.astype(np.intp) * 8 + verdict] = True
    return tuple((np.bincount(np.packbits(seen), minlength=256) @ _ILL_FORMED).tolist())


# --- encoding -------------------------------------------------------------------------------------


def encode(
    sample: NDArray[np.integer],
    start: NDArray[np.integer],
    end: NDArray[np.integer],
    label: NDArray[np.integer],
    labels: Sequence[str],
    lengths: NDArray[np.integer],
    scheme: Scheme,
    where: Where,
) -> tuple[NDArray[np.int32], list[str]]:
    """Write mentions as tags.

    Args:
        sample: the sample of each mention; mentions are sorted by sample and start.
        start: the first token of each mention.
        end: the token behind the last one of each mention.
        label: the type of each mention, as an index into ``labels``.
        labels: the names of types.
        lengths: the number of tokens of each sample.
        scheme: the scheme to write.
        where: names the place of a sample, for messages.

    Returns:
        The code of the tag of each token, and the tags; the first tag is ``O``.

    Raises:
        CleancutError: mentions overlap or, in the IO scheme, touch; or a type is called ``O``.
    """
    if "O" in labels:
        raise CleancutError("mentions of type 'O' cannot be written as tags: B-O is outside. Give it another name.")
    bounds = bounds_of(lengths)
    begin, until = bounds[sample] + start, bounds[sample] + end
    clash = np.flatnonzero(begin[1:] < until[:-1])
    if len(clash):
        k = int(clash[0])
        both = " and ".join(f"[{start[i]}, {end[i]}) {labels[label[i]]}" for i in (k, k + 1))
        raise CleancutError(
            f"{where(int(sample[k]))}: mentions {both} overlap, which tags cannot express. Keep them as spans (JSONL)."
        )
    touching = np.zeros(len(begin) + 1, bool)  # does mention k touch mention k - 1 of the same type?
    touching[1:-1] = (begin[1:] == until[:-1]) & (sample[1:] == sample[:-1]) & (label[1:] == label[:-1])
    if scheme is Scheme.IO and touching.any():
        k = int(np.argmax(touching))
        raise CleancutError(
            f"{where(int(sample[k]))}: two {labels[label[k]]} mentions touch at token {start[k]}, which the IO scheme "
            "would merge. Choose a scheme that keeps them apart, such as iob2."
        )
    size = until - begin
    token = np.repeat(begin - (np.cumsum(size) - size), size) + np.arange(int(size.sum()))
    letter = np.empty(int(bounds[-1]), np.int32)
    first, middle, last, single = (_LETTERS.index(letter) for letter in _ENCODING[scheme])
    letter[token] = middle
    letter[until - 1] = last
    letter[begin] = first
    letter[begin[size == 1]] = single
    if scheme is Scheme.IOB1:
        letter[begin[touching[:-1]]] = _LETTERS.index("B")
    if scheme is Scheme.IOE1:
        letter[until[touching[1:]] - 1] = _LETTERS.index("E")
    codes = np.zeros(len(letter), np.int32)
    codes[token] = 1 + np.repeat(label, size) * len(_LETTERS) + letter[token]
    return codes, ["O", *(f"{letter}-{name}" for name in labels for letter in _LETTERS)]
