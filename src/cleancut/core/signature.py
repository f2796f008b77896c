"""Signatures: the text in a result that states what was computed, with which settings, by which version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from ..version import __version__
from .exceptions import CleancutError, quoted

_VERSION = "v"
_RESERVED = re.compile(r"[%|\x00-\x1f\x7f]")


@dataclass(frozen=True)
class Signature:
    """The name of a computation and its settings in their order, with the version last.

    Only this class writes and reads such texts: ``str`` writes one, ``Signature.parse`` reads it back.

    >>> signature = Signature.of("kfold", {"k": 10, "seed": 13}, version="1.0")
    >>> str(signature)
    'kfold|k:10|seed:13|v:1.0'
    >>> Signature.parse("kfold|k:10|seed:13|v:1.0") == signature, signature["seed"]
    (True, '13')
    """

    what: str
    settings: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, what: str, settings: Mapping[str, Any], version: str = __version__) -> Signature:
        """Return the signature of a result.

        Args:
            what: the name of the computation, such as ``exact_f1``.
            settings: the settings, in the order in which the text has them.
            version: the version of cleancut.
        """
        texts = {name: str(value) for name, value in settings.items() if name != _VERSION}
        return cls(what, tuple({**texts, _VERSION: version}.items()))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature that ``str`` wrote.

        Args:
            text: the signature.

        Raises:
            CleancutError: the text is not a signature.
        """
        what, *parts = text.split("|")
        pairs = [part.partition(":") for part in parts]
        if not what or not pairs or not all(name and colon for name, colon, _ in pairs):
            raise CleancutError(f"{quoted(text)} is not a signature. It looks like kfold|k:10|seed:13|v:{__version__}.")
        return cls(what, tuple((name, unquote(value)) for name, _, value in pairs))

    @classmethod
    def is_in(cls, text: str) -> bool:
        """Return whether a text is a signature with a version.

        Args:
            text: any text.
        """
        try:
            return cls.parse(text).get(_VERSION) is not None
        except CleancutError:
            return False

    def __getitem__(self, name: str) -> str:
        return dict(self.settings)[name]

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return the value of a setting, or the default if the signature does not have it.

        Args:
            name: the name of the setting.
            default: the value to return if it is missing.
        """
        return dict(self.settings).get(name, default)

    def __str__(self) -> str:
        return "|".join([self.what, *(f"{name}:{_escaped(value)}" for name, value in self.settings)])


def _escaped(value: str) -> str:
    """Return a value in which bars, percent signs and control characters are escaped: a bar ends a setting."""
    return _RESERVED.sub(lambda match: f"%{ord(match[0]):02X}", value)
