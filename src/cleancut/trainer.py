"""NerMetrics: ``compute_metrics`` for ``transformers.Trainer``, with what training has shown."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exposure import Exposure
from .inputs import MASK, label_names
from .reading import from_dataset
from .scores import Score, clean_f1, exact_f1, hardeval, partial_f1
from .spans import Corpus, Mentions, Tagged, in_sample, ranges
from .tags import CleancutError, bounds_of

DEFAULT = (
    "precision", "recall", "f1", "clean_recall", "clean_f1", "delta_f1", "memorisation_f1", "hardeval", "ter_unseen",
    "ter_diff",
)  # fmt: skip


class NerMetrics:
    """Scores of a Trainer's evaluation: ``Trainer(..., compute_metrics=NerMetrics(train=..., evaluation=...))``.

    ``train`` and ``evaluation`` are the datasets before tokenisation (words and their labels); several evaluation sets
    go into a dict. ``metrics`` chooses the values that are logged, of any score and any type: ``("f1", "clean_f1",
    "f1_overlap", "recall/PER")``. Rows are checked against the gold labels of the evaluation set, so that reordered
    rows are an error and never a score. Words that the tokenizer cut off count as not predicted.
    """

    def __init__(
        self,
        train: Any = None,
        evaluation: Any = None,
        *,
        metrics: Sequence[str] = DEFAULT,
        labels: Any = None,
        tokens: str | None = None,
        tags: str | None = None,
        case: bool = True,
        typed: bool = True,
        unicode: str | None = None,
    ) -> None:
        if evaluation is None:
            raise CleancutError("give the evaluation set (before tokenisation) as evaluation=.")
        read = partial(_corpus, labels=labels, tokens=tokens, tags=tags)
        sets = evaluation if _is_several(evaluation) else {"evaluation": evaluation}
        self._sets = {name: _Gold(read(data, name), _names(data, labels, tags)) for name, data in sets.items()}
        self._exposure = None
        if train is not None:
            parts = list(train.values()) if _is_several(train) else [train]
            splits = [read(part, "train") for part in parts]
            self._exposure = Exposure.of(splits, case=case, typed=typed, unicode=unicode)
        self._metrics = tuple(metrics)
        self._scores = self._needed()

    def __call__(self, prediction: Any) -> dict[str, float]:
        """The values chosen, as plain floats, of an ``EvalPrediction`` (logits, or ids by argmax)."""
        predicted, label_ids = _unpacked(prediction)
        gold, kept = self._matching_set(label_ids)
        pred = gold.predictions(predicted[kept], kept.sum(axis=1))
        values: dict[str, Any] = {}
        for name in self._scores:
            values = self._score(name, gold, pred).to_dict() | values
        return {name: float(values.get(name, np.nan)) for name in self._metrics}

    def _score(self, name: str, gold: _Gold, pred: Mentions) -> Score:
        if name in _PLAIN:
            return _PLAIN[name](gold.corpus, pred)
        assert self._exposure is not None
        return _EXPOSED[name](gold.corpus, pred, self._exposure)

    def _needed(self) -> list[str]:
        """The scores that hold the values asked for; an error for a name that none of them has."""
        available = [*_PLAIN, *(_EXPOSED if self._exposure is not None else ())]
        gold = next(iter(self._sets.values()))
        few = _Gold(gold.corpus.select(slice(0, 1)), gold.names)
        keys = {name: set(self._score(name, few, few.corpus.mentions)) for name in available}
        needed = []
        for wanted in self._metrics:
            plain = wanted.partition("/")[0]
            found = next((name for name in available if plain in keys[name]), None)
            if found is None:
                known = sorted({key for each in keys.values() for key in each if "/" not in key})
                close = difflib.get_close_matches(wanted, known, 1)
                hint = f" Did you mean {close[0]!r}?" if close else ""
                train = "" if self._exposure is not None else " (clean_f1 and hardeval need train=)"
                raise CleancutError(f"metrics: {wanted!r} is unknown{train}.{hint}")
            needed.append(found)
        return list(dict.fromkeys(needed))

    def _matching_set(self, label_ids: NDArray[np.integer]) -> tuple[_Gold, NDArray[np.bool_]]:
        """The evaluation set whose gold labels these are, and which positions are scored."""
        kept = label_ids != MASK
        reasons = []
        for name, gold in self._sets.items():
            reason = gold.mismatch(label_ids[kept], kept.sum(axis=1))
            if reason is None:
                return gold, kept
            reasons.append(f"{name}: {reason}")
        raise CleancutError(f"the rows are not those of the evaluation set. {' '.join(reasons)}")


_PLAIN: dict[str, Callable[..., Score]] = {"exact_f1": exact_f1, "partial_f1": partial_f1}
_EXPOSED: dict[str, Callable[..., Score]] = {"clean_f1": clean_f1, "hardeval": hardeval}


class _Gold:
    """An evaluation set: its text, and its gold labels as the ids that the model is trained on."""

    def __init__(self, corpus: Corpus, names: tuple[str, ...]) -> None:
        self.corpus, self.names = corpus, names
        tagged = corpus.mentions.tagged
        assert tagged is not None
        ids = {name: i for i, name in enumerate(names)}
        missing = {tag for tag in tagged.tags if tag} - set(ids)
        if missing:
            raise CleancutError(f"the labels of the evaluation set are not all in labels=: {sorted(missing)[:5]}.")
        self._ids = np.array([ids.get(tag, -1) for tag in tagged.tags])[tagged.codes]
        self._bounds = bounds_of(corpus.lengths)

    def mismatch(self, label_ids: NDArray[np.integer], lengths: NDArray[np.integer]) -> str | None:
        """Why the labels of an evaluation cannot be those of this set; None if they are."""
        if len(lengths) != len(self.corpus):
            return f"{len(lengths)} rows but {len(self.corpus)} samples."
        longer = np.flatnonzero(lengths > self.corpus.lengths)
        if len(longer):
            i = int(longer[0])
            return (
                f"row {i} has {int(lengths[i])} labels but the sample {int(self.corpus.lengths[i])} words. "
                "Label the first sub-word of each word only, and the others -100."
            )
        expected = self._ids[ranges(self._bounds[:-1], lengths)]
        differ = np.flatnonzero(expected != label_ids)
        if len(differ):
            i = int(np.searchsorted(bounds_of(lengths), differ[0], side="right")) - 1
            return (
                f"row {i} has other gold labels than sample {i}. Were the rows reordered (group_by_length), or are the "
                "label ids others?"
            )
        return None

    def predictions(self, ids: NDArray[np.integer], lengths: NDArray[np.integer]) -> Mentions:
        """The predicted mentions; words that the tokenizer cut off are outside of all."""
        wrong = (ids < 0) | (ids >= len(self.names))
        if wrong.any():
            raise CleancutError(f"predicted label id {int(ids[wrong][0])}, but there are {len(self.names)} labels.")
        lost = int((self.corpus.lengths - lengths).sum())
        if lost:
            cut = int((lengths < self.corpus.lengths).sum())
            gone = self.corpus.mentions.end > lengths[self.corpus.mentions.sample]
            warnings.warn(
                f"{cut} of {len(self.corpus)} sentences were truncated: {lost} words and {int(gone.sum())} gold "
                "mentions cannot be predicted and count as missed. Raise the tokenizer's max_length.",
                stacklevel=3,
            )
        codes = np.full(self.corpus.n_tokens, self.names.index("O"))
        codes[ranges(self._bounds[:-1], lengths)] = ids
        return Mentions.of_tagged(Tagged(codes, self.corpus.lengths, self.names), in_sample("predicted"))


def _unpacked(prediction: Any) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Predicted and gold ids, both (rows, positions)."""
    predicted, label_ids = prediction.predictions, np.asarray(prediction.label_ids)
    if isinstance(predicted, tuple | list):  # further outputs of the model follow the logits
        predicted = predicted[0]
    predicted = np.asarray(predicted)
    if predicted.ndim == 3:
        predicted = predicted.argmax(axis=-1)
    if predicted.shape != label_ids.shape or label_ids.ndim != 2:
        raise CleancutError(
            f"predictions of shape {predicted.shape} do not fit gold labels of shape {label_ids.shape}. "
            "Expected (rows, positions, labels) or, after argmax, (rows, positions)."
        )
    return predicted, label_ids


def _is_several(data: Any) -> bool:
    """A dict of datasets, rather than one dataset or one dict of columns."""
    return isinstance(data, Mapping) and "tokens" not in data


def _corpus(data: Any, name: str, *, labels: Any, tokens: str | None, tags: str | None) -> Corpus:
    """A corpus of a dataset, or of a dict of columns."""
    if isinstance(data, Corpus):
        corpus = data
    elif isinstance(data, Mapping):
        corpus = Corpus.of(data["tokens"], tags=data.get("tags"), labels=labels)
    else:
        corpus = from_dataset(data, tokens=tokens, tags=tags, labels=labels)
    if corpus.mentions.tagged is None:
        raise CleancutError(f"{name}: a Trainer predicts a label for each word. Give the dataset with tags, not spans.")
    return corpus


def _names(data: Any, labels: Any, tags: str | None) -> tuple[str, ...]:
    """The label names in the order of their ids."""
    if labels is None:
        features = getattr(data, "features", {})
        columns = [tags] if tags else list(features)
        found = (getattr(getattr(features.get(c), "feature", None), "names", None) for c in columns)
        corpus = data.mentions.tagged if isinstance(data, Corpus) else None
        labels = next((names for names in found if names), corpus.tags if corpus else None)
    names = label_names(labels)
    return tuple(names.get(i, "") for i in range(max(names) + 1))
