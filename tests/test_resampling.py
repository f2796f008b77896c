"""Intervals and paired tests: laws, shards, documents, and agreement with a plain bootstrap."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, pairs

import cleancut
from cleancut import CleancutError, Corpus
from cleancut.scoring.resampling import Rows, _collapsed, paired

GOLD = [["B-A", "O", "B-B", "O"]] * 40 + [["O", "B-A", "O", "O"]] * 50 + [["O"] * 4] * 30
PRED = [["B-A", "O", "O", "O"]] * 60 + [["O", "B-A", "O", "O"]] * 50 + [["B-B", "O", "O", "O"]] * 10


@examples(30)
@given(pairs(), st.integers(0, 3))
def test_intervals_hold_the_value_and_repeat(both, seed):
    gold, pred = both
    if not gold:
        return
    score = cleancut.exact_f1(gold, pred, ci=50, seed=seed)
    plain = cleancut.exact_f1(gold, pred)
    for name in ("precision", "recall", "f1"):
        assert score[name] == plain[name]
        assert 0 <= score[f"{name}_low"] <= score[name] <= score[f"{name}_high"] <= 1
    assert score.to_dict() == cleancut.exact_f1(gold, pred, ci=50, seed=seed).to_dict()
    assert list(score)[-1] == "signature" and f"ci:50|seed:{seed}" in score.signature


def test_every_score_has_intervals():
    train = cleancut.Exposure.of(Corpus.of([["a", "b"]], tags=[["B-A", "O"]]))
    tokens = [["a", f"w{i}", "c", "d"] for i in range(len(GOLD))]
    for name, wanted in (("partial_f1", "f1_overlap"), ("clean_f1", "delta_f1"), ("hardeval", "ter_unseen")):
        given_train = [train] if name in ("clean_f1", "hardeval") else []
        score = getattr(cleancut, name)(GOLD, PRED, *given_train, tokens=tokens, ci=200)
        assert score[f"{wanted}_low"] < score[wanted] < score[f"{wanted}_high"]
        whole = sum(
            getattr(cleancut, name)(GOLD[a : a + 40], PRED[a : a + 40], *given_train, tokens=tokens[a : a + 40], ci=200)
            for a in range(0, len(GOLD), 40)
        )
        assert whole == score and {k: v for k, v in whole.items() if v == v} == {
            k: v for k, v in score.items() if v == v
        }


def test_muc_and_iou_have_intervals_that_add_up():
    gold = [["B-A", "I-A", "O"]] * 30 + [["B-B", "O", "O"]] * 30
    pred = [["B-A", "O", "O"]] * 20 + [["B-A", "I-A", "O"]] * 20 + [["B-A", "O", "O"]] * 20
    score = cleancut.partial_f1(gold, pred, muc=True, iou=True, ci=200)
    for name in ("f1_iou", "f1_muc_strict", "f1_muc_exact", "f1_muc_partial", "f1_muc_type"):
        assert score[f"{name}_low"] < score[name] < score[f"{name}_high"]
    assert not any(name.startswith("n_") and name.endswith("_low") for name in score)
    parts = [slice(0, 25), slice(25, 60)]
    assert sum(cleancut.partial_f1(gold[a], pred[a], muc=True, iou=True, ci=200) for a in parts) == score


@pytest.mark.slow
def test_agreement_with_a_plain_bootstrap():
    score = cleancut.exact_f1(GOLD, PRED, ci=20_000)
    rng, found = np.random.default_rng(5), []
    for _ in range(1_500):
        chosen = rng.integers(0, len(GOLD), len(GOLD))
        found.append(cleancut.exact_f1([GOLD[i] for i in chosen], [PRED[i] for i in chosen]).f1)
    low, high = np.percentile(found, [2.5, 97.5])
    assert score.f1_low == pytest.approx(low, abs=0.01) and score.f1_high == pytest.approx(high, abs=0.01)


def test_documents_are_resampled_whole():
    tokens = [["w"] * 4] * len(GOLD)
    docs = [str(i // 20) for i in range(len(GOLD))]
    of_docs = Corpus.of(tokens, tags=GOLD, docs=docs)
    score = cleancut.exact_f1(of_docs, of_docs.with_predictions(PRED), ci=2_000)
    assert score.sums.rows.n_units == len(GOLD) // 20
    alone = cleancut.exact_f1(GOLD, PRED, ci=2_000)
    assert score.f1 == alone.f1 and score.f1_high - score.f1_low > alone.f1_high - alone.f1_low
    parts = [of_docs.select(slice(a, a + 30)) for a in range(0, len(GOLD), 30)]  # a document in two shards
    pred = [PRED[a : a + 30] for a in range(0, len(GOLD), 30)]
    whole = sum(cleancut.exact_f1(part, part.with_predictions(p), ci=2_000) for part, p in zip(parts, pred))
    assert whole.f1_low == score.f1_low


def beside(gold, one, other, name="exact_f1", *train, **given):
    """Two scores, and the paired test of their rows."""
    first, second = (getattr(cleancut, name)(gold, pred, *train, ci=1, **given) for pred in (one, other))
    return first, Rows.together([first.sums.rows, second.sums.rows], range(len(first.parts)))


def difference(gold, one, other, n=2_000, value="f1", **given):
    score, rows = beside(gold, one, other, **given)
    return paired(score.parts, rows, "ab", [value], n, 1)[0, 1][value]


def test_paired_comparison():
    same = difference(GOLD, PRED, PRED)
    assert (same.difference, same.low, same.high, same.p) == (0, 0, 0, 1)
    there, back = (difference(GOLD, *both) for both in permutations([PRED, [["O"] * 4, *PRED[1:]]]))
    assert there == -back and there.difference > 0 and there.p > 0.05
    much = difference(GOLD, PRED, [["O"] * 4] * len(GOLD))
    assert much.p < 0.01 and much.low > 0
    empty = difference([["O"]], [["O"]], [["O"]])
    assert empty.difference == 0 and empty.p == 1
    nothing = difference([], [], [])
    assert nothing.difference == 0 and nothing.p == 1


def test_rows_stand_beside_each_other_as_long_as_they_are_units():
    score, whole = beside(GOLD, PRED, PRED[::-1])
    shards = [beside(GOLD[a : a + 40], PRED[a : a + 40], PRED[::-1][a : a + 40])[1] for a in range(0, len(GOLD), 40)]
    assert shards[0] + shards[1] + shards[2] == whole
    with pytest.raises(TypeError, match="same order"):
        Rows.together([(score + score).sums.rows] * 2, [0])
    with pytest.raises(TypeError, match="cannot be added"):
        score.sums.rows + whole


@examples(50)
@given(st.lists(st.lists(st.integers(-3, 2**40), min_size=3, max_size=3)), st.integers(0, 5))
def test_collapsing_is_numpys_unique(rows, more):
    table = np.array(rows + rows[:more], np.int64).reshape(-1, 3)
    found, times = _collapsed(table, np.ones(len(table), np.int64))
    expected, n = np.unique(table, axis=0, return_counts=True)
    assert np.array_equal(found, expected) and np.array_equal(times, n)


def test_bad_requests():
    for ci in (-1, 0.5, True, "many"):
        with pytest.raises(CleancutError, match="ci="):
            cleancut.exact_f1(GOLD, PRED, ci=ci)
    with pytest.raises(CleancutError, match="seqeval"):
        cleancut.exact_f1(GOLD, PRED, ci=10, keys="seqeval")
    nothing = cleancut.exact_f1([], [], ci=10)
    assert nothing.f1_low == nothing.f1_high == 0 and not math.isnan(nothing.f1_low)
