"""What the columns of a dataset hold, by its features and its first rows, with lists inside strings unpacked."""

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
"""Rows of a dataset that are looked at to find what its columns hold."""


def plain_name(name: str) -> str:
    """``"Sentence #"`` -> ``"sentence"``."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


@dataclass(frozen=True)
class Kind:
    """What a column holds."""

    name: str
    """``text``, ``int``, ``label`` (an id with names), ``list``, ``record`` or ``other``."""
    of: Kind | None = None
    fields: Mapping[str, Kind] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    packed: bool = False
    """Does it stand inside a string, as JSON or as a Python literal?"""

    def is_list_of(self, *names: str) -> bool:
        return self.name == "list" and self.of is not None and self.of.name in names

    def __str__(self) -> str:
        inner = f"list of {self.of}" if self.of else ", ".join(self.fields)
        shown = {"list": inner, "record": f"{{{inner}}}", "label": f"ClassLabel of {len(self.names)} names"}
        return shown.get(self.name, self.name) + (" in a string" if self.packed else "")


OTHER = Kind("other")


def kind_of_feature(feature: Any) -> Kind:
    """The kind that ``datasets.Features`` declare."""
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
    return Kind("int") if type(feature).__name__ == "Value" and re.match("u?int", dtype) else OTHER


def _kind_of_values(values: Iterable[Any]) -> Kind:
    """The kind that values show; ``other`` for a mixture."""
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
    """What the features declare, and where they do not say (JSON, text that holds lists) what the values show."""
    if declared.name == "text":
        return _kind_in_text(values)
    some = [value for value in values if value is not None]
    if declared.name == "list" and declared.of is not None and all(isinstance(v, list | tuple) for v in some):
        plain = declared.of.name == "text"  # words are never unpacked
        return Kind("list", declared.of if plain else _known(declared.of, list(chain.from_iterable(some))))
    if declared.name == "record" and all(isinstance(value, Mapping) for value in some):
        # fields that hold text stay text: only whole columns are unpacked
        kept = {
            n: kind if kind.name == "text" else _known(kind, [v.get(n) for v in some])
            for n, kind in declared.fields.items()
        }
        return Kind("record", fields=kept)
    return _kind_of_values(values) if declared.name == "other" else declared


def _kind_in_text(values: Sequence[Any]) -> Kind:
    """Text, or what all the strings hold as JSON or Python literals."""
    some = [value for value in values if isinstance(value, str) and value.strip()]
    if not some or not all(value.lstrip().startswith(("[", "{")) for value in some):
        return Kind("text")
    try:
        kind = _kind_of_values(map(unpacked, some))
    except CleancutError:
        return Kind("text")
    return replace(kind, packed=True) if kind.name in ("list", "record") else Kind("text")


def unpacked(text: str) -> Any:
    """The list or dict that a string holds, as JSON or as a Python literal; nothing is ever evaluated.

    >>> unpacked("['B-PER', 'O']"), unpacked('[{"start": 0}]')
    (['B-PER', 'O'], [{'start': 0}])
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        raise CleancutError(f"{quoted(text)} is neither JSON nor a Python list.") from None
    if re.search(r"""['"]\s*['"]""", text) and _has_neighbours(text.strip()):
        raise CleancutError(
            f"{quoted(text)} has no commas between its strings, as numpy prints them. Write it as JSON."
        )
    return value


def _has_neighbours(text: str) -> bool:
    """Do two string literals stand side by side, which Python would join into one?"""
    kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(text).readline)]
    kinds = [kind for kind in kinds if kind != tokenize.NL]
    return any(a == b == tokenize.STRING for a, b in pairwise(kinds))


def listed(value: Any) -> Any:
    """A list, or the words of a string; what is neither is refused."""
    if isinstance(value, str):
        return value.split()
    if isinstance(value, bytes | Mapping) or not isinstance(value, Iterable):
        raise CleancutError(f"{quoted(value)} is not a list, as those of other rows are.")
    return value


def words_in(value: Any) -> list[str]:
    """Return a list of words, or the words of a string; what is no word is refused."""
    words = list(listed(value))
    for t, word in enumerate(words):
        if not isinstance(word, str):
            raise CleancutError(f"token {t}: {quoted(word)} is not a word. Give tokens as strings.")
    return words


@contextmanager
def in_row(number: int) -> Iterator[None]:
    """Have errors name the row of a dataset that they are of."""
    try:
        yield
    except CleancutError as error:
        raise CleancutError(f"row {number} (dataset): {error}") from None


class Table(NamedTuple):
    """The columns of a dataset, or of several with the same columns, and the rows that show what these hold."""

    kinds: Mapping[str, Kind]
    head: Sequence[Mapping[str, Any]]
    datasets: Sequence[Any] = ()

    def value(self, row: Mapping[str, Any], column: str) -> Any:
        """Return what a row has in a column, out of its string where it stands in one."""
        found = row.get(column)
        if not self.kinds[column].packed or not isinstance(found, str):
            return found
        return unpacked(found) if found.strip() else None

    def values(self, column: str) -> list[Any]:
        return [self.value(row, column) for row in self.head]

    def same_lengths(self, tokens: str, tags: str) -> bool:
        """Are there as many words as tags in every row, and more than one in some?"""
        pairs = zip(self.values(tokens), self.values(tags), strict=True)
        sizes = [(len(listed(a)), len(listed(b))) for a, b in pairs if a is not None and b is not None]
        return all(a == b for a, b in sizes) and any(a > 1 for a, _ in sizes)

    def rows(self, *columns: str) -> Iterator[Mapping[str, Any]]:
        """Return all rows with some columns; of what is streamed, those that were looked at."""
        if any(not hasattr(dataset, "__len__") for dataset in self.datasets):
            yield from self.head
            return
        for dataset in self.datasets:
            yield from rows_in(dataset, columns)

    def strings(self, column: str) -> set[str]:
        """Return the strings in a column of strings, or of lists of them, over all rows."""
        found: set[str] = set()
        for dataset in self.datasets:
            if self.kinds[column].packed or isinstance(dataset, list) or not hasattr(dataset, "__len__"):
                values = (self.value(row, column) for row in self.rows(column))
                return set(chain.from_iterable(map(_strings_in, values)))
            for chunk in dataset.with_format("arrow")[column].chunks if len(dataset) else ():
                flat = chunk.flatten() if hasattr(chunk, "flatten") and self.kinds[column].name == "list" else chunk
                found |= set(chain.from_iterable(map(_strings_in, flat.unique().to_pylist())))
        return found

    def named(self, usual: Sequence[str], fits: Callable[[Kind], bool]) -> str | None:
        """The column with the first of the usual names that fits."""
        by_name = {plain_name(name): name for name in reversed(list(self.kinds))}
        found = (by_name[name] for name in usual if name in by_name)
        return next((name for name in found if fits(self.kinds[name])), None)

    def __str__(self) -> str:
        return ", ".join(f"{quoted(name)} ({kind})" for name, kind in self.kinds.items()) or "no columns"


def _strings_in(value: Any) -> list[str]:
    """The tags of a row: a list of them, or a string of them."""
    return [item for item in listed(value or ()) if isinstance(item, str)]


def table_of(*datasets: Any) -> Table:
    """Return the columns of a dataset, or of several that have the same."""
    heads = [_head(dataset) for dataset in datasets]
    head = list(chain.from_iterable(rows for rows, _ in heads))
    features = next((features for _, features in heads if features is not None), None)
    names = dict.fromkeys(chain(features or (), chain.from_iterable(head)))
    declared = {n: kind_of_feature(features[n]) if features and n in features else OTHER for n in names}
    kinds = {n: _known(kind, [row.get(n) for row in head]) for n, kind in declared.items()}
    # without features, text may hold lists as well
    kinds = {n: _kind_in_text([row.get(n) for row in head]) if k.name == "text" else k for n, k in kinds.items()}
    return Table(kinds, head, datasets)


def _head(dataset: Any) -> tuple[Sequence[Mapping[str, Any]], Mapping[str, Any] | None]:
    """Return rows that show what the columns of a dataset hold, and its features where it has them."""
    if isinstance(dataset, Mapping):
        raise CleancutError(f"a DatasetDict holds several splits. Choose one of {', '.join(map(repr, dataset))}.")
    if isinstance(dataset, list) and all(isinstance(row, Mapping) for row in dataset):
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
    found: list[Mapping[str, Any]] = []
    for name in names:
        if any(row[name] not in (None, "", [], {}, "[]", "{}") for row in head):
            continue
        values = (row[name] for row in rows_in(dataset, [name]))
        telling = (i for i, value in enumerate(values) if value not in (None, "", [], {}, "[]", "{}"))
        found += [dataset.with_format(None)[i] for i in islice(telling, SHOWN)]
    return found


def _is_media(feature: Any) -> bool:
    return type(feature).__name__ in ("Audio", "Image", "Video", "Pdf", "Nifti", "Mesh")


def rows_in(dataset: Any, columns: Sequence[str] | None = None) -> Iterator[Mapping[str, Any]]:
    """The rows as plain Python values, read in batches."""
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
    """The fields of a list of records (or of a record of lists) as columns."""
    kind = table.kinds[column]
    if kind.name == "list" and kind.of and kind.of.name == "record":
        fields = kind.of.fields
    elif kind.name == "record" and kind.fields and all(k.name == "list" for k in kind.fields.values()):
        if not all(_is_even(value) for value in table.values(column) if value is not None):
            return None  # lists by label, not columns
        fields = {name: k.of or OTHER for name, k in kind.fields.items()}
    else:
        return None
    records = chain.from_iterable(records_in(value) for value in table.values(column) if value is not None)
    return Table(fields, list(records))


def _is_even(value: Mapping[str, Any]) -> bool:
    """Have all lists of a dict the same length?"""
    return len({len(column) for column in value.values() if isinstance(column, list | tuple)}) < 2


def records_in(value: Any) -> list[Any]:
    """A list of dicts, also where it stands as a dict of lists."""
    if isinstance(value, Mapping):
        columns = {name: column for name, column in value.items() if isinstance(column, list | tuple)}
        if not _is_even(value):
            sizes = ", ".join(f"{len(column)} of {name}" for name, column in columns.items())
            raise CleancutError(f"a dict of lists has {sizes}. Give lists of the same length.")
        return [dict(zip(columns, items, strict=True)) for items in zip(*columns.values(), strict=True)]
    if isinstance(value, str):
        raise CleancutError(f"{quoted(value)} is not a list, as those of other rows are.")
    return list(listed(value))
