"""For mkdocstrings: examples in docstrings as blocks of code, and the help of options as the docstrings of fields."""

from __future__ import annotations

import dataclasses
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


class Readable(griffe.Extension):
    """Changes the docstrings of everything that is documented."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of one object."""
        if obj.docstring is not None:
            obj.docstring.value = with_code_blocks(obj.docstring.value)
        elif obj.path in _HELP:
            text = _HELP[obj.path]
            obj.docstring = griffe.Docstring(f"{text[0].upper()}{text[1:]}.", parent=obj)
