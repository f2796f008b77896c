"""The ends of intervals: standard errors by brute force, the laws of the ends, and how often they hold the truth."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import cleancut
from cleancut import Corpus, Exposure
from cleancut.scoring.resampling import _ends_of_part
from cleancut.scoring.studentised import (
    Resamples,
    Spread,
    interval,
    interval_of_all_or_nothing,
    interval_of_difference,
    interval_of_mean,
    jackknife,
    percentiles,
    products,
    student,
)

TABLE = np.array([[3, 2, 1], [5, 4, 4], [1, 2, 0], [2, 2, 2], [0, 1, 0], [4, 5, 3]])
TIMES = np.array([3, 2, 4, 5, 1, 2])


def values(totals):
    gold, pred, right = np.moveaxis(np.asarray(totals, float), 1, 0)
    return {"f1": 2 * right / (gold + pred), "recall": right / gold}


def test_the_jackknife_is_that_of_leaving_out_each_unit():
    from scipy.stats import kurtosis

    units = np.repeat(TABLE, TIMES, axis=0)
    n = len(units)
    found = jackknife(values, TABLE, TIMES)
    for name in ("f1", "recall"):
        left = [values(np.delete(units, i, axis=0).sum(axis=0)[None])[name][0] for i in range(n)]
        assert found[name].error == pytest.approx(math.sqrt((n - 1) ** 2 / n * np.var(left, ddof=1)), rel=1e-9)
        assert found[name].freedom == pytest.approx(2 * (n / kurtosis(left, fisher=False) - 1), rel=1e-9)
        others = [values(np.delete(units, i, axis=0).sum(axis=0)[None])["f1"][0] for i in range(n)]
        assert found[name].correlation(found["f1"]) == pytest.approx(np.corrcoef(left, others)[0, 1], rel=1e-9)


def test_the_errors_of_resamples_are_those_of_the_delta_method():
    rng = np.random.default_rng(1)
    units = np.repeat(TABLE, TIMES, axis=0)
    drawn = [units[rng.integers(0, len(units), len(units))] for _ in range(20)]
    totals = np.array([one.sum(axis=0) for one in drawn])
    squares = np.array([products(one).sum(axis=0) for one in drawn])
    found = Resamples(values, totals, squares, len(units)).errors()
    for i, one in enumerate(drawn):
        gold, pred, right = one.sum(axis=0)
        f1, recall, n = 2 * right / (gold + pred), right / gold, len(one)
        influence = {"f1": (2 * one[:, 2] - f1 * (one[:, 0] + one[:, 1])) / (gold + pred)}
        influence["recall"] = (one[:, 2] - recall * one[:, 0]) / gold
        for name, of_units in influence.items():
            expected = math.sqrt(n / (n - 1) * (of_units**2).sum())
            assert found[name][i] == pytest.approx(expected, rel=1e-6)


@examples(60)
@given(
    st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=40),
    st.floats(0, 1),
    st.floats(0, 10),
    st.integers(0, 5),
)
def test_ends_hold_the_value_and_stay_within_the_resamples(drawn, point, error, seed):
    resampled = np.array(drawn)
    errors = np.random.default_rng(seed).exponential(0.1, len(resampled)) * (resampled > 0.1)
    spread = Spread(error, 2 + 3 * seed, np.array([error, -error]), np.array([1, 1]))
    low, high = interval(resampled, errors, point, spread)
    assert min(resampled.min(), point) - 1e-12 <= low <= point <= high <= max(resampled.max(), point) + 1e-12
    low, high = interval_of_difference(resampled, point, spread)
    assert -1 <= low <= point <= high <= 1
    narrow, wide = percentiles(resampled, point)
    assert low <= narrow + 1e-11 and high >= wide - 1e-11, "percentiles are never shrunk"


def test_of_many_alike_units_it_is_nearly_the_percentile_interval():
    rng = np.random.default_rng(3)
    gold = [["B-A", "O"] if x < 0.7 else ["O", "B-B"] for x in rng.random(4000)]
    pred = [tags if x < 0.6 else ["O", "O"] for tags, x in zip(gold, rng.random(4000), strict=True)]
    score = cleancut.exact_f1(gold, pred, ci=2000)
    recall = score.recall
    error = math.sqrt(recall * (1 - recall) / 4000)
    assert score.recall_low == pytest.approx(recall - 1.96 * error, abs=0.15 * error)
    assert score.recall_high == pytest.approx(recall + 1.96 * error, abs=0.15 * error)


def no_spread():
    return Spread.of(np.ones(3), np.array([1, 1, 1]), 1.0)


def test_where_nothing_varies_there_is_no_error_to_measure_by():
    assert all(map(math.isnan, interval(np.full(3, np.nan), np.zeros(3), np.nan, no_spread())))
    few = np.array([0.2, 0.4, 0.6])
    assert interval(few, np.zeros(3), 0.4, no_spread()) == percentiles(few, 0.4)
    assert interval_of_difference(np.zeros(3), 0.0, no_spread()) == (0.0, 0.0)


def test_students_quantile_is_that_of_scipy():
    from scipy.stats import t

    for freedom in (2, 2.5, 3, 4.7, 5, 8, 20, 100.5, 1e4, 1e8):
        assert student(freedom) == pytest.approx(t.ppf(0.975, freedom), rel=5e-4)


@pytest.mark.parametrize("n", [5, 40, 1000])
def test_where_all_or_nothing_is_right_the_interval_is_wilsons(n):
    from scipy.stats import t

    gold = [["B-A", "O"]] * n
    wrong, right = cleancut.exact_f1(gold, [["O", "O"]] * n, ci=50), cleancut.exact_f1(gold, gold, ci=50)
    quantile = t.ppf(0.975, 2 * (n - 1)) ** 2
    assert wrong.recall_low == 0 and right.f1_high == right.recall_high == 1
    assert wrong.recall_high == pytest.approx(quantile / (n + quantile), rel=1e-3)
    assert right.f1_low == right.recall_low == pytest.approx(n / (n + quantile), rel=1e-3)
    assert (wrong.precision_low, wrong.precision_high) == (0, 0), "nothing was predicted, so nothing is behind it"
    unequal = interval_of_all_or_nothing(1.0, np.array([1, 100]), np.array([n, 1]))
    assert unequal[0] < right.f1_low, "a unit that outweighs the others leaves few"


def test_a_rate_with_few_tokens_is_not_taken_for_certain():
    """No unusual label is wrong, of which there are two: the error rate may still be anything up to a half and more."""
    train = Exposure.of(Corpus.of([["Ada", "spoke"]], tags=[["B-PER", "O"]]))
    tokens = [["Ada", "spoke"]] * 2 + [["Bob", "ran"]] * 60
    gold = [["O", "O"]] * 2 + [["B-PER", "O"]] * 60
    pred = [["O", "O"]] * 22 + [["B-PER", "O"]] * 40
    score = cleancut.hardeval(gold, pred, train, tokens=tokens, ci=300)
    assert score.notices[-1].startswith("hardeval rests on 2 tokens with unusual labels. With fewer than 50,")
    assert not any("rests on" in notice for notice in (score + score.without_intervals()).notices)
    assert (score.n_diff, score.ter_diff, score.ter_diff_low) == (2, 0, 0) and score.ter_diff_high > 0.5
    unseen, diff = score.ter_unseen_high - score.ter_unseen, score.ter_diff_high
    assert score.hardeval_high == pytest.approx(score.hardeval + math.hypot(unseen, diff) / 2, rel=1e-6)
    assert score.hardeval_low == pytest.approx(score.hardeval - (score.ter_unseen - score.ter_unseen_low) / 2, rel=1e-6)


def test_the_interval_of_a_mean_follows_from_how_two_values_go_together():
    both = (0.3, 0.5), ((0.2, 0.4), (0.4, 0.6))
    assert interval_of_mean(*both, 1.0) == pytest.approx((0.3, 0.5))
    assert interval_of_mean(*both, 0.0) == pytest.approx((0.4 - 0.1 / math.sqrt(2), 0.4 + 0.1 / math.sqrt(2)))
    assert interval_of_mean(*both, -1.0) == pytest.approx((0.4, 0.4))


def test_where_nothing_is_contaminated_clean_f1_has_the_interval_of_f1():
    rng = np.random.default_rng(8)
    gold = [["B-A", "O", "B-B"][: 1 + i % 3] for i in range(60)]
    pred = [tags if x < 0.6 else ["O"] * len(tags) for tags, x in zip(gold, rng.random(60), strict=True)]
    text = Corpus.of([[f"w{i}{j}" for j in range(len(tags))] for i, tags in enumerate(gold)], tags=gold)
    score = cleancut.clean_f1(text, pred, Exposure.of(Corpus.of([["x"]], tags=[["B-A"]])), ci=300)
    assert (score.clean_f1_low, score.clean_f1_high) == (score.f1_low, score.f1_high)
    assert (score.delta_f1_low, score.delta_f1_high) == (0.0, 0.0)


def test_equal_values_have_equal_intervals_in_every_score():
    rng = np.random.default_rng(5)
    gold = [["B-A", "I-A", "O", "B-B"][: 1 + i % 4] for i in range(90)]
    pred = [tags if x < 0.6 else ["O"] * len(tags) for tags, x in zip(gold, rng.random(90), strict=True)]
    text = Corpus.of([[f"w{i % 50}{j}" for j in range(len(tags))] for i, tags in enumerate(gold)], tags=gold)
    shown = Exposure.of(text.select(slice(0, 20)))
    exact, near = cleancut.exact_f1(text, pred, ci=200), cleancut.partial_f1(text, pred, ci=200)
    clean = cleancut.clean_f1(text, pred, shown, ci=200)
    (whole,) = cleancut.buckets(text, pred, shown, attributes=["eLen"], bins={"eLen": 1}, ci=200)["eLen"]
    assert 0 < clean.n_contaminated < clean.n_gold
    for name in ("precision", "recall", "f1"):
        for end in ("", "_low", "_high"):
            wanted = exact[f"{name}{end}"]
            assert wanted == near[f"{name}_exact{end}"] == clean[f"{name}{end}"], (name, end)
            assert whole[f"{name}{end}"] == pytest.approx(wanted, abs=1e-8), (name, end)
    half = cleancut.clean_f1(text, pred, shown, match="overlap", credit=0.5, ci=200)
    assert (half.f1_low, half.f1_high) == (near.f1_overlap_low, near.f1_overlap_high)


def test_a_system_has_the_same_interval_alone_and_beside_others():
    rng = np.random.default_rng(2)
    gold = [["B-A", "O", "B-B"]] * 50
    a, b = ([tags if x < share else ["B-B", "O", "O"] for tags, x in zip(gold, rng.random(50))] for share in (0.7, 0.5))
    found = cleancut.compare(gold, {"a": a, "b": b}, ci=200).scores["a"]["exact_f1"]
    assert json.dumps(found.to_dict()) == json.dumps(cleancut.exact_f1(gold, a, ci=200).to_dict())


def documents(rng, n):
    """Sums of documents of unequal length and difficulty: gold mentions, predictions, right ones."""
    size = np.maximum(rng.lognormal(2, 0.9, n).astype(int), 1)
    right = rng.binomial(size, 1 / (1 + np.exp(-rng.normal(1.2, 0.8, n))))
    return np.stack([size, size, right], axis=1)


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_promise():
    """400 test sets of 50 documents each: percentiles hold it in 91 to 93 of 100."""
    from cleancut.scoring.exact import exact_f1

    part = exact_f1([["B-A"]], [["B-A"]], ci=1).parts[0]
    rng = np.random.default_rng(4)
    pool = documents(rng, 20_000)
    truth = float(part.of_totals(pool.sum(axis=0)[None])["f1"][0])
    held = 0
    for seed in range(400):
        drawn = pool[rng.integers(0, len(pool), 50)]
        point = part.of_totals(drawn.sum(axis=0)[None])
        low, high = _ends_of_part(part, drawn, np.ones(50, np.int64), {k: v[0] for k, v in point.items()}, 400, seed)[
            "f1"
        ]
        held += low <= truth <= high
    assert 0.925 <= held / 400 <= 0.98
