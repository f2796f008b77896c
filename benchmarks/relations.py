"""What it takes to relate names that differ in case or punctuation, or are part of one another.

    python benchmarks/relations.py [--names 1000000] [--markdown FILE]

The names are all different, of one to five words by Zipf's law, some of them in capitals or with points, so that there
are frequent words, generic ones, and long chains of parts. ``--same fold+part`` of all of them is computed for ever
more names, each time in a process of its own, whose processor time and peak of memory are shown. Time that grows as
n log n keeps the last column level.
"""

from __future__ import annotations

import argparse
import math
import platform
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scoring import memory

import cleancut
from cleancut.core.entities import Key
from cleancut.core.names import Links
from cleancut.core.same import Same


def names(n: int, seed: int = 13) -> list[list[str]]:
    """Return distinct names."""
    rng = random.Random(seed)
    n_words = max(n // 4, 100)
    distinct: set[tuple[str, ...]] = set()
    while len(distinct) < n:
        size = rng.choice((1, 2, 2, 2, 3, 3, 4, 5))
        words = [f"Name{int(n_words ** rng.random())}" for _ in range(size)]
        if rng.random() < 0.1:
            words = [word.upper() for word in words]
        if rng.random() < 0.05:
            words[-1] += "."
        distinct.add(tuple(words) if rng.random() > 0.3 or size > 1 else (f"Name{rng.randrange(10 * n)}",))
    return [list(name) for name in sorted(distinct)]


def measure(n: int) -> None:
    """Relate so many names, and print what it took."""
    words = names(n)
    rng = random.Random(7)
    types = [rng.choice(("PER", "LOC", "ORG")) for _ in words]
    spans = [[(0, len(name), label)] for name, label in zip(words, types, strict=True)]
    corpus = cleancut.Corpus.of(words, entities=spans)
    del words, spans
    before = memory("VmRSS")
    started = time.process_time()
    links = Links.of([corpus], Key(), Same.of("fold+part"))
    seconds = time.process_time() - started
    n_pairs = len(np.unique(links.code[0]))
    n_folded = len(links.entity[0]) - len(np.unique(links.entity[0]))
    print(n, seconds, before, memory("VmHWM"), n_pairs, n_folded)


_AIM = (
    "The aim is 60 s and 4 GB for a million names, and time that grows as n log n: the last column rises by no more "
    "than a fifth from the smallest to the largest table, which the processor's cache no longer holds."
)
"""What the figures are held against."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=int, default=1_000_000)
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--markdown", type=Path, help="write the table here as well")
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure)
        return
    rows = []
    for part in (16, 8, 4, 2, 1):
        command = [sys.executable, __file__, "--measure", str(arguments.names // part)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        rows.append([float(value) for value in printed])
    lines = [
        "# Names that are related: cost",
        "",
        f"`python benchmarks/relations.py` on {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}; cleancut {cleancut.__version__}, numpy {np.__version__}. Distinct names "
        "of three types under `fold+part`: processor time of one thread, and the peak of memory of the process, which "
        "the names themselves are part of.",
        "",
        "| names | seconds | peak, MB | the names alone, MB | links | same when folded | seconds / (n log n), x 10⁹ |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for n, seconds, before, peak, n_pairs, n_folded in rows:
        cost = 1e9 * seconds / (n * math.log2(n))
        lines.append(
            f"| {n:,.0f} | {seconds:.2f} | {peak:,.0f} | {before:,.0f} | {n_pairs:,.0f} | {n_folded:,.0f} "
            f"| {cost:.0f} |"
        )
    lines += ["", _AIM]
    table = "\n".join(lines)
    print(table)
    if arguments.markdown:
        arguments.markdown.write_text(f"{table}\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
