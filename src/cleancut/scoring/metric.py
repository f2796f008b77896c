"""The metrics that score a system, by their names."""

from __future__ import annotations

from collections.abc import Callable

from .clean import clean_f1
from .exact import exact_f1
from .hard_tokens import hardeval
from .partial import partial_f1
from .score import Score

METRICS: dict[str, Callable[..., Score]] = {
    "exact_f1": exact_f1,
    "partial_f1": partial_f1,
    "clean_f1": clean_f1,
    "hardeval": hardeval,
}
