"""The Gradio page of one metric, the front of its Space. It calls the engine: an evaluate module is not for threads."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError
from ..reading.formats import read_plain
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
    suffix = ".jsonl" if text.lstrip().startswith("{") else ".conll"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name.replace(" ", "_") + suffix)
        path.write_bytes(text.encode())
        return read_plain(path)


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
