"""Partial credit: mentions of the same type that share an edge, or a token."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ..core import checks
from ..core.pairing import pair
from ..core.type_names import types_setting
from .alignment import WHOLE, Aligner, Counts, Match
from .exact import exact_columns, exact_samples
from .metric import Metric
from .resampling import Part, columns, parse_resampling
from .score import Score, Sums, Value, beta_setting, prf, resampling_settings, rows_of_samples

_PARTIAL = tuple(mode for mode in Match if mode is not Match.EXACT)


def partial_f1(
    gold: Any,
    pred: Any,
    *,
    credit: float = 0.5,
    muc: bool = False,
    iou: bool = False,
    beta: float = 1.0,
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    types: Mapping[str, str] | None = None,
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
    (``f1_iou``), in one-to-one pairs of the greatest total. ``types`` are other names for types, by those that the data
    have (``{"person": "PER"}``). With ``beta=2`` each F1 has beside it F2 (``f2_left``), in which recall weighs twice
    as much; with any other number likewise.

    >>> s = partial_f1([["B-ORG", "I-ORG", "I-ORG"]], [["O", "B-ORG", "I-ORG"]])
    >>> s.f1_exact, s.f1_left, s.f1_right, s.f1_overlap
    (0.0, 0.0, 0.5, 0.5)
    >>> s = partial_f1([["B-ORG", "I-ORG", "I-ORG"]], [["O", "B-LOC", "I-LOC"]], muc=True)
    >>> s.n_muc_strict_inc, s.n_muc_partial_par, s.f1_muc_partial, s.f1_muc_type
    (1, 1, 0.5, 0.0)
    """
    credit, beta = float(checks.share(credit, "credit")), checks.beta(beta)
    muc, iou = checks.switch(muc, "muc"), checks.switch(iou, "iou")
    resamples, seed = parse_resampling(ci, seed)
    scored = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair, types=types)
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
    of_type = exact_columns(aligner) | {name: aligner.gold_label[gold] for name, gold in paired.items()}
    of_sample = exact_samples(aligner) | {name: scored.gold.sample[gold] for name, gold in paired.items()}
    parts = _partial_parts(credit, muc, iou, beta)
    rows = rows_of_samples(parts, scored, of_sample, weights) if resamples else None
    sums = Sums.of(Counts.of(aligner.labels, of_type, weights), scored, rows=rows)
    match = [*_PARTIAL, *(["muc"] if muc else []), *(["iou"] if iou else [])]
    settings: dict[str, Value] = {"match": "+".join(match), "credit": credit, **beta_setting(beta)}
    settings |= {**types_setting(scored.types), **resampling_settings(resamples, seed)}
    return Score(METRIC.with_beta(beta), sums, settings, _partial_values, parts)


def _partial_values(score: Score) -> dict[str, Any]:
    counts = score.sums.counts
    values = score.row(counts.total()) | score.sums.repairs()
    for label, sums in counts.by_type.items():
        values |= {f"{name}/{label}": value for name, value in score.row(_alone(sums)).items()}
    return {**values, "signature": score.signature}


def _partial_parts(credit: float, muc: bool = False, iou: bool = False, beta: float = 1.0) -> tuple[Part, ...]:
    exact = ("n_gold", "n_pred", "n_exact")
    near = (Part(columns(*exact, f"n_partial_{mode}"), partial(_near_part, mode, credit, beta)) for mode in _PARTIAL)
    met = ("n_partial_overlap", "muc_same_span", "muc_met", "muc_met_type")
    further = [Part(columns("n_gold", "n_pred", "iou"), partial(_iou_part, beta))] if iou else []
    further += [Part(columns(*exact, *met), partial(_muc_part, beta))] if muc else []
    return (Part(columns(*exact), partial(_near_part, Match.EXACT, 0.0, beta)), *near, *further)


def _near_part(mode: Match, credit: float, beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    earned = sums["n_exact"] + credit * sums.get(f"n_partial_{mode}", 0)
    return {**prf(earned, sums["n_pred"], sums["n_gold"], f"_{mode}", beta=beta), **sums}


def _iou_part(beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    return prf(sums["iou"] / WHOLE, sums["n_pred"], sums["n_gold"], "_iou", beta=beta)


def _muc_part(beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
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
        values |= prf(right + 0.5 * partial, sums["n_pred"], sums["n_gold"], f"_muc_{name}", beta=beta)
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


METRIC = Metric(
    name="partial_f1",
    function=partial_f1,
    short="partial",
    order=20,
    title="Partial credit (%)",
    description="Mention F1 with half of the credit for near misses of the right type.",
    titles={
        **{f"f1_{mode}": f"F1 {mode}" for mode in Match},
        "f1_iou": "F1 IoU",
        **{f"n_partial_{mode}": f"+{mode}" for mode in _PARTIAL},
    },
    shown=(*(f"f1_{mode}" for mode in Match), "f1_iou", *(f"n_partial_{mode}" for mode in _PARTIAL)),
    headline=(*(f"f1_{mode}" for mode in Match), "f1_iou"),
    compared=("f1_overlap",),
    ranked="f1_overlap",
    order_is_compared=False,
)
