"""NerMetrics: the same values as a direct computation, in any shape a Trainer gives, in a real Trainer."""

import importlib.util
import json
import re
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import datasets
import numpy as np
import pytest
from hub import Hub

from cleancut import CleancutError, Corpus, Exposure, clean_f1, exact_f1, from_dataset, hardeval, partial_f1
from cleancut.hub.staging import files_of_space, stage
from cleancut.trainer import DEFAULT, NerMetrics

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


def test_without_training_data_precision_recall_and_f1_are_logged():
    exact = expected()[0]
    assert NerMetrics(evaluation=EVALUATION)(prediction(IDS)) == {
        "precision": exact.precision, "recall": exact.recall, "f1": exact.f1,
    }  # fmt: skip
    assert set(NerMetrics(TRAIN, EVALUATION).metrics) == set(DEFAULT)


def test_of_a_dataset_dict_the_split_train_is_the_training_data():
    dd = datasets.DatasetDict(train=TRAIN, validation=EVALUATION)
    of_train = NerMetrics(train=TRAIN, evaluation=EVALUATION)(prediction(IDS))
    found = NerMetrics(train=dd, evaluation=EVALUATION)(prediction(IDS))
    assert str(found) == str(of_train) and found["clean_recall"] > 0  # with validation as training data, all is seen
    assert str(NerMetrics(train={"a": TRAIN}, evaluation=EVALUATION)(prediction(IDS))) == str(of_train)
    with pytest.raises(CleancutError, match="which of 'a', 'b' is the training data"):
        NerMetrics(train={"a": TRAIN, "b": EVALUATION}, evaluation=EVALUATION)
    several = NerMetrics(train=[TRAIN, EVALUATION], evaluation=EVALUATION, metrics=["n_clean"])
    assert several(prediction(IDS)) == {"n_clean": 0.0}
    shown = Exposure.of(TRAIN, case=False)
    uncased = NerMetrics(train=shown, evaluation=EVALUATION, metrics=["clean_f1"])
    assert uncased(prediction(IDS))["clean_f1"] == of_train["clean_f1"]
    with pytest.raises(CleancutError, match="the index has the key surface.type,uncased"):
        NerMetrics(train=shown, evaluation=EVALUATION, typed=False)


def test_an_error_about_other_rows_names_the_argument_for_them():
    with pytest.raises(CleancutError, match=r'belongs to evaluation=\{"validation": ..., "test": ...\}'):
        NerMetrics(TRAIN, EVALUATION)(prediction(IDS[:2], LABELS[:2]))


@pytest.mark.parametrize("form", ["arrays", "tuples"])
def test_batches_that_were_not_put_together(form):
    logits, labels = [LOGITS[:2], LOGITS[2:, :3]], [LABELS[:2], LABELS[2:, :3]]
    given = logits if form == "arrays" else [(batch, np.zeros(1)) for batch in logits]
    metrics = NerMetrics(TRAIN, EVALUATION)
    assert str(metrics(prediction(given, labels))) == str(metrics(prediction(LOGITS)))
    with pytest.raises(CleancutError, match="2 batches of gold labels but 1 batches of predictions"):
        metrics(prediction(logits[:1], labels))


def test_batches_one_by_one():
    metrics = NerMetrics(TRAIN, EVALUATION)
    whole = metrics(prediction(LOGITS))
    for _ in range(2):  # the second evaluation knows nothing of the first
        assert metrics(prediction(LOGITS[:2], LABELS[:2]), compute_result=False) == {}
        assert str(metrics(prediction(LOGITS[2:, :3], LABELS[2:, :3]), compute_result=True)) == str(whole)


class Arguments:
    """Of a Trainer's arguments, what chooses the best checkpoint."""

    def __init__(self, metric, greater):
        self.metric_for_best_model, self.greater_is_better = metric, greater


class Caller:
    """What calls as a Trainer does."""

    def __init__(self, args):
        self.args = args

    def evaluate(self, metrics):
        return metrics(prediction(IDS))


@pytest.mark.parametrize(
    "name", ["hardeval", "eval_hardeval", "eval_validation_hardeval", "ter_unseen", "eval_ter_diff"]
)
def test_an_error_rate_is_not_taken_for_a_score(name):
    metrics = NerMetrics(TRAIN, EVALUATION)
    with pytest.raises(CleancutError, match="the worst checkpoint would be kept. Give .*greater_is_better=False"):
        Caller(Arguments(name, True)).evaluate(metrics)
    assert Caller(Arguments(name, False)).evaluate(metrics)
    assert Caller(Arguments("clean_f1", True)).evaluate(metrics) and Caller(Arguments(None, None)).evaluate(metrics)
    assert Caller(Arguments(name, True)).evaluate(NerMetrics(evaluation=EVALUATION))  # it does not compute it


def test_all_columns_can_be_named():
    renamed = {"tokens": "w", "ner_tags": "t"}
    spans = datasets.Dataset.from_dict({"w": [["Ada", "spoke"]], "s": [[{"start": 0, "end": 0, "label": "PER"}]]})
    rows = EVALUATION.rename_columns(renamed)
    given = {"tokens": "w", "tags": "t", "document": "d", "scheme": "iob2"}
    with_documents = rows.add_column("d", ["x", "x", "y"])
    train = TRAIN.rename_columns(renamed).add_column("d", ["z"])
    found = NerMetrics(train, with_documents, **given)(prediction(IDS))
    assert str(found) == str(NerMetrics(TRAIN, EVALUATION)(prediction(IDS)))
    of_spans = Exposure.of(from_dataset(spans, tokens="w", entities="s", end="inclusive"))
    assert str(NerMetrics(of_spans, EVALUATION)(prediction(IDS))) == str(found)
    columns = {"w": [["Ada", "spoke"]], "s": [[(0, 1, "PER")]]}
    both = {"w": EVALUATION["tokens"][:], "t": EVALUATION["ner_tags"][:]}
    named = NerMetrics(columns, both, labels=NAMES, tokens="w", tags="t", entities="s")
    assert str(named(prediction(IDS))) == str(found)
    with pytest.raises(CleancutError, match="text='x' is for datasets"):
        NerMetrics(columns, both, labels=NAMES, tokens="w", tags="t", entities="s", text="x")


# --- a real Trainer ---------------------------------------------------------------------------------------------


def example():
    spec = importlib.util.spec_from_file_location("trainer_example", ROOT / "examples" / "trainer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Setup:
    """A tiny model that is not trained, its tokenizer and its data."""

    def __init__(self):
        import transformers

        self.module = example()
        transformers.set_seed(13)
        self.dd = self.module.splits(120)
        self.names = self.dd["train"].features["ner_tags"].feature.names
        self.tokenizer = self.module.sub_word_tokenizer({w for row in self.dd["train"]["tokens"] for w in row})
        self.tokenised = {name: self.module.tokenised(part, self.tokenizer) for name, part in self.dd.items()}
        self.model = self.module.small_model(len(self.tokenizer), self.names)

    def trainer(self, metrics, folder, **arguments):
        import transformers

        usual = {"report_to": [], "use_cpu": True, "disable_tqdm": True, "per_device_eval_batch_size": 5}
        return transformers.Trainer(
            model=self.model,
            args=transformers.TrainingArguments(str(folder), **usual, **arguments),
            train_dataset=self.tokenised["train"],
            eval_dataset=self.tokenised["validation"],
            data_collator=transformers.DataCollatorForTokenClassification(self.tokenizer),
            compute_metrics=metrics,
        )


@pytest.fixture(scope="module")
def setup():
    return Setup()


def scores(metrics, prefix="eval"):
    """What was scored, without the times."""
    return {name: value for name, value in metrics.items() if name.removeprefix(f"{prefix}_") in DEFAULT}


@pytest.mark.trainer
@pytest.mark.slow
def test_a_trainer_passes_batches_in_each_of_its_ways(setup, tmp_path):
    metrics = NerMetrics(train=setup.dd, evaluation=setup.dd["validation"])
    whole = setup.trainer(metrics, tmp_path).evaluate()
    assert len(scores(whole)) == len(DEFAULT)
    for option in ({"eval_do_concat_batches": False}, {"batch_eval_metrics": True}):
        trainer = setup.trainer(metrics, tmp_path, **option)
        assert str(scores(trainer.evaluate())) == str(scores(whole)), option
        assert str(scores(trainer.evaluate())) == str(scores(whole)), option


@pytest.mark.trainer
@pytest.mark.slow
def test_a_trainer_predicts_further_sets_or_is_told_how(setup, tmp_path):
    sets = {"validation": setup.dd["validation"], "test": setup.dd["test"]}
    trainer = setup.trainer(NerMetrics(train=setup.dd["train"], evaluation=sets), tmp_path)
    assert len(scores(trainer.predict(setup.tokenised["test"]).metrics, "test")) == len(DEFAULT)
    trainer = setup.trainer(NerMetrics(train=setup.dd["train"], evaluation=setup.dd["validation"]), tmp_path)
    with pytest.raises(CleancutError, match='belongs to evaluation={"validation": ..., "test": ...}'):
        trainer.predict(setup.tokenised["test"])


@pytest.mark.trainer
@pytest.mark.slow
def test_a_trainer_does_not_keep_the_checkpoint_with_most_errors(setup, tmp_path):
    metrics = NerMetrics(train=setup.dd["train"], evaluation=setup.dd["validation"])
    best = {"metric_for_best_model": "hardeval"}
    with pytest.raises(CleancutError, match="greater_is_better=False"):
        setup.trainer(metrics, tmp_path, **best).evaluate()
    with pytest.raises(CleancutError, match="greater_is_better=False"):  # also behind a function of one's own
        setup.trainer(lambda given: metrics(given), tmp_path, **best).evaluate()
    assert setup.trainer(metrics, tmp_path, **best, greater_is_better=False).evaluate()
    assert setup.trainer(metrics, tmp_path, metric_for_best_model="clean_f1").evaluate()


@pytest.mark.trainer
@pytest.mark.slow
def test_the_recipes_run_as_they_stand(tmp_path):
    """In a program of their own, with the module from a Hub."""
    guide, readme = (
        re.findall(r"^```py\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.M | re.S)
        for page in ("docs/guides/trainer.md", "README.md")
    )
    assert len(guide) == 2 and "NerMetrics(" in guide[0] and "my-org/clean_f1" in guide[1]
    of_readme = next(code for code in readme if "my-org/clean_f1" in code)
    wanted = [*guide, of_readme, "trainer.compute_metrics = compute_metrics"]
    (space,) = stage(["clean_f1"], tmp_path / "spaces")
    script = tmp_path / "script.py"
    script.write_text("\n".join([RECIPE.format(tests=str(ROOT / "tests")), *wanted, RECIPE_END]), encoding="utf-8")
    with Hub() as hub:
        hub.put("space", "my-org/clean_f1", files_of_space(space))
        environment = hub.environment(tmp_path / "home") | {"OMP_NUM_THREADS": "1"}
        settings = {"env": environment, "cwd": tmp_path, "capture_output": True, "text": True}
        done = subprocess.run([sys.executable, str(script)], **settings)
    assert done.returncode == 0, done.stderr[-3000:]
    of_module, of_metrics = json.loads(done.stdout.splitlines()[-1])
    assert of_module == of_metrics and of_module[0] > 0


RECIPE = """
import sys
sys.path.insert(0, {tests!r})
import transformers
from test_trainer import Setup
from cleancut.trainer import NerMetrics
setup = Setup()
dd, tokenised, model = setup.dd, setup.tokenised, setup.model
collator = transformers.DataCollatorForTokenClassification(setup.tokenizer)
setup.trainer(None, "before", max_steps=50, learning_rate=1e-2, per_device_train_batch_size=16).train()
"""
"""What a reader has before the recipe: here, a model that has learned something."""
RECIPE_END = """
import json
of_module = trainer.evaluate()
trainer.compute_metrics = NerMetrics(train=dd["train"], evaluation=dd["validation"])
of_metrics = trainer.evaluate()
print(json.dumps([[one[f"eval_{name}"] for name in ("f1", "clean_f1", "delta_f1")] for one in (of_module, of_metrics)]))
"""
"""The module says what NerMetrics says."""


@pytest.mark.trainer
@pytest.mark.slow
def test_a_real_trainer_logs_what_a_direct_computation_gives():
    calls = []
    original, module = NerMetrics.__call__, example()

    def recording(self, given):
        calls.append({"logits": given.predictions, "labels": given.label_ids})
        return original(self, given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NerMetrics, "__call__", recording)
        log = module.train(n_samples=120, max_steps=4, eval_steps=2)
    kept = calls[-2]  # the last is that of the test set
    assert "test_clean_f1" in log[-1]
    entries = [entry for entry in log if "eval_f1" in entry]
    assert len(entries) == 2
    dd = module.splits(120)
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
