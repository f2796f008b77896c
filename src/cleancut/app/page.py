"""The page of the Gradio app: the tabs Score, Audit, Split, Compare and Learn. It shows what the jobs compute.

Each request is computed in a process and a folder of its own, which are removed when it is done or when nobody waits
for it any more. Uploads, and files to download, are deleted when the page is closed.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from html import escape
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.exceptions import CleancutError
from ..core.same import Notion
from ..splitting.audit import Unit
from ..splitting.settings import largest_discard
from ..version import __version__
from . import jobs, sandbox
from .advice import BETA, DISCARD, LEAST, RATIOS, SAME, SEED, TYPES, UNIT, in_the_app
from .api import add_endpoints
from .examples import EXAMPLES, SCORE_OPTIONS, SPLIT_OPTIONS, SPLITS, SYSTEMS, Shelf
from .lesson import lesson_html
from .package import project_links
from .panels import Point, allowed, commands_panel, trade_off_panel
from .tab import (
    AT_ONCE,
    DESK,
    EXAMPLE_COMES,
    QUIET,
    SECONDS,
    SHARED,
    UNQUEUED,
    WAITING,
    Tab,
    asked_by,
    download_folder,
    page_of,
    progress,
)

if TYPE_CHECKING:
    import gradio

_KEPT = 1800
"""The seconds after which uploads and downloads are deleted, even if the page stays open."""
_PAPERS = {
    "Babl et al. 2025: random splits and delta F1": "https://aclanthology.org/2025.findings-acl.504/",
    "Bernier-Colborne and Langlais 2020: HardEval": "https://aclanthology.org/2020.lrec-1.211/",
    "Fu et al. 2020: buckets": "https://aclanthology.org/2020.emnlp-main.489/",
}
"""The papers that the metrics come from."""

_INTRO = """
<header class="intro"><h1>cleancut</h1>
<p>What is an NER score worth without the names that training has shown? Every tab opens with an example; put your own
data in its place. Nobody else sees what you upload, and it is deleted when you close the page.</p></header>
"""
_FORMATS = "CoNLL columns (token, tag) or JSONL; as a file also parquet, CSV and .gz"
_PREDICTED_FORMATS = f'{_FORMATS}; or answers of a language model, {{"answer": "..."}} a line'
_LESSON = {
    "Training": "[Alice PER] sang in [Oslo LOC] .",
    "Gold": "[Alice PER] and [Bob PER] met Charlie .",
    "Prediction": "[Alice PER] and [Bob PER] met [Charlie PER] .",
}
_CHANGED = {
    "Miss Bob": {"Prediction": "[Alice PER] and Bob met [Charlie PER] ."},
    "Miss Alice": {"Prediction": "Alice and [Bob PER] met [Charlie PER] ."},
    "Train on Bob too": {"Training": "[Alice PER] sang with [Bob PER] in [Oslo LOC] ."},
    "As it was": {},
}
"""Changes of the lesson to try."""
_EXPLANATION = """
A recogniser is tested on names, many of which it was trained on. Below, names are in brackets with their type. Training
has shown **Alice**: her mention in the test sentence is *contaminated*. **Bob** is new, a *clean* mention. **Charlie**
is a mistake. Change anything and see every number change: if Bob is missed, recall falls by half, but clean recall to
nothing.
"""


def blocks(examples: Path, shelf: Shelf) -> gradio.Blocks:
    """Return the whole page.

    Args:
        examples: the folder of the examples.
        shelf: the results of the examples.
    """
    import gradio as gr

    with gr.Blocks(title="cleancut", analytics_enabled=False, delete_cache=(_KEPT // 6, _KEPT)) as page:
        gr.HTML(_INTRO, apply_default_css=False, elem_classes="flush")
        given = _Given(examples)
        with gr.Tabs():
            _score_tab(page, examples, given, shelf)
            _audit_tab(examples, shelf)
            _split_tab(examples, shelf)
            _compare_tab(examples, given, shelf)
            _learn_tab()
        gr.HTML(_footer(), apply_default_css=False, elem_classes="flush")
        add_endpoints()
        _forget_when_closed(page)
    return page


def _footer() -> str:
    """Return the limits of the app, and links to the documentation, the code and the papers."""
    size = jobs.MOST_BYTES // 1_000_000
    dataset = jobs.MOST_HUB_BYTES // 1_000_000
    clock = sandbox.MOST_WAITING * SECONDS / 60
    limits = (
        f"Limits: files of up to {size} MB unpacked, {jobs.MOST_FILES} at a time; datasets of up to {dataset} MB; "
        f"{SECONDS // 60} minutes of processor time for a computation, or {clock:g} minutes by the clock; {AT_ONCE} "
        f"run at a time. Files are deleted when the page is closed, and within {_KEPT // 60} minutes in any case. "
        "The command line has no such limits."
    )
    links = {**project_links(), **_PAPERS}
    items = "".join(
        f'<li><a href="{escape(url)}" rel="noreferrer">{escape(name)}</a></li>' for name, url in links.items()
    )
    return f'<footer class="version"><p>{limits}</p><ul>{items}</ul><p>cleancut {__version__}</p></footer>'


# --- files of a page ----------------------------------------------------------------------------------------


def _forget_when_closed(page: gradio.Blocks) -> None:
    """End the work for a page when it is closed, and delete what was uploaded to it and made for it.

    Gradio stores files by their content, so that one file may have been uploaded to several pages, or be an example. It
    is deleted with the last of these pages; an example never is.
    """
    import gradio as gr

    uploads = defaultdict[str, set[str]](set)
    lock = threading.Lock()

    @asked_by
    def uploaded(request: Any, files: str | Sequence[str]) -> None:
        paths = [files] if isinstance(files, str) else files
        with lock:
            uploads[page_of(request)].update(paths)

    @asked_by
    def closed(request: Any) -> None:
        name = page_of(request)
        DESK.leave(name)
        with lock:
            only_here = uploads.pop(name, set())
            only_here.difference_update(*uploads.values(), *(block.keep_in_cache for block in page.blocks.values()))
            for file in only_here:
                Path(file).unlink(missing_ok=True)
        home = download_folder(name)
        shutil.rmtree(home, ignore_errors=True)
        for block in page.blocks.values():  # Gradio need not look for them any more
            deleted = [file for file in block.temp_files if home in Path(file).parents]
            block.temp_files.difference_update(deleted)

    for block in list(page.blocks.values()):
        if isinstance(block, gr.File | gr.UploadButton):
            block.upload(uploaded, block, None, **UNQUEUED)
    page.unload(closed)


# --- the ways in ------------------------------------------------------------------------------------------


def _paths(files: Sequence[str] | None) -> list[Path]:
    """Return the paths of uploads."""
    return [Path(file) for file in files or ()]


class _Given:
    """Tells a text from an upload, and from an example, whose text stands for its file."""

    def __init__(self, folder: Path) -> None:
        self._files = {file.read_text("utf-8"): file for file in sorted(folder.rglob("*.conll"), reverse=True)}

    def __call__(self, text: str, file: str | None) -> jobs.Given:
        """Return the text, or the file where there is no text: an upload empties the box."""
        if file and not text.strip():
            return Path(file)
        return self._files.get(text, text)


# --- the tabs ---------------------------------------------------------------------------------------------


_UPLOAD = "Upload a file instead"
_ROLES = ("Gold", "Predictions", "Training data (optional)")


def _text_or_file(label: str, text: str, formats: str = _FORMATS, lines: int = 4) -> list[Any]:
    """Return a box to paste into, and a button to upload a file instead; what was given last counts."""
    import gradio as gr

    box = gr.Textbox(text, label=label, lines=lines, max_lines=lines, placeholder=formats, elem_classes="mono")
    file = gr.UploadButton(_UPLOAD, size="sm", elem_classes="quiet")

    def uploaded(path: str) -> list[Any]:
        name = Path(path).name
        return [gr.Textbox("", placeholder=f"{name} is used. Paste here to use a text."), gr.UploadButton(name)]

    def changed(has_text: str) -> list[Any]:
        if not has_text:
            return [gr.skip()] * 2
        return [gr.Textbox(placeholder=formats), gr.UploadButton(_UPLOAD, value=None)]

    file.upload(uploaded, file, [box, file], **UNQUEUED)
    # Gradio does not call it input where something is pasted; the text itself need not be sent
    box.change(changed, box, [box, file], js="(text) => (text.trim() ? 'yes' : '')", **UNQUEUED)
    return [box, file]


def _score_tab(page: gradio.Blocks, folder: Path, given: _Given, shelf: Shelf) -> None:
    """Make the Score tab."""
    import gradio as gr

    first = next(iter(EXAMPLES))

    def inputs() -> list[Any]:
        example = gr.Dropdown(list(EXAMPLES), label="Fill in an example", value=first, elem_classes="example")
        texts = EXAMPLES[first].texts(folder)
        formats = (_FORMATS, _PREDICTED_FORMATS, _FORMATS)
        boxes = (_text_or_file(*given) for given in zip(_ROLES, texts, formats, strict=True))
        pairs = list(chain.from_iterable(boxes))
        types = _types_box()
        beta = gr.Number(SCORE_OPTIONS[1], label=f"{BETA}: 1 for F1, 2 for F2", minimum=0.01, step=0.5)
        return [example, *pairs, types, beta]

    with gr.Tab("Score", id="score"):
        panels = ["Headline", "Novelty", "Buckets", "Errors"]
        tab = Tab("score", inputs, "Score", ["report.html", "scores.json"], panels)
        number = gr.Number(0, visible=False)  # of the newest request for an example
    example, *boxes, types, beta = tab.inputs

    def arguments(_: str, *texts: Any) -> list[Any]:
        return [*(given(*texts[i : i + 2]) for i in (0, 2, 4)), *texts[6:]]

    names = {tuple(made.files(folder)): name for name, made in EXAMPLES.items()}

    def named(made: jobs.Made | None, given: Sequence[Any]) -> list[Any]:
        """Show which example a result is of, or that it is of no example."""
        if made is None or not given:
            return [gr.skip()]
        return [names.get(tuple(given[:3]))]

    tab.more = [example]
    tab.fill(jobs.score, arguments, named, watched=[*boxes, types, beta])
    tab.open_with(page.load, shelf, first)

    @asked_by
    def chosen(request: Any, name: str) -> list[Any]:
        texts = ([text, gr.UploadButton(_UPLOAD, value=None)] for text in EXAMPLES[name].texts(folder))
        request_number = DESK.ask(page_of(request), tab.key)
        idle = gr.Button(interactive=False)
        return [request_number, *chain.from_iterable(texts), idle, "", *tab.empty(EXAMPLE_COMES)]

    @asked_by
    async def show_example(request: Any, request_number: int, name: str) -> list[Any]:
        return await tab.example(page_of(request), request_number, shelf, name)

    changed = [number, *boxes, tab.cancel, tab.notice, *tab.outputs, *tab.more]
    filled = example.select(chosen, example, changed, trigger_mode="multiple", **UNQUEUED)
    filled.then(show_example, [number, example], [*tab.outputs, *tab.more], trigger_mode="multiple", **UNQUEUED)
    tab.mark_new(example.select)


def _types_box() -> Any:
    """Return a box for other names of types."""
    import gradio as gr

    return gr.Textbox("", label=f"{TYPES} (optional)", placeholder="person=PER, location=LOC")


_SAME = {
    "exactly the same words": "exact",
    "whatever their case and punctuation": "fold",
    "one is part of the other: Clinton, Bill Clinton": "part",
    "part of the other, whatever case and punctuation": "fold+part",
}
"""Which names count as the same: the choices in words, and their values."""


def _same_box() -> Any:
    """Return a box for which names count as the same."""
    import gradio as gr

    return gr.Dropdown(list(_SAME.items()), value=Notion.EXACT.value, label=SAME)


def _files_box(label: str, example: Sequence[str]) -> Any:
    """Return a box of files that opens with an example; the first files of a visitor take its place."""
    import gradio as gr

    box = gr.File(list(example), label=label, file_count="multiple")
    known = {(Path(file).name, Path(file).read_bytes()) for file in example}

    def uploaded(files: list[str]) -> Any:
        added = _without_examples([Path(file) for file in files], known)
        if not added or len(added) == len(files):
            return gr.skip()
        return list(map(str, added))

    box.upload(uploaded, box, box, **UNQUEUED)
    return box


def _without_examples(files: Sequence[Path], examples: Collection[tuple[str, bytes]]) -> list[Path]:
    """Return the files that a visitor has added to those of an example, which come first.

    If a file of the example is added again, to be compared with another, it counts as the visitor's.
    """
    left = set(examples)
    for place, file in enumerate(files):
        given = file.name, file.read_bytes()
        if given not in left:
            return list(files[place:])
        left.remove(given)
    return []


def _splits_input(folder: Path) -> list[Any]:
    """Return a box for the files of splits, and one for the name of a dataset."""
    import gradio as gr

    files = [str(folder / "random" / f"{name}.conll") for name in SPLITS]
    return [
        _files_box("Splits: train, dev and test files", files),
        gr.Textbox("", label="Or a dataset on the Hub", placeholder="org/name, org/name:config, org/name@revision"),
    ]


def _audit_tab(folder: Path, shelf: Shelf) -> None:
    """Make the Audit tab."""
    import gradio as gr

    def inputs() -> list[Any]:
        return [
            *_splits_input(folder),
            gr.Radio(list(Unit), value=Unit.SAMPLE.value, label="What is counted as contaminated"),
            _types_box(),
            _same_box(),
        ]

    with gr.Tab("Audit", id="audit") as opened:
        tab = Tab("audit", inputs, "Audit", ["audit.html", "audit.json"], ["Contamination", "What leaks", "Types"])
    tab.fill(jobs.audit_splits, lambda files, *rest: [_paths(files), *rest])
    tab.open_with(opened.select, shelf, "audit")


_DISCARD = {
    "nothing: keep every sample": "0", "at most 1%": "0.01", "at most 2%": "0.02", "at most 5%": "0.05",
    "what it takes to share nothing": "auto",
}  # fmt: skip
"""What a split may discard: the choices in words, and their values."""


def _split_tab(folder: Path, shelf: Shelf) -> None:
    """Make the Split tab."""
    import gradio as gr

    def inputs() -> list[Any]:
        discard, ratios, unit, seed, least, _ = SPLIT_OPTIONS
        components = _splits_input(folder)
        components.append(gr.Dropdown(list(_DISCARD.items()), value=discard, label=DISCARD))
        components.append(gr.Textbox(ratios, label=RATIOS))
        components.append(gr.Radio(list(Unit), value=unit, label=UNIT))
        with gr.Row():
            components.append(gr.Number(seed, label=SEED, precision=0, minimum=0, min_width=120))
            components.append(gr.Number(least, label=LEAST, precision=0, minimum=0, min_width=120))
        components.append(_same_box())
        return components

    def command_panel() -> list[Any]:
        return [gr.HTML(elem_classes="report", apply_default_css=False, min_height=200)]

    with gr.Tab("Split", id="split") as opened:
        tab = Tab(
            "split",
            inputs,
            "Split",
            ["plan.json", "split.zip"],
            ["Leakage", "Sizes"],
            {"Trade-off": _trade_off, "Command": command_panel},
        )
    example = [[folder / "random" / f"{name}.conll" for name in SPLITS], "", *SPLIT_OPTIONS]

    def further_outputs(made: jobs.Made | None, given: Sequence[Any]) -> list[Any]:
        if made is None or made.point is None:
            return [gr.Button(interactive=False), "", None, ""]
        ready = _Computed(tuple(given or example), (made.point,))
        commands = commands_panel(made.values["command"], made.values["python"])
        return [gr.Button(interactive=True), "", ready, commands]

    tab.fill(jobs.split, lambda files, *rest: [_paths(files), *rest], further_outputs)
    tab.open_with(opened.select, shelf, "split")
    _fill_trade_off(tab)


# --- the trade-off of a split -------------------------------------------------------------------------------


class _Computed(NamedTuple):
    """Splits of the same data that were computed; the first is the one that the tab shows."""

    given: tuple[Any, ...]
    """The arguments of the split that the tab shows."""
    points: tuple[Point, ...]
    """The splits."""
    failed: tuple[str, ...] = ()
    """For each split that failed, what it was allowed to discard, and why it failed."""

    def drawn(self) -> str:
        """Return the curve and its table."""
        note = " ".join(self.failed)
        if note:
            note += " On your machine: cleancut split FILE ... --frontier"
        points = sorted(self.points, key=lambda point: largest_discard(point.discard))
        return trade_off_panel(points, self.points[0].discard, note)


def _trade_off() -> list[Any]:
    """Return the button that computes the trade-off, the curve, and what is computed so far."""
    import gradio as gr

    gr.Markdown("What less sharing costs: the same data split with each choice of what may be discarded.")
    button = gr.Button("Compute the trade-off", interactive=False)
    panel = gr.HTML(elem_classes="report", apply_default_css=False, min_height=200)
    return [button, panel, gr.State(None)]


def _fill_trade_off(tab: Tab) -> None:
    """Let the button compute the trade-off: the splits for each choice of discard that was not asked for.

    They are computed one after the other, each in a step of its own, and the curve is drawn again after each.
    """
    import gradio as gr

    button, panel, computed, *_ = tab.more

    @asked_by
    def asked(request: Any) -> list[Any]:
        number = DESK.ask(page_of(request), tab.key)
        return [number, WAITING, gr.Button(interactive=True), gr.Button(interactive=False)]

    step = button.click(asked, None, [tab.number, tab.notice, tab.cancel, button], **UNQUEUED)
    outputs = [tab.notice, tab.cancel, panel, computed]
    for place in range(len(_DISCARD) - 1):
        step = step.then(
            _next_point(tab, place), [tab.number, computed], outputs, trigger_mode="multiple", **SHARED, **QUIET
        )
        tab.tell_failure(step)
    tab.cancel.click(lambda splits: gr.Button(interactive=splits is not None), computed, button, **UNQUEUED)


def _next_point(tab: Tab, place: int) -> Callable[..., Any]:
    """Return the callback that computes one of the splits that were not asked for at first."""
    import gradio as gr

    @asked_by
    def computed(request: Any, number: int, splits: _Computed | None) -> Iterator[list[Any]]:
        page = page_of(request)
        n = len(_DISCARD) - 1
        nothing = [gr.skip()] * 4
        if splits is None or not DESK.is_newest(page, tab.key, number):
            yield nothing
            return
        discard = [choice for choice in _DISCARD.values() if choice != splits.points[0].discard][place]
        if discard not in (point.discard for point in splits.points):
            files, hub, _, *rest = splits.given
            arguments = [files, hub, discard, *rest]
            notice = lambda done, left: progress(done, left, f"Trade-off, split {place + 1} of {n}")
            try:
                with tempfile.TemporaryDirectory() as folder:
                    for step in tab.steps(page, number, jobs.trade_off, arguments, folder, notice):
                        if isinstance(step, Point):
                            splits = splits._replace(points=(*splits.points, step))
                        else:
                            yield [step, *nothing[1:]]
            except sandbox.Stopped:
                yield [tab.last_notice(page), *nothing[1:]]
                return
            except CleancutError as error:
                failure = f"{allowed(discard)}: {in_the_app(str(error))}"
                splits = splits._replace(failed=(*splits.failed, failure))
        if not DESK.is_newest(page, tab.key, number):
            yield nothing
            return
        is_last = place == n - 1
        last_notice = "" if is_last else gr.skip()
        cancel = gr.Button(interactive=False) if is_last else gr.skip()
        yield [last_notice, cancel, splits.drawn(), splits]

    return computed


# --- compare and learn --------------------------------------------------------------------------------------


_STUDY = """
Systems on several datasets: `cleancut report STUDY -o study.html` on the command line makes one page of all of them.
"""


def _compare_tab(folder: Path, given: _Given, shelf: Shelf) -> None:
    """Make the Compare tab."""
    import gradio as gr

    def inputs() -> list[Any]:
        gold, _, train = next(iter(EXAMPLES.values())).texts(folder)
        files = [str(folder / "random" / f"{name}.conll") for name in SYSTEMS]
        made = [
            _files_box("Predictions of two or more systems", files),
            *_text_or_file(_ROLES[0], gold),
            *_text_or_file(_ROLES[2], train),
            _types_box(),
        ]
        gr.Markdown(_STUDY)
        return made

    with gr.Tab("Compare", id="compare") as opened:
        tab = Tab("compare", inputs, "Compare", ["comparison.html", "comparison.json"], ["Comparison"])

    def arguments(preds: Sequence[str] | None, *texts: Any) -> list[Any]:
        return [given(*texts[:2]), _paths(preds), given(*texts[2:4]), texts[4]]

    tab.fill(jobs.compare_systems, arguments)
    tab.open_with(opened.select, shelf, "compare")


def _learn_tab() -> None:
    """Make the Learn tab."""
    import gradio as gr

    def numbers_of(*texts: str) -> str:
        try:
            return lesson_html(*texts)
        except CleancutError as error:  # someone is still typing: the place of the numbers is enough
            return f'<p class="lead" role="status">{escape(str(error))}</p>'

    with gr.Tab("Learn", id="learn"), gr.Row():
        with gr.Column(scale=2, min_width=320):
            gr.Markdown(_EXPLANATION)
            boxes = [gr.Textbox(text, label=label, lines=2) for label, text in _LESSON.items()]
            with gr.Row(elem_classes="tries"):
                buttons = {name: gr.Button(name, size="sm", min_width=120, elem_classes="quiet") for name in _CHANGED}
        with gr.Column(scale=3, min_width=320):
            numbers = gr.HTML(numbers_of(*_LESSON.values()), elem_classes="report", apply_default_css=False)
    changes = [box.change for box in boxes]  # as one event, so that a late answer to one box is no answer to another
    gr.on(changes, numbers_of, boxes, numbers, trigger_mode="always_last", **UNQUEUED)
    for name, button in buttons.items():
        texts = [_CHANGED[name].get(label, text) for label, text in _LESSON.items()]
        button.click(lambda texts=texts: texts, None, boxes, **UNQUEUED)
