"""Plans and indices on disk: one that was changed is refused in one line, or all that can be done with it works.

Every field of a good file is changed in turn, by values of other kinds and sizes, and the file by its bytes.
"""

import copy
import io
import json
import os
import random
import re
import resource
import struct
import sys
import zipfile

import numpy as np
import pytest

import cleancut as cc
from cleancut import CleancutError, Corpus, Exposure, SplitPlan, cli
from cleancut.hub.cards import config_section, leakage_chart
from cleancut.showing.text import split_text

pytestmark = pytest.mark.usefixtures("few_moves")

NAMES = ("Ada", "Bo", "Cy", "Di", "Eve", "Flo")
WORDS = [[f"{NAMES[i % 6]}{i % 7}", "spoke"] for i in range(24)]
TAGS = [["B-PER", "O"] if i % 4 else ["O", "B-LOC"] for i in range(24)]
CORPUS = Corpus.of(WORDS, tags=TAGS)
PARTS = {"train": CORPUS.select(slice(0, 16)), "test": CORPUS.select(slice(16, 24))}
PLAN = cc.mincut(PARTS, (50, 25, 25), effort="fast", min_per_type=0, discard=0.1)
SHOWN = Exposure.of(CORPUS)
LIMIT = 400 * 2**20
"""Bytes that nothing here may come near to, whatever a file claims."""

VALUES = [
    None, True, False, 0, -1, 1, 2, 0.5, -0.5, 1e308, 2**31, 2**63, 2**64, 10**40, "", "x", "../x", "a\nb", "\x1b[31m",
    "\ud800", "=cmd()", "x" * 200_000, [], [[]], [None], [-1], ["x"], {}, {"x": 1}, {"x": {}}, [{}],
]  # fmt: skip


def places(value, path=()):
    """Every place in a value of JSON, the whole of it first; of long lists and large mappings inside of it some."""
    yield path
    if isinstance(value, dict):
        for name in list(value)[: 12 if path else None]:
            yield from places(value[name], (*path, name))
    elif isinstance(value, list):
        for i in {0, len(value) - 1} if value else ():
            yield from places(value[i], (*path, i))


def changed(stored, path, value):
    """The same with another value at a place; without it for ``...``, which JSON does not have."""
    if not path:
        return value
    new = copy.deepcopy(stored)
    at = new
    for step in path[:-1]:
        at = at[step]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return new


def use(plan):
    """All that is done with a plan: none of it may meet a broken one."""
    plan.apply(PARTS)
    plan.rows("discarded"), plan.n_samples_before(), plan.n_samples_after(), plan.origins(), plan.to_dict()
    assert str(plan) and plan.command and plan == plan and plan._repr_html_()
    for part in (False, True):
        assert split_text({"x": plan}, markdown=part)
    assert cc.html_split(plan) and config_section(plan, "c", "org/name", False) and leakage_chart(plan)


def load_and_use(path):
    try:
        plan = SplitPlan.load(path)
    except CleancutError as error:
        assert len(str(error)) < 600 and "\n" not in str(error), error
        return False
    try:
        use(plan)
    except CleancutError as error:  # that it is of other samples is for ``apply`` to say
        assert re.search("the plan is for|given", str(error)), error
    return True


PLAN_PLACES = list(places(json.loads(json.dumps(PLAN._stored()))))


def named(path):
    return ".".join(map(str, path)) or "all"


def values_for(path, every):
    """All values to put into a place, or five of them; in the end nothing at all."""
    chosen = VALUES if every else random.Random(named(path)).sample(VALUES, 5)
    return [*chosen, ...] if path else chosen


EVERY = pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])


@pytest.mark.slow
@EVERY
@pytest.mark.parametrize("path", PLAN_PLACES, ids=named)
def test_a_plan_with_any_other_value_is_refused_or_works(tmp_path, path, every):
    stored = json.loads(json.dumps(PLAN._stored()))
    file = tmp_path / "plan.json"
    taken = 0
    for value in values_for(path, every):
        file.write_bytes(json.dumps(changed(stored, path, value)).encode("utf-8", "surrogatepass"))
        taken += load_and_use(file)
    assert taken < 10 or path[0] in ("notes", "guarantee", "how"), "what is never checked?"


def test_a_plan_as_it_was_written_is_taken(tmp_path):
    PLAN.save(tmp_path / "plan.json")
    assert SplitPlan.load(tmp_path / "plan.json") == PLAN
    use(SplitPlan.load(tmp_path / "plan.json"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 100_000, "nested too deep"),
        (b'{"format": "cleancut-plan-1", "x": ' + b'{"a": ' * 100_000, "nested too deep"),
        (b"", "Expecting value"),
        (b"\xff\xfe", ""),
        (b"null", "does not say format"),
        (b'{"format": "cleancut-plan-9"}', "does not say format"),
        (b'{"format": "cleancut-plan-1", "names": NaN}', "NaN is not a number"),
        (b"9" * 100_000, ""),
    ],
)
def test_what_is_no_plan_is_refused(tmp_path, content, message, capsys):
    (tmp_path / "plan.json").write_bytes(content)
    with pytest.raises(CleancutError, match=rf"not a plan that SplitPlan.save wrote \(.*{message}"):
        SplitPlan.load(tmp_path / "plan.json")
    code = cli.main(["publish", str(tmp_path / "plan.json"), "--to", "org/name", "--config", "c"])
    assert code == 2 and capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("n_shared", 10**6, "n_shared 1000000 is more than n_mentions"),
        ("n_template", 10**6, "n_template 1000000 is more than n_bearing"),
        ("n_part", -1, "-1"),
        ("rate_folded", 1.5, "1.5"),
        ("rate_template", "0", "'0'"),
    ],
)
def test_what_a_plan_says_is_related_does_not_contradict_itself(tmp_path, field, value, message):
    stored = json.loads(json.dumps(PLAN._stored()))
    next(iter(stored["related_after"].values()))[field] = value
    (tmp_path / "plan.json").write_text(json.dumps(stored))
    with pytest.raises(CleancutError, match=rf"related_after.*{message}"):
        SplitPlan.load(tmp_path / "plan.json")


@pytest.mark.parametrize("path", ["", "/dev/zero", "."])
def test_a_plan_is_read_from_a_file_alone(path):
    with pytest.raises(CleancutError):
        SplitPlan.load(path)


@pytest.mark.parametrize("kind", ["plan", "index"])
@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(i, marks=pytest.mark.slow) for i in range(6, 40))])
def test_changed_bytes_are_refused_or_work(tmp_path, kind, seed):
    file = tmp_path / ("plan.json" if kind == "plan" else "x.npz")
    (PLAN if kind == "plan" else SHOWN).save(file)
    whole, rng = file.read_bytes(), random.Random(seed)
    for _ in range(20):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            at, size = rng.randrange(len(data)), rng.randint(1, 16)
            piece = rng.choice([rng.randbytes(size), b"", bytes(data[at : at + size]) * 2, b"9", b"\xff\xff\xff\x7f"])
            data[at : at + rng.choice([0, size])] = piece
        if rng.random() < 0.2:
            del data[rng.randrange(1, len(data)) :]
        file.write_bytes(data)
        load_and_use(file) if kind == "plan" else load_and_ask(file)


# --- indices ----------------------------------------------------------------------------------------------------------


def load_and_ask(path):
    try:
        shown = Exposure.load(path)
    except CleancutError as error:
        assert len(str(error)) < 600 and "\n" not in str(error), error
        return False
    for score in (cc.clean_f1(CORPUS, CORPUS, shown), cc.hardeval(CORPUS, CORPUS, shown)):
        assert score.to_dict()
    if shown._tables.occurrences is not None:
        assert cc.buckets(CORPUS, CORPUS, shown)
    assert str(shown) and (shown.key != SHOWN.key or shown + SHOWN)
    assert shown.renamed({"PER": "LOC"}).type_names is not None
    return True


def arrays():
    return {name: np.array(array) for name, array in SHOWN._arrays().items()}


def write_index(path, named):
    with open(path, "wb") as stream:
        np.savez_compressed(stream, **named)


def other_arrays(name):
    """An array in many other forms: kinds, sizes, orders, ends and single values."""
    good = arrays()[name]
    yield from (
        good[:-1],
        np.append(good, good)[: good.size * 2],
        good[..., :0],
        good.reshape(-1),
        good[None],
        good[::-1],
    )
    yield from (good.astype(kind) for kind in ("float64", "int8", "uint64", "U5", "complex64", "bool", "datetime64[s]"))
    yield from (good + 1, good * 0, good * 2, np.array(5), np.array([object()]), np.zeros((2, 2, 2)), np.array([]))
    for value in (-1, 0, 1, 2**31 - 1, 2**31, 2**53, 2**62, -(2**63)):
        for at in (0, -1):
            new = good.astype(np.int64)
            new.reshape(-1)[at] = value
            yield new


@pytest.mark.parametrize("name", arrays())
def test_an_index_with_any_other_array_is_refused_or_works(tmp_path, name):
    taken = []
    for i, array in enumerate(other_arrays(name)):
        named = arrays() | {name: array}
        with open(tmp_path / "x.npz", "wb") as stream:
            np.savez(stream, allow_pickle=True, **named) if array.dtype == object else np.savez(stream, **named)
        taken += [i] * load_and_ask(tmp_path / "x.npz")
    without = {other: array for other, array in arrays().items() if other != name}
    write_index(tmp_path / "x.npz", without)
    assert load_and_ask(tmp_path / "x.npz") == (name in ("occurrences", "templates"))
    assert len(taken) < 16, taken  # of 36


META = json.loads(arrays()["meta"].tobytes())


@EVERY
@pytest.mark.parametrize("path", list(places(META)), ids=named)
def test_an_index_that_says_anything_else_of_itself_is_refused_or_works(tmp_path, path, every):
    for value in values_for(path, every):
        text = json.dumps(changed(META, path, value)).encode("utf-8", "surrogatepass")
        write_index(tmp_path / "x.npz", arrays() | {"meta": np.frombuffer(text, np.uint8)})
        load_and_ask(tmp_path / "x.npz")


INDICES = {
    "usual": lambda: SHOWN,
    "empty": Exposure,
    "of nothing": lambda: Exposure.of([], case=False),
    "folded": lambda: Exposure.of(CORPUS, case=False, unicode="NFKC"),
    "half a character": lambda: Exposure.of(Corpus.of([["\ud800", "a"]], tags=[["B-X", "O"]])),
    "of a stream": lambda: Exposure.of(iter([CORPUS])),
    "merged": lambda: SHOWN + Exposure.of(Corpus.of([["Zoe"]], tags=[["B-PER"]])),
    "renamed": lambda: SHOWN.renamed({"PER": "LOC"}),
    "nested": lambda: Exposure.of(Corpus.of([["a", "b"]], entities=[[(0, 2, "X"), (0, 1, "Y"), (0, 1, "X")]])),
}


@pytest.mark.parametrize("kind", INDICES)
def test_an_index_as_it_was_written_is_taken(tmp_path, kind):
    shown = INDICES[kind]()
    shown.save(tmp_path / "x.npz")
    again = Exposure.load(tmp_path / "x.npz")
    assert again.identity == shown.identity and load_and_ask(tmp_path / "x.npz")
    written, read = ({name: a.tolist() for name, a in of._arrays().items()} for of in (shown, again))
    assert written == read


@pytest.fixture
def bounded():
    """Fail where more memory is asked for than a file of this size is worth."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * (1 if sys.platform == "darwin" else 1024)
    assert grown < LIMIT


def npy(shape, kind="<i8", data=b""):
    stream = io.BytesIO()
    header = {"descr": kind, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + data


@pytest.mark.parametrize("shape", [(2**57,), (2**62, 2**62), (-1,), (2**31, 2), (0, 2**62), (2**33,)])
def test_a_header_that_claims_any_size_is_refused(tmp_path, shape, bounded):
    SHOWN.save(tmp_path / "x.npz")
    with zipfile.ZipFile(tmp_path / "x.npz") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(tmp_path / "y.npz", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, npy(shape) if name == "of_word.npy" else data)
    assert not load_and_ask(tmp_path / "y.npz")


def test_a_file_that_unpacks_to_more_than_the_limit_is_refused_and_the_limit_can_be_raised(
    tmp_path, monkeypatch, bounded
):
    monkeypatch.setenv("CLEANCUT_MAX_UNPACKED", "10MB")
    zeros = np.zeros(40 * 2**20 // 8, np.int64)
    write_index(tmp_path / "x.npz", arrays() | {"of_word": zeros})
    assert os.path.getsize(tmp_path / "x.npz") < 200_000
    with pytest.raises(
        CleancutError, match=r"takes 41 MB, over the limit of 10 MB. .* set CLEANCUT_MAX_UNPACKED, such as"
    ):
        Exposure.load(tmp_path / "x.npz")
    monkeypatch.setenv("CLEANCUT_MAX_UNPACKED", "1 GB")
    with pytest.raises(CleancutError, match="of_word has 5242880 counts"):
        Exposure.load(tmp_path / "x.npz")
    monkeypatch.setenv("CLEANCUT_MAX_UNPACKED", "much")
    with pytest.raises(CleancutError, match="CLEANCUT_MAX_UNPACKED='much' is not a size"):
        Exposure.load(tmp_path / "x.npz")


def test_an_archive_that_lies_about_its_sizes_is_refused(tmp_path, bounded):
    """The directory says that a member is small; what it unpacks to is 2 GB of zeros, or is claimed to be."""
    SHOWN.save(tmp_path / "x.npz")
    data = bytearray((tmp_path / "x.npz").read_bytes())
    directory = data.index(b"PK\x01\x02")
    for size in (0, 1, 2**31, 2**32 - 1):
        data[directory + 24 : directory + 28] = struct.pack("<I", size)
        (tmp_path / "y.npz").write_bytes(data)
        assert not load_and_ask(tmp_path / "y.npz")


# --- incidences -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [[2**33], [2**62], [2**62] * 8, [2**31 - 1], [-1], [0], [2**30] * 3, [-(2**63)]])
def test_counts_that_no_memory_holds_are_refused(tmp_path, counts, bounded, capsys):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    names = [str(i) for i in range(len(counts))]
    table = pa.table({"sample": names, "entity": names, "count": pa.array(counts, pa.int64())})
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(CleancutError, match=r"CLEANCUT_MAX_UNPACKED|Give less than 2147483648|from 1 on"):
        cc.Incidences.load(tmp_path / "x.parquet")
    assert cli.main(["split", "--incidence", str(tmp_path / "x.parquet"), "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.count("\n") == 1 and not (tmp_path / "out").exists()
