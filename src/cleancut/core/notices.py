"""Notices: warnings about numbers that could mislead. They are written to the log ``cleancut``."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LOG = logging.getLogger("cleancut")
_SAID: ContextVar[set[str] | None] = ContextVar("said", default=None)
"""The notices that were logged within ``said_once``."""


def say(notice: str) -> None:
    """Log a notice. Within ``said_once``, the same text is logged once only.

    Args:
        notice: one or more full sentences.
    """
    said = _SAID.get()
    if said is not None:
        if notice in said:
            return
        said.add(notice)
    _LOG.warning("%s", notice)


@contextmanager
def said_once() -> Iterator[None]:
    """Log equal notices once within this context: several scores of one system give the same notices.

    >>> with said_once():
    ...     say("gold has the type PER, training person.")
    ...     say("gold has the type PER, training person.")  # not logged again
    """
    if _SAID.get() is not None:  # an outer context is active, and decides when a notice may come again
        yield
        return
    token = _SAID.set(set())
    try:
        yield
    finally:
        _SAID.reset(token)
