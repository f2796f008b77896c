"""The jobs of the app: from texts, uploads or the name of a dataset to HTML, values, and files to download.

Each job works in the current folder, where uploads have the names that they were uploaded with, so that messages name
no other path. The app gives each job a folder and a process of its own.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import os
import re
import shlex
import shutil
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

from ..core import checks
from ..core.corpus import Corpus
from ..core.exceptions import CleancutError, quoted
from ..core.files import write_text
from ..core.notices import say
from ..core.same import Notion
from ..core.type_names import parse_type_map
from ..reading.answer_files import read_answers
from ..reading.answer_rows import is_answer_file
from ..reading.dataset import Samples, load_splits, read_files, read_samples
from ..reading.files import read_pair
from ..reading.formats import Format, format_of
from ..reading.hub_ids import HubId, is_local, network_errors
from ..reading.opening import Source
from ..reading.parquet import unpacked_bytes
from ..reading.splits import by_split
from ..scoring.compare import compare
from ..scoring.exposure import Exposure
from ..showing.escaping import visible
from ..showing.html import (
    comparison_notes,
    fragment,
    html_audit,
    html_comparison,
    html_notes,
    html_split,
    plan_notes,
    report_notes,
    report_page,
)
from ..showing.provenance import Provenance, SourceFile, today
from ..showing.report_data import Findings, findings, sample_names
from ..showing.sections import (
    answer_section,
    audit_sections,
    comparison_sections,
    report_sections,
    split_sections,
)
from ..showing.text import to_json
from ..splitting.audit import Unit, audit
from ..splitting.mincut import mincut
from ..splitting.plan import SplitPlan
from ..splitting.settings import SplitSettings
from .advice import TYPES, in_the_app
from .panels import Point, errors_panel, leaks_panel

MOST_BYTES = 20_000_000
"""The greatest number of bytes of a file, unpacked, or of a pasted text."""
MOST_HUB_BYTES = 200_000_000
"""The greatest number of bytes of a repository on the Hub."""
MOST_FILES = 12
"""The greatest number of files of one request."""
MOST_NAME = 100
"""The greatest number of characters of the name of a file."""
_MOST_HUB_NAME = 300
"""The greatest number of characters of the name of a dataset, with its configuration and revision."""
_RESAMPLES = 10_000
"""The number of resamples for intervals and tests: the same in all tabs, so that one F1 has one interval."""
_RESULTS = {
    "report.html", "scores.json", "audit.html", "audit.json", "plan.json", "split", "split.zip", "comparison.html",
    "comparison.json",
}  # fmt: skip
"""The names in the current folder that results are written to."""

Given = str | Path | None
"""A pasted text, or the path of an upload."""
Several = Sequence[Path] | Mapping[str, str]
"""Uploads, or texts by their names."""
Tell = Callable[[float], None]
"""A function that is called with the share of the work that was done since its last call."""
Notices = Collection[str]
"""The notices that were logged so far."""


class Made(NamedTuple):
    """A result: what a tab shows, and the files to download."""

    about: str
    """The names of the files, systems or dataset that the result was made from."""
    panels: tuple[str, ...]
    """The parts of the result as HTML, one after the other or behind tabs."""
    values: dict[str, Any]
    """The numbers, for programs."""
    files: tuple[str, ...]
    """The names of the files to download, in the current folder."""
    point: Point | None = None
    """The point of a split in the trade-off; None for other results."""
    notices: tuple[str, ...] = ()
    """What a reader must know of the data and the numbers so as not to be misled."""


class _Listener(logging.Handler):
    """A handler that keeps the notices that are logged while a job runs, each once."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.notices: dict[str, None] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the text of a notice, once."""
        self.notices[record.getMessage()] = None


def _with_notices(job: Callable[..., Made]) -> Callable[..., Made]:
    """Return a job whose result holds the notices logged while it runs: visitors do not see the log of a server.

    The notices that were logged so far are passed to the job as ``notices``.
    """

    @wraps(job)
    def noticed(*given: Any) -> Made:
        log = logging.getLogger("cleancut")
        listener = _Listener()
        log.addHandler(listener)
        try:
            made = job(*given, notices=listener.notices)
        finally:
            log.removeHandler(listener)
        return made._replace(notices=tuple(map(in_the_app, listener.notices)))

    return noticed


def _how(notes: Iterable[str], notices: Iterable[str]) -> str:
    """Return the section on how a result was computed, without the notices, which stand above the result."""
    above = set(notices)
    return html_notes([in_the_app(note) for note in notes if note not in above])


# --- input ----------------------------------------------------------------------------------------------------


def _source(given: Given, role: str) -> Source:
    """Return the source to read: a text in memory, or an upload by its name in the current folder."""
    if isinstance(given, Path):
        source = Source.of(_linked(given, role))
    elif given is None or not given.strip():
        raise CleancutError(f"no {role}: paste lines of a token and its tag, or JSONL, or choose a file.")
    else:
        source = Source.of_text(given, f"pasted {role}")
    _refuse_large(source)
    return source


def _is_given(given: Given) -> bool:
    """Return whether a file was chosen, or a text pasted that is not blank."""
    return isinstance(given, Path) or bool(given and given.strip())


def _linked(upload: Path, role: str) -> str:
    """Return the name of an upload in the current folder; if another has its name, it is in a folder of its role."""
    name = upload.name
    _refuse_name(name)
    if not upload.exists():
        reason = "uploads are deleted after a while, and when the connection is lost"
        raise CleancutError(f"{name} is no longer here: {reason}. Upload it again.")
    if os.path.lexists(name):
        folder = role
        while os.path.isfile(folder) or os.path.lexists(f"{folder}/{name}"):  # another upload has this name, too
            folder += "_"
        os.makedirs(folder, exist_ok=True)
        name = f"{folder}/{name}"
    try:
        os.symlink(upload.resolve(), name)
    except OSError:  # on Windows not everyone may make links
        shutil.copyfile(upload, name)
    return name


def _refuse_name(name: str) -> None:
    """Raise an error if the name of a file cannot be shown, or would be taken for something else."""
    if len(name) > MOST_NAME:
        raise CleancutError(f"{name[:30]}… has a name of {len(name)} characters. Rename it: {MOST_NAME} is the most.")
    if visible(name) != name or name.startswith(("-", ".")) or not name.strip():
        raise CleancutError(
            f"{quoted(visible(name))} begins with - or ., or has characters that cannot be seen. Rename it."
        )
    if name in _RESULTS:  # what is written would go through the link to the file itself
        raise CleancutError(f"{name} is the name of a file of results. Rename yours.")


def _sources(given: Several, role: str) -> list[Source]:
    """Return the sources of several uploads or texts; a text has the name that it was given with."""
    if len(given) > MOST_FILES:
        raise CleancutError(f"there are {len(given)} files. Give {MOST_FILES} at most, or use the command line.")
    if not isinstance(given, Mapping):
        for name, n in Counter(path.name for path in given).items():
            if n > 1:
                raise CleancutError(
                    f"{n} files are called {visible(name)}. Rename them, so that results can name each."
                )
        return [_source(path, role) for path in given]
    for name, text in given.items():
        if not re.fullmatch(r"[\w-]{1,64}", name) or not isinstance(text, str):
            raise CleancutError(f"{quoted(name)} is not valid. Give each text a name of letters, digits, _ and - only.")
    return [replace(_source(text, name), name=_file_name(name, text)) for name, text in given.items()]


def _file_name(name: str, text: str) -> str:
    """Return the name that the file of a text would have, for commands that are to be run on it."""
    is_conll = format_of(Source.of_text(text, name)) is Format.CONLL
    return f"{name}.conll" if is_conll else f"{name}.jsonl"


def _refuse_large(source: Source) -> None:
    """Raise an error if a text, or what a file unpacks to, is too large to be read here."""
    size = os.path.getsize(source.name) if source.data is None else len(source.data)
    if size <= MOST_BYTES and source.data is None:
        size = _unpacked_size(source)
    if size > MOST_BYTES:
        raise CleancutError(
            f"{source} has more than {MOST_BYTES // 1_000_000} MB. Use the command line for it: it has no such limit."
        )


def _unpacked_size(file: Source) -> int:
    """Return the number of bytes that a file unpacks to, counted until they are too many; 0 if the file is broken."""
    if file.is_packed:
        with gzip.open(file.name) as stream:
            try:
                return len(stream.read(MOST_BYTES + 1))
            except (OSError, EOFError, zlib.error):
                return 0
    if format_of(file) is not Format.PARQUET:
        return os.path.getsize(file.name)
    try:
        return unpacked_bytes(file, MOST_BYTES + 1)
    except CleancutError:
        return 0


def _read(source: Source) -> Corpus:
    """Return the samples of a source, and log notes on how they were read."""
    samples = read_samples(source)
    for note in samples.notes:
        say(f"{source}: {note}")
    return samples.corpus


def _training(given: Given, command: _Command) -> Corpus | None:
    """Return the training data, which need not be given, and add them to a command."""
    if not _is_given(given):
        return None
    return _read(command.add("--train", _source(given, "training data")))


class _Command:
    """The command that makes a page again, with the files or texts that it reads.

    Args:
        name: the name of the command.
        types: other names for types, as the user wrote them.
        beta: the weight of recall in F-beta.
    """

    def __init__(self, name: str, types: str = "", beta: float = 1.0) -> None:
        self._words = ["cleancut", name]
        self._options = ["--ci", str(_RESAMPLES)] if name in ("report", "compare") else []
        if types.strip():
            self._options += ["--map", types.strip()]
        if beta != 1:
            self._options += ["--beta", f"{beta:g}"]
        self._files: list[SourceFile] = []

    def add(self, option: str, source: Source, called: str = "") -> Source:
        """Add an option whose value is a source, and return the source.

        Args:
            option: the option; empty if the source stands alone.
            source: the source.
            called: what the command has to call it; by default its own name.
        """
        self._words += [*filter(None, [option]), called or str(source)]
        if source.data is None:
            self._files += Provenance.of("", [source.name]).files
        else:
            self._files.append(SourceFile(str(source), hashlib.sha256(source.data).hexdigest()))
        return source

    def set(self, option: str, value: str, default: str) -> None:
        """Add an option unless its value is the default.

        Args:
            option: the option.
            value: its value.
            default: its default.
        """
        self._options += [option, value] if value != default else []

    def provenance(self, output: str) -> Provenance:
        """Return what a page is made from.

        Args:
            output: the option that names the page.
        """
        command = f"{shlex.join([*self._words, *self._options])} {output}"
        return Provenance(command, tuple(self._files), today())


def _predicted(source: Source, gold: Corpus, types: Mapping[str, str]) -> Corpus:
    """Return predictions: samples, or the answers of a language model to the gold samples."""
    return read_answers(source, gold, types=types) if is_answer_file(source) else _read(source)


def _type_names(text: str) -> dict[str, str]:
    """Return the new names of types by their old ones; none if the text is blank."""
    return parse_type_map(text, TYPES) if text.strip() else {}


def _stem(file: str) -> str:
    """Return the name of a system: that of its file, without the ending."""
    return Path(file.removesuffix(".gz")).stem


def _names(files: Sequence[str]) -> list[str]:
    """Return a name for the system of each file; the whole name of the file where two would be the same."""
    stems = [_stem(file) for file in files]
    return [file if stems.count(stem) > 1 else stem for file, stem in zip(files, stems, strict=True)]


def _called(given: Given, role: str) -> str:
    """Return the name under which a result speaks of what was given."""
    return given.name if isinstance(given, Path) else f"pasted {role}"


def _trained_on(train: Given) -> str:
    """Return what the title of a result says of the training data."""
    return f", trained on {_called(train, 'training data')}" if _is_given(train) else ""


class _Data(NamedTuple):
    """The splits of a dataset, and their names."""

    samples: Mapping[str, Samples]
    """The samples of each split by its name."""
    sources: list[Source]
    """The files that were uploaded, or texts; empty for a dataset on the Hub."""
    named: str
    """The files or the dataset, as the user names them."""

    @property
    def are_files(self) -> bool:
        """Whether all splits are files, whose format the splits are written in."""
        return all(source.path is not None for source in self.sources)

    @property
    def parts(self) -> dict[str, Corpus]:
        """The corpus of each split by its name."""
        return {name: samples.corpus for name, samples in self.samples.items()}


def _data(given: Several, hub: str) -> _Data:
    """Return the splits of uploads, texts or a dataset on the Hub."""
    if hub.strip():
        return _Data(_from_hub(hub.strip()), [], hub.strip())
    sources = {str(source): source for source in _sources(given, "splits")}
    if not sources:
        raise CleancutError("there are no splits. Choose files such as train.conll and test.conll, or name a dataset.")
    source_of = {name: sources[file] for name, file in by_split(list(sources)).items()}
    samples = read_files(source_of)
    for name, part in samples.items():
        for note in part.notes:
            say(f"{source_of[name]}: {note}")
    return _Data(samples, list(source_of.values()), ", ".join(sources))


def _from_hub(source: str) -> dict[str, Samples]:
    """Return the splits of a dataset that anyone may read, if it is not too large."""
    if len(source) > _MOST_HUB_NAME:
        raise CleancutError(
            f"{source[:30]}… is too long for the name of a dataset: it has {len(source)} characters. Write org/name."
        )
    os.environ["HF_HUB_DISABLE_IMPLICIT_TOKEN"] = "1"  # before the clients read it: only public data
    os.environ["HF_HOME"] = os.path.abspath("hub")  # is deleted with the current folder
    if is_local(source):
        raise CleancutError(
            f"{quoted(source)} is not the id of a dataset on the Hub. Write org/name or org/name:config."
        )
    from huggingface_hub import HfApi

    hub_id = HubId.parse(source)
    try:
        files = HfApi().dataset_info(hub_id.repo, revision=hub_id.revision, files_metadata=True).siblings or ()
    except network_errors():
        files = ()  # loading will report why
    if sum(file.size or 0 for file in files) > MOST_HUB_BYTES:
        raise CleancutError(f"{source} is too large for the app. On your own machine: cleancut audit {source}")
    splits = load_splits(source)
    for name, part in splits.items():
        for note in part.notes:
            say(f"{source} ({name}): {note}")
    return splits


# --- score ------------------------------------------------------------------------------------------------


@_with_notices
def score(
    gold: Given, pred: Given, train: Given, types: str, beta: float, tell: Tell, *, notices: Notices = ()
) -> Made:
    """Score one system: scores with intervals, buckets and errors, and the report.

    Args:
        gold: the gold annotation.
        pred: the predictions; not given if the gold file holds them.
        train: the training data, which need not be given.
        types: other names for types; empty if there are none.
        beta: how much more recall weighs than precision; 1 for F1.
        tell: is told how much of the work is done.
        notices: the notices that were logged so far.
    """
    renamed = _type_names(types)
    beta = checks.beta(beta)
    command = _Command("report", types, beta)
    source = command.add("--gold", _source(gold, "gold annotation"))
    if _is_given(pred):
        gold_corpus = _read(source)
        answered = command.add("--pred", _source(pred, "predictions"))
        predicted = _predicted(answered, gold_corpus, renamed)
    elif format_of(source) is Format.CONLL:
        gold_corpus, predicted = read_pair(source)  # the last two columns, as in conlleval
    else:
        raise CleancutError("no predictions: paste them, or choose a file.")
    training = _training(train, command)
    tell(0.2)
    system, about = _score_names(gold, pred)
    about += _trained_on(train)
    data = findings(gold_corpus, {system: predicted}, training, ci=_RESAMPLES, types=renamed, beta=beta, staircase=True)
    tell(0.5)
    values = {metric: score.to_dict() for metric, score in data.scores[system].items()}
    values["bucket_f1"] = data.buckets[system].to_dict()
    write_text("report.html", report_page(data, title=about, provenance=command.provenance("-o report.html")))
    write_text("scores.json", to_json(values) + "\n")
    tell(0.2)
    headline, *panels = _score_panels(data)
    headline += _how(report_notes(data), notices)
    return Made(about, (headline, *panels), values, ("report.html", "scores.json"))


def _score_names(gold: Given, pred: Given) -> tuple[str, str]:
    """Return the name of the system, and what its scores are about."""
    if _is_given(pred):
        name = _called(pred, "predictions")
        system = _stem(name) if isinstance(pred, Path) else name
        return system, f"{name} on {_called(gold, 'gold')}"
    name = _called(gold, "gold")  # one file holds both
    system = _stem(name) if isinstance(gold, Path) else name
    return system, name


_FIRST = ("headline", "answers", "types")
"""The sections of a report in the first panel of a score."""
_ATTRIBUTES = ("buckets",)
"""The sections in the third panel."""
_LAST = ("partial", "confusion")
"""The sections in the last panel; all others are in the second."""


def _score_panels(data: Findings) -> tuple[str, ...]:
    """Return the panels of a score as HTML."""
    sections = {section.slug: section for section in report_sections(data)}

    def drawn(slugs: Iterable[str]) -> str:
        return fragment(sections[slug] for slug in slugs if slug in sections)

    others = [slug for slug in sections if slug not in (*_FIRST, *_ATTRIBUTES, *_LAST)]
    return drawn(_FIRST), drawn(others), drawn(_ATTRIBUTES), errors_panel(data) + drawn(_LAST)


# --- audit ------------------------------------------------------------------------------------------------


@_with_notices
def audit_splits(
    splits: Several, hub: str, unit: str, types: str, same: str, tell: Tell, *, notices: Notices = ()
) -> Made:
    """Audit splits: what they share, with examples.

    Args:
        splits: the files of the splits, or texts by the names of their splits.
        hub: a dataset on the Hub instead of files.
        unit: what counts as contaminated.
        types: other names for types; empty if there are none.
        same: which names count as the same.
        tell: is told how much of the work is done.
        notices: the notices that were logged so far.
    """
    renamed = _type_names(types)
    data = _data(splits, hub)
    tell(0.5)
    result = audit(data.parts, unit=unit, top=8, types=renamed, same=same)
    tell(0.4)
    command = _Command("audit", types)
    if not data.sources:
        command.add("", Source(data.named))
    for name, source in zip(data.samples, data.sources, strict=False):
        command.add(f"--{name}", source)
    command.set("--unit", unit, Unit.SAMPLE)
    command.set("--same", same, Notion.EXACT)
    command.set("--top", "8", "5")
    made_from = command.provenance("--html audit.html")
    write_text("audit.html", html_audit(result, title=f"Audit of {data.named}", provenance=made_from))
    write_text("audit.json", to_json(result.to_dict()) + "\n")
    shared, memory, leaks, of_types = audit_sections(result)
    first = fragment([shared, memory]) + _how(result.notes, notices)
    panels = first, fragment([leaks]) + leaks_panel(result), fragment([of_types])
    return Made(data.named, panels, result.to_dict(), ("audit.html", "audit.json"))


# --- split ------------------------------------------------------------------------------------------------


@_with_notices
def split(
    splits: Several,
    hub: str,
    discard: str,
    ratios: str,
    unit: str,
    seed: int,
    min_per_type: int,
    same: str,
    tell: Tell,
    *,
    notices: Notices = (),
) -> Made:
    """Make a clean split, with its files and the command that makes it again.

    Args:
        splits: the files of the splits, or texts by the names of their splits.
        hub: a dataset on the Hub instead of files.
        discard: the largest share of the samples to discard, or auto.
        ratios: the parts of the splits.
        unit: what stays whole.
        seed: the seed of the random choices.
        min_per_type: the least mentions of each type in a held-out split.
        same: which names count as the same.
        tell: is told how much of the work is done.
        notices: the notices that were logged so far.
    """
    settings = _settings(discard, ratios, unit, seed, min_per_type, same)
    data = _data(splits, hub)
    _refuse_mixed(data.sources)  # now rather than after the work
    tell(0.03)
    plan = mincut(data.parts, progress=lambda share: tell(0.9 * share), **settings.changed())
    reproduced = _reproduced(data, settings)
    files = (
        _write_split(plan, data, reproduced["command"]) if data.are_files else ()
    )  # programs give texts, and take no files home
    leakage, *rest = split_sections({"after": plan})
    values = {**plan.to_dict(), "assignment": plan.assignment.tolist(), **reproduced}
    panels = fragment([leakage]) + _how(plan_notes(plan), notices), fragment(rest)
    return Made(data.named, panels, values, files, Point.from_plan(discard, plan))


def _write_split(plan: SplitPlan, data: _Data, command: str) -> tuple[str, ...]:
    """Write ``plan.json``, and ``split.zip`` with the splits in the format of the files that were given.

    Args:
        plan: the plan.
        data: what is split.
        command: the command that makes the same split, which the report in the archive shows.

    Returns:
        The names of the two files.
    """
    sources = [source.name for source in data.sources] or [data.named]
    page = html_split(plan, title=f"Split of {data.named}", provenance=Provenance.of(command, sources))
    plan.write("split", data.samples, format="input", beside={"report.html": page})
    shutil.copyfile("split/plan.json", "plan.json")
    shutil.make_archive("split", "zip", "split")
    return "plan.json", "split.zip"


def trade_off(
    splits: Several, hub: str, discard: str, ratios: str, unit: str, seed: int, min_per_type: int, same: str, tell: Tell
) -> Point:
    """Return what the same split discards and shares if it may discard a given share.

    Args:
        splits: the files of the splits, or texts by the names of their splits.
        hub: a dataset on the Hub instead of files.
        discard: the largest share of the samples to discard, or auto.
        ratios: the parts of the splits.
        unit: what stays whole.
        seed: the seed of the random choices.
        min_per_type: the least mentions of each type in a held-out split.
        same: which names count as the same.
        tell: is told how much of the work is done.
    """
    settings = _settings(discard, ratios, unit, seed, min_per_type, same)
    data = _data(splits, hub)
    tell(0.03)
    plan = mincut(data.parts, progress=lambda share: tell(0.97 * share), **settings.changed())
    return Point.from_plan(discard, plan)


def _refuse_mixed(sources: Sequence[Source]) -> None:
    """Raise an error if files have different formats, since splits are written in the format of the files."""
    formats = {str(source): format_of(source) for source in sources}
    if len(set(formats.values())) > 1:
        named = ", ".join(f"{file} is {kind}" for file, kind in formats.items())
        raise CleancutError(f"the files have different formats: {named}. Give all of them in one format.")


def _settings(discard: str, ratios: str, unit: str, seed: int, min_per_type: int, same: str) -> SplitSettings:
    """Return the settings of a split, checked."""
    options = {"discard": discard, "ratios": ratios, "unit": unit, "seed": seed, "min_per_type": min_per_type}
    options["same"] = same
    return SplitSettings.of("split", options)


def _reproduced(data: _Data, settings: SplitSettings) -> dict[str, str]:
    """Return the command and the lines of Python that make the same split."""
    files = list(map(str, data.sources))
    named = shlex.join(files or [data.named])
    command = f"cleancut split {named} -o clean {settings.flags(only_changed=True)} --format input"
    if files:
        parts = ", ".join(f"{name!r}: cc.read({file!r})" for name, file in zip(data.samples, files, strict=True))
        if any(samples.shape is not None for samples in data.samples.values()):
            parts = parts.replace("cc.read(", "cc.from_dataset(")
        lines = [f"splits = {{{parts}}}"]
    else:
        lines = [f"splits = {{name: part.corpus for name, part in cc.load_splits({data.named!r}).items()}}"]
    options = ", ".join(filter(None, ["splits", settings.python()]))
    lines += [f"plan = cc.mincut({options})", "print(plan.guarantee, plan.sizes)", "clean = plan.apply(splits)"]
    return {"command": " ".join(command.split()), "python": "\n".join(["import cleancut as cc", "", *lines])}


# --- compare ----------------------------------------------------------------------------------------------


@_with_notices
def compare_systems(
    gold: Given, preds: Several, train: Given, types: str, tell: Tell, *, notices: Notices = ()
) -> Made:
    """Compare systems side by side: scores, paired tests, and whether their order is stable.

    Args:
        gold: the gold annotation.
        preds: the predictions of each system.
        train: the training data, which need not be given.
        types: other names for types; empty if there are none.
        tell: is told how much of the work is done.
        notices: the notices that were logged so far.
    """
    renamed = _type_names(types)
    command = _Command("compare", types)
    gold_corpus = _read(command.add("--gold", _source(gold, "gold annotation")))
    sources = _sources(preds, "predictions")
    names = _names(list(map(str, sources)))
    for name, source in zip(names, sources, strict=True):
        command.add("--pred", source, f"{name}={source}")
    systems = {name: _predicted(source, gold_corpus, renamed) for name, source in zip(names, sources, strict=True)}
    training = _training(train, command)
    exposure = None if training is None else Exposure.of(training)
    tell(0.2)
    comparison = compare(gold_corpus, systems, exposure, ci=_RESAMPLES, types=renamed)
    tell(0.3)
    values = comparison.to_dict()
    tell(0.4)
    about = f"{', '.join(systems)} on {_called(gold, 'gold')}{_trained_on(train)}"
    reports = {name: corpus.mentions.answers for name, corpus in systems.items() if corpus.mentions.answers is not None}
    answers = [answer_section(comparison.scores, reports, sample_names(gold_corpus))] if reports else []
    made_from = command.provenance("--html comparison.html")
    write_text("comparison.html", html_comparison(values, title=about, further=answers, provenance=made_from))
    write_text("comparison.json", to_json(values) + "\n")
    panel = fragment([*comparison_sections(values), *answers]) + _how(comparison_notes(values), notices)
    return Made(about, (panel,), values, ("comparison.html", "comparison.json"))
