"""Partial credit: part of the credit for mentions of the right type that share an edge or a token."""

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
from .score import Score, Sums, Value, behind_prf, beta_setting, prf, resampling_settings, rows_of_samples

_PARTIAL = tuple(mode for mode in Match if mode is not Match.EXACT)
"""The modes in which a match need not be exact."""


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
    """Compute mention F1 with part of the credit for near misses of the right type (Kong and Sullivan).

    P = (EXACT + credit * PARTIAL) / predictions and R = (EXACT + credit * PARTIAL) / references (their equations 1
    and 2), where PARTIAL counts further one-to-one pairs with the same start (``left``), the same end (``right``) or
    a shared token (``overlap``). The paper takes the first match found. Here a maximum matching is taken: it gave the
    same counts on all systems tried, and does not depend on the order of the lists.

    Args:
        gold: a corpus, mentions, or lists of tags, label ids or spans.
        pred: the same, or answers of a language model as texts.
        credit: the credit for a match that is not exact.
        muc: add the four scores of SemEval-2013 task 9, after MUC: ``strict`` (span and type), ``exact`` (span alone),
            ``partial`` (span alone, half a point for an overlap) and ``type`` (type, any overlap). Each has its pairs
            of mentions that share a token, correct (``cor``), incorrect (``inc``) or partial (``par``), and the
            mentions that are missed (``mis``) or spurious (``spu``): P = (COR + PAR / 2) / predictions, R = (COR +
            PAR / 2) / references. Exact pairs come first, then pairs of one type (for ``type``) or of one span, then
            as many as possible. A type is scored as if there were no other, as in nervaluate, whose counts depend on
            the order of the lists.
        iou: add the score whose credit is the intersection over union of the tokens of two mentions of one type
            (``f1_iou``), in one-to-one pairs of the greatest total.
        beta: a number other than 1 adds F-beta beside each F1: with ``beta=2``, ``f2_left``, in which recall weighs
            twice as much as precision.
        tokens: the words of each sample, where gold and predictions are lists.
        labels: the names of label ids: a list, an id2label dict or a ``ClassLabel``.
        scheme: the scheme of the tags; by default it is inferred where it is needed.
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.
        types: new names of types by old ones (``{"person": "PER"}``), for all sides.
        ci: the number of resamples for 95% intervals (``f1_low``, ``f1_high``). Documents are resampled where they are
            known, samples otherwise. Without it there are no intervals.
        seed: the seed of the resamples.

    Returns:
        The score, a mapping of names to values.

    Raises:
        CleancutError: an option is not valid, or gold and predictions do not fit together.

    >>> s = partial_f1([["B-ORG", "I-ORG", "I-ORG"]], [["O", "B-ORG", "I-ORG"]])
    >>> s.f1_exact, s.f1_left, s.f1_right, s.f1_overlap
    (0.0, 0.0, 0.5, 0.5)
    >>> s = partial_f1([["B-ORG", "I-ORG", "I-ORG"]], [["O", "B-LOC", "I-LOC"]], muc=True)
    >>> s.n_muc_strict_inc, s.n_muc_partial_par, s.f1_muc_partial, s.f1_muc_type
    (1, 1, 0.5, 0.0)
    """
    credit = float(checks.share(credit, "credit"))
    beta = checks.beta(beta)
    muc = checks.switch(muc, "muc")
    iou = checks.switch(iou, "iou")
    resamples, seed = parse_resampling(ci, seed)
    scored = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair, types=types)
    aligner = Aligner(scored.gold, scored.pred)
    paired = {}  # the gold mentions of pairs
    weights = {}  # the worth of each pair, where pairs differ in it
    for mode in _PARTIAL:
        alignment = aligner.align(mode)
        paired[f"n_partial_{mode}"] = alignment.gold[~alignment.exact]
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
    match = [str(mode) for mode in _PARTIAL]
    if muc:
        match.append("muc")
    if iou:
        match.append("iou")
    settings: dict[str, Value] = {"match": "+".join(match), "credit": credit, **beta_setting(beta)}
    settings |= {**types_setting(scored.types), **resampling_settings(resamples, seed)}
    return Score(METRIC.with_beta(beta), sums, settings, _partial_values, parts)


def _partial_values(score: Score) -> dict[str, Any]:
    """Return the values of a score under flat keys."""
    counts = score.sums.counts
    values = score.row(counts.total()) | score.sums.repairs()
    for label, sums in counts.by_type.items():
        values |= {f"{name}/{label}": value for name, value in score.row(_alone(sums)).items()}
    return {**values, "signature": score.signature}


def _partial_parts(credit: float, muc: bool = False, iou: bool = False, beta: float = 1.0) -> tuple[Part, ...]:
    """Return the groups of values that follow from the same sums."""
    exact = ("n_gold", "n_pred", "n_exact")
    behind = {mode: behind_prf(f"_{mode}", beta=beta) for mode in (*Match, "iou")}
    of_exact = partial(_near_part, Match.EXACT, 0.0, beta)
    parts = [Part(columns(*exact), of_exact, behind=behind[Match.EXACT])]
    for mode in _PARTIAL:
        of_mode = partial(_near_part, mode, credit, beta)
        parts.append(Part(columns(*exact, f"n_partial_{mode}"), of_mode, behind=behind[mode]))
    if iou:
        parts.append(Part(columns("n_gold", "n_pred", "iou"), partial(_iou_part, beta), behind=behind["iou"]))
    if muc:
        met = ("n_partial_overlap", "muc_same_span", "muc_met", "muc_met_type")
        of_modes = [behind_prf(f"_muc_{mode}", beta=beta) for mode in ("strict", "exact", "partial", "type")]
        of_all = {name: counted for of_mode in of_modes for name, counted in of_mode.items()}
        parts.append(Part(columns(*exact, *met), partial(_muc_part, beta), behind=of_all))
    return tuple(parts)


def _near_part(mode: Match, credit: float, beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    """Return precision, recall and F1 of one mode, with their counts."""
    earned = sums["n_exact"] + credit * sums.get(f"n_partial_{mode}", 0)
    return {**prf(earned, sums["n_pred"], sums["n_gold"], f"_{mode}", beta=beta), **sums}


def _iou_part(beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    """Return precision, recall and F1 with the intersection over union as credit."""
    return prf(sums["iou"] / WHOLE, sums["n_pred"], sums["n_gold"], "_iou", beta=beta)


def _muc_part(beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    """Return the four scores of SemEval-2013.

    Of the pairs that share a token, some are correct; the others are partial in the score ``partial``, and incorrect in
    all others.
    """
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
    """Return the sums of one type as MUC scores it, as if there were no other: all pairs are then of one type."""
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
