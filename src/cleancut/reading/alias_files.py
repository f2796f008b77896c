"""Files of aliases: two or more names a line that mean the same, as TSV or JSONL."""

from __future__ import annotations

import json
import os
from typing import Any

from ..core import checks
from ..core.exceptions import CleancutError, quoted
from ..core.same import Aliases
from .opening import Source


def read_aliases(path: str | os.PathLike[str]) -> Aliases:
    """Read a table of aliases. Lines that have a name in common are one class; empty lines are skipped.

    Args:
        path: a file with two or more names a line: with tabs between them, or, if its name ends in ``.jsonl``, as a
            list in JSON. It may be compressed (``.gz``).

    Returns:
        The aliases, for ``aliases=``.

    Raises:
        CleancutError: there is no such file, or a line is not two or more names.
    """
    shown = checks.checked_path(path)
    is_jsonl = shown.removesuffix(".gz").endswith((".jsonl", ".json"))
    lines = []
    for number, ended in enumerate(Source(shown).text().split("\n"), 1):
        line = ended.removesuffix("\r")
        if line.strip():
            place = f"{shown}, line {number}"
            names = _listed(line, place) if is_jsonl else _cut(line, place)
            lines.append(names)
    if not lines:
        raise CleancutError(f"{shown}: there are no aliases. Write two or more names on each line.")
    return Aliases.of(lines)


def _cut(line: str, place: str) -> list[str]:
    """Return the names of a line of TSV."""
    names = [name.strip() for name in line.split("\t") if name.strip()]
    return _checked(names, place, "Write two or more names with tabs between them")


def _listed(line: str, place: str) -> list[str]:
    """Return the names of a line of JSONL."""
    wanted = 'Write two or more names as a list: ["USA", "United States"]'
    try:
        names = json.loads(line)
    except (ValueError, RecursionError):
        raise CleancutError(f"{place}: {quoted(line)} is not JSON. {wanted}.") from None
    return _checked(names, place, wanted)


def _checked(names: Any, place: str, wanted: str) -> list[str]:
    """Return names that are a list of two or more texts."""
    if not isinstance(names, list) or not all(isinstance(name, str) and name.strip() for name in names):
        raise CleancutError(f"{place}: {quoted(names)} is not a list of names. {wanted}.")
    if len(names) < 2:
        raise CleancutError(f"{place}: {quoted(names)} has {len(names)} name. {wanted}.")
    return names
