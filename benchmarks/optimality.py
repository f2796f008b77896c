"""How far a split is from the best one: what ``mincut`` discards beside what an exact search finds.

    python benchmarks/optimality.py FOLDER [--sizes 60 100] [--draws 2] [--seconds 60] [--markdown FILE]

FOLDER holds a folder for each corpus, with train.jsonl, dev.jsonl and test.jsonl. An instance is a sample of a corpus
with those that share its names, those that share theirs, and so on, up to a size: samples drawn at random would share
too little to be hard. It is split 80/10/10 with ``discard="auto"``; the integer programme of
``cleancut.splitting.exact`` then looks for a split that discards fewer, within the same requirements, or for the proof
that there is none. Instances whose components can be packed whole are left out: nothing is discarded there.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from corpora import CORPORA, splits

import cleancut
from cleancut.core.entities import Key, entity_codes


class Instance(NamedTuple):
    """What came of an instance."""

    corpus: str
    n_samples: int
    discarded: int
    best: int
    proven: bool
    seconds: float
    exact_seconds: float


def connected_draw(corpus: cleancut.Corpus, n: int, rng: np.random.Generator) -> cleancut.Corpus:
    """Up to n samples with entities, each of which shares one with a sample before it as long as there are such."""
    entity, sample = entity_codes(corpus, Key()), corpus.mentions.sample
    bearing = np.unique(sample)
    chosen = np.zeros(len(corpus), bool)
    chosen[rng.choice(bearing)] = True
    while (missing := n - int(chosen.sum())) > 0:
        near = np.unique(sample[np.isin(entity, entity[chosen[sample]])])
        near = near[~chosen[near]]
        if not len(near):
            near = bearing[~chosen[bearing]]
        if not len(near):
            break
        chosen[rng.choice(near, min(len(near), max(n // 10, 1), missing), replace=False)] = True
    return corpus.select(np.flatnonzero(chosen))


def measured(name: str, corpus: cleancut.Corpus, seconds: float) -> Instance:
    options = {"discard": "auto", "min_per_type": 0}
    started = time.process_time()
    plan = cleancut.mincut(corpus, **options)
    took = time.process_time() - started
    started = time.process_time()
    best = cleancut.mincut(corpus, prove=seconds, **options)
    exact = time.process_time() - started - took
    return Instance(name, len(corpus), plan.n_discarded, best.n_discarded, best.proven, took, max(exact, 0.0))


def table(instances: list[Instance], seconds: float, n_whole: int) -> str:
    proven = [each for each in instances if each.proven]
    gaps = [each.discarded - each.best for each in instances]
    proven_gaps = [each.discarded - each.best for each in proven]
    machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    lines = [
        "# Splits against the best ones",
        "",
        f"`python benchmarks/optimality.py` on {machine}.",
        "",
        f"{len(instances)} instances of which something has to be discarded, and {n_whole} whose components were "
        f"packed whole. The exact search had {seconds:g} s for each; it came to its end on {len(proven)}. There, "
        f"`mincut` discards {np.mean(proven_gaps or [0]):.2f} samples more than the best split on average, and "
        f"{max(proven_gaps, default=0)} at worst. Over all instances, the exact search found a split that discards "
        f"fewer on {sum(gap > 0 for gap in gaps)}, by {max(gaps, default=0)} at most. Where no proof was found, the "
        "best split may discard fewer than either.",
        "",
        "| corpus | samples | `mincut` discards | exact search | proven | `mincut`, s | exact, s |",
        "|---|---:|---:|---:|---|---:|---:|",
    ]
    for each in instances:
        proof = "yes" if each.proven else "no"
        lines.append(
            f"| {each.corpus} | {each.n_samples} | {each.discarded} | {each.best} | {proof} "
            f"| {each.seconds:.1f} | {each.exact_seconds:.1f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    sys.path.pop(0)  # a file beside this one has the name of a package that numba looks for
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", nargs="+", type=int, default=[60, 100, 200, 300])
    parser.add_argument("--draws", type=int, default=3, help="instances of each size and corpus")
    parser.add_argument("--seconds", type=float, default=60.0, help="time of the exact search")
    parser.add_argument("--only", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--markdown", type=Path, help="write the table to this file")
    arguments = parser.parse_args()
    instances: list[Instance] = []
    n_whole = 0
    for name in arguments.only:
        corpus = cleancut.Corpus.concatenate(list(splits(arguments.folder / CORPORA[name]).values()))
        for size in arguments.sizes:
            for draw in range(arguments.draws):
                drawn = connected_draw(corpus, size, np.random.default_rng([size, draw]))
                instance = measured(name, drawn, arguments.seconds)
                print(instance, flush=True)
                if instance.discarded:
                    instances.append(instance)
                else:
                    n_whole += 1
    text = table(instances, arguments.seconds, n_whole)
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
