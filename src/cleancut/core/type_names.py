"""Names of types: other names that users give them, and notices where gold, predictions and training disagree."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .exceptions import CleancutError, quoted

_WANTED = 'Give new names by old ones: {"person": "PER"}'


def parse_types(types: Any) -> dict[str, str]:
    """Return the new names of types by their old names; names that stay the same are left out.

    Args:
        types: what a user gave: a mapping of old names to new ones, or None.

    Raises:
        CleancutError: it is not a mapping of names to names.

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
    """Return the new names of types by their old names, from a text.

    Args:
        text: pairs ``OLD=NEW``, separated by commas or on lines of their own.
        place: where the text was given, for messages.

    Raises:
        CleancutError: there is no pair, one of them is not ``OLD=NEW``, or an old name has two new ones.

    >>> parse_type_map("person=PER, location=LOC", "--map")
    {'person': 'PER', 'location': 'LOC'}
    """
    types: dict[str, str] = {}
    for pair in filter(str.strip, text.replace("\n", ",").split(",")):
        old, equals, new = (part.strip() for part in pair.partition("="))
        if not equals or not old or not new:
            raise CleancutError(
                f"{place}: {quoted(pair.strip())} is not OLD=NEW, nor a file. Write person=PER,location=LOC."
            )
        if types.setdefault(old, new) != new:
            raise CleancutError(
                f"{place}: {quoted(old)} is to be {quoted(types[old])} and {quoted(new)}. Give it one name."
            )
    if not types:
        raise CleancutError(f"{place}: there are no names. Write person=PER,location=LOC.")
    return types


def types_setting(types: Mapping[str, str]) -> dict[str, str]:
    """Return the setting of a signature that states the new names of types; empty if there are none.

    Args:
        types: new names by old ones.

    >>> types_setting({"person": "PER"})
    {'types': 'person=PER'}
    """
    if not types:
        return {}
    return {"types": ",".join(f"{old}={types[old]}" for old in sorted(types))}


@dataclass(frozen=True)
class TypeNames:
    """The names of types that occur on each side of a score, and the number of mentions. Shards add up."""

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
            max(self.n_train, other.n_train),  # not a sum: all shards share one index of the training data
        )

    def notices(self) -> list[str]:
        """Return a notice for each pair of sides whose names disagree."""
        of_pred = disagreement("gold", self.gold, self.n_gold, "predictions", self.pred, self.n_pred)
        of_train = disagreement("gold", self.gold, self.n_gold, "training", self.train, self.n_train)
        return of_pred + of_train


_FEW = 3
"""The fewest mentions of a side for which different names are reported: below that, one error may explain them."""


def disagreement(
    ours: str, our_names: Collection[str], n_ours: int, theirs: str, their_names: Collection[str], n_theirs: int
) -> list[str]:
    """Return a notice if two sides have hardly a name in common, or if similar names are spelt differently.

    Args:
        ours: what the first side is called.
        our_names: the names of its types.
        n_ours: the number of its mentions.
        theirs: what the other side is called.
        their_names: the names of its types.
        n_theirs: the number of its mentions.

    Returns:
        A list of one notice, or of none.

    >>> disagreement("gold", {"PER", "LOC"}, 9, "training", {"person", "LOC"}, 9)
    ['gold has the types LOC, PER and training LOC, person. Names that differ are different types here: if they mean \
the same, give --map person=PER (types= in Python).']
    """
    mine = set(our_names)
    other = set(their_names)
    fewest = min(len(mine), len(other))
    if not fewest:
        return []
    new_names = _alike(mine, other)
    hardly_overlap = 4 * len(mine & other) <= fewest and min(n_ours, n_theirs) >= _FEW
    if not new_names and not hardly_overlap:
        return []
    only_theirs = sorted(other - mine)
    only_ours = sorted(mine - other)
    if not new_names and len(only_theirs) == len(only_ours) == 1:
        new_names = {only_theirs[0]: only_ours[0]}
    example = ",".join(f"{old}={new}" for old, new in new_names.items())
    if not example:
        example = f"{only_theirs[0]}={only_ours[0]} and so on"
    return [
        f"{ours} has the types {_listed(mine)} and {theirs} {_listed(other)}. Names that differ are different types "
        f"here: if they mean the same, give --map {example} (types= in Python)."
    ]


def _alike(ours: Iterable[str], theirs: Iterable[str]) -> dict[str, str]:
    """Return similar names: those of theirs that we lack, each with one of ours that has the same form."""
    mine = set(ours)
    name_of_form: dict[str, str] = {}
    for name in sorted(mine):
        name_of_form.setdefault(_form(name), name)
    similar = {}
    for name in sorted(set(theirs) - mine):
        if _form(name) in name_of_form:
            similar[name] = name_of_form[_form(name)]
    return similar


def _form(name: str) -> str:
    """Return the form in which names are compared: letters and digits in lower case, written out, singular."""
    plain = re.sub(r"[\W_]", "", name.casefold())
    plain = _WRITTEN_OUT.get(plain, plain)
    return plain.removesuffix("s").replace("isation", "ization")


_WRITTEN_OUT = {
    "per": "person", "pers": "person", "people": "person", "loc": "location", "org": "organization",
    "misc": "miscellaneous", "corp": "corporation", "prod": "product", "evt": "event", "fac": "facility",
    "chem": "chemical", "dis": "disease", "lang": "language",
}  # fmt: skip


def _listed(names: Collection[str]) -> str:
    """Return names for a message in alphabetical order, and at most eight of them."""
    ordered = sorted(names)
    return ", ".join(ordered[:8]) + (", ..." if len(ordered) > 8 else "")
