"""Configs without text: where each row of a split is in its source, and the rows rebuilt from there and verified."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..core.arrays import bounds_of
from ..core.exceptions import CleancutError, reason
from ..reading.hub_ids import HubId
from ..splitting.plan import SplitPlan
from .configs import check_config
from .requests import attempt, check_repo


def indices_of(plan: SplitPlan, splits: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Return the place of each row in the source, as a dataset of each split, and what its rows must add up to."""
    import datasets

    if not plan.source:
        raise CleancutError("the plan does not know a source on the Hub. Split a dataset by its Hub id for that.")
    origin = plan.origins()
    tables = {}
    for name in plan.names:
        rows = plan.rows(name)
        tables[name] = datasets.Dataset.from_dict(
            {"source_split": [origin[i][0] for i in rows], "source_row": [origin[i][1] for i in rows]}
        )
    about = {
        **plan.source,
        "format": "cleancut-indices-1",
        "fingerprints": {name: rows_fingerprint(rows) for name, rows in splits.items()},
        "signature": plan.signature,
    }
    return tables, json.dumps(about, indent=1).encode()


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
        config: its config.
        revision: a branch, tag or commit of it; the newest by default.

    Returns:
        The splits with all columns of the source.
    """
    import datasets
    from huggingface_hub import hf_hub_download

    check_repo(repo)
    check_config(config)

    def fetch() -> tuple[Any, Any]:
        file = hf_hub_download(repo, f"{config}/source.json", repo_type="dataset", revision=revision)
        return Path(file).read_text("utf-8"), datasets.load_dataset(repo, config, revision=revision)

    text, where = attempt(fetch, repo, f"Is {config} an indices-only config of it?")
    try:
        about = json.loads(text)
        if about["format"] != "cleancut-indices-1":
            raise KeyError("format")
        source = HubId.parse(str(about["repo"]) + (f":{about['config']}" if about["config"] else ""))
        at, prints = about["revision"], {name: about["fingerprints"][name] for name in where}
        places = {
            name: list(zip(rows["source_split"], rows["source_row"], strict=True)) for name, rows in where.items()
        }
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise CleancutError(
            f"{repo}: the config {config} holds no indices that cleancut wrote ({reason(error)})."
        ) from None
    loaded = attempt(
        lambda: datasets.load_dataset(source.repo, source.config, revision=at), source.repo, "The indices need it."
    )
    starts = dict(zip(loaded, bounds_of(np.array([len(part) for part in loaded.values()])).tolist(), strict=False))
    whole = datasets.concatenate_datasets(list(loaded.values()))
    parts = {}
    for name, rows in places.items():
        inside = all(split in starts and isinstance(row, int) and 0 <= row < len(loaded[split]) for split, row in rows)
        parts[name] = whole.select([starts[split] + row for split, row in rows] if inside else [])
        if not inside or rows_fingerprint(parts[name]) != prints[name]:
            raise CleancutError(
                f"{source.repo}@{at}: the rows of {name} are not those that were split. "
                "The source has changed: ask who published the indices for a new revision."
            )
    return datasets.DatasetDict(parts)
