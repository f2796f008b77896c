"""Names that columns of samples usually have: the one place that knows them, for every reader.

Each tuple is in order of preference. Names are plain: lower case, with ``_`` for all that is no letter or digit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ..core.exceptions import CleancutError, quoted
from .batches import Options

# --- files of samples as they are -------------------------------------------------------------------------------------

PLAIN_TOKENS = ("tokens", "words")
"""Columns of tokens in files of samples."""
PLAIN_TAGS = ("tags", "ner_tags", "labels")
"""Columns of tags in files of samples."""
PLAIN_ENTITIES = ("entities",)
"""Columns of spans in files of samples."""
PLAIN_TEXT = ("text", "sentence", "content")
"""Columns of texts beside tokens, so that spans may count their characters."""

# --- datasets ---------------------------------------------------------------------------------------------------------

TOKENS = ("tokens", "words", "tokenized_text", "token", "word", "sentence_tokens", "text_tokens", "sentence", "text")
"""Columns of datasets with a list of tokens in each row."""
TAGS = (
    "ner_tags", "ner_tag", "ner_labels", "ner", "named_entities", "entity_tags", "bio_tags", "iob_tags", "tags", "tag",
    "labels", "label", "ner_tags_ids", "ner_ids", "tag_ids", "label_ids",
)  # fmt: skip
"""Columns of datasets with a list of tags in each row."""
TAGS_IN_TEXT = (*TAGS, "slots", "slot")
"""Columns of strings with one tag for each word of a text."""
TEXT = (
    "text", "source_text", "unmasked_text", "sentence", "content", "passages", "passage", "document", "context",
    "input", "article", "abstract", "body", "raw_text", "query", "utterance", "tweet", "generated_text", "full_text",
    "sentence_text", "document_text", "transcript", "note", "message", "comment", "prompt", "data",
)  # fmt: skip
"""Columns of datasets with a text in each row."""
SPANS = (
    "entities", "privacy_mask", "ner", "spans", "ner_spans", "mentions", "annotations", "named_entities", "labels",
    "label", "gold", "predictions", "prediction", "output", "pipeline", "span_labels",
)  # fmt: skip
"""Columns of datasets with a list of mentions in each row."""
DOCUMENT = ("doc", "document_id", "doc_id", "docid", "article_id", "pmid")
"""Columns that name the document of a row."""
SENTENCE = ("sentence_id", "sentence", "sent_id", "sentence_idx", "sentence_number", "sentence_index", "sample_id")
"""Columns that number the sentences, where a row is a token."""
TOKEN_A_ROW = ("token", "word", "tokens", "words", "text", "form")
"""Columns of words, where a row is a token."""
TAG_A_ROW = (
    "ner_tag", "ner", "ne", "ne_coarse_lit", "tag", "ner_tags", "label", "tags", "labels", "bio", "iob", "entity",
)  # fmt: skip
"""Columns of tags, where a row is a token."""
NOT_NER = re.compile(
    r"(^|_)(u?x?pos|chunk|chunking|dep|deps|deprel|head|heads|lang|langs|language|lemma|lemmas|srl|syntax|parse|"
    r"input_ids|attention|mask|word_ids|token_type_ids|length|offset|offsets|sentiment)(_|$)"
)
"""Matches the names of columns whose tags are not those of entities."""


class PlainColumns(NamedTuple):
    """The columns of a file of samples that can be read without a search for their meaning."""

    tokens: str
    """The column with the tokens."""
    annotation: str
    """The column with the tags or the entities."""
    form: str
    """What the annotation holds: ``tags`` or ``entities``."""


def plain_columns(names: Iterable[str], options: Options, where: str) -> PlainColumns:
    """Return which columns of a file hold the tokens and the annotation.

    Args:
        names: the columns of the file.
        options: the columns that the caller has named, if any.
        where: names the file, for messages.

    Raises:
        CleancutError: there are no tokens or no annotation among the columns.

    >>> plain_columns(["id", "words", "ner_tags"], Options(), "a.jsonl")
    PlainColumns(tokens='words', annotation='ner_tags', form='tags')
    """
    present = list(names)

    def find(requested: str | None, usual: tuple[str, ...]) -> str | None:
        candidates = usual if requested is None else (requested,)
        return next((name for name in candidates if name in present), None)

    tokens = find(options.tokens, PLAIN_TOKENS)
    entities = None
    if options.tags is None:
        entities = find(options.entities, PLAIN_ENTITIES)
    tags = None
    if entities is None and options.entities is None:
        tags = find(options.tags, PLAIN_TAGS)
    annotation = entities or tags
    if tokens is None or annotation is None:
        annotation_name = options.tags or options.entities or "entities"
        tokens_name = options.tokens or "tokens"
        wanted = tokens_name if tokens is None else annotation_name
        raise CleancutError(
            f"{where}: no {wanted} among {', '.join(map(quoted, present)) or 'no columns'}. "
            "Name the columns: tokens=, tags= or entities=."
        )
    form = "entities" if entities else "tags"
    return PlainColumns(tokens, annotation, form)


def preferred_names(columns: PlainColumns, options: Options) -> list[str]:
    """Return the names of columns that would be chosen in the place of these, if a record had them.

    Args:
        columns: the columns that were chosen.
        options: the columns that the caller has named, if any.
    """
    tokens = PLAIN_TOKENS if options.tokens is None else (columns.tokens,)
    is_named = options.tags is not None or options.entities is not None
    annotation = (columns.annotation,) if is_named else (*PLAIN_ENTITIES, *PLAIN_TAGS)
    before_tokens = tokens[: tokens.index(columns.tokens)]
    return [*before_tokens, *annotation[: annotation.index(columns.annotation)]]
