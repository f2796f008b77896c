"""The keywords of all evaluate modules. A Space has one module only: staging writes this file for it, as a literal."""

from __future__ import annotations

from ..scoring.registry import metrics

KNOWN_KEYWORDS = tuple(sorted({keyword for metric in metrics().values() for keyword in metric.keywords}))
