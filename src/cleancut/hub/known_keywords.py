"""The keywords of all evaluate modules. A Space holds one module only, so staging writes this file as a literal."""

from __future__ import annotations

from ..scoring.registry import metrics

KNOWN_KEYWORDS = tuple(sorted({keyword for metric in metrics().values() for keyword in metric.keywords}))
