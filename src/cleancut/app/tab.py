"""A tab that computes: inputs, what is pressed, what is said meanwhile, results and files to take home.

What was asked last counts. A new request ends the work on the one before, and an answer that comes too late is dropped;
whatever is shown names the data that it was made of.
"""

from __future__ import annotations

import hashlib
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.exceptions import CleancutError
from ..showing.escaping import visible
from . import jobs, sandbox
from .advice import in_the_app
from .desk import Desk
from .examples import Shelf

if TYPE_CHECKING:
    import gradio

SECONDS = 120
"""After which a computation is stopped."""
AT_ONCE = 2
"""Computations that run at the same time, for all visitors together; others wait."""
DESK = Desk()
QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
"""Of events that are the page's own; what is going on is said by the page itself."""
AT_ONCE_ONLY: dict[str, Any] = {"queue": False, **QUIET}
"""Of events that wait for nothing."""
SHARED: dict[str, Any] = {"concurrency_id": "work", "concurrency_limit": AT_ONCE}
"""Of events that compute: one limit for all of them."""


ShowMore = Callable[[jobs.Made | None, Sequence[Any]], list[Any]]


def asked_by(callback: Callable[..., Any]) -> Callable[..., Any]:
    """Return a callback whose first parameter is the request: Gradio goes by annotations that it can evaluate."""
    import gradio as gr

    callback.__annotations__["request"] = gr.Request
    return callback


def page_of(request: gradio.Request) -> str:
    """Return what tells one open page from others. The browser chose the session's name, so that it is no path."""
    return hashlib.sha256(str(request.session_hash).encode()).hexdigest()


def taken_home(page: str) -> Path:
    """Return the folder, among Gradio's, of what was made for one page."""
    from gradio.utils import get_upload_folder

    return Path(get_upload_folder(), f"page-{page}")


# --- what is said beside the button -----------------------------------------------------------------------------


def said(text: str) -> str:
    """Return a word on how things stand."""
    return f'<p role="status">{escape(text)}</p>' if text else ""


def refused(error: Exception) -> str:
    """Return an error, which stays until something else is asked."""
    return f'<p role="alert"><b>Not computed:</b> {escape(visible(in_the_app(str(error))))}</p>'


def progress(done: float, left: float | None, what: str = "Computing") -> str:
    """Return a bar with what is done, and how many seconds are left, where that is known."""
    percent = int(100 * done)
    text = f"{what}: {percent}%" + ("" if left is None else f", {_duration(left)} left")
    return (
        f'<div class="doing"><progress max="100" value="{percent}" aria-label="{escape(what)}">{percent}%</progress>'
        f"<span>{escape(text)}</span></div>"
    )


def _duration(seconds: float) -> str:
    if seconds < 1.5:
        return "a second"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min"


WAITING = said(f"Waiting: {AT_ONCE} computations run at a time.")
CANCELLED = said("Cancelled.")


# --- the tab ----------------------------------------------------------------------------------------------------


class Tab:
    """Inputs on the left with buttons below them; on the right the results, behind tabs, and files to take home.

    Args:
        key: The name of the tab in the page.
        inputs: Makes the components of the inputs.
        button: What is written on the button.
        files: The names of the files to take home.
        panels: The titles of the results.
        further: Makes the components of further results, by their titles.
    """

    def __init__(
        self,
        key: str,
        inputs: Callable[[], list[Any]],
        button: str,
        files: Sequence[str],
        panels: Sequence[str],
        further: Mapping[str, Callable[[], list[Any]]] | None = None,
    ) -> None:
        import gradio as gr

        self.key = key
        with gr.Row(elem_classes="work"):
            with gr.Column(scale=2, min_width=320):
                self.inputs = inputs()
                with gr.Column(elem_classes="actions"):
                    with gr.Row():
                        self.button = gr.Button(button, variant="primary", scale=3, min_width=120)
                        self.cancel = gr.Button("Cancel", interactive=False, scale=1, min_width=90)
                    self.notice = gr.HTML("", elem_classes="notice", apply_default_css=False)
            with gr.Column(scale=3, min_width=320, elem_id=f"{key}-results", elem_classes="results"):
                with gr.Row(elem_classes="head"):
                    self.about = gr.HTML(_EXAMPLE_COMES, elem_classes="about", apply_default_css=False)
                    self._saved = [
                        gr.DownloadButton(
                            f"Save {name}", size="sm", interactive=False, elem_classes="quiet", scale=0, min_width=150
                        )
                        for name in files
                    ]
                with gr.Tabs():
                    self._panels = [self._panel(name) for name in panels]
                    self.more: list[Any] = []
                    for name, make in (further or {}).items():
                        with gr.Tab(name):
                            self.more += make()
        self.number = gr.Number(0, visible=False)  # of the newest request, as the page knows it
        self.outputs = [self.about, *self._panels, *self._saved]
        self._shown_more: ShowMore = lambda made, given: []

    @staticmethod
    def _panel(name: str) -> Any:
        import gradio as gr

        with gr.Tab(name):
            return gr.HTML(elem_classes="report", apply_default_css=False, min_height=200)

    # --- events ---------------------------------------------------------------------------------------------

    def fill(
        self,
        work: Callable[..., jobs.Made],
        given: Callable[..., Sequence[Any]],
        more: ShowMore | None = None,
        watched: Sequence[Any] | None = None,
    ) -> None:
        """Show what ``work`` makes of what ``given`` returns for the inputs, where the button is pressed.

        Args:
            work: The job.
            given: Returns its arguments, from the values of the inputs.
            more: Returns what the further components show of a result and its arguments; of None, nothing.
            watched: Inputs whose change makes results old; by default all of them.
        """
        self._shown_more = more or self._shown_more
        everything = [self.number, self.notice, self.cancel, *self.outputs, *self.more]
        begun = self.button.click(self._asked(), None, everything, trigger_mode="multiple", **AT_ONCE_ONLY)
        self.mark_new(self.button.click)
        answered = begun.then(
            self._answer(work, given), [self.number, *self.inputs], everything[1:], trigger_mode="multiple",
            **SHARED, **QUIET,
        )  # fmt: skip
        busy = CleancutError("the app did not answer: too many may be waiting. Try again in a minute.")
        answered.failure(lambda: refused(busy), None, self.notice, **AT_ONCE_ONLY)
        self.cancel.click(self._cancelled(), None, [self.number, self.notice, self.cancel], **AT_ONCE_ONLY)
        for component in self.inputs if watched is None else watched:
            for event in ("input", "upload", "clear", "delete"):
                if hasattr(component, event):
                    getattr(component, event)(None, None, None, js=_mark(self.key, "old"), **QUIET)

    def mark_new(self, event: Any) -> None:
        """Say that the results which come after this event are of the input as it stands."""
        event(None, None, None, js=_mark(self.key, "new"), **QUIET)

    def open_with(self, opening: Any, shelf: Shelf, name: str) -> None:
        """Show the result of an example when the tab is opened first, unless something else was asked before."""

        @asked_by
        async def opened(request: Any) -> list[Any]:
            if DESK.has_asked(page_of(request), self.key):
                return self._nothing(1)
            return await self.example(request, shelf, name)

        opening(opened, None, [self.notice, *self.outputs, *self.more], **AT_ONCE_ONLY)

    async def example(self, request: gradio.Request, shelf: Shelf, name: str) -> list[Any]:
        """Return the notice and the outputs of an example; nothing where something else was asked meanwhile."""
        page = page_of(request)
        number = DESK.ask(page, self.key)
        try:
            made = await shelf.result(name)
        except (CleancutError, OSError):
            return self._nothing(1)
        if not DESK.is_newest(page, self.key, number):
            return self._nothing(1)
        return ["", *self._shown(made, made.files, (), is_example=True)]

    def _asked(self) -> Callable[..., Any]:
        """Return what begins a request: nothing is shown any more, and a number is given out."""
        import gradio as gr

        @asked_by
        def asked(request: Any) -> list[Any]:
            number = DESK.ask(page_of(request), self.key)
            return [number, WAITING, gr.Button(interactive=True), *self._empty()]

        return asked

    def _cancelled(self) -> Callable[..., Any]:
        import gradio as gr

        @asked_by
        def cancelled(request: Any) -> list[Any]:
            return [DESK.cancel(page_of(request), self.key), CANCELLED, gr.Button(interactive=False)]

        return cancelled

    def _answer(self, work: Callable[..., jobs.Made], given: Callable[..., Sequence[Any]]) -> Callable[..., Any]:
        """Return what computes, and says meanwhile how far it is."""
        import gradio as gr

        @asked_by
        def answered(request: Any, number: int, *inputs: Any) -> Iterator[list[Any]]:
            page, idle = page_of(request), gr.Button(interactive=False)
            asked = given(*inputs)
            with tempfile.TemporaryDirectory() as folder:
                made: Any = None
                try:
                    for said in self.steps(page, number, work, asked, folder):
                        if isinstance(said, str):
                            yield [said, *self._nothing(1)]
                        else:
                            made = said
                except sandbox.Stopped:
                    yield [self.left(page), *self._nothing(1)]
                    return
                except CleancutError as error:
                    is_newest = DESK.is_newest(page, self.key, number)
                    yield [refused(error), idle, *self._empty()] if is_newest else self._nothing(2)
                    return
                files = self._kept([str(Path(folder, file)) for file in made.files], page)
            is_newest = DESK.is_newest(page, self.key, number)
            yield ["", idle, *self._shown(made, files, asked)] if is_newest else self._nothing(2)

        return answered

    def steps(
        self,
        page: str,
        number: int,
        work: Callable[..., Any],
        given: Sequence[Any],
        folder: str,
        told: Callable[[float, float | None], str] = progress,
    ) -> Iterator[Any]:
        """Yield what is to be said while ``work`` is done, and at last what it returns.

        ``told`` says it, of what is done and of the seconds that are left. These follow from the time that it took to
        come where the work stands, and run down until the next news of it.
        """
        stopped = DESK.stopped(page, self.key, number)
        if stopped.is_set():
            raise sandbox.Stopped
        begun = news = time.monotonic()
        reached, last = 0.0, ""
        working = sandbox.steps(work, *given, folder=folder, seconds=SECONDS, stopped=stopped)
        while True:
            try:
                done = next(working)
            except StopIteration as end:
                yield end.value
                return
            now = time.monotonic()
            if done > reached:
                reached, news = done, now
            left = None
            if reached >= 0.05 and now - begun >= 2:
                left = max((news - begun) * (1 - reached) / reached - (now - news), 0.0)
            text = told(done, left)
            if text != last:
                last = text
                yield text

    def left(self, page: str) -> Any:
        """Return what is said last of work that was ended; where something else was asked, that says the rest."""
        import gradio as gr

        return CANCELLED if DESK.is_cancelled(page, self.key) else gr.skip()

    def _nothing(self, n: int) -> list[Any]:
        """Return no change of ``n`` components and of all outputs."""
        import gradio as gr

        return [gr.skip()] * (n + len(self.outputs) + len(self.more))

    def _empty(self) -> list[Any]:
        """Return empty outputs: what was shown is gone, and cannot be saved."""
        import gradio as gr

        empty = [gr.DownloadButton(value=None, interactive=False) for _ in self._saved]
        return ["", *[""] * len(self._panels), *empty, *self._shown_more(None, ())]

    def _shown(
        self, made: jobs.Made, files: Sequence[str], given: Sequence[Any], is_example: bool = False
    ) -> list[Any]:
        import gradio as gr

        about = f"<p>{'Example: ' * is_example}<b>{escape(visible(made.about))}</b></p>"
        saved = [gr.DownloadButton(value=path, interactive=True) for path in files]
        return [about, *made.panels, *saved, *self._shown_more(made, given)]

    def _kept(self, files: Sequence[str], page: str) -> list[str]:
        """Return files to take home, where they stay until the page is closed, or Gradio deletes them."""
        home = taken_home(page) / secrets.token_hex(8)
        home.mkdir(parents=True)
        paths = [str(shutil.move(file, home)) for file in files]
        for button, path in zip(self._saved, paths, strict=True):
            button.temp_files.add(path)
        return paths


_EXAMPLE_COMES = "<p>The example is on its way.</p>"


def _mark(key: str, state: str) -> str:
    """Return a script that says of results whether they are of the input as it stands."""
    return f'() => {{ document.getElementById("{key}-results").dataset.state = "{state}"; }}'
