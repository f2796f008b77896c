"""The splitter, which makes plans whose splits share as few entities as possible."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from itertools import combinations, count
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np
from numpy.typing import NDArray

from ..core.corpus import Corpus
from ..core.entities import Key, Shared, shared_codes
from ..core.exceptions import CleancutError, parse_choice
from ..core.names import Links
from ..core.same import PART_LIMIT, Notion, Same
from ..core.vocabulary import mixed
from ..reading.dataset import Samples, columns_in, given_samples, notes_of, own_numbers
from ..reading.progress import work_shown
from .audit import Pair, Unit
from .components import group_sizes
from .incidence import Incidences
from .layout import DISCARDED, Layout, Limits
from .patience import patience
from .plan import SplitPlan
from .quotas import RATIO_TOLERANCE, Rule, deal
from .relatedness import Relatedness
from .settings import (
    AUTO,
    RATIOS,
    Effort,
    Engine,
    Method,
    SplitSettings,
    Templates,
    seconds_of,
    takes_split_options,
)
from .strata import Strata

if TYPE_CHECKING:
    from .cutting import Cut


@takes_split_options()
def mincut(
    data: Any,
    ratios: Any = RATIOS,
    *,
    stratify: Any = None,
    aliases: Any = None,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> SplitPlan:
    """Split samples so that train, validation and test share as few entities as possible.

    The method follows Babl et al., Section 3.3, but gives labels to entities instead of documents. A sample whose
    entities all have one label goes to that split. A sample whose entities have several labels is *mixed*: it goes to
    the last split it touches, or is discarded. With ``discard="auto"`` all mixed samples are discarded, so that no two
    splits share an entity. Samples without entities are dealt in proportion.

    ``representative`` keeps the entities per sample of each held-out split between R and 2 - R times those of the
    corpus, and ``min_per_type`` sets a minimum of mentions for each type. ``type_share=0.8`` keeps 0.8 of the fair
    number of mentions of each type, and so 0.8 of the corpus's mix of types (1 - total variation distance). With
    ``key="pair"`` or ``"triple"``, the surfaces of the two ends of a relation, or these and its label, must not be
    shared.

    The same set of samples and the same seed give the same plan, in any order of rows.

    Args:
        data: a corpus, a dataset, or the splits of either by name, which are joined; or ``Incidences``, which are a
            corpus without its text. The plan assigns what was given: for a dataset whose rows are documents of
            several sentences (``unit="doc"``) or single tokens, it assigns rows.
        ratios: the parts of the splits: ``"80/10/10"``, ``(80, 20)``, ``{"train": 80, "test": 20}``; or
            ``"original"`` for those of the splits that are given.
        stratify: a column, a value for each sample, or ``{name: values}``; the ratios then hold within each value.
        aliases: lists of names that mean the same, for ``same="alias"``.
        progress: called with the share of the work done since it was called last; without it, a bar is shown on a
            terminal.
        **options: the options that are listed below; and the columns of a dataset to read (``tokens=``, ``tags=``,
            ``entities=``, ``text=``, ``labels=``, ``scheme=``, ``document=``, ``end=``), where they are not
            recognised.

    Returns:
        The plan. Its notes say what could not be met.

    Raises:
        CleancutError: there are no samples, or an option is not valid or has no effect.
        TypeError: an option is unknown.

    >>> samples = [[name, "spoke"] for name in ("Ada", "Bo", "Cy", "Di") for _ in range(5)]
    >>> corpus = Corpus.of(samples, tags=[["B-PER", "O"]] * 20)
    >>> plan = mincut(corpus, ratios=(50, 25, 25))
    >>> plan.sizes, plan.guarantee
    ({'train': 10, 'validation': 5, 'test': 5}, 'no entity is shared between any two splits')
    """
    columns = columns_in(options)
    notion = Same.of(
        options.pop("same", Notion.EXACT.value), aliases=aliases, part_limit=options.get("part_limit", PART_LIMIT)
    )
    options |= {} if notion.is_exact else {"same": notion, "part_limit": notion.part_limit}
    settings = SplitSettings.of("mincut", {"ratios": ratios, "stratify": Strata.name_of(stratify), **options})
    given = {} if isinstance(data, Incidences) else _with_own_numbers(given_samples(data, columns))
    incidences, originals = _incidences(data, given, settings, notion)
    names, shares = settings.shares(originals)
    layout = Layout(incidences, Strata.of(stratify, given, len(incidences)))
    limits = Limits(shares, settings.representative, settings.min_per_type, settings.type_share)
    with patience() as current, work_shown("cutting", progress) as report:
        outcome = _assigned(layout, limits, settings, report)
    stopped = ["The search was stopped before its end; this is the best split that it had found."] * current.was_stopped
    relatedness = None
    if given:
        corpora = {name: samples.corpus for name, samples in given.items()}
        relatedness = Relatedness(corpora, settings.entity_key, notion)
        if settings.discard == AUTO:
            searched = outcome.split_of_sample
            kept = relatedness.without_late_relatives(searched, len(names), layout.unit_of_sample)
            # What is discarded for its relatives is no part of a proof.
            outcome = outcome._replace(split_of_sample=kept, proven=outcome.proven and np.array_equal(kept, searched))
    plan = _plan(layout, originals, names, outcome, limits, settings, relatedness)
    return replace(
        plan.of_rows(list(given.values())),
        notes=[*stopped, *plan.notes, *notes_of(given)],
        read_as=read_as(given, columns),
        source=source_of(given),
    )


def _incidences(
    data: Any, given: Mapping[str, Samples], settings: SplitSettings, same: Same
) -> tuple[Incidences, dict[str, Corpus | Incidences]]:
    """Return the incidences of the data, and the splits that were given by name.

    Raises:
        CleancutError: an option has no effect on incidences, rows are documents that would be torn, or there are no
            samples.
    """
    if isinstance(data, Incidences):
        fixed = ("unit", "case", "typed", "same", "part_limit", "templates", "duplicates_together")
        if any(name in settings.changed() for name in fixed):
            raise CleancutError(
                f"{', '.join(fixed[:-1])} and {fixed[-1]} have no effect on incidences, which hold the entities "
                "already. Leave them out."
            )
        if settings.key is not Shared.ENTITY:
            raise CleancutError(f"key='{settings.key}': incidences are of entities. Give the corpus.")
        if settings.stratify is not None:
            raise CleancutError("stratify: incidences have no columns to stratify by. Give the corpus.")
        return data, {"": data}
    if settings.unit is not Unit.DOC and any(samples.holds_documents for samples in given.values()):
        raise CleancutError("the rows are documents of several sentences, which stay whole. Give unit='doc'.")
    originals = {name: samples.corpus for name, samples in given.items()}
    corpus = Corpus.concatenate(list(originals.values()))
    if not len(corpus):
        raise CleancutError("there are no samples to split.")
    incidences = Incidences.of(
        corpus,
        key=settings.entity_key,
        unit=settings.unit,
        duplicates_together=settings.duplicates_together,
        what=settings.key,
        same=same,
        templates_together=settings.templates is Templates.TOGETHER,
    )
    return incidences, dict(originals)


def _best_in_time(
    attempt: Callable[[int, int, Callable[[float], None] | None], Cut],
    rank: Callable[[Cut], tuple[int, int]],
    seconds: float,
    seed: int,
    progress: Callable[[float], None] | None,
) -> Cut:
    """Return the best of as many searches as there is time for, each with more moves than the one before.

    Args:
        attempt: a search, of a number of moves, a seed and a function that is told of its progress.
        rank: how good an outcome is; less is better, and zeros cannot be beaten.
        seconds: the time.
        seed: the seed of the first search.
        progress: called with the share of the time that has passed since it was called last.
    """
    with patience(seconds) as time_left:
        best = attempt(0, seed, None)
        moves, reported = _FIRST_MOVES, 0.0
        for nth in count(1):
            if progress is not None:
                progress(time_left.spent - reported)
                reported = time_left.spent
            if time_left.is_over or not any(rank(best)):
                break
            began = time_left.left
            other = attempt(moves, (seed + 7919 * nth) % 2**31, None)
            best = min(best, other, key=rank)
            faster = min(2.0, 0.9 * max(time_left.left, 0) / max(began - time_left.left, 1e-3))
            moves = min(int(moves * faster), _MOST_MOVES)  # tiny searches do not use them, and take no time
            if moves < _FIRST_MOVES:
                break
    if progress is not None:
        progress(1.0 - reported)
    return best


_FIRST_MOVES = 250_000
"""The number of moves of the first search in a given time after the fast one, and the least that is worth a search."""
_MOST_MOVES = 10**12
"""The largest number of moves that a search is asked for."""


def _rank(layout: Layout, limits: Limits, outcome: Cut) -> tuple[int, int]:
    """Return how many requirements splits miss, and how many samples they discard or share with train."""
    names = tuple(f"split-{i}" for i in range(len(limits.shares)))
    _, missed = _representation(layout.corpus, names, outcome.split_of_sample, limits)
    n_contaminated = sum(
        row["n_partial"]
        for (_, other), row in layout.leakage(names, outcome.split_of_sample).items()
        if other == names[0]
    )
    return len(missed), int((outcome.split_of_sample == DISCARDED).sum()) + n_contaminated


def _assigned(layout: Layout, limits: Limits, settings: SplitSettings, progress: Callable[[float], None] | None) -> Cut:
    """Return the split of each sample, and a word that says how it was found."""
    from . import engines  # numba, which is imported with it, takes a while
    from .cutting import Cut, cut

    method = settings.method
    seed = settings.seed
    match method:
        case Method.MINCUT | Method.COMPONENTS:
            engine = settings.engine.value if method is Method.MINCUT else "none"

            def attempt(moves: int, seed: int, progress: Callable[[float], None] | None) -> Cut:
                """Return what comes of a search with so many moves."""
                return cut(layout, limits, seed, engine, moves, settings.most_discarded, progress, settings.prove)

            seconds = seconds_of(settings.effort)
            if seconds is not None:
                return _best_in_time(attempt, partial(_rank, layout, limits), seconds, seed, progress)
            return attempt(_proposals(Effort(settings.effort), layout), seed, progress)
        case Method.RANDOM:
            mixed_seed = np.uint64(mixed(np.array([seed], np.uint64))[0])
            order = np.argsort(mixed(layout.unit_hash ^ mixed_seed))
            quotas = limits.shares * len(layout.corpus)
            return Cut(deal(layout.unit_size, order, quotas, Rule.IN_TURN)[layout.unit_of_sample], method.value)
        case Method.PAPER | Method.PAPER_UNWEIGHTED:
            weighted = method is Method.PAPER
            of_bearing = engines.metis_graph_split(layout.problem(limits), limits.shares, seed, weighted)
            return Cut(layout.with_entity_less(of_bearing, limits, seed), method.value)
        case _:
            assert_never(method)


def _proof_in_words(proven: bool, settings: SplitSettings) -> list[str]:
    """Return a note that says whether a proof was found, where one was asked for."""
    if settings.prove is None:
        return []
    if proven:
        return ["It is proven that no split that meets the requirements as well as this one discards fewer samples."]
    return [f"Within {settings.prove:g} s it was not proven that no split discards fewer samples."]


def _missing_packages(how: str, settings: SplitSettings) -> list[str]:
    """Return a note for each optional package that would have made the cut better and is not installed."""
    from . import engines, kernels

    notes = []
    if not kernels.HAS_NUMBA:
        notes.append("numba is not installed: the cut was polished less than it could be.")
    if how.startswith("cut") and settings.engine in (Engine.AUTO, Engine.METIS) and not engines.has_metis():
        notes.append("pymetis is not installed: the cut was made without METIS.")
    return notes


def read_as(
    parts: Mapping[str, Samples], options: Mapping[str, Any] | None = None, *, joined: bool = False
) -> dict[str, Any]:
    """Return what it takes to read the rows of datasets as samples again, as ``SplitPlan.read_as`` keeps it.

    Args:
        parts: the samples by split; those of a corpus need nothing.
        options: the columns that were asked for, by option.
        joined: whether ``join_at`` was applied to the samples.
    """
    reading = {name: value for name, value in (options or {}).items() if value is not None}
    shapes = [part.shape for part in parts.values() if part.shape is not None]
    columns = list(dict.fromkeys(name for shape in shapes for name in shape.columns))
    if columns:
        reading["columns"] = columns
    if joined:
        reading["join_at"] = True
    return reading


def source_of(parts: Mapping[str, Samples]) -> dict[str, str | None]:
    """Return where the samples are on the Hub, as ``SplitPlan.source`` keeps it; empty for local ones."""
    sources = {part.source for part in parts.values()}
    source = sources.pop() if len(sources) == 1 else None
    return {} if source is None else asdict(source)


def _with_own_numbers(given: Mapping[str, Samples]) -> dict[str, Samples]:
    """Return the splits with ids of documents that are mere numbers made different in each split."""
    if len(given) < 2:
        return dict(given)
    return {name: replace(samples, corpus=own_numbers(name, samples.corpus)) for name, samples in given.items()}


def _proposals(effort: Effort, layout: Layout) -> int:
    """Return how many moves to try: fewer on large corpora, where each costs more."""
    match effort:
        case Effort.FAST:
            return 0
        case Effort.AUTO:
            n_units = len(layout.unit_size)
            return int(min(5_000_000 + 6_000 * n_units, 60_000_000) * min(1.0, 40_000 / n_units) ** 0.5)
        case Effort.BEST:
            return 100_000_000
        case _:
            assert_never(effort)


def component_sizes(
    data: Any, *, key: str = "entity", case: bool = True, typed: bool = True, same: str | Same = "exact"
) -> dict[int, int]:
    """Count the groups of samples that are connected by shared entities, by the size of the group.

    Only whole groups can be separated without discarding samples, so that one large group means that a split has to
    share entities or to discard samples.

    Args:
        data: a corpus, a dataset, or the splits of either by name.
        key: what counts as shared: ``entity``; or, for samples with relations, ``pair`` or ``triple``.
        case: whether words that differ in case make different entities.
        typed: whether the type belongs to the entity.
        same: which names count as the same, such as ``fold+part``.

    Returns:
        The number of groups of each size, the smallest size first. Samples without entities are in no group.

    >>> tags = [["B-P"], ["B-P", "B-P"], ["B-P"], ["O"]]
    >>> component_sizes(Corpus.of([["Ada"], ["Ada", "Bo"], ["Cy"], ["so"]], tags=tags))
    {1: 1, 2: 1}
    """
    corpus = Corpus.concatenate([samples.corpus for samples in given_samples(data).values()])
    notion = Same.of(same)
    if notion.is_exact:
        codes = shared_codes(corpus, Key.of(case, typed), parse_choice(Shared, key, "key"))
    else:
        links = Links.of([corpus], Key.of(case, typed), notion)
        mention = np.append(np.arange(len(corpus.mentions)), links.mention[0])
        codes = corpus.mentions.sample[mention], np.append(links.entity[0], links.code[0].astype(np.int32))
    sizes, n = np.unique(group_sizes(*codes), return_counts=True)
    return dict(zip(sizes.tolist(), n.tolist(), strict=True))


# --- what came of it ----------------------------------------------------------------------------------------


def _plan(
    layout: Layout,
    originals: Mapping[str, Any],
    names: tuple[str, ...],
    outcome: Cut,
    limits: Limits,
    settings: SplitSettings,
    relatedness: Relatedness | None,
) -> SplitPlan:
    """Return the plan of an assignment, with its leakage, its representation and its notes.

    Args:
        layout: the units of the corpus.
        originals: the splits that were given.
        names: the names of the new splits.
        outcome: the new split of each sample, and how it was found.
        limits: the requirements that the splits should meet.
        settings: the options of the split.
        relatedness: what relates the names of the corpus; None where only incidences are known.
    """
    assignment, how, proven = outcome
    original = np.repeat(np.arange(len(originals)), [len(part) for part in originals.values()])
    leakage = layout.leakage
    related: dict[str, Any] = {}
    if relatedness is not None:
        before_names = tuple(originals) if len(originals) > 1 else ()
        related = {
            "before": relatedness.left(before_names, original),
            "after": relatedness.left(names, assignment),
        }
        if not relatedness.same.is_exact:
            leakage = relatedness.leakage
    after = leakage(names, assignment)  # counted anew from the mentions, as a check of the solver
    before = leakage(tuple(originals), original) if len(originals) > 1 else {}
    representation, missed = _representation(layout.corpus, names, assignment, limits)
    lengths = _lengths(originals)
    if lengths is not None:
        for i, name in enumerate(names):
            representation[name]["tokens_per_sample_ratio"] = _ratio(lengths[assignment == i], lengths)
    if layout.strata.name:
        sizes = layout.strata.sizes(assignment, len(names)).tolist()
        for name, row in zip(names, sizes, strict=True):
            representation[name]["strata"] = dict(zip(layout.strata.values, row, strict=True))
        missed += layout.strata.missed(names, assignment, limits.shares)
    guarantee = _guarantee(after, names)
    if relatedness is not None and guarantee == NOTHING_SHARED:
        relatedness.refuse_related(names, assignment)
    # Where nothing is shared and nothing discarded, no proof is needed.
    proven = proven or bool(guarantee == NOTHING_SHARED and not (assignment == DISCARDED).any())
    notes = [*_proof_in_words(proven, settings), *_missing_packages(how, settings)]
    if guarantee != NOTHING_SHARED:
        notes.append(layout.largest_group())
    left_out = ("unit", "key") if layout.corpus.path else ()  # a file does not say what its entities are
    signature = settings.signature("split", originals, {"platform": platform.machine()}, left_out)
    return SplitPlan(
        names,
        assignment.astype(np.int8),
        leakage={"before": before, "after": after},
        representation=representation,
        guarantee=guarantee.replace("entity", _NOUNS[layout.corpus.what]) + _under(settings),
        how=how,
        proven=proven,
        notes=notes + missed,
        settings=settings,
        signature=str(signature),
        fingerprint=layout.fingerprint,
        original_sizes={name: len(part) for name, part in originals.items()},
        order=layout.order,
        marks=layout.marks,
        related=related,
    )


def _lengths(originals: Mapping[str, Any]) -> NDArray[np.int64] | None:
    """Return the number of tokens of each sample; None for incidences, which have none."""
    parts = [part.lengths for part in originals.values() if isinstance(part, Corpus)]
    return np.concatenate(parts) if parts else None


_NOUNS = {Shared.ENTITY: "entity", Shared.PAIR: "pair of entities", Shared.TRIPLE: "triple"}
"""The singular of what must not be shared, for sentences."""


def _under(settings: SplitSettings) -> str:
    """Return the end of a guarantee: the notion of the same name that it is for, where it is not ``exact``."""
    return "" if settings.same == Notion.EXACT else f" (same: {settings.same})"


NOTHING_SHARED = "no entity is shared between any two splits"
"""The guarantee of a plan whose splits share nothing."""


def _guarantee(after: Mapping[Pair, Mapping[str, Any]], names: tuple[str, ...]) -> str:
    """Return a sentence that says how many samples of every two splits share an entity, in both directions."""
    pairs = list(combinations(names, 2))
    parts = []
    for earlier, later in pairs:
        of_later = after[later, earlier]
        of_earlier = after[earlier, later]
        if of_later["n_partial"]:
            parts.append(
                f"{of_later['n_partial']} of {of_later['n_samples']} {later} samples share an entity with {earlier}, "
                f"and {of_earlier['n_partial']} of {of_earlier['n_samples']} {earlier} samples with {later}"
            )
    if not parts:
        return NOTHING_SHARED
    if len(parts) < len(pairs):
        parts.append("no other two splits share an entity")
    return "; ".join(parts)


def _representation(
    corpus: Incidences, names: tuple[str, ...], assignment: NDArray[np.int64], limits: Limits
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return how each split compares with the corpus, and a note for each requirement that is missed."""
    n_types = len(corpus.labels)
    totals = np.bincount(corpus.label, minlength=n_types)
    minimum = limits.type_minimum(totals)
    in_sample = np.bincount(corpus.sample, minlength=len(corpus))
    split_of_mention = assignment[corpus.sample]
    n_kept = max((assignment != DISCARDED).sum(), 1)
    representation: dict[str, dict[str, Any]] = {}
    notes = []
    for i, name in enumerate(names):
        is_held_out = i > 0 and limits.shares[i] > 0
        mentions_of_split = in_sample[assignment == i]
        counts = np.bincount(corpus.label[split_of_mention == i], minlength=n_types)
        below = [corpus.labels[t] for t in np.flatnonzero(counts < minimum)] if is_held_out else []
        representation[name] = {
            "entities_per_sample_ratio": _ratio(mentions_of_split, in_sample),
            "entity_bearing_ratio": _ratio(mentions_of_split > 0, in_sample > 0),
            "min_type_count": int(counts.min(initial=len(corpus.sample))) if n_types else 0,
            "types_below_min": below,
            "type_counts": dict(zip(corpus.labels, counts.tolist(), strict=True)),
            "type_distance": _variation(counts, totals),
        }
        if is_held_out:
            notes += _missed(name, representation[name], len(mentions_of_split) / n_kept, i, limits)
        if below:
            notes.append(f"{name} has fewer than {limits.min_per_type} mentions of {', '.join(below[:8])}.")
    rare = [corpus.labels[t] for t in np.flatnonzero(minimum == 0)]
    if rare and limits.min_per_type:
        others = " and others" if len(rare) > 8 else ""
        notes.append(
            f"Too rare for a minimum of {limits.min_per_type} in each held-out split: {', '.join(rare[:8])}{others}."
        )
    return representation, notes


def _missed(name: str, row: Mapping[str, Any], share: float, i: int, limits: Limits) -> list[str]:
    """Return a note for each requirement that a held-out split misses.

    Args:
        name: the name of the split.
        row: how the split compares with the corpus.
        share: the share of the kept samples that the split has.
        i: the number of the split.
        limits: the requirements.
    """
    notes = []
    if abs(share - limits.shares[i]) > RATIO_TOLERANCE:
        notes.append(f"{name} has {100 * share:.1f}% of the samples, not {100 * limits.shares[i]:.1f}%.")
    density, floor = row["entities_per_sample_ratio"], limits.representative
    if floor is not None and density == density and not floor <= density <= 2 - floor:
        wanted = f"from {floor:.2g} to {2 - floor:.2g}"
        notes.append(f"{name} has {density:.2f} times the entities per sample of the corpus, not {wanted}.")
    distance, asked = row["type_distance"], limits.type_share
    if asked is not None and distance > 1 - asked:
        notes.append(f"{name} has {1 - distance:.2f} of its mix of types in common with the corpus, not {asked:.2g}.")
    bearing = row["entity_bearing_ratio"]
    if abs(bearing - 1) > 0.01:  # which is false for NaN, of a corpus without entities
        notes.append(f"{name} has {bearing:.2f} times the corpus's share of samples with entities.")
    return notes


def _ratio(part: NDArray, whole: NDArray) -> float:
    """Return the mean of a part divided by that of the whole; 0 for an empty part, NaN for a whole of zeros."""
    return float(part.sum() / max(len(part), 1) / whole.mean()) if whole.any() else float("nan")


def _variation(part: NDArray[np.int64], whole: NDArray[np.int64]) -> float:
    """Return the total variation distance of two distributions: 0 where they are equal, 1 where they share nothing."""
    if not part.any():
        return float("nan")
    return float(np.abs(part / part.sum() - whole / whole.sum()).sum() / 2)
