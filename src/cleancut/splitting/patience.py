"""How long a search goes on: until its moves are made, until its time is over, or until someone has had enough.

A search that is stopped makes only the few moves that meet the quotas, and comes back with the best it has.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

from .tuning import TUNING


class Patience:
    """What is left of the time of a search."""

    def __init__(self, seconds: float | None = None, outer: Patience | None = None) -> None:
        self._outer = outer
        self._until = None if seconds is None else time.monotonic() + seconds
        self._seconds = seconds
        self.was_stopped = False
        """Whether someone has stopped the search."""

    def stop(self) -> None:
        """Let the search come to its end."""
        self.was_stopped = True

    @property
    def is_over(self) -> bool:
        """Whether the search should come to its end."""
        return self.was_stopped or self.left <= 0 or (self._outer is not None and self._outer.is_over)

    @property
    def left(self) -> float:
        """The seconds that are left; infinite where no time was set."""
        return float("inf") if self._until is None else self._until - time.monotonic()

    @property
    def spent(self) -> float:
        """The share of the time that has passed; 0 where no time was set."""
        return 0.0 if not self._seconds else min(1 - self.left / self._seconds, 1.0)


_PATIENCE: ContextVar[Patience | None] = ContextVar("patience", default=None)


@contextmanager
def patience(seconds: float | None = None) -> Iterator[Patience]:
    """Set how long the searches inside may take.

    What stops an outer context stops the inner ones, so that a command can stop what a function searches for. A context
    without a time of its own is the outer one.

    Args:
        seconds: the seconds that they may take; None for as long as their moves take.
    """
    outer = _PATIENCE.get()
    if seconds is None and outer is not None:
        yield outer
        return
    inner = Patience(seconds, outer)
    token = _PATIENCE.set(inner)
    try:
        yield inner
    finally:
        _PATIENCE.reset(token)


def granted(moves: int) -> int:
    """Return how many of the moves that a search asks for it may make.

    Args:
        moves: the number of moves that it asks for.
    """
    current = _PATIENCE.get()
    return min(moves, TUNING.least_moves) if current is not None and current.is_over else moves


@contextmanager
def stopped_by_interrupt() -> Iterator[None]:
    """Let the first interruption (Ctrl-C) stop the searches inside, and the second one the program.

    Outside of the main thread, where no signals arrive, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    with patience() as current:

        def stop(number: int, frame: FrameType | None) -> None:
            """Stop the search, and leave the next interruption to whoever had it before."""
            current.stop()
            signal.signal(signal.SIGINT, before)

        signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
