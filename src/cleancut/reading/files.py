"""The door for files: whatever they hold, CoNLL columns, JSONL, parquet or what other tools export, in one way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..core import checks
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError
from ..core.pairing import by_id, on_same_words
from ..core.tags import Repair
from .answer_files import AnswerBook, answer_reading, answer_rows
from .batches import BATCH, check_reading, tagging_of
from .brat import is_brat
from .conll import conll_layout
from .dataset import Samples, log_notes, needs_shape, read_samples
from .formats import Format, format_of, has_usual_names, plain_batches, read_plain
from .opening import Readable, Source

_ONLY_SHAPES = ("text", "document", "end")
_OF_COLUMNS = ("tokens", "tags", "entities", *_ONLY_SHAPES)
"""Options that say which columns hold what, which a CoNLL file has none of."""


def read(
    path: Readable,
    *,
    format: str | None = None,
    column: int | None = None,
    word_column: int | None = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    tokens: str | None = None,
    tags: str | None = None,
    entities: str | None = None,
    text: str | None = None,
    document: str | None = None,
    end: str | None = None,
) -> Corpus:
    """Return a whole file as a corpus.

    Args:
        path: a file of CoNLL columns, JSONL or parquet, or what an annotation tool has exported (also gzipped); or a
            folder of BRAT. A text in memory is read with ``read_text``.
        format: the format, ``conll``, ``jsonl`` or ``parquet``, where the content does not show it.
        column: the CoNLL column of the tags; the last by default.
        word_column: the CoNLL column of the words; by default the first that is no count and no name of a sentence.
        labels: the names of tags that are numbers.
        scheme: the tag scheme, where the tags do not show it.
        repair: what is done with ill-formed tags: ``conlleval``, ``discard`` or ``error``.
        tokens: the column of the tokens, where it is not found or not the right one; likewise the following.
        tags: the column of the tags.
        entities: the column of the spans.
        text: the column of the text that spans count the characters of.
        document: the column of the documents.
        end: does the end of a span belong to it? ``inclusive`` or ``exclusive``.

    Returns:
        The samples with their mentions.
    """
    reading = {
        "labels": labels, "scheme": scheme, "repair": repair, "tokens": tokens, "tags": tags, "entities": entities,
        "text": text, "document": document, "end": end, "word_column": word_column,
    }  # fmt: skip
    return next(_batches(Source.of(path), None, format, column, reading))


def read_text(text: str | bytes, name: str = "pasted", **options: Any) -> Corpus:
    """Return a text in memory as a corpus: the same as ``read`` does with a file that holds it.

    Args:
        text: what the file would hold, as text or as bytes.
        name: what to call it in messages. An ending such as ``.csv`` or ``.conll.gz`` says what a file's would.
        **options: the other options of ``read``.

    Returns:
        The samples with their mentions.

    Raises:
        CleancutError: where ``read`` would, with ``name`` for the name of the file.

    >>> read_text("Ada\\tB-PER\\nran\\tO\\n").texts()
    ['Ada']
    """
    return read(Source.of_text(text, name), **options)


def read_batches(
    path: Readable,
    size: int = BATCH,
    *,
    format: str | None = None,
    column: int | None = None,
    **reading: Any,
) -> Iterator[Corpus]:
    """Return the same in corpora of ``size`` samples, in constant memory. Scores of the batches add up:

    ``sum(exact_f1(g, p) for g, p in zip(read_batches("gold.conll"), read_batches("pred.conll"), strict=True))``

    Args:
        path: a file, as for ``read``. One whose columns have to be found is one batch.
        size: samples of a batch.
        format: as for ``read``.
        column: the same.
        **reading: the other options of ``read``.
    """
    checks.whole(size, "size", 1, wanted="at least one sample a batch")
    return _batches(Source.of(path), size, format, column, reading)


def _batches(
    source: Source, size: int | None, format: str | None, column: int | None, reading: dict[str, Any]
) -> Iterator[Corpus]:
    given = {name: value for name, value in reading.items() if value is not None}
    check_reading({**given, "column": column})
    if format is None and needs_shape(source, **given):
        samples = _found_samples(source, column, given)
        log_notes(f"{source.base}: {note}" for note in samples.notes)
        return iter([samples.corpus])
    if column is None and source.is_there and format_of(source, format) is Format.CONLL:
        log_notes(f"{source.base}: {note}" for note in conll_layout(source, given.get("word_column")).notes)
    if size is None:
        return iter([read_plain(source, format=format, column=column, **given)])
    return plain_batches(source, size, format=format, column=column, **given)


def _found_samples(source: Source, column: int | None, given: dict[str, Any]) -> Samples:
    """Return the samples of a file whose columns have to be found, or an error that names the file."""
    try:
        return read_samples(source, column=column, **given)
    except CleancutError as error:
        if has_usual_names(source):  # the plain reader says which line is not as usual
            read_plain(source, column=column, **{name: given[name] for name in given if name not in _ONLY_SHAPES})
        where = source.base
        raise (error if where in str(error) else CleancutError(f"{where}: {error}")) from None


def read_pair(path: Readable, **options: Any) -> tuple[Corpus, Corpus]:
    """Gold and predictions from conlleval's single file, whose last two columns they are."""
    source = Source.of(path)
    return read(source, column=-2, **options), read(source, column=-1, **options)


def paired_batches(
    gold: Readable,
    pred: Readable,
    size: int = BATCH,
    *,
    gold_column: int | None = None,
    pred_column: int | None = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
) -> Iterator[tuple[Corpus, Corpus]]:
    """Gold and predictions of two files with the usual columns, in batches; an error where one has more samples.

    Samples in another order are joined by their ids: then what is left of the files is read as a whole.
    Which mentions ``repair="discard"`` or ``"error"`` meets must not depend on the batch, so that a scheme
    that was not given is first inferred from the whole files.
    """
    gold, pred = Source.of(gold), Source.of(pred)
    given: dict[str, Any] = {"labels": labels, "scheme": scheme, "repair": repair}
    ours, theirs = {**given, "column": gold_column}, {**given, "column": pred_column}
    if scheme is None and repair != Repair.CONLLEVAL:
        lenient = {"repair": Repair.CONLLEVAL}
        of_gold = tagging_of(read_batches(gold, size, **ours | lenient))
        of_pred = tagging_of(read_batches(pred, size, **theirs | lenient))
        ours["scheme"] = of_gold.scheme() if of_gold else None
        theirs["scheme"] = of_pred.scheme_beside(of_gold) if of_pred else None
    left, right = read_batches(gold, size, **ours), read_batches(pred, size, **theirs)
    n_before, can_join = 0, True
    while True:
        a, b = next(left, None), next(right, None)
        if a is None and b is None:
            return
        if can_join and a is not None and b is not None and a.ids and b.ids and a.ids != b.ids:
            whole = read(gold, **ours)
            joined = by_id(whole, read(pred, **theirs))
            can_join = joined.ids == whole.ids  # else ids do not tell samples apart
            if can_join:
                for at in range(n_before, len(whole), size):
                    yield whole.select(slice(at, at + size)), joined.select(slice(at, at + size))
                return
        if a is None or b is None or len(a) != len(b):
            n_gold, n_pred = (
                sum(map(len, read_batches(f, size, **options))) for f, options in ((gold, ours), (pred, theirs))
            )
            raise CleancutError(
                f"{gold} has {n_gold} samples but {pred} has {n_pred}. Give one prediction for each gold sample."
            )
        n_before += len(a)
        yield a, on_same_words(a, b)  # the metrics compare them, one after the other


def answered_batches(
    gold: Readable,
    pred: Readable,
    size: int,
    reading: Mapping[str, Any],
    answers: str | None,
    types: Mapping[str, str] | None,
    ignore_types: bool | Iterable[str],
) -> Iterator[tuple[Corpus, Corpus]]:
    """Gold samples and the answers to them, read by the types that the whole gold file has."""
    gold = Source.of(gold)
    known: set[str] = set()
    n_samples = 0
    for batch in read_batches(gold, size, **reading):
        known.update(batch.mentions.labels)
        n_samples += len(batch)
    book = AnswerBook(answer_rows(pred), answer_reading(sorted(known), answers, types, ignore_types))
    for batch in read_batches(gold, size, **reading):
        n_samples -= len(batch)
        yield batch, book.answers_to(batch, last=n_samples == 0)


def columns_for(given: Readable, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that say which columns hold what, as far as they are for the format of a file."""
    known = (*_OF_COLUMNS, "word_column")
    named = {name: value for name, value in columns.items() if value is not None and name in known}
    source = Source.of(given)
    if not named or not (source.is_there or is_brat(source)):
        return {}
    wanted = ("word_column",) if format_of(source) is Format.CONLL else _OF_COLUMNS
    return {name: value for name, value in named.items() if name in wanted}
