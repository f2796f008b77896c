"""Views over buckets: statistics with scipy as oracle and by hand, diagnosis, the laws of comparing."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cleancut import (
    Buckets,
    CleancutError,
    Exposure,
    attribute_wise,
    buckets,
    comparative_diagnosis,
    exact_f1,
    friedman,
    model_wise,
    read,
    self_diagnosis,
    wilcoxon,
)
from cleancut.scoring.diagnosis import steady_gaps


def of(f1, name="eLen", means=None):
    """Buckets of one attribute with the given scores; NaN is an empty bucket."""
    rows = [
        {"bucket": str(i), "low": i, "high": i, "n_gold": int(f == f), "n_pred": int(f == f), "f1": f}
        for i, f in enumerate(f1)
    ]
    return Buckets({name: rows}, means or {}, "")


NAN = math.nan


def test_model_wise_is_spearman_and_standard_deviation():
    systems = {
        "rising": of([0.1, 0.2, 0.5, 0.9]),
        "falling": of([0.9, NAN, 0.5, 0.1]),
        "flat": of([0.5, 0.5, NAN, NAN]),
    }
    found = model_wise(systems)
    assert found["rising"]["eLen"] == {"spearman": 1.0, "std": pytest.approx(np.std([0.1, 0.2, 0.5, 0.9]))}
    assert found["falling"]["eLen"] == {"spearman": -1.0, "std": pytest.approx(np.std([0.9, 0.5, 0.1]))}
    assert math.isnan(found["flat"]["eLen"]["spearman"]) and found["flat"]["eLen"]["std"] == 0
    categories = Buckets({"case": [{**row, "low": None, "high": None} for row in of([0.1, 0.5])["eLen"]]}, {}, "")
    assert math.isnan(model_wise({"s": categories})["s"]["case"]["spearman"])  # categories have no order


def test_attribute_wise_averages_over_systems():
    systems = {"a": of([0.1, 0.2, 0.3], means={"eLen": 1.5}), "b": of([0.3, 0.2, 0.1], means={"eLen": 1.5})}
    assert attribute_wise({"news": systems}) == {"news": {"eLen": {"zeta": 1.5, "rho": 1.0}}}
    with pytest.raises(CleancutError, match="news: there is no system"):
        attribute_wise({"news": {}})


def test_diagnosis_of_one_and_of_two():
    a, b = of([0.2, 0.9, NAN, 0.4]), of([0.3, 0.5, NAN, 0.4])
    assert self_diagnosis(a, min_count=1) == {"eLen": {"best": "1", "worst": "0", "gap": pytest.approx(0.7)}}
    found = comparative_diagnosis(a, b, min_count=1)["eLen"]
    assert (found["ahead"], found["behind"]) == ("1", "0")
    assert (found["lead"], found["lag"]) == (pytest.approx(0.4), pytest.approx(-0.1))
    assert self_diagnosis(of([NAN]), min_count=1) == {}


def test_a_bucket_of_few_mentions_is_neither_best_nor_worst():
    counts = [{"n_gold": n, "f1": f1} for n, f1 in ((29, 1.0), (30, 0.9), (500, 0.5), (2, 0.0))]
    rows = [{**row, **count} for row, count in zip(of([1, 1, 1, 1])["eLen"], counts, strict=True)]
    few = Buckets({"eLen": rows}, {}, "")
    assert self_diagnosis(few) == {"eLen": {"best": "1", "worst": "2", "gap": pytest.approx(0.4)}}
    assert self_diagnosis(few, min_count=29)["eLen"]["best"] == "0"
    assert self_diagnosis(few, min_count=31) == {} == comparative_diagnosis(few, few, min_count=501)
    assert comparative_diagnosis(few, few)["eLen"]["ahead"] == "1"
    near = Buckets({"eLen": [{**row, "f1_low": row["f1"] - 0.3, "f1_high": row["f1"] + 0.3} for row in rows]}, {}, "")
    assert self_diagnosis(near)["eLen"]["clear"] is False
    for wrong in (0, -1, 1.5, "many", None):
        with pytest.raises(CleancutError, match="min_count"):
            self_diagnosis(few, min_count=wrong)


scores = st.lists(st.integers(0, 20).map(lambda n: n / 20), min_size=4, max_size=4)


@given(scores, scores)
def test_swapping_systems_swaps_the_diagnosis(x, y):
    there, back = (
        comparative_diagnosis(of(x), of(y), min_count=1)["eLen"],
        comparative_diagnosis(of(y), of(x), min_count=1)["eLen"],
    )
    assert there["lead"] == -back["lag"] and there["lag"] == -back["lead"]
    row, swapped = wilcoxon({"a": of(x), "b": of(y)})[0], wilcoxon({"a": of(y), "b": of(x)})[0]
    assert (
        row["p"] == swapped["p"] and row["effect"] == -swapped["effect"] and row["difference"] == -swapped["difference"]
    )
    if x == y:
        assert row["p"] == 1.0 and row["effect"] == 0.0


@given(st.lists(scores, min_size=2, max_size=5))
def test_friedman_is_scipys(table):
    found = friedman({str(i): of(row) for i, row in enumerate(table)})["eLen"]
    statistic, p = stats.friedmanchisquare(*np.array(table).T)
    assert found["statistic"] == pytest.approx(statistic, nan_ok=True) and found["p"] == pytest.approx(p, nan_ok=True)
    assert math.isnan(found["effect"]) or 0 <= found["effect"] <= 1 + 1e-12
    assert found["p_holm"] == pytest.approx(found["p"], nan_ok=True)  # of one attribute


def test_friedman_needs_three_buckets():
    assert math.isnan(friedman({"a": of([0.1, 0.2, NAN]), "b": of([0.1, 0.3, 0.5])})["eLen"]["p"])


@pytest.mark.slow
def test_real_systems(corpora):
    folder = corpora / "wnut17"
    gold, exposure = read(folder / "test.jsonl"), Exposure.of(read(folder / "train.jsonl"))
    systems = {p.stem: buckets(gold, read(p), exposure) for p in sorted((folder / "pred").glob("*.jsonl"))[:4]}
    tests = wilcoxon(systems)
    pairs = list(combinations(systems, 2))
    assert [(row["a"], row["b"]) for row in tests if row["attribute"] == "all"] == pairs
    worst, best = "sub_drexel_cci", "sub_arcada"
    row = next(row for row in tests if {row["a"], row["b"]} == {worst, best} and row["attribute"] == "all")
    assert row["p"] < 0.001 and abs(row["effect"]) > 0.5
    assert exact_f1(gold, read(folder / "pred" / f"{worst}.jsonl")).f1 < 0.3
    ranked = model_wise(systems)
    assert all(found["eLen"]["spearman"] < 0 for found in ranked.values())  # long mentions are hard for all
    bias = attribute_wise({"wnut17": systems})["wnut17"]
    assert bias["eLen"]["zeta"] == pytest.approx(1.6126, abs=1e-4) and 0 <= bias["eLen"]["rho"] <= 1
    assert friedman(systems)["eLen"]["p"] < 0.05


def test_wilcoxon_over_datasets_takes_the_buckets_of_all_that_have_both():
    news = {"a": of([0.1, 0.5, 0.9]), "b": of([0.3, 0.4, 0.7])}
    web = {"a": of([0.2, 0.6, 0.8]), "b": of([0.1, 0.2, 0.5]), "c": of([0.5, 0.5, 0.5])}
    rows = wilcoxon({"news": news, "web": web})
    assert [(row["a"], row["b"], row["attribute"], row["n"]) for row in rows] == [
        ("a", "b", at, 6) if pair == "ab" else (*pair, at, 3) for at in ("all", "eLen") for pair in ("ab", "ac", "bc")
    ]
    gaps = [-0.2, 0.1, 0.2, 0.1, 0.4, 0.3]
    assert rows[0]["p"] == pytest.approx(stats.wilcoxon(np.round(gaps, 10)).pvalue, abs=0.05)
    assert rows[0]["difference"] == pytest.approx(np.median(gaps))
    assert wilcoxon({"web": web}) == wilcoxon(web)
    lonely = wilcoxon({"news": {"a": news["a"]}, "web": {"b": web["b"]}})
    assert lonely[0]["n"] == 0 and math.isnan(lonely[0]["p"])


def test_steady_gaps_are_of_places_that_every_dataset_has():
    low, high, few = of([0.1, 0.5, 0.6, 0.9]), of([0.2, 0.4, 0.7, 0.6]), of([0.3, NAN, 0.5, 0.9])
    row = steady_gaps({"x": low, "y": high}, min_count=1)["eLen"]
    assert (row["best"], row["worst"], row["n"]) == ("XL", "XS", 2) and row["gap"] == pytest.approx(0.6)
    assert row["p"] == stats.wilcoxon([0.8, 0.4]).pvalue == row["p_holm"] and row["effect"] == 1
    row = steady_gaps({"x": of([0.9, 0.8, 0.1, 0.5]), "y": few}, min_count=1)["eLen"]
    assert (row["best"], row["worst"]) == ("XL", "L")  # the place S, which one dataset lacks, is left out
    assert steady_gaps({"x": low}, min_count=2)["eLen"]["best"] is None  # every bucket has one gold mention
    assert steady_gaps({"x": of([0.1, 0.5])}, min_count=1)["eLen"]["best"] == "2"


@given(st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), min_size=1, max_size=5))
def test_steady_gaps_do_not_depend_on_the_order_of_datasets(rows):
    blocks = {str(i): of(row) for i, row in enumerate(rows)}
    forth = steady_gaps(blocks, min_count=1)["eLen"]
    back = steady_gaps(dict(reversed(blocks.items())), min_count=1)["eLen"]
    assert forth["gap"] == pytest.approx(back["gap"]) and forth["gap"] >= -1e-12
    assert forth["p"] == pytest.approx(back["p"])
