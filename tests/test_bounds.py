"""Small files that claim or unpack to more than they may: refused with the limit named, and nothing of it kept."""

import gzip
import io
import tracemalloc
import zipfile
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cleancut as cc
from cleancut import CleancutError
from cleancut.core.limits import max_unpacked
from cleancut.reading.doc_bin import _unpacked

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
    "parquet that repeats a value": ("x.parquet", repeated(5_000_000), "x.parquet, once unpacked, takes "),
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
