"""A plan: which sample goes to which split, and what that gives. Files, datasets and configs are derived from it."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.at_signs import join_at
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, quoted
from ..core.files import replacing
from ..core.hashing import fingerprint_of, order_of, sample_hashes
from ..core.rooms import module_of
from ..core.shown import Drawn
from ..core.signature import Signature
from ..reading.columns import table_of
from ..reading.dataset import Samples, dataset_options, from_dataset
from ..reading.hub_ids import HubId
from .audit import Pair, by_pair_name
from .layout import DISCARDED
from .plan_file import FORMAT, read_plan
from .settings import SplitSettings


@dataclass(frozen=True, repr=False, eq=False)
class SplitPlan(Drawn):
    """Which sample goes where, and what that gives: the product of a split, from which all else is derived.

    ``apply`` makes datasets or corpora of it, ``write`` a folder of files, ``cleancut.publish`` a config of the Hub.
    Plans are equal if they give the same samples to the same splits and say the same of it, wherever they were written.
    """

    names: tuple[str, ...]
    assignment: NDArray[np.int8]
    """The split of each sample, as an index into ``names``; -1 for samples that are discarded."""
    leakage: Mapping[str, Mapping[Pair, Mapping[str, Any]]]
    """``before`` (the original splits, where known) and ``after``: every ordered pair, as the audit computes it.

    ``leakage["after"]["test", "train"]``: of the test samples, mentions and entities, how many are in train.
    """
    representation: Mapping[str, Mapping[str, Any]]
    """Entities per sample and entity-bearing share of each split against the corpus; type counts."""
    guarantee: str
    how: str
    notes: list[str]
    settings: SplitSettings
    """What was asked for."""
    signature: str
    fingerprint: str
    """Of the samples that were split, whatever their order."""
    original_sizes: Mapping[str, int] = field(default_factory=dict)
    """Samples of each original split, in the order in which they were joined."""
    source: Mapping[str, str | None] = field(default_factory=dict)
    """Where the samples are on the Hub: ``repo``, ``config`` and ``revision``; empty for local ones."""
    order: str = ""
    """Of the samples in their order: a plan is for these rows as they stood."""
    marks: str = ""
    """Four letters for each sample, by which a row of a stream is known to be another; empty for plans of rows."""
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The file that each split was written to, beside the plan, and its SHA-256."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """How the rows in the files are to be read, where not by default: the columns, label names, the scheme."""
    read_as: Mapping[str, Any] = field(default_factory=dict)
    """How ``apply`` reads a dataset again: its ``columns``, options of ``from_dataset``, ``join_at``."""
    is_of_rows: bool = False
    """Does it assign rows, which hold several samples each, or parts of one?"""

    @property
    def sizes(self) -> dict[str, int]:
        """Samples of each split."""
        return {name: int((self.assignment == i).sum()) for i, name in enumerate(self.names)}

    @property
    def n_discarded(self) -> int:
        """Samples that are discarded."""
        return int((self.assignment == DISCARDED).sum())

    def n_samples_before(self) -> dict[str, int]:
        """Samples of each original split, also where rows hold several; empty where there are no two of them."""
        return {name: row["n_samples"] for (name, _), row in self.leakage["before"].items()}

    def n_samples_after(self) -> dict[str, int]:
        """Samples of each split, also where rows hold several."""
        return {name: row["n_samples"] for (name, _), row in self.leakage["after"].items()}

    @property
    def hub_id(self) -> HubId | None:
        """The dataset of the Hub that was split, to the commit; None for what is local."""
        return HubId(str(self.source["repo"]), self.source["config"], self.source["revision"]) if self.source else None

    @property
    def command(self) -> str:
        """The command that makes the plan again; ``DATA`` stands for files, whose names it does not keep."""
        words = [str(self.hub_id or "DATA")]
        has_text = Signature.parse(self.signature).get("unit") is not None
        if not has_text:
            words.insert(0, "--incidence")
        flags = self.settings.flags(leave_out=() if has_text else _OF_TEXT)
        return " ".join(["cleancut split", *map(shlex.quote, words), "-o clean", flags, *_reading_flags(self.read_as)])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SplitPlan):
            return NotImplemented
        return self._plain() == other._plain()

    __hash__ = None  # type: ignore[assignment]

    def _plain(self) -> dict[str, Any]:
        """Return the plan as JSON has it, without where it was written."""
        stored = self._stored()
        return {name: stored[name] for name in stored if name not in ("files", "reading")}

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={n}" for name, n in self.sizes.items())
        return f"SplitPlan({sizes}, n_discarded={self.n_discarded}): {self.guarantee}. {self.signature}"

    def to_dict(self) -> dict[str, Any]:
        """What ``cleancut split --json`` prints."""
        kept = max(len(self.assignment) - self.n_discarded, 1)
        return {
            "n_samples": len(self.assignment),
            "n_discarded": self.n_discarded,
            "sizes": self.sizes,
            "ratios": {name: n / kept for name, n in self.sizes.items()},
            "leakage_before": by_pair_name(self.leakage["before"]),
            "leakage_after": by_pair_name(self.leakage["after"]),
            "representation": self.representation,
            "how": self.how,
            "guarantee": self.guarantee,
            "notes": self.notes,
            "signature": self.signature,
        }

    def rows(self, name: str) -> NDArray[np.int64]:
        """The samples of a split (or ``discarded``), in the order of the input."""
        if isinstance(name, str) and name == "discarded":
            return np.flatnonzero(self.assignment == DISCARDED)
        if not isinstance(name, str) or name not in self.names:
            there = f"{', '.join(self.names)}, and 'discarded'"
            raise CleancutError(f"the plan has no split {quoted(name)}. It has {there}.")
        return np.flatnonzero(self.assignment == self.names.index(name))

    def origins(self) -> list[tuple[str, int]]:
        """The original split and the row in it of each sample."""
        return [(name, row) for name, n in self.original_sizes.items() for row in range(n)]

    def apply(self, data: Any, *, discarded: bool = False, origin: bool = False) -> Any:
        """Return the splits: a ``DatasetDict`` of a dataset (or of its splits), a dict of corpora of a corpus.

        Of rows that are dicts in lists, the splits are lists. What ``load_splits`` returned is taken as the datasets or
        the corpora that it holds. Of an ``IterableDataset`` (or several) the splits are streamed as well, and an error
        is raised at the first row that is not the plan's.

        Other samples than those that were split, or these in another order, are refused; rows that cannot be read as
        samples, such as those of which only ids are left, are taken by their number.

        Args:
            data: what was split.
            discarded: add the samples that are discarded, as a split of that name.
            origin: add the columns ``source_split`` and ``source_row`` to a dataset.
        """
        names = [*self.names, *(["discarded"] if discarded and self.n_discarded else [])]
        if _is_rows(data):
            return self._lists(data, names)
        if _is_streamed(data):
            if origin:
                raise CleancutError("origin=True is for loaded datasets, and has no effect on streams. Leave it out.")
            return module_of("mapping.streaming").streamed_splits(self, data, names)
        whole = self._checked(data)
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

    def _lists(self, data: Any, names: Sequence[str]) -> dict[str, list[Any]]:
        """Return the splits of rows that are dicts in a list, or in a list for each original split."""
        parts = data if isinstance(data, Mapping) else {"": data}
        given = [parts[name] for name in self.in_order(parts)]
        rows = [row for part in given for row in part]
        if len(rows) != len(self.assignment):
            raise CleancutError(f"the plan is for {len(self.assignment)} samples, but {len(rows)} are given.")
        self.refuse_other_samples(_read_hashes(given, dataset_options(self.read_as), bool(self.read_as.get("join_at"))))
        return {name: [rows[i] for i in self.rows(name).tolist()] for name in names}

    def column(self, data: Any, name: str = "split") -> Any:
        """Add the split of each row as a column, a ClassLabel, in which discarded rows are ``discarded``.

        Args:
            data: the dataset that was split, or its splits.
            name: of the column.

        Returns:
            The same kind of object: a ``Dataset`` with the column, or the splits with it.
        """
        import datasets

        kind: Any = type(data)
        data = _rows_of_samples(data)
        parts = dict(data) if isinstance(data, Mapping) else {"": data}
        self._checked(data)
        names = [*self.names, *(["discarded"] if self.n_discarded else [])]
        feature, first, made = datasets.ClassLabel(names=names), 0, {}
        for part_name in self.in_order(parts):
            part = parts[part_name]
            if name in part.column_names:
                raise CleancutError(f"the dataset has a column {name!r} already. Give another name=.")
            own = self.assignment[first : first + len(part)].astype(np.int64) % len(names)  # -1 is the last
            made[part_name] = part.add_column(name, own).cast_column(name, feature)
            first += len(part)
        if not isinstance(data, Mapping):
            return made[""]
        return kind({part_name: made[part_name] for part_name in parts})

    def in_order(self, parts: Mapping[str, Any]) -> list[str]:
        """Return the names of the splits in the order in which they were joined."""
        return list(self.original_sizes) if set(self.original_sizes) == set(parts) else list(parts)

    def write(
        self,
        folder: str | os.PathLike[str],
        data: Any,
        *,
        format: str | None = None,
        beside: Mapping[str, str | Corpus] | None = None,
        overwrite: bool = False,
    ) -> SplitPlan:
        """Write the splits as files, with ``plan.json``: all of them, or none.

        Args:
            folder: where to; it is made if it is not there, and no file of others in it is touched.
            data: what was split: a dataset or its splits, a corpus or its splits, or what ``load_splits`` returned.
            format: ``jsonl``, ``conll``, or ``input`` for the rows as they stand, with all columns; by default
                ``input`` for datasets and ``jsonl`` for corpora.
            beside: texts and corpora to write into the same folder, by the names of their files.
            overwrite: replace files of the same names that are not ours, too.

        Returns:
            The plan with the names and digests of its files, as ``SplitPlan.load`` reads it from the folder.
        """
        from .folders import write_split

        return write_split(self, data, folder, format=format, beside=beside, overwrite=overwrite)

    def push_to_hub(
        self,
        data: Any,
        repo: str,
        config: str,
        *,
        token: str | None = None,
        create_pr: bool = False,
        private: bool | None = None,
        dry_run: bool = False,
        max_shard_size: int | str = "500MB",
    ) -> list[str]:
        """Publish the splits as a config of a dataset on the Hub, in one commit: ``cleancut.publish`` with ``push``.

        Args:
            data: what was split.
            repo: the dataset, ``org/name``; it is made if it is not there.
            config: the name of the config.
            token: for the Hub, where it is not the one that huggingface_hub knows.
            create_pr: upload as a pull request.
            private: make the dataset private, if it is new.
            dry_run: upload nothing, and say what would be.
            max_shard_size: how large a Parquet file may be before compression.

        Returns:
            What was uploaded, or would be.
        """
        publish = module_of("hub.publishing").publish
        said: list[str] = publish(
            self,
            repo,
            config,
            data=data,
            token=token,
            pr=create_pr,
            private=bool(private),
            push=not dry_run,
            max_shard_size=max_shard_size,
        )
        return said

    def row_options(self) -> dict[str, Any]:
        """How the rows as they stand are to be read again, in files or in datasets, where not by default."""
        return {name: value for name, value in self.read_as.items() if name not in ("columns", "join_at")}

    def _checked(self, data: Any) -> Any:
        """Return what was split as one; an error where it is something else."""
        data = _rows_of_samples(data)
        if isinstance(data, Mapping) and self.original_sizes:
            sizes = {name: len(part) if isinstance(part, Sized) else None for name, part in data.items()}
            if sizes != dict(self.original_sizes):
                raise CleancutError(
                    f"the plan is for splits of {dict(self.original_sizes)} samples, but {sizes} are given."
                )
            data = {name: data[name] for name in self.original_sizes}  # in the order in which they were joined
        whole = joined(data)
        if not hasattr(whole, "select"):
            raise CleancutError(f"expected a Corpus or a datasets.Dataset, got {type(whole).__name__}.")
        if len(whole) != len(self.assignment):
            raise CleancutError(f"the plan is for {len(self.assignment)} samples, but {len(whole)} are given.")
        self.refuse_other_samples(self._hashes(whole))
        return whole

    def of_rows(self, samples: Sequence[Samples]) -> SplitPlan:
        """The plan for the rows of datasets, where these hold several samples each, or parts of one."""
        n_rows, n_samples = sum(part.n_rows for part in samples), sum(len(part.corpus) for part in samples)
        is_of_rows = self.is_of_rows or len(self.assignment) == n_rows != n_samples  # which plans of 0.1.0 do not say
        if is_of_rows or all(part.row_of_sample is None for part in samples):
            return self
        ends = np.cumsum([len(part.corpus) for part in samples])[:-1]
        parts = zip(samples, np.split(self.assignment, ends), strict=True)
        sizes = {name: part.n_rows for name, part in zip(self.original_sizes, samples, strict=True)}
        assignment = np.concatenate([part.of_rows(own) for part, own in parts])
        return replace(self, assignment=assignment, original_sizes=sizes, is_of_rows=True, marks="")

    def refuse_other_samples(self, ways: Iterable[NDArray[np.uint64]]) -> None:
        """Refuse samples that are others than those of the plan, or stand in another order.

        ``ways`` are the hashes of the samples, in each way in which they can be read; without any, nothing is said.
        """
        first = None
        for hashes in ways:
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
        options = dataset_options(self.read_as)
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
        with replacing(path) as stream:
            stream.write(json.dumps(self._stored()).encode())

    def _stored(self) -> dict[str, Any]:
        stored = {"format": FORMAT, "names": self.names, "fingerprint": self.fingerprint, **self.to_dict()}
        stored |= {"settings": self.settings.to_dict(), **{name: getattr(self, name) for name in _STORED}}
        if self.is_of_rows:
            stored["is_of_rows"] = True
        plain: dict[str, Any] = without_nan({**stored, "assignment": self.assignment.tolist()})
        return plain

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SplitPlan:
        """Read a plan that ``save`` wrote; all that it says is checked, so that no use of it meets a broken one."""
        return cls(**read_plan(path))


def _read_hashes(rows: Sequence[Any], options: Mapping[str, Any], joined: bool) -> Iterator[NDArray[np.uint64]]:
    """The hashes of samples; none where they cannot be read so."""
    with suppress(CleancutError):
        corpora = [from_dataset(part, **options) for part in rows]
        yield np.concatenate([sample_hashes(join_at(corpus) if joined else corpus) for corpus in corpora])


_OF_TEXT = ("unit", "key", "case", "typed", "duplicates_together")
"""Options of a split that say how entities are found, which incidences hold already."""


def _reading_flags(read_as: Mapping[str, Any]) -> list[str]:
    """Return the options of the command line that read the data so again."""
    words = []
    for name, value in read_as.items():
        if name == "join_at":
            words += ["--join-at"] if value else []
        elif name != "columns":  # which were found, not asked for
            text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            words += [f"--{name.replace('_', '-')}", shlex.quote(text)]
    return words


_STORED = ("original_sizes", "source", "order", "marks", "files", "reading", "read_as")


def without_nan(value: Any) -> Any:
    """The same with null for NaN, which JSON does not know."""
    if isinstance(value, Mapping):
        return {name: without_nan(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and value != value else value


def _is_rows(data: Any) -> bool:
    """Is it a list of dicts, or such a list for each split?"""
    if isinstance(data, Mapping):
        return bool(data) and all(_is_rows(part) for part in data.values())
    return isinstance(data, list) and all(isinstance(row, dict) for row in data)


def _is_streamed(data: Any) -> bool:
    """Is it an ``IterableDataset``, or such a one for each split?"""
    parts = list(data.values()) if isinstance(data, Mapping) else [data]
    return bool(parts) and all(hasattr(part, "column_names") and not hasattr(part, "__len__") for part in parts)


def _rows_of_samples(data: Any) -> Any:
    """Return the datasets of samples that were read from such, and the corpora of others; all else as it is."""
    if isinstance(data, Mapping):
        return {name: _rows_of_samples(part) for name, part in data.items()}
    if not isinstance(data, Samples):
        return data
    return data.rows if hasattr(data.rows, "select") else data.corpus


def joined(data: Any) -> Any:
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
