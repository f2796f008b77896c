"""The command line: parse, call one public function, print. One file a group of commands."""

from __future__ import annotations

import argparse
import codecs
import errno
import importlib
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from ..core.exceptions import CleancutError, did_you_mean
from ..version import __version__
from .paths import guarded
from .terminal import formats_told, notices_told


class _Parser(argparse.ArgumentParser):
    """Errors in one line, with the nearest right name."""

    def error(self, message: str) -> NoReturn:
        stop = "" if message.endswith((".", "?")) else "."
        self.exit(2, f"{self.prog}: {message}{stop} See {self.prog} --help.\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.given: Sequence[str] = sys.argv[1:] if args is None else args
        # before argparse asks for what is missing, which may be there under a misspelt name
        self._refuse_unknown_options(self.given)
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


_VERBOSE = "--verbose"


class _Version(argparse.Action):
    """Print the version and leave; with --verbose on either side, say which optional parts are here as well."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        assert isinstance(parser, _Parser)
        print(f"cleancut {__version__}")
        if _VERBOSE in parser.given:
            from .parts import parts_text

            print(f"\n{parts_text()}")
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0, or 2 with one line on standard error where the input is bad."""
    if hasattr(sys.stdout, "reconfigure"):
        codecs.register_error("cleancut", _escaped)
        sys.stdout.reconfigure(errors="cleancut")  # half a character in a token must not break the output
    given = sys.argv[1:] if argv is None else argv
    main_parser = parser(given[0] if given and given[0] in MODULES else None)
    arguments = main_parser.parse_args(given)
    if arguments.verbose:
        main_parser.error(f"{_VERBOSE} has no effect without --version. Leave it out.")
    try:
        with guarded(arguments), notices_told(), formats_told():
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
    except OSError as error:
        if _reader_has_gone(error):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"cleancut: {error.filename or 'input'}: {error.strerror or error}.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("cleancut: interrupted", file=sys.stderr)
        return 130
    return 0


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """What the encoding of the output does not have, as JSON writes it: JSON stays JSON in every locale."""
    assert isinstance(error, UnicodeEncodeError)
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _reader_has_gone(error: OSError) -> bool:
    """Is it the other end of a pipe that is closed? Windows reports that as an argument that is not valid."""
    return isinstance(error, BrokenPipeError) or (
        os.name == "nt" and error.errno == errno.EINVAL and error.filename is None
    )


MODULES = {
    "score": "score",
    "compare": "compare",
    "buckets": "buckets",
    "report": "report",
    "audit": "audit",
    "subsets": "subsets",
    "split": "split",
    "incidence": "split",
    "ladder": "ladder",
    "hardeval-folds": "hardeval_folds",
    "stage": "publish",
    "publish-metrics": "publish",
    "publish-app": "publish",
    "publish": "publish",
    "materialise": "publish",
    "convert": "convert",
    "demo": "convert",
    "completion": "completion",
    "app": "app",
}
"""The module of each command: it is imported when the command is asked for, since all of them take a second."""


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of a command, or of all commands."""
    parser = _Parser(
        prog="cleancut",
        description="What an NER score is worth once memory is taken out of it.",
        epilog="cleancut COMMAND --help shows the options of a command, with an example.\n\nexample:\n  cleancut demo",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and leave")
    parser.add_argument(
        _VERBOSE, action="store_true", help="with --version: also which optional parts are here, and how to get others"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for module in dict.fromkeys([MODULES[command]] if command is not None else MODULES.values()):
        importlib.import_module(f".{module}", __name__).add(commands)
    return parser
