"""Interruptions: what a program has begun to write is removed, and what must be done as a whole is done before.

Only the standard library's lightest modules are imported, so that a program can ask for this before anything else.
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
    path: str
    process: int
    """Which writes it: a fork of it must leave it alone."""
    unless_filled: bool


_unfinished: list[_Unfinished] = []
"""Files and folders that are not complete, those within others behind these."""


@contextmanager
def unfinished(path: str, *, unless_filled: bool = False) -> Iterator[None]:
    """Remove a file or folder where it is left over: after an error, and where the program ends while this lasts.

    Args:
        path: its name, which need not be there yet: so it is known at every moment.
        unless_filled: keep it, whatever happens, if it is a folder with something in it; remove it otherwise, even
            where all went well.
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
    """Remove what this process has begun to write and will not complete."""
    for entry in reversed(_unfinished):
        if entry.process == os.getpid():
            _remove(entry)


def _remove(entry: _Unfinished) -> None:
    """Remove a file, or a folder with all that is in it; what cannot be removed stays."""
    inside = () if entry.unless_filled else os.walk(entry.path, topdown=False)
    for folder, folders, files in inside:
        for name in (*files, *folders):
            _remove_one(os.path.join(folder, name))
    _remove_one(entry.path)


def _remove_one(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
        return
    with suppress(OSError):
        os.rmdir(path)


atexit.register(remove_unfinished)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Do all of something or nothing: a signal that comes while this lasts takes effect when it is done.

    It has to be short. Signals reach the main thread alone: in any other there is nothing to put off.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    handlers = {number: handler for number, handler in handlers.items() if handler not in (None, signal.SIG_IGN)}
    try:
        for number in handlers:
            signal.signal(number, lambda number, frame: came.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)


def end_quietly_when_interrupted() -> None:
    """Have this process end at once where it is interrupted or terminated, with one line and nothing half-written.

    Its exit code is then 128 and the number of the signal: 130 for an interruption, 143 for a termination. A signal
    that whoever started the program has it ignore is still ignored.
    """
    process = os.getpid()

    def end(number: int, frame: FrameType | None) -> None:
        if os.getpid() != process:  # a worker that was forked: what is unfinished is not its own
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
            return
        for other in _SIGNALS:  # what is removed now is removed whole
            signal.signal(other, signal.SIG_IGN)
        remove_unfinished()
        with suppress(OSError):  # print might be in the middle of a line
            os.write(2, b"cleancut: interrupted\n" if number == signal.SIGINT else b"cleancut: terminated\n")
        os._exit(128 + number)  # no handler, destructor or thread has a word in it

    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)


def leave_interrupts_to_python() -> None:
    """Undo ``end_quietly_when_interrupted``, for a server that has its own way to end."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
