"""Predictions of systems on the command line: ``--pred a.conll b.conll``, ``'runs/*.conll'``, ``NAME=FILE``."""

from __future__ import annotations

import argparse
import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..core.exceptions import CleancutError
from .paths import Input


class System(Input):
    """The file of a system's predictions, with the name that the user gave the system, if any."""

    given_name: str | None = None

    @classmethod
    def named(cls, file: str, name: str) -> System:
        """Return the file of a system that has a name."""
        system = cls(file)
        system.given_name = name
        return system


class AddSystems(argparse.Action):
    """Adds systems to those given before. A pattern stands for its files, NAME=FILE for a file with a name."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        systems = [*(getattr(namespace, self.dest) or ())]
        for value in values:
            systems += _systems(value, systems)
        setattr(namespace, self.dest, systems)


def _systems(value: str, before: Sequence[str]) -> list[System]:
    """Return the systems that a value stands for, of a pattern those that were not given before.

    A name that is a file is that file, whatever characters it has.
    """
    if os.path.exists(value):
        return [System(value)]
    name, equals, file = value.partition("=")
    if equals and name and file:
        return [System.named(file, name)]
    files = sorted(glob.glob(value, recursive=True))
    if not files:
        return [System(value)]  # that a file is not there is said when it is read
    return [System(file) for file in files if file not in before]


def names_of(systems: Sequence[str]) -> list[str]:
    """Return a name for each system: the one it was given, or the stem of its file, with folders if need be."""
    if len({os.path.realpath(system) for system in systems}) < len(systems):
        raise CleancutError("--pred: the same file is given twice.")
    for system in systems:
        if glob.has_magic(system) and not os.path.exists(system):
            raise CleancutError(f"--pred {system}: no such file, and no file of this pattern.")
    given = [getattr(system, "given_name", None) for system in systems]
    stems = iter(_distinct_stems([system for system, name in zip(systems, given, strict=True) if name is None]))
    names = [next(stems) if name is None else name for name in given]
    for name in names:
        if names.count(name) > 1:
            raise CleancutError(f"--pred: two systems are called {name}. Give another name with --pred NAME=FILE.")
    return names


def _distinct_stems(files: Sequence[str]) -> list[str]:
    """Return the stem of each file, with as many parent folders as it takes to tell them apart."""
    resolved = [Path(file.removesuffix(".gz")).resolve() for file in files]
    paths = [path.with_suffix("") if path.name else path for path in resolved]
    names = [path.name for path in paths]
    for depth in range(2, 1 + max((len(path.parts) for path in paths), default=0)):
        twice = {name for name in names if names.count(name) > 1}
        if not twice:
            break
        names = ["/".join(p.parts[-depth:]) if name in twice else name for p, name in zip(paths, names, strict=True)]
    if len(set(names)) < len(names):  # the same folder and stem: only the endings differ
        names = [Path(file).name if names.count(name) > 1 else name for file, name in zip(files, names, strict=True)]
    return names
