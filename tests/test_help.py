"""The command line explains itself: help and an example for everything, the nearest right name, completion."""

import argparse
import configparser
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import cleancut
from cleancut import CleancutError, cli, exact_f1
from cleancut.cli import parts
from cleancut.cli.parts import PARTS, parts_text

ROOT = Path(__file__).resolve().parents[1]
MAIN = cli.parser()
COMMANDS = next(a for a in MAIN._actions if isinstance(a, argparse._SubParsersAction)).choices


def examples(parser):
    """The commands after "example:", without what a shell does with their output."""
    _, found, text = parser.format_help().partition("example:\n")
    assert found, f"{parser.prog} has no example"
    lines = text.strip().replace(" && ", "\n").split("\n")
    return [shlex.split(line.partition(" > ")[0]) for line in lines]


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_command_has_a_description_an_example_and_help_for_its_options(name):
    parser = COMMANDS[name] if name else MAIN
    assert parser.description and parser.description.endswith(".") and "...." not in parser.description
    commands = examples(parser)
    assert not name or commands[0][1] == name
    for command in commands:
        assert command[0] == "cleancut"
        MAIN.parse_args(command[1:])
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            assert action.help and action.help != argparse.SUPPRESS, (name, action.dest)
            assert len(action.help.split()) > 1, f"{name}: {action.dest}: {action.help}"
    assert max(map(len, parser.format_help().splitlines())) <= 120


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        ("scor --gold a", "'scor' is unknown. Did you mean score?"),
        ("score --golld a", "unknown option --golld. Did you mean --gold?"),
        ("score --gold a --byy-type", "unknown option --byy-type. Did you mean --by-type?"),
        ("--verson", "unknown option --verson. Did you mean --version?"),
        ("audit . --unit smple", "'smple' is unknown. Did you mean sample? Choose one of: sample, doc."),
        ("split . -o out --method mincat", "Did you mean mincut?"),
        ("completion bsh", "Did you mean bash?"),
    ],
)
def test_the_nearest_right_name(capsys, arguments, near):
    with pytest.raises(SystemExit) as stopped:
        cli.main(shlex.split(arguments))
    out, err = capsys.readouterr()
    assert stopped.value.code == 2 and out == "" and near in err and err.count("\n") == 1 and "?." not in err


def test_what_is_no_misspelling_is_left_alone(capsys):
    parsed = MAIN.parse_args(["split", "a", "-oX", "--ratio", "80/20"])  # short with its value, and an abbreviation
    assert (parsed.output, parsed.ratios) == ("X", "80/20")
    assert MAIN.parse_args(["score", "--gold", "a", "--gold-column", "-1"]).gold_column == -1
    assert MAIN.parse_args(["audit", "--", "--odd-name"]).source == "--odd-name"


def test_python_errors_name_it_too():
    with pytest.raises(CleancutError, match=r"scheme='biose' is unknown. Did you mean bioes\?"):
        exact_f1([["B-A"]], [["B-A"]], scheme="biose")
    with pytest.raises(CleancutError, match=r"Did you mean discard\?"):
        exact_f1([["B-A"]], [["B-A"]], repair="discrad")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command_and_option(capsys, shell):
    pytest.importorskip("shtab", reason="shtab is in the extra 'completion'")
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for name in COMMANDS:
        assert name in script
    for option in ("indices-only", "by-type", "surface+type"):
        assert option in script


def test_completion_in_bash(capsys, tmp_path):
    pytest.importorskip("shtab", reason="shtab is in the extra 'completion'")
    if shutil.which("bash") is None:
        pytest.skip("bash is needed to try the script")
    cli.main(["completion", "bash"])
    (tmp_path / "script").write_text(capsys.readouterr().out)
    (tmp_path / "gold.conll").touch()

    def completed(*words):
        listed = " ".join(map(shlex.quote, ("cleancut", *words)))
        code = (
            f"source ./script; COMP_WORDS=({listed}); COMP_CWORD={len(words)}; COMP_LINE='{listed}'; "
            f"COMP_POINT=${{#COMP_LINE}}; $(complete -p cleancut | sed 's/.*-F \\([^ ]*\\).*/\\1/') cleancut; "
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True)
        return done.stdout.split()

    assert completed("sc") == ["score"]
    assert completed("score", "--by") == ["--by-type"]
    assert completed("audit", "--unit", "d") == ["doc"]
    assert completed("score", "--gold", "go") == ["gold.conll"]


def test_without_shtab_completion_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "shtab", None)
    assert cli.main(["completion", "zsh"]) == 2
    assert 'pip install "cleancut[completion]"' in capsys.readouterr().err


def test_the_version_alone_is_one_line(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["--version"])
    assert (stopped.value.code, capsys.readouterr().out) == (0, f"cleancut {cleancut.__version__}\n")


@pytest.mark.parametrize("given", [["--version", "--verbose"], ["--verbose", "--version"]])
def test_optional_parts_are_listed(capsys, monkeypatch, given):
    """Each with its version, or with what brings it, within a terminal of 80 columns."""

    def listed():
        with pytest.raises(SystemExit) as stopped:
            cli.main(given)
        first, empty, *lines = capsys.readouterr().out.splitlines()
        assert (stopped.value.code, first, empty) == (0, f"cleancut {cleancut.__version__}", "")
        assert max(map(len, lines)) <= 80 and len({line.index(part.adds) for line, part in zip(lines, PARTS)}) == 1
        return {line.split()[0]: line for line in lines}

    here = listed()
    assert list(here) == [part.name for part in PARTS]
    for name in ("numba", "matplotlib"):
        if importlib.util.find_spec(name):
            assert here[name].endswith(f"  present {metadata.version(name)}")
    monkeypatch.setenv("JAVA_HOME", "")
    monkeypatch.setenv("PATH", "")
    for part in PARTS:
        monkeypatch.setitem(sys.modules, part.name, None)
    absent = listed()
    assert [absent[part.name].partition("  absent: ")[2] for part in PARTS] == [part.remedy for part in PARTS]


def test_the_version_of_java_is_that_of_its_folder(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / ("java.exe" if os.name == "nt" else "java")
    program.touch(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    line = next(line for line in parts_text().splitlines() if line.startswith("java"))
    assert line.endswith("  present")
    (tmp_path / "release").write_text('IMPLEMENTOR="X"\nJAVA_VERSION="17.0.15"\n')
    line = next(line for line in parts_text().splitlines() if line.startswith("java"))
    assert line.endswith("  present 17.0.15")


def test_a_folder_of_the_name_of_a_part_is_not_the_part(tmp_path, monkeypatch):
    (tmp_path / "pyspork").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(parts, "PARTS", [parts.Part("pyspork", "nothing", "pip install pyspork")])
    assert parts.parts_text().endswith("absent: pip install pyspork")


def test_the_extras_that_are_named_bring_the_parts():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", "utf-8")
    for part in PARTS:
        extra = re.search(r"cleancut\[(\w+)\]", part.remedy)
        section = setup["options.extras_require"][extra[1]] if extra else setup["options"]["install_requires"]
        assert re.search(rf"^{part.name}\b", section, re.M) or part.name == "java"


@pytest.mark.slow
def test_parts_are_listed_without_importing_them():
    code = (
        "import sys\nfrom cleancut import cli\nfrom cleancut.cli.parts import PARTS\n"
        "try:\n    cli.main(['--version', '--verbose'])\nexcept SystemExit:\n    pass\n"
        "found = {part.name for part in PARTS} & set(sys.modules)\nassert not found, found\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_verbose_alone_is_refused(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["--verbose", "demo"])
    assert stopped.value.code == 2 and "--verbose has no effect without --version" in capsys.readouterr().err
