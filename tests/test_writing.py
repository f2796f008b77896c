"""Every format that is written gives back what was written, or says why it cannot."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from cleancut import CleancutError, Corpus, read, write
from cleancut.cli import main
from cleancut.core.corpus import overlaps
from cleancut.reading.formats import WRITERS

NAMES = {"conll": "x.conll", "jsonl": "x.jsonl", "parquet": "x.parquet", "spacy": "x.spacy", "brat": "folder/"}
WRITTEN = [pytest.param(name, marks=[pytest.mark.spacy] if name == "spacy" else []) for name in WRITERS]

words = st.sampled_from(
    ["Ada", "ran", "U.N.", "#", "# id = 7", "-DOCSTART-", "a b", " ", "", "\xa0", "東京", "en:Ada", "1"]
)
labels = st.sampled_from(["PER", "LOC", "work of art"])
names = st.none() | st.sampled_from(["a", "b/c", "0", "1", "d 1"])


@st.composite
def corpora(draw):
    """Samples of words that formats have trouble with, with mentions that may overlap, ids and documents."""
    tokens = draw(st.lists(st.lists(words, max_size=4), min_size=1, max_size=4))
    entities = []
    for sample in tokens:
        edges = st.tuples(st.integers(0, len(sample)), st.integers(0, len(sample)), labels)
        spans = [(min(a, b), max(a, b), label) for a, b, label in draw(st.lists(edges, max_size=2))]
        entities.append([{"start": a, "end": b, "label": label} for a, b, label in spans if a < b])
    ids = draw(st.none() | st.lists(names, min_size=len(tokens), max_size=len(tokens)))
    docs = draw(st.none() | st.lists(names, min_size=len(tokens), max_size=len(tokens)))
    return Corpus.of(tokens, entities=entities, ids=ids, docs=docs)


def parts(corpus):
    """All that a corpus holds."""
    return corpus.tokens(), corpus.entities(), corpus.ids, corpus.docs, corpus.relation_lists()


def put(corpus, folder, format, **options):
    """Write a corpus, and return what is read of it; nothing is left where it cannot be written."""
    path = os.path.join(folder, NAMES[format])
    try:
        write(corpus, path, **options)
    except CleancutError as error:
        assert "\n" not in str(error) and os.listdir(folder) == []
        return None
    return read(path)


@pytest.mark.parametrize("format", WRITTEN)
@examples(30)
@given(corpus=corpora())
def test_what_is_written_comes_back_or_is_refused(format, corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    found = put(corpus, folder, format, ids=True)
    assert found is None or parts(found) == parts(corpus)


@pytest.mark.parametrize("format", WRITTEN)
@examples(10)
@given(corpus=corpora(), cut=st.integers(1, 3))
def test_parts_are_written_as_the_whole_is(format, corpus, cut, tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    whole = put(corpus, folder, format, ids=True)
    if whole is None:
        return
    batches = [corpus.select(slice(at, at + cut)) for at in range(0, len(corpus), cut)]
    os.rename(folder / NAMES[format], folder / "before")
    path = os.path.join(folder, NAMES[format])
    try:
        write(iter(batches), path, ids=True)
    except CleancutError as error:
        assert "from here on have" in str(error)  # a table has the columns of its first part
        return
    assert parts(read(path)) == parts(whole)


@pytest.mark.parametrize("format", WRITTEN)
def test_usual_samples_are_never_refused(format, tmp_path):
    rng = np.random.default_rng(0)
    tokens = [[f"w{rng.integers(50)}." for _ in range(5)] for _ in range(30)]
    tags = [["B-PER", "I-PER", "O", "O", "B-LOC"]] * 30
    docs = [str(i // 7) for i in range(30)]
    corpus = Corpus.of(tokens, tags=tags, docs=docs)
    assert parts(put(corpus, tmp_path, format)) == parts(corpus)


def test_conll_is_written_as_other_tools_read_it(tmp_path, caplog):
    corpus = Corpus.of(
        [["Ada"], ["ran"], ["#"]], tags=[["B-P"], ["O"], ["O"]], ids=["x", "y", "z"], docs=["a", "a", "b"]
    )
    write(corpus, tmp_path / "x.conll")
    usual = "-DOCSTART-\tO\n\nAda\tB-P\n\nran\tO\n\n-DOCSTART-\tO\n\n#\tO\n\n"
    assert (tmp_path / "x.conll").read_text() == usual
    assert "ids of samples and names of documents are not written" in caplog.text
    assert read(tmp_path / "x.conll").docs == ("0", "0", "1")
    write(corpus, tmp_path / "y.conll", ids=True)
    assert "# id = x\nAda" in (tmp_path / "y.conll").read_text()
    assert parts(read(tmp_path / "y.conll")) == parts(corpus)


REFUSED = {
    "nested mentions": ({"entities": [[(0, 2, "A"), (0, 1, "B")]]}, ["conll", "spacy"]),
    "a document that comes again": ({"docs": ["a", "b", "a"]}, ["conll"]),
    "a sample without a document": ({"docs": ["a", None, None]}, ["conll"]),
    "a word with a space": ({"tokens": [["a b", "c"]]}, ["brat"]),
    "an empty word": ({"tokens": [["", "c"]]}, ["conll", "spacy", "brat"]),
    "a word as at the beginning of a document": ({"tokens": [["-DOCSTART-", "c"]]}, ["conll"]),
    "a type with a space": ({"entities": [[(0, 1, "a b")]]}, ["brat"]),
    "a sample without words": ({"tokens": [[]]}, ["conll"]),
    "relations": ({"entities": [[(0, 1, "A"), (1, 2, "B")]], "relations": [[{"head": 0, "tail": 1, "label": "r"}]]},
                  ["conll", "spacy", "brat"]),
}  # fmt: skip


@pytest.mark.parametrize("format", WRITTEN)
@pytest.mark.parametrize("name", REFUSED)
def test_what_a_format_cannot_hold_is_refused_with_a_remedy(name, format, tmp_path):
    given, refusing = REFUSED[name]
    n = len(given.get("docs", [[]]))
    tokens = given.get("tokens") or [["a", "b"]] * n
    spans = given.get("entities") or [[]] * n
    entities = [[{"start": a, "end": b, "label": label} for a, b, label in own] for own in spans]
    corpus = Corpus.of(tokens, entities=entities, docs=given.get("docs"), relations=given.get("relations"))
    if format in refusing:
        with pytest.raises(CleancutError, match=r"[Ww]rite JSONL|or JSONL|\(JSONL\)"):
            write(corpus, tmp_path / NAMES[format] if format != "brat" else f"{tmp_path}/folder/")
        assert os.listdir(tmp_path) == []
    else:
        assert parts(put(corpus, tmp_path, format)) == parts(corpus)


def test_a_folder_is_not_written_over_and_may_be_edited(tmp_path):
    corpus = Corpus.of([["U.N.", "met"], ["Ada"]], tags=[["B-ORG", "O"], ["B-PER"]], docs=["d", "d"])
    folder = tmp_path / "brat"
    write(corpus, folder, format="brat")
    assert (folder / "000000.txt").read_text() == "U.N. met\nAda\n"
    assert (folder / "000000.ann").read_text() == "T1\tORG 0 4\tU.N.\nT2\tPER 9 12\tAda\n"
    assert "[entities]\nORG\nPER\n" in (folder / "annotation.conf").read_text()
    with pytest.raises(CleancutError, match="is there already"):
        write(corpus, folder, format="brat")
    (folder / "000000.ann").write_text("T1\tORG 0 3\tU.N\n")
    assert read(folder).tokens() == [["U.N", ".", "met"], ["Ada"]]
    (folder / "000000.ann").write_text("T1\tORG 5 12\tmet Ada\n")
    with pytest.raises(CleancutError, match=r"not in one line. Remove cleancut.json"):
        read(folder)
    (folder / "cleancut.json").unlink()
    assert read(folder).texts() == ["met Ada"]


def test_parquet_is_a_dataset(tmp_path):
    datasets = pytest.importorskip("datasets")
    corpus = Corpus.of([["Ada", "ran"], []], tags=[["B-PER", "O"], []], ids=["a", "b"])
    write(corpus, tmp_path / "x.parquet")
    found = datasets.Dataset.from_parquet(str(tmp_path / "x.parquet"), cache_dir=str(tmp_path))
    assert found.to_list()[0] == {
        "id": "a",
        "tokens": ["Ada", "ran"],
        "entities": [{"start": 0, "end": 1, "label": "PER"}],
    }
    write(corpus, tmp_path / "y.parquet", scheme="bioes")
    assert read(tmp_path / "y.parquet").tags("bioes") == [["S-PER", "O"], []]


@pytest.mark.parametrize("format", WRITTEN)
def test_convert_writes_it(format, tmp_path, capsys):
    (tmp_path / "in.jsonl").write_text('{"words": ["Ada", "ran"], "gold": ["B-PER", "O"]}\n')
    output = os.path.join(tmp_path, NAMES[format])
    assert main(["convert", str(tmp_path / "in.jsonl"), output, "--tokens", "words", "--tags", "gold"]) == 0
    assert "1 sample, 1 mention" in capsys.readouterr().err
    assert read(output).texts() == ["Ada"]


@pytest.mark.spacy
def test_spacy_reads_what_is_written(tmp_path):
    import spacy
    from spacy.tokens import DocBin

    corpus = Corpus.of([["U.N.", "met"]], tags=[["B-ORG", "O"]])
    write(corpus, tmp_path / "x.spacy")
    [document] = DocBin().from_disk(tmp_path / "x.spacy").get_docs(spacy.blank("en").vocab)
    assert [(span.text, span.label_) for span in document.ents] == [("U.N.", "ORG")]
    assert document[1].ent_iob_ == "O"
    assert not overlaps(corpus.mentions)


def test_without_spacy_the_remedy_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    with pytest.raises(CleancutError, match="pip install spacy"):
        write(Corpus.of([["Ada"]], tags=[["O"]]), tmp_path / "x.spacy")
