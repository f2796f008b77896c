"""What annotation tools export: every door reads each format to the same samples, and says what it left out."""

import json

import pytest
from samples_of_tools import SAMPLES, SPANS, TEXTS, TOKENS, WANTED, _at

import cleancut as cc
from cleancut import CleancutError, cli


@pytest.fixture(params=SAMPLES)
def sample(request, tmp_path):
    """A file of one format."""
    path = tmp_path / request.param
    path.write_text(SAMPLES[request.param], encoding="utf-8")
    return path


def mentions(corpus):
    """The words and the type of the mentions of each sample."""
    spans, words = corpus.mentions.spans(), corpus.tokens()
    return [[(" ".join(words[i][s["start"] : s["end"]]), s["label"]) for s in own] for i, own in enumerate(spans)]


def test_read_gives_the_same_samples(sample):
    corpus = cc.read(sample)
    assert corpus.tokens() == TOKENS and mentions(corpus) == WANTED


def test_score_reads_gold_and_predictions_alike(sample, capsys):
    assert cli.main(["score", "--gold", str(sample), "--pred", str(sample), "--metrics", "exact", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["exact_f1"]
    assert found["f1"] == 1.0 and found["n_gold"] == 7


def test_audit_convert_and_training_data_read_it_too(sample, tmp_path, capsys):
    assert cli.main(["audit", "--train", str(sample), "--test", str(sample), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["test_vs_train"]["n_partial"] == 4
    assert cli.main(["convert", str(sample), str(tmp_path / "out.jsonl")]) == 0
    assert mentions(cc.read(tmp_path / "out.jsonl")) == WANTED
    command = ["score", "--gold", str(tmp_path / "out.jsonl"), "--pred", str(sample), "--train", str(sample)]
    assert cli.main([*command, "--metrics", "clean", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["clean_f1"]["n_contaminated"] == 7


def test_rows_that_were_rejected_are_left_out_and_counted(tmp_path, caplog):
    path = tmp_path / "prodigy.jsonl"
    path.write_text(SAMPLES["prodigy.jsonl"])
    cc.read(path)
    said = " ".join(record.getMessage() for record in caplog.records)
    assert "1 of 7 rows have the answer reject and are left out" in said and "answer ignore" in said


def test_a_folder_of_brat(tmp_path, capsys):
    folder = tmp_path / "brat"
    folder.mkdir()
    for i, text in enumerate(TEXTS):
        (folder / f"{i}.txt").write_text(text + "\n")
        lines = [f"T{n}\t{label} {s} {e}\t{text[s:e]}\n" for n, (s, e, label) in enumerate(_at(i), 1)]
        (folder / f"{i}.ann").write_text("".join([*lines, "R1\tknows Arg1:T1 Arg2:T2\n"]))
    assert mentions(cc.read(folder)) == WANTED
    assert cli.main(["score", "--gold", str(folder), "--pred", str(folder), "--metrics", "exact", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["exact_f1"]["f1"] == 1.0
    (folder / "4.txt").unlink()
    with pytest.raises(CleancutError, match=r"4\.ann has no text beside it"):
        cc.read(folder)


def test_a_file_of_spacy(tmp_path):
    path = tmp_path / "x.spacy"
    path.write_bytes(b"not really")
    spacy = pytest.importorskip("spacy") if __import__("importlib").util.find_spec("spacy") else None
    if spacy is None:
        with pytest.raises(CleancutError, match="pip install spacy"):
            cc.read(path)
        return
    from spacy.tokens import Doc, DocBin, Span

    vocabulary = spacy.blank("xx").vocab
    documents = DocBin()
    for tokens, spans in zip(TOKENS, SPANS):
        document = Doc(vocabulary, words=tokens)
        document.ents = [Span(document, s, e, label=label) for s, e, label in spans]
        documents.add(document)
    documents.to_disk(path)
    assert mentions(cc.read(path)) == WANTED


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.json", '[[{"entity": "PER", "word": "Ada", "score": 1, "start": 0, "end": 3}]]', "without the texts"),
        ("x.json", '{"a": ', r"line 1: invalid JSON"),
        ("x.json", "[1, 2]", "expected"),
        ("x.json", '[{"tokens": ["a"], "tags": ["O"]}, 3]', "row 1 .*expected an object, got int"),
        ("x.xml", "<PER>Ada ran\n<PER>Bo</PER>\n", "line 1: a mark that does not begin or end"),
        ("x.txt", "<A><B>x</B></A>\n<C>y</C>\n", "mark that does not|name within a name"),
        ("x.tsv", "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.b|x\n#T_SP=c.d|y\n\n1-1\t0-1\ta\t_\t_\n", "which layer"),
        ("x.txt", "1|t|Ada\n1|a|ran\n2\t0\t3\tAda\tPER\tX\n", "line 3: a mention of 2, whose text"),
        ("x.conll", "#begin document (x)\nx 0 0 Ada N * - - - - (PER* -\n\n", "does not end"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said(name, content, message, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(CleancutError, match=message):
        cc.read(tmp_path / name)


def test_columns_are_named_for_gold_and_predictions_too(tmp_path, capsys):
    row = {"w": ["Ada", "ran"], "a": ["B-PER", "O"], "b": ["O", "B-PER"]}
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n")
    file = str(tmp_path / "x.jsonl")
    command = ["score", "--gold", file, "--pred", file, "--metrics", "exact", "--json", "--tokens", "w"]
    for column, name in (("a", "Ada"), ("b", "ran")):
        assert cli.main([*command, "--tags", column]) == 0
        assert json.loads(capsys.readouterr().out)["exact_f1"]["n_gold"] == 1
        assert cc.read(file, tokens="w", tags=column).texts() == [name]
    (tmp_path / "x.conll").write_text("Ada B-PER\n")
    conll = str(tmp_path / "x.conll")
    assert cli.main(["score", "--gold", conll, "--pred", conll, "--tags", "a"]) == 2
    assert "--tags has no effect" in capsys.readouterr().err


def test_the_word_column_is_found_or_named(tmp_path, caplog):
    (tmp_path / "x.tsv").write_text(SAMPLES["germeval.tsv"])
    assert mentions(cc.read(tmp_path / "x.tsv")) == WANTED
    assert mentions(cc.read(tmp_path / "x.tsv", word_column=1, column=2)) == WANTED
    assert cc.read(tmp_path / "x.tsv", column=3).texts() == []
    with pytest.raises(CleancutError, match="in column 2 beside the token in column 2"):
        cc.read(tmp_path / "x.tsv", word_column=2, column=2)
    (tmp_path / "numbers.conll").write_text("1 B-X\n2 O\n\n1 O\n2 O\n")  # two columns: the first is the word
    assert cc.read(tmp_path / "numbers.conll").texts() == ["1"]
