"""Keep the newest request of each tab of each page, and end the work on the requests before it."""

from __future__ import annotations

import threading
from itertools import count


class Desk:
    """The newest request of each tab of each page. A new request ends the one before; closing the page ends all.

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
        """Return the number of a new request, and end the work on the one before.

        Args:
            page: the name of the page.
            tab: the name of the tab.
        """
        with self._lock:
            self._end(page, tab)
            number = next(self._numbers)
            self._newest[page, tab] = number, threading.Event()
            return number

    def cancel(self, page: str, tab: str) -> int:
        """Return a new number, for which nobody waits, and end the work on the request before.

        Args:
            page: the name of the page.
            tab: the name of the tab.
        """
        number = self.ask(page, tab)
        with self._lock:
            self._end(page, tab)
        return number

    def is_cancelled(self, page: str, tab: str) -> bool:
        """Return whether the last request of a tab was cancelled, so that nobody waits for it.

        Args:
            page: the name of the page.
            tab: the name of the tab.
        """
        with self._lock:
            return (page, tab) in self._newest and self._newest[page, tab][1].is_set()

    def stopped(self, page: str, tab: str, number: int) -> threading.Event:
        """Return an event that is set once nobody waits for a request any more; it may be set already.

        Args:
            page: the name of the page.
            tab: the name of the tab.
            number: the number of the request.
        """
        with self._lock:
            newest, stopped = self._newest.get((page, tab), (0, threading.Event()))
            if newest != number:
                stopped = threading.Event()
                stopped.set()
            return stopped

    def is_newest(self, page: str, tab: str, number: int) -> bool:
        """Return whether a request is the newest of its tab, and its page is open.

        Args:
            page: the name of the page.
            tab: the name of the tab.
            number: the number of the request.
        """
        with self._lock:
            return self._newest.get((page, tab), (0, None))[0] == number

    def has_asked(self, page: str, tab: str) -> bool:
        """Return whether there has been a request in a tab.

        Args:
            page: the name of the page.
            tab: the name of the tab.
        """
        with self._lock:
            return (page, tab) in self._newest

    def leave(self, page: str, tab: str | None = None) -> None:
        """End the work for a page, or for one tab of it, and forget its requests.

        Args:
            page: the name of the page.
            tab: the name of the tab; None for all of them.
        """
        with self._lock:
            of_page = [key for key in self._newest if key[0] == page]
            for key in of_page:
                if tab in (None, key[1]):
                    self._end(*key)
                    del self._newest[key]

    def _end(self, page: str, tab: str) -> None:
        """End the work on the newest request of a tab, if there is one."""
        if (page, tab) in self._newest:
            self._newest[page, tab][1].set()
