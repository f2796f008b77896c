"""Answers of language models: the mentions that an answer names, in any of the forms in which models write them.

An answer has no offsets: it names mentions, and ``grounding`` finds where they stand. What is not understood is said to
be so, with a reason; it is never taken for an answer without mentions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import checks
from .answer_lines import read_lines
from .answer_marks import read_brackets, read_marked_sample, read_markers, read_xml
from .answer_plain import plain_answer
from .answer_prose import regions, repeats_sample, says_nothing, without_thinking
from .answer_records import Answer, Context, KnownTypes, Named, Style, because, is_none, is_plausible
from .answer_signs import read_signs
from .answer_tags import read_tags
from .answer_values import (
    answer_of_values,
    begins_as_json,
    read_code,
    read_json,
    read_pairs,
    read_tuples,
    with_pairs,
)
from .exceptions import parse_choice, quoted
from .loose_json import Found, strict_value
from .tags import prefix_letter


def _type_names(types: Any) -> list[str]:
    """Return names of types, in whatever collection."""
    if isinstance(types, set | frozenset):
        types = sorted(types)
    return checks.names(types, "types", "names of types")


def _checked_tokens(tokens: Any) -> Sequence[str] | str | None:
    """Return a text or a list of texts; anything else is refused."""
    if tokens is None or isinstance(tokens, str):
        return tokens
    if type(tokens) not in (list, tuple) or set(map(type, tokens)) - {str}:
        return checks.names(tokens, "tokens", "the text of the sample, or a list of its words")
    return tokens


def parse_answer(
    answer: Any,
    style: str = "auto",
    *,
    types: Iterable[str] | KnownTypes = (),
    label: str | None = None,
    tokens: Sequence[str] | str | None = None,
) -> Answer:
    """Return the mentions that an answer of a language model names.

    Args:
        answer: the raw text, or lists and dicts that were parsed from it already.
        style: the form that the answer is in; ``auto`` finds it.
        types: the types that there are, which tell a label from a name.
        label: the type that was asked for, where the answer is to one type only and names none.
        tokens: the tokens or the text of the sample, which tell a name from other words.

    Returns:
        The mentions in the order of the answer; or the reason why it was not understood.

    >>> parse_answer('Sure! [{"text": "Ada", "label": "PER"}]').mentions
    (Named(text='Ada', label='PER', start=None, end=None, run=None),)
    >>> parse_answer("There are no entities.").is_empty, parse_answer("Lorem ipsum").unparsed
    (True, 'no mention in any known form: Lorem ipsum')
    """
    chosen = parse_choice(Style, style, "answers")
    names = types if isinstance(types, KnownTypes) else KnownTypes.of(tuple(_type_names(types)))
    if label is not None:
        checks.text(label, "label", "the name of a type")
    tokens = _checked_tokens(tokens)
    if isinstance(answer, str) and chosen is Style.AUTO and label is None and tokens is not None:
        plain = plain_answer(answer, names, tokens)
        if plain is not None:
            return plain
    context = Context(names, label, tokens)
    if answer is None:
        return Answer(unparsed="there is no answer")
    if isinstance(answer, str):
        return _without_outside(_parse_text(answer, chosen, context), context)
    if not isinstance(answer, Mapping | Sequence):
        return Answer(unparsed=f"the answer is a {type(answer).__name__}, not a text")
    try:
        items = with_pairs(answer)
    except Exception:  # a list that holds itself, or a key that cannot be shown
        return Answer(unparsed="the items of the answer cannot be read")
    parsed = answer_of_values([Found(items, 0, 0, False)], context)
    if parsed is None:
        return Answer(unparsed=because("no mention in the items", quoted(answer)))
    return _without_outside(parsed, context)


def _without_outside(answer: Answer, context: Context) -> Answer:
    """Return an answer without words that are said to be no mention, ``O`` or ``None``; tagged words are joined."""
    labels = {mention.label for mention in answer.mentions}
    outside = {label for label in labels if _is_outside(label, context)}
    if outside:
        kept = tuple(mention for mention in answer.mentions if mention.label not in outside)
        answer = answer._replace(mentions=kept)
    if any(_goes_on(label, context) for label in labels):
        answer = answer._replace(mentions=tuple(_joined(answer.mentions, context)))
    return answer


def _is_outside(label: str, context: Context) -> bool:
    """Return whether a label says that a word is no mention, unless there is a type of this name."""
    if context.types.find(label) is not None:
        return False
    return label == "O" or (bool(label.strip()) and is_none(label))


def _goes_on(label: str, context: Context) -> bool:
    """Return whether a label is the tag of a word inside of a mention, ``I-PER``, rather than a type."""
    return label not in context.types.names and prefix_letter(label) in _INSIDE


_INSIDE = ("I", "E", "M", "L")


def _joined(mentions: Iterable[Named], context: Context) -> list[Named]:
    """Return mentions that are words with tags, ``Ada`` as ``B-PER`` and ``Lovelace`` as ``I-PER``, as whole names.

    A word goes on with the name before it if both stand in the text side by side; ``##`` begins a part of a word.
    """
    joined: list[Named] = []
    for mention in mentions:
        before = joined[-1] if joined else None
        if before is not None and _goes_on(mention.label, context) and before.label[2:] == mention.label[2:]:
            text = f"{before.text} {mention.text.removeprefix('##')}"
            if context.in_text(text):
                joined[-1] = before._replace(text=text, end=mention.end)
                continue
        joined.append(mention)
    return joined


def _parse_text(answer: str, style: Style, context: Context) -> Answer:
    """Return what a text answers: nothing, mentions, or why it was not understood."""
    said, why_not = without_thinking(answer)
    if why_not is not None:
        return Answer(unparsed=why_not)
    if not said.strip() or _EMPTY_FENCE.fullmatch(said):
        return Answer()
    said = _unwrapped(said)
    best, n_sure = _best_reading(said, style, replace(context, is_strict=True))
    if n_sure == 0 and repeats_sample(said, context):
        return Answer()
    if best is None and context.only_label is not None:
        best, _ = _best_reading(said, style, context)
    if best is not None:
        return best
    if says_nothing(said, context):
        return Answer()
    form = "in any known form" if style is Style.AUTO else f"in the form {style}"
    return Answer(unparsed=because(f"no mention {form}", said))


_EMPTY_FENCE = re.compile(r"\s*```[\w+.-]*\s*```\s*")
"""A block of code with nothing in it, as JSON Lines without a line are."""


def _unwrapped(said: str) -> str:
    """Return an answer that is a string of JSON as the text that it stands for, be its own quotes there or not."""
    if "\\" not in said:
        return said
    text = said.strip()
    is_quoted = text[:1] == '"' and text[-1:] == '"'
    n_quotes = text.count('"')
    if not is_quoted and (text[:1] not in ("[", "{") or not n_quotes or n_quotes != text.count('\\"')):
        return said
    if not is_quoted:
        text = f'"{text}"'
    try:
        value = strict_value(text)
    except ValueError:
        return said
    return value if isinstance(value, str) else said


def _best_reading(said: str, style: Style, context: Context) -> tuple[Answer | None, int]:
    """Return the first reading whose mentions are all sure, else the one with the most sure mentions, and how many.

    A mention is sure if its type is one that there is and its name stands in the text. Where no reading has a sure
    mention, the first one counts: a form that is read before others is not easily met by chance.
    """
    readers = _IN_TURN if style is Style.AUTO else (_READERS[style],)
    best: Answer | None = None
    most_sure = 0
    for region in regions(said):
        if context.is_sample(region):
            return Answer(), 0  # the text without any mark is an answer too
        if style is Style.AUTO:
            marked = read_marked_sample(region, context) or read_signs(region, context)
            if marked is not None:
                return marked, len(marked.mentions)
        is_json = begins_as_json(region)
        for reader in readers:
            reading = reader(region, context) if reader is not read_tags or not is_json else None
            if reading is None:
                continue
            n_sure = context.n_sure(reading.mentions)
            is_alone = reader is read_tags or (reader is read_json and is_json)
            if is_alone and (n_sure or not reading.mentions):
                return reading, n_sure
            if n_sure == len(reading.mentions) and n_sure > most_sure:
                return reading, n_sure
            is_wanted = is_alone or not reading.mentions or style is not Style.AUTO
            if (best is None or n_sure > most_sure) and (is_wanted or is_plausible(reading.mentions, context)):
                best, most_sure = reading, n_sure
    return best, most_sure


_Reader = Callable[[str, Context], Answer | None]

_READERS: Mapping[Style, _Reader] = {
    Style.JSON: read_json,
    Style.BY_TYPE: read_json,
    Style.PAIRS: read_pairs,
    Style.XML: read_xml,
    Style.BRACKETS: read_brackets,
    Style.CODE: read_code,
    Style.LINES: read_lines,
    Style.MARKERS: read_markers,
}
"""How an answer of each form is read."""

_IN_TURN: tuple[_Reader, ...] = (
    read_tags, read_json, read_code, read_markers, read_xml, read_brackets, read_tuples, read_lines,
)  # fmt: skip
"""How an answer of unknown form is read: the forms that are least easily met by chance come first."""
