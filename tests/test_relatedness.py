"""Notions of the same name where they are used: indices, clean F1, audits, and the commands."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleancut import Corpus, Exposure, audit, clean_f1, cli, html_report, read_aliases
from cleancut.core.exceptions import CleancutError
from cleancut.core.templates import template_hashes
from cleancut.scoring.exposure_view import STAIRCASE
from cleancut.showing.tables import related_notes
from cleancut.splitting.related import related_to_training

TRAIN = Corpus.of(
    [["Bill", "Clinton", "ran", "12", "km"], ["U.S.", "won"], ["so"]],
    tags=[["B-PER", "I-PER", "O", "O", "O"], ["B-LOC", "O"], ["O"]],
)
TEST = Corpus.of(
    [
        ["Bill", "Clinton", "spoke"],  # seen
        ["U.S.", "spoke"],  # seen with another type
        ["US", "spoke"],  # differs in punctuation
        ["Clinton", "sat"],  # part of a seen name
        ["Ada", "ran", "34", "km"],  # new, in a seen template
        ["Zed", "sat"],  # new
        ["President", "BILL", "CLINTON"],  # a seen name is part of it
    ],
    entities=[
        [(0, 2, "PER")],
        [(0, 1, "PER")],
        [(0, 1, "LOC")],
        [(0, 1, "PER")],
        [(0, 1, "PER")],
        [(0, 1, "PER")],
        [(0, 3, "PER")],
    ],
)
SEEN = {
    "exact": [1, 0, 0, 0, 0, 0, 0],
    "fold": [1, 0, 1, 0, 0, 0, 0],
    "part": [1, 0, 1, 1, 0, 0, 1],
    "fold+part": [1, 0, 1, 1, 0, 0, 1],
    "templates": [1, 0, 0, 0, 1, 0, 0],
    "fold+part+templates": [1, 0, 1, 1, 1, 0, 1],
}


@pytest.mark.parametrize("same", SEEN)
def test_what_is_seen_follows_the_notion(same):
    index = Exposure.of(TRAIN, same=same)
    assert index.view(TEST).seen.tolist() == list(map(bool, SEEN[same]))
    assert Exposure.of(TRAIN).under(same).view(TEST).seen.tolist() == list(map(bool, SEEN[same]))
    score = clean_f1(TEST, TEST, Exposure.of(TRAIN), same=same)
    assert score.n_contaminated == sum(SEEN[same])
    rows = audit({"train": TRAIN, "test": TEST}, same=same).pairs["test", "train"]
    assert rows["n_mentions_contaminated"] == rows["n_partial"] == sum(SEEN[same])


def test_without_types_another_type_is_seen():
    assert Exposure.of(TRAIN, same="fold", typed=False).view(TEST).seen.tolist() == [True, True, True, *[False] * 4]


def test_aliases_are_seen():
    aliases = [["Zed", "Bill Clinton"]]
    assert Exposure.of(TRAIN, same="alias", aliases=aliases).view(TEST).seen.tolist() == [
        True,
        *[False] * 4,
        True,
        False,
    ]
    score = clean_f1(TEST, TEST, Exposure.of(TRAIN), same="alias", aliases=aliases)
    assert score.n_contaminated == 2
    assert "|same:alias(" in score.signature


def test_signatures_name_the_notion_unless_it_is_exact():
    index = Exposure.of(TRAIN)
    plain = clean_f1(TEST, TEST, index).signature
    assert plain == clean_f1(TEST, TEST, index, same="exact").signature
    assert "same:" not in plain
    assert "|same:fold+part|" in clean_f1(TEST, TEST, index, same="part+fold").signature
    assert "|same:part(3)|" in clean_f1(TEST, TEST, index, same="part", part_limit=3).signature
    assert Exposure.of(TRAIN, same="fold").identity != index.identity


def test_counts_of_the_key_do_not_depend_on_the_notion():
    plain, loose = Exposure.of(TRAIN).view(TEST), Exposure.of(TRAIN, same="fold+part+templates").view(TEST)
    for name in ("novelty", "frequency", "entity", "surface_frequency", "memorised_exactly"):
        assert np.array_equal(getattr(plain, name), getattr(loose, name))


def test_an_index_under_a_notion_is_stored_merged_and_sent(tmp_path):
    options = {"same": "fold+part+alias", "aliases": [["Zed", "Bill Clinton"]], "part_limit": 7}
    index = Exposure.of(TRAIN, **options)
    index.save(tmp_path / "index.npz")
    parts = [Exposure.of(TRAIN.select([i]), **options) for i in range(3)]
    expected = index.view(TEST).seen.tolist()
    for other in (Exposure.load(tmp_path / "index.npz"), pickle.loads(pickle.dumps(index)), sum(parts)):
        assert other.same == index.same
        assert other.view(TEST).seen.tolist() == expected
        assert other.view(TEST).staircase.tolist() == index.view(TEST).staircase.tolist()
    with pytest.raises(CleancutError, match="different notions"):
        index + Exposure.of(TRAIN)


def test_a_grown_index_forgets_what_it_knew_under_other_notions():
    index = Exposure.of(TRAIN)
    assert not index.under("fold").view(TEST).seen[5]
    index.update(Corpus.of([["ZED"]], tags=[["B-PER"]]))
    assert index.under("fold").view(TEST).seen[5]


def test_an_index_without_templates_says_so(tmp_path):
    index = Exposure.of(TRAIN)
    arrays = {name: value for name, value in index._arrays().items() if name != "templates"}
    np.savez(tmp_path / "old.npz", **arrays)
    old = Exposure.load(tmp_path / "old.npz")
    assert clean_f1(TEST, TEST, old).signature == clean_f1(TEST, TEST, index).signature
    with pytest.raises(CleancutError, match="earlier version"):
        clean_f1(TEST, TEST, old, staircase=True)
    with pytest.raises(CleancutError, match="earlier version"):
        clean_f1(TEST, TEST, old + index, same="templates")


@pytest.mark.parametrize("options", [{"aliases": [["a", "b"]]}, {"part_limit": 3}])
def test_options_of_no_notion_are_refused(options):
    with pytest.raises(CleancutError, match="no effect without same="):
        clean_f1(TEST, TEST, Exposure.of(TRAIN), **options)


# --- the staircase ------------------------------------------------------------------------------------------


def test_each_mention_stands_on_the_first_step_that_applies():
    assert Exposure.of(TRAIN).view(TEST).staircase.tolist() == [0, 1, 2, 3, 4, 5, 3]


def test_recall_along_the_staircase():
    score = clean_f1(TEST, [*[[]] * 3, *TEST.entities()[3:]], Exposure.of(TRAIN), staircase=True)
    recalls = [score[f"recall_{step}"] for step in STAIRCASE]
    counts = [score[f"n_{step}"] for step in STAIRCASE]
    assert (recalls, counts) == ([0, 0, 0, 1, 1, 1], [1, 1, 1, 2, 1, 1])
    assert score["n_step_seen/PER"] == 1 and score["n_step_folded/LOC"] == 1
    assert sum(counts) == score.n_gold
    assert "|staircase:yes" in score.signature


def test_steps_have_intervals_and_shards_add_up():
    index = Exposure.of(TRAIN)
    whole = clean_f1(TEST, TEST, index, staircase=True, ci=200)
    assert whole["recall_step_part_low"] <= whole["recall_step_part"] <= whole["recall_step_part_high"]
    halves = [TEST.select(slice(0, 3)), TEST.select(slice(3, 7))]
    shards = [clean_f1(half, half, index, staircase=True) for half in halves]
    summed = shards[0] + shards[1]
    assert [summed[f"n_{step}"] for step in STAIRCASE] == [whole[f"n_{step}"] for step in STAIRCASE]


def test_without_the_staircase_nothing_is_added():
    assert not [name for name in clean_f1(TEST, TEST, Exposure.of(TRAIN)) if "step" in name]


# --- audits -------------------------------------------------------------------------------------------------


def test_an_audit_says_what_is_left_under_looser_notions():
    left = audit({"train": TRAIN, "test": TEST}).related["test", "train"]
    assert {name: left[name] for name in ("n_mentions", "n_shared", "n_folded", "n_part", "n_related")} == {
        "n_mentions": 7,
        "n_shared": 1,
        "n_folded": 1,
        "n_part": 3,
        "n_related": 3,
    }
    assert (left["n_bearing"], left["n_template"]) == (7, 1)
    assert left["rate_part"] == 3 / 7


names = st.lists(
    st.sampled_from(["Bill", "BILL", "Ada", "U.S.", "US", "New", "York", "ﬁ", "fi", "."]), min_size=1, max_size=3
)
sentences = st.lists(
    st.tuples(names, st.sampled_from(["PER", "LOC"]), st.sampled_from(["ran", "sat 12", "Ada"])), max_size=6
)


def corpus_of_sentences(drawn):
    """Return a corpus of a name and a text behind it in each sample."""
    samples = [[*name, *text.split()] for name, _, text in drawn]
    return Corpus.of(samples, entities=[[(0, len(name), label)] for name, label, _ in drawn])


@given(sentences, sentences, st.booleans(), st.booleans(), st.sampled_from([None, "NFKC"]), st.integers(1, 3))
def test_a_report_says_what_the_audit_says(train, test, case, typed, unicode, part_limit):
    train, test = corpus_of_sentences(train), corpus_of_sentences(test)
    options = {"case": case, "typed": typed, "unicode": unicode, "part_limit": part_limit, "same": "part"}
    index = Exposure.of([train.select(slice(0, 2)), train.select(slice(2, None))], **options)
    expected = audit({"train": train, "test": test}, **options).related
    np.testing.assert_equal(related_to_training(test, index), expected)


def test_a_report_shows_what_is_left_where_training_data_are_given():
    sentence = "shared 14.29%; differ in case or punctuation 14.29%; part of one another 42.86%; same template 14.29%"
    assert related_notes(audit({"train": TRAIN, "test": TEST}).related) == [f"test in train: {sentence}."]
    page = html_report(TEST, {"copy": TEST}, TRAIN, ci=None)
    assert f"Test in train: {sentence}." in page and "Left under looser notions of the same name" in page
    assert "differ in case or punctuation" not in html_report(TEST, {"copy": TEST}, ci=None)
    renamed = html_report(TEST, {"copy": TEST}, TRAIN, ci=None, types={"PER": "X", "LOC": "X"})
    assert "Test in train: shared 28.57%;" in renamed  # the names of types are those of the report


def test_an_index_without_templates_has_no_rate_of_them():
    index = Exposure.of(TRAIN)
    index._templates = None
    left = related_to_training(TEST, index)["test", "train"]
    assert np.isnan(left["rate_template"]) and left["rate_part"] == 3 / 7


def test_an_audit_lists_what_leaks_under_the_notion():
    found = audit({"train": TRAIN, "test": TEST}, same="fold+part")
    assert found.same == "fold+part"
    leaks = {leak["entity"]: (leak["n_test"], leak["n_train"]) for leak in found.top_leaks}
    assert leaks == {"Bill Clinton": (1, 1), "US": (1, 1), "Clinton": (1, 1), "President BILL CLINTON": (1, 1)}
    [clinton] = [leak for leak in found.top_leaks if leak["entity"] == "Clinton"]
    assert clinton["examples"]["train"][0]["text"] == "Bill Clinton ran 12 km"


def test_notions_are_of_entities():
    with pytest.raises(CleancutError, match="is of entities"):
        audit({"train": TRAIN, "test": TEST}, same="fold", key="pair")


NAMES = st.lists(st.sampled_from(["Ada", "ADA", "Ada King", "King", "A.da", "Bo", "@"]), min_size=1, max_size=6)


@given(train=NAMES, test=NAMES, rng=st.randoms())
def test_a_looser_notion_never_makes_a_sample_cleaner(train, test, rng):
    def corpus(names):
        words = [name.split() for name in names]
        return Corpus.of(words, entities=[[(0, len(own), "PER")] for own in words])

    splits = {"train": corpus(train), "test": corpus(test)}
    shuffled = {"train": corpus(rng.sample(train, len(train))), "test": corpus(rng.sample(test, len(test)))}
    last = 0
    for same in ("exact", "fold", "fold+part", "fold+part+templates"):
        rows = audit(splits, same=same).pairs["test", "train"]
        assert rows["n_partial"] >= last
        assert audit(shuffled, same=same).pairs["test", "train"] == rows
        shown = Exposure.of(splits["train"], same=same).view(splits["test"])
        assert int(shown.seen.sum()) == rows["n_mentions_contaminated"]
        last = rows["n_partial"]


# --- files and commands -------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    """Return the files of the two corpora, as JSONL."""
    paths = {}
    for name, corpus in {"train": TRAIN, "test": TEST}.items():
        rows = [{"tokens": t, "entities": e} for t, e in zip(corpus.tokens(), corpus.entities(), strict=True)]
        paths[name] = str(tmp_path / f"{name}.jsonl")
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return paths


def printed(capsys, *arguments):
    code = cli.main(list(arguments))
    output = capsys.readouterr()
    return code, output.out, output.err


def test_commands_take_the_notion(files, capsys, tmp_path):
    common = ["--train", files["train"], "--gold", files["test"], "--pred", files["test"], "--json"]
    code, out, _ = printed(capsys, "score", *common, "--same", "fold+part", "--staircase")
    score = json.loads(out)["clean_f1"]
    assert (code, score["n_contaminated"], score["n_step_part"]) == (0, 4, 2)
    assert "|same:fold+part|" in score["signature"]
    (tmp_path / "aliases.tsv").write_text("Zed\tBill Clinton\n", encoding="utf-8")
    code, out, _ = printed(capsys, "score", *common, "--same", "alias", "--aliases", str(tmp_path / "aliases.tsv"))
    assert json.loads(out)["clean_f1"]["n_contaminated"] == 2
    code, out, _ = printed(capsys, "audit", "--train", files["train"], "--test", files["test"], "--same", "fold")
    assert code == 0 and "same: fold" in out
    plain = " ".join(out.split())
    assert "test in train: shared 14.29%; differ in case or punctuation 14.29%; part of one another 42.86%;" in plain


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--same", "fold"], "without training data"),
        (["--train", "TRAIN", "--same", "alias"], "aliases"),
        (["--train", "TRAIN", "--same", "foldd"], "Did you mean fold"),
        (["--train", "TRAIN", "--same", "fold", "--part-limit", "3"], "part_limit=3 has no effect"),
        (["--train", "TRAIN", "--same", "fold", "--aliases", "TRAIN"], "not a list of names|two or more"),
        (["--staircase"], "belongs to the clean score"),
    ],
)
def test_options_that_cannot_work_are_refused(files, capsys, arguments, message):
    given = [files["train"] if word == "TRAIN" else word for word in arguments]
    code, _, err = printed(capsys, "score", "--gold", files["test"], "--pred", files["test"], *given)
    assert code == 1 or code == 2
    assert any(part in err for part in message.split("|"))


def test_files_of_aliases(tmp_path):
    (tmp_path / "a.tsv").write_text(
        "USA\tUnited States\n\nUnited States\t America \tLes États-Unis\n", encoding="utf-8"
    )
    (tmp_path / "a.jsonl").write_text(
        '["USA", "United States"]\n["America", "United States", "Les États-Unis"]\n', encoding="utf-8"
    )
    assert read_aliases(tmp_path / "a.tsv") == read_aliases(tmp_path / "a.jsonl")
    (tmp_path / "odd.jsonl").write_text('["a\u2028b", "c"]\r\n["d\x85", "e"]\n', encoding="utf-8", newline="")
    assert read_aliases(tmp_path / "odd.jsonl").lines == (("a\u2028b", "c"), ("d\x85", "e"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "USA\n", "line 1: .* has 1 name"),
        ("a.tsv", "\n", "there are no aliases"),
        ("a.jsonl", '["a", "b"]\n["a"\n', "line 2: .* is not JSON"),
        ("a.jsonl", '{"a": "b"}\n', "not a list of names"),
        ("a.jsonl", '["a", 3]\n', "not a list of names"),
        ("a.jsonl", "[" * 100_000, "not JSON"),
    ],
)
def test_files_that_hold_no_aliases_are_refused(tmp_path, name, text, message):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(CleancutError, match=message):
        read_aliases(tmp_path / name)
    with pytest.raises(CleancutError, match="No such file"):
        read_aliases(tmp_path / "none.tsv")


@pytest.mark.parametrize("beside", ["x", "a\0b", "é"])
def test_digits_are_masked_one_by_one_whatever_words_stand_beside_them(beside):
    def template(*words):
        return int(template_hashes(Corpus.of([list(words)], tags=[["O"] * len(words)]))[0])

    assert template(beside, "a17") == template(beside, "a23") == template(beside, "a٢٣")
    assert template(beside, "a17") != template(beside, "a1") != template(beside, "a123")
    assert template(beside, "17") != template("y", "17")
