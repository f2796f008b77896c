"""Scores: named values derived from counts that add up, with a signature that says how they were computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .alignment import Aligner, Counts, Match
from .spans import Pair, pair, token_agreement
from .tags import CleancutError, Scheme, Tagging, parse_choice
from .version import __version__

Value = float | int | str


class Keys(StrEnum):
    """The shape of a result: flat (``f1/PER``), or as evaluate's seqeval returns it (``overall_f1``)."""

    CLEANCUT = "cleancut"
    SEQEVAL = "seqeval"


@dataclass(frozen=True)
class Sums:
    """All that a score is derived from. Sums of shards add up to the sums of the whole."""

    counts: Counts
    gold: Tagging | None
    pred: Tagging | None
    n_tokens: int = 0
    n_tokens_correct: int = 0
    """For seqeval's accuracy, counted where it is asked for; -1 where there are no tags to compare."""

    @classmethod
    def of(cls, counts: Counts, scored: Pair, *, tokens: bool = False) -> Sums:
        agreement = token_agreement(scored.gold, scored.pred) if tokens else (0, 0)
        return cls(counts, scored.gold.tagging, scored.pred.tagging, *agreement)

    def __add__(self, other: Sums) -> Sums:
        known = self.n_tokens_correct >= 0 and other.n_tokens_correct >= 0
        return Sums(
            self.counts + other.counts,
            _add_tagging(self.gold, other.gold),
            _add_tagging(self.pred, other.pred),
            self.n_tokens + other.n_tokens,
            self.n_tokens_correct + other.n_tokens_correct if known else -1,
        )

    def schemes(self) -> tuple[Scheme | None, Scheme | None]:
        """The schemes by which gold and predictions are judged."""
        gold = self.gold.scheme() if self.gold else None
        if self.pred is None:
            return gold, None
        return gold, self.pred.scheme_beside(self.gold) if self.gold else self.pred.scheme()

    def repairs(self) -> dict[str, Value]:
        """How many samples were repaired on either side; spans need no repair."""
        gold, pred = self.schemes()
        return {
            "n_repaired_gold": self.gold.n_repaired(gold) if self.gold else 0,
            "n_repaired_pred": self.pred.n_repaired(pred) if self.pred else 0,
        }

    def scheme_name(self) -> str:
        """``iob2``, ``spans``, ``mixed``, or both sides where they differ: ``iob2+bioes``."""
        names = [
            "spans" if tagging is None else scheme.value if scheme else "mixed"
            for tagging, scheme in zip((self.gold, self.pred), self.schemes(), strict=True)
        ]
        return "+".join(dict.fromkeys(names))


def _add_tagging(a: Tagging | None, b: Tagging | None) -> Tagging | None:
    return a + b if a and b else a or b


@dataclass(frozen=True, eq=False)
class Score(Mapping[str, Any]):
    """The result of a metric: read a value as ``score.f1`` or ``score["f1/PER"]``, all with ``to_dict()``.

    Scores of shards merge with ``+``, also by ``sum(...)``, and equal the score of the whole.
    """

    metric: str
    sums: Sums
    settings: Mapping[str, Value]
    """What was asked for, as the signature lists it."""
    derive: Callable[[Score], dict[str, Any]] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Flat names to plain Python numbers; the signature last."""
        return self._values().copy()

    @property
    def signature(self) -> str:
        """How the score was computed: ``exact_f1|match:exact|scheme:iob2|repair:conlleval|v:0.1.0``."""
        parts = {**self.settings, "scheme": self.sums.scheme_name(), "v": __version__}
        if parts["scheme"] == "spans":
            parts.pop("repair", None)
        ordered = [k for k in parts if k not in ("repair", "v")] + [k for k in ("repair", "v") if k in parts]
        return "|".join([self.metric, *(f"{name}:{parts[name]}" for name in ordered)])

    def _values(self) -> dict[str, Any]:
        cached = self.__dict__.get("_cache")
        if cached is None:
            cached = self.derive(self)
            object.__setattr__(self, "_cache", cached)
        return cached

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._values()[name]
        except KeyError:
            flat = ", ".join(key for key in self._values() if "/" not in key)
            raise AttributeError(f"{self.metric} has no {name!r}; it has {flat}") from None

    def __getitem__(self, key: str) -> Any:
        return self._values()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values())

    def __len__(self) -> int:
        return len(self._values())

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
        shown = {k: v for k, v in self._values().items() if "/" not in k and isinstance(v, int | float)}
        values = ", ".join(f"{k}={v:.4f}" if isinstance(v, float) else f"{k}={v}" for k, v in shown.items())
        return f"{self.metric}({values}) {self.signature}"


# --- arithmetic ---------------------------------------------------------------------------------------


def ratio(part: float, whole: float) -> float:
    """``part / whole``; 0.0 where there is nothing to divide by (counts stand beside every ratio)."""
    return part / whole if whole else 0.0


def harmonic(precision: float, recall: float) -> float:
    """F1 of a precision and a recall."""
    return ratio(2 * precision * recall, precision + recall)


def prf(credit: float, n_pred: int, n_gold: int, suffix: str = "") -> dict[str, float]:
    """Precision, recall and F1 of the credit earned."""
    precision, recall = ratio(credit, n_pred), ratio(credit, n_gold)
    f1 = harmonic(precision, recall)
    return {f"precision{suffix}": precision, f"recall{suffix}": recall, f"f1{suffix}": f1}


# --- exact --------------------------------------------------------------------------------------------


def exact_f1(
    gold: Any,
    pred: Any,
    *,
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    keys: str = "cleancut",
) -> Score:
    """Mention F1: a prediction counts where sample, start, end and type agree with a gold mention.

    P = correct / predicted, R = correct / gold, F1 = 2PR / (P + R), micro-averaged over the corpus; beside it each
    type, the mean over types (``macro_f1``) and the mean weighted by gold mentions (``weighted_f1``). Without any
    mention on either side all three are 0.0, with the counts beside them.

    ``gold`` and ``pred`` are corpora, mentions, or lists of tags, label ids (with ``labels``) or spans.

    >>> s = exact_f1([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "B-ORG"]])
    >>> s.f1, s["f1/PER"], s.n_gold
    (0.5, 1.0, 2)
    """
    shape = parse_choice(Keys, keys, "keys")
    scored = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair)
    aligner = Aligner(scored.gold, scored.pred)
    sums = Sums.of(Counts.of(aligner.labels, _exact_columns(aligner)), scored, tokens=shape is Keys.SEQEVAL)
    derive = _exact_values if shape is Keys.CLEANCUT else _seqeval_values
    return Score("exact_f1", sums, {"match": "exact", "repair": str(repair)}, derive)


def _exact_columns(aligner: Aligner) -> dict[str, NDArray[np.integer]]:
    exact = aligner.gold_label[aligner.exact_gold]
    return {"n_gold": aligner.gold_label, "n_pred": aligner.pred_label, "n_exact": exact}


def _exact_rows(score: Score) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Counts and scores of the whole, and of each type."""

    def row(sums: Mapping[str, int]) -> dict[str, Any]:
        return {**prf(sums["n_exact"], sums["n_pred"], sums["n_gold"]), **sums}

    counts = score.sums.counts
    return row(counts.total()), {name: row(sums) for name, sums in counts.by_type.items()}


def _exact_values(score: Score) -> dict[str, Any]:
    total, by_type = _exact_rows(score)
    values = dict(total)
    rows = by_type.values()
    for name in ("precision", "recall", "f1"):
        values[f"macro_{name}"] = ratio(math.fsum(row[name] for row in rows), len(rows))
    for name in ("precision", "recall", "f1"):
        weighted = math.fsum(row[name] * row["n_gold"] for row in rows)
        values[f"weighted_{name}"] = ratio(weighted, total["n_gold"])
    values |= score.sums.repairs()
    values |= {f"{name}/{label}": value for label, row in by_type.items() for name, value in row.items()}
    return {**values, "signature": score.signature}


def _seqeval_values(score: Score) -> dict[str, Any]:
    total, by_type = _exact_rows(score)
    values: dict[str, Any] = {
        label: {"precision": r["precision"], "recall": r["recall"], "f1": r["f1"], "number": r["n_gold"]}
        for label, r in by_type.items()
    }
    sums = score.sums
    accuracy = sums.n_tokens_correct / sums.n_tokens if sums.n_tokens and sums.n_tokens_correct >= 0 else math.nan
    overall = {f"overall_{name}": total[name] for name in ("precision", "recall", "f1")}
    return {**values, **overall, "overall_accuracy": accuracy}


# --- partial credit -------------------------------------------------------------------------------------

_PARTIAL = (Match.LEFT, Match.RIGHT, Match.OVERLAP)


def partial_f1(
    gold: Any,
    pred: Any,
    *,
    credit: float = 0.5,
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
) -> Score:
    """Mention F1 with part of the credit for near misses of the right type (Kong and Sullivan, Eq. 1 and 2).

    P = (EXACT + credit * PARTIAL) / predictions and R = (EXACT + credit * PARTIAL) / references, where PARTIAL counts
    further one-to-one pairs with the same start (``left``), the same end (``right``) or a shared token (``overlap``).
    The paper takes the first match found; here a maximum matching is taken, which gave the same counts on all
    systems tried and does not depend on the order of the lists.

    >>> s = partial_f1([["B-ORG", "I-ORG", "I-ORG"]], [["O", "B-ORG", "I-ORG"]])
    >>> s.f1_exact, s.f1_left, s.f1_right, s.f1_overlap
    (0.0, 0.0, 0.5, 0.5)
    """
    credit = parse_credit(credit)
    scored = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair)
    aligner = Aligner(scored.gold, scored.pred)
    columns = _exact_columns(aligner)
    for mode in _PARTIAL:
        found = aligner.align(mode)
        columns[f"n_partial_{mode}"] = aligner.gold_label[found.gold[~found.exact]]
    sums = Sums.of(Counts.of(aligner.labels, columns), scored)
    settings: dict[str, Value] = {"match": "+".join(_PARTIAL), "credit": credit, "repair": str(repair)}
    return Score("partial_f1", sums, settings, _partial_values)


def parse_credit(credit: float) -> float:
    if isinstance(credit, bool) or not isinstance(credit, int | float) or not 0 <= credit <= 1:
        raise CleancutError(f"credit={credit!r} is out of range. Give a number from 0 to 1.")
    return float(credit)


def _partial_values(score: Score) -> dict[str, Any]:
    credit = float(score.settings["credit"])

    def row(sums: Mapping[str, int]) -> dict[str, Any]:
        values: dict[str, Any] = prf(sums["n_exact"], sums["n_pred"], sums["n_gold"], "_exact")
        for mode in _PARTIAL:
            earned = sums["n_exact"] + credit * sums[f"n_partial_{mode}"]
            values |= prf(earned, sums["n_pred"], sums["n_gold"], f"_{mode}")
        return {**values, **sums}

    counts = score.sums.counts
    values = row(counts.total()) | score.sums.repairs()
    for label, sums in counts.by_type.items():
        values |= {f"{name}/{label}": value for name, value in row(sums).items()}
    return {**values, "signature": score.signature}
