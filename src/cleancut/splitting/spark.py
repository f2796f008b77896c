"""Past one machine: entities are extracted and counted, and components found, by Spark.

The text never leaves Spark's workers. What does is the file of ``incidence``, and of that this machine holds numbers
only. Spark finds the components of all units, and those that are left when hubs are peeled off; the rest of the cut is
``mincut`` as it stands, so that the plan is that of ``mincut(..., engine="peel")``. Nothing but DataFrames is used.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from ..core.at_signs import join_at
from ..core.entities import Key
from ..core.exceptions import CleancutError, parse_choice, reason
from ..core.files import temporary_folder
from ..core.tags import Repair
from ..core.vocabulary import mixed
from ..reading.formats import SUFFIXES, Format
from ..reading.jsonl import corpus_of_lines
from ..reading.parquet import columns_to_read, corpus_of_table, stored_labels
from .audit import Unit
from .components import components
from .incidence import Incidences, Numbers, count_entities
from .solver import Problem, connected_units


def spark_extract(
    inputs: Sequence[str],
    path: str,
    *,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    unit: str = "sample",
    case: bool = True,
    typed: bool = True,
    joined: bool = False,
    **reading: Any,
) -> None:
    """``write_incidence`` on Spark: of JSONL or Parquet at any path that Spark reads, into a folder of Parquet files.

    ``reading`` are ``tokens``, ``tags``, ``entities``, ``labels``, ``scheme`` and ``repair`` as in ``read``; ``joined``
    applies ``join_at``. Samples with the same words stay together. A folder here appears when it is complete.
    """
    grain = parse_choice(Unit, unit, "unit")
    if reading.get("scheme") is None and reading.get("repair", Repair.CONLLEVAL) != Repair.CONLLEVAL:
        raise CleancutError(f"repair={reading['repair']!r} needs the scheme, which no worker sees all of. Give scheme.")
    is_remote = "://" in path
    if not is_remote and os.path.lexists(path):
        raise CleancutError(f"{path} is there already. Remove it, or choose another name.")
    beside = None if is_remote else os.path.dirname(path) or "."
    with spark_session(master, conf, beside) as spark, _explained():
        samples = _samples(spark, inputs, Key.of(case, typed), joined, reading).persist(_disk())
        rows = _rows(_with_names(_with_units(samples, grain, len(inputs))))
        if is_remote:
            rows.write.parquet(path, compression="zstd")
            return
        with temporary_folder(beside, ".incidence-") as fresh:
            rows.write.parquet(f"{_address(fresh)}/rows", compression="zstd")
            os.replace(os.path.join(fresh, "rows"), path)


@contextmanager
def spark_incidences(
    path: str, *, master: str | None = None, conf: Mapping[str, str] | None = None, scratch: str | None = None
) -> Iterator[Incidences]:
    """Incidences whose components Spark finds, while the context lasts: what ``mincut(..., engine="peel")`` takes.

    ``scratch`` is a folder for what Spark has to put on disk here; by default the system's.
    """
    with spark_session(master, conf, scratch) as spark, _explained():
        yield replace(Incidences.load(path), connected=_Components(spark, path))


# --- a session ----------------------------------------------------------------------------------------------


@contextmanager
def spark_session(master: str | None, conf: Mapping[str, str] | None, scratch: str | None) -> Iterator[Any]:
    """The session there is, else one of our own, which ends with the context and keeps quiet."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # on versions of pandas, which is not used
            from pyspark.sql import SparkSession
    except ImportError:
        raise CleancutError("engine 'spark' needs pyspark. Install cleancut[spark].") from None
    active = SparkSession.getActiveSession()
    if active is not None:
        running = active.sparkContext.master
        if master not in (None, running):
            raise CleancutError(f"a Spark session of {running} is running, but master={master!r} is asked. Stop it.")
        yield active
        return
    if not shutil.which("java") and not shutil.which("java", path=f"{os.environ.get('JAVA_HOME', '')}/bin"):
        raise CleancutError("Spark needs Java, which is not here. Install Java 17 or newer, or set JAVA_HOME.")
    from pyspark import SparkContext

    has_java = SparkContext._gateway is not None  # of a session before: it is not ours to end
    where = master or "local[*]"
    is_local = where.startswith("local")
    with temporary_folder(scratch, ".spark-") as folder:
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.maxResultSize": "0",
            "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "true",
            "spark.local.dir": folder,
            "spark.sql.warehouse.dir": folder,
            "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={folder}",
            **({"spark.sql.shuffle.partitions": "16", "spark.driver.host": "localhost"} if is_local else {}),
            **(conf or {}),
        }
        environment = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"} if is_local else {}
        added = {name: value for name, value in environment.items() if name not in os.environ}
        os.environ.update(added)
        builder = SparkSession.builder.appName("cleancut").master(where)
        for name, value in settings.items():
            builder = builder.config(name, value)
        try:
            with _silent_children(), warnings.catch_warnings():
                warnings.simplefilter("ignore", FutureWarning)
                spark = builder.getOrCreate()
        except Exception as error:
            raise CleancutError(f"Spark does not start with master {where!r}: {reason(error)}.") from None
        finally:
            for name in added:
                del os.environ[name]
        try:
            yield spark
        finally:
            with suppress(Exception):  # its machine may be gone already
                spark.stop()
            if not has_java:  # it has its files in the folder that goes now
                _end_java(SparkContext)


def _end_java(context: Any) -> None:
    gateway, context._gateway, context._jvm = context._gateway, None, None
    with suppress(Exception):
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(10)


@contextmanager
def _silent_children() -> Iterator[None]:
    """Processes that begin meanwhile write nothing to our standard error: errors come back as exceptions."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def _explained() -> Iterator[None]:
    """What Spark reports of an error, in a line."""
    from pyspark.errors import PySparkException

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            yield
    except PySparkException as error:
        ours = re.search(r"CleancutError: (.*)", str(error))  # raised by our own code on a worker
        raise CleancutError(ours[1] if ours else f"Spark: {reason(error)}.") from None


def _address(path: str) -> str:
    """A path as Spark takes it: what is here is meant, also where Spark's own paths begin elsewhere."""
    return f"file://{os.path.abspath(path)}" if os.path.exists(path) else path


def _disk() -> Any:
    from pyspark import StorageLevel

    return StorageLevel.DISK_ONLY


# --- extracting ---------------------------------------------------------------------------------------------

_SAMPLE = (
    "id string, doc string, text long, hash long, entities array<struct<entity: string, type: string, count: int>>"
)


def _samples(spark: Any, inputs: Sequence[str], key: Key, joined: bool, reading: Mapping[str, Any]) -> Any:
    """A row for each sample, as ``count_entities`` has it, with the number of the input it is of."""
    from pyspark.sql import functions as F

    found = None
    for part, path in enumerate(inputs):
        kind = SUFFIXES.get(PurePosixPath(path.removesuffix(".gz")).suffix.lower())
        options = dict(reading)
        if kind is Format.PARQUET:
            rows = spark.read.parquet(_address(path))
            columns = columns_to_read(rows.columns, path, **reading)
            rows = rows.select(*columns)
            options["labels"] = reading.get("labels") or stored_labels(path, columns[1])
        elif kind is Format.JSONL:
            rows = spark.read.text(_address(path), lineSep="\n")
        else:
            raise CleancutError(
                f"{path}: Spark reads .jsonl and .parquet. Name such files, or all of a folder as *.jsonl."
            )
        counted = rows.mapInArrow(
            partial(_counted, path=path, kind=kind, key=key, joined=joined, reading=options), _SAMPLE
        )
        counted = counted.withColumn("part", F.lit(part))
        found = counted if found is None else found.union(counted)
    if found is None:
        raise CleancutError("there are no samples to split.")
    return found


def _counted(
    batches: Iterator[Any], path: str, kind: Format, key: Key, joined: bool, reading: Mapping[str, Any]
) -> Iterator[Any]:
    """On a worker: the entities of batches of rows."""
    import pyarrow as pa

    for batch in batches:
        match kind:
            case Format.JSONL:
                corpus = corpus_of_lines(batch.column("value").to_pylist(), path, **reading)
            case Format.PARQUET:
                corpus = corpus_of_table(pa.Table.from_batches([batch]), path, **reading) if batch.num_rows else None
            case _:
                raise AssertionError(f"{kind} is read by Spark, but not taken apart")
        if corpus is not None:
            yield from count_entities(join_at(corpus) if joined else corpus, key).to_batches()


def _with_units(samples: Any, unit: Unit, n_inputs: int) -> Any:
    """Samples with the ``unit`` they belong to: a number for all words of it, so that copies are one unit."""
    from pyspark.sql import functions as F

    match unit:
        case Unit.SAMPLE:
            return samples.withColumn("unit", F.col("text"))
        case Unit.DOC:
            return _with_documents(samples, n_inputs)
        case _:
            assert_never(unit)


def _with_documents(samples: Any, n_inputs: int) -> Any:
    """Samples with their documents as units; one without a document is a unit of its own."""
    from pyspark.sql import functions as F

    docs = samples.where("doc is not null")
    if docs.isEmpty():
        raise CleancutError("the corpus has no document ids, so that unit='doc' is undefined. Use unit='sample'.")
    if n_inputs > 1:  # as ``own_numbers`` has it, where Spark holds the documents
        named = docs.where("not doc rlike '^[0-9]+$'").select("part").distinct().collect()
        own = ~F.col("part").isin([row.part for row in named])
        samples = samples.withColumn("doc", F.when(own, F.concat("part", F.lit(":"), "doc")).otherwise(F.col("doc")))
    units = samples.where("doc is not null").groupBy("doc").agg(_wrapping_sum("text").alias("unit"))
    return samples.join(units, "doc", "left").withColumn("unit", F.coalesce("unit", "text"))


def _with_names(samples: Any) -> Any:
    """Samples with the name that they have in the file."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    seen = samples.agg(F.count("*").alias("n"), F.count("id").alias("ids"), F.countDistinct("id").alias("distinct"))
    found = seen.first()
    if not found.n:
        raise CleancutError("there are no samples to split.")
    if found.n == found.ids == found.distinct:
        return samples.withColumn("sample", F.col("id"))
    nth = F.row_number().over(Window.partitionBy("hash").orderBy("unit"))
    value = F.lpad(F.lower(F.hex("hash")), 16, "0")
    return samples.withColumn("sample", F.when(nth == 1, value).otherwise(F.concat(value, F.lit("#"), nth)))


def _rows(samples: Any) -> Any:
    """The rows of the file: one for each entity of a sample, one for a sample without."""
    from pyspark.sql import functions as F

    each = samples.select("sample", "unit", "hash", F.explode_outer("entities").alias("e"))
    return each.select("sample", "e.entity", F.coalesce("e.count", F.lit(0)).alias("count"), "e.type", "unit", "hash")


def _wrapping_sum(column: str) -> Any:
    """A sum modulo 2**64, as numpy has it: Spark's own raises where it overflows, so that halves are summed."""
    from pyspark.sql import functions as F

    low = F.sum(F.col(column).bitwiseAND(F.lit(_HALF)))
    high = F.sum(F.shiftrightunsigned(column, 32)) + F.shiftrightunsigned(low, 32)
    return F.shiftleft(high.bitwiseAND(F.lit(_HALF)), 32).bitwiseOR(low.bitwiseAND(F.lit(_HALF)))


_HALF = 2**32 - 1


# --- components ---------------------------------------------------------------------------------------------


class _Components:
    """Stands in for ``connected_units``: units that kept entities join, found with joins of DataFrames.

    Peeling asks for the components without the entities of more than some number of units, each time with a few more
    entities than before. So the components of one threshold are the nodes of the next.
    """

    def __init__(self, spark: Any, path: str) -> None:
        from pyspark.sql import functions as F

        self._spark = spark
        rows = spark.read.parquet(_address(path)).mapInArrow(
            partial(_numbered, path=path), "sample long, unit long, hash long, entity long, has_entity boolean"
        )
        units = (
            rows.select("sample", "unit", "hash").distinct().groupBy("unit").agg(_wrapping_sum("hash").alias("hash"))
        )
        # a unit is known by its hash, as a number with a sign that sorts as the hash does
        units = units.select("unit", F.col("hash").bitwiseXOR(F.lit(_SIGN)).alias("node"))
        pairs = (
            rows.where("has_entity").select("unit", "entity").distinct().join(units, "unit").select("node", "entity")
        )
        entities = pairs.groupBy("entity").agg(F.min("node").alias("b"), F.count("*").alias("degree"))
        # each entity joins its units to the first of them
        stars = pairs.join(entities.where("degree > 1"), "entity").where("node != b")
        self._edges = stars.select(F.col("node").alias("a"), "b", "degree").persist(_disk())
        self._limit, self._left, self._found = self._begin()

    def _begin(self) -> tuple[int, Any, NDArray[np.int64] | None]:
        """The threshold, the edges left above it, between the components up to it, and these components by unit."""
        return 0, self._edges, None

    def __call__(
        self, unit_hash: NDArray[np.uint64], problem: Problem, keep: NDArray[np.bool_] | None
    ) -> NDArray[np.int64]:
        """The first unit of the component of each unit; the units are those of the problem, by their hashes."""
        degree = np.diff(problem.vertex_units.bounds)
        limit = int((degree if keep is None else degree[keep]).max(initial=0))
        by_degree = keep is None or np.array_equal(keep, degree <= limit)
        distinct = (unit_hash[1:] != unit_hash[:-1]).all()  # torn copies have one hash
        if len(problem.size) != len(unit_hash) or not by_degree or not distinct:
            return connected_units(problem, keep)  # another graph than the one that Spark has
        if limit < self._limit:
            self._limit, self._left, self._found = self._begin()
        joined, pairs = self._joined(self._left.where(f"degree <= {limit}"))
        nodes = (unit_hash ^ np.uint64(1 << 63)).view(np.int64)
        merged = np.arange(len(nodes))
        merged[np.searchsorted(nodes, pairs["a"])] = np.searchsorted(nodes, pairs["b"])
        found = merged if self._found is None else merged[self._found]
        if keep is not None:
            left = _moved(self._left.where(f"degree > {limit}"), joined)
            self._limit, self._left, self._found = limit, left.localCheckpoint(eager=False), found
        return found

    def _joined(self, edges: Any) -> tuple[Any, dict[str, NDArray[np.int64]]]:
        """Where each node of a graph goes that is not the least of its component: for Spark, and for this machine."""
        edges = edges.select("a", "b").where("a != b").distinct().localCheckpoint(eager=False)
        if edges.count() > _FEW:
            joined = _stars(edges)
            pairs = joined.toArrow()
        else:  # not worth the rounds
            pairs = _local_stars(edges.toArrow())
            joined = self._spark.createDataFrame(pairs)
        return joined, {name: pairs.column(name).to_numpy() for name in ("a", "b")}


_FEW = 1 << 20
"""Edges of which this machine finds the components itself."""


def _moved(edges: Any, joined: Any) -> Any:
    """Edges between nodes as edges between those that they were joined to."""
    from pyspark.sql import functions as F

    for end in ("a", "b"):
        to = joined.select(F.col("a").alias(end), F.col("b").alias("to"))
        edges = edges.join(to, end, "left").withColumn(end, F.coalesce("to", end)).drop("to")
    return edges.select("a", "b", "degree").where("a != b").distinct()


def _local_stars(edges: Any) -> Any:
    """``_stars`` of an Arrow table."""
    import pyarrow as pa

    ends = np.stack([edges.column(name).to_numpy() for name in ("a", "b")])
    nodes, number = np.unique(ends, return_inverse=True)
    a, b = number.reshape(2, -1)
    part = components(a, b, len(nodes))
    least = np.unique(part, return_index=True)[1][part]  # nodes are sorted: the first of each is the least
    others = np.flatnonzero(least != np.arange(len(nodes)))
    return pa.table({"a": nodes[others], "b": nodes[least[others]]})


def _stars(edges: Any) -> Any:
    """The connected components of a graph: an edge from each node that is not its component's least to the one that is.

    Alternates large-star and small-star (Kiveris et al., Connected Components in MapReduce and Beyond, 2014) until
    nothing changes: the one links a node's larger neighbours to its least, the other its smaller ones and itself.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    least, before = F.min("b").over(Window.partitionBy("a")), None
    while True:
        both = edges.select("a", "b").union(edges.select("b", "a"))
        large = both.withColumn("least", F.least("a", least)).where("b > a").selectExpr("b a", "least b")
        small = large.withColumn("least", least).selectExpr("explode(array(a, b)) a", "least b")
        edges = small.where("a != b").distinct().localCheckpoint(eager=False)
        now = edges.agg(F.count("*"), F.bit_xor(F.xxhash64("a", "b"))).first()
        if now == before:
            return edges
        before = now


def _numbered(batches: Iterator[Any], path: str) -> Iterator[Any]:
    """On a worker: rows of the file as the numbers that this machine has for them, too."""
    import pyarrow as pa

    for batch in batches:
        if batch.num_rows:
            found = Numbers.of(batch, path)
            columns = {"sample": found.sample, "unit": found.unit, "hash": mixed(found.hash), "entity": found.entity}
            arrays = {name: pa.array(column.view(np.int64)) for name, column in columns.items()}
            yield pa.RecordBatch.from_pydict({**arrays, "has_entity": pa.array(found.n_mentions > 0)})


_SIGN = -(2**63)
