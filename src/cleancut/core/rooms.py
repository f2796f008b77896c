"""A way from an object to a room that builds on it, where a method is expected to do what that room does."""

from __future__ import annotations

import importlib
from types import ModuleType


def module_of(name: str) -> ModuleType:
    """Return a module of the package, such as ``showing.notebook``, by its name.

    Rooms import only from rooms before them. A method that needs a later one, as a result that shows itself in a
    notebook, asks for it here when it is called; in a Space, which has no such rooms, it cannot be called.
    """
    return importlib.import_module(f"cleancut.{name}")
