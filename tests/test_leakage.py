"""The audit: golden values, units, duplicates, near-leaks, "@"; subsets and hardeval's tables."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_exposure import corpora, keys

from cleancut import (
    CleancutError,
    Corpus,
    Exposure,
    SplitPlan,
    audit,
    clean_f1,
    html_audit,
    html_split,
    join_at,
    mention_statistics,
    mincut,
    read,
    subsets,
)
from cleancut.core.entities import Key, entity_codes, entity_codes_of
from cleancut.hub.cards import leakage_chart
from cleancut.showing.text import audit_text, split_text


@pytest.fixture(scope="module")
def splits(corpora):
    def get(name):
        files = {"train": "train", "validation": "dev", "test": "test"}
        return {split: read(corpora / name / f"{file}.jsonl") for split, file in files.items()}

    return get


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wnut17", "btc", "btc_atfix", "bc5cdr"])
def test_golden_contamination(name, golden, splits):
    data = splits(name)
    columns = {"n": "n_samples", "empty": "n_empty", "partial": "n_partial", "full": "n_full", "full_eq4": "n_full_eq4"}
    entities = {
        "mentions": "n_mentions", "contaminated_mentions": "n_mentions_contaminated", "unique": "n_entities",
        "contaminated_unique": "n_entities_contaminated",
    }  # fmt: skip
    for key, rows in golden["contamination"]["samples"][name].items():
        if key in ("sizes", "ratios"):
            continue
        options = {"case": "uncased" not in key, "typed": "+type" in key}
        found = audit(data, **options).pairs
        for pair, row in rows.items():
            if pair == "entities_test_in_train":
                ours, wanted = found["test", "train"], entities
            elif pair == "test_vs_train+dev":
                both = {"train": Corpus.concatenate([data["train"], data["validation"]]), "test": data["test"]}
                ours, wanted = audit(both, **options).pairs["test", "train"], columns
            else:
                ours, wanted = found[tuple(pair.replace("dev", "validation").split("_vs_"))], columns
            assert {k: ours[v] for k, v in wanted.items()} == {k: row[k] for k in wanted}, (key, pair)


@pytest.mark.slow
def test_golden_tables_1_and_2(golden, splits):
    for name, tables in golden["hardeval"]["tables"].items():
        data = splits(name)
        found = mention_statistics(data["train"], data["test"])
        assert found == {"train": tables["T1"], "test": tables["T2_test"]}
        if "T2_dev" in tables:
            assert mention_statistics(data["train"], data["validation"])["test"] == tables["T2_dev"]


@pytest.mark.slow
def test_joining_at_signs_gives_the_published_corpus(splits):
    raw, fixed = splits("btc"), splits("btc_atfix")
    for split in raw:
        assert join_at(raw[split]).entities() == fixed[split].entities()
    assert '"@" is a mention of its own' in audit(raw).notes[0]
    assert audit(fixed).notes == []


TRAIN = Corpus.of(
    [["Ada", "met", "Bo"], ["Oslo"], ["so"], ["Ada", "met", "Bo"]],
    tags=[["B-P", "O", "B-P"], ["B-L"], ["O"], ["B-P", "O", "B-P"]],
    docs=["1", "1", "2", None],
)
TEST = Corpus.of(
    [["Ada", "met", "Bo"], ["ADA", "slept"], ["Cy"], ["so"], ["Ada", "in", "Rome"]],
    tags=[["B-P", "O", "B-P"], ["B-P", "O"], ["B-P"], ["O"], ["B-P", "O", "B-L"]],
    docs=["7", "7", "8", "8", "9"], ids=list("abcde"),
)  # fmt: skip


def test_the_audit_by_hand():
    found = audit({"test": TEST, "train": TRAIN})
    assert list(found.pairs) == [("train", "test"), ("test", "train")]
    pair = found.pairs["test", "train"]
    assert pair == {
        "n_samples": 5, "n_empty": 1, "n_partial": 2, "n_full": 1, "n_full_eq4": 2, "rate_partial": 0.4,
        "rate_full": 0.2, "n_mentions": 6, "n_mentions_contaminated": 3, "n_entities": 5,
        "n_entities_contaminated": 2,
    }  # fmt: skip
    assert found.duplicates == {("train", "test"): 3, ("test", "train"): 2}
    assert found.near_leaks["test", "train"] == {
        "n_mentions": 1, "n_entities": 1, "examples": [{"entity": "ADA", "label": "P", "n_test": 1}]
    }  # fmt: skip
    assert found.types == {"train": {"L": 1, "P": 4}, "test": {"L": 1, "P": 5}}
    assert found.memorisation["test"]["n_exact"] == 3
    leak = found.top_leaks[0]
    assert (leak["entity"], leak["label"], leak["n_test"], leak["n_train"]) == ("Ada", "P", 2, 2)
    assert leak["examples"]["test"][0] == {"sample": 0, "id": "a", "text": "Ada met Bo"}
    assert leak["examples"]["train"][0]["text"] == "Ada met Bo"


def test_by_document():
    pair = audit({"train": TRAIN, "test": TEST}, unit="doc").pairs["test", "train"]
    assert (pair["n_samples"], pair["n_partial"], pair["n_full"], pair["n_empty"]) == (3, 2, 0, 0)
    assert audit({"train": TRAIN, "test": TEST}, unit="doc").pairs["train", "test"]["n_samples"] == 3
    plain = Corpus.of([["a"]], tags=[["O"]])
    with pytest.raises(CleancutError, match="test has no document ids"):
        audit({"train": TRAIN, "test": plain}, unit="doc")


def test_keys_and_errors():
    assert audit({"train": TRAIN, "test": TEST}, case=False).pairs["test", "train"]["n_mentions_contaminated"] == 4
    assert audit({"train": TRAIN, "test": TEST}, typed=False).top_leaks[0]["label"] is None
    with pytest.raises(CleancutError, match="at least train and test"):
        audit({"train": TRAIN})
    with pytest.raises(CleancutError, match="unit='page' is unknown"):
        audit({"train": TRAIN, "test": TEST}, unit="page")


def test_wrong_splits_are_refused():
    for wrong in ([TRAIN, TEST], {"train": {"tokens": []}, "test": TEST}, TRAIN):
        with pytest.raises(CleancutError, match="give the splits as"):
            audit(wrong)
    with pytest.raises(CleancutError, match="top=-1"):
        audit({"train": TRAIN, "test": TEST}, top=-1)
    assert list(audit({"test": TEST, "dev": TEST, "train": TRAIN}).near_leaks) == [
        ("dev", "train"), ("test", "train"), ("test", "dev"),
    ]  # fmt: skip


def test_joining_keeps_the_repairs_counted():
    from cleancut import exact_f1

    corpus = Corpus.of([["@", "bob", "x"]], tags=[["I-PER", "B-PER", "O"]], scheme="iob2")
    score = exact_f1(join_at(corpus), join_at(corpus))
    assert (score.n_gold, score.n_repaired_gold) == (1, 1) and "scheme:iob2" in score.signature


def test_an_audit_is_plain_json():
    data = audit({"train": TRAIN, "validation": TEST, "test": TEST}).to_dict()
    assert json.loads(json.dumps(data)) == data
    assert {"test_vs_train", "train_vs_test", "validation_vs_train", "test_vs_validation", "duplicates", "top_leaks",
            "memorisation"} <= set(data)  # fmt: skip


def test_pairs_of_splits_are_tuples_whatever_their_names(tmp_path):
    """In JSON a pair is ``a_vs_b``; the names of the splits say where that is to be cut."""
    found = audit({"a": TRAIN, "old_vs_new": TEST})
    assert list(found.pairs) == list(found.duplicates) == [("a", "old_vs_new"), ("old_vs_new", "a")]
    assert list(found.near_leaks) == [("old_vs_new", "a")] and found.top_leaks[0]["pair"] == ("old_vs_new", "a")
    stored = json.loads(json.dumps(found.to_dict()))
    assert stored["old_vs_new_vs_a"] == found.pairs["old_vs_new", "a"]
    usual = audit({"train": TRAIN, "test": TEST}).top_leaks[0]
    leak = stored["top_leaks"][0]
    assert leak["pair"] == "old_vs_new_vs_a"
    assert (leak["n_old_vs_new"], leak["n_a"]) == (usual["n_test"], usual["n_train"])
    assert set(stored["duplicates"]) == {"a_vs_old_vs_new", "old_vs_new_vs_a"}
    for drawn in (html_audit(found), audit_text(found), found._repr_html_()):
        assert "old_vs_new in a" in drawn
    names = {"old_vs_new": 50, "test": 50}
    plan = mincut({"a": TRAIN, "old_vs_new": TEST}, names, min_per_type=0, effort="fast")
    for drawn in (html_split(plan), split_text({"after": plan}), plan._repr_html_()):
        assert "old_vs_new with test" in drawn
    assert "old_vs_new in test" in leakage_chart(plan)
    plan.save(tmp_path / "plan.json")
    loaded = SplitPlan.load(tmp_path / "plan.json")
    assert loaded.leakage == plan.leakage and ("old_vs_new", "test") in loaded.leakage["after"]
    assert ("old_vs_new", "a") in loaded.leakage["before"]
    assert set(json.loads((tmp_path / "plan.json").read_text())["leakage_after"]) == {
        "old_vs_new_vs_test", "test_vs_old_vs_new",
    }  # fmt: skip
    with pytest.raises(CleancutError, match="two pairs of splits are both written as 'a_vs_b_vs_c'"):
        audit(dict.fromkeys(("a", "b_vs_c", "a_vs_b", "c"), TEST)).to_dict()


def test_empty_splits():
    none = Corpus.of([], tags=[])
    pair = audit({"train": TRAIN, "test": none}).pairs["test", "train"]
    assert pair["n_samples"] == 0 and pair["rate_partial"] != pair["rate_partial"]


@given(corpora(nested=True), corpora(nested=True))
def test_the_audit_against_plain_sets(train, test):
    found = audit({"train": train, "test": test})
    pair, shown = found.pairs["test", "train"], set(keys(train))
    of_sample = [set(keys(test.select([i]))) for i in range(len(test))]
    assert pair["n_partial"] == sum(bool(s & shown) for s in of_sample)
    assert pair["n_full"] == sum(bool(s) and s <= shown for s in of_sample)
    assert pair["n_full_eq4"] == sum(s <= shown for s in of_sample)
    assert pair["n_entities"] == len(set(keys(test)))
    assert pair["n_entities_contaminated"] == len(set(keys(test)) & shown)
    texts = [tuple(words) for words in train.tokens()]
    assert found.duplicates["test", "train"] == sum(tuple(words) in texts for words in test.tokens())
    of_any_case = {(tuple(map(str.casefold, words)), label) for words, label in shown}
    near = [(words, label) for words, label in keys(test) if (tuple(map(str.casefold, words)), label) in of_any_case]
    assert found.near_leaks["test", "train"]["n_mentions"] == sum(key not in shown for key in near)


@given(corpora(nested=True), corpora(nested=True))
def test_subsets_keep_every_sample_and_filter_the_targets(train, test):
    exposure = Exposure.of(train)
    clean, contaminated = subsets(test, exposure)
    assert clean.tokens() == contaminated.tokens() == test.tokens()
    both = [sorted(map(str, a + b)) for a, b in zip(clean.entities(), contaminated.entities())]
    assert both == [sorted(map(str, spans)) for spans in test.entities()]
    assert not exposure.view(clean).seen.any() and exposure.view(contaminated).seen.all()
    assert clean_f1(test, test, exposure).n_clean == len(clean.mentions)


def test_at_signs_in_a_row():
    corpus = Corpus.of([["@", "@", "ada", "@", "x", "@", "bo"]], tags=[["B-P", "B-P", "B-P", "B-P", "O", "B-P", "B-L"]])
    spans = [(s["start"], s["end"]) for s in join_at(corpus).entities()[0]]
    assert spans == [(0, 2), (2, 3), (3, 4), (5, 6), (6, 7)]


@given(corpora(nested=True), corpora(nested=True), st.sampled_from([Key(), Key(case=False), Key(typed=False)]))
def test_codes_of_several_corpora_are_those_of_one(train, test, key):
    of_train, of_test = entity_codes_of([train, test], key)
    whole = entity_codes(Corpus.concatenate([train, test]), key).tolist()
    both = [*of_train.tolist(), *of_test.tolist()]
    assert len(set(zip(both, whole, strict=True))) == len(set(both)) == len(set(whole))


@given(st.lists(st.text(max_size=4), max_size=6), st.booleans(), st.sampled_from([None, "NFC", "NFD", "NFKC", "NFKD"]))
@example(["A\0", "e", "\u0301"], False, "NFC")
@example([], False, None)
def test_many_words_are_compared_as_each_of_them_is(words, case, unicode):
    key = Key(case, True, unicode)
    assert list(key.fold_all(words)) == [key.fold(word) for word in words]
