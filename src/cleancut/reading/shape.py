"""The shape of a dataset: which columns hold its tokens, annotation and documents, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from ..core.tags import Scheme
from .conventions import BY_CHARACTERS, Convention
from .spans import TRIPLE, Fields


class Form(StrEnum):
    """How a dataset writes its mentions."""

    TAGS = "tags"
    TOKEN_SPANS = "token spans"
    CHARACTER_SPANS = "character offsets"
    QUOTES = "mentions without offsets"

    @property
    def argument(self) -> str:
        """The argument of ``Corpus.of`` that takes such an annotation."""
        return _ARGUMENTS[self]


_ARGUMENTS = {
    Form.TAGS: "tags",
    Form.TOKEN_SPANS: "entities",
    Form.CHARACTER_SPANS: "entities",
    Form.QUOTES: "entities",
}
"""The argument of ``Corpus.of`` for each form."""


class End(StrEnum):
    """Whether the end of a span belongs to it."""

    EXCLUSIVE = "exclusive"
    INCLUSIVE = "inclusive"

    @property
    def is_inclusive(self) -> bool:
        """Whether the end of a span belongs to it, as a bool."""
        return _IS_INCLUSIVE[self]


_IS_INCLUSIVE = {End.EXCLUSIVE: False, End.INCLUSIVE: True}
"""Whether the end of a span belongs to it, for each choice of ``End``."""


@dataclass(frozen=True)
class Shape:
    """The columns of a dataset that hold its tokens, annotation and documents; ``str(shape)`` says it in a line.

    >>> from cleancut import detect
    >>> shape = detect([{"tokens": ["Ada", "ran"], "ner_tags": ["B-PER", "O"], "pos_tags": ["NNP", "VBD"]}])
    >>> print(shape)
    tokens: tokens; tags: ner_tags (strings, iob2)
    """

    form: Form
    """How mentions are written."""
    annotation: str
    """The column with the tags or the entities."""
    tokens: str | None = None
    """The column with the tokens; None where there is only text."""
    text: str | None = None
    """The column with the text; None where the tokens are read."""
    document: str | None = None
    """The column that names the document of a row; None where there is none."""
    sentences: str | None = None
    """The column whose items are the samples, where a row is a document; the columns above are then its fields."""
    sentence: str | None = None
    """The column that numbers the sentences, where a row is a token."""
    labels: Any = None
    """The names of label ids; None where the annotation holds names."""
    scheme: Scheme | None = None
    """The scheme of the tags; None where it is inferred from them."""
    convention: Convention = BY_CHARACTERS[0]
    """How the offsets of spans are counted."""
    prefixed: bool = False
    """Whether the code of a language stands before every word, as in ``en:Ada``."""
    pieces: bool = False
    """Whether the entities are pieces with B- and I- labels, to be joined."""
    detail: str = ""
    """A description of the annotation, such as ``strings, iob2``."""
    packed: frozenset[str] = frozenset()
    """The columns whose values are lists inside strings."""
    fields: Fields = TRIPLE
    """The fields of spans."""
    ids: str | None = None
    """The column, or the field of spans, with the ids of entities; None where they are not read."""
    has_column_of_ids: bool = False
    """Whether the ids of entities are a column of the rows."""

    @property
    def inclusive(self) -> bool:
        """Whether the end of a span belongs to it."""
        return self.convention.inclusive

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        names = [self.tokens, self.text, self.annotation, self.sentence]
        if self.sentences:
            names = [self.sentences]
        ids = self.ids if self.has_column_of_ids else None
        return [name for name in dict.fromkeys([*names, self.document, ids]) if name is not None]

    def __str__(self) -> str:
        parts = []
        if self.sentence:
            parts.append(f"one token a row, samples by: {self.sentence}")
        if self.sentences:
            parts.append(f"sentences: {self.sentences}")
        if self.tokens:
            prefixed = " (without the code of the language)" if self.prefixed else ""
            parts.append(f"tokens: {self.tokens}{prefixed}")
        if self.text:
            parts.append(f"text: {self.text}")
        parts.append(f"{self.form.argument}: {self.annotation} ({self.detail or self.form})")
        if self.document:
            parts.append(f"document: {self.document}")
        return "; ".join(parts)


class Given(NamedTuple):
    """The columns and settings that the caller has named; None where they are to be detected."""

    tokens: str | None = None
    """The column of tokens."""
    tags: str | None = None
    """The column of tags or label ids."""
    entities: str | None = None
    """The column of spans."""
    text: str | None = None
    """The column of the text."""
    labels: Any = None
    """The names of label ids."""
    scheme: Scheme | None = None
    """The scheme of the tags."""
    document: str | None = None
    """The column that names the document of a row."""
    end: End | None = None
    """Whether the end of a span belongs to it."""
    ids: str | None = None
    """The column, or the field of spans, with the ids of entities."""

    def inside(self, column: str) -> Given:
        """Return these settings for the fields of a column: ``sentences.words`` becomes ``words``.

        Args:
            column: the column whose items have the fields.
        """
        prefix = f"{column}."
        tokens = self.tokens and self.tokens.removeprefix(prefix)
        tags = self.tags and self.tags.removeprefix(prefix)
        return self._replace(tokens=tokens, tags=tags)
