"""Chats with a language model as samples: the user gives a text, and the assistant answers with its mentions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.exceptions import CleancutError, quoted
from .exported import CHARACTERS, Exported
from .opening import Row

if TYPE_CHECKING:
    from ..core.answers import Answer
    from ..core.grounding import Grounding

_REMEDY = 'Put the instruction into a system message, or give rows such as {"text": ..., "entities": [...]}.'
"""What a message tells the user to do."""
_ASSISTANT = ("assistant", "model", "ai", "gpt")
"""The roles of messages of the language model."""


def turns_in(value: Any) -> list[Mapping[str, Any]]:
    """Return the turns of a chat; none where a value is something else.

    Args:
        value: the value.

    >>> turns_in([{"role": "user", "content": "Hi"}]), turns_in("Hi")
    ([{'role': 'user', 'content': 'Hi'}], [])
    """
    if not isinstance(value, list) or not all(isinstance(turn, Mapping) for turn in value):
        return []
    if value and all({"from", "value"} <= set(turn) for turn in value):  # as ShareGPT has it
        return [{"role": _ROLES.get(turn["from"], turn["from"]), "content": turn["value"]} for turn in value]
    return value if all("role" in turn for turn in value) else []


_ROLES = {"human": "user"}
"""The roles that ShareGPT calls by other names."""


def _turns_of(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the turns of the chat that a record holds; none where it holds none."""
    return turns_in(record.get("messages")) or turns_in(record.get("conversations"))


def content_of(turn: Mapping[str, Any]) -> Any:
    """Return what a turn says: a text, also where it stands in parts; None where it says nothing.

    Args:
        turn: the turn of a chat.
    """
    content = turn.get("content")
    if content is None:
        return _arguments_of_calls(turn)
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, Mapping))
    return content


def _arguments_of_calls(turn: Mapping[str, Any]) -> str | None:
    """Return the arguments of the functions that a turn calls, each in a line; None where it calls none."""
    calls = [call.get("function") for call in turn.get("tool_calls") or () if isinstance(call, Mapping)]
    calls.append(turn.get("function_call"))
    arguments = [call.get("arguments") for call in calls if isinstance(call, Mapping)]
    texts = [text for text in arguments if isinstance(text, str)]
    return "\n".join(texts) or None


def last_answer(turns: Sequence[Mapping[str, Any]]) -> Any:
    """Return what the assistant says last; None where it says nothing.

    Args:
        turns: the turns of a chat.
    """
    return next((content_of(turn) for turn in reversed(turns) if turn.get("role") in _ASSISTANT), None)


def is_chat(record: Row) -> bool:
    """Return whether a record has messages, one of the user and then one of the assistant.

    Args:
        record: the record.
    """
    roles = [turn.get("role") for turn in _turns_of(record)]
    return "user" in roles and any(role in _ASSISTANT for role in roles[roles.index("user") :])


class _Exchange(NamedTuple):
    """A message of the user, and the answer to it."""

    record: Row
    """The record that holds the chat."""
    message: str
    """The last message of the user."""
    answer: Any
    """What the assistant says last."""
    has_instruction: bool
    """Whether a message of the system says what is to be done."""


def _exchange(record: Row, place: str) -> _Exchange:
    """Return the last message of the user and the answer to it; raise an error where there is no message."""
    turns = _turns_of(record)
    messages = [content_of(turn) for turn in turns if turn.get("role") == "user"]
    if not messages or not isinstance(messages[-1], str):
        raise CleancutError(f"{place}: no message of the user in the chat. Give one, which has the text.")
    has_instruction = any(turn.get("role") in ("system", "developer") for turn in turns)
    return _Exchange(record, messages[-1], last_answer(turns), has_instruction)


def chats(records: list[Any], name: str) -> Exported:
    """Return the rows of chats.

    The text is the last message of the user, without the instruction that may stand around it. The mentions are those
    that the assistant names, where they stand in the text.

    Args:
        records: the records, each with a chat.
        name: the name of the file, for messages.

    Raises:
        CleancutError: a chat has no message of the user, or it is not clear where an instruction ends.
    """
    from ..core.answers import parse_answer  # what parses answers takes long to import
    from ..core.grounding import ground

    exchanges = [_exchange(record, f"row {i} ({name})") for i, record in enumerate(records)]
    before, after = _around_texts(exchanges, name)
    rows: list[Row] = []
    n_unparsed = 0
    n_unread = 0
    n_invented = 0
    n_open = 0
    n_of_runs = 0
    for i, exchange in enumerate(exchanges):
        text = exchange.message[before : len(exchange.message) - after]
        answer = parse_answer(exchange.answer, tokens=text)
        if answer.unparsed is not None:
            n_unparsed += 1
            continue
        placed = ground(text, answer)
        if _names_instruction(placed, answer, exchange, before):
            raise CleancutError(
                f"row {i} ({name}): the answer names {quoted(placed.invented[0].text)}, which stands in what all "
                f"messages begin with ({quoted(exchange.message[:before])}). {_REMEDY}"
            )
        n_unread += answer.n_unread
        n_invented += len(placed.invented)
        n_of_runs += sum(mention.run is not None for mention in placed.ambiguous)
        n_open += sum(mention.run is None for mention in placed.ambiguous)
        others = {key: value for key, value in exchange.record.items() if key not in ("messages", "conversations")}
        rows.append({**others, "text": text, "entities": placed.spans})
    notes = {
        f"{n_unparsed} of {len(records)} answers were not understood; their rows are left out.": n_unparsed,
        f"{n_unread} items of answers were not understood and are left out.": n_unread,
        f"{n_invented} mentions of answers do not stand in their texts and are left out.": n_invented,
        f"{n_open} mentions stand in several places of their texts; one is taken.": n_open,
        f"{n_of_runs} mentions are of words that may be one name or several; one reading is taken.": n_of_runs,
    }
    return Exported(rows, CHARACTERS, [note for note, n in notes.items() if n])


def _names_instruction(placed: Grounding, answer: Answer, exchange: _Exchange, before: int) -> bool:
    """Return whether a mention stands in what was taken for the instruction, but not in the text."""
    from ..core.grounding import ground

    if not before or not placed.invented:
        return False
    return len(ground(exchange.message, answer).invented) < len(placed.invented)


# --- the instruction around a text ------------------------------------------------------------------------------------

_LABEL = re.compile(r"(?:^|\n)[ \t]*(?:text|input|sentence|passage|document|paragraph)[ \t]*:[ \t]*\n?", re.I)
"""Matches what stands before a text in a message."""
_EDGE = re.compile(r"\n|:[ \t]+|[\"'`“«]+|<[A-Za-z_]+>")
"""Matches where an instruction ends: a line, a colon, or what opens a quotation or an element."""
_FEW_WORDS = 3
"""The number of words that texts may have in common at their beginning by chance."""


def _around_texts(exchanges: Sequence[_Exchange], name: str) -> tuple[int, int]:
    """Return how many characters of each message stand before the text, and how many after it.

    They are those that all messages have in common, as far as an edge. An error is raised for messages that may be an
    instruction and a text, but do not show where the instruction ends.
    """
    messages = [exchange.message for exchange in exchanges]
    if len(set(messages)) == 1:
        return _around_text(exchanges[0], name)
    common = _common_beginning(messages)
    edges = [edge.end() for edge in _EDGE.finditer(common)]
    before = edges[-1] if edges else 0
    if len(common[:before].split()) < _FEW_WORDS and not _LABEL.fullmatch(common[:before]):
        before = 0
    is_told = before > 0 or all(exchange.has_instruction for exchange in exchanges)
    if not is_told and len(common.split()) > _FEW_WORDS:
        raise CleancutError(f"{name}: all messages begin with {quoted(common)}. Is that an instruction? {_REMEDY}")
    return before, _length_after([message[before:] for message in messages], common[:before])


def _common_beginning(texts: Sequence[str]) -> str:
    """Return the beginning that all texts have in common."""
    first = min(texts)
    last = max(texts)
    n_same = 0
    while n_same < min(len(first), len(last)) and first[n_same] == last[n_same]:
        n_same += 1
    return first[:n_same]


def _length_after(texts: Sequence[str], instruction: str) -> int:
    """Return how many characters at the end of each text belong to the instruction around it."""
    common = _common_beginning([text[::-1] for text in texts])[::-1]
    newline = common.find("\n")
    if newline >= 0 and common.strip():
        return len(common) - newline
    opened = instruction[-1:]
    closing = {"“": "”", "«": "»", ">": "</"}.get(opened, opened)
    if opened in ('"', "'", "`", "“", "«", ">") and closing in common:
        return len(common) - common.index(closing)
    return 0


def _around_text(exchange: _Exchange, name: str) -> tuple[int, int]:
    """Return the same as ``_around_texts`` for a single message, which cannot be compared with others."""
    labels = list(_LABEL.finditer(exchange.message))
    if labels:
        return labels[-1].end(), 0
    if not exchange.has_instruction and re.search(r"\n|:\s", exchange.message.strip()):
        raise CleancutError(f"{name}: {quoted(exchange.message)} may be an instruction and a text. {_REMEDY}")
    return 0, 0


# --- questions about one text -----------------------------------------------------------------------------------------

_QUESTION = re.compile(r"What describes (?P<label>.+) in the text\?")
"""Matches the question for the mentions of a type, as UniversalNER asks it."""


def is_universal_ner(record: Row) -> bool:
    """Return whether a record is a chat of UniversalNER: a text, and then a question for each type.

    Args:
        record: the record.
    """
    messages = [content_of(turn) for turn in _turns_of(record) if turn.get("role") == "user"]
    return len(messages) > 1 and all(isinstance(m, str) and _QUESTION.fullmatch(m) for m in messages[1:])


def universal_ner(records: list[Any], name: str) -> Exported:
    """Return the text of each chat of UniversalNER, and the mentions that the answers quote.

    Args:
        records: the records.
        name: the name of the file, for messages.

    Raises:
        CleancutError: an answer is no list of names.
    """
    rows: list[Row] = []
    for i, record in enumerate(records):
        turns = _turns_of(record)
        text = str(content_of(turns[0])).removeprefix("Text:").strip()
        entities = []
        for turn, answer in pairwise(turns):
            question = _QUESTION.fullmatch(str(content_of(turn)))
            if question is not None:
                names = _names_in(content_of(answer), f"row {i} ({name})")
                entities += [{"text": words, "label": question["label"]} for words in names]
        rows.append({"text": text, "entities": entities})
    return Exported(rows)


def _names_in(answer: Any, where: str) -> list[str]:
    """Return the names of an answer, which is a list in JSON."""
    try:
        names = json.loads(answer)
    except (ValueError, TypeError):
        names = None
    if not isinstance(names, list) or not all(isinstance(words, str) for words in names):
        raise CleancutError(f'{where}: {quoted(answer)} is not a list of names. Write it as ["Ada"].')
    return names
