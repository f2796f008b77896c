"""Text of others in what is shown: it reaches no terminal raw, and breaks no table, message, Markdown, LaTeX or CSV.

Words, labels, names of systems, of files and of columns are hostile here. And where standard output is closed, full, or
not read to its end, there is no traceback.
"""

import csv
import io
import json
import os
import re
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cleancut as cc
from cleancut import cli
from cleancut.core.files import write_text
from cleancut.hub.cards import card_text, config_section
from cleancut.showing.escaping import (
    csv_text,
    html_text,
    json_text,
    latex_text,
    markdown_block,
    markdown_code,
    markdown_text,
    one_line,
    visible,
)

pytestmark = pytest.mark.usefixtures("few_moves")

HOSTILE = (
    "=cmd|' /C calc'!A0\x1b[31m\x9b2J\x07\r\n| x | </td><script>alert(1)</script> ![p](//e) `a``` \u202e\u2028\x85\x7f"
)
LABELS = [f"{HOSTILE}{i}".replace(" ", "_").replace("\n", "\u2029") for i in range(2)]  # of tags, which have no spaces
NAME = "=x\x1b[31m|\u202e<b>`\n![p](e).jsonl"
"""As a file may be called."""


def is_clean(text):
    """Has it no character that a terminal obeys?"""
    return not any(unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs") or "\u202a" <= c <= "\u202e" for c in text)


def rows(n, offset=0):
    for i in range(n):
        label = LABELS[(i + offset) % 2]
        word = f"{HOSTILE}{i % 5}"
        yield {"tokens": [word, "spoke"], "entities": [{"start": 0, "end": 1, "label": label}]}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("output")
    os.chdir(folder)
    for name, offset in (("gold.jsonl", 0), (NAME, 0), ("train.jsonl", 1), ("other.jsonl", 1)):
        with open(name, "w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(row) + "\n" for row in rows(30, offset))
    return folder


@pytest.fixture
def run(home, monkeypatch, capsys):
    monkeypatch.chdir(home)

    def run(*words):
        code = cli.main(list(words))
        said = capsys.readouterr()
        assert code in (0, 2), said.err
        return code, said.out, said.err

    return run


COMMANDS = {
    "score": ["score", "--gold", "gold.jsonl", "--pred", NAME, "--train", "train.jsonl", "--by-type"],
    "two systems": ["score", "--gold", "gold.jsonl", "--pred", NAME, "--pred", "other.jsonl", "--ci", "20"],
    "compare": ["compare", "--gold", "gold.jsonl", "--pred", NAME, "--pred", "other.jsonl", "--ci", "20"],
    "buckets": ["buckets", "--gold", "gold.jsonl", "--pred", NAME, "--train", "train.jsonl"],
    "audit": ["audit", "--train", NAME, "--test", "gold.jsonl"],
    "split": ["split", NAME, "-o", f"out{NAME}", "--effort", "fast", "--ratios", "50/50"],
    "ladder": ["ladder", "--train", NAME, "--test", "gold.jsonl", "-o", "l"],
    "folds": ["hardeval-folds", "--gold", NAME, "-k", "2", "-o", f"f{NAME}", "--format", "jsonl"],
    "convert": ["convert", NAME, f"c{NAME}"],
    "subsets": ["subsets", "--train", "train.jsonl", "--test", NAME, "-o", f"s{NAME}"],
    "missing": ["score", "--gold", f"no{NAME}", "--pred", NAME],
    "no column": ["score", "--gold", "gold.jsonl", "--pred", NAME, "--tags", HOSTILE],
    "type": ["score", "--gold", "gold.jsonl", "--pred", NAME, "--map", f"{HOSTILE}=x"],
    "metric": ["score", "--gold", "gold.jsonl", "--pred", NAME, "--metrics", HOSTILE],
    "recipe": ["split", "--recipe", HOSTILE, "-o", "x"],
    "folder": ["demo", "-o", f"gold.jsonl/{NAME}"],
    "repository": ["publish-metrics", "--to", HOSTILE],
}


@pytest.mark.skipif(os.name == "nt", reason="no file can have such a name here")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_terminal_is_never_told_what_to_do(run, command):
    code, out, err = run(*COMMANDS[command])
    assert is_clean(out.replace("\n", "")) and is_clean(err.replace("\n", "")), (out, err)
    assert code == 0 or (err.startswith("cleancut: ") and err.count("\n") == 1)
    for line in err.splitlines():
        assert line.startswith("cleancut")


@pytest.mark.parametrize("command", ["score", "compare", "buckets", "audit", "folds"])
def test_json_has_no_control_characters_and_means_the_same(run, command):
    code, out, err = run(*COMMANDS[command], "--json", *(["--overwrite"] if "-o" in COMMANDS[command] else []))
    assert code == 0 and is_clean(out.replace("\n", "")), err
    json.loads(out)
    value = {"a": HOSTILE, HOSTILE: ["\ud800", "\U0001f600"]}
    assert json.loads(json_text(json.dumps(value, ensure_ascii=False))) == value


@pytest.mark.parametrize("option", ["--nothing\x1b[31m", "--seed=\x1b[31m", "--credit=\n", "--scheme=\x07"])
def test_errors_of_the_parser_are_clean(run, option, capsys):
    try:
        run("score", "--gold", "gold.jsonl", "--pred", NAME, option)
    except SystemExit as end:
        assert end.code == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1 and is_clean(err.strip())


@pytest.mark.parametrize("format", ["md", "latex", "csv"])
def test_tables_of_a_report_are_not_broken(run, format):
    systems = ["--pred", NAME, "--pred", "other.jsonl", "--train", "train.jsonl", "--ci", "20"]
    code, out, err = run("report", "--gold", "gold.jsonl", *systems, "--format", format)
    assert code == 0 and is_clean(out.replace("\n", "")), err
    if format == "md":
        check_markdown(out)
    elif format == "latex":
        for line in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end", out, re.S):
            for row in re.findall(r"^(.*) \\\\$", line[1], re.M):
                assert len(re.findall(r"(?<!\\)&", row)) == len(line[0]) - 1
    else:
        table = list(csv.reader(io.StringIO(out)))
        assert {len(row) for row in table} == {8} and len(table) == len(out.splitlines())
        for cell in (cell for row in table for cell in row):
            number = re.fullmatch(r"[-+]?[0-9.]*(e[-+]?\d+)?", cell)
            assert number or not cell.lstrip().startswith(("=", "+", "-", "@", "\t", "\r")), cell


def check_markdown(text):
    """Every table has as many cells in each row, and nothing is HTML, a link or a picture but what is ours."""
    assert not re.search(r"<(?!!-- |br)[a-z/!]", text, re.I), re.findall(r"<.{20}", text)
    width = None
    for line in text.splitlines():
        if line.startswith("|"):
            cells = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))
            width = width or cells
            assert cells == width, line
        else:
            width = None


def test_the_report_of_a_split_and_its_card_are_not_broken(home, monkeypatch):
    datasets = pytest.importorskip("datasets")
    monkeypatch.chdir(home)
    corpus = cc.Corpus.of([row["tokens"] for row in rows(30)], entities=[row["entities"] for row in rows(30)])
    hostile = "x\n```\n<!-- cleancut: end of c -->\n# Mine ![p](//e)"
    plan = cc.mincut(corpus, "50/50", effort="fast", min_per_type=99)
    plan = cc.splitting.plan.replace(plan, notes=[hostile], how=hostile, read_as={"tags": hostile}, guarantee=hostile)
    section = config_section(plan, "c", "org/name", False)
    outside = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", section, flags=re.M | re.S)
    assert "# Mine" not in outside.splitlines()
    check_markdown(re.sub(r"!\[samples that share an entity, before and after\]\(c/leakage.svg\)", "", outside))
    info = datasets.DatasetInfo(features=datasets.Features({"a": datasets.Value("int64")}))
    cards = [""]
    for _ in range(3):
        cards.append(card_text(cards[-1], "c", section, ["c/train-00000-of-00001.parquet"], info, {}))
    assert cards[1] == cards[2] == cards[3] and cards[1].count("<!-- cleancut: end of c -->") == 1


TEXTS = st.text(st.characters() | st.sampled_from("=+-@|`<>&\\\n\t\r\x1b\x7f\x9b\u2028\u202e\ud800[]()!%#_{}~^$\"'"))


@given(TEXTS)
def test_every_medium_is_clean(text):
    for medium in (one_line, latex_text, csv_text, markdown_text, markdown_code):
        assert is_clean(medium(text))
    for medium in (visible, html_text, markdown_block):
        assert is_clean(medium(text).replace("\n", "").replace("\t", ""))
    assert not set('<>"') & set(html_text(text))
    assert not re.search(r"(?<!\\)(?:\\\\)*\|", markdown_text(text)) and "<" not in markdown_text(text)
    marks = re.match("`+", markdown_code(text))[0]
    assert markdown_code(text).endswith(marks) and marks not in markdown_code(text)[len(marks) : -len(marks)]
    fence = re.match("`+", markdown_block(text))[0]
    assert markdown_block(text).count(fence) == 2
    row = io.StringIO()
    csv.writer(row).writerow([csv_text(text), "end"])
    read = list(csv.reader(io.StringIO(row.getvalue(), newline="")))
    assert read == [[csv_text(text), "end"]]


def test_half_a_character_costs_no_file(tmp_path):
    write_text(tmp_path / "x", "a\ud800b")
    assert (tmp_path / "x").read_text() == "a\\ud800b"


# --- standard output --------------------------------------------------------------------------------------------------

SCORE = ["score", "--gold", "gold.jsonl", "--pred", "other.jsonl", "--json"]
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device is full here")


def started(home, words, redirected):
    command = f"exec {sys.executable} -m cleancut {' '.join(words)} {redirected}"
    return subprocess.run(["sh", "-c", command], cwd=home, capture_output=True, text=True, timeout=300)


@FULL
@pytest.mark.parametrize(
    ("words", "redirected", "code", "said"),
    [
        (SCORE, "> /dev/full", 2, "cleancut: standard output: No space left on device. The result is not shown.\n"),
        pytest.param(["--version"], "> /dev/full", 2, "No space left", marks=pytest.mark.slow),
        pytest.param(["score", "--help"], "> /dev/full", 2, "No space left", marks=pytest.mark.slow),
        pytest.param(SCORE, ">&-", 0, "", marks=pytest.mark.slow),
        pytest.param(SCORE, "<&- >&- 2>&-", 0, "", marks=pytest.mark.slow),
        pytest.param(["score", "--gold", "no"], "2> /dev/full", 2, "", marks=pytest.mark.slow),
        pytest.param(["score", "--gold", "no"], "2>&-", 2, "", marks=pytest.mark.slow),
        pytest.param(["score", "--nothing"], "2> /dev/full", 2, "", marks=pytest.mark.slow),
        pytest.param(["convert", "gold.jsonl", "x.jsonl"], "> /dev/full 2> /dev/full", 0, "", marks=pytest.mark.slow),
    ],
)
def test_a_closed_or_full_output_is_no_traceback(home, words, redirected, code, said):
    done = started(home, words, redirected)
    assert done.returncode == code and "Traceback" not in done.stderr and "Exception" not in done.stderr, done.stderr
    assert said in done.stderr and done.stderr.count("\n") <= 1


@pytest.mark.skipif(os.name == "nt", reason="pipes are others here")
def test_a_reader_that_has_seen_enough_is_no_error(home):
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "cleancut", *SCORE]
    done = subprocess.run(command, cwd=home, stdout=write, stderr=subprocess.PIPE, text=True, timeout=300)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")
