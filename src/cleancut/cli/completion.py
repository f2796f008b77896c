"""The command ``cleancut completion``."""

from __future__ import annotations

import argparse
from typing import Any

from ..core.exceptions import CleancutError
from .options import command

SHELLS = ("bash", "zsh", "fish")
"""The shells that a script can be written for."""
_FILES = {"FILE", "SOURCE", "PLAN", "IN", "OUT"}
"""The names under which the help of an argument shows that it is a file."""
_FOLDERS = {"DIR", "STUDY"}
"""The names under which the help of an argument shows that it is a folder."""


def add(commands: Any) -> None:
    """Add ``cleancut completion`` to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
    """
    parser = command(
        commands,
        "completion",
        _completion,
        "print a script that completes commands, options and files in a shell",
        "cleancut completion bash > ~/.local/share/bash-completion/completions/cleancut",
    )
    parser.add_argument(
        "shell", metavar="SHELL", choices=SHELLS, help=f"the shell that is to complete: {', '.join(SHELLS)}"
    )


def _completion(arguments: argparse.Namespace) -> str:
    """Return the script that completes the commands, options and files of cleancut in a shell."""
    try:
        import shtab
    except ImportError:
        raise CleancutError('completion needs shtab. Install it: pip install "cleancut[completion]".') from None
    from . import parser

    main = parser()
    subparsers = next(action for action in main._actions if isinstance(action, argparse._SubParsersAction))
    for subparser in subparsers.choices.values():
        for action in subparser._actions:
            if action.choices is None and action.metavar in _FILES:
                action.complete = shtab.FILE
            elif action.metavar in _FOLDERS:
                action.complete = shtab.DIRECTORY
    return shtab.complete(main, shell=arguments.shell).rstrip()
