"""The kinds of values that the columns of a dataset hold, by its features and its first rows."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice, pairwise
from typing import Any, NamedTuple

import numpy as np

from ..core.exceptions import CleancutError, quoted
from ..core.training_columns import class_label_names

SHOWN = 200
"""The number of rows that are looked at to learn what the columns of a dataset hold."""


def plain_name(name: str) -> str:
    """Return the name of a column in lower case, with ``_`` for all that is no letter or digit.

    Args:
        name: the name of the column.

    >>> plain_name("Sentence #")
    'sentence'
    """
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


@dataclass(frozen=True)
class Kind:
    """The kind of values that a column holds."""

    name: str
    """``text``, ``int``, ``label`` (an id with names), ``list``, ``record`` or ``other``."""
    of: Kind | None = None
    """The kind of the items of a list; None for anything else."""
    fields: Mapping[str, Kind] = field(default_factory=dict)
    """The kinds of the fields of a record, by name."""
    names: tuple[str, ...] = ()
    """The names of label ids."""
    packed: bool = False
    """Whether the values stand inside strings, as JSON or as Python literals."""

    def is_list_of(self, *names: str) -> bool:
        """Return whether the values are lists of items of some kinds.

        Args:
            *names: names of kinds, such as ``text`` and ``int``.
        """
        return self.name == "list" and self.of is not None and self.of.name in names

    def __str__(self) -> str:
        inner = f"list of {self.of}" if self.of else ", ".join(self.fields)
        descriptions = {"list": inner, "record": f"{{{inner}}}", "label": f"ClassLabel of {len(self.names)} names"}
        description = descriptions.get(self.name, self.name)
        return f"{description} in a string" if self.packed else description


OTHER = Kind("other")
"""The kind of values that are nothing else, or of several kinds."""


def kind_of_feature(feature: Any) -> Kind:
    """Return the kind of values that a feature of ``datasets.Features`` declares.

    Args:
        feature: the feature: a ``Value``, a ``ClassLabel``, a list, a dict, ...
    """
    if isinstance(feature, Mapping):
        return Kind("record", fields={name: kind_of_feature(inner) for name, inner in feature.items()})
    if isinstance(feature, list):
        return Kind("list", kind_of_feature(feature[0]))
    if hasattr(feature, "names"):
        return Kind("label", names=class_label_names(feature))
    if hasattr(feature, "feature"):
        return Kind("list", kind_of_feature(feature.feature))
    dtype = str(getattr(feature, "dtype", ""))
    if type(feature).__name__ == "Value" and "string" in dtype:
        return Kind("text")
    if type(feature).__name__ == "Value" and re.match("u?int", dtype):
        return Kind("int")
    return OTHER


def _kind_of_values(values: Iterable[Any]) -> Kind:
    """Return the kind of some values; ``other`` for a mixture."""
    some = [value for value in values if value is not None]
    if not some:
        return OTHER
    if all(isinstance(value, str) for value in some):
        return Kind("text")
    if all(isinstance(value, int | np.integer) and not isinstance(value, bool) for value in some):
        return Kind("int")
    if all(isinstance(value, Mapping) for value in some):
        names = dict.fromkeys(chain.from_iterable(some))
        return Kind("record", fields={n: _kind_of_values(value.get(n) for value in some) for n in names})
    if all(isinstance(value, list | tuple) for value in some):
        return Kind("list", _kind_of_values(chain.from_iterable(some)))
    return OTHER


def _known(declared: Kind, values: Sequence[Any]) -> Kind:
    """Return the kind that is declared, or that of the values where nothing is declared (JSON, lists inside text)."""
    if declared.name == "text":
        return _kind_in_text(values)
    some = [value for value in values if value is not None]
    if declared.name == "list" and declared.of is not None and all(isinstance(v, list | tuple) for v in some):
        if declared.of.name == "text":  # words are never unpacked
            return Kind("list", declared.of)
        return Kind("list", _known(declared.of, list(chain.from_iterable(some))))
    if declared.name == "record" and all(isinstance(value, Mapping) for value in some):
        # fields that hold text stay text: only whole columns are unpacked
        fields = dict(declared.fields)
        for name, kind in declared.fields.items():
            if kind.name != "text":
                fields[name] = _known(kind, [value.get(name) for value in some])
        return Kind("record", fields=fields)
    return _kind_of_values(values) if declared.name == "other" else declared


def _kind_in_text(values: Sequence[Any]) -> Kind:
    """Return the kind of what all strings hold as JSON or Python literals, or else ``text``."""
    texts = [value for value in values if isinstance(value, str)]
    some = [text for text in texts if text.strip()]
    if not some or not all(value.lstrip().startswith(("[", "{")) for value in some):
        return Kind("text")
    try:
        kind = _kind_of_values(map(unpacked, some))
    except CleancutError:
        return Kind("text")
    return replace(kind, packed=True) if kind.name in ("list", "record") else Kind("text")


def unpacked(text: str) -> Any:
    """Return the list or dict that a string holds, as JSON or as a Python literal. Nothing is ever evaluated.

    Args:
        text: the string.

    Raises:
        CleancutError: the string is neither JSON nor a Python literal, nor an array as numpy prints it.

    >>> unpacked("['B-PER', 'O']"), unpacked('[{"start": 0}]'), unpacked("['Ada' 'ran']")
    (['B-PER', 'O'], [{'start': 0}], ['Ada', 'ran'])
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    stripped = text.strip()
    if _OF_NUMPY_NUMBERS.fullmatch(stripped):
        return [int(number) for number in stripped[1:-1].split()]
    try:
        value = ast.literal_eval(stripped)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        raise CleancutError(f"{quoted(text)} is neither JSON nor a Python list.") from None
    if re.search(r"""['"]\s*['"]""", text) and _has_neighbours(stripped):
        return _as_numpy_prints(stripped)
    return value


_OF_NUMPY_NUMBERS = re.compile(r"\[\s*\d+(\s+\d+)+\s*\]")
"""Matches whole numbers as numpy prints them, without commas."""


def _tokens_in(text: str) -> list[tokenize.TokenInfo]:
    """Return the tokens that Python sees in a text."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token for token in tokens if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER)]


def _has_neighbours(text: str) -> bool:
    """Return whether two string literals stand side by side, which Python would join into one."""
    kinds = [token.type for token in _tokens_in(text)]
    return any(a == b == tokenize.STRING for a, b in pairwise(kinds))


def _as_numpy_prints(text: str) -> list[str]:
    """Return the strings of an array that numpy has printed, without commas; raise an error for anything else."""
    opening, *strings, closing = _tokens_in(text)
    is_array = (opening.string, closing.string) == ("[", "]") and all(s.type == tokenize.STRING for s in strings)
    if not is_array:
        raise CleancutError(f"{quoted(text)} has commas between some of its strings only. Write it as JSON.")
    return [ast.literal_eval(string.string) for string in strings]


def listed(value: Any) -> Any:
    """Return a list as it is, and a string as the list of its words.

    Args:
        value: a string or anything that can be iterated, except bytes and dicts.

    Raises:
        CleancutError: the value is neither.
    """
    if isinstance(value, str):
        return value.split()
    if isinstance(value, bytes | Mapping) or not isinstance(value, Iterable):
        raise CleancutError(f"{quoted(value)} is not a list, as those of other rows are.")
    return value


def words_in(value: Any) -> list[str]:
    """Return the words of a list, or of a string.

    Args:
        value: a list of strings, or a string with spaces between its words.

    Raises:
        CleancutError: the value is neither a list nor a string, or an item of the list is not a string.

    >>> words_in("Ada ran"), words_in(("Ada", "ran"))
    (['Ada', 'ran'], ['Ada', 'ran'])
    """
    words = list(listed(value))
    for t, word in enumerate(words):
        if not isinstance(word, str):
            raise CleancutError(f"token {t}: {quoted(word)} is not a word. Give tokens as strings.")
    return words


@contextmanager
def in_row(number: int) -> Iterator[None]:
    """Put the row of a dataset before the message of every error that is raised inside.

    Args:
        number: the number of the row.
    """
    try:
        yield
    except CleancutError as error:
        raise CleancutError(f"row {number} (dataset): {error}") from None


class Table(NamedTuple):
    """The columns of a dataset, or of several with the same columns, and rows that show what these hold."""

    kinds: Mapping[str, Kind]
    """The kind of each column."""
    head: Sequence[Mapping[str, Any]]
    """The rows that were looked at."""
    datasets: Sequence[Any] = ()
    """The datasets; empty for the fields of a column."""

    def value(self, row: Mapping[str, Any], column: str) -> Any:
        """Return what a row has in a column, unpacked where it stands inside a string.

        Args:
            row: the row.
            column: the name of the column.
        """
        value = row.get(column)
        if not self.kinds[column].packed or not isinstance(value, str):
            return value
        return unpacked(value) if value.strip() else None

    def values(self, column: str) -> list[Any]:
        """Return what the rows that were looked at have in a column.

        Args:
            column: the name of the column.
        """
        return [self.value(row, column) for row in self.head]

    def same_lengths(self, tokens: str, tags: str) -> bool:
        """Return whether all rows that have both columns have as many words as tags, and some row more than one.

        Args:
            tokens: the column of words.
            tags: the column of tags.
        """
        pairs = zip(self.values(tokens), self.values(tags), strict=True)
        sizes = []
        for row_tokens, row_tags in pairs:
            if row_tokens is not None and row_tags is not None:
                sizes.append((len(listed(row_tokens)), len(listed(row_tags))))
        return all(n_tokens == n_tags for n_tokens, n_tags in sizes) and any(n_tokens > 1 for n_tokens, _ in sizes)

    def rows(self, *columns: str) -> Iterator[Mapping[str, Any]]:
        """Yield all rows with some columns. Of a dataset that is streamed, yield those that were looked at.

        Args:
            *columns: the names of the columns.
        """
        if any(not hasattr(dataset, "__len__") for dataset in self.datasets):
            yield from self.head
            return
        for dataset in self.datasets:
            yield from rows_in(dataset, columns)

    def strings(self, column: str) -> set[str]:
        """Return the strings that occur in a column of strings, or of lists of strings, over all rows.

        Args:
            column: the name of the column.
        """
        kind = self.kinds[column]
        strings: set[str] = set()
        for dataset in self.datasets:
            if kind.packed or isinstance(dataset, list) or not hasattr(dataset, "__len__"):
                values = (self.value(row, column) for row in self.rows(column))
                return set(chain.from_iterable(map(_strings_in, values)))
            if not len(dataset):
                continue
            for chunk in dataset.with_format("arrow")[column].chunks:
                flat = chunk.flatten() if hasattr(chunk, "flatten") and kind.name == "list" else chunk
                strings |= set(chain.from_iterable(map(_strings_in, flat.unique().to_pylist())))
        return strings

    def named(self, usual: Sequence[str], fits: Callable[[Kind], bool]) -> str | None:
        """Return the column with the first of the usual names that fits; None where there is none.

        Args:
            usual: plain names, in order of preference.
            fits: says whether a column of a kind is acceptable.
        """
        by_name = {plain_name(name): name for name in reversed(list(self.kinds))}
        candidates = (by_name[name] for name in usual if name in by_name)
        return next((name for name in candidates if fits(self.kinds[name])), None)

    def __str__(self) -> str:
        return ", ".join(f"{quoted(name)} ({kind})" for name, kind in self.kinds.items()) or "no columns"


def _strings_in(value: Any) -> list[str]:
    """Return the tags of a row, which is a list of tags or a string of them."""
    return [item for item in listed(value or ()) if isinstance(item, str)]


def table_of(*datasets: Any) -> Table:
    """Return the columns of a dataset, or of several with the same columns.

    Args:
        *datasets: each a ``Dataset``, an ``IterableDataset`` or a list of dicts.

    Raises:
        CleancutError: one of them is something else, such as a ``DatasetDict``.
    """
    heads = [_head(dataset) for dataset in datasets]
    head = list(chain.from_iterable(rows for rows, _ in heads))
    features = next((features for _, features in heads if features is not None), None)
    names = dict.fromkeys(chain(features or (), chain.from_iterable(head)))
    kinds: dict[str, Kind] = {}
    for name in names:
        values = [row.get(name) for row in head]
        declared = kind_of_feature(features[name]) if features and name in features else OTHER
        kind = _known(declared, values)
        # without features, text may hold lists as well
        kinds[name] = _kind_in_text(values) if kind.name == "text" else kind
    return Table(kinds, head, datasets)


def _head(dataset: Any) -> tuple[Sequence[Mapping[str, Any]], Mapping[str, Any] | None]:
    """Return rows that show what the columns of a dataset hold, and its features where it has them."""
    if isinstance(dataset, Mapping):
        raise CleancutError(f"a DatasetDict holds several splits. Choose one of {', '.join(map(quoted, dataset))}.")
    if isinstance(dataset, list) and all(isinstance(row, Mapping) for row in dataset):
        for name in dict.fromkeys(chain.from_iterable(dataset)):
            if not isinstance(name, str):
                raise CleancutError(
                    f"{quoted(name)} cannot be the name of a column. Give rows with names that are texts."
                )
        return dataset, None
    if not hasattr(dataset, "with_format") or not hasattr(dataset, "features"):
        raise CleancutError(f"expected a datasets.Dataset, got {type(dataset).__name__}.")
    features = dataset.features
    if features is not None:  # pictures and sound are not decoded to find text
        features = {name: feature for name, feature in features.items() if not _is_media(feature)}
    names = None if features is None else list(features)
    head = list(islice(rows_in(dataset, names), SHOWN))
    if features is not None and hasattr(dataset, "__len__") and len(dataset) > SHOWN:
        head += _telling_rows(dataset, head, names or [])
    return head, features


def _telling_rows(dataset: Any, head: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return later rows for the columns of which the first rows show nothing, such as lists that are all empty."""
    later_rows: list[Mapping[str, Any]] = []
    for name in names:
        if any(row[name] not in _EMPTY for row in head):
            continue
        values = (row[name] for row in rows_in(dataset, [name]))
        telling = (i for i, value in enumerate(values) if value not in _EMPTY)
        later_rows += [dataset.with_format(None)[i] for i in islice(telling, SHOWN)]
    return later_rows


_EMPTY: tuple[Any, ...] = (None, "", [], {}, "[]", "{}")
"""Values that do not show what a column holds."""


def _is_media(feature: Any) -> bool:
    """Return whether a feature holds pictures, sound or the like."""
    return type(feature).__name__ in ("Audio", "Image", "Video", "Pdf", "Nifti", "Mesh")


def rows_in(dataset: Any, columns: Sequence[str] | None = None) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a dataset as plain Python values, read in batches.

    Args:
        dataset: a ``Dataset``, an ``IterableDataset`` or a list of dicts.
        columns: the columns to read; None for all. Rows of a list of dicts stay whole.
    """
    if isinstance(dataset, list):
        yield from dataset
        return
    plain = dataset.with_format(None)
    if columns is not None and plain.features is not None:
        plain = plain.select_columns(list(columns))
    for batch in plain.iter(batch_size=SHOWN):
        for values in zip(*batch.values(), strict=True):
            yield dict(zip(batch, values, strict=True))


def inner_table(table: Table, column: str) -> Table | None:
    """Return the fields of a list of records, or of a record of lists, as columns; None for another column.

    Args:
        table: the table with the column.
        column: the name of the column.
    """
    kind = table.kinds[column]
    if kind.name == "list" and kind.of and kind.of.name == "record":
        fields = kind.of.fields
    elif kind.name == "record" and kind.fields and all(k.name == "list" for k in kind.fields.values()):
        records = [value for value in table.values(column) if value is not None]
        if not all(_is_even(record) for record in records):
            return None  # lists by label, not columns
        fields = {name: k.of or OTHER for name, k in kind.fields.items()}
    else:
        return None
    rows = chain.from_iterable(records_in(value) for value in table.values(column) if value is not None)
    return Table(fields, [row for row in rows if row is not None])


def _is_even(value: Mapping[str, Any]) -> bool:
    """Return whether all lists of a dict have the same length."""
    return len({len(column) for column in value.values() if isinstance(column, list | tuple)}) < 2


def records_in(value: Any) -> list[Any]:
    """Return a list of dicts as it is, and a dict of lists as a list of dicts.

    Args:
        value: the list or the dict.

    Raises:
        CleancutError: the lists of the dict have different lengths, or the value is not a list.

    >>> records_in({"start": [0, 4], "label": ["PER", "LOC"]})
    [{'start': 0, 'label': 'PER'}, {'start': 4, 'label': 'LOC'}]
    """
    if isinstance(value, Mapping):
        columns = {name: column for name, column in value.items() if isinstance(column, list | tuple)}
        if not _is_even(value):
            sizes = ", ".join(f"{len(column)} of {name}" for name, column in columns.items())
            raise CleancutError(f"a dict of lists has {sizes}. Give lists of the same length.")
        return [dict(zip(columns, items, strict=True)) for items in zip(*columns.values(), strict=True)]
    if isinstance(value, str):
        raise CleancutError(f"{quoted(value)} is not a list, as those of other rows are.")
    return list(listed(value))
