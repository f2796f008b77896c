"""Functions for a task of lm-evaluation-harness in YAML: ``process_results`` and an aggregation for each value.

The harness passes each document and the answer to it to ``process_results``; the aggregations score all of them at
once. A task lists every aggregation, since the harness takes the mean of a value without one. ``utils.py`` beside the
YAML holds ``from cleancut.doors.lm_eval import *``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .samples import VALUES, Answered, answered_row, score_of

__all__ = ["process_results", *VALUES]


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Answered]:
    """Return the sample of a document with its answer, under the name of each value.

    Args:
        doc: a row with ``tokens``, and ``tags`` or ``entities``.
        results: the answers of the model, of which the first counts.

    >>> process_results({"tokens": ["Ada"], "tags": ["B-PER"]}, ["[]"])["f1"].answer
    '[]'
    """
    sample = answered_row(doc, results[0])
    return dict.fromkeys(VALUES, sample)


def _value(name: str, items: Sequence[Any]) -> float:
    """Return one of the values of all samples."""
    return float(score_of(Answered(*item) for item in items)[name])


def f1(items: Sequence[Any]) -> float:
    """Return exact F1 of all samples.

    Args:
        items: the samples with their answers.

    >>> f1([process_results({"tokens": ["Ada"], "tags": ["B-PER"]}, ['{"PER": ["Ada"]}'])["f1"]])
    1.0
    """
    return _value("f1", items)


def precision(items: Sequence[Any]) -> float:
    """Return the precision of all samples.

    Args:
        items: the samples with their answers.
    """
    return _value("precision", items)


def recall(items: Sequence[Any]) -> float:
    """Return the recall of all samples together, from 0 to 1.

    Args:
        items: the samples with their answers.
    """
    return _value("recall", items)


def f1_lowest(items: Sequence[Any]) -> float:
    """Return exact F1 at the worst of the places that answers leave open.

    Args:
        items: the samples with their answers.
    """
    return _value("f1_lowest", items)


def f1_highest(items: Sequence[Any]) -> float:
    """Return exact F1 at the best of the places that answers leave open.

    Args:
        items: the samples with their answers.
    """
    return _value("f1_highest", items)


def n_unparsed(items: Sequence[Any]) -> float:
    """Return how many answers were not understood.

    Args:
        items: the samples with their answers.
    """
    return _value("n_unparsed", items)


def n_empty(items: Sequence[Any]) -> float:
    """Return how many answers say that there is no mention, or are empty; ``n_unparsed`` has those not understood.

    Args:
        items: the samples with their answers.
    """
    return _value("n_empty", items)


def n_invented(items: Sequence[Any]) -> float:
    """Return how many mentions are not in the text.

    Args:
        items: the samples with their answers.
    """
    return _value("n_invented", items)


def n_ambiguous(items: Sequence[Any]) -> float:
    """Return how many mentions have no certain place.

    Args:
        items: the samples with their answers.
    """
    return _value("n_ambiguous", items)
