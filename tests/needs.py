"""What some tests need beyond the extra ``test``: each need is a marker, skipped with a reason where it is absent.

``CLEANCUT_REQUIRE`` names the needs that must be met (``shared``, or ``all``), as CI does: a test that lacks one of
them fails, and so does a test that is skipped for any other reason.
"""

import os
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

SHARED = Path(__file__).resolve().parents[2] / "shared"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
INSTALL = 'pip install -e ".[test,app,spark,trainer]"'


class Need(NamedTuple):
    """What is needed, how to see whether it is there, and how to get it."""

    what: str
    is_met: Callable[[], bool]
    remedy: str
    fixtures: tuple[str, ...] = ()
    """A test that uses one of these has the need without saying so."""
    is_slow: bool = False
    """Such a test starts a server, a browser or Java, and is marked slow."""


def _installed(*modules: str) -> Callable[[], bool]:
    return lambda: all(find_spec(module) is not None for module in modules)


def browser_path() -> str | None:
    """The browser that opens pages in the tests, if there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def _has_browser() -> bool:
    return browser_path() is not None and find_spec("playwright") is not None


def _has_spark() -> bool:
    return find_spec("pyspark") is not None and shutil.which("java") is not None


_APART = "in an environment of its own, pip install"
NEEDS = {
    "shared": Need(
        "the shared corpora, which are not part of the project",
        SHARED.exists,
        "put them beside the checkout, as CI has them",
        ("corpora", "golden"),
    ),
    "app": Need("gradio", _installed("gradio", "gradio_client"), INSTALL, ("server",), is_slow=True),
    "spark": Need("pyspark and Java 17", _has_spark, f"{INSTALL}, and Java 17 or newer", ("spark",), is_slow=True),
    "trainer": Need("torch and transformers", _installed("torch", "transformers", "accelerate"), INSTALL),
    "npm": Need("npm, which fetches axe-core", lambda: shutil.which("npm") is not None, "Node.js with npm", ("axe",)),
    "lm_eval": Need("lm-evaluation-harness", _installed("lm_eval"), f"{_APART} lm_eval", is_slow=True),
    "inspect_ai": Need("inspect-ai", _installed("inspect_ai"), f"{_APART} inspect-ai", is_slow=True),
    "lighteval": Need("lighteval", _installed("lighteval"), f"{_APART} lighteval 'xxhash<4'", is_slow=True),
    "spacy": Need("spaCy", _installed("spacy"), "pip install spacy", is_slow=True),
    "browser": Need("a browser (chromium)", _has_browser, "chromium of your system", ("browser",), is_slow=True),
}


def required() -> frozenset[str]:
    """The needs that must be met here."""
    named = os.environ.get("CLEANCUT_REQUIRE", "").split()
    return frozenset(NEEDS) if "all" in named else frozenset(named)
