"""Starts programs that serve, waits until they answer, and ends them."""

import os
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Serving(NamedTuple):
    """A program that serves: where, its files, and its process."""

    url: str
    folder: Path
    pid: int


@contextmanager
def served(command, folder, cwd=None, **environment):
    """A server in a process of its own, until it is no longer needed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / "log.txt"
    places = {"GRADIO_TEMP_DIR": str(folder / "files"), "TMPDIR": str(folder), "GRADIO_SERVER_PORT": str(port)}
    with log.open("w") as stream:
        process = subprocess.Popen(
            command, stdout=stream, stderr=stream, cwd=cwd, env={**os.environ, **environment, **places}
        )
    url = f"http://127.0.0.1:{port}/"
    try:
        for _ in range(960):
            try:
                urllib.request.urlopen(url, timeout=60).close()
                break
            except OSError:
                assert process.poll() is None, log.read_text()
                time.sleep(0.25)
        yield Serving(url, folder, process.pid)
    finally:
        process.terminate()
        process.wait(20)
    assert "Traceback" not in log.read_text()
