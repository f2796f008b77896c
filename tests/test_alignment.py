"""The alignment against a brute-force one, and the laws every span score obeys."""

import random
from fractions import Fraction
from functools import partial
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, nested_pairs, pairs

from cleancut import Mentions, exact_f1, partial_f1
from cleancut.scoring.alignment import WHOLE, Aligner, Match

EVERY = {"muc": True, "iou": True}
METRICS = (exact_f1, partial_f1, partial(partial_f1, **EVERY))


def matches(mode, gold, pred):
    if gold["label"] != pred["label"]:
        return False
    if mode == "left":
        return gold["start"] == pred["start"]
    if mode == "right":
        return gold["end"] == pred["end"]
    return gold["start"] < pred["end"] and pred["start"] < gold["end"]


def most_pairs(mode, gold, pred):
    """The size of a maximum matching, by trying all orders of the smaller side."""
    if len(gold) > len(pred):
        gold, pred = pred, gold
    best = 0
    for order in permutations(range(len(pred)), len(gold)):
        best = max(best, sum(matches(mode, g, pred[p]) for g, p in zip(gold, order, strict=True)))
    return best


def unique(spans):
    return [dict(s) for s in sorted({tuple(s.items()) for s in spans})]


@given(nested_pairs())
def test_partial_pairs_are_as_many_as_a_brute_force_search_finds(both):
    score = partial_f1(*both)
    for mode in ("left", "right", "overlap"):
        expected = 0
        for gold, pred in zip(*both, strict=True):
            gold, pred = unique(gold), unique(pred)
            expected += most_pairs(mode, [g for g in gold if g not in pred], [p for p in pred if p not in gold])
        assert score[f"n_partial_{mode}"] == expected


def one_to_one(gold, pred):
    """All one-to-one choices of pairs that share a token."""
    if not gold:
        yield []
        return
    for rest in one_to_one(gold[1:], pred):
        yield rest
    for i, p in enumerate(pred):
        if gold[0]["start"] < p["end"] and p["start"] < gold[0]["end"]:
            for rest in one_to_one(gold[1:], pred[:i] + pred[i + 1 :]):
                yield [(gold[0], p), *rest]


def same(g, p, *names):
    return all(g[name] == p[name] for name in names)


def iou(g, p):
    shared = min(g["end"], p["end"]) - max(g["start"], p["start"])
    return Fraction(shared, max(g["end"], p["end"]) - min(g["start"], p["start"])) * same(g, p, "label")


@examples(60)
@given(nested_pairs())
def test_muc_and_iou_against_all_one_to_one_choices(both):
    n_exact = n_span = n_met = n_typed = n_met_typed = earned = 0
    for gold, pred in zip(*both, strict=True):
        rows = []
        for chosen in one_to_one(unique(gold), unique(pred)):
            exact = sum(same(g, p, "start", "end", "label") for g, p in chosen)
            span = sum(same(g, p, "start", "end") for g, p in chosen)
            typed = sum(same(g, p, "label") for g, p in chosen)
            rows.append((exact, span, typed, len(chosen), sum((iou(g, p) for g, p in chosen), Fraction(0))))
        best = max(rows, key=lambda row: (row[0], row[1], row[3]))
        n_exact, n_span, n_met = n_exact + best[0], n_span + best[1], n_met + best[3]
        best = max(rows, key=lambda row: (row[0], row[2], row[3]))
        n_typed, n_met_typed = n_typed + best[2], n_met_typed + best[3]
        earned += max(row[4] for row in rows)
    s = partial_f1(*both, muc=True, iou=True)
    assert (s.n_muc_strict_cor, s.n_muc_strict_inc) == (n_exact, n_met - n_exact)
    assert (s.n_muc_exact_cor, s.n_muc_exact_inc) == (n_span, n_met - n_span)
    assert (s.n_muc_partial_cor, s.n_muc_partial_par) == (n_span, n_met - n_span)
    assert (s.n_muc_type_cor, s.n_muc_type_inc) == (n_typed, n_met_typed - n_typed)
    assert Fraction(s.sums.counts.total()["iou"], WHOLE) == earned


@given(nested_pairs())
def test_laws_of_muc_and_iou(both):
    s, plain = partial_f1(*both, **EVERY), partial_f1(*both)
    assert {name: s[name] for name in plain if name != "signature"} == {
        name: plain[name] for name in plain if name != "signature"
    }
    for at in ("", *(f"/{label}" for label in s.sums.counts.by_type)):
        for scheme in ("strict", "exact", "partial", "type"):
            cor, inc, par, mis, spu = (s[f"n_muc_{scheme}_{n}{at}"] for n in ("cor", "inc", "par", "mis", "spu"))
            assert min(cor, inc, par, mis, spu) >= 0
            assert cor + inc + par + mis == s[f"n_gold{at}"] and cor + inc + par + spu == s[f"n_pred{at}"]
            assert par == 0 or scheme == "partial"
        f1 = {name: s[f"f1_{name}{at}"] for name in ("exact", "iou", *(f"muc_{n}" for n in ("strict", "type")))}
        assert f1["exact"] == f1["muc_strict"] <= min(s[f"f1_muc_exact{at}"], f1["muc_type"])
        assert s[f"f1_muc_exact{at}"] <= s[f"f1_muc_partial{at}"]
        overlap = partial_f1(*both, credit=1)[f"f1_overlap{at}"]
        assert f1["exact"] <= f1["iou"] <= overlap == f1["muc_type"]
    alone = partial_f1(both[0], both[0], **EVERY)
    assert alone.f1_iou == alone.f1_muc_partial == (1.0 if alone.n_gold else 0.0)


@given(nested_pairs(), st.randoms(use_true_random=False))
def test_the_order_of_the_lists_never_matters(both, rng):
    shuffled = [[rng.sample(spans, len(spans)) for spans in side] for side in both]
    for metric in METRICS:
        assert metric(*both).to_dict() == metric(*shuffled).to_dict()


@given(nested_pairs())
def test_swapping_gold_and_prediction_swaps_precision_and_recall(both):
    one, other = partial_f1(*both, **EVERY), partial_f1(*reversed(both), **EVERY)
    for scheme in ("strict", "exact", "partial", "type"):
        for here, there in (("cor", "cor"), ("inc", "inc"), ("par", "par"), ("mis", "spu"), ("spu", "mis")):
            assert one[f"n_muc_{scheme}_{here}"] == other[f"n_muc_{scheme}_{there}"]
    for mode in ("exact", "left", "right", "overlap", "iou", "muc_partial", "muc_type"):
        assert one[f"precision_{mode}"] == other[f"recall_{mode}"]
        assert one[f"f1_{mode}"] == pytest.approx(other[f"f1_{mode}"])


@given(nested_pairs())
def test_exact_is_at_most_left_and_right_and_these_at_most_overlap(both):
    s = partial_f1(*both)
    assert s.f1_exact <= min(s.f1_left, s.f1_right) <= max(s.f1_left, s.f1_right) <= s.f1_overlap
    assert s.f1_exact == exact_f1(*both).f1


@given(nested_pairs())
def test_pairs_are_one_to_one_and_exact_pairs_are_never_lost(both):
    gold, pred = map(Mentions.of, both)
    aligner = Aligner(gold, pred)
    for mode in Match:
        found = aligner.align(mode)
        assert len(set(found.gold.tolist())) == len(set(found.pred.tolist())) == len(found.gold)
        assert set(aligner.exact_gold.tolist()) <= set(found.gold.tolist())
        assert (gold.sample[found.gold] == pred.sample[found.pred]).all()


@given(pairs())
def test_a_prediction_equal_to_gold_is_perfect(both):
    gold, _ = both
    score = exact_f1(gold, gold)
    assert score.precision == score.recall == score.f1 == (1.0 if score.n_gold else 0.0)


@given(pairs())
def test_doubling_a_corpus_keeps_every_rate(both):
    gold, pred = both
    for metric in METRICS:
        one, two = metric(gold, pred), metric(gold + gold, pred + pred)
        for key, value in one.to_dict().items():
            if key.startswith("n_"):
                assert two[key] == 2 * value
            else:
                assert two[key] == (pytest.approx(value) if isinstance(value, float) else value)


@given(pairs(), st.integers(0, 6))
def test_scores_of_shards_add_up_to_the_score_of_the_whole(both, cut):
    gold, pred = both
    for metric in METRICS:
        whole = metric(gold, pred)
        merged = sum([metric(gold[:cut], pred[:cut]), metric(gold[cut:], pred[cut:])])
        assert merged.to_dict() == whole.to_dict()
        assert merged == whole


def test_an_overlap_never_takes_a_mention_from_its_exact_match():
    gold = [[(0, 2, "A"), (2, 4, "A")]]
    pred = [[(1, 3, "A"), (2, 4, "A")]]
    score = partial_f1(gold, pred)
    assert (score.n_exact, score.n_partial_overlap) == (1, 1)


def test_augmenting_paths_beat_greedy_choices():
    # greedy in order of gold would give [0, 2) to the long one and leave [0, 1) without a partner
    gold = [[(0, 9, "A"), (0, 1, "A"), (8, 9, "A")]]
    pred = [[(0, 2, "A"), (3, 4, "A"), (7, 9, "A")]]
    assert partial_f1(gold, pred).n_partial_overlap == 3


def test_long_samples_and_many_types_do_not_overflow():
    rng = random.Random(0)
    far = 2**30
    gold = [[(far + i, far + i + 2**20, f"T{rng.randrange(5000)}") for i in range(50)] for _ in range(30)]
    score = partial_f1(gold, gold, **EVERY)
    assert score.f1_exact == score.f1_iou == score.f1_muc_partial == 1.0
    assert partial_f1(gold, [row[::-1] for row in gold]).f1_exact == 1.0


def test_a_sample_with_a_thousand_nested_mentions():
    gold = [[(i, 2000 - i, "A") for i in range(1000)]]
    pred = [[(i, 2001 - i, "A") for i in range(1000)]]
    score = partial_f1(gold, pred)
    assert (score.n_partial_left, score.n_partial_overlap) == (1000, 1000)
    score = partial_f1([row[:300] for row in gold], [row[:300] for row in pred], **EVERY)
    assert score.n_muc_type_cor == score.n_muc_partial_par == 300
    assert score.recall_iou == pytest.approx(sum((2000 - 2 * i) / (2001 - 2 * i) for i in range(300)) / 300)
