"""Scores of answers: what is invented or open counts, shards add up, files and modules take answers too."""

from __future__ import annotations

import json
import multiprocessing

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cleancut
from cleancut import Corpus, Exposure, buckets, clean_f1, compare, errors, exact_f1, hardeval, partial_f1, read_answers
from cleancut.cli import main
from cleancut.reading.answer_rows import is_answer_file

TOKENS = [["Ada", "met", "Bo", "in", "Oslo", "."], ["Bo", "left", "Bo", "."], ["It", "rained", "."]]
TAGS = [["B-PER", "O", "B-PER", "O", "B-LOC", "O"], ["B-PER", "O", "O", "O"], ["O", "O", "O"]]
GOLD = Corpus.of(TOKENS, tags=TAGS, ids=["a", "b", "c"])
ANSWERS = ['[["Ada", "per"], ["Zed", "PER"], ["Oslo", "LOC"]]', '{"PER": ["Bo"]}', "Lorem ipsum"]
TRAIN = Exposure.of(Corpus.of([["Ada", "ran"]], tags=[["B-PER", "O"]]))
COUNTS = {
    "n_unparsed": 1, "n_empty": 0, "n_invented": 1, "n_ambiguous": 1, "f1_lowest": 2 * 2 / 8, "f1_highest": 2 * 3 / 8,
}  # fmt: skip


def scores(gold, pred, **options):
    found = [exact_f1(gold, pred, **options), partial_f1(gold, pred, **options)]
    return [*found, clean_f1(gold, pred, TRAIN, **options), hardeval(gold, pred, TRAIN, **options)]


def test_buckets_count_what_answers_say():
    found = buckets(GOLD, read_answers(ANSWERS, GOLD)).to_dict()
    assert {name: found[name] for name in COUNTS} == COUNTS and list(found)[-1] == "signature"


@pytest.mark.parametrize("metric", range(4))
def test_every_metric_counts_what_answers_say(metric):
    score = scores(GOLD, read_answers(ANSWERS, GOLD))[metric].to_dict()
    assert {name: score[name] for name in COUNTS} == COUNTS
    assert "|answers:auto|" in score["signature"] and list(score)[-1] == "signature"


def test_predictions_may_be_texts_with_tokens():
    by_list = exact_f1(TAGS, ANSWERS, tokens=TOKENS)
    assert by_list.to_dict() == {**exact_f1(GOLD, read_answers(ANSWERS, GOLD)), "signature": by_list.signature}
    with pytest.raises(cleancut.CleancutError, match="Give tokens="):
        exact_f1(TAGS, ANSWERS)
    with pytest.raises(cleancut.CleancutError, match="3 gold samples but 2 answers"):
        exact_f1(TAGS, ANSWERS[:2], tokens=TOKENS)


def test_an_invented_mention_is_a_false_positive_and_in_no_bucket_and_no_token_score():
    without = ['[["Ada", "per"], ["Oslo", "LOC"]]', *ANSWERS[1:]]
    for ours, theirs in zip(scores(GOLD, ANSWERS), scores(GOLD, without), strict=True):
        lower = {name for name in theirs if isinstance(theirs[name], float) and ours[name] < theirs[name]}
        assert all("precision" in name or "f1" in name for name in lower)
        assert all(ours[name] == theirs[name] for name in theirs if "recall" in name and theirs[name] == theirs[name])
    assert exact_f1(GOLD, ANSWERS).precision == 3 / 4
    assert exact_f1(GOLD, ANSWERS)["precision/PER"] == 2 / 3
    assert sum(row["n_pred"] for row in buckets(GOLD, ANSWERS)["eLen"]) == 3
    hard, plain = hardeval(GOLD, ANSWERS, TRAIN), hardeval(GOLD, without, TRAIN)
    assert (hard.ter, hard.ter_unseen) == (plain.ter, plain.ter_unseen)
    found = errors(GOLD, ANSWERS)
    assert [row["pred_text"] for row in found.matches if row["kind"] == "invented"] == ["Zed"]
    assert found.spurious["PER"] == 1


def test_an_answer_with_offsets_equals_the_same_given_as_spans():
    spans = [[{"start": 0, "end": 1, "label": "PER"}], [{"start": 2, "end": 3, "label": "PER"}], []]
    said = [json.dumps([{**span, "text": TOKENS[i][span["start"]]} for span in own]) for i, own in enumerate(spans)]
    assert read_answers(said, GOLD).entities() == spans
    assert exact_f1(GOLD, said).f1 == exact_f1(GOLD, spans).f1


NAMES = st.sampled_from(["Ada", "Bo", "Oslo", "Zed", "met"])
answers = st.one_of(
    st.lists(st.tuples(NAMES, st.sampled_from(["PER", "loc", "X"])), max_size=4).map(json.dumps),
    st.sampled_from(["[]", "Lorem ipsum", "No entities.", '{"PER": ["Bo", "Ada"]}', "<PER>Bo</PER> left Bo ."]),
)


@given(st.lists(answers, min_size=3, max_size=3), st.permutations(range(3)), st.integers(1, 2))
def test_order_and_shards_change_nothing(said, order, cut):
    pred = read_answers(said, GOLD)
    parts = [order[:cut], order[cut:]]
    for metric in (exact_f1, partial_f1, lambda gold, pred: clean_f1(gold, pred, TRAIN)):
        whole = metric(GOLD, pred)
        added = sum(metric(GOLD.select(part), pred.select(part)) for part in parts)
        numbers = {name: value for name, value in whole.items() if value == value}
        assert numbers == {name: value for name, value in added.items() if value == value}


@given(st.lists(answers, min_size=3, max_size=3))
def test_an_invented_mention_more_lowers_precision_only(said):
    more = [*said[:2], json.dumps([["Nobody", "PER"]])]
    less = [*said[:2], "[]"]
    ours, theirs = exact_f1(GOLD, more), exact_f1(GOLD, less)
    assert ours.recall == theirs.recall and ours.precision <= theirs.precision
    assert ours.n_invented == theirs.n_invented + 1 and ours.n_exact == theirs.n_exact


@given(st.lists(answers, min_size=3, max_size=3))
def test_f1_lies_within_its_bounds(said):
    score = exact_f1(GOLD, said)
    assert score.f1_lowest <= score.f1 + 1e-12 and score.f1 <= score.f1_highest + 1e-12


def test_intervals_and_comparison_take_answers():
    found = compare(GOLD, {"one": read_answers(ANSWERS, GOLD), "two": GOLD}, TRAIN, ci=50).to_dict()
    assert found["systems"]["one"]["exact_f1"]["n_invented"] == 1


def test_types_are_matched_by_map_or_left_out(caplog):
    said = ['[["Ada", "Person"], ["Oslo", "City"]]', "[]", "[]"]
    score = exact_f1(GOLD, read_answers(said, GOLD))
    assert (score.n_pred, score.n_exact) == (2, 0)
    assert "types that gold does not have: City 1, Person 1" in caplog.text
    mapped = exact_f1(GOLD, read_answers(said, GOLD, types={"person": "PER"}), types={"person": "PER"})
    assert (mapped.n_pred, mapped.n_exact) == (2, 1)
    assert exact_f1(GOLD, said, types={"person": "PER"}).n_exact == 1
    assert exact_f1(GOLD, read_answers(said, GOLD, ignore_types=True)).n_pred == 0
    assert exact_f1(GOLD, read_answers(said, GOLD, ignore_types=["city"])).n_pred == 1


# --- files ----------------------------------------------------------------------------------------------


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


@pytest.fixture
def gold_file(tmp_path):
    path = tmp_path / "gold.jsonl"
    cleancut.write(GOLD, path)
    return str(path)


ROWS = {
    "in order": [{"answer": said} for said in ANSWERS],
    "by id": [{"id": name, "response": said} for name, said in reversed(list(zip("abc", ANSWERS, strict=True)))],
    "output": [{"id": name, "output": said} for name, said in zip("abc", ANSWERS, strict=True)],
    "chat": [
        {"id": name, "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": said}]}
        for name, said in zip("abc", ANSWERS, strict=True)
    ],
    "choices": [{"choices": [{"message": {"content": said}}]} for said in ANSWERS],
    "a batch of OpenAI": [
        {"id": f"batch_{name}", "custom_id": name, "response": {"status_code": 200, "body": {
            "id": "x", "choices": [{"index": 0, "message": {"role": "assistant", "content": said}}]}}, "error": None}
        for name, said in reversed(list(zip("abc", ANSWERS, strict=True)))
    ],
    "a batch of Anthropic": [
        {"custom_id": name, "result": {"type": "succeeded", "message": {
            "role": "assistant", "content": [{"type": "text", "text": said}]}}}
        for name, said in zip("abc", ANSWERS, strict=True)
    ],
    "a batch of Gemini": [
        {"key": name, "response": {"candidates": [{"content": {"parts": [{"text": said}], "role": "model"}}]}}
        for name, said in zip("abc", ANSWERS, strict=True)
    ],
    "a harness's log": [{"resps": [[said]]} for said in ANSWERS],
    "parsed": [
        {"id": "a", "entities": [{"text": "Ada", "label": "PER"}, {"text": "Zed", "label": "PER"},
                                 {"text": "Oslo", "label": "LOC"}]},
        {"id": "b", "entities": [{"text": "Bo", "label": "PER"}]},
        {"id": "c", "entities": [{"rows": 7}]},
    ],
    "by type": [
        {"id": "a", "type": "PER", "answer": '["Ada", "Zed"]'}, {"id": "a", "type": "LOC", "answer": '["Oslo"]'},
        {"id": "b", "type": "PER", "answer": '["Bo"]'}, {"id": "b", "type": "LOC", "answer": "[]"},
        {"id": "c", "type": "PER", "answer": "Lorem ipsum"}, {"id": "c", "type": "LOC", "answer": "[]"},
    ],
}  # fmt: skip


@pytest.mark.parametrize("case", ROWS)
def test_files_of_answers_are_scored(case, gold_file, tmp_path, capsys):
    pred = write(tmp_path / "answers.jsonl", ROWS[case])
    assert main(["score", "--gold", gold_file, "--pred", pred, "--metrics", "exact", "--json"]) == 0
    score = json.loads(capsys.readouterr().out)["exact_f1"]
    assert {name: score[name] for name in COUNTS} == COUNTS
    assert read_answers(pred, GOLD).entities() == read_answers(ANSWERS, GOLD).entities()


def test_a_form_that_is_given_is_the_only_one(gold_file, tmp_path, capsys):
    pred = write(tmp_path / "answers.jsonl", ROWS["by id"])
    options = ["--metrics", "exact", "--json", "--answers", "xml"]
    assert main(["score", "--gold", gold_file, "--pred", pred, *options]) == 0
    score = json.loads(capsys.readouterr().out)["exact_f1"]
    assert score["n_unparsed"] == 3 and score["n_pred"] == 0 and "|answers:xml|" in score["signature"]


@pytest.mark.parametrize("command", ["compare", "buckets", "report"])
def test_other_commands_take_answers(command, gold_file, tmp_path, capsys):
    pred = write(tmp_path / "answers.jsonl", ROWS["by id"])
    more = {"compare": ["--pred", gold_file, "--ci", "20"], "report": ["--out", str(tmp_path / "report.html")]}
    assert main([command, "--gold", gold_file, "--pred", pred, *more.get(command, [])]) == 0


def test_answers_that_do_not_fit_are_refused(gold_file, tmp_path, capsys):
    for rows, message in (
        (ROWS["in order"][:2], "3 answers are needed for the gold samples but there are 2"),
        (ROWS["by id"][:2], "gold sample 'a' has no answer"),
        ([*ROWS["by id"], ROWS["by id"][0]], "the second answer to sample 'c'"),
    ):
        pred = write(tmp_path / "answers.jsonl", rows)
        assert main(["score", "--gold", gold_file, "--pred", pred]) != 0
        assert message in capsys.readouterr().err


def test_samples_with_tokens_are_no_answers(gold_file):
    assert not is_answer_file(gold_file)


def test_a_report_lists_answers(gold_file, tmp_path):
    pred = write(tmp_path / "answers.jsonl", ROWS["by id"])
    page = tmp_path / "report.html"
    assert main(["report", "--gold", gold_file, "--pred", pred, "--out", str(page)]) == 0
    text = page.read_text("utf-8")
    assert "Zed (PER)" in text and "no mention in any known form: Lorem ipsum" in text and "not understood" in text


def test_the_terminal_shows_answers(gold_file, tmp_path, capsys):
    pred = write(tmp_path / "answers.jsonl", ROWS["by id"])
    assert main(["score", "--gold", gold_file, "--pred", pred]) == 0
    assert "not understood  empty  invented  ambiguous  lowest F1  highest F1" in capsys.readouterr().out


def test_evaluate_modules_take_answers():
    evaluate = pytest.importorskip("evaluate")
    module = evaluate.load(cleancut.metric("exact_f1"))
    found = module.compute(predictions=ANSWERS, references=TAGS, tokens=TOKENS)
    assert {name: found[name] for name in COUNTS} == COUNTS


def scored_part(part):
    """The score of some samples and where their mentions begin, for a process of its own."""
    tokens, tags, said = zip(*part, strict=True)
    gold = Corpus.of(list(tokens), tags=list(tags))
    pred = read_answers(list(said), gold)
    return exact_f1(gold, pred).to_dict(), pred.mentions.start.tolist()


@pytest.mark.slow
def test_other_processes_read_answers_the_same():
    """Whatever their number, and whatever the seed of their hashes."""
    samples = [
        (
            ["Ada", "met", "Ada", "in", "Oslo"],
            ["B-PER", "O", "B-PER", "O", "B-LOC"],
            '{"PER": ["Ada"], "LOC": ["Oslo"]}',
        ),
        (["Bo", "ran"], ["B-PER", "O"], "I found **Bo** (PER) and **Cy** (PER)."),
        (["so", "it", "is"], ["O", "O", "O"], "???"),
    ] * 4
    here = scored_part(samples)
    context = multiprocessing.get_context("spawn")  # a new interpreter, with a seed of its own
    for n_processes in (1, 2):
        with context.Pool(n_processes) as pool:
            assert pool.map(scored_part, [samples] * 3) == [here] * 3
