"""CoNLL columns as they are written: a token, a tab and its tag a line, as other tools read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, quoted
from ..core.language_codes import language_before
from ..core.notices import say
from ..core.tags import Scheme, Where
from .conll import DOCSTART, ID
from .writing import Writing, refuse_relations, telling_lost_ids


def conll_text(corpora: Iterable[Corpus], how: Writing) -> Iterator[str]:
    """Yield the lines of each sample, and a line ``-DOCSTART-`` where a document begins.

    Comments with ids, and names of documents, are written if ``how.ids`` asks for them, because other tools refuse
    them.

    Args:
        corpora: the samples, in parts.
        how: how they are written.

    Raises:
        CleancutError: a sample cannot be written so that it is read again as it is.
    """
    documents = _Documents(how.ids)
    has_codes = _LanguageCodes()
    loses_ids = False
    for corpus in telling_lost_ids(corpora, "CoNLL"):
        refuse_relations(corpus, "a CoNLL file")
        loses_ids |= corpus.ids is not None and not how.ids
        where = corpus.mentions.where
        rows = zip(corpus.tokens(), corpus.tags(how.scheme or Scheme.IOB2), strict=True)
        for i, (tokens, tags) in enumerate(rows):
            _check(tokens, tags, i, where)
            has_codes.see(tokens)
            document = corpus.docs[i] if corpus.docs else None
            yield documents.begun_by(document, where(i))
            if how.ids and corpus.ids is not None and corpus.ids[i] is not None:
                yield f"{ID}{_name(corpus.ids[i], where(i))}\n"
            yield "".join(f"{token}\t{tag}\n" for token, tag in zip(tokens, tags, strict=True)) + "\n"
    has_codes.refuse()
    if loses_ids or documents.loses_names:
        lost = []
        if loses_ids:
            lost.append("ids of samples")
        if documents.loses_names:
            lost.append("names of documents")
        what = " and ".join(lost)
        say(f"{what} are not written to CoNLL, where other tools refuse them. Ask for them with ids=True (--ids).")


def _check(tokens: Sequence[str], tags: Sequence[str], sample: int, where: Where) -> None:
    """Raise an error where a sample would not be read again as it is."""
    if not tokens:
        raise CleancutError(f"{where(sample)}: a sample without tokens cannot be written as CoNLL. Write JSONL.")
    for i, (token, tag) in enumerate(zip(tokens, tags, strict=True)):
        is_broken = token.isspace() or token.startswith((DOCSTART, "\ufeff"))
        if is_broken or not _fits_a_line(token) or not _fits_a_line(tag):
            pair = f"{quoted(token)} with tag {quoted(tag)}"
            raise CleancutError(f"{where(sample, i)}: the token {pair} cannot stand in a CoNLL file. Write JSONL.")


def _fits_a_line(text: str) -> bool:
    """Return whether a text can stand in a column."""
    return bool(text) and "\t" not in text and "\n" not in text and "\r" not in text


def _name(name: str | None, place: str) -> str:
    """Return the name of a sample or a document; raise an error where it does not fit a line."""
    if name is not None and not _fits_a_line(name):
        raise CleancutError(f"{place}: the name {quoted(name)} cannot stand in a CoNLL file. Write JSONL.")
    return name or ""


class _Documents:
    """The lines that begin documents. Without names, a document is all samples between two such lines."""

    def __init__(self, has_names: bool) -> None:
        self._has_names = has_names
        self._last: str | None = None
        self._begun: set[str] = set()
        self.loses_names = False

    def begun_by(self, document: str | None, place: str) -> str:
        """Return the line that is needed before a sample of a document; empty where none is needed."""
        if document == self._last:
            return ""
        if not self._has_names and (document is None or document in self._begun):
            why = f"continues document {quoted(document)}"
            if document is None:
                why = "has no document, but one before it has"
            raise CleancutError(
                f"{place} {why}, which CoNLL cannot say without names. Give ids=True (--ids), or JSONL."
            )
        self.loses_names |= not self._has_names and document != str(len(self._begun))
        self._last = document
        self._begun.add(document or "")
        if not self._has_names:
            return f"{DOCSTART}\tO\n\n"
        return f"{DOCSTART}\t({_name(document, place)})\tO\n\n"


class _LanguageCodes:
    """Notices where all words begin as ``en:Ada`` does, whose beginnings a reader would remove."""

    def __init__(self) -> None:
        self._are_all = True
        self._n_words = 0

    def see(self, tokens: Sequence[str]) -> None:
        """Take notice of the words of a sample."""
        self._n_words += len(tokens)
        self._are_all = self._are_all and all(language_before([token]) is not None for token in tokens)

    def refuse(self) -> None:
        """Raise an error where all words begin so."""
        if self._are_all and self._n_words:
            raise CleancutError("every word has the code of a language before it, which CoNLL loses. Write JSONL.")
