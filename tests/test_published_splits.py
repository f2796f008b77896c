"""Splits of real corpora at the default effort: published figures, and the paper's method is not better."""

from functools import cache

import pytest
from test_splitting import held_out, ratio_error

from cleancut import Corpus, audit, mincut
from cleancut.splitting.mincut import NOTHING_SHARED

pytestmark = pytest.mark.slow  # the quick cuts of test_splitting.py obey the same laws
ASKED = pytest.mark.exhaustive
"""For what takes long and is like a quicker one beside it."""


@pytest.fixture(scope="module")
def originals(reader, corpora):
    files = {"train": "train", "validation": "dev", "test": "test"}

    def get(name):
        there = {split: file for split, file in files.items() if (corpora / name / f"{file}.jsonl").exists()}
        return {split: reader(f"{name}/{file}") for split, file in there.items()}

    return get


@pytest.fixture(scope="module")
def cut(originals):
    """The plan of a corpus with the settings that are given, made once for all tests that ask for it."""
    return cache(lambda name, **settings: mincut(originals(name), **settings))


@pytest.mark.parametrize(
    ("name", "ratios", "floor", "most"),
    [
        ("btc", (80, 10, 10), None, 0), pytest.param("btc", (80, 10, 10), 0.9, 80, marks=ASKED),
        ("btc", "original", None, 0), pytest.param("btc", "original", 0.9, 220, marks=ASKED),
        ("wnut17", (80, 10, 10), 0.9, 0), ("wnut17", "original", 0.9, 0),
        pytest.param("bc5cdr", (80, 10, 10), None, 505, marks=ASKED),
        ("bc5cdr", (80, 10, 10), 0.9, 505), ("wikigold", (80, 10, 10), 0.9, 0),
    ],
)  # fmt: skip
def test_published_figures(name, ratios, floor, most, originals, cut):
    """Mixed samples: the figures of a careful solver, with a margin for the seed."""
    data = originals(name)
    plan = cut(name, ratios=ratios, representative=floor)
    total = sum(map(len, data.values()))
    shares = [len(part) / total for part in data.values()] if ratios == "original" else (0.8, 0.1, 0.1)
    assert held_out(plan) <= most
    assert ratio_error(plan, shares) <= 0.35
    for split in ("validation", "test"):
        row = plan.representation[split]
        assert row["entity_bearing_ratio"] == pytest.approx(1, abs=0.01)
        if floor:
            assert 0.9 <= row["entities_per_sample_ratio"] <= 1.1
            assert row["types_below_min"] == []
    if most == 0:
        assert plan.how == "components" and plan.guarantee == NOTHING_SHARED


@pytest.mark.parametrize("name", [pytest.param("bc5cdr", marks=ASKED), "crossner_ai", "crossner_politics", "wikigold"])
def test_no_more_contamination_than_the_papers_method(name, originals, cut):
    pytest.importorskip("pymetis", reason="the paper's method needs METIS")
    plan = cut(name, ratios=(80, 10, 10), representative=None)
    assert held_out(plan) <= held_out(mincut(originals(name), method="paper"))


@pytest.mark.parametrize("name", [pytest.param("btc", marks=ASKED), "crossner_ai", "crossner_politics", "wikigold"])
@pytest.mark.parametrize("ratios", [(34, 33, 33), (60, 20, 20)])
def test_nor_at_ratios_that_leave_train_little(name, ratios, originals):
    pytest.importorskip("pymetis", reason="the paper's method needs METIS")
    data = originals(name)
    plan = mincut(data, ratios, representative=None)
    assert held_out(plan) <= held_out(mincut(data, ratios, method="paper"))
    assert ratio_error(plan, [part / 100 for part in ratios]) <= 0.35


@pytest.mark.parametrize(
    ("name", "ratios", "effort", "most"),
    [
        pytest.param("btc", (80, 10, 10), "auto", 80, marks=ASKED), ("btc", (80, 10, 10), "fast", 130),
        pytest.param("btc", "original", "auto", 240, marks=ASKED),
        ("crossner_ai", (80, 10, 10), "auto", 55),
    ],
)  # fmt: skip
def test_nothing_is_shared_where_samples_may_be_discarded(name, ratios, effort, most, originals):
    data = originals(name)
    plan = mincut(data, ratios, discard="auto", effort=effort)
    assert plan.n_discarded <= most
    total = sum(map(len, data.values()))
    shares = [len(part) / total for part in data.values()] if ratios == "original" else (0.8, 0.1, 0.1)
    for split in ("validation", "test"):  # of what is kept
        assert 0.9 <= plan.representation[split]["entities_per_sample_ratio"] <= 1.1
        assert plan.representation[split]["entity_bearing_ratio"] == pytest.approx(1, abs=0.01)
    assert plan.guarantee == NOTHING_SHARED and 0 < plan.n_discarded < 0.08 * len(plan.assignment)
    assert ratio_error(plan, shares) <= 0.35
    parts = plan.apply(data, discarded=True)
    assert sum(map(len, parts.values())) == len(plan.assignment)
    del parts["discarded"]
    assert not any(row["n_partial"] for row in audit(parts).pairs.values())


def test_a_budget_is_kept_and_spent_on_what_contaminates(originals):
    data = originals("crossner_ai")
    free, bounded = mincut(data), mincut(data, discard=0.03)
    assert 0 < bounded.n_discarded <= 0.03 * len(bounded.assignment)
    assert held_out(bounded) <= held_out(free) - 0.25 * bounded.n_discarded  # others take their place
    assert ratio_error(bounded) <= 0.35
    assert bounded.n_discarded == int(0.03 * len(bounded.assignment))
    for split in ("validation", "test"):
        assert 0.9 <= bounded.representation[split]["entities_per_sample_ratio"] <= 1.1


def test_mt_kahypar_cuts_as_well(originals):
    pytest.importorskip("mtkahypar", reason="the engine is an extra")
    plan = mincut(originals("crossner_politics"), engine="kahypar")
    assert "kahypar" in plan.signature
    assert held_out(plan) < held_out(mincut(originals("crossner_politics"), method="random")) / 5
    assert plan.assignment.tolist() == mincut(originals("crossner_politics"), engine="kahypar").assignment.tolist()


def test_the_mix_of_types_is_kept(originals):
    data = originals("crossner_politics")
    free, kept = mincut(data), mincut(data, type_share=0.85)
    assert "|type_share:0.85|" in kept.signature and "type_share" not in free.signature
    for name in ("validation", "test"):
        assert kept.representation[name]["type_distance"] <= 0.15
        counts, whole = kept.representation[name]["type_counts"], {}
        for row in kept.representation.values():
            for label, n in row["type_counts"].items():
                whole[label] = whole.get(label, 0) + n
        slow = sum(abs(counts[t] / sum(counts.values()) - n / sum(whole.values())) for t, n in whole.items()) / 2
        assert kept.representation[name]["type_distance"] == pytest.approx(slow)
    assert max(free.representation[s]["type_distance"] for s in ("validation", "test")) > 0.15
    impossible = mincut(Corpus.of([["Ada"], ["Oslo"]], tags=[["B-P"], ["B-L"]]), ratios=(50, 50), type_share=1)
    assert "test has 0.50 of its mix of types in common with the corpus, not 1." in impossible.notes
