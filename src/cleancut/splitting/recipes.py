"""Recipes for published configs: TOML files in splitters/recipes, whose entries are arguments of the functions."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from ..core.entities import Shared
from ..core.exceptions import CleancutError, did_you_mean, parse_choice, quoted, reason
from ..core.locating import hub_folder
from ..core.tags import Repair, parse_scheme
from ..reading.dataset import COLUMNS
from ..reading.hub_ids import is_config
from ..reading.shape import End
from .settings import OPTIONS, check_option

READ_BY = (*COLUMNS, "repair")
"""The entries that ``[columns]`` may have: the keyword arguments of ``from_dataset``."""
TABLES = {
    "dataset": ("id", "config", "revision", "licence", "policy"),
    "columns": READ_BY,
    "split": tuple(OPTIONS),
    "publish": ("config",),
}
"""The tables of a recipe, and the entries that each may have; those of ``[split]`` are the options of a split."""


class Policy(StrEnum):
    """What the licence of a dataset allows to publish."""

    REPUBLISH = "republish"
    """The rows themselves."""
    INDICES_ONLY = "indices-only"
    """Only the positions of the rows in their source, since its text may not be published again."""


@dataclass(frozen=True)
class Recipe:
    """A recipe: the source, the columns, the split and the config of one published dataset.

    >>> recipe = Recipe.find("few-nerd")
    >>> recipe.source, recipe.columns["scheme"], recipe.config
    ('DFKI-SLT/few-nerd:supervised', 'io', 'mincut-80-10-10')
    """

    name: str
    """The name of the recipe, which is that of its file."""
    source: str | None
    """The dataset as ``org/name[:config][@revision]``; None where the Hub has no copy, so that data has to be given."""
    licence: str
    """The licence of the text."""
    policy: Policy
    """What the licence allows to publish."""
    columns: dict[str, Any]
    """The arguments of ``from_dataset``."""
    split: dict[str, Any]
    """The arguments of ``mincut``."""
    config: str
    """The name of the published config."""

    @classmethod
    def find(cls, name: str | os.PathLike[str]) -> Recipe:
        """Return a shipped recipe by its name (``conll2003``), or the recipe in a file.

        Args:
            name: the name of a shipped recipe, or the path of a ``.toml`` file.

        Raises:
            CleancutError: there is no such recipe, or it is not valid.
        """
        text = os.fspath(name)
        if text.endswith(".toml") or os.path.isfile(text):
            return cls.load(text)
        shipped = {path.stem: path for path in sorted(hub_folder("splitters").glob("recipes/*.toml"))}
        if text not in shipped:
            hint = did_you_mean(text, shipped)
            raise CleancutError(
                f"there is no recipe {quoted(text)}.{hint} Give a .toml file, or one of {', '.join(shipped)}."
            )
        return cls.load(shipped[text])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Recipe:
        """Read a recipe from a file, and check everything in it.

        Args:
            path: the TOML file.

        Raises:
            CleancutError: there is no such file, or it is not a valid recipe.
        """
        tables = _tables(path)
        where = f"{path}, [dataset]"
        dataset = tables["dataset"]
        for name, value in dataset.items():
            _check(
                isinstance(value, str) and bool(value.strip()), f"{where}: {name}={quoted(value)}", "a text in quotes"
            )
        for name in ("licence", "policy"):
            if name not in dataset:
                raise CleancutError(f"{where}: {name} is missing. Say under what licence the text may be passed on.")
        columns = {name: _column(path, name, value) for name, value in tables["columns"].items()}
        for name, value in tables["split"].items():
            with _placed(f"{path}, [split]"):
                check_option(name, value)
        config = tables["publish"].get("config")
        well_formed = isinstance(config, str) and is_config(config)
        _check(
            well_formed, f"{path}, [publish]: config={quoted(config)}", "a name of letters, digits, '.', '_' and '-'"
        )
        with _placed(where):
            policy = parse_choice(Policy, dataset["policy"], "policy")
        return cls(
            name=Path(path).stem,
            source=_source(where, dataset),
            licence=dataset["licence"],
            policy=policy,
            columns=columns,
            split=tables["split"],
            config=str(config),
        )

    def fill(self, options: dict[str, Any]) -> None:
        """Set the options of ``cleancut split`` that the user has not given (which are None) to those of the recipe.

        Args:
            options: the options by name, which are changed in place.

        Raises:
            CleancutError: no data is given, and the recipe has no source on the Hub.

        >>> options = {"input": [], "seed": 7, "ratios": None, "key": None, "ignore_case": False}
        >>> Recipe.find("wnut17").fill(options)
        >>> options["input"], options["seed"], options["ratios"]
        (['leondz/wnut_17'], 7, '80/10/10')
        """
        if not options["input"]:
            if self.source is None:
                raise CleancutError(
                    f"recipe {self.name}: its data is in no dataset of the Hub that could be named "
                    f"(licence: {self.licence}). Give your copy: cleancut split --recipe {self.name} FILE ..."
                )
            options["input"] = [self.source]
        values = {**self.columns, **self.split}
        if "labels" in values:
            values["labels"] = ",".join(values["labels"])
        typed, key = values.pop("typed", True), values.pop("key", Shared.ENTITY)
        if key != Shared.ENTITY:
            values["key"] = key
        elif "typed" in self.split:
            values["key"] = "surface+type" if typed else "surface"
        if "case" in values:
            options["ignore_case"] = options["ignore_case"] or not values.pop("case")
        for name, value in values.items():
            if options.get(name) is None:
                options[name] = value

    def publish_options(self) -> list[str]:
        """Return the options of ``cleancut publish`` that follow from the recipe."""
        options = ["--config", self.config]
        if self.policy is Policy.INDICES_ONLY:
            options.append("--indices-only")
        return options


def _tables(path: str | os.PathLike[str]) -> dict[str, dict[str, Any]]:
    """Return the tables of a recipe file, empty ones for those that it leaves out.

    Raises:
        CleancutError: a table or an entry is unknown, or a table that every recipe needs is missing.
    """
    tables = _read_toml(path)
    for name, table in tables.items():
        if name not in TABLES:
            raise CleancutError(
                f"{path}: [{name}] is unknown.{did_you_mean(name, TABLES)} The tables of a recipe are "
                f"{', '.join(f'[{table}]' for table in TABLES)}."
            )
        if not isinstance(table, dict):
            raise CleancutError(f"{path}: {name}={quoted(table)} is not a table. Write [{name}] on a line of its own.")
        for entry in table:
            if entry not in TABLES[name]:
                raise CleancutError(
                    f"{path}, [{name}]: {quoted(entry)} is unknown.{did_you_mean(entry, TABLES[name])} "
                    f"The keys are {', '.join(TABLES[name])}."
                )
    for name in ("dataset", "publish"):
        if name not in tables:
            raise CleancutError(f"{path}: the table [{name}] is missing, with {', '.join(TABLES[name])}.")
    return {name: tables.get(name, {}) for name in TABLES}


def _read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the content of a TOML file."""
    try:
        with open(path, "rb") as stream:
            return tomllib.load(stream)
    except FileNotFoundError:
        raise CleancutError(f"{path}: no such file. Give a recipe as a .toml file, or a shipped one by name.") from None
    except OSError as error:
        raise CleancutError(f"{path}: {error.strerror or error}. Give a recipe as a .toml file.") from None
    except RecursionError:
        raise CleancutError(
            f"{path}: not a recipe: its values are nested too deep. Write texts, numbers and lists."
        ) from None
    except UnicodeDecodeError as error:
        raise CleancutError(f"{path}: not UTF-8 (byte {error.start}). Save it as UTF-8.") from None
    except ValueError as error:  # an error of TOML, or a number with more digits than Python reads
        raise CleancutError(f"{path}: not TOML: {reason(error)}. Write texts in quotes: name = 'value'.") from None


def _source(where: str, dataset: Mapping[str, str]) -> str | None:
    """Return the source of a recipe, ``org/name[:config][@revision]``, from its table ``[dataset]``."""
    if "id" not in dataset:
        for name in ("config", "revision"):
            if name in dataset:
                raise CleancutError(
                    f"{where}: {name}={quoted(dataset[name])} has no effect without an id. Give id, too."
                )
        return None
    word = r"[A-Za-z0-9][\w.-]*"
    patterns = {"id": f"{word}/{word}", "config": r"[^\s:@/]+", "revision": r"[^\s:@]+"}
    forms = {"id": "org/name", "config": "a name without ':', '@' and '/'", "revision": "a branch, tag or commit"}
    for name, pattern in patterns.items():
        if name in dataset:
            matches = re.fullmatch(pattern, dataset[name]) is not None
            _check(matches, f"{where}: {name}={quoted(dataset[name])}", forms[name])
    config = f":{dataset['config']}" if "config" in dataset else ""
    revision = f"@{dataset['revision']}" if "revision" in dataset else ""
    return f"{dataset['id']}{config}{revision}"


def _column(path: str | os.PathLike[str], name: str, value: Any) -> Any:
    """Return an entry of the table ``[columns]``, if it is valid."""
    where = f"{path}, [columns]"
    if name == "labels":
        is_list = isinstance(value, list) and bool(value)
        is_valid = is_list and all(isinstance(label, str) and label and "," not in label for label in value)
        _check(is_valid, f"{where}: labels={quoted(value)}", "the names by id, such as ['O', 'B-PER', 'I-PER']")
        return value
    _check(isinstance(value, str) and bool(value), f"{where}: {name}={quoted(value)}", "a text in quotes")
    with _placed(where):
        if name == "scheme":
            parse_scheme(value)
        elif name == "end":
            parse_choice(End, value, name)
        elif name == "repair":
            parse_choice(Repair, value, name)
    return value


@contextmanager
def _placed(where: str) -> Iterator[None]:
    """Put a place before the message of an error that is raised inside."""
    try:
        yield
    except CleancutError as error:
        raise CleancutError(f"{where}: {error}") from None


def _check(is_valid: bool, what: str, wanted: str) -> None:
    """Raise an error that says what is not valid and what is wanted, unless it is valid."""
    if not is_valid:
        raise CleancutError(f"{what} is not valid. Give {wanted}.")
