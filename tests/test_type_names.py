"""Types that are called otherwise on one side: a notice that names both, and one name for them on every side."""

import json

import evaluate
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import samples

import cleancut as cc
from cleancut import cli
from cleancut.core.notices import said_once, say
from cleancut.core.type_names import disagreement, parse_types

TEXT = [["Ada", "met", "Bo", "in", "Rome"], ["Oslo", "and", "Ada"], ["Bo"]]


def corpus(person="PER", place="LOC", text=TEXT):
    spans = [[(0, 1, person), (2, 3, person), (4, 5, place)], [(0, 1, place), (2, 3, person)], [(0, 1, person)]]
    return cc.Corpus.of(text, entities=spans)


@pytest.mark.parametrize(
    "ours, theirs, remedy",
    [
        (["PER", "LOC"], ["person", "location"], "--map location=LOC,person=PER "),
        (["PER", "LOC", "ORG"], ["PERSON", "LOC", "ORG"], "--map PERSON=PER "),
        (["PER"], ["Per"], "--map Per=PER "),
        (["organization"], ["Organisation"], "--map Organisation=organization "),
        (["creative-work"], ["CREATIVE_WORKS"], "--map CREATIVE_WORKS=creative-work "),
        (["Chemical"], ["drug"], "--map drug=Chemical "),
        (["a", "b", "c", "d"], ["d", "x", "y", "z"], "--map x=a and so on "),
        (["PER"], ["PER", "person"], "--map person=PER "),
    ],
)
def test_names_that_differ_get_a_notice_that_names_both_and_the_remedy(ours, theirs, remedy):
    (notice,) = disagreement("gold", ours, 5, "training", theirs, 5)
    assert f"gold has the types {', '.join(sorted(ours))} and training {', '.join(sorted(theirs))}." in notice
    assert remedy in notice


@pytest.mark.parametrize(
    "ours, theirs",
    [
        (["PER", "LOC"], ["PER", "LOC"]),
        (["PER", "LOC", "ORG"], ["ORG"]),  # a system that finds one type
        (["PERSON"], ["PERSON", "PERCENT", "ORG", "GPE"]),  # a test set with one of many
        (["person", "algorithm", "task", "field"], ["person", "location", "misc"]),
        ([], ["PER"]),
        (["PER"], []),
        (["GENE", "DISEASE"], ["GENE", "CHEMICAL"]),
    ],
)
def test_names_that_agree_get_none(ours, theirs):
    assert disagreement("gold", ours, 99, "training", theirs, 99) == []


def test_a_single_error_is_no_disagreement():
    assert disagreement("gold", ["PER"], 1, "predictions", ["LOC"], 1) == []


def test_each_score_has_its_notices_and_none_on_good_data(caplog):
    shown, gold, pred = cc.Exposure.of(corpus("person", "location")), corpus(), corpus("PERSON", "LOCATION")
    with_pred = "gold has the types LOC, PER and predictions LOCATION, PERSON."
    with_train = "gold has the types LOC, PER and training location, person."
    for score in (cc.exact_f1, cc.partial_f1):
        assert [notice.startswith(with_pred) for notice in score(gold, pred).notices] == [True]
    for score in (cc.clean_f1, cc.hardeval):
        assert [n.startswith(s) for n, s in zip(score(gold, pred, shown).notices, (with_pred, with_train))] == [
            True
        ] * 2
    assert not caplog.records  # no value was read
    cc.buckets(gold, pred, shown)
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 2
    caplog.clear()
    same = cc.Exposure.of(gold)
    for score in (cc.exact_f1(gold, gold), cc.clean_f1(gold, gold, same), cc.hardeval(gold, gold, same)):
        assert score.notices == () and score.to_dict()
    cc.buckets(gold, gold, same)
    assert not caplog.records


def test_what_a_shard_lacks_is_no_disagreement_of_the_whole(caplog):
    gold = corpus()
    pred = gold.with_predictions([[], [(0, 1, "PER"), (2, 3, "LOC")], [(0, 1, "PER")]])
    parts = [cc.exact_f1(gold.select([i]), pred.select([i])) for i in range(3)]
    assert sum(parts).f1 == cc.exact_f1(gold, pred).f1 and not caplog.records
    other = [cc.exact_f1(gold.select([i]), corpus("person").select([i])) for i in range(3)]
    assert sum(other).notices == cc.exact_f1(gold, corpus("person")).notices != ()


NAMES = {"person": "PER", "location": "LOC", "PERSON": "PER"}


@pytest.mark.parametrize("score", [cc.exact_f1, cc.partial_f1, cc.clean_f1, cc.hardeval, cc.buckets])
def test_with_one_name_for_each_type_all_is_as_if_it_had_been_so(score):
    train, pred = corpus("person", "location"), corpus("PERSON", "LOC")
    takes_train = score not in (cc.exact_f1, cc.partial_f1)
    found = score(corpus(), pred, *([cc.Exposure.of(train)] if takes_train else []), types=NAMES)
    plain = score(corpus(), corpus(), *([cc.Exposure.of(corpus())] if takes_train else []))
    ours, theirs = found.to_dict(), plain.to_dict()
    signature = ours.pop("signature")
    assert "|types:PERSON=PER,location=LOC,person=PER|" in signature and "types:" not in theirs.pop("signature")
    assert str(ours) == str(theirs)
    assert getattr(found, "notices", ()) == ()


def test_scores_under_other_names_do_not_add_up():
    with pytest.raises(cc.CleancutError, match="computed differently"):
        cc.exact_f1(corpus(), corpus()) + cc.exact_f1(corpus(), corpus("person"), types=NAMES)


@given(samples(), st.data())
def test_renaming_is_what_it_would_be_to_write_other_names(tags, data):
    tokens = [[f"w{data.draw(st.integers(0, 3))}" for _ in row] for row in tags]
    train = cc.Corpus.of(tokens, tags=tags)
    names = {name: f"new-{name}" for name in train.mentions.labels}
    renamed = train.renamed(names)
    assert renamed.entities() == [[{**s, "label": names[s["label"]]} for s in own] for own in train.entities()]
    assert renamed.select(slice(None)).entities() == renamed.entities()
    ours, theirs = cc.Exposure.of(train).renamed(names).view(renamed), cc.Exposure.of(renamed).view(renamed)
    for value in ("seen", "novelty", "type_frequency", "memorised_exactly"):
        assert getattr(ours, value).tolist() == getattr(theirs, value).tolist()
    assert ours.hard_tokens.of_token.tolist() == theirs.hard_tokens.of_token.tolist()


def test_an_index_with_other_names_is_another_index():
    shown = cc.Exposure.of(corpus("person", "location"))
    other = shown.renamed({"person": "PER", "location": "LOC", "none": "x"})
    assert set(other.type_names) == {"PER", "LOC"}
    assert other.identity != shown.identity and other is shown.renamed({"person": "PER", "location": "LOC"})
    shown.update(corpus("person"))
    assert shown.renamed({"person": "PER"}).n_mentions == 12  # not the one that was kept


def test_two_types_may_become_one():
    gold = cc.Mentions.of([["B-PER", "I-LOC", "O"]])  # two mentions side by side stay two
    assert gold.renamed({"PER": "X", "LOC": "X"}).spans() == [
        [{"start": 0, "end": 1, "label": "X"}, {"start": 1, "end": 2, "label": "X"}]
    ]
    entities = [[(0, 1, "PER"), (0, 1, "person"), (1, 2, "PER")]]
    relations = [[{"head": head, "tail": 2, "label": "r"} for head in (0, 1)]]
    twice = cc.Corpus.of([["Ada", "King"]], entities=entities, relations=relations)
    one = twice.renamed({"person": "PER"})
    assert len(one.mentions) == 2 and one.relation_lists() == [[{"head": 0, "tail": 1, "label": "r"}]]


def test_accuracy_of_seqeval_is_of_the_new_names():
    gold, pred = [["B-PER", "O"]], [["B-person", "O"]]
    assert cc.exact_f1(gold, pred, keys="seqeval", types={"person": "PER"}).overall_accuracy == 1.0
    bare = cc.exact_f1([["PER", "O"]], [["person", "O"]], scheme="io", keys="seqeval", types={"person": "PER"})
    assert bare.overall_accuracy == 1.0
    merged = cc.exact_f1([["B-PER", "B-LOC"]], [["B-PER", "B-PER"]], keys="seqeval", types={"LOC": "PER"})
    assert merged.overall_f1 == 1.0 and np.isnan(merged.overall_accuracy)  # tags are no longer what was decoded


@pytest.mark.parametrize("types", [["person"], {"person": ""}, {1: "PER"}, {"person": None}])
def test_names_are_checked(types):
    with pytest.raises(cc.CleancutError, match="types"):
        parse_types(types)
    with pytest.raises(cc.CleancutError, match="types"):
        cc.exact_f1(corpus(), corpus(), types=types)


def test_audit_says_that_names_differ_and_takes_others(caplog):
    splits = {"train": corpus("person", "location"), "test": corpus()}
    found = cc.audit(splits)
    assert found.pairs["test", "train"]["n_partial"] == 0
    assert found.notes[0].startswith("test has the types LOC, PER and train location, person.")
    assert [record.message for record in caplog.records] == found.notes[:1]
    caplog.clear()
    found = cc.audit(splits, types=NAMES)
    assert found.pairs["test", "train"]["n_full"] == 3 and found.memorisation["test"]["f1"] == 1.0
    assert found.notes == ["Types were renamed: PERSON=PER,location=LOC,person=PER."] and not caplog.records
    assert cc.audit({"train": corpus(), "test": corpus()}).notes == []


def test_equal_notices_are_logged_once_where_asked(caplog):
    with said_once(), said_once():
        say("a")
        say("a")
    say("a")
    assert [record.message for record in caplog.records] == ["a", "a"]
    caplog.clear()
    systems = {"a": corpus("PERSON"), "b": corpus("PERSON")}
    cc.compare(corpus(), systems, cc.Exposure.of(corpus()), ci=50).to_dict()
    assert len(caplog.records) == 1
    caplog.clear()
    page = cc.html_report(corpus(), systems, corpus(), ci=None)
    assert len(caplog.records) == 1 and "predictions LOC, PERSON." in page


def test_modules_take_names():
    columns = {"tokens": TEXT, "entities": corpus("person", "location").entities()}
    module = evaluate.load(cc.metric("clean_f1"), train=columns)
    given = {"predictions": corpus("PERSON").entities(), "references": corpus().entities(), "tokens": TEXT}
    assert module.compute(**given)["f1"] < 1 > module.compute(**given)["contamination_rate"]
    found = module.compute(**given, types=NAMES)
    assert found["f1"] == found["contamination_rate"] == 1.0 and "|types:" in found["signature"]


@pytest.fixture
def files(tmp_path):
    for name, part in {"train": corpus("person", "location"), "test": corpus(), "pred": corpus("PERSON")}.items():
        cc.write(part, tmp_path / f"{name}.jsonl")
    (tmp_path / "names.txt").write_text("person=PER\n\nPERSON=PER, location=LOC\n", encoding="utf-8")
    return tmp_path


MAP = "person=PER,location=LOC,PERSON=PER"


def run(capsys, *arguments):
    code = cli.main([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


@pytest.mark.parametrize("command", ["score", "compare", "buckets", "report"])
def test_commands_say_that_names_differ_and_take_others(command, files, capsys):
    preds = ["--pred", files / "pred.jsonl"] + ["--pred", files / "test.jsonl"] * (command == "compare")
    end = ["-o", files / "page.html", "--ci", 50] if command == "report" else ["--json"]
    given = [command, "--gold", files / "test.jsonl", *preds, "--train", files / "train.jsonl", *end]
    code, _, err = run(capsys, *given)
    lines = [line for line in err.splitlines() if "have" in line or "has the types" in line]
    assert code == 0 and len(lines) == 2 and all(line.startswith("cleancut: gold has the types") for line in lines)
    for names in (MAP, files / "names.txt"):
        code, out, err = run(capsys, *given, "--map", names)
        assert (code, err) == (0, "")
        if command == "score":
            found = json.loads(out)
            assert found["clean_f1"]["contamination_rate"] == found["clean_f1"]["memorisation_f1"] == 1.0
            assert found["exact_f1"]["f1"] == 1.0 and "|types:PERSON=PER," in found["exact_f1"]["signature"]
        if command == "report":
            assert "types:PERSON=PER,location=LOC,person=PER" in (files / "page.html").read_text("utf-8")


def test_the_audit_command_takes_names(files, capsys):
    given = ["audit", "--train", files / "train.jsonl", "--test", files / "test.jsonl", "--json"]
    code, out, err = run(capsys, *given)
    assert code == 0 and "cleancut: test has the types LOC, PER and train" in err
    assert json.loads(out)["test_vs_train"]["rate_partial"] == 0
    code, out, err = run(capsys, *given, "--map", MAP)
    assert code == 0 and "has the types" not in err and json.loads(out)["test_vs_train"]["rate_full"] == 1


@pytest.mark.parametrize(
    "text, said",
    [("person", "'person' is not OLD=NEW"), ("a=", "'a=' is not OLD=NEW"), ("a=b,a=c", "'a' is to be 'b' and 'c'"),
     (",", "there are no names")],
)  # fmt: skip
def test_a_map_that_is_none_is_refused(text, said, files, capsys):
    code, _, err = run(capsys, "score", "--gold", files / "test.jsonl", "--pred", files / "pred.jsonl", "--map", text)
    assert code == 2 and said in err
