"""spaCy's own files, ``.spacy``, which spaCy reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..core.exceptions import CleancutError
from .exported import TOKEN_SPANS, Exported
from .opening import Row, Source


def doc_bin(source: Source) -> Exported:
    """Read a ``.spacy`` file, with spaCy: tokens as spaCy has them, and the entities of each document."""
    try:
        import spacy
        from spacy.tokens import DocBin
    except ImportError:
        raise CleancutError(f"{source}: a .spacy file is read with spaCy. pip install spacy") from None
    try:
        documents: Iterable[Any] = DocBin().from_bytes(source.read()).get_docs(spacy.blank("xx").vocab)
        return Exported(list(_spacy_rows(documents)), TOKEN_SPANS)
    except (ValueError, KeyError, TypeError) as error:
        raise CleancutError(f"{source}: not a readable .spacy file ({error}).") from None


def _spacy_rows(documents: Iterable[Any]) -> Iterator[Row]:
    for document in documents:
        entities = [{"start": span.start, "end": span.end, "label": span.label_} for span in document.ents]
        yield {"tokens": [token.text for token in document], "entities": entities}


def is_doc_bin(source: Source) -> bool:
    return source.suffix == ".spacy"
