"""Where mentions without offsets stand in a text: one optimisation for each sample.

Mentions come in the order of the text unless the answer shows otherwise. Of all placements that keep as many of them as
possible in order, one with the fewest overlaps is taken, and of these the leftmost; what the rightmost places elsewhere
is *ambiguous*. A mention that is not in the text, or more often than it stands there, is *invented*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, NamedTuple

from . import checks
from .answer_records import WORD, Answer, Named, Order, squeezed
from .exceptions import CleancutError, quoted
from .placing import Placing, only_places
from .sample_text import Place, SampleText, normalised


class Group(NamedTuple):
    """Mentions of one name and type that stand somewhere among more places than there are mentions."""

    text: str
    label: str
    n: int
    places: tuple[Place, ...]


class PlacedName(NamedTuple):
    """A name that some words of a run may be: its first part, the part behind its last one, and its places."""

    first: int
    end: int
    places: tuple[Place, ...]


class PlacedRun(NamedTuple):
    """Words that may be one name or several, as a ``Run`` has them, with the places of every name that they may be."""

    label: str
    read_as: tuple[Named, ...]
    """The mentions that they were read as."""
    n_parts: int
    names: tuple[PlacedName, ...]


@dataclass(frozen=True)
class Grounding:
    """Where the mentions of an answer stand.

    >>> grounding = ground(["Ada", "met", "Ada", "."], [("Ada", "PER"), ("Bo", "PER")])
    >>> grounding.spans, grounding.n_invented, grounding.n_ambiguous
    ([{'start': 0, 'end': 1, 'label': 'PER'}], 1, 1)
    """

    spans: list[dict[str, Any]]
    """``{"start", "end", "label"}`` of each mention that stands in the text: tokens, or characters of a text."""
    invented: tuple[Named, ...] = ()
    """Mentions that are not in the text, or not so often."""
    in_order: bool = True
    """Whether the answer keeps the order of the text, as far as it shows."""
    by_order: tuple[Group, ...] = ()
    """Mentions whose place the answer and its order leave open."""
    by_name: tuple[Group, ...] = ()
    """Mentions whose place the answer leaves open if its order tells nothing."""
    runs: tuple[PlacedRun, ...] = ()
    """Words that may be one name or several. Where there are any, the two lists above have all other mentions."""

    @property
    def n_invented(self) -> int:
        """How many mentions are not in the text."""
        return len(self.invented)

    @property
    def ambiguous(self) -> tuple[Named, ...]:
        """The mentions whose place is open, and those that may be one or several, as they are read."""
        groups = (group for group in self.by_order if group.n < len(group.places))
        of_places = [Named(group.text, group.label) for group in groups for _ in range(group.n)]
        return (*of_places, *(mention for run in self.runs for mention in run.read_as))

    @property
    def n_ambiguous(self) -> int:
        """How many mentions the answer gives no certain place, or may be one or several."""
        return len(self.ambiguous)


def ground(tokens: Sequence[str] | str, mentions: Answer | Iterable[Any], *, fuzzy: bool = False) -> Grounding:
    """Find where mentions without offsets stand in a text.

    Names are found exactly, whatever the white space; else without regard to case, quotes, dashes, width and a full
    stop at their end; else as a part of a token, which then counts as a whole; and with ``fuzzy`` also misspelt.

    Args:
        tokens: the tokens of a sample, or its text.
        mentions: an answer, or pairs ``(name, type)``, or dicts with ``text`` and ``label``, in the order of the text.
        fuzzy: may a name also differ in some letters?

    Returns:
        The spans of the mentions, those that are invented, and those whose place is ambiguous.

    >>> ground("The U.N. met in New York.", [("U.N.", "ORG"), ("new york", "LOC")]).spans
    [{'start': 4, 'end': 8, 'label': 'ORG'}, {'start': 16, 'end': 24, 'label': 'LOC'}]
    """
    checks.switch(fuzzy, "fuzzy")
    if isinstance(tokens, str):
        words = [(match.group(), match.start(), match.end()) for match in WORD.finditer(tokens)]
        grounding = _place(SampleText([word for word, _, _ in words], tokens), _answer_of(mentions), fuzzy)
        for span in grounding.spans:
            span["start"], span["end"] = words[span["start"]][1], words[span["end"] - 1][2]
        return grounding
    words_given: list[str] = checks.ordered(tokens, "tokens", "the words of a sample, or its text")
    if set(map(type, words_given)) - {str} and not all(isinstance(word, str) for word in words_given):
        raise CleancutError(f"tokens={quoted(tokens)} are not words. Give the words of a sample, or its text.")
    return _place(SampleText(words_given), _answer_of(mentions), fuzzy)


def with_token_offsets(tokens: Sequence[str], answer: Answer) -> Answer:
    """Return an answer whose mentions have token offsets instead of marks in a text, where the marks tell them.

    Answers that ask for one type each have marked texts of their own. With token offsets they can be joined.

    Args:
        tokens: the words of the sample.
        answer: the answer.

    >>> answer = Answer((Named("Bo", "PER", 4, 6),), marked="Ada Bo")
    >>> with_token_offsets(["Ada", "Bo"], answer).mentions
    (Named(text='Bo', label='PER', start=1, end=2, run=None),)
    """
    if answer.marked is None:
        return answer
    places = _marked_places(SampleText(tokens), answer)
    mentions = []
    for mention, place in zip(answer.mentions, places, strict=True):
        start, end = place if place is not None else (None, None)
        mentions.append(mention._replace(start=start, end=end))
    return answer._replace(mentions=tuple(mentions), marked=None)


def _answer_of(mentions: Any) -> Answer:
    """Return an answer, or mentions that are given as pairs or dicts, as an answer."""
    if isinstance(mentions, Answer):
        return mentions
    named = []
    for i, mention in enumerate(checks.ordered(mentions, "mentions", 'such as [("Ada", "PER")]')):
        if isinstance(mention, Mapping):
            text, label = mention.get("text"), mention.get("label")
        elif isinstance(mention, Sequence) and not isinstance(mention, str) and len(mention) >= 2:
            text, label = mention[0], mention[1]
        else:
            text = label = None
        if not isinstance(text, str) or not isinstance(label, str) or not label:
            raise CleancutError(f'mention {i} is {quoted(mention)}. Give ("Ada", "PER") or {{"text", "label"}}.')
        named.append(Named(text, label))
    return Answer(tuple(named))


def _place(text: SampleText, answer: Answer, fuzzy: bool) -> Grounding:
    """Place the mentions of an answer, and the names that words of it may be if they are read otherwise."""
    grounding = _placed_as_read(text, answer, fuzzy)
    if all(mention.run is None for mention in answer.mentions):
        return grounding
    return _with_runs(grounding, text, answer, fuzzy)


def _with_runs(grounding: Grounding, text: SampleText, answer: Answer, fuzzy: bool) -> Grounding:
    """Return where mentions may stand if words that may be one name or several are read in any way.

    Another way to read them may move other mentions, so that every place of their names is open to these.
    """
    members: dict[int, list[Named]] = {}
    for mention in answer.mentions:
        if mention.run is not None:
            members.setdefault(id(mention.run), []).append(mention)
    others = [mention for mention in answer.mentions if mention.run is None]
    candidates = [Named(name.text, own[0].label) for own in members.values() if own[0].run for name in own[0].run.names]
    choices = _choices(text, answer._replace(mentions=(*others, *candidates)), fuzzy)
    groups: dict[tuple[str, str, tuple[Place, ...]], int] = {}
    for mention, places in zip(others, choices, strict=False):
        if places:
            key = mention.text, mention.label, tuple(places)
            groups[key] = groups.get(key, 0) + 1
    of_others = tuple(Group(name, label, n, places) for (name, label, places), n in groups.items())
    runs = []
    at = len(others)
    for own in members.values():
        run = own[0].run
        assert run is not None
        names = []
        for name in run.names:
            names.append(PlacedName(name.first, name.end, tuple(choices[at])))
            at += 1
        runs.append(PlacedRun(own[0].label, tuple(own), run.n_parts, tuple(names)))
    return replace(grounding, by_order=of_others, by_name=of_others, runs=tuple(runs))


def _placed_as_read(text: SampleText, answer: Answer, fuzzy: bool) -> Grounding:
    """Place the mentions of an answer in the order in which it names them: that of their starts, or of their ends.

    If it keeps neither, the order of its offsets is tried, which may be right where the offsets are not.
    """
    mentions = answer.mentions
    if not mentions:
        return Grounding([])
    choices = _choices(text, answer, fuzzy)
    by_type = answer.order is Order.TYPE
    grounding = _grounded(text.tokens, mentions, choices, by_type)
    if grounding.in_order:
        return grounding
    by_end = _by_end(text.tokens, mentions, choices, by_type)
    if by_end is not None:
        return by_end
    if any(mention.start is None for mention in mentions):
        return grounding
    order = sorted(range(len(mentions)), key=lambda i: (mentions[i].start or 0, -(mentions[i].end or 0)))
    by_offset = _grounded(text.tokens, [mentions[i] for i in order], [choices[i] for i in order], by_type)
    return by_offset if by_offset.in_order else grounding


def _by_end(
    tokens: Sequence[str], mentions: Sequence[Named], choices: Sequence[list[Place]], by_type: bool
) -> Grounding | None:
    """Place mentions in the order of their ends, the mirror image of the order of starts; None if they keep it not.

    Other answers of the same system may be in that order, too, and not show it. So it is not the order of the text,
    by which places are told.
    """

    def mirrored(place: Place) -> Place:
        """Return the place as it is if the tokens are read from the last to the first."""
        return Place(len(tokens) - place.end, len(tokens) - place.start)

    there = [sorted(mirrored(place) for place in places) for places in reversed(choices)]
    image = _grounded([*reversed(tokens)], [*reversed(mentions)], there, by_type)
    if not image.in_order:
        return None
    spans = []
    for span in reversed(image.spans):
        place = mirrored(Place(span["start"], span["end"]))
        spans.append({"start": place.start, "end": place.end, "label": span["label"]})
    by_name = tuple(
        group._replace(places=tuple(sorted(mirrored(place) for place in group.places))) for group in image.by_name
    )
    return Grounding(spans, image.invented[::-1], False, by_name, by_name)


def _grounded(
    tokens: Sequence[str], mentions: Sequence[Named], choices: Sequence[list[Place]], by_type: bool
) -> Grounding:
    """Place mentions in the order in which the answer names them.

    Args:
        tokens: the words of the sample.
        mentions: the mentions of the answer.
        choices: the places at which each mention may be.
        by_type: whether the answer lists its mentions type by type, so that only those of one type are in order.
    """
    if not by_type:
        only = _placed_in_one_way(mentions, choices, len(tokens))
        if only is not None:
            return only
    labels = [mention.label for mention in mentions]
    placing = Placing(tokens, labels, choices, several=by_type)
    chains: dict[str, list[int]] = {}
    for i, label in enumerate(labels):
        name = label if by_type else ""
        chains.setdefault(name, []).append(i)
    # The chain with the least freedom goes first, so that others do not take its places.
    for chain in sorted(chains.values(), key=lambda chain: sum(len(choices[i]) - 1 for i in chain)):
        placing.place(chain)
    placing.place_rest()
    taken = placing.taken
    spans = []
    for place, label in zip(taken, labels, strict=True):
        if place is not None:
            spans.append({"start": place.start, "end": place.end, "label": label})
    invented = tuple(mention for mention, place in zip(mentions, taken, strict=True) if place is None)
    by_name = _groups(mentions, choices, taken, None)
    open_places = placing.open_places() if placing.in_order else None
    by_order = by_name if open_places is None else _groups(mentions, choices, taken, open_places)
    return Grounding(spans, invented, placing.in_order, by_order, by_name)


def _placed_in_one_way(mentions: Sequence[Named], choices: Sequence[list[Place]], n_tokens: int) -> Grounding | None:
    """Place mentions that can keep their order in one way only; None for any others. It is what most answers take."""
    places = only_places(filter(None, choices), n_tokens)
    if places is None:
        return None
    invented: tuple[Named, ...] = ()
    placed: Sequence[Named] = mentions
    if len(places) < len(mentions):
        placed = [mention for mention, there in zip(mentions, choices, strict=True) if there]
        invented = tuple(mention for mention, there in zip(mentions, choices, strict=True) if not there)
    spans = [
        {"start": start, "end": end, "label": label}
        for (start, end), (_, label, _, _, _) in zip(places, placed, strict=True)
    ]
    return Grounding(spans, invented, True, (), _groups_by_name(mentions, choices))


def _groups_by_name(mentions: Sequence[Named], choices: Sequence[list[Place]]) -> tuple[Group, ...]:
    """Return mentions of one name and type that stand at more places than there are mentions, if all are placed."""
    names = [*map(itemgetter(0, 1), mentions)]
    n_named = Counter(names)
    open_to = dict(zip(reversed(names), reversed(choices), strict=True))  # those of the first one
    groups = []
    for (text, label), n in n_named.items():
        there = open_to[text, label]
        if 1 < len(there) > n:
            groups.append(Group(text, label, n, tuple(there)))
    return tuple(groups)


def _choices(text: SampleText, answer: Answer, fuzzy: bool) -> list[list[Place]]:
    """Return the places that each mention may have: the one that the answer gives, else all of its name."""
    if answer.marked is None and all(mention[2] is None for mention in answer.mentions):
        return _choices_by_name(text, answer.mentions, fuzzy)
    given = _given_places(text, answer)
    n_wanted: dict[str, int] = {}
    reserved: set[tuple[Place, str]] = set()
    for i, mention in enumerate(answer.mentions):
        place = given[i]
        if place is not None and (place, mention.label) in reserved:
            place = given[i] = None  # offsets that another mention has: one of them is wrong
        if place is None:
            n_wanted[mention.text] = n_wanted.get(mention.text, 0) + 1
        else:
            reserved.add((place, mention.label))
    places = text.places(n_wanted, fuzzy)
    return _within_reason(answer.mentions, given, places, reserved)


def _within_reason(
    mentions: Sequence[Named],
    given: Sequence[Place | None],
    places: Mapping[str, list[Place]],
    reserved: set[tuple[Place, str]],
) -> list[list[Place]]:
    """Return the place of each mention that is given, else those of its name that are not reserved for others."""
    choices: list[list[Place]] = []
    n_named: dict[tuple[str, str], int] = {}
    for mention, place in zip(mentions, given, strict=True):
        if place is not None:
            choices.append([place])
            continue
        key = mention.text, mention.label
        n_named[key] = n_named.get(key, 0) + 1
        there = places[mention.text]
        if reserved:
            there = [place for place in there if (place, mention.label) not in reserved]
        # A mention that is named far more often than the text has it would only take time.
        if n_named[key] > 2 * len(there):
            there = []
        choices.append(there)
    return choices


def _choices_by_name(text: SampleText, mentions: Sequence[Named], fuzzy: bool) -> list[list[Place]]:
    """Return all places of the name of each mention, where the answer gives none."""
    n_wanted = Counter(map(itemgetter(0), mentions))
    places = text.places(n_wanted, fuzzy)
    if all(n <= 2 * len(there) for n, there in zip(n_wanted.values(), places.values(), strict=True) if there):
        return [places[mention[0]] for mention in mentions]
    return _within_reason(mentions, [None] * len(mentions), places, set())


def _given_places(text: SampleText, answer: Answer) -> list[Place | None]:
    """Return the places that the answer gives: offsets that agree with the text, or marks in the text itself."""
    if answer.marked is None:
        nameless = [mention for mention in answer.mentions if not mention.text.strip()]
        in_letters = bool(nameless) and all(map(text.is_at_words, nameless))
        return [text.place_of(mention, in_letters=in_letters) for mention in answer.mentions]
    return _marked_places(text, answer)


def _marked_places(text: SampleText, answer: Answer) -> list[Place | None]:
    """Return the places of marks: the text around them is that of the sample, or at least as far as the mark."""
    assert answer.marked is not None
    places: list[Place | None] = [None] * len(answer.mentions)
    for line, letters in ((text.exact, squeezed), (text.normal, normalised)):
        said = letters(answer.marked)
        shift = said.find(line.text) if line.text else -1
        whole = shift >= 0
        ends = [end for mention in answer.mentions for end in (mention.start or 0, mention.end or 0)]
        at = _squeezed_offsets(answer.marked, ends, letters)
        for i, mention in enumerate(answer.mentions):
            assert mention.start is not None and mention.end is not None
            start, end = at[mention.start], at[mention.end]
            if not whole:
                # the text differs somewhere: sure is what stands before that place
                shift = 0 if line.text.startswith(said[:end]) else -1
            if shift < 0 or places[i] is not None:
                continue
            first, until = line.starts.get(start - shift), line.ends.get(end - shift)
            if first is not None and until is not None and first < until:
                places[i] = Place(first, until)
        if whole:
            break
    return places


def _squeezed_offsets(text: str, offsets: Iterable[int], letters: Any) -> dict[int, int]:
    """Return where offsets of a text lie in the text without white space."""
    moved: dict[int, int] = {}
    before = at = 0
    for offset in sorted(set(offsets)):
        before += len(letters(text[at:offset]))
        moved[offset] = before
        at = offset
    return moved


def _groups(
    named: Sequence[Named],
    choices: Sequence[list[Place]],
    taken: Sequence[Place | None],
    open_places: Mapping[int, tuple[int, int]] | None,
) -> tuple[Group, ...]:
    """Return mentions of one name and type with the places open to them, where these are more than the mentions.

    ``open_places``: those that the order leaves open; None if it tells nothing, so that every place of a name is.
    """
    members: dict[tuple[str, str], list[int]] = {}
    for i, mention in enumerate(named):
        if taken[i] is not None and len(choices[i]) > 1:
            members.setdefault((mention.text, mention.label), []).append(i)
    groups = []
    for (text, label), own in members.items():
        if open_places is None:
            free = list(choices[own[0]])
            n = len(own)
        else:
            undecided = [i for i in own if i in open_places]
            settled = {taken[i] for i in own if i not in open_places}
            places = choices[own[0]]
            free = [place for at in _union(open_places[i] for i in undecided) if (place := places[at]) not in settled]
            n = len(undecided)
        if 0 < n < len(free):
            groups.append(Group(text, label, n, tuple(free)))
    return tuple(groups)


def _union(ranges: Iterable[tuple[int, int]]) -> list[int]:
    """Return the numbers of some ranges, each once."""
    indices: list[int] = []
    reach = 0
    for low, high in sorted(ranges):
        indices += range(max(low, reach), high)
        reach = max(reach, high)
    return indices
