"""Where a dataset has its tokens, annotation and documents, in the shapes that the Hub has.

What is detected is a ``Shape``, whose text says what was found; anything can be given instead. Nothing is guessed where
two readings are possible: the error lists the columns and names the option to give.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.exceptions import CleancutError, parse_choice
from ..core.inputs import label_names
from ..core.tags import Scheme, Tagging, is_outside, letters_in, parse_scheme, prefix_letter, written
from .columns import Kind, Table, inner_table, plain_name, records_in, table_of


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
    Form.TAGS: "tags", Form.TOKEN_SPANS: "entities", Form.CHARACTER_SPANS: "entities", Form.QUOTES: "entities",
}  # fmt: skip


class End(StrEnum):
    """Does the end of a span belong to it?"""

    EXCLUSIVE = "exclusive"
    INCLUSIVE = "inclusive"


_IS_INCLUSIVE = {End.EXCLUSIVE: False, End.INCLUSIVE: True}


# --- names of columns, in order of preference ---------------------------------------------------------

_TOKENS = ("tokens", "words", "tokenized_text", "token", "word", "sentence_tokens", "text_tokens", "sentence", "text")
_TAGS = (
    "ner_tags", "ner_tag", "ner_labels", "ner", "named_entities", "entity_tags", "bio_tags", "iob_tags", "tags", "tag",
    "labels", "label", "ner_tags_ids", "ner_ids", "tag_ids", "label_ids",
)  # fmt: skip
_SPANS = (
    "entities", "privacy_mask", "ner", "spans", "ner_spans", "mentions", "annotations", "named_entities", "labels",
    "label", "gold", "predictions", "prediction", "output", "pipeline", "span_labels",
)  # fmt: skip
_TEXT = (
    "text", "source_text", "unmasked_text", "sentence", "content", "passages", "passage", "document", "context",
    "input", "article", "abstract", "body", "raw_text", "query", "utterance", "tweet",
)  # fmt: skip
_DOCUMENT = ("doc", "document_id", "doc_id", "docid", "article_id", "pmid")
_SENTENCE = ("sentence_id", "sentence", "sent_id", "sentence_idx", "sentence_number", "sentence_index", "sample_id")
_NOT_NER = re.compile(
    r"(^|_)(u?x?pos|chunk|chunking|dep|deps|deprel|head|heads|lang|langs|language|lemma|lemmas|srl|syntax|parse|"
    r"input_ids|attention|mask|word_ids|token_type_ids|length|offset|offsets|sentiment)(_|$)"
)
_CHUNKS = {"NP", "VP", "PP", "ADJP", "ADVP", "CONJP", "INTJ", "LST", "PRT", "SBAR", "UCP"}

_START = ("start", "begin", "start_offset", "char_start", "start_char", "start_index", "start_idx", "start_pos",
          "offset_start", "begin_offset", "token_start", "start_token")  # fmt: skip
_END = ("end", "stop", "end_offset", "char_end", "end_char", "end_index", "end_idx", "end_pos", "offset_end",
        "token_end", "end_token")  # fmt: skip
_OFFSETS = ("offsets", "offset", "span", "position", "positions", "char_span", "indices")
_LABEL = ("label", "entity_group", "entity_type", "type", "tag", "class", "category", "ner_tag", "label_name",
          "labels", "types", "semantic_type_id", "entity")  # fmt: skip
_SURFACE = ("text", "word", "value", "mention", "surface", "name", "entity", "entity_text", "span", "string")


# --- shapes -------------------------------------------------------------------------------------------


class Fields(NamedTuple):
    """Where a span has what; all None for (start, end, label) triples."""

    start: str | None = None
    end: str | None = None
    offsets: str | None = None
    label: str | None = None
    surface: str | None = None

    @property
    def is_triple(self) -> bool:
        return self.label is None


TRIPLE = Fields()


@dataclass(frozen=True)
class Shape:
    """Where a dataset has its tokens, annotation and documents; ``str(shape)`` says it in a line.

    >>> shape = detect([{"tokens": ["Ada", "ran"], "ner_tags": ["B-PER", "O"], "pos_tags": ["NNP", "VBD"]}])
    >>> print(shape)
    tokens: tokens; tags: ner_tags (strings, iob2)
    """

    form: Form
    annotation: str
    """The column with the tags or the entities."""
    tokens: str | None = None
    text: str | None = None
    document: str | None = None
    sentences: str | None = None
    """The column whose items are the samples, where a row is a document; the columns above are then its fields."""
    sentence: str | None = None
    """The column that numbers the sentences, where a row is a token."""
    labels: Any = None
    """Names of label ids."""
    scheme: Scheme | None = None
    inclusive: bool = False
    pieces: bool = False
    """Are the entities pieces with B- and I- labels, to be joined?"""
    detail: str = ""
    packed: frozenset[str] = frozenset()
    """Columns whose values are lists inside strings."""
    fields: Fields = TRIPLE

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        here = [self.sentences] if self.sentences else [self.tokens, self.text, self.annotation, self.sentence]
        return [name for name in dict.fromkeys([*here, self.document]) if name is not None]

    def __str__(self) -> str:
        parts = [f"one token a row, samples by: {self.sentence}"] if self.sentence else []
        parts += [f"sentences: {self.sentences}"] if self.sentences else []
        parts += [f"tokens: {self.tokens}"] if self.tokens else []
        parts += [f"text: {self.text}"] if self.text else []
        parts.append(f"{self.form.argument}: {self.annotation} ({self.detail})")
        parts += [f"document: {self.document}"] if self.document else []
        return "; ".join(parts)


class _Given(NamedTuple):
    """What the caller has said."""

    tokens: str | None = None
    tags: str | None = None
    entities: str | None = None
    text: str | None = None
    labels: Any = None
    scheme: Scheme | None = None
    document: str | None = None
    end: End | None = None

    def inside(self, column: str) -> _Given:
        """The same for the fields of a column: ``sentences.words`` is ``words``."""
        named = {n: v.removeprefix(f"{column}.") for n in ("tokens", "tags") if (v := getattr(self, n)) is not None}
        return self._replace(**named)


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
    """The shape of a ``Dataset``, an ``IterableDataset`` or a list of dicts, by its features and first rows."""
    if tags is not None and entities is not None:
        raise CleancutError("give either tags or entities, one of the two.")
    ends = None if end is None else parse_choice(End, end, "end")
    given = _Given(tokens, tags, entities, text, names_in(labels), parse_scheme(scheme), document, ends)
    table = table_of(dataset)
    _check_given(table, given)
    for find in (_token_spans, _token_tags, _text_spans, _token_quotes, _nested, _token_rows):
        shape = find(table, given)
        if shape is not None:
            if given.end is not None and shape.form is not Form.TOKEN_SPANS and shape.form is not Form.CHARACTER_SPANS:
                raise CleancutError(f"end={end!r} has no effect: {shape.annotation} holds {shape.form}. Leave it out.")
            if given.text is not None and given.text not in (shape.text, shape.tokens):
                raise CleancutError(f"text={text!r} has no effect: {shape}. Leave it out, or name the entities.")
            if given.tokens is not None and shape.tokens is None:
                raise CleancutError(f"tokens={tokens!r} has no effect: {shape}. Leave it out, or name the tags.")
            packed = frozenset(name for name, kind in table.kinds.items() if kind.packed)
            return replace(shape, document=given.document or _document(table), packed=packed)
    raise _unclear(table, given)


def names_in(labels: Any) -> Any:
    """Label names from a list, a dict either way round, or a file with them."""
    if isinstance(labels, str | os.PathLike):
        return label_file(labels)
    if isinstance(labels, Mapping) and labels and all(isinstance(key, str) for key in labels):
        inverse = all(isinstance(value, int) for value in labels.values())
        return {value: key for key, value in labels.items()} if inverse else labels
    return labels


def label_file(path: str | os.PathLike[str]) -> Any:
    """Label names from a file: a JSON list, label2id, id2label or a model's config, else one name a line."""
    try:
        text = Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise CleancutError(f"{path}: {error.strerror or error}. Give the names, or a file that holds them.") from None
    if not text.lstrip().startswith(("{", "[")):
        return [line.strip() for line in text.splitlines() if line.strip()]
    try:
        stored = json.loads(text)
    except ValueError as error:
        raise CleancutError(f"{path}: invalid JSON ({error}). Give a list of names, label2id or id2label.") from None
    for key in ("id2label", "label2id"):
        stored = stored[key] if isinstance(stored, Mapping) and key in stored else stored
    return names_in(stored)


def _check_given(table: Table, given: _Given) -> None:
    inner = {f for kind in table.kinds.values() for f in (kind.of or kind).fields}
    for option in ("tokens", "tags", "entities", "text", "document"):
        name = getattr(given, option)
        if name is None or name in table.kinds:
            continue
        head, _, rest = name.partition(".")
        nested = option in ("tokens", "tags") and (name in inner or (head in table.kinds and rest in inner))
        if not nested:
            raise CleancutError(f"{option}={name!r} is not among the columns {table}.")


def _document(table: Table) -> str | None:
    return table.named(_DOCUMENT, lambda kind: kind.name in ("text", "int") and not kind.packed)


def _unclear(table: Table, given: _Given) -> CleancutError:
    tokens = given.tokens or table.named(_TOKENS, lambda kind: kind.is_list_of("text"))
    text = given.text or table.named(_TEXT, lambda kind: kind.name == "text")
    wanted = "annotation" if tokens or text else "tokens"
    return CleancutError(
        f"no {wanted} among {', '.join(map(repr, table.kinds)) or 'no columns'}. The columns are {table}. Name those "
        "that hold the annotation: tokens= and tags=, or text= (or tokens=) and entities=."
    )


# --- a tag for each token -----------------------------------------------------------------------------


def _token_column(table: Table, given: _Given) -> str | None:
    if given.tokens is not None:
        return given.tokens if given.tokens in table.kinds else None
    return table.named(_TOKENS, lambda kind: kind.is_list_of("text"))


def _token_tags(table: Table, given: _Given) -> Shape | None:
    if given.entities is not None:
        return None
    tokens = _token_column(table, given)
    tags = _tag_column(table, given, tokens)
    if tags is None:
        return None
    if tokens is None:  # words that stand in one string
        if given.tokens is not None or not table.kinds[tags].is_list_of("text", "int", "label"):
            return None
        tokens = given.text or table.named(_TEXT, lambda kind: kind.name == "text")
        if tokens is None or not _same_lengths(table, tokens, tags):
            return None
    kind = table.kinds[tags]
    if not kind.is_list_of("text", "int", "label") and kind.name != "text":
        if given.tags is not None and kind.name not in ("label", "int"):
            raise CleancutError(f"tags={tags!r} holds {kind}, not a list of tags. Give entities= for spans.")
        return None
    if kind.name == "text" and not table.kinds[tokens].is_list_of("text") and not _same_lengths(table, tokens, tags):
        return None  # one token a row
    return _with_names(table, given, Shape(Form.TAGS, tags, tokens=tokens), tags)


def _same_lengths(table: Table, tokens: str, tags: str) -> bool:
    """Are there as many words as tags in every row, and more than one in some?"""
    pairs = zip(table.values(tokens), table.values(tags), strict=True)
    sizes = [(len(listed(a)), len(listed(b))) for a, b in pairs if a is not None and b is not None]
    return all(a == b for a, b in sizes) and any(a > 1 for a, _ in sizes)


def listed(value: Any) -> Any:
    """A list, or the words of a string."""
    return value.split() if isinstance(value, str) else value


def _inventory(table: Table, column: str) -> tuple[str, ...]:
    """The tags that a column may hold: its names, or the strings that occur."""
    kind = table.kinds[column]
    one = kind.of if kind.name == "list" and kind.of else kind
    if one.name == "label":
        return one.names
    if one.name != "text":
        return ()
    values = [v for v in table.values(column) if v is not None]
    if kind.name == "list":
        return tuple(dict.fromkeys(v for v in chain.from_iterable(values) if v is not None))
    return tuple(dict.fromkeys(chain.from_iterable(map(str.split, values))))


def _is_ner(table: Table, column: str) -> bool:
    """Do the tags look like entities, rather than parts of speech or chunks?"""
    if _NOT_NER.search(plain_name(column)):
        return False
    kind = table.kinds[column]
    one = kind.of if kind.name == "list" and kind.of else kind
    if one.name == "int":
        return plain_name(column) in _TAGS
    tags = {tag for tag in _inventory(table, column) if not is_outside(tag)}
    has_outside = len(tags) < len(set(_inventory(table, column)))
    has_letters = bool(letters_in(tags))
    types = {parts[1] for tag in tags if has_letters and (parts := written(tag))}
    if types and types <= _CHUNKS:
        return False
    bare = {tag for tag in tags if not has_letters or written(tag) is None}
    if one.name == "label":
        return has_outside or not bare
    return (bool(tags) or has_outside) and (not bare or (has_outside and plain_name(column) in _TAGS))


def _tag_column(table: Table, given: _Given, tokens: str | None) -> str | None:
    if given.tags is not None:
        return given.tags if given.tags in table.kinds else None
    found = [
        name for name, kind in table.kinds.items()
        if name != tokens and kind.is_list_of("text", "int", "label") and _is_ner(table, name)
    ]  # fmt: skip
    if len(found) > 1 and tokens is not None:  # such as the labels of sub-words beside those of words
        found = [name for name in found if _same_lengths(table, tokens, name)] or found
    if len(found) > 1:
        found = [n for n in found if re.search("ner|entit", plain_name(n))] or found
    if len(found) > 1:  # ids beside their names
        found = [name for name in found if _inventory(table, name)] or found
    if len(found) > 1:
        choices = " or ".join(f"{name!r} ({_inventory_size(table, name)})" for name in found)
        raise CleancutError(f"the tags may be {choices}. Choose one with tags=, such as tags={found[0]!r}.")
    if not found and tokens is not None and not table.kinds[tokens].is_list_of("text"):
        return table.named(_TAGS, lambda kind: kind.name == "text" and not kind.packed)
    return found[0] if found else None


def _inventory_size(table: Table, column: str) -> str:
    tags = _inventory(table, column)
    return f"{len(tags)} tags: {', '.join(tags[:4])}{' ...' if len(tags) > 4 else ''}" if tags else "label ids"


def _with_names(table: Table, given: _Given, shape: Shape, tags: str) -> Shape:
    """The shape with label names, scheme and a description of both."""
    kind = table.kinds[tags]
    one = kind.of if kind.name == "list" and kind.of else kind
    inventory = _inventory(table, tags)
    if one.name in ("int", "label"):
        names = given.labels if given.labels is not None else inventory or None
        if names is None:
            raise CleancutError(
                f"{tags} holds label ids without names. Give labels= (Python: a list, id2label or a file; command "
                "line: --labels a,b,c or a file with one name a line, or JSON with label2id or id2label)."
            )
        inventory = tuple(label_names(names).values())
        labels = names
        what = f"{'ClassLabel' if one.name == 'label' else 'label ids'}, {len(inventory)} names"
    elif given.labels is not None:
        raise CleancutError(f"labels= has no effect: {tags} holds the names themselves. Leave it out.")
    else:
        labels, what = None, "strings"
    letters = letters_in(inventory)
    scheme = given.scheme
    if scheme is None and not letters and not all(map(is_outside, inventory)):
        _refuse_small_letters(tags, inventory)
        scheme = Scheme.IO  # bare names
    shown = scheme or (Tagging(letters).scheme() if letters else None)
    where = " in a string" if kind.packed else ""
    return replace(shape, labels=labels, scheme=scheme, detail=f"{what}{where}" + (f", {shown.value}" if shown else ""))


def _refuse_small_letters(column: str, inventory: Sequence[str]) -> None:
    """Raise where all names begin as tags do, but with small letters: they are no types."""
    names = [tag for tag in inventory if not is_outside(tag)]
    small = [tag for tag in names if re.match("[bi][-_].", tag)]
    if small == names and any(tag.startswith("b") for tag in small):
        raise CleancutError(
            f"{column} holds {small[0]!r}, which may be a tag with a small letter or the name of a type. Write the "
            f"letter as a capital, such as {small[0].capitalize()[:2] + small[0][2:]!r}, or give scheme='io'."
        )


def _nested(table: Table, given: _Given) -> Shape | None:
    """Documents: a column of sentences, each with its tokens and tags."""
    found = []
    for name in table.kinds:
        inner = inner_table(table, name)
        if inner is not None and (shape := _token_tags(inner, given.inside(name))) is not None:
            found.append(replace(shape, sentences=name))
    if len(found) > 1:
        names = " or ".join(repr(shape.sentences) for shape in found)
        raise CleancutError(
            f"the sentences may be in {names}. Choose with tokens=, such as {found[0].sentences}.tokens."
        )
    return found[0] if found else None


def _token_rows(table: Table, given: _Given) -> Shape | None:
    """One token a row: sentences are rows that follow each other with the same number."""

    def is_text(kind: Kind) -> bool:
        return kind.name == "text" and not kind.packed

    tokens = given.tokens or table.named(("token", "word", "tokens", "words", "text", "form"), is_text)
    names = ("ner_tag", "ner", "tag", "ner_tags", "label", "tags", "labels", "bio", "iob", "entity")
    tags = given.tags or table.named(names, lambda kind: kind.name in ("text", "label", "int") and not kind.packed)
    if tokens is None or tags is None or tokens == tags or given.entities is not None:
        return None
    kinds = table.kinds
    if tokens not in kinds or tags not in kinds or not is_text(kinds[tokens]):
        return None
    if kinds[tags].name not in ("text", "label", "int") or kinds[tags].packed:
        return None
    several = sum(len(word.split()) > 1 for word in table.values(tokens) if word is not None)
    if (given.tags is None and not _is_ner(table, tags)) or (given.tokens is None and several > len(table.head) / 20):
        return None  # texts, each with a class
    rest = Table({name: kind for name, kind in kinds.items() if name not in (tokens, tags)}, table.head)
    sentence = rest.named(_SENTENCE, lambda kind: kind.name in ("text", "int", "other")) or given.document
    if sentence is None:
        raise CleancutError(
            f"{tokens!r} and {tags!r} hold one token a row, but no column tells the sentences apart. The columns are "
            f"{table}. Name it sentence_id, or give document=."
        )
    return _with_names(table, given, Shape(Form.TAGS, tags, tokens=tokens, sentence=sentence), tags)


# --- spans --------------------------------------------------------------------------------------------


def _span_column(table: Table, given: _Given) -> tuple[str, Fields] | None:
    if given.tags is not None:
        return None
    found = {name: fields for name in table.kinds if (fields := _fields_of(table, name)) is not None}
    if given.entities is not None:
        if given.entities not in found:
            kind = table.kinds.get(given.entities)
            raise CleancutError(
                f"entities={given.entities!r} holds {kind}, not spans. Spans are dicts with label and start and end, "
                "offsets or text, or (start, end, label) triples."
            )
        return given.entities, found[given.entities]
    by_name = {plain_name(name): name for name in reversed(list(found))}
    usual = [by_name[name] for name in _SPANS if name in by_name]
    name = usual[0] if usual else next(iter(found)) if len(found) == 1 else None
    if name is None and len(found) > 1:
        raise CleancutError(f"the entities may be in {' or '.join(map(repr, found))}. Choose one with entities=.")
    return (name, found[name]) if name is not None else None


def _fields_of(table: Table, column: str) -> Fields | None:
    """The fields of a column of spans; None where it is another."""
    kind = table.kinds[column]
    if kind.name == "list" and kind.of is not None and kind.of.name in ("list", "other"):
        spans = list(chain.from_iterable(value for value in table.values(column) if isinstance(value, list | tuple)))
        triples = all(isinstance(s, list | tuple) and len(s) == 3 and _is_triple(s) for s in spans)
        unseen = not spans and plain_name(column) in _SPANS  # an empty list shows nothing but its name
        return TRIPLE if triples and (spans or unseen) else None
    inner = inner_table(table, column)
    if inner is None:
        return None

    def field_of(names: Sequence[str], *kinds: str) -> str | None:
        return inner.named(names, lambda k: k.name in kinds or (k.name == "other" and not inner.head))

    label = inner.named(_LABEL, lambda k: k.name in ("text", "label", "int", "other") or k.is_list_of("text"))
    if label is None:
        return None
    rest = Table({name: kind for name, kind in inner.kinds.items() if name != label}, inner.head)
    start, end = field_of(_START, "int"), field_of(_END, "int")
    offsets = rest.named(_OFFSETS, lambda k: k.is_list_of("int", "list"))
    surface = rest.named(_SURFACE, lambda k: k.name == "text" or k.is_list_of("text"))
    if start is None or end is None:
        start = end = None
    if start is None and offsets is None and surface is None:
        return None
    return Fields(start, end, offsets if start is None else None, label, surface)


def _is_triple(span: Sequence[Any]) -> bool:
    start, end, label = span
    return (
        number_in(start) is not None
        and number_in(end) is not None
        and isinstance(label, str)
        and number_in(label) is None
    )


def number_in(value: Any) -> int | None:
    """A whole number, also one that stands in a string."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    return int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,9}", value) else None


def _token_spans(table: Table, given: _Given) -> Shape | None:
    tokens = _token_column(table, given)
    if tokens is None or given.text is not None or not table.kinds[tokens].is_list_of("text"):
        return None
    found = _span_column(table, given)
    if found is None or (given.entities is None and plain_name(found[0]) not in _SPANS):
        return None
    column, fields = found
    if fields.start is None and not fields.is_triple:
        return None
    shape = Shape(Form.TOKEN_SPANS, column, tokens=tokens, fields=fields)
    sizes = [len(words or ()) for words in table.values(tokens)]
    spans = [(i, s) for i, value in enumerate(table.values(column)) for s in spans_in(value, fields)]
    ends = [s.end - sizes[i] for i, s in spans if s.end is not None]
    if given.tokens is None and max(ends, default=0) > 0:
        return None  # they count characters
    if given.end is None and (plain_name(tokens) == "tokenized_text" or any(s.start == s.end for _, s in spans)):
        shape = replace(shape, inclusive=True)  # GLiNER's; or some would be empty otherwise
    return _span_shape(table, given, shape)


def _text_spans(table: Table, given: _Given) -> Shape | None:
    found = _span_column(table, given)
    if found is None or (given.tokens is not None and given.text is None and _is_quotes(found[1])):
        return None
    column, fields = found
    rest = Table({name: kind for name, kind in table.kinds.items() if name != column}, table.head)
    text = given.text or rest.named(
        _TEXT, lambda kind: (kind.name == "text" and not kind.packed) or _is_passages(kind)
    )  # fmt: skip
    if text is None:
        if _is_quotes(fields) and _token_column(table, given) is not None:
            return None
        raise CleancutError(
            f"{column!r} holds entities, but which column holds the text? The columns are {table}. Give text=, or "
            "tokens= where the offsets count tokens."
        )
    if not (_is_passages(table.kinds[text]) or table.kinds[text].name == "text"):
        raise CleancutError(f"text={text!r} holds {table.kinds[text]}, not text. Give another column.")
    form = Form.QUOTES if _is_quotes(fields) else Form.CHARACTER_SPANS
    shape = Shape(form, column, text=text, fields=fields)
    spans = [
        (whole, s) for whole, value in zip(map(text_in, table.values(text)), table.values(column), strict=True)
        for s in spans_in(value, fields)
    ]  # fmt: skip
    quoted = [(t[s.start :], s.end - s.start, s.surface) for t, s in spans if s.start is not None and s.end is not None]
    if given.end is None:  # which of the two is what the mention says
        exclusive, inclusive = (sum(rest[: n + more] == quote for rest, n, quote in quoted) for more in (0, 1))
        shape = replace(shape, inclusive=inclusive > exclusive)
    labels = [label for _, s in spans for label in s.labels]
    pieces = fields.label is not None and bool(labels)
    pieces = pieces and all(isinstance(label, str) and (label == "O" or prefix_letter(label)) for label in labels)
    return _span_shape(table, given, replace(shape, pieces=pieces and form is Form.CHARACTER_SPANS))


def _token_quotes(table: Table, given: _Given) -> Shape | None:
    """Mentions without offsets, to be looked for among tokens."""
    tokens, found = _token_column(table, given), _span_column(table, given)
    if tokens is None or found is None or not _is_quotes(found[1]):
        return None
    return _span_shape(table, given, Shape(Form.QUOTES, found[0], tokens=tokens, fields=found[1]))


def _is_quotes(fields: Fields) -> bool:
    return fields.start is None and fields.offsets is None and not fields.is_triple


def _is_passages(kind: Kind) -> bool:
    fields = kind.of.fields if kind.name == "list" and kind.of else kind.fields
    return "text" in fields and "offsets" in fields


def _span_shape(table: Table, given: _Given, shape: Shape) -> Shape:
    """The shape with label names and a description."""
    if given.end is not None:
        shape = replace(shape, inclusive=_IS_INCLUSIVE[given.end])
    inner = inner_table(table, shape.annotation)
    kind = inner.kinds[shape.fields.label] if inner is not None and shape.fields.label is not None else Kind("text")
    names = given.labels if given.labels is not None else kind.names or None
    if kind.name == "int" and names is None:
        raise CleancutError(
            f"the labels in {shape.annotation} are ids without names. Give labels=, a list, id2label or a file."
        )
    if given.labels is not None and kind.name not in ("int", "label"):
        raise CleancutError(f"labels= has no effect: {shape.annotation} holds the names themselves. Leave it out.")
    if given.scheme is not None:
        raise CleancutError(f"scheme= has no effect: {shape.annotation} holds spans, not tags. Leave it out.")
    detail = [shape.form.value]
    detail += ["ends inclusive"] if shape.inclusive else []
    detail += ["B- and I- pieces joined"] if shape.pieces else []
    detail += ["in a string"] if table.kinds[shape.annotation].packed else []
    return replace(shape, labels=names, detail=", ".join(detail))


class Span(NamedTuple):
    """A mention as a dataset has it; offsets are None where it is only quoted."""

    start: int | None
    end: int | None
    labels: list[Any]
    surface: str | None
    n_fragments: int = 1


def spans_in(value: Any, fields: Fields) -> Iterator[Span]:
    for record in records_in(value) if value is not None else ():
        if fields.is_triple:
            if not isinstance(record, list | tuple) or len(record) != 3 or not _is_triple(record):
                raise CleancutError(f"{record!r:.60} is not a (start, end, label) triple.")
            yield Span(number_in(record[0]), number_in(record[1]), [record[2]], None)
            continue
        if not isinstance(record, Mapping):
            raise CleancutError(f"{record!r:.60} is not a span. Give dicts, or (start, end, label) triples.")
        label, surface = record.get(fields.label), record.get(fields.surface)
        labels = list(label) if isinstance(label, list | tuple) else [label]
        quote = " ".join(surface) if isinstance(surface, list | tuple) else surface
        start, end, n_fragments = record.get(fields.start), record.get(fields.end), 1
        if fields.offsets is not None and record.get(fields.offsets):
            parts = record[fields.offsets]
            parts = [parts] if not isinstance(parts[0], list | tuple) else parts
            # a mention in several pieces is taken from its first to its last character
            start, end, n_fragments = min(p[0] for p in parts), max(p[1] for p in parts), len(parts)
        yield Span(number_in(start), number_in(end), labels, quote, n_fragments)


def text_in(value: Any) -> str:
    """Text, also where it stands in passages, each at its own offset in the document."""
    if value is None or isinstance(value, str):
        return value or ""
    whole: list[str] = []
    for passage in records_in(value):
        texts = [passage["text"]] if isinstance(passage["text"], str) else passage["text"]
        offsets = passage["offsets"]
        offsets = [offsets] if offsets and not isinstance(offsets[0], list | tuple) else offsets
        for text, (start, _) in zip(texts, offsets, strict=True):
            whole += " " * (start + len(text) - len(whole))
            whole[start : start + len(text)] = text
    return "".join(whole)
