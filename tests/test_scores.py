"""Scores: golden values, the papers' arithmetic, the shape of results, error analysis."""

import json
import math

import pytest

from cleancut import CleancutError, Score, __version__, errors, exact_f1, partial_f1, read
from cleancut.scoring.alignment import Counts
from cleancut.scoring.partial import METRIC, _partial_parts, _partial_values
from cleancut.scoring.score import Sums

SYSTEMS = [
    "wnut17/sub_arcada", "wnut17/sub_drexel_cci", "wnut17/sub_flytxt", "wnut17/sub_mic-cis", "wnut17/sub_sjtu_adapt",
    "wnut17/sub_spinningbytes", "wnut17/sub_uh_ritual", "btc_atfix/lookup", "btc_atfix/noisy_gold", "bc5cdr/lookup",
    "bc5cdr/noisy_gold",
]  # fmt: skip


@pytest.mark.parametrize(
    "system", [pytest.param(s, marks=[pytest.mark.slow] if s.startswith("bc5cdr/") else []) for s in SYSTEMS]
)
def test_golden_partial_scores(system, golden, reader):
    """Values of a slow independent implementation on real systems."""
    expected = golden["partial"]["scores"]
    corpus, name = system.split("/")
    gold, pred = reader(f"{corpus}/test"), reader(f"{corpus}/pred/{name}")
    score = partial_f1(gold, pred)
    for mode in ("exact", "left", "right", "overlap"):
        row = expected[f"{system}/{mode}"]
        assert (score.n_exact, score.n_pred, score.n_gold) == (row["EXACT"], row["PREDICTIONS"], row["REFERENCES"])
        if mode != "exact":
            assert score[f"n_partial_{mode}"] == row["PARTIAL"]
        for value in ("precision", "recall", "f1"):
            assert score[f"{value}_{mode}"] == pytest.approx(row[value], abs=1e-12)
    exact = exact_f1(gold, pred)
    assert exact.f1 == pytest.approx(expected[f"{system}/exact"]["f1"], abs=1e-12)


def test_all_golden_systems_are_tested(golden):
    assert {key.rpartition("/")[0] for key in golden["partial"]["scores"]} == set(SYSTEMS)


@pytest.mark.parametrize("corpus", ["btc", "btc_atfix"])
@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_golden_btc_counts(corpus, split, golden, reader):
    found = reader(f"{corpus}/{split}")
    expected = dict(golden["partial"]["btc"][f"{corpus}/{split}"])
    assert len(found) == expected.pop("tweets")
    by_type = {label: int((found.mentions.label == i).sum()) for i, label in enumerate(found.mentions.labels)}
    assert by_type == expected


def test_the_papers_arithmetic():
    """Kong and Sullivan, Table 2: test F1s from 2661 predictions, 2996 references and their matches."""
    row = {"n_gold": 2996, "n_pred": 2661, "n_exact": 2109}
    row |= {"n_partial_left": 46, "n_partial_right": 72, "n_partial_overlap": 107}
    sums = Sums(Counts({"all": row}, tuple(row)), None, None)
    score = Score(METRIC, sums, {"credit": 0.5}, _partial_values, _partial_parts(0.5))
    published = {"exact": 74.56, "left": 75.38, "right": 75.84, "overlap": 76.45}
    assert {mode: round(100 * score[f"f1_{mode}"], 2) for mode in published} == published


GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["B-ORG", "O", "O", "O"]]
PRED = [["B-PER", "I-PER", "O", "B-ORG"], ["O", "B-ORG", "O", "B-MISC"]]


def test_exact_values_by_hand():
    s = exact_f1(GOLD, PRED)
    assert (s.n_gold, s.n_pred, s.n_exact) == (3, 4, 1)
    assert (s.precision, s.recall) == (1 / 4, 1 / 3)
    assert s.f1 == pytest.approx(2 / 7)
    assert s["f1/PER"] == 1.0 and s["recall/LOC"] == 0.0 and s["precision/MISC"] == 0.0
    assert s["n_pred/ORG"] == 2 and s["n_gold/ORG"] == 1
    assert s.macro_f1 == 1 / 4  # over PER, LOC, ORG and MISC, which was only predicted
    assert s.weighted_f1 == pytest.approx(1 / 3)
    assert s.weighted_recall == s.recall


def test_results_are_flat_plain_numbers_with_the_signature_last():
    for score in (exact_f1(GOLD, PRED), partial_f1(GOLD, PRED), partial_f1(GOLD, PRED, muc=True, iou=True)):
        values = score.to_dict()
        assert list(values)[-1] == "signature"
        assert all(type(v) in (int, float, str) for v in values.values())
        assert json.loads(json.dumps(values)) == values


def test_signatures():
    assert exact_f1(GOLD, PRED).signature == f"exact_f1|match:exact|scheme:iob2|repair:conlleval|v:{__version__}"
    assert (
        partial_f1(GOLD, PRED, credit=0.25, repair="discard").signature
        == f"partial_f1|match:left+right+overlap|credit:0.25|scheme:iob2|repair:discard|v:{__version__}"
    )
    assert exact_f1([[(0, 1, "A")]], [[]]).signature == f"exact_f1|match:exact|scheme:spans|v:{__version__}"
    assert "scheme:iob2+bioes" in exact_f1([["B-A", "I-A"]], [["B-A", "E-A"]]).signature
    assert "scheme:iob2+spans" in exact_f1([["B-A"]], [[(0, 1, "A")]]).signature


def test_nothing_on_either_side_is_zero_with_its_counts():
    for s in (exact_f1([["O"]], [["O"]]), exact_f1([], [])):
        assert (s.precision, s.recall, s.f1, s.macro_f1, s.n_gold, s.n_pred) == (0, 0, 0, 0, 0, 0)
    assert partial_f1([["O"]], [["B-A"]]).f1_overlap == 0.0


def test_seqeval_keys():
    s = exact_f1(GOLD, PRED, keys="seqeval").to_dict()
    assert s["PER"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0, "number": 1}
    assert set(s) == {
        "PER", "LOC", "ORG", "MISC", "overall_precision", "overall_recall", "overall_f1", "overall_accuracy",
    }  # fmt: skip
    assert s["overall_accuracy"] == 4 / 8


def test_credit_is_a_parameter():
    gold, pred = [["B-A", "I-A"]], [["B-A", "O"]]
    assert partial_f1(gold, pred, credit=1).f1_left == 1.0
    assert partial_f1(gold, pred, credit=0).f1_left == 0.0
    for bad in (-0.1, 1.5, "half", True, math.nan):
        with pytest.raises(CleancutError, match="credit="):
            partial_f1(gold, pred, credit=bad)


# what stands in gold and prediction; COR INC PAR MIS SPU of strict, exact, partial and type; the sum of the IoUs
MUC_CASES = {
    "the same": ([(0, 2, "A")], [(0, 2, "A")], "10000 10000 10000 10000", 1),
    "nothing predicted": ([(0, 2, "A")], [], "00010 00010 00010 00010", 0),
    "nothing there": ([], [(0, 2, "A")], "00001 00001 00001 00001", 0),
    "elsewhere": ([(0, 2, "A")], [(2, 3, "A")], "00011 00011 00011 00011", 0),
    "another type": ([(0, 2, "A")], [(0, 2, "B")], "01000 10000 10000 01000", 0),
    "a part": ([(0, 3, "A")], [(1, 3, "A")], "01000 01000 00100 10000", 2 / 3),
    "a part of another type": ([(0, 3, "A")], [(1, 3, "B")], "01000 01000 00100 01000", 0),
    "one for two": ([(0, 2, "A"), (2, 4, "A")], [(0, 4, "A")], "01010 01010 00110 10010", 1 / 2),
    "one for two, of the second's type": (
        [(0, 2, "A"), (2, 4, "B")], [(0, 4, "B")], "01010 01010 00110 10010", 1 / 2,
    ),
    "two for one": ([(0, 4, "A")], [(0, 1, "A"), (1, 4, "A")], "01001 01001 00101 10001", 3 / 4),
    "two for one, the second of its type": (
        [(0, 4, "A")], [(0, 3, "B"), (3, 4, "A")], "01001 01001 00101 10001", 1 / 4,
    ),
    "a chain, the type in its middle": (
        [(0, 2, "A"), (2, 4, "B")], [(1, 3, "B"), (3, 4, "A")], "02000 02000 00200 10011", 1 / 3,
    ),
    "nested, one right": ([(0, 3, "A"), (1, 2, "B")], [(0, 3, "A"), (1, 2, "A")], "11000 20000 20000 11000", 1),
    "one span, two types": ([(0, 1, "A"), (0, 1, "B")], [(0, 1, "B"), (0, 1, "C")], "11000 20000 20000 11000", 1),
}  # fmt: skip


@pytest.mark.parametrize("case", MUC_CASES)
def test_muc_and_iou_by_hand(case):
    gold, pred, expected, earned = MUC_CASES[case]
    s = partial_f1([gold], [pred], muc=True, iou=True)
    for scheme, counts in zip(("strict", "exact", "partial", "type"), expected.split(), strict=True):
        found = [s[f"n_muc_{scheme}_{name}"] for name in ("cor", "inc", "par", "mis", "spu")]
        assert "".join(map(str, found)) == counts, scheme
        credit = found[0] + found[2] / 2
        assert s[f"precision_muc_{scheme}"] == (credit / len(pred) if pred else 0.0)
        assert s[f"recall_muc_{scheme}"] == (credit / len(gold) if gold else 0.0)
    assert s.recall_iou == pytest.approx(earned / len(gold) if gold else 0.0)
    assert s.precision_iou == pytest.approx(earned / len(pred) if pred else 0.0)


def test_muc_and_iou_of_one_type_leave_the_others_out():
    s = partial_f1([[(0, 2, "A"), (3, 4, "B")]], [[(0, 1, "A"), (3, 4, "A")]], muc=True, iou=True)
    assert (s.n_muc_exact_cor, s.n_muc_type_cor, s.n_muc_type_inc) == (1, 1, 1)
    assert (s["n_muc_strict_inc/A"], s["n_muc_strict_spu/A"], s["n_muc_type_cor/A"]) == (1, 1, 1)
    assert (s["n_muc_exact_cor/B"], s["n_muc_exact_mis/B"]) == (0, 1)
    assert (s["recall_iou/A"], s["precision_iou/A"], s["f1_iou/B"]) == (0.5, 0.25, 0.0)
    assert s.signature == f"partial_f1|match:left+right+overlap+muc+iou|credit:0.5|scheme:spans|v:{__version__}"
    assert "muc" not in partial_f1([[]], [[]], iou=True).signature


def test_a_score_reads_like_a_mapping_and_names_what_it_has():
    s = exact_f1(GOLD, PRED)
    assert dict(s) == s.to_dict() and len(s) == len(s.to_dict()) and "f1/PER" in s
    assert s == exact_f1(GOLD, PRED) and s != exact_f1(GOLD, GOLD)
    assert repr(s).startswith("exact_f1(precision=0.2500, recall=0.3333")
    with pytest.raises(AttributeError, match="no 'fl'. Did you mean f1\\? It has precision, recall, f1"):
        _ = s.fl


def test_scores_computed_differently_do_not_add_up():
    with pytest.raises(CleancutError, match="cannot be added"):
        _ = partial_f1(GOLD, PRED) + partial_f1(GOLD, PRED, credit=0.1)
    with pytest.raises(CleancutError, match="cannot be added"):
        _ = partial_f1(GOLD, PRED) + partial_f1(GOLD, PRED, muc=True)
    with pytest.raises(CleancutError, match="cannot be added"):
        _ = partial_f1(GOLD, PRED) + exact_f1(GOLD, PRED)
    with pytest.raises(TypeError):
        _ = exact_f1(GOLD, PRED) + 1


def test_errors_table_and_matches():
    tokens = [["Ada", "King", "saw", "Oslo"], ["Acme", "Corp", "fell", "today"]]
    e = errors(GOLD, PRED, tokens=tokens)
    assert e.confusion["PER"] == {"LOC": 0, "MISC": 0, "ORG": 0, "PER": 1}
    assert e.confusion["LOC"]["ORG"] == 1
    assert e.missed == {"LOC": 0, "MISC": 0, "ORG": 1, "PER": 0}
    assert e.spurious == {"LOC": 0, "MISC": 1, "ORG": 1, "PER": 0}
    rows = [(m["sample"], m["kind"], m["gold_text"], m["pred_text"], m["credit"]) for m in e.matches]
    assert rows == [
        (0, "exact", "Ada King", "Ada King", 1.0),
        (0, "type", "Oslo", "Oslo", 0.0),
        (1, "missed", "Acme", None, 0.0),
        (1, "spurious", None, "Corp", 0.0),
        (1, "spurious", None, "today", 0.0),
    ]
    assert json.loads(json.dumps(e.to_dict())) == e.to_dict()


def test_errors_give_partial_credit_as_partial_f1_does(corpora):
    gold, pred = read(corpora / "wnut17/test.jsonl"), read(corpora / "wnut17/pred/sub_arcada.jsonl")
    for mode in ("left", "right", "overlap"):
        e, s = errors(gold, pred, match=mode), partial_f1(gold, pred)
        kinds = [m["kind"] for m in e.matches]
        assert kinds.count("exact") == s.n_exact and kinds.count("boundary") == s[f"n_partial_{mode}"]
        assert sum(m["gold_start"] is not None for m in e.matches) == s.n_gold
        assert sum(m["pred_start"] is not None for m in e.matches) == s.n_pred
        assert sum(m["credit"] for m in e.matches) / s.n_gold == pytest.approx(s[f"recall_{mode}"])
        confused = sum(sum(row.values()) for row in e.confusion.values())
        assert confused + sum(e.missed.values()) == s.n_gold
        assert confused + sum(e.spurious.values()) == s.n_pred


def test_errors_without_tokens_have_no_texts():
    assert errors([["B-A"]], [["O"]]).matches[0]["gold_text"] is None
    with pytest.raises(CleancutError, match="match='fuzzy' is unknown"):
        errors([["O"]], [["O"]], match="fuzzy")
