"""The splitter at scale: time as a multiple of one batched ``datasets`` pass, and peak memory, beside the paper's form.

    python benchmarks/splitting.py [--samples 10000 100000 1000000] [--file 500000] [--markdown FILE]

The corpora are synthetic: sentences of 8 to 24 words with two names each, drawn by Zipf's law from a vocabulary that
grows with the corpus, with more of the tail than of the head, as in real text. Each run is a process of its own. The
paper's form is METIS on the graph of samples (clique expansion), built with scipy, up to where that runs; beside it the
same graph built edge by edge in plain Python, as the paper's released code does. ``--file`` is ``cleancut split`` from
end to end: a JSONL file is read, cut, verified and written, beside one pass over its lines.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from scoring import memory

PAPER_UP_TO = 100_000
NAMES = ["O", "B-PER", "I-PER"]


def table(n_samples: int, n_names: int, seed: int = 0):
    """Tokens and IOB2 label ids as an Arrow table: sentences of 8 to 24 words with two names of one or two words."""
    import pyarrow as pa

    rng = np.random.default_rng(seed)
    lengths = rng.integers(8, 25, n_samples)
    bounds = np.append(0, np.cumsum(lengths)).astype(np.int32)
    first = 2 * (n_names + 2_000)  # common words are numbered behind those of names
    words = first + (50_000 ** rng.random(bounds[-1])).astype(np.int32)
    tags = np.zeros(bounds[-1], np.int64)
    for nth in range(2):
        common = (2_000 ** rng.random(n_samples)).astype(np.int64)
        name = np.where(rng.random(n_samples) < 0.25, common, rng.integers(2_000, 2_000 + n_names, n_samples))
        at = bounds[:-1] + nth * 4 + rng.integers(0, 3, n_samples)
        words[at], tags[at] = 2 * name, 1
        words[(at + 1)[name % 2 == 1]] = 2 * (name // 7)[name % 2 == 1] + 1
        tags[(at + 1)[name % 2 == 1]] = 2
    vocabulary = [f"N{i}" for i in range(first)] + [f"w{i}" for i in range(50_001)]
    tokens = pa.DictionaryArray.from_arrays(words, pa.array(vocabulary)).dictionary_decode()
    columns = [pa.ListArray.from_arrays(bounds, tokens), pa.ListArray.from_arrays(bounds, pa.array(tags))]
    return pa.table(columns, names=["tokens", "ner_tags"])


def dataset(n_samples: int, folder: str):
    """The corpus as a memory-mapped dataset."""
    import datasets

    names = datasets.ClassLabel(names=NAMES)
    features = datasets.Features({"tokens": datasets.List(datasets.Value("string")), "ner_tags": datasets.List(names)})
    path = f"{folder}/corpus.arrow"
    with datasets.arrow_writer.ArrowWriter(path=path, features=features) as writer:
        for seed, at in enumerate(range(0, n_samples, 1_000_000)):
            names = int(10 * n_samples**0.75)  # a vocabulary grows more slowly than its corpus
            writer.write_table(table(min(1_000_000, n_samples - at), names, seed))
        writer.finalize()
    return datasets.Dataset.from_file(path)


def one_pass(data) -> float:
    """One batched pass that decodes the mentions in Python."""
    names = data.features["ner_tags"].feature.names
    started = time.perf_counter()
    for batch in data.iter(batch_size=1000):
        for words, ids in zip(batch["tokens"], batch["ner_tags"], strict=True):
            mentions(words, map(names.__getitem__, ids))
    return time.perf_counter() - started


def mentions(words: Iterable[str], tags: Iterable[str]) -> list[list[str]]:
    found: list[list[str]] = []
    for word, tag in zip(words, tags, strict=True):
        if tag[0] == "B":
            found.append([word])
        elif tag[0] == "I":
            found[-1].append(word)
    return found


def end_to_end(n_samples: int) -> str:
    """``cleancut split`` of a JSONL file beside one pass that decodes the mentions of its lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            for batch in table(n_samples, int(10 * n_samples**0.75)).to_batches(10_000):
                rows = batch.to_pydict()
                for words, ids in zip(rows["tokens"], rows["ner_tags"], strict=True):
                    stream.write(json.dumps({"tokens": words, "tags": [NAMES[i] for i in ids]}) + "\n")
        started = time.process_time()
        with path.open(encoding="utf-8") as stream:
            for line in stream:
                row = json.loads(line)
                mentions(row["tokens"], row["tags"])
        base = time.process_time() - started
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "cleancut", "split", str(path), "-o", f"{folder}/clean"]
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (
        f"End to end (`cleancut split`: read, cut, verify, write), a JSONL file of {n_samples:,} samples took "
        f"{seconds:.1f} s of processor time, {seconds / base:.1f} times one pass over it that decodes the mentions "
        f"({base:.2f} s)."
    )


RELEASED = "the paper's form, edge by edge"
WAYS = {
    "components and packing": {"method": "components", "representative": None, "min_per_type": 0, "effort": "fast"},
    "cut with the density floor": {"effort": "fast", "engine": "peel"},
    "cut with the density floor, METIS as well": {"effort": "fast"},
    "polished": {"effort": "auto"},
    "the paper's form": {"method": "paper"},
    RELEASED: {},
}


def edge_by_edge(corpus) -> None:
    """The graph of samples as a dict of dicts, then METIS: the way of the paper's released code."""
    from collections import defaultdict
    from itertools import combinations

    import pymetis

    samples_of = defaultdict(set)
    for sample, text in zip(corpus.mentions.sample.tolist(), corpus.texts(), strict=True):
        samples_of[text].add(sample)
    edges: dict[int, dict[int, int]] = defaultdict(dict)
    for samples in samples_of.values():
        for a, b in combinations(sorted(samples), 2):
            edges[a][b] = edges[a].get(b, 0) + 1
            edges[b][a] = edges[b].get(a, 0) + 1
    adjacency = [sorted(edges[i]) for i in range(len(corpus))]
    pymetis.part_graph(3, adjacency=adjacency, tpwgts=[0.8, 0.1, 0.1])


def measure(way: str, n_samples: int) -> dict[str, float]:
    import cleancut

    with tempfile.TemporaryDirectory() as folder:
        data = dataset(n_samples, folder)
        base = one_pass(data)
        cleancut.mincut(cleancut.Corpus.of([["a"]] * 30, tags=[["B-X"]] * 30))  # compiles what is compiled once
        Path("/proc/self/clear_refs").write_text("5", "ascii")
        before = memory("RssAnon")
        started = time.perf_counter()
        corpus = cleancut.from_dataset(data)
        reading = time.perf_counter() - started
        held = memory("RssAnon")
        started = time.perf_counter()
        plan = None if way == RELEASED else cleancut.mincut(corpus, **WAYS[way])
        if plan is None:
            edge_by_edge(corpus)
        seconds = time.perf_counter() - started
        peak = memory("VmHWM") - memory("RssFile")  # the memory-mapped input is the system's to keep or to drop
    after = plan.leakage["after"] if plan else {}
    pairs = [after[name, "train"]["n_partial"] for name in ("validation", "test")] if plan else []
    return {
        "pass": base,
        "reading": reading,
        "seconds": seconds,
        "megabytes": peak - held,
        "in_all": peak - before,
        "shared": sum(pairs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--file", type=int, default=500_000, help="samples of a file to split; 0 for none")
    parser.add_argument("--markdown", type=Path, help="write the table here as well")
    parser.add_argument("--one", nargs=2, metavar=("WAY", "SAMPLES"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one[0], int(arguments.one[1]))))
        return
    lines = [
        "# Splitting at scale",
        "",
        f"`python benchmarks/splitting.py` on {platform.system()} {platform.machine()}, Python "
        f"{platform.python_version()}. Split and verified by the audit; reading the memory-mapped dataset is apart. "
        "Extra MB are beyond the corpus that was read; MB in all are with it.",
        "",
        "| samples | way | seconds | x one pass | reading, x | extra MB | MB in all | held-out samples that share |",
        "|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for n_samples in arguments.samples:
        for way in WAYS:
            if way.startswith("the paper's form") and n_samples > PAPER_UP_TO:
                continue
            if way not in arguments.ways:
                continue
            command = [sys.executable, __file__, "--one", way, str(n_samples)]
            row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(n_samples, way, row, file=sys.stderr)
            ratio, reading = row["seconds"] / row["pass"], row["reading"] / row["pass"]
            shared = "" if way == RELEASED else f"{row['shared']:.0f}"
            sizes = f"{row['megabytes']:.0f} | {row['in_all']:.0f}"
            measured = f"{row['seconds']:.2f} | {ratio:.2f} | {reading:.2f} | {sizes} | {shared}"
            lines.append(f"| {n_samples:,} | {way} | {measured} |")
    if arguments.file:
        lines += ["", end_to_end(arguments.file)]
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
