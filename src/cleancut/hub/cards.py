"""The card of a dataset: its metadata, and a section for each config with the leakage before and after."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.exceptions import CleancutError
from ..showing.escaping import html_text, markdown_block, markdown_code, markdown_text
from ..showing.text import split_text
from ..splitting.plan import SplitPlan
from ..version import __version__

# --- split plans as dataset configs -------------------------------------------------------------------------------


_BEGIN, _END = "<!-- cleancut: {config} -->", "<!-- cleancut: end of {config} -->"


# --- cards ----------------------------------------------------------------------------------------------------------


OWN_FILES = r"/(\w[\w-]*-\d{5}-of-\d{5}\.parquet|leakage\.svg|source\.json)"
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
        own = [path for path in paths if re.fullmatch(re.escape(config) + OWN_FILES, path)]
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


def card_text(
    old: str,
    config: str,
    section: str,
    files: Iterable[str],
    info: Any,
    metadata: Mapping[str, Any],
    there: Iterable[str] = (),
) -> str:
    """Return the dataset card with a config in it; all other text and configs stay.

    Args:
        old: the card as it is; empty if there is none.
        config: the name of the config.
        section: what the text of the card says of it.
        files: the files of the config.
        info: its ``DatasetInfo``, which takes the place of what the metadata of the card said of the config.
        metadata: those of a new card; of one that is there, only the licence is added where it names none.
        there: the files of the repository.
    """
    from datasets.info import DatasetInfosDict
    from huggingface_hub import DatasetCard

    old = old.lstrip("\ufeff \n\r")
    try:
        card = DatasetCard(old if old.startswith("---") else f"---\n{{}}\n---\n{old}", ignore_metadata_errors=True)
        configs = [dict(other) for other in card.data.get("configs") or []]
        DatasetInfosDict({config: info}).to_dataset_card_data(card.data)
    except Exception as error:  # YAML's errors and those of the card alike
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CleancutError(
            f"the metadata of the dataset's card cannot be read ({why}). Mend README.md there."
        ) from None
    _refuse_harm(configs, config, there)
    patterns = dict.fromkeys(re.sub(r"-\d+-of-\d+", "-*", path) for path in files if path.endswith(".parquet"))
    data_files = [{"split": path.rpartition("/")[2].removesuffix("-*.parquet"), "path": path} for path in patterns]
    entry: dict[str, Any] = {"config_name": config, "data_files": data_files}
    known = [i for i, other in enumerate(configs) if other.get("config_name") == config]
    if known:
        configs[known[0]] = {**configs[known[0]], **entry}
    else:
        configs.append(entry if configs else {**entry, "default": True})
    card.data["configs"] = configs
    for name in metadata if not old else ["license"]:
        if metadata.get(name) and not card.data.get(name):
            card.data[name] = metadata[name]
    section = section.replace("<!-- cleancut:", "<! -- cleancut:")  # in a name: it would be taken for a mark of ours
    begin, end = _BEGIN.format(config=config), _END.format(config=config)
    before, _, rest = card.text.partition(begin)
    after = rest.partition(end)[2] if end in rest else rest  # without its end, what follows is someone's text
    text = f"{before.rstrip()}\n\n{begin}\n{section.strip()}\n{end}\n\n{after.lstrip()}".strip()  # as the next puts it
    card.text = f"\n{text}\n"
    return str(card)


def config_section(plan: SplitPlan, config: str, repo: str, indices_only: bool) -> str:
    guarantee = f"{plan.guarantee[0].upper()}{plan.guarantee[1:]}"
    load = f'datasets.load_dataset("{repo}", "{config}")'
    how = f"```python\nimport datasets\n\ndataset = {load}\n```"
    if indices_only:
        how = (
            f"The text is not here: rows are named by their place in `{plan.source['repo']}`, revision "
            f"{markdown_code(str(plan.source['revision']))}, and rebuilt from there, with their fingerprint "
            "checked.\n\n"
            f'```python\nimport cleancut\n\ndataset = cleancut.materialise("{repo}", "{config}")\n```'
        )
    return "\n\n".join([
        f"## Config `{config}`", f"**{markdown_text(guarantee)}.**", how,
        f"![samples that share an entity, before and after]({config}/leakage.svg)",
        split_text({config: plan}, markdown=True).replace("# Split\n", "### The split\n", 1),
        _type_table(plan),
        f"Made by cleancut {__version__} with\n\n{markdown_block(plan.command, 'bash')}",
        markdown_code(plan.signature),
        f"The method follows\n\n```bibtex\n{_CITATION}```",
    ])  # fmt: skip


_CITATION = """\
@misc{babil-etal-random-splitting,
    title = "Random Splitting Negatively Impacts {NER} Evaluation:
             Quantifying and Eliminating the Overestimation of {NER} Performance",
    author = "Babil, Florian and Hennen, Moritz and Murauer, Jakob and Geierhos, Michaela",
}
"""


def _type_table(plan: SplitPlan) -> str:
    labels = sorted({label for row in plan.representation.values() for label in row["type_counts"]})
    head = f"| type | {' | '.join(plan.names)} |\n|---|{'---:|' * len(plan.names)}"
    counts = {name: plan.representation[name]["type_counts"] for name in plan.names}
    rows = []
    for label in labels:
        of_split = " | ".join(str(counts[name].get(label, 0)) for name in plan.names)
        rows.append(f"| {markdown_text(label)} | {of_split} |")
    return "\n".join([head, *rows])


def leakage_chart(plan: SplitPlan) -> str:
    """A bar for each pair of splits: the share of samples that share an entity, before and after."""
    after, before = plan.leakage["after"], plan.leakage["before"]
    pairs = [(late, early) for i, late in enumerate(plan.names) for early in plan.names[:i]]
    bars, y = [], 24
    for pair in pairs:
        bars.append(f'<text x="8" y="{y + 14}">{html_text(" in ".join(pair))}</text>')
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
