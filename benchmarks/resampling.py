"""95% intervals from 10,000 resamples, beside a loop that scores each resample with seqeval, in one run.

    pip install ".[bench]"
    python benchmarks/resampling.py [--sentences 10000 100000 1000000] [--markdown FILE]

The loop draws sentences with replacement and calls seqeval's f1_score. 10,000 rounds of it would take hours: a few
rounds are timed, and the time of 10,000 is extrapolated in proportion, also for a loop in numpy that draws sentences
whose counts are known. Both sides start from the same lists of tags. A corpus is scored in shards of 100,000 sentences,
whose scores are added; what takes the time is shown apart: scoring grows with the corpus, resampling with the number of
distinct rows. Seconds are of the processor, since other work on the machine would count in those of the clock.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from exposure import with_words
from scoring import corpus as tagged_corpus

import cleancut
from cleancut.scoring.resampling import _kept_draws, _resampled, _resamples
from cleancut.scoring.score import Score

RESAMPLES = 10_000
CONLL03 = 3_453
"""The sentences of CoNLL03's test set."""
SHARD = 100_000
TOKENS = 22  # so many or a few less are in a sentence

Tags = list[list[str]]


def seconds(run: Callable[[], Any], times: int = 3) -> float:
    found = float("inf")
    for _ in range(times):
        started = time.process_time()
        run()
        found = min(found, time.process_time() - started)
    return found


def shards(n: int) -> Iterator[tuple[Tags, Tags]]:
    for seed, at in enumerate(range(0, n, SHARD)):
        size = min(SHARD, n - at)
        gold, pred = tagged_corpus(size * TOKENS, seed)
        assert len(gold) >= size
        yield gold[:size], pred[:size]


def fresh(score: Score) -> Score:
    """The same sums, of which nothing is derived or drawn yet."""
    forget()
    return replace(score)


def forget() -> None:
    """Forget what was drawn, which else is kept for the next score."""
    _resampled.cache_clear()
    _kept_draws.cache_clear()


def other_system(gold: Tags, pred: Tags, seed: int = 1) -> Tags:
    """One that gets a tenth of the sentences right and leaves a twentieth empty, where the first does not."""
    rng = random.Random(seed)
    fates = (rng.random() for _ in gold)
    return [g if x < 0.1 else ["O"] * len(g) if x < 0.15 else p for g, p, x in zip(gold, pred, fates, strict=True)]


def seqeval_round(gold: Tags, pred: Tags) -> Callable[[], Any]:
    from seqeval.metrics import f1_score

    rng = random.Random(0)

    def one() -> float:
        chosen = rng.choices(range(len(gold)), k=len(gold))
        return f1_score([gold[i] for i in chosen], [pred[i] for i in chosen])

    return one


def counts_round(rows: np.ndarray) -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    return lambda: rows[rng.integers(0, len(rows), len(rows))].sum(axis=0)


def sizes(counts: list[int]) -> list[str]:
    header = [
        "sentences",
        "distinct rows",
        "scoring, s",
        "resampling, s",
        "seqeval, 1 round, s",
        "10,000 rounds, h",
        "x",
    ]
    lines = [
        "| " + " | ".join([*header, "counts in numpy, 10,000 rounds, s"]) + " |",
        "|---:" * 8 + "|",
    ]
    for n in counts:
        score, scoring, peer = None, 0.0, "- | - | -"
        for gold, pred in shards(n):
            started = time.process_time()
            part = cleancut.exact_f1(gold, pred, ci=RESAMPLES)
            score = part if score is None else score + part
            scoring += time.process_time() - started
        resampling = seconds(lambda score=score: fresh(score).to_dict())
        table, times = score.sums.rows.collapsed()[0]
        if n <= SHARD:
            a_round = seconds(seqeval_round(gold, pred))
            ratio = a_round * RESAMPLES / (scoring + resampling)
            peer = f"{a_round:.2f} | {a_round * RESAMPLES / 3600:.1f} | {ratio:,.0f}"
        of_counts = RESAMPLES * seconds(counts_round(np.repeat(table, times, axis=0)))
        lines.append(f"| {n:,} | {len(table):,} | {scoring:.2f} | {resampling:.2f} | {peer} | {of_counts:,.0f} |")
        print(lines[-1], file=sys.stderr)
    return lines


def scores(n: int) -> list[str]:
    """All intervals of each score, and all tests of two systems, from corpora that are prepared."""
    tags, pred = next(shards(n))
    gold = with_words(tags, 1)
    first, second = (
        gold.with_predictions(pred),
        gold.with_predictions(other_system(tags, pred)),
    )
    shown = cleancut.Exposure.of(with_words(tagged_corpus(2_000_000, 99)[0], 2))
    lines = [
        "| score | all its intervals, s | percentiles alone, s | a pair of systems, s |",
        "|---|---:|---:|---:|",
    ]
    for metric in ("exact_f1", "partial_f1", "clean_f1", "hardeval"):
        found = cleancut.compare(gold, {"a": first, "b": second}, shown, metrics=[metric], ci=RESAMPLES)
        one = found.scores["a"][metric]
        took = seconds(lambda one=one: fresh(one).to_dict())
        plain = seconds(lambda one=one: percentiles_alone(one))
        pair = seconds(lambda found=found: cleancut.Comparison(found.scores, found.beside).pairs)
        print(
            f"{metric}: {took:.2f} s, percentiles {plain:.2f} s, a pair {pair:.2f} s",
            file=sys.stderr,
        )
        lines.append(f"| {metric} | {took:.2f} | {plain:.2f} | {pair:.2f} |")
    return lines


def percentiles_alone(score: Score) -> None:
    """The plain percentile interval of each value, from as many resamples."""
    for part, (table, times) in zip(score.parts, score.sums.rows.collapsed(), strict=True):
        drawn = np.concatenate(list(_resamples(table, times, RESAMPLES, np.random.default_rng(13))))
        for value in part.of_totals(drawn).values():
            np.percentile(value[~np.isnan(value)], [2.5, 97.5]) if not np.isnan(value).all() else None


def systems(n: int) -> list[str]:
    """``compare`` of systems from lists of tags, beside a loop that scores each resample and exchange with seqeval."""
    gold, pred = (side[:n] for side in next(shards(SHARD)))
    header = [
        "systems",
        "pairs",
        "compare, s",
        "seqeval, 1 round, s",
        "10,000 rounds, h",
        "x",
    ]
    lines = [f"| {' | '.join(header)} |", "|---:" * len(header) + "|"]
    for n_systems in (2, 15):
        given = {f"s{i}": other_system(gold, pred, i) for i in range(n_systems)}
        n_pairs = n_systems * (n_systems - 1) // 2

        def ours(given: dict[str, Tags] = given) -> None:
            forget()
            assert cleancut.compare(gold, given, metrics=["exact_f1"], ci=RESAMPLES).to_dict()["pairs"]

        took = seconds(ours)
        of_one, of_pair = (
            seconds(seqeval_round(gold, given["s0"])),
            seconds(exchange(gold, given["s0"], given["s1"])),
        )
        a_round = n_systems * of_one + n_pairs * of_pair
        ratio = a_round * RESAMPLES / took
        hours = a_round * RESAMPLES / 3600
        lines.append(f"| {n_systems} | {n_pairs} | {took:.2f} | {a_round:.2f} | {hours:,.1f} | {ratio:,.0f} |")
        print(lines[-1], file=sys.stderr)
    return lines


def exchange(gold: Tags, a: Tags, b: Tags) -> Callable[[], Any]:
    """One round of approximate randomisation: two systems exchange their output in half of the sentences."""
    from seqeval.metrics import f1_score

    rng = random.Random(0)

    def one() -> float:
        fates = [rng.random() < 0.5 for _ in gold]
        first, second = (
            [y if fate else x for x, y, fate in zip(*both, fates, strict=True)] for both in ((a, b), (b, a))
        )
        return f1_score(gold, first) - f1_score(gold, second)

    return one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--markdown", type=Path, help="write the tables here as well")
    arguments = parser.parse_args()
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("cleancut", "seqeval", "numpy"))
    lines = [
        "# Resampling: intervals and paired tests",
        "",
        f"`python benchmarks/resampling.py` on {platform.system()} {platform.machine()}, Python "
        f"{platform.python_version()}; {versions}. Load of the machine at the start: {os.getloadavg()[0]:.1f} on "
        f"{os.cpu_count()} cores.",
        "",
        "Exact F1 with 95% intervals from 10,000 resamples, from lists of tags. Seconds are of the processor, the best",
        "of three, scoring aside. A loop would score each resample with seqeval's f1_score: three rounds are timed and",
        "10,000 extrapolated in proportion (at a million sentences it was not tried); x is its time over that of",
        "scoring and resampling together. The last column is a plain bootstrap in numpy over the counts of each",
        "sentence, once these are known, extrapolated likewise. Shards of 100,000 sentences are scored and added.",
        "",
        *sizes(arguments.sentences),
        "",
        f"At {SHARD:,} sentences, from prepared corpora. Percentiles alone are a plain interval from the same draws:",
        "",
        *scores(SHARD),
        "",
        f"`compare` of systems on {CONLL03:,} sentences, as many as CoNLL03's test set has, in exact F1, from lists of",
        "tags: scores with intervals, all pairs with intervals and p-values. A loop would score each system on each",
        "resample with seqeval, and each pair again with outputs exchanged in half of the sentences: a resample of",
        "one system and an exchange of one pair are timed, the rest is in proportion.",
        "",
        *systems(CONLL03),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
