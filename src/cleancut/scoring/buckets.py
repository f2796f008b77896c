"""Attribute buckets: the score broken down by what a mention, its sentence and its history in training are like.

An attribute is a function from the table of mentions to one value each (Fu et al., Section 3.1). Buckets are cut from
the values of the gold mentions (appendix B); predictions fall into them by their own values, so every mention of either
side is in exactly one bucket of each attribute and the counts add up to the totals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.arrays import bounds_of, ranges
from ..core.corpus import Corpus, Mentions
from ..core.exceptions import CleancutError, did_you_mean, parse_choice, quoted
from ..core.notices import say
from ..core.pairing import pair
from ..core.shown import Drawn
from ..core.type_names import types_setting
from .alignment import Aligner, Counts
from .exposure import Exposure
from .exposure_view import NOVELTY, Exposed
from .metric import Metric, f_beta
from .resampling import Part, Rows, intervals, parse_resampling
from .score import Sums, beta_setting, harmonic, signature


class Level(StrEnum):
    """What is counted: mentions, or the tokens in mentions (with their type, without boundaries)."""

    ENTITY = "entity"
    TOKEN = "token"


class Table:
    """The mentions of one side, gold or predicted, as columns. An attribute is a function of it.

    ``sample``, ``start``, ``end`` and ``size`` are arrays over the mentions, ``label`` is their type and ``text`` their
    words; ``sentence_length`` and ``sentence_mentions`` say how many tokens and mentions their sample has;
    ``shown`` is what training has shown of them (None without training data).
    """

    def __init__(self, corpus: Corpus, exposure: Exposure | None, level: Level = Level.ENTITY) -> None:
        self._per_sample = np.bincount(corpus.mentions.sample, minlength=len(corpus))
        if level is Level.TOKEN:
            corpus = replace(corpus, mentions=_token_mentions(corpus.mentions))
        self.corpus, self.mentions, self._exposure = corpus, corpus.mentions, exposure

    def __len__(self) -> int:
        return len(self.mentions)

    @property
    def sample(self) -> NDArray[np.int32]:
        return self.mentions.sample

    @property
    def start(self) -> NDArray[np.int32]:
        return self.mentions.start

    @property
    def end(self) -> NDArray[np.int32]:
        return self.mentions.end

    @property
    def size(self) -> NDArray[np.int32]:
        """Tokens of each mention."""
        return self.mentions.end - self.mentions.start

    @property
    def label(self) -> NDArray[np.str_]:
        """The type of each mention."""
        return np.array(self.mentions.labels or ("",))[self.mentions.label]

    @cached_property
    def text(self) -> list[str]:
        """The words of each mention, joined by spaces."""
        return self.corpus.texts()

    @property
    def sentence_length(self) -> NDArray[np.int64]:
        """Tokens of the sample of each mention."""
        return self.corpus.lengths[self.mentions.sample]

    @property
    def sentence_mentions(self) -> NDArray[np.int64]:
        """Mentions of the same side in the sample of each mention."""
        return self._per_sample[self.mentions.sample]

    @cached_property
    def shown(self) -> Exposed | None:
        """What training has shown of these mentions."""
        return None if self._exposure is None else self._exposure.view(self.corpus)

    def over_tokens(self, values: NDArray[Any], how: np.ufunc) -> NDArray[Any]:
        """Reduce values of all tokens of the corpus to one for each mention: ``np.add``, ``np.logical_and``, ..."""
        size = self.size.astype(np.int64)
        begin = bounds_of(self.corpus.lengths)[self.mentions.sample] + self.mentions.start
        inside = values[ranges(begin, size)]
        return how.reduceat(inside, np.cumsum(size) - size) if len(inside) else inside


def _token_mentions(mentions: Mentions) -> Mentions:
    """Each token of each mention, with its type; a token that two mentions of a type share counts once."""
    size = (mentions.end - mentions.start).astype(np.int64)
    start = ranges(mentions.start.astype(np.int64), size)
    sample, label = np.repeat(mentions.sample, size), np.repeat(mentions.label, size)
    return Mentions.of_columns(
        sample, start, start + 1, label, mentions.labels, mentions.n_samples, mentions.lengths, mentions.where
    )


# --- attributes -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attribute:
    """A property of mentions, and how its values are cut into buckets."""

    name: str
    values: Callable[[Table], NDArray[Any]]
    """One number for each mention, or one string where the values are categories."""
    title: str
    """What it is, in a few words."""
    how: str = ""
    """How it is counted, where the title does not say it."""
    needs_train: bool = False
    of_tokens: bool = True
    """Does it mean anything for a single token?"""
    alone: tuple[float, ...] = ()
    """Values with a bucket of their own, the smallest first and 1 last; the rest is cut into equal counts."""
    edges: tuple[float, ...] = ()
    """Where the buckets after the first begin, if they are the same for every corpus."""
    categories: tuple[str, ...] = ()
    """Buckets that are always listed, in this order."""


def _oov_density(table: Table) -> NDArray[np.float64]:
    assert table.shown is not None
    new = np.append(0, np.cumsum(~table.shown.word_seen))
    bounds = bounds_of(table.corpus.lengths)
    return (new[bounds[1:]] - new[bounds[:-1]])[table.sample] / table.sentence_length


def _shape(table: Table) -> NDArray[np.str_]:
    """Digits first; then how the words that have case are written, if all are written alike."""
    found = table.over_tokens(_word_shapes(table.corpus)[table.corpus.words], np.bitwise_and)
    names = np.full(len(table), "mixed", dtype=object)
    for name, flag in reversed(_SHAPES.items()):  # the first one listed wins
        names[(found & flag) > 0] = name
    digits = table.over_tokens((_word_shapes(table.corpus) & _DIGITS > 0)[table.corpus.words], np.logical_or)
    names[digits] = "digits"
    return names.astype(str)


_SHAPES = {"uncased": 1, "lower": 2, "title": 4, "upper": 8}
_DIGITS = 16


def _word_shapes(corpus: Corpus) -> NDArray[np.uint8]:
    """For each word of the vocabulary, the ways in which it counts as written; a word without case fits any."""
    flags = np.zeros(len(corpus.vocabulary), np.uint8)
    for w in corpus.used_words().tolist():
        word = corpus.vocabulary[w]
        lower, upper = word.lower(), word.upper()
        if lower == upper:
            flag = sum(_SHAPES.values())
        elif word == lower:
            flag = _SHAPES["lower"]
        else:
            flag = _SHAPES["upper"] if word == upper else 0
            flag |= _SHAPES["title"] if word[0] != lower[0] and word[1:] == lower[1:] else 0
        flags[w] = flag | (_DIGITS if any(map(str.isdigit, word)) else 0)
    return flags


def _novelty(table: Table) -> NDArray[np.str_]:
    assert table.shown is not None
    return np.array(NOVELTY)[table.shown.novelty]


def _shown(name: str) -> Callable[[Table], NDArray[Any]]:
    return lambda table: getattr(table.shown, name)


_ATTRIBUTES = {
    attribute.name: attribute
    for attribute in (
        Attribute("eDen", lambda t: t.sentence_mentions / t.sentence_length, "entity density", "mentions per token"),
        Attribute("oDen", _oov_density, "OOV density", "share of new words", needs_train=True, alone=(0,)),
        Attribute("sLen", lambda t: t.sentence_length, "sentence length in tokens"),
        Attribute(
            "eCon", _shown("span_consistency"), "entity label consistency", "training occurrences with this type",
            needs_train=True, of_tokens=False, alone=(0, 1),
        ),
        Attribute(
            "tCon", _shown("token_consistency"), "token label consistency", "the same of its tokens, the mean",
            needs_train=True, alone=(0, 1),
        ),
        Attribute(
            "eFre", _shown("surface_frequency"), "entity frequency", "training mentions with these words",
            needs_train=True, of_tokens=False, alone=(0,),
        ),
        Attribute(
            "tFre", _shown("token_frequency"), "token frequency", "training tokens with its words, the mean",
            needs_train=True, alone=(0,),
        ),
        Attribute("eLen", lambda t: t.size, "entity length in tokens", of_tokens=False, edges=(2, 3, 4)),
        Attribute("label", lambda t: t.label, "type"),
        Attribute(
            "novelty", _novelty, "what training has shown of the mention", needs_train=True, of_tokens=False,
            categories=NOVELTY,
        ),
        Attribute(
            "case", _shape, "how the words are written", categories=("lower", "title", "upper", "mixed", "digits")
        ),
    )
}  # fmt: skip

_OWN = frozenset(_ATTRIBUTES)
"""The names of the attributes above."""

PAPER = ("eDen", "oDen", "sLen", "eCon", "tCon", "eFre", "tFre", "eLen")
"""The attributes of the paper."""


def register_attribute(
    name: str,
    values: Callable[[Table], NDArray[Any]],
    what: str = "",
    *,
    edges: Sequence[float] = (),
    categories: Sequence[str] = (),
    needs_train: bool = False,
) -> None:
    """Make an attribute of your own known by its name: a function from the table of mentions to values.

    Numbers are cut into buckets of equal counts, or at ``edges``; strings are categories.

    >>> register_attribute("position", lambda table: table.start / table.sentence_length)
    >>> found = buckets([["B-A", "O"]], [["B-A", "O"]], attributes=["position"], tokens=[["a", "b"]])
    >>> found["position"][0]["n_gold"]
    1
    """
    if not isinstance(name, str) or not name or not callable(values):
        raise CleancutError("an attribute needs a name and a function from the table of mentions to values.")
    if name in _OWN:
        raise CleancutError(f"{name!r} is an attribute of cleancut's own. Choose another name.")
    bounds = tuple(_parse_edges(name, edges))
    _ATTRIBUTES[name] = Attribute(
        name, values, what or name, edges=bounds, categories=tuple(categories), needs_train=needs_train
    )


def describe(name: str) -> str:
    """What an attribute is, in words, and how it is counted."""
    attribute = _ATTRIBUTES[name]
    return f"{attribute.title}: {attribute.how}" if attribute.how else attribute.title


def attribute_title(name: str) -> str:
    """What an attribute is, as the title of a table."""
    title = _ATTRIBUTES[name].title
    return title[:1].upper() + title[1:]


def attribute_names(level: str = "entity", train: bool = True) -> list[str]:
    """The attributes that a call without ``attributes=`` shows, those of the paper first."""
    tokens = parse_choice(Level, level, "level") is Level.TOKEN
    return [a.name for a in _ATTRIBUTES.values() if (train or not a.needs_train) and (a.of_tokens or not tokens)]


# --- cutting --------------------------------------------------------------------------------------------


class Cut(NamedTuple):
    """Buckets of numbers: the last value of each but the last bucket, and between which values each lies."""

    upper: Sequence[float]
    low: Sequence[float | None]
    high: Sequence[float | None]

    def of(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """The bucket of each value."""
        return np.searchsorted(np.array(self.upper, float), values, side="left")

    def names(self) -> list[str]:
        """``1``, ``2-5``, ``>=4``; a dash for a bucket without values."""
        found = [_range_name(low, high) for low, high in zip(self.low, self.high, strict=True)]
        return [f"{name} ({found[:i].count(name) + 1})" if name in found[:i] else name for i, name in enumerate(found)]


def _range_name(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "-" if low is high else f"<={high:.4g}" if low is None else f">={low:.4g}"
    return f"{low:.4g}" if low == high else f"{low:.4g}-{high:.4g}"


def _cut(attribute: Attribute, values: NDArray[Any], bins: Bins) -> Cut:
    """As asked for, else as appendix B has it."""
    wanted = bins.get(attribute.name) if isinstance(bins, Mapping) else None
    if isinstance(wanted, Sequence):
        return _cut_at(wanted, values)
    if wanted is None and attribute.edges:
        return _cut_at(attribute.edges, values)
    n = wanted if wanted is not None else _DEFAULT if isinstance(bins, Mapping) else bins
    alone = attribute.alone if wanted is None and n > len(attribute.alone) else ()
    return _cut_equally(values.astype(float), n, alone)


def _cut_at(edges: Sequence[float], values: NDArray[Any]) -> Cut:
    """Buckets that begin at the given edges; the first is open below and the last above."""
    whole = values.dtype.kind in "iu"
    last = [edge - 1 if whole else math.nextafter(edge, -math.inf) for edge in edges]
    first = last[0] if whole and last[0] == 1 else None  # lengths begin at 1
    return Cut(last, [first, *edges], [*last, None])


def _cut_equally(values: NDArray[np.float64], n: int, alone: tuple[float, ...]) -> Cut:
    """Some values are buckets of their own, at either end; the rest is cut into equal counts, equal values together."""
    rest = np.sort(values[~np.isin(values, alone)])
    ends = _equal_ends(rest, n - len(alone))
    parts = [rest[begin:end] for begin, end in pairwise([0, *ends, len(rest)])]
    low, high = ([float(part[at]) if len(part) else None for part in parts] for at in (0, -1))
    # what falls between two buckets belongs to the upper one; without gold values the first takes all
    upper = [float(rest[end - 1]) for end in ends] if len(rest) else [math.inf] * len(ends)
    first, last = alone[:1], alone[1:]
    below_last = [math.nextafter(value, -math.inf) for value in last]
    upper = [min([value, *below_last]) for value in upper]
    return Cut([*first, *upper, *below_last], [*first, *low, *last], [*first, *high, *last])


def _equal_ends(values: NDArray[np.float64], parts: int) -> list[int]:
    """Where to cut sorted values into parts as equal as can be: each takes its share of what is left."""
    steps = np.append(np.flatnonzero(np.diff(values)) + 1, len(values))  # after which a cut tears no equal values
    ends, at = [], 0
    for left in range(parts, 1, -1):
        ahead = steps[steps > at]
        if len(ahead):
            ahead = ahead[: max(len(ahead) - left + 1, 1)]  # a value for each part that is still to come
            at = int(ahead[np.argmin(np.abs(ahead - (at + (len(values) - at) / left)))])
        ends.append(at)
    return ends


_MOST_BINS = 1000
"""Buckets of an attribute: more than a table can show."""


def _parse_bins(bins: Any) -> Bins:
    """Return how to cut, checked: a number of buckets, or for some attributes a number or the edges."""
    if not isinstance(bins, Mapping):
        return checks.whole(bins, "bins", 1, _MOST_BINS, f"a number of buckets from 1 to {_MOST_BINS}, or edges")
    found: dict[str, int | Sequence[float]] = {}
    for name, wanted in bins.items():
        if name not in _ATTRIBUTES:
            hint = did_you_mean(name, _ATTRIBUTES)
            raise CleancutError(f"bins: attribute {quoted(name)} is unknown.{hint} Known: {', '.join(_ATTRIBUTES)}.")
        if isinstance(wanted, Iterable) and not isinstance(wanted, str | bytes):
            edges = _parse_edges(name, wanted)
            if not edges:
                raise CleancutError(f"bins: {name} has no edges. Give the numbers at which buckets begin.")
            found[name] = edges
        else:
            found[name] = checks.whole(
                wanted, f"bins: {name}", 1, _MOST_BINS, f"a number of buckets from 1 to {_MOST_BINS}, or edges"
            )
    return found


def _parse_edges(name: str, edges: Any) -> list[float]:
    """Return the numbers at which buckets begin; none where there are none."""
    given = checks.ordered(edges, f"bins: the edges of {name}", "growing numbers, such as [10, 20]")
    if len(given) >= _MOST_BINS:
        raise CleancutError(f"bins: {name} has {len(given)} edges. Give fewer than {_MOST_BINS}.")
    numbers = all(isinstance(e, int | float | np.integer | np.floating) and math.isfinite(e) for e in given)
    if not numbers or any(isinstance(e, bool) for e in given) or any(a >= b for a, b in pairwise(given)):
        raise CleancutError(f"bins: the edges of {name} must be growing numbers, got {quoted(given)}.")
    return [e.item() if isinstance(e, np.generic) else e for e in given]


Bins = int | Mapping[str, "int | Sequence[float]"]

_DEFAULT = 4


# --- scores ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Buckets(Drawn, Mapping[str, list[dict[str, Any]]]):
    """Scores by bucket, a mapping: ``found["eLen"]`` lists the buckets of entity length, in ascending order.

    Each has ``bucket`` (its name), ``low`` and ``high`` (None where open, empty or not a number), ``n_gold``,
    ``n_pred``, ``n_exact_gold`` and ``n_exact_pred`` (what is right on either side), ``precision``, ``recall`` and
    ``f1`` (NaN where it is empty) and, with ``ci=``, the ends of their intervals.
    """

    by_attribute: Mapping[str, list[dict[str, Any]]]
    means: Mapping[str, float]
    """Zeta (Eq. 10): the mean of each attribute over the gold mentions, frequencies as shares of training (Eq. 1)."""
    signature: str
    answers: Mapping[str, Any] = field(default_factory=dict)
    """What is counted of answers of a language model, where these are the predictions."""
    beta: float = 1.0
    """Where it is not 1, F-beta stands beside F1 and is what tables show."""

    def __getitem__(self, name: str) -> list[dict[str, Any]]:
        return self.by_attribute[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_attribute)

    def __len__(self) -> int:
        return len(self.by_attribute)

    def __repr__(self) -> str:
        shown = (
            f"{name}: " + ", ".join(f"{row['bucket']}={row['f1']:.4f}" for row in rows if row["n_gold"])
            for name, rows in self.by_attribute.items()
        )
        return f"Buckets of F1 ({'; '.join(shown)}) {self.signature}"

    def to_dict(self) -> dict[str, Any]:
        """Flat names to plain numbers, ``{"f1/eLen/1": 0.4, ...}``, the signature last."""
        found: dict[str, Any] = {}
        for name, rows in self.by_attribute.items():
            for row in rows:
                values = {key: value for key, value in row.items() if key not in ("bucket", "low", "high")}
                found |= {f"{key}/{name}/{row['bucket']}": value for key, value in values.items()}
        return {**found, **self.answers, "signature": self.signature}


def buckets(
    gold: Any,
    pred: Any,
    exposure: Exposure | None = None,
    *,
    attributes: Sequence[str] | None = None,
    bins: Bins = _DEFAULT,
    level: str = "entity",
    beta: float = 1.0,
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    types: Mapping[str, str] | None = None,
    ci: int | None = None,
    seed: int = 13,
) -> Buckets:
    """Precision, recall and F1 by attribute (Fu et al., Section 3): the paper's eight, label, novelty and case.

    ``bins`` is a number of buckets, cut as in appendix B of the paper, or for each attribute a number of buckets of
    equal counts or a list of edges at which buckets begin: ``bins={"sLen": [10, 20, 40], "eFre": 3}``. Without training
    data the attributes that need it are left out. With ``level="token"`` the tokens in mentions are counted, as the
    paper does for its token attributes. ``types`` are other names for types, by those that gold, predictions and
    training have (``{"person": "PER"}``). With ``beta=2`` each bucket has ``f2`` beside ``f1``, in which recall weighs
    twice as much; with any other number likewise.

    >>> gold = [["B-PER", "I-PER", "O", "B-LOC"]]
    >>> pred = [["B-PER", "O", "O", "B-LOC"]]
    >>> found = buckets(gold, pred, tokens=[["Ada", "King", "in", "Turin"]])
    >>> [(row["bucket"], row["n_gold"], row["n_pred"]) for row in found["eLen"]]
    [('1', 1, 2), ('2', 1, 0), ('3', 0, 0), ('>=4', 0, 0)]
    """
    counted, beta = parse_choice(Level, level, "level"), checks.beta(beta)
    resamples, seed = parse_resampling(ci, seed)
    bins = _parse_bins(bins)
    chosen = _chosen(attributes, counted, exposure)
    scored = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair, types=types)
    shown = exposure.renamed(scored.types) if exposure is not None else None
    if scored.corpus is None:
        raise CleancutError("buckets need the words of the samples. Give tokens=, or gold as a Corpus.")
    text = scored.corpus  # kept as it is for gold, so that what training has shown of it is looked up once
    ours = text if text.mentions is scored.gold else replace(text, mentions=scored.gold)
    sides = [Table(side, shown, counted) for side in (ours, replace(text, mentions=scored.pred))]
    aligner = Aligner(sides[0].mentions, sides[1].mentions)
    found, means = {}, {}
    for attribute in chosen:
        values = [_values(attribute, side) for side in sides]
        of_bucket, header = _assigned(attribute, values, bins)
        found[attribute.name] = _rows(header, of_bucket, aligner, scored.corpus.docs, resamples, seed, beta)
        if values[0].dtype.kind in "iuf":
            total = {"eFre": "n_mentions", "tFre": "n_tokens"}.get(attribute.name)
            size = max(getattr(exposure, total), 1) if total else 1
            means[attribute.name] = float(values[0].mean()) / size if len(values[0]) else math.nan
    settings: dict[str, Any] = {"match": "exact", "level": counted.value, "bins": _bins_name(bins)}
    settings |= beta_setting(beta)
    if exposure is not None:
        settings |= {"key": str(exposure.key), "train": exposure.fingerprint}
    if resamples:
        settings |= {"ci": resamples, "seed": seed}
    settings |= types_setting(scored.types)
    sums = Sums.of(Counts({}, ()), scored, exposure)
    for notice in sums.notices():
        say(notice)
    answers = sums.answers.values() if sums.answers is not None else {}
    return Buckets(found, means, signature("bucket_f1", sums, settings), answers, beta)


def _chosen(names: Sequence[str] | None, level: Level, exposure: Exposure | None) -> list[Attribute]:
    if exposure is not None and not isinstance(exposure, Exposure):
        raise CleancutError(
            f"buckets need to know what training has shown: give Exposure.of(train), not {type(exposure).__name__}."
        )
    if names is None:
        return [_ATTRIBUTES[name] for name in attribute_names(level, exposure is not None)]
    found = []
    for name in dict.fromkeys(checks.names(names, "attributes", "a list of names")):
        if name not in _ATTRIBUTES:
            hint = did_you_mean(name, _ATTRIBUTES)
            raise CleancutError(f"attribute {name!r} is unknown.{hint} The attributes are {', '.join(_ATTRIBUTES)}.")
        attribute = _ATTRIBUTES[name]
        if attribute.needs_train and exposure is None:
            raise CleancutError(f"attribute {name} needs to know what training has shown. Give the training data.")
        if level is Level.TOKEN and not attribute.of_tokens:
            raise CleancutError(
                f'attribute {name} is one of mentions, not of tokens. Leave it out, or give level="entity".'
            )
        found.append(attribute)
    return found


def _values(attribute: Attribute, table: Table) -> NDArray[Any]:
    found = np.asarray(attribute.values(table))
    if found.shape != (len(table),):
        raise CleancutError(f"attribute {attribute.name}: {len(table)} mentions but values of shape {found.shape}.")
    if found.dtype.kind == "f" and np.isnan(found).any():
        raise CleancutError(f"attribute {attribute.name}: mention {int(np.isnan(found).argmax())} has no value (NaN).")
    return found.astype(np.int64) if found.dtype.kind == "b" else found


def _assigned(
    attribute: Attribute, values: list[NDArray[Any]], bins: Bins
) -> tuple[list[NDArray[np.int64]], list[dict[str, Any]]]:
    """The bucket of each gold and each predicted mention, and the heads of the buckets."""
    gold, pred = values
    if gold.dtype.kind in "iuf" and pred.dtype.kind in "iuf":
        cut, kind = _cut(attribute, gold, bins), int if gold.dtype.kind in "iu" else float
        ends = ([None if end is None else kind(end) for end in side] for side in (cut.low, cut.high))
        rows = zip(cut.names(), *ends, strict=True)
        return [cut.of(gold), cut.of(pred)], [dict(zip(("bucket", "low", "high"), row, strict=True)) for row in rows]
    both = np.concatenate([gold.astype(str), pred.astype(str)])
    rest = sorted(set(both.tolist()) - set(attribute.categories))
    names = [*attribute.categories, *rest]
    number = {name: i for i, name in enumerate(names)}
    codes = np.array([number[value] for value in both.tolist()], np.int64)
    return [codes[: len(gold)], codes[len(gold) :]], [{"bucket": name, "low": None, "high": None} for name in names]


def _rows(
    header: list[dict[str, Any]],
    of_bucket: list[NDArray[np.int64]],
    aligner: Aligner,
    docs: Sequence[str | None] | None,
    resamples: int,
    seed: int,
    beta: float,
) -> list[dict[str, Any]]:
    """Each bucket with its counts and scores.

    The two sides of an exact pair may lie in different buckets, where the attribute depends on the other mentions of
    the side (eDen): what is right is counted on both.
    """
    (gold, pred), n, n_samples = of_bucket, len(header), aligner.gold.n_samples
    counted = {
        "n_gold": (gold, aligner.gold.sample),
        "n_pred": (pred, aligner.pred.sample),
        "n_exact_gold": (gold[aligner.exact_gold], aligner.gold.sample[aligner.exact_gold]),
        "n_exact_pred": (pred[aligner.exact_pred], aligner.pred.sample[aligner.exact_pred]),
    }
    sums = {name: np.bincount(bucket, minlength=n) for name, (bucket, _) in counted.items()}
    scores = {name: values.tolist() for name, values in _scores(sums, beta).items()}
    columns = {name: column.tolist() for name, column in sums.items()} | scores
    if resamples:
        tables = {
            name: np.bincount(bucket * n_samples + sample, minlength=n * n_samples).reshape(n, -1)
            for name, (bucket, sample) in counted.items()
        }
        parts = [Part({name: (f"{name}/{i}",) for name in counted}, partial(_bucket_part, i, beta)) for i in range(n)]
        rows = Rows.of(parts, {f"{name}/{i}": row for name, t in tables.items() for i, row in enumerate(t)}, docs)
        point = {f"{i}/{name}": value for name, values in scores.items() for i, value in enumerate(values)}
        ends = intervals(parts, rows, point, resamples, seed)
        for name in scores:
            for end in ("low", "high"):
                columns[f"{name}_{end}"] = [ends[f"{i}/{name}_{end}"] for i in range(n)]
    return [{**head, **{name: column[i] for name, column in columns.items()}} for i, head in enumerate(header)]


def _bucket_part(i: int, beta: float, sums: Mapping[str, NDArray[np.int64]]) -> dict[str, NDArray[np.float64]]:
    return {f"{i}/{name}": values for name, values in _scores(sums, beta).items()}


def _scores(sums: Mapping[str, NDArray[np.int64]], beta: float) -> dict[str, NDArray[np.float64]]:
    """P, R and F1 of each bucket, with F-beta beside F1; NaN where it has no mention of either side."""
    empty = (sums["n_gold"] == 0) & (sums["n_pred"] == 0)
    precision = np.where(empty, np.nan, sums["n_exact_pred"] / np.maximum(sums["n_pred"], 1))
    recall = np.where(empty, np.nan, sums["n_exact_gold"] / np.maximum(sums["n_gold"], 1))
    both = precision + recall
    scores = {"precision": precision, "recall": recall, "f1": 2 * precision * recall / np.where(both == 0, 1, both)}
    if beta != 1:
        scores[f_beta("f1", beta)] = harmonic(precision, recall, beta)
    return scores


def _bins_name(bins: Bins) -> str:
    """As the signature has it."""
    if not isinstance(bins, Mapping):
        return str(bins)
    parts = {name: "/".join(f"{e:g}" for e in b) if isinstance(b, Sequence) else str(b) for name, b in bins.items()}
    return ",".join(f"{name}={parts[name]}" for name in sorted(parts)) or str(_DEFAULT)


METRIC = Metric(
    name="bucket_f1",
    function=buckets,
    order=50,
    title="F1 by attribute (%)",
    description="F1 by what a mention is like: how long, how frequent, how consistently labelled in training.",
    headline=("f1/eLen/1", "f1/novelty/seen", "f1/novelty/unknown_words"),
    by_entity=True,
    reads_train_twice=True,
)
