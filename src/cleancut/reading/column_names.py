"""What columns of samples are called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..core.exceptions import CleancutError
from .batches import Options


class PlainColumns(NamedTuple):
    tokens: str
    annotation: str
    form: str


_TOKENS, _TAGS, _ENTITIES = ("tokens", "words"), ("tags", "ner_tags", "labels"), ("entities",)


def plain_columns(names: Iterable[str], options: Options, where: str) -> PlainColumns:
    """Which columns hold the tokens and the annotation."""
    present = list(names)

    def find(given: str | None, usual: tuple[str, ...]) -> str | None:
        if given is not None:
            return given if given in present else None
        return next((name for name in usual if name in present), None)

    tokens = find(options.tokens, _TOKENS)
    entities = find(options.entities, _ENTITIES) if options.tags is None else None
    tags = find(options.tags, _TAGS) if entities is None and options.entities is None else None
    annotation = entities or tags
    if tokens is None or annotation is None:
        wanted = (options.tokens or "tokens") if tokens is None else options.tags or options.entities or "entities"
        raise CleancutError(
            f"{where}: no {wanted} among {', '.join(map(repr, present)) or 'no columns'}. "
            "Name the columns: tokens=, tags= or entities=."
        )
    return PlainColumns(tokens, annotation, "entities" if entities else "tags")
