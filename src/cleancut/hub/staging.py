"""Build the folders of Spaces: the metric modules and the app, each with all the code that it needs."""

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


def stage(names: Iterable[str] = (), folder: str | os.PathLike[str] = "spaces") -> list[Path]:
    """Build the Space of each metric: a folder that needs evaluate and numpy alone.

    The engine files that a metric needs lie flat beside its main file. The main file imports each of them on a line of
    its own, since evaluate fetches only what the main file names.

    Args:
        names: the metrics; all of them by default.
        folder: where the folders of the Spaces are built, each called like its metric.

    Returns:
        The folders of the Spaces.

    Raises:
        CleancutError: there is no such metric, or a folder there is not a staged Space.
    """
    names = checks.names(names, "names", "a list of metrics") or sorted(
        path.name for path in hub_folder("metrics").iterdir() if (path / "README.md").exists()
    )
    sources = [Path(metric(name)) for name in names]
    folder = checks.checked_path(folder, "folder")
    return [_staged(Path(folder, source.name), partial(_stage, source), f"{source.name}.py") for source in sources]


def stage_app(folder: str | os.PathLike[str] = "space") -> Path:
    """Build the Space of the app: a folder that holds the package.

    Args:
        folder: the folder to build; a Space that was staged there before is replaced.

    Returns:
        The folder.

    Raises:
        CleancutError: the folder holds something else than a staged Space.
    """
    return _staged(Path(checks.checked_path(folder, "folder")), _stage_app, "app.py")


def _staged(target: Path, build: Callable[[Path], None], main: str) -> Path:
    """Build a folder beside its target, then move it there; ``main`` names the main file of the Space."""
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
    """Refuse to replace a folder, unless it is empty, or a Space of which every file is as it was staged.

    Args:
        target: the folder that would be replaced.
        fresh: the digest of each file of the Space that would take its place.
        main: the main file of the Space.

    Raises:
        CleancutError: the folder holds something else; the message names it.
    """
    if target.is_symlink() or not target.is_dir():
        raise CleancutError(f"{target} exists and holds something other than a staged Space. Choose another folder.")
    present = [path for path in sorted(target.rglob("*")) if not _is_left_by_python(path)]
    if present and not (target / main).is_file():
        raise CleancutError(f"{target} exists and holds something other than a staged Space. Choose another folder.")
    staged = recorded_tree(target)
    for path in present:
        inner = path.relative_to(target).as_posix()
        if inner == MANIFEST and staged:
            continue
        if path.is_dir() and not path.is_symlink():
            is_ours = any(known.startswith(f"{inner}/") for known in (*fresh, *staged))
        else:
            digests = [digest for digest in (fresh.get(inner), staged.get(inner)) if digest]
            is_ours = any(is_as_written(path, digest) for digest in digests)
        if not is_ours:
            raise CleancutError(
                f"{target} exists and holds something other than a staged Space ({inner}). Choose another folder."
            )


def _is_left_by_python(path: Path) -> bool:
    """Return whether a path is a compiled file, or the folder of compiled files, that Python leaves when it runs."""
    return path.name == "__pycache__" or (path.parent.name == "__pycache__" and path.suffix == ".pyc")


def files_of_space(folder: Path) -> dict[str, bytes]:
    """Return the content of each file of a Space, by its path in the Space.

    The manifest and what Python leaves when it runs do not belong to a Space.

    Args:
        folder: the folder of the Space.
    """
    contents = {}
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if path.is_file() and "__pycache__" not in inner.parts and str(inner) != MANIFEST:
            contents[inner.as_posix()] = path.read_bytes()
    return contents


def _stage_app(target: Path) -> None:
    """Write the Space of the app to a new folder."""
    source = hub_folder("spaces_app")
    if not (source / "app.py").is_file():
        raise CleancutError(f"the files of the app are not at {source}. Install cleancut from its wheel or a checkout.")
    target.mkdir()
    for name in ("app.py", "requirements.txt", "README.md"):
        shutil.copyfile(source / name, target / name)
    shutil.copytree(source / "examples", target / "examples")
    shutil.copytree(_PACKAGE, target / "cleancut", ignore=shutil.ignore_patterns("__pycache__", "hub_files"))


def _stage(source: Path, target: Path) -> None:
    """Write the Space of a metric to a new folder, from the folder of the metric under ``metrics``."""
    target.mkdir()
    main_file = (source / f"{source.name}.py").read_text("utf-8")
    needed = _needed({*re.findall(r"^from cleancut\.([\w.]+)", main_file, re.M), *_ON_DEMAND})
    needed_by_page = _needed({"hub.space_page"})
    for module in sorted(needed | needed_by_page):
        write_text(target / f"{_flat_name(module)}.py", _staged_source(module))
    main_file = _flattened(main_file)
    [record_module] = re.findall(r"^from \.(\w+) import METRIC$", main_file, re.M)
    main_file = _with_imports(main_file, {_flat_name(module) for module in needed})
    write_text(target / f"{source.name}.py", main_file)
    write_text(target / "__init__.py", "")
    write_text(target / "README.md", (source / "README.md").read_text("utf-8"))
    write_text(target / "app.py", _APP.format(module=record_module))
    write_text(target / "requirements.txt", "evaluate>=0.4.6\nnumpy>=1.26\n")


def _with_imports(main_file: str, modules: set[str]) -> str:
    """Return the source of a main file that imports every one of some modules, so that evaluate fetches them all."""
    imported = set(re.findall(r"^from \.(\w+) import", main_file, re.M))
    lines = main_file.splitlines()
    last_import = max(i for i, line in enumerate(lines) if line.startswith("from ."))
    added = [f"from .{name} import __doc__ as _{name}" for name in sorted(modules - imported)]
    lines[last_import + 1 : last_import + 1] = added
    return "\n".join(lines) + "\n"


def _needed(modules: set[str]) -> set[str]:
    """Return some modules of the package (``scoring.score``), and all modules that these import.

    Only imports at the top of a file count: what is imported inside a function is not part of a Space.
    """
    needed: set[str] = set()
    pending = set(modules)
    while pending:
        module = pending.pop()
        needed.add(module)
        if module != _KEYWORDS:  # a Space has no other metrics to ask for their keywords
            pending |= _imported_by(module) - needed
    return needed


def _imported_by(module: str) -> set[str]:
    """Return the modules of the package that a module imports at its top."""
    room = module.split(".")[:-1]
    imported = set()
    for node in ast.parse(_source_of(module).read_text("utf-8")).body:
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        parts = room[: len(room) + 1 - node.level]
        if node.module:
            parts += node.module.split(".")
        if _PACKAGE.joinpath(*parts).is_dir():  # modules of a room are imported, as in `from . import checks`
            imported |= {".".join([*parts, alias.name]) for alias in node.names}
        else:
            imported.add(".".join(parts))
    return imported


_ON_DEMAND = ("core.answer_mentions",)
"""Modules that every metric imports when it first needs them: answers of language models come as texts."""
_KEYWORDS = "hub.known_keywords"
"""The module that a Space has as a literal."""


def _staged_source(module: str) -> str:
    """Return the source that a module has in a Space."""
    if module == _KEYWORDS:
        return f'"""The keywords of all evaluate modules of cleancut."""\n\nKNOWN_KEYWORDS = {KNOWN_KEYWORDS!r}\n'
    return _flattened(_source_of(module).read_text("utf-8"))


def _source_of(module: str) -> Path:
    """Return the file of a module of the package."""
    return _PACKAGE.joinpath(*module.split(".")).with_suffix(".py")


def _flat_name(module: str) -> str:
    """Return the name of a module in a Space, which has no rooms: ``scoring.score`` is ``score`` there."""
    return module.rpartition(".")[2]


def _flattened(text: str) -> str:
    """Return the source of a module with flat imports: ``from ..scoring.score`` becomes ``from .score``."""
    rooms = "|".join(sorted(path.parent.name for path in _PACKAGE.glob("*/__init__.py")))
    return re.sub(rf"^( *from )(?:cleancut|\.)\.(?:(?:{rooms})\b\.?)?", r"\1.", text, flags=re.M)


_APP = '''\
"""The page of this Space."""

import importlib
import importlib.util
import sys
from pathlib import Path

# The files of this folder are imported as a package, whatever the folder is called.
folder = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("space", folder / "__init__.py", submodule_search_locations=[str(folder)])
sys.modules["space"] = importlib.util.module_from_spec(spec)
demo = importlib.import_module("space.space_page").page(importlib.import_module("space.{module}").METRIC)

if __name__ == "__main__":
    demo.launch()
'''
