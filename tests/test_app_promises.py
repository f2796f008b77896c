"""What the app promises to strangers: their result stays theirs, is named, can be cancelled, and holds up nobody."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest
from serving import served
from visitors import soon, workers

import cleancut as cc
from cleancut import cli
from cleancut.app import advice, jobs
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


def slow_splits():
    """Files of splits that take several seconds: those of the example, with other words."""
    return [
        (f"{name}_long.conll", (RANDOM / f"{name}.conll").read_text().replace("a", "aa")) for name in ("train", "test")
    ]


# --- 1. what was asked last counts ------------------------------------------------------------------------------


def test_the_example_never_takes_the_place_of_a_result(server, visit):
    """The tab is opened while its example is being computed; the visitor's own split is there before that."""
    me = visit()
    me.open("Split")
    me.add(*MINE)
    me.page.get_by_label("Ratios").fill("50/50")
    me.press("Split")
    me.about("train_own.conll, test_own.conll")
    assert soon(lambda: workers(server) == [])  # all examples are there
    me.open("Audit")
    me.about("Example: train.conll, test.conll")
    me.open("Split")
    me.page.wait_for_timeout(500)
    assert me.page.locator(".about:visible").first.inner_text().strip() == "train_own.conll, test_own.conll"
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
    me.page.evaluate(WATCH)
    me.press("Split")
    me.about("train.conll, test.conll")
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
    assert soon(lambda: workers(server) == [], 10)
    me.is_said("Cancelled.")
    me.page.wait_for_timeout(700)
    assert me.said() == "Cancelled." and me.page.locator(".about:visible").first.inner_text().strip() == ""
    assert me.page.get_by_role("button", name="Save split.zip").is_disabled()
    assert me.page.get_by_role("button", name="Cancel").locator("visible=true").is_disabled()


def test_closing_the_page_ends_the_work(server, visit):
    me = visit()
    me.tab("Split")
    me.press("Split")
    assert soon(lambda: len(workers(server)) == 1)
    me.context.close()
    assert soon(lambda: workers(server) == [], 15)


def test_one_limit_holds_for_all_ways_in(server, visit):
    """Two computations at a time, whichever tabs and endpoints they are asked for at."""
    from gradio_client import Client

    client = Client(server.url, verbose=False)
    texts = {name: (RANDOM / f"{name}.conll").read_text() for name in ("train", "test", "perceptron", "small")}
    splits = {name: texts[name] for name in ("train", "test")}
    systems = {name: texts[name] for name in ("perceptron", "small")}
    me = visit()
    me.tab("Compare")
    me.press("Compare")
    calls = [
        client.submit(gold=texts["test"], systems=systems, train=texts["train"], api_name="/compare") for _ in "123"
    ]
    calls += [client.submit(splits=splits, ratios="75/25", api_name="/split")]
    most = 0
    while not all(call.done() for call in calls):
        most = max(most, len(workers(server)))
        time.sleep(0.02)
    assert most == 2
    assert all(call.result() for call in calls)


# --- 4. cleancut app --------------------------------------------------------------------------------------------


@pytest.mark.app
def test_the_command_says_the_address_and_opens_it(tmp_path):
    opened = tmp_path / "opened.txt"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(0o755)
    command = [sys.executable, "-m", "cleancut", "app"]
    with served(command, tmp_path, BROWSER=f"{browser} %s") as serving:
        assert soon(opened.exists)
        assert soon(lambda: opened.read_text() == f"{serving.url}\n")
        assert soon(lambda: f"The app is at {serving.url}" in (tmp_path / "log.txt").read_text())


@pytest.mark.app
def test_a_port_that_is_taken_is_told(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "cleancut", "app", "--no-open", "--port", str(port)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == f"cleancut: port {port} is taken. Choose another: cleancut app --port N.\n"


# --- 5. results name their data ---------------------------------------------------------------------------------


def test_an_old_result_looks_old_and_a_refused_one_is_gone(visit):
    me = visit()
    results, about = me.page.locator("#score-results"), me.page.locator("#score-results .about").first
    for label, text in (("Gold", "Zoe B-PER\n"), ("Predictions", "Zoe B-PER\n"), ("Training data (optional)", "")):
        me.page.get_by_label(label, exact=True).fill(text)
    assert soon(lambda: results.get_attribute("data-state") == "old")
    banner = results.evaluate("one => getComputedStyle(one, '::before').content")
    assert "before your change" in banner and "perceptron.conll" in about.inner_text()
    me.press("Score")
    me.about("pasted predictions on pasted gold")
    assert results.get_attribute("data-state") == "new"
    upload = me.page.get_by_role("button", name="Upload a file instead").nth(1)
    me.upload(upload, ("bert-large.v2.conll", "Zoe O\n"))
    me.page.get_by_role("button", name="bert-large.v2.conll").wait_for()
    assert soon(lambda: results.get_attribute("data-state") == "old")
    me.press("Score")
    me.about("bert-large.v2.conll on pasted gold")
    me.shown("bert-large.v2")
    assert b"<h1>bert-large.v2.conll on pasted gold</h1>" in me.saved("Save report.html")
    me.page.get_by_label("Gold", exact=True).fill("Zoe B-PER\nran O\n")
    me.press("Score")
    me.is_said("Not computed")
    assert about.inner_text().strip() == "" and me.page.locator("#score-results .report:visible").inner_text() == ""
    assert me.page.get_by_role("button", name="Save report.html").is_disabled()
    me.page.wait_for_timeout(3000)
    assert "Not computed" in me.said()
    me.page.get_by_label("Gold", exact=True).fill("Zoe B-PER\n")
    me.press("Score")
    me.about("bert-large.v2.conll on pasted gold")
    assert me.said() == ""


def test_own_files_take_the_place_of_the_example(visit):
    me = visit()
    me.tab("Compare")
    me.add(("flair-3.conll", (RANDOM / "small.conll").read_text() + "\n"), ("rules_v1.2.conll", MINE[0][1]))
    names = me.page.locator(".filename:visible")
    expected = ["flair-3.conll", "rules_v1.2.conll"]
    assert soon(lambda: names.evaluate_all("all => all.map(one => one.ariaLabel)") == expected)


def test_systems_are_named_for_their_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "up").mkdir()
    files = [tmp_path / "up" / name for name in ("bert.v1.conll", "bert.v2.conll", "crf.conll", "crf.txt")]
    for i, file in enumerate(files):
        file.write_text("Ada B-PER\nran O\n" if i else "Ada O\nran O\n")
    made = jobs.compare_systems("Ada B-PER\nran O\n", files, "", lambda share: None)
    assert list(made.values["systems"]) == ["bert.v1", "bert.v2", "crf.conll", "crf.txt"]
    assert made.about == "bert.v1, bert.v2, crf.conll, crf.txt on pasted gold"
    assert f"<h1>{made.about}</h1>" in Path("comparison.html").read_text()


def test_the_hub_that_is_not_reached_is_told_as_on_the_command_line(server, capsys):
    """The tests have no network, and say so to the clients of the Hub."""
    from gradio_client import Client

    assert cli.main(["audit", "org/none"]) == 2
    said = capsys.readouterr().err.removeprefix("cleancut: ").strip()
    assert "the Hub cannot be reached" in said
    with pytest.raises(Exception, match="the Hub cannot be reached") as found:
        Client(server.url, verbose=False).predict(splits={}, hub="org/none", api_name="/audit")
    assert str(found.value).partition("(")[0] == said.partition("(")[0]


def test_advice_can_be_followed_in_the_app(tmp_path, monkeypatch):
    sources = " ".join(
        path.read_text() for path in (ROOT / "src" / "cleancut").rglob("*.py") if path.name != "advice.py"
    )
    told = re.sub(r'"\s*f?"', "", sources)
    assert [elsewhere for elsewhere in advice.ADVICE if elsewhere not in told] == []
    monkeypatch.chdir(tmp_path)
    headline = jobs.score("Ada B-PER\n", "Ada O\n", "", lambda share: None).panels[0]
    assert "without the training data" in headline and "--" not in re.sub("<[^>]*>", "", headline)


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
    one = jobs.score(clean / "test.conll", clean / "perceptron.conll", clean / "train.conll", lambda share: None)
    monkeypatch.chdir(tmp_path / "compare")
    files = [clean / "perceptron.conll", other]
    both = jobs.compare_systems(clean / "test.conll", files, clean / "train.conll", lambda share: None)
    for metric in ("exact_f1", "clean_f1"):
        assert json.dumps(both.values["systems"]["perceptron"][metric]) == json.dumps(one.values[metric])
    score = one.values["exact_f1"]
    assert score["f1"] == one.values["clean_f1"]["clean_f1"]
    interval = f"{100 * score['f1_low']:.2f} to {100 * score['f1_high']:.2f}"
    shown = re.findall(rf"{100 * score['f1']:.2f}<small>([\d.]+ to [\d.]+)", one.panels[0])
    assert len(shown) >= 5 and set(shown) == {interval}
    shown = re.findall(rf"{100 * score['f1']:.2f}<small>([\d.]+ to [\d.]+)", both.panels[0])
    assert len(shown) >= 2 and set(shown) == {interval}


# --- 7. what is seen first --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 720)])
def test_the_button_and_progress_are_on_the_first_screen(visit, width, height):
    me = visit(viewport={"width": width, "height": height})
    for tab, button in (("Score", "Score"), ("Split", "Split"), ("Compare", "Compare")):
        me.open(tab)
        me.about("Example:")
        box = me.page.get_by_role("button", name=button, exact=True).bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= height
    me.open("Score")
    me.press("Score")
    me.about("perceptron.conll on test.conll")
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
    for limit in ("20 MB", f"{jobs.MOST_FILES} at a time", "200 MB", "2 minutes", "30 minutes"):
        assert limit in limits and limit in " ".join(documented.split())
    links = me.page.locator("footer.version a").evaluate_all("all => all.map(one => one.href)")
    assert "https://aclanthology.org/2025.findings-acl.504/" in links


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
        jobs.score(tmp_path / "up" / name, "a O\n", "", lambda share: None)


def test_the_number_of_uploads_is_bounded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(cc.CleancutError, match="there are 13 files. Give 12 at most"):
        jobs.audit_splits({f"part{i}": "not read" for i in range(13)}, "", "sample", lambda share: None)


def test_a_name_that_a_shell_would_take_apart_is_quoted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "up").mkdir()
    for name, text in MINE:
        (tmp_path / "up" / f"my {name}").write_text(text)
    made = jobs.split([tmp_path / "up" / f"my {name}" for name, _ in MINE], "", "auto", "50/50", "sample", 13, 5, id)
    assert made.values["command"].startswith("cleancut split 'my train_own.conll' 'my test_own.conll' -o clean")


def test_files_of_several_formats_are_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    splits = {"train": "Ada B-PER\n", "test": '{"tokens": ["Ada"], "tags": ["B-PER"]}\n'}
    told = []
    with pytest.raises(cc.CleancutError, match="different formats: train.conll is conll, test.jsonl is jsonl"):
        jobs.split(splits, "", "auto", "50/50", "sample", 13, 5, told.append)
    assert told == []


def test_twenty_at_once_get_their_own_and_memory_is_flat(server):
    """200 requests of 20 clients: every answer is right, and what the server holds does not grow."""
    from gradio_client import Client

    def resident():
        status = Path(f"/proc/{server.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    clients = [Client(server.url, verbose=False) for _ in range(20)]

    def ask(turn):
        i = turn % 20
        own = "".join(f"Own{i}x{k} B-PER\nran O\n\n" for k in range(i + 1))
        found = clients[i].predict(splits={"train": own, "test": own}, api_name="/audit")
        leaks = {leak["entity"].partition("x")[0] for leak in found["top_leaks"]}
        return found["test_vs_train"]["n_mentions_contaminated"] == i + 1 and leaks == {f"Own{i}"}

    with ThreadPoolExecutor(20) as pool:
        assert all(pool.map(ask, range(60)))
        before = resident()
        assert all(pool.map(ask, range(140)))
    assert resident() - before < 30_000_000
    assert [path for path in server.folder.glob("tmp*") if path.is_dir()] == []


def test_nothing_of_the_machine_is_shown(server, monkeypatch):
    """Errors name no path, no variable of the environment, no line of code."""
    from gradio_client import Client

    client = Client(server.url, verbose=False)
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
            client.predict(**given)
        said = str(found.value)
        assert [secret for secret in secrets if secret in said] == [] and said
