"""Scores: named values derived from counts that add up, with a signature that says how they were computed."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import bounds_of, ranges
from ..core.corpus import Corpus, Mentions, overlaps
from ..core.exceptions import CleancutError, did_you_mean, parse_choice
from ..core.notebook import html_page, html_table
from ..core.pairing import Pair, pair, token_agreement
from ..core.tags import Scheme, Tagging
from ..version import __version__
from .alignment import WHOLE, Aligner, Counts, Match, tally
from .exposure import Exposure
from .exposure_view import HARD, NOVELTY, Exposed
from .resampling import Part, Rows, columns, intervals, parse_resamples

Value = float | int | str


NEED_TRAIN = ("clean_f1", "hardeval")
"""The scores that compare with what training has shown."""


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
    rows: Rows | None = None
    """Counts of each sample or document, where intervals are asked for."""

    @classmethod
    def of(cls, counts: Counts, scored: Pair, *, tokens: bool = False, rows: Rows | None = None) -> Sums:
        agreement = token_agreement(scored.gold, scored.pred) if tokens else (0, 0)
        return cls(counts, scored.gold.tagging, scored.pred.tagging, *agreement, rows)

    def __add__(self, other: Sums) -> Sums:
        known = self.n_tokens_correct >= 0 and other.n_tokens_correct >= 0
        return Sums(
            self.counts + other.counts,
            _add_tagging(self.gold, other.gold),
            _add_tagging(self.pred, other.pred),
            self.n_tokens + other.n_tokens,
            self.n_tokens_correct + other.n_tokens_correct if known else -1,
            self.rows + other.rows if self.rows and other.rows else None,
        )

    def schemes(self) -> tuple[Scheme | None, Scheme | None]:
        """The schemes by which gold and predictions are judged."""
        gold = self.gold.scheme() if self.gold else None
        return gold, self.pred.scheme_beside(self.gold) if self.pred else None

    def repairs(self) -> dict[str, Value]:
        """How many samples were repaired on either side; spans need no repair."""
        gold, pred = self.schemes()
        return {
            "n_repaired_gold": self.gold.n_repaired(gold) if self.gold else 0,
            "n_repaired_pred": self.pred.n_repaired(pred) if self.pred else 0,
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
    parts: tuple[Part, ...] = field(repr=False)
    """The values of a row of sums: of all types together, of one type, of a resample."""

    def to_dict(self) -> dict[str, Any]:
        """Flat names to plain Python numbers; the signature last."""
        return copy.deepcopy(self._values())

    @property
    def signature(self) -> str:
        """How the score was computed: ``exact_f1|match:exact|scheme:iob2|repair:conlleval|v:0.1.0``."""
        return signature(self.metric, self.sums, self.settings)

    def row(self, sums: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a row of sums."""
        return {name: value for part in self.parts for name, value in part.of(sums).items()}

    def _values(self) -> dict[str, Any]:
        cached = self.__dict__.get("_cache")
        if cached is None:
            cached = self.derive(self)
            if self.sums.rows is not None:
                given = int(self.settings["ci"]), int(self.settings["seed"])
                found = intervals(self.parts, self.sums.rows, cached, *given)
                signature = cached.pop("signature")  # which stays last
                cached = {**cached, **found, "signature": signature}
            object.__setattr__(self, "_cache", cached)
        return cached

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._values()[name]
        except KeyError:
            flat = [key for key in self._values() if "/" not in key]
            hint = did_you_mean(name, flat)
            raise AttributeError(f"{self.metric} has no {name!r}.{hint} It has {', '.join(flat)}.") from None

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

    def _repr_html_(self) -> str:
        """A table for notebooks: the headline values of all types together and of each, in percent."""
        values = self._values()
        if self.metric == "hardeval":
            kinds = [name.removeprefix("n_") for name in values if name.startswith("n_") and "repaired" not in name]
            rows = [
                [kind, values["ter" if kind == "all" else f"ter_{kind}"], values[f"errors_{kind}"], values[f"n_{kind}"]]
                for kind in kinds
            ]
            rows = [["hardeval", values["hardeval"], None, None], *rows]
            drawn = html_table("hardeval: token error rates (%)", ["tokens", "ter", "errors", "n"], rows)
            return html_page(drawn, notes=[self.signature])
        total = self.row(self.sums.counts.total())
        columns = [name for name in _HEADLINE[self.metric] if name in total]
        by_type = {name: self.row(sums) for name, sums in self.sums.counts.by_type.items()}
        rows = [[name, *(row[column] for column in columns)] for name, row in {"all": total, **by_type}.items()]
        tables = [html_table(f"{self.metric} (%)", ["type", *columns], rows)]
        if self.sums.rows is not None:
            ends = [name for name in columns if f"{name}_low" in values]
            rows = [[end, *(values[f"{name}_{end}"] for name in ends)] for end in ("low", "high")]
            tables.append(html_table("95% intervals (%)", ["", *ends], rows))
        return html_page(*tables, notes=[self.signature])


_HEADLINE = {
    "exact_f1": ("precision", "recall", "f1", "n_gold", "n_pred", "n_exact"),
    "partial_f1": ("f1_exact", "f1_left", "f1_right", "f1_overlap", "f1_iou", "n_gold", "n_pred"),
    "clean_f1": ("f1", "clean_f1", "delta_f1", "clean_recall", "contaminated_recall", "contamination_rate", "n_clean"),
}
"""What a notebook shows of each metric, where it was computed."""


def signature(metric: str, sums: Sums, settings: Mapping[str, Value]) -> str:
    """The name of a metric, then what was asked for and how the tags were read, in one order."""
    parts = {**settings, "scheme": sums.scheme_name(), **sums.repair(), "v": __version__}
    first = [name for name in ("match", "credit", "encoding", "diff", "scheme", "repair") if name in parts]
    ordered = dict.fromkeys([*first, *(name for name in parts if name != "v"), "v"])
    return "|".join([metric, *(f"{name}:{parts[name]}" for name in ordered)])


# --- arithmetic ---------------------------------------------------------------------------------------


def ratio(part: Any, whole: Any) -> Any:
    """``part / whole``; 0.0 where there is nothing to divide by (counts stand beside every ratio)."""
    return _divided(part, whole, 0.0)


def harmonic(precision: Any, recall: Any) -> Any:
    """F1 of a precision and a recall."""
    return ratio(2 * precision * recall, precision + recall)


def share(part: Any, whole: Any) -> Any:
    """``part / whole``; NaN where the whole is empty, since nothing was measured."""
    return _divided(part, whole, math.nan)


def _divided(part: Any, whole: Any, otherwise: float) -> Any:
    """Of two numbers, or of arrays of resamples."""
    if isinstance(whole, np.ndarray):
        return np.divide(part, whole, out=np.full(len(whole), otherwise), where=whole != 0)
    return part / whole if whole else otherwise


def prf(credit: Any, n_pred: Any, n_gold: Any, suffix: str = "", of: str = "") -> dict[str, Any]:
    """Precision, recall and F1 of the credit earned."""
    precision, recall = ratio(credit, n_pred), ratio(credit, n_gold)
    f1 = harmonic(precision, recall)
    return {f"{of}precision{suffix}": precision, f"{of}recall{suffix}": recall, f"{of}f1{suffix}": f1}


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
    ci: int | None = None,
    seed: int = 13,
) -> Score:
    """Mention F1: a prediction counts where sample, start, end and type agree with a gold mention.

    P = correct / predicted, R = correct / gold, F1 = 2PR / (P + R), micro-averaged over the corpus; beside it each
    type, the mean over types (``macro_f1``) and the mean weighted by gold mentions (``weighted_f1``). Without any
    mention on either side all three are 0.0, with the counts beside them.

    ``gold`` and ``pred`` are corpora, mentions, or lists of tags, label ids (with ``labels``) or spans. ``ci`` adds 95%
    intervals (``f1_low``, ``f1_high``) from so many resamples of the samples, or of documents where these are known.

    >>> s = exact_f1([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "B-ORG"]])
    >>> s.f1, s["f1/PER"], s.n_gold
    (0.5, 1.0, 2)
    """
    shape = parse_choice(Keys, keys, "keys")
    scored = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair)
    aligner = Aligner(scored.gold, scored.pred)
    resamples = parse_resamples(ci)
    if resamples and shape is Keys.SEQEVAL:
        raise CleancutError("ci= has no place among seqeval's keys. Leave keys= out.")
    rows = _rows(_EXACT, scored, _exact_samples(aligner)) if resamples else None
    counts = Counts.of(aligner.labels, _exact_columns(aligner))
    sums = Sums.of(counts, scored, tokens=shape is Keys.SEQEVAL, rows=rows)
    derive = _exact_values if shape is Keys.CLEANCUT else _seqeval_values
    settings: dict[str, Value] = {"match": "exact"}
    if shape is Keys.SEQEVAL:
        settings["keys"] = shape.value
    return Score("exact_f1", sums, settings | _resampling(resamples, seed), derive, _EXACT)


def _resampling(resamples: int, seed: int) -> dict[str, Value]:
    return {"ci": resamples, "seed": seed} if resamples else {}


def _rows(
    parts: tuple[Part, ...],
    scored: Pair,
    samples: Mapping[str, NDArray[np.integer]],
    weights: Mapping[str, NDArray[np.int64]] | None = None,
) -> Rows:
    """Counts of each sample, from the sample of each thing that is counted."""
    counted = tally(samples, scored.gold.n_samples, weights)
    return Rows.of(parts, counted, scored.corpus.docs if scored.corpus is not None else None)


def _exact_samples(aligner: Aligner) -> dict[str, NDArray[np.integer]]:
    gold, pred = aligner.gold.sample, aligner.pred.sample
    return {"n_gold": gold, "n_pred": pred, "n_exact": gold[aligner.exact_gold]}


def _exact_columns(aligner: Aligner) -> dict[str, NDArray[np.integer]]:
    exact = aligner.gold_label[aligner.exact_gold]
    return {"n_gold": aligner.gold_label, "n_pred": aligner.pred_label, "n_exact": exact}


def _exact_rows(score: Score) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Counts and scores of the whole, and of each type."""
    counts = score.sums.counts
    return score.row(counts.total()), {name: score.row(sums) for name, sums in counts.by_type.items()}


def _exact_part(sums: Mapping[str, Any]) -> dict[str, Any]:
    return {**prf(sums["n_exact"], sums["n_pred"], sums["n_gold"]), **sums}


_EXACT = (Part(columns("n_gold", "n_pred", "n_exact"), _exact_part),)


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
    muc: bool = False,
    iou: bool = False,
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    ci: int | None = None,
    seed: int = 13,
) -> Score:
    """Mention F1 with part of the credit for near misses of the right type (Kong and Sullivan, Eq. 1 and 2).

    P = (EXACT + credit * PARTIAL) / predictions and R = (EXACT + credit * PARTIAL) / references, where PARTIAL counts
    further one-to-one pairs with the same start (``left``), the same end (``right``) or a shared token (``overlap``).
    The paper takes the first match found; here a maximum matching is taken, which gave the same counts on all
    systems tried and does not depend on the order of the lists.

    ``muc`` adds the four scores of SemEval-2013 task 9, after MUC: ``strict`` (span and type), ``exact`` (span alone),
    ``partial`` (span alone, half a point for an overlap) and ``type`` (type, any overlap), each with its pairs of
    mentions that share a token, correct (``cor``), incorrect (``inc``) or partial (``par``), and the mentions that are
    missed (``mis``) or spurious (``spu``): P = (COR + PAR / 2) / predictions, R = (COR + PAR / 2) / references. Exact
    pairs come first, then for ``type`` pairs of one type, else those of one span; of what is left, as many as possible.
    A type is scored as if there were no other, as nervaluate does it, whose counts depend on the order of the lists.

    ``iou`` adds the score whose credit is the intersection over union of the tokens of two mentions of one type
    (``f1_iou``), in one-to-one pairs of the greatest total.

    >>> s = partial_f1([["B-ORG", "I-ORG", "I-ORG"]], [["O", "B-ORG", "I-ORG"]])
    >>> s.f1_exact, s.f1_left, s.f1_right, s.f1_overlap
    (0.0, 0.0, 0.5, 0.5)
    >>> s = partial_f1([["B-ORG", "I-ORG", "I-ORG"]], [["O", "B-LOC", "I-LOC"]], muc=True)
    >>> s.n_muc_strict_inc, s.n_muc_partial_par, s.f1_muc_partial, s.f1_muc_type
    (1, 1, 0.5, 0.0)
    """
    credit = parse_credit(credit)
    scored = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair)
    aligner = Aligner(scored.gold, scored.pred)
    paired, weights = {}, {}  # gold mentions in pairs, and what each is worth, if not the same
    for mode in _PARTIAL:
        found = aligner.align(mode)
        paired[f"n_partial_{mode}"] = found.gold[~found.exact]
    if muc:
        paired["muc_same_span"] = np.append(aligner.exact_gold, aligner.same_span()[0])
        paired["muc_met"] = np.append(paired["muc_same_span"], aligner.meetings()[0])
        paired["muc_met_type"] = np.append(aligner.exact_gold, aligner.meetings_by_type()[0])
    if iou:
        paired["iou"], weights["iou"] = aligner.ious()
    of_type = _exact_columns(aligner) | {name: aligner.gold_label[gold] for name, gold in paired.items()}
    of_sample = _exact_samples(aligner) | {name: scored.gold.sample[gold] for name, gold in paired.items()}
    resamples, parts = parse_resamples(ci), _partial_parts(credit, muc, iou)
    rows = _rows(parts, scored, of_sample, weights) if resamples else None
    sums = Sums.of(Counts.of(aligner.labels, of_type, weights), scored, rows=rows)
    match = [*_PARTIAL, *(["muc"] if muc else []), *(["iou"] if iou else [])]
    settings: dict[str, Value] = {"match": "+".join(match), "credit": credit, **_resampling(resamples, seed)}
    return Score("partial_f1", sums, settings, _partial_values, parts)


def parse_credit(credit: float) -> float:
    if isinstance(credit, bool) or not isinstance(credit, int | float) or not 0 <= credit <= 1:
        raise CleancutError(f"credit={credit!r} is out of range. Give a number from 0 to 1.")
    return float(credit)


def _partial_values(score: Score) -> dict[str, Any]:
    counts = score.sums.counts
    values = score.row(counts.total()) | score.sums.repairs()
    for label, sums in counts.by_type.items():
        values |= {f"{name}/{label}": value for name, value in score.row(_alone(sums)).items()}
    return {**values, "signature": score.signature}


def _partial_parts(credit: float, muc: bool = False, iou: bool = False) -> tuple[Part, ...]:
    exact = ("n_gold", "n_pred", "n_exact")
    near = (Part(columns(*exact, f"n_partial_{mode}"), partial(_near_part, mode, credit)) for mode in _PARTIAL)
    met = ("n_partial_overlap", "muc_same_span", "muc_met", "muc_met_type")
    further = [Part(columns("n_gold", "n_pred", "iou"), _iou_part)] if iou else []
    further += [Part(columns(*exact, *met), _muc_part)] if muc else []
    return (Part(columns(*exact), partial(_near_part, Match.EXACT, 0.0)), *near, *further)


def _near_part(mode: Match, credit: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    earned = sums["n_exact"] + credit * sums.get(f"n_partial_{mode}", 0)
    return {**prf(earned, sums["n_pred"], sums["n_gold"], f"_{mode}"), **sums}


def _iou_part(sums: Mapping[str, Any]) -> dict[str, Any]:
    return prf(sums["iou"] / WHOLE, sums["n_pred"], sums["n_gold"], "_iou")


def _muc_part(sums: Mapping[str, Any]) -> dict[str, Any]:
    """The four scores of SemEval-2013: of the pairs that met, some are correct, and the others partial or incorrect."""
    right_and_met = {
        "strict": (sums["n_exact"], sums["muc_met"]),
        "exact": (sums["muc_same_span"], sums["muc_met"]),
        "partial": (sums["muc_same_span"], sums["muc_met"]),
        "type": (sums["n_exact"] + sums["n_partial_overlap"], sums["muc_met_type"]),
    }
    values: dict[str, Any] = {}
    for name, (right, met) in right_and_met.items():
        partial = (met - right) * (name == "partial")
        values |= prf(right + 0.5 * partial, sums["n_pred"], sums["n_gold"], f"_muc_{name}")
        counts = {"cor": right, "inc": met - right - partial, "par": partial}
        counts |= {"mis": sums["n_gold"] - met, "spu": sums["n_pred"] - met}
        values |= {f"n_muc_{name}_{what}": count for what, count in counts.items()}
    return values


def _alone(sums: Mapping[str, Any]) -> dict[str, Any]:
    """The sums of one type as MUC scores it, as if there were no other: all that meet are of one type."""
    if "muc_met" not in sums:
        return dict(sums)
    met = sums["n_exact"] + sums["n_partial_overlap"]
    return {**sums, "muc_same_span": sums["n_exact"], "muc_met": met, "muc_met_type": met}


# --- clean --------------------------------------------------------------------------------------------------


def clean_f1(
    gold: Any,
    pred: Any,
    exposure: Exposure,
    *,
    match: str = "exact",
    credit: float = 0.5,
    confusable: bool | Exposure = False,
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    ci: int | None = None,
    seed: int = 13,
) -> Score:
    """F1 on what training has not shown, and how much of F1 is memory (Babil et al.).

    A gold mention is *contaminated* if its entity is in training, *clean* otherwise. ``clean_recall`` counts recovered
    clean mentions over all clean ones; ``clean_f1`` is the harmonic mean of the original precision and the clean recall
    (Eq. 7), ``delta_f1`` = F1 - clean F1 (Eq. 8). ``clean_precision`` leaves contaminated true positives out (Eq. 10),
    ``clean_precision_naive`` and ``contaminated_precision_naive`` sum to P (Eq. 11). Beyond the paper: recall by
    novelty (``recall_seen``, ``recall_other_type``, ``recall_known_words``, ``recall_unknown_words``) and the score of
    a look-up of the training mentions (``memorisation_f1``). Where a subset is empty its scores are NaN.

    ``confusable=True`` adds the recall of gold mentions whose words are mentions of more than one type in the gold
    annotation (type-confusable mentions; Tu and Lignos): of all (``recall_confusable``), of those whose words training
    has as a mention of any type (``recall_confusable_seen``) and of the others (``recall_confusable_unseen``). That is
    a matter of the whole test set: scores of its shards add up only where all are judged by one index of the whole,
    ``confusable=Exposure.of(gold)``, and refuse to where each is judged by its own shard.

    >>> from cleancut.core.corpus import Corpus
    >>> shown = Exposure.of(Corpus.of([["Alice"]], tags=[["B-PER"]]))
    >>> gold, pred = [["B-PER", "B-PER", "O"]], [["B-PER", "B-PER", "B-PER"]]
    >>> s = clean_f1(gold, pred, shown, tokens=[["Alice", "Bob", "Charlie"]])
    >>> round(s.precision, 3), s.clean_recall, round(s.clean_f1, 3), s.clean_precision
    (0.667, 1.0, 0.8, 0.5)
    """
    mode, credit = parse_choice(Match, match, "match"), parse_credit(credit)
    scored, text = _with_text("clean_f1", pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair))
    shown = _view("clean_f1", exposure, text)
    aligner = Aligner(scored.gold, scored.pred)
    found = aligner.align(mode)
    judge = _judge(confusable, exposure, text)
    tough = judge.view(text).n_types > 1 if judge is not None else None
    matched = np.zeros(len(scored.gold), np.int64)
    matched[found.gold] = np.where(found.exact, 1, 2)
    code = shown.mention_class * 3 + matched
    by_type = _clean_columns(aligner.gold_label, code, aligner.pred_label, len(aligner.labels), tough)
    counts = Counts.of_table(aligner.labels, by_type) | _memorised_counts(scored.gold, shown)
    settings: dict[str, Value] = {"match": mode.value}
    if mode is not Match.EXACT:
        settings["credit"] = credit
    settings |= {"key": str(exposure.key), "train": exposure.fingerprint}
    if judge is not None:
        settings["confusable"] = judge.fingerprint
    parts = _clean_parts(0.0 if mode is Match.EXACT else credit, judge is not None)
    resamples, rows = parse_resamples(ci), None
    if resamples:
        n = scored.gold.n_samples
        by_sample = _clean_columns(scored.gold.sample, code, scored.pred.sample, n, tough)
        by_sample["n_memorised"] = np.bincount(shown.memorised.sample, minlength=n)
        by_sample["n_memorised_exact"] = np.bincount(scored.gold.sample[shown.memorised_exactly], minlength=n)
        rows = Rows.of(parts, by_sample, text.docs)
    sums = Sums.of(counts, scored, rows=rows)
    return Score("clean_f1", sums, settings | _resampling(resamples, seed), _clean_values, parts)


def _judge(confusable: bool | Exposure, exposure: Exposure, text: Corpus) -> Exposure | None:
    """The index by which mentions are type-confusable: the one given, or that of the gold annotation; None for none."""
    if isinstance(confusable, bool):
        return Exposure.of(text, **exposure.key._asdict()) if confusable else None
    if not isinstance(confusable, Exposure):
        raise CleancutError(f"confusable={confusable!r}: expected True, False or Exposure.of(the whole test set).")
    if confusable.key != exposure.key:
        raise CleancutError(
            f"confusable= has the key {confusable.key}, the training index {exposure.key}. Make both with the same."
        )
    return confusable


def _clean_columns(
    gold_group: NDArray[np.integer],
    code: NDArray[np.integer],
    pred_group: NDArray[np.integer],
    n: int,
    tough: NDArray[np.bool_] | None,
) -> dict[str, NDArray[np.integer]]:
    """The sums of each of ``n`` types, or samples: one count over class and match holds them all."""
    width = 2 * len(NOVELTY) * 3
    table = np.bincount(gold_group * width + code, minlength=n * width).reshape(n, 2, len(NOVELTY), 3)
    columns: dict[str, NDArray[np.integer]] = {"n_pred": np.bincount(pred_group, minlength=n)}
    columns |= _match_columns(table.sum(axis=(1, 2)), "")
    columns |= _match_columns(table[:, 1].sum(axis=1), "_contaminated")
    for i, name in enumerate(NOVELTY):
        columns |= _match_columns(table[:, :, i].sum(axis=1), f"_{name}")
    if tough is not None:
        table = np.bincount((gold_group * width + code)[tough], minlength=n * width).reshape(table.shape).sum(axis=1)
        new = NOVELTY.index("known_words")  # from here on, the surface is no training mention
        for name, part in zip(_CONFUSABLE, (table, table[:, :new], table[:, new:]), strict=True):
            columns |= _match_columns(part.sum(axis=1), f"_{name}")
    return columns


_CONFUSABLE = ("confusable", "confusable_seen", "confusable_unseen")
"""Of all type-confusable mentions, of those whose surface is a training mention, of the others."""


def _match_columns(table: NDArray[np.integer], of: str) -> dict[str, NDArray[np.integer]]:
    """Gold mentions of each type, and those matched exactly and in part."""
    return {f"n_gold{of}": table.sum(axis=1), f"n_exact{of}": table[:, 1], f"n_partial{of}": table[:, 2]}


def memorisation(gold: Corpus, exposure: Exposure) -> dict[str, Any]:
    """The score of a look-up of the training mentions: how much of an F1 needs no model at all."""
    sums = _memorised_counts(gold.mentions, exposure.view(gold)).total()
    counts = {"n_gold": len(gold.mentions), "n_pred": sums["n_memorised"], "n_exact": sums["n_memorised_exact"]}
    return {**prf(counts["n_exact"], counts["n_pred"], counts["n_gold"]), **counts}


def _memorised_counts(gold: Mentions, shown: Exposed) -> Counts:
    """What that look-up finds, by type; kept with the view, since no prediction touches it."""
    counts = shown.__dict__.get("memorisation_counts")
    if counts is None:
        found = shown.memorised_of_type
        exact = np.bincount(gold.label[shown.memorised_exactly], minlength=len(gold.labels)).tolist()
        right = dict(zip(gold.labels, exact, strict=True))
        names = tuple(sorted(set(gold.labels) | set(found)))
        columns = {"n_memorised": found, "n_memorised_exact": right}
        table = {name: np.array([of.get(label, 0) for label in names], np.int64) for name, of in columns.items()}
        counts = shown.__dict__["memorisation_counts"] = Counts.of_table(names, table)
    return counts


def _clean_parts(credit: float, confusable: bool) -> tuple[Part, ...]:
    """What follows from the two kinds of gold mentions, from each novelty class, and from the look-up."""
    matched, subsets = ("n_gold", "n_exact", "n_partial"), NOVELTY + (_CONFUSABLE if confusable else ())
    both = columns("n_pred", *matched, *(f"{n}_contaminated" for n in matched))
    classes = ((name, {n: (f"{n}_{name}",) for n in matched}) for name in subsets)
    return (
        Part(both, partial(_clean_part, credit)),
        *(Part(sums, partial(_recall_part, name, credit)) for name, sums in classes),
        Part(columns("n_gold", "n_memorised", "n_memorised_exact"), _memorised_part),
    )


def _clean_part(credit: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    n_gold, n_pred, n_contaminated = sums["n_gold"], sums["n_pred"], sums["n_gold_contaminated"]
    n_clean = n_gold - n_contaminated
    right, right_contaminated = (sums[f"n_exact{of}"] + credit * sums[f"n_partial{of}"] for of in ("", "_contaminated"))
    right_clean = right - right_contaminated
    whole = prf(right, n_pred, n_gold)
    clean_recall = share(right_clean, n_clean)
    contaminated_recall = share(right_contaminated, n_contaminated)
    clean_precision = share(right_clean, right_clean + n_pred - right)
    clean = harmonic(whole["precision"], clean_recall)
    return {
        **whole,
        "clean_recall": clean_recall,
        "contaminated_recall": contaminated_recall,
        "clean_f1": clean,
        "contaminated_f1": harmonic(whole["precision"], contaminated_recall),
        "delta_f1": whole["f1"] - clean,
        "delta_recall": whole["recall"] - clean_recall,
        "clean_precision": clean_precision,
        "clean_precision_naive": ratio(right_clean, n_pred),
        "contaminated_precision_naive": ratio(right_contaminated, n_pred),
        "clean_f1_star": harmonic(clean_precision, clean_recall),
        "n_gold": n_gold,
        "n_clean": n_clean,
        "n_contaminated": n_contaminated,
        "n_pred": n_pred,
        "contamination_rate": share(n_contaminated, n_gold),
    }


def _recall_part(name: str, credit: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    earned = sums["n_exact"] + credit * sums["n_partial"]
    return {f"recall_{name}": share(earned, sums["n_gold"]), f"n_{name}": sums["n_gold"]}


def _memorised_part(sums: Mapping[str, Any]) -> dict[str, Any]:
    return prf(sums["n_memorised_exact"], sums["n_memorised"], sums["n_gold"], of="memorisation_")


def _clean_values(score: Score) -> dict[str, Any]:
    counts = score.sums.counts
    values = score.row(counts.total()) | score.sums.repairs()
    for label, sums in counts.by_type.items():
        if sums["n_gold"] or sums["n_pred"]:  # and not only what the look-up found
            values |= {f"{name}/{label}": value for name, value in score.row(sums).items()}
    return {**values, "signature": score.signature}


def _with_text(metric: str, scored: Pair) -> tuple[Pair, Corpus]:
    if scored.corpus is None:
        raise CleancutError(f"{metric} needs the words of the samples. Give tokens=, or gold as a Corpus.")
    return scored, scored.corpus


def _view(metric: str, exposure: Exposure, text: Corpus) -> Exposed:
    if not isinstance(exposure, Exposure):
        raise CleancutError(
            f"{metric} needs to know what training has shown: give Exposure.of(train), not {type(exposure).__name__}."
        )
    return exposure.view(text)


# --- hardeval -------------------------------------------------------------------------------------------------


class Encoding(StrEnum):
    """The token labels that hardeval compares: with boundaries on both ends, at the start, or none."""

    BILOU = "bilou"
    BIO = "bio"
    IO = "io"


def hardeval(
    gold: Any,
    pred: Any,
    exposure: Exposure,
    strict: bool = False,
    *,
    encoding: str = "bilou",
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    ci: int | None = None,
    seed: int = 13,
) -> Score:
    """Token error rates where memory does not help: words that are new, and labels that are not the word's usual one.

    *unseen*: the word is not a training word (``_i``, ``_o`` by gold label). *diff*: the label is not the usual one,
    on two levels: gold O where training has the word more often inside mentions (``_o``), gold I where it has it more
    often outside (``_i``), else a type that is not the most frequent one (``_e``); with ``strict``, one never seen.
    ``hardeval`` is the mean of ``ter_unseen`` and ``ter_diff``. Labels are compared in BILOU, so boundaries count.

    >>> from cleancut.core.corpus import Corpus
    >>> shown = Exposure.of(Corpus.of([["Ada", "spoke"]], tags=[["B-PER", "O"]]))
    >>> s = hardeval([["B-PER", "O"]], [["O", "O"]], shown, tokens=[["Grace", "spoke"]])
    >>> s.ter, s.ter_unseen, s.n_unseen_i
    (0.5, 1.0, 1)
    """
    compared = parse_choice(Encoding, encoding, "encoding")
    scored, text = _with_text("hardeval", pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair))
    shown = _view("hardeval", exposure, text)
    for side, mentions in (("gold", scored.gold), ("predicted", scored.pred)):
        if overlaps(mentions):
            raise CleancutError(
                f"hardeval is undefined: {side} mentions overlap, so that tokens have no one label. Use a span score."
            )
    hard = shown.hard_tokens_strict if strict else shown.hard_tokens
    wrong = _wrong_tokens(Aligner(scored.gold, scored.pred), compared)
    n_of, n_wrong = hard.counts, np.bincount(hard.of_token[wrong], minlength=len(HARD))
    sums = {f"n_{name}": int(n) for name, n in zip(HARD, n_of, strict=True)}
    sums |= {f"errors_{name}": int(n) for name, n in zip(HARD, n_wrong, strict=True)}
    counts = Counts({"all": sums}, tuple(sums))
    settings: dict[str, Value] = {"encoding": compared.value, "diff": "strict" if strict else "lax"}
    settings["train"] = exposure.fingerprint
    resamples, rows = parse_resamples(ci), None
    if resamples:
        assert scored.gold.lengths is not None
        n, sample = scored.gold.n_samples, np.repeat(np.arange(scored.gold.n_samples), scored.gold.lengths)
        groups = {"n": sample * len(HARD) + hard.of_token}
        groups["errors"] = groups["n"][wrong]
        tables = {name: np.bincount(at, minlength=n * len(HARD)).reshape(n, len(HARD)) for name, at in groups.items()}
        by_sample = {f"{name}_{of}": table[:, i] for name, table in tables.items() for i, of in enumerate(HARD)}
        rows = Rows.of(_HARDEVAL, by_sample, text.docs)
    sums_of_all = Sums.of(counts, scored, rows=rows)
    return Score("hardeval", sums_of_all, settings | _resampling(resamples, seed), _hardeval_values, _HARDEVAL)


def _wrong_tokens(aligner: Aligner, encoding: Encoding) -> NDArray[np.int64]:
    """The positions at which the token labels of gold and prediction differ.

    Tokens of exactly matched mentions have equal labels, and flat mentions do not touch those of others: only the
    mentions that are left over need to be compared.
    """
    assert aligner.gold.lengths is not None
    bounds = bounds_of(aligner.gold.lengths)
    places, labels = [], []
    narrow = np.min_scalar_type(4 * len(aligner.labels))  # the fewer bytes, the fewer misses of the processor's cache
    sides = (aligner.gold, aligner.gold_label), (aligner.pred, aligner.pred_label)
    for (side, label_of), left in zip(sides, aligner.left_over(), strict=True):
        begin = bounds[side.sample[left]] + side.start[left]
        size = (side.end[left] - side.start[left]).astype(np.int64)
        place = ranges(begin, size)
        label = np.zeros(int(bounds[-1]), narrow)  # 0 is O
        label[place] = 4 * np.repeat(label_of[left], size) + 1
        if encoding is not Encoding.IO:
            label[begin] += 1
        if encoding is Encoding.BILOU:
            label[begin + size - 1] += 2
        places.append(place)
        labels.append(label)
    (of_gold, of_pred), (gold, pred) = places, labels
    spurious = of_pred[gold[of_pred] == 0]
    return np.append(of_gold[gold[of_gold] != pred[of_gold]], spurious)


def _hardeval_values(score: Score) -> dict[str, Any]:
    values = score.row(score.sums.counts.total())
    return values | score.sums.repairs() | {"signature": score.signature}


_SUBSETS = {
    "all": HARD, "unseen": ("unseen_i", "unseen_o"), "unseen_i": ("unseen_i",), "unseen_o": ("unseen_o",),
    "diff": ("diff_i", "diff_o", "diff_e"), "diff_i": ("diff_i",), "diff_o": ("diff_o",), "diff_e": ("diff_e",),
    "other": ("other",),
}  # fmt: skip
"""The sets of tokens that error rates are of, and what each is made of."""


def _counted(what: str, *names: str) -> dict[str, tuple[str, ...]]:
    return {f"{what}_{name}": tuple(f"{what}_{part}" for part in _SUBSETS[name]) for name in names}


def _hardeval_part(sums: Mapping[str, Any]) -> dict[str, Any]:
    rates = _rate_part("unseen", sums) | _rate_part("diff", sums)
    return {"hardeval": (rates["ter_unseen"] + rates["ter_diff"]) / 2, **rates}


def _rate_part(name: str, sums: Mapping[str, Any]) -> dict[str, Any]:
    rate = share(sums[f"errors_{name}"], sums[f"n_{name}"])
    return {"ter" if name == "all" else f"ter_{name}": rate, **sums}


def _share_part(name: str, sums: Mapping[str, Any]) -> dict[str, Any]:
    return {f"share_{name}": share(sums[f"errors_{name}"], sums["errors_all"])}


_HARDEVAL = (
    Part(_counted("n", "unseen", "diff") | _counted("errors", "unseen", "diff"), _hardeval_part),
    *(
        Part(_counted("n", name) | _counted("errors", name), partial(_rate_part, name))
        for name in _SUBSETS
        if name not in ("unseen", "diff")
    ),
    *(Part(_counted("errors", name, "all"), partial(_share_part, name)) for name in ("unseen", "diff", "other")),
)
