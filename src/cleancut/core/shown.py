"""How results are shown: percentages, and tables in notebooks."""

from __future__ import annotations

import math

from .rooms import module_of


def percent(fraction: float) -> str:
    """Return a fraction as a percentage with two digits; a dash for NaN, where there is nothing to measure.

    Args:
        fraction: a number from 0 to 1, or NaN.

    >>> percent(0.7456), percent(math.nan)
    ('74.56', '-')
    """
    return "-" if math.isnan(fraction) else f"{100 * fraction:.2f}"


class Drawn:
    """A result that a notebook shows as tables."""

    def _repr_html_(self) -> str:
        """Return the tables of the result as HTML."""
        page: str = module_of("showing.notebook").html_of(self)
        return page
