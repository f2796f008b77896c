"""Mentions in parsed values: JSON, Python's lists and tuples, calls."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .answer_lists import Habits, Listed, habits_of, names_in_list, several_names
from .answer_marks import has_typed_brackets
from .answer_pairs import key_meaning, name_and_label, pair_in_line, pair_of, plain_key, unquoted
from .answer_records import Answer, Context, Named, Order, Style, is_plausible, squeezed
from .answer_tags import tagged_values
from .loose_json import Bare, Call, Found, Pairs, calls_in, strict_value, values_in
from .tags import prefix_letter

_STARTS = (
    "start", "begin", "startoffset", "startindex", "startchar", "startpos", "charstart", "from", "startidx",
    "startposition", "offsetstart", "beginoffset", "spanstart", "beginindex",
)  # fmt: skip
_ENDS = (
    "end", "stop", "endoffset", "endindex", "endchar", "endpos", "charend", "to", "endidx", "endposition", "offsetend",
    "spanend", "finish",
)  # fmt: skip
_OFFSETS = ("offsets", "offset", "position", "positions", "indices", "charinterval", "charspan", "span", "index")
WRAPPERS = (
    "entities", "namedentities", "entitylist", "results", "result", "ner", "output", "outputs", "answer", "answers",
    "annotations", "spans", "mentions", "extractions", "data", "items", "predictions", "prediction", "labels",
    "extractedentities", "response", "list", "tags", "nerresult", "nertags", "recognizedentities", "entity",
    "properties", "arguments", "parameters", "input", "function", "functioncall", "toolcalls", "toolcall",
)  # fmt: skip
"""Keys whose value is the answer proper, the likeliest first."""
_ASIDES = frozenset((
    "text", "sentence", "input", "inputtext", "tokens", "reasoning", "explanation", "rationale", "thought", "thoughts",
    "notes", "note", "comment", "confidence", "score", "id", "language", "summary", "context", "analysis", "document",
    "reason", "description", "justification", "probability", "count", "total",
))  # fmt: skip
"""Keys whose value is no mention."""
_ANY_CALL = frozenset((
    "entity", "namedentity", "ent", "extraction", "mention", "span", "dict", "list", "tuple", "set", "print", "append",
    "annotation", "item", "add", "extend", "result", "entities", "json", "loads", "addentity", "extract",
))  # fmt: skip
"""Calls whose name is not that of a type."""


def with_pairs(value: Any) -> Any:
    """Return parsed JSON with objects as pairs."""
    if isinstance(value, Mapping):
        return Pairs((str(key), with_pairs(inner)) for key, inner in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [with_pairs(inner) for inner in value]
    return value


_OTHER_MENTIONS = frozenset((
    "alternatives", "alternative", "candidates", "examples", "example", "relations", "relation", "history", "related",
))  # fmt: skip
"""Keys of a mention whose objects are no mentions inside of it."""


class _Roles(NamedTuple):
    """Which pair of an object has the name of a mention, and which its type; None where none has."""

    surface: int | None
    label: int | None


class ValueReader:
    """Finds the mentions in parsed values; None where a value is not understood, a list of mentions where it is."""

    def __init__(self, context: Context) -> None:
        self._context, self._types = context, context.types
        self.is_by_type = False
        self.is_code = False
        self.is_pairs = False
        self.n_unread = 0
        self._has_string_lists = False
        """Has an object a list of names in a string beside others: ``{"PER": "Ada, Bo", "LOC": "Oslo"}``?"""
        self._habits: Habits | None = None
        """How the strings of an object are written."""
        self._is_item = False
        """Is a value one of a list, so that it is one mention?"""

    def mentions(self, value: Any, label: str | None, *, in_list: bool = False) -> list[Named] | None:
        """Return the mentions of a value, which are of type ``label`` where they name none themselves.

        ``in_list``: the value is one of several lists, each of which is a mention or holds some.
        """
        if value is None:
            return []
        if isinstance(value, str):
            return self._string(value, label)
        if isinstance(value, Call):
            return self._call(value, label)
        if isinstance(value, Pairs):
            return self._object(value, label)
        if isinstance(value, list):
            return self._list(value, label, in_list=in_list)
        return None

    def _string(self, text: str, label: str | None) -> list[Named] | None:
        """Return the mention that a text names with its type, or as one of type ``label``."""
        if self._context.is_none(text):
            return []
        if label is not None:
            return [Named(text, label)]
        mention = pair_in_line(text, self._context, in_list=not isinstance(text, Bare))
        return None if mention is None else [mention]

    # --- lists ----------------------------------------------------------------------------------------

    def _list(self, items: list[Any], label: str | None, *, in_list: bool) -> list[Named] | None:
        """Return the mentions of a list: a pair of a name and its type, or several values with mentions."""
        if not items:
            return []
        pair = None if label is not None else pair_of(items, self._context, in_list=in_list)
        if pair is not None:
            self.is_pairs = True
            return [pair]
        mentions: list[Named] = []
        n_read = n_unread = 0
        has_lists = any(isinstance(item, list | Call) for item in items)
        for item in items:
            self._is_item = True
            if label is not None and type(item) is int and self._context.in_text(str(item)):
                item = str(item)
            of_item = self.mentions(item, label, in_list=has_lists)
            self._is_item = False
            if of_item is None:
                n_unread += 1
                continue
            n_read += 1
            mentions += of_item
        if not n_read:
            return None
        self.n_unread += n_unread
        return mentions

    # --- calls ----------------------------------------------------------------------------------------

    def _call(self, call: Call, label: str | None) -> list[Named] | None:
        """Read ``Person(span="Ada")``, ``Person("Ada", "Bo")``, ``Entity(text="Ada", label="PER")``."""
        self.is_code = True
        arguments = call.arguments
        if plain_key(call.name) in _ANY_CALL and self._types.find(call.name) is None:
            if not isinstance(arguments, Pairs):
                pair = pair_of(arguments, self._context, in_list=True)
                if pair is not None:
                    return [pair]
            return self.mentions(arguments, label)
        self._is_item = len(arguments) == 1  # a call is one mention, if it has one argument
        if isinstance(arguments, Pairs):
            return self._object(arguments, call.name)
        positional = [item for item in arguments if not isinstance(item, Pairs)]
        if positional:  # what follows the name is a remark
            return self.mentions(positional[0], call.name)
        return self.mentions(arguments[0], call.name) if arguments else []

    # --- objects --------------------------------------------------------------------------------------

    def _object(self, pairs: Pairs, label: str | None) -> list[Named] | None:
        """Return the mentions of an object: those it describes, those it wraps, or those below its keys."""
        pairs = self._simplified(pairs)
        columns = _names_and_labels(pairs, self._context)
        if columns is not None:
            return [Named(name, of_name) for name, of_name in zip(*columns, strict=True)]
        roles = self._roles(pairs)
        start, end = _offsets(pairs)
        if roles.label is not None and (roles.surface is not None or start is not None):
            return self._described(pairs, roles, start, end)
        if label is not None and not self._has_types(pairs):
            if roles.surface is not None:
                return self._group(pairs[roles.surface][1], label, start, end)
            if start is not None:
                return [Named("", label, start, end)]
        wrapped = self._wrapped(pairs)
        if wrapped is not None:
            return self.mentions(wrapped, label)
        return self._by_key(pairs)

    def _simplified(self, pairs: Pairs) -> Pairs:
        """Return an object with the name and the type as words, where they are objects themselves."""
        return Pairs((key, self._plain(key, value)) for key, value in pairs)

    def _plain(self, key: str, value: Any) -> Any:
        """Return a value; of an object below the key of a name or a type, ``{"name": "PER"}``, what it says."""
        if self._types.find(key) is not None:
            return value
        meaning = key_meaning(key)
        if type(value) is int and meaning.surface_rank is not None and self._context.in_text(str(value)):
            return str(value)  # a name that is a number
        if not isinstance(value, Pairs):
            return value
        words = [(inner_key, inner) for inner_key, inner in value if isinstance(inner, str)]
        if meaning.label_rank is not None:
            labels = [inner for _, inner in words if self._types.find(inner) is not None]
            if len(labels) == 1 and len(words) == 1:
                return labels[0]
        if meaning.surface_rank is not None and len(words) == 1 and len(value) == 1:
            return words[0][1] if key_meaning(words[0][0]).surface_rank is not None else value
        return value

    def _roles(self, pairs: Pairs) -> _Roles:
        """Return which pair has the name and which has the type, by their keys, else by their values."""
        label = self._label_by_key(pairs)
        surface = self._surface_by_key(pairs, label)
        others = [at for at, (key, _) in enumerate(pairs) if self._types.find(key) is None]  # no types with their names
        if label is None:
            typed = [at for at in others if self._is_type(pairs[at][1])]
            typed = [at for at in typed if at != surface]
            if len(typed) == 1:
                label = typed[0]
        if surface is None and label is not None and self._is_type(pairs[label][1]):
            beside_label = [at for at in others if at != label]
            here = [at for at in beside_label if self._is_here(pairs[at][1])]
            if len(here) == 1:
                surface = here[0]
        if surface is None and label is not None and key_meaning(pairs[label][0]).surface_rank is not None:
            return _Roles(label, None)  # a name under "entity", and its type under no key
        return _Roles(surface, label)

    def _label_by_key(self, pairs: Pairs) -> int | None:
        """Return which pair of an object has the type, by its key; None if none has."""
        best: tuple[bool, int, int] | None = None
        for at, (key, value) in enumerate(pairs):
            rank = key_meaning(key).label_rank
            if rank is None or not _is_word(value):
                continue
            is_type = self._is_type(value)
            if not is_type and self._types.find(key) is not None:
                continue  # a type with its names
            if best is None or (not is_type, rank, at) < best:
                best = not is_type, rank, at
        return None if best is None else best[2]

    def _surface_by_key(self, pairs: Pairs, label: int | None) -> int | None:
        """Return which pair of an object has the name, by its key; None if none has."""
        best: tuple[bool, bool, int, int] | None = None
        has_type = label is not None and self._is_type(pairs[label][1])
        for at, (key, value) in enumerate(pairs):
            rank = key_meaning(key).surface_rank
            if rank is None or at == label or not _is_text(value):
                continue
            if not has_type and self._types.find(key) is not None:
                continue  # a type with its names
            is_whole = isinstance(value, str) and self._context.is_sample(value)
            worth = is_whole, not self._is_here(value), rank, at
            if best is None or worth < best:
                best = worth
        return None if best is None else best[3]

    def _is_type(self, value: Any) -> bool:
        """Return whether a value is a known type, or a list of such types."""
        if isinstance(value, list) and not isinstance(value, Pairs):
            return bool(value) and all(self._types.find(item) is not None for item in value)
        return self._types.find(value) is not None

    def _is_here(self, value: Any) -> bool:
        """Return whether a value is a name in the text, or a list that begins with one."""
        if isinstance(value, list) and not isinstance(value, Pairs) and value:
            value = value[0]
        return isinstance(value, str) and self._context.in_text(value)

    def _described(self, pairs: Pairs, roles: _Roles, start: int | None, end: int | None) -> list[Named] | None:
        """Return the mentions of an object with a name and a type: one, or one for each of several types or names."""
        assert roles.label is not None
        value = pairs[roles.label][1]
        surface = pairs[roles.surface][1] if roles.surface is not None else ""
        if roles.surface is not None and self._are_tokens(pairs[roles.surface][0], surface):
            surface = " ".join(surface)
        mentions: list[Named] = []
        for label in value if isinstance(value, list) else [value]:
            if not isinstance(surface, str):
                mentions += self._group(surface, label, None, None) or []
            elif not surface:
                mentions.append(Named("", label, start, end))
            elif prefix_letter(label) or not self._context.is_none(surface):  # a tagged word may be any sign
                name, of_type = name_and_label(surface, label, self._context)
                mentions.append(Named(name, of_type, start, end))
        for key, inner in pairs:  # {"text": "New York Times", "label": "ORG", "nested": [...]}
            if isinstance(inner, list) and plain_key(key) not in _OTHER_MENTIONS and self._describes_itself(inner):
                mentions += self.mentions(inner, None, in_list=False) or []
        return mentions

    def _are_tokens(self, key: str, value: Any) -> bool:
        """Return whether a list has the tokens of one name: ``"tokens": ["Ada", "Lovelace"]``."""
        if plain_key(key) not in ("tokens", "words") or not isinstance(value, list):
            return False
        return all(isinstance(item, str) for item in value) and self._context.in_text(" ".join(value))

    def _has_types(self, pairs: Pairs) -> bool:
        """Return whether a key of the object is one of the types."""
        return any(self._types.find_several(key) is not None for key, _ in pairs)

    def _wrapped(self, pairs: Pairs) -> Any:
        """Return the value that an object only wraps, ``{"entities": [...]}``; None where it wraps none."""
        if self._has_types(pairs) or not any(isinstance(value, list) or _is_json(value) for _, value in pairs):
            return None
        values = {plain_key(key): _unpacked(value) for key, value in pairs}
        containers = {key: value for key, value in values.items() if isinstance(value, list)}
        telling = [value for value in containers.values() if self._describes_itself(value)]
        if telling:
            return telling[0] if len(telling) == 1 else None
        return next((containers[key] for key in WRAPPERS if key in containers), None)

    def _describes_itself(self, value: list[Any], depth: int = 0) -> bool:
        """Return whether a value names types itself, so that its key is none."""
        if depth > 3:
            return False
        if isinstance(value, Pairs):
            if self._has_types(value) or None not in self._roles(self._simplified(value)):
                return True
            inner = (_unpacked(item) for _, item in value)
            return any(isinstance(item, list) and self._describes_itself(item, depth + 1) for item in inner)
        if value and isinstance(value[0], Pairs):
            return self._describes_itself(value[0], depth + 1)
        if value and isinstance(value[0], list):
            return any(self._types.find(item) is not None for item in value[0])
        return False

    def _group(self, value: Any, label: str, start: int | None, end: int | None) -> list[Named] | None:
        """Return the mentions of one type: a name, names, or objects that have them."""
        if isinstance(value, str):
            if self._context.is_none(value):
                return []
            names = self._names_in_string(value, is_one=self._is_item or start is not None)
            if len(names) > 1:
                self.is_by_type = True
                return [name.named(label) for name in names]
            run = names[0].run if names else None
            return [Named(value, label, start, end, run)]
        if isinstance(value, Pairs):
            if any(key_meaning(key).surface_rank is not None for key, _ in value):
                return self._object(value, label)
            self.is_by_type = True
            return [Named(key, label) for key, _ in value]  # names as keys, with remarks
        if isinstance(value, list):
            mentions = self._list(value, label, in_list=False)
            self.is_by_type = self.is_by_type or any(mention.label == label for mention in mentions or ())
            return mentions
        return [] if value is None else None

    def _names_in_string(self, text: str, *, is_one: bool) -> list[Listed]:
        """Return the names of a string, which is a list where others beside it are, or where it stands in the text.

        ``is_one``: the answer shows that words which stand in the text together are one name.
        """
        if self._has_string_lists or (self._context.in_text(text) and not is_one):
            return names_in_list(text, self._context, self._habits)
        return several_names(text, self._context, is_one=is_one)

    def _by_key(self, pairs: Pairs) -> list[Named] | None:
        """Return types with their names, ``{"PER": ["Ada"]}``; or names with their types, ``{"Ada": "PER"}``."""
        if not pairs:
            return []
        by_name = self._are_names(pairs)
        strings = [value for _, value in pairs if isinstance(value, str)]
        self._has_string_lists = any(len(several_names(value, self._context)) > 1 for value in strings)
        self._habits = habits_of(strings, self._context)
        self._is_item = self._is_item and sum(not self._is_aside(key) for key, _ in pairs) == 1
        mentions: list[Named] = []
        n_read = n_unread = 0
        for key, value in pairs:
            if self._is_aside(key) and not (by_name and self._context.in_text(key)):
                continue
            if isinstance(value, str) and self._types.find_several(key) is None and self._context.is_sample(value):
                n_read += 1  # the text without any mark
                continue
            if not by_name and self._types and self._is_no_type(key) and isinstance(value, str):
                n_unread += 1  # a name without a type, or a type without a name
                continue
            of_key = self._of_name(key, value) if by_name else self._of_type(key, value, several=len(pairs) > 1)
            if of_key is None:
                n_unread += 1
                continue
            n_read += 1
            mentions += of_key
        if not n_read:
            return None
        self.n_unread += n_unread
        return mentions

    def _is_aside(self, key: str) -> bool:
        """Return whether the value of a key is no mention: an explanation, a score, the attributes of one."""
        is_aside = plain_key(key) in _ASIDES or key.endswith("_attributes")
        return is_aside and self._types.find(key) is None

    def _is_no_type(self, key: str) -> bool:
        """Return whether a key is a word such as "name" or "label", and no type."""
        return key_meaning(key) != (None, None) and self._types.find_several(key) is None

    def _of_name(self, name: str, value: Any) -> list[Named] | None:
        """Return a name with its types, ``"Ada": "PER"`` or ``"Ada": {"type": "PER"}``."""
        if isinstance(value, Pairs):
            at = self._label_by_key(value)
            value = None if at is None else value[at][1]
        labels = value if isinstance(value, list) else [value]
        return [Named(name, label) for label in labels if isinstance(label, str)]

    def _of_type(self, label: str, value: Any, *, several: bool) -> list[Named] | None:
        """Return the names of a type, ``"PER": ["Ada"]``. ``several``: other types have theirs beside it."""
        if value is not None and not isinstance(value, str | list):
            return None
        if self._types.find(label) is None:
            pair = self._pair_under(label, value)
            if pair is not None:
                return [pair]
            label = self._types.find_several(label) or label
        mentions = self._group(value, label, None, None)
        self.is_by_type = self.is_by_type or (several and isinstance(value, str))
        return mentions

    def _pair_under(self, key: str, value: Any) -> Named | None:
        """Return a name with its type under a key that is no type, ``"1": ["Ada", "PER"]``; None for other values."""
        if isinstance(value, Pairs) or not isinstance(value, list) or self._types.find_several(key) is not None:
            return None
        return pair_of(value, self._context, in_list=False)

    def _are_names(self, pairs: Pairs) -> bool:
        """Return whether the keys are names, and the values their types."""
        votes = 0
        for key, value in pairs:
            if isinstance(value, Pairs):
                at = self._label_by_key(value)
                if at is None or self._surface_by_key(value, at) is not None:
                    votes -= 1
                    continue
                value = value[at][1]
            if isinstance(value, list) and len(value) == 1:
                value = value[0]
            if not isinstance(value, str):
                votes -= isinstance(value, list)
                continue
            is_type = self._types.find(value) is not None, self._types.find(key) is not None
            if is_type[0] != is_type[1]:
                votes += 4 if is_type[0] else -4
            elif not any(is_type):
                votes += self._context.in_text(key) - self._context.in_text(value)
        return votes > 0


def _are_words(value: Any) -> bool:
    """Return whether a value is a list of strings with at least one of them."""
    return type(value) is list and bool(value) and all(isinstance(item, str) for item in value)


def _names_and_labels(pairs: Pairs, context: Context) -> tuple[list[str], list[str]] | None:
    """Return names and their types from two lists, ``{"names": ["Ada"], "types": ["PER"]}``; None for other objects."""
    if any(context.types.find(key) is not None for key, _ in pairs):
        return None
    lists = [value for _, value in pairs if _are_words(value)]
    if len(lists) != 2 or len(lists[0]) != len(lists[1]):
        return None
    are_types = [all(context.types.find(item) is not None for item in items) for items in lists]
    if are_types == [False, True]:
        return lists[0], lists[1]
    return (lists[1], lists[0]) if are_types == [True, False] else None


def _is_word(value: Any) -> bool:
    """Return whether a value may be a type, or a list of types."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, str) for item in value)
    return isinstance(value, str) and bool(value)


def _is_text(value: Any) -> bool:
    """Return whether a value may be a name, or a list of names or of objects that describe names."""
    if isinstance(value, list) and not isinstance(value, Pairs):
        return all(isinstance(item, str | Pairs) for item in value)
    return isinstance(value, str)


def _is_json(value: Any) -> bool:
    """Return whether a value is a string that begins as JSON does."""
    return isinstance(value, str) and value.lstrip()[:1] in ("[", "{")


def _unpacked(value: Any) -> Any:
    """Return a value; one that is JSON inside a string is read."""
    if not _is_json(value):
        return value
    inner = values_in(value)
    return inner[0].value if inner else value


def _offsets(pairs: Pairs) -> tuple[int | None, int | None]:
    """Return the offsets that an object has, under any of their names."""
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if isinstance(value, int) or (isinstance(value, list) and len(value) <= 2):
            fields.setdefault(plain_key(key), value)
    if not fields:
        return None, None
    start = next((fields[key] for key in _STARTS if _is_offset(fields.get(key))), None)
    end = next((fields[key] for key in _ENDS if _is_offset(fields.get(key))), None)
    if start is not None and end is not None:
        return start, end
    both: list[Any] = next((fields[key] for key in _OFFSETS if isinstance(fields.get(key), list)), [])
    if len(both) == 1 and isinstance(both[0], list):
        both = both[0]
    if len(both) == 2 and all(map(_is_offset, both)):
        return both[0], both[1]
    return None, None


def _is_offset(value: Any) -> bool:
    """Return whether a value can be an offset: a whole number that is not negative and below 2**31."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31


def answer_of_values(values: Sequence[Found], context: Context) -> Answer | None:
    """Return the answer that some values are; None where none of them is understood."""
    values = _put_together(values, context)
    lists = [one.value for one in values]
    if len(lists) > 1:
        lists = [value for value in lists if not _is_aside(value)]
    if len(lists) == 1:
        of_tags = tagged_values(lists[0], context)
        if of_tags is not None:
            return of_tags
    reader = ValueReader(context)
    read: list[tuple[list[Named], Found]] = []
    has_unread = False
    for one in values:
        if context.is_strict and _is_bare(one.value):
            continue
        mentions = reader.mentions(one.value, context.label)
        if mentions is None and context.only_label is not None:
            mentions = reader.mentions(one.value, context.only_label)
        if mentions is not None and (not _is_bare(one.value) or context.n_sure(mentions)):
            read.append((mentions, one))
        has_unread = has_unread or (mentions is None and not _is_bare(one.value))
    if not read:
        return None
    if len(read) > 1:
        read = [(own, one) for own, one in read if _may_be_meant(own, context)] or read
    mentions = _last_word(read, context)
    is_cut = any(one.cut for _, one in read)
    if not mentions and (is_cut or has_unread):
        return None  # it ends before a mention is complete, or names some in a way that is not understood
    style = Style.JSON
    if reader.is_code:
        style = Style.CODE
    elif reader.is_by_type:
        style = Style.BY_TYPE
    elif reader.is_pairs:
        style = Style.PAIRS
    form = style if mentions else None
    order = Order.TYPE if reader.is_by_type else Order.TEXT
    complete = tuple(mention for mention in mentions if _has_a_place(mention))
    return Answer(complete, form, order, n_unread=reader.n_unread, is_cut=is_cut)


def _may_be_meant(mentions: Sequence[Named], context: Context) -> bool:
    """Return whether mentions belong to the answer, rather than to an example of its form in the prose around it."""
    return not mentions or is_plausible(mentions, context)


def _has_a_place(mention: Named) -> bool:
    """Return whether a mention says where it is, by its name or by offsets."""
    return bool(mention.text.strip()) or mention.start is not None


def _put_together(values: Sequence[Found], context: Context) -> Sequence[Found]:
    """Return two lists, one of words and one of their types or tags, as one object; any other values as they are."""
    if len(values) != 2 or any(type(one.value) is not list for one in values):
        return values
    first, second = values[0].value, values[1].value
    if len(first) != len(second) or not first or not all(isinstance(item, str) for item in (*first, *second)):
        return values
    are_labels = [
        all(item == "O" or context.types.find(item) is not None for item in items) for items in (first, second)
    ]
    if are_labels[0] == are_labels[1]:
        return values
    return [Found(Pairs([("first", first), ("second", second)]), values[0].start, values[1].end, values[1].cut)]


def _last_word(read: Sequence[tuple[list[Named], Found]], context: Context) -> list[Named]:
    """Return the mentions of all values where these are parts of one answer, else of the last one that is sure.

    Values that are one mention each are parts, unless the last ones say what the first ones said. So are lists, and
    objects with lists, that have no names in common, as those of one type each; else a later one repeats or corrects
    those before it.
    """
    some = [(mentions, one) for mentions, one in read if mentions]
    if len(some) == 1:
        return some[0][0]
    are_lists = any(_is_list_of_items(one.value) or _holds_lists(one.value, context) for _, one in some)
    are_mentions = all(len(mentions) == 1 for mentions, _ in some)
    are_objects = all(isinstance(one.value, Pairs | Call) for _, one in some)
    if (are_mentions and not any(_is_list_of_items(one.value) for _, one in some)) or (are_objects and not are_lists):
        return _said_once([mention for mentions, _ in some for mention in mentions], context)
    sure = [mentions for mentions, _ in some if context.n_sure(mentions)]
    lists = sure or [mentions for mentions, _ in some] or [[]]
    if _are_parts(lists):
        return [mention for mentions in lists for mention in mentions]
    return lists[-1]


def _said_once(mentions: list[Named], context: Context) -> list[Named]:
    """Return mentions without a second half that repeats the first, if the text has not so many of a name."""
    half = len(mentions) // 2
    if not half or mentions[:half] != mentions[half:] or context.sample is None:
        return mentions
    n_named = Counter(mention.text for mention in mentions)
    are_here = all(context.sample.count(squeezed(name)) >= n for name, n in n_named.items())
    return mentions if are_here else mentions[:half]


def _is_list_of_items(value: Any) -> bool:
    """Return whether a value is a list of mentions, rather than one mention."""
    return type(value) is list and any(isinstance(item, list) for item in value)


def _holds_lists(value: Any, context: Context) -> bool:
    """Return whether a value is an object with lists of mentions, under types or a word such as "entities"."""
    if not isinstance(value, Pairs):
        return False
    lists = [key for key, inner in value if isinstance(inner, list)]
    return any(plain_key(key) in WRAPPERS or context.types.find_several(key) is not None for key in lists)


def _are_parts(lists: Sequence[Sequence[Named]]) -> bool:
    """Return whether lists are parts of one answer, rather than versions of it, the last of which counts.

    They are versions if at least half of the names of a list were named before; a name that is part of an earlier one
    (``Ada``, ``Ada Lovelace``) counts as named before. Where each list has one type, which no other list has, they
    are versions only if all of its names were named before (``@`` may begin names of every type), as they are.
    """
    if len(lists) > _MOST_LISTS:
        return all(len(mentions) == 1 for mentions in lists)
    types = [{mention.label for mention in mentions} for mentions in lists]
    of_one_type = len({label for own in types for label in own}) == len(lists) and all(len(own) == 1 for own in types)
    names = [{squeezed(mention.text).casefold() for mention in mentions} for mentions in lists]
    before: set[str] = set()
    for later in names:
        n_again = len(before & later)
        if not of_one_type and len(before) * len(later) <= _MOST_COMPARED:
            n_again = sum(any(name in other or other in name for other in before) for name in later)
        n_shorter = min(len(before), len(later))
        if n_again and (n_again >= n_shorter if of_one_type else 2 * n_again >= n_shorter):
            return False
        before |= later
    return True


_MOST_LISTS = 32
"""Lists that an answer may consist of."""
_MOST_COMPARED = 10_000
"""Pairs of names of two lists of which none may be a part of the other."""


def _is_bare(value: Any) -> bool:
    """Return whether a value is nothing but words without quotes, as brackets in prose have."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, Bare) for item in value)


def _is_aside(value: Any) -> bool:
    """Return whether a value is what brackets in prose hold: words without quotes, or one item, ``[1]``."""
    return not isinstance(value, list) or len(value) < 2 or _is_bare(value)


_JSON_BEGIN = re.compile(r"\s*(?:\[\s*[\[({\"'\u201c\]]|\{\s*[\"'\u201c}]|\[\s*\w+\()")


def begins_as_json(region: str) -> bool:
    """Return whether an answer is JSON, or nearly so, from its first letter on.

    >>> begins_as_json('[{"text": "Ada"'), begins_as_json("[Ada](PER) spoke")
    (True, False)
    """
    return _JSON_BEGIN.match(region) is not None


def _strict_json(region: str, context: Context) -> Answer | None:
    """Read an answer that is JSON and nothing else."""
    stripped = region.strip()
    if stripped[:1] not in ("[", "{"):
        return None
    try:
        value = strict_value(stripped)
    except ValueError:
        return None
    return answer_of_values([Found(value, 0, len(stripped), False)], context)


def read_json(region: str, context: Context) -> Answer | None:
    """Read JSON, or Python's lists and tuples, alone or inside prose."""
    answer = _strict_json(region, context)
    if answer is not None or not any(bracket in region for bracket in "[{"):
        return answer
    if region.lstrip().startswith("[") and has_typed_brackets(region, context):
        return None  # [[Ada](PER) Prize](MISC) begins as a list does
    values: Sequence[Found] = values_in(region)
    typed = _typed_lists(region, values, context)
    if typed is not None:
        values = [typed]
    return answer_of_values(values, context)


_SIGN_BEFORE_LIST = re.compile(r"[:=][\s*]*\[")
_BEFORE_LIST = re.compile(r"[\s*\-\d.)]*([^\[\]{}:=\n]{1,60}?)[\s*]*")
_LONGEST_BEFORE_LIST = 80
"""Letters before a list in which its type is looked for."""
_BEHIND_LIST = re.compile(r"[ \t]*[,;]?[ \t]*(?:\n|\Z)")


def _typed_lists(region: str, values: Sequence[Found], context: Context) -> Found | None:
    """Return lists of quoted names behind their types, ``PER = ["Ada", "Bo"]``, as one object; None for other texts."""
    types_before: dict[int, str] = {}
    for sign in _SIGN_BEFORE_LIST.finditer(region):
        line = region[max(sign.start() - _LONGEST_BEFORE_LIST, 0) : sign.start()].rpartition("\n")[2]
        match = _BEFORE_LIST.fullmatch(line)
        if match is not None and context.types.find(match[1]) is not None:
            types_before[sign.end() - 1] = match[1].strip()
    if not types_before:
        return None
    pairs = Pairs()
    for one in values:
        if one.start not in types_before:
            continue
        are_names = isinstance(one.value, list) and all(type(name) is str for name in one.value)
        if not are_names or one.cut or _BEHIND_LIST.match(region, one.end) is None:
            return None  # [35S] TBPS: the brackets belong to a name
        pairs.append((types_before[one.start], one.value))
    return Found(pairs, 0, len(region), False) if pairs else None


def read_tuples(region: str, context: Context) -> Answer | None:
    """Read ``("Ada", "PER"), ("Oslo", "LOC")`` without a list around them, with quotes or without."""
    lists = [one.value for one in values_in(region, "(") if isinstance(one.value, list)]
    lists = [inner for value in lists for inner in (value if _is_list_of_lists(value) else [value])]
    tuples = [value for value in lists if len(value) >= 2]
    quoted = [value for value in tuples if not any(isinstance(item, Bare | Pairs) for item in value)]
    if not quoted:
        inside = [*_bracketed(region)]
        if len(inside) == 1 and inside[0].strip()[:1] == "(":  # brackets around all pairs
            inside = [*_bracketed(inside[0])]
        pairs = [pair for pair in (_unquoted_pair(inner, context) for inner in inside) if pair is not None]
        if pairs:
            return Answer(tuple(pairs), Style.PAIRS)
    if not tuples:
        return None
    as_list = Found(quoted or tuples, 0, 0, False)
    answer = answer_of_values([as_list], context)
    if answer is None or quoted:
        return answer
    # words in brackets are prose, unless the type is one that there is
    known = [mention for mention in answer.mentions if context.types.find(mention.label) is not None]
    return answer._replace(mentions=tuple(known)) if known else None


def _is_list_of_lists(value: list[Any]) -> bool:
    """Return whether a value is a tuple of tuples, ``(("Ada", "PER"),)``."""
    return bool(value) and all(type(inner) is list for inner in value)


def _bracketed(region: str) -> Iterator[str]:
    """Yield what stands between round brackets that lie in no others, line by line."""
    for line in region.split("\n"):
        depth = begun = 0
        for sign in _ROUND.finditer(line):
            if sign[0] == "(":
                begun = sign.end() if depth == 0 else begun
                depth += 1
            elif depth:
                depth -= 1
                if depth == 0:
                    yield line[begun : sign.start()]


_ROUND = re.compile(r"[()]")


def _unquoted_pair(words: str, context: Context) -> Named | None:
    """Return a name, which may have commas, with a type that there is: ``Washington, D.C., LOC``."""
    for sign in (",", ";", ":"):
        name, _, label = words.rpartition(sign)
        if name.strip() and context.types.find(label) is not None:
            return Named(unquoted(name), label.strip())
        label, _, name = words.partition(sign)
        if name.strip() and context.types.find(label) is not None:
            return Named(unquoted(name), label.strip())
    return None


def read_pairs(region: str, context: Context) -> Answer | None:
    """Read pairs and tuples, in a list or not."""
    answer = read_json(region, context)
    if answer is None or not answer.mentions:
        answer = read_tuples(region, context) or answer
    return answer


_NO_CALLS = re.compile(r"\s*(?:\w{1,40}\s*(?::[^=\n]{1,80})?=\s*)?\[\s*\]\s*")


def read_code(region: str, context: Context) -> Answer | None:
    """Read ``Person(span="Ada")``, in a list or not; a list without any, ``result = []``."""
    if "(" not in region:
        return Answer() if _NO_CALLS.fullmatch(region) else None
    calls = calls_in(region)
    answer = answer_of_values(calls, context) if calls else None
    if answer is None or (answer.mentions and not is_plausible(answer.mentions, context)):
        return None
    return answer
