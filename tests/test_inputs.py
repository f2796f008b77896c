"""Every form of input means the same, and bad input is refused with its place."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from strategies import nested, nested_pairs, pairs, tags_of

import cleancut
from cleancut import CleancutError, Corpus, Mentions, exact_f1, partial_f1

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
GOLD = [["B-PER", "I-PER", "O"], ["O"], [], ["B-LOC", "O", "B-PER", "I-PER"]]
PRED = [["B-PER", "O", "O"], ["B-LOC"], [], ["B-LOC", "O", "B-PER", "I-PER"]]


def ids(tags):
    return [[NAMES.index(t) for t in s] for s in tags]


def padded(rows, fill):
    width = max(map(len, rows))
    return np.array([row + [fill] * (width - len(row)) for row in rows])


FORMS = {
    "tuples": (tuple(map(tuple, GOLD)), tuple(map(tuple, PRED)), {}),
    "ids": (ids(GOLD), ids(PRED), {"labels": NAMES}),
    "id2label": (ids(GOLD), ids(PRED), {"labels": dict(enumerate(NAMES))}),
    "id2label from JSON": (ids(GOLD), ids(PRED), {"labels": {str(i): n for i, n in enumerate(NAMES)}}),
    "arrays": ([np.array(s, int) for s in ids(GOLD)], [np.array(s, int) for s in ids(PRED)], {"labels": NAMES}),
    "padded": (padded(ids(GOLD), -100), padded(ids(PRED), 3), {"labels": NAMES}),
    "padded on both sides": (padded(ids(GOLD), -100), padded(ids(PRED), -100), {"labels": NAMES}),
    "padded lists": (padded(ids(GOLD), -100).tolist(), padded(ids(PRED), 0).tolist(), {"labels": NAMES}),
    "int8": (padded(ids(GOLD), -100).astype(np.int8), padded(ids(PRED), 0).astype(np.int8), {"labels": NAMES}),
    "arrow strings": (pa.array(GOLD), pa.array(PRED), {}),
    "arrow ids": (pa.array(ids(GOLD)), pa.chunked_array([ids(PRED)[:2], ids(PRED)[2:]]), {"labels": NAMES}),
    "arrow ids in chunks": (
        pa.chunked_array([padded(ids(GOLD), -100).tolist()[:1], padded(ids(GOLD), -100).tolist()[1:]]),
        pa.chunked_array([padded(ids(PRED), 0).tolist()[:2], padded(ids(PRED), 0).tolist()[2:]]),
        {"labels": NAMES},
    ),
    "string arrays": ([np.array(s, str) for s in GOLD], [np.array(s, str) for s in PRED], {}),
    "corpora": (
        Corpus.of([["w"] * len(s) for s in GOLD], tags=GOLD),
        Corpus.of([["w"] * len(s) for s in GOLD], tags=PRED),
        {},
    ),
    "mentions": (Mentions.of(GOLD), Mentions.of(PRED), {}),
    "corpus and tags": (Corpus.of([["w"] * len(s) for s in GOLD], tags=GOLD), PRED, {}),
    "strings and ids": (GOLD, ids(PRED), {"labels": NAMES}),
}
SPAN_FORMS = {
    "dicts": (Mentions.of(GOLD).spans(), Mentions.of(PRED).spans(), {}),
    "triples": (*([[tuple(s.values()) for s in row] for row in Mentions.of(t).spans()] for t in (GOLD, PRED)), {}),
    "lists": (*([[list(s.values()) for s in row] for row in Mentions.of(t).spans()] for t in (GOLD, PRED)), {}),
    "arrow structs": (pa.array(Mentions.of(GOLD).spans()), pa.array(Mentions.of(PRED).spans()), {}),
    "tags and spans": (GOLD, Mentions.of(PRED).spans(), {}),
    "spans and tags": (Mentions.of(GOLD).spans(), PRED, {}),
}


@pytest.mark.parametrize("form", [*FORMS, *SPAN_FORMS])
def test_every_form_scores_the_same(form):
    gold, pred, options = {**FORMS, **SPAN_FORMS}[form]
    for metric in (exact_f1, partial_f1):
        got, expected = metric(gold, pred, **options).to_dict(), metric(GOLD, PRED).to_dict()
        got.pop("signature"), expected.pop("signature")
        assert got == expected


@pytest.mark.parametrize("form", FORMS)
def test_token_accuracy_of_tags_in_any_form(form):
    gold, pred, options = FORMS[form]
    assert exact_f1(gold, pred, keys="seqeval", **options).overall_accuracy == 6 / 8


def test_accuracy_is_unknown_for_spans():
    gold, pred, _ = SPAN_FORMS["dicts"]
    assert np.isnan(exact_f1(gold, pred, keys="seqeval").overall_accuracy)


def test_class_label_names():
    datasets = pytest.importorskip("datasets")
    labels = datasets.ClassLabel(names=NAMES)
    assert exact_f1(ids(GOLD), ids(PRED), labels=labels).f1 == exact_f1(GOLD, PRED).f1


def test_masked_gold_positions_leave_both_sides():
    gold = [[-100, 1, -100, 2, -100]]
    pred = [[3, 1, 0, 2, 4]]
    score = exact_f1(gold, pred, labels=NAMES)
    assert (score.f1, score.n_pred) == (1.0, 1)  # the masked sub-word between B and I does not split the mention


@pytest.mark.parametrize("length", [255, 256, 257, 65_536, 70_000])
def test_masks_of_long_samples_are_counted_right(length):
    gold = np.zeros((2, length), int)
    gold[0, -1] = gold[1, 0] = 1
    gold[1, 1:] = -100
    score = exact_f1(gold, np.where(gold == -100, 3, gold), labels=NAMES)
    assert (score.n_gold, score.n_pred, score.f1) == (2, 2, 1.0)


def test_label_ids_beyond_one_read_count_like_the_first():
    """Ids are read a part at a time: neither scores nor places may show where a part ends, nor a mention cross rows."""
    gold = np.tile([[1, 2, 0, 3, 1], [2, 0, -100, 2, 4]], (10_000, 1))  # a row begins inside, where the last one ended
    pred = np.where(gold == 3, 1, gold.clip(0))
    whole, part = exact_f1(gold, pred, labels=NAMES).to_dict(), exact_f1(gold[:2], pred[:2], labels=NAMES).to_dict()
    for name, value in part.items():
        assert whole[name] == (10_000 * value if name.startswith("n_") else value), name
    pred[15_000, 3] = 9
    with pytest.raises(CleancutError, match="predicted sample 15000, token 3: label id 9"):
        exact_f1(gold, pred, labels=NAMES)
    pred[15_000, 3], gold[19_999, 1] = 0, -356  # the byte of -100
    with pytest.raises(CleancutError, match="gold sample 19999, token 1: label id -356"):
        exact_f1(gold, pred, labels=NAMES)


@pytest.mark.trainer
@pytest.mark.parametrize("kind", ["bfloat16", "sparse", "meta", "float", "complex", "bool", "empty"])
def test_tensors_that_hold_no_label_ids_are_refused(kind):
    import torch

    ids = torch.tensor([[0, 1], [1, 0]])
    tensor = {
        "bfloat16": lambda: ids.to(torch.bfloat16),
        "sparse": ids.to_sparse,
        "meta": lambda: ids.to("meta"),
        "float": ids.float,
        "complex": lambda: ids.to(torch.complex64),
        "bool": ids.bool,
        "empty": lambda: torch.tensor([]),
    }[kind]()
    labels = {"labels": ["O", "B-PER"]}
    good = exact_f1(ids, ids, **labels).f1
    assert good == 1.0
    for gold, pred in ((tensor, ids), (ids, tensor), (list(ids), [tensor[0], ids[1]] if kind != "empty" else tensor)):
        with pytest.raises(CleancutError):
            exact_f1(gold, pred, **labels)


@pytest.mark.trainer
def test_tensors():
    import torch

    gold, pred = torch.tensor(padded(ids(GOLD), -100)), torch.tensor(padded(ids(PRED), 0))
    assert exact_f1(gold, pred, labels=NAMES).f1 == exact_f1(GOLD, PRED).f1


def test_a_dataset_column_is_accepted_as_it_is():
    datasets = pytest.importorskip("datasets")
    ds = datasets.Dataset.from_dict({"gold": GOLD, "pred": PRED})
    assert exact_f1(ds["gold"], ds["pred"]).f1 == exact_f1(GOLD, PRED).f1


def test_duplicate_spans_count_once_and_order_does_not_matter():
    gold = [[(0, 2, "A"), (0, 2, "A"), (1, 3, "B")]]
    pred = [[(1, 3, "B"), (0, 2, "A"), (0, 2, "A"), (0, 2, "A")]]
    score = exact_f1(gold, pred)
    assert (score.n_gold, score.n_pred, score.f1) == (2, 2, 1.0)


def test_empty_batches_take_the_form_of_the_other_side():
    assert exact_f1([[], []], [[(0, 1, "A")], []]).n_pred == 1
    assert exact_f1([[(0, 1, "A")], []], [[], []]).recall == 0.0
    assert exact_f1([], []).f1 == 0.0
    assert exact_f1([[]], [[]]).n_gold == 0


BAD = {
    "sample counts": (([["O"]], [["O"], ["O"]]), {}, "1 gold sample but 2 predicted"),
    "lengths": (([["O", "O"]], [["O"]]), {}, "predicted sample 0: 2 gold tokens but 1 tags.*re-align"),
    "nothing predicted for tags": (([["O", "O"]], [[]]), {}, "predicted sample 0: 2 gold tokens but 0 tags"),
    "unknown tag": (([["O"]], [["X-PER"]]), {}, "predicted sample 0, token 0: tag 'X-PER'"),
    "bare tag": (([["PER"]], [["O"]]), {}, "gold sample 0, token 0: tag 'PER'.*scheme='io'"),
    "None in tags": (([["O", None]], [["O", "O"]]), {}, "gold sample 0, token 1: None is not a tag"),
    "-100 in tags": (([["O", -100]], [["O", "O"]]), {}, "gold sample 0, token 1: -100 is a label id among"),
    "-100 before tags": (([[-100, "O"]], [["O", "O"]]), {}, "gold sample 0, token 1: 'O' is a tag among"),
    "float": (([[0.5]], [[0]]), {"labels": NAMES}, "gold sample 0, token 0: 0.5 is not a tag"),
    "bool": (([[True, 2]], [[0, 0]]), {"labels": NAMES}, "True is not"),
    "id outside": (([[0, 9]], [[0, 0]]), {"labels": NAMES}, "gold sample 0, token 1: label id 9.*0 to 4"),
    "negative id": (([[0, -1]], [[0, 0]]), {"labels": NAMES}, "gold sample 0, token 1: label id -1"),
    "id with a gap": (([[1]], [[0]]), {"labels": {0: "O", 2: "B-X"}}, "label id 1"),
    "no names": (([[0]], [[0]]), {}, "Give labels="),
    "label2id": (([[0]], [[0]]), {"labels": {"O": 0}}, "id2label"),
    "names as a string": (([[0]], [[0]]), {"labels": "O"}, "must be a list"),
    "-100 in a prediction": (([[0, 1]], [[0, -100]]), {"labels": NAMES}, "predicted sample 0, token 1: -100"),
    "masked against spans": (([[0, -100]], [[(0, 1, "PER")]]), {"labels": NAMES}, "not spans"),
    "logits": ((np.zeros((1, 2), int), np.zeros((1, 2, 5))), {"labels": NAMES}, "argmax"),
    "float matrix": ((np.zeros((1, 2)), np.zeros((1, 2))), {"labels": NAMES}, "2-D array of label ids"),
    "a flat list": ((["O", "O"], ["O", "O"]), {}, r"gold sample 0: expected a list.*\[\[\.\.\.\]\]"),
    "a flat list of ids": (([0, 1], [0, 1]), {"labels": NAMES}, "gold sample 0: expected a list"),
    "a flat list of spans": (([{"start": 0, "end": 1, "label": "A"}], [[]]), {}, "gold sample 0: expected a list"),
    "a string": (("O O", "O O"), {}, "expected a list with one list for each sample"),
    "None": ((None, [["O"]]), {}, "expected a list"),
    "a None sample": (([None], [["O"]]), {}, "gold sample 0: expected a list"),
    "empty span": (([[(1, 1, "A")]], [[]]), {}, r"gold sample 0: span \[1, 1\) A is empty"),
    "reversed span": (([[(2, 1, "A")]], [[]]), {}, r"span \[2, 1\) A is empty"),
    "negative offset": (([[]], [[(-1, 1, "A")]]), {}, r"predicted sample 0: span \[-1, 1\) A has a negative"),
    "span out of range": (([["O", "O"]], [[(0, 3, "A")]]), {}, r"\[0, 3\) A ends beyond the sample's 2 tokens"),
    "huge span": (([[(0, 2**40, "A")]], [[]]), {}, "out of range"),
    "span without label": (([[{"start": 0, "end": 1}]], [[]]), {}, "gold sample 0: dict.*is not a span"),
    "span of two": (([[(0, 1)]], [[]]), {}, "is not a span"),
    "float offsets": (([[(0.0, 1.0, "A")]], [[]]), {}, "whole numbers"),
    "label not a name": (([[(0, 1, 7)]], [[]]), {}, "a name as label"),
    "spans among tags": (([["O"], [(0, 1, "A")]], [["O"], ["O"]]), {}, r"\(0, 1, 'A'\) is a span among"),
    "dicts among tags": (([["O"], [{"start": 0, "end": 1, "label": "A"}]], [["O"], ["O"]]), {}, "'O'.*is not a span"),
    "null in Arrow": ((pa.array([["O", None]]), [["O", "O"]]), {}, "gold sample 0, token 1: None"),
    "null list in Arrow": ((pa.array([["O"], None]), [["O"], ["O"]]), {}, "gold sample 1: the value is null"),
    "Arrow without lists": ((pa.array(["O"]), [["O"]]), {}, "expected an Arrow array of lists"),
    "a later chunk": (
        (pa.chunked_array([[[0]], [[0, 9]]]), [["O"], ["O", "O"]]),
        {"labels": NAMES},
        "gold sample 1, token 1: label id 9",
    ),
    "None first": (([[None, "O"]], [["O", "O"]]), {}, "gold sample 0, token 0: None is not a tag"),
    "-100 and lengths": (([[1]], [[1, -100]]), {"labels": NAMES}, "1 gold labels but 2 tags"),
    "huge id": (([[10**30]], [[0]]), {"labels": NAMES}, "label id 1000.* is out of range"),
    "negative name": (([[0]], [[0]]), {"labels": {-1: "O", 0: "B-P"}}, "label id -1 .* is out of range"),
    "2-D samples": (([np.array([[0, 1]])], [[0]]), {"labels": NAMES}, "gold sample 0: expected a list"),
    "0-D samples": (([np.array(1)], [[0]]), {"labels": NAMES}, "gold sample 0: expected a list"),
    "place behind a mask": (([[-100, -100, 0, 1]], [[0, 0, 0, 1]]), {"labels": ["O", "X"]}, "gold sample 0, token 3"),
    "float offsets in Arrow": (
        (pa.array([[{"start": 0.9, "end": 1.5, "label": "A"}]]), [[]]),
        {},
        "start of spans must be whole numbers",
    ),
    "int labels in Arrow": ((pa.array([[{"start": 0, "end": 1, "label": 1}]]), [[]]), {}, "label of spans must be"),
    "empty label in Arrow": ((pa.array([[{"start": 0, "end": 1, "label": ""}]]), [[]]), {}, "an empty label"),
    "tokens beside a corpus": (
        (Corpus.of([["a"]], tags=[["O"]]), [["O"]]),
        {"tokens": [["b"]]},
        "tokens= has no effect",
    ),
    "tokens": (([["O"]], [["O"]]), {"tokens": [["a", "b"]]}, "gold sample 0: 2 tokens but 1 tags"),
    "token not a string": (([["O"]], [["O"]]), {"tokens": [[1]]}, "1 is not a word"),
    "option without effect": (
        (Mentions.of([["O"]]), Mentions.of([["O"]])),
        {"scheme": "iob2"},
        "scheme='iob2' has no effect",
    ),
    "unknown keys": (([["O"]], [["O"]]), {"keys": "sklearn"}, "keys='sklearn' is unknown"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_its_place(case):
    (gold, pred), options, message = BAD[case]
    with pytest.raises(CleancutError, match=message):
        exact_f1(gold, pred, **options)


def test_corpora_of_different_text_are_refused():
    gold = Corpus.of([["a", "b"], ["c"]], tags=[["O", "O"], ["O"]], ids=["x", "y"])
    other = Corpus.of([["a", "b"], ["d"]], tags=[["O", "O"], ["O"]], ids=["x", "y"])
    with pytest.raises(CleancutError, match="sample 1, token 0: the gold token is 'c' but the predicted one is 'd'"):
        exact_f1(gold, other)
    with pytest.raises(CleancutError, match="'y' is in the gold only, 'z' is in the predictions only"):
        exact_f1(gold, Corpus.of([["a", "b"], ["c"]], tags=[["O", "O"], ["O"]], ids=["x", "z"]))


def test_bad_corpora_are_refused():
    with pytest.raises(CleancutError, match="either tags or entities"):
        Corpus.of([["a"]])
    with pytest.raises(CleancutError, match="1 sample but 2 ids"):
        Corpus.of([["a"]], tags=[["O"]], ids=["1", "2"])
    with pytest.raises(CleancutError, match="entities must be spans"):
        Corpus.of([["a"]], entities=[["O"]])
    with pytest.raises(CleancutError, match="sample 0: 1 tokens but 2 tags"):
        Corpus.of([["a"]], tags=[["O", "O"]])
    with pytest.raises(CleancutError, match="Give the tokens as well"):
        Mentions.of([[(0, 1, "A")]]).tags()


def test_with_predictions_and_select():
    corpus = Corpus.of(
        [["Ada", "King"], [], ["Oslo"]], tags=[["B-P", "I-P"], [], ["B-L"]], ids=list("abc"), docs=["1", "1", None]
    )
    pred = corpus.with_predictions([[(0, 1, "P")], [], [(0, 1, "L")]])
    assert pred.texts() == ["Ada", "Oslo"]
    assert exact_f1(corpus, pred).n_exact == 1
    chosen = corpus.select([2, 0, 0])
    assert chosen.texts() == ["Oslo", "Ada King", "Ada King"]
    assert (chosen.ids, chosen.docs) == (("c", "a", "a"), (None, "1", "1"))
    assert pred.select(slice(0, 2)).entities() == pred.entities()[:2]
    with pytest.raises(CleancutError, match="ends beyond"):
        corpus.with_predictions([[(0, 3, "P")], [], []])


def test_schemes_of_both_sides_are_told_apart():
    bioes, iob2 = [["B-P", "E-P", "O", "S-L"]], [["B-P", "I-P", "O", "B-L"]]
    for gold, pred in ((bioes, iob2), (iob2, bioes)):
        assert exact_f1(gold, pred).n_repaired_pred == 0
        assert exact_f1(gold, pred, repair="discard").f1 == 1.0
    iob1, iob2 = [["I-P", "O", "I-L", "B-L"]], [["B-P", "O", "B-L", "B-L"]]
    assert exact_f1(iob1, iob2, repair="discard").f1 == 1.0
    assert exact_f1([[(0, 1, "P")]], [["I-P"]], repair="discard").f1 == 1.0


def test_label_names_are_the_inventory():
    names = ["O", "B-P", "I-P", "E-P", "S-P"]
    assert exact_f1([[1, 2, 0]], [[1, 2, 0]], labels=names, repair="discard").n_gold == 0  # B I without E, in BIOES


def test_parts_judged_by_different_schemes_do_not_add_up():
    one = exact_f1([["B-P", "O"]], [["B-P", "O"]], repair="discard")
    other = exact_f1([["S-P"]], [["S-P"]], repair="discard")
    with pytest.raises(CleancutError, match="Give the scheme"):
        _ = one + other
    with pytest.raises(CleancutError, match="cannot be added"):
        _ = one + exact_f1([["B-P", "O"]], [["B-P", "O"]])


def test_the_repair_policy_of_corpora_is_in_the_signature():
    corpus = Corpus.of([["a"]], tags=[["I-P"]], scheme="iob2", repair="discard")
    assert "repair:discard" in exact_f1(corpus, corpus).signature


def test_selected_types_only():
    corpus = Corpus.of([["a"], ["b"]], entities=[[(0, 1, "PER")], [(0, 1, "LOC")]])
    assert exact_f1(corpus.select([0]), corpus.select([0])).macro_f1 == 1.0


def test_the_text_may_come_with_the_predictions():
    pred = Corpus.of([["Ada", "King"]], tags=[["O", "B-P"]])
    assert cleancut.errors([["B-P", "I-P"]], pred).matches[0]["gold_text"] == "Ada King"


def test_results_are_copies():
    score = exact_f1([["B-P"]], [["B-P"]], keys="seqeval")
    score.to_dict()["P"]["f1"] = 99
    assert score["P"]["f1"] == 1.0
    ids = np.zeros((1, 2), int) + 1
    names = ["O", *(f"B-{i}" for i in range(400))]
    mentions = Mentions.of(ids, labels=names)
    ids[:] = 0
    assert len(mentions.select([0])) == 2


def test_accuracy_needs_the_same_keys_on_both_sides():
    with pytest.raises(CleancutError, match="cannot be added"):
        _ = exact_f1([["O"]], [["O"]], keys="seqeval") + exact_f1([["O"]], [["O"]])


def test_bare_io_names_with_a_hyphen():
    assert exact_f1([["E-mail", "O"]], [["E-mail", "O"]], scheme="io")["f1/E-mail"] == 1.0


@given(pairs(tags_of("BI")))
def test_strings_ids_and_arrow_agree(both):
    names = sorted({t for side in both for s in side for t in s} | {"O"}, reverse=True)
    as_ids = [[[names.index(t) for t in s] for s in side] for side in both]
    expected = exact_f1(*both)
    assert exact_f1(*as_ids, labels=names).to_dict() == expected.to_dict()
    kind = pa.list_(pa.string())
    assert exact_f1(*(pa.array(side, kind) for side in both)).to_dict() == expected.to_dict()


@given(nested)
def test_spans_come_back_sorted_and_unique(spans):
    expected = [sorted({(s["start"], s["end"], s["label"]) for s in row}) for row in spans]
    assert [[tuple(s.values()) for s in row] for row in Mentions.of(spans).spans()] == expected


@given(nested_pairs())
def test_selecting_all_samples_changes_nothing(both):
    mentions = Mentions.of(both[0])
    assert mentions.select(np.arange(mentions.n_samples)) == mentions
    assert mentions.select(slice(None, None, -1)).select(slice(None, None, -1)) == mentions


def test_public_names_are_what_the_readme_promises():
    assert set(cleancut.__all__) == {
        "Audit",
        "Buckets",
        "CleanCutSplit",
        "CleancutError",
        "Comparison",
        "Corpus",
        "Counts",
        "Errors",
        "Exposed",
        "Exposure",
        "Fold",
        "Folds",
        "Frontier",
        "Grounding",
        "Incidences",
        "Ladder",
        "Mentions",
        "Point",
        "Rung",
        "Score",
        "Shape",
        "SplitPlan",
        "SplitSettings",
        "Studied",
        "Study",
        "__version__",
        "annotate",
        "attribute_wise",
        "audit",
        "buckets",
        "clean_f1",
        "comparative_diagnosis",
        "compare",
        "component_sizes",
        "contamination_correlation",
        "decontaminate",
        "detect",
        "entities_of",
        "errors",
        "exact_f1",
        "friedman",
        "from_dataset",
        "frontier",
        "ground",
        "hardeval",
        "hardeval_folds",
        "html_audit",
        "html_comparison",
        "html_frontier",
        "html_report",
        "html_split",
        "html_study",
        "join_at",
        "keep_mentions",
        "kfold",
        "ladder",
        "load_splits",
        "materialise",
        "mention_statistics",
        "metric",
        "mincut",
        "mincut_folds",
        "model_wise",
        "over_runs",
        "parse_answer",
        "partial_f1",
        "publish",
        "publish_app",
        "publish_metrics",
        "push_subsets",
        "read",
        "read_aliases",
        "read_answers",
        "read_batches",
        "read_pair",
        "read_text",
        "register_attribute",
        "self_diagnosis",
        "spark_extract",
        "spark_incidences",
        "stage",
        "stage_app",
        "study",
        "subsets",
        "train_test_split",
        "wilcoxon",
        "write",
        "write_incidence",
    }
    for name in cleancut.__all__:
        assert getattr(cleancut, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        cleancut.nonsense  # noqa: B018


def test_joined_corpora_know_how_their_tags_were_read():
    parts = [Corpus.of([["a"]], tags=[["I-X"]]), Corpus.of([["b"], ["c"]], tags=[["I-Y"], ["B-X"]])]
    whole = Corpus.of([["a"], ["b"], ["c"]], tags=[["I-X"], ["I-Y"], ["B-X"]])
    assert exact_f1(Corpus.concatenate(parts), whole) == exact_f1(whole, whole)
    spans = Corpus.of([["d"]], entities=[[]])
    assert "scheme:spans" in exact_f1(*[Corpus.concatenate([*parts, spans])] * 2).signature
