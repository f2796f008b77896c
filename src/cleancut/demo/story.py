"""The demo: two taggers on a random split and on a clean one, and what their scores mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import fill

from ..core.corpus import Corpus
from ..core.files import name_inside, write_text
from ..core.shown import percent
from ..reading.formats import write
from ..scoring.clean import clean_f1
from ..scoring.exact import exact_f1
from ..scoring.exposure import Exposure
from ..scoring.hard_tokens import hardeval
from ..scoring.partial import partial_f1
from ..scoring.score import Score
from ..showing.escaping import one_line
from ..showing.html import html_report
from ..showing.text import Results, table
from ..splitting.audit import audit
from ..splitting.folders import refuse_foreign, written_together
from ..splitting.mincut import mincut
from ..splitting.plan import SplitPlan
from .sampletext import generate
from .taggers import LookUp, Perceptron, Tagger

_COLUMNS = {
    "F1": ("exact_f1", "f1"),
    "overlap": ("partial_f1", "f1_overlap"),
    "clean F1": ("clean_f1", "clean_f1"),
    "delta F1": ("clean_f1", "delta_f1"),
    "hardeval": ("hardeval", "hardeval"),
    "look-up F1": ("clean_f1", "memorisation_f1"),
}
"""The columns of the table of scores: the metric of each, and the value of it that is shown."""

_ABOUT = {"format": "cleancut-demo-1"}
"""What the manifest of the folder says."""
_FILES = ("train.conll", "test.conll", "lookup.conll", "perceptron.conll", "report.html")
"""The files that the demo writes to its folder."""
_CLEAN_FILES = ("train.conll", "test.conll", "discarded.conll", "lookup.conll", "perceptron.conll", "plan.json")
"""The files that the demo writes to the folder of the clean split."""


def run(
    folder: str = "cleancut-demo",
    *,
    overwrite: bool = False,
    colour: bool = False,
    progress: Callable[[float], None] | None = None,
) -> str:
    """Run the demo and return its text, which compares two taggers on a random split and on a clean one.

    It generates sentences, audits a random split, makes a clean one, and trains and scores the taggers on both. The
    random split, the predictions on it and ``report.html`` are written to the folder; the clean split and its
    predictions are written to the folder ``clean`` inside of it.

    Args:
        folder: the folder to write to.
        overwrite: replace files of the same names even if cleancut did not write them.
        colour: whether the text has colours for a terminal.
        progress: called with the share of the work done since it was called last.

    Returns:
        The text, for a terminal of 80 columns.

    Raises:
        CleancutError: a file of the folder would be lost.
    """
    # This is checked again when files are written, but an error should not come after all the work.
    refuse_foreign(folder, _FILES, _ABOUT, overwrite=overwrite)
    clean = name_inside(folder, "clean")
    refuse_foreign(clean, _CLEAN_FILES, overwrite=overwrite)
    report = progress or (lambda share: None)
    corpus = generate(3000)
    at_random = {"train": corpus.select(slice(0, 2400)), "test": corpus.select(slice(2400, 3000))}
    plan = mincut(at_random, (80, 20), effort="fast", discard="auto", progress=lambda share: report(0.2 * share))
    splits = {"random": at_random, "clean": plan.apply(at_random)}
    taggers: dict[str, Callable[[Corpus], Tagger]] = {
        "look-up": LookUp,
        "perceptron": lambda train: Perceptron(train, progress=lambda share: report(0.4 * share)),
    }
    results = {}
    predicted: dict[str, dict[str, Corpus]] = {split: {} for split in splits}
    for name, train_tagger in taggers.items():
        for split, parts in splits.items():
            predictions = train_tagger(parts["train"]).tag(parts["test"])
            results[f"{name}, {split}"] = _scores(parts["test"], predictions, Exposure.of(parts["train"]))
            predicted[split][name] = predictions
    title = "Two taggers on a random split"
    page = html_report(at_random["test"], predicted["random"], at_random["train"], title=title)
    with written_together(folder, _ABOUT, overwrite=overwrite) as fresh:
        for name, part in at_random.items():
            write(part, Path(fresh, f"{name}.conll"))
        for name, part in _prediction_files(predicted["random"]).items():
            write(part, Path(fresh, name))
        write_text(Path(fresh, "report.html"), page)
    plan.write(clean, at_random, format="conll", beside=_prediction_files(predicted["clean"]), overwrite=overwrite)
    return _story(folder, at_random, plan, results, colour)


def _prediction_files(predicted: Mapping[str, Corpus]) -> dict[str, Corpus]:
    """Return the predictions of each tagger by the name of their file."""
    return {f"{name.replace('-', '')}.conll": corpus for name, corpus in predicted.items()}


def _scores(gold: Corpus, pred: Corpus, shown: Exposure) -> dict[str, Score]:
    """Return the scores of one tagger on one split, by metric."""
    return {
        "exact_f1": exact_f1(gold, pred),
        "partial_f1": partial_f1(gold, pred),
        "clean_f1": clean_f1(gold, pred, shown),
        "hardeval": hardeval(gold, pred, shown),
    }


def _story(folder: str, at_random: Mapping[str, Corpus], plan: SplitPlan, results: Results, colour: bool) -> str:
    """Return the text of the demo: what was done, and what the scores mean.

    Args:
        folder: the folder that the files were written to.
        at_random: the random split.
        plan: the plan of the clean split.
        results: the scores by tagger and split.
        colour: whether the table has colours.
    """
    folder = one_line(folder)
    leakage = audit(at_random)
    pair = leakage.pairs["test", "train"]
    worst = leakage.top_leaks[0]
    shared = percent(pair["n_mentions_contaminated"] / pair["n_mentions"])
    rows = [
        [name, *(percent(scores[metric][value]) for metric, value in _COLUMNS.values())]
        for name, scores in results.items()
    ]
    f1 = {name: percent(scores["exact_f1"].f1) for name, scores in results.items()}
    parts = [
        f"{len(plan.assignment)} sentences of news, sports and medicine, in English and Spanish, were generated; their "
        "names are made of syllables, few of them common and most of them rare:",
        "\n".join(f"  {' '.join(words)}" for words in at_random["test"].tokens()[:3]),
        f"1. A random split: {len(at_random['train'])} sentences to train on, {len(at_random['test'])} to test on. Of "
        f"{pair['n_mentions']} test mentions, {pair['n_mentions_contaminated']} ({shared}%) are of entities that "
        f"training has shown; {worst['entity']} ({worst['label']}) alone is {worst['n_test']} of them.",
        f"2. A clean split: {plan.sizes['train']} sentences to train on, {plan.sizes['test']} to test on, "
        f"{plan.n_discarded} discarded. {plan.guarantee[0].upper()}{plan.guarantee[1:]}.",
        "3. Two taggers, trained and tested on each (%; hardeval is a rate of errors).",
        table(["tagger, split", *_COLUMNS], rows, colour=colour, strong=1),
        "The look-up knows the names it was trained on by heart, and nothing else: that is worth an F1 of "
        f"{f1['look-up, random']} on the random split, and of {f1['look-up, clean']} where all names are new. The "
        f"perceptron learns from contexts and from the look of words; but the {f1['perceptron, random']} that one "
        f"would have reported is {f1['perceptron, clean']} on names that it has not seen.",
        f"Every score, and every error in context, is on a page to open in a browser: {Path(folder) / 'report.html'}",
        f"The splits, and what each tagger found, are in {folder}, with the clean split in {Path(folder) / 'clean'}:",
        f"  cd {folder}\n"
        "  cleancut score --gold test.conll --pred perceptron.conll --train train.conll\n"
        "  cleancut audit .",
        "On a folder with train and test files of your own, or a dataset on the Hub:",
        "  cleancut audit org/dataset\n  cleancut split org/dataset -o clean --discard auto",
    ]
    return "\n\n".join(part if "\n" in part else fill(part, 80) for part in parts)
