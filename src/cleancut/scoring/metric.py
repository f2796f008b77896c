"""The record of a metric: everything the program knows about it. Tables, commands and Spaces read it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..core import checks
from ..core.type_names import parse_types

_ENTITY_KEY = ("case", "typed", "unicode")
_NO_KEYWORDS = ("gold", "pred", "exposure", "tokens")
"""Parameters of a metric's function that are columns, or made of columns, and so not keywords of its module."""
_F1 = re.compile("(?<![a-z])f1(?![0-9])", re.IGNORECASE)
"""Matches F1 in the name or the title of a value: ``clean_f1``, ``f1_left``, ``delta F1``."""

_F_BETA = re.compile(r"(?<![a-z])f([0-9]+(?:\.[0-9]+)?)(?![0-9])")
"""Matches an F-beta in the name of a value: ``clean_f2``, ``f0.5/PER``."""


def f_beta(name: str, beta: float) -> str:
    """Return the name of the F-beta beside an F1, in results or in tables.

    Args:
        name: the name or the title of a value.
        beta: how many times as much recall weighs as precision.

    >>> f_beta("clean_f1", 2.0), f_beta("delta F1", 0.5), f_beta("recall", 2.0), f_beta("f1", 1.0)
    ('clean_f2', 'delta F0.5', 'recall', 'f1')
    """
    weight = str(int(beta)) if beta == int(beta) else repr(float(beta))
    return _F1.sub(lambda match: f"{match[0][0]}{weight}", name)


def beta_of(name: str) -> float:
    """Return the beta of a value by its name; 1 if it is not an F-beta.

    Args:
        name: the name of the value.

    >>> beta_of("clean_f2"), beta_of("f0.5/PER"), beta_of("recall")
    (2.0, 0.5, 1.0)
    """
    match = _F_BETA.search(name)
    return float(match[1]) if match else 1.0


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric. The file that computes it ends with ``METRIC = Metric(...)``, where the registry finds it."""

    name: str
    """Its name in results, in signatures and on the Hub."""
    function: Callable[..., Any] = field(repr=False)
    """``function(gold, pred, **keywords)``, or ``function(gold, pred, exposure, **keywords)``."""
    order: int
    """Its place among the others: small numbers come first."""
    title: str
    """The title of its table."""
    description: str
    """What it measures, in one sentence."""
    short: str = ""
    """Its name for ``--metrics``; empty if it returns no ``Score`` and has a command of its own."""
    titles: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The title of each value, the same in every table."""
    shown: tuple[str, ...] = ()
    """The values that its table shows. Those that were not computed are left out."""
    headline: tuple[str, ...] = ()
    """The values that its Space shows first."""
    logged: tuple[str, ...] = ()
    """The values that a Trainer logs by default."""
    compared: tuple[str, ...] = ()
    """The values in which systems are compared, each with a test."""
    ranked: str = ""
    """The one of these that puts systems in order."""
    order_is_compared: bool = True
    """Whether a comparison tells how this order differs from those of other metrics."""
    lower_is_better: bool = False
    """Whether a smaller value is better."""
    by_entity: bool = False
    """Whether it depends on which mentions are the same entity. Its module then takes case, typed and unicode."""
    reads_train_twice: bool = False
    """Whether it needs the occurrences of names in the training text, which take a second pass."""
    flat_only: bool = False
    """Whether it is undefined where mentions overlap."""
    by_type: bool = True
    """Whether it has values for each type, such as ``f1/PER``."""
    few: Mapping[str, tuple[int, str]] = field(default_factory=dict, repr=False)
    """For counts that its intervals rest on, how many are too few, and what is counted."""
    beta: float = 1.0
    """The beta of the F-beta that its tables, tests and orders use."""

    @property
    def takes_train(self) -> bool:
        """Whether it can use an index of the training data."""
        return "exposure" in self._parameters

    @property
    def needs_train(self) -> bool:
        """Whether it cannot be computed without an index of the training data."""
        return self.takes_train and self._parameters["exposure"].default is inspect.Parameter.empty

    @property
    def keywords(self) -> tuple[str, ...]:
        """The keywords of its evaluate module: those of the function, with columns instead of an index."""
        own = [name for name in self._parameters if name not in _NO_KEYWORDS]
        if self.takes_train:
            own.append("train")
        if self.by_entity:
            own += _ENTITY_KEY
        return tuple(own)

    def with_beta(self, beta: float) -> Metric:
        """Return the record of the same metric in F-beta: each F1 that it names is replaced by the F-beta beside it.

        Args:
            beta: how many times as much recall weighs as precision.
        """
        if beta == self.beta or "beta" not in self._parameters:
            return self

        def renamed(names: tuple[str, ...]) -> tuple[str, ...]:
            """Return names of values with F-beta instead of F1."""
            return tuple(f_beta(name, beta) for name in names)

        return replace(
            self,
            titles={f_beta(name, beta): f_beta(title, beta) for name, title in self.titles.items()},
            shown=renamed(self.shown),
            headline=renamed(self.headline),
            logged=renamed(self.logged),
            compared=renamed(self.compared),
            ranked=f_beta(self.ranked, beta),
            beta=beta,
        )

    def __call__(self, gold: Any, pred: Any, exposure: Any = None, **keywords: Any) -> Any:
        """Compute the metric.

        Args:
            gold: the gold annotation.
            pred: the predictions.
            exposure: the index of the training data, which is only passed on to metrics that can use it.
            **keywords: the options of the metric.
        """
        types = parse_types(keywords.pop("types", None))
        if types:  # a metric need not take other names of types, unless some are given
            keywords["types"] = types
        if checks.beta(keywords.get("beta", 1)) == 1:
            keywords.pop("beta", None)  # nor need it take beta
        if self.takes_train:
            return self.function(gold, pred, exposure, **keywords)
        return self.function(gold, pred, **keywords)

    @property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        """The parameters of the function."""
        return inspect.signature(self.function).parameters
