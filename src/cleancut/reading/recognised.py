"""What was recognised: the format of everything that is read, in a few words, for whoever listens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from ..core.tags import Tagging
from .detecting import Shape

_HEARD: ContextVar[dict[str, dict[str, str]] | None] = ContextVar("formats heard", default=None)


@dataclass(frozen=True)
class Recognised:
    """A format, with what was found out about a file of it.

    >>> str(Recognised("CoNLL columns", ("words in column 0", "tags in column 3")))
    'CoNLL columns (words in column 0, tags in column 3)'
    """

    name: str
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(self.details)})" if self.details else self.name

    def with_shape(self, shape: Shape) -> Recognised:
        """Return the same with the columns that were found."""
        inside = f"{shape.sentences}." if shape.sentences else ""
        words = f"{inside}{shape.tokens or shape.text}"
        return self.with_columns(words, f"{inside}{shape.annotation}")

    def with_columns(self, words: str, annotation: str) -> Recognised:
        """Return the same with the columns of the tokens or texts, and of their tags or entities."""
        return Recognised(f"{self.name} with {words} and {annotation}", self.details)

    def with_tags(self, tagging: Tagging | None) -> Recognised:
        """Return the same with the scheme that the tags show; spans have none."""
        scheme = None if tagging is None or not tagging.letters else tagging.scheme()
        return self if scheme is None else Recognised(self.name, (scheme.upper(), *self.details))


@contextmanager
def formats_heard() -> Iterator[None]:
    """While it lasts, ``formats_read`` knows what was read, and as what.

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
    """Say what a source was recognised as; it may be said again when more is known.

    Args:
        source: the path, the name of a text, or the id of a dataset.
        recognised: what it is.
        part: the split or the columns that are meant, where a source is read in several ways.
    """
    heard = _HEARD.get()
    if heard is not None:
        heard.setdefault(source, {})[part] = str(recognised)


def formats_read() -> dict[str, str]:
    """Return what each source was recognised as, by its path, name or id, as far as somebody listens."""
    return {source: " and ".join(dict.fromkeys(parts.values())) for source, parts in (_HEARD.get() or {}).items()}
