"""The format of everything that is read, in a few words, for the commands that report it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from ..core.tags import Tagging
from .shape import Shape

_HEARD: ContextVar[dict[str, dict[str, str]] | None] = ContextVar("formats heard", default=None)
"""The formats by source and part; None while ``formats_heard`` is not active."""


@dataclass(frozen=True)
class Recognised:
    """A format, with details of the file that was recognised.

    >>> str(Recognised("CoNLL columns", ("words in column 0", "tags in column 3")))
    'CoNLL columns (words in column 0, tags in column 3)'
    """

    name: str
    """The name of the format."""
    details: tuple[str, ...] = ()
    """What else was recognised, such as the scheme of the tags."""

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(self.details)})" if self.details else self.name

    def with_shape(self, shape: Shape) -> Recognised:
        """Return the same with the columns of a shape.

        Args:
            shape: the shape that was detected.
        """
        inside = f"{shape.sentences}." if shape.sentences else ""
        words = f"{inside}{shape.tokens or shape.text}"
        return self.with_columns(words, f"{inside}{shape.annotation}")

    def with_columns(self, words: str, annotation: str) -> Recognised:
        """Return the same with the names of columns.

        Args:
            words: the column of the tokens or texts.
            annotation: the column of their tags or entities.

        >>> str(Recognised("JSONL").with_columns("tokens", "tags"))
        'JSONL with tokens and tags'
        """
        return Recognised(f"{self.name} with {words} and {annotation}", self.details)

    def with_tags(self, tagging: Tagging | None) -> Recognised:
        """Return the same with the scheme that the tags show.

        Args:
            tagging: what the tags tell about their scheme; None for spans.
        """
        scheme = None if tagging is None or not tagging.letters else tagging.scheme()
        return self if scheme is None else Recognised(self.name, (scheme.upper(), *self.details))


@contextmanager
def formats_heard() -> Iterator[None]:
    """Keep what is read, and in which format, for ``formats_read``, as long as the context lasts.

    >>> with formats_heard():
    ...     tell("gold.conll", Recognised("CoNLL columns"))
    ...     formats_read()
    {'gold.conll': 'CoNLL columns'}
    """
    token = _HEARD.set({})
    try:
        yield
    finally:
        _HEARD.reset(token)


def tell(source: str, recognised: Recognised, part: str = "") -> None:
    """Keep the format of a source; it may be told again when more is known.

    Args:
        source: the path, the name of a text, or the id of a dataset.
        recognised: the format.
        part: the split or the columns that are meant, where a source is read in several ways.
    """
    heard = _HEARD.get()
    if heard is not None:
        heard.setdefault(source, {})[part] = str(recognised)


def formats_read() -> dict[str, str]:
    """Return the format of each source by its path, name or id; nothing outside of ``formats_heard``."""
    heard = _HEARD.get() or {}
    return {source: " and ".join(dict.fromkeys(parts.values())) for source, parts in heard.items()}
