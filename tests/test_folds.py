"""Folds: random ones and hardeval over them, clean ones, and the shape that scikit-learn wants."""

import json
import pickle
import random
import shutil
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from searching import few_moves
from strategies import examples
from test_exposure import corpora
from test_splitting import CORNERS, mixed_corpus

from cleancut import (
    CleancutError,
    CleanCutSplit,
    Corpus,
    Exposure,
    Folds,
    audit,
    hardeval,
    hardeval_folds,
    kfold,
    mincut_folds,
    read,
    write,
)
from cleancut.cli import main

SHARED_NOTHING = "no entity is shared between any two folds"


def check_partition(folds: Folds, n: int) -> None:
    """Every sample that is not discarded is tested once, and trained on in all other folds."""
    tested = np.concatenate([test for _, test in folds])
    assert sorted(tested.tolist()) == np.flatnonzero(folds.assignment >= 0).tolist()
    assert len(folds.assignment) == n == len(tested) + folds.n_discarded
    for train, test in folds:
        assert sorted([*train.tolist(), *test.tolist()]) == sorted(tested.tolist())


def check_counts(folds: Folds, corpus: Corpus) -> None:
    """What the folds say of themselves is what the audit finds between each fold and the others."""
    for (train, test), row in zip(folds, folds.statistics):
        pair = audit({"train": corpus.select(train), "test": corpus.select(test)}).pairs["test", "train"]
        shared = ["n_samples", "n_empty", "n_partial", "n_mentions", "n_mentions_contaminated", "n_entities"]
        assert {name: row[name] for name in shared} == {name: pair[name] for name in shared}
        assert row["n_entities_contaminated"] == pair["n_entities_contaminated"]
        assert sum(row["type_counts"].values()) == row["n_mentions"]


# --- random folds -----------------------------------------------------------------------------------------


@examples(60)
@given(corpora(max_samples=14, nested=True), st.integers(2, 5), st.integers(0, 3))
def test_random_folds(corpus, k, seed):
    if k > len(corpus):
        with pytest.raises(CleancutError, match=f"{k} folds of {len(corpus)} sample"):
            kfold(corpus, k)
        return
    folds = kfold(corpus, k, seed=seed)
    check_partition(folds, len(corpus))
    check_counts(folds, corpus)
    sizes = [len(test) for _, test in folds]
    assert len(folds) == k and max(sizes) - min(sizes) <= 1
    assert folds.assignment.tolist() == kfold(corpus, k, seed=seed).assignment.tolist()


def test_random_folds_depend_on_the_seed_and_not_on_the_order():
    corpus = mixed_corpus(200)
    one = kfold(corpus, 5)
    order = random.Random(1).sample(range(200), 200)
    words = [" ".join(words) for words in corpus.tokens()]
    once = [i for i in range(200) if words.count(words[i]) == 1]  # of copies, any may be where another was
    moved = dict(zip(order, kfold(corpus.select(order), 5).assignment.tolist()))
    assert [moved[i] for i in once] == one.assignment[once].tolist()
    assert kfold(corpus, 5, seed=14).assignment.tolist() != one.assignment.tolist()


@pytest.mark.slow
def test_documents_stay_whole():
    corpus = mixed_corpus(200)
    docs = [str(i // 7) for i in range(200)]
    corpus = Corpus.of(corpus.tokens(), entities=corpus.entities(), docs=docs)
    for folds in (kfold(corpus, 4, unit="doc"), mincut_folds(corpus, 4, unit="doc", effort="fast")):
        check_partition(folds, 200)
        of_doc = {}
        for doc, fold in zip(docs, folds.assignment.tolist()):
            of_doc.setdefault(doc, set()).add(fold)
        assert all(len(found) == 1 for found in of_doc.values())
    sizes = [len(test) for _, test in kfold(corpus, 4, unit="doc")]
    assert max(sizes) - min(sizes) <= 7
    with pytest.raises(CleancutError, match="30 folds of 29 documents"):
        kfold(corpus, 30, unit="doc")
    with pytest.raises(CleancutError, match="no document ids"):
        kfold(mixed_corpus(20), 4, unit="doc")


# --- hardeval over folds ------------------------------------------------------------------------------------


@pytest.mark.parametrize("strict", [False, True])
def test_counts_are_summed_over_folds_before_they_are_divided(strict, reader):
    gold, pred = reader("wnut17/test"), reader("wnut17/pred/sub_uh_ritual")
    folds = kfold(gold, 4)
    pooled = hardeval_folds(gold, pred, folds, strict)
    n, wrong = {}, {}
    for train, test in folds:
        score = hardeval(gold.select(test), pred.select(test), Exposure.of(gold.select(train)), strict)
        for name in ("all", "unseen", "diff", "unseen_i", "diff_e", "other"):
            n[name] = n.get(name, 0) + score[f"n_{name}"]
            wrong[name] = wrong.get(name, 0) + score[f"errors_{name}"]
    assert n["all"] == gold.n_tokens
    assert {name: pooled[f"n_{name}"] for name in n} == n
    assert {name: pooled[f"errors_{name}"] for name in n} == wrong
    assert pooled.hardeval == (wrong["unseen"] / n["unseen"] + wrong["diff"] / n["diff"]) / 2
    assert "|train:4-fold," in pooled.signature
    assert hardeval_folds(gold, gold, folds).errors_all == 0


def test_unseen_and_diff_by_hand():
    """With a fold for each sample, a word is unseen if no other sample has it."""
    tokens = [["Ada", "ran"], ["Ada", "sat"], ["Ada", "ran"], ["Bo", "ran"]]
    corpus = Corpus.of(tokens, tags=[["B-PER", "O"], ["B-PER", "O"], ["O", "O"], ["B-PER", "O"]])
    score = hardeval_folds(corpus, [["O", "O"]] * 4, kfold(corpus, 4))
    # unseen: sat, Bo. diff: the Ada that is O, where others are I twice; the two others are I once, O once, a tie
    assert (score.n_unseen_o, score.n_unseen_i, score.n_diff_o, score.n_diff_i) == (1, 1, 1, 0)
    assert (score.ter_unseen, score.ter_diff, score.ter) == (0.5, 0.0, 3 / 8)


def test_predictions_and_folds_must_be_of_the_corpus():
    corpus = mixed_corpus(60)
    folds = kfold(corpus, 3)
    with pytest.raises(CleancutError, match="the folds are of 60 samples, and not of the 50"):
        hardeval_folds(corpus.select(slice(0, 50)), corpus, folds)
    with pytest.raises(CleancutError, match="60 gold samples but 50 predicted"):
        hardeval_folds(corpus, corpus.select(slice(0, 50)), folds)
    score = hardeval_folds(corpus, corpus, folds, ci=100)
    assert score.ter_low == 0.0 and 0 < score.ter_high < 0.1  # without an error, Wilson's interval
    clean = mincut_folds(corpus, 3, discard="auto", effort="fast")  # clean folds are scored in the same way
    assert hardeval_folds(corpus, corpus, clean).n_all == corpus.select(clean.assignment >= 0).n_tokens


def test_command(tmp_path, capsys):
    gold = mixed_corpus(120)
    write(gold, tmp_path / "gold.conll")
    write(gold.keep(np.arange(len(gold.mentions)) % 3 > 0), tmp_path / "system.jsonl")
    command = ["hardeval-folds", "--gold", str(tmp_path / "gold.conll"), "-k", "4"]
    assert main([*command, "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "by what the other folds show" in said and "Written to" in said
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert len(manifest["files"]) == 8 and manifest["k"] == 4
    for row, (train, test) in zip(manifest["folds"], kfold(gold, 4)):
        parts = [read(tmp_path / "out" / row[part]).tokens() for part in ("train", "test")]
        assert parts == [gold.select(train).tokens(), gold.select(test).tokens()]
    files = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert main([*command, "-o", str(tmp_path / "out"), "--pred", str(tmp_path / "system.jsonl"), "--json"]) == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == files
    printed = json.loads(capsys.readouterr().out)
    expected = hardeval_folds(gold, read(tmp_path / "system.jsonl"), kfold(gold, 4))
    assert printed["hardeval"]["system"]["hardeval"] == pytest.approx(expected.hardeval)
    assert main([*command, "--pred", str(tmp_path / "system.jsonl"), "--ci", "50"]) == 0
    assert "95% intervals" in capsys.readouterr().out
    for wrong in (["-k", "1"], ["-k", "200"], ["--ci", "9"], ["--format", "conll"], ["--unit", "doc"]):
        assert main([*command, *wrong]) == 2
        assert capsys.readouterr().err.count("\n") == 1


# --- clean folds ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wikigold(corpora):
    return read(corpora / "wikigold" / "train.jsonl")


@pytest.mark.slow
def test_clean_folds_share_little_and_are_representative(wikigold):
    chance, folds = kfold(wikigold, 5), mincut_folds(wikigold, 5, effort="fast")
    check_partition(folds, len(wikigold))
    check_counts(folds, wikigold)
    by_chance, shared = (sum(row["n_partial"] for row in found.statistics) for found in (chance, folds))
    assert folds.n_discarded == 0 and shared < by_chance / 4
    assert folds.guarantee == f"{shared} of {len(wikigold)} samples share an entity with another fold"
    for row in folds.statistics:
        assert abs(row["n_samples"] / len(wikigold) - 0.2) <= 0.0035
        assert 0.9 <= row["entities_per_sample_ratio"] <= 1.1
        assert row["entity_bearing_ratio"] == pytest.approx(1, abs=0.01)
        assert min(row["type_counts"].values()) >= 20
    assert folds.assignment.tolist() == mincut_folds(wikigold, 5, effort="fast").assignment.tolist()


@pytest.mark.slow
def test_nothing_is_shared_where_samples_may_be_set_aside(wikigold):
    folds = mincut_folds(wikigold, 5, discard="auto")
    assert folds.guarantee == SHARED_NOTHING and 0 < folds.n_discarded < 0.05 * len(wikigold)
    parts = {f"fold-{i}": wikigold.select(test) for i, (_, test) in enumerate(folds)}
    assert not any(row["n_partial"] for row in audit(parts).pairs.values())
    kept = len(wikigold) - folds.n_discarded
    for row in folds.statistics:
        assert abs(row["n_samples"] / kept - 0.2) <= 0.0035
        assert 0.9 <= row["entities_per_sample_ratio"] <= 1.1


def test_a_sample_that_no_fold_has_room_for_is_kept():
    """Where entity-less samples fill all folds but for a part of a sample each."""
    corpus = Corpus.of([["Ada"], ["ada"], ["Ada"] * 2, ["Ada"] * 3], tags=[["B-PER"], ["O"], ["O"] * 2, ["O"] * 3])
    folds = mincut_folds(corpus, 3, effort="fast")
    assert folds.n_discarded == 0 and sorted(row["n_samples"] for row in folds.statistics) == [1, 1, 2]


@examples(25)
@given(corpora(max_samples=14, nested=True), st.integers(2, 4), st.sampled_from([0, "auto"]))
@few_moves()
def test_laws_of_clean_folds(corpus, k, discard):
    try:
        folds = mincut_folds(corpus, k, discard=discard, effort="fast")
    except CleancutError as error:
        assert f"{k} folds of {len(corpus)} sample" in str(error) or "would be empty" in str(error)
        if discard == 0:  # only copies can make a fold empty
            assert len({tuple(words) for words in corpus.tokens()}) < 2 * k
        return
    check_partition(folds, len(corpus))
    check_counts(folds, corpus)
    words = {}
    for tokens, fold in zip(corpus.tokens(), folds.assignment.tolist()):
        words.setdefault(tuple(tokens), set()).add(fold)
    assert all(len(found) == 1 for found in words.values())  # duplicates stay together
    if discard == "auto":
        assert folds.guarantee == SHARED_NOTHING
    else:
        assert folds.n_discarded == 0


@pytest.mark.slow
@pytest.mark.parametrize("case", CORNERS)
@pytest.mark.parametrize("discard", [0, "auto"])
@few_moves()
def test_corner_cases(case, discard):
    corpus = CORNERS[case]
    few = case in ("a single sample", "two samples", "an empty sample", "duplicates", "non-ASCII")
    if few or (discard and case in ("one entity in every sample", "nested")):
        try:
            folds = mincut_folds(corpus, 5, discard=discard, effort="fast")
        except CleancutError as error:
            assert "would be empty" in str(error) or "5 folds of" in str(error)
            return
    else:
        folds = mincut_folds(corpus, 5, discard=discard, effort="fast")
    check_partition(folds, len(corpus))
    if discard:
        assert folds.guarantee == SHARED_NOTHING
    else:
        sizes = [len(test) for _, test in folds]
        assert max(sizes) - min(sizes) <= max(2, 0.0035 * len(corpus)), sizes


def test_an_entity_that_no_fold_can_hold_is_shared_evenly():
    tags = [["B-P", "O"]] * 60 + [["B-P", "O"]] * 40
    corpus = Corpus.of([["Ada", f"w{i}"] for i in range(60)] + [[f"n{i}", "x"] for i in range(40)], tags=tags)
    folds = mincut_folds(corpus, 5, effort="fast")
    assert [len(test) for _, test in folds] == [20] * 5
    assert sum(row["n_partial"] for row in folds.statistics) == 60  # and nobody else


def test_the_order_of_rows_does_not_matter():
    corpus = mixed_corpus(150)
    order = random.Random(1).sample(range(150), 150)
    one, other = mincut_folds(corpus, 3, effort="fast"), mincut_folds(corpus.select(order), 3, effort="fast")
    assert one.assignment[order].tolist() == other.assignment.tolist()


@few_moves()
def test_datasets_and_documents_of_sentences():
    datasets = pytest.importorskip("datasets")
    corpus = mixed_corpus(90)
    ds = datasets.Dataset.from_dict({"tokens": corpus.tokens(), "tags": corpus.tags()})
    folds = mincut_folds(ds, 3, effort="fast")
    assert folds.assignment.tolist() == mincut_folds(corpus, 3, effort="fast").assignment.tolist()
    assert len(ds.select(folds[0].train)) + len(ds.select(folds[0].test)) == 90
    sentences = [{"words": w, "named_entities": t} for w, t in zip(corpus.tokens(), corpus.tags())]
    rows = [{"sentences": sentences[i : i + 3]} for i in range(0, 90, 3)]
    folds = kfold(rows, 3, unit="doc")
    assert len(folds.assignment) == 30 and [len(test) for _, test in folds] == [10] * 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 1}, "k=1"), ({"k": 2.5}, "k=2.5"), ({"k": True}, "k=True"), ({"k": 100}, "100 folds of 40|at most 99"),
        ({"discard": 0.1}, "discard=0.1"), ({"discard": "all"}, "discard='all'"), ({"seed": -1}, "seed=-1"),
        ({"representative": 7}, "representative=7"), ({"unit": "doc"}, "no document ids"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused(options, message):
    with pytest.raises(CleancutError, match=message):
        mincut_folds(mixed_corpus(40), **options)
    if set(options) <= {"k", "seed", "unit"}:
        with pytest.raises(CleancutError):
            kfold(mixed_corpus(40), **options)


# --- scikit-learn -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def task():
    """Samples with entities, a matrix and labels to learn."""
    rng = random.Random(5)
    names = [f"n{i}" for i in range(60)]
    entities = [set(rng.sample(names, rng.randint(0, 2))) for _ in range(150)]
    X = np.array([[rng.random(), rng.random()] for _ in entities])
    return X, (X[:, 0] > 0.5).astype(int), entities


@pytest.mark.slow
@few_moves()
def test_scikit_learns_splitter(task):
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, check_cv, cross_val_predict, cross_val_score, cross_validate

    X, y, entities = task
    cv = CleanCutSplit(n_splits=3, effort="fast")
    assert check_cv(cv) is cv and cv.get_n_splits(X, y, entities) == 3
    model = LogisticRegression()
    found = cross_validate(model, X, y, groups=entities, cv=cv, return_indices=True)
    assert sorted(np.concatenate(found["indices"]["test"]).tolist()) == list(range(150))
    for train, test in zip(found["indices"]["train"], found["indices"]["test"]):
        assert not set(train.tolist()) & set(test.tolist()) and len(train) + len(test) == 150
    assert len(cross_val_score(model, X, y, groups=entities, cv=cv)) == 3
    assert len(cross_val_predict(model, X, y, groups=entities, cv=cv)) == 150
    search = GridSearchCV(model, {"C": [0.1, 1.0]}, cv=cv).fit(X, y, groups=entities)
    assert search.n_splits_ == 3
    copies = [clone(cv), pickle.loads(pickle.dumps(cv)), clone(search).cv]
    assert all(copy == cv and copy is not cv and repr(copy) == repr(cv) for copy in copies)
    assert search.set_params(cv__n_splits=2).cv.n_splits == 2
    assert repr(CleanCutSplit(4)).startswith("CleanCutSplit(n_splits=4, random_state=13, discard=0")


@pytest.mark.slow
@few_moves()
def test_scikit_learns_metadata_routing(task):
    sklearn = pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, cross_validate

    X, y, entities = task
    cv = CleanCutSplit(n_splits=3, effort="fast")
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_validate(LogisticRegression(), X, y, params={"groups": entities}, cv=cv, return_indices=True)
        GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=cv).fit(X, y, groups=entities)
    expected = [test.tolist() for _, test in cv.split(X, y, entities)]
    assert [test.tolist() for test in found["indices"]["test"]] == expected


@pytest.mark.slow
def test_entities_may_be_any_keys_and_runs_agree(task):
    X, _, entities = task
    expected = [test.tolist() for _, test in CleanCutSplit(3, effort="fast").split(X, groups=entities)]
    for other in (
        [[(name, "PER") for name in found] * 2 for found in entities],
        [frozenset(int(name[1:]) for name in found) for found in entities],
    ):
        assert [t.tolist() for _, t in CleanCutSplit(3, effort="fast").split(X, groups=other)] == expected
    code = (
        "import random, sys, cleancut\n"
        f"groups = {[sorted(found) for found in entities]!r}\n"
        "split = cleancut.CleanCutSplit(3, effort='fast').split(groups, groups=[set(g) for g in groups])\n"
        "print([test.tolist() for _, test in split])\n"
        "assert 'sklearn' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == expected  # whatever the order of a set is there


@few_moves()
def test_clean_splits_and_bad_groups(task):
    X, _, entities = task
    splits = list(CleanCutSplit(3, discard="auto", effort="fast").split(X, groups=entities))
    for train, test in splits:
        assert not set().union(*(entities[i] for i in train)) & set().union(*(entities[i] for i in test))
    for wrong, message in (
        (None, "groups= is missing"), (entities[:9], "150 samples but 9 groups"), (["Ada"] * 150, r"groups\[0\]"),
        ([3] * 150, r"groups\[0\] is 3"), ([[[]]] * 150, "unhashable"),
    ):  # fmt: skip
        with pytest.raises(CleancutError, match=message):
            CleanCutSplit(3).split(X, groups=wrong)
    with pytest.raises(CleancutError, match="k=1"):
        CleanCutSplit(1).split(X, groups=entities)
    with pytest.raises(CleancutError, match="no 'folds'"):
        CleanCutSplit().set_params(folds=3)


# --- on the command line --------------------------------------------------------------------------------


def test_the_command_writes_the_folds_of_the_function(tmp_path, capsys):
    corpus = mixed_corpus(90)
    write(corpus, tmp_path / "corpus.conll")
    out = tmp_path / "folds"
    given = ["split", str(tmp_path / "corpus.conll"), "-o", str(out), "--folds", "3", "--effort", "fast"]
    assert main([*given, "--discard", "auto", "--json"]) == 0
    wanted = mincut_folds(read(tmp_path / "corpus.conll"), 3, discard="auto", effort="fast")
    shown = json.loads(capsys.readouterr().out)
    assert {name: shown[name] for name in wanted.to_dict()} == json.loads(json.dumps(wanted.to_dict()))
    for fold in range(3):
        train, test = (read(out / f"fold-{fold}.{part}.jsonl") for part in ("train", "test"))
        assert audit({"train": train, "test": test}).pairs["test", "train"]["n_partial"] == 0
    assert main([*given, "--format", "conll", "--overwrite"]) == 0
    assert "share an entity" in capsys.readouterr().out and (out / "fold-2.test.conll").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--folds", "1"], "--folds=1 is out of range"),
        (["--folds", "3", "--ratios", "80/20"], "--ratios has no effect with --folds"),
        (["--folds", "3", "--frontier"], "--frontier has no effect with --folds"),
        (["--folds", "3", "--discard", "0.1"], "Give 0 or 'auto'"),
        (["--folds", "3", "--key", "pair"], "--key pair: folds are cut by entities"),
        (["--folds", "3", "--engine", "spark"], "--engine has no effect with --folds"),
        (["--folds", "3", "--format", "input"], "--format input has no effect with --folds"),
    ],
)
def test_options_that_folds_do_not_have_are_refused(tmp_path, capsys, options, message):
    write(mixed_corpus(90), tmp_path / "corpus.jsonl")
    assert main(["split", str(tmp_path / "corpus.jsonl"), "-o", str(tmp_path / "folds"), *options]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and not (tmp_path / "folds").exists()


@pytest.mark.parametrize("file", ["fold-2.test.jsonl", "manifest.json"])
def test_files_in_the_way_of_folds_are_told_before_the_search(tmp_path, capsys, monkeypatch, file):
    write(mixed_corpus(90), tmp_path / "corpus.jsonl")
    out = tmp_path / "folds"
    given = ["split", str(tmp_path / "corpus.jsonl"), "-o", str(out), "--folds", "3", "--effort", "fast"]
    assert main(given) == 0 and main(given) == 0  # what cleancut wrote is not in the way
    if file == "manifest.json":
        shutil.rmtree(out)
        out.mkdir()
    (out / file).write_text("mine")
    capsys.readouterr()
    with monkeypatch.context() as patched:
        patched.setattr("cleancut.cli.split.mincut_folds", None)  # is not called
        assert main(given) == 2
    error = capsys.readouterr().err
    assert f"{out / file} is not" in error and "would be lost" in error and error.count("\n") == 1
    assert (out / file).read_text() == "mine"
    assert main([*given, "--overwrite"]) == 0


def test_folds_of_one_sample_are_told_what_they_need():
    one = Corpus.of([["a"]], tags=[["O"]])
    with pytest.raises(CleancutError, match="2 folds of 1 sample: some would be empty. Give at least 2 samples."):
        mincut_folds(one, 2)
    with pytest.raises(CleancutError, match="3 folds of 2 samples: some would be empty. Give at most 2 folds."):
        kfold(Corpus.of([["a"], ["b"]], tags=[["O"], ["O"]]), 3)
