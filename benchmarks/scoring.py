"""Speed and memory of exact F1 beside seqeval, evaluate with seqeval, nervaluate and SeqScore, in one run.

    pip install ".[bench]"
    python benchmarks/scoring.py [--tokens 50000 1000000 10000000] [--markdown FILE]

Each system scores the same generated corpus in a process of its own, so that the peak of its memory beyond the input
is its own. Up to a million tokens the best of five runs counts, above it a single run.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TYPES = ["PER", "LOC", "ORG", "MISC"]
TAGS = ["O", *(f"{letter}-{name}" for name in TYPES for letter in "BI")]


def corpus(n_tokens: int, seed: int = 0) -> tuple[list[list[str]], list[list[str]]]:
    """IOB2 sentences of about 15 tokens with the density of CoNLL-2003, and a system that gets most of them right."""
    rng = random.Random(seed)
    gold, pred, total = [], [], 0
    while total < n_tokens:
        ours, theirs = [], []
        for _ in range(rng.randint(3, 12)):
            gap = rng.randint(0, 3)
            name, size = rng.choice(TYPES), rng.choice([1, 1, 2, 3])
            mention = [f"B-{name}"] + [f"I-{name}"] * (size - 1)
            fate = rng.random()
            if rng.random() < 0.35:  # most stretches hold no mention
                ours += ["O"] * gap + mention
                if fate < 0.08:
                    found = ["O"] * size
                elif fate < 0.13:
                    found = [tag[:2] + rng.choice(TYPES) for tag in mention]
                elif fate < 0.17:
                    found = ["O", *mention[: size - 1]]
                else:
                    found = mention
                theirs += ["O"] * gap + found
            else:
                ours += ["O"] * (gap + 1)
                theirs += ["O"] * gap + (["B-PER"] if fate < 0.01 else ["O"])
        gold.append(ours)
        pred.append(theirs)
        total += len(ours)
    return gold, pred


def padded(tags: list[list[str]], fill: int):
    import numpy as np

    code = {tag: i for i, tag in enumerate(TAGS)}
    out = np.full((len(tags), max(map(len, tags))), fill)
    for row, sample in zip(out, tags, strict=True):
        row[: len(sample)] = [code[tag] for tag in sample]
    return out


# --- the systems: each takes the lists and returns what to time -----------------------------------------


def cleancut_strings(gold, pred):
    import cleancut

    return lambda: cleancut.exact_f1(gold, pred).to_dict()["f1"]


def cleancut_int_array(gold, pred):
    import cleancut

    ours, theirs = padded(gold, -100), padded(pred, 0)
    return lambda: cleancut.exact_f1(ours, theirs, labels=TAGS).to_dict()["f1"]


def cleancut_evaluate(gold, pred):
    import evaluate

    import cleancut

    metric = evaluate.load(cleancut.metric("exact_f1"), cache_dir=tempfile.mkdtemp())
    return lambda: metric.compute(predictions=pred, references=gold)["f1"]


def seqeval_f1_score(gold, pred):
    from seqeval.metrics import f1_score

    return lambda: f1_score(gold, pred)


def seqeval_report(gold, pred):
    from seqeval.metrics import classification_report

    return lambda: classification_report(gold, pred, output_dict=True)["micro avg"]["f1-score"]


def evaluate_seqeval(gold, pred):
    """What evaluate's own seqeval module does: its report and its accuracy, over strings stored by evaluate."""
    import datasets
    import evaluate
    from seqeval.metrics import accuracy_score, classification_report

    class Seqeval(evaluate.Metric):
        def _info(self):
            column = datasets.Sequence(datasets.Value("string"))
            features = datasets.Features({"predictions": column, "references": column})
            return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

        def _compute(self, predictions, references):
            report = classification_report(references, predictions, output_dict=True)
            return {"f1": report["micro avg"]["f1-score"], "accuracy": accuracy_score(references, predictions)}

    metric = Seqeval(cache_dir=tempfile.mkdtemp())
    return lambda: metric.compute(predictions=pred, references=gold)["f1"]


def nervaluate_evaluator(gold, pred):
    from nervaluate.evaluator import Evaluator

    return lambda: Evaluator(gold, pred, tags=TYPES, loader="list").evaluate()["overall"]["strict"].f1


def seqscore_labels(gold, pred):
    from seqscore.scoring import score_label_sequences

    return lambda: score_label_sequences(pred, gold, "BIO", repair="conlleval")[0].f1


SYSTEMS = {
    "cleancut, lists of strings": cleancut_strings,
    "cleancut, padded int array": cleancut_int_array,
    "cleancut, evaluate.load": cleancut_evaluate,
    "seqeval f1_score": seqeval_f1_score,
    "seqeval classification_report": seqeval_report,
    "evaluate + seqeval": evaluate_seqeval,
    "nervaluate": nervaluate_evaluator,
    "SeqScore": seqscore_labels,
}


# --- measuring --------------------------------------------------------------------------------------------


def memory(field: str, process: int | str = "self") -> float:
    """VmRSS (now) or VmHWM (peak) of a process in MB."""
    found = re.search(rf"{field}:\s+(\d+)", Path(f"/proc/{process}/status").read_text("ascii"))
    return int(found[1]) / 1024 if found else float("nan")


def measure(system: str, n_tokens: int) -> dict[str, float]:
    gold, pred = corpus(n_tokens)
    run = SYSTEMS[system](gold, pred)
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # the peak counts from here on
    before = memory("VmRSS")
    best = float("inf")
    for _ in range(5 if n_tokens <= 1_000_000 else 1):
        started = time.perf_counter()
        f1 = run()
        best = min(best, time.perf_counter() - started)
    return {"seconds": best, "megabytes": memory("VmHWM") - before, "f1": float(f1), "tokens": sum(map(len, gold))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, nargs="+", default=[50_000, 1_000_000, 10_000_000])
    parser.add_argument("--markdown", type=Path, help="write the table here as well")
    parser.add_argument("--one", nargs=2, metavar=("SYSTEM", "TOKENS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one[0], int(arguments.one[1]))))
        return
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}"
        for name in ("cleancut", "seqeval", "evaluate", "nervaluate", "seqscore", "numpy", "datasets")
    )
    lines = [
        "# Exact F1: speed and memory",
        "",
        f"`python benchmarks/scoring.py` on {platform.system()} {platform.machine()}, Python "
        f"{platform.python_version()}; {versions}.",
        "Ratios are to the peers in the same run; memory is the peak beyond the input.",
    ]
    for n_tokens in arguments.tokens:
        rows: dict[str, dict[str, float]] = {}
        for system in SYSTEMS:
            command = [sys.executable, __file__, "--one", system, str(n_tokens)]
            rows[system] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(f"{n_tokens:>9} {system:30} {rows[system]['seconds']:9.3f} s", file=sys.stderr)
        lines += ["", f"## {n_tokens:,} tokens", ""]
        lines += ["| system | seconds | tokens/s | x report | x f1_score | x evaluate + seqeval | extra MB | F1 |"]
        lines += ["|---|---:|---:|---:|---:|---:|---:|---:|"]
        peers = ["seqeval classification_report", "seqeval f1_score", "evaluate + seqeval"]
        for system, row in rows.items():
            ratios = " | ".join(f"{rows[peer]['seconds'] / row['seconds']:.1f}" for peer in peers)
            speed = row["tokens"] / row["seconds"]
            measured = f"{row['seconds']:.4f} | {speed:,.0f} | {ratios} | {row['megabytes']:.0f} | {row['f1']:.6f}"
            lines.append(f"| {system} | {measured} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
