"""Names of types: how some stand for others, and what is said where gold, predictions and training do not agree."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .exceptions import CleancutError, quoted

_WANTED = 'Give new names by old ones: {"person": "PER"}'


def parse_types(types: Any) -> dict[str, str]:
    """Return the names that stand for others, by these; those that stay as they are are left out.

    >>> parse_types({"person": "PER", "LOC": "LOC"}), parse_types(None)
    ({'person': 'PER'}, {})
    """
    if types is None:
        return {}
    if not isinstance(types, Mapping):
        raise CleancutError(f"types={quoted(types)} is not a dict. {_WANTED}.")
    for old, new in types.items():
        if not isinstance(old, str) or not isinstance(new, str) or not old or not new:
            raise CleancutError(f"types: {quoted(old)} -> {quoted(new)} are not two names. {_WANTED}.")
    return {old: new for old, new in types.items() if old != new}


def parse_type_map(text: str, place: str) -> dict[str, str]:
    """Return the names that stand for others, from pairs between commas or on lines.

    Args:
        text: the pairs.
        place: where they were given, for messages.

    Raises:
        CleancutError: There are no pairs, one is no pair, or one name has two others.

    >>> parse_type_map("person=PER, location=LOC", "--map")
    {'person': 'PER', 'location': 'LOC'}
    """
    types: dict[str, str] = {}
    for pair in filter(str.strip, text.replace("\n", ",").split(",")):
        old, equals, new = (part.strip() for part in pair.partition("="))
        if not equals or not old or not new:
            raise CleancutError(f"{place}: {quoted(pair.strip())} is not OLD=NEW. Write person=PER,location=LOC.")
        if types.setdefault(old, new) != new:
            raise CleancutError(f"{place}: {old!r} is to be {types[old]!r} and {new!r}. Give it one name.")
    if not types:
        raise CleancutError(f"{place}: there are no names. Write person=PER,location=LOC.")
    return types


def types_setting(types: Mapping[str, str]) -> dict[str, str]:
    """Return what a signature says of the names that stand for others; nothing where there are none."""
    return {"types": ",".join(f"{old}={types[old]}" for old in sorted(types))} if types else {}


@dataclass(frozen=True)
class TypeNames:
    """The names of types on each side of a score, as far as they occur. They add up over shards."""

    gold: frozenset[str] = frozenset()
    pred: frozenset[str] = frozenset()
    train: frozenset[str] = frozenset()
    n_gold: int = 0
    n_pred: int = 0
    n_train: int = 0

    def __add__(self, other: TypeNames) -> TypeNames:
        return TypeNames(
            self.gold | other.gold,
            self.pred | other.pred,
            self.train | other.train,
            self.n_gold + other.n_gold,
            self.n_pred + other.n_pred,
            max(self.n_train, other.n_train),  # all shards are judged by one index
        )

    def notices(self) -> list[str]:
        """Return what is to be said of these names."""
        found = disagreement("gold", self.gold, self.n_gold, "predictions", self.pred, self.n_pred)
        return found + disagreement("gold", self.gold, self.n_gold, "training", self.train, self.n_train)


_FEW = 3
"""Mentions that a side needs for its names to tell of more than a single error, where they are not alike."""


def disagreement(
    ours: str, our_names: Collection[str], n_ours: int, theirs: str, their_names: Collection[str], n_theirs: int
) -> list[str]:
    """Return a notice where two sides hardly have a name in common, or where names differ that are alike.

    >>> disagreement("gold", {"PER", "LOC"}, 9, "training", {"person", "LOC"}, 9)
    ['gold has the types LOC, PER and training LOC, person. Names that differ are different types here: if they mean \
the same, give --map person=PER (types= in Python).']
    """
    mine, other = set(our_names), set(their_names)
    same = _alike(mine, other)
    least = min(len(mine), len(other))
    disjoint = 4 * len(mine & other) <= least and min(n_ours, n_theirs) >= _FEW
    if not least or not (same or disjoint):
        return []
    left = sorted(other - mine), sorted(mine - other)
    if not same and len(left[0]) == len(left[1]) == 1:
        same = {left[0][0]: left[1][0]}
    said = f"{ours} has the types {_listed(mine)} and {theirs} {_listed(other)}. Names that differ are different types"
    given = ",".join(f"{old}={new}" for old, new in same.items()) or f"{left[0][0]}={left[1][0]} and so on"
    return [f"{said} here: if they mean the same, give --map {given} (types= in Python)."]


def _alike(ours: Iterable[str], theirs: Iterable[str]) -> dict[str, str]:
    """Their names that we do not have, each with one of ours that is alike but for case, ending or abbreviation."""
    mine = set(ours)
    of_form: dict[str, str] = {}
    for name in sorted(mine):
        of_form.setdefault(_form(name), name)
    return {name: of_form[_form(name)] for name in sorted(theirs) if name not in mine and _form(name) in of_form}


def _form(name: str) -> str:
    """Return a name as it is compared: its letters and digits in lower case, written out, in the singular."""
    plain = re.sub(r"[\W_]", "", name.casefold())
    plain = _WRITTEN_OUT.get(plain, plain)
    return plain.removesuffix("s").replace("isation", "ization")


_WRITTEN_OUT = {
    "per": "person", "pers": "person", "people": "person", "loc": "location", "org": "organization",
    "misc": "miscellaneous", "corp": "corporation", "prod": "product", "evt": "event", "fac": "facility",
    "chem": "chemical", "dis": "disease", "lang": "language",
}  # fmt: skip


def _listed(names: Collection[str]) -> str:
    """The names in their order; of many, the first."""
    ordered = sorted(names)
    return ", ".join(ordered[:8]) + (", ..." if len(ordered) > 8 else "")
