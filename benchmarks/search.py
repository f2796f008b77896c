"""What a search is worth: samples discarded by a split, or by five folds, against its processor time.

    python benchmarks/search.py FOLDER [--moves 1 0.5 0.25] [--seeds 13 1] [--only WikiGold] [--folds]
    python benchmarks/search.py FOLDER --discard 0.02 --only BC5CDR --moves 1
    python benchmarks/search.py FOLDER --drawn 20000 --moves 1
    PYTHONPATH=OTHER/src python benchmarks/search.py FOLDER

FOLDER holds a folder for each corpus, as for ``corpora.py``. Splits are 80/10/10. ``--moves`` are parts of the moves
that ``effort="auto"`` makes. ``--drawn`` splits so many samples drawn from all corpora together. The last line measures
the version in the folder OTHER. Everything is compiled before the first search.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from corpora import CORPORA, density, shared, splits

import cleancut

mincut_module = importlib.import_module("cleancut.splitting.mincut")


def joined(folder: Path, only: list[str], n_drawn: int | None) -> Iterator[tuple[str, cleancut.Corpus]]:
    """Yield corpora with their names: each of those that are asked for, or samples drawn from all of them."""
    all_of = {name: cleancut.Corpus.concatenate(list(splits(folder / CORPORA[name]).values())) for name in only}
    if n_drawn is None:
        yield from all_of.items()
        return
    together = cleancut.Corpus.concatenate(list(all_of.values()))
    drawn = np.random.default_rng(13).choice(len(together), min(n_drawn, len(together)), replace=False)
    yield f"{len(drawn)} samples of {len(only)} corpora", together.select(np.sort(drawn))


def compile_all(options: dict[str, Any]) -> None:
    """Split a chain of samples, so that nothing is charged for what is compiled at the first search."""
    chain = [[f"name{i}", f"name{i + 1}"] for i in range(60)]
    corpus = cleancut.Corpus.of(chain, tags=[["B-PER", "B-PER"]] * 60)
    cleancut.mincut(corpus, effort="fast", **options)
    cleancut.mincut_folds(corpus, effort="fast", discard="auto")


def sparsest(result: Any) -> float:
    """Return the entities per sample of the sparsest fold or held-out split, against the corpus."""
    if isinstance(result, cleancut.SplitPlan):
        return density(result)
    return round(min(fold["entities_per_sample_ratio"] for fold in result.statistics), 2)


def n_sharing(result: Any) -> int:
    """Return the number of samples that share an entity with another fold, or of held-out ones that do with train."""
    if isinstance(result, cleancut.SplitPlan):
        return int(shared(result)["n"])
    return sum(fold["n_partial"] for fold in result.statistics)


def main() -> None:
    sys.path.pop(0)  # a file beside this one has the name of a package that numba looks for
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--moves", nargs="+", type=float, default=[1.0, 0.5, 0.25])
    parser.add_argument("--seeds", nargs="+", type=int, default=[13, 1])
    parser.add_argument("--only", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--discard", default="auto", help="the share of the samples to discard, or auto")
    parser.add_argument("--drawn", type=int, help="split so many samples drawn from all corpora together")
    parser.add_argument("--folds", action="store_true", help="five folds instead of a split")
    arguments = parser.parse_args()
    discard = arguments.discard if arguments.discard == "auto" else float(arguments.discard)
    options: dict[str, Any] = {"discard": discard}
    make = cleancut.mincut_folds if arguments.folds else cleancut.mincut
    moves_of = mincut_module._proposals
    compile_all(options)
    print("| corpus | moves | discarded, by seed | share an entity | density | processor time of one, s |")
    print("|---|---:|---|---|---|---:|")
    for name, data in joined(arguments.folder, arguments.only, arguments.drawn):
        for part in arguments.moves:
            mincut_module._proposals = lambda *given, part=part: int(part * moves_of(*given))
            started = time.process_time()
            results = [make(data, seed=seed, **options) for seed in arguments.seeds]
            seconds = (time.process_time() - started) / len(arguments.seeds)
            discarded = ", ".join(str(result.n_discarded) for result in results)
            sharing = ", ".join(str(n_sharing(result)) for result in results)
            densities = ", ".join(f"{sparsest(result):.2f}" for result in results)
            print(f"| {name} | {part:g} | {discarded} | {sharing} | {densities} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
