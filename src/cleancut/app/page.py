"""The Gradio app: score, audit, split, compare and learn, in a browser. It shows; the jobs compute.

Each call works in a process and a folder of its own, which are gone when it is done; uploads, and files to take home,
are gone when the page is closed.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.exceptions import CleancutError
from ..showing.html import stylesheet
from ..splitting.audit import Unit
from ..version import __version__
from . import jobs, sandbox
from .lesson import lesson, lesson_html

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read at import

if TYPE_CHECKING:
    import gradio

SECONDS = 120
"""After which a computation is stopped."""
_KEPT = 1800
"""Seconds after which uploads and downloads are deleted, also of a page that stays open."""
_AT_ONCE = 2
"""Computations that run at the same time; others wait."""

_INTRO = """
<header class="intro"><h1>cleancut</h1>
<p>What is an NER score worth once memory is taken out of it? Every tab opens with an example; put your own data in its
place. Uploads are read as data, seen by nobody else, and deleted.</p></header>
"""
_FORMATS = "CoNLL columns (token, tag) or JSONL; as a file also parquet, CSV and .gz"
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
_TOLD = """
A recogniser is tested on names, many of which it was trained on. Below, names are in brackets with their type. Training
has shown **Alice**: her mention in the test sentence is *contaminated*. **Bob** is new, a *clean* mention. **Charlie**
is a mistake. Change anything and see every number change: if Bob is missed, recall falls by half, but clean recall to
nothing.
"""


class _Example(NamedTuple):
    """Files of one test set, in the folder of examples."""

    split: str
    system: str

    def texts(self, folder: Path) -> list[str]:
        """Gold annotation, predictions, training data."""
        return [(folder / self.split / f"{name}.conll").read_text("utf-8") for name in ("test", self.system, "train")]


EXAMPLES = {
    "A perceptron, random split": _Example("random", "perceptron"),
    "The same, clean split": _Example("clean", "perceptron"),
    "A look-up of training names, random split": _Example("random", "lookup"),
}


def launch(examples: str | os.PathLike[str], host: str | None = None, port: int | None = None, **options: Any) -> None:
    """Serve the app until it is interrupted; ``examples`` is the folder of the examples."""
    import gradio as gr

    sandbox.prepare(["cleancut.app.jobs", "cleancut.splitting.solver", "scipy.sparse.csgraph", "pyarrow"])
    system = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "sans-serif"]
    mono = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace"]
    theme = gr.themes.Default(primary_hue="blue", neutral_hue="slate", font=system, font_mono=mono)
    own_style = Path(__file__).parents[1] / "showing" / "assets" / "app.css"
    style = stylesheet(".report.report") + own_style.read_text("utf-8")
    blocks(Path(examples)).queue(max_size=40, default_concurrency_limit=_AT_ONCE).launch(
        server_name=host, server_port=port, theme=theme, head=f"<style>{style}</style>", js=_FOLLOW,
        footer_links=["api"], max_file_size=jobs.MOST_BYTES, show_error=False, ssr_mode=False, quiet=True,
        **options,
    )  # fmt: skip


_FOLLOW = """() => {
  // the colours of the figures follow the light or dark of the page
  const follow = () => {
    document.documentElement.dataset.theme = document.body.classList.contains("dark") ? "dark" : "light";
  };
  new MutationObserver(follow).observe(document.body, { attributeFilter: ["class"] });
  follow();
}"""


def blocks(examples: Path) -> gradio.Blocks:
    """All of the app."""
    import gradio as gr

    with gr.Blocks(title="cleancut", analytics_enabled=False, delete_cache=(_KEPT // 6, _KEPT)) as page:
        gr.HTML(_INTRO, apply_default_css=False)
        with gr.Tabs():
            _score_tab(page, examples)
            _audit_tab(examples)
            _split_tab(examples)
            _compare_tab(examples)
            _learn_tab()
        gr.HTML(f'<p class="version">cleancut {__version__}</p>', apply_default_css=False)
        for endpoint in (api_score, api_audit, api_split, api_compare, api_learn):
            gr.api(endpoint, api_name=endpoint.__name__.removeprefix("api_"))
        _delete_when_closed(page)
    return page


# --- files of a page ----------------------------------------------------------------------------------------


def _asked(callback: Callable[..., Any]) -> Callable[..., Any]:
    """A callback whose first parameter is the request: Gradio goes by annotations that it can evaluate."""
    import gradio as gr

    callback.__annotations__["request"] = gr.Request
    return callback


def _taken_home(request: gradio.Request) -> Path:
    """The folder, among Gradio's, of what was made for one page."""
    from gradio.utils import get_upload_folder

    page = hashlib.sha256(str(request.session_hash).encode()).hexdigest()  # the browser chose it: no path of its own
    return Path(get_upload_folder(), f"page-{page}")


def _delete_when_closed(page: gradio.Blocks) -> None:
    """Delete what was uploaded to a page, and made for it, when it is closed.

    Gradio stores files by their content, so that one may have been uploaded to several pages, or be an example: it goes
    with the last of them, an example never.
    """
    import gradio as gr

    uploads, lock = defaultdict[str | None, set[str]](set), threading.Lock()

    @_asked
    def uploaded(request: Any, files: str | Sequence[str]) -> None:
        with lock:
            uploads[request.session_hash].update([files] if isinstance(files, str) else files)

    @_asked
    def closed(request: Any) -> None:
        with lock:
            own = uploads.pop(request.session_hash, set())
            own.difference_update(*uploads.values(), *(block.keep_in_cache for block in page.blocks.values()))
            for file in own:
                Path(file).unlink(missing_ok=True)
        shutil.rmtree(_taken_home(request), ignore_errors=True)

    for block in list(page.blocks.values()):
        if isinstance(block, gr.File | gr.UploadButton):
            block.upload(uploaded, block, None, api_visibility="private", queue=False, show_progress="hidden")
    page.unload(closed)


# --- the ways in ------------------------------------------------------------------------------------------


@contextmanager
def _readable() -> Iterator[None]:
    """Errors of the user's in words; no others come here, since work is done elsewhere."""
    import gradio as gr

    try:
        yield
    except CleancutError as error:
        raise gr.Error(escape(str(error), quote=False), duration=None, print_exception=False) from None


def _made(work: Callable[..., jobs.Made], given: Sequence[Any], folder: str, progress: Any = None) -> Any:
    told = 0.0

    def tell(share: float) -> None:
        nonlocal told
        told = min(told + share, 1.0)
        progress(told, desc="computing")

    with _readable():
        return sandbox.run_bounded(work, *given, folder=folder, seconds=SECONDS, progress=progress and tell)


def _values(work: Callable[..., jobs.Made], *given: Any) -> dict[str, Any]:
    """What a client gets."""
    with tempfile.TemporaryDirectory() as folder:
        return _made(work, given, folder).values


def _paths(files: Sequence[str] | None) -> list[Path]:
    return [Path(file) for file in files or ()]


def _one(text: str, file: str | None) -> jobs.Given:
    return Path(file) if file else text


class _Tab:
    """Inputs on the left with a button below them, results on the right: panels, and two files to take home."""

    def __init__(
        self, inputs: Callable[[], list[Any]], button: str, files: Sequence[str], panels: Sequence[str]
    ) -> None:
        import gradio as gr

        with gr.Row():
            with gr.Column(scale=2, min_width=320):
                self.inputs = inputs()
                self.button = gr.Button(button, variant="primary")
                with gr.Row():
                    self._saved = [
                        gr.DownloadButton(f"Save {name}", size="sm", interactive=False, elem_classes="quiet")
                        for name in files
                    ]
            with gr.Column(scale=3, min_width=320), gr.Tabs():
                shown = [self._panel(name) for name in panels]
        self._opened = gr.State(False)  # in here: what is no tab among tabs puts their order out
        self.outputs = [*shown, *self._saved]

    @staticmethod
    def _panel(name: str) -> Any:
        import gradio as gr

        with gr.Tab(name):
            return gr.HTML(elem_classes="report", apply_default_css=False, min_height=200)

    def answer(
        self, work: Callable[..., jobs.Made], given: Callable[..., Sequence[Any]], values: Sequence[str] = ()
    ) -> Callable[..., Any]:
        """A callback that shows what ``work`` makes of the inputs, then further ``values`` of it."""
        import gradio as gr

        @_asked
        def answered(request: Any, *inputs: Any, progress: Any = gr.Progress()) -> list[Any]:  # noqa: B008
            with tempfile.TemporaryDirectory() as folder:
                made = _made(work, given(*inputs), folder, progress)
                paths = self._kept([os.path.join(folder, file) for file in made.files], request)
            saved = [gr.DownloadButton(value=path, interactive=True) for path in paths]
            return [*made.panels, *saved, *(made.values[name] for name in values)]

        return answered

    def _kept(self, files: Sequence[str], request: gradio.Request) -> list[str]:
        """Files to take home, where they stay until the page is closed, or Gradio deletes them."""
        home = _taken_home(request) / secrets.token_hex(8)
        home.mkdir(parents=True)
        paths = [str(shutil.move(file, home)) for file in files]
        for button, path in zip(self._saved, paths, strict=True):
            button.temp_files.add(path)
        return paths

    def fill(self, opening: Any, answer: Callable[..., Any]) -> None:
        """Show results where the button is pressed, and of the example when the tab is opened first."""
        import gradio as gr

        options: dict[str, Any] = {"api_visibility": "private", "show_progress_on": self.outputs[0]}
        self.button.click(answer, self.inputs, self.outputs, **options)

        @_asked
        def first(request: Any, seen: bool, *inputs: Any, progress: Any = gr.Progress()) -> list[Any]:  # noqa: B008
            if seen:
                return [gr.skip()] * (1 + len(self.outputs))
            return [True, *answer(request, *inputs, progress=progress)]

        opening(first, [self._opened, *self.inputs], [self._opened, *self.outputs], **options)


# --- the tabs ---------------------------------------------------------------------------------------------


_UPLOAD = "Upload a file instead"


def _text_or_file(label: str, text: str, lines: int = 5) -> list[Any]:
    """A box to paste into, and a file in its place; what was given last counts."""
    import gradio as gr

    box = gr.Textbox(text, label=label, lines=lines, max_lines=lines, placeholder=_FORMATS, elem_classes="mono")
    file = gr.UploadButton(_UPLOAD, size="sm", elem_classes="quiet")

    def uploaded(path: str) -> list[Any]:
        name = Path(path).name
        return [gr.Textbox("", placeholder=f"{name} is used. Paste here to use a text."), gr.UploadButton(name)]

    def pasted() -> list[Any]:
        return [gr.Textbox(placeholder=_FORMATS), gr.UploadButton(_UPLOAD, value=None)]

    file.upload(uploaded, file, [box, file], api_visibility="private", show_progress="hidden")
    box.input(pasted, None, [box, file], api_visibility="private", show_progress="hidden")
    return [box, file]


def _score_tab(page: gradio.Blocks, folder: Path) -> None:
    import gradio as gr

    def inputs() -> list[Any]:
        example = gr.Dropdown(list(EXAMPLES), label="Example", value=next(iter(EXAMPLES)))
        texts = next(iter(EXAMPLES.values())).texts(folder)
        given = (_text_or_file(label, text) for label, text in zip(_ROLES, texts, strict=True))
        return [example, *chain.from_iterable(given)]

    with gr.Tab("Score", id="score"):
        panels = ["Headline", "Novelty", "Buckets", "Errors"]
        tab = _Tab(inputs, "Score", ["report.html", "scores.json"], panels)
    answer = tab.answer(jobs.score, lambda _, *given: [_one(*given[i : i + 2]) for i in (0, 2, 4)])
    tab.fill(page.load, answer)
    example, *given = tab.inputs

    def chosen(name: str) -> list[Any]:
        boxes = ([text, gr.UploadButton(_UPLOAD, value=None)] for text in EXAMPLES[name].texts(folder))
        return list(chain.from_iterable(boxes))

    example.input(chosen, example, given, api_visibility="private").then(
        answer, tab.inputs, tab.outputs, api_visibility="private", show_progress_on=tab.outputs[0]
    )


_ROLES = ("Gold", "Predictions", "Training data (optional)")


def _splits_input(folder: Path) -> list[Any]:
    """Files of splits, or the name of a dataset."""
    import gradio as gr

    files = [str(folder / "random" / f"{name}.conll") for name in ("train", "test")]
    return [
        gr.File(files, label="Splits: train, dev and test files", file_count="multiple", height=140),
        gr.Textbox("", label="Or a dataset on the Hub", placeholder="org/name, org/name:config, org/name@revision"),
    ]


def _audit_tab(folder: Path) -> None:
    import gradio as gr

    def inputs() -> list[Any]:
        return [*_splits_input(folder), gr.Radio(list(Unit), value=Unit.SAMPLE.value, label="What is contaminated")]

    with gr.Tab("Audit", id="audit") as opened:
        tab = _Tab(inputs, "Audit", ["audit.html", "audit.json"], ["Contamination", "What leaks", "Types"])
    tab.fill(opened.select, tab.answer(jobs.audit_splits, lambda files, *rest: [_paths(files), *rest]))


_DISCARD = {
    "nothing: keep every sample": "0", "at most 1%": "0.01", "at most 2%": "0.02", "at most 5%": "0.05",
    "what it takes to share nothing": "auto",
}  # fmt: skip


def _split_tab(folder: Path) -> None:
    import gradio as gr

    def inputs() -> list[Any]:
        found = _splits_input(folder)
        found.append(gr.Dropdown(list(_DISCARD.items()), value="auto", label="What may be set aside"))
        found.append(gr.Textbox("80/10/10", label="Ratios"))
        found.append(gr.Radio(list(Unit), value=Unit.SAMPLE.value, label="What stays whole"))
        with gr.Row():
            found.append(gr.Number(13, label="Seed", precision=0, minimum=0, min_width=120))
            found.append(gr.Number(20, label="Least mentions of a type", precision=0, minimum=0, min_width=120))
        return found

    with gr.Tab("Split", id="split") as opened:
        tab = _Tab(inputs, "Split", ["plan.json", "split.zip"], ["Leakage", "Sizes and types"])
        gr.Markdown("### The same on your machine")
        tab.outputs += [
            gr.Textbox(label=label, interactive=False, buttons=["copy"], lines=1, max_lines=8, elem_classes="mono")
            for label in ("Command line", "Python")
        ]
    answer = tab.answer(jobs.split, lambda files, *rest: [_paths(files), *rest], ["command", "python"])
    tab.fill(opened.select, answer)


def _compare_tab(folder: Path) -> None:
    import gradio as gr

    def inputs() -> list[Any]:
        gold, _, train = next(iter(EXAMPLES.values())).texts(folder)
        files = [str(folder / "random" / f"{name}.conll") for name in ("perceptron", "small", "lookup")]
        return [
            gr.File(files, label="Predictions of two or more systems", file_count="multiple", height=210),
            *_text_or_file(_ROLES[0], gold),
            *_text_or_file(_ROLES[2], train),
        ]

    with gr.Tab("Compare", id="compare") as opened:
        tab = _Tab(inputs, "Compare", ["comparison.html", "comparison.json"], ["Comparison"])
    answer = tab.answer(jobs.compare_systems, lambda preds, *both: [_one(*both[:2]), _paths(preds), _one(*both[2:])])
    tab.fill(opened.select, answer)


def _learn_tab() -> None:
    import gradio as gr

    def shown(*texts: str) -> str:
        try:
            return lesson_html(*texts)
        except CleancutError as error:  # half a word is no occasion for a notice
            return f'<p class="lead" role="status">{escape(str(error))}</p>'

    with gr.Tab("Learn", id="learn"), gr.Row():
        with gr.Column(scale=2, min_width=320):
            gr.Markdown(_TOLD)
            boxes = [gr.Textbox(text, label=label, lines=2) for label, text in _LESSON.items()]
            with gr.Row():
                buttons = {name: gr.Button(name, size="sm", min_width=120, elem_classes="quiet") for name in _CHANGED}
        with gr.Column(scale=3, min_width=320):
            numbers = gr.HTML(shown(*_LESSON.values()), elem_classes="report", apply_default_css=False)
    for box in boxes:
        box.change(shown, boxes, numbers, api_visibility="private", show_progress="hidden", trigger_mode="always_last")
    for name, button in buttons.items():
        texts = [_CHANGED[name].get(label, text) for label, text in _LESSON.items()]
        button.click(lambda texts=texts: texts, None, boxes, api_visibility="private", show_progress="hidden")


# --- for clients --------------------------------------------------------------------------------------------


def api_score(gold: str, predictions: str, train: str = "") -> dict:
    """Scores of one system, from texts in CoNLL columns or JSONL; with the training data clean_f1 and hardeval too."""
    return _values(jobs.score, gold, predictions, train)


def api_audit(splits: dict, hub: str = "", unit: str = "sample") -> dict:
    """What splits share: texts by the name of their split, or a dataset on the Hub."""
    return _values(jobs.audit_splits, splits, hub, unit)


def api_split(
    splits: dict, hub: str = "", discard: str = "auto", ratios: str = "80/10/10", unit: str = "sample", seed: int = 13,
    min_per_type: int = 20,
) -> dict:  # fmt: skip
    """A clean split of texts by the name of their split, or of a dataset on the Hub: sizes, leakage, the assignment."""
    return _values(jobs.split, splits, hub, discard, ratios, unit, seed, min_per_type)


def api_compare(gold: str, systems: dict, train: str = "") -> dict:
    """Predictions of two or more systems, by name: scores, paired tests, ranks."""
    return _values(jobs.compare_systems, gold, systems, train)


def api_learn(training: str, gold: str, prediction: str) -> dict:
    """The numbers of the worked example, from sentences with names in brackets: [Alice PER] met Bob."""
    with _readable():
        return {number.name: number.value for number in lesson(training, gold, prediction)}
