"""What the app computes: from what was pasted, uploaded or named to HTML, values, and files to take home.

Each function works in the current folder, under the names that the files were uploaded with, so that messages name
nothing else; the app gives each call a folder and a process of its own.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError
from ..core.files import write_text
from ..reading.dataset import Samples, load_splits, read_files, read_samples
from ..reading.formats import Format, by_split, format_of, read_pair
from ..reading.hub_ids import HubId, is_local, network_errors
from ..scoring.compare import compare
from ..scoring.exposure import Exposure
from ..scoring.exposure_view import NOVELTY_CLASSES
from ..showing.exhibit import Cell, Exhibit, Measured, Section, visible
from ..showing.html import fragment, html_audit, html_comparison, html_split, report_page
from ..showing.report_data import KINDS, Context, Findings, Listed, findings
from ..showing.sections import audit_sections, comparison_sections, report_sections, split_sections
from ..showing.text import to_json
from ..splitting.audit import Audit, audit
from ..splitting.mincut import mincut
from ..splitting.plan import SplitPlan
from ..splitting.settings import SplitSettings, largest_discard

MOST_BYTES = 20_000_000
"""Of a file, unpacked, or of a pasted text."""
MOST_HUB_BYTES = 200_000_000
"""Of a repository on the Hub."""
_MOST_ERRORS = 150
_CURVE = (0, 0.01, 0.02, 0.05, "auto")
"""Shares that may be set aside, for the trade-off."""
_RESULTS = {
    "report.html", "scores.json", "audit.html", "audit.json", "plan.json", "split", "split.zip", "comparison.html",
    "comparison.json",
}  # fmt: skip
"""Names in the current folder that are ours."""

Given = str | Path | None
"""A pasted text, or the path of an upload."""
Several = Sequence[Path] | Mapping[str, str]
"""Uploads, or texts by their names."""
Tell = Callable[[float], None]


class Made(NamedTuple):
    """What a tab shows and gives."""

    panels: tuple[str, ...]
    """HTML, one after the other or behind tabs."""
    values: dict[str, Any]
    files: tuple[str, ...]


# --- what was given -------------------------------------------------------------------------------------------


def _file(given: Given, role: str) -> str:
    """The name under which a text or an upload lies in the current folder."""
    if isinstance(given, Path):
        name = given.name
        if not given.exists():
            why = "uploads are deleted after a while, and when the connection is lost"
            raise CleancutError(f"{name} is no longer here: {why}. Upload it again.")
        if os.path.lexists(name):
            raise CleancutError(f"two files are called {name}. Rename one of them.")
        if name in _RESULTS:  # what is written would go through the link to the file itself
            raise CleancutError(f"{name} is the name of a file of results. Rename yours.")
        try:
            os.symlink(given.resolve(), name)
        except OSError:  # on Windows not everyone may make links
            shutil.copyfile(given, name)
    elif not given or not given.strip():
        raise CleancutError(f"there is no {role}. Paste lines of a token and its tag, or JSONL, or choose a file.")
    else:
        name = role.replace(" ", "_") + (".jsonl" if given.lstrip().startswith("{") else ".conll")
        Path(name).write_bytes(given.encode("utf-8", "surrogatepass"))
    _refuse_large(name)
    return name


def _files(given: Several) -> list[str]:
    """The same of several; a text is named for what it is."""
    if not isinstance(given, Mapping):
        return [_file(path, "data") for path in given]
    for name, text in given.items():
        if not re.fullmatch(r"[\w-]{1,64}", name) or not isinstance(text, str):
            raise CleancutError(f"{name!r:.80}: give texts by their names, of letters, digits, _ and - only.")
    return [_file(text, name) for name, text in given.items()]


def _refuse_large(name: str) -> None:
    size = os.path.getsize(name)
    if size <= MOST_BYTES and name.endswith(".gz"):
        with gzip.open(name) as stream:
            try:
                size = len(stream.read(MOST_BYTES + 1))
            except (OSError, EOFError):
                return  # reading says so
    elif size <= MOST_BYTES and format_of(name) is Format.PARQUET:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            held = pq.ParquetFile(name).metadata
        except (pa.ArrowException, OSError):
            return
        size = sum(held.row_group(i).total_byte_size for i in range(held.num_row_groups))
    if size > MOST_BYTES:
        raise CleancutError(
            f"{name} has more than {MOST_BYTES // 1_000_000} MB. Use the command line for it: it has no such limit."
        )


def _corpus(given: Given, role: str) -> Corpus:
    return read_samples(_file(given, role)).corpus


class _Data(NamedTuple):
    """The splits of a dataset, and how they were named."""

    samples: Mapping[str, Samples]
    files: list[str]
    """Where they were uploaded."""
    named: str
    """As arguments of a command."""

    @property
    def parts(self) -> dict[str, Corpus]:
        return {name: samples.corpus for name, samples in self.samples.items()}


def _data(given: Several, hub: str) -> _Data:
    if hub.strip():
        return _Data(_from_hub(hub.strip()), [], hub.strip())
    names = _files(given)
    if not names:
        raise CleancutError("there are no splits. Choose files such as train.conll and test.conll, or name a dataset.")
    found = by_split(names)
    return _Data(read_files(found), list(found.values()), " ".join(names))


def _from_hub(source: str) -> dict[str, Samples]:
    """The splits of a dataset that anyone may read, if it is not too large."""
    os.environ["HF_HUB_DISABLE_IMPLICIT_TOKEN"] = "1"  # before the clients read it: what the host may see is not public
    os.environ["HF_HOME"] = os.path.abspath("hub")  # goes with the folder
    if is_local(source):
        raise CleancutError(f"{source!r} is not the id of a dataset on the Hub. Write org/name or org/name:config.")
    from huggingface_hub import HfApi

    named = HubId.parse(source)
    try:
        held = HfApi().dataset_info(named.repo, revision=named.revision, files_metadata=True).siblings or ()
    except network_errors():
        held = ()  # loading says why
    if sum(file.size or 0 for file in held) > MOST_HUB_BYTES:
        raise CleancutError(f"{source} is too large for the app. On your own machine: cleancut audit {source}")
    return load_splits(source)


# --- score ------------------------------------------------------------------------------------------------


def score(gold: Given, pred: Given, train: Given, tell: Tell) -> Made:
    """One system: its scores with intervals, buckets, errors; the report."""
    file = _file(gold, "gold annotation")
    if pred:
        ours, theirs = read_samples(file).corpus, _corpus(pred, "predictions")
    elif format_of(file) is Format.CONLL:
        ours, theirs = read_pair(file)  # as conlleval has them
    else:
        raise CleancutError("there are no predictions. Paste them, or choose a file.")
    tell(0.2)
    found = findings(ours, {"system": theirs}, _corpus(train, "training data") if train else None)
    tell(0.6)
    values = {metric: score.to_dict() for metric, score in found.scores["system"].items()}
    values["bucket_f1"] = found.buckets["system"].to_dict()
    write_text("report.html", report_page(found, title="NER report"))
    write_text("scores.json", to_json(values) + "\n")
    sections = {section.slug: section for section in report_sections(found)}

    def drawn(*slugs: str) -> str:
        return fragment(sections[slug] for slug in slugs if slug in sections)

    first, attributes, last = ("headline", "types"), ("buckets",), ("partial", "confusion")
    others = [slug for slug in sections if slug not in (*first, *attributes, *last)]
    panels = drawn(*first), drawn(*others), drawn(*attributes), _errors(found) + drawn(*last)
    return Made(panels, values, ("report.html", "scores.json"))


def _errors(found: Findings) -> str:
    """Errors in context. Which kinds are shown is a matter of the style sheet, so that no script is needed."""
    shown, n = found.listed[:_MOST_ERRORS], found.n_errors("system")
    lead = "Every mention that was missed, spurious, or wrong in its boundary or type."
    if n > len(shown):
        lead = f"The first {len(shown)} of {n:,} errors; the report has them all, with filters and a search."
    chosen = "".join(
        f'<label><input type="radio" name="kind" value="{kind}"{" checked" * (kind == "all")}>{kind} '
        f"<span>{sum(row.kind == kind or kind == 'all' for row in shown)}</span></label>"
        for kind in ("all", *KINDS)
    )
    key = (
        '<span class="gold">gold mention</span><span class="pred">prediction</span><span class="gold pred">both</span>'
    )
    rows = "".join(_error(row, found.contexts[row.context]) for row in shown)
    return (
        f'<section><h2>Errors</h2><p class="lead">{lead}</p>'
        f'<form class="filters"><fieldset><legend>Kind</legend>{chosen}</fieldset></form>'
        f'<p class="key">{key}</p><ol class="errors" tabindex="0" aria-label="Errors">{rows}</ol></section>'
    )


_NOVELTY = {novelty.name: novelty.long_title for novelty in NOVELTY_CLASSES}


def _error(row: Listed, context: Context) -> str:
    spans = ""
    for name, span in (("gold", row.gold), ("predicted", row.pred)):
        words = span and " ".join(context.words[span[0] : span[1]])
        what = f"<b>{_text(words)}</b> <code>{_text(span[2])}</code>" if span and words else "nothing"
        spans += f"<span>{name} {what}</span>"
    head = f'<span class="kind">{row.kind}</span><bdi>{_text(context.where)}</bdi>'
    head += f"<span>{_NOVELTY[row.novelty]}</span>" if row.novelty else ""
    line = _marked(context.words, {"gold": row.gold, "pred": row.pred})
    line = ("" if context.begins else "… ") + line + ("" if context.ends else " …")
    return (
        f'<li data-kind="{row.kind}"><div class="head">{head}</div><p class="context" dir="auto">{line}</p>'
        f'<div class="spans">{spans}</div></li>'
    )


def _marked(words: Sequence[str], marks: Mapping[str, tuple[Any, ...] | None]) -> str:
    """Words with spans in them, which may overlap: cut where one begins or ends."""
    spans = {name: span for name, span in marks.items() if span is not None}
    cuts = sorted({0, len(words), *(end for span in spans.values() for end in span[:2])})
    line = ""
    for start, end in pairwise(cuts):
        within = [name for name, span in spans.items() if span[0] <= start and end <= span[1]]
        goes_on = any(end < spans[name][1] for name in within)  # then the space behind is marked as well
        text = _text(" ".join(words[start:end])) + " " * goes_on
        line += f'<bdi class="{" ".join(within)}">{text}</bdi>' if within else text
        line += "" if goes_on else " "
    return line.rstrip()


def _text(text: str) -> str:
    return escape(visible(text))


# --- audit ------------------------------------------------------------------------------------------------


def audit_splits(splits: Several, hub: str, unit: str, tell: Tell) -> Made:
    """What the splits share, with examples."""
    data = _data(splits, hub)
    tell(0.5)
    found = audit(data.parts, unit=unit, top=8)
    write_text("audit.html", html_audit(found))
    write_text("audit.json", to_json(found.to_dict()) + "\n")
    shared, memory, leaks, types = audit_sections(found)
    panels = fragment([shared, memory]), fragment([leaks]) + _leaks(found), fragment([types])
    return Made(panels, found.to_dict(), ("audit.html", "audit.json"))


def _leaks(found: Audit) -> str:
    """A sentence of either split for each entity that leaks."""
    rows = []
    for leak in found.top_leaks:
        entity = leak["entity"].split()
        examples = ""
        for split, own in leak["examples"].items():
            line = _marked_entity(own[0]["text"].split(), entity)
            examples += f'<p class="context" dir="auto"><small>{_text(split)}</small> {line}</p>'
        here, there = leak["pair"]
        head = f'<span class="kind">{_text(leak["entity"])}</span><code>{_text(leak["label"] or "")}</code>'
        head += f"<span>{leak[f'n_{here}']} times in {_text(here)}, {leak[f'n_{there}']} in {_text(there)}</span>"
        rows.append(f'<li><div class="head">{head}</div>{examples}</li>')
    if not rows:
        return ""
    return (
        '<section><h2>Examples</h2><p class="lead">The same entity on both sides.</p>'
        f'<ol class="errors" tabindex="0" aria-label="Examples">{"".join(rows)}</ol></section>'
    )


def _marked_entity(words: list[str], entity: list[str]) -> str:
    size = len(entity)
    at = next((i for i in range(len(words)) if words[i : i + size] == entity), None)
    return _marked(words, {"gold": None if at is None else (at, at + size)})


# --- split ------------------------------------------------------------------------------------------------


def split(
    splits: Several, hub: str, discard: str, ratios: str, unit: str, seed: int, min_per_type: int, tell: Tell
) -> Made:
    """A clean split, what it trades for what, its files, and how to make it again."""
    data = _data(splits, hub)
    options = {"discard": discard, "ratios": ratios, "unit": unit, "seed": seed, "min_per_type": min_per_type}
    asked = SplitSettings.of("split", options)
    discards = sorted({*map(str, _CURVE), discard}, key=largest_discard)

    def planned(choice: str) -> SplitPlan:
        told: Tell = lambda share: tell(share / len(discards))
        return mincut(data.parts, progress=told, **{**asked.changed(), "discard": choice})

    plans = {choice: planned(choice) for choice in discards}
    plan = plans[discard]
    plan.write("split", data.samples, format="input", beside={"report.html": html_split(plan)})
    shutil.copyfile("split/plan.json", "plan.json")
    shutil.make_archive("split", "zip", "split")
    leakage, *rest = split_sections({"after": plan})
    values = {**plan.to_dict(), "assignment": plan.assignment.tolist(), **_reproduced(data, asked)}
    panels = fragment([leakage]) + _trade_off(plans, discard), fragment(rest)
    return Made(panels, values, ("plan.json", "split.zip"))


def _reproduced(data: _Data, asked: SplitSettings) -> dict[str, str]:
    """Return the command and the lines of Python that make the same split."""
    command = f"cleancut split {data.named} -o clean {asked.flags(only_changed=True)} --format input"
    if data.files:
        parts = ", ".join(f"{name!r}: cc.read({file!r})" for name, file in zip(data.samples, data.files, strict=True))
        if any(samples.shape is not None for samples in data.samples.values()):
            parts = parts.replace("cc.read(", "cc.from_dataset(")
        lines = [f"splits = {{{parts}}}"]
    else:
        lines = [f"splits = {{name: part.corpus for name, part in cc.load_splits({data.named!r}).items()}}"]
    options = ", ".join(filter(None, ["splits", asked.python()]))
    lines += [f"plan = cc.mincut({options})", "print(plan.guarantee, plan.sizes)", "clean = plan.apply(splits)"]
    return {"command": " ".join(command.split()), "python": "\n".join(["import cleancut as cc", "", *lines])}


def _shared(plan: SplitPlan) -> Measured:
    """Held-out samples that share an entity with train."""
    train, *held_out = plan.names
    n = sum(plan.leakage["after"][name, train]["n_partial"] for name in held_out)
    return Measured(n / max(sum(plan.sizes[name] for name in held_out), 1), n=n)


_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 620, 250, 46, 24, 44


def _trade_off(plans: Mapping[str, SplitPlan], chosen: str) -> str:
    """What is set aside against what is shared: a curve, and the same as a table."""
    discarded = {choice: plan.n_discarded / max(len(plan.assignment), 1) for choice, plan in plans.items()}
    shared = {choice: _shared(plan) for choice, plan in plans.items()}
    rows: list[tuple[str, Sequence[Cell]]] = [
        (_allowed(choice), [plan.n_discarded, discarded[choice], shared[choice]]) for choice, plan in plans.items()
    ]
    table = Exhibit("trade-off", "In numbers (%)", ["may be set aside", "samples", "%", "shared"], rows)
    lead = "Each point is a split that was computed; the large one is yours. What is set aside is in a file of its own."
    drawn = _curve([(discarded[choice], shared[choice].value, choice == chosen) for choice in plans])
    inner = fragment([Section("trade-off", "Trade-off", lead, [table])])
    return inner.replace("<figure>", f"<figure>{drawn}</figure><figure>", 1)


def _allowed(choice: str) -> str:
    if choice == "auto":
        return "what it takes to share nothing"
    return f"at most {100 * float(choice):g}%" if float(choice) else "nothing"


def _curve(points: Sequence[tuple[float, float, bool]]) -> str:
    """Shares from left to right, joined by a line; the one that is marked is large."""
    right, top = (1.08 * max(0.01, *(point[i] for point in points)) for i in (0, 1))

    def x(value: float) -> float:
        return _LEFT + value / right * (_WIDTH - _LEFT - 20)

    def y(value: float) -> float:
        return _TOP + (1 - value / top) * (_HEIGHT - _TOP - _BOTTOM)

    def written(text: str, at: float, height: float, anchor: str = "middle") -> str:
        return f'<text x="{at:.1f}" y="{height:.1f}" text-anchor="{anchor}">{text}</text>'

    marks = [written("held-out samples that share an entity with train, %", _LEFT, 12, "start")]
    marks.append(written("samples set aside, %", _WIDTH - 4, _HEIGHT - 6, "end"))
    marks += [written(f"{100 * tick:.3g}", x(tick), _HEIGHT - 26) for tick in _ticks(right)]
    for tick in _ticks(top):
        marks.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>')
        marks.append(written(f"{100 * tick:.3g}", _LEFT - 6, y(tick) + 4, "end"))
    line = " ".join(f"{x(a):.1f},{y(s):.1f}" for a, s, _ in sorted(points))
    marks.append(f'<polyline class="s0" points="{line}"/>')
    for a, s, large in sorted(points, key=lambda point: point[2]):
        title = f"<title>{100 * a:.2f}% set aside, {100 * s:.2f}% shared</title>"
        dot = f'class="s{int(large)}" cx="{x(a):.1f}" cy="{y(s):.1f}" r="{7 if large else 4}"'
        marks.append(f"<circle {dot}>{title}</circle>")
    label = "What is set aside against what is shared; the numbers are below."
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(marks)}</svg>'


def _ticks(top: float) -> list[float]:
    """Four or five round numbers from 0 on."""
    step = next(s for s in (m * 10.0**e for e in range(-5, 1) for m in (1, 2, 5)) if top / s <= 5)
    return [i * step for i in range(int(top / step) + 1)]


# --- compare ----------------------------------------------------------------------------------------------


def compare_systems(gold: Given, preds: Several, train: Given, tell: Tell) -> Made:
    """Systems side by side: scores, paired tests, and whether their order holds."""
    ours = _corpus(gold, "gold annotation")
    systems = {file.partition(".")[0]: read_samples(file).corpus for file in _files(preds)}
    tell(0.2)
    found = compare(ours, systems, Exposure.of(_corpus(train, "training data")) if train else None)
    values = found.to_dict()
    tell(0.6)
    write_text("comparison.html", html_comparison(values))
    write_text("comparison.json", to_json(values) + "\n")
    panels = (fragment(comparison_sections(values)),)
    return Made(panels, values, ("comparison.html", "comparison.json"))
