"""What tests run in a process that was forked is what a new interpreter would run."""

import os
import subprocess
import sys

import pytest
from programs import CAN_FORK, HOME, Programs

SEEN = """
import json, os, sys, tempfile
print(json.dumps([sys.argv, os.getcwd(), sys.path[0], os.environ.get("MINE"), tempfile.gettempdir(), __name__]))
print(sys.stdin.read(), file=sys.stderr)
"""
CASES = {
    "code": ["-c", SEEN, "a", "-b"], "a script": ["seen.py", "a"], "a module": ["-m", "seen", "-x"],
    "a status": ["-c", "raise SystemExit(3)"], "a message": ["-c", "raise SystemExit('no')"],
    "a signal": ["-c", "import os; os.kill(os.getpid(), 9)"],
}  # fmt: skip


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    with Programs(tmp_path_factory.mktemp("programs"), dict(os.environ), ["json"]) as programs:
        yield programs


@pytest.mark.parametrize("case", CASES)
def test_a_forked_program_does_what_a_new_one_does(programs, case, tmp_path):
    (tmp_path / "seen.py").write_text(SEEN)
    environment = {**os.environ, "MINE": case, "TMPDIR": str(tmp_path)}
    new = subprocess.run(
        [sys.executable, *CASES[case]], cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True,
    )  # fmt: skip
    done = programs.run(*CASES[case], cwd=tmp_path, environment=environment)
    assert (done.returncode, done.stdout, done.stderr) == (new.returncode, new.stdout, new.stderr)


def test_what_an_interpreter_reads_once_is_never_that_of_another_program(programs, tmp_path):
    code = "import os, sys; print(sys.flags.utf8_mode, os.environ.get('HF_ENDPOINT'), os.getppid())"
    for mode in ("0", "1"):
        environment = {**os.environ, "PYTHONUTF8": mode, "HF_ENDPOINT": "http://127.0.0.1:9"}
        done = programs.run("-c", code, cwd=tmp_path, environment=environment)
        assert done.stdout.split() == [mode, "http://127.0.0.1:9", str(os.getpid())]
    broken = programs.run("-c", "1 / 0", cwd=tmp_path, environment=dict(os.environ))
    assert broken.returncode == 1 and "ZeroDivisionError" in broken.stderr


@pytest.mark.skipif(not CAN_FORK, reason="nothing is forked here")
def test_each_program_has_a_home_of_its_own(programs, tmp_path):
    for name in ("one", "other"):
        environment = {**os.environ, HOME: str(tmp_path / name)}
        code = f"open({programs.home!r} + '/kept', 'x').write({name!r})"
        assert programs.run("-c", code, cwd=tmp_path, environment=environment).stderr == ""
        assert (tmp_path / name / "kept").read_text() == name
