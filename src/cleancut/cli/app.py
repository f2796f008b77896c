"""cleancut app."""

from __future__ import annotations

import argparse
from typing import Any

from ..core.exceptions import CleancutError
from ..core.locating import hub_folder
from .options import command


def add(commands: Any) -> None:
    parser = command(commands, "app", _app, "open the app in a browser (extra: app)", "cleancut app --port 7860")
    parser.add_argument("--host", default="127.0.0.1", metavar="H", help="default 127.0.0.1: this machine alone")
    parser.add_argument("--port", type=int, metavar="N", help="default the first that is free from 7860 on")
    parser.add_argument("--share", action="store_true", help="by a public link through Gradio's servers")


def _app(arguments: argparse.Namespace) -> None:
    try:
        import gradio  # noqa: F401
    except ImportError:
        raise CleancutError('the app needs Gradio, which is not installed. Run: pip install "cleancut[app]"') from None
    from ..app.page import launch

    launch(hub_folder("spaces_app") / "examples", arguments.host, arguments.port, share=arguments.share)
