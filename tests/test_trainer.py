"""NerMetrics: the same values as a direct computation, in any shape a Trainer gives, in a real Trainer."""

import importlib.util
import warnings
from pathlib import Path
from types import SimpleNamespace

import datasets
import numpy as np
import pytest

from cleancut import CleancutError, Corpus, Exposure, clean_f1, exact_f1, from_dataset, hardeval, partial_f1
from cleancut.trainer import NerMetrics

ROOT = Path(__file__).resolve().parents[1]
NAMES = ["O", "B-PER", "I-PER", "B-LOC"]
FEATURES = datasets.Features(
    {"tokens": datasets.List(datasets.Value("string")), "ner_tags": datasets.List(datasets.ClassLabel(names=NAMES))}
)
TRAIN = datasets.Dataset.from_dict({"tokens": [["Ada", "spoke"]], "ner_tags": [[1, 0]]}, features=FEATURES)
EVALUATION = datasets.Dataset.from_dict(
    {"tokens": [["Ada", "King"], ["Oslo", "slept", "well"], ["spoke"]], "ner_tags": [[1, 2], [3, 0, 0], [0]]},
    features=FEATURES,
)
# sub-words: the second word of row 0 has two pieces, special tokens at both ends
LABELS = np.array([[-100, 1, 2, -100, -100], [-100, 3, 0, 0, -100], [-100, 0, -100, -100, -100]])
IDS = np.array([[0, 1, 0, 2, 0], [3, 3, 0, 1, 0], [1, 0, 1, 1, 1]])
LOGITS = np.eye(len(NAMES))[IDS] + np.linspace(0, 0.5, IDS.size * len(NAMES)).reshape(*IDS.shape, -1) * 0.01
PRED = [["B-PER", "O"], ["B-LOC", "O", "B-PER"], ["O"]]


def prediction(predictions, label_ids=LABELS):
    return SimpleNamespace(predictions=predictions, label_ids=label_ids)


def expected():
    gold, shown = from_dataset(EVALUATION), Exposure.of(from_dataset(TRAIN))
    pred = gold.with_predictions(PRED)
    clean, hard = clean_f1(gold, pred, shown), hardeval(gold, pred, shown)
    return exact_f1(gold, pred), partial_f1(gold, pred), clean, hard


@pytest.mark.parametrize("form", ["logits", "argmax", "tuple", "float32"])
def test_the_values_are_those_of_a_direct_computation(form):
    given = {"logits": LOGITS, "argmax": IDS, "tuple": (LOGITS, np.zeros(3)), "float32": LOGITS.astype(np.float32)}[
        form
    ]
    found = NerMetrics(train=TRAIN, evaluation=EVALUATION)(prediction(given))
    exact, _, clean, hard = expected()
    assert found["f1"] == exact.f1 and found["clean_f1"] == clean.clean_f1 and found["delta_f1"] == clean.delta_f1
    assert found["clean_recall"] == clean.clean_recall and found["hardeval"] == pytest.approx(
        hard.hardeval, nan_ok=True
    )
    assert all(type(value) is float for value in found.values())


def test_metrics_are_chosen_by_name():
    names = ("f1_overlap", "f1", "recall/PER", "n_repaired_pred")
    found = NerMetrics(train=TRAIN, evaluation=EVALUATION, metrics=names)(prediction(IDS))
    exact, partial, _, _ = expected()
    assert found["f1_overlap"] == partial.f1_overlap and found["recall/PER"] == exact["recall/PER"]
    assert list(found) == list(names)
    with pytest.raises(CleancutError, match="'recall/PRE' is unknown.* Did you mean recall/PER"):
        NerMetrics(evaluation=EVALUATION, metrics=["recall/PRE"])
    with pytest.raises(CleancutError, match="'signature' is unknown"):
        NerMetrics(evaluation=EVALUATION, metrics=["signature"])
    with pytest.raises(CleancutError, match="metrics: 'clean_fi' is unknown. Did you mean clean_f1"):
        NerMetrics(train=TRAIN, evaluation=EVALUATION, metrics=["clean_fi"])
    with pytest.raises(CleancutError, match="need train="):
        NerMetrics(evaluation=EVALUATION, metrics=["hardeval"])
    assert NerMetrics(evaluation=EVALUATION, metrics=["f1"])(prediction(IDS))["f1"] == exact.f1


def test_reordered_rows_are_refused_and_not_scored():
    metrics = NerMetrics(train=TRAIN, evaluation=EVALUATION)
    order = [1, 0, 2]
    with pytest.raises(CleancutError, match="row 0 has 3 labels but the sample 2 words. Were the rows reordered"):
        metrics(prediction(IDS[order], LABELS[order]))
    wrong = LABELS.copy()
    wrong[0, 1] = 3
    with pytest.raises(CleancutError, match="row 0 has other gold labels than sample 0"):
        metrics(prediction(IDS, wrong))
    with pytest.raises(CleancutError, match="2 rows but 3 samples"):
        metrics(prediction(IDS[:2], LABELS[:2]))
    every = np.where(LABELS == -100, 0, LABELS)
    with pytest.raises(CleancutError, match="Label the first sub-word"):
        metrics(prediction(IDS, every))
    with pytest.raises(CleancutError, match="do not fit gold labels of shape"):
        metrics(prediction(IDS[:, :2]))
    with pytest.raises(CleancutError, match="predicted label id 9"):
        metrics(prediction(np.where(IDS == 2, 9, IDS) + (LABELS == 2) * 9))


def test_truncated_sentences_are_counted_and_their_mentions_missed():
    labels = LABELS.copy()
    labels[0, 2] = -100  # the second word of a mention of two is cut off
    with pytest.warns(UserWarning, match="1 of 3 sentences were truncated: 1 words and 1 gold mentions"):
        found = NerMetrics(train=TRAIN, evaluation=EVALUATION, metrics=["recall", "precision"])(prediction(IDS, labels))
    assert found["recall"] == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NerMetrics(train=TRAIN, evaluation=EVALUATION)(prediction(IDS))


def test_several_evaluation_sets_are_told_apart_by_their_labels():
    other = datasets.Dataset.from_dict({"tokens": [["Rome"]] * 3, "ner_tags": [[3]] * 3}, features=FEATURES)
    metrics = NerMetrics(
        train=TRAIN, evaluation={"validation": other, "test": EVALUATION}, metrics=["f1", "clean_recall"]
    )
    assert metrics(prediction(IDS))["f1"] == expected()[0].f1
    assert metrics(prediction(np.array([[3], [3], [0]]), np.array([[3], [3], [3]])))["clean_recall"] == 2 / 3


def test_sets_that_labels_cannot_tell_apart_are_refused():
    swapped = EVALUATION.map(lambda row: {"tokens": [word.lower() for word in row["tokens"]]})
    metrics = NerMetrics(train=TRAIN, evaluation={"plain": EVALUATION, "swapped": swapped})
    with pytest.raises(CleancutError, match="'plain' and 'swapped' have the same gold labels and other words"):
        metrics(prediction(IDS))
    twice = NerMetrics(train=TRAIN, evaluation={"one": EVALUATION, "two": EVALUATION}, metrics=["f1"])
    assert twice(prediction(IDS))["f1"] == expected()[0].f1


def test_an_exact_fit_is_preferred_to_a_truncated_one():
    longer = datasets.Dataset.from_dict(
        {
            "tokens": [[*row, "more"] for row in EVALUATION["tokens"]],
            "ner_tags": [[*r, 3] for r in EVALUATION["ner_tags"]],
        },
        features=FEATURES,
    )
    metrics = NerMetrics(train=TRAIN, evaluation={"long": longer, "short": EVALUATION}, metrics=["recall"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metrics(prediction(IDS))["recall"] == expected()[0].recall


def test_other_class_label_columns_are_no_labels():
    pos = datasets.List(datasets.ClassLabel(names=["NN", "VB"]))
    features = datasets.Features({"tokens": FEATURES["tokens"], "pos_tags": pos, "ner_tags": FEATURES["ner_tags"]})
    rows = {"tokens": EVALUATION["tokens"][:], "pos_tags": [[0] * len(r) for r in EVALUATION["tokens"]]}
    data = datasets.Dataset.from_dict({**rows, "ner_tags": EVALUATION["ner_tags"][:]}, features=features)
    assert NerMetrics(train=data, evaluation=data, metrics=["f1"])(prediction(IDS))["f1"] == expected()[0].f1


def test_the_ids_of_the_model_may_be_others_than_those_of_the_dataset():
    order = ["B-LOC", "I-PER", "O", "B-PER"]
    ids = np.array([order.index(name) for name in NAMES])
    labels = np.where(LABELS == -100, -100, ids[np.maximum(LABELS, 0)])
    found = NerMetrics(train=TRAIN, evaluation=EVALUATION, labels=order, metrics=["f1", "n_gold"])
    assert found(prediction(ids[IDS], labels)) == {"f1": expected()[0].f1, "n_gold": 2.0}
    with pytest.raises(CleancutError, match="other gold labels"):
        found(prediction(IDS))


def test_dropped_words_are_named():
    labels = np.array([[2, -100, -100], [3, 0, 0], [0, -100, -100]])  # the first word of row 0 has no sub-word
    with pytest.raises(CleancutError, match="It has 1 labels for 2 words: did the tokenizer drop a word"):
        NerMetrics(evaluation=EVALUATION, metrics=["f1"])(prediction(np.zeros((3, 3), int), labels))


def test_io_labels():
    names = ["O", "person", "art-music"]
    data = {"tokens": [["Ada", "King", "x"]], "tags": [[1, 1, 0]]}
    metrics = NerMetrics(train=data, evaluation=data, labels=names, scheme="io", metrics=["f1", "f1/person"])
    assert metrics(prediction(np.array([[1, 1, 0]]), np.array([[1, 1, 0]])))["f1"] == 1.0


def test_training_data_may_be_spans():
    spans = Corpus.of([["Ada"]], entities=[[(0, 1, "PER")]])
    assert NerMetrics(train=spans, evaluation=EVALUATION)(prediction(IDS))["f1"] == expected()[0].f1


def test_other_ways_to_give_the_data():
    columns = {"tokens": EVALUATION["tokens"][:], "tags": EVALUATION["ner_tags"][:]}
    exact = expected()[0]
    assert NerMetrics(evaluation=columns, labels=NAMES, metrics=["f1"])(prediction(IDS))["f1"] == exact.f1
    strings = {"tokens": columns["tokens"], "tags": [[NAMES[i] for i in row] for row in columns["tags"]]}
    assert NerMetrics(evaluation=strings, labels=NAMES, metrics=["f1"])(prediction(IDS))["f1"] == exact.f1
    renamed = EVALUATION.rename_columns({"tokens": "w", "ner_tags": "t"})
    assert NerMetrics(evaluation=renamed, tokens="w", tags="t", metrics=["f1"])(prediction(IDS))["f1"] == exact.f1
    with pytest.raises(CleancutError, match="give the evaluation set"):
        NerMetrics(train=TRAIN)
    with pytest.raises(CleancutError, match="not spans"):
        NerMetrics(evaluation=Corpus.of([["a"]], entities=[[]]), labels=NAMES)
    with pytest.raises(CleancutError, match="give the evaluation set"):
        NerMetrics(train=TRAIN, evaluation={})
    with pytest.raises(CleancutError, match="give labels=, the model's label names"):
        NerMetrics(evaluation=strings)
    with pytest.raises(CleancutError, match="there is no 'O' among the labels"):
        NerMetrics(evaluation={"tokens": [["a"]], "tags": [["B-X"]]}, labels=["B-X"])
    with pytest.raises(CleancutError, match="no words among tokens"):
        NerMetrics(evaluation=columns, labels=NAMES, tokens="words")
    with pytest.raises(CleancutError, match="float64. do not fit"):
        NerMetrics(evaluation=EVALUATION, metrics=["f1"])(prediction(IDS * 1.1))


@pytest.mark.trainer
def test_a_real_trainer_logs_what_a_direct_computation_gives():
    spec = importlib.util.spec_from_file_location("trainer_example", ROOT / "examples" / "trainer.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    kept = {}
    original = NerMetrics.__call__

    def recording(self, given):
        kept["logits"], kept["labels"] = given.predictions, given.label_ids
        return original(self, given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NerMetrics, "__call__", recording)
        log = example.train(n_samples=120, max_steps=4, eval_steps=2)
    entries = [entry for entry in log if "eval_f1" in entry]
    assert len(entries) == 2
    dd = example.splits(120)
    names = dd["train"].features["ner_tags"].feature.names
    gold, shown = from_dataset(dd["validation"]), Exposure.of(from_dataset(dd["train"]))
    ids = kept["logits"].argmax(-1)
    pred = gold.with_predictions([[names[i] for i in row[keep]] for row, keep in zip(ids, kept["labels"] != -100)])
    last = entries[-1]
    assert last["eval_f1"] == exact_f1(gold, pred).f1
    score = clean_f1(gold, pred, shown)
    assert last["eval_clean_recall"] == score.clean_recall and last["eval_delta_f1"] == score.delta_f1
    assert last["eval_hardeval"] == pytest.approx(hardeval(gold, pred, shown).hardeval, nan_ok=True)
    assert last["eval_memorisation_f1"] == score.memorisation_f1
