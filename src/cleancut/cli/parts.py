"""cleancut --version --verbose: which optional parts are here, what each adds, and how to get it."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from importlib import metadata
from pathlib import Path
from typing import NamedTuple


class Part(NamedTuple):
    """A package that nothing fails without."""

    name: str
    adds: str
    remedy: str


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


def parts_text() -> str:
    """A line for each part, within 80 columns. No part is imported for it."""
    name, adds = (max(map(len, column)) for column in zip(*(part[:2] for part in PARTS), strict=True))
    return "\n".join(f"{part.name:{name}}  {part.adds:{adds}}  {_found(part)}" for part in PARTS)


def _found(part: Part) -> str:
    version = _java() if part.name == "java" else _version(part.name)
    return f"absent: {part.remedy}" if version is None else f"present {version}".rstrip()


def _version(name: str) -> str | None:
    """Of a package; empty if it does not say, None if it is absent."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:  # a folder that happens to have the name is no package
        return None
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _java() -> str | None:
    """The same of Java, where Spark looks for it, without starting it."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=os.path.join(home, "bin") if home else None)
    if program is None:
        return None
    try:
        text = (Path(program).resolve().parents[1] / "release").read_text("utf-8")
    except OSError:
        return ""
    found = re.search(r'^JAVA_VERSION="(.*)"$', text, re.M)
    return found[1] if found else ""
