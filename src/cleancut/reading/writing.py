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
from ..core.tags import Scheme
from .opening import Source


def packed(stream: IO[bytes], path: str | os.PathLike[str]) -> AbstractContextManager[Any]:
    """The stream itself, or one that packs what it is given where the name ends in .gz."""
    if not os.fspath(path).endswith(".gz"):
        return nullcontext(stream)
    return gzip.GzipFile(fileobj=stream, mode="wb", filename="", mtime=0)  # the same bytes on every run


class Writing(NamedTuple):
    """How samples are written."""

    scheme: Scheme | None = None
    """The tag scheme; None for IOB2 where tags are written, and for spans where a format has them."""
    ids: bool = False
    """Are names written also where the format has no usual place for them?"""


def write_texts(
    texts_of: Callable[[Iterable[Corpus], Writing], Iterator[str]],
    corpora: Iterable[Corpus],
    path: str,
    how: Writing,
) -> None:
    """Write the pieces of text that ``texts_of`` makes of samples to a file, in UTF-8."""
    with replacing(path) as plain, packed(plain, path) as stream:
        for text in texts_of(corpora, how):
            try:
                stream.write(text.encode("utf-8"))
            except UnicodeEncodeError as error:
                shown = text[max(error.start - 10, 0) : error.end + 10]
                raise CleancutError(
                    f"{path}: {quoted(shown)} holds half a character, which UTF-8 cannot write."
                ) from None


def refuse_relations(corpus: Corpus, where: str) -> None:
    """Raise an error where there are relations, for which a format has no place."""
    if corpus.relations is not None and len(corpus.relations.head):
        raise CleancutError(f"relations between entities cannot stand in {where}. Write JSONL with entities.")


Texts = Iterator[tuple[tuple[str, int] | None, str]]


def copy_texts(
    texts_of: Callable[[Source], Texts], files: Sequence[str], owner: Mapping[int, str], names: Sequence[str],
    folder: str | os.PathLike[str],
) -> list[str]:  # fmt: skip
    """Write each sample to the output that owns it; ``texts_of`` yields the head of its document, and its lines."""
    suffix = "".join(Path(files[0]).suffixes[-2 if files[0].endswith(".gz") else -1 :])
    paths = {name: name_inside(folder, f"{name}{suffix}") for name in names}
    with ExitStack() as stack:
        streams = {
            name: stack.enter_context(packed(stack.enter_context(replacing(path)), path))
            for name, path in paths.items()
        }
        begun: dict[str, Any] = {}
        samples = ((file, *sample) for file, path in enumerate(files) for sample in texts_of(Source.of(path)))
        for row, (file, head, text) in enumerate(samples):
            name = owner.get(row)
            if name is None:
                continue
            if head is not None and (file, head) != begun.get(name):  # the document that the sample belongs to
                streams[name].write(f"{head[0]}\n\n".encode())
            begun[name] = (file, head)
            streams[name].write(text.encode())
    return list(paths.values())
