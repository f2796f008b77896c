"""How results are shown: percentages, and tables in notebooks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .rooms import module_of


def percent(fraction: float) -> str:
    """Return a fraction as a percentage with two digits; a dash for NaN, where there is nothing to measure.

    Args:
        fraction: a number from 0 to 1, or NaN.

    >>> percent(0.7456), percent(math.nan)
    ('74.56', '-')
    """
    return "-" if math.isnan(fraction) else f"{100 * fraction:.2f}"


RELATED = {
    "shared": "shared",
    "folded": "differ in case or punctuation",
    "part": "part of one another",
    "template": "same template",
}
"""What splits may have in common under notions of the same name, in words."""


def related_sentence(counts: Mapping[str, Any]) -> str:
    """Return what is left under looser notions in words.

    Args:
        counts: the counts of a pair, as ``left_related`` returns them.

    >>> related_sentence({"rate_shared": 0.0, "rate_folded": 0.164, "rate_part": 0.474, "rate_template": 0.279})
    'shared 0.00%; differ in case or punctuation 16.40%; part of one another 47.40%; same template 27.90%'
    """
    return "; ".join(f"{text} {percent(counts[f'rate_{name}'])}%" for name, text in RELATED.items())


class Drawn:
    """A result that a notebook shows as tables."""

    def _repr_html_(self) -> str:
        """Return the tables of the result as HTML."""
        page: str = module_of("showing.notebook").html_of(self)
        return page
