"""Every example of the README, the cards and the documentation runs, and every command prints what it shows."""

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cleancut
from cleancut import bucketing, cli
from cleancut.faces import KEYWORDS

ROOT = Path(__file__).resolve().parents[1]
CARDS = sorted((ROOT / "metrics").glob("*/README.md"))
DOCS = sorted(page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "reference")
PAGES = [ROOT / "README.md", *CARDS, *DOCS]
PEERS = ("seqeval", "nervaluate", "seqscore")
WORDS = "claude copilot chatgpt anthropic openai localhost /tmp/ /work/ /home/ /root/".split()
"""What a page does not speak of: who or what wrote it, and places on a machine."""


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


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_examples_run_and_commands_print_what_is_shown(page, demo_run, tmp_path, monkeypatch, capsys):
    """In order. Python blocks share their names; a console block is a command after "$ " and its output, literally."""
    for peer in PEERS:
        if re.search(rf"^(from|import) {peer}", page.read_text("utf-8"), re.M):
            pytest.importorskip(peer, reason=f"{peer} is in the extra 'test'")
    folder = tmp_path / "cleancut-demo"
    shutil.copytree(demo_run[0], folder)  # the files that the examples read
    monkeypatch.chdir(folder)
    monkeypatch.setattr(bucketing, "_ATTRIBUTES", dict(bucketing._ATTRIBUTES))  # an example adds one
    names: dict = {}
    for language, code in blocks(page):
        if language == "python":
            exec(compile(code, named(page), "exec"), names)
        elif language == "console":
            capsys.readouterr()
            command, _, expected = code.partition("\n")
            if command == "$ cleancut demo":
                assert demo_run[1] == expected
                continue
            assert cli.main(shlex.split(command.removeprefix("$ "))[1:]) == 0
            assert capsys.readouterr().out == expected, f"{command}: run docs/refresh.py"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_that_are_not_run_at_least_parse(page):
    known = {"python", "console", "bash", "text", "toml", "bibtex", "json"}
    for language, code in blocks(page):
        assert language in known, f"{named(page)}: {language}"
        for line in code.splitlines() if language == "bash" else ():
            for part in shlex.split(line, comments=True) and line.split(" && "):
                words = shlex.split(part.partition(" > ")[0], comments=True)
                if words[0] == "cleancut":
                    cli.parser().parse_args(words[1:])


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md", ROOT / "mkdocs.yml"], ids=named)
def test_pages_speak_of_the_project_only(page):
    text = page.read_text("utf-8").lower()
    assert [word for word in WORDS if word in text] == []


@pytest.mark.parametrize("page", [ROOT / "README.md", *DOCS], ids=named)
def test_links_lead_somewhere(page):
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text("utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"https?:|#", target):
            assert (page.parent / target.partition("#")[0]).exists(), f"{named(page)}: {target}"


def test_generated_pages_and_the_picture_are_up_to_date(demo_run):
    """The picture is drawn from the demo's files; what commands print is compared above."""
    for path, text in refresh().wanted(demo_run[0], output=False).items():
        assert path.read_text("utf-8") == text, f"{named(path)} is out of date: run docs/refresh.py"


def test_every_public_name_is_listed_once():
    listed = [name for names in refresh().tasks().values() for name in names]
    assert sorted(listed) == sorted(name for name in cleancut.__all__ if name != "__version__")
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", (ROOT / "docs" / "api.md").read_text("utf-8"), re.M)
    assert [name for name, what in rows] == listed and all(len(what) > 10 for _, what in rows)


def test_the_site_builds_and_asks_nothing_of_other_hosts(tmp_path):
    for needed in ("mkdocs", "mkdocstrings", "latex2mathml"):
        pytest.importorskip(needed, reason=f"{needed} is in the extra 'docs'")
    site = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(site)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        loaded = re.findall(r"<(?:script|img|iframe)[^>]* src=\"?(https?:[^\" >]+)", text)
        loaded += re.findall(r"<link[^>]*rel=\"?(?:stylesheet|preconnect)[^>]*href=\"?(https?:[^\" >]+)", text)
        assert loaded == [], page.name
    assert (
        "<math" in (site / "definitions.html").read_text("utf-8")
        and "$$" not in (site / "definitions.html").read_text()
    )
    assert "micro-averaged over the corpus" in (site / "reference" / "score.html").read_text("utf-8")


@pytest.mark.parametrize("name", sorted(KEYWORDS))
def test_cards_say_what_a_user_must_know(name):
    card = (ROOT / "metrics" / name / "README.md").read_text()
    for heading in ("What it measures", "How to use", "Inputs", "Outputs", "Limits", "Citation"):
        assert f"# {heading}" in card, heading
    assert "$$" in card
    for keyword in KEYWORDS[name]:
        assert f"| `{keyword}` |" in card, keyword
