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
    """The name that the user gave the system; None to call it after its file."""

    @classmethod
    def named(cls, file: str, name: str) -> System:
        """Return the file of a system, with the name of the system.

        Args:
            file: the file.
            name: the name that the user gave.
        """
        system = cls(file)
        system.given_name = name
        return system


class AddSystems(argparse.Action):
    """An action that adds systems to those given before. A pattern stands for its files, NAME=FILE names a system."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        """Add the systems that the values of one option stand for, as argparse wants it."""
        systems = [*(getattr(namespace, self.dest) or ())]
        for value in values:
            systems += _systems(value, systems)
        setattr(namespace, self.dest, systems)


def _systems(value: str, before: Sequence[str]) -> list[System]:
    """Return the systems that a value stands for; a pattern stands for those of its files that were not given before.

    A value that is the name of a file stands for that file, even if it looks like a pattern.
    """
    if os.path.exists(value):
        return [System(value)]
    name, equals, file = value.partition("=")
    if equals and name and file:
        return [System.named(file, name)]
    files = sorted(glob.glob(value, recursive=True))
    if not files:
        return [System(value)]  # reading it will report that it is missing
    return [System(file) for file in files if file not in before]


def names_of(systems: Sequence[str]) -> list[str]:
    """Return a name for each system: the one it was given, or the stem of its file, with folders if need be.

    Args:
        systems: the files of the systems.

    Raises:
        CleancutError: a file is given twice or a name is, or a pattern stands for no file.
    """
    paths = [os.path.realpath(system) for system in systems]
    for system, path in zip(systems, paths, strict=True):
        if paths.count(path) > 1:
            raise CleancutError(f"--pred: the same file is given twice, {system}. Give each file once.")
    for system in systems:
        if glob.has_magic(system) and not os.path.exists(system):
            raise CleancutError(f"--pred {system}: no such file, and no file of this pattern.")
    given = [getattr(system, "given_name", None) for system in systems]
    unnamed = [system for system, name in zip(systems, given, strict=True) if name is None]
    stems = iter(_distinct_stems(unnamed))
    names = [next(stems) if name is None else name for name in given]
    for name in names:
        if names.count(name) > 1:
            raise CleancutError(f"--pred: two systems are called {name}. Give another name with --pred NAME=FILE.")
    return names


def _distinct_stems(files: Sequence[str]) -> list[str]:
    """Return the stem of each file, with as many parent folders as it takes to tell them apart."""
    resolved = [Path(os.path.realpath(file.removesuffix(".gz"))) for file in files]
    paths = [path.with_suffix("") if path.name else path for path in resolved]
    names = [path.name for path in paths]
    deepest = max((len(path.parts) for path in paths), default=0)
    for depth in range(2, 1 + deepest):
        ambiguous = {name for name in names if names.count(name) > 1}
        if not ambiguous:
            break
        for i, path in enumerate(paths):
            if names[i] in ambiguous:
                names[i] = "/".join(path.parts[-depth:])
    ambiguous = {name for name in names if names.count(name) > 1}  # the same folder and stem: only the endings differ
    return [Path(file).name if name in ambiguous else name for file, name in zip(files, names, strict=True)]
