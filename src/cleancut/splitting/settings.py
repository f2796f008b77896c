"""The settings of a split: every option once, with its default, its spelling on the command line and its help.

``mincut``, folds, the frontier, recipes, the command line, the plan, the card and the app read the record. The
signature of a plan and the command that makes it again are derived from it, so that neither can forget an option. A new
option is a field.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from functools import partial
from itertools import permutations
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.entities import Key, Shared, key_name
from ..core.exceptions import CleancutError, did_you_mean, parse_choice, quoted
from ..core.signature import Signature
from ..reading.splits import SPLITS, is_split_name, split_rank
from .audit import Unit, by_pair_name


class Method(StrEnum):
    """How to split."""

    MINCUT = "mincut"
    COMPONENTS = "components"
    RANDOM = "random"
    PAPER = "paper"
    PAPER_UNWEIGHTED = "paper-unweighted"

    @property
    def searches(self) -> bool:
        """Is a cut searched for, which can be told what to keep and to discard?"""
        return self in (Method.MINCUT, Method.COMPONENTS)


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


RATIOS = "80/10/10"
AUTO = "auto"
"""To discard as many samples as it takes until nothing is shared."""
ORIGINAL = "original"
"""The ratios of the splits that are given."""
OFF = "off"
"""No density floor, as texts spell it: TOML and the command line have no None."""

# --- what an option may be --------------------------------------------------------------------------------------


def _choice(kind: type[StrEnum], name: str, value: Any) -> StrEnum:
    return parse_choice(kind, value, name)


def _whole(name: str, value: Any) -> int:
    return checks.whole(value, name, 0, 2**31 - 1)


def _seed(name: str, value: Any) -> int:
    return checks.seed(value, name)


def _share(name: str, value: Any) -> float | None:
    """Return a share, or None for none."""
    off = value is None or (isinstance(value, str) and value == OFF)
    return None if off else checks.share(value, name, "a number from 0 to 1, or 'off'")


def _switch(name: str, value: Any) -> bool:
    return checks.switch(value, name)


def _column(name: str, value: Any) -> str | None:
    return None if value is None else checks.text(value, name, "the name of a column")


def _discard(name: str, value: Any) -> float | str:
    """Return the largest share to discard, or ``auto``."""
    if isinstance(value, str) and value == AUTO:
        return AUTO
    try:
        share = -1.0 if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        share = -1.0
    if not 0 <= share < 1:
        raise CleancutError(f"{name}={quoted(value)} is unknown. Give a share below 1, or 'auto'.")
    return share


Ratios = tuple[tuple[str, float], ...]
"""The name of each split and its part of the whole, train first."""


def _ratios(name: str, value: Any) -> str | Ratios:
    """Return the parts of the splits, from 80/10/10, (80, 20), {"train": 80, "test": 20} or train=80/test=20."""
    if isinstance(value, str) and value == ORIGINAL:
        return ORIGINAL
    given = value
    if isinstance(given, str):
        pieces = [piece.rpartition("=") for piece in given.split("/")]
        named = all(equals for _, equals, _ in pieces)
        given = {split: part for split, _, part in pieces} if named else given.split("/")
    elif isinstance(given, tuple) and given and all(isinstance(pair, tuple) and len(pair) == 2 for pair in given):
        given = dict(given)  # what this function returns is itself a way to say it
    if not isinstance(given, Mapping):
        if not isinstance(given, Sequence) or len(given) not in (2, 3):
            raise CleancutError(f"{name}={value!r}: give two or three parts, such as (80, 10, 10) or '80/20'.")
        given = dict(zip(_usual_names(len(given)), given, strict=True))
    if len(given) > 100:
        raise CleancutError(f"{name} with {len(given)} parts: give at most 100.")
    try:
        parts = {split: float(part) for split, part in given.items()}
    except (TypeError, ValueError):
        raise CleancutError(f"{name}={value!r}: a part is not a number.") from None
    total = sum(parts.values())
    if len(parts) < 2 or not 0 < total < float("inf") or any(part < 0 for part in parts.values()):
        raise CleancutError(f"{name}={value!r}: give at least two parts that are not negative, not all 0.")
    for split in parts:
        if not is_split_name(split):
            raise CleancutError(
                f"{split!r} cannot be the name of a split. Use letters, digits, _ and - only, and not 'discarded'."
            )
    by_pair_name(dict.fromkeys(permutations(parts, 2)))  # an error where two pairs of splits are written alike
    return tuple((split, parts[split]) for split in sorted(parts, key=split_rank))  # train first


def _usual_names(n: int) -> tuple[str, ...]:
    return tuple(SPLITS) if n == 3 else ("train", "test")


def _ratios_text(ratios: str | Ratios) -> str:
    if isinstance(ratios, str):
        return ratios
    names, parts = zip(*ratios, strict=True)
    texts = [_number_text(part) for part in parts]
    if names == _usual_names(len(names)):
        return "/".join(texts)
    return "/".join(f"{name}={text}" for name, text in zip(names, texts, strict=True))


def _number_text(value: float | str) -> str:
    """Return a number as people write it: 80, not 80.0."""
    return str(int(value)) if isinstance(value, int | float) and value == int(value) else str(value)


def _share_text(value: float | None) -> str:
    return OFF if value is None else _number_text(value)


def _switch_text(value: bool) -> str:
    return str(value).lower()


def _number_or(word: str, text: str) -> float | str:
    return text if text == word else float(text)


# --- the record -------------------------------------------------------------------------------------------------


class Option(NamedTuple):
    """What the program knows of one option, beside its name and its default."""

    check: Callable[[str, Any], Any]
    """Takes the name and a value, and returns the value as the record keeps it; an error where it cannot be."""
    help: str
    metavar: str | None = None
    choices: type[StrEnum] | None = None
    read: Callable[[str], Any] = str
    """Makes a value of a text, as the command line and signatures have it."""
    write: Callable[[Any], str] = str
    """Makes that text of the value."""
    flag: str | None = None
    """The flag that turns a switch off."""
    flag_help: str = ""
    """What that flag does."""
    is_shown: bool = False
    """Does it stand in a signature at its default too?"""


def _option(default: Any, check: Callable[..., Any], help: str, **more: Any) -> Any:
    return field(default=default, metadata={"option": Option(check, help, **more)})


def _of(kind: type[StrEnum], default: StrEnum, help: str) -> Any:
    return _option(default, partial(_choice, kind), help, choices=kind, is_shown=True)


_SWITCH: dict[str, Any] = {"read": {"true": True, "false": False}.__getitem__, "write": _switch_text}


@dataclass(frozen=True, kw_only=True)
class SplitSettings:
    """Every option of a split. Fields are checked when it is made, and an option without effect is an error.

    >>> settings = SplitSettings(ratios="80/20", discard="auto", duplicates_together=False)
    >>> settings.changed()
    {'ratios': '80/20', 'discard': 'auto', 'duplicates_together': False}
    >>> settings.flags(only_changed=True)
    '--ratios 80/20 --discard auto --tear-duplicates'
    """

    method: Method = _of(Method, Method.MINCUT, "how to split")
    unit: Unit = _of(Unit, Unit.SAMPLE, "what stays whole")
    key: Shared = _of(Shared, Shared.ENTITY, "what must not be shared: entities, or the pairs or triples of relations")
    case: bool = _option(
        True, _switch, "does case matter for what counts as the same entity", **_SWITCH,
        flag="--ignore-case", flag_help="words that differ only in case are the same",
    )  # fmt: skip
    typed: bool = _option(True, _switch, "does the type belong to the entity", **_SWITCH)
    ratios: Any = _option(
        RATIOS, _ratios, "parts of the splits: 80/20, train=80/test=20, or original",
        metavar="R", write=_ratios_text, is_shown=True,
    )  # fmt: skip
    discard: float | str = _option(
        0, _discard, "largest share of the samples to discard, or auto: until nothing is shared",
        metavar="D", read=partial(_number_or, AUTO), write=_number_text, is_shown=True,
    )  # fmt: skip
    representative: float | None = _option(
        0.9, _share, "density floor: least entities per sample of a held-out split, against the corpus; or off",
        metavar="R", read=partial(_number_or, OFF), write=_share_text, is_shown=True,
    )  # fmt: skip
    min_per_type: int = _option(
        20, _whole, "least mentions of each type in a held-out split", metavar="N", read=int, is_shown=True
    )
    type_share: float | None = _option(
        None, _share, "keep the mix of types as near to the corpus's, such as 0.8", metavar="R",
        read=partial(_number_or, OFF),
    )  # fmt: skip
    stratify: str | None = _option(
        None, _column, "a column, such as language (doc: the document), whose values keep the ratios", metavar="COL"
    )
    duplicates_together: bool = _option(
        True, _switch, "do samples with the same words stay in one split", **_SWITCH,
        flag="--tear-duplicates", flag_help="let samples with the same words go to different splits",
    )  # fmt: skip
    engine: Engine = _of(Engine, Engine.AUTO, "what cuts where whole components cannot be packed")
    effort: Effort = _of(Effort, Effort.AUTO, "how long a cut is polished")
    seed: int = _option(13, _seed, "of the random choices", metavar="N", read=int, is_shown=True)

    def __post_init__(self) -> None:
        for name, option in OPTIONS.items():
            object.__setattr__(self, name, option.check(name, getattr(self, name)))
        if self.discard and not self.method.searches:
            raise CleancutError(
                f"discard={self.discard!r} has no effect: method {self.method} discards nothing. Leave it out."
            )
        if self.key is not Shared.ENTITY and not self.typed:
            raise CleancutError(f"typed=False has no effect: key={str(self.key)!r} is of surfaces. Leave it out.")
        for name in ("type_share", "stratify"):
            if getattr(self, name) is not None and not self.method.searches:
                raise CleancutError(f"{name} has no effect on method {self.method}. Leave it out, or use mincut.")

    @classmethod
    def of(cls, taker: str, options: Mapping[str, Any]) -> SplitSettings:
        """Return the settings of the options that a function was given; an error where it has no such option."""
        for name in options:
            if name not in OPTIONS:
                raise TypeError(f"{taker}() has no option {name!r}.{did_you_mean(name, OPTIONS)}")
        return cls(**options)

    # --- what they mean ---

    @property
    def entity_key(self) -> Key:
        """What counts as the same entity."""
        return Key(self.case, self.typed)

    @property
    def most_discarded(self) -> float:
        """The largest share that may be discarded; 1.0 for as much as zero sharing needs."""
        return largest_discard(self.discard)

    def shares(self, originals: Mapping[str, Sized]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """Return the names of the splits and their shares; ``originals`` are the splits that were given."""
        names, parts = zip(*self._parts(originals), strict=True)
        return names, np.array(parts) / sum(parts)

    def _parts(self, originals: Mapping[str, Sized]) -> Ratios:
        if not isinstance(self.ratios, str):
            return self.ratios
        if len(originals) < 2:
            raise CleancutError("ratios='original' needs the original splits. Give them, or ratios such as 80/10/10.")
        if len(originals) > 3:
            raise CleancutError(f"ratios='original' with {len(originals)} parts: give two or three splits.")
        order = sorted(originals, key=split_rank)
        usual = [SPLITS[rank] for name in order if (rank := split_rank(name)) < len(SPLITS)]
        names = tuple(usual) if len(set(usual)) == len(order) else _usual_names(len(order))
        return tuple((name, float(len(originals[split]))) for name, split in zip(names, order, strict=True))

    # --- as texts ---

    def changed(self) -> dict[str, Any]:
        """Return the options that are not at their defaults, as plain values."""
        return {name: value for name, value in self.to_dict().items() if value != DEFAULTS.to_dict()[name]}

    def to_dict(self) -> dict[str, Any]:
        """Return all options as plain values: texts, numbers, True and False, None."""
        return {name: _plain(option, getattr(self, name)) for name, option in OPTIONS.items()}

    def signature(
        self, what: str, originals: Mapping[str, Sized], more: Mapping[str, Any], leave_out: Iterable[str] = ()
    ) -> Signature:
        """Return the signature of what was made by these settings.

        An option that is at its default stands in it only where it always did; ``more`` follows the options.
        """
        entries: dict[str, str] = {}
        for name, option in OPTIONS.items():
            value = getattr(self, name)
            if name in leave_out or name in _IN_KEY or not (option.is_shown or value != getattr(DEFAULTS, name)):
                continue
            entries[name] = option.write(value)
        if "key" in entries:
            entries["key"] = key_name(self.entity_key, self.key)
        entries["ratios"] = self._shares_text(originals)
        return Signature.of(what, {**entries, **more})

    def _shares_text(self, originals: Mapping[str, Sized]) -> str:
        """Return the shares with four digits where these say it all, else the parts as they were given."""
        names, shares = self.shares(originals)
        short = [float(f"{share:.4g}") for share in shares]
        exact = np.allclose(np.array(short) / sum(short), shares, rtol=1e-12, atol=0)
        parts = short if exact else [part for _, part in self._parts(originals)]
        return _ratios_text(tuple(zip(names, parts, strict=True)))

    @classmethod
    def from_signature(cls, signature: Signature) -> SplitSettings:
        """Return the settings that a signature names: those of a plan which does not hold them otherwise."""
        given: dict[str, Any] = {}
        for name, option in OPTIONS.items():
            text = signature.get(name)
            if text is not None and name != "key":
                given[name] = option.read(OFF if text == "None" else text)  # as 0.1.0 wrote it
        what, *folded = (signature.get("key") or DEFAULTS._key_text()).split(",")
        given["key"] = what if what in list(Shared) else Shared.ENTITY
        return cls(**given, typed=what != "surface", case="uncased" not in folded)

    def flags(self, *, only_changed: bool = False, leave_out: Iterable[str] = ()) -> str:
        """Return the options of ``cleancut split`` that say the same."""
        changed, words = self.changed(), list[str]()
        for name, option in OPTIONS.items():
            if name in leave_out or (name not in changed and (only_changed or not option.is_shown)):
                continue
            if name in ("key", "typed"):
                words += ["--key", self._key_text()] if "--key" not in words else []
            elif isinstance(getattr(self, name), bool):
                assert option.flag is not None, f"{name} is a switch without a flag"
                words.append(option.flag)
            else:
                words += [flag_of(name), option.write(getattr(self, name))]
        return shlex.join(words)

    def _key_text(self) -> str:
        """Return what ``--key`` is to be told: what is shared, and whether its type belongs to it."""
        return key_name(Key(typed=self.typed), self.key)

    def python(self) -> str:
        """Return the keyword arguments of ``mincut`` that say the same."""
        return ", ".join(f"{name}={value!r}" for name, value in self.changed().items())


_IN_KEY = ("case", "typed")
"""Options that a signature names as part of the key."""


def _plain(option: Option, value: Any) -> Any:
    if option.check is _ratios:
        return _ratios_text(value)
    return str(value) if isinstance(value, StrEnum) else value


def _option_of(of_field: Field[Any]) -> Option:
    found: Option = of_field.metadata["option"]
    return found


OPTIONS: Mapping[str, Option] = {of_field.name: _option_of(of_field) for of_field in fields(SplitSettings)}
"""Every option of a split by its name, in the order of a signature."""
DEFAULTS = SplitSettings()


def flag_of(name: str) -> str:
    """Return the flag of the command line for an option."""
    return f"--{name.replace('_', '-')}"


def check_option(name: str, value: Any) -> None:
    """Refuse a value that an option cannot have."""
    OPTIONS[name].check(name, value)


def largest_discard(discard: float | str) -> float:
    """Return the largest share that may be discarded; 1.0 for ``auto``, which takes as much as it needs."""
    checked = _discard("discard", discard)
    return 1.0 if isinstance(checked, str) else checked


Taker = TypeVar("Taker", bound=Callable[..., Any])


def takes_split_options(*without: str) -> Callable[[Taker], Taker]:
    """Show the options of a split, all but some, in the signature and the help of a function that takes them.

    The function itself has ``**options``, which it hands to ``SplitSettings.of``.
    """

    def documented(function: Taker) -> Taker:
        own = list(inspect.signature(function).parameters.values())
        named = {parameter.name for parameter in own} | set(without)
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=DEFAULTS.to_dict()[name])
            for name in OPTIONS
            if name not in named
        ]
        shown = [parameter for parameter in own if parameter.kind is not inspect.Parameter.VAR_KEYWORD]
        function.__signature__ = inspect.Signature([*shown, *more])  # type: ignore[attr-defined]
        listed = "\n".join(f"        {parameter.name}: {OPTIONS[parameter.name].help}." for parameter in more)
        function.__doc__ = f"{(function.__doc__ or '').rstrip()}\n\n    Options:\n{listed}\n    "
        return function

    return documented
