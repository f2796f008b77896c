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
from .answer_rows import is_answer_file
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
"""How the files of a study are read, unless the user asks for another way."""


class Failed(NamedTuple):
    """A dataset that could not be used, or one of its systems."""

    dataset: str
    """The dataset."""
    system: str | None
    """The system; None for the whole dataset."""
    reason: str
    """What is wrong, in one line."""


@dataclass(frozen=True)
class StudyData:
    """The samples of one dataset, and the predictions of each system."""

    train: Corpus
    """The training samples."""
    test: Corpus
    """The test samples."""
    pred: Mapping[str, Any]
    """The predictions of each system for the test samples."""
    failed: tuple[Failed, ...] = ()
    """The systems whose predictions could not be read."""


@dataclass(frozen=True)
class DatasetFiles:
    """The files of one dataset, which are read when they are needed."""

    name: str
    """The name of the dataset."""
    train: str
    """The file of the training samples."""
    test: str
    """The file of the test samples."""
    pred: Mapping[str, str]
    """The file of each system."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """How the files are read, where it is not as usual."""

    def has_answers(self) -> bool:
        """Return whether the predictions of any system are answers of a language model."""
        return any(map(is_answer_file, self.pred.values()))

    def load(self) -> StudyData:
        """Return the samples of the files. A system whose predictions cannot be read is named in the result.

        Raises:
            CleancutError: the training or test samples cannot be read.
        """
        reading = parse_reading(self.reading)
        train_columns = columns_for(self.train, reading)
        # tags decode without the scheme and repair of what is scored, bare IO names aside
        scheme = "io" if str(reading["scheme"]).lower() == "io" else None
        column = reading["gold_column"]
        train = read(self.train, column=column, labels=reading["labels"], scheme=scheme, **train_columns)
        test_columns = columns_for(self.test, reading)
        tags = {name: reading[name] for name in ("labels", "scheme", "repair")}
        test = read(self.test, column=column, **tags, **test_columns)
        systems: dict[str, Corpus] = {}
        failed = []
        for system, file in self.pred.items():
            try:
                systems[system] = self._predicted(file, reading)
            except (CleancutError, UnicodeError, OSError) as error:
                failed.append(Failed(self.name, system, reason_of(error)))
        if reading["join_at"]:
            train = join_at(train)
            test = join_at(test)
            systems = {name: join_at(corpus) for name, corpus in systems.items()}
        return StudyData(train, test, systems, tuple(failed))

    def _predicted(self, file: str, reading: Mapping[str, Any]) -> Corpus:
        """Return the predictions of a system for the test samples."""
        system_reading = dict(reading)
        if not is_answer_file(file):  # the options of answers are for those systems that are language models
            system_reading |= {"answers": None, "ignore_types": False}
        batches = [predicted for _, predicted in system_batches(self.test, file, system_reading, _notes_logged)]
        return Corpus.concatenate(batches)


def _notes_logged(file: str, parts: Mapping[str, Samples]) -> None:
    """Show the notes about the mentions of a file, which they name."""
    for samples in parts.values():
        log_notes(f"{os.path.basename(file)}: {note}" for note in samples.notes)


def reason_of(error: Exception) -> str:
    """Return in one line what is wrong with a file.

    Args:
        error: the error that reading it has raised.
    """
    if isinstance(error, OSError):
        return f"{error.filename or 'input'}: {error.strerror or error}."
    return str(error)


def parse_reading(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the files of a study are read.

    Args:
        options: the options of ``read`` by name, with a column for gold and one for predictions.

    Returns:
        The options with those that were not given, as they usually are.

    Raises:
        CleancutError: there is no such option.
    """
    for name in options:
        if name not in _READING:
            hint = did_you_mean(name, _READING)
            raise CleancutError(f"study: option {quoted(name)} is unknown.{hint} Known: {', '.join(_READING)}.")
    return {**_READING, **options}


def changed_reading(options: Mapping[str, Any]) -> list[str]:
    """Return the names of the options of reading that have other values than the usual ones; None is no value.

    Args:
        options: the options by name.

    Raises:
        CleancutError: there is no such option.

    >>> changed_reading({"scheme": "iob1", "join_at": False, "repair": "CONLLEVAL".lower()})
    ['scheme']
    """
    parse_reading(options)
    given = {name: value for name, value in options.items() if value is not None}
    return [name for name, value in given.items() if not _is_usual(value, _READING[name])]


def _is_usual(value: Any, usual: Any) -> bool:
    """Return whether a value is the usual one; arrays, whose comparison is no truth value, never are."""
    return value is usual or (isinstance(value, str | bool) and value == usual)


def is_study(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder is that of a study, or of one dataset of a study.

    Args:
        folder: the folder.
    """
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
        CleancutError: there is no such folder, or no dataset in it.
    """
    path = Path(checks.checked_path(folder, "the folder of the study"))
    if not os.path.isdir(path):  # which a name that is too long does not end
        raise CleancutError(f"{folder}: no such folder. Give a folder with a folder for each dataset.")
    if not is_study(path):
        wanted = f"Give a folder with a folder for each dataset, which holds train, test and a folder {PREDICTIONS}"
        raise CleancutError(f"{folder} is not a study: no folder in it has a folder {PREDICTIONS}. {wanted}.")
    homes = [path] if _has_predictions(path) else _folders_in(path)
    chosen = parse_reading(reading or {})
    datasets: dict[str, DatasetFiles] = {}
    failed: list[Failed] = []
    for home in homes:
        name = home.resolve().name
        try:
            files = _dataset_files(home, name, chosen)
        except (CleancutError, OSError) as error:
            failed.append(Failed(name, None, reason_of(error)))
        else:
            if files is not None:
                datasets[name] = files
    return datasets, failed


def _folders_in(path: Path) -> list[Path]:
    """Return the folders in a folder, without those whose names begin with a dot or an underscore."""
    folders = [entry for entry in path.iterdir() if entry.is_dir()]
    return sorted(folder for folder in folders if not folder.name.startswith((".", "_")))


def _has_predictions(path: Path) -> bool:
    """Return whether a folder has one with predictions."""
    return (path / PREDICTIONS).is_dir()


def _dataset_files(home: Path, name: str, reading: Mapping[str, Any]) -> DatasetFiles | None:
    """Return the files of a dataset; None for a folder that has nothing of one."""
    splits = _splits_in(home)
    if not splits and not _has_predictions(home):
        return None
    for wanted in ("train", "test"):
        if wanted not in splits:
            names = ", ".join(sorted(entry.name for entry in home.iterdir())[:8]) or "nothing"
            raise CleancutError(f"{home} has no {wanted} file, but {names}. Add one, such as {wanted}.conll.")
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
    splits: dict[str, Path] = {}
    for entry in sorted(home.iterdir()):
        if not entry.is_dir():
            split = split_name(entry)
        else:
            is_data = entry.name != PREDICTIONS and is_brat(Source.of(entry))
            split = entry.name if is_data else None
        if split is None:
            continue
        if split in splits:
            both = f"{splits[split].name} and {entry.name}"
            raise CleancutError(f"{home} has two {split} files, {both}. Leave one of them there.")
        splits[split] = entry
    return splits
