"""The demo, the text it generates and the taggers it trains."""

import hashlib
import os
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from cleancut import Corpus, Exposure, SplitPlan, audit, clean_f1, cli, exact_f1, read
from cleancut.demo.sampletext import generate
from cleancut.demo.taggers import LookUp, Perceptron

TYPES = {"PER", "LOC", "ORG", "DISEASE", "CHEMICAL"}


@pytest.fixture(scope="module")
def text():
    return generate(2000)


@pytest.fixture(scope="module")
def parts(text):
    return text.select(slice(0, 1200)), text.select(slice(1200, 1600))


# --- the text -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_text_and_training_are_the_same_on_every_machine(hash_seed):
    """The digest was taken once. Strings hash differently in each process, which must not matter."""
    code = (
        "from cleancut.demo.sampletext import generate\n"
        "from cleancut.demo.taggers import Perceptron\n"
        "corpus = generate(300)\n"
        "found = Perceptron(corpus.select(slice(0, 200)), epochs=2).tag(corpus.select(slice(200, 300)))\n"
        "print(corpus.tokens(), corpus.entities(), found.entities())\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONIOENCODING": "utf-8"}
    out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout
    assert hashlib.sha256(out.strip()).hexdigest()[:16] == "c8d9d87ed92f16c4"


def test_the_text_has_all_types_and_sentences_without_any(text):
    counts = Counter(text.mentions.labels[label] for label in text.mentions.label)
    assert set(counts) == TYPES and min(counts.values()) > 0.1 * max(counts.values())
    assert 0.15 < sum(not spans for spans in text.entities()) / len(text) < 0.3
    assert 6 < text.n_tokens / len(text) < 20


def test_few_names_are_common_and_most_are_rare(text):
    counts = Counter(zip(text.texts(), text.mentions.label.tolist()))
    assert sum(n == 1 for n in counts.values()) > 0.5 * len(counts)
    assert sum(n for _, n in counts.most_common(50)) > 0.25 * len(text.mentions)


def test_names_are_ambiguous(text):
    types = {}
    for name, label in zip(text.texts(), text.mentions.label.tolist()):
        types.setdefault(name, set()).add(label)
    assert sum(len(found) > 1 for found in types.values()) > 50


def test_sentences_are_varied_and_complete(text):
    sentences = [" ".join(words) for words in text.tokens()]
    assert len(set(sentences)) > 0.95 * len(sentences)
    assert not any(c in sentence for sentence in sentences for c in "{}[]|")
    spanish = sum(bool({"el", "la", "los", "las", "de", "un"} & set(words)) for words in text.tokens())
    assert 0.2 < spanish / len(text) < 0.45
    assert generate(5, seed=1).tokens() != generate(5, seed=2).tokens()


# --- the taggers ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_perceptron_finds_names_that_a_look_up_cannot(parts):
    train, test = parts
    shown = Exposure.of(train)
    remembered, learned = LookUp(train).tag(test), Perceptron(train, epochs=3).tag(test)
    assert clean_f1(test, remembered, shown).clean_recall == 0
    assert clean_f1(test, learned, shown).clean_recall > 0.6
    assert exact_f1(test, learned).f1 > exact_f1(test, remembered).f1 > 0.6
    assert exact_f1(test, remembered).f1 == clean_f1(test, learned, shown).memorisation_f1


@pytest.mark.slow
def test_what_was_learned_is_reproduced(parts):
    train, test = parts
    few = train.select(slice(0, 200))
    assert exact_f1(few, Perceptron(few, epochs=8).tag(few)).f1 > 0.97
    again = [Perceptron(few, epochs=2, seed=seed).tag(test).mentions for seed in (1, 1, 2)]
    assert again[0] == again[1] != again[2]


words = st.sampled_from(["Ada", "Bo", "spoke", "to", "Oslo", "2-1", "."])
tagged = st.lists(
    st.lists(st.tuples(words, st.sampled_from(["O", "B-PER", "I-PER", "B-LOC"])), min_size=1, max_size=5), min_size=1
)


@examples(30)
@given(tagged, st.lists(st.lists(words, min_size=1, max_size=6), min_size=1, max_size=4))
def test_taggers_find_well_formed_mentions_of_the_types_they_were_shown(samples, tokens):
    tags = [[tag for _, tag in sample] for sample in samples]
    train = Corpus.of([[word for word, _ in sample] for sample in samples], tags=tags)
    text = Corpus.of(tokens, entities=[[] for _ in tokens])
    for tagger in (LookUp(train), Perceptron(train, epochs=2)):
        found = tagger.tag(text)
        assert found.tokens() == tokens and set(found.mentions.labels) <= set(train.mentions.labels)
        assert exact_f1(text, found).n_repaired_pred == 0


def test_progress_adds_up_to_the_whole(parts):
    told = []
    Perceptron(parts[0].select(slice(0, 20)), epochs=4, progress=told.append)
    assert sum(told) == pytest.approx(1.0)


# --- the demo -------------------------------------------------------------------------------------------


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def rows(output):
    """The values of each tagger on each split."""
    lines = [line.rsplit(maxsplit=6) for line in output.splitlines() if line.startswith(("look-up, ", "perceptron, "))]
    return {name: [float(value) for value in values] for name, *values in lines}


@pytest.mark.slow
def test_the_demo_shows_f1_fall(demo_run):
    _, out = demo_run
    assert max(map(len, out.splitlines())) <= 80 and "\x1b" not in out
    found = rows(out)
    assert list(found) == ["look-up, random", "look-up, clean", "perceptron, random", "perceptron, clean"]
    for tagger in ("look-up", "perceptron"):
        at_random, clean = found[f"{tagger}, random"], found[f"{tagger}, clean"]
        assert at_random[0] > clean[0] + 5
        assert at_random[0] == pytest.approx(at_random[2] + at_random[3], abs=0.02)  # clean F1 + delta F1
        assert clean[2] == clean[0] and clean[3] == 0  # all is new there
    assert found["look-up, clean"][0] == 0 and found["perceptron, clean"][0] > 60


@pytest.mark.slow
def test_the_demo_is_the_same_each_time(demo_run, capsys, tmp_path, monkeypatch):
    folder, out = demo_run
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # the second time over the files of the first
        assert cli.main(["demo"]) == 0
        assert capsys.readouterr().out == out
        assert files(tmp_path / "cleancut-demo") == files(folder)


@pytest.mark.slow
def test_the_demo_leaves_what_it_scored(demo_run, capsys, monkeypatch):
    folder, out = demo_run
    for split, at in (("random", folder), ("clean", folder / "clean")):
        train, test = read(at / "train.conll"), read(at / "test.conll")
        for tagger, file in (("look-up", "lookup"), ("perceptron", "perceptron")):
            score = clean_f1(test, read(at / f"{file}.conll"), Exposure.of(train))
            shown = rows(out)[f"{tagger}, {split}"]
            assert [round(100 * score[name], 2) for name in ("f1", "clean_f1", "delta_f1")] == [shown[0], *shown[2:4]]
    plan = SplitPlan.load(folder / "clean" / "plan.json")
    clean = {name: read(folder / "clean" / f"{name}.conll") for name in plan.names}
    assert plan.sizes == {name: len(part) for name, part in clean.items()}
    assert not any(row["n_partial"] for row in audit(clean).pairs.values())
    monkeypatch.chdir(folder)
    commands = [line.split()[1:] for line in out.splitlines() if line.startswith("  cleancut ") and "org/" not in line]
    assert [command[0] for command in commands] == ["score", "audit"]
    for command in commands:
        assert cli.main(command) == 0
    assert "test in train" in capsys.readouterr().out
