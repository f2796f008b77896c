"""Rows with answers of language models: how a file of them is recognised, and what each row holds.

This is asked of every file of predictions, so that it does without what reads the answers themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from ..core import checks
from ..core.exceptions import CleancutError, quoted
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
"""The names under which rows have their answer, in order of preference."""
_IDS = ("custom_id", "id", "sample_id", "example_id", "uid", "guid", "key")
"""The names under which rows have the id of their sample; ``id`` of a batch of an API is that of the request."""
_REPLY_KEYS = ("body", "choices", "candidates", "message")
"""The names under which what an API returns has its reply."""
_TYPES = ("type", "entity_type", "label")
"""The names under which rows have the type that was asked for."""
_SAMPLE_KEYS = (*PLAIN_TOKENS, *PLAIN_TAGS)
"""Columns of samples with tokens, which are no answers."""


class AnswerRow(NamedTuple):
    """A row of a file of answers."""

    place: str
    """The name of the row, for messages."""
    id: str | None
    """The id of the sample; None where the row has none."""
    answer: Any
    """The answer: a text, or what a parser has made of one."""
    label: str | None = None
    """The type that was asked for; None where all were."""


def is_answer_row(row: Any) -> bool:
    """Return whether a row of a JSONL file is an answer, rather than a sample with tokens.

    Args:
        row: the row.

    >>> is_answer_row({"id": "1", "answer": "[]"}), is_answer_row({"tokens": ["Ada"], "tags": ["O"]})
    (True, False)
    """
    if not isinstance(row, Mapping):
        return False
    answers = [row[key] for key in ANSWER_KEYS if key in row]
    if _is_result_of_batch(row):
        return True
    if any(isinstance(row.get(key), list) for key in _SAMPLE_KEYS):
        has_text_answer = bool(answers) and isinstance(answers[0], str)
        return has_text_answer and not isinstance(row.get("entities"), list)
    if not answers:
        return False
    mentions: list[Any] = answers[0] if isinstance(answers[0], list) else []
    records = [mention for mention in mentions if isinstance(mention, Mapping)]
    with_offsets = [record for record in records if "start" in record]
    has_triples = any(isinstance(mention, list) and sum(map(_is_number, mention)) == 2 for mention in mentions)
    if (with_offsets or has_triples) and isinstance(row.get("text"), str):
        return False  # the offsets are for the text of the row
    return all("text" in record for record in with_offsets)


def _is_result_of_batch(row: Mapping[str, Any]) -> bool:
    """Return whether a row is one of Anthropic's batches, which have the message under ``result``."""
    return "custom_id" in row and isinstance(row.get("result"), Mapping)


def _is_number(value: Any) -> bool:
    """Return whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def _names_no_mention(row: Any) -> bool:
    """Return whether a row names no mention, so that it may be an answer as well as a sample."""
    return isinstance(row, Mapping) and any(row.get(key) == [] for key in ANSWER_KEYS)


def first_rows(readable: Readable) -> list[Any]:
    """Return the first rows of a JSONL file that name a mention; the first of all where none does.

    Args:
        readable: the file. One of another format, or that cannot be read, has no rows.
    """
    source = Source.of(readable)
    if format_of(source) is not Format.JSONL and not is_chat(source.first_record):
        return []
    try:
        telling = (record for _, record in json_records(source) if not _names_no_mention(record))
        return list(islice(telling, 20)) or [record for _, record in islice(json_records(source), 20)]
    except CleancutError:
        return []


def is_answer_file(readable: Readable) -> bool:
    """Return whether the rows of a file are answers of a language model.

    Args:
        readable: the file; one that does not exist is none.
    """
    source = Source.of(readable)
    if not source.is_there:
        return False  # whoever reads it says so
    rows = first_rows(source)
    return bool(rows) and all(map(is_answer_row, rows))


def answer_rows(readable: Readable) -> list[AnswerRow]:
    """Return the answers of a file.

    Args:
        readable: the file.

    Raises:
        CleancutError: a line is not an object, or holds no answer.
    """
    source = Source.of(readable)
    tell(source.name, Recognised("JSONL with answers of a language model"))
    return list(_file_rows(source))


def _file_rows(source: Source) -> Iterator[AnswerRow]:
    """Yield the answers of a file."""
    for number, record in json_records(source):
        yield _row(record, f"{source}, line {number}")


def given_rows(rows: Iterable[Any]) -> list[AnswerRow]:
    """Return the answers of a list of texts or dicts.

    Args:
        rows: the list.

    Raises:
        CleancutError: it is no list, or a dict holds no answer.
    """
    answers: list[Any] = checks.ordered(rows, "the answers", "a file, or a list of answers")
    read_rows = []
    for i, row in enumerate(answers):
        if isinstance(row, Mapping):
            read_rows.append(_row(row, f"answer {i}"))
        else:
            read_rows.append(AnswerRow(f"answer {i}", None, row))
    return read_rows


def _row(record: Mapping[str, Any], place: str) -> AnswerRow:
    """Return the answer that a record holds; raise an error where it holds none."""
    key = next((key for key in ANSWER_KEYS if key in record), None)
    if _is_result_of_batch(record):
        key = "result"
    if key is None:
        raise CleancutError(
            f'{place}: no answer among {", ".join(map(quoted, record)) or "no columns"}. Give it as "answer".'
        )
    sample_id = next((str(record[name]) for name in _IDS if record.get(name) is not None), None)
    label = next((record[name] for name in _TYPES if isinstance(record.get(name), str)), None)
    return AnswerRow(place, sample_id, _answer_in(record[key]), label)


def _answer_in(value: Any) -> Any:
    """Return the answer in a value of a record.

    It is the last message of a chat, the first of several choices as APIs return them, or the value itself, without
    lists of one item around it.
    """
    value = _reply_in(value)
    turns = turns_in(value)
    if turns:
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


def _reply_in(value: Any) -> Any:
    """Return the choices, or the message, of what an API returned, as its batches have it; any other value as it is.

    >>> _reply_in({"status_code": 200, "body": {"choices": [{"message": {"role": "assistant", "content": "[]"}}]}})
    [{'message': {'role': 'assistant', 'content': '[]'}}]
    """
    while isinstance(value, Mapping):
        key = next((key for key in _REPLY_KEYS if isinstance(value.get(key), Mapping | list)), None)
        if key is None:
            return value
        reply = value[key]
        if key == "message":
            return [value]
        if key == "candidates":
            contents = [candidate.get("content") for candidate in reply if isinstance(candidate, Mapping)]
            parts = [content.get("parts") for content in contents if isinstance(content, Mapping)]
            return [{"message": {"content": parts[0]}}] if parts else None
        value = reply
    return value


def _content(content: Any) -> Any:
    """Return the content of a message as text."""
    return content if content is None or isinstance(content, str) else json.dumps(content)
