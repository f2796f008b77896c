"""The Gradio page of one metric, the front of its Space. It calls the engine: an evaluate module is not for threads."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError
from ..reading.formats import read
from ..scoring.buckets import buckets
from ..scoring.exposure import Exposure
from ..scoring.metric import METRICS
from ..scoring.score import NEED_TRAIN

if TYPE_CHECKING:
    import gradio

_ABOUT = {
    "exact_f1": "Mention precision, recall and F1: span and type must be right.",
    "partial_f1": "Mention F1 with half of the credit for near misses of the right type.",
    "clean_f1": "F1 on the mentions that training has not shown, and how much of an F1 is memory.",
    "hardeval": "Token error rates where memory does not help: new words, and labels that are not a word's usual one.",
    "bucket_f1": "F1 by what a mention is like: how long, how frequent, how consistently labelled in training.",
}
_HEADLINES = {
    "exact_f1": ("f1", "precision", "recall", "macro_f1"),
    "partial_f1": ("f1_exact", "f1_left", "f1_right", "f1_overlap"),
    "clean_f1": ("f1", "clean_f1", "delta_f1", "clean_recall", "contaminated_recall", "memorisation_f1"),
    "hardeval": ("hardeval", "ter_unseen", "ter_diff", "ter"),
    "bucket_f1": ("f1/eLen/1", "f1/novelty/seen", "f1/novelty/unknown_words"),
}
_WITH_TRAIN = (*NEED_TRAIN, "bucket_f1")
_GOLD = "Alice B-PER\nmet O\nBob B-PER\nin O\nOslo B-LOC\n\nCharlie B-PER\nsang O\n"
_PRED = "Alice B-PER\nmet O\nBob B-PER\nin O\nOslo O\n\nCharlie B-PER\nsang B-PER\n"
_TRAIN = "Alice B-PER\nsang O\nin O\nBergen B-LOC\n"


def score_texts(metric: str, gold: str, pred: str, train: str = "") -> dict[str, Any]:
    """The score of two texts in CoNLL columns or JSONL, as the module returns it."""
    given: list[Any] = [_corpus(gold, "gold"), _corpus(pred, "predictions")]
    if metric in _WITH_TRAIN:
        given.append(Exposure.of(_corpus(train, "training data")))
    return (buckets if metric == "bucket_f1" else METRICS[metric])(*given).to_dict()


def _corpus(text: str, name: str) -> Corpus:
    if not text.strip():
        raise CleancutError(f"the {name} are missing. Paste lines of a token and its tag, or JSONL.")
    suffix = ".jsonl" if text.lstrip().startswith("{") else ".conll"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name.replace(" ", "_") + suffix)
        path.write_bytes(text.encode())
        return read(path)


def page(metric: str) -> gradio.Blocks:
    """Two or three boxes to paste into, the headline figures, and every value in a table."""
    import gradio as gr

    def answer(*texts: str) -> tuple[str, list[list[str]]]:
        try:
            values = score_texts(metric, *texts)
        except CleancutError as error:
            raise gr.Error(str(error), duration=None) from None
        figures = " · ".join(f"**{name}** {_shown(values[name])}" for name in _HEADLINES[metric])
        rows = [[name, _shown(value)] for name, value in values.items() if name != "signature"]
        return f"{figures}\n\n`{values['signature']}`", rows

    with gr.Blocks(title=metric) as blocks:
        gr.Markdown(f"# {metric}\n{_ABOUT[metric]} Paste CoNLL columns (token, tag) or JSONL; the example is live.")
        with gr.Row():
            boxes = [gr.Textbox(_GOLD, label="gold", lines=9), gr.Textbox(_PRED, label="predictions", lines=9)]
            if metric in _WITH_TRAIN:
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
