"""Every kind of value through every door that takes it: a bad one ends with one line that names it, and nothing else.

A row of the table is a kind of value: what it may not be, what it may be, and the doors. A door is a function, an
evaluate module or a command that is given the value in an otherwise good call.
"""

import json
import math
import os
import resource
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cleancut as cc
from cleancut import CleancutError, Corpus, cli
from cleancut.core.checks import LARGEST_SEED
from cleancut.core.exceptions import quoted
from cleancut.core.same import Same

pytestmark = pytest.mark.usefixtures("few_moves")  # what is split is split any way

NAMES = ("Ada", "Bo", "Cy", "Di", "Eve", "Flo")
WORDS = [[f"{NAMES[i % 6]}{i % 7}", "spoke"] for i in range(24)]
TAGS = [["B-PER", "O"]] * 24
WRONG = [["B-LOC", "O"] if i % 3 == 0 else ["B-PER", "O"] for i in range(24)]
GOLD, PRED, TRAIN = (Corpus.of(WORDS, tags=tags) for tags in (TAGS, WRONG, TAGS))
TRAIN = Corpus.of(WORDS[:8], tags=TAGS[:8])
SHOWN = cc.Exposure.of(TRAIN)
METRICS = {"exact_f1": (), "partial_f1": (), "clean_f1": (SHOWN,), "hardeval": (SHOWN,), "buckets": (SHOWN,)}
Door = Callable[[Any], Any]


def conll(tags):
    return "".join("".join(f"{word} {tag}\n" for word, tag in zip(*sample)) + "\n" for sample in zip(WORDS, tags))


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory):
    """A folder with a corpus and predictions for it, to work in."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("malformed"))
        for name, tags in (("gold", TAGS), ("pred", WRONG)):
            with open(f"{name}.conll", "w") as stream:
                stream.write(conll(tags))
        cc.write(GOLD.select(slice(0, 4)), "one.conll")
        yield


def command(*words: str) -> Door:
    """A command; ``{}`` stands for the value, as a shell would pass it."""

    def run(value):
        try:
            code = cli.main([word.replace("{}", str(value)) for word in words])
        except SystemExit as end:  # argparse
            code = end.code
        if code:
            assert code == 2
            raise CleancutError("see what was printed")

    return run


@cache
def loaded(name: str):
    return pytest.importorskip("evaluate").load(cc.metric(name))


def module(name: str, option: str) -> Door:
    """An option of an evaluate module."""

    def compute(value):
        more = {"train": {"tokens": WORDS[:8], "tags": TAGS[:8]}} if name in ("clean_f1", "hardeval") else {}
        given = {"ci": 10, **more, option: value}
        return loaded(name).compute(predictions=WRONG, references=TAGS, tokens=WORDS, **given)

    return compute


def scores(option: str, names=tuple(METRICS)) -> dict[str, Door]:
    """An option of the functions that score."""

    def of(name):
        return lambda value: getattr(cc, name)(GOLD, PRED, *METRICS[name], **{"ci": 10, option: value})

    return {name: of(name) for name in names}


class Kind(NamedTuple):
    bad: tuple
    good: tuple
    doors: dict[str, Door]


ROW = "score --gold gold.conll --pred pred.conll --ci 10".split()
SPLIT = "split gold.conll -o out --overwrite --effort fast --method random".split()
FOLDS = cc.kfold(GOLD, 3)


def options_of_split(name: str) -> dict[str, Door]:
    fast = {"effort": "fast", "min_per_type": 0}
    found = {
        "mincut": lambda v: cc.mincut(GOLD, **fast | {name: v}),
        "frontier": lambda v: cc.frontier(GOLD, discards=[0], floors=[None], **fast | {name: v}),
        "SplitSettings": lambda v: cc.SplitSettings(**{name: v}),
    }
    if name in ("discard", "representative"):
        del found["frontier"]
    if name != "discard":
        found["mincut_folds"] = lambda v: cc.mincut_folds(GOLD, 2, **fast | {name: v})
    return found


NO_WHOLE = (0.5, "13", True, np.bool_(True), math.nan, math.inf, [1], {}, b"1", np.array([1, 2]), 1j, object())
KINDS = {
    "seed": Kind(
        (-1, 2**32, 2**64, -(2**70), None, *NO_WHOLE),
        (0, 13, np.int64(5), np.uint8(7), LARGEST_SEED),
        {
            **scores("seed"),
            "compare": lambda v: cc.compare(GOLD, {"a": PRED, "b": GOLD}, ci=10, seed=v),
            "html_report": lambda v: cc.html_report(GOLD, {"a": PRED}, ci=10, seed=v),
            "kfold": lambda v: cc.kfold(GOLD, 3, seed=v),
            "hardeval_folds": lambda v: cc.hardeval_folds(GOLD, PRED, FOLDS, ci=10, seed=v),
            "ladder": lambda v: cc.ladder(TRAIN, GOLD.select(slice(0, 4)), levels=[0], seeds=[v]),
            "CleanCutSplit": lambda v: cc.CleanCutSplit(2, random_state=v).split(WORDS, groups=WORDS),
            **options_of_split("seed"),
            **{f"module {name}": module(name, "seed") for name in ("exact_f1", "clean_f1", "bucket_f1")},
        },
    ),
    "seed as text": Kind(
        ("-1", "0.5", "None", "", "4294967296", "1e3", "x", "٣x"),
        ("0", "13", "4294967195"),
        {
            "score": command(*ROW, "--seed={}"),
            "compare": command(*"compare --gold gold.conll --pred pred.conll --pred gold.conll".split(), "--seed={}"),
            "buckets": command(*"buckets --gold gold.conll --pred pred.conll".split(), "--seed={}"),
            "hardeval-folds": command(*"hardeval-folds --gold gold.conll -k 3".split(), "--seed={}"),
            "split": command(*SPLIT, "--seed={}"),
            "report": command(*"report --gold gold.conll --pred pred.conll --ci 10 -o r.html".split(), "--seed={}"),
        },
    ),
    "resamples": Kind(
        (-1, 10**9, 2**64, *NO_WHOLE),
        (0, 10, np.int64(10), None),
        {
            **{name: lambda v, of=of: of(v) for name, of in scores("ci").items()},
            "html_report": lambda v: cc.html_report(GOLD, {"a": PRED}, ci=v),
            **{f"module {name}": module(name, "ci") for name in ("partial_f1", "hardeval")},
        },
    ),
    "share": Kind(
        (-0.1, 1.1, math.nan, math.inf, "x", True, [0.5], 2**70, object()),
        (0, 0.5, np.float32(0.5), 0.99),
        {
            **scores("credit", ("partial_f1", "clean_f1")),
            "errors": lambda v: cc.errors(GOLD, PRED, credit=v),
            "module": module("partial_f1", "credit"),
            **options_of_split("type_share"),
            **options_of_split("representative"),
            "discard": options_of_split("discard")["mincut"],
        },
    ),
    "count": Kind(
        (-1, -(2**64), None, *NO_WHOLE),
        (3, np.int64(3)),
        {
            "k": lambda v: cc.kfold(GOLD, v),
            "top": lambda v: cc.audit({"train": TRAIN, "test": GOLD}, top=v),
            "max_errors": lambda v: cc.html_report(GOLD, {"a": PRED}, ci=None, max_errors=v),
            "min_per_type": lambda v: cc.mincut(GOLD, effort="fast", min_per_type=v),
        },
    ),
    "switch": Kind(
        ("no", "true", 1, 0, None, [], math.nan, object()),
        (True, False, np.bool_(False)),
        {
            "muc": lambda v: cc.partial_f1(GOLD, PRED, muc=v),
            "iou": lambda v: cc.partial_f1(GOLD, PRED, iou=v),
            "strict": lambda v: cc.hardeval(GOLD, PRED, SHOWN, v),
            "case": lambda v: cc.Exposure.of(TRAIN, case=v),
            "typed": lambda v: cc.audit({"train": TRAIN, "test": GOLD}, typed=v),
            "component_sizes": lambda v: cc.component_sizes(GOLD, case=v),
            "write_incidence": lambda v: cc.write_incidence(GOLD, "x.parquet", typed=v),
            "module": module("clean_f1", "typed"),
            "duplicates_together": options_of_split("duplicates_together")["mincut"],
        },
    ),
    "choice": Kind(
        ("", "x" * 10**6, None, 1, True, b"exact", ["exact"], object(), "exact\n", "\ud800"),
        (),
        {
            "match": lambda v: cc.clean_f1(GOLD, PRED, SHOWN, match=v),
            "keys": lambda v: cc.exact_f1(GOLD, PRED, keys=v),
            "encoding": lambda v: cc.hardeval(GOLD, PRED, SHOWN, encoding=v),
            "level": lambda v: cc.buckets(GOLD, PRED, level=v),
            "unit": lambda v: cc.kfold(GOLD, 3, unit=v),
            "key": lambda v: cc.audit({"train": TRAIN, "test": GOLD}, key=v),
            "unicode": lambda v: cc.Exposure.of(TRAIN, unicode=v if v is not None else ""),
            "repair": lambda v: Corpus.of(WORDS, tags=TAGS, repair=v),
            "method": options_of_split("method")["mincut"],
            "engine": options_of_split("engine")["mincut"],
            "format": lambda v: FOLDS.write(GOLD, "folds", format=v),
            "module": module("exact_f1", "keys"),
        },
    ),
    "bins": Kind(
        (0, -1, 2**40, {"nothing": 3}, {"eLen": 0}, {"eLen": []}, {"eLen": [3, 3]}, {"eLen": [math.nan]}, {"eLen": {1}},
         {"eLen": "12"}, {"eLen": [True]}, {"eLen": ["1"]}, {"eLen": range(10**6)}, {5: 3}, None, *NO_WHOLE[:6]),
        (1, np.int64(3), {}, {"eLen": np.int64(2)}, {"eLen": [2]}, {"eLen": np.array([1, 2])}, {"eLen": (1, 2.5)}),
        {
            "buckets": lambda v: cc.buckets(GOLD, PRED, bins=v),
            "module": module("bucket_f1", "bins"),
        },
    ),
    "names in order": Kind(
        ("eLen", {"eLen"}, frozenset(), [""], [1], ["nothing"], [None], 5, {"eLen": 1}, [["eLen"]], b"eLen"),
        (["eLen"], ("eLen", "sLen")),
        {"attributes": lambda v: cc.buckets(GOLD, PRED, attributes=v), "module": module("bucket_f1", "attributes")},
    ),
    "metrics": Kind(
        ("exact_f1", {"exact_f1"}, [], ["nothing"], [1], 5, [None]),
        (["exact_f1"], None),
        {"compare": lambda v: cc.compare(GOLD, {"a": PRED, "b": GOLD}, ci=10, metrics=v)},
    ),
    "levels": Kind(
        ("0:100:0.0000001", "0:1e300:1e-300", "0:100:0", "0:100:-1", "100:0:10", "0:100:nan", "inf:0:1", "0:100", ":",
         "", ",", "x", "101", "-1", "nan", [], [101], [-1], [math.nan], ["x"], [None], {0, 100}, None, 5, 1e400,
         range(10**6), [[0]], {}),
        ("0:100:50", "0,100", [0], (0, 50.5), np.array([0, 100]), "0:100:1e9"),
        {"ladder": lambda v: cc.ladder(TRAIN, GOLD.select(slice(0, 4)), levels=v, seeds=1)},
    ),
    "seeds": Kind(
        (0, -1, 10**9, 2**64, [], [-1], [0.5], ["1"], [None], {1, 2}, "3", None, 2.0, True, [2**64], {}, [True]),
        (1, np.int64(2), [3], (0, 1), np.array([4, 5])),
        {"ladder": lambda v: cc.ladder(TRAIN, GOLD.select(slice(0, 4)), levels=[0], seeds=v)},
    ),
    "ladder as text": Kind(
        ("0:100:0.0000001", "0:1e308:1", "x", "", "0:100:0", "nan"),
        ("0", "0:100:100"),
        {"ladder": command(*"ladder --train gold.conll --test one.conll -o l --overwrite".split(), "--levels={}")},
    ),
    "label names": Kind(
        ({10**9: "B-PER", 0: "O"}, {2**64: "O"}, {"9" * 5000: "O"}, {-1: "O"}, {0.5: "O"}, {None: "O"}, {"x": "O"},
         {0: 5}, {0: None}, [None, "O"], {"O", "B-PER"}, "O", 5, {0: "O", "0": "B-PER"}, {True: "O"}, [["O"]], {}),
        (["O", "B-PER"], {0: "O", 1: "B-PER"}, {"0": "O", "1": "B-PER"}, {np.int64(0): "O", 1: "B-PER"}),
        {
            "exact_f1": lambda v: cc.exact_f1([[0, 1]], [[0, 1]], labels=v),
            "Corpus": lambda v: Corpus.of([["a", "b"]], tags=[[0, 1]], labels=v),
            "module": lambda v: loaded("exact_f1").compute(predictions=[[0, 1]], references=[[1, 0]], labels=v),
        },
    ),
    "samples": Kind(
        ({("O",), ("B-PER",)}, frozenset(), [{"O", "B-PER"}], [frozenset({1, 2})], {"a": ["O"]}, "O", 5, None, [5],
         ["O"], [{"a": 1}], [[{}]], [[None]], [[1.5]], [["O", 1]], [[math.nan]], [[object()]], [[[]]], [b"O"],
         np.zeros((1, 2)), np.zeros((1, 2, 2), int), np.array(5), [np.zeros((1, 1), int)], [[(0, 1)]],
         [[(0, 2**40, "PER")]], [[(0.5, 1, "PER")]], [[(0, 1, None)]], [[(0, 1, "")]], [[(True, 1, "PER")]]),
        (TAGS, tuple(map(tuple, TAGS)), [{(0, 1, "PER")}] * 24),
        {
            "gold": lambda v: cc.exact_f1(v, TAGS),
            "pred": lambda v: cc.exact_f1(TAGS, v),
            "module": lambda v: loaded("exact_f1").compute(predictions=v, references=v),
        },
    ),
    "words": Kind(
        ([[1]], [[None]], [["a", 1.5]], ["ab"], "ab", 5, {"a": 1}, [{"a", "b"}], {("a", "b")}, [[b"a"]], None),
        ([["a", "b"]], [("a", "b")], np.array([["a", "b"]])),
        {"Corpus": lambda v: Corpus.of(v, tags=[["O", "O"]])},
    ),
    "half a character": Kind(
        ("\ud800", "a\udfffb", "B-\ud83d"),
        ("\U0001f600", "é", "a\0b"),
        {
            "tokens": lambda v: loaded("exact_f1").compute(predictions=[["O"]], references=[["O"]], tokens=[[v]]),
            "tags": lambda v: loaded("exact_f1").compute(predictions=[[f"B-{v}"]], references=[["O"]]),
            "labels": lambda v: loaded("exact_f1").compute(predictions=[[(0, 1, v)]], references=[[(0, 1, "X")]]),
            "answers": lambda v: loaded("exact_f1").compute(predictions=[v], references=[["O"]], tokens=[["a"]]),
        },
    ),
    "path": Kind(
        ("", "a\0b", None, 5, b"x.npz", ["x.npz"], object()),
        ("ok.npz",),
        {
            "Exposure.save": lambda v: SHOWN.save(v),
            "SplitPlan.save": lambda v: PLAN.save(v),
            "plan.write": lambda v: PLAN.write(v, GOLD) if v != "ok.npz" else None,
            "folds.write": lambda v: FOLDS.write(GOLD, v) if v != "ok.npz" else None,
            "write_incidence": lambda v: cc.write_incidence(GOLD, v),
            "SplitPlan.load": lambda v: cc.SplitPlan.load(v) if v != "ok.npz" else None,
            "Exposure.load": lambda v: cc.Exposure.load(v) if v != "ok.npz" else None,
            "Incidences.load": lambda v: cc.Incidences.load(v) if v != "ok.npz" else None,
        },
    ),
}  # fmt: skip
PLAN = cc.mincut(GOLD, effort="fast", min_per_type=0)


SPAN = {"start": 0, "end": 1, "label": "PER"}
ARROW = {
    "duration": lambda: pa.array([[1]], pa.list_(pa.duration("s"))),
    "decimal": lambda: pa.array([[1]], pa.list_(pa.decimal128(5, 2))),
    "bytes": lambda: pa.array([[b"\xff"]]),
    "map": lambda: pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
    "union": lambda: pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array(["a"]), pa.array([1])]),
    "dictionary of lists": lambda: pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([[0.5]])),
    "null in a dictionary": lambda: pa.ListArray.from_arrays(
        [0, 1], pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([None], pa.string()))
    ),
    "uuid": lambda: pa.ListArray.from_arrays(
        [0, 1], pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"a" * 16], pa.binary(16)))
    ),
    "scalar of a list": lambda: pa.scalar([["O"]]),
    "scalar": lambda: pa.scalar(5),
    "schema": lambda: pa.schema([("a", pa.int64())]),
    "buffer": lambda: pa.py_buffer(b"O"),
    "nulls": lambda: pa.nulls(1),
    "truths": lambda: pa.array([[True]]),
    "far date": lambda: pa.array([[10**18]], pa.list_(pa.timestamp("s"))),
    "bytes that are no text": lambda: pa.ListArray.from_arrays(
        [0, 1], pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")])
    ),
    "null span": lambda: pa.array([[None, SPAN]]),
    "null span over values": lambda: pa.ListArray.from_arrays([0, 1], _spans(mask=pa.array([True]))),
    "null start": lambda: pa.array([[SPAN | {"start": None}]]),
    "two starts": lambda: pa.ListArray.from_arrays([0, 1], _spans("start", "end", "label", "start")),
    "list of labels": lambda: pa.array([[SPAN | {"label": ["PER"]}]]),
    "far offset": lambda: pa.array([[SPAN | {"start": -(2**63)}]]),
    "lists in lists": lambda: pa.array([[[["O"]]]]),
}
if not hasattr(pa, "uuid"):  # before pyarrow 18
    del ARROW["uuid"]
"""Arrays of Arrow that hold neither tags, label ids nor spans."""


def _spans(*names, mask=None):
    names = names or ("start", "end", "label")
    columns = [pa.array(["PER"]) if name == "label" else pa.array([0]) for name in names]
    return pa.StructArray.from_arrays(columns, names, mask=mask)


@pytest.mark.parametrize("kind", ARROW)
def test_arrays_of_arrow_that_hold_no_annotation_are_refused(kind):
    array = ARROW[kind]()
    for door in (
        lambda: cc.exact_f1(array, array),
        lambda: Corpus.of([["Ada"]], entities=array),
        lambda: Corpus.of(array, tags=[["O"]]),
        lambda: loaded("exact_f1").compute(predictions=array, references=array),
    ):
        with pytest.raises(CleancutError):
            door()


@pytest.mark.trainer
def test_tensors_that_numpy_does_not_have_are_refused():
    torch = pytest.importorskip("torch")
    whole = torch.zeros(2, 2, dtype=torch.long)
    for tensor in (
        whole.to(torch.bfloat16), whole.to_sparse(), whole.to("meta"), whole.to(torch.complex64), whole[0, 0],
        torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]), whole.to(torch.float8_e4m3fn),
    ):  # fmt: skip
        for door in (
            lambda v: cc.exact_f1(v, v, labels=["O"]),
            lambda v: Corpus.of(WORDS, tags=v, labels=["O"]),
            lambda v: loaded("exact_f1").compute(predictions=v, references=v, labels=["O"]),
            lambda v: cc.exact_f1(GOLD, PRED, ci=10, seed=v),
        ):
            with pytest.raises(CleancutError):
                door(tensor)


def parquet(table, note=None):
    stream = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata(note and {"huggingface": note}), stream)
    return stream.getvalue().to_pybytes()


TABLE = pa.table({"tokens": [["Ada"]], "ner_tags": [[1]], "more": [1]})
NOTE = '{"info": {"features": {"ner_tags": {"feature": %s}}}}'
DEEP = "[" * 100_000
LATE = '{"tokens": ["Ada", "ran"], "ner": "[[0, 1, \'PER\']]"}\n' * 220
LATE_SPANS = '{"text": "Ada ran", "entities": [{"start": 0, "end": 3, "label": "PER", "text": "Ada"}]}\n' * 220
LATE_CSV = "tokens,ner_tags\n" + "\"['Ada', 'ran']\",\"['B-PER', 'O']\"\n" * 220
FILES = {
    "two columns of one name": ("x.parquet", parquet(TABLE.rename_columns(["tokens", "ner_tags", "tokens"]))),
    **{
        f"a broken note {i}": ("x.parquet", parquet(TABLE, note))
        for i, note in enumerate(
            ("", "[]", "null", DEEP, "{}", '{"info": 5}', NOTE % 5, NOTE % '{"_type": "ClassLabel", "names": 5}',
             NOTE % '{"_type": "ClassLabel"}', NOTE % '{"_type": "Nothing"}',
             NOTE % '{"_type": "ClassLabel", "names": [0]}')
        )
    },
    "a duration": ("x.parquet", parquet(TABLE.set_column(1, "ner_tags", pa.array([[1]], pa.list_(pa.duration("s")))))),
    "null words": ("x.parquet", parquet(TABLE.set_column(0, "tokens", pa.array([[None]], pa.list_(pa.string()))))),
    "deep JSON": ("x.json", DEEP),
    "deep lines": ("x.jsonl", '{"tokens": ' + DEEP + "\n"),
    "deep CSV": ("x.csv", f'tokens,tags\n"{DEEP}","{DEEP}"\n'),
    **{
        f"a late value {i}": ("x.jsonl", LATE + json.dumps({"tokens": ["Ada"], "ner": value}) + "\n")
        for i, value in enumerate(("5", "[5]", "{}", "[[0, 1, ['PER']]]", "[[0]]", "[[0, 1, {}]]", "[" * 500, 5, ["a"]))
    },
    **{
        f"a late span {i}": ("x.jsonl", LATE_SPANS + json.dumps({"text": "Ada", "entities": value}) + "\n")
        for i, value in enumerate(
            (5, "x", [5], [SPAN | {"label": {}}], [SPAN | {"start": []}], [SPAN | {"start": 0.5}],
             [SPAN | {"end": "x"}], [SPAN | {"end": 10**40}], {"start": 0}, [[]])
        )
    },
    **{
        f"a late row {i}": ("x.csv", LATE_CSV + row + "\n")
        for i, row in enumerate(('5,5', '"[5]","[5]"', '"{}","{}"', '"[None]","[\'O\']"', '"[[]]","[[]]"', "['a'"))
    },
    "an encoding that there is not": ("x.xml", '<?xml version="1.0" encoding="x-8"?><d><s>a <p>b</p></s></d>'),
    "an endless number": (
        "x.json", '{"documents": [{"passages": [{"offset": 0, "text": "a", "annotations": [{"infons": {"type": "X"}, '
        '"text": "a", "locations": [{"offset": Infinity, "length": 1}]}]}]}]}'
    ),
    "bytes that are no text": ("x.conll", b"Ada\xff B-PER\n"),
    "a line of a million": ("x.conll", "Ada B-PER\n" + "x" * 10**6 + "\n"),
}  # fmt: skip
"""Files that no reader takes, each for a class of them."""


@pytest.mark.parametrize("name", FILES)
def test_a_malformed_file_is_refused_in_one_line(name):
    file, content = FILES[name]
    with pytest.raises(CleancutError) as refused:
        cc.read_text(content, file)
    message = str(refused.value)
    assert len(message) < 1000 and "\n" not in message, message
    assert file in message or "row " in message, message


def test_a_long_line_is_quoted_by_its_beginning():
    with pytest.raises(
        CleancutError, match=f"^x.conll, line 2: 1 columns \\('{'x' * 76}\\.\\.\\.\\) but 2 on the first line"
    ):
        cc.read_text(*FILES["a line of a million"][::-1])


@pytest.mark.parametrize(
    "content", [DEEP, '"labels.txt"', "5", '{"id2label": "x"}', "{", b"\xff", '{"O": 0, "B-PER": 1000000000}'],
    ids=["deep", "text", "number", "no names", "half", "no text", "large id"],
)  # fmt: skip
def test_a_malformed_file_of_labels_is_refused(content):
    with open("labels.json", "wb") as stream:
        stream.write(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CleancutError):
        cc.read_text('{"tokens": ["Ada"], "tags": [1]}\n', "x.jsonl", labels="labels.json")


def cases(which: str):
    for kind, (bad, good, doors) in KINDS.items():
        for name, door in doors.items():
            for i, value in enumerate(bad if which == "bad" else good):
                yield pytest.param(door, value, id=f"{kind}-{name}-{i}")


@pytest.mark.parametrize(("door", "value"), list(cases("bad")))
def test_a_bad_value_is_refused_in_one_line(door, value, capsys):
    with pytest.raises(CleancutError) as refused:
        door(value)
    said = capsys.readouterr()
    line = said.err if said.err else str(refused.value)
    assert len(line) < 1000 and line.strip().count("\n") == 0 and "Traceback" not in line, line
    assert line.isprintable() or line.strip().isprintable(), line


@pytest.mark.slow
@pytest.mark.parametrize(("door", "value"), list(cases("good")))
def test_a_good_value_is_taken(door, value):
    door(value)


READING = {
    "a path": lambda v: cc.read(v),
    "a path of batches": lambda v: list(cc.read_batches(v)),
    "a path of answers": lambda v: cc.read_answers(v, GOLD),
    "a path to load": lambda v: cc.load_splits(v),
    "a path to write": lambda v: cc.write(GOLD, v),
    "a text": lambda v: cc.read_text(v),
    "the name of a text": lambda v: cc.read_text("Ada B-PER\n", v),
    "size": lambda v: list(cc.read_batches("one.conll", v)),
    **{
        name: lambda v, name=name: cc.read("one.conll" if name != "text" else "x.jsonl", **{name: v if v else 0.5})
        for name in ("column", "word_column", "format", "scheme", "repair", "tokens", "tags", "text", "end")
    },
}
"""What reading files is told."""


@pytest.mark.parametrize("door", READING)
def test_what_reading_is_told_is_checked(door):
    with open("x.jsonl", "w") as stream:
        stream.write('{"words": ["Ada"], "label": ["B-PER"]}\n')
    for value in (5.5, b"x", ["x"], object(), {}, 1j):
        with pytest.raises(CleancutError):
            READING[door](value)


@pytest.mark.parametrize("name", ["text", "document", "end"])
@pytest.mark.parametrize("read", [cc.read, cc.read_pair, lambda *args, **given: list(cc.read_batches(*args, **given))])
def test_options_of_columns_have_no_effect_on_a_given_format(read, name):
    given = {name: "inclusive" if name == "end" else "x"}
    with pytest.raises(CleancutError, match=f"{name}=.* has no effect with format='conll'"):
        read("gold.conll", format="conll", **given)
    os.makedirs("a folder", exist_ok=True)
    with pytest.raises(CleancutError, match="a folder is a directory"):
        read("a folder", **given)


def test_an_option_that_there_is_not_is_not_dropped():
    """A misspelt seed would give another result without a word."""
    for call, hint in (
        (lambda **given: cc.kfold(GOLD, 3, **given), "Did you mean seed"),
        (lambda **given: cc.audit({"train": TRAIN, "test": GOLD}, **given), ""),
        (lambda **given: cc.ladder(GOLD, TRAIN, levels=[0], **given), "Did you mean seeds"),
        (lambda **given: cc.mincut(GOLD, **given), "Did you mean seed"),
    ):
        with pytest.raises(TypeError, match=f"has no option 'seedd'.*{hint}"):
            call(seedd=5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"aliases": [["a", "b"]]}, "aliases= has no effect on same="),
        ({"aliases": 5}, "aliases= has no effect on same="),
        ({"part_limit": 5}, "part_limit=5 has no effect on same="),
        ({"part_limit": "x"}, "part_limit='x' is out of range"),
    ],
)
def test_options_of_a_notion_that_is_not_tried_have_no_effect(given, message):
    with pytest.raises(CleancutError, match=message):
        cc.frontier(GOLD, same="exact,fold", discards=[0], floors=[None], **given)


@pytest.mark.parametrize("labels", [5, "PER", object(), {"a": "b"}, [1], {0: None}, {10**9: "PER"}])
def test_names_of_label_ids_are_checked_where_tags_have_names(labels):
    with pytest.raises(CleancutError, match="label"):
        cc.exact_f1(TAGS, WRONG, labels=labels)


@pytest.mark.parametrize("name", ["ids", "docs"])
@pytest.mark.parametrize("values", [[], [None], ["a"] * 25])
def test_each_sample_has_an_id_and_a_document_or_none_has(name, values):
    with pytest.raises(CleancutError, match=f"24 samples but {len(values)} {name}"):
        Corpus.of(WORDS, tags=TAGS, **{name: values})


class Hostile:
    """An object that does nothing that is asked of it."""

    def _refuse(self, *_):
        raise RuntimeError("hostile")

    __repr__ = __eq__ = __hash__ = __bool__ = __len__ = __int__ = __float__ = __fspath__ = __array__ = _refuse


class Silent:
    """An object that cannot be shown."""

    def __repr__(self):
        raise RuntimeError


class Loud:
    """An object that shows itself at length, and not in one line."""

    def __repr__(self):
        return "loud\n\x1b[31m" * 100_000


class Unmeasured(list):
    """A list that cannot say how long it is."""

    def __len__(self):
        raise RuntimeError


class Negative:
    """An object that says that it is shorter than nothing."""

    __len__ = lambda self: -1
    __iter__ = lambda self: iter([])


class Mute(str):
    """A text that does not show itself."""

    def __repr__(self):
        raise RuntimeError


ANYTHING = (
    None, True, -1, 0, 0.5, math.nan, 2**64, 10**5000, "x", "", [], {}, set(), object(), b"x", ["x"], [1], {"a": 1},
    (None,), range(3), lambda: None, Hostile(), Silent(), Loud(), [Hostile()], {"a": Silent()}, {1: Loud()}, int,
    Unmeasured(["a"]), Negative(), Mute("exact"), [Mute("a")], {Mute("a"): 1}, [[Hostile()]],
    "9" * 5000, "٣s", -(10**5000),
    np.array([1, 2]), np.zeros((0, 3)), np.array(3), np.array([[1], None], object), np.void(b"x"),
    np.timedelta64(1, "D"), np.array([2], "m8[s]"), np.ones(24, complex), np.zeros(24, "V2"), pa.scalar("x"),
    pa.field("a", pa.int64()), pa.array([None]), pa.table({"a": [1]}), pa.chunked_array([["a"], ["b"]]),
)  # fmt: skip
"""Values of any kind, of which a door may take some."""
FOUND = cc.buckets(GOLD, PRED)
LADDER = cc.ladder(GOLD, TRAIN, levels=[0], seeds=1)
COMPARED = cc.compare(GOLD, {"a": PRED, "b": GOLD}, ci=10)


def is_empty(value):
    if isinstance(value, np.ndarray):
        return not value.size
    return isinstance(value, list | set | dict | str) and not [*iter(value)]


DOORS: dict[str, Door] = {
    "types": lambda v: cc.exact_f1(GOLD, PRED, types=v),
    "scheme": lambda v: cc.exact_f1(TAGS, WRONG, scheme=v),
    "tokens": lambda v: cc.clean_f1(TAGS, WRONG, SHOWN, tokens=v),
    "exposure": lambda v: cc.clean_f1(GOLD, PRED, v),
    "confusable": lambda v: cc.clean_f1(GOLD, PRED, SHOWN, confusable=v),
    "systems": lambda v: cc.compare(GOLD, v, ci=10),
    "gold of compare": lambda v: cc.compare(v, {"a": PRED, "b": GOLD}, ci=10),
    "over_runs": lambda v: cc.over_runs(v),
    "levels of a correlation": lambda v: cc.contamination_correlation(v, [{"f1": 1}]),
    "scores of a correlation": lambda v: cc.contamination_correlation([1], v),
    "errors": lambda v: cc.errors(GOLD, v),
    "self_diagnosis": lambda v: cc.self_diagnosis(v),
    "comparative_diagnosis": lambda v: cc.comparative_diagnosis(FOUND, v),
    "model_wise": lambda v: cc.model_wise(v),
    "attribute_wise": lambda v: cc.attribute_wise(v),
    "friedman": lambda v: cc.friedman(v),
    "wilcoxon": lambda v: cc.wilcoxon({"a": FOUND, "b": v}),
    "edges": lambda v: cc.register_attribute("of a test", lambda table: table.start, edges=v),
    "Exposure.of": lambda v: cc.Exposure.of(v),
    "view": lambda v: SHOWN.view(v),
    "update": lambda v: cc.Exposure().update(v),
    "count_occurrences": lambda v: SHOWN.count_occurrences(v),
    "renamed": lambda v: SHOWN.renamed(v),
    "audit": lambda v: cc.audit(v),
    "a split of an audit": lambda v: cc.audit({"train": TRAIN, "test": v}),
    "mincut": lambda v: cc.mincut(v),
    "ratios": lambda v: cc.mincut(GOLD, v, effort="fast"),
    "stratify": lambda v: cc.mincut(GOLD, stratify=v, effort="fast"),
    "kfold": lambda v: cc.kfold(v),
    "folds": lambda v: cc.mincut_folds(GOLD, v, effort="fast"),
    "train of a ladder": lambda v: cc.ladder(v, GOLD),
    "test of a ladder": lambda v: cc.ladder(GOLD, v),
    "discards": lambda v: cc.frontier(GOLD, discards=v, floors=[None], effort="fast", min_per_type=0),
    "floors": lambda v: cc.frontier(GOLD, discards=[0], floors=v, effort="fast", min_per_type=0),
    "folds of hardeval": lambda v: cc.hardeval_folds(GOLD, PRED, v),
    "gold of hardeval_folds": lambda v: cc.hardeval_folds(v, PRED, FOLDS),
    "predictions of hardeval_folds": lambda v: cc.hardeval_folds(GOLD, v, FOLDS),
    "groups": lambda v: cc.CleanCutSplit(2).split(WORDS, groups=v),
    "gold of a report": lambda v: cc.html_report(v, {"a": PRED}, ci=None),
    "predictions of a report": lambda v: cc.html_report(GOLD, v, ci=None),
    "train of a report": lambda v: cc.html_report(GOLD, {"a": PRED}, v, ci=None),
    "title": lambda v: cc.html_report(GOLD, {"a": PRED}, ci=None, title=v),
    "join_at": lambda v: cc.join_at(v),
    "metric": lambda v: cc.metric(v),
    "stage": lambda v: cc.stage(v, "staged") if not is_empty(v) else None,  # none is all
    "component_sizes": lambda v: cc.component_sizes(v),
    "write_incidence": lambda v: cc.write_incidence(v, "x.parquet"),
    "ids": lambda v: Corpus.of(WORDS, tags=TAGS, ids=v),
    "an id": lambda v: Corpus.of(WORDS, tags=TAGS, ids=[v] * 24),
    "docs": lambda v: Corpus.of(WORDS, tags=TAGS, docs=v),
    "entities": lambda v: Corpus.of(WORDS, entities=v),
    "relations": lambda v: Corpus.of(WORDS, tags=TAGS, relations=v),
    "relations of a sample": lambda v: Corpus.of([["a"]], entities=[[(0, 1, "X")]], relations=[v]),
    "a relation": lambda v: Corpus.of([["a"]], entities=[[(0, 1, "X")]], relations=[[v]]),
    "select": lambda v: GOLD.select(v),
    "apply": lambda v: PLAN.apply(v),
    "rows": lambda v: PLAN.rows(v),
    "data of a plan": lambda v: PLAN.write("elsewhere", v),
    "parse_answer": lambda v: cc.parse_answer(v),
    "plan to publish": lambda v: cc.publish(v, "org/name", "c"),
    "repository": lambda v: cc.publish(PLAN, v, "c", data=GOLD),
    "config": lambda v: cc.publish(PLAN, "org/name", v, data=GOLD),
    "also": lambda v: cc.publish("no plan", "org/name", "c", also=v),
    "organisation": lambda v: cc.publish_metrics(v, ["exact_f1"]),
    "materialise": lambda v: cc.materialise("org/name", v),
    "keep": lambda v: GOLD.keep(v),
    "renamed corpora": lambda v: GOLD.renamed(v),
    "a new name": lambda v: GOLD.mentions.renamed({"PER": v}),
    "concatenate": lambda v: Corpus.concatenate(v),
    "a corpus to join": lambda v: Corpus.concatenate([GOLD, v]),
    "a column of mentions": lambda v: cc.Mentions.of_columns(v, v, v, v, ("PER",), 24),
    "ends of mentions": lambda v: cc.Mentions.of_columns([0], [0], v, [0], ("PER",), 24),
    "labels of mentions": lambda v: cc.Mentions.of_columns([0], [0], [1], [0], v, 24),
    "samples with mentions": lambda v: cc.Mentions.of_columns([0], [0], [1], [0], ("PER",), v),
    "lengths of samples": lambda v: cc.Mentions.of_columns([0], [0], [1], [0], ("PER",), 24, v),
    "scheme to write": lambda v: GOLD.tags(v),
    "predictions of a corpus": lambda v: GOLD.with_predictions(v),
    "format of folds": lambda v: FOLDS.write(GOLD, "folds", format=v),
    "train of a ladder to write": lambda v: LADDER.write(v, "ladder"),
    "components of a page": lambda v: cc.html_split(PLAN, components={1: v}),
    "sizes of components": lambda v: cc.html_split(PLAN, components={v: 1} if isinstance(v, str) else v),
    "html_study": lambda v: cc.html_study(v),
    "a folder to stage": lambda v: cc.stage(["exact_f1"], v),
    "tokens of an answer": lambda v: cc.parse_answer('["Ada"]', tokens=v, types=["PER"]),
    "a column for a plan": lambda v: PLAN.column(dataset(), v),
    "data for a column": lambda v: PLAN.column(v),
    "columns of training": lambda v: cc.Exposure.of(dataset(), columns=v),
    "a column of training": lambda v: cc.Exposure.of(dataset(), columns={"tags": v}),
    "columns of a mapper": lambda v: SHOWN.mapper(v),
    "prefix": lambda v: SHOWN.mapper(None, v),
    "types of compare": lambda v: cc.compare(GOLD, {"a": PRED, "b": GOLD}, ci=10, types=v),
    "systems of a dataset": lambda v: cc.attribute_wise({"d": v}),
    "a name of a plan": lambda v: cc.html_split({v if isinstance(v, int | bytes | tuple) else "": PLAN}),
    "a split by name": lambda v: cc.audit({"train": TRAIN, v if isinstance(v, int) else "test": GOLD}),
    "dry_run of a plan": lambda v: PLAN.push_to_hub(GOLD, "org/name", "c", dry_run=v) if v is not False else None,
    "private of a plan": lambda v: PLAN.push_to_hub(GOLD, "org/name", "c", dry_run=True, private=v),
    "fuzzy": lambda v: cc.ground("Ada ran", [("Ada", "PER")], fuzzy=v),
    "repair of a dataset": lambda v: cc.from_dataset(dataset(), repair=v),
    "batch_size of annotate": lambda v: cc.annotate(dataset(), SHOWN, batch_size=v),
    "batches of a corpus": lambda v: cc.write(v, "batches.jsonl"),
    "a study": lambda v: cc.study(v),
    "an answer of items": lambda v: cc.parse_answer([v, {"a": v}]),
    "scheme of a module": module("clean_f1", "scheme"),
    "load_from_cache_file": lambda v: cc.annotate(dataset(), SHOWN, load_from_cache_file=v),
    "same": lambda v: cc.clean_f1(GOLD, PRED, SHOWN, same=v),
    "aliases": lambda v: cc.clean_f1(GOLD, PRED, SHOWN, same="alias", aliases=v),
    "part_limit": lambda v: cc.clean_f1(GOLD, PRED, SHOWN, part_limit=v),
    "part_limit of a notion": lambda v: SHOWN.under(Same.of("part", part_limit=3), part_limit=v),
    "staircase": lambda v: cc.clean_f1(GOLD, PRED, SHOWN, staircase=v),
    "same of a split": lambda v: cc.SplitSettings(same=v),
    "templates": lambda v: cc.SplitSettings(templates=v),
    "prove": lambda v: cc.SplitSettings(prove=v, discard="auto"),
    "effort": lambda v: cc.SplitSettings(effort=v),
    "options of settings": lambda v: None if isinstance(v, dict) else cc.SplitSettings.of("mincut", v),
    "where of mentions": lambda v: cc.Mentions.of(TAGS, where=v),
    "where of a corpus": lambda v: Corpus.of(WORDS, tags=TAGS, where=v),
    "where of columns": lambda v: cc.Mentions.of_columns([0], [0], [1], [0], ("PER",), 24, where=v),
    "provenance": lambda v: cc.html_split(PLAN, provenance=v),
    "told": lambda v: callable(v) or COMPARED.computed(v),
    "intervals": lambda v: COMPARED.to_dict(intervals=v),
    "a metric of a comparison": lambda v: COMPARED.systems_with(v),
    "column of a file": lambda v: cc.load_splits("gold.conll", column=v),
    "repair of batches": lambda v: list(cc.read_batches("gold.conll", repair=v)),
    "labels of tokens": lambda v: SHOWN.view(GOLD).word_label_frequency(v),
    "a batch": lambda v: SHOWN.mapper({"tokens": "tokens", "tags": "tags"})(v),
    "columns of a batch": lambda v: SHOWN.mapper()({"tokens": v, "tags": TAGS}),
    "max_shard_size": lambda v: PLAN.push_to_hub(GOLD, "org/name", "c", dry_run=True, max_shard_size=v),
    "join_at of a study": lambda v: cc.study(
        {"d": {"train": TRAIN, "test": GOLD, "pred": {"a": PRED}}}, ci=None, join_at=v
    ),
    "parts of a plan": lambda v: PLAN.in_order(v),
    "tokens of the answer to a type": lambda v: cc.parse_answer("Ada", types=["PER"], label="PER", tokens=v),
    "a name of a report": lambda v: cc.html_report(
        GOLD, {v if isinstance(v, int | bytes | tuple) else "a": PRED}, ci=None
    ),
    "ids of a file": lambda v: cc.read("gold.conll", ids=v),
    "columns of decontaminate": lambda v: cc.decontaminate(dataset(), dataset(), columns=v),
    "train of a module": lambda v: loaded("clean_f1").compute(
        predictions=WRONG, references=TAGS, tokens=WORDS, train=v
    ),
    "levels": lambda v: cc.ladder(GOLD, TRAIN, levels=v, seeds=1),
    "predictions": lambda v: cc.exact_f1(TAGS, v),
    "beta of compare": lambda v: cc.compare(GOLD, {"a": PRED, "b": GOLD}, ci=10, beta=v),
}


@pytest.mark.parametrize("door", DOORS)
def test_anything_is_taken_or_refused_in_one_line(door):
    for value in ANYTHING:
        try:
            DOORS[door](value)
        except CleancutError as error:
            assert len(str(error)) < 1000 and str(error).isprintable(), error


def nested(n):
    """Return lists in lists."""
    value = []
    for _ in range(n):
        value = [value]
    return value


QUOTED = [
    ([1, "a", (2,), {"b": {3}}], "[1, 'a', (2,), {'b': {3}}]"),
    (object(), "<object object>"),
    (lambda: 1, "<function <lambda>>"),
    (Silent(), "<Silent>"),
    ([Silent()], "<list>"),
    (10**5000, "<int>"),
    ("<a at 0x1f>", "'<a at 0x1f>'"),
    (nested(100_000), "[" * 77 + "..."),
    ([["x"] * 10**6] * 9, "[[" + "'x', " * 15 + "..."),
    (["x" * 10**7], "['" + "x" * 75 + "..."),
    (dict.fromkeys(range(10**6)), str(dict.fromkeys(range(90)))[:77] + "..."),
]


@pytest.mark.parametrize(("value", "text"), QUOTED, ids=range(len(QUOTED)))
def test_values_are_quoted_alike_in_every_run_whatever_they_hold(value, text):
    assert quoted(value) == text


BRAT_LINES = (
    "T1\tPER 0 1000000000000000000\tAda", f"T1\tPER 0 {'9' * 5000}\tAda", "T1\tPER ;\tAda", "T1\tPER 0\tAda",
    "T1\tPER 0 3;\tAda", "T1\tPER 0 3 4\tAda", "T\n", "T1 PER 0 3 Ada",
)  # fmt: skip
BRAT_NAMES = (
    "", "5", "[" * 100_000, '{"texts": 5}', '{"texts": [{"name": "a", "document": null, "ids": 5}]}',
    '{"texts": [{"name": [], "document": null, "ids": []}]}', '{"texts": [{"name": "a", "document": {}, "ids": [[]]}]}',
)  # fmt: skip
BRAT_FOLDERS = [
    *({"a.ann": line, "a.txt": "Ada ran\n"} for line in BRAT_LINES),
    *({"a.ann": "", "a.txt": "Ada\n", "cleancut.json": names} for names in BRAT_NAMES),
    {"a.ann": b"T1\tPER 0 3\t\xff", "a.txt": "Ada"},
    {"a.ann": "T1\tPER 0 3\tAda", "a.txt": b"\xff"},
]


@pytest.mark.parametrize("files", BRAT_FOLDERS, ids=range(len(BRAT_FOLDERS)))
def test_a_malformed_folder_of_brat_is_refused_in_one_line(tmp_path, files):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(
        CleancutError, match=r"a\.(ann|txt), line \d+: |cleancut\.json was changed after it was written"
    ) as refused:
        cc.read(tmp_path)
    assert len(str(refused.value)) < 400


COMMANDS = {
    "a long value": (f"score --gold gold.conll --seed={'x' * 10**5}", "invalid int value: 'xxx"),
    "a long choice": (f"split gold.conll -o out --method={'x' * 10**5}", "is unknown"),
    "the root": ("score --gold gold.conll --pred /", "/ is a directory"),
    "names that are no text": ("score --gold gold.conll --pred pred.conll --map binary", "binary, line 1: byte 0xff"),
    "a way through nothing": ("stage exact_f1 -o nothing/../out", "the folder nothing does not exist"),
    "predictions that are not there": ("hardeval-folds --gold gold.conll -k 3 -o out --pred x", "x: no such file"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_cannot_be_run_says_so_and_leaves_nothing(name, capsys, tmp_path, monkeypatch):
    words, said = COMMANDS[name]
    for file in ("gold.conll", "pred.conll"):
        (tmp_path / file).write_text(conll(TAGS))
    (tmp_path / "binary").write_bytes(b"\xff")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CleancutError):
        command(*words.split())(None)
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1 and len(err) < 1000, err[:2000]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["binary", "gold.conll", "pred.conll"]


def test_a_line_of_many_columns_takes_no_memory_for_each(capsys):
    """Neither where it is read nor where blank lines follow; a column that is read at once takes kilobytes."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wide = "(X " * 50_000 + "O\n"
    corpus = cc.read_text(wide + "\n" * 1000 + wide, "x.conll")
    assert len(corpus) == 2 and corpus.tokens()[0] == ["(X"]
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 200_000 * (1024 if sys.platform == "darwin" else 1)


def test_a_message_has_no_control_character():
    for name in ("a\x1b[2Jb.conll", "a\x07.parquet", "\u2028.conll", "\ud800.conll"):
        with pytest.raises(CleancutError) as refused:
            cc.read_text("Ada", name)
        assert str(refused.value).isprintable(), refused.value
    with pytest.raises(CleancutError, match=r"what type: \\x0e"):
        raise CleancutError("what type: \x0e")


def test_one_label_of_label_studio_is_one_label():
    value = {"start": 0, "end": 3, "text": "Ada", "labels": "PER"}
    task = {"data": {"text": "Ada ran"}, "annotations": [{"result": [{"value": value, "type": "labels"}]}]}
    assert cc.read_text(json.dumps([task]), "x.json").entities() == [[{"start": 0, "end": 1, "label": "PER"}]]


def dataset():
    return pytest.importorskip("datasets").Dataset.from_dict({"tokens": WORDS, "tags": TAGS})


PAGES = {
    "html_audit": lambda v: cc.html_audit(v),
    "html_split": lambda v: cc.html_split(v),
    "html_frontier": lambda v: cc.html_frontier(v),
    "components": lambda v: cc.html_split(PLAN, components=[v]),
    "beside": lambda v: PLAN.write("beside", GOLD, beside=[v]),
    "repair": lambda v: cc.exact_f1(GOLD, PRED, repair=[v]),
    "categories": lambda v: cc.register_attribute("of a test", lambda table: table.start, categories=[v]),
    "samples of folds": lambda v: FOLDS.write([v], "folds"),
    "gold of answers": lambda v: cc.read_answers(["[]"] * 24, [v]),
    "types of answers": lambda v: cc.read_answers(["[]"] * 24, GOLD, ignore_types=[v, 5]),
    "discarded": lambda v: PLAN.apply(GOLD, discarded=[v]),
    "origin": lambda v: PLAN.apply(GOLD, origin=[v]),
    "progress": lambda v: cc.mincut(GOLD, effort="fast", min_per_type=0, progress=[v]),
    "columns": lambda v: cc.entities_of(dataset(), columns=[v]),
    "names of columns": lambda v: cc.entities_of(dataset(), columns={5: v}),
    "batch_size": lambda v: cc.annotate(dataset(), SHOWN, batch_size=[v]),
    "html_comparison": lambda v: cc.html_comparison(v),
    "train_size": lambda v: cc.train_test_split(
        dataset(), train_size=v if isinstance(v, int) else math.inf, test_size=50
    ),
    "X": lambda v: cc.CleanCutSplit(2).split(5 if v is None else v, groups=WORDS),
    "push": lambda v: cc.publish_app("org/app", push=v),
    "private": lambda v: cc.publish(PLAN, "org/name", "c", data=GOLD, private=[v]),
    "dry_run": lambda v: cc.push_subsets("org/name", "org/other", dry_run=[v]),
    "a split to push": lambda v: cc.push_subsets("org/name", "org/other", split=[v]),
    "words to ground": lambda v: cc.ground([v], [("Ada", "PER")]),
    "mentions to ground": lambda v: cc.ground("Ada ran", [v] if isinstance(v, np.ndarray) else v),
    "types of an answer": lambda v: cc.parse_answer("[]", types=[v, 5]),
    "batches to write": lambda v: cc.write([v], "batches.jsonl"),
    "samples to write": lambda v: cc.write(5 if isinstance(v, np.ndarray) else v, "batches.jsonl"),
    "progress of a frontier": lambda v: cc.frontier(GOLD, discards=[0], floors=[None], effort="fast", progress=[v]),
    "a folder for the app": lambda v: cc.stage_app([v]),
    "a dataset": lambda v: cc.exact_f1(dataset(), dataset()),
    "a range": lambda v: cc.exact_f1(range(10**15), PRED),
    "tokens of an answer": lambda v: cc.parse_answer("[]", tokens=[v, 5]),
    "duplicates_together": lambda v: cc.write_incidence(GOLD, "pairs.parquet", duplicates_together=[v]),
    "discard of folds": lambda v: cc.mincut_folds(GOLD, 2, discard=[v]),
    "an object without a repr": lambda v: cc.audit({"train": GOLD, "test": PRED}, key=Silent()),
}


@pytest.mark.parametrize("door", PAGES)
def test_what_is_shown_or_written_is_of_its_kind(door):
    for value in (None, 5, {}, {"a": 1}, np.array([]), object()):
        with pytest.raises(CleancutError):
            PAGES[door](value)


@pytest.mark.trainer
def test_what_a_trainer_gives_is_checked():
    from cleancut.trainer import NerMetrics

    columns = {"tokens": WORDS, "tags": TAGS}
    for option in ("tokens", "tags", "entities", "metrics", "unicode"):
        for value in (5, ["x"], [5], {}, np.array([1]), object(), len, "\x1b"):
            with pytest.raises(CleancutError):
                NerMetrics(evaluation=columns, labels=["O", "B-PER"], **{option: value})
    with pytest.raises(CleancutError, match="labels= is empty"):
        NerMetrics(evaluation=columns, labels=[])
    metrics = NerMetrics(evaluation=columns, labels=["O", "B-PER"])
    ids = np.array([[1, 0]] * 24)
    for given in (None, (ids, ids), "x", Pair(None, ids), Pair(ids, None), Pair([], ids), Pair([[1], [0, 1]], ids),
                  Pair(ids / 2, ids), Pair(ids[:3], ids), Pair("x", "y"), Pair({"logits": ids}, ids)):  # fmt: skip
        with pytest.raises(CleancutError):
            metrics(given)


class Pair(NamedTuple):
    """What a Trainer gives."""

    predictions: Any
    label_ids: Any


def test_lists_that_hold_themselves_are_refused():
    endless: list[Any] = ["Ada"]
    endless.append(endless)
    named: dict[str, Any] = {"train": TRAIN}
    named["test"] = named
    assert cc.parse_answer(endless).unparsed
    for door in (PLAN.apply, cc.audit, cc.mincut, GOLD.with_predictions, cc.attribute_wise, cc.study):
        for value in (endless, named):
            with pytest.raises(CleancutError):
                door(value)


def test_names_that_arrow_would_cut_are_refused():
    for door in (lambda: SHOWN.mapper(None, "a\0b"), lambda: PLAN.column(dataset(), "a\0b")):
        with pytest.raises(CleancutError, match="Give the name of a column"):
            door()


def test_a_file_that_is_not_there_is_no_unknown_option():
    for options in ({"text": "text"}, {"document": "d"}, {"end": "exclusive"}):
        with pytest.raises(CleancutError, match=r"nowhere\.jsonl: no such file"):
            cc.from_dataset("nowhere.jsonl", **options)


def test_incidences_have_a_corpus_without_a_name():
    door = command("incidence", "gold.conll", "-o", "{}")
    door("incidence.parquet")


def test_places_of_rows_are_published_of_datasets_of_the_hub_alone():
    with pytest.raises(CleancutError, match="the Hub"):
        cc.publish(PLAN, "org/name", "c", data=dataset(), indices_only=True)


def test_a_text_of_numpy_is_a_path():
    assert len(cc.read(np.str_("one.conll"))) == 4


def test_a_link_to_itself_is_no_file(capsys):
    if not os.path.islink("loop.conll"):
        os.symlink("loop.conll", "loop.conll")
    assert cli.main(["score", "--gold", "gold.conll", "--pred", "loop.conll"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("cleancut: loop.conll: ") and said.count("\n") == 1, said


def test_names_of_columns_of_a_file_are_checked():
    for value in (np.array([1, 2]), 5, ["x"], Hostile()):
        for option in ("tokens", "tags", "entities", "text", "document"):
            with pytest.raises(CleancutError, match="Give the name of a column"):
                cc.from_dataset("one.conll", **{option: value})


def test_a_text_is_no_leave_to_overwrite():
    """What is not True or False would be taken for a yes."""
    for value in ("no", 0, 1, [], None):
        for door in (
            lambda v: PLAN.write("mine", GOLD, overwrite=v),
            lambda v: FOLDS.write(GOLD, "mine", overwrite=v),
            lambda v: LADDER.write(GOLD, "mine", overwrite=v),
        ):
            with pytest.raises(CleancutError, match="overwrite=.* Give true or false"):
                door(value)
    assert not os.path.exists("mine")


def test_no_training_data_is_no_empty_training_data():
    for value in (b"", set(), frozenset(), "", np.zeros(0)):
        with pytest.raises(CleancutError):
            cc.Exposure.of(value)


def test_splits_and_systems_have_names():
    for name in (5, math.nan, None, ("a",)):
        with pytest.raises(CleancutError, match="cannot be the name of a split"):
            cc.mincut(GOLD, {"train": 80, name: 20})
        with pytest.raises(CleancutError, match="systems: a name="):
            cc.compare(GOLD, {"a": PRED, name: GOLD}, ci=10)


def test_systems_of_a_study_have_names():
    with pytest.raises(CleancutError, match="pred: a name=5"):
        cc.study({"d": {"train": TRAIN, "test": GOLD, "pred": {5: PRED}}}, ci=None)


def test_values_that_cannot_be_hashed_are_refused():
    for value in (Hostile(), {}, [], set()):
        for tags in ([["O", value], *TAGS[1:]], [[value, value]] * 24):
            with pytest.raises(CleancutError):
                cc.exact_f1(tags, TAGS)
            with pytest.raises(CleancutError):
                Corpus.of(tags, tags=TAGS)


def test_rows_may_hold_arrays_where_the_columns_are_named():
    rows = [{"tokens": np.array(words), "tags": tags} for words, tags in zip(WORDS, TAGS)]
    assert cc.from_dataset(rows, tokens="tokens", tags="tags").tokens() == WORDS


def test_rows_have_columns_with_names():
    for name in (5, None, ("a",), range(3)):
        with pytest.raises(CleancutError, match="cannot be the name of a column"):
            cc.from_dataset([{"tokens": words, "tags": tags, name: 1} for words, tags in zip(WORDS, TAGS)])


def test_a_label_id_of_any_length_is_out_of_range():
    with pytest.raises(CleancutError, match="is out of range"):
        cc.exact_f1([[0, 10**5000]], [[0, 1]], labels=["O", "B-PER"])


@pytest.mark.parametrize("licence", ["mit\nlanguage: en", "mit\r", "mit\u2028en", "\n", ""])
def test_a_licence_is_one_line(licence):
    calls = [
        lambda: cc.publish(PLAN, "org/name", "c", data=GOLD, licence=licence),
        lambda: cc.push_subsets({"train": GOLD, "test": GOLD}, "org/name", config="c", licence=licence),
    ]
    for call in calls:
        with pytest.raises(CleancutError) as caught:
            call()
        assert str(caught.value) == f"licence={licence!r} is not valid. Give a text in one line."
