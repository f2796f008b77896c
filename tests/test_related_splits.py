"""Splits under notions of the same name: nothing related is left, by a check of its own."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from cleancut import (
    Corpus,
    Exposure,
    Incidences,
    SplitPlan,
    audit,
    cli,
    component_sizes,
    decontaminate,
    frontier,
    ladder,
    mincut,
    mincut_folds,
    write_incidence,
)
from cleancut.core.entities import Key
from cleancut.core.exceptions import CleancutError
from cleancut.core.same import Same
from cleancut.splitting.checking import related_names
from cleancut.splitting.relatedness import Relatedness

FIRST = [f"First{i}" for i in range(30)]
LAST = [f"Last{i}" for i in range(40)]


def planted(n=400, seed=5):
    """Return a corpus whose names are related in known ways: in capitals, with points, as parts of one another."""
    rng = random.Random(seed)
    tokens, entities = [], []
    for i in range(n):
        name = [rng.choice(FIRST), rng.choice(LAST)]
        if rng.random() < 0.4:
            name = name[1:]
        if rng.random() < 0.2:
            name = [word.upper() for word in name]
        if rng.random() < 0.1:
            name[-1] += "."
        label = "PER" if rng.random() < 0.9 else "ORG"
        tokens.append([*name, "spoke", f"w{i % 50}", str(i)])
        entities.append([(0, len(name), label)])
    return Corpus.of(tokens, entities=entities)


CORPUS = planted()
QUICK = {"effort": "fast", "representative": None, "min_per_type": 0}


def split(same, corpus=CORPUS, **options):
    return mincut(corpus, (60, 20, 20), discard="auto", same=same, **{**QUICK, **options})


def parts_of(plan, corpus=CORPUS):
    return {name: corpus.select(plan.rows(name)) for name in plan.names}


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("same", ["exact", "fold", "part", "fold+part", "fold+part+templates"])
def test_no_related_names_are_left(same, typed):
    plan = split(same, typed=typed)
    parts = parts_of(plan)
    assert all(plan.sizes.values())
    assert set(related_names(parts, Key(typed=typed), Same.of(same)).values()) == {0}
    found = audit(parts, same=same, typed=typed)
    assert all(row["n_partial"] == 0 for row in found.pairs.values())
    assert found.related["test", "train"] == plan.related["after"]["test", "train"]
    under = "" if same == "exact" else f" (same: {same})"
    assert plan.guarantee == f"no entity is shared between any two splits{under}"


def test_each_step_of_strictness_leaves_less_and_discards_more():
    plans = {same: split(same) for same in ("exact", "fold", "fold+part")}
    left = [plan.related["after"]["test", "train"]["n_related"] for plan in plans.values()]
    assert left[0] > 0 and left[2] == 0
    assert plans["exact"].n_discarded <= plans["fold"].n_discarded <= plans["fold+part"].n_discarded


def test_a_split_under_exact_is_that_of_no_notion():
    assert split("exact") == mincut(CORPUS, (60, 20, 20), discard="auto", **QUICK)
    assert "same" not in split("exact").signature
    assert "|same:fold+part|" in split("part+fold").signature


def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(3).permutation(len(CORPUS))
    there, moved = split("fold+part"), split("fold+part", CORPUS.select(order))
    assert np.array_equal(there.assignment[order], moved.assignment)


def test_words_that_are_no_longer_generic_are_seen():
    """Discarding samples may leave a word in 20 names, which then relates names: none of them may stay."""
    names = [[f"n{i}", "Hall"] for i in range(21)] + [["Hall"], ["Zed"], ["hall", "x"]]
    corpus = Corpus.of(names, entities=[[(0, len(name), "LOC")] for name in names])
    kept = Relatedness({"": corpus}, Key(), Same.of("fold+part"))
    units = np.arange(24)
    before = np.array([0] * 21 + [1, 1, 2])
    assert np.array_equal(kept.without_late_relatives(before, 3, units), before)  # Hall is in 22 names
    before[[0, 1]] = -1  # and now in 20
    after = kept.without_late_relatives(before, 3, units)
    assert after.tolist() == [-1, -1, *[0] * 19, -1, 1, 2]
    units[22] = 21  # a unit stays whole
    assert kept.without_late_relatives(before, 3, units)[22] == -1
    with pytest.raises(CleancutError, match="19 names of a are related to names of b under"):
        kept.refuse_related(["a", "b", "c"], before)
    kept.refuse_related(["a", "b", "c"], after)


def test_a_check_that_shares_no_code_finds_what_is_planted():
    def corpus(*names):
        return Corpus.of([name.split() for name in names], entities=[[(0, len(n.split()), "PER")] for n in names])

    splits = {"a": corpus("Bill Clinton", "U.S.", "Zed"), "b": corpus("Clinton", "US", "Bo")}
    expected = {"exact": 0, "fold": 1, "part": 2, "fold+part": 2}
    for same, n in expected.items():
        assert related_names(splits, Key(), Same.of(same)) == {("a", "b"): n}
    assert related_names(splits, Key(), Same.of("alias", aliases=[["Zed", "Bo"]])) == {("a", "b"): 1}
    generic = {"a": corpus("Hall", *[f"Hall n{i}" for i in range(21)]), "b": corpus("HALL x")}
    assert related_names(generic, Key(), Same.of("part")) == {("a", "b"): 0}
    assert related_names(generic, Key(), Same.of("part", part_limit=22)) == {("a", "b"): 1}


def test_names_of_many_words_are_checked():
    """A mention may be a whole document, tagged by mistake: the check must come to an end on those, too."""
    long = ["a"] * 3000
    names = {"a": [long, ["b"] * 2999 + ["c"]], "b": [long[1:], ["c", "d"]], "c": [["e"]]}
    splits = {split: Corpus.of(own, entities=[[(0, len(name), "PER")] for name in own]) for split, own in names.items()}
    assert related_names(splits, Key(), Same.of("part")) == {("a", "b"): 1, ("a", "c"): 0, ("b", "c"): 0}


def test_aliases_keep_names_in_one_split(tmp_path):
    aliases = [["First0 Last0", "Last1"], ["Last1", "Last2"]]
    plan = split("fold+alias", aliases=aliases)
    assert set(related_names(parts_of(plan), Key(), Same.of("fold+alias", aliases=aliases)).values()) == {0}
    assert "|same:fold+alias(" in plan.signature
    assert "--same fold+alias --aliases FILE" in plan.command
    plan.save(tmp_path / "plan.json")
    assert SplitPlan.load(tmp_path / "plan.json") == plan


@pytest.mark.parametrize("same", ["exact", "fold+part"])
def test_a_plan_is_stored_with_what_is_left(same, tmp_path):
    plan = split(same, part_limit=15) if same != "exact" else split(same)
    plan.save(tmp_path / "plan.json")
    loaded = SplitPlan.load(tmp_path / "plan.json")
    assert loaded == plan and loaded.related == plan.related
    stored = json.loads((tmp_path / "plan.json").read_text("utf-8"))
    stored["related_after"]["test_vs_train"]["n_part"] = 10**6
    (tmp_path / "plan.json").write_text(json.dumps(stored), encoding="utf-8")
    with pytest.raises(CleancutError, match="n_part"):
        SplitPlan.load(tmp_path / "plan.json")


def test_templates_stay_together():
    sentences = [["Ada", "ran", "12", "km"], ["Bo", "ran", "34", "km"], ["so", "12"], ["so", "34"]]
    tokens = [[f"N{i}", *words[1:]] if words[0] != "so" else words for i, words in enumerate(sentences * 10)]
    tags = [["B-PER", "O", "O", "O"] if len(words) == 4 else ["O", "O"] for words in tokens]
    others = [[f"M{i}", f"w{i}"] for i in range(40)]
    corpus = Corpus.of([*tokens, *others], tags=[*tags, *[["B-PER", "O"]] * 40])
    free, together = (mincut(corpus, (50, 50), templates=how, **QUICK) for how in ("free", "together"))
    masked = [i for i, words in enumerate(tokens) if len(words) == 4]
    assert len(set(free.assignment[masked])) == 2
    assert len(set(together.assignment[masked])) == 1
    assert together.related["after"]["test", "train"]["n_template"] == 0
    assert "|templates:together|" in together.signature and "templates" not in free.signature


def test_documents_with_a_template_in_common_stay_together():
    tokens = [[f"N{i}", "ran", str(i)] if i % 2 else [f"N{i}", f"w{i}"] for i in range(40)]
    tags = [["B-PER", *["O"] * (len(words) - 1)] for words in tokens]
    corpus = Corpus.of(tokens, tags=tags, docs=[str(i // 4) for i in range(40)])
    plan = mincut(corpus, (50, 50), unit="doc", templates="together", **QUICK)
    assert len(set(plan.assignment[[i for i in range(40) if i % 2 and i < 10]])) == 1


def test_folds_share_no_related_names():
    folds = mincut_folds(CORPUS, k=3, discard="auto", same="fold+part", **QUICK)
    assert folds.guarantee == "no entity is shared between any two folds (same: fold+part)"
    parts = {str(i): CORPUS.select(fold.test) for i, fold in enumerate(folds)}
    assert set(related_names(parts, Key(), Same.of("fold+part")).values()) == {0}
    exact = mincut_folds(CORPUS, k=3, discard="auto", **QUICK)
    assert exact.guarantee == "no entity is shared between any two folds"


def test_a_ladder_draws_related_samples():
    parts = parts_of(split("exact"))
    with pytest.raises(CleancutError, match="clean and contaminated"):
        ladder(parts["train"], parts["test"], levels=(0, 100), seeds=1)
    sets = ladder(parts["train"], parts["test"], levels=(0, 100), seeds=1, same="fold+part")
    shown = Exposure.of(parts["test"], same="fold+part")
    counts = [int(shown.view(parts["train"].select(rung.rows)).seen.sum()) for rung in sets]
    assert counts[0] == 0 and counts[1] == len(sets.rungs[1].rows)
    assert "|same:fold+part|" in sets.signature


def test_components_are_of_related_samples():
    sizes = [max(component_sizes(CORPUS, same=same)) for same in ("exact", "fold", "fold+part")]
    assert sizes[0] < sizes[1] < sizes[2]


def test_a_frontier_shows_what_each_notion_costs():
    tried = frontier(
        CORPUS, (60, 20, 20), discards=(0, "auto"), floors=(None,), same="exact,fold,fold+part", effort="fast",
        min_per_type=0,
    )  # fmt: skip
    assert list(dict.fromkeys(point.same for point in tried.points)) == ["exact", "fold", "fold+part"]
    costs = {point.same: point.n_discarded for point in tried.points if not point.n_contaminated}
    assert costs["exact"] <= costs["fold"] <= costs["fold+part"]
    assert all(any(point.optimal for point in tried.points if point.same == same) for same in costs)
    single = frontier(CORPUS, (60, 20, 20), discards=(0,), floors=(None,), effort="fast", min_per_type=0)
    assert "--same" not in single.best.options


def test_incidences_have_the_names_of_equivalences(tmp_path):
    write_incidence(CORPUS, tmp_path / "fold.parquet", same="fold")
    incidences = Incidences.load(tmp_path / "fold.parquet")
    plan = mincut(incidences, (60, 20, 20), discard="auto", **QUICK)
    assert set(related_names(parts_of(plan), Key(), Same.of("fold")).values()) == {0}
    write_incidence(CORPUS, tmp_path / "alias.parquet", same="alias", aliases=[["First0 Last0", "Last1"]])
    assert len(Incidences.load(tmp_path / "alias.parquet")) == len(CORPUS)
    for same in ("part", "fold+templates"):
        with pytest.raises(CleancutError, match="have no place for"):
            write_incidence(CORPUS, tmp_path / "part.parquet", same=same)
    with pytest.raises(CleancutError, match="have no effect on incidences"):
        mincut(incidences, same="fold")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"same": "foldd"}, "Did you mean fold"),
        ({"same": "alias"}, "needs a table of aliases"),
        ({"same": "fold", "part_limit": 3}, "part_limit=3 has no effect"),
        ({"part_limit": 3}, "part_limit=3 has no effect"),
        ({"same": "fold", "key": "pair"}, "is of entities"),
        ({"templates": "apart"}, "Choose one of: free, together"),
        ({"aliases": [["a", "b"]]}, "aliases= has no effect"),
    ],
)
def test_options_that_cannot_work_are_refused(options, message):
    with pytest.raises(CleancutError, match=message):
        mincut(CORPUS, **options)


def test_rows_are_removed_by_the_notion():
    import datasets

    train = datasets.Dataset.from_dict({"tokens": [["ADA", "King"], ["Bo"]], "tags": [["B-PER", "I-PER"], ["B-PER"]]})
    test = datasets.Dataset.from_dict({"tokens": [["Ada"]], "tags": [["B-PER"]]})
    assert len(decontaminate(train, test)) == 2
    assert decontaminate(train, test, same="part")["tokens"][:] == [["Bo"]]
    index = Exposure.of(test)
    assert decontaminate(train, index, same="part")["tokens"][:] == [["Bo"]]


# --- commands -----------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    """Return the corpus as a file of JSONL."""
    rows = [{"tokens": t, "entities": e} for t, e in zip(CORPUS.tokens(), CORPUS.entities(), strict=True)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return str(tmp_path / "corpus.jsonl")


OPTIONS = ["--effort", "fast", "--representative", "off", "--min-per-type", "0", "--ratios", "60/20/20"]


def test_the_command_splits_under_a_notion(file, tmp_path, capsys):
    out = str(tmp_path / "clean")
    (tmp_path / "aliases.tsv").write_text("First0 Last0\tLast1\n", encoding="utf-8")
    code = cli.main(
        [
            *("split", file, "-o", out, "--same", "fold+part+alias", "--aliases", str(tmp_path / "aliases.tsv")),
            *("--discard", "auto", "--html", str(tmp_path / "page.html"), *OPTIONS),
        ]
    )
    text = " ".join(capsys.readouterr().out.split())
    assert code == 0 and "between any two splits (same: fold+alias(" in text
    assert "After, test in train: shared 0.00%; differ in case or punctuation 0.00%; part of one another 0.00%;" in text
    assert "Left under looser notions of the same name (%), after" in (tmp_path / "page.html").read_text("utf-8")
    assert cli.main(["audit", out, "--same", "fold+part", "--json"]) == 0
    pairs = json.loads(capsys.readouterr().out)
    assert pairs["test_vs_train"]["n_partial"] == pairs["validation_vs_train"]["n_partial"] == 0


def test_the_command_shows_a_frontier_of_notions(file, capsys):
    assert cli.main(["split", file, "--frontier", "--same", "exact,fold", "--json", *OPTIONS[:2], *OPTIONS[4:]]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert {point["same"] for point in points} == {"exact", "fold"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["split", "FILE", "-o", "OUT", "--same", "exact,fold"], "is unknown"),
        (["split", "--incidence", "FILE", "-o", "OUT", "--same", "fold"], "--same has no effect"),
        (["split", "--incidence", "FILE", "-o", "OUT", "--templates", "together"], "--templates has no effect"),
        (["incidence", "FILE", "-o", "OUT.parquet", "--same", "part"], "have no place for part"),
    ],
)
def test_commands_refuse_what_cannot_work(file, tmp_path, capsys, arguments, message):
    names = {"FILE": file, "OUT": str(tmp_path / "out"), "OUT.parquet": str(tmp_path / "out.parquet")}
    assert cli.main([names.get(word, word) for word in arguments]) != 0
    assert message in capsys.readouterr().err
