"""Writes the examples of the app: generated text, split at random and clean, and what small taggers find in it.

Run it again when the sample text or the taggers change: ``python spaces_app/make_examples.py``.
"""

from __future__ import annotations

from pathlib import Path

from cleancut.demo.sampletext import generate
from cleancut.demo.taggers import LookUp, Perceptron
from cleancut.reading.formats import write
from cleancut.splitting.mincut import mincut

FOLDER = Path(__file__).parent / "examples"


def make(folder: Path = FOLDER) -> None:
    corpus = generate(800)
    at_random = {"train": corpus.select(slice(0, 600)), "test": corpus.select(slice(600, 800))}
    plan = mincut(at_random, (75, 25), discard="auto", effort="fast", min_per_type=5)
    clean = plan.apply(at_random)
    train = at_random["train"]
    taggers = {
        "perceptron": Perceptron(train),
        "small": Perceptron(train.select(slice(0, 40)), epochs=2),  # the same with little to learn from
        "lookup": LookUp(train),
    }
    found = {f"random/{name}": tagger.tag(at_random["test"]) for name, tagger in taggers.items()}
    found["clean/perceptron"] = Perceptron(clean["train"]).tag(clean["test"])
    for split, parts in {"random": at_random, "clean": clean}.items():
        (folder / split).mkdir(parents=True, exist_ok=True)
        found |= {f"{split}/{name}": part for name, part in parts.items()}
    for name, part in found.items():
        write(part, folder / f"{name}.conll")


if __name__ == "__main__":
    make()
