"""Kernels: loops over arrays that run as plain Python where there is little to do, and as machine code elsewhere.

Machine code is a hundred times as fast, but numba takes some seconds to compile it, once on each machine. Both ways
give the same result to the last bit.
"""

from __future__ import annotations

import logging
import random as standard
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from types import FunctionType
from typing import Any

import numpy as np

try:
    from numba import njit
    from numba.core import event
except ImportError:  # no wheel for this platform: all is plain Python, with a smaller budget
    HAS_NUMBA = False
else:
    HAS_NUMBA = True

_LITTLE = 50_000
"""The number of steps that run as plain Python although they could be compiled: some tenths of a second."""

_LOG = logging.getLogger(__name__)


def kernel(*parts: Callable[..., Any]) -> Callable[[Callable[..., Any]], Kernel]:
    """Return a decorator that makes a kernel of a function with loops.

    Args:
        *parts: the functions that it calls, which are compiled with it; each comes after those that it calls itself.
    """
    return lambda function: Kernel(function, *parts)


class Kernel:
    """A function over arrays that can run as plain Python or as machine code.

    The function draws random numbers from ``random``, a global name for ``numpy.random``. In plain Python the name is
    bound to a generator that gives the same numbers and counts them.
    """

    def __init__(self, function: Any, *parts: Any) -> None:
        self._function = function
        self._parts = parts

    def __call__(self, n_first: int, given: Callable[[], tuple[Any, ...]]) -> tuple[tuple[Any, ...], Any]:
        """Return the arguments, as the function has changed them, and its value.

        It first runs as plain Python if there seems to be little to do. If that turns out to be wrong, it starts again
        from the beginning, compiled. Once there is machine code, nothing else runs.

        Args:
            n_first: about how many steps there are before the first random number is drawn.
            given: a function that returns the arguments; they are made anew for each try, since the function may
                change them.
        """
        if not HAS_NUMBA:
            return self._run(self._interpreted(None), given())
        if n_first <= _LITTLE and "_compiled" not in vars(self):
            with suppress(_TooMuch):
                return self._run(self._interpreted(_LITTLE), given())
        with _announced(), _interruptible():
            return self._run(self._compiled, given())

    @staticmethod
    def _run(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        """Return the arguments, as a function has changed them, and its value."""
        return arguments, function(*arguments)

    def _interpreted(self, most: int | None) -> Callable[..., Any]:
        """Return the function as plain Python, which raises ``_TooMuch`` after so many random numbers."""
        return self._bound({"random": _Numbers(most)}, lambda part: part)

    @cached_property
    def _compiled(self) -> Callable[..., Any]:
        """The function as machine code, which numba compiles when it is first called, or takes from its cache."""
        part = partial(njit, _nrt=False, forceinline=True)  # counting references would take half the time
        compiled: Callable[..., Any] = njit(cache=True, _nrt=False)(self._bound({}, part))
        return compiled

    def _bound(self, names: dict[str, Any], made: Callable[[Any], Any]) -> FunctionType:
        """Return the function with global names of its own, and with each of its parts made into what it calls.

        Args:
            names: what the global names stand for that differ from those of the module.
            made: a function that makes what is called of a part.
        """
        for part in self._parts:
            names[part.__name__] = made(FunctionType(part.__code__, {**part.__globals__, **names}, part.__name__))
        return FunctionType(self._function.__code__, {**self._function.__globals__, **names})


class _TooMuch(Exception):
    """Raised when a kernel in plain Python draws more random numbers than it may."""


class _Numbers:
    """A generator that gives the numbers which ``numpy.random`` gives to compiled code, at most so many of them.

    The standard library has the same Mersenne Twister as numpy, and is far faster where numbers come one by one.
    """

    def __init__(self, most: int | None) -> None:
        self._left = -1 if most is None else most  # which never becomes 0 from -1 on
        self._generator = standard.Random()

    def seed(self, seed: int) -> None:
        """Begin anew with the state that numpy has for a seed."""
        _, words, position, *_ = np.random.RandomState(seed).get_state()
        self._generator.setstate((3, (*map(int, words), position), None))

    def random(self) -> float:
        """Return a number from 0 to 1, as ``numpy.random.random`` does."""
        if self._left == 0:
            raise _TooMuch
        self._left -= 1
        return self._generator.random()

    def randint(self, high: int) -> int:
        """Return a whole number below a bound, as compiled code of ``numpy.random.randint`` does."""
        if high == 1:
            return 0  # numpy takes no number from the generator here
        mask = (1 << (int(high) - 1).bit_length()) - 1
        while (number := self._generator.getrandbits(32) & mask) >= high:
            pass
        return number


@contextmanager
def _announced() -> Iterator[None]:
    """Log that the search is being compiled, if it is, since that takes a while."""

    class Compiling(event.Listener):
        """A listener of numba that logs once, when the outermost function begins to be compiled."""

        n_inside = 0  # compiling a function compiles those that it calls

        def on_start(self, _: Any) -> None:
            """Log the first function."""
            if not self.n_inside:
                _LOG.info("compiling the search, once on this machine; this takes some seconds")
            self.n_inside += 1

        def on_end(self, _: Any) -> None:
            """Count a function as done."""
            self.n_inside -= 1

    with event.install_listener("numba:compile", Compiling()):
        yield


@contextmanager
def _interruptible() -> Iterator[None]:
    """Raise ``KeyboardInterrupt`` for an interruption inside, which compiled code reports as a ``SystemError``."""
    try:
        yield
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt) or isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
