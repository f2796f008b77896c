"""The command line: parse, call one public function, print. One file a group of commands."""

from __future__ import annotations

import argparse
import codecs
import importlib
import json
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from ..core.exceptions import CleancutError, did_you_mean
from ..showing.escaping import one_line
from ..version import __version__
from .paths import guarded
from .terminal import Incomplete, emit, ensure_streams, formats_told, notices_told, tell, tell_text


class _Parser(argparse.ArgumentParser):
    """Errors in one line, with the nearest right name."""

    def error(self, message: str) -> NoReturn:
        stop = "" if message.endswith((".", "?")) else "."
        bounded = CleancutError(f"{self.prog}: {message}{stop} See {self.prog} --help.")
        self.exit(2, one_line(str(bounded)) + "\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stderr:
            tell_text(message)
        elif emit(message.removesuffix("\n")):
            sys.exit(2)

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
        more = ""
        if _VERBOSE in parser.given:
            from .parts import parts_text

            more = f"\n\n{parts_text()}"
        parser.exit(emit(f"cleancut {__version__}{more}"))


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0, or 2 with one line on standard error where the input, or some of it, is bad."""
    ensure_streams()
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
        code = emit(text) if text else 0
        return 2 if isinstance(text, Incomplete) else code
    except (CleancutError, UnicodeError) as error:
        tell(str(error))
        return 2
    except OSError as error:
        tell(f"{error.filename or 'input'}: {error.strerror or error}.")
        return 2
    except KeyboardInterrupt:
        tell("interrupted")
        return 130


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """What the encoding of the output does not have, as JSON writes it: JSON stays JSON in every locale."""
    assert isinstance(error, UnicodeEncodeError)
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


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
