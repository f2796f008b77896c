"""A scorer for inspect-ai, whose metric scores all samples at once.

Give it to a task as ``Task(dataset=..., solver=generate(), scorer=mentions())``. The metadata of a sample holds
``tokens``, and ``tags`` or ``entities``.
"""

from __future__ import annotations

from typing import Any

from .samples import VALUES, Answered, answered_row, score_of


def mentions() -> Any:
    """Return a scorer of mentions: exact F1 over all samples, and counts of answers that went wrong.

    The score of a sample is its own exact F1; the metric of the task has the values of all samples together.
    """
    from inspect_ai.scorer import Score, metric, scorer

    @metric(name="mention_f1")
    def mention_f1() -> Any:
        """Return the function that scores all samples together."""

        def of_all(scores: list[Any]) -> dict[str, float]:
            """Return the values of all samples, which the scores of the samples carry along."""
            samples = [Answered(**one.score.metadata["sample"]) for one in scores]
            score = score_of(samples)
            return {name: float(score[name]) for name in VALUES}

        return of_all

    @scorer(metrics=[mention_f1()], name="mentions")
    def of_sample() -> Any:
        """Return the function that scores one sample."""

        async def score(state: Any, target: Any) -> Any:
            """Return the score of one sample. Gold comes from its metadata, not from ``target``."""
            sample = answered_row(state.metadata, state.output.completion)
            own = score_of([sample])
            return Score(value=own.f1, answer=sample.answer, metadata={"sample": sample._asdict()})

        return score

    return of_sample()
