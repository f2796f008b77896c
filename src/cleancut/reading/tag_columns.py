"""The columns of datasets that have a tag for each token, told by their names, their types and what they hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from ..core.exceptions import CleancutError, quoted
from ..core.inputs import label_names
from ..core.language_codes import language_before
from ..core.tags import Scheme, Tagging, is_outside, letters_in, written
from .column_names import NOT_NER, SENTENCE, TAG_A_ROW, TAGS, TAGS_IN_TEXT, TEXT, TOKEN_A_ROW, TOKENS
from .columns import Kind, Table, inner_table, listed, plain_name, words_in
from .shape import Form, Given, Shape

_CHUNKS = {"NP", "VP", "PP", "ADJP", "ADVP", "CONJP", "INTJ", "LST", "PRT", "SBAR", "UCP"}
"""The types of chunks (noun phrases and the like), which are no entities."""


def token_column(table: Table, given: Given) -> str | None:
    """Return the column of tokens; None where there is none.

    Args:
        table: the columns and the first rows of the dataset.
        given: the columns and settings that the caller has named.
    """
    if given.tokens is not None:
        return given.tokens if given.tokens in table.kinds else None
    return table.named(TOKENS, lambda kind: kind.is_list_of("text"))


def token_tags(table: Table, given: Given) -> Shape | None:
    """Return the shape of rows with a tag for each token; None where they are something else.

    Args:
        table: the columns and the first rows of the dataset.
        given: the columns and settings that the caller has named.

    Raises:
        CleancutError: several columns may be the tags, or the one that the caller has named holds none.
    """
    if given.entities is not None:
        return None
    tokens = token_column(table, given)
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


def tag_inventory(table: Table, column: str) -> tuple[str, ...]:
    """Return the tags that a column may hold: its label names, or the strings that occur.

    Args:
        table: the columns and the first rows of the dataset.
        column: the name of the column.
    """
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
    inventory = tag_inventory(table, column)
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


def _tag_column(table: Table, given: Given, tokens: str | None) -> str | None:
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
        candidates = [name for name in candidates if tag_inventory(table, name)] or candidates
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
    return tags if letters_in(tag_inventory(table, tags)) else None


def _inventory_size(table: Table, column: str) -> str:
    """Return how many tags a column may hold and the first of them, for a message."""
    tags = tag_inventory(table, column)
    if not tags:
        return "label ids"
    more = " ..." if len(tags) > 4 else ""
    return f"{len(tags)} tags: {', '.join(tags[:4])}{more}"


def _with_names(table: Table, given: Given, shape: Shape, tags: str) -> Shape:
    """Return the shape with the label names, the scheme and a description of both."""
    kind = table.kinds[tags]
    item_kind = _item_kind(kind)
    inventory = tag_inventory(table, tags)
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
        refuse_strange_names(tags, inventory)
        scheme = Scheme.IO  # bare names
    if kind.packed:
        description += " in a string"
    described_scheme = scheme or (Tagging(letters).scheme() if letters else None)
    if described_scheme is not None:
        description += f", {described_scheme.value}"
    return replace(shape, labels=labels, scheme=scheme, detail=description)


def refuse_strange_names(column: str, inventory: Sequence[str]) -> None:
    """Raise an error where it is doubtful that bare names, without a letter such as B- before them, are types.

    It is doubtful if all of them begin with a small letter of a tag, such as ``b-``, or if none of them is O.

    Args:
        column: the column of the names.
        inventory: the names that the column may hold.

    Raises:
        CleancutError: it is doubtful; the message says how the names can be read.
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
            f"{column} holds {some}{more}, and none of them is O. Rename the tag for tokens "
            "outside of mentions to O (for label ids, with labels=), or give scheme='io' if there is no such tag."
        )


def nested_tags(table: Table, given: Given) -> Shape | None:
    """Return the shape of documents, each a list of sentences with tokens and tags; None for anything else.

    Args:
        table: the columns and the first rows of the dataset.
        given: the columns and settings that the caller has named.

    Raises:
        CleancutError: several columns may hold the sentences.
    """
    candidates = []
    for name in table.kinds:
        inner = inner_table(table, name)
        shape = None if inner is None else token_tags(inner, given.inside(name))
        if shape is not None:
            candidates.append(replace(shape, sentences=name))
    if len(candidates) > 1:
        names = " or ".join(quoted(shape.sentences) for shape in candidates)
        raise CleancutError(
            f"the sentences may be in {names}. Choose with tokens=, such as {candidates[0].sentences}.tokens."
        )
    return candidates[0] if candidates else None


def token_rows(table: Table, given: Given) -> Shape | None:
    """Return the shape of rows that are tokens; None where they are something else.

    Consecutive rows with the same number form a sentence.

    Args:
        table: the columns and the first rows of the dataset.
        given: the columns and settings that the caller has named.

    Raises:
        CleancutError: no column tells the sentences apart.
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
