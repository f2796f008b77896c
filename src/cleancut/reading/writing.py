"""Samples written as text: packed where the name says so, or copied as they stand in other files."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, quoted
from ..core.files import name_inside, replacing
from ..core.notices import say
from ..core.tags import Scheme
from .opening import Source


def packed(stream: IO[bytes], path: str | os.PathLike[str]) -> AbstractContextManager[Any]:
    """Return a stream as it is, or one that packs what is written to it where the name of the file ends in .gz.

    Args:
        stream: the stream of the file.
        path: the path of the file.
    """
    if not os.fspath(path).lower().endswith(".gz"):
        return nullcontext(stream)
    return gzip.GzipFile(fileobj=stream, mode="wb", filename="", mtime=0)  # the same bytes on every run


class Writing(NamedTuple):
    """How samples are written."""

    scheme: Scheme | None = None
    """The tag scheme; None for IOB2 where tags are written, and for spans where a format has them."""
    ids: bool = False
    """Whether ids and names of documents are written also where the format has no usual place for them."""


def write_texts(
    texts_of: Callable[[Iterable[Corpus], Writing], Iterator[str]],
    corpora: Iterable[Corpus],
    path: str,
    how: Writing,
) -> None:
    """Write pieces of text to a file, in UTF-8.

    Args:
        texts_of: makes the pieces of samples.
        corpora: the samples, in parts.
        path: the file, which appears when it is complete.
        how: how samples are written.

    Raises:
        CleancutError: a piece holds half a character, which UTF-8 cannot write.
    """
    with replacing(path) as plain, packed(plain, path) as stream:
        for text in texts_of(corpora, how):
            try:
                stream.write(text.encode("utf-8"))
            except UnicodeEncodeError as error:
                excerpt = text[max(error.start - 10, 0) : error.end + 10]
                raise CleancutError(
                    f"{path}: {quoted(excerpt)} holds half a character, which UTF-8 cannot write."
                ) from None


def refuse_relations(corpus: Corpus, where: str) -> None:
    """Check that there are no relations, for which a format has no place.

    Args:
        corpus: the samples.
        where: what the format is called in the message.

    Raises:
        CleancutError: there are relations.
    """
    if corpus.relations is not None and len(corpus.relations.head):
        raise CleancutError(f"relations between entities cannot stand in {where}. Write JSONL with entities.")


def telling_lost_ids(corpora: Iterable[Corpus], where: str) -> Iterator[Corpus]:
    """Yield samples as they are, and say behind the last ones that ids of entities are left out, if there are any.

    Args:
        corpora: the samples, in parts.
        where: what has no place for ids of entities, for the notice.
    """
    loses_ids = False
    for corpus in corpora:
        yield corpus
        loses_ids |= corpus.entity_ids is not None and len(corpus.entity_ids.mention) > 0
    if loses_ids:
        say(f"ids of entities are not written to {where}, which has no place for them. Write JSONL or Parquet.")


Texts = Iterator[tuple[tuple[str, int] | None, str]]
"""The text of each sample, with the line that begins its document and the number of that line, if there is one."""


def copy_texts(
    texts_of: Callable[[Source], Texts],
    files: Sequence[str],
    owner: Mapping[int, str],
    names: Sequence[str],
    folder: str | os.PathLike[str],
) -> list[str]:
    """Write the text of each sample to the output that it is assigned to, and return the paths of the outputs.

    Args:
        texts_of: yields the texts of the samples of a file, each with the line that begins its document.
        files: the files, whose samples are numbered through.
        owner: the name of the output of each sample; samples that are not named are left out.
        names: the names of the outputs.
        folder: the folder to write to.
    """
    n_suffixes = 2 if files[0].endswith(".gz") else 1
    suffix = "".join(Path(files[0]).suffixes[-n_suffixes:])
    paths = {name: name_inside(folder, f"{name}{suffix}") for name in names}
    with ExitStack() as stack:
        streams = {}
        for name, path in paths.items():
            plain = stack.enter_context(replacing(path))
            streams[name] = stack.enter_context(packed(plain, path))
        last_document: dict[str, Any] = {}  # of each output
        samples = ((file, *sample) for file, path in enumerate(files) for sample in texts_of(Source.of(path)))
        for row, (file, head, text) in enumerate(samples):
            output = owner.get(row)
            if output is None:
                continue
            if head is not None and (file, head) != last_document.get(output):
                streams[output].write(f"{head[0]}\n\n".encode())
            last_document[output] = (file, head)
            streams[output].write(text.encode())
    return list(paths.values())
