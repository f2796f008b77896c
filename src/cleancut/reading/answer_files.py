"""Files and lists with answers of language models: one for each sample, or one for each sample and type."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..core import checks
from ..core.answer_mentions import AnswerReading, Said, answered
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, quoted
from ..core.type_names import parse_types
from .answer_rows import AnswerRow, answer_rows, given_rows
from .opening import Source


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
    rows = answer_rows(source) if is_file else given_rows(source)
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
        return replace(gold, mentions=mentions, relations=None, entity_ids=None)

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
        if len(rows) > 1 and len({row.label for row in rows}) < len(rows):
            raise CleancutError(
                f"{rows[1].place}: the second answer to sample {quoted(name)}. Give one for each sample, or each type."
            )
        return [Said(row.answer, row.label) for row in rows]

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
            groups.append([Said(row.answer, row.label) for row in rows[first : first + n_per_sample]])
        return groups

    def _n_per_sample(self) -> int:
        """Return how many rows a sample has: as many as come before a type comes again."""
        types: set[str] = set()
        for row in self._rows:
            if row.label is None or row.label in types:
                break
            types.add(row.label)
        return max(len(types), 1)
