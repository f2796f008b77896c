"""The splitter: a plan whose splits share as few entities as possible, and how large groups of samples are."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from itertools import combinations
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from ..core.corpus import Corpus
from ..core.entities import Key, Shared, shared_codes
from ..core.exceptions import CleancutError, parse_choice
from ..core.vocabulary import mixed
from ..reading.dataset import Samples, columns_in, given_samples, notes_of, own_numbers
from ..reading.progress import work_shown
from .audit import Pair, Unit
from .components import group_sizes
from .incidence import Incidences
from .layout import DISCARDED, Layout, Limits, cut
from .plan import SplitPlan
from .quotas import RATIO_TOLERANCE, dealt
from .settings import RATIOS, Effort, Engine, Method, SplitSettings, takes_split_options
from .strata import Strata


@takes_split_options()
def mincut(
    data: Any,
    ratios: Any = RATIOS,
    *,
    stratify: Any = None,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> SplitPlan:
    """Split so that train, validation and test share as few entities as possible (after Babil et al., Section 3.3).

    Entities are labelled, not documents: a sample whose entities carry one label belongs there; one with several is
    *mixed* and goes to the highest split it touches, or is discarded (``discard="auto"``), after which no two splits
    share any entity. ``representative`` keeps the entities per sample of the held-out splits within [R, 2 - R] of the
    corpus's, ``min_per_type`` the mentions of each type; samples without entities are dealt in proportion.
    ``type_share=0.8`` keeps 0.8 of the fair share of each type, and so the mix of types of the held-out splits as near
    to the corpus's (1 - total variation distance); ``stratify`` (a column, a value for each sample, or ``{name:
    values}``) makes the ratios hold within each value. Of samples with relations, ``key="pair"`` or ``"triple"`` makes
    the two surfaces, or these and the label, what must not be shared. What could not be met is in the notes. The same
    set of samples and seed give the same plan in any order of rows. The plan is for what was given: of a dataset whose
    rows are documents of sentences (``unit="doc"``) or single tokens, it assigns the rows; ``Incidences`` are a corpus
    without its text. ``tokens=``, ``tags=``, ``entities=``, ``text=``, ``labels=``, ``scheme=``, ``document=`` and
    ``end=`` say which columns of a dataset hold what, where these are not found or not the right ones. ``progress`` is
    called with the share of the work done since it was called last; without it, a bar is shown on a terminal.

    >>> samples = [[name, "spoke"] for name in ("Ada", "Bo", "Cy", "Di") for _ in range(5)]
    >>> corpus = Corpus.of(samples, tags=[["B-PER", "O"]] * 20)
    >>> plan = mincut(corpus, ratios=(50, 25, 25))
    >>> plan.sizes, plan.guarantee
    ({'train': 10, 'validation': 5, 'test': 5}, 'no entity is shared between any two splits')
    """
    columns = columns_in(options)
    settings = SplitSettings.of("mincut", {"ratios": ratios, "stratify": Strata.name_of(stratify), **options})
    given = {} if isinstance(data, Incidences) else _with_own_numbers(given_samples(data, columns))
    found, originals = _incidences(data, given, settings)
    names, shares = settings.shares(originals)
    layout = Layout(found, Strata.of(stratify, given, len(found)))
    limits = Limits(shares, settings.representative, settings.min_per_type, settings.type_share)
    with work_shown("cutting", progress) as told:
        assignment, how = _assigned(layout, limits, settings, told)
    plan = _plan(layout, originals, names, assignment, how, limits, settings)
    return replace(
        plan.of_rows(list(given.values())),
        notes=[*plan.notes, *notes_of(given)],
        read_as=read_as(given, columns),
        source=source_of(given),
    )


def _incidences(
    data: Any, given: Mapping[str, Samples], settings: SplitSettings
) -> tuple[Incidences, dict[str, Corpus | Incidences]]:
    """Return which sample mentions which entity, and the splits that were given; refuse options without effect."""
    if isinstance(data, Incidences):
        fixed = ("unit", "case", "typed", "duplicates_together")
        if any(name in settings.changed() for name in fixed):
            raise CleancutError("unit, case, typed and duplicates_together have no effect: the incidences say it all.")
        if settings.key is not Shared.ENTITY:
            raise CleancutError(f"key={str(settings.key)!r}: incidences are of entities. Give the corpus.")
        if settings.stratify is not None:
            raise CleancutError("stratify: incidences have no columns to stratify by. Give the corpus.")
        return data, {"": data}
    if settings.unit is not Unit.DOC and any(samples.holds_documents for samples in given.values()):
        raise CleancutError("the rows are documents of several sentences, which stay whole. Give unit='doc'.")
    originals = {name: samples.corpus for name, samples in given.items()}
    corpus = Corpus.concatenate(list(originals.values()))
    if not len(corpus):
        raise CleancutError("there are no samples to split.")
    same, grain, together = settings.entity_key, settings.unit, settings.duplicates_together
    return Incidences.of(corpus, same, grain, together, settings.key), dict(originals)


def _assigned(
    layout: Layout, limits: Limits, settings: SplitSettings, progress: Callable[[float], None] | None
) -> tuple[NDArray[np.int64], str]:
    """Return the split of each sample, and how it was found."""
    from . import solver  # numba, which it imports, takes a while

    method, seed = settings.method, settings.seed
    match method:
        case Method.MINCUT | Method.COMPONENTS:
            engine = {Method.MINCUT: settings.engine.value, Method.COMPONENTS: "none"}[method]
            moves = _proposals(settings.effort, layout)
            return cut(layout, limits, seed, engine, moves, settings.most_discarded, progress)
        case Method.RANDOM:
            order = np.argsort(mixed(layout.unit_hash ^ np.uint64(mixed(np.array([seed], np.uint64))[0])))
            quotas = limits.shares * len(layout.corpus)
            return dealt(layout.unit_size, order, quotas)[layout.unit_of_sample], method.value
        case Method.PAPER | Method.PAPER_UNWEIGHTED:
            weighted = {Method.PAPER: True, Method.PAPER_UNWEIGHTED: False}[method]
            of_bearing = solver.metis_graph_split(layout.problem(limits), limits.shares, seed, weighted)
            return layout.with_entity_less(of_bearing, limits, seed), method.value
        case _:
            assert_never(method)


def _missing_parts(how: str, settings: SplitSettings) -> list[str]:
    """Return what a cut was made without."""
    from . import kernels, solver

    notes = []
    if not kernels.HAS_NUMBA:
        notes.append("numba is not installed: the cut was polished less than it could be.")
    if how.startswith("cut") and settings.engine in (Engine.AUTO, Engine.METIS) and not solver.has_metis():
        notes.append("pymetis is not installed: the cut was made without METIS.")
    return notes


def read_as(
    parts: Mapping[str, Samples], options: Mapping[str, Any] | None = None, *, joined: bool = False
) -> dict[str, Any]:
    """What it takes to read the rows of datasets as samples again, as a plan keeps it; nothing of a corpus."""
    found = {name: value for name, value in (options or {}).items() if value is not None}
    shapes = [part.shape for part in parts.values() if part.shape is not None]
    columns = list(dict.fromkeys(name for shape in shapes for name in shape.columns))
    return found | ({"columns": columns} if columns else {}) | ({"join_at": True} if joined else {})


def source_of(parts: Mapping[str, Samples]) -> dict[str, str | None]:
    """Return where the samples are on the Hub, as a plan keeps it; nothing of what is local."""
    sources = {part.source for part in parts.values()}
    source = sources.pop() if len(sources) == 1 else None
    return {} if source is None else asdict(source)


def _with_own_numbers(given: Mapping[str, Samples]) -> dict[str, Samples]:
    """Return the splits with documents that are only numbered told apart from those of other splits."""
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


def component_sizes(data: Any, *, key: str = "entity", case: bool = True, typed: bool = True) -> dict[int, int]:
    """How many groups of samples there are of each size that hang together by shared entities, the smallest first.

    >>> tags = [["B-P"], ["B-P", "B-P"], ["B-P"], ["O"]]
    >>> component_sizes(Corpus.of([["Ada"], ["Ada", "Bo"], ["Cy"], ["so"]], tags=tags))
    {1: 1, 2: 1}
    """
    corpus = Corpus.concatenate([samples.corpus for samples in given_samples(data).values()])
    codes = shared_codes(corpus, Key.of(case, typed), parse_choice(Shared, key, "key"))
    sizes, n = np.unique(group_sizes(*codes), return_counts=True)
    return dict(zip(sizes.tolist(), n.tolist(), strict=True))


# --- what came of it ----------------------------------------------------------------------------------------


def _plan(
    layout: Layout, originals: Mapping[str, Any], names: tuple[str, ...], assignment: NDArray[np.int64], how: str,
    limits: Limits, settings: SplitSettings,
) -> SplitPlan:  # fmt: skip
    """Return the plan of an assignment, with what was counted of it."""
    original = np.repeat(np.arange(len(originals)), [len(part) for part in originals.values()])
    after = layout.leakage(names, assignment)  # from the mentions: the solver's own count is never trusted
    before = layout.leakage(tuple(originals), original) if len(originals) > 1 else {}
    representation, more = _representation(layout.corpus, names, assignment, limits)
    if layout.strata.name:
        sizes = layout.strata.sizes(assignment, len(names)).tolist()
        for name, row in zip(names, sizes, strict=True):
            representation[name]["strata"] = dict(zip(layout.strata.values, row, strict=True))
        more += layout.strata.missed(names, assignment, limits.shares)
    guarantee = _guarantee(after, names)
    notes = [*_missing_parts(how, settings), *([] if guarantee == NOTHING_SHARED else [layout.largest_group()])]
    unsaid = ("unit", "key") if layout.corpus.path else ()  # a file does not say what its entities are
    signature = settings.signature("split", originals, {"platform": platform.machine()}, unsaid)
    return SplitPlan(
        names,
        assignment.astype(np.int8),
        leakage={"before": before, "after": after},
        representation=representation,
        guarantee=guarantee.replace("entity", _NOUNS[layout.corpus.what]),
        how=how,
        notes=notes + more,
        settings=settings,
        signature=str(signature),
        fingerprint=layout.fingerprint,
        original_sizes={name: len(part) for name, part in originals.items()},
        order=layout.order,
        marks=layout.marks,
    )


_NOUNS = {Shared.ENTITY: "entity", Shared.PAIR: "pair of entities", Shared.TRIPLE: "triple"}
NOTHING_SHARED = "no entity is shared between any two splits"


def _guarantee(after: Mapping[Pair, Mapping[str, Any]], names: tuple[str, ...]) -> str:
    """What holds between every two splits, in both directions."""
    pairs = [(after[b, a], after[a, b], a, b) for a, b in combinations(names, 2)]
    parts = [
        f"{row['n_partial']} of {row['n_samples']} {b} samples share an entity with {a}, "
        f"and {back['n_partial']} of {back['n_samples']} {a} samples with {b}"
        for row, back, a, b in pairs
        if row["n_partial"]
    ]
    if not parts:
        return NOTHING_SHARED
    return "; ".join(parts + ["no other two splits share an entity"] * (len(parts) < len(pairs)))


def _representation(
    corpus: Incidences, names: tuple[str, ...], assignment: NDArray[np.int64], limits: Limits
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    n_types = len(corpus.labels)
    totals = np.bincount(corpus.label, minlength=n_types)
    minimum = limits.type_minimum(totals)
    in_sample = np.bincount(corpus.sample, minlength=len(corpus))
    split_of_mention = assignment[corpus.sample]
    found: dict[str, dict[str, Any]] = {}
    notes = []
    for i, name in enumerate(names):
        of_split = in_sample[assignment == i]
        counts = np.bincount(corpus.label[split_of_mention == i], minlength=n_types)
        below = [corpus.labels[t] for t in np.flatnonzero(counts < minimum)] if i and limits.shares[i] > 0 else []
        found[name] = {
            "entities_per_sample_ratio": _ratio(of_split, in_sample),
            "entity_bearing_ratio": _ratio(of_split > 0, in_sample > 0),
            "min_type_count": int(counts.min(initial=len(corpus.sample))) if n_types else 0,
            "types_below_min": below,
            "type_counts": dict(zip(corpus.labels, counts.tolist(), strict=True)),
            "type_distance": _variation(counts, totals),
        }
        if i and limits.shares[i] > 0:
            notes += _missed(name, found[name], len(of_split) / max((assignment != DISCARDED).sum(), 1), i, limits)
        if below:
            notes.append(f"{name} has fewer than {limits.min_per_type} mentions of {', '.join(below[:8])}.")
    rare = [label for label, least in zip(corpus.labels, minimum, strict=True) if not least and limits.min_per_type]
    if rare:
        notes.append(
            f"Too rare for a minimum of {limits.min_per_type} in each held-out split: {', '.join(rare[:8])}"
            f"{' and others' if len(rare) > 8 else ''}."
        )
    return found, notes


def _missed(name: str, row: Mapping[str, Any], share: float, i: int, limits: Limits) -> list[str]:
    """What a held-out split was asked to be and is not."""
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
    if (bearing := row["entity_bearing_ratio"]) == bearing and abs(bearing - 1) > 0.01:
        notes.append(f"{name} has {bearing:.2f} times the corpus's share of samples with entities.")
    return notes


def _ratio(part: NDArray, whole: NDArray) -> float:
    """The mean of a part over that of the whole; 0 for an empty part."""
    return float(part.sum() / max(len(part), 1) / whole.mean()) if whole.any() else float("nan")


def _variation(part: NDArray[np.int64], whole: NDArray[np.int64]) -> float:
    """The total variation distance of two distributions: 0 where they are the same, 1 where they share nothing."""
    if not part.any():
        return float("nan")
    return float(np.abs(part / part.sum() - whole / whole.sum()).sum() / 2)
