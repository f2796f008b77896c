"""Answers that are nothing but JSON of a usual shape, read by a short way.

Most answers are such: ``[{"text": "Ada", "label": "PER"}]``, ``[["Ada", "PER"]]``, ``{"PER": ["Ada"]}``, alone, below
one key or in a fence, with names that mean nothing else. The short way reads them as the long one does, or leaves them
to it; ``tests/test_answers.py`` has the law that both say the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

from .answer_lists import may_be_several
from .answer_pairs import key_meaning, plain_key
from .answer_records import Answer, KnownTypes, Named, Order, Style, is_none, squeezed
from .answer_values import WRAPPERS
from .tags import prefix_letter

_decode = json.JSONDecoder(object_pairs_hook=tuple).decode
"""Reads JSON: objects become tuples of their pairs, which tells them from lists and keeps a key that comes twice."""
_named = partial(tuple.__new__, Named)
"""Makes a ``Named`` of its five values, at half the cost of its constructor."""


class _Listed(NamedTuple):
    """The names of an answer and their types, as they stand in it."""

    names: list[Any]
    labels: list[Any]
    style: Style
    order: Order = Order.TEXT
    n_lists: int = 1
    """Lists that the answer consists of: so many closing brackets belong to no name."""
    may_be_several: bool = False
    """Whether a name may be several names with commas between them."""


def plain_answer(said: str, types: KnownTypes, tokens: Sequence[str] | str) -> Answer | None:
    """Return the mentions of an answer of a usual shape; None for any other, which is to be read with more care.

    >>> plain_answer('[{"text": "Ada", "label": "PER"}]', KnownTypes(["PER"]), ["Ada"]).mentions
    (Named(text='Ada', label='PER', start=None, end=None, run=None),)
    """
    body = _json_in(said)
    if body is None or not types or not _begins_as_text(tokens):
        return None
    try:
        listed = _listed(_decode(body), types)
        if listed is None or body.count("]") != listed.n_lists:
            return None
        if not _are_types(listed.labels, types) or not _are_names(listed.names, types):
            return None
    except (ValueError, TypeError, RecursionError):  # no JSON, or none of these shapes
        return None
    text = tokens if isinstance(tokens, str) else "".join(tokens)
    if listed.may_be_several and not _are_whole(listed.names, text):
        return None
    if not any(squeezed(name) in text for name in listed.names):
        return None
    mentions = map(_named, zip(listed.names, listed.labels, repeat(None), repeat(None), repeat(None), strict=False))
    return Answer(tuple(mentions), listed.style, listed.order)


def _begins_as_text(tokens: Sequence[str] | str) -> bool:
    """Return whether there is a text that does not begin as JSON does; else an answer may repeat it."""
    first = tokens[0][:1] if tokens else ""
    return bool(first) and first not in "[{&" and not first.isspace()


def _are_types(labels: Iterable[Any], types: KnownTypes) -> bool:
    """Return whether all labels are known types, and none of them is a tag."""
    return all(types.find(label) is not None and label != "O" and not prefix_letter(label) for label in set(labels))


def _are_names(names: Iterable[Any], types: KnownTypes) -> bool:
    """Return whether no name is a type, a tag, or a word for no mention."""
    edges = types.edges
    for name in set(names):
        if type(name) is not str or not name:
            return False
        if name[1:2] != "-" and (name[0] in edges.first or name[-1] in edges.last):
            continue
        is_word = any(map(str.isalnum, name)) and not is_none(name)
        if not is_word or types.find(name) is not None or name == "O" or prefix_letter(name):
            return False
    return True


def _are_whole(names: Iterable[str], text: str) -> bool:
    """Return whether all names with a sign that may stand between names stand like this in the text."""
    return all(squeezed(name) in text for name in names if may_be_several(name))


def _json_in(said: str) -> str | None:
    """Return what may be JSON: the answer, or what its only fence has. None where another sign may tell a form."""
    if "<" in said or "|" in said or "**" in said or "##" in said or '\\"' in said:
        return None
    if "`" in said:
        parts = said.split("```")
        language, newline, body = parts[1].partition("\n") if len(parts) == 3 else ("", "", "")
        if not newline or language.strip() not in ("", "json", "JSON"):
            return None
    else:
        body = said
    body = body.strip()
    # a colon behind anything but a key may end the words "final answer:", or stand between a name and its type
    if body[:1] not in ("[", "{") or body.count(":") != body.count('":'):
        return None
    return body


def _listed(value: Any, types: KnownTypes) -> _Listed | None:
    """Return the names and the types of a value, if it has a usual shape."""
    if isinstance(value, tuple):
        if len(value) == 1 and types.find(value[0][0]) is None and plain_key(value[0][0]) in WRAPPERS:
            value = value[0][1]
        else:
            return _by_type(value, types)
    if not isinstance(value, list) or not value:
        return None
    first = value[0]
    if isinstance(first, tuple):
        return _described(value, types) if len(first) == 2 else _keyed(value)
    return _pairs(value) if isinstance(first, list) and len(first) == 2 else None


def _described(items: list[Any], types: KnownTypes) -> _Listed | None:
    """Read ``[{"text": "Ada", "label": "PER"}]``, with the same two keys in each object, in any order."""
    (first, _), (second, _) = items[0]
    if any(keys != (first, second) for keys in {(one, two) for (one, _), (two, _) in items}):
        return None
    firsts = [value for (_, value), _ in items]
    seconds = [value for _, (_, value) in items]
    if _says_name(first, types) and _says_type(second, types):
        return _Listed(firsts, seconds, Style.JSON)
    if _says_type(first, types) and _says_name(second, types):
        return _Listed(seconds, firsts, Style.JSON)
    return None


def _says_name(key: str, types: KnownTypes) -> bool:
    """Return whether a key can be that of a name and nothing else."""
    meaning = key_meaning(key)
    return meaning.surface_rank is not None and meaning.label_rank is None and types.find(key) is None


def _says_type(key: str, types: KnownTypes) -> bool:
    """Return whether a key can be that of a type and nothing else."""
    meaning = key_meaning(key)
    return meaning.label_rank is not None and meaning.surface_rank is None and types.find(key) is None


def _keyed(items: list[Any]) -> _Listed:
    """Read ``[{"PER": "Ada"}, {"LOC": "Oslo"}]``."""
    pairs = [pair for (pair,) in items]
    return _Listed([name for _, name in pairs], [label for label, _ in pairs], Style.JSON, may_be_several=True)


def _pairs(items: list[Any]) -> _Listed | None:
    """Read ``[["Ada", "PER"]]``."""
    if set(map(type, items)) != {list}:
        return None
    names = [name for name, _ in items]
    return _Listed(names, [label for _, label in items], Style.PAIRS, n_lists=len(items) + 1)


def _by_type(pairs: tuple[Any, ...], types: KnownTypes) -> _Listed | None:
    """Read ``{"PER": ["Ada", "Bo"], "LOC": []}``."""
    names: list[Any] = []
    labels: list[Any] = []
    for label, of_type in pairs:
        if type(of_type) is not list or types.find(label) is None:
            return None
        names += of_type
        labels += [label] * len(of_type)
    return _Listed(names, labels, Style.BY_TYPE, Order.TYPE, len(pairs)) if names else None
