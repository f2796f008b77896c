"""Files and lists with answers of language models: one for each sample, or one for each sample and type."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from ..core import checks
from ..core.answer_mentions import AnswerReading, Said, answered
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, quoted
from ..core.type_names import parse_types
from .chats import content_of, is_chat, last_answer, turns_in
from .column_names import PLAIN_TAGS, PLAIN_TOKENS
from .formats import Format, format_of
from .jsonl import json_records
from .opening import Readable, Source
from .recognised import Recognised, tell

ANSWER_KEYS = (
    "answer", "response", "output", "completion", "prediction", "predictions", "generated_text", "generation",
    "model_output", "model_answer", "messages", "choices", "filtered_resps", "resps", "entities",
)  # fmt: skip
"""Under which names rows have their answer, in order of preference."""
_IDS = ("id", "sample_id", "example_id", "uid", "guid")
_TYPES = ("type", "entity_type", "label")
_SAMPLE_KEYS = (*PLAIN_TOKENS, *PLAIN_TAGS)
"""Columns of samples with tokens, which are no answers."""


class AnswerRow(NamedTuple):
    """A row of a file of answers."""

    place: str
    id: str | None
    said: Said


def read_answers(
    source: Any,
    gold: Corpus,
    *,
    answers: str = "auto",
    types: Mapping[str, str] | None = None,
    ignore_types: bool | Iterable[str] = False,
    fuzzy: bool = False,
) -> Corpus:
    """Read answers of a language model as predictions for gold samples, each mention where it stands in the text.

    Rows belong to gold samples by their ``id``, else by their order. Several rows of one id, each with its ``type``,
    are answers to one type each.

    Args:
        source: a JSONL file, or a list of rows: texts, or dicts with ``answer`` (or ``response``, ``output``,
            ``completion``, ``prediction``, ``messages``, or ``entities`` of ``{"text", "label"}``).
        gold: the samples that the answers are for.
        answers: the form of the answers: auto, json, by-type, pairs, xml, brackets, code, lines or markers.
        types: other names for types, by those that the answers have (``{"person": "PER"}``).
        ignore_types: leave out mentions of types that gold does not have: of all such types, or of those named.
        fuzzy: may a name differ in some letters from the text?

    Returns:
        The text of gold with the mentions of the answers; ``corpus.mentions.answers`` tells what was not understood,
        what is invented, and whose place is open.

    >>> gold = Corpus.of([["Ada", "spoke", "."]], tags=[["B-PER", "O", "O"]])
    >>> pred = read_answers(['Sure: [{"text": "Ada", "label": "per"}, {"text": "Bo", "label": "per"}]'], gold)
    >>> pred.entities(), pred.mentions.answers.invented[0].text
    ([[{'start': 0, 'end': 1, 'label': 'PER'}]], 'Bo')
    """
    checks.instance(gold, Corpus, "gold", "the samples that the answers are for, as a Corpus")
    reading = answer_reading(gold.mentions.labels, answers, types, ignore_types, fuzzy)
    rows = answer_rows(source) if isinstance(source, str | os.PathLike | Source) else list(_given_rows(source))
    return AnswerBook(rows, reading).answers_to(gold)


def answer_reading(
    gold_types: Iterable[str],
    answers: str | None,
    types: Mapping[str, str] | None,
    ignore_types: bool | Iterable[str],
    fuzzy: bool = False,
) -> AnswerReading:
    """Return how answers are read: by the types of gold, and by the names that stand for them."""
    names = parse_types(types)
    return AnswerReading.of([*gold_types, *names, *names.values()], answers, fuzzy=fuzzy, ignore_types=ignore_types)


def is_answer_row(row: Any) -> bool:
    """Is a row of a JSONL file an answer, rather than a sample with tokens?

    >>> is_answer_row({"id": "1", "answer": "[]"}), is_answer_row({"tokens": ["Ada"], "tags": ["O"]})
    (True, False)
    """
    if not isinstance(row, Mapping):
        return False
    value = next((row[key] for key in ANSWER_KEYS if key in row), None)
    if any(isinstance(row.get(key), list) for key in _SAMPLE_KEYS):
        return isinstance(value, str) and not isinstance(row.get("entities"), list)
    if not any(key in row for key in ANSWER_KEYS):
        return False
    spans: list[Any] = value if isinstance(value, list) else []
    has_offsets = any(isinstance(span, Mapping) and "start" in span for span in spans)
    if has_offsets and isinstance(row.get("text"), str):
        return False  # they are for the text of the row
    return not any(isinstance(span, Mapping) and "start" in span and "text" not in span for span in spans)


def _says_nothing(row: Any) -> bool:
    """Could a row be an answer as well as a sample, since it names no mention?"""
    return isinstance(row, Mapping) and any(row.get(key) == [] for key in ANSWER_KEYS)


class AnswerBook:
    """All answers of a file, asked for samples in any order and in any parts."""

    def __init__(self, rows: Sequence[AnswerRow], reading: AnswerReading) -> None:
        self._rows, self._reading = rows, reading
        self._next = 0
        self._by_id: dict[str, list[AnswerRow]] | None = (
            {} if rows and all(row.id is not None for row in rows) else None
        )
        if self._by_id is not None:
            for row in rows:
                self._by_id.setdefault(str(row.id), []).append(row)

    def answers_to(self, gold: Corpus, *, last: bool = True) -> Corpus:
        """Return the predictions for samples: all that there are, or the next of several parts."""
        groups = self._groups(gold, last)
        mentions = answered(gold.tokens(), groups, self._reading, gold.mentions.where)
        return replace(gold, mentions=mentions, relations=None)

    def _groups(self, gold: Corpus, last: bool) -> list[list[Said]]:
        if self._by_id is not None and gold.ids is not None and all(name in self._by_id for name in gold.ids if name):
            return [self._of_id(name, gold, i) for i, name in enumerate(gold.ids)]
        if self._by_id is not None and gold.ids is not None:
            lacking = next(name for name in gold.ids if name and name not in self._by_id)
            raise CleancutError(f"gold sample {quoted(lacking)} has no answer. Give one answer for each id.")
        return self._in_order(gold, last)

    def _of_id(self, name: str | None, gold: Corpus, i: int) -> list[Said]:
        assert self._by_id is not None
        if name is None:
            raise CleancutError(f"{gold.mentions.where(i)} has no id, but answers are joined by ids. Give it one.")
        rows = self._by_id[name]
        if len(rows) > 1 and len({row.said.label for row in rows}) < len(rows):
            raise CleancutError(
                f"{rows[1].place}: the second answer to sample {quoted(name)}. Give one for each sample, or each type."
            )
        return [row.said for row in rows]

    def _in_order(self, gold: Corpus, last: bool) -> list[list[Said]]:
        """Rows one after the other, as many for each sample as types were asked for."""
        width = self._width()
        rows = self._rows[self._next : self._next + width * len(gold)]
        self._next += width * len(gold)
        if len(rows) < width * len(gold) or (last and self._next < len(self._rows)):
            n = self._next if len(rows) < width * len(gold) else len(gold) * width
            raise CleancutError(
                f"{n} answers are needed for the gold samples but there are {len(self._rows)}. Give one for each "
                "sample, or give both sides ids."
            )
        return [[row.said for row in rows[at : at + width]] for at in range(0, len(rows), width)]

    def _width(self) -> int:
        """How many rows a sample has: as many as come before a type comes again."""
        seen: set[str] = set()
        for row in self._rows:
            if row.said.label is None or row.said.label in seen:
                break
            seen.add(row.said.label)
        return max(len(seen), 1)


# --- rows ---------------------------------------------------------------------------------------------


def first_rows(given: Readable) -> list[Any]:
    """Return the first rows of a JSONL file that name a mention; all where none does, and none of another format."""
    source = Source.of(given)
    if format_of(source) is not Format.JSONL and not is_chat(source.first_record):
        return []
    try:
        telling = (record for _, record in json_records(source) if not _says_nothing(record))
        return list(islice(telling, 20)) or [record for _, record in islice(json_records(source), 20)]
    except CleancutError:
        return []


def is_answer_file(given: Readable) -> bool:
    """Are the rows of a file answers of a language model?"""
    source = Source.of(given)
    if not source.is_there:
        return False  # whoever reads it says so
    rows = first_rows(source)
    return bool(rows) and all(map(is_answer_row, rows))


def answer_rows(given: Readable) -> list[AnswerRow]:
    """Return the answers of a file."""
    source = Source.of(given)
    tell(source.name, Recognised("JSONL with answers of a language model"))
    return list(_file_rows(source))


def _file_rows(source: Source) -> Iterator[AnswerRow]:
    for number, record in json_records(source):
        yield _row(record, f"{source}, line {number}")


def _given_rows(rows: Iterable[Any]) -> Iterator[AnswerRow]:
    given: list[Any] = checks.ordered(rows, "the answers", "a file, or a list of answers")
    for i, row in enumerate(given):
        if isinstance(row, Mapping):
            yield _row(row, f"answer {i}")
        else:
            yield AnswerRow(f"answer {i}", None, Said(row))


def _row(record: Mapping[str, Any], place: str) -> AnswerRow:
    key = next((key for key in ANSWER_KEYS if key in record), None)
    if key is None:
        raise CleancutError(
            f'{place}: no answer among {", ".join(map(repr, record)) or "no columns"}. Give it as "answer".'
        )
    id_ = next((record[name] for name in _IDS if record.get(name) is not None), None)
    label = next((record[name] for name in _TYPES if isinstance(record.get(name), str)), None)
    return AnswerRow(place, None if id_ is None else str(id_), Said(_answer_in(record[key]), label))


def _answer_in(value: Any) -> Any:
    """Return the answer itself: the last message of a chat, the first of several responses."""
    if turns := turns_in(value):
        return _content(last_answer(turns))
    if isinstance(value, list) and value and isinstance(value[0], Mapping) and {"message", "text"} & set(value[0]):
        message = value[0].get("message")
        if isinstance(message, Mapping):
            return _content(content_of(message))
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], str | list):
        inner = value[0]
        if isinstance(inner, list) and not all(isinstance(item, str | list) for item in inner):
            break
        if isinstance(inner, list) and len(inner) != 1:
            break
        value = inner
    return value


def _content(content: Any) -> Any:
    """Return the content of a message as text."""
    return content if content is None or isinstance(content, str) else json.dumps(content)
