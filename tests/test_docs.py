"""Every example of the README, the cards and the documentation runs, and every command prints what it shows."""

import contextlib
import functools
import http.server
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest
import yaml
from hub import Hub
from programs import Programs
from searching import few_moves
from serving import served

import cleancut
from cleancut import cli
from cleancut.scoring import buckets
from cleancut.scoring.registry import metrics

ROOT = Path(__file__).resolve().parents[1]
CARDS = sorted((ROOT / "metrics").glob("*/README.md"))
DOCS = sorted(page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "reference")
PAGES = [ROOT / "README.md", *CARDS, *DOCS]
OTHERS = [ROOT / "CONTRIBUTING.md", ROOT / "spaces_app" / "README.md", *sorted((ROOT / "splitters").rglob("*.md"))]
PEERS = ("seqeval", "nervaluate", "seqscore")
MACHINE_PATHS = ("/tmp/", "/work/", "/home/", "/root/")
"""Places on the machine of whoever wrote a page, which its readers do not have."""


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def refresh():
    spec = importlib.util.spec_from_file_location("refresh", ROOT / "docs" / "refresh.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def blocks(page: Path) -> list[tuple[str, str]]:
    """Language and code of each block, also of those in lists."""
    found = re.findall(r"^( *)```(\w+)\n(.*?)^\1```", page.read_text("utf-8"), re.M | re.S)
    return [(language, re.sub(rf"^{indent}", "", code, flags=re.M)) for indent, language, code in found]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=named)
def test_examples_run_and_commands_print_what_is_shown(page, demo_run, tmp_path, monkeypatch, capsys):
    """In order. Python blocks share their names; a console block is a command after "$ " and its output, literally.

    Only where a line is "..." may lines be missing.
    """
    excerpt = refresh().excerpt
    for peer in PEERS:
        if re.search(rf"^(from|import) {peer}", page.read_text("utf-8"), re.M):
            pytest.importorskip(peer, reason=f"{peer} is in the extra 'test'")
    folder = tmp_path / "cleancut-demo"
    shutil.copytree(demo_run[0], folder)  # the files that the examples read
    monkeypatch.chdir(folder)
    monkeypatch.setattr(buckets, "_ATTRIBUTES", dict(buckets._ATTRIBUTES))  # an example adds one
    names: dict = {}
    for language, code in blocks(page):
        if language == "python":
            with few_moves():  # any split will do where nothing is printed
                exec(compile(code, named(page), "exec"), names)
        elif language == "console":
            capsys.readouterr()
            command, _, expected = code.partition("\n")
            if command == "$ cleancut demo":
                printed = demo_run[1]
            else:
                assert cli.main(shlex.split(command.removeprefix("$ "))[1:]) == 0
                printed = capsys.readouterr().out
            assert excerpt(expected, printed) == expected, f"{command}: run docs/refresh.py"


# --- commands of a shell --------------------------------------------------------------------------------

NOT_RUN = {
    "cleancut demo": "it is run already, for the files that the examples read, and its output compared",
    "python -m pytest -n auto --dist loadfile": "it would run these tests in themselves",
    "cleancut split 'corpus/*.jsonl' --engine spark --master 'local[2]' -o clean":
        "takes a minute as Spark is set by default; tests/test_distributed.py runs it with other settings",
    "cleancut incidence 's3a://bucket/corpus/*.parquet' --engine spark --master yarn -o s3a://bucket/incidence":
        "needs a cluster and a bucket; tests/test_distributed.py runs the same on this machine",
    "cleancut split --incidence s3a://bucket/incidence --engine spark --master yarn -o clean": "the same",
}  # fmt: skip
"""Commands that are not run here, and why. All others are."""
SERVES = re.compile(r"cleancut app\b|python \S*app\.py")
"""Commands that serve until they are stopped."""
PREPARED = {
    "cleancut materialise my-org/corpus --config mincut-80-10-10 -o rows": (
        "cleancut split org/name -o indices --discard auto --effort fast",
        "cleancut publish indices/plan.json --to my-org/corpus --config mincut-80-10-10 --indices-only --push",
    )
}
"""What somebody else has done before."""
SHELL_PAGES = [page for page in [*PAGES, *OTHERS] if "```bash" in page.read_text("utf-8")]
PIP = """
import configparser, sys
from pathlib import Path
from packaging.requirements import Requirement
arguments, checkout = sys.argv[1:], Path({root!r})
assert arguments.pop(0) == "install", sys.argv
setup = configparser.ConfigParser()
setup.read(checkout / "setup.cfg")
extras, name = set(setup["options.extras_require"]), setup["metadata"]["name"]
while arguments:
    what = arguments.pop(0)
    if what == "-r":
        lines = Path(arguments.pop(0)).read_text().splitlines()
        assert all(map(Requirement, lines)) and lines
    elif what != "-e":
        wanted = Requirement(name + what[1:] if what[0] == "." else what)
        assert wanted.name == name and wanted.extras <= extras, f"{{what}}: there are the extras {{sorted(extras)}}"
"""
"""What is to be installed is there, instead of an installation: others test that of the wheel and of the app."""


def commands(page: Path) -> list[str]:
    """Of all blocks, in order, as they are typed; comments aside."""
    lines = [line for language, code in blocks(page) if language == "bash" for line in code.splitlines()]
    assert not any(line.endswith("\\") for line in lines)
    return [command.strip() for line in lines for command in re.sub(r" +# .*$", "", line).split(" && ")]


SAMPLES = {
    "system.conll": "perceptron", "a.conll": "lookup", "b.conll": "perceptron", "runs/1.conll": "lookup",
    "runs/2.conll": "perceptron", "corpus.conll": "test", "corpus.jsonl": "test", "corpus/1.jsonl": "test",
    "train.jsonl": "train", "test.jsonl": "test", "uh_ritual.jsonl": "lookup", "spinningbytes.jsonl": "perceptron",
    "mic-cis.jsonl": "perceptron", "mincut.py": "", "study/news/train.jsonl": "train", "study/news/test.jsonl": "test",
    "study/news/pred/lookup.jsonl": "lookup", "data/train.conll": "train", "data/test.conll": "test",
    "answers.jsonl": "perceptron",
}  # fmt: skip
"""What pages call files of the reader's, and which file of the demo stands for it."""


@pytest.fixture(scope="module")
def short(demo_run, tmp_path_factory) -> Path:
    """The files of the demo, with less in them."""
    folder = tmp_path_factory.mktemp("short") / "cleancut-demo"
    shutil.copytree(demo_run[0], folder)
    for path in folder.glob("*.conll"):
        sentences = path.read_text("utf-8").split("\n\n")
        path.write_text("\n\n".join(sentences[: 500 if path.stem == "train" else 150]) + "\n", "utf-8")
    return folder


def dataset(folder: Path, column: str) -> dict[str, str]:
    """A dataset as the Hub has them, with a config."""
    files = {}
    for split in ("train", "test"):
        rows = []
        for i, sentence in enumerate((folder / f"{split}.conll").read_text("utf-8").strip().split("\n\n")):
            words = [line.split() for line in sentence.splitlines()]
            rows.append(
                {"doc_id": f"{split}-{i // 5}", "tokens": [w[0] for w in words], column: [w[-1] for w in words]}
            )
        files[f"{split}.jsonl"] = "".join(json.dumps(row) + "\n" for row in rows)
    parts = [{"split": split, "path": f"{split}.jsonl"} for split in ("train", "test")]
    configs = {"configs": [{"config_name": "config", "data_files": parts, "default": True}]}
    return {**files, "README.md": f"---\n{yaml.safe_dump(configs)}---\n"}


class Desk:
    """A folder with the files that a page speaks of, a home, the commands of an installation, and a Hub."""

    def __init__(self, folder: Path, demo: Path, text: str, hub: Hub, python: str = sys.executable) -> None:
        self.cwd = folder / "cleancut-demo"
        shutil.copytree(demo, self.cwd)
        for name, source in SAMPLES.items():
            if re.search(rf"(?<![\w./]){re.escape(re.sub('/.*', '/', name))}", text):
                (self.cwd / name).parent.mkdir(parents=True, exist_ok=True)
                if source:
                    cleancut.write(cleancut.read(demo / f"{source}.conll"), self.cwd / name)
                else:
                    shutil.copy(ROOT / "splitters" / "mincut" / name, self.cwd)
        programs, home = folder / "bin", folder / "home"
        programs.mkdir()
        home.mkdir()
        for name, code in {
            "pip": f"#!{sys.executable}\n{PIP.format(root=str(ROOT))}",
            "python": f'#!/bin/sh\nexec {python} "$@"\n',
            "cleancut": f'#!/bin/sh\nexec {python} -m cleancut "$@"\n',
            "uv": f'#!/bin/sh\ntest "$1" = run && shift && exec {python} "$@"\n',
        }.items():
            (programs / name).write_text(code)
            (programs / name).chmod(0o755)
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**hub.environment(home / "hf"), "HOME": str(home), "PATH": path, "TMPDIR": str(folder)}

    def run(self, command: str) -> None:
        done = subprocess.run(
            ["bash", "-euc", command], cwd=self.cwd, env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"

    def serve(self, command: str) -> None:
        """Start it, wait until it answers, stop it."""
        with served(["bash", "-euc", f"exec {command}"], self.cwd, cwd=self.cwd, **self.environment) as serving:
            assert b"cleancut" in urllib.request.urlopen(serving.url).read()


@pytest.fixture(scope="module")
def hub():
    with Hub() as hub:
        yield hub


@pytest.fixture(scope="module")
def warm_python(hub, tmp_path_factory) -> str:
    """What stands for python in a shell, where the clients of the Hub and what a split needs are imported already."""
    folder = tmp_path_factory.mktemp("python")
    with Programs(folder, hub.environment(folder), ["cleancut.cli", "evaluate", "numba"]) as programs:
        yield programs.shell()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the commands are for a shell as Linux and macOS have it")
@pytest.mark.parametrize("page", SHELL_PAGES, ids=named)
def test_commands_run(page, short, hub, warm_python, tmp_path):
    """All but those that serve, in order, in a shell; those of the README as a reader runs them, each from nothing."""
    hub.clear()
    for branch in ("main", "revision"):
        hub.put("dataset", "org/name", dataset(short, "fine_ner_tags"), branch)
    hub.put("dataset", "leondz/wnut_17", dataset(short, "ner_tags"))
    python = sys.executable if named(page) == "README.md" else warm_python
    desk = Desk(tmp_path, short, "\n".join(commands(page)), hub, python)
    for command in commands(page):
        if command in NOT_RUN or SERVES.match(command):
            continue
        for before in PREPARED.get(command, ()):
            desk.run(before)
        desk.run(command)


@pytest.mark.parametrize(
    ("shown", "output", "wanted"),
    [
        ("a 1\n", "b 2\n", "b 2\n"),  # shown as a whole
        ("...\na 1\n...\n", "b 1\na 2\nc 3\n", "...\na 2\n...\n"),
        ("a 1\n...\nc 1\n", "a 2\nb\nc 3\n", "a 2\n...\nc 3\n"),
        ("...\na 1\n", "b\na 2\nc\n", None),  # a line is missing at the end
        ("b 1\n...\n", "a 1\nb 1\n", None),  # and at the beginning
        ("...\na 1\nc 1\n...\n", "a 1\nb 1\nc 1\n", None),  # and between
        ("...\nF1  74.30\n...\n", "P  71.00\nR  80\n", None),
    ],
)
def test_an_excerpt_of_an_output_says_where_lines_are_missing(shown, output, wanted):
    if wanted is None:
        with pytest.raises(AssertionError, match="not printed|left out"):
            refresh().excerpt(shown, output)
    else:
        assert refresh().excerpt(shown, output) == wanted


@pytest.mark.slow
def test_the_recipe_for_a_dataset_on_the_hub_runs(short, hub, tmp_path):
    """As it stands, in a program of its own, with a dataset from a Hub."""
    (code,) = [code for language, code in blocks(ROOT / "README.md") if language == "py" and "load_dataset" in code]
    hub.clear()
    hub.put("dataset", "org/name", dataset(short, "ner_tags"))
    desk = Desk(tmp_path, short, "", hub)
    (desk.cwd / "recipe.py").write_text(f"{code}assert {{*clean}} == {{'train', 'validation', 'test'}}\n", "utf-8")
    desk.run("python recipe.py > said.txt")
    said = (desk.cwd / "said.txt").read_text("utf-8")
    assert "no entity is shared between any two splits" in said and "DatasetDict" in said


LONGEST_README = 1400
"""Words that a reader of the README is asked to read."""
LONGEST_RECIPE = 10
"""Lines of code of a recipe."""


def test_the_readme_stays_short_and_its_recipes_too():
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.split()) < LONGEST_README
    recipes = text.partition("## Recipes\n")[2].partition("\n## ")[0].split("\n### ")[1:]
    assert len(recipes) == 6
    for recipe in recipes:
        for code in re.findall(r"```\w+\n(.*?)```", recipe, re.S):
            assert len([line for line in code.splitlines() if line.strip()]) <= LONGEST_RECIPE, code


@pytest.mark.slow
@pytest.mark.app
def test_commands_that_serve_answer(short, hub, tmp_path):
    """Each once, where the app is staged as the pages say."""
    found = {command for page in SHELL_PAGES for command in commands(page) if SERVES.match(command)}
    assert len(found) > 2
    desk = Desk(tmp_path, short, "", hub)
    desk.run("cleancut stage --app -o space")
    for command in sorted(found):
        desk.serve(command.replace("7860", "$GRADIO_SERVER_PORT"))


def test_what_is_not_run_stands_on_some_page_and_parses():
    found = {command for page in SHELL_PAGES for command in commands(page)}
    assert {*NOT_RUN, *PREPARED} - found == set()
    for command in NOT_RUN:
        words = shlex.split(command)
        if words[0] == "cleancut":
            cli.parser().parse_args(words[1:])


def test_the_tests_that_the_threat_model_names_are_there():
    text = (ROOT / "docs" / "threats.md").read_text("utf-8")
    named_tests = re.findall(r"`(test_\w+\.py)(?:::(\w+))?", text)
    assert len(named_tests) > 10
    for file, name in named_tests:
        assert not name or f"def {name}(" in (ROOT / "tests" / file).read_text("utf-8"), name
        assert (ROOT / "tests" / file).exists(), file


@pytest.mark.parametrize("page", [*PAGES, *OTHERS, ROOT / "CHANGELOG.md"], ids=named)
def test_every_block_says_what_it_is(page):
    """So that none is passed over: python, console and bash are run, and py where there is a Trainer for it."""
    fences = re.findall(r"^ *```(.*)$", page.read_text("utf-8"), re.M)
    with_a_trainer = {"py"} if page in (ROOT / "README.md", ROOT / "docs" / "guides" / "trainer.md") else set()
    assert set(fences[::2]) <= {"python", "console", "bash", "text", "toml", "bibtex", "json"} | with_a_trainer
    assert set(fences[1::2]) <= {""}


@pytest.mark.parametrize("page", [*PAGES, *OTHERS, ROOT / "CHANGELOG.md", ROOT / "mkdocs.yml"], ids=named)
def test_pages_name_no_place_on_a_machine(page):
    text = page.read_text("utf-8").lower()
    assert [path for path in MACHINE_PATHS if path in text] == []


@pytest.mark.parametrize("page", [ROOT / "README.md", *DOCS], ids=named)
def test_links_lead_somewhere(page):
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text("utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"https?:|#", target):
            assert (page.parent / target.partition("#")[0]).exists(), f"{named(page)}: {target}"


@pytest.mark.slow
def test_generated_pages_and_the_picture_are_up_to_date(demo_run):
    """The picture is drawn from the demo's files; what commands print is compared above."""
    for path, text in refresh().wanted(demo_run[0], output=False).items():
        assert path.read_text("utf-8") == text, f"{named(path)} is out of date: run docs/refresh.py"


def test_figures_of_pages_are_those_that_the_benchmark_stored():
    module = refresh()
    found = []
    for page in module.pages_with_figures():
        text = page.read_text("utf-8")
        assert module.with_figures(text) == text, f"{named(page)} is out of date: run docs/refresh.py"
        found += re.findall("<!-- figures: (.+) -->", text)
    assert set(found) == set(module.FIGURES) and found.count("shared") == 2
    for page in [*PAGES, *OTHERS]:  # nobody types them beside the markers
        rest = re.sub(r"<!-- figures: .*?<!-- end of figures -->", "", page.read_text("utf-8"), flags=re.S)
        assert not re.search(r"^\| BTC \(raw tags\)", rest, re.M), named(page)


def test_every_public_name_is_listed_once():
    listed = [name for names in refresh().tasks().values() for name in names]
    assert sorted(listed) == sorted(name for name in cleancut.__all__ if name != "__version__")
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", (ROOT / "docs" / "api.md").read_text("utf-8"), re.M)
    assert [name for name, what in rows] == listed and all(len(what) > 10 for _, what in rows)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    for needed in ("mkdocs", "material", "mkdocstrings", "latex2mathml"):
        pytest.importorskip(needed, reason=f"{needed} is in the extra 'docs'")
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_site_builds_and_asks_nothing_of_other_hosts(site):
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        loaded = re.findall(r"<(?:script|img|iframe)[^>]* src=\"?(https?:[^\" >]+)", text)
        loaded += re.findall(r"<link[^>]*rel=\"?(?:stylesheet|preconnect)[^>]*href=\"?(https?:[^\" >]+)", text)
        assert loaded == [], page.name
    for style in site.rglob("*.css"):
        assert not re.search(r"(?:@import|url\()[ '\"]*(?:https?:)?//", style.read_text("utf-8")), style.name
    definitions = (site / "definitions.html").read_text("utf-8")
    assert "<math" in definitions and "$$" not in definitions
    assert "micro-averaged over the corpus" in (site / "reference" / "score.html").read_text("utf-8")


@pytest.mark.slow
def test_the_site_has_search_and_colours_in_code(site):
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {"choose.html", "evidence.html", "guides/score.html", "reference/score.html"} <= found
    assert '<span class="kn">import</span>' in (site / "concepts.html").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.browser
def test_the_site_fits_its_window_and_is_searched_without_other_hosts(site, browser):
    with quiet_server(site) as url:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        for name in ("index.html", "choose.html", "evidence.html", "commands.html", "reference/score.html"):
            page.goto(url + name)
            page.wait_for_load_state("networkidle")
            bar = "document.querySelector('.md-tabs__list')"
            assert page.evaluate(f"{bar}.scrollWidth <= {bar}.clientWidth"), name
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        page.click(".md-search__input")
        page.keyboard.type("clean split")
        page.locator(".md-search-result__item").first.wait_for()
        assert asked and [one for one in asked if not one.startswith((url, "data:"))] == []
        page.close()


@contextlib.contextmanager
def quiet_server(folder):
    """Serve the files of a folder on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            """Say nothing."""

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()


@pytest.mark.parametrize("name", sorted(metrics()))
def test_cards_say_what_a_user_must_know(name):
    card = (ROOT / "metrics" / name / "README.md").read_text()
    for heading in ("What it measures", "How to use", "Inputs", "Outputs", "Limits", "Citation"):
        assert f"# {heading}" in card, heading
    assert "$$" in card
    for keyword in metrics()[name].keywords:
        assert f"| `{keyword}` |" in card, keyword
