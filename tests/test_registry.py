"""The record of each metric: complete, true to its function, and all that a new metric needs."""

import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cleancut
from cleancut import Corpus, Exposure
from cleancut.hub.known_keywords import KNOWN_KEYWORDS
from cleancut.scoring.alignment import Aligner, Match
from cleancut.scoring.exposure_view import NOVELTY_CLASSES
from cleancut.scoring.registry import available_metrics, metrics, score_metrics, title_of

ROOT = Path(__file__).resolve().parents[1]
TRAIN = Corpus.of([["Ada", "King", "met", "Bo"]], tags=[["B-PER", "I-PER", "O", "B-PER"]])
GOLD = Corpus.of(
    [["Ada", "King", "saw", "Oslo"], ["Bo", "sang"]], tags=[["B-PER", "I-PER", "O", "B-LOC"], ["B-PER", "O"]]
)
PRED = [["B-PER", "O", "O", "B-LOC"], ["B-LOC", "O"]]
ASKED = {"partial_f1": {"iou": True}}
"""Options without which a value of a metric's table is not computed."""


@pytest.fixture(params=list(metrics()))
def metric(request):
    return metrics()[request.param]


def computed(metric, **options):
    return metric(GOLD, PRED, Exposure.of(TRAIN), **ASKED.get(metric.name, {}), **options)


def test_a_metric_has_a_folder_with_a_card_and_a_module(metric):
    folder = ROOT / "metrics" / metric.name
    assert (folder / "README.md").is_file()
    assert "import METRIC\n" in (folder / f"{metric.name}.py").read_text("utf-8")
    folders = {path.name for path in (ROOT / "metrics").iterdir() if (path / f"{path.name}.py").is_file()}
    assert folders == set(metrics())


def test_names_and_orders_are_distinct():
    every = list(metrics().values())
    scores = list(score_metrics().values())
    ranked = [m.ranked for m in scores if m.order_is_compared]  # by which the orders of a comparison are named
    for values in ([m.name for m in every], [m.order for m in every], [m.short for m in scores], ranked):
        assert len(values) == len(set(values))


def test_every_value_that_a_record_names_is_computed(metric):
    values = computed(metric).to_dict()
    named = {*metric.titles, *metric.shown, *metric.headline, *metric.logged, *metric.compared}
    assert named and named <= set(values), named - set(values)
    assert not metric.ranked or metric.ranked in metric.compared
    assert {*metric.shown, *metric.compared} <= set(metric.titles)
    assert metric.description.endswith(".") and metric.title.endswith("(%)")


@pytest.mark.parametrize("name", list(score_metrics()))
def test_compared_values_have_intervals_and_types_are_as_the_record_says(name):
    metric = score_metrics()[name]
    values = computed(metric, ci=20).to_dict()
    assert {f"{value}_low" for value in metric.compared} <= set(values)
    assert metric.by_type == any("/" in key for key in values)
    assert getattr(cleancut, name) is metric.function and name in dir(cleancut)


KEYWORDS = {
    "exact_f1": "labels scheme repair types ci seed keys beta",
    "partial_f1": "labels scheme repair types ci seed credit muc iou beta",
    "clean_f1": "labels scheme repair types ci seed train match credit case typed unicode confusable beta "
    "same aliases part_limit staircase entity_ids",
    "hardeval": "labels scheme repair types ci seed train strict encoding",
    "bucket_f1": "labels scheme repair types ci seed train attributes bins level case typed unicode beta",
}
"""The keywords of each evaluate module are a contract."""


def test_the_keywords_of_a_module_are_those_of_its_function(metric):
    parameters = inspect.signature(metric.function).parameters
    of_function = set(parameters) - {"gold", "pred", "exposure", "tokens"}
    of_columns = {"train"} if "exposure" in parameters else set()
    of_entities = {"case", "typed", "unicode"} if metric.by_entity else set()
    assert set(metric.keywords) == of_function | of_columns | of_entities
    assert len(metric.keywords) == len(set(metric.keywords)) and set(metric.keywords) <= set(KNOWN_KEYWORDS)


@pytest.mark.parametrize("name", KEYWORDS)
def test_the_keywords_of_modules_stay_what_they_were(name):
    assert sorted(metrics()[name].keywords) == sorted(KEYWORDS[name].split())


def test_what_needs_training_data_or_flat_mentions():
    takes, needs = ({m.name for m in metrics().values() if getattr(m, f"{of}_train")} for of in ("takes", "needs"))
    assert {"clean_f1", "hardeval", "bucket_f1"} <= takes and not {"exact_f1", "partial_f1"} & takes
    assert {"clean_f1", "hardeval"} <= needs and "bucket_f1" not in needs
    everything, nested = available_metrics(train=True), available_metrics(train=True, flat=False)
    assert everything == list(score_metrics()) and "hardeval" not in nested and set(nested) <= set(everything)
    assert "clean_f1" in nested and "exact_f1" in available_metrics(train=False)
    assert title_of("hardeval", "ter_diff") == "TER diff" and title_of("of another release", "x") == "x"


def test_a_space_has_the_files_of_its_own_metric_alone(tmp_path):
    (exact,) = cleancut.stage(["exact_f1"], tmp_path)
    held = {path.stem for path in exact.glob("*.py")}
    assert "exact" in held and not held & {"registry", "partial", "clean", "hard_tokens", "buckets"}
    literal = (exact / "known_keywords.py").read_text("utf-8")
    assert "import" not in literal and repr(KNOWN_KEYWORDS) in literal


# --- adding a thing takes its own file ------------------------------------------------------------------------

SCRATCH = """
from .exact import METRIC as _EXACT
from .exact import exact_f1
from .metric import Metric
from .score import Score


def start_f1(gold, pred, *, tokens=None, labels=None, scheme=None, repair="conlleval", ci=None, seed=13, level=1):
    found = exact_f1(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair, ci=ci, seed=seed)
    return Score(METRIC, found.sums, found.settings, found.derive, found.parts)


METRIC = Metric(
    name="start_f1", function=start_f1, short="start", order=15, title="Starts (%)", description="Of starts.",
    titles={"f1": "F1 of starts"}, shown=("f1",), headline=("f1",), compared=("f1",), ranked="f1",
    order_is_compared=False,
)
"""


@pytest.fixture(scope="module")
def with_scratch_metric(tmp_path_factory):
    """A copy of the package with one file more, and two files to score."""
    folder = tmp_path_factory.mktemp("scratch")
    shutil.copytree(Path(cleancut.__file__).parent, folder / "cleancut", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "cleancut" / "scoring" / "starts.py").write_text(SCRATCH, "utf-8")
    cleancut.write(GOLD, folder / "gold.conll")
    cleancut.write(GOLD.with_predictions(PRED), folder / "pred.conll")
    cleancut.write(GOLD, folder / "other.conll")

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.slow
def test_a_new_metric_is_its_own_file(with_scratch_metric):
    files = ["--gold", "gold.conll", "--pred", "pred.conll"]
    said = with_scratch_metric("-m", "cleancut", "score", *files, "--metrics", "start,exact")
    assert "Starts (%)" in said and "F1 of starts" in said
    scored = json.loads(with_scratch_metric("-m", "cleancut", "score", *files, "--json"))
    assert (
        list(scored) == ["exact_f1", "start_f1", "partial_f1", "read_as"]
        and scored["start_f1"]["f1"] == scored["exact_f1"]["f1"]
    )
    compared = json.loads(
        with_scratch_metric("-m", "cleancut", "compare", *files, "--pred", "other.conll", "--ci", "20", "--json")
    )
    assert "start_f1" in {row["metric"] for row in compared["pairs"]}
    tables = with_scratch_metric("-m", "cleancut", "report", *files, "--format", "md", "--ci", "20")
    assert "Starts (%)" in tables and "F1 of starts" in tables
    code = (
        "import cleancut; from cleancut.hub.known_keywords import KNOWN_KEYWORDS as known; "
        "print(cleancut.start_f1([['B-A']], [['B-A']]).metric, 'level' in known)"
    )
    assert with_scratch_metric("-c", code).split() == ["start_f1", "True"]


def test_a_matching_mode_without_a_rule_is_refused():
    mentions = GOLD.mentions
    aligner = Aligner(mentions, mentions)
    for mode in Match:
        assert len(aligner.align(mode).gold) == len(mentions)
    with pytest.raises(AssertionError):
        aligner.align("middle")


def test_novelty_classes_have_titles_of_their_own():
    for of in ("name", "title", "long_title", "description"):
        found = [getattr(novelty, of) for novelty in NOVELTY_CLASSES]
        assert all(found) and len(found) == len(set(found))
    known = [novelty.name for novelty in NOVELTY_CLASSES if novelty.is_training_mention]
    assert known == ["seen", "other_type"]
