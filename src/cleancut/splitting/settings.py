"""The settings of a split: each option is defined once, with its default, its check, its flag and its help.

``mincut``, folds, the frontier, recipes, the command line, the plan, the card and the app read this record. The
signature of a plan and the command that makes it again are derived from it, so that neither can miss an option. To add
an option, add a field to ``SplitSettings``.
"""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import Field, dataclass, field, fields
from decimal import Decimal
from enum import StrEnum
from functools import partial
from itertools import permutations
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.entities import Key, Shared, key_name
from ..core.exceptions import CleancutError, did_you_mean, parse_choice, quoted
from ..core.same import PART_LIMIT, Notion, Same, notions_text, parse_notions
from ..core.signature import Signature
from ..reading.splits import SPLITS, is_split_name, split_rank
from .audit import Unit, by_pair_name


class Method(StrEnum):
    """The method of a split."""

    MINCUT = "mincut"
    COMPONENTS = "components"
    RANDOM = "random"
    PAPER = "paper"
    PAPER_UNWEIGHTED = "paper-unweighted"

    @property
    def searches(self) -> bool:
        """Whether the method searches for a cut, so that it can discard samples and meet further requirements."""
        return self in (Method.MINCUT, Method.COMPONENTS)


class Engine(StrEnum):
    """The program that makes the first cut, where whole components cannot be packed."""

    AUTO = "auto"
    PEEL = "peel"
    METIS = "metis"
    KAHYPAR = "kahypar"


class Effort(StrEnum):
    """How long the search for a better cut takes."""

    FAST = "fast"
    AUTO = "auto"
    BEST = "best"


class Templates(StrEnum):
    """What becomes of samples that have the same template: they are equal once mentions and digits are masked."""

    FREE = "free"
    TOGETHER = "together"


RATIOS = "80/10/10"
"""The default of ``ratios``."""
AUTO = "auto"
"""The value of ``discard`` that discards as many samples as it takes to share nothing."""
ORIGINAL = "original"
"""The value of ``ratios`` that keeps the ratios of the splits that are given."""
OFF = "off"
"""None as a text, for no density floor: TOML and the command line have no None."""

# --- what an option may be --------------------------------------------------------------------------------------


def _choice(kind: type[StrEnum], name: str, value: Any) -> StrEnum:
    """Return the member of an enumeration; refuse anything else."""
    return parse_choice(kind, value, name)


def _whole(name: str, value: Any) -> int:
    """Return a whole number from 0 on; refuse anything else."""
    return checks.whole(value, name, 0, 2**31 - 1)


def _seed(name: str, value: Any) -> int:
    """Return a seed; refuse anything else."""
    return checks.seed(value, name)


def _share(name: str, value: Any) -> float | None:
    """Return a share from 0 to 1, or None for ``off``."""
    if value is None or (isinstance(value, str) and value == OFF):
        return None
    return checks.share(value, name, "a number from 0 to 1, or 'off'")


def _seconds(name: str, value: Any) -> float | None:
    """Return a number of seconds, or None for ``off``."""
    if value is None or (isinstance(value, str) and value == OFF):
        return None
    if not checks.is_number(value) or not 0 < value <= _MOST_SECONDS:
        wanted = f"a number above 0 and at most {_MOST_SECONDS}, which is a week"
        raise CleancutError(f"{name}={quoted(value)} is not a number of seconds. Give {wanted}.")
    return float(value)


def _switch(name: str, value: Any) -> bool:
    """Return True or False; refuse anything else."""
    return checks.switch(value, name)


def _same(name: str, value: Any) -> str:
    """Return a notion of the same name as a text, which has a fingerprint of its aliases but not its limit."""
    if isinstance(value, Same):
        return notions_text(value)
    return "+".join(parse_notions(value))


def _column(name: str, value: Any) -> str | None:
    """Return the name of a column, or None for none; refuse anything else."""
    return None if value is None else checks.text(value, name, "the name of a column")


def _discard(name: str, value: Any) -> float | str:
    """Return the largest share of the samples to discard, or ``auto``."""
    if isinstance(value, str) and value == AUTO:
        return AUTO
    try:
        share = float(value) if isinstance(value, str | Decimal) or checks.is_number(value) else -1.0
    except Exception:  # whatever the method of an object raises
        share = -1.0
    if not 0 <= share < 1:
        raise CleancutError(f"{name}={quoted(value)} is not valid. Give a share below 1, or 'auto'.")
    return share


_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(s|m|min|h)")
"""A time as people write it: 30s, 2m, 1.5h."""
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600}
_MOST_SECONDS = 7 * 24 * 3600
"""The longest time that a search or a proof may be given: a week."""


def _effort(name: str, value: Any) -> Effort | str:
    """Return a word of ``Effort``, or a time such as ``30s``."""
    seconds = seconds_of(value) if isinstance(value, str) else None
    if seconds is not None:
        if not 0 < seconds <= _MOST_SECONDS:
            raise CleancutError(
                f"{name}={quoted(value)} is too short or too long for a search. Give 1s or more, at most 168h."
            )
        return str(value)
    try:
        return parse_choice(Effort, value, name)
    except CleancutError as error:
        raise CleancutError(f"{str(error).rstrip('.')}, or a time such as 30s or 5m.") from None


def seconds_of(effort: str) -> float | None:
    """Return the seconds of an effort that is a time; None for one that is a word.

    Args:
        effort: the effort.

    >>> seconds_of("1.5m"), seconds_of("auto")
    (90.0, None)
    """
    parts = _TIME.fullmatch(effort)
    return float(parts[1]) * _SECONDS[parts[2]] if parts else None


Ratios = tuple[tuple[str, float], ...]
"""The name of each split and its part, train first; the parts need not add up to 1 or 100."""


def _ratios(name: str, value: Any) -> str | Ratios:
    """Return the parts of the splits, from 80/10/10, (80, 20), {"train": 80, "test": 20} or train=80/test=20."""
    if isinstance(value, str) and value == ORIGINAL:
        return ORIGINAL
    given = value
    if isinstance(given, str):
        pieces = [piece.rpartition("=") for piece in given.split("/")]
        has_names = all(equals for _, equals, _ in pieces)
        given = {split: part for split, _, part in pieces} if has_names else given.split("/")
    elif _is_pairs(given):  # which is what this function returns
        given = dict(given)
    if not isinstance(given, Mapping):
        parts_in_order = checks.in_order(given) if isinstance(given, Sequence) else []
        if len(parts_in_order) not in (2, 3):
            raise CleancutError(f"{name}={quoted(value)}: give two or three parts, such as '80/10/10' or (80, 10, 10).")
        given = dict(zip(_usual_names(len(parts_in_order)), parts_in_order, strict=True))
    if len(given) > 100:
        raise CleancutError(f"{name} with {len(given)} parts: give at most 100.")
    try:
        parts = {split: float(part) for split, part in given.items()}
    except Exception:  # whatever the method of an object raises
        raise CleancutError(
            f"{name}={quoted(value)}: a part is not a number. Write numbers with slashes between them."
        ) from None
    total = sum(parts.values())
    if len(parts) < 2 or not 0 < total < float("inf") or any(part < 0 for part in parts.values()):
        raise CleancutError(f"{name}={quoted(value)}: give at least two parts that are not negative, not all 0.")
    for split in parts:
        if not is_split_name(split):
            raise CleancutError(
                f"{quoted(split)} cannot be the name of a split. Use letters, digits, _ and - only, and not "
                "'discarded'."
            )
    by_pair_name(dict.fromkeys(permutations(parts, 2)))  # raises an error where two pairs would have the same name
    return tuple((split, parts[split]) for split in sorted(parts, key=split_rank))


def _is_pairs(value: Any) -> bool:
    """Return whether a value is a tuple of pairs."""
    if not isinstance(value, tuple) or not value:
        return False
    return all(isinstance(pair, tuple) and len(pair) == 2 for pair in value)


def _usual_names(n: int) -> tuple[str, ...]:
    """Return the names of two or three splits that were given without names."""
    return tuple(SPLITS) if n == 3 else ("train", "test")


def _ratios_text(ratios: str | Ratios) -> str:
    """Return ratios as a text that ``_ratios`` reads: ``80/20``, or ``train=80/dev=20`` where names are unusual."""
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
    """Return a share as the command line and signatures write it, ``off`` for None."""
    return OFF if value is None else _number_text(value)


def _switch_text(value: bool) -> str:
    """Return True or False as signatures and the command line write it."""
    return str(value).lower()


def _number_or(word: str, text: str) -> float | str:
    """Return a text as a number, unless it is the one word that is allowed instead."""
    return text if text == word else float(text)


# --- the record -------------------------------------------------------------------------------------------------


class Option(NamedTuple):
    """The properties of an option, beside its name and its default."""

    check: Callable[[str, Any], Any]
    """A function of the name and a value, which returns the value as the record keeps it or raises an error."""
    help: str
    """The help text."""
    metavar: str | None = None
    """The placeholder for the value in the help of the command line."""
    choices: type[StrEnum] | None = None
    """The values to choose from."""
    read: Callable[[str], Any] = str
    """A function that turns a text of the command line or of a signature into a value."""
    write: Callable[[Any], str] = str
    """A function that turns a value into such a text."""
    flag: str | None = None
    """The flag that turns a switch off."""
    flag_help: str = ""
    """The help text of that flag."""
    is_shown: bool = False
    """Whether a signature names the option even at its default."""


def _option(default: Any, check: Callable[..., Any], help: str, **more: Any) -> Any:
    """Return a field of the record for an option."""
    return field(default=default, metadata={"option": Option(check, help, **more)})


def _of(kind: type[StrEnum], default: StrEnum, help: str) -> Any:
    """Return a field of the record for an option with a few values to choose from."""
    return _option(default, partial(_choice, kind), help, choices=kind, is_shown=True)


_SWITCH: dict[str, Any] = {"read": {"true": True, "false": False}.__getitem__, "write": _switch_text}


@dataclass(frozen=True, kw_only=True)
class SplitSettings:
    """All options of a split, which are checked when the record is made; an option without effect is an error.

    >>> settings = SplitSettings(ratios="80/20", discard="auto", duplicates_together=False)
    >>> settings.changed()
    {'ratios': '80/20', 'discard': 'auto', 'duplicates_together': False}
    >>> settings.flags(only_changed=True)
    '--ratios 80/20 --discard auto --tear-duplicates'
    """

    method: Method = _of(
        Method,
        Method.MINCUT,
        "the method: mincut searches for little sharing, components never cuts connected samples, and the "
        "others are for comparison",
    )
    unit: Unit = _of(Unit, Unit.SAMPLE, "what is never divided between splits")
    key: Shared = _of(Shared, Shared.ENTITY, "what must not be shared: entities, or the pairs or triples of relations")
    case: bool = _option(
        True,
        _switch,
        "whether words that differ only in case are different entities",
        **_SWITCH,
        flag="--ignore-case",
        flag_help="treat words that differ only in case as the same",
    )
    typed: bool = _option(True, _switch, "whether mentions of different types are different entities", **_SWITCH)
    same: str = _option(
        "exact",
        _same,
        "which names count as the same: exact (the same words), fold (regardless of case and punctuation), alias (a "
        "line of the table has both), part (one contains the words of the other), templates (their sentences are equal "
        "once names and digits are masked); combine them with +, such as fold+part",
        metavar="S",
    )
    part_limit: int = _option(
        PART_LIMIT,
        _whole,
        "for part: a word that occurs in more than N longer names is too generic to count as a name by itself",
        metavar="N",
        read=int,
    )
    templates: Templates = _option(
        Templates.FREE,
        partial(_choice, Templates),
        "whether samples whose sentences are equal once names and digits are masked stay in one split",
        choices=Templates,
    )
    ratios: Any = _option(
        RATIOS,
        _ratios,
        "the parts of the splits: 80/20, train=80/test=20, or original",
        metavar="R",
        write=_ratios_text,
        is_shown=True,
    )
    discard: float | str = _option(
        0,
        _discard,
        "the largest share of the samples to discard, or auto to discard until nothing is shared",
        metavar="D",
        read=partial(_number_or, AUTO),
        write=_number_text,
        is_shown=True,
    )
    representative: float | None = _option(
        0.9,
        _share,
        "the density floor: a held-out split has at least this share of the entities per sample of the corpus; or off",
        metavar="R",
        read=partial(_number_or, OFF),
        write=_share_text,
        is_shown=True,
    )
    min_per_type: int = _option(
        20,
        _whole,
        "the least number of mentions of each type in a held-out split",
        metavar="N",
        read=int,
        is_shown=True,
    )
    type_share: float | None = _option(
        None,
        _share,
        "a held-out split has at least this part of its fair share of the mentions of each type, such as 0.8",
        metavar="R",
        read=partial(_number_or, OFF),
    )
    stratify: str | None = _option(
        None,
        _column,
        "a column, such as language, each of whose values is split by the ratios; doc is the document",
        metavar="COL",
    )
    duplicates_together: bool = _option(
        True,
        _switch,
        "whether samples with the same words stay in one split",
        **_SWITCH,
        flag="--tear-duplicates",
        flag_help="let samples with the same words go to different splits",
    )
    engine: Engine = _of(
        Engine,
        Engine.AUTO,
        "the program that makes the first cut, if whole groups of connected samples cannot be packed",
    )
    effort: Effort | str = _option(
        Effort.AUTO,
        _effort,
        "how long to search for a better cut: fast, auto, best, or a time such as 30s, after which the best is taken",
        metavar="E",
        is_shown=True,
    )
    prove: float | None = _option(
        None,
        _seconds,
        "the seconds to look for a proof that no split discards fewer, or for such a split; for small corpora",
        metavar="SECONDS",
        read=partial(_number_or, OFF),
        write=_share_text,
    )
    seed: int = _option(13, _seed, "the seed of the random choices", metavar="N", read=int, is_shown=True)

    def __post_init__(self) -> None:
        for name, option in OPTIONS.items():
            object.__setattr__(self, name, option.check(name, getattr(self, name)))
        if self.discard and not self.method.searches:
            raise CleancutError(
                f"discard={quoted(self.discard)} has no effect: method {self.method} discards nothing. Leave it out."
            )
        if self.prove is not None and (self.discard != AUTO or self.method is not Method.MINCUT):
            raise CleancutError("prove has no effect unless samples are discarded by mincut. Give discard='auto'.")
        if self.key is not Shared.ENTITY and not self.typed:
            raise CleancutError(f"typed=False has no effect: key='{self.key}' is of surfaces. Leave it out.")
        if self.part_limit != PART_LIMIT and Notion.PART not in self.same.split("+"):
            raise CleancutError(
                f"part_limit={self.part_limit} has no effect on same={quoted(self.same)}. Add +part, or leave it out."
            )
        if self.key is not Shared.ENTITY and self.same != Notion.EXACT:
            raise CleancutError(f"same={quoted(self.same)} is of entities, but key='{self.key}'. Give one of them.")
        for name in ("type_share", "stratify"):
            if getattr(self, name) is not None and not self.method.searches:
                raise CleancutError(f"{name} has no effect on method {self.method}. Leave it out, or use mincut.")

    @classmethod
    def of(cls, taker: str, options: Mapping[str, Any]) -> SplitSettings:
        """Return the settings of the options that a function was given.

        Args:
            taker: the name of the function, for the error message.
            options: the options by name.

        Raises:
            TypeError: there is no such option.
            CleancutError: a value is not valid, or an option has no effect.
        """
        for name in checks.mapping(options, "options", "the options by name"):
            if name not in OPTIONS:
                raise TypeError(f"{taker}() has no option {quoted(name)}.{did_you_mean(name, OPTIONS)}")
        return cls(**options)

    # --- what they mean ---

    @property
    def entity_key(self) -> Key:
        """The entity key: when two mentions are of the same entity."""
        return Key(self.case, self.typed)

    def notion(self, aliases: Any = None) -> Same:
        """Return the notion of the same name.

        Args:
            aliases: the table of aliases, which the settings have a fingerprint of alone.
        """
        plain = "+".join("alias" if name.startswith("alias(") else name for name in self.same.split("+"))
        return Same.of(plain, aliases=aliases, part_limit=self.part_limit)

    @property
    def most_discarded(self) -> float:
        """The largest share of the samples that may be discarded; 1.0 for as many as it takes to share nothing."""
        return largest_discard(self.discard)

    def shares(self, originals: Mapping[str, Sized]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """Return the names of the splits and their shares, train first.

        Args:
            originals: the splits that were given, of which ``ratios="original"`` takes the sizes.

        Raises:
            CleancutError: original ratios are asked for, and there are not two or three original splits.
        """
        names, parts = zip(*self._parts(originals), strict=True)
        return names, np.array(parts) / sum(parts)

    def _parts(self, originals: Mapping[str, Sized]) -> Ratios:
        """Return the names of the splits and their parts, as they were asked for."""
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
        """Return the signature of something that was made with these settings.

        An option at its default is part of it only if it is one of the first options (``Option.is_shown``): so the
        signature of an old split stays the same when an option is added.

        Args:
            what: the kind of thing that was made, such as ``split``.
            originals: the splits that were given.
            more: entries that follow the options.
            leave_out: the names of options that are not part of it.
        """
        entries: dict[str, str] = {}
        for name, option in OPTIONS.items():
            if name in leave_out or name in _IN_KEY:
                continue
            value = getattr(self, name)
            if option.is_shown or value != getattr(DEFAULTS, name):
                entries[name] = option.write(value)
        if "key" in entries:
            entries["key"] = key_name(self.entity_key, self.key)
        entries["ratios"] = self._shares_text(originals)
        return Signature.of(what, {**entries, **more})

    def _shares_text(self, originals: Mapping[str, Sized]) -> str:
        """Return the shares with four digits where these are exact, else the parts as they were given."""
        names, shares = self.shares(originals)
        short = [float(f"{share:.4g}") for share in shares]
        exact = np.allclose(np.array(short) / sum(short), shares, rtol=1e-12, atol=0)
        parts = short if exact else [part for _, part in self._parts(originals)]
        return _ratios_text(tuple(zip(names, parts, strict=True)))

    @classmethod
    def from_signature(cls, signature: Signature) -> SplitSettings:
        """Return the settings that a signature names, for plans of 0.1.0, which have them nowhere else.

        Args:
            signature: the signature of a split.
        """
        given: dict[str, Any] = {}
        for name, option in OPTIONS.items():
            text = signature.get(name)
            if text == "None":  # as 0.1.0 wrote it
                text = OFF
            if text is not None and name != "key":
                given[name] = option.read(text)
        what, *folded = (signature.get("key") or DEFAULTS._key_text()).split(",")
        given["key"] = what if what in list(Shared) else Shared.ENTITY
        return cls(**given, typed=what != "surface", case="uncased" not in folded)

    def flags(self, *, only_changed: bool = False, leave_out: Iterable[str] = ()) -> str:
        """Return these settings as options of ``cleancut split``.

        Args:
            only_changed: leave out all options at their defaults, not only those that a signature leaves out.
            leave_out: the names of further options to leave out.
        """
        changed = self.changed()
        words: list[str] = []
        for name, option in OPTIONS.items():
            is_wanted = name in changed or (option.is_shown and not only_changed)
            if name in leave_out or not is_wanted:
                continue
            if name in ("key", "typed"):  # both are written as --key
                if "--key" not in words:
                    words += ["--key", self._key_text()]
            elif name == "same":
                words += self.same_flags()[:2] + (["--aliases", "FILE"] if "alias" in self.same else [])
            elif isinstance(getattr(self, name), bool):
                assert option.flag is not None, f"{name} is a switch without a flag"
                words.append(option.flag)
            else:
                words += [flag_of(name), option.write(getattr(self, name))]
        return shlex.join(words)

    def same_flags(self) -> list[str]:
        """Return the notion of the same name as options of the command line; the file of aliases is not known."""
        words = ["--same", self.same.partition("(")[0] + self.same.partition(")")[2]]
        words += ["--aliases", "FILE"] if "alias" in self.same else []
        return words if self.part_limit == PART_LIMIT else [*words, "--part-limit", str(self.part_limit)]

    def _key_text(self) -> str:
        """Return the value of ``--key``: what must not be shared, and whether the type belongs to the entity."""
        return key_name(Key(typed=self.typed), self.key)

    def python(self) -> str:
        """Return these settings as keyword arguments of ``mincut``, without those at their defaults."""
        return ", ".join(f"{name}={value!r}" for name, value in self.changed().items())


_IN_KEY = ("case", "typed")
"""The options that a signature has as part of its ``key``."""


def _plain(option: Option, value: Any) -> Any:
    """Return the value of an option as a text, a number, a truth value or None."""
    if option.check is _ratios:
        return _ratios_text(value)
    return str(value) if isinstance(value, StrEnum) else value


def _option_of(of_field: Field[Any]) -> Option:
    """Return the option that a field of the record is for."""
    option: Option = of_field.metadata["option"]
    return option


OPTIONS: Mapping[str, Option] = {of_field.name: _option_of(of_field) for of_field in fields(SplitSettings)}
"""Every option of a split by its name, in the order of a signature."""
DEFAULTS = SplitSettings()
"""The settings with every option at its default."""


def flag_of(name: str) -> str:
    """Return the flag of the command line for an option."""
    return f"--{name.replace('_', '-')}"


def check_option(name: str, value: Any) -> None:
    """Raise an error where an option cannot have a value."""
    OPTIONS[name].check(name, value)


def largest_discard(discard: float | str) -> float:
    """Return the largest share that a value of ``discard`` allows; 1.0 for ``auto``, which takes what it needs."""
    checked = _discard("discard", discard)
    return 1.0 if isinstance(checked, str) else checked


Taker = TypeVar("Taker", bound=Callable[..., Any])


def takes_split_options(*without: str) -> Callable[[Taker], Taker]:
    """Return a decorator that adds the options of a split to the signature and the docstring of a function.

    The function itself takes ``**options``, which it hands to ``SplitSettings.of``.

    Args:
        *without: the names of the options that the function does not take.
    """

    def documented(function: Taker) -> Taker:
        """Return the function with the options in its signature and docstring."""
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
