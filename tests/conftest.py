"""Where the tests find the shared corpora, and a Hub cache of their own."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

# read at import by the clients: set before anything imports them
_HOME = tempfile.mkdtemp(prefix="cleancut-tests-")
os.environ.update(HF_HOME=_HOME, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
os.environ.update(HF_EVALUATE_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


def _shared(path: Path) -> Path:
    if path.exists():
        return path
    if os.environ.get("CLEANCUT_REQUIRE_SHARED"):
        pytest.fail(f"{path} is required here")
    pytest.skip(f"needs the shared corpora ({path.name}), which are not part of the project")


@pytest.fixture(scope="session")
def corpora() -> Path:
    return _shared(SHARED / "corpora")


@pytest.fixture(scope="session")
def golden() -> dict:
    return json.loads(_shared(SHARED / "golden" / "golden.json").read_text())


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory) -> tuple[Path, str]:
    """The folder that ``cleancut demo`` leaves, to be read only, and what it says."""
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "cleancut", "demo"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""  # a progress bar is for terminals
    return folder / "cleancut-demo", done.stdout
