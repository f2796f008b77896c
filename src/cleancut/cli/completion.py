"""cleancut completion."""

from __future__ import annotations

import argparse
from typing import Any

from ..core.exceptions import CleancutError
from .options import command

SHELLS = ("bash", "zsh", "fish")
_FILES = {"FILE", "SOURCE", "PLAN", "IN", "OUT"}
"""Names under which the help of an argument shows that it is a file."""


def add(commands: Any) -> None:
    parser = command(
        commands,
        "completion",
        _completion,
        "print a script that completes commands, options and files in a shell",
        "cleancut completion bash > ~/.local/share/bash-completion/completions/cleancut",
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"the shell: {', '.join(SHELLS)}")


def _completion(arguments: argparse.Namespace) -> str:
    try:
        import shtab
    except ImportError:
        raise CleancutError('completion needs shtab. Install it: pip install "cleancut[completion]".') from None
    from . import parser

    main = parser()
    subparsers = next(action for action in main._actions if isinstance(action, argparse._SubParsersAction))
    for one in subparsers.choices.values():
        for action in one._actions:
            if action.choices is None and action.metavar in _FILES:
                action.complete = shtab.FILE
            elif action.metavar == "DIR":
                action.complete = shtab.DIRECTORY
    return shtab.complete(main, shell=arguments.shell).rstrip()
