"""Every Python block of the README and the cards runs; every command of the README prints what it shows."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from cleancut import cli
from cleancut.faces import KEYWORDS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "metrics").glob("*/README.md"))]


def blocks(page: Path) -> list[tuple[str, str]]:
    return re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(), re.M | re.S)


def run(command: str, capsys) -> str:
    assert cli.main(shlex.split(command)[1:]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_python_blocks_run(page, demo_run, tmp_path, monkeypatch):
    shutil.copytree(demo_run[0], tmp_path / "cleancut-demo")  # the files that the examples read
    monkeypatch.chdir(tmp_path / "cleancut-demo")
    names: dict = {}
    found = [code for language, code in blocks(page) if language == "python"]
    assert found
    for code in found:
        exec(compile(code, str(page), "exec"), names)


def test_commands_print_what_the_readme_shows(tmp_path, monkeypatch, capsys):
    """A console block is a command after "$ " and its output, to the letter: first the demo, then in its folder."""
    monkeypatch.chdir(tmp_path)
    demo, *others = [code for language, code in blocks(ROOT / "README.md") if language == "console"]
    assert demo.startswith("$ cleancut demo\n") and others
    for code in (demo, *others):
        command, _, expected = code.partition("\n")
        assert run(command.removeprefix("$ "), capsys) == expected
        if code is demo:
            monkeypatch.chdir("cleancut-demo")


@pytest.mark.parametrize("name", sorted(KEYWORDS))
def test_cards_say_what_a_user_must_know(name):
    card = (ROOT / "metrics" / name / "README.md").read_text()
    for heading in ("What it measures", "How to use", "Inputs", "Outputs", "Limits", "Citation"):
        assert f"# {heading}" in card, heading
    assert "$$" in card
    for keyword in KEYWORDS[name]:
        assert f"| `{keyword}` |" in card, keyword
