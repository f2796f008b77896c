"""Exact F1: a prediction is right if its start, end and type are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.exceptions import CleancutError, parse_choice
from ..core.pairing import pair
from ..core.type_names import types_setting
from .alignment import Aligner, Counts
from .metric import Metric
from .resampling import Part, columns, parse_resampling
from .score import Score, Sums, Value, behind_prf, beta_setting, prf, ratio, resampling_settings, rows_of_samples


class Keys(StrEnum):
    """The shape of a result: flat keys (``f1/PER``), or the keys of evaluate's seqeval (``overall_f1``)."""

    CLEANCUT = "cleancut"
    SEQEVAL = "seqeval"


def exact_f1(
    gold: Any,
    pred: Any,
    *,
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    types: Mapping[str, str] | None = None,
    keys: str = "cleancut",
    beta: float = 1.0,
    ci: int | None = None,
    seed: int = 13,
) -> Score:
    """Compute exact F1: a prediction is right if sample, start, end and type agree with a gold mention.

    P = correct / predicted, R = correct / gold, F1 = 2PR / (P + R), micro-averaged over the corpus. The score also
    has the values of each type (``f1/PER``), their mean (``macro_f1``) and their mean weighted by gold mentions
    (``weighted_f1``). Without any mention on either side, P, R and F1 are 0.0.

    Args:
        gold: a corpus, mentions, or lists of tags, label ids or spans.
        pred: the same, or answers of a language model as texts.
        tokens: the words of each sample, where gold and predictions are lists.
        labels: the names of label ids: a list, an id2label dict or a ``ClassLabel``.
        scheme: the scheme of the tags; by default it is inferred where it is needed.
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.
        types: new names of types by old ones (``{"person": "PER"}``), for all sides.
        keys: ``cleancut`` for flat keys, ``seqeval`` for those of evaluate's seqeval.
        beta: a number other than 1 adds F-beta beside each F1: with ``beta=2``, ``f2``, in which recall weighs twice
            as much as precision.
        ci: the number of resamples for 95% intervals (``f1_low``, ``f1_high``). Documents are resampled where they are
            known, samples otherwise. Without it there are no intervals.
        seed: the seed of the resamples.

    Returns:
        The score, a mapping of names to values.

    Raises:
        CleancutError: an option is not valid, or gold and predictions do not fit together.

    >>> s = exact_f1([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "B-ORG"]])
    >>> s.f1, s["f1/PER"], s.n_gold
    (0.5, 1.0, 2)
    """
    shape = parse_choice(Keys, keys, "keys")
    beta = checks.beta(beta)
    resamples, seed = parse_resampling(ci, seed)
    scored = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair, types=types)
    aligner = Aligner(scored.gold, scored.pred)
    if resamples and shape is Keys.SEQEVAL:
        raise CleancutError("keys='seqeval' has no names for intervals. Leave out ci= or keys=.")
    if beta != 1 and shape is Keys.SEQEVAL:
        raise CleancutError("keys='seqeval' has no name for F-beta. Leave out beta= or keys=.")
    parts = (Part(columns("n_gold", "n_pred", "n_exact"), partial(_exact_part, beta), behind=behind_prf(beta=beta)),)
    rows = rows_of_samples(parts, scored, exact_samples(aligner)) if resamples else None
    counts = Counts.of(aligner.labels, exact_columns(aligner))
    sums = Sums.of(counts, scored, tokens=shape is Keys.SEQEVAL, rows=rows)
    derive = _exact_values if shape is Keys.CLEANCUT else _seqeval_values
    settings: dict[str, Value] = {"match": "exact"}
    if shape is Keys.SEQEVAL:
        settings["keys"] = shape.value
    settings |= beta_setting(beta)
    settings |= {**types_setting(scored.types), **resampling_settings(resamples, seed)}
    return Score(METRIC.with_beta(beta), sums, settings, derive, parts)


def exact_samples(aligner: Aligner) -> dict[str, NDArray[np.integer]]:
    """Return the samples of the gold, the predicted and the exactly matched mentions.

    Args:
        aligner: gold and predictions.
    """
    gold = aligner.gold.sample
    return {"n_gold": gold, "n_pred": aligner.all_pred_sample, "n_exact": gold[aligner.exact_gold]}


def exact_columns(aligner: Aligner) -> dict[str, NDArray[np.integer]]:
    """Return the types of the gold, the predicted and the exactly matched mentions.

    Args:
        aligner: gold and predictions.
    """
    exact = aligner.gold_label[aligner.exact_gold]
    return {"n_gold": aligner.gold_label, "n_pred": aligner.all_pred_label, "n_exact": exact}


def _exact_rows(score: Score) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the counts and scores of the whole, and those of each type."""
    counts = score.sums.counts
    return score.row(counts.total()), {name: score.row(sums) for name, sums in counts.by_type.items()}


def _exact_part(beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    """Return precision, recall and F1 with their counts."""
    return {**prf(sums["n_exact"], sums["n_pred"], sums["n_gold"], beta=beta), **sums}


def _exact_values(score: Score) -> dict[str, Any]:
    """Return the values of a score under flat keys."""
    total, by_type = _exact_rows(score)
    values = dict(total)
    rows = by_type.values()
    averaged = [name for name in total if not name.startswith("n_")]
    for name in averaged:
        values[f"macro_{name}"] = ratio(math.fsum(row[name] for row in rows), len(rows))
    for name in averaged:
        weighted = math.fsum(row[name] * row["n_gold"] for row in rows)
        values[f"weighted_{name}"] = ratio(weighted, total["n_gold"])
    values |= score.sums.repairs()
    values |= {f"{name}/{label}": value for label, row in by_type.items() for name, value in row.items()}
    return {**values, "signature": score.signature}


def _seqeval_values(score: Score) -> dict[str, Any]:
    """Return the values of a score under the keys of evaluate's seqeval."""
    total, by_type = _exact_rows(score)
    values: dict[str, Any] = {}
    for label, row in by_type.items():
        scores = {name: row[name] for name in ("precision", "recall", "f1")}
        values[label] = {**scores, "number": row["n_gold"]}
    sums = score.sums
    accuracy = math.nan
    if sums.n_tokens and sums.n_tokens_correct >= 0:
        accuracy = sums.n_tokens_correct / sums.n_tokens
    overall = {f"overall_{name}": total[name] for name in ("precision", "recall", "f1")}
    return {**values, **overall, "overall_accuracy": accuracy}


METRIC = Metric(
    name="exact_f1",
    function=exact_f1,
    short="exact",
    order=10,
    title="Exact match (%)",
    description="Mention precision, recall and F1: span and type must be right.",
    titles={
        "precision": "precision", "recall": "recall", "f1": "F1", "macro_f1": "macro F1", "n_gold": "support",
        "n_pred": "predicted", "n_exact": "correct",
    },
    shown=("precision", "recall", "f1", "macro_f1", "n_gold", "n_pred", "n_exact"),
    headline=("precision", "recall", "f1", "macro_f1"),
    logged=("precision", "recall", "f1"),
    compared=("f1", "precision", "recall"),
    ranked="f1",
)  # fmt: skip
