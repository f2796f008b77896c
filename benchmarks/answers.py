"""Speed of reading and placing answers of language models, beside langextract's resolver and a plain json.loads.

    pip install . langextract
    python benchmarks/answers.py [--tokens 25 250 2500 10000] [--markdown FILE]

All read the same answers, in langextract's own form, ``{"extractions": [{"PER": "Ada King"}, ...]}``, to generated
texts of several lengths, in processor time of one process. Names are few, so that they repeat; one in twenty is not
in the text. F1 is that of the places found. A system is stopped after a while: its rate is that of the samples it got
through. Without langextract its rows are left out.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import itertools
import json
import logging
import platform
import random
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import cleancut

TYPES = ("PER", "LOC", "ORG", "MISC")
SECONDS = 10.0
"""Processor time after which a system is stopped."""
PEERS = ("langextract", "langextract, exact only", "langextract, its first algorithms")


class Sample(NamedTuple):
    """A text, the answer to it, and the places of its mentions: start, end and type, in characters."""

    tokens: list[str]
    text: str
    answer: str
    places: set[tuple[int, int, str]]


def samples(n: int, n_tokens: int, seed: int = 0) -> Iterator[Sample]:
    """Yield texts in which a mention comes every eight tokens, of names that repeat, and perfect answers to them."""
    rng = random.Random(seed)
    syllables = ["ka", "ro", "mi", "tel", "san", "dor", "vi", "lun", "pe", "gar"]
    names = ["".join(rng.choices(syllables, k=rng.randint(2, 4))).title() for _ in range(400)]
    words = ["".join(rng.choices(syllables, k=rng.randint(1, 3))) for _ in range(2000)]
    for _ in range(n):
        there = rng.sample(names, min(len(names), 5 + n_tokens // 20))
        tokens: list[str] = []
        places: set[tuple[int, int, str]] = set()
        said = []
        at = 0
        while len(tokens) < n_tokens:
            run = rng.choices(words, k=rng.randint(4, 10))
            at += sum(map(len, run)) + len(run)
            name = " ".join(rng.choices(there, k=rng.choice([1, 1, 2])))
            label = TYPES[len(name) % len(TYPES)]
            tokens += [*run, *name.split()]
            if rng.random() < 0.05:
                said.append({label: f"{name} Xanadu"})
            else:
                said.append({label: name})
                places.add((at, at + len(name), label))
            at += len(name) + 1
        yield Sample(tokens, " ".join(tokens), json.dumps({"extractions": said}), places)


# --- the systems: each takes a sample and returns what it finds, in its own form ------------------------------


def loaded(sample: Sample) -> Any:
    """Only parse the answer: what any reader takes at the least."""
    json.loads(sample.answer)


def parsed(sample: Sample) -> Any:
    """Read the answer, and place nothing."""
    cleancut.parse_answer(sample.answer, types=TYPES, tokens=sample.tokens)


def grounded(sample: Sample) -> Any:
    """Read the answer and place its mentions in the tokens."""
    answer = cleancut.parse_answer(sample.answer, types=TYPES, tokens=sample.tokens)
    return cleancut.ground(sample.tokens, answer).spans


def langextract(sample: Sample, **options: Any) -> Any:
    """Resolve and align with langextract's resolver, by its defaults or by other options."""
    from langextract.core import format_handler
    from langextract.resolver import Resolver

    resolver = Resolver(format_handler.FormatHandler(use_fences=False))
    extractions = resolver.resolve(sample.answer)
    return [*resolver.align(extractions, sample.text, 0, 0, **options)]


def langextract_exact(sample: Sample) -> Any:
    """Resolve and align without looking for words that differ, as cleancut does by default."""
    return langextract(sample, enable_fuzzy_alignment=False)


def langextract_before(sample: Sample) -> Any:
    """Resolve and align by the algorithms that langextract had first, which it still offers."""
    return langextract(sample, fuzzy_alignment_algorithm="legacy", exact_alignment_algorithm="difflib")


def places(sample: Sample, found: Any) -> set[tuple[int, int, str]]:
    """Return what a system has found as start, end and type, in characters. This takes no time of its own."""
    if not found:
        return set()
    if not isinstance(found[0], dict):
        aligned = [one for one in found if one.char_interval is not None]
        return {(one.char_interval.start_pos, one.char_interval.end_pos, one.extraction_class) for one in aligned}
    ends = [*itertools.accumulate(len(token) + 1 for token in sample.tokens)]
    return {
        (ends[span["start"]] - len(sample.tokens[span["start"]]) - 1, ends[span["end"] - 1] - 1, span["label"])
        for span in found
    }


SYSTEMS: dict[str, Callable[[Sample], Any]] = {
    "json.loads": loaded,
    "cleancut, read": parsed,
    "cleancut, read and placed": grounded,
    PEERS[0]: langextract,
    PEERS[1]: langextract_exact,
    PEERS[2]: langextract_before,
}


class Measured(NamedTuple):
    """The rate of a system, and the F1 of the places that it found."""

    per_second: float
    f1: float
    n_samples: int


def measure(system: Callable[[Sample], Any], corpus: list[Sample]) -> Measured:
    """Run a system on the samples, until they or the time are used up."""
    system(corpus[0])  # imports
    n_right = n_found = n_gold = n_done = 0
    seconds = 0.0
    for sample in corpus:
        begun = time.process_time()
        found = system(sample)
        seconds += time.process_time() - begun
        placed = places(sample, found)
        n_right += len(placed & sample.places)
        n_found += len(placed)
        n_gold += len(sample.places)
        n_done += 1
        if seconds > SECONDS:
            break
    return Measured(n_done / max(seconds, 1e-9), 2 * n_right / max(n_found + n_gold, 1), n_done)


def table(n_tokens: int, results: dict[str, Measured]) -> str:
    """Return the results for one length of text as a table."""
    ours = results["cleancut, read and placed"].per_second
    lines = [
        f"## Texts of {n_tokens:,} tokens",
        "",
        "| system | samples/s | tokens/s | ours is so many times as fast | F1 of the places |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, found in results.items():
        f1 = f"{found.f1:.4f}" if found.f1 else ""
        rate = f"{found.per_second:,.1f} | {found.per_second * n_tokens:,.0f}"
        lines.append(f"| {name} | {rate} | {ours / found.per_second:,.1f} | {f1} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, nargs="+", default=[25, 250, 2500, 10000], metavar="N")
    parser.add_argument("--markdown", metavar="FILE")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    has_peer = importlib.util.find_spec("langextract") is not None
    systems = {name: system for name, system in SYSTEMS.items() if has_peer or name not in PEERS}
    parts = []
    for n_tokens in options.tokens:
        corpus = [*samples(max(2, min(1000, 100_000 // n_tokens)), n_tokens)]
        parts.append(table(n_tokens, {name: measure(system, corpus) for name, system in systems.items()}))
        print(parts[-1], "\n", flush=True)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8", newline="\n") as stream:
            stream.write("\n\n".join([_heading(has_peer), *parts]) + "\n")


def _heading(has_peer: bool) -> str:
    packages: list[Any] = ["cleancut", *(["langextract"] if has_peer else [])]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    return (
        "# Answers: speed of reading and placing\n\n"
        f"`python benchmarks/answers.py` on {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}; {versions}.\nProcessor time of one process; all rates are of one run."
    )


if __name__ == "__main__":
    main()
