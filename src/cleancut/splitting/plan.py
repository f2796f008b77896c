"""The plan of a split: which sample goes to which split. Files, datasets and published configs are derived from it."""

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

from ..core import checks
from ..core.at_signs import join_at
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, counted, quoted
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
    """The result of a split: which sample goes to which split, and how the splits turned out.

    ``apply`` makes datasets or corpora of it, ``write`` a folder of files, ``cleancut.publish`` a config of the Hub.
    Two plans are equal if they assign the same samples to the same splits and have the same statistics, wherever they
    were written.
    """

    names: tuple[str, ...]
    """The names of the splits, train first."""
    assignment: NDArray[np.int8]
    """The split of each sample, as an index into ``names``; -1 for samples that are discarded."""
    leakage: Mapping[str, Mapping[Pair, Mapping[str, Any]]]
    """The contamination ``before`` (between the original splits, where known) and ``after``, by ordered pair of splits,
    as the audit computes it.

    ``leakage["after"]["test", "train"]`` counts the test samples, mentions and entities, and those of them that are
    contaminated by train.
    """
    representation: Mapping[str, Mapping[str, Any]]
    """How each split compares with the corpus: entities per sample, share of samples with entities, counts of types."""
    guarantee: str
    """A sentence that says how many samples of the splits share an entity."""
    how: str
    """A word that says how the split was found, such as ``components`` or ``cut:metis``."""
    notes: list[str]
    """Remarks on what could not be met."""
    settings: SplitSettings
    """The options that the split was made with."""
    signature: str
    """The options and the version in a line, to be quoted with results."""
    fingerprint: str
    """A fingerprint of the samples that were split, whatever their order."""
    original_sizes: Mapping[str, int] = field(default_factory=dict)
    """The number of samples of each original split, in the order in which they were joined."""
    source: Mapping[str, str | None] = field(default_factory=dict)
    """Where the samples are on the Hub: ``repo``, ``config`` and ``revision``; empty for local ones."""
    order: str = ""
    """A fingerprint of the samples in their order: a plan assigns rows by their position."""
    marks: str = ""
    """Four letters for each sample, by which a row of a stream is recognised; empty for plans of rows."""
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The file that each split was written to, beside the plan, and its SHA-256."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """The options that read the rows of the files, where the defaults do not: columns, label names, the scheme."""
    read_as: Mapping[str, Any] = field(default_factory=dict)
    """The options with which ``apply`` reads a dataset again: ``columns``, ``join_at``, those of ``from_dataset``."""
    related: Mapping[str, Mapping[Pair, Mapping[str, Any]]] = field(default_factory=dict)
    """What is left under looser notions of the same name, ``before`` and ``after``, as ``Audit.related`` has it; empty
    for plans of incidences, which have no names."""
    proven: bool = False
    """Whether it is known that no split that meets the requirements as well as this one discards fewer samples:
    nothing is shared and nothing discarded, or an exact search (``prove=``) came to its end. False says nothing."""
    is_of_rows: bool = False
    """Whether the plan assigns rows of a dataset that hold several samples each, or parts of one."""

    @property
    def sizes(self) -> dict[str, int]:
        """The number of samples of each split."""
        return {name: int((self.assignment == i).sum()) for i, name in enumerate(self.names)}

    @property
    def n_discarded(self) -> int:
        """The number of samples that are discarded."""
        return int((self.assignment == DISCARDED).sum())

    def n_samples_before(self) -> dict[str, int]:
        """Return the number of samples of each original split; empty where there was only one.

        Unlike ``original_sizes``, it counts samples even where a row holds several.
        """
        return {name: row["n_samples"] for (name, _), row in self.leakage["before"].items()}

    def n_samples_after(self) -> dict[str, int]:
        """Return the number of samples of each split; other than ``sizes``, even where a row holds several."""
        return {name: row["n_samples"] for (name, _), row in self.leakage["after"].items()}

    @property
    def hub_id(self) -> HubId | None:
        """The dataset of the Hub that was split, with its commit; None for local data."""
        if not self.source:
            return None
        return HubId(str(self.source["repo"]), self.source["config"], self.source["revision"])

    @property
    def command(self) -> str:
        """The command that makes the plan again, with ``DATA`` for local files, whose names a plan does not keep."""
        words = ["cleancut split"]
        left_out: tuple[str, ...] = ()
        if Signature.parse(self.signature).get("unit") is None:  # it was made from a file of incidences
            words.append("--incidence")
            left_out = _OF_TEXT
        words.append(shlex.quote(str(self.hub_id or "DATA")))
        words += ["-o clean", self.settings.flags(leave_out=left_out), *_reading_flags(self.read_as)]
        return " ".join(words)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SplitPlan):
            return NotImplemented
        return self._plain() == other._plain()

    __hash__ = None  # type: ignore[assignment]

    def _plain(self) -> dict[str, Any]:
        """Return the plan as it is stored, without the files it was written to."""
        stored = self._stored()
        return {name: stored[name] for name in stored if name not in ("files", "reading")}

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={n}" for name, n in self.sizes.items())
        return f"SplitPlan({sizes}, n_discarded={self.n_discarded}): {self.guarantee}. {self.signature}"

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as ``cleancut split --json`` prints it, without the assignment."""
        n_kept = max(len(self.assignment) - self.n_discarded, 1)
        return {
            "n_samples": len(self.assignment),
            "n_discarded": self.n_discarded,
            "sizes": self.sizes,
            "ratios": {name: n / n_kept for name, n in self.sizes.items()},
            "leakage_before": by_pair_name(self.leakage["before"]),
            "leakage_after": by_pair_name(self.leakage["after"]),
            "related_before": by_pair_name(self.related.get("before", {})),
            "related_after": by_pair_name(self.related.get("after", {})),
            "representation": self.representation,
            "how": self.how,
            "proven": self.proven,
            "guarantee": self.guarantee,
            "notes": self.notes,
            "signature": self.signature,
        }

    def rows(self, name: str) -> NDArray[np.int64]:
        """Return the numbers of the samples of a split, in the order of the input.

        Args:
            name: the name of a split, or ``discarded``.

        Raises:
            CleancutError: the plan has no such split.
        """
        if isinstance(name, str) and name == "discarded":
            return np.flatnonzero(self.assignment == DISCARDED)
        if not isinstance(name, str) or name not in self.names:
            there = f"{', '.join(self.names)}, and 'discarded'"
            raise CleancutError(f"the plan has no split {quoted(name)}. It has {there}.")
        return np.flatnonzero(self.assignment == self.names.index(name))

    def origins(self) -> list[tuple[str, int]]:
        """Return for each sample its original split and its row in it."""
        return [(name, row) for name, n in self.original_sizes.items() for row in range(n)]

    def apply(self, data: Any, *, discarded: bool = False, origin: bool = False) -> Any:
        """Return the data that was split as its new splits.

        The samples have to be those that were split, in the same order. Rows that cannot be read as samples, such as
        those of which only ids are left, are taken by their position.

        Args:
            data: the data that was split: a dataset, a corpus or a list of rows, or the splits of one by name, such as
                ``load_splits`` returns.
            discarded: add the discarded samples as a split of that name.
            origin: add the columns ``source_split`` and ``source_row`` to a dataset.

        Returns:
            A ``DatasetDict`` for a dataset, a dict of corpora for a corpus, a dict of lists for rows that are dicts.
            The splits of an ``IterableDataset`` are streamed as well: an error is raised at the first row that does
            not belong to the plan.

        Raises:
            CleancutError: the data has other samples than the plan, or has them in another order.

        >>> from .mincut import mincut
        >>> corpus = Corpus.of([["Ada"], ["Bo"]], tags=[["B-PER"], ["B-PER"]])
        >>> parts = mincut(corpus, "50/50", effort="fast", min_per_type=0).apply(corpus)
        >>> {name: len(part) for name, part in parts.items()}
        {'train': 1, 'test': 1}
        """
        checks.switches(discarded=discarded, origin=origin)
        names = self._names_of_parts(discarded)
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

    def _names_of_parts(self, discarded: bool = True) -> list[str]:
        """Return the names of the splits, and ``discarded`` where there are such samples and they are wanted."""
        if discarded and self.n_discarded:
            return [*self.names, "discarded"]
        return list(self.names)

    def _lists(self, data: Any, names: Sequence[str]) -> dict[str, list[Any]]:
        """Return the splits of rows that are dicts in a list, or in a list for each original split."""
        parts = data if isinstance(data, Mapping) else {"": data}
        given = [parts[name] for name in self.in_order(parts)]
        rows = [row for part in given for row in part]
        if len(rows) != len(self.assignment):
            raise CleancutError(
                f"the plan is for {counted(len(self.assignment), 'sample')}, but {len(rows)} are given."
            )
        self.refuse_other_samples(_read_hashes(given, dataset_options(self.read_as), bool(self.read_as.get("join_at"))))
        return {name: [rows[i] for i in self.rows(name).tolist()] for name in names}

    def column(self, data: Any, name: str = "split") -> Any:
        """Add a column to a dataset that holds the split of each row, as a ``ClassLabel``.

        Args:
            data: the dataset that was split, or its splits by name.
            name: the name of the column.

        Returns:
            The same kind of object with the column. Discarded rows have the value ``discarded``.

        Raises:
            CleancutError: the data has other samples than the plan, or a column of this name.
        """
        import datasets

        kind: Any = type(data) if hasattr(data, "column_names") else dict
        checks.column_name(name, "name")
        data = _rows_of_samples(data)
        parts = dict(data) if isinstance(data, Mapping) else {"": data}
        if not hasattr(self._checked(data), "add_column"):
            raise CleancutError(f"a column is added to a datasets.Dataset, not to a {type(data).__name__}. Give one.")
        names = self._names_of_parts()
        feature = datasets.ClassLabel(names=names)
        first = 0
        with_column = {}
        for part_name in self.in_order(parts):
            part = parts[part_name]
            if name in part.column_names:
                raise CleancutError(f"the dataset has a column {quoted(name)} already. Give another name=.")
            own = self.assignment[first : first + len(part)].astype(np.int64) % len(names)  # -1 is the last
            with_column[part_name] = part.add_column(name, own).cast_column(name, feature)
            first += len(part)
        if not isinstance(data, Mapping):
            return with_column[""]
        return kind({part_name: with_column[part_name] for part_name in parts})

    def in_order(self, parts: Mapping[str, Any]) -> list[str]:
        """Return the names of original splits in the order in which they were joined for the plan.

        Args:
            parts: the original splits by name.
        """
        given = checks.mapping(parts, "parts", "the original splits by name")
        return list(self.original_sizes) if set(self.original_sizes) == set(given) else list(given)

    def write(
        self,
        folder: str | os.PathLike[str],
        data: Any,
        *,
        format: str | None = None,
        beside: Mapping[str, str | Corpus] | None = None,
        overwrite: bool = False,
    ) -> SplitPlan:
        """Write the splits as files, with ``plan.json``; an interruption leaves all of them or none.

        Args:
            folder: the folder to write to. It is made if it does not exist; other files in it stay untouched.
            data: the data that was split: a dataset or its splits, a corpus or its splits, or what ``load_splits``
                returned.
            format: ``jsonl``, ``conll``, or ``input`` for unchanged rows with all columns; by default ``input`` for
                datasets and ``jsonl`` for corpora.
            beside: texts and corpora to write into the same folder, by the names of their files.
            overwrite: replace files of the same names even if cleancut did not write them.

        Returns:
            The plan with the names and digests of its files, as ``SplitPlan.load`` reads it from the folder.

        Raises:
            CleancutError: the data has other samples than the plan, or a file of the folder would be lost.
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
            data: the data that was split.
            repo: the dataset on the Hub, ``org/name``; it is made if it does not exist.
            config: the name of the config.
            token: a token for the Hub, where it is not the one that huggingface_hub knows.
            create_pr: upload as a pull request.
            private: make the dataset private, if it is new.
            dry_run: upload nothing, but return what would be uploaded.
            max_shard_size: the largest size of a Parquet file before compression.

        Returns:
            Lines that say what was uploaded, or would be.
        """
        checks.switches(create_pr=create_pr, dry_run=dry_run)
        if private is not None:
            checks.switches(private=private)
        publish = module_of("hub.publishing").publish
        report: list[str] = publish(
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
        return report

    def row_options(self) -> dict[str, Any]:
        """Return the options that read unchanged rows again, from files or datasets, where the defaults do not."""
        return {name: value for name, value in self.read_as.items() if name not in ("columns", "join_at")}

    def _checked(self, data: Any) -> Any:
        """Return the data that was split as one corpus or dataset.

        Raises:
            CleancutError: the data is of another kind, has other samples than the plan, or in another order.
        """
        data = _rows_of_samples(data)
        if isinstance(data, Mapping) and self.original_sizes:
            sizes = {name: len(part) if isinstance(part, Sized) else None for name, part in data.items()}
            if sizes != dict(self.original_sizes):
                raise CleancutError(
                    f"the plan is for splits of {dict(self.original_sizes)} samples, but {quoted(sizes)} are given."
                )
            data = {name: data[name] for name in self.original_sizes}  # in the order in which they were joined
        whole = joined(data)
        if not isinstance(whole, Corpus) and not hasattr(whole, "column_names"):
            raise CleancutError(f"expected a Corpus or a datasets.Dataset, got {type(whole).__name__}.")
        if len(whole) != len(self.assignment):
            raise CleancutError(
                f"the plan is for {counted(len(self.assignment), 'sample')}, but {len(whole)} are given."
            )
        self.refuse_other_samples(self._hashes(whole))
        return whole

    def of_rows(self, samples: Sequence[Samples]) -> SplitPlan:
        """Return a plan that assigns rows, where the rows of datasets hold several samples each, or parts of one.

        Args:
            samples: the samples of each original split, which know their rows.
        """
        n_rows = sum(part.n_rows for part in samples)
        n_samples = sum(len(part.corpus) for part in samples)
        # Plans of 0.1.0 do not say whether they assign rows, but their length does.
        is_of_rows = self.is_of_rows or len(self.assignment) == n_rows != n_samples
        if is_of_rows or all(part.row_of_sample is None for part in samples):
            return self
        ends = np.cumsum([len(part.corpus) for part in samples])[:-1]
        parts = zip(samples, np.split(self.assignment, ends), strict=True)
        sizes = {name: part.n_rows for name, part in zip(self.original_sizes, samples, strict=True)}
        assignment = np.concatenate([part.of_rows(own) for part, own in parts])
        return replace(self, assignment=assignment, original_sizes=sizes, is_of_rows=True, marks="")

    def refuse_other_samples(self, ways: Iterable[NDArray[np.uint64]]) -> None:
        """Raise an error where samples are others than those of the plan, or are in another order.

        Args:
            ways: the hashes of the samples, for each way in which rows can be read as samples. One way that agrees
                with the plan is enough; without any way, nothing is checked.

        Raises:
            CleancutError: the samples are not those of the plan.
        """
        first = None
        for hashes in ways:
            fingerprint = fingerprint_of(hashes)
            if fingerprint == self.fingerprint:
                order = order_of(hashes)
                if order != self.order:
                    raise CleancutError(
                        f"the plan is for these samples in another order (order {self.order}, and {order} of those "
                        "given). Give them in the order in which they were split."
                    )
                return
            first = first or fingerprint
        if first is not None:
            raise CleancutError(
                f"the plan is for other samples than those given (fingerprint {self.fingerprint}, and {first} of those "
                "given). Give those that were split: the corpus itself, where it was read from a dataset with options."
            )

    def _hashes(self, whole: Any) -> Iterator[NDArray[np.uint64]]:
        """Yield the hashes of the samples of a dataset, for each way in which they may have been read for the plan."""
        if isinstance(whole, Corpus):
            yield sample_hashes(whole)
            return
        ends = np.cumsum(list(self.original_sizes.values()) or [len(whole)]).tolist()
        rows = [whole.select(range(first, end)) for first, end in zip([0, *ends], ends, strict=False)]
        options = dataset_options(self.read_as)
        columns = [name for name in self.read_as.get("columns", ()) if name in whole.column_names]
        joined = bool(self.read_as.get("join_at"))
        yield from _read_hashes(rows, options, joined)
        if columns:  # columns that were added since could hide the annotation
            yield from _read_hashes([part.select_columns(columns) for part in rows], options, joined)
        if options or joined:
            yield from _read_hashes(rows, {}, False)
        if not self.read_as:  # the plan is of a corpus, which does not say from which columns it was read
            listed = [name for name, kind in table_of(whole).kinds.items() if kind.name in ("list", "text")]
            for tokens, annotation in product([None, *listed], listed):
                for form in ("tags", "entities"):
                    yield from _read_hashes(rows, {"tokens": tokens, form: annotation}, False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan as a JSON file.

        Args:
            path: the file to write. One that exists is replaced.
        """
        with replacing(path) as stream:
            stream.write(json.dumps(self._stored()).encode())

    def _stored(self) -> dict[str, Any]:
        """Return the plan as it is stored in JSON."""
        stored = {"format": FORMAT, "names": self.names, "fingerprint": self.fingerprint, **self.to_dict()}
        stored |= {"settings": self.settings.to_dict(), **{name: getattr(self, name) for name in _STORED}}
        if self.is_of_rows:
            stored["is_of_rows"] = True
        plain: dict[str, Any] = without_nan({**stored, "assignment": self.assignment.tolist()})
        return plain

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SplitPlan:
        """Read a plan that ``save`` wrote, and check everything in it.

        Args:
            path: the JSON file.

        Returns:
            The plan, which is safe to use even if the file was changed by others.

        Raises:
            CleancutError: there is no such file, or it is not a valid plan.
        """
        return cls(**read_plan(path))


def _read_hashes(rows: Sequence[Any], options: Mapping[str, Any], joined: bool) -> Iterator[NDArray[np.uint64]]:
    """Yield the hashes of all samples in one array, read with the given options, or nothing if they cannot be read so.

    Args:
        rows: the rows of each original split, one split after the other.
        options: the options of ``from_dataset``.
        joined: whether an "@" is joined with the user name after it.
    """
    with suppress(CleancutError):
        corpora = [from_dataset(part, **options) for part in rows]
        if joined:
            corpora = [join_at(corpus) for corpus in corpora]
        yield np.concatenate([sample_hashes(corpus) for corpus in corpora])


_OF_TEXT = ("unit", "key", "case", "typed", "same", "part_limit", "templates", "duplicates_together")
"""The options of a split that say how entities are found. Incidences do not take them: their entities are given."""


def _reading_flags(read_as: Mapping[str, Any]) -> list[str]:
    """Return the options of the command line that read the data in the same way again."""
    words = []
    for name, value in read_as.items():
        if name == "join_at":
            words += ["--join-at"] if value else []
        elif name != "columns":  # these were recognised, not asked for
            text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            words += [f"--{name.replace('_', '-')}", shlex.quote(text)]
    return words


_STORED = ("original_sizes", "source", "order", "marks", "files", "reading", "read_as")
"""The fields of a plan that are stored as they are, beside those of ``to_dict``."""


def without_nan(value: Any) -> Any:
    """Return a value with None in place of every NaN inside of it, since JSON has no NaN."""
    if isinstance(value, Mapping):
        return {name: without_nan(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and value != value else value


def _is_rows(data: Any) -> bool:
    """Return whether data is a list of dicts, or such a list for each split."""
    parts = list(data.values()) if isinstance(data, Mapping) else [data]
    return bool(parts) and all(isinstance(part, list) and all(isinstance(row, dict) for row in part) for part in parts)


def _is_streamed(data: Any) -> bool:
    """Return whether data is an ``IterableDataset``, or one for each split."""
    parts = list(data.values()) if isinstance(data, Mapping) else [data]
    return bool(parts) and all(hasattr(part, "column_names") and not hasattr(part, "__len__") for part in parts)


def _rows_of_samples(data: Any) -> Any:
    """Return the datasets or corpora that ``Samples`` hold, alone or for each split; any other data as it is."""
    if isinstance(data, Mapping):
        return {name: _rows_of_part(part) for name, part in data.items()}
    return _rows_of_part(data)


def _rows_of_part(part: Any) -> Any:
    """Return the dataset or corpus that ``Samples`` hold; anything else as it is."""
    if not isinstance(part, Samples):
        return part
    return part.rows if hasattr(part.rows, "select") else part.corpus


def joined(data: Any) -> Any:
    """Return the splits of a dataset or corpus as one; a dataset or corpus as it is.

    Raises:
        CleancutError: the splits differ in their columns.
    """
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
