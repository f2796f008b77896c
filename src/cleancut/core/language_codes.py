"""The code of a language before every word ("en:Ada"), as in the files of WikiANN."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LANGUAGE = re.compile("(?:[a-z]{2,3}|simple)(?:-[a-z]+)*:")


def language_before(words: Sequence[str]) -> str | None:
    """Return the code of a language that stands before every word of a sample, as in WikiANN's files; else None.

    >>> language_before(["en:Ada", "en:ran", "en::"]), language_before(["en:Ada", "ran"])
    ('en:', None)
    """
    found = _LANGUAGE.match(words[0]) if words else None
    if found is None or not all(word.startswith(found.group()) for word in words):
        return None
    return found.group()


def without_language(words: Sequence[str]) -> list[str]:
    """Return words without the code of a language that stands before each of them; one that is only the code stays.

    >>> without_language(["en:Ada", "en:ran"])
    ['Ada', 'ran']
    """
    code = language_before(words)
    return list(words) if code is None else [word.removeprefix(code) or word for word in words]
