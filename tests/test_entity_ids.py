"""Names compared by ids of entities (``same="id"``): where ids are read, how they follow mentions, what they relate."""

from __future__ import annotations

import json
import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_cli import run

import cleancut as cc
from cleancut.core.entities import Key
from cleancut.core.entity_ids import ids_in
from cleancut.core.exceptions import CleancutError
from cleancut.core.hashing import sample_hashes
from cleancut.core.same import Same
from cleancut.splitting.checking import related_names

pytestmark = pytest.mark.usefixtures("few_moves")  # what is split is split any way

TRAIN = [
    {"tokens": ["aspirin", "helps"], "entities": [{"start": 0, "end": 1, "label": "C", "mesh": "D1|D2"}]},
    {"tokens": ["the", "flu"], "entities": [{"start": 1, "end": 2, "label": "D", "mesh": None}]},
]
TEST = [
    {
        "tokens": ["ASA", "or", "Tylenol", "or", "gas"],
        "entities": [
            {"start": 4, "end": 5, "label": "D", "mesh": "D1"},
            {"start": 2, "end": 3, "label": "C", "mesh": ["D9", "D8"]},
            {"start": 0, "end": 1, "label": "C", "mesh": ["D2"]},
        ],
    },
    {"tokens": ["the", "flu"], "entities": [{"start": 1, "end": 2, "label": "D", "mesh": "-1"}]},
]
SEEN = [True, False, False, True]
"""Whether training has an id, or the words, of each mention of ``TEST`` with its type."""


def ids_of(corpus):
    """Return the words, the type and the ids of each mention, sample by sample."""
    texts = corpus.texts()
    labels = [corpus.mentions.labels[code] for code in corpus.mentions.label.tolist()]
    lists = corpus.entity_ids.lists(len(texts))
    samples = [[] for _ in range(len(corpus))]
    for sample, text, label, ids in zip(corpus.mentions.sample.tolist(), texts, labels, lists, strict=True):
        samples[sample].append((text, label, tuple(ids)))
    return samples


OF_TRAIN = [[("aspirin", "C", ("D1", "D2"))], [("flu", "D", ())]]
"""What ``ids_of`` says of ``TRAIN``."""


@pytest.fixture
def written(tmp_path):
    """Return a folder with ``TRAIN`` and ``TEST`` as JSONL."""
    for name, rows in (("train", TRAIN), ("test", TEST)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


# --- values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        ("D003920", ["D003920"]),
        ("D003920|D009369", ["D003920", "D009369"]),
        (" Q42 ", ["Q42"]),
        (42, ["42"]),
        (["Q1", None, 7], ["Q1", "7"]),
        (np.array(["Q1", "Q2"]), ["Q1", "Q2"]),
        (float("nan"), []),
        *[(nothing, []) for nothing in (None, "", " ", "-", "_", "*", "O", "-1", -1, "NIL", [], "|")],
        ({"db_name": "MESH", "db_id": "D1"}, ["MESH:D1"]),
        ([{"db_name": "", "db_id": "D1"}, {"db_id": "-1"}], ["D1"]),
        ("Washington,_D.C.", ["Washington,_D.C."]),
    ],
)
def test_ids_in_values(value, ids):
    assert ids_in(value, "here") == ids


@pytest.mark.parametrize("value", [True, 0.5, {"id": "D1"}, {"D1"}, b"D1", [["D1", object()]]])
def test_other_values_are_refused(value):
    with pytest.raises(CleancutError, match="here: .* is not an id of an entity"):
        ids_in(value, "here")


# --- reading ------------------------------------------------------------------------------------------------


def test_ids_of_json_lines(written):
    corpus = cc.read(written / "train.jsonl", ids="mesh")
    assert ids_of(corpus) == OF_TRAIN
    assert cc.read(written / "train.jsonl").entity_ids is None
    batches = list(cc.read_batches(written / "train.jsonl", 1, ids="mesh"))
    assert [ids_of(batch) for batch in batches] == [OF_TRAIN[:1], OF_TRAIN[1:]]
    rows = [{**row, "entities": [{**span, "q": 1} for span in row["entities"]]} for row in TRAIN]
    beside = [{**row, "q": [span["mesh"] for span in row["entities"]]} for row in TRAIN]
    assert ids_of(cc.from_dataset(TRAIN, ids="mesh")) == ids_of(cc.from_dataset(beside, ids="q")) == OF_TRAIN
    assert ids_of(cc.from_dataset(rows, ids="q"))[0] == [("aspirin", "C", ("1",))]
    path = written / "beside.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in beside))
    assert ids_of(cc.read(path, ids="q")) == OF_TRAIN


def test_ids_of_conll(tmp_path):
    path = tmp_path / "train.conll"
    path.write_text("New\tQ60\tB-L\nYork\tQ60|Q61\tI-L\nis\t_\tO\n\nBo\t-\tB-P\n\n")
    whole = [[("New York", "L", ("Q60", "Q61"))], [("Bo", "P", ())]]
    assert ids_of(cc.read(path, ids=1)) == ids_of(cc.read(path, ids="1")) == ids_of(cc.read(path, ids=-2)) == whole
    for ids, message in {
        2: "ids=2 is the column of the tags",
        -3: "ids=-3 is the column of the words",
        3: "ids=3 is not a column of the file, which has 3",
        "mesh": "ids='mesh' is not a number",
    }.items():
        with pytest.raises(CleancutError, match=message):
            cc.read(path, ids=ids)


def test_ids_of_datasets_and_parquet(tmp_path):
    datasets = pytest.importorskip("datasets")
    rows = [
        {"tokens": row["tokens"], "entities": row["entities"], "q": [["D1", "D2"] if i == 0 else None]}
        for i, row in enumerate(TRAIN)
    ]
    dataset = datasets.Dataset.from_list(rows)
    path = tmp_path / "train.parquet"
    dataset.to_parquet(str(path))
    for ids in ("mesh", "q"):
        assert ids_of(cc.from_dataset(dataset, ids=ids)) == ids_of(cc.read(path, ids=ids)) == OF_TRAIN
    tags = [{"tokens": ["New", "York", "is"], "tags": ["B-L", "I-L", "O"], "wikidata": ["Q60", "Q60", None]}]
    tagged = cc.from_dataset(datasets.Dataset.from_list(tags), ids="wikidata")
    assert ids_of(tagged) == [[("New York", "L", ("Q60",))]]
    a_token_a_row = [
        {"sentence_id": 1, "word": word, "tag": tag, "q": "Q60"} for word, tag in (("New", "B-L"), ("York", "I-L"))
    ]
    assert ids_of(cc.from_dataset(a_token_a_row, ids="q")) == [[("New York", "L", ("Q60",))]]


def test_ids_of_annotation_tools(tmp_path):
    pubtator = tmp_path / "a.pubtator"
    mentions = "1\t0\t7\tAspirin\tC\tD1|D2\n1\t14\t17\tflu\tD\t-1\n"
    pubtator.write_text(f"1|t|Aspirin helps flu.\n1|a|It does.\n{mentions}\n")
    whole = [[("Aspirin", "C", ("D1", "D2")), ("flu", "D", ())]]
    assert ids_of(cc.read(pubtator, ids="id")) == whole
    brat = tmp_path / "brat"
    brat.mkdir()
    (brat / "a.txt").write_text("Aspirin helps flu.\n")
    lines = ["T1\tC 0 7\tAspirin", "T2\tD 14 17\tflu", "N1\tReference T1 D1\tx", "N2\tReference T1 D2\ty"]
    (brat / "a.ann").write_text("\n".join(lines) + "\n")
    assert ids_of(cc.read(brat, ids="id")) == whole
    places = [(0, 7, "C", "D1|D2"), (14, 3, "D", "-")]
    annotations = [
        {"infons": {"type": label, "identifier": ids}, "locations": [{"offset": offset, "length": length}]}
        for offset, length, label, ids in places
    ]
    passages = [{"offset": 0, "text": "Aspirin helps flu.", "annotations": annotations}]
    bioc = tmp_path / "a.json"
    bioc.write_text(json.dumps({"documents": [{"id": "1", "passages": passages}]}))
    assert ids_of(cc.read(bioc, ids="identifier")) == whole
    spans = [
        {"text": ["Aspirin"], "offsets": [[0, 7]], "type": "C", "normalized": [{"db_name": "M", "db_id": "D1"}]},
        {"text": ["flu"], "offsets": [[14, 17]], "type": "D", "normalized": []},
    ]
    bigbio = [{"passages": [{"text": ["Aspirin helps flu."], "offsets": [[0, 18]]}], "entities": spans}]
    assert ids_of(cc.from_dataset(bigbio, ids="normalized")) == [[("Aspirin", "C", ("M:D1",)), ("flu", "D", ())]]


def test_ids_that_are_not_there(written):
    for read in (lambda: cc.read(written / "train.jsonl", ids="MESH"), lambda: cc.from_dataset(TRAIN, ids="MESH")):
        with pytest.raises(CleancutError, match="ids='MESH' is neither a field of the entities nor a column"):
            read()
    short = [{**TRAIN[0], "q": ["D1", "D2"]}]
    with pytest.raises(CleancutError, match="1 entities but 2 values with ids in q"):
        cc.from_dataset(short, ids="q")
    with pytest.raises(CleancutError, match="sample 0: 1 entities but 2 values with ids. Give one for each"):
        cc.Corpus.of([["a"]], entities=[[(0, 1, "C")]], entity_ids=[["D1", "D2"]])
    with pytest.raises(CleancutError, match="1 sample but 2 lists of entity ids"):
        cc.Corpus.of([["a"]], entities=[[(0, 1, "C")]], entity_ids=[["D1"], []])


# --- ids follow their mentions ------------------------------------------------------------------------------


@st.composite
def corpora(draw):
    """Draw a corpus with ids, and for each sample what ``ids_of`` should say of it."""
    tokens, spans, ids, whole = [], [], [], []
    for _ in range(draw(st.integers(1, 5))):
        words = draw(st.lists(st.sampled_from("abcd"), min_size=3, max_size=3))
        own = draw(st.lists(st.sampled_from([(0, 1, "X"), (1, 3, "Y"), (0, 2, "Y"), (2, 3, "X")]), unique=True))
        own_ids = [draw(st.lists(st.sampled_from(["1", "2", "3"]), unique=True)) for _ in own]
        tokens.append(words)
        spans.append(own)
        ids.append(own_ids)
        named = zip(own, own_ids, strict=True)
        whole.append(sorted((start, end, label, tuple(sorted(given))) for (start, end, label), given in named))
    expected = [
        [(" ".join(words[start:end]), label, given) for start, end, label, given in own]
        for words, own in zip(tokens, whole, strict=True)
    ]
    return cc.Corpus.of(tokens, entities=spans, entity_ids=ids), expected


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
@given(corpora(), st.integers(1, 5))
def test_ids_are_written_and_read_again(tmp_path_factory, name, drawn, cut):
    pytest.importorskip("pyarrow")
    corpus, expected = drawn
    path = tmp_path_factory.mktemp("written") / name
    batches = [corpus.select(slice(at, at + cut)) for at in range(0, len(corpus), cut)]
    for given_corpus in (corpus, iter(batches)):
        cc.write(given_corpus, path)
        assert cc.read(path).entities() == corpus.entities()
        if any(own for sample in expected for _, _, own in sample):
            assert ids_of(cc.read(path, ids="ids")) == expected


def test_formats_without_a_place_for_ids_say_that_they_are_lost(tmp_path, caplog):
    corpus = cc.Corpus.of([["a"]], entities=[[(0, 1, "X")]], entity_ids=[["1"]])
    without = cc.Corpus.of([["a"]], entities=[[(0, 1, "X")]], entity_ids=[[None]])
    for name, options, place in LOSING:
        caplog.clear()
        cc.write(without, tmp_path / name if name != "brat/" else f"{tmp_path}/without/", **options)
        assert caplog.text == ""
        cc.write(corpus, tmp_path / name if name != "brat/" else f"{tmp_path}/brat/", **options)
        assert f"ids of entities are not written to {place}, which has no place for them." in caplog.text


LOSING = [
    ("a.conll", {}, "CoNLL"),
    ("brat/", {}, "a folder of BRAT"),
    ("a.jsonl", {"scheme": "iob2"}, "a file of tags"),
    ("a.parquet", {"scheme": "iob2"}, "a table of tags"),
]


@pytest.mark.spacy
def test_spacy_says_that_ids_are_lost(tmp_path, caplog):
    corpus = cc.Corpus.of([["a"]], entities=[[(0, 1, "X")]], entity_ids=[["1"]])
    cc.write(corpus, tmp_path / "a.spacy")
    assert "ids of entities are not written to a .spacy file" in caplog.text


def test_a_table_whose_later_samples_alone_have_ids_is_refused(tmp_path):
    corpus = cc.Corpus.of([["a"]], entities=[[(0, 1, "X")]], entity_ids=[["1"]])
    without = cc.Corpus.of([["b"]], entities=[[(0, 1, "X")]])
    with pytest.raises(cc.CleancutError, match="from here on have ids of entities, those before not. Write JSONL"):
        cc.write([without, corpus], tmp_path / "a.parquet")
    cc.write([corpus, without], tmp_path / "a.parquet")
    assert ids_of(cc.read(tmp_path / "a.parquet", ids="ids")) == [[("a", "X", ("1",))], [("b", "X", ())]]


@given(corpora(), st.data())
def test_ids_follow_their_mentions(drawn, data):
    corpus, expected = drawn
    assert ids_of(corpus) == expected
    chosen = data.draw(st.lists(st.integers(0, len(corpus) - 1)))
    assert ids_of(corpus.select(chosen)) == [expected[i] for i in chosen]
    assert ids_of(cc.Corpus.concatenate([corpus.select(chosen), corpus])) == [expected[i] for i in chosen] + expected
    is_x = np.array([corpus.mentions.labels[code] == "X" for code in corpus.mentions.label.tolist()], bool)
    assert ids_of(corpus.keep(is_x)) == [[mention for mention in own if mention[1] == "X"] for own in expected]
    renamed = ids_of(corpus.renamed({"X": "Y"}))
    for before, after in zip(expected, renamed, strict=True):
        ids = {text: {name for other, _, own in after if other == text for name in own} for text, _, _ in before}
        assert all(set(own) <= ids[text] for text, _, own in before)
        assert {label for _, label, _ in after} <= {"Y"}
    assert corpus.with_predictions([[] for _ in range(len(corpus))]).entity_ids is None


def test_mentions_that_are_merged_or_joined_keep_their_ids(tmp_path):
    corpus = cc.Corpus.of([["a"]], entities=[[(0, 1, "X"), (0, 1, "Y")]], entity_ids=[["1", "2"]])
    assert ids_of(corpus.renamed({"X": "Y"})) == [[("a", "Y", ("1", "2"))]]
    equal = cc.Corpus.of([["a"]], entities=[[(0, 1, "X"), (0, 1, "X")]], entity_ids=[["1", "2"]])
    assert ids_of(equal) == [[("a", "X", ("1", "2"))]]
    tweet = cc.Corpus.of([["@", "ada"]], tags=[["B-P", "B-P"]], entity_ids=[[None, "Q7"]])
    assert ids_of(cc.join_at(tweet)) == [[("@ ada", "P", ("Q7",))]]
    cc.write(corpus, tmp_path / "a.jsonl")
    assert ids_of(cc.read(tmp_path / "a.jsonl", ids="ids")) == ids_of(corpus)
    without = cc.Corpus.of([["b"]], entities=[[(0, 1, "X")]])
    assert cc.Corpus.concatenate([corpus, without]).entity_ids is None


# --- what ids relate ----------------------------------------------------------------------------------------


def by_hand(one, others, typed):
    """Return whether a mention has the words or an id of one of others, by the definition."""
    text, label, ids = one
    alike = [(t, i) for t, own_label, i in others if own_label == label or not typed]
    return any(text == t or set(ids) & set(i) for t, i in alike)


def planted(seed, n=40):
    """Return rows with few words and few ids, several to a mention."""
    rng = random.Random(seed)
    rows = []
    for i in range(n):
        spans = [
            {
                "start": k,
                "end": k + 1,
                "label": rng.choice("XY"),
                "q": rng.sample(range(1, 40), rng.choice([0, 0, 1, 2])),
            }
            for k in range(rng.randint(0, 2))
        ]
        rows.append({"tokens": [f"w{rng.randrange(60)}" for _ in range(2)] + [str(i)], "entities": spans})
    return rows


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_scores_audits_and_checks_agree_with_the_definition(seed, typed, tmp_path):
    train, test = (cc.from_dataset(planted(seed + shift), ids="q") for shift in (0, 100))
    shown = [mention for own in ids_of(train) for mention in own]
    asked = [mention for own in ids_of(test) for mention in own]
    expected = [by_hand(mention, shown, typed) for mention in asked]
    index = cc.Exposure.of(train, same="id", typed=typed)
    assert index.view(test).seen.tolist() == expected
    assert cc.clean_f1(test, test, index).n_contaminated == sum(expected)
    assert cc.clean_f1(test, test, cc.Exposure.of(train, typed=typed), same="id").n_contaminated == sum(expected)
    halves = [cc.Exposure.of(train.select(half), same="id", typed=typed) for half in (slice(0, 15), slice(15, None))]
    assert sum(halves).view(test).seen.tolist() == expected
    index.save(tmp_path / "index.npz")
    assert cc.Exposure.load(tmp_path / "index.npz").view(test).seen.tolist() == expected
    audit = cc.audit({"train": train, "test": test}, same="id", typed=typed)
    assert audit.pairs["test", "train"]["n_mentions_contaminated"] == sum(expected)
    names = related_names({"test": test, "train": train}, Key(typed=typed), Same.of("id"))
    assert (names["test", "train"] > 0) is any(expected)


@given(corpora(), corpora(), st.booleans(), st.randoms())
def test_ids_add_to_other_notions_and_order_does_not_matter(drawn, other, typed, rng):
    (train, _), (test, _) = drawn, other

    def seen(same, given=train):
        return cc.Exposure.of(given, same=same, typed=typed).view(test).seen

    by_id = seen("id")
    assert (by_id >= seen("exact")).all()  # a looser notion never makes a mention cleaner
    for same in ("fold", "part", "fold+part", "templates"):
        assert np.array_equal(seen(f"{same}+id"), by_id | seen(same))
    order = list(range(len(train)))
    rng.shuffle(order)
    assert np.array_equal(seen("id", train.select(order)), by_id)
    audit = cc.audit({"train": train, "test": test}, same="id", typed=typed)
    assert audit.pairs["test", "train"]["n_mentions_contaminated"] == by_id.sum()


@pytest.mark.parametrize("same", ["id", "fold+id", "id+part"])
def test_splits_and_folds_share_no_id(same):
    rows = planted(3, n=120)
    plan = cc.mincut(rows, ratios=(60, 20, 20), same=same, ids="q", discard="auto", effort="fast")
    assert plan.guarantee == f"no entity is shared between any two splits (same: {same})"
    assert f"|same:{same}|" in plan.signature and plan.read_as["ids"] == "q" and "--ids q" in plan.command
    corpus = cc.from_dataset(rows, ids="q")
    parts = [ids_of(corpus.select(np.flatnonzero(plan.assignment == i))) for i in range(3)]
    mentions = [[mention for own in part for mention in own] for part in parts]
    assert all(mentions)
    for one, other in combinations(mentions, 2):
        assert not any(by_hand(mention, other, typed=True) for mention in one)
    folds = cc.mincut_folds(rows, k=2, same=same, ids="q", discard="auto", effort="fast")
    assert folds.guarantee == f"no entity is shared between any two folds (same: {same})"


def test_batches_without_ids_beside_others(tmp_path):
    rows = [{**row, "entities": [{**span} for span in row["entities"]]} for row in TRAIN]
    del rows[1]["entities"][0]["mesh"]
    path = tmp_path / "train.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [ids_of(batch) for batch in cc.read_batches(path, 1, ids="mesh")] == [OF_TRAIN[:1], OF_TRAIN[1:]]
    with pytest.raises(CleancutError, match="train.jsonl: ids='MESH' is neither a field"):
        list(cc.read_batches(path, 1, ids="MESH"))


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("same", ["id", "fold+id"])
def test_incidences_with_ids_are_split_as_the_corpus_is(same, typed, tmp_path):
    corpus = cc.from_dataset(planted(5, n=120), ids="q")
    path = tmp_path / "all.parquet"
    cc.write_incidence(corpus, path, same=same, typed=typed)
    options = {"ratios": (60, 20, 20), "discard": "auto", "effort": "fast"}
    plan = cc.mincut(corpus, same=same, typed=typed, **options)
    of_file = cc.mincut(cc.Incidences.load(path), **options)
    loaded = cc.Incidences.load(path)
    hashes = dict(zip(loaded.hash.tolist(), of_file.assignment.tolist(), strict=True))
    assert [hashes[value] for value in sample_hashes(corpus).tolist()] == plan.assignment.tolist()
    assert of_file.leakage["after"] == plan.leakage["after"]
    assert len(loaded.link) == len(corpus.entity_ids.id) and (loaded.link > loaded.entity.max()).all()


def test_incidences_with_more_ids_than_memory_holds_are_refused(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "bomb.parquet"
    rows = {"sample": ["a"], "entity": ["Ada"], "count": [1_000_000], "ids": [[str(i) for i in range(1000)]]}
    parquet.write_table(pa.table(rows), path)
    with pytest.raises(CleancutError, match="a table of the 1000000000 ids of its mentions"):
        cc.Incidences.load(path)
    parquet.write_table(pa.table({**rows, "ids": [[1]]}), path)
    with pytest.raises(CleancutError, match="the column 'ids' holds list<.*>, not lists of texts"):
        cc.Incidences.load(path)


def test_renamed_types_keep_ids():
    train = cc.Corpus.of([["a"]], entities=[[(0, 1, "drug")]], entity_ids=[["1"]])
    test = cc.Corpus.of([["b", "c"]], entities=[[(0, 1, "C"), (1, 2, "C")]], entity_ids=[["1", "2"]])
    score = cc.clean_f1(test, test, cc.Exposure.of(train, same="id"), types={"drug": "C"})
    assert (score.n_contaminated, score.n_clean) == (1, 1)


def test_an_index_is_told_apart_by_its_ids():
    one, other = (
        cc.Exposure.of(cc.Corpus.of([["a"]], entities=[[(0, 1, "X")]], entity_ids=[[name]]), same="id") for name in "12"
    )
    assert one.identity != other.identity and one.under("exact").identity == other.under("exact").identity


def test_notions_without_ids_are_refused(written):
    plain = cc.read(written / "train.jsonl")
    named = cc.read(written / "test.jsonl", ids="mesh")
    needed = "same='id' needs ids of entities"
    for call in (
        lambda: cc.Exposure.of(plain, same="id").view(named).seen,
        lambda: cc.Exposure.of(named, same="id").view(plain).seen,
        lambda: cc.audit({"train": plain, "test": named}, same="id"),
        lambda: cc.mincut({"train": plain, "test": named}, same="id", effort="fast"),
    ):
        with pytest.raises(CleancutError, match=needed):
            call()


# --- all doors ----------------------------------------------------------------------------------------------


def test_commands(written, monkeypatch, capsys):
    monkeypatch.chdir(written)

    def shown(line):
        """Return what a command prints."""
        code, out, err = run(capsys, *line.split())
        assert code == 0, err
        return out

    options = "--same id --ids mesh"
    counts = json.loads(shown(f"audit . {options} --json"))["test_vs_train"]
    assert (counts["n_mentions"], counts["n_mentions_contaminated"]) == (4, sum(SEEN))
    files = "--gold test.jsonl --pred test.jsonl --train train.jsonl"
    scores = json.loads(shown(f"score {files} {options} --json"))["clean_f1"]
    assert scores["n_contaminated"] == sum(SEEN) and "|same:id|" in scores["signature"]
    exact = json.loads(shown(f"score {files} --json"))["clean_f1"]
    assert exact["n_contaminated"] == 1 and "same:" not in exact["signature"]
    of_split = shown(f"split train.jsonl test.jsonl -o out {options} --discard auto --effort fast --ratios 50/50")
    assert "No entity is shared between any two splits (same: id)." in of_split
    curve = shown("split . --frontier --same exact,fold+id --ids mesh --effort fast -o curve --ratios 50/50")
    assert "same fold+id" in curve


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--same id", "--same id needs the ids of entities. Give --ids COL"),
        ("--ids mesh", "--ids mesh has no effect without --same id"),
        ("--same fold --ids mesh", "--ids mesh has no effect without --same id"),
        ("--same id --ids MESH", "ids='MESH' is neither a field of the entities nor a column"),
    ],
)
def test_commands_refuse_what_has_no_effect(written, monkeypatch, capsys, options, message):
    monkeypatch.chdir(written)
    code, _, err = run(capsys, "audit", ".", *options.split())
    assert code and message in err


def test_the_module_and_functions_of_datasets():
    datasets = pytest.importorskip("datasets")
    evaluate = pytest.importorskip("evaluate")
    metric = evaluate.load(cc.metric("clean_f1"))
    train = {"tokens": [["aspirin", "x"]], "tags": [["B-C", "O"]], "entity_ids": [["D1|D2", None]]}
    of_tags = {"predictions": [["B-C", "B-C"]], "references": [["B-C", "B-C"]], "tokens": [["ASA", "y"]]}
    result = metric.compute(**of_tags, entity_ids=[[["D2"], None]], train=train, same="id")
    assert (result["n_contaminated"], result["n_clean"]) == (1, 1) and "|same:id|" in result["signature"]
    spans = [[{"start": 0, "end": 1, "label": "C"}]]
    of_spans = {"predictions": spans, "references": spans, "tokens": [["ASA", "y"]]}
    assert metric.compute(**of_spans, entity_ids=[["D2"]], train=train, same="id")["n_contaminated"] == 1
    with pytest.raises(CleancutError, match="same='id' needs ids of entities"):
        metric.compute(**of_spans, train=train, same="id")
    parts = {
        name: datasets.Dataset.from_list(rows)
        for name, rows in (
            ("train", TRAIN),
            (
                "test",
                [
                    {
                        **row,
                        "entities": [
                            {**span, "mesh": "|".join(span["mesh"]) if isinstance(span["mesh"], list) else span["mesh"]}
                            for span in row["entities"]
                        ],
                    }
                    for row in TEST
                ],
            ),
        )
    }
    assert len(cc.decontaminate(parts["train"], parts["test"], same="id", ids="mesh")) == 0
    assert len(cc.decontaminate(parts["train"], parts["test"])) == 1
    index = cc.Exposure.of(parts["train"], same="id", columns={"ids": "mesh"})
    assert cc.annotate(parts["test"], index, ids="mesh")["seen"][:] == [[False, False, True], [True]]
