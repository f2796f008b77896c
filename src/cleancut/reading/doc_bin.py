"""spaCy's own files, ``.spacy``, which spaCy reads and writes."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from ..core.corpus import Corpus, overlaps
from ..core.exceptions import CleancutError, reason
from ..core.files import replacing
from ..core.limits import PIECE, refuse_endless
from .exported import TOKEN_SPANS, Exported
from .opening import Row, Source
from .writing import Writing, packed, refuse_relations

_BESIDE = ("id", "doc")
"""What the user data of a document may have under these names."""


def is_doc_bin(source: Source) -> bool:
    return source.suffix == ".spacy"


def doc_bin(source: Source) -> Exported:
    """Read a ``.spacy`` file, with spaCy: tokens as spaCy has them, and the entities of each document."""
    _check_spacy(source.name)
    import spacy
    from spacy.tokens import DocBin

    try:
        data = source.read()
        refuse_endless(_unpacked(data), source.name)
        documents: Iterable[Any] = DocBin().from_bytes(data).get_docs(spacy.blank("xx").vocab)
        return Exported(list(_spacy_rows(documents)), TOKEN_SPANS)
    except CleancutError:
        raise
    except Exception as error:  # spaCy checks nothing of what it reads
        raise CleancutError(f"{source}: not a readable .spacy file ({reason(error)}).") from None


def _unpacked(data: bytes) -> Iterator[bytes]:
    """Return what zlib unpacks, piece by piece."""
    unpacker = zlib.decompressobj()
    while data:
        yield unpacker.decompress(data, PIECE)
        data = unpacker.unconsumed_tail


def _check_spacy(path: str) -> None:
    try:
        import spacy  # noqa: F401
    except ImportError:
        raise CleancutError(f"{path}: a .spacy file is read and written with spaCy. pip install spacy") from None


def _spacy_rows(documents: Iterable[Any]) -> Iterator[Row]:
    for document in documents:
        entities = [{"start": span.start, "end": span.end, "label": span.label_} for span in document.ents]
        names = {name: document.user_data[name] for name in _BESIDE if name in document.user_data}
        yield {**names, "tokens": [token.text for token in document], "entities": entities}


def write_doc_bin(corpora: Iterable[Corpus], path: str, how: Writing) -> None:
    """Write a document of spaCy for each sample; ids and documents stand in its user data."""
    if how.scheme:
        raise CleancutError(f"{path}: a .spacy file holds spans, not tags of {how.scheme}. Leave the scheme out.")
    _check_spacy(path)
    import spacy
    from spacy.tokens import DocBin

    vocabulary = spacy.blank("xx").vocab
    written = DocBin(attrs=["ORTH", "SPACY", "ENT_IOB", "ENT_TYPE"], store_user_data=True)
    for corpus in corpora:
        refuse_relations(corpus, "a .spacy file")
        if overlaps(corpus.mentions):
            raise CleancutError(f"{path}: mentions overlap, which the entities of spaCy cannot. Write JSONL or BRAT.")
        for document in _documents(corpus, vocabulary):
            written.add(document)
    with replacing(path) as plain, packed(plain, path) as stream:
        stream.write(written.to_bytes())


def _documents(corpus: Corpus, vocabulary: Any) -> Iterator[Any]:
    from spacy.tokens import Doc, Span

    for i, (tokens, entities) in enumerate(zip(corpus.tokens(), corpus.entities(), strict=True)):
        if "" in tokens:
            place = corpus.mentions.where(i, tokens.index(""))
            raise CleancutError(f"{place}: an empty token cannot stand in a .spacy file. Write JSONL.")
        try:
            document = Doc(vocabulary, words=tokens)
        except UnicodeEncodeError:
            place = corpus.mentions.where(i)
            raise CleancutError(f"{place}: a word holds half a character, which UTF-8 cannot write.") from None
        spans = [Span(document, span["start"], span["end"], label=span["label"]) for span in entities]
        document.set_ents(spans, default="outside")
        names = dict(zip(_BESIDE, (corpus.ids, corpus.docs), strict=True))
        document.user_data.update({name: of[i] for name, of in names.items() if of is not None and of[i] is not None})
        yield document
