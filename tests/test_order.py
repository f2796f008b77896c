"""Rows in another order: joined by their ids, or an error that says so first; never a score of the wrong rows."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cleancut as cc
from cleancut import cli
from cleancut.reading import formats

TOKENS = [["Ada", "spoke"], ["in", "Rome", "."], ["Bo"], ["he", "saw", "Rome"]]
GOLD = [["B-PER", "O"], ["O", "B-LOC", "O"], ["B-PER"], ["O", "O", "B-LOC"]]
PRED = [["B-PER", "O"], ["O", "O", "O"], ["B-LOC"], ["B-PER", "O", "B-LOC"]]
IDS = ["a", "b", "c", "d"]


def both(ids=IDS):
    gold, pred = (cc.Corpus.of(TOKENS, tags=tags, ids=ids) for tags in (GOLD, PRED))
    return gold, pred


@given(st.permutations(range(4)), st.permutations(range(4)))
def test_samples_are_joined_by_their_ids(ours, theirs):
    gold, pred = both()
    shown = cc.Exposure.of(gold.select([0]))
    moved = gold.select(ours), pred.select(theirs)
    assert cc.exact_f1(*moved) == cc.exact_f1(gold, pred)
    assert str(cc.clean_f1(*moved, shown).to_dict()) == str(cc.clean_f1(gold, pred, shown).to_dict())
    assert cc.hardeval(*moved, shown).errors_all == cc.hardeval(gold, pred, shown).errors_all


def test_other_ids_are_an_error_that_names_them():
    gold, pred = both()
    with pytest.raises(
        cc.CleancutError, match="'d' is in the gold only, 'x' is in the predictions only. Give one pred"
    ):
        cc.exact_f1(gold, cc.Corpus.of(TOKENS, tags=PRED, ids=["a", "b", "c", "x"]))
    with pytest.raises(cc.CleancutError, match="4 gold and 3 predicted samples are not of the same ids: 'b' is in the"):
        cc.exact_f1(gold, pred.select([0, 2, 3]))


@pytest.mark.parametrize("ids", [["a", "a", "b", "c"], ["a", None, None, "b"]])
def test_ids_that_do_not_tell_samples_apart_are_checked_in_order(ids):
    gold, pred = both(ids)
    assert cc.exact_f1(gold, pred).f1 == cc.exact_f1(GOLD, PRED).f1
    with pytest.raises(cc.CleancutError, match="in another order|gold id"):
        cc.exact_f1(gold, pred.select([3, 2, 1, 0]))


@pytest.mark.parametrize("order", [[1, 0, 2, 3], [0, 3, 2, 1]])  # other lengths, other words of the same length
def test_without_ids_the_error_says_that_the_order_differs(order):
    gold, pred = both(None)
    with pytest.raises(cc.CleancutError, match="the same samples in another order; this one is at .*sample [13]. Give"):
        cc.exact_f1(gold, cc.Corpus.of([TOKENS[i] for i in order], tags=[PRED[i] for i in order]))
    assert cc.exact_f1(gold, pred.select([0, 1, 2, 3])).f1 == cc.exact_f1(GOLD, PRED).f1


def test_tags_alone_are_judged_by_their_lengths():
    with pytest.raises(
        cc.CleancutError, match="the samples seem to be in another order: this one has 2 gold tokens but 3"
    ):
        cc.exact_f1(GOLD, [PRED[i] for i in (1, 0, 2, 3)])
    with pytest.raises(cc.CleancutError, match="2 gold tokens but 1 tags"):  # not the same lengths: as ever
        cc.exact_f1(GOLD, [PRED[0][:1], *PRED[1:]])


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2], [0, 1, 3, 2]])
@pytest.mark.parametrize("repair", ["conlleval", "discard"])
def test_files_are_joined_by_id_whatever_the_batches(order, repair, tmp_path, monkeypatch, capsys):
    gold, pred = both()
    cc.write(gold, tmp_path / "gold.jsonl")
    cc.write(pred.select(order), tmp_path / "pred.jsonl")
    cc.write(gold.select([0]), tmp_path / "train.jsonl")
    files = tmp_path / "gold.jsonl", tmp_path / "pred.jsonl"
    for size in (1, 2, 3, 9):
        batches = list(formats.paired_batches(*files, size, repair=repair))
        assert sum(cc.exact_f1(*parts) for parts in batches).f1 == cc.exact_f1(gold, pred).f1
        assert [name for part, _ in batches for name in part.ids] == IDS
        assert [name for _, part in batches for name in part.ids] == IDS
    given = ["--gold", str(files[0]), "--pred", str(files[1]), "--train", str(tmp_path / "train.jsonl"), "--json"]
    assert cli.main(["score", *given]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["exact_f1"]["f1"] == cc.exact_f1(gold, pred).f1


def test_ids_of_files_that_do_not_tell_samples_apart_are_read_once(tmp_path):
    gold, pred = both(["a", "a", "b", "b"])
    cc.write(gold, tmp_path / "gold.jsonl")
    cc.write(pred.select([3, 2, 1, 0]), tmp_path / "pred.jsonl")
    batches = list(formats.paired_batches(tmp_path / "gold.jsonl", tmp_path / "pred.jsonl", 1))
    assert len(batches) == 4
    with pytest.raises(cc.CleancutError, match="'a' is in the gold only, 'b' is in the predictions only"):
        cc.exact_f1(*batches[0])
