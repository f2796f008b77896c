"""NerMetrics: a ``compute_metrics`` for ``transformers.Trainer`` that knows the training data."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .core import checks
from .core.arrays import bounds_of, ranges
from .core.corpus import Corpus, Mentions, Tagged, in_sample
from .core.entities import Key
from .core.exceptions import CleancutError, did_you_mean, quoted, reason
from .core.inputs import MASK, as_array, label_names
from .core.notices import said_once
from .core.tags import Repair, parse_scheme
from .reading.dataset import from_dataset
from .scoring.exposure import Exposure
from .scoring.registry import available_metrics, score_metrics, taken
from .scoring.score import Score

DEFAULT = tuple(value for metric in score_metrics().values() for value in metric.logged)
"""The values that are logged by default; without training data, those of them that need none."""


class NerMetrics:
    """Scores of a Trainer's evaluation: ``Trainer(..., compute_metrics=NerMetrics(train=..., evaluation=...))``.

    A Trainer passes label ids and no words. So rows are checked against the gold labels of the evaluation set.
    Reordered rows are an error and never a score (rows with the very same labels cannot be told apart), and so are
    two evaluation sets with the same labels and different words. Words at the end that the tokenizer cut off count as
    not predicted. Words in the middle that it drops (such as a lone variation selector) must be replaced in the
    dataset.

    Args:
        train: the training data before tokenisation (words and their labels): a dataset, a ``DatasetDict`` (its split
            train is taken), a list of several, a corpus, columns, or an ``Exposure``. Without it, the values that need
            none are computed: precision, recall and F1.
        evaluation: everything that the Trainer will evaluate or predict, in the same forms. Several sets go into a
            dict, such as ``{"validation": dd["validation"], "test": dd["test"]}``.
        metrics: the values to log, of any score and any type: ``("f1", "clean_f1", "recall/PER")``.
        labels: the model's label names in the order of its ids, where they are not those of the evaluation set's
            ClassLabel.
        tokens: the column of the words, where it is not found by itself.
        tags: the column of the labels.
        entities: the column of spans, for training data that has spans rather than labels.
        text: the column of the text that character offsets refer to.
        document: the column of documents.
        scheme: the tag scheme; by default it is inferred.
        end: whether the end of a span belongs to it: ``"inclusive"`` or ``"exclusive"``.
        case: whether case matters for what counts as the same entity.
        typed: whether the type is part of the entity.
        unicode: a Unicode normal form that words are converted to first.
        beta: a number other than 1 adds F-beta beside each F1: with 2, F2, in which recall weighs twice as much. It is
            then logged instead of F1, unless ``metrics`` names other values.

    Raises:
        CleancutError: a set or a column is missing, or a value to log is unknown.

    >>> columns = {"tokens": [["Ada", "slept"]], "tags": [["B-PER", "O"]]}
    >>> NerMetrics(evaluation=columns, labels=["O", "B-PER"]).metrics
    ('precision', 'recall', 'f1')
    """

    def __init__(
        self,
        train: Any = None,
        evaluation: Any = None,
        *,
        metrics: Sequence[str] | None = None,
        labels: Any = None,
        tokens: str | None = None,
        tags: str | None = None,
        entities: str | None = None,
        text: str | None = None,
        document: str | None = None,
        scheme: str | None = None,
        end: str | None = None,
        case: bool = True,
        typed: bool = True,
        unicode: str | None = None,
        beta: float = 1.0,
    ) -> None:
        columns = {"tokens": tokens, "tags": tags, "entities": entities, "text": text, "document": document, "end": end}
        for name, column in columns.items():
            if column is not None:
                wanted = "'inclusive' or 'exclusive'" if name == "end" else "the name of a column"
                checks.text(column, name, wanted)
        reader = _Reader(labels, scheme, columns)
        sets = evaluation if _is_several(evaluation) else {"evaluation": evaluation}
        if evaluation is None or not sets:
            raise CleancutError("give the evaluation set (before tokenisation) as evaluation=.")
        self._sets = {name: _Gold(reader, data, name) for name, data in sets.items()}
        self._beta = checks.beta(beta)
        self._exposure = _exposure_of(train, reader, Key.of(case, typed, unicode))
        wanted = "a list of names of values, such as ('f1', 'recall/PER')"
        self.metrics = self._default() if metrics is None else tuple(checks.names(metrics, "metrics", wanted))
        self._scores = self._needed()
        self._batches: list[_Rows] = []
        if self._exposure is not None and any(score_metrics()[name].needs_train for name in self._scores):
            self._exposure.prepare(*(gold.corpus for gold in self._sets.values()))

    def __call__(self, prediction: Any, compute_result: bool | None = None) -> dict[str, float]:
        """Return the chosen values of an ``EvalPrediction`` as plain floats.

        Args:
            prediction: logits (or ids, after argmax) and label ids: as arrays, or in batches
                (``eval_do_concat_batches``).
            compute_result: with ``batch_eval_metrics``, whether this is the last batch. Before it, nothing is returned.

        Raises:
            CleancutError: the rows are not those of an evaluation set, or the shapes do not fit.
        """
        _check_best_model(self._scores)
        if compute_result is None:
            rows = _unpacked(prediction)
        else:
            self._batches.append(_unpacked(prediction))
            if not compute_result:
                return {}
            rows, self._batches = _Rows.concatenate(self._batches), []
        gold = self._matching_set(rows.labels, rows.lengths)
        pred = gold.predictions(rows.predicted, rows.lengths)
        values: dict[str, Any] = {}
        with said_once():
            for name in self._scores:
                values = self._score(name, gold.corpus, pred).to_dict() | values
        return {name: float(values.get(name, np.nan)) for name in self.metrics}

    def _default(self) -> tuple[str, ...]:
        """Return the values that are logged by default."""
        available = available_metrics(train=self._exposure is not None)
        records = (score_metrics()[name].with_beta(self._beta) for name in available)
        return tuple(value for record in records for value in record.logged)

    def _score(self, name: str, gold: Corpus, pred: Mentions) -> Score:
        """Return a score of predictions."""
        return score_metrics()[name](gold, pred, self._exposure, **taken(name, {"beta": self._beta}))

    def _needed(self) -> list[str]:
        """Return the scores that hold the wanted values; a name that none of them has is an error."""
        available = available_metrics(train=self._exposure is not None)
        first = next(iter(self._sets.values()))
        few = first.corpus.select(slice(0, 1))
        values = {name: self._score(name, few, few.mentions).to_dict() for name in available}
        known = sorted({name for score in values.values() for name in score if _is_plain_number(name, score[name])})
        types = sorted({name for gold in self._sets.values() for name in gold.types})
        needed = []
        for wanted in self.metrics:
            plain, slash, of_type = wanted.partition("/")
            having = [name for name in available if plain in values[name]] if plain in known else []
            score = next(iter(having), None)
            if score is None or (slash and of_type not in types):
                hint = did_you_mean(wanted, [*known, *(f"{plain}/{t}" for t in types)])
                exposed = [metric.name for metric in score_metrics().values() if metric.needs_train]
                train = "" if self._exposure is not None else f" ({' and '.join(exposed)} need train=)"
                raise CleancutError(f"metrics: {quoted(wanted)} is unknown{train}.{hint}")
            needed.append(score)
        return list(dict.fromkeys(needed))

    def _matching_set(self, label_ids: NDArray[np.integer], lengths: NDArray[np.integer]) -> _Gold:
        """Return the evaluation set that has these gold labels, if possible one without truncated rows."""
        reasons = {name: gold.mismatch(label_ids, lengths) for name, gold in self._sets.items()}
        fitting = {name: self._sets[name] for name, reason in reasons.items() if reason is None}
        whole = {name: gold for name, gold in fitting.items() if np.array_equal(gold.corpus.lengths, lengths)}
        fitting = whole or fitting
        if not fitting:
            listed = " ".join(f"{name}: {reason}" for name, reason in reasons.items())
            further = (
                ", ".join(f"{quoted(name)}: ..." for name in self._sets if name != "evaluation") or '"validation": ...'
            )
            article = "an" if len(reasons) > 1 else "the"
            raise CleancutError(
                f"the rows are not those of {article} evaluation set. {listed} A set that "
                f'is evaluated or predicted too belongs to evaluation={{{further}, "test": ...}}.'
            )
        (name, gold), *others = fitting.items()
        for other, same in others:
            if same.corpus.tokens() != gold.corpus.tokens():
                raise CleancutError(
                    f"the evaluation sets {quoted(name)} and {quoted(other)} have the same gold labels and other "
                    "words, and a Trainer does not tell which it evaluates. Use a NerMetrics for each."
                )
        return gold


def _is_plain_number(name: str, value: Any) -> bool:
    """Return whether a value of a score is a number of the whole, and not of one type."""
    return "/" not in name and not isinstance(value, str)


class _Gold:
    """An evaluation set: its text, and its gold labels as the ids that the model is trained on."""

    def __init__(self, reader: _Reader, data: Any, name: str) -> None:
        self.corpus = reader.corpus(data)
        tagged = self.corpus.mentions.tagged
        if tagged is None:
            raise CleancutError(f"{name}: a Trainer predicts a label for each word. Give the set with tags, not spans.")
        self.names = reader.model_labels(data, tagged)
        self._scheme = tagged.scheme
        ids = {label: i for i, label in enumerate(self.names)}
        used = {tagged.tags[code] for code in np.unique(tagged.codes)}
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
        """Return why the labels of an evaluation cannot be those of this set; None if they can."""
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
            if lengths[i] < expected[i]:
                advice = f"It has {int(lengths[i])} labels for {int(expected[i])} words: did the tokenizer drop a word?"
            else:
                advice = f"{moved} Do the label ids stand for other names (labels=)?"
            return f"row {i} has other gold labels than sample {i}. {advice}"
        return None

    def predictions(self, ids: NDArray[np.integer], lengths: NDArray[np.integer]) -> Mentions:
        """Return the predicted mentions. Words that the tokenizer cut off are outside of all mentions."""
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


class _Rows(NamedTuple):
    """The positions of an evaluation that are scored, one row after the other."""

    predicted: NDArray[np.integer]
    labels: NDArray[np.integer]
    lengths: NDArray[np.integer]
    """The number of positions of each row."""

    @classmethod
    def concatenate(cls, parts: Sequence[_Rows]) -> _Rows:
        """Return the positions of several batches."""
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _unpacked(prediction: Any) -> _Rows:
    """Return the predicted and the gold ids at the positions that are not masked."""
    try:
        predicted, label_ids = prediction.predictions, prediction.label_ids
    except AttributeError:
        raise CleancutError(
            f"the prediction is {quoted(prediction)}, of type {type(prediction).__name__}. Give what a Trainer gives: "
            "an EvalPrediction, with predictions and label_ids."
        ) from None
    if isinstance(label_ids, list) and len(label_ids) and as_array(label_ids[0]) is not None:
        # Batches that were not concatenated, each with a width of its own.
        if not isinstance(predicted, list) or len(predicted) != len(label_ids):
            given = f"{len(predicted)} batches" if isinstance(predicted, list) else type(predicted).__name__
            raise CleancutError(f"{len(label_ids)} batches of gold labels but {given} of predictions.")
        return _Rows.concatenate([_unmasked(*batch) for batch in zip(predicted, label_ids, strict=True)])
    return _unmasked(predicted, label_ids)


def _unmasked(predicted: Any, label_ids: Any) -> _Rows:
    """Return the same for one batch. Both sides are (rows, positions); logits have one axis more."""
    if isinstance(predicted, tuple | list) and len(predicted):  # the logits, and further outputs of the model
        predicted = predicted[0]
    ids, labels = _ids_of(predicted, "predictions"), _ids_of(label_ids, "label_ids")
    if ids.shape != labels.shape or labels.ndim != 2 or ids.dtype.kind not in "iu":
        raise CleancutError(
            f"predictions of shape {ids.shape} ({ids.dtype}) do not fit gold labels of shape "
            f"{labels.shape}. Expected logits (rows, positions, labels) or, after argmax, ids (rows, positions)."
        )
    kept = labels != MASK
    return _Rows(ids[kept], labels[kept], kept.sum(axis=1))


def _ids_of(given: Any, name: str) -> NDArray[Any]:
    """Return ids as they are, or those of the highest logits."""
    try:
        if getattr(given, "ndim", 0) == 3:  # also for tensors of numbers that numpy does not have
            given = given.argmax(-1)
        array = as_array(given)
        return np.asarray(given) if array is None else array
    except (ValueError, TypeError, RuntimeError) as error:  # rows of several lengths, tensors without values
        raise CleancutError(
            f"{name}: {quoted(given)} is not an array ({reason(error)}). "
            "Expected logits (rows, positions, labels) or ids."
        ) from None


def _check_best_model(scores: Iterable[str]) -> None:
    """Raise an error if the calling Trainer would keep the checkpoint with the highest error rate.

    ``greater_is_better`` is True by default, unless the name of the metric ends with ``loss``. A Trainer does not
    pass its arguments on, so the Trainer that called is looked for on the stack.
    """
    lower = [score_metrics()[name] for name in scores if score_metrics()[name].lower_is_better]
    arguments = _training_arguments() if lower else None
    if arguments is None or not arguments.greater_is_better or not arguments.metric_for_best_model:
        return
    chosen = arguments.metric_for_best_model
    rates = [value for metric in lower for value in (*metric.headline, *metric.logged)]
    if any(f"_{chosen}".endswith(f"_{value}") for value in rates):  # eval_, or the name of a set, may stand before it
        raise CleancutError(
            f"metric_for_best_model={quoted(chosen)} is an error rate, but greater_is_better is True, its default: "
            "the worst checkpoint would be kept. Give TrainingArguments(greater_is_better=False)."
        )


def _training_arguments() -> Any:
    """Return the TrainingArguments of the Trainer that called, if there is one on the stack."""
    frame = sys._getframe(1)
    while (frame := frame.f_back) is not None:  # type: ignore[assignment]
        arguments = getattr(frame.f_locals.get("self"), "args", None)
        if hasattr(arguments, "metric_for_best_model") and hasattr(arguments, "greater_is_better"):
            return arguments
    return None


def _exposure_of(train: Any, reader: _Reader, key: Key) -> Exposure | None:
    """Return the index of the training data. Of several splits, the one called train is taken."""
    if train is None:
        return None
    if isinstance(train, Exposure):
        if key not in (Key(), train.key):
            raise CleancutError(
                f"the index has the key {train.key}; case, typed and unicode are given when it is made."
            )
        return train
    if _is_several(train):
        if "train" not in train and len(train) != 1:
            names = ", ".join(map(quoted, train))
            raise CleancutError(f"train: which of {names} is the training data? Give it, or a list of several.")
        train = train["train"] if "train" in train else next(iter(train.values()))
    is_list = isinstance(train, list | tuple)
    are_parts = is_list and all(isinstance(part, Corpus) or hasattr(part, "features") for part in train)
    parts = train if are_parts else [train]
    return Exposure.of([reader.corpus(part) for part in parts], **key._asdict())


def _is_several(data: Any) -> bool:
    """Return whether data is a dict of datasets, rather than one dataset or one dict of columns."""
    return isinstance(data, Mapping) and all(
        isinstance(part, Corpus | Mapping) or hasattr(part, "features") for part in data.values()
    )


class _Reader:
    """Reads datasets, corpora and columns, each with its own label names where it has them."""

    def __init__(self, labels: Any, scheme: str | None, columns: Mapping[str, Any]) -> None:
        self._labels = labels
        self._scheme = parse_scheme(scheme)
        self._columns = columns

    def corpus(self, data: Any) -> Corpus:
        """Return data of any of these forms as a corpus."""
        if isinstance(data, Corpus):
            return data
        if isinstance(data, Mapping):
            return self._of_columns(data)
        named = self._class_labels(data) is not None
        labels = None if named else self._labels
        return from_dataset(data, labels=labels, scheme=self._scheme, **self._columns)

    def _of_columns(self, data: Mapping[str, Any]) -> Corpus:
        """Return a dict of columns as a corpus."""
        for name in ("text", "document", "end"):
            if self._columns[name] is not None:
                raise CleancutError(f"{name}={quoted(self._columns[name])} is for datasets, not for a dict of columns.")
        tokens, spans = self._columns["tokens"] or "tokens", self._columns["entities"]
        tags = self._columns["tags"] or ("tags" if "tags" in data else "ner_tags")
        given = tags if spans is None or (self._columns["tags"] and tags in data) else spans
        if missing := {tokens, given} - set(data):
            raise CleancutError(f"no {' and '.join(sorted(missing))} among {', '.join(map(str, data))}.")
        if given == spans:
            return Corpus.of(data[tokens], entities=data[spans])
        return Corpus.of(data[tokens], tags=data[tags], labels=self._labels, scheme=self._scheme)

    def model_labels(self, data: Any, tagged: Tagged) -> tuple[str, ...]:
        """Return the model's label names in the order of its ids: those given, else those of the dataset."""
        if self._labels is not None:
            names = label_names(self._labels)
            if not names:
                raise CleancutError("labels= is empty. Give the model's label names in the order of its ids.")
            return tuple(names.get(i, "") for i in range(max(names) + 1))
        if not isinstance(data, Corpus | Mapping) and self._class_labels(data) is not None:
            return tagged.tags
        raise CleancutError("give labels=, the model's label names in the order of its ids.")

    def _class_labels(self, dataset: Any) -> Any:
        """Return the names of the ClassLabel of the column that is read; None if it is not one."""
        tags = self._columns["tags"]
        columns = [tags] if tags else ["tags", "ner_tags", "labels"]
        features = getattr(dataset, "features", None) or {}
        feature = next((features[column] for column in columns if column in features), None)
        return getattr(getattr(feature, "feature", None), "names", None)
