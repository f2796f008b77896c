"""What columns of samples are called: the one place that knows, for every reader.

Names are in order of preference, and plain: lower case, with ``_`` for all that is no letter or digit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ..core.exceptions import CleancutError
from .batches import Options

# --- files of samples as they are -------------------------------------------------------------------------------------

PLAIN_TOKENS = ("tokens", "words")
PLAIN_TAGS = ("tags", "ner_tags", "labels")
PLAIN_ENTITIES = ("entities",)
PLAIN_TEXT = ("text", "sentence", "content")
"""Texts that stand beside tokens, so that spans may count their characters."""

# --- datasets ---------------------------------------------------------------------------------------------------------

TOKENS = ("tokens", "words", "tokenized_text", "token", "word", "sentence_tokens", "text_tokens", "sentence", "text")
TAGS = (
    "ner_tags", "ner_tag", "ner_labels", "ner", "named_entities", "entity_tags", "bio_tags", "iob_tags", "tags", "tag",
    "labels", "label", "ner_tags_ids", "ner_ids", "tag_ids", "label_ids",
)  # fmt: skip
TAGS_IN_TEXT = (*TAGS, "slots", "slot")
"""Strings with one tag for each word of a text."""
TEXT = (
    "text", "source_text", "unmasked_text", "sentence", "content", "passages", "passage", "document", "context",
    "input", "article", "abstract", "body", "raw_text", "query", "utterance", "tweet", "generated_text", "full_text",
    "sentence_text", "document_text", "transcript", "note", "message", "comment", "prompt",
)  # fmt: skip
SPANS = (
    "entities", "privacy_mask", "ner", "spans", "ner_spans", "mentions", "annotations", "named_entities", "labels",
    "label", "gold", "predictions", "prediction", "output", "pipeline", "span_labels",
)  # fmt: skip
DOCUMENT = ("doc", "document_id", "doc_id", "docid", "article_id", "pmid")
SENTENCE = ("sentence_id", "sentence", "sent_id", "sentence_idx", "sentence_number", "sentence_index", "sample_id")
TOKEN_A_ROW = ("token", "word", "tokens", "words", "text", "form")
TAG_A_ROW = ("ner_tag", "ner", "tag", "ner_tags", "label", "tags", "labels", "bio", "iob", "entity")
"""Where a row is a token: its word and its tag."""
NOT_NER = re.compile(
    r"(^|_)(u?x?pos|chunk|chunking|dep|deps|deprel|head|heads|lang|langs|language|lemma|lemmas|srl|syntax|parse|"
    r"input_ids|attention|mask|word_ids|token_type_ids|length|offset|offsets|sentiment)(_|$)"
)
"""Names of columns whose tags are not those of entities."""


class PlainColumns(NamedTuple):
    """The columns of a file of samples as they are."""

    tokens: str
    annotation: str
    form: str
    """``tags`` or ``entities``."""


def plain_columns(names: Iterable[str], options: Options, where: str) -> PlainColumns:
    """Which columns hold the tokens and the annotation."""
    present = list(names)

    def find(given: str | None, usual: tuple[str, ...]) -> str | None:
        if given is not None:
            return given if given in present else None
        return next((name for name in usual if name in present), None)

    tokens = find(options.tokens, PLAIN_TOKENS)
    entities = find(options.entities, PLAIN_ENTITIES) if options.tags is None else None
    tags = find(options.tags, PLAIN_TAGS) if entities is None and options.entities is None else None
    annotation = entities or tags
    if tokens is None or annotation is None:
        wanted = (options.tokens or "tokens") if tokens is None else options.tags or options.entities or "entities"
        raise CleancutError(
            f"{where}: no {wanted} among {', '.join(map(repr, present)) or 'no columns'}. "
            "Name the columns: tokens=, tags= or entities=."
        )
    return PlainColumns(tokens, annotation, "entities" if entities else "tags")


def preferred_names(columns: PlainColumns, options: Options) -> list[str]:
    """Return the names of columns that would be chosen in the place of these, if a record had them."""
    tokens = PLAIN_TOKENS if options.tokens is None else (columns.tokens,)
    is_named = options.tags is not None or options.entities is not None
    annotation = (columns.annotation,) if is_named else (*PLAIN_ENTITIES, *PLAIN_TAGS)
    before_tokens = tokens[: tokens.index(columns.tokens)]
    return [*before_tokens, *annotation[: annotation.index(columns.annotation)]]
