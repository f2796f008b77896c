"""NerMetrics: ``compute_metrics`` for ``transformers.Trainer``, with what training has shown."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .core.arrays import bounds_of, ranges
from .core.corpus import Corpus, Mentions, Tagged, in_sample
from .core.exceptions import CleancutError, did_you_mean
from .core.inputs import MASK, label_names
from .core.tags import Repair, parse_scheme
from .reading.dataset import from_dataset
from .scoring.exposure import Exposure
from .scoring.registry import available_metrics, score_metrics
from .scoring.score import Score

DEFAULT = tuple(value for metric in score_metrics().values() for value in metric.logged)
"""The values that are logged unless others are asked for."""


class NerMetrics:
    """Scores of a Trainer's evaluation: ``Trainer(..., compute_metrics=NerMetrics(train=..., evaluation=...))``.

    ``train`` and ``evaluation`` are the datasets before tokenisation (words and their labels); several evaluation sets
    go into a dict. ``labels`` are the model's label names in the order of its ids, where they are not those of the
    evaluation set's ClassLabel. ``metrics`` chooses the values that are logged, of any score and any type: ``("f1",
    "clean_f1", "f1_overlap", "recall/PER")``.

    A Trainer passes label ids, not words. So rows are checked against the gold labels of the evaluation set: reordered
    rows are an error and never a score (rows with the very same labels cannot be told apart), and so are two evaluation
    sets with the same labels and other words. Words at the end that the tokenizer cut off count as not predicted; words
    in the middle that it drops (such as a lone variation selector) must be replaced in the dataset.
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
        scheme: str | None = None,
        case: bool = True,
        typed: bool = True,
        unicode: str | None = None,
    ) -> None:
        reader = _Reader(labels, tokens, tags, scheme)
        sets = evaluation if _is_several(evaluation) else {"evaluation": evaluation}
        if evaluation is None or not sets:
            raise CleancutError("give the evaluation set (before tokenisation) as evaluation=.")
        self._sets = {name: _Gold(reader, data, name) for name, data in sets.items()}
        self._exposure = None
        if train is not None:
            parts = list(train.values()) if _is_several(train) else [train]
            splits = [reader.corpus(part) for part in parts]
            self._exposure = Exposure.of(splits, case=case, typed=typed, unicode=unicode)
        self._metrics = tuple(metrics)
        self._scores = self._needed()
        if self._exposure is not None and any(score_metrics()[name].needs_train for name in self._scores):
            self._exposure.prepare(*(gold.corpus for gold in self._sets.values()))

    def __call__(self, prediction: Any) -> dict[str, float]:
        """The values chosen, as plain floats, of an ``EvalPrediction`` (logits, or ids by argmax)."""
        predicted, label_ids = _unpacked(prediction)
        kept = label_ids != MASK
        lengths = kept.sum(axis=1)
        gold = self._matching_set(label_ids[kept], lengths)
        pred = gold.predictions(predicted[kept], lengths)
        values: dict[str, Any] = {}
        for name in self._scores:
            values = self._score(name, gold.corpus, pred).to_dict() | values
        return {name: float(values.get(name, np.nan)) for name in self._metrics}

    def _score(self, name: str, gold: Corpus, pred: Mentions) -> Score:
        return score_metrics()[name](gold, pred, self._exposure)

    def _needed(self) -> list[str]:
        """The scores that hold the values asked for; an error for a name that none of them has."""
        available = available_metrics(train=self._exposure is not None)
        first = next(iter(self._sets.values()))
        few = first.corpus.select(slice(0, 1))
        values = {name: self._score(name, few, few.mentions).to_dict() for name in available}
        known = sorted({k for v in values.values() for k in v if "/" not in k and not isinstance(v[k], str)})
        types = sorted({name for gold in self._sets.values() for name in gold.types})
        needed = []
        for wanted in self._metrics:
            plain, slash, of_type = wanted.partition("/")
            found = next((name for name in available if plain in known and plain in values[name]), None)
            if found is None or (slash and of_type not in types):
                hint = did_you_mean(wanted, [*known, *(f"{plain}/{t}" for t in types)])
                exposed = [metric.name for metric in score_metrics().values() if metric.needs_train]
                train = "" if self._exposure is not None else f" ({' and '.join(exposed)} need train=)"
                raise CleancutError(f"metrics: {wanted!r} is unknown{train}.{hint}")
            needed.append(found)
        return list(dict.fromkeys(needed))

    def _matching_set(self, label_ids: NDArray[np.integer], lengths: NDArray[np.integer]) -> _Gold:
        """The evaluation set whose gold labels these are; one without truncated rows, if there is any."""
        reasons = {name: gold.mismatch(label_ids, lengths) for name, gold in self._sets.items()}
        fitting = {name: self._sets[name] for name, reason in reasons.items() if reason is None}
        whole = {name: gold for name, gold in fitting.items() if np.array_equal(gold.corpus.lengths, lengths)}
        fitting = whole or fitting
        if not fitting:
            told = " ".join(f"{name}: {reason}" for name, reason in reasons.items())
            raise CleancutError(f"the rows are not those of the evaluation set. {told}")
        (name, gold), *others = fitting.items()
        for other, same in others:
            if same.corpus.tokens() != gold.corpus.tokens():
                raise CleancutError(
                    f"the evaluation sets {name!r} and {other!r} have the same gold labels and other words, and a "
                    "Trainer does not tell which it evaluates. Use a NerMetrics for each."
                )
        return gold


class _Gold:
    """An evaluation set: its text, and its gold labels as the ids that the model is trained on."""

    def __init__(self, reader: _Reader, data: Any, name: str) -> None:
        self.corpus = reader.corpus(data)
        tagged = self.corpus.mentions.tagged
        if tagged is None:
            raise CleancutError(f"{name}: a Trainer predicts a label for each word. Give the set with tags, not spans.")
        self.names, self._scheme = reader.model_labels(data, tagged), tagged.scheme
        ids = {label: i for i, label in enumerate(self.names)}
        used = {tagged.tags[c] for c in np.unique(tagged.codes)}
        if missing := used - set(ids):
            raise CleancutError(f"{name}: the labels {sorted(missing)[:5]} are not among the model's. Give labels=.")
        if "O" not in ids:
            raise CleancutError(f"{name}: there is no 'O' among the labels {list(self.names)[:6]}.")
        self._ids = np.array([ids.get(tag, -1) for tag in tagged.tags])[tagged.codes]
        self._bounds = bounds_of(self.corpus.lengths)

    @property
    def types(self) -> set[str]:
        """The types that the labels name."""
        return {name.partition("-")[2] or name for name in self.names if name != "O"}

    def mismatch(self, label_ids: NDArray[np.integer], lengths: NDArray[np.integer]) -> str | None:
        """Why the labels of an evaluation cannot be those of this set; None if they are."""
        expected = self.corpus.lengths
        if len(lengths) != len(expected):
            return f"{len(lengths)} rows but {len(expected)} samples."
        moved = "Were the rows reordered (group_by_length)?"
        reordered = not np.array_equal(lengths, expected) and np.array_equal(np.sort(lengths), np.sort(expected))
        longer = np.flatnonzero(lengths > expected)
        if len(longer) or reordered:
            i = int(np.flatnonzero(lengths != expected)[0]) if reordered else int(longer[0])
            advice = moved if reordered else f"Label the first sub-word of each word only, the others -100. {moved}"
            return f"row {i} has {int(lengths[i])} labels but the sample {int(expected[i])} words. {advice}"
        differ = np.flatnonzero(self._ids[ranges(self._bounds[:-1], lengths)] != label_ids)
        if len(differ):
            i = int(np.searchsorted(bounds_of(lengths), differ[0], side="right")) - 1
            lost = (
                f"It has {int(lengths[i])} labels for {int(expected[i])} words: did the tokenizer drop a word?"
                if lengths[i] < expected[i]
                else f"{moved} Are the label ids others (labels=)?"
            )
            return f"row {i} has other gold labels than sample {i}. {lost}"
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
        tagged = Tagged(codes, self.corpus.lengths, self.names, self._scheme, Repair.CONLLEVAL)
        return Mentions.of_tagged(tagged, in_sample("predicted"))


def _unpacked(prediction: Any) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Predicted and gold ids, both (rows, positions)."""
    predicted, label_ids = prediction.predictions, np.asarray(prediction.label_ids)
    if isinstance(predicted, tuple | list):  # further outputs of the model follow the logits
        predicted = predicted[0]
    predicted = np.asarray(predicted)
    if predicted.ndim == 3:
        predicted = predicted.argmax(axis=-1)
    if predicted.shape != label_ids.shape or label_ids.ndim != 2 or predicted.dtype.kind not in "iu":
        raise CleancutError(
            f"predictions of shape {predicted.shape} ({predicted.dtype}) do not fit gold labels of shape "
            f"{label_ids.shape}. Expected logits (rows, positions, labels) or, after argmax, ids (rows, positions)."
        )
    return predicted, label_ids


def _is_several(data: Any) -> bool:
    """A dict of datasets, rather than one dataset or one dict of columns."""
    return isinstance(data, Mapping) and all(
        isinstance(part, Corpus | Mapping) or hasattr(part, "features") for part in data.values()
    )


class _Reader:
    """Reads datasets, corpora and columns alike, each with its own label names where it has them."""

    def __init__(self, labels: Any, tokens: str | None, tags: str | None, scheme: str | None) -> None:
        self._labels, self._tokens, self._tags = labels, tokens, tags
        self._scheme = parse_scheme(scheme)

    def corpus(self, data: Any) -> Corpus:
        if isinstance(data, Corpus):
            return data
        if isinstance(data, Mapping):
            tokens, tags = self._tokens or "tokens", self._tags or ("tags" if "tags" in data else "ner_tags")
            if missing := {tokens, tags} - set(data):
                raise CleancutError(f"no {' and '.join(sorted(missing))} among {', '.join(map(str, data))}.")
            return Corpus.of(data[tokens], tags=data[tags], labels=self._labels, scheme=self._scheme)
        named = self._class_labels(data) is not None
        return from_dataset(
            data, tokens=self._tokens, tags=self._tags, labels=None if named else self._labels, scheme=self._scheme
        )

    def model_labels(self, data: Any, tagged: Tagged) -> tuple[str, ...]:
        """The model's label names in the order of its ids: those given, else those of the dataset."""
        if self._labels is not None:
            names = label_names(self._labels)
            return tuple(names.get(i, "") for i in range(max(names) + 1))
        if not isinstance(data, Corpus | Mapping) and self._class_labels(data) is not None:
            return tagged.tags
        raise CleancutError("give labels=, the model's label names in the order of its ids.")

    def _class_labels(self, dataset: Any) -> Any:
        """The ClassLabel of the column that is read, if it is one."""
        columns = [self._tags] if self._tags else ["tags", "ner_tags", "labels"]
        features = getattr(dataset, "features", None) or {}
        feature = next((features[c] for c in columns if c in features), None)
        return getattr(getattr(feature, "feature", None), "names", None)
