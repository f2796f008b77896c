"""The command line: each command parses its arguments, calls one public function, and prints the result.

Each file of this folder holds one command or a few that belong together.
"""

from __future__ import annotations

import argparse
import codecs
import importlib
import json
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from ..core.exceptions import CleancutError, did_you_mean, quoted
from ..showing.escaping import one_line
from ..version import __version__
from .paths import guarded
from .terminal import Incomplete, emit, ensure_streams, tell, tell_text, telling_formats, telling_notices


class _Parser(argparse.ArgumentParser):
    """A parser that reports errors in one line, with the nearest right name."""

    def error(self, message: str) -> NoReturn:
        """Print an error in one line and end with exit code 2."""
        stop = "" if message.endswith((".", "?")) else "."
        bounded = CleancutError(f"{self.prog}: {message}{stop} See {self.prog} --help.")
        self.exit(2, one_line(str(bounded)) + "\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help or an error; end with exit code 2 where the output cannot be written."""
        if file is sys.stderr:
            tell_text(message)
        elif emit(message.removesuffix("\n")):
            sys.exit(2)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments; a misspelt option is refused before a missing one is asked for."""
        self.given: Sequence[str] = sys.argv[1:] if args is None else args
        self._refuse_unknown_options(self.given)
        return super().parse_known_args(args, namespace)

    def _refuse_unknown_options(self, args: Sequence[str]) -> None:
        """Report an option that this parser does not have; the parser of a command checks what follows it."""
        known = list(self._option_string_actions)
        for text in args:
            if text == "--" or (self._subparsers is not None and not text.startswith("-")):
                return  # what follows is not for this parser
            name = text.partition("=")[0]
            if not re.match(r"--?[A-Za-z]", name) or " " in text:
                continue  # a value, perhaps a negative number
            short = not name.startswith("--") and name[:2] in known  # as in -oDIR
            if not short and not any(option.startswith(name) for option in known):
                long = [option for option in known if option.startswith("--")]
                long.remove("--help")  # which is named below
                self.error(f"unknown option {name}.{did_you_mean(name, long)} --help lists the options.")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not among the choices, and name the nearest one."""
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            hint = did_you_mean(value, choices)
            raise argparse.ArgumentError(
                action, f"{quoted(value)} is unknown.{hint} Choose one of: {', '.join(choices)}"
            )


_VERBOSE = "--verbose"


class _Version(argparse.Action):
    """Print the version and exit; with --verbose on either side, also show which optional packages are installed."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        assert isinstance(parser, _Parser)
        text = f"cleancut {__version__}"
        if _VERBOSE in parser.given:
            from .parts import parts_text

            text += f"\n\n{parts_text()}"
        parser.exit(emit(text))


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: the arguments, without the name of the program; by default those of the process.

    Returns:
        The exit code: 0; 2 where the input, or some of it, is bad, with one line on standard error; 130 after Ctrl-C.
    """
    ensure_streams()
    if hasattr(sys.stdout, "reconfigure"):
        codecs.register_error("cleancut", _escaped)
        sys.stdout.reconfigure(errors="cleancut")  # half a character in a token must not break the output
    given = sys.argv[1:] if argv is None else argv
    command = given[0] if given and given[0] in MODULES else None
    main_parser = parser(command)
    arguments, too_many = main_parser.parse_known_args(given)
    if too_many:
        main_parser.prog = f"cleancut {command}"
        main_parser.error(f"{quoted(too_many[0])} is one value too many")
    arguments.command_line = list(given)
    if arguments.verbose:
        main_parser.error(f"{_VERBOSE} has no effect without --version. Leave it out.")
    try:
        with guarded(arguments), telling_notices(), telling_formats():
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
    """Return characters that the output encoding lacks as JSON escapes: JSON stays JSON in every locale."""
    assert isinstance(error, UnicodeEncodeError)
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


GROUPS = {
    "score systems": {"score": "score", "compare": "compare", "buckets": "buckets", "report": "report"},
    "look at data": {"audit": "audit", "convert": "convert"},
    "split data": {
        "split": "split",
        "subsets": "subsets",
        "ladder": "ladder",
        "hardeval-folds": "hardeval_folds",
        "incidence": "split",
    },
    "use the Hub": {
        "publish": "publish",
        "materialise": "publish",
        "publish-metrics": "publish",
        "publish-app": "publish",
        "stage": "publish",
    },
    "other": {"demo": "convert", "app": "app", "completion": "completion"},
}
"""The commands by what people want to do, each with its module.

A module is imported when its command is asked for, since importing all takes a second.
"""
MODULES = {command: module for group in GROUPS.values() for command, module in group.items()}
"""The module of each command."""


class _Grouped(argparse.RawDescriptionHelpFormatter):
    """Help that lists the commands in groups."""

    def _format_action(self, action: argparse.Action) -> str:
        """Return the help of an action; that of the commands is in groups."""
        by_name = {one.dest: one for one in self._iter_indented_subactions(action)}
        if not by_name:
            return super()._format_action(action)
        lines = []
        for title, names in GROUPS.items():
            lines.append(f"{' ' * self._current_indent}{title}:\n")
            self._indent()
            lines += [super(_Grouped, self)._format_action(by_name[name]) for name in names]
            self._dedent()
        return self._join_parts(lines)


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of a command, or of all commands.

    Args:
        command: the name of the command, a key of ``MODULES``; None for all of them.
    """
    parser = _Parser(
        prog="cleancut",
        description="Show what an NER score is worth once memorised names are taken out of it.",
        epilog="cleancut COMMAND --help shows the options of a command, with an example.\n\nexample:\n  cleancut demo",
        formatter_class=_Grouped,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    parser.add_argument(
        _VERBOSE,
        action="store_true",
        help="with --version: also show which optional packages are installed, and how to install the others",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    modules = MODULES.values() if command is None else [MODULES[command]]
    for module in dict.fromkeys(modules):
        importlib.import_module(f".{module}", __name__).add(commands)
    return parser
