"""The command line: parse, call one public function, print. One file a group of commands."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from ..tags import CleancutError, did_you_mean
from ..version import __version__
from . import (
    auditing,
    comparing,
    completing,
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
from .paths import guarded


class _Parser(argparse.ArgumentParser):
    """Errors in one line, with the nearest right name."""

    def error(self, message: str) -> NoReturn:
        stop = "" if message.endswith((".", "?")) else "."
        self.exit(2, f"{self.prog}: {message}{stop} See {self.prog} --help.\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        # before argparse asks for what is missing, which may be there under a misspelt name
        self._refuse_unknown_options(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def _refuse_unknown_options(self, args: Sequence[str]) -> None:
        known = list(self._option_string_actions)
        for text in args:
            if text == "--" or (self._subparsers is not None and not text.startswith("-")):
                return  # what follows is not for this parser
            name = text.partition("=")[0]
            if not re.match(r"--?[A-Za-z]", name) or " " in text:
                continue  # a value, perhaps a negative number
            short = not name.startswith("--") and name[:2] in known  # as in -oDIR
            if not short and not any(option.startswith(name) for option in known):
                self.error(f"unknown option {name}.{did_you_mean(name, known)}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            hint = did_you_mean(value, choices)
            raise argparse.ArgumentError(action, f"{value!r} is unknown.{hint} Choose one of: {', '.join(choices)}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0, or 2 with one line on standard error where the input is bad."""
    arguments = parser().parse_args(argv)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # half a character in a token must not break the output
    try:
        with guarded(arguments):
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


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = _Parser(
        prog="cleancut",
        description="What an NER score is worth once memory is taken out of it.",
        epilog="cleancut COMMAND --help shows the options of a command, with an example.\n\nexample:\n  cleancut demo",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"cleancut {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for group in (
        scoring, comparing, diagnosing, reporting, auditing, cutting, laddering, folding, publishing, converting,
        completing,
        serving,
    ):  # fmt: skip
        group.add(commands)
    return parser
