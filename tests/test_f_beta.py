"""F-beta: beside every F1 where beta is not 1, in results, signatures, tables, tests and orders."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, pairs

import cleancut
from cleancut import CleancutError, Corpus, Exposure
from cleancut.cli import main
from cleancut.showing.text import buckets_text
from cleancut.trainer import NerMetrics

TRAIN = Corpus.of([["Ada", "in", "Turin"]] * 3, tags=[["B-PER", "O", "B-LOC"]] * 3)
TOKENS = [["Ada", "saw", "Turin"], ["Grace", "saw", "Rome"], ["Ada", "and", "Grace"], ["Oslo", "is", "cold"]] * 10
GOLD = [["B-PER", "O", "B-LOC"], ["B-PER", "O", "B-LOC"], ["B-PER", "O", "B-PER"], ["B-LOC", "O", "O"]] * 10
PRED = [["B-PER", "O", "B-LOC"], ["O", "O", "B-LOC"], ["B-PER", "O", "O"], ["B-LOC", "B-LOC", "O"]] * 10
OTHER = [["B-PER", "O", "B-LOC"], ["B-PER", "O", "O"], ["B-PER", "B-PER", "B-PER"], ["O", "O", "B-LOC"]] * 10
CORPUS = Corpus.of(TOKENS, tags=GOLD)
SHOWN = Exposure.of(TRAIN)


def f(precision, recall, beta):
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall) if precision + recall else 0.0


@examples(40)
@given(pairs(), st.sampled_from([0.25, 0.5, 2, 3.0, 10]))
def test_f_beta_stands_beside_f1(both, beta):
    plain, score = cleancut.exact_f1(*both), cleancut.exact_f1(*both, beta=beta)
    name = f"f{beta:g}"
    assert score[name] == pytest.approx(f(score.precision, score.recall, beta))
    assert {key: score[key] for key in plain if key != "signature"} == {
        key: value for key, value in plain.items() if key != "signature"
    }
    added = set(score) - set(plain)
    assert added == {key.replace("f1", name) for key in plain if "f1" in key.partition("/")[0]}
    assert f"|beta:{float(beta)}|" in score.signature and "beta" not in plain.signature


def test_with_beta_1_nothing_changes():
    for function, given_train in (
        (cleancut.exact_f1, []),
        (cleancut.partial_f1, []),
        (cleancut.clean_f1, [SHOWN]),
        (cleancut.buckets, [SHOWN]),
    ):
        plain = function(CORPUS, PRED, *given_train, ci=50)
        same = function(CORPUS, PRED, *given_train, ci=50, beta=1)
        assert json.dumps(same.to_dict()) == json.dumps(plain.to_dict())


def test_every_f1_of_partial_and_clean_f1_has_its_f_beta():
    score = cleancut.partial_f1(GOLD, PRED, beta=2, muc=True, iou=True, ci=100)
    for mode in ("exact", "left", "right", "overlap", "iou", "muc_strict", "muc_type"):
        assert score[f"f2_{mode}"] == pytest.approx(f(score[f"precision_{mode}"], score[f"recall_{mode}"], 2))
        assert score[f"f2_{mode}_low"] <= score[f"f2_{mode}"] <= score[f"f2_{mode}_high"]
    score = cleancut.clean_f1(CORPUS, PRED, SHOWN, beta=2)
    assert score.clean_f2 == pytest.approx(f(score.precision, score.clean_recall, 2))
    assert score.contaminated_f2 == pytest.approx(f(score.precision, score.contaminated_recall, 2))
    assert score.delta_f2 == score.f2 - score.clean_f2
    assert score.clean_f2_star == pytest.approx(f(score.clean_precision, score.clean_recall, 2))
    assert score.memorisation_f2 == pytest.approx(f(score.memorisation_precision, score.memorisation_recall, 2))
    assert score["clean_f2/PER"] == pytest.approx(f(score["precision/PER"], score["clean_recall/PER"], 2))
    unseen = cleancut.clean_f1(CORPUS, PRED, Exposure.of(Corpus.of([["x"]], tags=[["B-ORG"]])), beta=2)
    group = unseen["recall_type_new_entity_new"]
    assert unseen.f2_type_new_entity_new == pytest.approx(f(unseen.precision_type_new, group, 2))


def test_of_many_recall_of_few_precision():
    score = {beta: cleancut.exact_f1(GOLD, PRED, beta=beta) for beta in (0.01, 100)}
    assert score[0.01]["f0.01"] == pytest.approx(score[0.01].precision, abs=1e-3)
    assert score[100]["f100"] == pytest.approx(score[100].recall, abs=1e-3)


def test_averages_and_the_table_are_of_f_beta():
    score = cleancut.exact_f1(GOLD, PRED, beta=2)
    types = [score[f"f2/{label}"] for label in ("LOC", "PER")]
    assert score.macro_f2 == pytest.approx(sum(types) / 2)
    assert score.weighted_f2 == pytest.approx(
        sum(value * score[f"n_gold/{label}"] for value, label in zip(types, ("LOC", "PER"), strict=True)) / score.n_gold
    )
    assert "F2" in score.table() and "F1" not in score.table() and f"{100 * score.macro_f2:.2f}" in score.table()


def test_shards_add_up_only_with_the_same_beta():
    whole = cleancut.clean_f1(CORPUS, PRED, SHOWN, beta=2, ci=100)
    halves = [slice(0, 20), slice(20, 40)]
    parts = [cleancut.clean_f1(CORPUS.select(half), PRED[half], SHOWN, beta=2, ci=100) for half in halves]
    assert json.dumps((parts[0] + parts[1]).to_dict()) == json.dumps(whole.to_dict())
    with pytest.raises(CleancutError, match="computed differently"):
        parts[0] + cleancut.clean_f1(CORPUS, PRED, SHOWN, ci=100)


def test_systems_are_compared_and_ordered_by_f_beta():
    found = cleancut.compare(CORPUS, {"a": PRED, "b": OTHER}, SHOWN, beta=2, ci=200)
    compared = {pair.value: pair for pair in found.pairs}
    assert {"f2", "clean_f2", "delta_f2", "f2_overlap", "hardeval"} <= set(compared) and "f1" not in compared
    exact = {name: cleancut.exact_f1(GOLD, pred, beta=2).f2 for name, pred in (("a", PRED), ("b", OTHER))}
    assert compared["f2"].difference == pytest.approx(exact["a"] - exact["b"])
    assert list(found.ranks["orders"]) == ["f2", "clean_f2"]  # of hardeval, there is no token of one kind
    assert found.scores["a"]["exact_f1"].f2_low <= exact["a"] <= found.scores["a"]["exact_f1"].f2_high


def test_buckets_have_f_beta():
    found = cleancut.buckets(CORPUS, PRED, SHOWN, beta=0.5, attributes=["eLen", "novelty"], ci=50)
    row = found["eLen"][0]
    assert row["f0.5"] == pytest.approx(f(row["precision"], row["recall"], 0.5))
    assert row["f0.5_low"] <= row["f0.5"] <= row["f0.5_high"] and "beta:0.5" in found.signature
    empty = found["eLen"][2]
    assert math.isnan(empty["f0.5"]) and math.isnan(empty["f1"])


def test_the_best_and_the_worst_bucket_are_those_of_f_beta():
    """In bucket 1 all is predicted and half of it is right, in bucket 2 half is predicted and all of it is right."""
    gold = [["B-A", "O"]] * 40 + [["B-A", "I-A"]] * 40
    pred = [["B-A", "B-A"]] * 40 + [["B-A", "I-A"]] * 20 + [["O", "O"]] * 20
    text = Corpus.of([["Ada", "King"]] * 80, tags=gold)
    found = {beta: cleancut.buckets(text, pred, attributes=["eLen"], beta=beta, ci=200) for beta in (0.5, 1, 2)}
    places = {beta: cleancut.self_diagnosis(of_beta)["eLen"] for beta, of_beta in found.items()}
    assert (places[0.5]["best"], places[2]["best"]) == ("2", "1") and places[2]["worst"] == "2"
    of_2 = {row["bucket"]: row["f2"] for row in found[2]["eLen"]}
    assert places[2]["gap"] == of_2["1"] - of_2["2"] > 0.2 and places[2]["clear"] is True
    assert "Where F2 differs most" in buckets_text({"a": found[2]}) and "Where F1" not in buckets_text({"a": found[2]})
    with pytest.raises(CleancutError, match="'b': its buckets have beta=1, others 2. Give the same for all."):
        cleancut.comparative_diagnosis(found[2], found[1])
    with pytest.raises(CleancutError, match="beta"):
        cleancut.model_wise({"a": found[2], "b": found[1]})


def test_a_trainer_logs_f_beta():
    names = ["O", "B-PER", "B-LOC"]
    metrics = NerMetrics(TRAIN, CORPUS, labels=names, beta=2)
    assert "f2" in metrics.metrics and "clean_f2" in metrics.metrics and "f1" not in metrics.metrics
    ids = [np.array([[names.index(tag) for tag in row] for row in side]) for side in (PRED, GOLD)]
    logged = metrics(SimpleNamespace(predictions=ids[0], label_ids=ids[1]))
    assert logged["delta_f2"] == cleancut.clean_f1(CORPUS, PRED, SHOWN, beta=2).delta_f2


@pytest.mark.parametrize("beta", [0, -1, "2", None, True, math.nan, math.inf, 1001])
def test_other_values_are_refused(beta):
    for function in (cleancut.exact_f1, cleancut.partial_f1):
        with pytest.raises(CleancutError, match="beta="):
            function(GOLD, PRED, beta=beta)
    with pytest.raises(CleancutError, match="beta="):
        cleancut.compare(GOLD, {"a": PRED, "b": OTHER}, beta=beta, ci=10)


def test_seqevals_keys_have_no_place_for_it():
    with pytest.raises(CleancutError, match="keys='seqeval' has no name for F-beta"):
        cleancut.exact_f1(GOLD, PRED, keys="seqeval", beta=2)


@pytest.fixture
def files(tmp_path):
    for name, tags in (("gold", GOLD), ("a", PRED), ("b", OTHER), ("train", TRAIN.tags())):
        tokens = TRAIN.tokens() if name == "train" else TOKENS
        samples = ("\n".join(f"{w} {t}" for w, t in zip(*both, strict=True)) for both in zip(tokens, tags, strict=True))
        (tmp_path / f"{name}.conll").write_text("\n\n".join(samples) + "\n", "utf-8")
    return {name: str(tmp_path / f"{name}.conll") for name in ("gold", "a", "b", "train")}


def test_commands_take_beta(files, capsys, tmp_path):
    given_files = ["--gold", files["gold"], "--pred", files["a"], "--train", files["train"]]
    assert main(["score", *given_files, "--beta", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["clean_f1"]["clean_f2"] == cleancut.clean_f1(CORPUS, PRED, SHOWN, beta=2).clean_f2
    assert "beta" not in found["hardeval"]["signature"]
    assert main(["score", *given_files, "--beta", "2"]) == 0
    printed = capsys.readouterr().out
    assert "clean F2" in printed and "delta F2" in printed and "F1" not in printed.replace("f1", "")
    assert main(["compare", *given_files, "--pred", files["b"], "--beta", "2", "--ci", "100"]) == 0
    printed = capsys.readouterr().out
    assert "F2 and clean F2: Kendall's tau" in printed and "F1" not in printed
    assert main(["buckets", *given_files, "--beta", "2", "--attributes", "eLen"]) == 0
    assert " F2" in capsys.readouterr().out
    page = tmp_path / "page.html"
    report = ["report", *given_files, "--pred", files["b"], "--beta", "2", "--ci", "50", "-o", str(page)]
    assert main(report) == 0 and "clean F2" in page.read_text("utf-8")
    assert main(["score", *given_files, "--beta", "0"]) == 2
