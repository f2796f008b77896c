"""Escape foreign text (words, labels, names of files and systems) for each medium, so that it stays text in its place.

There is one function for each medium: ``one_line`` for terminals and messages, ``html_text``, ``markdown_text`` with
``markdown_code``, ``latex_text``, ``csv_text``, ``json_text``. None of them lets a control character through.
"""

from __future__ import annotations

import re

_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Control characters, invisible line ends, characters that change the direction, and halves of characters."""
_BREAKS = str.maketrans({"\n": "\\n", "\t": "\\t"})
"""How line ends and tabs are spelled out."""


def visible(text: str) -> str:
    r"""Return a text of several lines in which control characters and the like are spelled out.

    Args:
        text: the text.

    >>> visible("a\x1b[31m\nb")
    'a\\u001b[31m\nb'
    """
    return _INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def one_line(text: str) -> str:
    r"""Return a text in one line, for a terminal, a table or a message; line ends and tabs are spelled out.

    Args:
        text: the text.

    >>> one_line("a\nb\x07")
    'a\\nb\\u0007'
    """
    return visible(text).translate(_BREAKS)


def json_text(text: str) -> str:
    r"""Return JSON that means the same without control characters, which can only be in its strings.

    Args:
        text: the JSON.

    >>> json_text('["\x7f"]')
    '["\\u007f"]'
    """
    return visible(text)


def html_text(text: str) -> str:
    """Return a text for HTML, in an element or an attribute.

    Args:
        text: the text.
    """
    from html import escape  # which brings all names of characters: what prints to a terminal needs none

    return escape(visible(text))


def markdown_text(text: str) -> str:
    r"""Return a text for Markdown that neither ends a cell or a line nor begins a tag, a link or a picture.

    Args:
        text: the text.

    >>> markdown_text("a|b <b> ![x](y)")
    'a\\|b &lt;b> ![x]\\(y)'
    """
    flat = " ".join(visible(text).split())
    return flat.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("](", "]\\(")


def markdown_code(text: str) -> str:
    """Return a text as a span of code in Markdown, between as many backticks as it takes.

    Args:
        text: the text.

    >>> markdown_code("a"), markdown_code("a`b")
    ('`a`', '`` a`b ``')
    """
    flat = " ".join(visible(text).split())
    if "`" not in flat:
        return f"`{flat}`"
    marks = "`" * (1 + _longest_run(flat))
    return f"{marks} {flat} {marks}"


def markdown_block(text: str, language: str = "") -> str:
    """Return a text as a block of code in Markdown, between fences that it cannot end.

    Args:
        text: the text.
        language: the language of the code, for highlighting.
    """
    fence = "`" * max(3, 1 + _longest_run(text))
    return f"{fence}{language}\n{visible(text)}\n{fence}"


def _longest_run(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max((len(run) for run in re.findall("`+", text)), default=0)


_TEX = str.maketrans({
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "[": "{[}", "]": "{]}",
    "\u2026": r"\ldots{}",
    **{c: f"\\{c}" for c in "&%$#_{}"}, "\n": " ", "\t": " ",
})  # fmt: skip
"""How characters that mean something to LaTeX are written."""


def latex_text(text: str) -> str:
    r"""Return a text escaped for LaTeX: line ends become spaces, ``visible`` spells out other control characters.

    Args:
        text: the text.

    >>> latex_text("50% of a_b\n"), latex_text("bert\N{HORIZONTAL ELLIPSIS}1")
    ('50\\% of a\\_b ', 'bert\\ldots{}1')
    """
    return visible(text).translate(_TEX)


_FORMULA = re.compile(r"[=+\-@|%\uff1d\uff0b\uff0d\uff20]|\\[tu]")
"""The beginning of a text that a spreadsheet may take for a formula."""
_NUMBER = re.compile(r"[-+]?[0-9.]*(e[-+]?[0-9]+)?")
"""A number, which is never taken for a formula."""


def csv_text(text: str) -> str:
    """Return a text for a cell of CSV, in one line; a quote precedes what a spreadsheet would take for a formula.

    Args:
        text: the text.

    >>> csv_text("=cmd()"), csv_text("-0.5"), csv_text("B-PER")
    ("'=cmd()", '-0.5', 'B-PER')
    """
    flat = one_line(text)
    is_formula = _FORMULA.match(flat.lstrip()) is not None and _NUMBER.fullmatch(flat) is None
    return f"'{flat}" if is_formula else flat
