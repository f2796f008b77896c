"""Tags: the only decoder and encoder of BIO-style tags.

One conlleval-style transition table decodes every scheme (IOB1, IOB2, IOE1, IOE2, BIOES, BILOU, BMES, BMEOW, IO),
so that what is decoded never depends on what was inferred, and shards of a corpus agree with the whole.
A scheme is only needed to say which mentions are *ill-formed*: to count repairs, to discard or reject
them, to read bare IO names and to encode.
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
"""Says where a sample, or a token of it, came from: ``where(41)`` -> ``"sample 41 (test.conll, line 873)"``."""


class Scheme(StrEnum):
    """How mentions are written as tags."""

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
    """``"IOBES"`` -> ``Scheme.BIOES``; ``None`` (infer it) stays ``None``."""
    if value is None:
        return None
    return _ALIASES.get(str(value).lower()) or parse_choice(Scheme, value, "scheme")


# --- the table ------------------------------------------------------------------------------------


# conlleval: B and S always begin a mention, E and S always end one, so that a letter is two bits. A gap, the start of
# a sample and a change of type begin one too; those need more than the letters and are added in _segments.
_I, _B, _E, _S = range(4)

_BEGINS, _ENDS = 1, 2

_KIND = {"B": _B, "I": _I, "M": _I, "E": _E, "L": _E, "S": _S, "U": _S, "W": _S}

_LETTERS = "".join(_KIND)


class _Grammar(NamedTuple):
    """Which (first, last) letters a well-formed mention has: always, or only beside a neighbour of its type."""

    always: tuple[tuple[int, int], ...]
    after_neighbour: tuple[tuple[int, int], ...] = ()
    before_neighbour: tuple[tuple[int, int], ...] = ()


# Inside a mention that the table above cut out only I can stand, so its first and last letters decide.
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

# The letters of the first, a middle and the last token of a mention, and of a mention of one token.
_ENCODING = {
    Scheme.IOB1: "IIII", Scheme.IOB2: "BIIB", Scheme.IOE1: "IIII", Scheme.IOE2: "IIEE",
    Scheme.BIOES: "BIES", Scheme.BILOU: "BILU", Scheme.BMES: "BMES",
    Scheme.BMEOW: "BMEW", Scheme.IO: "IIII",
}  # fmt: skip


def _validity_table() -> NDArray[np.bool_]:
    """Is a mention well-formed, for [scheme, before a neighbour, after a neighbour, first letter, last letter]."""
    table = np.zeros((len(_SCHEMES), 2, 2, 4, 4), bool)
    for of_scheme, scheme in zip(table, _SCHEMES, strict=True):
        for pairs, part in zip(_GRAMMARS[scheme], (of_scheme, of_scheme[:, 1], of_scheme[1]), strict=True):
            for first, last in pairs:
                part[..., first, last] = True
    return table


# All that is judged comes to seven verdicts: is a mention well-formed, for [scheme, verdict], and the verdict on each
# pair of letters among its neighbours. The verdicts in a sample are a byte: is one ill-formed, for [byte, scheme].
_WELL_FORMED, _verdict = np.unique(_validity_table().reshape(len(_SCHEMES), -1), axis=1, return_inverse=True)

_VERDICT = _verdict.astype(np.uint8)

_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, count=_WELL_FORMED.shape[1])

_ILL_FORMED = (_BITS[:, None] > _WELL_FORMED).any(axis=2)

# --- what was seen of the scheme ------------------------------------------------------------------


@dataclass(frozen=True)
class Tagging:
    """What a tagged corpus shows of its scheme, as sums that add up over shards.

    ``letters`` is the set of prefix letters used, ``ill_formed`` the number of samples with at least one
    mention that is ill-formed under each scheme. The scheme is read off these, so merged shards
    infer what the whole corpus infers.
    """

    letters: frozenset[str] = frozenset()
    ill_formed: tuple[int, ...] = (0,) * len(_SCHEMES)
    judged_by: Scheme | None = None
    """The scheme that was given, or by which mentions were discarded."""
    repair: Repair = Repair.CONLLEVAL

    def __add__(self, other: Tagging) -> Tagging:
        if self.repair is not other.repair:
            raise CleancutError(
                f"scores with repair={self.repair.value!r} and repair={other.repair.value!r} do not add up."
            )
        if self.repair is not Repair.CONLLEVAL and self.letters and other.letters and self.judged_by != other.judged_by:
            raise CleancutError(
                f"mentions were discarded by scheme {self.judged_by} in one part and {other.judged_by} in another. "
                "Give the scheme."
            )
        sums = tuple(a + b for a, b in zip(self.ill_formed, other.ill_formed, strict=True))
        return Tagging(self.letters | other.letters, sums, self.judged_by or other.judged_by, self.repair)

    def scheme(self) -> Scheme | None:
        """The scheme that was given, else the one inferred; None where the letters fit no scheme."""
        if self.judged_by:
            return self.judged_by
        for scheme in _DISTINCT:
            if self.letters <= set(_SCHEME_LETTERS[scheme]):
                older = {Scheme.IOB2: Scheme.IOB1, Scheme.IOE2: Scheme.IOE1}.get(scheme, scheme)
                is_older = self.n_repaired(scheme) > 0 and self.n_repaired(older) == 0
                return older if is_older else scheme
        return None

    def scheme_beside(self, gold: Tagging | None) -> Scheme | None:
        """The scheme of predictions: that of the gold tags, unless they are well-formed in another."""
        expected = gold.scheme() if gold else None
        if self.judged_by or expected is None:
            return self.scheme()
        fits = self.letters <= set(_SCHEME_LETTERS[expected])
        if fits and self.n_repaired(expected) == 0:
            return expected
        own = (s for s in _DISTINCT if self.letters <= set(_SCHEME_LETTERS[s]) and self.n_repaired(s) == 0)
        return next(own, expected if fits else self.scheme())

    def n_repaired(self, scheme: Scheme | None) -> int:
        """Samples with a mention that the scheme does not allow (mixed letters are judged as BIOES)."""
        return self.ill_formed[_SCHEMES.index(scheme or Scheme.BIOES)]


# --- decoding -------------------------------------------------------------------------------------


class Decoded(NamedTuple):
    """Mentions in order of sample and start; ``label`` indexes the sorted ``labels``."""

    sample: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    label: NDArray[np.int32]
    labels: tuple[str, ...]
    tagging: Tagging


def prefix_letter(tag: str) -> str | None:
    """Return the letter that a tag begins with, whatever its scheme; None for ``O`` and for a bare name.

    >>> prefix_letter("B-PER"), prefix_letter("O"), prefix_letter("PER"), prefix_letter("art-music")
    ('B', None, None, None)
    """
    return tag[0] if len(tag) > 2 and tag[1] == "-" and tag[0] in _KIND else None


def written(tag: str) -> tuple[str, str] | None:
    """Return the letter and the type of a tag, however the two are joined; None for ``O`` and for a bare name.

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

_SEVERAL = re.compile(r"[|/;,+&#][A-Z]-\w")
"""What follows the first of several tags in one, as files of nested mentions have them: ``B-PER|I-ORG``."""


def is_outside(tag: str) -> bool:
    """Is it ``O``, also one with a letter, as some corpora write it: ``B-O``?"""
    parts = written(tag)
    return tag == "O" or (parts is not None and parts[1] == "O")


def letters_in(tags: Iterable[str]) -> frozenset[str]:
    """Return the letters of the tags of a corpus; none where they are bare names.

    A hyphen behind the letter is certain. In any other writing all tags must have a letter, and one be B or I:
    ``E_MAIL`` beside ``PHONE`` is a name.

    >>> sorted(letters_in(["O", "PER-B", "PER-I"])), sorted(letters_in(["O", "E_MAIL", "PHONE"]))
    (['B', 'I'], [])
    """
    entities = [tag for tag in tags if not is_outside(tag)]
    certain = frozenset(letter for tag in entities if (letter := prefix_letter(tag)))
    if certain:
        return certain
    found = [written(tag) for tag in entities]
    letters = frozenset(parts[0] for parts in found if parts is not None)
    return letters if None not in found and letters & {"B", "I"} else frozenset()


def inside_tag(label: str) -> str:
    """Return the tag of a token that goes on with a mention of a type and never begins one, in whatever scheme."""
    return f"I-{label}"


def split_tag(tag: str, scheme: Scheme | None = None) -> tuple[str, str]:
    """Prefix letter and type: ``B-geo-loc`` -> ``("B", "geo-loc")``, ``O`` and ``B-O`` -> ``("O", "")``.

    ``B_PER``, ``PER-B`` and ``PER_B`` are ``("B", "PER")``. A bare name (``PER``, ``art-music``) is a type of its own
    in the IO scheme and an error elsewhere.
    """
    if is_outside(tag):
        return "O", ""
    if scheme is Scheme.IO and tag not in ("", "B", "I", "I-") and not tag.startswith(("B-", "I-")):
        return "I", tag  # a bare name; one with B- shows that the tags are of another scheme
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
    """Mentions of tagged samples: ``tags[codes[i]]`` is the tag of token i, samples lie one after the other."""
    bounds = bounds_of(lengths)
    meaning, labels, letters, outside = _parse_inventory(codes, tags, scheme, lambda at: where(*locate(at, bounds)))
    sample, start, end, label, verdict = _segments(codes, bounds, meaning, outside)
    tagging = Tagging(letters, _ill_formed(sample, verdict, len(lengths)), scheme, repair)
    if repair is not Repair.CONLLEVAL and len(sample):
        judged = tagging.scheme()
        if judged is None:
            raise CleancutError(
                f"{where(0)}: the prefix letters {', '.join(sorted(letters))} belong to no one scheme, "
                f"so that repair={repair.value!r} is undefined. Give the scheme, or repair='conlleval'."
            )
        tagging = replace(tagging, judged_by=judged)
        keep = _WELL_FORMED[_SCHEMES.index(judged)].take(verdict)
        match repair:
            case Repair.DISCARD:
                sample, start, end, label = (column[keep] for column in (sample, start, end, label))
            case Repair.ERROR if keep.all():
                pass
            case Repair.ERROR:
                bad = int(np.argmin(keep))
                begin, until = (int(bounds[sample[bad]] + column[bad]) for column in (start, end))
                shown = " ".join(tags[c] for c in codes[begin:until][:8])
                raise CleancutError(
                    f"{where(int(sample[bad]), int(start[bad]))}: {quoted(shown)} is not a well-formed "
                    f"{judged.upper()} mention. Correct the tags, or give repair='conlleval' or 'discard'."
                )
            case _:
                assert_never(repair)
    # a name that no token has, or of which every mention was discarded, is no type of this corpus
    used = np.flatnonzero(np.bincount(label, minlength=len(labels)))
    if len(used) < len(labels):
        label, labels = np.searchsorted(used, label).astype(np.int32), tuple(labels[i] for i in used)
    return Decoded(sample, start, end, label, labels, tagging)


def _parse_inventory(
    codes: NDArray[np.integer], tags: Sequence[str], scheme: Scheme | None, at: Callable[[int], str]
) -> tuple[NDArray[np.unsignedinteger], tuple[str, ...], frozenset[str], list[int]]:
    """The letter (low two bits) and type of each tag, the type names, the letters, and the codes of O.

    A bad tag is refused.

    Tags that no token has may be anything, but their letters count: names of labels tell the scheme also where few
    of them occur.
    """
    parsed, refused = {}, {}
    for c, tag in enumerate(tags):
        try:
            parsed[c] = split_tag(tag, scheme)
        except CleancutError as error:
            refused[c] = str(error)
    if refused:
        found = np.isin(codes, list(refused))
        if found.any():
            c = int(codes[found].min())
            raise CleancutError(f"{at(int(np.argmax(codes == c)))}: {refused[c]}")
    entities = {c: (letter, name) for c, (letter, name) in parsed.items() if letter != "O"}
    labels = tuple(sorted({name for _, name in entities.values()}))
    rank = {name: r for r, name in enumerate(labels)}
    meaning = np.zeros(len(tags), np.min_scalar_type(4 * len(labels)))
    for c, (letter, name) in entities.items():
        meaning[c] = 4 * rank[name] + _KIND[letter]
    outside = [c for c, (letter, _) in parsed.items() if letter == "O"]
    return meaning, labels, frozenset(letter for letter, _ in entities.values()), outside


def _segments(
    codes: NDArray[np.integer],
    bounds: NDArray[np.int64],
    meaning: NDArray[np.unsignedinteger],
    outside: Sequence[int],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]:
    """Sample, start, end, type and verdict of each mention; ``outside`` are the codes of O."""
    if len(outside) == 1:  # the usual case, and the fast one
        inside = np.flatnonzero(codes != outside[0])
    else:
        is_entity = np.ones(len(meaning), bool)
        is_entity[outside] = False
        inside = np.flatnonzero(is_entity[codes])
    found = meaning.take(codes.take(inside))
    sample = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds)).take(inside)
    joined = (np.diff(inside) == 1) & (sample[1:] == sample[:-1])
    joined &= found[1:] ^ found[:-1] < 4  # of the same type
    starts = np.ones(len(inside), bool)
    starts[1:] = ~joined | (found[1:] & _BEGINS | found[:-1] & _ENDS).astype(bool)
    begin = np.flatnonzero(starts)
    final = np.append(begin[1:] - 1, len(inside) - 1)[: len(begin)]
    neighbour = np.zeros(len(begin) + 1, np.uint8)  # does mention k touch mention k - 1 of the same type?
    neighbour[1:-1] = joined.take(begin[1:] - 1)
    first, last, sample = found.take(begin), found.take(final), sample.take(begin)
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
    """For each scheme, how many samples have a mention that is ill-formed under it."""
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
    """Codes of all tokens and the tags they stand for (``tags[0]`` is O); mentions sorted, and not overlapping."""
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
