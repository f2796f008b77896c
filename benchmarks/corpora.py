"""The splitter on real corpora: what it shares beside other methods, and what it discards to share nothing.

    python benchmarks/corpora.py FOLDER [--only WikiGold WNUT17]
    python docs/refresh.py    # brings the tables of the READMEs up to date

FOLDER holds a folder for each corpus, with train.jsonl, dev.jsonl and test.jsonl. The figures are written to
``corpora.json`` beside this file; those of corpora that were not measured stay as they are.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cleancut

STORED = Path(__file__).with_suffix(".json")
CORPORA = {
    "BTC (raw tags)": "btc", "WNUT17": "wnut17", "BC5CDR": "bc5cdr", "WikiGold": "wikigold",
    "CrossNER politics": "crossner_politics", "CrossNER AI": "crossner_ai",
}  # fmt: skip
WAYS = {
    "random": {"method": "random"},
    "the paper's method": {"method": "paper"},
    "cleancut": {},
    "cleancut, no density floor": {"representative": None},
}


def splits(folder: Path) -> dict[str, cleancut.Corpus]:
    files = {"train": "train", "validation": "dev", "test": "test"}
    found = {name: folder / f"{file}.jsonl" for name, file in files.items()}
    return {name: cleancut.read(path) for name, path in found.items() if path.exists()}


def density(plan: cleancut.SplitPlan) -> float:
    """Entities per sample of the sparsest held-out split, against the corpus."""
    ratios = (plan.representation[name]["entities_per_sample_ratio"] for name in plan.names if name != "train")
    return round(min(ratios), 2)


def shared(plan: cleancut.SplitPlan) -> dict[str, float]:
    """Held-out samples that share an entity with train."""
    after = plan.leakage["after"]
    n = sum(after[name, "train"]["n_partial"] for name in plan.names if name != "train")
    return {"n": n, "density": density(plan)}


def discarded(corpus: str, ratios: str, data: dict[str, cleancut.Corpus]) -> dict[str, object]:
    """What is discarded so that nothing is shared."""
    asked = "original" if ratios == "original" else (80, 10, 10)
    plan = cleancut.mincut(data, asked, discard="auto")
    return {"corpus": corpus, "ratios": ratios, "n": plan.n_discarded, "n_samples": len(plan.assignment)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("-o", "--output", type=Path, default=STORED)
    arguments = parser.parse_args()
    stored = json.loads(STORED.read_text("utf-8"))
    for corpus in arguments.only:
        data = splits(arguments.folder / CORPORA[corpus])
        if corpus in stored["shared"]:
            plans = {way: cleancut.mincut(data, **options) for way, options in WAYS.items()}
            stored["shared"][corpus] = {way: shared(plan) for way, plan in plans.items()}
        for nth, row in enumerate(stored["discarded"]):
            if row["corpus"] == corpus:
                stored["discarded"][nth] = discarded(corpus, row["ratios"], data)
    arguments.output.write_text(json.dumps(stored, indent=1) + "\n", "utf-8", newline="\n")


if __name__ == "__main__":
    main()
