"""Writes the stored answers anew, with which tests/test_reference.py compares.

    python tests/reference/freeze.py            # all of them
    python tests/reference/freeze.py -k nested  # as pytest chooses

Answers whose input or package is not here stay as they are. Look at the diff before you commit it: every line of it is
something that users will see, and a changed number goes under "Scores changed" in the changelog.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


class Freezing:
    """Tells the tests to store what they would compare."""

    def pytest_configure(self, config: pytest.Config) -> None:
        config.is_freezing = True


def main() -> int:
    before = {path: path.read_bytes() for path in HERE.glob("*.json")}
    tests = HERE.parent / "test_reference.py"
    options = ["-q", "-rs", "--no-header", "-p", "no:cacheprovider"]
    code = pytest.main([str(tests), *options, *sys.argv[1:]], plugins=[Freezing()])
    after = {path: path.read_bytes() for path in HERE.glob("*.json")}
    changed = sorted(path.name for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    print("changed: " + ", ".join(changed) if changed else "nothing changed")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
