"""``cleancut --version --verbose``: which optional packages are installed, what each adds, and how to install it."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from importlib import metadata
from pathlib import Path
from typing import NamedTuple


class Part(NamedTuple):
    """An optional package or program."""

    name: str
    """The name of the package, by which it is imported, or of the program."""
    adds: str
    """What cleancut can do with it."""
    remedy: str
    """How to install it."""


PARTS = (
    Part("numba", "a fast search", "pip install numba"),
    Part("pymetis", "cuts by METIS", "pip install pymetis"),
    Part("mtkahypar", "another partitioner", 'pip install "cleancut[kahypar]"'),
    Part("matplotlib", "figures as files", 'pip install "cleancut[plot]"'),
    Part("gradio", "the app", 'pip install "cleancut[app]"'),
    Part("pyspark", "splits by Spark", 'pip install "cleancut[spark]"'),
    Part("java", "what Spark runs on", "install Java 17 or newer"),
    Part("torch", "scores in a Trainer", 'pip install "cleancut[trainer]"'),
    Part("transformers", "scores in a Trainer", 'pip install "cleancut[trainer]"'),
    Part("shtab", "shell completion", 'pip install "cleancut[completion]"'),
)
"""The optional packages, in the order in which they are listed."""


def parts_text() -> str:
    """Return a line for each optional package, within 80 columns. No package is imported for it."""
    name_width = max(len(part.name) for part in PARTS)
    adds_width = max(len(part.adds) for part in PARTS)
    return "\n".join(f"{part.name:{name_width}}  {part.adds:{adds_width}}  {_state(part)}" for part in PARTS)


def _state(part: Part) -> str:
    """Return whether a package is present, with its version or with how to install it."""
    version = _java_version() if part.name == "java" else _version(part.name)
    return f"absent: {part.remedy}" if version is None else f"present {version}".rstrip()


def _version(name: str) -> str | None:
    """Return the version of a package: empty if the package does not tell, None if it is absent."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:  # a folder that happens to have the name is no package
        return None
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _java_version() -> str | None:
    """Return the version of Java, in the place where Spark looks for it, without starting it."""
    home = os.environ.get("JAVA_HOME")
    folder = os.path.join(home, "bin") if home else None
    program = shutil.which("java", path=folder)
    if program is None:
        return None
    try:
        text = (Path(program).resolve().parents[1] / "release").read_text("utf-8")
    except OSError:
        return ""
    version = re.search(r'^JAVA_VERSION="(.*)"$', text, re.M)
    return version[1] if version else ""
