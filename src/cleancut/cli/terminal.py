"""What is shown at a terminal: results, messages, colour, and the messages of the clients of the Hub.

Standard output and standard error may be closed, full, or a pipe that nobody reads any more.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TextIO

from ..core.exceptions import counted
from ..core.notices import said_once
from ..reading.recognised import formats_heard, formats_read
from ..showing.escaping import one_line, visible
from ..showing.screen import PLAIN, Screen


class Incomplete(str):
    """What a command prints though some of its input was bad, which it has told already; the exit code is 2."""


def ensure_streams() -> None:
    """Open standard streams that are closed, so that no file of ours takes their place, and printing goes nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def tell(message: str) -> None:
    """Print a message in one line on standard error.

    Args:
        message: the message; line breaks in it become spaces.
    """
    tell_text(f"cleancut: {one_line(' '.join(message.split()))}\n")


def tell_text(text: str) -> None:
    """Print a text as it is on standard error; if that cannot be written, do nothing.

    Args:
        text: the text, with its line breaks.
    """
    try:
        print(text, end="", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        _give_up(sys.stderr)


def emit(text: str) -> int:
    """Print a result on standard output.

    Args:
        text: the result, without the last line break.

    Returns:
        The exit code: 0, also if a reader has seen enough and left; 2 if the text cannot be written, which is told.
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
"""Matches a mark of colour that cleancut writes, or else any other text."""


def _kept_colour(match: re.Match[str]) -> str:
    """Return a mark of colour as it is, and any other text with its control characters made visible."""
    return match[1] or visible(match[2])


def _give_up(stream: TextIO) -> None:
    """Discard what is left in a stream that cannot be written; else the interpreter would complain at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _reader_has_gone(error: Exception) -> bool:
    """Return whether the other end of a pipe is closed. Windows reports that as an argument that is not valid."""
    if isinstance(error, BrokenPipeError):
        return True
    is_invalid = isinstance(error, OSError) and error.errno == errno.EINVAL and error.filename is None
    return os.name == "nt" and is_invalid


@contextmanager
def telling_notices() -> Iterator[None]:
    """Print the notices of what runs inside on standard error, each once."""

    class Lines(logging.Handler):
        """Prints each notice as a line."""

        def emit(self, record: logging.LogRecord) -> None:
            """Print a notice."""
            tell(record.getMessage())

    log = logging.getLogger("cleancut")
    handler = Lines(logging.WARNING)
    log.addHandler(handler)
    try:
        with said_once():
            yield
    finally:
        log.removeHandler(handler)


@contextmanager
def telling_formats() -> Iterator[None]:
    """Note what each file is recognised as; on a terminal, tell it at the end, in one line for each file."""
    with formats_heard():
        try:
            yield
        finally:
            if sys.stderr.isatty():
                _tell_formats(formats_read())


_MOST_FILES = 10
"""Files whose formats are told one by one; of more, as many as are alike are told in one line."""


def _tell_formats(read_as: Mapping[str, str]) -> None:
    """Print the format that each file was read as, or of many files how many were read as each."""
    if len(read_as) <= _MOST_FILES:
        for source, name in read_as.items():
            tell(f"{source}: read as {name}")
        return
    for name, n_files in Counter(read_as.values()).items():
        tell(f"{counted(n_files, 'file')}: read as {name}")


def quiet_clients() -> None:
    """Let the clients of the Hub show progress on a terminal only, print no messages, and not wait for ever."""
    import datasets
    import huggingface_hub

    from ..hub.requests import wait_no_longer

    wait_no_longer()
    datasets.logging.set_verbosity_error()
    huggingface_hub.logging.set_verbosity_error()
    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
        huggingface_hub.utils.disable_progress_bars()


def screen() -> Screen:
    """Return where results are shown: on a terminal of some width, or in a file or a pipe, where they keep theirs."""
    if not sys.stdout.isatty():
        return PLAIN
    return Screen(wants_colour(), max(shutil.get_terminal_size().columns, _NARROWEST))


_NARROWEST = 40
"""The number of columns that tables are made for at least."""


def wants_colour() -> bool:
    """Return whether the output goes to a terminal that shows colours, and the user has not refused them."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
