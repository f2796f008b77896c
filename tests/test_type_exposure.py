"""Type exposure: F1 by types and words that training has as mentions, against a count by hand and by brute force."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cleancut
from cleancut import Corpus, Exposure, clean_f1
from cleancut.cli import main
from cleancut.scoring.type_exposure import TYPE_EXPOSURE

TRAIN = Corpus.of([["Ada", "met", "Oslo"]], tags=[["B-PER", "O", "B-LOC"]])
GOLD = Corpus.of([["Ada", "Bo", "Ada", "Rex"]], tags=[["B-PER", "B-PER", "B-DOG", "B-DOG"]])
PRED = [["B-PER", "O", "B-DOG", "B-PER"]]


def of_types(score):
    return {name: value for name, value in score.items() if "type_seen" in name or "type_new" in name}


def test_a_case_by_hand():
    assert of_types(clean_f1(GOLD, PRED, Exposure.of(TRAIN))) == {
        "precision_type_seen": 1 / 2, "n_pred_type_seen": 2, "precision_type_new": 1.0, "n_pred_type_new": 1,
        "f1_type_seen_entity_seen": 2 / 3, "recall_type_seen_entity_seen": 1.0, "n_type_seen_entity_seen": 1,
        "f1_type_seen_entity_new": 0.0, "recall_type_seen_entity_new": 0.0, "n_type_seen_entity_new": 1,
        "f1_type_new_entity_seen": 1.0, "recall_type_new_entity_seen": 1.0, "n_type_new_entity_seen": 1,
        "f1_type_new_entity_new": 0.0, "recall_type_new_entity_new": 0.0, "n_type_new_entity_new": 1,
    }  # fmt: skip


def test_it_is_left_out_where_training_has_all_types():
    gold = Corpus.of([["Ada", "Bo"]], tags=[["B-PER", "B-PER"]])
    assert not of_types(clean_f1(gold, [["B-PER", "B-DOG"]], Exposure.of(TRAIN)))


def test_types_are_those_after_renaming():
    gold = Corpus.of([["Ada", "Rex"]], tags=[["B-person", "B-DOG"]])
    score = clean_f1(gold, [["B-person", "O"]], Exposure.of(TRAIN), types={"person": "PER"})
    assert score.n_type_seen_entity_seen == 1 and score.n_type_new_entity_new == 1


words = st.sampled_from(["Ada", "Bo", "Rex", "met"])
tags = st.sampled_from(["O", "B-PER", "B-DOG", "B-LOC"])


@st.composite
def corpora(draw):
    lengths = draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    columns = [[draw(st.lists(kind, min_size=n, max_size=n)) for n in lengths] for kind in (words, tags, tags)]
    return Corpus.of(columns[0], tags=columns[1]), columns[2]


def brute_force(train, gold, pred):
    """The same by walking through the mentions, one by one: all have one word, so that a match is exact."""
    shown = {
        (tokens[span["start"]], span["label"])
        for tokens, spans in zip(train.tokens(), train.entities(), strict=True)
        for span in spans
    }
    types, surfaces = {label for _, label in shown}, {word for word, _ in shown}
    tokens = gold.tokens()
    ours = [(i, s["start"], s["label"]) for i, spans in enumerate(gold.entities()) for s in spans]
    theirs = [(i, at, tag[2:]) for i, row in enumerate(pred) for at, tag in enumerate(row) if tag != "O"]
    found = {}
    for of_type, is_seen in (("type_seen", True), ("type_new", False)):
        predicted = [mention for mention in theirs if (mention[2] in types) is is_seen]
        right = [mention for mention in predicted if mention in ours]
        precision = len(right) / len(predicted) if predicted else 0.0
        for of_entity, is_known in (("entity_seen", True), ("entity_new", False)):
            group = [m for m in ours if (m[2] in types) is is_seen and (tokens[m[0]][m[1]] in surfaces) is is_known]
            recall = sum(mention in theirs for mention in group) / len(group) if group else math.nan
            both = precision + recall
            f1 = 2 * precision * recall / both if both else 0.0
            name = f"{of_type}_{of_entity}"
            found |= {f"f1_{name}": f1, f"recall_{name}": recall, f"n_{name}": len(group)}
    return found if any(label not in types for _, _, label in ours) else {}


@given(corpora(), corpora(), st.integers(1, 3), st.booleans())
def test_it_is_what_a_walk_through_the_mentions_counts_and_shards_add_up(train, case, cut, typed):
    (train, _), (gold, pred) = train, case
    shown = Exposure.of(train, typed=typed)
    parts = [range(len(gold))[:cut], range(len(gold))[cut:]]
    shards = [clean_f1(gold.select(part), [pred[i] for i in part], shown) for part in parts if part]
    expected = brute_force(train, gold, pred)
    for score in (clean_f1(gold, pred, shown), sum(shards)):
        found = {name: score[name] for name in of_types(score) if name.endswith(tuple(TYPE_EXPOSURE))}
        assert found == pytest.approx(expected, nan_ok=True)


def test_the_command_shows_it(tmp_path, capsys):
    for name, corpus in (("gold", GOLD), ("train", TRAIN)):
        cleancut.write(corpus, tmp_path / f"{name}.jsonl")
    (tmp_path / "pred.jsonl").write_text(json.dumps({"answer": '[["Ada", "PER"], ["Rex", "DOG"]]'}) + "\n", "utf-8")
    files = [f"--{name}={tmp_path}/{name}.jsonl" for name in ("gold", "pred", "train")]
    assert main(["score", *files]) == 0
    shown = capsys.readouterr().out
    assert "F1 by types and words that training has as mentions (%)" in shown and "new type, new words" in shown
    assert main(["score", *files, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["clean_f1"]["f1_type_new_entity_new"] == 1.0
