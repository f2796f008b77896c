"""The splitter: a plan that gives each sample to a split, such that the splits share as few entities as possible."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.at_signs import join_at
from ..core.corpus import Corpus
from ..core.entities import Key, Shared, key_name, shared_codes
from ..core.exceptions import CleancutError, parse_choice
from ..core.files import is_plain, replacing
from ..core.hashing import fingerprint_of, order_of, sample_hashes
from ..core.notebook import html_page, html_table
from ..core.vocabulary import mixed
from ..reading.columns import table_of
from ..reading.dataset import Samples, from_dataset, own_documents, own_numbers, read_dataset
from ..reading.splits import SPLITS, split_rank
from ..version import __version__
from .audit import Pair, Unit, by_pair, by_pair_key
from .components import group_sizes
from .incidence import Incidences
from .layout import ASIDE, Layout, Limits, cut
from .quotas import RATIO_TOLERANCE, dealt
from .strata import Strata


class Method(StrEnum):
    """How to split."""

    MINCUT = "mincut"
    COMPONENTS = "components"
    RANDOM = "random"
    PAPER = "paper"
    PAPER_UNWEIGHTED = "paper-unweighted"


class Engine(StrEnum):
    """What cuts where whole components cannot be packed."""

    AUTO = "auto"
    PEEL = "peel"
    METIS = "metis"
    KAHYPAR = "kahypar"


class Effort(StrEnum):
    """How long a cut is polished."""

    FAST = "fast"
    AUTO = "auto"
    BEST = "best"


@dataclass(frozen=True, repr=False)
class SplitPlan:
    """Which sample goes where, and what that gives: the product of a split, from which all else is derived."""

    names: tuple[str, ...]
    assignment: NDArray[np.int8]
    """The split of each sample, as an index into ``names``; -1 for samples that are set aside."""
    leakage: Mapping[str, Mapping[Pair, Mapping[str, Any]]]
    """``before`` (the original splits, where known) and ``after``: every ordered pair, as the audit computes it.

    ``leakage["after"]["test", "train"]``: of the test samples, mentions and entities, how many are in train.
    """
    representation: Mapping[str, Mapping[str, Any]]
    """Entities per sample and entity-bearing share of each split against the corpus; type counts."""
    guarantee: str
    how: str
    notes: list[str]
    signature: str
    fingerprint: str
    """Of the samples that were split, whatever their order."""
    original_sizes: Mapping[str, int] = field(default_factory=dict)
    """Samples of each original split, in the order in which they were joined."""
    source: Mapping[str, str | None] = field(default_factory=dict)
    """Where the samples are on the Hub: ``repo``, ``config`` and ``revision``; empty for local ones."""
    order: str = ""
    """Of the samples in their order: a plan is for these rows as they stood."""
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The file that each split was written to, beside the plan, and its SHA-256."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """How the input files were read, where not by default: the CoNLL column, label names, the scheme."""
    read_as: Mapping[str, Any] = field(default_factory=dict)
    """How ``apply`` reads a dataset again: its ``columns``, options of ``from_dataset``, ``join_at``."""

    @property
    def sizes(self) -> dict[str, int]:
        """Samples of each split."""
        return {name: int((self.assignment == i).sum()) for i, name in enumerate(self.names)}

    @property
    def n_discarded(self) -> int:
        """Samples that are set aside."""
        return int((self.assignment == ASIDE).sum())

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={n}" for name, n in self.sizes.items())
        return f"SplitPlan({sizes}, n_discarded={self.n_discarded}): {self.guarantee}. {self.signature}"

    def _repr_html_(self) -> str:
        """Tables for notebooks: sizes, how representative the splits are, leakage before and after."""
        kept = max(len(self.assignment) - self.n_discarded, 1)
        rows = []
        for name, row in self.representation.items():
            ratios = [f"{row[key]:.3f}" for key in ("entities_per_sample_ratio", "entity_bearing_ratio")]
            rows.append([name, self.sizes[name], self.sizes[name] / kept, *ratios, row["min_type_count"]])
        if self.n_discarded:
            rows.append(["set aside", self.n_discarded, None, None, None, None])
        header = ["split", "samples", "%", "entities/sample", "with entities", "rarest type"]
        title = "Sizes, and how the splits compare with the corpus (1.000: the same)"
        tables = [html_table(title, header, rows)]
        before, rows = self.leakage["before"], []
        for pair, after in self.leakage["after"].items():
            then = [before[pair][key] if pair in before else None for key in ("n_partial", "rate_partial")]
            rows.append([" with ".join(pair), *then, after["n_partial"], after["rate_partial"]])
        header = ["pair", "before", "%", "after", "%"]
        tables.append(html_table("Samples that share an entity", header, rows))
        said = f"{self.guarantee[0].upper()}{self.guarantee[1:]}."
        return html_page(*tables, notes=[said, *self.notes, self.signature])

    def to_dict(self) -> dict[str, Any]:
        """What ``cleancut split --json`` prints."""
        kept = max(len(self.assignment) - self.n_discarded, 1)
        return {
            "n_samples": len(self.assignment),
            "n_discarded": self.n_discarded,
            "sizes": self.sizes,
            "ratios": {name: n / kept for name, n in self.sizes.items()},
            "leakage_before": by_pair_key(self.leakage["before"]),
            "leakage_after": by_pair_key(self.leakage["after"]),
            "representation": self.representation,
            "how": self.how,
            "guarantee": self.guarantee,
            "notes": self.notes,
            "signature": self.signature,
        }

    def rows(self, name: str) -> NDArray[np.int64]:
        """The samples of a split (or ``discarded``), in the order of the input."""
        if name == "discarded":
            return np.flatnonzero(self.assignment == ASIDE)
        return np.flatnonzero(self.assignment == self.names.index(name))

    def origins(self) -> list[tuple[str, int]]:
        """The original split and the row in it of each sample."""
        return [(name, row) for name, n in self.original_sizes.items() for row in range(n)]

    def apply(self, data: Any, *, discarded: bool = False, origin: bool = False) -> Any:
        """The splits: a ``DatasetDict`` of a dataset (or of its splits), a dict of corpora of a corpus.

        Other samples than those that were split, or these in another order, are refused; rows that cannot be read as
        samples, such as those of which only ids are left, are taken by their number. ``origin`` adds the columns
        ``source_split`` and ``source_row`` to a dataset.
        """
        names = [*self.names, *(["discarded"] if discarded and self.n_discarded else [])]
        if isinstance(data, Mapping) and self.original_sizes:
            sizes = {name: len(part) for name, part in data.items()}
            if sizes != dict(self.original_sizes):
                raise CleancutError(
                    f"the plan is for splits of {dict(self.original_sizes)} samples, but {sizes} are given."
                )
            data = {name: data[name] for name in self.original_sizes}  # in the order in which they were joined
        whole = _joined(data)
        if not hasattr(whole, "select"):
            raise CleancutError(f"expected a Corpus or a datasets.Dataset, got {type(whole).__name__}.")
        if len(whole) != len(self.assignment):
            raise CleancutError(f"the plan is for {len(self.assignment)} samples, but {len(whole)} are given.")
        self._refuse_other_rows(whole)
        if origin and not isinstance(whole, Corpus):
            taken = {"source_split", "source_row"} & set(whole.column_names)
            if taken:
                raise CleancutError(f"the dataset has a column {min(taken)} already. Rename it, or leave origin out.")
            splits, rows = zip(*self.origins(), strict=True)
            whole = whole.add_column("source_split", list(splits)).add_column("source_row", list(rows))
        parts = {name: whole.select(self.rows(name)) for name in names}
        if isinstance(whole, Corpus):
            return parts
        import datasets

        return datasets.DatasetDict(parts)

    def of_rows(self, samples: Sequence[Samples]) -> SplitPlan:
        """The plan for the rows of datasets, where these hold several samples each, or parts of one."""
        if all(part.row_of_sample is None for part in samples):
            return self
        ends = np.cumsum([len(part.corpus) for part in samples])[:-1]
        parts = zip(samples, np.split(self.assignment, ends), strict=True)
        sizes = {name: part.n_rows for name, part in zip(self.original_sizes, samples, strict=True)}
        assignment = np.concatenate([part.of_rows(own) for part, own in parts])
        return replace(self, assignment=assignment, original_sizes=sizes)

    def _refuse_other_rows(self, whole: Any) -> None:
        """An error where the samples are others than those of the plan, or stand in another order."""
        first = None
        for hashes in self._hashes(whole):
            found = fingerprint_of(hashes)
            if found == self.fingerprint:
                if (order := order_of(hashes)) != self.order:
                    raise CleancutError(
                        f"the plan is for these samples in another order (order {self.order}, and {order} of those "
                        "given). Give them as they were split."
                    )
                return
            first = first or found
        if first is not None:
            raise CleancutError(
                f"the plan is for other samples than those given (fingerprint {self.fingerprint}, and {first} of those "
                "given). Give those that were split: the corpus itself, where it was read from a dataset with options."
            )

    def _hashes(self, whole: Any) -> Iterator[NDArray[np.uint64]]:
        """The hashes of samples, in each way in which they may have been read for the plan."""
        if isinstance(whole, Corpus):
            yield sample_hashes(whole)
            return
        ends = np.cumsum(list(self.original_sizes.values()) or [len(whole)]).tolist()
        rows = [whole.select(range(first, end)) for first, end in zip([0, *ends], ends, strict=False)]
        options = {name: value for name, value in self.read_as.items() if name not in ("columns", "join_at")}
        columns = [name for name in self.read_as.get("columns", ()) if name in whole.column_names]
        joined = bool(self.read_as.get("join_at"))
        yield from _read_hashes(rows, options, joined)
        if columns:  # others may have been added since, which make the annotation harder to find
            yield from _read_hashes([part.select_columns(columns) for part in rows], options, joined)
        if options or joined:
            yield from _read_hashes(rows, {}, False)
        if not self.read_as:  # of a corpus, which does not say from which columns it was read
            listed = [name for name, kind in table_of(whole).kinds.items() if kind.name in ("list", "text")]
            for tokens, annotation in product([None, *listed], listed):
                for form in ("tags", "entities"):
                    yield from _read_hashes(rows, {"tokens": tokens, form: annotation}, False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan as JSON."""
        stored = {"format": "cleancut-plan-1", "names": self.names, "fingerprint": self.fingerprint, **self.to_dict()}
        stored |= {name: getattr(self, name) for name in _STORED}
        with replacing(path) as stream:
            stream.write(json.dumps(_without_nan({**stored, "assignment": self.assignment.tolist()})).encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SplitPlan:
        """Read a plan that ``save`` wrote."""
        try:
            with open(path, "rb") as stream:
                stored = json.load(stream)
            if stored["format"] != "cleancut-plan-1":
                raise KeyError(stored["format"])
            leakage = {
                "before": by_pair(stored["leakage_before"], stored.get("original_sizes", ())),
                "after": by_pair(stored["leakage_after"], stored["names"]),
            }
            fields = {name: stored[name] for name in ("representation", "guarantee", "how", "notes", "signature")}
            fields |= {name: stored[name] for name in _STORED if name in stored}
            numbers = np.array(stored["assignment"])
            if numbers.ndim != 1 or not ((numbers >= ASIDE) & (numbers < len(stored["names"]))).all():
                raise ValueError("the assignment names splits that are not there")
            assignment = numbers.astype(np.int8)
            _check_stored(stored)
            return cls(
                tuple(stored["names"]), assignment, leakage, fingerprint=stored["fingerprint"], **fields
            )  # fmt: skip
        except FileNotFoundError:
            raise CleancutError(f"{path}: no such file.") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CleancutError(f"{path}: not a plan that SplitPlan.save wrote ({error}).") from None


def _read_hashes(rows: Sequence[Any], options: Mapping[str, Any], joined: bool) -> Iterator[NDArray[np.uint64]]:
    """The hashes of samples; none where they cannot be read so."""
    with suppress(CleancutError):
        corpora = [from_dataset(part, **options) for part in rows]
        yield np.concatenate([sample_hashes(join_at(corpus) if joined else corpus) for corpus in corpora])


def mincut(
    data: Any,
    ratios: Any = (80, 10, 10),
    *,
    seed: int = 13,
    unit: str = "sample",
    method: str = "mincut",
    engine: str = "auto",
    effort: str = "auto",
    discard: float | str = 0,
    representative: float | None = 0.9,
    min_per_type: int = 20,
    type_share: float | None = None,
    stratify: Any = None,
    key: str = "entity",
    case: bool = True,
    typed: bool = True,
    duplicates_together: bool = True,
    progress: Callable[[float], None] | None = None,
) -> SplitPlan:
    """Split so that train, validation and test share as few entities as possible (after Babil et al., Section 3.3).

    Entities are labelled, not documents: a sample whose entities carry one label belongs there; one with several is
    *mixed* and goes to the highest split it touches, or is set aside (``discard="auto"``), after which no two splits
    share any entity. ``representative`` keeps the entities per sample of the held-out splits within [R, 2 - R] of the
    corpus's, ``min_per_type`` the mentions of each type; samples without entities are dealt in proportion.
    ``type_share=0.8`` keeps 0.8 of the fair share of each type, and so the mix of types of the held-out splits as near
    to the corpus's (1 - total variation distance); ``stratify`` (a column, a value for each sample, or ``{name:
    values}``) makes the ratios hold within each value. Of samples with relations, ``key="pair"`` or ``"triple"`` makes
    the two surfaces, or these and the label, what must not be shared. What could not be met is in the notes. The same
    set of samples and seed give the same plan in any order of rows. The plan is for what was given: of a dataset whose
    rows are documents of sentences (``unit="doc"``) or single tokens, it assigns the rows; ``Incidences`` are a corpus
    without its text. ``progress`` is called with the share of the work done since it was called last.

    >>> samples = [[name, "spoke"] for name in ("Ada", "Bo", "Cy", "Di") for _ in range(5)]
    >>> corpus = Corpus.of(samples, tags=[["B-PER", "O"]] * 20)
    >>> plan = mincut(corpus, ratios=(50, 25, 25))
    >>> plan.sizes, plan.guarantee
    ({'train': 10, 'validation': 5, 'test': 5}, 'no entity is shared between any two splits')
    """
    from . import kernels, solver  # numba, which they import, takes a while

    how_to = parse_choice(Method, method, "method")
    cutting_engine, polish = parse_choice(Engine, engine, "engine"), parse_choice(Effort, effort, "effort")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32 - 100:
        raise CleancutError(f"seed={seed!r} is out of range. Give a whole number from 0 to 4 billion.")
    if isinstance(min_per_type, bool) or not isinstance(min_per_type, int) or min_per_type < 0:
        raise CleancutError(f"min_per_type={min_per_type!r} is out of range. Give a whole number from 0 on.")
    given = {} if isinstance(data, Incidences) else _given(data)
    originals: dict[str, Any] = {name: samples.corpus for name, samples in given.items()}
    if unit != Unit.DOC and any(samples.holds_documents for samples in given.values()):
        raise CleancutError("the rows are documents of several sentences, which stay whole. Give unit='doc'.")
    what, same, grain = parse_choice(Shared, key, "key"), Key(case, typed), parse_choice(Unit, unit, "unit")
    if isinstance(data, Incidences):
        if (same, grain, duplicates_together) != (Key(), Unit.SAMPLE, True):
            raise CleancutError("unit, case, typed and duplicates_together have no effect: the incidences say it all.")
        if what is not Shared.ENTITY:
            raise CleancutError(f"key={key!r}: incidences are of entities, without relations. Give the corpus.")
        if stratify is not None:
            raise CleancutError("stratify: incidences have no columns to stratify by. Give the corpus.")
        found, originals = data, {"": data}
    else:
        corpus = Corpus.concatenate(list(originals.values()))
        if not len(corpus):
            raise CleancutError("there are no samples to split.")
        found = Incidences.of(corpus, same, grain, duplicates_together, what)
    said = (
        {} if found.path else {"unit": unit, "key": key_name(same, what)}
    )  # a file does not say what its entities are
    names, shares = parse_ratios(ratios, originals)
    budget = parse_discard(discard)
    if budget and how_to in (Method.RANDOM, Method.PAPER, Method.PAPER_UNWEIGHTED):
        raise CleancutError(f"discard={discard!r} has no effect: method {how_to} sets nothing aside. Leave it out.")
    for name, value in (("representative", representative), ("type_share", type_share)):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (number and 0 <= value <= 1):
            raise CleancutError(f"{name}={value!r} is out of range. Give a number from 0 to 1, or None.")
    for name, value in (("type_share", type_share), ("stratify", stratify)):
        if value is not None and how_to not in (Method.MINCUT, Method.COMPONENTS):
            raise CleancutError(f"{name} has no effect on method {how_to}. Leave it out, or use mincut.")
    strata = Strata.of(stratify, given, len(found))
    layout = Layout(found, strata)
    limits, notes = Limits(shares, representative, min_per_type, type_share), list[str]()
    if how_to in (Method.MINCUT, Method.COMPONENTS):
        by = cutting_engine.value if how_to is Method.MINCUT else "none"
        assignment, how = cut(layout, limits, seed, by, _proposals(polish, layout), budget, progress)
    elif how_to is Method.RANDOM:
        order = np.argsort(mixed(layout.unit_hash ^ np.uint64(mixed(np.array([seed], np.uint64))[0])))
        assignment, how = dealt(layout.unit_size, order, shares * len(found))[layout.unit_of_sample], "random"
    else:
        weighted = how_to is Method.PAPER
        assignment, how = solver.metis_graph_split(layout.problem(limits), shares, seed, weighted), how_to.value
        assignment = layout.with_entity_less(assignment, limits, seed)
    if not kernels.HAS_NUMBA:
        notes.append("numba is not installed: the cut was polished less than it could be.")
    if how.startswith("cut") and cutting_engine in (Engine.AUTO, Engine.METIS) and not solver.has_metis():
        notes.append("pymetis is not installed: the cut was made without METIS.")
    plan = _plan(layout, originals, names, assignment, how, notes, limits, {
        "method": how_to.value, **said, "ratios": "/".join(f"{s:.4g}" for s in shares),
        "discard": str(discard), "representative": str(representative), "min_per_type": str(min_per_type),
        **({"type_share": str(type_share)} if type_share is not None else {}),
        **({"stratify": strata.name} if stratify is not None else {}),
        "engine": cutting_engine.value, "effort": polish.value, "seed": str(seed), "platform": platform.machine(),
    })  # fmt: skip
    return replace(plan.of_rows(list(given.values())), read_as=read_as(given))


def read_as(
    parts: Mapping[str, Samples], options: Mapping[str, Any] | None = None, *, joined: bool = False
) -> dict[str, Any]:
    """What it takes to read the rows of datasets as samples again, as a plan keeps it; nothing of a corpus."""
    found = {name: value for name, value in (options or {}).items() if value is not None}
    shapes = [part.shape for part in parts.values() if part.shape is not None]
    columns = list(dict.fromkeys(name for shape in shapes for name in shape.columns))
    return found | ({"columns": columns} if columns else {}) | ({"join_at": True} if joined else {})


def _check_stored(stored: Mapping[str, Any]) -> None:
    """An error where a plan names what it may not: a file that is not beside it, an option that is none."""
    for name in stored["names"]:
        if not _is_split_name(name):
            raise ValueError(f"{name!r:.60} cannot be the name of a split")
    for file in stored.get("files", {}).values():
        if not is_plain(file["name"]) or not isinstance(file["sha256"], str):
            raise ValueError(f"{file['name']!r:.60} is not the name of a file beside the plan")
    sizes = stored.get("original_sizes")
    if sizes and sum(sizes.values()) != len(stored["assignment"]):
        raise ValueError(f"the original splits have {sum(sizes.values())} samples, not {len(stored['assignment'])}")
    for part, known in (("reading", _READING), ("read_as", _READ_AS)):
        options = stored.get(part, {})
        if unknown := set(options) - known:
            raise ValueError(f"{part} has {min(unknown)!r:.60}, which is no option")
        if isinstance(options.get("labels"), str):  # it would be taken for a file
            raise ValueError(f"{part} has the labels {options['labels']!r:.60}, which are no names")


_READING = {"labels", "scheme", "repair", "column"}
_READ_AS = {
    "labels", "scheme", "repair", "tokens", "tags", "entities", "text", "document", "end", "columns", "join_at"
}  # fmt: skip
_STORED = ("original_sizes", "source", "order", "files", "reading", "read_as")


def _without_nan(value: Any) -> Any:
    """The same with null for NaN, which JSON does not know."""
    if isinstance(value, Mapping):
        return {name: _without_nan(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and value != value else value


# --- what was asked ---------------------------------------------------------------------------------------


def _given(data: Any) -> dict[str, Samples]:
    """The original splits; one without a name where there are none."""
    parts = data if isinstance(data, Mapping) else {"": data}
    if not parts:
        raise CleancutError("there are no samples to split.")
    found = {
        name: Samples(part, None, None, len(part))
        if isinstance(part, Corpus)
        else own_documents(name, read_dataset(part))
        for name, part in parts.items()
    }
    if len(found) < 2:
        return found
    return {name: replace(samples, corpus=own_numbers(name, samples.corpus)) for name, samples in found.items()}


def _joined(data: Any) -> Any:
    if isinstance(data, Mapping):
        parts = list(data.values())
        if all(isinstance(part, Corpus) for part in parts):
            return Corpus.concatenate(parts)
        import datasets

        try:
            return datasets.concatenate_datasets(parts)
        except ValueError as error:
            raise CleancutError(
                f"the splits differ in their columns: {error}. Cast them to one set of features."
            ) from None
    return data


def parse_ratios(ratios: Any, originals: Mapping[str, Sized]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """The names of the splits and their shares, from 80/10/10, (80, 20), a mapping or the original splits."""
    if isinstance(ratios, str) and ratios == "original":
        if len(originals) < 2:
            raise CleancutError("ratios='original' needs the original splits. Give them, or ratios such as 80/10/10.")
        sizes = [len(originals[name]) for name in sorted(originals, key=split_rank)]
        if len(sizes) > 3:
            raise CleancutError(f"ratios='original' with {len(sizes)} parts: give two or three splits.")
        usual = [SPLITS[rank] for name in sorted(originals, key=split_rank) if (rank := split_rank(name)) < len(SPLITS)]
        ratios = dict(zip(usual, sizes, strict=True)) if len(set(usual)) == len(sizes) else sizes
    if isinstance(ratios, str):
        ratios = ratios.split("/")
    if not isinstance(ratios, Mapping):
        if not isinstance(ratios, Sequence) or len(ratios) not in (2, 3):
            raise CleancutError(f"ratios={ratios!r}: give two or three parts, such as (80, 10, 10) or '80/20'.")
        ratios = dict(zip(SPLITS if len(ratios) == 3 else ("train", "test"), ratios, strict=True))
    ratios = {name: ratios[name] for name in sorted(ratios, key=lambda name: split_rank(str(name)))}  # train first
    if len(ratios) > 100:
        raise CleancutError(f"ratios with {len(ratios)} parts: give at most 100.")
    try:
        shares = np.array([float(share) for share in ratios.values()])
    except (TypeError, ValueError):
        raise CleancutError(f"ratios={ratios!r}: a part is not a number.") from None
    if len(shares) < 2 or (shares < 0).any() or not shares.sum() > 0 or not np.isfinite(shares).all():
        raise CleancutError(f"ratios={ratios!r}: give at least two parts that are not negative, not all 0.")
    for name in ratios:
        if not _is_split_name(name):
            raise CleancutError(f"{name!r} cannot be the name of a split. Use letters, digits, _ and - only.")
    return tuple(map(str, ratios)), shares / shares.sum()


def _is_split_name(name: Any) -> bool:
    return re.fullmatch(r"\w[\w-]{0,63}", str(name)) is not None and name != "discarded"


def parse_discard(discard: float | str) -> float:
    """The largest share that may be set aside; 1.0 for as much as zero sharing needs."""
    if discard == "auto":
        return 1.0
    try:
        budget = float(discard)
    except (TypeError, ValueError):
        budget = -1.0
    if not 0 <= budget < 1:
        raise CleancutError(f"discard={discard!r} is unknown. Give a share below 1, or 'auto'.")
    return budget


def _proposals(effort: Effort, layout: Layout) -> int:
    """How many moves to try: fewer on large corpora, where each costs more."""
    if effort is Effort.FAST:
        return 0
    n_units = len(layout.unit_size)
    if effort is Effort.BEST:
        return 100_000_000
    return int(min(5_000_000 + 6_000 * n_units, 60_000_000) * min(1.0, 40_000 / n_units) ** 0.5)


def component_sizes(data: Any, *, key: str = "entity", case: bool = True, typed: bool = True) -> dict[int, int]:
    """How many groups of samples there are of each size that hang together by shared entities, the smallest first.

    >>> tags = [["B-P"], ["B-P", "B-P"], ["B-P"], ["O"]]
    >>> component_sizes(Corpus.of([["Ada"], ["Ada", "Bo"], ["Cy"], ["so"]], tags=tags))
    {1: 1, 2: 1}
    """
    corpus = Corpus.concatenate([samples.corpus for samples in _given(data).values()])
    codes = shared_codes(corpus, Key(case, typed), parse_choice(Shared, key, "key"))
    sizes, n = np.unique(group_sizes(*codes), return_counts=True)
    return dict(zip(sizes.tolist(), n.tolist(), strict=True))


# --- what came of it ----------------------------------------------------------------------------------------


def _plan(
    layout: Layout, originals: Mapping[str, Any], names: tuple[str, ...], assignment: NDArray[np.int64], how: str,
    notes: list[str], limits: Limits, settings: Mapping[str, str],
) -> SplitPlan:  # fmt: skip
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
    if guarantee != NOTHING_SHARED:
        notes = [*notes, layout.largest_group()]
    guarantee = guarantee.replace("entity", _NOUNS[layout.corpus.what])
    signature = "|".join(["split", *(f"{k}:{v}" for k, v in settings.items()), f"v:{__version__}"])
    return SplitPlan(
        names, assignment.astype(np.int8), {"before": before, "after": after}, representation, guarantee, how,
        notes + more, signature, layout.fingerprint, {name: len(part) for name, part in originals.items()},
        order=layout.order,
    )  # fmt: skip


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
            notes += _missed(name, found[name], len(of_split) / max((assignment != ASIDE).sum(), 1), i, limits)
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
