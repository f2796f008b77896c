"""Clean recall and delta F1: what a score is worth on entities that training has not shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, parse_choice
from ..core.pairing import pair
from ..core.type_names import types_setting
from .alignment import Aligner, Counts, Match
from .exposure import Exposure
from .exposure_view import NOVELTY, NOVELTY_CLASSES, SECOND_PASS
from .metric import Metric, f_beta
from .resampling import Part, Rows, columns, parse_resampling
from .score import (
    Score,
    Sums,
    Value,
    beta_setting,
    f_values,
    prf,
    ratio,
    resampling_settings,
    share,
    view_of_text,
    with_text,
)
from .type_exposure import type_exposure


def clean_f1(
    gold: Any,
    pred: Any,
    exposure: Exposure,
    *,
    match: str = "exact",
    credit: float = 0.5,
    confusable: bool | Exposure = False,
    beta: float = 1.0,
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    types: Mapping[str, str] | None = None,
    ci: int | None = None,
    seed: int = 13,
) -> Score:
    """F1 on what training has not shown, and how much of F1 is memory (Babil et al.).

    A gold mention is *contaminated* if its entity is in training, *clean* otherwise. ``clean_recall`` counts recovered
    clean mentions over all clean ones; ``clean_f1`` is the harmonic mean of the original precision and the clean recall
    (Eq. 7), ``delta_f1`` = F1 - clean F1 (Eq. 8). ``clean_precision`` leaves contaminated true positives out (Eq. 10),
    ``clean_precision_naive`` and ``contaminated_precision_naive`` sum to P (Eq. 11). Beyond the paper: recall by
    novelty (``recall_seen``, ``recall_unknown_words``, ...: one for each class of ``NOVELTY_CLASSES``) and the score of
    a look-up of the training mentions (``memorisation_f1``): of the names that training has as mentions in at least
    half of their places, the longest from left to right, each with its most frequent type. It is NaN where these places
    are not counted (``Exposure.count_occurrences``). Where a subset is empty its scores are NaN.

    Where gold has a type that training lacks, as where a model was tuned on other types, scores are also given by type
    exposure: ``f1_type_new_entity_new`` is F1 on mentions whose type training lacks and whose words are no training
    mention, of any type; so are the other three groups, with ``recall_...`` and ``n_...``. The precision in it is that
    of all predictions of such types (``precision_type_new``, ``n_pred_type_new``). They have no intervals.

    ``confusable=True`` adds the recall of gold mentions whose words are mentions of more than one type in the gold
    annotation (type-confusable mentions; Tu and Lignos): of all (``recall_confusable``), of those whose words training
    has as a mention of any type (``recall_confusable_seen``) and of the others (``recall_confusable_unseen``). That is
    a matter of the whole test set: scores of its shards add up only where all are judged by one index of the whole,
    ``confusable=Exposure.of(gold)``, and refuse to where each is judged by its own shard. ``types`` are other names for
    types in gold, predictions and training, by those that these have (``{"person": "PER"}``). With ``beta=2`` each F1
    has beside it F2 (``f2``, ``clean_f2``, ``delta_f2``), in which recall weighs twice as much; with any other number
    likewise.

    >>> from cleancut.core.corpus import Corpus
    >>> shown = Exposure.of(Corpus.of([["Alice"]], tags=[["B-PER"]]))
    >>> gold, pred = [["B-PER", "B-PER", "O"]], [["B-PER", "B-PER", "B-PER"]]
    >>> s = clean_f1(gold, pred, shown, tokens=[["Alice", "Bob", "Charlie"]])
    >>> round(s.precision, 3), s.clean_recall, round(s.clean_f1, 3), s.clean_precision
    (0.667, 1.0, 0.8, 0.5)
    """
    mode, credit = parse_choice(Match, match, "match"), float(checks.share(credit, "credit"))
    beta = checks.beta(beta)
    resamples, seed = parse_resampling(ci, seed)
    both = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair, types=types)
    scored, text = with_text("clean_f1", both)
    shown = view_of_text("clean_f1", exposure, text, scored.types)
    aligner = Aligner(scored.gold, scored.pred)
    found = aligner.align(mode)
    judge = _judge(confusable, exposure, text)
    tough = judge.renamed(scored.types).view(text).n_types > 1 if judge is not None else None
    matched = np.zeros(len(scored.gold), np.int64)
    matched[found.gold] = np.where(found.exact, 1, 2)
    code = shown.mention_class * 3 + matched
    by_type = _clean_columns(aligner.gold_label, code, aligner.all_pred_label, len(aligner.labels), tough)
    counts = Counts.of_table(aligner.labels, by_type)
    if shown.can_look_up:
        counts = counts | shown.memorised_counts
    settings: dict[str, Value] = {"match": mode.value}
    if mode is not Match.EXACT:
        settings["credit"] = credit
    settings |= beta_setting(beta)
    settings |= {"key": str(exposure.key), "train": exposure.fingerprint}
    notices: tuple[str, ...] = ()
    if not shown.can_look_up:
        settings["look_up"] = "none"
        notices = (f"memorisation_f1 is NaN: it needs a second pass over the training data. {SECOND_PASS}",)
    if judge is not None:
        settings["confusable"] = judge.fingerprint
    parts = _clean_parts(0.0 if mode is Match.EXACT else credit, judge is not None, shown.can_look_up, beta)
    rows = None
    if resamples:
        n = scored.gold.n_samples
        by_sample = _clean_columns(scored.gold.sample, code, aligner.all_pred_sample, n, tough)
        if shown.can_look_up:
            by_sample["n_memorised"] = np.bincount(shown.memorised.sample, minlength=n)
            by_sample["n_memorised_exact"] = np.bincount(scored.gold.sample[shown.memorised_exactly], minlength=n)
        rows = Rows.of(parts, by_sample, text.docs)
    settings |= {**types_setting(scored.types), **resampling_settings(resamples, seed)}
    sums = Sums.of(counts, scored, exposure, rows=rows)
    return Score(METRIC.with_beta(beta), sums, settings, _clean_values, parts, notices)


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
        seen = np.array([novelty.is_training_mention for novelty in NOVELTY_CLASSES])
        for name, part in zip(_CONFUSABLE, (table, table[:, seen], table[:, ~seen]), strict=True):
            columns |= _match_columns(part.sum(axis=1), f"_{name}")
    return columns


_CONFUSABLE = ("confusable", "confusable_seen", "confusable_unseen")
"""Of all type-confusable mentions, of those whose surface is a training mention, of the others."""


def _match_columns(table: NDArray[np.integer], of: str) -> dict[str, NDArray[np.integer]]:
    """Gold mentions of each type, and those matched exactly and in part."""
    return {f"n_gold{of}": table.sum(axis=1), f"n_exact{of}": table[:, 1], f"n_partial{of}": table[:, 2]}


def memorisation(gold: Corpus, exposure: Exposure) -> dict[str, Any]:
    """The score of a look-up of the training mentions: how much of an F1 needs no model at all."""
    sums = exposure.view(gold).memorised_counts.total()
    counts = {"n_gold": len(gold.mentions), "n_pred": sums["n_memorised"], "n_exact": sums["n_memorised_exact"]}
    return {**prf(counts["n_exact"], counts["n_pred"], counts["n_gold"]), **counts}


def _clean_parts(credit: float, confusable: bool, looked_up: bool, beta: float) -> tuple[Part, ...]:
    """What follows from the two kinds of gold mentions, from each novelty class, and from the look-up."""
    matched, subsets = ("n_gold", "n_exact", "n_partial"), NOVELTY + (_CONFUSABLE if confusable else ())
    both = columns("n_pred", *matched, *(f"{n}_contaminated" for n in matched))
    classes = ((name, {n: (f"{n}_{name}",) for n in matched}) for name in subsets)
    return (
        Part(both, partial(_clean_part, credit, beta)),
        *(Part(sums, partial(_recall_part, name, credit)) for name, sums in classes),
        Part(columns("n_gold", "n_memorised", "n_memorised_exact"), partial(_memorised_part, beta))
        if looked_up
        else Part(columns("n_gold"), partial(_not_looked_up_part, beta)),
    )


def _clean_part(credit: float, beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    n_gold, n_pred, n_contaminated = sums["n_gold"], sums["n_pred"], sums["n_gold_contaminated"]
    n_clean = n_gold - n_contaminated
    right, right_contaminated = (sums[f"n_exact{of}"] + credit * sums[f"n_partial{of}"] for of in ("", "_contaminated"))
    right_clean = right - right_contaminated
    whole = prf(right, n_pred, n_gold, beta=beta)
    clean_recall = share(right_clean, n_clean)
    contaminated_recall = share(right_contaminated, n_contaminated)
    clean_precision = share(right_clean, right_clean + n_pred - right)
    clean = f_values("clean_f1", whole["precision"], clean_recall, beta)
    names = dict.fromkeys(["f1", f_beta("f1", beta)])
    return {
        **whole,
        "clean_recall": clean_recall,
        "contaminated_recall": contaminated_recall,
        **clean,
        **f_values("contaminated_f1", whole["precision"], contaminated_recall, beta),
        **{f"delta_{name}": whole[name] - clean[f"clean_{name}"] for name in names},
        "delta_recall": whole["recall"] - clean_recall,
        "clean_precision": clean_precision,
        "clean_precision_naive": ratio(right_clean, n_pred),
        "contaminated_precision_naive": ratio(right_contaminated, n_pred),
        **f_values("clean_f1_star", clean_precision, clean_recall, beta),
        "n_gold": n_gold,
        "n_clean": n_clean,
        "n_contaminated": n_contaminated,
        "n_pred": n_pred,
        "contamination_rate": share(n_contaminated, n_gold),
    }


def _recall_part(name: str, credit: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    earned = sums["n_exact"] + credit * sums["n_partial"]
    return {f"recall_{name}": share(earned, sums["n_gold"]), f"n_{name}": sums["n_gold"]}


def _memorised_part(beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    return prf(sums["n_memorised_exact"], sums["n_memorised"], sums["n_gold"], of="memorisation_", beta=beta)


def _not_looked_up_part(beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    unknown = sums["n_gold"] * math.nan  # a number, or one for each resample
    names = dict.fromkeys(["precision", "recall", "f1", f_beta("f1", beta)])
    return {f"memorisation_{name}": unknown for name in names}


def _clean_values(score: Score) -> dict[str, Any]:
    counts = score.sums.counts
    values = score.row(counts.total()) | _type_exposure(score) | score.sums.repairs()
    for label, sums in counts.by_type.items():
        if sums["n_gold"] or sums["n_pred"]:  # and not only what the look-up found
            values |= {f"{name}/{label}": value for name, value in score.row(sums).items()}
    return {**values, "signature": score.signature}


def _type_exposure(score: Score) -> dict[str, Any]:
    """Return the scores by type exposure, where gold has a type that training lacks."""
    credit = float(score.settings.get("credit", 0.0))
    return type_exposure(score.sums.counts.by_type, score.sums.types.train, credit, score.record.beta)


METRIC = Metric(
    name="clean_f1",
    function=clean_f1,
    short="clean",
    order=30,
    title="What training has not shown (%)",
    description="F1 on the mentions that training has not shown, and how much of an F1 is memory.",
    titles={
        "f1": "F1", "clean_f1": "clean F1", "delta_f1": "delta F1", "clean_recall": "R clean",
        "contaminated_recall": "R contam.", "contamination_rate": "contam.", "memorisation_f1": "look-up F1",
    },
    shown=(
        "f1", "clean_f1", "delta_f1", "clean_recall", "contaminated_recall", "contamination_rate", "memorisation_f1",
    ),
    headline=(
        "f1", "clean_f1", "delta_f1", "clean_recall", "contaminated_recall", "contamination_rate", "memorisation_f1",
    ),
    logged=("clean_recall", "clean_f1", "delta_f1", "memorisation_f1"),
    compared=("clean_f1", "delta_f1", "clean_recall"),
    ranked="clean_f1",
    by_entity=True,
    reads_train_twice=True,
)  # fmt: skip
