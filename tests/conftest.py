"""What all tests share: needs and how they are skipped, Hypothesis's profiles, the shared corpora, one demo folder."""

import base64
import contextlib
import gc
import hashlib
import io
import json
import locale
import logging
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from needs import NEEDS, SHARED, browser_path, required
from searching import few_moves
from serving import served
from visitors import Windows, visitors_of

# read at import by the clients: set before anything imports them
_HOME = tempfile.mkdtemp(prefix="cleancut-tests-")
os.environ.update(HF_HOME=_HOME, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
os.environ.update(HF_EVALUATE_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

from cleancut import cli, read  # noqa: E402

# No deadline in any of them: a busy machine is no failure. A failing example is printed with the line that repeats it.
# CI tries the same examples each time; elsewhere others are drawn each time, so that fewer do.
settings.register_profile("random", deadline=None, print_blob=True, max_examples=settings().max_examples // 2)
settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
settings.register_profile("quick", deadline=None, print_blob=True, max_examples=settings().max_examples // 10)
settings.register_profile("long", deadline=None, print_blob=True, max_examples=20 * settings().max_examples)
settings.load_profile("ci" if os.environ.get("CI") else "random")

if "utf" not in locale.getpreferredencoding(False).lower():
    pytest.exit("the tests write their files as UTF-8. Set PYTHONUTF8=1.", 4)


def pytest_configure(config):
    """Workers begin with the longest files; the fast lane tries fewer examples of each law, unless told otherwise."""
    config.option.loadscopereorder = False
    if config.option.markexpr == "not slow" and not config.getoption("--hypothesis-profile"):
        settings.load_profile("quick")


# --- what tests need ----------------------------------------------------------------------------------------


LONGEST = [
    "published_splits",
    "hub",
    "docs",
    "splitting",
    "reference",
    "frontier",
    "files",
    "compiling",
    "app",
    "app_promises",
    "app_access",
]
"""Files that take longest, by their names. Workers that begin with them end together."""


@pytest.hookimpl(tryfirst=True)  # before -m chooses by marker
def pytest_collection_modifyitems(config, items):
    if config.option.markexpr not in ("slow", "exhaustive"):
        chosen = [item for item in items if item.get_closest_marker("exhaustive") is None]
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("exhaustive")])
        items[:] = chosen
    places = {f"test_{name}": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(LONGEST)))
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        for name, need in NEEDS.items():
            if fixtures.intersection(need.fixtures):
                item.add_marker(name)
            if need.is_slow and item.get_closest_marker(name):
                item.add_marker("slow")


def pytest_collection_finish():
    """What is imported and collected stays until the end: no later search for garbage looks through it again."""
    gc.freeze()


def pytest_runtest_setup(item):
    for name, need in NEEDS.items():
        if item.get_closest_marker(name) is None or need.is_met():
            continue
        if name in required():
            pytest.fail(f"needs {need.what}, which is required here ({need.remedy})", pytrace=False)
        pytest.skip(f"needs {need.what}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Where needs are required, a test that is skipped for no need has failed."""
    report = yield
    if report.skipped and required() and not any(item.get_closest_marker(name) for name in NEEDS):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome, report.longrepr = "failed", f"{item.nodeid} must not be skipped here: {reason}"
    return report


def pytest_terminal_summary(terminalreporter):
    """How many tests were skipped for which need, and how to run them."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = [report.longrepr[-1] for report in skipped if isinstance(report.longrepr, tuple)]
    lines = []
    for need in NEEDS.values():
        n_skipped = sum(reason.endswith(f"needs {need.what}") for reason in reasons)
        if n_skipped:
            lines.append(f"{n_skipped} need {need.what}. To run them: {need.remedy}.")
    if lines:
        terminalreporter.section("skipped tests, and how to run them")
        terminalreporter.write_line("\n".join(lines))


# --- fixtures -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="session", autouse=True)
def one_parser():
    """The parser of the commands is made once, not for each of the hundreds of commands that tests run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "parser", cache(cli.parser))
        yield


class Heard(logging.Handler):
    """What was logged while a test ran."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        record.message = record.getMessage()
        self.records.append(record)

    @property
    def messages(self) -> list[str]:
        return [record.message for record in self.records]

    @property
    def text(self) -> str:
        return "\n".join(f"{record.levelname} {record.name}: {record.message}" for record in self.records)

    def clear(self) -> None:
        self.records.clear()


@pytest.fixture
def caplog():
    """What the test logs: the records, messages and text that pytest's own fixture has.

    pytest's plugin for it is off (``-p no:logging``): before and after each test it asks each of the hundreds of
    loggers that other libraries make, which takes longer than most tests.
    """
    heard = Heard()
    logging.getLogger().addHandler(heard)
    yield heard
    logging.getLogger().removeHandler(heard)


@pytest.fixture(scope="module", name="few_moves")
def few_moves_in_a_file():
    """For a file with tests of what holds of every split, good or bad: a search makes a tenth of the moves."""
    with few_moves():
        yield


@pytest.fixture(scope="session")
def corpora() -> Path:
    return SHARED / "corpora"


@pytest.fixture(scope="session")
def golden() -> dict:
    return json.loads((SHARED / "golden" / "golden.json").read_text("utf-8"))


@pytest.fixture(scope="session")
def reader(corpora):
    """Reads a file of the shared corpora, such as ``wnut17/test``, once for all tests."""
    return cache(lambda name: read(corpora / f"{name}.jsonl"))


@pytest.fixture(scope="module")
def browser():
    """A browser without a window.

    It is for the tests of one file, since none of the others can run a loop of asyncio while it is open.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        yield opened
        opened.close()


AXE = "4.14.0"
AXE_INTEGRITY = "9WTZxEjsZ7b13TH8JPmbV2z8CHbl80/2hm3XPEG4JgNdQLK81IBRXmSxHfMAOkSqQeRxT/0dwNDz2GOm3zzpcQ=="
"""The SHA-512 of what npm packs, as its registry states it."""


@pytest.fixture(scope="session")
def axe(tmp_path_factory) -> str:
    """The script of axe-core, which finds what keeps people from using a page; npm fetches it."""
    folder = tmp_path_factory.mktemp("axe")
    command = [shutil.which("npm"), "pack", "--silent", f"axe-core@{AXE}"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    packed = folder / f"axe-core-{AXE}.tgz"
    assert base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode() == AXE_INTEGRITY
    with tarfile.open(packed) as held:
        return held.extractfile("package/axe.min.js").read().decode()


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory) -> tuple[Path, str]:
    """The folder that ``cleancut demo`` leaves, to be read only, and what it says."""
    folder, out, err = tmp_path_factory.mktemp("demo"), io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert cli.main(["demo"]) == 0
    assert err.getvalue() == ""  # a progress bar is for terminals
    return folder / "cleancut-demo", out.getvalue()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The app as ``cleancut app`` serves it, for all tests: its address, the folder of its files, and its process.

    The browser that it opens is a script, which writes the address into a file.
    """
    folder = tmp_path_factory.mktemp("served")
    script = folder / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" > {folder / "opened.txt"}\n')
    script.chmod(0o755)
    with served([sys.executable, "-m", "cleancut", "app"], folder, BROWSER=f"{script} %s") as serving:
        yield serving


@pytest.fixture(scope="module")
def windows(browser):
    """Windows of the browser, which visitors share."""
    return Windows(browser)


@pytest.fixture
def visit(server, windows):
    """Opens the app in a browser, for one visitor after the other; none of their pages asks other hosts, or fails."""
    with visitors_of(windows, server.url) as came:
        yield came
