"""Files of spaCy, ``.spacy``, which are read and written with spaCy."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..core.corpus import Corpus, overlaps
from ..core.exceptions import CleancutError, quoted, reason
from ..core.files import replacing
from ..core.limits import PIECE, refuse_endless
from .exported import TOKEN_SPANS, Exported
from .opening import Row, Source
from .writing import Writing, packed, refuse_relations, telling_lost_ids

_BESIDE = ("id", "doc")
"""The names under which the user data of a document keep the id of a sample and its document."""


def is_doc_bin(source: Source) -> bool:
    """Return whether a source is a file of spaCy, by its name.

    Args:
        source: the source.
    """
    return source.suffix == ".spacy"


def doc_bin(source: Source) -> Exported:
    """Return the rows of a ``.spacy`` file: the tokens and the entities of each document of spaCy.

    Args:
        source: the file.

    Raises:
        CleancutError: spaCy is not installed, or cannot read the file.
    """
    _check_spacy(source.name)
    import spacy
    from spacy.attrs import ENT_TYPE
    from spacy.tokens import DocBin

    try:
        data = source.read()
        refuse_endless(_unpacked(data), source.name)
        stored = DocBin().from_bytes(data)
        documents = list(stored.get_docs(spacy.blank("xx").vocab))
        group = _group_of_spans(documents, source)
        if group is None and ENT_TYPE not in stored.attrs:
            raise CleancutError(
                f"{source}: the file was written without the entities. Add ENT_IOB and ENT_TYPE to attrs of DocBin."
            )
        notes = [] if group is None else [f"no document has ents; the spans of the group {quoted(group)} are read."]
        return Exported(list(_spacy_rows(documents, group)), TOKEN_SPANS, notes)
    except CleancutError:
        raise
    except Exception as error:  # spaCy checks nothing of what it reads
        raise CleancutError(f"{source}: not a readable .spacy file ({reason(error)}).") from None


def _unpacked(data: bytes) -> Iterator[bytes]:
    """Yield what zlib unpacks, piece by piece."""
    unpacker = zlib.decompressobj()
    while data:
        yield unpacker.decompress(data, PIECE)
        data = unpacker.unconsumed_tail


def _check_spacy(path: str) -> None:
    """Raise an error where spaCy is not installed."""
    try:
        import spacy  # noqa: F401
    except ImportError:
        raise CleancutError(f"{path}: a .spacy file is read and written with spaCy. pip install spacy") from None


def _group_of_spans(documents: Sequence[Any], source: Source) -> str | None:
    """Return the group of spans that holds the mentions, as of a span categorizer; None where the entities do."""
    if any(document.ents for document in documents):
        return None
    groups = sorted({name for document in documents for name, spans in document.spans.items() if len(spans)})
    if len(groups) > 1:
        raise CleancutError(
            f"{source}: there are no ents, but groups of spans: {', '.join(groups)}. Store one of them alone."
        )
    return groups[0] if groups else None


def _spacy_rows(documents: Iterable[Any], group: str | None) -> Iterator[Row]:
    """Yield a row for each document of spaCy, with its entities or the spans of a group."""
    for document in documents:
        spans = document.ents if group is None else document.spans.get(group, ())
        entities = [{"start": span.start, "end": span.end, "label": span.label_} for span in spans]
        names = {name: document.user_data[name] for name in _BESIDE if name in document.user_data}
        yield {**names, "tokens": [token.text for token in document], "entities": entities}


def write_doc_bin(corpora: Iterable[Corpus], path: str, how: Writing) -> None:
    """Write a document of spaCy for each sample, whose id and document stand in its user data.

    Args:
        corpora: the samples, in parts.
        path: the file, which appears when it is complete.
        how: how they are written.

    Raises:
        CleancutError: spaCy is not installed, a scheme is given, or a sample cannot stand in a ``.spacy`` file.
    """
    if how.scheme:
        raise CleancutError(f"{path}: a .spacy file holds spans, not tags of {how.scheme}. Leave the scheme out.")
    _check_spacy(path)
    import spacy
    from spacy.tokens import DocBin

    vocabulary = spacy.blank("xx").vocab
    documents = DocBin(attrs=["ORTH", "SPACY", "ENT_IOB", "ENT_TYPE"], store_user_data=True)
    for corpus in telling_lost_ids(corpora, "a .spacy file"):
        refuse_relations(corpus, "a .spacy file")
        if overlaps(corpus.mentions):
            raise CleancutError(f"{path}: mentions overlap, which the entities of spaCy cannot. Write JSONL or BRAT.")
        for document in _documents(corpus, vocabulary):
            documents.add(document)
    with replacing(path) as plain, packed(plain, path) as stream:
        stream.write(documents.to_bytes())


def _documents(corpus: Corpus, vocabulary: Any) -> Iterator[Any]:
    """Yield the samples of a corpus as documents of spaCy; raise an error where one cannot be written."""
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
        for name, values in zip(_BESIDE, (corpus.ids, corpus.docs), strict=True):
            if values is not None and values[i] is not None:
                document.user_data[name] = values[i]
        yield document
