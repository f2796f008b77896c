"""What a person at a terminal sees besides the results: colour, and the words of the clients of the Hub."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..core.notices import said_once
from ..reading.recognised import formats_heard, formats_read


@contextmanager
def notices_told() -> Iterator[None]:
    """Print notices on standard error, each once."""

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
def formats_told() -> Iterator[None]:
    """Listen to what is read; on a terminal, say at the end in a line each what it was recognised as."""
    with formats_heard():
        try:
            yield
        finally:
            if sys.stderr.isatty():
                for source, name in formats_read().items():
                    print(f"cleancut: {source}: read as {name}", file=sys.stderr)


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
