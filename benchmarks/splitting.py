"""The splitter at scale: time as a multiple of one batched ``datasets`` pass, and peak memory, beside the paper's form.

    python benchmarks/splitting.py [--samples 10000 100000 1000000] [--markdown FILE]

The corpora are synthetic: two entities a sample, drawn by Zipf's law from a vocabulary that grows with the corpus, with
more of the tail than of the head, as in real text. Each run is a process of its own. The paper's form is METIS on the
graph of samples (clique expansion), built with scipy, up to where that runs.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scoring import memory

PAPER_UP_TO = 100_000


def columns(n_samples: int) -> tuple[list[list[str]], list[list[int]]]:
    """Tokens and label ids: four words, two of them names."""
    rng = np.random.default_rng(0)
    n_names = n_samples
    common = (2_000 ** rng.random((n_samples, 2))).astype(int)
    tail = rng.integers(2_000, 2_000 + n_names, (n_samples, 2))
    ids = np.where(rng.random((n_samples, 2)) < 0.25, common, tail).tolist()
    return [[f"n{a}", "met", f"n{b}", "."] for a, b in ids], [[1, 0, 1, 0]] * n_samples


def dataset(n_samples: int, folder: str):
    """The corpus as a memory-mapped dataset."""
    import datasets

    tokens, tags = columns(n_samples)
    names = datasets.ClassLabel(names=["O", "B-PER"])
    features = datasets.Features({"tokens": datasets.List(datasets.Value("string")), "ner_tags": datasets.List(names)})
    datasets.Dataset.from_dict({"tokens": tokens, "ner_tags": tags}, features=features).save_to_disk(folder)
    return datasets.load_from_disk(folder)


def one_pass(data) -> float:
    """One batched pass that decodes the mentions in Python."""
    started = time.perf_counter()
    mentions = 0
    for batch in data.iter(batch_size=1000):
        for words, tags in zip(batch["tokens"], batch["ner_tags"], strict=True):
            mentions += len([word for word, tag in zip(words, tags, strict=True) if tag])
    assert mentions
    return time.perf_counter() - started


WAYS = {
    "components and packing": {"method": "components", "representative": None, "min_per_type": 0, "effort": "fast"},
    "cut with the density floor": {"effort": "fast", "engine": "peel"},
    "polished": {"effort": "auto"},
    "the paper's form": {"method": "paper"},
}


def measure(way: str, n_samples: int) -> dict[str, float]:
    import cleancut

    with tempfile.TemporaryDirectory() as folder:
        data = dataset(n_samples, folder)
        base = one_pass(data)
        cleancut.mincut(cleancut.Corpus.of([["a"]] * 30, tags=[["B-X"]] * 30))  # compiles what is compiled once
        Path("/proc/self/clear_refs").write_text("5")
        before = memory("VmRSS")
        started = time.perf_counter()
        corpus = cleancut.from_dataset(data)
        reading = time.perf_counter() - started
        plan = cleancut.mincut(corpus, **WAYS[way])
        seconds = time.perf_counter() - started
    after = plan.leakage["after"]
    shared = after["validation_vs_train"]["n_partial"] + after["test_vs_train"]["n_partial"]
    return {
        "pass": base,
        "reading": reading,
        "seconds": seconds,
        "megabytes": memory("VmHWM") - before,
        "shared": shared,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
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
        f"{platform.python_version()}. Read, split, verify by the audit, from a memory-mapped dataset.",
        "",
        "| samples | way | seconds | x one pass | extra MB | held-out samples that share |",
        "|---:|---|---:|---:|---:|---:|",
    ]
    for n_samples in arguments.samples:
        for way in WAYS:
            if way == "the paper's form" and n_samples > PAPER_UP_TO:
                continue
            command = [sys.executable, __file__, "--one", way, str(n_samples)]
            row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(n_samples, way, row, file=sys.stderr)
            ratio = row["seconds"] / row["pass"]
            measured = f"{row['seconds']:.2f} | {ratio:.2f} | {row['megabytes']:.0f} | {row['shared']:.0f}"
            lines.append(f"| {n_samples:,} | {way} | {measured} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text)


if __name__ == "__main__":
    main()
