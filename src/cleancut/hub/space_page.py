"""The Gradio page of one metric, which its Space shows.

The page calls the engine itself: one instance of an evaluate module cannot be shared by threads.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, quoted
from ..scoring.exposure import Exposure
from ..scoring.metric import Metric

if TYPE_CHECKING:
    import gradio

_GOLD = "Alice B-PER\nmet O\nBob B-PER\nin O\nOslo B-LOC\n\nCharlie B-PER\nsang O\n"
_PRED = "Alice B-PER\nmet O\nBob B-PER\nin O\nOslo O\n\nCharlie B-PER\nsang B-PER\n"
_TRAIN = "Alice B-PER\nsang O\nin O\nBergen B-LOC\n"


def score_texts(metric: Metric, gold: str, pred: str, train: str = "") -> dict[str, Any]:
    """Return the score of two texts, as the module returns it.

    Args:
        metric: the metric of the Space.
        gold: the gold annotation, in CoNLL columns or as JSONL.
        pred: the predictions, likewise.
        train: the training data, likewise; only read for a metric that takes it.

    Returns:
        The values of the score, and its signature.

    Raises:
        CleancutError: a text is empty, or one of its lines is not a sample.
    """
    gold_corpus = _corpus(gold, "gold")
    pred_corpus = _corpus(pred, "predictions")
    exposure = Exposure.of(_corpus(train, "training data")) if metric.takes_train else None
    return metric(gold_corpus, pred_corpus, exposure).to_dict()


def _corpus(text: str, name: str) -> Corpus:
    """Return the samples of a text; ``name`` says in errors which text it is."""
    if not text.strip():
        raise CleancutError(f"the {name} are missing. Paste lines of a token and its tag, or JSONL.")
    return _of_jsonl(text, name) if text.lstrip().startswith("{") else _of_columns(text, name)


def _of_columns(text: str, name: str) -> Corpus:
    """Return samples of CoNLL columns: the token first and the tag last, with a blank line after each sample."""
    tokens: list[list[str]] = [[]]
    tags: list[list[str]] = [[]]
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if fields and fields[0] != "-DOCSTART-":
            if len(fields) < 2:
                raise CleancutError(
                    f"{name}, line {number}: {quoted(line)} has no tag. Write a token, a space and its tag."
                )
            tokens[-1].append(fields[0])
            tags[-1].append(fields[-1])
        elif tokens[-1]:
            tokens.append([])
            tags.append([])
    if not tokens[-1]:
        del tokens[-1], tags[-1]
    return Corpus.of(tokens, tags=tags)


def _of_jsonl(text: str, name: str) -> Corpus:
    """Return samples of JSONL with tokens and entities, or tokens and tags."""
    tokens: list[Any] = []
    annotation: list[Any] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            form = "entities" if "entities" in row else "tags"
            annotation.append(row[form])
            tokens.append(row["tokens"])
        except (ValueError, RecursionError, KeyError, TypeError):
            wanted = '{"tokens": ["Ada"], "entities": [{"start": 0, "end": 1, "label": "PER"}]}'
            raise CleancutError(f"{name}, line {number}: not a sample. Write such as {wanted}.") from None
    if '"entities"' in text:
        return Corpus.of(tokens, entities=annotation)
    return Corpus.of(tokens, tags=annotation)


def page(metric: Metric) -> gradio.Blocks:
    """Return the page of a metric: boxes to paste texts into, the headline figures, and every value in a table.

    Args:
        metric: the metric of the Space.

    Returns:
        The page, ready to be launched.
    """
    import gradio as gr

    def answer(*texts: str) -> tuple[str, list[list[str]]]:
        """Return the main values as text, and all values as rows of a table."""
        try:
            values = score_texts(metric, *texts)
        except CleancutError as error:
            raise gr.Error(str(error), duration=None) from None
        headline = [name for name in metric.headline if name in values]
        figures = " · ".join(f"**{name}** {_shown(values[name])}" for name in headline)
        rows = [[name, _shown(value)] for name, value in values.items() if name != "signature"]
        return f"{figures}\n\n`{values['signature']}`", rows

    with gr.Blocks(title=metric.name) as blocks:
        gr.Markdown(
            f"# {metric.name}\n{metric.description} Paste CoNLL columns (token, tag) or JSONL; the example is live."
        )
        with gr.Row():
            boxes = [gr.Textbox(_GOLD, label="gold", lines=9), gr.Textbox(_PRED, label="predictions", lines=9)]
            if metric.takes_train:
                boxes.append(gr.Textbox(_TRAIN, label="training data", lines=9))
        button = gr.Button("Score", variant="primary")
        figures = gr.Markdown()
        table = gr.Dataframe(headers=["value", "score"], datatype="str", interactive=False)
        button.click(answer, boxes, [figures, table], api_name="score")
        blocks.load(answer, boxes, [figures, table], api_name=False)
    return blocks


def _shown(value: Any) -> str:
    """Return a value as the page shows it."""
    if isinstance(value, float):
        return "undefined" if math.isnan(value) else f"{value:.4f}"
    return str(value)
