"""The program answers what it answered: every command and every Space, on a dozen inputs, against stored answers.

The answers are in tests/reference, a file for each input. They are written by one command alone,

    python tests/reference/freeze.py

so that a change of any answer is seen in the diff. Counts, words and the order of keys are compared exactly, floats to
1e-12 of their size. What depends on the machine or the release is written as ``{version}``, ``{machine}`` or ``{out}``.
What is long is stored as its length and a digest. Of the shared corpora no text is stored, only numbers and digests.

Only ``cleancut``, its public names and ``cleancut.cli.main`` are used here: where a module lies is no answer.
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
import re
import shlex
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from reference_inputs import GENERATED

import cleancut as cc
from cleancut.cli import main
from cleancut.scoring.registry import metrics

pytestmark = pytest.mark.slow
STORED = Path(__file__).resolve().parent / "reference"
COMMAND = "python tests/reference/freeze.py"
FROZEN_ON = ("x86_64", "AMD64")
"""METIS is compiled for each machine, and may cut otherwise on others."""
SHARED = ("wnut17", "bc5cdr", "btc_atfix")

# --- what is asked --------------------------------------------------------------------------------------------

METRICS = tuple(metrics())
OPTIONS = {
    ("nested", "partial_f1"): {"muc": True, "iou": True},
    ("bioes", "partial_f1"): {"muc": True, "iou": True, "credit": 0.25},
    ("bioes", "exact_f1"): {"keys": "seqeval"},
    ("documents", "exact_f1"): {"ci": 100},
    ("documents", "clean_f1"): {"confusable": True, "typed": False, "match": "overlap"},
    ("documents", "bucket_f1"): {"bins": 3, "level": "token", "attributes": ["sLen", "tCon", "eDen"]},
    ("documents", "hardeval"): {"strict": True},
    ("unicode", "clean_f1"): {"unicode": "NFKC", "case": False},
    ("unicode", "bucket_f1"): {"unicode": "NFC", "case": False},
}
"""What is asked of a Space besides the data, by input and metric."""
FAST = "--effort fast --engine peel"
BOTH = "--pred careful{x} --pred hasty{x}"
DATA = "--gold test{x} --train train{x}"


def usual(suffix: str, more: str = "", *, systems: str = BOTH) -> list[str]:
    """What is asked about most inputs; ``more`` are the options with which they are read."""
    commands = [
        f"score {DATA} {systems} {more} --json",
        f"buckets {DATA} --pred careful{{x}} --attributes eLen,tCon,novelty,case {more} --json",
        f"audit --train train{{x}} --validation dev{{x}} --test test{{x}} {more} --json",
        f"split train{{x}} dev{{x}} test{{x}} {more} {FAST} -o {{out}} --json",
    ]
    return [" ".join(command.format(x=suffix, out="{out}").split()) for command in commands]


DEMO = "demo"
"""The command that made the input of this name: of it the files are stored, since the README shows what it prints."""

COMMANDS: dict[str, list[str]] = {
    "demo": [
        DEMO,
        "score --gold test.conll --pred lookup.conll --pred perceptron.conll --train train.conll --json",
        "score --gold test.conll --pred perceptron.conll --train train.conll --ci 200 --seed 7 --json",
        "buckets --gold test.conll --pred perceptron.conll --train train.conll --bins 3 --json",
        "audit . --top 3 --html {out}/audit.html --json",
        "audit clean --json",
        "report --gold test.conll --pred perceptron.conll --train train.conll --ci 100 -o {out}/page.html --format md",
    ],
    "nested": [
        *usual(".jsonl"),
        "buckets --gold test.jsonl --pred hasty.jsonl --train train.jsonl --bins 2 --json",
        f"split . --discard auto {FAST} -o {{out}} --json",
    ],
    "bioes": [
        *usual(".conll"),
        "score --gold test.conll --pred careful.conll --pred hasty.conll --train train.conll --by-type --muc --iou",
        "score --gold test.conll --pred careful.conll --pred hasty.conll --train train.conll --runs --json",
        "score --gold test.conll --pred careful.conll --metrics partial --credit 0.25 --muc --iou --json",
        "score --gold test.conll --pred careful.conll --train train.conll --metrics clean --confusable --key surface "
        "--ignore-case --json",
        "compare --gold test.conll --pred careful.conll --pred hasty.conll --train train.conll --ci 200 "
        "--html {out}/compared.html --json",
        "buckets --gold test.conll --pred careful.conll --train train.conll --json",
        "buckets --gold test.conll --pred careful.conll --pred hasty.conll --train train.conll --level token --ci 100 "
        "--attributes sLen,tCon,tFre --json",
        "report --gold test.conll --pred careful.conll --pred hasty.conll --train train.conll --ci 100 --format csv",
        "report --gold test.conll --pred careful.conll --format latex --ci 50",
        "subsets --train train.conll --test test.conll -o {out}",
        f"split train.conll dev.conll test.conll --discard auto {FAST} -o {{out}} --html {{out}}/split.html --json",
        "split train.conll dev.conll test.conll --effort fast -o {out} --json",
        f"split train.conll dev.conll test.conll {FAST} --ratios original -o {{out}} --format conll --json",
        "split train.conll --method components --ratios 80/20 -o {out} --format input --json",
        "split train.conll --method random --seed 3 -o {out} --format conll --json",
        "split train.conll --method paper -o {out} --json",
        "split train.conll --method paper-unweighted -o {out} --json",
        f"split train.conll {FAST} --type-share 0.8 --representative off --min-per-type 5 --key surface --ignore-case "
        "--tear-duplicates -o {out} --json",
        f"split train.conll {FAST} --ratios 60/40 -o {{out}}",
        "incidence train.conll -o {out}/incidence.parquet",
        "convert test.conll {out}/test.jsonl",
        "convert test.conll {out}/test.conll --scheme bilou",
        "ladder --train train.conll --test test.conll --levels 0,50,100 --seeds 2 -o {out} --json",
        "hardeval-folds --gold test.conll -k 4 --pred careful.conll --pred hasty.conll --ci 50 -o {out} --json",
        "hardeval-folds --gold test.conll -k 3 --strict",
    ],
    "iob1": [
        *usual(".conll"),
        "convert test.conll {out}/test.conll --scheme ioe1",
        "hardeval-folds --gold train.conll --unit doc -k 3 -o {out} --format jsonl --json",
        f"split train.conll dev.conll test.conll --unit doc {FAST} -o {{out}} --format input --json",
    ],
    "bare": usual(".conll", "--scheme io"),
    "ill_formed": [
        *usual(".conll"),
        "score --gold test.conll --pred careful.conll --repair discard --json",
        "convert test.conll {out}/test.conll --repair discard --scheme bmes",
    ],
    "ids": usual(".jsonl", "--labels labels.txt"),
    "parquet": [
        *usual(".parquet"),
        "convert test.parquet {out}/test.conll --scheme bioes",
        f"split train.parquet {FAST} -o {{out}} --format input --json",
    ],
    "documents": [
        *usual(".jsonl"),
        "audit . --unit doc --json",
        "audit .",
        f"split . --unit doc {FAST} -o {{out}} --json",
        f"split . --unit doc --ratios 60/40 {FAST} -o {{out}} --format input --json",
        f"split . --stratify language {FAST} -o {{out}} --json",
        "incidence . --unit doc -o {out}/incidence.parquet",
        "ladder --train train.jsonl --test test.jsonl --levels 0:100:50 --seeds 1 --key surface -o {out} --json",
    ],
    "relations": [
        *usual(".jsonl"),
        "audit . --key pair --json",
        "audit . --key triple --json",
        f"split . --key pair --discard 0.1 {FAST} -o {{out}} --json",
        f"split . --key triple --discard auto {FAST} -o {{out}} --json",
    ],
    "empty": [
        *usual(".jsonl", systems="--pred careful{x} --pred silent{x}"),
        "score --gold dev.jsonl --pred dev.jsonl --train dev.jsonl --json",
        "compare --gold test.jsonl --pred careful.jsonl --pred silent.jsonl --train dev.jsonl --ci 50 --json",
        f"split dev.jsonl {FAST} -o {{out}} --json",
        f"split . --frontier {FAST} -o {{out}} --json",
    ],
    "unicode": [
        *usual(".jsonl"),
        "audit . --ignore-case --top 8 --json",
        "buckets --gold test.jsonl --pred careful.jsonl --train train.jsonl --ignore-case --attributes novelty,case",
        "convert test.jsonl {out}/test.conll",
    ],
    "wnut17": [
        "score --gold test.jsonl --pred pred/sub_arcada.jsonl --pred pred/sub_uh_ritual.jsonl --train train.jsonl "
        "--json",
        "compare --gold test.jsonl --pred pred/sub_arcada.jsonl --pred pred/sub_spinningbytes.jsonl "
        "--pred pred/sub_uh_ritual.jsonl --train train.jsonl --ci 100 --json",
        "buckets --gold test.jsonl --pred pred/sub_uh_ritual.jsonl --train train.jsonl --json",
        "audit . --json",
        f"split . {FAST} --discard auto --ratios original -o {{out}} --json",
        "split . --effort fast -o {out} --json",
        "hardeval-folds --gold test.jsonl -k 5 --pred pred/sub_uh_ritual.jsonl -o {out} --json",
        "report --gold test.jsonl --pred pred/sub_uh_ritual.jsonl --train train.jsonl --ci 20 -o {out}/page.html",
    ],
    "bc5cdr": [
        "score --gold test.jsonl --pred pred/lookup.jsonl --pred pred/noisy_gold.jsonl --train train.jsonl --json",
        "buckets --gold test.jsonl --pred pred/noisy_gold.jsonl --train train.jsonl --json",
        "audit . --json",
        f"split . {FAST} -o {{out}} --json",
    ],
    "btc_atfix": [
        "score --gold test.jsonl --pred pred/lookup.jsonl --pred pred/noisy_gold.jsonl --train train.jsonl --json",
        "audit . --json",
        f"split . {FAST} --discard auto -o {{out}} --json",
    ],
}  # fmt: skip
"""By input the commands, which are run in its folder; what they write goes to a folder of their own."""
CONDENSED = ("cleancut score", "cleancut compare", "Space bucket_f1")
"""Answers whose scores are stored as digests: the same numbers are in others in full."""


def in_python(name: str) -> Any:
    """What is not on the command line, from corpora: the gold annotation, what systems found, the training data."""

    def bucketed(gold: Any, systems: Any, train: Any) -> dict[str, Any]:
        shown = cc.Exposure.of(train)
        return {name: cc.buckets(gold, found, shown) for name, found in systems.items()}

    def correlation(gold: Any, systems: Any, train: Any) -> Any:
        found = cc.ladder(train, gold, levels="0,25,50,75,100", seeds=1)
        scores = [cc.clean_f1(gold, systems["careful"], cc.Exposure.of(train.select(r.rows))) for r in found.rungs]
        return cc.contamination_correlation([rung.level for rung in found.rungs], scores)

    def folds(gold: Any, systems: Any, train: Any) -> Any:
        found = cc.mincut_folds(train, 3, effort="fast", engine="peel", discard="auto")
        return found.to_dict() | {"assignment": found.assignment.tolist()}

    def groups(gold: Any, systems: Any, train: Any) -> Any:
        entities, texts = [], iter(train.texts())
        for row in train.entities():
            entities.append({next(texts) for _ in row})
        splitter = cc.CleanCutSplit(n_splits=3, effort="fast")
        return [test.tolist() for _, test in splitter.split(entities, groups=entities)]

    return {
        "errors": lambda gold, systems, train: cc.errors(gold, systems["careful"]).to_dict(),
        "errors, matched at the left": lambda gold, systems, train: cc.errors(
            gold, systems["hasty"], match="left", credit=1.0
        ).to_dict(),
        "mention_statistics": lambda gold, systems, train: cc.mention_statistics(train, gold),
        "component_sizes": lambda gold, systems, train: cc.component_sizes({"train": train, "test": gold}),
        "self_diagnosis": lambda *data: cc.self_diagnosis(bucketed(*data)["careful"]),
        "comparative_diagnosis": lambda *data: cc.comparative_diagnosis(*bucketed(*data).values()),
        "model_wise": lambda *data: cc.model_wise(bucketed(*data)),
        "attribute_wise": lambda *data: cc.attribute_wise({"this": bucketed(*data)}),
        "friedman": lambda *data: cc.friedman(bucketed(*data)),
        "wilcoxon": lambda *data: cc.wilcoxon(bucketed(*data)),
        "contamination_correlation": correlation,
        "mincut_folds": folds,
        "frontier": lambda gold, systems, train: cc.frontier(
            train, discards=(0, "auto"), floors=(0.9,), effort="fast", engine="peel"
        ).to_dict(),
        "CleanCutSplit": groups,
    }[name]


PYTHON = {
    "bioes": (
        "errors", "mention_statistics", "component_sizes", "self_diagnosis", "comparative_diagnosis", "model_wise",
        "attribute_wise", "friedman", "wilcoxon", "contamination_correlation", "mincut_folds", "frontier",
        "CleanCutSplit",
    ),
    "nested": ("errors", "errors, matched at the left", "mention_statistics", "component_sizes"),
    "relations": ("errors", "component_sizes"),
    "unicode": ("errors, matched at the left", "component_sizes"),
}  # fmt: skip


def questions() -> list[tuple[str, str]]:
    """Each input and what is asked about it, by the name that the answer is stored under."""
    found = []
    for name, commands in COMMANDS.items():
        found += [(name, f"cleancut {command}") for command in commands]
        fitting = [metric for metric in METRICS if name != "nested" or not metrics()[metric].flat_only]
        found += [(name, f"Space {metric}") for metric in fitting]
        found += [(name, f"cleancut.{function}") for function in PYTHON.get(name, ())]
    return found


def refuse(question: str) -> None:
    """Skip what cannot be asked here."""
    if not re.match(r"cleancut (split |demo$|audit clean )|cleancut\.(mincut_folds|frontier|CleanCutSplit)", question):
        return
    if find_spec("numba") is None:
        pytest.skip("without numba a cut is polished less, and is another")
    if any(
        word in question
        for word in ("--engine peel", "--method random", "--method components", "mincut_folds", "frontier")
    ):
        return
    if find_spec("pymetis") is None:
        pytest.skip("without pymetis a cut is another")
    if platform.machine() not in FROZEN_ON:
        pytest.skip(f"METIS may cut otherwise on {platform.machine()} than on {FROZEN_ON[0]}, where this was stored")


# --- what is answered -------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def folder_of(request, tmp_path_factory):
    """The folder with the files of an input, to be read only."""
    made: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name == "demo":
            return request.getfixturevalue("demo_run")[0]
        if name in SHARED:
            return request.getfixturevalue("corpora") / name
        if name not in made:
            made[name] = tmp_path_factory.mktemp(name)
            GENERATED[name]().write(made[name])
        return made[name]

    return folder


@pytest.fixture(scope="session")
def spaces(tmp_path_factory) -> dict[str, Any]:
    """The staged Spaces, loaded."""
    evaluate = pytest.importorskip("evaluate")
    home = tmp_path_factory.mktemp("spaces")
    staged = cc.stage(folder=home / "staged")
    assert sorted(folder.name for folder in staged) == sorted(METRICS)
    return {folder.name: evaluate.load(str(folder), cache_dir=str(home / "cache")) for folder in staged}


def command_answer(command: str, folder: Path, out: Path, capsys: Any, monkeypatch: Any) -> dict[str, Any]:
    """What a command prints and writes."""
    out.mkdir()
    capsys.readouterr()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # pages say on which day they were made
    code = main([word.replace("{out}", str(out)) for word in shlex.split(command)])
    printed, said = (settled(text, out) for text in capsys.readouterr())
    assert code == 0, said
    answer: dict[str, Any] = {"printed": json.loads(printed) if "--json" in command else printed.splitlines()}
    if "--json" in command:
        assert printed == json.dumps(answer["printed"], indent=2, ensure_ascii=False) + "\n"
        answer["read_as"] = answer["printed"].pop("read_as", {})
    if said:
        answer["said"] = said.splitlines()
    if written := written_answers(out, answer["printed"]):
        answer["written"] = written
    return answer


def settled(text: str, out: Path) -> str:
    """Without what depends on the release, the machine or the folder."""
    text = re.sub(rf"(?<![\d.]){re.escape(cc.__version__)}(?!\.?\d)", "{version}", text)
    text = text.replace(f"platform:{platform.machine()}", "platform:{machine}")
    return text.replace(str(out), "{out}")


def written_answers(out: Path, printed: Any) -> dict[str, Any]:
    """Of each file: JSON as it is, the rows of Parquet, and of others the length and a digest."""
    files = sorted(path for path in out.rglob("*") if path.is_file())
    digests = {hashlib.sha256(path.read_bytes()).hexdigest(): path.name for path in files}
    found: dict[str, Any] = {}
    for path in files:
        name = path.relative_to(out).as_posix()
        if path.suffix == ".parquet":
            found[name] = parquet_answer(path)
            continue
        text = settled(path.read_bytes().decode("utf-8"), out)
        if path.suffix != ".json":
            found[name] = {"lines": text.count("\n"), "sha256": digest(text)}
            continue
        for sha, of in digests.items():  # right, whatever the bytes of a file of Parquet are
            text = text.replace(sha, f"{{sha256 of {of}}}")
        value = json.loads(text)
        known = printed if isinstance(printed, dict) else {}
        more = {key: item for key, item in value.items() if key not in known or known[key] != item}
        found[name] = {"layout": layout(text, value), "keys": list(value), "not as printed": more}
    return found


def layout(text: str, value: Any) -> str:
    """How JSON is set: with the value it says what the bytes are."""
    for name, options in {"one line": {}, "indent 1": {"indent": 1}, "indent 2": {"indent": 2}}.items():
        for end in ("", "\n"):
            if json.dumps(value, ensure_ascii=False, **options) + end == text:
                return name + (", newline" if end else "")
            if json.dumps(value, **options) + end == text:
                return name + ", ASCII" + (", newline" if end else "")
    return f"other: {digest(text)}"


def parquet_answer(path: Path) -> dict[str, Any]:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    columns = {field.name: str(field.type) for field in table.schema}
    return {"columns": columns, "rows": table.num_rows, "sha256": digest(table.to_pylist())}


def space_answer(metric: str, space: Any, name: str, folder: Path) -> dict[str, Any]:
    """What a Space computes for the first system of an input."""
    data = compute_arguments(name, folder)
    found = space.compute(**data, **OPTIONS.get((name, metric), {}))
    return json.loads(settled(json.dumps(found), folder))


def compute_arguments(name: str, folder: Path) -> dict[str, Any]:
    if name == "demo":
        train, gold, pred = (cc.read(folder / f"{part}.conll") for part in ("train", "test", "perceptron"))
        shown = {"tokens": train.tokens(), "tags": train.tags()}
        return {"references": gold.tags(), "predictions": pred.tags(), "tokens": gold.tokens(), "train": shown}
    if name in SHARED:
        system = sorted((folder / "pred").glob("*.jsonl"))[-1]
        train, gold, pred = (
            [json.loads(line) for line in path.read_text("utf-8").splitlines()]
            for path in (folder / "train.jsonl", folder / "test.jsonl", system)
        )
        shown = {column: [row[column] for row in train] for column in ("tokens", "entities")}
        references, predictions = ([row["entities"] for row in rows] for rows in (gold, pred))
        tokens = [row["tokens"] for row in gold]
        return {"references": references, "predictions": predictions, "tokens": tokens, "train": shown}
    return GENERATED[name]().compute


def python_answer(function: str, folder: Path) -> Any:
    suffix = next(folder.glob("test.*")).suffix
    train, gold, careful, hasty = (
        cc.read(folder / f"{part}{suffix}") for part in ("train", "test", "careful", "hasty")
    )
    found = in_python(function)(gold, {"careful": careful, "hasty": hasty}, train)
    return json.loads(settled(json.dumps(found), folder))


# --- what of it is stored ---------------------------------------------------------------------------------------

MOST = 12
"""Items of a list, and of condensed scores."""
HEAD = ("f1", "f1_overlap", "clean_f1", "delta_f1", "hardeval", "n_gold", "n_pred", "n_clean", "n_unseen", "signature")
"""What is kept of scores that are stored as a digest."""
WORDS = (
    "leakage_before",
    "signature",
    "guarantee",
    "how",
    "layout",
    "format",
    "sha256",
    "columns",
    "keys",
    "name",
    "file",
)
"""Strings of these names are stored even of the shared corpora: none of them is text of a corpus."""


DIGESTED = ("leakage_before", "marks")
"""What the audit has as well, and what has letters for each sample."""


def digest(value: Any) -> str:
    """Half of a SHA-256, of text in which floats have nine digits: the last ones may depend on the machine."""
    if isinstance(value, str):
        text = re.sub(r"\d+\.\d{10,}(e-?\d+)?", lambda found: f"{float(found[0]):.9g}", value)
    else:
        text = json.dumps(rounded(value), default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def short(value: Any, *, condensed: bool = False, longest: int = MOST) -> Any:
    """With long lists, and where it is condensed also scores, as their length and a digest; NaN as a word."""
    if isinstance(value, dict):
        flat = not any(isinstance(item, list) or (isinstance(item, dict) and len(item) > 2) for item in value.values())
        if condensed and flat and len(value) > MOST:
            kept = {key: short(value[key]) for key in HEAD if key in value}
            return {**kept, "values": len(value), "sha256": digest(value)}
        return {
            key: digest(item) if key in DIGESTED else short(item, condensed=condensed) for key, item in value.items()
        }
    if isinstance(value, list):
        if len(value) > longest:
            ends = {"first": short(value[0]), "last": short(value[-1])}
            kept = {name: item for name, item in ends.items() if len(json.dumps(item)) < 100}
            return {"items": len(value), **kept, "sha256": digest(value)}
        return [short(item, condensed=condensed) for item in value]
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


def without_text(value: Any, key: str = "") -> Any:
    """Every string that might be of a corpus, and every list with one, as a digest."""
    if isinstance(value, dict):
        return {name: without_text(item, name) for name, item in value.items()}
    if isinstance(value, list):
        plain = [without_text(item, key) for item in value]
        return plain if plain == value else {"items": len(value), "sha256": digest(value)}
    return f"sha256:{digest(value)}" if isinstance(value, str) and key not in WORDS else value


def stored_form(name: str, question: str, answer: Any) -> Any:
    condensed = name in SHARED or question.startswith(CONDENSED)
    lines = answer.get("printed") if isinstance(answer, dict) else None
    kept = short(answer, condensed=condensed)
    if isinstance(lines, list):
        kept["printed"] = short(lines, longest=40)
    return without_text(kept) if name in SHARED else kept


def is_freezing(config: pytest.Config) -> bool:
    """Is this run by the command that stores the answers?"""
    return hasattr(config, "is_freezing")


@cache
def stored_answers(name: str) -> dict[str, Any]:
    path = STORED / f"{name}.json"
    return unpacked(json.loads(path.read_text("utf-8"))) if path.exists() else {}


def store(name: str, question: str, answer: Any) -> None:
    answers = stored_answers(name)
    known = {**answers, question: answer}
    answers.clear()
    answers.update({of: known[of] for where, of in questions() if where == name and of in known})
    (STORED / f"{name}.json").write_text(as_lines(packed(answers)) + "\n", "utf-8", newline="\n")


def packed(value: Any) -> Any:
    """With dicts of the same keys as a table, in which the keys stand once."""
    if not isinstance(value, dict | list):
        return value
    rows = list(value.values()) if isinstance(value, dict) else value
    keys = list(rows[0]) if rows and isinstance(rows[0], dict) else []
    if len(rows) > 1 and len(keys) > 1 and all(isinstance(row, dict) and list(row) == keys for row in rows):
        cells = [[packed(row[key]) for key in keys] for row in rows]
        return {"keys": keys, "table": dict(zip(value, cells)) if isinstance(value, dict) else cells}
    return {key: packed(item) for key, item in value.items()} if isinstance(value, dict) else list(map(packed, value))


def unpacked(value: Any) -> Any:
    """What ``packed`` has made shorter."""
    if isinstance(value, list):
        return list(map(unpacked, value))
    if not isinstance(value, dict):
        return value
    if list(value) != ["keys", "table"]:
        return {key: unpacked(item) for key, item in value.items()}
    keys, table = value["keys"], value["table"]
    if isinstance(table, dict):
        return {name: dict(zip(keys, map(unpacked, cells))) for name, cells in table.items()}
    return [dict(zip(keys, map(unpacked, cells))) for cells in table]


def as_lines(value: Any, indent: str = "") -> str:
    """JSON with a line for each row of a table, and for whatever else is short."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list):
        return line
    inside = value.values() if isinstance(value, dict) else value
    if len(line) <= (100 if any(isinstance(item, dict | list) for item in inside) else 320):
        return line
    inner = indent + " "
    if isinstance(value, dict):
        items = [f"{json.dumps(key, ensure_ascii=False)}: {as_lines(item, inner)}" for key, item in value.items()]
    else:
        items = [as_lines(item, inner) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(items) + f"\n{indent}{closing}"


def first_difference(stored: Any, found: Any, path: str = "") -> str | None:
    """Where two answers differ first, with both values; None where they are the same."""
    where = path or "the answer"
    if type(stored) is not type(found):
        return f"{where}: stored {stored!r:.200}, found {found!r:.200}"
    if isinstance(stored, dict):
        for key, item in stored.items():
            inner = f"{path} > {key}" if path else key
            if key not in found:
                return f"{inner}: stored {item!r:.200}, found nothing"
            if said := first_difference(item, found[key], inner):
                return said
        if more := [key for key in found if key not in stored]:
            return f"{where} > {more[0]}: stored nothing, found {found[more[0]]!r:.200}"
        if list(stored) != list(found):
            return f"{where}: stored the keys in the order {list(stored)}, found {list(found)}"
        return None
    if isinstance(stored, list):
        for i, (one, other) in enumerate(zip(stored, found)):
            if said := first_difference(one, other, f"{path} > {i}"):
                return said
        return None if len(stored) == len(found) else f"{where}: stored {len(stored)} items, found {len(found)}"
    same = stored == found
    if isinstance(stored, float):
        same = math.isclose(stored, found, rel_tol=1e-12, abs_tol=1e-15)
    return None if same else f"{where}: stored {stored!r}, found {found!r}"


# --- the tests --------------------------------------------------------------------------------------------------


ASKED = [pytest.param(*asked, marks=[pytest.mark.shared] * (asked[0] in SHARED)) for asked in questions()]


@pytest.mark.parametrize(("name", "question"), ASKED, ids=lambda text: text)
def test_answers_are_those_that_are_stored(name, question, request, folder_of, tmp_path, capsys, monkeypatch):
    refuse(question)
    folder, what = folder_of(name), question.split(maxsplit=1)
    if what[0] == "Space":
        answer = space_answer(what[1], request.getfixturevalue("spaces")[what[1]], name, folder)
    elif question == f"cleancut {DEMO}":
        answer = {"written": written_answers(folder, None)}
    elif what[0] == "cleancut":
        answer = command_answer(what[1], folder, tmp_path / "out", capsys, monkeypatch)
    else:
        answer = python_answer(question.removeprefix("cleancut."), folder)
    answer = json.loads(json.dumps(stored_form(name, question, answer)))
    if is_freezing(request.config):
        store(name, question, answer)
        return
    known = stored_answers(name)
    remedy = f"If the change is meant, run `{COMMAND}` and look at the diff of tests/reference."
    if question not in known:
        pytest.fail(f"{name}, {question}: no answer is stored. {remedy}", pytrace=False)
    if said := first_difference(known[question], answer):
        pytest.fail(f"{name}, {question}\n  differs at {said}\n{remedy}", pytrace=False)


def test_every_stored_answer_belongs_to_a_question(request):
    if is_freezing(request.config):
        for path in STORED.glob("*.json"):
            if path.stem not in COMMANDS:
                path.unlink()
    stored = [(path.stem, question) for path in STORED.glob("*.json") for question in stored_answers(path.stem)]
    assert sorted(stored) == sorted(questions()), f"run `{COMMAND}`"


def test_stored_answers_stay_small():
    sizes = {path.name: path.stat().st_size for path in STORED.glob("*.json")}
    assert max(sizes.values()) < 200_000 and sum(sizes.values()) < 540_000, sizes


@pytest.mark.parametrize("name", SHARED)
def test_no_text_of_the_shared_corpora_is_stored(name):
    def texts(value: Any, key: str = "") -> list[str]:
        if isinstance(value, dict):
            return [text for name, item in value.items() for text in texts(item, name)]
        if isinstance(value, list):
            return [text for item in value for text in texts(item, key)]
        return [value] if isinstance(value, str) and key not in WORDS else []

    found = stored_answers(name)
    assert found and all(re.fullmatch(r"sha256:[0-9a-f]{32}|NaN", text) for text in texts(found))


SAME = {"a": [1, 2.0, {"b": None}], "c": "NaN"}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (SAME, None),
        ({"a": [1, 2.0 + 1e-13, {"b": None}], "c": "NaN"}, None),
        ({"a": [1, 2.0 + 1e-11, {"b": None}], "c": "NaN"}, "a > 1: stored 2.0, found 2.00000000001"),
        ({"a": [1.0, 2.0, {"b": None}], "c": "NaN"}, "a > 0: stored 1, found 1.0"),
        ({"a": [1, 2.0, {"b": 0}], "c": "NaN"}, "a > 2 > b: stored None, found 0"),
        ({"a": [1, 2.0, {}], "c": "NaN"}, "a > 2 > b: stored None, found nothing"),
        ({"a": [1, 2.0, {"b": None}, 3], "c": "NaN"}, "a: stored 3 items, found 4"),
        ({"a": SAME["a"], "c": "NaN", "d": 1}, "the answer > d: stored nothing, found 1"),
        ({"c": "NaN", "a": SAME["a"]}, "the answer: stored the keys in the order ['a', 'c'], found ['c', 'a']"),
    ],
)
def test_the_first_difference_is_named(found, said):
    assert first_difference(SAME, found) == said


def test_what_is_packed_is_unpacked_again():
    rows = [{"x": 1, "y": [{"p": 1, "q": 2}] * 2}] * 2
    for value in (SAME, {"a": rows, "b": {"i": rows[0], "j": rows[1]}}, rows, [rows, {"x": rows}], [], {}):
        assert first_difference(value, unpacked(packed(value))) is None
    assert packed([{"x": 1, "y": 2}, {"x": 3, "y": 4}]) == {"keys": ["x", "y"], "table": [[1, 2], [3, 4]]}
