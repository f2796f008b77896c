"""Datasets in, datasets out: what is added, filtered and split keeps the schema and the order of the rows."""

import io
import json
import pickle
import subprocess
import sys

import datasets
import numpy as np
import pytest
from datasets import ClassLabel, Dataset, DatasetDict, Features, List, Value
from datasets.fingerprint import Hasher
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import cleancut as cc
from cleancut import CleancutError, Corpus, Exposure, cli
from cleancut.reading.progress import work_shown
from cleancut.scoring.exposure_view import NOVELTY

pytestmark = pytest.mark.usefixtures("few_moves")  # what is split is split any way
NAMES = ["O", "B-PER", "I-PER", "B-LOC"]
TRAIN = Corpus.of([["Ada", "King", "saw", "Oslo"]], tags=[["B-PER", "I-PER", "O", "B-LOC"]])
SHOWN = Exposure.of(TRAIN)
ROWS = [["Ada", "King", "met", "Bo"], ["Oslo", "and", "Rome"], ["nobody"], []]
TAGS = [["B-PER", "I-PER", "O", "B-PER"], ["B-LOC", "O", "B-LOC"], ["O"], []]
MORE = {
    "note": Value("string"), "when": Value("date32"), "vector": List(Value("float16")),
    "meta": {"source": Value("string"), "page": Value("int16")},
}  # fmt: skip


def extra(n):
    """Columns that are none of ours, of kinds that a copy through Python could change."""
    import datetime

    day = datetime.date(2020, 1, 31)
    return {
        "note": [f"n{i}" for i in range(n)], "when": [day] * n,
        "vector": [np.array([i, 0.5], np.float16) for i in range(n)],
        "meta": [{"source": "x", "page": i} for i in range(n)],
    }  # fmt: skip


def tagged(kind):
    feature = {"labels": List(ClassLabel(names=NAMES)), "strings": List(Value("string"))}[kind]
    tags = TAGS if kind == "strings" else [[NAMES.index(tag) for tag in row] for row in TAGS]
    features = Features({"tokens": List(Value("string")), "ner_tags": feature, **MORE})
    return Dataset.from_dict({"tokens": ROWS, "ner_tags": tags, **extra(4)}, features=features)


def spanned(form):
    """The same mentions as spans, which are not in the order of the text; one stands there twice."""
    label = Value("string")
    if form == "tokens":
        spans = [[(3, 4, "PER"), (0, 2, "PER"), (3, 4, "PER")], [(0, 1, "LOC"), (2, 3, "LOC")], [], []]
        columns = {"tokens": (ROWS, List(Value("string")))}
    else:
        spans = [[(13, 15, "PER"), (0, 8, "PER"), (13, 15, "PER")], [(0, 4, "LOC"), (9, 13, "LOC")], [], []]
        columns = {"text": ([" ".join(row) for row in ROWS], Value("string"))}
    entity = {"start": Value("int32"), "end": Value("int32"), "label": label}
    values = [[dict(zip(entity, span)) for span in row] for row in spans]
    features = Features({name: kind for name, (_, kind) in columns.items()} | {"entities": List(entity), **MORE})
    data = {name: column for name, (column, _) in columns.items()} | {"entities": values, **extra(4)}
    return Dataset.from_dict(data, features=features)


MAKE = {
    "labels": lambda: tagged("labels"), "strings": lambda: tagged("strings"), "spans": lambda: spanned("tokens"),
    "characters": lambda: spanned("characters"),
}  # fmt: skip
SEEN = {"labels": [[True, False], [True, False], [], []], "spans": [[False, True, False], [True, False], [], []]}
SEEN |= {"strings": SEEN["labels"], "characters": SEEN["spans"]}


@pytest.mark.parametrize("kind", MAKE)
def test_annotate_adds_what_training_has_shown(kind):
    given_rows = MAKE[kind]()
    marked = cc.annotate(given_rows, SHOWN)
    assert marked["seen"][:] == SEEN[kind]
    assert marked["n_seen"][:] == [sum(row) for row in SEEN[kind]]
    assert marked["n_new"][:] == [len(row) - sum(row) for row in SEEN[kind]]
    names = marked.features["contamination"].names
    assert [names[i] for i in marked["contamination"][:]] == ["partly", "partly", "none", "none"]
    novelty = marked.features["novelty"].feature
    assert novelty.names == list(NOVELTY)
    seen = [[novelty.int2str(i) == "seen" for i in row] for row in marked["novelty"][:]]
    assert seen == SEEN[kind]
    added = {"seen", "novelty", "n_seen", "n_new", "contamination"}
    assert set(marked.column_names) == {*given_rows.column_names, *added}
    unchanged = marked.remove_columns(sorted(added))
    assert unchanged.features == given_rows.features and unchanged.to_dict() == given_rows.to_dict()


@pytest.mark.parametrize("kind", MAKE)
def test_the_clean_and_the_contaminated_test_set_keep_the_schema(kind):
    given_rows = MAKE[kind]()
    whole = cc.from_dataset(given_rows)
    clean, contaminated = (cc.keep_mentions(given_rows, SHOWN, which) for which in ("clean", "contaminated"))
    wanted = cc.subsets(whole, SHOWN)
    for part, corpus in zip((clean, contaminated), wanted, strict=True):
        assert part.features == given_rows.features and len(part) == len(given_rows)
        read = cc.from_dataset(part, **({"tags": "ner_tags"} if "ner_tags" in part.column_names else {}))
        assert read.mentions.spans() == corpus.mentions.spans()
        rest = [name for name in part.column_names if name not in ("ner_tags", "entities")]
        assert part.select_columns(rest).to_dict() == given_rows.select_columns(rest).to_dict()
    assert len(wanted[0].mentions) == len(wanted[1].mentions) == 2


@pytest.mark.parametrize("kind", MAKE)
def test_rows_that_share_are_left_out(kind):
    given_rows = MAKE[kind]()
    partly = cc.decontaminate(given_rows, cc.from_dataset(given_rows).select([1]))
    assert partly["note"][:] == ["n0", "n2", "n3"] and partly.features == given_rows.features
    oslo = Corpus.of([["Oslo"]], tags=[["B-LOC"]])
    assert cc.decontaminate(given_rows, oslo)["note"][:] == ["n0", "n2", "n3"]
    assert cc.decontaminate(given_rows, oslo, "fully")["note"][:] == ["n0", "n1", "n2", "n3"]
    both = Corpus.of([["Oslo", "Rome"]], tags=[["B-LOC", "B-LOC"]])
    assert cc.decontaminate(given_rows, both, "fully")["note"][:] == ["n0", "n2", "n3"]
    lower = Corpus.of([["oslo"]], tags=[["B-LOC"]])
    assert len(cc.decontaminate(given_rows, lower)) == 4 and len(cc.decontaminate(given_rows, lower, case=False)) == 3


@pytest.mark.parametrize("kind", MAKE)
def test_the_same_kind_of_object_comes_out(kind):
    one = MAKE[kind]()
    several = DatasetDict(train=one.select([0]), test=one)
    streamed = one.to_iterable_dataset()
    functions = [
        lambda data: cc.annotate(data, SHOWN),
        lambda data: cc.keep_mentions(data, SHOWN, "clean"),
        lambda data: cc.decontaminate(data, SHOWN),
    ]
    for function in functions:
        wanted = function(one)
        assert isinstance(wanted, Dataset)
        found = function(several)
        assert isinstance(found, DatasetDict) and found["test"].to_dict() == wanted.to_dict()
        found = function(streamed)
        assert isinstance(found, datasets.IterableDataset) and list(found.features) == list(wanted.features)
        assert list(found) == list(wanted)
    with pytest.raises(CleancutError, match="expected a Dataset"):
        cc.annotate([{"tokens": []}], SHOWN)


def test_the_mapper_is_for_ones_own_map():
    given_rows = tagged("strings")
    wanted = cc.annotate(given_rows, SHOWN, prefix="our_")
    for columns in ({"tokens": "tokens", "tags": "ner_tags"}, cc.detect(given_rows)):
        mapper = pickle.loads(pickle.dumps(SHOWN.mapper(columns=columns, prefix="our_")))
        found = given_rows.map(mapper, batched=True, batch_size=2)
        assert found["our_seen"][:] == wanted["our_seen"][:] and found["our_n_new"][:] == wanted["our_n_new"][:]


def test_columns_that_arrow_does_not_know_are_left_alone():
    class Picture:
        pass

    batch = {"tokens": [["Ada", "King"]], "ner_tags": [["B-PER", "I-PER"]], "picture": [Picture()]}
    for columns in ({"tokens": "tokens", "tags": "ner_tags"}, cc.detect(tagged("strings"))):
        assert SHOWN.mapper(columns=columns)(batch)["seen"] == [[True]]


def test_names_that_are_taken_and_options_that_are_none_are_refused():
    given_rows = tagged("labels").rename_column("note", "seen")
    with pytest.raises(CleancutError, match=r"column 'seen' already. Give prefix="):
        cc.annotate(given_rows, SHOWN)
    assert cc.annotate(given_rows, SHOWN, prefix="x_")["x_seen"][:] == SEEN["labels"]
    with pytest.raises(CleancutError, match="which='new' is unknown. Choose one of: clean, contaminated"):
        cc.keep_mentions(given_rows, SHOWN, "new")
    with pytest.raises(CleancutError, match="level='some' is unknown"):
        cc.decontaminate(given_rows, SHOWN, "some")
    tokens = Dataset.from_dict({"sentence_id": [0, 0, 1], "word": ["a", "b", "c"], "tag": ["B-X", "O", "O"]})
    with pytest.raises(CleancutError, match="a row is a single token"):
        cc.annotate(tokens, SHOWN)
    with pytest.raises(CleancutError, match="has no effect"):
        Exposure.of(TRAIN, columns={"tags": "x"})


def test_training_data_of_any_kind_is_indexed_alike():
    rows = tagged("labels")
    wanted = Exposure.of(cc.from_dataset(rows))
    for data in (rows, DatasetDict(train=rows, test=rows.select([0])), rows.to_iterable_dataset()):
        found = Exposure.of(data)
        assert found.identity == wanted.identity and found.n_tokens == wanted.n_tokens
    with pytest.raises(CleancutError, match="which split is the training data"):
        Exposure.of(DatasetDict(a=rows, b=rows))
    other = rows.rename_column("tokens", "parts")
    assert Exposure.of(other, columns={"tokens": "parts", "tags": "ner_tags"}).identity == wanted.identity


def test_mentions_that_are_not_in_the_text_have_no_value():
    rows = Dataset.from_list([{"tokens": ["Ada", "ran"], "entities": [
        {"text": "Bo", "label": "PER"}, {"text": "Ada", "label": "PER"},
    ]}])  # fmt: skip
    marked = cc.annotate(rows, Corpus.of([["Ada"]], tags=[["B-PER"]]))
    assert marked[0]["seen"] == [None, True] and (marked[0]["n_seen"], marked[0]["n_new"]) == (1, 0)
    assert [span["text"] for span in cc.keep_mentions(rows, SHOWN, "clean")[0]["entities"]] == ["Ada"]


WORDS = st.sampled_from(["Ada", "King", "Oslo", "x"])


@examples(50)
@given(st.lists(st.lists(st.tuples(WORDS, st.sampled_from(NAMES)), max_size=6), min_size=1, max_size=5))
def test_what_is_kept_adds_up_to_the_whole(rows):
    tokens, tags = [[word for word, _ in row] for row in rows], [[tag for _, tag in row] for row in rows]
    given_rows = Dataset.from_dict(
        {"tokens": tokens, "ner_tags": tags}, Features(tokens=List(Value("string")), ner_tags=List(Value("string")))
    )
    options = {"load_from_cache_file": False, "columns": {"tokens": "tokens", "tags": "ner_tags", "scheme": "iob2"}}
    seen = [value for row in cc.annotate(given_rows, SHOWN, **options)["seen"] for value in row]
    view = SHOWN.view(Corpus.of(tokens, tags=tags, scheme="iob2"))
    assert seen == view.seen.tolist()
    for which, kept in (("clean", ~view.seen), ("contaminated", view.seen)):
        found = cc.keep_mentions(given_rows, SHOWN, which, **options)["ner_tags"][:]
        wanted = Corpus.of(tokens, tags=tags, scheme="iob2").keep(kept)
        assert Corpus.of(tokens, tags=found, scheme="iob2").mentions.spans() == wanted.mentions.spans()


# --- splits ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many():
    rows = [{"words": [f"n{i % 17}", "met", f"m{i % 5}"], "iob": ["B-PER", "O", "B-LOC" if i % 2 else "O"],
             "language": "en" if i % 3 else "de", "i": i} for i in range(120)]  # fmt: skip
    return Dataset.from_list(rows)


COLUMNS = {"tokens": "words", "tags": "iob"}
FAST = {**COLUMNS, "effort": "fast"}


def test_train_test_split_shares_nothing(many):
    split = cc.train_test_split(many, test_size=0.25, seed=42, **FAST)
    assert list(split) == ["train", "test"] and split["train"].features == many.features
    names = [{word for row in part["words"] for word in row if word != "met"} for part in split.values()]
    parts = {name: cc.from_dataset(part, **COLUMNS) for name, part in split.items()}
    assert cc.audit(parts).pairs["test", "train"]["n_partial"] == 0 and all(names)
    again = cc.train_test_split(many, test_size=0.25, seed=42, **FAST)
    assert again["test"]["i"][:] == split["test"]["i"][:]
    counted = cc.train_test_split(many, test_size=20, train_size=40, discard=0, **FAST)
    assert (len(counted["train"]), len(counted["test"])) == (40, 20)
    rest = cc.train_test_split(many, None, train_size=0.75, discard=0, **FAST)
    assert (len(rest["train"]), len(rest["test"])) == (90, 30)
    for sizes in ({"test_size": None}, {"test_size": 1.5}, {"test_size": 0}, {"test_size": 120}, {"test_size": "a"}):
        with pytest.raises(CleancutError, match="test_size="):
            cc.train_test_split(many, **sizes, **FAST)
    with pytest.raises(CleancutError, match="ask for 100"):
        cc.train_test_split(many, test_size=60, train_size=100, **FAST)
    with pytest.raises(CleancutError, match="expected a Dataset"):
        cc.train_test_split(DatasetDict(train=many), **FAST)


@pytest.mark.slow
def test_the_split_of_each_row_is_a_column(many):
    parts = DatasetDict(train=many.select(range(80)), test=many.select(range(80, 120)))
    plan = cc.mincut(parts, (60, 40), effort="fast", discard="auto", **COLUMNS)
    for data in (parts, DatasetDict(test=parts["test"], train=parts["train"])):
        marked = plan.column(data)
        assert list(marked) == list(data)
        feature = marked["train"].features["split"]
        whole = datasets.concatenate_datasets([marked["train"], marked["test"]])
        for name in plan.names:
            chosen = [row["i"] for row in whole if feature.int2str(row["split"]) == name]
            assert chosen == plan.apply(parts)[name]["i"][:]
    with pytest.raises(CleancutError, match="column 'i' already"):
        plan.column(parts, name="i")
    alone = cc.mincut(many, (60, 40), effort="fast", **COLUMNS)
    assert alone.column(many).features["split"].names == ["train", "test"]


def test_a_plan_is_applied_to_lists_of_rows(many):
    rows = many.to_list()
    plan = cc.mincut(rows, (60, 40), effort="fast", **COLUMNS)
    found = plan.apply(rows)
    assert [row["i"] for name in plan.names for row in found[name]] == [
        i for name in plan.names for i in plan.rows(name).tolist()
    ]
    several = cc.mincut({"train": rows[:80], "test": rows[80:]}, (60, 40), effort="fast", **COLUMNS)
    assert several.apply({"test": rows[80:], "train": rows[:80]})["test"] == [rows[i] for i in several.rows("test")]
    with pytest.raises(CleancutError, match="another order"):
        plan.apply(rows[::-1])
    with pytest.raises(CleancutError, match="for 120 samples, but 119"):
        plan.apply(rows[1:])
    with pytest.raises(CleancutError, match=r"no split 'dev'. It has train, test, and 'discarded'"):
        plan.rows("dev")


def test_columns_are_named_everywhere(many):
    read = cc.from_dataset(many, **COLUMNS)
    parts = {"train": many.select(range(80)), "test": many.select(range(80, 120))}
    corpora = {name: cc.from_dataset(part, **COLUMNS) for name, part in parts.items()}
    assert (cc.mincut(many, effort="fast", **COLUMNS).assignment == cc.mincut(read, effort="fast").assignment).all()
    assert cc.audit(parts, **COLUMNS) == cc.audit(corpora)
    few, alone = parts["test"].select([0]), corpora["test"].select([0])
    ladder = cc.ladder(parts["train"], few, seeds=1, **COLUMNS)
    assert ladder.to_dict() == cc.ladder(corpora["train"], alone, seeds=1).to_dict()
    assert (cc.kfold(many, 3, **COLUMNS).assignment == cc.kfold(read, 3).assignment).all()
    folds = cc.mincut_folds(many, 2, effort="fast", **COLUMNS)
    assert (folds.assignment == cc.mincut_folds(read, 2, effort="fast").assignment).all()
    with pytest.raises(CleancutError, match=r"tags= has no effect: a corpus has no columns"):
        cc.mincut(read, tags="iob")


def test_entities_are_groups_for_scikit_learn(many):
    groups = cc.entities_of(many, **COLUMNS)
    assert groups[1] == {("n1", "PER"), ("m1", "LOC")} and groups[0] == {("n0", "PER")}
    folds = list(cc.CleanCutSplit(n_splits=2, effort="fast").split(groups, groups=groups))
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(120))


# --- the cache ------------------------------------------------------------------------------------------------


def test_the_hash_of_an_index_is_that_of_its_counts(tmp_path):
    index = Exposure.of(TRAIN)
    first = Hasher.hash(index)
    index.view(TRAIN).look_up()
    index.save(tmp_path / "index.npz")
    assert Hasher.hash(index) == first == Hasher.hash(Exposure.load(tmp_path / "index.npz"))
    assert Hasher.hash(pickle.loads(pickle.dumps(index))) == first
    assert Hasher.hash(Exposure.of(TRAIN, case=False)) != first
    assert Exposure.of(TRAIN, case=False).identity != index.identity


SCRIPT = """
import sys, datasets, cleancut as cc
datasets.disable_progress_bars()
rows = datasets.load_from_disk(sys.argv[1])
train = cc.Corpus.of([["Ada", "King"]], tags=[["B-PER", "I-PER"]])
shown = cc.Exposure.of(train)
one = cc.annotate(rows, shown)
shown.view(train).look_up()
two = cc.keep_mentions(rows, shown, "clean")
print(one.cache_files[0]["filename"], two.cache_files[0]["filename"])
"""


@pytest.mark.slow
def test_the_same_call_is_served_from_the_cache_in_another_process(tmp_path):
    tagged("labels").save_to_disk(tmp_path / "rows")
    runs = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", SCRIPT, tmp_path / "rows"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        runs.append(done.stdout)
    assert runs[0] == runs[1]
    assert len(list((tmp_path / "rows").glob("cache-*.arrow"))) == 2


@pytest.mark.slow
def test_processes_that_share_the_work_give_the_same():
    rows = datasets.concatenate_datasets([tagged("labels")] * 5)
    alone, shared = (cc.annotate(rows, SHOWN, num_proc=n, batch_size=3) for n in (None, 2))
    assert shared.to_dict() == alone.to_dict() and shared.features == alone.features


# --- the clean and the contaminated test set as files ---------------------------------------------------------------


@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_the_command_writes_both_test_sets_with_all_columns(kind, ending, tmp_path):
    rows = MAKE[kind]().remove_columns(["when", "vector"])  # which JSON does not have
    cc.write(TRAIN, tmp_path / "train.jsonl")
    file = tmp_path / f"test.{ending}"
    rows.to_json(str(file)) if ending == "jsonl" else rows.to_parquet(str(file))
    command = ["subsets", "--train", str(tmp_path / "train.jsonl"), "--test", str(file), "-o", str(tmp_path / "out")]
    if kind == "labels" and ending == "jsonl":  # JSON does not keep the names of labels
        command += ["--labels", ",".join(NAMES)]
    assert cli.main(command) == 0
    for which, wanted in zip(("clean", "contaminated"), cc.subsets(rows, SHOWN), strict=True):
        written = tmp_path / "out" / f"{which}.{ending}"
        if ending == "jsonl":
            assert [json.loads(line) for line in written.read_text("utf-8").splitlines()] == wanted.to_list()
        else:
            again = Dataset.from_parquet(str(written), cache_dir=str(tmp_path / "cache"))
            assert again.features == rows.features and again.to_dict() == wanted.to_dict()


def test_subsets_of_rows_change_nothing_else():
    first = {"tokens": ["Ada", "King", "and", "Bo"], "tags": ["B-PER", "I-PER", "O", "B-PER"], "x": {"y": 1}}
    rows = [first, {"tokens": [], "tags": []}]
    clean, contaminated = cc.subsets(rows, SHOWN)
    assert clean == [{**rows[0], "tags": ["O", "O", "O", "B-PER"]}, rows[1]]
    assert contaminated == [{**rows[0], "tags": ["B-PER", "I-PER", "O", "O"]}, rows[1]]


# --- plans applied to streams ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["labels", "spans", "characters"])
def test_a_plan_is_applied_to_a_stream_row_by_row(kind, tmp_path):
    whole = datasets.concatenate_datasets([MAKE[kind]()] * 6)
    parts = DatasetDict(train=whole.select(range(15)), test=whole.select(range(15, 24)))
    plan = cc.mincut(parts, (70, 30), effort="fast", seed=3)
    plan.save(tmp_path / "plan.json")
    streams = datasets.IterableDatasetDict({name: part.to_iterable_dataset() for name, part in parts.items()})
    for known in (plan, cc.SplitPlan.load(tmp_path / "plan.json")):
        applied = known.apply(streams)
        assert isinstance(applied, datasets.IterableDatasetDict)
        for name, part in plan.apply(parts).items():
            assert applied[name].features == part.features
            assert Dataset.from_list(list(applied[name]), features=part.features).to_dict() == part.to_dict()
    one = cc.mincut(whole, (70, 30), effort="fast", seed=3).apply(whole.to_iterable_dataset())
    assert sum(len(list(part)) for part in one.values()) == 24


@pytest.mark.slow
def test_a_stream_with_another_row_is_refused_where_it_stands():
    rows = tagged("strings")
    whole = datasets.concatenate_datasets([rows] * 700)
    plan = cc.mincut(whole, (50, 50), method="random")
    changed = [0, 1, 2, 3] * 700
    changed[2001] = 0
    for stream, message in (
        (whole.select(changed), "row 2001 of the stream is not in the plan, which has another sample there"),
        (whole.select(range(2799)), "the stream ended after 2799"),
        (
            datasets.concatenate_datasets([whole, rows]),
            "row 2800 of the stream is not in the plan, which has only",
        ),
    ):
        with pytest.raises(CleancutError, match=message):
            list(plan.apply(stream.to_iterable_dataset())["train"])
    with pytest.raises(CleancutError, match="for the splits 'train', 'test', but 'a', 'b' are given"):
        parts = DatasetDict(train=rows, test=rows)
        cc.mincut(parts, method="random").apply({"a": rows.to_iterable_dataset(), "b": rows.to_iterable_dataset()})
    with pytest.raises(CleancutError, match="origin=True is for loaded datasets"):
        plan.apply(whole.to_iterable_dataset(), origin=True)


# --- what is to be known of the mentions ----------------------------------------------------------------------------

UNFOUND = [{"text": "Ada ran", "entities": [{"text": "Ada", "label": "PER"}, {"text": "Bo", "label": "PER"}]}] * 40
NOTE = "40 of 80 mentions could not be located in the text and are left out."


def test_what_is_left_out_is_logged_and_stands_in_the_plan(caplog):
    rows = Dataset.from_list(UNFOUND)
    runs = {
        "from_dataset": (lambda: cc.from_dataset(rows), NOTE),
        "Exposure.of": (lambda: Exposure.of(rows), NOTE),
        "audit": (lambda: cc.audit(DatasetDict(train=rows, test=rows)), f"train: {NOTE}"),
        "mincut": (lambda: cc.mincut(rows, method="random"), NOTE),
        "annotate": (lambda: cc.annotate(rows, SHOWN, load_from_cache_file=False), f"in a first batch of rows: {NOTE}"),
        "keep_mentions": (
            lambda: list(cc.keep_mentions(rows.to_iterable_dataset(), SHOWN, "clean")),
            f"in a first batch of rows: {NOTE}",
        ),
    }
    for name, (run, message) in runs.items():
        caplog.clear()
        run()
        said = [record.getMessage() for record in caplog.records if record.name == "cleancut"]
        assert said.count(message) == 1, (name, said)
    assert NOTE in cc.mincut(rows, method="random").notes
    caplog.clear()
    good = Dataset.from_list([{"text": "Ada ran", "entities": [{"text": "Ada", "label": "PER"}]}] * 40)
    assert cc.mincut(good, method="random").notes == cc.mincut(cc.from_dataset(good), method="random").notes
    cc.annotate(good, SHOWN, load_from_cache_file=False)
    assert not caplog.records


# --- progress -------------------------------------------------------------------------------------------------------


def test_a_bar_is_shown_where_someone_sees_it_and_none_within_another(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    datasets.enable_progress_bars()  # commands without a terminal, which other tests run in this process, disable them
    with work_shown("x") as told:
        assert told is None  # nobody would see it
    monkeypatch.setattr("sys.stderr", Terminal())
    shares = []
    with work_shown("x", shares.append) as told:
        told(0.5)
    assert shares == [0.5]
    with work_shown("x") as told:
        assert told is not None
        with work_shown("y") as inner:
            assert inner is None
    datasets.disable_progress_bars()
    try:
        with work_shown("x") as told:
            assert told is None
    finally:
        datasets.enable_progress_bars()
    assert cc.mincut(cc.from_dataset(tagged("strings")), (50, 50), effort="fast").sizes == {"train": 2, "test": 2}
