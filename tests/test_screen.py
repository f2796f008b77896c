"""Tables fit the terminal that they are shown on, and keep their width in files and pipes."""

import os
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cleancut
from cleancut.showing.exhibit import Exhibit, Measured
from cleancut.showing.screen import PLAIN, Screen
from cleancut.showing.text import exhibit_text, scores_text

NAMES = st.text("abc de", min_size=1, max_size=14).map(str.strip).filter(bool)
CELLS = st.one_of(st.integers(0, 10**9), st.floats(0, 1), NAMES)


@st.composite
def exhibits(draw):
    titles = draw(st.lists(NAMES, min_size=1, max_size=9))
    row = st.tuples(NAMES, st.lists(CELLS, min_size=len(titles), max_size=len(titles)))
    rows = draw(st.lists(row, min_size=1, max_size=4))
    return Exhibit("table", "Title", ["name", *titles], rows, strong=draw(st.integers(-1, len(titles))))


@given(exhibits(), st.integers(40, 200), st.booleans())
def test_a_table_fits_its_terminal_and_loses_nothing(exhibit, width, colour):
    text = re.sub("\x1b\\[[01]m", "", exhibit_text(exhibit, screen=Screen(colour, width)))
    assert max(map(len, text.splitlines())) <= width
    in_one_piece = exhibit_text(exhibit)
    assert sorted(set(re.findall(r"[^\s-]+", in_one_piece))) == sorted(set(re.findall(r"[^\s-]+", text)))
    if max(map(len, in_one_piece.splitlines())) <= width:
        assert [line.rstrip() for line in text.splitlines()] == in_one_piece.splitlines()


def test_long_titles_take_several_lines_before_columns_follow_below():
    exhibit = Exhibit("table", "Title", ["system", "F1", "clean F1", "look-up F1"], [("a", [0.5, 0.25, 0.125])])
    assert exhibit_text(exhibit, screen=Screen(width=31)).splitlines()[1:] == [
        "               clean  look-up",
        "system     F1     F1       F1",
        "------  -----  -----  -------",
        "a       50.00  25.00    12.50",
    ]
    assert exhibit_text(exhibit, screen=Screen(width=24)).splitlines()[1:] == [
        "               clean",
        "system     F1     F1",
        "------  -----  -----",
        "a       50.00  25.00",
        "",
        "        look-up",
        "system       F1",
        "------  -------",
        "a         12.50",
    ]


def test_titles_are_divided_at_slashes_and_before_percent_signs_too():
    exhibit = Exhibit("table", "Title", ["", "entities/sample", "mention%", "%"], [("a", ["1.0", 0.25, 0.125])])
    assert exhibit_text(exhibit, screen=Screen(width=31)).splitlines()[1:4] == [
        "   entities/  mention",
        "      sample        %      %",
        "-  ---------  -------  -----",
    ]


def test_a_column_without_a_title_stays_beside_the_one_before_it():
    header = ["system", "F1", "", "clean F1", ""]
    exhibit = Exhibit("table", "Title", header, [("a", [0.5, "+1.00*", 0.25, "+2.00*"])])
    first, second = exhibit_text(exhibit, screen=Screen(width=30)).split("\n\n")
    assert "50.00  +1.00*" in first and "25.00  +2.00*" in second


def test_intervals_stand_behind_their_values_where_the_terminal_is_wide_enough():
    row = [Measured(0.5, 0.4, 0.6)] * 4
    exhibit = Exhibit("table", "Title (%)", ["system", *"abcd"], [("a", row)])
    wide = exhibit_text(exhibit, screen=Screen(width=100))
    assert "Title, with 95% intervals (%)" in wide and "50.00 (40.0, 60.0)" in wide
    assert exhibit_text(exhibit) == exhibit_text(exhibit, screen=Screen(width=80))
    assert "40.00 - 60.00" in exhibit_text(exhibit)


def scores(beta=1.0):
    train, gold = (cleancut.Corpus.of([["Ada", "ran"]], tags=[["B-PER", "O"]]) for _ in range(2))
    shown = cleancut.Exposure.of(train)
    return {"a": {"clean_f1": cleancut.clean_f1(gold, gold, shown, beta=beta)}}


def test_delta_f1_is_explained_once_and_on_a_terminal_only():
    assert "delta F1 is F1 minus clean F1" not in scores_text(scores(), screen=PLAIN)
    assert scores_text(scores(), screen=Screen(width=80)).count("delta F1 is F1 minus clean F1") == 1
    assert "delta F2 is F2 minus clean F2" in scores_text(scores(2.0), screen=Screen(width=80))


COMMANDS = [
    "score --gold test.conll --pred perceptron.conll lookup.conll --train train.conll --ci 20 --muc",
    "compare --gold test.conll --pred perceptron.conll lookup.conll --train train.conll --ci 20",
    "compare --gold test.conll --pred perceptron.conll lookup.conll third=test.conll --train train.conll --ci 20",
    "buckets --gold test.conll --pred perceptron.conll --train train.conll",
    "audit .",
]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a pseudo-terminal is for Linux and macOS")
@pytest.mark.parametrize("width", [80, 120, 200])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command.split()[:2]))
def test_what_commands_print_fits_the_terminal(command, width, demo_run):
    """All but signatures, which are to be copied as they are."""
    lines = on_terminal(command, width, demo_run[0])
    wide = [line for line in lines if len(line) > width and not re.match(r"\w+\|", line)]
    assert lines and wide == []


def on_terminal(command, width, folder):
    """The lines that a command prints on a terminal of a width; its messages on standard error apart."""
    import fcntl
    import pty
    import struct
    import subprocess
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"TERM": "dumb"}
    arguments = [sys.executable, "-m", "cleancut", *command.split()]
    settings = {"cwd": folder, "env": environment, "stdout": theirs, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(arguments, **settings) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                part = b""
            if not part:
                break
            text += part
        os.close(ours)
    assert process.returncode == 0
    return text.decode().replace("\r", "").splitlines()
