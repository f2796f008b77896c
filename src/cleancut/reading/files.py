"""Reading files in one way, whatever they hold: CoNLL columns, JSONL, parquet or what other tools export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..core import checks
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, counted, quoted
from ..core.pairing import by_id, on_same_words
from ..core.tags import Repair
from .batches import BATCH, check_reading, tagging_of
from .brat import is_brat
from .conll import conll_layout
from .dataset import Samples, log_notes, needs_shape, read_samples
from .formats import Format, format_of, has_usual_names, plain_batches, read_plain
from .opening import Readable, Source

_ONLY_SHAPES = ("text", "document", "end")
"""Options that need the columns of a file to be detected."""
_OF_COLUMNS = ("tokens", "tags", "entities", *_ONLY_SHAPES)
"""Options that name columns, which a CoNLL file does not have."""


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
    ids: str | int | None = None,
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
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.
        tokens: the column of the tokens, where it is not detected rightly; likewise the following.
        tags: the column of the tags.
        entities: the column of the spans.
        text: the column of the text that spans count the characters of.
        document: the column of the documents.
        end: whether the end of a span belongs to it: ``inclusive`` or ``exclusive``.
        ids: the field or column of the ids of entities, for ``same="id"``; in CoNLL the number of a column.

    Returns:
        The samples with their mentions.

    Raises:
        CleancutError: the file cannot be read, or an option has no effect on it; the message names the place.
    """
    reading = {
        "labels": labels,
        "scheme": scheme,
        "repair": repair,
        "tokens": tokens,
        "tags": tags,
        "entities": entities,
        "text": text,
        "document": document,
        "end": end,
        "word_column": word_column,
        "ids": ids,
    }
    return next(_batches(Source.of(path), None, format, column, reading))


def read_text(text: str | bytes, name: str = "pasted", **options: Any) -> Corpus:
    r"""Return a text in memory as a corpus, as ``read`` does with a file that holds it.

    Args:
        text: what the file would hold, as text or as bytes.
        name: what to call it in messages. An ending such as ``.csv`` or ``.conll.gz`` says what a file's would.
        **options: the other options of ``read``.

    Returns:
        The samples with their mentions.

    Raises:
        CleancutError: where ``read`` would, with ``name`` for the name of the file.

    >>> read_text("Ada\tB-PER\nran\tO\n").texts()
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
    """Yield the samples of a file in corpora of some size, in constant memory.

    Scores of the batches add up:
    ``sum(exact_f1(g, p) for g, p in zip(read_batches("gold.conll"), read_batches("pred.conll"), strict=True))``

    Args:
        path: a file, as for ``read``. One whose columns have to be detected is one batch.
        size: the number of samples of a batch.
        format: the format, where the content does not show it.
        column: the CoNLL column of the tags; the last by default.
        **reading: the other options of ``read``.

    Raises:
        CleancutError: the file cannot be read, or an option has no effect on it; the message names the place.
    """
    checks.whole(size, "size", 1, wanted="at least one sample a batch")
    return _batches(Source.of(path), size, format, column, reading)


def _batches(
    source: Source, size: int | None, format: str | None, column: int | None, reading: dict[str, Any]
) -> Iterator[Corpus]:
    """Return the samples of a source in corpora of some size.

    All samples are in one corpus if the size is None, or if the columns of the source have to be recognised first.
    """
    given = {name: value for name, value in reading.items() if value is not None}
    check_reading({**given, "column": column})
    if format is None and needs_shape(source, **given):
        samples = _detected_samples(source, column, given)
        log_notes(f"{source.base}: {note}" for note in samples.notes)
        return iter([samples.corpus])
    for name in sorted(given.keys() & _ONLY_SHAPES):
        source.check()
        wanted = "the columns of a file of a given format have their usual meaning. Leave one of the two out"
        raise CleancutError(f"{name}={quoted(given[name])} has no effect with format={quoted(format)}: {wanted}.")
    if column is None and source.is_there and format_of(source, format) is Format.CONLL:
        log_notes(f"{source.base}: {note}" for note in conll_layout(source, given.get("word_column")).notes)
    if size is None:
        return iter([read_plain(source, format=format, column=column, **given)])
    return plain_batches(source, size, format=format, column=column, **given)


def _detected_samples(source: Source, column: int | None, given: dict[str, Any]) -> Samples:
    """Return the samples of a file whose columns have to be detected; errors name the file."""
    try:
        return read_samples(source, column=column, **given)
    except CleancutError as error:
        if has_usual_names(source):  # the plain reader says which line is not as usual
            plain_options = {name: value for name, value in given.items() if name not in _ONLY_SHAPES}
            read_plain(source, column=column, **plain_options)
        if source.base in str(error):
            raise error from None
        raise CleancutError(f"{source.base}: {error}") from None


def read_pair(path: Readable, **options: Any) -> tuple[Corpus, Corpus]:
    """Return gold and predictions from one file as conlleval takes it, whose last two columns they are.

    Args:
        path: the file.
        **options: the other options of ``read``.

    Returns:
        The gold corpus and that of the predictions.
    """
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
    """Yield gold and predictions of two files with the usual columns, in batches.

    Samples in another order are joined by their ids: then what is left of the files is read as a whole.
    Which mentions ``repair="discard"`` or ``"error"`` meets must not depend on the batch, so that a scheme
    that was not given is first inferred from the whole files.

    Args:
        gold: the file of the gold annotation.
        pred: the file of the predictions.
        size: the number of samples of a batch.
        gold_column: the CoNLL column of the gold tags; the last by default.
        pred_column: the CoNLL column of the predicted tags; the last by default.
        labels: the names of tags that are numbers.
        scheme: the tag scheme, where the tags do not show it.
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.

    Raises:
        CleancutError: a file cannot be read, or one has more samples than the other.
    """
    gold = Source.of(gold)
    pred = Source.of(pred)
    shared: dict[str, Any] = {"labels": labels, "scheme": scheme, "repair": repair}
    of_gold = {**shared, "column": gold_column}
    of_pred = {**shared, "column": pred_column}
    if scheme is None and repair != Repair.CONLLEVAL:
        lenient = {"repair": Repair.CONLLEVAL}
        gold_tagging = tagging_of(read_batches(gold, size, **of_gold | lenient))
        pred_tagging = tagging_of(read_batches(pred, size, **of_pred | lenient))
        of_gold["scheme"] = gold_tagging.scheme() if gold_tagging else None
        of_pred["scheme"] = pred_tagging.scheme_beside(gold_tagging) if pred_tagging else None
    gold_batches = read_batches(gold, size, **of_gold)
    pred_batches = read_batches(pred, size, **of_pred)
    n_before = 0
    can_join = True
    while True:
        gold_batch = next(gold_batches, None)
        pred_batch = next(pred_batches, None)
        if gold_batch is None and pred_batch is None:
            return
        if can_join and _differ_in_ids(gold_batch, pred_batch):
            whole = read(gold, **of_gold)
            joined = by_id(whole, read(pred, **of_pred))
            can_join = joined.ids == whole.ids  # else ids do not tell samples apart
            if can_join:
                for first in range(n_before, len(whole), size):
                    chosen = slice(first, first + size)
                    yield whole.select(chosen), joined.select(chosen)
                return
        if gold_batch is None or pred_batch is None or len(gold_batch) != len(pred_batch):
            n_gold = sum(map(len, read_batches(gold, size, **of_gold)))
            n_pred = sum(map(len, read_batches(pred, size, **of_pred)))
            sizes = f"{gold} has {counted(n_gold, 'sample')} but {pred} has {n_pred}"
            raise CleancutError(f"{sizes}. Give one prediction for each gold sample.")
        n_before += len(gold_batch)
        yield gold_batch, on_same_words(gold_batch, pred_batch)  # the metrics compare them, one after the other


def _differ_in_ids(gold: Corpus | None, pred: Corpus | None) -> bool:
    """Return whether both batches have ids, and these are not the same in the same order."""
    if gold is None or pred is None or not gold.ids or not pred.ids:
        return False
    return gold.ids != pred.ids


def answered_batches(
    gold: Readable,
    pred: Readable,
    size: int,
    reading: Mapping[str, Any],
    answers: str | None,
    types: Mapping[str, str] | None,
    ignore_types: bool | Iterable[str],
) -> Iterator[tuple[Corpus, Corpus]]:
    """Yield gold samples and the answers of a language model to them, in batches.

    Args:
        gold: the file of the gold annotation, of which all types are known before an answer is read.
        pred: the file of the answers.
        size: the number of samples of a batch.
        reading: the options of ``read`` for the gold file.
        answers: the form of the answers, as for ``read_answers``; None for ``auto``.
        types: other names for types, by those that the answers have.
        ignore_types: whether mentions of types that gold does not have are left out; or the types to leave out.

    Raises:
        CleancutError: a file cannot be read, or a gold sample has no answer.
    """
    from .answer_files import AnswerBook, answer_reading  # what parses answers takes long to import
    from .answer_rows import answer_rows

    gold = Source.of(gold)
    gold_types: set[str] = set()
    n_left = 0
    for batch in read_batches(gold, size, **reading):
        gold_types.update(batch.mentions.labels)
        n_left += len(batch)
    book = AnswerBook(answer_rows(pred), answer_reading(sorted(gold_types), answers, types, ignore_types))
    for batch in read_batches(gold, size, **reading):
        n_left -= len(batch)
        yield batch, book.answers_to(batch, last=n_left == 0)


def columns_for(readable: Readable, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that name columns, as far as they are for the format of a file.

    Args:
        readable: the file.
        columns: options by name; those that are None, or do not name columns, do not count.
    """
    given = {name: value for name, value in columns.items() if value is not None}
    source = Source.of(readable)
    if not given.keys() & {*_OF_COLUMNS, "word_column", "ids"}:
        return {}
    if not source.is_there and not is_brat(source):
        return {}
    wanted = ("word_column", "ids") if format_of(source) is Format.CONLL else (*_OF_COLUMNS, "ids")
    return {name: value for name, value in given.items() if name in wanted}
