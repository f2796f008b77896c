"""The pages that people share: order of systems, differences in colour, copies of figures, and provenance."""

import hashlib
import random
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given as given_
from hypothesis import strategies as st

import cleancut as cc
from cleancut import cli
from cleancut.cli.paths import title_of_data
from cleancut.demo.sampletext import generate
from cleancut.showing.exhibit import Exhibit, Kind, Measured, Section, compared, reach, rounded
from cleancut.showing.html import fragment, report_page
from cleancut.showing.pictures import save_plots
from cleancut.showing.provenance import Provenance, today
from cleancut.showing.report_data import findings
from cleancut.showing.sections import audit_sections, report_sections
from cleancut.showing.short_names import short_names

LONG = "conll03/xlm-roberta-large-finetuned-{}-checkpoint-12000-test.predictions"
"""The name of a system, as people's scripts make them."""


@pytest.fixture(scope="module")
def given():
    """A test set, three systems from the worst to the best, and the training data."""
    corpus = generate(240)
    train, gold = corpus.select(slice(0, 160)), corpus.select(slice(160, 240))
    preds = {}
    for name, share in (("bad", 0.4), ("middling", 0.7), ("good", 0.95)):
        rng = random.Random(name)
        kept = [[span for span in spans if rng.random() < share] for spans in gold.entities()]
        preds[LONG.format(name)] = gold.with_predictions(kept)
    return gold, preds, train


@pytest.fixture(scope="module")
def results(given):
    return findings(*given, ci=30)


@pytest.fixture(scope="module")
def exhibits(results):
    return {exhibit.slug: exhibit for section in report_sections(results) for exhibit in section.exhibits}


def test_systems_are_sorted_by_f1_and_errors_belong_to_their_systems(results, exhibits):
    good_first = ["good", "middling", "bad"]
    assert [name for name, _ in exhibits["headline"].rows] == good_first
    assert list(exhibits["types"].header[2:]) == good_first
    assert [name for name, _ in exhibits["ranks"].rows] == good_first
    for i, name in enumerate(results.scores):
        assert sum(error.system == i for error in results.listed) == results.n_errors(name)


def test_heat_maps_show_the_difference_from_the_f1_of_the_system(results, exhibits):
    scores = [own["exact_f1"] for own in results.scores.values()]
    for label, cells in exhibits["types"].rows:
        differences = compared(exhibits["types"], cells)
        assert differences[1:] == [score[f"f1/{label}"] - score.f1 for score in scores]
    page = report_page(results)
    for slug in ("types", "buckets"):
        table = re.search(rf'data-slug="{slug}".*?</table>', page, re.S)[0]
        shaded = re.findall(r'<td class="heat (above|below)" style="--v:([\d.]+)">[\d.]+<small>([-+][\d.]+)', table)
        assert len(shaded) > 5 and max(float(value) for _, value, _ in shaded) <= 1
        assert all((side == "above") == (float(points) >= 0) for side, _, points in shaded if float(points))


@pytest.mark.parametrize(
    ("values", "most"), [([0.5, 0.52], 0.1), ([0.1, 0.95], 0.45), ([float("nan")], 0.1)]
)  # the first: a small difference is not made to look large
def test_the_largest_difference_has_the_full_colour(values, most):
    exhibit = Exhibit("x", "x", ["", "a"], [(str(v), [v]) for v in values], Kind.HEAT, baselines=[0.5])
    assert reach(exhibit) == pytest.approx(most)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("0.01111-0.06452", "0.011-0.065"), ("0.9951-1", "0.995-1"), ("9.667-970.8", "9.7-971"), ("1-12", "1-12"),
        (">=4", ">=4"), ("0.0001543-0.0556", "0.00015-0.056"), ("0.99996", "1"), ("", ""),
    ],
)  # fmt: skip
def test_bucket_names_are_rounded(name, shown):
    assert rounded(name) == shown


def test_the_names_of_buckets_are_rounded_where_they_are_drawn_only(results, exhibits):
    names = [row["bucket"] for row in next(iter(results.buckets.values()))["eDen"] if row["n_gold"]]
    assert [name for name, _ in exhibits["bucket-eDen"].rows] == names
    page = report_page(results)
    drawn, _, copies = page.partition('id="copies"')
    long = [name for name in names if len(name) > len(rounded(name))]
    assert long and all(name not in drawn and rounded(name) in drawn and name in copies for name in long)


def points(*values):
    rows = [(str(i), [Measured(value, low, high) for low, value, high in row]) for i, row in enumerate(values)]
    return Exhibit("x", "x", ["", "a", "b"], rows, Kind.POINTS)


@pytest.mark.parametrize(
    ("exhibit", "first", "last"),
    [
        (points([(0.8, 0.83, 0.86), (0.9, 0.93, 0.98)]), 80, 100),
        (points([(0.0, 0.4, 1.0), (0.41, 0.42, 0.43)]), 40, 43),  # an interval over everything does not count
        (points([(0.0, 0.02, 0.04), (0.96, 0.97, 1.0)]), 0, 100),
    ],
)
def test_charts_are_scaled_to_the_data_and_say_so(exhibit, first, last):
    drawn = fragment([Section("s", "s", "", [exhibit])])
    said = re.search(r"The vertical axis is from (\d+) to (\d+)\.", drawn)
    if (first, last) == (0, 100):
        assert said is None
    else:
        assert (int(said[1]), int(said[2])) == (first, last)
    svg = drawn[drawn.index('role="img"') :]  # the key has marks too
    heights = [float(y) for y in re.findall(r"translate\([\d.]+ (-?[\d.]+)\)", svg)]
    assert len(heights) == 2 and all(10 <= y <= 176 for y in heights)


def test_what_is_fully_contaminated_is_not_green(given):
    gold, _, train = given
    result = cc.audit({"train": train, "test": gold})
    page = cc.html_audit(result)
    colours = dict(re.findall(r'<li><i class="s(\d)"></i>(.*?)</li>', page)[i][::-1] for i in range(4))
    assert colours["fully"] == "1" and colours["clean"] == "0" and "2" not in colours.values()
    assert audit_sections(result)[0].exhibits[0].colours == (0, 5, 1, 7)


def test_ranks_are_shown_once_and_pairs_are_folded(results):
    page = report_page(results)
    assert page.count("Ranks, 1 is best</figcaption>") == 1 and page.count('class="ranks"') == 1
    assert len(re.findall(r'<details data-slug="pairs-\d+">', page)) == 3
    assert not re.findall(r'<figure[^>]*data-slug="(?:pairs|compared)', page)


def test_systems_of_equal_rank_and_without_one_are_drawn():
    rows = [("a", ["1", "1"]), ("b", ["1", "2"]), ("c", ["3", "-"])]
    drawn = fragment(
        [Section("s", "s", "", [Exhibit("ranks", "Ranks", ["system", "F1", "hardeval"], rows, Kind.RANKS)])]
    )
    places = re.findall(r"translate\(([\d.]+) ([\d.]+)\)", drawn)
    assert len(places) == 5 and len(set(places)) == 5  # none covers another
    assert drawn.count(">c</text>") == 1  # only where it has a rank


def test_every_exhibit_has_a_name_of_its_own(results):
    slugs = [exhibit.slug for section in report_sections(results) for exhibit in section.exhibits]
    assert len(slugs) == len(set(slugs))


@pytest.mark.parametrize("n_systems", [2, 15])
def test_the_key_of_a_picture_is_within_it(n_systems):
    pytest.importorskip("matplotlib")
    from cleancut.showing.pictures import _DRAW, _matplotlib

    names = [f"run{i:02d}-seed{7 * i}-checkpoint-{1000 * i}" for i in range(n_systems)]
    rows = [(f"bucket {i}", [Measured(0.5 + 0.01 * j, 0.4, 0.7, 30) for j in range(n_systems)]) for i in range(4)]
    for kind in (Kind.POINTS, Kind.BARS):
        with _matplotlib() as new_figure:
            figure = new_figure(layout="constrained")
            _DRAW[kind](Exhibit("x", "x", ["", *names], rows, kind), figure, figure.subplots())
            figure.canvas.draw()
            [key] = figure.legends
            box = key.get_window_extent()
            assert box.x0 >= 0 and box.x1 <= figure.bbox.width and len(key.get_texts()) == n_systems


# --- many systems with long names ------------------------------------------------------------------------------------


MANY = [
    f"{base}-finetuned-conll03-english-seed{42 + i}-epoch{10 + i % 4}"
    for i, base in enumerate(["roberta-large", "xlm-roberta-base", "bert-large-cased"] * 5)
]
"""Names that have neither their beginning nor their end in common."""


@pytest.fixture(scope="module")
def many(given):
    """The results of fifteen systems with long names."""
    gold, _, train = given
    preds = {}
    for i, name in enumerate(MANY):
        rng = random.Random(i)
        kept = [[span for span in spans if rng.random() < 0.95 - 0.05 * i] for spans in gold.entities()]
        preds[name] = gold.with_predictions(kept)
    return findings(gold, preds, train, ci=30)


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["a-finetuned-b", "c-finetuned-d"], ["a\u2026b", "c\u2026d"]),
        (["bert-tuned-conll03-s1", "roberta-large-conll03-s2"], ["bert-tuned\u2026s1", "roberta-large\u2026s2"]),
        (["x-shared-words-a-other-words-1", "y-shared-words-b-other-words-2"], ["x\u2026a\u20261", "y\u2026b\u20262"]),
        (["one-and-the-same-x", "one-and-the-same-y"], ["x", "y"]),  # from the beginning, without a trace
        (["a-long-words-here", "long-words-here-a"], ["a\u2026here", "\u2026here-a"]),
        (["quite-another-name", "nothing-in-common"], ["quite-another-name", "nothing-in-common"]),
        (["same-middle-1", "same-middle-same-middle-1"], ["same-middle-1", "same-middle-same-middle-1"]),
        (["a-b-cccccccccccccc", "d-b-eeeeeeeeeeeeee"], ["a-b-cccccccccccccc", "d-b-eeeeeeeeeeeeee"]),  # too little gain
    ],
)
def test_what_all_names_share_is_left_out(names, short):
    assert list(short_names(names).values()) == short


@given_(st.lists(st.lists(st.sampled_from(["ab", "conll03", "x", "seed"]), max_size=6).map("-".join), unique=True))
def test_short_names_tell_systems_apart_and_are_no_longer(names):
    short = short_names(names)
    assert list(short) == names and len(set(short.values())) == len(names)
    assert all(len(short[name]) <= len(name) for name in names)


def test_differences_of_many_systems_can_be_significant(many):
    n_resamples = int(re.search(r"\|ci:(\d+)", many.comparison["signature"])[1])
    assert n_resamples >= 2 * 105 / 0.05  # the smallest p-value is 1 / (n + 1), times 105 pairs
    assert min(row["p_holm"] for row in many.comparison["pairs"]) < 0.05
    assert "no difference can be significant" not in report_page(many)
    assert {score["exact_f1"].settings["ci"] for score in many.scores.values()} == {30}  # intervals as asked for


def test_too_few_resamples_are_told(given):
    gold, preds, _ = given
    for ci, told in ((59, True), (60, False)):
        compared_ = cc.compare(gold, preds, ci=ci)
        assert (min(row.p_holm for row in compared_.pairs) < 0.05) != told
        message = f"With {ci} resamples, no difference can be significant at 0.05 once it is corrected for 3 pairs"
        assert (message in cc.html_comparison(compared_)) == told


def test_long_rows_of_tables_are_folded_together(many, results):
    page = report_page(many)
    titles = re.findall(r'<details class="many"><summary>(.*?)</summary>', page)
    assert titles == [
        "Types of each system (30 tables)", "Every pair of systems (105 tables)",
        "Type confusion of the other systems (14 tables)",
    ]  # fmt: skip
    assert "details class=" not in report_page(results)


def test_pictures_have_room_for_long_names(many, tmp_path, recwarn):
    pytest.importorskip("matplotlib")
    save_plots(report_sections(many), tmp_path / "plots")
    assert [str(warning.message) for warning in recwarn if "layout" in str(warning.message)] == []


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("wnut/test.conll", "wnut, test"), ("wnut/gold.conll", "gold"), ("wnut", "wnut"), ("wnut/.", "wnut"),
        ("wnut/dev.jsonl.gz", "wnut, dev"), ("org/name", "org/name"),
    ],
)  # fmt: skip
def test_titles_name_the_data(tmp_path, monkeypatch, source, title):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wnut").mkdir()
    for name in ("test.conll", "gold.conll", "dev.jsonl.gz"):
        (tmp_path / "wnut" / name).touch()
    assert title_of_data(source) == title


# --- where a page is from -------------------------------------------------------------------------------------------


@pytest.fixture
def files(given, tmp_path):
    gold, preds, train = given
    for name, corpus in {"test": gold, "train": train, "a b": next(iter(preds.values()))}.items():
        cc.write(corpus, tmp_path / f"{name}.conll")
    return tmp_path


def test_a_page_says_what_it_was_made_from(files, capsys, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    monkeypatch.chdir(files)
    command = ["report", "--gold", "test.conll", "--pred", "a b.conll", "--train", "train.conll", "--ci", "9"]
    assert cli.main([*command, "-o", "page.html"]) == 0
    footer = (files / "page.html").read_text().partition("<footer>")[2].partition("</footer>")[0]
    assert "Made on 1970-01-02 by cleancut" in footer
    assert "cleancut report --gold test.conll --pred &#x27;a b.conll&#x27; --train train.conll --ci 9" in footer
    for name in ("test.conll", "a b.conll", "train.conll"):
        assert f'{name}</th><td class="words">{hashlib.sha256((files / name).read_bytes()).hexdigest()}' in footer
    first = (files / "page.html").read_bytes()
    assert cli.main([*command, "-o", "page.html"]) == 0 and (files / "page.html").read_bytes() == first
    capsys.readouterr()


@pytest.mark.parametrize(
    "command",
    [
        ["audit", "--train", "train.conll", "--test", "test.conll", "--html", "page.html"],
        ["compare", "--gold", "test.conll", "--pred", "x=test.conll", "a b.conll", "--ci", "9", "--html", "page.html"],
        ["split", "train.conll", "-o", "out", "--effort", "fast", "--html", "page.html"],
    ],
    ids=["audit", "compare", "split"],
)
def test_the_pages_of_all_commands_do(files, capsys, monkeypatch, command):
    monkeypatch.chdir(files)
    assert cli.main(command) == 0, capsys.readouterr().err
    footer = (files / "page.html").read_text().partition("<footer>")[2]
    assert f"Command: <code>cleancut {command[0]}" in footer and footer.count('<td class="words">') >= 1


def test_the_date_is_today_unless_a_build_fixes_it(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", today())
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    assert today() != "1970-01-01"


def test_what_is_no_file_has_no_digest(tmp_path):
    made = Provenance.of("cleancut audit org/name", ["org/name", str(tmp_path)])
    assert [(file.name, file.sha256) for file in made.files] == [("org/name", ""), (str(tmp_path), "")]


# --- in a browser ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(results, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "report.html"
    path.write_text(report_page(results, title="Ours"))
    return path.as_uri()


@pytest.mark.browser
@pytest.mark.parametrize("slug", ["headline", "types", "ranks", "bucket-eDen", "became"])
def test_figures_are_copied_as_pictures_and_tables(browser, saved, slug):
    page = browser.new_page(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page.goto(saved)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")  # so that files are saved
    texts = {}
    for kind in ("PNG", "SVG", "LaTeX", "CSV"):
        with page.expect_download() as download:
            page.locator(f'[data-slug="{slug}"] .copies button', has_text=kind).first.click()
        with open(download.value.path(), "rb") as stream:
            texts[kind] = stream.read()
    page.close()
    assert texts["PNG"].startswith(b"\x89PNG") and len(texts["PNG"]) > 4000
    words = " ".join(ElementTree.fromstring(texts["SVG"]).itertext())
    assert all(name in words for name in ("good", "middling", "bad")) or slug == "bucket-eDen"
    assert ("Ours" in words) == (slug == "headline")  # the card names the dataset
    assert texts["LaTeX"].startswith(b"\\begin{table}") and b"good" in texts["LaTeX"]
    assert texts["CSV"].startswith(b"table,group,row,column,value,low,high,n\n" + slug.encode())


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_their_window(browser, saved, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(saved)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # all marks of the headline are on one scale: the lines of all systems begin and end at the same places
    lines = page.evaluate(
        "[...document.querySelectorAll('[data-slug=headline] td.gap div')].map(e => e.getBoundingClientRect())"
        ".map(r => [Math.round(r.left), Math.round(r.right)])"
    )
    assert len(lines) == 3 and len({tuple(ends) for ends in lines}) == 1
    # what stays in view when a table is scrolled leaves room for the numbers
    shares = page.evaluate(
        "[...document.querySelectorAll('.scroll tr:not(.group) > th[scope=row]')].filter(e => e.checkVisibility())"
        ".map(e => e.offsetWidth / e.closest('.scroll').offsetWidth)"
    )
    assert max(shares) < 0.6
    page.close()


@pytest.fixture(scope="module")
def saved_many(many, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "many.html"
    path.write_text(report_page(many, title="Ours, test"))
    return path.as_uri()


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fifteen_long_names_leave_room_for_the_numbers(browser, saved_many, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(saved_many)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = page.evaluate(
        "[...document.querySelectorAll('.scroll')].filter(e => e.checkVisibility())"
        ".filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.getAttribute('aria-label'))"
    )
    shares = page.evaluate(
        "[...document.querySelectorAll('.scroll tr:not(.group) > th[scope=row]')].filter(e => e.checkVisibility())"
        ".map(e => e.offsetWidth / e.closest('.scroll').offsetWidth)"
    )
    lines = page.evaluate(  # the most lines of the name of a row
        "Math.max(...[...document.querySelectorAll('th[scope=row]')].filter(e => e.checkVisibility())"
        ".map(e => e.offsetHeight / parseFloat(getComputedStyle(e).lineHeight)))"
    )
    cut = page.evaluate(  # names beside the lines of ranks that reach beyond the picture
        """[...document.querySelectorAll('svg.ranks text')].filter(e => {
          const box = e.getBBox(), whole = e.ownerSVGElement.viewBox.baseVal;
          return box.x < 0 || box.x + box.width > whole.width;
        }).map(e => e.textContent)"""
    )
    page.close()
    assert max(shares) < 0.6 and cut == [] and lines < 6
    if width > 390:
        assert wide == []  # heat maps and p-values are in view


@pytest.mark.browser
def test_pairs_are_shown_on_request_with_their_p_values_in_view(browser, saved_many):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(saved_many)
    page.get_by_text("Every pair of systems (105 tables)").click()
    assert page.locator('[data-slug="pairs-1"] table').is_hidden()
    page.locator('[data-slug="pairs-1"] > summary').click()
    head = page.locator('[data-slug="pairs-1"] thead th', has_text="Holm p").bounding_box()
    page.close()
    assert head["x"] + head["width"] < 1440


@pytest.mark.browser
def test_fifteen_systems_fit_on_paper(browser, saved_many):
    page = browser.new_page(viewport={"width": 703, "height": 1000})  # A4 with margins
    page.emulate_media(media="print")
    page.goto(saved_many)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    cut = page.evaluate(
        "[...document.querySelectorAll('th, td')].filter(e => e.checkVisibility())"
        ".filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.textContent)"
    )
    tall = page.evaluate("document.querySelector('[data-slug=headline]').offsetHeight")
    pages = re.findall(rb"/Type /Page\b", page.pdf(format="A4"))
    page.close()
    assert cut == [] and tall < 1000  # the card is on one sheet
    assert 5 < len(pages) < 30  # tables of 105 pairs stay folded


@pytest.mark.browser
def test_the_digests_of_files_are_on_paper(browser, results, files, tmp_path):
    path = tmp_path / "page.html"
    source = files / "test.conll"
    path.write_text(report_page(results, provenance=Provenance.of("cleancut report", [str(source)])))
    page = browser.new_page()
    page.emulate_media(media="print")
    page.goto(path.as_uri())
    digest = page.get_by_text(hashlib.sha256(source.read_bytes()).hexdigest())
    assert digest.is_hidden()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert digest.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert digest.is_hidden()
    page.close()


@pytest.mark.browser
def test_no_column_is_lost_on_paper(browser, tmp_path):
    labels = [f"TYPE-{i:02d}-LONG" for i in range(18)]
    gold = cc.Corpus.of([[f"w{i}", "x"] for i in range(18)] * 2, tags=[[f"B-{label}", "O"] for label in labels] * 2)
    preds = {f"system-with-a-long-name-{i}": gold for i in range(7)}
    path = tmp_path / "page.html"
    path.write_text(cc.html_report(gold, preds, ci=None))
    page = browser.new_page(viewport={"width": 703, "height": 1000})  # A4 with margins
    page.emulate_media(media="print")
    page.goto(path.as_uri())
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    cut = page.evaluate(
        "[...document.querySelectorAll('.scroll th, .scroll td')].filter(e => e.checkVisibility())"
        ".filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.textContent)"
    )
    shown = page.locator('[data-slug="confusion-1"] thead th').all_inner_texts()
    page.close()
    assert cut == [] and len(shown) == 21 and "missed" in shown[-1]


LOOK = """async () => {
  const run = await axe.run(document, { resultTypes: ["violations"], preload: false });
  return run.violations.filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => [one.id, one.nodes.map((node) => node.target)]);
}"""


@pytest.fixture(scope="module")
def all_pages(given, results, many, tmp_path_factory):
    """A page of each kind."""
    gold, preds, train = given
    folder = tmp_path_factory.mktemp("all")
    plan = cc.mincut({"train": train, "test": gold}, effort="fast")
    pages = {
        "report": report_page(results, title="Ours", provenance=Provenance.of("cleancut report", ["test.conll"])),
        "many": report_page(many, title="Ours"),
        "audit": cc.html_audit(cc.audit({"train": train, "test": gold})),
        "split": cc.html_split(plan, components=cc.component_sizes({"train": train, "test": gold})),
        "compare": cc.html_comparison(cc.compare(gold, preds, cc.Exposure.of(train), ci=9).to_dict()),
        "study": cc.html_study(cc.study({"ours": {"train": train, "test": gold, "pred": preds}}, ci=None)),
    }
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text)
    return folder


@pytest.mark.browser
@pytest.mark.npm
@pytest.mark.parametrize("width", [390, 1280, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_any_page(browser, axe, all_pages, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    violations = {}
    for path in sorted(all_pages.glob("*.html")):
        page.goto(path.as_uri())
        page.evaluate(axe)
        violations[path.stem] = page.evaluate(LOOK)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path.stem
    page.close()
    assert violations == {path.stem: [] for path in all_pages.glob("*.html")}
