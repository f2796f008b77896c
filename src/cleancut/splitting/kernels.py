"""Loops over arrays that run as plain Python where they have little to do, and as machine code elsewhere.

Machine code is a hundred times as fast, but it takes numba some seconds to compile it, once on a machine. Both ways
give the same result to the last bit.
"""

from __future__ import annotations

import logging
import random as standard
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
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
"""What a loop may do in plain Python where it could be compiled: it takes a few tenths of a second."""

_LOG = logging.getLogger(__name__)


def kernel(*parts: Callable[..., Any]) -> Callable[[Callable[..., Any]], Kernel]:
    """Makes a kernel of a function with loops; ``parts`` are the functions that it calls."""
    return lambda function: Kernel(function, *parts)


class Kernel:
    """A function over arrays, which draws its numbers from the global name ``random``, which is ``numpy.random``."""

    def __init__(self, function: Any, *parts: Any) -> None:
        self._function, self._parts = function, parts

    def __call__(self, n_first: int, given: Callable[[], tuple[Any, ...]]) -> Any:
        """The function of what is given, which is made anew for each try, since the function may change it.

        ``n_first`` is about how much there is to do before the first number is drawn. What turns out to be more than a
        little starts again from the beginning, compiled; once there is machine code, nothing else runs.
        """
        if not HAS_NUMBA:
            return self._interpreted(None)(*given())
        if n_first <= _LITTLE and "_compiled" not in vars(self):
            with suppress(_TooMuch):
                return self._interpreted(_LITTLE)(*given())
        with _announced(), _interruptible():
            return self._compiled(*given())

    def _interpreted(self, most: int | None) -> Callable[..., Any]:
        return FunctionType(self._function.__code__, {**self._function.__globals__, "random": _Numbers(most)})

    @cached_property
    def _compiled(self) -> Callable[..., Any]:
        parts = {part.__name__: njit(cache=True, inline="always")(part) for part in self._parts}
        compiled: Callable[..., Any] = njit(cache=True)(
            FunctionType(self._function.__code__, {**self._function.__globals__, **parts})
        )
        return compiled


class _TooMuch(Exception):
    """More numbers were asked for than were to be drawn."""


class _Numbers:
    """The numbers that ``numpy.random`` gives to compiled code, from a generator of its own: so many, or any number."""

    def __init__(self, most: int | None) -> None:
        self._left, self._generator = -1 if most is None else most, standard.Random()

    def seed(self, seed: int) -> None:
        # the standard library has the same Mersenne Twister, and is far faster than numpy where numbers come one by one
        _, words, position, *_ = np.random.RandomState(seed).get_state()
        self._generator.setstate((3, (*map(int, words), position), None))

    def random(self) -> float:
        if self._left == 0:
            raise _TooMuch
        self._left -= 1
        return self._generator.random()

    def randint(self, high: int) -> int:
        if high == 1:
            return 0  # which takes no number
        mask = (1 << (int(high) - 1).bit_length()) - 1
        while (number := self._generator.getrandbits(32) & mask) >= high:
            pass
        return number


@contextmanager
def _announced() -> Iterator[None]:
    """What is not compiled yet is said to be, since it takes a while."""

    class Compiling(event.Listener):
        n_inside = 0  # compiling a function compiles others

        def on_start(self, _: Any) -> None:
            if not self.n_inside:
                _LOG.info("compiling the search, once on this machine; this takes some seconds")
            self.n_inside += 1

        def on_end(self, _: Any) -> None:
            self.n_inside -= 1

    with event.install_listener("numba:compile", Compiling()):
        yield


@contextmanager
def _interruptible() -> Iterator[None]:
    """Compiled code reports an interruption as an error of its own."""
    try:
        yield
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt) or isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
