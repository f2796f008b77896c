"""A Hub at which anything may go wrong at any request: nothing is lost, and nothing half-published is seen.

A second run completes to what the first would have made.

Each way to the Hub is run once without a fault, which tells its requests and its end. Then a fault is put at each
request in turn; a sample of them in the fast lane.
"""

import copy
import os
import random
import signal

import pytest
from hub import HOW, TOKEN, Hub
from programs import CAN_FORK, Programs

import cleancut as cc
from cleancut import Corpus

pytest.importorskip("datasets")
pytestmark = [
    pytest.mark.skipif(not CAN_FORK, reason="each program would import the clients anew"),
    pytest.mark.usefixtures("few_moves"),
]

STATUSES = (401, 403, 404, 409, 412, 429, 500, 503)
FAULTS = (*HOW, *STATUSES)
WORDS = [[f"Name{i % 9}", "spoke", f"n{i}"] for i in range(40)]
TAGS = [["B-PER", "O", "O"]] * 40
OLD = "---\nconfigs:\n- config_name: old\n  data_files:\n  - split: train\n    path: old/train.parquet\n---\n# Mine\n"

RUN = """
import os, sys
with open("pid", "w") as stream:
    stream.write(str(os.getpid()))
from cleancut.hub import requests
requests.WAIT = float(os.environ["SECONDS_TO_WAIT"])
from cleancut.__main__ import main
sys.exit(main())
"""

IMPORTS = [
    "cleancut.cli", "cleancut.hub.publishing", "cleancut.hub.spaces", "cleancut.hub.indices", "datasets.io.parquet",
    "huggingface_hub.hf_api", "huggingface_hub.hf_file_system", "huggingface_hub.repocard", "numba", "pandas",
]  # fmt: skip
"""What the commands import when they need it."""
WAYS = {
    "publish": "publish plan/plan.json --to org/data --config c --also clean-test --push",
    "pull request": "publish plan/plan.json --to org/data --config c --pr --push",
    "indices": "publish indices/plan.json --to org/indices --config c --indices-only --push",
    "metrics": "publish-metrics exact_f1 --to org --push",
    "app": "publish-app --to org/app --push",
    "materialise": "materialise org/rows --config c -o rows",
}


@pytest.fixture(scope="module")
def hub():
    with Hub() as server:
        yield server


@pytest.fixture(scope="module")
def home(tmp_path_factory, hub):
    """A folder with a plan of files, one of a dataset of the Hub, and a Hub with that dataset and others."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("faults")
    corpus = Corpus.of(WORDS, tags=TAGS)
    cc.mincut(corpus, "80/20", effort="fast", min_per_type=0).write(folder / "plan", corpus)
    pq.write_table(pa.table({"tokens": WORDS, "ner_tags": TAGS}), folder / "rows.parquet")
    hub.put("dataset", "org/source", {"data/train-0.parquet": (folder / "rows.parquet").read_bytes()})
    hub.put("dataset", "org/data", {"README.md": OLD, "old/train.parquet": (folder / "rows.parquet").read_bytes()})
    for name in ("data", "indices", "rows"):
        hub.put("dataset", f"org/{name}", {"notes.md": "mine\n"})
    return folder


@pytest.fixture(scope="module")
def run(hub, home, tmp_path_factory):
    """Run a command with a new home, in which no token may be left."""
    folder = tmp_path_factory.mktemp("programs")
    number = 0

    def run(command, wait=60):
        nonlocal number
        number += 1
        own = folder / f"home-{number}"
        (own / "tmp").mkdir(parents=True)
        environment = {**hub.environment(own), "TMPDIR": str(own / "tmp"), "SECONDS_TO_WAIT": str(wait)}
        done = programs.run("-c", RUN, *command.split(), cwd=home, environment=environment)
        assert TOKEN not in done.stdout + done.stderr
        for place in (own, home):
            for path in place.rglob("*"):
                assert not path.is_file() or path.is_symlink() or TOKEN.encode() not in path.read_bytes(), path
        return done

    hub.kill = lambda: os.kill(int((home / "pid").read_text()), signal.SIGKILL)
    hub.stall = 1.5
    with Programs(folder, hub.environment(folder), IMPORTS) as programs:
        command = "split org/source -o indices --effort fast --min-per-type 0 --ratios 80/20"
        assert run(command).returncode == 0
        done = run(WAYS["indices"].replace("org/indices", "org/rows"))
        assert done.returncode == 0, done.stderr
        yield run


class Way:
    """A command and what it does to the Hub: where it begins, its requests, and where it ends."""

    def __init__(self, hub, home, run, command):
        self.hub, self.home, self.run, self.command = hub, home, run, command
        self.before = self.state()
        hub.requests.clear()
        done = run(command)
        assert done.returncode == 0, done.stderr
        self.requests = list(hub.requests)
        self.end, self.written = self.seen(), self.files()
        self.steps = {name: list(repo.commits.values()) for name, repo in hub.repos.items()}
        self.back()

    def state(self):
        return copy.deepcopy(self.hub.repos), dict(self.hub.large)

    def back(self):
        """Have the Hub and the folder as they were."""
        self.hub.faults.clear()
        repos, large = self.before
        with self.hub.lock:
            self.hub.repos.clear()
            self.hub.repos.update(copy.deepcopy(repos))
            self.hub.large.clear()
            self.hub.large.update(large)
        for path in sorted((self.home / "rows").rglob("*"), reverse=True):
            path.unlink()

    def seen(self):
        """What a visitor finds: the files of each branch and of each tag. Commits have another name each time."""
        found = {}
        for name, repo in self.hub.repos.items():
            branches = {branch: repo.commits[oid] for branch, oid in repo.heads.items()}
            found[name] = branches, {tag: repo.commits[oid] for tag, oid in repo.tags.items()}
        return found

    def files(self):
        folder = self.home / "rows"
        return {path.name: path.read_bytes() for path in folder.rglob("*")} if folder.exists() else {}


def check_end(done, fault):
    """However it ends, it is said in one line."""
    assert "Traceback" not in done.stderr, done.stderr
    if fault == "kill" and done.returncode == -signal.SIGKILL:
        return
    assert done.returncode in (0, 2), (done.returncode, done.stderr)
    assert done.returncode == 0 or (done.stderr.startswith("cleancut: ") and done.stderr.count("\n") == 1), done.stderr


def check_left(way):
    """What is seen is what was there, or what one of the commits of a good run shows: no half of one."""
    for name, (branches, tags) in way.seen().items():
        for reference, files in {**branches, **tags}.items():
            assert files in way.steps[name], f"{name} at {reference}: {sorted(files)} is half of something"
    assert set(way.files()) in (set(), set(way.written)), "half of the rows are there"


def try_fault(way, hub, at, fault):
    way.back()
    once = fault in ("kill", "stall", "lost", "truncated")
    headers = {"Retry_After": "0"} if fault == 429 else {}
    hub.fail("", fault, after=at, times=1 if once else float("inf"), **headers)
    done = way.run(way.command, wait=0.5 if fault == "stall" else 60)
    check_end(done, fault)
    check_left(way)
    hub.faults.clear()
    again = way.run(way.command)
    assert again.returncode == 0, again.stderr
    assert way.seen() == way.end and way.files() == way.written, "a second run ends elsewhere"


@pytest.fixture(scope="module")
def ways(hub, home, run):
    made = {}

    def of(name):
        if name not in made:
            made[name] = Way(hub, home, run, WAYS[name])
        return made[name]

    return of


FAST = {"publish": 3, "metrics": 1, "materialise": 2}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAST)
def test_some_faults(ways, hub, name):
    way, rng = ways(name), random.Random(name)
    chosen = rng.sample([fault for fault in FAULTS if fault != "stall"], FAST[name] - 1)
    for fault in ("html", *chosen):
        try_fault(way, hub, rng.randrange(len(way.requests)), fault)


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", WAYS)
def test_every_fault_at_every_request(ways, hub, name, fault):
    way = ways(name)
    for at in range(len(way.requests)):
        try_fault(way, hub, at, fault)


TARGETS = {"publish": ("dataset", "org/data"), "metrics": ("space", "org/exact_f1"), "app": ("space", "org/app")}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["publish", "metrics", "app"])
def test_of_two_publishers_one_wins_and_the_other_is_told(ways, hub, name):
    """When the one asks to commit, the other has done so: what it commits on is no longer the last one."""
    way, target = ways(name), TARGETS[name]
    way.back()
    hub.fail("POST .*/commit/", lambda: hub.put(*target, {"theirs.md": "theirs\n"}), times=1)
    done = way.run(way.command)
    assert done.returncode == 2 and "someone else has changed it in between" in done.stderr, done.stderr
    before = way.before[0].get(target)
    kept = before.commits[before.heads["main"]] if before else {".gitattributes": b"*.parquet filter=lfs\n"}
    assert hub.files(*target) == {**kept, "theirs.md": b"theirs\n"}
    again = way.run(way.command)
    assert again.returncode == 0, again.stderr
    assert hub.files(*target) == {**way.end[target][0]["main"], "theirs.md": b"theirs\n"}


def test_what_a_fault_says(ways, hub):
    """A page in the place of an answer is not a dataset that does not exist, nor an error of ours."""
    way = ways("publish")
    for fault, said in (("html", "Is there a proxy or a login page in between?"), (403, "you may not do that")):
        way.back()
        hub.fail("POST .*/commit/", fault)
        done = way.run(way.command)
        assert done.returncode == 2 and said in done.stderr and "Run the same command again" in done.stderr, done.stderr
