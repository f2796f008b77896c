"""What a person at a terminal sees: results, messages, colour, and what the clients of the Hub have to say.

Standard output and standard error may be closed, full, or a pipe that nobody reads any more.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from ..core.notices import said_once
from ..reading.recognised import formats_heard, formats_read
from ..showing.escaping import one_line, visible


class Incomplete(str):
    """What a command prints though some of its input was bad, which it has told: its exit code is 2."""


def ensure_streams() -> None:
    """Open standard streams that are closed, so that no file of ours gets their place, and print writes nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def tell(message: str) -> None:
    """Print a message in one line on standard error."""
    tell_text(f"cleancut: {one_line(' '.join(message.split()))}\n")


def tell_text(text: str) -> None:
    """Print a text as it is on standard error; where that cannot be written, nobody is told."""
    try:
        print(text, end="", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        _give_up(sys.stderr)


def emit(text: str) -> int:
    """Print a result on standard output.

    Returns:
        The exit code: 0, also where a reader has seen enough; 2 where it cannot be written, which is told.
    """
    try:
        print(_COLOURS.sub(_kept_colour, text), flush=True)
    except (OSError, ValueError) as error:
        _give_up(sys.stdout)
        if not _reader_has_gone(error):
            tell(f"standard output: {getattr(error, 'strerror', None) or error}. The result is not shown.")
            return 2
    return 0


_COLOURS = re.compile("(\x1b\\[[01]m)|([^\x1b]+|\x1b)")
"""Our own marks of colour, and everything else."""


def _kept_colour(found: re.Match[str]) -> str:
    return found[1] or visible(found[2])


def _give_up(stream: TextIO) -> None:
    """Let what is left in a stream that cannot be written go nowhere, or the interpreter would complain at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _reader_has_gone(error: Exception) -> bool:
    """Is it the other end of a pipe that is closed? Windows reports that as an argument that is not valid."""
    if isinstance(error, BrokenPipeError):
        return True
    is_invalid = isinstance(error, OSError) and error.errno == errno.EINVAL and error.filename is None
    return os.name == "nt" and is_invalid


@contextmanager
def notices_told() -> Iterator[None]:
    """Print notices on standard error, each once."""

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            tell(record.getMessage())

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
                    tell(f"{source}: read as {name}")


def quiet_clients() -> None:
    """The Hub's clients show their progress on a terminal only, leave the words to us, and do not wait for ever."""
    import datasets
    import huggingface_hub

    from ..hub.requests import wait_no_longer

    wait_no_longer()

    datasets.logging.set_verbosity_error()
    huggingface_hub.logging.set_verbosity_error()
    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
        huggingface_hub.utils.disable_progress_bars()


def wants_colour() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
