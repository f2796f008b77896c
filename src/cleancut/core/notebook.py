"""Results in notebooks: what makes a result show itself as tables."""

from __future__ import annotations

import importlib
import math


def percent(fraction: float) -> str:
    """``0.7456`` -> ``74.56``; a dash where there is nothing to measure."""
    return "-" if math.isnan(fraction) else f"{100 * fraction:.2f}"


class Drawn:
    """A result whose tables a notebook shows."""

    def _repr_html_(self) -> str:
        """Return the tables of the result as HTML.

        They are described in a room that imports this one, and is no part of a Space: so it is asked for by its name.
        """
        page: str = importlib.import_module("cleancut.showing.notebook").html_of(self)
        return page
