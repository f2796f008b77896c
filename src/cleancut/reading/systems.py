"""Gold samples and the predictions of a system for them, whatever the two files hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError
from ..core.pairing import by_id
from .answer_files import is_answer_file
from .batches import BATCH
from .dataset import Samples, needs_shape, read_samples
from .files import answered_batches, columns_for, paired_batches
from .opening import Readable, Source

Told = Callable[[str, Mapping[str, Samples]], None]
"""A function that is told what was found in a file whose columns had to be found."""


def system_batches(
    gold: Readable, pred: Readable, reading: Mapping[str, Any], told: Told
) -> Iterator[tuple[Corpus, Corpus]]:
    """Return gold and predictions in batches; a file whose columns have to be found is read whole.

    Args:
        gold: the file of the gold annotation.
        pred: the file of the predictions, or of answers of a language model.
        reading: the CoNLL columns (``gold_column``, ``pred_column``), the options of tags, those that say which
            columns hold what, and those of answers (``answers``, ``ignore_types``, ``types``).
        told: a function that is told what was found in a file whose columns had to be found.
    """
    ours, theirs = Source.of(gold), Source.of(pred)
    if reading["answers"] is not None or is_answer_file(theirs):
        yield from _answered(ours, theirs, reading)
        return
    if reading["ignore_types"]:
        raise CleancutError(f"--ignore-types has no effect: {pred} holds no answers of a language model. Leave it out.")
    of_pair = ("gold_column", "pred_column", "labels", "scheme", "repair")
    plain = {name: reading[name] for name in of_pair}
    tags = {name: reading[name] for name in ("labels", "scheme", "repair")}
    columns = {file: columns_for(file, reading) for file in (ours, theirs)}
    shown = {"labels": tags["labels"], "scheme": tags["scheme"]}
    if not any(named or needs_shape(file, **shown) for file, named in columns.items()):
        yield from paired_batches(ours, theirs, **plain)
        return
    sides = []
    for file, column in ((ours, reading["gold_column"]), (theirs, reading["pred_column"])):
        samples = read_samples(file, column=column, **tags, **columns[file])
        told(file.name, {"": samples})
        sides.append(samples.corpus)
    annotated, predicted = sides[0], by_id(*sides)
    if len(annotated) != len(predicted):
        sizes = f"{gold} has {len(annotated)} samples but {pred} has {len(predicted)}"
        raise CleancutError(f"{sizes}. Give one prediction for each gold sample.")
    for at in range(0, len(annotated), BATCH):
        yield annotated.select(slice(at, at + BATCH)), predicted.select(slice(at, at + BATCH))


def _answered(gold: Source, pred: Source, reading: Mapping[str, Any]) -> Iterator[tuple[Corpus, Corpus]]:
    """Return gold samples and the answers of a language model to them."""
    of_gold = {name: reading[name] for name in ("labels", "scheme", "repair")} | columns_for(gold, reading)
    of_gold["column"] = reading["gold_column"]
    chosen = reading["answers"], reading.get("types"), reading["ignore_types"]
    yield from answered_batches(gold, pred, BATCH, of_gold, *chosen)
