"""Notices: what a reader must know of a number that could mislead. They go to the log ``cleancut``, as warnings."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LOG = logging.getLogger("cleancut")
_SAID: ContextVar[set[str] | None] = ContextVar("said", default=None)


def say(notice: str) -> None:
    """Log a notice; within ``said_once`` each text once."""
    said = _SAID.get()
    if said is not None:
        if notice in said:
            return
        said.add(notice)
    _LOG.warning("%s", notice)


@contextmanager
def said_once() -> Iterator[None]:
    """Log equal notices once while this lasts: several scores of one system have the same to say.

    >>> with said_once():
    ...     say("gold has the type PER, training person.")
    ...     say("gold has the type PER, training person.")  # not logged again
    """
    if _SAID.get() is not None:  # whoever began it, ends it
        yield
        return
    token = _SAID.set(set())
    try:
        yield
    finally:
        _SAID.reset(token)
