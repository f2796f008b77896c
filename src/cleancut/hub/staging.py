"""Metric modules and the app as folders that are Spaces, with the code that they need in them."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from ..core import checks
from ..core.exceptions import CleancutError
from ..core.files import check_output_folder, made_folder, temporary_folder, write_text
from ..core.interrupts import uninterrupted
from ..core.locating import hub_folder, metric
from ..splitting.folders import MANIFEST, is_as_written, recorded_tree, write_manifest
from .known_keywords import KNOWN_KEYWORDS

_PACKAGE = Path(__file__).resolve().parents[1]

# --- metric modules and the app as Spaces -------------------------------------------------------------------


def stage(names: Iterable[str] = (), folder: str | os.PathLike[str] = "spaces") -> list[Path]:
    """Build the Space of each metric (all of them by default): a folder that needs evaluate and numpy alone.

    The face has the engine files that it needs beside it, flat, and imports each of them itself, on a line of its own:
    evaluate fetches only what the main file names.
    """
    names = checks.names(names, "names", "a list of metrics") or sorted(
        path.name for path in hub_folder("metrics").iterdir() if (path / "README.md").exists()
    )
    sources = [Path(metric(name)) for name in names]
    return [_staged(Path(folder, source.name), partial(_stage, source), f"{source.name}.py") for source in sources]


def stage_app(folder: str | os.PathLike[str] = "space") -> Path:
    """Build the Space of the app: a folder with the package in it, which needs its requirements alone."""
    return _staged(Path(folder), _stage_app, "app.py")


def _staged(target: Path, build: Callable[[Path], None], main: str) -> Path:
    """A folder, built beside and then put in its place."""
    check_output_folder(target)
    with made_folder(target.parent), temporary_folder(target.parent, f".{target.name}-") as beside:
        fresh = Path(beside, "space")
        build(fresh)
        digests = {path: hashlib.sha256(data).hexdigest() for path, data in files_of_space(fresh).items()}
        write_manifest({"format": "cleancut-space-1"}, fresh, digests)
        if os.path.lexists(target):
            _refuse_foreign(target, digests, main)
        with uninterrupted():
            if os.path.lexists(target):
                os.replace(target, Path(beside, "before"))
            os.replace(fresh, target)
    return target


def _refuse_foreign(target: Path, fresh: Mapping[str, str], main: str) -> None:
    """A folder is only replaced if it is empty, or a staged Space and nothing else, all of it as it was staged."""
    if target.is_symlink() or not target.is_dir():
        raise CleancutError(f"{target} is there and is not a staged Space alone. Choose another folder.")
    there = [path for path in sorted(target.rglob("*")) if not _is_left_by_python(path)]
    if there and not (target / main).is_file():
        raise CleancutError(f"{target} is there and is not a staged Space alone. Choose another folder.")
    staged = recorded_tree(target)
    for path in there:
        inner = path.relative_to(target).as_posix()
        if inner == MANIFEST and staged:
            continue
        if path.is_dir() and not path.is_symlink():
            ours = any(known.startswith(f"{inner}/") for known in (*fresh, *staged))
        else:
            ours = any(digest and is_as_written(path, digest) for digest in (fresh.get(inner), staged.get(inner)))
        if not ours:
            raise CleancutError(f"{target} is there and is not a staged Space alone ({inner}). Choose another folder.")


def _is_left_by_python(path: Path) -> bool:
    """Is it what Python leaves when it runs?"""
    return path.name == "__pycache__" or (path.parent.name == "__pycache__" and path.suffix == ".pyc")


def files_of_space(folder: Path) -> dict[str, bytes]:
    """What a Space holds, by path; its manifest and what Python leaves when it runs are no part of it."""
    found = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    ours = {inner: path for inner, path in found.items() if "__pycache__" not in inner.parts and str(inner) != MANIFEST}
    return {inner.as_posix(): path.read_bytes() for inner, path in ours.items()}


def _stage_app(target: Path) -> None:
    source = hub_folder("spaces_app")
    if not (source / "app.py").is_file():
        raise CleancutError(f"the files of the app are not at {source}. Install cleancut from its wheel or a checkout.")
    target.mkdir()
    for name in ("app.py", "requirements.txt", "README.md"):
        shutil.copyfile(source / name, target / name)
    shutil.copytree(source / "examples", target / "examples")
    shutil.copytree(_PACKAGE, target / "cleancut", ignore=shutil.ignore_patterns("__pycache__", "hub_files"))


def _stage(source: Path, target: Path) -> None:
    target.mkdir()
    face = (source / f"{source.name}.py").read_text("utf-8")
    needed = _needed(set(re.findall(r"^from cleancut\.([\w.]+)", face, re.M)))
    page = _needed({"hub.space_page"})
    for module in sorted(needed | page):
        write_text(target / f"{_flat_name(module)}.py", _staged_source(module))
    engine = {_flat_name(module) for module in needed}
    face = _flattened(face)
    named = set(re.findall(r"^from \.(\w+) import", face, re.M))
    lines = face.splitlines()
    last = max(i for i, line in enumerate(lines) if line.startswith("from ."))
    lines[last + 1 : last + 1] = [f"from .{name} import __doc__ as _{name}" for name in sorted(engine - named)]
    write_text(target / f"{source.name}.py", "\n".join(lines) + "\n")
    write_text(target / "__init__.py", "")
    write_text(target / "README.md", (source / "README.md").read_text("utf-8"))
    record = re.findall(r"^from \.(\w+) import METRIC$", face, re.M)
    write_text(target / "app.py", _APP.format(module=record[0]))
    write_text(target / "requirements.txt", "evaluate>=0.4.6\nnumpy>=1.26\n")


def _needed(modules: set[str]) -> set[str]:
    """Return the modules of the package (``scoring.score``) that some need, with themselves.

    What is imported inside of a function is no part of a Space.
    """
    found: set[str] = set()
    while modules - found:
        module = (modules - found).pop()
        found.add(module)
        if module == _KEYWORDS:
            continue  # a Space has no other metrics to ask
        room = module.split(".")[:-1]
        for node in ast.parse(_source_of(module).read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.level:
                parts = room[: len(room) + 1 - node.level] + (node.module.split(".") if node.module else [])
                if _PACKAGE.joinpath(*parts).is_dir():  # a room, and modules of it
                    modules |= {".".join([*parts, alias.name]) for alias in node.names}
                else:
                    modules.add(".".join(parts))
    return found


_KEYWORDS = "hub.known_keywords"


def _staged_source(module: str) -> str:
    """The source of a module in a Space: its own, or for the keywords of all metrics a literal."""
    if module == _KEYWORDS:
        return f'"""The keywords of all evaluate modules of cleancut."""\n\nKNOWN_KEYWORDS = {KNOWN_KEYWORDS!r}\n'
    return _flattened(_source_of(module).read_text("utf-8"))


def _source_of(module: str) -> Path:
    """The file of a module of the package."""
    return _PACKAGE.joinpath(*module.split(".")).with_suffix(".py")


def _flat_name(module: str) -> str:
    """The name of a module in a Space, which has no rooms: ``scoring.score`` is ``score`` there."""
    return module.rpartition(".")[2]


def _flattened(text: str) -> str:
    """The source of a module for a Space: ``from ..scoring.score import x`` becomes ``from .score import x``."""
    rooms = "|".join(sorted(path.parent.name for path in _PACKAGE.glob("*/__init__.py")))
    return re.sub(rf"^( *from )(?:cleancut|\.)\.(?:(?:{rooms})\b\.?)?", r"\1.", text, flags=re.M)


_APP = '''\
"""The page of this Space."""

import importlib
import importlib.util
import sys
from pathlib import Path

# the files of this folder are a package, whatever the folder is called here
folder = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("space", folder / "__init__.py", submodule_search_locations=[str(folder)])
sys.modules["space"] = importlib.util.module_from_spec(spec)
demo = importlib.import_module("space.space_page").page(importlib.import_module("space.{module}").METRIC)

if __name__ == "__main__":
    demo.launch()
'''
