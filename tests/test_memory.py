"""clean_f1 and hardeval: golden values, published arithmetic, laws."""

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_exposure import corpora, keys

from cleancut import CleancutError, Corpus, Exposure, clean_f1, exact_f1, hardeval, partial_f1
from cleancut.scoring.alignment import Aligner
from cleancut.scoring.score import harmonic

NAMES = {
    "gold": "n_gold", "gold_contaminated": "n_contaminated", "gold_clean": "n_clean", "predicted": "n_pred",
    "P_orig": "precision", "R_orig": "recall", "F1_orig": "f1", "R_clean": "clean_recall",
    "R_contaminated": "contaminated_recall", "F1_clean": "clean_f1", "F1_contaminated": "contaminated_f1",
    "delta_F1": "delta_f1", "delta_R": "delta_recall", "P_clean_naive": "clean_precision_naive",
    "P_contam_naive": "contaminated_precision_naive", "P_clean_star": "clean_precision",
    "F1_clean_star": "clean_f1_star",
}  # fmt: skip


@pytest.mark.slow
def test_golden_delta_f1(golden, reader):
    assert len(golden["contamination"]["delta_f1"]) == 43
    for name, expected in golden["contamination"]["delta_f1"].items():
        corpus, system, key = name.split("/")
        train = [reader(f"{corpus}/train"), *([reader(f"{corpus}/dev")] if "train+dev" in key else [])]
        exposure = Exposure.of(train, case="uncased" not in key, typed="surface+type" in key)
        score = clean_f1(reader(f"{corpus}/test"), reader(f"{corpus}/pred/{system}"), exposure)
        for theirs, ours in NAMES.items():
            value = math.nan if expected[theirs] is None else expected[theirs]
            assert score[ours] == pytest.approx(value, abs=1e-12, nan_ok=True), (name, ours)


@pytest.mark.slow
def test_golden_token_error_rates(golden, reader):
    assert len(golden["hardeval"]["ter"]) == 36
    for name, expected in golden["hardeval"]["ter"].items():
        corpus, system, kind = name.split("/")
        exposure = Exposure.of(reader(f"{corpus}/train"))
        encoding = {"lax-bio": "bio", "lax-io": "io"}.get(kind, "bilou")
        gold, pred = reader(f"{corpus}/test"), reader(f"{corpus}/pred/{system}")
        score = hardeval(gold, pred, exposure, strict=kind == "strict", encoding=encoding)
        assert score.hardeval == pytest.approx(expected["hardeval"], abs=1e-12)
        for subset, row in expected.items():
            if subset != "hardeval":
                ours = subset.lower().replace("-", "_")
                assert (score[f"n_{ours}"], score[f"errors_{ours}"]) == (row["n"], row["errors"]), (name, subset)


def test_golden_table_4(golden, reader):
    for corpus, tables in golden["hardeval"]["tables"].items():
        gold, exposure = reader(f"{corpus}/test"), Exposure.of(reader(f"{corpus}/train"))
        for strict, table in ((False, "T4"), (True, "T4_strict")):
            score = hardeval(gold, gold, exposure, strict=strict)
            expected = {key.lower().replace("-", "_"): n for key, n in tables[table].items()}
            assert {key: score[f"n_{key}"] for key in expected} == expected
            assert score.hardeval == 0.0


def test_published_table_3_arithmetic(golden):
    """Babl et al., Table 3: F1 clean and delta F1 follow from P (solved from R and F1) and clean recall."""
    rows = golden["contamination"]["published_table3_rows"]
    assert len(rows) == 14
    for row in rows:
        precision = row["F1"] * row["R"] / (2 * row["R"] - row["F1"])
        clean = harmonic(precision, row["R_clean"])
        assert clean == pytest.approx(row["F1_clean"], abs=0.02)
        assert row["F1"] - clean == pytest.approx(row["dF1"], abs=0.02)


def test_wnut17_has_no_contaminated_mention(reader):
    exposure = Exposure.of(reader("wnut17/train"))
    score = clean_f1(reader("wnut17/test"), reader("wnut17/pred/sub_arcada"), exposure)
    assert score.n_contaminated == 0 and math.isnan(score.contaminated_recall) and score.delta_f1 == 0.0


def test_the_worked_example():
    shown = Exposure.of(Corpus.of([["Alice"]], tags=[["B-PER"]]))
    gold, pred = [["B-PER", "B-PER", "O"]], [["B-PER", "B-PER", "B-PER"]]
    s = clean_f1(gold, pred, shown, tokens=[["Alice", "Bob", "Charlie"]])
    assert (s.precision, s.clean_recall, s.clean_precision) == (2 / 3, 1.0, 1 / 2)
    assert s.clean_f1 == pytest.approx(0.8) and s.delta_f1 == pytest.approx(0.0)
    assert (s.recall_seen, s.recall_unknown_words) == (1.0, 1.0) and math.isnan(s.recall_other_type)
    assert (s.memorisation_precision, s.memorisation_recall) == (1.0, 0.5)
    assert s.signature.startswith("clean_f1|match:exact|scheme:iob2|repair:conlleval|key:surface+type|train:")


@st.composite
def scored(draw):
    """Gold, a system's mentions on the same text, and training data."""
    gold = draw(corpora())
    spans = []
    for words, mentions in zip(gold.tokens(), gold.entities()):
        kept = [(m["start"], m["end"], m["label"]) for m in mentions if draw(st.booleans())]
        if not kept and draw(st.booleans()):
            kept = [(0, draw(st.integers(1, len(words))), "PER")]
        spans.append(kept)
    return gold, gold.with_predictions(spans), draw(corpora())


@given(scored(), st.booleans(), st.sampled_from(["exact", "left", "right", "overlap"]))
def test_clean_and_contaminated_add_up(data, typed, match):
    gold, pred, train = data
    s = clean_f1(gold, pred, Exposure.of(train, typed=typed), match=match)
    assert s.n_clean + s.n_contaminated == s.n_gold
    assert sum(s[f"n_{name}"] for name in ("seen", "other_type", "known_words", "unknown_words")) == s.n_gold
    assert s.clean_precision_naive + s.contaminated_precision_naive == pytest.approx(s.precision)
    if match == "exact":
        assert s.f1 == exact_f1(gold, pred).f1
    else:
        assert s.f1 == partial_f1(gold, pred)[f"f1_{match}"]
    if s.n_clean and s.clean_recall <= s.recall:
        assert s.delta_f1 >= 0
    if s.n_clean and s.n_contaminated:
        mean = (s.clean_recall * s.n_clean + s.contaminated_recall * s.n_contaminated) / s.n_gold
        assert mean == pytest.approx(s.recall)
    assert (s.n_clean == 0) == math.isnan(s.clean_recall)


@given(scored())
def test_training_on_the_test_set_leaves_no_clean_mention(data):
    gold, pred, _ = data
    s = clean_f1(gold, pred, Exposure.of(gold))
    assert s.n_clean == 0 and s.n_contaminated == s.n_gold == s.n_seen
    assert hardeval(gold, pred, Exposure.of(gold)).n_unseen == 0


@given(scored(), st.booleans(), st.sampled_from(["bilou", "bio", "io"]))
def test_hardeval_laws(data, strict, encoding):
    gold, pred, train = data
    exposure = Exposure.of(train)
    s = hardeval(gold, pred, exposure, strict=strict, encoding=encoding)
    assert s.n_unseen + s.n_diff + s.n_other == s.n_all == gold.n_tokens
    assert s.n_unseen == s.n_unseen_i + s.n_unseen_o and s.n_diff == s.n_diff_i + s.n_diff_o + s.n_diff_e
    perfect = hardeval(gold, gold, exposure, strict=strict, encoding=encoding)
    assert perfect.errors_all == 0
    assert s.n_diff >= hardeval(gold, pred, exposure, strict=True).n_diff
    assert hardeval(gold, pred, exposure, encoding="io").errors_all <= s.errors_all
    if s.errors_all:
        assert s.share_unseen + s.share_diff + s.share_other == pytest.approx(1)


@given(scored(), st.integers(0, 6))
def test_scores_of_shards_add_up(data, cut):
    gold, pred, train = data
    exposure = Exposure.of(train)
    for metric in (clean_f1, hardeval):
        whole = metric(gold, pred, exposure)
        parts = [metric(gold.select(part), pred.select(part), exposure) for part in (slice(0, cut), slice(cut, None))]
        merged = sum(parts)
        for key, value in whole.to_dict().items():
            assert merged[key] == value or (value != value and merged[key] != merged[key]), key


def test_type_confusable_mentions_by_hand():
    """Paris is a place and a person here, Oslo only a place; training has Paris, but not Sofia."""
    shown = Exposure.of(Corpus.of([["Paris"]], tags=[["B-ORG"]]))
    tokens = [["Paris", "Paris", "Oslo"], ["Sofia", "Sofia", "paris"]]
    gold = [["B-LOC", "B-PER", "B-LOC"], ["B-LOC", "B-PER", "B-LOC"]]
    pred = [["B-LOC", "B-LOC", "B-LOC"], ["B-LOC", "B-PER", "O"]]
    s = clean_f1(gold, pred, shown, tokens=tokens, confusable=True)
    assert (s.n_confusable, s.n_confusable_seen, s.n_confusable_unseen) == (4, 2, 2)
    assert (s.recall_confusable, s.recall_confusable_seen, s.recall_confusable_unseen) == (0.75, 0.5, 1.0)
    assert (s["recall_confusable/PER"], s["n_confusable_seen/LOC"]) == (0.5, 1)
    assert "|confusable:" in s.signature and "confusable" not in clean_f1(gold, pred, shown, tokens=tokens).signature
    uncased = Exposure.of(Corpus.of([["Paris"]], tags=[["B-ORG"]]), case=False)
    assert clean_f1(gold, pred, uncased, tokens=tokens, confusable=True).n_confusable == 5
    none = clean_f1([["B-A"]], [["B-A"]], shown, tokens=[["x"]], confusable=True)
    assert none.n_confusable == 0 and math.isnan(none.recall_confusable)
    with pytest.raises(CleancutError, match="give True, False or Exposure"):
        clean_f1(gold, pred, shown, tokens=tokens, confusable="yes")
    with pytest.raises(CleancutError, match=r"the key surface\+type, the training index surface\+type,uncased"):
        clean_f1(gold, pred, uncased, tokens=tokens, confusable=shown)


@given(scored(), st.integers(0, 6))
def test_type_confusable_mentions_against_sets_and_in_shards(data, cut):
    gold, pred, train = data
    types, shown = defaultdict(set), {surface for surface, _ in keys(train)}
    for surface, label in keys(gold):
        types[surface].add(label)
    tough = np.array([len(types[surface]) > 1 for surface, _ in keys(gold)], bool)
    seen = np.array([surface in shown for surface, _ in keys(gold)], bool)
    found = np.isin(np.arange(len(tough)), Aligner(gold.mentions, pred.mentions).exact_gold)
    whole = clean_f1(gold, pred, Exposure.of(train), confusable=True, ci=20)
    for name, chosen in (("", tough), ("_seen", tough & seen), ("_unseen", tough & ~seen)):
        assert whole[f"n_confusable{name}"] == chosen.sum()
        if chosen.any():
            assert whole[f"recall_confusable{name}"] == found[chosen].mean()
            low, high = whole[f"recall_confusable{name}_low"], whole[f"recall_confusable{name}_high"]
            assert low <= whole[f"recall_confusable{name}"] <= high
    judge = Exposure.of(gold)
    parts = [(gold.select(part), pred.select(part)) for part in (slice(0, cut), slice(cut, None))]
    assert sum(clean_f1(*part, Exposure.of(train), confusable=judge, ci=20) for part in parts) == whole
    by_shard = [clean_f1(*part, Exposure.of(train), confusable=True) for part in parts]
    if len({Exposure.of(own_gold).fingerprint for own_gold, _ in parts}) == 2:
        with pytest.raises(CleancutError, match="cannot be added"):
            sum(by_shard)
    else:  # shards that show the same are judged alike, as the whole is
        assert sum(by_shard).n_confusable == whole.n_confusable


def test_partial_credit_in_place_of_exact_matching():
    shown = Exposure.of(Corpus.of([["Ada"]], tags=[["B-PER"]]))
    gold, pred = [["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]]
    tokens = [["Bo", "King", "spoke"]]
    assert clean_f1(gold, pred, shown, tokens=tokens).clean_recall == 0.0
    s = clean_f1(gold, pred, shown, tokens=tokens, match="left", credit=0.25)
    assert s.clean_recall == 0.25 and "match:left|credit:0.25" in s.signature


def test_what_is_missing_is_named():
    shown = Exposure.of(Corpus.of([["Ada"]], tags=[["B-PER"]]))
    with pytest.raises(CleancutError, match="clean_f1 needs the words of the samples"):
        clean_f1([["O"]], [["O"]], shown)
    with pytest.raises(CleancutError, match=r"give Exposure.of\(train\), not list"):
        hardeval([["O"]], [["O"]], [["O"]], tokens=[["a"]])
    nested = Corpus.of([["a", "b"]], entities=[[(0, 2, "X"), (0, 1, "X")]])
    with pytest.raises(CleancutError, match="hardeval is undefined: gold mentions overlap"):
        hardeval(nested, nested, shown)
    assert clean_f1(nested, nested, shown).f1 == 1.0
    with pytest.raises(CleancutError, match="encoding='bies' is unknown"):
        hardeval([["O"]], [["O"]], shown, tokens=[["a"]], encoding="bies")
