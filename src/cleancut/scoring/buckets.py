"""Attribute buckets: the score broken down by properties of a mention, of its sentence and of its training history.

An attribute is a function from the table of mentions to one value for each (Fu et al., Section 3.1). Buckets are cut
from the values of the gold mentions (their appendix B). Predictions fall into them by their own values, so every
mention of either side is in exactly one bucket of each attribute, and the counts add up to the totals.
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
from .score import Sums, behind_prf, beta_setting, harmonic, signature


class Level(StrEnum):
    """The things that are counted: mentions, or the tokens in mentions with their type and without boundaries."""

    ENTITY = "entity"
    TOKEN = "token"


class Table:
    """The mentions of one side, gold or predicted, as columns. An attribute is a function of it.

    Args:
        corpus: the samples with their mentions.
        exposure: the index of the training data, or None.
        level: whether mentions or tokens in mentions are the rows.
    """

    def __init__(self, corpus: Corpus, exposure: Exposure | None, level: Level = Level.ENTITY) -> None:
        self._per_sample = np.bincount(corpus.mentions.sample, minlength=len(corpus))
        if level is Level.TOKEN:
            corpus = replace(corpus, mentions=_token_mentions(corpus.mentions))
        self.corpus = corpus
        self.mentions = corpus.mentions
        self._exposure = exposure

    def __len__(self) -> int:
        return len(self.mentions)

    @property
    def sample(self) -> NDArray[np.int32]:
        """The sample of each mention."""
        return self.mentions.sample

    @property
    def start(self) -> NDArray[np.int32]:
        """The first token of each mention."""
        return self.mentions.start

    @property
    def end(self) -> NDArray[np.int32]:
        """The token behind the last one of each mention."""
        return self.mentions.end

    @property
    def size(self) -> NDArray[np.int32]:
        """The number of tokens of each mention."""
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
        """The number of tokens of the sample of each mention."""
        return self.corpus.lengths[self.mentions.sample]

    @property
    def sentence_mentions(self) -> NDArray[np.int64]:
        """The number of mentions of the same side in the sample of each mention."""
        return self._per_sample[self.mentions.sample]

    @cached_property
    def shown(self) -> Exposed | None:
        """The view that the index of the training data has on these mentions; None without training data."""
        return None if self._exposure is None else self._exposure.view(self.corpus)

    def over_tokens(self, values: NDArray[Any], how: np.ufunc) -> NDArray[Any]:
        """Reduce values of all tokens of the corpus to one value for each mention.

        Args:
            values: a value for each token.
            how: the reduction, such as ``np.add`` or ``np.logical_and``.
        """
        size = self.size.astype(np.int64)
        begin = bounds_of(self.corpus.lengths)[self.mentions.sample] + self.mentions.start
        inside = values[ranges(begin, size)]
        return how.reduceat(inside, np.cumsum(size) - size) if len(inside) else inside


def _token_mentions(mentions: Mentions) -> Mentions:
    """Return each token of each mention as a mention; a token that two mentions of a type share counts once."""
    size = (mentions.end - mentions.start).astype(np.int64)
    start = ranges(mentions.start.astype(np.int64), size)
    sample, label = np.repeat(mentions.sample, size), np.repeat(mentions.label, size)
    return Mentions.of_columns(
        sample, start, start + 1, label, mentions.labels, mentions.n_samples, mentions.lengths, mentions.where
    )


# --- attributes -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attribute:
    """A property of mentions, and the way in which its values are cut into buckets."""

    name: str
    """Its name."""
    values: Callable[[Table], NDArray[Any]]
    """Returns a number for each mention, or a text where the values are categories."""
    title: str
    """A few words that say what it is."""
    how: str = ""
    """A few words that say how it is counted, where the title does not."""
    needs_train: bool = False
    """Whether it needs an index of the training data."""
    of_tokens: bool = True
    """Whether it is defined for a single token."""
    alone: tuple[float, ...] = ()
    """Values with a bucket of their own, the smallest first and 1 last. The rest is cut into equal counts."""
    edges: tuple[float, ...] = ()
    """The numbers at which the buckets after the first begin, if they are the same for every corpus."""
    categories: tuple[str, ...] = ()
    """Buckets that are always listed, in this order."""


def _oov_density(table: Table) -> NDArray[np.float64]:
    """Return the share of the tokens of the sample whose word is new."""
    assert table.shown is not None
    new = np.append(0, np.cumsum(~table.shown.word_seen))
    bounds = bounds_of(table.corpus.lengths)
    return (new[bounds[1:]] - new[bounds[:-1]])[table.sample] / table.sentence_length


def _shape(table: Table) -> NDArray[np.str_]:
    """Return how the words of a mention are written: with digits, all alike, or mixed."""
    word_shapes = _word_shapes(table.corpus)
    common = table.over_tokens(word_shapes[table.corpus.words], np.bitwise_and)
    names = np.full(len(table), "mixed", dtype=object)
    for name, flag in reversed(_SHAPES.items()):  # so that the first one listed wins
        names[(common & flag) > 0] = name
    has_digits = table.over_tokens((word_shapes & _DIGITS > 0)[table.corpus.words], np.logical_or)
    names[has_digits] = "digits"
    return names.astype(str)


_SHAPES = {"uncased": 1, "lower": 2, "title": 4, "upper": 8}
"""A bit for each way to write a word that has case; a word without case has all of them."""
_DIGITS = 16
"""The bit of words with digits."""


def _word_shapes(corpus: Corpus) -> NDArray[np.uint8]:
    """Return the bits of each word of the vocabulary."""
    flags = np.zeros(len(corpus.vocabulary), np.uint8)
    for number in corpus.used_words().tolist():
        word = corpus.vocabulary[number]
        lower, upper = word.lower(), word.upper()
        if lower == upper:
            flag = sum(_SHAPES.values())
        elif word == lower:
            flag = _SHAPES["lower"]
        else:
            flag = _SHAPES["upper"] if word == upper else 0
            if word[0] != lower[0] and word[1:] == lower[1:]:
                flag |= _SHAPES["title"]
        if any(map(str.isdigit, word)):
            flag |= _DIGITS
        flags[number] = flag
    return flags


def _novelty(table: Table) -> NDArray[np.str_]:
    """Return the class of novelty of each mention."""
    assert table.shown is not None
    return np.array(NOVELTY)[table.shown.novelty]


def _shown(name: str) -> Callable[[Table], NDArray[Any]]:
    """Return a function that takes an array of the view of the training data."""
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
    """Make an attribute of your own known by its name.

    Args:
        name: the name.
        values: a function from the table of mentions to a value for each. Numbers are cut into buckets of equal
            counts, or at ``edges``; texts are categories.
        what: a few words that say what it is; by default the name.
        edges: the numbers at which the buckets after the first begin.
        categories: buckets that are always listed, in this order.
        needs_train: whether it needs an index of the training data.

    Raises:
        CleancutError: the name belongs to an attribute of cleancut, or the edges are not growing numbers.

    >>> register_attribute("position", lambda table: table.start / table.sentence_length)
    >>> scores = buckets([["B-A", "O"]], [["B-A", "O"]], attributes=["position"], tokens=[["a", "b"]])
    >>> scores["position"][0]["n_gold"]
    1
    """
    if not isinstance(name, str) or not name or not callable(values):
        raise CleancutError("an attribute needs a name and a function from the table of mentions to values.")
    if name in _OWN:
        raise CleancutError(f"{quoted(name)} is an attribute of cleancut's own. Choose another name.")
    bounds = tuple(_parse_edges(name, edges))
    names = tuple(checks.names(categories, "categories"))
    if isinstance(what, str) and not what:
        what = name
    described = checks.text(what, "what")
    needs_train = checks.switch(needs_train, "needs_train")
    _ATTRIBUTES[name] = Attribute(name, values, described, edges=bounds, categories=names, needs_train=needs_train)


def describe(name: str) -> str:
    """Return what an attribute is and how it is counted, in words.

    Args:
        name: the name of the attribute.
    """
    attribute = _ATTRIBUTES[name]
    return f"{attribute.title}: {attribute.how}" if attribute.how else attribute.title


def attribute_title(name: str) -> str:
    """Return what an attribute is, as the title of a table.

    Args:
        name: the name of the attribute.
    """
    title = _ATTRIBUTES[name].title
    return title[:1].upper() + title[1:]


def attribute_names(level: str = "entity", train: bool = True) -> list[str]:
    """Return the attributes that a call without ``attributes=`` shows, those of the paper first.

    Args:
        level: ``entity`` or ``token``.
        train: whether there is an index of the training data.
    """
    is_of_tokens = parse_choice(Level, level, "level") is Level.TOKEN
    names = []
    for attribute in _ATTRIBUTES.values():
        lacks_train = attribute.needs_train and not train
        is_undefined = is_of_tokens and not attribute.of_tokens
        if not lacks_train and not is_undefined:
            names.append(attribute.name)
    return names


# --- cutting --------------------------------------------------------------------------------------------


class Cut(NamedTuple):
    """Buckets of numbers."""

    upper: Sequence[float]
    """The largest value of each bucket but the last."""
    low: Sequence[float | None]
    """The smallest value of each bucket; None where it is open or empty."""
    high: Sequence[float | None]
    """The largest value of each bucket; None where it is open or empty."""

    def of(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """Return the bucket of each value.

        Args:
            values: the values.
        """
        return np.searchsorted(np.array(self.upper, float), values, side="left")

    def names(self) -> list[str]:
        """Return the names of the buckets: ``1``, ``2-5``, ``>=4``, or a dash for a bucket without values."""
        names: list[str] = []
        n_of_name: dict[str, int] = {}
        for low, high in zip(self.low, self.high, strict=True):
            name = _range_name(low, high)
            n_of_name[name] = n_of_name.get(name, 0) + 1
            unique_name = name if n_of_name[name] == 1 else f"{name} ({n_of_name[name]})"
            names.append(unique_name)
        return names


def _range_name(low: float | None, high: float | None) -> str:
    """Return the name of a bucket with the given ends."""
    if low is None and high is None:
        return "-"
    if low is None:
        return f"<={high:.4g}"
    if high is None:
        return f">={low:.4g}"
    return f"{low:.4g}" if low == high else f"{low:.4g}-{high:.4g}"


def _cut(attribute: Attribute, values: NDArray[Any], bins: Bins) -> Cut:
    """Return the buckets of an attribute: as the user asks, else as appendix B of the paper has them."""
    wanted = bins.get(attribute.name) if isinstance(bins, Mapping) else None
    if isinstance(wanted, Sequence):
        return _cut_at(wanted, values)
    if wanted is None and attribute.edges:
        return _cut_at(attribute.edges, values)
    if wanted is not None:
        return _cut_equally(values.astype(float), wanted, ())
    n = _DEFAULT if isinstance(bins, Mapping) else bins
    alone = attribute.alone if n > len(attribute.alone) else ()
    return _cut_equally(values.astype(float), n, alone)


def _cut_at(edges: Sequence[float], values: NDArray[Any]) -> Cut:
    """Return buckets that begin at the given edges. The first is open below and the last above."""
    is_whole = values.dtype.kind in "iu"
    last = [edge - 1 if is_whole else math.nextafter(edge, -math.inf) for edge in edges]
    first = last[0] if is_whole and last[0] == 1 else None  # a bucket of lengths up to 1 is called 1
    return Cut(last, [first, *edges], [*last, None])


def _cut_equally(values: NDArray[np.float64], n: int, alone: tuple[float, ...]) -> Cut:
    """Return buckets of equal counts, with equal values together, beside values that are buckets of their own."""
    rest = np.sort(values[~np.isin(values, alone)])
    ends = _equal_ends(rest, n - len(alone))
    parts = [rest[begin:end] for begin, end in pairwise([0, *ends, len(rest)])]
    low = [float(part[0]) if len(part) else None for part in parts]
    high = [float(part[-1]) if len(part) else None for part in parts]
    # A value between two buckets belongs to the upper one. Without gold values the first bucket takes all.
    upper = [float(rest[end - 1]) for end in ends] if len(rest) else [math.inf] * len(ends)
    first, last = alone[:1], alone[1:]
    below_last = [math.nextafter(value, -math.inf) for value in last]
    upper = [min([value, *below_last]) for value in upper]
    return Cut([*first, *upper, *below_last], [*first, *low, *last], [*first, *high, *last])


def _equal_ends(values: NDArray[np.float64], parts: int) -> list[int]:
    """Return where to cut sorted values into parts that are as equal as can be: each takes its share of the rest."""
    steps = np.append(np.flatnonzero(np.diff(values)) + 1, len(values))  # cuts here keep equal values together
    ends = []
    at = 0
    for parts_left in range(parts, 1, -1):
        ahead = steps[steps > at]
        if len(ahead):
            ahead = ahead[: max(len(ahead) - parts_left + 1, 1)]  # leave a value for each part that is still to come
            wanted = at + (len(values) - at) / parts_left
            at = int(ahead[np.argmin(np.abs(ahead - wanted))])
        ends.append(at)
    return ends


_MOST_BINS = 1000
"""The most buckets of an attribute. No table could show more."""


def _parse_bins(bins: Any) -> Bins:
    """Return the checked number of buckets, or for some attributes a number or the edges."""
    if not isinstance(bins, Mapping):
        return checks.whole(bins, "bins", 1, _MOST_BINS, f"a number of buckets from 1 to {_MOST_BINS}, or edges")
    parsed: dict[str, int | Sequence[float]] = {}
    for name, wanted in bins.items():
        if name not in _ATTRIBUTES:
            hint = did_you_mean(name, _ATTRIBUTES)
            raise CleancutError(f"bins: attribute {quoted(name)} is unknown.{hint} Known: {', '.join(_ATTRIBUTES)}.")
        if isinstance(wanted, Iterable) and not isinstance(wanted, str | bytes):
            edges = _parse_edges(name, wanted)
            if not edges:
                raise CleancutError(f"bins: {name} has no edges. Give the numbers at which buckets begin.")
            parsed[name] = edges
        else:
            parsed[name] = checks.whole(
                wanted, f"bins: {name}", 1, _MOST_BINS, f"a number of buckets from 1 to {_MOST_BINS}, or edges"
            )
    return parsed


def _parse_edges(name: str, edges: Any) -> list[float]:
    """Return the checked numbers at which buckets begin."""
    given = checks.ordered(edges, f"bins: the edges of {name}", "growing numbers, such as [10, 20]")
    if len(given) >= _MOST_BINS:
        raise CleancutError(f"bins: {name} has {len(given)} edges. Give fewer than {_MOST_BINS}.")
    are_numbers = all(_is_finite_number(edge) for edge in given)
    if not are_numbers or any(edge >= following for edge, following in pairwise(given)):
        raise CleancutError(f"bins: the edges of {name} must be growing numbers, got {quoted(given)}.")
    return [edge.item() if isinstance(edge, np.generic) else edge for edge in given]


def _is_finite_number(value: Any) -> bool:
    """Return whether a value is a number of Python or numpy that is neither infinite nor NaN."""
    try:
        return checks.is_number(value) and math.isfinite(value)
    except OverflowError:  # a whole number that no float holds
        return False


Bins = int | Mapping[str, "int | Sequence[float]"]
"""A number of buckets, or for some attributes a number or the edges."""

_DEFAULT = 4
"""The number of buckets, by default."""


# --- scores ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Buckets(Drawn, Mapping[str, list[dict[str, Any]]]):
    """Scores by bucket: a mapping of attributes to their buckets, in ascending order.

    A bucket has ``bucket`` (its name), ``low`` and ``high`` (None where it is open, empty or not of numbers),
    ``n_gold``, ``n_pred``, ``n_exact_gold`` and ``n_exact_pred`` (the right ones of either side), ``precision``,
    ``recall`` and ``f1`` (NaN where it is empty) and, with ``ci=``, the ends of their intervals.
    """

    by_attribute: Mapping[str, list[dict[str, Any]]]
    """The buckets of each attribute."""
    means: Mapping[str, float]
    """Zeta (Eq. 10): the mean of each attribute over the gold mentions, frequencies as shares of training (Eq. 1)."""
    signature: str
    """The text that states how the scores were computed."""
    answers: Mapping[str, Any] = field(default_factory=dict)
    """The counts of answers of a language model, where these are the predictions."""
    beta: float = 1.0
    """If it is not 1, F-beta stands beside F1, and tables and diagnosis are of it."""

    @property
    def value(self) -> str:
        """The name of the score by which buckets are told apart: ``f1``, or ``f2`` where beta is 2."""
        return f_beta("f1", self.beta)

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
        """Return plain numbers under flat keys, ``{"f1/eLen/1": 0.4, ...}``, with the signature last."""
        flat: dict[str, Any] = {}
        for name, rows in self.by_attribute.items():
            for row in rows:
                for what, value in row.items():
                    if what not in ("bucket", "low", "high"):
                        flat[f"{what}/{name}/{row['bucket']}"] = value
        return {**flat, **self.answers, "signature": self.signature}


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
    """Compute precision, recall and F1 by attribute (Fu et al., Section 3): the paper's eight, label, novelty and case.

    Args:
        gold: a corpus, mentions, or lists of tags, label ids or spans.
        pred: the same, or answers of a language model as texts.
        exposure: the index of the training data, ``Exposure.of(train)``. Without it, attributes that need it are left
            out.
        attributes: the names of attributes; by default all that can be computed.
        bins: a number of buckets, cut as in appendix B of the paper; or for each attribute a number of buckets of equal
            counts or a list of edges at which buckets begin: ``bins={"sLen": [10, 20, 40], "eFre": 3}``.
        level: ``entity`` counts mentions, ``token`` the tokens in mentions, as the paper does for its token attributes.
        beta: a number other than 1 adds F-beta beside F1: with ``beta=2``, ``f2``, in which recall weighs twice as
            much.
        tokens: the words of each sample, where gold and predictions are lists.
        labels: the names of label ids: a list, an id2label dict or a ``ClassLabel``.
        scheme: the scheme of the tags; by default it is inferred where it is needed.
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.
        types: new names of types by old ones (``{"person": "PER"}``), for all sides.
        ci: the number of resamples for 95% intervals (``f1_low``, ``f1_high``). Documents are resampled where they are
            known, samples otherwise. Without it there are no intervals.
        seed: the seed of the resamples.

    Returns:
        The buckets of each attribute.

    Raises:
        CleancutError: an option is not valid, or gold and predictions do not fit together.

    >>> gold = [["B-PER", "I-PER", "O", "B-LOC"]]
    >>> pred = [["B-PER", "O", "O", "B-LOC"]]
    >>> scores = buckets(gold, pred, tokens=[["Ada", "King", "in", "Turin"]])
    >>> [(row["bucket"], row["n_gold"], row["n_pred"]) for row in scores["eLen"]]
    [('1', 1, 2), ('2', 1, 0), ('3', 0, 0), ('>=4', 0, 0)]
    """
    counted = parse_choice(Level, level, "level")
    beta = checks.beta(beta)
    resamples, seed = parse_resampling(ci, seed)
    bins = _parse_bins(bins)
    chosen = _chosen(attributes, counted, exposure)
    scored = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair, types=types)
    shown = exposure.renamed(scored.types) if exposure is not None else None
    if scored.corpus is None:
        raise CleancutError("buckets need the words of the samples. Give tokens=, or gold as a Corpus.")
    text = scored.corpus
    # The same object for gold where possible, so that the training data is looked up for it only once.
    gold_text = text if text.mentions is scored.gold else replace(text, mentions=scored.gold)
    pred_text = replace(text, mentions=scored.pred)
    sides = [Table(side, shown, counted) for side in (gold_text, pred_text)]
    aligner = Aligner(sides[0].mentions, sides[1].mentions)
    by_attribute = {}
    means = {}
    for attribute in chosen:
        values = [_values(attribute, side) for side in sides]
        of_bucket, header = _assigned(attribute, values, bins)
        by_attribute[attribute.name] = _rows(header, of_bucket, aligner, scored.corpus.docs, resamples, seed, beta)
        if values[0].dtype.kind in "iuf":
            means[attribute.name] = _mean(attribute.name, values[0], exposure)
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
    return Buckets(by_attribute, means, signature("bucket_f1", sums, settings), answers, beta)


def _mean(name: str, values: NDArray[Any], exposure: Exposure | None) -> float:
    """Return the mean of an attribute over the gold mentions; frequencies are shares of the training data."""
    if not len(values):
        return math.nan
    total = {"eFre": "n_mentions", "tFre": "n_tokens"}.get(name)
    size = max(getattr(exposure, total), 1) if total else 1
    return float(values.mean()) / size


def _chosen(names: Sequence[str] | None, level: Level, exposure: Exposure | None) -> list[Attribute]:
    """Return the attributes of some names, or all that can be computed."""
    if exposure is not None and not isinstance(exposure, Exposure):
        raise CleancutError(
            f"buckets need to know what training has shown: give Exposure.of(train), not {type(exposure).__name__}."
        )
    if names is None:
        return [_ATTRIBUTES[name] for name in attribute_names(level, exposure is not None)]
    chosen = []
    for name in dict.fromkeys(checks.names(names, "attributes", "a list of names")):
        if name not in _ATTRIBUTES:
            hint = did_you_mean(name, _ATTRIBUTES)
            raise CleancutError(
                f"attribute {quoted(name)} is unknown.{hint} The attributes are {', '.join(_ATTRIBUTES)}."
            )
        attribute = _ATTRIBUTES[name]
        if attribute.needs_train and exposure is None:
            raise CleancutError(f"attribute {name} needs to know what training has shown. Give the training data.")
        if level is Level.TOKEN and not attribute.of_tokens:
            raise CleancutError(
                f'attribute {name} is one of mentions, not of tokens. Leave it out, or give level="entity".'
            )
        chosen.append(attribute)
    return chosen


def _values(attribute: Attribute, table: Table) -> NDArray[Any]:
    """Return the values of an attribute, one for each mention."""
    values = np.asarray(attribute.values(table))
    if values.shape != (len(table),):
        raise CleancutError(f"attribute {attribute.name}: {len(table)} mentions but values of shape {values.shape}.")
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise CleancutError(f"attribute {attribute.name}: mention {int(np.isnan(values).argmax())} has no value (NaN).")
    return values.astype(np.int64) if values.dtype.kind == "b" else values


def _assigned(
    attribute: Attribute, values: list[NDArray[Any]], bins: Bins
) -> tuple[list[NDArray[np.int64]], list[dict[str, Any]]]:
    """Return the bucket of each gold and of each predicted mention, and the names and ends of the buckets."""
    gold, pred = values
    if gold.dtype.kind in "iuf" and pred.dtype.kind in "iuf":
        cut = _cut(attribute, gold, bins)
        number_of = int if gold.dtype.kind in "iu" else float
        heads = []
        for name, low, high in zip(cut.names(), cut.low, cut.high, strict=True):
            lowest = None if low is None else number_of(low)
            highest = None if high is None else number_of(high)
            heads.append({"bucket": name, "low": lowest, "high": highest})
        return [cut.of(gold), cut.of(pred)], heads
    both = np.concatenate([gold.astype(str), pred.astype(str)])
    rest = sorted(set(both.tolist()) - set(attribute.categories))
    names = [*attribute.categories, *rest]
    number_of_name = {name: number for number, name in enumerate(names)}
    codes = np.array([number_of_name[value] for value in both.tolist()], np.int64)
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
    """Return each bucket with its counts and scores.

    The two sides of an exact pair may lie in different buckets, where the attribute depends on the other mentions of
    the side (eDen). So right mentions are counted on both sides.
    """
    gold, pred = of_bucket
    n = len(header)
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
        parts = []
        for i in range(n):
            behind = {f"{i}/{name}": of for name, of in behind_prf(beta=beta).items()}
            counts_of_it = {name: (f"{name}/{i}",) for name in counted}
            parts.append(Part(counts_of_it, partial(_bucket_part, i, beta), behind=behind))
        rows = Rows.of(parts, _sums_by_sample(counted, n, aligner.gold.n_samples), docs)
        point = {f"{i}/{name}": value for name, values in scores.items() for i, value in enumerate(values)}
        ends = intervals(parts, rows, point, resamples, seed)
        for name in scores:
            for end in ("low", "high"):
                columns[f"{name}_{end}"] = [ends[f"{i}/{name}_{end}"] for i in range(n)]
    return [{**head, **{name: column[i] for name, column in columns.items()}} for i, head in enumerate(header)]


def _sums_by_sample(
    counted: Mapping[str, tuple[NDArray[np.integer], NDArray[np.integer]]], n: int, n_samples: int
) -> dict[str, NDArray[np.integer]]:
    """Return the count of each sum in each sample, for each of ``n`` buckets.

    Args:
        counted: for each sum, the bucket and the sample of each mention that is counted.
        n: the number of buckets.
        n_samples: the number of samples.
    """
    sums: dict[str, NDArray[np.integer]] = {}
    for name, (bucket, sample) in counted.items():
        table = np.bincount(bucket * n_samples + sample, minlength=n * n_samples).reshape(n, -1)
        for number, row in enumerate(table):
            sums[f"{name}/{number}"] = row
    return sums


def _bucket_part(i: int, beta: float, sums: Mapping[str, NDArray[np.int64]]) -> dict[str, NDArray[np.float64]]:
    """Return the scores of one bucket, for resampling."""
    return {f"{i}/{name}": values for name, values in _scores(sums, beta).items()}


def _scores(sums: Mapping[str, NDArray[np.int64]], beta: float) -> dict[str, NDArray[np.float64]]:
    """Return precision, recall and F1 (and F-beta) of each bucket; NaN if it has no mention of either side."""
    empty = (sums["n_gold"] == 0) & (sums["n_pred"] == 0)
    precision = np.where(empty, np.nan, sums["n_exact_pred"] / np.maximum(sums["n_pred"], 1))
    recall = np.where(empty, np.nan, sums["n_exact_gold"] / np.maximum(sums["n_gold"], 1))
    both = precision + recall
    scores = {"precision": precision, "recall": recall, "f1": 2 * precision * recall / np.where(both == 0, 1, both)}
    if beta != 1:
        scores[f_beta("f1", beta)] = harmonic(precision, recall, beta)
    return scores


def _bins_name(bins: Bins) -> str:
    """Return the buckets as a signature states them."""
    if not isinstance(bins, Mapping):
        return str(bins)
    parts = []
    for name, wanted in sorted(bins.items()):
        shown = "/".join(f"{edge:g}" for edge in wanted) if isinstance(wanted, Sequence) else str(wanted)
        parts.append(f"{name}={shown}")
    return ",".join(parts) or str(_DEFAULT)


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
