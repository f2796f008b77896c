"""Words of answers that may be one name or several: they are ambiguous, and F1 lies in its bounds in any reading."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cleancut import Corpus, Exposure, buckets, clean_f1, exact_f1, hardeval, html_report, partial_f1, read_answers
from cleancut.scoring.answer_readings import Way, highest_f1, lowest_f1

TEXT = "Ada and Bo met in Washington , D.C. , Paris , Rome & Oslo".split()
PLACES = {
    "Ada": (0, 1), "Bo": (2, 3), "Ada and Bo": (0, 3), "Washington": (5, 6), "D.C.": (7, 8), "Washington, D.C.": (5, 8),
    "Paris": (9, 10), "Rome": (11, 12), "Paris, Rome": (9, 12), "Oslo": (13, 14), "Rome & Oslo": (11, 14),
}  # fmt: skip
ONE, SEVERAL = "Ada and Bo", ("Ada", "Bo")


def gold_of(*names: str, label: str = "PER") -> Corpus:
    """The text with some mentions, all of one type, and a sample that has the other types."""
    spans = [(*PLACES[name], label) for name in names]
    return Corpus.of([TEXT, ["x", "y"]], entities=[spans, [(0, 1, "PER"), (1, 2, "LOC")]])


@pytest.mark.parametrize(
    ("answer", "read_as", "other"),
    [("PER: Ada and Bo", SEVERAL, [ONE]),
     ("**PER**: Ada and Bo\nLOC: none", SEVERAL, [ONE]),
     ('{"PER": "Ada and Bo"}', SEVERAL, [ONE]),
     ('{"entities": {"PER": "Ada and Bo", "LOC": []}}', SEVERAL, [ONE]),
     ("| Type | Names |\n|---|---|\n| PER | Ada and Bo |", SEVERAL, [ONE]),
     ("| Name | Type |\n|---|---|\n| Ada and Bo | PER |", [ONE], SEVERAL),
     ("- Ada and Bo (PER)", [ONE], SEVERAL),
     ("### PER\n- Ada and Bo", [ONE], SEVERAL),
     ("PER: Washington, D.C.", ["Washington, D.C."], ["Washington", "D.C."]),
     ('{"PER": "Paris, Rome"}', ["Paris", "Rome"], ["Paris, Rome"]),
     ("PER: Paris, Rome, Ada", ["Paris", "Rome", "Ada"], ["Paris, Rome", "Ada"]),
     ("PER: Rome & Oslo", ["Rome & Oslo"], ["Rome", "Oslo"])],
)  # fmt: skip
def test_words_that_may_be_one_name_or_several_are_ambiguous(answer, read_as, other):
    sure = {name for name in read_as if name in other}
    for names, is_read in ((read_as, True), (other, False)):
        gold = gold_of(*names)
        score = exact_f1(gold, read_answers([answer, '{"PER": ["x"], "LOC": ["y"]}'], gold))
        assert (score.f1 == 1.0) is is_read and score.f1_highest == 1.0 and score.f1_lowest < 1.0
        assert score.n_ambiguous == len(read_as) - len(sure) and score.n_pred == len(read_as) + 2


@pytest.mark.parametrize(
    "answer",
    ['{"PER": ["Ada and Bo"]}', '[{"text": "Ada and Bo", "label": "PER"}]', '[["Ada and Bo", "PER"]]',
     '[{"PER": "Ada and Bo"}]', "PER: Ada and Bo\nPER: Paris", "- Ada and Bo (PER)\n- Paris (PER)",
     "| Name | Type |\n|---|---|\n| Ada and Bo | PER |\n| Paris | PER |", "### PER\n- Ada and Bo\n- Paris",
     "PER: Washington, D.C.; Paris", "PER: Ada, Bo", '{"PER": "Bo, Oslo"}'],
)  # fmt: skip
def test_names_that_the_answer_tells_apart_are_not_ambiguous(answer):
    gold = gold_of("Ada")
    score = exact_f1(gold, read_answers([answer, "[]"], gold))
    assert score.n_ambiguous == 0 and score.f1_lowest == score.f1 == score.f1_highest


@pytest.mark.parametrize(
    ("text", "answer", "name"),
    [
        ("We met Ada and Bo .", "PER: Ada, Bo.", "Bo"),
        ("We met Ada of Acme Inc.", "PER: Ada, Acme Inc.", "Acme Inc."),
        ("Ada of Acme Inc . left .", "PER: Ada, Acme Inc.", "Acme Inc ."),
        ("We met Ada of Acme Inc .", "PER: Ada, Acme Inc.", "Acme Inc ."),
        ("We met Ada and William L .", "PER: Ada, William L.", "William L ."),
    ],
)
def test_the_full_stop_of_a_list_belongs_to_no_name_unless_the_text_says_so(text, answer, name):
    tokens = text.split()
    gold = Corpus.of([tokens], entities=[[(tokens.index("Ada"), tokens.index("Ada") + 1, "PER")]])
    spans = read_answers([answer], gold).entities()[0]
    assert " ".join(tokens[spans[-1]["start"] : spans[-1]["end"]]) == name


def test_every_metric_has_the_bounds_and_shards_add_up():
    gold = gold_of(ONE)
    said = ["PER: Ada and Bo", '{"PER": ["x"], "LOC": ["y"]}']
    pred = read_answers(said, gold)
    train = Exposure.of(Corpus.of([["Ada"]], tags=[["B-PER"]]))
    expected = {"n_ambiguous": 2, "f1_lowest": 2 * 2 / 7, "f1_highest": 1.0}
    scores = [exact_f1(gold, pred), partial_f1(gold, pred), clean_f1(gold, pred, train), hardeval(gold, pred, train)]
    for score in (*scores, buckets(gold, pred).to_dict()):
        assert {name: score[name] for name in expected} == expected
    parts = [exact_f1(gold.select([i]), pred.select([i])) for i in (0, 1)]
    assert sum(parts)["f1_highest"] == 1.0 and sum(parts)["f1_lowest"] == 2 * 2 / 7


def test_the_report_lists_the_words_that_they_are_read_from():
    gold = gold_of(ONE)
    pred = read_answers(["PER: Ada and Bo", "[]"], gold)
    claims = [(claim.sample, claim.text, claim.label, claim.run) for claim in pred.mentions.answers.ambiguous]
    assert claims == [(0, "Ada", "PER", ONE), (0, "Bo", "PER", ONE)]
    page = html_report(gold, {"model": pred}, Corpus.of([["Ada"]], tags=[["B-PER"]]))
    assert "Ada (PER) of \u201cAda and Bo\u201d" in page


# --- laws ----------------------------------------------------------------------------------------------

WORDS = ["Ada", "Bo", "Cy", "and", ",", "/", "&", "met", "D.C."]
SIGNS = [", ", " and ", ", and ", " & ", " / "]


@st.composite
def listed(draw):
    """A text, gold mentions, names of each type that stand in the text, and how an answer lists them."""
    tokens = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9))
    is_name = [token[0].isalpha() and token != "and" for token in tokens]
    spans = [
        (start, end)
        for start, end in product(range(len(tokens)), range(len(tokens) + 1))
        if start < end <= start + 6 and is_name[start] and is_name[end - 1]
    ]
    # nobody means one place twice
    some = st.lists(st.sampled_from(spans), max_size=4, unique=True) if spans else st.just([])
    gold = {(start, end, draw(st.sampled_from(["PER", "LOC"]))) for start, end in draw(some)}
    named = {label: [" ".join(tokens[start:end]) for start, end in draw(some)] for label in ("PER", "LOC")}
    signs = draw(st.lists(st.sampled_from(SIGNS), min_size=3, max_size=3))
    lists = {}
    for label, names in named.items():
        if names:
            lists[label] = names[0] + "".join(sign + name for sign, name in zip(signs, names[1:], strict=False))
    lines = "\n".join(f"{label}: {names}" for label, names in lists.items()) or "none"
    return tokens, sorted(gold), named, draw(st.sampled_from([lines, json.dumps(lists)]))


@given(st.lists(listed(), min_size=1, max_size=3))
@example([(["Ada", "and", "Bo"], [(0, 1, "PER"), (2, 3, "PER")], {"PER": ["Ada", "Bo"]}, "PER: Ada and Bo")])
@example([(["Ada", "and", "Bo"], [(0, 3, "PER")], {"PER": ["Ada and Bo"]}, "PER: Ada and Bo")])
@example([
    (["Ada"] * 3, [(0, 1, "PER")], {"PER": ["Ada", "Ada Ada"] * 2}, '{"PER": "Ada, Ada Ada, Ada, Ada Ada"}'),
])  # fmt: skip
def test_whatever_a_list_means_its_f1_lies_within_the_bounds(samples):
    """An answer in JSON says which names are meant; its own bounds lie within those of the list, too."""
    spans = [*(spans for _, spans, _, _ in samples), [(0, 1, "PER"), (1, 2, "LOC")]]
    gold = Corpus.of([*(tokens for tokens, _, _, _ in samples), ["x", "y"]], entities=spans)
    score = exact_f1(gold, read_answers([*(answer for *_, answer in samples), "[]"], gold))
    meant = exact_f1(gold, read_answers([*(json.dumps(named) for _, _, named, _ in samples), "[]"], gold))
    bounds = score.f1_lowest, meant.f1_lowest, meant.f1, meant.f1_highest, score.f1_highest
    assert sorted(bounds) == pytest.approx(bounds, abs=1e-12)


ways = st.lists(
    st.tuples(st.integers(-2, 3), st.integers(0, 2), st.integers(0, 2)).map(
        lambda way: Way(way[0], min(way[1:]), max(way[1:]))
    ),
    min_size=1, max_size=3,
).map(tuple)  # fmt: skip


@given(st.lists(ways, max_size=4), st.integers(0, 5), st.integers(10, 20))
def test_the_bounds_are_those_of_all_choices(runs, n_right, total):
    counted = {of_run: runs.count(of_run) for of_run in runs}
    choices = [*product(*runs)]
    lowest = min(2 * (n_right + sum(w.at_least for w in own)) / (total + sum(w.n_more for w in own)) for own in choices)
    highest = max(2 * (n_right + sum(w.at_most for w in own)) / (total + sum(w.n_more for w in own)) for own in choices)
    assert lowest_f1(n_right, total, counted) == pytest.approx(lowest, abs=1e-12)
    assert highest_f1(n_right, total, counted) == pytest.approx(min(highest, 1.0), abs=1e-12)
