"""Reach a later room from a method: a result, for example, shows itself in a notebook."""

from __future__ import annotations

import importlib
from types import ModuleType


def module_of(name: str) -> ModuleType:
    """Import a module of the package by its name, and return it.

    Rooms import only from rooms before them. A method that needs a later room asks for it here when it is called. In
    a Space, which lacks these rooms, such a method cannot be called.

    Args:
        name: the module below ``cleancut``, such as ``showing.notebook``.
    """
    return importlib.import_module(f"cleancut.{name}")
