"""The formats of files: one table, ``FORMATS``, says how each is recognised, read and written.

Everything is read in batches, so that a file of any size can be scored in constant memory. ``read`` takes one batch
that holds all samples.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from ..core import checks
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, parse_choice, quoted
from ..core.files import kept
from ..core.tags import Repair, Tagging, parse_scheme
from .annotator_exports import (
    argilla,
    argilla_records,
    doccano,
    is_argilla,
    is_argilla_record,
    is_doccano,
    is_label_studio,
    is_prodigy,
    is_ubiai,
    label_studio,
    prodigy,
    ubiai,
)
from .batches import BATCH, Options, tagging_of
from .brat import brat, is_brat, write_brat
from .chats import chats, is_chat, is_universal_ner, universal_ner
from .column_exports import conll_2012, conllu, csv_rows, is_conll_2012, is_conllu, is_csv, is_webanno, webanno
from .column_names import PLAIN_TEXT, plain_columns
from .conll import CONLL_SUFFIXES, conll_corpora, conll_details, conll_texts
from .conll_writing import conll_text
from .doc_bin import doc_bin, is_doc_bin, write_doc_bin
from .exported import Exported
from .file_format import FileFormat, Format, InJson, Plain, Writer
from .json_exports import (
    bioc,
    dygie,
    is_bioc,
    is_dygie,
    is_pipeline_output,
    is_spacy_doc,
    is_spacy_json,
    is_spacy_pairs,
    refuse_pipeline_output,
    spacy_docs,
    spacy_json,
    spacy_pairs,
)
from .json_files import by_first, is_json, is_tool_jsonl, json_rows, tool_jsonl
from .jsonl import JSONL_SUFFIXES, first_json_records, is_jsonl, jsonl_corpora, jsonl_text, jsonl_texts
from .opening import Readable, Source
from .parquet import copy_parquet, first_parquet_records, is_parquet, parquet_corpora, write_parquet
from .recognised import Recognised, tell
from .refused_exports import (
    is_binary,
    is_table_of_mentions,
    is_tags_alone,
    is_uima_json,
    is_uima_xmi,
    is_without_texts,
    refuse_binary,
    refuse_table_of_mentions,
    refuse_tags_alone,
    refuse_uima_json,
    refuse_uima_xmi,
    refuse_without_texts,
)
from .span_records import SPAN_RECORDS, form_of_records
from .tagged_lines import is_tree, is_word_and_tag, is_words_then_tags, trees, word_and_tag, words_then_tags
from .text_exports import inline, is_inline, is_pubtator, is_xml, pubtator, xml_document
from .token_lists import (
    core_nlp,
    doc_red,
    is_core_nlp,
    is_doc_red,
    is_mrc,
    is_stanza,
    is_two_lists,
    is_viewer_page,
    is_word_lists,
    mrc,
    stanza,
    two_lists,
    viewer_page,
    word_lists,
)
from .utterances import is_massive, is_rasa, is_snips, massive, rasa, snips
from .writing import Writing, copy_texts, write_texts

_FORMS_OF_JSON: Sequence[FileFormat] = (
    FileFormat(
        "token-classification pipeline",
        expected='rows such as {"text": ..., "entities": [...]}, since offsets are for texts',
        in_json=InJson(is_pipeline_output, refuse_pipeline_output),
    ),
    FileFormat(
        "spaCy 2 training",
        expected='pairs such as ["Ada ran", {"entities": [[0, 3, "PER"]]}]',
        in_json=InJson(is_spacy_pairs, spacy_pairs),
    ),
    FileFormat(
        "spaCy 2",
        expected='documents of "paragraphs" of "sentences" of "tokens", each with "orth" and "ner"',
        in_json=InJson(is_spacy_json, spacy_json),
    ),
    FileFormat(
        "Label Studio",
        expected='tasks with "data" and "annotations", or with a text and spans that have "labels"',
        in_json=InJson(is_label_studio, label_studio, is_of_records=True),
    ),
    FileFormat(
        "BioC",
        expected='"documents" of "passages", each with "text", "offset" and "annotations" at "locations"',
        in_json=InJson(by_first(is_bioc), bioc, is_of_records=True),
    ),
    FileFormat(
        "UniversalNER",
        expected='chats of a text and then of questions such as "What describes person in the text?"',
        in_json=InJson(by_first(is_universal_ner), universal_ner, is_of_records=True),
    ),
    FileFormat(
        "chat",
        expected="records with \"messages\", of which the user's has the text and the assistant's names its mentions",
        in_json=InJson(by_first(is_chat), chats, is_of_records=True),
    ),
    FileFormat(
        "spaCy document",
        expected='records with "text", "ents" and "tokens" with offsets, as Doc.to_json returns them',
        in_json=InJson(by_first(is_spacy_doc), spacy_docs, is_of_records=True),
    ),
    FileFormat(
        "Prodigy",
        expected='records with "text", "answer" and "spans" of "start", "end" and "label"',
        in_json=InJson(by_first(is_prodigy), prodigy, is_of_records=True),
    ),
    FileFormat(
        "doccano",
        expected='records with "text" and "label" of [start, end, label], or "entities" with "start_offset"',
        in_json=InJson(by_first(is_doccano), doccano, is_of_records=True),
    ),
    FileFormat(
        "UBIAI",
        expected='records with "document" and "tokens" that have "start", "end" and "entityLabel"',
        in_json=InJson(by_first(is_ubiai), ubiai, is_of_records=True),
    ),
    FileFormat(
        "Argilla",
        expected='records with "text" and "annotation" of [label, start, end]',
        in_json=InJson(by_first(is_argilla), argilla, is_of_records=True),
    ),
    FileFormat(
        "DyGIE++",
        expected='documents with "sentences" of words and "ner", of each sentence [first word, last word, type]',
        in_json=InJson(by_first(is_dygie), dygie, is_of_records=True),
    ),
    FileFormat(
        "Argilla 2",
        expected='records with "fields" and "responses", or with a text and "question.responses"',
        in_json=InJson(by_first(is_argilla_record), argilla_records, is_of_records=True),
    ),
    FileFormat(
        "Stanza",
        expected='sentences of tokens with "text" and "ner", as Document.to_dict returns them',
        in_json=InJson(is_stanza, stanza),
    ),
    FileFormat(
        "words with tags",
        expected='sentences such as [["Ada", "B-PER"], ["ran", "O"]]',
        in_json=InJson(is_word_lists, word_lists),
    ),
    FileFormat(
        "words and tags apart",
        expected="two lists of sentences, one of words and one of their tags",
        in_json=InJson(is_two_lists, two_lists),
    ),
    FileFormat(
        "CoreNLP",
        expected='"sentences" of "tokens" with "word" and "ner"',
        in_json=InJson(by_first(is_core_nlp), core_nlp, is_of_records=True),
    ),
    FileFormat(
        "DocRED",
        expected='documents with "sents" of words and "vertexSet" of mentions',
        in_json=InJson(by_first(is_doc_red), doc_red, is_of_records=True),
    ),
    FileFormat(
        "MRC-NER",
        expected='records with "context", "entity_label", "start_position" and "end_position"',
        in_json=InJson(by_first(is_mrc), mrc, is_of_records=True),
    ),
    FileFormat(
        "page of the Hub's viewer",
        expected='"features" and "rows" with a "row" in each',
        in_json=InJson(by_first(is_viewer_page), viewer_page, is_of_records=True),
    ),
    FileFormat(
        "Snips",
        expected='"intents" of "utterances" with "data" in pieces',
        in_json=InJson(by_first(is_snips), snips, is_of_records=True),
    ),
    FileFormat(
        "MASSIVE",
        expected='lines with "utt" and "annot_utt"',
        in_json=InJson(by_first(is_massive), massive, is_of_records=True),
    ),
    *map(form_of_records, SPAN_RECORDS),
    FileFormat(
        "UIMA JSON",
        expected="WebAnno TSV 3, as INCEpTION exports it too",
        in_json=InJson(by_first(is_uima_json), refuse_uima_json, is_of_records=True),
    ),
    FileFormat(
        "spans without texts",
        expected='rows such as {"text": ..., "entities": [...]}, since offsets are for texts',
        in_json=InJson(by_first(is_without_texts), refuse_without_texts, is_of_records=True),
    ),
)
"""The formats of tools that write JSON."""

FORMATS: Sequence[FileFormat] = (
    FileFormat(
        "BRAT folder",
        expected="an .ann file beside each .txt file",
        recognises=is_brat,
        rows=brat,
        writer=Writer("brat", write_brat),
    ),
    FileFormat(
        "spaCy DocBin",
        expected="what DocBin.to_disk writes",
        recognises=is_doc_bin,
        suffixes=(".spacy",),
        rows=doc_bin,
        writer=Writer("spacy", write_doc_bin),
    ),
    FileFormat(
        "Parquet",
        expected="rows with tokens and tags or entities",
        recognises=is_parquet,
        suffixes=(".parquet",),
        kind=Format.PARQUET,
        plain=Plain(parquet_corpora, copy_parquet, first_records=first_parquet_records),
        writer=Writer("parquet", write_parquet),
    ),
    FileFormat(
        "binary file",
        expected="text, parquet or .spacy",
        recognises=is_binary,
        rows=refuse_binary,
    ),
    FileFormat(
        "table of mentions",
        expected="rows with their text",
        recognises=is_table_of_mentions,
        rows=refuse_table_of_mentions,
    ),
    FileFormat(
        "CSV",
        expected="a line of names of columns, then lines with as many values",
        recognises=is_csv,
        suffixes=(".csv",),
        rows=csv_rows,
    ),
    FileFormat(
        "WebAnno TSV 3",
        expected="lines that begin with the number of a sentence and of a token, such as 1-1",
        recognises=is_webanno,
        rows=webanno,
    ),
    FileFormat(
        "CoNLL-U with NER in MISC",
        expected="ten columns, the last with NER=B-PER or Entity=(1-person",
        recognises=is_conllu,
        suffixes=(".conllu",),
        rows=conllu,
    ),
    FileFormat(
        "CoNLL-2012",
        expected="at least 11 columns, the eleventh with brackets such as (PERSON*",
        recognises=is_conll_2012,
        rows=conll_2012,
    ),
    FileFormat(
        "PubTator",
        expected="lines of a title, of an abstract, and of each mention with its offsets",
        recognises=is_pubtator,
        suffixes=(".pubtator",),
        rows=pubtator,
    ),
    *_FORMS_OF_JSON,
    FileFormat(
        "JSON",
        expected="an array of objects, or an object of columns",
        recognises=is_json,
        suffixes=(".json",),
        rows=partial(json_rows, forms=_FORMS_OF_JSON),
    ),
    FileFormat(
        "JSONL of an annotation tool",
        expected="an object a line",
        recognises=partial(is_tool_jsonl, forms=_FORMS_OF_JSON),
        rows=partial(tool_jsonl, forms=_FORMS_OF_JSON),
    ),
    FileFormat(
        "UIMA XMI",
        expected="WebAnno TSV 3, as INCEpTION exports it too",
        recognises=is_uima_xmi,
        suffixes=(".xmi",),
        rows=refuse_uima_xmi,
    ),
    FileFormat(
        "XML",
        expected="elements of text, such as sentences, with names in marks",
        recognises=is_xml,
        suffixes=(".xml",),
        rows=xml_document,
    ),
    FileFormat(
        "text with names in marks",
        expected="a sample a line, with marks such as <PER>Ada</PER>",
        recognises=is_inline,
        suffixes=(".xml", ".sgml"),
        rows=inline,
    ),
    FileFormat(
        "Rasa's examples",
        expected="examples of intents with marks such as [Ada](person)",
        recognises=is_rasa,
        suffixes=(".md", ".yml", ".yaml"),
        rows=rasa,
    ),
    FileFormat(
        "trees",
        expected="trees such as (S (PERSON Ada/NNP) ran/VBD)",
        recognises=is_tree,
        rows=trees,
    ),
    FileFormat(
        "lines of words with tags",
        expected="a sample a line, such as Ada|B-PER ran|O",
        recognises=is_word_and_tag,
        rows=word_and_tag,
    ),
    FileFormat(
        "lines of words, then tags",
        expected="a sample a line: its words, a tab, and a tag for each of them",
        recognises=is_words_then_tags,
        rows=words_then_tags,
    ),
    FileFormat(
        "tags alone",
        expected="words with their tags",
        recognises=is_tags_alone,
        rows=refuse_tags_alone,
    ),
    FileFormat(
        "JSONL",
        expected='a line such as {"tokens": ["Ada"], "entities": [{"start": 0, "end": 1, "label": "PER"}]}',
        recognises=is_jsonl,
        suffixes=JSONL_SUFFIXES,
        kind=Format.JSONL,
        plain=Plain(jsonl_corpora, partial(copy_texts, jsonl_texts), first_records=first_json_records),
        writer=Writer("jsonl", partial(write_texts, jsonl_text), packs=True),
    ),
    FileFormat(
        "CoNLL columns",
        expected="lines of a token and its tag, with a blank line after each sample",
        recognises=lambda source: True,  # whatever is none of the others
        suffixes=CONLL_SUFFIXES,
        kind=Format.CONLL,
        plain=Plain(conll_corpora, partial(copy_texts, conll_texts), conll_details),
        writer=Writer("conll", partial(write_texts, conll_text), packs=True),
    ),
)
"""All formats. The format of a file is the first that recognises it."""

_OF_KIND = {format.kind: format for format in FORMATS if format.plain is not None}
"""The formats that hold samples as they are, by how these are read."""
SUFFIXES = {suffix: kind for kind, format in _OF_KIND.items() for suffix in format.suffixes}
"""The formats that hold samples as they are, by the endings of names."""
WRITERS = {format.writer.name: format for format in FORMATS if format.writer is not None}
"""The formats that samples are written in, by the name that chooses one."""
KNOWN_SUFFIXES = frozenset(suffix for format in FORMATS for suffix in format.suffixes)
"""The endings of names of files that hold samples."""


def recognise(readable: Readable) -> FileFormat:
    """Return the format of a file or a text, by its content and its name.

    Args:
        readable: the file; of one that does not exist, the name decides.
    """
    source = Source.of(readable)
    return source.once("format", lambda: next(format for format in FORMATS if _recognises(format, source)))


def _recognises(format: FileFormat, source: Source) -> bool:
    """Return whether a source is of a format."""
    return format.recognises is not None and format.recognises(source)


def format_of(readable: Readable, format: str | None = None) -> Format:
    """Return how the samples of a file are read.

    Args:
        readable: the file.
        format: the choice of the caller; None to decide by the content and the name.

    Raises:
        CleancutError: there is no such format.
    """
    if format is not None:
        return parse_choice(Format, format, "format")
    return recognise(readable).kind


def exported_rows(readable: Readable) -> Exported:
    """Return the rows of a file that another tool has exported.

    Args:
        readable: the file.

    Raises:
        CleancutError: the file cannot be read, or holds no rows.
    """
    source = Source.of(readable)
    format = recognise(source)
    if format.rows is None:
        raise CleancutError(f"{source}: not a file of rows. Give JSONL, CSV or parquet.")
    exported = format.taken_for(source, partial(format.rows, source))
    if not exported.rows and not exported.notes:
        raise CleancutError(f"{source}: the file has no samples. Expected {format.expected}.")
    return exported if exported.name else replace(exported, name=format.name)


def named_rows(readable: Readable, option: str) -> list[dict[str, Any]]:
    """Return the rows of the JSON or JSONL of a tool as they stand, for an option that names one of their columns.

    Args:
        readable: the file.
        option: the option, for the message.

    Raises:
        CleancutError: the file is no JSON of objects, so that the option has no effect.
    """
    source = Source.of(readable)
    text = source.text()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        try:
            value = [json.loads(line) for line in text.split("\n") if line.strip()]
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise CleancutError(f"{source}: {option}= has no effect: the format has no named columns. Leave it out.")
    return value


def written_as(readable: Readable) -> Format:
    """Return the format to write samples of a file in: that of the file, or JSONL where it is only read.

    Args:
        readable: the file.
    """
    kind = format_of(readable)
    if kind in (Format.CONLL, Format.JSONL):
        return kind
    assert kind in (Format.PARQUET, Format.ROWS), f"{kind} has to be written as something"
    return Format.JSONL


def read_plain(
    readable: Readable,
    *,
    format: str | None = None,
    column: int | None = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    tokens: str | None = None,
    tags: str | None = None,
    entities: str | None = None,
    word_column: int | None = None,
    ids: str | int | None = None,
) -> Corpus:
    """Return a whole file of CoNLL columns, or of JSONL or parquet with the usual columns, as a corpus.

    Args:
        readable: the file.
        format: the format, ``conll``, ``jsonl`` or ``parquet``, where the content does not show it.
        column: the CoNLL column of the tags; the last by default.
        labels: the names of label ids.
        scheme: the tag scheme, where the tags do not show it.
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.
        tokens: the column of the tokens, where it is not a usual one; likewise the following.
        tags: the column of the tags.
        entities: the column of the spans.
        word_column: the CoNLL column of the words, where it is not the usual one.
        ids: the field or column of the ids of entities, where they are read.

    Raises:
        CleancutError: the file cannot be read; the message names the place.
    """
    options = Options(column, labels, scheme, repair, tokens, tags, entities, word_column, ids)
    source = Source.of(readable)
    with source.shown():
        return next(_corpora(source, format, options, None))


def plain_batches(
    readable: Readable,
    size: int = BATCH,
    *,
    format: str | None = None,
    column: int | None = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    tokens: str | None = None,
    tags: str | None = None,
    entities: str | None = None,
    word_column: int | None = None,
    ids: str | int | None = None,
) -> Iterator[Corpus]:
    """Return the samples of such a file in corpora of some size, in constant memory.

    Args:
        readable: the file.
        size: the number of samples of each corpus but the last.
        format: the format, ``conll``, ``jsonl`` or ``parquet``, where the content does not show it.
        column: the CoNLL column of the tags; the last by default.
        labels: the names of label ids.
        scheme: the tag scheme, where the tags do not show it.
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.
        tokens: the column of the tokens, where it is not a usual one; likewise the following.
        tags: the column of the tags.
        entities: the column of the spans.
        word_column: the CoNLL column of the words, where it is not the usual one.
        ids: the field or column of the ids of entities, where they are read.

    Raises:
        CleancutError: the file cannot be read; the message names the place.
    """
    source = Source.of(readable)
    options = Options(column, labels, scheme, repair, tokens, tags, entities, word_column, ids)
    if scheme is None and parse_choice(Repair, repair, "repair") is not Repair.CONLLEVAL:
        # what is discarded must not depend on what a batch shows
        lenient = options._replace(repair=Repair.CONLLEVAL)
        tagging = tagging_of(_corpora(source, format, lenient, size))
        inferred_scheme = tagging.scheme() if tagging else None
        options = options._replace(scheme=inferred_scheme)
    return _corpora(source, format, options, size)


def _corpora(source: Source, format: str | None, options: Options, size: int | None) -> Iterator[Corpus]:
    """Yield the samples of a source in corpora of some size, and tell which format was recognised."""
    source.check()
    kind = format_of(source, format)
    if kind is Format.ROWS:
        raise CleancutError(
            f"{source}: another tool has written these rows, and their columns have to be detected. "
            "Read the file with read()."
        )
    if (options.column, options.word_column) != (None, None) and kind is not Format.CONLL:
        raise CleancutError(f"{source}: a column number is for CoNLL files, but this is {kind}. Leave it out.")
    entry = _OF_KIND[kind]
    assert entry.plain is not None
    tell(source.name, Recognised(entry.name), part=str(options.column))
    batches = entry.plain.corpora(source, options, size)
    first = next(batches, None)
    if first is None:
        raise CleancutError(f"{source}: the file has no samples. Expected {entry.expected}.")
    known = _described(source, entry, options)
    tagging: Tagging | None = None
    for batch in chain([first], batches):
        batch_tagging = batch.mentions.tagging
        if batch_tagging is not None:
            tagging = batch_tagging if tagging is None else tagging + batch_tagging
        tell(source.name, known.with_tags(tagging), part=str(options.column))
        yield batch


def plain_recognised(readable: Readable, corpus: Corpus, **options: Any) -> Recognised:
    """Return the format in which ``read_plain`` read a file.

    Args:
        readable: the file.
        corpus: its samples.
        **options: the options that they were read with.
    """
    source = Source.of(readable)
    known = _described(source, _OF_KIND[format_of(source)], Options(**options))
    return known.with_tags(corpus.mentions.tagging)


def _described(source: Source, entry: FileFormat, options: Options) -> Recognised:
    """Return the format of a file that can be read, with the columns that are read."""
    assert entry.plain is not None
    details = entry.plain.details(source, options) if entry.plain.details is not None else ()
    records = _first_records(source, entry.kind)
    if not records:
        return Recognised(entry.name, details)
    columns = plain_columns(records[0], options, source.name)
    return Recognised(entry.name, details).with_columns(columns.tokens, columns.annotation)


def standard_columns(
    readable: Readable, *, tokens: str | None = None, tags: str | None = None, entities: str | None = None
) -> bool:
    """Return whether a file has the columns that ``read_plain`` takes: lists of tokens and of tags or token spans.

    A file that cannot be read counts, since reading it then says why, and so does one whose columns have no names.

    Args:
        readable: the file.
        tokens: the column of the tokens, where the caller names it.
        tags: the column of the tags, where the caller names it.
        entities: the column of the spans, where the caller names it.
    """
    import pyarrow as pa

    source = Source.of(readable)
    try:
        kind = format_of(source)
        if kind is Format.ROWS:
            return False
        rows = _first_records(source, kind)
    except (CleancutError, pa.ArrowException, OSError):
        return True
    if not rows:
        return True
    try:
        columns = plain_columns(rows[0], Options(tokens=tokens, tags=tags, entities=entities), source.name)
    except CleancutError:
        return False
    spans: list[Any] = []
    for row in rows:
        annotation = row.get(columns.annotation)
        if not isinstance(row.get(columns.tokens), list) or not isinstance(annotation, list | None):
            return False  # a list that is missing is an error, which names the line
        spans += [span for span in annotation or () if isinstance(span, dict)]
    # spans may count the characters of a text that stands beside them
    has_text = any(isinstance(row.get(name), str) for row in rows for name in PLAIN_TEXT)
    if spans and has_text and not any(row.get("relations") for row in rows):
        return False
    return all({"start", "end", "label"} <= set(span) for span in spans)


def has_usual_names(readable: Readable) -> bool:
    """Return whether the columns of a file have the usual names, whatever they hold.

    Args:
        readable: the file.
    """
    source = Source.of(readable)
    kind = format_of(source)
    try:
        rows = [] if kind is Format.ROWS else _first_records(source, kind)
        return bool(rows) and bool(plain_columns(rows[0], Options(), source.name))
    except CleancutError:
        return False


def _first_records(source: Source, kind: Format) -> list[Any]:
    """Return records that show which columns there are; none where columns have no names."""
    plain = _OF_KIND[kind].plain
    assert plain is not None
    read = plain.first_records
    return [] if read is None else source.once(("first records", kind), partial(read, source))


def copy_rows(files: Sequence[str], outputs: Mapping[str, Iterable[int]], folder: str | os.PathLike[str]) -> list[str]:
    """Write the samples of each output as they stand in the input files, with all columns, and return the paths.

    Args:
        files: the input files, all of one format, none of which may be written to.
        outputs: the samples of each output by its name, counted over all files.
        folder: the folder to write to.

    Raises:
        CleancutError: the files are of several formats, or of one that is not written.
    """
    with kept(files):
        return _copy_rows(files, outputs, folder)


def _copy_rows(files: Sequence[str], outputs: Mapping[str, Iterable[int]], folder: str | os.PathLike[str]) -> list[str]:
    """Write the outputs of ``copy_rows``."""
    kinds = {format_of(file) for file in files}
    if len(kinds) > 1:
        raise CleancutError(
            f"the format cannot be kept: the files are {' and '.join(sorted(kinds))}. Choose one format."
        )
    if Format.ROWS in kinds:
        raise CleancutError("the format of another tool is read but not written. Choose jsonl or conll.")
    owner = {row: name for name, rows in outputs.items() for row in rows}
    plain = _OF_KIND[kinds.pop()].plain
    assert plain is not None
    return plain.copy(files, owner, list(outputs), folder)


def write(
    corpora: Corpus | Iterable[Corpus],
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    scheme: str | None = None,
    ids: bool = False,
) -> None:
    r"""Write a corpus, or its batches, so that ``read`` gives it back.

    The file or folder appears when it is complete: an error or an interruption leaves what was there before.

    Args:
        corpora: the samples.
        path: the file, whose ending shows the format (.conll, .jsonl, .parquet, .spacy), or a folder for BRAT, whose
            name ends with a slash.
        format: ``conll``, ``jsonl``, ``parquet``, ``spacy`` or ``brat``, where the name does not show it.
        scheme: the tag scheme. CoNLL has tags of iob2 by default; JSONL and parquet have entities unless one is given.
        ids: whether ids of samples and names of documents are written to CoNLL too, as comments and beside
            ``-DOCSTART-``. Other tools may refuse them; all other formats have them anyway.

    Raises:
        CleancutError: the format cannot hold a corpus (nested mentions in CoNLL, a token with a space in BRAT); the
            message names the sample and a format that can.

    >>> import tempfile
    >>> corpus = Corpus.of([["Ada", "ran"]], tags=[["B-PER", "O"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(corpus, f"{folder}/ada.conll")
    ...     open(f"{folder}/ada.conll").read()
    'Ada\tB-PER\nran\tO\n\n'
    """
    name = checks.checked_path(path)
    entry = WRITERS[_parse_format(format)] if format is not None else _format_to_write(name)
    assert entry.writer is not None
    if name.lower().endswith(".gz") and not entry.writer.packs:
        raise CleancutError(f"{name}: a file of the format {entry.writer.name} is not packed by gzip. Leave .gz out.")
    batches = _batches_to_write(corpora)
    how = Writing(parse_scheme(scheme), checks.switch(ids, "ids"))
    entry.writer.write(batches, name, how)


def _batches_to_write(corpora: Any) -> Iterable[Corpus]:
    """Return a corpus as its only batch, and batches as they are; raise an error for anything else."""
    if isinstance(corpora, Corpus):
        return [corpora]
    wanted = "a Corpus, or the batches of one"
    is_array = hasattr(corpora, "__array__")
    if is_array or isinstance(corpora, str | bytes | Mapping) or not isinstance(corpora, Iterable):
        raise CleancutError(f"{quoted(corpora)} cannot be written. Give {wanted}.")
    return (checks.instance(corpus, Corpus, "a batch", wanted) for corpus in corpora)


def _parse_format(format: str) -> str:
    """Return the name of a format that is written; raise an error for anything else."""
    if not isinstance(format, str) or format not in WRITERS:
        raise CleancutError(f"format={quoted(format)} is not written. Choose one of {', '.join(WRITERS)}.")
    return format


def _format_to_write(path: str) -> FileFormat:
    """Return the format that the name of a file or folder shows; raise an error where it shows none."""
    if path.endswith(("/", os.sep)):
        return WRITERS["brat"]
    suffix = Path(path.lower().removesuffix(".gz")).suffix
    entry = next((entry for entry in WRITERS.values() if suffix in entry.suffixes), None)
    if entry is None:
        raise CleancutError(
            f"{path}: the name does not show a format that is written. End it in .conll, .jsonl, .parquet or .spacy, "
            "or in / for a folder of BRAT; or give format= (--format)."
        )
    return entry
