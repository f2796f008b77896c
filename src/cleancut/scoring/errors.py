"""Errors: every mention with the prediction that it met, and the table of confused types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import checks
from ..core.corpus import Corpus, Mentions
from ..core.exceptions import parse_choice
from ..core.pairing import Pair, pair
from .alignment import Aligner, Match


@dataclass(frozen=True)
class Errors:
    """Every mention with the prediction that it met, and the table of confused types."""

    confusion: Mapping[str, Mapping[str, int]]
    """``confusion[gold type][predicted type]``: how often a span of this gold type was predicted with that type."""
    missed: Mapping[str, int]
    """The gold mentions, by type, whose span was not predicted with any type."""
    spurious: Mapping[str, int]
    """The predictions, by type, whose span is not a gold mention of any type."""
    matches: list[dict[str, Any]]
    """Each gold and each predicted mention once.

    A row has a ``kind`` (exact, boundary, type, missed, spurious, or invented for a mention of an answer that is not
    in the text and so has no start and end), ``sample``, ``gold_label``, ``gold_start``, ``gold_end``, ``gold_text``,
    the same for the prediction, and ``credit``. Texts are None where the tokens are unknown.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts and lists, ready for JSON."""
        confusion = {gold: dict(row) for gold, row in self.confusion.items()}
        tables = {"confusion": confusion, "missed": dict(self.missed), "spurious": dict(self.spurious)}
        return {**tables, "matches": self.matches}


def errors(
    gold: Any,
    pred: Any,
    *,
    match: str = "overlap",
    credit: float = 0.5,
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    types: Mapping[str, str] | None = None,
) -> Errors:
    """Return which gold mention met which prediction, with the credit given, for error analysis.

    Args:
        gold: a corpus, mentions, or lists of tags, label ids or spans.
        pred: the same, or answers of a language model as texts.
        match: what a prediction and a gold mention must share: ``exact``, ``left``, ``right`` or ``overlap``.
        credit: the credit for a match that is not exact.
        tokens: the words of each sample, where gold and predictions are lists.
        labels: the names of label ids: a list, an id2label dict or a ``ClassLabel``.
        scheme: the scheme of the tags; by default it is inferred where it is needed.
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.
        types: new names of types by old ones (``{"person": "PER"}``), for all sides.

    Raises:
        CleancutError: an option is not valid, or gold and predictions do not fit together.

    >>> e = errors([["B-PER", "I-PER"]], [["O", "B-PER"]], tokens=[["Ada", "King"]])
    >>> [(m["kind"], m["gold_text"], m["pred_text"], m["credit"]) for m in e.matches]
    [('boundary', 'Ada King', 'King', 0.5)]
    """
    mode = parse_choice(Match, match, "match")
    credit = float(checks.share(credit, "credit"))
    scored = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair, types=types)
    aligner = Aligner(scored.gold, scored.pred)
    same_gold, same_pred = aligner.same_span()
    names = aligner.labels
    confusion = np.zeros((len(names), len(names)), np.int64)
    for g, p in ((aligner.exact_gold, aligner.exact_pred), (same_gold, same_pred)):
        np.add.at(confusion, (aligner.gold_label[g], aligner.pred_label[p]), 1)
    missed = np.bincount(aligner.gold_label, minlength=len(names)) - confusion.sum(axis=1)
    spurious = np.bincount(aligner.all_pred_label, minlength=len(names)) - confusion.sum(axis=0)

    def by_type(row: np.ndarray) -> dict[str, int]:
        """Return a row of the table as counts by type."""
        return dict(zip(names, row.tolist(), strict=True))

    table = {name: by_type(row) for name, row in zip(names, confusion, strict=True)}
    return Errors(table, by_type(missed), by_type(spurious), _match_rows(scored, aligner, mode, credit))


def _match_rows(scored: Pair, aligner: Aligner, mode: Match, credit: float) -> list[dict[str, Any]]:
    """Return a row for each pair of mentions that met, and for each mention that met none, in order of the text."""
    alignment = aligner.align(mode)
    met = list(zip(alignment.gold.tolist(), alignment.pred.tolist(), strict=True))
    kinds = ["exact" if exact else "boundary" for exact in alignment.exact.tolist()]
    taken_gold = set(alignment.gold.tolist())
    taken_pred = set(alignment.pred.tolist())
    for g, p in zip(*(side.tolist() for side in aligner.same_span()), strict=True):
        if g not in taken_gold and p not in taken_pred:
            met.append((g, p))
            kinds.append("type")
            taken_gold.add(g)
            taken_pred.add(p)
    gold = _described(scored.gold, scored.corpus, "gold")
    pred = _described(scored.pred, scored.corpus, "pred")
    worth = {"exact": 1.0, "boundary": credit, "type": 0.0}
    nothing = {side: dict.fromkeys((f"{side}_{name}" for name in _DESCRIBED), None) for side in ("gold", "pred")}
    rows = [
        {"sample": int(scored.gold.sample[g]), "kind": kind, **gold[g], **pred[p], "credit": worth[kind]}
        for (g, p), kind in zip(met, kinds, strict=True)
    ]
    for g, sample in enumerate(scored.gold.sample.tolist()):
        if g not in taken_gold:
            rows.append({"sample": sample, "kind": "missed", **gold[g], **nothing["pred"], "credit": 0.0})
    for p, sample in enumerate(scored.pred.sample.tolist()):
        if p not in taken_pred:
            rows.append({"sample": sample, "kind": "spurious", **nothing["gold"], **pred[p], "credit": 0.0})

    for claim in scored.pred.answers.invented if scored.pred.answers is not None else ():
        named = {**nothing["pred"], "pred_label": claim.label, "pred_text": claim.text}
        rows.append({"sample": claim.sample, "kind": "invented", **nothing["gold"], **named, "credit": 0.0})

    def place(row: dict[str, Any]) -> tuple[int, bool, int]:
        """Return a value that puts matches in the order of the text."""
        start = row["pred_start"] if row["gold_start"] is None else row["gold_start"]
        return row["sample"], start is None, start or 0  # invented mentions come last

    return sorted(rows, key=place)


_DESCRIBED = ("label", "start", "end", "text")


def _described(mentions: Mentions, corpus: Corpus | None, side: str) -> list[dict[str, Any]]:
    """Return the label, the start, the end and the text of each mention; ``side`` begins their names."""
    texts = replace(corpus, mentions=mentions).texts() if corpus else [None] * len(mentions)
    names = [f"{side}_{name}" for name in _DESCRIBED]
    labels = [mentions.labels[code] for code in mentions.label.tolist()]
    rows = zip(labels, mentions.start.tolist(), mentions.end.tolist(), texts, strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]
