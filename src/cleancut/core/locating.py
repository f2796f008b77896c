"""Locate the files that the Hub sees (metrics/, splitters/, spaces_app/) on this machine."""

from __future__ import annotations

from pathlib import Path

from .exceptions import CleancutError, did_you_mean, quoted


def hub_folder(kind: str) -> Path:
    """Return a folder of the checkout in an editable install, else the copy that the wheel holds.

    Args:
        kind: ``metrics``, ``splitters`` or ``spaces_app``.
    """
    package = Path(__file__).resolve().parents[1]
    installed = package / "hub_files" / kind
    return installed if installed.is_dir() else package.parents[1] / kind


def metric(name: str) -> str:
    """Return the folder of a metric module, for ``evaluate.load(cleancut.metric("exact_f1"))``.

    Args:
        name: the name of the metric, such as ``exact_f1``.

    Returns:
        The path of a folder that ``evaluate.load`` takes.

    Raises:
        CleancutError: there is no such metric.

    >>> Path(metric("exact_f1")).name
    'exact_f1'
    """
    folder = hub_folder("metrics")
    names = sorted(path.parent.name for path in folder.glob("*/*.py") if path.stem == path.parent.name)
    if not isinstance(name, str) or name not in names:
        raise CleancutError(
            f"there is no metric {quoted(name)}.{did_you_mean(name, names)} The metrics are {', '.join(names)}."
        )
    return str(folder / name)
