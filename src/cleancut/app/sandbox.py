"""Work in a process of its own, that is ended when it takes too long: what strangers upload must not hold up others."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from ..core.exceptions import CleancutError

_METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


def prepare(modules: Sequence[str]) -> None:
    """Import modules once for all processes to come, where the system can."""
    if _METHOD == "forkserver":
        multiprocessing.get_context(_METHOD).set_forkserver_preload(list(modules))


def run_bounded(
    function: Callable[..., Any],
    *given: Any,
    folder: str,
    seconds: float,
    progress: Callable[[float], None] | None = None,
) -> Any:
    """``function(*given, tell)`` in another process, whose current folder is ``folder``; what it returns.

    ``tell`` takes the share of the work that was done since it was called last, and passes it on to ``progress``. An
    error that is not the user's is printed where the program runs, and only said to have happened.
    """
    context: Any = multiprocessing.get_context(_METHOD)
    ours, theirs = context.Pipe(duplex=False)
    worker = context.Process(target=_work, args=(theirs, folder, function, given), daemon=True)
    worker.start()
    theirs.close()
    end = time.monotonic() + seconds
    try:
        while ours.poll(max(end - time.monotonic(), 0)):
            kind, value = ours.recv()
            if kind == "done":
                return value
            if kind == "refused":
                raise CleancutError(value)
            if progress is not None:
                progress(value)
        raise CleancutError(f"this took longer than {seconds:.0f} seconds and was stopped. Give less text.")
    except (EOFError, BrokenPipeError):  # Windows says that a pipe is broken where others say that it has ended
        raise CleancutError("this failed unexpectedly. What went wrong is in the log of the app.") from None
    finally:
        worker.kill()
        worker.join()
        ours.close()


def _work(connection: Connection, folder: str, function: Callable[..., Any], given: tuple[Any, ...]) -> None:
    os.chdir(folder)
    with suppress(BrokenPipeError):  # nobody waits any more
        try:
            found = function(*given, lambda share: connection.send(("progress", share)))
        except CleancutError as error:
            connection.send(("refused", str(error)))
        else:
            connection.send(("done", found))
