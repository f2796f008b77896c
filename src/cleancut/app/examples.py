"""The examples that tabs open with: their files, and their results, which a server computes once for all visitors."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

from ..core.exceptions import CleancutError
from ..core.same import Notion
from ..splitting.audit import Unit
from . import jobs, sandbox

SYSTEMS = ("perceptron", "small", "lookup")
"""The systems that are compared, on the random split."""
SPLITS = ("train", "test")
"""The splits of an example."""
SPLIT_OPTIONS = ("auto", "80/10/10", Unit.SAMPLE.value, 13, 20, Notion.EXACT.value)
"""The options that the Split tab opens with: discard, ratios, unit, seed, least mentions of a type, the same names."""
SCORE_OPTIONS = ("", 1.0)
"""The options that the Score tab opens with: other names for types, and beta."""
AUDIT_OPTIONS = (Unit.SAMPLE.value, "", Notion.EXACT.value)
"""The options that the Audit tab opens with: unit, other names for types, which names count as the same."""

_MOST_SECONDS = 600
"""The seconds of processor time after which an example is given up: more than a request has, since nobody waits."""


class Example(NamedTuple):
    """The files of one test set and one system, in the folder of the examples."""

    split: str
    """The folder of the split."""
    system: str
    """The name of the system."""

    def files(self, folder: Path) -> list[Path]:
        """Return the files of gold annotation, predictions and training data.

        Args:
            folder: the folder of the examples.
        """
        return [folder / self.split / f"{name}.conll" for name in ("test", self.system, "train")]

    def texts(self, folder: Path) -> list[str]:
        """Return the texts of gold annotation, predictions and training data.

        Args:
            folder: the folder of the examples.
        """
        return [file.read_text("utf-8") for file in self.files(folder)]


EXAMPLES = {
    "A perceptron, random split": Example("random", "perceptron"),
    "The same, clean split": Example("clean", "perceptron"),
    "A look-up of training names, random split": Example("random", "lookup"),
}
"""The examples of the Score tab by their titles."""


class Shelf:
    """The results of the examples, which ``fill`` computes one after the other, each in a process of its own.

    Args:
        folder: the folder of the examples.
    """

    def __init__(self, folder: Path) -> None:
        self._work = _work(folder)
        self._results: dict[str, Future[jobs.Made]] = {}
        for name in self._work:
            self._results[name] = Future()
            self._results[name].set_running_or_notify_cancel()  # a visitor who leaves must not take it from the others

    def fill(self, home: str) -> None:
        """Begin to compute all results.

        Args:
            home: the folder that the files of the results are moved to.
        """
        threading.Thread(target=self._fill, args=(home,), daemon=True).start()

    def _fill(self, home: str) -> None:
        """Compute all results, one after the other."""
        for i, (name, (work, given)) in enumerate(self._work.items()):
            destination = Path(home, str(i))
            destination.mkdir(parents=True)
            try:
                with tempfile.TemporaryDirectory() as folder:
                    made = sandbox.run_bounded(work, *given, folder=folder, seconds=_MOST_SECONDS)
                    files = tuple(str(shutil.move(Path(folder, file), destination)) for file in made.files)
            except (CleancutError, OSError) as error:
                self._results[name].set_exception(error)
            else:
                self._results[name].set_result(made._replace(files=files))

    async def result(self, name: str) -> jobs.Made:
        """Return the result of an example as soon as it is computed; its files are paths.

        Args:
            name: the title of an example of the Score tab, or the name of another tab.
        """
        return await asyncio.wrap_future(self._results[name])


def _work(folder: Path) -> Mapping[str, tuple[Callable[..., jobs.Made], Sequence[Any]]]:
    """Return the job and its arguments for each example or tab, in the order of computing."""
    first, *others = EXAMPLES
    splits = [folder / "random" / f"{name}.conll" for name in SPLITS]
    gold, _, train = EXAMPLES[first].files(folder)
    systems = [folder / "random" / f"{name}.conll" for name in SYSTEMS]
    return {
        first: (jobs.score, (*EXAMPLES[first].files(folder), *SCORE_OPTIONS)),
        "audit": (jobs.audit_splits, (splits, "", *AUDIT_OPTIONS)),
        **{name: (jobs.score, (*EXAMPLES[name].files(folder), *SCORE_OPTIONS)) for name in others},
        "compare": (jobs.compare_systems, (gold, systems, train, "")),
        "split": (jobs.split, (splits, "", *SPLIT_OPTIONS)),
    }
