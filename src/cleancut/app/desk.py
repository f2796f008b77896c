"""Keeps the newest request of each tab of each page, and ends the work on the requests before it."""

from __future__ import annotations

import threading
from itertools import count


class Desk:
    """Holds the newest request of each tab of each page: it ends the one before; closing the page ends all.

    >>> desk = Desk()
    >>> first = desk.ask("a page", "score")
    >>> stopped = desk.stopped("a page", "score", first)
    >>> second = desk.ask("a page", "score")
    >>> stopped.is_set(), desk.is_newest("a page", "score", second)
    (True, True)
    """

    def __init__(self) -> None:
        self._numbers = count(1)
        self._newest: dict[tuple[str, str], tuple[int, threading.Event]] = {}
        self._lock = threading.Lock()

    def ask(self, page: str, tab: str) -> int:
        """Return the number of a new request, and end the work on the one before."""
        with self._lock:
            self._end(page, tab)
            number = next(self._numbers)
            self._newest[page, tab] = number, threading.Event()
            return number

    def cancel(self, page: str, tab: str) -> int:
        """Return a new number, for which nobody waits, and end the work on the request before."""
        number = self.ask(page, tab)
        with self._lock:
            self._end(page, tab)
        return number

    def is_cancelled(self, page: str, tab: str) -> bool:
        """Does nobody wait for anything in this tab, since the last request was cancelled?"""
        with self._lock:
            return (page, tab) in self._newest and self._newest[page, tab][1].is_set()

    def stopped(self, page: str, tab: str, number: int) -> threading.Event:
        """Return an event that is set once nobody waits for this request any more; it may be set already."""
        with self._lock:
            newest, stopped = self._newest.get((page, tab), (0, threading.Event()))
            if newest != number:
                stopped = threading.Event()
                stopped.set()
            return stopped

    def is_newest(self, page: str, tab: str, number: int) -> bool:
        """Is this the newest request of a tab, and its page open?"""
        with self._lock:
            return self._newest.get((page, tab), (0, None))[0] == number

    def has_asked(self, page: str, tab: str) -> bool:
        """Has there been a request in this tab?"""
        with self._lock:
            return (page, tab) in self._newest

    def leave(self, page: str, tab: str | None = None) -> None:
        """End the work for a page, or for one tab of it, and forget that it was asked for."""
        with self._lock:
            of_page = [key for key in self._newest if key[0] == page]
            for key in of_page:
                if tab in (None, key[1]):
                    self._end(*key)
                    del self._newest[key]

    def _end(self, page: str, tab: str) -> None:
        if (page, tab) in self._newest:
            self._newest[page, tab][1].set()
