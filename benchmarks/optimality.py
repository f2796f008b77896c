"""How far a split is from the best one: what ``mincut`` discards beside what an exact search finds.

    python benchmarks/optimality.py FOLDER [--sizes 60 100] [--draws 2] [--seconds 60] [--markdown FILE]

FOLDER holds a folder for each corpus, with train.jsonl, dev.jsonl and test.jsonl. An instance is a sample of a corpus
with those that share its names, those that share theirs, and so on, up to a size: samples drawn at random would share
too little to be hard. It is split 80/10/10 with ``discard="auto"``; the integer programme of
``cleancut.splitting.exact`` then looks for a split that discards fewer, within the same requirements, or for the proof
that there is none. Instances whose components can be packed whole need no search: nothing is discarded there.
"""

from __future__ import annotations

import argparse
import platform
import shlex
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


def _compile() -> None:
    """Split a chain of samples, so that no instance is charged for what is compiled at the first search."""
    chain = [[f"name{i}", f"name{i + 1}"] for i in range(30)]
    cleancut.mincut(cleancut.Corpus.of(chain, tags=[["B-PER", "B-PER"]] * 30), discard="auto", effort="fast")


def measured(name: str, corpus: cleancut.Corpus, seconds: float) -> Instance:
    options = {"discard": "auto", "min_per_type": 0}
    started = time.process_time()
    plan = cleancut.mincut(corpus, **options)
    took = time.process_time() - started
    started = time.process_time()
    best = cleancut.mincut(corpus, prove=seconds, **options)
    exact = time.process_time() - started - took
    return Instance(name, len(corpus), plan.n_discarded, best.n_discarded, best.proven, took, max(exact, 0.0))


def by_size(instances: list[Instance]) -> list[str]:
    """Return the rows of the table of sizes; a gap is how many samples ``mincut`` discards beyond the best known."""
    lines = [
        "| samples | instances | packed whole | proven | mean gap | worst gap | `mincut` discards | best known "
        "| `mincut`, s | exact, s |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for size in [*sorted({each.n_samples for each in instances}), None]:
        of_size = [each for each in instances if size in (each.n_samples, None)]
        gaps = [each.discarded - each.best for each in of_size if each.discarded]
        n_whole = len(of_size) - len(gaps)
        n_proven = sum(each.proven for each in of_size if each.discarded)
        discarded, best, seconds, exact = (
            np.mean([getattr(each, name) for each in of_size])
            for name in ("discarded", "best", "seconds", "exact_seconds")
        )
        lines.append(
            f"| {size or 'all'} | {len(of_size)} | {n_whole} | {n_proven} of {len(gaps)} | {np.mean(gaps or [0]):.2f} "
            f"| {max(gaps, default=0)} | {discarded:.1f} | {best:.1f} | {seconds:.1f} | {exact:.1f} |"
        )
    return lines


def table(instances: list[Instance], seconds: float, markdown: Path | None) -> str:
    given = [word for word in sys.argv[2:] if word not in ("--markdown", str(markdown))]
    machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    hard = [each for each in instances if each.discarded]
    proven = [each.discarded - each.best for each in hard if each.proven]
    open_ones = [each.discarded - each.best for each in hard if not each.proven]
    lines = [
        "# Splits against the best ones",
        "",
        f"`{shlex.join(['python', 'benchmarks/optimality.py', 'FOLDER', *given])}` on {machine}. Times are "
        "processor times.",
        "",
        f"Of {len(instances)} instances, {len(instances) - len(hard)} have components that are packed whole: nothing "
        f"is discarded there. For each of the other {len(hard)}, the exact search had {seconds:g} s. It found a proof "
        f"for {len(proven)}: there, `mincut` discards {np.mean(proven or [0]):.2f} samples more than the best split "
        f"on average, and {max(proven, default=0)} at worst; on {sum(gap == 0 for gap in proven)} it has the best "
        f"split. On the {len(open_ones)} without a proof, the exact search found a split that discards fewer on "
        f"{sum(gap > 0 for gap in open_ones)}, by {max(open_ones, default=0)} at most; the best split may discard "
        "fewer than either. [Where samples are lost](search.md#where-samples-are-lost) says what the gaps come from.",
        "",
        *by_size(instances),
        "",
        "| corpus | samples | `mincut` discards | best known | proven | `mincut`, s | exact, s |",
        "|---|---:|---:|---:|---|---:|---:|",
    ]
    for each in hard:
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
    parser.add_argument("--sizes", nargs="+", type=int, default=[60, 100, 150, 200, 300])
    parser.add_argument("--draws", type=int, default=1, help="instances of each size and corpus")
    parser.add_argument("--seconds", type=float, default=20.0, help="time of the exact search")
    parser.add_argument("--only", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--markdown", type=Path, help="write the page to this file")
    arguments = parser.parse_args()
    instances: list[Instance] = []
    _compile()
    for name in arguments.only:
        corpus = cleancut.Corpus.concatenate(list(splits(arguments.folder / CORPORA[name]).values()))
        for size in arguments.sizes:
            for draw in range(arguments.draws):
                drawn = connected_draw(corpus, size, np.random.default_rng([size, draw]))
                instance = measured(name, drawn, arguments.seconds)
                print(instance, flush=True)
                instances.append(instance)
    text = table(instances, arguments.seconds, arguments.markdown)
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
