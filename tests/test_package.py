"""The shape of the project: light imports, one-way dependencies, a wheel that stands alone."""

import ast
import configparser
import os
import re
import subprocess
import sys
import sysconfig
import venv
from collections import Counter
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import cleancut
from cleancut.scoring.registry import metrics

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "cleancut"

ROOMS = ["core", "reading", "scoring", "splitting", "mapping", "showing", "hub", "doors", "app", "demo", "cli"]


@cache
def imports(path: Path, top_level_only: bool = False) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    nodes = tree.body if top_level_only else list(ast.walk(tree))
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            found |= {f"{base}{alias.name}" if set(base) == {"."} else base for alias in node.names}
    return found


def modules_of(room: str) -> list[Path]:
    return sorted(path for path in (SOURCE / room).glob("*.py") if path.stem != "__init__")


@pytest.mark.slow
def test_a_room_imports_only_from_itself_and_from_rooms_before_it():
    assert {path.parent.name for path in SOURCE.rglob("*.py")} == {SOURCE.name, *ROOMS}
    assert {path.stem for path in SOURCE.glob("*.py")} == {"__init__", "__main__", "version", "trainer"}
    assert not set(ROOMS) & set(cleancut.__all__)
    for i, room in enumerate(ROOMS):
        for path in (SOURCE / room).glob("*.py"):
            for imported in imports(path):
                where = f"{room}/{path.name} imports {imported}"
                assert imported.split(".")[0] != "cleancut", where
                if imported.startswith(".."):
                    assert imported.split(".")[2] in {"version", *ROOMS[:i]}, where


def test_the_engine_needs_numpy_alone():
    allowed = set(sys.stdlib_module_names) | {"numpy"}
    for path in [*modules_of("core"), *modules_of("scoring")]:
        at_import = path.stem in {"compare", "diagnosis"}  # which ask scipy for statistics, and are in no Space
        foreign = {i.split(".")[0] for i in imports(path, at_import) if not i.startswith(".")} - allowed
        assert not foreign, f"{path.name} imports {foreign}"


@pytest.mark.parametrize(
    "metric", [pytest.param(name, marks=[] if name == "hardeval" else pytest.mark.slow) for name in sorted(metrics())]
)
def test_a_space_has_files_of_core_and_scoring_and_no_two_of_one_name(metric, tmp_path):
    files = [*modules_of("core"), *modules_of("scoring"), SOURCE / "version.py"]
    files += [SOURCE / "hub" / f"{name}.py" for name in ("faces", "space_page", "known_keywords")]
    names = [path.name for path in files]
    shadowed = {path.stem for path in files} & set(sys.stdlib_module_names)  # a Space has its folder on the path
    assert not shadowed, shadowed
    own = [f"{metric}.py", "app.py", "__init__.py"]
    several = {name: n for name, n in Counter([*names, *own]).items() if n > 1}
    assert not several, several
    (space,) = cleancut.stage([metric], folder=tmp_path)
    assert {path.name for path in space.glob("*.py")} <= {*names, *own}


def test_heavy_packages_are_imported_only_when_needed(tmp_path):
    heavy = ["datasets", "evaluate", "pyarrow", "scipy", "torch", "transformers", "gradio", "matplotlib", "pandas"]
    code = (
        "import sys, cleancut\n"
        f"heavy = {heavy!r}\n"
        "assert not set(heavy) & set(sys.modules) and 'numpy' not in sys.modules\n"
        "cleancut.exact_f1([['B-A']], [['B-A']])\n"
        "import cleancut.cli\n"
        "assert not set(heavy) & set(sys.modules), set(heavy) & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_versions_agree():
    assert f'version: "{cleancut.__version__}"' in (ROOT / "CITATION.cff").read_text()
    assert f"## {cleancut.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    assert f'"cleancut=={cleancut.__version__}"' in (ROOT / "splitters" / "mincut" / "mincut.py").read_text()


def test_what_the_hub_sees_names_the_version_that_it_needs():
    minor = ".".join(cleancut.__version__.split(".")[:2])
    cards = [*(ROOT / "metrics").glob("*/README.md"), ROOT / "spaces_app" / "README.md"]
    cards += [ROOT / "splitters" / "mincut" / "README.md", *(ROOT / "splitters" / "recipes").glob("*.toml")]
    assert len(cards) > 20
    for card in cards:
        text = card.read_text("utf-8")
        assert re.findall(r"cleancut (\d+\.\d+)", text) == [minor], card
        assert set(re.findall(r"cleancut-(\d+\.\d+)", text)) <= {minor}, card


def test_the_extra_all_has_every_extra_for_users():
    """Those of developers (tests, benchmarks, the documentation) apart."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", "utf-8")
    extras = setup["options.extras_require"]
    (line,) = extras["all"].split()
    brought = line.removeprefix("cleancut[").removesuffix("]").split(",")
    assert {*brought, "all", "docs", "test", "bench"} == set(extras)


@pytest.mark.parametrize(
    "tool",
    [["ruff", "check"], ["ruff", "format", "--check"], pytest.param(["mypy"], marks=pytest.mark.slow)],
    ids=" ".join,
)
def test_the_sources_are_clean(tool):
    pytest.importorskip(tool[0], reason=f"{tool[0]} is in the extra 'test'")
    done = subprocess.run([sys.executable, "-m", *tool], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_wheel_brings_its_metrics_along(tmp_path):
    """Built and installed without the checkout, the modules load and compute."""
    wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path), str(ROOT)]
    subprocess.run(wheel, check=True, capture_output=True)
    venv.create(tmp_path / "venv", system_site_packages=False, with_pip=False)
    paths = sysconfig.get_paths("venv", vars={"base": str(tmp_path / "venv"), "platbase": str(tmp_path / "venv")})
    python, site = Path(paths["scripts"], "python"), Path(paths["purelib"])
    subprocess.run([sys.executable, "-m", "zipfile", "-e", *tmp_path.glob("*.whl"), site], check=True)
    import numpy

    # the dependencies are those of this environment, but for cleancut itself
    (site / "dependencies.pth").write_text(str(Path(numpy.__file__).parents[1]))
    code = (
        "import cleancut, evaluate, pathlib\n"
        f"assert pathlib.Path(cleancut.__file__).is_relative_to({str(tmp_path)!r}), cleancut.__file__\n"
        f"path = cleancut.metric('exact_f1'); assert path.startswith({str(tmp_path)!r}), path\n"
        "m = evaluate.load(path)\n"
        "print(m.compute(predictions=[['B-A']], references=[['B-A']])['f1'])\n"
        "gold = cleancut.Corpus.of([['a']], tags=[['B-A']])\n"
        "assert '</html>' in cleancut.html_report(gold, {'system': gold})\n"
        "from cleancut.core.locating import hub_folder\n"
        "from cleancut.splitting.recipes import Recipe\n"
        "assert Recipe.find('wnut17').source == 'leondz/wnut_17'\n"
        f"assert hub_folder('splitters').is_relative_to({str(tmp_path)!r})\n"
        "assert (hub_folder('splitters') / 'mincut' / 'mincut.py').is_file()\n"
        "space = cleancut.stage_app('space')\n"
        "assert (space / 'examples' / 'random' / 'test.conll').is_file()\n"
        "assert (space / 'cleancut' / 'app' / 'page.py').is_file() and (space / 'app.py').is_file()\n"
        "assert not (space / 'cleancut' / 'hub_files').exists()\n"
        "from cleancut.showing.html import stylesheet\n"
        "assert '.report {' in stylesheet('.report')\n"
    )
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, env=env)
    assert done.stdout.strip() == "1.0", done.stderr


def test_no_benchmark_hides_a_package():
    """A script's folder is the first on its path: ``coverage.py`` in it is what numba then imports as coverage."""
    scripts = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    assert scripts & (set(sys.stdlib_module_names) | set(packages_distributions()) | {"coverage"}) == set()
