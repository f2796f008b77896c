"""The command line: parse, call one public function, print. One file a group of commands."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from ..tags import CleancutError
from ..version import __version__
from . import (
    auditing,
    comparing,
    converting,
    cutting,
    diagnosing,
    folding,
    laddering,
    publishing,
    reporting,
    scoring,
    serving,
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0, or 2 with one line on standard error where the input is bad."""
    arguments = _parser().parse_args(argv)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # half a character in a token must not break the output
    try:
        text = arguments.run(arguments)
        if text:
            print(text)
            sys.stdout.flush()
    except CleancutError as error:
        print(f"cleancut: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except UnicodeError as error:
        print(f"cleancut: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of a pipe has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"cleancut: {error.filename or 'input'}: {error.strerror or error}.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("cleancut: interrupted", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="cleancut", description="What an NER score is worth once memory is taken out of it.")
    parser.add_argument("--version", action="version", version=f"cleancut {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for group in (
        scoring, comparing, diagnosing, reporting, auditing, cutting, laddering, folding, publishing, converting,
        serving,
    ):  # fmt: skip
        group.add(commands)
    return parser
