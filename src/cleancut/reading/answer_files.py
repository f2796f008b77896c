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
"""The names under which rows have their answer, in order of preference."""
_IDS = ("id", "sample_id", "example_id", "uid", "guid")
"""The names under which rows have the id of their sample."""
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
    said: Said
    """The answer, and the type that was asked for."""


def read_answers(
    source: Any,
    gold: Corpus,
    *,
    answers: str = "auto",
    types: Mapping[str, str] | None = None,
    ignore_types: bool | Iterable[str] = False,
    fuzzy: bool = False,
) -> Corpus:
    """Return answers of a language model as predictions for gold samples, each mention where it stands in the text.

    Rows belong to gold samples by their ``id``, else by their order. Several rows of one id, each with its ``type``,
    are answers to one type each.

    Args:
        source: a JSONL file, or a list of rows: texts, or dicts with ``answer`` (or ``response``, ``output``,
            ``completion``, ``prediction``, ``messages``, or ``entities`` of ``{"text", "label"}``).
        gold: the samples that the answers are for.
        answers: the form of the answers: auto, json, by-type, pairs, xml, brackets, code, lines or markers.
        types: other names for types, by those that the answers have (``{"person": "PER"}``).
        ignore_types: whether mentions of types that gold does not have are left out; or the types to leave out.
        fuzzy: whether a name may differ in some letters from the text.

    Returns:
        The text of gold with the mentions of the answers; ``corpus.mentions.answers`` tells what was not understood,
        what is invented, and whose place is open.

    Raises:
        CleancutError: the file cannot be read, or a gold sample has no answer.

    >>> gold = Corpus.of([["Ada", "spoke", "."]], tags=[["B-PER", "O", "O"]])
    >>> pred = read_answers(['Sure: [{"text": "Ada", "label": "per"}, {"text": "Bo", "label": "per"}]'], gold)
    >>> pred.entities(), pred.mentions.answers.invented[0].text
    ([[{'start': 0, 'end': 1, 'label': 'PER'}]], 'Bo')
    """
    checks.instance(gold, Corpus, "gold", "the samples that the answers are for, as a Corpus")
    reading = answer_reading(gold.mentions.labels, answers, types, ignore_types, fuzzy)
    is_file = isinstance(source, str | os.PathLike | Source)
    rows = answer_rows(source) if is_file else list(_given_rows(source))
    return AnswerBook(rows, reading).answers_to(gold)


def answer_reading(
    gold_types: Iterable[str],
    answers: str | None,
    types: Mapping[str, str] | None,
    ignore_types: bool | Iterable[str],
    fuzzy: bool = False,
) -> AnswerReading:
    """Return how answers are read: by the types of gold, and by the names that stand for them.

    Args:
        gold_types: the types of gold.
        answers: the form of the answers, as for ``read_answers``; None for ``auto``.
        types: other names for types, by those that the answers have.
        ignore_types: whether mentions of types that gold does not have are left out; or the types to leave out.
        fuzzy: whether a name may differ in some letters from the text.
    """
    gold_type_of = parse_types(types)
    known_types = [*gold_types, *gold_type_of, *gold_type_of.values()]
    return AnswerReading.of(known_types, answers, fuzzy=fuzzy, ignore_types=ignore_types)


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
    if any(isinstance(row.get(key), list) for key in _SAMPLE_KEYS):
        has_text_answer = bool(answers) and isinstance(answers[0], str)
        return has_text_answer and not isinstance(row.get("entities"), list)
    if not answers:
        return False
    mentions: list[Any] = answers[0] if isinstance(answers[0], list) else []
    with_offsets = [mention for mention in mentions if isinstance(mention, Mapping) and "start" in mention]
    if with_offsets and isinstance(row.get("text"), str):
        return False  # the offsets are for the text of the row
    return all("text" in mention for mention in with_offsets)


def _names_no_mention(row: Any) -> bool:
    """Return whether a row names no mention, so that it may be an answer as well as a sample."""
    return isinstance(row, Mapping) and any(row.get(key) == [] for key in ANSWER_KEYS)


class AnswerBook:
    """All answers of a file, for samples that come in any order or in parts.

    Args:
        rows: the answers.
        reading: how they are read.
    """

    def __init__(self, rows: Sequence[AnswerRow], reading: AnswerReading) -> None:
        self._rows = rows
        self._reading = reading
        self._n_used = 0
        """The number of rows that belong to samples before, where rows have no ids."""
        self._by_id: dict[str, list[AnswerRow]] | None = None
        """The rows of each sample; None where a row has no id."""
        if rows and all(row.id is not None for row in rows):
            self._by_id = {}
            for row in rows:
                self._by_id.setdefault(str(row.id), []).append(row)

    def answers_to(self, gold: Corpus, *, last: bool = True) -> Corpus:
        """Return the predictions for samples.

        Args:
            gold: all samples, or the next part of them.
            last: whether no other part follows.

        Raises:
            CleancutError: a sample has no answer or too many, or answers are left over.
        """
        groups = self._groups(gold, last)
        mentions = answered(gold.tokens(), groups, self._reading, gold.mentions.where)
        return replace(gold, mentions=mentions, relations=None)

    def _groups(self, gold: Corpus, last: bool) -> list[list[Said]]:
        """Return the answers to each sample."""
        if self._by_id is None or gold.ids is None:
            return self._in_order(gold, last)
        for name in gold.ids:
            if name and name not in self._by_id:
                raise CleancutError(f"gold sample {quoted(name)} has no answer. Give one answer for each id.")
        return [self._of_id(name, gold, i) for i, name in enumerate(gold.ids)]

    def _of_id(self, name: str | None, gold: Corpus, i: int) -> list[Said]:
        """Return the answers to a sample by its id."""
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
        """Return the answers to each sample by their order: one, or one for each type asked for."""
        n_per_sample = self._n_per_sample()
        n_wanted = n_per_sample * len(gold)
        rows = self._rows[self._n_used : self._n_used + n_wanted]
        self._n_used += n_wanted
        are_too_few = len(rows) < n_wanted
        if are_too_few or (last and self._n_used < len(self._rows)):
            n_needed = self._n_used if are_too_few else n_wanted
            raise CleancutError(
                f"{n_needed} answers are needed for the gold samples but there are {len(self._rows)}. Give one for "
                "each sample, or give both sides ids."
            )
        groups = []
        for first in range(0, len(rows), n_per_sample):
            groups.append([row.said for row in rows[first : first + n_per_sample]])
        return groups

    def _n_per_sample(self) -> int:
        """Return how many rows a sample has: as many as come before a type comes again."""
        types: set[str] = set()
        for row in self._rows:
            if row.said.label is None or row.said.label in types:
                break
            types.add(row.said.label)
        return max(len(types), 1)


# --- rows ---------------------------------------------------------------------------------------------


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


def _given_rows(rows: Iterable[Any]) -> Iterator[AnswerRow]:
    """Yield the answers of a list of texts or dicts."""
    answers: list[Any] = checks.ordered(rows, "the answers", "a file, or a list of answers")
    for i, row in enumerate(answers):
        if isinstance(row, Mapping):
            yield _row(row, f"answer {i}")
        else:
            yield AnswerRow(f"answer {i}", None, Said(row))


def _row(record: Mapping[str, Any], place: str) -> AnswerRow:
    """Return the answer that a record holds; raise an error where it holds none."""
    key = next((key for key in ANSWER_KEYS if key in record), None)
    if key is None:
        raise CleancutError(
            f'{place}: no answer among {", ".join(map(repr, record)) or "no columns"}. Give it as "answer".'
        )
    sample_id = next((str(record[name]) for name in _IDS if record.get(name) is not None), None)
    label = next((record[name] for name in _TYPES if isinstance(record.get(name), str)), None)
    return AnswerRow(place, sample_id, Said(_answer_in(record[key]), label))


def _answer_in(value: Any) -> Any:
    """Return the answer itself: the last message of a chat, the first of several responses."""
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


def _content(content: Any) -> Any:
    """Return the content of a message as text."""
    return content if content is None or isinstance(content, str) else json.dumps(content)
