"""Clean recall and delta F1: the score on entities unseen in training, and the share of F1 that is memory."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, parse_choice, quoted
from ..core.inputs import RawSpans, in_sample, recognise
from ..core.pairing import pair
from ..core.same import PART_LIMIT, Same, notion_setting
from ..core.type_names import types_setting
from .alignment import Aligner, Counts, Match
from .exposure import Exposure
from .exposure_view import NOVELTY, NOVELTY_CLASSES, SECOND_PASS, STAIRCASE
from .metric import Metric, f_beta
from .resampling import Part, Rows, columns, parse_resampling
from .score import (
    Score,
    Sums,
    Value,
    behind_prf,
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
    same: str | Same | None = None,
    aliases: Any = None,
    part_limit: int = PART_LIMIT,
    entity_ids: Any = None,
    staircase: bool = False,
    beta: float = 1.0,
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    types: Mapping[str, str] | None = None,
    ci: int | None = None,
    seed: int = 13,
) -> Score:
    """Compute F1 on mentions unseen in training, and how much of F1 is memory (Babl et al.).

    A gold mention is *contaminated* if its entity is in training, and *clean* otherwise. ``clean_recall`` counts
    recovered clean mentions over all clean ones. ``clean_f1`` is the harmonic mean of the original precision and the
    clean recall (Eq. 7), and ``delta_f1`` = F1 - clean F1 (Eq. 8). ``clean_precision`` leaves contaminated true
    positives out (Eq. 10); ``clean_precision_naive`` and ``contaminated_precision_naive`` sum to P (Eq. 11). Scores
    of an empty subset are NaN.

    Beyond the paper there is recall by novelty (``recall_seen``, ``recall_unknown_words``, ...: one for each class of
    ``NOVELTY_CLASSES``), and the score of a look-up of the training mentions (``memorisation_f1``). The look-up knows
    the names that are mentions in at least half of their occurrences in the training text. It takes the longest of
    them from left to right, each with its most frequent type. It is NaN where the occurrences are not counted
    (``Exposure.count_occurrences``).

    Where gold has a type that training lacks, as where a model was tuned on other types, scores are also given by type
    exposure. ``f1_type_new_entity_new`` is F1 on mentions whose type training lacks and whose words are not a training
    mention of any type; the other three groups are named likewise, with ``recall_...`` and ``n_...``. Their precision
    is that of all predictions of such types (``precision_type_new``, ``n_pred_type_new``). They have no intervals.

    Args:
        gold: a corpus, mentions, or lists of tags, label ids or spans.
        pred: the same, or answers of a language model as texts.
        exposure: the index of the training data, ``Exposure.of(train)``.
        match: what a prediction and a gold mention must share: ``exact``, ``left``, ``right`` or ``overlap``.
        credit: the credit for a match that is not exact.
        confusable: add the recall of gold mentions whose words are mentions of more than one type in the gold
            annotation (type-confusable mentions; Tu and Lignos): of all (``recall_confusable``), of those whose words
            are a training mention of any type (``recall_confusable_seen``) and of the others
            (``recall_confusable_unseen``). The whole test set decides this: scores of shards add up only if all are
            judged by one index of the whole, ``confusable=Exposure.of(gold)``, and refuse to add up if each is judged
            by its own shard.
        same: which names count as the same, so that a mention is contaminated, such as ``fold+part``: ``exact``,
            ``fold`` (whatever case and punctuation), ``id`` (an id in common), ``alias``, ``part`` (one has the words
            of the other) and ``templates`` (the sentence, once masked), with ``+`` between them. By default the notion
            of the index.
        aliases: lists of names that mean the same, for ``alias``.
        part_limit: a word that occurs in more training names of two or more words than this is generic, for ``part``.
        entity_ids: for ``id``, where gold is lists with ``tokens``: for each sample the ids of each of its entities, or
            beside tags of each of its tokens. A corpus has its ids from ``read(..., ids=...)``.
        staircase: add the recall of gold mentions by how far they are from what training has shown, each on the first
            step that applies: ``recall_step_seen``, ``recall_step_other_type``, ``recall_step_folded`` (another case or
            punctuation), ``recall_step_part``, ``recall_step_template`` (a new name in a seen template) and
            ``recall_step_new``, with their ``n_step_...``. From the third step on, types do not matter.
        beta: a number other than 1 adds F-beta beside each F1: with ``beta=2``, ``clean_f2``, in which recall weighs
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

    >>> from cleancut.core.corpus import Corpus
    >>> shown = Exposure.of(Corpus.of([["Alice"]], tags=[["B-PER"]]))
    >>> gold, pred = [["B-PER", "B-PER", "O"]], [["B-PER", "B-PER", "B-PER"]]
    >>> s = clean_f1(gold, pred, shown, tokens=[["Alice", "Bob", "Charlie"]])
    >>> round(s.precision, 3), s.clean_recall, round(s.clean_f1, 3), s.clean_precision
    (0.667, 1.0, 0.8, 0.5)
    """
    mode = parse_choice(Match, match, "match")
    credit = float(checks.share(credit, "credit"))
    beta = checks.beta(beta)
    resamples, seed = parse_resampling(ci, seed)
    if entity_ids is not None:
        gold = _with_ids(gold, entity_ids, tokens, labels, scheme, repair)
        tokens = None
    both = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair, types=types)
    scored, text = with_text("clean_f1", both)
    exposure = _under(exposure, same, aliases, part_limit)
    shown = view_of_text("clean_f1", exposure, text, scored.types)
    steps = shown.staircase if checks.switch(staircase, "staircase") else None
    aligner = Aligner(scored.gold, scored.pred)
    alignment = aligner.align(mode)
    judge = _judge(confusable, exposure, text)
    tough = judge.renamed(scored.types).view(text).n_types > 1 if judge is not None else None
    matched = np.zeros(len(scored.gold), np.int64)
    matched[alignment.gold] = np.where(alignment.exact, 1, 2)
    code = shown.mention_class * 3 + matched
    marks = _Marks(code, tough, steps)
    by_type = _clean_columns(aligner.gold_label, marks, aligner.all_pred_label, len(aligner.labels))
    counts = Counts.of_table(aligner.labels, by_type)
    if shown.can_look_up:
        counts = counts | shown.memorised_counts
    settings: dict[str, Value] = {"match": mode.value}
    if mode is not Match.EXACT:
        settings["credit"] = credit
    settings |= beta_setting(beta)
    settings |= {"key": str(exposure.key), **notion_setting(exposure.same), "train": exposure.fingerprint}
    notices: tuple[str, ...] = ()
    if not shown.can_look_up:
        settings["look_up"] = "none"
        notices = (f"memorisation_f1 is NaN: it needs a second pass over the training data. {SECOND_PASS}",)
    if judge is not None:
        settings["confusable"] = judge.fingerprint
    credit_of_inexact = 0.0 if mode is Match.EXACT else credit
    if steps is not None:
        settings["staircase"] = "yes"
    groups = (*NOVELTY, *(_CONFUSABLE if judge is not None else ()), *(STAIRCASE if steps is not None else ()))
    parts = _clean_parts(credit_of_inexact, groups, shown.can_look_up, beta)
    rows = None
    if resamples:
        n = scored.gold.n_samples
        by_sample = _clean_columns(scored.gold.sample, marks, aligner.all_pred_sample, n)
        if shown.can_look_up:
            by_sample["n_memorised"] = np.bincount(shown.memorised.sample, minlength=n)
            by_sample["n_memorised_exact"] = np.bincount(scored.gold.sample[shown.memorised_exactly], minlength=n)
        rows = Rows.of(parts, by_sample, text.docs)
    settings |= {**types_setting(scored.types), **resampling_settings(resamples, seed)}
    sums = Sums.of(counts, scored, exposure, rows=rows)
    return Score(METRIC.with_beta(beta), sums, settings, _clean_values, parts, notices)


def _under(exposure: Any, same: str | Same | None, aliases: Any, part_limit: int) -> Any:
    """Return an index under the notion that was asked for; anything else, which is refused later, as it is."""
    if not isinstance(exposure, Exposure):
        return exposure
    if same is None:
        if aliases is not None or checks.whole(part_limit, "part_limit") != PART_LIMIT:
            raise CleancutError("aliases= and part_limit= have no effect without same=. Give same='alias' or 'part'.")
        return exposure
    return exposure.under(same, aliases=aliases, part_limit=part_limit)


def _with_ids(gold: Any, entity_ids: Any, tokens: Any, labels: Any, scheme: str | None, repair: str) -> Corpus:
    """Return lists of gold annotation as a corpus with the ids of its entities."""
    if isinstance(gold, Corpus) or tokens is None:
        raise CleancutError(
            "entity_ids= belongs to lists with tokens=. A corpus has ids from read(..., ids=...) or Corpus.of()."
        )
    where = in_sample("gold")
    raw = recognise(gold, labels, where)
    if isinstance(raw, RawSpans):
        return Corpus.of(tokens, entities=raw, entity_ids=entity_ids, where=where)
    if raw.kept is not None:
        raise CleancutError("entity_ids= has no place beside label ids of -100. Leave such positions out on all sides.")
    return Corpus.of(tokens, tags=raw, entity_ids=entity_ids, scheme=scheme, repair=repair, where=where)


def _judge(confusable: bool | Exposure, exposure: Exposure, text: Corpus) -> Exposure | None:
    """Return the index whose types decide what is type-confusable.

    For True it is that of ``text``, made with the key of ``exposure``; for False it is None; an index stays as it is.

    Raises:
        CleancutError: it is anything else, or an index with another key than that of ``exposure``.
    """
    if isinstance(confusable, bool):
        return Exposure.of(text, **exposure.key._asdict()) if confusable else None
    if not isinstance(confusable, Exposure):
        raise CleancutError(f"confusable={quoted(confusable)}: give True, False or Exposure.of(the whole test set).")
    if confusable.key != exposure.key:
        raise CleancutError(
            f"confusable= has the key {confusable.key}, the training index {exposure.key}. Make both with the same."
        )
    return confusable


class _Marks(NamedTuple):
    """What sums are made of, for each gold mention."""

    code: NDArray[np.integer]
    """Its class (novelty and contamination) and its match as one number."""
    tough: NDArray[np.bool_] | None
    """Whether it is type-confusable; None if that is not asked for."""
    steps: NDArray[np.int64] | None
    """Its step of the staircase; None if that is not asked for."""


def _clean_columns(
    gold_group: NDArray[np.integer], marks: _Marks, pred_group: NDArray[np.integer], n: int
) -> dict[str, NDArray[np.integer]]:
    """Return the sums of each type, or of each sample.

    Args:
        gold_group: the type, or the sample, of each gold mention.
        marks: the class, the match and the like of each gold mention.
        pred_group: the type, or the sample, of each prediction.
        n: the number of types, or of samples.
    """
    code, tough, steps = marks
    width = 2 * len(NOVELTY) * 3  # one count over contamination, class and match holds all sums
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
    if steps is not None:
        width = 3 * len(STAIRCASE)
        on_steps = np.bincount(gold_group * width + 3 * steps + code % 3, minlength=n * width).reshape(n, -1, 3)
        for i, name in enumerate(STAIRCASE):
            columns |= _match_columns(on_steps[:, i], f"_{name}")
    return columns


_CONFUSABLE = ("confusable", "confusable_seen", "confusable_unseen")
"""All type-confusable mentions, those whose surface is a training mention, and the others."""


def _match_columns(table: NDArray[np.integer], of: str) -> dict[str, NDArray[np.integer]]:
    """Return the number of gold mentions, and of those matched exactly and in part; ``of`` ends their names."""
    return {f"n_gold{of}": table.sum(axis=1), f"n_exact{of}": table[:, 1], f"n_partial{of}": table[:, 2]}


def memorisation(gold: Corpus, exposure: Exposure) -> dict[str, Any]:
    """Return the score of a look-up of the training mentions: how much of an F1 needs no model at all.

    Args:
        gold: the gold samples.
        exposure: the index of the training data, with occurrences.

    Raises:
        CleancutError: the occurrences of names in the training text are not counted.
    """
    sums = exposure.view(gold).memorised_counts.total()
    counts = {"n_gold": len(gold.mentions), "n_pred": sums["n_memorised"], "n_exact": sums["n_memorised_exact"]}
    return {**prf(counts["n_exact"], counts["n_pred"], counts["n_gold"]), **counts}


def _clean_parts(credit: float, groups: Sequence[str], looked_up: bool, beta: float) -> tuple[Part, ...]:
    """Return the groups of values that follow from the same sums; ``groups`` names those that have a recall."""
    matched = ("n_gold", "n_exact", "n_partial")
    all_mentions = ("n_gold", "n_pred", "n_exact", *(["n_partial"] if credit else []))
    # In the order of other scores: equal rows of sums are drawn alike, so that equal values have equal intervals.
    both = columns("n_gold", "n_pred", "n_exact", "n_partial", *(f"{count}_contaminated" for count in matched))
    differences = ("delta_f1", f_beta("delta_f1", beta), "delta_recall")
    parts = [
        Part(columns(*all_mentions), partial(_whole_part, credit, beta), behind=behind_prf(beta=beta)),
        Part(both, partial(_clean_part, credit, beta), differences, behind=_behind_clean(beta)),
    ]
    for name in groups:
        sums = {count: (f"{count}_{name}",) for count in matched}
        parts.append(Part(sums, partial(_recall_part, name, credit)))
    if looked_up:
        look_up = columns("n_gold", "n_memorised", "n_memorised_exact")
        parts.append(Part(look_up, partial(_memorised_part, beta)))
    else:
        parts.append(Part(columns("n_gold"), partial(_not_looked_up_part, beta)))
    return tuple(parts)


def _behind_clean(beta: float) -> dict[str, tuple[str, ...]]:
    """Return what the values of the clean and the contaminated mentions are shares of."""
    clean, contaminated = ("n_gold", "-n_gold_contaminated"), ("n_gold_contaminated",)
    behind: dict[str, tuple[str, ...]] = {"contamination_rate": ("n_gold",)}
    for name, counted in (("clean", clean), ("contaminated", contaminated)):
        behind |= dict.fromkeys([f"{name}_recall", f"{name}_precision_naive"], counted)
        behind |= dict.fromkeys([f"{name}_f1", f_beta(f"{name}_f1", beta)], counted)
    behind |= dict.fromkeys(["clean_precision", "clean_f1_star", f_beta("clean_f1_star", beta)], clean)
    return behind


def _whole_part(credit: float, beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    """Return precision, recall and F1 of all mentions."""
    return prf(_earned(credit, sums), sums["n_pred"], sums["n_gold"], beta=beta)


def _earned(credit: float, sums: Mapping[str, Any], of: str = "") -> Any:
    """Return the credit that predictions earned on a class of gold mentions; ``of`` ends the names of its sums."""
    right = sums[f"n_exact{of}"]
    return right + credit * sums[f"n_partial{of}"] if credit else right


def _clean_part(credit: float, beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that follow from the clean and the contaminated mentions."""
    n_gold = sums["n_gold"]
    n_pred = sums["n_pred"]
    n_contaminated = sums["n_gold_contaminated"]
    n_clean = n_gold - n_contaminated
    right = _earned(credit, sums)
    right_contaminated = _earned(credit, sums, "_contaminated")
    right_clean = right - right_contaminated
    whole = prf(right, n_pred, n_gold, beta=beta)
    clean_recall = share(right_clean, n_clean)
    contaminated_recall = share(right_contaminated, n_contaminated)
    clean_precision = share(right_clean, right_clean + n_pred - right)
    clean = f_values("clean_f1", whole["precision"], clean_recall, beta)
    names = dict.fromkeys(["f1", f_beta("f1", beta)])
    return {
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
    """Return the recall and the number of the mentions of one class."""
    return {f"recall_{name}": share(_earned(credit, sums), sums["n_gold"]), f"n_{name}": sums["n_gold"]}


def _memorised_part(beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    """Return the score of the look-up."""
    return prf(sums["n_memorised_exact"], sums["n_memorised"], sums["n_gold"], of="memorisation_", beta=beta)


def _not_looked_up_part(beta: float, sums: Mapping[str, Any]) -> dict[str, Any]:
    """Return NaN for each value of a look-up that is undefined."""
    unknown = sums["n_gold"] * math.nan  # a number, or one for each resample
    names = dict.fromkeys(["precision", "recall", "f1", f_beta("f1", beta)])
    return {f"memorisation_{name}": unknown for name in names}


def _clean_values(score: Score) -> dict[str, Any]:
    """Return the values of a score under flat keys."""
    counts = score.sums.counts
    values = score.row(counts.total()) | _type_exposure(score) | score.sums.repairs()
    for label, sums in counts.by_type.items():
        if sums["n_gold"] or sums["n_pred"]:  # a type that only the look-up found is left out
            values |= {f"{name}/{label}": value for name, value in score.row(sums).items()}
    return {**values, "signature": score.signature}


def _type_exposure(score: Score) -> dict[str, Any]:
    """Return the scores by type exposure; empty if training has all types of gold."""
    credit = float(score.settings.get("credit", 0.0))
    return type_exposure(score.sums.counts.by_type, score.sums.types.train, credit, score.record.beta)


METRIC = Metric(
    name="clean_f1",
    function=clean_f1,
    short="clean",
    order=30,
    title="Names unseen in training (%)",
    description="F1 on the mentions unseen in training, and how much of an F1 is memory.",
    titles={
        "f1": "F1", "clean_f1": "clean F1", "delta_f1": "delta F1", "clean_recall": "clean recall",
        "contaminated_recall": "contam. recall", "contamination_rate": "contam.", "memorisation_f1": "look-up F1",
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
    few={"n_clean": (30, "clean mentions")},
)  # fmt: skip
