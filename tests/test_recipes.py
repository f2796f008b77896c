"""Recipes: every shipped one is valid, a bad one is refused in one line, and the command line wins over it."""

import ast
import inspect
import json
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import cleancut
from cleancut import CleancutError, cli, from_dataset, mincut
from cleancut.core.locating import hub_folder
from cleancut.demo.sampletext import generate
from cleancut.splitting.recipes import READ_BY, Policy, Recipe
from cleancut.splitting.settings import OPTIONS

pytestmark = pytest.mark.usefixtures("few_moves")  # what is split is split any way

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = sorted((ROOT / "splitters" / "recipes").glob("*.toml"))
SCRIPT = ROOT / "splitters" / "mincut" / "mincut.py"
OF_THE_PAPER = {"ace05", "ade", "conll2003", "conll04", "genia", "nyt", "scierc"}
NOT_TO_BE_PASSED_ON = {
    "ace05", "conll2003", "conll04", "conllpp", "nyt", "ontonotes5", "ontonotes5-documents"
}  # fmt: skip

GOOD = """
[dataset]
id = "org/name"
licence = "cc-by-4.0"
policy = "republish"

[columns]
tags = "ner_tags"
labels = ["O", "B-PER"]

[split]
ratios = "60/40"
seed = 7

[publish]
config = "mincut-60-40"
"""


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "mine.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


# --- the shipped ones -----------------------------------------------------------------------------------


def test_enough_recipes_are_shipped():
    names = {path.stem for path in SHIPPED}
    assert names >= OF_THE_PAPER and len(names) >= 17 and len(names - OF_THE_PAPER) >= 10
    assert hub_folder("splitters") == ROOT / "splitters"


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_recipe_is_valid(path):
    recipe = Recipe.find(path.stem)
    assert recipe == Recipe.load(path) and recipe.name == path.stem
    assert recipe.licence and recipe.config.startswith("mincut")
    assert set(recipe.columns) <= set(READ_BY) and set(recipe.split) <= set(inspect.signature(mincut).parameters)
    assert {"ratios", "seed", "discard"} <= set(recipe.split)
    if recipe.source is not None:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+(:[\w.-]+)?(@\w+)?", recipe.source)
    if path.stem in NOT_TO_BE_PASSED_ON or recipe.licence in ("unknown", "other"):
        assert recipe.policy is Policy.INDICES_ONLY
    if "labels" in recipe.columns:
        assert "O" in recipe.columns["labels"] and len(set(recipe.columns["labels"])) == len(recipe.columns["labels"])
    assert path.read_text().startswith("# ") and max(map(len, path.read_text().splitlines())) <= 120


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_split_of_a_shipped_recipe_runs(path):
    recipe = Recipe.find(path.stem)
    parts = {"train": generate(90), "validation": generate(30, seed=1), "test": generate(30, seed=2)}
    fast = {**recipe.split, "effort": "fast", "unit": "sample"}
    assert sum(mincut(parts, **fast).sizes.values()) > 0


def test_two_configs_of_one_dataset_have_two_names():
    shown = [(recipe.source, recipe.config) for recipe in map(Recipe.load, SHIPPED) if recipe.source]
    assert len(set(shown)) == len(shown)


def test_the_keys_are_the_arguments():
    given = set(inspect.signature(mincut).parameters)
    assert set(OPTIONS) == given - {"data", "progress", "aliases"}  # a recipe names no tables
    assert set(inspect.signature(from_dataset).parameters) - {"dataset"} <= set(READ_BY)


# --- reading --------------------------------------------------------------------------------------------


def test_a_recipe_has_what_the_file_says(written):
    recipe = Recipe.load(written(GOOD))
    assert (recipe.name, recipe.source, recipe.licence) == ("mine", "org/name", "cc-by-4.0")
    assert recipe.columns == {"tags": "ner_tags", "labels": ["O", "B-PER"]}
    assert recipe.split == {"ratios": "60/40", "seed": 7} and recipe.config == "mincut-60-40"
    assert recipe.publish_options() == ["--config", "mincut-60-40"]
    more = GOOD.replace('"org/name"', '"org/name"\nconfig = "en"\nrevision = "refs/convert/parquet"')
    other = Recipe.load(written(more.replace('"republish"', '"indices-only"')))
    assert other.source == "org/name:en@refs/convert/parquet"
    assert other.publish_options() == ["--config", "mincut-60-40", "--indices-only"]
    with pytest.raises(AttributeError):
        other.licence = "none"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[split]", "[splits]", r"\[splits\] is unknown. Did you mean split\?"),
        ("seed", "sed", r"\[split\]: 'sed' is unknown. Did you mean seed\? The keys are method, unit, key"),
        ("tags =", "tag =", r"\[columns\]: 'tag' is unknown. Did you mean tags\?"),
        ("licence", "license", r"\[dataset\]: 'license' is unknown. Did you mean licence\?"),
        ("seed = 7", "data = 7", "'data' is unknown"),
        ("seed = 7", "progress = 7", "'progress' is unknown"),
        ('licence = "cc-by-4.0"', "", "licence is missing"),
        ('licence = "cc-by-4.0"', 'licence = " "', "licence=' ' is not valid"),
        ('policy = "republish"', "", "policy is missing"),
        ('policy = "republish"', 'policy = "any"', "policy='any' is unknown. Choose one of: republish, indices-only"),
        ('"org/name"', '"name"', "id='name' is not valid. Give org/name"),
        ('"org/name"', '"org/name:en"', "id='org/name:en' is not valid"),
        ('"org/name"', "7", "id=7 is not valid"),
        ('"org/name"', '"org/name"\nconfig = "a:b"', "config='a:b' is not valid"),
        ('id = "org/name"', 'revision = "main"', "revision='main' has no effect without an id"),
        ("seed = 7", 'seed = "7"', "seed='7' is out of range. Give a whole number"),
        ("seed = 7", "seed = true", "seed=True is out of range"),
        ("seed = 7", "min_per_type = -1", "min_per_type=-1 is out of range"),
        ("seed = 7", 'unit = "page"', r"\[split\]: unit='page' is unknown. Choose one of"),
        ("seed = 7", "representative = 2", "representative=2 is out of range. Give a number from 0 to 1, or 'off'"),
        ("seed = 7", "discard = 1.5", "discard=1.5 is not valid"),
        ("seed = 7", 'typed = "yes"', "typed='yes' is not valid. Give true or false"),
        ("60/40", "60", "give two or three parts"),
        ("60/40", "a/b", "a part is not a number"),
        ('"60/40"', "60", "give two or three parts"),
        ('"ner_tags"', "3", "tags=3 is not valid"),
        ('tags = "ner_tags"', 'scheme = "bix"', "scheme='bix' is unknown"),
        ('tags = "ner_tags"', 'end = "last"', "end='last' is unknown. Choose one of: exclusive, inclusive"),
        ('tags = "ner_tags"', 'repair = "all"', "repair='all' is unknown"),
        ('["O", "B-PER"]', '"O,B-PER"', "labels='O,B-PER' is not valid. Give the names by id"),
        ('["O", "B-PER"]', "[]", "labels=.* is not valid"),
        ('"mincut-60-40"', '"a b"', r"\[publish\]: config='a b' is not valid"),
        ('config = "mincut-60-40"', "", "config=None is not valid"),
        ("[publish]", "", "'config' is unknown"),
        ("seed = 7", "seed = ", r"not TOML: .*line 13"),
    ],
)
def test_a_bad_recipe_is_refused(written, capsys, old, new, told):
    assert old in GOOD
    path = written(GOOD.replace(old, new, 1))
    with pytest.raises(CleancutError, match=told) as caught:
        Recipe.load(path)
    assert str(caught.value).startswith(str(path))
    assert cli.main(["split", "--recipe", str(path), "-o", str(path.parent / "out")]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("cleancut: ") and err.count("\n") == 1
    assert not (path.parent / "out").exists()


def test_what_is_no_recipe_at_all(written, tmp_path):
    with pytest.raises(CleancutError, match=r"there is no recipe 'conll203'. Did you mean conll2003\?"):
        Recipe.find("conll203")
    with pytest.raises(CleancutError, match="no such file"):
        Recipe.find(tmp_path / "none.toml")
    with pytest.raises(CleancutError, match=r"not UTF-8 \(byte 1\)"):
        Recipe.load(written(b"#\xff"))
    with pytest.raises(CleancutError, match=r"\[dataset\] is missing"):
        Recipe.load(written(""))
    with pytest.raises(CleancutError, match="split=3 is not a table"):
        Recipe.load(written("split = 3\n"))


# --- the command line -----------------------------------------------------------------------------------


def split(capsys, *arguments):
    code = cli.main(["split", *map(str, arguments), "--effort", "fast", "--json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)


@pytest.fixture
def corpus(tmp_path):
    cleancut.write(generate(100), tmp_path / "all.jsonl")
    return tmp_path / "all.jsonl"


def test_options_come_from_the_recipe_and_the_command_line_wins(capsys, tmp_path, written, corpus):
    plain = GOOD.replace('[columns]\ntags = "ner_tags"\nlabels = ["O", "B-PER"]\n', "")
    recipe = written(plain.replace("seed = 7", 'seed = 7\ndiscard = "auto"\ntyped = false\ncase = false'))
    found = split(capsys, corpus, "--recipe", recipe, "-o", tmp_path / "a")
    direct = ["--ratios", "60/40", "--seed", 7, "--discard", "auto", "--key", "surface", "--ignore-case"]
    assert found == split(capsys, corpus, *direct, "-o", tmp_path / "b")
    assert "|ratios:0.6/0.4|" in found["signature"] and "|seed:7|" in found["signature"]
    mixed = split(
        capsys, corpus, "--recipe", recipe, "--ratios", "80/10/10", "--seed", 13, "--key", "surface+type",
        "--discard", 0, "-o", tmp_path / "c",
    )  # fmt: skip
    assert "|ratios:0.8/0.1/0.1|" in mixed["signature"] and "|seed:13|" in mixed["signature"]
    assert mixed["n_discarded"] == 0 and "key:surface+type" in mixed["signature"]


def test_settings_without_an_option_of_their_own_count(capsys, tmp_path, written, corpus):
    plain = GOOD.replace('[columns]\ntags = "ner_tags"\nlabels = ["O", "B-PER"]\n', '[columns]\nrepair = "error"\n')
    recipe = written(plain.replace("seed = 7", 'representative = "off"\nduplicates_together = false'))
    found = split(capsys, corpus, "--recipe", recipe, "-o", tmp_path / "a")
    assert "|representative:off|" in found["signature"]
    options = {"input": ["x"], "key": None, "ignore_case": False, "repair": None, "scheme": "io"}
    Recipe.load(recipe).fill(options)
    assert options["repair"] == "error" and options["scheme"] == "io" and options["duplicates_together"] is False


def test_without_a_recipe_nothing_has_changed(capsys, tmp_path, corpus):
    found = split(capsys, corpus, "-o", tmp_path / "a")
    explicit = ["--ratios", "80/10/10", "--seed", 13, "--unit", "sample", "--method", "mincut", "--engine", "auto"]
    more = ["--discard", 0, "--representative", 0.9, "--min-per-type", 20, "--key", "surface+type"]
    assert found == split(capsys, corpus, *explicit, *more, "-o", tmp_path / "b")


def test_the_input_is_the_dataset_of_the_recipe_unless_given(capsys, tmp_path):
    options = {"input": [], "key": None, "ignore_case": False, "labels": None}
    Recipe.find("bc5cdr").fill(options)
    assert options["input"] == ["tner/bc5cdr"] and options["labels"] == "O,B-Chemical,B-Disease,I-Disease,I-Chemical"
    for arguments, told in {
        ("--recipe", "ace05"): "Give your copy: cleancut split --recipe ace05 FILE",
        ("--recipe", "conll203"): "Did you mean conll2003?",
        (): "nothing to split. Give SOURCE, or --recipe",
    }.items():
        assert cli.main(["split", *arguments, "-o", str(tmp_path / "out")]) == 2
        out, err = capsys.readouterr()
        assert out == "" and told in err and err.count("\n") == 1


# --- the script -----------------------------------------------------------------------------------------


def test_the_script_says_what_it_needs():
    """The header, found by the regular expression of PEP 723."""
    pattern = r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$"
    (found,) = re.finditer(pattern, SCRIPT.read_text())
    lines = found["content"].splitlines(keepends=True)
    header = tomllib.loads("".join(line[2:] if line.startswith("# ") else line[1:] for line in lines))
    assert found["type"] == "script"
    assert header == {"requires-python": ">=3.11", "dependencies": [f"cleancut=={cleancut.__version__}"]}
    assert "python_requires = >=3.11" in (ROOT / "setup.cfg").read_text()
    outside = {node.module.split(".")[0] for node in ast.walk(ast.parse(SCRIPT.read_text())) if hasattr(node, "module")}
    assert outside <= {"cleancut", "pathlib", "collections"}


@pytest.mark.slow
def test_the_script_runs():
    done = subprocess.run([sys.executable, SCRIPT, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--to ORG/NAME" in done.stdout and "--push" in done.stdout


def test_the_script_is_two_commands(monkeypatch):
    called = []
    monkeypatch.setattr(cli, "main", lambda argv: called.append(argv) or 0)
    main = runpy.run_path(str(SCRIPT))["main"]
    assert main(["org/name", "--to", "org/clean", "--ratios", "80/20", "--push"]) == 0
    (first, second), folder = called, called[0][-1]
    assert first == ["split", "org/name", "--ratios", "80/20", "-o", folder]
    plan = str(Path(folder, "plan.json"))
    assert second == ["publish", plan, "--to", "org/clean", "--config", "mincut", "--push"]
    called.clear()
    assert main(["--recipe", "conll2003", "--to", "org/clean", "--config", "mine"]) == 0
    assert called[0] == ["split", "--recipe", "conll2003", "-o", called[0][-1]]
    assert called[1][2:] == ["--to", "org/clean", "--config", "mincut-original", "--indices-only", "--config", "mine"]
    called.clear()
    monkeypatch.setattr(cli, "main", lambda argv: called.append(argv) or 2)
    assert main(["--recipe", "none", "--to", "org/clean"]) == 2 and len(called) == 1


def test_the_method_card_says_what_a_user_must_know():
    card = SCRIPT.with_name("README.md").read_text()
    for heading in ("What it minimises", "The guarantee", "How to use", "Figures", "Limits", "Citation"):
        assert f"## {heading}\n" in card
    assert "$$" in card and "Babl" in card
