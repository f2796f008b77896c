"""Type exposure: scores by whether training has the type of a mention, and whether it has its words as a mention.

A model that was tuned on instructions has seen some types and not others. Where gold has a type that training lacks,
clean F1 shows how the model does on both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .exposure_view import NOVELTY_CLASSES
from .score import f_values, ratio, share

TYPE_EXPOSURE = {
    "type_seen_entity_seen": "seen type, seen words",
    "type_seen_entity_new": "seen type, new words",
    "type_new_entity_seen": "new type, seen words",
    "type_new_entity_new": "new type, new words",
}
"""The four groups of gold mentions, by their names in the keys of values, with their titles.

A type is seen if training has a mention of it. Words are seen if they are a training mention of any type.
"""


def type_exposure(
    by_type: Mapping[str, Mapping[str, Any]], trained: Collection[str], credit: float, beta: float
) -> dict[str, Any]:
    """Return F1, recall and counts of each group of mentions, and the precision of seen and of new types.

    Args:
        by_type: the sums of each type, with those of each class of novelty.
        trained: the types that training has.
        credit: the credit for a match that is not exact.
        beta: if it is not 1, F-beta stands beside F1.

    Returns:
        The values. They are empty if training has all types of the gold mentions: two of the four groups are empty
        then, and the other two repeat recall by novelty.
    """
    if all(label in trained for label, sums in by_type.items() if sums["n_gold"]):
        return {}
    values: dict[str, Any] = {}
    for of_type in ("type_seen", "type_new"):
        is_trained = of_type == "type_seen"
        rows = [sums for label, sums in by_type.items() if (label in trained) is is_trained]
        n_pred = sum(sums["n_pred"] for sums in rows)
        precision = ratio(_earned(rows, [""], credit), n_pred)
        values |= {f"precision_{of_type}": precision, f"n_pred_{of_type}": n_pred}
        for of_entity in ("entity_seen", "entity_new"):
            is_seen = of_entity == "entity_seen"
            classes = [f"_{novelty.name}" for novelty in NOVELTY_CLASSES if novelty.is_training_mention is is_seen]
            n_gold = sum(sums[f"n_gold{of}"] for sums in rows for of in classes)
            recall = share(_earned(rows, classes, credit), n_gold)
            group = f"{of_type}_{of_entity}"
            values |= f_values(f"f1_{group}", precision, recall, beta)
            values |= {f"recall_{group}": recall, f"n_{group}": n_gold}
    return values


def _earned(rows: Iterable[Mapping[str, Any]], classes: Collection[str], credit: float) -> Any:
    """Return the credit that predictions earn on the mentions of some classes."""
    return sum(sums[f"n_exact{of}"] + credit * sums[f"n_partial{of}"] for sums in rows for of in classes)
