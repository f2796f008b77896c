"""The Gradio page of one metric, the front of its Space. It calls the engine: an evaluate module is not for threads."""

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
    """The score of two texts in CoNLL columns or JSONL, as the module returns it."""
    ours, theirs = _corpus(gold, "gold"), _corpus(pred, "predictions")
    shown = Exposure.of(_corpus(train, "training data")) if metric.takes_train else None
    return metric(ours, theirs, shown).to_dict()


def _corpus(text: str, name: str) -> Corpus:
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
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            rows.append((row["tokens"], row["entities"] if "entities" in row else row["tags"]))
        except (ValueError, RecursionError, KeyError, TypeError):
            wanted = '{"tokens": ["Ada"], "entities": [{"start": 0, "end": 1, "label": "PER"}]}'
            raise CleancutError(f"{name}, line {number}: not a sample. Write such as {wanted}.") from None
    tokens, annotation = [own for own, _ in rows], [own for _, own in rows]
    if '"entities"' in text:
        return Corpus.of(tokens, entities=annotation)
    return Corpus.of(tokens, tags=annotation)


def page(metric: Metric) -> gradio.Blocks:
    """Two or three boxes to paste into, the headline figures, and every value in a table."""
    import gradio as gr

    def answer(*texts: str) -> tuple[str, list[list[str]]]:
        try:
            values = score_texts(metric, *texts)
        except CleancutError as error:
            raise gr.Error(str(error), duration=None) from None
        known = [name for name in metric.headline if name in values]
        figures = " · ".join(f"**{name}** {_shown(values[name])}" for name in known)
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
    if isinstance(value, float):
        return "undefined" if math.isnan(value) else f"{value:.4f}"
    return str(value)
