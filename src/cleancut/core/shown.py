"""What results show of themselves: percentages, and tables in notebooks."""

from __future__ import annotations

import math

from .rooms import module_of


def percent(fraction: float) -> str:
    """``0.7456`` -> ``74.56``; a dash where there is nothing to measure."""
    return "-" if math.isnan(fraction) else f"{100 * fraction:.2f}"


class Drawn:
    """A result whose tables a notebook shows."""

    def _repr_html_(self) -> str:
        """Return the tables of the result as HTML."""
        page: str = module_of("showing.notebook").html_of(self)
        return page
