"""The splitter: published figures, guarantees verified by the audit, laws, corner cases."""

import ctypes
import functools
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from searching import few_moves
from strategies import examples
from test_exposure import corpora

from cleancut import CleancutError, Corpus, SplitPlan, audit, mincut
from cleancut.demo.sampletext import generate
from cleancut.splitting import kernels
from cleancut.splitting.mincut import NOTHING_SHARED

quick = functools.partial(mincut, effort="fast")
"""A cut that is not polished: what holds of every plan holds of it, in a tenth of the time."""


def held_out(plan):
    """Contaminated validation and test samples."""
    after = plan.leakage["after"]
    return after["validation", "train"]["n_partial"] + after["test", "train"]["n_partial"]


def ratio_error(plan, shares=(0.8, 0.1, 0.1)):
    """In points, over the kept samples."""
    return 100 * max(abs(a - b) for a, b in zip(plan.to_dict()["ratios"].values(), shares))


@pytest.mark.slow
def test_where_whole_components_do_for_train_only_the_held_out_splits_are_cut():
    chain = [[f"n{i}", f"n{i + 1}"] for i in range(60)]  # too large for one split, not for two
    alone = [[f"m{i}"] for i in range(30)]
    corpus = Corpus.of(chain + alone, tags=[["B-P", "B-P"]] * 60 + [["B-P"]] * 30)
    plan = quick(corpus, (34, 33, 33), representative=None)
    assert held_out(plan) == 0 and plan.leakage["after"]["test", "validation"]["n_partial"] == 1
    assert "no other two splits share an entity" in plan.guarantee


def test_a_large_component_goes_to_a_split_that_holds_it():
    tokens = [["Ada", f"w{i}"] for i in range(45)] + [[f"n{i}", "ran"] for i in range(55)]
    corpus = Corpus.of(tokens, tags=[["B-P", "O"]] * 100)
    for seed in range(4):
        plan = quick(corpus, (20, 30, 50), seed=seed)
        assert plan.guarantee == NOTHING_SHARED and plan.sizes == {"train": 20, "validation": 30, "test": 50}


def mixed_corpus(n=400, seed=3):
    """A giant component, since names of a long tail occur together, and samples without any."""
    return generate(n, seed)


@pytest.mark.parametrize(
    ("engine", "effort"),
    [("peel", "fast"), ("metis", "fast"), ("auto", "fast"), pytest.param("auto", "auto", marks=pytest.mark.slow)],
)
@few_moves()
def test_the_order_of_rows_does_not_matter(engine, effort):
    corpus, options = mixed_corpus(200), {"engine": engine, "effort": effort}
    order = random.Random(1).sample(range(len(corpus)), len(corpus))
    one, other = mincut(corpus, **options), mincut(corpus.select(order), **options)
    assert one.assignment[order].tolist() == other.assignment.tolist()
    assert mincut(corpus, **options).assignment.tolist() == one.assignment.tolist()
    assert mincut(corpus, seed=14, **options).signature != one.signature


@examples(25)
@given(
    corpora(max_samples=12, nested=True),
    st.sampled_from([(80, 10, 10), (50, 50), (1, 1, 1)]),
    st.sampled_from([0, "auto"]),
)
@few_moves()
def test_each_sample_is_assigned_once_and_the_guarantee_is_true(corpus, ratios, discard):
    if not len(corpus):
        return
    plan = quick(corpus, ratios=ratios, discard=discard)
    assert len(plan.assignment) == len(corpus) == sum(plan.sizes.values()) + plan.n_discarded
    after = audit(plan.apply(corpus)).pairs
    assert repr(after) == repr(plan.leakage["after"])
    shared = any(row["n_partial"] for row in after.values())
    assert shared == (plan.guarantee != NOTHING_SHARED)
    if discard == "auto":
        assert not shared
    else:
        assert plan.n_discarded == 0
    words = {}
    for i, tokens in enumerate(corpus.tokens()):
        words.setdefault(tuple(tokens), set()).add(int(plan.assignment[i]))
    assert all(len(splits) == 1 for splits in words.values())  # duplicates stay together


CORNERS = {
    "no entities": Corpus.of([[f"w{i}"] for i in range(50)], tags=[["O"]] * 50),
    "one entity in every sample": Corpus.of([["Ada", f"w{i}"] for i in range(50)], tags=[["B-P", "O"]] * 50),
    "a single sample": Corpus.of([["Ada"]], tags=[["B-P"]]),
    "two samples": Corpus.of([["Ada"], ["Bo"]], tags=[["B-P"], ["B-P"]]),
    "a type that occurs once": Corpus.of([[f"n{i}"] for i in range(60)], tags=[["B-P"]] * 59 + [["B-RARE"]]),
    "a giant component": Corpus.of([[f"n{i}", f"n{i + 1}"] for i in range(60)], tags=[["B-P", "B-P"]] * 60),
    "nested": Corpus.of([[f"n{i}", "x"] for i in range(40)], entities=[[(0, 2, "A"), (0, 1, "B")]] * 40),
    "many types": Corpus.of([[f"n{i}"] for i in range(2000)], tags=[[f"B-T{i}"] for i in range(2000)]),
    "duplicates": Corpus.of([["Ada", "ran"], ["Bo", "sat"]] * 30, tags=[["B-P", "O"]] * 60),
    "a thousand entities": Corpus.of(
        [[f"n{i}x{j}" for j in range(1000)] for i in range(10)] + [[f"m{i}"] for i in range(90)],
        tags=[["B-P"] * 1000] * 10 + [["B-P"]] * 90,
    ),
    "non-ASCII": Corpus.of([[f"東京{i % 20}", "☃"] for i in range(60)], tags=[["B-場所", "O"]] * 60),
    "an empty sample": Corpus.of([[], ["Ada"], ["Bo"]], tags=[[], ["B-P"], ["B-P"]]),
}


POLISHED = ["a giant component", "one entity in every sample", "nested"]
"""Corners of the search itself, at the default effort as well."""


@pytest.mark.parametrize(
    ("case", "effort", "discard"),
    [(case, "fast", 0) for case in CORNERS]
    + [pytest.param(case, "fast", "auto", marks=pytest.mark.slow if case in POLISHED else []) for case in CORNERS]
    + [pytest.param(case, "auto", discard, marks=pytest.mark.slow) for case in POLISHED for discard in (0, "auto")],
)
@few_moves()
def test_corner_cases(case, effort, discard, tmp_path):
    corpus = CORNERS[case]
    plan = mincut(corpus, discard=discard, effort=effort)
    assert sum(plan.sizes.values()) + plan.n_discarded == len(corpus)
    if discard == "auto":
        assert plan.guarantee == NOTHING_SHARED
    plan.save(tmp_path / "plan.json")
    assert SplitPlan.load(tmp_path / "plan.json").assignment.tolist() == plan.assignment.tolist()


def test_ratios():
    corpus = mixed_corpus(200)
    assert quick(corpus, ratios=(90, 0, 10)).sizes["validation"] == 0
    assert list(quick(corpus, ratios=(80, 20)).sizes) == ["train", "test"]
    assert list(quick(corpus, ratios={"a": 0.5, "b": 0.3, "c": 0.2}).sizes) == ["a", "b", "c"]
    assert quick(corpus, ratios=(8, 1, 1)).sizes == quick(corpus, ratios="80/10/10").sizes
    for wrong in ((100,), (1, 2, 3, 4), "a/b", (-1, 2), (0, 0), "original", 7):
        with pytest.raises(CleancutError, match="ratios="):
            quick(corpus, ratios=wrong)


def test_wrong_options_are_refused():
    corpus = mixed_corpus(50)
    for option in ({"discard": "all"}, {"discard": 1.5}, {"representative": 7}, {"method": "magic"}, {"engine": "x"}):
        with pytest.raises(CleancutError, match=next(iter(option))):
            quick(corpus, **option)
    with pytest.raises(CleancutError, match="no samples to split"):
        quick(Corpus.of([], tags=[]))
    with pytest.raises(CleancutError, match="no document ids"):
        quick(corpus, unit="doc")


@pytest.mark.slow
@few_moves()
def test_a_budget_is_kept():
    corpus = mixed_corpus(600)
    needed = quick(corpus, discard="auto").n_discarded
    assert needed > 6
    plan = quick(corpus, discard=0.01)
    assert 0 < plan.n_discarded <= 6


def test_documents_stay_whole():
    corpus = mixed_corpus(200)
    docs = [str(i // 4) for i in range(200)]
    plan = quick(Corpus.of(corpus.tokens(), entities=corpus.entities(), docs=docs), unit="doc")
    of_doc = {}
    for doc, split in zip(docs, plan.assignment.tolist()):
        of_doc.setdefault(doc, set()).add(split)
    assert all(len(splits) == 1 for splits in of_doc.values())


def test_plans_apply_to_datasets(tmp_path):
    datasets = pytest.importorskip("datasets")
    corpus = mixed_corpus(120)
    rows = {"tokens": corpus.tokens(), "tags": corpus.tags(), "extra": list(range(120))}
    ds = datasets.Dataset.from_dict(rows)
    plan = quick(ds, discard="auto")
    dd = plan.apply(ds, discarded=True)
    assert sorted(x for part in dd.values() for x in part["extra"]) == list(range(120))
    assert dd["test"].features == ds.features
    split = datasets.DatasetDict(train=ds.select(range(80)), test=ds.select(range(80, 120)))
    assert quick(split, discard="auto").assignment.tolist() == plan.assignment.tolist()
    with pytest.raises(CleancutError, match="the plan is for 120 samples, but 80"):
        plan.apply(split["train"])


def test_plans_are_json(tmp_path):
    plan = quick({"train": mixed_corpus(100), "test": mixed_corpus(40, seed=5)})
    assert set(plan.to_dict()) >= {
        "n_samples", "n_discarded", "sizes", "ratios", "leakage_before", "leakage_after", "representation", "how",
        "guarantee", "signature",
    }  # fmt: skip
    plan.save(tmp_path / "plan.json")
    assert json.loads((tmp_path / "plan.json").read_text())["format"] == "cleancut-plan-1"
    for bad in ("[]", "{}", "nothing"):
        (tmp_path / "bad.json").write_text(bad)
        with pytest.raises(CleancutError, match="not a plan"):
            SplitPlan.load(tmp_path / "bad.json")
    with pytest.raises(CleancutError, match="no such file"):
        SplitPlan.load(tmp_path / "none.json")


def test_without_numba_and_metis(monkeypatch):
    """The same code as plain Python, and peeling alone."""
    import sys

    monkeypatch.setitem(sys.modules, "pymetis", None)
    monkeypatch.setattr(kernels, "HAS_NUMBA", False)
    corpus = mixed_corpus(150)
    plan = quick(corpus, discard="auto")
    assert plan.guarantee == NOTHING_SHARED and any("numba is not installed" in note for note in plan.notes)
    with pytest.raises(CleancutError, match="needs pymetis"):
        mincut(corpus, method="paper")


@pytest.mark.parametrize("method", ["mincut", "random"])
def test_a_sentence_that_stands_there_many_times_does_not_spoil_the_ratios(method):
    names = mixed_corpus(400)
    tokens = names.tokens() + [["Nothing", "happened", "."]] * 60
    corpus = Corpus.of(tokens, entities=names.entities() + [[]] * 60)
    plan = quick(corpus, method=method)
    assert ratio_error(plan) <= 0.35
    assert len(set(plan.assignment[400:].tolist())) == 1


def test_random_and_components():
    corpus = mixed_corpus(600)
    plan = quick(corpus, method="random")
    assert ratio_error(plan) <= 0.35 and plan.how == "random"
    assert quick(corpus, method="components").guarantee == NOTHING_SHARED


@few_moves()
def test_the_leakage_is_what_a_slow_count_gives():
    corpus = mixed_corpus(300)
    parts = quick(corpus).apply(corpus)

    def keys(part):
        rows = zip(part.tokens(), part.entities())
        return [{(tuple(words[s["start"] : s["end"]]), s["label"]) for s in spans} for words, spans in rows]

    shown = set().union(*keys(parts["train"]))
    expected = sum(bool(sample & shown) for sample in keys(parts["test"]))
    assert quick(corpus).leakage["after"]["test", "train"]["n_partial"] == expected


def test_a_budget_that_suffices_is_as_good_as_any():
    corpus = mixed_corpus(150)
    assert quick(corpus, discard=0.9).assignment.tolist() == quick(corpus, discard="auto").assignment.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("discard", [0, 0.05])
@pytest.mark.parametrize("ratios", [(80, 10, 10), (10, 20, 70), (90, 0, 10), (0, 50, 50), (50, 50)])
@few_moves()
def test_ratios_hold_where_an_entity_is_in_every_sample(ratios, discard):
    corpus = Corpus.of([["Ada", f"n{i % 9}"] for i in range(100)], tags=[["B-P", "B-P"]] * 100)
    plan = quick(corpus, ratios, discard=discard, duplicates_together=False)
    kept = 100 - plan.n_discarded
    for n, part in zip(plan.sizes.values(), ratios):
        assert abs(n - kept * part / sum(ratios)) <= 1


def test_the_guarantee_names_both_directions_of_every_pair():
    plan = quick(mixed_corpus(), (50, 25, 25), representative=None)
    after = plan.leakage["after"]
    assert any(row["n_partial"] for row in after.values())
    for (one, other), row in after.items():
        if row["n_partial"]:
            told = [f"{row['n_partial']} of {row['n_samples']} {one} samples {how} {other}" for how in SHARING]
            assert any(text in plan.guarantee for text in told)


SHARING = ("share an entity with", "with")


def test_a_hundred_splits():
    names = {f"s{i}": 1 for i in range(100)}
    corpus = Corpus.of([[f"n{i // 2}", f"w{i}"] for i in range(400)], tags=[["B-P", "O"]] * 400)
    plan = quick(corpus, names, min_per_type=0)
    assert set(plan.sizes.values()) == {4} and plan.guarantee == NOTHING_SHARED


@pytest.mark.slow
@few_moves()
def test_metis_says_nothing(capfd):
    pytest.importorskip("pymetis", reason="it is METIS that must be quiet")
    rng = random.Random(3)
    for _ in range(20):
        tokens = [[f"E{rng.randint(0, 3)}" for _ in range(rng.randint(1, 3))] for _ in range(rng.randint(2, 14))]
        quick(Corpus.of(tokens, tags=[["B-P"] * len(own) for own in tokens]), min_per_type=1)
    ctypes.CDLL(None).fflush(None)
    print("still heard")
    assert capfd.readouterr().out == "still heard\n"


@pytest.mark.slow  # most of the work that is told of is the polishing of the default effort
@pytest.mark.parametrize("discard", [0, 0.01, 0.3, "auto"])
@pytest.mark.parametrize("floor", [0.9, None])
@few_moves()
def test_progress_adds_up(discard, floor):
    told = []
    plan = mincut(mixed_corpus(), discard=discard, representative=floor, progress=told.append)
    assert (len(told) > 4 or plan.how == "components") and sum(told) == pytest.approx(1) and min(told) > -1e-9


@pytest.mark.parametrize("bearing", [0, 0.6])
@pytest.mark.parametrize("size", [1, 5, 20])
def test_ratios_hold_over_many_small_strata(bearing, size):
    rng, n = random.Random(5), 200 * size
    tags = [["B-P" if rng.random() < bearing else "O"] for _ in range(n)]
    plan = quick(Corpus.of([[f"w{i}"] for i in range(n)], tags=tags), stratify=[i // size for i in range(n)])
    assert ratio_error(plan) <= max(0.35, 100 / n + 1e-9)


def test_the_origin_of_rows_is_kept_on_request():
    import datasets

    corpus = mixed_corpus(60)
    columns = {"tokens": corpus.tokens(), "tags": corpus.tags()}
    whole = datasets.Dataset.from_dict(columns)
    data = datasets.DatasetDict({"train": whole.select(range(40)), "test": whole.select(range(40, 60))})
    found = quick(data).apply(data, origin=True)
    rows = [row for part in found.values() for row in part.to_list()]
    assert len(rows) == 60 and set(found["train"].features) == {"tokens", "tags", "source_split", "source_row"}
    assert all(data[row["source_split"]][row["source_row"]]["tokens"] == row["tokens"] for row in rows)
    assert set(quick(data).apply(data)["train"].features) == {"tokens", "tags"}


def test_a_plan_is_for_its_rows_in_their_order():
    corpus = mixed_corpus(80)
    parts = {"train": corpus.select(slice(0, 50)), "test": corpus.select(slice(50, 80))}
    plan = quick(parts)
    there = plan.apply(parts)
    assert plan.apply({"test": parts["test"], "train": parts["train"]})["test"].tokens() == there["test"].tokens()
    shuffled = corpus.select(list(reversed(range(80))))
    with pytest.raises(CleancutError, match="another order"):
        plan.apply(shuffled)
    with pytest.raises(CleancutError, match="splits of"):
        plan.apply({"train": parts["test"], "test": parts["train"]})
    with pytest.raises(CleancutError, match="expected a Corpus"):
        plan.apply([1] * 80)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed"), ({"seed": 1.5}, "seed"), ({"min_per_type": -3}, "min_per_type"),
        ({"representative": "on"}, "representative"), ({"duplicates_together": 0}, "true or false"),
        ({"ratios": {"train": 8, "../x": 2}}, "name of a split"),
        ({"ratios": {"train": 8, "discarded": 2}}, "name of a split"),
        ({"method": "random", "discard": "auto"}, "no effect"),
        ({"ratios": {f"s{i}": 1 for i in range(200)}}, "at most 100"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused(options, message):
    with pytest.raises(CleancutError, match=message):
        quick(mixed_corpus(20), **options)
    with pytest.raises(CleancutError, match="no samples"):
        mincut({})


def test_train_comes_first_and_original_names_stay():
    plan = quick(mixed_corpus(60), ratios={"test": 20, "train": 80})
    assert plan.names == ("train", "test") and plan.sizes["train"] > plan.sizes["test"]
    corpus = mixed_corpus(60)
    parts = {"train": corpus.select(slice(0, 45)), "dev": corpus.select(slice(45, 60))}
    assert quick(parts, ratios="original").names == ("train", "validation")


def test_documents_with_numbers_are_others_in_each_file_and_boilerplate_joins_nothing():
    tokens = [[f"n{i}", "ran"] if i % 3 else ["All", "rights", "reserved"] for i in range(90)]
    tags = [["B-P", "O"] if i % 3 else ["O"] * 3 for i in range(90)]
    docs = [str(i // 3 % 15) for i in range(90)]
    whole = Corpus.of(tokens, tags=tags, docs=docs)
    parts = {"train": whole.select(slice(0, 45)), "test": whole.select(slice(45, 90))}
    plan = quick(parts, unit="doc", ratios=(50, 50))
    assert plan.sizes == {"train": 45, "test": 45}
    of_doc = [set(plan.assignment[i : i + 3].tolist()) for i in range(0, 90, 3)]
    assert all(len(splits) == 1 for splits in of_doc)
    assert any(of_doc[i] != of_doc[i + 15] for i in range(15))


def test_what_was_missed_is_said():
    names = [f"n{i // 40}" for i in range(120)]  # three entities cannot be halves
    corpus = Corpus.of([[name, f"w{i}"] for i, name in enumerate(names)], tags=[["B-P", "O"]] * 120)
    plan = quick(corpus, method="components", ratios=(50, 50))
    assert any("of the samples, not 50.0%" in note for note in plan.notes)


# --- strata and the mix of types --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def domains():
    """Two domains of different size that share names, and one of a single sample."""
    parts = [generate(300, 3), generate(120, 5), generate(1, 7)]
    names = [name for name, part in zip(("news", "web", "rest"), parts) for _ in range(len(part))]
    return Corpus.concatenate(parts), names


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"discard": "auto"}, {"representative": None}])
@few_moves()
def test_ratios_hold_within_strata(domains, options):
    corpus, names = domains
    plan = mincut(corpus, stratify={"domain": names}, **options)
    assert "|stratify:domain|" in plan.signature and not any("domain" in note for note in plan.notes)
    for name, asked in (("validation", 0.1), ("test", 0.1)):
        found = plan.representation[name]["strata"]
        for value in ("news", "web", "rest"):
            rows = [i for i, own in enumerate(names) if own == value and plan.assignment[i] >= 0]
            own = sum(plan.names[plan.assignment[i]] == name for i in rows)
            assert found[value] == own and abs(own - asked * len(rows)) <= max(1, 0.0035 * len(rows))
    after = audit(plan.apply(corpus)).pairs
    assert repr(after) == repr(plan.leakage["after"])
    order = random.Random(1).sample(range(len(corpus)), len(corpus))
    other = mincut(corpus.select(order), stratify={"domain": [names[i] for i in order]}, **options)
    assert plan.assignment[order].tolist() == other.assignment.tolist()


@pytest.mark.slow
def test_what_strata_cannot_have_is_said():
    corpus = Corpus.of([["Ada"]] * 10 + [["Bo"]] * 10, tags=[["B-PER"]] * 20)
    plan = quick(corpus, ratios=(50, 50), stratify=["a"] * 10 + ["b"] * 10, discard="auto", duplicates_together=False)
    assert any("of the samples whose values is a, not 50.0%." in note for note in plan.notes)


@few_moves()
def test_strata_come_from_columns(tmp_path, capsys, domains):
    import datasets
    from test_cli import run

    corpus, names = domains
    rows = [
        {"tokens": tokens, "entities": entities, "domain": name}
        for tokens, entities, name in zip(corpus.tokens(), corpus.entities(), names)
    ]
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    dataset = datasets.Dataset.from_list(rows)
    dataset.to_parquet(str(tmp_path / "all.parquet"))
    plan = quick(dataset, stratify="domain")
    assert plan.assignment.tolist() == quick(corpus, stratify={"domain": names}).assignment.tolist()
    for file in ("all.jsonl", "all.parquet"):
        options = ["--stratify", "domain", "--type-share", "0.5", "--effort", "fast", "--json"]
        code, out, err = run(capsys, "split", tmp_path / file, "-o", tmp_path / "out", *options)
        assert code == 0, err
        assert "|type_share:0.5|stratify:domain|" in json.loads(out)["signature"]
        assert json.loads(out)["representation"]["test"]["strata"]["news"] == 30
    code, _, err = run(capsys, "split", tmp_path / "all.jsonl", "-o", tmp_path / "out", "--stratify", "language")
    assert code == 2 and "there is no column 'language'. The columns are 'tokens', 'entities', 'domain'." in err
    (tmp_path / "a.conll").write_text("".join(f"-DOCSTART- (d{i % 2}) O\n\nAda{i} B-PER\n\n" for i in range(20)))
    code, out, _ = run(capsys, "split", tmp_path / "a.conll", "-o", tmp_path / "out", "--stratify", "doc", "--json")
    assert code == 0 and json.loads(out)["representation"]["test"]["strata"] == {"d0": 1, "d1": 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stratify": ["a"]}, "1 value but 400 samples"),
        ({"stratify": "language"}, "there is no column 'language'"),
        ({"stratify": 3}, "Give a column"),
        ({"stratify": [["a"]] * 400}, "Choose a column of single values"),
        ({"stratify": range(400)}, "has 400 values in 400 samples, more than 200"),
        ({"stratify": ["a"] * 400, "method": "random"}, "stratify has no effect on method random"),
        ({"type_share": 1.2}, "type_share=1.2 is out of range"),
    ],
)
def test_bad_strata_are_refused(options, message):
    with pytest.raises(CleancutError, match=message):
        quick(mixed_corpus(), **options)
