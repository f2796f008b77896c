"""The same numbers as seqeval, nervaluate and SeqScore, where the definitions agree."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, flat, pairs, tags_of

from cleancut import Corpus, Exposure, Mentions, clean_f1, exact_f1, partial_f1

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


@examples(150)
@given(pairs(tags_of("BIES")))
def test_seqeval_default_mode(both):
    gold, pred = with_words(both)
    score = exact_f1(gold, pred)
    if score.n_gold + score.n_pred:
        assert_same(score, report(gold, pred), gold, pred)
        assert exact_f1(gold, pred, keys="seqeval").overall_accuracy == metrics.accuracy_score(gold, pred)


@examples(60)
@pytest.mark.parametrize(("scheme", "letters"), [("IOB2", "BI"), ("IOE2", "IE"), ("IOBES", "BIES"), ("BILOU", "BILU")])
@given(data=st.data())
def test_seqeval_strict_mode_discards_what_we_discard(scheme, letters, data):
    gold, pred = with_words(data.draw(pairs(tags_of(letters))))
    score = exact_f1(gold, pred, scheme=scheme, repair="discard")
    if gold and (score.n_gold + score.n_pred):
        found = report(gold, pred, mode="strict", scheme=getattr(schemes, scheme))
        assert_same(score, found, gold, pred)


# --- nervaluate ---------------------------------------------------------------------------------------

MUC = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}
COUNTS = {"cor": "correct", "inc": "incorrect", "par": "partial", "mis": "missed", "spu": "spurious"}


def nervaluate(gold, pred):
    """Its results of all types and of each; its ends are inclusive."""
    evaluator = pytest.importorskip("nervaluate", reason="nervaluate is needed for the comparison").Evaluator
    sides = ([[{**span, "end": span["end"] - 1} for span in sample] for sample in side] for side in (gold, pred))
    types = sorted({span["label"] for side in (gold, pred) for sample in side for span in sample})
    found = evaluator(*sides, tags=types, loader="dict").evaluate()
    return {"": found["overall"], **{f"/{label}": row for label, row in found["entities"].items()}}


def assert_same_counts(score, found, schemes):
    for at, row in found.items():
        for scheme in schemes:
            theirs = row[MUC[scheme]]
            for ours, name in COUNTS.items():
                assert score[f"n_muc_{scheme}_{ours}{at}"] == getattr(theirs, name), (scheme, ours, at)
            for name in ("precision", "recall", "f1"):
                assert score[f"{name}_muc_{scheme}{at}"] == pytest.approx(getattr(theirs, name)), (scheme, name, at)


@examples(200)
@given(st.lists(st.tuples(flat(), flat()), min_size=1, max_size=4))
def test_nervaluate_on_flat_mentions(samples):
    """Where mentions do not overlap, taking the first match from left to right finds as many as there can be."""
    gold, pred = zip(*samples, strict=True)
    assert_same_counts(partial_f1(gold, pred, muc=True), nervaluate(gold, pred), ("strict", "exact", "partial"))


@examples(200)
@given(st.lists(st.tuples(flat(), flat()), min_size=1, max_size=4))
def test_nervaluate_by_type_where_its_order_does_not_matter(samples):
    """In its type scores, the first prediction takes a gold mention even from a later one of the right type."""
    kept = []
    for gold, pred in samples:
        alone = [g for g in gold if sum(p["start"] < g["end"] and g["start"] < p["end"] for p in pred) <= 1]
        kept.append((alone, pred))
    gold, pred = zip(*kept, strict=True)
    assert_same_counts(partial_f1(gold, pred, muc=True), nervaluate(gold, pred), MUC)


def test_where_nervaluate_differs():
    """One gold mention, the first of two predictions of another type: its type score depends on the order."""
    gold = [[{"start": 0, "end": 4, "label": "A"}]]
    first, second = {"start": 0, "end": 2, "label": "B"}, {"start": 2, "end": 4, "label": "A"}
    assert nervaluate(gold, [[first, second]])[""]["ent_type"].correct == 0
    assert nervaluate(gold, [[second, first]])[""]["ent_type"].correct == 1
    for pred in ([first, second], [second, first]):
        assert partial_f1(gold, [pred], muc=True).n_muc_type_cor == 1


# --- SeqScore -----------------------------------------------------------------------------------------


@examples(100)
@given(pairs(tags_of("BI")))
def test_seqscore_with_its_conlleval_repair(both):
    scoring = pytest.importorskip("seqscore.scoring", reason="SeqScore is needed for the comparison")
    gold, pred = with_words(both)
    found, _ = scoring.score_label_sequences(pred, gold, "BIO", repair="conlleval")
    score = exact_f1(gold, pred)
    assert (score.precision, score.recall, score.f1) == pytest.approx((found.precision, found.recall, found.f1))
    assert (score.n_exact, score.n_gold, score.n_pred) == (found.true_pos, found.total_ref, found.total_pos)
    for label, row in found.type_scores.items():
        assert (score[f"n_exact/{label}"], score[f"f1/{label}"]) == (row.true_pos, pytest.approx(row.f1))


@examples(60)
@given(st.data())
def test_seqscore_on_the_type_confusable_mentions(data):
    """SeqScore does not choose tough mentions, but its recall of a chosen subset of the references is that subset's."""
    scoring = pytest.importorskip("seqscore.scoring", reason="SeqScore is needed for the comparison")
    model = pytest.importorskip("seqscore.model")
    gold, pred = with_words(data.draw(pairs(tags_of("BI"))))
    tokens = [[data.draw(st.sampled_from("ab")) for _ in sample] for sample in gold]
    sides = [Mentions.of(side).spans() for side in (gold, pred)]
    types = {}
    for words, spans in zip(tokens, sides[0], strict=True):
        for span in spans:
            types.setdefault(tuple(words[span["start"] : span["end"]]), set()).add(span["label"])
    theirs = scoring.ClassificationScore()
    for words, *spans in zip(tokens, *sides, strict=True):
        ours, found = (
            [(model.Mention(model.Span(s["start"], s["end"]), s["label"]), s) for s in side] for side in spans
        )
        tough = [m for m, s in ours if len(types[tuple(words[s["start"] : s["end"]])]) > 1]
        scoring.score_sequence_mentions([m for m, _ in found], tough, theirs)
    shown = Exposure.of(Corpus.of([["a"]], tags=[["O"]]))
    score = clean_f1(gold, pred, shown, tokens=tokens, confusable=True)
    assert score.n_confusable == theirs.total_ref
    if theirs.total_ref:
        assert score.recall_confusable == pytest.approx(theirs.recall)


# --- what docs/peers.md says of them --------------------------------------------------------------------


def test_ill_formed_tags_in_other_tools():
    from seqeval.metrics.sequence_labeling import get_entities

    scoring = pytest.importorskip("seqscore.scoring", reason="SeqScore is needed for the comparison")
    ill, nothing = [["O", "I-PER", "I-PER"]], [["O", "O", "O"]]
    assert get_entities(ill) == [("PER", 1, 2)] and len(Mentions.of(ill)) == 1
    assert report(ill, nothing, mode="strict", scheme=schemes.IOB2)["micro avg"]["support"] == 0
    assert len(Mentions.of(ill, scheme="iob2", repair="discard")) == 0
    found = {how: scoring.score_label_sequences(ill, nothing, "BIO", repair=how)[0] for how in ("conlleval", "discard")}
    assert (found["conlleval"].false_pos, found["discard"].false_pos) == (1, 0)
    with pytest.raises(Exception, match="Cannot score sequence due to validation errors"):
        scoring.score_label_sequences(ill, nothing, "BIO", repair=None)
    with pytest.raises(Exception, match="Could not parse label 'PER'"):
        scoring.score_label_sequences([["PER"]], [["PER"]], "BIO", repair="conlleval")


def test_schemes_of_other_tools():
    from seqeval.metrics.sequence_labeling import get_entities

    encoding = pytest.importorskip("seqscore.encoding", reason="SeqScore is needed for the comparison")
    scoring = pytest.importorskip("seqscore.scoring")
    assert set(encoding.SUPPORTED_ENCODINGS) == {"BIO", "BIOES", "BILOU", "BMES", "BMEOW", "IO", "IOB"}
    assert get_entities([["U-P", "U-P"]]) == [("P", 0, 1)]  # its default mode has no U
    assert get_entities([["S-P", "S-P"]]) == [("P", 0, 0), ("P", 1, 1)] and len(Mentions.of([["U-P", "U-P"]])) == 2
    single, _ = scoring.score_label_sequences([["S-P", "S-P"]], [["S-P", "S-P"]], "BIOES", repair=None)
    assert single.true_pos == 2
    other, _ = scoring.score_label_sequences([["O"]], [["S-P"]], "BIOES", repair=None)
    single.update(other)  # its counts add up
    assert (single.true_pos, single.total_ref) == (2, 3)
