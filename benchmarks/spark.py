"""One machine and Spark, as corpora grow: time, processor time and peak memory of extracting and cutting.

    python benchmarks/spark.py [--samples 1000000 20000000] [--master 'local[2]'] [--markdown FILE]

The corpora are those of ``splitting.py``, as one Parquet file. Each run is a process of its own. Both ways cut with
hub peeling and without polishing, and must come to the same splits. Spark's time is without its start. Its memory is
that of the process that cuts, beside that of Spark's Java process, whose heap is ``spark.driver.memory``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scoring import memory
from splitting import table

LABELS = ["O", "B-PER", "I-PER"]
CUT = {"engine": "peel", "effort": "fast"}
WAYS = ("one machine", "Spark")


def corpus_file(n_samples: int, folder: str) -> str:
    import pyarrow.parquet as pq

    path, writer = f"{folder}/corpus.parquet", None
    for seed, at in enumerate(range(0, n_samples, 1_000_000)):
        part = table(min(1_000_000, n_samples - at), int(10 * n_samples**0.75), seed)
        writer = writer or pq.ParquetWriter(path, part.schema)
        writer.write_table(part)
    assert writer is not None
    writer.close()
    return path


def on_one_machine(path: str, folder: str, done) -> tuple[object, float]:
    import cleancut

    file = f"{folder}/incidence.parquet"
    cleancut.write_incidence(cleancut.read(path, tags="ner_tags", labels=LABELS), file)
    done("extract")
    plan = cleancut.mincut(cleancut.Incidences.load(file), **CUT)
    done("cut")
    return plan, 0.0


def on_spark(path: str, folder: str, done, master: str, heap: str) -> tuple[object, float]:
    import cleancut
    from cleancut.splitting.spark import spark_session

    with spark_session(master, {"spark.driver.memory": heap}, folder) as spark:
        done("start")
        cleancut.spark_extract([path], f"{folder}/incidence", tags="ner_tags", labels=LABELS)
        done("extract")
        with cleancut.spark_incidences(f"{folder}/incidence") as data:
            plan = cleancut.mincut(data, **CUT)
        done("cut")
        return plan, memory("VmHWM", spark.sparkContext._gateway.proc.pid)


def measure(way: str, path: str, master: str, heap: str) -> dict[str, object]:
    import cleancut

    cleancut.mincut(cleancut.Corpus.of([["a"]] * 30, tags=[["B-X"]] * 30))  # compiles what is compiled once
    seconds: dict[str, float] = {}
    last = time.perf_counter()

    def done(what: str) -> None:
        nonlocal last
        seconds[what], last = time.perf_counter() - last, time.perf_counter()

    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        plan, java = (
            on_spark(path, folder, done, master, heap) if way == "Spark" else on_one_machine(path, folder, done)
        )
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        **seconds,
        "processor": sum(usage.ru_utime + usage.ru_stime for usage in used),
        "megabytes": memory("VmHWM"),
        "java": java,
        "sizes": list(plan.sizes.values()),
        "shared": sum(plan.leakage["after"][name, "train"]["n_partial"] for name in ("validation", "test")),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, nargs="+", default=[1_000_000, 5_000_000, 20_000_000])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--heap", default="4g", help="of Spark's Java process")
    parser.add_argument("--markdown", type=Path, help="write the table here as well")
    parser.add_argument("--one", nargs=2, metavar=("WAY", "FILE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(*arguments.one, arguments.master, arguments.heap)))
        return
    lines = [
        "# One machine and Spark",
        "",
        f"`python benchmarks/spark.py` on {platform.system()} {platform.machine()}, {os.cpu_count()} processors, "
        f"Python {platform.python_version()}; Spark with the master {arguments.master} and a heap of {arguments.heap}.",
        "",
        "| samples | way | extract, s | cut, s | processor, s | MB | MB of Java | held-out samples that share |",
        "|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for n_samples in arguments.samples:
        with tempfile.TemporaryDirectory() as folder:
            path, came_to = corpus_file(n_samples, folder), set()
            for way in arguments.ways:
                command = [sys.executable, __file__, "--one", way, path]
                command += ["--master", arguments.master, "--heap", arguments.heap]
                row = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
                print(n_samples, way, row, file=sys.stderr, flush=True)
                came_to.add((*row["sizes"], row["shared"]))
                times = f"{row['extract']:.0f} | {row['cut']:.0f} | {row['processor']:.0f}"
                java = f"{row['java']:.0f}" if row["java"] else ""
                lines.append(f"| {n_samples:,} | {way} | {times} | {row['megabytes']:.0f} | {java} | {row['shared']} |")
            assert len(came_to) == 1, came_to
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
