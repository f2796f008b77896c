"""An interruption at any moment ends a command quietly: its exit code, one line, and nothing half-written.

The moment is a share of the processor time that the command takes, so that a busy machine changes nothing.
"""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading

import pytest
from programs import Programs

import cleancut as cc
from cleancut import Corpus
from cleancut.core.files import made_folder, replacing, temporary_folder
from cleancut.core.interrupts import uninterrupted

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no clock of processor time here")

NAMES = ("Ada", "Bo", "Cy", "Di", "Eve", "Flo")
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
SAID = {signal.SIGINT: "cleancut: interrupted\n", signal.SIGTERM: "cleancut: terminated\n"}

RUN = """
import os, signal, sys, time
from cleancut import __main__
after, number = float(sys.argv[1]), int(sys.argv[2])
sys.argv[1:3] = []
began = time.process_time()
signal.signal(signal.SIGVTALRM, lambda *_: os.kill(os.getpid(), number))
if after:
    signal.setitimer(signal.ITIMER_VIRTUAL, after)
code = __main__.main()
signal.setitimer(signal.ITIMER_VIRTUAL, 0)
open("took", "w").write(str(time.process_time() - began))
sys.exit(code)
"""


HEARD = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""Whoever started the tests may have it ignored."""


def conll(n, tag):
    return "".join(f"{NAMES[i % 6]}{i % 20} {tag if i % 3 else 'B-PER'}\nspoke O\n\n" for i in range(n))


COMMANDS = {
    "split": "split gold.conll -o out --effort fast --html page.html",
    "split in a time": "split gold.conll -o out --effort 0.3s --same fold --html page.html",
    "split into folds": "split gold.conll -o out --effort fast --folds 3",
    "split of parquet": "split rows.parquet -o out --effort fast",
    "split by incidences": "split --incidence inc.parquet -o out --effort fast",
    "frontier": "split gold.conll -o out --effort fast --frontier",
    "incidence": "incidence gold.conll -o out.parquet",
    "convert": "convert gold.conll out.jsonl.gz",
    "ladder": "ladder --train gold.conll --test test.conll -o out --levels 0:100:50",
    "folds": "hardeval-folds --gold gold.conll -k 3 -o out",
    "subsets": "subsets --train train.conll --test gold.conll -o out",
    "report": "report --gold gold.conll --pred pred.conll --ci 100 -o page.html --format md",
    "audit": "audit --train train.conll --test gold.conll --html page.html",
    "compare": "compare --gold gold.conll --pred pred.conll --pred train.conll --ci 100 --html page.html",
    "stage": "stage exact_f1 -o out",
}
PUBLISH = "publish plan/plan.json --to org/name --config c --push"
INPUTS = ("gold.conll", "pred.conll", "train.conll", "test.conll", "inc.parquet", "rows.parquet", "plan", "tmp", "took")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with all that the commands read."""
    folder = tmp_path_factory.mktemp("interrupts")
    for name, n, tag in (("gold", 300, "B-PER"), ("pred", 300, "O"), ("train", 300, "B-LOC"), ("test", 9, "B-PER")):
        (folder / f"{name}.conll").write_text(conll(n, tag))
    corpus = Corpus.of([[f"{NAMES[i % 6]}{i % 20}", "spoke"] for i in range(300)], tags=[["B-PER", "O"]] * 300)
    cc.write_incidence(corpus, folder / "inc.parquet")
    cc.mincut(corpus, effort="fast").write(folder / "plan", corpus)
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"tokens": corpus.tokens(), "tags": [["B-PER", "O"]] * 300}), folder / "rows.parquet")
    (folder / "tmp").mkdir()
    return folder


WARM = """
import contextlib, os
from cleancut import cli

os.chdir({home!r})
os.environ["TMPDIR"] = {home!r} + "/tmp"
with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
    for command in {commands!r}:
        cli.main(command.split())
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory, home):
    """Run programs in which all that is slow the first time has been done once."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "warm.py").write_text(WARM.format(home=str(home), commands=[*COMMANDS.values()]))
    path = {"PYTHONPATH": str(folder)}

    def run(*words, cwd, environment):
        return programs.run(*words, cwd=cwd, environment={**environment, **path})

    with Programs(folder, {**os.environ, **path}, ["warm"]) as programs:
        yield run


def there(folder):
    """What lies there by name, apart from what was there before any command; folders as such."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.partition("/")[0] not in INPUTS or name.startswith("tmp/"):
            found[name] = path.read_bytes() if path.is_file() else None
    return found


def outputs(files):
    """The files of each output: a folder that is written as a whole is one."""
    found = {}
    for name, data in files.items():
        found.setdefault(name.partition("/")[0], {})[name] = data
    return found


STOPPED = b"The search was stopped before its end"


def is_whole_of_another_search(name, files, needs=STOPPED):
    """Whether a folder has the files of its plan or manifest, to the last byte, or a page ends; and it says so."""
    if files.get(name) is not None:
        return needs in files[name] and files[name].endswith(b"</html>\n")
    records = {f"{name}/plan.json", f"{name}/manifest.json"} & files.keys()
    if len(records) != 1:
        return False
    (record,) = records
    listed = json.loads(files[record])["files"]
    if record.endswith("plan.json"):
        listed = {file["name"]: file["sha256"] for file in listed.values()}
    others = {file: data for file, data in files.items() if file not in (name, record)}
    digests = {file.removeprefix(f"{name}/"): hashlib.sha256(data).hexdigest() for file, data in others.items()}
    return needs in files[record] and listed == digests


@pytest.fixture
def plan_and_page(home, tmp_path):
    """The files of a split and of its page, as of a search that was stopped."""
    plan = json.loads((home / "plan" / "plan.json").read_bytes())
    plan["notes"] = [f"{STOPPED.decode()}."]
    files = {f"out/{file.name}": file.read_bytes() for file in (home / "plan").iterdir()}
    return {"out": None, **files, "out/plan.json": json.dumps(plan).encode()}, b"<p>" + STOPPED + b"</p></html>\n"


def test_half_of_another_search_is_told_from_the_whole(plan_and_page):
    files, page = plan_and_page
    assert is_whole_of_another_search("out", files) and is_whole_of_another_search("page.html", {"page.html": page})
    for name in files.keys() - {"out", "out/plan.json"}:
        without = {other: data for other, data in files.items() if other != name}
        for half in (without, files | {name: files[name][:-1]}, files | {f"{name}.x": b""}):
            assert not is_whole_of_another_search("out", half)
    for half in (page[:-1], page.replace(STOPPED, b""), b""):
        assert not is_whole_of_another_search("page.html", {"page.html": half})


def clear(folder):
    for path in sorted(folder.rglob("*"), reverse=True):
        name = str(path.relative_to(folder))
        if name.partition("/")[0] not in INPUTS or name.startswith("tmp/"):
            path.rmdir() if path.is_dir() else path.unlink()


def interrupt(run, folder, command, n):
    """Interrupt a command at ``n`` moments, where its outputs are not there and where others are; look at each end."""
    environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
    clear(folder)

    def ended(after, number):
        return run("-c", HEARD + RUN, after, int(number), *command.split(), cwd=folder, environment=environment)

    done = ended(0, signal.SIGINT)
    assert done.returncode in (0, 2) and "Traceback" not in done.stderr, done.stderr
    complete, printed = outputs(there(folder)), done.stdout
    took = float((folder / "took").read_text())
    code_of_fresh = done.returncode
    code_of_again = ended(0, signal.SIGINT).returncode  # some commands refuse to write over what is there
    if "--effort 0." in command:  # whose search comes to another end each time, and may be stopped as well
        printed = None
    rng = random.Random(command)
    for i in range(n):
        number = rng.choice(list(CODES))
        if i % 2:
            clear(folder)
        before = outputs(there(folder))
        done = ended(max(took * rng.random(), 1e-4), number)
        assert "Traceback" not in done.stderr and "Error" not in done.stderr, done.stderr
        if done.returncode == CODES[number]:
            assert done.stderr.endswith(SAID[number])
        else:
            assert done.returncode == code_of_fresh or (before and done.returncode == code_of_again), done
        left = outputs(there(folder))
        fresh = set()
        for name, files in left.items():
            ends = [files == complete.get(name)]
            if printed is None:
                ends.append(is_whole_of_another_search(name, files, b""))
            elif number == signal.SIGINT and done.returncode == 0:  # it may stop the search alone, which is told
                ends.append(is_whole_of_another_search(name, files))
            if any(ends):
                fresh.add(name)
            else:
                assert files == before.get(name), f"{name} is half-written: {list(files)}"
        is_done = fresh >= complete.keys()
        if done.returncode == 0:
            assert is_done, f"{complete.keys() - fresh} are not written, and nobody was told"
        elif done.stdout:  # a signal may come when all is written, while it is printed or before the program has ended
            assert is_done and (printed is None or printed.startswith(done.stdout)), done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_interrupted_leaves_nothing_half_written(run, home, command):
    interrupt(run, home, COMMANDS[command], 3)


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("command", COMMANDS)
def test_the_same_at_fifty_moments(run, home, command):
    interrupt(run, home, COMMANDS[command], 50)


@pytest.mark.slow
@pytest.mark.parametrize("command", [COMMANDS["split"], PUBLISH])
@pytest.mark.parametrize("n", [3, pytest.param(12, marks=pytest.mark.exhaustive)])
def test_the_same_while_a_new_interpreter_imports_what_it_needs(home, command, n):
    def anew(*words, cwd, environment):
        command = [sys.executable, *map(str, words)]
        return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)

    interrupt(anew, home, command, n)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, pytest.param(50, marks=pytest.mark.exhaustive)])
def test_a_demo_that_is_interrupted_leaves_whole_folders(run, home, n):
    interrupt(run, home, "demo -o out", n)


# --- its parts --------------------------------------------------------------------------------------------------------


@pytest.fixture
def heeded():
    """Ctrl-C is heeded, also where the tests run in the background of a shell, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_what_must_be_done_as_a_whole_is_done_before_a_signal_takes_effect():
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        signal.raise_signal(signal.SIGINT)
        done.append("all of it")
    assert done == ["all of it"]
    handler = signal.getsignal(signal.SIGINT)
    with uninterrupted():
        pass
    assert signal.getsignal(signal.SIGINT) is handler


def test_it_is_no_matter_for_other_threads(tmp_path):
    def work():
        with uninterrupted(), replacing(tmp_path / "x") as stream:
            stream.write(b"x")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert (tmp_path / "x").read_bytes() == b"x"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_nothing_is_left_behind_an_error(tmp_path, error):
    (tmp_path / "x").write_text("before")
    with pytest.raises(error), made_folder(tmp_path / "a" / "b"), temporary_folder(tmp_path, ".t-") as folder:
        with open(os.path.join(folder, "y"), "w") as stream:
            stream.write("y")
        with replacing(tmp_path / "x") as stream:
            stream.write(b"half")
            raise error
    assert [path.name for path in tmp_path.rglob("*")] == ["x"] and (tmp_path / "x").read_text() == "before"


def test_a_signal_that_is_ignored_stays_ignored(home, tmp_path):
    """As ``nohup``, and shells that start a program in the background, have it."""
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + RUN
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    words = [sys.executable, "-c", code, "0.01", str(int(signal.SIGINT)), "--version"]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.startswith("cleancut ") and json.dumps(done.stderr) == '""'
