"""A tab that computes: inputs, buttons, a notice beside them, results, and files to take home.

The newest request counts: it ends the work on the one before, and an answer that comes too late is dropped. Whatever is
shown names the data that it was made from.
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
"""Seconds of processor time after which a computation is stopped."""
AT_ONCE = 2
"""Computations that run at the same time, for all visitors together; others wait."""
DESK = Desk()
QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
"""Options of events that only the page itself calls; it says itself what is going on."""
UNQUEUED: dict[str, Any] = {"queue": False, **QUIET}
"""Options of events that wait for nothing."""
SHARED: dict[str, Any] = {"concurrency_id": "work", "concurrency_limit": AT_ONCE}
"""Options of events that compute: one limit for all of them."""

ShowMore = Callable[[jobs.Made | None, Sequence[Any]], list[Any]]
"""Returns what the further components show of a result and its arguments; of None, nothing."""


def asked_by(callback: Callable[..., Any]) -> Callable[..., Any]:
    """Return a callback whose first parameter is the request: Gradio goes by annotations that it can evaluate."""
    import gradio as gr

    callback.__annotations__["request"] = gr.Request
    return callback


def page_of(request: gradio.Request) -> str:
    """Return a name for an open page. It is hashed, since the browser chose it: it must not be a path."""
    return hashlib.sha256(str(request.session_hash).encode()).hexdigest()


def taken_home(page: str) -> Path:
    """Return the folder, among Gradio's, of the files that were made for one page."""
    from gradio.utils import get_upload_folder

    return Path(get_upload_folder(), f"page-{page}")


# --- the notice beside the button ---------------------------------------------------------------------------------


def said(text: str) -> str:
    """Return a notice on how things stand."""
    return f'<p role="status">{escape(text)}</p>' if text else ""


def refused(error: Exception) -> str:
    """Return a notice with an error, which stays until the next request."""
    return f'<p role="alert"><b>Not computed:</b> {escape(visible(in_the_app(str(error))))}</p>'


def progress(done: float, left: float | None, what: str = "Computing") -> str:
    """Return a bar with the share that is done and the time that is left, where that is known."""
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
UNANSWERED = refused(CleancutError("the app did not answer: too many may be waiting. Try again in a minute."))


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
            with gr.Column(scale=1, min_width=320):
                self.inputs = inputs()
                with gr.Column(elem_classes="actions"):
                    with gr.Row():
                        self.button = gr.Button(button, variant="primary", scale=3, min_width=120)
                        self.cancel = gr.Button("Cancel", interactive=False, scale=1, min_width=90)
                    self.notice = gr.HTML("", elem_classes="notice", apply_default_css=False)
            with gr.Column(scale=2, min_width=320, elem_id=f"{key}-results", elem_classes="results"):
                with gr.Row(elem_classes="head"):
                    self.about = gr.HTML(EXAMPLE_COMES, elem_classes="about", apply_default_css=False)
                    self._saved = [
                        gr.DownloadButton(
                            f"Save {name}", size="sm", interactive=False, elem_classes="quiet", scale=0, min_width=150
                        )
                        for name in files
                    ]
                self._notices = gr.HTML("", elem_classes="notices", apply_default_css=False)
                with gr.Tabs():
                    self._panels = [self._panel(name) for name in panels]
                    self.more: list[Any] = []
                    for name, make in (further or {}).items():
                        with gr.Tab(name):
                            self.more += make()
        self.number = gr.Number(0, visible=False)  # of the newest request, as the page knows it
        self.outputs = [self.about, self._notices, *self._panels, *self._saved]
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
        """Compute and show a result where the button is pressed.

        Args:
            work: The job that computes it.
            given: Returns the arguments of the job, from the values of the inputs.
            more: Returns what the further components show.
            watched: Inputs whose change makes results old; by default all of them.
        """
        self._shown_more = more or self._shown_more
        everything = [self.number, self.notice, self.cancel, *self.outputs, *self.more]
        begun = self.button.click(self._asked(), None, everything, trigger_mode="multiple", **UNQUEUED)
        self.mark_new(self.button.click)
        answered = begun.then(
            self._answer(work, given), [self.number, *self.inputs], everything[1:], trigger_mode="multiple",
            **SHARED, **QUIET,
        )  # fmt: skip
        self.tell_failure(answered)
        self.cancel.click(self._cancelled(), None, [self.number, self.notice, self.cancel], **UNQUEUED)
        for component in self.inputs if watched is None else watched:
            for event in ("input", "upload", "clear", "delete"):
                if hasattr(component, event):
                    getattr(component, event)(None, None, None, js=_mark(self.key, "old"), **QUIET)

    def tell_failure(self, event: Any) -> None:
        """Say beside the button that an event was not answered, since the queue is full or the app has failed."""
        import gradio as gr

        idle = lambda: [UNANSWERED, gr.Button(interactive=False)]
        event.failure(idle, None, [self.notice, self.cancel], **UNQUEUED)

    def mark_new(self, event: Any) -> None:
        """Mark the results that come after this event as those of the input as it stands."""
        event(None, None, None, js=_mark(self.key, "new"), **QUIET)

    def open_with(self, opening: Any, shelf: Shelf, name: str) -> None:
        """Show the result of an example when the tab is opened first, unless something else was asked before."""

        @asked_by
        async def opened(request: Any) -> list[Any]:
            page = page_of(request)
            if DESK.has_asked(page, self.key):
                return self._nothing(0)
            return await self.example(page, DESK.ask(page, self.key), shelf, name)

        opening(opened, None, [*self.outputs, *self.more], **UNQUEUED)

    async def example(self, page: str, number: int, shelf: Shelf, name: str) -> list[Any]:
        """Return the outputs of an example as soon as it is there; no change where something else was asked since."""
        try:
            made = await shelf.result(name)
        except (CleancutError, OSError):
            made = None
        if not DESK.is_newest(page, self.key, number):
            return self._nothing(0)
        return self.empty(_EXAMPLE_FAILED) if made is None else self._shown(made, made.files, (), is_example=True)

    def _asked(self) -> Callable[..., Any]:
        """Return what begins a request: nothing is shown any more, and a number is given out."""
        import gradio as gr

        @asked_by
        def asked(request: Any) -> list[Any]:
            number = DESK.ask(page_of(request), self.key)
            return [number, WAITING, gr.Button(interactive=True), *self.empty()]

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
                    yield [self.last_notice(page), *self._nothing(1)]
                    return
                except CleancutError as error:
                    is_newest = DESK.is_newest(page, self.key, number)
                    yield [refused(error), idle, *self.empty()] if is_newest else self._nothing(2)
                    return
                files = self._kept([str(Path(folder, file)) for file in made.files], page)
            is_newest = DESK.is_newest(page, self.key, number)
            yield [self._done, idle, *self._shown(made, files, asked)] if is_newest else self._nothing(2)

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
        """Yield notices while ``work`` is done, and at last what it returns.

        ``told`` makes a notice from the share that is done and the seconds that are left. These are estimated from the
        time that the work took so far, and run down until it reports again.
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

    @property
    def _done(self) -> str:
        """The notice on work that is done: where results are below the button, a link to them."""
        return f'<a class="done" href="#{self.key}-results">Done: go to the result</a>'

    def last_notice(self, page: str) -> Any:
        """Return the notice on work that was ended: none where a newer request has its own."""
        import gradio as gr

        return CANCELLED if DESK.is_cancelled(page, self.key) else gr.skip()

    def _nothing(self, n: int) -> list[Any]:
        """Return no change of ``n`` components and of all outputs."""
        import gradio as gr

        return [gr.skip()] * (n + len(self.outputs) + len(self.more))

    def empty(self, about: str = "") -> list[Any]:
        """Return empty outputs: what was shown is gone, and cannot be saved."""
        import gradio as gr

        unsaved = [gr.DownloadButton(value=None, interactive=False) for _ in self._saved]
        return [about, "", *[""] * len(self._panels), *unsaved, *self._shown_more(None, ())]

    def _shown(
        self, made: jobs.Made, files: Sequence[str], given: Sequence[Any], is_example: bool = False
    ) -> list[Any]:
        import gradio as gr

        about = f"<p>{'Example: ' * is_example}<b>{escape(visible(made.about))}</b></p>"
        saved = [gr.DownloadButton(value=path, interactive=True) for path in files]
        return [about, _listed(made.notices), *made.panels, *saved, *self._shown_more(made, given)]

    def _kept(self, files: Sequence[str], page: str) -> list[str]:
        """Return files to take home, which stay until the next result, or until the page is closed.

        Their folder has a new name, so that a browser does not take them for the files of the result before.
        """
        shutil.rmtree(taken_home(page) / self.key, ignore_errors=True)
        home = taken_home(page) / self.key / secrets.token_hex(8)
        home.mkdir(parents=True)
        paths = [str(shutil.move(file, home)) for file in files]
        for button, path in zip(self._saved, paths, strict=True):
            button.temp_files.add(path)
        return paths


EXAMPLE_COMES = "<p>The example is on its way.</p>"
_EXAMPLE_FAILED = "<p>The example could not be computed. Your own data can be.</p>"
_MOST_NOTICES = 12
"""Notices that are shown above a result."""


def _listed(notices: Sequence[str]) -> str:
    """Return the notices of a result as a list."""
    if not notices:
        return ""
    shown = list(notices[:_MOST_NOTICES])
    if len(notices) > len(shown):
        shown.append(f"{len(notices) - len(shown)} more notices are left out here.")
    return f"<ul>{''.join(f'<li>{escape(visible(notice))}</li>' for notice in shown)}</ul>"


def _mark(key: str, state: str) -> str:
    """Return a script that says of results whether they are of the input as it stands."""
    return f'() => {{ document.getElementById("{key}-results").dataset.state = "{state}"; }}'
