"""The folder of a study: a folder for each dataset, with its train and test data and the predictions of systems."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..core import checks
from ..core.at_signs import join_at
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, did_you_mean, quoted
from .answer_files import is_answer_file
from .brat import is_brat
from .dataset import Samples, log_notes
from .files import columns_for, read
from .opening import Source
from .splits import split_name
from .systems import system_batches

PREDICTIONS = "pred"
"""The folder of a dataset that holds a file of each system."""
_READING: dict[str, Any] = {
    "gold_column": None, "pred_column": None, "word_column": None, "labels": None, "scheme": None,
    "repair": "conlleval", "tokens": None, "tags": None, "entities": None, "text": None, "document": None, "end": None,
    "answers": None, "ignore_types": False, "types": None, "join_at": False,
}  # fmt: skip
"""How the files of a study are read, unless another way is asked for."""


class Failed(NamedTuple):
    """What could not be used: a dataset, or one of its systems."""

    dataset: str
    system: str | None
    """None for the whole dataset."""
    reason: str


@dataclass(frozen=True)
class StudyData:
    """The data of one dataset: what was trained on, what is predicted, and the predictions of each system."""

    train: Corpus
    test: Corpus
    pred: Mapping[str, Any]
    failed: tuple[Failed, ...] = ()
    """The systems whose predictions could not be read."""


@dataclass(frozen=True)
class DatasetFiles:
    """The files of one dataset, which are read when they are needed."""

    name: str
    train: str
    test: str
    pred: Mapping[str, str]
    """The file of each system."""
    reading: Mapping[str, Any] = field(default_factory=dict)

    def has_answers(self) -> bool:
        """Are the predictions of any system answers of a language model?"""
        return any(map(is_answer_file, self.pred.values()))

    def load(self) -> StudyData:
        """Read the files; a system whose predictions cannot be read is left out, and told."""
        reading = parse_reading(self.reading)
        own = columns_for(self.train, reading)
        # tags decode without the scheme and repair of what is scored, bare IO names aside
        scheme = "io" if str(reading["scheme"]).lower() == "io" else None
        column = reading["gold_column"]
        train = read(self.train, column=column, labels=reading["labels"], scheme=scheme, **own)
        own = columns_for(self.test, reading)
        tags = {name: reading[name] for name in ("labels", "scheme", "repair")}
        test = read(self.test, column=column, **tags, **own)
        systems: dict[str, Corpus] = {}
        failed = []
        for system, file in self.pred.items():
            try:
                systems[system] = self._predicted(file, reading)
            except (CleancutError, UnicodeError, OSError) as error:
                failed.append(Failed(self.name, system, reason_of(error)))
        if reading["join_at"]:
            train, test = join_at(train), join_at(test)
            systems = {name: join_at(corpus) for name, corpus in systems.items()}
        return StudyData(train, test, systems, tuple(failed))

    def _predicted(self, file: str, reading: Mapping[str, Any]) -> Corpus:
        """Return the predictions of a system for the test samples."""
        own = dict(reading)
        if not is_answer_file(file):  # the options of answers are for those systems that are language models
            own |= {"answers": None, "ignore_types": False}
        batches = [theirs for _, theirs in system_batches(self.test, file, own, _notes_logged)]
        return Corpus.concatenate(batches)


def _notes_logged(file: str, found: Mapping[str, Samples]) -> None:
    for samples in found.values():
        log_notes(f"{os.path.basename(file)}: {note}" for note in samples.notes)


def reason_of(error: Exception) -> str:
    """Return in one line what is wrong with a file."""
    if isinstance(error, OSError):
        return f"{error.filename or 'input'}: {error.strerror or error}."
    return str(error)


def parse_reading(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the files of a study are read, checked: the options of ``read``, with a column for either side."""
    for name in given:
        if name not in _READING:
            hint = did_you_mean(name, _READING)
            raise CleancutError(f"study: option {quoted(name)} is unknown.{hint} Known: {', '.join(_READING)}.")
    return {**_READING, **given}


def is_study(folder: str | os.PathLike[str]) -> bool:
    """Is it the folder of a study, or of one dataset of a study?"""
    path = Path(folder)
    if not path.is_dir():
        return False
    return _has_predictions(path) or any(map(_has_predictions, _folders_in(path)))


def study_files(
    folder: str | os.PathLike[str], reading: Mapping[str, Any] | None = None
) -> tuple[dict[str, DatasetFiles], list[Failed]]:
    """Return the files of each dataset of a study by its name, and the datasets that lack some.

    Args:
        folder: the folder, which holds one for each dataset; or that of a single dataset.
        reading: how the files are read, where it is not as usual.

    Raises:
        CleancutError: where there is no such folder, or no dataset in it.
    """
    path = Path(checks.checked_path(folder, "the folder of the study"))
    if not path.is_dir():
        raise CleancutError(f"{folder}: no such folder. Give a folder with a folder for each dataset.")
    if not is_study(path):
        wanted = f"Give a folder with a folder for each dataset, which holds train, test and a folder {PREDICTIONS}"
        raise CleancutError(f"{folder} is no study: no folder in it has a folder {PREDICTIONS}. {wanted}.")
    homes = [path] if _has_predictions(path) else _folders_in(path)
    chosen = parse_reading(reading or {})
    found: dict[str, DatasetFiles] = {}
    failed: list[Failed] = []
    for home in homes:
        name = home.resolve().name
        try:
            files = _dataset_files(home, name, chosen)
        except (CleancutError, OSError) as error:
            failed.append(Failed(name, None, reason_of(error)))
        else:
            found |= {name: files} if files is not None else {}
    return found, failed


def _folders_in(path: Path) -> list[Path]:
    return sorted(one for one in path.iterdir() if one.is_dir() and not one.name.startswith((".", "_")))


def _has_predictions(path: Path) -> bool:
    return (path / PREDICTIONS).is_dir()


def _dataset_files(home: Path, name: str, reading: Mapping[str, Any]) -> DatasetFiles | None:
    """Return the files of a dataset; None for a folder that has nothing of one."""
    splits = _splits_in(home)
    if not splits and not _has_predictions(home):
        return None
    for wanted in ("train", "test"):
        if wanted not in splits:
            there = ", ".join(sorted(one.name for one in home.iterdir())[:8]) or "nothing"
            raise CleancutError(f"{home} has no {wanted} file, but {there}. Add one, such as {wanted}.conll.")
    if not _has_predictions(home):
        raise CleancutError(f"{home} has no folder {PREDICTIONS}. Add one with a file for each system.")
    pred: dict[str, str] = {}
    for file in sorted((home / PREDICTIONS).iterdir()):
        if file.name.startswith(".") or file.suffix == ".md":
            continue
        system = file.name if file.is_dir() else Path(file.name.removesuffix(".gz")).stem
        if system in pred:
            both = f"{os.path.basename(pred[system])} and {file.name}"
            raise CleancutError(f"{home / PREDICTIONS} has two files of the system {system}, {both}. Rename one.")
        pred[system] = str(file)
    if not pred:
        raise CleancutError(f"{home / PREDICTIONS} is empty. Add a file for each system.")
    return DatasetFiles(name, str(splits["train"]), str(splits["test"]), pred, reading)


def _splits_in(home: Path) -> dict[str, Path]:
    """Return the splits of a dataset: files by what their names show, and folders of BRAT."""
    found: dict[str, Path] = {}
    for one in sorted(home.iterdir()):
        if one.is_dir():
            split = one.name if one.name != PREDICTIONS and is_brat(Source.of(one)) else None
        else:
            split = split_name(one)
        if split is not None and split in found:
            both = f"{found[split].name} and {one.name}"
            raise CleancutError(f"{home} has two {split} files, {both}. Leave one of them there.")
        if split is not None:
            found[split] = one
    return found
