"""Splits of corpora that are too large for one machine: Spark counts the entities and finds the components.

The text never leaves Spark's workers. They write the file of ``incidence``, of which this machine holds numbers only.
Spark finds the components of all units, and those that are left when the most frequent entities are removed. The rest
of the cut is done by ``mincut``, so that the plan is that of ``mincut(..., engine="peel")``. Nothing but DataFrames is
used.
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
from ..core.exceptions import CleancutError, parse_choice, quoted, reason
from ..core.files import temporary_folder
from ..core.same import Notion, Same
from ..core.tags import Repair
from ..core.vocabulary import mixed
from ..reading.formats import SUFFIXES, Format
from ..reading.jsonl import corpus_of_lines
from ..reading.parquet import columns_to_read, corpus_of_table, stored_labels
from .audit import Unit
from .components import components
from .incidence import Incidences, Numbers, count_entities, equivalence
from .problem import Problem, connected_units


def spark_extract(
    inputs: Sequence[str],
    path: str,
    *,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    unit: str = "sample",
    case: bool = True,
    typed: bool = True,
    same: str | Same = "exact",
    aliases: Any = None,
    joined: bool = False,
    **reading: Any,
) -> None:
    """Write which sample has which entities, as ``write_incidence`` does, by Spark.

    The result is a folder of Parquet files, which ``spark_incidences`` and ``Incidences.load`` read. A folder on this
    machine appears only when it is complete. Samples with the same words stay together.

    Args:
        inputs: JSONL or Parquet files, at any path that Spark reads.
        path: the folder to write, on this machine or at any address that Spark writes to.
        master: the address of the Spark cluster; by default, Spark runs on this machine.
        conf: settings of Spark by name.
        unit: the unit that goes to one split as a whole: ``sample`` or ``doc``.
        case: whether words that differ in case make different entities.
        typed: whether the type belongs to the entity.
        same: which names are the same entity: ``exact``, ``fold``, ``id`` and ``alias``, with ``+`` between them.
        aliases: lists of names that mean the same, for ``alias``.
        joined: whether to apply ``join_at`` to the samples.
        **reading: ``tokens``, ``tags``, ``entities``, ``ids``, ``labels``, ``scheme`` and ``repair``, as for ``read``.

    Raises:
        CleancutError: the folder exists, a file cannot be read, or Spark or Java is missing.

    >>> spark_extract(["train.jsonl"], "entities.parquet")  # doctest: +SKIP
    """
    counted_unit = parse_choice(Unit, unit, "unit")
    notion = equivalence(Same.of(same, aliases=aliases))
    if reading.get("scheme") is None and reading.get("repair", Repair.CONLLEVAL) != Repair.CONLLEVAL:
        raise CleancutError(
            f"repair={quoted(reading['repair'])} needs the tag scheme, which one worker cannot infer from its "
            "part of the data. Give scheme."
        )
    is_remote = "://" in path
    if not is_remote and os.path.lexists(path):
        raise CleancutError(f"{path} is there already. Remove it, or choose another name.")
    beside = None if is_remote else os.path.dirname(path) or "."
    with spark_session(master, conf, beside) as spark, _explained():
        samples = _samples(spark, inputs, Key.of(case, typed), notion, joined, reading).persist(_disk())
        rows = _rows(_with_names(_with_units(samples, counted_unit, len(inputs))))
        if not notion.has(Notion.ID):
            rows = rows.drop("ids")
        elif samples.selectExpr("explode(entities) e").where("size(e.ids) > 0").isEmpty():
            raise CleancutError(f"ids={quoted(reading.get('ids'))}: no entity has an id in such a field or column.")
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
    """Yield incidences for ``mincut(..., engine="peel")`` whose components Spark finds, while the context lasts.

    Args:
        path: the folder or file that ``spark_extract`` or ``write_incidence`` wrote.
        master: the address of the Spark cluster; by default, Spark runs on this machine.
        conf: settings of Spark by name.
        scratch: a folder for the temporary files of Spark on this machine; by default the system's.

    Raises:
        CleancutError: the file cannot be read, or Spark or Java is missing.

    >>> with spark_incidences("entities.parquet") as incidences:  # doctest: +SKIP
    ...     plan = mincut(incidences, engine="peel")
    """
    with spark_session(master, conf, scratch) as spark, _explained():
        yield replace(Incidences.load(path), connected=_Components(spark, path))


# --- a session ----------------------------------------------------------------------------------------------


@contextmanager
def spark_session(master: str | None, conf: Mapping[str, str] | None, scratch: str | None) -> Iterator[Any]:
    """Yield the running Spark session, else a new one, which ends with the context and prints nothing.

    Args:
        master: the address of the Spark cluster; by default, Spark runs on this machine.
        conf: settings of Spark by name.
        scratch: a folder for the temporary files of Spark; by default the system's.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # about versions of pandas, which is not used
            from pyspark.sql import SparkSession
    except ImportError:
        raise CleancutError("engine 'spark' needs pyspark. Install cleancut[spark].") from None
    active = SparkSession.getActiveSession()
    if active is not None:
        running = active.sparkContext.master
        if master not in (None, running):
            raise CleancutError(
                f"a Spark session of {running} is running, but master={quoted(master)} is asked for. Stop the "
                "session that is running."
            )
        yield active
        return
    if not shutil.which("java") and not shutil.which("java", path=f"{os.environ.get('JAVA_HOME', '')}/bin"):
        raise CleancutError("Spark needs Java, which is not here. Install Java 17 or newer, or set JAVA_HOME.")
    from pyspark import SparkContext

    is_java_running = SparkContext._gateway is not None  # it belongs to an earlier session, and must not be ended
    with temporary_folder(scratch, ".spark-") as folder:
        spark = _new_session(master or "local[*]", conf or {}, folder)
        try:
            yield spark
        finally:
            with suppress(Exception):  # its machine may have gone down already
                spark.stop()
            if not is_java_running:  # Java has files in the folder that is removed now
                _end_java(SparkContext)


def _new_session(master: str, conf: Mapping[str, str], folder: str) -> Any:
    """Return a new Spark session that prints nothing and has its temporary files in a folder."""
    from pyspark.sql import SparkSession

    is_local = master.startswith("local")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.maxResultSize": "0",
        "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "true",
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": folder,
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={folder}",
    }
    environment = {}
    if is_local:
        settings |= {"spark.sql.shuffle.partitions": "16", "spark.driver.host": "localhost"}
        environment = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    builder = SparkSession.builder.appName("cleancut").master(master)
    for name, value in {**settings, **conf}.items():
        builder = builder.config(name, value)
    added = {name: value for name, value in environment.items() if name not in os.environ}
    os.environ.update(added)
    try:
        with _silent_children(), warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return builder.getOrCreate()
    except Exception as error:
        raise CleancutError(f"Spark does not start with master {quoted(master)}: {reason(error)}.") from None
    finally:
        for name in added:
            del os.environ[name]


def _end_java(context: Any) -> None:
    """End the Java process of Spark, and let Spark's context forget it, so that a later session starts another."""
    gateway = context._gateway
    context._gateway = None
    context._jvm = None
    with suppress(Exception):
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(10)


@contextmanager
def _silent_children() -> Iterator[None]:
    """Keep processes that start inside from writing to standard error: their errors come back as exceptions."""
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
    """Turn an error of Spark that is raised inside into a ``CleancutError`` of one line."""
    from pyspark.errors import PySparkException

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            yield
    except PySparkException as error:
        own_message = re.search(r"CleancutError: (.*)", str(error))  # cleancut's own code raised it on a worker
        message = own_message[1] if own_message else f"Spark: {reason(error)}."
        raise CleancutError(message) from None


def _address(path: str) -> str:
    """Return a path as an address for Spark, whose own paths may begin elsewhere than on this machine."""
    return f"file://{os.path.abspath(path)}" if os.path.exists(path) else path


def _disk() -> Any:
    """Return the storage level of data that Spark keeps on disk."""
    from pyspark import StorageLevel

    return StorageLevel.DISK_ONLY


# --- extracting ---------------------------------------------------------------------------------------------

_SAMPLE = (
    "id string, doc string, text long, hash long, "
    "entities array<struct<entity: string, type: string, count: int, ids: array<string>>>"
)
"""The columns of the table of ``count_entities``, as Spark writes a schema."""


def _samples(spark: Any, inputs: Sequence[str], key: Key, same: Same, joined: bool, reading: Mapping[str, Any]) -> Any:
    """Return a DataFrame with a row for each sample, as ``count_entities`` makes it, and the number of its input."""
    from pyspark.sql import functions as F

    samples = None
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
        count = partial(_counted, path=path, kind=kind, key=key, same=same, joined=joined, reading=options)
        counted = rows.mapInArrow(count, _SAMPLE).withColumn("part", F.lit(part))
        samples = counted if samples is None else samples.union(counted)
    if samples is None:
        raise CleancutError("there are no samples to split.")
    return samples


def _counted(
    batches: Iterator[Any], path: str, kind: Format, key: Key, same: Same, joined: bool, reading: Mapping[str, Any]
) -> Iterator[Any]:
    """Yield the samples of batches of rows with their entities; this runs on a worker of Spark."""
    import pyarrow as pa

    for batch in batches:
        corpus = None
        match kind:
            case Format.JSONL:
                corpus = corpus_of_lines(batch.column("value").to_pylist(), path, **reading)
            case Format.PARQUET:
                if batch.num_rows:
                    corpus = corpus_of_table(pa.Table.from_batches([batch]), path, **reading)
            case _:
                raise AssertionError(f"{kind} is read by Spark, but not taken apart")
        if corpus is not None:
            if joined:
                corpus = join_at(corpus)
            yield from count_entities(corpus, key, same).to_batches()


def _with_units(samples: Any, unit: Unit, n_inputs: int) -> Any:
    """Return the samples with a column ``unit``: a hash of all words of the unit, so that copies are one unit."""
    from pyspark.sql import functions as F

    match unit:
        case Unit.SAMPLE:
            return samples.withColumn("unit", F.col("text"))
        case Unit.DOC:
            return _with_documents(samples, n_inputs)
        case _:
            assert_never(unit)


def _with_documents(samples: Any, n_inputs: int) -> Any:
    """Return the samples with their documents as units; a sample without a document is a unit of its own."""
    from pyspark.sql import functions as F

    docs = samples.where("doc is not null")
    if docs.isEmpty():
        raise CleancutError("the corpus has no document ids, so that unit='doc' is undefined. Use unit='sample'.")
    if n_inputs > 1:  # documents that are only numbered are others in each input, as for ``own_numbers``
        named = docs.where("not doc rlike '^[0-9]+$'").select("part").distinct().collect()
        is_numbered = ~F.col("part").isin([row.part for row in named])
        own_number = F.concat("part", F.lit(":"), "doc")
        samples = samples.withColumn("doc", F.when(is_numbered, own_number).otherwise(F.col("doc")))
    units = samples.where("doc is not null").groupBy("doc").agg(_wrapping_sum("text").alias("unit"))
    return samples.join(units, "doc", "left").withColumn("unit", F.coalesce("unit", "text"))


def _with_names(samples: Any) -> Any:
    """Return the samples with a column ``sample``, the name that each has in the file of incidences."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    counted = samples.agg(F.count("*").alias("n"), F.count("id").alias("ids"), F.countDistinct("id").alias("distinct"))
    counts = counted.first()
    if not counts.n:
        raise CleancutError("there are no samples to split.")
    if counts.n == counts.ids == counts.distinct:
        return samples.withColumn("sample", F.col("id"))
    nth = F.row_number().over(Window.partitionBy("hash").orderBy("unit"))
    value = F.lpad(F.lower(F.hex("hash")), 16, "0")
    return samples.withColumn("sample", F.when(nth == 1, value).otherwise(F.concat(value, F.lit("#"), nth)))


def _rows(samples: Any) -> Any:
    """Return the rows of the file of incidences: one for each entity of a sample, one for a sample without any."""
    from pyspark.sql import functions as F

    each = samples.select("sample", "unit", "hash", F.explode_outer("entities").alias("e"))
    count = F.coalesce("e.count", F.lit(0)).alias("count")
    return each.select("sample", "e.entity", count, "e.type", "unit", "hash", "e.ids")


def _wrapping_sum(column: str) -> Any:
    """Return the sum of a column modulo 2**64, as numpy computes it.

    Spark's own sum raises an error where it overflows, so that the halves of the numbers are summed.
    """
    from pyspark.sql import functions as F

    low = F.sum(F.col(column).bitwiseAND(F.lit(_HALF)))
    high = F.sum(F.shiftrightunsigned(column, 32)) + F.shiftrightunsigned(low, 32)
    return F.shiftleft(high.bitwiseAND(F.lit(_HALF)), 32).bitwiseOR(low.bitwiseAND(F.lit(_HALF)))


_HALF = 2**32 - 1
"""The bits of the lower half of a number of 64 bits."""


# --- components ---------------------------------------------------------------------------------------------


class _Components:
    """A replacement for ``connected_units`` that finds the components by Spark.

    Peeling asks for the components again and again: those without the entities of more than some number of units, with
    a threshold that grows. So the components of one threshold are the nodes of the graph for the next.
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
        # A node is the hash of a unit, turned into a number with a sign that sorts as the hash does.
        units = units.select("unit", F.col("hash").bitwiseXOR(F.lit(_SIGN)).alias("node"))
        pairs = (
            rows.where("has_entity").select("unit", "entity").distinct().join(units, "unit").select("node", "entity")
        )
        entities = pairs.groupBy("entity").agg(F.min("node").alias("b"), F.count("*").alias("degree"))
        # An edge for each unit of an entity, to the first of its units, connects them all.
        stars = pairs.join(entities.where("degree > 1"), "entity").where("node != b")
        self._edges = stars.select(F.col("node").alias("a"), "b", "degree").persist(_disk())
        self._known: dict[int, NDArray[np.int32]] = {}
        """The first unit of the component of each unit, for each threshold that was asked for."""
        self._begin()

    def _begin(self) -> None:
        """Go back to the graph of all units, without any entity below the threshold."""
        self._limit = 0
        """The threshold up to which components are known: entities of at most so many units."""
        self._left: Any = self._edges
        """The edges of the other entities, between these components."""
        self._first_units: NDArray[np.int64] | None = None
        """The first unit of the component of each unit; None for components of one unit each."""

    def __call__(
        self, unit_hash: NDArray[np.uint64], problem: Problem, keep: NDArray[np.bool_] | None
    ) -> NDArray[np.int64]:
        """Return the first unit of the component of each unit, as ``connected_units`` does.

        Args:
            unit_hash: the hash of each unit of the problem, ascending.
            problem: the problem.
            keep: the vertices whose edges count; None for all.
        """
        degree = np.diff(problem.vertex_units.bounds)
        kept_degree = degree if keep is None else degree[keep]
        limit = int(kept_degree.max(initial=0))
        is_threshold = keep is None or np.array_equal(keep, degree <= limit)
        is_distinct = (unit_hash[1:] != unit_hash[:-1]).all()  # copies in different units have the same hash
        if len(problem.size) != len(unit_hash) or not is_threshold or not is_distinct:
            return connected_units(problem, keep)  # it is another graph than the one that Spark has
        known = self._known.get(limit)
        if known is not None:  # a second search, for a budget of discards, asks again for what the first has asked for
            return known.astype(np.int64)
        if limit < self._limit:
            self._begin()
        joined, pairs = self._joined(self._left.where(f"degree <= {limit}"))
        nodes = (unit_hash ^ np.uint64(1 << 63)).view(np.int64)
        first_units = np.arange(len(nodes))
        first_units[np.searchsorted(nodes, pairs["a"])] = np.searchsorted(nodes, pairs["b"])
        if self._first_units is not None:
            first_units = first_units[self._first_units]
        if keep is not None:
            left = _moved(self._left.where(f"degree > {limit}"), joined)
            self._limit = limit
            self._left = left.localCheckpoint(eager=False)
            self._first_units = first_units
        self._known[limit] = first_units.astype(np.int32)
        return first_units

    def _joined(self, edges: Any) -> tuple[Any, dict[str, NDArray[np.int64]]]:
        """Return the components of a graph, as a DataFrame and as arrays of this machine.

        Both have a pair for each node ``a`` that is not the least of its component, with the least node ``b``.
        """
        edges = edges.select("a", "b").where("a != b").distinct().localCheckpoint(eager=False)
        if edges.count() > _FEW:
            joined = _stars(edges)
            pairs = joined.toArrow()
        else:  # a small graph is not worth the rounds of Spark
            pairs = _local_stars(edges.toArrow())
            joined = self._spark.createDataFrame(pairs)
        return joined, {name: pairs.column(name).to_numpy() for name in ("a", "b")}


_FEW = 1 << 20
"""The number of edges up to which this machine finds the components itself."""


def _moved(edges: Any, joined: Any) -> Any:
    """Return edges between nodes as edges between the components that the nodes were joined to."""
    from pyspark.sql import functions as F

    for end in ("a", "b"):
        to = joined.select(F.col("a").alias(end), F.col("b").alias("to"))
        edges = edges.join(to, end, "left").withColumn(end, F.coalesce("to", end)).drop("to")
    return edges.select("a", "b", "degree").where("a != b").distinct()


def _local_stars(edges: Any) -> Any:
    """Return the components of a graph as ``_stars`` does, from an Arrow table and on this machine."""
    import pyarrow as pa

    ends = np.stack([edges.column(name).to_numpy() for name in ("a", "b")])
    nodes, number = np.unique(ends, return_inverse=True)
    a, b = number.reshape(2, -1)
    part = components(a, b, len(nodes))
    least = np.unique(part, return_index=True)[1][part]  # nodes are sorted, so that the first of a part is its least
    others = np.flatnonzero(least != np.arange(len(nodes)))
    return pa.table({"a": nodes[others], "b": nodes[least[others]]})


def _stars(edges: Any) -> Any:
    """Return the components of a graph: an edge from each node that is not the least of its component to the least.

    Alternates large-star and small-star (Kiveris et al., Connected Components in MapReduce and Beyond, 2014) until
    nothing changes: the one links a node's larger neighbours to its least, the other its smaller ones and itself.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    least = F.min("b").over(Window.partitionBy("a"))
    before = None
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
    """Yield rows of the file of incidences as numbers, the same as on this machine; this runs on a worker of Spark."""
    import pyarrow as pa

    for batch in batches:
        if batch.num_rows:
            numbers = Numbers.of(batch, path)
            columns = {
                "sample": numbers.sample,
                "unit": numbers.unit,
                "hash": mixed(numbers.hash),
                "entity": numbers.entity,
            }
            arrays = {name: pa.array(column.view(np.int64)) for name, column in columns.items()}
            yield pa.RecordBatch.from_pydict({**arrays, "has_entity": pa.array(numbers.n_mentions > 0)})
            if len(numbers.id):  # an id connects samples as an entity does
                of_ids = {name: array.take(pa.array(numbers.row_of_id)) for name, array in arrays.items()}
                of_ids["entity"] = pa.array(numbers.id.view(np.int64))
                yield pa.RecordBatch.from_pydict({**of_ids, "has_entity": pa.array(np.ones(len(numbers.id), bool))})


_SIGN = -(2**63)
"""The bit of the sign of a number of 64 bits."""
