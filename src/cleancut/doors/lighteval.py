"""A corpus-level metric for lighteval.

Give it to a task as ``LightevalTaskConfig(..., metrics=[mentions()])``. ``Doc.specific`` of a sample holds ``tokens``,
and ``tags`` or ``entities``.
"""

from __future__ import annotations

from typing import Any

from .samples import VALUES, Answered, answered_row, score_of


def mentions() -> Any:
    """Return a metric of mentions: exact F1 over all samples, and counts of answers that went wrong.

    All values come from one computation over the corpus, for which lighteval draws no bootstrap.
    """
    from lighteval.metrics.metrics_corpus import CorpusLevelComputation
    from lighteval.metrics.metrics_sample import SampleLevelComputation
    from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
    from lighteval.tasks.requests import SamplingMethod

    class OfSample(SampleLevelComputation):
        """Keeps the gold mentions and the answer of each sample."""

        def compute(self, doc: Any, model_response: Any, **_: Any) -> dict[str, Any]:
            """Return a sample with its answer, as plain values."""
            return answered_row(doc.specific or {}, model_response.final_text[0])._asdict()

    class OfCorpus(CorpusLevelComputation):
        """Scores all samples together."""

        def compute_corpus(self, items: list[dict[str, Any]]) -> dict[str, float]:
            """Return the values of all samples."""
            score = score_of(Answered(**item) for item in items)
            return {name: float(score[name]) for name in VALUES}

    return CorpusLevelMetric(
        metric_name="mentions",
        higher_is_better=True,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=OfSample(),
        corpus_level_fn=OfCorpus(),
    )
