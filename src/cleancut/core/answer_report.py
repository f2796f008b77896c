"""What answers of language models say beside the mentions that stand in the text, sample by sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar


class Unparsed(NamedTuple):
    """An answer that was not understood."""

    sample: int
    reason: str


class OfSample(NamedTuple):
    """A sample of which something is to be counted."""

    sample: int


class Claim(NamedTuple):
    """A mention as an answer names it."""

    sample: int
    text: str
    label: str
    run: str | None = None
    """The words that it was read from, where they may be one name or several."""


_Places = tuple[tuple[int, int], ...]
"""Places in the text, (start, end)."""


class Open(NamedTuple):
    """Mentions of one name and type that stand somewhere among some places: more than there are mentions, as a rule."""

    sample: int
    label: str
    n: int
    places: _Places


class OpenName(NamedTuple):
    """A name that some words of a run may be: its first part, the part behind its last one, and its places."""

    first: int
    end: int
    places: _Places


class OpenRun(NamedTuple):
    """Words that may be one name or several: how many they were read as, and every name that they may be.

    A way to read them is a row of names, each of which begins where the one before it ends, from the first part of the
    run to its last one.
    """

    sample: int
    label: str
    n: int
    n_parts: int
    names: tuple[OpenName, ...]


_Entry = TypeVar("_Entry", Unparsed, OfSample, Claim, Open, OpenRun)


@dataclass(frozen=True)
class AnswerReport:
    """How answers were read and placed: what was not understood, what is invented, whose place is open."""

    how: str
    """The form that was asked for, and how loosely names were looked for, as the signature has it."""
    n_samples: int
    unparsed: tuple[Unparsed, ...] = ()
    unread: tuple[OfSample, ...] = ()
    """Items that were not understood, each with its sample, of answers that were understood otherwise."""
    empty: tuple[OfSample, ...] = ()
    """Answers that name no mention."""
    out_of_order: tuple[OfSample, ...] = ()
    """Answers that do not keep the order of the text."""
    invented: tuple[Claim, ...] = ()
    """Mentions that are not in the text, or not so often."""
    ambiguous: tuple[Claim, ...] = ()
    """Mentions whose place an answer leaves open, or which it may mean as one name or several."""
    by_order: tuple[Open, ...] = ()
    """The same with their places, if mentions keep the order of the text."""
    by_name: tuple[Open, ...] = ()
    """Mentions whose place is open if the order tells nothing."""
    runs: tuple[OpenRun, ...] = ()
    """Words that may be one name or several. In their samples the two lists above have all other mentions."""
    ignored: tuple[Claim, ...] = ()
    """Mentions of types that gold does not have, which were left out on demand."""

    def select(self, samples: Sequence[int]) -> AnswerReport:
        """Return the report of some samples, in the order asked for."""
        places: dict[int, list[int]] = {}
        for new, old in enumerate(samples):
            places.setdefault(int(old), []).append(new)
        moved: dict[str, Any] = {name: _moved(getattr(self, name), places) for name in LISTS}
        return replace(self, n_samples=len(samples), **moved)

    def renamed(self, types: Mapping[str, str]) -> AnswerReport:
        """Return the report with other names of types."""
        changed: dict[str, Any] = {}
        for name in ("invented", "ambiguous", "by_order", "by_name", "runs", "ignored"):
            entries = getattr(self, name)
            changed[name] = tuple(entry._replace(label=types.get(entry.label, entry.label)) for entry in entries)
        return replace(self, **changed)

    @classmethod
    def concatenate(cls, reports: Sequence[AnswerReport]) -> AnswerReport:
        """Return the report of several lists of samples, one after the other."""
        joined: dict[str, list[Any]] = {name: [] for name in LISTS}
        first = 0
        for report in reports:
            for name in LISTS:
                joined[name] += [entry._replace(sample=entry.sample + first) for entry in getattr(report, name)]
            first += report.n_samples
        how = "+".join(dict.fromkeys(report.how for report in reports))
        return cls(how, first, **{name: tuple(entries) for name, entries in joined.items()})

    def invented_types(self) -> Counter[str]:
        """Return how many mentions of each type are invented."""
        return Counter(claim.label for claim in self.invented)


LISTS = (
    "unparsed", "unread", "empty", "out_of_order", "invented", "ambiguous", "by_order", "by_name", "runs", "ignored",
)  # fmt: skip
"""The lists of a report."""


def _moved(entries: Iterable[_Entry], places: Mapping[int, list[int]]) -> tuple[_Entry, ...]:
    """Return entries with the new numbers of their samples, given by the old ones, in the order of the new ones."""
    renumbered = [entry._replace(sample=new) for entry in entries for new in places.get(entry.sample, ())]
    return tuple(sorted(renumbered, key=lambda entry: entry.sample))
