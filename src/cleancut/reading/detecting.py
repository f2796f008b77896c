"""Where a dataset has its tokens, annotation and documents, in the shapes that the Hub has.

What is detected is a ``Shape``, whose text says what was found; anything can be given instead. Nothing is guessed where
two readings are possible: the error lists the columns and names the option to give.
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
    Form.TAGS: "tags", Form.TOKEN_SPANS: "entities", Form.CHARACTER_SPANS: "entities", Form.QUOTES: "entities",
}  # fmt: skip


class End(StrEnum):
    """Does the end of a span belong to it?"""

    EXCLUSIVE = "exclusive"
    INCLUSIVE = "inclusive"


_IS_INCLUSIVE = {End.EXCLUSIVE: False, End.INCLUSIVE: True}
_CHUNKS = {"NP", "VP", "PP", "ADJP", "ADVP", "CONJP", "INTJ", "LST", "PRT", "SBAR", "UCP"}


# --- shapes -------------------------------------------------------------------------------------------


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
    convention: Convention = BY_CHARACTERS[0]
    """How the offsets of spans are meant."""
    prefixed: bool = False
    """Does the code of a language stand before every word, as in ``en:Ada``?"""
    pieces: bool = False
    """Are the entities pieces with B- and I- labels, to be joined?"""
    detail: str = ""
    packed: frozenset[str] = frozenset()
    """Columns whose values are lists inside strings."""
    fields: Fields = TRIPLE

    @property
    def inclusive(self) -> bool:
        """Does the end of a span belong to it?"""
        return self.convention.inclusive

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        here = [self.sentences] if self.sentences else [self.tokens, self.text, self.annotation, self.sentence]
        return [name for name in dict.fromkeys([*here, self.document]) if name is not None]

    def __str__(self) -> str:
        parts = [f"one token a row, samples by: {self.sentence}"] if self.sentence else []
        parts += [f"sentences: {self.sentences}"] if self.sentences else []
        prefixed = " (without the code of the language)" if self.prefixed else ""
        parts += [f"tokens: {self.tokens}{prefixed}"] if self.tokens else []
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
    """The shape of a ``Dataset``, an ``IterableDataset`` or a list of dicts, by its features and rows."""
    options: dict[str, Any] = {
        "tokens": tokens, "tags": tags, "entities": entities, "text": text, "labels": labels, "scheme": scheme,
        "document": document, "end": end,
    }  # fmt: skip
    return _detect(table_of(dataset), **options)


def detect_splits(parts: Mapping[str, Any], **options: Any) -> dict[str, Shape]:
    """The shape of each split; those with the same columns are judged together, and have one shape.

    ``options`` are those of ``detect``.
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
    """What tells datasets with different columns apart."""
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
    if tags is not None and entities is not None:
        raise CleancutError("give either tags or entities, one of the two.")
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
    """Raise where something was given that has no effect on what was found."""
    if given.end is not None and shape.form is not Form.TOKEN_SPANS and shape.form is not Form.CHARACTER_SPANS:
        end = given.end.value
        raise CleancutError(f"end={end!r} has no effect: {shape.annotation} holds {shape.form}. Leave it out.")
    if given.text is not None and given.text not in (shape.text, shape.tokens):
        raise CleancutError(f"text={given.text!r} has no effect: {shape}. Leave it out, or name the entities.")
    if given.tokens is not None and shape.tokens is None:
        raise CleancutError(f"tokens={given.tokens!r} has no effect: {shape}. Leave it out, or name the tags.")


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
        stored = stored[key] if isinstance(stored, Mapping) and key in stored else stored
    if not isinstance(stored, Mapping | list):
        raise CleancutError(f"{path}: {quoted(stored)} is no list of names, label2id or id2label. Give one of them.")
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
    return table.named(DOCUMENT, lambda kind: kind.name in ("text", "int") and not kind.packed)


def _unclear(table: Table, given: _Given) -> CleancutError:
    tokens = given.tokens or table.named(TOKENS, lambda kind: kind.is_list_of("text"))
    text = given.text or table.named(TEXT, lambda kind: kind.name == "text")
    wanted = "annotation" if tokens or text else "tokens"
    tags = table.named(TAGS, lambda kind: kind.is_list_of("text"))
    if tags is not None and tokens is not None and given.entities is None:
        _refuse_strange_names(tags, _inventory(table, tags))
    return CleancutError(
        f"no {wanted} among {', '.join(map(repr, table.kinds)) or 'no columns'}. The columns are {table}. Name those "
        "that hold the annotation: tokens= and tags=, or text= (or tokens=) and entities=."
    )


# --- a tag for each token -----------------------------------------------------------------------------


def _token_column(table: Table, given: _Given) -> str | None:
    if given.tokens is not None:
        return given.tokens if given.tokens in table.kinds else None
    return table.named(TOKENS, lambda kind: kind.is_list_of("text"))


def _token_tags(table: Table, given: _Given) -> Shape | None:
    if given.entities is not None:
        return None
    tokens = _token_column(table, given)
    tags = _tag_column(table, given, tokens)
    if tags is None:
        return None
    if tokens is None:  # words that stand in one string
        if given.tokens is not None or not (
            table.kinds[tags].is_list_of("text", "int", "label") or _is_text(table, tags)
        ):
            return None
        tokens = given.text or _text_of_tags(table, tags)
        if tokens is None or not table.same_lengths(tokens, tags):
            return None
    kind = table.kinds[tags]
    if not kind.is_list_of("text", "int", "label") and kind.name != "text":
        if given.tags is not None and kind.name not in ("label", "int"):
            raise CleancutError(f"tags={tags!r} holds {kind}, not a list of tags. Give entities= for spans.")
        return None
    if kind.name == "text" and not table.kinds[tokens].is_list_of("text") and not table.same_lengths(tokens, tags):
        return None  # one token a row
    prefixed = _is_prefixed(table, tokens)
    return _with_names(table, given, Shape(Form.TAGS, tags, tokens=tokens, prefixed=prefixed), tags)


def _text_of_tags(table: Table, tags: str) -> str | None:
    """The text with as many words as there are tags; ``Sentence #`` may be called as one, but only numbers them."""
    texts = {name: kind for name, kind in table.kinds.items() if kind.name == "text" and name != tags}
    fitting = {name: kind for name, kind in texts.items() if table.same_lengths(name, tags)}
    return Table(fitting, table.head).named(TEXT, lambda kind: True)


def _is_prefixed(table: Table, tokens: str) -> bool:
    """Does the code of a language stand before every word of every sample, as in WikiANN's files?"""
    samples = [words_in(words) for words in table.values(tokens) if words]
    return sum(map(len, samples)) > 2 and all(language_before(words) is not None for words in samples)


def _is_text(table: Table, column: str) -> bool:
    return table.kinds[column].name == "text"


def _inventory(table: Table, column: str) -> tuple[str, ...]:
    """The tags that a column may hold: its names, or the strings that occur."""
    kind = table.kinds[column]
    one = kind.of if kind.name == "list" and kind.of else kind
    if one.name == "label":
        return one.names
    if one.name != "text":
        return ()
    return tuple(sorted(table.strings(column) if table.datasets else _strings(table.values(column))))


def _strings(values: Sequence[Any]) -> set[str]:
    """The tags in lists of them, or in strings of them."""
    return {tag for value in values if value is not None for tag in listed(value) if tag is not None}


def _is_ner(table: Table, column: str) -> bool:
    """Do the tags look like entities, rather than parts of speech or chunks?"""
    if NOT_NER.search(plain_name(column)):
        return False
    kind = table.kinds[column]
    one = kind.of if kind.name == "list" and kind.of else kind
    if one.name == "int":
        return plain_name(column) in TAGS
    tags = {tag for tag in _inventory(table, column) if not is_outside(tag)}
    has_outside = len(tags) < len(set(_inventory(table, column)))
    has_letters = bool(letters_in(tags))
    types = {parts[1] for tag in tags if has_letters and (parts := written(tag))}
    if types and types <= _CHUNKS:
        return False
    bare = {tag for tag in tags if not has_letters or written(tag) is None}
    if one.name == "label":
        return has_outside or not bare
    return (bool(tags) or has_outside) and (not bare or (has_outside and plain_name(column) in TAGS))


def _tag_column(table: Table, given: _Given, tokens: str | None) -> str | None:
    if given.tags is not None:
        return given.tags if given.tags in table.kinds else None
    found = [
        name for name, kind in table.kinds.items()
        if name != tokens and kind.is_list_of("text", "int", "label") and _is_ner(table, name)
    ]  # fmt: skip
    if len(found) > 1 and tokens is not None:  # such as the labels of sub-words beside those of words
        found = [name for name in found if table.same_lengths(tokens, name)] or found
    if len(found) > 1:
        found = [n for n in found if re.search("ner|entit", plain_name(n))] or found
    if len(found) > 1:  # ids beside their names
        found = [name for name in found if _inventory(table, name)] or found
    if len(found) > 1:
        choices = " or ".join(f"{name!r} ({_inventory_size(table, name)})" for name in found)
        raise CleancutError(f"the tags may be {choices}. Choose one with tags=, such as tags={found[0]!r}.")
    if not found and (tokens is None or not table.kinds[tokens].is_list_of("text")):
        return _tags_in_text(table, tokens)
    return found[0] if found else None


def _tags_in_text(table: Table, tokens: str | None) -> str | None:
    """The column of strings with one tag for each word of the text."""
    tags = table.named(TAGS_IN_TEXT, lambda kind: kind.name == "text" and not kind.packed)
    if tokens is not None or tags is None:
        return tags
    text = table.named(TEXT, lambda kind: kind.name == "text")
    if text is None or text == tags or not table.same_lengths(text, tags):
        return None
    return tags if letters_in(_inventory(table, tags)) else None


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
        _refuse_strange_names(tags, inventory)
        scheme = Scheme.IO  # bare names
    shown = scheme or (Tagging(letters).scheme() if letters else None)
    where = " in a string" if kind.packed else ""
    return replace(shape, labels=labels, scheme=scheme, detail=f"{what}{where}" + (f", {shown.value}" if shown else ""))


def _refuse_strange_names(column: str, inventory: Sequence[str]) -> None:
    """Raise where bare names are no types: all begin as tags do, but with small letters, or none is O."""
    names = [tag for tag in inventory if not is_outside(tag)]
    small = [tag for tag in names if re.match("[bi][-_].", tag)]
    if small == names and any(tag.startswith("b") for tag in small):
        raise CleancutError(
            f"{column} holds {small[0]!r}, which may be a tag with a small letter or the name of a type. Write the "
            f"letter as a capital, such as {small[0][:1].upper() + small[0][1:]!r}, or give scheme='io'."
        )
    if len(names) == len(inventory):
        shown = ", ".join(map(repr, names[:6]))
        raise CleancutError(
            f"{column} holds {shown}{' ...' if len(names) > 6 else ''}, and none of them is O. Write the one that is "
            "outside of mentions as O (of label ids: labels=); give scheme='io' if there is none."
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

    tokens = given.tokens or table.named(TOKEN_A_ROW, is_text)
    tags = given.tags or table.named(TAG_A_ROW, lambda kind: kind.name in ("text", "label", "int") and not kind.packed)
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
    sentence = rest.named(SENTENCE, lambda kind: kind.name in ("text", "int", "other")) or given.document
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
    found = {name: fields for name in table.kinds if (fields := fields_of(table, name)) is not None}
    if given.entities is not None:
        if given.entities not in found:
            kind = table.kinds.get(given.entities)
            raise CleancutError(
                f"entities={given.entities!r} holds {kind}, not spans. Spans are dicts with label and start and end, "
                "offsets or text, or (start, end, label) triples."
            )
        return given.entities, found[given.entities]
    by_name = {plain_name(name): name for name in reversed(list(found))}
    usual = [by_name[name] for name in SPANS if name in by_name]
    name = usual[0] if usual else next(iter(found)) if len(found) == 1 else None
    if name is None and len(found) > 1:
        raise CleancutError(f"the entities may be in {' or '.join(map(repr, found))}. Choose one with entities=.")
    return (name, found[name]) if name is not None else None


def _token_spans(table: Table, given: _Given) -> Shape | None:
    tokens = _token_column(table, given)
    if tokens is None or given.text is not None or not table.kinds[tokens].is_list_of("text"):
        return None
    found = _span_column(table, given)
    if found is None or (given.entities is None and plain_name(found[0]) not in SPANS) or found[1].is_quotes:
        return None
    column, fields = found
    text = _text_column(table, column) if given.tokens is None and not fields.counts_tokens else None
    conventions = [*BY_TOKENS, *(BY_CHARACTERS if given.tokens is None and not fields.counts_tokens else ())]
    evidence = _evidence(table, conventions, column, fields, text=text, tokens=tokens)
    if given.tokens is None and _counts_characters(evidence, column, text):
        return None
    shape = Shape(Form.TOKEN_SPANS, column, tokens=tokens, fields=fields)
    return _span_shape(table, given, replace(shape, convention=_by_tokens(shape, given, evidence)))


def _by_tokens(shape: Shape, given: _Given, evidence: Evidence) -> Convention:
    """The convention of token offsets; an error where it is not clear whether ends are inclusive."""
    exclusive, inclusive = BY_TOKENS
    if given.end is not None:
        return inclusive if _IS_INCLUSIVE[given.end] else exclusive
    if not evidence.has_words:  # the names of columns tell more than edges do, unless they cannot be right
        assert shape.tokens is not None
        own = plain_name(shape.annotation) == "entities" and shape.fields[:4] == ("start", "end", None, "label")
        goes_on = 2 * evidence.n_going_on > evidence.n_mentions and not evidence.speaks_for(exclusive, inclusive)
        if plain_name(shape.tokens) == "tokenized_text" and evidence.is_possible(inclusive):
            return inclusive  # GLiNER's
        if not evidence.n_mentions or (own and not goes_on and evidence.is_possible(exclusive)):
            return exclusive  # cleancut's own
    best = evidence.best(BY_TOKENS)
    if not evidence.speaks_for(best, exclusive if best.inclusive else inclusive):
        raise unsettled(shape.annotation, evidence, *BY_TOKENS)
    return best


def _counts_characters(evidence: Evidence, column: str, text: str | None) -> bool:
    """Do offsets count the characters of a text that stands beside tokens? An error where that is not clear."""
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
        if by_characters.inclusive:  # too few for what is hardly ever so
            return False
        raise CleancutError(
            f"the offsets in {column} may count tokens or characters: {evidence.n_mentions} mentions fit both. Give "
            f"tokens= for the one (command line: --tokens), or text={text!r} for the other (--text)."
        )
    return True


def _text_column(table: Table, annotation: str) -> str | None:
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
    """What all mentions say of their offsets; those in several pieces say nothing."""
    evidence = Evidence(conventions)
    for i, row in enumerate(table.rows(*{name for name in (column, text, tokens) if name is not None})):
        with in_row(i):
            spans = {(s.start, s.end, s.surface): s for s in spans_in(table.value(row, column), fields)}
            words = words_in(table.value(row, tokens) or ()) if tokens is not None else []
            place = Place(text_in(table.value(row, text)) if text is not None else " ".join(words), words)
            for span in spans.values():
                evidence.add(place, span)
    return evidence


def _text_spans(table: Table, given: _Given) -> Shape | None:
    found = _span_column(table, given)
    if found is None or (given.tokens is not None and given.text is None and found[1].is_quotes):
        return None
    column, fields = found
    text = given.text or _text_column(table, column)
    if text is None:
        if fields.is_quotes and _token_column(table, given) is not None:
            return None
        raise CleancutError(
            f"{column!r} holds entities, but which column holds the text? The columns are {table}. Give text=, or "
            "tokens= where the offsets count tokens."
        )
    if not (is_passages(table.kinds[text]) or table.kinds[text].name == "text"):
        raise CleancutError(f"text={text!r} holds {table.kinds[text]}, not text. Give another column.")
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
    """Are the labels tags, so that the spans are pieces of mentions?"""
    labels: set[Any] = set()
    for i, row in enumerate(table.rows(column)):
        with in_row(i):
            labels.update(label for span in spans_in(table.value(row, column), fields) for label in span.labels)
    return bool(labels) and all(isinstance(x, str) and (is_outside(x) or prefix_letter(x)) for x in labels)


def _by_characters(shape: Shape, given: _Given, evidence: Evidence) -> Convention:
    """The convention of character offsets; an error where it is not clear whether ends are inclusive."""
    allowed = list(BY_CHARACTERS)
    if given.end is not None:  # then only words that mentions name speak for another unit
        allowed = [c for c in allowed if c.inclusive is _IS_INCLUSIVE[given.end] and (c.is_usual or evidence.has_words)]
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
    """Mentions without offsets, to be looked for among tokens."""
    tokens, found = _token_column(table, given), _span_column(table, given)
    if tokens is None or found is None or not found[1].is_quotes:
        return None
    return _span_shape(table, given, Shape(Form.QUOTES, found[0], tokens=tokens, fields=found[1]))


def _span_shape(table: Table, given: _Given, shape: Shape) -> Shape:
    """The shape with label names and a description."""
    inner = inner_table(table, shape.annotation) if shape.fields.keyed is None else None
    kind = (
        inner.kinds[shape.fields.label] if inner is not None and isinstance(shape.fields.label, str) else Kind("text")
    )
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
    unit, first = shape.convention.unit, shape.convention.first
    detail += [f"in {unit.value}"] if unit in (Unit.BYTES, Unit.UTF16) else []
    detail += [f"from {first}"] if first else []
    detail += ["ends inclusive"] if shape.inclusive else []
    detail += ["B- and I- pieces joined"] if shape.pieces else []
    detail += ["in a string"] if table.kinds[shape.annotation].packed else []
    return replace(shape, labels=names, detail=", ".join(detail))
