"""Samples of a harness: rows of a dataset with gold annotation, and the answer of a model to each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, quoted
from ..reading.answer_files import read_answers
from ..scoring.exact import exact_f1
from ..scoring.score import Score

VALUES = (
    "f1", "precision", "recall", "n_unparsed", "n_empty", "n_invented", "n_ambiguous", "f1_lowest", "f1_highest",
)  # fmt: skip
"""The values of exact F1 that a harness shows."""


class Answered(NamedTuple):
    """A sample with its gold annotation, and what a model answered."""

    tokens: list[str]
    """The words of the sample."""
    annotation: list[Any]
    """Its gold tags or spans."""
    form: str
    """What the annotation is: ``tags`` or ``entities``."""
    answer: str
    """The answer of the model."""


def answered_row(row: Mapping[str, Any], answer: str) -> Answered:
    """Return a row of a dataset with the answer to it.

    Args:
        row: the row: ``tokens`` or ``words``, and ``tags`` or ``ner_tags`` (strings), or ``entities`` (token spans).
        answer: the answer of the model.

    Raises:
        CleancutError: the row lacks tokens or annotation.
    """
    tokens = row.get("tokens") or row.get("words")
    form = "entities" if "entities" in row else "tags"
    annotation = row.get("entities") if form == "entities" else row.get("tags", row.get("ner_tags"))
    if not isinstance(tokens, Sequence) or not isinstance(annotation, Sequence):
        raise CleancutError(
            f"a row has {', '.join(map(quoted, row)) or 'no columns'}. Give tokens, and tags or entities (token spans)."
        )
    return Answered(list(tokens), list(annotation), form, answer)


def score_of(samples: Iterable[Answered]) -> Score:
    """Return exact F1 of the answers to some samples.

    Args:
        samples: the samples with their answers.

    Raises:
        CleancutError: there are no samples, or they are annotated in different forms.

    >>> score_of([answered_row({"tokens": ["Ada", "ran"], "tags": ["B-PER", "O"]}, '{"PER": ["Ada"]}')]).f1
    1.0
    """
    rows = list(samples)
    if not rows:
        raise CleancutError("there are no samples to score.")
    forms = {row.form for row in rows}
    if len(forms) > 1:
        raise CleancutError("some samples have tags and some have entities. Give all in one form.")
    annotation: dict[str, Any] = {forms.pop(): [row.annotation for row in rows]}
    gold = Corpus.of([row.tokens for row in rows], **annotation)
    return exact_f1(gold, read_answers([row.answer for row in rows], gold))
