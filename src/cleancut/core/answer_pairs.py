"""A name and its type, told apart: in an object by its keys, in a list or a line by what is known."""

from __future__ import annotations

import re

from .answer_records import Context, Named, is_none

SURFACES = (
    "text", "word", "mention", "surface", "surfaceform", "span", "spantext", "entitytext", "mentiontext", "entityname",
    "entitymention", "extractiontext", "phrase", "string", "substring", "quote", "value", "name", "token", "words",
    "tokens", "content", "entityvalue", "texts", "mentions", "names", "spans", "values", "entity", "entities", "term",
    "expression", "title", "instance", "instances",
)  # fmt: skip
LABELS = (
    "label", "type", "entitytype", "entitylabel", "category", "class", "tag", "entitygroup", "nertag", "nerlabel",
    "nertype", "labels", "types", "kind", "enttype", "entlabel", "extractionclass", "group", "semantictype",
    "entityclass", "entitycategory", "typename", "classification", "role", "ner", "categories", "tags", "labelname",
    "entity",
)  # fmt: skip


def plain_key(key: str) -> str:
    return re.sub(r"[\W_]+", "", str(key).casefold())


_INSIDE = re.compile(r"(.*\S)\s*[(\[<{]([^()\[\]<>{}]{1,80})[)\]>}]\s*[.,;]?\Z")
_SEPARATORS = ("\t", "->", "\u2192", "=>", "|", ":", " - ", " \u2013 ", " \u2014 ", "=", "/", ",")
_SURE_SEPARATORS = ("\t", "->", "\u2192", "=>", "|", ":", " - ", " \u2013 ", " \u2014 ")


def pair_in_line(text: str, context: Context, *, sure: bool = True) -> Named | None:
    """A name and its type in a line: ``Ada (PER)``, ``Ada: PER``, ``Ada -> PER``, ``PER: Ada``.

    ``sure``: the line is an item of a list, so that a type which is not known may be one nevertheless.
    """
    text = text.strip()
    if len(text) > 2000:
        return None
    inside = _INSIDE.match(text)
    if inside is not None and context.types.find(inside[2]) is not None:
        return Named(unquoted(inside[1]), inside[2].strip())
    for sign in _SEPARATORS:
        if sign not in text:
            continue
        name, _, label = text.rpartition(sign)
        if name.strip() and context.types.find(label.strip(" .")) is not None:
            return Named(unquoted(name), label.strip(" ."))
        label, _, name = text.partition(sign)
        if name.strip() and context.types.find(label) is not None:
            return Named(unquoted(name), label.strip())
    if not sure:
        return None
    if inside is not None and _may_be_pair(inside[1], inside[2], context):
        return Named(unquoted(inside[1]), inside[2].strip())
    for sign in _SURE_SEPARATORS:
        name, found, label = text.rpartition(sign)
        if found and _may_be_pair(name, label, context):
            return Named(unquoted(name), label.strip(" ."))
    return None


def _may_be_pair(name: str, label: str, context: Context) -> bool:
    """Does a name stand in the text, and is a label short enough to be one?"""
    name, label = unquoted(name), label.strip(" .")
    return bool(label) and len(label.split()) <= 3 and context.in_text(name) and not is_none(label)


def unquoted(text: str) -> str:
    """Return a name without what a line puts around it."""
    text = text.strip().strip("*`").strip()
    for opening, closing in ('""', "''", "\u201c\u201d", "\u2018\u2019"):
        if len(text) > 1 and text[0] == opening and text[-1] == closing:
            return text[1:-1].strip()
    return text.rstrip(" ,;")
