"""The command ``cleancut app``."""

from __future__ import annotations

import argparse
import os
import sys
import webbrowser
from importlib.util import find_spec
from typing import Any

from ..core.exceptions import CleancutError
from ..core.interrupts import leave_interrupts_to_python
from ..core.locating import hub_folder
from .options import command


def add(commands: Any) -> None:
    """Add ``cleancut app`` to the command line.

    Args:
        commands: what ``add_subparsers`` returned.
    """
    parser = command(commands, "app", _app, "open the app in a browser (extra: app)", "cleancut app --port 7860")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="H",
        help="the address to listen on; default 127.0.0.1, which this machine alone can reach",
    )
    parser.add_argument("--port", type=int, metavar="N", help="the port; by default the first free one from 7860 on")
    parser.add_argument("--no-open", action="store_true", help="print the address, but open no browser")
    parser.add_argument(
        "--share", action="store_true", help="make the app reachable by a public link through Gradio's servers"
    )


def _app(arguments: argparse.Namespace) -> None:
    """Serve the app until it is interrupted."""
    if find_spec("gradio") is None:
        raise CleancutError('the app needs Gradio, which is not installed. Run: pip install "cleancut[app]"')
    from ..app.serving import launch

    def announce(address: str) -> None:
        print(f"The app is at {address} (Ctrl-C ends it).", flush=True)
        if not arguments.no_open and _has_screen():
            webbrowser.open(address)

    leave_interrupts_to_python()  # the server ends its workers
    examples = hub_folder("spaces_app") / "examples"
    launch(examples, arguments.host, arguments.port, announced=announce, share=arguments.share)


def _has_screen() -> bool:
    """Return whether a browser can open a window; without a screen, one in the terminal would take that over."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
