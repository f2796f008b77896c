"""What was predicted for what: the table of types, and every mention with what it met."""

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
    """What was predicted for what: a table of types, and every mention with what it met."""

    confusion: Mapping[str, Mapping[str, int]]
    """``confusion[gold type][predicted type]``: how often a span was given this type for that one."""
    missed: Mapping[str, int]
    """Gold mentions, by type, whose span was not predicted with any type."""
    spurious: Mapping[str, int]
    """Predictions, by type, whose span is not a gold mention of any type."""
    matches: list[dict[str, Any]]
    """Each gold and each predicted mention once: ``kind`` (exact, boundary, type, missed, spurious; invented, if it
    is one of an answer that is not in the text, and so has no start and end), ``sample``,
    ``gold_label``, ``gold_start``, ``gold_end``, ``gold_text``, the same of the prediction, and ``credit``.
    Texts are None where the tokens are not known."""

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists, ready for JSON."""
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
    """Which gold mention met which prediction, with the credit given, for error analysis.

    ``types`` are other names for types, by those that the data have (``{"person": "PER"}``).

    >>> e = errors([["B-PER", "I-PER"]], [["O", "B-PER"]], tokens=[["Ada", "King"]])
    >>> [(m["kind"], m["gold_text"], m["pred_text"], m["credit"]) for m in e.matches]
    [('boundary', 'Ada King', 'King', 0.5)]
    """
    mode, credit = parse_choice(Match, match, "match"), float(checks.share(credit, "credit"))
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
        return dict(zip(names, row.tolist(), strict=True))

    table = {name: by_type(row) for name, row in zip(names, confusion, strict=True)}
    return Errors(table, by_type(missed), by_type(spurious), _match_rows(scored, aligner, mode, credit))


def _match_rows(scored: Pair, aligner: Aligner, mode: Match, credit: float) -> list[dict[str, Any]]:
    found = aligner.align(mode)
    met = list(zip(found.gold.tolist(), found.pred.tolist(), strict=True))
    kinds = ["exact" if exact else "boundary" for exact in found.exact.tolist()]
    taken_gold, taken_pred = set(found.gold.tolist()), set(found.pred.tolist())
    for g, p in zip(*(side.tolist() for side in aligner.same_span()), strict=True):
        if g not in taken_gold and p not in taken_pred:
            met.append((g, p))
            kinds.append("type")
            taken_gold.add(g)
            taken_pred.add(p)
    gold, pred = _described(scored.gold, scored.corpus, "gold"), _described(scored.pred, scored.corpus, "pred")
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
        start = row["pred_start"] if row["gold_start"] is None else row["gold_start"]
        return row["sample"], start is None, start or 0  # what stands nowhere comes last

    return sorted(rows, key=place)


_DESCRIBED = ("label", "start", "end", "text")


def _described(mentions: Mentions, corpus: Corpus | None, side: str) -> list[dict[str, Any]]:
    """Label, start, end and text of each mention."""
    texts = replace(corpus, mentions=mentions).texts() if corpus else [None] * len(mentions)
    labels = [mentions.labels[i] for i in mentions.label.tolist()]
    rows = zip(labels, mentions.start.tolist(), mentions.end.tolist(), texts, strict=True)
    return [{f"{side}_{name}": value for name, value in zip(_DESCRIBED, row, strict=True)} for row in rows]
