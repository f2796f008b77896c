"""inspect-ai: a scorer whose metric scores all samples at once.

``Task(dataset=..., solver=generate(), scorer=mentions())``; the metadata of a sample has ``tokens``, and ``tags`` or
``entities``.
"""

from __future__ import annotations

from typing import Any

from .samples import VALUES, Answered, answered_row, score_of


def mentions() -> Any:
    """Return a scorer of mentions: exact F1 over all samples, with what was not understood, invented or ambiguous."""
    from inspect_ai.scorer import Score, metric, scorer

    @metric(name="mention_f1")
    def mention_f1() -> Any:
        def of_all(scores: list[Any]) -> dict[str, float]:
            samples = [Answered(**one.score.metadata["sample"]) for one in scores]
            score = score_of(samples)
            return {name: float(score[name]) for name in VALUES}

        return of_all

    @scorer(metrics=[mention_f1()], name="mentions")
    def of_sample() -> Any:
        async def score(state: Any, target: Any) -> Any:
            sample = answered_row(state.metadata, state.output.completion)
            own = score_of([sample])
            return Score(value=own.f1, answer=sample.answer, metadata={"sample": sample._asdict()})

        return score

    return of_sample()
