"""CoNLL columns: a token a line, with its tag, and a blank line after each sample."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError
from ..core.language_codes import language_before, without_language
from ..core.tags import Scheme
from .batches import FileRow, Options, row_corpora
from .opening import Source
from .writing import Texts, refuse_relations

_DOCSTART = "-DOCSTART-"
CONLL_SUFFIXES = (".conll", ".txt", ".tsv", ".bio", ".iob", ".iob2", ".bioes")


def conll_corpora(source: Source, options: Options, size: int | None) -> Iterator[Corpus]:
    return row_corpora(source, _conll_rows(source, options), options, size, line_per_token=True)


def _conll_rows(source: Source, options: Options) -> Iterator[FileRow]:
    """Columns apart by tabs or spaces; blank lines between samples; ``-DOCSTART-`` begins a document.

    A line at the start of a sample that begins with ``#`` and has other columns than the tokens is a comment;
    ``# id = X`` names the sample.
    """
    layout = conll_layout(source, options.word_column)
    separator, width, word = layout.separator, layout.width, layout.word
    column = layout.tag if options.column is None else options.column
    tokens: list[str] = []
    tags: list[str] = []
    begun, id_, doc, n_docs = 0, None, None, 0
    plain = without_language if layout.has_language_codes else list
    for number, line in source.lines():
        if not line or line.isspace():
            if tokens:
                yield FileRow(begun, id_, doc, plain(tokens), tags, "tags")
                tokens, tags, id_ = [], [], None
            continue
        if line.startswith(_DOCSTART):
            if tokens:
                yield FileRow(begun, id_, doc, plain(tokens), tags, "tags")
                tokens, tags, id_ = [], [], None
            name, bracket, _ = line.partition("(")[2].rpartition(")")
            doc, n_docs = (name or None) if bracket else str(n_docs), n_docs + 1
            continue
        fields = _fields(line, separator)
        if line.startswith("#") and len(fields) != width and not tokens:
            id_ = line.removeprefix("# id = ") if line.startswith("# id = ") else id_
            continue
        if width < 2 or not -width <= column < width or not 0 <= word < width or column % width == word:
            raise CleancutError(
                f"{source}, line {number}: {width} column{'s' * (width != 1)} ({line!r}), but the tag is looked "
                f"for in column {column} beside the token in column {word}. Separate columns by a tab or spaces."
            )
        if len(fields) != width:
            raise CleancutError(
                f"{source}, line {number}: {len(fields)} columns ({line!r}) but {width} on the first line. "
                "Give every token the same columns."
            )
        if not tokens:
            begun = number
        tokens.append(fields[word])
        tags.append(fields[column])
    if tokens:
        yield FileRow(begun, id_, doc, plain(tokens), tags, "tags")


class ConllLayout(NamedTuple):
    """Where a CoNLL file has what."""

    separator: str
    """A tab, or a space that stands for one or more."""
    width: int
    word: int
    """The column of the words: the first that is neither a count of words nor the name of a sentence."""
    tag: int
    """The column of the tags: the last that is no mere placeholder."""
    has_language_codes: bool = False
    """Stands the code of a language before every word (``en:Ada``), as in WikiANN's files?"""
    notes: tuple[str, ...] = ()
    """What is to be known of the choice of columns."""


def conll_layout(source: Source, word_column: int | None = None) -> ConllLayout:
    """Return where a CoNLL file has what, by its first lines; ``word_column`` is taken for the column of words."""
    return source.once(("layout", word_column), lambda: _layout(source, word_column))


def _layout(source: Source, word_column: int | None) -> ConllLayout:
    lines = [line for _, line in zip(range(1000), (line for _, line in source.lines()), strict=False)]
    told = [line for line in lines if line.strip() and not line.startswith((_DOCSTART, "#"))]
    others = [line for line in lines if line.strip() and not line.startswith(_DOCSTART)]
    first = (told or others or [""])[0]
    separator = "\t" if "\t" in first else " "
    width = len(_fields(first, separator))
    samples: list[list[list[str]]] = [[]]
    for line in lines:
        fields = _fields(line, separator)
        if not line.strip():
            samples.append([])
        elif len(fields) == width and not line.startswith(_DOCSTART):
            samples[-1].append(fields)
    samples = [sample for sample in samples if sample]
    word = _word_column(samples, width) if word_column is None else word_column
    rows = [fields for sample in samples for fields in sample]
    has_comments = any(line.startswith("#") for line in lines)
    tag, notes = _tag_column(rows, word, width, has_comments)
    if word and word_column is None:
        notes = (f"the words are read from column {word}. Choose another with word_column=.", *notes)
    words = [fields[word] for fields in rows if 0 <= word < width]
    codes = width > 1 and len(words) > 2 and all(language_before([own]) is not None for own in words)
    said = ("the code of a language before every word is taken away.",) if codes else ()
    return ConllLayout(separator, width, word, tag, codes, (*notes, *said))


def conll_details(source: Source, options: Options) -> tuple[str, ...]:
    """Return which columns are read, counted from 0."""
    layout = conll_layout(source, options.word_column)
    tag = layout.tag if options.column is None else options.column
    return f"words in column {layout.word}", f"tags in column {tag % max(layout.width, 1)}"


def _word_column(samples: Sequence[Sequence[Sequence[str]]], width: int) -> int:
    """Return the first column that does not count the words of a sample, nor name it on each of its lines."""
    word = 0
    while word < width - 2 and (_counts(samples, word) or _names_samples(samples, word)):
        word += 1
    return word


def _counts(samples: Sequence[Sequence[Sequence[str]]], column: int) -> bool:
    """Does a column count the words of each sample, from 0 or from 1?"""
    if len(samples) < 2 or max(map(len, samples)) < 3:
        return False  # too little to tell a count from words that are numbers
    own = [[fields[column] for fields in sample] for sample in samples]
    return any(all(found == [str(i + first) for i in range(len(found))] for found in own) for first in (0, 1))


def _names_samples(samples: Sequence[Sequence[Sequence[str]]], column: int) -> bool:
    """Is a column the same on all lines of each sample, and another in each sample?"""
    names = [{fields[column] for fields in sample} for sample in samples]
    if len(samples) < 3 or max(map(len, samples)) < 3 or not all(len(own) == 1 for own in names):
        return False
    every = set().union(*names)
    return len(every) == len(samples) and all(any(letter.isdigit() for letter in name) for name in every)


_PLACEHOLDERS = {"-", "_", "*", ""}


def _tag_column(
    rows: Sequence[Sequence[str]], word: int, width: int, has_comments: bool
) -> tuple[int, tuple[str, ...]]:
    """Return the column of the tags: the last that holds more than placeholders, and what is to be known of it.

    In files such as GermEval's, which have comments and a count before the words, and where the last of two columns of
    tags has mentions inside those of the other alone, the other is read.
    """
    last = width - 1
    while last > word + 1 and all(fields[last] in _PLACEHOLDERS for fields in rows):
        last -= 1
    two_of_tags = word > 0 and last == word + 2 and all(_are_tags(rows, column) for column in (last - 1, last))
    is_inside = all(fields[last] == "O" or fields[last - 1] != "O" for fields in rows)
    if two_of_tags and is_inside and has_comments:
        said = f"columns {last - 1} and {last} both have tags; the first is read. Choose with column= (--column)."
        return last - 1 - width, (said,)
    return last - width, ()


def _are_tags(rows: Sequence[Sequence[str]], column: int) -> bool:
    return all(fields[column] == "O" or re.match(r"[BIESLUM]-.", fields[column]) for fields in rows)


def _fields(line: str, separator: str) -> list[str]:
    return line.split("\t") if separator == "\t" else [field for field in line.split(" ") if field]


def conll_text(corpus: Corpus, scheme: Scheme | None) -> Iterator[str]:
    """Token, tab, tag; documents and ids as the reader takes them."""
    refuse_relations(corpus, "a CoNLL file")
    rows = zip(corpus.tokens(), corpus.tags(scheme or Scheme.IOB2), strict=True)
    shown: str | None = None
    for i, (tokens, tags) in enumerate(rows):
        where = corpus.mentions.where
        if not tokens:
            raise CleancutError(f"{where(i)}: a sample without tokens cannot be written as CoNLL. Write JSONL.")
        for t, token in enumerate(tokens):
            broken = token.isspace() or token.startswith((_DOCSTART, "\ufeff"))
            if broken or not _fits_a_line(token) or not _fits_a_line(tags[t]):
                shown = f"{token!r} with tag {tags[t]!r}"
                raise CleancutError(f"{where(i, t)}: the token {shown} cannot stand in a CoNLL file. Write JSONL.")
        for names in (corpus.ids, corpus.docs):
            name = names[i] if names else None
            if name is not None and not _fits_a_line(name):
                raise CleancutError(f"{where(i)}: the name {name!r} cannot stand in a CoNLL file. Write JSONL.")
        if corpus.docs is not None and (i == 0 or corpus.docs[i] != shown):
            shown = corpus.docs[i]
            yield f"{_DOCSTART}\t({shown or ''})\tO\n\n"
        if corpus.ids is not None and corpus.ids[i] is not None:
            yield f"# id = {corpus.ids[i]}\n"
        yield "".join(f"{token}\t{tag}\n" for token, tag in zip(tokens, tags, strict=True)) + "\n"


def _fits_a_line(text: str) -> bool:
    return bool(text) and "\t" not in text and "\n" not in text and "\r" not in text


def conll_texts(source: Source) -> Texts:
    """The line that begins the document of each sample, and the lines of the sample with its comments."""
    separator, width, *_ = conll_layout(source)
    head, lines, has_tokens, n_docs = None, list[str](), False, 0
    for _, line in chain(source.lines(), [(0, "")]):
        blank = not line or line.isspace()
        if blank or line.startswith(_DOCSTART):
            if has_tokens:
                yield head, "\n".join(lines) + "\n\n"
                lines, has_tokens = [], False
            if not blank:
                head, n_docs = (line, n_docs), n_docs + 1  # lines may be equal: their number tells documents apart
            continue
        has_tokens |= not (line.startswith("#") and len(_fields(line, separator)) != width)
        lines.append(line)
