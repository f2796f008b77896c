"""Incidences: which sample mentions which entity how often, which is all that a cut needs to know of a corpus.

They can be stored in a file, which is the interface between a program that extracts entities and the splitter: Parquet
with the columns ``sample``, ``entity`` and ``count``, and optionally ``type``, ``unit``, ``hash`` and ``ids``;
docs/guides/large.md explains them. The file is read in batches, and names do not stay in memory: samples, units and
entities are told apart by 64-bit hashes of their names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.arrays import bounds_of, ranges
from ..core.corpus import Corpus, sorted_names
from ..core.entities import Key, Shared, entity_codes, shared_codes
from ..core.entity_ids import ids_of
from ..core.exceptions import CleancutError, parse_choice, quoted
from ..core.files import replacing
from ..core.hashing import sample_hashes, text_hashes
from ..core.inputs import Interner
from ..core.limits import refuse_larger
from ..core.names import Links
from ..core.same import EXACT, Notion, Same
from ..core.templates import template_hashes
from ..core.vocabulary import byte_hashes, mixed
from ..reading.dataset import own_numbers
from ..reading.opening import Source
from ..reading.parquet import parquet_file, readable_parquet
from .audit import Unit, units_of
from .components import components

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Incidences:
    """The mentions of a corpus as numbers: their samples, entities and types, and the units that stay whole.

    ``Incidences.load(path)`` reads them from a file; ``mincut`` takes them instead of a corpus.
    """

    sample: NDArray[np.int32]
    """The sample of each mention."""
    label: NDArray[np.int32]
    """The type of each mention, as an index into ``labels``."""
    labels: tuple[str, ...]
    """The names of the types, sorted."""
    entity: NDArray[np.int32]
    """The number of the entity of each mention, or of the pair or triple of each relation."""
    unit: NDArray[np.int64]
    """The unit of each sample; a unit goes to one split as a whole."""
    hash: Hashes
    """A hash of each sample, by which samples are sorted, so that the order of rows does not matter."""
    path: str | None = None
    """The file that they were read from."""
    rows: NDArray[np.int64] | None = None
    """The first row of each sample in the file."""
    connected: Callable[..., NDArray[np.int64]] | None = None
    """A function that finds connected units elsewhere, such as on Spark, instead of on this machine."""
    what: Shared = Shared.ENTITY
    """The kind of thing that ``entity`` numbers: entities, or pairs or triples of relations."""
    of_relation: NDArray[np.int32] | None = None
    """The sample of each relation, where pairs or triples must not be shared."""
    link: NDArray[np.int64] | None = None
    """Codes of further links: samples that have one in common must not be in two splits, as those of one entity."""
    mention_of_link: NDArray[np.int64] | None = None
    """The mention of each further link."""

    def __len__(self) -> int:
        return len(self.hash)

    def touched(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the sample and the number of each thing that must not be shared: entities, relations or links."""
        if self.link is None or self.mention_of_link is None:
            return self.carrier, self.entity
        samples = np.append(self.sample, self.sample[self.mention_of_link])
        return samples, np.append(self.entity, self.link.astype(np.int32))

    @property
    def carrier(self) -> NDArray[np.int32]:
        """The sample of each number in ``entity``: of each mention, or of each relation."""
        return self.sample if self.of_relation is None else self.of_relation

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        key: Key,
        unit: Unit,
        duplicates_together: bool,
        what: Shared,
        same: Same = EXACT,
        templates_together: bool = False,
    ) -> Incidences:
        """Return the incidences of a corpus.

        Args:
            corpus: the samples.
            key: the entity key: when two mentions are of the same entity.
            unit: the unit that goes to one split as a whole.
            duplicates_together: make units whose samples have the same words one unit.
            what: the kind of thing that must not be shared.
            same: which names count as the same.
            templates_together: make units one unit whose samples with mentions have the same template.
        """
        texts = text_hashes(corpus)
        units = units_of("the corpus", corpus, unit)
        if duplicates_together:
            units = np.unique(_unit_texts(units, texts), return_inverse=True)[1]
        if templates_together:
            units = _joined_by_template(corpus, units)
        if not same.is_exact:
            links = Links.of([corpus], key, same)
            return cls(
                sample=corpus.mentions.sample,
                label=corpus.mentions.label,
                labels=corpus.mentions.labels,
                entity=links.entity[0],
                unit=units,
                hash=sample_hashes(corpus, texts),
                link=links.code[0],
                mention_of_link=links.mention[0],
            )
        carrier, codes = shared_codes(corpus, key, what)
        mentions = corpus.mentions
        of_relation = None if what is Shared.ENTITY else carrier
        return cls(
            sample=mentions.sample,
            label=mentions.label,
            labels=mentions.labels,
            entity=codes,
            unit=units,
            hash=sample_hashes(corpus, texts),
            what=what,
            of_relation=of_relation,
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Incidences:
        """Read a file of incidences, or a folder of such files, with the rows in any order.

        Args:
            path: the Parquet file or the folder.

        Raises:
            CleancutError: there is no such file, a column is missing, or rows contradict each other.
        """
        checks.checked_path(path)
        types = Interner()
        n_rows = 0
        n_runs = 0
        # Rows of a sample usually follow each other. Such a run has one unit and one hash, which saves memory.
        columns_of_rows = []
        columns_of_runs = []
        ids_of_rows = []
        for batch in batches(path):
            numbers = Numbers.of(batch, f"{path}, rows from {n_rows}")
            begins_run = np.append(True, numbers.sample[1:] != numbers.sample[:-1])
            run = np.cumsum(begins_run) - 1
            first_row = np.flatnonzero(begins_run)
            _refuse_torn(path, numbers.unit, numbers.hash, first_row[run], n_rows + np.arange(len(run)))
            label = np.array([types[name] for name in numbers.types] or [0], np.int32)[numbers.type]
            columns_of_rows.append((numbers.entity, numbers.n_mentions, label, run + n_runs))
            ids_of_rows.append((n_rows + numbers.row_of_id, numbers.id))
            of_first_row = numbers.sample[first_row], numbers.unit[first_row], numbers.hash[first_row]
            columns_of_runs.append((*of_first_row, n_rows + first_row))
            n_rows += len(run)
            n_runs += len(first_row)
        if not columns_of_rows:
            raise CleancutError(f"{path}: there are no samples to split.")
        entity, count, label, run = (np.concatenate(parts) for parts in zip(*columns_of_rows, strict=True))
        _refuse_too_many(path, count)
        name, unit, hashes, row_of_run = (np.concatenate(parts) for parts in zip(*columns_of_runs, strict=True))
        row_of_id, id_hash = (np.concatenate(parts) for parts in zip(*ids_of_rows, strict=True))
        del columns_of_rows, columns_of_runs, ids_of_rows
        _, first_run, name_of_run = np.unique(name, return_index=True, return_inverse=True)
        order = np.argsort(first_run)  # samples are numbered in the order in which they first occur
        sample_of_run = np.argsort(order)[name_of_run]
        first_run = first_run[order]
        _refuse_torn(path, unit, hashes, first_run[sample_of_run], row_of_run)
        labels, label = sorted_names(tuple(types), np.repeat(label, count))
        codes = np.unique(entity, return_inverse=True)[1].astype(np.int32)
        link, mention_of_link = None, None
        if len(id_hash):  # each mention of a row has the ids of the row
            n_mentions = count[row_of_id]
            n_links = sum(map(int, n_mentions.tolist()))
            refuse_larger(_BYTES_OF_LINK * n_links, f"{path}: a table of the {n_links} ids of its mentions")
            code = int(codes.max(initial=-1)) + 1 + np.unique(id_hash, return_inverse=True)[1]
            link = np.repeat(code, n_mentions)
            mention_of_link = ranges(bounds_of(count)[row_of_id], n_mentions)
        return cls(
            sample=np.repeat(sample_of_run[run].astype(np.int32), count),
            label=label,
            labels=labels,
            entity=np.repeat(codes, count),
            unit=np.unique(unit[first_run], return_inverse=True)[1],
            hash=hashes[first_run],
            path=os.fspath(path),
            rows=row_of_run[first_run],
            link=link,
            mention_of_link=mention_of_link,
        )

    def names(self) -> Iterator[Any]:
        """Yield the names of the samples, in their order, as Arrow arrays that are read from the file again."""
        assert self.path is not None and self.rows is not None
        first = 0
        for batch in batches(self.path):
            low, high = np.searchsorted(self.rows, [first, first + batch.num_rows])
            yield batch.column("sample").take(_arrow().array(self.rows[low:high] - first))
            first += batch.num_rows


_BYTES_OF_LINK = 16
"""The memory that an id of a mention takes: both are numbers of eight bytes."""
_BYTES_OF_MENTION = 12
"""The memory that a mention takes: its sample, its type and its entity are numbers of four bytes."""


def _refuse_too_many(path: str | os.PathLike[str], count: NDArray[np.int64]) -> None:
    """Raise an error where the counts of a file add up to more mentions than memory holds."""
    # Huge counts are added as Python's integers, since numpy's sum would overflow and look small.
    is_huge = count > 2**31
    n_mentions = sum(map(int, count[is_huge].tolist())) + int(count[~is_huge].sum())
    if n_mentions >= 2**31:
        raise CleancutError(f"{path}: the counts add up to {n_mentions} mentions. Give less than {2**31} in one file.")
    refuse_larger(_BYTES_OF_MENTION * n_mentions, f"{path}: a table of its {n_mentions} mentions")


def _joined_by_template(corpus: Corpus, units: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return units, of which those that have samples with mentions of the same template are one."""
    bearing = np.unique(corpus.mentions.sample)
    template = np.unique(template_hashes(corpus)[bearing], return_inverse=True)[1]
    n_units = int(units.max(initial=-1)) + 1
    n_templates = int(template.max(initial=-1)) + 1
    group = components(units[bearing], n_units + template, n_units + n_templates)
    return np.unique(group[units], return_inverse=True)[1]


def _unit_texts(units: NDArray[np.int64], texts: Hashes) -> Hashes:
    """Return for each sample a hash of all texts of its unit, which is equal where units have the same texts."""
    unit_hash = np.zeros(int(units.max(initial=-1)) + 1, np.uint64)
    np.add.at(unit_hash, units, texts)
    return unit_hash[units]


# --- writing ------------------------------------------------------------------------------------------------


def write_incidence(
    data: Corpus | Mapping[str, Corpus],
    path: str | os.PathLike[str],
    *,
    unit: str = "sample",
    case: bool = True,
    typed: bool = True,
    same: str | Same = "exact",
    aliases: Any = None,
    duplicates_together: bool = True,
) -> None:
    """Write which sample has which entities as a Parquet file, which ``Incidences.load`` reads.

    A split of the file is the split of the corpus. Samples are named by their ids where all ids are there and differ,
    else by a hash of their words and mentions.

    Args:
        data: a corpus, or the splits of one by name.
        path: the file to write. One that exists is replaced.
        unit: the unit that goes to one split as a whole: ``sample`` or ``doc``.
        case: whether words that differ in case make different entities.
        typed: whether the type belongs to the entity.
        same: which names are the same entity: ``exact``, ``fold`` (whatever case and punctuation), ``id`` (they have an
            id in common) and ``alias``, with ``+`` between them. The file has no place for other relations of names.
        aliases: lists of names that mean the same, for ``alias``.
        duplicates_together: make units whose samples have the same words one unit.

    Raises:
        CleancutError: there are no samples, the notion is no equivalence, or ``unit="doc"`` is asked for where samples
            have no document ids.

    >>> import tempfile
    >>> corpus = Corpus.of([["Ada"], ["so"]], tags=[["B-PER"], ["O"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_incidence(corpus, f"{folder}/entities.parquet")
    ...     len(Incidences.load(f"{folder}/entities.parquet"))
    2
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    pa = _arrow()
    wanted = "a Corpus, or a Corpus for each split"
    parts = {"": data} if isinstance(data, Corpus) else checks.instances(data, Corpus, "data", wanted)
    if not parts:
        raise CleancutError(f"there are no samples to write. Give {wanted}.")
    if len(parts) > 1:  # documents that are only numbered are other documents in each split
        parts = {name: own_numbers(name, part) for name, part in parts.items()}
    corpus = Corpus.concatenate(list(parts.values()))
    notion = equivalence(Same.of(same, aliases=aliases))
    samples = count_entities(corpus, Key.of(case, typed), notion).combine_chunks()
    units = units_of("the corpus", corpus, parse_choice(Unit, unit, "unit"))
    if checks.switch(duplicates_together, "duplicates_together"):
        units = _unit_texts(units, samples["text"].to_numpy().view(np.uint64)).view(np.int64)
    lists = samples["entities"].combine_chunks()
    without_entities = np.flatnonzero(np.diff(lists.offsets.to_numpy()) == 0)  # such a sample has a row, too
    sample_of_row = pa.array(np.append(pc.list_parent_indices(lists).to_numpy(), without_entities))
    columns = dict(zip(("entity", "type", "count", "ids"), lists.flatten().flatten(), strict=True))
    filled = {}
    for name, column in columns.items():
        filled[name] = pa.concat_arrays([column, pa.nulls(len(without_entities), column.type)])
    rows = {
        "sample": _sample_names(corpus, samples["hash"].to_numpy().view(np.uint64)).take(sample_of_row),
        "entity": filled["entity"],
        "count": filled["count"].fill_null(0),
        "type": filled["type"],
        "unit": pa.array(units).take(sample_of_row),
        "hash": samples["hash"].take(sample_of_row),
    }
    if notion.has(Notion.ID):
        rows["ids"] = filled["ids"]
    table = pa.table(rows)
    with replacing(path) as stream:
        pq.write_table(table, stream, compression="zstd")


def equivalence(same: Same) -> Same:
    """Return a notion of the same name that says when two mentions are of one entity, and nothing else.

    Args:
        same: the notion.

    Raises:
        CleancutError: it also relates names that are not the same.
    """
    for notion in (Notion.PART, Notion.TEMPLATES):
        if notion in same.notions:
            raise CleancutError(
                f"same={quoted(str(same))}: incidences tell which names are the same entity (fold, id, alias), and "
                f"have no place for {notion}. Split the corpus itself."
            )
    return same


def count_entities(corpus: Corpus, key: Key, same: Same = EXACT) -> Any:
    """Return an Arrow table with a row for each sample: ``id``, ``doc``, two hashes, and its ``entities`` with counts.

    Where ids matter, mentions of an entity that have other ids than the rest are counted apart. The hash ``text`` is of
    the words, the hash ``hash`` is of words and mentions. An entity is written as its words with spaces between them,
    then a tab and its type where that belongs to the entity key.
    """
    pa = _arrow()
    mentions = corpus.mentions
    codes = entity_codes(corpus, key) if same.is_exact else Links.of([corpus], key, same).entity[0]
    n_types = len(mentions.labels) + 1
    ids_of_code = None
    if same.has(Notion.ID):
        ids_of_code, codes = _apart_by_ids(corpus, codes, key)
    n_entities = int(codes.max(initial=0)) + 1
    # Each triple of a sample, an entity and a type is packed into one number, since one sort of numbers is fast.
    triples = (mentions.sample.astype(np.int64) * n_entities + codes) * n_types + mentions.label
    triples, counts = np.unique(triples, return_counts=True)
    pairs, label = np.divmod(triples, n_types)
    sample, entity = np.divmod(pairs, n_entities)
    texts = text_hashes(corpus)
    nothing = (None,) * len(corpus)
    fields = {
        "entity": _entity_names(corpus, codes, key, same).take(pa.array(entity)),
        "type": _strings(mentions.labels).take(pa.array(label)),
        "count": pa.array(counts.astype(np.int32)),
        "ids": pa.nulls(len(entity), pa.list_(pa.string())),
    }
    if ids_of_code is not None:
        fields["ids"] = ids_of_code.take(pa.array(entity))
    bounds = bounds_of(np.bincount(sample, minlength=len(corpus))).astype(np.int32)
    entities = pa.StructArray.from_arrays(list(fields.values()), list(fields))
    columns = {
        "id": _strings(corpus.ids or nothing),
        "doc": _strings(corpus.docs or nothing),
        "text": texts.view(np.int64),
        "hash": sample_hashes(corpus, texts).view(np.int64),
        "entities": pa.ListArray.from_arrays(bounds, entities),
    }
    return pa.table(columns)


def _apart_by_ids(corpus: Corpus, codes: NDArray[np.int32], key: Key) -> tuple[Any, NDArray[np.int32]]:
    """Return numbers for mentions of an entity with a list of ids, and the list of each number as an Arrow array.

    An id is written with the type that belongs to it under the key.
    """
    pa = _arrow()
    mentions = corpus.mentions
    suffixes = [""] * len(mentions.labels)
    if key.typed:
        suffixes = [f"\t{_escaped(label)}" for label in mentions.labels]
    table = Interner()
    numbers = []
    for own, label in zip(ids_of(corpus).lists(len(mentions)), mentions.label.tolist(), strict=True):
        numbers.append(table[tuple(_escaped(name) + suffixes[label] for name in own)])
    lists = pa.array(list(table), pa.list_(pa.string()))
    n_lists = len(table) + 1
    pairs, code = np.unique(codes.astype(np.int64) * n_lists + np.array(numbers, np.int64), return_inverse=True)
    return lists.take(pa.array(pairs % n_lists)), code.astype(np.int32)


def _entity_names(corpus: Corpus, codes: NDArray[np.integer], key: Key, same: Same) -> Any:
    """Return the name of each entity as an Arrow array, in the order of the entities' numbers."""
    mentions = corpus.mentions
    first = np.unique(codes, return_index=True)[1]
    begin = bounds_of(corpus.lengths)[mentions.sample[first]] + mentions.start[first]
    end = begin + mentions.end[first] - mentions.start[first]
    words = [key.fold(word) for word in corpus.vocabulary]
    suffixes = [""] * len(mentions.labels)
    if key.typed:
        suffixes = [f"\t{_escaped(label)}" for label in mentions.labels]
    names = []
    for start, stop, label in zip(begin.tolist(), end.tolist(), mentions.label[first].tolist(), strict=True):
        surface = [words[word] for word in corpus.words[start:stop].tolist()]
        if not same.is_exact:
            surface = same.forms([surface], key)
        names.append(" ".join(map(_escaped, surface)) + suffixes[label])
    return _strings(names)


def _escaped(word: str) -> str:
    """Return a word with its spaces and tabs escaped, so that two entities never have the same name."""
    return word.replace("\\", "\\\\").replace(" ", "\\ ").replace("\t", "\\t")


def _strings(names: Sequence[str | None]) -> Any:
    r"""Return texts as an Arrow array; a lone surrogate, which UTF-8 cannot encode, becomes ``\ud800``."""
    pa = _arrow()
    encoded = [None if name is None else name.encode("utf-8", "backslashreplace") for name in names]
    return pa.array(encoded, pa.binary()).cast(pa.string())


def _sample_names(corpus: Corpus, hashes: Hashes) -> Any:
    """Return a name for each sample, no two of them the same: the ids if these will do, else from the hashes."""
    if corpus.ids is not None and None not in corpus.ids and len(set(corpus.ids)) == len(corpus):
        return _strings(corpus.ids)
    n_copies: dict[int, int] = {}
    names = []
    for value in hashes.tolist():
        n_copies[value] = n_copies.get(value, 0) + 1
        names.append(hash_name(value, n_copies[value]))
    return _strings(names)


def hash_name(value: int, nth: int) -> str:
    """Return the name of the nth copy (from 1 on) of a sample that has no id, made of its hash.

    >>> hash_name(255, 1), hash_name(255, 2)
    ('00000000000000ff', '00000000000000ff#2')
    """
    return f"{value:016x}" if nth == 1 else f"{value:016x}#{nth}"


# --- reading ------------------------------------------------------------------------------------------------


class Numbers(NamedTuple):
    """Rows of a file as numbers, an item of each array for each row."""

    sample: Hashes
    """A hash of the name of the sample."""
    unit: Hashes
    """A hash of the name of the unit."""
    hash: Hashes
    """The hash of the sample that the file gives, else that of its name."""
    entity: Hashes
    """A hash of the name of the entity."""
    n_mentions: NDArray[np.int64]
    """The number of mentions of the entity in the sample; 0 in the row of a sample without entities."""
    type: NDArray[np.int32]
    """The type of the entity, as an index into ``types``."""
    types: list[str]
    """The names of the types."""
    row_of_id: NDArray[np.int64]
    """The row of each id that mentions have, by its number in the batch."""
    id: Hashes
    """A hash of each id, which no entity has."""

    @classmethod
    def of(cls, batch: Any, where: str) -> Numbers:
        """Return an Arrow batch as numbers.

        Args:
            batch: the rows, with the columns that ``batches`` has checked.
            where: the place of the batch, for error messages.

        Raises:
            CleancutError: a row has an entity without a count or a count without an entity, or names no sample.
        """
        import pyarrow.compute as pc

        pa = _arrow()
        entity = batch.column("entity")
        count = batch.column("count").cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        wrong = np.flatnonzero(count < 0)
        if len(count):  # Arrow cannot give numpy an empty array of truth values
            has_entity = entity.is_valid().to_numpy(zero_copy_only=False)
            wrong = np.append(np.flatnonzero((count > 0) != has_entity), wrong)
        if len(wrong):
            row = batch.slice(int(wrong[0]), 1).to_pylist()[0]
            raise CleancutError(
                f"{where}: entity {quoted(row['entity'])} with count {quoted(row['count'])}. Give an entity the "
                "number of its mentions, from 1 on; a sample without entities has one row, with null and 0."
            )
        if batch.column("sample").null_count:
            raise CleancutError(f"{where}: a row without a sample. Name the sample of each row.")
        sample = _hashed(batch.column("sample"))
        given = {name: batch.column(name) for name in ("unit", "hash", "type") if name in batch.schema.names}
        unit = _hashed(given["unit"]) if "unit" in given else sample
        hashes = given["hash"].to_numpy(zero_copy_only=False).view(np.uint64) if "hash" in given else sample
        type_of_row = np.zeros(len(sample), np.int32)
        types = ["entity"]
        if "type" in given:
            encoded = pc.dictionary_encode(given["type"].fill_null("entity"))
            type_of_row = encoded.indices.to_numpy()
            types = encoded.dictionary.to_pylist()
        row_of_id, ids = _ids_in(batch)
        return cls(sample, unit, hashes, _hashed(entity), count, type_of_row, types, row_of_id, ids)


def _ids_in(batch: Any) -> tuple[NDArray[np.int64], Hashes]:
    """Return the row and a hash of each id in the column ``ids`` of an Arrow batch; none without such a column."""
    import pyarrow.compute as pc

    if "ids" not in batch.schema.names:
        return np.zeros(0, np.int64), np.zeros(0, np.uint64)
    lists = batch.column("ids")
    rows = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False).astype(np.int64)
    return rows, mixed(_hashed(lists.flatten()) ^ _OF_IDS)


_OF_IDS = np.uint64(0x9E3779B97F4A7C15)
"""What tells the hash of an id from that of an entity of the same name."""


def batches(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Yield the rows of a file, or of a folder of files, as Arrow batches with the known columns.

    Raises:
        CleancutError: there is no such file, a column is missing, or a column holds another kind of values.
    """
    import pyarrow.dataset

    pa = _arrow()
    shown = os.fspath(path)
    with readable_parquet(shown):
        try:
            # Spark and Arrow have different names for Amazon's store.
            source = pyarrow.dataset.dataset(shown.replace("s3a://", "s3://", 1), format="parquet")
        except FileNotFoundError:
            raise CleancutError(f"{shown}: no such file.") from None
        for file in source.files:
            if os.path.isfile(file):  # not in a store elsewhere
                parquet_file(Source(file))
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
        "ids": (False, lambda kind: pa.types.is_list(kind) and is_text(kind.value_type), "lists of texts"),
    }
    for name, (needed, fits, wanted) in allowed.items():
        if name not in kinds and needed:
            raise CleancutError(
                f"{shown}: no column {quoted(name)} among {', '.join(kinds)}. Write sample, entity and count."
            )
        if name in kinds and not fits(kinds[name]):
            raise CleancutError(
                f"{shown}: the column {quoted(name)} holds {kinds[name]}, not {wanted}. Write it as such."
            )
    with readable_parquet(shown):
        for batch in source.to_batches(columns=[name for name in allowed if name in kinds], batch_size=1 << 17):
            if batch.num_rows:
                yield batch


def _hashed(column: Any) -> Hashes:
    """Return a hash of each name of a column (texts or whole numbers), the same for the same name in any file."""
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
    """Raise an error where rows of one sample name different units or hashes.

    Args:
        path: the file, for the error message.
        unit: the unit of each row.
        hashes: the hash of each row.
        first: the first row of the same sample, for each row.
        rows: the number of each row in the file, for the error message.
    """
    for what, values in (("unit", unit), ("hash", hashes)):
        torn = np.flatnonzero(values != values[first])
        if len(torn):
            raise CleancutError(
                f"{path}: rows {rows[first[torn[0]]]} and {rows[torn[0]]} are of one sample but differ in {what}. "
                f"Give all rows of a sample the same {what}."
            )


def _arrow() -> Any:
    """Return pyarrow, which takes a while to import and is needed for files only."""
    import pyarrow

    return pyarrow
