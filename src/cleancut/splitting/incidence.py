"""Which sample mentions which entity how often: all that a cut has to know of a corpus, and a plain file of it.

The file is the interface between whoever extracts entities and whoever cuts: Parquet with the columns ``sample``,
``entity`` and ``count``, and if need be ``type``, ``unit`` and ``hash``; splitters/README.md says what they mean. It is
read in batches, and no name stays in memory: samples, units and entities are told apart by 64 bits of their names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.arrays import bounds_of
from ..core.corpus import Corpus, sorted_names
from ..core.entities import Key, Shared, entity_codes, shared_codes
from ..core.exceptions import CleancutError, parse_choice, quoted
from ..core.files import replacing
from ..core.hashing import sample_hashes, text_hashes
from ..core.inputs import Interner
from ..core.limits import refuse_larger
from ..core.vocabulary import byte_hashes, mixed
from ..reading.dataset import own_numbers
from ..reading.parquet import readable_parquet
from .audit import Unit, units_of

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Incidences:
    """The mentions of a corpus as numbers: their samples, entities and types, and what of the samples stays whole.

    ``Incidences.load(path)`` reads them from a file; ``mincut`` takes them in place of a corpus.
    """

    sample: NDArray[np.int32]
    """The sample of each mention."""
    label: NDArray[np.int32]
    """The type of each mention, as an index into ``labels``."""
    labels: tuple[str, ...]
    """The names of the types, sorted."""
    entity: NDArray[np.int32]
    """Of each mention, or the pair or triple of each relation; the same ones have equal numbers."""
    unit: NDArray[np.int64]
    """Of each sample: the unit that goes to one split as a whole."""
    hash: Hashes
    """Of each sample: what orders the samples, however they are given."""
    path: str | None = None
    """The file they were read from."""
    rows: NDArray[np.int64] | None = None
    """The first row of each sample in the file."""
    connected: Callable[..., NDArray[np.int64]] | None = None
    """What finds the units that hang together, where that is not for this machine to do."""
    what: Shared = Shared.ENTITY
    """What ``entity`` numbers."""
    of_relation: NDArray[np.int32] | None = None
    """The sample of each relation, where these are what must not be shared."""

    def __len__(self) -> int:
        return len(self.hash)

    @property
    def carrier(self) -> NDArray[np.int32]:
        """The sample of each of ``entity``."""
        return self.sample if self.of_relation is None else self.of_relation

    @classmethod
    def of(cls, corpus: Corpus, key: Key, unit: Unit, duplicates_together: bool, what: Shared) -> Incidences:
        """Those of a corpus."""
        texts, units = text_hashes(corpus), units_of("the corpus", corpus, unit)
        if duplicates_together:  # units whose samples have the same words
            units = np.unique(_unit_texts(units, texts), return_inverse=True)[1]
        carrier, codes = shared_codes(corpus, key, what)
        of_relation = None if what is Shared.ENTITY else carrier
        sample, label, labels = corpus.mentions.sample, corpus.mentions.label, corpus.mentions.labels
        hashes = sample_hashes(corpus, texts)
        return cls(sample, label, labels, codes, units, hashes, what=what, of_relation=of_relation)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Incidences:
        """Read a file, or a folder of files, with its rows in any order."""
        checks.checked_path(path)
        types, n_rows, n_runs = Interner(), 0, 0
        of_row, of_run = [], []  # rows of a sample usually stand together: such a run has one unit and one hash
        for batch in batches(path):
            numbers = Numbers.of(batch, f"{path}, rows from {n_rows}")
            begins = np.append(True, numbers.sample[1:] != numbers.sample[:-1])
            run, at = np.cumsum(begins) - 1, np.flatnonzero(begins)
            _refuse_torn(path, numbers.unit, numbers.hash, at[run], n_rows + np.arange(len(run)))
            label = np.array([types[name] for name in numbers.types] or [0], np.int32)[numbers.type]
            of_row.append((numbers.entity, numbers.n_mentions, label, run + n_runs))
            of_run.append((numbers.sample[at], numbers.unit[at], numbers.hash[at], n_rows + at))
            n_rows, n_runs = n_rows + len(run), n_runs + len(at)
        if not of_row:
            raise CleancutError(f"{path}: there are no samples to split.")
        entity, count, label, run = (np.concatenate(parts) for parts in zip(*of_row, strict=True))
        _refuse_too_many(path, count)
        name, unit, hashes, at = (np.concatenate(parts) for parts in zip(*of_run, strict=True))
        del of_row, of_run
        _, first, of_name = np.unique(name, return_index=True, return_inverse=True)
        order = np.argsort(first)  # samples are numbered as they first occur
        sample_of_run = np.argsort(order)[of_name]
        first = first[order]
        _refuse_torn(path, unit, hashes, first[sample_of_run], at)
        labels, label = sorted_names(tuple(types), np.repeat(label, count))
        codes = np.unique(entity, return_inverse=True)[1].astype(np.int32)
        sample = np.repeat(sample_of_run[run].astype(np.int32), count)
        units = np.unique(unit[first], return_inverse=True)[1]
        entities = np.repeat(codes, count)
        return cls(sample, label, labels, entities, units, hashes[first], os.fspath(path), at[first])

    def names(self) -> Iterator[Any]:
        """The samples by the names that they have in the file, in their order, as Arrow arrays."""
        assert self.path is not None and self.rows is not None
        first = 0
        for batch in batches(self.path):
            low, high = np.searchsorted(self.rows, [first, first + batch.num_rows])
            yield batch.column("sample").take(_arrow().array(self.rows[low:high] - first))
            first += batch.num_rows


_BYTES_OF_MENTION = 12
"""The sample, the type and the entity of a mention, as numbers."""


def _refuse_too_many(path: str | os.PathLike[str], count: NDArray[np.int64]) -> None:
    """Refuse counts of mentions that no memory holds: each mention is a row of numbers here."""
    n_mentions = sum(map(int, count[count > 2**31].tolist())) + int(count[count <= 2**31].sum())
    if n_mentions >= 2**31:
        raise CleancutError(f"{path}: the counts add up to {n_mentions} mentions. Give less than {2**31} in one file.")
    refuse_larger(_BYTES_OF_MENTION * n_mentions, f"{path}: a table of its {n_mentions} mentions")


def _unit_texts(units: NDArray[np.int64], texts: Hashes) -> Hashes:
    """For each sample a number for all words of its unit, equal where units have the same samples."""
    of_unit = np.zeros(int(units.max(initial=-1)) + 1, np.uint64)
    np.add.at(of_unit, units, texts)
    return of_unit[units]


# --- writing ------------------------------------------------------------------------------------------------


def write_incidence(
    data: Corpus | Mapping[str, Corpus],
    path: str | os.PathLike[str],
    *,
    unit: str = "sample",
    case: bool = True,
    typed: bool = True,
    duplicates_together: bool = True,
) -> None:
    """Write the entities of the samples of a corpus, or of its splits, as Parquet: what ``Incidences.load`` reads.

    A cut of the file is the cut of the corpus. Samples are named by their ids where all have one and no two have the
    same, else by a hash of their words and mentions.
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    pa = _arrow()
    wanted = "a Corpus, or a Corpus for each split"
    parts = {"": data} if isinstance(data, Corpus) else checks.instances(data, Corpus, "data", wanted)
    if not parts:
        raise CleancutError(f"there are no samples to write. Give {wanted}.")
    corpus = Corpus.concatenate(
        [own_numbers(name, part) if len(parts) > 1 else part for name, part in parts.items()]
    )  # fmt: skip
    samples = count_entities(corpus, Key.of(case, typed)).combine_chunks()
    units = units_of("the corpus", corpus, parse_choice(Unit, unit, "unit"))
    if duplicates_together:
        units = _unit_texts(units, samples["text"].to_numpy().view(np.uint64)).view(np.int64)
    lists = samples["entities"].combine_chunks()
    alone = np.flatnonzero(np.diff(lists.offsets.to_numpy()) == 0)  # without entities: a row all the same
    row = pa.array(np.append(pc.list_parent_indices(lists).to_numpy(), alone))
    columns = dict(zip(("entity", "type", "count"), lists.flatten().flatten(), strict=True))
    filled = {name: pa.concat_arrays([column, pa.nulls(len(alone), column.type)]) for name, column in columns.items()}
    table = pa.table({
        "sample": _sample_names(corpus, samples["hash"].to_numpy().view(np.uint64)).take(row),
        "entity": filled["entity"],
        "count": filled["count"].fill_null(0),
        "type": filled["type"],
        "unit": pa.array(units).take(row),
        "hash": samples["hash"].take(row),
    })  # fmt: skip
    with replacing(path) as stream:
        pq.write_table(table, stream, compression="zstd")


def count_entities(corpus: Corpus, key: Key) -> Any:
    """An Arrow table with a row for each sample: id, doc, numbers for its text and for all of it, and its entities.

    An entity is written as its words with spaces between them, then a tab and its type where that belongs to the key.
    """
    pa = _arrow()
    mentions, codes = corpus.mentions, entity_codes(corpus, key)
    n_types, n_entities = len(mentions.labels) + 1, int(codes.max(initial=0)) + 1
    triples = (mentions.sample.astype(np.int64) * n_entities + codes) * n_types + mentions.label
    triples, counts = np.unique(triples, return_counts=True)
    pairs, label = np.divmod(triples, n_types)
    sample, entity = np.divmod(pairs, n_entities)
    texts, nothing = text_hashes(corpus), (None,) * len(corpus)
    columns = {
        "entity": _entity_names(corpus, codes, key).take(pa.array(entity)),
        "type": _strings(mentions.labels).take(pa.array(label)),
        "count": pa.array(counts.astype(np.int32)),
    }
    bounds = bounds_of(np.bincount(sample, minlength=len(corpus))).astype(np.int32)
    return pa.table({
        "id": _strings(corpus.ids or nothing),
        "doc": _strings(corpus.docs or nothing),
        "text": texts.view(np.int64),
        "hash": sample_hashes(corpus, texts).view(np.int64),
        "entities": pa.ListArray.from_arrays(bounds, pa.StructArray.from_arrays(list(columns.values()), list(columns))),
    })  # fmt: skip


def _entity_names(corpus: Corpus, codes: NDArray[np.int32], key: Key) -> Any:
    """The name of each entity, by its code."""
    mentions = corpus.mentions
    first = np.unique(codes, return_index=True)[1]
    begin = bounds_of(corpus.lengths)[mentions.sample[first]] + mentions.start[first]
    end = begin + mentions.end[first] - mentions.start[first]
    words = [_escaped(key.fold(word)) for word in corpus.vocabulary]
    types = [f"\t{_escaped(label)}" if key.typed else "" for label in mentions.labels]
    places = zip(begin.tolist(), end.tolist(), mentions.label[first].tolist(), strict=True)
    return _strings([" ".join([words[w] for w in corpus.words[b:e].tolist()]) + types[t] for b, e, t in places])


def _escaped(word: str) -> str:
    """A word without spaces and tabs, so that two entities never have one name."""
    return word.replace("\\", "\\\\").replace(" ", "\\ ").replace("\t", "\\t")


def _strings(names: Sequence[str | None]) -> Any:
    """An Arrow array of texts; half a character, which UTF-8 does not have, stands there as ``\\ud800``."""
    pa = _arrow()
    encoded = [None if name is None else name.encode("utf-8", "backslashreplace") for name in names]
    return pa.array(encoded, pa.binary()).cast(pa.string())


def _sample_names(corpus: Corpus, hashes: Hashes) -> Any:
    if corpus.ids is not None and None not in corpus.ids and len(set(corpus.ids)) == len(corpus):
        return _strings(corpus.ids)
    copies: dict[int, int] = {}
    for_each = []
    for value in hashes.tolist():
        copies[value] = nth = copies.get(value, 0) + 1
        for_each.append(hash_name(value, nth))
    return _strings(for_each)


def hash_name(value: int, nth: int) -> str:
    """The name of a sample without an id; copies of one sample are numbered, and it does not matter how."""
    return f"{value:016x}" if nth == 1 else f"{value:016x}#{nth}"


# --- reading ------------------------------------------------------------------------------------------------


class Numbers(NamedTuple):
    """Rows of a file as numbers."""

    sample: Hashes
    unit: Hashes
    hash: Hashes
    entity: Hashes
    n_mentions: NDArray[np.int64]
    """0 where a sample has no entity."""
    type: NDArray[np.int32]
    types: list[str]

    @classmethod
    def of(cls, batch: Any, where: str) -> Numbers:
        """Those of an Arrow batch; an error where a row makes no sense."""
        import pyarrow.compute as pc

        pa = _arrow()
        entity = batch.column("entity")
        count = batch.column("count").cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        wrong = np.flatnonzero((count > 0) != entity.is_valid().to_numpy(zero_copy_only=False)) if len(count) else count
        wrong = np.append(wrong, np.flatnonzero(count < 0))
        if len(wrong):
            row = batch.slice(int(wrong[0]), 1).to_pylist()[0]
            raise CleancutError(
                f"{where}: entity {quoted(row['entity'])} with count {row['count']!r}. Give an entity the number of "
                "its mentions, from 1 on; a sample without entities has one row, with null and 0."
            )
        if batch.column("sample").null_count:
            raise CleancutError(f"{where}: a row without a sample. Name the sample of each row.")
        sample = _hashed(batch.column("sample"))
        given = {name: batch.column(name) for name in ("unit", "hash", "type") if name in batch.schema.names}
        unit = _hashed(given["unit"]) if "unit" in given else sample
        hashes = given["hash"].to_numpy(zero_copy_only=False).view(np.uint64) if "hash" in given else sample
        if "type" not in given:
            return cls(sample, unit, hashes, _hashed(entity), count, np.zeros(len(sample), np.int32), ["entity"])
        found = pc.dictionary_encode(given["type"].fill_null("entity"))
        return cls(sample, unit, hashes, _hashed(entity), count, found.indices.to_numpy(), found.dictionary.to_pylist())


def batches(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The rows of a file, or of a folder of them, as Arrow batches with the columns that are known."""
    import pyarrow.dataset

    pa = _arrow()
    shown = os.fspath(path)
    with readable_parquet(shown):
        try:
            # Spark's name for Amazon's store is not Arrow's
            source = pyarrow.dataset.dataset(shown.replace("s3a://", "s3://", 1), format="parquet")
        except FileNotFoundError:
            raise CleancutError(f"{shown}: no such file.") from None
        kinds = dict(zip(source.schema.names, source.schema.types, strict=True))
        if len(kinds) < len(source.schema.names):
            raise CleancutError(f"{shown}: two columns have the same name. Rename one of them.")
    is_text: Callable[[Any], bool] = lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind)
    allowed = {
        "sample": (True, lambda kind: is_text(kind) or pa.types.is_integer(kind), "texts or whole numbers"),
        "entity": (True, is_text, "texts"),
        "count": (True, pa.types.is_integer, "whole numbers"),
        "type": (False, is_text, "texts"),
        "unit": (False, lambda kind: is_text(kind) or pa.types.is_integer(kind), "texts or whole numbers"),
        "hash": (False, pa.types.is_int64, "64-bit whole numbers"),
    }
    for name, (needed, fits, wanted) in allowed.items():
        if name not in kinds and needed:
            raise CleancutError(
                f"{shown}: no column {name!r} among {', '.join(kinds)}. Write sample, entity and count."
            )
        if name in kinds and not fits(kinds[name]):
            raise CleancutError(f"{shown}: the column {name!r} holds {kinds[name]}, not {wanted}. Write it as such.")
    with readable_parquet(shown):
        for batch in source.to_batches(columns=[name for name in allowed if name in kinds], batch_size=1 << 17):
            if batch.num_rows:
                yield batch


def _hashed(column: Any) -> Hashes:
    """A number for each name (a text or a whole number), equal where names are, in any file."""
    pa = _arrow()
    if pa.types.is_integer(column.type):
        return mixed(column.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False).view(np.uint64))
    texts = column.cast(pa.large_string()).fill_null("")
    bounds = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
    letters = np.frombuffer(texts.buffers()[2] or b"", np.uint8)[bounds[0] : bounds[-1]]
    return byte_hashes(letters, bounds - bounds[0])


def _refuse_torn(
    path: str | os.PathLike[str], unit: Hashes, hashes: Hashes, first: NDArray[np.int64], rows: NDArray[np.int64]
) -> None:
    """An error where a row differs from the first one of its sample in what belongs to the sample."""
    for what, values in (("unit", unit), ("hash", hashes)):
        torn = np.flatnonzero(values != values[first])
        if len(torn):
            raise CleancutError(
                f"{path}: rows {rows[first[torn[0]]]} and {rows[torn[0]]} are of one sample but differ in {what}. "
                f"Give all rows of a sample the same {what}."
            )


def _arrow() -> Any:
    import pyarrow

    return pyarrow
