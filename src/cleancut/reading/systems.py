"""Gold samples and the predictions of a system for them, whatever the two files hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, counted
from ..core.pairing import by_id
from .answer_rows import is_answer_file
from .batches import BATCH
from .dataset import Samples, needs_shape, read_samples
from .files import answered_batches, columns_for, paired_batches
from .opening import Readable, Source

Told = Callable[[str, Mapping[str, Samples]], None]
"""A function that is told the name of a file whose columns were detected, and its samples."""


def system_batches(
    gold: Readable, pred: Readable, reading: Mapping[str, Any], told: Told
) -> Iterator[tuple[Corpus, Corpus]]:
    """Yield gold and predictions in batches. A file whose columns have to be detected is read whole.

    Args:
        gold: the file of the gold annotation.
        pred: the file of the predictions, or of answers of a language model.
        reading: the CoNLL columns (``gold_column``, ``pred_column``), the options of tags, those that name columns, and
            those of answers (``answers``, ``ignore_types``, ``types``).
        told: a function that is told the samples of a file whose columns were detected.

    Raises:
        CleancutError: a file cannot be read, an option has no effect, or one file has more samples than the other.
    """
    gold_source = Source.of(gold)
    pred_source = Source.of(pred)
    if reading["answers"] is not None or is_answer_file(pred_source):
        yield from _answered(gold_source, pred_source, reading)
        return
    if reading["ignore_types"]:
        raise CleancutError(f"--ignore-types has no effect: {pred} holds no answers of a language model. Leave it out.")
    tags = {name: reading[name] for name in ("labels", "scheme", "repair")}
    named_columns = {source: columns_for(source, reading) for source in (gold_source, pred_source)}
    named_columns[pred_source].pop("ids", None)  # predictions are compared with names of gold, not of training
    if not any(_is_detected(source, named, reading) for source, named in named_columns.items()):
        pair = {"gold_column": reading["gold_column"], "pred_column": reading["pred_column"]}
        yield from paired_batches(gold_source, pred_source, **pair, **tags)
        return
    sides = []
    for source, column in ((gold_source, reading["gold_column"]), (pred_source, reading["pred_column"])):
        samples = read_samples(source, column=column, **tags, **named_columns[source])
        told(source.name, {"": samples})
        sides.append(samples.corpus)
    annotated = sides[0]
    predicted = by_id(*sides)
    if len(annotated) != len(predicted):
        sizes = f"{gold} has {counted(len(annotated), 'sample')} but {pred} has {len(predicted)}"
        raise CleancutError(f"{sizes}. Give one prediction for each gold sample.")
    for first in range(0, len(annotated), BATCH):
        batch = slice(first, first + BATCH)
        yield annotated.select(batch), predicted.select(batch)


def _is_detected(source: Source, named: Mapping[str, Any], reading: Mapping[str, Any]) -> bool:
    """Return whether the columns of a file are named, or have to be detected."""
    return bool(named) or needs_shape(source, labels=reading["labels"], scheme=reading["scheme"])


def _answered(gold: Source, pred: Source, reading: Mapping[str, Any]) -> Iterator[tuple[Corpus, Corpus]]:
    """Yield gold samples and the answers of a language model to them, in batches."""
    of_gold = {name: reading[name] for name in ("labels", "scheme", "repair")}
    of_gold |= columns_for(gold, reading)
    of_gold["column"] = reading["gold_column"]
    yield from answered_batches(
        gold, pred, BATCH, of_gold, reading["answers"], reading.get("types"), reading["ignore_types"]
    )
