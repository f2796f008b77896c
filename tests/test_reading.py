"""Files and datasets: every format reads the same, writing loses nothing, broken files say where."""

import gzip
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, flat

from cleancut import CleancutError, Corpus, exact_f1, from_dataset, read, read_batches, read_pair, write
from cleancut.reading.files import paired_batches
from cleancut.reading.formats import format_of

TOKENS = [["Ada", "King", "spoke"], ["Oslo"], ["«ça»", "東京", "x"]]
TAGS = [["B-PER", "I-PER", "O"], ["B-LOC"], ["O", "B-LOC", "O"]]
CONLL = "Ada B-PER\nKing I-PER\nspoke O\n\nOslo B-LOC\n\n«ça» O\n東京 B-LOC\nx O\n"


@pytest.fixture
def corpus():
    return Corpus.of(TOKENS, tags=TAGS)


def same(a: Corpus, b: Corpus) -> bool:
    return (a.tokens(), a.entities(), a.ids, a.docs) == (b.tokens(), b.entities(), b.ids, b.docs)


def put(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


CONLL_FORMS = {
    "spaces": CONLL,
    "tabs": CONLL.replace(" ", "\t"),
    "several spaces": CONLL.replace(" ", "   "),
    "CRLF": CONLL.replace("\n", "\r\n"),
    "BOM": "\ufeff" + CONLL,
    "blank lines": "\n\n" + CONLL.replace("\n\n", "\n \n\n") + "\n\n",
    "no final newline": CONLL.rstrip(),
    "four columns": CONLL.replace(" ", " NN x "),
    "comments": "# a comment\n" + CONLL.replace(" ", "\t").replace("\n\n", "\n\n# another\n"),
}


@pytest.mark.parametrize("form", CONLL_FORMS)
def test_conll(form, tmp_path, corpus):
    found = read(put(tmp_path / "x.conll", CONLL_FORMS[form]))
    assert same(found, corpus)


def test_a_chosen_column_and_the_single_file_of_conlleval(tmp_path):
    path = put(tmp_path / "out.txt", "Ada NN B-PER B-PER\nKing NN I-PER O\n\nOslo NN B-LOC B-LOC\n")
    gold, pred = read_pair(path)
    assert gold.tags() == [["B-PER", "I-PER"], ["B-LOC"]]
    assert exact_f1(gold, pred).n_exact == 1
    assert read(path, column=2).tags() == gold.tags()
    with pytest.raises(CleancutError, match=r"line 1: 4 columns .* column 7"):
        read(path, column=7)


def test_docstart_gives_documents_and_is_no_sample(tmp_path):
    text = "-DOCSTART- -X- O\n\na O\n\nb O\n\n-DOCSTART- -X- O\n\nc O\n"
    found = read(put(tmp_path / "x.conll", text))
    assert found.docs == ("0", "0", "1")
    assert found.tokens() == [["a"], ["b"], ["c"]]


def test_tokens_may_hold_unicode_separators_and_spaces_beside_tabs(tmp_path):
    path = put(tmp_path / "x.conll", "a\u2028b\tO\nNew York\tB-LOC\n\u00a0\tO\nc\x85\tO\n")
    assert read(path).tokens() == [["a\u2028b", "New York", "\u00a0", "c\x85"]]


def test_a_hash_is_a_token_where_it_has_a_tag(tmp_path):
    assert read(put(tmp_path / "x.conll", "# O\nx O\n")).tokens() == [["#", "x"]]
    assert read(put(tmp_path / "y.conll", "#\tO\nx\tO\n")).tokens() == [["#", "x"]]


JSONL_ROWS = [
    {"tokens": t, "entities": e} for t, e in zip(TOKENS, Corpus.of(TOKENS, tags=TAGS).entities(), strict=True)
]


def test_jsonl_with_entities_and_with_tags(tmp_path, corpus):
    rows = "\n".join(map(json.dumps, JSONL_ROWS)) + "\n\n"
    assert same(read(put(tmp_path / "x.jsonl", rows)), corpus)
    rows = "\n".join(json.dumps({"tokens": t, "tags": g}) for t, g in zip(TOKENS, TAGS, strict=True))
    assert same(read(put(tmp_path / "y.jsonl", rows)), corpus)
    rows = "\r\n".join(json.dumps({"words": t, "ner": g, "id": i}) for i, (t, g) in enumerate(zip(TOKENS, TAGS)))
    found = read(put(tmp_path / "z.jsonl", rows), tags="ner")
    assert found.ids == ("0", "1", "2") and found.tags() == TAGS


def test_jsonl_of_label_ids(tmp_path):
    path = put(tmp_path / "x.jsonl", '{"tokens": ["a", "b"], "tags": [1, 0]}\n')
    assert read(path, labels=["O", "B-X"]).tags() == [["B-X", "O"]]
    with pytest.raises(CleancutError, match="Give labels="):
        read(path)


def test_parquet_with_and_without_names_in_the_schema(tmp_path, corpus):
    datasets = pytest.importorskip("datasets")
    names = ["O", "B-PER", "I-PER", "B-LOC"]
    ids = [[names.index(t) for t in s] for s in TAGS]
    plain = datasets.Dataset.from_dict({"tokens": TOKENS, "ner_tags": ids})
    features = datasets.Features(
        {"tokens": datasets.List(datasets.Value("string")), "ner_tags": datasets.List(datasets.ClassLabel(names=names))}
    )
    plain.cast(features).to_parquet(tmp_path / "named.parquet")
    plain.to_parquet(tmp_path / "plain.parquet")
    assert same(read(tmp_path / "named.parquet"), corpus)
    assert same(read(tmp_path / "plain.parquet", labels=names), corpus)
    with pytest.raises(CleancutError, match="Give labels="):
        read(tmp_path / "plain.parquet")
    put(tmp_path / "named.parquet.gz", gzip.compress((tmp_path / "named.parquet").read_bytes()))
    assert same(read(tmp_path / "named.parquet.gz"), corpus)
    batches = list(read_batches(tmp_path / "named.parquet", 2))
    assert [len(b) for b in batches] == [2, 1] and batches[1].tokens() == TOKENS[2:]


def test_datasets_and_their_views(corpus):
    datasets = pytest.importorskip("datasets")
    names = ["O", "B-PER", "I-PER", "B-LOC"]
    features = datasets.Features(
        {"tokens": datasets.List(datasets.Value("string")), "ner_tags": datasets.List(datasets.ClassLabel(names=names))}
    )
    ids = [[names.index(t) for t in s] for s in TAGS]
    ds = datasets.Dataset.from_dict({"tokens": TOKENS, "ner_tags": ids}, features=features)
    assert same(from_dataset(ds), corpus)
    assert same(from_dataset(ds.select([2, 0])), corpus.select([2, 0]))
    assert same(from_dataset(datasets.concatenate_datasets([ds, ds]).select([0, 4])), corpus.select([0, 1]))
    assert same(from_dataset(ds.rename_columns({"tokens": "w", "ner_tags": "t"}), tokens="w", tags="t"), corpus)
    spans = datasets.Dataset.from_dict({"tokens": TOKENS, "entities": corpus.entities()})
    assert same(from_dataset(spans), corpus)
    with pytest.raises(CleancutError, match="Choose one of 'train'"):
        from_dataset(datasets.DatasetDict(train=ds))
    with pytest.raises(CleancutError, match="no tokens among 'w'"):
        from_dataset(ds.rename_columns({"tokens": "w"}))


def test_class_label_columns_are_not_copied():
    """The codes of a ClassLabel column are read from Arrow's own buffer."""
    pa = pytest.importorskip("pyarrow")
    import numpy as np

    from cleancut.core.inputs import _arrow_lists, in_sample

    column = pa.chunked_array([[[1, 2], [0]]])
    values, _ = _arrow_lists(column, in_sample())
    assert np.shares_memory(values.to_numpy(), column.chunk(0).values.to_numpy())


@examples(40)
@given(
    st.lists(flat(), min_size=1, max_size=4),
    st.sampled_from(["iob1", "iob2", "ioe1", "ioe2", "bioes", "bilou", "bmes", "bmeow"]),
    st.sampled_from(["x.conll", "x.jsonl", "x.conll.gz", "x.jsonl.gz"]),
    st.booleans(),
    st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=8, max_size=8),
)
def test_reading_what_was_written_gives_it_back(tmp_path_factory, spans, scheme, name, named, words):
    words = [w if w.strip() and not w.startswith(("-DOCSTART-", "#")) else "w" for w in words]
    ids = [f"id {i}" for i in range(len(spans))] if named else None
    docs = [str(i // 2) if i != 2 else None for i in range(len(spans))] if named else None
    corpus = Corpus.of([words for _ in spans], entities=spans, ids=ids, docs=docs)
    path = tmp_path_factory.mktemp("w") / name
    write(corpus, path, scheme=scheme, ids=True)
    assert same(read(path), corpus)
    assert same(read(path, scheme=scheme, repair="error"), corpus)


def test_writing_the_same_twice_gives_the_same_bytes(tmp_path, corpus):
    for name in ("a.conll.gz", "b.conll.gz"):
        write(corpus, tmp_path / name)
    assert (tmp_path / "a.conll.gz").read_bytes() == (tmp_path / "b.conll.gz").read_bytes()


def test_nested_mentions_go_to_jsonl_and_not_to_conll(tmp_path):
    nested = Corpus.of([["a", "b"]], entities=[[(0, 2, "X"), (0, 1, "X")]])
    write(nested, tmp_path / "x.jsonl")
    assert same(read(tmp_path / "x.jsonl"), nested)
    put(tmp_path / "x.conll", "kept")
    with pytest.raises(CleancutError, match="overlap"):
        write(nested, tmp_path / "x.conll")
    assert (tmp_path / "x.conll").read_text() == "kept"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.conll", "x.jsonl"]


@pytest.mark.parametrize("token", ["a\tb", "", " ", "a\nb", "-DOCSTART-", "a\rb"])
def test_tokens_that_conll_cannot_hold_are_refused(token, tmp_path):
    with pytest.raises(CleancutError, match="sample 0, token 0: the token .* Write JSONL"):
        write(Corpus.of([[token]], tags=[["O"]]), tmp_path / "x.conll")
    write(Corpus.of([[token]], tags=[["O"]]), tmp_path / "x.jsonl")
    assert read(tmp_path / "x.jsonl").tokens() == [[token]]


def test_interrupted_writing_leaves_what_was_there(tmp_path, corpus):
    path = put(tmp_path / "x.jsonl", "before")

    def batches():
        yield corpus
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(batches(), path)
    assert path.read_text() == "before" and len(list(tmp_path.iterdir())) == 1


BROKEN = {
    "empty.conll": (b"", "has no samples"),
    "blank.jsonl": (b"\n\n", "has no samples"),
    "only-docstart.conll": (b"-DOCSTART- O\n", "has no samples"),
    "latin1.conll": (b"a O\ncaf\xe9 O\n", "latin1.conll, line 2: byte 0xe9 at position 3 is not UTF-8"),
    "utf16.conll": ("a O\n".encode("utf-16"), "line 1: byte 0xff .* is not UTF-8"),
    "one.conll": (b"a\nb\n", "line 1: 1 column "),
    "ragged.conll": (b"a O\n\nb x O\n", "line 3: 3 columns .* but 2 on the first line"),
    "objects.conll": (
        b'{"tokens": ["a"], "tags": ["O"]}\n{"tokens": ["a", "b"], "tags": ["O", "O"]}\n',
        "a JSON object .* Name the file .jsonl",
    ),
    "tag.conll": (b"a O\nb O\n\nc O\nd X\n", r"sample 1 \(tag.conll, line 5\): tag 'X'"),
    "list.jsonl": (b"[1]\n", "line 1: expected an object, got list"),
    "bad.jsonl": (b'{"tokens": [], "entities": []}\n{"tokens": [\n', "line 2: invalid JSON"),
    "missing.jsonl": (b'{"title": "x", "page": 1}\n', "missing.jsonl: no tokens among 'title', 'page'"),
    "untagged.jsonl": (b'{"tokens": ["x"]}\n', "untagged.jsonl: no annotation among 'tokens'"),
    "mixed.jsonl": (
        b'{"tokens": ["x"], "tags": ["O"]}\n{"tokens": ["x"], "entities": []}\n',
        r"sample 1 \(mixed.jsonl, line 2\): entities here but tags before",
    ),
    "cr.conll": (b"Ada B-P\ris O\r\r", "line 1: a carriage return inside the line"),
    "nested.jsonl": (b'{"tokens": [["a"]], "tags": ["O"]}\n', r"token 0: list \['a'\] is not a word"),
    "huge.jsonl": (
        b'{"tokens": ["a"], "entities": [{"start": 0, "end": 1' + b"0" * 30 + b', "label": "A"}]}',
        "out of range",
    ),
    "digits.jsonl": (b'{"tokens": ["a"], "tags": [' + b"1" * 5000 + b"]}", "line 1: invalid JSON"),
    "deep.jsonl": (b"[" * 100_000, "line 1: invalid JSON"),
    "string.jsonl": (b'{"tokens": "x y", "tags": ["O", "O"]}\n', "line 1: tokens must be a list, got 'x y'"),
    "length.jsonl": (b'{"tokens": ["x"], "tags": ["O", "O"]}\n', "line 1.: 1 tokens but 2 tags"),
    "range.jsonl": (
        b'\n{"tokens": ["x"], "entities": [{"start": 0, "end": 2, "label": "A"}]}\n',
        r"sample 0 \(range.jsonl, line 2\): span \[0, 2\) A ends beyond the sample's 1 tokens",
    ),
    "none.jsonl": (b'{"tokens": ["x", null], "tags": ["O", "O"]}\n', "line 1., token 1: NoneType None is not a word"),
    "broken.conll.gz": (b"\x1f\x8b\x08\x00rubbish", "broken.conll.gz: .*gzip data is broken"),
    "plain.conll.gz": (b"a O\n", "gzip data is broken"),
    "x.parquet": (b"PAR1 not really", "not a readable parquet file"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_say_what_and_where(name, tmp_path):
    content, message = BROKEN[name]
    with pytest.raises(CleancutError, match=message):
        read(put(tmp_path / name, content))


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(CleancutError, match="no such file"):
        read(tmp_path / "none.conll")
    with pytest.raises(CleancutError, match="is a directory"):
        read(tmp_path)
    with pytest.raises(CleancutError, match="does not exist"):
        write(Corpus.of([["a"]], tags=[["O"]]), tmp_path / "no" / "x.conll")
    with pytest.raises(CleancutError, match="format='xml' is not written. Choose one of brat"):
        write(Corpus.of([["a"]], tags=[["O"]]), tmp_path / "x", format="xml")
    with pytest.raises(CleancutError, match="format='xml' is unknown"):
        read(put(tmp_path / "x", "a O\n"), format="xml")


def test_the_format_shows_in_the_name_or_the_content(tmp_path):
    assert format_of("a.jsonl.gz") == "jsonl" and format_of("a.PARQUET") == "parquet" and format_of("x.tsv") == "conll"
    assert format_of(put(tmp_path / "a", '{"tokens": []}')) == "jsonl"
    assert format_of(put(tmp_path / "b", "{ O\n")) == "conll"
    assert format_of(put(tmp_path / "c", b"PAR1...")) == "parquet"


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_batches_score_what_the_whole_scores(size, tmp_path):
    gold = put(tmp_path / "gold.conll", CONLL * 3)
    pred = put(tmp_path / "pred.conll", CONLL.replace("B-LOC", "I-LOC").replace("I-PER", "O") * 3)
    whole = exact_f1(read(gold), read(pred))
    assert sum(exact_f1(a, b) for a, b in paired_batches(gold, pred, size)) == whole
    strict = [exact_f1(a, b) for a, b in paired_batches(gold, pred, size, repair="discard")]
    assert sum(strict).n_pred == 3  # the scheme is that of the whole gold file, whatever the batch shows


def test_files_of_different_length_are_refused(tmp_path):
    gold, pred = put(tmp_path / "g.conll", CONLL), put(tmp_path / "p.conll", "Ada O\nKing O\nspoke O\n")
    with pytest.raises(CleancutError, match="g.conll has 3 samples but .*p.conll has 1"):
        list(paired_batches(gold, pred))


def test_errors_in_later_batches_name_the_right_sample(tmp_path):
    path = put(tmp_path / "x.conll", "a O\n\n" * 5 + "b X\n")
    with pytest.raises(CleancutError, match=r"sample 5 \(x.conll, line 11\)"):
        list(read_batches(path, 2))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes among files here")
def test_pipes_are_refused_rather_than_read_in_part(tmp_path):
    os.mkfifo(tmp_path / "pipe.conll")
    with pytest.raises(CleancutError, match="is a pipe or a device"):
        read(tmp_path / "pipe.conll")


@pytest.mark.skipif(os.name == "nt", reason="on Windows not everyone may make links, and no file is a device")
def test_links_stay_links_and_odd_names_are_refused(tmp_path, corpus):
    write(corpus, tmp_path / "real.conll")
    (tmp_path / "link.conll").symlink_to("real.conll")
    write(corpus.select([0]), tmp_path / "link.conll")
    assert (tmp_path / "link.conll").is_symlink() and len(read(tmp_path / "real.conll")) == 1
    with pytest.raises(CleancutError, match="the name does not show a format that is written"):
        write(corpus, tmp_path / "out")
    with pytest.raises(CleancutError, match="not a regular file"):
        write(corpus, "/dev/null", format="conll")


@pytest.mark.parametrize("text", ["A\tB", "A\nB", "A\rB"])
def test_names_that_conll_cannot_hold_are_refused(text, tmp_path):
    for bad in (
        Corpus.of([["a"]], entities=[[(0, 1, text)]]),
        Corpus.of([["a"]], entities=[[]], ids=[text]),
        Corpus.of([["a"]], entities=[[]], docs=[text]),
    ):
        with pytest.raises(CleancutError, match="cannot stand in a CoNLL file. Write JSONL"):
            write(bad, tmp_path / "x.conll", ids=True)
        write(bad, tmp_path / "x.jsonl")
        assert same(read(tmp_path / "x.jsonl"), bad)


def test_half_characters_are_refused_when_written(tmp_path):
    with pytest.raises(CleancutError, match="half a character"):
        write(Corpus.of([["a\ud800"]], tags=[["O"]]), tmp_path / "x.jsonl")


def test_comments_in_files_with_spaces(tmp_path):
    text = "# sentence one of two\nAda B-PER\n# O\n\n# id = 7\nOslo B-LOC\n"
    found = read(put(tmp_path / "x.conll", text))
    assert found.tokens() == [["Ada", "#"], ["Oslo"]] and found.ids == (None, "7")


def test_missing_ids_do_not_drop_the_others(tmp_path):
    rows = '{"id": "a", "tokens": ["x"], "tags": ["O"]}\n{"tokens": ["y"], "tags": ["O"]}\n'
    found = read(put(tmp_path / "x.jsonl", rows))
    assert found.ids == ("a", None)
    write(found, tmp_path / "y.jsonl")
    assert same(read(tmp_path / "y.jsonl"), found)


def test_discarding_never_depends_on_the_batch(tmp_path):
    path = put(tmp_path / "x.conll", "a B-P\nb O\n\nc I-P\nd B-P\n")
    counts = {n: sum(len(c.mentions) for c in read_batches(path, n, repair="discard")) for n in (1, 2, 9)}
    assert set(counts.values()) == {2} and len(read(path, repair="discard").mentions) == 2


def test_schemes_of_gold_and_predictions_may_differ(tmp_path):
    spans = put(tmp_path / "g.jsonl", '{"tokens":["Ada"],"entities":[{"start":0,"end":1,"label":"P"}]}\n')
    iob1 = put(tmp_path / "p.conll", "Ada I-P\n")
    bioes, iob2 = put(tmp_path / "b.conll", "a B-P\nb E-P\n"), put(tmp_path / "i.conll", "a B-P\nb I-P\n")
    for gold, pred in ((spans, iob1), (bioes, iob2), (iob2, bioes)):
        assert sum(exact_f1(a, b) for a, b in paired_batches(gold, pred, repair="discard")).f1 == 1.0


def test_different_numbers_of_samples_are_told_under_any_option(tmp_path):
    gold, pred = put(tmp_path / "g.conll", "a P\n\nb P\n"), put(tmp_path / "p.conll", "a P\n")
    with pytest.raises(CleancutError, match="has 2 samples but .* has 1"):
        list(paired_batches(gold, pred, scheme="io"))


def test_corpora_go_through_pickle(tmp_path, corpus):
    import pickle

    write(corpus, tmp_path / "x.conll")
    for original in (corpus, read(tmp_path / "x.conll"), corpus.select([1, 2])):
        assert same(pickle.loads(pickle.dumps(original)), original)
