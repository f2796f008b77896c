"""Where text is shown: on a terminal, or in a file or a pipe."""

from __future__ import annotations

from typing import NamedTuple


class Screen(NamedTuple):
    """Where a text is shown."""

    colour: bool = False
    """Whether words are marked with colours for a terminal."""
    width: int | None = None
    """The number of columns of the terminal; None for a file or a pipe, where tables keep their width."""


PLAIN = Screen()
"""A file or a pipe."""
