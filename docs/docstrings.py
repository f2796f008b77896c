"""For mkdocstrings: examples in docstrings as blocks of code, the help of options as the docstrings of fields, and the
values of defaults that are constants of a module.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from typing import Any

import griffe

import cleancut as cc

_EXAMPLES = re.compile(r"(?:^[ \t]*>>> .*\n(?:[ \t]*\S.*\n?)*\n?)+", re.M)
"""Lines from ``>>>`` to the next empty line, and further examples right after that line."""

_HELP = {
    f"{cc.SplitSettings.__module__}.SplitSettings.{field.name}": field.metadata["option"].help
    for field in dataclasses.fields(cc.SplitSettings)
}
"""The help of each option of a split, by the path of its field."""


def with_code_blocks(docstring: str) -> str:
    """Return a docstring in Markdown, in which examples are fenced: ``>>>`` would begin quotations there."""
    return _EXAMPLES.sub(lambda examples: f"```pycon\n{examples[0].strip()}\n```\n\n", f"{docstring}\n").rstrip()


def show_defaults(function: griffe.Function) -> None:
    """Put the values of constants in the place of their names, which tell a reader nothing: ``bins=4``."""
    value: Any = importlib.import_module(function.module.path)
    for name in function.path.removeprefix(f"{function.module.path}.").split("."):
        value = getattr(value, name)
    parameters = inspect.signature(value).parameters
    for parameter in function.parameters:
        if re.fullmatch(r"_?[A-Z][A-Z_]*(\.\w+)?", str(parameter.default)):
            default = parameters[parameter.name].default
            is_plain = isinstance(default, str | int | float | tuple)
            parameter.default = repr(default if is_plain else str(default))


class Readable(griffe.Extension):
    """Changes the docstrings of everything that is documented."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of one object, and the defaults of a function."""
        if obj.is_function and obj.docstring is not None:
            show_defaults(obj)
        if obj.docstring is not None:
            obj.docstring.value = with_code_blocks(obj.docstring.value)
        elif obj.path in _HELP:
            text = _HELP[obj.path]
            obj.docstring = griffe.Docstring(f"{text[0].upper()}{text[1:]}.", parent=obj)
