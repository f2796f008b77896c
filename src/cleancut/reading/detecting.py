"""The columns of a dataset that hold its tokens, annotation and documents, in the shapes that the Hub has.

The result is a ``Shape``, whose text says what was detected; the caller can name every column instead. Nothing is
guessed where two readings are possible: the error lists the columns and names the option to give.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from typing import Any, NamedTuple

from ..core.exceptions import CleancutError, parse_choice, quoted, reason
from ..core.inputs import label_names
from ..core.language_codes import language_before
from ..core.tags import Scheme, Tagging, is_outside, letters_in, parse_scheme, prefix_letter, written
from .batches import check_reading
from .column_names import (
    DOCUMENT,
    NOT_NER,
    SENTENCE,
    SPANS,
    TAG_A_ROW,
    TAGS,
    TAGS_IN_TEXT,
    TEXT,
    TOKEN_A_ROW,
    TOKENS,
)
from .columns import Kind, Table, in_row, inner_table, listed, plain_name, table_of, words_in
from .conventions import BY_CHARACTERS, BY_TOKENS, CLEAR, Convention, Evidence, Place, Unit, unsettled
from .opening import Source
from .spans import TRIPLE, Fields, fields_of, is_passages, spans_in, text_in


class Form(StrEnum):
    """How a dataset writes its mentions."""

    TAGS = "tags"
    TOKEN_SPANS = "token spans"
    CHARACTER_SPANS = "character offsets"
    QUOTES = "mentions without offsets"

    @property
    def argument(self) -> str:
        """The argument of ``Corpus.of`` that takes such an annotation."""
        return _ARGUMENTS[self]


_ARGUMENTS = {
    Form.TAGS: "tags",
    Form.TOKEN_SPANS: "entities",
    Form.CHARACTER_SPANS: "entities",
    Form.QUOTES: "entities",
}
"""The argument of ``Corpus.of`` for each form."""


class End(StrEnum):
    """Whether the end of a span belongs to it."""

    EXCLUSIVE = "exclusive"
    INCLUSIVE = "inclusive"


_IS_INCLUSIVE = {End.EXCLUSIVE: False, End.INCLUSIVE: True}
"""Whether the end of a span belongs to it, for each choice of ``End``."""
_CHUNKS = {"NP", "VP", "PP", "ADJP", "ADVP", "CONJP", "INTJ", "LST", "PRT", "SBAR", "UCP"}
"""The types of chunks (noun phrases and the like), which are no entities."""
_CLEANCUT_FIELDS = ("start", "end", None, "label")
"""The first fields of spans as cleancut writes them, in the order of ``Fields``."""


# --- shapes -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """The columns of a dataset that hold its tokens, annotation and documents; ``str(shape)`` says it in a line.

    >>> shape = detect([{"tokens": ["Ada", "ran"], "ner_tags": ["B-PER", "O"], "pos_tags": ["NNP", "VBD"]}])
    >>> print(shape)
    tokens: tokens; tags: ner_tags (strings, iob2)
    """

    form: Form
    """How mentions are written."""
    annotation: str
    """The column with the tags or the entities."""
    tokens: str | None = None
    """The column with the tokens; None where there is only text."""
    text: str | None = None
    """The column with the text; None where the tokens are read."""
    document: str | None = None
    """The column that names the document of a row; None where there is none."""
    sentences: str | None = None
    """The column whose items are the samples, where a row is a document; the columns above are then its fields."""
    sentence: str | None = None
    """The column that numbers the sentences, where a row is a token."""
    labels: Any = None
    """The names of label ids; None where the annotation holds names."""
    scheme: Scheme | None = None
    """The scheme of the tags; None where it is inferred from them."""
    convention: Convention = BY_CHARACTERS[0]
    """How the offsets of spans are counted."""
    prefixed: bool = False
    """Whether the code of a language stands before every word, as in ``en:Ada``."""
    pieces: bool = False
    """Whether the entities are pieces with B- and I- labels, to be joined."""
    detail: str = ""
    """A description of the annotation, such as ``strings, iob2``."""
    packed: frozenset[str] = frozenset()
    """The columns whose values are lists inside strings."""
    fields: Fields = TRIPLE
    """The fields of spans."""

    @property
    def inclusive(self) -> bool:
        """Whether the end of a span belongs to it."""
        return self.convention.inclusive

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        names = [self.tokens, self.text, self.annotation, self.sentence]
        if self.sentences:
            names = [self.sentences]
        return [name for name in dict.fromkeys([*names, self.document]) if name is not None]

    def __str__(self) -> str:
        parts = []
        if self.sentence:
            parts.append(f"one token a row, samples by: {self.sentence}")
        if self.sentences:
            parts.append(f"sentences: {self.sentences}")
        if self.tokens:
            prefixed = " (without the code of the language)" if self.prefixed else ""
            parts.append(f"tokens: {self.tokens}{prefixed}")
        if self.text:
            parts.append(f"text: {self.text}")
        parts.append(f"{self.form.argument}: {self.annotation} ({self.detail or self.form})")
        if self.document:
            parts.append(f"document: {self.document}")
        return "; ".join(parts)


class _Given(NamedTuple):
    """The columns and settings that the caller has named; None where they are to be detected."""

    tokens: str | None = None
    tags: str | None = None
    entities: str | None = None
    text: str | None = None
    labels: Any = None
    scheme: Scheme | None = None
    document: str | None = None
    end: End | None = None

    def inside(self, column: str) -> _Given:
        """Return the same for the fields of a column: ``sentences.words`` becomes ``words``."""
        prefix = f"{column}."
        tokens = self.tokens and self.tokens.removeprefix(prefix)
        tags = self.tags and self.tags.removeprefix(prefix)
        return self._replace(tokens=tokens, tags=tags)


def detect(
    dataset: Any,
    *,
    tokens: str | None = None,
    tags: str | None = None,
    entities: str | None = None,
    text: str | None = None,
    labels: Any = None,
    scheme: str | None = None,
    document: str | None = None,
    end: str | None = None,
) -> Shape:
    """Return the shape of a dataset, by its features and rows.

    Args:
        dataset: a ``Dataset``, an ``IterableDataset`` or a list of dicts.
        tokens: the column of tokens.
        tags: the column of tags or label ids.
        entities: the column of spans.
        text: the column of the text that spans count characters of.
        labels: the names of label ids: a list, id2label, label2id, or a file with one of them.
        scheme: the scheme of the tags.
        document: the column that names the document of a row.
        end: whether the end of a span belongs to it: ``exclusive`` or ``inclusive``.

    Returns:
        The columns and how they are read. What the caller has named is taken as it is; the rest is detected.

    Raises:
        CleancutError: nothing fits, two columns fit equally well, or an option has no effect.

    >>> print(detect([{"text": "Ada ran.", "entities": [{"start": 0, "end": 3, "label": "PER"}]}]))
    text: text; entities: entities (character offsets)
    """
    return _detect(
        table_of(dataset),
        tokens=tokens,
        tags=tags,
        entities=entities,
        text=text,
        labels=labels,
        scheme=scheme,
        document=document,
        end=end,
    )


def detect_splits(parts: Mapping[str, Any], **options: Any) -> dict[str, Shape]:
    """Return the shape of each split. Splits with the same columns are judged together, and have one shape.

    Args:
        parts: the splits by name, each as ``detect`` takes it.
        **options: the options of ``detect``.

    Raises:
        CleancutError: the shape of a split is not clear.
    """
    groups: dict[Any, list[str]] = {}
    for name, part in parts.items():
        groups.setdefault(_columns_of(part), []).append(name)
    shapes: dict[str, Shape] = {}
    for names in groups.values():
        shape = _detect(table_of(*(parts[name] for name in names)), **options)
        shapes |= dict.fromkeys(names, shape)
    return {name: shapes[name] for name in parts}


def _columns_of(dataset: Any) -> Any:
    """Return a value that differs between datasets with different columns."""
    if isinstance(dataset, list):
        return frozenset(chain.from_iterable(row for row in dataset if isinstance(row, Mapping)))
    features = getattr(dataset, "features", None)
    return str(features) if features is not None else id(dataset)


def _detect(
    table: Table,
    *,
    tokens: str | None = None,
    tags: str | None = None,
    entities: str | None = None,
    text: str | None = None,
    labels: Any = None,
    scheme: str | None = None,
    document: str | None = None,
    end: str | None = None,
) -> Shape:
    """Return the shape of a table; the options are those of ``detect``."""
    if tags is not None and entities is not None:
        raise CleancutError("give either tags or entities, not both.")
    ends = None if end is None else parse_choice(End, end, "end")
    given = _Given(tokens, tags, entities, text, names_in(labels), parse_scheme(scheme), document, ends)
    check_reading(given._asdict())
    _check_given(table, given)
    for find in (_token_spans, _token_tags, _text_spans, _token_quotes, _nested, _token_rows):
        shape = find(table, given)
        if shape is not None:
            _check_used(shape, given)
            packed = frozenset(name for name, kind in table.kinds.items() if kind.packed)
            return replace(shape, document=given.document or _document(table), packed=packed)
    raise _unclear(table, given)


def _check_used(shape: Shape, given: _Given) -> None:
    """Raise an error where the caller has named something that has no effect on the shape."""
    if given.end is not None and shape.form is not Form.TOKEN_SPANS and shape.form is not Form.CHARACTER_SPANS:
        end = given.end.value
        raise CleancutError(f"end={quoted(end)} has no effect: {shape.annotation} holds {shape.form}. Leave it out.")
    if given.text is not None and given.text not in (shape.text, shape.tokens):
        raise CleancutError(f"text={quoted(given.text)} has no effect: {shape}. Leave it out, or name the entities.")
    if given.tokens is not None and shape.tokens is None:
        raise CleancutError(f"tokens={quoted(given.tokens)} has no effect: {shape}. Leave it out, or name the tags.")


def names_in(labels: Any) -> Any:
    """Return the names of label ids from a list, a dict either way round, or a file with them.

    Args:
        labels: the names, or the path of a file; anything else is returned as it is.

    >>> names_in({"O": 0, "PER": 1})
    {0: 'O', 1: 'PER'}
    """
    if isinstance(labels, str | os.PathLike):
        return label_file(labels)
    if isinstance(labels, Mapping) and labels and all(isinstance(key, str) for key in labels):
        is_label2id = all(isinstance(value, int) for value in labels.values())
        if is_label2id:
            return {label_id: name for name, label_id in labels.items()}
    return labels


def label_file(path: str | os.PathLike[str]) -> Any:
    """Return the names of label ids from a file.

    Args:
        path: a JSON file with a list, label2id, id2label or the config of a model; or a file with one name a line.

    Raises:
        CleancutError: the file cannot be read, or holds something else.
    """
    source = Source.of(path)
    source.check()
    text = source.text()
    if not text.lstrip().startswith(("{", "[")):
        return [line.strip() for line in text.splitlines() if line.strip()]
    try:
        stored = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CleancutError(
            f"{path}: invalid JSON ({reason(error)}). Give a list of names, label2id or id2label."
        ) from None
    for key in ("id2label", "label2id"):
        if isinstance(stored, Mapping) and key in stored:
            stored = stored[key]
    if not isinstance(stored, Mapping | list):
        raise CleancutError(f"{path}: {quoted(stored)} is no list of names, label2id or id2label. Give one of them.")
    return names_in(stored)


def _check_given(table: Table, given: _Given) -> None:
    """Raise an error where the caller has named a column that the table does not have."""
    inner_fields = {name for kind in table.kinds.values() for name in (kind.of or kind).fields}
    for option in ("tokens", "tags", "entities", "text", "document"):
        name = getattr(given, option)
        if name is None or name in table.kinds:
            continue
        column, _, field = name.partition(".")
        is_field = name in inner_fields or (column in table.kinds and field in inner_fields)
        if not is_field or option not in ("tokens", "tags"):
            raise CleancutError(f"{option}={quoted(name)} is not among the columns {table}.")


def _document(table: Table) -> str | None:
    """Return the column that names documents; None where there is none."""
    return table.named(DOCUMENT, lambda kind: kind.name in ("text", "int") and not kind.packed)


def _unclear(table: Table, given: _Given) -> CleancutError:
    """Return the error for a table without tokens or annotation."""
    tokens = given.tokens or table.named(TOKENS, lambda kind: kind.is_list_of("text"))
    text = given.text or table.named(TEXT, lambda kind: kind.name == "text")
    wanted = "annotation" if tokens or text else "tokens"
    tags = table.named(TAGS, lambda kind: kind.is_list_of("text"))
    if tags is not None and tokens is not None and given.entities is None:
        _refuse_strange_names(tags, _inventory(table, tags))
    return CleancutError(
        f"no {wanted} among {', '.join(map(quoted, table.kinds)) or 'no columns'}. The columns are {table}. Name those "
        "that hold the annotation: tokens= and tags=, or text= (or tokens=) and entities=."
    )


# --- a tag for each token -----------------------------------------------------------------------------


def _token_column(table: Table, given: _Given) -> str | None:
    """Return the column of tokens; None where there is none."""
    if given.tokens is not None:
        return given.tokens if given.tokens in table.kinds else None
    return table.named(TOKENS, lambda kind: kind.is_list_of("text"))


def _token_tags(table: Table, given: _Given) -> Shape | None:
    """Return the shape of rows with a tag for each token; None where they are something else."""
    if given.entities is not None:
        return None
    tokens = _token_column(table, given)
    tags = _tag_column(table, given, tokens)
    if tags is None:
        return None
    kind = table.kinds[tags]
    holds_tags = kind.is_list_of("text", "int", "label") or kind.name == "text"
    if tokens is None:  # words that stand in one string
        if given.tokens is not None or not holds_tags:
            return None
        tokens = given.text or _text_of_tags(table, tags)
        if tokens is None or not table.same_lengths(tokens, tags):
            return None
    if not holds_tags:
        if given.tags is not None and kind.name not in ("label", "int"):
            raise CleancutError(f"tags={quoted(tags)} holds {kind}, not a list of tags. Give entities= for spans.")
        return None
    if kind.name == "text" and not table.kinds[tokens].is_list_of("text") and not table.same_lengths(tokens, tags):
        return None  # one token a row
    prefixed = _is_prefixed(table, tokens)
    return _with_names(table, given, Shape(Form.TAGS, tags, tokens=tokens, prefixed=prefixed), tags)


def _text_of_tags(table: Table, tags: str) -> str | None:
    """Return the text with as many words as there are tags; None where there is none.

    A column may have a name that texts usually have and yet only number them, such as ``Sentence #``.
    """
    fitting = {}
    for name, kind in table.kinds.items():
        if kind.name == "text" and name != tags and table.same_lengths(name, tags):
            fitting[name] = kind
    return Table(fitting, table.head).named(TEXT, lambda kind: True)


def _is_prefixed(table: Table, tokens: str) -> bool:
    """Return whether the code of a language stands before every word of every sample, as in WikiANN's files."""
    given_values = [given for given in table.values(tokens) if given is not None]
    samples = [words for words in map(words_in, given_values) if len(words)]
    return sum(map(len, samples)) > 2 and all(language_before(words) is not None for words in samples)


def _item_kind(kind: Kind) -> Kind:
    """Return the kind of the items of a list; of anything else, its own kind."""
    return kind.of if kind.name == "list" and kind.of else kind


def _inventory(table: Table, column: str) -> tuple[str, ...]:
    """Return the tags that a column may hold: its label names, or the strings that occur."""
    item_kind = _item_kind(table.kinds[column])
    if item_kind.name == "label":
        return item_kind.names
    if item_kind.name != "text":
        return ()
    strings = table.strings(column) if table.datasets else _strings(table.values(column))
    return tuple(sorted(strings))


def _strings(values: Sequence[Any]) -> set[str]:
    """Return the tags in lists of tags, or in strings of tags."""
    tags = chain.from_iterable(listed(value) for value in values if value is not None)
    return {tag for tag in tags if tag is not None}


def _is_ner(table: Table, column: str) -> bool:
    """Return whether the tags look like those of entities, rather than of parts of speech or chunks."""
    if NOT_NER.search(plain_name(column)):
        return False
    item_kind = _item_kind(table.kinds[column])
    has_usual_name = plain_name(column) in TAGS
    if item_kind.name == "int":
        return has_usual_name
    inventory = _inventory(table, column)
    tags = {tag for tag in inventory if not is_outside(tag)}
    has_outside = len(tags) < len(set(inventory))
    types = set()
    bare_names = tags  # without a letter such as B- before them
    if letters_in(tags):
        parsed = {tag: written(tag) for tag in tags}
        types = {parts[1] for parts in parsed.values() if parts}
        bare_names = {tag for tag, parts in parsed.items() if parts is None}
    if types and types <= _CHUNKS:
        return False
    if item_kind.name == "label":
        return has_outside or not bare_names
    if not bare_names:
        return bool(tags) or has_outside
    return has_outside and has_usual_name


def _tag_column(table: Table, given: _Given, tokens: str | None) -> str | None:
    """Return the column of tags; None where there is none. Raise an error where it may be several."""
    if given.tags is not None:
        return given.tags if given.tags in table.kinds else None
    candidates = []
    for name, kind in table.kinds.items():
        if name != tokens and kind.is_list_of("text", "int", "label") and _is_ner(table, name):
            candidates.append(name)
    if len(candidates) > 1 and tokens is not None:  # such as the labels of sub-words beside those of words
        candidates = [name for name in candidates if table.same_lengths(tokens, name)] or candidates
    if len(candidates) > 1:
        candidates = [name for name in candidates if re.search("ner|entit", plain_name(name))] or candidates
    if len(candidates) > 1:  # ids beside their names
        candidates = [name for name in candidates if _inventory(table, name)] or candidates
    if len(candidates) > 1:
        choices = " or ".join(f"{quoted(name)} ({_inventory_size(table, name)})" for name in candidates)
        raise CleancutError(f"the tags may be {choices}. Choose one with tags=, such as tags={quoted(candidates[0])}.")
    if candidates:
        return candidates[0]
    if tokens is None or not table.kinds[tokens].is_list_of("text"):
        return _tags_in_text(table, tokens)
    return None


def _tags_in_text(table: Table, tokens: str | None) -> str | None:
    """Return the column of strings with one tag for each word of the text; None where there is none."""
    tags = table.named(TAGS_IN_TEXT, lambda kind: kind.name == "text" and not kind.packed)
    if tokens is not None or tags is None:
        return tags
    text = table.named(TEXT, lambda kind: kind.name == "text")
    if text is None or text == tags or not table.same_lengths(text, tags):
        return None
    return tags if letters_in(_inventory(table, tags)) else None


def _inventory_size(table: Table, column: str) -> str:
    """Return how many tags a column may hold and the first of them, for a message."""
    tags = _inventory(table, column)
    if not tags:
        return "label ids"
    more = " ..." if len(tags) > 4 else ""
    return f"{len(tags)} tags: {', '.join(tags[:4])}{more}"


def _with_names(table: Table, given: _Given, shape: Shape, tags: str) -> Shape:
    """Return the shape with the label names, the scheme and a description of both."""
    kind = table.kinds[tags]
    item_kind = _item_kind(kind)
    inventory = _inventory(table, tags)
    labels = None
    description = "strings"
    if item_kind.name in ("int", "label"):
        labels = given.labels if given.labels is not None else inventory or None
        if labels is None:
            raise CleancutError(
                f"{tags} holds label ids without names. Give labels= (Python: a list, id2label or a file; command "
                "line: --labels a,b,c or a file with one name a line, or JSON with label2id or id2label)."
            )
        inventory = tuple(label_names(labels).values())
        id_kind = "ClassLabel" if item_kind.name == "label" else "label ids"
        description = f"{id_kind}, {len(inventory)} names"
    elif given.labels is not None:
        raise CleancutError(f"labels= has no effect: {tags} holds the names themselves. Leave it out.")
    letters = letters_in(inventory)
    scheme = given.scheme
    if scheme is None and not letters and not all(map(is_outside, inventory)):
        _refuse_strange_names(tags, inventory)
        scheme = Scheme.IO  # bare names
    if kind.packed:
        description += " in a string"
    described_scheme = scheme or (Tagging(letters).scheme() if letters else None)
    if described_scheme is not None:
        description += f", {described_scheme.value}"
    return replace(shape, labels=labels, scheme=scheme, detail=description)


def _refuse_strange_names(column: str, inventory: Sequence[str]) -> None:
    """Raise an error where bare names may be no types.

    That is so where all begin as tags do, but with small letters, or where none of them is O.
    """
    names = [tag for tag in inventory if not is_outside(tag)]
    small = [tag for tag in names if re.match("[bi][-_].", tag)]
    if small == names and any(tag.startswith("b") for tag in small):
        capital = small[0][:1].upper() + small[0][1:]
        raise CleancutError(
            f"{column} holds {quoted(small[0])}, which may be a tag with a small letter or the name of a type. Write "
            f"the letter as a capital, such as {quoted(capital)}, or give scheme='io'."
        )
    if len(names) == len(inventory):
        some = ", ".join(map(quoted, names[:6]))
        more = " ..." if len(names) > 6 else ""
        raise CleancutError(
            f"{column} holds {some}{more}, and none of them is O. Write the one that is "
            "outside of mentions as O (of label ids: labels=); give scheme='io' if there is none."
        )


def _nested(table: Table, given: _Given) -> Shape | None:
    """Return the shape of documents, each a list of sentences with tokens and tags; None for anything else."""
    candidates = []
    for name in table.kinds:
        inner = inner_table(table, name)
        shape = None if inner is None else _token_tags(inner, given.inside(name))
        if shape is not None:
            candidates.append(replace(shape, sentences=name))
    if len(candidates) > 1:
        names = " or ".join(quoted(shape.sentences) for shape in candidates)
        raise CleancutError(
            f"the sentences may be in {names}. Choose with tokens=, such as {candidates[0].sentences}.tokens."
        )
    return candidates[0] if candidates else None


def _token_rows(table: Table, given: _Given) -> Shape | None:
    """Return the shape of rows that are tokens; None where they are something else.

    Rows that follow each other with the same number are a sentence.
    """

    def is_text(kind: Kind) -> bool:
        return kind.name == "text" and not kind.packed

    tokens = given.tokens or table.named(TOKEN_A_ROW, is_text)
    tags = given.tags or table.named(TAG_A_ROW, lambda kind: kind.name in ("text", "label", "int") and not kind.packed)
    if tokens is None or tags is None or tokens == tags or given.entities is not None:
        return None
    kinds = table.kinds
    if tokens not in kinds or tags not in kinds or not is_text(kinds[tokens]):
        return None
    if kinds[tags].name not in ("text", "label", "int") or kinds[tags].packed:
        return None
    if given.tags is None and not _is_ner(table, tags):
        return None
    words = [word for word in table.values(tokens) if word is not None]
    n_of_several_words = sum(len(word.split()) > 1 for word in words)
    if given.tokens is None and n_of_several_words > len(table.head) / 20:
        return None  # texts, each with a class
    rest = Table({name: kind for name, kind in kinds.items() if name not in (tokens, tags)}, table.head)
    sentence = rest.named(SENTENCE, lambda kind: kind.name in ("text", "int", "other")) or given.document
    if sentence is None:
        raise CleancutError(
            f"{quoted(tokens)} and {quoted(tags)} hold one token a row, but no column tells the sentences apart. The "
            f"columns are {table}. Name it sentence_id, or give document=."
        )
    return _with_names(table, given, Shape(Form.TAGS, tags, tokens=tokens, sentence=sentence), tags)


# --- spans --------------------------------------------------------------------------------------------


def _span_column(table: Table, given: _Given) -> tuple[str, Fields] | None:
    """Return the column of spans and the fields of these; None where there is none."""
    if given.tags is not None:
        return None
    fields_by_column = {}
    for name in table.kinds:
        fields = fields_of(table, name)
        if fields is not None:
            fields_by_column[name] = fields
    if given.entities is not None:
        if given.entities not in fields_by_column:
            kind = table.kinds.get(given.entities)
            raise CleancutError(
                f"entities={quoted(given.entities)} holds {kind}, not spans. Spans are dicts with label and start and "
                "end, offsets or text, or (start, end, label) triples."
            )
        return given.entities, fields_by_column[given.entities]
    by_plain_name = {plain_name(name): name for name in reversed(list(fields_by_column))}
    usual = [by_plain_name[name] for name in SPANS if name in by_plain_name]
    candidates = usual[:1] or list(fields_by_column)
    if len(candidates) > 1:
        raise CleancutError(
            f"the entities may be in {' or '.join(map(quoted, candidates))}. Choose one with entities=."
        )
    return (candidates[0], fields_by_column[candidates[0]]) if candidates else None


def _token_spans(table: Table, given: _Given) -> Shape | None:
    """Return the shape of tokens with spans that count them; None for anything else."""
    tokens = _token_column(table, given)
    if tokens is None or given.text is not None or not table.kinds[tokens].is_list_of("text"):
        return None
    span_column = _span_column(table, given)
    if span_column is None:
        return None
    column, fields = span_column
    if fields.is_quotes or (given.entities is None and plain_name(column) not in SPANS):
        return None
    text = None
    conventions = [*BY_TOKENS]
    if given.tokens is None and not fields.counts_tokens:  # the offsets may count characters
        text = _text_column(table, column)
        conventions += BY_CHARACTERS
    evidence = _evidence(table, conventions, column, fields, text=text, tokens=tokens)
    if given.tokens is None and _counts_characters(evidence, column, text):
        return None
    shape = Shape(Form.TOKEN_SPANS, column, tokens=tokens, fields=fields)
    return _span_shape(table, given, replace(shape, convention=_by_tokens(shape, given, evidence)))


def _by_tokens(shape: Shape, given: _Given, evidence: Evidence) -> Convention:
    """Return the convention of token offsets; raise an error where it is not clear whether ends are inclusive."""
    exclusive, inclusive = BY_TOKENS
    if given.end is not None:
        return inclusive if _IS_INCLUSIVE[given.end] else exclusive
    if not evidence.has_words:  # the names of columns tell more than edges do, unless they cannot be right
        assert shape.tokens is not None
        is_of_cleancut = plain_name(shape.annotation) == "entities" and shape.fields[:4] == _CLEANCUT_FIELDS
        goes_on = 2 * evidence.n_going_on > evidence.n_mentions and not evidence.speaks_for(exclusive, inclusive)
        if plain_name(shape.tokens) == "tokenized_text" and evidence.is_possible(inclusive):
            return inclusive  # as GLiNER writes them
        if not evidence.n_mentions or (is_of_cleancut and not goes_on and evidence.is_possible(exclusive)):
            return exclusive  # as cleancut writes them
    best = evidence.best(BY_TOKENS)
    other = exclusive if best.inclusive else inclusive
    if not evidence.speaks_for(best, other):
        raise unsettled(shape.annotation, evidence, *BY_TOKENS)
    return best


def _counts_characters(evidence: Evidence, column: str, text: str | None) -> bool:
    """Return whether the offsets of spans beside tokens count the characters of a text.

    An error is raised where that is not clear.
    """
    if not evidence.n_mentions:
        return False
    if evidence.is_impossible(Unit.TOKENS):
        return True
    by_tokens, by_characters = evidence.best(BY_TOKENS), evidence.best(BY_CHARACTERS[:2])
    if evidence.has_words:
        return evidence.speaks_for(by_characters, by_tokens)
    if not evidence.fits(by_characters):
        return False
    if text is None:
        # mentions that are words of the tokens with spaces between them, and as long as words are, not as mentions
        return evidence.n_mentions >= CLEAR and evidence.total_length >= 4 * evidence.n_mentions
    if evidence.n_mentions < CLEAR:
        if by_characters.inclusive:  # too few mentions for such a rare convention
            return False
        raise CleancutError(
            f"the offsets in {column} may count tokens or characters: {evidence.n_mentions} mentions fit both. Give "
            f"tokens= for the one (command line: --tokens), or text={quoted(text)} for the other (--text)."
        )
    return True


def _text_column(table: Table, annotation: str) -> str | None:
    """Return the column of texts beside a column of spans; None where there is none."""
    rest = Table({name: kind for name, kind in table.kinds.items() if name != annotation}, table.head)
    return rest.named(TEXT, lambda kind: (kind.name == "text" and not kind.packed) or is_passages(kind))


def _evidence(
    table: Table,
    conventions: Sequence[Convention],
    column: str,
    fields: Fields,
    *,
    text: str | None = None,
    tokens: str | None = None,
) -> Evidence:
    """Return what all mentions tell about their offsets; those in several pieces tell nothing."""
    evidence = Evidence(conventions)
    columns = {name for name in (column, text, tokens) if name is not None}
    for i, row in enumerate(table.rows(*columns)):
        with in_row(i):
            spans = spans_in(table.value(row, column), fields)
            distinct = {(span.start, span.end, span.surface): span for span in spans}
            words = words_in(table.value(row, tokens) or ()) if tokens is not None else []
            row_text = text_in(table.value(row, text)) if text is not None else " ".join(words)
            place = Place(row_text, words)
            for span in distinct.values():
                evidence.add(place, span)
    return evidence


def _text_spans(table: Table, given: _Given) -> Shape | None:
    """Return the shape of texts with spans that count characters, or that quote them; None for anything else."""
    span_column = _span_column(table, given)
    if span_column is None:
        return None
    column, fields = span_column
    if fields.is_quotes and given.tokens is not None and given.text is None:
        return None
    text = given.text or _text_column(table, column)
    if text is None:
        if fields.is_quotes and _token_column(table, given) is not None:
            return None
        raise CleancutError(
            f"{quoted(column)} holds entities, but which column holds the text? The columns are {table}. Give text=, "
            "or tokens= where the offsets count tokens."
        )
    if not (is_passages(table.kinds[text]) or table.kinds[text].name == "text"):
        raise CleancutError(f"text={quoted(text)} holds {table.kinds[text]}, not text. Give another column.")
    if fields.is_quotes:
        return _span_shape(table, given, Shape(Form.QUOTES, column, text=text, fields=fields))
    if fields.counts_tokens:
        raise CleancutError(
            f"the offsets in {column} ({fields.start}) count tokens. Give the column of tokens (tokens=)."
        )
    shape = Shape(Form.CHARACTER_SPANS, column, text=text, fields=fields, pieces=_is_pieces(table, column, fields))
    evidence = _evidence(table, BY_CHARACTERS, column, fields, text=text)
    return _span_shape(table, given, replace(shape, convention=_by_characters(shape, given, evidence)))


def _is_pieces(table: Table, column: str, fields: Fields) -> bool:
    """Return whether the labels of spans are tags, so that the spans are pieces of mentions."""
    labels: set[Any] = set()
    for i, row in enumerate(table.rows(column)):
        with in_row(i):
            for span in spans_in(table.value(row, column), fields):
                labels.update(span.labels)
    return bool(labels) and all(_is_tag(label) for label in labels)


def _is_tag(label: Any) -> bool:
    """Return whether a label is O, or begins with a letter such as B-."""
    return isinstance(label, str) and bool(is_outside(label) or prefix_letter(label))


def _by_characters(shape: Shape, given: _Given, evidence: Evidence) -> Convention:
    """Return the convention of character offsets; raise an error where it is not clear whether ends are inclusive."""
    allowed = list(BY_CHARACTERS)
    if given.end is not None:
        allowed = [c for c in allowed if c.inclusive is _IS_INCLUSIVE[given.end]]
        if not evidence.has_words:  # only words that mentions name speak for another unit
            allowed = [c for c in allowed if c.is_usual]
    if evidence.has_positions:
        allowed = [c for c in allowed if c.inclusive]
        if not allowed:
            raise CleancutError(f"end='exclusive' has no effect: {shape.annotation} lists positions. Leave it out.")
    convention = evidence.best(allowed)
    if given.end is None and evidence.is_doubtful(convention):
        raise CleancutError(
            f"most of the {evidence.n_mentions} mentions in {shape.annotation} begin or end inside a word of "
            f"{shape.text}, however their offsets are read. Give the text that they are for (text=), or "
            "end='exclusive' or end='inclusive' if they are right (command line: --text, --end)."
        )
    other = convention._replace(inclusive=not convention.inclusive)
    if other not in allowed or convention.first or shape.pieces or evidence.speaks_for(convention, other):
        return convention
    if evidence.n_both(convention, other):
        raise unsettled(shape.annotation, evidence, convention, other)
    return convention


def _token_quotes(table: Table, given: _Given) -> Shape | None:
    """Return the shape of tokens with mentions that have no offsets; None for anything else."""
    tokens = _token_column(table, given)
    span_column = _span_column(table, given)
    if tokens is None or span_column is None:
        return None
    column, fields = span_column
    if not fields.is_quotes:
        return None
    return _span_shape(table, given, Shape(Form.QUOTES, column, tokens=tokens, fields=fields))


def _span_shape(table: Table, given: _Given, shape: Shape) -> Shape:
    """Return the shape of spans with the label names and a description."""
    kind = _label_kind(table, shape)
    names = given.labels if given.labels is not None else kind.names or None
    if kind.name == "int" and names is None:
        raise CleancutError(
            f"the labels in {shape.annotation} are ids without names. Give labels=, a list, id2label or a file."
        )
    if given.labels is not None and kind.name not in ("int", "label"):
        raise CleancutError(f"labels= has no effect: {shape.annotation} holds the names themselves. Leave it out.")
    if given.scheme is not None:
        raise CleancutError(f"scheme= has no effect: {shape.annotation} holds spans, not tags. Leave it out.")
    unit = shape.convention.unit
    first = shape.convention.first
    details = [shape.form.value]
    if unit in (Unit.BYTES, Unit.UTF16):
        details.append(f"in {unit.value}")
    if first:
        details.append(f"from {first}")
    if shape.inclusive:
        details.append("ends inclusive")
    if shape.pieces:
        details.append("B- and I- pieces joined")
    if table.kinds[shape.annotation].packed:
        details.append("in a string")
    return replace(shape, labels=names, detail=", ".join(details))


def _label_kind(table: Table, shape: Shape) -> Kind:
    """Return the kind of the labels of spans."""
    label = shape.fields.label
    inner = inner_table(table, shape.annotation) if shape.fields.keyed is None else None
    if inner is None or not isinstance(label, str):
        return Kind("text")
    return inner.kinds[label]
