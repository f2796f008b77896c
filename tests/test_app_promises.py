"""What the app promises to strangers: their result stays theirs, is named, can be cancelled, and holds up nobody."""

import hashlib
import html
import json
import os
import random
import re
import shlex
import shutil
import socket
import sys
import threading
import time
import zipfile
from concurrent.futures import CancelledError, ThreadPoolExecutor
from http.client import HTTPConnection
from io import BytesIO
from pathlib import Path

import pytest
from serving import served
from visitors import client, left_folders, soon, visitors_of, workers

import cleancut as cc
from cleancut import cli
from cleancut.app import advice, jobs, package
from cleancut.app.desk import Desk
from cleancut.app.panels import errors_panel
from cleancut.app.tab import progress
from cleancut.showing.report_data import findings
from cleancut.showing.sections import audit_sections, report_sections
from cleancut.showing.tables import audit_tables

ROOT = Path(__file__).resolve().parents[1]
RANDOM = ROOT / "spaces_app" / "examples" / "random"

MINE = [
    ("train_own.conll", "".join(f"Name{i} B-PER\nsang O\n\n" for i in range(40))),
    ("test_own.conll", "".join(f"Name{i} B-PER\nran O\n\n" for i in range(20))),
]
"""Splits that are split at once."""


def quiet(share):
    pass


def beginning(file):
    """The first samples of a file."""
    return "\n\n".join(file.read_text().split("\n\n")[:60]) + "\n"


def tangled_splits(n):
    """Files of ``n`` train and a quarter as many test sentences that frequent names connect, so that they are cut."""
    rng = random.Random(13)

    def sentence():
        names = [f"Name{int(n * rng.random() ** 2)}" for _ in range(3)]
        return "".join(f"{name} B-PER\nmet O\n" for name in names) + "\n"

    return [
        (f"{name}_long.conll", "".join(sentence() for _ in range(size)))
        for name, size in (("train", n), ("test", n // 4))
    ]


def slow_splits():
    """Files of splits that take many seconds."""
    return tangled_splits(20_000)


# --- 1. what was asked last counts ------------------------------------------------------------------------------


@pytest.fixture
def small_examples(tmp_path):
    """A folder of examples that take no time; the last one of those to be compared is no file of predictions."""
    folder = tmp_path / "examples"
    for split in ("random", "clean"):
        (folder / split).mkdir(parents=True)
        for name in ("train", "test", "perceptron", "small", "lookup"):
            part = "train" if name == "train" else "test"
            text = "".join(f"{split}{part}{i} B-PER\nran O\n\n" for i in range(60))
            (folder / split / f"{name}.conll").write_text(text)
    (folder / "random" / "lookup.conll").write_text("one\n")
    return folder


@pytest.mark.app
def test_late_examples_take_the_place_of_nothing(tmp_path, windows, small_examples):
    """A visitor has results before the examples are there, also of an example that was asked for first."""
    gate = tmp_path / "gate"
    command = [sys.executable, ROOT / "tests" / "late_examples.py", small_examples, gate]
    with (
        served(command, tmp_path, PYTHONPATH=str(ROOT / "src")) as serving,
        visitors_of(windows, serving.url) as came,
    ):
        me = came(sees_example=False)
        me.choose("The same, clean split")
        boxes = [me.box(label) for label in ("Gold", "Predictions")]
        example = (small_examples / "clean" / "test.conll").read_text()
        assert soon(lambda: boxes[0].input_value() == example)  # while its result is on its way
        for box in boxes:
            box.fill("Zoe B-PER\n")
        me.page.get_by_label("Training data (optional)", exact=True).fill("")
        me.press("Score")
        me.about("pasted predictions on pasted gold")
        me.open("Split")
        me.add(*MINE)
        me.page.get_by_label("Ratios").fill("50/50")
        me.press("Split")
        me.about("train_own.conll, test_own.conll")
        me.open("Compare")
        gate.touch()
        me.shown("The example could not be computed. Your own data can be.")
        other = came(sees_example=False)
        other.tab("Split")  # the last of the examples is there
        me.open("Score")
        assert [box.input_value() for box in boxes] == ["Zoe B-PER\n"] * 2
        assert me.result() == "pasted predictions on pasted gold"
        me.open("Split")
        assert me.result() == "train_own.conll, test_own.conll"
        with zipfile.ZipFile(BytesIO(me.saved("Save split.zip"))) as packed:
            assert b"Name7 " in packed.read("train.conll") + packed.read("test.conll")


def test_tabs_open_without_work(server, visit):
    """Their examples were computed for all visitors."""
    first = visit()
    first.tab("Split")
    seen = set()
    stopped = threading.Event()

    def watch():
        while not stopped.wait(0.02):
            seen.update(workers(server))

    watching = threading.Thread(target=watch)
    watching.start()
    me = visit()
    for tab in ("Audit", "Split", "Compare"):
        me.tab(tab)
    stopped.set()
    watching.join()
    assert seen == set()


def test_a_new_request_ends_the_one_before(server, visit):
    me = visit()
    me.tab("Split")
    me.add(*slow_splits())
    me.press("Split")
    assert soon(lambda: len(workers(server)) == 1)
    before = workers(server)
    me.page.get_by_label("Ratios").fill("60/40")
    me.press("Split")
    assert soon(lambda: not set(before) & set(workers(server)))
    me.about("test_long.conll")
    assert set(json.loads(me.saved("Save plan.json"))["sizes"]) == {"train", "test"}


def test_of_each_tab_the_newest_request_counts():
    desk = Desk()
    first = desk.ask("page", "score")
    other, elsewhere = desk.ask("page", "split"), desk.ask("another page", "score")
    running = desk.stopped("page", "score", first)
    second = desk.ask("page", "score")
    assert running.is_set() and desk.stopped("page", "score", first).is_set()
    assert not desk.stopped("page", "score", second).is_set()
    assert desk.is_newest("page", "split", other) and desk.is_newest("another page", "score", elsewhere)
    desk.cancel("page", "score")
    assert desk.is_cancelled("page", "score") and not desk.is_newest("page", "score", second)
    desk.leave("page")
    assert not desk.has_asked("page", "split") and desk.stopped("page", "split", other).is_set()
    assert desk.is_newest("another page", "score", elsewhere) and not desk.is_cancelled("page", "score")


# --- 2. the chosen split comes first ----------------------------------------------------------------------------


def test_the_trade_off_is_a_button(visit):
    me = visit()
    me.tab("Split")
    me.add(*MINE)
    me.page.get_by_label("Ratios").fill("50/50")
    me.press("Split")
    me.about("test_own.conll")
    me.open("Trade-off")
    assert me.page.locator("figure circle:visible").count() == 0
    me.press("Compute the trade-off")
    assert soon(lambda: me.page.locator("figure circle:visible").count() == 5)
    assert soon(lambda: me.said() == "")
    rows = me.page.locator("figure table:visible tbody tr")
    assert rows.count() == 5
    names = [row.split("\t")[0] for row in rows.all_inner_texts()]
    assert names[0] == "nothing" and names[-1] == "what it takes to share nothing"


# --- 3. progress, and its end -----------------------------------------------------------------------------------

WATCH = """() => {
  window.told = [];
  const note = () => document.querySelectorAll(".notice progress").forEach(
    (one) => window.told.push([one.value, one.parentElement.innerText]));
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def test_progress_rises_to_100_with_the_time_left(visit):
    me = visit()
    me.tab("Split")
    me.add(*tangled_splits(6_000))
    me.page.evaluate(WATCH)
    me.press("Split")
    me.about("test_long.conll")
    told = me.page.evaluate("window.told")
    shares = [share for share, _ in told]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 100 and len(set(shares)) > 5
    assert any(re.fullmatch(r"Computing: \d+%, (about \d+ s|a second) left", text.strip()) for _, text in told)
    assert me.said() == ""


@pytest.mark.parametrize(
    ("done", "left", "text"),
    [
        (0, None, "Computing: 0%"),
        (0.425, 61.2, "Computing: 42%, about 61 s left"),
        (0.1, 600, "10%, about 10 min left"),
    ],
)
def test_progress_says_how_long_it_may_take(done, left, text):
    assert text in progress(done, left) and f'value="{int(100 * done)}"' in progress(done, left)


def test_cancel_ends_the_work(server, visit):
    me = visit()
    me.tab("Split")
    me.add(*slow_splits())
    me.press("Split")
    assert soon(lambda: len(workers(server)) == 1)
    me.press("Cancel")
    assert soon(lambda: workers(server) == [])
    me.is_said("Cancelled.")
    assert soon(lambda: me.page.get_by_role("button", name="Cancel").locator("visible=true").is_disabled())
    me.open("Audit")
    me.about("Example:")  # an answer that came meanwhile would be there by now
    me.open("Split")
    assert me.said() == "Cancelled." and me.result() == ""
    assert me.page.get_by_role("button", name="Save split.zip").is_disabled()


def test_closing_the_page_ends_the_work(server, visit):
    me = visit()
    me.tab("Split")
    me.press("Split")
    assert soon(lambda: len(workers(server)) == 1)
    me.leave()
    assert soon(lambda: workers(server) == [], 30)  # the work itself takes longer


def test_one_limit_holds_for_all_ways_in(server, visit):
    """Two computations at a time, whichever tabs and endpoints they are asked for at."""
    api = client(server)
    texts = {name: beginning(RANDOM / f"{name}.conll") for name in ("train", "test", "perceptron", "small")}
    splits = {name: texts[name] for name in ("train", "test")}
    systems = {name: texts[name] for name in ("perceptron", "small")}
    me = visit()
    me.tab("Compare")
    me.press("Compare")
    calls = [api.submit(gold=texts["test"], systems=systems, train=texts["train"], api_name="/compare") for _ in "123"]
    calls += [api.submit(splits=splits, ratios="75/25", api_name="/split")]
    most = 0
    while not all(call.done() for call in calls):
        most = max(most, len(workers(server)))
        time.sleep(0.02)
    assert most == 2
    assert all(call.result() for call in calls)


# --- 4. cleancut app --------------------------------------------------------------------------------------------


def test_the_command_says_the_address_and_opens_it(server):
    opened = server.folder / "opened.txt"
    assert soon(opened.exists) and soon(lambda: opened.read_text() == f"{server.url}\n")
    assert soon(lambda: f"The app is at {server.url}" in (server.folder / "log.txt").read_text())


@pytest.mark.app
@pytest.mark.parametrize(
    ("address", "message"),
    [
        (["--port", "{taken}"], "port {taken} is taken. Choose another: cleancut app --port N."),
        (["--port", "0"], "port 0 does not exist. Choose one from 1 to 65535: cleancut app --port N."),
        (["--port", "70000"], "port 70000 does not exist. Choose one from 1 to 65535: cleancut app --port N."),
        (
            ["--host", "no.such.host.invalid", "--port", "7861"],
            "the app cannot be served at no.such.host.invalid, port",
        ),
    ],
)
def test_an_address_that_cannot_be_served_is_told(capsys, address, message):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        taken = listening.getsockname()[1]
        assert cli.main(["app", *(part.format(taken=taken) for part in address)]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.startswith(f"cleancut: {message.format(taken=taken)}")


@pytest.mark.app
@pytest.mark.parametrize(("options", "is_opened"), [([], True), (["--no-open"], False)])
def test_the_browser_opens_unless_that_is_not_wanted(monkeypatch, options, is_opened):
    """The app itself is left out: it only tells its address."""
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("cleancut.app.serving.launch", lambda *given, announced, **rest: announced("http://here/"))
    monkeypatch.setenv("BROWSER", "any")
    assert cli.main(["app", *options]) == 0
    assert opened == ["http://here/"] * is_opened


# --- 5. results name their data ---------------------------------------------------------------------------------


def test_an_old_result_looks_old_and_a_refused_one_is_gone(visit):
    me = visit()
    results, about = me.page.locator("#score-results"), me.page.locator("#score-results .about").first
    for label, text in (("Gold", "Zoe B-PER\n"), ("Predictions", "Zoe B-PER\n"), ("Training data (optional)", "")):
        me.box(label).fill(text)
    assert soon(lambda: results.get_attribute("data-state") == "old")
    banner = results.evaluate("one => getComputedStyle(one, '::before').content")
    assert "before your change" in banner and "perceptron.conll" in about.inner_text()
    me.press("Score")
    me.about("pasted predictions on pasted gold")
    assert results.get_attribute("data-state") == "new"
    assert me.page.get_by_label("Fill in an example").input_value() == ""  # it is of none
    upload = me.page.get_by_role("button", name="Upload a file instead").nth(1)
    me.upload(upload, ("bert-large.v2.conll", "Zoe O\n"))
    me.page.get_by_role("button", name="bert-large.v2.conll").wait_for()
    assert soon(lambda: results.get_attribute("data-state") == "old")
    me.press("Score")
    me.about("bert-large.v2.conll on pasted gold")
    me.shown("bert-large.v2")
    assert b"<h1>bert-large.v2.conll on pasted gold</h1>" in me.saved("Save report.html")
    me.box("Gold").fill("Zoe B-PER\nran O\n")
    me.press("Score")
    me.is_said("Not computed")
    assert me.result() == "" and me.page.locator("#score-results .report:visible").inner_text() == ""
    assert me.page.get_by_role("button", name="Save report.html").is_disabled()
    me.box("Gold").fill("Zoe B-PER\n")
    assert "Not computed" in me.said()  # until the next request
    me.press("Score")
    me.about("bert-large.v2.conll on pasted gold")
    assert me.said() == ""


def test_own_files_take_the_place_of_the_example(visit):
    """Also one that is a file of the example; all of their names can be read, on a phone too."""
    me = visit(viewport={"width": 390, "height": 844})
    me.tab("Compare")
    systems = {"flair-3-of-november.conll": "small", "rules_v1.2.conll": "lookup", "perceptron.conll": "perceptron"}
    me.add(*((name, (RANDOM / f"{example}.conll").read_text()) for name, example in systems.items()))
    names = me.page.locator(".filename:visible")
    assert soon(lambda: names.evaluate_all("all => all.map(one => one.ariaLabel)") == list(systems))
    cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    assert names.locator(".stem").evaluate_all(cut) == 0


def test_systems_are_named_for_their_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "up").mkdir()
    files = [tmp_path / "up" / name for name in ("bert.v1.conll", "bert.v2.conll", "crf.conll", "crf.txt")]
    for i, file in enumerate(files):
        file.write_text("Ada B-PER\nran O\n" if i else "Ada O\nran O\n")
    made = jobs.compare_systems("Ada B-PER\nran O\n", files, "", "", quiet)
    assert list(made.values["systems"]) == ["bert.v1", "bert.v2", "crf.conll", "crf.txt"]
    assert made.about == "bert.v1, bert.v2, crf.conll, crf.txt on pasted gold"
    assert f"<h1>{made.about}</h1>" in Path("comparison.html").read_text()


def test_the_hub_that_is_not_reached_is_told_as_on_the_command_line(server, capsys):
    """The tests have no network, and say so to the clients of the Hub."""
    assert cli.main(["audit", "org/none"]) == 2
    said = capsys.readouterr().err.removeprefix("cleancut: ").strip()
    assert "the Hub cannot be reached" in said
    with pytest.raises(Exception, match="the Hub cannot be reached") as found:
        client(server).predict(splits={}, hub="org/none", api_name="/audit")
    assert str(found.value).partition("(")[0] == said.partition("(")[0]


def test_advice_can_be_followed_in_the_app(tmp_path, monkeypatch):
    sources = " ".join(
        path.read_text() for path in (ROOT / "src" / "cleancut").rglob("*.py") if path.name != "advice.py"
    )
    told = re.sub(r'"\s*f?"', "", sources).replace("{{", "{").replace("}}", "}")
    assert [elsewhere for elsewhere in advice.ADVICE if elsewhere not in told] == []
    monkeypatch.chdir(tmp_path)
    headline = jobs.score("Ada B-PER\n", "Ada O\n", "", "", 1.0, quiet).panels[0]
    assert "Without the training data" in headline and "--" not in re.sub("<[^>]*>", "", headline)


def test_advice_is_in_the_words_of_the_app():
    """Options have the names that they have in the page; what the page does not have is said to be elsewhere."""
    for said, wanted in {
        "ratios='x': give two or three parts, such as '80/10/10' or (80, 10, 10).": (
            "Ratios: 'x': give two or three parts, such as 80/10/10 or 80/20."
        ),
        "min_per_type=None is out of range.": "Least mentions of a type: None is out of range.",
        "train has no document ids, so that unit='doc' is undefined. Use unit='sample'.": (
            'train has no document ids, so that "doc" is undefined. Choose "sample".'
        ),
        "if they mean the same, give --map a=B,c=D (types= in Python).": (
            'if they mean the same, write a=B,c=D under "Other names for types".'
        ),
        "they count as wrong; give --map for other names of gold's types, or --ignore-types to leave them out.": (
            'they count as wrong; use "Other names for types" for other names of gold\'s types, or --ignore-types to '
            "leave them out. (The app has no such option: use the command line.)"
        ),
        "Choose another with word_column=.": (
            "Choose another with word_column=. (The app has no such option: use the command line.)"
        ),
        "the token is 'a=b' -- and that is all.": "the token is 'a=b' -- and that is all.",
    }.items():
        assert advice.in_the_app(said) == wanted


def test_what_could_mislead_is_said_above_the_result(tmp_path, monkeypatch):
    """Notices on how files were read and on the scores, which the command line has on standard error."""
    monkeypatch.chdir(tmp_path)
    gold = '{"text": "Ada ran", "entities": [{"text": "Ada", "label": "PER"}, {"text": "Bo", "label": "PER"}]}\n'
    made = jobs.score(gold, "Ada B-person\nran O\n", "", "", 1.0, quiet)
    of_reading, of_scores = made.notices
    assert of_reading.startswith("pasted gold annotation: ") and "1" in of_reading
    assert of_scores.endswith('write person=PER under "Other names for types".')
    assert of_scores not in html.unescape(made.panels[0])  # once is enough


def test_notices_are_seen(visit):
    me = visit()
    me.box("Gold").fill("Ada B-PER\n")
    me.box("Predictions").fill("Ada B-person\n")
    me.box("Training data (optional)").fill("")
    me.press("Score")
    me.about("pasted predictions on pasted gold")
    notices = me.page.locator(".notices ul:visible")
    assert 'write person=PER under "Other names for types"' in notices.inner_text()
    me.box("Other names for types (optional)").fill("person=PER")
    me.press("Score")
    notices.wait_for(state="detached")
    me.about("pasted predictions on pasted gold")
    assert notices.count() == 0
    assert json.loads(me.saved("Save scores.json"))["exact_f1"]["f1"] == 1


def test_gold_and_predictions_may_have_the_same_name(tmp_path, monkeypatch):
    for role, tag in (("gold", "B-PER"), ("predicted", "O"), ("training", "B-PER")):
        (tmp_path / role).mkdir()
        (tmp_path / role / "test.conll").write_text(f"Ada {tag}\nran O\n")
    files = [tmp_path / role / "test.conll" for role in ("gold", "predicted", "training")]
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    made = jobs.score(*files, "", 1.0, quiet)
    assert made.about == "test.conll on test.conll, trained on test.conll"
    assert (made.values["exact_f1"]["f1"], made.values["clean_f1"]["n_contaminated"]) == (0, 1)
    for role in ("gold", "predicted"):  # also that of what they are
        shutil.copyfile(tmp_path / role / "test.conll", tmp_path / role / "predictions")
    (tmp_path / "roles").mkdir()
    monkeypatch.chdir(tmp_path / "roles")
    made = jobs.score(tmp_path / "gold" / "predictions", tmp_path / "predicted" / "predictions", "", "", 1.0, quiet)
    assert (made.about, made.values["exact_f1"]["n_gold"]) == ("predictions on predictions", 1)
    (tmp_path / "predicted" / "test.conll").write_text("Bo O\nran O\n")
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "there")
    with pytest.raises(cc.CleancutError, match="the gold token is 'Ada' but the predicted one is 'Bo'"):
        jobs.score(*files, "", 1.0, quiet)
    with pytest.raises(cc.CleancutError, match=r"2 files are called test\.conll. Rename them"):
        jobs.compare_systems("Ada B-PER\nran O\n", files[:2], "", "", quiet)


def test_pasted_texts_are_read_where_they_are(tmp_path, monkeypatch):
    """In memory: nothing of them is written, and their content alone shows the format."""
    monkeypatch.chdir(tmp_path)
    conll = "{ O\nAda B-PER\n"  # a brace makes no JSON
    made = jobs.score(conll, conll, conll, "", 1.0, quiet)
    assert made.values["exact_f1"]["f1"] == 1
    rows = '[{"text": "Ada ran", "label": [[0, 3, "PER"]]}]\n'
    assert jobs.score(rows, "Ada B-PER\nran O\n", "", "", 1.0, quiet).values["exact_f1"]["f1"] == 1
    made = jobs.split({"train": MINE[0][1], "test": MINE[1][1]}, "", "auto", "50/50", "sample", 13, 5, "exact", quiet)
    assert made.values["command"].startswith("cleancut split train.conll test.conll -o clean")
    assert {path.name for path in tmp_path.iterdir()} == {"report.html", "scores.json"}


def test_the_report_has_the_title_that_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = jobs.score("Ada B-PER\n", "Ada O\n", "Ada B-PER\n", "", 1.0, quiet)
    assert made.about == "pasted predictions on pasted gold, trained on pasted training data"
    assert f"<h1>{made.about}</h1>" in Path("report.html").read_text()


def test_a_space_links_to_its_documentation_and_code(monkeypatch):
    monkeypatch.setenv("SPACE_ID", "org/name")
    assert package.project_links() == {
        "Documentation": "https://huggingface.co/spaces/org/name/blob/main/README.md",
        "Code": "https://huggingface.co/spaces/org/name/tree/main",
    }


# --- answers of language models -----------------------------------------------------------------------------------

ASKED = """\
{"id": "a", "tokens": ["Ada", "met", "Bo", "."], "tags": ["B-PER", "O", "B-PER", "O"]}
{"id": "b", "tokens": ["Ada", "and", "Ada"], "tags": ["B-PER", "O", "B-PER"]}
{"id": "c", "tokens": ["Cy"], "tags": ["B-PER"]}
{"id": "d", "tokens": ["none"], "tags": ["O"]}
"""
ANSWERS = {
    "d": "[]",
    "c": "<<<>>> {{{",
    "b": '{"PER": ["Ada"]}',
    "a": 'Sure: [{"text": "Ada", "label": "PER"}, {"text": "Zed", "label": "PER"}]',
}
ANSWERED = "".join(json.dumps({"id": name, "answer": answer}) + "\n" for name, answer in ANSWERS.items())
COUNTS = {"n_unparsed": 1, "n_empty": 1, "n_invented": 1, "n_ambiguous": 1}


def test_answers_are_predictions(tmp_path, monkeypatch):
    """Pasted or uploaded, for one system or several: what went wrong is counted, with examples."""
    gold = tmp_path / "gold.jsonl"
    gold.write_text(ASKED)
    (tmp_path / "model 1.jsonl").write_text(ANSWERED)
    expected = cc.exact_f1(cc.read(gold), cc.read_answers(tmp_path / "model 1.jsonl", cc.read(gold)), ci=10_000)
    assert {name: expected[name] for name in COUNTS} == COUNTS
    for i, given in enumerate((ANSWERED, tmp_path / "model 1.jsonl")):
        (tmp_path / str(i)).mkdir()
        monkeypatch.chdir(tmp_path / str(i))
        made = jobs.score(gold, given, "", "", 1.0, quiet)
        assert made.values["exact_f1"] == expected.to_dict()
        for example in ("Zed (PER)", "not understood", "ambiguous", "lowest F1"):
            assert example in made.panels[0] and example in Path("report.html").read_text()
        compared = jobs.compare_systems(ASKED, {"model": ANSWERED, "gold": ASKED}, "", "", quiet)
        assert compared.values["systems"]["model"]["exact_f1"] == expected.to_dict()
        for example in ("Zed (PER)", "not understood", "ambiguous"):
            assert example in compared.panels[0] and example in Path("comparison.html").read_text()


def test_answers_in_the_browser(visit):
    me = visit()
    me.box("Gold").fill(ASKED)
    me.box("Training data (optional)").fill("")
    me.box("Predictions").fill(ANSWERED)
    me.press("Score")
    me.about("pasted predictions on pasted gold")
    me.shown("Zed (PER)")
    me.upload(me.page.get_by_role("button", name="Upload a file instead").nth(1), ("model 1.jsonl", ANSWERED))
    me.page.get_by_role("button", name="model 1.jsonl").wait_for()
    me.press("Score")
    me.about("model 1.jsonl on pasted gold")
    me.shown("Zed (PER)")
    scores = json.loads(me.saved("Save scores.json"))["exact_f1"]
    assert {name: scores[name] for name in COUNTS} == COUNTS
    me.tab("Compare")
    me.add(("model 1.jsonl", ANSWERED), ("other.jsonl", ASKED))
    me.box("Gold").fill(ASKED)
    me.box("Training data (optional)").fill("")
    me.press("Compare")
    me.about("model 1, other on pasted gold")
    me.shown("Zed (PER)")


# --- 6. one number for one thing ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many_errors():
    """A system with errors of every kind, hundreds of them."""
    gold = ["B-PER", "I-PER", "O", "B-LOC", "O", "B-ORG", "O", "O"] * 100
    pred = ["B-PER", "O", "O", "B-ORG", "O", "O", "O", "B-PER"] * 100
    words = [f"w{i}" for i in range(len(gold))]
    corpus = cc.Corpus.of([words] * 3, tags=[gold] * 3)
    return findings(corpus, {"a system": [pred] * 3}, ci=None)


def test_filters_count_all_errors(many_errors):
    drawn = errors_panel(many_errors)
    counts = dict(re.findall(r'value="(\w+)"(?: checked)?>\w+ <span>([\d,]+)</span>', drawn))
    assert counts == {"all": "1,200", "missed": "300", "spurious": "300", "boundary": "300", "type": "300"}
    for kind in ("missed", "spurious", "boundary", "type"):
        assert drawn.count(f'<li data-kind="{kind}"') == 150
    assert drawn.count(" data-first>") == 150
    assert "All 1,200 are counted" in drawn


def test_missed_has_one_number(many_errors):
    sections = {section.slug: section for section in report_sections(many_errors)}
    became = next(one for one in sections["partial"].exhibits if one.slug == "became")
    counted = dict(zip(became.header[1:], became.rows[0][1], strict=True))
    table = sections["confusion"].exhibits[0]
    rows = {name: dict(zip(table.header[1:], cells, strict=True)) for name, cells in table.rows}
    assert counted["missed"] == sum(row["(missed)"] or 0 for row in rows.values()) == 300
    assert counted["boundary"] == sum(row["(boundary)"] or 0 for row in rows.values()) == 300
    assert sum(rows["(spurious)"][label] for label in ("LOC", "ORG", "PER")) == 300
    assert rows["LOC"]["ORG"] == counted["type"] == 300
    in_rows = sum(cell or 0 for name, row in rows.items() if name != "(spurious)" for cell in row.values())
    assert in_rows == sum(counted.values())


def test_partly_has_one_definition():
    """Any entity is shared: in the table, which is also the command line's, and in the picture of the page."""
    train = cc.Corpus.of([["Ada"], ["Bo"]], tags=[["B-PER"], ["B-PER"]])
    test = cc.Corpus.of([["Ada"], ["Ada", "Cy"], ["Cy"], ["x"]], tags=[["B-PER"], ["B-PER"] * 2, ["B-PER"], ["O"]])
    found = cc.audit({"train": train, "test": test})
    table = audit_tables(found)[0]
    row = dict(zip(table.header, ["", *dict(table.rows)["test in train"]], strict=False))
    assert (row["partly"], row["fully"]) == (2, 1)
    picture = audit_sections(found)[0].exhibits[0]
    assert "partly" not in picture.header
    parts = dict(zip(picture.header[1:], dict(picture.rows)["test in train"], strict=True))
    assert parts == {"clean": 1, "partly, not fully": 1, "fully": 1, "empty": 1}
    assert parts["partly, not fully"] + parts["fully"] == row["partly"]


@pytest.mark.slow
def test_one_f1_has_one_interval(tmp_path, monkeypatch):
    """In Score and in Compare; and where clean F1 is F1, its interval is that of F1."""
    monkeypatch.chdir(tmp_path)
    clean = RANDOM.parent / "clean"
    (tmp_path / "up").mkdir()
    other = tmp_path / "up" / "other.conll"
    other.write_text((clean / "test.conll").read_text())
    for name in ("score", "compare"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "score")
    one = jobs.score(clean / "test.conll", clean / "perceptron.conll", clean / "train.conll", "", 1.0, quiet)
    monkeypatch.chdir(tmp_path / "compare")
    files = [clean / "perceptron.conll", other]
    both = jobs.compare_systems(clean / "test.conll", files, clean / "train.conll", "", quiet)
    for metric in ("exact_f1", "clean_f1"):
        compared = both.values["systems"]["perceptron"][metric]
        same = {name: one.values[metric][name] for name in compared}
        same["signature"] = same["signature"].replace("staircase:yes|", "")  # which only Score has
        assert json.dumps(compared) == json.dumps(same)
    score = one.values["exact_f1"]
    assert score["f1"] == one.values["clean_f1"]["clean_f1"]
    interval = f"{100 * score['f1_low']:.2f} to {100 * score['f1_high']:.2f}"
    shown = re.findall(rf"{100 * score['f1']:.2f}<small>([\d.]+ to [\d.]+)", one.panels[0])
    assert len(shown) >= 5 and set(shown) == {interval}
    shown = re.findall(rf"{100 * score['f1']:.2f}<small>([\d.]+ to [\d.]+)", both.panels[0])
    assert len(shown) >= 2 and set(shown) == {interval}


# --- what the command line has, has its place in the tabs ---------------------------------------------------------


def test_scores_show_the_staircase_and_f_beta(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = [RANDOM / f"{name}.conll" for name in ("test", "perceptron", "train")]
    made = jobs.score(*files, "", 2.0, quiet)
    gold, pred, train = map(cc.read, files)
    clean = cc.clean_f1(gold, pred, cc.Exposure.of(train), staircase=True, beta=2.0, ci=10_000)
    assert made.values["clean_f1"]["clean_f2"] == clean.clean_f2
    assert made.values["exact_f1"]["f2"] == cc.exact_f1(gold, pred, beta=2.0).f2
    assert "F2 and clean F2 (%)" in made.panels[0] and "Recall along the staircase" in made.panels[1]
    assert f"{100 * clean.recall_step_part:.2f}" in made.panels[1]
    with pytest.raises(cc.CleancutError) as told:
        jobs.score(*files, "", 0.0, quiet)
    assert "Beta: 0" in advice.in_the_app(str(told.value))


def test_audits_and_splits_take_a_looser_notion_of_the_same_name(tmp_path, monkeypatch):
    splits = [RANDOM / f"{name}.conll" for name in ("train", "test")]

    def audited(same):
        """The values of an audit, in a folder of its own."""
        (tmp_path / same).mkdir()
        monkeypatch.chdir(tmp_path / same)
        return jobs.audit_splits(splits, "", "sample", "", same, quiet).values

    exact, part = audited("exact"), audited("fold+part")
    of_function = cc.audit({file.stem: cc.read(file) for file in splits}, same="fold+part", top=8).to_dict()
    pair = "test_vs_train"
    assert part[pair] == of_function[pair] and part[pair] != exact[pair]
    with pytest.raises(cc.CleancutError, match="nonsense"):
        audited("nonsense")
    monkeypatch.chdir(tmp_path)
    made = jobs.split(splits, "", "auto", "80/10/10", "sample", 13, 5, "fold+part", quiet)
    assert "--same fold+part" in made.values["command"] and "same='fold+part'" in made.values["python"]
    assert "|same:fold+part|" in made.values["signature"]


TESTED, SYSTEM, OTHER, TRAIN = (RANDOM / f"{name}.conll" for name in ("test", "perceptron", "lookup", "train"))
PAGES = {
    "report.html": ([TESTED, SYSTEM, TRAIN], lambda *files: jobs.score(*files, "CHEMICAL=DRUG", 2.0, quiet)),
    "audit.html": ([TRAIN, TESTED], lambda *files: jobs.audit_splits(files, "", "sample", "", "fold", quiet)),
    "comparison.html": (
        [TESTED, SYSTEM, OTHER, TRAIN],
        lambda gold, *files: jobs.compare_systems(gold, files[:2], files[2], "", quiet),
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_saved_pages_say_how_to_make_them_again(tmp_path, monkeypatch, capsys, name):
    """The command in the footer, run where the files are, makes a page with the same numbers."""
    monkeypatch.chdir(tmp_path)
    files, made = PAGES[name]
    made(*files)
    page = Path(name).read_text()
    footer = page.partition("<footer>")[2].partition("</footer>")[0]
    assert all(hashlib.sha256(file.read_bytes()).hexdigest() in footer for file in files)
    command = shlex.split(html.unescape(re.search(r"<code>(cleancut .*?)</code>", footer)[1]))
    Path(name).unlink()
    assert cli.main(command[1:]) == 0, capsys.readouterr().err
    again = Path(name).read_text()
    numbers = [re.findall(r"<td[^>]*>([-+\d.*]+)", text.partition("<footer>")[0]) for text in (page, again)]
    assert len(numbers[1]) > 8
    if name == "report.html":  # Score also has the staircase, which the command line shows with score
        assert set(numbers[1]) <= set(numbers[0])
    else:
        assert numbers[0] == numbers[1]


def test_pages_of_pasted_texts_have_their_digests(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    jobs.score("Ada B-PER\n", "Ada O\n", "", "", 1.0, quiet)
    footer = Path("report.html").read_text().partition("<footer>")[2]
    assert "pasted gold annotation" in footer and hashlib.sha256(b"Ada B-PER\n").hexdigest() in footer


@pytest.mark.browser
@pytest.mark.app
def test_a_file_that_is_too_large_is_told_beside_the_button(visit):
    me = visit()
    me.tab("Audit")
    text = "word O\n" * (jobs.MOST_BYTES // 7 + 1)
    me.add(("train.conll", text), MINE[1])
    me.press("Audit")
    me.is_said("train.conll has more than 20 MB")
    assert me.result() == ""


# --- 7. what is seen first --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 720)])
def test_the_button_and_progress_are_on_the_first_screen_and_a_double_click_asks_once(visit, width, height):
    me = visit(viewport={"width": width, "height": height})
    for tab, button in (("Score", "Score"), ("Split", "Split"), ("Compare", "Compare")):
        me.open(tab)
        me.about("Example:")
        box = me.page.get_by_role("button", name=button, exact=True).bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= height
    me.open("Score")
    asked = []
    me.page.on("request", lambda request: asked.append(request.url) if "queue/join" in request.url else None)
    me.page.get_by_role("button", name="Score", exact=True).dblclick()
    me.about("perceptron.conll on test.conll")
    assert len(asked) == 1
    notice = me.page.locator(".notice:visible").first.bounding_box()
    assert 0 <= notice["y"] <= height


def test_file_boxes_show_every_file_and_limits_are_those_documented(visit):
    me = visit()
    me.tab("Audit")
    me.add(*((f"part{i:02}.conll", f"Ada{i} B-PER\n") for i in range(jobs.MOST_FILES)))
    rows = me.page.get_by_label("Remove this file").locator("visible=true")
    assert soon(lambda: rows.count() == jobs.MOST_FILES)
    hidden = me.page.evaluate(
        """() => [...document.querySelectorAll(".file-preview-holder, .file-preview, .block")].filter(
          (one) => one.offsetParent && one.querySelector(".file-preview") && one.scrollHeight > one.clientHeight + 2
        ).length"""
    )
    assert hidden == 0
    limits = me.page.locator("footer.version").inner_text()
    documented = (ROOT / "spaces_app" / "README.md").read_text()
    for limit in ("20 MB", f"{jobs.MOST_FILES} at a time", "200 MB", "2 minutes", "5 minutes", "30 minutes"):
        assert limit in limits and limit in " ".join(documented.split())
    links = me.page.locator("footer.version a").evaluate_all("all => all.map(one => one.href)")
    assert "https://aclanthology.org/2025.findings-acl.504/" in links
    documentation, code = (me.page.request.get(link) for link in links[:2])
    assert documentation.text().startswith("# cleancut")
    with zipfile.ZipFile(BytesIO(code.body())) as packed:
        assert packed.read("cleancut/app/page.py") == (ROOT / "src" / "cleancut" / "app" / "page.py").read_bytes()


def test_a_long_name_stays_within_its_button(visit):
    me = visit(viewport={"width": 390, "height": 844})
    name = "x" * 90 + ".conll"
    me.upload(me.page.get_by_role("button", name="Upload a file instead").nth(1), (name, "Zoe O\n"))
    button = me.page.get_by_role("button", name=name)
    button.wait_for()
    assert button.evaluate("one => one.scrollWidth <= one.clientWidth")
    for label in ("Gold", "Training data (optional)"):
        me.box(label).fill("Zoe B-PER\n")
    me.press("Score")
    me.about(name)
    assert me.page.evaluate("document.documentElement.scrollWidth") <= 390
    head = me.page.locator(".results .head:visible").first
    widths = head.locator("> *").evaluate_all("all => all.map(one => one.offsetWidth)")
    assert widths[0] > 300 and max(widths[1:]) < 200  # the title above, the buttons side by side
    me.page.get_by_role("link", name="Done: go to the result").locator("visible=true").click()
    assert soon(lambda: 0 <= head.bounding_box()["y"] < 400)


# --- 8. strangers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x" * 120 + ".conll", "has a name of 126 characters"),
        ("-o.conll", "begins with - or ."),
        (".hidden.conll", "begins with - or ."),
        ("a\u202eb.conll", "cannot be seen"),
        ("split.zip", "the name of a file of results"),
    ],
)
def test_names_of_uploads_are_bounded(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "up").mkdir()
    (tmp_path / "up" / name).write_text("this is not read B-\n")
    with pytest.raises(cc.CleancutError, match=re.escape(message)):
        jobs.score(tmp_path / "up" / name, "a O\n", "", "", 1.0, quiet)


def test_the_number_of_uploads_is_bounded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(cc.CleancutError, match="there are 13 files. Give 12 at most"):
        jobs.audit_splits({f"part{i}": "not read" for i in range(13)}, "", "sample", "", "exact", quiet)


def test_a_name_that_a_shell_would_take_apart_is_quoted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "up").mkdir()
    for name, text in MINE:
        (tmp_path / "up" / f"my {name}").write_text(text)
    made = jobs.split(
        [tmp_path / "up" / f"my {name}" for name, _ in MINE], "", "auto", "50/50", "sample", 13, 5, "exact", id
    )
    assert made.values["command"].startswith("cleancut split 'my train_own.conll' 'my test_own.conll' -o clean")


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("gradio_api/queue/join", {"Content-Length": "70000000"}, 413),
        ("gradio_api/upload", {"Content-Length": "300000000"}, 413),
        ("gradio_api/upload", {"Content-Length": "70000000"}, 400),
        ("gradio_api/queue/join", {"Transfer-Encoding": "chunked"}, 411),
    ],
)
def test_requests_are_bounded_before_they_are_read(server, path, headers, status):
    """Nothing of the body is sent: the headers say enough. One that is not too large is refused for another reason."""
    connection = HTTPConnection(server.url.split("/")[2], timeout=240)
    connection.putrequest("POST", f"/{path}")
    for name, value in {"Content-Type": "application/json", **headers}.items():
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == status
    connection.close()


def test_a_new_result_takes_the_files_of_the_one_before_with_it(server, visit):
    me = visit()

    def kept():
        return sorted(path.name for path in server.folder.glob("files/page-*/score/*/*"))

    before = kept()
    me.box("Training data (optional)").fill("")
    me.box("Gold").fill("Xena B-PER\n")
    for name, tag in (("first.conll", "O"), ("second.conll", "B-PER")):
        upload = me.page.locator(".work:visible button.quiet").nth(1)
        me.upload(upload, (name, f"Xena {tag}\n"))
        me.page.get_by_role("button", name=name).wait_for()
        me.press("Score")
        me.about(name)
        assert name.encode() in me.saved("Save report.html")
        assert kept() == sorted([*before, "report.html", "scores.json"])


def test_files_of_several_formats_are_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    splits = {"train": "Ada B-PER\n", "test": '{"tokens": ["Ada"], "tags": ["B-PER"]}\n'}
    told = []
    with pytest.raises(cc.CleancutError, match="different formats: train.conll is conll, test.jsonl is jsonl"):
        jobs.split(splits, "", "auto", "50/50", "sample", 13, 5, "exact", told.append)
    assert told == []


def test_twenty_at_once_get_their_own_and_memory_is_flat(server):
    """200 requests of 20 clients: every answer is right, and what the server holds does not grow."""

    def resident():
        status = Path(f"/proc/{server.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    clients = [client(server) for _ in range(20)]

    def ask(turn):
        i = turn % 20
        own = "".join(f"Own{i}x{k} B-PER\nran O\n\n" for k in range(i + 1))
        splits = {"train": own, "test": own}
        try:
            found = clients[i].predict(splits=splits, api_name="/audit")
        except CancelledError:  # the stream that a client shares among its calls was closed as it began another
            found = client(server).predict(splits=splits, api_name="/audit")
        leaks = {leak["entity"].partition("x")[0] for leak in found["top_leaks"]}
        return found["test_vs_train"]["n_mentions_contaminated"] == i + 1 and leaks == {f"Own{i}"}

    with ThreadPoolExecutor(20) as pool:
        assert all(pool.map(ask, range(60)))
        before = resident()
        assert all(pool.map(ask, range(140)))
    assert resident() - before < 30_000_000
    assert soon(lambda: left_folders(server) == [])


def test_nothing_of_the_machine_is_shown(server, monkeypatch):
    """Errors name no path, no variable of the environment, no line of code."""
    api = client(server)
    secrets = {"Traceback", ".py", str(server.folder), os.environ["PATH"], str(Path.home()), "site-packages"}
    for given in (
        {"gold": "\x00", "predictions": "{", "api_name": "/score"},
        {"gold": "a O\n", "predictions": "a O\n", "train": '{"tokens": 3}', "api_name": "/score"},
        {"splits": {"train": "a O\n"}, "ratios": "x", "api_name": "/split"},
        {"splits": {"train": 7}, "api_name": "/audit"},
        {"splits": {}, "hub": "../../etc/passwd", "api_name": "/audit"},
        {"gold": "a O\n", "systems": {"one": "a O\n"}, "api_name": "/compare"},
    ):
        with pytest.raises(Exception) as found:
            api.predict(**given)
        said = str(found.value)
        assert [secret for secret in secrets if secret in said] == [] and said
