"""What differs between platforms, as far as it can be tried on one: encodings, line ends, paths, pipes, wheels."""

import configparser
import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from cleancut.app import jobs, sandbox
from cleancut.cli import terminal
from cleancut.core.exceptions import CleancutError
from cleancut.reading.hub_ids import is_local

ROOT = Path(__file__).resolve().parents[1]

# --- encodings and line ends --------------------------------------------------------------------------------

COMMANDS = [
    "score --gold test.conll --pred test.conll --train train.conll --json",
    "buckets --gold test.conll --pred test.conll --train train.conll --json",
    "compare --gold test.conll --pred test.conll --pred pred.conll --json --html compared.html",
    "report --gold test.conll --pred test.conll -o report.html",
    "audit . --json --html audit.html",
    "split train.conll test.conll -o split --effort fast --html split.html --json",
    "ladder --train train.conll --test test.conll -o ladder --levels 0,1 --json",
    "hardeval-folds --gold train.conll -k 2 -o folds --json",
    "subsets --train train.conll --test test.conll -o subsets",
    "convert test.conll converted.jsonl",
    "stage -o spaces exact_f1",
]
RUN = """
import sys, warnings
from cleancut import cli
warnings.filterwarnings("error", category=EncodingWarning, module=r"cleancut(\\.|$)")
for command in sys.argv[1:]:
    assert cli.main(command.split()) == 0, command
    sys.stdout.write("\\0")
"""


def ran(folder, commands, **environment):
    """What each command prints, as bytes."""
    program = [sys.executable, "-X", "warn_default_encoding", "-c", RUN, *commands]
    done = subprocess.run(program, cwd=folder, capture_output=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr.decode()
    return dict(zip(commands, done.stdout.split(b"\0"), strict=False))


@pytest.mark.slow
def test_the_encoding_of_the_platform_changes_nothing(tmp_path):
    """The same files where text is ASCII by default, and nothing is left to the default; JSON stays JSON."""
    found = {}
    for name, environment in {
        "utf-8": {"PYTHONUTF8": "1"},
        "ascii": {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"},
    }.items():
        folder = tmp_path / name / "data"  # pages are called after the folder
        folder.mkdir(parents=True)
        for split, n, tag in (("train", 12, "I-PER"), ("test", 6, "I-PER"), ("pred", 6, "O")):
            names = [f"Zoë{i} B-PER\n\U00010330 {tag}\nя O\n\n" for i in range(n)]
            (folder / f"{split}.conll").write_bytes("".join(names).encode())
        said = ran(folder, COMMANDS, **environment)
        assert list(said) == COMMANDS
        said = {command: json.loads(out) if "--json" in command else len(out) for command, out in said.items()}
        files = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        found[name] = said, files
    assert found["utf-8"] == found["ascii"]
    assert any("Zoë" in json.dumps(out, ensure_ascii=False) for out in found["ascii"][0].values())
    assert not any(b"\r" in data for data in found["ascii"][1].values())


def test_text_is_written_with_the_same_line_ends_everywhere():
    """Windows would write others, unless it is told not to."""
    for file in [*ROOT.glob("src/**/*.py"), *ROOT.glob("docs/*.py"), *ROOT.glob("benchmarks/*.py")]:
        for line in file.read_text("utf-8").splitlines():
            writes = re.search(r"\.write_text\(|open\([^)]*\"[wax]t?\"", line)
            assert not writes or "newline=" in line or "/proc/" in line, f"{file.name}: {line.strip()}"


# --- paths, links and pipes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "local"),
    [("C:/data/ner", True), ("c:\\data\\ner", True), ("data\\ner/v1", True), ("org/name", False), ("c/data", False)],
)
def test_paths_of_windows_are_no_ids(source, local):
    assert is_local(source) == local


def test_uploads_are_copied_where_links_are_refused(tmp_path, monkeypatch):
    def refused(*_):
        raise OSError("a required privilege is not held by the client")

    (tmp_path / "here").mkdir()
    (tmp_path / "gold.conll").write_bytes(b"Ada B-PER\n\n")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(os, "symlink", refused)
    assert str(jobs._source(tmp_path / "gold.conll", "gold annotation")) == "gold.conll"
    assert Path("gold.conll").read_bytes() == b"Ada B-PER\n\n" and not Path("gold.conll").is_symlink()


def shout(text, tell):
    tell(0.5)
    return text.upper()


def vanish(tell):
    os._exit(1)


@pytest.mark.slow
def test_bounded_work_where_processes_are_spawned(tmp_path, monkeypatch):
    """As on Windows, which has no forks."""
    monkeypatch.setattr(sandbox, "_METHOD", "spawn")
    sandbox.prepare(["cleancut"])
    assert sandbox.run_bounded(shout, "a", folder=str(tmp_path), seconds=60) == "A"
    with pytest.raises(CleancutError, match="failed unexpectedly"):
        sandbox.run_bounded(vanish, folder=str(tmp_path), seconds=60)


@pytest.mark.parametrize(
    ("error", "system", "gone"),
    [
        (BrokenPipeError(errno.EPIPE, "broken"), "posix", True),
        (OSError(errno.EINVAL, "invalid"), "nt", True),
        (OSError(errno.EINVAL, "invalid", "a?.conll"), "nt", False),
        (OSError(errno.EINVAL, "invalid"), "posix", False),
    ],
)
def test_a_reader_that_has_gone_is_no_error(error, system, gone):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "name", system)
        found = terminal._reader_has_gone(error)
    assert found == gone


# --- wheels -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "machine", "wanted"),
    [
        ("linux", "x86_64", {"numba>=0.59", "pymetis>=2025.2", "numpy>=1.26"}),
        ("linux", "aarch64", {"numba>=0.59", "numpy>=1.26"}),
        ("darwin", "arm64", {"numba>=0.59", "pymetis>=2025.2", "numpy>=1.26"}),
        ("darwin", "x86_64", {"numba<0.63,>=0.59", "pymetis>=2025.2", "numpy>=1.26"}),
        ("win32", "AMD64", {"numba>=0.59", "numpy>=2.0"}),
        ("win32", "ARM64", {"numpy>=2.0"}),
    ],
)
def test_only_what_has_a_wheel_is_asked_for(system, machine, wanted):
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", "utf-8")
    asked = [Requirement(line) for line in setup["options"]["install_requires"].strip().splitlines() if line[0] != "#"]
    here = {"sys_platform": system, "platform_machine": machine, "python_version": "3.12"}
    chosen = {f"{one.name}{one.specifier}" for one in asked if not one.marker or one.marker.evaluate(here)}
    assert {each for each in chosen if each.startswith(("numba", "pymetis", "numpy"))} == wanted
