"""What annotation tools export: every door reads each format to the same samples, and says what it left out."""

import contextlib
import json
import os
import re
import subprocess
import sys

import pytest
from samples_of_tools import EXPORTS, FOLDER, REFUSED_EXPORTS, SAMPLES, SPANS, TEXTS, TOKENS, WANTED, _at

import cleancut as cc
from cleancut import CleancutError, cli
from cleancut.reading.dataset import read_files, read_samples
from cleancut.reading.formats import FORMATS, copy_rows
from cleancut.reading.opening import Source
from cleancut.reading.recognised import formats_heard, formats_read


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


@pytest.mark.slow
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


@pytest.mark.slow
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
    document = Doc(vocabulary, words=["Uni", "Oslo"])
    document.spans["sc"] = [Span(document, 0, 2, label="ORG"), Span(document, 1, 2, label="LOC")]
    DocBin(docs=[document]).to_disk(path)
    assert mentions(cc.read(path)) == [[("Uni Oslo", "ORG"), ("Oslo", "LOC")]]
    DocBin(docs=[document], attrs=["LEMMA"], store_user_data=True).to_disk(path)
    assert len(cc.read(path).mentions) == 2
    del document.spans["sc"]
    DocBin(docs=[document], attrs=["LEMMA"]).to_disk(path)
    with pytest.raises(CleancutError, match="Add ENT_IOB and ENT_TYPE"):
        cc.read(path)


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
        ("x.json", json.dumps([{"data": {"text": "<p>Ada ran</p>"}, "annotations": [{"result": [{"value": {
            "globalOffsets": {"start": 0, "end": 3}, "text": "Ada", "hypertextlabels": ["PER"]}}]}]}]), "of HTML"),
        ("x.txt", "1|t|Ada\n1|a|ran\n2\t0\t3\tAda\tPER\tX\n", "line 3: a mention of 2, whose text"),
        ("x.conll", "#begin document (x)\nx 0 0 Ada N * - - - - (PER* -\n\n", "does not end"),
        ("x.iob", "Ada|B-PER ran|O\n" * 6000 + "Bo|B-PER ran\n", r"line 6001: 'ran' has no tag\. Write it as word\|O"),
        ("x.txt", "Ada ran\tB-PER O\nBo ran\tO O\n" * 3000 + "Bo\tB-PER O\n", "line 6001: not as many tags as words"),
        ("x.txt", "(S (PER Ada/NNP) ran/VBD\n", "tree 0 does not end"),
        ("x.txt", "(S (PER Ada/NNP) ran/VBD))\n", "tree 1 ends twice"),
        ("x.yml", 'nlu:\n- intent: a\n  examples: |\n    - [Ada]{"role": "x"}\n', "line 4: .* names no entity"),
        ("x.json", '[[["Ada", "B-PER"]], [["ran", "VBD"]]]' + " " * 9, r"row 1|expected an object"),
        ("x.json", json.dumps({"features": [], "rows": [{"row": {"a": 1}, "truncated_cells": ["a"]}]}), "cut short"),
        ("x.json", json.dumps({"examples": [{"content": "Ada", "annotations": [{"tag": "P", "end": 3}]}]}), "no off"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said(name, content, message, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(CleancutError, match=message):
        cc.read(tmp_path / name)


def test_triples_that_begin_with_the_type_are_no_answers(tmp_path, capsys):
    row = {"text": "Washington left Washington", "entities": [["PER", 0, 10], ["LOC", 16, 26]]}
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n")
    file = str(tmp_path / "x.jsonl")
    assert cli.main(["score", "--gold", file, "--pred", file, "--metrics", "exact", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["exact_f1"]["f1"] == 1.0


@pytest.mark.parametrize("tag", ["-", "_", "0", "*", "o"])
def test_what_is_meant_for_o_is_no_type(tag, tmp_path):
    (tmp_path / "x.conll").write_text(f"Ada B-PER\nran {tag}\n\nBo B-PER\n")
    with pytest.raises(CleancutError, match="Write O for a token outside of all mentions"):
        cc.read(tmp_path / "x.conll")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.json", '[[{"start": 0, "end": 3, "text": "Ada", "label": "P", "score": 1}]]', "pipeline without the texts"),
        ("x.conll", "Ada B-PER|B-LOC\nran O|O\n", "holds several tags"),
        ("x.jsonl", '{"text": "a", "ents": [], "spans": {"a": [], "b": []}, "tokens": []}\n', "are a, b. Leave one"),
        ("x.xlsx", b"PK\x03\x04" + bytes(60), "Save a workbook as CSV"),
        ("x.conll", "Ada B-PER\n".encode("utf-16"), "byte 0xff .* Convert the file to UTF-8"),
        ("x.conll", b"\x1f\x8b\x08\x00", r"End its name in \.gz"),
        ("x.jsonl", '{"Entities": [{"BeginOffset": 0, "EndOffset": 3, "Type": "P"}], "File": "a"}\n', "Comprehend wi"),
        ("x.json", '{"documents": [{"id": "1", "entities": [{"offset": 0, "category": "P"}]}]}', "Azure Language wi"),
        ("x.json", '{"entities": [{"mentions": [{"text": {"beginOffset": 0}}]}]}', "Google Natural Language without"),
        ("x.ann.json", '{"entities": [{"classId": "e", "offsets": [{"start": 0}]}]}', "tagtog without the texts"),
        ("x.json", '{"%TYPES": {}, "%FEATURE_STRUCTURES": [{"%ID": 1}]}', "WebAnno TSV 3, which is read"),
        ("x.xmi", '<?xml version="1.0"?><xmi:XMI xmlns:cas="c"></xmi:XMI>', "WebAnno TSV 3, which is read"),
        ("x.tsv", "filename\tmark\tlabel\toff0\toff1\tspan\na\tT1\tP\t0\t3\tAda\n", "texts in other files"),
        ("x.csv", "File,Line,Begin Offset,End Offset,Type\na.txt,0,0,3,P\n", "texts in other files"),
        ("x.txt", "B-PER O\nO O B-LOC\n", "tags without their words"),
        ("x.txt", "B-PER\tw[0]=Ada\t__BOS__\nO\tw[0]=ran\tpos=VB\n", "no prefix letter"),
    ],
)  # fmt: skip
def test_what_is_no_corpus_is_refused_with_what_to_do_instead(name, content, message, tmp_path, capsys):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert cli.main(["score", "--gold", str(path), "--pred", str(path), "--metrics", "exact"]) == 2
    said = capsys.readouterr().err
    assert re.search(message, said) and said.count("\n") == 1


def test_a_dataset_that_was_saved_to_disk_is_refused_with_what_to_do_instead(tmp_path, capsys):
    datasets = pytest.importorskip("datasets")
    rows = datasets.Dataset.from_list([{"tokens": ["Ada"], "tags": ["B-PER"]}])
    rows.save_to_disk(str(tmp_path / "one"))
    datasets.DatasetDict(train=rows, test=rows).save_to_disk(str(tmp_path / "two"))
    capsys.readouterr()
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    for command in (["score", "--gold", one, "--pred", one], ["audit", two], ["split", one, "-o", f"{tmp_path}/out"]):
        assert cli.main(command) == 2
        assert "was written by save_to_disk. Write each split with to_parquet" in capsys.readouterr().err


NOTED = {
    "lighttag.json": (
        {"examples": [{"content": "Ada Bo", "annotations": [
            {"start": 0, "end": 3, "tag": "P", "correct": True},
            {"start": 4, "end": 6, "tag": "P", "correct": False}]}]},
        "1 spans were rejected or deleted", ["Ada"],
    ),
    "medcat.json": (
        {"projects": [{"documents": [{"text": "Ada Bo", "annotations": [
            {"start": 0, "end": 3, "cui": "P", "deleted": True}, {"start": 4, "end": 6, "cui": "P"}]}]}]},
        "1 spans were rejected or deleted", ["Bo"],
    ),
    "langextract.json": (
        [{"text": "Ada Bo", "extractions": [
            {"extraction_class": "P", "extraction_text": "Zed", "char_interval": None},
            {"extraction_class": "P", "char_interval": {"start_pos": 4, "end_pos": 6}}]}],
        "1 spans have no place in their text", ["Bo"],
    ),
    "dygie.json": (
        [{"sentences": [["Ada", "Bo"]], "ner": [[[0, 0, "P"]]], "predicted_ner": [[[1, 1, "P"]]]}],
        "both ner and predicted_ner; ner is read", ["Ada"],
    ),
    "corenlp.json": (
        {"sentences": [{"entitymentions": [{"tokenBegin": 0, "tokenEnd": 1, "ner": "PERSON"}],
                        "tokens": [{"word": "he", "ner": "O"}, {"word": "ran", "ner": "O"}]}]},
        "1 mentions have no tag, as pronouns", [],
    ),
    "litbank.tsv": ("Ada\tB-PER\tO\nran\tO\tO\n", "column 2 has O alone, but column 1 has tags of mentions", []),
    "first.tsv": ("B-PER\tAda\nO\tran\n", "tags are read from column 0 and the words from column 1", ["Ada"]),
    "slash.txt": ("Ada/PERSON ran/O\nBo/PERSON ran/O\n", "the tags have no prefixes", ["Ada", "Bo"]),
}  # fmt: skip


@pytest.mark.parametrize("name", NOTED)
def test_what_is_left_out_or_chosen_is_said(name, tmp_path, capsys):
    content, note, texts = NOTED[name]
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    assert cc.read(path).texts() == texts
    assert cli.main(["convert", str(path), str(tmp_path / "out.jsonl")]) == 0
    assert note in capsys.readouterr().err


def test_a_column_without_a_span_does_not_hide_one_that_is_not_understood(tmp_path):
    rows = [{"text": "Ada ran", "labels": [], "entities": [{"from": 0, "to": 3, "labels": [{"x": "PER"}]}]}]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(CleancutError, match="no annotation among 'text', 'labels', 'entities'"):
        cc.read(tmp_path / "x.jsonl")


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


# --- files that look like an export, and are none -------------------------------------------------------------------

ALIKE = {
    "two-of-tags.conll": ("1 Ada B-PER O\n2 ran O O\n3 Bo O B-PER\n\n1 x O O\n2 y O O\n3 z O O\n", ["Bo"]),
    "numbers.conll": ("1 CD B-NUM\n", ["1"]),
    "count.conll": ("1 CD B-NUM\n2 CD O\n3 CD O\n", ["1"]),
    "short-counts.conll": ("1 CD B-NUM\n2 CD O\n\n1 CD O\n", ["1"]),
    "names-alone.conll": ("word B-tag\nner O\n", ["word"]),
    "twice.conll": ("Ha UH O\nHa UH O\n\nNo UH B-X\nNo UH I-X\n", ["No No"]),
    "brace.conll": ("{ O\nAda B-PER\n} O\n", ["Ada"]),
    "brackets.txt": ("[[ O\nAda B-PER\n", ["Ada"]),
    "html.txt": ("<b>x</b> O\nran O\n", []),
    "bars.conll": ("a|t|b O\nAda B-PER\n", ["Ada"]),
    "begin.conll": ("#begin document (x)\nAda B-PER\nran O\n", ["Ada"]),
    "one.json": ('{"tokens": ["Ada", "ran"], "entities": [[0, 1, "PER"]]}', ["Ada"]),
    "answer.jsonl": ('{"text": "Ada", "tokens": ["Ada"], "tags": ["B-PER"], "answer": "accept"}\n', ["Ada"]),
    "beside.jsonl": (
        '{"text": "Ada ran", "entities": [{"start": 0, "end": 3, "label": "P"}], "prediction": [["P", 4, 7, 0.9]]}\n',
        ["Ada"],
    ),
    "tokens.jsonl": (
        '{"text": "Ada ran off", "tokens": ["Ada", "ran", "off"], "entities": [[1, 2, "PER"]]}\n'
        '{"text": "Bo", "tokens": ["Bo"], "entities": [[0, 1, "PER"]]}\n',
        ["ran", "Bo"],
    ),
    "inclusive.jsonl": (
        '{"text": "Ada ran off", "label": [[0, 2, "P"]]}\n{"text": "Bo ran", "label": [[0, 1, "P"]]}\n', ["Ada", "Bo"]
    ),
    "slashes-in-columns.txt": ("his/her O\nA/B B-PER\n", ["A/B"]),
    "bars-in-columns.txt": ("a|b O\nc|d B-PER\n", ["c|d"]),
    "o-first.conll": ("O B-PER\nO O\n", ["O"]),
    "words-of-two.tsv": ("Ada King\tB-PER\nran off\tO\n", ["Ada King"]),
    "passages.jsonl": (
        '{"id": "1", "passages": [{"id": "a", "type": "t", "text": ["Ada ran"], "offsets": [[0, 7]]}], '
        '"entities": [{"id": "e", "type": "P", "text": ["Ada"], "offsets": [[0, 3]]}]}\n',
        ["Ada"],
    ),
    "crlf.csv": ('text,entities\r\n"a\r\nAda ran","[{""start"": 3, ""end"": 6, ""label"": ""PER""}]"\r\n', ["Ada"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ALIKE)
def test_what_looks_like_an_export_is_read_as_what_it_is(name, tmp_path):
    content, wanted = ALIKE[name]
    (tmp_path / name).write_bytes(content.encode())
    assert cc.read(tmp_path / name).texts() == wanted


def test_a_line_of_names_is_no_token_and_is_not_copied(tmp_path):
    path, other = tmp_path / "x.conll", tmp_path / "types.conll"
    path.write_text("word ner\nAda B-PER\n\nBo B-PER\n")
    (tmp_path / "out").mkdir()
    assert copy_rows([str(path)], {"one": [0], "two": [1]}, tmp_path / "out")
    assert [cc.read(tmp_path / "out" / f"{name}.conll").texts() for name in ("one", "two")] == [["Ada"], ["Bo"]]
    other.write_text("word label\nran O\n\nAda label\nran O\n")  # a type that is called as a column is
    assert cc.read(other, scheme="io").texts() == ["word", "Ada"]


def test_a_long_first_row_does_not_hide_the_format(tmp_path):
    rows = [{"text": "Ada " + "word " * 20_000, "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}]
    rows.append({**rows[0], "answer": "reject"})
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert len(cc.read(tmp_path / "x.jsonl")) == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("mixed.jsonl", '{"text": "a b", "label": [[0, 1, "X"]]}\n{"text": "a", "label": [[0]]}\n'),
        ("bioc.json", '{"documents": [{"passages": [{"text": "a", "annotations": [{"locations": []}]}]}]}'),
        ("spacy.json", '[{"paragraphs": [{"raw": "a"}]}]'),
    ],
)
def test_an_export_that_is_broken_is_an_error_in_one_line(name, content, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(CleancutError, match=r"taken for JSON.*which it is not to the end"):
        cc.read(tmp_path / name)


def test_predictions_at_offsets_of_their_own_text_are_no_answers(tmp_path, capsys):
    text = "(a), Ada, met: Ada."
    spans = [{"start": 15, "end": 18, "label": "PER"}]
    empty = {"text": "x", "entities": []}
    gold = [empty] * 25 + [{"text": text, "entities": spans}]
    said = [empty] * 25 + [{"text": text, "entities": [{**span, "text": "Ada"} for span in spans]}]
    for name, rows in (("gold", gold), ("pred", said)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = ["--gold", str(tmp_path / "gold.jsonl"), "--pred", str(tmp_path / "pred.jsonl")]
    assert cli.main(["score", *files, "--metrics", "exact", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["exact_f1"]
    assert found["f1"] == 1.0 and "n_ambiguous" not in found


def test_types_are_renamed_before_parts_of_words_are_judged():
    gold = cc.from_dataset(
        [{"text": "Adas ran", "entities": [{"start": 0, "end": 4, "label": "PER"}]}], end="exclusive"
    )
    pred = cc.from_dataset(
        [{"text": "Adas ran", "entities": [{"start": 0, "end": 3, "label": "person"}]}], end="exclusive"
    )
    assert cc.exact_f1(gold, pred, types={"person": "PER"}).f1 == 0.0


# --- texts in memory --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_a_text_in_memory_is_read_as_a_file_is(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corpus = cc.read_text(SAMPLES[name], name)
    assert corpus.tokens() == TOKENS and mentions(corpus) == WANTED
    assert not list(tmp_path.iterdir())


def test_bytes_in_memory_are_those_of_a_file(tmp_path):
    import gzip

    import pyarrow as pa
    import pyarrow.parquet as pq

    tags = [["B-PER", "O"]]
    conll = gzip.compress(b"Ada B-PER\nran O\n")
    assert cc.read_text(conll, "x.conll.gz").texts() == ["Ada"]
    pq.write_table(pa.table({"tokens": [["Ada", "ran"]], "tags": tags}), tmp_path / "x.parquet")
    pq.write_table(pa.table({"w": [["Ada", "ran"]], "ner": tags}), tmp_path / "y.parquet")
    for file in ("x.parquet", "y.parquet"):
        columns = {"tokens": "w"} if file == "y.parquet" else {}
        data = (tmp_path / file).read_bytes()
        assert cc.read_text(data, file, **columns).texts() == ["Ada"]
    with pytest.raises(CleancutError, match=r"x\.conll\.gz: the gzip data is broken"):
        cc.read_text(conll[:20], "x.conll.gz")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "pasted: the file has no samples"),
        ("Ada B-PER\nran\n", "pasted, line 2: 1 columns"),
        ("Ada B-PER\n\ud800 O\n", "pasted, line 2: byte 0xed .* is not UTF-8"),
        ('{"tokens": ["Ada"]}\n', "pasted.*no annotation among 'tokens'|no entities among 'tokens'"),
    ],
)
def test_what_a_text_lacks_is_said_by_its_name(text, message):
    with pytest.raises(CleancutError, match=message):
        cc.read_text(text)


def test_a_text_is_never_taken_for_the_file_or_folder_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pasted").mkdir()
    (tmp_path / "pasted" / "a.ann").write_text("")
    (tmp_path / "x.conll").write_text("Bo B-PER\n")
    assert cc.read_text("Ada B-PER\n").texts() == ["Ada"]
    assert cc.read_text("Ada B-PER\n", "x.conll").texts() == ["Ada"]


def test_the_head_of_a_source_is_read_once(tmp_path, monkeypatch):
    opened = []
    stream_of = Source._stream
    monkeypatch.setattr(Source, "_stream", lambda self: opened.append(self.name) or stream_of(self))
    for name, most in (("two-columns.conll", 3), ("doccano.jsonl", 2), ("kaggle.csv", 2), ("label-studio.json", 2)):
        (tmp_path / name).write_text(SAMPLES[name])
        opened.clear()
        cc.read(tmp_path / name)
        assert len(opened) == most, name  # the head, then all of it; for columns of CoNLL, their first lines between


# --- what was recognised ----------------------------------------------------------------------------------------------

RECOGNISED = {
    "two-columns.conll": "CoNLL columns (IOB2, words in column 0, tags in column 1)",
    "conll2003.txt": "CoNLL columns (IOB2, words in column 0, tags in column 3)",
    "germeval.tsv": "CoNLL columns (IOB2, words in column 1, tags in column 2)",
    "misc.conllu": "CoNLL-U with NER in MISC (IOB2)",
    "conll2012.conll": "CoNLL-2012",
    "webanno.tsv": "WebAnno TSV 3",
    "kaggle.csv": "CSV with Word and Tag (IOB2)",
    "array.json": "JSON with tokens and ner_tags (IOB2)",
    "columns.json": "JSON columns with tokens and tags (IOB2)",
    "prodigy.jsonl": "Prodigy JSONL",
    "doccano.jsonl": "doccano JSONL",
    "label-studio.json": "Label Studio JSON",
    "label-studio-min.json": "Label Studio JSON",
    "spacy-v2.json": "spaCy 2 JSON (BILOU)",
    "spacy-pairs.json": "spaCy 2 training JSON",
    "pubtator.txt": "PubTator",
    "bioc.json": "BioC JSON",
    "bioc.jsonl": "BioC JSONL",
    "gliner.json": "JSON with tokenized_text and ner",
    "pipeline.jsonl": "JSONL with text and entities",
    "ubiai.json": "UBIAI JSON",
    "argilla.jsonl": "Argilla JSONL",
    "inline.xml": "text with names in marks",
}


@pytest.mark.parametrize("name", RECOGNISED)
def test_what_was_recognised_is_said(name, tmp_path):
    source = Source.of_text(SAMPLES[name], name)
    assert read_samples(source).recognised == RECOGNISED[name]
    with formats_heard():
        list(cc.read_batches(source, 2))
        assert formats_read() == {name: RECOGNISED[name]}
    assert formats_read() == {}


def test_every_format_that_is_read_has_a_sample_and_one_way_to_read_it():
    names = " ".join(read_samples(Source.of_text(SAMPLES[name], name)).recognised for name in SAMPLES)
    names += " ".join(read_samples(FOLDER / name).recognised for name in EXPORTS)
    elsewhere = {
        "spaCy DocBin",
        "Parquet",
        "token-classification pipeline",
        "JSONL of an annotation tool",
        *("binary file", "table of mentions", "tags alone", "UIMA JSON", "UIMA XMI", "spans without texts"),  # refused
    }
    assert {entry.name for entry in FORMATS if entry.name not in names} == elsewhere
    for entry in FORMATS:
        assert entry.expected and sum(how is not None for how in (entry.rows, entry.in_json, entry.plain)) == 1


# --- what tools really write ------------------------------------------------------------------------------------------


def spelt(corpus):
    """The number of samples, and each mention with its type, as ``EXPORTS`` has them."""
    found = [f"{words}/{label}" for own in mentions(corpus) for words, label in own]
    return len(corpus), sorted(found)


def wanted(name):
    n_samples, said = EXPORTS[name]
    return n_samples, sorted(said.split(", "))


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_read_by_every_door_to_the_same_corpus(name, tmp_path, capsys):
    path = str(FOLDER / name)
    corpus = cc.read(path)
    assert spelt(corpus) == wanted(name)
    every = [cc.from_dataset(path), read_files({"train": path})["train"].corpus, *cc.read_batches(path, 100)]
    if os.path.isfile(path):
        every.append(cc.read_text((FOLDER / name).read_bytes(), name))
    assert cli.main(["convert", path, str(tmp_path / "out.jsonl")]) == 0
    every.append(cc.read(tmp_path / "out.jsonl"))
    for found in every:
        assert (found.tokens(), found.entities()) == (corpus.tokens(), corpus.entities())
    capsys.readouterr()
    assert cli.main(["score", "--gold", path, "--pred", path, "--metrics", "exact", "--json"]) == 0
    score = json.loads(capsys.readouterr().out)["exact_f1"]
    assert score["f1"] == 1.0 and score["n_gold"] == len(wanted(name)[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_read_by_every_command(name, tmp_path, capsys):
    path, copied = str(FOLDER / name), str(tmp_path / "copy.jsonl")
    unit = ["--unit", "doc"] if name == "json-data-wrapper.json" else []
    both = ["--gold", path, "--pred", path]
    for command in (
        ["convert", path, copied],
        ["audit", "--train", path, "--test", path, "--json"],
        ["split", path, "-o", str(tmp_path / "split"), "--effort", "fast", *unit],
        ["compare", *both, "--pred", copied, "--metrics", "exact"],
        ["report", *both, "--train", path, "-o", str(tmp_path / "report.html")],
        ["buckets", *both, "--train", path, "--json"],
    ):
        assert cli.main(command) == 0, command
        capsys.readouterr()


@pytest.mark.parametrize("name", REFUSED_EXPORTS)
def test_an_export_that_is_refused_has_a_remedy(name, capsys):
    path = str(FOLDER / name)
    with pytest.raises(CleancutError, match=REFUSED_EXPORTS[name]):
        cc.read(path)
    assert cli.main(["score", "--gold", path, "--pred", path, "--metrics", "exact"]) == 2
    assert REFUSED_EXPORTS[name].split("=")[0] in capsys.readouterr().err


DOCCANO = '{"text": "Ada ran", "label": [[0, 3, "PER"]]}'
PRODIGY = '{"text": "Ada ran", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}'
PLAIN = '{"tokens": ["Ada"], "tags": ["B-PER"]}'
MIXED = {
    "columns.json": ("Ada B-PER\nran O\n", "line 1: invalid JSON .* name a file of columns .conll"),
    "a-table.jsonl": ("Word,Tag\nAda,B-PER\n", "line 1: invalid JSON"),
    "two-tools.jsonl": (f"{PRODIGY}\n{DOCCANO}\n", "row 1 .*: a record of doccano in a file of Prodigy"),
    "two-tools-too.jsonl": (f"{DOCCANO}\n{PRODIGY}\n", "row 0 .*: a record of doccano in a file of Prodigy"),
    "plain-first.jsonl": (f"{PLAIN}\n{DOCCANO}\n", "row 0 .*: no text, but 'tokens', 'tags'"),
    "plain-last.json": (f"[{DOCCANO}, {PLAIN}]", "row 1 .*: no text, but 'tokens', 'tags'"),
    "rows-in-columns.conll": (f"Ada B-PER\nran O\n\n{PLAIN}\n", "line 4: a JSON object"),
    "cut.jsonl": (f"{DOCCANO}\n{DOCCANO[:-9]}", "line 2: invalid JSON"),
    "cut.json": (f"[{DOCCANO}, {DOCCANO[:-9]}", "line 1: invalid JSON"),
    "cut.xml": ("<?xml version='1.0'?>\n<d><s><PER>Ada</PER> ran</s>", "not a whole XML document"),
    "words.xml": ("<?xml version='1.0'?>\n<s><w>Ada</w> , <w>ran</w></s><s/>", "not a whole XML document"),
    "no-marks.xml": ("<?xml version='1.0'?>\n<d><s>Ada ran</s></d>", "no names in marks"),
    "empty.csv": ("", "the file has no samples"),
    "empty.json": ("[]", "the file has no samples"),
    "empty.conll": ("", "the file has no samples"),
}


@pytest.mark.parametrize("name", MIXED)
def test_wrong_and_mixed_formats_are_said(name, tmp_path):
    content, message = MIXED[name]
    (tmp_path / name).write_text(content)
    with pytest.raises(CleancutError, match=message):
        cc.read(tmp_path / name)


def chat(message, answer, system=None):
    before = [{"role": "system", "content": system}] if system else []
    return {"messages": [*before, {"role": "user", "content": message}, {"role": "assistant", "content": answer}]}


def test_what_a_chat_does_not_show_is_said(tmp_path, caplog):
    def read_rows(*rows):
        (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return cc.read(tmp_path / "x.jsonl")

    ada, oslo = '[{"text": "Ada", "label": "PER"}]', '[{"text": "Oslo", "label": "LOC"}]'
    found = read_rows(chat("Ada ran", ada, "Names?"), chat("Bo ran", oslo, "Names?"), chat("x", "Hm, well", "Names?"))
    assert found.texts() == ["Ada"] and len(found) == 2
    assert "1 mentions of answers do not stand in their texts" in caplog.text
    assert "1 of 3 answers were not understood" in caplog.text
    quoted = read_rows(*(chat(f'Which names are in "{text}"?', ada) for text in ("Ada ran", "Who is Ada")))
    assert quoted.tokens() == [["Ada", "ran"], ["Who", "is", "Ada"]]
    with pytest.raises(CleancutError, match="all messages begin with .* Put the instruction into a system message"):
        read_rows(chat("Please find all names in Ada ran", ada), chat("Please find all names in Oslo", oslo))
    with pytest.raises(CleancutError, match="may be an instruction and a text"):
        read_rows(chat("Find names: Ada ran", ada))
    with pytest.raises(CleancutError, match="the answer names 'Ada', which stands in what all messages begin with"):
        read_rows(chat("Of Ada and Bo: she ran", ada), chat("Of Ada and Bo: he ran", ada))


def test_chats_stay_answers_where_they_are_predictions(tmp_path, capsys):
    (tmp_path / "gold.conll").write_text("Ada B-PER\n'll O\nrun O\n")
    (tmp_path / "pred.jsonl").write_text(json.dumps(chat("Names in: Ada'll run", '{"PER": ["Ada"]}')) + "\n")
    command = ["score", "--gold", str(tmp_path / "gold.conll"), "--pred", str(tmp_path / "pred.jsonl")]
    assert cli.main([*command, "--metrics", "exact", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["exact_f1"]["f1"] == 1.0


def test_the_scheme_that_is_said_is_that_of_the_whole_file(tmp_path):
    (tmp_path / "x.conll").write_text("Ada B-PER\n\n" * 3 + "Ada B-PER\nKing E-PER\n\n")
    with formats_heard():
        list(cc.read_batches(str(tmp_path / "x.conll"), 1))
        assert formats_read()[str(tmp_path / "x.conll")].startswith("CoNLL columns (BIOES,")


def test_every_command_says_what_it_read(tmp_path, capsys, monkeypatch):
    text = "".join(f"Ada{i} B-PER\nran O\n\nOslo{i % 3} B-LOC\n\n" for i in range(8))
    for name in ("gold", "a", "b"):
        (tmp_path / f"{name}.conll").write_text(text)
    (tmp_path / "train.jsonl").write_text('{"tokens": ["Ada1"], "ner_tags": ["B-PER"]}\n')
    monkeypatch.chdir(tmp_path)
    gold = "CoNLL columns (IOB2, words in column 0, tags in column 1)"
    train = "JSONL with tokens and ner_tags (IOB2)"
    systems = ["--gold", "gold.conll", "--pred", "a.conll", "--pred", "b.conll", "--train", "train.jsonl"]
    every = {"gold.conll": gold, "a.conll": gold, "b.conll": gold, "train.jsonl": train}
    found = {}
    for name, options in {
        "score": [*systems, "--metrics", "exact,clean"],
        "runs": [*systems, "--metrics", "exact", "--runs"],
        "compare": [*systems, "--metrics", "exact", "--ci", "10"],
        "buckets": [*systems, "--attributes", "eLen"],
        "audit": ["--train", "train.jsonl", "--test", "gold.conll"],
        "split": ["gold.conll", "-o", "out", "--method", "random"],
    }.items():
        command = {"runs": "score"}.get(name, name)
        assert cli.main([command, *options, "--json"]) == 0
        found[name] = json.loads(capsys.readouterr().out)
    assert list(found["score"]) == ["a", "b", "read_as"]
    assert (
        found["score"]["read_as"]
        == found["runs"]["read_as"]
        == found["compare"]["read_as"]
        == found["buckets"]["read_as"]
        == every
    )
    assert found["audit"]["read_as"] == {"train.jsonl": train, "gold.conll": gold}
    assert found["split"]["read_as"] == {"gold.conll": gold}


def test_a_terminal_gets_a_line_for_each_file_and_nobody_else(tmp_path, capsys, monkeypatch):
    (tmp_path / "x.conll").write_text("Ada B-PER\nran O\n")
    (tmp_path / "bad.conll").write_text("Ada B-PER\nran\n")
    monkeypatch.chdir(tmp_path)
    assert cli.main(["convert", "x.conll", "y.jsonl"]) == 0
    assert "read as" not in capsys.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert cli.main(["convert", "x.conll", "y.jsonl"]) == 0
    said = capsys.readouterr().err
    assert said.count("cleancut: x.conll: read as CoNLL columns (IOB2, words in column 0, tags in column 1)\n") == 1
    assert cli.main(["convert", "bad.conll", "y.jsonl"]) == 2  # what was recognised may tell why
    assert "cleancut: bad.conll: read as CoNLL columns\n" in capsys.readouterr().err
    # an export is told by its format alone: the names of its columns are the reader's
    (tmp_path / "x.txt").write_text("1|t|Aspirin helps.\n1|a|\n1\t0\t7\tAspirin\tChemical\tD001241\n")
    assert cli.main(["score", "--gold", "x.txt", "--pred", "x.txt", "--metrics", "exact"]) == 0
    assert capsys.readouterr().err == "cleancut: x.txt: read as PubTator\n"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_bar_shows_what_share_of_a_large_file_was_read(tmp_path):
    import fcntl
    import pty
    import struct
    import termios

    sentence = "Ada\tB-PER\nran\tO\nto\tO\nOslo\tB-LOC\n\n"
    (tmp_path / "x.conll").write_text(sentence * 1_500_000)
    read_end, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    arguments = [sys.executable, "-m", "cleancut", "score", "--gold", "x.conll", "--pred", "x.conll"]
    process = subprocess.Popen(arguments, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    said = b""
    with contextlib.suppress(OSError):  # the end of a terminal is an error on Linux
        while data := os.read(read_end, 4096):
            said += data
    os.close(read_end)
    assert process.wait() == 0
    shares = [int(share) for share in re.findall(rb"reading x\.conll: +(\d+)%", said)]
    assert shares and any(0 < share < 100 for share in shares)
