"""A score: sums that add up over shards, the values that follow from them, and a signature.

The signature states how the score was computed. Each metric is a file of its own beside this one.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, did_you_mean, quoted
from ..core.notices import say
from ..core.pairing import Pair, token_agreement
from ..core.projection import Projection
from ..core.rooms import module_of
from ..core.shown import Drawn
from ..core.signature import Signature
from ..core.tags import Scheme, Tagging
from ..core.type_names import TypeNames
from .alignment import Counts, tally
from .answer_sums import AnswerSums
from .exposure import Exposure
from .exposure_view import Exposed
from .metric import Metric, f_beta
from .resampling import Part, Rows, intervals

Value = float | int | str
"""A value of a setting."""


@dataclass(frozen=True)
class Sums:
    """Everything that a score is derived from. The sums of shards add up to the sums of the whole."""

    counts: Counts
    """The counts by type."""
    gold: Tagging | None
    """What the gold tags tell about their scheme; None for spans."""
    pred: Tagging | None
    """What the predicted tags tell about their scheme; None for spans."""
    n_tokens: int = 0
    """The number of tokens, for seqeval's accuracy."""
    n_tokens_correct: int = 0
    """The number of tokens with the right tag, for seqeval's accuracy; -1 if there are no tags to compare."""
    rows: Rows | None = None
    """The counts of each sample or document, where intervals are asked for."""
    types: TypeNames = field(default_factory=TypeNames)
    """The names of types on each side."""
    projection: Projection | None = None
    """How predictions were put on the gold tokens, where they had others."""
    answers: AnswerSums | None = None
    """The counts of answers of a language model, where these are the predictions."""

    @classmethod
    def of(
        cls,
        counts: Counts,
        scored: Pair,
        exposure: Exposure | None = None,
        *,
        tokens: bool = False,
        rows: Rows | None = None,
    ) -> Sums:
        """Return the sums of a pair of gold and predictions.

        Args:
            counts: the counts by type.
            scored: gold and predictions.
            exposure: the index of the training data, if the score uses one.
            tokens: whether the tokens with the right tag are counted.
            rows: the counts of each sample or document, where intervals are asked for.
        """
        agreement = token_agreement(scored.gold, scored.pred) if tokens else (0, 0)
        types = type_names(scored, exposure)
        answers = AnswerSums.of(scored.gold, scored.pred)
        sides = scored.gold.tagging, scored.pred.tagging
        return cls(counts, *sides, *agreement, rows, types, scored.projection, answers)

    def __add__(self, other: Sums) -> Sums:
        is_known = self.n_tokens_correct >= 0 and other.n_tokens_correct >= 0
        n_tokens_correct = self.n_tokens_correct + other.n_tokens_correct if is_known else -1
        rows = self.rows + other.rows if self.rows and other.rows else None
        answers = self.answers + other.answers if self.answers and other.answers else None
        projection = self.projection or other.projection
        if self.projection and other.projection:
            projection = self.projection + other.projection
        return Sums(
            self.counts + other.counts,
            _add_tagging(self.gold, other.gold),
            _add_tagging(self.pred, other.pred),
            self.n_tokens + other.n_tokens,
            n_tokens_correct,
            rows,
            self.types + other.types,
            projection,
            answers,
        )

    def schemes(self) -> tuple[Scheme | None, Scheme | None]:
        """Return the schemes by which gold and predictions are judged."""
        gold = self.gold.scheme() if self.gold else None
        return gold, self.pred.scheme_beside(self.gold) if self.pred else None

    def repairs(self) -> dict[str, Value]:
        """Return how many samples were repaired on either side, and how predictions were put on the gold tokens."""
        gold, pred = self.schemes()
        return {
            "n_repaired_gold": self.gold.n_repaired(gold) if self.gold else 0,
            "n_repaired_pred": self.pred.n_repaired(pred) if self.pred else 0,
            **(self.projection.values() if self.projection else {}),
        }

    def repair(self) -> dict[str, Value]:
        """Return the setting of a signature that states how ill-formed tags were read; empty for spans."""
        policies = dict.fromkeys(tagging.repair.value for tagging in (self.gold, self.pred) if tagging)
        return {"repair": "+".join(policies)} if policies else {}

    def scheme_name(self) -> str:
        """Return the scheme as signatures state it: ``iob2``, ``spans``, ``mixed``, or both sides if they differ."""
        names = []
        for tagging, scheme in zip((self.gold, self.pred), self.schemes(), strict=True):
            if tagging is None:
                names.append("spans")
            elif scheme is None:
                names.append("mixed")
            else:
                names.append(scheme.value)
        return "+".join(dict.fromkeys(names))

    def notices(self) -> list[str]:
        """Return the notices about names of types, predictions on other tokens, and answers."""
        notices = self.types.notices()
        if self.projection:
            notices += self.projection.notices(self.types.n_pred)
        if self.answers:
            notices += self.answers.notices(self.types.gold)
        return notices


def type_names(scored: Pair, exposure: Exposure | None) -> TypeNames:
    """Return the names of types of gold, predictions and training, as they are compared.

    Args:
        scored: gold and predictions.
        exposure: the index of the training data, if there is one.
    """
    gold, pred = scored.gold, scored.pred
    train = frozenset[str]()
    n_train = 0
    if exposure is not None:
        train = frozenset(exposure.renamed(scored.types).type_names)
        n_train = exposure.n_mentions
    return TypeNames(frozenset(gold.labels), frozenset(pred.labels), train, len(gold), len(pred), n_train)


def _add_tagging(a: Tagging | None, b: Tagging | None) -> Tagging | None:
    """Return what the tags of two shards tell together."""
    return a + b if a and b else a or b


@dataclass(frozen=True, eq=False)
class Score(Drawn, Mapping[str, Any]):
    """The result of a metric: a mapping of names to values.

    Read a value as ``score.f1`` or ``score["f1/PER"]``, and all of them with ``to_dict()``. Scores of shards are
    merged with ``+`` or ``sum(...)``, and equal the score of the whole.
    """

    record: Metric = field(repr=False)
    """The metric that was computed."""
    sums: Sums
    """The sums that the values are derived from."""
    settings: Mapping[str, Value]
    """The options of the computation, as the signature lists them."""
    derive: Callable[[Score], dict[str, Any]] = field(repr=False)
    """Returns all values of a score, without intervals."""
    parts: tuple[Part, ...] = field(repr=False)
    """Return the values that follow from sums: of all types together, of one type, or of a resample."""
    of_settings: tuple[str, ...] = field(default=(), repr=False)
    """Notices that follow from the settings, whatever the samples."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python numbers under flat names, with the signature last."""
        return copy.deepcopy(self._values)

    def without_intervals(self) -> Score:
        """Return the same score without its intervals, which take most of the time."""
        return replace(self, sums=replace(self.sums, rows=None))

    def table(self) -> str:
        """Return the score as a table to print: a row for each type, then the averages, and the signature.

        For exact F1 it is a classification report: precision, recall, F1 and support. It needs the installed package,
        so it cannot be called in a Space.
        """
        text: str = module_of("showing.text").score_table(self)
        return text

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.record.name

    @property
    def signature(self) -> str:
        """The text that states how the score was computed: ``exact_f1|match:exact|scheme:iob2|...``."""
        return signature(self.metric, self.sums, self.settings)

    @property
    def notices(self) -> tuple[str, ...]:
        """What a reader must know, since the score could mislead. It is logged when a value is first read."""
        return (*self.of_settings, *self.sums.notices(), *self._few())

    def _few(self) -> Iterator[str]:
        """Yield what intervals rest on, where that is too little."""
        if self.sums.rows is None or not self.record.few:
            return
        values = self.row(self.sums.counts.total())
        for name, (enough, counted) in self.record.few.items():
            if 0 < values[name] < enough:
                yield (
                    f"{self.metric} rests on {values[name]} {counted}. With fewer than {enough}, its intervals are "
                    "rough, and those of differences between systems too short."
                )

    def row(self, sums: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a row of sums.

        Args:
            sums: the sums of all types together, or of one type.
        """
        return {name: value for part in self.parts for name, value in part.of(sums).items()}

    @cached_property
    def _values(self) -> dict[str, Any]:
        """All values by name, with the ends of their intervals where these are asked for."""
        for notice in self.notices:  # only now, since the notice of a shard may not hold for the whole
            say(notice)
        values = self.derive(self)
        if self.sums.answers is not None:
            signature = values.pop("signature", None)
            values |= self.sums.answers.values() | ({} if signature is None else {"signature": signature})
        if self.sums.rows is None:
            return values
        given = int(self.settings["ci"]), int(self.settings["seed"])
        ends = intervals(self.parts, self.sums.rows, values, *given)
        signature = values.pop("signature")  # so that it stays last
        return {**values, **ends, "signature": signature}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._values[name]
        except KeyError:
            flat = [key for key in self._values if "/" not in key]
            hint = did_you_mean(name, flat)
            raise AttributeError(f"{self.metric} has no {quoted(name)}.{hint} It has {', '.join(flat)}.") from None

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        return (self.metric, self.sums, dict(self.settings)) == (other.metric, other.sums, dict(other.settings))

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Score) -> Score:
        if not isinstance(other, Score):
            return NotImplemented
        if (self.metric, dict(self.settings)) != (other.metric, dict(other.settings)):
            raise CleancutError(
                f"scores that were computed differently cannot be added: {self.signature} and {other.signature}."
            )
        return replace(self, sums=self.sums + other.sums)

    def __radd__(self, other: Any) -> Score:
        if other == 0:  # the start value of sum()
            return self
        return NotImplemented

    def __repr__(self) -> str:
        shown = []
        for name, value in self._values.items():
            if "/" not in name and isinstance(value, int | float):
                text = f"{value:.4f}" if isinstance(value, float) else str(value)
                shown.append(f"{name}={text}")
        return f"{self.metric}({', '.join(shown)}) {self.signature}"


def signature(metric: str, sums: Sums, settings: Mapping[str, Value]) -> str:
    """Return the signature of a metric: its settings, and how the tags were read, in a fixed order.

    Args:
        metric: the name of the metric.
        sums: the sums of the score.
        settings: the options of the computation.
    """
    parts = {**settings, "scheme": sums.scheme_name(), **sums.repair()}
    if sums.answers is not None:
        parts["answers"] = sums.answers.how
    first = [name for name in ("match", "credit", "beta", "encoding", "diff", "scheme", "repair") if name in parts]
    ordered = dict.fromkeys([*first, *parts])
    return str(Signature.of(metric, {name: parts[name] for name in ordered}))


# --- arithmetic ---------------------------------------------------------------------------------------


def ratio(part: Any, whole: Any) -> Any:
    """Return ``part / whole``; 0.0 if the whole is empty, since counts stand beside every ratio.

    Args:
        part: a number, or an array of resamples.
        whole: the same.
    """
    return _divided(part, whole, 0.0)


def harmonic(precision: Any, recall: Any, beta: float = 1.0) -> Any:
    """Return F1 of a precision and a recall, or F-beta, in which recall weighs ``beta`` times as much.

    Args:
        precision: the precision.
        recall: the recall.
        beta: how many times as much recall weighs as precision.
    """
    if beta == 1:
        return ratio(2 * precision * recall, precision + recall)
    return ratio((1 + beta**2) * precision * recall, beta**2 * precision + recall)


def share(part: Any, whole: Any) -> Any:
    """Return ``part / whole``; NaN if the whole is empty, since nothing was measured.

    Args:
        part: a number, or an array of resamples.
        whole: the same.
    """
    return _divided(part, whole, math.nan)


def _divided(part: Any, whole: Any, otherwise: float) -> Any:
    """Return a quotient of numbers or of arrays, with another value where the whole is empty."""
    if isinstance(whole, np.ndarray):
        return np.divide(part, whole, out=np.full(len(whole), otherwise), where=whole != 0)
    return part / whole if whole else otherwise


def prf(credit: Any, n_pred: Any, n_gold: Any, suffix: str = "", of: str = "", *, beta: float = 1.0) -> dict[str, Any]:
    """Return precision, recall and F1 of the credit that predictions earned, with F-beta beside F1.

    Args:
        credit: the credit.
        n_pred: the number of predictions.
        n_gold: the number of gold mentions.
        suffix: the end of the names.
        of: the beginning of the names.
        beta: if it is not 1, F-beta stands beside F1.
    """
    precision = ratio(credit, n_pred)
    recall = ratio(credit, n_gold)
    rates = {f"{of}precision{suffix}": precision, f"{of}recall{suffix}": recall}
    return rates | f_values(f"{of}f1{suffix}", precision, recall, beta)


def behind_prf(suffix: str = "", *, beta: float = 1.0) -> dict[str, tuple[str, ...]]:
    """Return what precision, recall and F1 are shares of, as a ``Part`` states it.

    Args:
        suffix: the end of the names.
        beta: if it is not 1, F-beta stands beside F1.
    """
    names = dict.fromkeys([f"f1{suffix}", f_beta(f"f1{suffix}", beta)], ("n_gold", "n_pred"))
    return {f"precision{suffix}": ("n_pred",), f"recall{suffix}": ("n_gold",), **names}


def f_values(name: str, precision: Any, recall: Any, beta: float) -> dict[str, Any]:
    """Return F1 under its name and, if ``beta`` is not 1, F-beta: ``{"clean_f1": ..., "clean_f2": ...}``.

    Args:
        name: the name of F1.
        precision: the precision.
        recall: the recall.
        beta: how many times as much recall weighs as precision.
    """
    values = {name: harmonic(precision, recall)}
    if beta != 1:
        values[f_beta(name, beta)] = harmonic(precision, recall, beta)
    return values


# --- settings and rows --------------------------------------------------------------------------------


def beta_setting(beta: float) -> dict[str, Value]:
    """Return the setting of a signature that states beta; empty if it is 1.

    Args:
        beta: how many times as much recall weighs as precision.
    """
    return {"beta": beta} if beta != 1 else {}


def resampling_settings(resamples: int, seed: int) -> dict[str, Value]:
    """Return the settings of a signature that state the resampling; empty if there is none.

    Args:
        resamples: the number of resamples.
        seed: the seed of the resamples.
    """
    return {"ci": resamples, "seed": seed} if resamples else {}


def rows_of_samples(
    parts: tuple[Part, ...],
    scored: Pair,
    samples: Mapping[str, NDArray[np.integer]],
    weights: Mapping[str, NDArray[np.int64]] | None = None,
) -> Rows:
    """Return the counts of each sample, or of each document where these are known.

    Args:
        parts: the groups of values that follow from the same sums.
        scored: gold and predictions.
        samples: for each count, the sample of each thing that is counted.
        weights: for some counts, the weight of each thing.
    """
    counted = tally(samples, scored.gold.n_samples, weights)
    docs = None if scored.corpus is None else scored.corpus.docs
    return Rows.of(parts, counted, docs)


# --- training data ------------------------------------------------------------------------------------------


def with_text(metric: str, scored: Pair) -> tuple[Pair, Corpus]:
    """Return a pair with its text, which a metric needs.

    Args:
        metric: the name of the metric, for messages.
        scored: gold and predictions.

    Raises:
        CleancutError: the words of the samples are unknown.
    """
    if scored.corpus is None:
        raise CleancutError(f"{metric} needs the words of the samples. Give tokens=, or gold as a Corpus.")
    return scored, scored.corpus


def view_of_text(metric: str, exposure: Exposure, text: Corpus, types: Mapping[str, str]) -> Exposed:
    """Return the view that an index of the training data has on a text.

    Args:
        metric: the name of the metric, for messages.
        exposure: the index of the training data.
        text: the gold samples.
        types: new names of types by old ones.

    Raises:
        CleancutError: it is not an index.
    """
    if not isinstance(exposure, Exposure):
        raise CleancutError(
            f"{metric} needs to know what training has shown: give Exposure.of(train), not {type(exposure).__name__}."
        )
    return exposure.renamed(types).view(text)
