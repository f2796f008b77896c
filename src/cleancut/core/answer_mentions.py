"""Answers of language models as mentions of the samples that they are for, with a report of how they were read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from . import checks
from .answer_records import Answer, KnownTypes, Named, Order, Style
from .answer_report import LISTS, AnswerReport, Claim, OfSample, Open, OpenName, OpenRun, Unparsed
from .answers import parse_answer
from .corpus import Mentions
from .exceptions import parse_choice
from .grounding import Grounding, ground, with_token_offsets
from .inputs import Interner, in_sample
from .tags import Where


class Said(NamedTuple):
    """An answer to a sample; ``label`` is the type that was asked for, where it was one."""

    answer: Any
    label: str | None = None


class AnswerReading(NamedTuple):
    """How answers are read and placed."""

    types: KnownTypes
    """The types that gold has."""
    style: Style = Style.AUTO
    fuzzy: bool = False
    """Whether a name may differ from the text in some letters."""
    ignored: frozenset[str] | None = frozenset()
    """Types whose mentions are left out; None for all that gold does not have."""

    @classmethod
    def of(
        cls,
        types: Iterable[str],
        style: str | None = None,
        *,
        fuzzy: bool = False,
        ignore_types: bool | Iterable[str] = False,
    ) -> AnswerReading:
        """Return how to read answers, from what a user gives."""
        if isinstance(ignore_types, bool):
            ignored: frozenset[str] | None = None if ignore_types else frozenset()
        else:
            wanted = "True, or names of types"
            names = list(ignore_types) if isinstance(ignore_types, set | frozenset) else ignore_types
            ignored = frozenset(name.casefold() for name in checks.names(names, "ignore_types", wanted))
        chosen = Style.AUTO if style is None else parse_choice(Style, style, "answers")
        return cls(KnownTypes(types), chosen, checks.switch(fuzzy, "fuzzy"), ignored)

    @property
    def how(self) -> str:
        """The form asked for and how loosely names are looked for, as the signature has it."""
        ignored = "" if self.ignored == frozenset() else "-ignoring"
        return f"{self.style}{'-fuzzy' if self.fuzzy else ''}{ignored}"

    def is_ignored(self, label: str) -> bool:
        """Return whether mentions of this type, which gold does not have, are left out."""
        return self.ignored is None or label.casefold() in self.ignored


def answered(
    tokens: Sequence[Sequence[str]], said: Sequence[Sequence[Said]], reading: AnswerReading, where: Where | None = None
) -> Mentions:
    """Return the mentions that answers name, where they stand in their samples.

    Args:
        tokens: the tokens of each sample.
        said: the answers to each sample: one, or one for each type that was asked for.
        reading: the types that there are, and how answers are read.
        where: names the place that a sample came from.

    Returns:
        Mentions with a report: what was not understood, what is invented, whose place is open.

    >>> mentions = answered([["Ada", "spoke"]], [[Said('[["Ada", "per"], ["Bo", "PER"]]')]], AnswerReading.of(["PER"]))
    >>> mentions.spans(), len(mentions.answers.invented)
    ([[{'start': 0, 'end': 1, 'label': 'PER'}]], 1)
    """
    collected = _Collected(reading)
    for sample, (words, answers) in enumerate(zip(tokens, said, strict=True)):
        collected.add(sample, words, answers)
    lengths = np.array([len(words) for words in tokens], np.int64)
    spans = np.array(collected.spans, np.int64).reshape(-1, 4)
    labels = tuple(collected.labels)
    place = where or in_sample("predicted")
    mentions = Mentions.of_columns(
        spans[:, 0], spans[:, 1], spans[:, 2], spans[:, 3], labels, len(tokens), lengths, place
    )
    return collected.with_report(mentions)


class _Collected:
    """What answers say, sample by sample."""

    def __init__(self, reading: AnswerReading) -> None:
        self._reading = reading
        self.labels = Interner()
        self.spans: list[tuple[int, int, int, int]] = []
        self._lists: dict[str, list[Any]] = {name: [] for name in LISTS}

    def add(self, sample: int, tokens: Sequence[str], said: Sequence[Said]) -> None:
        """Read and place the answers to a sample."""
        answer = self._parsed(sample, tokens, said)
        if answer.unparsed is not None:
            self._lists["unparsed"].append(Unparsed(sample, answer.unparsed))
        self._lists["unread"] += [OfSample(sample)] * answer.n_unread
        if not answer.mentions:
            if answer.unparsed is None:
                self._lists["empty"].append(OfSample(sample))
            return
        self._place(sample, ground(tokens, self._named(sample, answer), fuzzy=self._reading.fuzzy))

    def _parsed(self, sample: int, tokens: Sequence[str], said: Sequence[Said]) -> Answer:
        """Return the answer to a sample; those to one type each are put together."""
        types, style = self._reading.types, self._reading.style
        parsed = [parse_answer(one.answer, style, types=types, label=one.label, tokens=tokens) for one in said]
        if len(parsed) == 1:
            return parsed[0]
        placed = [with_token_offsets(tokens, answer) for answer in parsed]
        mentions = tuple(mention for answer in placed for mention in answer.mentions)
        reasons = [answer.unparsed for answer in parsed if answer.unparsed is not None]
        n_unread = sum(answer.n_unread for answer in parsed)
        reason = reasons[0] if reasons else None
        return Answer(mentions, order=Order.TYPE, unparsed=reason, n_unread=n_unread)

    def _named(self, sample: int, answer: Answer) -> Answer:
        """Return an answer with the types that gold has, without those that are to be left out."""
        find = self._reading.types.find
        if all(find(mention.label) == mention.label for mention in answer.mentions):
            return answer  # as most answers are
        kept = []
        for mention in answer.mentions:
            label = self._reading.types.find(mention.label)
            if label is None and self._reading.is_ignored(mention.label):
                self._lists["ignored"].append(Claim(sample, mention.text, mention.label))
            else:
                kept.append(mention._replace(label=label or mention.label.strip()))
        return answer._replace(mentions=tuple(kept))

    def _place(self, sample: int, grounding: Grounding) -> None:
        """Keep where the mentions of a sample stand, and what its answer leaves open."""
        for span in grounding.spans:
            self.spans.append((sample, span["start"], span["end"], self.labels[span["label"]]))
        if not grounding.in_order:
            self._lists["out_of_order"].append(OfSample(sample))
        for name in ("invented", "ambiguous"):
            mentions: tuple[Named, ...] = getattr(grounding, name)
            claims = (Claim(sample, one.text, one.label, one.run and one.run.text) for one in mentions)
            self._lists[name].extend(claims)
        for name in ("by_order", "by_name"):
            groups = (
                Open(sample, group.label, group.n, tuple((place.start, place.end) for place in group.places))
                for group in getattr(grounding, name)
            )
            self._lists[name].extend(groups)
        for run in grounding.runs:
            names = (
                OpenName(one.first, one.end, tuple((start, end) for start, end in one.places)) for one in run.names
            )
            self._lists["runs"].append(OpenRun(sample, run.label, len(run.read_as), run.n_parts, tuple(names)))

    def with_report(self, mentions: Mentions) -> Mentions:
        """Return the mentions with what is to be known of the answers."""
        entries = {name: tuple(entries_of_name) for name, entries_of_name in self._lists.items()}
        return replace(mentions, answers=AnswerReport(self._reading.how, mentions.n_samples, **entries))
