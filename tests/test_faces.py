"""The evaluate modules: any form, batches, processes, combine, save, evaluator; the same dictionary as the function."""

import json
import multiprocessing
from pathlib import Path

import evaluate
import numpy as np
import pytest

import cleancut
from cleancut import CleancutError
from cleancut.faces import KEYWORDS

ROOT = Path(__file__).resolve().parents[1]
FUNCTIONS = {name: getattr(cleancut, name) for name in KEYWORDS}
GOLD = [["B-PER", "I-PER", "O"], ["O"], ["B-LOC", "O"]]
PRED = [["B-PER", "O", "O"], ["B-LOC"], ["B-LOC", "O"]]
NAMES = ["O", "B-PER", "I-PER", "B-LOC"]
IDS = [[[NAMES.index(t) for t in s] for s in side] for side in (GOLD, PRED)]
SPANS = [cleancut.Mentions.of(side).spans() for side in (GOLD, PRED)]


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


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("keep_in_memory", [False, True])
def test_the_same_dictionary_as_the_function(form, keep_in_memory, name, tmp_path):
    gold, pred, options = FORMS[form]
    metric = evaluate.load(cleancut.metric(name), cache_dir=str(tmp_path), keep_in_memory=keep_in_memory)
    expected = FUNCTIONS[name](gold, pred, **options).to_dict()
    assert metric.compute(predictions=pred, references=gold, **options) == expected
    assert metric.compute(predictions=pred, references=gold, **options) == expected  # and again


@pytest.mark.parametrize("form", ["strings", "ids", "spans", "arrays"])
def test_batches_and_single_samples_add_up(form, metric, name):
    gold, pred, options = FORMS[form]
    expected = FUNCTIONS[name](gold, pred, **options).to_dict()
    metric.add_batch(predictions=[[]], references=[[]])  # says nothing of the form
    metric.add_batch(predictions=pred[:1], references=gold[:1])
    metric.add_batch(predictions=[], references=[])
    for p, g in zip(pred[1:], gold[1:], strict=True):
        metric.add(prediction=p, reference=g)
    assert len(metric) == 4
    assert metric.compute(**options) == expected


def test_tokens_are_kept_with_their_batches(metric):
    for i, sample in enumerate(GOLD):
        metric.add_batch(predictions=[PRED[i]], references=[sample], tokens=[["w"] * len(sample)])
    assert metric.compute()["n_gold"] == 2
    with pytest.raises(CleancutError, match="gold sample 0: 2 tokens but 3 tags"):
        metric.compute(predictions=PRED, references=GOLD, tokens=[["a", "b"], ["c"], ["d", "e"]])
    metric.add_batch(predictions=[["O"]], references=[["O"]], tokens=[["a"]])
    metric.add_batch(predictions=[["O"]], references=[["O"]])
    with pytest.raises(CleancutError, match="some batches came with tokens"):
        metric.compute()


def test_options_may_be_given_once_when_loading(name, tmp_path):
    metric = evaluate.load(cleancut.metric(name), cache_dir=str(tmp_path), labels=NAMES, repair="discard")
    result = metric.compute(predictions=IDS[1], references=IDS[0])
    assert "repair:discard" in result["signature"]
    assert "repair:conlleval" in metric.compute(predictions=IDS[1], references=IDS[0], repair="conlleval")["signature"]


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


def test_keywords_of_other_modules_are_ignored(metric):
    assert metric.compute(predictions=PRED, references=GOLD, credit=0.5, keys="cleancut")["n_gold"] == 2


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
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_and_leaves_the_module_usable(case, metric):
    pred, gold, message = BAD[case]
    with pytest.raises(CleancutError, match=message):
        metric.compute(predictions=pred, references=gold)
    assert metric.compute(predictions=PRED, references=GOLD)["n_gold"] == 2


def test_forms_may_not_change_between_batches(metric):
    metric.add_batch(predictions=PRED, references=GOLD)
    metric.add_batch(predictions=SPANS[1], references=SPANS[0])
    with pytest.raises(CleancutError, match="predictions came as tags and spans"):
        metric.compute()
    with pytest.raises(CleancutError, match="nothing to score"):
        metric.compute()


def test_combine(tmp_path):
    both = evaluate.combine(
        [evaluate.load(cleancut.metric(n), cache_dir=str(tmp_path), keep_in_memory=True) for n in sorted(KEYWORDS)]
    )
    result = both.compute(predictions=PRED, references=GOLD, credit=0.25)
    assert result["f1"] == cleancut.exact_f1(GOLD, PRED).f1
    assert result["f1_left"] == cleancut.partial_f1(GOLD, PRED, credit=0.25).f1_left
    both.add_batch(predictions=PRED, references=GOLD)
    both.add(prediction=["O"], reference=["O"])
    assert both.compute()["f1"] == result["f1"]


def test_save(metric, tmp_path):
    result = metric.compute(predictions=PRED, references=GOLD)
    path = evaluate.save(tmp_path / "result.json", **result)
    saved = json.loads(Path(path).read_text())
    assert {k: saved[k] for k in result} == result


def test_seqeval_keys_swap_one_line(tmp_path):
    metric = evaluate.load(cleancut.metric("exact_f1"), cache_dir=str(tmp_path))
    result = metric.compute(predictions=PRED, references=GOLD, keys="seqeval")
    assert result["PER"]["number"] == 1 and result["overall_accuracy"] == 4 / 6


def _process(process_id, path, cache, queue):
    part = slice(process_id, None, 2)
    metric = evaluate.load(path, num_process=2, process_id=process_id, cache_dir=cache, experiment_id="test")
    tokens = [["w"] * len(s) for s in GOLD[part]]
    result = metric.compute(predictions=PRED[part], references=GOLD[part], tokens=tokens)
    queue.put((process_id, result))


def test_distributed_processes_gather_all_samples(name, tmp_path):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    workers = [
        context.Process(target=_process, args=(i, cleancut.metric(name), str(tmp_path), queue)) for i in range(2)
    ]
    for worker in workers:
        worker.start()
    results = dict(queue.get(timeout=120) for _ in workers)
    for worker in workers:
        worker.join()
    expected = FUNCTIONS[name](GOLD, PRED).to_dict()
    assert results[1] is None
    assert results[0] == expected


def test_evaluator_with_a_model_and_a_tokenizer(name, tmp_path):
    torch = pytest.importorskip("torch", reason="torch is in the extra 'trainer'")
    transformers = pytest.importorskip("transformers")
    import datasets
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
    tokens = [["Ada", "King", "spoke"], ["slept"], ["Oslo", "slept"]]
    data = datasets.Dataset.from_dict({"tokens": tokens, "ner_tags": IDS[0]}, features=features)
    metric = evaluate.load(cleancut.metric(name), cache_dir=str(tmp_path))
    result = evaluate.evaluator("token-classification").compute(
        model_or_pipeline=model, tokenizer=tokenizer, data=data, metric=metric
    )
    with torch.no_grad():
        logits = [model(**tokenizer(t, is_split_into_words=True, return_tensors="pt")).logits[0] for t in tokens]
    pred = [[NAMES[i] for i in row.argmax(-1)] for row in logits]
    expected = FUNCTIONS[name](GOLD, pred).to_dict()
    assert {k: result[k] for k in expected} == expected


def test_the_modules_hold_no_arithmetic(name):
    source = (ROOT / "metrics" / name / f"{name}.py").read_text()
    body = source.split("def _compute")[1]
    assert body.count("\n") <= 3
