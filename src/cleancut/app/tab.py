"""A tab that computes: inputs, buttons, a notice beside them, results, and files to download.

Only the newest request counts: it ends the work on the one before, and an answer that comes too late is dropped. Each
result names the data that it was made from.
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
"""The seconds of processor time after which a computation is stopped."""
AT_ONCE = 2
"""The number of computations that run at the same time, for all visitors together; others wait."""
DESK = Desk()
"""The newest requests of all open pages."""
QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
"""The options of events that only the page itself calls, which shows their progress itself."""
UNQUEUED: dict[str, Any] = {"queue": False, **QUIET}
"""The options of events that wait for nothing."""
SHARED: dict[str, Any] = {"concurrency_id": "work", "concurrency_limit": AT_ONCE}
"""The options of events that compute, which have one limit together."""

ShowMore = Callable[[jobs.Made | None, Sequence[Any]], list[Any]]
"""A function that returns what the further components show of a result and its arguments; for None, nothing."""


def asked_by(callback: Callable[..., Any]) -> Callable[..., Any]:
    """Return a callback with ``request`` annotated as ``gradio.Request``, by which Gradio knows to pass the request.

    Args:
        callback: a function with a parameter ``request``.
    """
    import gradio as gr

    callback.__annotations__["request"] = gr.Request
    return callback


def page_of(request: gradio.Request) -> str:
    """Return a name for an open page. It is hashed, since the browser chose it, and it must not be a path.

    Args:
        request: a request of the page.
    """
    return hashlib.sha256(str(request.session_hash).encode()).hexdigest()


def download_folder(page: str) -> Path:
    """Return the folder, inside that of Gradio, for the files that were made for one page.

    Args:
        page: the name of the page.
    """
    from gradio.utils import get_upload_folder

    return Path(get_upload_folder(), f"page-{page}")


# --- the notice beside the button ---------------------------------------------------------------------------------


def status(text: str) -> str:
    """Return a notice on the state of a request.

    Args:
        text: the notice; empty for none.
    """
    return f'<p role="status">{escape(text)}</p>' if text else ""


def refused(error: Exception) -> str:
    """Return a notice with an error, which stays until the next request.

    Args:
        error: the error.
    """
    return f'<p role="alert"><b>Not computed:</b> {escape(visible(in_the_app(str(error))))}</p>'


def progress(done: float, left: float | None, what: str = "Computing") -> str:
    """Return a bar with the share that is done and the time that is left, if that is known.

    Args:
        done: the share that is done.
        left: the seconds that are left; None if that is not known.
        what: what is going on.
    """
    percent = int(100 * done)
    text = f"{what}: {percent}%"
    if left is not None:
        text += f", {_duration(left)} left"
    return (
        f'<div class="doing"><progress max="100" value="{percent}" aria-label="{escape(what)}">{percent}%</progress>'
        f"<span>{escape(text)}</span></div>"
    )


def _duration(seconds: float) -> str:
    """Return a time in words."""
    if seconds < 1.5:
        return "a second"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min"


WAITING = status(f"Waiting: {AT_ONCE} computations run at a time.")
"""The notice on a request that waits for others."""
CANCELLED = status("Cancelled.")
"""The notice on a request that was cancelled."""
UNANSWERED = refused(CleancutError("the app did not answer: too many may be waiting. Try again in a minute."))
"""The notice on a request that the queue refused, or that failed."""


# --- the tab ----------------------------------------------------------------------------------------------------


class Tab:
    """A tab with inputs and buttons on the left, and on the right the results, behind tabs, and the files to download.

    Args:
        key: the name of the tab in the page.
        inputs: makes the components of the inputs.
        button: the text on the button.
        files: the names of the files to download.
        panels: the titles of the results.
        further: makes the components of further results, by their titles.
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
        self._more_outputs: ShowMore = lambda made, given: []

    @staticmethod
    def _panel(name: str) -> Any:
        """Return the component of one result."""
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
        """Compute and show a result when the button is pressed.

        Args:
            work: the job that computes it.
            given: returns the arguments of the job, from the values of the inputs.
            more: returns what the further components show.
            watched: the inputs whose change makes results old; by default all of them.
        """
        self._more_outputs = more or self._more_outputs
        everything = [self.number, self.notice, self.cancel, *self.outputs, *self.more]
        begun = self.button.click(self._asked(), None, everything, trigger_mode="multiple", **UNQUEUED)
        self.mark_new(self.button.click)
        answered = begun.then(
            self._answer(work, given),
            [self.number, *self.inputs],
            everything[1:],
            trigger_mode="multiple",
            **SHARED,
            **QUIET,
        )
        self.tell_failure(answered)
        self.cancel.click(self._cancelled(), None, [self.number, self.notice, self.cancel], **UNQUEUED)
        for component in self.inputs if watched is None else watched:
            for event in ("input", "upload", "clear", "delete"):
                if hasattr(component, event):
                    getattr(component, event)(None, None, None, js=_mark(self.key, "old"), **QUIET)

    def tell_failure(self, event: Any) -> None:
        """Tell beside the button that an event was not answered, since the queue is full or the app has failed.

        Args:
            event: the event, as Gradio returned it.
        """
        import gradio as gr

        idle = lambda: [UNANSWERED, gr.Button(interactive=False)]
        event.failure(idle, None, [self.notice, self.cancel], **UNQUEUED)

    def mark_new(self, event: Any) -> None:
        """Mark the results that come after an event as those of the present input.

        Args:
            event: the event of a component, such as ``button.click``.
        """
        event(None, None, None, js=_mark(self.key, "new"), **QUIET)

    def open_with(self, opening: Any, shelf: Shelf, name: str) -> None:
        """Show the result of an example when the tab is opened first, unless there was a request before.

        Args:
            opening: the event of opening.
            shelf: the results of the examples.
            name: the name of the example on the shelf.
        """

        @asked_by
        async def opened(request: Any) -> list[Any]:
            page = page_of(request)
            if DESK.has_asked(page, self.key):
                return self._nothing(0)
            return await self.example(page, DESK.ask(page, self.key), shelf, name)

        opening(opened, None, [*self.outputs, *self.more], **UNQUEUED)

    async def example(self, page: str, number: int, shelf: Shelf, name: str) -> list[Any]:
        """Return the outputs of an example as soon as it is computed; no change if there was another request since.

        Args:
            page: the name of the page.
            number: the number of the request.
            shelf: the results of the examples.
            name: the name of the example on the shelf.
        """
        try:
            made = await shelf.result(name)
        except (CleancutError, OSError):
            made = None
        if not DESK.is_newest(page, self.key, number):
            return self._nothing(0)
        if made is None:
            return self.empty(_EXAMPLE_FAILED)
        return self._outputs_of(made, made.files, (), is_example=True)

    def _asked(self) -> Callable[..., Any]:
        """Return the callback that begins a request: it empties the outputs and gives the request a number."""
        import gradio as gr

        @asked_by
        def asked(request: Any) -> list[Any]:
            number = DESK.ask(page_of(request), self.key)
            return [number, WAITING, gr.Button(interactive=True), *self.empty()]

        return asked

    def _cancelled(self) -> Callable[..., Any]:
        """Return the callback that cancels the newest request."""
        import gradio as gr

        @asked_by
        def cancelled(request: Any) -> list[Any]:
            return [DESK.cancel(page_of(request), self.key), CANCELLED, gr.Button(interactive=False)]

        return cancelled

    def _answer(self, work: Callable[..., jobs.Made], given: Callable[..., Sequence[Any]]) -> Callable[..., Any]:
        """Return the callback that computes a result, and shows its progress meanwhile."""
        import gradio as gr

        @asked_by
        def answered(request: Any, number: int, *inputs: Any) -> Iterator[list[Any]]:
            page = page_of(request)
            idle = gr.Button(interactive=False)
            work_arguments = given(*inputs)
            with tempfile.TemporaryDirectory() as folder:
                made: Any = None
                try:
                    for step in self.steps(page, number, work, work_arguments, folder):
                        if isinstance(step, str):
                            yield [step, *self._nothing(1)]
                        else:
                            made = step
                except sandbox.Stopped:
                    yield [self.last_notice(page), *self._nothing(1)]
                    return
                except CleancutError as error:
                    is_newest = DESK.is_newest(page, self.key, number)
                    yield [refused(error), idle, *self.empty()] if is_newest else self._nothing(2)
                    return
                files = self._kept([str(Path(folder, file)) for file in made.files], page)
            is_newest = DESK.is_newest(page, self.key, number)
            yield [self._done, idle, *self._outputs_of(made, files, work_arguments)] if is_newest else self._nothing(2)

        return answered

    def steps(
        self,
        page: str,
        number: int,
        work: Callable[..., Any],
        given: Sequence[Any],
        folder: str,
        notice: Callable[[float, float | None], str] = progress,
    ) -> Iterator[Any]:
        """Yield notices while a job runs, and at last what it returns.

        The time that is left is estimated from the time that the work took so far, and runs down until the job
        reports again.

        Args:
            page: the name of the page.
            number: the number of the request.
            work: the job.
            given: its arguments.
            folder: the current folder of the job.
            notice: makes a notice from the share that is done and the seconds that are left.

        Raises:
            CleancutError: the job raised it, took too long, or failed.
            sandbox.Stopped: nobody waits for the request any more.
        """
        stopped = DESK.stopped(page, self.key, number)
        if stopped.is_set():
            raise sandbox.Stopped
        begun = last_report = time.monotonic()
        reached = 0.0
        last_text = ""
        working = sandbox.steps(work, *given, folder=folder, seconds=SECONDS, stopped=stopped)
        while True:
            try:
                done = next(working)
            except StopIteration as end:
                yield end.value
                return
            now = time.monotonic()
            if done > reached:
                reached, last_report = done, now
            left = None
            if reached >= 0.05 and now - begun >= 2:
                left = max((last_report - begun) * (1 - reached) / reached - (now - last_report), 0.0)
            text = notice(done, left)
            if text != last_text:
                last_text = text
                yield text

    @property
    def _done(self) -> str:
        """The notice on work that is done: a link to the results, which may be below the button."""
        return f'<a class="done" href="#{self.key}-results">Done: go to the result</a>'

    def last_notice(self, page: str) -> Any:
        """Return the notice that work was cancelled, or no change if it ended for another reason.

        It also ends if a newer request takes its place, or if the page is left.

        Args:
            page: the name of the page.
        """
        import gradio as gr

        return CANCELLED if DESK.is_cancelled(page, self.key) else gr.skip()

    def _nothing(self, n: int) -> list[Any]:
        """Return no change for ``n`` components and for all outputs."""
        import gradio as gr

        return [gr.skip()] * (n + len(self.outputs) + len(self.more))

    def empty(self, about: str = "") -> list[Any]:
        """Return empty outputs, with nothing to download.

        Args:
            about: the text in the place of the name of the data.
        """
        import gradio as gr

        unsaved = [gr.DownloadButton(value=None, interactive=False) for _ in self._saved]
        return [about, "", *[""] * len(self._panels), *unsaved, *self._more_outputs(None, ())]

    def _outputs_of(
        self, made: jobs.Made, files: Sequence[str], given: Sequence[Any], is_example: bool = False
    ) -> list[Any]:
        """Return the outputs that show a result."""
        import gradio as gr

        kind = "Example: " if is_example else ""
        about = f"<p>{kind}<b>{escape(visible(made.about))}</b></p>"
        saved = [gr.DownloadButton(value=path, interactive=True) for path in files]
        return [about, _listed(made.notices), *made.panels, *saved, *self._more_outputs(made, given)]

    def _kept(self, files: Sequence[str], page: str) -> list[str]:
        """Move files to the folder for downloads, where they stay until the next result, or until the page is closed.

        The folder has a new name, so that a browser does not take them for the files of the result before.
        """
        shutil.rmtree(download_folder(page) / self.key, ignore_errors=True)
        home = download_folder(page) / self.key / secrets.token_hex(8)
        home.mkdir(parents=True)
        paths = [str(shutil.move(file, home)) for file in files]
        for button, path in zip(self._saved, paths, strict=True):
            button.temp_files.add(path)
        return paths


EXAMPLE_COMES = "<p>The example is on its way.</p>"
"""The text while an example is computed."""
_EXAMPLE_FAILED = "<p>The example could not be computed. Your own data can be.</p>"
"""The text if an example failed."""
_MOST_NOTICES = 12
"""The greatest number of notices that are shown above a result."""


def _listed(notices: Sequence[str]) -> str:
    """Return the notices of a result as a list."""
    if not notices:
        return ""
    lines = list(notices[:_MOST_NOTICES])
    if len(notices) > len(lines):
        lines.append(f"{len(notices) - len(lines)} more notices are left out here.")
    items = "".join(f"<li>{escape(visible(line))}</li>" for line in lines)
    return f"<ul>{items}</ul>"


def _mark(key: str, state: str) -> str:
    """Return a script that marks results as new, or as old if the input has changed since."""
    return f'() => {{ document.getElementById("{key}-results").dataset.state = "{state}"; }}'
