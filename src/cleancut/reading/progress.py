"""Progress bars: one at a time, on a terminal or in a notebook, and none where those of datasets are switched off."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Item = TypeVar("Item")
Told = Callable[[float], None]
"""A function that is told what share of the work was done since it was told last."""


class _Bar:
    """The one bar that may be shown. What runs under it shows none of its own."""

    is_shown = False
    """Whether the bar is shown at this moment."""


def is_wanted() -> bool:
    """Return whether a bar would be seen, and bars are neither switched off nor shown already.

    ``datasets.disable_progress_bars()`` switches these bars off too.
    """
    datasets: Any = sys.modules.get("datasets")
    if datasets is not None and datasets.utils.are_progress_bars_disabled():
        return False
    return not _Bar.is_shown and (sys.stderr.isatty() or "ipykernel" in sys.modules)


def with_progress(items: Iterable[Item], what: str) -> Iterator[Item]:
    """Yield items as they are, and show a bar where going through them takes more than a moment.

    Args:
        items: the items.
        what: a path, whose last part the bar shows.

    >>> list(with_progress([1, 2], "a file"))
    [1, 2]
    """
    if not is_wanted():
        yield from items
        return
    from tqdm.auto import tqdm

    _Bar.is_shown = True
    try:
        yield from tqdm(items, desc=os.path.basename(what), unit=" batches", delay=1, leave=False)
    finally:
        _Bar.is_shown = False


@contextmanager
def work_shown(what: str, told: Told | None = None) -> Iterator[Told | None]:
    """Show a bar where work takes more than a moment.

    Args:
        what: the text of the bar.
        told: a function of the caller's that is told instead, and no bar is shown.

    Yields:
        The function that the work is to tell what share of it was done; None if nobody listens.
    """
    if told is not None or not is_wanted():
        yield told
        return
    from tqdm.auto import tqdm

    form = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
    _Bar.is_shown = True
    try:
        with tqdm(total=1.0, desc=what, delay=1, leave=False, bar_format=form) as bar, _waits_told():
            yield lambda share: bar.update(min(share, 1.0 - bar.n))
    finally:
        _Bar.is_shown = False


@contextmanager
def _waits_told() -> Iterator[None]:
    """Show what the package logs while the user waits, in a line each above the bar."""
    from tqdm.auto import tqdm

    log = logging.getLogger("cleancut")

    class AboveTheBar(logging.Handler):
        """Prints notices above the progress bar."""

        def emit(self, record: logging.LogRecord) -> None:
            """Print a notice."""
            if record.levelno < logging.WARNING or log.handlers == [self]:  # else notices have a handler of their own
                tqdm.write(f"cleancut: {record.getMessage()}", file=sys.stderr)

    handler = AboveTheBar()
    level_before = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level_before)
