"""Attribute buckets: golden values, every attribute against a slow reading of its definition, laws."""

import json
import math
from collections import Counter
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import flat, span

from cleancut import CleancutError, Corpus, Exposure, __version__, buckets, exact_f1, read, register_attribute
from cleancut.scoring.buckets import _ATTRIBUTES, PAPER, Level, Table, _equal_ends, attribute_names

WORDS = "a b A New York york 3rd".split()


@st.composite
def texts(draw):
    """Words and mentions; samples have eight tokens."""
    n, spans = draw(st.integers(1, 4)), st.lists(span(), max_size=4)
    tokens = [draw(st.lists(st.sampled_from(WORDS), min_size=8, max_size=8)) for _ in range(n)]
    return tokens, [draw(spans) for _ in range(n)]


def values(name, corpus, exposure, level=Level.ENTITY):
    return _ATTRIBUTES[name].values(Table(corpus, exposure, level))


def test_golden_attributes_of_each_mention(golden, corpora, reader):
    test, exposure = reader("wnut17/test"), Exposure.of(reader("wnut17/train"))
    rows = [json.loads(line) for line in (corpora.parent / "golden" / "buckets_wnut17.jsonl").read_text().splitlines()]
    expected = {
        "eLen": [row["eLen"] for row in rows],
        "sLen": [row["sLen"] for row in rows],
        "eDen": [row["eDen"] for row in rows],
        "oDen": [row["oDen"] for row in rows],
        "eFre": [row["eFre_mentions"] for row in rows],
        "eCon": [row["eCon_mentions"] / max(row["span_occurrences"], 1) for row in rows],
        "tFre": [fmean(row["tFre"]) for row in rows],
        "tCon": [fmean(n / max(of, 1) for n, of in row["tCon"]) for row in rows],
    }
    assert len(rows) == golden["buckets"]["wnut17"]["n_entities"]
    for name, column in expected.items():
        assert values(name, test, exposure) == pytest.approx(column), name


def test_golden_scores_of_each_bucket(golden, reader):
    test, exposure = reader("wnut17/test"), Exposure.of(reader("wnut17/train"))
    place = {"eLen/1": 0, "eLen/2": 1, "eLen/3": 2, "eLen/4": 3, "eCon/0": 0}
    systems: dict = {}
    for key, expected in golden["buckets"]["wnut17"]["bucket_f1"].items():
        system, attribute, bucket = key.split("/")
        if system not in systems:
            systems[system] = buckets(test, reader(f"wnut17/pred/{system}"), exposure)
        row = systems[system][attribute][place[f"{attribute}/{bucket}"]]
        counts = row["n_gold"], row["n_pred"], row["n_exact_gold"], row["n_exact_pred"]
        assert counts == (expected["gold"], expected["pred"], expected["tp"], expected["tp"])
        for name in ("precision", "recall", "f1"):
            assert row[name] == pytest.approx(expected[name], abs=1e-12)
    assert len(systems) == 7


def slow_attributes(tokens, spans, train_tokens, train_spans):
    """Each attribute of each mention, read from its definition (Section 3.1), one after the other."""
    train = list(zip(train_tokens, train_spans))
    mentions = Counter(
        (tuple(words[start:end]), label)
        for words, found in train
        for start, end, label in {(s["start"], s["end"], s["label"]) for s in found}
    )
    word_count = Counter(word for words in train_tokens for word in words)
    word_type = Counter()
    for words, found in train:
        for i, label in {(i, s["label"]) for s in found for i in range(s["start"], s["end"])}:
            word_type[words[i], label] += 1
    rows = []
    for words, found in zip(tokens, spans):
        unique = sorted({(s["start"], s["end"], s["label"]) for s in found})
        for start, end, label in unique:
            surface = tuple(words[start:end])
            places = sum(
                tuple(other[i : i + len(surface)]) == surface
                for other in train_tokens
                for i in range(len(other) - len(surface) + 1)
            )
            rows.append(
                {
                    "eDen": len(unique) / len(words),
                    "oDen": sum(word_count[w] == 0 for w in words) / len(words),
                    "sLen": len(words),
                    "eCon": mentions[surface, label] / places if places else 0,
                    "tCon": fmean(word_type[w, label] / word_count[w] if word_count[w] else 0 for w in surface),
                    "eFre": sum(n for (other, _), n in mentions.items() if other == surface),
                    "tFre": fmean(word_count[w] for w in surface),
                    "eLen": len(surface),
                }
            )
    return rows


@given(texts(), texts())
def test_attributes_are_what_the_paper_says(test, train):
    gold, exposure = Corpus.of(test[0], entities=test[1]), Exposure.of(Corpus.of(train[0], entities=train[1]))
    rows = slow_attributes(*test, *train)
    for name in PAPER:
        assert values(name, gold, exposure).tolist() == pytest.approx([row[name] for row in rows]), name


@given(texts(), texts(), st.data())
def test_counts_add_up_in_every_attribute(test, train, data):
    tokens, spans = test
    pred = [data.draw(st.lists(span(), max_size=4)) for _ in spans]
    gold = Corpus.of(tokens, entities=spans)
    whole = exact_f1(gold, pred)
    level = data.draw(st.sampled_from(["entity", "token"]))
    bins = data.draw(st.one_of(st.integers(1, 6), st.just({"sLen": [4, 8], "eDen": 2})))
    found = buckets(gold, pred, Exposure.of(Corpus.of(train[0], entities=train[1])), bins=bins, level=level)
    assert list(found) == attribute_names(level)
    counts = ("n_gold", "n_pred", "n_exact_gold")
    totals = {tuple(sum(row[n] for row in rows) for n in counts) for rows in found.values()}
    assert len(totals) == 1
    if level == "entity":
        assert totals == {(whole.n_gold, whole.n_pred, whole.n_exact)}
    for rows in found.values():
        assert sum(row["n_exact_gold"] for row in rows) == sum(row["n_exact_pred"] for row in rows)
        names = [row["bucket"] for row in rows]
        assert len(set(names)) == len(names)
        for row in rows:
            if not row["n_gold"] and not row["n_pred"]:
                assert math.isnan(row["f1"]) and math.isnan(row["precision"]) and math.isnan(row["recall"])
            else:
                assert 0 <= row["f1"] <= 1


@given(texts(), st.data())
def test_one_bucket_is_the_whole_score(test, data):
    tokens, spans = test
    pred = [data.draw(st.lists(span(), max_size=4)) for _ in spans]
    whole = exact_f1(spans, pred)
    for row in (rows[0] for rows in buckets(spans, pred, tokens=tokens, bins=1, attributes=["sLen", "eDen"]).values()):
        if whole.n_gold or whole.n_pred:
            assert (row["precision"], row["recall"]) == (whole.precision, whole.recall)
            assert row["f1"] == pytest.approx(whole.f1)


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 6))
def test_equal_values_never_straddle_two_buckets(numbers, parts):
    numbers = np.sort(np.array(numbers, float))
    ends = _equal_ends(numbers, parts)
    assert len(ends) == parts - 1 and ends == sorted(ends)
    for end in ends:
        assert end in (0, len(numbers)) or numbers[end - 1] != numbers[end]
    filled = sum(b > a for a, b in zip([0, *ends], [*ends, len(numbers)]))
    assert filled == min(parts, len(set(numbers.tolist())))  # no bucket is empty while there are values to fill it


def test_equal_counts_where_values_allow():
    sizes = np.diff([0, *_equal_ends(np.arange(1079.0), 4), 1079])
    assert sizes.max() - sizes.min() <= 1
    heavy = np.repeat([1.0, 2, 3, 4], [70, 10, 10, 10])
    assert _equal_ends(heavy, 4) == [70, 80, 90]


TOKENS = [["Ada", "King", "met", "IBM", "in", "New", "York"], ["nobody", "came"]]
GOLD = [[(0, 2, "PER"), (3, 4, "ORG"), (5, 7, "LOC")], []]
PRED = [[(0, 2, "PER"), (3, 4, "LOC")], [(0, 1, "PER")]]
TRAIN = Corpus.of(
    [["Ada", "King", "and", "Ada", "King"], ["New", "York", "IBM"]],
    entities=[[(0, 2, "PER")], [(0, 2, "LOC"), (2, 3, "LOC")]],
)


def test_a_worked_example():
    found = buckets(GOLD, PRED, Exposure.of(TRAIN), tokens=TOKENS)
    rows = {name: {row["bucket"]: (row["n_gold"], row["n_pred"]) for row in found[name]} for name in found}
    assert rows["eLen"] == {"1": (1, 2), "2": (2, 1), "3": (0, 0), ">=4": (0, 0)}
    # Ada King is a person in one of two places, New York a location in its only one, IBM never an organisation
    assert rows["eCon"] == {"0": (1, 1), "0.5": (1, 1), "-": (0, 0), "1": (1, 1)}
    assert rows["novelty"] == {"seen": (2, 2), "other_type": (1, 0), "known_words": (0, 0), "unknown_words": (0, 1)}
    assert rows["case"] == {"lower": (0, 1), "title": (2, 1), "upper": (1, 1), "mixed": (0, 0), "digits": (0, 0)}
    assert rows["label"] == {"LOC": (1, 1), "ORG": (1, 0), "PER": (1, 2)}
    assert found.means["eLen"] == pytest.approx(5 / 3) and found.means["eFre"] == pytest.approx(1 / 3)
    assert found.signature == (
        f"bucket_f1|match:exact|scheme:spans|level:entity|bins:4|key:surface+type|train:{Exposure.of(TRAIN).fingerprint}"
        f"|v:{__version__}"
    )
    assert found.to_dict()["n_gold/eLen/2"] == 2 and list(found.to_dict())[-1] == "signature"


def test_a_right_prediction_counts_in_the_bucket_of_each_side():
    """Entity density is that of the own side's sentence."""
    tokens, gold = [["a", "b", "c", "d"], ["e", "f"]], [[(0, 1, "X")], [(0, 1, "X")]]
    pred = [[(0, 1, "X"), (1, 2, "X")], [(0, 1, "X")]]
    low, high = buckets(gold, pred, tokens=tokens, bins=2)["eDen"]
    assert (low["n_gold"], low["n_pred"], low["n_exact_gold"], low["n_exact_pred"]) == (1, 0, 1, 0)
    assert (high["n_gold"], high["n_pred"], high["n_exact_gold"], high["n_exact_pred"]) == (1, 3, 1, 2)


def test_tokens_are_counted_by_their_type_alone():
    found = buckets([[(0, 2, "PER")]], [[(0, 1, "PER"), (1, 2, "PER")]], tokens=[["Ada", "King"]], level="token")
    assert "eLen" not in found and "eCon" not in found and {"sLen", "eDen", "case"} <= set(found)
    assert found["label"] == [{**found["label"][0], "n_gold": 2, "n_pred": 2, "n_exact_gold": 2, "f1": 1.0}]
    with pytest.raises(CleancutError, match='eLen is one of mentions.* or give level="entity"'):
        buckets([[]], [[]], tokens=[[]], level="token", attributes=["eLen"])


@pytest.mark.parametrize(
    "words, expected",
    [
        ("ada", "lower"), ("Ada", "title"), ("ADA", "upper"), ("New York", "title"), ("EU , UN", "upper"),
        ("McDonald", "mixed"), ("Bank of", "mixed"), ("Area 51", "digits"), ("東京", "uncased"), ("A", "title"),
        ("iPhone", "mixed"), ("U.S.", "upper"), ("Ångström", "title"),
    ],
)  # fmt: skip
def test_case_shapes(words, expected):
    tokens = words.split()
    rows = buckets([[(0, len(tokens), "X")]], [[]], tokens=[tokens], attributes=["case"])["case"]
    assert [row["bucket"] for row in rows if row["n_gold"]] == [expected]


def test_own_edges_and_quantiles():
    tokens = [["w"] * n for n in (1, 5, 9, 10, 30)]
    gold = [[(0, 1, "X")]] * 5
    rows = buckets(gold, gold, tokens=tokens, bins={"sLen": [5, 10]})["sLen"]
    assert [(row["bucket"], row["low"], row["high"], row["n_gold"]) for row in rows] == [
        ("<=4", None, 4, 1), ("5-9", 5, 9, 2), (">=10", 10, None, 2),
    ]  # fmt: skip
    rows = buckets(gold, gold, tokens=tokens, bins={"eLen": 2})["eLen"]  # equal counts in place of 1, 2, 3, >=4
    assert [row["n_gold"] for row in rows] == [5, 0]
    for bins in (0, True, "4", {"sLen": [3, 3]}, {"sLen": ["a"]}):
        with pytest.raises(CleancutError, match="bins"):
            buckets(gold, gold, tokens=tokens, bins=bins)


def test_intervals_contain_the_point_and_repeat(corpora):
    folder = corpora / "crossner_ai"
    gold, exposure = read(folder / "test.jsonl"), Exposure.of(read(folder / "train.jsonl"))
    pred = read(sorted((folder / "pred").glob("*.jsonl"))[0]) if (folder / "pred").is_dir() else gold
    found = buckets(gold, pred, exposure, ci=300)
    for rows in found.values():
        for row in rows:
            for name in ("precision", "recall", "f1"):
                if row[name] == row[name]:
                    assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    again = buckets(gold, pred, exposure, ci=300)
    assert json.dumps(dict(again)) == json.dumps(dict(found)) and "|ci:300|seed:13" in found.signature


def test_an_attribute_of_ones_own():
    def thirds(table):
        return np.array(["first" if start < 3 else "later" for start in table.start])

    register_attribute("thirds", thirds, categories=["first"])
    try:
        rows = buckets(GOLD, PRED, tokens=TOKENS, attributes=["thirds"])["thirds"]
        assert [(r["bucket"], r["n_gold"], r["n_pred"]) for r in rows] == [("first", 1, 2), ("later", 2, 1)]
        register_attribute("broken", lambda table: np.zeros(1))
        with pytest.raises(CleancutError, match="attribute broken: 3 mentions but values of shape"):
            buckets(GOLD, PRED, tokens=TOKENS, attributes=["broken"])
        register_attribute("nan", lambda table: np.full(len(table), np.nan))
        with pytest.raises(CleancutError, match="attribute nan: mention 0 has no value"):
            buckets(GOLD, PRED, tokens=TOKENS, attributes=["nan"])
    finally:
        for name in ("thirds", "broken", "nan"):
            _ATTRIBUTES.pop(name, None)
    with pytest.raises(CleancutError, match="'eLen' is an attribute of cleancut's own"):
        register_attribute("eLen", len)


def test_bad_input_is_refused():
    with pytest.raises(CleancutError, match="Did you mean eLen"):
        buckets(GOLD, PRED, tokens=TOKENS, attributes=["elen"])
    with pytest.raises(CleancutError, match="eCon needs to know what training has shown"):
        buckets(GOLD, PRED, tokens=TOKENS, attributes=["eCon"])
    with pytest.raises(CleancutError, match="Give a list of names"):
        buckets(GOLD, PRED, tokens=TOKENS, attributes="eLen")
    with pytest.raises(CleancutError, match="buckets need the words"):
        buckets(GOLD, PRED)
    with pytest.raises(CleancutError, match="give Exposure.of"):
        buckets(GOLD, PRED, TRAIN, tokens=TOKENS)
    assert "eCon" not in buckets(GOLD, PRED, tokens=TOKENS)


def test_occurrences_take_a_second_pass(tmp_path):
    batches = [TRAIN.select([1]), TRAIN.select([0])]
    whole, streamed = Exposure.of(batches), Exposure.of(iter(batches))
    with pytest.raises(CleancutError, match="eCon needs a second pass"):
        buckets(GOLD, PRED, streamed, tokens=TOKENS)
    streamed.count_occurrences(batches)
    expected = buckets(GOLD, PRED, whole, tokens=TOKENS).to_dict()
    assert json.dumps(buckets(GOLD, PRED, streamed, tokens=TOKENS).to_dict()) == json.dumps(expected)
    whole.save(tmp_path / "index.npz")
    stored = Exposure.load(tmp_path / "index.npz")
    assert json.dumps(buckets(GOLD, PRED, stored, tokens=TOKENS).to_dict()) == json.dumps(expected)
    stored.update(TRAIN)
    with pytest.raises(CleancutError, match="eCon needs a second pass"):
        buckets(GOLD, PRED, stored, tokens=TOKENS)


@given(st.lists(flat(), min_size=1, max_size=4))
def test_token_counts_are_those_of_flat_mentions(spans):
    tokens = [["w"] * 8 for _ in spans]
    rows = buckets(spans, spans, tokens=tokens, level="token", attributes=["label"])["label"]
    assert sum(row["n_gold"] for row in rows) == sum(s["end"] - s["start"] for sample in spans for s in sample)
    assert all(row["f1"] == 1.0 for row in rows)
