"""Reports that people look at: what is on the page, that nothing escapes it, and how it behaves in a browser."""

import csv
import io
import json
import random
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import cleancut as cc
from cleancut import cli
from cleancut.demo.story import generate
from cleancut.showing.export import Format, tables
from cleancut.showing.html import report_page
from cleancut.showing.pictures import save_plots
from cleancut.showing.provenance import Provenance, SourceFile
from cleancut.showing.report_data import findings
from cleancut.showing.sections import report_sections
from cleancut.showing.text import to_json

pytestmark = pytest.mark.usefixtures("few_moves")  # what is split is split any way


@pytest.fixture(scope="module")
def given():
    """A test set, a look-up tagger and one that errs at random, and the training data."""
    corpus = generate(300)
    train, gold = corpus.select(slice(0, 200)), corpus.select(slice(200, 300))
    rng, noisy = random.Random(5), []
    for spans in gold.entities():
        kept = [dict(span) for span in spans if rng.random() > 0.2]
        for span in kept:
            if rng.random() < 0.2:
                span["label"] = "LOC" if span["label"] != "LOC" else "PER"
            elif rng.random() < 0.2 and span["end"] - span["start"] > 1:
                span["end"] -= 1
        noisy.append(kept)
    lookup = gold.with_predictions(cc.Exposure.of(train).view(gold).memorised)
    return gold, {"look-up": lookup, "noisy": gold.with_predictions(noisy)}, train


@pytest.fixture(scope="module")
def found(given):
    return findings(*given, ci=50)


@pytest.fixture(scope="module")
def page(given):
    return cc.html_report(*given, ci=50)


class Page(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text, self.scripts = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "script":
            self.scripts.append((dict(attrs), self.rawdata[self.rawdata.index(">", self._at()) + 1 :]))

    def _at(self):
        line, offset = self.getpos()
        return sum(len(row) + 1 for row in self.rawdata.split("\n")[: line - 1]) + offset

    def handle_data(self, data):
        if not self.cdata_elem:
            self.text.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())

    @property
    def data(self):
        return next(json.loads(rest[: rest.index("</script>")]) for attrs, rest in self.scripts if "id" in attrs)


# --- what is on it ----------------------------------------------------------------------------------------


def test_the_page_shows_the_scores_as_the_functions_give_them(given, page):
    gold, preds, train = given
    shown, words = cc.Exposure.of(train), Page(page).words
    for name, pred in preds.items():
        clean, hard = cc.clean_f1(gold, pred, shown), cc.hardeval(gold, pred, shown)
        partial, buckets = cc.partial_f1(gold, pred), cc.buckets(gold, pred, shown)
        values = [clean.f1, clean.clean_f1, clean.delta_f1, clean.memorisation_f1, clean.recall_unknown_words]
        values += [partial.f1_left, partial.f1_overlap, hard.hardeval, hard.ter_unseen_i, clean["f1/PER"]]
        values += [row["f1"] for row in buckets["eLen"] if row["n_gold"]]
        for value in values:
            assert f"{100 * value:.2f}" in words, (name, value)
        missed = sum(row["kind"] == "missed" for row in cc.errors(gold, pred).matches)
        assert f"missed {missed}" in words
        assert clean.signature.replace("|v:", "|ci:50|seed:13|v:") in words


def test_sections_and_anchors(page):
    names = ["headline", "types", "partial", "novelty", "hardeval", "buckets", "comparison", "confusion", "errors"]
    assert re.findall(r'<section id="(\w+)">', page) == [*names, "how"]
    assert re.findall(r'<a href="#(\w+)">', page) == names
    assert page.count('role="img"') == 10  # eight attributes, novelty and ranks
    ids = [value for name, value in Page(page).attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_the_same_input_gives_the_same_bytes(given, page):
    assert cc.html_report(*given, ci=50) == page
    gold, preds, train = given
    assert cc.html_report(gold, preds, cc.Exposure.of(train), ci=50) == page


def test_nothing_is_asked_for_beyond_the_page(page):
    assert not re.search(r"https?://|url\(|@import|src=", page)
    links = [value for name, value in Page(page).attributes if name == "href"]
    assert all(link.startswith("#") or link == "data:," for link in links)


def test_without_training_data(given):
    gold, preds, _ = given
    page = cc.html_report(gold, preds, ci=None)
    parsed = Page(page)
    assert "Without the training data it is not known how much of it is memory" in parsed.words
    assert (
        "novelty" not in re.findall(r'<section id="(\w+)">', page) and page.count('role="img"') == 4
    )  # three attributes, and ranks
    assert all(row[5] is None for row in parsed.data["errors"])


def test_nested_mentions_have_a_page_too():
    gold = cc.Corpus.of([["Bank", "of", "Oslo"]], entities=[[(0, 3, "ORG"), (2, 3, "LOC")]])
    words = Page(cc.html_report(gold, {"a": [[(0, 3, "ORG")]]}, gold, ci=None)).words
    assert "hardeval is left out, since mentions overlap." in words


@pytest.mark.parametrize("entities", [[], [[]], [[(0, 1, "A")]]])
def test_few_samples(entities):
    gold = cc.Corpus.of([["x"]] * len(entities), entities=entities)
    for pred in (gold, gold.keep(gold.mentions.start < 0)):
        for train in (None, gold):
            assert "</html>" in cc.html_report(gold, {"a": pred, "b": gold}, train, ci=20)


@pytest.mark.parametrize(
    "arguments, why",
    [
        (([["O"]], {"a": [["O"]]}), "give gold as a Corpus, not list"),
        ((cc.Corpus.of([["x"]], tags=[["O"]]), {}), "by the name of their system"),
        ((cc.Corpus.of([["x"]], tags=[["O"]]), {"a": [["O"]]}, "train.conll"), "a Corpus or an Exposure, not str"),
    ],
)
def test_what_cannot_be_shown(arguments, why):
    with pytest.raises(cc.CleancutError, match=why):
        cc.html_report(*arguments)


# --- errors -----------------------------------------------------------------------------------------------


def test_every_error_is_listed_with_its_words(given, found):
    gold, preds, train = given
    shown, tokens = cc.Exposure.of(train), gold.tokens()
    seen = dict(zip(zip(gold.mentions.sample, gold.mentions.start), shown.view(gold).seen))
    for i, (name, pred) in enumerate(preds.items()):
        expected = [row for row in cc.errors(gold, pred).matches if row["kind"] != "exact"]
        rows = [row for row in found.listed if row.system == i]
        assert len(rows) == len(expected) == found.n_errors(name)
        for row, error in zip(rows, expected):
            words = found.contexts[row.context].words
            assert row.kind == error["kind"] and words == tokens[error["sample"]]
            for side, span in (("gold", row.gold), ("pred", row.pred)):
                assert (None if span is None else " ".join(words[span[0] : span[1]])) == error[f"{side}_text"]
            if row.gold:
                assert row.seen == seen[error["sample"], error["gold_start"]]


def test_long_samples_are_cut_around_the_error():
    gold = cc.Corpus.of([[f"w{i}" for i in range(500)]], entities=[[(250, 252, "A")]])
    found = findings(gold, {"none": [[]]})
    (context,), (row,) = found.contexts, found.listed
    assert context.words[row.gold[0] : row.gold[1]] == ["w250", "w251"] and len(context.words) == 82
    assert (context.begins, context.ends) == (False, False)


def test_too_many_errors_are_left_out_and_said_to_be(given):
    gold, preds, train = given
    found = findings(gold, preds, train, ci=None, max_errors=20)
    assert [sum(row.system == i for row in found.listed) for i in range(2)] == [10, 10]
    n = sum(map(found.n_errors, preds))
    words = Page(cc.html_report(gold, preds, train, ci=None, max_errors=20)).words
    assert f"Of {n} errors, 20 are listed, from all over the text; {n - 20} are left out." in words


def test_room_that_one_system_leaves_is_for_the_others(given):
    gold, preds, _ = given
    few = {"right": gold, **preds}
    rows = findings(gold, few, ci=None, max_errors=60).listed
    assert [sum(row.system == i for row in rows) for i in range(3)] == [0, 30, 30]


# --- text that is up to no good ---------------------------------------------------------------------------

HOSTILE = [
    "</script><img src=x onerror=alert(1)>", '"onmouseover="alert(1)', "{{7*7}}", "${x}", "$title", "<!--", "]]>",
    "\u202eevil", "\u2066x", "nul\x00", "half\ud800", "&lt;b&gt;", "'><svg onload=alert(1)>", "a|b", "\\", "$x_1$",
]  # fmt: skip


@pytest.fixture(scope="module")
def hostile():
    tokens = [HOSTILE, HOSTILE[::-1]]
    spans = [[(i, i + 1, label) for i, label in enumerate(HOSTILE)] for _ in tokens]
    gold = cc.Corpus.of(tokens, entities=spans, ids=HOSTILE[:2])
    systems = [" ".join(HOSTILE[i : i + 4]) for i in range(0, len(HOSTILE), 4)]
    preds = {name: gold.with_predictions([spans[0][::2], []]) for name in systems}
    return gold, preds, gold.select([0])


@pytest.fixture(scope="module")
def hostile_pages(hostile):
    gold, preds, train = hostile
    title, found = "".join(HOSTILE), cc.audit({"train": train, "test": gold})
    plan = cc.mincut(gold, ratios=(50, 50), effort="fast")
    systems = {name: {"exact_f1": {"f1": 0.5}} for name in HOSTILE}
    made_from = Provenance(" ".join(HOSTILE), tuple(SourceFile(name, "0" * 64) for name in HOSTILE), "2026-11-18")
    pairs = [{"a": HOSTILE[0], "b": HOSTILE[1], "metric": HOSTILE[2], "value": "f1", "difference": 0.1, "p": 0.5}]
    return [
        cc.html_report(gold, preds, train, title=title, ci=20),
        cc.html_audit(found, title=title, provenance=made_from),
        cc.html_split(dict.fromkeys(HOSTILE, plan), title=title),
        cc.html_comparison({"systems": systems, "pairs": pairs, "signature": HOSTILE[0]}),
    ]


def test_hostile_text_stays_text(hostile_pages):
    for text in hostile_pages:
        text.encode("utf-8")
        page = Page(text)
        assert not {"img", "iframe", "object"} & set(page.tags)
        assert not [name for name, _ in page.attributes if name.startswith("on")]
        assert not re.search("[\x00\u202a-\u202e\u2066-\u2069]", text)
        assert len([1 for attrs, _ in page.scripts if "type" not in attrs]) == 1
        for word in ("</script><img src=x onerror=alert(1)>", '"onmouseover="alert(1)', "\\u202eevil", "half\\ud800"):
            assert word in page.words


def test_hostile_text_reaches_the_list_of_errors(hostile_pages):
    data = Page(hostile_pages[0]).data
    assert data["systems"][0] == " ".join(HOSTILE[:4]) and data["contexts"][0][0][:3] == HOSTILE[:3]
    assert data["contexts"][0][0][7] == "\\u202eevil" and data["contexts"][0][1] == HOSTILE[0]


def test_hostile_text_in_tables(hostile):
    sections = report_sections(findings(*hostile, ci=None))
    for format in Format:
        tables(sections, format).encode("utf-8")
    latex = tables(sections, Format.LATEX)
    assert r"\$x\_1\$" in latex and r"\{\{7*7\}\}" in latex and r"\textless{}/script" in latex
    for line in tables(sections, Format.MARKDOWN).splitlines():
        assert "<" not in line


# --- tables and pictures ----------------------------------------------------------------------------------


def test_csv_holds_the_unrounded_values(given, found):
    rows = list(csv.DictReader(io.StringIO(tables(report_sections(found), Format.CSV))))
    score = found.scores["noisy"]["clean_f1"]
    of = {(row["table"], row["row"], row["column"]): row for row in rows}
    cell = of["headline", "noisy", "clean F1"]
    assert (float(cell["value"]), float(cell["low"])) == (score.clean_f1, score.clean_f1_low)
    assert int(of["became", "noisy", "exact"]["value"]) == score.sums.counts.total()["n_exact"]
    assert of["bucket-eLen", "2", "noisy"]["n"] == str(found.buckets["noisy"]["eLen"][1]["n_gold"])
    assert {row["group"] for row in rows if row["table"] == "buckets"} >= {"Entity length in tokens (eLen)"}


def test_latex_and_markdown_tables_are_whole(found):
    sections = report_sections(found)
    n = sum(len(section.exhibits) for section in sections)
    latex, markdown = tables(sections, Format.LATEX), tables(sections, Format.MARKDOWN)
    assert latex.count(r"\toprule") == latex.count(r"\end{tabular}") == markdown.count("### ") == n
    for table in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end", latex, re.S):
        lines = [line for line in table[1].splitlines() if line.endswith(r"\\")]
        assert {len(re.split(r"(?<!\\)&", line)) for line in lines} == {len(table[0])}
    assert len(set(re.findall(r"\\label\{(.*?)\}", latex))) == n


@pytest.mark.slow
def test_pictures(given, found, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is in the extra 'plot'")
    sections = [section for section in report_sections(found) if section.slug != "buckets"]
    for folder in ("a", "b"):
        names = save_plots(sections, str(tmp_path / folder))
    assert {"headline.png", "headline.svg", "novelty.png", "hardeval.svg", "confusion-1.png", "types.png"} <= set(names)
    for name in names:
        content = (tmp_path / "a" / name).read_bytes()
        assert content == (tmp_path / "b" / name).read_bytes()
        assert content.startswith(b"\x89PNG" if name.endswith("png") else b"<?xml")
    assert ">look-up<" in (tmp_path / "a" / "headline.svg").read_text()


@pytest.mark.slow
def test_pictures_of_hostile_text(hostile, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is in the extra 'plot'")
    gold, preds, train = hostile
    last = list(preds)[-1]
    found = findings(gold, {last: preds[last]}, train, ci=None)
    sections = [section for section in report_sections(found) if section.slug in ("headline", "confusion")]
    assert save_plots(sections, str(tmp_path))


def test_pictures_without_matplotlib(found, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(cc.CleancutError, match=re.escape('pip install "cleancut[plot]"')):
        save_plots(report_sections(found), str(tmp_path))


# --- audits, splits, comparisons --------------------------------------------------------------------------


def test_an_audit(given):
    gold, _, train = given
    found = cc.audit({"train": train, "test": gold})
    words = Page(cc.html_audit(found)).words
    row = found.pairs["test", "train"]
    assert f"fully {row['n_full']} " in words and f"{100 * row['rate_partial']:.2f}" in words
    assert f"{100 * found.memorisation['test']['f1']:.2f}" in words
    assert found.top_leaks[0]["entity"] in words
    page, noted = cc.html_audit(found), cc.html_audit(replace(found, notes=["To be known."]))
    assert not found.notes and "How this was computed" not in page  # no heading over nothing
    assert "How this was computed To be known." in Page(noted).words


def test_a_split(given):
    gold, _, train = given
    parts = {"train": train, "test": gold}
    plan = cc.mincut(parts, ratios=(80, 20), discard="auto", effort="fast")
    sizes = cc.component_sizes(parts)
    words = Page(cc.html_split(plan, components=sizes)).words
    assert "No entity is shared between any two splits." in words and plan.signature in words
    assert f"{100 * plan.leakage['before']['test', 'train']['rate_partial']:.2f}" in words
    assert (
        f"discarded {plan.n_discarded}" in words and f"PER {plan.representation['test']['type_counts']['PER']}" in words
    )
    n_bearing = sum(size * n for size, n in sizes.items())
    assert f"The largest group holds {max(sizes)} of {n_bearing} samples with entities." in words


def test_a_comparison(given, page):
    gold, preds, train = given
    found = cc.compare(gold, preds, cc.Exposure.of(train), ci=50)
    words = Page(cc.html_comparison(found.to_dict())).words
    for test in found.pairs:
        ends = " to ".join(f"{100 * end:+.2f}" for end in (test.low, test.high))
        both = " ".join(f"{100 * found.scores[name][test.metric][test.value]:.2f}" for name in (test.a, test.b))
        row = f"{both} {100 * test.difference:+.2f} {ends} {test.p:.4f} {test.p_holm:.4f}"
        assert row in words and row.rpartition(" to ")[0] in Page(page).words
    assert "look-up minus noisy (%)" in words and "look-up minus noisy (%)" in Page(page).words
    assert "Ranks, 1 is best F1 F1 overlap clean F1 hardeval look-up" in words
    assert found.signature in words and all(score.signature in words for score in found.scores["noisy"].values())
    same = cc.compare(gold, {"a": preds["noisy"], "b": preds["noisy"].keep(preds["noisy"].mentions.start < 0)}, ci=9)
    assert cc.html_comparison(json.loads(to_json(same.to_dict())))  # as it was printed


# --- the command line -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(given, tmp_path_factory):
    gold, preds, train = given
    folder = tmp_path_factory.mktemp("files")
    for name, corpus in {"test": gold, "train": train, **preds}.items():
        cc.write(corpus, folder / f"{name}.conll")
    return folder


def run(capsys, *arguments):
    code = cli.main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def report(capsys, files, *arguments):
    systems = ["--pred", files / "look-up.conll", "--pred", files / "noisy.conll", "--train", files / "train.conll"]
    return run(capsys, "report", "--gold", files / "test.conll", *systems, "--ci", 50, *arguments)


def test_the_command_writes_what_the_function_returns(capsys, files, given, tmp_path):
    path = tmp_path / "report.html"
    code, out, err = report(capsys, files, "-o", path, "--format", "latex", "--title", "Demo")
    assert code == 0 and err.count("\n") == 1 and "hardeval rests on 25 tokens" in err
    assert out == f"Written to {path}.\nTables written to {tmp_path / 'report.tex'}.\n"
    gold, train, *preds = (cc.read(files / f"{name}.conll") for name in ("test", "train", "look-up", "noisy"))
    preds = dict(zip(("look-up", "noisy"), preds))
    without_footer = path.read_text().partition("<footer>")[0]
    assert without_footer == cc.html_report(gold, preds, train, title="Demo", ci=50).partition("<footer>")[0]
    assert r"\toprule" in (tmp_path / "report.tex").read_text()


def test_tables_go_to_standard_output_without_a_page(capsys, files):
    code, out, _ = report(capsys, files, "--format", "csv")
    assert code == 0 and out.startswith("table,group,row,column,value,low,high,n\nheadline,,look-up,F1,")


def test_nothing_to_write(capsys, files):
    code, out, err = report(capsys, files)
    assert (code, out) == (2, "") and "there is nothing to write. Give -o" in err


def test_a_page_that_cannot_be_written(capsys, files, tmp_path):
    code, _, err = report(capsys, files, "-o", tmp_path / "none" / "report.html")
    assert code == 2 and "does not exist" in err and err.count("\n") == 1


def test_predictions_for_another_text(capsys, files, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("before")
    args = ["--gold", files / "test.conll", "--pred", files / "train.conll", "-o", path]
    code, _, err = run(capsys, "report", *args)
    assert code == 2 and "has 100 samples but" in err and path.read_text() == "before"


def test_audit_split_and_compare_have_pages(capsys, files, tmp_path):
    splits = ["--train", files / "train.conll", "--test", files / "test.conll"]
    code, out, _ = run(capsys, "audit", *splits, "--html", tmp_path / "audit.html")
    assert code == 0 and "Shared entities" in out and "Memory alone" in (tmp_path / "audit.html").read_text()
    args = [files / "train.conll", files / "test.conll", "-o", tmp_path / "clean", "--compare", "--effort", "fast"]
    code, _, _ = run(capsys, "split", *args, "--html", tmp_path / "split.html")
    words = Page((tmp_path / "split.html").read_text()).words
    assert code == 0 and "Groups of samples" in words and "random" in words
    args = ["--gold", files / "test.conll", "--pred", files / "look-up.conll", "--pred", files / "noisy.conll"]
    code, _, _ = run(capsys, "compare", *args, "--ci", 20, "--html", tmp_path / "compare.html")
    assert code == 0 and "look-up minus noisy (%)" in (tmp_path / "compare.html").read_text()


# --- in a browser -----------------------------------------------------------------------------------------


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a page from its file, and at the end sees that it was quiet and asked for nothing."""
    complaints, requests = [], []

    def open_(text, **options):
        (tmp_path / "report.html").write_text(text, "utf-8")
        tab = browser.new_page(**options)
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("dialog", lambda dialog: complaints.append(dialog.message))
        tab.on("request", lambda request: requests.append(request.url))
        tab.goto((tmp_path / "report.html").as_uri())
        return tab

    yield open_
    assert complaints == []
    assert [url for url in requests if not url.startswith("data:")] == [(tmp_path / "report.html").as_uri()]


def test_errors_are_filtered_by_kind_and_by_training(opened, found, page):
    tab = opened(page)

    def shown():
        items = tab.locator("#list > li")
        return [
            (kind, {"true": True, "false": False}[seen])
            for kind, seen in items.evaluate_all("all => all.map(one => [one.dataset.kind, one.dataset.seen])")
        ]

    rows = [row for row in found.listed if row.system == 0]
    assert shown() == [(row.kind, row.seen) for row in rows[:25]]
    tab.locator("#filters").get_by_label("System").select_option("noisy")
    rows = [row for row in found.listed if row.system == 1]
    assert shown() == [(row.kind, row.seen) for row in rows[:25]]
    for kind in ("missed", "spurious", "boundary"):
        tab.locator("#filters").get_by_label(kind).uncheck()
    of_type = [row for row in rows if row.kind == "type"]
    assert shown() == [(row.kind, row.seen) for row in of_type[:25]] and of_type
    tab.locator("#filters").get_by_label("Training").select_option("unseen")
    unseen = [row for row in of_type if not row.seen]
    assert shown() == [("type", False)] * min(len(unseen), 25) and 0 < len(unseen) < len(of_type)
    assert f"of {len(unseen)} errors" in tab.locator("#status").inner_text()
    assert tab.locator("[data-count=missed]").inner_text() == str(
        sum(row.kind == "missed" and not row.seen for row in rows)
    )
    tab.locator("#filters").get_by_label("Training").select_option("all")
    one = of_type[-1]
    words = found.contexts[one.context].words
    tab.locator("#filters").get_by_label("Search").fill(" ".join(words[one.gold[0] : one.gold[1]]).upper())
    named = words[one.gold[0] : one.gold[1]]
    lines = [line.split() for line in tab.locator("#list .context").all_inner_texts()]
    assert words in lines and all(set(named) <= set(line) for line in lines)
    assert named in [text.split() for text in tab.locator("#list .gold.pred").all_inner_texts()]
    tab.locator("#filters").get_by_label("Search").fill("no such words")
    assert shown() == [] and tab.locator("#status").inner_text() == "No error fits these filters."


def test_errors_are_turned_by_the_page(opened, found, page):
    tab = opened(page)
    tab.locator("#filters").get_by_label("System").select_option("all systems")
    n = len(found.listed)
    assert tab.locator("#status").inner_text() == f"1 to 25 of {n} errors"
    tab.get_by_role("button", name="Next").press("Enter")
    assert tab.locator("#status").inner_text() == f"26 to {min(50, n)} of {n} errors"
    assert tab.get_by_role("button", name="Previous").is_enabled()


def test_light_and_dark(opened, page):
    tab = opened(page, color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = tab.evaluate(ground)
    tab.get_by_role("button", name="Use light colours").click()
    light = tab.evaluate(ground)
    assert dark != light
    tab.get_by_role("button", name="Use dark colours").click()
    assert tab.evaluate(ground) == dark


def test_paper_is_light(opened, page):
    tab = opened(page, color_scheme="dark")
    tab.emulate_media(media="print")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.locator("#filters").is_hidden()


@pytest.mark.parametrize("width", [320, 390, 1200])
def test_nothing_overflows(opened, page, width):
    tab = opened(page, viewport={"width": width, "height": 844})
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    axis, *tracks = (tab.locator(f".gaps .{name} > div").evaluate_all(_ENDS) for name in ("axis", "gap"))
    assert tracks[0] == axis * 2  # a mark stands where the axis says


_ENDS = "all => all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right])"


def test_long_names_of_systems_stay_on_a_phone(opened):
    gold = cc.Corpus.of([["Ada", "ran"]], tags=[["B-PER", "O"]])
    systems = {"a_long_name_" + "x" * 80: [["O", "O"]], "another-long-name-" * 5: [["O", "B-PER"]]}
    long = report_page(findings(gold, systems, gold, ci=10), title="x" * 90)
    tab = opened(long, viewport={"width": 390, "height": 844})
    assert tab.evaluate("document.documentElement.scrollWidth") == 390


def test_hostile_text_in_a_browser(opened, hostile_pages):
    tab = opened(hostile_pages[0])
    assert tab.locator("img").count() == 0
    assert HOSTILE[0] in tab.locator("#list").inner_text()
