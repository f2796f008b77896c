"""Where the files that the Hub sees (metrics/, splitters/, spaces_app/) are on this machine."""

from __future__ import annotations

import difflib
from pathlib import Path

from .tags import CleancutError


def hub_folder(kind: str) -> Path:
    """``metrics`` of the checkout in an editable install, else the copy that the wheel brought along."""
    package = Path(__file__).resolve().parent
    installed = package / "hub_files" / kind
    return installed if installed.is_dir() else package.parents[1] / kind


def metric(name: str) -> str:
    """The folder of a metric module, for ``evaluate.load(cleancut.metric("exact_f1"))``."""
    folder = hub_folder("metrics")
    names = sorted(path.parent.name for path in folder.glob("*/*.py") if path.stem == path.parent.name)
    if name not in names:
        close = difflib.get_close_matches(name, names, 1)
        hint = f" Did you mean {close[0]}?" if close else ""
        raise CleancutError(f"there is no metric {name!r}.{hint} The metrics are {', '.join(names)}.")
    return str(folder / name)
