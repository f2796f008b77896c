"""Reading many lines at once gives what reading line by line gives, whatever the file and the size of a block."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from cleancut import CleancutError, Corpus, read, read_text, write
from cleancut.reading import conll, jsonl, opening
from cleancut.reading.files import read_batches
from cleancut.reading.opening import Source
from cleancut.reading.progress import work_shown

SIZES = (1, 7, 50, opening.BLOCK)
"""Bytes of a block."""


def outcome(data: bytes, name: str, size: int, at_once: bool, **options):
    """What reading gives: the corpus with all that it knows, or the error."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "BLOCK", size)
        if not at_once:
            patch.setattr(conll, "_rows_at_once", lambda *_: None)
            patch.setattr(jsonl, "_rows_at_once", lambda *_: None)
        try:
            corpus = read_text(data, name, **options)
        except CleancutError as error:
            return str(error).partition(")")[0]  # the place: of two things that are wrong there, either may be said
    mentions = corpus.mentions
    places = [mentions.where(i, 0) for i in range(len(corpus))]
    return corpus.tokens(), mentions.spans(), mentions.tagging, corpus.ids, corpus.docs, places


def check(data: bytes, name: str, *, may_have_errors: bool = False, **options) -> None:
    """Compare the outcomes; of several lines that are wrong, any may be named."""
    expected = outcome(data, name, opening.BLOCK, at_once=False, **options)
    for size in SIZES:
        found = outcome(data, name, size, at_once=True, **options)
        both_refuse = isinstance(found, str) and isinstance(expected, str)
        assert found == expected or (may_have_errors and both_refuse), f"blocks of {size} bytes"


# --- CoNLL columns ----------------------------------------------------------------------------------------------------

CONLL = {
    "two samples": b"Ada\tB-PER\nran\tO\n\nLima\tB-LOC\n",
    "no line feed at the end": b"Ada\tB-PER\nran\tO",
    "blank lines before, between and after": b"\n\nAda\tO\n\n\n\nLima\tO\n\n\n",
    "lines of white space": b"Ada\tO\n  \nLima\tO\n\t\nOslo\tO\n",
    "line ends of Windows": b"Ada\tB-PER\r\nran\tO\r\n\r\nLima\tB-LOC\r\n",
    "a carriage return inside a line": b"Ada\tO\n\nLi\rma\tO\n",
    "a mark of the byte order": b"\xef\xbb\xbfAda\tO\n",
    "spaces": b"Ada B-PER\nran  O\n\n Lima B-LOC \n",
    "four columns": b"Ada NNP B-NP B-PER\nran VBD B-VP O\n\nLima NNP B-NP B-LOC\n",
    "ids": b"# id = a\nAda\tO\n\n# id = b\nLima\tO\n\nOslo\tO\n",
    "an id before a blank line": b"Oslo\tO\n\n# id = a\n\nAda\tO\n",
    "comments": b"# global columns\nAda\tO\n\n# text = Lima\n# id = b\nLima\tO\n",
    "a comment inside a sample": b"Ada\tO\n# not here\nLima\tO\n",
    "hashes that are tokens": b"#\tO\n#ada\tB-PER\n\n#lima\tO\n",
    "documents": b"-DOCSTART-\tO\n\nAda\tO\n\n-DOCSTART-\tO\n\nLima\tO\n",
    "documents with names": b"-DOCSTART-\t(d 1)\tO\n\nAda\tO\n\n-DOCSTART-\t()\tO\n\nLima\tO\n",
    "a document inside a sample": b"Ada\tO\n-DOCSTART-\tO\nLima\tO\n",
    "documents as in CoNLL 2003": b"-DOCSTART- -X- -X- O\n\nAda NNP I-NP I-PER\n\n",
    "a token that is empty": b"Ada\tO\n\tO\nran\tO\n",
    "a tag that is empty": b"Ada\tO\nran\t\n",
    "a tag that is space": b"Ada\tO\nran\t \n",
    "white space with a tab": b"Ada\tO\n \t \nLima\tO\n",
    "one column": b"Ada\nran\n",
    "too many columns": b"Ada\tO\n\nLima\tO\tO\n",
    "too few and too many columns": b"Ada\tO\n\nLima\nO\tO\tO\n",
    "not UTF-8": b"Ada\tO\n\nLim\xe1\tO\n",
    "half a character at a tab": b"Ada\tO\nL\xc3\t\xa1\n",
    "a zero byte": b"Ada\tO\n\n\0\tO\n",
    "other separators of Unicode": "Ada\u2028B\tO\n\u00a0\tO\n".encode(),
    "the code of a language": b"en:Ada\tB-PER\nen:ran\tO\nen:.\tO\n",
    "ill-formed tags": b"Ada\tI-PER\nran\tO\n\nLima\tX-PER\n",
    "nothing": b"",
    "blank lines alone": b"\n\n",
}


@pytest.mark.parametrize("case", CONLL)
def test_columns(case):
    check(CONLL[case], "x.conll")


@pytest.mark.parametrize("options", [{"column": 1}, {"column": 0}, {"column": 9}, {"word_column": 2}, {"column": -2}])
def test_columns_that_are_named(options):
    check(CONLL["four columns"], "x.conll", **options)


LINES = [
    b"Ada\tB-PER", b"ran\tO", b"\xc3\xa9\tI-PER", b"", b"", b"  ", b"#x\tO", b"# id = 1", b"-DOCSTART-\tO",
    b"-DOCSTART-\t(d)\tO", b"\tO", b"a\tb\tO", b"alone", b"Ada O", b"\0\tO", b"\xff\tO", b"a\rb\tO", b"x\t",
]  # fmt: skip


@examples(150)
@given(st.lists(st.sampled_from(LINES), max_size=12), st.sampled_from([b"\n", b"\r\n"]), st.booleans())
def test_columns_of_any_lines(lines, end, has_last_end):
    usual = b"Ada\tB-PER" + end + b"ran\tO" + end
    check(usual + end.join(lines) + end * has_last_end, "x.conll", may_have_errors=True)


# --- JSONL ------------------------------------------------------------------------------------------------------------

SPAN = '{"start": 0, "end": 1, "label": "PER"}'
JSONL = {
    "spans": f'{{"tokens": ["Ada"], "entities": [{SPAN}]}}\n{{"tokens": ["ran"], "entities": []}}\n',
    "tags": '{"tokens": ["Ada", "ran"], "tags": ["B-PER", "O"]}\n{"tokens": [], "tags": []}',
    "label ids": '{"tokens": ["Ada"], "ner_tags": [1]}\n{"tokens": ["ran"], "ner_tags": [0]}\n',
    "ids and documents": '{"id": "a", "doc": "d", "tokens": ["x"], "tags": ["O"]}\n{"tokens": ["x"], "tags": ["O"]}\n',
    "ids that are numbers": '{"id": 1, "tokens": ["x"], "tags": ["O"]}\n{"id": 2, "tokens": ["x"], "tags": ["O"]}\n',
    "ids of two kinds": '{"id": 1, "tokens": ["x"], "tags": ["O"]}\n{"id": "b", "tokens": ["x"], "tags": ["O"]}\n',
    "ids that are odd": '{"id": 1.5, "tokens": ["x"], "tags": ["O"]}\n{"id": true, "tokens": ["x"], "tags": ["O"]}\n',
    "an id of many digits": '{"id": 123456789012345678901234567890, "tokens": ["x"], "tags": ["O"]}\n',
    "an id that comes later": '{"tokens": ["x"], "tags": ["O"]}\n{"id": "b", "tokens": ["x"], "tags": ["O"]}\n',
    "the word relations": '{"tokens": ["relations", "entities"], "tags": ["O", "O"]}\n',
    "relations": f'{{"tokens": ["Ada"], "entities": [{SPAN}], "relations": []}}\n',
    "spans that come later": '{"tokens": ["x"], "tags": ["O"]}\n{"tokens": ["x"], "tags": ["O"], "entities": []}\n',
    "other names later": '{"tokens": ["x"], "tags": ["O"]}\n{"words": ["x"], "tags": ["O"]}\n',
    "tags, then numbers": '{"tokens": ["x"], "tags": ["O"]}\n{"tokens": ["x"], "tags": [0]}\n',
    "nothing, then spans": f'{{"tokens": ["x"], "entities": []}}\n{{"tokens": ["x"], "entities": [{SPAN}]}}\n',
    "triples": '{"tokens": ["x"], "entities": [[0, 1, "PER"]]}\n',
    "more in spans": '{"tokens": ["x"], "entities": [{"id": 1, "start": 0, "end": 1, "label": "PER", "text": "x"}]}\n',
    "a span without a label": '{"tokens": ["x"], "entities": [{"start": 0, "end": 1}]}\n',
    "a span with a null": '{"tokens": ["x"], "entities": [{"start": 0, "end": 1, "label": null}]}\n',
    "a span with a fraction": '{"tokens": ["x"], "entities": [{"start": 0, "end": 1.0, "label": "PER"}]}\n',
    "a span out of range": '{"tokens": ["x"], "entities": [{"start": 0, "end": 99999999999, "label": "PER"}]}\n',
    "a span past the end": '{"tokens": ["x"], "entities": [{"start": 0, "end": 2, "label": "PER"}]}\n',
    "null": '{"tokens": ["x"], "tags": ["O"]}\nnull\n',
    "a null token": '{"tokens": ["x"], "tags": ["O"]}\n{"tokens": [null], "tags": ["O"]}\n',
    "tokens that are null": '{"tokens": ["x"], "tags": ["O"]}\n{"tokens": null, "tags": ["O"]}\n',
    "a token that is a number": '{"tokens": ["x"], "tags": ["O"]}\n{"tokens": [1], "tags": ["O"]}\n',
    "tokens that are text": '{"tokens": ["x"], "tags": ["O"]}\n{"tokens": "x", "tags": ["O"]}\n',
    "dates": '{"tokens": ["2020-01-01"], "tags": ["O"]}\n{"tokens": ["2020-01-02"], "tags": ["O"]}\n',
    "two records a line": '{"tokens": ["x"], "tags": ["O"]} {"tokens": ["x"], "tags": ["O"]}\n',
    "a record over two lines": '{"tokens": ["x"],\n"tags": ["O"]}\n',
    "a key twice": '{"tokens": ["x"], "tags": ["O"], "tags": ["B-PER"]}\n',
    "blank lines": '\n{"tokens": ["x"], "tags": ["O"]}\n  \n{"tokens": ["y"], "tags": ["O"]}\n\n',
    "half a character": '{"tokens": ["\\ud800"], "tags": ["O"]}\n',
    "a character of two halves": '{"tokens": ["\\ud83d\\ude00"], "tags": ["O"]}\n',
    "control characters": '{"tokens": ["a\tb"], "tags": ["O"]}\n',
    "not JSON": '{"tokens": ["x"], "tags": ["O"]}\n{"tokens": [\n',
    "NaN beside": '{"tokens": ["x"], "tags": ["O"], "score": NaN}\n',
    "other columns": '{"tokens": ["x"], "tags": ["O"], "a": [1]}\n{"tokens": ["x"], "tags": ["O"], "a": {"b": 1}}\n',
    "space around": '  {"tokens": ["x"], "tags": ["O"]}  \n',
    "line ends of Windows": '{"tokens": ["x"], "tags": ["O"]}\r\n{"tokens": ["y"], "tags": ["O"]}\r\n',
    "masked positions": '{"tokens": ["x", "y"], "ner_tags": [1, -100]}\n{"tokens": ["x"], "ner_tags": [0]}\n',
}


@pytest.mark.parametrize("case", JSONL)
def test_records(case):
    labels = {"labels": ["O", "B-PER"]} if "ner_tags" in JSONL[case] else {}
    check(JSONL[case].encode(), "x.jsonl", **labels)


def test_records_that_are_not_utf_8():
    check(b'{"tokens": ["x"], "tags": ["O"]}\n{"tokens": ["\xff"], "tags": ["O"]}\n', "x.jsonl")


@examples(150)
@given(st.lists(st.sampled_from(sorted({line for text in JSONL.values() for line in text.split("\n")})), max_size=6))
def test_records_of_any_lines(lines):
    check("\n".join([JSONL["tags"], *lines]).encode(), "x.jsonl", may_have_errors=True, labels=["O", "B-PER"])


# --- both -------------------------------------------------------------------------------------------------------------


def usual_file(name: str, n_samples: int) -> bytes:
    if name.endswith(".conll"):
        samples = [f"# id = {i}\nAda{i % 7}\tB-PER\nran\tO\n\n" for i in range(n_samples)]
        return "".join(samples).encode()
    record = {"tokens": ["Ada", "ran"], "entities": [{"start": 0, "end": 1, "label": "PER"}]}
    return "".join(json.dumps({**record, "id": str(i)}) + "\n" for i in range(n_samples)).encode()


@pytest.mark.parametrize("name", ["x.conll", "x.jsonl"])
def test_usual_files_are_read_at_once(name, monkeypatch):
    def refuse(*_):
        raise AssertionError("read line by line")

    for module in (conll, jsonl):
        monkeypatch.setattr(module, "_rows_by_line", refuse)
    monkeypatch.setattr(opening, "BLOCK", 200)
    assert len(read_text(usual_file(name, 50), name)) == 50


@pytest.mark.parametrize("name", ["x.conll", "x.jsonl"])
@pytest.mark.parametrize("block", [1, 100, opening.BLOCK])
@pytest.mark.parametrize("size", [1, 7, 20, 100])
def test_batches_have_the_size_that_was_asked_for(name, block, size, monkeypatch):
    monkeypatch.setattr(opening, "BLOCK", block)
    batches = list(read_batches(Source.of_text(usual_file(name, 50), name), size))
    assert [len(batch) for batch in batches[:-1]] == [size] * (len(batches) - 1)
    assert [sample_id for batch in batches for sample_id in batch.ids] == [str(i) for i in range(50)]
    assert all(batch.texts()[0].startswith("Ada") for batch in batches)


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_whoever_waits_for_a_file_is_told_how_much_of_it_was_read(tmp_path, monkeypatch, ending):
    shares = []
    shown = partial(work_shown, told=shares.append)
    monkeypatch.setattr("cleancut.reading.opening.work_shown", shown)
    monkeypatch.setattr("cleancut.reading.opening.BLOCK", 1 << 12)
    file = tmp_path / f"x.conll{ending}"
    write(Corpus.of([[f"w{i}", "ran"] for i in range(3000)], tags=[["B-PER", "O"]] * 3000), file)
    assert len(read(file)) == 3000
    assert min(shares) > 0 and sum(shares) == pytest.approx(1)
    assert len(shares) > 1 or ending  # the packed file is read at once


def test_words_that_other_readers_take_for_missing_values_are_words():
    words = ["NA", "N/A", "null", "NULL", "nan", "NaN", "#N/A", "-nan", "true", "0", '"', "'", "\\", "\ufeffx"]
    text = "".join(f"{word}\tB-X\n\n" for word in ["first", *words])
    assert read_text(text, "x.conll").texts() == ["first", *words]
