"""The evaluate modules: any form, batches, processes, combine, save, evaluator; the same dictionary as the function."""

import json
import multiprocessing
from pathlib import Path

import datasets
import evaluate
import numpy as np
import pytest

import cleancut
from cleancut import CleancutError, Exposure
from cleancut.scoring.registry import metrics

ROOT = Path(__file__).resolve().parents[1]
KEYWORDS = {name: metric.keywords for name, metric in metrics().items()}
TRAIN = {"tokens": [["a", "b", "x"], ["c"]], "tags": [["B-PER", "I-PER", "O"], ["B-LOC"]]}
TOKENS = [["a", "b", "x"], ["y"], ["new", "c"]]


def extra(name, rows=slice(None)):
    """What a module needs beside predictions and references."""
    needs_train = "train" in KEYWORDS[name]
    return {"tokens": TOKENS[rows], "train": TRAIN} if needs_train else {}


def direct(name, gold, pred, rows=slice(None), **options):
    """The function that the module must agree with."""
    given, function = extra(name, rows), cleancut.buckets if name == "bucket_f1" else getattr(cleancut, name)
    if given:
        train = cleancut.Corpus.of(given.pop("train")["tokens"], tags=TRAIN["tags"])
        return function(gold, pred, cleancut.Exposure.of(train), **given, **options).to_dict()
    return function(gold, pred, **options).to_dict()


def same(a, b):
    return a.keys() == b.keys() and all(x == y or (x != x and y != y) for x, y in zip(a.values(), b.values()))


GOLD = [["B-PER", "I-PER", "O"], ["O"], ["B-LOC", "O"]]
PRED = [["B-PER", "O", "O"], ["B-LOC"], ["B-LOC", "O"]]
NAMES = ["O", "B-PER", "I-PER", "B-LOC"]
IDS = [[[NAMES.index(t) for t in s] for s in side] for side in (GOLD, PRED)]
SPANS = [cleancut.Mentions.of(side).spans() for side in (GOLD, PRED)]


QUICK = ["exact_f1", "clean_f1"]
"""One module without training data and one with it: what all inherit is tried on these where nothing slow runs."""


@pytest.fixture(params=sorted(KEYWORDS))
def name(request):
    return request.param


@pytest.fixture
def metric(name, tmp_path):
    return evaluate.load(cleancut.metric(name), cache_dir=str(tmp_path))


def test_every_folder_is_a_module_and_known(name):
    folders = {path.name for path in (ROOT / "metrics").iterdir() if (path / f"{path.name}.py").exists()}
    assert folders == set(KEYWORDS)
    assert Path(cleancut.metric(name)) == ROOT / "metrics" / name
    with pytest.raises(CleancutError, match="Did you mean exact_f1"):
        cleancut.metric("exact_f")


FORMS = {
    "strings": (GOLD, PRED, {}),
    "ids": (*IDS, {"labels": NAMES}),
    "arrays": (*([np.array(s) for s in side] for side in IDS), {"labels": NAMES}),
    "spans": (*SPANS, {}),
    "triples": (*([[tuple(s.values()) for s in row] for row in side] for side in SPANS), {}),
    "padded": (
        np.array([[1, 2, 0], [0, -100, -100], [3, 0, -100]]),
        np.array([[1, 0, 0], [3, 1, 1], [3, 0, 1]]),
        {"labels": NAMES},
    ),
    "strings and spans": (GOLD, SPANS[1], {}),
    "no mention in the first row": (SPANS[0][1:], SPANS[1][1:], {}),
    "nothing at all": ([[], []], [[], []], {}),
}


ROWS = {"no mention in the first row": slice(1, None), "nothing at all": slice(0, 2)}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("keep_in_memory", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_same_dictionary_as_the_function(form, keep_in_memory, name, tmp_path):
    gold, pred, options = FORMS[form]
    metric = evaluate.load(cleancut.metric(name), cache_dir=str(tmp_path), keep_in_memory=keep_in_memory)
    rows = ROWS.get(form, slice(None))
    expected = direct(name, gold, pred, rows, **options)
    assert same(metric.compute(predictions=pred, references=gold, **options, **extra(name, rows)), expected)
    assert same(
        metric.compute(predictions=pred, references=gold, **options, **extra(name, rows)), expected
    )  # and again


@pytest.mark.parametrize("form", ["strings", "ids", "spans", "arrays"])
def test_batches_and_single_samples_add_up(form, metric, name):
    gold, pred, options = FORMS[form]
    expected = direct(name, gold, pred, **options)
    tokens = extra(name).get("tokens")

    def words(rows):
        return {"tokens": tokens[rows]} if tokens else {}

    metric.add_batch(predictions=[[]], references=[[]], **({"tokens": [[]]} if tokens else {}))  # of any form
    metric.add_batch(predictions=pred[:1], references=gold[:1], **words(slice(0, 1)))
    metric.add_batch(predictions=[], references=[], **words(slice(0, 0)))
    for i in range(1, len(gold)):
        metric.add(prediction=pred[i], reference=gold[i], **words(i))
    assert len(metric) == 4
    train = {"train": TRAIN} if tokens else {}
    assert same(metric.compute(**options, **train), expected)


def test_tokens_are_kept_with_their_batches(name, metric):
    train = {"train": TRAIN} if "train" in KEYWORDS[name] else {}
    for i, sample in enumerate(GOLD):
        metric.add_batch(predictions=[PRED[i]], references=[sample], tokens=[TOKENS[i]])
    assert same(metric.compute(**train), direct(name, GOLD, PRED))
    with pytest.raises(CleancutError, match="gold sample 0: 2 tokens but 3 tags"):
        metric.compute(predictions=PRED, references=GOLD, tokens=[["a", "b"], ["c"], ["d", "e"]], **train)
    metric.add_batch(predictions=[["O"]], references=[["O"]], tokens=[["a"]])
    metric.add_batch(predictions=[["O"]], references=[["O"]])
    with pytest.raises(CleancutError, match="some batches came with tokens"):
        metric.compute(**train)


def test_options_may_be_given_once_when_loading(name, tmp_path):
    metric = evaluate.load(cleancut.metric(name), cache_dir=str(tmp_path), labels=NAMES, repair="discard")
    given = {"predictions": IDS[1], "references": IDS[0], **extra(name)}
    assert "repair:discard" in metric.compute(**given)["signature"]
    assert "repair:conlleval" in metric.compute(**given, repair="conlleval")["signature"]


@pytest.mark.parametrize("name", ["clean_f1", "hardeval"])
def test_training_data_may_be_given_once_when_loading(name, tmp_path):
    metric = evaluate.load(cleancut.metric(name), cache_dir=str(tmp_path), train=TRAIN)
    expected = direct(name, GOLD, PRED)
    for _ in range(2):
        assert same(metric.compute(predictions=PRED, references=GOLD, tokens=TOKENS), expected)
    spans = {"tokens": TRAIN["tokens"], "entities": cleancut.Mentions.of(TRAIN["tags"]).spans()}
    assert same(metric.compute(predictions=PRED, references=GOLD, tokens=TOKENS, train=spans), expected)
    halves = [{key: column[i : i + 1] for key, column in TRAIN.items()} for i in range(2)]
    assert same(metric.compute(predictions=PRED, references=GOLD, tokens=TOKENS, train=halves), expected)


def training_datasets() -> dict:
    """The training data as objects of the library datasets, in every form that a module takes."""
    ids = {"tokens": TRAIN["tokens"], "ner_tags": [[NAMES.index(tag) for tag in row] for row in TRAIN["tags"]]}
    names = datasets.Features(
        {"tokens": datasets.List(datasets.Value("string")), "ner_tags": datasets.List(datasets.ClassLabel(names=NAMES))}
    )
    labelled = datasets.Dataset.from_dict(ids, features=names)
    strings = datasets.Dataset.from_dict(TRAIN)
    spans = cleancut.Mentions.of(TRAIN["tags"]).spans()
    return {
        "label ids": labelled,
        "label ids as numpy": labelled.with_format("numpy"),
        "rows chosen": datasets.concatenate_datasets([labelled, labelled]).select([3, 0]),
        "beside other columns": labelled.add_column("pos_tags", [[0, 0, 0], [0]]),
        "strings": strings,
        "spans": datasets.Dataset.from_dict({"tokens": TRAIN["tokens"], "entities": spans}),
        "splits": datasets.DatasetDict(train=labelled, test=strings.select([])),
        "several": [strings.select([0]), labelled.select([1])],
        "plain columns, ner_tags": {"tokens": TRAIN["tokens"], "ner_tags": TRAIN["tags"]},
    }


@pytest.mark.parametrize("form", training_datasets())
def test_training_data_may_be_a_dataset(form, tmp_path):
    metric = evaluate.load(cleancut.metric("clean_f1"), cache_dir=str(tmp_path), train=training_datasets()[form])
    for side in (IDS, (GOLD, PRED)):  # the names of the training ids are its own, whatever is scored
        labels = {"labels": NAMES} if side is IDS else {}
        result = metric.compute(predictions=side[1], references=side[0], tokens=TOKENS, **labels)
        assert same(result, direct("clean_f1", GOLD, PRED))


OTHER_SCHEMAS = {
    "no tokens": ({"text": ["Ada ran"]}, "got text. .*cleancut.from_dataset"),
    "other names": ({"words": [["Ada"]], "ner": [["B-PER"]]}, "got ner, words. .*cleancut.from_dataset"),
    "two annotations": ({**TRAIN, "ner_tags": TRAIN["tags"]}, "several columns of annotation, tags and ner_tags"),
    "characters or tokens": (
        {"tokens": [["Ada"]], "text": ["Ada"], "entities": [[{"start": 0, "end": 3, "label": "PER"}]]},
        "count the tokens or the characters of text. .*cleancut.from_dataset",
    ),
}


@pytest.mark.parametrize("schema", OTHER_SCHEMAS)
def test_training_data_of_another_schema_is_refused_with_the_remedy(schema, tmp_path):
    columns, said = OTHER_SCHEMAS[schema]
    metric = evaluate.load(cleancut.metric("clean_f1"), cache_dir=str(tmp_path))
    for train in (columns, datasets.Dataset.from_dict(columns)):
        with pytest.raises(CleancutError, match=said):
            metric.compute(predictions=PRED, references=GOLD, tokens=TOKENS, train=train)


def test_training_data_without_a_training_split_or_streamed_is_refused(tmp_path):
    metric = evaluate.load(cleancut.metric("clean_f1"), cache_dir=str(tmp_path))
    given = {"predictions": PRED, "references": GOLD, "tokens": TOKENS}
    with pytest.raises(CleancutError, match="no split train, only dev, test"):
        rows = datasets.Dataset.from_dict(TRAIN)
        metric.compute(**given, train=datasets.DatasetDict(dev=rows, test=rows))
    with pytest.raises(CleancutError, match="can be read only once"):
        metric.compute(**given, train=datasets.Dataset.from_dict(TRAIN).to_iterable_dataset())


def test_training_data_that_grows_is_indexed_again(tmp_path):
    train = {"tokens": [["zz"]], "tags": [["O"]]}
    metric = evaluate.load(cleancut.metric("clean_f1"), cache_dir=str(tmp_path), train=train)
    given = {"predictions": PRED, "references": GOLD, "tokens": TOKENS}
    assert metric.compute(**given)["n_contaminated"] == 0
    train["tokens"].append(["a", "b"])
    train["tags"].append(["B-PER", "I-PER"])
    assert metric.compute(**given)["n_contaminated"] == 1


@pytest.mark.parametrize("name", [name for name, metric in metrics().items() if metric.takes_train])
def test_training_data_that_is_corrected_in_place_is_indexed_again(name, tmp_path):
    train = {"tokens": [list(words) for words in TRAIN["tokens"]], "tags": [["O", "O", "O"], ["B-LOC"]]}
    metric = evaluate.load(cleancut.metric(name), cache_dir=str(tmp_path), train=train)
    given = {"predictions": PRED, "references": GOLD, "tokens": TOKENS}
    before = metric.compute(**given)
    train["tags"][0][:2] = TRAIN["tags"][0][:2]  # of the same sizes, in the same lists
    after = metric.compute(**given)
    assert before["signature"] != after["signature"]
    assert same(after, direct(name, GOLD, PRED))
    names = ["O", "B-LOC", "I-PER", "B-PER"]  # and so are the names of label ids
    ids = {"tokens": TRAIN["tokens"], "tags": [[1, 2, 0], [3]]}
    given = {"predictions": IDS[1], "references": IDS[0], "tokens": TOKENS, "train": ids, "labels": names}
    wrong = metric.compute(**given)
    names[:] = NAMES
    assert wrong["signature"] != after["signature"]
    assert same(metric.compute(**given), after)


def test_an_index_is_kept_while_the_training_data_are_the_same(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(Exposure, "of", lambda *given, of=Exposure.of, **key: made.append(1) or of(*given, **key))
    metric = evaluate.load(cleancut.metric("clean_f1"), cache_dir=str(tmp_path))
    given = {"predictions": PRED, "references": GOLD, "tokens": TOKENS}
    for train in (TRAIN, TRAIN, {name: list(column) for name, column in TRAIN.items()}):
        metric.compute(**given, train=train)
    assert len(made) == 1
    metric.compute(**given, train=TRAIN, case=False)
    assert len(made) == 2


def test_training_columns_that_can_be_read_once_are_refused(tmp_path):
    metric = evaluate.load(cleancut.metric("clean_f1"), cache_dir=str(tmp_path))
    train = {"tokens": iter(TRAIN["tokens"]), "tags": TRAIN["tags"]}
    with pytest.raises(CleancutError, match="train: tokens can be read only once"):
        metric.compute(predictions=PRED, references=GOLD, tokens=TOKENS, train=train)


def test_the_scheme_of_a_call_is_not_that_of_the_training_data(tmp_path):
    metric = evaluate.load(cleancut.metric("clean_f1"), cache_dir=str(tmp_path))
    tags = [["B-PER", "E-PER", "O"], ["O"], ["S-LOC", "O"]]
    result = metric.compute(
        predictions=tags, references=tags, tokens=TOKENS, train=TRAIN, scheme="bioes", repair="discard"
    )
    assert result["n_contaminated"] == 1


@pytest.mark.parametrize("name", ["clean_f1", "hardeval"])
def test_missing_training_data_and_words_are_named(name, tmp_path):
    metric = evaluate.load(cleancut.metric(name), cache_dir=str(tmp_path))
    with pytest.raises(CleancutError, match=f"{name} needs training data: give train="):
        metric.compute(predictions=PRED, references=GOLD, tokens=TOKENS)
    with pytest.raises(CleancutError, match=f"{name} needs the words of the samples. Give tokens="):
        metric.compute(predictions=PRED, references=GOLD, train=TRAIN)
    with pytest.raises(CleancutError, match="train must have the columns tokens and tags"):
        metric.compute(predictions=PRED, references=GOLD, tokens=TOKENS, train={"text": ["a"]})
    with pytest.raises(CleancutError, match="train must have the columns tokens and tags"):
        metric.compute(predictions=PRED, references=GOLD, tokens=TOKENS, train=cleancut.Exposure())
    with pytest.raises(CleancutError, match="training sample 0"):
        metric.compute(
            predictions=PRED, references=GOLD, tokens=TOKENS, train={"tokens": [["a"]], "tags": [["O", "O"]]}
        )


def test_unknown_configurations_and_keywords_raise(metric, name):
    with pytest.raises(CleancutError, match="config_name='strict' is unknown"):
        evaluate.load(cleancut.metric(name), "strict")
    with pytest.raises(CleancutError, match="'shceme' is not known to any cleancut metric. Did you mean scheme"):
        evaluate.load(cleancut.metric(name), shceme="iob2")
    with pytest.raises(CleancutError, match="'modus' is not known"):
        metric.compute(predictions=PRED, references=GOLD, modus="strict")
    with pytest.raises(CleancutError, match="'modus' is not known"):
        metric.add_batch(predictions=PRED, references=GOLD, modus="strict")
    with pytest.raises(CleancutError, match="scheme goes to compute"):
        metric.add_batch(predictions=PRED, references=GOLD, scheme="iob2")


def test_keywords_of_other_modules_are_ignored(metric, name):
    every = {"credit": 0.5, "keys": "cleancut", "strict": False, "encoding": "bilou", "typed": True, "train": TRAIN}
    result = metric.compute(predictions=PRED, references=GOLD, tokens=TOKENS, **every)
    assert same(result, direct(name, GOLD, PRED))


BAD = {
    "None": ([["O", None]], [["O", "O"]], "prediction sample 0, token 1: None"),
    "-100": ([["O", -100]], [["O", "O"]], "prediction sample 0, token 1: -100 is a label id"),
    "later row": ([["O"], [1]], [["O"], ["O"]], "prediction sample 1, token 0: 1 is a label id"),
    "flat": (["O"], ["O"], "prediction sample 0: expected a list"),
    "counts": ([["O"]], [["O"], ["O"]], "1 predictions but 2 references"),
    "one side": ([["O"]], None, "references are missing"),
    "lengths": ([["O"]], [["O", "O"]], "2 gold tokens but 1 tags"),
    "span": ([[(0, 1)]], [[]], "prediction sample 0: tuple"),
    "logits": (np.zeros((1, 2, 3)), [[0, 0]], "argmax"),
    "bare": ([["PER"]], [["O"]], "scheme='io'"),
    "floats": ([[0.5]], [["O"]], "0.5"),
    "floats among ids": ([[0, 1.5]], [[0, 1]], "1.5"),
    "None first": ([[None, "O"]], [["O", "O"]], "prediction sample 0, token 0: None"),
    "nothing predicted": ([[]], [["O", "B-PER"]], "2 gold tokens but 0 tags"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in sorted(KEYWORDS)]
)
def test_bad_input_is_refused_and_leaves_the_module_usable(case, metric, name):
    pred, gold, message = BAD[case]
    train = {"train": TRAIN} if "train" in KEYWORDS[name] else {}
    with pytest.raises(CleancutError, match=message):
        metric.compute(predictions=pred, references=gold, **train)
    assert same(metric.compute(predictions=PRED, references=GOLD, **extra(name)), direct(name, GOLD, PRED))


def test_generators_are_taken(tmp_path):
    metric = evaluate.load(cleancut.metric("exact_f1"), cache_dir=str(tmp_path))
    assert metric.compute(predictions=(p for p in PRED), references=iter(GOLD)) == direct("exact_f1", GOLD, PRED)


def test_forms_may_not_change_between_batches(metric):
    metric.add_batch(predictions=PRED, references=GOLD)
    metric.add_batch(predictions=SPANS[1], references=SPANS[0])
    with pytest.raises(CleancutError, match="predictions came as tags and spans"):
        metric.compute()
    with pytest.raises(CleancutError, match="nothing to score"):
        metric.compute()


def test_combine(tmp_path):
    loaded = {n: evaluate.load(cleancut.metric(n), cache_dir=str(tmp_path), keep_in_memory=True) for n in KEYWORDS}
    both = evaluate.combine(list(loaded.values()))
    result = both.compute(predictions=PRED, references=GOLD, tokens=TOKENS, train=TRAIN, credit=0.25)
    assert result["exact_f1_f1"] == cleancut.exact_f1(GOLD, PRED).f1
    assert result["f1_left"] == cleancut.partial_f1(GOLD, PRED, credit=0.25).f1_left
    assert result["clean_f1"] == direct("clean_f1", GOLD, PRED)["clean_f1"]
    assert result["hardeval"] == direct("hardeval", GOLD, PRED)["hardeval"]
    both.add_batch(predictions=PRED, references=GOLD, tokens=TOKENS)  # evaluate does not pass tokens on here
    assert both.compute(tokens=TOKENS, train=TRAIN)["clean_f1"] == result["clean_f1"]
    two = evaluate.combine([loaded["exact_f1"], loaded["partial_f1"]])
    two.add_batch(predictions=PRED, references=GOLD)
    two.add(prediction=["O"], reference=["O"])
    assert two.compute()["f1_left"] == cleancut.partial_f1(GOLD, PRED).f1_left


def test_save(metric, tmp_path):
    result = metric.compute(predictions=PRED, references=GOLD, **extra(metric.name))
    path = evaluate.save(tmp_path / "result.json", **result)
    saved = json.loads(Path(path).read_text())
    assert same({k: saved[k] for k in result}, result)


def test_seqeval_keys_swap_one_line(tmp_path):
    metric = evaluate.load(cleancut.metric("exact_f1"), cache_dir=str(tmp_path))
    result = metric.compute(predictions=PRED, references=GOLD, keys="seqeval")
    assert result["PER"]["number"] == 1 and result["overall_accuracy"] == 4 / 6


def _process(process_id, cache, queue):
    """One of two processes: what each module computes of every second sample."""
    part, results = slice(process_id, None, 2), {}
    for name in sorted(KEYWORDS):
        place = {"cache_dir": f"{cache}/{name}", "experiment_id": "test"}
        metric = evaluate.load(cleancut.metric(name), num_process=2, process_id=process_id, **place)
        train = {"train": TRAIN} if "train" in KEYWORDS[name] else {}
        results[name] = metric.compute(predictions=PRED[part], references=GOLD[part], tokens=TOKENS[part], **train)
    queue.put((process_id, results))


@pytest.mark.slow
def test_distributed_processes_gather_all_samples(tmp_path):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    workers = [context.Process(target=_process, args=(i, str(tmp_path), queue)) for i in range(2)]
    for worker in workers:
        worker.start()
    results = dict(queue.get(timeout=600) for _ in workers)
    for worker in workers:
        worker.join()
    assert results[1] == dict.fromkeys(sorted(KEYWORDS))
    for name, result in results[0].items():
        assert same(result, direct(name, GOLD, PRED)), name


@pytest.mark.trainer
def test_evaluator_with_a_model_and_a_tokenizer(name, tmp_path):
    import datasets
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = ["[UNK]", "[PAD]", "Ada", "King", "spoke", "Oslo", "slept"]
    plain = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=plain, unk_token="[UNK]", pad_token="[PAD]")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=len(NAMES),
        id2label=dict(enumerate(NAMES)),
        label2id={n: i for i, n in enumerate(NAMES)},
    )
    model = transformers.BertForTokenClassification(config).eval()
    features = datasets.Features(
        {
            "tokens": datasets.List(datasets.Value("string")),
            "ner_tags": datasets.List(datasets.ClassLabel(names=NAMES)),
        }
    )
    tokens = TOKENS if extra(name) else [["Ada", "King", "spoke"], ["slept"], ["Oslo", "slept"]]
    data = datasets.Dataset.from_dict({"tokens": tokens, "ner_tags": IDS[0]}, features=features)
    known = {"tokens": tokens, "train": TRAIN} if extra(name) else {}
    metric = evaluate.load(cleancut.metric(name), cache_dir=str(tmp_path), **known)
    result = evaluate.evaluator("token-classification").compute(
        model_or_pipeline=model, tokenizer=tokenizer, data=data, metric=metric
    )
    with torch.no_grad():
        logits = [model(**tokenizer(t, is_split_into_words=True, return_tensors="pt")).logits[0] for t in tokens]
    pred = [[NAMES[i] for i in row.argmax(-1)] for row in logits]
    expected = direct(name, GOLD, pred)
    assert same({k: result[k] for k in expected}, expected)


def test_the_modules_hold_no_arithmetic(name):
    source = (ROOT / "metrics" / name / f"{name}.py").read_text()
    body = source.split("def _compute")[1]
    assert body.count("\n") <= 3


@pytest.mark.parametrize("n_types", [3, 300])
def test_batches_with_tags_of_their_own_score_as_the_whole(tmp_path, n_types):
    rng = np.random.default_rng(0)
    types = [f"T{i}" for i in range(n_types)]
    gold = [[f"B-{types[k % n_types]}", "O", f"I-{rng.choice(types)}"] for k in range(2 * n_types)]
    pred = [[tag if rng.random() < 0.7 else "O" for tag in sample] for sample in gold]
    metric = evaluate.load(cleancut.metric("exact_f1"), cache_dir=str(tmp_path))
    for at in range(0, len(gold), 7):
        metric.add_batch(predictions=[[], *pred[at : at + 7]], references=[[], *gold[at : at + 7]])
        metric.add_batch(predictions=[[]], references=[[]])
    assert same(metric.compute(), cleancut.exact_f1(gold, pred).to_dict())
