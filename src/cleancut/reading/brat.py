"""Folders of BRAT: an ``.ann`` file with mentions beside each ``.txt`` file.

Offsets count the characters of a text, which has no tokens. A folder that is written here has a line for each sample,
with a space between its tokens. Its file ``cleancut.json`` keeps the names of documents and samples, so that the same
samples are read again.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, counted, quoted
from ..core.files import replacing_folder
from .exported import CHARACTERS, TOKEN_SPANS, Exported
from .opening import BYTE_ORDER_MARK, Row, Source
from .writing import Writing, refuse_relations, telling_lost_ids

_NAMES = "cleancut.json"
"""The file that says which samples the lines of the texts are."""


def is_brat(source: Source) -> bool:
    """Return whether a source is a folder of BRAT, with a file of annotation beside each text.

    Args:
        source: the source.
    """
    return source.is_folder and any(name.endswith(".ann") for name in os.listdir(source.name))


def brat(source: Source) -> Exported:
    """Return the rows of a folder of BRAT.

    Args:
        source: the folder.

    Returns:
        A row for each text, in the order of their names; of a folder that was written here, a row for each line.

    Raises:
        CleancutError: a file cannot be read, or ``cleancut.json`` does not fit the texts.
    """
    folder = Path(source.name)
    names = _names_in(folder)
    texts = [_read_text(path) for path in sorted(folder.glob("*.ann"))]
    n_split = sum(text.n_split for text in texts)
    notes = []
    if n_split:
        notes.append(f"{n_split} mentions are discontinuous and are taken from their first to their last character.")
    if names is None:
        rows = [{"id": text.path.stem, "text": text.text, "entities": text.entities} for text in texts]
        return Exported(rows, CHARACTERS, notes)
    text_of_name = {text.path.stem: text for text in texts}
    changed = sorted({str(name) for name, _, _ in names} ^ set(text_of_name))
    if changed:
        raise CleancutError(
            f"{folder}: {_NAMES} does not fit the texts ({changed[0]}). Remove it to read texts as they are."
        )
    rows = []
    for name, document, ids in names:
        rows += _samples(text_of_name[name], document, ids)
    return Exported(rows, TOKEN_SPANS, notes)


class _Text(NamedTuple):
    """A text with its mentions."""

    path: Path
    """The file of annotation."""
    text: str
    """The text."""
    entities: list[Row]
    """The mentions, with offsets that count characters."""
    n_split: int
    """The number of mentions that are discontinuous."""


def _read_text(path: Path) -> _Text:
    """Return the text that belongs to a file of annotation, with its mentions."""
    text_path = path.with_suffix(".txt")
    if not text_path.is_file():
        raise CleancutError(f"{path} has no text beside it. Put {text_path.name} there.")
    entities: list[Row] = []
    names: list[str] = []
    ids_of_name: dict[str, list[str]] = {}
    n_split = 0
    source = Source(str(text_path))
    bare = source.text()  # offsets count line ends as they stand
    text = f"\ufeff{bare}" if source.read().startswith(BYTE_ORDER_MARK) else bare
    is_quoted = True
    for number, line in enumerate(Source(str(path)).text().split("\n"), 1):
        reference = _REFERENCE.match(line)
        if reference is not None:
            ids_of_name.setdefault(reference[1], []).append(reference[2])
        if not line.startswith("T"):
            continue
        match = _MENTION.fullmatch(line.rstrip("\r"))
        if match is None:
            raise CleancutError(f"{path}, line {number}: not a line of BRAT ({quoted(line)}).")
        label, offsets, words = match.groups()
        pieces = [tuple(map(int, piece.split())) for piece in offsets.split(";")]
        n_split += len(pieces) > 1
        start = min(piece[0] for piece in pieces)
        end = max(piece[1] for piece in pieces)
        if end > len(text):
            raise CleancutError(
                f"{path}, line {number}: a mention from {start} to {end} lies outside the text, which has "
                f"{len(text)} characters."
            )
        is_quoted &= len(pieces) > 1 or bare[start:end] == words
        names.append(line.partition("\t")[0])
        entities.append({"start": start, "end": end, "label": label})
    for name, entity in zip(names, entities, strict=True):
        if name in ids_of_name:
            entity["id"] = ids_of_name[name]
    # offsets count the mark of the byte order too, unless the words of the mentions show that they do not
    counted_in = bare if is_quoted else text
    return _Text(path, counted_in, entities, n_split)


_MENTION = re.compile(r"T\S*\t(\S+) (\d{1,18} +\d{1,18}(?: *; *\d{1,18} +\d{1,18})*) *(?:\t(.*))?")
"""Matches the line of a mention: its name, type, offsets (of each piece, where there are several) and words."""

_REFERENCE = re.compile(r"N\S*\tReference (\S+) (\S+)")
"""Matches the line of a normalisation: its name, the name of a mention, and the id of its entity."""


_Named = tuple[str, str | None, list[str | None]]
"""The name of a text, the document that it is, and the ids of the samples that its lines are."""


def _names_in(folder: Path) -> list[_Named] | None:
    """Return what was written beside the texts of a folder; None where the folder was not written here."""
    path = folder / _NAMES
    if not path.is_file():
        return None
    try:
        texts = [(text["name"], text["document"], text["ids"]) for text in json.loads(path.read_bytes())["texts"]]
        if not all(map(_is_named, texts)):
            raise ValueError
        return texts
    except (ValueError, KeyError, TypeError, RecursionError):
        raise CleancutError(
            f"{path} was changed after it was written. Remove it to read the texts as they are."
        ) from None


def _is_named(text: tuple[Any, Any, Any]) -> bool:
    """Return whether a stored entry is the name of a text, with those of its document and its samples."""
    name, document, ids = text
    if not isinstance(name, str) or not isinstance(ids, list):
        return False
    return all(value is None or isinstance(value, str) for value in (document, *ids))


def _samples(text: _Text, document: str | None, ids: Sequence[str | None]) -> Iterator[Row]:
    """Yield the lines of a text as samples; a token is cut where a mention cuts it."""
    lines = text.text.split("\n")[:-1]
    if len(lines) != len(ids):
        sizes = f"{counted(len(lines), 'line')} but {counted(len(ids), 'sample')}"
        raise CleancutError(f"{text.path}: {sizes} in {_NAMES}. Remove {_NAMES} to read texts as they are.")
    first = 0
    n_mentions = 0
    for line, name in zip(lines, ids, strict=True):
        last = first + len(line)
        inside = [span for span in text.entities if first <= span["start"] < span["end"] <= last]
        n_mentions += len(inside)
        yield {"id": name, "doc": document, **_row_of_line(line, inside, first)}
        first = last + 1
    if n_mentions != len(text.entities):
        raise CleancutError(f"{text.path}: a mention is not in one line. Remove {_NAMES} to read texts as they are.")


def _row_of_line(line: str, spans: Sequence[Row], first: int) -> Row:
    """Return the tokens and token spans of a line; ``first`` is the number of its first character in the text."""
    edges = {edge - first for span in spans for edge in (span["start"], span["end"])}
    tokens: list[str] = []
    token_from: dict[int, int] = {}
    token_until: dict[int, int] = {}
    for word in re.finditer("[^ ]+", line):
        inner_edges = sorted(edge for edge in edges if word.start() < edge < word.end())
        for start, end in pairwise([word.start(), *inner_edges, word.end()]):
            token_from[start] = len(tokens)
            token_until[end] = len(tokens) + 1
            tokens.append(line[start:end])
    entities = []
    for span in spans:
        start = token_from[span["start"] - first]
        end = token_until[span["end"] - first]
        entities.append({**span, "start": start, "end": end})
    return {"tokens": tokens, "entities": entities}


# --- writing ----------------------------------------------------------------------------------------------------------


class _Sample(NamedTuple):
    """A sample that can be written as a line."""

    document: str | None
    id: str | None
    tokens: list[str]
    entities: list[Row]


def write_brat(corpora: Iterable[Corpus], path: str, how: Writing) -> None:
    """Write a folder of BRAT: a text for each document, or for each sample that has none, with a line for each sample.

    Args:
        corpora: the samples, in parts.
        path: the folder, which appears when it is complete.
        how: how they are written.

    Raises:
        CleancutError: a scheme is given, there are relations, or a token or a type cannot stand in BRAT.
    """
    if how.scheme:
        raise CleancutError(f"{path}: BRAT holds spans, not tags of {how.scheme}. Leave the scheme out.")
    told = telling_lost_ids(corpora, "a folder of BRAT")
    samples = chain.from_iterable(map(_checked_samples, told))
    texts: list[dict[str, Any]] = []
    labels: set[str] = set()
    with replacing_folder(path) as folder:
        for _, group in groupby(enumerate(samples), key=lambda item: item[1].document or item[0]):
            members = [sample for _, sample in group]
            name = f"{len(texts):06}"  # a document may be called as no file can be
            texts.append({"name": name, "document": members[0].document, "ids": [sample.id for sample in members]})
            labels.update(span["label"] for sample in members for span in sample.entities)
            _write_text(members, Path(folder, name))
        _put(Path(folder, "annotation.conf"), _configuration(sorted(labels)))
        _put(Path(folder, _NAMES), json.dumps({"texts": texts}, ensure_ascii=False, indent=1) + "\n")


def _checked_samples(corpus: Corpus) -> Iterator[_Sample]:
    """Yield the samples of a corpus; raise an error where one cannot be written."""
    refuse_relations(corpus, "a folder of BRAT as it is read here")
    for i, (tokens, entities) in enumerate(zip(corpus.tokens(), corpus.entities(), strict=True)):
        for token in tokens:
            if not token or set(token) & {" ", "\n", "\r"}:
                place = corpus.mentions.where(i, tokens.index(token))
                raise CleancutError(
                    f"{place}: the token {quoted(token)} cannot stand in BRAT, where spaces end tokens. Write JSONL."
                )
        for span in entities:
            if span["label"].split() != [span["label"]]:
                place = corpus.mentions.where(i)
                raise CleancutError(
                    f"{place}: the type {quoted(span['label'])} cannot stand in BRAT. Rename it, or write JSONL."
                )
        document = None if corpus.docs is None else corpus.docs[i]
        name = None if corpus.ids is None else corpus.ids[i]
        yield _Sample(document, name, tokens, entities)


def _write_text(samples: Sequence[_Sample], path: Path) -> None:
    """Write a text with a line for each sample, and its mentions beside it."""
    lines = [" ".join(sample.tokens) for sample in samples]
    annotation: list[str] = []
    first = 0
    for sample, line in zip(samples, lines, strict=True):
        starts = [first]
        for token in sample.tokens:
            starts.append(starts[-1] + len(token) + 1)
        for span in sample.entities:
            begin = starts[span["start"]]
            end = starts[span["end"]] - 1
            words = line[begin - first : end - first]
            annotation.append(f"T{len(annotation) + 1}\t{span['label']} {begin} {end}\t{words}\n")
        first += len(line) + 1
    _put(path.with_suffix(".txt"), "".join(f"{line}\n" for line in lines))
    _put(path.with_suffix(".ann"), "".join(annotation))


def _configuration(labels: Sequence[str]) -> str:
    """Return the file that tells BRAT the types."""
    return "\n".join(["[entities]", *labels, "", "[relations]", "", "[events]", "", "[attributes]", ""])


def _put(path: Path, text: str) -> None:
    """Write a text to a file in UTF-8."""
    try:
        path.write_bytes(text.encode())
    except UnicodeEncodeError:
        raise CleancutError(f"{path.name}: a word holds half a character, which UTF-8 cannot write.") from None
