"""A score: sums that add up over shards, the values that follow from them, and a signature.

The signature says how the score was computed. Each metric is a file of its own beside this one.
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
from ..core.exceptions import CleancutError, did_you_mean
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


@dataclass(frozen=True)
class Sums:
    """All that a score is derived from. Sums of shards add up to the sums of the whole."""

    counts: Counts
    gold: Tagging | None
    pred: Tagging | None
    n_tokens: int = 0
    n_tokens_correct: int = 0
    """For seqeval's accuracy, counted where it is asked for; -1 where there are no tags to compare."""
    rows: Rows | None = None
    """Counts of each sample or document, where intervals are asked for."""
    types: TypeNames = field(default_factory=TypeNames)
    """The names of types on each side."""
    projection: Projection | None = None
    """What became of predictions on other tokens than gold, where there were any."""
    answers: AnswerSums | None = None
    """How answers of a language model were read and placed, where these are the predictions."""

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
        agreement = token_agreement(scored.gold, scored.pred) if tokens else (0, 0)
        types = type_names(scored, exposure)
        answers = AnswerSums.of(scored.gold, scored.pred)
        sides = scored.gold.tagging, scored.pred.tagging
        return cls(counts, *sides, *agreement, rows, types, scored.projection, answers)

    def __add__(self, other: Sums) -> Sums:
        known = self.n_tokens_correct >= 0 and other.n_tokens_correct >= 0
        return Sums(
            self.counts + other.counts,
            _add_tagging(self.gold, other.gold),
            _add_tagging(self.pred, other.pred),
            self.n_tokens + other.n_tokens,
            self.n_tokens_correct + other.n_tokens_correct if known else -1,
            self.rows + other.rows if self.rows and other.rows else None,
            self.types + other.types,
            a + b if (a := self.projection) and (b := other.projection) else self.projection or other.projection,
            self.answers + other.answers if self.answers and other.answers else None,
        )

    def schemes(self) -> tuple[Scheme | None, Scheme | None]:
        """The schemes by which gold and predictions are judged."""
        gold = self.gold.scheme() if self.gold else None
        return gold, self.pred.scheme_beside(self.gold) if self.pred else None

    def repairs(self) -> dict[str, Value]:
        """How many samples were repaired on either side (spans need no repair), and what became of other tokens."""
        gold, pred = self.schemes()
        return {
            "n_repaired_gold": self.gold.n_repaired(gold) if self.gold else 0,
            "n_repaired_pred": self.pred.n_repaired(pred) if self.pred else 0,
            **(self.projection.values() if self.projection else {}),
        }

    def repair(self) -> dict[str, Value]:
        """The repair policy under which tags were read, as the signature has it; spans need none."""
        policies = dict.fromkeys(tagging.repair.value for tagging in (self.gold, self.pred) if tagging)
        return {"repair": "+".join(policies)} if policies else {}

    def scheme_name(self) -> str:
        """``iob2``, ``spans``, ``mixed``, or both sides where they differ: ``iob2+bioes``."""
        names = [
            "spans" if tagging is None else scheme.value if scheme else "mixed"
            for tagging, scheme in zip((self.gold, self.pred), self.schemes(), strict=True)
        ]
        return "+".join(dict.fromkeys(names))

    def notices(self) -> list[str]:
        """Return what is to be said of the names of types, of predictions on other tokens, and of answers."""
        said = self.types.notices()
        if self.projection:
            said += self.projection.notices(self.types.n_pred)
        if self.answers:
            said += self.answers.notices(self.types.gold)
        return said


def type_names(scored: Pair, exposure: Exposure | None) -> TypeNames:
    """The names of types of gold, predictions and training, as they are compared."""
    gold, pred = scored.gold, scored.pred
    train, n_train = frozenset[str](), 0
    if exposure is not None:
        train, n_train = frozenset(exposure.renamed(scored.types).type_names), exposure.n_mentions
    return TypeNames(frozenset(gold.labels), frozenset(pred.labels), train, len(gold), len(pred), n_train)


def _add_tagging(a: Tagging | None, b: Tagging | None) -> Tagging | None:
    return a + b if a and b else a or b


@dataclass(frozen=True, eq=False)
class Score(Drawn, Mapping[str, Any]):
    """The result of a metric: read a value as ``score.f1`` or ``score["f1/PER"]``, all with ``to_dict()``.

    Scores of shards merge with ``+``, also by ``sum(...)``, and equal the score of the whole.
    """

    record: Metric = field(repr=False)
    """What was computed."""
    sums: Sums
    settings: Mapping[str, Value]
    """What was asked for, as the signature lists it."""
    derive: Callable[[Score], dict[str, Any]] = field(repr=False)
    parts: tuple[Part, ...] = field(repr=False)
    """The values of a row of sums: of all types together, of one type, of a resample."""
    of_settings: tuple[str, ...] = field(default=(), repr=False)
    """What is to be known of a score that was computed by these settings, whatever the samples."""

    def to_dict(self) -> dict[str, Any]:
        """Flat names to plain Python numbers; the signature last."""
        return copy.deepcopy(self._values)

    def without_intervals(self) -> Score:
        """Return the same score without its intervals, which take most of the time."""
        return replace(self, sums=replace(self.sums, rows=None))

    def table(self) -> str:
        """Return the score as a table to print: a row for each type, then the averages, and the signature.

        Of exact F1 it is a classification report: precision, recall, F1 and support. It takes the installed package; in
        a Space it cannot be called.
        """
        text: str = module_of("showing.text").score_table(self)
        return text

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.record.name

    @property
    def signature(self) -> str:
        """How the score was computed: ``exact_f1|match:exact|scheme:iob2|repair:conlleval|v:0.2.0``."""
        return signature(self.metric, self.sums, self.settings)

    @property
    def notices(self) -> tuple[str, ...]:
        """What a reader must know, since the score could mislead. It is logged when a value is first read."""
        return (*self.of_settings, *self.sums.notices())

    def row(self, sums: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a row of sums."""
        return {name: value for part in self.parts for name, value in part.of(sums).items()}

    @cached_property
    def _values(self) -> dict[str, Any]:
        """All values by name, with the ends of their intervals where these are asked for."""
        for notice in self.notices:  # now, since that of a shard may not hold for the whole
            say(notice)
        values = self.derive(self)
        if self.sums.answers is not None:
            signature = values.pop("signature", None)
            values |= self.sums.answers.values() | ({} if signature is None else {"signature": signature})
        if self.sums.rows is None:
            return values
        given = int(self.settings["ci"]), int(self.settings["seed"])
        ends = intervals(self.parts, self.sums.rows, values, *given)
        signature = values.pop("signature")  # which stays last
        return {**values, **ends, "signature": signature}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._values[name]
        except KeyError:
            flat = [key for key in self._values if "/" not in key]
            hint = did_you_mean(name, flat)
            raise AttributeError(f"{self.metric} has no {name!r}.{hint} It has {', '.join(flat)}.") from None

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
                f"scores that were computed differently do not add up: {self.signature} and {other.signature}."
            )
        return replace(self, sums=self.sums + other.sums)

    def __radd__(self, other: Any) -> Score:
        if other == 0:  # the start value of sum()
            return self
        return NotImplemented

    def __repr__(self) -> str:
        shown = {k: v for k, v in self._values.items() if "/" not in k and isinstance(v, int | float)}
        values = ", ".join(f"{k}={v:.4f}" if isinstance(v, float) else f"{k}={v}" for k, v in shown.items())
        return f"{self.metric}({values}) {self.signature}"


def signature(metric: str, sums: Sums, settings: Mapping[str, Value]) -> str:
    """The name of a metric, then what was asked for and how the tags were read, in one order."""
    parts = {**settings, "scheme": sums.scheme_name(), **sums.repair()}
    if sums.answers is not None:
        parts["answers"] = sums.answers.how
    first = [name for name in ("match", "credit", "beta", "encoding", "diff", "scheme", "repair") if name in parts]
    ordered = dict.fromkeys([*first, *parts])
    return str(Signature.of(metric, {name: parts[name] for name in ordered}))


# --- arithmetic ---------------------------------------------------------------------------------------


def ratio(part: Any, whole: Any) -> Any:
    """``part / whole``; 0.0 where there is nothing to divide by (counts stand beside every ratio)."""
    return _divided(part, whole, 0.0)


def harmonic(precision: Any, recall: Any, beta: float = 1.0) -> Any:
    """F1 of a precision and a recall, or F-beta, in which recall weighs ``beta`` times as much."""
    if beta == 1:
        return ratio(2 * precision * recall, precision + recall)
    return ratio((1 + beta**2) * precision * recall, beta**2 * precision + recall)


def share(part: Any, whole: Any) -> Any:
    """``part / whole``; NaN where the whole is empty, since nothing was measured."""
    return _divided(part, whole, math.nan)


def _divided(part: Any, whole: Any, otherwise: float) -> Any:
    """Of two numbers, or of arrays of resamples."""
    if isinstance(whole, np.ndarray):
        return np.divide(part, whole, out=np.full(len(whole), otherwise), where=whole != 0)
    return part / whole if whole else otherwise


def prf(credit: Any, n_pred: Any, n_gold: Any, suffix: str = "", of: str = "", *, beta: float = 1.0) -> dict[str, Any]:
    """Precision, recall and F1 of the credit earned, with F-beta beside F1."""
    precision, recall = ratio(credit, n_pred), ratio(credit, n_gold)
    rates = {f"{of}precision{suffix}": precision, f"{of}recall{suffix}": recall}
    return rates | f_values(f"{of}f1{suffix}", precision, recall, beta)


def f_values(name: str, precision: Any, recall: Any, beta: float) -> dict[str, Any]:
    """F1 under its name and, where ``beta`` is not 1, F-beta: ``{"clean_f1": ..., "clean_f2": ...}``."""
    values = {name: harmonic(precision, recall)}
    if beta != 1:
        values[f_beta(name, beta)] = harmonic(precision, recall, beta)
    return values


# --- settings and rows --------------------------------------------------------------------------------


def beta_setting(beta: float) -> dict[str, Value]:
    """As the signature has it, where F-beta is asked for."""
    return {"beta": beta} if beta != 1 else {}


def resampling_settings(resamples: int, seed: int) -> dict[str, Value]:
    return {"ci": resamples, "seed": seed} if resamples else {}


def rows_of_samples(
    parts: tuple[Part, ...],
    scored: Pair,
    samples: Mapping[str, NDArray[np.integer]],
    weights: Mapping[str, NDArray[np.int64]] | None = None,
) -> Rows:
    """Counts of each sample, from the sample of each thing that is counted."""
    counted = tally(samples, scored.gold.n_samples, weights)
    return Rows.of(parts, counted, scored.corpus.docs if scored.corpus is not None else None)


# --- clean --------------------------------------------------------------------------------------------------


def with_text(metric: str, scored: Pair) -> tuple[Pair, Corpus]:
    if scored.corpus is None:
        raise CleancutError(f"{metric} needs the words of the samples. Give tokens=, or gold as a Corpus.")
    return scored, scored.corpus


def view_of_text(metric: str, exposure: Exposure, text: Corpus, types: Mapping[str, str]) -> Exposed:
    if not isinstance(exposure, Exposure):
        raise CleancutError(
            f"{metric} needs to know what training has shown: give Exposure.of(train), not {type(exposure).__name__}."
        )
    return exposure.renamed(types).view(text)
