"""The Hub with the real clients: Spaces that need no install, configs beside others, indices, faults on the way."""

import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pyarrow.parquet
import pytest
import yaml
from hub import TOKEN, Hub
from programs import Programs

import cleancut
from cleancut import CleancutError, write
from cleancut.demo.sampletext import generate
from cleancut.hub.requests import check_repo
from cleancut.hub.spaces import TAG
from cleancut.scoring.registry import metrics

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.slow  # programs of their own, each of which imports the clients


@pytest.fixture(scope="module")
def one_hub():
    with Hub() as server:
        yield server


@pytest.fixture
def hub(one_hub):
    """A Hub without anything."""
    one_hub.clear()
    return one_hub


@pytest.fixture(scope="module")
def python_at(one_hub, tmp_path_factory):
    """An interpreter that has imported the clients, which talk to the Hub at an address."""
    with ExitStack() as opened:

        @cache
        def python_at(address):
            folder = tmp_path_factory.mktemp("python")
            environment = {**one_hub.environment(folder), "HF_ENDPOINT": address}
            return opened.enter_context(Programs(folder, environment, ["cleancut.cli", "evaluate", "numba"]))

        yield python_at


@pytest.fixture
def run(hub, python_at, tmp_path):
    """A program that talks to the Hub of the test; nothing it prints may hold the token."""

    def run(*arguments, home="home", python=None, cwd=tmp_path, **environment):
        environment = {**hub.environment(tmp_path / home), **environment}
        python = python or python_at(environment["HF_ENDPOINT"])
        done = python.run(*arguments, cwd=cwd, environment=environment)
        assert TOKEN not in done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def cli(run):
    return lambda *arguments, **options: run("-m", "cleancut", *arguments, **options)


@pytest.fixture(scope="module")
def bare(one_hub, tmp_path_factory):
    """The interpreter of an environment with evaluate and numpy, in which cleancut is not installed."""
    if os.name == "nt":
        pytest.skip("on Windows not everyone may make the links that the environment is made of")
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    left_out = ("cleancut", "__editable__", "scipy", "numba", "pymetis", "gradio", "torch", "transformers")
    for entry in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not entry.name.lower().startswith(left_out) and not entry.name.endswith(".pth"):
            (site / entry.name).symlink_to(entry)
    python = folder / "bin" / "python"
    assert subprocess.run([python, "-c", "import cleancut"], capture_output=True).returncode == 1
    with Programs(folder, one_hub.environment(folder), ["evaluate"], python) as interpreter:
        yield interpreter


GOLD = [["B-PER", "I-PER", "O"], ["O"], ["B-LOC", "O"]]
PRED = [["B-PER", "O", "O"], ["B-LOC"], ["B-LOC", "O"]]
TOKENS = [["a", "b", "x"], ["y"], ["new", "c"]]
TRAIN = {"tokens": [["a", "b", "x"], ["c"]], "tags": [["B-PER", "I-PER", "O"], ["B-LOC"]]}
NEED_TRAIN = [name for name, metric in metrics().items() if metric.takes_train]
COMPUTE = f"""
import json, sys, evaluate
place, revision, *names = sys.argv[1:]
for name in names:
    metric = evaluate.load(f"{{place}}/{{name}}", **({{"revision": revision}} if revision else {{}}))
    extra = {{"tokens": {TOKENS}, "train": {TRAIN}}} if name in {NEED_TRAIN} else {{}}
    print(json.dumps(metric.compute(predictions={PRED}, references={GOLD}, **extra)))
"""
"""Loads metrics from an organisation or a folder, perhaps at a revision, and prints what each computes."""


def expected(name):
    train = cleancut.Exposure.of(cleancut.Corpus.of(TRAIN["tokens"], tags=TRAIN["tags"]))
    given = {"tokens": TOKENS} if name in NEED_TRAIN else {}
    function = cleancut.buckets if name == "bucket_f1" else getattr(cleancut, name)
    score = function(GOLD, PRED, *([train] if given else []), **given)
    return json.dumps(score.to_dict())


def test_spaces_compute_the_same_where_cleancut_is_not_installed(hub, run, cli, bare, tmp_path):
    said = cli("publish-metrics", "--to", "org")
    assert said.returncode == 0 and "Nothing was uploaded" in said.stdout and not hub.repos
    assert f"would create the Space org/clean_f1 (gradio), upload to it and tag it {TAG}" in said.stdout
    assert cli("publish-metrics", "--to", "org", "--push").returncode == 0
    assert {name for _, name in hub.repos} == {f"org/{name}" for name in metrics()}
    staged = cli("stage", "-o", tmp_path / "spaces").stdout.splitlines()
    assert sorted(Path(folder).name for folder in staged) == sorted(metrics())
    for place, revision in (("org", ""), (tmp_path / "spaces", ""), ("org", TAG)):
        done = run("-c", COMPUTE, place, revision, *metrics(), python=bare)
        assert done.stdout.splitlines() == [expected(name) for name in metrics()], done.stderr


ANSWERS = """
import json, sys, evaluate
metric = evaluate.load(sys.argv[1])
predictions = ['[{"text": "Ada", "label": "PER"}]', "No entities."]
score = metric.compute(predictions=predictions, references=[["B-PER", "O"], ["O"]], tokens=[["Ada", "ran"], ["x"]])
print(json.dumps([score["f1"], score["n_empty"]]))
"""
"""Scores answers of a language model."""


def test_a_space_reads_answers_of_language_models(run, bare, tmp_path):
    cleancut.stage(["exact_f1"], tmp_path / "spaces")
    done = run("-c", ANSWERS, tmp_path / "spaces" / "exact_f1", python=bare)
    assert json.loads(done.stdout) == [1.0, 1], done.stderr


def test_a_revision_pins_the_code(hub, run, cli, bare):
    assert cli("publish-metrics", "exact_f1", "--to", "org", "--push").returncode == 0
    face = hub.files("space", "org/exact_f1")["exact_f1.py"].decode()
    hub.put("space", "org/exact_f1", {"exact_f1.py": face.replace(".to_dict()", '.to_dict() | {"f1": -1.0}')})
    newest = json.loads(run("-c", COMPUTE, "org", "", "exact_f1", python=bare).stdout)
    pinned = run("-c", COMPUTE, "org", TAG, "exact_f1", python=bare, home="other").stdout
    assert newest["f1"] == -1.0 and pinned.strip() == expected("exact_f1")
    again = cli("publish-metrics", "exact_f1", "--to", "org", "--push")  # what was changed by hand is restored
    assert "a release is not moved" in again.stdout
    assert hub.files("space", "org/exact_f1")["exact_f1.py"].decode() == face


def test_a_staged_space_has_what_a_space_needs(tmp_path):
    for folder in cleancut.stage(folder=tmp_path):
        names = {path.name for path in folder.iterdir()}
        assert {f"{folder.name}.py", "README.md", "app.py", "requirements.txt", "score.py", "__init__.py"} <= names
        front = (folder / "README.md").read_text().split("---")[1]
        assert all(
            f"{key}:" in front for key in ("title", "sdk", "sdk_version", "python_version", "app_file", "license")
        )
    with pytest.raises(CleancutError, match="Did you mean exact_f1"):
        cleancut.stage(["exakt_f1"], tmp_path)
    (tmp_path / "x" / "exact_f1").mkdir(parents=True)
    (tmp_path / "x" / "exact_f1" / "mine.txt").write_text("keep me")
    with pytest.raises(CleancutError, match="other than a staged Space"):
        cleancut.stage(["exact_f1"], tmp_path / "x")
    assert (tmp_path / "x" / "exact_f1" / "mine.txt").read_text() == "keep me"


def test_the_app_is_staged_again_but_never_over_files_of_others(cli, tmp_path):
    (tmp_path / "space").mkdir()
    for _ in range(2):  # into an empty folder, then over what was staged
        assert cli("stage", "--app", "-o", "space").stdout == "space\n"
    (tmp_path / "space" / "__pycache__").mkdir()
    (tmp_path / "space" / "examples" / "mine.conll").write_text("keep me")
    (tmp_path / "file").write_text("keep me")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "README.md").write_text("keep me")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    said_of = {
        "space": "holds something other than a staged Space (examples/mine.conll). Choose",
        "other": "holds something other than a staged Space. Choose",
        "file": "file is a file. Name a folder.",
    }
    for folder, said in said_of.items():
        done = cli("stage", "--app", "-o", folder)
        assert done.returncode == 2 and said in done.stderr
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert "clean_f1 has no effect with --app" in cli("stage", "clean_f1", "--app", "-o", "x").stderr


def test_the_app_goes_up_only_when_asked_and_says_how_to_go_on(hub, cli):
    done = cli("publish-app", "--to", "org/app", "--private")
    assert (
        f"would create the Space org/app (gradio, private if it is new), upload to it and tag it {TAG}" in done.stdout
    )
    assert "Nothing was uploaded" in done.stdout and not hub.repos
    hub.fail("POST /api/spaces/org/app/commit", 403)
    done = cli("publish-app", "--to", "org/app", "--private", "--push")
    assert done.returncode == 2 and "org/app: you may not do that" in done.stderr
    hub.faults.clear()
    done = cli("publish-app", "--to", "org/app", "--private", "--push")
    assert f"org/app: uploaded and tagged {TAG}" in done.stdout
    assert hub.repos["space", "org/app"].private and list(hub.repos["space", "org/app"].tags) == [TAG]
    assert "is not the id of a repository" in cli("publish-app", "--to", "app").stderr


@pytest.mark.app
def test_the_page_of_a_space_answers(tmp_path):
    cleancut.stage(["clean_f1"], tmp_path)
    code = (
        "import runpy, json\n"
        "demo = runpy.run_path('app.py')['demo']\n"
        "demo.launch(prevent_thread_lock=True, quiet=True)\n"
        "from gradio_client import Client\n"
        "client = Client(demo.local_url, verbose=False)\n"
        "text, table = client.predict('Ada B-PER\\n', 'Ada B-PER\\n', 'Bo B-PER\\n', api_name='/score')\n"
        "print(json.dumps([text, table['data']]))\n"
    )
    environment = {**os.environ, "GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "clean_f1", env=environment, capture_output=True, text=True
    )
    text, rows = json.loads(done.stdout.splitlines()[-1])
    assert "**clean_f1** 1.0000" in text and "clean_f1|match:exact" in text and ["n_clean", "1"] in rows


# --- datasets -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def split_once(tmp_path_factory):
    """What `cleancut split` makes of two files, which lie beside it."""
    folder = tmp_path_factory.mktemp("split")
    corpus = generate(300)
    write(corpus.select(slice(0, 220)), folder / "train.jsonl")
    write(corpus.select(slice(220, 300)), folder / "test.jsonl")
    options = ["-o", "clean", "--discard", "auto", "--effort", "fast"]
    command = [sys.executable, "-m", "cleancut", "split", "train.jsonl", "test.jsonl", *options]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def plan(split_once, tmp_path):
    """A copy of it for one test."""
    shutil.copytree(split_once, tmp_path, dirs_exist_ok=True)
    return tmp_path / "clean" / "plan.json"


LOAD = """
import datasets, json, sys
datasets.disable_progress_bars()
found = datasets.load_dataset(*sys.argv[1:])
print(json.dumps({name: rows.to_list() for name, rows in found.items()}))
"""


def parquet(rows):
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), stream)
    return stream.getvalue()


def rows_of(folder, name):
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def test_a_config_goes_up_beside_others(hub, run, cli, plan):
    configs = "configs:\n- config_name: old\n  data_files:\n  - split: train\n    path: old.parquet\n"
    card = f"---\nlicense: mit\n{configs}---\n# Mine\n"
    hub.put("dataset", "org/data", {"README.md": card, "old.parquet": parquet([{"a": 1}])})
    command = ["publish", plan, "--to", "org/data", "--config", "mincut-80-10-10"]
    before = dict(hub.files("dataset", "org/data"))
    dry = cli(*command)
    assert dry.returncode == 0 and "Nothing was uploaded" in dry.stdout and "mincut-80-10-10/train-" in dry.stdout
    assert hub.files("dataset", "org/data") == before and not hub.large
    pushed = cli(*command, "--push")
    assert pushed.returncode == 0, pushed.stderr
    files = hub.files("dataset", "org/data")
    text = files["README.md"].decode()
    assert files["old.parquet"] == before["old.parquet"] and "# Mine" in text and "license: mit" in text
    assert "No entity is shared" in text and "| type |" in text and "split|method:mincut" in text
    assert files["mincut-80-10-10/leakage.svg"].startswith(b"<svg")
    done = run("-c", LOAD, "org/data", "mincut-80-10-10")
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout)
    for name in ("train", "validation", "test"):
        assert [row["tokens"] for row in loaded[name]] == [row["tokens"] for row in rows_of(plan.parent, name)]
    assert json.loads(run("-c", LOAD, "org/data", "old").stdout) == {"train": [{"a": 1}]}
    commits = len(hub.repos["dataset", "org/data"].commits)
    again = cli(*command, "--push")
    assert again.returncode == 0 and len(hub.repos["dataset", "org/data"].commits) == commits  # nothing to do
    second = cli(*command[:-1], "other", "--push", "--also", "clean-test,contaminated-test", "--pr")
    assert second.returncode == 0 and "pull request" in second.stdout
    assert hub.files("dataset", "org/data") == files
    heads = dict(hub.repos["dataset", "org/data"].heads)
    again = cli(*command[:-1], "other", "--push", "--also", "clean-test,contaminated-test", "--pr")
    assert again.stdout == second.stdout and hub.repos["dataset", "org/data"].heads == heads  # no second request


def test_derived_configs(hub, run, cli, plan):
    done = cli("publish", plan, "--to", "org/new", "--config", "c", "--also", "clean-test", "--also",
               "contaminated-test", "--push", "--private", "--licence", "cc-by-4.0")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (
        hub.repos["dataset", "org/new"].private
        and b"license: cc-by-4.0" in hub.files("dataset", "org/new")["README.md"]
    )
    clean, contaminated = (
        json.loads(run("-c", LOAD, "org/new", name).stdout)["test"] for name in ("c-clean-test", "c-contaminated-test")
    )
    test = rows_of(plan.parent, "test")
    assert (
        [row["tokens"] for row in clean] == [row["tokens"] for row in contaminated] == [row["tokens"] for row in test]
    )
    counts = [sum(len(row["entities"]) for row in rows) for rows in (clean, contaminated, test)]
    assert counts[0] == counts[2] and counts[1] == 0  # nothing is shared
    assert [list(row) for row in clean] == [list(row) for row in test]  # all columns are there


PUSH = """
import json, sys, datasets, cleancut as cc
features = datasets.Features(
    tokens=datasets.List(datasets.Value("string")), ner_tags=datasets.List(datasets.ClassLabel(names=["O", "B-PER"])),
    score=datasets.Value("float16"), when=datasets.Value("date32"),
)
rows = {"tokens": [[f"n{i % 9}", "ran"] for i in range(40)], "ner_tags": [[1, 0]] * 40}
whole = datasets.Dataset.from_dict({**rows, "score": [0.5] * 40, "when": [None] * 40}, features=features)
parts = datasets.DatasetDict(train=whole.select(range(30)), test=whole.select(range(30, 40)))
plan = cc.mincut(parts, (60, 40), effort="fast", discard="auto", tags="ner_tags")
said = plan.push_to_hub(parts, "org/hand", "c", dry_run=True)
done = plan.push_to_hub(parts, "org/hand", "c")
loaded = datasets.load_dataset("org/hand", "c")
same = {name: part.features == features and part.to_dict() == plan.apply(parts)[name].to_dict()
        for name, part in loaded.items()}
print(json.dumps({"said": said, "done": done, "same": same, "splits": list(plan.names)}))
"""


def test_a_plan_in_hand_is_pushed(hub, run):
    done = run("-c", PUSH)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert "would upload to the dataset org/hand" in found["said"][0] and "the config c is up" in found["done"][0]
    assert found["same"] == dict.fromkeys(found["splits"], True)
    assert b"--tags ner_tags" in hub.files("dataset", "org/hand")["README.md"]


CONFIGS_IN_HAND = """
import datetime, json, sys, datasets, numpy as np, cleancut as cc
from datasets import ClassLabel, Dataset, DatasetDict, Features, List, Value

datasets.disable_progress_bars()
NAMES = ["O", "B-PER", "I-PER", "B-LOC"]
MORE = {"when": Value("date32"), "vector": List(Value("float16"))}
MORE["meta"] = {"source": Value("string"), "page": Value("int16")}
SPAN = {"start": Value("int32"), "end": Value("int32"), "label": Value("string")}
ANNOTATION = {
    "labels": {"tokens": List(Value("string")), "ner_tags": List(ClassLabel(names=NAMES))},
    "strings": {"tokens": List(Value("string")), "ner_tags": List(Value("string"))},
    "spans": {"tokens": List(Value("string")), "entities": List(SPAN)},
    "characters": {"text": Value("string"), "entities": List(SPAN)},
}

def split_of(kind, first, last):
    rows = []
    for i in range(first, last):
        name = f"Name{i % 17}"
        row = {"when": datetime.date(2020, 1, 1 + i % 28), "vector": np.array([i, 0.5], np.float16)}
        row["meta"] = {"source": f"s{i}", "page": i}
        row |= {"text": f"{name} ran", "tokens": [name, "ran"], "ner_tags": ["B-PER", "O"]}
        row["ner_tags"] = [NAMES.index(tag) for tag in row["ner_tags"]] if kind == "labels" else row["ner_tags"]
        row["entities"] = [{"start": 0, "end": len(name) if kind == "characters" else 1, "label": "PER"}]
        rows.append({column: row[column] for column in {**ANNOTATION[kind], **MORE}})
    return Dataset.from_list(rows, features=Features({**ANNOTATION[kind], **MORE}))

found = {}
for kind in ANNOTATION:
    parts = DatasetDict(train=split_of(kind, 0, 90), test=split_of(kind, 60, 130))
    plan = cc.mincut(parts, (60, 20, 20), effort="fast", discard="auto")
    plan.push_to_hub(parts, "org/kinds", kind, max_shard_size=2000)
    said = cc.push_subsets(parts, "org/kinds", config=kind, licence="mit")
    applied = plan.apply(parts)
    loaded = datasets.load_dataset("org/kinds", kind)
    streamed = {name: list(part) for name, part in datasets.load_dataset("org/kinds", kind, streaming=True).items()}
    told = datasets.load_dataset_builder("org/kinds", kind).info
    derived = [datasets.load_dataset("org/kinds", f"{kind}-{which}-test") for which in ("clean", "contaminated")]
    clean, contaminated = (found_in["test"] for found_in in derived)
    wanted = cc.subsets(parts["test"], parts["train"])
    found[kind] = {
        "features": all(part.features == parts["train"].features for part in loaded.values()),
        "rows": all(part.to_dict() == applied[name].to_dict() for name, part in loaded.items()),
        "streamed": {name: len(rows) for name, rows in streamed.items()} == plan.sizes,
        "told features": told.features == parts["train"].features,
        "told sizes": {name: split.num_examples for name, split in told.splits.items()} == plan.sizes,
        "subsets": [clean.to_dict() == wanted[0].to_dict(), contaminated.to_dict() == wanted[1].to_dict()],
        "schema of subsets": clean.features == contaminated.features == parts["test"].features,
        "said": len(said),
        "mentions": [len(cc.from_dataset(part).mentions) for part in (clean, contaminated)],
    }
print(json.dumps(found))
"""


def test_configs_keep_the_schema_and_are_told_to_the_builder(hub, run):
    """Four kinds of annotation beside columns of other kinds; shards; the clean and contaminated test sets."""
    done = run("-c", CONFIGS_IN_HAND)
    assert done.returncode == 0, done.stderr
    for kind, found in json.loads(done.stdout).items():
        counts, said = found.pop("mentions"), found.pop("said")
        assert said == 2 and counts[0] + counts[1] == 70 and counts[1] == 70, (kind, counts)
        assert all(value in (True, [True, True]) for value in found.values()), (kind, found)
    files = hub.files("dataset", "org/kinds")
    shards = sorted(path for path in files if path.startswith("labels/train-"))
    assert len(shards) > 2 and shards[0].endswith(f"-00000-of-{len(shards):05d}.parquet")
    told = yaml.safe_load(files["README.md"].decode().split("---")[1])
    assert told["task_categories"] == ["token-classification"] and "cleancut" in told["tags"]
    assert told["license"] == "mit" and "source_datasets" not in told
    assert len(told["configs"]) == len(told["dataset_info"]) == 12


def test_a_second_push_replaces_what_the_card_said_of_the_config(hub, run, cli, plan):
    """Fewer shards and other sizes than before: nothing of the old config is left, neither files nor sizes."""
    stale = "dataset_info:\n  config_name: c\n  splits:\n  - name: train\n    num_bytes: 1\n    num_examples: 3\n"
    hub.put("dataset", "org/data", {"README.md": f"---\n{stale}---\n# Mine\n"})
    command = ["publish", plan, "--to", "org/data", "--config", "c", "--push"]
    assert cli(*command, "--max-shard-size", "4KB").returncode == 0
    many = [path for path in hub.files("dataset", "org/data") if path.startswith("c/train-")]
    assert cli(*command).returncode == 0
    files = hub.files("dataset", "org/data")
    assert len(many) > 2 and [path for path in files if path.startswith("c/train-")] == [
        "c/train-00000-of-00001.parquet"
    ]
    done = run("-c", LOAD, "org/data", "c")  # datasets compares the sizes with those that the card states
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["train"]) == len(rows_of(plan.parent, "train"))
    text = files["README.md"].decode()
    assert "# Mine" in text and "task_categories" not in text  # the card was there: it stays as its owner has it
    done = cli(*command, "--max-shard-size", "much")
    assert done.returncode == 2 and "max_shard_size='much' is not a size" in done.stderr


def test_the_clean_and_the_contaminated_test_set_of_a_hub_dataset(hub, run, cli, source, tmp_path):
    command = ["subsets", "org/source", "--to", "org/subsets"]
    dry = cli(*command)
    assert dry.returncode == 0 and "Nothing was uploaded" in dry.stdout and ("dataset", "org/subsets") not in hub.repos
    assert cli(*command, "--push").returncode == 0
    told = yaml.safe_load(hub.files("dataset", "org/subsets")["README.md"].decode().split("---")[1])
    assert told["source_datasets"] == ["org/source"] and told["license"] == "cc-by-4.0" and told["language"] == "en"
    train, test = (cleancut.from_dataset(rows) for rows in (tagged(0, 220), tagged(220, 280)))
    seen = cleancut.Exposure.of(train).view(test).seen
    for which, n in (("clean", int((~seen).sum())), ("contaminated", int(seen.sum()))):
        rows = json.loads(run("-c", LOAD, "org/subsets", f"{which}-test").stdout)["test"]
        assert [row["note"] for row in rows] == [f"#{i}" for i in range(220, 280)]  # all rows, all columns
        assert len(cleancut.from_dataset(rows).mentions) == n > 0
    card = hub.files("dataset", "org/subsets")["README.md"].decode()
    made_with = next(line for line in card.splitlines() if line.startswith("cleancut subsets"))
    done = cli(*made_with.split()[1:])  # the command on the card makes the same rows
    assert done.returncode == 0, done.stderr
    written = pyarrow.parquet.read_table(tmp_path / "subsets" / "contaminated.parquet").to_pylist()
    assert written == rows
    for options, message in (
        (["org/source"], "give either -o DIR"),
        (["org/source", "-o", "x", "--push"], "--push has no effect without --to"),
        (["org/source", "--to", "org/x", "--split", "dev"], "no split 'dev'"),
        (["org/source", "--to", "org/x", "--join-at"], "change mentions"),
    ):
        done = cli("subsets", *options)
        assert done.returncode == 2 and message in done.stderr and done.stderr.count("\n") <= 2, done.stderr


def test_the_contamination_ladder_as_configs(hub, run, cli, tmp_path):
    corpus = generate(160, seed=4)
    write(corpus, tmp_path / "all.jsonl")
    assert cli("split", tmp_path / "all.jsonl", "-o", tmp_path / "random", "--method", "random").returncode == 0
    command = ["publish", tmp_path / "random", "--to", "org/rungs", "--config", "r", "--also", "ladder"]
    command += ["--levels", "0:100:50", "--seeds", "2"]
    said = cli(*command)
    assert said.returncode == 0 and not hub.repos and said.stdout.count("would upload") == 7
    done = cli(*command, "--push")
    assert done.returncode == 0, done.stderr
    split = {name: cleancut.read(tmp_path / "random" / f"{name}.jsonl") for name in ("train", "validation", "test")}
    expected = {
        f"r-{rung.name}": rung for rung in cleancut.ladder(split["train"], split["test"], levels="0:100:50", seeds=2)
    }
    assert {path.partition("/")[0] for path in hub.files("dataset", "org/rungs")} >= {"r", *expected}
    for name in ("r-ladder-50-s0", "r-ladder-50-s1"):
        loaded = json.loads(run("-c", LOAD, "org/rungs", name).stdout)
        tokens = split["train"].select(expected[name].rows).tokens()
        assert [row["tokens"] for row in loaded["train"]] == tokens
        assert [row["tokens"] for row in loaded["test"]] == split["test"].tokens()
    card = hub.files("dataset", "org/rungs")["README.md"].decode()
    told = yaml.safe_load(card.split("---")[1])
    assert "50% of which" in card and {entry["config_name"] for entry in told["configs"]} == {"r", *expected}
    assert [entry["config_name"] for entry in told["dataset_info"]] == sorted({"r", *expected})
    commits = len(hub.repos["dataset", "org/rungs"].commits)
    assert cli(*command, "--push").returncode == 0 and len(hub.repos["dataset", "org/rungs"].commits) == commits
    done = cli(*command[:6], "--seeds", "2")
    assert done.returncode == 2 and "seeds has no effect" in done.stderr


def test_a_ladder_needs_contamination(cli, plan):
    done = cli("publish", plan, "--to", "org/new", "--config", "c", "--also", "ladder")
    assert (
        done.returncode == 2
        and " training samples share an entity with test" in done.stderr
        and done.stderr.count("\n") == 1
    )


CONFIGS = "---\nconfigs:\n- config_name: {}\n  data_files:\n  - split: train\n    path: {}\n---\n"


@pytest.mark.parametrize(
    ("card", "message"),
    [
        (CONFIGS.format("c", "theirs.parquet"), "files of its own (theirs.parquet)"),
        (CONFIGS.format("old", "theirs.csv"), "the config old there is not parquet (theirs.csv)"),
        ("# no configs\n", "would be hidden"),
        (CONFIGS.format("old", "c/test-00000-of-00001.parquet"), "has its files where c would go"),
        (
            "---\nconfigs:\n- config_name: old\n  data_dir: data\n---\n",
            "the config old there is not parquet (data/x.csv)",
        ),
        ("---\nconfigs: default\n---\n", "cannot be read"),
    ],
)
def test_what_is_there_is_not_harmed(hub, cli, plan, card, message):
    files = {"README.md": card, "theirs.csv": "a\n1\n", "theirs.parquet": parquet([{"a": 1}]), "data/x.csv": "a\n1\n"}
    hub.put("dataset", "org/data", files)
    before = dict(hub.files("dataset", "org/data"))
    dry = cli("publish", plan, "--to", "org/data", "--config", "c")
    assert dry.returncode == 0 and "This would fail: " in dry.stdout and message in dry.stdout
    done = cli("publish", plan, "--to", "org/data", "--config", "c", "--push")
    assert done.returncode == 2 and message in done.stderr, done.stderr
    assert hub.files("dataset", "org/data") == before


def test_indices_only_holds_no_text_and_is_rebuilt_and_verified(hub, cli, tmp_path):
    corpus = generate(200)
    rows = [{"tokens": t, "tags": g, "note": f"#{i}"} for i, (t, g) in enumerate(zip(corpus.tokens(), corpus.tags()))]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    hub.put("dataset", "org/source", {"data.jsonl": lines, "README.md": "---\nlicense: other\n---\n"})
    done = cli("split", "org/source", "-o", "out", "--effort", "fast")
    assert done.returncode == 0, done.stderr
    command = ["publish", "out", "--to", "org/indices", "--config", "clean", "--indices-only"]
    done = cli(*command, "--push")
    assert done.returncode == 0 and "Load it with cleancut.materialise('org/indices', 'clean')" in done.stdout, (
        done.stderr
    )
    files = hub.files("dataset", "org/indices")
    assert not any(
        word.encode() in data for data in files.values() for word in (rows[0]["note"], " ".join(rows[0]["tokens"]))
    )
    assert b"license: other" in files["README.md"] and b"cleancut.materialise" in files["README.md"]
    built = cli("materialise", "org/indices", "--config", "clean", "-o", "built", home="fresh")
    assert built.returncode == 0, built.stderr
    for name in ("train", "validation", "test"):
        ours, theirs = (
            pyarrow.parquet.read_table(tmp_path / f / f"{name}.parquet").to_pylist() for f in ("out", "built")
        )
        assert ours == theirs and ours
    source = json.loads(files["clean/source.json"])
    changed = hub.put("dataset", "org/source", {"data.jsonl": lines.replace("#7", "#x")})
    moved = {**source, "revision": changed}
    hub.put("dataset", "org/indices", {"clean/source.json": json.dumps(moved)})
    done = cli("materialise", "org/indices", "--config", "clean", "-o", "again", home="fresh")
    assert done.returncode == 2 and "not those that were split" in done.stderr
    for wrong in ([], {**source, "fingerprints": {}}, {**source, "repo": None}, {**source, "format": "x"}):
        hub.put("dataset", "org/indices", {"clean/source.json": json.dumps(wrong)})
        done = cli("materialise", "org/indices", "--config", "clean", "-o", "again", home="fresh")
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert not list((tmp_path / "again").glob("*")) if (tmp_path / "again").exists() else True


# --- what goes wrong -------------------------------------------------------------------------------------


@pytest.mark.parametrize("repo", ["data", "a/b/c", "org/../x", "org/na me", "https://x/y", "-a/b", "org/x.git", ""])
def test_ids_are_checked_before_any_request(repo):
    with pytest.raises(CleancutError, match="not the id of a repository"):
        check_repo(repo)


def test_config_names_are_checked_before_any_request(hub, cli, plan):
    done = cli("publish", plan, "--to", "org/data", "--config", "a/b", "--push")
    assert done.returncode == 2 and "cannot be the name of a config" in done.stderr and not hub.requests
    for config in ("a:b", "a b", "*", "..\\x"):
        with pytest.raises(CleancutError, match="cannot be the name of a config"):
            cleancut.publish(plan, "org/data", config, push=True)


def test_failures_say_what_is_there_and_lose_nothing(hub, cli, plan):
    hub.put("dataset", "org/data", {"README.md": "# Mine\n"})
    before = dict(hub.files("dataset", "org/data"))
    command = ["publish", plan, "--to", "org/data", "--config", "c", "--push"]
    cases = [
        ("POST .*/commit/", 403, "may not do that (status 403)"),
        ("POST .*/commit/", 412, "changed it in between"),
        ("PUT /large/", 400, "the Hub refused (status 400)"),
    ]
    for pattern, status, message in cases:
        hub.faults.clear()
        hub.large.clear()
        hub.fail(pattern, status)
        done = cli(*command)
        assert done.returncode == 2 and message in done.stderr, done.stderr
        assert done.stderr.count("\n") == 1 and "Not uploaded: c. Run the same command again" in done.stderr
        assert hub.files("dataset", "org/data") == before  # no half of a config is seen
    hub.faults.clear()
    hub.fail("POST /api/repos/create", 403)
    done = cli(*command[:3], "org/new", *command[4:])
    assert done.returncode == 2 and "may not do that (status 403)" in done.stderr and len(hub.repos) == 1
    hub.faults.clear()
    hub.fail("POST .*/commit/", 429, times=2, Retry_After="0")  # the client waits and asks again
    assert cli(*command).returncode == 0
    assert "c/train-00000-of-00001.parquet" in hub.files("dataset", "org/data")


def test_a_hub_that_hangs_up_and_a_second_try(hub, cli, plan):
    command = ["publish", plan, "--to", "org/data", "--config", "c", "--also", "clean-test", "--push"]
    hub.fail("POST .*/commit/", None, after=1)  # the first config is up, the second is not
    done = cli(*command)
    assert done.returncode == 2 and "Not uploaded: c-clean-test" in done.stderr, done.stderr
    files = hub.files("dataset", "org/data")
    assert "c/train-00000-of-00001.parquet" in files and not any(path.startswith("c-clean-test/") for path in files)
    hub.faults.clear()
    commits = len(hub.repos["dataset", "org/data"].commits)
    assert cli(*command).returncode == 0
    assert len(hub.repos["dataset", "org/data"].commits) == commits + 1
    assert "c-clean-test/test-00000-of-00001.parquet" in hub.files("dataset", "org/data")


def test_gated_missing_and_unreachable(hub, cli, plan):
    hub.put("dataset", "org/gated", {"README.md": "# x\n"})
    hub.repos["dataset", "org/gated"].gated = True
    done = cli("publish", plan, "--to", "org/gated", "--config", "c", "--push")
    assert done.returncode == 2 and "restricted" in done.stderr
    done = cli("materialise", "org/missing", "--config", "c", "-o", "x")
    assert done.returncode == 2 and "no such repository" in done.stderr
    done = cli("publish", plan, "--to", "org/data", "--config", "c", "--push", HF_ENDPOINT="http://127.0.0.1:9")
    assert done.returncode == 2 and "cannot be reached" in done.stderr and done.stderr.count("\n") == 1
    done = cli("materialise", "org/data", "--config", "c", "-o", "x", HF_ENDPOINT="http://127.0.0.1:9")
    assert done.returncode == 2 and "cannot be reached" in done.stderr and done.stderr.count("\n") == 1


# --- datasets in -----------------------------------------------------------------------------------------


def tagged(first, last):
    corpus = generate(280)
    rows = zip(corpus.tokens(), corpus.tags())
    return [{"tokens": t, "ner_tags": g, "note": f"#{i}"} for i, (t, g) in enumerate(rows)][first:last]


@pytest.fixture
def source(hub):
    """A dataset with two splits, and its commit."""
    files = {"README.md": "---\nlanguage: en\nlicense: cc-by-4.0\n---\n# The source\n"}
    files |= {"data/train-0.parquet": parquet(tagged(0, 220)), "data/test-0.parquet": parquet(tagged(220, 280))}
    return hub.put("dataset", "org/source", files)


def test_a_dataset_of_the_hub_is_audited_split_published_and_rebuilt(hub, cli, source, tmp_path):
    audited = cli("audit", "org/source", "--json")
    assert audited.returncode == 0, audited.stderr
    assert json.loads(audited.stdout)["test_vs_train"]["n_partial"] > 0 and "tags: ner_tags" in audited.stderr
    done = cli("split", "org/source", "-o", "clean", "--effort", "fast", "--discard", "auto", "--json")
    assert done.returncode == 0, done.stderr
    plan = cleancut.SplitPlan.load(tmp_path / "clean" / "plan.json")
    assert plan.source == {"repo": "org/source", "config": None, "revision": source}
    assert plan.original_sizes == {"train": 220, "test": 60}
    names = ("train", "validation", "test", "discarded")
    files = [tmp_path / "clean" / f"{name}.parquet" for name in names]
    rows = [row for file in files if file.exists() for row in pyarrow.parquet.read_table(file).to_pylist()]
    assert sorted(map(str, rows)) == sorted(map(str, tagged(0, 280)))  # each row once, untouched
    done = cli("publish", "clean/plan.json", "--to", "org/clean", "--config", "mincut", "--indices-only", "--push")
    assert done.returncode == 0, done.stderr
    card = hub.files("dataset", "org/clean")["README.md"].decode()
    command = next(line for line in card.splitlines() if line.startswith("cleancut split org/source@"))
    again = cli(*command.replace("-o clean", "-o again").split()[1:])
    assert again.returncode == 0, again.stderr
    assert cleancut.SplitPlan.load(tmp_path / "again" / "plan.json").assignment.tolist() == plan.assignment.tolist()
    assert b"license: cc-by-4.0" in hub.files("dataset", "org/clean")["README.md"]
    built = cli("materialise", "org/clean", "--config", "mincut", "-o", "built", home="fresh")
    assert built.returncode == 0, built.stderr
    for name in names[:3]:
        ours = pyarrow.parquet.read_table(tmp_path / "clean" / f"{name}.parquet").to_pylist()
        assert ours == pyarrow.parquet.read_table(tmp_path / "built" / f"{name}.parquet").to_pylist()


def test_a_recipe_names_its_dataset(hub, cli, source, tmp_path):
    tables = (
        '[dataset]\nid = "org/source"\nlicence = "cc-by-4.0"\npolicy = "republish"\n[columns]\ntags = "ner_tags"\n'
        '[split]\nratios = [70, 30]\neffort = "fast"\n[publish]\nconfig = "c"\n'
    )
    (tmp_path / "mine.toml").write_text(tables)
    done = cli("split", "--recipe", "mine.toml", "-o", "clean", "--json")
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)["sizes"]) == {"train", "test"}


def test_scripts_are_not_run_and_their_parquet_copy_is_read(hub, cli, tmp_path):
    hub.put("dataset", "org/script", {"script.py": "raise SystemExit('run!')\n", "README.md": "# x\n"})
    done = cli("audit", "org/script")
    assert done.returncode == 2 and "never run" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    copy = {"default/train/0000.parquet": parquet(tagged(0, 40)), "default/test/0000.parquet": parquet(tagged(40, 60))}
    hub.put("dataset", "org/script", copy, branch="refs/convert/parquet")
    done = cli("audit", "org/script", "--json", home="fresh")
    assert done.returncode == 0 and json.loads(done.stdout)["test_vs_train"]["n_samples"] == 20, done.stderr


def test_what_cannot_be_loaded_is_said_in_one_line(hub, cli, source):
    configs = "".join(f"- config_name: {c}\n  data_files: {c}.parquet\n" for c in "ab")
    hub.put("dataset", "org/two", {"README.md": f"---\nconfigs:\n{configs}---\n", "a.parquet": parquet(tagged(0, 9))})
    hub.put("dataset", "org/two", {"b.parquet": parquet(tagged(0, 9))})
    hub.put("dataset", "org/gated", {"data.parquet": parquet(tagged(0, 9))})
    hub.repos["dataset", "org/gated"].gated = True
    cases = {
        "org/two": "several configs: a, b", "org/gated": "gated", "org/missing": "nor a dataset on the Hub",
        "org/source@nowhere": "nor a dataset on the Hub", "org/na me": "neither a file",
    }  # fmt: skip
    for name, message in cases.items():
        before = len(hub.requests)
        done = cli("audit", name)
        assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr, (name, done.stderr)
        assert " " not in name or len(hub.requests) == before
    done = cli("audit", "org/source", HF_ENDPOINT="http://127.0.0.1:9", home="nothing-kept")
    assert done.returncode == 2 and "cannot be reached" in done.stderr


@pytest.mark.parametrize("status", [None, 503])
def test_what_was_loaded_before_needs_no_hub(hub, cli, source, status):
    """One that hangs up, and one that is out of order."""
    before = cli("audit", "org/source", "--json")
    done = cli("audit", "org/source@nowhere")  # it is not the copy of another revision that is read
    assert done.returncode == 2 and "nor a dataset on the Hub" in done.stderr, done.stderr
    hub.fail(".*", status)
    done = cli("audit", "org/source", "--json")
    assert done.returncode == 0 and done.stdout == before.stdout, done.stderr


def test_what_is_published_is_what_was_split(hub, run, cli, tmp_path):
    rows = [{"tokens": [f"N{i % 9}", "x"], "tags": ["B-PER", "O"], "source": f"s{i}"} for i in range(60)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    conll = "".join(f"N{i % 9}\tB-PER\tB-NP\nran\tO\tB-VP\n\n" for i in range(60))
    (tmp_path / "a.conll").write_text(conll)
    fast = ["--effort", "fast", "--format", "input"]
    assert cli("split", "a.conll", "-o", "out", "--column", 1, *fast).returncode == 0
    assert cli("publish", "out", "--to", "org/a", "--config", "c", "--push").returncode == 0
    found = json.loads(run("-c", LOAD, "org/a", "c").stdout)
    assert {e["label"] for part in found.values() for row in part for e in row["entities"]} == {"PER"}
    assert cli("split", "a.jsonl", "-o", "out", *fast).returncode == 0  # replaces the files of the other format
    assert not list((tmp_path / "out").glob("*.conll"))
    assert cli("publish", "out", "--to", "org/b", "--config", "c", "--push").returncode == 0
    found = json.loads(run("-c", LOAD, "org/b", "c").stdout)
    assert sorted(row["source"] for part in found.values() for row in part) == sorted(row["source"] for row in rows)
    (tmp_path / "out" / "test.jsonl").write_text("{}\n")
    done = cli("publish", "out", "--to", "org/b", "--config", "c", "--push")
    assert done.returncode == 2 and "is not as cleancut split wrote it" in done.stderr


def test_text_around_a_section_stays(hub, cli, plan):
    card = "\ufeff\n---\nlicense: mit\n---\n# Mine\n<!-- cleancut: c -->\nno end\n\n# Important\n"
    hub.put("dataset", "org/data", {"README.md": card, "c/notes.txt": "mine"})
    assert cli("publish", plan, "--to", "org/data", "--config", "c", "--push").returncode == 2  # c/notes.txt would hide
    hub.put("dataset", "org/other", {"README.md": card, "c/notes.md": "mine"})
    done = cli("publish", plan, "--to", "org/other", "--config", "c", "--push")
    assert done.returncode == 0, done.stderr
    text = hub.files("dataset", "org/other")["README.md"].decode()
    assert "# Important" in text and "license: mit" in text.partition("# Mine")[0] and text.count("---\n") == 2
    assert "c/notes.md" in hub.files("dataset", "org/other")
    done = cli("publish", plan, "--to", "org/other", "--config", "clean-test", "--also", "clean-test")
    assert done.returncode == 0 and "the config clean-test-clean-test, in one commit" in done.stdout
