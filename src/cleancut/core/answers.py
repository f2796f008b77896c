"""Answers of language models: the mentions that an answer names, in any of the forms in which models write them.

An answer has no offsets: it names mentions, and ``grounding`` finds where they stand. What is not understood is said to
be so, with a reason; it is never taken for an answer without mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .answer_lines import read_lines, read_tags
from .answer_marks import read_brackets, read_markers, read_xml
from .answer_prose import regions, says_nothing, without_thinking
from .answer_records import WORD, Answer, Context, KnownTypes, Style, because, is_plausible, squeezed
from .answer_values import answer_of_values, read_code, read_json, read_json_alone, read_pairs, with_pairs
from .exceptions import parse_choice
from .loose_json import Found


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
    (Named(text='Ada', label='PER', start=None, end=None),)
    >>> parse_answer("There are no entities.").is_empty, parse_answer("Lorem ipsum").unparsed
    (True, 'no mention in any known form: Lorem ipsum')
    """
    chosen = parse_choice(Style, style, "answers")
    names = types if isinstance(types, KnownTypes) else KnownTypes(types)
    sample = None if tokens is None else squeezed(tokens if isinstance(tokens, str) else " ".join(tokens))
    n_tokens = None if tokens is None or isinstance(tokens, str) else len(tokens)
    words = frozenset(WORD.findall(tokens) if isinstance(tokens, str) else tokens or ())
    context = Context(names, label, sample, words, n_tokens)
    if answer is None:
        return Answer(unparsed="there is no answer")
    if not isinstance(answer, str):
        if not isinstance(answer, Mapping | Sequence):
            return Answer(unparsed=f"the answer is a {type(answer).__name__}, not a text")
        found = answer_of_values([Found(with_pairs(answer), 0, 0, False)], context)
        return found if found is not None else Answer(unparsed=because("no mention in the items", str(answer)[:200]))
    return _parse_text(answer, chosen, context)


def _parse_text(answer: str, style: Style, context: Context) -> Answer:
    said, why = without_thinking(answer)
    if why is not None:
        return Answer(unparsed=why)
    if not said.strip():
        return Answer()
    readers = _READERS.values() if style is Style.AUTO else [_READERS[style]]
    empty: Answer | None = None
    for region in regions(said):
        if context.is_sample(region):
            return Answer()  # the text without any mark is an answer too
        for reader in readers:
            found = reader(region, context)
            if found is None:
                continue
            is_alone = reader in (read_tags, read_json_alone)
            if is_alone or (found.mentions and (style is not Style.AUTO or is_plausible(found.mentions, context))):
                return found
            if not found.mentions:
                empty = empty or found
    if empty is not None:
        return empty
    if says_nothing(said):
        return Answer()
    if style is Style.AUTO:
        return Answer(unparsed=because("no mention in any known form", said))
    return Answer(unparsed=because(f"no mention in the form {style}", said))


_READERS: Mapping[Style | str, Callable[[str, Context], Answer | None]] = {
    "tags": read_tags,
    "alone": read_json_alone,
    Style.MARKERS: read_markers,
    Style.XML: read_xml,
    Style.BRACKETS: read_brackets,
    Style.JSON: read_json,
    Style.BY_TYPE: read_json,
    Style.CODE: read_code,
    Style.PAIRS: read_pairs,
    Style.LINES: read_lines,
}
"""How each form is read, in the order in which they are tried: tags and what begins as JSON first, then marks."""
