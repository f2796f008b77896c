"""The contamination ladder: Algorithm 1 as pinned, laws of its rungs, files that are the same on every run."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples
from test_exposure import corpora

from cleancut import CleancutError, Corpus, Exposure, ladder, read, write
from cleancut.cli import main
from cleancut.demo.story import generate

TRAIN, TEST = generate(300, 5), generate(90, 5)


def keys(corpus):
    """The entities of each sample, the slow way."""
    rows = zip(corpus.tokens(), corpus.entities())
    return [{(tuple(words[s["start"] : s["end"]]), s["label"]) for s in spans} for words, spans in rows]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wnut17", "bc5cdr", "crossner_ai"])
def test_algorithm_1(name, corpora):
    """Word for word as DEFINITIONS has it, on strings and sets."""
    train, test = (read(corpora / name / f"{split}.jsonl") for split in ("train", "test"))
    shown, of_sample = set().union(*keys(test)), keys(train)
    clean = [i for i, entities in enumerate(of_sample) if not entities & shown]
    contaminated = [i for i, entities in enumerate(of_sample) if entities & shown]
    if not contaminated:
        with pytest.raises(CleancutError, match=f"0 of {len(train)} training samples share"):
            ladder(train, test)  # WNUT17 shares nothing
        return
    found = ladder(train, test)
    assert len(found) == 55 and (found.n_clean, found.n_contaminated) == (len(clean), len(contaminated))
    n = min(len(clean), len(contaminated))
    for rung, (g, seed) in zip(found, [(g, seed) for g in range(0, 101, 10) for seed in range(5)]):
        rng = random.Random(seed)
        n_clean = round(n * (1 - g / 100))
        drawn = rng.sample(clean, n_clean)
        drawn += rng.sample(contaminated, n - n_clean)
        assert (rung.level, rung.seed, rung.rows.tolist()) == (g, seed, sorted(drawn))


@examples(60)
@given(corpora(max_samples=12, nested=True), corpora(max_samples=6, nested=True), st.integers(0, 9))
def test_laws(train, test, seed):
    exposure = Exposure.of(test)
    try:
        found = ladder(train, test, levels=(0, 12.5, 50, 100), seeds=[seed])
    except CleancutError as error:
        assert "a ladder needs clean and contaminated samples" in str(error)
        seen = exposure.view(train).seen
        assert not seen.any() or len(set(train.mentions.sample[seen].tolist())) == len(train)
        return
    n = min(found.n_clean, found.n_contaminated)
    assert found.n_clean + found.n_contaminated == len(train)
    for rung in found:
        part, row = train.select(rung.rows), rung.to_dict()
        seen = exposure.view(part).seen
        assert len(part) == n == row["n_samples"] and len(set(rung.rows.tolist())) == n
        assert row["n_samples_contaminated"] == len(set(part.mentions.sample[seen].tolist()))
        assert abs(row["n_samples_contaminated"] - n * rung.level / 100) <= 0.5
        assert (row["n_mentions"], row["n_mentions_contaminated"]) == (len(part.mentions), int(seen.sum()))
    lowest, highest = found.rungs[0].to_dict(), found.rungs[-1].to_dict()
    assert lowest["n_samples_contaminated"] == lowest["n_mentions_contaminated"] == 0
    assert highest["rate_samples"] == 1.0


def test_sets_of_a_seed_are_draws_of_their_own():
    """The algorithm draws anew at each level: it does not say that rungs are nested, and they are not."""
    clean = [set(rung.rows.tolist()) for rung in ladder(TRAIN, TEST, seeds=1)]
    assert any(not a - b <= b for a, b in zip(clean[1:-1], clean[2:-1]))
    one, two = ladder(TRAIN, TEST, levels=[50], seeds=[3]), ladder(TRAIN, TEST, seeds=5)
    assert one.rungs[0].fingerprint == next(r for r in two if (r.level, r.seed) == (50, 3)).fingerprint


def test_written_together_and_the_same_on_every_run(tmp_path):
    found = ladder(TRAIN, TEST, levels="0:100:50", seeds=2)
    for folder in ("a", "b"):
        found.write(TRAIN, str(tmp_path / folder))
    files = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "b").iterdir()}
    assert len(files) == 7
    manifest = json.loads(files["manifest.json"])
    for row, rung in zip(manifest["rungs"], found):
        part = read(tmp_path / "a" / row["file"])
        assert part.tokens() == TRAIN.select(rung.rows).tokens() and len(part.mentions) == row["n_mentions"]
    (tmp_path / "a" / "mine.txt").write_text("keep me")
    ladder(TRAIN, TEST, levels=[0], seeds=1).write(TRAIN, str(tmp_path / "a"))  # takes the place of the larger one
    assert {path.name for path in (tmp_path / "a").iterdir()} == {"ladder-0-s0.jsonl", "manifest.json", "mine.txt"}
    with pytest.raises(CleancutError, match="not of these 90 samples"):
        found.write(TEST, str(tmp_path / "c"))
    assert not (tmp_path / "c").exists()
    nested = Corpus.of([["a", "b"], ["c", "d"]], entities=[[(0, 2, "X"), (0, 1, "Y")], [(0, 1, "Z")]])
    other = ladder(nested, nested.select([0]), levels=[100], seeds=1)
    with pytest.raises(CleancutError, match="overlap"):
        other.write(nested, str(tmp_path / "b"), format="conll")  # half way: what was there stays
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "b").iterdir()}


def test_datasets_are_selected():
    datasets = pytest.importorskip("datasets")
    ds = datasets.Dataset.from_dict({"tokens": TRAIN.tokens(), "tags": TRAIN.tags(), "extra": range(len(TRAIN))})
    found = ladder(ds, TEST, levels=[30], seeds=1)
    assert ds.select(found.rungs[0].rows)["extra"][:] == found.rungs[0].rows.tolist()
    assert [r.rows.tolist() for r in found] == [r.rows.tolist() for r in ladder(TRAIN, TEST, levels=[30], seeds=1)]
    rows = [{"sentences": [{"words": ["Ada"], "named_entities": ["B-PER"]}] * 2}]
    with pytest.raises(CleancutError, match="the rows of train hold several samples"):
        ladder(rows, TEST)


def test_the_key_decides():
    train = Corpus.of([["ada"], ["Ada"], ["Bo"]], tags=[["B-PER"], ["B-LOC"], ["B-PER"]])
    test = Corpus.of([["Ada"]], tags=[["B-PER"]])
    with pytest.raises(CleancutError):
        ladder(train, test)
    assert ladder(train, test, typed=False, levels=[100], seeds=1).rungs[0].rows.tolist() == [1]
    assert ladder(train, test, case=False, levels=[100], seeds=1).rungs[0].rows.tolist() == [0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"levels": "0:100"}, {"levels": "a"}, {"levels": [120]}, {"levels": []}, {"levels": "0:100:0"}, {"levels": 7},
        {"levels": "100:0:10"}, {"levels": ["x"]}, {"seeds": 0}, {"seeds": [-1]}, {"seeds": 1.5},
    ],
)  # fmt: skip
def test_bad_settings_are_refused(wrong):
    with pytest.raises(CleancutError, match=f"^{next(iter(wrong))}"):
        ladder(TRAIN, TEST, **wrong)


def test_levels():
    assert [r.level for r in ladder(TRAIN, TEST, levels="0:1:0.1", seeds=1)][-1] == 1
    assert [r.name for r in ladder(TRAIN, TEST, levels="5,12.5", seeds=1)] == ["ladder-5-s0", "ladder-12.5-s0"]


def test_command(tmp_path, capsys):
    write(TRAIN, tmp_path / "train.conll")
    write(TEST, tmp_path / "test.jsonl")
    files = ["--train", str(tmp_path / "train.conll"), "--test", str(tmp_path / "test.jsonl")]
    assert main(["ladder", *files, "--levels", "0:100:50", "--seeds", "2", "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "Drawn from" in said and "Written to" in said
    assert (tmp_path / "out" / "ladder-50-s1.conll").exists()
    assert main(["ladder", *files, "--json", "-o", str(tmp_path / "out"), "--seeds", "1"]) == 0
    printed, manifest = json.loads(capsys.readouterr().out), json.loads((tmp_path / "out/manifest.json").read_text())
    assert [row["fingerprint"] for row in printed["rungs"]] == [row["fingerprint"] for row in manifest["rungs"]]
    assert not (tmp_path / "out" / "ladder-50-s1.conll").exists()
    assert main(["ladder", *files, "--levels", "9:", "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
