"""Writes what the documentation shows but no one should type: the picture, names, commands, output, figures.

    python docs/refresh.py            # rewrites the files
    python docs/refresh.py --check    # says which are out of date, and writes nothing

Numbers are those of ``cleancut demo``, which is run for it, and those that ``benchmarks/corpora.py`` and
``benchmarks/evidence.py`` have stored. The tests run the same check.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cleancut as cc
from cleancut import cli

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

TASKS = {
    "Read and write": "Corpus Mentions read read_batches read_text read_pair write from_dataset load_splits detect "
    "Shape join_at read_aliases read_answers parse_answer ground Grounding",
    "Score": "exact_f1 partial_f1 clean_f1 hardeval Score Counts errors Errors metric",
    "What training has shown": "Exposure Exposed mention_statistics",
    "Buckets and diagnosis": "buckets Buckets register_attribute self_diagnosis comparative_diagnosis model_wise "
    "attribute_wise friedman wilcoxon",
    "Compare systems and runs": "compare Comparison over_runs contamination_correlation study Study Studied",
    "Audit": "audit Audit subsets",
    "Split": "mincut SplitSettings SplitPlan frontier Frontier Point component_sizes mincut_folds kfold Folds Fold "
    "hardeval_folds "
    "CleanCutSplit Incidences write_incidence spark_extract spark_incidences",
    "Map datasets": "annotate keep_mentions decontaminate train_test_split entities_of",
    "Ladders": "ladder Ladder Rung",
    "Reports": "html_report html_audit html_split html_frontier html_comparison html_study",
    "The Hub": "publish materialise publish_metrics publish_app stage stage_app",
}
"""Public names by what they are for. A name that stands nowhere is listed under "Also"."""


# --- names and commands -------------------------------------------------------------------------------


def tasks() -> dict[str, list[str]]:
    """The public names of each task, all of them."""
    found = {task: [name for name in names.split() if name in cc.__all__] for task, names in TASKS.items()}
    placed = {name for names in found.values() for name in names}
    return {**found, "Also": [name for name in cc.__all__ if name not in placed and not name.startswith("_")]}


def first_sentence(name: str) -> str:
    text = inspect.getdoc(getattr(cc, name)) or ""
    line = " ".join(text.split("\n\n")[0].split())
    line = re.split(r"(?<=[.])(?<!Eq\.)(?<!al\.)(?<!e\.g\.)(?<!i\.e\.)\s", line)[0]  # not behind an abbreviation
    return line.replace("``", "`").replace("|", "\\|")


def slug(task: str) -> str:
    return task.lower().removeprefix("the ").replace(" ", "-")


def api_index() -> str:
    intro = (
        "Everything below is `cleancut.<name>`; `cleancut.trainer.NerMetrics` is apart, since it is for a `Trainer`. "
        "The headings lead to signatures and docstrings."
    )
    lines = ["# Public names", "", intro, ""]
    for task, names in tasks().items():
        lines += [f"## [{task}](reference/{slug(task)}.md)", "", "| name | what |", "|---|---|"]
        lines += [f"| `{name}` | {first_sentence(name)} |" for name in names]
        lines += [""]
    return "\n".join(lines)


def reference(task: str, names: list[str]) -> str:
    own = ["cleancut.trainer.NerMetrics"] if task == "Also" else []
    blocks = "\n\n".join(f"::: {name}" for name in [*(f"cleancut.{name}" for name in names), *own])
    return f"# {task}\n\n{blocks}\n"


COMMANDS = """# Commands

`cleancut COMMAND --help` says the same. A command ends with exit code 0, or with 2 and one line on standard error if
its input is bad. A study of which some datasets cannot be read shows the others, and ends with 2.

`cleancut --version --verbose` lists which optional packages are installed, what each adds, and how to install the
others.

Completion for a shell (`pip install "cleancut[completion]"`; also for fish):

```bash
mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc
cleancut completion bash > ~/.local/share/bash-completion/completions/cleancut
cleancut completion zsh > ~/.zfunc/_cleancut
```
"""


def commands_page() -> str:
    """Every command with its options, as the parser has them."""
    main = cli.parser()
    commands = next(a for a in main._actions if isinstance(a, argparse._SubParsersAction)).choices
    lines = [COMMANDS]
    first_of_group = {next(iter(names)): title for title, names in cli.GROUPS.items()}
    for name in (name for names in cli.GROUPS.values() for name in names):
        parser = commands[name]
        if name in first_of_group:
            title = first_of_group[name]
            lines += [f"## {title[0].upper()}{title[1:]}", ""]
        example = (parser.epilog or "").partition("example:\n")[2].strip()
        lines += [f"### cleancut {name}", "", parser.description or "", "", "```bash"]
        lines += [line.strip() for line in example.split("\n")] + ["```", "", "| option | what |", "|---|---|"]
        for action in parser._actions:
            if action.dest != "help":
                names = ", ".join(action.option_strings) or str(action.metavar or action.dest)
                value = action.metavar if action.option_strings and action.nargs != 0 else ""
                if action.option_strings and action.choices:
                    value = "{" + ",".join(map(str, action.choices)) + "}"
                shown = f"{names} {value or ''}".strip()
                what = str(action.help).replace("%%", "%").replace("|", "\\|")
                lines.append(
                    f"| `{shown}` | {what}{' (required)' if action.required and action.nargs != '*' else ''} |"
                )
        lines.append("")
    return "\n".join(lines)


# --- the picture ----------------------------------------------------------------------------------------

BARS = {
    "F1 on a random split": "#8a94a6",
    "clean F1: the same predictions, new names only": "#2f6fdb",
    "F1 on a clean split": "#12805c",
}


def measured(folder: Path) -> dict[str, list[float]]:
    """Of each tagger of the demo the three values of the picture."""
    found = {}
    for title, file in {"look-up tagger": "lookup", "perceptron": "perceptron"}.items():
        parts = {}
        for split, home in (("random", folder), ("clean", folder / "clean")):
            train, gold, pred = (cc.read(home / f"{name}.conll") for name in ("train", "test", file))
            parts[split] = cc.clean_f1(gold, pred, cc.Exposure.of(train))
        found[title] = [parts["random"].f1, parts["random"].clean_f1, parts["clean"].f1]
    return found


def picture(values: dict[str, list[float]]) -> str:
    """Bars of F1 in percent, as SVG without script or fonts of its own."""
    left, width, height, top = 150, 500, 18, 74
    text = 'font-family="system-ui, sans-serif" fill="#1f2430"'
    lines, y = [], top
    for title, row in values.items():
        lines.append(f'<text x="{left - 12}" y="{y + 34}" text-anchor="end" font-size="14" {text}>{title}</text>')
        for value, colour in zip(row, BARS.values(), strict=True):
            size = max(width * value, 1)
            lines.append(f'<rect x="{left}" y="{y}" width="{size:.1f}" height="{height}" rx="2" fill="{colour}"/>')
            lines.append(f'<text x="{left + size + 6:.1f}" y="{y + 14}" font-size="13" {text}>{100 * value:.1f}</text>')
            y += height + 4
        y += 22
    key = []
    for i, (name, colour) in enumerate(BARS.items()):
        key.append(f'<rect x="20" y="{y + 20 * i}" width="12" height="12" rx="2" fill="{colour}"/>')
        key.append(f'<text x="40" y="{y + 11 + 20 * i}" font-size="13" {text}>{name}</text>')
    total = y + 20 * len(BARS) + 10
    said = "; ".join(f"{title}: " + ", ".join(f"{100 * v:.1f}" for v in row) for title, row in values.items())
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {total}" role="img" aria-labelledby="t d">\n'
        f'<title id="t">What an F1 is worth once memory is taken out of it</title>\n<desc id="d">{said}</desc>\n'
        f'<rect width="720" height="{total}" rx="8" fill="#ffffff"/>\n'
        f'<text x="20" y="34" font-size="17" font-weight="600" {text}>F1 is memory and understanding in one</text>\n'
        f'<text x="20" y="54" font-size="12" {text}>Two taggers of cleancut demo, F1 in %</text>'
    )
    return "\n".join([head, *lines, *key, "</svg>", ""])


# --- output of commands -----------------------------------------------------------------------------------


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted(p for p in DOCS.rglob("*.md") if p.parent.name != "reference")]


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def printed(command: str, demo: Path) -> str:
    """What a command prints, in a folder with the demo's files."""
    arguments = shlex.split(command)
    assert arguments[0] == "cleancut", command
    out = io.StringIO()
    with inside(demo.parent if arguments[1] == "demo" else demo), contextlib.redirect_stdout(out):
        code = cli.main(arguments[1:])
    assert code == 0, command
    return out.getvalue()


PREPARES = re.compile(r"^<!-- prepares -->\n```python\n(.*?)^```", re.M | re.S)
"""Python that makes files for the commands of its page."""


LEFT_OUT = "..."
"""A line of a console block that stands for lines of the output which the page leaves out."""


def excerpt(shown: str, output: str) -> str:
    """What a page shows of an output: all of it, or the lines that it has shown so far, with the numbers of now.

    Lines that are shown are found again by their words, in order.
    """
    lines = shown.splitlines()
    if LEFT_OUT not in lines:
        return output
    printed_lines = output.splitlines()
    found, at = [], 0
    for i, line in enumerate(lines):
        if line == LEFT_OUT:
            found.append(line)
            continue
        may_skip = i > 0 and lines[i - 1] == LEFT_OUT
        while at < len(printed_lines) and may_skip and words_of(printed_lines[at]) != words_of(line):
            at += 1
        assert at < len(printed_lines) and words_of(printed_lines[at]) == words_of(line), f"not printed: {line}"
        found.append(printed_lines[at])
        at += 1
    assert lines[-1] == LEFT_OUT or at == len(printed_lines), "lines are left out at the end without a sign"
    return "".join(f"{line}\n" for line in found)


def words_of(line: str) -> list[str]:
    """A line without its numbers, signs of numbers and rules."""
    return re.sub(r"[-+]?\d[\d.,]*|-{2,}|[(),]", " ", line).split()


def with_output(text: str, demo: Path) -> str:
    """A page with what each command of its console blocks prints now."""
    for code in PREPARES.findall(text):
        with inside(demo):
            exec(compile(code, "docs", "exec"), {})

    def again(match: re.Match[str]) -> str:
        command, _, shown = match[1].partition("\n")
        return f"```console\n{command}\n{excerpt(shown, printed(command.removeprefix('$ '), demo))}```"

    return re.sub(r"^```console\n(.*?)^```", again, text, flags=re.M | re.S)


# --- figures of benchmarks ---------------------------------------------------------------------------------


def shared_table(stored: dict[str, Any]) -> str:
    """What splits of real corpora share, by method; in brackets the density of the sparsest held-out split."""
    ways = list(next(iter(stored["shared"].values())))
    lines = [f"| 80/10/10, held-out samples that share an entity with train | {' | '.join(ways)} |"]
    lines.append("|---|" + "---:|" * len(ways))
    for corpus, row in stored["shared"].items():
        cells = [f"{row[way]['n']} ({row[way]['density']:.2f})" for way in ways]
        lines.append(f"| {corpus} | {' | '.join(cells)} |")
    return "\n".join(lines)


def percent_of_all(row: dict[str, Any]) -> str:
    return f"{100 * row['n'] / row['n_samples']:.1f}%" if row["n"] else "0%"


def discarded_table(stored: dict[str, Any]) -> str:
    """What is discarded so that nothing is shared, the smallest share first."""
    held = "with 0.9 of the density held by what is kept"
    lines = [f"| discarded for no shared entity (`--discard auto`), {held} | samples | of all |", "|---|---:|---:|"]
    for row in sorted(stored["discarded"], key=lambda row: row["n"] / row["n_samples"]):
        ratios = ", original ratios" if row["ratios"] == "original" else f" {row['ratios']}"
        lines.append(f"| {row['corpus']}{ratios} | {row['n']} | {percent_of_all(row)} |")
    return "\n".join(lines)


def discarded_of_btc(stored: dict[str, Any]) -> str:
    """The same of one corpus, in a sentence."""
    (row,) = (r for r in stored["discarded"] if (r["corpus"], r["ratios"]) == ("BTC (raw tags)", "80/10/10"))
    return (
        f"With `--discard auto`, {row['n']} samples of BTC ({percent_of_all(row)}) are discarded, and the held-out "
        "splits keep\n0.9 of the density without them."
    )


# --- figures of evidence ----------------------------------------------------------------------------------

MADE_UP = {"lookup": "a look-up (made up)", "noisy_gold": "noisy gold (made up)"}
"""Systems that are no submissions."""


def table(header: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown, whose numbers are to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def in_percent(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{100 * value:.{digits}f}"


def rank(of: dict[str, Any], system: str, title: str) -> int:
    sign = 1 if title == "hardeval" else -1
    return 1 + sum(sign * other[title] < sign * of[system][title] for other in of.values())


def ranks_table(stored: dict[str, Any]) -> str:
    """Systems of WNUT17 with their values and ranks, with memory and without it."""
    of = stored["evidence"]["WNUT17"]["systems"]
    titles = ["F1", "clean F1", "clean F1, fold+part", "hardeval"]
    rows = []
    for name in sorted(of, key=lambda name: -of[name]["F1"]):
        rows.append([name, *(f"{in_percent(of[name][title])} ({rank(of, name, title)})" for title in titles)])
    return table(["system", *(f"{title} (rank)" for title in titles)], rows)


def swaps_sentence(stored: dict[str, Any]) -> str:
    """How many pairs change places between F1 and hardeval, and how sure that is."""
    change = stored["evidence"]["WNUT17"]["changes"]
    n_systems = len(stored["evidence"]["WNUT17"]["systems"])
    sure = [swap for swap in change["swaps"] if max(swap["f1"], swap["hardeval"]) < 0.05]
    lines = [f"{' and '.join(swap['pair'])} (F1: p = {swap['f1']:.2f}, hardeval: p = {swap['hardeval']:.2f})"
             for swap in change["swaps"]]  # fmt: skip
    return (
        f"{len(change['swaps'])} of {n_systems * (n_systems - 1) // 2} pairs of systems change places between F1 and "
        f"hardeval (Kendall's tau {change['tau']:.2f}); both orders are significant for {len(sure) or 'none'} "
        f"of them, with p corrected for all pairs:\n\n" + "\n".join(f"- {line}" for line in lines)
    )


def memory_table(stored: dict[str, Any]) -> str:
    """How much of each test set training has shown, and what a look-up scores; most first."""
    of = {name: own["memory"] for name, own in stored["evidence"].items() if "memory" in own}
    titles = ["look-up F1", "seen exact", "seen fold", "seen fold+part"]
    rows = []
    for name in sorted(of, key=lambda name: -of[name]["look-up F1"]):
        rows.append([name, *(in_percent(of[name][title]) for title in titles)])
    return table(["corpus, train to test", "look-up F1", *(f"seen, `{same}` %" for same in NOTIONS)], rows)


NOTIONS = ("exact", "fold", "fold+part")


def cost_table(stored: dict[str, Any]) -> str:
    """What splits that share nothing discard under each notion, and what they leave under the loosest."""
    rows = []
    for name, own in stored["evidence"].items():
        cells = []
        for same in NOTIONS:
            row = own["splits"][same]
            assert row["guarantee"].startswith("no entity is shared")
            cells += [f"{in_percent(row['n_discarded'] / row['n_samples'], 1)}%", f"{in_percent(row['left'], 1)}%"]
        rows.append([name, *cells])
    head = "80/10/10, `--discard auto --effort fast --representative 0.5`"
    return table([head, *(title for same in NOTIONS for title in (f"`{same}`: discarded", "left related"))], rows)


def left_sentence(stored: dict[str, Any]) -> str:
    """The same of the exact notion, in a sentence."""
    of = [own["splits"] for own in stored["evidence"].values()]
    left = sorted(splits["exact"]["left"] for splits in of)
    most = max(splits["fold+part"]["n_discarded"] / splits["fold+part"]["n_samples"] for splits in of)
    return (
        f"In clean splits of {len(of)} corpora, {in_percent(left[0], 0)}% to\n  {in_percent(left[-1], 0)}% of the test "
        "mentions differ from a train name in case or punctuation only, or one is part of the other."
        "\n  [`--same fold+part`](docs/guides/same.md) keeps those apart too, and discards up to "
        f"{in_percent(most, 1)}% of the samples for it."
    )


def partial_table(stored: dict[str, Any]) -> str:
    """F1 of each system under each mode of partial credit, with its rank."""
    titles = ["F1", "F1 left", "F1 right", "F1 overlap"]
    rows = []
    for corpus, own in stored["evidence"].items():
        of = own.get("systems", {})
        for name in sorted(of, key=lambda name: -of[name]["F1"]):
            ranked = len(of) > 2
            cells = []
            for title in titles:
                cells.append(in_percent(of[name][title]) + (f" ({rank(of, name, title)})" if ranked else ""))
            rows.append([f"{corpus}: {MADE_UP.get(name, name)}", *cells])
    return table(["system", "F1 exact (rank)", *(f"{title} (rank)" for title in titles[1:])], rows)


# --- all figures --------------------------------------------------------------------------------------------

TEN_SAMPLES = ["Ada Bo", "Ada", "Bo Cy", "Cy", "Cy Di", "Di Ed", "Ed", "Di", "Flo", "Flo"]
"""The names of each sample of the worked example."""


def ten_samples(_: dict[str, Any]) -> str:
    """Ten samples and their names, drawn, with the split that discards one of them so that nothing is shared."""
    samples = [names.split() for names in TEN_SAMPLES]
    corpus = cc.Corpus.of(samples, tags=[["B-PER"] * len(names) for names in samples])
    options = {"discard": "auto", "representative": None, "min_per_type": 0}
    plan = cc.mincut(corpus, (4, 3, 2), progress=lambda _: None, **options)
    short = ["train", "val", "test", "out"]  # the last one stands for -1, the split of discarded samples
    width = 6
    lines = ["sample" + "".join(f"{i + 1:>{width}}" for i in range(len(samples)))]
    for name in sorted({name for names in samples for name in names}):
        at = [i for i, names in enumerate(samples) if name in names]
        drawn = [" "] * (width * len(samples))
        drawn[width * (at[0] + 1) - 1 : width * (at[-1] + 1)] = "-" * (width * (at[-1] - at[0]) + 1)
        for i in at:
            drawn[width * (i + 1) - 1] = "o"
        lines.append(f"{name:<6}" + "".join(drawn).rstrip())
    lines.append("split " + "".join(f"{short[split]:>{width}}" for split in plan.assignment.tolist()))
    return (
        "```text\n"
        + "\n".join(lines)
        + f"\n```\n\nOf this plan, {plan.guarantee}; {plan.n_discarded} sample is discarded."
    )


FIGURES = {
    "shared": shared_table,
    "discarded": discarded_table,
    "discarded-btc": discarded_of_btc,
    "ten-samples": ten_samples,
    "ranks": ranks_table,
    "swaps": swaps_sentence,
    "memory": memory_table,
    "cost": cost_table,
    "left": left_sentence,
    "partial": partial_table,
}
"""What stands between ``<!-- figures: NAME -->`` and ``<!-- end of figures -->``, by what benchmarks have stored."""


def with_figures(text: str) -> str:
    """A page with the figures that benchmarks/corpora.py and benchmarks/evidence.py have stored."""
    stored = json.loads((ROOT / "benchmarks" / "corpora.json").read_text("utf-8"))
    stored["evidence"] = json.loads((ROOT / "benchmarks" / "evidence.json").read_text("utf-8"))

    def again(match: re.Match[str]) -> str:
        indent = match[1]
        figure = FIGURES[match[2]](stored)
        gap = "\n" if indent else "\n\n"  # within a list
        return f"{indent}<!-- figures: {match[2]} -->{gap}{indent}{figure}{gap}{indent}<!-- end of figures -->"

    return re.sub(r"^( *)<!-- figures: ([\w-]+) -->\n.*?<!-- end of figures -->", again, text, flags=re.S | re.M)


def pages_with_figures() -> list[Path]:
    return [*sorted(DOCS.rglob("*.md")), *sorted((ROOT / "splitters").rglob("README.md")), ROOT / "README.md"]


# --- all of it --------------------------------------------------------------------------------------------


def wanted(demo: Path, *, output: bool = True) -> dict[Path, str]:
    """Every file that is written here, as it should be."""
    found = {DOCS / "api.md": api_index(), DOCS / "commands.md": commands_page()}
    found |= {DOCS / "reference" / f"{slug(task)}.md": reference(task, names) for task, names in tasks().items()}
    found[DOCS / "images" / "memory.svg"] = picture(measured(demo))
    written_whole = set(found)
    for page in set(pages_with_figures()) - written_whole:
        found[page] = with_figures(page.read_text("utf-8"))
    for page in pages() if output else ():
        text = found.get(page) or page.read_text("utf-8")
        if "```console" in text and page not in written_whole:
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder, "cleancut-demo")
                shutil.copytree(demo, copy)
                found[page] = with_output(text, copy)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Bring the generated parts of the documentation up to date.")
    parser.add_argument("--check", action="store_true", help="say what is out of date, and write nothing")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        with inside(Path(folder)), contextlib.redirect_stdout(io.StringIO()):
            assert cli.main(["demo"]) == 0
        files = wanted(Path(folder, "cleancut-demo"))
    stale = [path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        print(f"{'out of date' if check else 'written'}: {path.relative_to(ROOT)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], "utf-8", newline="\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
