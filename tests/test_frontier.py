"""The frontier of a split: which splits are tried, which are optimal, which is recommended."""

import json
from html import escape

import pytest
from test_cli import run

import cleancut as cc
from cleancut.demo.sampletext import generate
from cleancut.showing.pictures import save_plots
from cleancut.showing.sections import frontier_sections

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_moves")]  # a frontier is a dozen cuts
QUICK = {"effort": "fast", "engine": "peel"}


@pytest.fixture(scope="module")
def corpus():
    return generate(400, 3)


@pytest.fixture(scope="module")
def found(corpus):
    return cc.frontier(corpus, **QUICK)


def test_points_are_what_mincut_gives(corpus, found):
    assert len(found.points) > 6
    for point in (found.points[0], found.best):
        plan = cc.mincut(corpus, discard=point.discard, representative=point.representative, **QUICK)
        assert plan.signature == point.plan.signature
        assert plan.assignment.tolist() == point.plan.assignment.tolist()
        after = cc.audit(plan.apply(corpus)).pairs
        pairs = (("validation", "train"), ("test", "train"), ("test", "validation"))
        assert point.n_contaminated == sum(after[pair]["n_partial"] for pair in pairs)
        assert point.n_discarded == plan.n_discarded
        assert point.density == min(plan.representation[s]["entities_per_sample_ratio"] for s in ("validation", "test"))
        assert point.ratio_error == pytest.approx(
            max(abs(a - b) for a, b in zip(plan.to_dict()["ratios"].values(), (0.8, 0.1, 0.1)))
        )


def test_a_point_is_optimal_unless_another_is_as_good_in_everything(found):
    for point in found.points:
        better = [p for p in found.points if all(a <= b for a, b in zip(p.losses(), point.losses())) and p is not point]
        if point.optimal:
            assert all(other.losses() == point.losses() for other in better)
        else:
            assert better
    assert found.best.optimal


def test_the_recommendation_names_options_that_work(found):
    assert f"Use {found.best.options}: " in found.recommendation and found.recommendation.count(". ") == 0
    assert found.best.n_discarded <= 0.1 * 400 and found.best.density >= 0.895
    fair = [p for p in found.points if p.n_discarded <= 40 and p.density >= 0.895 and p.ratio_error <= 0.0035]
    assert found.best.n_contaminated == min(p.n_contaminated for p in fair)


def test_a_density_that_there_is_not_is_told_in_words():
    two = cc.Corpus.of([["Ada", "ran"], ["Bo", "sat"]], tags=[["O", "O"]] * 2)
    why = cc.frontier(two, discards=[0], floors=[None], min_per_type=0, **QUICK).recommendation
    assert "no density to compare" in why and "nan" not in why


def test_budgets_that_cannot_matter_are_left_out(found):
    by_floor = {}
    for point in found.points:
        by_floor.setdefault(point.representative, []).append(point)
    assert list(by_floor) == [0.95, 0.9, 0.8, None]
    for points in by_floor.values():
        assert points[0].discard == 0
        if points[0].n_contaminated == 0:
            assert len(points) == 1
        else:
            needed = points[-1].n_discarded
            assert points[-1].discard == "auto" and points[-1].n_contaminated == 0
            assert all(point.discard * 400 < needed for point in points[:-1])


def test_the_order_of_rows_does_not_matter(corpus, found):
    again = cc.frontier(corpus.select(list(range(399, -1, -1))), **QUICK)
    assert json.dumps(again.to_dict()) == json.dumps(found.to_dict())


def test_without_entities_and_with_original_splits():
    bare = cc.Corpus.of([[f"w{i}"] for i in range(20)], tags=[["O"]] * 20)
    assert cc.frontier(bare, **QUICK).best.options == "--discard 0 --representative 0.95"
    parts = {"train": bare.select(range(15)), "test": bare.select(range(15, 20))}
    assert cc.frontier(parts, "original", **QUICK).best.ratio_error == pytest.approx(0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"discard": 0.1}, "discard=0.1 has no effect: a frontier tries several"),
        ({"representative": None}, "representative=None has no effect"),
        ({"floors": ()}, "give at least one of each"),
        ({"discards": [2]}, "discard=2 is not valid"),
    ],
)
def test_wrong_options_are_refused(corpus, options, message):
    with pytest.raises(cc.CleancutError, match=message):
        cc.frontier(corpus, **options)


def test_the_picture(found, tmp_path):
    page = cc.html_frontier(found)
    assert page.count("<polyline") == 4 and page.count('class="hollow"') == sum(not p.optimal for p in found.points)
    assert escape(found.recommendation) in page and page == cc.html_frontier(found)
    pytest.importorskip("matplotlib")
    assert save_plots(frontier_sections(found), str(tmp_path)) == ["frontier.png", "frontier.svg"]
    assert "density floor off" in (tmp_path / "frontier.svg").read_text()


def test_the_command(capsys, corpus, found, tmp_path):
    cc.write(corpus, tmp_path / "all.jsonl")
    quick = [f"--{name}={value}" for name, value in QUICK.items()]
    code, out, err = run(capsys, "split", tmp_path / "all.jsonl", "--frontier", *quick, "-o", tmp_path / "out")
    assert (code, err) == (0, "") and found.best.options in " ".join(out.split()) and "use this" in out
    said, signature = out.split("split|")
    assert max(map(len, said.splitlines())) <= 80 and signature.startswith("method:mincut")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["frontier.html", "frontier.json", "frontier.md"]
    code, out, _ = run(capsys, "split", tmp_path / "all.jsonl", "--frontier", *quick, "--json")
    printed = json.loads(out)
    assert list(printed.pop("read_as").values()) == ["JSONL with tokens and entities"]
    assert code == 0 and printed == json.loads(json.dumps(found.to_dict()))
    assert json.loads((tmp_path / "out" / "frontier.json").read_text()) == printed
    for wrong, told in ((["--discard", "0.1", "--frontier"], "--discard has no effect"), ([], "Give -o DIR")):
        code, _, err = run(capsys, "split", tmp_path / "all.jsonl", *wrong)
        assert code == 2 and told in err and err.count("\n") == 1
