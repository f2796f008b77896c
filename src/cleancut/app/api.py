"""Endpoints for programs: they take texts, and return the numbers that the functions of the package return."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from itertools import count
from typing import Any

from ..core.exceptions import CleancutError
from . import jobs, sandbox
from .advice import in_the_app
from .lesson import lesson
from .tab import DESK, SECONDS, SHARED, asked_by, page_of

_CALLS = count(1)


def add_endpoints() -> None:
    """Add the endpoints to the page that is being made."""
    import gradio as gr

    for endpoint in (api_score, api_audit, api_split, api_compare):
        gr.api(asked_by(endpoint), api_name=endpoint.__name__.removeprefix("api_"), **SHARED)
    gr.api(api_learn, api_name="learn")


def api_score(request: Any, gold: str, predictions: str, train: str = "", types: str = "") -> dict:
    """Score one system, from texts in CoNLL columns or JSONL; with training data, clean_f1 and hardeval too.

    ``types`` are other names for types: person=PER,location=LOC.
    """
    return _values(request, jobs.score, gold, predictions, train, types)


def api_audit(request: Any, splits: dict, hub: str = "", unit: str = "sample", types: str = "") -> dict:
    """Tell what splits share: texts by the name of their split, or a dataset on the Hub."""
    return _values(request, jobs.audit_splits, splits, hub, unit, types)


def api_split(
    request: Any, splits: dict, hub: str = "", discard: str = "auto", ratios: str = "80/10/10", unit: str = "sample",
    seed: int = 13, min_per_type: int = 20,
) -> dict:  # fmt: skip
    """Split texts by the name of their split, or a dataset on the Hub: sizes, leakage, the split of each sample."""
    return _values(request, jobs.split, splits, hub, discard, ratios, unit, seed, min_per_type)


def api_compare(request: Any, gold: str, systems: dict, train: str = "", types: str = "") -> dict:
    """Compare the predictions of two or more systems, by name: scores, paired tests, ranks."""
    return _values(request, jobs.compare_systems, gold, systems, train, types)


def api_learn(training: str, gold: str, prediction: str) -> dict:
    """Return the numbers of the worked example, from sentences with names in brackets: [Alice PER] met Bob."""
    with _readable():
        return {number.name: number.value for number in lesson(training, gold, prediction)}


def _values(request: Any, work: Callable[..., jobs.Made], *given: Any) -> dict[str, Any]:
    """Return the values of a job; the work is ended where the client has gone."""
    page, call = page_of(request), f"call {next(_CALLS)}"
    number = DESK.ask(page, call)
    stopped = DESK.stopped(page, call, number)
    try:
        with tempfile.TemporaryDirectory() as folder, _readable():
            return sandbox.run_bounded(work, *given, folder=folder, seconds=SECONDS, stopped=stopped).values
    finally:
        DESK.leave(page, call)


@contextmanager
def _readable() -> Iterator[None]:
    """Raise errors of the user's as Gradio tells them to a client; work in a process of its own raises no others."""
    import gradio as gr

    try:
        yield
    except sandbox.Stopped:
        raise gr.Error("the connection was closed.", print_exception=False) from None
    except CleancutError as error:
        message = escape(in_the_app(str(error)), quote=False)
        raise gr.Error(message, duration=None, print_exception=False) from None
