"""The Hub: metrics published as Spaces, split plans as dataset configs. The only code that writes to the network.

Nothing is uploaded unless it is asked for with ``push``: everything else says what would be. The token is
huggingface_hub's own affair; it is never read, shown or stored here.
"""

from __future__ import annotations

import ast
import fnmatch
import hashlib
import html
import io
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..core.arrays import bounds_of
from ..core.corpus import samples_of
from ..core.exceptions import CleancutError
from ..core.files import write_text
from ..core.locating import hub_folder, metric
from ..reading.dataset import from_dataset
from ..reading.formats import Format, format_of, json_records, read
from ..reading.hub_ids import HubId, is_config, is_repo, network_errors
from ..scoring.exposure import Exposure
from ..showing.text import split_text
from ..splitting.folders import MANIFEST, is_as_written, recorded_tree, write_manifest
from ..splitting.ladder import ladder
from ..splitting.plan import SplitPlan
from ..splitting.subsets import subsets
from ..version import __version__

TAG = f"cleancut-{__version__}"
"""The tag of a release. Never evaluate's own ``v0.4.6``, which would silently win over newer code."""
_PACKAGE = Path(__file__).resolve().parents[1]


def check_repo(repo: str) -> str:
    """A repository id ``org/name``, refused before any request where it cannot be one."""
    if not is_repo(repo):
        raise CleancutError(f"{repo!r} is not the id of a repository. Give org/name: letters, digits, . _ - only.")
    return repo


# --- metric modules and the app as Spaces -------------------------------------------------------------------


def stage(names: Iterable[str] = (), folder: str | os.PathLike[str] = "spaces") -> list[Path]:
    """Build the Space of each metric (all of them by default): a folder that needs evaluate and numpy alone.

    The face has the engine files that it needs beside it, flat, and imports each of them itself, on a line of its own:
    evaluate fetches only what the main file names.
    """
    names = list(names) or sorted(
        path.name for path in hub_folder("metrics").iterdir() if (path / "README.md").exists()
    )
    sources = [Path(metric(name)) for name in names]
    return [_staged(Path(folder, source.name), partial(_stage, source), f"{source.name}.py") for source in sources]


def stage_app(folder: str | os.PathLike[str] = "space") -> Path:
    """Build the Space of the app: a folder with the package in it, which needs its requirements alone."""
    return _staged(Path(folder), _stage_app, "app.py")


def _staged(target: Path, build: Callable[[Path], None], main: str) -> Path:
    """A folder, built beside and then put in its place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as beside:
        fresh = Path(beside, "space")
        build(fresh)
        digests = {path: hashlib.sha256(data).hexdigest() for path, data in _files(fresh).items()}
        write_manifest({"format": "cleancut-space-1"}, fresh, digests)
        if os.path.lexists(target):
            _refuse_foreign(target, digests, main)
            shutil.rmtree(target)
        os.replace(fresh, target)
    return target


def _refuse_foreign(target: Path, fresh: Mapping[str, str], main: str) -> None:
    """A folder is only replaced if it is empty, or a staged Space and nothing else, all of it as it was staged."""
    if target.is_symlink() or not target.is_dir():
        raise CleancutError(f"{target} is there and is not a staged Space alone. Choose another folder.")
    there = [path for path in sorted(target.rglob("*")) if not _is_left_by_python(path)]
    if there and not (target / main).is_file():
        raise CleancutError(f"{target} is there and is not a staged Space alone. Choose another folder.")
    staged = recorded_tree(target)
    for path in there:
        inner = path.relative_to(target).as_posix()
        if inner == MANIFEST and staged:
            continue
        if path.is_dir() and not path.is_symlink():
            ours = any(known.startswith(f"{inner}/") for known in (*fresh, *staged))
        else:
            ours = any(digest and is_as_written(path, digest) for digest in (fresh.get(inner), staged.get(inner)))
        if not ours:
            raise CleancutError(f"{target} is there and is not a staged Space alone ({inner}). Choose another folder.")


def _is_left_by_python(path: Path) -> bool:
    """Is it what Python leaves when it runs?"""
    return path.name == "__pycache__" or (path.parent.name == "__pycache__" and path.suffix == ".pyc")


def _files(folder: Path) -> dict[str, bytes]:
    """What a Space holds, by path; its manifest and what Python leaves when it runs are no part of it."""
    found = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    ours = {inner: path for inner, path in found.items() if "__pycache__" not in inner.parts and str(inner) != MANIFEST}
    return {inner.as_posix(): path.read_bytes() for inner, path in ours.items()}


def _stage_app(target: Path) -> None:
    source = hub_folder("spaces_app")
    if not (source / "app.py").is_file():
        raise CleancutError(f"the files of the app are not at {source}. Install cleancut from its wheel or a checkout.")
    target.mkdir()
    for name in ("app.py", "requirements.txt", "README.md"):
        shutil.copyfile(source / name, target / name)
    shutil.copytree(source / "examples", target / "examples")
    shutil.copytree(_PACKAGE, target / "cleancut", ignore=shutil.ignore_patterns("__pycache__", "hub_files"))


def _stage(source: Path, target: Path) -> None:
    target.mkdir()
    face = (source / f"{source.name}.py").read_text("utf-8")
    needed = _needed(set(re.findall(r"^from cleancut\.([\w.]+)", face, re.M)))
    page = _needed({"hub.space_page"})
    for module in sorted(needed | page):
        text = _source_of(module).read_text("utf-8")
        (target / f"{_flat_name(module)}.py").write_text(_flattened(text), "utf-8")
    engine = {_flat_name(module) for module in needed}
    face = _flattened(face)
    named = set(re.findall(r"^from \.(\w+) import", face, re.M))
    lines = face.splitlines()
    last = max(i for i, line in enumerate(lines) if line.startswith("from ."))
    lines[last + 1 : last + 1] = [f"from .{name} import __doc__ as _{name}" for name in sorted(engine - named)]
    write_text(target / f"{source.name}.py", "\n".join(lines) + "\n")
    write_text(target / "__init__.py", "")
    write_text(target / "README.md", (source / "README.md").read_text("utf-8"))
    write_text(target / "app.py", _APP.format(name=source.name))
    write_text(target / "requirements.txt", "evaluate>=0.4.6\nnumpy>=1.26\n")


def _needed(modules: set[str]) -> set[str]:
    """The modules of the package (``scoring.score``) that some need, with themselves."""
    found: set[str] = set()
    while modules - found:
        module = (modules - found).pop()
        found.add(module)
        room = module.split(".")[:-1]
        for node in ast.walk(ast.parse(_source_of(module).read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                parts = room[: len(room) + 1 - node.level] + (node.module.split(".") if node.module else [])
                if _PACKAGE.joinpath(*parts).is_dir():  # a room, and modules of it
                    modules |= {".".join([*parts, alias.name]) for alias in node.names}
                else:
                    modules.add(".".join(parts))
    return found


def _source_of(module: str) -> Path:
    """The file of a module of the package."""
    return _PACKAGE.joinpath(*module.split(".")).with_suffix(".py")


def _flat_name(module: str) -> str:
    """The name of a module in a Space, which has no rooms: ``scoring.score`` is ``score`` there."""
    return module.rpartition(".")[2]


def _flattened(text: str) -> str:
    """The source of a module for a Space: ``from ..scoring.score import x`` becomes ``from .score import x``."""
    rooms = "|".join(sorted(path.parent.name for path in _PACKAGE.glob("*/__init__.py")))
    return re.sub(rf"^( *from )(?:cleancut|\.)\.(?:(?:{rooms})\b\.?)?", r"\1.", text, flags=re.M)


_APP = '''\
"""The page of this Space."""

import importlib
import importlib.util
import sys
from pathlib import Path

# the files of this folder are a package, whatever the folder is called here
folder = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("space", folder / "__init__.py", submodule_search_locations=[str(folder)])
sys.modules["space"] = importlib.util.module_from_spec(spec)
demo = importlib.import_module("space.space_page").page("{name}")

if __name__ == "__main__":
    demo.launch()
'''


def publish_metrics(org: str, names: Iterable[str] = (), *, push: bool = False) -> list[str]:
    """Upload the metric modules as Spaces ``org/<name>`` and tag the release; without ``push``, say what would be."""
    if not is_repo(f"{org}/name"):
        raise CleancutError(f"{org!r} is not a user or an organisation. Letters, digits, . _ - only.")
    with tempfile.TemporaryDirectory() as folder:
        spaces = {check_repo(f"{org}/{space.name}"): _files(space) for space in stage(names, folder)}
    left = list(spaces)
    return [_publish_space(repo, files, left[i:], push=push) for i, (repo, files) in enumerate(spaces.items())]


def publish_app(to: str, *, private: bool = False, push: bool = False) -> list[str]:
    """Upload the app as the Space ``org/name`` and tag the release; without ``push``, say what would be."""
    check_repo(to)
    with tempfile.TemporaryDirectory() as folder:
        files = _files(stage_app(Path(folder, "space")))
    return [_publish_space(to, files, [to], private=private, push=push)]


def _publish_space(
    repo: str, files: Mapping[str, bytes], left: Sequence[str], *, private: bool = False, push: bool
) -> str:
    if not push:
        kind = "gradio, private if it is new" if private else "gradio"
        return f"would create the Space {repo} ({kind}), upload to it and tag it {TAG}:\n{_listed(files)}"
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    api = HfApi()
    resume = f"Not uploaded: {', '.join(left)}. Run the same command again: what is there already is left as it is."

    def upload() -> str:
        api.create_repo(repo, repo_type="space", space_sdk="gradio", private=private or None, exist_ok=True)
        there = set(api.list_repo_files(repo, repo_type="space"))
        operations: list[Any] = [CommitOperationAdd(path, data) for path, data in files.items()]
        ours = {path.partition("/")[0] for path in files if "/" in path}
        for path in sorted(there - set(files)):  # what a release before this one had
            if path.endswith(".py") or path.partition("/")[0] in ours:
                operations.append(CommitOperationDelete(path))
        done = api.create_commit(repo, operations, commit_message=f"cleancut {__version__}", repo_type="space")
        tags = {tag.name: tag.target_commit for tag in api.list_repo_refs(repo, repo_type="space").tags}
        if TAG not in tags:
            api.create_tag(repo, tag=TAG, repo_type="space", revision=done.oid)
        elif tags[TAG] != done.oid:
            return f"{repo}: uploaded. The tag {TAG} stays where it was: a release is not moved. Raise the version."
        return f"{repo}: uploaded and tagged {TAG}."

    return attempt(upload, repo, resume)


# --- requests ---------------------------------------------------------------------------------------------------

Result = TypeVar("Result")


_PATIENCE = 3
"""How often to wait, as long as the Hub asks for, where it limits requests."""


def attempt(request: Callable[[], Result], repo: str, resume: str) -> Result:
    """Run requests, and turn what may go wrong on the way into one line that says how to go on."""
    from huggingface_hub import errors

    try:
        for patience in range(_PATIENCE, -1, -1):
            try:
                return request()
            except RuntimeError as error:  # how the client wraps what befell one of several files
                if isinstance(error.__cause__, network_errors()):
                    raise error.__cause__ from None
                raise
            except errors.HfHubHTTPError as error:  # what was done already is not done again
                if error.response is None or error.response.status_code != 429 or not patience:
                    raise
                wait = error.response.headers.get("Retry-After", "")
                time.sleep(min(float(wait) if wait.replace(".", "", 1).isdigit() else 10.0, 300.0))
    except errors.LocalEntryNotFoundError as error:  # no answer, and no copy from before
        why = _unreachable(error)
    except errors.GatedRepoError:
        why = "access to it is restricted. Ask for access on its page, and log in with `hf auth login`"
    except (errors.RepositoryNotFoundError, FileNotFoundError):  # as datasets says it
        why = "there is no such repository, or you may not see it. Check the id, and log in with `hf auth login`"
    except errors.RevisionNotFoundError:
        why = "there is no such revision"
    except errors.EntryNotFoundError as error:
        why = f"it has no such file ({str(error).splitlines()[-1].strip(' .')})"
    except errors.LocalTokenNotFoundError:
        why = "you are not logged in. Run `hf auth login`"
    except errors.HfHubHTTPError as error:
        why = _refusal(error)
    except network_errors() as error:
        why = _unreachable(error)
    raise CleancutError(f"{repo}: {why}. {resume}")


def _unreachable(error: BaseException) -> str:
    return f"the Hub cannot be reached ({type(error).__name__}). Check the network"


def _refusal(error: Any) -> str:
    status = error.response.status_code if error.response is not None else 0
    if status in (401, 403):
        return f"you may not do that (status {status}). Log in with `hf auth login` and a token that may write"
    if status == 429:
        return "the Hub limits your requests (status 429). Wait a while"
    if status == 412:
        return "someone else has changed it in between (status 412)"
    return f"the Hub refused (status {status})"


def _listed(files: Mapping[str, bytes]) -> str:
    return "\n".join(f"  {path}  {len(data):,} bytes" for path, data in files.items())


def joined(said: Sequence[str], push: bool) -> str:
    """What a command prints: what was or would be done, and how to do it."""
    return "\n\n".join([*said, *([] if push else ["Nothing was uploaded. Add --push to do it."])])


# --- split plans as dataset configs -------------------------------------------------------------------------------

_BEGIN, _END = "<!-- cleancut: {config} -->", "<!-- cleancut: end of {config} -->"
DERIVED = ("clean-test", "contaminated-test", "ladder")
"""Configs that hold the test split with filtered targets: mentions that train has not, or has, shown; and, under the
name of the config, its splits with the training sets of the contamination ladder, one config each."""


def publish(
    plan_file: str | os.PathLike[str],
    to: str,
    config: str,
    *,
    private: bool = False,
    indices_only: bool = False,
    also: Sequence[str] = (),
    levels: Any = None,
    seeds: Any = None,
    licence: str | None = None,
    pr: bool = False,
    push: bool = False,
) -> list[str]:
    """Publish a plan and the splits that lie beside it as a config of a dataset, each config in one commit.

    Other configs are not touched. Without ``push``, say exactly what would be uploaded. ``indices_only`` publishes
    where each row is in the source (repository, revision, split, row) and no text. ``also`` adds ``DERIVED`` configs;
    ``levels`` and ``seeds`` are those of the ladder, as ``ladder`` has them.
    """
    check_repo(to)
    unknown = set(also) - set(DERIVED)
    if unknown:
        raise CleancutError(f"{', '.join(sorted(unknown))}: no such config to derive. Choose of {', '.join(DERIVED)}.")
    for name in (config, *also):
        _check_config(name)
    if config in also:
        raise CleancutError(f"{config} is the name of a derived config as well. Choose another --config.")
    of_ladder = {name: value for name, value in (("levels", levels), ("seeds", seeds)) if value is not None}
    if of_ladder and "ladder" not in also:
        raise CleancutError(f"{next(iter(of_ladder))} has no effect without the ladder among the configs to derive.")
    if indices_only and also:
        raise CleancutError("derived configs hold text, which --indices-only leaves out. Choose one of the two.")
    path = Path(plan_file, "plan.json") if os.path.isdir(plan_file) else Path(plan_file)
    plan = SplitPlan.load(path)
    splits = _split_rows(path.parent, plan)
    derived = _derived(splits, plan, config, also, of_ladder)
    for name in derived:
        _check_config(name)
    licences = [licence] if licence else _source_licence(plan, push)
    names = [config, *derived]
    said = []
    for i, name in enumerate(names):  # the tables of one config at a time
        if name == config:
            files = _indices(plan, splits, config) if indices_only else _tables(splits, config)
            files[f"{config}/leakage.svg"] = _chart(plan).encode()
            section = _section(plan, config, to, indices_only)
        else:
            parts, about = derived[name]
            files, section = _tables(parts, name), f"## Config `{name}`\n\n{about}\n\n`{plan.signature}`\n"
        said.append(
            _push_config(to, name, files, section, licences, private, pr, names[i:])
            if push
            else _announced(to, name, files, section, licences, private, pr)
        )
    return said


def _check_config(name: str) -> None:
    if not is_config(name):
        raise CleancutError(f"{name!r} cannot be the name of a config. Letters, digits, . _ - only.")


def _split_rows(folder: Path, plan: SplitPlan) -> dict[str, Any]:
    """The splits as datasets, from the very files that ``cleancut split`` wrote beside the plan."""
    found = {}
    for name in plan.names:
        written = plan.files.get(name)
        if written is None:
            raise CleancutError("the plan names no files. Write it with cleancut split, which puts them beside it.")
        path = folder / written["name"]  # a plain name: a plan with any other is not loaded
        if path.is_symlink() or not path.is_file():
            what = "a link, and may lead anywhere" if path.is_symlink() else "not there"
            raise CleancutError(f"{path}, a file of the plan, is {what}. Run cleancut split again.")
        if not is_as_written(path, written["sha256"]):
            raise CleancutError(f"{path} is not as cleancut split wrote it. Run cleancut split again.")
        found[name] = _rows_of(path, plan)
    return found


def _rows_of(path: Path, plan: SplitPlan) -> Any:
    """The rows of a file with all their columns; CoNLL as tokens and entities."""
    import datasets

    if format_of(path) is Format.PARQUET:
        return datasets.Dataset.from_parquet(str(path), keep_in_memory=True)
    if format_of(path) is Format.JSONL:
        return datasets.Dataset.from_list([record for _, record in json_records(path)])
    if not path.stat().st_size:
        return datasets.Dataset.from_list([])
    return datasets.Dataset.from_list(list(samples_of(read(path, **plan.reading))))


def _tables(splits: Mapping[str, Any], config: str) -> dict[str, bytes]:
    found = {}
    for name, rows in splits.items():
        stream = io.BytesIO()
        rows.to_parquet(stream)
        found[f"{config}/{name}-00000-of-00001.parquet"] = stream.getvalue()
    return found


def _derived(
    splits: Mapping[str, Any], plan: SplitPlan, config: str, also: Sequence[str], of_ladder: Mapping[str, Any]
) -> dict[str, tuple[dict[str, Any], str]]:
    """The splits of each derived config, and a sentence that says what they are."""
    import datasets

    if not also:
        return {}
    missing = {"train", "test"} - set(splits)
    if missing:
        raise CleancutError(f"{also[0]} compares test with train, but the plan has no {missing.pop()}.")
    reading = {option: value for option, value in plan.reading.items() if option != "column"}
    train, test = (from_dataset(splits[part], **reading) for part in ("train", "test"))
    key = _settings(plan)["key"]
    options: dict[str, Any] = {"case": "uncased" not in key, "typed": key.startswith("surface+type")}
    found: dict[str, tuple[dict[str, Any], str]] = {}
    targets = dict(zip(DERIVED, subsets(test, Exposure.of(train, **options)), strict=False))
    for name in also:
        if name in targets:
            kind = "has not" if name == "clean-test" else "has"
            rows = datasets.Dataset.from_list(list(samples_of(targets[name])))
            about = f"The test split with the mentions that train {kind} shown: all samples, filtered targets."
            found[name] = {"test": rows}, about
            continue
        if len(train) != len(splits["train"]):
            raise CleancutError("the rows of train hold several samples, which a ladder would tear. Leave it out.")
        for rung in ladder(train, test, **of_ladder, **options):
            row = rung.to_dict()
            about = (
                f"`{config}` with {row['n_samples']} of its training samples, {rung.level:g}% of which "
                f"({row['n_samples_contaminated']}) share an entity with test, drawn with seed {rung.seed}. "
                f"Of their {row['n_mentions']} mentions, {row['n_mentions_contaminated']} are in test."
            )
            found[f"{config}-{rung.name}"] = {**splits, "train": splits["train"].select(rung.rows)}, about
    return found


def _settings(plan: SplitPlan) -> dict[str, str]:
    """What the signature of a plan says."""
    return dict(part.split(":", 1) for part in plan.signature.split("|")[1:])


def _indices(plan: SplitPlan, splits: Mapping[str, Any], config: str) -> dict[str, bytes]:
    """Where each row is in the source, and what its rows must add up to."""
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
    return {**_tables(tables, config), f"{config}/source.json": json.dumps(about, indent=1).encode()}


def rows_fingerprint(rows: Iterable[Mapping[str, Any]]) -> str:
    """A digest of rows in their order, columns and all."""
    digest = hashlib.blake2b(digest_size=16)
    for row in rows:
        digest.update(json.dumps(row, sort_keys=True, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass"))
        digest.update(b"\n")
    return digest.hexdigest()


def materialise(repo: str, config: str, *, revision: str | None = None) -> Any:
    """The ``DatasetDict`` behind an indices-only config, rebuilt from its source and verified row by row."""
    import datasets
    from huggingface_hub import hf_hub_download

    check_repo(repo)
    _check_config(config)

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
    except (KeyError, TypeError, ValueError) as error:
        raise CleancutError(f"{repo}: the config {config} holds no indices that cleancut wrote ({error}).") from None
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


def _source_licence(plan: SplitPlan, ask: bool) -> list[str]:
    """The licences that the source's card names."""
    if not plan.source or not ask:
        return []
    from huggingface_hub import HfApi

    source = {name: str(value) for name, value in plan.source.items()}
    info = attempt(
        lambda: HfApi().dataset_info(source["repo"], revision=source["revision"]),
        source["repo"],
        "Nothing was uploaded.",
    )
    licence = info.card_data.get("license") if info.card_data else None
    return licence if isinstance(licence, list) else [licence] if licence else []


# --- cards ----------------------------------------------------------------------------------------------------------


_OWN = r"/(\w[\w-]*-\d{5}-of-\d{5}\.parquet|leakage\.svg|source\.json)"
"""Behind the name of a config: the files that are ours to replace and to remove."""

_DATA = (".parquet", ".csv", ".tsv", ".json", ".jsonl", ".txt", ".arrow", ".zip", ".gz", ".zst", ".py")


def _refuse_harm(configs: Sequence[Mapping[str, Any]], config: str, there: Iterable[str]) -> None:
    """Refuse a config that would hide, replace or break what is there."""
    data = [path for path in there if path.endswith(_DATA)]
    if not configs and data:
        raise CleancutError(
            f"the data there ({data[0]}) has no config in the card, and would be hidden by one. Publish to a dataset "
            "of its own, or give that data a config in the card first."
        )
    for other in configs:
        paths = _matched(other, data)
        own = [path for path in paths if re.fullmatch(re.escape(config) + _OWN, path)]
        foreign = sorted(set(paths) - set(own))
        if other.get("config_name") == config and foreign:
            raise CleancutError(
                f"the config {config} is there already with files of its own ({foreign[0]}). Choose another --config."
            )
        if other.get("config_name") != config and own:
            raise CleancutError(
                f"the config {other.get('config_name')} has its files where {config} would go ({own[0]}). "
                "Choose another --config."
            )
        unlike = [path for path in paths if not path.endswith(".parquet")]
        if unlike:  # the format of the first config is taken for all
            raise CleancutError(
                f"the config {other.get('config_name')} there is not parquet ({unlike[0]}), and datasets reads all "
                "configs of a repository in one format. Publish to a dataset of its own."
            )


def _matched(config: Mapping[str, Any], there: Iterable[str]) -> list[str]:
    """The data files of a config: those that its patterns or its folder match, and those that it names."""
    patterns = _paths(config.get("data_files"))
    if config.get("data_dir") is not None:
        patterns.append(f"{str(config['data_dir']).strip('./')}/*")
    there = list(there)
    found = [path for path in there for pattern in patterns if fnmatch.fnmatch(path, pattern.removeprefix("./"))]
    return sorted({*found, *(pattern for pattern in patterns if not set("*?[") & set(pattern))})


def _paths(data_files: Any) -> list[str]:
    """The paths of a config's data files, in any of the forms that a card may have."""
    if isinstance(data_files, str):
        return [data_files]
    if isinstance(data_files, Mapping):
        return _paths(data_files["path"]) if "path" in data_files else _paths(list(data_files.values()))
    return [path for item in data_files or [] for path in _paths(item)]


def _card(
    old: str, config: str, section: str, files: Iterable[str], licences: Sequence[str], there: Iterable[str] = ()
) -> str:
    """The dataset card with this config in it; all other text and configs stay."""
    from huggingface_hub import DatasetCard

    old = old.lstrip("\ufeff \n\r")
    try:
        card = DatasetCard(old if old.startswith("---") else f"---\n{{}}\n---\n{old}", ignore_metadata_errors=True)
        configs = [dict(other) for other in card.data.get("configs") or []]
    except Exception as error:  # YAML's errors and those of the card alike
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CleancutError(
            f"the metadata of the dataset's card cannot be read ({why}). Mend README.md there."
        ) from None
    _refuse_harm(configs, config, there)
    tables = [path for path in files if path.endswith(".parquet")]
    data_files = [
        {"split": path.rpartition("/")[2].partition("-")[0], "path": re.sub(r"-\d+-of-\d+", "-*", path)}
        for path in tables
    ]
    entry: dict[str, Any] = {"config_name": config, "data_files": data_files}
    known = [i for i, other in enumerate(configs) if other.get("config_name") == config]
    if known:
        configs[known[0]] = {**configs[known[0]], **entry}
    else:
        configs.append(entry if configs else {**entry, "default": True})
    card.data["configs"] = configs
    if licences and not card.data.get("license"):
        card.data["license"] = licences[0] if len(licences) == 1 else licences
    begin, end = _BEGIN.format(config=config), _END.format(config=config)
    before, _, rest = card.text.partition(begin)
    after = rest.partition(end)[2] if end in rest else rest  # without its end, what follows is someone's text
    text = f"{before.rstrip()}\n\n{begin}\n{section.strip()}\n{end}\n\n{after.lstrip()}".strip()  # as the next puts it
    card.text = f"\n{text}\n"
    return str(card)


def _section(plan: SplitPlan, config: str, repo: str, indices_only: bool) -> str:
    load = f'datasets.load_dataset("{repo}", "{config}")'
    how = f"```python\nimport datasets\n\ndataset = {load}\n```"
    if indices_only:
        how = (
            f"The text is not here: rows are named by their place in `{plan.source['repo']}`, revision "
            f"`{plan.source['revision']}`, and rebuilt from there, with their fingerprint checked.\n\n"
            f'```python\nimport cleancut\n\ndataset = cleancut.materialise("{repo}", "{config}")\n```'
        )
    return "\n\n".join([
        f"## Config `{config}`", f"**{plan.guarantee[0].upper()}{plan.guarantee[1:]}.**", how,
        f"![samples that share an entity, before and after]({config}/leakage.svg)",
        split_text({config: plan}, markdown=True).replace("# Split\n", "### The split\n", 1),
        _type_table(plan),
        f"Made by cleancut {__version__} with\n\n```bash\n{_command(plan)}\n```", f"`{plan.signature}`",
        f"The method follows\n\n```bibtex\n{_CITATION}```",
    ])  # fmt: skip


_CITATION = """\
@misc{babil-etal-random-splitting,
    title = "Random Splitting Negatively Impacts {NER} Evaluation:
             Quantifying and Eliminating the Overestimation of {NER} Performance",
    author = "Babil, Florian and Hennen, Moritz and Murauer, Jakob and Geierhos, Michaela",
}
"""


def _command(plan: SplitPlan) -> str:
    """The command that makes the plan again."""
    settings = _settings(plan)
    key, _, folded = settings["key"].partition(",")
    source = plan.source.get("repo") or "DATA"
    if plan.source:
        config = f":{plan.source['config']}" if plan.source["config"] else ""
        source = f"{source}{config}@{plan.source['revision']}"
    floor = "off" if settings["representative"] == "None" else settings["representative"]
    options = {name: settings[name] for name in ("ratios", "seed", "unit", "method", "engine", "effort", "discard")}
    options |= {"representative": floor, "min-per-type": settings["min_per_type"], "key": key}
    given = " ".join(f"--{name} {value}" for name, value in options.items())
    return f"cleancut split {source} -o clean {given}{' --ignore-case' if folded else ''}"


def _type_table(plan: SplitPlan) -> str:
    labels = sorted({label for row in plan.representation.values() for label in row["type_counts"]})
    head = f"| type | {' | '.join(plan.names)} |\n|---|{'---:|' * len(plan.names)}"
    counts = {name: plan.representation[name]["type_counts"] for name in plan.names}
    rows = [f"| {label} | {' | '.join(str(counts[name].get(label, 0)) for name in plan.names)} |" for label in labels]
    return "\n".join([head, *rows])


def _chart(plan: SplitPlan) -> str:
    """A bar for each pair of splits: the share of samples that share an entity, before and after."""
    after, before = plan.leakage["after"], plan.leakage["before"]
    pairs = [f"{late}_vs_{early}" for i, late in enumerate(plan.names) for early in plan.names[:i]]
    bars, y = [], 24
    for pair in pairs:
        bars.append(f'<text x="8" y="{y + 14}">{html.escape(pair.replace("_vs_", " in "))}</text>')
        for what, colour, rows in (("before", "#b8b8b8", before), ("after", "#2a7de1", after)):
            if pair not in rows:
                continue
            share = rows[pair]["rate_partial"] or 0.0
            share = 0.0 if share != share else share
            bars.append(
                f'<rect x="190" y="{y}" width="{max(320 * share, 1):.1f}" height="16" fill="{colour}"/>'
                f'<text x="{196 + 320 * share:.1f}" y="{y + 13}">{100 * share:.1f}% {what}</text>'
            )
            y += 20
        y += 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{y}" font-family="sans-serif" font-size="13">'
        f'<rect width="640" height="{y}" fill="#ffffff"/><text x="8" y="16">samples that share an entity</text>'
        f"{''.join(bars)}</svg>\n"
    )


# --- uploading a config -----------------------------------------------------------------------------------------


def _announced(
    repo: str, config: str, files: Mapping[str, bytes], section: str, licences: Sequence[str], private: bool, pr: bool
) -> str:
    where = "a pull request to " if pr else ""
    seen = "private, if it is new" if private else "public, if it is new"
    licence = f", the licence {', '.join(licences)} if it names none" if licences else ""
    shown = "\n".join(f"  | {line}" for line in section.splitlines())
    refused = _refused(repo, config, section, files, licences)
    return (
        f"would upload to {where}the dataset {repo} ({seen}) the config {config}, in one commit:\n{_listed(files)}\n"
        f"  README.md  the config in its metadata{licence}, and this section:\n{shown}"
        + (f"\n{refused}" if refused else "")
    )


def _push_config(
    repo: str, config: str, files: Mapping[str, bytes], section: str, licences: Sequence[str], private: bool, pr: bool,
    left: Sequence[str],
) -> str:  # fmt: skip
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    api, title = HfApi(), f"Config {config} (cleancut {__version__})"
    resume = f"Not uploaded: {', '.join(left)}. Run the same command again: what is there already is left as it is."

    def upload() -> str:
        api.create_repo(repo, repo_type="dataset", private=private or None, exist_ok=True)
        request = _open_request(repo, title) if pr else None
        head, there, old = _found(repo, request.git_reference if request else None)
        card = _card(old, config, section, files, licences, there)
        operations: list[Any] = [CommitOperationAdd(path, data) for path, data in files.items()]
        operations.append(CommitOperationAdd("README.md", card.encode()))
        stale = {path for path in there if re.fullmatch(re.escape(config) + _OWN, path)} - set(files)
        operations += [CommitOperationDelete(path) for path in sorted(stale)]
        # all or nothing: large files go up first, unseen; one commit then shows the config with its card
        done = api.create_commit(
            repo, operations, commit_message=title, repo_type="dataset", parent_commit=head,
            revision=request.git_reference if request else None, create_pr=pr and request is None,
        )  # fmt: skip
        if pr:
            return f"{repo}: the config {config} is in the pull request {request.url if request else done.pr_url}."
        return f"{repo}: the config {config} is up. Load it with load_dataset({repo!r}, {config!r})."

    return attempt(upload, repo, resume)


def _found(repo: str, revision: str | None = None) -> tuple[str, set[str], str]:
    """What a dataset holds: its last commit, the names of its files, and its card."""
    from huggingface_hub import HfApi, hf_hub_download

    api = HfApi()
    head = str(api.dataset_info(repo, revision=revision).sha)
    there = set(api.list_repo_files(repo, repo_type="dataset", revision=head))
    if "README.md" not in there:
        return head, there, ""
    return head, there, Path(hf_hub_download(repo, "README.md", repo_type="dataset", revision=head)).read_text("utf-8")


def _open_request(repo: str, title: str) -> Any:
    """The pull request of this title that we have opened before, if it is still open."""
    from huggingface_hub import HfApi

    api = HfApi()
    asked: Any = {"discussion_type": "pull_request", "discussion_status": "open", "author": api.whoami()["name"]}
    requests = api.get_repo_discussions(repo, repo_type="dataset", **asked)
    return next((request for request in requests if request.title == title), None)


def _refused(repo: str, config: str, section: str, files: Mapping[str, bytes], licences: Sequence[str]) -> str:
    """What stands in the way of a config, as far as the Hub tells; a dataset that is new has room for any."""
    from huggingface_hub.errors import RepositoryNotFoundError

    def ask() -> tuple[set[str], str]:
        with suppress(RepositoryNotFoundError):
            return _found(repo)[1:]
        return set(), ""

    try:
        there, old = attempt(ask, repo, "So it is not known whether it takes the config.")
    except CleancutError as error:
        return str(error)
    try:
        _card(old, config, section, files, licences, there)
    except CleancutError as error:
        return f"This would fail: {error}"
    return ""
