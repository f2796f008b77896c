"""Python programs in processes of their own that need not import everything anew.

    with Programs(folder, environment, ["cleancut.cli", "datasets"]) as programs:
        done = programs.run("-m", "cleancut", "audit", "org/data", cwd=folder, environment=environment)

One interpreter has imported what takes long, and is forked for each program: a second or two of imports are paid once,
and yet each program has an environment, a folder, streams and an exit status of its own. A program that needs another
environment at its start than the interpreter had, and every program where there is no fork, gets a new interpreter.
"""

import gc
import importlib
import json
import os
import runpy
import select
import socket
import subprocess
import sys
import tempfile
import time
import types
from multiprocessing import get_context
from multiprocessing.process import BaseProcess as Process
from pathlib import Path

CAN_FORK = sys.platform == "linux"
READ_AT_START = ("HF_", "PYTHON", "LANG", "LC_")
"""How the names of settings begin that an interpreter, or what it imports, reads once."""
HOME = "HF_HOME"
"""The one among them that differs between programs: to the interpreter it is a link, which leads where each wants."""


class Programs:
    """An interpreter that is forked for each program; ``folder`` is for what it needs."""

    def __init__(self, folder: Path, environment: dict[str, str], imports: list[str], python=sys.executable) -> None:
        self.python, self.imports, self.environment = str(python), imports, environment
        self.address, self.home = str(folder / "programs.socket"), str(folder / "programs.home")

    def __enter__(self) -> "Programs":
        self.process = None
        if CAN_FORK:
            if not os.path.lexists(self.home):  # some clients make the folder when they are imported
                os.mkdir(f"{self.home}.first")
                os.symlink(f"{self.home}.first", self.home)
            # one thread: a process that is forked has no other, and waits for none
            one_thread = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
            environment = {**self.environment, **one_thread, HOME: self.home}
            command = [self.python, __file__, "serve", self.address, self.home, *self.imports]
            self.process = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(self.address).parent
            )
            assert self.process.stdout.readline() == b"ready\n"
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait(60)

    def run(self, *arguments: object, cwd: Path, environment: dict[str, str]) -> subprocess.CompletedProcess:
        """Run what ``python`` would run with these arguments, and return its status and what it has printed."""
        words = [str(argument) for argument in arguments]
        if self.process is None or _start(environment) != _start(self.environment):
            command = [self.python, *words]
            return subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, timeout=300)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, open(os.devnull, "rb") as nothing:
            status = ask(self.address, words, str(cwd), environment, [each.fileno() for each in (nothing, out, err)])
            return subprocess.CompletedProcess(words, status, _text(out), _text(err))

    def shell(self) -> str:
        """What stands for ``python`` in a script of a shell."""
        return f"{sys.executable} -I -S {__file__} ask {self.address}" if self.process else self.python


def _start(environment: dict[str, str]) -> dict[str, str]:
    """What is read once of an environment."""
    return {name: value for name, value in environment.items() if name.startswith(READ_AT_START) and name != HOME}


def _text(stream) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8").replace(os.linesep, "\n")


# --- the two sides ------------------------------------------------------------------------------------------


def ask(address: str, words: list[str], cwd: str, environment: dict[str, str], streams: list[int]) -> int:
    """Have a program run with these standard streams; returns its exit status."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.settimeout(300)
        connection.connect(address)
        socket.send_fds(connection, [json.dumps([words, cwd, environment]).encode()], streams)
        return int(connection.recv(16) or -1)


def serve(address: str, home: str, imports: list[str]) -> None:
    """Fork for each request until standard input ends."""
    for name in imports:
        importlib.import_module(name)
    gc.freeze()  # what is never looked at is never copied
    sleep = time.sleep
    time.sleep = lambda seconds: sleep(seconds / 50)  # clients wait for half a minute before they give up
    running: dict[int, tuple[Process, socket.socket]] = {}
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([0, listener, *running], [], [])
            for sentinel in running.keys() & set(ready):
                process, connection = running.pop(sentinel)
                process.join()
                connection.send(b"%d" % process.exitcode)
                connection.close()
            if listener in ready:
                connection = listener.accept()[0]
                request, streams, _, _ = socket.recv_fds(connection, 1 << 18, 3)
                process = get_context("fork").Process(target=begin, args=(home, streams, *json.loads(request)))
                process.start()
                running[process.sentinel] = process, connection
                for stream in streams:
                    os.close(stream)
            elif 0 in ready:
                return


def begin(home: str, streams: list[int], words: list[str], cwd: str, environment: dict[str, str]) -> None:
    """Give this process the streams, the folder and the environment of a program, and run it."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = os.fdopen(0)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    tempfile.tempdir = None  # which has been read from the environment
    if HOME in environment:
        os.makedirs(environment[HOME], exist_ok=True)
        fresh = f"{home}.{os.getpid()}"
        os.symlink(environment[HOME], fresh)
        os.replace(fresh, home)
    run_as_main(words)


def run_as_main(words: list[str]) -> None:
    """Do what ``python`` does with these words."""
    if words[0] == "-m":
        sys.argv, sys.path[0] = words[1:], os.getcwd()
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif words[0] == "-c":
        sys.argv, sys.path[0] = ["-c", *words[2:]], ""
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(words[1], "<string>", "exec"), vars(module))
    else:
        sys.argv, sys.path[0] = words, str(Path(words[0]).resolve().parent)
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    what, place, *rest = sys.argv[1:]
    if what == "ask":
        sys.exit(ask(place, rest, os.getcwd(), dict(os.environ), [0, 1, 2]))
    serve(place, rest[0], rest[1:])
