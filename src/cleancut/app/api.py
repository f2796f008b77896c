"""Endpoints for programs: they take texts, and return the numbers that the functions of the package return."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from itertools import count
from typing import Any

from ..core import checks
from ..core.exceptions import CleancutError
from . import jobs, sandbox
from .advice import in_the_app
from .lesson import lesson
from .tab import DESK, SECONDS, SHARED, asked_by, page_of

_CALLS = count(1)
"""Numbers the calls, so that each has a desk of its own."""


def add_endpoints() -> None:
    """Add the endpoints to the page that is being made."""
    import gradio as gr

    for endpoint in (api_score, api_audit, api_split, api_compare):
        gr.api(asked_by(endpoint), api_name=endpoint.__name__.removeprefix("api_"), **SHARED)
    gr.api(api_learn, api_name="learn")


def api_score(request: Any, gold: str, predictions: str, train: str = "", types: str = "", beta: float = 1.0) -> dict:
    """Score one system, from texts in CoNLL columns or JSONL; with training data, clean_f1 and hardeval too.

    Args:
        request: the request, which Gradio passes.
        gold: the gold annotation.
        predictions: the predictions for the same text.
        train: the training data; empty if there is none.
        types: other names for types: person=PER,location=LOC.
        beta: a number other than 1 gives F-beta: with 2, recall weighs twice as much as precision.
    """
    texts = _texts(gold=gold, predictions=predictions, train=train, types=types)
    return _values(request, jobs.score, *texts, _else(beta, 1.0))


def api_audit(
    request: Any, splits: dict, hub: str = "", unit: str = "sample", types: str = "", same: str = "exact"
) -> dict:
    """Show what splits share.

    Args:
        request: the request, which Gradio passes.
        splits: texts by the names of their splits.
        hub: a dataset on the Hub instead of texts.
        unit: what counts as contaminated: sample or doc.
        types: other names for types: person=PER,location=LOC.
        same: which names count as the same: exact, fold, part, or fold+part.
    """
    texts = _texts(hub=hub, unit=unit, types=types, same=same)
    return _values(request, jobs.audit_splits, _named("splits", splits), *texts)


def api_split(
    request: Any,
    splits: dict,
    hub: str = "",
    discard: str = "auto",
    ratios: str = "80/10/10",
    unit: str = "sample",
    seed: int = 13,
    min_per_type: int = 20,
    same: str = "exact",
) -> dict:
    """Split a dataset so that the splits share as few entities as possible: sizes, leakage, the split of each sample.

    Args:
        request: the request, which Gradio passes.
        splits: texts by the names of their splits.
        hub: a dataset on the Hub instead of texts.
        discard: the largest share of the samples to discard, or auto: until nothing is shared.
        ratios: the parts of the splits.
        unit: what stays whole: sample or doc.
        seed: the seed of the random choices.
        min_per_type: the least mentions of each type in a held-out split.
        same: which names count as the same: exact, fold, part, or fold+part.
    """
    named, (hub, unit, same) = _named("splits", splits), _texts(hub=hub, unit=unit, same=same)
    return _values(request, jobs.split, named, hub, discard, ratios, unit, seed, min_per_type, same)


def api_compare(request: Any, gold: str, systems: dict, train: str = "", types: str = "") -> dict:
    """Compare the predictions of two or more systems: scores, paired tests, ranks.

    Args:
        request: the request, which Gradio passes.
        gold: the gold annotation.
        systems: the predictions of each system by its name.
        train: the training data; empty if there is none.
        types: other names for types: person=PER,location=LOC.
    """
    named, (gold, train, types) = _named("systems", systems), _texts(gold=gold, train=train, types=types)
    return _values(request, jobs.compare_systems, gold, named, train, types)


def api_learn(training: str, gold: str, prediction: str) -> dict:
    """Return the numbers of the worked example, from sentences with names in brackets: [Alice PER] met Bob.

    Args:
        training: the sentences of the training data.
        gold: the test sentences with the right names.
        prediction: the same sentences with the names that were predicted.
    """
    texts = _texts(training=training, gold=gold, prediction=prediction)
    with _readable():
        return {number.name: number.value for number in lesson(*texts)}


def _texts(**given: Any) -> list[str]:
    """Return the texts that a client gave by the names of their parameters; null is an empty one."""
    with _readable():
        return [checks.instance(_else(text, ""), str, name, "a text") for name, text in given.items()]


def _named(name: str, given: Any) -> dict[str, str]:
    """Return the texts by name that a client gave for a parameter; null is none."""
    with _readable():
        return checks.instances(_else(given, {}), str, name, "texts by their names")


def _else(given: Any, default: Any) -> Any:
    """Return what a client gave for a parameter, or a default for null."""
    return default if given is None else given


def _values(request: Any, work: Callable[..., jobs.Made], *given: Any) -> dict[str, Any]:
    """Return the values of a job, whose work is ended if the client disconnects."""
    page = page_of(request)
    call = f"call {next(_CALLS)}"
    number = DESK.ask(page, call)
    stopped = DESK.stopped(page, call, number)
    try:
        with tempfile.TemporaryDirectory() as folder, _readable():
            return sandbox.run_bounded(work, *given, folder=folder, seconds=SECONDS, stopped=stopped).values
    finally:
        DESK.leave(page, call)


@contextmanager
def _readable() -> Iterator[None]:
    """Raise errors of the user so that Gradio passes them on to the client; a job in its process raises no others."""
    import gradio as gr

    try:
        yield
    except sandbox.Stopped:
        raise gr.Error("the connection was closed.", print_exception=False) from None
    except CleancutError as error:
        message = escape(in_the_app(str(error)), quote=False)
        raise gr.Error(message, duration=None, print_exception=False) from None
