"""Interruptions: half-written files are removed, and steps that belong together are completed first.

Only light modules of the standard library are imported, so that a program can set this up before anything else.
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NamedTuple

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))


class _Unfinished(NamedTuple):
    """A file or folder that is not complete."""

    path: str
    process: int
    """The process that writes it. A fork of this process must not remove it."""
    unless_filled: bool


_unfinished: list[_Unfinished] = []
"""Files and folders that are not complete; a folder stands before what is inside it."""


@contextmanager
def unfinished(path: str, *, unless_filled: bool = False) -> Iterator[None]:
    """Remove a file or folder after an error, and if the program ends inside this context.

    Args:
        path: the file or folder. It need not exist yet, so that it is known before it is made.
        unless_filled: keep a folder that has something in it, whatever happens. An empty one is removed, even if
            all went well.
    """
    entry = _Unfinished(path, os.getpid(), unless_filled)
    _unfinished.append(entry)
    try:
        yield
    except BaseException:
        _remove(entry)
        raise
    finally:
        if unless_filled:
            _remove(entry)
        _unfinished.remove(entry)


def remove_unfinished() -> None:
    """Remove everything that this process has begun to write and will not complete."""
    for entry in reversed(_unfinished):
        if entry.process == os.getpid():
            _remove(entry)


def _remove(entry: _Unfinished) -> None:
    """Remove a file, or a folder with everything in it. What cannot be removed stays."""
    contents = () if entry.unless_filled else os.walk(entry.path, topdown=False)
    for folder, folders, files in contents:
        for name in (*files, *folders):
            _remove_one(os.path.join(folder, name))
    _remove_one(entry.path)


def _remove_one(path: str) -> None:
    """Remove a file or an empty folder, if that is possible."""
    with suppress(OSError):
        os.unlink(path)
        return
    with suppress(OSError):
        os.rmdir(path)


atexit.register(remove_unfinished)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Do several steps without an interruption: a signal that comes in between takes effect afterwards.

    The steps have to be short. Signals reach the main thread only, so this has no effect in any other thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    postponed: list[int] = []
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    handlers = {number: handler for number, handler in handlers.items() if handler not in (None, signal.SIG_IGN)}
    try:
        for number in handlers:
            signal.signal(number, lambda number, frame: postponed.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(postponed):
            signal.raise_signal(number)


def end_quietly_when_interrupted() -> None:
    """Make this process end at once when it is interrupted or terminated, with one line and nothing half-written.

    Its exit code is then 128 plus the number of the signal: 130 for an interruption, 143 for a termination. A signal
    that the process was started to ignore is still ignored.
    """
    process = os.getpid()

    def end(number: int, frame: FrameType | None) -> None:
        """Remove what is unfinished, say in one line why the program ends, and end it."""
        if os.getpid() != process:  # a forked worker, to which the unfinished files do not belong
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
            return
        for other in _SIGNALS:  # so that a second signal does not stop the removal
            signal.signal(other, signal.SIG_IGN)
        remove_unfinished()
        message = b"cleancut: interrupted\n" if number == signal.SIGINT else b"cleancut: terminated\n"
        with suppress(OSError):  # not print, which may have been interrupted in the middle of a line
            os.write(2, message)
        os._exit(128 + number)  # at once: no other handler, destructor or thread runs

    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)


def leave_interrupts_to_python() -> None:
    """Undo ``end_quietly_when_interrupted``, for a server that ends in its own way."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            handler = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            signal.signal(number, handler)
