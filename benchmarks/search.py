"""What a search is worth: samples discarded by a split, and by five folds, against its processor time.

    python benchmarks/search.py FOLDER [--moves 1 0.5 0.25] [--seeds 13 1] [--only WikiGold] [--folds]

FOLDER holds a folder for each corpus, as for ``corpora.py``. Splits are 80/10/10 with ``discard="auto"``.
``--moves`` are parts of the moves that ``effort="auto"`` makes.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

from corpora import CORPORA, splits

import cleancut

mincut_module = importlib.import_module("cleancut.splitting.mincut")


def main() -> None:
    sys.path.pop(0)  # a file beside this one has the name of a package that numba looks for
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--moves", nargs="+", type=float, default=[1.0, 0.5, 0.25])
    parser.add_argument("--seeds", nargs="+", type=int, default=[13, 1])
    parser.add_argument("--only", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--folds", action="store_true", help="five folds instead of a split")
    arguments = parser.parse_args()
    moves_of = mincut_module._proposals
    print("| corpus | moves | discarded, by seed | processor time of one, s |\n|---|---:|---|---:|")
    for name in arguments.only:
        data = cleancut.Corpus.concatenate(list(splits(arguments.folder / CORPORA[name]).values()))
        for part in arguments.moves:
            mincut_module._proposals = lambda effort, layout, part=part: int(part * moves_of(effort, layout))
            started = time.process_time()
            make = cleancut.mincut_folds if arguments.folds else cleancut.mincut
            discarded = [make(data, discard="auto", seed=seed).n_discarded for seed in arguments.seeds]
            seconds = (time.process_time() - started) / len(arguments.seeds)
            print(f"| {name} | {part:g} | {', '.join(map(str, discarded))} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
