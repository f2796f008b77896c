"""Cuts of incidence files, on this machine and on Spark: the same as those of the text."""

import json
import random
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from test_splitting import CORNERS

from cleancut import CleancutError, Corpus, Incidences, mincut, spark_extract, write, write_incidence
from cleancut.cli import main
from cleancut.demo.story import generate

pytestmark = pytest.mark.usefixtures("few_moves")  # what is split is split any way


def assigned(path):
    """The split of each sample by its name."""
    table = pq.read_table(path / "assignment.parquet")
    return dict(zip(table["sample"].to_pylist(), table["split"].to_pylist(), strict=True))


def named(corpus):
    """The same corpus with ids."""
    ids = [f"s{i}" for i in range(len(corpus))]
    return Corpus.of(corpus.tokens(), entities=corpus.entities(), ids=ids, docs=corpus.docs)


def split_of(corpus, plan):
    return {name: [*plan.names, "discarded"][split] for name, split in zip(corpus.ids, plan.assignment.tolist())}


def split_of_file(path, **options):
    """The same of a file."""
    incidences = Incidences.load(path)
    plan = mincut(incidences, **options)
    names = pa.concat_arrays(incidences.names()).to_pylist()
    assert len(set(names)) == len(names) == len(plan.assignment)
    return dict(zip(names, ([*plan.names, "discarded"][split] for split in plan.assignment.tolist())))


# --- a file --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("case", CORNERS)
@pytest.mark.parametrize("discard", [0, "auto"])
def test_a_cut_of_the_file_is_that_of_the_text(case, discard, tmp_path):
    corpus = named(CORNERS[case])
    write_incidence(corpus, tmp_path / "i.parquet")
    options = {"discard": discard, "effort": "fast", "engine": "peel"}
    expected = mincut(corpus, **options)
    assert split_of_file(tmp_path / "i.parquet", **options) == split_of(corpus, expected)
    found = mincut(Incidences.load(tmp_path / "i.parquet"), **options)
    assert repr(found.leakage) == repr(expected.leakage)
    for row in expected.representation.values():
        row.pop("tokens_per_sample_ratio")  # a file of incidences knows no lengths
    assert json.dumps(found.representation) == json.dumps(expected.representation)
    assert found.fingerprint == expected.fingerprint


@pytest.mark.parametrize(
    "options", [{"unit": "doc"}, {"typed": False}, {"case": False}, {"duplicates_together": False}], ids=str
)
def test_units_and_keys_are_in_the_file(options, tmp_path):
    drawn = generate(200, 5)
    corpus = Corpus.of(
        [[w.upper() if i % 3 else w for w in words] for i, words in enumerate(drawn.tokens())],
        entities=drawn.entities(), ids=list(range(200)), docs=[str(i // 3) for i in range(200)],
    )  # fmt: skip
    parts = {"train": corpus.select(slice(0, 120)), "test": corpus.select(slice(120, 200))}
    write_incidence(parts, tmp_path / "i.parquet", **options)
    expected = mincut(parts, effort="fast", **options)
    assert split_of_file(tmp_path / "i.parquet", effort="fast") == split_of(corpus, expected)


def test_the_order_of_rows_does_not_matter(tmp_path):
    write_incidence(named(generate(300, 3)), tmp_path / "i.parquet")
    table = pq.read_table(tmp_path / "i.parquet")
    order = random.Random(2).sample(range(len(table)), len(table))
    pq.write_table(table.take(order), tmp_path / "other.parquet", row_group_size=100)
    one, other = (split_of_file(tmp_path / name, effort="fast") for name in ("i.parquet", "other.parquet"))
    assert one == other and len(set(one.values())) == 3


def test_entities_never_look_the_same(tmp_path):
    """Words with spaces, tabs and half a character, nested and with counts."""
    tokens = [["a b"], ["a", "b"], ["a\\", "b"], ["a\\ b"], ["\ud800"], ["\\ud800"], ["東京", "東京"]]
    spans = [[(0, len(words), "X")] for words in tokens[:-1]] + [[(0, 1, "X"), (1, 2, "X"), (0, 2, "X\tY")]]
    write_incidence(Corpus.of(tokens, entities=spans), tmp_path / "i.parquet")
    rows = pq.read_table(tmp_path / "i.parquet").to_pylist()
    assert len({row["entity"] for row in rows}) == len(rows) == 8
    assert {(row["entity"], row["count"]) for row in rows if row["entity"].startswith("東京")} == {
        ("東京\tX", 2), ("東京 東京\tX\\tY", 1),
    }  # fmt: skip


def test_a_file_of_ones_own(tmp_path):
    rows = {"sample": [7, 8, 9, 7, 10], "entity": ["Ada", "Ada", None, "Bo", "Cy"], "count": [2, 1, 0, 1, 1]}
    pq.write_table(pa.table(rows), tmp_path / "own.parquet")
    found = split_of_file(tmp_path / "own.parquet", ratios=(50, 50), discard="auto")
    assert set(found) == {7, 8, 9, 10} and found[7] == found[8]
    incidences = Incidences.load(tmp_path / "own.parquet")
    assert len(incidences) == 4 and len(incidences.sample) == 5 and incidences.labels == ("entity",)
    assert len(incidences.sample) == len(incidences.label) == len(incidences.entity) == len(incidences.carrier)
    assert not hasattr(incidences, "mentions")  # which would have to know at which tokens they stand


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"sample": [1], "count": [1]}, "no column 'entity'"),
        ({"sample": [1.5], "entity": ["a"], "count": [1]}, "'sample' holds double"),
        ({"sample": ["x"], "entity": ["a"], "count": [0]}, "entity 'a' with count 0"),
        ({"sample": ["x"], "entity": [None], "count": [1]}, "entity None with count 1"),
        ({"sample": ["x"], "entity": ["a"], "count": [-1]}, "count -1"),
        ({"sample": [None, "x"], "entity": ["a", "b"], "count": [1, 1]}, "without a sample"),
        ({"sample": ["x", "x"], "entity": ["a", "b"], "count": [1, 1], "unit": [1, 2]}, "0 and 1 .* differ in unit"),
        (
            {"sample": ["x", "y", "x"], "entity": ["a", "b", "c"], "count": [1, 1, 1], "hash": [1, 2, 3]},
            "rows 0 and 2 .* differ in hash",
        ),
        ({"sample": pa.array([], pa.string()), "entity": [], "count": []}, "no samples"),
    ],
)  # fmt: skip
def test_bad_files_are_refused(columns, message, tmp_path):
    kinds = {"entity": pa.string(), "count": pa.int32()}
    table = pa.table({name: pa.array(values, kinds.get(name)) for name, values in columns.items()})
    pq.write_table(table, tmp_path / "bad.parquet")
    with pytest.raises(CleancutError, match=message):
        Incidences.load(tmp_path / "bad.parquet")


def test_other_files_are_refused(tmp_path):
    with pytest.raises(CleancutError, match="no such file"):
        Incidences.load(tmp_path / "none.parquet")
    (tmp_path / "text.parquet").write_text("sample,entity")
    with pytest.raises(CleancutError, match="not a readable parquet file"):
        Incidences.load(tmp_path / "text.parquet")
    write_incidence(generate(20), tmp_path / "i.parquet")
    with pytest.raises(CleancutError, match="have no effect"):
        mincut(Incidences.load(tmp_path / "i.parquet"), unit="doc")


def test_the_command_line(tmp_path, capsys):
    corpus = named(generate(150, 4))
    write(corpus, tmp_path / "all.jsonl")
    assert main(["incidence", str(tmp_path / "all.jsonl"), "-o", str(tmp_path / "i.parquet")]) == 0
    out = tmp_path / "out"
    options = ["--effort", "fast", "--discard", "auto", "-o", str(out)]
    assert main(["split", "--incidence", str(tmp_path / "i.parquet"), *options, "--json"]) == 0
    said = json.loads(capsys.readouterr().out.partition("\n")[2])
    assert sorted(path.name for path in out.iterdir()) == ["assignment.parquet", "plan.json", "report.md"]
    assert assigned(out) == split_of(corpus, mincut(corpus, effort="fast", discard="auto"))
    assert said["n_samples"] == 150 and said["guarantee"] == "no entity is shared between any two splits"
    stored = json.loads((out / "plan.json").read_text())
    rows = pq.read_table(out / "assignment.parquet")["split"].to_pylist()
    assert rows == [[*stored["names"], "discarded"][split] for split in stored["assignment"]]


def test_an_interruption_leaves_what_was_there(tmp_path, monkeypatch):
    import cleancut.cli.split as split_command

    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    write_incidence(generate(50), tmp_path / "i.parquet")
    out = tmp_path / "out"
    run = ["split", "--incidence", str(tmp_path / "i.parquet"), "--effort", "fast", "-o", str(out)]
    assert main(run) == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    monkeypatch.setattr(split_command, "split_text", interrupted)
    assert main([*run, "--seed", "14"]) == 130
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["x.jsonl", "--incidence", "i"], "SOURCE has no effect"),
        (["--incidence", "i", "--unit", "doc"], "--unit has no effect"),
        (["--incidence", "i", "--tear-duplicates"], "--tear-duplicates has no effect"),
        (["--incidence", "i", "--format", "conll"], "--format has no effect"),
        (["x.jsonl", "--master", "local[2]"], "--master has no effect without --engine spark"),
        (["x.jsonl", "--engine", "spark", "--column", "2"], "--column has no effect"),
        (["--incidence", "none.parquet"], "none.parquet: no such file"),
    ],
)
def test_options_without_effect_are_refused(options, message, tmp_path, capsys):
    assert main(["split", *options, "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


# --- Spark ---------------------------------------------------------------------------------------------------


def motley():
    """A giant component larger than train's share, a hub, copies, nested and odd names, samples without entities."""
    chain = [([f"n{i}", "met", f"n{i + 1}"], [(0, 1, "P"), (2, 3, "P")]) for i in range(80)]
    hub = [(["Ada", f"saw{i}", f"m{i // 2}"], [(0, 1, "P"), (2, 3, "L")]) for i in range(6)]
    odd = [([f"東京 {i % 5}", "☃"], [(0, 2, "場所"), (0, 1, "P")]) for i in range(20)]
    copies = [(["Bo", "ran"], [(0, 1, "P")])] * 4 + [(["so", "what"], [])] * 3
    alone = [([f"word{i}"], []) for i in range(20)]
    tokens, spans = zip(*(chain + hub + odd + copies + alone), strict=True)
    docs = [f"d{i // 2}" if i % 9 else None for i in range(len(tokens))]
    return named(Corpus.of(tokens, entities=spans, docs=docs))


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    from cleancut.splitting.spark import spark_session

    few = {"spark.sql.shuffle.partitions": "2", "spark.sql.adaptive.enabled": "false"}
    # compiling takes longer than these few rows
    quick = {"spark.sql.codegen.wholeStage": "false", "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"}
    with spark_session("local[2]", {**few, **quick}, str(tmp_path_factory.mktemp("spark"))) as session:
        yield session


def rows_of(path):
    return sorted(map(str, pq.read_table(path).to_pylist()))


def test_spark_extracts_the_same_file(spark, tmp_path):
    corpus = motley()
    write(corpus, tmp_path / "all.jsonl")
    options = {"unit": "doc", "case": False, "typed": False}
    spark_extract([str(tmp_path / "all.jsonl")], str(tmp_path / "theirs"), **options)
    write_incidence(corpus, tmp_path / "ours.parquet", **options)
    assert rows_of(tmp_path / "theirs") == rows_of(tmp_path / "ours.parquet")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    with pytest.raises(CleancutError, match="is there already"):
        spark_extract([str(tmp_path / "all.jsonl")], str(tmp_path / "theirs"))


def test_spark_cuts_as_the_peeling_engine_does(spark, tmp_path, monkeypatch):
    """Of JSONL, and of Parquet without ids in another order, all components by stars."""
    import cleancut.splitting.spark as on_spark

    monkeypatch.setattr(on_spark, "_FEW", 0)
    corpus, out = motley(), tmp_path / "out"
    half = len(corpus) // 2
    write(corpus.select(slice(0, half)), tmp_path / "train.jsonl")
    write(corpus.select(slice(half, None)), tmp_path / "test.jsonl.gz")
    files = [str(tmp_path / name) for name in ("train.jsonl", "test.jsonl.gz")]
    run = ["split", *files, "--engine", "spark", "--master", "local[2]", "--effort", "fast", "-o", str(out)]
    assert main([*run, "--ratios", "70/15/15"]) == 0
    expected = mincut(corpus, (70, 15, 15), engine="peel", effort="fast")
    assert expected.how.startswith("cut") and "share an entity" in expected.guarantee
    assert assigned(out) == split_of(corpus, expected)
    assert sorted(path.name for path in out.iterdir()) == ["assignment.parquet", "plan.json", "report.md"]


def test_spark_compares_names_by_ids(spark, tmp_path):
    """Of JSONL and of Parquet; a mention may have several ids, and samples are connected by any of them."""
    corpus = motley()
    rng = random.Random(7)
    ids = [[rng.sample(range(60), rng.choice((0, 0, 1, 2))) for _ in spans] for spans in corpus.entities()]
    corpus = Corpus.of(corpus.tokens(), entities=corpus.entities(), entity_ids=ids, ids=corpus.ids)
    write(corpus, tmp_path / "all.jsonl")
    lists = [[[str(name) for name in own] for own in lists] for lists in ids]
    columns = {"id": corpus.ids, "tokens": corpus.tokens(), "entities": corpus.entities(), "ids": lists}
    pq.write_table(pa.table(columns), tmp_path / "all.parquet")
    write_incidence(corpus, tmp_path / "ours.parquet", same="fold+id")
    for name in ("all.jsonl", "all.parquet"):
        theirs = tmp_path / f"of-{name}"
        spark_extract([str(tmp_path / name)], str(theirs), same="fold+id", ids="ids")
        assert rows_of(theirs) == rows_of(tmp_path / "ours.parquet")
    run = ["split", str(tmp_path / "all.jsonl"), "--engine", "spark", "--effort", "fast", "--discard", "auto"]
    out = tmp_path / "out"
    assert main([*run, "--same", "fold+id", "--ids", "ids", "-o", str(out)]) == 0
    assert assigned(out) == split_of(
        corpus, mincut(corpus, same="fold+id", engine="peel", effort="fast", discard="auto")
    )
    with pytest.raises(CleancutError, match="ids='mesh': no entity has an id"):
        spark_extract([str(tmp_path / "all.jsonl")], str(tmp_path / "none"), same="id", ids="mesh")


def test_spark_takes_parquet_in_any_order_and_names_samples_by_their_content(spark, tmp_path):
    corpus, out = motley(), tmp_path / "out"
    order = random.Random(3).sample(range(len(corpus)), len(corpus))
    shuffled = corpus.select(order)
    table = pa.table({"words": shuffled.tokens(), "entities": shuffled.entities(), "extra": order})
    pq.write_table(table, tmp_path / "all.parquet")
    run = ["split", str(tmp_path / "all.parquet"), "--engine", "spark", "--effort", "fast", "--discard", "auto"]
    assert main([*run, "-o", str(out)]) == 0
    write_incidence(Corpus.of(corpus.tokens(), entities=corpus.entities()), tmp_path / "i.parquet")
    options = {"engine": "peel", "effort": "fast", "discard": "auto"}
    assert assigned(out) == split_of_file(tmp_path / "i.parquet", **options)
    of_text = split_of(corpus, mincut(corpus, **options))
    assert sorted(assigned(out).values()) == sorted(of_text.values()) and "discarded" in of_text.values()


def test_stars_are_components(spark):
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    from cleancut.splitting.spark import _local_stars, _stars

    rng = np.random.default_rng(4)
    edges = np.concatenate([np.stack([np.arange(30), np.arange(1, 31)], 1), rng.integers(40, 140, (60, 2))])
    edges = edges[edges[:, 0] != edges[:, 1]] - 70  # hashes have signs
    table = pa.table({"a": edges.max(1), "b": edges.min(1)})
    parts = connected_components(coo_matrix((np.ones(len(edges)), (edges + 70).T), shape=(140, 140)), directed=False)[1]
    least = {part: min(np.flatnonzero(parts == part)) - 70 for part in set(parts.tolist())}
    expected = {(i - 70, least[part]) for i, part in enumerate(parts.tolist()) if i - 70 != least[part]}
    for found in (_stars(spark.createDataFrame(table)).toArrow(), _local_stars(table)):
        assert sorted(zip(*(found[name].to_pylist() for name in "ab"))) == sorted(expected)


def test_errors_on_workers_come_back_in_a_line(spark, tmp_path, capsys):
    (tmp_path / "bad.jsonl").write_text('{"tokens": ["Ada"], "tags": ["B-P"]}\n{"tokens": ["Bo"], "tags": []}\n')
    run = ["split", "--engine", "spark", "-o", str(tmp_path / "out"), str(tmp_path / "bad.jsonl")]
    assert main(run) == 2
    said = capsys.readouterr().err
    assert '"Bo"' in said and "1 tokens but 0 tags" in said and said.count("\n") == 1
    assert not (tmp_path / "out").exists()  # nothing is left behind an error
    for name, message in {"none.jsonl": "none.jsonl", "x.conll": "Spark reads .jsonl and .parquet"}.items():
        assert main([*run[:-1], str(tmp_path / name)]) == 2
        said = capsys.readouterr().err
        assert message in said and said.count("\n") == 1


WITHOUT_PYSPARK = "sys.modules['pyspark'] = None"
WITHOUT_JAVA = "import shutil; shutil.which = lambda *a, **k: None"


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        pytest.param(WITHOUT_PYSPARK, "Install cleancut[spark]", id="pyspark"),
        pytest.param(WITHOUT_JAVA, "Install Java 17", id="Java", marks=pytest.mark.spark),
    ],
)
@pytest.mark.slow
def test_what_is_missing_is_said(prepare, message, tmp_path):
    """In a process of its own, where no session is running."""
    code = f"import sys; {prepare}; from cleancut.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "split", "x.jsonl", "--engine", "spark", "-o", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1, done.stderr
