"""The same numbers as seqeval, where the definitions agree."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import pairs, tags_of

from cleancut import exact_f1

metrics = pytest.importorskip("seqeval.metrics", reason="seqeval is needed for the comparison")
schemes = pytest.importorskip("seqeval.scheme")


def with_words(both):
    """seqeval does not take corpora without samples or samples without words."""
    gold, pred = ([s for s in side if s] for side in both)
    return gold, pred


def report(gold, pred, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return metrics.classification_report(gold, pred, output_dict=True, zero_division=0, **options)


def assert_same(score, found, gold, pred):
    for label, row in found.items():
        row = {k: float(v) for k, v in row.items()}
        if label == "micro avg":
            got = score.precision, score.recall, score.f1, score.n_gold
        elif label == "macro avg":
            got = score.macro_precision, score.macro_recall, score.macro_f1, score.n_gold
        elif label == "weighted avg":
            got = score.weighted_precision, score.weighted_recall, score.weighted_f1, score.n_gold
        else:
            got = tuple(score[f"{name}/{label}"] for name in ("precision", "recall", "f1", "n_gold"))
        expected = row["precision"], row["recall"], row["f1-score"], row["support"]
        assert got == pytest.approx(expected), label


@settings(max_examples=150, deadline=None)
@given(pairs(tags_of("BIES")))
def test_seqeval_default_mode(both):
    gold, pred = with_words(both)
    score = exact_f1(gold, pred)
    if score.n_gold + score.n_pred:
        assert_same(score, report(gold, pred), gold, pred)
        assert exact_f1(gold, pred, keys="seqeval").overall_accuracy == metrics.accuracy_score(gold, pred)


@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize(("scheme", "letters"), [("IOB2", "BI"), ("IOE2", "IE"), ("IOBES", "BIES"), ("BILOU", "BILU")])
@given(data=st.data())
def test_seqeval_strict_mode_discards_what_we_discard(scheme, letters, data):
    gold, pred = with_words(data.draw(pairs(tags_of(letters))))
    score = exact_f1(gold, pred, scheme=scheme, repair="discard")
    if gold and (score.n_gold + score.n_pred):
        found = report(gold, pred, mode="strict", scheme=getattr(schemes, scheme))
        assert_same(score, found, gold, pred)
