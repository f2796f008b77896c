"""What a person at a terminal sees besides the results: progress and colour."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from ..core.notices import said_once

Item = TypeVar("Item")


def with_progress(items: Iterable[Item], what: str) -> Iterable[Item]:
    """A progress bar on a terminal, where the work takes more than a moment."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return tqdm(items, desc=os.path.basename(what), unit=" batches", delay=1, leave=False)


@contextmanager
def work_shown(what: str) -> Iterator[Callable[[float], None] | None]:
    """A progress bar on a terminal, to be told what share of the work was done."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    form = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
    with tqdm(total=1.0, desc=what, delay=1, leave=False, bar_format=form) as bar, _waits_told():
        yield lambda share: bar.update(min(share, 1.0 - bar.n))


@contextmanager
def notices_told() -> Iterator[None]:
    """Notices on standard error, each once."""

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            print(f"cleancut: {' '.join(record.getMessage().split())}", file=sys.stderr)

    log, handler = logging.getLogger("cleancut"), Lines(logging.WARNING)
    log.addHandler(handler)
    try:
        with said_once():
            yield
    finally:
        log.removeHandler(handler)


@contextmanager
def _waits_told() -> Iterator[None]:
    """What the package has to say while one waits, in a line each above the bar."""
    from tqdm import tqdm

    class Above(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno < logging.WARNING:  # notices have a handler of their own
                tqdm.write(f"cleancut: {record.getMessage()}", file=sys.stderr)

    log, handler = logging.getLogger("cleancut"), Above()
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)


def quiet_clients() -> None:
    """The Hub's clients show their progress on a terminal only, and leave the words to us."""
    import datasets
    import huggingface_hub

    datasets.logging.set_verbosity_error()
    huggingface_hub.logging.set_verbosity_error()
    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
        huggingface_hub.utils.disable_progress_bars()


def wants_colour() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
