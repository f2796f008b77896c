"""What it takes to score files: whole commands, beside SeqScore's command and beside a plain pass over the same files.

    python benchmarks/reading.py [--rows 70000] [--most 2240000] [--markdown FILE]

Each command runs in a process of its own, and its processor time is counted with the start of Python. The plain passes
only split the lines of CoNLL columns, or call ``json.loads`` on each line: no reader that splits in Python or parses
with the standard library can be faster. The last table shows how time and memory grow with the file.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import cleancut

PLAIN = {
    "split lines": (
        "import sys\nfor file in sys.argv[1:]:\n    for line in open(file, encoding='utf8'): line.split('\\t')"
    ),
    "json.loads": (
        "import json, sys\nfor file in sys.argv[1:]:\n    for line in open(file, encoding='utf8'): json.loads(line)"
    ),
}


def samples(n: int, seed: int) -> list[tuple[list[str], list[str]]]:
    """Sentences of about eight words by Zipf's law, with their tags."""
    rng = random.Random(seed)
    made = []
    for _ in range(n):
        words = [f"w{int(20_000 ** rng.random())}" for _ in range(rng.randint(4, 12))]
        tags = ["O"] * len(words)
        for at in rng.sample(range(len(words)), 1):
            words[at], tags[at] = f"N{int(50_000 ** rng.random())}", rng.choice(["B-PER", "B-LOC"])
        made.append((words, tags))
    return made


def write(folder: Path, name: str, data: list[tuple[list[str], list[str]]], seed: int) -> None:
    """Write the samples as CoNLL columns and as JSONL; a seed leaves out some of the mentions, as a system does."""
    rng = random.Random(seed)
    with (
        open(folder / f"{name}.conll", "w", encoding="utf8", newline="\n") as conll,
        open(folder / f"{name}.jsonl", "w", encoding="utf8", newline="\n") as jsonl,
    ):
        for i, (words, gold) in enumerate(data):
            tags = [tag if not seed or rng.random() > 0.1 else "O" for tag in gold]
            conll.write("".join(f"{word}\t{tag}\n" for word, tag in zip(words, tags, strict=True)) + "\n")
            spans = [{"start": at, "end": at + 1, "label": t[2:]} for at, t in enumerate(tags) if t != "O"]
            jsonl.write(json.dumps({"id": str(i), "tokens": words, "entities": spans}) + "\n")


def measured(command: list[str], folder: Path, times: int = 3) -> tuple[float, float]:
    """Return the least processor time of a command, in seconds, and the most memory, in MB."""
    least = most = 0.0
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        watched = [sys.executable, "-c", WATCH, *command]
        done = subprocess.run(watched, cwd=folder, check=True, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        least = min(least or seconds, seconds)
        most = max(most, float(done.stdout.splitlines()[-1]) / 1024)
    return least, most


WATCH = (
    "import resource, subprocess, sys\n"
    "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)
"""Runs a command and prints the memory that it took at most, in KB."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=70_000)
    parser.add_argument("--most", type=int, default=2_240_000, help="rows of the largest file")
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    ours = [sys.executable, "-m", "cleancut"]
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        gold, train = samples(arguments.rows, 1), samples(arguments.rows, 2)
        n_tokens = sum(len(words) for words, _ in gold)
        write(folder, "gold", gold, 0)
        write(folder, "pred", gold, 3)
        write(folder, "train", train, 0)
        write(folder, "test", gold, 0)
        plain = {name: [sys.executable, "-c", code] for name, code in PLAIN.items()}
        seqscore = [str(Path(sys.executable).with_name("seqscore")), "score", "--labels", "BIO", "--repair-method"]
        every = ["gold.jsonl", "pred.jsonl", "train.jsonl"]
        score = [*ours, "score", "--gold", "gold.jsonl", "--pred", "pred.jsonl"]
        commands = {
            "split lines, 2 CoNLL files": [*plain["split lines"], "gold.conll", "pred.conll"],
            "`seqscore score`, CoNLL": [*seqscore, "conlleval", "--reference", "gold.conll", "pred.conll"],
            "`cleancut score --metrics exact`, CoNLL": [
                *ours, "score", "--gold", "gold.conll", "--pred", "pred.conll", "--metrics", "exact",
            ],
            "`json.loads`, 3 JSONL files": [*plain["json.loads"], *every],
            "`cleancut score --train`, all metrics, JSONL": [*score, "--train", "train.jsonl"],
            "`json.loads`, 2 JSONL files": [*plain["json.loads"], "train.jsonl", "test.jsonl"],
            "`cleancut audit`, JSONL": [*ours, "audit", "--train", "train.jsonl", "--test", "test.jsonl"],
        }  # fmt: skip
        peers = [0, 0, 0, 3, 3, 5, 5]
        seconds = [measured(command, folder)[0] for command in commands.values()]
        rows = [
            f"| {name} | {taken:.2f} | {taken / seconds[peer]:.1f} |"
            for name, taken, peer in zip(commands, seconds, peers, strict=True)
        ]
        growth = []
        n_rows = 35_000
        while n_rows <= arguments.most:
            data = samples(n_rows, 4)
            write(folder, "gold", data, 0)
            write(folder, "pred", data, 3)
            for kind in ("conll", "jsonl"):
                command = [*ours, "score", "--gold", f"gold.{kind}", "--pred", f"pred.{kind}", "--metrics", "exact"]
                taken, memory = measured(command, folder, times=1)
                growth.append(f"| {n_rows:,} | {kind} | {taken:.2f} | {taken / n_rows * 1e6:.1f} | {memory:.0f} |")
            n_rows *= 4
    lines = [
        "# Reading", "",
        f"`python benchmarks/reading.py` on {platform.system()} {platform.machine()}, Python "
        f"{platform.python_version()}; cleancut {cleancut.__version__}. {arguments.rows:,} sentences, "
        f"{n_tokens:,} tokens a file. Processor time of whole commands, with the start of Python. "
        f"Load of the machine at the start: {load:.1f} on {os.cpu_count()} cores.", "",
        "| | seconds | times the plain pass over the same files |", "|---|---:|---:|", *rows, "",
        f"`cleancut score` from CoNLL files is {seconds[1] / seconds[2]:.1f} times as fast as SeqScore's command. "
        "Of each of ours, a fifth of a second is the start of Python, numpy and Arrow; of `audit`, a tenth of a second "
        "goes into names that differ in case or punctuation or are part of one another, and into templates.", "",
        "| sentences | files | seconds | microseconds a sentence | memory, MB |", "|---:|---|---:|---:|---:|", *growth,
    ]  # fmt: skip
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
