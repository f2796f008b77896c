"""What mapping a dataset costs: annotate and keep_mentions beside a map that changes nothing, of the same columns.

    python benchmarks/mapping.py [--rows 100000] [--markdown FILE]

The peer is a ``dataset.map(..., batched=True)`` that returns the columns it was given: it reads and writes the same
rows. Each runs without a cache, in one process; processor time is counted, and the ratio is what to look at.
"""

from __future__ import annotations

import argparse
import platform
import random
import time
from collections.abc import Callable
from pathlib import Path

import datasets

import cleancut


def rows(n: int, seed: int) -> datasets.Dataset:
    """Sentences of 15 words, of which two are names by Zipf's law, with ClassLabel tags."""
    rng = random.Random(seed)
    names = ["O", "B-PER", "B-LOC"]
    tokens, tags = [], []
    for _ in range(n):
        words = [f"w{int(20_000 ** rng.random())}" for _ in range(15)]
        labels = [0] * 15
        for at in rng.sample(range(15), 2):
            words[at], labels[at] = f"N{int(50_000 ** rng.random())}", rng.randint(1, 2)
        tokens.append(words)
        tags.append(labels)
    features = datasets.Features(
        tokens=datasets.List(datasets.Value("string")), ner_tags=datasets.List(datasets.ClassLabel(names=names))
    )
    return datasets.Dataset.from_dict({"tokens": tokens, "ner_tags": tags}, features=features)


def identity(batch: dict[str, list]) -> dict[str, list]:
    return {name: batch[name] for name in ("tokens", "ner_tags")}


def least(run: Callable[[], object], times: int = 3) -> float:
    found = float("inf")
    for _ in range(times):
        started = time.process_time()
        run()
        found = min(found, time.process_time() - started)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    datasets.disable_progress_bars()
    train, test = rows(arguments.rows, 1), rows(arguments.rows, 2)
    shown = cleancut.Exposure.of(train)
    options = {"load_from_cache_file": False}
    runs = {
        "identity map": lambda: test.map(identity, batched=True, load_from_cache_file=False),
        "annotate": lambda: cleancut.annotate(test, shown, **options),
        "keep_mentions": lambda: cleancut.keep_mentions(test, shown, "clean", **options),
        "no map, streamed": lambda: sum(1 for _ in test.to_iterable_dataset()),
        "identity, streamed": lambda: sum(
            1 for _ in test.to_iterable_dataset().map(identity, batched=True, batch_size=1000)
        ),
        "annotate, streamed": lambda: sum(1 for _ in cleancut.annotate(test.to_iterable_dataset(), shown)),
        "keep_mentions, streamed": lambda: sum(
            1 for _ in cleancut.keep_mentions(test.to_iterable_dataset(), shown, "clean")
        ),
    }
    seconds = {name: least(run) for name, run in runs.items()}
    versions = f"cleancut {cleancut.__version__}, datasets {datasets.__version__}"
    lines = [
        "# Mapping", "",
        f"`python benchmarks/mapping.py` on {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}; {versions}. {arguments.rows:,} rows of 15 tokens.", "",
        "| | rows/s | speed, against the identity map of its kind |", "|---|---:|---:|",
    ]  # fmt: skip
    for name, taken in seconds.items():
        peer = seconds["identity, streamed" if "streamed" in name else "identity map"]
        lines.append(f"| {name} | {arguments.rows / taken:,.0f} | {peer / taken:.2f} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
