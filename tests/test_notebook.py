"""Results in a notebook: small escaped tables with the numbers of the text, and a repr of one clear line."""

import re
from html.parser import HTMLParser

import pytest

import cleancut as cc
from cleancut.showing.exhibit import Exhibit, Section
from cleancut.showing.export import Format, tables
from cleancut.showing.text import (
    audit_text,
    buckets_text,
    comparison_text,
    exhibit_text,
    folds_text,
    ladder_text,
    scores_text,
    split_text,
)

EVIL = "<script>alert(1)</script>&"


def corpus(n, label="PER"):
    """Names that repeat, one of them hostile, as its type is."""
    words = [[EVIL if i % 5 == 0 else f"N{i % 7}", "met", "Oslo"] for i in range(n)]
    return cc.Corpus.of(words, tags=[[f"B-{label}", "O", "B-LOC"]] * n)


@pytest.fixture(scope="module")
def results():
    train, gold = corpus(40, f"<b>{EVIL}"), corpus(30, f"<b>{EVIL}")
    pred = gold.with_predictions([["O", "O", "B-LOC"] if i % 3 else tags for i, tags in enumerate(gold.tags())])
    shown = cc.Exposure.of(train.select(slice(0, 3)))
    systems = {"one": pred, EVIL: gold}
    return {
        "exact_f1": cc.exact_f1(gold, pred, ci=50),
        "partial_f1": cc.partial_f1(gold, pred, iou=True),
        "clean_f1": cc.clean_f1(gold, pred, shown),
        "hardeval": cc.hardeval(gold, pred, shown),
        "seqeval": cc.exact_f1(gold, pred, keys="seqeval"),
        "audit": cc.audit({"train": train, "test": gold}),
        "plan": cc.mincut({"train": train, "test": gold}, ratios=(80, 20), min_per_type=0, effort="fast"),
        "buckets": cc.buckets(gold, pred, shown),
        "comparison": cc.compare(gold, systems, shown, ci=50),
        "folds": cc.mincut_folds(train, k=2, effort="fast", min_per_type=0),
        "ladder": cc.ladder(train, cc.Corpus.of([[EVIL]], tags=[[f"B-<b>{EVIL}"]]), levels="0:100:50", seeds=1),
    }


NAMES = [
    "exact_f1",
    "partial_f1",
    "clean_f1",
    "hardeval",
    "seqeval",
    "audit",
    "plan",
    "buckets",
    "comparison",
    "folds",
    "ladder",
]


class Reader(HTMLParser):
    """Checks that tags are closed in turn, and keeps the text."""

    def __init__(self):
        super().__init__()
        self.open, self.found, self.text = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.found.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("name", NAMES)
def test_html_is_well_formed_escaped_and_small(results, name):
    page = results[name]._repr_html_()
    reader = Reader()
    reader.feed(page)
    assert reader.open == [] and reader.found <= {
        "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "small"
    }  # fmt: skip
    assert "<script" not in page and "<b>" not in page and "http" not in page and len(page) < 20_000


def numbers(text):
    """Percentages, as the text and the table write them."""
    return set(re.findall(r"\d+\.\d\d\b", text))


@pytest.mark.parametrize("name", NAMES)
def test_the_numbers_are_those_of_the_text(results, name):
    found = results[name]
    as_text = {
        "audit": audit_text,
        "plan": lambda plan: split_text({"mincut": plan}),
        "buckets": lambda buckets: buckets_text({"one": buckets}),
        "comparison": comparison_text,
        "folds": folds_text,
        "ladder": ladder_text,
    }.get(name, lambda score: scores_text({"one": {name: score}}, by_type=True))
    if name == "seqeval":  # the text has no table for its keys; the numbers are those of exact_f1
        found, as_text = results["exact_f1"], lambda score: scores_text({"one": {"exact_f1": score}}, by_type=True)
    reader = Reader()
    reader.feed(results[name]._repr_html_())
    shown = numbers(re.sub(r"\[[^]]*\]", "", " ".join(reader.text)))  # ends of intervals have fewer digits in the text
    assert shown and shown <= numbers(as_text(found)), shown - numbers(as_text(found))


@pytest.mark.parametrize("name", NAMES)
def test_repr_is_short_and_says_what_it_is(results, name):
    said = repr(results[name])
    assert len(said) < 1600 and "array(" not in said and "object at" not in said
    kinds = {"audit": "Audit of train, test", "plan": "SplitPlan(train=", "buckets": "Buckets of F1"}
    kinds |= {"comparison": "Comparison of", "seqeval": "exact_f1(", "folds": "Folds([", "ladder": "Ladder(3 "}
    assert said.startswith(kinds.get(name, f"{name}("))


def test_a_corpus_says_how_large_it_is():
    assert repr(corpus(3)) == "Corpus(3 samples, 9 tokens, 6 mentions of LOC, PER)"
    assert repr(corpus(3).mentions) == "Mentions(6 of LOC, PER in 3 samples)"


def test_words_begin_at_the_left_and_numbers_end_at_the_right():
    rows = [("a group", []), ("x", ["PER", "0.950", 7, None]), ("longer", ["CHEMICAL", "-", 12, None])]
    exhibit = Exhibit("slug", "Title", ["name", "type", "ratio", "n", "mark"], rows)
    assert exhibit_text(exhibit).splitlines() == [
        "Title",
        "name    type      ratio   n  mark",
        "------  --------  -----  --  ----",
        "a group",
        "x       PER       0.950   7",
        "longer  CHEMICAL      -  12",
    ]
    intervals = Exhibit(
        "slug", "Title", ["name", "F1"], [("x", ["9.10 - 12.20"]), ("y", ["10.00 - 12.20"]), ("z", ["-"])]
    )
    assert exhibit_text(intervals).splitlines()[3:] == [
        "x      9.10 - 12.20",
        "y     10.00 - 12.20",
        "z                 -",
    ]
    assert r"\begin{tabular}{llrrr}" in tables([Section("s", "S", "", [exhibit])], Format.LATEX)


def test_a_comparison_without_significant_differences_has_no_column_for_marks():
    gold = cc.Corpus.of([["Ada"], ["Bo"]], tags=[["B-PER"], ["B-PER"]])
    equal = comparison_text(cc.compare(gold, {"a": gold, "b": gold}, ci=99))
    header = next(line for line in equal.splitlines() if "Holm p" in line)
    assert header.endswith("Holm p") and "significant" not in equal
    assert all(line == line.rstrip() for line in equal.splitlines())


def test_a_score_prints_as_a_classification_report():
    gold, pred = [["B-PER", "O", "B-LOC"]], [["B-PER", "O", "B-ORG"]]
    rows = {line[:16].strip(): line[16:].split() for line in cc.exact_f1(gold, pred).table().splitlines()}
    assert rows["PER"] == ["100.00", "100.00", "100.00", "1"] and rows["ORG"] == ["0.00", "0.00", "0.00", "0"]
    assert rows["micro average"] == ["50.00", "50.00", "50.00", "2"]
    assert rows["macro average"] == ["33.33", "33.33", "33.33", "2"]
    assert rows["weighted average"] == ["50.00", "50.00", "50.00", "2"]
    assert "exact_f1|match:exact|" in cc.exact_f1(gold, pred).table()
    assert "F1 overlap" in cc.partial_f1(gold, pred).table()
    assert "by type" in cc.exact_f1(gold, pred, keys="seqeval").table()
