"""For mkdocs: equations as MathML, which browsers draw without any script."""

from __future__ import annotations

import re
from typing import Any


def on_page_markdown(markdown: str, **_: Any) -> str:
    """``$$...$$`` as a block and ``$...$`` in a line, outside code."""
    from latex2mathml.converter import convert

    parts = re.split(r"(^```.*?^```|`[^`\n]*`)", markdown, flags=re.M | re.S)
    for i in range(0, len(parts), 2):
        block = re.sub(r"\$\$(.+?)\$\$", lambda m: convert(m[1].strip(), display="block"), parts[i], flags=re.S)
        parts[i] = re.sub(r"(?<![\\$\w])\$([^$\n]+?)\$(?!\w)", lambda m: convert(m[1]), block)
    return "".join(parts)
