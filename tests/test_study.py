"""Many datasets: each cell is that of the single call, what cannot be read is named, and the page holds all of it."""

import io
import json
import math
import random
import shutil
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy import stats

import cleancut as cc
from cleancut import cli
from cleancut.demo.story import generate
from cleancut.showing.export import Format, tables
from cleancut.showing.study_tables import study_sections
from cleancut.showing.text import study_text, to_json

DATASETS = ("bio", "news", "web")
SYSTEMS = ("base-llm-v1", "base-lookup-v1", "base-noisy-v1", "base-overlap-v1")
OPTIONS = {"ci": 20, "seed": 7}
MIN_COUNT = 5


def noisy(gold, seed, lost):
    """Gold mentions of which some are lost, some have another type, and some end too early."""
    rng, found = random.Random(seed), []
    for spans in gold.entities():
        kept = [dict(span) for span in spans if rng.random() > lost]
        for span in kept:
            if rng.random() < 0.2:
                span["label"] = "LOC" if span["label"] != "LOC" else "PER"
            elif rng.random() < 0.3 and span["end"] - span["start"] > 1:
                span["end"] -= 1
        found.append(kept)
    return gold.with_predictions(found)


def overlapping(gold):
    """Every mention twice where it is long: as a whole, and its first word."""
    found = []
    for spans in gold.entities():
        first_words = [{**span, "end": span["start"] + 1} for span in spans if span["end"] - span["start"] > 1]
        found.append([*spans, *first_words])
    return gold.with_predictions(found)


def answers(gold):
    """What a language model might say: the first mention of each sample, and one that is invented."""
    rows = []
    for words, spans in zip(gold.tokens(), gold.entities(), strict=True):
        said = [{"text": " ".join(words[span["start"] : span["end"]]), "label": span["label"]} for span in spans[:1]]
        rows.append({"answer": json.dumps([*said, {"text": "Atlantis", "label": "LOC"}])})
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three datasets and four systems in files of different formats; one dataset lacks a system."""
    home, corpus = tmp_path_factory.mktemp("study"), generate(270)
    for i, (name, ending) in enumerate(zip(DATASETS, ("conll", "jsonl", "jsonl"), strict=True)):
        (home / name / "pred").mkdir(parents=True)
        part = corpus.select(slice(90 * i, 90 * i + 90))
        train, test = part.select(slice(0, 40 + 5 * i)), part.select(slice(40 + 5 * i, 90))
        cc.write(train, home / name / f"train.{ending}")
        cc.write(test, home / name / f"test.{ending}")
        lookup = test.with_predictions(cc.Exposure.of(train).view(test).memorised)
        cc.write(lookup, home / name / "pred" / f"{SYSTEMS[1]}.{ending}")
        if name != "web":
            cc.write(noisy(test, i, 0.1 + 0.1 * i), home / name / "pred" / f"{SYSTEMS[2]}.jsonl")
        cc.write(overlapping(test), home / name / "pred" / f"{SYSTEMS[3]}.jsonl")
        (home / name / "pred" / f"{SYSTEMS[0]}.jsonl").write_text(answers(test), "utf-8")
    (home / "notes.txt").write_text("No dataset.", "utf-8")
    (home / "empty").mkdir()
    return home


@pytest.fixture(scope="module")
def found(folder):
    return cc.study(folder, min_count=MIN_COUNT, **OPTIONS)


def files_of(folder, dataset):
    """The train and test data of a dataset, and the predictions of each system, read one by one."""
    home = folder / dataset
    train, test = (cc.read(next(home.glob(f"{split}.*"))) for split in ("train", "test"))
    pred = {}
    for file in sorted((home / "pred").iterdir()):
        pred[file.stem] = cc.read_answers(file, test) if file.stem == SYSTEMS[0] else cc.read(file)
    return train, test, pred


def plain(value):
    return json.loads(to_json(value))


# --- each cell is that of the single call ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dataset", [pytest.param(name, marks=[] if name == "web" else pytest.mark.slow) for name in DATASETS]
)
def test_each_score_is_that_of_the_single_call(folder, found, dataset):
    train, test, pred = files_of(folder, dataset)
    own, shown = found.datasets[dataset], cc.Exposure.of(train)
    assert list(own.scores) == list(pred) == list(own.buckets)
    assert set(SYSTEMS) - set(pred) == ({SYSTEMS[2]} if dataset == "web" else set())
    for system, predicted in pred.items():
        single = {
            "exact_f1": cc.exact_f1(test, predicted, **OPTIONS),
            "partial_f1": cc.partial_f1(test, predicted, **OPTIONS),
            "clean_f1": cc.clean_f1(test, predicted, shown, **OPTIONS),
        }
        if system != SYSTEMS[3]:
            single["hardeval"] = cc.hardeval(test, predicted, shown, **OPTIONS)
        got = {metric: plain(score.to_dict()) for metric, score in own.scores[system].items()}
        assert got == {metric: plain(score.to_dict()) for metric, score in single.items()}
        attributes = list(own.buckets[system])
        buckets = cc.buckets(test, predicted, shown, attributes=attributes, **OPTIONS)
        assert plain(dict(own.buckets[system])) == plain(dict(buckets)) and len(attributes) == 8
        assert own.buckets[system].means == buckets.means and own.buckets[system].signature == buckets.signature


def test_the_contamination_is_that_of_the_audit(folder, found):
    for dataset in DATASETS:
        train, test, _ = files_of(folder, dataset)
        audit = cc.audit({"train": train, "test": test})
        looked_up = audit.memorisation["test"]["f1"]
        assert found.datasets[dataset].contamination == {**audit.pairs["test", "train"], "memorisation_f1": looked_up}


def test_what_holds_for_all_systems_of_a_dataset_is_said_once(found):
    """The tokens with unusual labels are the same for all systems: one line for each dataset, not for each system."""
    for own in found.datasets.values():
        few = [note for note in own.notes if "tokens with unusual labels" in note]
        n_diff = next(scores["hardeval"].n_diff for scores in own.scores.values() if "hardeval" in scores)
        assert len(few) == 1 and few[0].startswith(f"hardeval rests on {n_diff} tokens with unusual labels."), few


def test_a_system_whose_mentions_overlap_alone_lacks_hardeval(found):
    for own in found.datasets.values():
        assert [system for system in own.scores if "hardeval" not in own.scores[system]] == [SYSTEMS[3]]
        assert f"{SYSTEMS[3]}: hardeval is undefined, since mentions overlap." in own.notes


def test_views_over_datasets_are_those_of_the_functions_of_one(found):
    of_dataset = {name: cc.model_wise(own.buckets) for name, own in found.datasets.items()}
    by_attribute = cc.attribute_wise(found.buckets)
    for system in SYSTEMS:
        having = [name for name in DATASETS if system in found.datasets[name].scores]
        tests = cc.friedman({name: found.datasets[name].buckets[system] for name in having})
        for at, row in found.model_wise[system].items():
            assert plain(row["datasets"]) == plain({name: of_dataset[name][system][at] for name in having})
            for value in ("spearman", "std"):
                known = [of_dataset[name][system][at][value] for name in having]
                known = [one for one in known if not math.isnan(one)]
                assert plain(row[value]) == pytest.approx(plain(sum(known) / len(known) if known else math.nan))
            assert plain({name: row[name] for name in tests[at]}) == plain(tests[at])
            own = found.self_diagnosis[system][at]["datasets"]
            for name in having:
                single = cc.self_diagnosis(found.datasets[name].buckets[system], min_count=MIN_COUNT)
                assert own.get(name) == single.get(at)
    for name in DATASETS:
        tests = cc.friedman(found.datasets[name].buckets)
        for at, row in found.attribute_wise[name].items():
            assert plain(row) == plain({**by_attribute[name][at], **tests[at]})


def f1_of_places(buckets, at):
    return np.array([row["f1"] if row["n_gold"] else math.nan for row in buckets[at]])


def test_views_over_datasets_are_those_of_scipy_and_of_the_paper(folder, found):
    """Equations 8 to 11 and Friedman's test, from the buckets of each system and the mentions of each test split."""
    for name, own in found.datasets.items():
        test = files_of(folder, name)[1]
        sizes = [int(end - start) for start, end in zip(test.mentions.start, test.mentions.end, strict=True)]
        lengths = test.mentions.lengths[test.mentions.sample].tolist()
        assert found.attribute_wise[name]["eLen"]["zeta"] == pytest.approx(sum(sizes) / len(sizes))
        assert found.attribute_wise[name]["sLen"]["zeta"] == pytest.approx(sum(lengths) / len(lengths))
        for at, row in found.attribute_wise[name].items():
            table = np.stack([f1_of_places(buckets, at) for buckets in own.buckets.values()])
            spearman = []
            for system, f1 in zip(own.buckets, table, strict=True):
                places = np.flatnonzero(~np.isnan(f1))
                varies = len(places) > 1 and np.ptp(f1[places]) > 0
                spearman.append(stats.spearmanr(places, f1[places]).statistic if varies else math.nan)
                of_one = found.model_wise[system][at]["datasets"][name]
                assert of_one["spearman"] == pytest.approx(spearman[-1], nan_ok=True)
                assert of_one["std"] == pytest.approx(np.nanstd(f1))
            rho = np.nanmean(np.abs(spearman)) if not np.isnan(spearman).all() else math.nan
            assert row["rho"] == pytest.approx(rho, nan_ok=True)
            shared = table[:, ~np.isnan(table).any(axis=0)]
            if shared.shape[1] > 2 and np.ptp(shared, axis=1).any():
                statistic, p = stats.friedmanchisquare(*shared.T)
                assert (row["statistic"], row["p"]) == pytest.approx((statistic, p))
                assert row["effect"] == pytest.approx(statistic / (shared.shape[0] * (shared.shape[1] - 1)))


@pytest.mark.slow
def test_comparative_diagnosis_is_that_of_each_pair_and_wilcoxon_over_all_buckets(found):
    rows = found.comparative_diagnosis
    assert [{name: row[name] for name in row if name != "datasets"} for row in rows] == cc.wilcoxon(found.buckets)
    assert len(rows) == 6 * 9
    for row in rows:
        gaps = []
        for own in found.datasets.values():
            if row["a"] in own.buckets and row["b"] in own.buckets:
                a, b = (own.buckets[row[side]] for side in "ab")
                chosen = list(a) if row["attribute"] == "all" else [row["attribute"]]
                gaps += [x["f1"] - y["f1"] for at in chosen for x, y in zip(a[at], b[at], strict=True) if x["n_gold"]]
        assert row["n"] == len(gaps)
        changed = [gap for gap in gaps if gap]
        assert row["p"] == (pytest.approx(stats.wilcoxon(changed).pvalue) if changed else 1.0)
        for name, own in row["datasets"].items():
            a, b = (found.datasets[name].buckets[row[side]] for side in "ab")
            assert own == cc.comparative_diagnosis(a, b, min_count=MIN_COUNT)[row["attribute"]]


def test_ranks_are_those_of_compare_and_between_datasets(folder, found):
    for name in DATASETS:
        train, test, pred = files_of(folder, name)
        flat = {system: one for system, one in pred.items() if system != SYSTEMS[3]}
        single = cc.compare(test, flat, cc.Exposure.of(train), ci=20).ranks
        of_dataset = found.ranks["datasets"][name]
        for value, order in single["orders"].items():
            assert [system for system in of_dataset["orders"][value] if system != SYSTEMS[3]] == order
        pairs = [(row["first"], row["second"]) for row in of_dataset["changes"]]
        assert pairs == [("f1", "clean_f1"), ("f1", "hardeval"), ("clean_f1", "hardeval")]
        assert [row["n_systems"] for row in of_dataset["changes"]][0] == len(pred)
    for row in found.ranks["between"]:
        orders = [found.ranks["datasets"][row[which]]["orders"][row["value"]] for which in ("first", "second")]
        shared = set(orders[0]) & set(orders[1])
        assert row["n_systems"] == len(shared)
        places = [{name: order.index(name) for name in shared} for order in orders]
        for a, b in row["swaps"]:
            assert (places[0][a] < places[0][b]) != (places[1][a] < places[1][b])
    same = found.ranks["same_on_every_dataset"]
    for value, is_same in same.items():
        assert is_same == (not any(row["swaps"] for row in found.ranks["between"] if row["value"] == value))
    assert set(found.ranks["same_without_memory"]) == set(DATASETS)
    assert found.ranks["mean_rank"]["f1"][SYSTEMS[3]] >= 1


@pytest.mark.slow
def test_a_study_in_memory_is_that_of_the_files(folder, found):
    data = {}
    for name in DATASETS:
        train, test, pred = files_of(folder, name)
        data[name] = {"train": train, "test": test, "pred": pred}
    again = cc.study(data, min_count=MIN_COUNT, **OPTIONS)
    assert to_json(again.to_dict()) == to_json(found.to_dict())


def test_a_study_of_one_dataset(folder):
    alone = cc.study(folder / "news", ci=None, min_count=MIN_COUNT)
    assert list(alone.datasets) == ["news"] and not alone.not_read
    assert alone.ranks["same_on_every_dataset"] == {"f1": None, "clean_f1": None, "hardeval": None}
    assert math.isnan(alone.model_wise[SYSTEMS[1]]["eLen"]["p"])  # one dataset is no block of others
    assert alone.self_diagnosis[SYSTEMS[1]]["sLen"]["n"] == 1
    rows = [row for row in alone.comparative_diagnosis if row["attribute"] == "all"]
    assert all(0 <= row["p"] <= 1 for row in rows)
    assert "not be compared" not in study_text(alone)
    assert cc.html_study(alone).count("<section") == 8


# --- the command ---------------------------------------------------------------------------------------------------


@pytest.fixture
def broken(folder, tmp_path):
    """The same study with a dataset that cannot be read, one without predictions, and a system that cannot be read."""
    home = tmp_path / "broken"
    shutil.copytree(folder, home)
    (home / "unreadable" / "pred").mkdir(parents=True)
    for file in ("train.jsonl", "test.jsonl", "pred/base-lookup-v1.jsonl"):
        (home / "unreadable" / file).write_text('{"tokens": ["Ada"], "tags"\n', "utf-8")
    shutil.copytree(home / "web", home / "without")
    shutil.rmtree(home / "without" / "pred")
    (home / "news" / "pred" / "base-short-v1.jsonl").write_text('{"tokens": ["Ada"], "tags": ["O"]}\n', "utf-8")
    return home


FAST = ["--ci", "0"]


def test_json_has_the_shape_that_is_promised(folder, found, capsys):
    assert cli.main(["report", str(folder), "--json", "--ci", "20", "--seed", "7"]) == 0
    said = capsys.readouterr()
    got = json.loads(said.out)
    keys = ["datasets", "model_wise", "attribute_wise", "self_diagnosis", "comparative_diagnosis", "ranks", "not_read"]
    assert list(got) == [*keys, "read_as"] and got["not_read"] == []
    assert list(got["datasets"]) == list(DATASETS)
    for own in got["datasets"].values():
        assert own["contamination"]["n_samples"] and "rate_partial" in own["contamination"]
        for scores in own["systems"].values():
            for metric, value in (("exact_f1", "f1"), ("partial_f1", "f1_overlap"), ("clean_f1", "delta_recall")):
                assert {value, f"{value}_low", f"{value}_high"} <= set(scores[metric])
    assert got["datasets"]["bio"]["systems"] == plain(found.datasets["bio"].to_dict())["systems"]
    assert got["model_wise"] == plain(found.model_wise) and got["ranks"] == plain(found.ranks)
    assert len(got["read_as"]) == 3 * 2 + 11
    assert f"{folder}: a study of 3 datasets and 4 systems" in said.err


def test_what_cannot_be_read_is_named_and_the_others_go_on(broken, tmp_path, capsys):
    page = tmp_path / "study.html"
    assert cli.main(["report", str(broken), "-o", str(page), *FAST]) == 2
    said = capsys.readouterr()
    assert said.out == f"Written to {page}.\n"
    lines = said.err.splitlines()
    assert lines[0] == f"cleancut: {broken}: a study of 3 datasets and 4 systems"
    assert lines[1] == (
        f"cleancut: without is left out: {broken / 'without'} has no folder pred. Add one with a file for each system."
    )
    assert lines[2].startswith("cleancut: news, base-short-v1 is left out: ") and "45 samples but" in lines[2]
    assert lines[3].startswith("cleancut: unreadable is left out: ") and "line 1" in lines[3]
    words = Words(page.read_text("utf-8")).text
    assert "Not read" in words and "has no folder pred" in words
    assert cli.main(["report", str(broken), "--json", *FAST]) == 2
    got = json.loads(capsys.readouterr().out)
    assert list(got["datasets"]) == list(DATASETS)
    assert [(one["dataset"], one["system"]) for one in got["not_read"]] == [
        ("without", None), ("news", "base-short-v1"), ("unreadable", None),
    ]  # fmt: skip
    assert all(one["reason"] for one in got["not_read"])


def test_types_and_columns_have_other_names(folder, tmp_path):
    """Options of reading and names of types are those of the other commands."""
    home = tmp_path / "study" / "only"
    shutil.copytree(folder / "news", home)
    for file in [home / "train.jsonl", home / "test.jsonl", home / "pred" / f"{SYSTEMS[1]}.jsonl"]:
        renamed = file.read_text("utf-8").replace('"PER"', '"person"').replace('"tokens"', '"words_of"')
        file.write_text(renamed, "utf-8")
    (home / "pred" / f"{SYSTEMS[2]}.jsonl").unlink()
    (home / "pred" / f"{SYSTEMS[3]}.jsonl").unlink()
    types = {"person": "PER"}
    found = cc.study(home.parent, ci=None, types=types, tokens="words_of", answers="json", ignore_types=True)
    train, test = (cc.read(home / f"{split}.jsonl", tokens="words_of") for split in ("train", "test"))
    llm = cc.read_answers(home / "pred" / f"{SYSTEMS[0]}.jsonl", test, types=types)
    assert "f1/PER" in found.datasets["only"].scores[SYSTEMS[0]]["exact_f1"]
    assert found.scores["only"][SYSTEMS[0]]["exact_f1"].f1 == cc.exact_f1(test, llm, types=types).f1
    clean = cc.clean_f1(test, llm, cc.Exposure.of(train), types=types)
    assert found.scores["only"][SYSTEMS[0]]["clean_f1"].clean_f1 == clean.clean_f1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nowhere", "nowhere: no such folder. Give a folder with a folder for each dataset."),
        (
            "empty",
            "empty is not a study: no folder in it has a folder pred. Give a folder with a folder for each",
        ),
        (". --gold g.conll", "--gold has no effect on a study, whose folder holds the data. Leave it out."),
        (". --errors 5", "--errors has no effect on a study"),
        (". --beta 2", "--beta has no effect on a study"),
        ("news --ignore-types LOC --ci -1", "ci=-1 is out of range"),
        ("twice", "two files of the system a, a.conll and a.jsonl. Rename one."),
        ("alike", "alike has two train files, train.conll and train.jsonl. Leave one of them there."),
        ("pair -o pair/news/test.jsonl", "pair/news/test.jsonl would be written over, but it is read."),
        ("", "report: give --gold FILE and --pred FILE, or the folder of a study."),
    ],
)
def test_errors_are_one_line(folder, tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder / "news", tmp_path / "news")
    (tmp_path / "empty").mkdir()
    for name in ("twice", "alike"):
        shutil.copytree(folder / "bio", tmp_path / name)
    for ending in ("conll", "jsonl"):
        (tmp_path / "twice" / "pred" / f"a.{ending}").touch()
        (tmp_path / "alike" / f"train.{ending}").touch()
    shutil.copytree(folder / "news", tmp_path / "pair" / "news")
    assert cli.main(["report", *arguments.split()]) == 2
    said = capsys.readouterr()
    assert message in said.err and said.err.count("\n") == 1 and not said.out


def test_options_of_answers_are_refused_where_no_system_has_any(folder, tmp_path):
    shutil.copytree(folder / "news", tmp_path / "news")
    (tmp_path / "news" / "pred" / f"{SYSTEMS[0]}.jsonl").unlink()
    with pytest.raises(cc.CleancutError, match="--ignore-types has no effect: no file holds answers"):
        cc.study(tmp_path, ignore_types=True)
    with pytest.raises(cc.CleancutError, match="option 'colum' is unknown. Did you mean"):
        cc.study(tmp_path, colum=3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "datasets={} is not valid. Give a folder, or {dataset:"),
        (3, "datasets=3 is not valid. Give a folder"),
        ({"news": 3}, "no dataset of the study could be read. news: news is 3. Give"),
        ({"news": {"train": 1, "test": 2, "pred": {}}}, "news: train is 1, of type int. Give a corpus."),
    ],
)
def test_bad_data_in_memory(given, message):
    with pytest.raises(cc.CleancutError) as error:
        cc.study(given)
    assert message in str(error.value)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_shown_on_a_terminal_only(folder, monkeypatch, capsys):
    import tqdm.auto

    made = []

    class Bar(tqdm.auto.tqdm):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **{**options, "delay": 0, "mininterval": 0})
            made.append(self)

        def close(self):
            made.append(self.n)
            super().close()

    monkeypatch.setattr(tqdm.auto, "tqdm", Bar)
    # a command that ran in this process before may have switched them off
    monkeypatch.setattr("datasets.utils.are_progress_bars_disabled", lambda: False)
    cc.study(folder, ci=None)
    assert made == [] and capsys.readouterr().err == ""
    monkeypatch.setattr(sys, "stderr", Terminal())
    cc.study(folder, ci=None)
    assert len(made) >= 2 and made[1] == pytest.approx(1.0)
    shown = sys.stderr.getvalue()
    assert "study" in shown and "news: 4 systems" in shown and "web: 3 systems" in shown


def test_many_files_of_a_format_are_told_in_one_line(folder, monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert cli.main(["report", str(folder), "--format", "csv", *FAST]) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "read as" in line]
    assert any(line.startswith("cleancut: 3 files: read as CoNLL columns") for line in told) and len(told) < 6
    assert "cleancut: 3 files: read as JSONL with answers of a language model" in told


# --- what is shown ---------------------------------------------------------------------------------------------------


class Words(HTMLParser):
    """The text of a page, without that of its style and script."""

    def __init__(self, page):
        super().__init__()
        self._said, self._hidden = [], 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self._hidden += tag in ("style", "script")

    def handle_endtag(self, tag):
        self._hidden -= tag in ("style", "script")

    def handle_data(self, data):
        if not self._hidden:
            self._said.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self._said).split())


SECTIONS = [
    "scores", "contamination", "model-wise", "attribute-wise", "self-diagnosis", "comparative-diagnosis", "ranks",
]  # fmt: skip


def has_every_score(words, found):
    for name, own in found.datasets.items():
        assert f"{name}: {100 * own.contamination['rate_partial']:.1f}% contaminated" in words
        for scores in own.scores.values():
            for metric, value in (("exact_f1", "f1"), ("partial_f1", "f1_overlap"), ("clean_f1", "delta_f1")):
                score = scores[metric]
                ends = f"{100 * score[f'{value}_low']:.2f} to {100 * score[f'{value}_high']:.2f}"
                assert f"{100 * score[value]:.2f} {ends}" in words, (name, value)


def test_the_page_of_a_large_study_has_an_overview_and_folds_the_rest(found, monkeypatch):
    """Eleven scores of four systems on three datasets are few; here ten are many."""
    small = cc.html_study(found)
    monkeypatch.setattr("cleancut.showing.study_tables._MOST_SCORES", 10)
    monkeypatch.setattr("cleancut.showing.study_tables._MOST_ROWS", 3)
    large = cc.html_study(found)
    assert "all scores (%)" not in small and large.count(": all scores (%)</summary>") == 3
    assert large.count("<details") > small.count("<details") + 6
    has_every_score(Words(large).text, found)
    table = large.partition(">F1 (%)<")[2].partition("<table")[2].partition("</table>")[0]
    overview = Words(f"<table{table}").text.split()
    lacking = next(name for name in found.systems if any(name not in own for own in found.scores.values()))
    datasets, of_system = overview[1:4], [found.scores[name].get(lacking) for name in found.datasets]
    wanted = ["-" if own is None else f"{100 * own['exact_f1'].f1:.2f}" for own in of_system]
    assert datasets == list(found.datasets) and " ".join(wanted) in " ".join(overview) and "-" in wanted
    slugs = [exhibit.slug for section in study_sections(found) for exhibit in section.exhibits]
    assert len(slugs) == len(set(slugs))


def test_the_page_holds_every_score_with_its_interval(found):
    page = cc.html_study(found, title="Three & more")
    words = Words(page).text
    assert page == cc.html_study(found, title="Three & more")
    assert "Three & more" in words and "3 datasets · 4 systems" in words
    has_every_score(words, found)
    assert [f'<section id="{slug}">' in page for slug in SECTIONS] == [True] * len(SECTIONS)
    assert "base-" not in words.replace("base-llm-v1: ", "").partition("How this was computed")[0]  # what all share
    assert "-overlap" not in words.partition("How this was computed")[0] and "overlap: " not in words
    assert "rho (%)" in words and "% of the largest zeta" in words and "attribute" in words
    n_invented = found.scores["web"][SYSTEMS[0]]["exact_f1"].n_invented
    answered = words.partition("Answers of language models")[2].partition("web")[2]
    assert n_invented and answered.split()[4] == str(n_invented), answered[:80]  # after the name and three counts
    assert "http" not in page.replace("http-equiv", "")


def test_text_tables_notebook_and_pictures_have_the_same_numbers(found, tmp_path):
    text = study_text(found)
    assert max(map(len, text.split("\n\n")[0].splitlines())) <= 80
    f1 = found.scores["news"][SYSTEMS[1]]["exact_f1"].f1
    sections = study_sections(found)
    slugs = [exhibit.slug for section in sections for exhibit in section.exhibits]
    assert len(slugs) == len(set(slugs))
    for shown in (text, found._repr_html_(), *(tables(sections, one) for one in (Format.MARKDOWN, Format.LATEX))):
        assert f"{100 * f1:.2f}" in shown
    assert f",{f1}," in tables(sections, Format.CSV)
    assert repr(found) == f"Study of {', '.join(SYSTEMS)} on bio, news, web"


@pytest.mark.slow
def test_pictures(folder, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert cli.main(["report", str(folder), "--plots", str(tmp_path / "plots"), *FAST]) == 0
    names = {path.name for path in (tmp_path / "plots").glob("*.svg")}
    assert {"zeta.svg", "rho.svg", "gap-1.svg", "contaminated-samples.svg", "std.svg"} <= names
    assert "rho (%)" in (tmp_path / "plots" / "rho.svg").read_text("utf-8")


@pytest.mark.slow
def test_names_of_others_break_no_page(folder, tmp_path):
    evil = "<script>alert(1)</script>&"
    train, test, pred = files_of(folder, "news")
    data = {evil: {"train": train, "test": test, "pred": {evil: pred[SYSTEMS[1]], "b": pred[SYSTEMS[2]]}}}
    found = cc.study(data, ci=None)
    for shown in (cc.html_study(found, title=evil), found._repr_html_()):
        assert "<script>alert" not in shown and "&lt;script&gt;alert" in shown


@pytest.fixture(scope="module")
def wide_page(folder, tmp_path_factory):
    """A page on fifteen systems with long names."""
    train, test, _ = files_of(folder, "news")
    pred = {f"my-organisation_bert-large-{i:02d}-finetuned": noisy(test, i, 0.05 * i) for i in range(15)}
    found = cc.study({"news": {"train": train, "test": test, "pred": pred}}, ci=None, min_count=MIN_COUNT)
    path = tmp_path_factory.mktemp("wide") / "study.html"
    path.write_text(cc.html_study(found), "utf-8")
    return path


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_in_a_browser_needs_no_script_and_does_not_overflow(browser, wide_page, width):
    context = browser.new_context(viewport={"width": width, "height": 900}, java_script_enabled=False)
    tab = context.new_page()
    tab.goto(wide_page.as_uri())
    assert tab.locator("main").bounding_box()["width"] <= width
    for table in tab.locator(".scroll:visible").all():
        box = table.bounding_box()
        assert box["x"] + box["width"] <= width
    first = tab.locator("#scores .scroll tbody th[scope=row]").first
    assert first.inner_text() in {f"{i:02d}" for i in range(15)}  # what differs between the names
    assert first.evaluate("cell => getComputedStyle(cell).position") == "sticky"
    context.close()
