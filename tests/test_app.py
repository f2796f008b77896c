"""The app, as people and programs use it: a server of its own, a browser that clicks, a client that calls."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from hub import Hub
from packaging.requirements import Requirement
from searching import few_moves
from serving import served
from visitors import client, left_folders, soon

import cleancut as cc
from cleancut import cli
from cleancut.app import jobs, sandbox
from cleancut.app.lesson import bracketed, lesson
from cleancut.core.shown import RELATED, percent
from cleancut.showing.tables import related_notes

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "spaces_app" / "examples"
RANDOM = EXAMPLES / "random"


# --- what it computes ---------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def quiet(share):
    pass


def test_scores_are_those_of_the_functions(here):
    gold, pred, train = (cc.read(RANDOM / f"{name}.conll") for name in ("test", "perceptron", "train"))
    made = jobs.score(RANDOM / "test.conll", RANDOM / "perceptron.conll", RANDOM / "train.conll", "", 1.0, quiet)
    clean = cc.clean_f1(gold, pred, cc.Exposure.of(train), staircase=True, ci=10_000)
    assert made.values["clean_f1"] == clean.to_dict()
    assert json.loads(Path("scores.json").read_text())["clean_f1"]["delta_f1_low"] == clean.delta_f1_low
    headline, _, _, errors = made.panels
    assert f"{100 * clean.delta_f1:.2f}" in headline
    wrong = [row for row in cc.errors(gold, pred).matches if row["kind"] != "exact"]
    assert errors.count("<li data-kind=") == len(wrong)
    assert Path("report.html").read_text().startswith("<!doctype html>")


@few_moves()
def test_what_is_left_under_looser_notions_is_in_each_result(here):
    files = [RANDOM / "train.conll", RANDOM / "test.conll"]
    train, test = map(cc.read, files)
    audit = cc.audit({"train": train, "test": test})
    scored = jobs.score(files[1], RANDOM / "perceptron.conll", files[0], "", 1.0, quiet)
    [sentence] = related_notes(audit.related)
    assert sentence[1:] in scored.panels[0] and sentence[1:] in Path("report.html").read_text()
    audited = jobs.audit_splits(files, "", "sample", "", "exact", quiet)
    divided = jobs.split(files, "", "0", "70/30", "sample", 7, 0, "exact", quiet)
    title = "Left under looser notions of the same name (%)"
    after = divided.values["related_after"]["test_vs_train"]
    for rates, texts in (
        (audit.related["test", "train"], [audited.panels[0], Path("audit.html").read_text()]),
        (after, [divided.panels[0], Path("split/report.html").read_text()]),
    ):
        for text in texts:
            table = text.split(title)[-1].split("</table>")[0]
            assert [percent(rates[f"rate_{name}"]) in table for name in RELATED] == [True] * 4
    assert f"{title}, before" in divided.panels[0]


def test_what_is_pasted_is_shown_as_text(here):
    gold = '<script>alert(1)</script> B-<b>x\n"&\u202e O\n'
    made = jobs.score(gold, gold.replace("B-<b>x", "O"), "", "", 1.0, quiet)
    assert "<script" not in "".join(made.panels) and "<b>x" not in "".join(made.panels)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in made.panels[-1]


def test_without_predictions_the_last_two_columns_count(here):
    made = jobs.score("Ada B-PER B-PER\nran O B-PER\n", "", "", "", 1.0, quiet)
    assert made.values["exact_f1"]["precision"] == 0.5


@pytest.mark.parametrize(
    ("gold", "pred", "message"),
    [
        ("", "a O\n", "no gold annotation: paste"),
        (" \n", "a O\n", "no gold annotation: paste"),
        ('{"tokens": ["a"], "tags": ["O"]}\n', "", "no predictions: paste"),
        ('{"tokens": ["a"], "tags": ["O"]}\n', "\n \n", "no predictions: paste"),
        ("a O\n", "b O\n", "b"),
        ("a\n", "a O\n", "pasted gold annotation, line 1"),
        ("a O\n" * 6_000_000, "a O\n", "more than 20 MB"),
    ],
)
def test_bad_input_is_told_by_its_name(here, gold, pred, message):
    with pytest.raises(cc.CleancutError, match=message) as found:
        jobs.score(gold, pred, "", "", 1.0, quiet)
    assert str(here) not in str(found.value)


def test_packed_files_are_bounded_by_what_they_hold(here, tmp_path):
    import gzip

    bomb = tmp_path / "uploads" / "bomb.conll.gz"
    bomb.parent.mkdir()
    bomb.write_bytes(gzip.compress(b"a O\n" * 6_000_000))
    assert bomb.stat().st_size < 100_000
    with pytest.raises(cc.CleancutError, match="more than 20 MB"):
        jobs.score(bomb, "a O\n", "", "", 1.0, quiet)
    import pyarrow as pa
    import pyarrow.parquet as pq

    long_word = pa.array([["x" * 1_000_000]] * 100)  # a dictionary holds it once
    packed = bomb.with_name("bomb.parquet")
    pq.write_table(pa.table({"tokens": long_word, "tags": pa.array([["O"]] * 100)}), packed, write_statistics=False)
    assert packed.stat().st_size < 100_000
    with pytest.raises(cc.CleancutError, match="more than 20 MB"):
        jobs.score(packed, "a O\n", "", "", 1.0, quiet)


def test_paths_are_not_datasets(here):
    for path in ("/etc", "../..", str(RANDOM), "no such"):
        with pytest.raises(cc.CleancutError, match="not the id of a dataset"):
            jobs.audit_splits([], path, "sample", "", "exact", quiet)


@pytest.mark.slow
def test_datasets_of_the_hub_are_read_as_anyone_may_read_them(tmp_path):
    """The machine that serves the app may know a token; visitors must not read by it."""
    line = '{"tokens": ["%s"], "tags": ["B-PER"]}\n'
    rows = {"train.jsonl": line % "Ada" + line % "Bo", "test.jsonl": line % "Ada"}
    code = (
        "import cleancut\nfrom cleancut.app import jobs\n"
        "for name, most in (('org/open', 10**9), ('org/closed', 10**9), ('org/open', -1)):\n"
        "    jobs.MOST_HUB_BYTES = most\n"
        "    try:\n"
        "        made = jobs.audit_splits([], name, 'sample', '', 'exact', lambda share: None)\n"
        "        print(made.values['test_vs_train']['n_full'])\n"
        "    except cleancut.CleancutError as error:\n"
        "        print('refused:', error)\n"
    )
    with Hub() as hub:
        for name in ("org/open", "org/closed"):
            hub.put("dataset", name, rows)
        hub.repos["dataset", "org/closed"].private = True

        environment = hub.environment(tmp_path / "home")
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    is_read, is_private, is_large = done.stdout.splitlines()
    assert is_read == "1"
    assert is_private.startswith(
        "refused: org/closed is neither a path on this machine nor a dataset on the Hub that you may see"
    )
    assert is_large.startswith("refused: org/open is too large for the app")
    assert not (tmp_path / "home").exists()


@pytest.mark.slow
@few_moves()
def test_the_command_and_the_python_shown_make_the_same_split(here, tmp_path):
    files = [RANDOM / "train.conll", RANDOM / "test.conll"]
    made = jobs.split(files, "", "0.01", "70/30", "sample", 7, 5, "exact", quiet)
    plan = json.loads(Path("plan.json").read_text())
    assert plan["assignment"] == made.values["assignment"]
    with zipfile.ZipFile("split.zip") as packed:
        assert {"train.conll", "test.conll", "discarded.conll", "plan.json"} <= set(packed.namelist())
        held = {name: packed.read(name) for name in ("train.conll", "test.conll")}
    folder = tmp_path / "again"
    folder.mkdir()
    for file in files:
        shutil.copy(file, folder)
    os.chdir(folder)
    assert cli.main(made.values["command"].split()[1:]) == 0
    assert {name: Path("clean", name).read_bytes() for name in held} == held
    names: dict = {}
    exec(made.values["python"], names)
    assert names["plan"].assignment.tolist() == plan["assignment"]


@pytest.mark.slow
def test_the_examples_are_what_the_script_makes(tmp_path):
    sys.path.insert(0, str(EXAMPLES.parent))
    try:
        from make_examples import make
    finally:
        sys.path.pop(0)
    make(tmp_path)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.conll")}
    assert made == {path.relative_to(EXAMPLES): path.read_bytes() for path in EXAMPLES.rglob("*.conll")}


def test_the_lesson_is_the_papers_example():
    numbers = {
        n.name: n for n in lesson("[Alice PER]", "[Alice PER] [Bob PER] Charlie", "[Alice PER] [Bob PER] [Charlie PER]")
    }
    assert round(numbers["Precision"].value, 3) == 0.667 and numbers["Precision"].how == "2 right of 3 predicted"
    assert numbers["Clean recall"].value == 1.0 and round(numbers["Clean F1"].value, 3) == 0.8
    for text, message in (("[Alice PER", "is open"), ("[PER]", "not a name"), (" \n", "no words"), ("]", "is open")):
        with pytest.raises(cc.CleancutError, match=message):
            bracketed(text, "gold")
    with pytest.raises(cc.CleancutError, match="same words"):
        lesson("a", "a b", "a c")


# --- processes of their own ---------------------------------------------------------------------------------


def in_parts(tell):
    for _ in range(4):
        tell(0.25)


def greedy(tell):
    bytearray(sandbox.MOST_MEMORY + 1)


def slow(tell):
    tell(0.5)
    time.sleep(600)


def busy(tell):
    while True:
        pass


def broken(tell):
    raise KeyError("a secret")


def refused(what, tell):
    Path("here.txt").write_text("x")
    raise cc.CleancutError(f"no {what}")


@pytest.mark.slow
def test_time_by_the_clock_is_bounded_and_is_not_called_processor_time(tmp_path):
    with pytest.raises(cc.CleancutError, match="longer than 2.5 seconds by the clock and was stopped"):
        list(sandbox.steps(slow, folder=str(tmp_path), seconds=1))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows bounds no processor time")
def test_processor_time_is_bounded_before_the_clock_is(tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "MOST_WAITING", 10_000)
    with pytest.raises(cc.CleancutError, match="longer than 1 seconds of processor time"):
        list(sandbox.steps(busy, folder=str(tmp_path), seconds=1))


@pytest.mark.slow
def test_progress_rises_from_nothing_to_all(tmp_path):
    told = list(sandbox.steps(in_parts, folder=str(tmp_path), seconds=60))
    assert told == sorted(told) and told[0] == 0 and told[-1] == 1


@pytest.mark.slow
def test_errors_of_the_user_are_told_and_others_are_not(tmp_path):
    with pytest.raises(cc.CleancutError, match="no milk"):
        sandbox.run_bounded(refused, "milk", folder=str(tmp_path), seconds=30)
    assert (tmp_path / "here.txt").exists()
    with pytest.raises(cc.CleancutError) as found:
        sandbox.run_bounded(broken, folder=str(tmp_path), seconds=30)
    assert "unexpectedly" in str(found.value) and "secret" not in str(found.value)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux")
@pytest.mark.slow
def test_memory_is_bounded(tmp_path):
    with pytest.raises(cc.CleancutError, match="more memory than the app gives"):
        sandbox.run_bounded(greedy, folder=str(tmp_path), seconds=30)


def test_work_ends_when_nobody_waits(tmp_path):
    stopped = threading.Event()
    work = sandbox.steps(slow, folder=str(tmp_path), seconds=60, stopped=stopped)
    next(work)
    stopped.set()
    with pytest.raises(sandbox.Stopped):
        list(work)


# --- a server -----------------------------------------------------------------------------------------------


def test_score_in_the_browser(visit):
    me = visit()
    gold, train = cc.read(RANDOM / "test.conll"), cc.Exposure.of(cc.read(RANDOM / "train.conll"))
    score = cc.clean_f1(gold, cc.read(RANDOM / "perceptron.conll"), train)
    for value in (score.f1, score.clean_f1, score.delta_f1):
        me.shown(f"{100 * value:.2f}")
    for panel, text in (
        ("Novelty", "Error rate by kind of token"),
        ("Buckets", "Sentence length"),
        ("Errors", "gold mention"),
    ):
        me.open(panel)
        me.shown(text)
    errors = me.page.locator("li[data-kind]:visible")
    others = me.page.locator("li:not([data-kind]):visible")
    kinds, n_others = errors.evaluate_all("all => all.map(one => one.dataset.kind)"), others.count()
    me.page.get_by_role("radio", name=re.compile("missed")).check()
    assert errors.count() == kinds.count("missed") < len(kinds)
    assert others.count() == n_others > 0  # lists of other sections are no errors
    assert b"<!doctype html>" in me.saved("Save report.html")
    assert json.loads(me.saved("Save scores.json"))["clean_f1"]["f1"] == score.f1
    me.open("Headline")
    me.choose("A look-up of training names, random split")
    lookup = cc.clean_f1(gold, cc.read(RANDOM / "lookup.conll"), train)
    me.shown(f"{100 * lookup.f1:.2f}")
    me.shown(f"{100 * lookup.contaminated_recall:.2f}")
    me.box("Gold").fill("Ada B-PER\n")
    me.choose("A look-up of training names, random split")  # once more, to come back
    assert soon(lambda: me.box("Gold").input_value() == (RANDOM / "test.conll").read_text())
    me.about("Example: lookup.conll")
    assert me.page.locator("#score-results").get_attribute("data-state") == "new"


def test_paste_and_upload_and_a_bad_upload(visit):
    me = visit()
    for label, text in (
        ("Gold", "Ada B-PER\nran O\n"),
        ("Predictions", "Ada B-PER\nran B-PER\n"),
        ("Training data (optional)", ""),
    ):
        me.box(label).fill(text)
    me.press("Score")
    me.shown("50.00")
    buttons = me.page.get_by_role("button", name="Upload a file instead")
    me.upload(buttons.nth(1), ("mine.jsonl", '{"tokens": ["Ada", "ran"], "tags": ["B-PER", "O"]}\n'))
    me.shown("mine.jsonl")
    me.press("Score")
    me.shown("100.00")
    me.box("Predictions").fill("Ada O\nran B-PER\n")  # what was given last counts
    me.page.get_by_role("button", name="mine.jsonl").wait_for(state="detached")
    me.press("Score")
    me.about("pasted predictions on pasted gold")
    me.shown("0.00")
    me.upload(buttons.nth(1), ("bad.jsonl", '{"tokens": ["Ada"\n'))
    me.page.get_by_role("button", name="bad.jsonl").wait_for()
    me.press("Score")
    me.is_said("Not computed")
    said = me.said()
    assert "bad.jsonl" in said and "line 1" in said and "Traceback" not in said and "/" not in said


def test_files_are_deleted_when_the_page_is_closed(server, visit):
    """Uploads and what was made of them; but not what another page has uploaded as well, nor an example."""
    same, example = "Secretfour B-PER\n", (RANDOM / "train.conll").read_text()

    def held(text):
        found = []
        for folder, _, names in os.walk(server.folder / "files"):
            for name in names:
                with suppress(FileNotFoundError):  # it is being deleted
                    found += [name] * (text.encode() in Path(folder, name).read_bytes())
        return sorted(found)

    one, other = visit(), visit()
    for visitor, name in ((one, "Secretone"), (other, "Secretwo")):
        visitor.page.get_by_label("Training data (optional)", exact=True).fill("")
        buttons = visitor.page.get_by_role("button", name="Upload a file instead")
        visitor.upload(buttons.nth(0), ("same.conll", same))
        visitor.page.get_by_role("button", name="same.conll").wait_for()
        visitor.upload(visitor.page.get_by_role("button", name="same.conll"), ("own.conll", f"{name} B-PER\n"))
        visitor.page.get_by_role("button", name="own.conll").wait_for()
        visitor.box("Predictions").fill(f"{name} O\n")
        visitor.press("Score")
        visitor.shown("it is not known how much of it is memory")
        assert soon(lambda name=name: held(name) == ["own.conll", "report.html"])
    one.open("Audit")
    one.add(("train.conll", example))
    names = one.page.locator(".filename:visible")
    assert soon(lambda: names.count() == 1)  # the visitor's file, in the place of the example's two
    assert held(example) == ["train.conll"] and held(same) == ["same.conll"]
    one.leave()
    assert soon(lambda: held("Secretone") == [])
    assert held("Secretwo") == ["own.conll", "report.html"] and held(same) == ["same.conll"]
    other.leave()
    assert soon(lambda: held("Secretwo") == []) and soon(lambda: held(same) == [])
    assert held(example) == ["train.conll"]


def test_audit_in_the_browser(visit):
    me = visit()
    me.open("Audit")
    me.shown("The samples of each split against each other")
    me.open("What leaks")
    found = cc.audit({name: cc.read(RANDOM / f"{name}.conll") for name in ("train", "test")})
    me.shown(found.top_leaks[0]["entity"])
    me.shown("The same entity on both sides.")
    pair = json.loads(me.saved("Save audit.json"))["test_vs_train"]
    assert pair == found.pairs["test", "train"]
    me.page.get_by_label("Or a dataset on the Hub").fill("/etc/passwd")
    me.press("Audit")
    me.shown("is not the id of a dataset on the Hub")


def test_split_in_the_browser(visit, tmp_path):
    me = visit()
    me.tab("Split")
    me.shown("No entity is shared between any two splits.")
    me.page.get_by_label("Ratios").fill("70/30")
    me.press("Split")
    me.about("train.conll, test.conll")
    plan = tmp_path / "plan.json"
    plan.write_bytes(me.saved("Save plan.json"))
    assert set(cc.SplitPlan.load(plan).sizes) == {"train", "test"}
    (tmp_path / "split.zip").write_bytes(me.saved("Save split.zip"))
    with zipfile.ZipFile(tmp_path / "split.zip") as packed:
        assert "report.html" in packed.namelist()
        assert "<h1>Split of train.conll, test.conll</h1>" in packed.read("report.html").decode()
    me.open("Command")
    command = me.page.locator("pre:visible").first.inner_text()
    assert command.startswith("cleancut split train.conll test.conll -o clean --ratios 70/30")


def test_compare_in_the_browser(visit):
    me = visit()
    me.open("Compare")
    me.shown("pairs that swap")
    me.shown("small and lookup")
    me.shown("perceptron minus small (%)")
    found = json.loads(me.saved("Save comparison.json"))
    assert found["ranks"]["orders"]["f1"] == ["perceptron", "lookup", "small"]
    assert found["ranks"]["orders"]["clean_f1"] == ["perceptron", "small", "lookup"]


def test_learn_by_keyboard_on_a_phone_in_the_dark(visit):
    me = visit(viewport={"width": 390, "height": 844}, color_scheme="dark", has_touch=True)
    page = me.page
    while page.evaluate("document.activeElement.innerText") != "Learn":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    me.shown("2 right of 3 predicted")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_label("Prediction", exact=True).focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("[Alice PER] and Bob met Charlie .")
    me.shown("1 right of 1 predicted")
    me.shown("0 found of 1 unseen in training")
    page.get_by_label("Prediction", exact=True).fill("[Alice PER and")
    me.shown("a bracket is open, or none was opened")
    page.get_by_role("button", name="Train on Bob too").press("Enter")
    me.shown("0 found of 0 unseen in training")


def test_figures_are_as_dark_as_the_page(visit):
    for system, page, wanted in (
        ("dark", "", "dark"),
        ("light", "?__theme=dark", "dark"),
        ("dark", "?__theme=light", "light"),
    ):
        me = visit(query=page, color_scheme=system)
        assert me.page.evaluate("document.documentElement.dataset.theme") == wanted
        ink = me.page.locator(".report h2").first.evaluate("one => getComputedStyle(one).color")
        assert (sum(map(int, re.findall(r"\d+", ink)[:3])) > 384) == (wanted == "dark")


def test_two_at_once_see_their_own(visit):
    one, other = visit(), visit()
    for visitor, text in ((one, "Secretone B-PER\n"), (other, "Secrettwo B-LOC\nran O\n")):
        visitor.box("Gold").fill(text)
        visitor.box("Predictions").fill(re.sub("B-...", "O", text))
        visitor.page.get_by_label("Training data (optional)", exact=True).fill("")
    one.press("Score")
    other.press("Score")
    for visitor, mine, theirs in ((one, "Secretone", "Secrettwo"), (other, "Secrettwo", "Secretone")):
        visitor.shown("it is not known how much of it is memory")
        visitor.open("Errors")
        visitor.shown(mine)
        assert theirs not in visitor.page.content()
        assert theirs.encode() not in visitor.saved("Save report.html")


def test_the_pictures_of_the_guide_are_there_and_small():
    guide = ROOT / "docs" / "guides" / "app.md"
    shown = re.findall(r"!\[[^]]+\]\((\.\./images/app-\w+\.png)\)", guide.read_text("utf-8"))
    assert len(shown) == 2
    assert all(0 < (guide.parent / path).stat().st_size < 150_000 for path in shown)


# --- a client -----------------------------------------------------------------------------------------------


def test_the_snippet_of_the_card_runs(server, capsys):
    card = (ROOT / "spaces_app" / "README.md").read_text()
    code = "".join(re.findall(r"^```python\n(.*?)^```", card, re.M | re.S))
    assert "Client(" in code
    exec(code.replace('"my-org/cleancut"', repr(server.url)), {})
    said = capsys.readouterr().out
    assert "0.6666666666666666 0.0" in said and "no entity is shared" in said


def test_endpoints_are_named_and_bad_input_is_told(server):
    api = client(server)
    named = api.view_api(return_format="dict")["named_endpoints"]
    assert set(named) == {"/score", "/audit", "/split", "/compare", "/learn"}
    assert [p["parameter_name"] for p in named["/score"]["parameters"]] == [
        "gold",
        "predictions",
        "train",
        "types",
        "beta",
    ]
    with pytest.raises(Exception, match="two files|names|letters"):
        api.predict(splits={"../x": "a O\n", "test": "a O\n"}, api_name="/audit")
    with pytest.raises(Exception, match="no gold annotation"):
        api.predict(gold="", predictions="a O\n", api_name="/score")


def test_what_is_no_text_is_told_by_its_name(server):
    """Whatever a client puts into its JSON: an error without a message would be one of ours."""
    api, text = client(server), "Ada B-PER\n"
    good = {
        "/score": {"gold": text, "predictions": text, "train": text, "types": ""},
        "/audit": {"splits": {"train": text, "test": text}, "hub": "", "types": ""},
        "/split": {"splits": {"train": text}, "hub": ""},
        "/compare": {"gold": text, "systems": {"a": text, "b": text}, "train": "", "types": ""},
        "/learn": {"training": "[Ada PER]", "gold": "[Ada PER]", "prediction": "[Ada PER]"},
    }
    for endpoint, texts in good.items():
        for name in texts:
            for value in (5, True, [text], [[]], {"x": 1}):
                with pytest.raises(Exception, match=f"{name}.*Give (a text|texts by their names)"):
                    api.predict(**{**texts, name: value}, api_name=endpoint)
    without = api.predict(text, text, "", "", api_name="/score")
    assert without and api.predict(text, text, None, None, api_name="/score") == without


def test_the_requirements_of_the_space_are_those_of_the_package():
    """With their markers, and Gradio, which a Space has in the version that its card names."""
    asked = {line.strip() for line in (ROOT / "setup.cfg").read_text().splitlines()}
    assert set((EXAMPLES.parent / "requirements.txt").read_text().splitlines()) - asked == set()
    front = yaml.safe_load((EXAMPLES.parent / "README.md").read_text().split("---")[1])
    assert front["sdk"] == "gradio" and int(front["sdk_version"].partition(".")[0]) >= 6
    assert front["app_file"] == "app.py" and front["python_version"] and front["license"] == "apache-2.0"


def installed(folder, requirements):
    """The Python of an environment with what requirements name, and what that needs in turn; nothing else."""
    if os.name == "nt":
        pytest.skip("on Windows not everyone may make the links that the environment is made of")
    requirements = list(map(Requirement, requirements))
    asked = [(want, "") for want in requirements if not want.marker or want.marker.evaluate()]
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    site, seen = next(folder.glob("lib/python*/site-packages")), set()
    while asked:
        want, extra = asked.pop()
        if (want.name, extra) in seen:
            continue
        seen.add((want.name, extra))
        found = metadata.distribution(want.name)
        assert want.specifier.contains(found.version, prereleases=True), f"{want}, but {found.version} is here"
        for name in {file.parts[0] for file in found.files} - {"..", "__pycache__"}:
            if not (site / name).exists():
                (site / name).symlink_to(found.locate_file(name))
        for line in found.requires or ():
            need = Requirement(line)
            if not need.marker or need.marker.evaluate({"extra": extra}):
                asked += [(need, one) for one in ("", *need.extras)]
    return folder / "bin" / "python"


@pytest.mark.slow
@pytest.mark.app
def test_the_space_runs_on_its_files_and_requirements_alone(tmp_path):
    """Staged, uploaded, fetched and started where there is no cleancut."""
    staged = cc.stage_app(tmp_path / "space")
    files = {path.relative_to(staged).as_posix(): path for path in staged.rglob("*") if path.is_file()}
    del files["manifest.json"]  # what was staged, for the next time; it is not uploaded
    package = {path.relative_to(ROOT / "src") for path in (ROOT / "src" / "cleancut").rglob("*") if path.is_file()}
    examples = {path.relative_to(EXAMPLES.parent) for path in EXAMPLES.rglob("*.conll")}
    wanted = {path.as_posix() for path in package | examples if "__pycache__" not in path.parts}
    assert set(files) == wanted | {"app.py", "README.md", "requirements.txt"}
    fetched = tmp_path / "fetched"
    code = (
        "import sys, cleancut, huggingface_hub\n"
        "said, = cleancut.publish_app('org/app'); print(said)\n"
        "cleancut.publish_app('org/app', private=True, push=True)\n"
        f"huggingface_hub.snapshot_download('org/app', repo_type='space', local_dir={str(fetched)!r})\n"
    )
    with Hub() as hub:
        hub.put("space", "org/app", {"cleancut/gone.py": "", "cleancut/showing/assets/gone.css": "", "mine.md": "kept"})
        environment = hub.environment(tmp_path / "home")
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        pushed = hub.files("space", "org/app")
    assert {path: data for path, data in pushed.items() if path != "mine.md"} == {
        path: file.read_bytes() for path, file in files.items()
    }
    assert re.findall(r"^  (\S+)  [\d,]+ bytes$", done.stdout, re.M) == sorted(files)
    python = installed(tmp_path / "bare", (fetched / "requirements.txt").read_text().splitlines())
    assert subprocess.run([python, "-I", "-c", "import cleancut"], capture_output=True).returncode == 1
    command = [python, "-v", fetched / "app.py"]  # which says where each module comes from
    with served(command, tmp_path, PYTHONPATH="", GRADIO_ANALYTICS_ENABLED="False") as serving:
        api = client(serving)
        texts = {"training": "[Ada PER]", "gold": "[Ada PER] ran", "prediction": "[Ada PER] ran"}
        assert api.predict(**texts, api_name="/learn")["F1"] == 1.0
        scores = api.predict(gold="Ada B-PER\n", predictions="Ada B-PER\n", train="", api_name="/score")
        assert scores["exact_f1"]["f1"] == 1.0
    loaded = set(re.findall(r"code object from '?(/\S*/cleancut/[\w/]+\.py)", (tmp_path / "log.txt").read_text()))
    assert str(fetched / "cleancut" / "app" / "page.py") in loaded
    assert all(path.startswith(str(fetched)) for path in loaded)


def test_folders_of_the_work_are_gone(server):
    assert soon(lambda: left_folders(server) == [])
