"""CoNLL columns: a token a line, with its tag, and a blank line after each sample."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.coded import Coded
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, quoted
from ..core.inputs import RawTags, Words, arrow_numbers
from ..core.language_codes import language_before, without_language
from ..core.vocabulary import Vocabulary
from .batches import ListedRows, Options, Rows, row_corpora
from .column_names import TAG_A_ROW, TOKEN_A_ROW
from .columns import plain_name
from .id_fields import conll_column_of_ids
from .opening import BYTE_ORDER_MARK, Block, Source
from .writing import Texts

DOCSTART = "-DOCSTART-"
"""The line that begins a document."""
ID = "# id = "
"""What stands before the id of a sample, in a comment."""
CONLL_SUFFIXES = (".conll", ".txt", ".tsv", ".bio", ".iob", ".iob2", ".bioes")
"""The usual endings of names."""


_WIDEST = 256
"""The number of columns of lines that are read at once; each takes memory, so that a line of a million would take all.
"""


def conll_corpora(source: Source, options: Options, size: int | None) -> Iterator[Corpus]:
    """Yield the samples of CoNLL columns.

    Args:
        source: the file.
        options: how it is read.
        size: the number of samples of each corpus but the last; None for one corpus of all samples.

    Raises:
        CleancutError: a line has other columns than the first; the message names it.
    """
    return row_corpora(source, _conll_blocks(source, options), options, size, line_per_token=True)


def _conll_blocks(source: Source, options: Options) -> Iterator[Rows | ListedRows]:
    """Yield samples block by block: all lines at once where they are as usual, else line by line."""
    layout = conll_layout(source, options.word_column)
    _check_first_tag(source, layout, options)
    columns = _Columns.of(layout, options.column)
    if options.ids is not None and columns.are_there:
        taken = {"words": columns.word, "tags": columns.tag}
        columns = columns._replace(ids=conll_column_of_ids(options.ids, columns.width, taken, source))
    names = _Names()
    for block in source.blocks(b"\n\n", b"\n\r\n"):
        if layout.header is not None and block.line == 1:  # its line stays, so that errors number lines as they are
            block = block._replace(data=block.data.replace(layout.header.encode(), b"", 1))
        rows: Rows | ListedRows | None = None
        is_usual = columns.are_there and columns.width <= _WIDEST and columns.ids is None
        if is_usual and not columns.has_language_codes:
            rows = _rows_at_once(block, columns, names)
        if rows is None:
            rows = _rows_by_line(source, block, columns, names)
        yield rows


class _Columns(NamedTuple):
    """The columns of the words and tags of a file."""

    separator: str
    width: int
    word: int
    tag: int
    has_language_codes: bool
    ids: int | None = None
    """The column of the ids of entities; None where they are not read."""

    @classmethod
    def of(cls, layout: ConllLayout, column: int | None) -> _Columns:
        """Return the columns of a layout; ``column`` is that of the tags, where the caller names it."""
        tag = layout.tag if column is None else column
        return cls(layout.separator, layout.width, layout.word, tag, layout.has_language_codes)

    @property
    def are_there(self) -> bool:
        """Whether each line has both columns, and they are different columns."""
        in_range = -self.width <= self.tag < self.width and 0 <= self.word < self.width
        return self.width > 1 and in_range and self.tag % self.width != self.word


class _Names:
    """The id of the sample and the name of the document that were read last."""

    def __init__(self) -> None:
        self.id: str | None = None
        self.doc: str | None = None
        self._n_docs = 0

    def tell(self, line: str) -> None:
        """Take notice of a comment, or of the line that begins a document."""
        if line.startswith(DOCSTART):
            name, bracket, _ = line.partition("(")[2].rpartition(")")
            self.doc = str(self._n_docs)
            if bracket:
                self.doc = name or None
            self._n_docs += 1
        elif line.startswith(ID):
            self.id = line.removeprefix(ID)

    def of_sample(self) -> tuple[str | None, str | None]:
        """Return the id and the document of a sample that ends; the next sample has not the same id."""
        sample_id = self.id
        self.id = None
        return sample_id, self.doc


def _rows_by_line(source: Source, block: Block, columns: _Columns, names: _Names) -> ListedRows:
    """Return the samples of a block, read line by line.

    Columns are separated by tabs or spaces, and samples by blank lines; ``-DOCSTART-`` begins a document. A line at the
    start of a sample that begins with ``#`` and has other columns than the tokens is a comment; ``# id = X`` names the
    sample.
    """
    rows = ListedRows("tags")
    tokens: list[str] = []
    tags: list[str] = []
    entity_ids: list[str] = []
    first_line = 0
    for number, line in chain(source.lines_of(block), [(0, "")]):
        is_blank = not line or line.isspace()
        if is_blank or line.startswith(DOCSTART):
            if tokens:
                words = without_language(tokens) if columns.has_language_codes else tokens
                sample_id, document = names.of_sample()
                rows.append(first_line, words, tags, sample_id, document, None, entity_ids)
                tokens, tags = [], []
                entity_ids = []
            if not is_blank:
                names.tell(line)
            continue
        fields = _fields(line, columns.separator)
        if line.startswith("#") and len(fields) != columns.width and not tokens:
            names.tell(line)
            continue
        _check_line(source, number, line, len(fields), columns)
        if not tokens:
            first_line = number
        tokens.append(fields[columns.word])
        tags.append(fields[columns.tag])
        if columns.ids is not None:
            entity_ids.append(fields[columns.ids])
    return rows


def _check_line(source: Source, number: int, line: str, n_fields: int, columns: _Columns) -> None:
    """Raise an error where a line has not the columns of the first one."""
    width = columns.width
    if line.startswith("{") and line.endswith("}") and (n_fields != width or not columns.are_there):
        raise CleancutError(f"{source}, line {number}: a JSON object in a file of CoNLL columns. Name the file .jsonl.")
    if not columns.are_there:
        columns_word = "column" if width == 1 else "columns"
        remedy = "Separate columns by a tab or spaces."
        if width > 1:  # one that was asked for is not there, as of a file without predictions
            remedy = "Give the number of a column that is there; predictions may be in a file of their own (--pred)."
        raise CleancutError(
            f"{source}, line {number}: {width} {columns_word} ({quoted(line)}), but the tag is looked "
            f"for in column {columns.tag} beside the token in column {columns.word}. {remedy}"
        )
    if n_fields != width:
        raise CleancutError(
            f"{source}, line {number}: {n_fields} columns ({quoted(line)}) but {width} on the first line. "
            "Give every token the same columns."
        )


# --- many lines at once ---------------------------------------------------------------------------------------------

_MARK = b"\0"
"""What stands in the place of a comment, and of a line that begins a document."""
_MARKED_LINES = re.compile(rb"\n((?:#|-DOCSTART-)[^\n]*)")
"""Matches comments, and lines that begin a document."""


def _rows_at_once(block: Block, columns: _Columns, names: _Names) -> Rows | None:
    """Return the samples of a block of usual lines, as ``_rows_by_line`` does; None where a line is not as usual.

    Every line is brought to have the same number of separators, also blank ones and comments: so it is one row of
    separated values, which Arrow reads.
    """
    separator = columns.separator.encode()
    data = _even_lines(block.data, separator)
    if data is None:
        return None
    marked: list[str] = []

    def as_mark(line: re.Match[bytes]) -> bytes:
        text = line[1]
        if text.startswith(b"#") and text.count(separator) == columns.width - 1:
            return line[0]  # a token
        marked.append(text.decode("utf-8"))
        return b"\n" + _MARK + separator * (columns.width - 1)

    data = b"\n" + data
    try:
        if b"\n#" in data or b"\n-DOCSTART-" in data:
            data = _MARKED_LINES.sub(as_mark, data)
    except UnicodeDecodeError:
        return None
    blank = b"\n" + separator * (columns.width - 1) + b"\n"
    data = data.replace(b"\n\n", blank).replace(b"\n\n", blank)[1:]
    lines = _lines_in(data, columns.separator, columns)
    return None if lines is None else _samples_in(block.line, lines, columns, marked, names)


def _even_lines(data: bytes, separator: bytes) -> bytes | None:
    """Return lines that end with a line feed and have one separator between fields; None where they cannot have."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if b"\r" in data or _MARK in data:
        return None
    if not data.endswith(b"\n"):
        data += b"\n"
    if separator == b" ":
        while b"  " in data:
            data = data.replace(b"  ", b" ")
        data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n").removeprefix(b" ")
    return data


class _Lines(NamedTuple):
    """The kinds of the lines of a block, and its columns as numbers. A line that is neither token nor mark is blank."""

    is_token: NDArray[np.bool_]
    is_mark: NDArray[np.bool_]
    columns: list[_Column]

    def tokens(self, number: int) -> _Column:
        """Return a column of the lines that are tokens, without the texts that no token has."""
        codes, texts = self.columns[number]
        codes = codes[self.is_token]
        is_used = np.zeros(len(texts), bool)
        is_used[codes] = True
        used = [texts[code] for code in np.flatnonzero(is_used).tolist()]
        return _Column((np.cumsum(is_used) - 1)[codes], used)


class _Column(NamedTuple):
    """A column of a block: a number for each line, and the texts that the numbers stand for."""

    codes: NDArray[np.integer]
    texts: list[str]

    def lines_with(self, text: str) -> NDArray[np.bool_]:
        """Return for each line whether it has a text."""
        if text not in self.texts:
            return np.zeros(len(self.codes), bool)
        return self.codes == self.texts.index(text)


def _lines_in(data: bytes, separator: str, columns: _Columns) -> _Lines | None:
    """Return the lines of a block; None where one has another number of fields, or lacks a tag, or is not UTF-8.

    Arrow's reader of separated values splits the lines and numbers the fields. It must not see quotes, nulls or a
    byte order mark in them: they are words.
    """
    import pyarrow as pa
    from pyarrow import csv

    if data.startswith(BYTE_ORDER_MARK):
        return None
    names = [str(number) for number in range(columns.width)]
    numbered = pa.dictionary(pa.int32(), pa.large_string())
    try:
        table = csv.read_csv(
            pa.py_buffer(data),
            csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
            csv.ParseOptions(delimiter=separator, quote_char=False, escape_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(column_types=dict.fromkeys(names, numbered), strings_can_be_null=False),
        )
    except pa.ArrowInvalid:
        return None
    read = [_Column(arrow_numbers(part.indices), part.dictionary.to_pylist()) for part in _only_chunks(table)]
    is_token = ~read[columns.tag].lines_with("")
    is_mark = read[0].lines_with(_MARK.decode())
    is_blank = np.logical_and.reduce([column.lines_with("") for column in read])
    if not (is_token | is_mark | is_blank).all():
        return None
    return _Lines(is_token, is_mark, read)


def _only_chunks(table: Any) -> list[Any]:
    """Return the columns of a table that was read as one block."""
    return [column.chunk(0) for column in table.columns]


def _samples_in(first_line: int, lines: _Lines, columns: _Columns, marked: list[str], names: _Names) -> Rows | None:
    """Return the samples, which are runs of lines that are tokens; None where a line in one is not as usual."""
    marks = np.flatnonzero(lines.is_mark)
    is_inside = lines.is_token[np.maximum(marks - 1, 0)].tolist()
    if any(inside and text.startswith("#") for text, inside in zip(marked, is_inside, strict=True)):
        return None
    words, vocabulary = lines.tokens(columns.word)
    tags, inventory = lines.tokens(columns.tag)
    if any(tag.isspace() for tag in inventory):
        return None
    edges = np.flatnonzero(np.diff(lines.is_token, prepend=False, append=False))
    begins = edges[::2]
    lengths = np.diff(edges)[::2]
    small = np.uint8 if len(inventory) <= 256 else np.int32
    coded = Coded(
        Words(words.astype(np.int32), lengths, Vocabulary(vocabulary)),
        RawTags(tags.astype(small), lengths, tuple(inventory)),
    )
    ids, documents = _names_of(begins.tolist(), marks.tolist(), marked, names)
    return Rows("tags", "tags", coded, (first_line + begins).tolist(), ids, documents, [None] * len(begins))


def _names_of(
    begins: Sequence[int], marks: Sequence[int], marked: Sequence[str], names: _Names
) -> tuple[list[str | None], list[str | None]]:
    """Return the ids and the documents of samples that begin at some lines, as the marked lines between them say."""
    if not marks and names.id is None:
        return [None] * len(begins), [names.doc] * len(begins)
    ids: list[str | None] = []
    documents: list[str | None] = []
    n_told = 0
    for begin in begins:
        while n_told < len(marks) and marks[n_told] < begin:
            names.tell(marked[n_told])
            n_told += 1
        sample_id, document = names.of_sample()
        ids.append(sample_id)
        documents.append(document)
    for text in marked[n_told:]:
        names.tell(text)
    return ids, documents


class ConllLayout(NamedTuple):
    """The columns of a CoNLL file."""

    separator: str
    """A tab, or a space that stands for one or more."""
    width: int
    """The number of columns."""
    word: int
    """The column of the words: the first that is neither a count of words nor the name of a sentence."""
    tag: int
    """The column of the tags: the last that is no mere placeholder."""
    has_language_codes: bool = False
    """Whether the code of a language stands before every word (``en:Ada``), as in WikiANN's files."""
    header: str | None = None
    """The first line, where it names the columns."""
    odd_tag: str | None = None
    """What the first line has in the place of its tag, where all other lines have a tag and it has none."""
    notes: tuple[str, ...] = ()
    """What the user should know about the choice of columns."""


def conll_layout(source: Source, word_column: int | None = None) -> ConllLayout:
    """Return the columns of a CoNLL file, by its first lines.

    Args:
        source: the file.
        word_column: the column of the words; None to recognise it.
    """
    return source.once(("layout", word_column), lambda: _layout(source, word_column))


def _layout(source: Source, word_column: int | None) -> ConllLayout:
    """Return the columns of a CoNLL file, by its first lines."""
    lines = [line for _, line in islice(source.lines(), _FIRST_LINES)]
    not_blank = [line for line in lines if line.strip()]
    with_comments = [line for line in not_blank if not line.startswith(DOCSTART)]
    token_lines = [line for line in with_comments if not line.startswith("#")]
    if not token_lines:  # words that all begin with #, rather than comments
        token_lines = sorted(with_comments, key=lambda line: "\t" not in line)
    first = token_lines[0] if token_lines else ""
    separator = "\t" if "\t" in first else " "
    width = len(_fields(first, separator))
    header = _header(lines, separator)
    named_by = None if header is None else header.line
    samples = _samples_of_fields([line for line in lines if line != named_by], separator, width)
    has_comments = any(line.startswith("#") for line in lines)
    if word_column is not None:
        word = word_column
    elif header is not None:
        word = header.word
    else:
        word = _word_column(samples, width, has_comments)
    rows = [fields for sample in samples for fields in sample]
    tag, notes = _tag_column(rows, word, width, has_comments)
    behind = None
    if header is None and word_column is None:
        behind = _word_behind_tag(rows, width)
    if behind is not None:
        word = behind
        tag = -width
        notes = (f"the tags are read from column 0 and the words from column {word}.",)
    elif header is not None:
        tag = header.tag - width
        notes = (f"a line names the columns; tags are read from {quoted(header.tag_name)}.",)
    elif word and word_column is None:
        notes = (f"the words are read from column {word}. Choose another with word_column=.", *notes)
    words = [fields[word] for fields in rows] if 0 <= word < width else []
    has_codes = width > 1 and len(words) > 2 and all(language_before([token]) is not None for token in words)
    if has_codes:
        notes = (*notes, "the code of a language before every word is taken away.")
    return ConllLayout(separator, width, word, tag, has_codes, named_by, _odd_tag(rows, tag), notes)


_FIRST_LINES = 1000
"""The number of lines by which the layout is recognised."""


def _samples_of_fields(lines: Sequence[str], separator: str, width: int) -> list[list[list[str]]]:
    """Return the fields of each line of each sample; lines of another width are left out."""
    samples: list[list[list[str]]] = [[]]
    for line in lines:
        fields = _fields(line, separator)
        if not line.strip():
            samples.append([])
        elif len(fields) == width and not line.startswith(DOCSTART):
            samples[-1].append(fields)
    return [sample for sample in samples if sample]


class _Header(NamedTuple):
    """The columns that a file names, by its first line or by a comment as in CoNLL-U Plus."""

    line: str | None
    """The first line; None where a comment names the columns."""
    word: int
    """The column of the words."""
    tag: int
    """The column of the tags."""
    tag_name: str
    """The name of the column of the tags."""


_COLUMNS = re.compile(r"#\s*global\.columns\s*=\s*(.+)")
"""Matches the comment that names the columns of CoNLL-U Plus."""


def _header(lines: Sequence[str], separator: str) -> _Header | None:
    """Return the columns that are named; None where the first line is a token, or there is no other line."""
    line, *others = [line for line in lines if line.strip()] or [""]
    in_comment = _COLUMNS.match(line)
    fields = in_comment[1].split() if in_comment else _fields(line, separator)
    names = [plain_name(field.rpartition(":")[2]) for field in fields]
    word = next((names.index(name) for name in TOKEN_A_ROW if name in names), None)
    tag = next((names.index(name) for name in TAG_A_ROW if name in names), None)
    if word is None or tag is None or word == tag or not others:
        return None
    other_rows = [_fields(other, separator) for other in others]
    rows = [row for row in other_rows if len(row) == len(fields)]
    is_named_again = any(row[tag] == fields[tag] for row in rows)  # a type may be called so
    if is_named_again or not rows:
        return None
    header_line = None if in_comment else line
    return _Header(header_line, word, tag, fields[tag])


def _odd_tag(rows: Sequence[Sequence[str]], tag: int) -> str | None:
    """Return what the first line has in the column of tags, where all other lines have a tag and it has none."""
    if len(rows) < 2 or -tag > len(rows[0]) or _are_tags(rows[:1], tag) or not _are_tags(rows[1:], tag):
        return None
    return rows[0][tag]


def _check_first_tag(source: Source, layout: ConllLayout, options: Options) -> None:
    """Raise an error where the first line may name the columns, or be a token without a tag."""
    if layout.odd_tag is None or options.column is not None or options.scheme is not None:
        return
    raise CleancutError(
        f"{source}: the first line has {quoted(layout.odd_tag)} where all others have a tag such as B-PER or O. "
        "Remove the line if it names the columns; write its tag with a prefix letter if it is a token."
    )


def conll_details(source: Source, options: Options) -> tuple[str, ...]:
    """Return which columns of a file are read, counted from 0.

    Args:
        source: the file.
        options: how it is read.
    """
    layout = conll_layout(source, options.word_column)
    tag = layout.tag if options.column is None else options.column
    return f"words in column {layout.word}", f"tags in column {tag % max(layout.width, 1)}"


def _word_column(samples: Sequence[Sequence[Sequence[str]]], width: int, has_comments: bool) -> int:
    """Return the first column that does not count the words of a sample, nor name it on each of its lines."""
    word = 0
    while word < width - 2 and (_counts(samples, word, has_comments) or _names_samples(samples, word)):
        word += 1
    return word


def _counts(samples: Sequence[Sequence[Sequence[str]]], column: int, has_comments: bool) -> bool:
    """Return whether a column counts the words of each sample from 0 or 1, alone or with its number (``3-1``)."""
    numbers = [_without_number([fields[column] for fields in sample]) for sample in samples]
    if not _count_from(0, numbers) and not _count_from(1, numbers):
        return False
    if has_comments or len(samples) < 2 or max(map(len, samples)) > 2:
        return has_comments or len(samples) > 1  # one sample may be words that are numbers
    # in short samples words may be numbers too; then the next column is not of words, and has fewer values
    n_values = len({fields[column] for sample in samples for fields in sample})
    n_next = len({fields[column + 1] for sample in samples for fields in sample})
    return n_next > n_values


def _count_from(first: int, samples: Sequence[Sequence[str]]) -> bool:
    """Return whether the values of each sample count from a number."""
    return all(list(values) == [str(first + i) for i in range(len(values))] for values in samples)


def _without_number(values: list[str]) -> list[str]:
    """Return values without the number and the hyphen that all of them begin with, if they do."""
    first = re.match(r"\d+-", values[0])
    if first is None or not all(value.startswith(first[0]) for value in values):
        return values
    return [value.removeprefix(first[0]) for value in values]


def _names_samples(samples: Sequence[Sequence[Sequence[str]]], column: int) -> bool:
    """Return whether a column is the same on all lines of each sample, and another in each sample."""
    names_of_samples = [{fields[column] for fields in sample} for sample in samples]
    if len(samples) < 3 or max(map(len, samples)) < 3 or not all(len(names) == 1 for names in names_of_samples):
        return False
    all_names = set().union(*names_of_samples)
    return len(all_names) == len(samples) and all(any(letter.isdigit() for letter in name) for name in all_names)


def _word_behind_tag(rows: Sequence[Sequence[str]], width: int) -> int | None:
    """Return the column of the words where the first column has the tags and the last has none; else None.

    It is the one with the most values among those that are neither numbers nor placeholders. Features such as
    ``w[0]=Ada`` are no words.
    """
    is_first = width > 1 and _has_names(rows, 0) and not any(_IS_TAG.fullmatch(fields[-1]) for fields in rows)
    if not is_first:
        return None
    n_values = {}
    for column in range(1, width):
        values = {fields[column] for fields in rows}
        if all(map(_IS_FEATURE.match, values)):
            return None
        if not values <= _PLACEHOLDERS and not all(value.isdigit() for value in values):
            n_values[column] = len(values)
    return max(n_values, key=lambda column: n_values[column]) if n_values else None


_IS_FEATURE = re.compile(r"[\w.-]+(\[[^\]]*\])?=|__[A-Z]+__$")
"""Matches a feature as CRFsuite reads it."""


_PLACEHOLDERS = {"-", "_", "*", ""}
"""Values that stand for nothing."""


def _tag_column(
    rows: Sequence[Sequence[str]], word: int, width: int, has_comments: bool
) -> tuple[int, tuple[str, ...]]:
    """Return the column of the tags, counted from the end, and notes about the choice.

    It is the last column that holds more than placeholders, or, where that has no tag, the only column of tags: behind
    the tags may stand who has annotated them, how certain a tagger was, or what depends on what.

    In files such as GermEval's, which have comments and a count before the words, and where the last of two columns of
    tags has only mentions inside those of the other, the other is read.
    """
    last = width - 1
    while last > word + 1 and all(fields[last] in _PLACEHOLDERS for fields in rows):
        last -= 1
    are_numbers = all(map(_IS_NUMBER.fullmatch, (fields[last] for fields in rows)))
    if (word > 0 or are_numbers) and not any(fields[last] == "O" for fields in rows):
        before = range(word + 1, last)
        tag_columns = [column for column in before if _are_tags(rows, column)]
        tag_columns = tag_columns or [column for column in before if _are_types(rows, column)]
        if len(tag_columns) == 1:
            last = tag_columns[0]
    has_two = word > 0 and last == word + 2 and _are_tags(rows, last - 1) and _are_tags(rows, last)
    is_inside = all(fields[last] == "O" or fields[last - 1] != "O" for fields in rows)
    if has_two and is_inside and has_comments:
        note = (
            f"columns {last - 1} and {last} both have tags; the first is read. Choose with column= (--column; for "
            "scores, --gold-column and --pred-column)."
        )
        return last - 1 - width, (note,)
    named = [column for column in range(word + 1, last) if _has_names(rows, column)]
    if named and all(fields[last] == "O" for fields in rows):
        note = (
            f"column {last} has O alone, but column {named[0]} has tags of mentions. Choose with column= (--column; "
            "for scores, --gold-column and --pred-column)."
        )
        return last - width, (note,)
    return last - width, ()


_IS_TAG = re.compile(r"O|[BIESLUM]-.+")
"""Matches a tag."""
_IS_NUMBER = re.compile(r"-?\d*\.?\d+(e-?\d+)?")
"""Matches a number, such as the probability of a tag."""
_IS_TYPE = re.compile(r"[A-Z][A-Z_]+")
"""Matches a type as taggers without prefixes write it."""


def _are_types(rows: Sequence[Sequence[str]], column: int) -> bool:
    """Return whether a column holds types without prefixes, and O, on all lines."""
    values = {fields[column] for fields in rows}
    return "O" in values and len(values) > 1 and all(value == "O" or _IS_TYPE.fullmatch(value) for value in values)


def _has_names(rows: Sequence[Sequence[str]], column: int) -> bool:
    """Return whether a column holds tags on all lines, of which one is of a mention."""
    return _are_tags(rows, column) and any(fields[column] != "O" for fields in rows)


def _are_tags(rows: Sequence[Sequence[str]], column: int) -> bool:
    """Return whether a column holds tags on all lines."""
    return all(_IS_TAG.fullmatch(fields[column]) for fields in rows)


def _fields(line: str, separator: str) -> list[str]:
    """Return the columns of a line."""
    if separator == "\t":
        return line.split("\t")
    return [field for field in line.split(" ") if field]


def conll_texts(source: Source) -> Texts:
    """Yield the lines of each sample with its comments, and the line that begins its document.

    Args:
        source: the file.
    """
    layout = conll_layout(source)
    head: tuple[str, int] | None = None
    lines: list[str] = []
    has_tokens = False
    n_docs = 0
    for number, line in chain(source.lines(), [(0, "")]):
        if line == layout.header and head is None and not lines and number:
            continue
        is_blank = not line or line.isspace()
        if is_blank or line.startswith(DOCSTART):
            if has_tokens:
                yield head, "\n".join(lines) + "\n\n"
                lines = []
                has_tokens = False
            if not is_blank:
                head = (line, n_docs)  # lines may be equal: their number tells documents apart
                n_docs += 1
            continue
        is_comment = line.startswith("#") and len(_fields(line, layout.separator)) != layout.width
        has_tokens |= not is_comment
        lines.append(line)
