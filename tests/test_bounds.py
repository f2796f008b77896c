"""Small files that claim or unpack to more than they may: refused with the limit named, and nothing of it kept."""

import gzip
import io
import random
import tracemalloc
import zipfile
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cleancut as cc
from cleancut import CleancutError
from cleancut.core.limits import max_unpacked
from cleancut.reading.doc_bin import _unpacked
from cleancut.reading.parquet_pages import _bytes_by_dictionary, _bytes_by_prefix, _columns, bytes_taken

GOLD = cc.Corpus.of([["Ada"]], tags=[["B-PER"]])
MB = 2**20


@pytest.fixture(autouse=True)
def limit(monkeypatch):
    """A limit of 16 MB for a file, and so 1 MB for a line."""
    monkeypatch.setenv("CLEANCUT_MAX_UNPACKED", "16MB")


def packed(*parts: bytes) -> bytes:
    stream = io.BytesIO()
    with gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=1) as file:
        for part in parts:
            file.write(part)
    return stream.getvalue()


def repeated(n_rows: int) -> bytes:
    """A parquet file of one row, which is repeated."""
    stream = pa.BufferOutputStream()
    offsets, values = pa.array(np.arange(n_rows + 1, dtype=np.int32)), pa.array(np.zeros(n_rows, np.int32))
    pq.write_table(pa.table({"tokens": pa.ListArray.from_arrays(offsets, values)}), stream)
    return stream.getvalue().to_pybytes()


def written(columns: dict, **options) -> bytes:
    stream = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), stream, **{"compression": "zstd", "store_schema": False, **options})
    return stream.getvalue().to_pybytes()


def same(word: str, n: int) -> pa.Array:
    """One word in a dictionary, and so many places of it."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * n), pa.array([word]))


def lists(values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array([0, len(values)]), values)


WORD, PREFIX = "a" * MB, "a" * (MB // 10)
REPEATED = {
    "a word": {"tokens": lists(same(WORD, 99)), "tags": lists(same("O", 99))},
    "a tag": {"tokens": lists(same("a", 99)), "tags": lists(same(f"B-{WORD}", 99))},
    "another column": {"tokens": [["a"]] * 99, "tags": [["O"]] * 99, "more": same(WORD, 99)},
    "a field": {"tokens": [["a"]] * 99, "more": pa.StructArray.from_arrays([same(WORD, 99)], ["x"])},
    "bytes of one size": {"tokens": [["a"]] * 99, "x": pa.array([WORD.encode()] * 99, pa.binary(MB))},
}
"""Columns whose values stand once in the file, and as often as one likes in memory."""
PREFIXES = written(
    {"tokens": [[f"{PREFIX}{i}" for i in range(300)]], "tags": [["O"] * 300]}, use_dictionary=False,
    column_encoding={"tokens.list.element": "DELTA_BYTE_ARRAY", "tags.list.element": "PLAIN"}, write_statistics=False,
)  # fmt: skip
UNPACKED = "x.parquet, once unpacked, takes "

LINE = [b'{"tokens": ["'] + [b"a" * MB] * 20
WHOLE = (
    "unpacks to more than 16 MB. If you trust the file, set CLEANCUT_MAX_UNPACKED, such as CLEANCUT_MAX_UNPACKED=32MB."
)
LONG = "line 1: a line or sample of more than 1 MB. If you trust the file, set CLEANCUT_MAX_UNPACKED, such as "
LARGE = {
    "a line of JSON": ("x.jsonl.gz", packed(*LINE), LONG),
    "a line of columns": ("x.conll.gz", packed(*LINE[1:]), LONG),
    "a sample without an end": ("x.conll.gz", packed(b"Ada B-PER\n" * 10, *[b"a O\n" * (MB // 4)] * 3), LONG),
    "a line that is not packed": ("x.jsonl", b"".join(LINE[:4]), LONG),
    "JSON": ("x.json.gz", packed(b"[", *LINE), WHOLE),
    "CSV": ("x.csv.gz", packed(b"tokens,tags\n", *LINE[1:]), WHOLE),
    "parquet": ("x.parquet.gz", packed(b"PAR1", *[bytes(MB)] * 20), WHOLE),
    "parquet that repeats a value": ("x.parquet", repeated(5_000_000), UNPACKED),
    **{
        f"parquet that repeats {name}": ("x.parquet", written(columns, write_statistics=False), UNPACKED)
        for name, columns in REPEATED.items()
    },
    "parquet that repeats the beginnings of words": ("x.parquet", PREFIXES, UNPACKED),
}


@pytest.mark.parametrize("case", LARGE)
def test_what_unpacks_to_too_much_is_refused(case):
    name, data, message = LARGE[case]
    assert len(data) < MB or name == "x.jsonl"
    tracemalloc.start()
    with pytest.raises(CleancutError) as refused:
        cc.read_text(data, name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert message in str(refused.value) and name in str(refused.value), refused.value
    assert peak < 16 * MB, "it was kept"


TEXTS = ["", "a", "ab", "abc" * 9, "b" * 300, "é", None]


@given(
    words=st.lists(st.lists(st.sampled_from(TEXTS), max_size=9) | st.none(), max_size=40),
    codec=st.sampled_from(["snappy", "zstd", "gzip", "none", "lz4", "brotli"]),
    version=st.sampled_from(["1.0", "2.0"]),
    encoding=st.sampled_from(["DELTA_BYTE_ARRAY", "PLAIN", None]),
    sizes=st.tuples(st.sampled_from([3, 100]), st.sampled_from([10, 10**6])),
)
def test_what_texts_take_is_counted_without_making_them(words, codec, version, encoding, sizes):
    """At least the bytes of the texts, and no more than a few texts more for each page."""
    how = {"use_dictionary": True} if encoding is None else {"use_dictionary": False, "column_encoding": encoding}
    table = {"tokens": pa.array(words, pa.list_(pa.string())), "more": pa.array([1] * len(words), pa.int32())}
    if encoding not in (None, "PLAIN"):
        how["column_encoding"] = {"tokens.list.element": encoding, "more": "PLAIN"}
    data = written(
        table, compression=codec, data_page_version=version, row_group_size=sizes[0], data_page_size=sizes[1], **how
    )
    metadata = pq.ParquetFile(io.BytesIO(data)).metadata
    texts = [len(word.encode()) for row in words for word in row or () if word is not None]
    n_pages = sum(len(column.pages) for column in _columns(metadata, io.BytesIO(data)))
    counted = bytes_taken(metadata, io.BytesIO(data), limit=10**9)
    columns = list(_columns(metadata, io.BytesIO(data)))
    for name, n_more in (
        ("prefix", sum(_bytes_by_prefix(columns, io.BytesIO(data)))),
        ("dictionary", sum(_bytes_by_dictionary(columns, io.BytesIO(data), exactly=True))),
    ):
        assert n_more <= sum(texts) + 8 * n_pages * 300, name
    if encoding is None and all(page.encoding != 0 or page.is_dictionary for c in columns[::2] for page in c.pages):
        assert sum(_bytes_by_dictionary(columns, io.BytesIO(data), exactly=True)) >= sum(texts)
    assert counted >= 4 * sum(column.n_values for column in columns)


def test_a_parquet_file_whose_pages_are_changed_is_read_or_refused():
    good = written(REPEATED["a word"] | {"more": pa.array(["abc"])}, write_statistics=False)
    rng = random.Random(5)
    for _ in range(100):
        data = bytearray(good)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(4, len(data) - 8)] = rng.choice([0, 1, 255, 128, rng.randrange(256)])
        try:
            cc.read_text(bytes(data), "x.parquet")
        except CleancutError as error:
            assert str(error).startswith("x.parquet"), error


def test_answers_and_batches_are_bounded_as_well(tmp_path):
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(LARGE["a line of JSON"][1])
    for door in (lambda: cc.read_answers(path, GOLD), lambda: list(cc.read_batches(path, 1)), lambda: cc.read(path)):
        with pytest.raises(CleancutError, match="a line or sample of more than 1 MB"):
            door()


def test_the_limit_can_be_raised(monkeypatch):
    line = b'{"tokens": ["' + b"a" * (2 * MB) + b'"], "tags": ["O"]}\n'
    with pytest.raises(CleancutError, match="CLEANCUT_MAX_UNPACKED=64MB"):
        cc.read_text(packed(line), "x.jsonl.gz")
    monkeypatch.setenv("CLEANCUT_MAX_UNPACKED", "64MB")
    assert len(cc.read_text(packed(line), "x.jsonl.gz")) == 1
    monkeypatch.delenv("CLEANCUT_MAX_UNPACKED")
    assert max_unpacked() == 2 * 10**9


def test_files_below_the_limit_are_read(tmp_path):
    """Files of many lines are read to their end, whatever they take together, and so is parquet."""
    lines = b'{"tokens": ["Ada"], "tags": ["B-PER"]}\n' * 1000
    assert sum(map(len, cc.read_batches(_file(tmp_path / "x.jsonl.gz", packed(*[lines] * 20)), 5000))) == 20_000
    many = cc.Corpus.of([["Ada", "ran"]] * 5000, tags=[["B-PER", "O"]] * 5000)
    cc.write(many, tmp_path / "x.parquet")
    assert len(cc.read(tmp_path / "x.parquet")) == 5000


def _file(path, data):
    path.write_bytes(data)
    return path


def test_an_index_that_unpacks_to_too_much_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("words.npy", bytes(17 * MB))
    with pytest.raises(CleancutError, match="once unpacked, takes 17 MB, over the limit of 16 MB"):
        cc.Exposure.load(tmp_path / "x.npz")


def test_data_of_zlib_is_unpacked_in_pieces():
    data = zlib.compress(bytes(3 * MB))
    assert [len(piece) for piece in _unpacked(data) if piece] == [MB] * 3
