"""Configs without text: they state where each row of a split is in its source.

``materialise`` rebuilds the rows from the source, and verifies them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import bounds_of
from ..core.exceptions import CleancutError, reason
from ..reading.hub_ids import HubId
from ..splitting.plan import SplitPlan
from .configs import check_config
from .requests import attempt, check_repo

_FORMAT = "cleancut-indices-1"


def indices_of(plan: SplitPlan, splits: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Return the place of each row of a plan in its source, and the fingerprints that its splits must have.

    Args:
        plan: a plan of a dataset on the Hub.
        splits: the rows of each split.

    Returns:
        A dataset of places for each split, and the bytes of ``source.json``, which names the source and fingerprints.

    Raises:
        CleancutError: the plan names no source on the Hub.
    """
    import datasets

    if not plan.source:
        raise CleancutError("the plan does not know a source on the Hub. Split a dataset by its Hub id for that.")
    origins = plan.origins()
    places = {}
    for name in plan.names:
        rows = plan.rows(name)
        places[name] = datasets.Dataset.from_dict(
            {"source_split": [origins[i][0] for i in rows], "source_row": [origins[i][1] for i in rows]}
        )
    about = {
        **plan.source,
        "format": _FORMAT,
        "fingerprints": {name: rows_fingerprint(rows) for name, rows in splits.items()},
        "signature": plan.signature,
    }
    return places, json.dumps(about, indent=1).encode()


def rows_fingerprint(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a digest of rows in their order, with all their columns."""
    digest = hashlib.blake2b(digest_size=16)
    for row in rows:
        digest.update(json.dumps(row, sort_keys=True, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass"))
        digest.update(b"\n")
    return digest.hexdigest()


def materialise(repo: str, config: str, *, revision: str | None = None) -> Any:
    """Rebuild the ``DatasetDict`` behind an indices-only config from its source, and verify it row by row.

    Args:
        repo: the dataset that holds the indices, ``org/name``.
        config: the name of the config.
        revision: a branch, a tag or a commit of that dataset; the newest by default.

    Returns:
        The splits with all columns of the source.

    Raises:
        CleancutError: the config holds no indices, or the source is not what was split.
    """
    import datasets
    from huggingface_hub import hf_hub_download

    check_repo(repo)
    check_config(config)

    def fetch() -> tuple[Any, Any]:
        """Return the text of ``source.json``, and the rows of the config."""
        file = hf_hub_download(repo, f"{config}/source.json", repo_type="dataset", revision=revision)
        return Path(file).read_text("utf-8"), datasets.load_dataset(repo, config, revision=revision)

    text, indices = attempt(fetch, repo, f"Is {config} an indices-only config of it?")
    try:
        source = _stated_source(text, indices)
        places = {split: _places_in(rows) for split, rows in indices.items()}
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise CleancutError(
            f"{repo}: the config {config} holds no indices that cleancut wrote ({reason(error)})."
        ) from None
    loaded = attempt(
        lambda: datasets.load_dataset(source.id.repo, source.id.config, revision=source.revision),
        source.id.repo,
        "The indices need it.",
    )
    return datasets.DatasetDict(_rebuilt(loaded, places, source))


class _Source(NamedTuple):
    """The dataset that indices point into, and the fingerprint that each rebuilt split must have."""

    id: HubId
    revision: Any
    fingerprints: dict[str, str]


def _stated_source(text: str, splits: Iterable[str]) -> _Source:
    """Return the source that ``source.json`` states; an error of any kind where it states none."""
    about = json.loads(text)
    if about["format"] != _FORMAT:
        raise KeyError("format")
    config = f":{about['config']}" if about["config"] else ""
    fingerprints = {split: about["fingerprints"][split] for split in splits}
    return _Source(HubId.parse(f"{about['repo']}{config}"), about["revision"], fingerprints)


def _places_in(rows: Any) -> list[tuple[Any, Any]]:
    """Return the split and the row of the source that each row of an indices-only split points to."""
    return list(zip(rows["source_split"], rows["source_row"], strict=True))


def _rebuilt(loaded: Mapping[str, Any], places: Mapping[str, list[tuple[Any, Any]]], source: _Source) -> dict[str, Any]:
    """Return the rows of the source at the given places, each split with its fingerprint verified."""
    import datasets

    sizes = {split: len(part) for split, part in loaded.items()}
    starts = dict(zip(sizes, bounds_of(np.array(list(sizes.values()))).tolist(), strict=False))
    whole = datasets.concatenate_datasets(list(loaded.values()))
    rebuilt = {}
    for name, rows in places.items():
        exist = all(isinstance(row, int) and 0 <= row < sizes.get(split, 0) for split, row in rows)
        numbers = [starts[split] + row for split, row in rows] if exist else []
        chosen = whole.select(numbers)
        if not exist or rows_fingerprint(chosen) != source.fingerprints[name]:
            raise CleancutError(
                f"{source.id.repo}@{source.revision}: the rows of {name} are not those that were split. "
                "The source has changed: ask who published the indices for a new revision."
            )
        rebuilt[name] = chosen
    return rebuilt
