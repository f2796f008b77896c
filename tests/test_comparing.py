"""Systems beside each other and runs over each other: laws, scipy as oracle, tables by hand, the command line."""

import json
import math
import statistics
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, samples, tags_of
from test_cli import run

import cleancut
from cleancut import CleancutError, Corpus, Exposure, cli, compare, contamination_correlation, over_runs
from cleancut.scoring.compare import holm, kendall_tau
from cleancut.showing.html import html_comparison, html_report
from cleancut.showing.text import comparison_text, to_json

TAG = tags_of("B")


@st.composite
def two_systems(draw):
    gold = draw(samples(TAG))
    outputs = [[draw(st.lists(TAG, min_size=len(s), max_size=len(s))) for s in gold] for _ in range(2)]
    return gold, *outputs


def shown(*words):
    return Exposure.of(Corpus.of([list(words)], tags=[["B-PER"] * len(words)]))


def texts(gold):
    return [[f"w{i}" if i % 2 else "Ada" for i in range(len(s))] for s in gold]


def corpus(n, seed, right=0.8):
    """Gold tags and a system that gets a share of the mentions right."""
    rng = np.random.default_rng(seed)
    gold = [["B-PER" if x < 0.3 else "B-LOC" if x < 0.4 else "O" for x in rng.random(6)] for _ in range(n)]
    return gold, output(gold, right, seed + 1)


def output(gold, right, seed):
    rng = np.random.default_rng(seed)
    return [[tag if rng.random() < right else rng.choice(["O", "B-PER"]) for tag in s] for s in gold]


# --- laws -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@examples(40)
@given(two_systems())
def test_swapping_systems_flips_the_sign_and_nothing_else(case):
    gold, a, b = case
    given_ = {"exposure": shown("Ada"), "tokens": texts(gold), "ci": 60}
    there, back = compare(gold, {"a": a, "b": b}, **given_), compare(gold, {"b": b, "a": a}, **given_)
    renamed = compare(gold, {"a": b, "b": a}, **given_)
    for one, other, third in zip(there.pairs, back.pairs, renamed.pairs):
        assert (one.a, one.b, one.metric, one.value) == (other.b, other.a, other.metric, other.value)
        flipped = [0 - other.difference, 0 - other.high, 0 - other.low, other.p]
        assert np.array_equal([one.difference, one.low, one.high, one.p], flipped, equal_nan=True)
        assert np.array_equal([other.difference, other.p], [third.difference, third.p], equal_nan=True)
        assert math.isnan(one.difference) or one.low <= one.difference <= one.high
        assert math.isnan(one.difference) or one.difference == pytest.approx(
            there.scores["a"][one.metric][one.value] - there.scores["b"][one.metric][one.value], abs=1e-12
        )


@examples(15)
@given(two_systems())
def test_identical_systems_do_not_differ(case):
    gold, a, _ = case
    for d in compare(gold, {"a": a, "b": a}, shown("Ada"), tokens=texts(gold), ci=30).pairs:
        if not math.isnan(d.difference):
            assert (d.difference, d.low, d.high, d.p, d.p_holm) == (0, 0, 0, 1, 1)


@pytest.mark.parametrize("docs", [None, [str(i // 7) for i in range(60)]])
def test_comparisons_of_shards_add_up(docs):
    gold, a = corpus(60, 1)
    text = Corpus.of(texts(gold), tags=gold, docs=docs)
    systems = {"a": a, "b": output(gold, 0.7, 9), "c": output(gold, 0.5, 10)}
    whole = compare(text, systems, shown("Ada"), ci=200)
    parts = [
        compare(text.select(slice(i, i + 25)), {n: s[i : i + 25] for n, s in systems.items()}, shown("Ada"), ci=200)
        for i in range(0, 60, 25)
    ]
    assert to_json(sum(parts).to_dict()) == to_json(whole.to_dict())  # where NaN is null, and so equal
    assert f"unit:{'doc' if docs else 'sample'}" in whole.signature
    with pytest.raises(CleancutError, match="a, b, c and a, b"):
        whole + compare(gold, {"a": a, "b": a}, ci=10)


def test_documents_are_the_units_where_there_are_ids():
    """A difference that lies in one document is none between systems, however many sentences it has."""
    gold, a = corpus(100, 3)
    b = [["O"] * 6] * 20 + a[20:]
    of_docs = Corpus.of(texts(gold), tags=gold, docs=[str(i // 20) for i in range(100)])
    by_sample, by_doc = (compare(side, {"a": a, "b": b}, ci=500).pairs[0] for side in (gold, of_docs))
    assert by_sample.difference == by_doc.difference > 0
    assert by_sample.significant and not by_doc.significant and by_doc.p > 0.3


def test_where_nothing_is_clean_nothing_is_compared():
    gold = [["B-PER"], ["B-PER"]]
    found = compare(gold, {"a": gold, "b": [["O"], ["B-PER"]]}, shown("Ada"), tokens=[["Ada"]] * 2, ci=50)
    of = {d.value: d for d in found.pairs}
    assert all(math.isnan(x) for x in (of["clean_recall"].difference, of["clean_f1"].p, of["delta_f1"].p_holm))
    assert not of["clean_f1"].significant and of["f1"].difference > 0
    assert list(found.ranks["orders"]) == ["f1"] and found.ranks["changes"] == []
    assert "clean F1" in comparison_text(found)


def test_overlapping_mentions_leave_hardeval_out_unless_it_is_asked_for():
    gold = [[(0, 2, "PER"), (1, 2, "LOC")]]
    given_ = {"exposure": shown("Ada"), "tokens": [["Ada", "x"]], "ci": 10}
    assert list(compare(gold, {"a": gold, "b": [[]]}, **given_).scores["a"]) == ["exact_f1", "partial_f1", "clean_f1"]
    with pytest.raises(CleancutError, match="overlap"):
        compare(gold, {"a": gold, "b": [[]]}, metrics=["hardeval"], **given_)


def test_the_order_of_many_systems_changes_nothing_but_signs():
    gold = [["B-PER", "O"], ["O", "B-LOC"], ["B-LOC", "I-LOC"]] * 10
    systems = {
        "a": gold, "b": [["B-PER", "O"], ["O", "O"], ["B-LOC", "I-LOC"]] * 10, "c": [["O", "O"]] * 30,
        "d": [["B-PER", "O"], ["O", "B-LOC"], ["O", "O"]] * 10,
    }  # fmt: skip
    there = {(d.a, d.b, d.metric, d.value): d for d in compare(gold, systems, ci=200).pairs}
    back = compare(gold, dict(reversed(systems.items())), ci=200).pairs
    assert len(back) == len(there) > 6
    for d in back:
        other = there[d.b, d.a, d.metric, d.value]
        assert (d.difference, d.low, d.high, d.p) == (-other.difference, -other.high, -other.low, other.p)


# --- oracles ------------------------------------------------------------------------------------------------


def rows_of(gold, pred):
    scores = [cleancut.exact_f1([g], [p]) for g, p in zip(gold, pred)]
    return np.array([[s.n_gold, s.n_pred, s.n_exact] for s in scores])


def f1_of(rows):
    n_gold, n_pred, n_exact = np.moveaxis(rows.sum(axis=-2), -1, 0)
    return 2 * n_exact / np.maximum(n_gold + n_pred, 1)


def test_scipy_finds_the_same_p_and_the_same_percentiles_before_they_are_stretched():
    from scipy.stats import bootstrap, kurtosis, norm, permutation_test
    from scipy.stats import t as student

    gold, a = corpus(14, 5, 0.9)
    b = output(gold, 0.55, 8)
    rows = np.concatenate([rows_of(gold, a), rows_of(gold, b)])

    def difference(x, y, axis=-1):  # of places in the table of rows
        x, y = (np.moveaxis(side, axis, -1).astype(int) for side in (x, y))
        return f1_of(rows[x]) - f1_of(rows[y])

    places = np.arange(14), np.arange(14, 28)
    exact = permutation_test(places, difference, permutation_type="samples", vectorized=True, n_resamples=np.inf)
    drawn = bootstrap(
        places, difference, paired=True, vectorized=True, method="percentile", n_resamples=9_999,
        rng=np.random.default_rng(2),
    )  # fmt: skip
    ours = compare(gold, {"a": a, "b": b}, ci=20_000).pairs[0]
    assert ours.difference == pytest.approx(exact.statistic) and 0.001 < exact.pvalue < 0.5
    assert ours.p == pytest.approx(exact.pvalue, abs=0.01)
    left = [difference(np.delete(places[0], i), np.delete(places[1], i)) for i in range(14)]
    jackknife = np.std(left) * math.sqrt(13)
    freedom = 2 * (14 / kurtosis(left, fisher=False) - 1)
    stretch = jackknife / drawn.bootstrap_distribution.std() * student.ppf(0.975, freedom) / norm.ppf(0.975)
    low, high = (ours.difference + stretch * (end - ours.difference) for end in drawn.confidence_interval)
    assert stretch > 1.05 and (ours.low, ours.high) == pytest.approx((low, high), abs=0.01)


@pytest.mark.slow
def test_the_collapsed_bootstrap_is_a_plain_one_in_distribution():
    from scipy.stats import ks_2samp, kstest

    from cleancut.scoring.resampling import _resamples

    gold, pred = corpus(300, 11)
    text = Corpus.of(texts(gold), tags=gold)
    score = cleancut.clean_f1(text, pred, shown("Ada"), ci=1)
    part, (table, times) = score.parts[1], score.sums.rows.collapsed()[1]
    assert len(times) < 150
    units = score.sums.rows.tables[1].astype(np.int64)
    found = {value: [] for value in ("contaminated_recall", "clean_f1", "delta_f1", "clean_recall")}
    for seed in range(1, 21, 2):
        drawn = _resamples(table, times, 2_000, np.random.default_rng(seed))
        rng = np.random.default_rng(seed + 1)
        plainly = np.stack([units[rng.integers(0, 300, 300)].sum(axis=0) for _ in range(2_000)])
        ours, plain = part.of_totals(np.concatenate(list(drawn))), part.of_totals(plainly)
        for value, p in found.items():
            p.append(ks_2samp(ours[value], plain[value]).pvalue)
            assert ks_2samp(ours[value], plain[value] + 0.01).pvalue < 1e-6, value  # it would tell them apart
    for value, p in found.items():  # one p-value says little: of equal distributions they are spread evenly
        assert min(p) > 0.05 / 40 and kstest(p, "uniform").pvalue > 0.01, value


@pytest.mark.parametrize("intervals", [True, False])
def test_a_comparison_tells_how_far_it_is(intervals):
    gold, a = corpus(20, 5, 0.9)
    systems = {"a": a, "b": output(gold, 0.5, 8), "c": output(gold, 0.7, 9)}
    told = []
    found = compare(gold, systems, ci=50).computed(told.append, intervals=intervals)
    assert sum(told) == pytest.approx(1) and min(told) > 0 and len(told) == 2 * 3 + 6 * intervals
    assert found.pairs == compare(gold, systems, ci=50).pairs


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1, 1] and holm([]) == [] and holm([0.2]) == [0.2]
    assert holm([0.01, math.nan, 0.02]) == pytest.approx([0.02, math.nan, 0.02], nan_ok=True)


def test_pairs_are_corrected_within_each_value():
    gold, a = corpus(80, 21)
    found = compare(gold, {"a": a, "b": output(gold, 0.7, 4), "c": output(gold, 0.6, 5)}, ci=300)
    for value in {d.value for d in found.pairs}:
        family = [d for d in found.pairs if d.value == value]
        assert [(d.a, d.b) for d in family] == list(combinations("abc", 2))
        assert [d.p_holm for d in family] == holm([d.p for d in family])


VALUE = st.one_of(st.integers(0, 3), st.floats(0, 1), st.just(np.nan))


@given(st.lists(st.tuples(VALUE, VALUE), min_size=2, max_size=40))
def test_kendall_tau_is_that_of_scipy_to_the_last_bit(values):
    from scipy.stats import kendalltau

    x, y = zip(*values)
    assert np.array_equal(kendall_tau(x, y), kendalltau(x, y)[0], equal_nan=True)


def test_ranks_that_change():
    """a knows what training has shown, b what it has not; c knows little."""
    gold = [["B-PER", "B-PER", "O"]] * 30
    tokens = [["Ada", f"new{i}", "x"] for i in range(30)]
    seen, new = [["B-PER", "O", "O"]], [["O", "B-PER", "O"]]
    systems = {"a": seen * 30, "b": new * 20 + [["O"] * 3] * 10, "c": seen * 5 + [["O"] * 3] * 25}
    found = compare(gold, systems, shown("Ada", "Grace"), tokens=tokens, ci=50)
    assert found.ranks["orders"]["f1"] == ["a", "b", "c"]
    assert found.ranks["orders"]["clean_f1"][0] == "b"
    change = found.ranks["changes"][0]
    assert (change["first"], change["second"], change["swaps"]) == ("f1", "clean_f1", [["a", "b"]])
    x, y = ([found.scores[n][m][v] for n in "abc"] for m, v in (("exact_f1", "f1"), ("clean_f1", "clean_f1")))
    signs = [np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i, j in combinations(range(3), 2)]
    ties = sum(y[i] == y[j] for i, j in combinations(range(3), 2))
    assert change["tau"] == pytest.approx(sum(signs) / math.sqrt(3 * (3 - ties)))
    assert "pairs that swap: a and b" in comparison_text(found)
    assert "a - b: f1 +" in repr(found) and found.signature in repr(found)


def test_bad_requests():
    gold = [["B-PER", "O"]]
    two = {"a": gold, "b": gold}
    for arguments, message in [
        ((gold, {"a": gold}), "two systems or more, but has 'a'"),
        ((gold, gold), "but has list"),
        ((gold, two, None, {"ci": 0}), "compared by resampling"),
        ((gold, two, None, {"ci": -1}), "out of range"),
        ((gold, two, None, {"metrics": ["f1"]}), "exact_f1, partial_f1"),
        ((gold, two, None, {"metrics": ["clean_f1"]}), "exposure="),
        ((gold, {"a": gold, "bad": gold * 2}), "bad: 1 gold sample but 2"),
    ]:
        *given_, keywords = arguments if isinstance(arguments[-1], dict) and len(arguments) == 4 else (*arguments, {})
        with pytest.raises(CleancutError, match=message):
            compare(*given_, **keywords)


# --- runs and ladders ---------------------------------------------------------------------------------------


def test_over_runs():
    gold, _ = corpus(50, 31)
    runs = [cleancut.exact_f1(gold, output(gold, right, 7)) for right in (0.6, 0.7, 0.9)]
    found = over_runs(runs)
    for name in ("f1", "macro_f1", "n_pred", "recall/LOC"):
        values = [float(r[name]) for r in runs]
        assert found[name] == pytest.approx({"mean": statistics.mean(values), "std": statistics.stdev(values)})
    assert found["n_gold"]["std"] == 0 and found["signature"] == runs[0].signature
    assert math.isnan(over_runs(runs[:1])["f1"]["std"]) and over_runs(runs[:1])["f1"]["mean"] == runs[0].f1
    with_ends = cleancut.exact_f1(gold, gold, ci=10)
    assert "f1_low" in with_ends and "f1_low" not in over_runs([with_ends])
    with pytest.raises(CleancutError, match="scored differently: exact_f1.* and partial_f1"):
        over_runs([runs[0], cleancut.partial_f1(gold, gold)])
    with pytest.raises(CleancutError, match="has none"):
        over_runs([])


def test_contamination_correlation():
    levels = [0.0, 0.25, 0.5, 0.75, 1.0]
    ladder = [
        {"f1": 0.5 + 0.3 * x + noise, "clean_f1": 0.5, "contaminated_f1": 0.6 + 0.1 * x if x else math.nan, "more": 1}
        for x, noise in zip(levels, [0.02, -0.03, 0.01, 0.0, 0.01])
    ]
    found = contamination_correlation(levels, ladder)
    assert set(found) == {"f1", "clean_f1", "contaminated_f1"}
    assert found["f1"]["r"] == pytest.approx(statistics.correlation(levels, [row["f1"] for row in ladder]))
    assert found["f1"]["p"] < 0.05 and found["f1"]["n"] == 5
    assert found["contaminated_f1"]["r"] == pytest.approx(1) and found["contaminated_f1"]["n"] == 4
    assert math.isnan(found["clean_f1"]["r"]) and math.isnan(found["clean_f1"]["p"])
    gold = [["B-PER", "O"]] * 3
    scores = [cleancut.clean_f1(gold, gold, shown("Ada"), tokens=[["Ada", "x"], ["Bo", "x"], ["Cy", "y"]])] * 3
    assert set(contamination_correlation([1, 2, 3], scores)) == {"f1", "clean_f1", "contaminated_f1", "delta_f1"}
    with pytest.raises(CleancutError, match="2 contamination levels but 1 scores"):
        contamination_correlation([0, 1], ladder[:1])
    with pytest.raises(CleancutError, match="none of f1"):
        contamination_correlation([0], [{"accuracy": 1}])


def nested(system, sample):
    """The mentions of a system as spans, with one that overlaps another in a sample."""
    spans = [list(row) for row in Corpus.of([["x"] * len(tags) for tags in system], tags=system).entities()]
    spans[sample] = [*spans[sample], {"start": 0, "end": 2, "label": "PER"}, {"start": 1, "end": 3, "label": "PER"}]
    return spans


def test_only_the_system_whose_mentions_overlap_lacks_hardeval():
    gold, a = corpus(60, 41)
    text = Corpus.of(texts(gold), tags=gold)
    ada = shown("Ada")
    flat = {"a": a, "b": output(gold, 0.5, 2)}
    systems = {"a": flat["a"], "nested": nested(output(gold, 0.75, 3), 50), "b": flat["b"]}
    found, alone = compare(text, systems, ada, ci=50), compare(text, flat, ada, ci=50)
    assert "hardeval" not in found.scores["nested"] and found.systems_with("hardeval") == ["a", "b"]
    assert json.dumps(found.scores["b"]["hardeval"].to_dict()) == json.dumps(alone.scores["b"]["hardeval"].to_dict())
    of_hardeval = [pair for pair in found.pairs if pair.metric == "hardeval"]
    assert of_hardeval == [pair for pair in alone.pairs if pair.metric == "hardeval"] and of_hardeval
    assert len([pair for pair in found.pairs if pair.value == "f1"]) == 3
    assert found.ranks["orders"]["hardeval"] == alone.ranks["orders"]["hardeval"]
    assert len(found.ranks["orders"]["f1"]) == 3
    halves = [
        compare(text.select(half), {name: pred[half] for name, pred in systems.items()}, ada, ci=50)
        for half in (slice(0, 30), slice(30, 60))
    ]
    assert "hardeval" in halves[0].scores["nested"]  # its mentions overlap in the other half
    assert json.dumps(sum(halves).to_dict()) == json.dumps(found.to_dict())
    page = html_comparison(found.to_dict())
    assert "hardeval is left out of nested, since mentions overlap there." in page
    report = html_report(text, systems, ada, ci=50)
    assert "hardeval is left out of nested, since mentions overlap there." in report
    lone = compare(text, {"a": a, "nested": systems["nested"]}, ada, ci=50)
    assert lone.scores["a"]["hardeval"].hardeval >= 0 and not [p for p in lone.pairs if p.metric == "hardeval"]
    assert "hardeval" in comparison_text(lone) and len(comparison_text(found).splitlines()) < 40


# --- command line -------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    gold, a = corpus(60, 41)
    systems = {"gold": gold, "a": a, "b": output(gold, 0.5, 2), "c": output(gold, 0.75, 3)}
    (tmp_path / "runs").mkdir()
    for name, side in systems.items():
        folder = tmp_path if name == "gold" else tmp_path / "runs"
        cleancut.write(Corpus.of(texts(gold), tags=side), folder / f"{name}.conll")
    cleancut.write(Corpus.of([["Ada", "slept"]], tags=[["B-PER", "O"]]), tmp_path / "train.conll")
    return tmp_path


def asked(files, *names):
    return [x for name in names for x in ("--pred", files / "runs" / f"{name}.conll")]


def test_compare_prints_what_the_function_finds(capsys, files):
    gold, train = ["--gold", files / "gold.conll"], ["--train", files / "train.conll"]
    given_ = [*gold, *asked(files, "a", "b"), *train, "--ci", 100]
    code, out, err = run(capsys, "compare", *given_, "--json")
    systems = {name: cleancut.read(files / "runs" / f"{name}.conll") for name in "ab"}
    exposure = Exposure.of(cleancut.read(files / "train.conll"))
    found = compare(cleancut.read(files / "gold.conll"), systems, exposure, ci=100)
    assert (code, err) == (0, "")
    plain = json.loads(out)
    assert plain["pairs"] == [{k: v if v == v else None for k, v in p.items()} for p in found.to_dict()["pairs"]]
    assert list(plain["pairs"][0]) == ["a", "b", "metric", "value", "difference", "low", "high", "p", "p_holm"]
    assert list(plain["systems"]) == ["a", "b"] and plain["systems"]["a"]["exact_f1"]["f1_low"] > 0
    code, out, _ = run(capsys, "compare", *given_)
    assert out == comparison_text(found) + "\n" and "\x1b" not in out
    assert max(len(line) for line in out.splitlines() if "|" not in line) <= 80
    assert "a minus b, with 95% intervals (%)" in out and "  *\n" in out and "Ranks" in out
    chosen = json.loads(run(capsys, "compare", *given_, "--metrics", "exact", "--json")[1])
    assert {p["metric"] for p in chosen["pairs"]} == {"exact_f1"}


def test_tables_have_short_names_and_json_has_full_ones(capsys, files):
    preds = []
    for name in "abc":
        path = files / f"conll03-system_{name}-test.conll"
        path.write_bytes((files / "runs" / f"{name}.conll").read_bytes())
        preds += ["--pred", path]
    given_ = ["--gold", files / "gold.conll", *preds]
    full = [f"conll03-system_{name}-test" for name in "abc"]
    for command in (["score"], ["buckets", "--attributes", "eLen"], ["compare", "--ci", 20]):
        _, out, _ = run(capsys, *command, *given_)
        assert "conll03" not in out
        found = json.loads(run(capsys, *command, *given_, "--json")[1])
        assert set(full) <= set(found.get("systems", found))
    _, out, _ = run(capsys, "report", *given_, "--format", "csv", "--ci", 20)
    assert "conll03" not in out and ",a,precision," in out


def test_compare_in_batches_is_compare_of_the_whole(capsys, files, monkeypatch):
    command = ["compare", "--gold", files / "gold.conll", *asked(files, "a", "b", "c"), "--ci", 50, "--json"]
    whole = run(capsys, *command)[1]
    from cleancut.reading import systems
    from cleancut.reading.files import paired_batches

    monkeypatch.setattr(systems, "paired_batches", lambda *a, **k: paired_batches(*a, size=7, **k))
    assert run(capsys, *command)[1] == whole


def test_runs_on_the_command_line(capsys, files):
    command = ["score", "--gold", files / "gold.conll", "--runs", "--pred", files / "runs" / "*.conll"]
    code, out, err = run(capsys, *command, "--json")
    gold = cleancut.read(files / "gold.conll")
    scores = [cleancut.exact_f1(gold, cleancut.read(files / "runs" / f"{n}.conll")) for n in "abc"]
    plain = json.loads(out)
    assert (code, err, plain["runs"]) == (0, "", 3) and plain["exact_f1"] == over_runs(scores)
    assert json.loads(run(capsys, *command[:4], *asked(files, "c", "a", "b"), "--json")[1])["exact_f1"]["f1"] == (
        pytest.approx(plain["exact_f1"]["f1"])
    )
    out = run(capsys, *command, "--by-type")[1]
    mean, std = (line.split() for line in out.splitlines()[6:8])
    assert mean[:3] == ["mean", "of", "3"] and float(mean[5]) == round(100 * plain["exact_f1"]["f1"]["mean"], 2)
    assert std[:2] == ["std.", "dev."] and "by type, mean of 3" in out
    single = run(capsys, *command[:4], *asked(files, "a"))[1].splitlines()
    assert single[5].split()[:5] == ["std.", "dev.", "-", "-", "-"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["compare"], "--pred has 0 systems"),
        (["compare", "--pred", "runs/a.conll"], "--pred has 1 system,"),
        (["compare", "--pred", "runs/a.conll", "--pred", "runs/a.conll"], "same file is given twice"),
        (["compare", "--pred", "runs/a.conll", "--pred", "none"], "none: no such file"),
        (["compare", "--pred", "runs/a.conll", "--pred", "runs/b.conll", "--ci", "0"], "compared by resampling"),
        (["compare", "--pred", "runs/a.conll", "--pred", "runs/b.conll", "--metrics", "clean"], "Give --train"),
        (["score", "--runs"], "--runs needs the predictions"),
        (["score", "--runs", "--pred", "runs/*.txt"], "no file of this pattern"),
        (["score", "--runs", "--pred", "runs/*.conll", "--ci", "10"], "Give one of them"),
    ],
)
def test_bad_commands_give_one_line(arguments, message, capsys, files, monkeypatch):
    monkeypatch.chdir(files)
    code, out, err = run(capsys, arguments[0], "--gold", "gold.conll", *arguments[1:])
    assert (code, out) == (2, "") and message in err and err.count("\n") == 1


def test_submissions_of_wnut17(reader):
    """The ranks of the shared task: exact F1 and hardeval do not agree."""
    names = ("uh_ritual", "spinningbytes", "drexel_cci")
    systems = {name: reader(f"wnut17/pred/sub_{name}") for name in names}
    found = compare(reader("wnut17/test"), systems, Exposure.of(reader("wnut17/train")), ci=500)
    assert found.ranks["orders"]["f1"] == list(names)
    of = {(d.a, d.b): d for d in found.pairs if d.value == "f1"}
    assert not of["uh_ritual", "spinningbytes"].significant
    assert of["uh_ritual", "drexel_cci"].significant and of["spinningbytes", "drexel_cci"].significant


def test_many_systems_on_one_screen(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, n_right in (("gold", 24), ("run-one-dev", 20), ("run-two-dev", 10), ("run-three-dev", 22)):
        lines = [f"Ada{i} {'B-PER' if i < n_right else 'O'}\n\n" for i in range(24)]
        (tmp_path / f"{name}.conll").write_text("".join(lines))
    command = ["compare", "--gold", "gold.conll", "--ci", "200", "--pred"]
    assert cli.main([*command, "run-*.conll"]) == 0
    shown = capsys.readouterr().out
    table = [line.split() for line in shown.splitlines() if line.split()[:1] in (["one"], ["two"], ["three"])]
    assert [row[0] for row in table[:3]] == ["three", "one", "two"] and "differences from three" in shown
    f1 = {name: 2 * n / (n + 24) for name, n in (("one", 20), ("two", 10), ("three", 22))}
    assert table[2][1:3] == [f"{100 * f1['two']:.2f}", f"{100 * (f1['two'] - f1['three']):+.2f}*"]
    assert "minus" not in shown
    assert cli.main([*command, "run-one-dev.conll", "best=run-three-dev.conll", "run-two-dev.conll", "--pairs"]) == 0
    shown = capsys.readouterr().out
    assert "run-one-dev minus run-two-dev, with 95% intervals (%)" in shown and "differences from best" in shown
    assert cli.main([*command, "run-*.conll", "--baseline", "run-one-dev"]) == 0
    assert "differences from one" in capsys.readouterr().out
    assert cli.main([*command, "run-*.conll", "--baseline", "nobody"]) == 2
    assert "Give one of run-one-dev, run-three-dev, run-two-dev." in capsys.readouterr().err
    assert cli.main([*command, "x=run-one-dev.conll", "x=run-two-dev.conll"]) == 2
    assert "two systems are called x" in capsys.readouterr().err
    assert cli.main([*command, "x=run-one-dev.conll", "y=run-one-dev.conll"]) == 2
    assert "the same file is given twice" in capsys.readouterr().err
    assert cli.main([*command, "run-one-dev.conll", "run-*.conll", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["systems"]) == ["run-one-dev", "run-three-dev", "run-two-dev"]
    assert cli.main([*command, "run-*.conll", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["systems"]) == ["run-one-dev", "run-three-dev", "run-two-dev"] and len(found["pairs"]) > 3
