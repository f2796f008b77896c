"""Run work in a process of its own, which is ended when it takes too long or when nobody waits for it any more.

What a stranger uploads must not hold up others: neither by its time, nor by its memory, nor by an error.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from ..core.exceptions import CleancutError

MOST_MEMORY = 6_000_000_000
"""The bytes that the data of one process may take, if the system can limit them."""

_METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
"""How processes are started: by a server that has imported the modules, if the system can do that."""
_TICK = 0.25
"""The seconds after which a worker is looked at again, and its progress is passed on."""
MOST_WAITING = 2.5
"""How many times its processor time a worker may take by the clock, since others may be at work, too."""
_MOST_ENDING = 10
"""The seconds that a busy machine may need to report how a worker has ended."""
_OUT_OF_TIME = -getattr(signal, "SIGXCPU", 1_000)
"""The exit code of a process that has used up its processor time; Windows has no such limit."""


class Stopped(Exception):
    """Raised when nobody waits for the work any more."""


def prepare(modules: Sequence[str]) -> None:
    """Import modules once for all processes to come, if the system can do that.

    Args:
        modules: the names of the modules.
    """
    if _METHOD == "forkserver":
        multiprocessing.get_context(_METHOD).set_forkserver_preload(list(modules))


def steps(
    function: Callable[..., Any],
    *given: Any,
    folder: str,
    seconds: float,
    stopped: threading.Event | None = None,
) -> Generator[float, None, Any]:
    """Yield how much of ``function(*given, tell)`` is done, from 0 to 1, while another process computes it.

    ``tell`` takes the share of the work that was done since it was called last. An error that is not the user's is
    printed to the log of the program; the user is only told that it happened. The process is ended when the generator
    ends, for whatever reason.

    Args:
        function: what is to be computed; the process imports it by its name.
        *given: its arguments, before ``tell``.
        folder: the current folder of the process.
        seconds: the processor time after which the process is ended; by the clock it may take 2.5 times as long.
        stopped: ends the process once it is set.

    Returns:
        What the function returns.

    Raises:
        CleancutError: the function raised it, took too long, or failed.
        Stopped: ``stopped`` was set.
    """
    context: Any = multiprocessing.get_context(_METHOD)
    receiver, sender = context.Pipe(duplex=False)
    worker = context.Process(target=_work, args=(sender, folder, seconds, function, given), daemon=True)
    worker.start()
    sender.close()
    clock_seconds = MOST_WAITING * seconds
    end = time.monotonic() + clock_seconds
    done = 0.0
    try:
        yield done
        while time.monotonic() < end:
            if stopped is not None and stopped.is_set():
                raise Stopped
            if not receiver.poll(min(_TICK, max(end - time.monotonic(), 0))):
                yield done
                continue
            kind, value = receiver.recv()
            if kind == "done":
                yield 1.0
                return value
            if kind == "refused":
                raise CleancutError(value)
            done = min(done + value, 1.0)
        raise CleancutError(f"this took longer than {clock_seconds:g} seconds by the clock and was stopped. {_REMEDY}")
    except (EOFError, BrokenPipeError):  # Windows says that a pipe is broken where others say that it has ended
        worker.join(_MOST_ENDING)
        if worker.exitcode == _OUT_OF_TIME:
            raise CleancutError(
                f"this took longer than {seconds:g} seconds of processor time and was stopped. {_REMEDY}"
            ) from None
        raise CleancutError("this failed unexpectedly. What went wrong is in the log of the app.") from None
    finally:
        worker.kill()
        worker.join()
        receiver.close()


def run_bounded(
    function: Callable[..., Any],
    *given: Any,
    folder: str,
    seconds: float,
    stopped: threading.Event | None = None,
) -> Any:
    """Return what ``function(*given, tell)`` returns in a process of its own.

    Args:
        function: the function, as in ``steps``.
        *given: its arguments, before ``tell``.
        folder: the current folder of the process.
        seconds: the processor time after which the process is ended.
        stopped: ends the process once it is set.

    Raises:
        CleancutError: the function raised it, took too long, or failed.
        Stopped: ``stopped`` was set.
    """
    work = steps(function, *given, folder=folder, seconds=seconds, stopped=stopped)
    while True:
        try:
            next(work)
        except StopIteration as last:
            return last.value


_REMEDY = "Give less text, or use the command line, which has no such limit."
"""What to do where a limit is reached."""


def _work(
    connection: Connection, folder: str, seconds: float, function: Callable[..., Any], given: tuple[Any, ...]
) -> None:
    """Call the function within its limits, and send its progress and its result to the app."""
    try:
        os.chdir(folder)
    except FileNotFoundError:  # the app has ended meanwhile
        return
    _bound(seconds)
    with suppress(BrokenPipeError):  # nobody waits any more
        try:
            result = function(*given, lambda share: connection.send(("progress", share)))
        except CleancutError as error:
            connection.send(("refused", str(error)))
        except MemoryError:
            connection.send(("refused", f"this needs more memory than the app gives. {_REMEDY}"))
        else:
            connection.send(("done", result))


def _bound(seconds: float) -> None:
    """Limit the memory and the processor time of this process, and its time by the clock if the app cannot end it."""
    try:
        import resource
    except ImportError:  # on Windows
        return
    os.nice(5)  # the server answers first
    signal.alarm(int(MOST_WAITING * seconds) + 10)
    whole_seconds = round(seconds)
    bounds = {
        resource.RLIMIT_DATA: (MOST_MEMORY, MOST_MEMORY),
        resource.RLIMIT_CPU: (whole_seconds, whole_seconds + 5),
    }
    for kind, limits in bounds.items():
        with suppress(ValueError, OSError):  # the system has a lower bound, or none of this kind
            resource.setrlimit(kind, limits)
