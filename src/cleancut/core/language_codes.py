"""Find and remove the code of a language before every word ("en:Ada"), as in the files of WikiANN."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LANGUAGE = re.compile("(?:[a-z]{2,3}|simple)(?:-[a-z]+)*:")


def language_before(words: Sequence[str]) -> str | None:
    """Return the code of a language that stands before every word of a sample; None if there is none.

    Args:
        words: the words of a sample.

    >>> language_before(["en:Ada", "en:ran", "en::"]), language_before(["en:Ada", "ran"])
    ('en:', None)
    """
    match = _LANGUAGE.match(words[0]) if words else None
    if match is None or not all(word.startswith(match.group()) for word in words):
        return None
    return match.group()


def without_language(words: Sequence[str]) -> list[str]:
    """Return words without the code of a language that stands before each of them.

    A word that consists of the code alone stays.

    Args:
        words: the words of a sample.

    >>> without_language(["en:Ada", "en:ran"])
    ['Ada', 'ran']
    """
    code = language_before(words)
    if code is None:
        return list(words)
    return [word.removeprefix(code) or word for word in words]
