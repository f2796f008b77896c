"""The command line explains itself: help and an example for everything, the nearest right name, completion."""

import argparse
import shlex
import shutil
import subprocess

import pytest

from cleancut import CleancutError, cli, exact_f1

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
