"""Write the card of a dataset: its metadata, and a section for each config with the leakage before and after."""

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

_BEGIN = "<!-- cleancut: {config} -->"
_END = "<!-- cleancut: end of {config} -->"
"""The section of a config stands between these two lines."""

OWN_FILES = r"/(\w[\w-]*-\d{5}-of-\d{5}\.parquet|leakage\.svg|source\.json)"
"""Matches, behind the name of a config, the files that cleancut wrote and may replace or remove."""

_DATA = (".parquet", ".csv", ".tsv", ".json", ".jsonl", ".txt", ".arrow", ".zip", ".gz", ".zst", ".py")
"""Endings of files that datasets takes for data."""


def _refuse_harm(configs: Sequence[Mapping[str, Any]], config: str, on_hub: Iterable[str]) -> None:
    """Refuse a config that would hide, replace or break data of the repository.

    Args:
        configs: the configs that the card lists.
        config: the name of the config to add.
        on_hub: the files of the repository.

    Raises:
        CleancutError: the config would do harm; the message names the file.
    """
    data = [path for path in on_hub if path.endswith(_DATA)]
    if not configs and data:
        raise CleancutError(
            f"the data there ({data[0]}) has no config in the card, and would be hidden by one. Publish to a dataset "
            "of its own, or give that data a config in the card first."
        )
    for other in configs:
        paths = _matched(other, data)
        own = [path for path in paths if re.fullmatch(re.escape(config) + OWN_FILES, path)]
        foreign = sorted(set(paths) - set(own))
        is_same_config = other.get("config_name") == config
        if is_same_config and foreign:
            raise CleancutError(
                f"the config {config} is there already with files of its own ({foreign[0]}). Choose another --config."
            )
        if not is_same_config and own:
            raise CleancutError(
                f"the config {other.get('config_name')} has its files where {config} would go ({own[0]}). "
                "Choose another --config."
            )
        not_parquet = [path for path in paths if not path.endswith(".parquet")]
        if not_parquet:  # datasets takes the format of the first config for all
            raise CleancutError(
                f"the config {other.get('config_name')} there is not parquet ({not_parquet[0]}), and datasets reads "
                "all configs of a repository in one format. Publish to a dataset of its own."
            )


def _matched(config: Mapping[str, Any], on_hub: Sequence[str]) -> list[str]:
    """Return the data files of a config: those that its patterns or its folder match, and those that it names."""
    patterns = _paths(config.get("data_files"))
    if config.get("data_dir") is not None:
        patterns.append(f"{str(config['data_dir']).strip('./')}/*")
    matched = set()
    for pattern in patterns:
        matched.update(fnmatch.filter(on_hub, pattern.removeprefix("./")))
        if not set("*?[") & set(pattern):  # a plain name, of a file that may be missing
            matched.add(pattern)
    return sorted(matched)


def _paths(data_files: Any) -> list[str]:
    """Return the paths of a config's data files, in any of the forms that a card may have."""
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
    on_hub: Iterable[str] = (),
) -> str:
    """Return the card of a dataset with a config added; all other text and configs stay.

    Args:
        old: the card as it is; empty if the dataset has none.
        config: the name of the config.
        section: the section of the card that describes the config.
        files: the files of the config.
        info: the ``DatasetInfo`` of the config; it replaces the one that the card holds for this config.
        metadata: the metadata of a new card. To a card that exists, only the licence is added, if it states none.
        on_hub: the files of the repository.

    Returns:
        The text of the new card.

    Raises:
        CleancutError: the metadata of the card cannot be read, or the config would do harm to others.
    """
    from datasets.info import DatasetInfosDict
    from huggingface_hub import DatasetCard

    old = old.lstrip("\ufeff \n\r")
    try:
        with_metadata = old if old.startswith("---") else f"---\n{{}}\n---\n{old}"
        card = DatasetCard(with_metadata, ignore_metadata_errors=True)
        configs = [dict(other) for other in card.data.get("configs") or []]
        DatasetInfosDict({config: info}).to_dataset_card_data(card.data)
    except Exception as error:  # both YAML and the card raise errors of their own
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CleancutError(
            f"the metadata of the dataset's card cannot be read ({why}). Correct README.md there."
        ) from None
    _refuse_harm(configs, config, on_hub)
    card.data["configs"] = _with_config(configs, config, files)
    for name in metadata if not old else ["license"]:
        if metadata.get(name) and not card.data.get(name):
            card.data[name] = metadata[name]
    card.text = _with_section(card.text, config, section)
    return str(card)


def _with_config(configs: Sequence[Mapping[str, Any]], config: str, files: Iterable[str]) -> list[Mapping[str, Any]]:
    """Return the configs of a card with one that has the given files; the first of all configs is the default one."""
    patterns = dict.fromkeys(re.sub(r"-\d+-of-\d+", "-*", path) for path in files if path.endswith(".parquet"))
    data_files = [{"split": path.rpartition("/")[2].removesuffix("-*.parquet"), "path": path} for path in patterns]
    entry: dict[str, Any] = {"config_name": config, "data_files": data_files}
    names = [other.get("config_name") for other in configs]
    if config in names:
        known = names.index(config)
        return [*configs[:known], {**configs[known], **entry}, *configs[known + 1 :]]
    if not configs:
        entry["default"] = True
    return [*configs, entry]


def _with_section(text: str, config: str, section: str) -> str:
    """Return the text of a card with the section of a config, in the place of an earlier one or at the end."""
    section = section.replace("<!-- cleancut:", "<! -- cleancut:")  # a name in it must not look like one of our marks
    begin = _BEGIN.format(config=config)
    end = _END.format(config=config)
    before, _, rest = text.partition(begin)
    # Where the end is missing, nobody knows how far our section went: all that follows is kept.
    after = rest.partition(end)[2] if end in rest else rest
    joined = f"{before.rstrip()}\n\n{begin}\n{section.strip()}\n{end}\n\n{after.lstrip()}"
    return f"\n{joined.strip()}\n"


def config_section(plan: SplitPlan, config: str, repo: str, indices_only: bool) -> str:
    """Return the section of a card that describes the config of a plan.

    Args:
        plan: the plan.
        config: the name of the config.
        repo: the dataset that holds it, ``org/name``.
        indices_only: whether the config holds the places of rows in their source rather than the rows.

    Returns:
        Markdown: the guarantee, how to load the config, the leakage before and after, the types, and the command.
    """
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
    paragraphs = [
        f"## Config `{config}`",
        f"**{markdown_text(guarantee)}.**",
        how,
        f"![samples that share an entity, before and after]({config}/leakage.svg)",
        split_text({config: plan}, markdown=True).replace("# Split\n", "### The split\n", 1),
        _type_table(plan),
        f"Made by cleancut {__version__} with\n\n{markdown_block(plan.command, 'bash')}",
        markdown_code(plan.signature),
        f"The method follows\n\n```bibtex\n{_CITATION}```",
    ]
    return "\n\n".join(paragraphs)


_CITATION = """\
@inproceedings{babl-etal-2025-random,
    title = "Random Splitting Negatively Impacts {NER} Evaluation:
             Quantifying and Eliminating the Overestimation of {NER} Performance",
    author = "Babl, Florian and Hennen, Moritz and Murauer, Jakob and Geierhos, Michaela",
    booktitle = "Findings of the Association for Computational Linguistics: ACL 2025",
    year = "2025",
    pages = "9724--9738",
    url = "https://aclanthology.org/2025.findings-acl.504/",
}
"""


def _type_table(plan: SplitPlan) -> str:
    """Return a table (Markdown) of the mentions of each type in each split."""
    labels = sorted({label for row in plan.representation.values() for label in row["type_counts"]})
    head = f"| type | {' | '.join(plan.names)} |\n|---|{'---:|' * len(plan.names)}"
    counts = {name: plan.representation[name]["type_counts"] for name in plan.names}
    rows = []
    for label in labels:
        of_split = " | ".join(str(counts[name].get(label, 0)) for name in plan.names)
        rows.append(f"| {markdown_text(label)} | {of_split} |")
    return "\n".join([head, *rows])


def leakage_chart(plan: SplitPlan) -> str:
    """Return a chart (SVG) of the share of samples that share an entity, before and after the split.

    Args:
        plan: the plan whose leakage is drawn, a bar for each pair of splits.
    """
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
