"""Predictions on other tokens than gold: put on the gold tokens through the text, counted where these do not fit."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cleancut as cc
from cleancut import cli

GOLD = cc.Corpus.of([["The", "U.N.", "met", "in", "New", "York", "."], ["Ada"]],
                    tags=[["O", "B-ORG", "O", "O", "B-LOC", "I-LOC", "O"], ["B-PER"]])  # fmt: skip
TEXTS = ["The U.N. met in New York.", "Ada"]


def rows(*mentions):
    """A prediction as people store it: text, and mentions at character offsets."""
    found = []
    for text, own in zip(TEXTS, mentions, strict=True):
        spans = [{"start": text.index(words), "end": text.index(words) + len(words), "label": t} for words, t in own]
        found.append({"text": text, "entities": spans})
    return found


PERFECT = rows([("U.N.", "ORG"), ("New York", "LOC")], [("Ada", "PER")])


def test_character_offsets_are_put_on_the_gold_tokens(caplog):
    score = cc.exact_f1(GOLD, cc.from_dataset(PERFECT))
    assert score.f1 == 1.0 and score.n_pred == 3 and score.notices == () and not caplog.records
    assert (score.n_widened_pred, score.n_merged_pred, score.n_apart_pred, score.n_lost_pred) == (0, 0, 0, 0)
    assert "n_widened_pred" not in cc.exact_f1(GOLD, GOLD)  # the same tokens: nothing was done


@pytest.mark.parametrize(
    "words, right, counts",
    [
        ("U.N", True, (1, 0)),  # ends inside the token "U.N."
        ("U", True, (1, 0)),
        ("e U.N.", False, (1, 0)),  # begins inside "The"
        ("The U.N.", False, (0, 0)),
    ],
)
def test_edges_inside_a_gold_token_are_widened_and_counted(words, right, counts, caplog):
    pred = cc.from_dataset(rows([(words, "ORG")], [("Ada", "PER")]))
    score = cc.exact_f1(GOLD, pred)
    assert (score["f1/ORG"] == 1.0) == right and (score.n_widened_pred, score.n_merged_pred) == counts
    said = [
        f"of 2 predictions, on other tokens than gold, {counts[0]} begin or end inside a gold token and are widened"
    ]
    of_score = [record.message for record in caplog.records if "gold" in record.message]  # reading has its own
    assert [message.startswith(*said) for message in of_score] == [True] * counts[0]


def test_what_becomes_equal_counts_once():
    pred = cc.from_dataset(rows([("U.N", "ORG"), ("U", "ORG")], []))
    score = cc.exact_f1(GOLD, pred)
    assert (score.n_pred, score.n_widened_pred, score.n_merged_pred) == (1, 2, 1)
    assert "1 of them became equal to another and count once" in score.notices[0]


def test_where_both_have_character_offsets_a_part_of_a_word_is_not_the_word():
    gold = cc.from_dataset(PERFECT)
    for words in ("New Yor", "ew York", "ew Yor"):
        given_rows = rows([("U.N.", "ORG"), (words, "LOC")], [("Ada", "PER")])
        pred = cc.from_dataset(given_rows, end="exclusive")
        score = cc.exact_f1(gold, pred)
        assert (score.n_exact, score.n_pred, score.n_apart_pred) == (2, 3, 1)
        assert cc.partial_f1(gold, pred).n_partial_overlap == 1
        assert "1 begin or end inside a word of the gold text and count as wrong" in score.notices[0]
        shown = cc.Exposure.of(gold)
        assert cc.clean_f1(gold, pred, shown).n_contaminated == 3  # the gold words are as they were
        assert "count as wrong" in cc.html_report(gold, {"a": pred, "b": cc.from_dataset(PERFECT)}, gold, ci=50)
    assert cc.exact_f1(gold, cc.from_dataset(PERFECT)).f1 == 1.0


def test_any_score_and_shards():
    pred = cc.from_dataset(rows([("U.N", "ORG"), ("York", "LOC")], [("Ada", "PER")]))
    ours = GOLD.with_predictions([[(1, 2, "ORG"), (5, 6, "LOC")], [(0, 1, "PER")]])
    shown = cc.Exposure.of(GOLD)
    for score in (cc.exact_f1, cc.partial_f1, cc.clean_f1, cc.hardeval):
        train = [shown] if score in (cc.clean_f1, cc.hardeval) else []
        whole, expected = score(GOLD, pred, *train), score(GOLD, ours, *train).to_dict()
        parts = sum(score(GOLD.select([i]), pred.select([i]), *train) for i in (0, 1))
        assert parts.to_dict()["n_widened_pred"] == whole["n_widened_pred"] == 1 and parts.notices == whole.notices
        plain = {k: v for k, v in whole.to_dict().items() if k in expected and k != "signature"}
        assert str(plain) == str({k: v for k, v in expected.items() if k != "signature"})
    assert str(cc.buckets(GOLD, pred)["eLen"]) == str(cc.buckets(GOLD, ours)["eLen"])


def test_other_text_is_refused_as_ever():
    other = cc.Corpus.of([["The", "UN", "met", "in", "New", "York", "."], ["Ada"]], entities=[[], []])
    with pytest.raises(cc.CleancutError, match="token 1: the gold token is 'U.N.' but the predicted one is 'UN'"):
        cc.exact_f1(GOLD, other)
    with pytest.raises(cc.CleancutError, match="gold tokens but|samples|ends beyond"):
        cc.exact_f1(GOLD, cc.Corpus.of([["The", "UN"], ["Ada"]], tags=[["O", "O"], ["O"]]))


@st.composite
def cut_text(draw):
    """A text without spaces, cut into tokens twice, with mentions on the second."""
    text = draw(st.text("abc", min_size=1, max_size=12))
    cuts = st.sets(st.integers(1, max(len(text) - 1, 1)), max_size=6)
    tokens = []
    for _ in range(2):
        edges = [0, *sorted(c for c in draw(cuts) if c < len(text)), len(text)]
        tokens.append([text[a:b] for a, b in zip(edges, edges[1:])])
    n = len(tokens[1])
    spans = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(1, n)), max_size=4))
    return *tokens, [(a, b, "X") for a, b in spans if a < b]


@given(st.lists(cut_text(), min_size=1, max_size=3))
def test_against_a_slow_projection(samples):
    gold = cc.Corpus.of([ours for ours, _, _ in samples], entities=[[] for _ in samples])
    pred = cc.Corpus.of([theirs for _, theirs, _ in samples], entities=[spans for _, _, spans in samples])
    expected, widened = [], 0
    for ours, theirs, spans in samples:
        edges = [np.cumsum([0, *map(len, tokens)]).tolist() for tokens in (ours, theirs)]
        found = set()
        for a, b, _ in set(spans):
            begin, end = edges[1][a], edges[1][b]
            touched = [i for i in range(len(ours)) if edges[0][i] < end and edges[0][i + 1] > begin]
            found.add((touched[0], touched[-1] + 1))
            widened += (edges[0][touched[0]], edges[0][touched[-1] + 1]) != (begin, end)
        expected.append(sorted(found))
    score = cc.exact_f1(gold, pred)
    assert score.n_pred == sum(map(len, expected))
    assert score.get("n_widened_pred", 0) == widened
    placed = cc.errors(gold, pred).matches
    assert [(m["sample"], m["pred_start"], m["pred_end"]) for m in placed] == [
        (i, *span) for i, own in enumerate(expected) for span in own
    ]


def test_files_of_predictions_at_character_offsets(tmp_path, capsys):
    cc.write(GOLD, tmp_path / "gold.conll")
    lines = {"perfect": PERFECT, "cut": rows([("U.N", "ORG"), ("New York", "LOC")], [("Ada", "PER")])}
    for name, own in lines.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in own), encoding="utf-8")
    given = ["--gold", str(tmp_path / "gold.conll"), "--train", str(tmp_path / "gold.conll")]
    assert cli.main(["score", *given, "--pred", str(tmp_path / "perfect.jsonl"), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["exact_f1"]["f1"] == json.loads(out)["clean_f1"]["contaminated_recall"] == 1.0
    assert "character offsets" in err and "inside a gold token" not in err
    systems = [part for name in lines for part in ("--pred", str(tmp_path / f"{name}.jsonl"))]
    assert cli.main(["compare", *given, *systems, "--ci", "50", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)["systems"]
    assert found["cut"]["exact_f1"]["n_widened_pred"] == 1 and found["perfect"]["exact_f1"]["n_widened_pred"] == 0
    assert "cleancut: of 3 predictions, on other tokens than gold, 1 begin or end inside a gold token" in err
    assert cli.main(["report", *given, *systems, "--ci", "50", "-o", str(tmp_path / "page.html")]) == 0
    assert "cleancut: cut: of 3 predictions, on other tokens than gold, 1 begin" in capsys.readouterr().err
    assert "cut: of 3 predictions, on other tokens" in (tmp_path / "page.html").read_text("utf-8")
    (tmp_path / "short.jsonl").write_text(json.dumps(PERFECT[0]) + "\n", encoding="utf-8")
    assert cli.main(["score", *given, "--pred", str(tmp_path / "short.jsonl")]) == 2
    assert "gold.conll has 2 samples but" in capsys.readouterr().err
