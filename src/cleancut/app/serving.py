"""Serve the app: its address, its colours, and the limit on the size of requests."""

from __future__ import annotations

import errno
import os
import socket
import tempfile
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.exceptions import CleancutError
from ..showing.html import stylesheet
from ..version import __version__
from . import jobs, sandbox
from .examples import Shelf
from .package import CODE, DOCUMENTATION, package_readme, package_zip
from .page import blocks

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read at import

if TYPE_CHECKING:
    import gradio

_MOST_WAITING = 60
"""The greatest number of requests that may wait."""
_MOST_TEXT = 3 * jobs.MOST_BYTES
"""The greatest number of bytes of a request with texts: gold annotation, predictions and training data."""
_MOST_UPLOAD = (jobs.MOST_FILES + 1) * jobs.MOST_BYTES
"""The greatest number of bytes of a request with files."""


def launch(
    examples: str | os.PathLike[str],
    host: str | None = None,
    port: int | None = None,
    *,
    announced: Callable[[str], None] | None = None,
    **options: Any,
) -> None:
    """Serve the app until it is interrupted.

    Args:
        examples: the folder of the examples.
        host: the address to listen on; by default Gradio's.
        port: the port to listen on; by default the first free one from 7860 on.
        announced: is called with the address once the app answers there.
        **options: further options of ``gradio.Blocks.launch``.

    Raises:
        CleancutError: there is no such address, or the port is taken.
    """
    _refuse_address(host, port)  # before what takes long
    import gradio as gr
    from gradio.utils import get_upload_folder
    from starlette.middleware import Middleware

    sandbox.prepare(["cleancut.app.jobs", "cleancut.splitting.solver", "scipy.sparse.csgraph", "pyarrow"])
    shelf = Shelf(Path(examples))
    Path(get_upload_folder()).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="examples-", dir=get_upload_folder()) as home:
        page = blocks(Path(examples), shelf).queue(max_size=_MOST_WAITING)
        try:
            _, address, public = page.launch(
                server_name=host,
                server_port=port,
                theme=_theme(),
                head=f"<style>{_style()}</style>",
                js=_SCRIPT,
                footer_links=["api"],
                max_file_size=_MOST_UPLOAD,  # a file that is larger than a job takes is refused beside the button
                show_error=False,
                ssr_mode=False,
                quiet=True,
                prevent_thread_lock=True,
                i18n=gr.I18n(en={"common.upload": "Add files"}),
                app_kwargs={"middleware": [Middleware(BoundedRequests)], "routes": _reading_routes()},
                **options,
            )
        except OSError as error:
            if "empty port" not in str(error):
                raise
            raise _taken(port) from None
        shelf.fill(home)
        if announced is not None:
            announced(public or address)
        page.block_thread()


def _reading_routes() -> list[Any]:
    """Return the addresses at which the app serves its documentation and its code."""
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route

    async def documentation(_: Any) -> Response:
        return PlainTextResponse(package_readme())

    async def code(_: Any) -> Response:
        name = f"cleancut-{__version__}.zip"
        return Response(package_zip(), headers={"Content-Disposition": f'attachment; filename="{name}"'})

    return [Route(f"/{DOCUMENTATION}", documentation), Route(f"/{CODE}", code)]


def _refuse_address(host: str | None, port: int | None) -> None:
    """Raise an error if nothing can be served at an address."""
    if port is not None and not 0 < port < 65_536:
        raise CleancutError(f"port {port} does not exist. Choose one from 1 to 65535: cleancut app --port N.")
    if host is None:
        return
    try:
        family, *_, address = socket.getaddrinfo(host, port or 0, type=socket.SOCK_STREAM)[0]
        socket.create_server(address[:2], family=family).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise _taken(port) from None
        where = host if port is None else f"{host}, port {port}"
        raise CleancutError(
            f"the app cannot be served at {where}: {error.strerror}. Choose another --host or --port."
        ) from None


def _taken(port: int | None) -> CleancutError:
    """Return the error that says that a port is taken."""
    wanted = port or os.environ.get("GRADIO_SERVER_PORT")
    where = f"port {wanted} is taken" if wanted else "no port from 7860 on is free"
    return CleancutError(f"{where}. Choose another: cleancut app --port N.")


class BoundedRequests:
    """Refuses requests that are too large, or that do not tell their size, before any of them is read.

    Args:
        app: the application that answers all others.
    """

    def __init__(self, app: Callable[..., Any]) -> None:
        self._app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Answer one request.

        Args:
            scope: what is known of the request, as ASGI defines it.
            receive: returns the next part of the request.
            send: sends a part of the answer.
        """
        from starlette.responses import PlainTextResponse

        headers = dict(scope.get("headers", ()))
        most_bytes = _MOST_UPLOAD if scope.get("path", "").endswith("/upload") else _MOST_TEXT
        if int(headers.get(b"content-length", b"0")) > most_bytes:
            refusal = PlainTextResponse(f"Give {most_bytes // 1_000_000} MB at most.", 413)
        elif b"transfer-encoding" in headers:
            refusal = PlainTextResponse("Say how long the request is: Content-Length.", 411)
        else:
            await self._app(scope, receive, send)
            return
        await refusal(scope, receive, send)


def _theme() -> gradio.themes.Default:
    """Return the fonts and colours of the app."""
    import gradio as gr

    system = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "sans-serif"]
    mono = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace"]
    return gr.themes.Default(primary_hue="blue", neutral_hue="slate", font=system, font_mono=mono).set(
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_hover_dark="*primary_600",
    )


def _style() -> str:
    """Return the style sheet of reports, limited to the results, and that of the app."""
    app_css = Path(__file__).parents[1] / "showing" / "assets" / "app.css"
    return stylesheet(".report.report") + app_css.read_text("utf-8")


_SCRIPT = """() => {
  // the colours of the figures follow the light or dark of the page
  const follow = () => {
    document.documentElement.dataset.theme = document.body.classList.contains("dark") ? "dark" : "light";
  };
  new MutationObserver(follow).observe(document.body, { attributeFilter: ["class"] });
  follow();
  // what is typed or pasted makes results old; Gradio does not tell it from what it writes itself
  document.addEventListener("input", ({ target }) => {
    const results = target.closest(".work")?.querySelector(".results");
    if (results && !target.closest(".example")) results.dataset.state = "old";
  });
  // the second click of a double click asks for nothing new
  document.addEventListener("click", (event) => {
    if (event.detail > 1 && event.target.closest(".work button")) event.stopPropagation();
  }, true);
  // Gradio puts the button that adds files into another button, which does nothing itself
  const unnest = () => document.querySelectorAll("button:has(button):not([role])").forEach((outer) => {
    outer.setAttribute("role", "group");
    outer.tabIndex = -1;
  });
  new MutationObserver(unnest).observe(document.body, { childList: true, subtree: true });
  unnest();
}"""
