"""The command line as a shell sees it: output, JSON, exit codes, one-line errors."""

import json
import os
import re
import subprocess
import sys

import pytest

from cleancut import SplitPlan, cli, errors, exact_f1, partial_f1, read

pytestmark = pytest.mark.usefixtures("few_moves")  # what is split is split any way

GOLD = "Ada B-PER\nKing I-PER\nspoke O\n\nOslo B-LOC\n\n"
PRED = "Ada B-PER\nKing O\nspoke O\n\nOslo B-LOC\n\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gold.conll").write_text(GOLD)
    (tmp_path / "pred.conll").write_text(PRED)
    return tmp_path


def run(capsys, *arguments):
    code = cli.main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def score(capsys, files, *arguments):
    return run(capsys, "score", "--gold", files / "gold.conll", "--pred", files / "pred.conll", *arguments)


def values(out):
    """What ``--json`` printed, without what the files were recognised as."""
    return json.loads(out, object_hook=lambda found: {name: found[name] for name in found if name != "read_as"})


def test_json_is_one_object_with_unrounded_values(capsys, files):
    code, out, err = score(capsys, files, "--json")
    gold, pred = read(files / "gold.conll"), read(files / "pred.conll")
    assert (code, err) == (0, "")
    assert values(out) == {
        "exact_f1": exact_f1(gold, pred).to_dict(),
        "partial_f1": partial_f1(gold, pred).to_dict(),
    }


def test_metrics_may_be_chosen(capsys, files):
    assert list(values(score(capsys, files, "--json", "--metrics", "partial")[1])) == ["partial_f1"]
    credited = json.loads(score(capsys, files, "--json", "--metrics", "partial", "--credit", "1")[1])
    assert credited["partial_f1"]["f1_left"] == 1.0


def test_muc_and_iou_may_be_asked_for(capsys, files):
    gold, pred = read(files / "gold.conll"), read(files / "pred.conll")
    found = values(score(capsys, files, "--json", "--muc", "--iou")[1])
    assert found["partial_f1"] == partial_f1(gold, pred, muc=True, iou=True).to_dict()
    _, out, _ = score(capsys, files, "--muc", "--iou", "--metrics", "partial", "--by-type")
    lines = [line.split() for line in out.splitlines()]
    titles = "F1 exact F1 left F1 right F1 overlap F1 IoU +left +right +overlap"
    assert ["system", *titles.split()] in lines
    assert ["pred", "partial", "75.00", "75.00", "75.00", "1", "0", "1", "0", "0"] in lines
    assert ["PER", "strict", "0.00", "0.00", "0.00", "0", "1", "0", "0", "0"] in lines
    code, _, err = score(capsys, files, "--muc", "--metrics", "exact")
    assert code == 2 and "--muc belongs to the partial score. Add it to --metrics." in err


def test_a_table_by_default(capsys, files):
    code, out, _ = score(capsys, files)
    assert code == 0 and "\x1b" not in out
    lines = out.splitlines()
    assert lines[0] == "Exact match (%)"
    assert lines[1].split() == ["system", "precision", "recall", "F1", "macro", "F1", "support", "predicted", "correct"]
    assert lines[3].split() == ["pred", "50.00", "50.00", "50.00", "50.00", "2", "2", "1"]
    assert max(len(line) for line in lines if "|" not in line) <= 80
    assert "exact_f1|match:exact|scheme:iob2|repair:conlleval" in out
    _, out, _ = score(capsys, files, "--by-type")
    assert re.search("LOC +100.00", out) and re.search("PER +0.00", out)


def test_repairs_are_told(capsys, files):
    (files / "pred.conll").write_text(PRED.replace("B-PER", "I-PER"))
    assert "pred: 1 predicted sample had ill-formed tags (repair: conlleval)." in score(capsys, files)[1]
    code, _, err = score(capsys, files, "--repair", "error")
    assert code == 2 and "pred.conll, line 1" in err and "IOB2" in err


def test_several_systems_are_keyed_by_their_stems(capsys, files):
    for folder in ("a", "b"):
        (files / folder).mkdir()
        (files / folder / "run.conll").write_text(PRED)
    args = ["score", "--gold", files / "gold.conll", "--json"]
    for name in ("pred.conll", "a/run.conll", "b/run.conll"):
        args += ["--pred", files / name]
    result = values(run(capsys, *args)[1])
    assert list(result) == ["pred", "a/run", "b/run"]
    assert result["a/run"] == result["pred"]
    code, _, err = run(capsys, *args, "--pred", files / "pred.conll")
    assert code == 2 and "same file is given twice" in err


def test_the_single_file_of_conlleval(capsys, files):
    both = "".join(f"{g} {p.split()[1]}\n" if g else "\n" for g, p in zip(GOLD.split("\n"), PRED.split("\n")))
    (files / "both.txt").write_text(both)
    out = run(capsys, "score", "--gold", files / "both.txt", "--json")[1]
    assert values(out) == values(score(capsys, files, "--json")[1])
    columns = ["--gold-column", 1, "--pred-column", 2]
    out = run(capsys, "score", "--gold", files / "both.txt", "--pred", files / "both.txt", *columns, "--json")[1]
    assert values(out) == values(score(capsys, files, "--json")[1])


def test_nan_is_null():
    from cleancut.showing.text import to_json

    assert json.loads(to_json({"a": float("nan"), "b": [1.5, float("inf")]})) == {"a": None, "b": [1.5, None]}


BAD = {
    "missing file": (["--pred", "none.conll"], "none.conll: no such file"),
    "directory": (["--pred", "."], "is a directory"),
    "unknown metric": (["--metrics", "exakt"], "'exakt' is unknown. Did you mean exact?"),
    "no metric": (["--metrics", ","], "none given"),
    "scheme": (["--scheme", "xyz"], "scheme='xyz' is unknown"),
    "credit": (["--credit", "7"], "credit=7.0 is out of range"),
    "column": (["--gold-column", "9"], "column 9"),
    "labels": (["--labels", "none.json"], "--labels none.json: no such file"),
    "types": (["--map", "none.txt"], "'none.txt' is not OLD=NEW, nor a file"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gives_one_line_and_exit_code_2(case, capsys, files):
    extra, message = BAD[case]
    code, out, err = score(capsys, files, *extra)
    assert (code, out) == (2, "")
    assert message in err and err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [[], ["scoer"], ["score"], ["score", "--gold"], ["score", "--gold", "x", "--nope"]]
)
def test_wrong_words_give_one_line_and_exit_code_2(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    out, err = capsys.readouterr()
    assert caught.value.code == 2 and out == "" and err.count("\n") == 1 and "--help" in err


def test_convert(capsys, files):
    code, out, err = run(capsys, "convert", files / "gold.conll", files / "x.jsonl")
    assert (code, out) == (0, "") and "2 samples, 2 mentions" in err
    assert run(capsys, "convert", files / "x.jsonl", files / "y.conll", "--scheme", "bioes")[0] == 0
    assert (files / "y.conll").read_text() == "Ada\tB-PER\nKing\tE-PER\nspoke\tO\n\nOslo\tS-LOC\n\n"
    assert run(capsys, "convert", files / "y.conll", files / "z.jsonl.gz", "--scheme", "bilou")[0] == 0
    assert run(capsys, "convert", files / "y.conll", files / "Z.CONLL.GZ", "--scheme", "bilou")[0] == 0
    assert read(files / "z.jsonl.gz").tags() == read(files / "Z.CONLL.GZ").tags() == read(files / "gold.conll").tags()
    code, _, err = run(capsys, "convert", files / "none", files / "y.conll")
    assert code == 2 and "no such file" in err
    assert run(capsys, "convert", files / "gold.conll", files / "out.unknown")[0] == 2


def test_convert_bare_io_names(capsys, files):
    (files / "io.conll").write_text("Ada person\nKing person\nrock art-music\n")
    code, _, err = run(capsys, "convert", files / "io.conll", files / "x.conll")
    assert code == 2 and "scheme='io'" in err
    assert run(capsys, "convert", files / "io.conll", files / "x.conll", "--from-scheme", "io")[0] == 0
    assert read(files / "x.conll").tags() == [["B-person", "I-person", "B-art-music"]]


def test_int_labels_by_name_or_file(capsys, files):
    (files / "x.jsonl").write_text('{"tokens": ["a", "b"], "tags": [1, 0]}\n')
    (files / "names.txt").write_text("O\nB-X\n")
    for names in ("O,B-X", files / "names.txt"):
        out = run(
            capsys, "score", "--gold", files / "x.jsonl", "--pred", files / "x.jsonl", "--labels", names, "--json"
        )[1]
        assert json.loads(out)["exact_f1"]["f1/X"] == 1.0


@pytest.mark.slow
def test_as_a_module_and_through_a_closed_pipe(files):
    command = [sys.executable, "-m", "cleancut"]
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("cleancut 0.")
    pipe = f"{' '.join(command)} score --gold {files}/gold.conll --pred {files}/pred.conll | true"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {pipe}"], capture_output=True, text=True)
    assert "Traceback" not in done.stderr


def test_odd_calls_give_one_line(capsys, files):
    (files / "two.conll").write_text("Ada person\n")
    cases = [
        (["score", "--gold", files / "two.conll"], "column -2 beside the token"),
        (["score", "--gold", files / "x.jsonl"], "Give --pred FILE"),
        (["demo", "-o", files / "gold.conll"], "gold.conll"),
        (["incidence", files / "gold.conll", "-o", files / "x.csv"], "incidences are written as Parquet"),
        (["subsets", files / "gold.conll", "-o", files / "sub"], "has no split 'train': it has no splits at all. Give"),
        (["convert", files / "gold.conll", files / "x.parquet.gz"], "parquet is not packed by gzip. Leave .gz out."),
        (["score", "--gold", files / "gold.conll", "--pred", files / "pred.conll", "--labels", files / "bin"], "UTF-8"),
    ]
    (files / "x.jsonl").write_text('{"tokens": ["a"], "tags": ["O"]}\n')
    (files / "bin").write_bytes(b"\xff\xfe")
    for arguments, message in cases:
        code, out, err = run(capsys, *arguments)
        assert (code, out) == (2, "") and message in err and err.count("\n") == 1, err


def test_repair_is_in_the_signature(capsys, files):
    assert "repair:discard" in score(capsys, files, "--repair", "discard")[1]


@pytest.fixture
def trained(files):
    (files / "train.conll").write_text("Oslo B-LOC\nslept O\n")
    return files


def test_training_data_brings_clean_and_hardeval(capsys, trained):
    from cleancut import Exposure, clean_f1, hardeval

    gold, pred = read(trained / "gold.conll"), read(trained / "pred.conll")
    shown = Exposure.of(read(trained / "train.conll"))
    _, out, _ = score(capsys, trained, "--train", trained / "train.conll", "--json")
    result = values(out)
    assert list(result) == ["exact_f1", "partial_f1", "clean_f1", "hardeval"]
    for name, expected in (("clean_f1", clean_f1(gold, pred, shown)), ("hardeval", hardeval(gold, pred, shown))):
        assert result[name] == {k: None if v != v else v for k, v in expected.to_dict().items()}
    text = score(capsys, trained, "--train", trained / "train.conll", "--by-type")[1]
    assert "clean F1" in text and "hardeval" in text and "Recall by novelty" in text
    twice = ["--train", trained / "train.conll", "--train", trained / "gold.conll"]
    more = values(score(capsys, trained, *twice, "--json", "--metrics", "clean")[1])
    assert list(more) == ["clean_f1"] and more["clean_f1"]["n_clean"] == 0


@pytest.mark.slow
def test_type_confusable_mentions_are_judged_by_the_whole_file(capsys, tmp_path):
    """A name with one type in the first batch and another one in the last."""
    between = "x O\n\n" * 20_000
    (tmp_path / "gold.conll").write_text(f"Paris B-LOC\n\n{between}Paris B-PER\n\nOslo B-LOC\n\n")
    (tmp_path / "pred.conll").write_text(f"Paris B-LOC\n\n{between}Paris B-LOC\n\nOslo B-LOC\n\n")
    (tmp_path / "train.conll").write_text("Paris B-LOC\n")
    files = ["--gold", tmp_path / "gold.conll", "--pred", tmp_path / "pred.conll", "--metrics", "clean"]
    code, out, _ = run(capsys, "score", *files, "--train", tmp_path / "train.conll", "--confusable", "--json")
    found = json.loads(out)["clean_f1"]
    assert code == 0 and (found["n_confusable"], found["recall_confusable"], found["n_confusable_unseen"]) == (
        2,
        0.5,
        0,
    )
    for name in ("gold", "pred"):
        (tmp_path / f"{name}.conll").write_text((tmp_path / f"{name}.conll").read_text().replace(between, ""))
    out = run(capsys, "score", *files, "--train", tmp_path / "train.conll", "--confusable")[1]
    assert "Recall on type-confusable mentions (%)" in out and "50.00 (2)" in out
    code, _, err = run(capsys, "score", *files[:4], "--confusable")
    assert code == 2 and "--confusable belongs to the clean score. Give --train FILE." in err


def test_keys_on_the_command_line(capsys, trained):
    (trained / "train.conll").write_text("OSLO B-ORG\n")
    args = ["--train", trained / "train.conll", "--json", "--metrics", "clean"]
    for extra, seen in (([], 0), (["--ignore-case"], 0), (["--key", "surface", "--ignore-case"], 1)):
        assert json.loads(score(capsys, trained, *args, *extra)[1])["clean_f1"]["n_contaminated"] == seen


def test_clean_without_training_data_is_refused(capsys, files):
    code, _, err = score(capsys, files, "--metrics", "clean")
    assert code == 2 and "Give --train FILE" in err


def test_hardeval_on_overlapping_mentions(capsys, files):
    row = {
        "tokens": ["a", "b"],
        "entities": [{"start": 0, "end": 2, "label": "X"}, {"start": 0, "end": 1, "label": "X"}],
    }
    (files / "nested.jsonl").write_text(json.dumps(row) + "\n")
    args = [
        "score",
        "--gold",
        files / "nested.jsonl",
        "--pred",
        files / "nested.jsonl",
        "--train",
        files / "nested.jsonl",
    ]
    code, out, err = run(capsys, *args, "--json")
    assert code == 0 and "hardeval" not in json.loads(out) and "hardeval is left out, since mentions overlap" in err
    code, out, err = run(capsys, *args, "--metrics", "hardeval")
    assert (code, out) == (2, "") and "hardeval is undefined" in err


def test_audit(capsys, trained):
    code, out, _ = run(capsys, "audit", "--train", trained / "train.conll", "--test", trained / "gold.conll", "--json")
    result = json.loads(out)
    assert code == 0 and result["test_vs_train"]["n_partial"] == 1 and result["memorisation"]["test"]["n_exact"] == 1
    assert set(result["test_vs_train"]) == {
        "n_samples", "n_empty", "n_partial", "n_full", "n_full_eq4", "rate_partial", "rate_full", "n_mentions",
        "n_mentions_contaminated", "n_entities", "n_entities_contaminated",
    }  # fmt: skip
    text = run(capsys, "audit", "--train", trained / "train.conll", "--test", trained / "gold.conll")[1]
    assert "test in train" in text and "Oslo" in text and max(map(len, text.splitlines())) <= 80


def test_audit_of_a_folder(capsys, tmp_path):
    code, _, err = run(capsys, "audit", tmp_path / "none")
    assert code == 2 and "no such directory" in err
    (tmp_path / "alone").write_text(GOLD)
    code, _, err = run(capsys, "audit", tmp_path / "alone")
    assert code == 2 and "is a file" in err
    code, _, err = run(capsys, "audit", tmp_path)
    assert code == 2 and "no train and test files" in err
    for name in ("eng.train", "eng.testa", "eng.testb"):
        (tmp_path / name).write_text(GOLD)
    result = json.loads(run(capsys, "audit", tmp_path, "--json")[1])
    assert result["validation_vs_train"]["n_full"] == 2 and result["duplicates"]["test_vs_validation"] == 2
    (tmp_path / "other-train.txt").write_text(GOLD)
    code, _, err = run(capsys, "audit", tmp_path)
    assert code == 2 and "two train files" in err
    assert run(capsys, "audit")[0] == 2
    assert run(capsys, "audit", tmp_path, "--train", tmp_path / "eng.train")[0] == 2
    assert (
        run(capsys, "audit", "--train", tmp_path / "eng.train", "--test", tmp_path / "eng.testb", "--unit", "doc")[0]
        == 2
    )


def test_the_column_of_training_data(capsys, tmp_path):
    (tmp_path / "g.conll").write_text("Ada B-PER B-NP\nran O B-VP\n")
    files = ["--gold", tmp_path / "g.conll", "--pred", tmp_path / "g.conll", "--train", tmp_path / "g.conll"]
    out = run(capsys, "score", *files, "--gold-column", 1, "--pred-column", 1, "--metrics", "clean", "--json")[1]
    assert json.loads(out)["clean_f1"]["n_contaminated"] == 1 and "f1/NP" not in out
    splits = ["--train", tmp_path / "g.conll", "--test", tmp_path / "g.conll"]
    found = json.loads(run(capsys, "audit", *splits, "--column", 1, "--json")[1])
    assert found["types"]["test"] == {"PER": 1}
    run(capsys, "subsets", *splits, "--column", 1, "-o", tmp_path / "out")
    assert read(tmp_path / "out" / "contaminated.conll").texts() == ["Ada"]


def test_documents_of_different_files_are_different(capsys, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.conll").write_text(f"-DOCSTART- O\n\n{name} B-P\n\n-DOCSTART- O\n\n{name}2 B-P\n")
    files = ["--train", tmp_path / "a.conll", "--train", tmp_path / "b.conll", "--test", tmp_path / "a.conll"]
    found = json.loads(run(capsys, "audit", *files, "--unit", "doc", "--json")[1])
    assert found["train_vs_test"]["n_samples"] == 4 and found["train_vs_test"]["n_full"] == 2


def test_files_of_a_folder_that_are_no_split(capsys, tmp_path):
    for name in ("train.conll", "test.conll", "train.log", ".train.conll.swp"):
        (tmp_path / name).write_text(GOLD)
    assert run(capsys, "audit", tmp_path)[0] == 0
    (tmp_path / "train_dev.conll").write_text(GOLD)
    code, _, err = run(capsys, "audit", tmp_path)
    assert code == 2 and "train_dev.conll may be train or validation" in err


def test_keys_without_training_data_are_refused(capsys, files):
    assert score(capsys, files, "--ignore-case")[0] == 2
    assert score(capsys, files, "--metrics", "exact", "--train", files / "none.conll")[0] == 2


def test_audit_warns_of_at_signs_and_joins_them(capsys, tmp_path):
    for name in ("train.conll", "test.conll"):
        (tmp_path / name).write_text(f"@ B-PER\n{name[:2]} B-PER\n")
    out = run(capsys, "audit", tmp_path)[1]
    assert "--join-at" in out
    joined = json.loads(run(capsys, "audit", tmp_path, "--join-at", "--json")[1])
    assert joined["notes"] == [] and joined["test_vs_train"]["n_mentions_contaminated"] == 0


def test_subsets(capsys, trained):
    args = ["subsets", "--train", trained / "train.conll", "--test", trained / "gold.conll", "-o", trained / "out"]
    code, out, _ = run(capsys, *args)
    assert code == 0 and "1 of 2 mentions" in out
    clean, contaminated = read(trained / "out" / "clean.conll"), read(trained / "out" / "contaminated.conll")
    assert clean.texts() == ["Ada King"] and contaminated.texts() == ["Oslo"]
    assert clean.tokens() == contaminated.tokens() == read(trained / "gold.conll").tokens()


def test_split(capsys, tmp_path):
    from cleancut import SplitPlan, write
    from cleancut.demo.sampletext import generate

    corpus = generate(300)
    write(corpus.select(slice(0, 200)), tmp_path / "train.jsonl")
    write(corpus.select(slice(200, 300)), tmp_path / "test.conll")
    inputs, fast = [tmp_path / "train.jsonl", tmp_path / "test.conll"], ["--effort", "fast"]
    code, out, err = run(capsys, "split", *inputs, "-o", tmp_path / "out", "--discard", "auto", *fast, "--json")
    result = json.loads(out)
    assert (code, err) == (0, "") and result["n_samples"] == 300 and result["n_discarded"] > 0
    assert {"sizes", "ratios", "leakage_before", "leakage_after", "representation", "how", "guarantee"} <= set(result)
    assert (
        result["leakage_before"]["test_vs_train"]["n_partial"]
        > result["leakage_after"]["test_vs_train"]["n_partial"]
        == 0
    )
    names = {"train.jsonl", "validation.jsonl", "test.jsonl", "discarded.jsonl", "plan.json", "report.md"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    sizes = {name: len(read(tmp_path / "out" / f"{name}.jsonl")) for name in ("train", "validation", "test")}
    assert sizes == result["sizes"] == SplitPlan.load(tmp_path / "out" / "plan.json").sizes
    rows = [row for name in (*sizes, "discarded") for row in read(tmp_path / "out" / f"{name}.jsonl").tokens()]
    assert sorted(map(str, rows)) == sorted(map(str, corpus.tokens()))
    more = ["--ratios", "80/20", "--compare", "--representative", "off", *fast]
    code, out, _ = run(capsys, "split", tmp_path / "train.jsonl", "-o", tmp_path / "out", *more)
    assert code == 0 and "random" in out and "paper" in out
    assert "discarded.jsonl" not in {path.name for path in (tmp_path / "out").iterdir()}
    for wrong in (["--ratios", "a/b"], ["--representative", "some"], ["--discard", "2"]):
        code, out, err = run(capsys, "split", tmp_path / "train.jsonl", "-o", tmp_path / "no", *wrong)
        assert (code, out) == (2, "") and err.count("\n") == 1
    assert not (tmp_path / "no").exists()
    same = tmp_path / "same"
    same.mkdir()
    write(corpus.select(slice(200, 300)), same / "train.jsonl")
    twins = [
        "split",
        tmp_path / "train.jsonl",
        same / "train.jsonl",
        "-o",
        tmp_path / "two",
        "--effort",
        "fast",
        "--json",
    ]
    assert json.loads(run(capsys, *twins)[1])["n_samples"] == 300


def test_help_of_every_command_has_an_example(capsys):
    for command in ("score", "audit", "subsets", "split", "convert", "demo"):
        with pytest.raises(SystemExit) as caught:
            cli.main([command, "--help"])
        out = capsys.readouterr().out
        assert caught.value.code == 0 and f"example:\n  cleancut {command}" in out


@pytest.mark.slow
def test_colour_only_on_a_terminal(files):
    """Under a pseudo-terminal the table has colour, and none where NO_COLOR is set."""
    pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

    def shown(**env):
        reader, writer = pty.openpty()
        command = [
            sys.executable,
            "-m",
            "cleancut",
            "score",
            "--gold",
            files / "gold.conll",
            "--pred",
            files / "pred.conll",
        ]
        with subprocess.Popen(
            command, stdout=writer, stderr=writer, env={**os.environ, "TERM": "xterm", **env}
        ) as process:
            process.wait()
            os.close(writer)
        return os.read(reader, 100_000).decode()

    assert "\x1b[1m" in shown()
    assert "\x1b" not in shown(NO_COLOR="1")


def test_split_keeps_the_rows_as_they_stand(capsys, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet

    block = "{0}\tNN\tB-PER\nsaw\tVB\tO\nName{1}\tNN\tB-PER\n\n"
    head = "-DOCSTART-\t-X-\tO\n\n"
    blocks = [block.format(f"Name{i % 7}", i) for i in range(30)]
    (tmp_path / "a.conll").write_text(head + "".join(f"# id = {i}\n{text}" for i, text in enumerate(blocks)))
    rows = [{"tokens": [f"N{i % 9}"], "tags": ["B-PER"], "source": f"é{i}", "extra": {"k": [i]}} for i in range(30)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    pa.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    for suffix in ("conll", "jsonl", "parquet"):
        out = tmp_path / suffix
        options = ["--format", "input", "--effort", "fast", "--discard", "auto", "--representative", "off"]
        code, _, err = run(capsys, "split", tmp_path / f"a.{suffix}", "-o", out, *options)
        assert (code, err) == (0, "")
        files = sorted(path for path in out.iterdir() if path.name.endswith(f".{suffix}"))
        assert {path.stem for path in files} >= {"train", "validation", "test"}
        if suffix == "parquet":
            back = [row for file in files for row in pa.parquet.read_table(file).to_pylist()]
            assert sorted(map(str, back)) == sorted(map(str, rows))
        else:
            lines = [line for file in files for line in file.read_text().splitlines() if line != head.strip()]
            wanted = [line for line in (tmp_path / f"a.{suffix}").read_text().splitlines() if line != head.strip()]
            assert sorted(filter(None, lines)) == sorted(filter(None, wanted))
    code, _, err = run(
        capsys, "split", tmp_path / "a.conll", tmp_path / "a.jsonl", "-o", tmp_path / "x", "--format", "input"
    )
    assert code == 2 and "cannot be kept" in err


# --- datasets of other shapes ---------------------------------------------------------------------------


def quoted(names):
    """LLM-style rows: the mention without its offsets."""
    rows = [{"text": f"{n} spoke {i}.", "entities": [{"text": n, "type": "PER"}], "x": i} for i, n in enumerate(names)]
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_audit_of_files_of_any_shape(capsys, tmp_path):
    (tmp_path / "train.jsonl").write_text(quoted(["Ada", "Bo"]))
    (tmp_path / "test.jsonl").write_text(
        quoted(["Ada", "Cy"]) + '{"text": "x", "entities": [{"text": "y", "type": "A"}]}\n'
    )
    for source in ([tmp_path], ["--train", tmp_path / "train.jsonl", "--test", tmp_path / "test.jsonl"]):
        code, out, err = run(capsys, "audit", *source, "--json")
        assert code == 0 and json.loads(out)["test_vs_train"]["n_partial"] == 1
        assert "train.jsonl: text: text; entities: entities (mentions without offsets)" in err
        assert "1 of 3 mentions could not be located" in err
    code, _, err = run(capsys, "audit", tmp_path, "--text", "body")
    assert code == 2 and "text='body' is not among the columns 'text'" in err


def test_split_keeps_the_rows_of_any_shape(capsys, tmp_path):
    names = [f"Name{i % 12}" for i in range(120)]
    (tmp_path / "all.jsonl").write_text(quoted(names))
    options = ["-o", tmp_path / "out", "--effort", "fast", "--min-per-type", 0]
    assert run(capsys, "split", tmp_path / "all.jsonl", *options)[0] == 0
    found = [json.loads(x) for part in ("train", "validation", "test")
             for x in (tmp_path / "out" / f"{part}.jsonl").read_text().splitlines()]  # fmt: skip
    assert sorted(found, key=lambda row: row["x"]) == [json.loads(x) for x in quoted(names).splitlines()]
    assert run(capsys, "split", tmp_path / "all.jsonl", *options, "--format", "jsonl")[0] == 0
    assert {text[:4] for text in read(tmp_path / "out" / "train.jsonl").texts()} == {"Name"}


def test_split_of_tokens_in_rows_gives_sentences_back_whole(capsys, tmp_path):
    datasets = pytest.importorskip("datasets")
    rows = [
        f"{i},{w},{t},{i}-{k}" for i in range(60) for k, (w, t) in enumerate([(f"N{i % 9}", "B-PER"), ("ran", "O")])
    ]
    (tmp_path / "all.csv").write_text("\n".join(["sentence_id,word,tag,key", *rows]))
    options = ["--min-per-type", 0, "--effort", "fast"]
    code, _, err = run(capsys, "split", tmp_path / "all.csv", "-o", tmp_path / "out", *options)
    assert code == 0 and "one token a row, samples by: sentence_id; tokens: word; tags: tag (strings, iob2)" in err
    parts = {p.stem: datasets.Dataset.from_parquet(str(p))[:] for p in (tmp_path / "out").glob("*.parquet")}
    assert set(parts) == {"train", "validation", "test"}
    assert sorted(k for part in parts.values() for k in part["key"]) == sorted(r.split(",")[3] for r in rows)
    numbers = [set(part["sentence_id"]) for part in parts.values()]
    assert sum(map(len, numbers)) == 60  # none is torn apart
    assert len(SplitPlan.load(tmp_path / "out" / "plan.json").assignment) == 120


def test_documents_of_sentences_are_split_whole_or_not_at_all(capsys, tmp_path):
    rows = [{"document_id": f"d{i}", "sentences": [{"words": [f"N{i % 9}"], "named_entities": ["B-PER"]}] * 2}
            for i in range(40)]  # fmt: skip
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ["-o", tmp_path / "out", "--min-per-type", 0, "--format", "input", "--effort", "fast"]
    code, _, err = run(capsys, "split", tmp_path / "all.jsonl", *options)
    assert code == 2 and "Give --unit doc" in err
    assert run(capsys, "split", tmp_path / "all.jsonl", *options, "--unit", "doc")[0] == 0
    lines = [(tmp_path / "out" / f"{part}.jsonl").read_text() for part in ("train", "validation", "test")]
    assert sorted("".join(lines).splitlines()) == sorted((tmp_path / "all.jsonl").read_text().splitlines())


def test_training_data_of_any_shape(capsys, trained, tmp_path):
    (tmp_path / "train.jsonl").write_text('{"line": "Oslo is far", "found": [[0, 3, "LOC"]]}\n')
    files = ["--gold", trained / "gold.conll", "--pred", trained / "gold.conll"]
    columns = ["--text", "line", "--entities", "found", "--end", "inclusive"]
    code, out, err = run(capsys, "score", *files, "--train", tmp_path / "train.jsonl", *columns, "--json")
    assert code == 0 and json.loads(out)["clean_f1"]["n_contaminated"] == 1
    assert "text: line; entities: found (character offsets, ends inclusive)" in err
    code, _, err = run(capsys, "score", *files, "--train", trained / "gold.conll", *columns)
    assert code == 2 and "has no effect" in err and "CoNLL" in err
    code, _, err = run(capsys, "score", *files, *columns)
    assert code == 2 and "--entities has no effect: all files are CoNLL files" in err


@pytest.mark.parametrize(
    "command", [["audit"], ["split", "-o", "out"], ["score", "--gold", "g", "--pred", "g", "--train"]]
)
def test_what_cannot_be_a_dataset_id_is_refused_at_once(capsys, tmp_path, monkeypatch, command):
    datasets = pytest.importorskip("datasets")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datasets, "load_dataset", lambda *a, **k: pytest.fail("a request was made"))
    for wrong in ("org/na me", "org/name:", "org/../name", "org/name@../x"):
        code, out, err = run(capsys, *command, wrong)
        assert code == 2 and out == "" and "Write ids as org/name" in err


def test_score_with_intervals(capsys, trained):
    files = ["--gold", trained / "gold.conll", "--pred", trained / "pred.conll", "--train", trained / "train.conll"]
    code, out, _ = run(capsys, "score", *files, "--ci", 200)
    assert (
        code == 0 and "95% intervals (%)" in out and max(map(len, out.splitlines())) <= 80 + 60
    )  # signatures are long
    found = json.loads(run(capsys, "score", *files, "--ci", 200, "--json")[1])
    for metric, name in (("exact_f1", "f1"), ("clean_f1", "delta_f1"), ("hardeval", "ter")):
        values = found[metric]
        assert values[f"{name}_low"] <= values[name] <= values[f"{name}_high"]
    assert run(capsys, "score", *files, "--ci", -1)[0] == 2


def test_buckets_as_a_table_and_as_json(capsys, tmp_path):
    gold, pred, train = (tmp_path / f"{name}.conll" for name in ("gold", "pred", "train"))
    gold.write_text("Ada B-PER\nKing I-PER\nleft O\n\nOslo B-LOC\n")
    pred.write_text("Ada B-PER\nKing O\nleft O\n\nOslo B-LOC\n")
    train.write_text("Oslo B-LOC\n")
    args = ["buckets", "--gold", str(gold), "--pred", str(pred), "--train", str(train)]
    code, out, err = run(capsys, *args, "--json")
    found = json.loads(out)
    assert (code, err) == (0, "") and list(found)[:8] == "eDen oDen sLen eCon tCon eFre tFre eLen".split()
    assert [row["bucket"] for row in found["eLen"]] == ["1", "2", "3", ">=4"]
    first = found["eLen"][0]
    assert (first["low"], first["high"], first["n_gold"], first["n_pred"]) == (1, 1, 1, 2)
    assert (first["precision"], first["recall"]) == (0.5, 1.0) and found["eLen"][3]["f1"] is None
    assert [row["n_gold"] for row in found["eCon"]] == [1, 0, 0, 1]
    code, out, _ = run(capsys, *args, "--ci", "100", "--attributes", "eLen,novelty")
    assert code == 0 and "eLen: entity length" in out and "unknown_words" in out and "95%" in out
    assert "bucket_f1|match:exact" in out and "eDen" not in out
    code, out, _ = run(capsys, "buckets", "--gold", str(gold), "--pred", str(pred), "--json")
    assert code == 0 and "eCon" not in json.loads(out)
    code, out, _ = run(capsys, *args, "--pred", str(gold), "--json")
    assert code == 0 and set(values(out)) == {"pred", "gold"}
    code, out, err = run(capsys, *args, "--attributes", "elen")
    assert (code, out) == (2, "") and "Did you mean eLen" in err


# --- errors, folds and one shape of JSON ------------------------------------------------------------------


def test_json_systems_has_one_shape_for_one_system_and_for_several(files, capsys):
    one, same = files / "pred.conll", f"same={files / 'gold.conll'}"
    for command in ("score", "buckets"):
        given = [command, "--gold", files / "gold.conll", "--pred", one]
        flat = values(run(capsys, *given, "--json")[1])
        of_one = json.loads(run(capsys, *given, "--json-systems")[1])
        of_two = json.loads(run(capsys, *given, same, "--json-systems")[1])
        assert set(of_one) == set(of_two) == {"systems", "read_as"}
        assert list(of_one["systems"]) == ["pred"] and list(of_two["systems"]) == ["pred", "same"]
        assert of_one["systems"]["pred"] == of_two["systems"]["pred"] == flat
        assert values(run(capsys, *given, same, "--json")[1]) == of_two["systems"]


def test_errors_of_each_system_are_listed(files, capsys):
    wanted = errors(read(files / "gold.conll"), read(files / "pred.conll"))
    wrong = [row for row in wanted.matches if row["kind"] != "exact"]
    found = values(score(capsys, files, "--errors", "--json")[1])
    assert found["errors"] == wanted.to_dict() and {"exact_f1", "partial_f1"} < set(found) and wrong
    code, text, _ = score(capsys, files, "--errors", 1)
    assert code == 0 and f"Errors: {len(wrong)}" in text and "gold \\ predicted" in text
    header, _, row, note = text.partition("Errors: ")[2].splitlines()[1:]
    assert header.split() == ["sample", "kind", "gold", "predicted"]
    assert row.split() == ["0", "boundary", "'Ada", "King'", "PER", "'Ada'", "PER"] and note == "Samples count from 0."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--errors", 0], "--errors=0 is out of range"),
        (["--errors", "--runs"], "--errors has no effect with --runs"),
        (["--json-systems", "--runs"], "--json-systems has no effect with --runs"),
    ],
)
def test_options_of_errors_and_json_are_checked(files, capsys, options, message):
    code, out, err = score(capsys, files, *options)
    assert code == 2 and out == "" and message in err and err.count("\n") == 1
