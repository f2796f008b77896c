"""What memory is worth on real corpora and systems: ranks without it, look-ups, clean splits, partial credit.

    python benchmarks/evidence.py FOLDER              # measures all, and draws the pictures of docs/evidence.md
    python benchmarks/evidence.py FOLDER -o mine.json # of corpora and predictions of your own; nothing else is written
    python docs/refresh.py                            # brings the tables of docs/evidence.md up to date

FOLDER holds a folder for each corpus, with train.jsonl, test.jsonl and, for systems, a folder pred with their
predictions for the test set, as ``cleancut report FOLDER`` wants them; dev.jsonl takes part in splits. Nothing of the
texts is stored: only scores and counts.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import cleancut
from cleancut.showing.exhibit import Exhibit, Kind, Section
from cleancut.showing.pictures import save_plots

STORED = Path(__file__).with_suffix(".json")
PICTURES = Path(__file__).resolve().parents[1] / "docs" / "images"
NAMES = {
    "wnut17": "WNUT17", "btc_atfix": "BTC (joined tags)", "bc5cdr": "BC5CDR", "crossner_ai": "CrossNER AI",
    "crossner_politics": "CrossNER politics", "wikigold": "WikiGold",
}  # fmt: skip
"""The titles of folders; any other is called by its name."""
PASSED_OVER = ("btc",)
"""Folders with a corpus that is there in another form."""
NOTIONS = ("exact", "fold", "fold+part")
VALUES = {
    "F1": ("exact", "f1"),
    "clean F1": ("clean", "clean_f1"),
    "clean F1, fold+part": ("clean_part", "clean_f1"),
    "hardeval": ("hardeval", "hardeval"),
    "F1 left": ("partial", "f1_left"),
    "F1 right": ("partial", "f1_right"),
    "F1 overlap": ("partial", "f1_overlap"),
}
"""What systems are ranked by; of hardeval, a rate of errors, the lowest is the best."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", help="the folders of the corpora to measure; those of others stay")
    parser.add_argument("-o", "--output", type=Path, default=STORED)
    given = parser.parse_args()
    stored = json.loads(given.output.read_text("utf-8")) if given.output.exists() else {}
    folders = {path.name: path for path in sorted(given.folder.iterdir()) if (path / "train.jsonl").exists()}
    for name, folder in folders.items():
        if name in PASSED_OVER or (given.only and name not in given.only):
            continue
        stored[NAMES.get(name, name)] = {"version": cleancut.__version__}
        for part, measured in figures(folder):
            stored[NAMES.get(name, name)][part] = measured
            given.output.write_text(json.dumps(stored, indent=1) + "\n", "utf-8", newline="\n")
            print(name, part)
    if given.output == STORED:
        draw(stored)


def figures(folder: Path) -> Iterator[tuple[str, Any]]:
    parts = {
        name: folder / f"{file}.jsonl" for name, file in {"train": "train", "validation": "dev", "test": "test"}.items()
    }
    data = {name: cleancut.read(path) for name, path in parts.items() if path.exists()}
    if "test" in data:
        yield "memory", memory(data["train"], data["test"])
        preds = {
            path.stem.removeprefix("sub_"): cleancut.read(path) for path in sorted((folder / "pred").glob("*.jsonl"))
        }
        yield "systems", systems(preds, data["train"], data["test"])
        yield "changes", changes(preds, data["train"], data["test"])
    yield "splits", {same: split(data, same) for same in NOTIONS}


def memory(train: cleancut.Corpus, test: cleancut.Corpus) -> dict[str, float]:
    """The share of test mentions that training has shown, under each notion, and what a look-up scores."""
    seen = {same: share_seen(train, test, same) for same in NOTIONS}
    score = cleancut.clean_f1(test, test, cleancut.Exposure.of(train))
    return {**{f"seen {same}": share for same, share in seen.items()}, "look-up F1": rounded(score.memorisation_f1)}


def share_seen(train: cleancut.Corpus, test: cleancut.Corpus, same: str) -> float:
    view = cleancut.Exposure.of(train, same=same).view(test)
    return rounded(float(view.seen.mean()))


def rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)


def systems(
    preds: Mapping[str, cleancut.Corpus], train: cleancut.Corpus, test: cleancut.Corpus
) -> dict[str, dict[str, float | None]]:
    """The values of each system by which they are ranked."""
    shown, related = cleancut.Exposure.of(train), cleancut.Exposure.of(train, same="fold+part")
    found = {}
    for name, pred in preds.items():
        scores = {
            "exact": cleancut.exact_f1(test, pred),
            "clean": cleancut.clean_f1(test, pred, shown),
            "clean_part": cleancut.clean_f1(test, pred, related),
            "hardeval": cleancut.hardeval(test, pred, shown),
            "partial": cleancut.partial_f1(test, pred),
        }
        values = {title: rounded(scores[metric][value]) for title, (metric, value) in VALUES.items()}
        found[name] = values
    return found


def changes(
    preds: Mapping[str, cleancut.Corpus], train: cleancut.Corpus, test: cleancut.Corpus
) -> dict[str, Any] | None:
    """The pairs of systems that change places between F1 and hardeval, and how sure each of the two orders is."""
    if len(preds) < 3:
        return None
    found = cleancut.compare(test, preds, cleancut.Exposure.of(train), metrics=["exact_f1", "hardeval"], ci=10_000)
    (change,) = (one for one in found.ranks["changes"] if (one["first"], one["second"]) == ("f1", "hardeval"))
    p = {(frozenset((one.a, one.b)), one.value): one.p_holm for one in found.pairs}
    swaps = []
    for pair in change["swaps"]:
        swaps.append({"pair": pair, **{value: rounded(p[frozenset(pair), value]) for value in ("f1", "hardeval")}})
    return {"tau": rounded(change["tau"]), "swaps": swaps}


def split(data: Mapping[str, cleancut.Corpus], same: str) -> dict[str, Any]:
    """What a split that shares nothing under a notion discards, and what it leaves under the loosest."""
    options = {"discard": "auto", "effort": "fast", "representative": 0.5, "same": same}
    plan = cleancut.mincut(data, (80, 10, 10), **options)
    parts = plan.apply(dict(data))
    row = cleancut.audit(parts, same="fold+part").pairs["test", "train"]
    left = rounded(row["n_mentions_contaminated"] / row["n_mentions"])
    return {
        "n_discarded": plan.n_discarded,
        "n_samples": len(plan.assignment),
        "left": left,
        "guarantee": plan.guarantee,
    }


# --- pictures ---------------------------------------------------------------------------------------------


def ranks(of: Mapping[str, Mapping[str, float]], title: str) -> dict[str, int]:
    """The rank of each system by a value; 1 is best."""
    sign = 1 if title == "hardeval" else -1
    return {name: 1 + sum(sign * other[title] < sign * own[title] for other in of.values()) for name, own in of.items()}


def draw(stored: Mapping[str, Any]) -> None:
    """The ranks of the systems of WNUT17, and look-up F1, as cleancut draws them."""
    of = stored["WNUT17"]["systems"]
    columns = ["F1", "clean F1, fold+part", "hardeval"]
    by = {title: ranks(of, title) for title in columns}
    rows = [(name, [by[title][name] for title in columns]) for name in sorted(of, key=by["F1"].__getitem__)]
    shown = {name: own["memory"]["look-up F1"] for name, own in stored.items() if "memory" in own}
    bars = [(name, [value]) for name, value in sorted(shown.items(), key=lambda item: -item[1])]
    exhibits = [
        Exhibit("evidence-ranks", "Ranks on WNUT17, 1 is best", ["system", *columns], rows, Kind.RANKS),
        Exhibit(
            "evidence-look-up", "F1 of a look-up of the training names (%)", ["corpus", "look-up F1"], bars, Kind.BARS
        ),
    ]
    with tempfile.TemporaryDirectory() as folder:
        save_plots([Section("evidence", "", "", exhibits)], Path(folder, "drawn"))
        for exhibit in exhibits:
            shutil.copy(Path(folder, "drawn", f"{exhibit.slug}.svg"), PICTURES)


if __name__ == "__main__":
    main()
