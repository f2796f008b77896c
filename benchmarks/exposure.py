"""What knowing the training data costs: the index, and clean_f1 and hardeval beside exact_f1.

    python benchmarks/exposure.py [--test 1000000] [--train 10000000] [--markdown FILE]

The corpora are prepared: words interned, mentions decoded, and the gold corpus looked up in the index
(``Exposure.prepare``, which ``NerMetrics`` does when it is made). What is not prepared is done in the first call and
kept with the corpus: that call is shown as well, as are the hashes of its words, which all corpora and indices share,
and the tables that the index makes when it is asked for the first time after it has grown. All runs in one thread, and
processor time is counted: what else the machine does disturbs it less.
"""

from __future__ import annotations

import argparse
import platform
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scoring import corpus as tagged_corpus
from scoring import memory

import cleancut
from cleancut.core.vocabulary import Vocabulary


def with_words(tags: list[list[str]], seed: int) -> cleancut.Corpus:
    """Words by Zipf's law: common ones outside mentions, a long tail of names inside."""
    rng = random.Random(seed)
    tokens = [
        [f"w{int(20_000 ** rng.random())}" if tag == "O" else f"N{int(200_000 ** rng.random())}" for tag in sample]
        for sample in tags
    ]
    return cleancut.Corpus.of(tokens, tags=tags)


def best(run: Callable[[], object], times: int = 15) -> float:
    return best_of_each([run], times)[0]


def best_of_each(runs: Sequence[Callable[[], object]], times: int = 15) -> list[float]:
    """The least time of each, run in turn: what slows the machine down for a while slows all of them."""
    found = [float("inf")] * len(runs)
    for _ in range(times):
        for i, run in enumerate(runs):
            started = time.process_time()
            run()
            found[i] = min(found[i], time.process_time() - started)
    return found


def batches(n_tokens: int, size: int = 1_000_000) -> Iterator[cleancut.Corpus]:
    for seed in range(max(n_tokens // size, 1)):
        yield with_words(tagged_corpus(min(size, n_tokens), seed + 1)[0], seed + 1)


def trainer_seconds(gold: cleancut.Corpus, train: cleancut.Corpus, n_sentences: int = 10_000) -> float:
    """One call of NerMetrics on 10,000 sentences of logits."""
    from types import SimpleNamespace

    from cleancut.trainer import NerMetrics

    part = gold.select(slice(0, n_sentences))
    names = sorted({tag for sample in part.tags() for tag in sample} | {"O"})
    ids = [[names.index(tag) for tag in sample] for sample in part.tags()]
    width = max(map(len, ids))
    labels = np.full((len(ids), width), -100)
    for row, sample in zip(labels, ids, strict=True):
        row[: len(sample)] = sample
    logits = np.random.default_rng(0).random((*labels.shape, len(names)), np.float32)
    logits += np.eye(len(names), dtype=np.float32)[np.maximum(labels, 0)] * 0.9
    metrics = NerMetrics(train=train, evaluation=part, labels=names)
    prediction = SimpleNamespace(predictions=logits, label_ids=labels)
    return best(lambda: metrics(prediction), 5)


def counting_seconds(exposure: cleancut.Exposure, n_tokens: int) -> float:
    """The second pass over the training data, without the time that it takes to make them."""
    making = 0.0

    def made() -> Iterator[cleancut.Corpus]:
        nonlocal making
        parts = batches(n_tokens)
        while True:
            started = time.process_time()
            batch = next(parts, None)
            making += time.process_time() - started
            if batch is None:
                return
            yield batch

    started = time.process_time()
    exposure.count_occurrences(made())
    return time.process_time() - started - making


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--test", type=int, default=1_000_000)
    parser.add_argument("--train", type=int, default=10_000_000)
    parser.add_argument("--markdown", type=Path, help="write the table here as well")
    arguments = parser.parse_args()

    exposure, indexing = cleancut.Exposure(), 0.0
    for batch in batches(arguments.train):
        started = time.process_time()
        exposure.update(batch)
        indexing += time.process_time() - started
    last = batch
    del batch
    held = memory("VmRSS")
    counting = counting_seconds(exposure, arguments.train)
    more = memory("VmRSS") - held
    gold_tags, pred_tags = tagged_corpus(arguments.test)
    gold = with_words(gold_tags, 0)
    pred = gold.with_predictions(pred_tags)

    def both(gold: cleancut.Corpus, pred: cleancut.Corpus) -> None:
        cleancut.clean_f1(gold, pred, exposure).to_dict()
        cleancut.hardeval(gold, pred, exposure).to_dict()

    sentence = gold.select([0]), pred.select([0])
    tables = best(lambda: both(*sentence), 1)
    hashes = best(lambda: Vocabulary(gold.vocabulary).hashes)
    prepare = best(lambda: exposure.prepare(replace(gold)))  # a copy is a new corpus to the index
    first = best(lambda: both(replace(gold), pred))
    exposure.prepare(gold)
    exact, clean, hard = best_of_each(
        [
            lambda: cleancut.exact_f1(gold, pred).to_dict(),
            lambda: cleancut.clean_f1(gold, pred, exposure).to_dict(),
            lambda: cleancut.hardeval(gold, pred, exposure).to_dict(),
        ]
    )
    trainer = trainer_seconds(gold, last)
    text = f"""# What training has shown: cost

`python benchmarks/exposure.py` on {platform.system()} {platform.machine()}, Python {platform.python_version()}; \
cleancut {cleancut.__version__}, numpy {np.__version__}. {arguments.test:,} test tokens as prepared corpora, \
{arguments.train:,} training tokens: {exposure.n_words:,} words, {exposure.n_entities:,} entities. \
Processor time, the least of 15 runs (of indexing and tables: of one).

| what | seconds | x exact_f1 |
|---|---:|---:|
| exact_f1 | {exact:.4f} | 1.0 |
| clean_f1 + hardeval | {clean + hard:.4f} | {(clean + hard) / exact:.1f} |
| &nbsp;&nbsp;of these, clean_f1 | {clean:.4f} | {clean / exact:.1f} |
| &nbsp;&nbsp;of these, hardeval | {hard:.4f} | {hard / exact:.1f} |
| preparing the gold corpus, once: looking it up in the index | {prepare:.4f} | {prepare / exact:.1f} |
| &nbsp;&nbsp;and the hashes of its distinct words, whatever the index | {hashes:.4f} | {hashes / exact:.1f} |
| clean_f1 + hardeval, first call on a gold corpus that is not prepared | {first:.4f} | {first / exact:.1f} |
| indexing the training data | {indexing:.2f} | {arguments.train / indexing:,.0f} tokens/s |
| counting where its names stand, in a second pass | {counting:.2f} | {arguments.train / counting:,.0f} tokens/s |
| further tables of the index, once, when first asked | {tables:.2f} | |

The aim for both together is 3 x `exact_f1`. A look-up asks for every distinct word, every mention, every token in one \
and every place where a training mention may begin, in tables larger than the processor's nearest caches: done \
within a score, it is most of it.

The process held {held:.0f} MB after indexing, and {more:.0f} MB more after counting. One call of `NerMetrics` on \
10,000 sentences of logits took {1000 * trainer:.1f} ms, {10 * trainer:.2f} ms per 100 sentences.
"""
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
